//! What a cache's directory holds: how much, used when, and how entries leave it.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::{Act, TEMPORARY, create_temp_dir, lstat, moment, names, remove};
use crate::error::{Context, Result};

/// How the names of directories begin that hold what is on its way out.
const LEAVING: &str = ".gone-";
/// How the names of directories begin that hold what is on its way in.
pub const ARRIVING: &str = ".stage-";

/// How much lies below a path.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Extent {
    /// The lengths of all files, together.
    pub bytes: u64,
    /// How many files.
    pub files: u64,
    /// When one of them was changed last.
    pub newest: Option<SystemTime>,
}

/// Measures a file, or everything below a directory; links are not followed, and what goes away meanwhile is not counted.
///
/// # Errors
/// If a directory cannot be read.
pub fn measure(path: &Path) -> Result<Extent> {
    let mut extent = Extent::default();
    let mut todo = vec![path.to_owned()];
    while let Some(path) = todo.pop() {
        let Some(meta) = lstat(&path)? else { continue };
        if meta.is_dir() {
            todo.extend(names(&path)?.into_iter().map(|name| path.join(name)));
            continue;
        }
        extent.bytes += meta.len();
        extent.files += 1;
        extent.newest = extent.newest.max(meta.modified().ok());
    }
    Ok(extent)
}

/// Marks a file as used now. A disk that refuses is no reason to fail: all that is lost is when it was used.
pub fn touch(path: &Path) {
    if let Ok(file) = OpenOptions::new().write(true).open(path) {
        touch_open(&file);
    }
}

/// The same for a file that is open.
pub fn touch_open(file: &fs::File) {
    use rustix::fs::{Timespec, Timestamps, UTIME_NOW, futimens};
    let now = Timespec { tv_sec: 0, tv_nsec: UTIME_NOW };
    let _ = futimens(file, &Timestamps { last_access: now, last_modification: now });
}

/// Takes away entries of a cache. A kill leaves each of them whole or gone: they are moved into a directory beside them
/// before the first byte is removed, and [`clear_up`] removes what was left of that.
///
/// # Errors
/// If the disk refuses.
pub fn take_away(root: &Path, entries: &[PathBuf]) -> Result<()> {
    if entries.is_empty() {
        return Ok(());
    }
    let (leaving, _sign) = signed_dir(root, LEAVING)?;
    for (number, entry) in entries.iter().enumerate() {
        if lstat(entry)?.is_some() {
            let gone = leaving.join(number.to_string());
            let moved = moment(Act::Rename, &gone).and_then(|()| fs::rename(entry, &gone));
            match moved {
                // A lower layer of an overlay gives no directory away; without its mark, what is left counts for nothing.
                Err(error) if error.kind() == std::io::ErrorKind::CrossesDevices => remove(entry)?,
                moved => moved.context(|| format!("could not take away `{}`", entry.display()))?,
            }
        }
    }
    remove(&leaving)
}

/// What killed commands left in a cache's directory. Only who is alone in it may take that away.
///
/// # Errors
/// If the directory cannot be read.
pub fn left_over(root: &Path) -> Result<Vec<PathBuf>> {
    let is_left =
        |name: &String| name.starts_with(LEAVING) || name.starts_with(ARRIVING) || name.starts_with(TEMPORARY);
    Ok(names(root)?.into_iter().filter(is_left).map(|name| root.join(name)).collect())
}

/// Whether a path is of something that was on its way out: all of it is rubbish.
#[must_use]
pub fn is_leaving(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(LEAVING))
}

/// Removes it.
///
/// # Errors
/// If the disk refuses.
pub fn clear_up(root: &Path) -> Result<()> {
    for path in left_over(root)? {
        // Somebody who takes away without being alone has it in hand.
        let is_in_hand = File::open(&path).is_ok_and(|left| matches!(left.try_lock(), Err(TryLockError::WouldBlock)));
        if !is_in_hand {
            remove(&path)?;
        }
    }
    Ok(())
}

/// Holds what is on its way, as a sign that somebody is at it; says whether it is still there.
pub(super) fn sign(file: &File, path: &Path) -> bool {
    // Where locks are not known, nobody clears anything away.
    let _ = file.lock();
    path.symlink_metadata().is_ok()
}

/// Makes a directory of one's own in `root`, and holds it.
fn signed_dir(root: &Path, prefix: &str) -> Result<(PathBuf, File)> {
    loop {
        let dir = create_temp_dir(root, prefix)?;
        match File::open(&dir) {
            Ok(open) if sign(&open, &dir) => return Ok((dir, open)),
            // Taken for a dead one's in its first moment.
            Ok(_) => {}
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            Err(error) => return Err(error).context(|| format!("could not open `{}`", dir.display())),
        }
    }
}

/// Removes what killed commands left in a directory under names that begin so, while others may be at work there.
/// Nobody's correctness hangs on it, so a failure is passed over.
pub fn clear_dead(dir: &Path, prefix: &str) {
    for name in names(dir).unwrap_or_default().iter().filter(|name| name.starts_with(prefix)) {
        let path = dir.join(name);
        let Ok(left) = File::open(&path) else { continue };
        if left.try_lock().is_ok() {
            let _ = remove(&path);
        }
    }
}

/// A directory of one's own in a cache, with names for what is on its way in.
#[derive(Debug)]
pub struct Slots {
    dir: PathBuf,
    used: usize,
    _sign: File,
}

impl Slots {
    /// Makes one in `root`, and clears away those of killed commands.
    ///
    /// # Errors
    /// If it cannot be made.
    pub fn new(root: &Path) -> Result<Slots> {
        clear_dead(root, ARRIVING);
        let (dir, sign) = signed_dir(root, ARRIVING)?;
        Ok(Slots { dir, used: 0, _sign: sign })
    }

    /// A name that nothing has.
    pub fn free(&mut self) -> PathBuf {
        self.used += 1;
        self.dir.join((self.used - 1).to_string())
    }
}

impl Drop for Slots {
    fn drop(&mut self) {
        // A failure leaves litter, which the next command clears away.
        let _ = remove(&self.dir);
    }
}

/// Bytes that are still free for this person on the file system of a path that is there.
///
/// # Errors
/// If the system refuses to say.
pub fn free_space(path: &Path) -> Result<u64> {
    let told = rustix::fs::statvfs(path).map_err(std::io::Error::from);
    let told = told.context(|| format!("could not ask for the free space of `{}`", path.display()))?;
    Ok(told.f_bavail.saturating_mul(told.f_frsize))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_below_is_measured_and_links_are_not_followed() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir_all(dir.path().join("a/b")).unwrap();
        fs::write(dir.path().join("a/b/c"), "12345").unwrap();
        fs::write(dir.path().join("a/d"), "1").unwrap();
        let before = measure(dir.path()).unwrap();
        assert_eq!((before.bytes, before.files), (6, 2));
        std::os::unix::fs::symlink(dir.path(), dir.path().join("a/loop")).unwrap();
        assert_eq!(measure(&dir.path().join("a")).unwrap().files, 3);
        assert_eq!(measure(&dir.path().join("none")).unwrap(), Extent::default());
    }

    #[test]
    fn entries_leave_and_what_a_kill_left_is_cleared_up() {
        let dir = tempfile::tempdir().unwrap();
        for name in ["one", "two"] {
            fs::create_dir(dir.path().join(name)).unwrap();
            fs::write(dir.path().join(name).join("x"), "x").unwrap();
        }
        take_away(dir.path(), &[dir.path().join("one"), dir.path().join("none")]).unwrap();
        assert_eq!(names(dir.path()).unwrap(), ["two"]);
        for left in [".gone-a", ".stage-b", ".skillpm-stage-c"] {
            fs::create_dir(dir.path().join(left)).unwrap();
        }
        assert_eq!(left_over(dir.path()).unwrap().len(), 3);
        clear_up(dir.path()).unwrap();
        assert_eq!(names(dir.path()).unwrap(), ["two"]);
    }

    #[test]
    fn what_the_dead_left_goes_and_what_somebody_is_at_stays() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir_all(dir.path().join(".stage-dead/tree")).unwrap();
        fs::write(dir.path().join(".stage-file"), "half").unwrap();
        fs::write(dir.path().join("kept"), "whole").unwrap();
        let mut alive = Slots::new(dir.path()).unwrap();
        let slot = alive.free();
        fs::write(&slot, "on its way").unwrap();
        assert_eq!(names(dir.path()).unwrap().len(), 2);
        let other = Slots::new(dir.path()).unwrap();
        assert!(slot.exists());
        drop((alive, other));
        assert_eq!(names(dir.path()).unwrap(), ["kept"]);
    }

    #[test]
    fn a_touched_file_is_used_now() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("mark");
        fs::write(&path, "").unwrap();
        let long_ago = SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000_000);
        super::super::set_modified(&path, long_ago).unwrap();
        touch(&path);
        assert!(fs::metadata(&path).unwrap().modified().unwrap() > long_ago);
        touch(&dir.path().join("none"));
    }
}
