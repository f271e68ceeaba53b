//! The repository around a local directory: tracked files, commits, authors.
//!
//! It is read as any other: objects as they are, no filters, no hooks, and no configuration but its own.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use gix::ObjectId;
use gix::bstr::ByteSlice;
use gix::objs::Kind;

use super::failure::with_gix_causes;
use super::id::{BlobId, CommitId};
use super::listing::{EntryKind, TreeCache, TreeEntry, child_path};
use super::local_refs;
use super::objects::{ObjectDatabase, ObjectError};
use crate::disk;
use skillpm_core::error::{Error, Result};
use skillpm_core::package::{GitUrl, Tree};

/// The repository around a directory.
pub struct GitCheckout {
    repo: gix::Repository,
    objects: ObjectDatabase,
    root: PathBuf,
    subdirectory: String,
}

/// A commit, with its changes below the directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuthoredCommit {
    /// The commit.
    pub commit: CommitId,
    /// The email address of its author.
    pub email: String,
    /// The paths that differ from all of its parents, relative to the directory.
    pub paths: BTreeSet<String>,
}

/// The files of a commit, independent of the repository, so that several threads can use it.
#[derive(Debug, Clone)]
pub struct CommitSnapshot {
    root: PathBuf,
    files: CommitFiles,
    hash: gix::hash::Kind,
}

impl CommitSnapshot {
    /// The root of the checkout.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The path of a directory in the checkout; `None` if it is outside.
    #[must_use]
    pub fn relative_dir(&self, dir: &Path) -> Option<String> {
        Some(
            // git writes paths with `/` on every system.
            dir.strip_prefix(&self.root)
                .ok()?
                .to_str()?
                .replace('\\', "/"),
        )
    }

    /// Whether the file at a path had these bytes.
    #[must_use]
    pub fn has_content(&self, path: &str, bytes: &[u8]) -> bool {
        // By hash: the old content is not read, and need not be in memory.
        let id = || gix::objs::compute_hash(self.hash, Kind::Blob, bytes).ok();
        self.files
            .get(path)
            .is_some_and(|blob| id() == Some(blob.0))
    }

    /// The files below a directory, by their paths in it.
    pub fn files_below<'a>(&'a self, dir: &'a str) -> impl Iterator<Item = &'a str> {
        // With the slash, or the files of `pdf-tools` would be among those of `pdf`.
        let first = if dir.is_empty() {
            String::new()
        } else {
            format!("{dir}/")
        };

        let inside = move |path: &'a str| {
            if dir.is_empty() {
                Some(path)
            } else {
                path.strip_prefix(dir)?.strip_prefix('/')
            }
        };

        self.files
            .range(first..)
            .map_while(move |(path, _)| inside(path))
    }
}

/// Files by path, relative to the directory.
pub type CommitFiles = BTreeMap<String, BlobId>;

/// The ids of each entry before and after, by its path and whether it is a directory.
type EntryPairs = BTreeMap<(String, bool), [Option<ObjectId>; 2]>;

/// Whether an entry of a tree is listed as a file.
fn is_listed(raw: &TreeEntry) -> bool {
    matches!(
        raw.kind(),
        Some(EntryKind::File { .. } | EntryKind::Link | EntryKind::Unusable)
    )
}

impl GitCheckout {
    /// The repository around `dir`; `None` only if there is none.
    ///
    /// # Errors
    /// If there is one and it cannot be read.
    pub fn discover(dir: &Path) -> Result<Option<GitCheckout>> {
        let dir = disk::real_path(dir);
        // In a linked worktree `.git` is a file that names the repository; this follows it.
        let found = match gix::discover::upwards(&dir) {
            Ok((found, _)) => Some(found.into_repository_and_work_tree_directories()),
            Err(cause) if is_absence(&cause) => None,
            Err(cause) => return Err(open_error(&dir, &cause)),
        };

        let top = found
            .as_ref()
            .map(|(git_dir, work_dir)| disk::real_path(work_dir.as_deref().unwrap_or(git_dir)));
        refuse_unreadable(&dir, top.as_deref())?;
        let Some((git_dir, work_dir)) = found else {
            return Ok(None);
        };

        let objects =
            ObjectDatabase::open(&git_dir).map_err(|cause| open_error(&git_dir, &cause))?;
        // Both on the same repository: `objects` ignores replacement refs, and hashes what it reads.
        let repo = gix::open_opts(&git_dir, gix::open::Options::isolated())
            .map_err(|cause| open_error(&git_dir, &cause))?;

        // Resolved on both sides, or a link in either would hide the subdirectory.
        let root = disk::real_path(work_dir.as_deref().unwrap_or(&git_dir));
        let below = dir
            .strip_prefix(&root)
            .ok()
            .and_then(Path::to_str)
            .unwrap_or_default()
            .replace('\\', "/");

        Ok(Some(GitCheckout {
            repo,
            objects,
            root,
            subdirectory: below,
        }))
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

    /// Whether the repository is bare: its files can only be read from commits.
    #[must_use]
    pub fn is_bare(&self) -> bool {
        self.repo.workdir().is_none()
    }

    /// The path of the directory in the repository; empty for the root.
    #[must_use]
    pub fn subdirectory(&self) -> &str {
        &self.subdirectory
    }

    /// The tracked files, relative to the directory.
    ///
    /// # Errors
    /// If git's index is damaged.
    pub fn tracked_files(&self) -> Result<BTreeSet<String>> {
        // Before the first `git add` there is no index.
        if !self.repo.index_path().exists() {
            return Ok(BTreeSet::new());
        }

        let index = self
            .repo
            .open_index()
            .map_err(|cause| self.read_error("the index", &cause))?;

        let paths = index
            .entries()
            .iter()
            .map(|entry| entry.path(&index).to_str_lossy().into_owned());
        Ok(paths
            .filter_map(|path| self.relative_path(&path).map(str::to_owned))
            .collect())
    }

    /// The three versions of a file in an unfinished merge: base, ours and theirs; `None` for a side without the file,
    /// and for all of them without a merge.
    ///
    /// # Errors
    /// If git's index is damaged, or a version cannot be read.
    pub fn conflict_stages(&self, name: &str) -> Result<[Option<String>; 3]> {
        let mut stages = [None, None, None];
        if !self.repo.index_path().exists() {
            return Ok(stages);
        }

        let index = self
            .repo
            .open_index()
            .map_err(|cause| self.read_error("the index", &cause))?;

        // In the index of a merge, stage 1 is the common ancestor, 2 is ours, 3 is theirs.
        for (at, stage) in (1_u32..).zip(&mut stages) {
            let is_it = |entry: &&gix::index::Entry| {
                entry.stage_raw() == at
                    && self.relative_path(&entry.path(&index).to_str_lossy()) == Some(name)
            };
            if let Some(entry) = index.entries().iter().find(is_it) {
                let bytes = self
                    .objects
                    .read_object(entry.id, Kind::Blob)
                    .map_err(|lack| self.object_error(&lack))?;
                // A binary file has no text to merge, and counts as missing.
                *stage = String::from_utf8(bytes).ok();
            }
        }
        Ok(stages)
    }

    /// The commit that is checked out; `None` only before the first one.
    ///
    /// # Errors
    /// If HEAD, or the reference that it names, cannot be read.
    pub fn head(&self) -> Result<Option<CommitId>> {
        let head = local_refs::head_commit(&self.repo);
        let id = head.map_err(|cause| self.read_error("HEAD", &cause))?;
        Ok(id.map(CommitId))
    }

    /// The URL of its remote: the only one, or `origin`.
    #[must_use]
    pub fn remote_url(&self) -> Option<GitUrl> {
        let names = self.repo.remote_names();
        // With several remotes and no `origin`, none of them is the obvious one.
        let name = names
            .iter()
            .find(|name| name.as_bstr() == "origin")
            .or(names.iter().next().filter(|_| names.len() == 1))?;

        let remote = self.repo.find_remote(name.as_bstr()).ok()?;
        remote
            .url(gix::remote::Direction::Fetch)?
            .to_bstring()
            .to_str()
            .ok()?
            .parse()
            .ok()
    }

    /// Whether some branch of a remote, as it was last seen, has the commit.
    #[must_use]
    pub fn is_pushed(&self, commit: &CommitId) -> bool {
        let Ok(branches) = local_refs::list_refs(&self.repo, &["refs/remotes/"]) else {
            return false;
        };

        // A tip has the commit if their merge base is the commit itself.
        branches.iter().any(|branch| {
            self.repo
                .merge_base(branch.commit.0, commit.0)
                .is_ok_and(|base| base.is_some_and(|base| base == commit.0))
        })
    }

    /// The commit of a revision, in any syntax of git.
    ///
    /// # Errors
    /// If there is no such commit.
    pub fn resolve_commit(&self, revision: &str) -> Result<CommitId> {
        let id = local_refs::find_revision(&self.repo, revision)
            .map_err(|_| self.unknown_revision_error(revision))?;

        let commit = self
            .repo
            .find_object(id)
            .ok()
            .and_then(|object| object.peel_to_commit().ok())
            .ok_or_else(|| self.unknown_revision_error(revision))?;
        Ok(CommitId(commit.id))
    }

    fn unknown_revision_error(&self, revision: &str) -> Error {
        Error::negative(format!(
            "unknown revision `{}` in `{}`",
            revision.escape_debug(),
            self.root.display()
        ))
        .help(
            "use an existing branch, tag or commit; a shallow clone may lack it (`git fetch --unshallow`)",
        )
    }

    /// The best common ancestor of two commits; `None` if they have none.
    ///
    /// # Errors
    /// If commits between them are missing.
    pub fn merge_base(&self, one: &CommitId, other: &CommitId) -> Result<Option<CommitId>> {
        let bases = self.repo.merge_bases_many(one.0, &[other.0]);
        let bases = bases.map_err(|cause| self.read_error("the history", &cause))?;
        Ok(bases.first().map(|id| CommitId(id.detach())))
    }

    /// The files of a commit, relative to the directory.
    ///
    /// # Errors
    /// If the commit or one of its trees cannot be read, or there is something other than files and directories.
    pub fn commit_files(&self, commit: &CommitId) -> Result<CommitFiles> {
        let mut trees = TreeCache::new(&self.objects);
        // Only trees on the way to the directory are read: a repository may have thousands.
        let (mut files, mut todo) = (
            CommitFiles::new(),
            vec![(String::new(), self.tree_of(commit.0)?)],
        );

        while let Some((path, id)) = todo.pop() {
            let tree = trees
                .read_tree(id)
                .map_err(|lack| self.object_error(&lack))?;
            for raw in tree.iter() {
                let child = child_path(&path, &raw.name.to_str_lossy());
                match raw.kind() {
                    None if self.leads_to_subdirectory(&child) => todo.push((child, raw.id)),
                    Some(_) if is_listed(raw) => {
                        files.extend(
                            self.relative_path(&child)
                                .map(|inner| (inner.to_owned(), BlobId(raw.id))),
                        );
                    }
                    // Directories that do not lead to ours, and submodules, have nothing to read.
                    None | Some(_) => {}
                }
            }
        }
        Ok(files)
    }

    /// The file at a path of a commit, relative to the directory; `None` if there is none. Only the trees on the path are
    /// read.
    ///
    /// # Errors
    /// If the commit or one of these trees cannot be read.
    pub fn find_file(&self, commit: &CommitId, path: &str) -> Result<Option<BlobId>> {
        let (parents, name) = path.rsplit_once('/').unwrap_or(("", path));
        let found = self.read_dir(commit, parents)?;
        let file = found.iter().find(|raw| raw.name == name);
        Ok(file.filter(|raw| is_listed(raw)).map(|raw| BlobId(raw.id)))
    }

    /// The paths of the files below a directory of a commit, sorted; all relative to the directory of the checkout. Only the
    /// trees on the path and below it are read.
    ///
    /// # Errors
    /// If the commit or one of these trees cannot be read.
    pub fn files_below(&self, commit: &CommitId, dir: &str) -> Result<Vec<String>> {
        self.files_in(commit, dir, &|_| true)
    }

    /// The same, without the directories for whose path `enters` is false, which are not read.
    ///
    /// # Errors
    /// As for [`GitCheckout::files_below`].
    pub fn files_in(
        &self,
        commit: &CommitId,
        dir: &str,
        enters: &dyn Fn(&str) -> bool,
    ) -> Result<Vec<String>> {
        let (mut files, mut todo) = (Vec::new(), vec![dir.to_owned()]);
        while let Some(path) = todo.pop() {
            for raw in self.read_dir(commit, &path)?.iter() {
                let child = child_path(&path, &raw.name.to_str_lossy());
                match raw.kind() {
                    None if !enters(&child) => {}
                    None => todo.push(child),
                    Some(_) if is_listed(raw) => files.push(child),
                    Some(_) => {}
                }
            }
        }
        files.sort_unstable();
        Ok(files)
    }

    /// The entries of a directory in a commit; none if it does not exist.
    fn read_dir(&self, commit: &CommitId, dir: &str) -> Result<Rc<[TreeEntry]>> {
        let root = self.tree_of(commit.0)?;
        let mut trees = TreeCache::new(&self.objects);
        let path = child_path(&self.subdirectory, dir);

        let found = match trees.find_dir(root, &path) {
            Ok(Some(tree)) => trees.read_tree(tree),
            Ok(None) => Ok(Rc::from([])),
            Err(lack) => Err(lack),
        };
        found.map_err(|lack| self.object_error(&lack))
    }

    /// The paths of the files that differ between two commits, relative to the directory; equal trees are not read.
    ///
    /// # Errors
    /// If a commit or one of its trees cannot be read.
    pub fn changed_files(&self, base: &CommitId, head: &CommitId) -> Result<BTreeSet<String>> {
        let (before, after) = (self.tree_of(base.0)?, self.tree_of(head.0)?);
        self.changed_paths(
            &mut TreeCache::new(&self.objects),
            Some(before),
            Some(after),
        )
    }

    /// All files of a commit, also outside of the directory.
    ///
    /// # Errors
    /// As for [`GitCheckout::commit_files`].
    pub fn snapshot(mut self, commit: &CommitId) -> Result<CommitSnapshot> {
        // Without a subdirectory, `commit_files` lists the whole commit.
        self.subdirectory.clear();
        Ok(CommitSnapshot {
            files: self.commit_files(commit)?,
            hash: self.objects.object_hash(),
            root: self.root,
        })
    }

    /// The directory in a commit as a package; `None` if it does not exist there, or is not a valid package.
    #[must_use]
    pub fn read_package(&self, commit: &CommitId) -> Option<Tree> {
        let root = self.tree_of(commit.0).ok()?;
        let id = TreeCache::new(&self.objects)
            .find_dir(root, &self.subdirectory)
            .ok()??;
        super::package::read_package(&self.objects, id, None).ok()
    }

    /// The content of a file.
    ///
    /// # Errors
    /// If it cannot be read, or has more than `limit` bytes.
    pub fn read_blob(&self, blob: &BlobId, limit: u64) -> Result<Vec<u8>> {
        let size = self
            .objects
            .blob_size(blob.0)
            .map_err(|lack| self.object_error(&lack))?;
        // Checked before it is read: a small object can unpack to any size.
        if size > limit {
            return Err(Error::integrity(format!(
                "refusing to read object {blob}: it has {size} bytes; the limit is {limit}"
            )));
        }

        self.objects
            .read_object(blob.0, Kind::Blob)
            .map_err(|lack| self.object_error(&lack))
    }

    /// Whether a file with these bytes is that blob.
    #[must_use]
    pub fn is_blob(&self, blob: &BlobId, bytes: &[u8]) -> bool {
        // The object itself is not needed for that.
        gix::objs::compute_hash(self.objects.object_hash(), Kind::Blob, bytes)
            .is_ok_and(|id| id == blob.0)
    }

    /// The commits in `head` and not in `base`, newest first, with their changes below the directory.
    ///
    /// # Errors
    /// If one of them cannot be read.
    pub fn commits_since(&self, base: &CommitId, head: &CommitId) -> Result<Vec<AuthoredCommit>> {
        let walk = self.repo.rev_walk([head.0]).with_hidden([base.0]).all();
        let walk = walk.map_err(|cause| self.read_error("the history", &cause))?;

        let mut trees = TreeCache::new(&self.objects);
        let mut commits = Vec::new();
        for info in walk {
            let info = info.map_err(|cause| self.read_error("the history", &cause))?;
            let id = info.id().detach();
            let parents: Vec<ObjectId> = info.parent_ids().map(gix::Id::detach).collect();
            commits.push(AuthoredCommit {
                commit: CommitId(id),
                email: self.author_email(id)?,
                paths: self.paths_changed_by(&mut trees, id, &parents)?,
            });
        }
        Ok(commits)
    }

    /// The paths that differ between a commit and all of its parents.
    fn paths_changed_by(
        &self,
        trees: &mut TreeCache<'_>,
        commit: ObjectId,
        parents: &[ObjectId],
    ) -> Result<BTreeSet<String>> {
        let own = Some(self.tree_of(commit)?);
        let Some((first, others)) = parents.split_first() else {
            // A commit without parents added all of its files.
            return self.changed_paths(trees, None, own);
        };

        let mut paths = self.changed_paths(trees, Some(self.tree_of(*first)?), own)?;
        // A merge counts as changing only what differs from all its parents, as in combined diffs.
        for parent in others {
            let differ = self.changed_paths(trees, Some(self.tree_of(*parent)?), own)?;
            paths = &paths & &differ;
        }
        Ok(paths)
    }

    fn tree_of(&self, commit: ObjectId) -> Result<ObjectId> {
        self.objects
            .read_commit(commit)
            .map(|commit| commit.tree)
            .map_err(|lack| self.object_error(&lack))
    }

    /// The paths of files that differ between two trees, relative to the directory; equal subtrees are not read.
    fn changed_paths(
        &self,
        trees: &mut TreeCache<'_>,
        before: Option<ObjectId>,
        after: Option<ObjectId>,
    ) -> Result<BTreeSet<String>> {
        let (mut found, mut todo) = (BTreeSet::new(), vec![(String::new(), [before, after])]);
        while let Some((path, pair)) = todo.pop() {
            let sides = self.pair_entries(trees, &path, pair)?;
            // An equal id is an equal subtree: it has no changes.
            for ((child, is_dir), pair) in sides.into_iter().filter(|(_, pair)| pair[0] != pair[1])
            {
                match is_dir {
                    true if self.leads_to_subdirectory(&child) => todo.push((child, pair)),
                    true => {}
                    false => found.extend(self.relative_path(&child).map(str::to_owned)),
                }
            }
        }
        Ok(found)
    }

    /// The entries of two trees at the same path, each with its ids in both.
    fn pair_entries(
        &self,
        trees: &mut TreeCache<'_>,
        path: &str,
        pair: [Option<ObjectId>; 2],
    ) -> Result<EntryPairs> {
        let mut sides = EntryPairs::new();
        for (side, tree) in pair.into_iter().enumerate() {
            let Some(tree) = tree else { continue };
            let tree = trees
                .read_tree(tree)
                .map_err(|lack| self.object_error(&lack))?;
            for raw in tree.iter() {
                let child = child_path(path, &raw.name.to_str_lossy());
                // By kind, too: a file in place of a directory is two changes.
                sides.entry((child, raw.kind().is_none())).or_default()[side] = Some(raw.id);
            }
        }
        Ok(sides)
    }

    fn author_email(&self, id: ObjectId) -> Result<String> {
        let bytes = self
            .objects
            .read_object(id, Kind::Commit)
            .map_err(|lack| self.object_error(&lack))?;
        let author = gix::objs::CommitRefIter::from_bytes(&bytes, id.kind()).author();

        let author =
            author.map_err(|_| Error::integrity(format!("invalid commit {id}: missing author")))?;
        Ok(author.email.to_str_lossy().into_owned())
    }

    /// The path relative to the directory; `None` if it is not below it.
    fn relative_path<'p>(&self, path: &'p str) -> Option<&'p str> {
        if self.subdirectory.is_empty() {
            return Some(path);
        }
        path.strip_prefix(self.subdirectory.as_str())?
            .strip_prefix('/')
    }

    /// Whether the directory at this path is on the way to ours, or below it.
    fn leads_to_subdirectory(&self, path: &str) -> bool {
        self.subdirectory.is_empty()
            || self.subdirectory == path
            || self
                .subdirectory
                .strip_prefix(path)
                .is_some_and(|rest| rest.starts_with('/'))
            || self.relative_path(path).is_some()
    }

    fn read_error(&self, what: &str, cause: &gix::Error) -> Error {
        with_gix_causes(
            Error::disk(format!(
                "failed to read {what} of `{}`",
                self.root.display()
            )),
            cause,
        )
    }

    fn object_error(&self, lack: &ObjectError) -> Error {
        match lack {
            ObjectError::Missing(id) => Error::negative(format!(
                "object {id} not found in `{}`",
                self.root.display()
            ))
            .help("the clone is shallow; run `git fetch --unshallow` to complete it"),
            ObjectError::Damaged(id) => Error::integrity(format!(
                "failed to read object {id} of `{}`: it is damaged",
                self.root.display()
            ))
            .help("run `git fsck` to find further damage, or clone the repository again"),
            ObjectError::Refused(error) => error.clone(),
        }
    }
}

/// Whether discovery ended without a repository, and not with a failure.
fn is_absence(cause: &gix::Error) -> bool {
    use gix::discover::upwards::Error as Discovery;

    cause
        .iter_errors()
        .filter_map(|error| error.downcast_ref::<Discovery>())
        .any(|error| !matches!(error, Discovery::NoTrustedGitRepository { .. }))
}

/// Refuses a `.git` from `dir` up to `top` that is no repository: gix, as git, goes on above one that it cannot read, and
/// would find another repository or none.
fn refuse_unreadable(dir: &Path, top: Option<&Path>) -> Result<()> {
    for above in dir.ancestors().take_while(|above| Some(*above) != top) {
        let place = above.join(".git");
        let is_there = match disk::lstat(&place)? {
            // An empty directory is none for git either; some containers mount one.
            Some(meta) if meta.is_dir() => !disk::list_names(&place)?.is_empty(),
            found => found.is_some(),
        };

        if is_there {
            return Err(Error::disk(format!(
                "failed to open git repository `{}`: it is invalid or cannot be read",
                place.display()
            ))
            .help(format!(
                "`git -C '{}' status` shows what git says about it",
                above.display()
            )));
        }
    }
    Ok(())
}

fn open_error(git_dir: &Path, cause: &gix::Error) -> Error {
    let error = Error::disk(format!(
        "failed to open git repository `{}`",
        git_dir.display()
    ));
    with_gix_causes(error, cause)
}
