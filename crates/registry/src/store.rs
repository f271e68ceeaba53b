//! Our copies of packages by checksum, shared by all projects of a person.
//!
//! ```text
//! $SKILLPM_HOME/store/
//! ├── lock                        shared while a command runs; alone for `skillpm cache`
//! ├── .stage-…/                   a tree on its way in, locked by who brings it
//! ├── damaged/                    what was found damaged and can be brought from nowhere
//! └── sha256/
//!     ├── 9f2c…/SKILL.md …        the tree whose checksum that is; never changed
//!     └── 9f2c….ok                written last, beside the tree so that no package can bring it along; its time is
//!                                 that of the last use, and it says whether the tree is somebody's `own` work
//! ```
//!
//! A tree is checked against its checksum each time it is read: one that was cut short by a power failure, or touched,
//! is dropped and brought anew. That is why hardly anything here waits for the disk: what it has not taken in when the
//! power fails is found out on reading. Only somebody's own work is made durable at once: it can be brought from nowhere.

mod keeper;

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use crate::error::{Kind, Result};
use crate::io::disk::{self, FileLock, Handles, Mode, Slots};
use crate::package::{Checksum, Tree};
use crate::report::{Event, Reporter};

pub use keeper::{Damage, Keeper, Kept, glance};

/// What a mark says of a tree that came from a project, and that no source may have.
const OWN: &str = "\"own\":true";

/// The store, held open for as long as a command needs it.
#[derive(Debug)]
pub struct Store {
    root: PathBuf,
    /// Where trees are written before they are moved into place, and how many have been.
    staging: Mutex<Option<Slots>>,
    /// The directories between which they are moved.
    handles: Mutex<Handles>,
    _lock: FileLock,
}

impl Store {
    /// Opens the store in `$SKILLPM_HOME/store`, together with other commands.
    ///
    /// # Errors
    /// If it cannot be made, or garbage is being collected for longer than `patience`.
    pub fn open(home: &Path, patience: Duration, reporter: &dyn Reporter) -> Result<Store> {
        let root = home.join("store");
        let lock = FileLock::acquire(&root.join("lock"), Mode::Shared, patience, reporter)?;
        disk::clear_dead(&root, disk::ARRIVING);
        let handles = Mutex::new(Handles::around(Path::new("/")));
        Ok(Store { root: root.join("sha256"), staging: Mutex::default(), handles, _lock: lock })
    }

    /// Whether a tree seems to be there; it is checked when it is read.
    ///
    /// # Errors
    /// If the disk refuses to say.
    pub fn contains(&self, checksum: &Checksum) -> Result<bool> {
        Ok(disk::lstat(&self.marker(checksum))?.is_some() && disk::lstat(&self.place(checksum))?.is_some())
    }

    /// Reads a tree; `None` if it is not there, or is not what it should be and was dropped.
    ///
    /// # Errors
    /// If the disk refuses.
    pub fn get(&self, checksum: &Checksum, reporter: &dyn Reporter) -> Result<Option<Tree>> {
        if disk::lstat(&self.marker(checksum))?.is_none() {
            return Ok(None);
        }
        match disk::read_tree(&self.place(checksum)) {
            Ok(tree) if Checksum::of(&tree) == *checksum => {
                disk::touch(&self.marker(checksum));
                Ok(Some(tree))
            }
            Err(_) if disk::lstat(&self.place(checksum))?.is_none() => Ok(None),
            // It may be whole, and be read next time.
            Err(error) if error.kind() == Kind::Disk => Err(error),
            _ => {
                reporter.report(Event::warning(format!(
                    "the stored copy `{}` was damaged and is dropped",
                    self.place(checksum).display()
                )));
                disk::remove(&self.marker(checksum))?;
                disk::remove(&self.place(checksum))?;
                Ok(None)
            }
        }
    }

    /// Keeps a tree that a source has; nothing if it is there.
    ///
    /// # Errors
    /// If the disk refuses.
    pub fn put(&self, tree: &Tree) -> Result<Checksum> {
        self.keep(tree, "")
    }

    /// Keeps a tree that stands in a project and is about to be replaced, so that it can be had back: with a person's
    /// edits in it, it is nowhere else.
    ///
    /// # Errors
    /// If the disk refuses.
    pub fn put_own(&self, tree: &Tree) -> Result<Checksum> {
        self.keep(tree, &format!(",{OWN}"))
    }

    fn keep(&self, tree: &Tree, about: &str) -> Result<Checksum> {
        let checksum = Checksum::of(tree);
        if self.contains(&checksum)? {
            disk::touch(&self.marker(&checksum));
            return Ok(checksum);
        }
        let staged = self.slot()?;
        let mark = format!("{{\"v\":1,\"checksum\":\"{checksum}\",\"files\":{}{about}}}\n", tree.len());
        let is_own = !about.is_empty();
        let kept = disk::write_tree(&staged, tree).and_then(|_| {
            if is_own {
                // What is nowhere else may not be lost with the power.
                disk::sync_trees(&staged, tree.len())?;
            }
            self.settle(&staged, &checksum)?;
            let marker = self.marker(&checksum);
            if is_own {
                disk::write_atomic(&marker, mark.as_bytes())
            } else {
                disk::write_mark(&marker, mark.as_bytes())
            }
        });
        if kept.is_err() {
            // Why it could not be kept is what is to be told.
            let _ = disk::remove(&staged);
        }
        kept.map(|()| checksum)
    }

    /// A free name for a tree on its way in.
    fn slot(&self) -> Result<PathBuf> {
        let mut staging = self.staging.lock().unwrap_or_else(PoisonError::into_inner);
        let slots = match staging.take() {
            Some(slots) => slots,
            None => {
                disk::create_dir(&self.root)?;
                Slots::new(self.root.parent().unwrap_or(&self.root))?
            }
        };
        Ok(staging.insert(slots).free())
    }

    fn settle(&self, staged: &Path, checksum: &Checksum) -> Result<()> {
        let place = self.place(checksum);
        let put = || {
            let mut handles = self.handles.lock().unwrap_or_else(PoisonError::into_inner);
            handles.move_into_place(staged, &place)?.done(staged)
        };
        if put().is_err() {
            if disk::lstat(&place)?.is_none() {
                // Neither we nor another process put it there: say why.
                put()?;
            }
            disk::remove(staged)?;
        }
        Ok(())
    }

    fn place(&self, checksum: &Checksum) -> PathBuf {
        self.root.join(checksum.digest().to_string())
    }

    fn marker(&self, checksum: &Checksum) -> PathBuf {
        self.root.join(format!("{}.ok", checksum.digest()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::Silent;

    fn tree(text: &str) -> Tree {
        let mut tree = Tree::builder();
        tree.add("SKILL.md", text.into(), false).unwrap();
        tree.add("scripts/run.sh", b"#!/bin/sh\n".to_vec(), true).unwrap();
        tree.finish()
    }

    fn open(home: &tempfile::TempDir) -> Store {
        Store::open(home.path(), Duration::ZERO, &Silent).unwrap()
    }

    #[test]
    fn a_tree_kept_is_the_tree_given_back() {
        let home = tempfile::tempdir().unwrap();
        let store = open(&home);
        let checksum = store.put(&tree("x")).unwrap();
        assert_eq!(store.put(&tree("x")).unwrap(), checksum);
        assert_eq!(store.get(&checksum, &Silent).unwrap(), Some(tree("x")));
        assert_eq!(store.get(&Checksum::of(&tree("y")), &Silent).unwrap(), None);
        let root = store.root.clone();
        drop(store);
        let left = disk::names(&root).unwrap();
        assert_eq!(left.len(), 2, "{left:?}");
    }

    #[test]
    fn a_damaged_tree_is_dropped_and_can_be_kept_again() {
        let home = tempfile::tempdir().unwrap();
        let store = open(&home);
        let checksum = store.put(&tree("x")).unwrap();
        std::fs::write(store.place(&checksum).join("SKILL.md"), "").unwrap();
        assert_eq!(store.get(&checksum, &Silent).unwrap(), None);
        assert!(!store.contains(&checksum).unwrap());
        store.put(&tree("x")).unwrap();
        assert_eq!(store.get(&checksum, &Silent).unwrap(), Some(tree("x")));
    }
}
