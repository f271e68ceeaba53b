//! `cache`: lists, verifies and removes the files under `$SKILLPM_HOME` that all projects share.
//!
//! | directory | content | can be restored |
//! |---|---|---|
//! | `store/` | trees by checksum | from their sources; a user's edits cannot, see [`StoreEntry::is_own`] |
//! | `git/` | copies of repositories | from their hosts |
//! | `index/HOST-…/` | copies of indexes' files | yes, but not the history that new answers are compared with |
//! | `index/` | tables for search and listing | they are built again |
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
