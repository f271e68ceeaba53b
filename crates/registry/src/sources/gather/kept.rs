//! What was decided before, as the search takes it: by name and by directory, so that a large lockfile costs no more for
//! each question than a small one.

use std::collections::BTreeMap;

use semver::{Comparator, Op, VersionReq};

use super::{Question, Trust};
use crate::lockfile::Locked;
use crate::package::{Dependency, PackageName, Patch, RelPath, SourceId, Summary};
use crate::resolver;

/// The locked packages that may stay.
pub(super) struct Kept<'q> {
    trust: Trust,
    patches: &'q [Patch],
    packages: Vec<(Summary, &'q Locked)>,
    by_name: BTreeMap<&'q PackageName, Vec<usize>>,
    by_directory: BTreeMap<&'q RelPath, Vec<usize>>,
}

impl<'q> Kept<'q> {
    pub(super) fn new(question: &'q Question<'q>, trust: Trust) -> Self {
        let patches = question.patches;
        let locked: Vec<&Locked> =
            question.kept.iter().copied().filter(|locked| is_accounted_for(locked, patches)).collect();
        let mut by_reference: BTreeMap<String, &Locked> = BTreeMap::new();
        for locked in &locked {
            by_reference.entry(locked.reference()).or_insert(locked);
        }
        let needs = |locked: &Locked| {
            let needs = locked.dependencies.iter().map(|reference| {
                let needed = *by_reference.get(reference)?;
                // What is patched now, or could be, is not needed exactly as it is.
                (!is_patched(needed, patches)).then(|| exactly(needed))
            });
            needs.collect::<Option<Vec<Dependency>>>().filter(|_| trust == Trust::Exact)
        };
        let packages: Vec<(Summary, &Locked)> =
            locked.iter().map(|locked| (summary(locked, needs(locked)), *locked)).collect();
        let (mut by_name, mut by_directory) = (BTreeMap::new(), BTreeMap::new());
        for (at, locked) in locked.iter().enumerate() {
            by_name.entry(&locked.name).or_insert_with(Vec::new).push(at);
            if let Some(path) = &locked.path {
                by_directory.entry(path).or_insert_with(Vec::new).push(at);
            }
        }
        Kept { trust, patches, packages, by_name, by_directory }
    }

    /// Each as a candidate.
    ///
    /// With exact trust it needs exactly what the lockfile says, if all of that stays; else what it needs is read anew.
    pub(super) fn summaries(&self) -> impl Iterator<Item = &Summary> {
        self.packages.iter().map(|(summary, _)| summary)
    }

    /// What they need, as far as that is known.
    pub(super) fn needs(&self) -> impl Iterator<Item = &Dependency> {
        self.summaries().flat_map(|summary| summary.dependencies.iter().flatten())
    }

    /// Whether the lockfile answers, so that no source needs to be asked.
    pub(super) fn answers(&self, dependency: &Dependency) -> bool {
        if self.trust == Trust::Open {
            return false;
        }
        let named = self.by_name.get(&dependency.package);
        let in_directory = dependency.subdir.as_ref().and_then(|dir| self.by_directory.get(dir));
        let mut candidates = named.into_iter().chain(in_directory).flatten().map(|at| &self.packages[*at]);
        if candidates.any(|(summary, locked)| self.is_answer(dependency, summary, locked)) {
            return true;
        }
        let stands_in = |(summary, locked): &(Summary, &Locked)| {
            let mut patches = self.patches.iter();
            !locked.replaces.is_empty() && patches.any(|patch| resolver::stands_in(patch, summary, dependency))
        };
        !self.patches.is_empty() && self.packages.iter().any(stands_in)
    }

    fn is_answer(&self, dependency: &Dependency, summary: &Summary, locked: &Locked) -> bool {
        // A registry tells what its version needs without bringing it, so it is asked where that is not known.
        let is_known = summary.dependencies.is_some() || !matches!(summary.source, SourceId::Registry(_));
        is_known && resolver::answers(dependency, summary) && !is_patched(locked, self.patches)
    }

    /// The locked package that a candidate is.
    pub(super) fn same(&self, summary: &Summary) -> Option<&'q Locked> {
        let named = self.by_name.get(&summary.name)?.iter().map(|at| &self.packages[*at]);
        let mut same = named.filter(|(kept, _)| kept.id() == summary.id() && kept.subdir == summary.subdir);
        same.next().map(|(_, locked)| *locked)
    }
}

/// Whether what stands in for another package still does: its patch is there, and names it.
pub(super) fn is_accounted_for(locked: &Locked, patches: &[Patch]) -> bool {
    let is_named = |replaced: &String| {
        let mut patches = patches.iter().filter(|patch| patch.accounts_for(replaced));
        patches.any(|patch| resolver::is_named_by(patch, &summary(locked, None)))
    };
    locked.replaces.iter().all(is_named)
}

/// Whether there is a patch for a package that was locked as itself.
pub(super) fn is_patched(locked: &Locked, patches: &[Patch]) -> bool {
    locked.replaces.is_empty() && !patches.is_empty() && {
        let itself = exactly(locked);
        patches.iter().any(|patch| patch.is_for(&itself))
    }
}

fn summary(locked: &Locked, dependencies: Option<Vec<Dependency>>) -> Summary {
    Summary {
        name: locked.name.clone(),
        version: locked.version.clone(),
        source: locked.source.clone(),
        subdir: locked.path.clone(),
        dependencies,
        yanked: false,
        published: None,
    }
}

/// A dependency on just this package.
fn exactly(locked: &Locked) -> Dependency {
    let exact = locked.version.as_ref().map(|version| Comparator {
        op: Op::Exact,
        major: version.major,
        minor: Some(version.minor),
        patch: Some(version.patch),
        pre: version.pre.clone(),
    });
    Dependency {
        alias: locked.install_name().clone(),
        package: locked.name.clone(),
        source: locked.source.clone(),
        subdir: locked.path.clone(),
        req: VersionReq { comparators: exact.into_iter().collect() },
        dev: false,
        optional: false,
    }
}
