//! Stamps: detect from `stat` alone whether anything below a directory may have changed.

use std::ffi::OsString;
use std::fs::Metadata;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::platform::{self, FileKind, FileStat};
use skillpm_core::error::{ErrorContext, Result};

/// The `stat` data of every directory and file below a directory, in the order of the walk.
///
/// Equal stamps mean that no name was added or removed (a directory's time would differ) and that no file was
/// rewritten (its size, time or inode would). A different stamp proves nothing: a clone or a restored backup
/// has the same content with other stamps, and then the content is read.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct TreeStamp(Vec<StampEntry>);

/// Path relative to the stamped directory, size (0 for a directory), change and modification time in
/// nanoseconds, inode.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct StampEntry(String, u64, i64, i64, u64);

impl TreeStamp {
    /// Adds the entry at `name`, the empty name for the directory itself.
    pub(super) fn record(&mut self, name: &str, meta: &Metadata) {
        let stat = &platform::file_stat(meta);
        self.0.push(StampEntry(
            name.to_owned(),
            size(stat),
            changed(stat),
            stat.modified,
            stat.inode,
        ));
    }

    /// Sorts entries that were recorded in another order into that of [`stamp_tree`].
    pub(super) fn sort(&mut self) {
        self.0
            .sort_unstable_by(|a, b| a.0.split('/').cmp(b.0.split('/')));
    }

    /// Whether everything below `dir` still matches the stamp. Reads no file and lists no directory.
    #[must_use]
    pub fn is_current(&self, dir: &Path) -> bool {
        // One buffer for all paths: this loop is most of what a command with nothing to do costs.
        let mut path = OsString::new();

        for entry in &self.0 {
            path.clear();
            path.push(dir);
            if !entry.0.is_empty() {
                path.push("/");
                path.push(&entry.0);
            }

            let meta = std::fs::symlink_metadata(&path);
            if !meta.is_ok_and(|meta| is_unchanged(entry, &meta)) {
                return false;
            }
        }

        // An empty stamp describes no directory, so it never matches.
        !self.0.is_empty()
    }
}

impl TreeStamp {
    /// Whether the same files are below `dir` as when it was stamped, without regard to the times of
    /// directories, which change when something is moved in and out again. Lists every directory.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn has_same_files(&self, dir: &Path) -> Result<bool> {
        let Some(there) = stamp_tree(dir)? else {
            return Ok(false);
        };
        Ok(there.without_directory_times() == self.clone().without_directory_times())
    }

    /// The same stamp, in order, without the times of directories.
    fn without_directory_times(mut self) -> TreeStamp {
        for entry in self.0.iter_mut().filter(|entry| is_directory(entry)) {
            entry.3 = 0;
        }
        self.sort();
        self
    }
}

/// Directories are recorded without size and change time, and every file has a change time.
fn is_directory(entry: &StampEntry) -> bool {
    entry.1 == 0 && entry.2 == 0
}

fn is_unchanged(entry: &StampEntry, meta: &Metadata) -> bool {
    let stat = platform::file_stat(meta);
    (entry.1, entry.2, entry.3, entry.4) == (size(&stat), changed(&stat), stat.modified, stat.inode)
}

fn size(stat: &FileStat) -> u64 {
    if stat.kind == FileKind::Directory {
        0
    } else {
        stat.size
    }
}

/// The change time detects a rewrite that restored the modification time, and a changed mode. That of a
/// directory changes whenever it is renamed, so it is ignored.
fn changed(stat: &FileStat) -> i64 {
    // So does a link's: it is renamed as a whole.
    if matches!(stat.kind, FileKind::Directory | FileKind::Link) {
        0
    } else {
        stat.changed
    }
}

/// Stamps everything below `dir`, or a link by itself; `None` if `dir` is neither.
///
/// # Errors
/// If it cannot be read.
pub fn stamp_tree(dir: &Path) -> Result<Option<TreeStamp>> {
    let Some(meta) = super::lstat(dir)? else {
        return Ok(None);
    };
    if !meta.is_dir() && !meta.is_symlink() {
        return Ok(None);
    }

    let mut stamp = TreeStamp::default();
    stamp_below(dir, "", &meta, &mut stamp)?;
    Ok(Some(stamp))
}

fn stamp_below(path: &Path, name: &str, meta: &Metadata, stamp: &mut TreeStamp) -> Result<()> {
    stamp.record(name, meta);
    // A link is stamped by itself, and not followed.
    if !meta.is_dir() {
        return Ok(());
    }

    for child in super::list_names(path)? {
        let below = path.join(&child);
        let meta = std::fs::symlink_metadata(&below)
            .context(|| format!("failed to stat `{}`", below.display()))?;

        let name = if name.is_empty() {
            child
        } else {
            format!("{name}/{child}")
        };
        stamp_below(&below, &name, &meta, stamp)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    #[cfg(unix)]
    use std::os::unix::fs::PermissionsExt;

    #[cfg(unix)]
    #[test]
    fn a_stamp_is_current_until_something_changes() {
        let dir = tempfile::tempdir().unwrap();
        let skill = dir.path().join("skill");
        fs::create_dir_all(skill.join("scripts")).unwrap();
        fs::write(skill.join("SKILL.md"), "one").unwrap();
        fs::write(skill.join("scripts/run.sh"), "two").unwrap();
        let taken = |change: &dyn Fn()| {
            let stamp = stamp_tree(&skill).unwrap().unwrap();
            assert!(stamp.is_current(&skill));
            change();
            stamp.is_current(&skill)
        };
        assert!(taken(&|| {}));
        assert!(!taken(
            &|| fs::write(skill.join("SKILL.md"), "other").unwrap()
        ));
        assert!(!taken(&|| fs::write(skill.join("scripts/new"), "").unwrap()));
        assert!(!taken(
            &|| fs::remove_file(skill.join("scripts/new")).unwrap()
        ));
        // The portable implementation does not see a change of the mode.
        let is_seen = !taken(&|| {
            fs::set_permissions(skill.join("SKILL.md"), fs::Permissions::from_mode(0o755)).unwrap();
        });
        assert_eq!(is_seen, !platform::IS_PORTABLE);
        assert!(!taken(&|| fs::remove_dir_all(&skill).unwrap()));
        assert_eq!(stamp_tree(&skill).unwrap(), None);
    }

    #[test]
    fn a_rename_of_the_whole_keeps_the_stamp() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("staged")).unwrap();
        fs::write(dir.path().join("staged/SKILL.md"), "x").unwrap();
        let stamp = stamp_tree(&dir.path().join("staged")).unwrap().unwrap();
        fs::rename(dir.path().join("staged"), dir.path().join("placed")).unwrap();
        assert!(stamp.is_current(&dir.path().join("placed")));
    }

    #[test]
    fn files_moved_in_and_out_keep_the_stamp_of_the_rest() {
        let dir = tempfile::tempdir().unwrap();
        let skill = dir.path().join("skill");
        fs::create_dir_all(skill.join("refs")).unwrap();
        fs::write(skill.join("SKILL.md"), "x").unwrap();
        fs::write(skill.join("refs/a.md"), "a").unwrap();
        let stamp = stamp_tree(&skill).unwrap().unwrap();
        fs::create_dir(skill.join(".git")).unwrap();
        assert!(!stamp.has_same_files(&skill).unwrap());
        fs::remove_dir(skill.join(".git")).unwrap();
        assert!(stamp.has_same_files(&skill).unwrap());
        fs::write(skill.join("refs/a.md"), "b").unwrap();
        assert!(!stamp.has_same_files(&skill).unwrap());
    }
}
