//! The local disk: trees in and out, atomic writes, stamps that tell whether anything changed, and file locks.
//!
//! Nothing here follows a symbolic link out of a package, and nothing is written in place: a file is replaced by a
//! rename, a directory by an exchange.

mod edit;
mod handle;
mod limit;
mod lock;
mod moment;
mod open;
mod private;
mod removal;
mod shelf;
mod stamp;
mod swap;
mod tree;

use std::collections::BTreeMap;
use std::fs;
use std::io::{ErrorKind, Write};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Component, Path, PathBuf};
use std::time::SystemTime;

use tempfile::NamedTempFile;

use crate::error::{Context, Error, Result};
use crate::package::Tree;

pub use edit::{FileEdit, edit_files};
pub use handle::{Handles, Moved, aside, missing};
pub use limit::outlive_large_files;
pub use lock::{FileLock, Mode};
#[cfg(debug_assertions)]
pub use moment::arm;
pub(in crate::io) use moment::{Act, moment};
#[cfg(all(test, target_os = "linux"))]
pub(in crate::io) use open::make_pipe;
pub use open::{
    JSON_MAX, LOCKFILE_MAX, READ_MAX, RECORD_MAX, TOML_MAX, check_readable, limit_of, open_regular, read_up_to,
};
pub use private::{Ownership, close_to_others, create_private, may_write, ownership, read_private, write_private};
pub use shelf::{
    ARRIVING, Extent, Slots, clear_dead, clear_up, free_space, is_leaving, left_over, measure, take_away, touch,
    touch_open,
};
pub use stamp::{Stamp, stamp};
pub use swap::{Identity, exchange, identity, move_into_place, same_mount};
pub use tree::{
    checksum_of, list_files, list_outside_package, read_file_below, read_tree, read_tree_where, walk, write_tree,
};

/// How the names of files begin that are on their way to their place.
pub const TEMPORARY: &str = ".skillpm-stage-";

/// Reads a regular file of at most the size that its kind may have ([`limit_of`]); `None` if there is none.
///
/// # Errors
/// If it is there but cannot be read, is not a regular file, or is larger.
pub fn read(path: &Path) -> Result<Option<Vec<u8>>> {
    read_up_to(path, limit_of(path))
}

/// Reads a text file; `None` if there is none.
///
/// # Errors
/// If it is there but cannot be read, or is not UTF-8 (a usage error that names the byte).
pub fn read_text(path: &Path) -> Result<Option<String>> {
    let Some(bytes) = read(path)? else { return Ok(None) };
    String::from_utf8(bytes).map(Some).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        Error::usage(format!("`{}` is not UTF-8 text: byte {at} is wrong", path.display()))
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
        return Err(Error::disk(format!("refusing to replace `{}`: it is not a regular file", path.display()))
            .help("name another file"));
    }
    let write = || {
        let mut file = new_beside(path)?;
        fill(&mut file, bytes)?;
        sync_file(file.as_file(), file.path())?;
        set_plain_mode(file.path())?;
        persist(file, path)?;
        sync_dir(dir)
    };
    write().context(|| format!("could not write `{}`", path.display()))
}

/// Writes what a person asked for to the file that they name, as [`write_atomic`] does; a device or pipe is written to, as
/// with `/dev/null`.
///
/// # Errors
/// As for [`write_atomic`].
pub fn write_output(path: &Path, bytes: &[u8]) -> Result<()> {
    if !lstat(path)?.is_some_and(|meta| is_special(&meta)) {
        return write_atomic(path, bytes);
    }
    let written = fs::OpenOptions::new().write(true).open(path).and_then(|mut file| file.write_all(bytes));
    written.context(|| format!("could not write `{}`", path.display()))
}

/// Whether something is neither a file nor a directory nor a link.
fn is_special(meta: &fs::Metadata) -> bool {
    !(meta.is_file() || meta.is_dir() || meta.is_symlink())
}

/// A new file beside `path`, under a name that tells that it is on its way.
fn new_beside(path: &Path) -> std::io::Result<NamedTempFile> {
    let dir = path.parent().unwrap_or(Path::new("."));
    loop {
        moment(Act::Make, path)?;
        let file = tempfile::Builder::new().prefix(TEMPORARY).tempfile_in(dir)?;
        if shelf::sign(file.as_file(), file.path()) {
            return Ok(file);
        }
    }
}

/// Writes all that such a file is to hold.
fn fill(file: &mut NamedTempFile, bytes: &[u8]) -> std::io::Result<()> {
    moment(Act::Write, file.path())?;
    file.write_all(bytes)
}

/// Puts such a file in its place.
fn persist(file: NamedTempFile, path: &Path) -> std::io::Result<()> {
    moment(Act::Rename, path)?;
    file.persist(path).map(drop).map_err(|error| error.error)
}

fn sync_file(file: &fs::File, path: &Path) -> std::io::Result<()> {
    moment(Act::Sync, path)?;
    file.sync_all()
}

/// Sets the time at which a file was last changed.
///
/// # Errors
/// If it is not there, or the disk refuses.
pub fn set_modified(path: &Path, time: SystemTime) -> Result<()> {
    let set = || {
        moment(Act::Mark, path)?;
        fs::OpenOptions::new().write(true).open(path)?.set_modified(time)
    };
    set().context(|| format!("could not change the time of `{}`", path.display()))
}

/// Writes a copy of something that can be had again: a reader sees the old bytes or the new ones, and a crash may leave
/// it empty or cut short, which whoever reads it must notice.
///
/// # Errors
/// If the directory cannot be made or the file not written.
pub fn write_copy(path: &Path, bytes: &[u8]) -> Result<()> {
    let dir = path.parent().unwrap_or(Path::new("."));
    let write = || -> std::io::Result<()> {
        let mut file = match new_beside(path) {
            // Nearly always it is there.
            Err(error) if error.kind() == ErrorKind::NotFound => {
                fs::create_dir_all(dir)?;
                new_beside(path)?
            }
            staged => staged?,
        };
        fill(&mut file, bytes)?;
        persist(file, path)
    };
    write().context(|| format!("could not write `{}`", path.display()))
}

/// Writes a file whose being there is what matters: a crash may leave it empty.
///
/// # Errors
/// If it cannot be written.
pub fn write_mark(path: &Path, bytes: &[u8]) -> Result<()> {
    let write = || {
        moment(Act::Make, path)?;
        let mut file = fs::File::create(path)?;
        moment(Act::Write, path)?;
        file.write_all(bytes)
    };
    write().context(|| format!("could not write `{}`", path.display()))
}

/// Lets whoever may read a file run it.
///
/// # Errors
/// If the disk refuses.
pub fn make_executable(path: &Path) -> Result<()> {
    let run = || {
        moment(Act::Mark, path)?;
        let mode = fs::metadata(path)?.permissions().mode();
        fs::set_permissions(path, fs::Permissions::from_mode(mode | (mode & 0o444) >> 2))
    };
    run().context(|| format!("could not make `{}` a program", path.display()))
}

/// Makes a directory and those above it.
///
/// # Errors
/// If it cannot be made, or a file stands in its place.
pub fn create_dir(path: &Path) -> Result<()> {
    if path.is_dir() {
        return Ok(());
    }
    let made = moment(Act::Make, path).and_then(|()| fs::create_dir_all(path));
    made.context(|| format!("could not make directory `{}`", path.display()))
}

/// Makes a new directory with a name of its own inside `parent`, for work that is later moved or dropped.
///
/// # Errors
/// If it cannot be made.
pub fn create_temp_dir(parent: &Path, prefix: &str) -> Result<PathBuf> {
    create_dir(parent)?;
    let make = || {
        moment(Act::Make, &parent.join(prefix))?;
        tempfile::Builder::new().prefix(prefix).tempdir_in(parent)
    };
    let dir = make().context(|| format!("could not make a directory in `{}`", parent.display()))?;
    Ok(dir.keep())
}

/// Removes a file or a whole directory (never what a link points to); nothing if there is none.
///
/// # Errors
/// If it cannot be removed.
pub fn remove(path: &Path) -> Result<()> {
    let Some(meta) = lstat(path)? else { return Ok(()) };
    let gone = || {
        if meta.is_dir() {
            return removal::remove_directory(path);
        }
        moment(Act::Remove, path)?;
        fs::remove_file(path)
    };
    match gone() {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        other => other.context(|| format!("could not remove `{}`", path.display())),
    }
}

/// Removes a directory if it is empty; nothing if it is not, or is not there.
pub fn remove_if_empty(path: &Path) {
    let _ = moment(Act::Remove, path).and_then(|()| fs::remove_dir(path));
}

/// Renames within a file system, replacing a file (not a directory with content).
///
/// # Errors
/// If the system refuses.
pub fn rename(from: &Path, to: &Path) -> Result<()> {
    let renamed = moment(Act::Rename, to).and_then(|()| fs::rename(from, to));
    renamed.context(|| format!("could not move `{}` to `{}`", from.display(), to.display()))
}

/// Where a symbolic link leads, as it is written in it.
///
/// # Errors
/// If there is no link, or it cannot be read.
pub fn read_link(path: &Path) -> Result<PathBuf> {
    fs::read_link(path).context(|| format!("could not read the link `{}`", path.display()))
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
    let made = moment(Act::Make, path).and_then(|()| std::os::unix::fs::symlink(target, path));
    made.context(|| format!("could not make the link `{}`", path.display()))
}

/// What stands at a path, links not followed; `None` if nothing does.
///
/// # Errors
/// If the system refuses to say.
pub fn lstat(path: &Path) -> Result<Option<fs::Metadata>> {
    match fs::symlink_metadata(path) {
        Ok(meta) => Ok(Some(meta)),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Ok(None),
        Err(error) => Err(error).context(|| format!("could not look at `{}`", path.display())),
    }
}

/// Those of a directory's files that have a further name outside it, by hard links: their content may be somebody else's.
/// Names that are together in it do not count.
///
/// # Errors
/// If one cannot be looked at.
pub fn linked_from_outside<'f>(dir: &Path, files: impl IntoIterator<Item = &'f str>) -> Result<Vec<&'f str>> {
    let mut linked: BTreeMap<(u64, u64), (u64, Vec<&str>)> = BTreeMap::new();
    for file in files {
        if let Some(meta) = lstat(&dir.join(file))?.filter(|meta| meta.is_file() && meta.nlink() > 1) {
            linked.entry((meta.dev(), meta.ino())).or_insert((meta.nlink(), Vec::new())).1.push(file);
        }
    }
    let outside = linked.into_values().filter(|(names, here)| *names > here.len() as u64);
    let mut files: Vec<&str> = outside.flat_map(|(_, here)| here).collect();
    files.sort_unstable();
    Ok(files)
}

/// The names in a directory, sorted; empty if there is no such directory.
///
/// # Errors
/// If it cannot be read.
pub fn names(dir: &Path) -> Result<Vec<String>> {
    let entries = match fs::read_dir(dir) {
        Ok(entries) => entries,
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => return Ok(Vec::new()),
        Err(error) => return Err(error).context(|| format!("could not read directory `{}`", dir.display())),
    };
    let mut names = Vec::new();
    for entry in entries {
        let entry = entry.context(|| format!("could not read directory `{}`", dir.display()))?;
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
    let mut entries = fs::read_dir(dir).context(|| format!("could not read directory `{}`", dir.display()))?;
    Ok(entries.next().is_none())
}

/// Writes a tree to a directory that is empty or not there, so that a crash leaves all of it or nothing.
///
/// # Errors
/// If something is in the directory, or the disk refuses.
pub fn place_tree(dir: &Path, tree: &Tree) -> Result<()> {
    let parent = dir.parent().unwrap_or(Path::new("."));
    let stage = create_temp_dir(parent, TEMPORARY)?;
    let staged = stage.join("tree");
    let placed = write_tree(&staged, tree).and_then(|_| {
        sync_trees(&staged, tree.len())?;
        // An empty directory gives way; one that was filled meanwhile makes the rename fail.
        rename(&staged, dir)
    });
    placed.and(remove(&stage)).inspect_err(|_| drop(remove(&stage)))
}

/// A name that nothing in a directory has yet: `NAME-1`, `NAME-2`, ….
///
/// # Errors
/// If the system refuses to say.
pub fn free_name(dir: &Path, name: &str) -> Result<PathBuf> {
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
    fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

/// The path without `.` and `..`, by its text: links are not asked.
#[must_use]
pub fn normal_path(path: &Path) -> PathBuf {
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

/// The root of the repository around a directory: where `.git` is; `None` if it lies in none.
#[must_use]
pub fn repository_around(dir: &Path) -> Option<&Path> {
    dir.ancestors().find(|dir| lstat(&dir.join(".git")).is_ok_and(|found| found.is_some()))
}

/// Makes what was written so far durable: the files one by one where they are few, else the whole file system at once.
///
/// # Errors
/// If the disk reports that it could not.
pub fn sync_trees(root: &Path, files: usize) -> Result<()> {
    sync(root, files).context(|| format!("could not write `{}` to the disk", root.display()))
}

#[cfg(target_os = "linux")]
fn sync(root: &Path, files: usize) -> std::io::Result<()> {
    // One `syncfs` costs about as much as a few dozen `fsync`s.
    const FEW: usize = 32;
    if files > FEW {
        moment(Act::Sync, root)?;
        return rustix::fs::syncfs(fs::File::open(root)?).map_err(Into::into);
    }
    sync_each(root)
}

#[cfg(not(target_os = "linux"))]
fn sync(root: &Path, _: usize) -> std::io::Result<()> {
    sync_each(root)
}

fn sync_each(path: &Path) -> std::io::Result<()> {
    let meta = fs::symlink_metadata(path)?;
    if meta.is_symlink() {
        return Ok(());
    }
    if meta.is_dir() {
        for entry in fs::read_dir(path)? {
            sync_each(&entry?.path())?;
        }
        return sync_dir(path);
    }
    sync_file(&fs::File::open(path)?, path)
}

/// Makes the directories between a file and `root` durable, for one that was put into new ones.
///
/// # Errors
/// If the disk reports that it could not.
pub fn sync_dirs_above(path: &Path, root: &Path) -> Result<()> {
    for dir in path.ancestors().skip(1).take_while(|dir| dir.starts_with(root)) {
        sync_dir(dir).context(|| format!("could not write `{}` to the disk", dir.display()))?;
    }
    Ok(())
}

/// Makes renames inside a directory durable.
fn sync_dir(dir: &Path) -> std::io::Result<()> {
    sync_file(&fs::File::open(dir)?, dir)
}

/// Gives a temporary file (0600) the mode an ordinary new file would have.
fn set_plain_mode(path: &Path) -> std::io::Result<()> {
    moment(Act::Mark, path)?;
    fs::set_permissions(path, fs::Permissions::from_mode(0o666 & !tree::umask()))
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
        assert!(error.message().ends_with("is not UTF-8 text: byte 1 is wrong"), "{error}");
    }

    #[test]
    fn an_atomic_write_replaces_and_leaves_nothing_beside_it() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("deep/file");
        write_atomic(&path, b"one").unwrap();
        write_atomic(&path, b"two").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"two");
        assert_eq!(names(&dir.path().join("deep")).unwrap(), ["file"]);
    }

    #[test]
    fn removing_a_link_leaves_what_it_points_to() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("kept")).unwrap();
        #[cfg(unix)]
        std::os::unix::fs::symlink(dir.path().join("kept"), dir.path().join("link")).unwrap();
        remove(&dir.path().join("link")).unwrap();
        assert_eq!(names(dir.path()).unwrap(), ["kept"]);
    }
}
