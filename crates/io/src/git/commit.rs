//! A commit that is made here: in a scratch repository which holds just what git must see to push it, and nothing else.
//!
//! ```text
//! .push-x8Kq2/          below the root of the cache; gone with the value, or with the next one if the process was killed
//! ├── lock              held as long as somebody works in it
//! ├── shallow           the commit it builds on, whose own parents are not here
//! └── objects/          that commit, the directories on the way to what changes, and all that is new
//! ```
//!
//! What lies beside those directories is named by them and never looked at, since the host has it. So a change costs
//! what it changes, however large the repository is, and git never sees a cache that is not whole.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::path::Path;

use gix::ObjectId;
use gix::objs::tree::EntryKind;
use gix::objs::{Kind, Write as _};

use super::folder;
use super::id::CommitId;
use super::listing::Trees;
use super::objects::{Lack, Objects};
use super::package::Check;
use super::remote::Want;
use super::{Git, Repository, Signing, failure};
use crate::error::{Context, Error, Result};
use crate::io::disk::{Act, moment};

/// How the names of scratch repositories begin.
const SCRATCH: &str = ".push-";

/// Who makes a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Author {
    /// The name, for people.
    pub name: String,
    /// The address, which is what tells one from another.
    pub email: String,
    /// Who puts it into the repository: mostly the same person.
    pub committer: Person,
    /// How they sign commits of an index; `None` if they do not.
    pub signing: Option<Signing>,
}

/// Somebody, as commits and tags name them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Person {
    /// The name, for people.
    pub name: String,
    /// The address.
    pub email: String,
}

/// A commit to be made.
#[derive(Debug, Clone, Copy)]
pub struct Change<'a> {
    /// The commit it builds on; `None` for the first one of a repository.
    pub parent: Option<CommitId>,
    /// Files to be written, whole, by path; all others stay as they are in the parent.
    pub files: &'a BTreeMap<String, Vec<u8>>,
    /// Its message.
    pub message: &'a str,
    /// Who makes it.
    pub author: &'a Author,
    /// When it is made, in seconds since 1970.
    pub time: i64,
}

/// A commit that nobody else has yet.
pub struct Draft {
    pub(super) scratch: Scratch,
    commit: CommitId,
}

impl Draft {
    /// Its id.
    #[must_use]
    pub fn commit(&self) -> CommitId {
        self.commit
    }
}

/// The branch by which a repository is read and written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Head {
    /// Its full name: `refs/heads/main`.
    pub branch: String,
    /// Where it is; `None` in a repository without a commit.
    pub commit: Option<CommitId>,
}

impl Git {
    /// Clears away drafts of processes that were killed.
    pub fn clear_drafts(&self) {
        let root = &self.0.root;
        if root.exists() {
            let _turn = folder::lock_root(root);
            clear(root);
        }
    }
}

impl Repository {
    /// The default branch, as it is now. A repository without any commit has one, too.
    ///
    /// # Errors
    /// If the host cannot be asked, or names as the default a branch that is not there though others are.
    pub fn head(&mut self) -> Result<Head> {
        if let Some(head) = self.refs(&["HEAD"])?.into_iter().find(|found| found.name == "HEAD") {
            let branch = head.target.ok_or_else(|| {
                Error::negative(format!("`{}` has no default branch: its HEAD is a commit", self.url))
                    .help("whoever keeps it can name one: `git symbolic-ref HEAD refs/heads/main`")
            })?;
            return Ok(Head { branch, commit: Some(head.commit) });
        }
        let branches = self.refs(&["refs/heads/"])?;
        if !branches.is_empty() {
            return Err(super::refs::missing(&self.url, &crate::package::GitReference::Default, &branches));
        }
        let unborn = match &mut self.cache {
            None => self.objects.head_name(),
            Some(cache) => cache.remote(&self.url, &self.shared)?.unborn_head()?,
        };
        Ok(Head { branch: unborn.unwrap_or_else(|| "refs/heads/main".into()), commit: None })
    }

    /// Makes a commit, here only.
    ///
    /// # Errors
    /// If the parent cannot be had, a path meets a file where a directory is wanted or the reverse, or the disk refuses.
    pub fn draft(&mut self, change: &Change<'_>) -> Result<Draft> {
        let known = match change.parent {
            None => Vec::new(),
            Some(parent) => {
                let read = |objects: &Objects, _: Check| surroundings(objects, parent.0, change.files);
                self.with(read, &Want::Commit(parent.0)).map_err(|unmet| self.no_commit(&parent, unmet))?
            }
        };
        let root = &self.shared.root;
        let scratch = Scratch::open(root, self.objects.hash())
            .context(|| format!("could not make a repository in `{}`", root.display()))?;
        let not_written = |cause: gix::Error| {
            failure::with_gix_causes(Error::disk(format!("could not write to `{}`", root.display())), &cause)
        };
        let mut commit = scratch.write(change, &known).map_err(not_written)?;
        if let Some(signing) = &change.author.signing {
            sign(&mut commit, signing)?;
        }
        let commit = scratch.add(&commit).map_err(not_written)?;
        Ok(Draft { scratch, commit })
    }
}

/// The commit and its directories on the way to `files`, as they are.
fn surroundings(
    objects: &Objects,
    commit: ObjectId,
    files: &BTreeMap<String, Vec<u8>>,
) -> Result<Vec<(Kind, Vec<u8>)>, Lack> {
    let root = objects.commit(commit)?.tree;
    let mut trees = Trees::new(objects);
    let mut needed = BTreeSet::from([root]);
    for path in files.keys() {
        let mut at = root;
        let mut parts = path.split('/').peekable();
        while let Some(part) = parts.next() {
            let tree = trees.get(at)?;
            let Some(entry) = tree.iter().find(|raw| raw.name == part) else { break };
            match (parts.peek(), entry.kind()) {
                (Some(_), None) => {
                    at = entry.id;
                    needed.insert(at);
                }
                (None, Some(_)) => {}
                (Some(_), Some(_)) => return Err(in_the_way(path, "a file where a directory is wanted").into()),
                (None, None) => return Err(in_the_way(path, "a directory").into()),
            }
        }
    }
    let mut known = vec![(Kind::Commit, objects.read(commit, Kind::Commit)?)];
    for id in needed {
        known.push((Kind::Tree, objects.read(id, Kind::Tree)?));
    }
    Ok(known)
}

fn in_the_way(path: &str, what: &str) -> Error {
    Error::negative(format!("`{}` cannot be written: the repository has {what}", path.escape_debug()))
        .help("choose another name; two names may not share a file and a directory")
}

/// A bare repository of its own for one commit.
pub(super) struct Scratch {
    dir: tempfile::TempDir,
    _lock: Option<File>,
}

impl Scratch {
    /// Makes one, and clears away those of killed processes.
    fn open(root: &Path, hash: gix::hash::Kind) -> std::io::Result<Scratch> {
        fs::create_dir_all(root)?;
        // Whoever makes or clears one holds this, so that none is cleared before it is locked.
        let _turn = folder::lock_root(root);
        clear(root);
        moment(Act::Make, root)?;
        let dir = tempfile::Builder::new().prefix(SCRATCH).tempdir_in(root)?;
        let lock = File::create(dir.path().join("lock"))?;
        let lock = lock.try_lock().is_ok().then_some(lock);
        folder::lay_out(dir.path(), hash)?;
        Ok(Scratch { dir, _lock: lock })
    }

    pub(super) fn path(&self) -> &Path {
        self.dir.path()
    }

    /// Writes everything but the commit itself.
    fn write(&self, change: &Change<'_>, known: &[(Kind, Vec<u8>)]) -> gix::Result<gix::objs::Commit> {
        if let Some(parent) = change.parent {
            fs::write(self.path().join("shallow"), format!("{parent}\n")).map_err(gix::Error::from_error)?;
        }
        let repo = gix::open_opts(self.path(), gix::open::Options::isolated())?;
        moment(Act::Write, self.path()).map_err(gix::Error::from_error)?;
        for (kind, bytes) in known {
            repo.objects.write_buf(*kind, bytes)?;
        }
        let base = match change.parent {
            Some(parent) => repo.find_commit(parent.0)?.tree_id()?.detach(),
            None => repo.object_hash().empty_tree(),
        };
        // Without its wrapper, which would look for what is only named here.
        let mut tree = repo.edit_tree(base)?.detach();
        for (path, bytes) in change.files {
            let parts = path.split('/').map(gix::bstr::BStr::new);
            tree.upsert(parts, EntryKind::Blob, repo.write_blob(bytes)?.detach())?;
        }
        let tree = tree.write(|tree| Ok::<_, gix::Error>(repo.write_object(tree)?.detach()))?;
        let signature = |name: &str, email: &str| gix::actor::Signature {
            name: plain(name).into(),
            email: plain(email).into(),
            time: gix::date::Time::new(change.time, 0),
        };
        let Author { name, email, committer, .. } = change.author;
        Ok(gix::objs::Commit {
            tree,
            parents: change.parent.iter().map(|parent| parent.0).collect(),
            author: signature(name, email),
            committer: signature(&committer.name, &committer.email),
            encoding: None,
            message: format!("{}\n", change.message.trim_end()).into(),
            extra_headers: Vec::new(),
        })
    }

    fn add(&self, commit: &gix::objs::Commit) -> gix::Result<CommitId> {
        let repo = gix::open_opts(self.path(), gix::open::Options::isolated())?;
        moment(Act::Write, self.path()).map_err(gix::Error::from_error)?;
        Ok(CommitId(repo.write_object(commit)?.detach()))
    }
}

/// Signs a commit as it is, and puts the signature into it.
fn sign(commit: &mut gix::objs::Commit, signing: &Signing) -> Result<()> {
    let mut payload = Vec::new();
    gix::objs::WriteTo::write_to(commit, &mut payload).context(|| "a commit could not be written".to_owned())?;
    let signature = signing.sign(&payload)?;
    let header = if commit.tree.kind() == gix::hash::Kind::Sha1 { "gpgsig" } else { "gpgsig-sha256" };
    commit.extra_headers.push((header.into(), signature.trim_end().into()));
    Ok(())
}

/// Removes what killed processes left below `root`.
fn clear(root: &Path) {
    for entry in fs::read_dir(root).into_iter().flatten().flatten() {
        if entry.file_name().to_string_lossy().starts_with(SCRATCH) && !is_in_use(&entry.path()) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

/// Whether somebody works in a scratch repository.
fn is_in_use(scratch: &Path) -> bool {
    File::open(scratch.join("lock")).is_ok_and(|lock| lock.try_lock().is_err())
}

/// A name without what ends a name in a commit.
pub(super) fn plain(text: &str) -> String {
    text.chars().filter(|c| !c.is_control() && !matches!(c, '<' | '>')).collect::<String>().trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_killed_process_s_scratch_is_cleared_and_a_living_one_s_is_not() {
        let root = tempfile::tempdir().unwrap();
        let left: Vec<_> = ["half", "whole"].map(|name| root.path().join(format!("{SCRATCH}{name}"))).into();
        left.iter().for_each(|dir| fs::create_dir(dir).unwrap());
        fs::write(left[1].join("lock"), "").unwrap();
        let first = Scratch::open(root.path(), gix::hash::Kind::Sha1).unwrap();
        assert!(left.iter().all(|dir| !dir.exists()));
        let second = Scratch::open(root.path(), gix::hash::Kind::Sha1).unwrap();
        assert!(first.path().exists() && second.path() != first.path());
        drop((first, second));
        let names: Vec<_> = fs::read_dir(root.path()).unwrap().flatten().map(|entry| entry.file_name()).collect();
        assert_eq!(names, [".lock"]);
    }
}
