//! The solver's answer, a graph, and the questions it can be asked.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::world::{Candidate, Needs, Node, World, takes};
use crate::package::{Dependency, PackageId, SkillName, Summary};

/// One version of every package that is needed, and who needs it.
///
/// Packages are sorted and are referred to by their position in [`Resolve::packages`]. Two resolves of equal input are
/// equal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resolve {
    packages: Vec<Resolved>,
    roots: Vec<Link>,
    missing: Vec<MissingOptional>,
}

/// A package that was chosen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resolved {
    /// Its name, version and source; the source is down to the reference.
    pub id: PackageId,
    /// The names it is installed under: one for each that is asked for, at least one.
    pub aliases: BTreeSet<SkillName>,
    /// What its source offered.
    pub summary: Summary,
    /// The packages it was chosen in place of, as [`Patch::replaced`](crate::package::Patch::replaced) writes them.
    pub replaces: BTreeSet<String>,
    /// What it needs, and what that came to.
    pub links: Vec<Link>,
    parents: Vec<usize>,
}

/// A dependency and the package that was chosen for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// What was asked for.
    pub dependency: Dependency,
    /// The position of what was chosen.
    pub to: usize,
}

/// An optional dependency that nothing is offered for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MissingOptional {
    /// Who wishes for it; `None` for the project itself.
    pub asker: Option<PackageId>,
    /// What is wished for.
    pub dependency: Dependency,
}

impl Resolve {
    pub(super) fn new(world: &World<'_>, chosen: &BTreeMap<Node, u32>) -> Self {
        let mut nodes = reachable(world, chosen);
        nodes.sort_by_cached_key(|node| {
            let summary = candidate(world, chosen, *node).summary;
            (summary.id(), summary.subdir.clone())
        });
        let positions: BTreeMap<Node, usize> = nodes.iter().copied().zip(0..).collect();
        let roots = links(&world.root, &positions);
        let mut packages: Vec<Resolved> = nodes
            .iter()
            .map(|node| {
                let candidate = candidate(world, chosen, *node);
                Resolved {
                    id: candidate.summary.id(),
                    aliases: BTreeSet::new(),
                    replaces: BTreeSet::new(),
                    summary: candidate.summary.clone(),
                    links: links(world.needs_of(candidate), &positions),
                    parents: Vec::new(),
                }
            })
            .collect();
        let replaced = |dependency: &Dependency, to: usize| {
            let candidate = candidate(world, chosen, nodes[to]);
            let patch = candidate.replaces(dependency).filter(|_| !takes(dependency, candidate.summary))?;
            Some(patch.replaced(&dependency.source))
        };
        for link in &roots {
            packages[link.to].replaces.extend(replaced(&link.dependency, link.to));
            packages[link.to].aliases.insert(link.dependency.alias.clone());
        }
        for from in 0..packages.len() {
            for Link { dependency, to } in packages[from].links.clone() {
                packages[to].replaces.extend(replaced(&dependency, to));
                packages[to].aliases.insert(dependency.alias);
                if packages[to].parents.last() != Some(&from) {
                    packages[to].parents.push(from);
                }
            }
        }
        let missing = missing(world, nodes.iter().map(|node| candidate(world, chosen, *node)));
        Resolve { packages, roots, missing }
    }

    /// What was chosen, sorted by name, version and source.
    #[must_use]
    pub fn packages(&self) -> &[Resolved] {
        &self.packages
    }

    /// What the project itself asks for, and what that came to.
    #[must_use]
    pub fn roots(&self) -> &[Link] {
        &self.roots
    }

    /// The optional dependencies of the project and of what was chosen that nothing is offered for.
    #[must_use]
    pub fn missing_optional(&self) -> &[MissingOptional] {
        &self.missing
    }

    /// What was chosen though its dependencies are not read yet. Read these, then resolve again.
    pub fn unread(&self) -> impl Iterator<Item = &Resolved> {
        self.packages.iter().filter(|package| package.summary.dependencies.is_none())
    }

    /// The position of the package that is installed under a name.
    #[must_use]
    pub fn by_alias(&self, alias: &SkillName) -> Option<usize> {
        self.packages.iter().position(|package| package.aliases.contains(alias))
    }

    /// The positions of what a package needs, each once, in order.
    #[must_use]
    pub fn children(&self, package: usize) -> Vec<usize> {
        let children: BTreeSet<usize> = self.packages[package].links.iter().map(|link| link.to).collect();
        children.into_iter().collect()
    }

    /// The positions of what needs a package, each once, in order. The project itself is not among them.
    #[must_use]
    pub fn parents(&self, package: usize) -> &[usize] {
        &self.packages[package].parents
    }

    /// The project's own dependencies that are answered by a package.
    pub fn asked_by_root(&self, package: usize) -> impl Iterator<Item = &Dependency> {
        self.roots.iter().filter(move |link| link.to == package).map(|link| &link.dependency)
    }

    /// Why a package is there: for each package that the project asks for and that leads to it, a shortest path from that
    /// one to it, both included. Shortest paths first.
    #[must_use]
    pub fn paths_to(&self, package: usize) -> Vec<Vec<usize>> {
        let distances = self.distances_to(package);
        let starts: BTreeSet<usize> = self.roots.iter().map(|link| link.to).collect();
        let mut paths: Vec<Vec<usize>> =
            starts.into_iter().filter_map(|start| self.shortest_path(start, &distances)).collect();
        paths.sort_by_key(Vec::len);
        paths
    }

    /// How many links lead from each package to one; `None` where none do.
    fn distances_to(&self, package: usize) -> Vec<Option<usize>> {
        let mut distances = vec![None; self.packages.len()];
        distances[package] = Some(0);
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
        while left > 0 {
            left -= 1;
            at = self.children(at).into_iter().find(|child| distances[*child] == Some(left))?;
            path.push(at);
        }
        Some(path)
    }
}

/// The chosen packages that the project needs, directly or not.
fn reachable(world: &World<'_>, chosen: &BTreeMap<Node, u32>) -> Vec<Node> {
    let mut seen = BTreeSet::from([Node::Root]);
    let mut stack = vec![Node::Root];
    while let Some(node) = stack.pop() {
        for edge in world.needs(node, chosen[&node]) {
            if seen.insert(edge.to) {
                stack.push(edge.to);
            }
        }
    }
    seen.into_iter().filter(|node| matches!(node, Node::Package(_))).collect()
}

fn candidate<'w, 'a>(world: &'w World<'a>, chosen: &BTreeMap<Node, u32>, node: Node) -> &'w Candidate<'a> {
    let package = world.package(node).expect("only packages are asked for");
    &package.candidates[chosen[&node] as usize]
}

fn links(needs: &Needs<'_>, positions: &BTreeMap<Node, usize>) -> Vec<Link> {
    let to_packages = needs.edges.iter().filter_map(|edge| Some((edge.dependency, *positions.get(&edge.to)?)));
    let mut links: Vec<Link> =
        to_packages.map(|(dependency, to)| Link { dependency: dependency.clone(), to }).collect();
    links.sort_by(|a, b| (&a.dependency.alias, a.to).cmp(&(&b.dependency.alias, b.to)));
    links
}

fn missing<'w, 'a: 'w>(world: &'w World<'a>, chosen: impl Iterator<Item = &'w Candidate<'a>>) -> Vec<MissingOptional> {
    let wish = |asker: Option<PackageId>, needs: &Needs<'_>| {
        let wishes = needs.missing.iter();
        wishes.map(|&dependency| MissingOptional { asker: asker.clone(), dependency: dependency.clone() }).collect()
    };
    let of_root: Vec<_> = wish(None, &world.root);
    of_root
        .into_iter()
        .chain(chosen.flat_map(|candidate| wish(Some(candidate.summary.id()), world.needs_of(candidate))))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::table::{candidates, roots};
    use super::super::{Pins, resolve};
    use super::*;

    fn solved() -> Resolve {
        let table = "
            a 1.0.0 -> b *, c *
            b 1.0.0 -> d *
            c 1.0.0 -> b *, e *
            d 1.0.0 -> a *
            e 1.0.0
            unused 1.0.0 -> e *
        ";
        resolve(&roots("c ^1 as:sea, a *, c *"), &Pins::new(), &candidates(table)).unwrap()
    }

    fn at(resolve: &Resolve, name: &str) -> usize {
        resolve.packages().iter().position(|package| package.id.name.to_string() == name).unwrap()
    }

    fn names(resolve: &Resolve, positions: &[usize]) -> String {
        positions.iter().map(|at| resolve.packages()[*at].id.name.to_string()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn only_what_is_needed_is_in_it() {
        assert!(solved().packages().iter().all(|package| package.id.name.to_string() != "unused"));
    }

    #[test]
    fn children_and_parents_mirror_each_other() {
        let resolve = solved();
        assert_eq!(names(&resolve, &resolve.children(at(&resolve, "c"))), "b e");
        assert_eq!(names(&resolve, resolve.parents(at(&resolve, "b"))), "a c");
        assert_eq!(names(&resolve, resolve.parents(at(&resolve, "a"))), "d", "the project is not among them");
    }

    #[test]
    fn roots_know_what_they_asked_for() {
        let resolve = solved();
        let c = at(&resolve, "c");
        let asked: Vec<String> = resolve.asked_by_root(c).map(|dependency| dependency.req.to_string()).collect();
        assert_eq!(asked, ["*", "^1"]);
        assert_eq!(resolve.packages()[c].aliases.len(), 2);
        assert_eq!(resolve.asked_by_root(at(&resolve, "b")).count(), 0);
    }

    #[test]
    fn a_path_from_each_root_is_a_shortest_one() {
        let resolve = solved();
        let paths = |name| {
            let paths = resolve.paths_to(at(&resolve, name));
            paths.iter().map(|path| names(&resolve, path)).collect::<Vec<_>>()
        };
        assert_eq!(paths("d"), ["a b d", "c b d"]);
        assert_eq!(paths("e"), ["c e", "a c e"]);
        assert_eq!(paths("a"), ["a", "c b d a"]);
    }
}
