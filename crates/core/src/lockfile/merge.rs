//! Three-way merge of lockfiles, for a merge or rebase in version control.
//!
//! An entry is the same package on all sides if it has the same name, source location and install name. An entry that one
//! side changed is taken from that side; where both changed it, the entry with the higher version is taken, if every
//! dependent is known to be compatible with it. `dependencies` are not merged as text but rewritten to refer to the merged
//! entries.
//!
//! ```text
//! base    pdf 1.0   report 1.0 -> pdf 1.0
//! ours    pdf 1.1   report 1.0 -> pdf 1.1
//! theirs  pdf 1.0   report 2.0 -> pdf 1.0
//! merged  pdf 1.1   report 2.0 -> pdf 1.1     if report 2.0 is known to accept it; otherwise a conflict on pdf
//! ```
//!
//! No source is contacted: a package that cannot be decided from the three lockfiles, the manifest and the cached packages
//! is a [`LockfileConflict`].

mod conflict_markers;
mod graph;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use semver::VersionReq;

use super::{LockedPackage, Lockfile};
use crate::package::{Checksum, PackageName, PatchEntry, SkillName};
use crate::resolver::{self, RootDependency};
use graph::{LockedPackageKey, LockfileEdge, LockfileGraph, without_dependencies};

pub use conflict_markers::{ConflictSides, split_sides};

/// The known requirements of packages, by their checksum at the source.
pub type KnownRequirements = BTreeMap<Checksum, BTreeMap<PackageName, VersionReq>>;

/// The three lockfiles to merge.
#[derive(Debug, Clone, Copy)]
pub struct LockfileSides<'a> {
    /// The common ancestor; empty if it is not known.
    pub base: &'a Lockfile,
    /// The first side.
    pub ours: &'a Lockfile,
    /// The second side.
    pub theirs: &'a Lockfile,
}

/// The context of a merge besides the lockfiles.
#[derive(Debug, Clone, Copy)]
pub struct LockfileMergeContext<'a> {
    /// The dependencies of the project; `None` if its manifest cannot be read.
    pub roots: Option<&'a [RootDependency]>,
    /// Whether the manifest is merged already. If it is not, it may still change to admit a version that it refuses now.
    pub is_manifest_merged: bool,
    /// The entries of `[patch]`.
    pub patches: &'a [PatchEntry],
    /// The known requirements of packages.
    pub requirements: &'a KnownRequirements,
}

/// The result of a merge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MergedLockfile {
    /// The merged packages: all of them, if there are no conflicts.
    pub lockfile: Lockfile,
    /// The packages that the user has to decide.
    pub conflicts: Vec<LockfileConflict>,
}

/// A package that cannot be merged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LockfileConflict {
    /// The entry of the first side.
    pub ours: Option<LockedPackage>,
    /// The entry of the second side.
    pub theirs: Option<LockedPackage>,
    /// Why neither entry was taken.
    pub reason: String,
}

impl LockfileConflict {
    /// The install name of the package.
    #[must_use]
    pub fn name(&self) -> Option<&SkillName> {
        self.ours
            .as_ref()
            .or(self.theirs.as_ref())
            .map(LockedPackage::install_name)
    }
}

/// Merges the lockfiles of two sides.
#[must_use]
pub fn merge(sides: LockfileSides<'_>, known: LockfileMergeContext<'_>) -> MergedLockfile {
    LockfileMerger::new(sides, known).run()
}

/// Which version to try where both sides changed a package.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ContestedVersion {
    Higher,
    Lower,
}

struct LockfileMerger<'a> {
    base: LockfileGraph<'a>,
    ours: LockfileGraph<'a>,
    theirs: LockfileGraph<'a>,
    known: LockfileMergeContext<'a>,
    /// Packages that both sides changed to different versions.
    contested: BTreeMap<LockedPackageKey, ContestedVersion>,
    conflicts: BTreeMap<LockedPackageKey, LockfileConflict>,
}

type ChosenPackages<'a> = BTreeMap<LockedPackageKey, &'a LockedPackage>;

impl<'a> LockfileMerger<'a> {
    fn new(sides: LockfileSides<'a>, known: LockfileMergeContext<'a>) -> Self {
        let (base, ours, theirs) = (
            LockfileGraph::new(sides.base),
            LockfileGraph::new(sides.ours),
            LockfileGraph::new(sides.theirs),
        );
        LockfileMerger {
            base,
            ours,
            theirs,
            known,
            contested: BTreeMap::new(),
            conflicts: BTreeMap::new(),
        }
    }

    fn run(mut self) -> MergedLockfile {
        let mut chosen = self.choose();
        // Each round lowers one package and none is raised again, so this terminates.
        while let Some(lowered) = self.find_unfit(&chosen) {
            self.contested.insert(lowered, ContestedVersion::Lower);
            chosen = self.choose();
        }

        // Only when the versions are final, since the dependencies follow from them.
        self.drop_orphans(&mut chosen);
        self.reject_duplicates(&mut chosen);

        // A package may become a conflict after it was chosen.
        chosen.retain(|key, _| !self.conflicts.contains_key(key));

        let packages = chosen
            .iter()
            .map(|(key, entry)| self.with_merged_dependencies(key, entry, &chosen))
            .collect();
        MergedLockfile {
            lockfile: Lockfile::new(packages),
            conflicts: self.conflicts.into_values().collect(),
        }
    }

    /// Selects an entry for each package that stays.
    fn choose(&mut self) -> ChosenPackages<'a> {
        let keys: BTreeSet<LockedPackageKey> = self
            .ours
            .keys()
            .chain(self.theirs.keys())
            .cloned()
            .collect();

        let mut chosen = ChosenPackages::new();
        for key in keys {
            if let Some(entry) = self.pick_side(&key) {
                chosen.insert(key, entry);
            }
        }

        self.add_needed_packages(&mut chosen);
        chosen
    }

    fn pick_side(&mut self, key: &LockedPackageKey) -> Option<&'a LockedPackage> {
        let (base, ours, theirs) = (self.base.get(key), self.ours.get(key), self.theirs.get(key));

        // Dependencies are not compared, since they are rewritten at the end.
        let is_same = |a: Option<&LockedPackage>, b: Option<&LockedPackage>| {
            a.map(without_dependencies) == b.map(without_dependencies)
        };
        // Both sides are equal, or only ours changed.
        if is_same(ours, theirs) || is_same(theirs, base) {
            return ours;
        }
        // Only theirs changed.
        if is_same(ours, base) {
            return theirs;
        }

        // One side removed what the other changed: it stays removed unless another package needs it.
        let (ours, theirs) = (ours?, theirs?);
        self.pick_version(key, ours, theirs)
    }

    /// Selects one of two entries that both sides changed; adds a conflict if neither can be taken.
    fn pick_version(
        &mut self,
        key: &LockedPackageKey,
        ours: &'a LockedPackage,
        theirs: &'a LockedPackage,
    ) -> Option<&'a LockedPackage> {
        let (higher, lower) = match (&ours.version, &theirs.version) {
            (Some(one), Some(other)) if one > other => (ours, theirs),
            (Some(one), Some(other)) if one < other => (theirs, ours),
            // A branch, a path, or other content under one version: neither side is newer.
            _ => {
                self.add_conflict(
                    key,
                    "both sides changed it, and the versions do not show which is newer",
                );
                return None;
            }
        };

        let rank = *self
            .contested
            .entry(key.clone())
            .or_insert(ContestedVersion::Higher);
        let tried = if rank == ContestedVersion::Higher {
            higher
        } else {
            lower
        };
        match self.is_admitted(tried) {
            Some(true) => Some(tried),
            // The manifest is final, so the higher version can never fit, but the lower one may.
            Some(false) if rank == ContestedVersion::Higher && self.known.is_manifest_merged => {
                self.contested.insert(key.clone(), ContestedVersion::Lower);
                self.pick_version(key, ours, theirs)
            }
            // The manifest may still change in this merge, or refuses the lower version as well.
            Some(false) => {
                self.add_conflict(
                    key,
                    "the current manifest does not allow the higher version",
                );
                None
            }
            None => {
                self.add_conflict(
                    key,
                    "the manifest cannot be read, so the version that it allows is unknown",
                );
                None
            }
        }
    }

    /// Whether the project's own dependencies allow a package; `None` if the manifest cannot be read.
    fn is_admitted(&self, locked: &LockedPackage) -> Option<bool> {
        let summary = locked.summary();
        let mut asked = self
            .known
            .roots?
            .iter()
            .map(|root| &root.dependency)
            .filter(|asked| asked.alias == *locked.install_name());

        Some(asked.all(|asked| {
            let mut patches = self.known.patches.iter();
            resolver::is_satisfied_by(asked, &summary)
                || patches.any(|patch| resolver::can_replace(patch, &summary, asked))
        }))
    }

    /// Keeps the dependencies of the packages that stay.
    fn add_needed_packages(&self, chosen: &mut ChosenPackages<'a>) {
        let mut todo: Vec<LockedPackageKey> = chosen.keys().cloned().collect();

        while let Some(key) = todo.pop() {
            for edge in self.edges_of(&key, chosen[&key]) {
                let LockfileEdge::Entry(needed) = edge else {
                    continue;
                };
                if chosen.contains_key(&needed) || self.conflicts.contains_key(&needed) {
                    continue;
                }

                // The other side removed it, so only one side has an entry.
                let kept = [self.ours.get(&needed), self.theirs.get(&needed)]
                    .into_iter()
                    .flatten()
                    .next();
                if let Some(entry) = kept {
                    chosen.insert(needed.clone(), entry);
                    todo.push(needed);
                }
            }
        }
    }

    /// The dependencies of an entry on the side it was taken from; if both sides have it, on the side that changed them.
    fn edges_of(&self, key: &LockedPackageKey, entry: &LockedPackage) -> BTreeSet<LockfileEdge> {
        let of = |graph: &LockfileGraph<'_>| {
            graph
                .get(key)
                .filter(|own| without_dependencies(own) == without_dependencies(entry))
                .map(|own| graph.edges(own))
        };

        match (of(&self.base), of(&self.ours), of(&self.theirs)) {
            (base, Some(ours), Some(theirs)) => {
                if base.as_ref() == Some(&ours) {
                    theirs
                } else {
                    ours
                }
            }
            (_, Some(own), None) | (_, None, Some(own)) => own,
            (_, None, None) => BTreeSet::new(),
        }
    }

    /// Finds packages that do not fit their dependents: returns one to try in its lower version, or adds conflicts.
    fn find_unfit(&mut self, chosen: &ChosenPackages<'a>) -> Option<LockedPackageKey> {
        let mut misfits = Vec::new();
        for (key, entry) in chosen {
            for edge in self.edges_of(key, entry) {
                if let LockfileEdge::Entry(needed) = edge
                    && let Some(target) = chosen.get(&needed)
                    && !self.is_compatible(key, entry, &needed, target)
                {
                    misfits.push((needed, entry.reference(), target.reference()));
                }
            }
        }

        // One at a time, since lowering a package may change the dependencies of others.
        if let Some((key, ..)) = misfits
            .iter()
            .find(|(key, ..)| self.contested.get(key) == Some(&ContestedVersion::Higher))
        {
            return Some(key.clone());
        }

        for (key, entry, target) in misfits {
            self.add_conflict(
                &key,
                &format!("`{entry}` is not known to be compatible with `{target}`"),
            );
        }
        None
    }

    /// Whether a package is known to be compatible with a dependency: a side had exactly this pair, or its requirement is
    /// known and matches.
    fn is_compatible(
        &self,
        key: &LockedPackageKey,
        entry: &LockedPackage,
        needed: &LockedPackageKey,
        target: &LockedPackage,
    ) -> bool {
        let had_both = |graph: &LockfileGraph<'_>| {
            graph.has_entry(key, entry)
                && graph
                    .get(needed)
                    .is_some_and(|own| own.version == target.version && own.source == target.source)
        };

        had_both(&self.ours) || had_both(&self.theirs) || {
            let required = self
                .known
                .requirements
                .get(&entry.upstream_checksum())
                .and_then(|needs| needs.get(&target.name));
            required.is_some_and(|req| match &target.version {
                Some(version) => req.matches(version),
                // A package without a version fits `*` and nothing else.
                None => *req == VersionReq::STAR,
            })
        }
    }

    /// Drops packages that were needed only by packages that are gone.
    fn drop_orphans(&self, chosen: &mut ChosenPackages<'a>) {
        // Without a manifest the dependencies of the project are unknown, so nothing is dropped.
        let Some(roots) = self.known.roots else {
            return;
        };
        let named: BTreeSet<&SkillName> = roots.iter().map(|root| &root.dependency.alias).collect();
        let sides = [&self.ours, &self.theirs];
        // A package that no other needed on a side was a dependency of the project on that side.
        let is_root = |key: &LockedPackageKey, entry: &LockedPackage| {
            named.contains(entry.install_name()) || sides.iter().any(|side| side.is_root(key))
        };

        let mut todo: Vec<LockedPackageKey> = chosen
            .iter()
            .filter(|(key, entry)| is_root(key, entry))
            .map(|(key, _)| key.clone())
            .collect();
        let mut reached = BTreeSet::new();
        while let Some(key) = todo.pop() {
            let Some(entry) = chosen.get(&key) else {
                continue;
            };
            for edge in self.edges_of(&key, entry) {
                if let LockfileEdge::Entry(needed) = edge
                    && !reached.contains(&needed)
                {
                    todo.push(needed);
                }
            }
            reached.insert(key);
        }

        // A cycle has no root, so the lockfiles do not show whether it is needed, and it stays.
        chosen.retain(|key, _| {
            reached.contains(key) || !sides.iter().any(|side| side.is_under_root(key))
        });
    }

    /// Turns packages that share an install name, and packages in two versions, into conflicts.
    fn reject_duplicates(&mut self, chosen: &mut ChosenPackages<'a>) {
        let mut duplicates = Vec::new();
        let entries: Vec<(&LockedPackageKey, &&LockedPackage)> = chosen.iter().collect();
        for (at, (key, entry)) in entries.iter().enumerate() {
            // One package under two names is fine, as long as both are of one version.
            for (other, other_entry) in &entries[at + 1..] {
                let is_same_package = key.is_same_package(other);
                let differ = (&entry.version, &entry.source, &entry.commit)
                    != (
                        &other_entry.version,
                        &other_entry.source,
                        &other_entry.commit,
                    );
                if entry.install_name() == other_entry.install_name() || is_same_package && differ {
                    duplicates.push([(*key).clone(), (*other).clone()]);
                }
            }
        }

        // Neither is kept, since the user has to decide which of them stays.
        for key in duplicates.into_iter().flatten() {
            if let Some(entry) = chosen.remove(&key) {
                self.add_conflict(
                    &key,
                    &format!(
                        "another package would be installed as `{}`, or it has two versions",
                        entry.install_name()
                    ),
                );
            }
        }
    }

    fn add_conflict(&mut self, key: &LockedPackageKey, why: &str) {
        let side = |graph: &LockfileGraph<'_>| graph.get(key).cloned();
        let conflict = LockfileConflict {
            ours: side(&self.ours),
            theirs: side(&self.theirs),
            reason: why.to_owned(),
        };

        // The first reason is kept, since later ones follow from it.
        self.conflicts.entry(key.clone()).or_insert(conflict);
    }

    /// An entry with its `dependencies` rewritten to the merged entries.
    fn with_merged_dependencies(
        &self,
        key: &LockedPackageKey,
        entry: &LockedPackage,
        chosen: &ChosenPackages<'a>,
    ) -> LockedPackage {
        let mut references = BTreeSet::new();
        for edge in self.edges_of(key, entry) {
            let reference = match edge {
                LockfileEdge::Absent(reference) => Some(reference),
                LockfileEdge::Entry(needed) => match chosen.get(&needed) {
                    Some(target) => Some(target.reference()),
                    // The target is a conflict, so the reference stays as it was.
                    None => self.previous_reference(key, entry, &needed),
                },
            };
            references.extend(reference);
        }

        LockedPackage {
            dependencies: references.into_iter().collect(),
            ..(*entry).clone()
        }
    }

    /// The reference that an entry had to a package that is now a conflict; if both sides have the entry, the newer one.
    fn previous_reference(
        &self,
        key: &LockedPackageKey,
        entry: &LockedPackage,
        needed: &LockedPackageKey,
    ) -> Option<String> {
        let had =
            |graph: &LockfileGraph<'a>| graph.get(needed).filter(|_| graph.has_entry(key, entry));

        let newest = [&self.ours, &self.theirs]
            .into_iter()
            .filter_map(had)
            .max_by(|a, b| a.version.cmp(&b.version));
        newest.map(LockedPackage::reference)
    }
}
