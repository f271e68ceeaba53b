//! A lockfile as a graph: packages by what they are, whatever their version.

use std::collections::{BTreeMap, BTreeSet};

use super::super::{Locked, Lockfile};
use crate::package::{PackageName, RelPath, SkillName, SourceId};

/// What makes an entry of one lockfile the same package as one of another.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Key {
    name: PackageName,
    alias: Option<SkillName>,
    place: String,
    path: Option<RelPath>,
}

impl Key {
    /// Whether both are one package, under two names.
    pub(super) fn is_same_package(&self, other: &Key) -> bool {
        (&self.name, &self.place, &self.path) == (&other.name, &other.place, &other.path)
    }
}

/// What an entry says that it needs.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Edge {
    /// Another entry.
    To(Key),
    /// Something that the lockfile does not have, such as a member of the workspace.
    Open(String),
}

pub(super) fn key(locked: &Locked) -> Key {
    let place = match &locked.source {
        SourceId::Git { url, .. } => format!("git+{url}"),
        other => other.to_string(),
    };
    Key { name: locked.name.clone(), alias: locked.alias.clone(), place, path: locked.path.clone() }
}

/// An entry without its lines about what it needs.
pub(super) fn core(locked: &Locked) -> Locked {
    Locked { dependencies: Vec::new(), ..locked.clone() }
}

pub(super) struct Graph<'a> {
    entries: BTreeMap<Key, &'a Locked>,
    by_reference: BTreeMap<String, Key>,
    /// Those that nothing else needs.
    tops: BTreeSet<Key>,
    below_tops: BTreeSet<Key>,
}

impl<'a> Graph<'a> {
    pub(super) fn of(lockfile: &'a Lockfile) -> Self {
        let mut by_reference = BTreeMap::new();
        for locked in lockfile.packages() {
            by_reference.entry(locked.reference()).or_insert_with(|| key(locked));
        }
        let entries: BTreeMap<Key, &Locked> = lockfile.packages().iter().map(|locked| (key(locked), locked)).collect();
        let mut graph = Graph { entries, by_reference, tops: BTreeSet::new(), below_tops: BTreeSet::new() };
        graph.find_tops();
        graph
    }

    pub(super) fn keys(&self) -> impl Iterator<Item = &Key> {
        self.entries.keys()
    }

    pub(super) fn get(&self, key: &Key) -> Option<&'a Locked> {
        self.entries.get(key).copied()
    }

    pub(super) fn edges(&self, locked: &Locked) -> BTreeSet<Edge> {
        let edge = |reference: &String| match self.by_reference.get(reference) {
            Some(key) => Edge::To(key.clone()),
            None => Edge::Open(reference.clone()),
        };
        locked.dependencies.iter().map(edge).collect()
    }

    /// Whether it is there, and nothing else needs it: then the project itself does.
    pub(super) fn is_top(&self, key: &Key) -> bool {
        self.tops.contains(key)
    }

    /// Whether it is needed by one of those, or by what they need.
    pub(super) fn is_below_top(&self, key: &Key) -> bool {
        self.below_tops.contains(key)
    }

    fn find_tops(&mut self) {
        let needed = |(key, locked): (&Key, &&Locked)| {
            self.targets(locked).into_iter().filter(|target| target != key).collect::<Vec<_>>()
        };
        let needed: BTreeSet<Key> = self.entries.iter().flat_map(needed).collect();
        self.tops = self.entries.keys().filter(|key| !needed.contains(key)).cloned().collect();
        let mut todo: Vec<Key> = self.tops.iter().cloned().collect();
        while let Some(key) = todo.pop() {
            for target in self.targets(self.entries[&key]) {
                if self.below_tops.insert(target.clone()) {
                    todo.push(target);
                }
            }
        }
    }

    fn targets(&self, locked: &Locked) -> Vec<Key> {
        let target = |edge| match edge {
            Edge::To(key) => Some(key),
            Edge::Open(_) => None,
        };
        self.edges(locked).into_iter().filter_map(target).collect()
    }
}
