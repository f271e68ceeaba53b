//! Candidates that no search can distinguish: they have the same dependencies, and each dependency on their package
//! matches all of them or none.
//!
//! ```text
//! a 1.0.0 -> b ^1        If the newest of these has no solution, none has one. A hundred packages with a hundred such
//! a 1.1.0 -> b ^1        versions each are otherwise tried version by version, for each version of the package above.
//! a 1.2.0 -> b ^1
//! ```
//!
//! To find them, the dependencies of all candidates have to be known, so that only a long search does.

use std::collections::BTreeMap;

use pubgrub::{Map, VersionSet as _};

use super::choices::ChoiceSet;
use super::dependency_graph::{DependencyGraph, GraphNode, GraphPackage};
use super::selector_index::to_index;

/// The most comparisons of a candidate with a dependency; about a tenth of a second.
const COMPARISONS_MAX: u64 = 50_000_000;

/// For each package the newest of each kind of candidates; `None` if there are too many to compare.
pub(super) fn newest_of_each_kind(
    graph: &DependencyGraph<'_>,
) -> Option<Map<GraphNode, ChoiceSet>> {
    let incoming = incoming_sets(graph);
    let packages = || (0..).map(GraphNode::Package).zip(&graph.packages);

    let comparisons = packages().map(|(node, package)| {
        let sets = incoming.get(&node).map_or(0, BTreeMap::len) as u64;
        (sets + 1) * package.candidates.len() as u64
    });
    if comparisons.sum::<u64>() > COMPARISONS_MAX {
        return None;
    }

    let newest = packages().map(|(node, package)| {
        let mut kinds = kinds_by_dependencies(graph, node, package);
        for set in incoming.get(&node).into_iter().flat_map(BTreeMap::values) {
            refine(&mut kinds, |choice| set.contains(&choice));
        }
        // From old to new, so that the last of each kind stays.
        let newest: BTreeMap<u32, u32> = kinds.into_iter().zip(0..).collect();
        (node, newest.into_values().collect())
    });
    Some(newest.collect())
}

/// The sets of all dependencies on each package from others, each once.
fn incoming_sets<'g>(
    graph: &'g DependencyGraph<'_>,
) -> Map<GraphNode, BTreeMap<*const ChoiceSet, &'g ChoiceSet>> {
    let mut incoming: Map<GraphNode, BTreeMap<*const ChoiceSet, &ChoiceSet>> = Map::default();
    let mut add = |from: GraphNode, choice: u32| {
        for edge in graph.edges_of(from, choice) {
            // One on the package itself is met by the same version or by none.
            if edge.to != from {
                let set: &ChoiceSet = &edge.set;
                incoming.entry(edge.to).or_default().insert(set, set);
            }
        }
    };

    add(GraphNode::Root, 0);
    for (at, package) in (0..).zip(&graph.packages) {
        for choice in 0..to_index(package.candidates.len()) {
            add(GraphNode::Package(at), choice);
        }
    }
    incoming
}

/// Numbers the candidates of a package by what they need and what may exclude them. One that is preferred is of its own
/// kind: it is tried before newer ones.
fn kinds_by_dependencies(
    graph: &DependencyGraph<'_>,
    node: GraphNode,
    package: &GraphPackage<'_>,
) -> Vec<u32> {
    let mut known = BTreeMap::new();
    let kinds = (0..).zip(&package.candidates).map(|(choice, candidate)| {
        let needs: Vec<(GraphNode, *const ChoiceSet)> = graph
            .edges_of(node, choice)
            .iter()
            .map(|edge| {
                let set: &ChoiceSet = &edge.set;
                let is_met = edge.to == node && set.contains(&choice);
                // Sets are shared by those who have the same requirement.
                (edge.to, if is_met { std::ptr::null() } else { set })
            })
            .collect();
        let preferred = package.preferred.iter().find(|other| **other == choice);
        let kind = (
            needs,
            candidate.yanked,
            candidate.exclusion.is_some(),
            candidate.ruled_out,
            preferred.copied(),
        );
        let next = to_index(known.len());
        *known.entry(kind).or_insert(next)
    });
    kinds.collect()
}

/// Splits each kind into those that are in a set and those that are not.
fn refine(kinds: &mut [u32], contains: impl Fn(u32) -> bool) {
    let mut known = BTreeMap::new();
    for (choice, kind) in (0..).zip(kinds) {
        let next = to_index(known.len());
        *kind = *known.entry((*kind, contains(choice))).or_insert(next);
    }
}
