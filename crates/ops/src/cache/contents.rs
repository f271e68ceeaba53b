//! What the cache holds.

use std::path::PathBuf;
use std::time::SystemTime;

use super::Shelf;
use crate::error::Result;
use crate::io::disk::{self, Extent};
use crate::io::git::cache::{self as git, Copy};
use crate::ops::Context;
use crate::store::{self, Kept};

/// Everything that the cache holds.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Contents {
    /// Trees.
    pub trees: Vec<Kept>,
    /// Copies of repositories.
    pub repositories: Vec<Copy>,
    /// Copies of indexes.
    pub indexes: Vec<Item>,
    /// What was made to answer faster.
    pub tables: Vec<Item>,
}

/// One entry of the cache, as it is told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    /// What it is part of.
    pub shelf: Shelf,
    /// What it is called: the checksum of a tree, the name of a directory or a file.
    pub name: String,
    /// Where it is.
    pub path: PathBuf,
    /// How much it is.
    pub extent: Extent,
    /// When it was used last; `None` if that cannot be told.
    pub used: Option<SystemTime>,
}

/// How much a part of the cache is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Total {
    /// The part.
    pub shelf: Shelf,
    /// Where it is.
    pub path: PathBuf,
    /// How many entries.
    pub entries: usize,
    /// Their bytes.
    pub bytes: u64,
}

/// Looks at everything that the cache holds, and waits for nobody.
///
/// # Errors
/// If the disk refuses.
pub fn contents(context: &Context<'_>) -> Result<Contents> {
    let home = &context.places.skillpm;
    let mut contents =
        Contents { trees: store::glance(home)?, repositories: git::copies(&home.join("git"))?, ..Contents::default() };
    let root = home.join("index");
    for name in disk::names(&root)?.into_iter().filter(|name| !name.starts_with('.')) {
        let path = root.join(&name);
        let Some(meta) = disk::lstat(&path)? else { continue };
        let shelf = if meta.is_dir() && name != "search" { Shelf::Index } else { Shelf::Tables };
        let extent = disk::measure(&path)?;
        let item = Item { shelf, name, path, extent, used: extent.newest };
        if shelf == Shelf::Index { &mut contents.indexes } else { &mut contents.tables }.push(item);
    }
    Ok(contents)
}

impl Contents {
    /// How much each part is.
    #[must_use]
    pub fn totals(&self, context: &Context<'_>) -> Vec<Total> {
        let total = |shelf: Shelf, extents: Vec<u64>| Total {
            shelf,
            path: context.places.skillpm.join(shelf.directory()),
            entries: extents.len(),
            bytes: extents.iter().sum(),
        };
        let of_items = |items: &[Item]| items.iter().map(|item| item.extent.bytes).collect();
        vec![
            total(Shelf::Store, self.trees.iter().map(|kept| kept.extent.bytes).collect()),
            total(Shelf::Git, self.repositories.iter().map(|copy| copy.extent.bytes).collect()),
            total(Shelf::Index, of_items(&self.indexes)),
            total(Shelf::Tables, of_items(&self.tables)),
        ]
    }

    /// How many bytes it is in all.
    #[must_use]
    pub fn bytes(&self, context: &Context<'_>) -> u64 {
        self.totals(context).iter().map(|total| total.bytes).sum()
    }
}

impl Item {
    pub(super) fn of_tree(context: &Context<'_>, kept: &Kept) -> Item {
        Item {
            shelf: Shelf::Store,
            name: kept.checksum.to_string(),
            path: context.places.skillpm.join("store/sha256").join(kept.checksum.digest().to_string()),
            extent: kept.extent,
            used: kept.used,
        }
    }

    pub(super) fn of_copy(copy: &Copy) -> Item {
        Item {
            shelf: Shelf::Git,
            name: copy.name.clone(),
            path: copy.path.clone(),
            extent: copy.extent,
            used: copy.used,
        }
    }
}
