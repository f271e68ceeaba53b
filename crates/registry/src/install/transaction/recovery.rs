//! Recovery from a killed command, and the undoing of steps, which is the same: both go by the journal.

use std::path::{Component, Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::super::state_dir::{OwnFile, StateDir};
use super::super::undo;
use super::journal::{
    BACKUP, COMMITTED, JOURNAL, JournalStep, PREPARED, STAGE, TransactionJournal, parse_journal,
};
use skillpm_core::error::{Error, FailureKind, Result};
use skillpm_io::disk::{self, DirectoryHandles, EntryKind, FileIdentity, MoveOutcome, PartialTree};

/// A file or directory of the user that was moved into the backup.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SavedFile {
    /// Its path before.
    pub place: PathBuf,
    /// Its path in the backup.
    pub backup: PathBuf,
}

/// The result of a recovery.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RecoveryReport {
    /// Files that the user changed since the command was interrupted.
    pub saved: Vec<SavedFile>,
}

/// Recovers from a killed command: undoes steps that were not committed, cleans up after those that were. `None` if there
/// is no journal.
///
/// # Errors
/// [`Integrity`](FailureKind::Integrity) if the journal is not this user's, or one of skillpm's directories is a link; or if
/// the disk fails, or the journal is of another version of skillpm.
pub fn recover(dir: &StateDir) -> Result<Option<RecoveryReport>> {
    // Through a link the recovery would move and remove files somewhere else.
    dir.refuse_links()?;
    let mut handles = dir.handles();
    let saved = if let Some(journal) = read_journal(dir, JOURNAL)? {
        if journal.committed {
            clean_up(dir, &journal, &mut handles)?;
            Some(Vec::new())
        } else {
            Some(undo_steps(dir, &journal, &mut handles)?)
        }
    } else if let Some(journal) = read_journal(dir, COMMITTED)? {
        // After the commit only the cleanup is left.
        clean_up(dir, &journal, &mut handles)?;
        Some(Vec::new())
    } else {
        discard_prepared(dir, &mut handles)?.then(Vec::new)
    };

    remove_leftovers(dir)?;
    Ok(saved.map(|saved| RecoveryReport { saved }))
}

fn read_journal(dir: &StateDir, name: &str) -> Result<Option<TransactionJournal>> {
    let bytes = match dir.read_as(name, JOURNAL)? {
        OwnFile::Missing => return Ok(None),
        OwnFile::Untrusted => return Err(dir.untrusted_error(name)),
        OwnFile::Trusted(bytes) => bytes,
    };

    parse_journal(&bytes, dir).map(Some).ok_or_else(|| {
        let path = dir.path().join(name);
        Error::new(FailureKind::Disk, format!("failed to parse journal `{}`", path.display()))
            .help("another version of skillpm was interrupted here: run that version again, or remove the file")
    })
}

/// Removes what a command had staged that was killed before it changed anything. Returns whether there was one.
fn discard_prepared(dir: &StateDir, handles: &mut DirectoryHandles) -> Result<bool> {
    let found = dir.read_as(PREPARED, JOURNAL)?;
    if found == OwnFile::Missing {
        return Ok(false);
    }

    // A power failure may have left a part of the file; only the stage beside it is then known.
    if let OwnFile::Trusted(bytes) = found
        && let Some(journal) = parse_journal(&bytes, dir)
    {
        for stage in &journal.stages {
            handles.remove(stage)?;
        }
    }
    handles.remove(&dir.path().join(STAGE))?;
    handles.remove(&dir.path().join(PREPARED))?;
    Ok(true)
}

/// Removes the files of a command that was killed before it wrote a journal, or while it wrote a file here.
fn remove_leftovers(dir: &StateDir) -> Result<()> {
    let mut handles = dir.handles();
    for name in handles.list_names(dir.path())? {
        let path = dir.path().join(&name);
        if name == STAGE && !handles.list_names(&path)?.is_empty() {
            // Its journal was removed by hand: the only copy of replaced content may be here.
            move_stage_to_backup(dir, &path, &mut handles)?;
        } else if name == STAGE || name.starts_with(disk::TEMPORARY_PREFIX) {
            handles.remove(&path)?;
        }
    }

    // The other directory that files are written in. One that cannot be listed is named by the command that reads it.
    let entries = dir.path().join(undo::DIRECTORY);
    for name in handles.list_names(&entries).unwrap_or_default() {
        if name.starts_with(disk::TEMPORARY_PREFIX) {
            handles.remove(&entries.join(name))?;
        }
    }
    Ok(())
}

fn move_stage_to_backup(
    dir: &StateDir,
    stage: &Path,
    handles: &mut DirectoryHandles,
) -> Result<()> {
    let backup = dir.path().join(BACKUP);
    handles.create_dir(&backup)?;
    let to = handles.find_unused_name(&backup, STAGE)?;
    handles.move_into_place(stage, &to)?.require_moved(stage)
}

/// A journal that a command left or is writing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnfinishedJournal {
    /// Its path.
    pub path: PathBuf,
    /// Whether this user wrote it on this machine.
    pub is_trusted: bool,
    /// Whether this version of skillpm can recover from it.
    pub is_readable: bool,
}

/// Finds the journal that a killed command left in `dir`, or that a running one is writing; `None` if there is none.
///
/// # Errors
/// If it cannot be read.
pub fn find_unfinished(dir: &StateDir) -> Result<Option<UnfinishedJournal>> {
    // Only looked at: a running command may still be writing it.
    let path = dir.path().join(JOURNAL);
    let (is_trusted, is_readable) = match dir.read(JOURNAL)? {
        OwnFile::Missing => return Ok(None),
        OwnFile::Untrusted => (false, false),
        OwnFile::Trusted(bytes) => (true, parse_journal(&bytes, dir).is_some()),
    };
    Ok(Some(UnfinishedJournal {
        path,
        is_trusted,
        is_readable,
    }))
}

/// The paths that a recovery by a journal would change.
#[cfg(any(test, feature = "test-support"))]
#[derive(Debug)]
pub struct JournalPaths {
    /// Directories that it would delete.
    pub deleted: Vec<PathBuf>,
    /// The sources and destinations of its moves.
    pub moved: Vec<PathBuf>,
}

/// Reads the paths in the JSON of a journal; `None` if it would be refused.
#[cfg(any(test, feature = "test-support"))]
pub fn journal_paths(bytes: &[u8], dir: &StateDir) -> Option<JournalPaths> {
    let journal = parse_journal(bytes, dir)?;
    let moved = journal
        .steps
        .into_iter()
        .flat_map(|step| [step.place, step.staged])
        .collect();
    Some(JournalPaths {
        deleted: journal.stages,
        moved,
    })
}

/// Undoes all steps, the last first. Returns the files that the user changed meanwhile, which were moved into the backup.
pub(super) fn undo_steps(
    dir: &StateDir,
    journal: &TransactionJournal,
    handles: &mut DirectoryHandles,
) -> Result<Vec<SavedFile>> {
    let mut rollback = JournalRollback {
        dir,
        handles,
        saved: Vec::new(),
        has_unknown: false,
    };

    // In reverse: files that were moved into a new tree are moved out before it is removed.
    journal
        .steps
        .iter()
        .rev()
        .try_for_each(|step| rollback.undo_step(step))?;

    let JournalRollback {
        saved,
        has_unknown,
        handles,
        ..
    } = rollback;

    if has_unknown {
        // Old and new content cannot be distinguished, as after a disk was restored from a backup: keep all of it.
        for stage in &journal.stages {
            if handles.identity(stage)?.is_some() {
                move_stage_to_backup(dir, stage, handles)?;
            }
        }
    }

    clean_up(dir, journal, handles)?;
    // The innermost first; one with files of the user in it stays.
    for made in journal.made.iter().rev() {
        handles.remove_if_empty(made);
    }
    Ok(saved)
}

/// The state of undoing steps.
struct JournalRollback<'a> {
    dir: &'a StateDir,
    handles: &'a mut DirectoryHandles,
    saved: Vec<SavedFile>,
    /// Whether something staged is neither the new nor the old content of its step.
    has_unknown: bool,
}

impl JournalRollback<'_> {
    fn undo_step(&mut self, step: &JournalStep) -> Result<()> {
        let present = self.handles.identity(&step.place)?;
        let is_new = present.is_some() && present == step.new;

        // Nothing to restore: the step was not applied, or there was nothing before it.
        let Some(old_at) = self.find_old(step, present)? else {
            // Created where there was nothing: it is removed again.
            if is_new && step.old.is_none() {
                return self.remove_new(step);
            }
            // Content that no step explains must not be removed with the stage.
            let staged = self.handles.identity(&step.staged)?;
            self.has_unknown |=
                step.old.is_some() && present != step.old && staged.is_some() && staged != step.new;
            return Ok(());
        };

        // Nothing was changed since: one exchange, so that the path is never empty.
        if is_new && step.is_untouched()? {
            if old_at != step.staged {
                // The last rename of an exchange that was interrupted.
                self.handles
                    .move_into_place(&old_at, &step.staged)?
                    .require_moved(&old_at)?;
            }
            return self
                .handles
                .exchange(&step.staged, &step.place)?
                .require_moved(&step.place);
        }

        // A change of the user, or the rest of a directory that was being removed.
        if present.is_some() {
            if !is_new && is_part_of(&step.place, &old_at)? {
                self.handles.remove(&step.place)?;
            } else {
                self.move_to_backup(&step.place)?;
            }
        }

        // The user may have removed the directory since, with all skills in it.
        if let Some(parent) = step.place.parent() {
            self.handles.create_dir(parent)?;
        }
        self.handles
            .move_into_place(&old_at, &step.place)?
            .require_moved(&old_at)
    }

    /// Finds the old content of a step; `None` if it is still at its path, or there was none.
    ///
    /// Its identity alone is not enough: on an overlay a file gets another one when it is moved for the first time.
    fn find_old(
        &mut self,
        step: &JournalStep,
        present: Option<FileIdentity>,
    ) -> Result<Option<PathBuf>> {
        if step.old.is_none() {
            return Ok(None);
        }

        // On a file system without an exchange, or where the old content cannot be moved, all of it was moved aside first.
        // Unless that is a second name of the file that is still at its path, or the new content, from an interrupted undo.
        let aside = disk::aside_path(&step.staged);
        let aside_identity = self.handles.identity(&aside)?;
        if aside_identity.is_some() && aside_identity != present && aside_identity != step.new {
            return Ok(Some(aside));
        }

        let staged = self.handles.identity(&step.staged)?;
        // By its identity, or because nothing else can be staged: the new content is at the path
        // already, or there never was any.
        let is_new_at_place = present.is_some() && present == step.new;
        let is_old = staged == step.old || is_new_at_place || step.new.is_none();
        Ok((staged.is_some() && is_old).then(|| step.staged.clone()))
    }

    /// Removes content that was created where there was nothing.
    fn remove_new(&mut self, step: &JournalStep) -> Result<()> {
        if step.is_untouched()? {
            return self
                .handles
                .move_into_place(&step.place, &step.staged)?
                .require_moved(&step.place);
        }
        self.move_to_backup(&step.place)
    }

    /// Moves a file that the user changed into the backup.
    fn move_to_backup(&mut self, place: &Path) -> Result<()> {
        // In a directory of its own, in which the path is the one in the project.
        let backup = self.dir.path().join(BACKUP);
        let recovered = self.handles.find_unused_name(&backup, "recovered")?;
        let backup = recovered.join(backup_name(self.dir.root(), place));

        if let Some(parent) = backup.parent() {
            self.handles.create_dir(parent)?;
        }
        if self.handles.move_into_place(place, &backup)? == MoveOutcome::Unmovable {
            // Another file system: a copy, which is synced before the original is removed.
            let is_dir = disk::lstat(place)?.is_some_and(|meta| meta.is_dir());
            if is_dir {
                let found = read_files(place)?;
                // Removed below: what the copy does not have would be lost.
                if let Some(other) = found.left_out.first() {
                    return Err(Error::disk(format!(
                        "failed to copy `{}` to another file system",
                        place.join(other).display()
                    ))
                    .help("move it away, and run the command again"));
                }
                self.handles
                    .write_tree(&backup, &found.tree, &found.modes)?;
            } else if let Some(bytes) = disk::read(place)? {
                self.handles.write_file(&backup, &bytes)?;
            }
            self.handles.sync_tree(&recovered, usize::MAX)?;
            self.handles.remove(place)?;
        }

        self.saved.push(SavedFile {
            place: place.to_owned(),
            backup,
        });
        Ok(())
    }
}

/// Whether a directory has nothing but a part of the files of a copy: it was being removed file by file.
fn is_part_of(place: &Path, copy: &Path) -> Result<bool> {
    if !disk::lstat(place)?.is_some_and(|meta| meta.is_dir()) {
        return Ok(false);
    }
    let (Ok(rest), Ok(whole)) = (read_files(place), read_files(copy)) else {
        return Ok(false);
    };

    // Links and the like would be lost by the removal.
    let is_in_whole = |file| whole.tree.files().any(|known| known == file);
    Ok(rest.left_out.is_empty() && rest.tree.files().all(is_in_whole))
}

/// All files of a directory, whatever their names, with their permissions; links, devices and git's own are left out.
pub(super) fn read_files(dir: &Path) -> Result<PartialTree> {
    let is_file = |_: &str, kind| matches!(kind, EntryKind::File | EntryKind::Directory);
    disk::read_tree_filtered(dir, &is_file)
}

/// Removes the stages, and the journal last, so that a kill in between is finished by the next command.
pub(super) fn clean_up(
    dir: &StateDir,
    journal: &TransactionJournal,
    handles: &mut DirectoryHandles,
) -> Result<()> {
    for stage in &journal.stages {
        handles.remove(stage)?;
    }
    for name in [PREPARED, JOURNAL, COMMITTED] {
        handles.remove(&dir.path().join(name))?;
    }
    Ok(())
}

/// The name of a path in the backup.
pub(super) fn backup_name(root: &Path, path: &Path) -> PathBuf {
    // The path in the project, so that the user recognizes it; outside of it, the whole path.
    let path = path.strip_prefix(root).unwrap_or(path);
    path.components()
        .filter(|part| matches!(part, Component::Normal(_)))
        .collect()
}
