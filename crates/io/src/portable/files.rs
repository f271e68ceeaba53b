//! Files by their paths: kinds, identities, opening, links, locks.

use std::fs::{self, File, FileTimes, Metadata, OpenOptions};
use std::hash::{Hash as _, Hasher};
use std::io::{self, ErrorKind, Read as _};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use same_file::Handle;
use tempfile::NamedTempFile;

use super::directory::{RefusedPath, refuse_link};
use crate::disk::{TEMPORARY_PREFIX, is_absent};
use crate::platform::{
    DirectoryLockFile, FileIdentity, FileKind, FileStat, MissingLock, TemporaryAccess,
};

/// What the metadata is of.
pub(crate) fn file_kind(kind: fs::FileType) -> FileKind {
    match () {
        () if kind.is_file() => FileKind::File,
        () if kind.is_dir() => FileKind::Directory,
        () if kind.is_symlink() => FileKind::Link,
        () => FileKind::Device,
    }
}

/// What metadata says about a file.
pub(crate) fn file_stat(meta: &Metadata) -> FileStat {
    let nanoseconds = |time: io::Result<SystemTime>| {
        let since = time.ok()?.duration_since(UNIX_EPOCH).ok()?;
        i64::try_from(since.as_nanos()).ok()
    };
    FileStat {
        kind: file_kind(meta.file_type()),
        size: meta.len(),
        modified: nanoseconds(meta.modified()).unwrap_or(0),
        // A file that replaces another has another time of creation; one that was never replaced must not have 0.
        changed: nanoseconds(meta.created()).unwrap_or(1),
        inode: 0,
        executable: false,
    }
}

/// The identity of what is at a path, links not followed: 0, and a digest of what the system numbers files by.
pub(crate) fn file_identity(path: &Path) -> io::Result<FileIdentity> {
    let meta = fs::symlink_metadata(path)?;
    let mut hasher = StableHasher::default();

    let is_regular = meta.is_file() || meta.is_dir();
    match Handle::from_path(path) {
        Ok(handle) if is_regular => handle.hash(&mut hasher),
        // A link would be followed, and a file that may not be read has no handle.
        _ => {
            let stat = file_stat(&meta);
            (stat.size, stat.modified, stat.changed).hash(&mut hasher);
        }
    }
    Ok(FileIdentity(0, hasher.finish()))
}

/// The identity of the directory that a path is or leads to.
pub(super) fn followed_identity(path: &Path) -> io::Result<FileIdentity> {
    let mut hasher = StableHasher::default();
    Handle::from_path(path)?.hash(&mut hasher);
    Ok(FileIdentity(0, hasher.finish()))
}

/// FNV-1a: a journal is read by another process, perhaps of another build, so that the digest must not change.
struct StableHasher(u64);

impl Default for StableHasher {
    fn default() -> Self {
        StableHasher(0xcbf2_9ce4_8422_2325)
    }
}

impl Hasher for StableHasher {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

/// None: not every system reports how many hard links a file has.
pub(crate) fn outside_hard_links(_: Vec<(&str, Metadata)>) -> Vec<&str> {
    Vec::new()
}

/// Opens the regular file or directory that a path leads to for reading.
pub(crate) fn open_file(path: &Path) -> io::Result<File> {
    // Opening a pipe would wait for its other end.
    let meta = fs::metadata(path)?;
    if !meta.is_file() && !meta.is_dir() {
        return Err(io::Error::other(RefusedPath("it is not a regular file")));
    }
    File::open(path)
}

/// As [`open_file`], but fails if the path is a link.
pub(crate) fn open_file_no_follow(path: &Path) -> io::Result<File> {
    refuse_link(path)?;
    open_file(path)
}

/// Reads once into the spare capacity of a buffer; returns how many bytes.
pub(crate) fn read_once(mut file: &File, bytes: &mut Vec<u8>) -> io::Result<usize> {
    let filled = bytes.len();
    bytes.resize(bytes.capacity(), 0);
    let read = file.read(&mut bytes[filled..]);
    bytes.truncate(filled + *read.as_ref().unwrap_or(&0));
    read
}

/// Sets the times of last access and modification to now.
pub(crate) fn mark_as_used(file: &File) {
    let now = SystemTime::now();
    let _ = file.set_times(FileTimes::new().set_accessed(now).set_modified(now));
}

/// Creates a temporary file, with the permissions that a new file has on this system.
pub(crate) fn create_temporary(
    builder: &tempfile::Builder<'_, '_>,
    dir: &Path,
    access: TemporaryAccess,
) -> io::Result<NamedTempFile> {
    if access == TemporaryAccess::Owner {
        return builder.tempfile_in(dir);
    }
    builder.make_in(dir, |path| {
        OpenOptions::new()
            .read(true)
            .write(true)
            .create_new(true)
            .open(path)
    })
}

/// Makes a link to a directory: a symbolic one, or where users may not make those a junction.
#[cfg(windows)]
pub(crate) fn make_link(path: &Path, target: &Path) -> io::Result<()> {
    std::os::windows::fs::symlink_dir(target, path).or_else(|error| {
        if error.kind() != ErrorKind::PermissionDenied && error.raw_os_error() != Some(1314) {
            return Err(error);
        }
        // The target of a junction is absolute.
        let parent = path.parent().unwrap_or(Path::new("."));
        junction::create(canonicalize(&parent.join(target))?, path)
    })
}

/// Makes a symbolic link.
#[cfg(not(windows))]
pub(crate) fn make_link(path: &Path, target: &Path) -> io::Result<()> {
    #[expect(deprecated, reason = "the only one that `std` has for every system")]
    fs::soft_link(target, path)
}

/// Whether a directory can be removed in which a removed file is still open: Windows keeps the name until it is closed.
pub(crate) const REMOVES_OPEN_FILES: bool = cfg!(not(windows));

/// Removes a file or a link.
pub(crate) fn remove_file(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if cfg!(windows) && error.kind() == ErrorKind::PermissionDenied => {
            remove_read_only_file(path).map_err(|_| error)
        }
        // On Windows a link to a directory is removed as a directory.
        Err(_) if fs::symlink_metadata(path).is_ok_and(|meta| meta.is_symlink()) => {
            fs::remove_dir(path)
        }
        removed => removed,
    }
}

/// Removes a file that is read-only, as git makes its objects: Windows refuses that.
fn remove_read_only_file(path: &Path) -> io::Result<()> {
    let mut permissions = refuse_link(path)?.permissions();
    if !permissions.readonly() {
        return Err(ErrorKind::PermissionDenied.into());
    }

    #[expect(
        clippy::permissions_set_readonly_false,
        reason = "the file is removed next"
    )]
    permissions.set_readonly(false);
    fs::set_permissions(path, permissions)?;
    fs::remove_file(path)
}

/// The path without links and dots, and on Windows without the prefix `\\?\` where nothing needs it.
pub(crate) fn canonicalize(path: &Path) -> io::Result<PathBuf> {
    dunce::canonicalize(path)
}

/// Syncs a file that is not open.
pub(crate) fn sync_closed_file(path: &Path) -> io::Result<()> {
    // Windows syncs only what may be written.
    OpenOptions::new().write(true).open(path)?.sync_all()
}

/// Does nothing: not every system can sync a directory.
#[expect(clippy::unnecessary_wraps, reason = "others sync it")]
pub(crate) fn sync_directory(_: &Path) -> io::Result<()> {
    Ok(())
}

/// Opens a lock file; fails if the path is no regular file.
pub(crate) fn open_lock_file(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    match refuse_link(path) {
        Ok(meta) if !meta.is_file() => {
            return Err(io::Error::other(RefusedPath("it is not a regular file")));
        }
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    options.open(path)
}

/// Opens a file in a directory that is locked for it, as not every system can lock a directory; `None` if it cannot be
/// created there. Its name is that of a staged file, so that one which a killed command has left is removed as those are.
pub(crate) fn open_directory_lock(path: &Path) -> io::Result<Option<DirectoryLockFile>> {
    // A missing one, or a file, fails with its reason.
    fs::read_dir(path)?;
    let lock = lock_in(path);
    match open_lock_file(lock_options().create(true), &lock) {
        Ok(file) => Ok(Some(DirectoryLockFile {
            file,
            path: Some(lock),
        })),
        Err(error)
            if matches!(
                error.kind(),
                ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem
            ) =>
        {
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

/// Opens what a command locks while it works on a staged file or directory; `None` if no one works on it.
pub(crate) fn open_staged_lock(path: &Path, missing: MissingLock) -> io::Result<Option<File>> {
    if !fs::symlink_metadata(path)?.is_dir() {
        return open_file_no_follow(path).map(Some);
    }
    let is_created = missing == MissingLock::Create;
    match open_lock_file(lock_options().create(is_created), &lock_in(path)) {
        Err(error) if error.kind() == ErrorKind::NotFound && !is_created => Ok(None),
        opened => opened.map(Some),
    }
}

fn lock_in(dir: &Path) -> PathBuf {
    dir.join(format!("{TEMPORARY_PREFIX}lock"))
}

fn lock_options() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.read(true).write(true).truncate(false);
    options
}

/// Whether an open file is what a path leads to.
///
/// # Errors
/// If the system fails to say what is there, as with too many open files; that nothing is there is no failure.
pub(crate) fn is_file_at(file: &File, path: &Path) -> io::Result<bool> {
    let open = Handle::from_file(file.try_clone()?)?;
    match Handle::from_path(path) {
        Ok(there) => Ok(open == there),
        Err(error) if is_absent(&error) => Ok(false),
        Err(error) => Err(error),
    }
}

/// Whether a file system does not support locks.
pub(crate) fn is_lock_unsupported(error: &io::Error) -> bool {
    error.kind() == ErrorKind::Unsupported
}
