//! What is signed: commits and annotated tags as they are; and which commit a file became what it is in.

use gix::ObjectId;
use gix::objs::Kind;

use super::listing::Trees;
use super::objects::{Lack, Objects};
use super::package::Check;
use super::remote::Want;
use super::{BlobId, CommitId, Repository, Unmet};
use crate::error::Result;
use crate::package::GitReference;
use crate::provenance::Signed;

/// How far back a history is looked at, one request after the other, in commits.
const DEPTHS: [usize; 4] = [32, 512, 8_192, 65_536];

/// Most branches and tags whose history is looked at, HEAD's first.
const TIPS_MAX: usize = 64;

/// A commit in which a file changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Changed {
    /// The commit.
    pub commit: CommitId,
    /// The file since then.
    pub blob: BlobId,
}

impl Repository {
    /// A commit and its signature. It is fetched if it is not here.
    ///
    /// # Errors
    /// If there is no such commit, or it cannot be fetched.
    pub fn signed_commit(&mut self, commit: &CommitId) -> Result<Signed> {
        let read = |objects: &Objects, _: Check| objects.read(commit.0, Kind::Commit);
        let bytes = self.with(read, &Want::Commit(commit.0)).map_err(|lack| self.no_commit(commit, lack))?;
        Ok(Signed::commit(&bytes))
    }

    /// The annotated tag of a name and its signature; `None` if what is at that name now is another commit, or no tag
    /// object.
    ///
    /// # Errors
    /// If the host cannot be asked, or does not give it out.
    pub fn signed_tag(&mut self, name: &str, commit: &CommitId) -> Result<Option<Signed>> {
        let full = format!("refs/tags/{name}");
        let found = self.refs(&[&full])?.into_iter().find(|found| found.name == full && found.commit == *commit);
        let Some(tag) = found.and_then(|found| found.tag) else { return Ok(None) };
        let read = |objects: &Objects, _: Check| objects.read(tag.0, Kind::Tag);
        let bytes = self.with_either(read, [&Want::Tag(tag.0), &Want::Everything(tag.0)]);
        let bytes = bytes.map_err(|lack| self.no_commit(&tag, lack))?;
        Ok(Some(Signed::tag(&bytes, &commit.to_string(), name)))
    }

    /// What vouches for a commit at a reference: the tag's object where the reference is an annotated tag that is signed,
    /// else the commit.
    ///
    /// # Errors
    /// As for [`Repository::signed_commit`].
    pub fn signed_at(&mut self, reference: &GitReference, commit: &CommitId) -> Result<Signed> {
        let tag = match reference {
            GitReference::Tag(name) => self.signed_tag(name, commit)?,
            _ => None,
        };
        match tag.filter(Signed::is_signed) {
            Some(tag) => Ok(tag),
            None => self.signed_commit(commit),
        }
    }

    /// Whether a commit has another among those before it; only commits are fetched for that. `None` if as much of its
    /// history as is looked at does not tell.
    ///
    /// # Errors
    /// If the host cannot be asked.
    pub fn descends(&mut self, commit: &CommitId, from: &CommitId) -> Result<Option<bool>> {
        let is_here = self.cache.is_none();
        for depth in DEPTHS {
            let walk = |objects: &Objects, check: Check| {
                let is_last = is_here || matches!(check, Check::Presence);
                lineage(objects, commit.0, from.0, if is_here { usize::MAX } else { depth }, is_last)
            };
            let found = self.with_either(walk, [&Want::Line(commit.0, depth), &Want::Past(commit.0, depth)]);
            match found.map_err(|lack| self.no_commit(commit, lack))? {
                Lineage::Descends => return Ok(Some(true)),
                Lineage::Other => return Ok(Some(false)),
                Lineage::Open if is_here => return Ok(None),
                Lineage::Open => {}
            }
        }
        Ok(None)
    }

    /// Does something that needs objects, by the other request where the host refuses the first: not every one that can leave
    /// something out can leave trees out.
    fn with_either<T>(
        &mut self,
        work: impl Fn(&Objects, Check) -> Result<T, Lack>,
        [first, second]: [&Want<'_>; 2],
    ) -> Result<T, Unmet> {
        match self.with(&work, first) {
            Err(Unmet::Refused(_)) => self.with(work, second),
            answer => answer,
        }
    }

    /// Whether a commit is in the history of a branch or tag of this very repository: many hosts give out commits of its forks
    /// as well. `None` if as much of the history as is looked at does not tell.
    ///
    /// # Errors
    /// If the host cannot be asked.
    pub fn is_reachable(&mut self, commit: &CommitId) -> Result<Option<bool>> {
        let mut tips: Vec<CommitId> = Vec::new();
        for found in self.refs(&["HEAD", "refs/heads/", "refs/tags/"])? {
            if found.commit == *commit {
                return Ok(Some(true));
            }
            if !tips.contains(&found.commit) {
                tips.push(found.commit);
            }
        }
        let mut is_open = tips.len() > TIPS_MAX;
        for tip in tips.iter().take(TIPS_MAX) {
            match self.descends(tip, commit)? {
                Some(true) => return Ok(Some(true)),
                told => is_open |= told.is_none(),
            }
        }
        Ok((!is_open).then_some(false))
    }

    /// The commits in which a file became what it is in a commit, the newest first, down to the one that added it: where
    /// several lines of history meet, along the one that it came by. `None` if the history is not at hand that far.
    ///
    /// # Errors
    /// If there is no such commit, or the host cannot be asked.
    pub fn changes_of(&mut self, commit: &CommitId, path: &str) -> Result<Option<Vec<Changed>>> {
        let is_here = self.cache.is_none();
        for depth in DEPTHS {
            let walk = |objects: &Objects, check: Check| {
                changes(objects, commit.0, path, is_here || matches!(check, Check::Presence))
            };
            let found = self.with(walk, &Want::Past(commit.0, depth));
            let found = found.map_err(|lack| self.no_commit(commit, lack))?;
            if found.is_some() || is_here {
                return Ok(found);
            }
        }
        Ok(None)
    }

    /// The content of a file as it was, which is fetched if it is not here.
    ///
    /// # Errors
    /// If it cannot be fetched, or is larger than `limit` bytes.
    pub fn contents_of(&mut self, blobs: &[BlobId], limit: u64) -> Result<Vec<Vec<u8>>> {
        self.fetch_blobs(blobs)?;
        blobs.iter().map(|blob| self.blob_within(blob, limit)).collect()
    }
}

enum Lineage {
    Descends,
    Other,
    /// The history is not here as far as that.
    Open,
}

fn lineage(objects: &Objects, head: ObjectId, from: ObjectId, depth: usize, is_last: bool) -> Result<Lineage, Lack> {
    let mut met = std::collections::HashSet::from([head]);
    let mut wave = vec![head];
    let mut is_open = false;
    for _ in 0..depth {
        if met.contains(&from) {
            return Ok(Lineage::Descends);
        }
        let mut next = Vec::new();
        for id in wave {
            match objects.commit(id) {
                Ok(commit) => next.extend(commit.parents.into_iter().filter(|parent| met.insert(*parent))),
                Err(Lack::Missing(_)) if is_last && id != head => is_open = true,
                Err(lack) => return Err(lack),
            }
        }
        wave = next;
        if wave.is_empty() {
            break;
        }
    }
    if met.contains(&from) {
        return Ok(Lineage::Descends);
    }
    Ok(if is_open || !wave.is_empty() { Lineage::Open } else { Lineage::Other })
}

fn changes(objects: &Objects, head: ObjectId, path: &str, is_last: bool) -> Result<Option<Vec<Changed>>, Lack> {
    let mut trees = Trees::new(objects);
    let mut at = objects.commit(head)?;
    let mut blob = trees.file_at(at.tree, path)?;
    let mut found = Vec::new();
    while let Some(now) = blob {
        let mut parents = Vec::new();
        for &parent in &at.parents {
            match objects.commit(parent) {
                Ok(parent) => {
                    let its = trees.file_at(parent.tree, path)?;
                    parents.push((parent, its));
                }
                Err(Lack::Missing(_)) if is_last => return Ok(None),
                Err(lack) => return Err(lack),
            }
        }
        let same = parents.iter().position(|(_, its)| *its == blob);
        if same.is_none() {
            found.push(Changed { commit: CommitId(at.id), blob: BlobId(now) });
        }
        if parents.is_empty() {
            break;
        }
        (at, blob) = parents.swap_remove(same.unwrap_or(0));
    }
    Ok(Some(found))
}
