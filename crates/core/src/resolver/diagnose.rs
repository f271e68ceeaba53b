//! Finds the cause of a conflict in the minimal facts of a failed search.
//!
//! Most failures are direct: following the requirements from the project down, one package is left without candidates,
//! and the cause is the requirements on it with the chains that lead to them. Otherwise each version of some package may
//! fail directly. For any other failure all requirements that take part are listed.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use pubgrub::VersionSet as _;
use semver::{Prerelease, Version};

use super::choices::ChoiceSet;
use super::conflict::{
    CandidateHints, Conflict, ConflictCause, ConflictRequester, ConflictRequirement,
    ConflictSubject, VersionFailure,
};
use super::dependency_graph::{
    DependencyGraph, GraphCandidate, GraphEdge, GraphNode, GraphPackage,
};
use super::facts::distances_from_root;
use super::matching::is_offered;
use super::root::RootDependency;
use super::solve::{ConflictFact, is_open};
use crate::package::{PackageDependency, PackageSummary};

/// A package is explained version by version only if it has at most this many, and the conflict at most so many facts.
// Each version is followed through all facts, and each is a paragraph that a person reads.
const CASES_MAX: usize = 64;
const FACTS_MAX: usize = 200;

/// The longest chain that is shown, and the longest list of requirements.
const CHAIN_MAX: usize = 16;
const LIST_MAX: usize = 30;

/// Explains why `facts`, which must be minimal, are unsatisfiable.
pub(super) fn explain_facts(
    graph: &DependencyGraph<'_>,
    facts: &BTreeSet<ConflictFact>,
) -> Conflict {
    let map = FactGraph::new(graph, facts);
    let explainer = ConflictExplainer {
        graph,
        facts,
        map: &map,
        focus: None,
    };

    // From the shortest explanation to the longest; the last one is always possible.
    let cause = explainer
        .find_direct_cause()
        .or_else(|| explainer.find_version_failures())
        .unwrap_or_else(|| explainer.list_requirements());

    let line = |fact: &ConflictFact| match fact {
        ConflictFact::Line(line) => Some(root_dependency(&graph.root.edges[*line as usize])),
        _ => None,
    };
    let mut lines: Vec<RootDependency> = facts.iter().filter_map(line).collect();

    // By name, as people find them in the manifest. A contested name gives two edges of one line.
    lines.sort_by(|a, b| (&a.dependency.alias, &a.member).cmp(&(&b.dependency.alias, &b.member)));
    lines.dedup();

    Conflict {
        lines,
        ..Conflict::new(cause)
    }
}

/// A graph with minimal unsatisfiable facts; `focus` narrows one package to some of its versions.
#[derive(Clone, Copy)]
struct ConflictExplainer<'s, 'a> {
    graph: &'s DependencyGraph<'a>,
    facts: &'s BTreeSet<ConflictFact>,
    map: &'s FactGraph,
    focus: Option<(GraphNode, &'s BTreeSet<u32>)>,
}

/// Which nodes may need which, by the facts.
#[derive(Default)]
struct FactGraph {
    children: BTreeMap<GraphNode, BTreeSet<GraphNode>>,
    parents: BTreeMap<GraphNode, BTreeSet<GraphNode>>,
}

impl FactGraph {
    fn new(graph: &DependencyGraph<'_>, facts: &BTreeSet<ConflictFact>) -> Self {
        let mut map = FactGraph::default();
        // Both directions: causes are found downwards, and chains are followed upwards.
        for fact in facts {
            let (from, to) = match *fact {
                ConflictFact::Line(line) => (GraphNode::Root, graph.root.edges[line as usize].to),
                ConflictFact::Needs(from, to) => (from, to),
                // These are about one node, and lead to no other.
                ConflictFact::Yanked(_)
                | ConflictFact::Unavailable(_)
                | ConflictFact::Precise(_) => continue,
            };

            map.children.entry(from).or_default().insert(to);
            map.parents.entry(to).or_default().insert(from);
        }
        map
    }
}

/// The choices that remain for each node that is certainly needed.
type RemainingChoices = BTreeMap<GraphNode, BTreeSet<u32>>;

impl<'a> ConflictExplainer<'_, 'a> {
    /// The cause, if the requirements on one node leave it no choice.
    fn find_direct_cause(&self) -> Option<ConflictCause> {
        let (remaining, emptied) = self.propagate();
        Some(self.direct_cause(emptied?, &remaining))
    }

    /// Follows all requirements from the project down, until nothing changes or a node has no choice left.
    fn propagate(&self) -> (RemainingChoices, Option<GraphNode>) {
        let mut remaining = RemainingChoices::from([(GraphNode::Root, BTreeSet::from([0]))]);
        let mut queue = VecDeque::from([GraphNode::Root]);

        while let Some(from) = queue.pop_front() {
            for &to in self.map.children.get(&from).into_iter().flatten() {
                let Some(admitted) = self.admitted_choices(from, to, &remaining) else {
                    continue;
                };

                let before = remaining
                    .get(&to)
                    .cloned()
                    .unwrap_or_else(|| self.open_choices(to));
                let after: BTreeSet<u32> = before.intersection(&admitted).copied().collect();

                if after.is_empty() {
                    return (remaining, Some(to));
                }
                // It has fewer choices than before, so what it needs may be narrowed further.
                if remaining.get(&to) != Some(&after) {
                    remaining.insert(to, after);
                    queue.push_back(to);
                }
            }
        }

        (remaining, None)
    }

    /// The choices of `to` that some remaining choice of `from` admits; `None` if one does not need it at all.
    fn admitted_choices(
        &self,
        from: GraphNode,
        to: GraphNode,
        remaining: &RemainingChoices,
    ) -> Option<BTreeSet<u32>> {
        let mut admitted = ChoiceSet::empty();
        for &choice in remaining.get(&from)? {
            let mut edges = self.edges_in_facts(from, choice, to).peekable();
            // A choice that does not need `to` leaves it free.
            edges.peek()?;

            // A package that depends on itself admits only the choice itself, or none.
            let all = if from == to {
                ChoiceSet::singleton(choice)
            } else {
                ChoiceSet::full()
            };
            admitted = admitted.union(&edges.fold(all, |set, edge| set.intersection(&edge.set)));
        }

        Some(
            (0..self.graph.choice_count(to))
                .filter(|at| admitted.has(*at))
                .collect(),
        )
    }

    fn edges_in_facts(
        &self,
        from: GraphNode,
        choice: u32,
        to: GraphNode,
    ) -> impl Iterator<Item = &GraphEdge<'a>> {
        let edges = (0..).zip(self.graph.edges_of(from, choice));
        let is_in_facts = move |line| match from {
            GraphNode::Root => self.facts.contains(&ConflictFact::Line(line)),
            _ => self.facts.contains(&ConflictFact::Needs(from, to)),
        };

        edges
            .filter(move |(line, edge)| edge.to == to && is_in_facts(*line))
            .map(|(_, edge)| edge)
    }

    /// The choices of a node that are not excluded, within the focus.
    fn open_choices(&self, node: GraphNode) -> BTreeSet<u32> {
        let is_open = |choice: &u32| match self.focus {
            Some((focus, choices)) if focus == node => choices.contains(choice),
            // Only by facts that take part: an exclusion that does not matter must not be reported.
            _ => is_open(self.graph, node, *choice, |fact| self.facts.contains(&fact)),
        };
        (0..self.graph.choice_count(node)).filter(is_open).collect()
    }

    /// The cause for a node that has no choice left.
    fn direct_cause(&self, emptied: GraphNode, remaining: &RemainingChoices) -> ConflictCause {
        let requirements = self.requirements_on(emptied, remaining);

        match emptied {
            GraphNode::Alias(alias) => ConflictCause::NameClash {
                alias: self.graph.aliases[alias as usize].name.clone(),
                requirements,
            },
            // No candidates: the name is wrong, or the source does not have it.
            _ if self.graph.choice_count(emptied) == 0 => ConflictCause::Unknown {
                subject: conflict_subject(self.graph, emptied, &requirements),
                requirements,
            },
            _ => {
                let hints = Box::new(self.collect_hints(emptied, &requirements));
                ConflictCause::NothingFits {
                    subject: conflict_subject(self.graph, emptied, &requirements),
                    requirements,
                    hints,
                }
            }
        }
    }

    /// The requirements on a node with the chains that lead to them, each pair of nodes once.
    fn requirements_on(
        &self,
        node: GraphNode,
        remaining: &RemainingChoices,
    ) -> Vec<ConflictRequirement> {
        self.requirement_chains(node, remaining, &mut BTreeSet::new(), CHAIN_MAX)
    }

    fn requirement_chains(
        &self,
        node: GraphNode,
        remaining: &RemainingChoices,
        seen: &mut BTreeSet<(GraphNode, GraphNode)>,
        length: usize,
    ) -> Vec<ConflictRequirement> {
        // Too long to read: the chain ends at the project.
        if length == 0 {
            return self.cut_chain();
        }

        let mut requirements = Vec::new();
        for &from in self.map.parents.get(&node).into_iter().flatten() {
            let Some(choices) = remaining.get(&from) else {
                continue;
            };
            // Each pair is explained once, also where several chains lead through it.
            if self.admitted_choices(from, node, remaining).is_none() || !seen.insert((from, node))
            {
                continue;
            }

            if from == GraphNode::Root {
                requirements.extend(self.requirements_of_project(node));
                continue;
            }

            // The caller reports why the focused package is needed, once for all its versions.
            let because = if self.focus.is_some_and(|(focus, _)| focus == from) {
                Vec::new()
            } else {
                self.requirement_chains(from, remaining, seen, length - 1)
            };

            requirements.push(new_requirement(
                self.requester_of(from, choices),
                self.wanted_dependencies(from, choices, node),
                because,
            ));
        }

        requirements
    }

    /// The end of a chain that is too long to be shown: the first dependency of the project that takes part.
    fn cut_chain(&self) -> Vec<ConflictRequirement> {
        (0..)
            .zip(&self.graph.root.edges)
            .find(|(line, _)| self.facts.contains(&ConflictFact::Line(*line)))
            .map(|(_, edge)| {
                new_requirement(
                    ConflictRequester::ProjectIndirectly,
                    vec![edge.dependency.clone()],
                    Vec::new(),
                )
            })
            .into_iter()
            .collect()
    }

    /// The requirements of the project and its members on a node, one for each of their dependencies.
    fn requirements_of_project(&self, node: GraphNode) -> Vec<ConflictRequirement> {
        let mut lines: Vec<ConflictRequirement> = self
            .edges_in_facts(GraphNode::Root, 0, node)
            .map(line_requirement)
            .collect();

        // Equal edges are neighbors, since those of a node are sorted.
        lines.dedup();
        lines
    }

    /// The distinct dependencies that some choices of a node have on another.
    fn wanted_dependencies(
        &self,
        from: GraphNode,
        choices: &BTreeSet<u32>,
        to: GraphNode,
    ) -> Vec<PackageDependency> {
        let mut wants: Vec<PackageDependency> = Vec::new();
        for dependency in choices
            .iter()
            .flat_map(|choice| self.edges_in_facts(from, *choice, to))
            .map(|edge| edge.dependency)
        {
            // Versions mostly agree, and the sentence lists what they differ in.
            if !wants.contains(dependency) {
                wants.push(dependency.clone());
            }
        }

        wants
    }

    fn requester_of(&self, node: GraphNode, choices: &BTreeSet<u32>) -> ConflictRequester {
        match self.graph.package(node) {
            // A contested name has no requirements, so that this is the project.
            None => ConflictRequester::Project,
            Some(package) => {
                let summaries: Vec<_> = choices
                    .iter()
                    .map(|choice| package.candidates[*choice as usize].summary)
                    .collect();

                let name = summaries
                    .last()
                    .expect("a node that has requirements has a choice left")
                    .name
                    .clone();

                // A replacement has other dependencies than the package it replaces, so the message
                // must name it.
                let in_place: Vec<&PackageSummary> = choices
                    .iter()
                    .map(|choice| &package.candidates[*choice as usize])
                    .filter(|candidate| candidate.is_patch())
                    .map(|candidate| candidate.summary)
                    .collect();

                let stated = |all: &[&PackageSummary]| {
                    collect_versions(all.iter().map(|summary| summary.version.as_ref()))
                };
                let versions = stated(&summaries);

                match in_place.len() {
                    0 => ConflictRequester::Package(name, versions),
                    all if all == summaries.len() => ConflictRequester::Patch {
                        name,
                        versions,
                        patched: None,
                    },
                    _ => ConflictRequester::Patch {
                        name,
                        versions,
                        patched: Some(stated(&in_place)),
                    },
                }
            }
        }
    }

    /// Collects hints about a package of which no candidate meets all `requirements`.
    fn collect_hints(
        &self,
        node: GraphNode,
        requirements: &[ConflictRequirement],
    ) -> CandidateHints {
        let Some(package) = self.graph.package(node) else {
            return CandidateHints::default();
        };

        // Those that fit and were not selected are yanked or excluded; of the rest only patches are
        // a surprise.
        let (fitting, unfitting): (Vec<&GraphCandidate<'_>>, Vec<&GraphCandidate<'_>>) = package
            .candidates
            .iter()
            .partition(|candidate| all_met(requirements, |want| candidate.is_taken_by(want)));

        let mut hints = CandidateHints {
            newest: newest_release(package, requirements),
            pre_release: newest_pre_release(package, requirements),
            patches: unfitting
                .iter()
                .filter(|candidate| candidate.is_patch())
                .map(|candidate| candidate.summary.id())
                .collect(),
            ..CandidateHints::default()
        };

        // Facts are minimal: a fact that is not among them has no part in the failure.
        if self.facts.contains(&ConflictFact::Yanked(node)) {
            let yanked = fitting.iter().filter(|candidate| candidate.yanked);
            hints.yanked =
                collect_versions(yanked.map(|candidate| candidate.summary.version.as_ref()));
        }
        if self.facts.contains(&ConflictFact::Unavailable(node)) {
            let excluded = fitting.iter().filter_map(|candidate| candidate.excluded());
            hints.excluded = excluded.collect();
        }
        if self.facts.contains(&ConflictFact::Precise(node)) {
            narrow_to_precise(&mut hints, package);
        }

        read_stated_version(&mut hints, package, requirements);
        hints
    }

    /// The cause, if each version of one package fails directly.
    fn find_version_failures(&self) -> Option<ConflictCause> {
        // Each version is followed by itself, so large failures are listed instead.
        if self.facts.len() > FACTS_MAX {
            return None;
        }

        let (remaining, _) = self.propagate();
        let distances = distances_from_root(self.graph, self.facts);
        let mut packages: Vec<(GraphNode, &BTreeSet<u32>)> = remaining
            .iter()
            .filter(|(node, _)| matches!(node, GraphNode::Package(_)))
            .map(|(node, at)| (*node, at))
            .collect();

        packages.retain(|(_, choices)| choices.len() <= CASES_MAX);
        // Nearest first: `min_by_key` below takes the first of equals.
        packages.sort_by_key(|(node, _)| (distances.get(node).copied(), *node));

        // Of the packages with the fewest reasons the one nearest to the project.
        let failing = packages
            .into_iter()
            .filter_map(|(node, choices)| Some((node, self.group_failing_choices(node, choices)?)));
        let (node, groups) = failing.min_by_key(|(_, groups)| groups.len())?;

        let requirements = self.requirements_on(node, &remaining);
        // One case without an explanation would leave a gap, so then the requirements are listed
        // instead.
        let cases: Option<Vec<VersionFailure>> = groups
            .iter()
            .map(|choices| self.version_failure(node, choices))
            .collect();

        Some(ConflictCause::EachVersion {
            subject: conflict_subject(self.graph, node, &requirements),
            requirements,
            cases: cases?,
        })
    }

    fn version_failure(&self, node: GraphNode, choices: &BTreeSet<u32>) -> Option<VersionFailure> {
        let package = self.graph.package(node)?;
        let stated = choices.iter().map(|choice| {
            package.candidates[*choice as usize]
                .summary
                .version
                .as_ref()
        });

        let cause = ConflictExplainer {
            focus: Some((node, choices)),
            ..*self
        }
        .find_direct_cause()?;

        Some(VersionFailure {
            versions: collect_versions(stated),
            cause,
        })
    }

    /// The choices of a node, grouped by the reason they fail, from new to old; `None` if one of them does not fail.
    fn group_failing_choices(
        &self,
        node: GraphNode,
        choices: &BTreeSet<u32>,
    ) -> Option<Vec<BTreeSet<u32>>> {
        let mut groups: Vec<(GraphNode, BTreeSet<u32>)> = Vec::new();

        // From new to old, since people want the newest and read its reason first.
        for &choice in choices.iter().rev() {
            let alone = BTreeSet::from([choice]);
            let emptied = self.emptied_node(node, &alone)?;

            // Neighbors are one group only if the group as a whole fails at the same node.
            if let Some((last, group)) = groups.last_mut()
                && *last == emptied
            {
                let more: BTreeSet<u32> = group.union(&alone).copied().collect();
                if self.emptied_node(node, &more) == Some(emptied) {
                    *group = more;
                    continue;
                }
            }

            groups.push((emptied, alone));
        }

        Some(groups.into_iter().map(|(_, group)| group).collect())
    }

    /// The node that no choice is left for if `node` has one of `choices`; `None` if there is no such.
    fn emptied_node(&self, node: GraphNode, choices: &BTreeSet<u32>) -> Option<GraphNode> {
        let focused = ConflictExplainer {
            focus: Some((node, choices)),
            ..*self
        };
        focused.propagate().1
    }

    /// All requirements that take part, from the project downwards.
    fn list_requirements(&self) -> ConflictCause {
        let (remaining, _) = self.propagate();
        let distances = distances_from_root(self.graph, self.facts);

        let mut nodes: Vec<GraphNode> = distances
            .keys()
            .copied()
            .filter(|node| !matches!(node, GraphNode::Alias(_)))
            .collect();
        nodes.sort_by_key(|node| (distances[node], *node));

        let mut requirements: Vec<ConflictRequirement> = Vec::new();
        for from in nodes {
            // A package that is not certainly needed may have any of its choices.
            let choices = remaining
                .get(&from)
                .cloned()
                .unwrap_or_else(|| self.open_choices(from));

            for &to in self.map.children.get(&from).into_iter().flatten() {
                for requirement in self.requirements_by_choice(from, &choices, to) {
                    if !requirements.contains(&requirement) {
                        requirements.push(requirement);
                    }
                }
            }
        }

        // Those near the project come first, and these a person can change.
        let more = requirements.len().saturating_sub(LIST_MAX);
        requirements.truncate(LIST_MAX);
        ConflictCause::Incompatible { requirements, more }
    }

    /// The requirements that the choices of `from` have on `to`; choices with the same one are grouped.
    fn requirements_by_choice(
        &self,
        from: GraphNode,
        choices: &BTreeSet<u32>,
        to: GraphNode,
    ) -> Vec<ConflictRequirement> {
        if from == GraphNode::Root {
            return self
                .edges_in_facts(from, 0, to)
                .map(line_requirement)
                .collect();
        }

        let mut wanted: Vec<(PackageDependency, BTreeSet<u32>)> = Vec::new();
        for &choice in choices.iter().rev() {
            for edge in self.edges_in_facts(from, choice, to) {
                match wanted.iter_mut().find(|(want, _)| want == edge.dependency) {
                    Some((_, choices)) => drop(choices.insert(choice)),
                    None => wanted.push((edge.dependency.clone(), BTreeSet::from([choice]))),
                }
            }
        }

        wanted
            .into_iter()
            .map(|(want, by)| new_requirement(self.requester_of(from, &by), vec![want], Vec::new()))
            .collect()
    }
}

fn root_dependency(edge: &GraphEdge<'_>) -> RootDependency {
    RootDependency {
        dependency: edge.dependency.clone(),
        member: edge.member.cloned(),
    }
}

/// The requirement of a dependency of the project or of a member.
fn line_requirement(edge: &GraphEdge<'_>) -> ConflictRequirement {
    let requester = edge.member.map_or(ConflictRequester::Project, |member| {
        ConflictRequester::Member(member.clone())
    });
    new_requirement(requester, vec![edge.dependency.clone()], Vec::new())
}

fn new_requirement(
    requester: ConflictRequester,
    wants: Vec<PackageDependency>,
    because: Vec<ConflictRequirement>,
) -> ConflictRequirement {
    ConflictRequirement {
        requester,
        wants,
        because,
    }
}

/// How messages name a package: as its newest candidate is named, otherwise as the dependency names it.
fn conflict_subject(
    graph: &DependencyGraph<'_>,
    node: GraphNode,
    requirements: &[ConflictRequirement],
) -> ConflictSubject {
    let package = graph.package(node);
    // A replacement by `[patch]` may have another name than the package that is asked for.
    let newest = package.and_then(|package| {
        package
            .candidates
            .iter()
            .rfind(|candidate| !candidate.is_patch())
    });

    if let Some(GraphCandidate { summary, .. }) = newest {
        return ConflictSubject {
            name: summary.name.clone(),
            source: summary.source.clone(),
        };
    }

    let want = requirements
        .iter()
        .flat_map(|requirement| &requirement.wants)
        .next()
        .expect("a package without candidates has a requirement");
    ConflictSubject {
        name: want.package.clone(),
        source: want.source.clone(),
    }
}

fn collect_versions<'v>(versions: impl Iterator<Item = Option<&'v Version>>) -> Vec<Version> {
    versions.flatten().cloned().collect()
}

/// Adds what `--precise` allows, and drops the hints about every other version.
fn narrow_to_precise(hints: &mut CandidateHints, package: &GraphPackage<'_>) {
    let allowed: Vec<&PackageSummary> = package
        .candidates
        .iter()
        .filter(|candidate| !candidate.ruled_out)
        .map(|candidate| candidate.summary)
        .collect();

    hints.precise = package.precise.cloned();
    hints.precise_exists = !allowed.is_empty();

    // Whether other versions are yanked or excluded does not matter then.
    let is_precise = |version: &Version| {
        allowed
            .iter()
            .any(|summary| summary.version.as_ref() == Some(version))
    };
    hints.yanked.retain(is_precise);
    hints
        .excluded
        .retain(|(id, _)| id.version.as_ref().is_some_and(is_precise));
}

/// Adds the version that a skill states, if the only requirement is for one location.
fn read_stated_version(
    hints: &mut CandidateHints,
    package: &GraphPackage<'_>,
    requirements: &[ConflictRequirement],
) {
    let [ConflictRequirement { wants, .. }] = requirements else {
        return;
    };
    let [want] = wants.as_slice() else { return };
    if want.source.has_versions() {
        return;
    }

    let here: Vec<&PackageSummary> = offered_candidates(package, want)
        .map(|candidate| candidate.summary)
        .collect();

    hints.stated = here
        .iter()
        .rev()
        .find_map(|summary| summary.version.clone());
    hints.is_unversioned = here.iter().any(|summary| summary.version.is_none());
}

/// Whether each requirement is met for one of its dependencies.
fn all_met(
    requirements: &[ConflictRequirement],
    is_met_by: impl Fn(&PackageDependency) -> bool,
) -> bool {
    requirements
        .iter()
        // Several wants are those of several versions of one requester, of which only one is
        // selected.
        .all(|requirement| requirement.wants.iter().any(&is_met_by))
}

/// The candidates that match a dependency in everything except their version.
fn offered_candidates<'p, 'a>(
    package: &'p GraphPackage<'a>,
    want: &PackageDependency,
) -> impl DoubleEndedIterator<Item = &'p GraphCandidate<'a>> {
    package
        .candidates
        .iter()
        .filter(|candidate| is_offered(want, candidate.summary))
}

fn is_selectable(candidate: &GraphCandidate<'_>) -> bool {
    // A version that cannot be selected would be bad advice.
    !candidate.yanked && candidate.exclusion.is_none()
}

/// The newest release that matches all requirements except in its version.
fn newest_release(
    package: &GraphPackage<'_>,
    requirements: &[ConflictRequirement],
) -> Option<Version> {
    let free = package
        .candidates
        .iter()
        .filter(|candidate| is_selectable(candidate));

    let meant = free.filter(|candidate| all_met(requirements, |want| candidate.is_meant_by(want)));
    let is_release = |summary: &&PackageSummary| {
        summary
            .version
            .as_ref()
            .is_some_and(|version| version.pre.is_empty())
    };

    meant
        .map(|candidate| candidate.summary)
        .rfind(is_release)?
        .version
        .clone()
}

/// The newest pre-release that would meet all requirements if it were a release.
fn newest_pre_release(
    package: &GraphPackage<'_>,
    requirements: &[ConflictRequirement],
) -> Option<Version> {
    let mut free = package
        .candidates
        .iter()
        .filter(|candidate| is_selectable(candidate));

    free.rfind(|candidate| {
        all_met(requirements, |want| {
            takes_ignoring_pre_release(want, candidate)
        })
    })?
    .summary
    .version
    .clone()
}

/// Whether the dependency takes the candidate, or would if its version were not a pre-release.
fn takes_ignoring_pre_release(want: &PackageDependency, candidate: &GraphCandidate<'_>) -> bool {
    let version = candidate
        .summary
        .version
        .as_ref()
        .filter(|version| !version.pre.is_empty());

    let Some(version) = version else { return false };

    // `VersionReq` rejects a pre-release unless the requirement has one of the same version, so it
    // is tested as a release.
    let released = Version {
        pre: Prerelease::EMPTY,
        ..version.clone()
    };

    candidate.is_taken_by(want) || (candidate.is_meant_by(want) && want.req.matches(&released))
}
