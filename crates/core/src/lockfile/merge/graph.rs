//! A lockfile as a graph of packages, identified without their versions.

use std::collections::{BTreeMap, BTreeSet};

use super::super::{LockedPackage, Lockfile};
use crate::package::{PackageName, RelPath, SkillName, SourceId};

/// Identifies the same package across lockfiles.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct LockedPackageKey {
    name: PackageName,
    alias: Option<SkillName>,
    location: String,
    path: Option<RelPath>,
}

impl LockedPackageKey {
    /// Whether both are one package, possibly under two install names.
    pub(super) fn is_same_package(&self, other: &LockedPackageKey) -> bool {
        (&self.name, &self.location, &self.path) == (&other.name, &other.location, &other.path)
    }
}

/// A dependency of an entry.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum LockfileEdge {
    /// Another entry.
    Entry(LockedPackageKey),
    /// A reference that the lockfile has no entry for, such as a member of the workspace.
    Absent(String),
}

pub(super) fn package_key(locked: &LockedPackage) -> LockedPackageKey {
    // Without git reference and commit, which an update changes.
    let location = match &locked.source {
        SourceId::Git { url, .. } => format!("git+{url}"),
        other => other.to_string(),
    };

    LockedPackageKey {
        name: locked.name.clone(),
        alias: locked.alias.clone(),
        location,
        path: locked.path.clone(),
    }
}

/// A copy of an entry without its `dependencies`.
pub(super) fn without_dependencies(locked: &LockedPackage) -> LockedPackage {
    LockedPackage {
        dependencies: Vec::new(),
        ..locked.clone()
    }
}

pub(super) struct LockfileGraph<'a> {
    entries: BTreeMap<LockedPackageKey, &'a LockedPackage>,
    by_reference: BTreeMap<String, LockedPackageKey>,
    /// The entries that no other entry depends on.
    roots: BTreeSet<LockedPackageKey>,
    under_roots: BTreeSet<LockedPackageKey>,
}

impl<'a> LockfileGraph<'a> {
    pub(super) fn new(lockfile: &'a Lockfile) -> Self {
        // Two entries may have one reference (with another alias): the first one is used.
        let mut by_reference = BTreeMap::new();
        for locked in lockfile.packages() {
            by_reference
                .entry(locked.reference())
                .or_insert_with(|| package_key(locked));
        }

        let entries: BTreeMap<LockedPackageKey, &LockedPackage> = lockfile
            .packages()
            .iter()
            .map(|locked| (package_key(locked), locked))
            .collect();

        let mut graph = LockfileGraph {
            entries,
            by_reference,
            roots: BTreeSet::new(),
            under_roots: BTreeSet::new(),
        };

        graph.find_roots();
        graph
    }

    pub(super) fn keys(&self) -> impl Iterator<Item = &LockedPackageKey> {
        self.entries.keys()
    }

    pub(super) fn get(&self, key: &LockedPackageKey) -> Option<&'a LockedPackage> {
        self.entries.get(key).copied()
    }

    /// Whether it has exactly this entry, apart from its `dependencies`.
    pub(super) fn has_entry(&self, key: &LockedPackageKey, entry: &LockedPackage) -> bool {
        self.get(key)
            // References change with the version of another package, without a change of this
            // entry.
            .is_some_and(|own| without_dependencies(own) == without_dependencies(entry))
    }

    pub(super) fn edges(&self, locked: &LockedPackage) -> BTreeSet<LockfileEdge> {
        let edge = |reference: &String| match self.by_reference.get(reference) {
            Some(key) => LockfileEdge::Entry(key.clone()),
            None => LockfileEdge::Absent(reference.clone()),
        };
        locked.dependencies.iter().map(edge).collect()
    }

    /// Whether it is an entry that no other entry depends on, so that the project itself does.
    pub(super) fn is_root(&self, key: &LockedPackageKey) -> bool {
        self.roots.contains(key)
    }

    /// Whether one of the roots depends on it, directly or transitively.
    pub(super) fn is_under_root(&self, key: &LockedPackageKey) -> bool {
        self.under_roots.contains(key)
    }

    fn find_roots(&mut self) {
        // A package that needs itself can still be a root.
        let needed = |(key, locked): (&LockedPackageKey, &&LockedPackage)| {
            self.targets(locked)
                .into_iter()
                .filter(|target| target != key)
                .collect::<Vec<_>>()
        };
        let needed: BTreeSet<LockedPackageKey> = self.entries.iter().flat_map(needed).collect();

        self.roots = self
            .entries
            .keys()
            .filter(|key| !needed.contains(key))
            .cloned()
            .collect();

        // In a circle every package is needed by another, so that such packages have no root above
        // them.
        let mut todo: Vec<LockedPackageKey> = self.roots.iter().cloned().collect();
        while let Some(key) = todo.pop() {
            for target in self.targets(self.entries[&key]) {
                if self.under_roots.insert(target.clone()) {
                    todo.push(target);
                }
            }
        }
    }

    fn targets(&self, locked: &LockedPackage) -> Vec<LockedPackageKey> {
        let target = |edge| match edge {
            LockfileEdge::Entry(key) => Some(key),
            LockfileEdge::Absent(_) => None,
        };
        self.edges(locked).into_iter().filter_map(target).collect()
    }
}
