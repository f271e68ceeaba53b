//! The input as numbers: packages, the indexes of their versions, and which of them each dependency takes.
//!
//! A package's candidates are sorted from old to new, and a dependency is the set of indexes it takes, found by asking
//! each candidate. So no requirement is ever translated into ranges of versions, and there is no difference to
//! [`VersionReq::matches`](semver::VersionReq::matches) anywhere.
//!
//! A name under which two packages want to be installed is a node as well. Its "versions" are those packages, and
//! whoever asks for one of them under that name asks the node for that version; so the search treats the clash of
//! two packages as it does the clash of two versions.

use std::cell::{OnceCell, RefCell};
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::rc::Rc;

use pubgrub::{Map, VersionSet as _};
use semver::VersionReq;

use super::candidates::{Barred, Candidates, Offer, Pins, is_unplaced};
use super::choices::ChoiceSet;
use super::root::{Member, Root};
use crate::package::{
    Dependency, GitReference, GitUrl, PackageId, PackageName, Patch, RelPath, SiteUrl, SkillName, SourceId, Summary,
};

/// Something that at most one choice is made for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Node {
    /// The project; its only choice is 0.
    Root,
    /// A package; its choices are its candidates.
    Package(u32),
    /// A contested name; its choices are the packages that want it.
    Alias(u32),
}

impl fmt::Display for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self:?}")
    }
}

/// The whole input, prepared. What a candidate needs is worked out when it is first asked for, since most are never
/// looked at.
pub(super) struct World<'a> {
    /// What the project needs.
    pub(super) root: Needs<'a>,
    /// Every package that anything needs.
    pub(super) packages: Vec<Package<'a>>,
    /// Every name that two packages want.
    pub(super) aliases: Vec<Alias<'a>>,
    directory: Directory<'a>,
    /// What to ask for besides a package if it is asked for under a contested name.
    claims: Map<(&'a SkillName, Node), (Node, Set)>,
    /// The sets of candidates that dependencies take, each worked out once.
    sets: RefCell<Map<Shape<'a>, Set>>,
}

/// A set of choices of one node.
type Set = Rc<ChoiceSet>;

/// What decides which candidates of a package a dependency takes.
type Shape<'a> = (Place<'a>, Selector<'a>, &'a PackageName, Option<&'a GitReference>, &'a VersionReq);

/// A package and its candidates, from old to new.
#[derive(Default)]
pub(super) struct Package<'a> {
    pub(super) candidates: Vec<Candidate<'a>>,
    /// What is chosen before anything else, the first that fits: those that stand in for the package, and among them and
    /// after them the one that the lockfile has.
    pub(super) preferred: Vec<u32>,
    /// The only version allowed.
    pub(super) precise: Option<&'a PackageId>,
}

/// One candidate.
pub(super) struct Candidate<'a> {
    pub(super) summary: &'a Summary,
    /// The patches by which it stands in for packages of other places.
    pub(super) patches: Vec<&'a Patch>,
    needs: OnceCell<Needs<'a>>,
    /// Whether it was yanked and no lockfile has it.
    pub(super) yanked: bool,
    pub(super) barred: Option<&'a Barred>,
    /// Whether `--precise` asks for another one.
    pub(super) ruled_out: bool,
}

/// What somebody needs.
#[derive(Default)]
pub(super) struct Needs<'a> {
    /// Sorted by node.
    pub(super) edges: Vec<Edge<'a>>,
    /// Optional dependencies that nothing is offered for.
    pub(super) missing: Vec<&'a Dependency>,
}

/// One dependency, as a set of choices of the node it is on.
pub(super) struct Edge<'a> {
    pub(super) to: Node,
    pub(super) dependency: &'a Dependency,
    /// The member of the workspace whose line it is.
    pub(super) member: Option<&'a Member>,
    pub(super) set: Set,
}

/// A contested name.
pub(super) struct Alias<'a> {
    pub(super) name: &'a SkillName,
    holders: usize,
}

impl<'a> World<'a> {
    pub(super) fn new(roots: &'a [Root], pins: &'a Pins, candidates: &'a Candidates) -> Self {
        let directory = Directory::new(roots, candidates);
        let mut world = World {
            root: Needs::default(),
            packages: packages(&directory, pins, candidates),
            aliases: Vec::new(),
            directory,
            claims: Map::default(),
            sets: RefCell::default(),
        };
        world.contest();
        world.root = world.connect(roots.iter().map(|root| (&root.dependency, root.member.as_ref())));
        world
    }

    /// Everything that a choice needs.
    pub(super) fn needs(&self, node: Node, choice: u32) -> &[Edge<'a>] {
        match node {
            Node::Root => &self.root.edges,
            Node::Package(package) => {
                &self.needs_of(&self.packages[package as usize].candidates[choice as usize]).edges
            }
            Node::Alias(_) => &[],
        }
    }

    /// Everything that a candidate needs, and what it would like.
    pub(super) fn needs_of<'w>(&'w self, candidate: &'w Candidate<'a>) -> &'w Needs<'a> {
        candidate
            .needs
            .get_or_init(|| self.connect(dependencies(candidate.summary).map(|dependency| (dependency, None))))
    }

    /// How many choices a node has.
    pub(super) fn choices(&self, node: Node) -> u32 {
        match node {
            Node::Root => 1,
            Node::Package(package) => number(self.packages[package as usize].candidates.len()),
            Node::Alias(alias) => number(self.aliases[alias as usize].holders),
        }
    }

    /// The package of a node; `None` for the project and for names.
    pub(super) fn package(&self, node: Node) -> Option<&Package<'a>> {
        match node {
            Node::Package(package) => Some(&self.packages[package as usize]),
            Node::Root | Node::Alias(_) => None,
        }
    }

    /// How many candidates there are to choose from, of all packages together.
    pub(super) fn size(&self) -> u64 {
        let candidates: usize = self.packages.iter().map(|package| package.candidates.len()).sum();
        (candidates + self.packages.len() + self.aliases.len()) as u64
    }

    /// The line of the project that has the most versions to choose from, and how many those are.
    pub(super) fn widest_line(&self) -> Option<(Root, usize)> {
        let widths = self.root.edges.iter().map(|edge| {
            let all = ChoiceSet::below(self.choices(edge.to));
            (edge, all.count_common(&edge.set))
        });
        let (edge, width) = widths.rev().max_by_key(|(_, width)| *width).filter(|(_, width)| *width > 1)?;
        Some((Root { dependency: edge.dependency.clone(), member: edge.member.cloned() }, width))
    }

    /// Makes a node of every name that two packages want.
    fn contest(&mut self) {
        for (alias, (name, holders)) in (0..).zip(self.directory.contested()) {
            self.aliases.push(Alias { name, holders: holders.len() });
            for (choice, holder) in (0_u32..).zip(holders) {
                let only = Rc::new(ChoiceSet::singleton(choice));
                self.claims.insert((name, Node::Package(holder)), (Node::Alias(alias), only));
            }
        }
    }

    /// Finds for each dependency the package it is on and the candidates it takes.
    fn connect(&self, dependencies: impl Iterator<Item = (&'a Dependency, Option<&'a Member>)>) -> Needs<'a> {
        let mut needs = Needs::default();
        for (dependency, member) in dependencies {
            let package = self.directory.of_dependency(dependency);
            let candidates = &self.packages[package as usize].candidates;
            if dependency.optional && candidates.iter().all(|candidate| candidate.barred.is_some()) {
                needs.missing.push(dependency);
                continue;
            }
            let to = Node::Package(package);
            needs.edges.push(Edge { to, dependency, member, set: self.set(package, dependency) });
            if let Some((to, set)) = self.claims.get(&(&dependency.alias, to)) {
                needs.edges.push(Edge { to: *to, dependency, member, set: Rc::clone(set) });
            }
        }
        needs.edges.sort_by(|a, b| {
            let same_node = || order(a.dependency, b.dependency).then_with(|| a.member.cmp(&b.member));
            a.to.cmp(&b.to).then_with(same_node)
        });
        needs.missing.sort_by(|a, b| order(a, b));
        needs
    }

    /// The candidates of a package that a dependency takes.
    fn set(&self, package: u32, dependency: &'a Dependency) -> Set {
        let reference = match &dependency.source {
            SourceId::Git { reference, .. } => Some(reference),
            _ => None,
        };
        let place = Place::from(&dependency.source);
        let shape = (place, Selector::from(dependency), &dependency.package, reference, &dependency.req);
        let mut sets = self.sets.borrow_mut();
        let set = sets.entry(shape).or_insert_with(|| {
            let candidates = (0..).zip(&self.packages[package as usize].candidates);
            let taken = candidates.filter(|(_, candidate)| candidate.is_taken_by(dependency));
            Rc::new(taken.map(|(at, _)| at).collect())
        });
        Rc::clone(set)
    }
}

/// The dependencies of a candidate that bind those who depend on it.
fn dependencies(summary: &Summary) -> impl Iterator<Item = &Dependency> {
    summary.dependencies.iter().flatten().filter(|dependency| !dependency.dev)
}

/// A length or a position as a number of this module's kind.
fn number(length: usize) -> u32 {
    u32::try_from(length).expect("fewer than 2^32 candidates fit in memory")
}

fn packages<'a>(directory: &Directory<'a>, pins: &'a Pins, candidates: &'a Candidates) -> Vec<Package<'a>> {
    let mut packages: Vec<Package<'a>> = Vec::new();
    packages.resize_with(directory.packages as usize, Package::default);
    for offer in candidates.offers() {
        let Some(package) = directory.of_summary(&offer.summary) else { continue };
        packages[package as usize].candidates.push(candidate(offer, directory, pins));
    }
    for package in &mut packages {
        package.candidates.sort_by(|a, b| from_old_to_new(a.summary).cmp(&from_old_to_new(b.summary)));
        package.preferred = preferred(&package.candidates, pins);
        let precise = package.candidates.iter().find_map(|candidate| pins.precise(candidate.summary));
        package.precise = precise.map(|(id, _)| id);
        for candidate in package.candidates.iter_mut().filter(|_| precise.is_some()) {
            // What stands in for a package is another candidate of it: one precise version of either rules out the rest.
            candidate.ruled_out = pins.precise(candidate.summary).is_none_or(|(_, is_it)| !is_it);
        }
    }
    packages
}

fn preferred(candidates: &[Candidate<'_>], pins: &Pins) -> Vec<u32> {
    let pin = candidates.iter().rposition(|candidate| pins.keeps(candidate.summary));
    let patched = (0..candidates.len()).rev().filter(|&at| !candidates[at].patches.is_empty());
    let mut preferred: Vec<usize> = patched.chain(pin).collect();
    // Of those that stand in, the locked one first. The sort is stable, so that the others stay from new to old.
    preferred.sort_by_key(|&at| (candidates[at].patches.is_empty(), Some(at) != pin));
    preferred.dedup();
    preferred.into_iter().map(number).collect()
}

fn candidate<'a>(offer: &'a Offer, directory: &Directory<'a>, pins: &Pins) -> Candidate<'a> {
    let summary = &offer.summary;
    Candidate {
        summary,
        patches: directory.patches.iter().copied().filter(|patch| takes(&patch.by, summary)).collect(),
        needs: OnceCell::new(),
        yanked: summary.yanked && !pins.keeps(summary),
        barred: offer.barred.as_ref(),
        ruled_out: false,
    }
}

impl Candidate<'_> {
    /// Whether a dependency takes it: as what it asks for, or in the place of that.
    pub(super) fn is_taken_by(&self, dependency: &Dependency) -> bool {
        takes(dependency, self.summary)
            || (self.replaces(dependency).is_some() && fits_in_place(dependency, self.summary))
    }

    /// Whether it is what a dependency asks for, or stands in for that, but for its version.
    pub(super) fn is_meant_by(&self, dependency: &Dependency) -> bool {
        is_offered(dependency, self.summary) || self.replaces(dependency).is_some()
    }

    /// The patch by which it stands in for what a dependency asks for.
    pub(super) fn replaces(&self, dependency: &Dependency) -> Option<&Patch> {
        self.patches.iter().copied().find(|patch| patch.is_for(dependency))
    }

    /// Whether it stands in for a package of another place.
    pub(super) fn is_patch(&self) -> bool {
        !self.patches.is_empty()
    }
}

/// The order of candidates: by version, then a tag of the skill's own before one of the whole repository.
fn from_old_to_new(summary: &Summary) -> impl Ord + '_ {
    let own_tag = match &summary.source {
        SourceId::Git { reference: GitReference::Tag(tag), .. } => tag.starts_with(summary.name.skill().as_str()),
        _ => false,
    };
    (&summary.version, own_tag, &summary.source, &summary.name, &summary.subdir)
}

/// A place, whatever the reference.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Place<'a> {
    Registry(&'a str),
    Git(&'a GitUrl),
    Path(&'a str),
    Archive(&'a str),
    WellKnown(&'a SiteUrl),
}

impl<'a> From<&'a SourceId> for Place<'a> {
    fn from(source: &'a SourceId) -> Self {
        match source {
            SourceId::Registry(index) => Place::Registry(index),
            SourceId::Git { url, .. } => Place::Git(url),
            SourceId::Path(path) => Place::Path(path),
            SourceId::Archive(place) => Place::Archive(place),
            SourceId::WellKnown(site) => Place::WellKnown(site),
        }
    }
}

/// How a dependency says which skill of a place it means.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Selector<'a> {
    Name(&'a PackageName),
    Directory(&'a RelPath),
}

impl<'a> From<&'a Dependency> for Selector<'a> {
    fn from(dependency: &'a Dependency) -> Self {
        match &dependency.subdir {
            Some(subdir) => Selector::Directory(subdir),
            None => Selector::Name(&dependency.package),
        }
    }
}

/// Which package each selector in use means: selectors that one candidate answers to mean one package.
struct Directory<'a> {
    selectors: Selectors<'a>,
    /// The package of each selector, by the selector's number.
    package_of: Vec<u32>,
    packages: u32,
    /// The name that is asked for by each selector first, by the selector's number.
    usual: Vec<&'a SkillName>,
    /// The other names that are asked for, which are few, with the selector's number.
    unusual: Vec<(u32, &'a SkillName)>,
    /// The patches for which anybody asks.
    patches: Vec<&'a Patch>,
}

/// Everything that anybody asks for.
fn asked<'a>(roots: &'a [Root], candidates: &'a Candidates) -> impl Iterator<Item = &'a Dependency> {
    roots.iter().map(|root| &root.dependency).chain(candidates.iter().flat_map(dependencies))
}

/// The selectors in use, numbered.
type Selectors<'a> = Map<(Place<'a>, Selector<'a>), u32>;

impl<'a> Directory<'a> {
    fn new(roots: &'a [Root], candidates: &'a Candidates) -> Self {
        let mut selectors = Selectors::default();
        let (mut usual, mut unusual) = (Vec::new(), Vec::new());
        let mut stands_for: BTreeMap<usize, Vec<(u32, &'a SkillName)>> = BTreeMap::new();
        for dependency in asked(roots, candidates) {
            let next = number(selectors.len());
            let selector =
                *selectors.entry((Place::from(&dependency.source), Selector::from(dependency))).or_insert(next);
            if selector == next {
                usual.push(&dependency.alias);
            } else if *usual[selector as usize] != dependency.alias {
                unusual.push((selector, &dependency.alias));
            }
            for (at, _) in candidates.patches().iter().enumerate().filter(|(_, patch)| patch.is_for(dependency)) {
                stands_for.entry(at).or_default().push((selector, &dependency.alias));
            }
        }
        let mut joined = Vec::new();
        for (at, replaced) in &stands_for {
            let by = &candidates.patches()[*at].by;
            let next = number(selectors.len());
            let selector = *selectors.entry((Place::from(&by.source), Selector::from(by))).or_insert(next);
            if selector == next {
                usual.push(replaced[0].1);
            }
            joined.extend(replaced.iter().map(|(other, _)| (selector, *other)));
        }
        let patches: Vec<&Patch> = stands_for.keys().map(|&at| &candidates.patches()[at]).collect();
        let mut groups = Groups((0..number(selectors.len())).collect());
        joined.into_iter().for_each(|(selector, other)| groups.join(selector, other));
        for summary in candidates.iter() {
            let [name, directory] = answers(&selectors, summary);
            if let (Some(name), Some(directory)) = (name, directory) {
                groups.join(name, directory);
            }
        }
        let meant = asked(roots, candidates).chain(patches.iter().map(|patch| &patch.by));
        join_unplaced(&mut groups, &selectors, meant, candidates);
        // Packages are numbered in the order of their selectors, not of their arrival.
        let mut sorted: Vec<_> = selectors.iter().collect();
        sorted.sort_unstable();
        let mut numbers: Map<u32, u32> = Map::default();
        let mut package_of = vec![0; sorted.len()];
        for (_, &selector) in sorted {
            let next = number(numbers.len());
            package_of[selector as usize] = *numbers.entry(groups.of(selector)).or_insert(next);
        }
        Directory { selectors, package_of, packages: number(numbers.len()), usual, unusual, patches }
    }

    /// The names that two packages want, with those packages.
    fn contested(&self) -> BTreeMap<&'a SkillName, BTreeSet<u32>> {
        let mut wanted: BTreeMap<&'a SkillName, BTreeSet<u32>> = BTreeMap::new();
        let usual = (0..).zip(self.usual.iter().copied());
        for (selector, alias) in usual.chain(self.unusual.iter().copied()) {
            wanted.entry(alias).or_default().insert(self.package_of[selector as usize]);
        }
        wanted.retain(|_, packages| packages.len() > 1);
        wanted
    }

    fn of_dependency(&self, dependency: &'a Dependency) -> u32 {
        self.package_of[self.selectors[&(Place::from(&dependency.source), Selector::from(dependency))] as usize]
    }

    /// The package of a candidate; `None` if nobody asks for it.
    fn of_summary(&self, summary: &'a Summary) -> Option<u32> {
        let selector = answers(&self.selectors, summary).into_iter().flatten().next()?;
        Some(self.package_of[selector as usize])
    }
}

/// The selectors in use that a candidate answers to.
fn answers<'a>(selectors: &Selectors<'a>, summary: &'a Summary) -> [Option<u32>; 2] {
    let place = Place::from(&summary.source);
    let directory = summary.subdir.as_ref().and_then(|subdir| selectors.get(&(place, Selector::Directory(subdir))));
    [selectors.get(&(place, Selector::Name(&summary.name))).copied(), directory.copied()]
}

/// Joins a directory with the name that is looked for in it, while there are candidates of that name that may turn out
/// to be there when they are read.
fn join_unplaced<'a>(
    groups: &mut Groups,
    selectors: &Selectors<'a>,
    asked: impl Iterator<Item = &'a Dependency>,
    candidates: &'a Candidates,
) {
    let unplaced: BTreeSet<_> = candidates
        .iter()
        .filter(|summary| is_unplaced(summary))
        .map(|summary| (Place::from(&summary.source), &summary.name))
        .collect();
    if unplaced.is_empty() {
        return;
    }
    for dependency in asked {
        let place = Place::from(&dependency.source);
        let name = selectors.get(&(place, Selector::Name(&dependency.package)));
        if let Some(&name) = name.filter(|_| unplaced.contains(&(place, &dependency.package))) {
            groups.join(name, selectors[&(place, Selector::from(dependency))]);
        }
    }
}

/// Disjoint sets: each index points to another of its group, the first of a group to itself.
struct Groups(Vec<u32>);

impl Groups {
    fn of(&mut self, mut index: u32) -> u32 {
        while self.0[index as usize] != index {
            let next = self.0[index as usize];
            self.0[index as usize] = self.0[next as usize];
            index = next;
        }
        index
    }

    fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.of(a), self.of(b));
        self.0[a.max(b) as usize] = a.min(b);
    }
}

/// An order of dependencies, so that the one they are declared in does not matter.
fn order(a: &Dependency, b: &Dependency) -> Ordering {
    let key = |dependency: &Dependency| (dependency.req.to_string(), dependency.dev, dependency.optional);
    let names = (&a.alias, &a.package, &a.source, &a.subdir).cmp(&(&b.alias, &b.package, &b.source, &b.subdir));
    names.then_with(|| key(a).cmp(&key(b)))
}

/// Whether a candidate is one that the dependency asks for.
pub(super) fn takes(dependency: &Dependency, summary: &Summary) -> bool {
    is_offered(dependency, summary) && fits(dependency, summary)
}

/// Whether a candidate is one that the dependency asks for, but for its version.
pub(super) fn is_offered(dependency: &Dependency, summary: &Summary) -> bool {
    dependency.source.same_place(&summary.source) && is_meant(dependency, summary) && is_at(&dependency.source, summary)
}

/// Whether it is the skill that is asked for. An unread candidate may turn out to be in the directory wanted.
fn is_meant(dependency: &Dependency, summary: &Summary) -> bool {
    match &dependency.subdir {
        Some(subdir) if !is_unplaced(summary) => summary.subdir.as_ref() == Some(subdir),
        _ => summary.name == dependency.package,
    }
}

/// Whether it is at the reference that is asked for.
fn is_at(source: &SourceId, summary: &Summary) -> bool {
    match (source, &summary.source) {
        (SourceId::Git { reference: GitReference::Versions, .. }, SourceId::Git { reference, .. }) => {
            matches!(reference, GitReference::Tag(tag) if summary.version.as_ref().is_some_and(|v| spells(tag, v)))
        }
        (SourceId::Git { reference: wanted, .. }, SourceId::Git { reference, .. }) => wanted == reference,
        _ => true,
    }
}

/// Whether its version fits. A reference says already which commit is meant, so that the requirement beside one only
/// checks a version that is stated; everywhere else, what states no version fits `*` and nothing else.
fn fits(dependency: &Dependency, summary: &Summary) -> bool {
    let is_explicit =
        !matches!(dependency.source, SourceId::Registry(_) | SourceId::Git { reference: GitReference::Versions, .. });
    match &summary.version {
        Some(version) => dependency.req.matches(version) || (is_explicit && dependency.req == VersionReq::STAR),
        None => dependency.req == VersionReq::STAR || matches!(dependency.source, SourceId::Git { .. }),
    }
}

/// Whether the version of what stands in for a package fits. Somebody put it there by hand, so that one that states no
/// version stands in for whichever is asked for; a stated one has to fit.
pub(super) fn fits_in_place(dependency: &Dependency, summary: &Summary) -> bool {
    let Some(version) = &summary.version else { return true };
    dependency.req == VersionReq::STAR || dependency.req.matches(version)
}

/// Whether a tag is a version tag of that version (`v1.2.3`, `1.2.3`, `NAME-v1.2.3`, `NAME@1.2.3`, …), as opposed to
/// some other tag at which the skill states a version.
fn spells(tag: &str, version: &semver::Version) -> bool {
    let Some(prefix) = tag.strip_suffix(&version.to_string()) else { return false };
    prefix.is_empty() || prefix == "v" || prefix.ends_with(['-', '@', '/']) || ends_in_v(prefix)
}

fn ends_in_v(prefix: &str) -> bool {
    ["-v", "@v", "/v"].iter().any(|end| prefix.ends_with(end))
}
