//! `cache`: what is kept below `$SKILLPM_HOME` for all projects. What it is, whether it is sound, and taking it away.
//!
//! | shelf | holds | can be had again |
//! |---|---|---|
//! | `store/` | trees by checksum | from their sources; but for what a project's edits were, see [`Kept::is_own`] |
//! | `git/` | copies of repositories | from their hosts |
//! | `index/HOST-…/` | copies of indexes' files | yes, but not what an index is held to its word by |
//! | `index/` | tables for searching and listing | they are made again |
//!
//! A command that changes anything is alone in the store first: every command that installs is in it.
//!
//! [`Kept::is_own`]: crate::store::Kept::is_own

mod clean;
mod contents;
mod prune;
mod verify;

use std::fmt;

pub use clean::{Of, clean};
pub use contents::{Contents, Item, Total, contents};
pub use prune::{DEFAULT_AGE, PruneOptions, prune};
pub use verify::{Damaged, Verified, damages, verify};

/// A part of the cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Shelf {
    /// Trees by checksum.
    Store,
    /// Copies of git repositories.
    Git,
    /// Copies of indexes' files.
    Index,
    /// What was made from the others, or from skills, to answer faster.
    Tables,
}

impl Shelf {
    /// All of them.
    pub const ALL: [Shelf; 4] = [Shelf::Store, Shelf::Git, Shelf::Index, Shelf::Tables];

    /// Its directory below `$SKILLPM_HOME`.
    #[must_use]
    pub fn directory(self) -> &'static str {
        match self {
            Shelf::Store => "store",
            Shelf::Git => "git",
            Shelf::Index | Shelf::Tables => "index",
        }
    }

    /// What people call `count` of its entries.
    #[must_use]
    pub fn counted(self, count: usize) -> String {
        let (one, many) = match self {
            Shelf::Store => ("tree", "trees"),
            Shelf::Git => ("repository", "repositories"),
            Shelf::Index => ("index", "indexes"),
            Shelf::Tables => ("table", "tables"),
        };
        format!("{count} {}", if count == 1 { one } else { many })
    }
}

impl fmt::Display for Shelf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Shelf::Store => "store",
            Shelf::Git => "git",
            Shelf::Index => "index",
            Shelf::Tables => "tables",
        })
    }
}

/// What came of taking entries away.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Removed {
    /// What went away, or would.
    pub items: Vec<Item>,
    /// What stayed though it would have gone, and why.
    pub kept: Vec<(Item, String)>,
    /// How much there was.
    pub before: u64,
    /// How much there is now, or would be.
    pub after: u64,
}
