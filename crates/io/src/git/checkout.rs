//! A repository on this disk as whoever works in it sees it: what is tracked, what was committed, and by whom.
//!
//! It is read as any other: objects as they are, no filters, no hooks, and no configuration but its own.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use gix::ObjectId;
use gix::bstr::ByteSlice;
use gix::objs::Kind;

use super::failure::with_gix_causes;
use super::id::{BlobId, CommitId};
use super::listing::{EntryKind, Trees};
use super::objects::{Lack, Objects};
use crate::error::{Error, Result};
use crate::package::{GitUrl, Tree};

/// The repository around a directory.
pub struct Checkout {
    repo: gix::Repository,
    objects: Objects,
    root: PathBuf,
    below: String,
}

/// A commit, and what it did below the directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Authored {
    /// The commit.
    pub commit: CommitId,
    /// The address of its author, as the commit says.
    pub email: String,
    /// The paths that are not as in any of its parents, relative to the directory.
    pub paths: BTreeSet<String>,
}

/// What lay where in a commit, apart from the repository: it may be asked by several threads.
#[derive(Debug, Clone)]
pub struct Snapshot {
    root: PathBuf,
    files: Files,
    hash: gix::hash::Kind,
}

impl Snapshot {
    /// The root of the checkout.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Where a directory lies in the checkout; `None` if it lies in another.
    #[must_use]
    pub fn below(&self, dir: &Path) -> Option<String> {
        Some(dir.strip_prefix(&self.root).ok()?.to_str()?.replace('\\', "/"))
    }

    /// Whether the file at a path had these bytes.
    #[must_use]
    pub fn holds(&self, path: &str, bytes: &[u8]) -> bool {
        let id = || gix::objs::compute_hash(self.hash, Kind::Blob, bytes).ok();
        self.files.get(path).is_some_and(|blob| id() == Some(blob.0))
    }

    /// The files below a directory, by their paths in it.
    pub fn files_below<'a>(&'a self, dir: &'a str) -> impl Iterator<Item = &'a str> {
        let first = if dir.is_empty() { String::new() } else { format!("{dir}/") };
        let inside = move |path: &'a str| {
            if dir.is_empty() { Some(path) } else { path.strip_prefix(dir)?.strip_prefix('/') }
        };
        self.files.range(first..).map_while(move |(path, _)| inside(path))
    }
}

/// Files by path, relative to the directory.
pub type Files = BTreeMap<String, BlobId>;

impl Checkout {
    /// The repository that `dir` lies in; `None` if it lies in none.
    ///
    /// # Errors
    /// If there is one and it cannot be opened.
    pub fn around(dir: &Path) -> Result<Option<Checkout>> {
        let dir = super::super::disk::real_path(dir);
        let Ok((found, _)) = gix::discover::upwards(&dir) else { return Ok(None) };
        let (git_dir, work_dir) = found.into_repository_and_work_tree_directories();
        let failed = |cause: gix::Error| {
            with_gix_causes(
                Error::disk(format!("`{}` cannot be opened as a git repository", git_dir.display())),
                &cause,
            )
        };
        let objects = Objects::open(&git_dir).map_err(failed)?;
        let repo = gix::open_opts(&git_dir, gix::open::Options::isolated()).map_err(failed)?;
        let root = super::super::disk::real_path(work_dir.as_deref().unwrap_or(&git_dir));
        let below = dir.strip_prefix(&root).ok().and_then(Path::to_str).unwrap_or_default().replace('\\', "/");
        Ok(Some(Checkout { repo, objects, root, below }))
    }

    /// The root of the checkout; of a bare repository, the repository itself.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The git directory.
    #[must_use]
    pub fn git_dir(&self) -> &Path {
        self.repo.common_dir()
    }

    /// Whether there is nothing but the repository itself: what it holds can only be read out of commits.
    #[must_use]
    pub fn is_bare(&self) -> bool {
        self.repo.workdir().is_none()
    }

    /// Where the directory lies in it; empty for the root.
    #[must_use]
    pub fn below(&self) -> &str {
        &self.below
    }

    /// The tracked files, relative to the directory.
    ///
    /// # Errors
    /// If git's list of them is damaged.
    pub fn tracked(&self) -> Result<BTreeSet<String>> {
        if !self.repo.index_path().exists() {
            return Ok(BTreeSet::new());
        }
        let index = self.repo.open_index().map_err(|cause| self.unreadable("its list of tracked files", &cause))?;
        let paths = index.entries().iter().map(|entry| entry.path(&index).to_str_lossy().into_owned());
        Ok(paths.filter_map(|path| self.inside(&path).map(str::to_owned)).collect())
    }

    /// A file of the directory as a merge that is not done has it: as both sides began, as ours and as theirs is; `None`
    /// for a side that does not have it, and for all where there is no such merge.
    ///
    /// # Errors
    /// If git's list of files is damaged, or a side cannot be read.
    pub fn stages(&self, name: &str) -> Result<[Option<String>; 3]> {
        let mut stages = [None, None, None];
        if !self.repo.index_path().exists() {
            return Ok(stages);
        }
        let index = self.repo.open_index().map_err(|cause| self.unreadable("its list of tracked files", &cause))?;
        for (at, stage) in (1_u32..).zip(&mut stages) {
            let is_it = |entry: &&gix::index::Entry| {
                entry.stage_raw() == at && self.inside(&entry.path(&index).to_str_lossy()) == Some(name)
            };
            if let Some(entry) = index.entries().iter().find(is_it) {
                let bytes = self.objects.read(entry.id, Kind::Blob).map_err(|lack| self.lacks(&lack))?;
                *stage = String::from_utf8(bytes).ok();
            }
        }
        Ok(stages)
    }

    /// The commit that is checked out; `None` before the first one.
    #[must_use]
    pub fn head(&self) -> Option<CommitId> {
        self.repo.head_id().ok().map(|id| CommitId(id.detach()))
    }

    /// The URL of its remote: the only one, or `origin`.
    #[must_use]
    pub fn remote(&self) -> Option<GitUrl> {
        let names = self.repo.remote_names();
        let name = names
            .iter()
            .find(|name| name.as_bstr() == "origin")
            .or(names.iter().next().filter(|_| names.len() == 1))?;
        let remote = self.repo.find_remote(name.as_bstr()).ok()?;
        remote.url(gix::remote::Direction::Fetch)?.to_bstring().to_str().ok()?.parse().ok()
    }

    /// Whether some branch of a remote, as it was last seen, has the commit.
    #[must_use]
    pub fn is_pushed(&self, commit: &CommitId) -> bool {
        let Ok(references) = self.repo.references() else { return false };
        let Ok(remotes) = references.remote_branches() else { return false };
        let mut tips = remotes.flatten().filter_map(|branch| branch.into_fully_peeled_id().ok());
        tips.any(|tip| self.repo.merge_base(tip, commit.0).is_ok_and(|base| base.is_some_and(|base| base == commit.0)))
    }

    /// What a revision, in any of git's spellings, means here.
    ///
    /// # Errors
    /// If there is no such commit.
    pub fn commit(&self, revision: &str) -> Result<CommitId> {
        let unknown = || {
            Error::negative(format!("`{}` is no commit of `{}`", revision.escape_debug(), self.root.display())).help(
                "name a branch, a tag or a commit that is here; a shallow clone may lack it (`git fetch --unshallow`)",
            )
        };
        let id = self.repo.rev_parse_single(revision).map_err(|_| unknown())?;
        let commit = id.object().ok().and_then(|object| object.peel_to_commit().ok()).ok_or_else(unknown)?;
        Ok(CommitId(commit.id))
    }

    /// The newest commit that two have in common; `None` if they have none.
    ///
    /// # Errors
    /// If commits between them are not here.
    pub fn merge_base(&self, one: &CommitId, other: &CommitId) -> Result<Option<CommitId>> {
        let bases = self.repo.merge_bases_many(one.0, &[other.0]);
        let bases = bases.map_err(|cause| self.unreadable("its history", &cause))?;
        Ok(bases.first().map(|id| CommitId(id.detach())))
    }

    /// The files of a commit, relative to the directory.
    ///
    /// # Errors
    /// If the commit or one of its trees cannot be read, or there is something other than files and directories.
    pub fn files(&self, commit: &CommitId) -> Result<Files> {
        let tree = self.objects.commit(commit.0).map_err(|lack| self.lacks(&lack))?.tree;
        let mut trees = Trees::new(&self.objects);
        let (mut files, mut todo) = (Files::new(), vec![(String::new(), tree)]);
        while let Some((path, id)) = todo.pop() {
            for raw in trees.get(id).map_err(|lack| self.lacks(&lack))?.iter() {
                let name = raw.name.to_str_lossy();
                let child = if path.is_empty() { name.into_owned() } else { format!("{path}/{name}") };
                match raw.kind() {
                    None if self.leads(&child) => todo.push((child, raw.id)),
                    Some(EntryKind::File { .. } | EntryKind::Link | EntryKind::Unusable) => {
                        files.extend(self.inside(&child).map(|inner| (inner.to_owned(), BlobId(raw.id))));
                    }
                    None | Some(EntryKind::Submodule) => {}
                }
            }
        }
        Ok(files)
    }

    /// All files of a commit, wherever the directory lies.
    ///
    /// # Errors
    /// As for [`Checkout::files`].
    pub fn snapshot(mut self, commit: &CommitId) -> Result<Snapshot> {
        self.below.clear();
        Ok(Snapshot { files: self.files(commit)?, hash: self.objects.hash(), root: self.root })
    }

    /// The directory as a package, as it is in a commit; `None` if it is not there, or can be no package.
    #[must_use]
    pub fn package(&self, commit: &CommitId) -> Option<Tree> {
        let mut id = self.tree_of(commit.0).ok()?;
        let mut trees = Trees::new(&self.objects);
        for part in self.below.split('/').filter(|part| !part.is_empty()) {
            id = trees.get(id).ok()?.iter().find(|raw| raw.name == part && raw.kind().is_none())?.id;
        }
        super::package::read(&self.objects, id).ok()
    }

    /// The content of a file.
    ///
    /// # Errors
    /// If it cannot be read, or has more than `limit` bytes.
    pub fn read(&self, blob: &BlobId, limit: u64) -> Result<Vec<u8>> {
        let size = self.objects.blob_size(blob.0).map_err(|lack| self.lacks(&lack))?;
        if size > limit {
            return Err(Error::integrity(format!("object {blob} has {size} bytes; the limit is {limit}")));
        }
        self.objects.read(blob.0, Kind::Blob).map_err(|lack| self.lacks(&lack))
    }

    /// Whether a file with these bytes is that blob.
    #[must_use]
    pub fn is_blob(&self, blob: &BlobId, bytes: &[u8]) -> bool {
        gix::objs::compute_hash(self.objects.hash(), Kind::Blob, bytes).is_ok_and(|id| id == blob.0)
    }

    /// The commits that `head` has and `base` has not, newest first, with what each did below the directory.
    ///
    /// # Errors
    /// If one of them cannot be read.
    pub fn since(&self, base: &CommitId, head: &CommitId) -> Result<Vec<Authored>> {
        let walk = self.repo.rev_walk([head.0]).with_hidden([base.0]).all();
        let walk = walk.map_err(|cause| self.unreadable("its history", &cause))?;
        let mut trees = Trees::new(&self.objects);
        let mut commits = Vec::new();
        for info in walk {
            let info = info.map_err(|cause| self.unreadable("its history", &cause))?;
            let id = info.id().detach();
            let own = Some(self.tree_of(id)?);
            let mut parents = info.parent_ids().map(|parent| self.tree_of(parent.detach()).map(Some)).peekable();
            let mut paths: Option<BTreeSet<String>> = match parents.peek() {
                None => Some(self.differences(&mut trees, None, own)?),
                Some(_) => None,
            };
            for parent in parents {
                let differ = self.differences(&mut trees, parent?, own)?;
                paths = Some(paths.map_or_else(|| differ.clone(), |paths| &paths & &differ));
            }
            commits.push(Authored { commit: CommitId(id), email: self.author(id)?, paths: paths.unwrap_or_default() });
        }
        Ok(commits)
    }

    fn tree_of(&self, commit: ObjectId) -> Result<ObjectId> {
        self.objects.commit(commit).map(|commit| commit.tree).map_err(|lack| self.lacks(&lack))
    }

    /// The paths of files that are not the same in two trees, relative to the directory; what is the same is not read.
    fn differences(
        &self,
        trees: &mut Trees<'_>,
        before: Option<ObjectId>,
        after: Option<ObjectId>,
    ) -> Result<BTreeSet<String>> {
        let (mut found, mut todo) = (BTreeSet::new(), vec![(String::new(), before, after)]);
        while let Some((path, before, after)) = todo.pop() {
            let mut sides: BTreeMap<(String, bool), [Option<ObjectId>; 2]> = BTreeMap::new();
            for (side, tree) in [before, after].into_iter().enumerate() {
                let Some(tree) = tree else { continue };
                for raw in trees.get(tree).map_err(|lack| self.lacks(&lack))?.iter() {
                    let name = raw.name.to_str_lossy();
                    let child = if path.is_empty() { name.into_owned() } else { format!("{path}/{name}") };
                    sides.entry((child, raw.kind().is_none())).or_default()[side] = Some(raw.id);
                }
            }
            for ((child, is_dir), [before, after]) in sides.into_iter().filter(|(_, sides)| sides[0] != sides[1]) {
                match is_dir {
                    true if self.leads(&child) => todo.push((child, before, after)),
                    true => {}
                    false => found.extend(self.inside(&child).map(str::to_owned)),
                }
            }
        }
        Ok(found)
    }

    fn author(&self, id: ObjectId) -> Result<String> {
        let bytes = self.objects.read(id, Kind::Commit).map_err(|lack| self.lacks(&lack))?;
        let author = gix::objs::CommitRefIter::from_bytes(&bytes, id.kind()).author();
        let author = author.map_err(|_| Error::integrity(format!("commit {id} names no author")))?;
        Ok(author.email.to_str_lossy().into_owned())
    }

    /// The path relative to the directory; `None` if it does not lie below that.
    fn inside<'p>(&self, path: &'p str) -> Option<&'p str> {
        if self.below.is_empty() {
            return Some(path);
        }
        path.strip_prefix(self.below.as_str())?.strip_prefix('/')
    }

    /// Whether the directory at this path is on the way to ours, or below it.
    fn leads(&self, path: &str) -> bool {
        self.below.is_empty()
            || self.below == path
            || self.below.strip_prefix(path).is_some_and(|rest| rest.starts_with('/'))
            || self.inside(path).is_some()
    }

    fn unreadable(&self, what: &str, cause: &gix::Error) -> Error {
        with_gix_causes(Error::disk(format!("{what} cannot be read in `{}`", self.root.display())), cause)
    }

    fn lacks(&self, lack: &Lack) -> Error {
        match lack {
            Lack::Missing(id) => Error::negative(format!("object {id} is not in `{}`", self.root.display()))
                .help("the clone is not whole; `git fetch --unshallow` completes it"),
            Lack::Damaged(id) => Error::integrity(format!("object {id} of `{}` is damaged", self.root.display()))
                .help("`git fsck` says what else is; clone it anew"),
            Lack::Refused(error) => error.clone(),
        }
    }
}
