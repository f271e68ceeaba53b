//! The references of a local repository. gix reads those in files; for another format, such as `reftable`, the program git is
//! run, which knows every format that the repository may have.

use std::process::{Command, Stdio};

use gix::ObjectId;
use gix::bstr::ByteSlice;
use gix::objs::Kind;
use gix::refs::transaction::PreviousValue;

use super::environment::remove_repository_variables;
use super::id::CommitId;
use super::refs::RemoteRef;

/// A reference as it is stored.
struct StoredRef {
    name: String,
    id: ObjectId,
    target: Option<String>,
}

/// Whether gix reads the references. Those of another format would seem to be absent.
fn are_in_files(repo: &gix::Repository) -> bool {
    let format = repo.config_snapshot().string("extensions.refStorage");
    format.is_none_or(|format| format == "files")
}

/// The references whose full names begin with one of `prefixes`, `HEAD` first.
pub(super) fn list_refs(repo: &gix::Repository, prefixes: &[&str]) -> gix::Result<Vec<RemoteRef>> {
    let stored = if are_in_files(repo) {
        read_files(repo, prefixes)?
    } else {
        read_by_git(repo)?
    };

    let mut found = Vec::new();
    for StoredRef { name, id, target } in stored {
        if !prefixes.iter().any(|prefix| name.starts_with(prefix)) {
            continue;
        }
        // References to missing objects are skipped, as git does.
        let Ok(peeled) = repo.find_object(id).and_then(gix::Object::peel_tags_to_end) else {
            continue;
        };
        // A lightweight tag refers to the commit, and has no object of its own.
        let is_tag_object = name.starts_with("refs/tags/") && id != peeled.id;
        found.push(RemoteRef {
            tag: is_tag_object.then_some(CommitId(id)),
            commit: CommitId(peeled.id),
            name,
            target,
        });
    }
    Ok(found)
}

fn read_files(repo: &gix::Repository, prefixes: &[&str]) -> gix::Result<Vec<StoredRef>> {
    let mut found = Vec::new();
    if prefixes.iter().any(|prefix| "HEAD".starts_with(prefix)) {
        let mut head = repo.head()?;
        let target = head.referent_name().map(|name| name.as_bstr().to_string());
        if let Ok(Some(id)) = head.try_peel_to_id() {
            found.push(StoredRef {
                name: "HEAD".into(),
                id: id.detach(),
                target,
            });
        }
    }

    for reference in repo.references()?.all()? {
        let Ok(mut reference) = reference else {
            continue;
        };
        let Ok(id) = reference.follow_to_object() else {
            continue;
        };
        found.push(StoredRef {
            id: id.detach(),
            name: reference.name().as_bstr().to_string(),
            target: None,
        });
    }
    Ok(found)
}

fn read_by_git(repo: &gix::Repository) -> gix::Result<Vec<StoredRef>> {
    let mut git = git_command(repo);
    // Root references are those such as HEAD. Only names and ids, so that git reads no objects.
    git.args(["for-each-ref", "--include-root-refs"])
        .arg("--format=%(objectname) %(refname) %(symref)");
    let text = run_git(&mut git)?;

    let mut found = Vec::new();
    for line in text.lines() {
        let mut words = line.split(' ');
        let (Some(id), Some(name)) = (words.next(), words.next()) else {
            continue;
        };
        let target = words.next().filter(|target| !target.is_empty());
        found.push(StoredRef {
            name: name.to_owned(),
            id: ObjectId::from_hex(id.as_bytes()).map_err(gix::Error::from_error)?,
            target: target.filter(|_| name == "HEAD").map(str::to_owned),
        });
    }
    // In the order of the other format.
    found.sort_by_key(|found| found.name != "HEAD");
    Ok(found)
}

/// The branch that HEAD names, whether it exists or not; `None` if HEAD is detached.
pub(super) fn head_name(repo: &gix::Repository) -> gix::Result<Option<String>> {
    if are_in_files(repo) {
        return Ok(repo.head_name()?.map(|name| name.as_bstr().to_string()));
    }

    let output = git_command(repo)
        .args(["symbolic-ref", "-q", "HEAD"])
        .output()
        .map_err(|cause| start_error(&cause))?;
    match output.status.code() {
        // The documented code for a HEAD that is not symbolic.
        Some(1) => Ok(None),
        _ => Ok(Some(checked_text(&output)?.trim_end().to_owned())),
    }
}

/// The checked out commit; `None` only before the first one.
pub(super) fn head_commit(repo: &gix::Repository) -> gix::Result<Option<ObjectId>> {
    if are_in_files(repo) {
        // An unborn HEAD names a branch without a commit, which is no failure.
        return Ok(repo.head()?.try_peel_to_id()?.map(gix::Id::detach));
    }

    let stored = read_by_git(repo)?;
    let head = stored.into_iter().find(|found| found.name == "HEAD");
    match head {
        Some(head) => Ok(Some(head.id)),
        // git leaves a broken HEAD out; an unborn one is still a name.
        None => head_name(repo).map(|_| None),
    }
}

/// The commit of a tag; `None` if there is no such tag.
pub(super) fn tagged_commit(repo: &gix::Repository, name: &str) -> gix::Result<Option<ObjectId>> {
    let full_name = format!("refs/tags/{name}");
    if !are_in_files(repo) {
        // The names of other tags may begin in the same way.
        let mut stored = read_by_git(repo)?.into_iter();
        let Some(tag) = stored.find(|found| found.name == full_name) else {
            return Ok(None);
        };
        return Ok(Some(repo.find_object(tag.id)?.peel_tags_to_end()?.id));
    }

    let Some(reference) = repo.try_find_reference(&full_name)? else {
        return Ok(None);
    };
    // An annotated tag is an object of its own, which names the commit.
    Ok(Some(reference.into_fully_peeled_id()?.detach()))
}

/// The object that a revision means, in any syntax of git.
pub(super) fn find_revision(repo: &gix::Repository, revision: &str) -> gix::Result<ObjectId> {
    if are_in_files(repo) {
        return Ok(repo.rev_parse_single(revision)?.detach());
    }

    let mut git = git_command(repo);
    git.args(["rev-parse", "--verify", "-q", "--end-of-options", revision]);
    let text = run_git(&mut git)?;
    ObjectId::from_hex(text.trim_end().as_bytes()).map_err(gix::Error::from_error)
}

/// Creates a tag object and its reference, which must not exist.
pub(super) fn create_tag(
    repo: &gix::Repository,
    name: &str,
    target: ObjectId,
    tagger: gix::actor::SignatureRef<'_>,
    message: &str,
) -> gix::Result<()> {
    if are_in_files(repo) {
        repo.tag(
            name,
            target,
            Kind::Commit,
            Some(tagger),
            message,
            PreviousValue::MustNotExist,
        )?;
        return Ok(());
    }

    let tag = gix::objs::Tag {
        target,
        target_kind: Kind::Commit,
        name: name.into(),
        tagger: Some(tagger.into()),
        message: message.into(),
        signature: None,
    };
    let tag = repo.write_object(&tag)?.detach();
    let mut git = git_command(repo);
    // The last id is the expected one: that of no object.
    git.args(["update-ref", &format!("refs/tags/{name}")])
        .arg(tag.to_string())
        .arg(ObjectId::null(repo.object_hash()).to_string());
    run_git(&mut git)?;
    Ok(())
}

/// git on this repository, without what its configuration might run.
fn git_command(repo: &gix::Repository) -> Command {
    let mut git = Command::new("git");
    remove_repository_variables(&mut git);
    git.arg("--git-dir")
        .arg(repo.git_dir())
        .args(["-c", "core.hooksPath=/dev/null"])
        .env("LC_ALL", "C")
        .env("GIT_NO_LAZY_FETCH", "1")
        .env("GIT_NO_REPLACE_OBJECTS", "1")
        .stdin(Stdio::null());
    git
}

fn run_git(git: &mut Command) -> gix::Result<String> {
    checked_text(&git.output().map_err(|cause| start_error(&cause))?)
}

fn start_error(cause: &std::io::Error) -> gix::Error {
    let text = format!("failed to start git, which reads references in this format: {cause}");
    gix::Error::from_error(std::io::Error::other(text))
}

fn checked_text(output: &std::process::Output) -> gix::Result<String> {
    if output.status.success() {
        // A name that is not UTF-8 cannot be requested.
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let said = output.stderr.to_str_lossy();
    let text = format!("git cannot read its references: {}", said.trim());
    Err(gix::Error::from_error(std::io::Error::other(text)))
}
