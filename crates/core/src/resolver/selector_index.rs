//! Which dependencies are on the same package.
//!
//! A dependency selects its skill by name or by directory. Selectors that match one candidate belong to one package, and
//! so do a package and its `[patch]` replacement; the groups are found with disjoint sets.

use std::collections::{BTreeMap, BTreeSet};

use pubgrub::Map;

use super::candidates::{Candidates, is_location_unknown};
use super::root::RootDependency;
use crate::package::{
    GitUrl, PackageDependency, PackageName, PackageSummary, PatchEntry, RelPath, SiteUrl,
    SkillName, SourceId,
};

/// The package of each selector in use: selectors that match one candidate belong to one package.
pub(super) struct SelectorIndex<'a> {
    selectors: SelectorNumbers<'a>,
    /// The package of each selector, by the selector's number.
    package_of: Vec<u32>,
    pub(super) packages: u32,
    /// The first install name used with each selector, by the selector's number.
    first_aliases: Vec<&'a SkillName>,
    /// The other install names, which are few, with the selector's number.
    other_aliases: Vec<(u32, &'a SkillName)>,
    /// The patches that apply to some dependency.
    pub(super) patches: Vec<&'a PatchEntry>,
}

/// The location of a source, without the git reference.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum CanonicalSource<'a> {
    Registry(&'a str),
    Git(&'a GitUrl),
    Path(&'a str),
    Archive(&'a str),
    WellKnown(&'a SiteUrl),
    ClawHub(&'a SiteUrl),
}

impl<'a> From<&'a SourceId> for CanonicalSource<'a> {
    fn from(source: &'a SourceId) -> Self {
        match source {
            SourceId::Registry(index) => CanonicalSource::Registry(index),
            SourceId::Git { url, .. } => CanonicalSource::Git(url),
            SourceId::Path(path) => CanonicalSource::Path(path),
            SourceId::Archive(place) => CanonicalSource::Archive(place),
            SourceId::WellKnown(site) => CanonicalSource::WellKnown(site),
            SourceId::ClawHub(hub) => CanonicalSource::ClawHub(hub),
        }
    }
}

/// How a dependency selects a skill within its source.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum SkillSelector<'a> {
    Name(&'a PackageName),
    Directory(&'a RelPath),
}

impl<'a> From<&'a PackageDependency> for SkillSelector<'a> {
    fn from(dependency: &'a PackageDependency) -> Self {
        match &dependency.subdir {
            Some(subdir) => SkillSelector::Directory(subdir),
            None => SkillSelector::Name(&dependency.package),
        }
    }
}

/// The selectors in use, numbered.
type SelectorNumbers<'a> = Map<(CanonicalSource<'a>, SkillSelector<'a>), u32>;

impl<'a> SelectorIndex<'a> {
    pub(super) fn new(roots: &'a [RootDependency], candidates: &'a Candidates) -> Self {
        let mut collected = CollectedSelectors::default();
        for dependency in all_dependencies(roots, candidates) {
            collected.add_dependency(dependency, candidates.patches());
        }

        let replacements = collected.add_replacements(candidates.patches());
        let patches: Vec<&PatchEntry> = collected
            .replaced_by_patch
            .keys()
            .map(|&at| &candidates.patches()[at])
            .collect();

        // Only now are all selectors numbered, and each begins as a group of its own.
        let selectors = collected.selectors;
        let mut groups = DisjointGroups((0..to_index(selectors.len())).collect());
        for (replacement, replaced) in replacements {
            groups.join(replacement, replaced);
        }
        join_by_candidates(&mut groups, &selectors, candidates);

        let meant = all_dependencies(roots, candidates)
            .chain(patches.iter().map(|patch| &patch.replacement));
        join_unread(&mut groups, &selectors, meant, candidates);

        let (package_of, packages) = number_packages(&selectors, &mut groups);
        SelectorIndex {
            selectors,
            package_of,
            packages,
            first_aliases: collected.first_aliases,
            other_aliases: collected.other_aliases,
            patches,
        }
    }

    /// The install names that two packages share, with those packages.
    pub(super) fn contested(&self) -> BTreeMap<&'a SkillName, BTreeSet<u32>> {
        let mut wanted: BTreeMap<&'a SkillName, BTreeSet<u32>> = BTreeMap::new();
        let usual = (0..).zip(self.first_aliases.iter().copied());
        for (selector, alias) in usual.chain(self.other_aliases.iter().copied()) {
            wanted
                .entry(alias)
                .or_default()
                .insert(self.package_of[selector as usize]);
        }

        // One package under a name cannot clash, and needs no node.
        wanted.retain(|_, packages| packages.len() > 1);
        wanted
    }

    pub(super) fn package_of_dependency(&self, dependency: &'a PackageDependency) -> u32 {
        self.package_of[self.selectors[&(
            CanonicalSource::from(&dependency.source),
            SkillSelector::from(dependency),
        )] as usize]
    }

    /// The package of a candidate; `None` if no dependency names it.
    pub(super) fn package_of_summary(&self, summary: &'a PackageSummary) -> Option<u32> {
        let selector = matching_selectors(&self.selectors, summary)
            .into_iter()
            // Either gives the same package, since the two are joined.
            .flatten()
            .next()?;
        Some(self.package_of[selector as usize])
    }
}

/// The selectors that were found so far, with the names that they are installed under.
#[derive(Default)]
struct CollectedSelectors<'a> {
    selectors: SelectorNumbers<'a>,
    /// As in [`SelectorIndex`].
    first_aliases: Vec<&'a SkillName>,
    /// As in [`SelectorIndex`].
    other_aliases: Vec<(u32, &'a SkillName)>,
    /// For each patch that applies, by its position, what it replaces; at least one.
    replaced_by_patch: BTreeMap<usize, Vec<ReplacedSelector<'a>>>,
}

/// A selector that a patch replaces, in one dependency.
struct ReplacedSelector<'a> {
    selector: u32,
    alias: &'a SkillName,
}

impl<'a> CollectedSelectors<'a> {
    fn add_dependency(&mut self, dependency: &'a PackageDependency, patches: &[PatchEntry]) {
        let selector = self.number_selector(dependency, &dependency.alias);

        // Nearly all dependencies use one name, so only the others take an entry of their own.
        if *self.first_aliases[selector as usize] != dependency.alias {
            self.other_aliases.push((selector, &dependency.alias));
        }

        for (at, patch) in patches.iter().enumerate() {
            if patch.is_for(dependency) {
                self.replaced_by_patch
                    .entry(at)
                    .or_default()
                    .push(ReplacedSelector {
                        selector,
                        alias: &dependency.alias,
                    });
            }
        }
    }

    /// Adds the selectors of the patches that apply; returns each with one that it replaces.
    fn add_replacements(&mut self, patches: &'a [PatchEntry]) -> Vec<(u32, u32)> {
        let replaced_by_patch = std::mem::take(&mut self.replaced_by_patch);
        let mut pairs = Vec::new();

        // In the order of the patches, so that the numbers do not depend on who uses them.
        for (at, replaced) in &replaced_by_patch {
            // The replacement is a package of its own source, joined with the package it replaces.
            let selector = self.number_selector(&patches[*at].replacement, replaced[0].alias);
            pairs.extend(replaced.iter().map(|other| (selector, other.selector)));
        }

        self.replaced_by_patch = replaced_by_patch;
        pairs
    }

    /// The number of a dependency's selector, and the next one, with `alias` as its first name, if it is new.
    fn number_selector(&mut self, dependency: &'a PackageDependency, alias: &'a SkillName) -> u32 {
        let next = to_index(self.selectors.len());
        let selector = *self
            .selectors
            .entry((
                CanonicalSource::from(&dependency.source),
                SkillSelector::from(dependency),
            ))
            .or_insert(next);

        if selector == next {
            self.first_aliases.push(alias);
        }
        selector
    }
}

/// Joins the selectors that one candidate matches by its name and by its directory: both are that package.
fn join_by_candidates(
    groups: &mut DisjointGroups,
    selectors: &SelectorNumbers<'_>,
    candidates: &Candidates,
) {
    for summary in candidates.iter() {
        let [name, directory] = matching_selectors(selectors, summary);
        if let (Some(name), Some(directory)) = (name, directory) {
            groups.join(name, directory);
        }
    }
}

/// The package of each selector, by the selector's number, and how many packages there are.
fn number_packages(
    selectors: &SelectorNumbers<'_>,
    groups: &mut DisjointGroups,
) -> (Vec<u32>, u32) {
    // Packages are numbered in the order of their selectors, not of their arrival.
    let mut sorted: Vec<_> = selectors.iter().collect();
    sorted.sort_unstable();

    let mut numbers: Map<u32, u32> = Map::default();
    let mut package_of = vec![0; sorted.len()];
    for (_, &selector) in sorted {
        let next = to_index(numbers.len());
        package_of[selector as usize] = *numbers.entry(groups.find_first(selector)).or_insert(next);
    }

    (package_of, to_index(numbers.len()))
}

/// The dependencies of the project and of all candidates.
fn all_dependencies<'a>(
    roots: &'a [RootDependency],
    candidates: &'a Candidates,
) -> impl Iterator<Item = &'a PackageDependency> {
    roots
        .iter()
        .map(|root| &root.dependency)
        .chain(candidates.iter().flat_map(binding_dependencies))
}

/// The dependencies of a candidate that bind those who depend on it.
pub(super) fn binding_dependencies(
    summary: &PackageSummary,
) -> impl Iterator<Item = &PackageDependency> {
    summary
        .dependencies
        .iter()
        .flatten()
        // Development dependencies are for work on the package itself.
        .filter(|dependency| !dependency.dev)
}

/// A length or position as the index type of the graph.
pub(super) fn to_index(length: usize) -> u32 {
    u32::try_from(length).expect("fewer than 2^32 candidates fit in memory")
}

/// The selectors in use that a candidate matches, by name and by directory.
fn matching_selectors<'a>(
    selectors: &SelectorNumbers<'a>,
    summary: &'a PackageSummary,
) -> [Option<u32>; 2] {
    let source = CanonicalSource::from(&summary.source);
    let directory = summary
        .subdir
        .as_ref()
        .and_then(|subdir| selectors.get(&(source, SkillSelector::Directory(subdir))));

    [
        selectors
            .get(&(source, SkillSelector::Name(&summary.name)))
            .copied(),
        directory.copied(),
    ]
}

/// Joins the directory and the name of a dependency while there are unread candidates of that name, which may turn out to
/// be in that directory.
fn join_unread<'a>(
    groups: &mut DisjointGroups,
    selectors: &SelectorNumbers<'a>,
    dependencies: impl Iterator<Item = &'a PackageDependency>,
    candidates: &'a Candidates,
) {
    // Read later, they may match the dependency by directory; until then both must be one package.
    let unplaced: BTreeSet<_> = candidates
        .iter()
        .filter(|summary| is_location_unknown(summary))
        .map(|summary| (CanonicalSource::from(&summary.source), &summary.name))
        .collect();
    // The common case: everything was read, and the walk below can be left out.
    if unplaced.is_empty() {
        return;
    }

    for dependency in dependencies {
        let source = CanonicalSource::from(&dependency.source);
        let name = selectors.get(&(source, SkillSelector::Name(&dependency.package)));
        if let Some(&name) = name.filter(|_| unplaced.contains(&(source, &dependency.package))) {
            groups.join(name, selectors[&(source, SkillSelector::from(dependency))]);
        }
    }
}

/// Disjoint sets: each index points to another of its group, the first of a group to itself.
struct DisjointGroups(Vec<u32>);

impl DisjointGroups {
    fn find_first(&mut self, mut index: u32) -> u32 {
        while self.0[index as usize] != index {
            let next = self.0[index as usize];
            // Each lookup halves the path, so that later ones are short.
            self.0[index as usize] = self.0[next as usize];
            index = next;
        }
        index
    }

    fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.find_first(a), self.find_first(b));
        // The lower one, so that the order of joining does not matter.
        self.0[a.max(b) as usize] = a.min(b);
    }
}
