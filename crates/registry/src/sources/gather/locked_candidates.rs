//! Locked packages for the search, by name and by directory, so that a lookup in a large lockfile costs no more than in
//! a small one.

use std::collections::BTreeMap;

use semver::{Comparator, Op, VersionReq};

use super::{GatherRequest, LockTrust};
use skillpm_core::lockfile::LockedPackage;
use skillpm_core::package::{
    PackageDependency, PackageName, PackageSummary, PatchEntry, RelPath, SourceId,
};
use skillpm_core::resolver;

/// The locked packages that may be kept.
pub(super) struct LockedCandidates<'q> {
    trust: LockTrust,
    patches: &'q [PatchEntry],
    packages: Vec<(PackageSummary, &'q LockedPackage)>,
    by_name: BTreeMap<&'q PackageName, Vec<usize>>,
    by_directory: BTreeMap<&'q RelPath, Vec<usize>>,
}

impl<'q> LockedCandidates<'q> {
    pub(super) fn new(request: &'q GatherRequest<'q>, trust: LockTrust) -> Self {
        let patches = request.patches;
        let locked: Vec<&LockedPackage> = request
            .kept_packages
            .iter()
            .copied()
            .filter(|locked| is_patch_current(locked, patches))
            .collect();

        let mut by_reference: BTreeMap<String, &LockedPackage> = BTreeMap::new();
        for locked in &locked {
            by_reference.entry(locked.reference()).or_insert(locked);
        }
        let mut packages: Vec<(PackageSummary, &LockedPackage)> = Vec::new();
        for &locked in &locked {
            // With open trust the dependencies are read again.
            let needs = match trust {
                LockTrust::Exact => locked_needs(locked, &by_reference, patches),
                LockTrust::Open => None,
            };
            packages.push((locked_summary(locked, needs), locked));
        }

        let (mut by_name, mut by_directory) = (BTreeMap::new(), BTreeMap::new());
        for (at, locked) in locked.iter().enumerate() {
            by_name
                .entry(&locked.name)
                .or_insert_with(Vec::new)
                .push(at);
            if let Some(path) = &locked.path {
                by_directory.entry(path).or_insert_with(Vec::new).push(at);
            }
        }

        LockedCandidates {
            trust,
            patches,
            packages,
            by_name,
            by_directory,
        }
    }

    /// The locked packages as candidates.
    ///
    /// With exact trust each depends on exactly the locked versions, if all of them are kept; else its dependencies are read
    /// again.
    pub(super) fn summaries(&self) -> impl Iterator<Item = &PackageSummary> {
        self.packages.iter().map(|(summary, _)| summary)
    }

    /// Their dependencies, as far as they are known.
    pub(super) fn needs(&self) -> impl Iterator<Item = &PackageDependency> {
        self.summaries()
            .flat_map(|summary| summary.dependencies.iter().flatten())
    }

    /// Whether a locked package satisfies a dependency, so that no source is queried.
    pub(super) fn has_answer(&self, dependency: &PackageDependency) -> bool {
        // Open trust means that the sources are queried for alternatives.
        if self.trust == LockTrust::Open {
            return false;
        }

        let named = self.by_name.get(&dependency.package);
        let in_directory = dependency
            .subdir
            .as_ref()
            .and_then(|dir| self.by_directory.get(dir));

        let mut candidates = named
            .into_iter()
            .chain(in_directory)
            .flatten()
            .map(|at| &self.packages[*at]);

        if candidates.any(|(summary, locked)| self.is_answer(dependency, summary, locked)) {
            return true;
        }

        // Or a locked package replaces it by a patch.
        let is_patch = |(summary, locked): &(PackageSummary, &LockedPackage)| {
            let mut patches = self.patches.iter();
            !locked.replaces.is_empty()
                && patches.any(|patch| resolver::can_replace(patch, summary, dependency))
        };
        !self.patches.is_empty() && self.packages.iter().any(is_patch)
    }

    fn is_answer(
        &self,
        dependency: &PackageDependency,
        summary: &PackageSummary,
        locked: &LockedPackage,
    ) -> bool {
        // An index has the dependencies of a version, so it is queried where they are not known.
        let is_known =
            summary.dependencies.is_some() || !matches!(summary.source, SourceId::Registry(_));
        is_known
            && resolver::is_satisfied_by(dependency, summary)
            && !is_patched(locked, self.patches)
    }

    /// The locked package of a candidate; `None` if it is not a locked one.
    pub(super) fn find_locked(&self, summary: &PackageSummary) -> Option<&'q LockedPackage> {
        let named = self
            .by_name
            .get(&summary.name)?
            .iter()
            .map(|at| &self.packages[*at]);

        let mut same =
            named.filter(|(kept, _)| kept.id() == summary.id() && kept.subdir == summary.subdir);
        same.next().map(|(_, locked)| *locked)
    }
}

/// The dependencies of a locked package on exactly the locked versions; `None` if not all of these are kept.
fn locked_needs(
    locked: &LockedPackage,
    by_reference: &BTreeMap<String, &LockedPackage>,
    patches: &[PatchEntry],
) -> Option<Vec<PackageDependency>> {
    let needs = locked.dependencies.iter().map(|reference| {
        let needed = *by_reference.get(reference)?;
        // A package that has a patch now is not required in exactly this version.
        (!is_patched(needed, patches)).then(|| exact_dependency(needed))
    });
    needs.collect()
}

/// Whether the patches that a locked package was recorded for still exist and name it.
pub(super) fn is_patch_current(locked: &LockedPackage, patches: &[PatchEntry]) -> bool {
    let is_named = |replaced: &String| {
        let mut patches = patches
            .iter()
            .filter(|patch| patch.is_recorded_as(replaced));
        patches.any(|patch| resolver::is_named_by(patch, &locked_summary(locked, None)))
    };
    locked.replaces.iter().all(is_named)
}

/// Whether there is now a patch for a package that was locked without one.
pub(super) fn is_patched(locked: &LockedPackage, patches: &[PatchEntry]) -> bool {
    // Compared as a dependency, which is what a patch is for.
    locked.replaces.is_empty() && !patches.is_empty() && {
        let itself = exact_dependency(locked);
        patches.iter().any(|patch| patch.is_for(&itself))
    }
}

fn locked_summary(
    locked: &LockedPackage,
    dependencies: Option<Vec<PackageDependency>>,
) -> PackageSummary {
    PackageSummary {
        name: locked.name.clone(),
        version: locked.version.clone(),
        source: locked.source.clone(),
        subdir: locked.path.clone(),
        dependencies,
        yanked: false,
        published: None,
    }
}

/// A dependency on exactly this package.
fn exact_dependency(locked: &LockedPackage) -> PackageDependency {
    let exact = locked.version.as_ref().map(|version| Comparator {
        op: Op::Exact,
        major: version.major,
        minor: Some(version.minor),
        patch: Some(version.patch),
        pre: version.pre.clone(),
    });
    PackageDependency {
        alias: locked.install_name().clone(),
        package: locked.name.clone(),
        source: locked.source.clone(),
        subdir: locked.path.clone(),
        req: VersionReq {
            comparators: exact.into_iter().collect(),
        },
        dev: false,
        optional: false,
    }
}
