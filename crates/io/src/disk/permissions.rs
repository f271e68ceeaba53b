//! Files that only their owner may read.

use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use crate::platform::{self, FileOwnership, TemporaryAccess};
use skillpm_core::error::{Error, ErrorContext, Result};

/// Largest file of secrets, in bytes.
const SIZE_MAX: u64 = 1 << 20;

/// Reads a text file with secrets; `None` if there is none.
///
/// # Errors
/// [`Network`](skillpm_core::error::FailureKind::Network), as for any credential that cannot be used, if others may read or write it,
/// or it is not a regular file; a disk error if it cannot be read.
pub fn read_private(path: &Path) -> Result<Option<String>> {
    let shown = path.display();
    // A pipe would block, so opening is non-blocking; the type is read from the open file, not from its name.
    let file = match platform::open_file(path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(_) if is_special(path) => return Err(not_regular(path)),
        Err(error) => return Err(error).context(|| format!("failed to read `{shown}`")),
    };

    check_private(path, &file)?;
    let mut text = String::new();
    file.take(SIZE_MAX)
        .read_to_string(&mut text)
        .map_err(|cause| match cause.kind() {
            ErrorKind::InvalidData => Error::usage(format!("invalid UTF-8 in `{shown}`")),
            _ => Error::disk(format!("failed to read `{shown}`")).cause(cause.to_string()),
        })?;
    Ok(Some(text))
}

/// Whether a path leads to what some systems cannot open without waiting.
fn is_special(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|meta| !meta.is_file())
}

fn not_regular(path: &Path) -> Error {
    Error::network(format!(
        "refusing to read `{}`: it is not a regular file",
        path.display()
    ))
    .help("remove it, and run `skillpm login` again")
}

fn check_private(path: &Path, file: &File) -> Result<()> {
    let shown = path.display();
    let meta = file
        .metadata()
        .context(|| format!("failed to read `{shown}`"))?;
    if !meta.is_file() {
        return Err(not_regular(path));
    }

    let owner = platform::file_ownership(&meta);
    if owner.others_access {
        return Err(Error::network(format!(
            "refusing to read `{shown}`: other users may read or write it"
        ))
        .note(format!("found mode {:04o}, expected 0600", owner.mode))
        .help(format!("chmod 600 '{shown}'"))
        .help("if other users have access to this machine, revoke the tokens in it and create new ones"));
    }
    Ok(())
}

/// Writes a file that only its owner may read, atomically as [`write_atomic`](super::write_atomic).
///
/// # Errors
/// If the directory cannot be made or the file not written.
pub fn write_private(path: &Path, bytes: &[u8]) -> Result<()> {
    let dir = path.parent().unwrap_or(Path::new("."));
    super::create_dir(dir)?;
    let write = || {
        super::persist(write_durable_beside(path, bytes)?, path)?;
        super::sync_dir(dir)
    };
    write().context(|| format!("failed to write `{}`", path.display()))
}

/// Writes and syncs a staged file beside `path`; its mode is 0600 from the start, whatever the umask.
fn write_durable_beside(path: &Path, bytes: &[u8]) -> std::io::Result<NamedTempFile> {
    let mut file = super::create_beside(path, TemporaryAccess::Owner)?;
    super::write_staged(&mut file, bytes)?;
    super::sync_file(file.as_file(), file.path())?;
    Ok(file)
}

/// Writes a file that only its owner may read, unless it exists; returns whether it was written.
///
/// # Errors
/// If the directory cannot be made or the file not written.
pub fn create_private(path: &Path, bytes: &[u8]) -> Result<bool> {
    let dir = path.parent().unwrap_or(Path::new("."));
    super::create_dir(dir)?;
    write_unless_exists(dir, path, bytes)
        .context(|| format!("failed to write `{}`", path.display()))
}

/// Writes a file in `dir`, unless there is one; returns whether it was written.
fn write_unless_exists(dir: &Path, path: &Path, bytes: &[u8]) -> std::io::Result<bool> {
    let file = write_durable_beside(path, bytes)?;
    super::failpoint(super::DiskOperation::Rename, path)?;
    match file.persist_noclobber(path) {
        Ok(_) => super::sync_dir(dir).map(|()| true),
        // Another process may have created it meanwhile; then its content stays.
        Err(error) if error.error.kind() == ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(error.error),
    }
}

/// Reads owner and permissions from metadata.
#[must_use]
pub fn file_ownership(meta: &std::fs::Metadata) -> FileOwnership {
    platform::file_ownership(meta)
}

/// Finds what is below a directory whose mode allows more than it should. `allowed` gets a path relative to it. Links, and
/// what cannot be read, are left out.
#[must_use]
pub fn find_wider_modes(
    root: &Path,
    allowed: &dyn Fn(&Path) -> u32,
) -> Vec<(PathBuf, FileOwnership)> {
    let mut found = Vec::new();
    let mut todo = vec![root.to_owned()];
    while let Some(dir) = todo.pop() {
        for name in super::list_names(&dir).unwrap_or_default() {
            let path = dir.join(name);
            let Some(meta) = super::lstat(&path).ok().flatten() else {
                continue;
            };
            if meta.is_symlink() {
                continue;
            }

            let owner = platform::file_ownership(&meta);
            let below = path.strip_prefix(root).unwrap_or(&path);
            if owner.mode & 0o077 & !allowed(below) != 0 {
                found.push((path.clone(), owner));
            }
            if meta.is_dir() {
                todo.push(path);
            }
        }
    }
    found.sort_unstable_by(|a, b| a.0.cmp(&b.0));
    found
}

/// Whether the current user may write a path, as far as the system says.
#[must_use]
pub fn is_writable(path: &Path) -> bool {
    platform::is_writable(path)
}

/// Removes the permissions of others: all of a file, writing of a directory.
///
/// # Errors
/// If it is a link, or the system refuses.
pub fn restrict_to_owner(path: &Path) -> Result<()> {
    change_mode(path, platform::block_other_users)
}

/// Removes the permission of others to write.
///
/// # Errors
/// As for [`restrict_to_owner`].
pub fn restrict_writing_to_owner(path: &Path) -> Result<()> {
    change_mode(path, platform::block_other_writers)
}

fn change_mode(
    path: &Path,
    change: fn(&Path, &std::fs::Metadata) -> std::io::Result<()>,
) -> Result<()> {
    let shown = path.display();
    let meta = super::lstat(path)?.filter(|meta| !meta.is_symlink());
    let meta = meta.ok_or_else(|| {
        Error::disk(format!(
            "failed to change permissions of `{shown}`: it is a link, or does not exist"
        ))
    })?;

    change(path, &meta).context(|| format!("failed to change permissions of `{shown}`"))
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};

    use super::*;
    use skillpm_core::error::FailureKind;

    #[test]
    fn a_secret_is_written_for_its_owner_alone_and_not_read_otherwise() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("home/credentials.toml");
        assert_eq!(read_private(&path).unwrap(), None);
        write_private(&path, b"one").unwrap();
        write_private(&path, b"two").unwrap();
        assert_eq!(fs::metadata(&path).unwrap().mode() & 0o777, 0o600);
        assert_eq!(read_private(&path).unwrap().unwrap(), "two");
        for mode in [0o640, 0o604, 0o620, 0o777] {
            if platform::IS_PORTABLE {
                // Permissions of others are not known.
                continue;
            }
            fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
            let error = read_private(&path).unwrap_err();
            assert_eq!(error.kind(), FailureKind::Network);
            assert!(error.helps()[0].starts_with("chmod 600 '"), "{error:?}");
        }
        assert!(read_private(dir.path()).is_err());
    }
}
