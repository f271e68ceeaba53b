//! Transactions: a plan is applied all or nothing.
//!
//! ```text
//! .skillpm/
//! ├── journal.json.new     before the first change: where something is staged, at last with all steps
//! ├── journal.json         the steps, from before the first change until after the last
//! ├── journal.json.done    after the last
//! ├── stage/               new trees and files before they are moved in, old ones after they are moved out
//! └── backup/              files of the user that were replaced
//! ```
//!
//! 1. Everything new is written into the stage, and into `journal.json.new` every step, with the identity (device and inode)
//!    of the new and the old content. All of that is synced to disk at once.
//! 2. The journal gets its name, and missing directories are created.
//! 3. Each step is one rename or one exchange, so a path has the old or the new content at every instant: first the trees,
//!    and when those are durable the texts that name them.
//! 4. The journal gets the name of a committed one; from here on nothing is undone.
//! 5. Stage and journal are removed.
//!
//! A failure before step 4 undoes the steps in reverse. A killed process leaves the journal, by which the next command
//! undoes or finishes: the identity of the content at a path shows whether its step was applied. Files that the user
//! changed there after the kill are moved into the backup before the old state is restored. Before step 2 nothing outside of
//! the stage has changed, so the next command only removes it.
//!
//! A journal that this user did not write on this machine is refused ([`super::state_dir`]). Every directory that is
//! written to, also for the journal, is opened once and kept open ([`DirectoryHandles`]), so that a link that is put into its
//! path cannot redirect a step.
//!
//! What is in the directory of an installed skill and not part of it ([`LocalFiles`]) is the user's: it is moved into the
//! content that replaces the skill, and stays at its path when the skill is removed. Only a link that replaces the
//! directory has no place for it: then it is moved into the backup.

mod journal;
mod recovery;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::{Path, PathBuf};

use super::state_dir::StateDir;
use skillpm_core::error::{Error, Result};
use skillpm_core::package::{Sha256Digest, Tree};
use skillpm_io::disk::{self, DirectoryHandles, MoveOutcome, PartialTree, TreeStamp};
use skillpm_io::linked_file;
use skillpm_io::local_files::{LocalFiles, is_at_or_below, is_kept_over_package};

use journal::{
    BACKUP, COMMITTED, ExpectedContent, JournalStep, PREPARED, STAGE, StagedContent,
    TransactionJournal, VERSION,
};
use recovery::{backup_name, clean_up, read_files, undo_steps};

pub use journal::{JOURNAL, STAGE_BESIDE};
#[cfg(any(test, feature = "test-support"))]
pub use recovery::{JournalPaths, journal_paths};
pub use recovery::{RecoveryReport, SavedFile, UnfinishedJournal, find_unfinished, recover};

/// A set of staged changes, which are undone if it is dropped without [`Transaction::commit`].
#[derive(Debug)]
pub struct Transaction {
    dir: StateDir,
    journal: TransactionJournal,
    /// The stage on the file system of each directory that something was staged for.
    stages: BTreeMap<PathBuf, PathBuf>,
    handles: DirectoryHandles,
    /// The number of staged files.
    files: usize,
    saved: Vec<SavedFile>,
    /// Whether the journal has its name, and how many steps were applied since.
    begun: bool,
    applied: usize,
    finished: bool,
}

impl Transaction {
    /// Begins a transaction whose journal is in `dir`, after recovering from an interrupted one.
    ///
    /// The caller has locked the project.
    ///
    /// # Errors
    /// If the directory cannot be written, or the recovery fails.
    pub fn begin(dir: &StateDir) -> Result<Transaction> {
        // First of all: the stage of a killed command has old trees that must be restored, not removed.
        recover(dir)?;

        // Recorded before they are created, so that they can be removed if all is undone.
        let made = disk::missing_dirs(dir.path());
        let mut handles = dir.handles();
        handles.create_dir(dir.path())?;

        let stage = dir.path().join(STAGE);
        let device = handles
            .identity(dir.path())?
            .map_or(0, |identity| identity.0);
        let stages = vec![stage.clone()];

        let journal = TransactionJournal {
            version: VERSION,
            committed: false,
            device,
            stages,
            made,
            steps: Vec::new(),
        };

        let (dir, stages, saved) = (dir.clone(), BTreeMap::new(), Vec::new());
        let mut transaction = Transaction {
            dir,
            journal,
            stages,
            handles,
            files: 0,
            saved,
            begun: false,
            applied: 0,
            finished: false,
        };

        // Not synced: after a power failure, a stage that no journal names is moved to the backup, or is empty.
        let bytes = transaction.seal_journal()?;
        let prepared = transaction.dir.path().join(PREPARED);
        transaction.handles.write_unsynced(&prepared, &bytes)?;
        transaction.handles.create_dir(&stage)?;
        Ok(transaction)
    }

    /// Stages a tree for `place`, replacing its present content but not `local`; returns the stamp that it will have there.
    ///
    /// `unchanged` is the stamp of the present content, if that must be unchanged when the step is applied.
    ///
    /// # Errors
    /// If the disk cannot be written.
    pub fn put_tree(
        &mut self,
        place: &Path,
        tree: &Tree,
        unchanged: Option<TreeStamp>,
        local: &LocalFiles,
    ) -> Result<TreeStamp> {
        let staged = self.staging_path(place)?;
        // Where a secret of the user has the path of a file of the package, the user's stays. What else is in the way of the
        // package moves to the backup.
        let is_in_the_way = |own: &str| {
            !is_kept_over_package(own) && (tree.file(own).is_some() || tree.has_directory(own))
        };
        let (moved, kept): (Vec<&String>, Vec<&String>) =
            local.entries.iter().partition(|own| is_in_the_way(own));
        let tree = tree.retain(|path| !kept.iter().any(|own| is_at_or_below(path, own)));
        let tree = &local.convert_line_ends(&tree);
        let mut stamp = self.handles.write_tree(&staged, tree, &local.modes)?;
        self.files += tree.len();

        let parents: BTreeSet<&str> = kept
            .iter()
            .filter_map(|own| Some(own.rsplit_once('/')?.0))
            .filter(|parent| !tree.has_directory(parent))
            .collect();
        if !parents.is_empty() {
            // Handles of their own: the path of the stage is that of the old directory once the two are exchanged.
            let mut handles = self.dir.handles();
            for parent in &parents {
                handles.create_dir(&staged.join(parent))?;
            }
            stamp = disk::stamp_tree(&staged)?.unwrap_or_default();
        }

        self.add_step(
            place,
            staged.clone(),
            unchanged.map(ExpectedContent::Tree),
            Some(StagedContent::Tree(stamp.clone())),
        )?;
        // After the tree's own step, which moves the old tree, with these files, to the stage or the backup.
        let old = self.moved_to(place).unwrap_or(staged);
        for own in kept {
            self.keep_file(&place.join(own), &place.join(own), &old.join(own))?;
        }
        for own in moved {
            let to = self.backup_for(&place.join(own))?;
            self.keep_file(&place.join(own), &to, &old.join(own))?;
        }
        Ok(stamp)
    }

    /// Stages a symbolic link for `place`, replacing its present content; `local` is moved into the backup.
    ///
    /// # Errors
    /// If the disk cannot be written.
    pub fn put_link(
        &mut self,
        place: &Path,
        target: &Path,
        unchanged: Option<TreeStamp>,
        local: &LocalFiles,
    ) -> Result<()> {
        let staged = self.staging_path(place)?;
        self.handles.make_link(&staged, target)?;

        // The target alone identifies a link; what it leads to is not skillpm's.
        let written = StagedContent::Link(target.to_owned());
        self.add_step(
            place,
            staged.clone(),
            unchanged.map(ExpectedContent::Tree),
            Some(written),
        )?;
        let old = self.moved_to(place).unwrap_or(staged);
        for own in &local.entries {
            let from = place.join(own);
            let to = self.backup_for(&from)?;
            self.keep_file(&from, &to, &old.join(own))?;
        }
        Ok(())
    }

    /// Stages a file for `place`, replacing its present content.
    ///
    /// # Errors
    /// If the disk cannot be written.
    pub fn put_file(&mut self, place: &Path, bytes: &[u8]) -> Result<()> {
        self.put_file_over(place, None, bytes)
    }

    /// Stages a change of the text at `place`, which is created if `before` is `None` and removed if `after` is. It must
    /// still be `before` when the step is applied. A link there stays, and the file changes that it leads to.
    ///
    /// # Errors
    /// If the disk cannot be written, or a link is not to be followed ([`linked_file`]).
    pub fn change_text(
        &mut self,
        place: &Path,
        before: Option<&str>,
        after: Option<&str>,
    ) -> Result<()> {
        let expected =
            before.map(|text| ExpectedContent::Text(Sha256Digest::hash_bytes(text.as_bytes())));

        match after {
            Some(after) => {
                // Among skillpm's own files no link is followed; in `$SKILLPM_HOME`, every link is the user's.
                let place = if place.starts_with(self.dir.path()) {
                    place.to_owned()
                } else if self.dir.is_of_user() {
                    linked_file::follow_link(place)?
                } else {
                    linked_file::follow_own_link(place)?
                };
                self.put_file_over(&place, expected, after.as_bytes())
            }
            None => {
                let staged = self.staging_path(place)?;
                self.add_step(place, staged, expected, None)
            }
        }
    }

    fn put_file_over(
        &mut self,
        place: &Path,
        expected: Option<ExpectedContent>,
        bytes: &[u8],
    ) -> Result<()> {
        let staged = self.staging_path(place)?;
        self.handles.write_file(&staged, bytes)?;
        self.files += 1;
        self.add_step(
            place,
            staged,
            expected,
            Some(StagedContent::Text(Sha256Digest::hash_bytes(bytes))),
        )
    }

    /// Stages the removal of the content at `place`; `local` stays there.
    ///
    /// # Errors
    /// If the disk cannot be written.
    pub fn remove(
        &mut self,
        place: &Path,
        unchanged: Option<TreeStamp>,
        local: &LocalFiles,
    ) -> Result<()> {
        if !local.entries.is_empty() {
            return self
                .put_tree(place, &Tree::default(), unchanged, local)
                .map(|_| ());
        }
        let staged = self.staging_path(place)?;
        self.add_step(place, staged, unchanged.map(ExpectedContent::Tree), None)
    }

    /// Moves the content at `place` into the backup, which outlives the transaction, as `name`.
    ///
    /// # Errors
    /// If the disk cannot be written.
    pub fn back_up(&mut self, place: &Path, name: &Path) -> Result<()> {
        let staged = self.dir.path().join(BACKUP).join(name);
        if let Some(parent) = staged.parent() {
            self.plan_dir(parent)?;
        }

        // Its identity decides during a recovery whether the move was made.
        let old = self.handles.identity(place)?;
        self.journal.steps.push(JournalStep {
            old,
            ..JournalStep::new(place, staged)
        });
        Ok(())
    }

    /// Moves what is in the backup as `name` back to `place`, from where an earlier step moves the present content away, of
    /// which `local` stays.
    ///
    /// # Errors
    /// If it is no longer there, or the disk cannot be read.
    pub fn restore_backup(&mut self, place: &Path, name: &Path, local: &LocalFiles) -> Result<()> {
        let backup = self.dir.path().join(BACKUP).join(name);
        if self.handles.identity(&backup)?.is_none() {
            return Err(Error::negative(format!(
                "cannot restore `{}`: its backup `{}` not found",
                place.display(),
                backup.display()
            )));
        }
        if let Some(parent) = place.parent() {
            self.plan_dir(parent)?;
        }
        self.keep_file(&backup, place, &backup)?;
        let old = self.moved_to(place).unwrap_or_default();
        for own in &local.entries {
            self.keep_file(&place.join(own), &place.join(own), &old.join(own))?;
        }
        Ok(())
    }

    /// Moves the user's files back from the backup; does nothing if they are no longer there, or something else is at
    /// their path.
    ///
    /// # Errors
    /// If the disk cannot be read.
    pub fn restore_saved(&mut self, saved: &SavedFile) -> Result<()> {
        let is_free = self.will_be_free(&saved.place)?;
        // A file that is there by now is the user's, too, and stays.
        let Some(new) = self.handles.identity(&saved.backup)?.filter(|_| is_free) else {
            return Ok(());
        };

        let step = JournalStep::new(&saved.place, saved.backup.clone());
        self.journal.steps.push(JournalStep {
            new: Some(new),
            written: Some(StagedContent::Own),
            ..step
        });
        Ok(())
    }

    /// Whether nothing is at a path after the steps so far, and it has a directory.
    fn will_be_free(&self, path: &Path) -> Result<bool> {
        let mut steps = self.journal.steps.iter().rev();
        let around = steps.find(|step| path.starts_with(&step.place));
        let future = match around {
            Some(step) if step.place != path && step.new.is_some() => step
                .staged
                .join(path.strip_prefix(&step.place).unwrap_or(path)),
            Some(_) => return Ok(false),
            None => path.to_owned(),
        };
        let has_directory = future.parent().is_none_or(Path::is_dir);
        Ok(has_directory && disk::lstat(&future)?.is_none())
    }

    /// The directories that are created for the staged content so far, outermost first.
    #[must_use]
    pub fn created_dirs(&self) -> &[PathBuf] {
        &self.journal.made
    }

    /// The user's files that are moved into the backup, since their skill is removed.
    #[must_use]
    pub fn saved(&self) -> &[SavedFile] {
        &self.saved
    }

    /// Applies all changes, or none.
    ///
    /// # Errors
    /// If a step fails; then all steps are undone.
    pub fn commit(mut self) -> Result<()> {
        self.apply()?;

        // Committed: a failure below leaves temporary files at most, which the next command removes.
        self.mark_committed()?;
        // From here on `drop` must not undo anything, even if the cleanup fails.
        self.finished = true;
        clean_up(&self.dir, &self.journal, &mut self.handles)
    }

    /// Applies what was staged so far. More can be staged after it, of what it has made; until the commit, all of it can
    /// still be undone.
    ///
    /// # Errors
    /// If a step fails; the transaction is then to be dropped, which undoes all steps.
    pub fn apply(&mut self) -> Result<()> {
        let (first, all) = (self.applied, self.journal.steps.len());
        if self.begun {
            self.add_staged_steps(first)?;
        } else {
            self.begin_steps()?;
            self.begun = true;
        }

        let mut steps = self.journal.steps[first..].iter();
        let texts = steps
            .position(|step| step.is_text)
            .map_or(all, |at| first + at);

        // Trees before texts: no lockfile names a tree that a power failure may lose.
        for part in [first..texts, texts..all]
            .into_iter()
            .filter(|part| !part.is_empty())
        {
            for at in part.clone() {
                // As on the lower layer of an overlay: it is replaced with a copy, which can be moved.
                if apply_step(&self.journal.steps[at], &mut self.handles)? == MoveOutcome::Unmovable
                {
                    self.replace_with_copy(at)?;
                    let step = &self.journal.steps[at];
                    apply_step(step, &mut self.handles)?.require_moved(&step.place)?;
                }

                let step = &self.journal.steps[at];
                // Checked after the move, when it can no longer be edited: an edit since the plan undoes everything.
                if let (Some(_), Some(expected)) = (step.old, &step.expected)
                    && !expected.is_at(&step.staged)?
                {
                    return Err(edited_error(&step.place));
                }
            }
            self.sync_steps(part)?;
        }
        self.applied = all;
        Ok(())
    }

    /// Makes durable what was staged after the first steps were applied, and adds it to the journal.
    fn add_staged_steps(&mut self, first: usize) -> Result<()> {
        if first == self.journal.steps.len() {
            return Ok(());
        }
        for step in &self.journal.steps[first..] {
            self.handles.sync_tree(&step.staged, 1)?;
        }
        self.save_journal()?;
        for made in &self.journal.made {
            self.handles.create_dir(made)?;
        }
        Ok(())
    }

    /// Makes the stage and the journal durable, and then creates missing directories.
    fn begin_steps(&mut self) -> Result<()> {
        let dir = self.dir.path();
        let (prepared, journal) = (dir.join(PREPARED), dir.join(JOURNAL));
        let bytes = self.seal_journal()?;
        self.handles.write_unsynced(&prepared, &bytes)?;

        // Synced before the journal has its name: a recovery must find all that it has to move, and the whole journal.
        let (main, beside) = self.journal.stages.split_at(1);
        for stage in beside {
            self.handles.sync_tree(stage, self.files)?;
        }
        let above = self
            .journal
            .made
            .iter()
            .filter(|made| dir.starts_with(made));
        let above = above.filter_map(|made| made.parent());
        self.handles
            .sync_trees([main[0].as_path(), &prepared], above, self.files + 1)?;
        self.handles.rename(&prepared, &journal)?;
        self.handles.sync([dir])?;

        for made in &self.journal.made {
            self.handles.create_dir(made)?;
        }
        Ok(())
    }

    /// Gives the journal the name of a committed one.
    fn mark_committed(&mut self) -> Result<()> {
        let dir = self.dir.path();
        let (journal, committed) = (dir.join(JOURNAL), dir.join(COMMITTED));
        self.handles.rename(&journal, &committed)?;
        self.handles.sync([dir]).inspect_err(|_| {
            // All steps are undone now, for which the journal must not say that they are not to be.
            let _ = self.handles.rename(&committed, &journal);
        })
    }

    /// Replaces a directory that cannot be moved with a copy, which can.
    ///
    /// While the original is removed file by file it is incomplete at its path. A complete copy is then aside, from which
    /// the next command restores it.
    fn replace_with_copy(&mut self, at: usize) -> Result<()> {
        let step = &self.journal.steps[at];
        let place = step.place.clone();
        let aside = disk::aside_path(&step.staged);
        let copy = disk::aside_path(&aside);
        // It is not the content that the step was made for; the second attempt reports that.
        if step.old.is_none() || self.handles.identity(&place)? != step.old {
            return Ok(());
        }

        let PartialTree { tree, modes, .. } = read_files(&place)?;
        check_replaceable(&self.journal.steps[at])?;

        // Synced, and in the journal, before any of the original is removed.
        self.handles.write_tree(&copy, &tree, &modes)?;
        self.handles.sync_tree(&copy, tree.len())?;
        let identity = self.handles.identity(&copy)?;

        let step = &mut self.journal.steps[at];
        (step.old, step.expected) = (identity, None);
        self.save_journal()?;

        self.handles
            .move_into_place(&copy, &aside)?
            .require_moved(&copy)?;
        self.handles.sync(aside.parent())?;
        // From here on its path is incomplete, and `aside` has the complete copy.
        self.handles.remove(&place)?;
        self.handles
            .move_into_place(&aside, &place)?
            .require_moved(&place)
    }

    /// Syncs the directories of these steps to disk, unless one was moved meanwhile; with the first that is applied also all
    /// directories that were created.
    fn sync_steps(&mut self, steps: Range<usize>) -> Result<()> {
        let made: &[PathBuf] = if steps.start == self.applied {
            &self.journal.made
        } else {
            &[]
        };

        let paths = self.journal.steps[steps]
            .iter()
            .flat_map(|step| [&step.place, &step.staged]);

        // Each directory once, however many skills are in it.
        let dirs: BTreeSet<&Path> = paths.chain(made).filter_map(|path| path.parent()).collect();

        // A directory that was moved away took the new content along, perhaps out of the project.
        for dir in &dirs {
            if !self.handles.is_still_at(dir)? {
                return Err(moved_error(dir));
            }
        }

        self.handles.sync(dirs)
    }

    /// Adds the step that moves the user's own file or directory at `from`, which an earlier step moves to `moved`, to
    /// `to`.
    fn keep_file(&mut self, from: &Path, to: &Path, moved: &Path) -> Result<()> {
        let new = disk::file_identity(from)?;
        let step = JournalStep::new(to, moved.to_owned());
        self.journal.steps.push(JournalStep {
            new,
            written: Some(StagedContent::Own),
            ..step
        });
        Ok(())
    }

    /// Creates a path in the backup for the user's file.
    fn backup_for(&mut self, own: &Path) -> Result<PathBuf> {
        let backup = self.dir.path().join(BACKUP);
        let kept = match self.saved.first() {
            // All files of one transaction are in the same directory.
            Some(saved) => backup.join(
                saved
                    .backup
                    .strip_prefix(&backup)
                    .ok()
                    .and_then(|path| path.iter().next())
                    .unwrap_or_default(),
            ),
            None => self.handles.find_unused_name(&backup, "kept")?,
        };

        let to = kept.join(backup_name(self.dir.root(), own));

        if let Some(parent) = to.parent() {
            self.plan_dir(parent)?;
        }

        self.saved.push(SavedFile {
            place: own.to_owned(),
            backup: to.clone(),
        });
        Ok(to)
    }

    /// A free name for staged content, on the file system of its destination.
    fn staging_path(&mut self, place: &Path) -> Result<PathBuf> {
        let parent = place.parent().unwrap_or(Path::new("/"));
        // Named after the step that is about to be added.
        let number = self.journal.steps.len().to_string();

        if let Some(stage) = self.stages.get(parent) {
            return Ok(stage.join(number));
        }

        let stage = self.stage_for(parent)?;
        let slot = stage.join(number);
        self.stages.insert(parent.to_owned(), stage);
        Ok(slot)
    }

    fn stage_for(&mut self, parent: &Path) -> Result<PathBuf> {
        self.plan_dir(parent)?;
        // A missing directory will be on the file system of the nearest one that exists.
        let there = parent
            .ancestors()
            .find(|above| matches!(disk::lstat(above), Ok(Some(_))))
            .unwrap_or(parent);
        let main = &self.journal.stages[0];
        if disk::can_move_between(main, there) {
            return Ok(main.clone());
        }

        // Another mount, which a rename cannot reach from here.
        let stage = there.join(STAGE_BESIDE);
        // On disk before it is created, so that neither a kill nor a power failure leaves one that is unknown.
        if !self.journal.stages.contains(&stage) {
            self.journal.stages.push(stage.clone());
            if self.begun {
                self.save_journal()?;
            } else {
                let bytes = self.seal_journal()?;
                self.handles
                    .write_atomic(&self.dir.path().join(PREPARED), &bytes)?;
            }
            self.handles.create_dir(&stage)?;
        }
        Ok(stage)
    }

    /// Plans to create a directory, once the journal has it as one to remove if all is undone; opens one that exists.
    fn plan_dir(&mut self, dir: &Path) -> Result<()> {
        let mut missing = disk::missing_dirs(dir);
        if missing.is_empty() {
            return self.handles.create_dir(dir);
        }
        missing.retain(|dir| !self.journal.made.contains(dir));
        self.journal.made.extend(missing);
        Ok(())
    }

    /// Adds the step that moves the written content to `place`, or only removes what is there.
    fn add_step(
        &mut self,
        place: &Path,
        staged: PathBuf,
        expected: Option<ExpectedContent>,
        written: Option<StagedContent>,
    ) -> Result<()> {
        // An earlier step moves the present content away, so there is nothing to exchange.
        let old = if self.moved_to(place).is_some() {
            None
        } else {
            self.handles.identity(place)?
        };

        let new = if written.is_some() {
            self.handles.identity(&staged)?
        } else {
            None
        };

        let is_text = matches!(written, Some(StagedContent::Text(_)));
        self.journal.steps.push(JournalStep {
            new,
            old,
            written,
            expected,
            is_text,
            ..JournalStep::new(place, staged)
        });
        Ok(())
    }

    /// Where an earlier step of this transaction moves the content at a path; `None` if there is none.
    fn moved_to(&self, place: &Path) -> Option<PathBuf> {
        let mut steps = self.journal.steps.iter();
        steps
            .find(|step| step.new.is_none() && step.written.is_none() && step.place == place)
            .map(|step| step.staged.clone())
    }

    fn save_journal(&mut self) -> Result<()> {
        let bytes = self.seal_journal()?;
        self.handles
            .write_atomic(&self.dir.path().join(JOURNAL), &bytes)
    }

    /// The bytes of the journal, whichever name it has.
    fn seal_journal(&self) -> Result<Vec<u8>> {
        self.dir
            .seal(JOURNAL, &self.journal.relative_to(self.dir.root()))
    }
}

impl Drop for Transaction {
    fn drop(&mut self) {
        if !self.finished {
            // A failure cannot be reported from `drop`; the journal then stays for the next command.
            let _ = undo_steps(&self.dir, &self.journal, &mut self.handles);
        }
    }
}

fn moved_error(dir: &Path) -> Error {
    Error::integrity(format!(
        "directory `{}` was moved while skillpm was writing to it",
        dir.display()
    ))
    .note("nothing was changed")
    .help("check what is at that path now, and run the command again")
}

/// Refuses to replace a directory with a copy of its package, if that would lose something.
fn check_replaceable(step: &JournalStep) -> Result<()> {
    let place = &step.place;
    if let Some(expected) = &step.expected
        && expected
            .is_at(place)
            .is_ok_and(|is_unchanged| !is_unchanged)
    {
        return Err(edited_error(place));
    }

    // The copy of a package would not contain the user's own files.
    if let Some(own) = read_files(place)?.left_out.first() {
        return Err(Error::negative(format!(
            "cannot move `{}`, which is not part of the skill",
            place.join(own).display()
        ))
        .note("nothing was changed")
        .help("move it away, and run the command again"));
    }
    Ok(())
}

fn edited_error(place: &Path) -> Error {
    Error::negative(format!(
        "refusing to replace `{}`: it was edited meanwhile",
        place.display()
    ))
    .help("nothing was changed; run the command again")
}

fn apply_step(step: &JournalStep, handles: &mut DirectoryHandles) -> Result<MoveOutcome> {
    match (step.new, step.old) {
        (Some(_), Some(_)) => handles.exchange(&step.staged, &step.place),
        (Some(_), None) => handles.move_into_place(&step.staged, &step.place),
        (None, Some(_)) => handles.move_into_place(&step.place, &step.staged),
        (None, None) => Ok(MoveOutcome::Moved),
    }
}
