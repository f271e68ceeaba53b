//! Creates commits, in a scratch repository with only the objects that git needs to push them.
//!
//! ```text
//! .push-x8Kq2/          below the root of the cache; removed on drop, or by the next process if this one is killed
//! ├── lock              locked as long as a process uses it
//! ├── shallow           the parent commit, whose own parents are not here
//! └── objects/          that commit, the directories on the paths of the changes, and all new objects
//! ```
//!
//! Siblings of those directories are referenced by id and never read, since the host has them. So the cost of a
//! commit depends on its changes, not on the size of the repository, and git never sees our partial cache.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::path::Path;

use gix::ObjectId;
use gix::objs::tree::EntryKind;
use gix::objs::{Kind, Write as _};

use super::cache_folder;
use super::connection::FetchWant;
use super::id::CommitId;
use super::listing::TreeCache;
use super::objects::{ObjectDatabase, ObjectError};
use super::package::CheckLevel;
use super::{CommitSigning, GitClient, GitRepository, failure};
use crate::disk::{DiskOperation, failpoint};
use skillpm_core::error::{Error, ErrorContext, Result};

/// Name prefix of scratch repositories.
const SCRATCH_PREFIX: &str = ".push-";

/// The author and committer of a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitAuthor {
    /// The name.
    pub name: String,
    /// The email address, which identifies the author.
    pub email: String,
    /// The committer: mostly the same person.
    pub committer: GitIdentity,
    /// How commits of an index are signed; `None` if they are not.
    pub signing: Option<CommitSigning>,
}

/// A person in a commit or tag.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GitIdentity {
    /// The name.
    pub name: String,
    /// The email address.
    pub email: String,
}

/// A commit to create.
#[derive(Debug, Clone, Copy)]
pub struct CommitChange<'a> {
    /// Its parent; `None` for the first commit of a repository.
    pub parent: Option<CommitId>,
    /// New contents by path; all other files stay as in the parent.
    pub files: &'a BTreeMap<String, Vec<u8>>,
    /// Its message.
    pub message: &'a str,
    /// Its author and committer.
    pub author: &'a CommitAuthor,
    /// Its time, in seconds since 1970.
    pub time: i64,
}

/// A commit that is not pushed yet.
pub struct DraftCommit {
    pub(super) scratch: ScratchRepository,
    commit: CommitId,
}

impl DraftCommit {
    /// Its id.
    #[must_use]
    pub fn commit(&self) -> CommitId {
        self.commit
    }
}

/// The default branch of a repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BranchHead {
    /// Its full name: `refs/heads/main`.
    pub branch: String,
    /// Its commit; `None` in a repository without commits.
    pub commit: Option<CommitId>,
}

impl GitClient {
    /// Removes scratch repositories of killed processes.
    pub fn remove_abandoned_drafts(&self) {
        let root = &self.0.root;
        if root.exists() {
            let _lock = cache_folder::lock_root(root);
            remove_abandoned(root);
        }
    }
}

impl GitRepository<'_> {
    /// The current default branch. A repository without commits has one, too.
    ///
    /// # Errors
    /// If the host cannot be reached, or its default branch does not exist although others do.
    pub fn head(&mut self) -> Result<BranchHead> {
        if let Some(head) = self
            .refs(&["HEAD"])?
            .into_iter()
            .find(|found| found.name == "HEAD")
        {
            let branch = head.target.ok_or_else(|| {
                Error::negative(format!(
                    "no default branch in `{}`: its HEAD is detached",
                    self.url
                ))
                .help("its owner can set one: `git symbolic-ref HEAD refs/heads/main`")
            })?;
            return Ok(BranchHead {
                branch,
                commit: Some(head.commit),
            });
        }

        // No HEAD is listed for an empty repository, nor for one whose default branch is missing.
        let branches = self.refs(&["refs/heads/"])?;
        // HEAD names none of the existing branches, so there is no parent to build on.
        if !branches.is_empty() {
            return Err(super::refs::unknown_reference(
                &self.url,
                &skillpm_core::package::GitReference::Default,
                &branches,
            ));
        }

        // A repository without commits has a HEAD, too, which names its first branch.
        let unborn = match &mut self.cache {
            None => self.objects.head_name(),
            Some(cache) => cache.remote(&self.url, &self.shared)?.unborn_head()?,
        };

        Ok(BranchHead {
            branch: unborn.unwrap_or_else(|| "refs/heads/main".into()),
            commit: None,
        })
    }

    /// Creates a commit, without pushing it.
    ///
    /// # Errors
    /// If the parent cannot be fetched, a path conflicts with an existing file or directory, or the disk refuses.
    pub fn draft_commit(&mut self, change: &CommitChange<'_>) -> Result<DraftCommit> {
        let known = match change.parent {
            None => Vec::new(),
            Some(parent) => {
                let read = |objects: &ObjectDatabase, _: CheckLevel| {
                    read_affected_trees(objects, parent.0, change.files)
                };
                self.with_objects(read, &FetchWant::Commit(parent.0))
                    .map_err(|unmet| self.commit_error(&parent, unmet))?
            }
        };

        let root = &self.shared.root;
        let scratch = ScratchRepository::open(root, self.objects.object_hash())
            .context(|| format!("failed to create a repository in `{}`", root.display()))?;

        let not_written = |cause: gix::Error| {
            failure::with_gix_causes(
                Error::disk(format!("failed to write to `{}`", root.display())),
                &cause,
            )
        };

        // Signed between the two: the signature is part of the commit's own bytes.
        let mut commit = scratch.build_commit(change, &known).map_err(not_written)?;
        if let Some(signing) = &change.author.signing {
            sign_commit(&mut commit, signing)?;
        }
        let commit = scratch.write_commit(&commit).map_err(not_written)?;
        Ok(DraftCommit { scratch, commit })
    }
}

/// The raw commit and its directories on the paths of `files`.
fn read_affected_trees(
    objects: &ObjectDatabase,
    commit: ObjectId,
    files: &BTreeMap<String, Vec<u8>>,
) -> Result<Vec<(Kind, Vec<u8>)>, ObjectError> {
    let root = objects.read_commit(commit)?.tree;
    let mut trees = TreeCache::new(objects);
    let mut needed = BTreeSet::from([root]);
    for path in files.keys() {
        collect_trees_on_path(&mut trees, root, path, &mut needed)?;
    }

    let mut known = vec![(Kind::Commit, objects.read_object(commit, Kind::Commit)?)];
    for id in needed {
        known.push((Kind::Tree, objects.read_object(id, Kind::Tree)?));
    }
    Ok(known)
}

/// Adds the existing directories on the way to a file, which is refused if its path has another meaning already.
fn collect_trees_on_path(
    trees: &mut TreeCache<'_>,
    root: ObjectId,
    path: &str,
    needed: &mut BTreeSet<ObjectId>,
) -> Result<(), ObjectError> {
    let mut at = root;
    let mut parts = path.split('/').peekable();
    while let Some(part) = parts.next() {
        let tree = trees.read_tree(at)?;
        // From here on every directory of the path is new.
        let Some(entry) = tree.iter().find(|raw| raw.name == part) else {
            break;
        };

        match (parts.peek(), entry.kind()) {
            (Some(_), None) => {
                at = entry.id;
                needed.insert(at);
            }
            (None, Some(_)) => {}
            (Some(_), Some(_)) => {
                return Err(path_conflict(path, "a file where a directory is needed").into());
            }
            (None, None) => return Err(path_conflict(path, "a directory").into()),
        }
    }
    Ok(())
}

fn path_conflict(path: &str, what: &str) -> Error {
    Error::negative(format!(
        "cannot write `{}`: the repository has {what}",
        path.escape_debug()
    ))
    .help("choose another name; a path cannot be both a file and a directory")
}

/// A temporary bare repository for one commit.
pub(super) struct ScratchRepository {
    /// Closed before the directory is removed: Windows may keep the name of a removed file that is open.
    _lock: Option<File>,
    dir: tempfile::TempDir,
}

impl ScratchRepository {
    /// Creates one, and removes those of killed processes.
    fn open(root: &Path, hash: gix::hash::Kind) -> std::io::Result<ScratchRepository> {
        failpoint(DiskOperation::Make, root)?;
        fs::create_dir_all(root)?;

        // Required to create or remove one, so that none is removed before it is locked.
        let _lock = cache_folder::lock_root(root);
        remove_abandoned(root);

        let dir = tempfile::Builder::new()
            .prefix(SCRATCH_PREFIX)
            .tempdir_in(root)?;
        let lock = File::create(dir.path().join("lock"))?;
        // Some network file systems have no locks; the commit is made without one.
        let lock = lock.try_lock().is_ok().then_some(lock);

        cache_folder::write_bare_layout(dir.path(), hash)?;
        Ok(ScratchRepository { _lock: lock, dir })
    }

    pub(super) fn path(&self) -> &Path {
        self.dir.path()
    }

    /// Writes all objects except the commit itself, which is returned.
    fn build_commit(
        &self,
        change: &CommitChange<'_>,
        known: &[(Kind, Vec<u8>)],
    ) -> gix::Result<gix::objs::Commit> {
        let repo = self.write_known_objects(change.parent, known)?;
        let base = match change.parent {
            Some(parent) => repo.find_commit(parent.0)?.tree_id()?.detach(),
            None => repo.object_hash().empty_tree(),
        };
        let files = change.files.iter();
        let tree = write_files(&repo, base, files.map(|(path, bytes)| (&**path, &**bytes)))?;

        let CommitAuthor {
            name,
            email,
            committer,
            ..
        } = change.author;
        Ok(gix::objs::Commit {
            tree,
            parents: change.parent.iter().map(|parent| parent.0).collect(),
            author: new_signature(name, email, change.time),
            committer: new_signature(&committer.name, &committer.email, change.time),
            encoding: None,
            message: format!("{}\n", change.message.trim_end()).into(),
            extra_headers: Vec::new(),
        })
    }

    /// Writes the objects of the parent that the commit builds on, and opens the repository with them.
    fn write_known_objects(
        &self,
        parent: Option<CommitId>,
        known: &[(Kind, Vec<u8>)],
    ) -> gix::Result<gix::Repository> {
        // The parent's own parents are not here, and git must not look for them.
        if let Some(parent) = parent {
            fs::write(self.path().join("shallow"), format!("{parent}\n"))
                .map_err(gix::Error::from_error)?;
        }

        let repo = gix::open_opts(self.path(), gix::open::Options::isolated())?;
        failpoint(DiskOperation::Write, self.path()).map_err(gix::Error::from_error)?;
        for (kind, bytes) in known {
            repo.objects.write_buf(*kind, bytes)?;
        }
        Ok(repo)
    }

    fn write_commit(&self, commit: &gix::objs::Commit) -> gix::Result<CommitId> {
        let repo = gix::open_opts(self.path(), gix::open::Options::isolated())?;
        failpoint(DiskOperation::Write, self.path()).map_err(gix::Error::from_error)?;
        Ok(CommitId(repo.write_object(commit)?.detach()))
    }
}

/// Writes files into a copy of the tree `base`, and returns the new tree.
pub(super) fn write_files<'f>(
    repo: &gix::Repository,
    base: ObjectId,
    files: impl Iterator<Item = (&'f str, &'f [u8])>,
) -> gix::Result<ObjectId> {
    // Without its wrapper, which would look up objects that are only referenced here.
    let mut tree = repo.edit_tree(base)?.detach();
    for (path, bytes) in files {
        let parts = path.split('/').map(gix::bstr::BStr::new);
        tree.upsert(parts, EntryKind::Blob, repo.write_blob(bytes)?.detach())?;
    }
    tree.write(|tree| Ok::<_, gix::Error>(repo.write_object(tree)?.detach()))
}

/// A person at a time (seconds since 1970), as a commit names them.
pub(super) fn new_signature(name: &str, email: &str, time: i64) -> gix::actor::Signature {
    gix::actor::Signature {
        name: sanitize_name(name).into(),
        email: sanitize_name(email).into(),
        // The time is given without a zone, and written as UTC.
        time: gix::date::Time::new(time, 0),
    }
}

/// Signs a commit, and adds the signature as a header.
fn sign_commit(commit: &mut gix::objs::Commit, signing: &CommitSigning) -> Result<()> {
    let mut payload = Vec::new();
    // The signed payload is the commit without its signature.
    gix::objs::WriteTo::write_to(commit, &mut payload)
        .context(|| "failed to serialize a commit".to_owned())?;
    let signature = signing.sign(&payload)?;

    // git uses another header name in SHA-256 repositories.
    let header = if commit.tree.kind() == gix::hash::Kind::Sha1 {
        "gpgsig"
    } else {
        "gpgsig-sha256"
    };

    commit
        .extra_headers
        .push((header.into(), signature.trim_end().into()));
    Ok(())
}

/// Removes scratch repositories of killed processes below `root`.
fn remove_abandoned(root: &Path) {
    // Failures are ignored: the next process tries again.
    for entry in fs::read_dir(root).into_iter().flatten().flatten() {
        if entry
            .file_name()
            .to_string_lossy()
            .starts_with(SCRATCH_PREFIX)
            && !is_in_use(&entry.path())
        {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

/// Whether a process uses a scratch repository.
fn is_in_use(scratch: &Path) -> bool {
    File::open(scratch.join("lock")).is_ok_and(|lock| lock.try_lock().is_err())
}

/// A name without the characters that end a name in a commit.
pub(super) fn sanitize_name(text: &str) -> String {
    // A line end would begin another header of the commit.
    text.chars()
        .filter(|c| !c.is_control() && !matches!(c, '<' | '>'))
        .collect::<String>()
        .trim()
        .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_killed_process_s_scratch_is_cleared_and_a_living_one_s_is_not() {
        let root = tempfile::tempdir().unwrap();
        let left: Vec<_> = ["half", "whole"]
            .map(|name| root.path().join(format!("{SCRATCH_PREFIX}{name}")))
            .into();
        left.iter().for_each(|dir| fs::create_dir(dir).unwrap());
        fs::write(left[1].join("lock"), "").unwrap();
        let first = ScratchRepository::open(root.path(), gix::hash::Kind::Sha1).unwrap();
        assert!(left.iter().all(|dir| !dir.exists()));
        let second = ScratchRepository::open(root.path(), gix::hash::Kind::Sha1).unwrap();
        assert!(first.path().exists() && second.path() != first.path());
        drop((first, second));
        let names: Vec<_> = fs::read_dir(root.path())
            .unwrap()
            .flatten()
            .map(|entry| entry.file_name())
            .collect();
        assert_eq!(names, [".lock"]);
    }
}
