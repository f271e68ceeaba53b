//! Cached copies of packages by checksum, shared by all projects of a user.
//!
//! ```text
//! $SKILLPM_HOME/store/
//! ├── lock                        shared while a command runs; exclusive for `skillpm cache`
//! ├── .stage-…/                   a tree being written, locked by the process that writes it
//! ├── damaged/                    damaged trees that cannot be fetched again
//! └── sha256/
//!     ├── 9f2c…/SKILL.md …        the tree with that checksum; never changed
//!     ├── 9f2c….ok                written last, and beside the tree, so that no package can contain it; its time is
//!     │                           that of the last use, and `own` marks a tree with the user's own work
//!     └── 9f2c….audit             what an audit of the tree found, in the words of its caller
//! ```
//!
//! A tree is checked against its checksum each time it is read: one that was truncated by a power failure, or modified, is
//! removed and fetched again. So most writes are not synced to disk: what a power failure lost is found on reading. Only
//! the user's own work is synced at once, since it cannot be fetched again.

mod exclusive;

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use skillpm_core::error::{FailureKind, Result};
use skillpm_core::package::{Checksum, Tree};
use skillpm_core::report::{EventReporter, ProgressEvent};
use skillpm_io::disk::{self, DirectoryHandles, FileLock, FileModes, LockMode, StagingSlots};

pub use exclusive::{ExclusiveStore, StoreDamage, StoreEntry, list_entries};

/// The largest file that is read without a check of its tree, in bytes.
const UNCHECKED_MAX: u64 = 1 << 20;

/// The largest record of an audit, in bytes.
const AUDIT_RECORD_MAX: u64 = 4096;

/// The text in the marker of a tree that came from a project, and that no source may have.
const OWN_MARK: &str = "\"own\":true";

/// The store, with a shared lock for as long as a command needs it.
#[derive(Debug)]
pub struct Store {
    root: PathBuf,
    /// Where trees are written before they are moved into place; `None` before the first.
    staging: Mutex<Option<StagingSlots>>,
    /// Open handles of the directories between which they are moved.
    handles: Mutex<DirectoryHandles>,
    _lock: FileLock,
}

impl Store {
    /// Opens the store in `$SKILLPM_HOME/store`, together with other commands.
    ///
    /// # Errors
    /// If it cannot be created, or is locked exclusively for longer than `patience`.
    pub fn open(home: &Path, patience: Duration, reporter: &dyn EventReporter) -> Result<Store> {
        let root = home.join("store");
        let lock = FileLock::acquire(&root.join("lock"), LockMode::Shared, patience, reporter)?;

        // Left by killed commands: a running one has its own files locked.
        disk::remove_abandoned(&root, disk::STAGING_PREFIX);
        let handles = Mutex::new(DirectoryHandles::new(Path::new("/")));
        Ok(Store {
            root: root.join("sha256"),
            staging: Mutex::default(),
            handles,
            _lock: lock,
        })
    }

    /// Whether a tree seems to be in the store; its content is only checked when it is read.
    ///
    /// # Errors
    /// If the disk cannot be read.
    pub fn contains(&self, checksum: &Checksum) -> Result<bool> {
        Ok(disk::lstat(&self.marker_path(checksum))?.is_some()
            && disk::lstat(&self.tree_path(checksum))?.is_some())
    }

    /// Reads a tree; `None` if it is not in the store, or was damaged and therefore removed.
    ///
    /// # Errors
    /// If the disk cannot be read.
    pub fn get(&self, checksum: &Checksum, reporter: &dyn EventReporter) -> Result<Option<Tree>> {
        let found = self.get_with_modes(checksum, reporter)?;
        Ok(found.map(|(tree, _)| tree))
    }

    /// The same, with the permissions that a person had restricted files to.
    ///
    /// # Errors
    /// If the disk cannot be read.
    pub fn get_with_modes(
        &self,
        checksum: &Checksum,
        reporter: &dyn EventReporter,
    ) -> Result<Option<(Tree, FileModes)>> {
        // Without its marker a tree may be incomplete.
        if disk::lstat(&self.marker_path(checksum))?.is_none() {
            return Ok(None);
        }

        match disk::read_tree_filtered(&self.tree_path(checksum), &|_, _| true) {
            Ok(found) if Checksum::from_tree(&found.tree) == *checksum => {
                // The marker's time is that of the last use.
                disk::touch(&self.marker_path(checksum));
                Ok(Some((found.tree, found.modes)))
            }
            // Another process removed it meanwhile.
            Err(_) if disk::lstat(&self.tree_path(checksum))?.is_none() => Ok(None),
            // The disk failed: the tree may be intact, and be read next time.
            Err(error) if error.kind() == FailureKind::Disk => Err(error),
            _ => {
                reporter.report(ProgressEvent::warning(format!(
                    "removing a damaged package from the store: `{}`",
                    self.tree_path(checksum).display()
                )));
                disk::remove(&self.marker_path(checksum))?;
                disk::remove(&audit_path(&self.root, checksum))?;
                disk::remove(&self.tree_path(checksum))?;
                Ok(None)
            }
        }
    }

    /// What an audit of a tree found, as [`Store::record_audit`] was given it; a crash may have truncated it. `None` if none
    /// is recorded, or it cannot be read.
    #[must_use]
    pub fn audit_record(&self, checksum: &Checksum) -> Option<Vec<u8>> {
        disk::read_up_to(&audit_path(&self.root, checksum), AUDIT_RECORD_MAX).ok()?
    }

    /// Records what an audit of a tree found, if the tree is in the store.
    ///
    /// # Errors
    /// If the disk cannot be read or written.
    pub fn record_audit(&self, checksum: &Checksum, text: &[u8]) -> Result<()> {
        if !self.contains(checksum)? {
            return Ok(());
        }
        disk::write_marker(&audit_path(&self.root, checksum), text)
    }

    /// Reads a file of a tree without checking any of it: what it says may only decide what else is read. `None` if the tree
    /// is not in the store, or has no such file.
    ///
    /// # Errors
    /// If the disk cannot be read, or the file is too large.
    pub fn read_unchecked(&self, checksum: &Checksum, path: &str) -> Result<Option<Vec<u8>>> {
        disk::read_up_to(&self.tree_path(checksum).join(path), UNCHECKED_MAX)
    }

    /// Stores a tree from a source, unless it is in the store already.
    ///
    /// # Errors
    /// If the disk cannot be written.
    pub fn put(&self, tree: &Tree) -> Result<Checksum> {
        self.write_tree(tree, "", &FileModes::new())
    }

    /// Stores a tree from a project that is about to be replaced, so that it can be restored: with the user's edits in it,
    /// no source has it. Files in `modes` keep those permissions.
    ///
    /// # Errors
    /// If the disk cannot be written.
    pub fn put_own(&self, tree: &Tree, modes: &FileModes) -> Result<Checksum> {
        self.write_tree(tree, &format!(",{OWN_MARK}"), modes)
    }

    fn write_tree(&self, tree: &Tree, extra: &str, modes: &FileModes) -> Result<Checksum> {
        let checksum = Checksum::from_tree(tree);

        if self.contains(&checksum)? {
            disk::touch(&self.marker_path(&checksum));
            return Ok(checksum);
        }

        let staged = self.staging_path()?;
        let stored = self.write_staged(&staged, tree, &checksum, (extra, modes));
        if stored.is_err() {
            // The first error is reported, not one of the cleanup.
            let _ = disk::remove(&staged);
        }

        stored.map(|()| checksum)
    }

    /// Writes a tree to `staged`, moves it into place, and marks it as complete.
    fn write_staged(
        &self,
        staged: &Path,
        tree: &Tree,
        checksum: &Checksum,
        (extra, modes): (&str, &FileModes),
    ) -> Result<()> {
        let is_own = !extra.is_empty();
        disk::write_tree_with_modes(staged, tree, modes)?;
        if is_own {
            // The only copy of the user's work must survive a power failure.
            disk::sync_trees(staged, tree.len())?;
        }

        // The tree first and its marker last: a tree without a marker is ignored.
        self.move_into_place(staged, checksum)?;
        let marker = self.marker_path(checksum);
        let text = format!(
            "{{\"v\":1,\"checksum\":\"{checksum}\",\"files\":{}{extra}}}\n",
            tree.len()
        );
        if is_own {
            disk::write_atomic(&marker, text.as_bytes())
        } else {
            disk::write_marker(&marker, text.as_bytes())
        }
    }

    /// A free name for a tree to be written to.
    fn staging_path(&self) -> Result<PathBuf> {
        let mut staging = self.staging.lock().unwrap_or_else(PoisonError::into_inner);

        let slots = match staging.take() {
            Some(slots) => slots,
            None => {
                disk::create_dir(&self.root)?;
                StagingSlots::new(self.root.parent().unwrap_or(&self.root))?
            }
        };

        Ok(staging.insert(slots).next_path())
    }

    fn move_into_place(&self, staged: &Path, checksum: &Checksum) -> Result<()> {
        let path = self.tree_path(checksum);

        let put = || {
            let mut handles = self.handles.lock().unwrap_or_else(PoisonError::into_inner);
            handles
                .move_into_place(staged, &path)?
                .require_moved(staged)
        };

        // Another process may have stored the same tree first, which is as good.
        if put().is_err() {
            if disk::lstat(&path)?.is_none() {
                // Neither we nor another process stored it: report why.
                put()?;
            }
            disk::remove(staged)?;
        }
        Ok(())
    }

    fn tree_path(&self, checksum: &Checksum) -> PathBuf {
        self.root.join(checksum.digest().to_string())
    }

    fn marker_path(&self, checksum: &Checksum) -> PathBuf {
        self.root.join(format!("{}.ok", checksum.digest()))
    }
}

/// The record of an audit of a tree, in the directory of all trees.
fn audit_path(root: &Path, checksum: &Checksum) -> PathBuf {
    root.join(format!("{}.audit", checksum.digest()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use skillpm_core::report::SilentReporter;

    fn tree(text: &str) -> Tree {
        let mut tree = Tree::builder();
        tree.add("SKILL.md", text.into(), false).unwrap();
        tree.add("scripts/run.sh", b"#!/bin/sh\n".to_vec(), true)
            .unwrap();
        tree.finish()
    }

    fn open(home: &tempfile::TempDir) -> Store {
        Store::open(home.path(), Duration::ZERO, &SilentReporter).unwrap()
    }

    #[test]
    fn a_stored_tree_is_read_back() {
        let home = tempfile::tempdir().unwrap();
        let store = open(&home);
        let checksum = store.put(&tree("x")).unwrap();
        assert_eq!(store.put(&tree("x")).unwrap(), checksum);
        assert_eq!(
            store.get(&checksum, &SilentReporter).unwrap(),
            Some(tree("x"))
        );
        assert_eq!(
            store
                .get(&Checksum::from_tree(&tree("y")), &SilentReporter)
                .unwrap(),
            None
        );
        let root = store.root.clone();
        drop(store);
        let left = disk::list_names(&root).unwrap();
        assert_eq!(left.len(), 2, "{left:?}");
    }

    #[test]
    fn a_damaged_tree_is_removed_and_can_be_stored_again() {
        let home = tempfile::tempdir().unwrap();
        let store = open(&home);
        let checksum = store.put(&tree("x")).unwrap();
        std::fs::write(store.tree_path(&checksum).join("SKILL.md"), "").unwrap();
        assert_eq!(store.get(&checksum, &SilentReporter).unwrap(), None);
        assert!(!store.contains(&checksum).unwrap());
        store.put(&tree("x")).unwrap();
        assert_eq!(
            store.get(&checksum, &SilentReporter).unwrap(),
            Some(tree("x"))
        );
    }
}
