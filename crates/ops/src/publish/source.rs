//! The repository that a package is made in: whether what is published was committed, and where it can be had.

use std::path::Path;

use crate::error::{Error, Result};
use crate::index::Origin;
use crate::io::git::{self, Author, Checkout, CommitId, Git, Tag};
use crate::ops::package::Packed;
use crate::package::Checksum;

/// The repository around a package, at the commit that is checked out.
pub(super) struct Source {
    checkout: Checkout,
    commit: CommitId,
}

impl Source {
    /// The repository around a directory; `None` if there is none, or nothing was ever committed.
    pub(super) fn around(dir: &Path) -> Result<Option<Source>> {
        let Some(checkout) = Checkout::around(dir)? else { return Ok(None) };
        Ok(checkout.head().map(|commit| Source { checkout, commit }))
    }

    /// The files of the package that are not as they were committed, sorted.
    pub(super) fn dirty(&self, packed: &Packed, dir: &Path) -> Result<Vec<String>> {
        let committed = self.checkout.files(&self.commit)?;
        let mut dirty: Vec<String> = packed.uncommitted.iter().map(ToString::to_string).collect();
        for path in committed.keys().filter(|path| packed.tree.get(path).is_none()) {
            if crate::io::disk::lstat(&dir.join(path))?.is_none() {
                dirty.push(path.clone());
            }
        }
        dirty.sort_unstable();
        Ok(dirty)
    }

    /// The commit as a place that anybody can have the package from.
    ///
    /// # Errors
    /// If it has no remote, that does not have the commit, or what lies there is not the package.
    pub(super) fn origin(&self, packed: &Packed, git: &Git) -> Result<Origin> {
        let remote = self.checkout.remote().ok_or_else(|| {
            Error::negative(format!("`{}` has no remote that others could take it from", packed.name))
                .note("the registry keeps no archives: each version is taken from its commit")
                .help("`git remote add origin URL`, and push to it")
        })?;
        let below = self.checkout.below();
        let not_there = |error: Error| {
            error
                .wrap(format!("commit {} is not at `{remote}`", self.commit))
                .note("the registry keeps no archives: each version is taken from its commit")
                .help("push the commit first: `git push`")
        };
        let mut repository = git.open(&remote)?;
        let listing = repository.listing(&self.commit).map_err(not_there)?;
        let tree = listing
            .tree_at(below)
            .ok_or_else(|| Error::internal("a commit lacks the directory that it was read from"))?;
        repository.fetch_blobs(&listing.blobs_below(below))?;
        let found = Checksum::of(&repository.tree(&tree)?);
        if found != packed.checksum {
            return Err(Error::negative(format!("`{}` is not what commit {} holds", packed.name, self.commit))
                .note(format!("the commit  {found}"))
                .note(format!("the package {}", packed.checksum))
                .note("the registry keeps no archives: each version is taken whole from its commit")
                .help("commit every change; and where `include` or `exclude` leave files out, move those elsewhere"));
        }
        let path = if below.is_empty() { None } else { Some(below.parse()?) };
        Ok(Origin { git: remote, rev: self.commit.to_string(), path })
    }

    /// Makes sure that a version's tag can be made, or is there as it would be made.
    pub(super) fn check_tag(&self, name: &str) -> Result<()> {
        match git::tagged(self.checkout.git_dir(), name)? {
            Some(other) if other != self.commit => {
                Err(Error::negative(format!("tag `{name}` is there already, at another commit"))
                    .note(format!("it is at {other}"))
                    .note(format!("this is   {}", self.commit))
                    .help("raise the version, or leave `--tag` out"))
            }
            _ => Ok(()),
        }
    }

    /// Makes a version's tag, unless it is there.
    pub(super) fn tag(&self, name: &str, packed: &Packed, (author, now): (&Author, u64)) -> Result<()> {
        if git::tagged(self.checkout.git_dir(), name)?.is_some() {
            return Ok(());
        }
        let message = format!("{} {}", packed.name, packed.version);
        let time = i64::try_from(now).unwrap_or_default();
        git::tag(self.checkout.git_dir(), &Tag { name, commit: self.commit, message: &message, author, time })
    }
}
