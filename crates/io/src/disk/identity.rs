//! Which file a path names, and on which mount it is.

use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};

use skillpm_core::error::Result;

/// Identity of a file or directory, independent of its name: device and inode.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileIdentity(pub u64, pub u64);

/// The identity of the file at `path`, links not followed; `None` if it does not exist.
///
/// # Errors
/// If the path cannot be accessed.
pub fn file_identity(path: &Path) -> Result<Option<FileIdentity>> {
    use std::os::unix::fs::MetadataExt;
    Ok(super::lstat(path)?.map(|meta| FileIdentity(meta.dev(), meta.ino())))
}

/// Whether a rename between two directories can work: they are in the same mount, which for a directory that
/// is mounted a second time (such as a volume of a container) is more than the same device.
#[must_use]
pub fn is_same_mount(a: &Path, b: &Path) -> bool {
    match (mount_of(a), mount_of(b)) {
        (Some(a), Some(b)) => a == b,
        _ => false,
    }
}

#[cfg(target_os = "linux")]
fn mount_of(path: &Path) -> Option<(u64, u64)> {
    use rustix::fs::{AtFlags, CWD, StatxFlags, statx};
    use std::os::unix::fs::MetadataExt;
    let device = fs::metadata(path).ok()?.dev();

    // Kernels before 5.8 do not report the mount; then only the device is compared.
    let stat = statx(CWD, path, AtFlags::empty(), StatxFlags::MNT_ID).ok();
    let mount = stat
        .filter(|stat| stat.stx_mask & StatxFlags::MNT_ID.bits() != 0)
        .map_or(0, |stat| stat.stx_mnt_id);
    Some((device, mount))
}

#[cfg(not(target_os = "linux"))]
fn mount_of(path: &Path) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    Some((fs::metadata(path).ok()?.dev(), 0))
}
