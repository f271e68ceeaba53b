//! Lists the entries of the cache with their sizes.

use std::path::PathBuf;
use std::time::SystemTime;

use super::CachePart;
use crate::CommandContext;
use skillpm_core::error::Result;
use skillpm_io::disk::{self, DiskUsage};
use skillpm_io::git::cache::{self as git, CachedRepository};
use skillpm_registry::store::{self, StoreEntry};

/// All entries of the cache.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CacheContents {
    /// Trees of the store.
    pub trees: Vec<StoreEntry>,
    /// Copies of git repositories.
    pub repositories: Vec<CachedRepository>,
    /// Copies of the files of indexes.
    pub indexes: Vec<CacheEntry>,
    /// Tables for search and listing, derived from the others.
    pub tables: Vec<CacheEntry>,
}

/// One entry of the cache.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CacheEntry {
    /// The part that it belongs to.
    pub part: CachePart,
    /// Its name: the checksum of a tree, else the name of its directory or file.
    pub name: String,
    /// Its path.
    pub path: PathBuf,
    /// Its size on disk.
    pub extent: DiskUsage,
    /// When it was last used; `None` if unknown.
    pub used: Option<SystemTime>,
}

/// The size of a part of the cache.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CacheTotal {
    /// The part.
    pub part: CachePart,
    /// Its directory.
    pub path: PathBuf,
    /// The number of entries.
    pub entries: usize,
    /// Their size in bytes.
    pub bytes: u64,
}

/// Lists all entries of the cache, without taking a lock.
///
/// # Errors
/// If a directory cannot be read.
pub fn read_contents(context: &CommandContext<'_>) -> Result<CacheContents> {
    let home = &context.dirs.skillpm_home;
    let mut contents = CacheContents {
        trees: store::list_entries(home)?,
        repositories: git::cached_repositories(&home.join("git"))?,
        ..CacheContents::default()
    };

    let root = home.join("index");
    // Names with a dot are entries that are being added or removed.
    for name in disk::list_names(&root)?
        .into_iter()
        .filter(|name| !name.starts_with('.'))
    {
        let path = root.join(&name);
        // Without a lock, it may have been removed since the directory was listed.
        let Some(meta) = disk::lstat(&path)? else {
            continue;
        };

        // `search/` and plain files are tables; every other directory is a copy of an index.
        let part = if meta.is_dir() && name != "search" {
            CachePart::Index
        } else {
            CachePart::Tables
        };

        let extent = disk::measure_usage(&path)?;
        let item = CacheEntry {
            part,
            name,
            path,
            extent,
            // An entry has no mark of its own: its newest file shows when it was last fetched.
            used: extent.newest,
        };

        if part == CachePart::Index {
            &mut contents.indexes
        } else {
            &mut contents.tables
        }
        .push(item);
    }

    Ok(contents)
}

impl CacheContents {
    /// The size of each part.
    #[must_use]
    pub fn totals(&self, context: &CommandContext<'_>) -> Vec<CacheTotal> {
        let of_items = |items: &[CacheEntry]| items.iter().map(|item| item.extent.bytes).collect();
        let trees = self.trees.iter().map(|entry| entry.extent.bytes);
        let copies = self.repositories.iter().map(|copy| copy.usage.bytes);

        let parts: [(CachePart, Vec<u64>); 4] = [
            (CachePart::Store, trees.collect()),
            (CachePart::Git, copies.collect()),
            (CachePart::Index, of_items(&self.indexes)),
            (CachePart::Tables, of_items(&self.tables)),
        ];

        let totals = parts.into_iter().map(|(part, extents)| CacheTotal {
            part,
            path: context.dirs.skillpm_home.join(part.directory()),
            entries: extents.len(),
            bytes: extents.iter().sum(),
        });
        totals.collect()
    }

    /// The total size in bytes.
    #[must_use]
    pub fn bytes(&self, context: &CommandContext<'_>) -> u64 {
        self.totals(context).iter().map(|total| total.bytes).sum()
    }
}

impl CacheEntry {
    pub(super) fn from_tree(context: &CommandContext<'_>, entry: &StoreEntry) -> CacheEntry {
        CacheEntry {
            part: CachePart::Store,
            name: entry.checksum.to_string(),
            path: context
                .dirs
                .skillpm_home
                .join("store/sha256")
                .join(entry.checksum.digest().to_string()),
            extent: entry.extent,
            used: entry.used,
        }
    }

    pub(super) fn from_copy(copy: &CachedRepository) -> CacheEntry {
        CacheEntry {
            part: CachePart::Git,
            name: copy.name.clone(),
            path: copy.path.clone(),
            extent: copy.usage,
            used: copy.used,
        }
    }
}
