//! Drives and shares, by the beginnings of paths.

use std::ffi::OsString;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Component, Path, Prefix};

use super::files::canonicalize;
use crate::disk::TEMPORARY_PREFIX;

/// Whether a rename between two directories may work: they are on the same drive or share. A volume that is mounted in a
/// directory is not recognized.
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

/// Whether a rename from one directory to another works: a file is moved there, and removed. A failure that is not about
/// volumes is left to what follows, which reports it.
pub(crate) fn can_move_between(from: &Path, to: &Path) -> bool {
    if !is_same_mount(from, to) {
        return false;
    }
    let mut builder = tempfile::Builder::new();
    let Ok(probe) = builder.prefix(TEMPORARY_PREFIX).tempfile_in(from) else {
        return true;
    };

    let moved = to.join(probe.path().file_name().unwrap_or_default());
    match fs::rename(probe.path(), &moved) {
        Ok(()) => {
            // Left there, it would be removed as the file of a killed command.
            let _ = fs::remove_file(&moved);
            true
        }
        Err(error) => error.kind() != ErrorKind::CrossesDevices,
    }
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
