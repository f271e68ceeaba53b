//! Initializes a repository in a directory with files.

use std::collections::BTreeMap;
use std::path::Path;

use gix::objs::tree::EntryKind;

use super::commit::{CommitAuthor, sanitize_name};
use super::failure::with_gix_causes;
use super::id::CommitId;
use skillpm_core::error::{Error, Result};

/// The initial branch of a new repository.
const BRANCH: &str = "refs/heads/main";

/// Creates a repository in `dir` with a first commit on `main`, by `author` at `time` (seconds since 1970), of these
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
    init_with_commit(dir, files, author, time).map_err(|cause| {
        with_gix_causes(
            Error::disk(format!(
                "failed to create a git repository in `{}`",
                dir.display()
            )),
            &cause,
        )
    })
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

    let mut tree = repo.edit_tree(repo.object_hash().empty_tree())?.detach();
    for (path, text) in files {
        let parts = path.split('/').map(gix::bstr::BStr::new);
        tree.upsert(
            parts,
            EntryKind::Blob,
            repo.write_blob(text.as_bytes())?.detach(),
        )?;
    }
    let tree = tree.write(|tree| Ok::<_, gix::Error>(repo.write_object(tree)?.detach()))?;

    let time = gix::date::Time::new(time, 0);
    let signature = |name: &str, email: &str| gix::actor::Signature {
        name: sanitize_name(name).into(),
        email: sanitize_name(email).into(),
        time,
    };
    let committer = signature(&author.committer.name, &author.committer.email);
    let author = signature(&author.name, &author.email);

    let mut buffers = [
        gix::date::parse::TimeBuf::default(),
        gix::date::parse::TimeBuf::default(),
    ];
    let [of_committer, of_author] = &mut buffers;
    let none: [gix::ObjectId; 0] = [];
    let commit = repo
        .commit_as(
            committer.to_ref(of_committer),
            author.to_ref(of_author),
            BRANCH,
            "begin a registry",
            tree,
            none,
        )?
        .detach();

    // Without an index, git would report every file as deleted.
    let mut index = repo.index_from_tree(&tree)?;
    index
        .write(gix::index::write::Options::default())
        .map_err(gix::Error::from_error)?;
    Ok(CommitId(commit))
}
