//! Applies a patch: as `git diff` writes it, with renames and binary files, or a plain unified diff. The only file that
//! uses the crate which does it.

use std::collections::BTreeMap;

use diffy::binary::{BinaryBlockKind, BinaryPatch};
use diffy::patch_set::{FileMode, FileOperation, FilePatch, ParseOptions, PatchKind, PatchSet};

use super::binary::{self, BinaryForm};
use super::structure::{self, PatchPart, is_absent_blob};
use skillpm_core::error::{Error, Result};
use skillpm_core::package::{RelPath, Tree, TreeFile};

/// Applies a patch to a package; its paths are relative to the package.
///
/// # Errors
/// If it is not a patch, is truncated or damaged, lacks the data of a binary file, or does not apply.
pub fn apply(tree: &Tree, patch: &[u8]) -> Result<Tree> {
    let mut files: BTreeMap<RelPath, TreeFile> = tree
        .files()
        .map(|(path, file)| (path.clone(), file.clone()))
        .collect();

    // A plain diff has neither renames nor modes nor binary data.
    let is_git = patch.starts_with(b"diff --git ")
        || memchr::memmem::find(patch, b"\ndiff --git ").is_some();
    let options = if is_git {
        ParseOptions::gitdiff()
    } else {
        ParseOptions::unidiff()
    };

    let known = structure::read_structure(patch, is_git)
        .map_err(|error| invalid_patch(&format!("line {}: {}", error.line, error.reason)))?;

    let mut parts = PatchSet::parse_bytes(patch, options);
    for known in &known {
        // Both readers must find the same parts, or one of them has misread the patch.
        parts
            .next()
            .ok_or_else(|| invalid_patch("a file is missing"))
            .and_then(|part| part.map_err(|cause| invalid_patch(&cause.to_string())))
            .and_then(|part| apply_part(&mut files, &part, known))
            .map_err(|error| {
                error.note(format!(
                    "that part of the patch begins at line {}",
                    known.line
                ))
            })?;
    }

    if parts.next().is_some() {
        return Err(invalid_patch("unreadable data after its last file"));
    }

    build_tree(files)
}

fn build_tree(files: BTreeMap<RelPath, TreeFile>) -> Result<Tree> {
    // Through the builder, since the patched files can exceed the limits of a package.
    let mut tree = Tree::builder();
    for (path, file) in files {
        tree.add(path.as_str(), file.bytes, file.executable)?;
    }
    Ok(tree.finish())
}

fn apply_part(
    files: &mut BTreeMap<RelPath, TreeFile>,
    part: &FilePatch<'_, [u8]>,
    known: &PatchPart<'_>,
) -> Result<()> {
    let (from, to) = part_paths(part.operation())?;
    // Removed here, and inserted under its new path at the end.
    let mut file = match &from {
        Some(from) => files
            .remove(from)
            .ok_or_else(|| does_not_apply(from, "no such file"))?,
        None => TreeFile {
            bytes: Vec::new(),
            executable: false,
        },
    };

    let Some(named) = to.as_ref().or(from.as_ref()) else {
        return Err(invalid_patch("a change does not name a file"));
    };
    if to.as_ref().is_some_and(|to| files.contains_key(to)) {
        return Err(does_not_apply(named, "the file already exists"));
    }

    change_file(&mut file, part, known).map_err(|why| does_not_apply(named, &why))?;
    if let Some(to) = to {
        files.insert(to, file);
    }
    Ok(())
}

/// Changes the content and the mode of a file; an error is why the part does not apply.
fn change_file(
    file: &mut TreeFile,
    part: &FilePatch<'_, [u8]>,
    known: &PatchPart<'_>,
) -> Result<(), String> {
    let before = std::mem::take(&mut file.bytes);
    file.bytes = match part.patch() {
        PatchKind::Text(patch) => {
            diffy::apply_bytes(&before, patch).map_err(|cause| cause.to_string())?
        }
        PatchKind::Binary(patch) => apply_binary(patch, &before)?,
    };

    // Context lines alone can match in the wrong place; the ids of the blobs cannot.
    check_blobs(known, &before, &file.bytes)?;

    match part.new_mode() {
        None => {}
        Some(FileMode::Regular) => file.executable = false,
        Some(FileMode::Executable) => file.executable = true,
        // A link could point out of the package, and a submodule has no files.
        Some(FileMode::Symlink | FileMode::Gitlink) => {
            return Err("symbolic links and submodules are not supported".to_owned());
        }
    }
    Ok(())
}

/// Checks the result of a part against its `index` line, which detects a part that was cut between two hunks. For a text
/// with other changes since, the line does not apply.
fn check_blobs(part: &PatchPart<'_>, before: &[u8], after: &[u8]) -> Result<(), &'static str> {
    let Some((was, is)) = part.blobs else {
        return Ok(());
    };

    // Longer ids are those of a SHA-256 repository.
    if is_absent_blob(is) || was.len() > 40 || is.len() > 40 {
        return Ok(());
    }

    let is_named =
        |bytes: &[u8], name: &str| binary::blob_id(bytes).starts_with(&name.to_ascii_lowercase());
    let is_made_for_this = if is_absent_blob(was) {
        before.is_empty()
    } else {
        is_named(before, was)
    };

    if (is_made_for_this || part.is_literal) && !is_named(after, is) {
        return Err("corrupt patch: the content does not match its `index` line");
    }
    Ok(())
}

/// The content of a binary file after a patch.
fn apply_binary(patch: &BinaryPatch<'_>, before: &[u8]) -> Result<Vec<u8>, &'static str> {
    // `Binary files differ` says that there is a change, but not which.
    let BinaryPatch::Full { forward, .. } = patch else {
        return Err("the patch has no binary data for it");
    };

    let form = match forward.kind {
        BinaryBlockKind::Literal => BinaryForm::Literal,
        BinaryBlockKind::Delta => BinaryForm::Delta,
    };
    binary::decode_block(form, forward.data.size, forward.data.data, before)
}

/// The paths of a file before and after; `None` where it does not exist.
fn part_paths(operation: &FileOperation<'_, [u8]>) -> Result<(Option<RelPath>, Option<RelPath>)> {
    Ok(match operation {
        FileOperation::Create(path) => (None, Some(parse_path(path, b"b/")?)),
        FileOperation::Delete(path) => (Some(parse_path(path, b"a/")?), None),
        FileOperation::Modify { original, modified } => {
            let (from, to) = (parse_path(original, b"a/")?, parse_path(modified, b"b/")?);
            if from != to {
                return Err(invalid_patch("it names two files without a rename"));
            }
            (Some(from), Some(to))
        }
        // Names in `rename` lines have no `a/` or `b/`.
        FileOperation::Rename { from, to } => {
            (Some(parse_path(from, b"")?), Some(parse_path(to, b"")?))
        }
        FileOperation::Copy { .. } => {
            return Err(invalid_patch("copies of files are not supported"));
        }
    })
}

fn parse_path(name: &[u8], side: &[u8]) -> Result<RelPath> {
    let name = name.strip_prefix(side).unwrap_or(name);
    std::str::from_utf8(name)
        .map_err(|_| invalid_patch("a file name is not UTF-8"))?
        .parse()
}

fn invalid_patch(why: &str) -> Error {
    Error::usage(format!("invalid patch: {why}"))
        .help("`skillpm patch NAME` writes a valid patch, as does `git diff --binary`")
}

fn does_not_apply(path: &RelPath, why: &str) -> Error {
    Error::negative(format!("failed to apply patch to `{path}`: {why}"))
}
