//! Taking a patch: as `git diff` writes it, with files that moved and files that are no text, or a plain unified diff.
//! The only file that knows the crate which does it.

use std::collections::BTreeMap;

use diffy::binary::{BinaryBlockKind, BinaryPatch};
use diffy::patch_set::{FileMode, FileOperation, FilePatch, ParseOptions, PatchKind, PatchSet};

use super::binary::{self, Form};
use super::structure::{self, PatchPart, is_none};
use crate::error::{Error, Result};
use crate::package::{File, RelPath, Tree};

/// A package with the changes of a patch, whose paths are those of the package.
///
/// # Errors
/// If it is no patch, was cut or damaged, says nothing of what is in a file that is no text, or does not fit.
pub fn apply(tree: &Tree, patch: &[u8]) -> Result<Tree> {
    let mut files: BTreeMap<RelPath, File> = tree.files().map(|(path, file)| (path.clone(), file.clone())).collect();
    let is_git = patch.starts_with(b"diff --git ") || memchr::memmem::find(patch, b"\ndiff --git ").is_some();
    let options = if is_git { ParseOptions::gitdiff() } else { ParseOptions::unidiff() };
    let known =
        structure::read(patch, is_git).map_err(|error| no_patch(&format!("line {}: {}", error.line, error.reason)))?;

    let mut parts = PatchSet::parse_bytes(patch, options);
    for known in &known {
        let at_line = |error: Error| error.note(format!("that part of the patch begins at line {}", known.line));
        let part = parts.next().ok_or_else(|| no_patch("a file is missing in it")).map_err(at_line)?;
        let part = part.map_err(|cause| at_line(no_patch(&cause.to_string())))?;
        apply_one(&mut files, &part, known).map_err(at_line)?;
    }
    if parts.next().is_some() {
        return Err(no_patch("its last part is followed by another that cannot be read"));
    }
    let mut patched = Tree::builder();
    for (path, file) in files {
        patched.add(path.as_str(), file.bytes, file.executable)?;
    }
    Ok(patched.finish())
}

fn apply_one(files: &mut BTreeMap<RelPath, File>, part: &FilePatch<'_, [u8]>, known: &PatchPart<'_>) -> Result<()> {
    let (from, to) = sides(part.operation())?;
    let mut file = match &from {
        Some(from) => files.remove(from).ok_or_else(|| does_not_fit(from, "there is no such file"))?,
        None => File { bytes: Vec::new(), executable: false },
    };
    let Some(named) = to.as_ref().or(from.as_ref()) else { return Err(no_patch("a change names no file")) };
    if to.as_ref().is_some_and(|to| files.contains_key(to)) {
        return Err(does_not_fit(named, "that file is there already"));
    }
    let before = std::mem::take(&mut file.bytes);
    file.bytes = match part.patch() {
        PatchKind::Text(patch) => {
            diffy::apply_bytes(&before, patch).map_err(|cause| does_not_fit(named, &cause.to_string()))?
        }
        PatchKind::Binary(patch) => patched(patch, &before).map_err(|cause| does_not_fit(named, cause))?,
    };
    check_blobs(known, &before, &file.bytes).map_err(|why| does_not_fit(named, why))?;
    file.executable = match part.new_mode() {
        None => file.executable,
        Some(FileMode::Regular) => false,
        Some(FileMode::Executable) => true,
        Some(FileMode::Symlink | FileMode::Gitlink) => return Err(does_not_fit(named, "it would be no file")),
    };
    if let Some(to) = to {
        files.insert(to, file);
    }
    Ok(())
}

/// Checks that a part made what its `index` line says, which a part that was cut between two hunks does not. It says
/// nothing of a text that was changed elsewhere meanwhile.
fn check_blobs(part: &PatchPart<'_>, before: &[u8], after: &[u8]) -> Result<(), &'static str> {
    let Some((was, is)) = part.blobs else { return Ok(()) };
    // Longer ones are those of a repository with SHA-256.
    if is_none(is) || was.len() > 40 || is.len() > 40 {
        return Ok(());
    }
    let is_named = |bytes: &[u8], name: &str| binary::blob_id(bytes).starts_with(&name.to_ascii_lowercase());
    let is_made_for_this = if is_none(was) { before.is_empty() } else { is_named(before, was) };
    if (is_made_for_this || part.is_literal) && !is_named(after, is) {
        return Err("the patch is damaged: its content is not what its `index` line says");
    }
    Ok(())
}

/// What a patch makes of a file that is no text.
fn patched(patch: &BinaryPatch<'_>, before: &[u8]) -> Result<Vec<u8>, &'static str> {
    let BinaryPatch::Full { forward, .. } = patch else { return Err("there is no binary data in it") };
    let form = match forward.kind {
        BinaryBlockKind::Literal => Form::Literal,
        BinaryBlockKind::Delta => Form::Delta,
    };
    binary::read(form, forward.data.size, forward.data.data, before)
}

/// Where a file is before, and afterwards.
fn sides(operation: &FileOperation<'_, [u8]>) -> Result<(Option<RelPath>, Option<RelPath>)> {
    Ok(match operation {
        FileOperation::Create(path) => (None, Some(path_of(path, b"b/")?)),
        FileOperation::Delete(path) => (Some(path_of(path, b"a/")?), None),
        FileOperation::Modify { original, modified } => {
            let (from, to) = (path_of(original, b"a/")?, path_of(modified, b"b/")?);
            if from != to {
                return Err(no_patch("it names two files, and does not say that one became the other"));
            }
            (Some(from), Some(to))
        }
        // Names that stand in lines of their own have no side.
        FileOperation::Rename { from, to } => (Some(path_of(from, b"")?), Some(path_of(to, b"")?)),
        FileOperation::Copy { .. } => return Err(no_patch("it copies a file")),
    })
}

fn path_of(name: &[u8], side: &[u8]) -> Result<RelPath> {
    let name = name.strip_prefix(side).unwrap_or(name);
    std::str::from_utf8(name).map_err(|_| no_patch("a name in it is not UTF-8"))?.parse()
}

fn no_patch(why: &str) -> Error {
    Error::usage(format!("it is no patch that can be applied: {why}"))
        .help("`skillpm patch NAME` writes one; `git diff --binary` writes them, too")
}

fn does_not_fit(path: &RelPath, why: &str) -> Error {
    Error::negative(format!("the patch does not fit `{path}`: {why}"))
}
