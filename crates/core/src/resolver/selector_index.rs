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
}

impl<'a> From<&'a SourceId> for CanonicalSource<'a> {
    fn from(source: &'a SourceId) -> Self {
        match source {
            SourceId::Registry(index) => CanonicalSource::Registry(index),
            SourceId::Git { url, .. } => CanonicalSource::Git(url),
            SourceId::Path(path) => CanonicalSource::Path(path),
            SourceId::Archive(place) => CanonicalSource::Archive(place),
            SourceId::WellKnown(site) => CanonicalSource::WellKnown(site),
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
        let mut selectors = SelectorNumbers::default();
        let (mut first_aliases, mut other_aliases) = (Vec::new(), Vec::new());
        let mut replaced_by_patch: BTreeMap<usize, Vec<(u32, &'a SkillName)>> = BTreeMap::new();

        for dependency in all_dependencies(roots, candidates) {
            let next = to_index(selectors.len());
            let selector = *selectors
                .entry((
                    CanonicalSource::from(&dependency.source),
                    SkillSelector::from(dependency),
                ))
                .or_insert(next);

            if selector == next {
                first_aliases.push(&dependency.alias);
            } else if *first_aliases[selector as usize] != dependency.alias {
                other_aliases.push((selector, &dependency.alias));
            }

            for (at, _) in candidates
                .patches()
                .iter()
                .enumerate()
                .filter(|(_, patch)| patch.is_for(dependency))
            {
                replaced_by_patch
                    .entry(at)
                    .or_default()
                    .push((selector, &dependency.alias));
            }
        }

        // The replacement is a package of its own source, joined with the package it replaces.
        let mut joined = Vec::new();
        for (at, replaced) in &replaced_by_patch {
            let by = &candidates.patches()[*at].replacement;
            let next = to_index(selectors.len());
            let selector = *selectors
                .entry((CanonicalSource::from(&by.source), SkillSelector::from(by)))
                .or_insert(next);
            if selector == next {
                first_aliases.push(replaced[0].1);
            }

            joined.extend(replaced.iter().map(|(other, _)| (selector, *other)));
        }

        let patches: Vec<&PatchEntry> = replaced_by_patch
            .keys()
            .map(|&at| &candidates.patches()[at])
            .collect();

        let mut groups = DisjointGroups((0..to_index(selectors.len())).collect());
        joined
            .into_iter()
            .for_each(|(selector, other)| groups.join(selector, other));

        // A candidate that matches by name and by directory makes both one package.
        for summary in candidates.iter() {
            let [name, directory] = matching_selectors(&selectors, summary);
            if let (Some(name), Some(directory)) = (name, directory) {
                groups.join(name, directory);
            }
        }

        let meant = all_dependencies(roots, candidates)
            .chain(patches.iter().map(|patch| &patch.replacement));
        join_unread(&mut groups, &selectors, meant, candidates);

        // Packages are numbered in the order of their selectors, not of their arrival.
        let mut sorted: Vec<_> = selectors.iter().collect();
        sorted.sort_unstable();
        let mut numbers: Map<u32, u32> = Map::default();
        let mut package_of = vec![0; sorted.len()];

        for (_, &selector) in sorted {
            let next = to_index(numbers.len());
            package_of[selector as usize] =
                *numbers.entry(groups.find_first(selector)).or_insert(next);
        }

        SelectorIndex {
            selectors,
            package_of,
            packages: to_index(numbers.len()),
            first_aliases,
            other_aliases,
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
            .flatten()
            .next()?;
        Some(self.package_of[selector as usize])
    }
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
    let unplaced: BTreeSet<_> = candidates
        .iter()
        .filter(|summary| is_location_unknown(summary))
        .map(|summary| (CanonicalSource::from(&summary.source), &summary.name))
        .collect();
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
