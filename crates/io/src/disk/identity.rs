//! Which file a path names, and on which mount it is.

use std::path::Path;

use crate::platform::{self, FileIdentity};
use skillpm_core::error::{ErrorContext as _, Result};

/// The identity of the file at `path`, links not followed; `None` if it does not exist.
///
/// # Errors
/// If the path cannot be accessed.
pub fn file_identity(path: &Path) -> Result<Option<FileIdentity>> {
    match platform::file_identity(path) {
        Ok(identity) => Ok(Some(identity)),
        Err(error) if super::is_absent(&error) => Ok(None),
        Err(error) => Err(error).context(|| format!("failed to stat `{}`", path.display())),
    }
}

/// Whether a rename from one directory to another can work. Where the system does not report mounts, a temporary file is
/// moved to find out.
#[must_use]
pub fn can_move_between(from: &Path, to: &Path) -> bool {
    platform::can_move_between(from, to)
}

/// Whether two directories are known to be in the same mount, which for a directory that is mounted a second time (such
/// as a volume of a container) is more than the same device. Changes nothing.
#[must_use]
pub fn is_same_mount(a: &Path, b: &Path) -> bool {
    platform::is_same_mount(a, b)
}
