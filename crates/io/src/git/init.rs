//! Initializes a repository in a directory with files.

use std::collections::BTreeMap;
use std::path::Path;

use gix::ObjectId;

use super::commit::{CommitAuthor, new_signature, write_files};
use super::failure::with_gix_causes;
use super::id::CommitId;
use crate::disk;
use skillpm_core::error::{Error, Result};

/// The initial branch of a new repository.
const BRANCH: &str = "refs/heads/main";

/// Lets `publish` push to the checked out branch, whose files follow.
const RECEIVE: &str = "[receive]\n\tdenyCurrentBranch = updateInstead\n";

/// Creates a repository in `dir` that takes pushes, with a first commit on `main`, by `author` at `time` (seconds since 1970), of these
/// files, which must exist in `dir`.
///
/// # Errors
/// If there is a repository already, or the disk refuses.
pub fn init_repository(
    dir: &Path,
    files: &BTreeMap<String, String>,
    author: &CommitAuthor,
    time: i64,
) -> Result<CommitId> {
    let commit =
        init_with_commit(dir, files, author, time).map_err(|cause| init_error(dir, &cause))?;
    let config = dir.join(".git/config");
    let text = disk::read_text(&config)?.unwrap_or_default();
    disk::write_atomic(&config, (text + RECEIVE).as_bytes())?;
    Ok(commit)
}

fn init_error(dir: &Path, cause: &gix::Error) -> Error {
    let error = Error::disk(format!(
        "failed to create a git repository in `{}`",
        dir.display()
    ));
    with_gix_causes(error, cause)
}

fn init_with_commit(
    dir: &Path,
    files: &BTreeMap<String, String>,
    author: &CommitAuthor,
    time: i64,
) -> gix::Result<CommitId> {
    // Without the user's configuration, so that the result depends on the arguments alone.
    let options = gix::open::Options::isolated();
    let repo = gix::ThreadSafeRepository::init_opts(
        dir,
        gix::create::Kind::WithWorktree,
        gix::create::Options::default(),
        options,
    )?;
    let repo = repo.to_thread_local();

    let empty = repo.object_hash().empty_tree();
    let files = files.iter();
    let tree = write_files(
        &repo,
        empty,
        files.map(|(path, text)| (&**path, text.as_bytes())),
    )?;
    let commit = commit_tree(&repo, tree, author, time)?;

    // Without an index, git would report every file as deleted.
    let mut index = repo.index_from_tree(&tree)?;
    index
        .write(gix::index::write::Options::default())
        .map_err(gix::Error::from_error)?;
    Ok(commit)
}

/// Makes the first commit of a repository, and its branch.
fn commit_tree(
    repo: &gix::Repository,
    tree: ObjectId,
    author: &CommitAuthor,
    time: i64,
) -> gix::Result<CommitId> {
    let committer = new_signature(&author.committer.name, &author.committer.email, time);
    let author = new_signature(&author.name, &author.email, time);

    let mut buffers = [
        gix::date::parse::TimeBuf::default(),
        gix::date::parse::TimeBuf::default(),
    ];
    let [of_committer, of_author] = &mut buffers;
    let none: [ObjectId; 0] = [];
    let commit = repo.commit_as(
        committer.to_ref(of_committer),
        author.to_ref(of_author),
        BRANCH,
        "begin a registry",
        tree,
        none,
    )?;
    Ok(CommitId(commit.detach()))
}
