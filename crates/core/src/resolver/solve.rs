//! The search, by pubgrub.

use std::cell::{Cell, RefCell};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::Arc;

use pubgrub::{
    Dependencies, DependencyConstraints, DependencyProvider, DerivationTree, External, Map,
    PackageResolutionStatistics, PubGrubError, Set, VersionSet as _,
};

use super::choices::{self, ChoiceSet};
use super::world::{Node, World};

/// The steps that every search may take, and those for each candidate on top.
///
/// Of a package, each version that does not fit costs a step or two, and what was learned of it is not tried again: the
/// worlds of the tests with thousands of versions take up to 6 steps a candidate. Only what is built to be hard, with
/// packages that exclude each other in every combination, takes more than this, and would take for ever.
const STEPS: u64 = 10_000;
const STEPS_PER_CANDIDATE: u64 = 20;

/// The work on sets of versions that a search may do, in words: some 20 seconds.
const WORK: u64 = 8_000_000_000;

/// The words that sets of versions may hold: 128 MiB.
const WORDS_HELD: u64 = 16 << 20;

/// What is left of the effort that one or several searches may take. It is counted in what is done, not in time, so that
/// the outcome does not depend on the machine.
pub(super) struct SearchBudget {
    steps: Cell<u64>,
    taken: Cell<u64>,
    work: Cell<u64>,
}

impl SearchBudget {
    /// That of a search for an answer.
    pub(super) fn of(world: &World<'_>) -> Self {
        SearchBudget::new(STEPS + STEPS_PER_CANDIDATE * world.size(), WORK)
    }

    /// That of trying things out after a search that took so many steps, in about as much time.
    pub(super) fn for_trials(world: &World<'_>, steps_taken: u64) -> Self {
        SearchBudget::new(STEPS + 20 * world.size().max(steps_taken), WORK / 4)
    }

    pub(super) fn new(steps: u64, work: u64) -> Self {
        SearchBudget { steps: Cell::new(steps), taken: Cell::new(0), work: Cell::new(work) }
    }

    /// The steps that were taken.
    pub(super) fn steps_taken(&self) -> u64 {
        self.taken.get()
    }

    /// Takes a step, and what was done since the one before.
    fn take_step(&self) -> Result<(), OutOfSteps> {
        let steps = self.steps.get().checked_sub(1);
        let work = self.work.get().checked_sub(choices::take_work());
        let (Some(steps), Some(work)) = (steps, work) else { return Err(OutOfSteps) };
        if choices::words_held() > WORDS_HELD {
            return Err(OutOfSteps);
        }
        self.steps.set(steps);
        self.work.set(work);
        self.taken.set(self.taken.get() + 1);
        Ok(())
    }
}

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
pub(super) fn solve(world: &World<'_>, facts: Option<&BTreeSet<Fact>>, budget: &SearchBudget) -> Verdict {
    let search = Search { world, facts, budget, open: RefCell::default() };
    choices::take_work();
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
    budget: &'w SearchBudget,
    /// The choices of each node that nothing bars, each worked out once.
    open: RefCell<Map<Node, Rc<ChoiceSet>>>,
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

    /// The choices of a node that nothing bars.
    fn open(&self, node: Node) -> Rc<ChoiceSet> {
        let mut open = self.open.borrow_mut();
        let is_open = |choice: &u32| self.is_open(node, *choice);
        let known =
            open.entry(node).or_insert_with(|| Rc::new((0..self.world.choices(node)).filter(is_open).collect()));
        Rc::clone(known)
    }

    /// The first of those that stand in for a package, else what the lockfile has.
    fn preferred(&self, node: Node, range: &ChoiceSet) -> Option<u32> {
        let mut preferred = self.world.package(node)?.preferred.iter().copied();
        preferred.find(|choice| range.contains(choice) && self.is_open(node, *choice))
    }

    /// The facts that a proof rests on.
    fn facts_of(&self, tree: DerivationTree<Node, ChoiceSet, &'static str>) -> BTreeSet<Fact> {
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
    type VS = ChoiceSet;
    /// A hopeless node first, so that failures surface at once; then what is patched or pinned, so that a pin
    /// yields only to another (see the promises of the resolver); then what has made trouble before, then what has the fewest choices.
    type Priority = (bool, bool, u32, Reverse<usize>);
    type M = &'static str;
    type Err = OutOfSteps;

    fn prioritize(&self, node: &Node, range: &ChoiceSet, statistics: &PackageResolutionStatistics) -> Self::Priority {
        let open = self.open(*node).count_common(range);
        (open == 0, self.preferred(*node, range).is_some(), statistics.conflict_count(), Reverse(open))
    }

    fn choose_version(&self, node: &Node, range: &ChoiceSet) -> Result<Option<u32>, OutOfSteps> {
        Ok(self.preferred(*node, range).or_else(|| self.open(*node).last_common(range)))
    }

    fn get_dependencies(
        &self,
        node: &Node,
        choice: &u32,
    ) -> Result<Dependencies<Node, ChoiceSet, &'static str>, OutOfSteps> {
        let mut needs: Vec<(Node, ChoiceSet)> = Vec::new();
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
        self.budget.take_step()
    }
}

type Tree = DerivationTree<Node, ChoiceSet, &'static str>;

/// The leaves of a proof.
///
/// Proofs share their parts and can be very deep, so this neither walks nor drops one recursively.
fn externals(tree: Tree) -> Vec<External<Node, ChoiceSet, &'static str>> {
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
