//! Lists the paths of a commit, without the content of files.
//!
//! Trees are untrusted. Ten trees that refer to one another ten times each are a few hundred bytes that expand to
//! 10¹⁰ files, so there is a budget of entries. An invalid name must not hide the valid skills beside it, so it is
//! kept as an [`EntryKind::Unusable`] entry, and only a package that contains it is refused.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use gix::ObjectId;
use gix::bstr::{BString, ByteSlice};

use super::id::{BlobId, CommitId, TreeId};
use super::objects::{ObjectDatabase, ObjectError};
use skillpm_core::error::Error;

/// What is listed of one commit at most.
#[derive(Debug, Clone, Copy)]
pub struct ListingLimits {
    /// Entries and directories.
    entries: usize,
    /// Bytes of all paths together.
    paths: usize,
}

impl ListingLimits {
    /// For a repository with skills. The largest collection known has some 20,000 of them.
    pub const SKILLS: ListingLimits = ListingLimits {
        entries: 500_000,
        paths: 64 << 20,
    };
    /// For the index of a registry, which a person has chosen, with a file for each package. A million of them are some
    /// 1,250,000 entries with 40 MB of paths.
    pub const INDEX: ListingLimits = ListingLimits {
        entries: 4_000_000,
        paths: 256 << 20,
    };
}

/// Longest path that is descended into, in bytes.
const PATH_MAX: usize = 4096;
/// Most directory levels that are descended into.
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
    /// An entry whose name or mode is not allowed in a package: not UTF-8, `.git`, `..`, a slash in it, a duplicate
    /// name, or too deep. A directory of this kind is not descended into.
    Unusable,
}

/// One entry of a [`CommitListing`]; directories are not entries of their own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedEntry {
    /// Its path from the repository's root, with `/`.
    pub path: String,
    /// What it is.
    pub kind: EntryKind,
    /// The id of its content; for a submodule, of its commit.
    pub id: BlobId,
}

/// The content of one commit: every entry and every directory, sorted by path.
#[derive(Debug, Clone)]
pub struct CommitListing {
    commit: CommitId,
    entries: Vec<ListedEntry>,
    trees: Vec<(String, TreeId)>,
}

impl CommitListing {
    /// The listed commit; differs from the requested id only if that was an annotated tag.
    #[must_use]
    pub fn commit(&self) -> CommitId {
        self.commit
    }

    /// All entries, sorted by the bytes of their paths.
    #[must_use]
    pub fn entries(&self) -> &[ListedEntry] {
        &self.entries
    }

    /// The entry at exactly `path`; `None` if there is none or it is a directory.
    #[must_use]
    pub fn entry(&self, path: &str) -> Option<&ListedEntry> {
        let at = self
            .entries
            .binary_search_by(|entry| entry.path.as_str().cmp(path))
            .ok()?;
        Some(&self.entries[at])
    }

    /// The id of the directory at `path`, where the empty path is the repository's root.
    #[must_use]
    pub fn tree_at(&self, path: &str) -> Option<TreeId> {
        let at = self
            .trees
            .binary_search_by(|(tree, _)| tree.as_str().cmp(path))
            .ok()?;
        Some(self.trees[at].1)
    }

    /// The entries below the directory at `path`.
    #[must_use]
    pub fn entries_below(&self, path: &str) -> &[ListedEntry] {
        // Every path is below the root, which has no name to compare.
        if path.is_empty() {
            return &self.entries;
        }
        // `0` is the byte after `/`, so the entries of a directory are one run.
        let first = self
            .entries
            .partition_point(|entry| entry.path.as_str() < format!("{path}/").as_str());
        let last = self
            .entries
            .partition_point(|entry| entry.path.as_str() < format!("{path}0").as_str());
        &self.entries[first..last]
    }

    /// The ids of all files and links below the directory at `path`, each once: what must be fetched to read it.
    #[must_use]
    pub fn blobs_below(&self, path: &str) -> Vec<BlobId> {
        let files = self
            .entries_below(path)
            .iter()
            .filter(|entry| matches!(entry.kind, EntryKind::File { .. } | EntryKind::Link));
        let mut ids: Vec<_> = files.map(|entry| entry.id).collect();
        // Copies of one file have one blob, which is fetched once.
        ids.sort_unstable();
        ids.dedup();
        ids
    }
}

/// One entry of one tree object, as it was decoded.
pub(super) struct TreeEntry {
    pub name: BString,
    pub mode: gix::objs::tree::EntryMode,
    pub id: ObjectId,
    /// Whether the name can be part of a path, and is unique in its tree.
    pub usable: bool,
}

/// Decoded tree objects, each decoded once, however often other trees refer to it.
pub(super) struct TreeCache<'a> {
    objects: &'a ObjectDatabase,
    decoded: HashMap<ObjectId, Rc<[TreeEntry]>>,
}

impl<'a> TreeCache<'a> {
    pub(super) fn new(objects: &'a ObjectDatabase) -> Self {
        TreeCache {
            objects,
            decoded: HashMap::new(),
        }
    }

    /// The file at a path below a tree; `None` if there is none.
    pub(super) fn find_file(
        &mut self,
        root: ObjectId,
        path: &str,
    ) -> Result<Option<ObjectId>, ObjectError> {
        let (dirs, name) = path.rsplit_once('/').unwrap_or(("", path));
        let Some(dir) = self.find_dir(root, dirs)? else {
            return Ok(None);
        };

        let is_file = |raw: &&TreeEntry| {
            raw.name == name && matches!(raw.kind(), Some(EntryKind::File { .. }))
        };
        Ok(self.read_tree(dir)?.iter().find(is_file).map(|raw| raw.id))
    }

    /// The directory at a path below a tree, the empty path for the tree itself; `None` if there is none.
    pub(super) fn find_dir(
        &mut self,
        root: ObjectId,
        path: &str,
    ) -> Result<Option<ObjectId>, ObjectError> {
        let mut at = root;
        for part in path.split('/').filter(|part| !part.is_empty()) {
            let tree = self.read_tree(at)?;
            match tree
                .iter()
                .find(|raw| raw.name == part && raw.kind().is_none())
            {
                Some(raw) => at = raw.id,
                None => return Ok(None),
            }
        }
        Ok(Some(at))
    }

    pub(super) fn read_tree(&mut self, id: ObjectId) -> Result<Rc<[TreeEntry]>, ObjectError> {
        // Trees repeat: the same directory in many commits, or in many places of one.
        if let Some(tree) = self.decoded.get(&id) {
            return Ok(tree.clone());
        }

        let bytes = self.objects.read_object(id, gix::objs::Kind::Tree)?;
        let tree: Rc<[TreeEntry]> = decode_tree(&bytes, id)?.into();
        self.decoded.insert(id, tree.clone());
        Ok(tree)
    }
}

fn decode_tree(bytes: &[u8], id: ObjectId) -> Result<Vec<TreeEntry>, ObjectError> {
    let mut seen = HashSet::new();
    let mut duplicates = HashSet::new();
    let mut entries = Vec::new();

    for entry in gix::objs::TreeRefIter::from_bytes(bytes, id.kind()) {
        let entry = entry
            .map_err(|_| Error::integrity(format!("failed to read tree {id} of the repository")))?;
        // With a duplicate name, programs differ in which entry they use.
        if !seen.insert(entry.filename) {
            duplicates.insert(entry.filename);
        }
        entries.push(entry);
    }

    // After all names are known: the first of two duplicates is not usable either.
    let raw = |entry: gix::objs::tree::EntryRef<'_>| TreeEntry {
        name: entry.filename.to_owned(),
        mode: entry.mode,
        id: entry.oid.to_owned(),
        usable: is_usable(entry.filename) && !duplicates.contains(entry.filename),
    };
    Ok(entries.into_iter().map(raw).collect())
}

fn is_usable(name: &[u8]) -> bool {
    // What git refuses in a path, and what the common file systems cannot store.
    !matches!(name, b"" | b"." | b"..")
        && !name.eq_ignore_ascii_case(b".git")
        && !name.contains(&b'/')
        && name.len() <= 255
        && name.to_str().is_ok()
}

impl TreeEntry {
    /// The kind of the entry, from its mode and name; `None` for a directory that can be descended into.
    pub(super) fn kind(&self) -> Option<EntryKind> {
        // The name decides first: a link with an invalid name is not even shown as a link.
        let kind = match (self.mode.kind(), self.usable) {
            (_, false) => EntryKind::Unusable,
            (gix::objs::tree::EntryKind::Tree, true) => return None,
            (gix::objs::tree::EntryKind::Blob, true) => EntryKind::File { executable: false },
            (gix::objs::tree::EntryKind::BlobExecutable, true) => {
                EntryKind::File { executable: true }
            }
            (gix::objs::tree::EntryKind::Link, true) => EntryKind::Link,
            (gix::objs::tree::EntryKind::Commit, true) if self.mode.is_commit() => {
                EntryKind::Submodule
            }
            (gix::objs::tree::EntryKind::Commit, true) => EntryKind::Unusable,
        };
        Some(kind)
    }
}

/// The path of an entry in the directory at `dir`.
pub(super) fn child_path(dir: &str, name: &str) -> String {
    if dir.is_empty() {
        name.to_owned()
    } else {
        format!("{dir}/{name}")
    }
}

/// Lists the root tree of a commit recursively, within the budget. Directories for whose path `enters` is false are left out.
pub(super) fn list_commit(
    objects: &ObjectDatabase,
    commit: ObjectId,
    enters: &dyn Fn(&str) -> bool,
    limits: ListingLimits,
) -> Result<CommitListing, ObjectError> {
    let commit = objects.read_commit(commit)?;
    let mut trees = TreeCache::new(objects);
    let mut lister = CommitLister {
        listing: CommitListing {
            commit: CommitId(commit.id),
            entries: Vec::new(),
            trees: Vec::new(),
        },
        todo: vec![PendingTree {
            path: String::new(),
            id: commit.tree,
            depth: 0,
        }],
        bytes: 0,
        limits,
    };

    // A stack instead of recursion: the depth is the repository's choice.
    while let Some(pending) = lister.todo.pop() {
        match trees.read_tree(pending.id) {
            // One directory that cannot be read must not hide the others.
            Err(ObjectError::Refused(_)) if pending.depth > 0 => {
                let PendingTree { path, id, .. } = pending;
                lister.listing.add_entry(path, EntryKind::Unusable, id);
            }
            tree => lister.add_tree(pending, &tree?, enters)?,
        }
    }

    let mut listing = lister.listing;
    listing.entries.sort_unstable_by(|a, b| a.path.cmp(&b.path));
    listing.trees.sort_unstable();
    Ok(listing)
}

/// A directory that is not read yet.
struct PendingTree {
    path: String,
    id: ObjectId,
    depth: usize,
}

/// A listing that grows by one directory at a time.
struct CommitLister {
    listing: CommitListing,
    todo: Vec<PendingTree>,
    /// The bytes of all paths so far.
    bytes: usize,
    limits: ListingLimits,
}

impl CommitLister {
    fn add_tree(
        &mut self,
        tree: PendingTree,
        entries: &[TreeEntry],
        enters: &dyn Fn(&str) -> bool,
    ) -> Result<(), Error> {
        for raw in entries {
            self.add_child(&tree, raw, enters)?;
        }
        // With its id, so that a lockfile can name the directory without its commit.
        self.listing.trees.push((tree.path, TreeId(tree.id)));
        Ok(())
    }

    fn add_child(
        &mut self,
        tree: &PendingTree,
        raw: &TreeEntry,
        enters: &dyn Fn(&str) -> bool,
    ) -> Result<(), Error> {
        let name = raw.name.to_str_lossy();
        // No benign program writes such a tree, so nothing else in it is trusted either.
        if name.contains('/') || matches!(&*name, "." | "..") {
            return Err(invalid_entry(&tree.path, &name));
        }

        let child = child_path(&tree.path, &name);
        if raw.kind().is_none() && !enters(&child) {
            return Ok(());
        }
        self.bytes += child.len();
        // Including pending trees: trees that refer to one another multiply at each level.
        let entries = self.listing.entries.len() + self.listing.trees.len() + self.todo.len();
        if entries >= self.limits.entries || self.bytes > self.limits.paths {
            return Err(too_many_entries(&child, self.limits));
        }

        // An entry that is too deep or too long is listed, and refused with the skill that contains it.
        let followed = tree.depth < DEPTH_MAX && child.len() <= PATH_MAX;
        match raw.kind() {
            None if followed => self.todo.push(PendingTree {
                path: child,
                id: raw.id,
                depth: tree.depth + 1,
            }),
            None => self.listing.add_entry(child, EntryKind::Unusable, raw.id),
            Some(kind) => self.listing.add_entry(child, kind, raw.id),
        }
        Ok(())
    }
}

impl CommitListing {
    fn add_entry(&mut self, path: String, kind: EntryKind, id: ObjectId) {
        self.entries.push(ListedEntry {
            path,
            kind,
            id: BlobId(id),
        });
    }
}

fn invalid_entry(dir: &str, name: &str) -> Error {
    let at = if dir.is_empty() {
        "the repository's root"
    } else {
        dir
    };
    Error::integrity(format!(
        "invalid directory entry `{}` in `{at}`",
        name.escape_debug()
    ))
}

fn too_many_entries(at: &str, limits: ListingLimits) -> Error {
    let top: Vec<&str> = at.split('/').take(3).collect();
    Error::integrity(format!(
        "refusing to list more than {} entries of the repository, many of them in `{}`",
        limits.entries,
        top.join("/").escape_debug()
    ))
    .note("trees that contain one another many times can fill any disk; nothing was written")
}
