//! Tags in a repository on this disk.

use std::path::Path;

use gix::objs::Kind;
use gix::refs::transaction::PreviousValue;

use super::commit::{Author, plain};
use super::failure::with_gix_causes;
use super::id::CommitId;
use crate::error::{Error, Result};

/// A tag to be made.
#[derive(Debug, Clone, Copy)]
pub struct Tag<'a> {
    /// Its name, without `refs/tags/`.
    pub name: &'a str,
    /// What it names.
    pub commit: CommitId,
    /// What it says.
    pub message: &'a str,
    /// Who makes it.
    pub author: &'a Author,
    /// When, in seconds since 1970.
    pub time: i64,
}

/// The commit that a tag names; `None` if there is no such tag.
///
/// # Errors
/// If the repository cannot be read.
pub fn tagged(git_dir: &Path, name: &str) -> Result<Option<CommitId>> {
    let find = || -> gix::Result<Option<CommitId>> {
        let repo = gix::open_opts(git_dir, gix::open::Options::isolated())?;
        let Some(reference) = repo.try_find_reference(&format!("refs/tags/{name}"))? else { return Ok(None) };
        Ok(Some(CommitId(reference.into_fully_peeled_id()?.detach())))
    };
    find().map_err(|cause| with_gix_causes(Error::disk(format!("tag `{name}` cannot be read")), &cause))
}

/// Makes an annotated tag where there is none of its name.
///
/// # Errors
/// If there is one, or the disk refuses.
pub fn tag(git_dir: &Path, tag: &Tag<'_>) -> Result<()> {
    let make = || -> gix::Result<()> {
        let repo = gix::open_opts(git_dir, gix::open::Options::isolated())?;
        let tagger = &tag.author.committer;
        let (name, email) = (plain(&tagger.name), plain(&tagger.email));
        let time = gix::date::Time::new(tag.time, 0).to_string();
        let tagger = gix::actor::SignatureRef { name: name.as_str().into(), email: email.as_str().into(), time: &time };
        let message = format!("{}\n", tag.message);
        repo.tag(tag.name, tag.commit.0, Kind::Commit, Some(tagger), message, PreviousValue::MustNotExist)?;
        Ok(())
    };
    make().map_err(|cause| with_gix_causes(Error::disk(format!("tag `{}` cannot be made", tag.name)), &cause))
}
