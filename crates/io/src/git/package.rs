//! One directory of a commit as a package: measured, checked, and only then read.

use std::collections::HashSet;

use gix::ObjectId;
use gix::bstr::ByteSlice;
use gix::objs::Kind;

use super::listing::{EntryKind, Raw, Trees};
use super::objects::{Lack, Objects};
use crate::error::{Error, Result};
use crate::package::{Limits, RelPath, Tree};

/// Most entries, directories included, that are looked at below one directory. A package has at most 1,000 files.
const ENTRIES_MAX: usize = 20_000;

/// Reads a directory as a package.
pub(super) fn read(objects: &Objects, tree: ObjectId) -> Result<Tree, Lack> {
    let mut files = Vec::new();
    walk(objects, tree, &mut |path, raw| {
        match raw.kind() {
            Some(EntryKind::File { executable }) => files.push((path.to_owned(), raw.id, executable)),
            Some(kind) => return Err(refused(path, kind)),
            None => {}
        }
        Ok(())
    })?;
    // By path, so that the same package fails with the same words every time.
    files.sort_unstable();
    let mut package = Tree::builder();
    for (path, id, executable) in files {
        package.admit(&path, objects.blob_size(id)?)?;
        package.add(&path, objects.read(id, Kind::Blob)?, executable)?;
    }
    Ok(package.finish())
}

/// How closely objects are looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Check {
    /// They lay on the disk since who knows when: each must have the bytes of its id.
    Content,
    /// They were hashed as they arrived just now: it is enough that they are there.
    Presence,
}

/// Checks that directories are here in whole: every tree and every file of them.
pub(super) fn check_trees(objects: &Objects, trees: &[ObjectId], check: Check) -> Result<(), Lack> {
    for &tree in trees {
        let mut files = Vec::new();
        walk(objects, tree, &mut |_, raw| {
            if raw.mode.is_blob() {
                files.push(raw.id);
            }
            Ok(())
        })?;
        check_blobs(objects, &files, check)?;
    }
    Ok(())
}

/// Checks that blobs are here. One that no package could hold is not read; it is refused by name later.
pub(super) fn check_blobs(objects: &Objects, blobs: &[ObjectId], check: Check) -> Result<(), Lack> {
    let missing: HashSet<ObjectId> = objects.missing(blobs).into_iter().collect();
    if check == Check::Content {
        let limit = Limits::default().file;
        for &id in blobs.iter().filter(|&id| !missing.contains(id) && !objects.is_sound(id)) {
            if objects.blob_size(id)? <= limit {
                objects.read(id, Kind::Blob)?;
            }
        }
    }
    match missing.into_iter().next() {
        Some(id) => Err(Lack::Missing(id)),
        None => {
            objects.call_sound(blobs);
            Ok(())
        }
    }
}

/// Shows every entry below `tree` with its path, within the budget.
fn walk(objects: &Objects, tree: ObjectId, visit: &mut dyn FnMut(&str, &Raw) -> Result<()>) -> Result<(), Lack> {
    let mut trees = Trees::new(objects);
    let mut todo = vec![(String::new(), tree)];
    let mut count = 0;
    while let Some((path, id)) = todo.pop() {
        for raw in trees.get(id)?.iter() {
            count += 1;
            if count > ENTRIES_MAX {
                return Err(too_many().into());
            }
            let name = raw.name.to_str_lossy();
            let child = if path.is_empty() { name.into_owned() } else { format!("{path}/{name}") };
            visit(&child, raw)?;
            if raw.kind().is_none() {
                // Bounds depth and length as well.
                child.parse::<RelPath>()?;
                todo.push((child, raw.id));
            }
        }
    }
    Ok(())
}

fn refused(path: &str, kind: EntryKind) -> Error {
    let path = path.escape_debug();
    match kind {
        EntryKind::Link => Error::integrity(format!("`{path}` is a symbolic link; a package holds files only"))
            .help("its author can replace it by a copy of the file"),
        EntryKind::Submodule => Error::integrity(format!("`{path}` is a submodule; a package holds files only"))
            .help("ask for the skill from the submodule's own repository"),
        EntryKind::Unusable | EntryKind::File { .. } => {
            Error::integrity(format!("`{path}` is not an entry that a package may hold"))
                .note("its name is not plain text, means a place outside, or is there twice")
        }
    }
}

fn too_many() -> Error {
    Error::integrity(format!("the package is too large: more than {ENTRIES_MAX} entries"))
}
