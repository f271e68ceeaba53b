//! `undo`: has what was there before the last command that changed something.

use std::path::Path;

use super::Context;
use super::sync::{found, hold};
use crate::error::{Error, Result};
use crate::install::state::{Record, State};
use crate::install::transaction::Transaction;
use crate::install::undo::{self, Entry, Step, Thing};
use crate::io::disk;
use crate::store::Store;
use crate::workspace::Sort;

/// What to undo, and how far to go.
#[derive(Debug, Clone, Copy)]
pub struct UndoOptions {
    /// Which project.
    pub sort: Sort,
    /// Tell what would be done, and do nothing.
    pub dry_run: bool,
}

/// Undoes the last command that changed a project; gives what it had done.
///
/// # Errors
/// If there is none, or what it put somewhere was changed since: that would be lost.
pub fn undo(context: &Context<'_>, options: UndoOptions) -> Result<Entry> {
    let held = hold(context, options.sort, None)?;
    let (root, state_dir) = (&held.workspace.root, &context.state_dir(&held.workspace));
    let (file, entry) = undo::last(state_dir)?;
    refuse_what_would_be_lost(root, &entry)?;
    if options.dry_run {
        return Ok(entry);
    }
    let store = Store::open(&context.places.skillpm, context.patience(), context.reporter)?;
    let mut changes = Transaction::begin(state_dir)?;
    let mut state = State::load(state_dir)?;
    let back = Back { context, store: &store };
    for step in &entry.places {
        if step.before != step.after {
            back.put(&mut changes, &root.join(step.place()), &step.before)?;
        }
        note(&mut state, step);
    }
    for directory in &entry.directories {
        back.put(&mut changes, &root.join(&directory.path), &directory.before)?;
    }
    for saved in &entry.saved {
        changes.give_back(saved)?;
    }
    for text in &entry.texts {
        changes.change_text(&root.join(&text.path), text.after.as_deref(), text.before.as_deref())?;
    }
    changes.remove(&file, None)?;
    changes.commit()?;
    for parent in entry.directories.iter().filter_map(|directory| directory.path.parent()) {
        disk::remove_if_empty(&root.join(parent));
    }
    state.inputs = None;
    state.sweep(root, &[]);
    let (path, bytes) = state.to_file(state_dir)?;
    disk::write_atomic(&path, &bytes)?;
    Ok(entry)
}

/// What can be undone, the last first.
///
/// # Errors
/// If there is no such project.
pub fn undoable(context: &Context<'_>, sort: Sort) -> Result<Vec<Entry>> {
    let workspace = context.workspace(sort)?;
    Ok(undo::entries(&context.state_dir(&workspace))?.into_iter().map(|(_, entry)| entry).collect())
}

fn refuse_what_would_be_lost(root: &Path, entry: &Entry) -> Result<()> {
    let mut changed = Vec::new();
    // What was only taken over is given back as it is now.
    let steps = entry.places.iter().filter(|step| step.before != step.after).map(|step| (step.place(), &step.after));
    let directories = entry.directories.iter().map(|directory| (directory.path.clone(), &directory.after));
    for (place, after) in steps.chain(directories) {
        if Thing::from(&found(&root.join(&place))?) != *after {
            changed.push(place.display().to_string());
        }
    }
    for text in &entry.texts {
        if disk::read_text(&root.join(&text.path))? != text.after {
            changed.push(text.path.display().to_string());
        }
    }
    if changed.is_empty() {
        return Ok(());
    }
    let changed: Vec<String> = changed.iter().map(|place| format!("`{place}`")).collect();
    let were = if changed.len() == 1 { "was" } else { "were" };
    let message = format!("{} {were} changed after `skillpm {}`", changed.join(", "), entry.command);
    Err(Error::negative(message)
        .note("to undo it would lose that change; nothing was changed")
        .help("take that change back first, or keep it and go on"))
}

/// What it takes to have things back.
struct Back<'a> {
    context: &'a Context<'a>,
    store: &'a Store,
}

impl Back<'_> {
    fn put(&self, changes: &mut Transaction, place: &Path, before: &Thing) -> Result<()> {
        match before {
            Thing::Nothing => changes.remove(place, None),
            Thing::Link(target) => changes.link(place, target, None),
            Thing::Tree(checksum) => {
                let tree = self.store.get(checksum, self.context.reporter)?.ok_or_else(|| {
                    Error::negative(format!("what `{}` was before is no longer in the store", place.display()))
                        .help("`skillpm update NAME --precise VERSION` goes to a version that can be had again")
                })?;
                changes.put(place, &tree, None).map(|_| ())
            }
            Thing::Other => Err(Error::negative(format!("what stood at `{}` was no skill", place.display()))
                .help("it was saved to `.skillpm/backup`")),
        }
    }
}

/// The state as it was, with places to be looked at anew.
fn note(state: &mut State, step: &Step) {
    let target = state.targets.entry(step.target.clone()).or_default();
    match (&step.before, step.base) {
        (Thing::Tree(_) | Thing::Link(_), Some(base)) => {
            let link = if let Thing::Link(link) = &step.before { Some(link.clone()) } else { None };
            let record = Record { link, edited: step.edited, ..Record::unseen(base) };
            target.insert(step.name.clone(), record);
        }
        _ => {
            target.remove(&step.name);
        }
    }
}
