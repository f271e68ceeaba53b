//! Tags of a local repository.

use std::path::Path;

use super::commit::{CommitAuthor, sanitize_name};
use super::failure::with_gix_causes;
use super::id::CommitId;
use super::local_refs;
use skillpm_core::error::{Error, Result};

/// An annotated tag to create.
#[derive(Debug, Clone, Copy)]
pub struct AnnotatedTag<'a> {
    /// Its name, without `refs/tags/`.
    pub name: &'a str,
    /// The tagged commit.
    pub commit: CommitId,
    /// Its message.
    pub message: &'a str,
    /// The tagger (its committer).
    pub author: &'a CommitAuthor,
    /// Its time, in seconds since 1970.
    pub time: i64,
}

/// The commit of a tag; `None` if there is no such tag.
///
/// # Errors
/// If the repository cannot be read.
pub fn resolve_tag(git_dir: &Path, name: &str) -> Result<Option<CommitId>> {
    find_tagged_commit(git_dir, name).map_err(|cause| {
        with_gix_causes(Error::disk(format!("failed to read tag `{name}`")), &cause)
    })
}

fn find_tagged_commit(git_dir: &Path, name: &str) -> gix::Result<Option<CommitId>> {
    let repo = gix::open_opts(git_dir, gix::open::Options::isolated())?;
    Ok(local_refs::tagged_commit(&repo, name)?.map(CommitId))
}

/// Creates an annotated tag.
///
/// # Errors
/// If a tag of this name exists, or the disk refuses.
pub fn create_tag(git_dir: &Path, tag: &AnnotatedTag<'_>) -> Result<()> {
    try_create_tag(git_dir, tag).map_err(|cause| {
        with_gix_causes(
            Error::disk(format!("failed to create tag `{}`", tag.name)),
            &cause,
        )
    })
}

fn try_create_tag(git_dir: &Path, tag: &AnnotatedTag<'_>) -> gix::Result<()> {
    let repo = gix::open_opts(git_dir, gix::open::Options::isolated())?;
    let tagger = &tag.author.committer;
    // These go into the object as they are, where a line end would begin another header.
    let (name, email) = (sanitize_name(&tagger.name), sanitize_name(&tagger.email));
    let time = gix::date::Time::new(tag.time, 0).to_string();

    let tagger = gix::actor::SignatureRef {
        name: name.as_str().into(),
        email: email.as_str().into(),
        time: &time,
    };

    let message = format!("{}\n", tag.message);
    local_refs::create_tag(&repo, tag.name, tag.commit.0, tagger, &message)
}
