//! The local disk: trees in and out, atomic writes, stamps that show whether anything changed, and file locks.
//!
//! Nothing here follows a symbolic link out of a package, and nothing is written in place: a file is replaced by a
//! rename, a directory by an exchange.

mod cache_dir;
mod edit;
mod failpoint;
mod handle;
mod identity;
mod limit;
mod lock;
mod open;
mod permissions;
mod protection;
mod removal;
mod stamp;
mod swap;
mod tree;

use std::fs;
use std::io::{ErrorKind, Write};
use std::path::{Component, Path, PathBuf};
use std::time::SystemTime;

use tempfile::NamedTempFile;

use crate::platform::{self, TemporaryAccess};
use skillpm_core::error::{Error, ErrorContext, Result};
use skillpm_core::package::Tree;

pub use crate::platform::{FileIdentity, FileOwnership};
pub use cache_dir::{
    DiskUsage, STAGING_PREFIX, StagingSlots, free_space, is_being_removed, list_leftovers,
    measure_usage, remove_abandoned, remove_entries, remove_leftovers, touch, touch_open,
};
pub use edit::{FileEdit, edit_files};
#[cfg(debug_assertions)]
pub use failpoint::arm_failpoint;
pub(crate) use failpoint::{DiskOperation, failpoint};
pub use handle::{DirectoryHandles, MoveOutcome, aside_path, missing_dirs, refused_link};
pub use identity::{can_move_between, file_identity, is_same_mount};
pub use limit::ignore_file_size_signal;
pub use lock::{FileLock, LockMode};
pub(crate) use open::read_whole;
pub use open::{
    JSON_MAX, LOCKFILE_MAX, PATCH_MAX, READ_MAX, RECORD_MAX, TOML_MAX, check_readable,
    open_regular, read_up_to, size_limit,
};
#[cfg(all(test, target_os = "linux"))]
pub(crate) use open::{PIPE, make_pipe};
pub use permissions::{
    create_private, file_ownership, find_wider_modes, is_writable, read_private, restrict_to_owner,
    restrict_writing_to_owner, write_private,
};
pub use protection::{protect_directory, refuse_protected, runs_as_root};
pub use stamp::{TreeStamp, stamp_tree};
pub use swap::{exchange, move_into_place};
pub use tree::{
    EntryKind, FileModes, PartialTree, list_files, list_files_and_links, list_files_in,
    read_file_below, read_tree, read_tree_filtered, read_tree_with_links, tree_checksum,
    walk_files, write_tree, write_tree_with_modes,
};

/// How many files are synced one by one: one `syncfs` costs about as much as a few dozen `fsync`s.
const SYNCED_ONE_BY_ONE: usize = 32;

/// Name prefix of staged files, which are not yet renamed into place.
pub const TEMPORARY_PREFIX: &str = ".skillpm-stage-";

/// Reads a regular file of at most the size that its kind may have ([`size_limit`]); `None` if there is none.
///
/// # Errors
/// If it is there but cannot be read, is not a regular file, or is larger.
pub fn read(path: &Path) -> Result<Option<Vec<u8>>> {
    read_up_to(path, size_limit(path))
}

/// Reads a text file; `None` if there is none.
///
/// # Errors
/// If it is there but cannot be read, or is not UTF-8 (a usage error that names the byte).
pub fn read_text(path: &Path) -> Result<Option<String>> {
    let Some(bytes) = read(path)? else {
        return Ok(None);
    };
    String::from_utf8(bytes).map(Some).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        Error::usage(format!(
            "invalid UTF-8 in `{}` at byte {at}",
            path.display()
        ))
    })
}

/// Writes a file so that a reader sees the old bytes or the new ones, and a crash leaves one of the two.
///
/// # Errors
/// If the directory cannot be made or the file not written, or a device, pipe or socket is there: a rename would put a file
/// in its place.
pub fn write_atomic(path: &Path, bytes: &[u8]) -> Result<()> {
    let dir = path.parent().unwrap_or(Path::new("."));
    create_dir(dir)?;

    if lstat(path)?.is_some_and(|meta| is_special(&meta)) {
        return Err(Error::disk(format!(
            "refusing to replace `{}`: it is not a regular file",
            path.display()
        ))
        .help("choose another file"));
    }

    replace_durably(dir, path, bytes).context(|| format!("failed to write `{}`", path.display()))
}

/// Replaces a file in `dir`; a power cut leaves the old or the new one.
fn replace_durably(dir: &Path, path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let mut file = create_beside(path, TemporaryAccess::Default)?;
    write_staged(&mut file, bytes)?;
    // Before the rename: after a power cut the name must not lead to an empty file.
    sync_file(file.as_file(), file.path())?;
    set_default_mode(file.path())?;
    persist(file, path)?;
    // The rename itself is durable once its directory is.
    sync_dir(dir)
}

/// Writes output to a file that the user named, as [`write_atomic`] does; a device or pipe, such as
/// `/dev/null`, is written to directly.
///
/// # Errors
/// As for [`write_atomic`].
pub fn write_output(path: &Path, bytes: &[u8]) -> Result<()> {
    if !lstat(path)?.is_some_and(|meta| is_special(&meta)) {
        return write_atomic(path, bytes);
    }

    let written = fs::OpenOptions::new()
        .write(true)
        .open(path)
        .and_then(|mut file| file.write_all(bytes));
    written.context(|| format!("failed to write `{}`", path.display()))
}

/// Whether a path is neither a file nor a directory nor a link.
fn is_special(meta: &fs::Metadata) -> bool {
    !(meta.is_file() || meta.is_dir() || meta.is_symlink())
}

/// Creates a staged file beside `path`, with [`TEMPORARY_PREFIX`].
fn create_beside(path: &Path, access: TemporaryAccess) -> std::io::Result<NamedTempFile> {
    let dir = path.parent().unwrap_or(Path::new("."));
    loop {
        failpoint(DiskOperation::Make, path)?;
        let mut builder = tempfile::Builder::new();
        let file = platform::create_temporary(builder.prefix(TEMPORARY_PREFIX), dir, access)?;
        platform::give_to_owner_above(file.path());
        // A cleanup can remove a new file before it is locked; then another one is created.
        if cache_dir::lock_in_use(file.as_file(), file.path()) {
            return Ok(file);
        }
    }
}

/// Writes the whole content of a staged file.
fn write_staged(file: &mut NamedTempFile, bytes: &[u8]) -> std::io::Result<()> {
    failpoint(DiskOperation::Write, file.path())?;
    file.write_all(bytes)
}

/// Renames a staged file into place.
fn persist(file: NamedTempFile, path: &Path) -> std::io::Result<()> {
    failpoint(DiskOperation::Rename, path)?;
    file.persist(path).map(drop).map_err(|error| error.error)
}

fn sync_file(file: &fs::File, path: &Path) -> std::io::Result<()> {
    failpoint(DiskOperation::Sync, path)?;
    file.sync_all()
}

/// Sets the modification time of a file.
///
/// # Errors
/// If it is not there, or the disk refuses.
pub fn set_modified(path: &Path, time: SystemTime) -> Result<()> {
    let set = || {
        failpoint(DiskOperation::Mark, path)?;
        fs::OpenOptions::new()
            .write(true)
            .open(path)?
            .set_modified(time)
    };
    set().context(|| {
        format!(
            "failed to set the modification time of `{}`",
            path.display()
        )
    })
}

/// Writes a cached copy: a reader sees the old bytes or the new ones, and a crash may leave it empty or
/// truncated, which readers must detect.
///
/// # Errors
/// If the directory cannot be made or the file not written.
pub fn write_cached(path: &Path, bytes: &[u8]) -> Result<()> {
    replace_unsynced(path, bytes).context(|| format!("failed to write `{}`", path.display()))
}

/// Replaces a file, whose directory may not exist yet, without waiting for the disk.
fn replace_unsynced(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let mut file = match create_beside(path, TemporaryAccess::Owner) {
        // The directory nearly always exists.
        Err(error) if error.kind() == ErrorKind::NotFound => {
            fs::create_dir_all(path.parent().unwrap_or(Path::new(".")))?;
            create_beside(path, TemporaryAccess::Owner)?
        }
        staged => staged?,
    };

    // Not synced: waiting for the disk is most of the time of a quick command, and each reader
    // detects a damaged copy.
    write_staged(&mut file, bytes)?;
    persist(file, path)
}

/// Writes a file whose existence matters, not its content: a crash may leave it empty.
///
/// # Errors
/// If it cannot be written.
pub fn write_marker(path: &Path, bytes: &[u8]) -> Result<()> {
    let write = || {
        failpoint(DiskOperation::Make, path)?;
        let mut file = fs::File::create(path)?;
        failpoint(DiskOperation::Write, path)?;
        file.write_all(bytes)
    };
    write().context(|| format!("failed to write `{}`", path.display()))
}

/// Makes a file executable for everyone who may read it.
///
/// # Errors
/// If the disk refuses.
pub fn make_executable(path: &Path) -> Result<()> {
    let run = || {
        failpoint(DiskOperation::Mark, path)?;
        platform::make_executable(path)
    };
    run().context(|| format!("failed to make `{}` executable", path.display()))
}

/// Creates a directory and its parents.
///
/// # Errors
/// If it cannot be created, or a file is in its place.
pub fn create_dir(path: &Path) -> Result<()> {
    // Nothing changes then, so there is no failpoint either.
    if path.is_dir() {
        return Ok(());
    }
    let missing = missing_dirs(path);
    let made = failpoint(DiskOperation::Make, path).and_then(|()| fs::create_dir_all(path));
    missing
        .iter()
        .for_each(|dir| platform::give_to_owner_above(dir));
    made.context(|| format!("failed to create directory `{}`", path.display()))
}

/// Creates a directory with a unique name inside `parent`, which the caller later moves or removes.
///
/// # Errors
/// If it cannot be made.
pub fn create_temp_dir(parent: &Path, prefix: &str) -> Result<PathBuf> {
    create_dir(parent)?;
    let make = || {
        failpoint(DiskOperation::Make, &parent.join(prefix))?;
        tempfile::Builder::new().prefix(prefix).tempdir_in(parent)
    };
    let dir =
        make().context(|| format!("failed to create a directory in `{}`", parent.display()))?;
    platform::give_to_owner_above(dir.path());
    // The caller moves or removes it.
    Ok(dir.keep())
}

/// Removes a file or a whole directory, never the target of a link; does nothing if the path does not exist.
///
/// # Errors
/// If it cannot be removed.
pub fn remove(path: &Path) -> Result<()> {
    let Some(meta) = lstat(path)? else {
        return Ok(());
    };

    let remove_it = || {
        if meta.is_dir() {
            return removal::remove_directory(path);
        }
        failpoint(DiskOperation::Remove, path)?;
        platform::remove_file(path)
    };

    match remove_it() {
        // Another process has removed it first.
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        other => other.context(|| format!("failed to remove `{}`", path.display())),
    }
}

/// Removes a directory if it is empty; nothing if it is not, or is not there.
pub fn remove_if_empty(path: &Path) {
    let _ = failpoint(DiskOperation::Remove, path).and_then(|()| fs::remove_dir(path));
}

/// Renames within a file system, replacing a file (not a directory with content).
///
/// # Errors
/// If the system refuses.
pub fn rename(from: &Path, to: &Path) -> Result<()> {
    let renamed = failpoint(DiskOperation::Rename, to).and_then(|()| fs::rename(from, to));
    renamed.context(|| format!("failed to move `{}` to `{}`", from.display(), to.display()))
}

/// Where a symbolic link leads, as it is written in it.
///
/// # Errors
/// If there is no link, or it cannot be read.
pub fn read_link(path: &Path) -> Result<PathBuf> {
    fs::read_link(path).context(|| format!("failed to read link `{}`", path.display()))
}

/// Whether a symbolic link leads to nothing.
#[must_use]
pub fn is_dangling(path: &Path) -> bool {
    matches!(fs::metadata(path), Err(error) if error.kind() == ErrorKind::NotFound)
}

/// Makes a symbolic link where nothing is.
///
/// # Errors
/// If something is there, or the disk refuses.
pub fn make_link(path: &Path, target: &Path) -> Result<()> {
    let made =
        failpoint(DiskOperation::Make, path).and_then(|()| platform::make_link(path, target));
    if made.is_ok() {
        platform::give_to_owner_above(path);
    }
    made.context(|| format!("failed to create symlink `{}`", path.display()))
}

/// The metadata of a path, links not followed; `None` if it does not exist.
///
/// # Errors
/// If the system refuses to say.
pub fn lstat(path: &Path) -> Result<Option<fs::Metadata>> {
    match fs::symlink_metadata(path) {
        Ok(meta) => Ok(Some(meta)),
        Err(error) if is_absent(&error) => Ok(None),
        Err(error) => Err(error).context(|| format!("failed to stat `{}`", path.display())),
    }
}

/// Whether an error means that nothing is at a path.
pub(crate) fn is_absent(error: &std::io::Error) -> bool {
    // `NotADirectory`: below a file there can be nothing.
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
}

/// Those of `files` that have hard links outside the directory: their content may be shared with a file of
/// another owner. Hard links within `files` do not count.
///
/// # Errors
/// If one cannot be looked at.
pub fn hard_linked_outside<'f>(
    dir: &Path,
    files: impl IntoIterator<Item = &'f str>,
) -> Result<Vec<&'f str>> {
    let mut regular = Vec::new();
    for file in files {
        let meta = lstat(&dir.join(file))?.filter(fs::Metadata::is_file);
        regular.extend(meta.map(|meta| (file, meta)));
    }

    let mut linked = platform::outside_hard_links(regular);
    linked.sort_unstable();
    Ok(linked)
}

/// The names in a directory, sorted; empty if there is no such directory.
///
/// # Errors
/// If it cannot be read.
pub fn list_names(dir: &Path) -> Result<Vec<String>> {
    let entries = match fs::read_dir(dir) {
        Ok(entries) => entries,
        Err(error) if is_absent(&error) => return Ok(Vec::new()),
        Err(error) => {
            return Err(error).context(|| format!("failed to read directory `{}`", dir.display()));
        }
    };

    let mut names = Vec::new();
    for entry in entries {
        let entry = entry.context(|| format!("failed to read directory `{}`", dir.display()))?;
        // A name that is not UTF-8 is left out.
        names.extend(entry.file_name().into_string());
    }

    names.sort_unstable();
    Ok(names)
}

/// Whether nothing at all is in a directory.
///
/// # Errors
/// If it cannot be read.
pub fn is_empty(dir: &Path) -> Result<bool> {
    let mut entries =
        fs::read_dir(dir).context(|| format!("failed to read directory `{}`", dir.display()))?;
    Ok(entries.next().is_none())
}

/// Writes a tree to a directory that is empty or not there, so that a crash leaves all of it or nothing.
///
/// # Errors
/// If something is in the directory, or the disk refuses.
pub fn write_tree_atomic(dir: &Path, tree: &Tree) -> Result<()> {
    let parent = dir.parent().unwrap_or(Path::new("."));
    let stage = create_temp_dir(parent, TEMPORARY_PREFIX)?;
    let staged = stage.join("tree");

    let placed = write_tree(&staged, tree).and_then(|_| {
        sync_trees(&staged, tree.len())?;
        // An empty directory gives way; one that was filled meanwhile makes the rename fail.
        rename(&staged, dir)
    });

    placed
        .and(remove(&stage))
        .inspect_err(|_| drop(remove(&stage)))
}

/// An unused name in a directory: `NAME-1`, `NAME-2`, ….
///
/// # Errors
/// If the system refuses to say.
pub fn find_unused_name(dir: &Path, name: &str) -> Result<PathBuf> {
    let mut number = 1;
    loop {
        let path = dir.join(format!("{name}-{number}"));
        if lstat(&path)?.is_none() {
            return Ok(path);
        }
        number += 1;
    }
}

/// The path without links and dots; the path itself where it does not exist.
#[must_use]
pub fn real_path(path: &Path) -> PathBuf {
    platform::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

/// The path without `.` and `..`, lexically: links are not resolved.
#[must_use]
pub fn normalize_path(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                normal.pop();
            }
            part => normal.push(part),
        }
    }
    normal
}

/// The root of the repository around a directory: where `.git` is; `None` outside of one.
#[must_use]
pub fn find_repository_root(dir: &Path) -> Option<&Path> {
    dir.ancestors()
        .find(|dir| lstat(&dir.join(".git")).is_ok_and(|found| found.is_some()))
}

/// Syncs written files to disk: one by one if there are few, else the whole file system at once.
///
/// # Errors
/// If the disk reports that it could not.
pub fn sync_trees(root: &Path, files: usize) -> Result<()> {
    sync(root, files).context(|| format!("failed to sync `{}` to disk", root.display()))
}

fn sync(root: &Path, files: usize) -> std::io::Result<()> {
    if files > SYNCED_ONE_BY_ONE && platform::HAS_FILE_SYSTEM_SYNC {
        failpoint(DiskOperation::Sync, root)?;
        return platform::sync_file_system(root);
    }

    sync_each(root)
}

fn sync_each(path: &Path) -> std::io::Result<()> {
    let meta = fs::symlink_metadata(path)?;
    // A link is durable with the directory that it is in.
    if meta.is_symlink() {
        return Ok(());
    }
    if meta.is_dir() {
        for entry in fs::read_dir(path)? {
            sync_each(&entry?.path())?;
        }
        return sync_dir(path);
    }
    failpoint(DiskOperation::Sync, path)?;
    platform::sync_closed_file(path)
}

/// Syncs the directories between a file and `root`, after the file was put into new ones.
///
/// # Errors
/// If the disk reports that it could not.
pub fn sync_dirs_above(path: &Path, root: &Path) -> Result<()> {
    for dir in path
        .ancestors()
        .skip(1)
        .take_while(|dir| dir.starts_with(root))
    {
        sync_dir(dir).context(|| format!("failed to sync `{}` to disk", dir.display()))?;
    }
    Ok(())
}

/// Syncs a directory, which makes renames in it durable.
fn sync_dir(dir: &Path) -> std::io::Result<()> {
    failpoint(DiskOperation::Sync, dir)?;
    platform::sync_directory(dir)
}

/// Gives a temporary file (0600) the mode an ordinary new file would have.
fn set_default_mode(path: &Path) -> std::io::Result<()> {
    failpoint(DiskOperation::Mark, path)?;
    platform::set_default_mode(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_file_is_none_and_a_broken_one_is_named() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(read(&dir.path().join("none")).unwrap(), None);
        fs::write(dir.path().join("bad"), [b'a', 0xff]).unwrap();
        let error = read_text(&dir.path().join("bad")).unwrap_err();
        assert!(error.message().ends_with("bad` at byte 1"), "{error}");
    }

    #[test]
    fn an_atomic_write_replaces_and_leaves_nothing_beside_it() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("deep/file");
        write_atomic(&path, b"one").unwrap();
        write_atomic(&path, b"two").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"two");
        assert_eq!(list_names(&dir.path().join("deep")).unwrap(), ["file"]);
    }

    #[test]
    fn removing_a_link_leaves_what_it_points_to() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("kept")).unwrap();
        #[cfg(unix)]
        std::os::unix::fs::symlink(dir.path().join("kept"), dir.path().join("link")).unwrap();
        remove(&dir.path().join("link")).unwrap();
        assert_eq!(list_names(dir.path()).unwrap(), ["kept"]);
    }
}
