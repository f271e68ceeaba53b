//! Modes and owners.

use std::ffi::OsStr;
use std::fs::{self, File, Metadata, Permissions};
use std::io;
use std::os::fd::AsFd;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::Path;
use std::sync::OnceLock;

use rustix::fs::{AtFlags, FileType, Gid, Mode, OFlags, Uid, chownat, fstat, openat, statat};

use crate::platform::{FileOwnership, FileStat};
use skillpm_core::package::Tree;

/// Which files below a directory are executable: those whose mode says so.
#[derive(Debug)]
pub(crate) struct ExecutableFiles;

impl ExecutableFiles {
    /// Reads what is recorded for a directory beside the modes: nothing.
    #[expect(clippy::unnecessary_wraps, reason = "others read a file")]
    pub(crate) fn read(_: &Path) -> io::Result<ExecutableFiles> {
        Ok(ExecutableFiles)
    }

    /// Whether the file at a relative path is executable. `is_script` reads whether it begins with `#!`.
    #[expect(clippy::unused_self, reason = "others look it up")]
    pub(crate) fn contains(&self, _: &str, stat: &FileStat, _: impl FnOnce() -> bool) -> bool {
        stat.executable
    }

    /// The record for a package of what modes cannot say: there is none.
    pub(crate) fn render_record(_: &Tree) -> Option<String> {
        None
    }
}

/// Whether a file is executable that no record is about.
pub(crate) fn is_executable(stat: &FileStat, _: impl FnOnce() -> bool) -> bool {
    stat.executable
}

/// Makes a file executable for everyone who may read it.
pub(crate) fn make_executable(path: &Path) -> io::Result<()> {
    let mode = fs::metadata(path)?.permissions().mode();
    fs::set_permissions(path, Permissions::from_mode(mode | (mode & 0o444) >> 2))
}

/// Gives a temporary file (0600) the mode an ordinary new file would have.
pub(crate) fn set_default_mode(path: &Path) -> io::Result<()> {
    fs::set_permissions(path, Permissions::from_mode(0o666 & !umask()))
}

/// Gives a temporary file the owner and mode of the file that it replaces, or those of a new one.
pub(crate) fn set_mode_like(
    file: &File,
    path: &Path,
    like: Option<&Metadata>,
    executable: bool,
) -> io::Result<()> {
    let mode = like.map_or(0o666 & !umask(), |meta| meta.mode() & 0o7777);

    if let Some(meta) = like {
        let own = file.metadata()?;
        if (own.uid(), own.gid()) != (meta.uid(), meta.gid()) {
            // Without the right to change the owner, the file gets ours: better than not to write at all.
            let _ = std::os::unix::fs::chown(path, Some(meta.uid()), Some(meta.gid()));
        }
    }

    let run = if executable { (mode & 0o444) >> 2 } else { 0 };
    file.set_permissions(Permissions::from_mode(mode | run))
}

/// Whether a file is read-only for everyone.
pub(crate) fn is_read_only(meta: &Metadata) -> bool {
    meta.mode() & 0o222 == 0
}

/// Reads owner and permissions from metadata.
pub(crate) fn file_ownership(meta: &Metadata) -> FileOwnership {
    let mode = meta.mode() & 0o777;
    FileOwnership {
        is_ours: meta.uid() == rustix::process::geteuid().as_raw(),
        user: meta.uid(),
        others_write: mode & 0o022 != 0,
        others_access: mode & 0o077 != 0,
        mode,
    }
}

/// Gives what root has just created in a directory of another user to that user, who could otherwise not go on with it. `dir`
/// is the open directory. A failure does not matter: root can go on.
pub(super) fn give_to_owner_of(dir: impl AsFd, name: &OsStr) {
    if is_root() {
        let _ = try_give_to_owner_of(dir, name);
    }
}

fn try_give_to_owner_of(dir: impl AsFd, name: &OsStr) -> io::Result<()> {
    let above = fstat(&dir)?;
    if above.st_uid == 0 {
        return Ok(());
    }

    // The owner of the directory may have put something else there: only what is root's, and has no other name.
    #[cfg(target_os = "linux")]
    let (entry, name, flags) = {
        let entry = openat(
            &dir,
            name,
            OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC,
            Mode::empty(),
        )?;
        (entry, "", AtFlags::EMPTY_PATH)
    };
    #[cfg(not(target_os = "linux"))]
    let (entry, flags) = (dir, AtFlags::SYMLINK_NOFOLLOW);

    let stat = statat(&entry, name, flags)?;
    let is_directory = FileType::from_raw_mode(stat.st_mode) == FileType::Directory;
    if stat.st_uid != 0 || !is_directory && stat.st_nlink != 1 {
        return Ok(());
    }
    let (user, group) = (Uid::from_raw(above.st_uid), Gid::from_raw(above.st_gid));
    Ok(chownat(&entry, name, Some(user), Some(group), flags)?)
}

/// As [`give_to_owner_of`], by path.
pub(crate) fn give_to_owner_above(path: &Path) {
    if is_root()
        && let (Some(dir), Some(name)) = (path.parent(), path.file_name())
        && let Ok(open) = File::open(if dir.as_os_str().is_empty() {
            Path::new(".")
        } else {
            dir
        })
    {
        give_to_owner_of(open, name);
    }
}

/// Whether this process may do everything.
pub(crate) fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// Whether the current user may write a path, according to `access(2)`.
pub(crate) fn is_writable(path: &Path) -> bool {
    rustix::fs::access(path, rustix::fs::Access::WRITE_OK).is_ok()
}

/// Removes the permissions of others: all of a file, writing of a directory.
pub(crate) fn block_other_users(path: &Path, meta: &Metadata) -> io::Result<()> {
    // A directory stays readable: only writing is taken from others.
    let mode = meta.mode() & if meta.is_dir() { 0o7755 } else { 0o600 };
    fs::set_permissions(path, Permissions::from_mode(mode))
}

/// Removes the permission of others to write.
pub(crate) fn block_other_writers(path: &Path, meta: &Metadata) -> io::Result<()> {
    fs::set_permissions(path, Permissions::from_mode(meta.mode() & 0o7755))
}

/// The umask of the process.
fn umask() -> u32 {
    // Reading the umask requires setting it; the second call restores it. Runs once, and no other code sets it.
    static UMASK: OnceLock<u32> = OnceLock::new();
    *UMASK.get_or_init(|| {
        let mask = rustix::process::umask(Mode::from_raw_mode(0o022));
        rustix::process::umask(mask);
        mode_bits(mask.as_raw_mode())
    })
}

/// A mode in 32 bits, which macOS has in 16.
fn mode_bits(mode: impl Into<u32>) -> u32 {
    mode.into()
}
