//! The input as numbers: packages, the indexes of their candidates, and which of them match each dependency.
//!
//! A package's candidates are sorted from old to new, and a dependency is the set of the indexes that match it, found by
//! testing each candidate. So no requirement is ever translated into ranges of versions, and nothing can differ from
//! [`VersionReq::matches`](semver::VersionReq::matches).
//!
//! A name under which two packages would be installed is a node as well. Its "versions" are those packages, and a
//! dependency on one of them under that name also requires that version of the node; so the search treats two packages
//! of one name as it does two versions of one package.

use std::cell::{OnceCell, RefCell};
use std::cmp::Ordering;
use std::fmt;
use std::rc::Rc;

use pubgrub::{Map, VersionSet as _};
use semver::VersionReq;

use super::candidates::{CandidateEntry, Candidates, ExclusionReason, VersionPins};
use super::choices::ChoiceSet;
use super::equivalent::newest_of_each_kind;
use super::matching::{fits_in_place, is_offered, takes};
use super::root::{MemberRef, RootDependency};
use super::selector_index::{
    CanonicalSource, SelectorIndex, SkillSelector, binding_dependencies, to_index,
};
use crate::package::{
    GitReference, PackageDependency, PackageId, PackageName, PackageSummary, PatchEntry, SkillName,
    SourceId,
};

/// A node of the graph, for which the search makes at most one choice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum GraphNode {
    /// The project; its only choice is 0.
    Root,
    /// A package; its choices are its candidates.
    Package(u32),
    /// A contested name; its choices are the packages that would be installed under it.
    Alias(u32),
}

impl fmt::Display for GraphNode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self:?}")
    }
}

/// The whole input, prepared for the search. The edges of a candidate are computed on first use, since most candidates
/// are never visited.
pub(super) struct DependencyGraph<'a> {
    /// The dependencies of the project.
    pub(super) root: NodeDependencies<'a>,
    /// Every package that any dependency names.
    pub(super) packages: Vec<GraphPackage<'a>>,
    /// Every install name that two packages share.
    pub(super) aliases: Vec<ContestedName<'a>>,
    selectors: SelectorIndex<'a>,
    /// The edge to the name that a dependency on a package under a contested name also has.
    alias_edges: Map<(&'a SkillName, GraphNode), (GraphNode, SharedChoices)>,
    /// The sets of candidates that match dependencies, each computed once.
    sets: RefCell<Map<ChoiceKey<'a>, SharedChoices>>,
    newest: OnceCell<Option<Map<GraphNode, ChoiceSet>>>,
}

/// A set of choices of one node.
type SharedChoices = Rc<ChoiceSet>;

/// The parts of a dependency that decide which candidates of its package match.
type ChoiceKey<'a> = (
    CanonicalSource<'a>,
    SkillSelector<'a>,
    &'a PackageName,
    Option<&'a GitReference>,
    &'a VersionReq,
);

/// A package and its candidates, from old to new.
#[derive(Default)]
pub(super) struct GraphPackage<'a> {
    pub(super) candidates: Vec<GraphCandidate<'a>>,
    /// The candidates tried before all others, in this order: the `[patch]` replacements of the package, the locked one
    /// first, then the locked version of the package itself.
    pub(super) preferred: Vec<u32>,
    /// The only version allowed.
    pub(super) precise: Option<&'a PackageId>,
}

/// One candidate.
pub(super) struct GraphCandidate<'a> {
    pub(super) summary: &'a PackageSummary,
    /// The patches by which it replaces packages of other sources.
    pub(super) patches: Vec<&'a PatchEntry>,
    needs: OnceCell<NodeDependencies<'a>>,
    /// Whether it was yanked and no lockfile has it.
    pub(super) yanked: bool,
    pub(super) exclusion: Option<&'a ExclusionReason>,
    /// Whether `--precise` requires another one.
    pub(super) ruled_out: bool,
}

/// The dependencies of the project or of a candidate.
#[derive(Default)]
pub(super) struct NodeDependencies<'a> {
    /// Sorted by node.
    pub(super) edges: Vec<GraphEdge<'a>>,
    /// Optional dependencies without an available candidate.
    pub(super) missing: Vec<&'a PackageDependency>,
}

/// One dependency, as a set of choices of the node it is on.
pub(super) struct GraphEdge<'a> {
    pub(super) to: GraphNode,
    pub(super) dependency: &'a PackageDependency,
    /// The member of the workspace that declares it; `None` for any other.
    pub(super) member: Option<&'a MemberRef>,
    pub(super) set: SharedChoices,
}

/// A contested name.
pub(super) struct ContestedName<'a> {
    pub(super) name: &'a SkillName,
    package_count: usize,
}

impl<'a> DependencyGraph<'a> {
    pub(super) fn new(
        roots: &'a [RootDependency],
        pins: &'a VersionPins,
        candidates: &'a Candidates,
    ) -> Self {
        let directory = SelectorIndex::new(roots, candidates);
        let mut graph = DependencyGraph {
            root: NodeDependencies::default(),
            packages: build_packages(&directory, pins, candidates),
            aliases: Vec::new(),
            selectors: directory,
            alias_edges: Map::default(),
            sets: RefCell::default(),
            newest: OnceCell::new(),
        };

        // Names first, since an edge on a contested name is two edges.
        graph.add_contested_names();
        graph.root = graph.build_dependencies(
            roots
                .iter()
                .map(|root| (&root.dependency, root.member.as_ref())),
        );

        graph
    }

    /// The newest of the candidates of each package that no search can distinguish, computed once; `None` if there are too
    /// many.
    pub(super) fn newest_of_each_kind(&self) -> Option<&Map<GraphNode, ChoiceSet>> {
        let newest = self.newest.get_or_init(|| newest_of_each_kind(self));
        newest.as_ref()
    }

    /// The edges of a choice.
    pub(super) fn edges_of(&self, node: GraphNode, choice: u32) -> &[GraphEdge<'a>] {
        match node {
            GraphNode::Root => &self.root.edges,
            GraphNode::Package(package) => {
                &self
                    .dependencies_of(&self.packages[package as usize].candidates[choice as usize])
                    .edges
            }
            // A name needs nothing; the edge to its package is one of its own.
            GraphNode::Alias(_) => &[],
        }
    }

    /// The dependencies of a candidate, with its missing optional ones.
    pub(super) fn dependencies_of<'w>(
        &'w self,
        candidate: &'w GraphCandidate<'a>,
    ) -> &'w NodeDependencies<'a> {
        // A requirement is matched against thousands of candidates, so only for those that are
        // visited.
        candidate.needs.get_or_init(|| {
            self.build_dependencies(
                binding_dependencies(candidate.summary).map(|dependency| (dependency, None)),
            )
        })
    }

    /// How many choices a node has.
    pub(super) fn choice_count(&self, node: GraphNode) -> u32 {
        match node {
            GraphNode::Root => 1,
            GraphNode::Package(package) => {
                to_index(self.packages[package as usize].candidates.len())
            }
            GraphNode::Alias(alias) => to_index(self.aliases[alias as usize].package_count),
        }
    }

    /// The package of a node; `None` for the project and for names.
    pub(super) fn package(&self, node: GraphNode) -> Option<&GraphPackage<'a>> {
        match node {
            GraphNode::Package(package) => Some(&self.packages[package as usize]),
            GraphNode::Root | GraphNode::Alias(_) => None,
        }
    }

    /// How many candidates all packages have together, with the packages and contested names counted.
    pub(super) fn size(&self) -> u64 {
        let candidates: usize = self
            .packages
            .iter()
            .map(|package| package.candidates.len())
            .sum();

        (candidates + self.packages.len() + self.aliases.len()) as u64
    }

    /// The dependency of the project that matches the most versions, and their number; `None` if all match at most one.
    pub(super) fn widest_line(&self) -> Option<(RootDependency, usize)> {
        // The set may have all choices to infinity; within those that exist it can be counted.
        let widths = self.root.edges.iter().map(|edge| {
            let all = ChoiceSet::up_to(self.choice_count(edge.to));
            (edge, all.count_common(&edge.set))
        });

        // `max_by_key` returns the last of equals, and the first dependency is the one to report.
        let (edge, width) = widths
            .rev()
            .max_by_key(|(_, width)| *width)
            .filter(|(_, width)| *width > 1)?;

        Some((
            RootDependency {
                dependency: edge.dependency.clone(),
                member: edge.member.cloned(),
            },
            width,
        ))
    }

    /// Adds a node for every name that two packages share.
    fn add_contested_names(&mut self) {
        for (alias, (name, packages)) in (0..).zip(self.selectors.contested()) {
            self.aliases.push(ContestedName {
                name,
                package_count: packages.len(),
            });

            for (choice, package) in (0_u32..).zip(packages) {
                // Two packages choose two different versions of the name, which excludes both at
                // once.
                let only = Rc::new(ChoiceSet::singleton(choice));
                self.alias_edges.insert(
                    (name, GraphNode::Package(package)),
                    (GraphNode::Alias(alias), only),
                );
            }
        }
    }

    /// Finds for each dependency its package and the candidates that match it.
    fn build_dependencies(
        &self,
        dependencies: impl Iterator<Item = (&'a PackageDependency, Option<&'a MemberRef>)>,
    ) -> NodeDependencies<'a> {
        let mut needs = NodeDependencies::default();

        for (dependency, member) in dependencies {
            let package = self.selectors.package_of_dependency(dependency);
            let candidates = &self.packages[package as usize].candidates;
            // No candidates, or all of them are excluded: an optional dependency is then no conflict.
            if dependency.optional
                && candidates
                    .iter()
                    .all(|candidate| candidate.exclusion.is_some())
            {
                needs.missing.push(dependency);
                continue;
            }

            let to = GraphNode::Package(package);
            needs.edges.push(GraphEdge {
                to,
                dependency,
                member,
                set: self.choices_taken_by(package, dependency),
            });
            // Under a contested name it needs the name as well.
            if let Some((to, set)) = self.alias_edges.get(&(&dependency.alias, to)) {
                needs.edges.push(GraphEdge {
                    to: *to,
                    dependency,
                    member,
                    set: Rc::clone(set),
                });
            }
        }

        // Sorted, so that the order in a manifest or an index does not affect the result.
        needs.edges.sort_by(|a, b| {
            let same_node = || {
                compare_dependencies(a.dependency, b.dependency)
                    .then_with(|| a.member.cmp(&b.member))
            };
            a.to.cmp(&b.to).then_with(same_node)
        });
        needs.missing.sort_by(|a, b| compare_dependencies(a, b));

        needs
    }

    /// The candidates of a package that match a dependency.
    fn choices_taken_by(&self, package: u32, dependency: &'a PackageDependency) -> SharedChoices {
        let reference = match &dependency.source {
            SourceId::Git { reference, .. } => Some(reference),
            _ => None,
        };

        let source = CanonicalSource::from(&dependency.source);
        // Thousands of versions share a few requirements, so each is matched once.
        let shape = (
            source,
            SkillSelector::from(dependency),
            &dependency.package,
            reference,
            &dependency.req,
        );

        let mut sets = self.sets.borrow_mut();
        let set = sets.entry(shape).or_insert_with(|| {
            let candidates = (0..).zip(&self.packages[package as usize].candidates);
            let taken = candidates.filter(|(_, candidate)| candidate.is_taken_by(dependency));
            Rc::new(taken.map(|(at, _)| at).collect())
        });

        Rc::clone(set)
    }
}

fn build_packages<'a>(
    directory: &SelectorIndex<'a>,
    pins: &'a VersionPins,
    candidates: &'a Candidates,
) -> Vec<GraphPackage<'a>> {
    let mut packages: Vec<GraphPackage<'a>> = Vec::new();
    packages.resize_with(directory.packages as usize, GraphPackage::default);

    for offer in candidates.entries() {
        let Some(package) = directory.package_of_summary(&offer.summary) else {
            // No dependency names it.
            continue;
        };

        packages[package as usize]
            .candidates
            .push(build_candidate(offer, directory, pins));
    }

    for package in &mut packages {
        package
            .candidates
            .sort_by(|a, b| version_order_key(a.summary).cmp(&version_order_key(b.summary)));

        package.preferred = preferred_choices(&package.candidates, pins);
        let precise = package
            .candidates
            .iter()
            .find_map(|candidate| pins.precise(candidate.summary));
        package.precise = precise.map(|(id, _)| id);
        for candidate in package.candidates.iter_mut().filter(|_| precise.is_some()) {
            // A replacement is another candidate of the package: a precise version of either rules out the rest.
            candidate.ruled_out = pins
                .precise(candidate.summary)
                .is_none_or(|(_, is_it)| !is_it);
        }
    }

    packages
}

fn preferred_choices(candidates: &[GraphCandidate<'_>], pins: &VersionPins) -> Vec<u32> {
    let pin = candidates
        .iter()
        .rposition(|candidate| pins.prefers(candidate.summary));

    let patched = (0..candidates.len())
        .rev()
        .filter(|&at| !candidates[at].patches.is_empty());
    let mut preferred: Vec<usize> = patched.chain(pin).collect();

    // Of the replacements, the locked one first. The sort is stable, so the others stay from new to old.
    preferred.sort_by_key(|&at| (candidates[at].patches.is_empty(), Some(at) != pin));
    preferred.dedup();

    preferred.into_iter().map(to_index).collect()
}

fn build_candidate<'a>(
    offer: &'a CandidateEntry,
    directory: &SelectorIndex<'a>,
    pins: &VersionPins,
) -> GraphCandidate<'a> {
    let summary = &offer.summary;
    GraphCandidate {
        summary,
        patches: directory
            .patches
            .iter()
            .copied()
            .filter(|patch| takes(&patch.replacement, summary))
            .collect(),
        needs: OnceCell::new(),
        // A locked version stays installable after it is yanked, as in cargo.
        yanked: summary.yanked && !pins.prefers(summary),
        exclusion: offer.exclusion.as_ref(),
        ruled_out: false,
    }
}

impl GraphCandidate<'_> {
    /// Whether it matches a dependency, by itself or as the replacement of what the dependency names.
    pub(super) fn is_taken_by(&self, dependency: &PackageDependency) -> bool {
        takes(dependency, self.summary)
            || (self.patch_for(dependency).is_some() && fits_in_place(dependency, self.summary))
    }

    /// Whether it matches a dependency, by itself or as a replacement, whatever its version.
    pub(super) fn is_meant_by(&self, dependency: &PackageDependency) -> bool {
        is_offered(dependency, self.summary) || self.patch_for(dependency).is_some()
    }

    /// The patch by which it replaces what a dependency names.
    pub(super) fn patch_for(&self, dependency: &PackageDependency) -> Option<&PatchEntry> {
        self.patches
            .iter()
            .copied()
            .find(|patch| patch.is_for(dependency))
    }

    /// Its id and why it is excluded; `None` if it is not.
    pub(super) fn excluded(&self) -> Option<(PackageId, ExclusionReason)> {
        Some((self.summary.id(), self.exclusion?.clone()))
    }

    /// Whether it replaces a package of another source.
    pub(super) fn is_patch(&self) -> bool {
        !self.patches.is_empty()
    }
}

/// The order of candidates: by version, then a tag of the skill's own before one of the whole repository.
fn version_order_key(summary: &PackageSummary) -> impl Ord + '_ {
    // In a repository with many skills, `v2.0.0` is the whole repository and `pdf-v2.0.0` the
    // skill.
    let own_tag = match &summary.source {
        SourceId::Git {
            reference: GitReference::Tag(tag),
            ..
        } => tag.starts_with(summary.name.skill().as_str()),
        _ => false,
    };

    (
        &summary.version,
        own_tag,
        &summary.source,
        &summary.name,
        &summary.subdir,
    )
}

/// An order of dependencies, so that the one they are declared in does not matter.
fn compare_dependencies(a: &PackageDependency, b: &PackageDependency) -> Ordering {
    let key = |dependency: &PackageDependency| {
        (
            dependency.req.to_string(),
            dependency.dev,
            dependency.optional,
        )
    };

    let names = (&a.alias, &a.package, &a.source, &a.subdir)
        .cmp(&(&b.alias, &b.package, &b.source, &b.subdir));

    // The texts are made for ties only.
    names.then_with(|| key(a).cmp(&key(b)))
}
