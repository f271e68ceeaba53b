//! Reads one directory of a commit as a package: entries and sizes are checked before any content is read.

use std::collections::{BTreeMap, HashSet};

use gix::ObjectId;
use gix::bstr::ByteSlice;
use gix::objs::Kind;

use super::listing::{EntryKind, ListedEntry, TreeCache, TreeEntry, child_path};
use super::objects::{ObjectDatabase, ObjectError};
use skillpm_core::error::{Error, Result};
use skillpm_core::package::{RelPath, Tree, TreeLimits};

/// Most entries, directories included, that are visited below one directory. A package has at most 10,000 files.
const ENTRIES_MAX: usize = 20_000;

/// The longest target of a link, in bytes.
const TARGET_MAX: u64 = 4096;

/// Reads a directory as a package; links in it are copies of what they lead to. A `SKILL.md` that is a link to a file outside
/// of it is a copy of `linked`.
pub(super) fn read_package(
    objects: &ObjectDatabase,
    tree: ObjectId,
    linked: Option<&ListedEntry>,
) -> Result<Tree, ObjectError> {
    let (mut files, mut links) = (Vec::new(), Vec::new());
    visit_entries(objects, tree, &mut |path, raw| {
        match (raw.kind(), linked) {
            (Some(EntryKind::Link), Some(linked)) if path == "SKILL.md" => {
                let executable = matches!(linked.kind, EntryKind::File { executable: true });
                files.push((path.to_owned(), linked.id.0, executable));
            }
            (Some(EntryKind::Link), _) => links.push((path.to_owned(), raw.id)),
            _ => files.extend(package_file(path, raw)?),
        }
        Ok(())
    })?;

    // By path, so that the same package always fails with the same message.
    files.sort_unstable();

    let mut package = Tree::builder();
    for (path, id, executable) in files {
        package.check_file(&path, objects.blob_size(id)?)?;
        package.add(&path, objects.read_object(id, Kind::Blob)?, executable)?;
    }
    let mut targets = BTreeMap::new();
    for (path, id) in links {
        let target = read_link(objects, id)?;
        let target = target.ok_or_else(|| entry_refused(&path, EntryKind::Link))?;
        targets.insert(path, target);
    }
    package.add_links(&targets)?;
    Ok(package.finish())
}

/// The target that is written in a link; `None` if that is no path.
pub(super) fn read_link(
    objects: &ObjectDatabase,
    link: ObjectId,
) -> Result<Option<String>, ObjectError> {
    Ok(if objects.blob_size(link)? <= TARGET_MAX {
        String::from_utf8(objects.read_object(link, Kind::Blob)?).ok()
    } else {
        None
    })
}

/// Path, id and executable bit of a file of a package; `None` for a directory.
fn package_file(path: &str, raw: &TreeEntry) -> Result<Option<(String, ObjectId, bool)>> {
    match raw.kind() {
        Some(EntryKind::File { executable }) => Ok(Some((path.to_owned(), raw.id, executable))),
        Some(kind) => Err(entry_refused(path, kind)),
        None => Ok(None),
    }
}

/// How thoroughly objects are checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CheckLevel {
    /// The objects were on the disk before: the bytes of each must match its id.
    Content,
    /// The objects were just fetched and hashed: it is enough that they exist.
    Presence,
}

/// Checks that directories are complete: every tree and every file of them.
pub(super) fn check_trees(
    objects: &ObjectDatabase,
    trees: &[ObjectId],
    check: CheckLevel,
) -> Result<(), ObjectError> {
    for &tree in trees {
        let mut files = Vec::new();
        visit_entries(objects, tree, &mut |_, raw| {
            // Submodules are refused later, when the package is read.
            if raw.mode.is_blob_or_symlink() {
                files.push(raw.id);
            }
            Ok(())
        })?;
        check_blobs(objects, &files, check)?;
    }
    Ok(())
}

/// Checks that blobs exist. One that is too large for a package is not read; it is refused by name later.
pub(super) fn check_blobs(
    objects: &ObjectDatabase,
    blobs: &[ObjectId],
    check: CheckLevel,
) -> Result<(), ObjectError> {
    let missing: HashSet<ObjectId> = objects.missing_ids(blobs).into_iter().collect();
    if check == CheckLevel::Content {
        let limit = TreeLimits::default().file;
        for &id in blobs
            .iter()
            .filter(|&id| !missing.contains(id) && !objects.is_verified(id))
        {
            if objects.blob_size(id)? <= limit {
                objects.read_object(id, Kind::Blob)?;
            }
        }
    }

    match missing.into_iter().next() {
        // One is enough: all missing objects are fetched together.
        Some(id) => Err(ObjectError::Missing(id)),
        None => {
            objects.mark_verified(blobs);
            Ok(())
        }
    }
}

/// Calls `visit` for every entry below `tree`, with its path, within the budget.
fn visit_entries(
    objects: &ObjectDatabase,
    tree: ObjectId,
    visit: &mut dyn FnMut(&str, &TreeEntry) -> Result<()>,
) -> Result<(), ObjectError> {
    let mut trees = TreeCache::new(objects);
    let mut todo = vec![(String::new(), tree)];
    let mut count = 0;

    while let Some((path, id)) = todo.pop() {
        for raw in trees.read_tree(id)?.iter() {
            count += 1;
            if count > ENTRIES_MAX {
                return Err(too_many_entries().into());
            }

            let name = raw.name.to_str_lossy();
            let child = child_path(&path, &name);

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

fn entry_refused(path: &str, kind: EntryKind) -> Error {
    let path = path.escape_debug();
    match kind {
        EntryKind::Link => Error::integrity(format!(
            "unsupported file in the package: `{path}` is a symbolic link to no path"
        ))
        .help("its author can replace it with a copy of the file"),
        EntryKind::Submodule => Error::integrity(format!(
            "unsupported entry in the package: `{path}` is a submodule"
        ))
        .help("add the skill from the submodule's own repository"),
        EntryKind::Unusable | EntryKind::File { .. } => Error::integrity(format!(
            "invalid entry `{path}` in the package"
        ))
        .note("its name is not valid UTF-8, leads outside of the package, or is a duplicate"),
    }
}

fn too_many_entries() -> Error {
    Error::integrity(format!(
        "the package is too large: more than {ENTRIES_MAX} entries"
    ))
}
