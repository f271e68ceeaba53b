//! Taking away what nobody has used for long and no known project needs.

use std::collections::BTreeSet;
use std::time::{Duration, SystemTime};

use super::{Contents, Item, Removed, contents};
use crate::error::Result;
use crate::io::disk;
use crate::io::git::cache::{self as git, Copy};
use crate::ops::Context;
use crate::ops::projects::{self, Project};
use crate::package::Checksum;
use crate::store::{Keeper, Kept};

/// What is younger stays, unless another age is asked for.
pub const DEFAULT_AGE: Duration = Duration::from_hours(30 * 24);

/// What to take away.
#[derive(Debug, Clone, Copy)]
pub struct PruneOptions {
    /// What was used since then stays.
    pub older_than: Duration,
    /// Tell what would go, and take nothing.
    pub dry_run: bool,
}

/// Takes away the trees that no known project mentions, copies of repositories, and tables, as far as none of them was
/// used for the given time. What indexes said stays: they are held to it.
///
/// # Errors
/// If somebody is in the store for too long, a project's file cannot be read, or the disk refuses.
pub fn prune(context: &Context<'_>, options: PruneOptions) -> Result<Removed> {
    let home = &context.places.skillpm;
    let keeper = Keeper::alone(home, context.patience(), context.reporter)?;
    let projects = projects::known(home)?;
    let contents = contents(context)?;
    // The clock was read in whole seconds, and marks are not written in those.
    let now = context.clock() + Duration::from_secs(1);
    let old = Old { before: now.checked_sub(options.older_than) };
    let mut removed = Removed { before: contents.bytes(context), ..Removed::default() };

    let trees = trees(context, &contents, &projects, &old, &mut removed)?;
    let copies: Vec<&Copy> = contents.repositories.iter().filter(|copy| old.holds(copy.used)).collect();
    let tables: Vec<&Item> = contents.tables.iter().filter(|table| old.holds(table.used)).collect();
    removed.items.extend(trees.iter().map(|kept| Item::of_tree(context, kept)));
    removed.items.extend(copies.iter().map(|copy| Item::of_copy(copy)));
    removed.items.extend(tables.iter().map(|table| (*table).clone()));
    let gone: u64 = removed.items.iter().map(|item| item.extent.bytes).sum();
    removed.after = removed.before - gone;
    if options.dry_run {
        return Ok(removed);
    }

    keeper.clear_up()?;
    keeper.take_away(trees)?;
    git::clear_up(&home.join("git"))?;
    disk::clear_up(&home.join("index"))?;
    disk::take_away(&home.join("index"), &tables.iter().map(|table| table.path.clone()).collect::<Vec<_>>())?;
    forget(&projects, &old)?;
    // Who works in a copy may be waiting for the store, and must not be waited for with it in hand.
    drop(keeper);
    git::take_away(&home.join("git"), &copies, context.patience(), context.reporter)?;
    Ok(removed)
}

/// What counts as old.
struct Old {
    /// `None` where the clock does not go back that far: nothing is old then.
    before: Option<SystemTime>,
}

impl Old {
    /// Whether something that was used then is old. What does not say when is not.
    fn holds(&self, used: Option<SystemTime>) -> bool {
        matches!((self.before, used), (Some(before), Some(used)) if used <= before)
    }
}

fn trees<'c>(
    context: &Context<'_>,
    contents: &'c Contents,
    projects: &[Project],
    old: &Old,
    removed: &mut Removed,
) -> Result<Vec<&'c Kept>> {
    let mut needed: BTreeSet<Checksum> = BTreeSet::new();
    for project in projects {
        needed.extend(project.mentions()?);
    }
    let away = projects.iter().find(|project| project.may_return());
    let mut gone = Vec::new();
    for kept in contents.trees.iter().filter(|kept| !needed.contains(&kept.checksum)) {
        match away {
            // Alone in the store, who finds no mark knows that nobody will write one.
            _ if kept.used.is_none() => gone.push(kept),
            _ if !old.holds(kept.used) => {}
            Some(project) if kept.is_own => {
                let why = format!("`{}` is not to be found, and may need it for `undo`", project.root.display());
                removed.kept.push((Item::of_tree(context, kept), why));
            }
            _ => gone.push(kept),
        }
    }
    Ok(gone)
}

/// Forgets the projects that are gone for good.
fn forget(projects: &[Project], old: &Old) -> Result<()> {
    for project in projects.iter().filter(|project| !project.is_there() && !project.may_return()) {
        let Some(note) = &project.note else { continue };
        let noted = disk::lstat(note)?.and_then(|meta| meta.modified().ok());
        if old.holds(noted) {
            disk::remove(note)?;
        }
    }
    Ok(())
}
