//! Turns the facts of a failure into a story.
//!
//! Most failures are direct: following the requirements from the project down, one package is left without a choice, and
//! the story is who asks for it and why they are there. Else it may be that each version of some package fails directly.
//! What is neither is listed.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use pubgrub::VersionSet as _;
use semver::{Prerelease, Version};

use super::choices::ChoiceSet;
use super::conflict::{Ask, Asker, Case, Cause, Conflict, Hints, Subject};
use super::facts::distances;
use super::root::Root;
use super::solve::{Fact, is_open};
use super::world::{Candidate, Edge, Node, Package, World, is_offered};
use crate::package::{Dependency, GitReference, SourceId, Summary};

/// A package is told version by version only if it has at most this many, in a story of at most so many facts.
const CASES_MAX: usize = 64;
const FACTS_MAX: usize = 200;

/// A chain is told up to this length, and a list of requirements that nobody can follow anyway.
const CHAIN_MAX: usize = 16;
const LIST_MAX: usize = 30;

/// Tells why `facts` are impossible, which must be minimal.
pub(super) fn tell(world: &World<'_>, facts: &BTreeSet<Fact>) -> Conflict {
    let map = Map::new(world, facts);
    let story = Story { world, facts, map: &map, focus: None };
    let cause = story.direct().or_else(|| story.each_version()).unwrap_or_else(|| story.together());
    let line = |fact: &Fact| match fact {
        Fact::Line(line) => Some(root(&world.root.edges[*line as usize])),
        _ => None,
    };
    let mut lines: Vec<Root> = facts.iter().filter_map(line).collect();
    lines.sort_by(|a, b| (&a.dependency.alias, &a.member).cmp(&(&b.dependency.alias, &b.member)));
    lines.dedup();
    Conflict { lines, ..Conflict::new(cause) }
}

/// A minimal impossible world, perhaps with the choice of one package narrowed to some versions.
#[derive(Clone, Copy)]
struct Story<'s, 'a> {
    world: &'s World<'a>,
    facts: &'s BTreeSet<Fact>,
    map: &'s Map,
    focus: Option<(Node, &'s BTreeSet<u32>)>,
}

/// Which nodes may need which, by the facts.
#[derive(Default)]
struct Map {
    children: BTreeMap<Node, BTreeSet<Node>>,
    parents: BTreeMap<Node, BTreeSet<Node>>,
}

impl Map {
    fn new(world: &World<'_>, facts: &BTreeSet<Fact>) -> Self {
        let mut map = Map::default();
        for fact in facts {
            let (from, to) = match *fact {
                Fact::Line(line) => (Node::Root, world.root.edges[line as usize].to),
                Fact::Needs(from, to) => (from, to),
                Fact::Yanked(_) | Fact::Unavailable(_) | Fact::Precise(_) => continue,
            };
            map.children.entry(from).or_default().insert(to);
            map.parents.entry(to).or_default().insert(from);
        }
        map
    }
}

/// The choices that remain for each node that is surely needed.
type Remaining = BTreeMap<Node, BTreeSet<u32>>;

impl<'a> Story<'_, 'a> {
    /// The story if it is one of requirements on one node that leave it no choice.
    fn direct(&self) -> Option<Cause> {
        let (remaining, emptied) = self.spread();
        Some(self.cause(emptied?, &remaining))
    }

    /// Follows all requirements from the project down, until nothing changes or a node has no choice left.
    fn spread(&self) -> (Remaining, Option<Node>) {
        let mut remaining = Remaining::from([(Node::Root, BTreeSet::from([0]))]);
        let mut queue = VecDeque::from([Node::Root]);
        while let Some(from) = queue.pop_front() {
            for &to in self.map.children.get(&from).into_iter().flatten() {
                let Some(asked) = self.asked(from, to, &remaining) else { continue };
                let before = remaining.get(&to).cloned().unwrap_or_else(|| self.open(to));
                let after: BTreeSet<u32> = before.intersection(&asked).copied().collect();
                if after.is_empty() {
                    return (remaining, Some(to));
                }
                if remaining.get(&to) != Some(&after) {
                    remaining.insert(to, after);
                    queue.push_back(to);
                }
            }
        }
        (remaining, None)
    }

    /// The choices of `to` that some remaining choice of `from` admits; `None` if one does not need it at all.
    fn asked(&self, from: Node, to: Node, remaining: &Remaining) -> Option<BTreeSet<u32>> {
        let mut asked = ChoiceSet::empty();
        for &choice in remaining.get(&from)? {
            let mut edges = self.edges(from, choice, to).peekable();
            edges.peek()?;
            // What needs itself admits no other choice than itself, if that.
            let all = if from == to { ChoiceSet::singleton(choice) } else { ChoiceSet::full() };
            asked = asked.union(&edges.fold(all, |set, edge| set.intersection(&edge.set)));
        }
        Some((0..self.world.choices(to)).filter(|at| asked.has(*at)).collect())
    }

    fn edges(&self, from: Node, choice: u32, to: Node) -> impl Iterator<Item = &Edge<'a>> {
        let edges = (0..).zip(self.world.needs(from, choice));
        let is_told = move |line| match from {
            Node::Root => self.facts.contains(&Fact::Line(line)),
            _ => self.facts.contains(&Fact::Needs(from, to)),
        };
        edges.filter(move |(line, edge)| edge.to == to && is_told(*line)).map(|(_, edge)| edge)
    }

    /// The choices of a node that nothing bars, within the focus.
    fn open(&self, node: Node) -> BTreeSet<u32> {
        let is_open = |choice: &u32| match self.focus {
            Some((focus, choices)) if focus == node => choices.contains(choice),
            _ => is_open(self.world, node, *choice, |fact| self.facts.contains(&fact)),
        };
        (0..self.world.choices(node)).filter(is_open).collect()
    }

    /// What is wrong with a node that has no choice left.
    fn cause(&self, emptied: Node, remaining: &Remaining) -> Cause {
        let asks = self.asks(emptied, remaining);
        match emptied {
            Node::Alias(alias) => Cause::NameClash { alias: self.world.aliases[alias as usize].name.clone(), asks },
            _ if self.world.choices(emptied) == 0 => {
                Cause::Unknown { subject: subject(self.world, emptied, &asks), asks }
            }
            _ => {
                let hints = Box::new(self.hints(emptied, &asks));
                Cause::NothingFits { subject: subject(self.world, emptied, &asks), asks, hints }
            }
        }
    }

    /// Who asks for a node, and who for them, each told once.
    fn asks(&self, node: Node, remaining: &Remaining) -> Vec<Ask> {
        self.chains(node, remaining, &mut BTreeSet::new(), CHAIN_MAX)
    }

    fn chains(&self, node: Node, remaining: &Remaining, told: &mut BTreeSet<(Node, Node)>, length: usize) -> Vec<Ask> {
        if length == 0 {
            let lines =
                self.world.root.edges.iter().zip(0..).filter(|(_, line)| self.facts.contains(&Fact::Line(*line)));
            let end =
                |(edge, _): (&Edge<'_>, _)| ask(Asker::ProjectInTheEnd, vec![edge.dependency.clone()], Vec::new());
            return lines.map(end).take(1).collect();
        }
        let mut asks = Vec::new();
        for &from in self.map.parents.get(&node).into_iter().flatten() {
            let Some(choices) = remaining.get(&from) else { continue };
            if self.asked(from, node, remaining).is_none() || !told.insert((from, node)) {
                continue;
            }
            if from == Node::Root {
                // Each line is an ask of its own.
                let mut lines: Vec<Ask> = self.edges(from, 0, node).map(line).collect();
                lines.dedup();
                asks.extend(lines);
                continue;
            }
            let wants = self.wants(from, choices, node);
            let is_focus = self.focus.is_some_and(|(focus, _)| focus == from);
            let because = if is_focus { Vec::new() } else { self.chains(from, remaining, told, length - 1) };
            asks.push(ask(self.asker(from, choices), wants, because));
        }
        asks
    }

    /// What some choices of a node ask of another, each once.
    fn wants(&self, from: Node, choices: &BTreeSet<u32>, to: Node) -> Vec<Dependency> {
        let mut wants: Vec<Dependency> = Vec::new();
        for dependency in choices.iter().flat_map(|choice| self.edges(from, *choice, to)).map(|edge| edge.dependency) {
            if !wants.contains(dependency) {
                wants.push(dependency.clone());
            }
        }
        wants
    }

    fn asker(&self, node: Node, choices: &BTreeSet<u32>) -> Asker {
        match self.world.package(node) {
            None => Asker::Project,
            Some(package) => {
                let summaries: Vec<_> =
                    choices.iter().map(|choice| package.candidates[*choice as usize].summary).collect();
                let name = summaries.last().expect("a node that asks has a choice left").name.clone();
                let in_place: Vec<&Summary> = choices
                    .iter()
                    .map(|choice| &package.candidates[*choice as usize])
                    .filter(|candidate| candidate.is_patch())
                    .map(|candidate| candidate.summary)
                    .collect();
                let stated = |all: &[&Summary]| versions(all.iter().map(|summary| summary.version.as_ref()));
                let versions = stated(&summaries);
                match in_place.len() {
                    0 => Asker::Package(name, versions),
                    all if all == summaries.len() => Asker::Patch { name, versions, patched: None },
                    _ => Asker::Patch { name, versions, patched: Some(stated(&in_place)) },
                }
            }
        }
    }

    /// What is known of the candidates of a package that none of `asks` together take.
    fn hints(&self, node: Node, asks: &[Ask]) -> Hints {
        let Some(package) = self.world.package(node) else { return Hints::default() };
        let mut hints =
            Hints { newest: newest(package, asks), pre_release: pre_release(package, asks), ..Hints::default() };
        let is_fitting = |candidate: &&Candidate<'_>| all(asks, |want| candidate.is_taken_by(want));
        let fitting = || package.candidates.iter().filter(is_fitting);
        if self.facts.contains(&Fact::Yanked(node)) {
            let yanked = fitting().filter(|candidate| candidate.yanked);
            hints.yanked = versions(yanked.map(|candidate| candidate.summary.version.as_ref()));
        }
        if self.facts.contains(&Fact::Unavailable(node)) {
            let reason = |candidate: &Candidate<'_>| Some((candidate.summary.id(), candidate.barred?.clone()));
            hints.barred = fitting().filter_map(reason).collect();
        }
        let in_place = package.candidates.iter().filter(|candidate| candidate.is_patch() && !is_fitting(candidate));
        hints.patches = in_place.map(|candidate| candidate.summary.id()).collect();
        if self.facts.contains(&Fact::Precise(node)) {
            hints.precise = package.precise.cloned();
            let precise = || package.candidates.iter().filter(|candidate| !candidate.ruled_out);
            hints.precise_exists = precise().next().is_some();
            // What else was yanked or is barred does not matter then.
            let is_precise =
                |version: &Version| precise().any(|candidate| candidate.summary.version.as_ref() == Some(version));
            hints.yanked.retain(is_precise);
            hints.barred.retain(|(id, _)| id.version.as_ref().is_some_and(is_precise));
        }
        if let [Ask { wants, .. }] = asks
            && let [want] = wants.as_slice()
            && is_one_place(&want.source)
        {
            let here: Vec<&Summary> = offered(package, want).map(|candidate| candidate.summary).collect();
            hints.stated = here.iter().rev().find_map(|summary| summary.version.clone());
            hints.is_unversioned = here.iter().any(|summary| summary.version.is_none());
        }
        hints
    }

    /// The story if it is that each version of one package fails directly.
    fn each_version(&self) -> Option<Cause> {
        if self.facts.len() > FACTS_MAX {
            return None;
        }
        let (remaining, _) = self.spread();
        let distances = distances(self.world, self.facts);
        let mut packages: Vec<(Node, &BTreeSet<u32>)> = remaining
            .iter()
            .filter(|(node, _)| matches!(node, Node::Package(_)))
            .map(|(node, at)| (*node, at))
            .collect();
        packages.retain(|(_, choices)| choices.len() <= CASES_MAX);
        packages.sort_by_key(|(node, _)| (distances.get(node).copied(), *node));
        let told = packages.into_iter().filter_map(|(node, choices)| Some((node, self.cases(node, choices)?)));
        let (node, groups) = told.min_by_key(|(_, groups)| groups.len())?;
        let asks = self.asks(node, &remaining);
        let cases: Option<Vec<Case>> = groups.iter().map(|choices| self.case(node, choices)).collect();
        Some(Cause::EachVersion { subject: subject(self.world, node, &asks), asks, cases: cases? })
    }

    fn case(&self, node: Node, choices: &BTreeSet<u32>) -> Option<Case> {
        let package = self.world.package(node)?;
        let stated = choices.iter().map(|choice| package.candidates[*choice as usize].summary.version.as_ref());
        let cause = Story { focus: Some((node, choices)), ..*self }.direct()?;
        Some(Case { versions: versions(stated), cause })
    }

    /// The choices of a node in groups that fail for one reason, from new to old; `None` if one of them does not fail.
    fn cases(&self, node: Node, choices: &BTreeSet<u32>) -> Option<Vec<BTreeSet<u32>>> {
        let mut groups: Vec<(Node, BTreeSet<u32>)> = Vec::new();
        for &choice in choices.iter().rev() {
            let alone = BTreeSet::from([choice]);
            let emptied = Story { focus: Some((node, &alone)), ..*self }.spread().1?;
            let group = groups.last_mut().filter(|(last, _)| *last == emptied).and_then(|(_, group)| {
                let more: BTreeSet<u32> = group.union(&alone).copied().collect();
                let still = Story { focus: Some((node, &more)), ..*self }.spread().1 == Some(emptied);
                still.then(|| *group = more)
            });
            if group.is_none() {
                groups.push((emptied, alone));
            }
        }
        Some(groups.into_iter().map(|(_, group)| group).collect())
    }

    /// Everything that takes part, from the project downwards.
    fn together(&self) -> Cause {
        let (remaining, _) = self.spread();
        let distances = distances(self.world, self.facts);
        let mut nodes: Vec<Node> = distances.keys().copied().filter(|node| !matches!(node, Node::Alias(_))).collect();
        nodes.sort_by_key(|node| (distances[node], *node));
        let mut asks: Vec<Ask> = Vec::new();
        for from in nodes {
            let choices = remaining.get(&from).cloned().unwrap_or_else(|| self.open(from));
            for &to in self.map.children.get(&from).into_iter().flatten() {
                for ask in self.asks_by_choice(from, &choices, to) {
                    if !asks.contains(&ask) {
                        asks.push(ask);
                    }
                }
            }
        }
        let more = asks.len().saturating_sub(LIST_MAX);
        asks.truncate(LIST_MAX);
        Cause::Together { asks, more }
    }

    /// What the choices of `from` ask of `to`, those that ask the same together.
    fn asks_by_choice(&self, from: Node, choices: &BTreeSet<u32>, to: Node) -> Vec<Ask> {
        if from == Node::Root {
            return self.edges(from, 0, to).map(line).collect();
        }
        let mut wanted: Vec<(Dependency, BTreeSet<u32>)> = Vec::new();
        for &choice in choices.iter().rev() {
            for edge in self.edges(from, choice, to) {
                match wanted.iter_mut().find(|(want, _)| want == edge.dependency) {
                    Some((_, choices)) => drop(choices.insert(choice)),
                    None => wanted.push((edge.dependency.clone(), BTreeSet::from([choice]))),
                }
            }
        }
        wanted.into_iter().map(|(want, by)| ask(self.asker(from, &by), vec![want], Vec::new())).collect()
    }
}

fn root(edge: &Edge<'_>) -> Root {
    Root { dependency: edge.dependency.clone(), member: edge.member.cloned() }
}

/// A line of the project or of a member.
fn line(edge: &Edge<'_>) -> Ask {
    let asker = edge.member.map_or(Asker::Project, |member| Asker::Member(member.clone()));
    ask(asker, vec![edge.dependency.clone()], Vec::new())
}

fn ask(asker: Asker, wants: Vec<Dependency>, because: Vec<Ask>) -> Ask {
    Ask { asker, wants, because }
}

/// How a package is spoken of: as its newest candidate is named, else as it is asked for.
fn subject(world: &World<'_>, node: Node, asks: &[Ask]) -> Subject {
    let package = world.package(node);
    let newest = package.and_then(|package| package.candidates.iter().rfind(|candidate| !candidate.is_patch()));
    if let Some(Candidate { summary, .. }) = newest {
        return Subject { name: summary.name.clone(), source: summary.source.clone() };
    }
    let want = asks.iter().flat_map(|ask| &ask.wants).next().expect("a package without candidates is asked for");
    Subject { name: want.package.clone(), source: want.source.clone() }
}

fn versions<'v>(versions: impl Iterator<Item = Option<&'v Version>>) -> Vec<Version> {
    versions.flatten().cloned().collect()
}

/// Whether a source names one thing, and not a choice of versions.
fn is_one_place(source: &SourceId) -> bool {
    !matches!(source, SourceId::Registry(_) | SourceId::Git { reference: GitReference::Versions, .. })
}

/// Whether each ask is met by one of the things it wants.
fn all(asks: &[Ask], is_met_by: impl Fn(&Dependency) -> bool) -> bool {
    asks.iter().all(|ask| ask.wants.iter().any(&is_met_by))
}

/// The candidates that a dependency could mean, whatever their version.
fn offered<'p, 'a>(package: &'p Package<'a>, want: &Dependency) -> impl DoubleEndedIterator<Item = &'p Candidate<'a>> {
    package.candidates.iter().filter(|candidate| is_offered(want, candidate.summary))
}

fn is_free(candidate: &Candidate<'_>) -> bool {
    !candidate.yanked && candidate.barred.is_none()
}

/// The newest release that all could mean.
fn newest(package: &Package<'_>, asks: &[Ask]) -> Option<Version> {
    let free = package.candidates.iter().filter(|candidate| is_free(candidate));
    let meant = free.filter(|candidate| all(asks, |want| candidate.is_meant_by(want)));
    let is_release = |summary: &&Summary| summary.version.as_ref().is_some_and(|version| version.pre.is_empty());
    meant.map(|candidate| candidate.summary).rfind(is_release)?.version.clone()
}

/// The newest pre-release that all would take if it were none.
fn pre_release(package: &Package<'_>, asks: &[Ask]) -> Option<Version> {
    let mut free = package.candidates.iter().filter(|candidate| is_free(candidate));
    free.rfind(|candidate| all(asks, |want| almost_takes(want, candidate)))?.summary.version.clone()
}

/// Whether it takes the candidate, or would if its version were not a pre-release.
fn almost_takes(want: &Dependency, candidate: &Candidate<'_>) -> bool {
    let version = candidate.summary.version.as_ref().filter(|version| !version.pre.is_empty());
    let Some(version) = version else { return false };
    let released = Version { pre: Prerelease::EMPTY, ..version.clone() };
    candidate.is_taken_by(want) || (candidate.is_meant_by(want) && want.req.matches(&released))
}
