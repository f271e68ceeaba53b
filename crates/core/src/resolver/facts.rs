//! Minimizes the facts that a failed search rests on.
//!
//! The search ends with a proof that is rarely the shortest. So each of its facts is left out in turn and the search run
//! again on the rest: if it still fails, the fact was not needed. The facts that are left are minimal: each has to be
//! reported, and lifting any one of them would resolve the conflict.

use std::cmp::Reverse;
use std::collections::btree_map::{BTreeMap, Entry};
use std::collections::{BTreeSet, VecDeque};

use super::dependency_graph::{DependencyGraph, GraphNode};
use super::solve::{ConflictFact, SearchBudget, SolveOutcome, solve};

/// A subset of `facts` that is unsatisfiable by itself; minimal unless `budget` is exceeded.
pub(super) fn minimize_facts(
    graph: &DependencyGraph<'_>,
    mut facts: BTreeSet<ConflictFact>,
    budget: &SearchBudget,
) -> BTreeSet<ConflictFact> {
    for fact in trial_order(graph, &facts) {
        // An earlier trial may have left it out together with another.
        if !facts.contains(&fact) {
            continue;
        }

        // The proof of the shorter search often drops several facts at once.
        let mut fewer = facts.clone();
        fewer.remove(&fact);

        match solve(graph, Some(&fewer), budget) {
            SolveOutcome::Impossible(enough) => facts = enough,
            SolveOutcome::Chosen(_) => {}
            // The facts left are still unsatisfiable, only not minimal.
            SolveOutcome::Undecided => break,
        }
    }

    facts
}

/// The order in which facts are tried: exclusions first, so that they are reported only if nothing else explains the
/// failure; then those far from the project, so that the chains that are left are short.
fn trial_order(graph: &DependencyGraph<'_>, facts: &BTreeSet<ConflictFact>) -> Vec<ConflictFact> {
    let distances = distances_from_root(graph, facts);
    let mut order: Vec<ConflictFact> = facts.iter().copied().collect();

    order.sort_by_key(|fact| Reverse((trial_distance(fact, &distances), *fact)));
    order
}

/// How far from the project a fact counts as in [`trial_order`].
fn trial_distance(fact: &ConflictFact, distances: &BTreeMap<GraphNode, usize>) -> usize {
    match fact {
        ConflictFact::Yanked(_) | ConflictFact::Unavailable(_) | ConflictFact::Precise(_) => {
            usize::MAX
        }
        ConflictFact::Needs(from, _) => distances.get(from).copied().unwrap_or(usize::MAX - 1),
        ConflictFact::Line(_) => 0,
    }
}

/// How many facts lead from the project to each node.
pub(super) fn distances_from_root(
    graph: &DependencyGraph<'_>,
    facts: &BTreeSet<ConflictFact>,
) -> BTreeMap<GraphNode, usize> {
    let mut children: BTreeMap<GraphNode, Vec<GraphNode>> = BTreeMap::new();

    for fact in facts {
        match *fact {
            ConflictFact::Line(line) => children
                .entry(GraphNode::Root)
                .or_default()
                .push(graph.root.edges[line as usize].to),
            ConflictFact::Needs(from, to) => children.entry(from).or_default().push(to),
            ConflictFact::Yanked(_) | ConflictFact::Unavailable(_) | ConflictFact::Precise(_) => {}
        }
    }

    let mut distances = BTreeMap::from([(GraphNode::Root, 0)]);
    let mut queue = VecDeque::from([(GraphNode::Root, 0)]);
    while let Some((node, distance)) = queue.pop_front() {
        for &child in children.get(&node).into_iter().flatten() {
            if let Entry::Vacant(unseen) = distances.entry(child) {
                unseen.insert(distance + 1);
                queue.push_back((child, distance + 1));
            }
        }
    }

    distances
}
