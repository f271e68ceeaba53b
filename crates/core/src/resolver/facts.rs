//! Of a failure, the few facts that suffice for it.
//!
//! The search ends with a proof that is rarely the shortest. So each fact of it is left out in turn and the search run
//! again on what remains: if it fails still, the fact was not needed. What is left is minimal, that is to say, every
//! part of it must be told, and taking back any part of it would help.

use std::collections::btree_map::{BTreeMap, Entry};
use std::collections::{BTreeSet, VecDeque};

use super::solve::{Fact, SearchBudget, Verdict, solve};
use super::world::{Node, World};

/// A part of `facts` that is impossible by itself, minimal unless `budget` is used up before.
pub(super) fn minimal(world: &World<'_>, mut facts: BTreeSet<Fact>, budget: &SearchBudget) -> BTreeSet<Fact> {
    for fact in in_order_of_trial(world, &facts) {
        if !facts.contains(&fact) {
            continue;
        }
        let mut fewer = facts.clone();
        fewer.remove(&fact);
        match solve(world, Some(&fewer), budget) {
            Verdict::Impossible(enough) => facts = enough,
            Verdict::Chosen(_) => {}
            Verdict::Undecided => break,
        }
    }
    facts
}

/// Yanks and the like first, so that they are blamed only if nothing else is to blame; then what is far from the project,
/// so that the chains that are left are short.
fn in_order_of_trial(world: &World<'_>, facts: &BTreeSet<Fact>) -> Vec<Fact> {
    let distances = distances(world, facts);
    let mut order: Vec<Fact> = facts.iter().copied().collect();
    order.sort_by_key(|fact| {
        let distance = match fact {
            Fact::Yanked(_) | Fact::Unavailable(_) | Fact::Precise(_) => usize::MAX,
            Fact::Needs(from, _) => distances.get(from).copied().unwrap_or(usize::MAX - 1),
            Fact::Line(_) => 0,
        };
        std::cmp::Reverse((distance, *fact))
    });
    order
}

/// How many facts lead from the project to each node.
pub(super) fn distances(world: &World<'_>, facts: &BTreeSet<Fact>) -> BTreeMap<Node, usize> {
    let mut children: BTreeMap<Node, Vec<Node>> = BTreeMap::new();
    for fact in facts {
        match *fact {
            Fact::Line(line) => children.entry(Node::Root).or_default().push(world.root.edges[line as usize].to),
            Fact::Needs(from, to) => children.entry(from).or_default().push(to),
            Fact::Yanked(_) | Fact::Unavailable(_) | Fact::Precise(_) => {}
        }
    }
    let mut distances = BTreeMap::from([(Node::Root, 0)]);
    let mut queue = VecDeque::from([(Node::Root, 0)]);
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
