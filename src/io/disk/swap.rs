//! Putting a finished directory or file in place of another, in one step that a reader cannot see the middle of.

use std::fs;
use std::path::Path;

use rustix::fs::{CWD, RenameFlags, renameat_with};
use rustix::io::Errno;
use serde::{Deserialize, Serialize};

use crate::error::{Context, Error, Result};

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
    use rustix::fs::{AtFlags, StatxFlags, statx};
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
    match renameat_with(CWD, staged, CWD, place, RenameFlags::NOREPLACE) {
        Ok(()) => Ok(()),
        Err(Errno::EXIST) => Err(Error::negative(format!("`{}` is there already", place.display()))),
        // A file system without that flag: look, then rename.
        Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) if super::lstat(place)?.is_none() => {
            super::rename(staged, place)
        }
        Err(errno) => Err(std::io::Error::from(errno)).context(|| format!("could not write `{}`", place.display())),
    }
}

/// Exchanges `staged` and `place`, so that `place` is the old one or the new one at every instant.
///
/// # Errors
/// If either is missing, or the system refuses.
pub fn exchange(staged: &Path, place: &Path) -> Result<()> {
    match renameat_with(CWD, staged, CWD, place, RenameFlags::EXCHANGE) {
        Ok(()) => Ok(()),
        Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => exchange_by_moves(staged, place),
        Err(errno) => Err(std::io::Error::from(errno)).context(|| format!("could not replace `{}`", place.display())),
    }
}

/// The same on file systems without an exchange: there is an instant at which `place` is not there.
fn exchange_by_moves(staged: &Path, place: &Path) -> Result<()> {
    let aside = staged.with_extension("aside");
    super::rename(place, &aside)?;
    if let Err(error) = super::rename(staged, place) {
        super::rename(&aside, place)?;
        return Err(error);
    }
    fs::rename(&aside, staged).context(|| format!("could not move `{}` aside", place.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_exchange_swaps_and_identities_travel_along() {
        let dir = tempfile::tempdir().unwrap();
        let (a, b) = (dir.path().join("a"), dir.path().join("b"));
        fs::create_dir(&a).unwrap();
        fs::create_dir(&b).unwrap();
        let before = (identity(&a).unwrap(), identity(&b).unwrap());
        exchange(&a, &b).unwrap();
        assert_eq!((identity(&b).unwrap(), identity(&a).unwrap()), before);
        exchange_by_moves(&a, &b).unwrap();
        assert_eq!((identity(&a).unwrap(), identity(&b).unwrap()), before);
    }

    #[test]
    fn moving_into_place_never_replaces() {
        let dir = tempfile::tempdir().unwrap();
        let (a, b) = (dir.path().join("a"), dir.path().join("b"));
        fs::create_dir(&a).unwrap();
        fs::create_dir(&b).unwrap();
        assert!(move_into_place(&a, &b).is_err());
        move_into_place(&a, &dir.path().join("c")).unwrap();
    }
}
