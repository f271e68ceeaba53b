//! Putting a finished directory or file in place of another, in one step that a reader cannot see the middle of.

use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::Handles;
use crate::error::Result;

/// Which file or directory this is, whatever its name: device and inode.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Identity(pub u64, pub u64);

/// The identity of what stands at `path`, links not followed; `None` if nothing does.
///
/// # Errors
/// If the system refuses to say.
pub fn identity(path: &Path) -> Result<Option<Identity>> {
    use std::os::unix::fs::MetadataExt;
    Ok(super::lstat(path)?.map(|meta| Identity(meta.dev(), meta.ino())))
}

/// Whether a rename can lead from one directory to the other: they lie in the same mount, which for a directory that is
/// mounted a second time (a container's volume, say) is more than lying on the same device.
#[must_use]
pub fn same_mount(a: &Path, b: &Path) -> bool {
    match (mount(a), mount(b)) {
        (Some(a), Some(b)) => a == b,
        _ => false,
    }
}

#[cfg(target_os = "linux")]
fn mount(path: &Path) -> Option<(u64, u64)> {
    use rustix::fs::{AtFlags, CWD, StatxFlags, statx};
    use std::os::unix::fs::MetadataExt;
    let device = fs::metadata(path).ok()?.dev();
    // Kernels before 5.8 do not tell the mount; then the device has to do.
    let told = statx(CWD, path, AtFlags::empty(), StatxFlags::MNT_ID).ok();
    let mount = told.filter(|told| told.stx_mask & StatxFlags::MNT_ID.bits() != 0).map_or(0, |told| told.stx_mnt_id);
    Some((device, mount))
}

#[cfg(not(target_os = "linux"))]
fn mount(path: &Path) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    Some((fs::metadata(path).ok()?.dev(), 0))
}

/// Moves `staged` to `place`, where nothing may stand.
///
/// # Errors
/// If something stands there, or the system refuses.
pub fn move_into_place(staged: &Path, place: &Path) -> Result<()> {
    Handles::around(Path::new("/")).move_into_place(staged, place)?.done(staged)
}

/// Exchanges `staged` and `place`, so that `place` is the old one or the new one at every instant.
///
/// # Errors
/// If either is missing, or the system refuses.
pub fn exchange(staged: &Path, place: &Path) -> Result<()> {
    Handles::around(Path::new("/")).exchange(staged, place)?.done(place)
}
