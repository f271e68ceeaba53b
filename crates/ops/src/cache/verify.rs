//! `cache verify`: reads the whole cache and removes damaged entries, so that they are fetched
//! again.

use std::path::PathBuf;

use super::{CacheContents, CacheEntry, CachePart, read_contents};
use crate::CommandContext;
use skillpm_core::error::Result;
use skillpm_io::git::cache::{self as git};
use skillpm_io::{disk, run_parallel};
use skillpm_registry::index::find_damaged_copies;
use skillpm_registry::store::{ExclusiveStore, StoreDamage, StoreEntry};

/// A damaged entry of the cache.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DamagedEntry {
    /// The entry.
    pub item: CacheEntry,
    /// What is wrong with it, for messages.
    pub why: String,
    /// Where it was moved, if it was not removed because no source has it.
    pub set_aside: Option<PathBuf>,
}

/// The result of [`verify`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CacheVerification {
    /// The entries of the cache, damaged ones included.
    pub contents: CacheContents,
    /// The damaged entries, which were removed or moved.
    pub damaged: Vec<DamagedEntry>,
}

/// Checks every tree, every git pack and every copy of an index's file against its checksum, with
/// the store locked exclusively.
///
/// # Errors
/// If another process uses the store for too long, or on an I/O error.
pub fn verify(context: &CommandContext<'_>) -> Result<CacheVerification> {
    let store = ExclusiveStore::open_exclusive(
        &context.dirs.skillpm_home,
        context.lock_timeout(),
        context.reporter,
    )?;
    store.remove_leftovers()?;
    git::remove_leftovers(&context.dirs.skillpm_home.join("git"))?;
    disk::remove_leftovers(&context.dirs.skillpm_home.join("index"))?;

    let contents = read_contents(context)?;
    let mut damaged = verify_trees(context, &store, &contents)?;
    let of_indexes = verify_indexes(context, &contents)?;

    // Released first: a process that works in a copy may be waiting for the store.
    drop(store);
    damaged.extend(verify_repositories(context, &contents)?);
    damaged.extend(of_indexes);

    Ok(CacheVerification { contents, damaged })
}

/// The paths of damaged entries, each with what is wrong; nothing is removed.
///
/// # Errors
/// On an I/O error.
pub fn find_damage(context: &CommandContext<'_>) -> Result<Vec<(PathBuf, String)>> {
    let home = &context.dirs.skillpm_home;
    let contents = read_contents(context)?;
    // Shared: this only reads, and other commands continue.
    let store = ExclusiveStore::open_shared(home, context.lock_timeout(), context.reporter)?;

    let mut damaged = Vec::new();
    for entry in &contents.trees {
        // A tree without a mark may be in the middle of being added.
        if let Some(damage) = store
            .find_damage(entry)
            .filter(|damage| *damage != StoreDamage::Unfinished)
        {
            damaged.push((store.tree_path(entry), describe_damage(&damage)));
        }
    }

    for copy in &contents.repositories {
        damaged.extend(git::find_fault(&copy.path)?.map(|why| (copy.path.clone(), why)));
    }
    for index in &contents.indexes {
        damaged.extend(
            find_damaged_copies(&index.path)?
                .into_iter()
                .map(|path| (path, "it does not match its digest".into())),
        );
    }

    Ok(damaged)
}

fn verify_trees(
    context: &CommandContext<'_>,
    store: &ExclusiveStore,
    contents: &CacheContents,
) -> Result<Vec<DamagedEntry>> {
    // The limit for downloads is used for reading, too.
    let jobs = usize::try_from(context.config.number("net.jobs")).unwrap_or(1);
    // Hashing every file takes most of the time, so it is done in parallel.
    let found = run_parallel(jobs, &contents.trees, |entry| store.find_damage(entry));
    let damaged: Vec<(&StoreEntry, StoreDamage)> = contents
        .trees
        .iter()
        .zip(found)
        .filter_map(|(entry, damage)| Some((entry, damage?)))
        .collect();

    let mut reported = Vec::new();
    for (entry, damage) in &damaged {
        // No source has a tree with a user's edits: it is moved, not removed.
        let set_aside = if entry.is_own && *damage != StoreDamage::Unfinished {
            Some(store.quarantine(entry)?)
        } else {
            None
        };
        reported.push(DamagedEntry {
            item: CacheEntry::from_tree(context, entry),
            why: describe_damage(damage),
            set_aside,
        });
    }

    // A tree in quarantine has left the store already.
    let removed = damaged
        .iter()
        .zip(&reported)
        .filter(|(_, report)| report.set_aside.is_none());
    store.remove_entries(removed.map(|((entry, _), _)| *entry))?;

    Ok(reported)
}

fn describe_damage(damage: &StoreDamage) -> String {
    match damage {
        StoreDamage::Unfinished => "it was never completely written".into(),
        StoreDamage::Differs => "its files do not match its checksum".into(),
        StoreDamage::Unreadable(why) => why.clone(),
    }
}

fn verify_repositories(
    context: &CommandContext<'_>,
    contents: &CacheContents,
) -> Result<Vec<DamagedEntry>> {
    let root = context.dirs.skillpm_home.join("git");
    let faults = run_parallel(2, &contents.repositories, |copy| {
        git::find_fault(&copy.path)
    });
    let mut damaged = Vec::new();
    for (copy, fault) in contents.repositories.iter().zip(faults) {
        let Some(why) = fault? else { continue };
        git::remove_cached(&root, &[copy], context.lock_timeout(), context.reporter)?;
        damaged.push(DamagedEntry {
            item: CacheEntry::from_copy(copy),
            why,
            set_aside: None,
        });
    }
    Ok(damaged)
}

fn verify_indexes(
    context: &CommandContext<'_>,
    contents: &CacheContents,
) -> Result<Vec<DamagedEntry>> {
    let mut damaged = Vec::new();
    for index in &contents.indexes {
        for path in find_damaged_copies(&index.path)? {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let item = CacheEntry {
                part: CachePart::Index,
                name: format!("{}/{name}", index.name),
                extent: disk::measure_usage(&path)?,
                used: None,
                path: path.clone(),
            };

            disk::remove_entries(&context.dirs.skillpm_home.join("index"), &[path])?;
            damaged.push(DamagedEntry {
                item,
                why: "it does not match its digest".into(),
                set_aside: None,
            });
        }
    }
    Ok(damaged)
}
