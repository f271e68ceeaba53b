//! A new repository in a directory that has files.

use std::collections::BTreeMap;
use std::path::Path;

use gix::objs::tree::EntryKind;

use super::commit::{Author, plain};
use super::failure::with_gix_causes;
use super::id::CommitId;
use crate::error::{Error, Result};

/// The branch that a new repository begins with.
const BRANCH: &str = "refs/heads/main";

/// Makes a repository in `dir` with a first commit on `main`, made by `author` at `time` (seconds since 1970), which has
/// these files; they are expected to lie there.
///
/// # Errors
/// If there is one already, or the disk refuses.
pub fn begin(dir: &Path, files: &BTreeMap<String, String>, author: &Author, time: i64) -> Result<CommitId> {
    make(dir, files, author, time).map_err(|cause| {
        with_gix_causes(Error::disk(format!("could not make a git repository in `{}`", dir.display())), &cause)
    })
}

fn make(dir: &Path, files: &BTreeMap<String, String>, author: &Author, time: i64) -> gix::Result<CommitId> {
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
        tree.upsert(parts, EntryKind::Blob, repo.write_blob(text.as_bytes())?.detach())?;
    }
    let tree = tree.write(|tree| Ok::<_, gix::Error>(repo.write_object(tree)?.detach()))?;
    let time = gix::date::Time::new(time, 0);
    let signature =
        |name: &str, email: &str| gix::actor::Signature { name: plain(name).into(), email: plain(email).into(), time };
    let committer = signature(&author.committer.name, &author.committer.email);
    let author = signature(&author.name, &author.email);
    let mut room = [gix::date::parse::TimeBuf::default(), gix::date::parse::TimeBuf::default()];
    let [of_committer, of_author] = &mut room;
    let none: [gix::ObjectId; 0] = [];
    let commit = repo
        .commit_as(committer.to_ref(of_committer), author.to_ref(of_author), BRANCH, "begin a registry", tree, none)?
        .detach();
    // Without a list of tracked files, git would take every one of them for deleted.
    let mut index = repo.index_from_tree(&tree)?;
    index.write(gix::index::write::Options::default()).map_err(gix::Error::from_error)?;
    Ok(CommitId(commit))
}
