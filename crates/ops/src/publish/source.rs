//! The git repository of a package: its uncommitted changes, the commit as its origin, and its
//! release tag.

use std::path::Path;

use crate::package::PackedSkill;
use skillpm_core::error::{Error, Result};
use skillpm_core::package::Checksum;
use skillpm_io::git::{
    self, AnnotatedTag, CommitAuthor, CommitFiles, CommitId, GitCheckout, GitClient,
};
use skillpm_registry::index::EntryCommit;

/// The repository around a package, at the checked out commit, if there is one yet.
pub(super) struct SourceRepository {
    checkout: GitCheckout,
    commit: Option<CommitId>,
}

impl SourceRepository {
    /// The repository around a directory; `None` if there is none.
    pub(super) fn find(dir: &Path) -> Result<Option<SourceRepository>> {
        let Some(checkout) = GitCheckout::discover(dir)? else {
            return Ok(None);
        };

        let commit = checkout.head()?;
        Ok(Some(SourceRepository { checkout, commit }))
    }

    /// Whether there is a commit yet.
    pub(super) fn has_commit(&self) -> bool {
        self.commit.is_some()
    }

    fn commit(&self) -> Result<&CommitId> {
        self.commit.as_ref().ok_or_else(|| {
            Error::negative(format!(
                "`{}` has no commit yet",
                self.checkout.root().display()
            ))
            .help("commit the skill first: `git add .` and `git commit`")
        })
    }

    /// The files of the package with uncommitted changes, sorted.
    pub(super) fn dirty_files(&self, packed: &PackedSkill, dir: &Path) -> Result<Vec<String>> {
        let committed = match &self.commit {
            Some(commit) => self.checkout.commit_files(commit)?,
            None => CommitFiles::new(),
        };

        // Committed files that are missing in the package and on disk are deleted, not excluded.
        let mut dirty: Vec<String> = packed.uncommitted.iter().map(ToString::to_string).collect();
        for path in committed
            .keys()
            .filter(|path| packed.tree.get(path).is_none())
        {
            if skillpm_io::disk::lstat(&dir.join(path))?.is_none() {
                dirty.push(path.clone());
            }
        }
        dirty.sort_unstable();

        Ok(dirty)
    }

    /// The commit as an origin that others can fetch the package from.
    ///
    /// # Errors
    /// If there is no remote, it does not have the commit, or the commit has other files than the
    /// package.
    pub(super) fn origin(&self, packed: &PackedSkill, git: &GitClient) -> Result<EntryCommit> {
        let remote = self.checkout.remote_url().ok_or_else(|| {
            Error::negative(format!("git remote of `{}` not found", packed.name))
                .note("the registry has no archives: each version is fetched from its commit")
                .help("run `git remote add origin URL`, and push the commit")
        })?;

        let commit = self.commit()?;
        let below = self.checkout.subdirectory();
        let not_there = |error: Error| {
            error
                .wrap(format!("commit {commit} not found in `{remote}`"))
                .note("the registry has no archives: each version is fetched from its commit")
                .help("push the commit first: `git push`")
        };

        // Fetched from the remote, not read locally: only that shows that others can fetch it.
        let mut repository = git.open(&remote)?;
        let listing = repository.list_commit(commit).map_err(not_there)?;
        let tree = listing
            .tree_at(below)
            .ok_or_else(|| Error::internal("a commit lacks the directory it was read from"))?;
        repository.fetch_blobs(&listing.blobs_below(below))?;

        // The index records this checksum for that commit.
        let found = Checksum::from_tree(&repository.read_tree(&tree)?);
        if found != packed.checksum {
            return Err(Error::negative(format!("`{}` differs from commit {commit}", packed.name))
                .note(format!("the commit  {found}"))
                .note(format!("the package {}", packed.checksum))
                .note("the registry has no archives: each version is fetched whole from its commit")
                .help("commit every change, and move files that `include` or `exclude` leave out to another directory"));
        }

        let path = if below.is_empty() {
            None
        } else {
            Some(below.parse()?)
        };

        Ok(EntryCommit {
            git: remote,
            rev: commit.to_string(),
            path,
        })
    }

    /// Checks that a version's tag is free, or is at this commit.
    pub(super) fn check_tag(&self, name: &str) -> Result<()> {
        let commit = *self.commit()?;
        // The same commit is fine: publishing is repeated, for instance after an interruption.
        match git::resolve_tag(self.checkout.git_dir(), name)? {
            Some(other) if other != commit => Err(Error::negative(format!(
                "tag `{name}` already exists at another commit"
            ))
            .note(format!("the tag is at {other}"))
            .note(format!("HEAD is at    {commit}"))
            .help("raise the version, or run the command without `--tag`")),
            _ => Ok(()),
        }
    }

    /// Creates a version's tag, unless it exists.
    pub(super) fn create_tag(
        &self,
        name: &str,
        packed: &PackedSkill,
        author: &CommitAuthor,
        now: u64,
    ) -> Result<()> {
        if git::resolve_tag(self.checkout.git_dir(), name)?.is_some() {
            return Ok(());
        }

        let message = format!("{} {}", packed.name, packed.version);
        let time = i64::try_from(now).unwrap_or_default();
        git::create_tag(
            self.checkout.git_dir(),
            &AnnotatedTag {
                name,
                commit: *self.commit()?,
                message: &message,
                author,
                time,
            },
        )
    }
}
