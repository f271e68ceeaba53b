//! Maintenance of cache directories: disk usage, last use, removal of entries, leftovers of killed commands.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::{
    DiskOperation, TEMPORARY_PREFIX, create_temp_dir, failpoint, list_names, lstat, remove,
};
use crate::platform::{self, MissingLock};
use skillpm_core::error::{ErrorContext, Result};

/// Name prefix of directories with entries that are being removed.
const REMOVAL_PREFIX: &str = ".gone-";
/// Name prefix of directories with entries that are being written.
pub const STAGING_PREFIX: &str = ".stage-";

/// The size and age of the files below a path.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DiskUsage {
    /// The total size of all files, in bytes.
    pub bytes: u64,
    /// The number of files.
    pub files: u64,
    /// The newest modification time; `None` without files.
    pub newest: Option<SystemTime>,
}

/// Measures a file, or everything below a directory; links are not followed, and files that are removed
/// meanwhile are not counted.
///
/// # Errors
/// If a directory cannot be read.
pub fn measure_usage(path: &Path) -> Result<DiskUsage> {
    let mut extent = DiskUsage::default();
    let mut todo = vec![path.to_owned()];

    while let Some(path) = todo.pop() {
        // It may have been removed since its directory was read.
        let Some(meta) = lstat(&path)? else { continue };
        if meta.is_dir() {
            todo.extend(list_names(&path)?.into_iter().map(|name| path.join(name)));
            continue;
        }
        extent.bytes += meta.len();
        extent.files += 1;
        extent.newest = extent.newest.max(meta.modified().ok());
    }
    Ok(extent)
}

/// Marks a file as used now. Errors are ignored: only the time of the last use is lost.
pub fn touch(path: &Path) {
    if let Ok(file) = OpenOptions::new().write(true).open(path) {
        touch_open(&file);
    }
}

/// As [`touch`], for an open file.
pub fn touch_open(file: &fs::File) {
    platform::mark_as_used(file);
}

/// Removes entries of a cache. If the process is killed, each is whole or gone: entries are renamed into a
/// directory beside them before the first byte is removed, and [`remove_leftovers`] removes that directory.
///
/// # Errors
/// If the disk refuses.
pub fn remove_entries(root: &Path, entries: &[PathBuf]) -> Result<()> {
    if entries.is_empty() {
        return Ok(());
    }
    let (leaving, lock) = create_locked_dir(root, REMOVAL_PREFIX)?;

    for (number, entry) in entries.iter().enumerate() {
        if lstat(entry)?.is_some() {
            let gone = leaving.join(number.to_string());
            let moved =
                failpoint(DiskOperation::Rename, &gone).and_then(|()| fs::rename(entry, &gone));
            match moved {
                // Directories of a lower overlay layer cannot be renamed (`EXDEV`); a partly removed entry is not used, as its marker is gone.
                Err(error) if error.kind() == std::io::ErrorKind::CrossesDevices => remove(entry)?,
                // Another process removed the entry after the look above.
                Err(error)
                    if error.kind() == std::io::ErrorKind::NotFound && lstat(entry)?.is_none() => {}
                moved => moved.context(|| format!("failed to remove `{}`", entry.display()))?,
            }
        }
    }

    remove_locked(&leaving, lock)
}

/// Removes a directory that was locked by us.
fn remove_locked(dir: &Path, lock: File) -> Result<()> {
    let _lock = platform::REMOVES_OPEN_FILES.then_some(lock);
    remove(dir)
}

/// Leftovers of killed commands in a cache directory. Remove them only with exclusive access to it.
///
/// # Errors
/// If the directory cannot be read.
pub fn list_leftovers(root: &Path) -> Result<Vec<PathBuf>> {
    let is_left = |name: &String| {
        name.starts_with(REMOVAL_PREFIX)
            || name.starts_with(STAGING_PREFIX)
            || name.starts_with(TEMPORARY_PREFIX)
    };
    Ok(list_names(root)?
        .into_iter()
        .filter(is_left)
        .map(|name| root.join(name))
        .collect())
}

/// Whether a path is a directory of entries that were being removed.
#[must_use]
pub fn is_being_removed(path: &Path) -> bool {
    path.file_name()
        .is_some_and(|name| name.to_string_lossy().starts_with(REMOVAL_PREFIX))
}

/// Removes leftovers of killed commands, except those that a running command has locked.
///
/// # Errors
/// If the disk refuses.
pub fn remove_leftovers(root: &Path) -> Result<()> {
    for path in list_leftovers(root)? {
        // A command that removes entries without exclusive access still works on it.
        let left = platform::open_staged_lock(&path, MissingLock::Ignore);
        let is_in_use = left.is_ok_and(|left| {
            left.is_some_and(|left| matches!(left.try_lock(), Err(TryLockError::WouldBlock)))
        });
        if !is_in_use {
            remove(&path)?;
        }
    }
    Ok(())
}

/// Locks a staged file or directory to mark it as in use; returns whether it still exists.
pub(super) fn lock_in_use(file: &File, path: &Path) -> bool {
    // On file systems without locks, `remove_abandoned` removes nothing either.
    let _ = file.lock();
    path.symlink_metadata().is_ok()
}

/// Creates a unique directory in `root`, and locks it.
fn create_locked_dir(root: &Path, prefix: &str) -> Result<(PathBuf, File)> {
    loop {
        let dir = create_temp_dir(root, prefix)?;
        match platform::open_staged_lock(&dir, MissingLock::Create) {
            Ok(Some(open)) if lock_in_use(&open, &dir) => return Ok((dir, open)),
            // Another process removed it as a leftover before it was locked.
            Ok(_) => {}
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            Err(error) => {
                return Err(error).context(|| format!("failed to open `{}`", dir.display()));
            }
        }
    }
}

/// Removes leftovers of killed commands with this name prefix, while other commands may be running. Errors are
/// ignored: leftovers only take space.
pub fn remove_abandoned(dir: &Path, prefix: &str) {
    for name in list_names(dir)
        .unwrap_or_default()
        .iter()
        .filter(|name| name.starts_with(prefix))
    {
        let path = dir.join(name);
        let Ok(left) = platform::open_staged_lock(&path, MissingLock::Ignore) else {
            continue;
        };
        // If the lock is free, its owner has ended.
        let _ = match left {
            None => remove(&path),
            Some(left) if left.try_lock().is_ok() => remove_locked(&path, left),
            Some(_) => Ok(()),
        };
    }
}

/// A locked staging directory in a cache, which gives out unused paths.
#[derive(Debug)]
pub struct StagingSlots {
    dir: PathBuf,
    used: usize,
    /// `None` once it is dropped.
    lock: Option<File>,
}

impl StagingSlots {
    /// Creates a staging directory in `root`, and removes those of killed commands.
    ///
    /// # Errors
    /// If it cannot be made.
    pub fn new(root: &Path) -> Result<StagingSlots> {
        remove_abandoned(root, STAGING_PREFIX);
        let (dir, lock) = create_locked_dir(root, STAGING_PREFIX)?;
        Ok(StagingSlots {
            dir,
            used: 0,
            lock: Some(lock),
        })
    }

    /// The next unused path.
    pub fn next_path(&mut self) -> PathBuf {
        self.used += 1;
        self.dir.join((self.used - 1).to_string())
    }
}

impl Drop for StagingSlots {
    fn drop(&mut self) {
        if let Some(lock) = self.lock.take() {
            // After a failure, the next command removes the directory.
            let _ = remove_locked(&self.dir, lock);
        }
    }
}

/// Free bytes for this user on the file system of an existing path; `None` if the system does not report them.
///
/// # Errors
/// If the system refuses to say.
pub fn free_space(path: &Path) -> Result<Option<u64>> {
    platform::free_space(path)
        .context(|| format!("failed to query the free space of `{}`", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn size_of_a_directory_excludes_link_targets() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir_all(dir.path().join("a/b")).unwrap();
        fs::write(dir.path().join("a/b/c"), "12345").unwrap();
        fs::write(dir.path().join("a/d"), "1").unwrap();
        let before = measure_usage(dir.path()).unwrap();
        assert_eq!((before.bytes, before.files), (6, 2));
        std::os::unix::fs::symlink(dir.path(), dir.path().join("a/loop")).unwrap();
        assert_eq!(measure_usage(&dir.path().join("a")).unwrap().files, 3);
        assert_eq!(
            measure_usage(&dir.path().join("none")).unwrap(),
            DiskUsage::default()
        );
    }

    #[test]
    fn entries_and_leftovers_are_removed() {
        let dir = tempfile::tempdir().unwrap();
        for name in ["one", "two"] {
            fs::create_dir(dir.path().join(name)).unwrap();
            fs::write(dir.path().join(name).join("x"), "x").unwrap();
        }
        remove_entries(
            dir.path(),
            &[dir.path().join("one"), dir.path().join("none")],
        )
        .unwrap();
        assert_eq!(list_names(dir.path()).unwrap(), ["two"]);
        for left in [".gone-a", ".stage-b", ".skillpm-stage-c"] {
            fs::create_dir(dir.path().join(left)).unwrap();
        }
        assert_eq!(list_leftovers(dir.path()).unwrap().len(), 3);
        remove_leftovers(dir.path()).unwrap();
        assert_eq!(list_names(dir.path()).unwrap(), ["two"]);
    }

    #[test]
    fn leftovers_are_removed_and_files_in_use_stay() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir_all(dir.path().join(".stage-dead/tree")).unwrap();
        fs::write(dir.path().join(".stage-file"), "half").unwrap();
        fs::write(dir.path().join("kept"), "whole").unwrap();
        let mut alive = StagingSlots::new(dir.path()).unwrap();
        let slot = alive.next_path();
        fs::write(&slot, "on its way").unwrap();
        assert_eq!(list_names(dir.path()).unwrap().len(), 2);
        let other = StagingSlots::new(dir.path()).unwrap();
        assert!(slot.exists());
        drop((alive, other));
        assert_eq!(list_names(dir.path()).unwrap(), ["kept"]);
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
