//! File systems and mounts.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

/// Whether an entry of one directory can be moved into another: both are of the same mounted file system.
pub(crate) use self::is_same_mount as can_move_between;

/// Whether a rename between two directories can work: they are in the same mount, which for a directory that
/// is mounted a second time (such as a volume of a container) is more than the same device.
pub(crate) fn is_same_mount(a: &Path, b: &Path) -> bool {
    match (mount_of(a), mount_of(b)) {
        (Some(a), Some(b)) => a == b,
        _ => false,
    }
}

#[cfg(target_os = "linux")]
fn mount_of(path: &Path) -> Option<(u64, u64)> {
    use rustix::fs::{AtFlags, CWD, StatxFlags, statx};
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
    Some((fs::metadata(path).ok()?.dev(), 0))
}

/// Free bytes for this user on the file system of an existing path; `None` if the system does not report them.
pub(crate) fn free_space(path: &Path) -> io::Result<Option<u64>> {
    let stat = rustix::fs::statvfs(path)?;
    Ok(Some(stat.f_bavail.saturating_mul(stat.f_frsize)))
}

/// Whether an existing path is on a file system where changes by other machines cause no events.
#[cfg(target_os = "linux")]
pub(crate) fn is_remote(path: &Path) -> bool {
    /// NFS, SMB and its successors, 9P, Plan 9 over virtio, FUSE, `VirtualBox`, AFS, Ceph.
    const KINDS: [i64; 9] = [
        0x6969,
        0x517b,
        0xff53_4d42,
        0xfe53_4d42,
        0x0102_1997,
        0x6573_5546,
        0x786f_4256,
        0x5346_414f,
        0x00c3_6400,
    ];

    let kind = rustix::fs::statfs(path).ok().map(|stat| stat.f_type);
    #[expect(
        clippy::useless_conversion,
        reason = "other architectures have other widths"
    )]
    kind.is_some_and(|kind| KINDS.contains(&(i64::from(kind) & 0xffff_ffff)))
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn is_remote(_: &Path) -> bool {
    false
}

/// Whether [`sync_file_system`] works.
pub(crate) const HAS_FILE_SYSTEM_SYNC: bool = cfg!(target_os = "linux");

/// Syncs the whole file system of a path.
pub(crate) fn sync_file_system(path: &Path) -> io::Result<()> {
    sync_file_system_of(&fs::File::open(path)?)
}

/// As [`sync_file_system`], for an open file or directory.
#[cfg(target_os = "linux")]
pub(super) fn sync_file_system_of(file: &fs::File) -> io::Result<()> {
    Ok(rustix::fs::syncfs(file)?)
}

#[cfg(not(target_os = "linux"))]
pub(super) fn sync_file_system_of(_: &fs::File) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Whether syncing the file system of an open file makes durable all that syncing each file and directory would: of the ones
/// in memory, and of those with a journal or the like. FUSE does not pass it on to its server.
#[cfg(target_os = "linux")]
pub(super) fn has_reliable_sync(file: &fs::File) -> bool {
    /// ext4, XFS, Btrfs, F2FS, ZFS, bcachefs, tmpfs, overlay.
    const KINDS: [i64; 8] = [
        0xef53,
        0x5846_5342,
        0x9123_683e,
        0xf2f5_2010,
        0x2fc1_2fc1,
        0xca45_1a4e,
        0x0102_1994,
        0x794c_7630,
    ];

    let kind = rustix::fs::fstatfs(file).ok().map(|stat| stat.f_type);
    #[expect(
        clippy::useless_conversion,
        reason = "other architectures have other widths"
    )]
    kind.is_some_and(|kind| KINDS.contains(&(i64::from(kind) & 0xffff_ffff)))
}

#[cfg(not(target_os = "linux"))]
pub(super) fn has_reliable_sync(_: &fs::File) -> bool {
    false
}
