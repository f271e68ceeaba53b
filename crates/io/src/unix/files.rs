//! Files by their paths: kinds, identities, opening without waiting, links, locks.

use std::collections::BTreeMap;
use std::fs::{self, File, Metadata, OpenOptions};
use std::io;
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use rustix::fs::{FileType, OFlags, Timespec, Timestamps, UTIME_NOW, futimens};
use rustix::io::Errno;
use tempfile::NamedTempFile;

use crate::disk::is_absent;
use crate::platform::{
    DirectoryLockFile, FileIdentity, FileKind, FileStat, MissingLock, TemporaryAccess,
};

/// `O_NONBLOCK`: a pipe opens at once. `O_NOCTTY`: no terminal becomes ours.
const NON_BLOCKING: i32 = OFlags::NONBLOCK.union(OFlags::NOCTTY).bits().cast_signed();
/// `O_NOFOLLOW` and `O_NONBLOCK`.
const NO_FOLLOW: i32 = OFlags::NOFOLLOW
    .union(OFlags::NONBLOCK)
    .bits()
    .cast_signed();

/// What the metadata is of.
pub(crate) fn file_kind(kind: fs::FileType) -> FileKind {
    match () {
        () if kind.is_file() => FileKind::File,
        () if kind.is_dir() => FileKind::Directory,
        () if kind.is_symlink() => FileKind::Link,
        () if kind.is_fifo() => FileKind::Pipe,
        () if kind.is_socket() => FileKind::Socket,
        () => FileKind::Device,
    }
}

pub(super) fn kind_from_type(kind: FileType) -> FileKind {
    match kind {
        FileType::RegularFile => FileKind::File,
        FileType::Directory => FileKind::Directory,
        FileType::Symlink => FileKind::Link,
        FileType::Fifo => FileKind::Pipe,
        FileType::Socket => FileKind::Socket,
        _ => FileKind::Device,
    }
}

/// What metadata says about a file.
pub(crate) fn file_stat(meta: &Metadata) -> FileStat {
    FileStat {
        kind: file_kind(meta.file_type()),
        size: meta.len(),
        modified: nanoseconds(meta.mtime(), meta.mtime_nsec()),
        changed: nanoseconds(meta.ctime(), meta.ctime_nsec()),
        inode: meta.ino(),
        executable: meta.mode() & 0o111 != 0,
    }
}

#[cfg_attr(
    target_os = "linux",
    expect(clippy::useless_conversion, reason = "other systems have other widths")
)]
pub(super) fn stat_from_system(stat: &rustix::fs::Stat) -> FileStat {
    FileStat {
        kind: kind_from_type(FileType::from_raw_mode(stat.st_mode)),
        size: u64::try_from(stat.st_size).unwrap_or(0),
        modified: nanoseconds(
            stat.st_mtime.into(),
            stat.st_mtime_nsec.try_into().unwrap_or(0),
        ),
        changed: nanoseconds(
            stat.st_ctime.into(),
            stat.st_ctime_nsec.try_into().unwrap_or(0),
        ),
        inode: stat.st_ino.into(),
        executable: stat.st_mode & 0o111 != 0,
    }
}

fn nanoseconds(seconds: i64, rest: i64) -> i64 {
    seconds.saturating_mul(1_000_000_000).saturating_add(rest)
}

/// The identity of what is at a path, links not followed.
pub(crate) fn file_identity(path: &Path) -> io::Result<FileIdentity> {
    let meta = fs::symlink_metadata(path)?;
    Ok(FileIdentity(meta.dev(), meta.ino()))
}

/// Those of `files`, given with their metadata, that have hard links besides each other.
pub(crate) fn outside_hard_links(files: Vec<(&str, Metadata)>) -> Vec<&str> {
    let mut linked: BTreeMap<(u64, u64), (u64, Vec<&str>)> = BTreeMap::new();
    for (file, meta) in files.into_iter().filter(|(_, meta)| meta.nlink() > 1) {
        let same = linked.entry((meta.dev(), meta.ino()));
        same.or_insert((meta.nlink(), Vec::new())).1.push(file);
    }

    // Fewer names here than links in total: the others are outside.
    let outside = linked
        .into_values()
        .filter(|(names, here)| *names > here.len() as u64);
    outside.flat_map(|(_, here)| here).collect()
}

/// Opens what a path leads to for reading, without waiting for the other end of a pipe.
pub(crate) fn open_file(path: &Path) -> io::Result<File> {
    OpenOptions::new()
        .read(true)
        .custom_flags(NON_BLOCKING)
        .open(path)
}

/// As [`open_file`], but fails if the path is a link.
pub(crate) fn open_file_no_follow(path: &Path) -> io::Result<File> {
    OpenOptions::new()
        .read(true)
        .custom_flags(NO_FOLLOW)
        .open(path)
}

/// Reads once into the spare capacity of a buffer; returns how many bytes. A signal may interrupt it.
pub(crate) fn read_once(file: &File, bytes: &mut Vec<u8>) -> io::Result<usize> {
    Ok(rustix::io::read(
        file,
        rustix::buffer::spare_capacity(bytes),
    )?)
}

/// Sets the times of last access and modification to now, which needs no more than the right to write.
pub(crate) fn mark_as_used(file: &File) {
    let now = Timespec {
        tv_sec: 0,
        tv_nsec: UTIME_NOW,
    };
    let times = Timestamps {
        last_access: now,
        last_modification: now,
    };
    let _ = futimens(file, &times);
}

/// Creates a temporary file, whose mode is 0600 whatever the umask is.
pub(crate) fn create_temporary(
    builder: &tempfile::Builder<'_, '_>,
    dir: &Path,
    _: TemporaryAccess,
) -> io::Result<NamedTempFile> {
    builder.tempfile_in(dir)
}

/// Whether a directory can be removed in which a removed file is still open.
pub(crate) const REMOVES_OPEN_FILES: bool = true;

/// Removes a file or a link.
pub(crate) fn remove_file(path: &Path) -> io::Result<()> {
    fs::remove_file(path)
}

/// Makes a symbolic link.
pub(crate) fn make_link(path: &Path, target: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(target, path)
}

/// The path without links and dots.
pub(crate) fn canonicalize(path: &Path) -> io::Result<PathBuf> {
    fs::canonicalize(path)
}

/// Syncs a file that is not open.
pub(crate) fn sync_closed_file(path: &Path) -> io::Result<()> {
    File::open(path)?.sync_all()
}

/// Syncs a directory, which makes renames in it durable.
pub(crate) fn sync_directory(path: &Path) -> io::Result<()> {
    File::open(path)?.sync_all()
}

/// Opens a lock file; fails if the path is a link, and does not wait for the other end of a pipe.
pub(crate) fn open_lock_file(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    options.custom_flags(NO_FOLLOW).open(path)
}

/// Opens what is locked for a directory: the directory itself, so that there is no file to remove afterwards.
pub(crate) fn open_directory_lock(path: &Path) -> io::Result<Option<DirectoryLockFile>> {
    let file = File::open(path)?;
    Ok(Some(DirectoryLockFile { file, path: None }))
}

/// Opens what a command locks while it works on a staged file or directory; `None` if no one works on it.
pub(crate) fn open_staged_lock(path: &Path, _: MissingLock) -> io::Result<Option<File>> {
    File::open(path).map(Some)
}

/// Whether an open file is what a path leads to.
///
/// # Errors
/// If the system fails to say what is there; that nothing is there is no failure.
pub(crate) fn is_file_at(file: &File, path: &Path) -> io::Result<bool> {
    let open = file.metadata()?;
    match fs::metadata(path) {
        Ok(there) => Ok((open.dev(), open.ino()) == (there.dev(), there.ino())),
        Err(error) if is_absent(&error) => Ok(false),
        Err(error) => Err(error),
    }
}

/// Whether a file system does not support locks, or not on directories.
pub(crate) fn is_lock_unsupported(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::Unsupported
        || matches!(
            Errno::from_io_error(error),
            Some(Errno::NOLCK | Errno::NOTSUP | Errno::BADF | Errno::NOSYS)
        )
}
