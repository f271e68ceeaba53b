//! The search, by pubgrub.

use std::cell::Cell;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use pubgrub::{
    Dependencies, DependencyConstraints, DependencyProvider, DerivationTree, External, PackageResolutionStatistics,
    PubGrubError, Ranges, Set,
};

use super::world::{Node, World};

/// One reason that a choice is not free. A search can be told to heed some of them only.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Fact {
    /// The yanked candidates of a package are barred.
    Yanked(Node),
    /// The unavailable candidates of a package are barred.
    Unavailable(Node),
    /// A package must have one precise version.
    Precise(Node),
    /// What one node's choices need of another.
    Needs(Node, Node),
    /// The project's edge of that index.
    Line(u32),
}

/// What came of a search.
pub(super) enum Verdict {
    /// A choice for every node that needs one.
    Chosen(BTreeMap<Node, u32>),
    /// There is none, and these facts suffice to see it.
    Impossible(BTreeSet<Fact>),
    /// The steps allowed did not suffice.
    Undecided,
}

/// Searches a world, heeding only `facts` if some are given, and takes the steps from those allowed.
pub(super) fn solve(world: &World<'_>, facts: Option<&BTreeSet<Fact>>, steps: &Cell<u32>) -> Verdict {
    let search = Search { world, facts, steps };
    match pubgrub::resolve(&search, Node::Root, 0_u32) {
        Ok(chosen) => Verdict::Chosen(chosen.into_iter().collect()),
        Err(PubGrubError::NoSolution(tree)) => Verdict::Impossible(search.facts_of(tree)),
        Err(_) => Verdict::Undecided,
    }
}

/// Whether nothing bars a choice, of the facts that are heeded.
pub(super) fn is_open(world: &World<'_>, node: Node, choice: u32, heeds: impl Fn(Fact) -> bool) -> bool {
    let Some(package) = world.package(node) else { return true };
    let candidate = &package.candidates[choice as usize];
    !(candidate.yanked && heeds(Fact::Yanked(node))
        || candidate.barred.is_some() && heeds(Fact::Unavailable(node))
        || candidate.ruled_out && heeds(Fact::Precise(node)))
}

struct Search<'w, 'a> {
    world: &'w World<'a>,
    facts: Option<&'w BTreeSet<Fact>>,
    steps: &'w Cell<u32>,
}

/// The steps are used up.
#[derive(Debug, thiserror::Error)]
#[error("the steps are used up")]
struct OutOfSteps;

impl Search<'_, '_> {
    fn heeds(&self, fact: Fact) -> bool {
        self.facts.is_none_or(|facts| facts.contains(&fact))
    }

    fn is_open(&self, node: Node, choice: u32) -> bool {
        is_open(self.world, node, choice, |fact| self.heeds(fact))
    }

    /// The open choices in a range, newest first.
    fn open<'s>(&'s self, node: Node, range: &'s Ranges<u32>) -> impl Iterator<Item = u32> + 's {
        (0..self.world.choices(node)).rev().filter(move |choice| range.contains(choice) && self.is_open(node, *choice))
    }

    /// The first of those that stand in for a package, else what the lockfile has.
    fn preferred(&self, node: Node, range: &Ranges<u32>) -> Option<u32> {
        let mut preferred = self.world.package(node)?.preferred.iter().copied();
        preferred.find(|choice| range.contains(choice) && self.is_open(node, *choice))
    }

    /// The facts that a proof rests on.
    fn facts_of(&self, tree: DerivationTree<Node, Ranges<u32>, &'static str>) -> BTreeSet<Fact> {
        let mut facts = BTreeSet::new();
        for external in externals(tree) {
            match external {
                External::NotRoot(..) => {}
                External::NoVersions(node, _) => {
                    facts.extend([Fact::Yanked(node), Fact::Unavailable(node), Fact::Precise(node)]);
                }
                External::FromDependencyOf(Node::Root, _, to, _) => {
                    let lines = (0..).zip(self.world.needs(Node::Root, 0)).filter(|(_, edge)| edge.to == to);
                    facts.extend(lines.map(|(line, _)| Fact::Line(line)));
                }
                External::FromDependencyOf(from, _, to, _) => {
                    facts.insert(Fact::Needs(from, to));
                }
                External::Custom(node, ..) => {
                    facts.insert(Fact::Needs(node, node));
                }
            }
        }
        facts.retain(|fact| self.heeds(*fact));
        facts
    }
}

impl DependencyProvider for Search<'_, '_> {
    type P = Node;
    type V = u32;
    type VS = Ranges<u32>;
    /// A hopeless node first, so that failures surface at once; then what is patched or pinned, so that a pin
    /// yields only to another (see the promises of the resolver); then what has made trouble before, then what has the fewest choices.
    type Priority = (bool, bool, u32, Reverse<usize>);
    type M = &'static str;
    type Err = OutOfSteps;

    fn prioritize(&self, node: &Node, range: &Ranges<u32>, statistics: &PackageResolutionStatistics) -> Self::Priority {
        let open = self.open(*node, range).count();
        (open == 0, self.preferred(*node, range).is_some(), statistics.conflict_count(), Reverse(open))
    }

    fn choose_version(&self, node: &Node, range: &Ranges<u32>) -> Result<Option<u32>, OutOfSteps> {
        Ok(self.preferred(*node, range).or_else(|| self.open(*node, range).next()))
    }

    fn get_dependencies(
        &self,
        node: &Node,
        choice: &u32,
    ) -> Result<Dependencies<Node, Ranges<u32>, &'static str>, OutOfSteps> {
        let mut needs: Vec<(Node, Ranges<u32>)> = Vec::new();
        for (line, edge) in (0..).zip(self.world.needs(*node, *choice)) {
            let fact = if *node == Node::Root { Fact::Line(line) } else { Fact::Needs(*node, edge.to) };
            if !self.heeds(fact) {
                continue;
            }
            let set = &*edge.set;
            if edge.to == *node {
                if !set.contains(choice) {
                    return Ok(Dependencies::Unavailable("it needs another version of itself"));
                }
                continue;
            }
            // Edges are sorted by node, so that two on one node stand together.
            match needs.last_mut().filter(|(to, _)| *to == edge.to) {
                Some((_, known)) => *known = known.intersection(set),
                None => needs.push((edge.to, set.clone())),
            }
        }
        Ok(Dependencies::Available(DependencyConstraints::from_iter(needs)))
    }

    fn should_cancel(&self) -> Result<(), OutOfSteps> {
        self.steps.set(self.steps.get().checked_sub(1).ok_or(OutOfSteps)?);
        Ok(())
    }
}

type Tree = DerivationTree<Node, Ranges<u32>, &'static str>;

/// The leaves of a proof.
///
/// Proofs share their parts and can be very deep, so this neither walks nor drops one recursively.
fn externals(tree: Tree) -> Vec<External<Node, Ranges<u32>, &'static str>> {
    let mut externals = Vec::new();
    let mut seen = Set::default();
    let mut parents_last: Vec<Arc<Tree>> = Vec::new();
    let mut stack = vec![(Arc::new(tree), false)];
    while let Some((tree, has_children_done)) = stack.pop() {
        if has_children_done {
            parents_last.push(tree);
            continue;
        }
        if !seen.insert(Arc::as_ptr(&tree)) {
            continue;
        }
        match &*tree {
            DerivationTree::External(external) => externals.push(external.clone()),
            DerivationTree::Derived(derived) => {
                let causes = [&derived.cause1, &derived.cause2].map(|cause| (Arc::clone(cause), false));
                stack.push((Arc::clone(&tree), true));
                stack.extend(causes);
            }
        }
    }
    // A parent goes before its children, which are still held here; so each drop frees one part only.
    while parents_last.pop().is_some() {}
    externals
}
