//! Files that only their owner may read.

use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Read};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;

use tempfile::NamedTempFile;

use crate::error::{Context, Error, Result};

/// Largest file of secrets, in bytes.
const SIZE_MAX: u64 = 1 << 20;

/// Reads a text file that holds secrets; `None` if there is none.
///
/// # Errors
/// [`Network`](crate::error::Kind::Network), as for any credential that cannot be used, if others may read or write it,
/// or it is no plain file; else if it cannot be read.
pub fn read_private(path: &Path) -> Result<Option<String>> {
    let shown = path.display();
    // A pipe would hang, so nothing is waited for; what it is comes from the open file, and not from its name.
    let file = match OpenOptions::new().read(true).custom_flags(NONBLOCK).open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error).context(|| format!("could not read `{shown}`")),
    };
    check(path, &file)?;
    let mut text = String::new();
    file.take(SIZE_MAX).read_to_string(&mut text).map_err(|cause| match cause.kind() {
        ErrorKind::InvalidData => Error::usage(format!("`{shown}` is not UTF-8 text")),
        _ => Error::disk(format!("could not read `{shown}`")).cause(cause.to_string()),
    })?;
    Ok(Some(text))
}

/// `O_NONBLOCK`.
const NONBLOCK: i32 = rustix::fs::OFlags::NONBLOCK.bits().cast_signed();

fn check(path: &Path, file: &File) -> Result<()> {
    let shown = path.display();
    let meta = file.metadata().context(|| format!("could not read `{shown}`"))?;
    if !meta.is_file() {
        return Err(Error::network(format!("`{shown}` is no file")).help("remove it, and log in again"));
    }
    let mode = meta.mode() & 0o777;
    if mode & 0o077 != 0 {
        return Err(Error::network(format!("`{shown}` was not read, since others may read or write it"))
            .note(format!("its mode is {mode:04o}; 0600 was expected"))
            .help(format!("chmod 600 '{shown}'"))
            .help("if others use this machine, take its tokens for lost, and make new ones"));
    }
    Ok(())
}

/// Writes a file that only its owner may read, as whole as [`write_atomic`](super::write_atomic) does.
///
/// # Errors
/// If the directory cannot be made or the file not written.
pub fn write_private(path: &Path, bytes: &[u8]) -> Result<()> {
    let dir = path.parent().unwrap_or(Path::new("."));
    super::create_dir(dir)?;
    let write = || {
        super::persist(durable_beside(path, bytes)?, path)?;
        super::sync_dir(dir)
    };
    write().context(|| format!("could not write `{}`", path.display()))
}

/// A file beside `path` that has these bytes for good; it is 0600 from its first moment, whatever the umask.
fn durable_beside(path: &Path, bytes: &[u8]) -> std::io::Result<NamedTempFile> {
    let mut file = super::new_beside(path)?;
    super::fill(&mut file, bytes)?;
    super::sync_file(file.as_file(), file.path())?;
    Ok(file)
}

/// Writes a file that only its owner may read, unless one is there; says whether it was written.
///
/// # Errors
/// If the directory cannot be made or the file not written.
pub fn create_private(path: &Path, bytes: &[u8]) -> Result<bool> {
    let dir = path.parent().unwrap_or(Path::new("."));
    super::create_dir(dir)?;
    let write = || {
        let file = durable_beside(path, bytes)?;
        super::moment(super::Act::Rename, path)?;
        match file.persist_noclobber(path) {
            Ok(_) => super::sync_dir(dir).map(|()| true),
            Err(error) if error.error.kind() == ErrorKind::AlreadyExists => Ok(false),
            Err(error) => Err(error.error),
        }
    };
    write().context(|| format!("could not write `{}`", path.display()))
}

/// Whose something is, and who may do what with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ownership {
    /// Whether it belongs to who runs this.
    pub is_ours: bool,
    /// The number of the user that it belongs to.
    pub user: u32,
    /// Whether others than its owner may write it.
    pub others_write: bool,
    /// Whether others than its owner may do anything with it.
    pub others_may: bool,
    /// Its permissions.
    pub mode: u32,
}

impl Ownership {
    /// Whether it belongs to the user who became root by `sudo`, whom `SUDO_UID` names: to git, root owns that, too.
    #[must_use]
    pub fn is_of_sudo_user(&self, sudo_user: Option<u32>) -> bool {
        rustix::process::geteuid().is_root() && sudo_user == Some(self.user)
    }
}

/// Whose something is.
#[must_use]
pub fn ownership(meta: &std::fs::Metadata) -> Ownership {
    let mode = meta.mode() & 0o777;
    Ownership {
        is_ours: meta.uid() == rustix::process::geteuid().as_raw(),
        user: meta.uid(),
        others_write: mode & 0o022 != 0,
        others_may: mode & 0o077 != 0,
        mode,
    }
}

/// Whether who runs this may write something, as far as the system tells.
#[must_use]
pub fn may_write(path: &Path) -> bool {
    rustix::fs::access(path, rustix::fs::Access::WRITE_OK).is_ok()
}

/// Takes from others what they may do: all with a file, writing with a directory.
///
/// # Errors
/// If it is a link, or the system refuses.
pub fn close_to_others(path: &Path) -> Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    let shown = path.display();
    let meta = super::lstat(path)?.filter(|meta| !meta.is_symlink());
    let meta = meta.ok_or_else(|| Error::disk(format!("`{shown}` is a link, or not there")))?;
    let mode = meta.mode() & if meta.is_dir() { 0o7755 } else { 0o600 };
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode))
        .context(|| format!("could not change who may use `{shown}`"))
}

#[cfg(test)]
mod tests {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::PermissionsExt;

    use super::*;
    use crate::error::Kind;

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
            fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
            let error = read_private(&path).unwrap_err();
            assert_eq!(error.kind(), Kind::Network);
            assert!(error.helps()[0].starts_with("chmod 600 '"), "{error:?}");
        }
        assert!(read_private(dir.path()).is_err());
    }
}
