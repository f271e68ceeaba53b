//! What a directory was before: its states, the newest first.

use std::collections::{BinaryHeap, HashMap, HashSet};

use gix::ObjectId;
use gix::objs::Kind;

use super::listing::{EntryKind, Trees};
use super::objects::{Lack, Objects};
use super::package::Check;
use super::remote::Want;
use super::{CommitId, Repository, TreeId};
use crate::error::Result;
use crate::package::Tree;

/// Most directories in one another that are compared.
const DEPTH_MAX: usize = 64;

/// A content that a directory had.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct State {
    /// The newest commit in which it had that.
    pub commit: CommitId,
    /// When the oldest commit was made in which it had that, in seconds since 1970; `None` if it does not say.
    pub since: Option<i64>,
    /// The directory.
    pub tree: TreeId,
}

impl Repository {
    /// The contents that the directory at `path` had in a commit and up to `limit` commits before it, the newest first,
    /// each once. What is not here is fetched in one request; where a host tells no past, there is none.
    ///
    /// # Errors
    /// If there is no such commit, or it cannot be fetched.
    pub fn states(&mut self, head: &CommitId, path: &str, limit: usize) -> Result<Vec<State>> {
        // A repository on this disk has no more than it has.
        let is_here = self.cache.is_none();
        let walk = |objects: &Objects, check: Check| {
            states(objects, head.0, path, limit, is_here || matches!(check, Check::Presence))
        };
        self.with(walk, &Want::Past(head.0, limit)).map_err(|lack| self.no_commit(head, lack))
    }

    /// Whether a directory holds just these files, whatever may be run of them. Its trees must be here; its files need not.
    #[must_use]
    pub fn is_tree(&self, tree: &TreeId, files: &Tree) -> bool {
        let mut trees = Trees::new(&self.objects);
        let mut seen = 0;
        let all = self.same_below(&mut trees, tree.0, ("", 0), files, &mut seen);
        all == Some(true) && seen == files.len()
    }

    fn same_below(
        &self,
        trees: &mut Trees<'_>,
        tree: ObjectId,
        (dir, depth): (&str, usize),
        files: &Tree,
        seen: &mut usize,
    ) -> Option<bool> {
        if depth > DEPTH_MAX {
            return None;
        }
        for raw in trees.get(tree).ok()?.iter() {
            let path = format!("{dir}{}", std::str::from_utf8(&raw.name).ok()?);
            match raw.kind() {
                None if self.same_below(trees, raw.id, (&format!("{path}/"), depth + 1), files, seen)? => {}
                Some(EntryKind::File { .. }) => {
                    let bytes = files.get(&path)?;
                    if gix::objs::compute_hash(self.objects.hash(), Kind::Blob, bytes).ok()? != raw.id {
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

/// Walks from the newest commit to the oldest, over all parents.
fn states(objects: &Objects, head: ObjectId, path: &str, limit: usize, may_end: bool) -> Result<Vec<State>, Lack> {
    let mut trees = Trees::new(objects);
    let (mut found, mut known): (Vec<State>, HashMap<ObjectId, usize>) = (Vec::new(), HashMap::new());
    let first = objects.commit(head)?;
    let mut met: HashSet<ObjectId> = [first.id].into();
    let mut todo = BinaryHeap::from([(first.time, first.id)]);
    let mut walked = 0;
    while let Some((time, id)) = todo.pop().filter(|_| walked < limit) {
        walked += 1;
        let commit = objects.commit(id)?;
        let mut at = Some(commit.tree);
        for part in path.split('/').filter(|part| !part.is_empty()) {
            let Some(tree) = at else { break };
            at = trees.get(tree)?.iter().find(|raw| raw.name == part && raw.kind().is_none()).map(|raw| raw.id);
        }
        match at.map(|tree| (tree, known.get(&tree))) {
            Some((_, Some(at))) => found[*at].since = time,
            Some((tree, None)) => {
                known.insert(tree, found.len());
                found.push(State { commit: CommitId(id), since: time, tree: TreeId(tree) });
            }
            None => {}
        }
        for parent in commit.parents {
            if !met.insert(parent) {
                continue;
            }
            match objects.commit(parent) {
                Ok(parent) => todo.push((parent.time, parent.id)),
                // What was fetched ends here, and so does what is known.
                Err(Lack::Missing(_)) if may_end => {}
                Err(lack) => return Err(lack),
            }
        }
    }
    Ok(found)
}
