//! Atomically replaces a directory or file by another.

use std::path::Path;

use super::DirectoryHandles;
use skillpm_core::error::Result;

/// Moves `staged` to `place`, which must not exist.
///
/// # Errors
/// If `place` exists, or the system refuses.
pub fn move_into_place(staged: &Path, place: &Path) -> Result<()> {
    DirectoryHandles::new(Path::new("/"))
        .move_into_place(staged, place)?
        .require_moved(staged)
}

/// Exchanges `staged` and `place` atomically: `place` is the old one or the new one at every instant.
///
/// # Errors
/// If either is missing, or the system refuses.
pub fn exchange(staged: &Path, place: &Path) -> Result<()> {
    DirectoryHandles::new(Path::new("/"))
        .exchange(staged, place)?
        .require_moved(place)
}
