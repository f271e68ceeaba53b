//! `cache`: lists, verifies and removes the files under `$SKILLPM_HOME` that all projects share.
//!
//! | directory | content | can be restored |
//! |---|---|---|
//! | `store/` | trees by checksum | from their sources; a user's edits cannot, see [`StoreEntry::is_own`] |
//! | `git/` | copies of repositories | from their hosts |
//! | `index/HOST-…/` | copies of indexes' files | yes, but not the history that new answers are compared with |
//! | `index/` | tables for search and listing, results of `lint`, copies without revocations | they are built again |
//!
//! A command that removes anything locks the store exclusively; every command that installs has it
//! locked shared.
//!
//! [`StoreEntry::is_own`]: skillpm_registry::store::StoreEntry::is_own

mod clean;
mod contents;
mod prune;
mod verify;

use std::fmt;
use std::path::{Path, PathBuf};

use crate::CommandContext;
use skillpm_core::error::Result;
use skillpm_io::disk;
use skillpm_io::git::cache::{self as git, CachedRepository};
use skillpm_registry::store::{ExclusiveStore, StoreEntry};

pub use clean::{CleanTarget, clean};
pub use contents::{CacheContents, CacheEntry, CacheTotal, read_contents};
pub use prune::{DEFAULT_AGE, PruneOptions, prune};
pub use verify::{CacheVerification, DamagedEntry, find_damage, verify};

/// A part of the cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum CachePart {
    /// Trees by checksum.
    Store,
    /// Copies of git repositories.
    Git,
    /// Copies of indexes' files.
    Index,
    /// Tables for search and listing, derived from the others or from skills.
    Tables,
}

impl CachePart {
    /// All parts, in the order of reports.
    pub const ALL: [CachePart; 4] = [
        CachePart::Store,
        CachePart::Git,
        CachePart::Index,
        CachePart::Tables,
    ];

    /// Its directory below `$SKILLPM_HOME`.
    #[must_use]
    pub fn directory(self) -> &'static str {
        match self {
            CachePart::Store => "store",
            CachePart::Git => "git",
            // Tables are beside the copies that they are built from.
            CachePart::Index | CachePart::Tables => "index",
        }
    }

    /// Formats a count of entries: `3 trees`.
    #[must_use]
    pub fn describe_count(self, count: usize) -> String {
        let (one, many) = match self {
            CachePart::Store => ("tree", "trees"),
            CachePart::Git => ("repository", "repositories"),
            CachePart::Index => ("index", "indexes"),
            CachePart::Tables => ("table", "tables"),
        };
        format!("{count} {}", if count == 1 { one } else { many })
    }
}

impl fmt::Display for CachePart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            CachePart::Store => "store",
            CachePart::Git => "git",
            CachePart::Index => "index",
            CachePart::Tables => "tables",
        })
    }
}

/// The result of [`clean`] and [`prune`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CacheRemoval {
    /// The entries that were removed, or would be in a dry run.
    pub items: Vec<CacheEntry>,
    /// The entries that matched but are kept, with the reason.
    pub kept: Vec<(CacheEntry, String)>,
    /// The size of the cache in bytes before.
    pub before: u64,
    /// The size of the cache in bytes after.
    pub after: u64,
}

/// The entries that one command removes.
struct SelectedEntries<'c> {
    trees: Vec<&'c StoreEntry>,
    copies: Vec<&'c CachedRepository>,
    /// Copies of indexes' files, and tables.
    items: Vec<&'c CacheEntry>,
}

impl SelectedEntries<'_> {
    /// The entries as reports have them, in the order of the parts.
    fn list(&self, context: &CommandContext<'_>) -> Vec<CacheEntry> {
        let trees = self
            .trees
            .iter()
            .map(|entry| CacheEntry::from_tree(context, entry));
        let copies = self.copies.iter().map(|copy| CacheEntry::from_copy(copy));
        let items = self.items.iter().map(|item| (*item).clone());
        trees.chain(copies).chain(items).collect()
    }

    /// Removes the trees, and the files of the index cache.
    fn remove_files(&self, home: &Path, store: &ExclusiveStore) -> Result<()> {
        let items: Vec<PathBuf> = self.items.iter().map(|item| item.path.clone()).collect();

        // Each entry is renamed before it is deleted, so that a kill leaves it whole or gone.
        store.remove_entries(self.trees.clone())?;
        disk::remove_entries(&home.join("index"), &items)
    }

    /// Removes the copies of repositories. The store must not be locked any more: a process that
    /// works in a copy may be waiting for it.
    fn remove_copies(&self, context: &CommandContext<'_>) -> Result<()> {
        git::remove_cached(
            &context.dirs.skillpm_home.join("git"),
            &self.copies,
            context.lock_timeout(),
            context.reporter,
        )
    }
}

impl CacheRemoval {
    /// The report of a removal; `before` is the size of the cache in bytes.
    fn from_items(items: Vec<CacheEntry>, before: u64) -> CacheRemoval {
        // Computed, not measured, so that a dry run reports the same.
        let bytes: u64 = items.iter().map(|item| item.extent.bytes).sum();
        CacheRemoval {
            items,
            kept: Vec::new(),
            before,
            after: before - bytes,
        }
    }
}
