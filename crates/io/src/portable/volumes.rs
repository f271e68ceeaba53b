//! Drives and shares, by the beginnings of paths.

use std::ffi::OsString;
use std::io;
use std::path::{Component, Path, Prefix};

use super::files::canonicalize;

/// Whether a rename between two directories may work: they are on the same drive or share. A volume that is mounted in a
/// directory is not recognized; a rename to it fails as one between two drives does.
pub(crate) fn is_same_mount(a: &Path, b: &Path) -> bool {
    let volume = |path: &Path| {
        let path = canonicalize(path).ok()?;
        match path.components().next() {
            Some(Component::Prefix(prefix)) => Some(prefix.as_os_str().to_owned()),
            _ => Some(OsString::new()),
        }
    };
    matches!((volume(a), volume(b)), (Some(a), Some(b)) if a == b)
}

/// Not known: `std` does not report it.
#[expect(clippy::unnecessary_wraps, reason = "others ask the system")]
pub(crate) fn free_space(_: &Path) -> io::Result<Option<u64>> {
    Ok(None)
}

/// Whether an existing path is on a share of another machine, whose changes cause no events.
pub(crate) fn is_remote(path: &Path) -> bool {
    matches!(
        path.components().next(),
        Some(Component::Prefix(prefix))
            if matches!(prefix.kind(), Prefix::UNC(..) | Prefix::VerbatimUNC(..))
    )
}

/// Whether [`sync_file_system`] works.
pub(crate) const HAS_FILE_SYSTEM_SYNC: bool = false;

/// Fails: files are synced one by one.
pub(crate) fn sync_file_system(_: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}
