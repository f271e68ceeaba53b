//! The resolver's solution as a graph, and its queries.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::dependency_graph::{DependencyGraph, GraphCandidate, GraphNode, NodeDependencies};
use super::matching::takes;
use crate::package::{PackageDependency, PackageId, PackageSummary, SkillName};

/// One version of every package that is needed, and the dependencies between them.
///
/// Packages are sorted and are referred to by their position in [`ResolveGraph::packages`]. Equal input gives equal
/// graphs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResolveGraph {
    packages: Vec<ResolvedPackage>,
    roots: Vec<ResolvedDependency>,
    missing: Vec<MissingOptional>,
}

/// A package that was selected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResolvedPackage {
    /// Its name, version and source with the git reference.
    pub id: PackageId,
    /// The names it is installed under, at least one: each alias that a dependency on it uses.
    pub aliases: BTreeSet<SkillName>,
    /// The summary from its source.
    pub summary: PackageSummary,
    /// The packages it replaces by `[patch]`, as [`PatchEntry::replaced_reference`](crate::package::PatchEntry::replaced_reference)
    /// writes them.
    pub replaces: BTreeSet<String>,
    /// Its dependencies, each with the package selected for it.
    pub links: Vec<ResolvedDependency>,
    parents: Vec<usize>,
}

/// A dependency and the package that was selected for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResolvedDependency {
    /// The dependency.
    pub dependency: PackageDependency,
    /// The position of the selected package.
    pub to: usize,
}

/// An optional dependency without an available candidate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MissingOptional {
    /// The package that declares it; `None` for the project itself.
    pub requester: Option<PackageId>,
    /// The dependency.
    pub dependency: PackageDependency,
}

impl ResolveGraph {
    pub(super) fn new(graph: &DependencyGraph<'_>, chosen: &BTreeMap<GraphNode, u32>) -> Self {
        let mut nodes = reachable(graph, chosen);
        // Positions are part of the result, so they follow the ids and not the search.
        nodes.sort_by_cached_key(|node| {
            let summary = candidate(graph, chosen, *node).summary;
            (summary.id(), summary.subdir.clone())
        });

        let positions: BTreeMap<GraphNode, usize> = nodes.iter().copied().zip(0..).collect();
        let candidates: Vec<&GraphCandidate<'_>> = nodes
            .iter()
            .map(|node| candidate(graph, chosen, *node))
            .collect();

        let roots = resolved_links(&graph.root, &positions);
        let mut packages: Vec<ResolvedPackage> = candidates
            .iter()
            .map(|candidate| {
                let links = resolved_links(graph.dependencies_of(candidate), &positions);
                ResolvedPackage::new(candidate, links)
            })
            .collect();
        link_packages(&mut packages, &roots, &candidates);

        ResolveGraph {
            packages,
            roots,
            missing: collect_missing(graph, candidates.into_iter()),
        }
    }

    /// The selected packages, sorted by name, version and source.
    #[must_use]
    pub fn packages(&self) -> &[ResolvedPackage] {
        &self.packages
    }

    /// The dependencies of the project itself, each with the package selected for it.
    #[must_use]
    pub fn roots(&self) -> &[ResolvedDependency] {
        &self.roots
    }

    /// The optional dependencies of the project and of the selected packages without an available candidate.
    #[must_use]
    pub fn missing_optional(&self) -> &[MissingOptional] {
        &self.missing
    }

    /// The selected packages whose dependencies were not read yet. Read these, then resolve again.
    pub fn unread(&self) -> impl Iterator<Item = &ResolvedPackage> {
        self.packages
            .iter()
            .filter(|package| package.summary.dependencies.is_none())
    }

    /// The position of the package that is installed under a name.
    #[must_use]
    pub fn by_alias(&self, alias: &SkillName) -> Option<usize> {
        self.packages
            .iter()
            .position(|package| package.aliases.contains(alias))
    }

    /// The positions of the packages that a package depends on, each once, in order.
    #[must_use]
    pub fn children(&self, package: usize) -> Vec<usize> {
        let children: BTreeSet<usize> = self.packages[package]
            .links
            .iter()
            .map(|link| link.to)
            .collect();
        children.into_iter().collect()
    }

    /// The positions of the packages that depend on a package, each once, in order; the project itself is not among them.
    #[must_use]
    pub fn parents(&self, package: usize) -> &[usize] {
        &self.packages[package].parents
    }

    /// The project's own dependencies for which a package was selected.
    pub fn root_dependencies_on(&self, package: usize) -> impl Iterator<Item = &PackageDependency> {
        self.roots
            .iter()
            .filter(move |link| link.to == package)
            .map(|link| &link.dependency)
    }

    /// Why a package is in the graph: for each direct dependency of the project that leads to it, a shortest path from
    /// there to the package, both included; shortest paths first.
    #[must_use]
    pub fn paths_to(&self, package: usize) -> Vec<Vec<usize>> {
        // One search backwards from the package serves all paths.
        let distances = self.distances_to(package);

        // A package may be a direct dependency twice, under two names.
        let starts: BTreeSet<usize> = self.roots.iter().map(|link| link.to).collect();
        let mut paths: Vec<Vec<usize>> = starts
            .into_iter()
            .filter_map(|start| self.shortest_path(start, &distances))
            .collect();

        paths.sort_by_key(Vec::len);
        paths
    }

    /// The distance from each package to one, in dependencies; `None` where there is no path.
    fn distances_to(&self, package: usize) -> Vec<Option<usize>> {
        let mut distances = vec![None; self.packages.len()];
        distances[package] = Some(0);

        // Packages may depend on each other in a circle, so each is visited once.
        let mut queue = VecDeque::from([(package, 0)]);
        while let Some((at, distance)) = queue.pop_front() {
            for &parent in self.parents(at) {
                if distances[parent].is_none() {
                    distances[parent] = Some(distance + 1);
                    queue.push_back((parent, distance + 1));
                }
            }
        }

        distances
    }

    fn shortest_path(&self, start: usize, distances: &[Option<usize>]) -> Option<Vec<usize>> {
        let mut path = vec![start];
        let (mut at, mut left) = (start, distances[start]?);

        // Each step goes to a child that is one nearer, so the path is a shortest one and ends.
        while left > 0 {
            left -= 1;
            at = self
                .children(at)
                .into_iter()
                .find(|child| distances[*child] == Some(left))?;
            path.push(at);
        }

        Some(path)
    }
}

impl ResolvedPackage {
    /// A selected candidate, before the dependencies on it are known.
    fn new(candidate: &GraphCandidate<'_>, links: Vec<ResolvedDependency>) -> Self {
        ResolvedPackage {
            id: candidate.summary.id(),
            aliases: BTreeSet::new(),
            replaces: BTreeSet::new(),
            summary: candidate.summary.clone(),
            links,
            parents: Vec::new(),
        }
    }

    /// Adds the install name of a dependency on it, and what it replaces there; `candidate` is its own.
    fn add_dependent(&mut self, dependency: &PackageDependency, candidate: &GraphCandidate<'_>) {
        self.aliases.insert(dependency.alias.clone());

        // A candidate that matches the dependency by itself replaces nothing.
        let patch = candidate
            .patch_for(dependency)
            .filter(|_| !takes(dependency, candidate.summary));
        self.replaces
            .extend(patch.map(|patch| patch.replaced_reference(&dependency.source)));
    }
}

/// Enters each dependency at the package that was selected for it; `candidates` are those of `packages`.
fn link_packages(
    packages: &mut [ResolvedPackage],
    roots: &[ResolvedDependency],
    candidates: &[&GraphCandidate<'_>],
) {
    for ResolvedDependency { dependency, to } in roots {
        packages[*to].add_dependent(dependency, candidates[*to]);
    }

    for from in 0..packages.len() {
        for ResolvedDependency { dependency, to } in packages[from].links.clone() {
            let package = &mut packages[to];
            package.add_dependent(&dependency, candidates[to]);
            // Two dependencies on one package, under two names, make one parent.
            if package.parents.last() != Some(&from) {
                package.parents.push(from);
            }
        }
    }
}

/// The selected packages that the project needs, directly or transitively.
fn reachable(graph: &DependencyGraph<'_>, chosen: &BTreeMap<GraphNode, u32>) -> Vec<GraphNode> {
    let mut seen = BTreeSet::from([GraphNode::Root]);
    let mut stack = vec![GraphNode::Root];
    while let Some(node) = stack.pop() {
        for edge in graph.edges_of(node, chosen[&node]) {
            if seen.insert(edge.to) {
                stack.push(edge.to);
            }
        }
    }

    // Contested names are nodes for the search only.
    seen.into_iter()
        .filter(|node| matches!(node, GraphNode::Package(_)))
        .collect()
}

fn candidate<'w, 'a>(
    graph: &'w DependencyGraph<'a>,
    chosen: &BTreeMap<GraphNode, u32>,
    node: GraphNode,
) -> &'w GraphCandidate<'a> {
    let package = graph.package(node).expect("only package nodes are passed");
    &package.candidates[chosen[&node] as usize]
}

fn resolved_links(
    needs: &NodeDependencies<'_>,
    positions: &BTreeMap<GraphNode, usize>,
) -> Vec<ResolvedDependency> {
    // The edges to contested names have no position: they are dropped here.
    let to_packages = needs
        .edges
        .iter()
        .filter_map(|edge| Some((edge.dependency, *positions.get(&edge.to)?)));

    let mut links: Vec<ResolvedDependency> = to_packages
        .map(|(dependency, to)| ResolvedDependency {
            dependency: dependency.clone(),
            to,
        })
        .collect();

    // By name and not by node, whose numbers depend on all other packages.
    links.sort_by(|a, b| (&a.dependency.alias, a.to).cmp(&(&b.dependency.alias, b.to)));
    links
}

fn collect_missing<'w, 'a: 'w>(
    graph: &'w DependencyGraph<'a>,
    chosen: impl Iterator<Item = &'w GraphCandidate<'a>>,
) -> Vec<MissingOptional> {
    let mut missing = missing_of(None, &graph.root);
    for candidate in chosen {
        let requester = Some(candidate.summary.id());
        missing.extend(missing_of(
            requester.as_ref(),
            graph.dependencies_of(candidate),
        ));
    }

    missing
}

/// The missing optional dependencies of the project, or of a package.
fn missing_of(requester: Option<&PackageId>, needs: &NodeDependencies<'_>) -> Vec<MissingOptional> {
    needs
        .missing
        .iter()
        .map(|&dependency| MissingOptional {
            requester: requester.cloned(),
            dependency: dependency.clone(),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::table::{candidates, roots};
    use super::super::{VersionPins, resolve};
    use super::*;

    fn solved() -> ResolveGraph {
        let table = "
            a 1.0.0 -> b *, c *
            b 1.0.0 -> d *
            c 1.0.0 -> b *, e *
            d 1.0.0 -> a *
            e 1.0.0
            unused 1.0.0 -> e *
        ";
        resolve(
            &roots("c ^1 as:sea, a *, c *"),
            &VersionPins::new(),
            &candidates(table),
        )
        .unwrap()
    }

    fn at(resolve: &ResolveGraph, name: &str) -> usize {
        resolve
            .packages()
            .iter()
            .position(|package| package.id.name.to_string() == name)
            .unwrap()
    }

    fn names(resolve: &ResolveGraph, positions: &[usize]) -> String {
        positions
            .iter()
            .map(|at| resolve.packages()[*at].id.name.to_string())
            .collect::<Vec<_>>()
            .join(" ")
    }

    #[test]
    fn graph_has_only_needed_packages() {
        assert!(
            solved()
                .packages()
                .iter()
                .all(|package| package.id.name.to_string() != "unused")
        );
    }

    #[test]
    fn children_and_parents_mirror_each_other() {
        let resolve = solved();
        assert_eq!(names(&resolve, &resolve.children(at(&resolve, "c"))), "b e");
        assert_eq!(names(&resolve, resolve.parents(at(&resolve, "b"))), "a c");
        assert_eq!(
            names(&resolve, resolve.parents(at(&resolve, "a"))),
            "d",
            "the project is not among them"
        );
    }

    #[test]
    fn roots_keep_their_dependencies() {
        let resolve = solved();
        let c = at(&resolve, "c");
        let requirements: Vec<String> = resolve
            .root_dependencies_on(c)
            .map(|dependency| dependency.req.to_string())
            .collect();
        assert_eq!(requirements, ["*", "^1"]);
        assert_eq!(resolve.packages()[c].aliases.len(), 2);
        assert_eq!(resolve.root_dependencies_on(at(&resolve, "b")).count(), 0);
    }

    #[test]
    fn a_path_from_each_root_is_a_shortest_one() {
        let resolve = solved();
        let paths = |name| {
            let paths = resolve.paths_to(at(&resolve, name));
            paths
                .iter()
                .map(|path| names(&resolve, path))
                .collect::<Vec<_>>()
        };
        assert_eq!(paths("d"), ["a b d", "c b d"]);
        assert_eq!(paths("e"), ["c e", "a c e"]);
        assert_eq!(paths("a"), ["a", "c b d a"]);
    }
}
