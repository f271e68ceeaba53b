//! A directory that this process must not change, though the system would allow it: that of another user, for root.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use crate::platform;
use skillpm_core::error::{ErrorContext as _, RefusedChange, Result};

static PROTECTED: OnceLock<ProtectedDirectory> = OnceLock::new();

struct ProtectedDirectory {
    /// Its path as the user knows it, and without links.
    paths: [PathBuf; 2],
    why: RefusedChange,
}

/// From now on refuses each change of a directory, and of what is in it. The first call counts.
pub fn protect_directory(dir: &Path, why: RefusedChange) {
    let _ = PROTECTED.set(ProtectedDirectory {
        paths: [dir.to_owned(), super::real_path(dir)],
        why,
    });
}

/// Fails if a path is in a protected directory.
///
/// # Errors
/// [`PermissionDenied`](io::ErrorKind::PermissionDenied), with the reason.
pub(crate) fn check_change(path: &Path) -> io::Result<()> {
    match PROTECTED.get() {
        Some(protected) if protected.paths.iter().any(|dir| path.starts_with(dir)) => Err(
            io::Error::new(io::ErrorKind::PermissionDenied, protected.why.clone()),
        ),
        _ => Ok(()),
    }
}

/// Fails if a directory is protected, before a command begins what it could not finish.
///
/// # Errors
/// With the reason, and what to do about it.
pub fn refuse_protected(dir: &Path) -> Result<()> {
    check_change(dir).context(|| format!("refusing to write to `{}`", dir.display()))
}

/// Whether this process is root.
#[must_use]
pub fn runs_as_root() -> bool {
    platform::is_root()
}
