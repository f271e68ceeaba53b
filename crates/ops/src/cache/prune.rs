//! `cache prune`: removes entries that were not used for long and that no known project requires.

use std::collections::BTreeSet;
use std::time::{Duration, SystemTime};

use super::{CacheContents, CacheEntry, CacheRemoval, SelectedEntries, read_contents};
use crate::CommandContext;
use crate::projects::{self, KnownProject};
use skillpm_core::error::Result;
use skillpm_core::package::Checksum;
use skillpm_io::disk;
use skillpm_io::git::cache as git;
use skillpm_registry::store::{ExclusiveStore, StoreEntry};

/// The age from which entries are removed by default.
pub const DEFAULT_AGE: Duration = Duration::from_hours(30 * 24);

/// Options of [`prune`].
#[derive(Debug, Clone, Copy)]
pub struct PruneOptions {
    /// Entries that were used within this time are kept.
    pub older_than: Duration,
    /// Reports what would be removed, and removes nothing.
    pub dry_run: bool,
}

/// Removes trees that no known project mentions, copies of repositories, and tables, if they were
/// not used for the given time. Copies of indexes are kept: later answers are compared with them.
///
/// # Errors
/// If another process uses the store for too long, a project's file cannot be read, or on an I/O
/// error.
pub fn prune(context: &CommandContext<'_>, options: PruneOptions) -> Result<CacheRemoval> {
    let home = &context.dirs.skillpm_home;
    let store = ExclusiveStore::open_exclusive(home, context.lock_timeout(), context.reporter)?;
    let projects = projects::known_projects(home)?;
    let contents = read_contents(context)?;

    // The clock was read in whole seconds, but file times are finer: round up.
    let now = context.start_time() + Duration::from_secs(1);
    let limit = AgeLimit {
        cutoff: now.checked_sub(options.older_than),
    };

    let mut kept = Vec::new();
    let selected = SelectedEntries {
        trees: select_trees(context, &contents, &projects, &limit, &mut kept)?,
        copies: contents
            .repositories
            .iter()
            .filter(|copy| limit.is_old(copy.used))
            .collect(),
        // Copies of indexes are kept: later answers are compared with them.
        items: contents
            .tables
            .iter()
            .filter(|table| limit.is_old(table.used))
            .collect(),
    };
    let removed = CacheRemoval {
        kept,
        ..CacheRemoval::from_items(selected.list(context), contents.bytes(context))
    };

    // A dry run reports the same, and returns here.
    if options.dry_run {
        return Ok(removed);
    }

    store.remove_leftovers()?;
    git::remove_leftovers(&home.join("git"))?;
    disk::remove_leftovers(&home.join("index"))?;
    selected.remove_files(home, &store)?;
    // After the trees: a project's record protects its trees.
    forget_projects(&projects, &limit)?;

    drop(store);
    selected.remove_copies(context)?;
    Ok(removed)
}

/// The time before which an entry is old.
struct AgeLimit {
    /// `None` if the clock does not go back that far: then nothing is old.
    cutoff: Option<SystemTime>,
}

impl AgeLimit {
    /// Whether an entry that was last used at `used` is old; never, if that is unknown.
    fn is_old(&self, used: Option<SystemTime>) -> bool {
        matches!((self.cutoff, used), (Some(before), Some(used)) if used <= before)
    }
}

/// The trees to remove; those that stay for a missing project are added to `kept`.
fn select_trees<'c>(
    context: &CommandContext<'_>,
    contents: &'c CacheContents,
    projects: &[KnownProject],
    limit: &AgeLimit,
    kept: &mut Vec<(CacheEntry, String)>,
) -> Result<Vec<&'c StoreEntry>> {
    // Every checksum in a project's files counts, even inside of a merge conflict.
    let mut needed: BTreeSet<Checksum> = BTreeSet::new();
    for project in projects {
        needed.extend(project.referenced_trees()?);
    }

    let unmounted = projects.iter().find(|project| project.may_return());
    let mut selected = Vec::new();
    for entry in contents
        .trees
        .iter()
        .filter(|entry| !needed.contains(&entry.checksum))
    {
        match unmounted {
            // Without a mark it was never finished, and under the exclusive lock it never will be.
            _ if entry.used.is_none() => selected.push(entry),
            _ if !limit.is_old(entry.used) => {}
            // The project may be on a disk that is not mounted now.
            Some(project) if entry.is_own => {
                let why = format!(
                    "project `{}` not found, but it may require the tree for `undo`",
                    project.root.display()
                );
                kept.push((CacheEntry::from_tree(context, entry), why));
            }
            _ => selected.push(entry),
        }
    }

    Ok(selected)
}

/// Removes the records of projects that were deleted.
fn forget_projects(projects: &[KnownProject], limit: &AgeLimit) -> Result<()> {
    for project in projects
        .iter()
        .filter(|project| !project.exists() && !project.may_return())
    {
        let Some(record) = &project.record_file else {
            continue;
        };
        // As for the entries above, only old ones are removed.
        let modified = disk::lstat(record)?.and_then(|meta| meta.modified().ok());
        if limit.is_old(modified) {
            disk::remove(record)?;
        }
    }

    Ok(())
}
