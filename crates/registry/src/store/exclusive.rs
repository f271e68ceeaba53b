//! The store as a whole, under an exclusive lock: its entries, which of them are damaged, and their removal.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use crate::store::{OWN_MARK, audit_path};
use skillpm_core::error::Result;
use skillpm_core::package::{Checksum, Sha256Digest, Tree};
use skillpm_core::report::EventReporter;
use skillpm_io::disk::{self, DiskUsage, FileLock, LockMode};

/// The directory for damaged trees that cannot be fetched again.
const QUARANTINE_DIR: &str = "damaged";

/// The store, with an exclusive lock.
#[derive(Debug)]
pub struct ExclusiveStore {
    root: PathBuf,
    _lock: FileLock,
}

/// One tree in the store, or the rest of one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoreEntry {
    /// The checksum that it is stored under.
    pub checksum: Checksum,
    /// Its size on disk.
    pub extent: DiskUsage,
    /// When it was stored or read last; `None` for one without its marker.
    pub used: Option<SystemTime>,
    /// Whether it came from a project, as a tree that a command was about to replace: no source may have it.
    pub is_own: bool,
    has_tree: bool,
}

/// How a tree in the store is damaged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StoreDamage {
    /// It was never finished, or has lost its files or its marker.
    Unfinished,
    /// Its files do not match its checksum.
    Differs,
    /// It cannot be read as a tree, for this reason.
    Unreadable(String),
}

impl ExclusiveStore {
    /// Locks the store of `$SKILLPM_HOME` exclusively, waiting until no other process uses it.
    ///
    /// # Errors
    /// [`Busy`](skillpm_core::error::FailureKind::Busy) if another process uses it for longer than `patience`; or if the
    /// disk fails.
    pub fn open_exclusive(
        home: &Path,
        patience: Duration,
        reporter: &dyn EventReporter,
    ) -> Result<ExclusiveStore> {
        Self::open(home, LockMode::Exclusive, patience, reporter)
    }

    /// Locks it together with other processes, for reading only: a tree that is being written may seem unfinished.
    ///
    /// # Errors
    /// As [`ExclusiveStore::open_exclusive`].
    pub fn open_shared(
        home: &Path,
        patience: Duration,
        reporter: &dyn EventReporter,
    ) -> Result<ExclusiveStore> {
        Self::open(home, LockMode::Shared, patience, reporter)
    }

    fn open(
        home: &Path,
        mode: LockMode,
        patience: Duration,
        reporter: &dyn EventReporter,
    ) -> Result<ExclusiveStore> {
        let root = home.join("store");
        // Installing processes lock it shared, so that nothing is removed while they copy from it.
        let lock = FileLock::acquire(&root.join("lock"), mode, patience, reporter)?;

        Ok(ExclusiveStore {
            root: root.join("sha256"),
            _lock: lock,
        })
    }

    /// Lists all entries of the store, by checksum.
    ///
    /// # Errors
    /// If the disk cannot be read.
    pub fn entries(&self) -> Result<Vec<StoreEntry>> {
        read_entries(&self.root)
    }

    /// Reads a tree and checks it against its checksum; `None` if it is intact.
    #[must_use]
    pub fn find_damage(&self, kept: &StoreEntry) -> Option<StoreDamage> {
        // The marker is written last: a tree without it may be incomplete.
        if !kept.has_tree || kept.used.is_none() {
            return Some(StoreDamage::Unfinished);
        }

        match disk::read_tree(&self.tree_path(kept)) {
            Ok(tree) if Checksum::from_tree(&tree) == kept.checksum => None,
            Ok(_) => Some(StoreDamage::Differs),
            Err(error) => Some(StoreDamage::Unreadable(error.message().to_owned())),
        }
    }

    /// Reads a tree without a check; `None` if it cannot be read.
    #[must_use]
    pub fn read_tree(&self, kept: &StoreEntry) -> Option<Tree> {
        disk::read_tree(&self.tree_path(kept)).ok()
    }

    /// Removes trees; a kill leaves each of them complete or removed.
    ///
    /// # Errors
    /// If the disk cannot be written.
    pub fn remove_entries<'k>(&self, kept: impl IntoIterator<Item = &'k StoreEntry>) -> Result<()> {
        let entries: Vec<PathBuf> = kept
            .into_iter()
            // The marker first: a kill in between leaves an unfinished tree, and no damaged one.
            .flat_map(|kept| {
                [
                    self.marker_path(kept),
                    audit_path(&self.root, &kept.checksum),
                    self.tree_path(kept),
                ]
            })
            .collect();

        disk::remove_entries(&self.root, &entries)
    }

    /// Moves a damaged tree out of the store, so that it is not used as an intact one; returns its new path.
    ///
    /// # Errors
    /// If the disk cannot be written.
    pub fn quarantine(&self, kept: &StoreEntry) -> Result<PathBuf> {
        let aside = self
            .root
            .with_file_name(QUARANTINE_DIR)
            .join(kept.checksum.digest().to_string());

        disk::create_dir(aside.parent().unwrap_or(&self.root))?;
        // Of damaged copies the last one is enough.
        disk::remove(&aside)?;
        disk::rename(&self.tree_path(kept), &aside)?;
        // Without the marker it is no longer an entry of the store.
        disk::remove(&self.marker_path(kept))?;
        disk::remove(&audit_path(&self.root, &kept.checksum))?;

        Ok(aside)
    }

    /// Removes temporary files of killed commands.
    ///
    /// # Errors
    /// If the disk cannot be written.
    pub fn remove_leftovers(&self) -> Result<()> {
        disk::remove_leftovers(&self.root)?;
        disk::remove_leftovers(self.root.parent().unwrap_or(&self.root))
    }

    /// The directory of a tree.
    #[must_use]
    pub fn tree_path(&self, kept: &StoreEntry) -> PathBuf {
        self.root.join(kept.checksum.digest().to_string())
    }

    fn marker_path(&self, kept: &StoreEntry) -> PathBuf {
        self.root.join(format!("{}.ok", kept.checksum.digest()))
    }
}

/// Lists all entries in the store of `$SKILLPM_HOME` without a lock: they may change at any time.
///
/// # Errors
/// If the disk cannot be read.
pub fn list_entries(home: &Path) -> Result<Vec<StoreEntry>> {
    read_entries(&home.join("store/sha256"))
}

fn read_entries(root: &Path) -> Result<Vec<StoreEntry>> {
    let names = disk::list_names(root)?;

    let mut digests: Vec<Sha256Digest> = names
        .iter()
        .filter_map(|name| name.strip_suffix(".ok").unwrap_or(name).parse().ok())
        .collect();
    // Names are sorted, so that a tree and its marker are neighbors.
    digests.dedup();

    digests
        .into_iter()
        .map(|digest| read_entry(root, digest))
        .collect()
}

fn read_entry(root: &Path, digest: Sha256Digest) -> Result<StoreEntry> {
    let (path, marker) = (
        root.join(digest.to_string()),
        root.join(format!("{digest}.ok")),
    );

    let marker_text = disk::read(&marker)?;
    let used = disk::lstat(&marker)?.and_then(|meta| meta.modified().ok());

    Ok(StoreEntry {
        checksum: Checksum::from_digest(digest),
        extent: disk::measure_usage(&path)?,
        used,
        is_own: marker_text
            .is_some_and(|text| memchr::memmem::find(&text, OWN_MARK.as_bytes()).is_some()),
        has_tree: disk::lstat(&path)?.is_some_and(|meta| meta.is_dir()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::Store;
    use skillpm_core::report::SilentReporter;

    fn tree(text: &str) -> Tree {
        let mut tree = Tree::builder();
        tree.add("SKILL.md", text.into(), false).unwrap();
        tree.finish()
    }

    fn store(home: &Path) -> Store {
        Store::open(home, Duration::ZERO, &SilentReporter).unwrap()
    }

    fn exclusive(home: &Path) -> ExclusiveStore {
        ExclusiveStore::open_exclusive(home, Duration::ZERO, &SilentReporter).unwrap()
    }

    #[test]
    fn an_exclusive_store_excludes_all_others() {
        let home = tempfile::tempdir().unwrap();
        let open = store(home.path());
        assert!(
            ExclusiveStore::open_exclusive(home.path(), Duration::ZERO, &SilentReporter).is_err()
        );
        drop(open);
        let _exclusive = exclusive(home.path());
        assert!(Store::open(home.path(), Duration::ZERO, &SilentReporter).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn each_kind_of_damage_is_found_and_an_intact_tree_has_none() {
        let home = tempfile::tempdir().unwrap();
        let sums: Vec<Checksum> = {
            let store = store(home.path());
            ["whole", "changed", "unmarked", "lost", "linked"]
                .map(|text| store.put(&tree(text)).unwrap())
                .into()
        };
        let root = home.path().join("store/sha256");
        let place = |at: usize| root.join(sums[at].digest().to_string());
        std::fs::write(place(1).join("SKILL.md"), "other").unwrap();
        std::fs::remove_file(root.join(format!("{}.ok", sums[2].digest()))).unwrap();
        std::fs::remove_dir_all(place(3)).unwrap();
        std::os::unix::fs::symlink("SKILL.md", place(4).join("link")).unwrap();
        let exclusive = exclusive(home.path());
        let all = exclusive.entries().unwrap();
        let damage = |at: usize| {
            exclusive.find_damage(all.iter().find(|kept| kept.checksum == sums[at]).unwrap())
        };
        assert_eq!(damage(0), None);
        assert_eq!(damage(1), Some(StoreDamage::Differs));
        assert_eq!(damage(2), Some(StoreDamage::Unfinished));
        assert_eq!(damage(3), Some(StoreDamage::Unfinished));
        assert!(matches!(damage(4), Some(StoreDamage::Unreadable(_))));
        let whole = |kept: &&StoreEntry| kept.checksum != sums[0];
        exclusive.remove_entries(all.iter().filter(whole)).unwrap();
        assert_eq!(disk::list_names(&root).unwrap().len(), 2);
        drop(exclusive);
        assert_eq!(
            store(home.path()).get(&sums[0], &SilentReporter).unwrap(),
            Some(tree("whole"))
        );
    }

    #[test]
    fn a_tree_from_a_project_is_known_by_its_marker() {
        let home = tempfile::tempdir().unwrap();
        let (own, others) = {
            let store = store(home.path());
            (
                store
                    .put_own(&tree("mine"), &disk::FileModes::new())
                    .unwrap(),
                store.put(&tree("theirs")).unwrap(),
            )
        };
        let is_own = |sum| {
            list_entries(home.path())
                .unwrap()
                .into_iter()
                .find(|kept| kept.checksum == sum)
                .unwrap()
                .is_own
        };
        assert!(is_own(own) && !is_own(others));
        store(home.path()).put(&tree("mine")).unwrap();
        assert!(is_own(own));
    }
}
