//! What lies in a commit, path by path, without any file's content.
//!
//! Trees come from strangers. Ten trees that name one another ten times each are a few hundred bytes that unfold to
//! 10¹⁰ files, so unfolding has a budget. A name that no file system takes must not hide the honest skills beside
//! it, so it is kept as an [`EntryKind::Unusable`] entry, and only a package that contains it is refused.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use gix::ObjectId;
use gix::bstr::{BString, ByteSlice};

use super::id::{BlobId, CommitId, TreeId};
use super::objects::{Lack, Objects};
use crate::error::Error;

/// Most entries that are looked at in one repository. The largest collection of skills known has some 20,000.
const ENTRIES_MAX: usize = 500_000;
/// Most bytes of all paths of one repository together.
const PATHS_MAX: usize = 64 << 20;
/// Longest path that is followed, in bytes.
const PATH_MAX: usize = 4096;
/// Most directories in one another that are followed.
const DEPTH_MAX: usize = 64;

/// What an entry is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryKind {
    /// A regular file.
    File {
        /// Whether it may be run.
        executable: bool,
    },
    /// A symbolic link.
    Link,
    /// A submodule: a commit of another repository.
    Submodule,
    /// Something whose name or mode no package can hold: not UTF-8, `.git`, `..`, a slash in it, the same name twice,
    /// or too deep. A directory of this kind is not looked into.
    Unusable,
}

/// One entry of a [`Listing`]; directories are not entries of their own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Its path from the repository's root, with `/`.
    pub path: String,
    /// What it is.
    pub kind: EntryKind,
    /// The id of its content; for a submodule, of its commit.
    pub id: BlobId,
}

/// What lies in one commit: every entry and every directory, sorted by path.
#[derive(Debug, Clone)]
pub struct Listing {
    commit: CommitId,
    entries: Vec<Entry>,
    trees: Vec<(String, TreeId)>,
}

impl Listing {
    /// The commit that is listed; another than the one asked for only where that was an annotated tag.
    #[must_use]
    pub fn commit(&self) -> CommitId {
        self.commit
    }

    /// All entries, sorted by the bytes of their paths.
    #[must_use]
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The entry at exactly `path`; `None` if there is none or it is a directory.
    #[must_use]
    pub fn entry(&self, path: &str) -> Option<&Entry> {
        let at = self.entries.binary_search_by(|entry| entry.path.as_str().cmp(path)).ok()?;
        Some(&self.entries[at])
    }

    /// The id of the directory at `path`, where the empty path is the repository's root.
    #[must_use]
    pub fn tree_at(&self, path: &str) -> Option<TreeId> {
        let at = self.trees.binary_search_by(|(tree, _)| tree.as_str().cmp(path)).ok()?;
        Some(self.trees[at].1)
    }

    /// The entries below the directory at `path`.
    #[must_use]
    pub fn below(&self, path: &str) -> &[Entry] {
        if path.is_empty() {
            return &self.entries;
        }
        // `0` is the byte after `/`, so the entries of a directory are one run.
        let first = self.entries.partition_point(|entry| entry.path.as_str() < format!("{path}/").as_str());
        let last = self.entries.partition_point(|entry| entry.path.as_str() < format!("{path}0").as_str());
        &self.entries[first..last]
    }

    /// The ids of all files below the directory at `path`, each once: what must be fetched to read it.
    #[must_use]
    pub fn blobs_below(&self, path: &str) -> Vec<BlobId> {
        let files = self.below(path).iter().filter(|entry| matches!(entry.kind, EntryKind::File { .. }));
        let mut ids: Vec<_> = files.map(|entry| entry.id).collect();
        ids.sort_unstable();
        ids.dedup();
        ids
    }
}

/// One entry of one tree object, as it was decoded.
pub(super) struct Raw {
    pub name: BString,
    pub mode: gix::objs::tree::EntryMode,
    pub id: ObjectId,
    /// Whether the name can be part of a path at all, and stands in its tree once.
    pub usable: bool,
}

/// Tree objects, decoded once each, however often other trees name them.
pub(super) struct Trees<'a> {
    objects: &'a Objects,
    decoded: HashMap<ObjectId, Rc<[Raw]>>,
}

impl<'a> Trees<'a> {
    pub(super) fn new(objects: &'a Objects) -> Self {
        Trees { objects, decoded: HashMap::new() }
    }

    /// The file at a path below a tree; `None` if there is none.
    pub(super) fn file_at(&mut self, root: ObjectId, path: &str) -> Result<Option<ObjectId>, Lack> {
        let (dirs, name) = path.rsplit_once('/').map_or(("", path), |(dirs, name)| (dirs, name));
        let mut id = root;
        for part in dirs.split('/').filter(|part| !part.is_empty()) {
            match self.get(id)?.iter().find(|raw| raw.name == part && raw.kind().is_none()) {
                Some(raw) => id = raw.id,
                None => return Ok(None),
            }
        }
        let is_file = |raw: &&Raw| raw.name == name && matches!(raw.kind(), Some(EntryKind::File { .. }));
        Ok(self.get(id)?.iter().find(is_file).map(|raw| raw.id))
    }

    pub(super) fn get(&mut self, id: ObjectId) -> Result<Rc<[Raw]>, Lack> {
        if let Some(tree) = self.decoded.get(&id) {
            return Ok(tree.clone());
        }
        let bytes = self.objects.read(id, gix::objs::Kind::Tree)?;
        let tree: Rc<[Raw]> = decode(&bytes, id)?.into();
        self.decoded.insert(id, tree.clone());
        Ok(tree)
    }
}

fn decode(bytes: &[u8], id: ObjectId) -> Result<Vec<Raw>, Lack> {
    let mut seen = HashSet::new();
    let mut twice = HashSet::new();
    let mut entries = Vec::new();
    for entry in gix::objs::TreeRefIter::from_bytes(bytes, id.kind()) {
        let entry = entry.map_err(|_| Error::integrity(format!("tree {id} of the repository cannot be read")))?;
        if !seen.insert(entry.filename) {
            twice.insert(entry.filename);
        }
        entries.push(entry);
    }
    let raw = |entry: gix::objs::tree::EntryRef<'_>| Raw {
        name: entry.filename.to_owned(),
        mode: entry.mode,
        id: entry.oid.to_owned(),
        usable: is_usable(entry.filename) && !twice.contains(entry.filename),
    };
    Ok(entries.into_iter().map(raw).collect())
}

fn is_usable(name: &[u8]) -> bool {
    !matches!(name, b"" | b"." | b"..")
        && !name.eq_ignore_ascii_case(b".git")
        && !name.contains(&b'/')
        && name.len() <= 255
        && name.to_str().is_ok()
}

impl Raw {
    /// What the entry is, told from its mode and name; `None` for a directory that can be looked into.
    pub(super) fn kind(&self) -> Option<EntryKind> {
        let kind = match (self.mode.kind(), self.usable) {
            (_, false) => EntryKind::Unusable,
            (gix::objs::tree::EntryKind::Tree, true) => return None,
            (gix::objs::tree::EntryKind::Blob, true) => EntryKind::File { executable: false },
            (gix::objs::tree::EntryKind::BlobExecutable, true) => EntryKind::File { executable: true },
            (gix::objs::tree::EntryKind::Link, true) => EntryKind::Link,
            (gix::objs::tree::EntryKind::Commit, true) if self.mode.is_commit() => EntryKind::Submodule,
            (gix::objs::tree::EntryKind::Commit, true) => EntryKind::Unusable,
        };
        Some(kind)
    }
}

/// Unfolds the root tree of a commit within the budget.
pub(super) fn list(objects: &Objects, commit: ObjectId) -> Result<Listing, Lack> {
    let commit = objects.commit(commit)?;
    let mut trees = Trees::new(objects);
    let mut listing = Listing { commit: CommitId(commit.id), entries: Vec::new(), trees: Vec::new() };
    let mut todo = vec![(String::new(), commit.tree, 0)];
    let mut bytes = 0;
    while let Some((path, id, depth)) = todo.pop() {
        let tree = match trees.get(id) {
            // One directory that cannot be read must not hide the others.
            Err(Lack::Refused(_)) if depth > 0 => {
                listing.push(path, EntryKind::Unusable, id);
                continue;
            }
            tree => tree?,
        };
        for raw in tree.iter() {
            let name = raw.name.to_str_lossy();
            // No program that means well writes such a tree, so nothing else in it is trusted either.
            if name.contains('/') || matches!(&*name, "." | "..") {
                let at = if path.is_empty() { "the repository's root" } else { &path };
                let shown = name.escape_debug();
                return Err(Error::integrity(format!("`{at}` holds a directory entry named `{shown}`")).into());
            }
            let child = if path.is_empty() { name.into_owned() } else { format!("{path}/{name}") };
            bytes += child.len();
            if listing.entries.len() + listing.trees.len() + todo.len() >= ENTRIES_MAX || bytes > PATHS_MAX {
                return Err(too_many(&child).into());
            }
            let followed = depth < DEPTH_MAX && child.len() <= PATH_MAX;
            match raw.kind() {
                None if followed => todo.push((child, raw.id, depth + 1)),
                None => listing.push(child, EntryKind::Unusable, raw.id),
                Some(kind) => listing.push(child, kind, raw.id),
            }
        }
        listing.trees.push((path, TreeId(id)));
    }
    listing.entries.sort_unstable_by(|a, b| a.path.cmp(&b.path));
    listing.trees.sort_unstable();
    Ok(listing)
}

impl Listing {
    fn push(&mut self, path: String, kind: EntryKind, id: ObjectId) {
        self.entries.push(Entry { path, kind, id: BlobId(id) });
    }
}

fn too_many(at: &str) -> Error {
    let top: Vec<&str> = at.split('/').take(3).collect();
    Error::integrity(format!(
        "the repository unfolds to more than {ENTRIES_MAX} entries, many of them in `{}`",
        top.join("/").escape_debug()
    ))
    .note("trees that hold one another many times over can fill any disk; nothing was written")
}
