//! `undo`: restores the project from before the last command that changed it.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::CommandContext;
use super::catalog_sections::{find_sections, update_sections};
use super::other_scope::OtherScope;
use super::sync::{inspect_installed, lock_project};
use skillpm_core::error::{Error, Result};
use skillpm_core::package::{Checksum, LineEnd};
use skillpm_core::report::ProgressEvent;
use skillpm_io::disk;
use skillpm_io::local_files::{InstalledReader, LocalFiles};
use skillpm_registry::install::plan::ScopeOwner;
use skillpm_registry::install::state::{InstalledSkill, ProjectState};
use skillpm_registry::install::state_dir::StateDir;
use skillpm_registry::install::transaction::Transaction;
use skillpm_registry::install::undo::{self, UndoContent, UndoEntry, UndoStep};
use skillpm_registry::store::Store;
use skillpm_registry::workspace::WorkspaceKind;

/// What to undo, and how.
#[derive(Debug, Clone, Copy)]
pub struct UndoOptions {
    /// Which project.
    pub sort: WorkspaceKind,
    /// Whether to report the changes without making them.
    pub dry_run: bool,
    /// Whether skills that were changed since are moved to the backup, instead of being a reason to refuse.
    pub force: bool,
}

/// Undoes the last command that changed a project; returns the changes of that command.
///
/// # Errors
/// If there is none, or files of it were changed since, which would be lost.
pub fn undo(context: &CommandContext<'_>, options: UndoOptions) -> Result<UndoEntry> {
    refuse_without_project(context, options.sort)?;
    let project = lock_project(context, options.sort, None)?;
    let (root, state_dir) = (
        &project.workspace.root,
        &context.state_dir(&project.workspace),
    );

    let (file, entry) = undo::last_entry(state_dir)?;
    let store = context.store()?;
    let stored = |checksum: &Checksum| store.get(checksum, context.reporter).ok()?;
    let installed = InstalledReader::new(root, &stored);
    let edited = find_changed_places(root, &entry, installed)?;
    refuse_what_would_be_lost(root, &entry, if options.force { &[] } else { &edited })?;
    let others = OtherScope::read(
        context,
        &project.workspace,
        entry.places.iter().map(|step| step.target.as_path()),
    )?;
    // Where nothing is, nothing of the other scope can be lost.
    let owner = |step: &UndoStep| {
        let directory = step.directory.as_ref().unwrap_or(&step.name);
        let owner = others.owner(&step.target, directory);
        owner.filter(|_| step.after != UndoContent::Nothing)
    };
    refuse_shared(&entry, &owner)?;

    if options.dry_run {
        return Ok(entry);
    }

    let sections = find_sections(context, &project.workspace)?;
    let mut changes = Transaction::begin(state_dir)?;
    let mut state = ProjectState::load(state_dir)?;

    let restore = RestoreContext {
        context,
        root,
        store: &store,
        installed,
        edited: &edited,
        state_dir,
        saved: RefCell::default(),
        is_shared: &|step| owner(step).is_some(),
    };
    restore.restore_entry(&mut changes, &mut state, &entry)?;
    // The undo entry is removed in the same transaction, so that it cannot be undone twice.
    changes.remove(&file, None, &LocalFiles::default())?;
    let sections = update_sections(context, root, &sections, &mut changes)?;
    changes.commit()?;
    sections.report(context.reporter);
    for (place, aside) in restore.saved.take() {
        let aside = state_dir.path().join("backup").join(aside);
        let aside = aside.strip_prefix(root).unwrap_or(&aside).display();
        context.reporter.report(ProgressEvent::Done {
            verb: "Saved",
            what: format!("the present files of {} in {aside}", place.display()),
        });
    }

    // A parent that the command created is removed again, unless something else is in it by now.
    let restored = entry.directories.iter();
    for parent in restored.filter_map(|directory| directory.path.parent()) {
        disk::remove_if_empty(&root.join(parent));
    }

    // Without a digest the next command reads the skills instead of trusting the state.
    state.inputs = None;
    state.remove_empty_dirs(root, &[]);
    state.save(state_dir)?;

    Ok(entry)
}

/// The undo entries of a project, the last first.
///
/// # Errors
/// If there is no such project.
pub fn undoable_entries(
    context: &CommandContext<'_>,
    sort: WorkspaceKind,
) -> Result<Vec<UndoEntry>> {
    refuse_without_project(context, sort)?;
    let workspace = context.workspace(sort)?;
    Ok(undo::entries(&context.state_dir(&workspace))?
        .into_iter()
        .map(|(_, entry)| entry)
        .collect())
}

/// Refuses where no project is: the first command of one is undone with its manifest.
fn refuse_without_project(context: &CommandContext<'_>, kind: WorkspaceKind) -> Result<()> {
    if kind == WorkspaceKind::Managed || context.project()?.is_some() {
        return Ok(());
    }
    let here = context.dirs.cwd.display();
    Err(Error::usage("nothing to undo here")
        .note(format!(
            "could not find `skillpm.toml` in `{here}` or any parent directory"
        ))
        .help("`skillpm status` shows what is here; `skillpm add` starts a project"))
}

/// The skills and directories that are no longer as the command left them.
fn find_changed_places(
    root: &Path,
    entry: &UndoEntry,
    installed: InstalledReader<'_>,
) -> Result<Vec<PathBuf>> {
    let mut changed = Vec::new();
    // Adopted skills were not changed, and stay as they are.
    let steps = entry
        .places
        .iter()
        .filter(|step| step.before != step.after)
        .map(|step| (step.path(), &step.after));
    let directories = entry
        .directories
        .iter()
        .map(|directory| (directory.path.clone(), &directory.after));

    for (path, after) in steps.chain(directories) {
        let present = inspect_installed(installed, &root.join(&path), tree_of(after))?;
        if UndoContent::from(&present) != *after {
            changed.push(path);
        }
    }
    Ok(changed)
}

fn refuse_what_would_be_lost(root: &Path, entry: &UndoEntry, places: &[PathBuf]) -> Result<()> {
    let mut changed: Vec<String> = places
        .iter()
        .map(|path| path.display().to_string())
        .collect();

    // A text that was edited since would lose that edit, as a skill would.
    for text in &entry.texts {
        if disk::read_text(&root.join(&text.path))? != text.after {
            changed.push(text.path.display().to_string());
        }
    }

    if changed.is_empty() {
        return Ok(());
    }

    let changed: Vec<String> = changed.iter().map(|path| format!("`{path}`")).collect();
    let were = if changed.len() == 1 { "was" } else { "were" };
    let message = format!(
        "cannot undo `skillpm {}`: {} {were} changed since",
        entry.command,
        changed.join(", ")
    );

    let error =
        Error::negative(message).note("undoing it would lose that change; nothing was changed");
    Err(if changed.len() == places.len() {
        error.help("`skillpm undo --force` moves the present files to `.skillpm/backup`")
    } else {
        error.help("revert that change first; `git diff` shows it if the file is in git")
    })
}

/// Refuses to replace a skill that the other scope has installed, too. One that would be removed stays, and is no error.
fn refuse_shared<'o>(
    entry: &UndoEntry,
    owner: &dyn Fn(&UndoStep) -> Option<&'o ScopeOwner>,
) -> Result<()> {
    let mut replaced = entry
        .places
        .iter()
        .filter(|step| step.before != step.after && step.before != UndoContent::Nothing);
    let Some((step, owner)) = replaced.find_map(|step| Some((step, owner(step)?))) else {
        return Ok(());
    };
    Err(Error::negative(format!(
        "cannot undo `skillpm {}`: `{}` belongs to {owner}, too",
        entry.command,
        step.path().display()
    ))
    .note("undoing it would replace it; nothing was changed")
    .help(format!(
        "to have it in one of the two only, run `{}`",
        owner.remove_command(&step.name)
    )))
}

/// Restores skills from the store.
struct RestoreContext<'a> {
    context: &'a CommandContext<'a>,
    root: &'a Path,
    store: &'a Store,
    installed: InstalledReader<'a>,
    /// The places that were changed since, whose content is moved to the backup.
    edited: &'a [PathBuf],
    state_dir: &'a StateDir,
    /// What was moved to the backup, and its path there.
    saved: RefCell<Vec<(PathBuf, PathBuf)>>,
    /// Whether the other scope has the skill in the same directory.
    is_shared: &'a dyn Fn(&UndoStep) -> bool,
}

/// The checksum of a directory that an entry records; `None` if it is something else.
fn tree_of(content: &UndoContent) -> Option<&Checksum> {
    match content {
        UndoContent::Tree(checksum) => Some(checksum),
        _ => None,
    }
}

impl RestoreContext<'_> {
    /// Restores everything that an entry records: skills and their records, directories, saved
    /// files, texts.
    fn restore_entry(
        &self,
        changes: &mut Transaction,
        state: &mut ProjectState,
        entry: &UndoEntry,
    ) -> Result<()> {
        for step in &entry.places {
            // Steps without a change on disk only change the state.
            if step.before != step.after && !(self.is_shared)(step) {
                let path = self.root.join(step.path());
                let contents = (&step.before, &step.after);
                self.restore(changes, &path, contents, &step.line_ends)?;
            }
            // Also for skills that stay: the state must record their edits as edits again.
            restore_record(state, step);
        }

        for directory in &entry.directories {
            let path = self.root.join(&directory.path);
            let contents = (&directory.before, &directory.after);
            self.restore(changes, &path, contents, &BTreeMap::new())?;
        }

        // After the skills, in which these files are.
        for saved in &entry.saved {
            changes.restore_saved(saved)?;
        }

        for text in &entry.texts {
            let path = self.root.join(&text.path);
            changes.change_text(&path, text.after.as_deref(), text.before.as_deref())?;
        }
        Ok(())
    }

    fn restore(
        &self,
        changes: &mut Transaction,
        path: &Path,
        (before, after): (&UndoContent, &UndoContent),
        line_ends: &BTreeMap<String, LineEnd>,
    ) -> Result<()> {
        let mut local = LocalFiles::default();
        if disk::lstat(path)?.is_some_and(|meta| meta.is_dir()) {
            let found = self.installed.read(path, tree_of(after))?;
            // Merged or carried edits may exist only here: they are stored first.
            if !found.tree.is_empty() {
                self.store.put_own(&found.tree, &found.local.modes)?;
            }
            local = found.local;
        }

        let place = path.strip_prefix(self.root).unwrap_or(path);
        let is_edited = self.edited.iter().any(|edited| edited == place);
        if is_edited && disk::lstat(path)?.is_some() && !matches!(before, UndoContent::Saved(_)) {
            self.back_up(changes, path)?;
            // Nothing of it is left to be removed.
            if *before == UndoContent::Nothing && local.entries.is_empty() {
                return Ok(());
            }
        }

        match before {
            UndoContent::Nothing => changes.remove(path, None, &local),
            UndoContent::Link(target) => changes.put_link(path, target, None, &local),
            UndoContent::Tree(checksum) => {
                let stored = self.store.get_with_modes(checksum, self.context.reporter)?;
                let (tree, modes) = stored.ok_or_else(|| {
                    Error::negative(format!("previous content of `{}` not found in the store", path.display()))
                        .help("to install a version that can be fetched again, run `skillpm update NAME --precise VERSION`")
                })?;
                local.modes.extend(modes);
                local.line_ends.extend(line_ends.clone());
                changes.put_tree(path, &tree, None, &local).map(|_| ())
            }
            UndoContent::Saved(name) => {
                // Moved aside, and not removed: it may have more than the skill.
                self.back_up(changes, path)?;
                changes.restore_backup(path, name, &local)
            }
            UndoContent::Other => Err(Error::negative(format!(
                "cannot restore `{}`: it was not a skill",
                path.display()
            ))
            .help("its backup is in `.skillpm/backup`")),
        }
    }
}

impl RestoreContext<'_> {
    /// Moves what is at a path to the backup.
    fn back_up(&self, changes: &mut Transaction, path: &Path) -> Result<()> {
        let place = path.strip_prefix(self.root).unwrap_or(path);
        let kept = place.strip_prefix("/").unwrap_or(place);
        let kept = Path::new("undo").join(kept);
        let aside = self.state_dir.free_backup_name(self.context.now, &kept);
        changes.back_up(path, &aside)?;
        self.saved.borrow_mut().push((place.to_owned(), aside));
        Ok(())
    }
}

/// Restores the state of a skill, without a stamp, so that it is read again.
fn restore_record(state: &mut ProjectState, step: &UndoStep) {
    let target = state.targets.entry(step.target.clone()).or_default();

    match (&step.before, step.base) {
        (UndoContent::Tree(_) | UndoContent::Link(_) | UndoContent::Saved(_), Some(base)) => {
            let link = if let UndoContent::Link(link) = &step.before {
                Some(link.clone())
            } else {
                None
            };
            let record = InstalledSkill {
                link,
                edited: step.edited,
                format: step.conversion.map(|conversion| conversion.to),
                package: step.conversion.map(|conversion| conversion.package),
                ..InstalledSkill::without_stamp(base)
            };
            target.insert(step.name.clone(), record);
        }
        // It was not installed by skillpm: it is removed from the state.
        _ => {
            target.remove(&step.name);
        }
    }
}
