//! Signed commits and annotated tags, ancestry of commits, and the history of files.

use gix::ObjectId;
use gix::objs::Kind;

use super::connection::FetchWant;
use super::listing::TreeCache;
use super::objects::{ObjectDatabase, ObjectError};
use super::package::CheckLevel;
use super::{BlobId, CommitId, GitRepository, ObjectsFailure};
use skillpm_core::error::Result;
use skillpm_core::package::GitReference;
use skillpm_core::provenance::SignedObject;

/// The depths at which a history is fetched, one request after the other, in commits.
const HISTORY_DEPTHS: [usize; 4] = [32, 512, 8_192, 65_536];

/// Most branches and tags whose history is searched, HEAD's first.
const TIPS_MAX: usize = 64;

/// A commit in which a file changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileRevision {
    /// The commit.
    pub commit: CommitId,
    /// The content of the file since then.
    pub blob: BlobId,
}

impl GitRepository<'_> {
    /// A commit and its signature. It is fetched if it is not cached.
    ///
    /// # Errors
    /// If there is no such commit, or it cannot be fetched.
    pub fn signed_commit(&mut self, commit: &CommitId) -> Result<SignedObject> {
        let read =
            |objects: &ObjectDatabase, _: CheckLevel| objects.read_object(commit.0, Kind::Commit);
        let bytes = self
            .with_objects(read, &FetchWant::Commit(commit.0))
            .map_err(|lack| self.commit_error(commit, lack))?;
        Ok(SignedObject::from_commit(&bytes))
    }

    /// An annotated tag and its signature; `None` if the tag now refers to another commit, or is not annotated.
    ///
    /// # Errors
    /// If the host cannot be reached, or does not serve it.
    pub fn signed_tag(&mut self, name: &str, commit: &CommitId) -> Result<Option<SignedObject>> {
        let full = format!("refs/tags/{name}");
        // A tag that was moved to another commit does not sign this one.
        let found = self
            .refs(&[&full])?
            .into_iter()
            .find(|found| found.name == full && found.commit == *commit);

        let Some(tag) = found.and_then(|found| found.tag) else {
            return Ok(None);
        };

        let read = |objects: &ObjectDatabase, _: CheckLevel| objects.read_object(tag.0, Kind::Tag);
        // The tag object is not part of a commit, and so was not fetched with it.
        let bytes = self.with_fallback(
            read,
            [&FetchWant::Tag(tag.0), &FetchWant::Everything(tag.0)],
        );
        let bytes = bytes.map_err(|lack| self.commit_error(&tag, lack))?;
        Ok(Some(SignedObject::from_tag(
            &bytes,
            &commit.to_string(),
            name,
        )))
    }

    /// The signed object for a commit at a reference: the tag if the reference is a signed annotated tag, else the
    /// commit.
    ///
    /// # Errors
    /// As for [`GitRepository::signed_commit`].
    pub fn signed_at(
        &mut self,
        reference: &GitReference,
        commit: &CommitId,
    ) -> Result<SignedObject> {
        let tag = match reference {
            GitReference::Tag(name) => self.signed_tag(name, commit)?,
            _ => None,
        };
        match tag.filter(SignedObject::is_signed) {
            Some(tag) => Ok(tag),
            None => self.signed_commit(commit),
        }
    }

    /// Whether a commit is a descendant of another; only commits are fetched for that. `None` if the searched part of the
    /// history does not decide it.
    ///
    /// # Errors
    /// If the host cannot be reached.
    pub fn is_descendant(&mut self, commit: &CommitId, from: &CommitId) -> Result<Option<bool>> {
        let is_here = self.cache.is_none();
        // Increasing depths: most answers are near, and each depth costs a request.
        for depth in HISTORY_DEPTHS {
            let limit = if is_here { usize::MAX } else { depth };
            let walk = |objects: &ObjectDatabase, check: CheckLevel| {
                // Right after a fetch of this depth, nothing more can be fetched for it.
                let is_last = is_here || matches!(check, CheckLevel::Presence);
                walk_ancestry(objects, commit.0, from.0, limit, is_last)
            };

            let found = self.with_fallback(
                walk,
                [
                    &FetchWant::CommitsOnly(commit.0, depth),
                    &FetchWant::History(commit.0, depth),
                ],
            );

            match found.map_err(|lack| self.commit_error(commit, lack))? {
                AncestryAnswer::Descends => return Ok(Some(true)),
                AncestryAnswer::Unrelated => return Ok(Some(false)),
                AncestryAnswer::Unknown if is_here => return Ok(None),
                AncestryAnswer::Unknown => {}
            }
        }
        Ok(None)
    }

    /// As [`GitRepository::with_objects`], with a second request if the host refuses the first: not every host with
    /// filters supports `tree:0`.
    fn with_fallback<T>(
        &mut self,
        work: impl Fn(&ObjectDatabase, CheckLevel) -> Result<T, ObjectError>,
        [first, second]: [&FetchWant<'_>; 2],
    ) -> Result<T, ObjectsFailure> {
        match self.with_objects(&work, first) {
            Err(ObjectsFailure::Refused(_)) => self.with_objects(work, second),
            answer => answer,
        }
    }

    /// Whether a commit is in the history of a branch or tag of this repository itself: many hosts serve commits of its
    /// forks as well. `None` if the searched part of the history does not decide it.
    ///
    /// # Errors
    /// If the host cannot be reached.
    pub fn is_reachable(&mut self, commit: &CommitId) -> Result<Option<bool>> {
        // Branches often point to one commit, whose history is searched once.
        let mut tips: Vec<CommitId> = Vec::new();
        for found in self.refs(&["HEAD", "refs/heads/", "refs/tags/"])? {
            // A reference points to the commit itself: no history is needed.
            if found.commit == *commit {
                return Ok(Some(true));
            }
            if !tips.contains(&found.commit) {
                tips.push(found.commit);
            }
        }

        // With unsearched tips, `false` would be a guess.
        let mut is_open = tips.len() > TIPS_MAX;
        for tip in tips.iter().take(TIPS_MAX) {
            match self.is_descendant(tip, commit)? {
                Some(true) => return Ok(Some(true)),
                answer => is_open |= answer.is_none(),
            }
        }

        Ok((!is_open).then_some(false))
    }

    /// The commits that changed a file, newest first, down to the one that added it; at a merge, along the parent that the
    /// content came from. `None` if the history is not available that far.
    ///
    /// # Errors
    /// If there is no such commit, or the host cannot be asked.
    pub fn file_history(
        &mut self,
        commit: &CommitId,
        path: &str,
    ) -> Result<Option<Vec<FileRevision>>> {
        let is_here = self.cache.is_none();
        for depth in HISTORY_DEPTHS {
            let walk = |objects: &ObjectDatabase, check: CheckLevel| {
                let is_last = is_here || matches!(check, CheckLevel::Presence);
                walk_file_history(objects, commit.0, path, is_last)
            };

            let found = self.with_objects(walk, &FetchWant::History(commit.0, depth));
            let found = found.map_err(|lack| self.commit_error(commit, lack))?;
            if found.is_some() || is_here {
                return Ok(found);
            }
        }
        Ok(None)
    }

    /// The contents of blobs, which are fetched if they are not cached.
    ///
    /// # Errors
    /// If it cannot be fetched, or is larger than `limit` bytes.
    pub fn read_blobs(&mut self, blobs: &[BlobId], limit: u64) -> Result<Vec<Vec<u8>>> {
        self.fetch_blobs(blobs)?;
        blobs
            .iter()
            .map(|blob| self.read_blob_within(blob, limit))
            .collect()
    }
}

enum AncestryAnswer {
    Descends,
    Unrelated,
    /// The available history does not reach far enough.
    Unknown,
}

fn walk_ancestry(
    objects: &ObjectDatabase,
    head: ObjectId,
    from: ObjectId,
    depth: usize,
    is_last: bool,
) -> Result<AncestryAnswer, ObjectError> {
    // Merges lead to the same commits again, which are walked once.
    let mut met = std::collections::HashSet::from([head]);
    let mut wave = vec![head];
    let mut is_open = false;

    for _ in 0..depth {
        if met.contains(&from) {
            return Ok(AncestryAnswer::Descends);
        }
        let mut next = Vec::new();
        for id in wave {
            match objects.read_commit(id) {
                Ok(commit) => next.extend(
                    commit
                        .parents
                        .into_iter()
                        .filter(|parent| met.insert(*parent)),
                ),
                // The shallow end of what was fetched.
                Err(ObjectError::Missing(_)) if is_last && id != head => is_open = true,
                Err(lack) => return Err(lack),
            }
        }
        wave = next;
        if wave.is_empty() {
            break;
        }
    }

    if met.contains(&from) {
        return Ok(AncestryAnswer::Descends);
    }
    Ok(if is_open || !wave.is_empty() {
        AncestryAnswer::Unknown
    } else {
        AncestryAnswer::Unrelated
    })
}

fn walk_file_history(
    objects: &ObjectDatabase,
    head: ObjectId,
    path: &str,
    is_last: bool,
) -> Result<Option<Vec<FileRevision>>, ObjectError> {
    let mut trees = TreeCache::new(objects);
    let mut at = objects.read_commit(head)?;
    let mut blob = trees.find_file(at.tree, path)?;
    let mut found = Vec::new();

    while let Some(now) = blob {
        let mut parents = Vec::new();
        for &parent in &at.parents {
            match objects.read_commit(parent) {
                Ok(parent) => {
                    let its = trees.find_file(parent.tree, path)?;
                    parents.push((parent, its));
                }
                // Without all parents, the one that the file came from is unknown.
                Err(ObjectError::Missing(_)) if is_last => return Ok(None),
                Err(lack) => return Err(lack),
            }
        }

        // If a parent has the same file, the change is further back in that parent's history.
        let same = parents.iter().position(|(_, its)| *its == blob);
        if same.is_none() {
            found.push(FileRevision {
                commit: CommitId(at.id),
                blob: BlobId(now),
            });
        }

        if parents.is_empty() {
            break;
        }
        (at, blob) = parents.swap_remove(same.unwrap_or(0));
    }
    Ok(Some(found))
}
