//! The search, by [pubgrub](https://docs.rs/pubgrub), and its budget.

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
use super::dependency_graph::{DependencyGraph, GraphNode};

/// The steps that every search may take, plus those for each candidate.
///
/// Each version of a package that does not fit costs a step or two, and what was learned from it is not tried again: the
/// tests with thousands of versions take up to 6 steps per candidate. Only input built to be hard, with packages that
/// exclude each other in every combination, takes more than this, and would practically never end.
const BASE_STEPS: u64 = 10_000;
const STEPS_PER_CANDIDATE: u64 = 20;

/// The steps after which equivalent candidates are looked for. In tests so few that the searches of random graphs begin
/// without and end with it.
const LONG_SEARCH: u64 = if cfg!(test) { 4 } else { 1_000 };

/// The work on sets of versions that a search may do, in words; about 20 seconds.
const WORK_MAX: u64 = 8_000_000_000;

/// The words that sets of versions may allocate: 128 MiB.
const WORDS_MAX: u64 = 16 << 20;

/// The remaining effort of one or several searches. It counts operations and not time, so that the result does not depend
/// on the machine.
pub(super) struct SearchBudget {
    steps: Cell<u64>,
    taken: Cell<u64>,
    work: Cell<u64>,
}

impl SearchBudget {
    /// The budget of a search for a solution.
    pub(super) fn for_search(graph: &DependencyGraph<'_>) -> Self {
        SearchBudget::new(BASE_STEPS + STEPS_PER_CANDIDATE * graph.size(), WORK_MAX)
    }

    /// The budget of the trials after a failed search that took `steps_taken`, about as much as that search had.
    pub(super) fn for_trials(graph: &DependencyGraph<'_>, steps_taken: u64) -> Self {
        SearchBudget::new(
            BASE_STEPS + 20 * graph.size().max(steps_taken),
            WORK_MAX / 4,
        )
    }

    pub(super) fn new(steps: u64, work: u64) -> Self {
        SearchBudget {
            steps: Cell::new(steps),
            taken: Cell::new(0),
            work: Cell::new(work),
        }
    }

    /// The steps that were taken.
    pub(super) fn steps_taken(&self) -> u64 {
        self.taken.get()
    }

    /// Takes a step, and charges the work done since the previous one.
    fn take_step(&self) -> Result<(), OutOfSteps> {
        let steps = self.steps.get().checked_sub(1);
        // Work is bounded as well: a step on large sets can cost as much as thousands on small ones.
        let work = self.work.get().checked_sub(choices::take_work());
        let (Some(steps), Some(work)) = (steps, work) else {
            return Err(OutOfSteps);
        };

        if choices::words_allocated() > WORDS_MAX {
            return Err(OutOfSteps);
        }

        self.steps.set(steps);
        self.work.set(work);
        self.taken.set(self.taken.get() + 1);
        Ok(())
    }
}

/// One constraint on the choices. A search can be restricted to some of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum ConflictFact {
    /// The yanked candidates of a package are excluded.
    Yanked(GraphNode),
    /// The unavailable candidates of a package are excluded.
    Unavailable(GraphNode),
    /// A package must have the version given by `--precise`.
    Precise(GraphNode),
    /// The dependencies of one node's choices on another.
    Needs(GraphNode, GraphNode),
    /// The project's edge of that index.
    Line(u32),
}

/// The outcome of a search.
pub(super) enum SolveOutcome {
    /// A choice for every node that needs one.
    Chosen(BTreeMap<GraphNode, u32>),
    /// There is no solution, and these facts suffice to prove it.
    Impossible(BTreeSet<ConflictFact>),
    /// The budget was exceeded.
    Undecided,
}

/// Searches a graph within `budget`, considering only `facts` if some are given.
pub(super) fn solve(
    graph: &DependencyGraph<'_>,
    facts: Option<&BTreeSet<ConflictFact>>,
    budget: &SearchBudget,
) -> SolveOutcome {
    let search = PubgrubSearch {
        graph,
        facts,
        budget,
        open: RefCell::default(),
        is_long: Cell::new(false),
    };

    // Work done before on this thread does not count for this search.
    choices::take_work();
    match pubgrub::resolve(&search, GraphNode::Root, 0_u32) {
        Ok(chosen) => SolveOutcome::Chosen(chosen.into_iter().collect()),
        Err(PubGrubError::NoSolution(tree)) => SolveOutcome::Impossible(search.collect_facts(tree)),
        // Only `should_cancel` can fail: the budget is used up.
        Err(_) => SolveOutcome::Undecided,
    }
}

/// Whether none of the considered facts excludes a choice.
pub(super) fn is_open(
    graph: &DependencyGraph<'_>,
    node: GraphNode,
    choice: u32,
    considers: impl Fn(ConflictFact) -> bool,
) -> bool {
    let Some(package) = graph.package(node) else {
        return true;
    };

    let candidate = &package.candidates[choice as usize];
    !(candidate.yanked && considers(ConflictFact::Yanked(node))
        || candidate.exclusion.is_some() && considers(ConflictFact::Unavailable(node))
        || candidate.ruled_out && considers(ConflictFact::Precise(node)))
}

struct PubgrubSearch<'w, 'a> {
    graph: &'w DependencyGraph<'a>,
    facts: Option<&'w BTreeSet<ConflictFact>>,
    budget: &'w SearchBudget,
    /// The choices of each node that are not excluded, computed once.
    open: RefCell<Map<GraphNode, Rc<ChoiceSet>>>,
    /// Whether the search is a long one, in which only the newest of equivalent candidates are open.
    is_long: Cell<bool>,
}

/// The budget is exceeded.
#[derive(Debug, thiserror::Error)]
#[error("the search budget is exceeded")]
struct OutOfSteps;

impl PubgrubSearch<'_, '_> {
    fn considers(&self, fact: ConflictFact) -> bool {
        self.facts.is_none_or(|facts| facts.contains(&fact))
    }

    fn is_open(&self, node: GraphNode, choice: u32) -> bool {
        is_open(self.graph, node, choice, |fact| self.considers(fact))
    }

    /// The choices of a node that are not excluded.
    fn open_choices(&self, node: GraphNode) -> Rc<ChoiceSet> {
        let mut open = self.open.borrow_mut();
        let is_open = |choice: &u32| self.is_open(node, *choice);
        let known = open.entry(node).or_insert_with(|| {
            let all: ChoiceSet = (0..self.graph.choice_count(node)).filter(is_open).collect();
            let newest = self
                .newest_of_each_kind()
                .and_then(|newest| newest.get(&node));
            Rc::new(newest.map_or_else(|| all.clone(), |newest| all.intersection(newest)))
        });
        Rc::clone(known)
    }

    /// The candidates that are enough for a long search; `None` for a short one.
    fn newest_of_each_kind(&self) -> Option<&Map<GraphNode, ChoiceSet>> {
        self.is_long
            .get()
            .then(|| self.graph.newest_of_each_kind())
            .flatten()
    }

    /// The first available `[patch]` replacement of a package, otherwise its locked version.
    fn preferred_choice(&self, node: GraphNode, range: &ChoiceSet) -> Option<u32> {
        let mut preferred = self.graph.package(node)?.preferred.iter().copied();
        preferred.find(|choice| range.contains(choice) && self.is_open(node, *choice))
    }

    /// Collects the facts that a proof rests on.
    fn collect_facts(
        &self,
        tree: DerivationTree<GraphNode, ChoiceSet, &'static str>,
    ) -> BTreeSet<ConflictFact> {
        let mut facts = BTreeSet::new();
        for external in proof_leaves(tree) {
            match external {
                // That the project is needed is no fact that could be lifted.
                External::NotRoot(..) => {}
                // Any of these may be why no version is left; `minimize_facts` finds those that matter.
                External::NoVersions(node, _) => {
                    facts.extend([
                        ConflictFact::Yanked(node),
                        ConflictFact::Unavailable(node),
                        ConflictFact::Precise(node),
                    ]);
                }
                // Each line of the project is a fact of its own, since each can be changed by itself.
                External::FromDependencyOf(GraphNode::Root, _, to, _) => {
                    let lines = (0..)
                        .zip(self.graph.edges_of(GraphNode::Root, 0))
                        .filter(|(_, edge)| edge.to == to);
                    facts.extend(lines.map(|(line, _)| ConflictFact::Line(line)));
                }
                External::FromDependencyOf(from, _, to, _) => {
                    facts.insert(ConflictFact::Needs(from, to));
                }
                External::Custom(node, ..) => {
                    facts.insert(ConflictFact::Needs(node, node));
                }
            }
        }

        // Not every reason for a choice was considered in this search.
        facts.retain(|fact| self.considers(*fact));
        facts
    }
}

impl DependencyProvider for PubgrubSearch<'_, '_> {
    type P = GraphNode;
    type V = u32;
    type VS = ChoiceSet;
    /// A node without choices first, so that failures surface at once; then patched or pinned packages, so that a pin
    /// yields only to another (see the guarantees of the resolver); then nodes with the most conflicts so far, then those
    /// with the fewest choices.
    type Priority = (bool, bool, u32, Reverse<usize>);
    type M = &'static str;
    type Err = OutOfSteps;

    fn prioritize(
        &self,
        node: &GraphNode,
        range: &ChoiceSet,
        statistics: &PackageResolutionStatistics,
    ) -> Self::Priority {
        // Without the excluded ones, which `choose_version` never returns.
        let open = self.open_choices(*node).count_common(range);
        (
            open == 0,
            self.preferred_choice(*node, range).is_some(),
            statistics.conflict_count(),
            Reverse(open),
        )
    }

    fn choose_version(
        &self,
        node: &GraphNode,
        range: &ChoiceSet,
    ) -> Result<Option<u32>, OutOfSteps> {
        Ok(self
            .preferred_choice(*node, range)
            .or_else(|| self.open_choices(*node).last_common(range)))
    }

    fn get_dependencies(
        &self,
        node: &GraphNode,
        choice: &u32,
    ) -> Result<Dependencies<GraphNode, ChoiceSet, &'static str>, OutOfSteps> {
        let mut needs: Vec<(GraphNode, ChoiceSet)> = Vec::new();

        for (line, edge) in (0..).zip(self.graph.edges_of(*node, *choice)) {
            let fact = if *node == GraphNode::Root {
                ConflictFact::Line(line)
            } else {
                ConflictFact::Needs(*node, edge.to)
            };
            if !self.considers(fact) {
                continue;
            }

            let set = &*edge.set;
            // A dependency on itself is met by this very version or by none.
            if edge.to == *node {
                if !set.contains(choice) {
                    return Ok(Dependencies::Unavailable(
                        "it needs another version of itself",
                    ));
                }
                continue;
            }

            // Edges are sorted by node, so two edges to one node are neighbors.
            match needs.last_mut().filter(|(to, _)| *to == edge.to) {
                Some((_, known)) => *known = known.intersection(set),
                None => needs.push((edge.to, set.clone())),
            }
        }

        Ok(Dependencies::Available(DependencyConstraints::from_iter(
            needs,
        )))
    }

    fn should_cancel(&self) -> Result<(), OutOfSteps> {
        if !self.is_long.get() && self.budget.steps_taken() >= LONG_SEARCH {
            self.is_long.set(true);
            // What is open is computed again. Whatever was learned so far stays true.
            self.open.borrow_mut().clear();
        }
        self.budget.take_step()
    }
}

type ProofTree = DerivationTree<GraphNode, ChoiceSet, &'static str>;

/// The leaves of a proof.
///
/// Proofs share their parts and can be very deep, so this neither walks nor drops one recursively.
fn proof_leaves(tree: ProofTree) -> Vec<External<GraphNode, ChoiceSet, &'static str>> {
    let mut externals = Vec::new();
    let mut seen = Set::default();
    let mut parents_last: Vec<Arc<ProofTree>> = Vec::new();
    let mut stack = vec![(Arc::new(tree), false)];

    while let Some((tree, has_children_done)) = stack.pop() {
        if has_children_done {
            parents_last.push(tree);
            continue;
        }
        // Proofs share parts: without this the walk would be exponential.
        if !seen.insert(Arc::as_ptr(&tree)) {
            continue;
        }

        match &*tree {
            DerivationTree::External(external) => externals.push(external.clone()),
            DerivationTree::Derived(derived) => {
                let causes =
                    [&derived.cause1, &derived.cause2].map(|cause| (Arc::clone(cause), false));
                stack.push((Arc::clone(&tree), true));
                stack.extend(causes);
            }
        }
    }

    // A parent is dropped before its children, which are still referenced here; so each drop frees one node only.
    while parents_last.pop().is_some() {}
    externals
}
