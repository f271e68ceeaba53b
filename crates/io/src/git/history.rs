//! The history of a directory: its states, newest first.

use std::collections::{BinaryHeap, HashMap, HashSet};

use gix::ObjectId;
use gix::objs::Kind;

use super::connection::FetchWant;
use super::listing::{EntryKind, TreeCache};
use super::objects::{ObjectDatabase, ObjectError};
use super::package::CheckLevel;
use super::{CommitId, GitRepository, TreeId};
use skillpm_core::error::Result;
use skillpm_core::package::Tree;

/// Most directory levels that are compared.
const DEPTH_MAX: usize = 64;

/// A state of a directory in its history.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DirectoryState {
    /// The newest commit with this state.
    pub commit: CommitId,
    /// The time of the oldest commit with this state, in seconds since 1970; `None` if unknown.
    pub since: Option<i64>,
    /// The directory's tree.
    pub tree: TreeId,
}

impl GitRepository<'_> {
    /// The distinct states of the directory at `path` in a commit and up to `limit` commits before it, newest first.
    /// Missing objects are fetched in one request; without history from the host, there is only one state.
    ///
    /// # Errors
    /// If there is no such commit, or it cannot be fetched.
    pub fn directory_states(
        &mut self,
        head: &CommitId,
        path: &str,
        limit: usize,
    ) -> Result<Vec<DirectoryState>> {
        // For a local repository, nothing can be fetched.
        let is_here = self.cache.is_none();
        let walk = |objects: &ObjectDatabase, check: CheckLevel| {
            let is_last = is_here || matches!(check, CheckLevel::Presence);
            walk_states(objects, head.0, path, limit, is_last)
        };

        self.with_objects(walk, &FetchWant::History(head.0, limit))
            .map_err(|lack| self.commit_error(head, lack))
    }

    /// Whether a directory contains exactly these files, ignoring execute bits. Its trees must be cached; its blobs need
    /// not be.
    #[must_use]
    pub fn is_same_tree(&self, tree: &TreeId, files: &Tree) -> bool {
        let mut trees = TreeCache::new(&self.objects);
        let mut seen = 0;
        let all = self.is_same_below(&mut trees, tree.0, "", 0, files, &mut seen);
        // Every file of the directory is in `files`; the same count means that none is missing.
        all == Some(true) && seen == files.len()
    }

    fn is_same_below(
        &self,
        trees: &mut TreeCache<'_>,
        tree: ObjectId,
        dir: &str,
        depth: usize,
        files: &Tree,
        seen: &mut usize,
    ) -> Option<bool> {
        // Deeper than any package, so it cannot be one.
        if depth > DEPTH_MAX {
            return None;
        }

        for raw in trees.read_tree(tree).ok()?.iter() {
            let path = format!("{dir}{}", std::str::from_utf8(&raw.name).ok()?);
            match raw.kind() {
                None if self.is_same_below(
                    trees,
                    raw.id,
                    &format!("{path}/"),
                    depth + 1,
                    files,
                    seen,
                )? => {}
                Some(EntryKind::File { .. }) => {
                    let bytes = files.get(&path)?;
                    if gix::objs::compute_hash(self.objects.object_hash(), Kind::Blob, bytes)
                        .ok()?
                        != raw.id
                    {
                        return Some(false);
                    }
                    *seen += 1;
                }
                _ => return Some(false),
            }
        }
        Some(true)
    }
}

/// Walks from the newest commit to the oldest, through all parents.
fn walk_states(
    objects: &ObjectDatabase,
    head: ObjectId,
    path: &str,
    limit: usize,
    may_end: bool,
) -> Result<Vec<DirectoryState>, ObjectError> {
    let mut trees = TreeCache::new(objects);
    let mut recorder = StateRecorder::default();

    let first = objects.read_commit(head)?;
    let mut met: HashSet<ObjectId> = [first.id].into();
    // By time, the newest first, as `git log` walks.
    let mut todo = BinaryHeap::from([(first.time, first.id)]);
    let mut walked = 0;

    while let Some((time, id)) = todo.pop().filter(|_| walked < limit) {
        walked += 1;
        let commit = objects.read_commit(id)?;
        if let Some(tree) = trees.find_dir(commit.tree, path)? {
            recorder.record(tree, CommitId(id), time);
        }

        for parent in commit.parents {
            // Two branches of a merge lead to the same commits.
            if !met.insert(parent) {
                continue;
            }
            match objects.read_commit(parent) {
                Ok(parent) => todo.push((parent.time, parent.id)),
                // The end of the fetched history.
                Err(ObjectError::Missing(_)) if may_end => {}
                Err(lack) => return Err(lack),
            }
        }
    }
    Ok(recorder.states)
}

/// The states seen so far, by their trees.
#[derive(Default)]
struct StateRecorder {
    states: Vec<DirectoryState>,
    positions: HashMap<ObjectId, usize>,
}

impl StateRecorder {
    /// Records the directory's tree in a commit, which is older than all commits before.
    fn record(&mut self, tree: ObjectId, commit: CommitId, time: Option<i64>) {
        match self.positions.get(&tree) {
            // Seen in a newer commit: the state is older than that.
            Some(at) => self.states[*at].since = time,
            None => {
                self.positions.insert(tree, self.states.len());
                self.states.push(DirectoryState {
                    commit,
                    since: time,
                    tree: TreeId(tree),
                });
            }
        }
    }
}
