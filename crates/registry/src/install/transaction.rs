//! Transactions: a plan is applied all or nothing.
//!
//! ```text
//! .skillpm/
//! ├── journal.json     the steps, from before the first change until after the last
//! ├── stage/           new trees and files before they are moved in, old ones after they are moved out
//! └── backup/          files of the user that were replaced
//! ```
//!
//! 1. Everything new is written into the stage and synced to disk.
//! 2. The journal is written: every step, with the identity (device and inode) of the new and the old content.
//! 3. Each step is one rename or one exchange, so a path has the old or the new content at every instant: first the trees,
//!    and when those are durable the texts that name them.
//! 4. The journal is marked as committed; from here on nothing is undone.
//! 5. Stage and journal are removed.
//!
//! A failure before step 4 undoes the steps in reverse. A killed process leaves the journal, by which the next command
//! undoes or finishes: the identity of the content at a path shows whether its step was applied. Files that the user
//! changed there after the kill are moved into the backup before the old state is restored.
//!
//! A journal that this user did not write on this machine is refused ([`super::state_dir`]). Every directory that is
//! written to is opened once and kept open ([`DirectoryHandles`]), so that a link that is put into its path cannot redirect
//! a step.
//!
//! Files in an installed skill that cannot be part of a package (`.git`, `.DS_Store`) are the user's: they are moved into
//! the content that replaces the skill, or else into the backup.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::{Component, Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::state_dir::{OwnFile, StateDir};
use skillpm_core::error::{Error, FailureKind, Result};
use skillpm_core::package::{Sha256Digest, Tree};
use skillpm_io::disk::{self, DirectoryHandles, FileIdentity, MoveOutcome, TreeStamp};

/// The name of the journal.
pub const JOURNAL: &str = "journal.json";
const STAGE: &str = "stage";
const BACKUP: &str = "backup";
/// The name of a stage beside a target on another file system.
pub const STAGE_BESIDE: &str = ".skillpm-stage";
const VERSION: u32 = 2;

#[derive(Debug, Clone, Serialize, Deserialize)]
struct TransactionJournal {
    version: u32,
    committed: bool,
    /// The device that the journal was written on: it may have another number after a reboot.
    device: u64,
    /// Directories of staged content, to be removed at the end.
    stages: Vec<PathBuf>,
    /// Directories that were created for this, to be removed if it is undone and they are empty.
    made: Vec<PathBuf>,
    steps: Vec<JournalStep>,
}

/// One change: the contents of `place` and `staged` are exchanged.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct JournalStep {
    place: PathBuf,
    staged: PathBuf,
    /// The identity of the new content; `None` where something is only removed.
    new: Option<FileIdentity>,
    /// The identity of the old content; `None` where there was none.
    old: Option<FileIdentity>,
    /// The new content as it was written; `None` where something is only removed.
    written: Option<StagedContent>,
    /// The content that the old one must still have when it is moved out; `None` where any is fine.
    #[serde(skip)]
    expected: Option<ExpectedContent>,
    /// Whether it is a text that names trees, such as a lockfile.
    #[serde(skip)]
    is_text: bool,
}

/// The content that a step writes, so that a recovery can detect whether the user changed it since.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum StagedContent {
    Tree(TreeStamp),
    Text(Sha256Digest),
    Link(PathBuf),
    /// The user's own file or directory, which is only moved.
    Own,
}

/// The content that a step expects to replace or remove.
#[derive(Debug, Clone)]
enum ExpectedContent {
    Tree(TreeStamp),
    Text(Sha256Digest),
}

impl ExpectedContent {
    /// Whether `path` still has this content.
    fn is_at(&self, path: &Path) -> Result<bool> {
        match self {
            ExpectedContent::Tree(stamp) => Ok(stamp.is_current(path)),
            ExpectedContent::Text(digest) => {
                Ok(disk::read(path)?
                    .is_some_and(|bytes| Sha256Digest::hash_bytes(&bytes) == *digest))
            }
        }
    }
}

impl TransactionJournal {
    /// The journal as it is written, with paths in the project relative to its root.
    fn relative_to(&self, root: &Path) -> TransactionJournal {
        self.map_paths(|path| path.strip_prefix(root).unwrap_or(path).to_owned())
    }

    /// The journal as it is used, with absolute paths.
    fn absolute_from(&self, root: &Path) -> TransactionJournal {
        self.map_paths(|path| root.join(path))
    }

    fn map_paths(&self, map: impl Fn(&Path) -> PathBuf) -> TransactionJournal {
        let step = |step: &JournalStep| JournalStep {
            place: map(&step.place),
            staged: map(&step.staged),
            ..step.clone()
        };
        TransactionJournal {
            stages: self.stages.iter().map(|path| map(path)).collect(),
            made: self.made.iter().map(|path| map(path)).collect(),
            steps: self.steps.iter().map(step).collect(),
            ..*self
        }
    }

    /// The journal with the present number of its device.
    fn on_device(mut self, now: u64) -> TransactionJournal {
        let then = self.device;
        let identities = self
            .steps
            .iter_mut()
            .flat_map(|step| [&mut step.new, &mut step.old])
            .flatten();

        identities
            .filter(|identity| identity.0 == then)
            .for_each(|identity| identity.0 = now);

        TransactionJournal {
            device: now,
            ..self
        }
    }

    /// Whether it names nothing but stages, backups, and paths for which it has staged content.
    ///
    /// A journal of this user always does; it is checked all the same, also for `..`, before anything is deleted.
    fn is_confined(&self, dir: &StateDir) -> bool {
        let (stage, backup) = (dir.path().join(STAGE), dir.path().join(BACKUP));
        let is_plain = |path: &Path| {
            path.components()
                .all(|part| !matches!(part, Component::ParentDir))
        };
        let is_stage = |path: &Path| {
            *path == *stage || path.file_name().is_some_and(|name| name == STAGE_BESIDE)
        };
        let is_staged = |path: &Path| {
            let is_in_stage = path
                .ancestors()
                .skip(1)
                .any(|above| self.stages.iter().any(|stage| stage == above));
            is_in_stage || path.starts_with(&backup)
        };
        let is_above_place = |made: &Path| {
            let steps = self
                .steps
                .iter()
                .flat_map(|step| [&step.place, &step.staged]);
            made == dir.path()
                || made == backup
                || steps.into_iter().any(|path| path.starts_with(made))
        };

        let paths = self
            .steps
            .iter()
            .flat_map(|step| [&step.place, &step.staged]);
        paths.chain(&self.stages).chain(&self.made).all(|path| is_plain(path))
            && self.stages.iter().all(|path| is_stage(path))
            && self.steps.iter().all(|step| is_staged(&step.staged))
            // One that is being created when the command is killed has no step yet; it is removed only if it is empty.
            && self.made.iter().all(|path| is_above_place(path) || path.starts_with(dir.root()) || self.steps.is_empty())
    }
}

/// A file or directory of the user that was moved into the backup.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SavedFile {
    /// Its path before.
    pub place: PathBuf,
    /// Its path in the backup.
    pub backup: PathBuf,
}

/// A set of staged changes, which are undone if it is dropped without [`Transaction::commit`].
#[derive(Debug)]
pub struct Transaction {
    dir: StateDir,
    journal: TransactionJournal,
    /// The stage on the file system of each directory that something was staged for.
    stages: BTreeMap<PathBuf, PathBuf>,
    handles: DirectoryHandles,
    files: usize,
    saved: Vec<SavedFile>,
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
        let mut handles = open_handles(dir);
        handles.create_dir(dir.path())?;

        let stage = dir.path().join(STAGE);
        let device = disk::file_identity(dir.path())?.map_or(0, |identity| identity.0);
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
            finished: false,
        };

        transaction.handles.create_dir(&stage)?;
        transaction.save_journal()?;
        Ok(transaction)
    }

    /// Stages a tree for `place`, replacing its present content; returns the stamp that it will have there.
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
    ) -> Result<TreeStamp> {
        let staged = self.staging_path(place)?;
        let stamp = self.handles.write_tree(&staged, tree)?;
        self.files += tree.len();

        // The user's own files in the old directory, such as `.git`, move to the new one.
        let own = self.list_user_files(place)?;
        self.add_step(
            place,
            staged.clone(),
            unchanged.map(ExpectedContent::Tree),
            Some(StagedContent::Tree(stamp.clone())),
        )?;
        // After the tree's own step, which moves the old tree, with these files, to the stage.
        self.keep_user_files(&own, place, &staged, Some(tree))?;
        Ok(stamp)
    }

    /// Stages a symbolic link for `place`, replacing its present content.
    ///
    /// # Errors
    /// If the disk cannot be written.
    pub fn put_link(
        &mut self,
        place: &Path,
        target: &Path,
        unchanged: Option<TreeStamp>,
    ) -> Result<()> {
        let staged = self.staging_path(place)?;
        self.handles.make_link(&staged, target)?;

        let own = self.list_user_files(place)?;
        let written = StagedContent::Link(target.to_owned());
        self.add_step(
            place,
            staged.clone(),
            unchanged.map(ExpectedContent::Tree),
            Some(written),
        )?;
        self.keep_user_files(&own, place, &staged, None)
    }

    /// Stages a file for `place`, replacing its present content.
    ///
    /// # Errors
    /// If the disk cannot be written.
    pub fn put_file(&mut self, place: &Path, bytes: &[u8]) -> Result<()> {
        self.put_file_over(place, None, bytes)
    }

    /// Stages a change of the text at `place`, which is created if `before` is `None` and removed if `after` is. It must
    /// still be `before` when the step is applied.
    ///
    /// # Errors
    /// If the disk cannot be written.
    pub fn change_text(
        &mut self,
        place: &Path,
        before: Option<&str>,
        after: Option<&str>,
    ) -> Result<()> {
        let expected =
            before.map(|text| ExpectedContent::Text(Sha256Digest::hash_bytes(text.as_bytes())));

        match after {
            Some(after) => self.put_file_over(place, expected, after.as_bytes()),
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
        self.add_step(
            place,
            staged,
            expected,
            Some(StagedContent::Text(Sha256Digest::hash_bytes(bytes))),
        )
    }

    /// Stages the removal of the content at `place`.
    ///
    /// # Errors
    /// If the disk cannot be written.
    pub fn remove(&mut self, place: &Path, unchanged: Option<TreeStamp>) -> Result<()> {
        let staged = self.staging_path(place)?;
        let own = self.list_user_files(place)?;
        self.add_step(
            place,
            staged.clone(),
            unchanged.map(ExpectedContent::Tree),
            None,
        )?;
        self.keep_user_files(&own, place, &staged, None)
    }

    /// Moves the content at `place` into the backup, which outlives the transaction, as `name`.
    ///
    /// # Errors
    /// If the disk cannot be written.
    pub fn back_up(&mut self, place: &Path, name: &Path) -> Result<()> {
        let staged = self.dir.path().join(BACKUP).join(name);
        if let Some(parent) = staged.parent() {
            self.create_dir(parent)?;
        }

        let old = self.handles.identity(place)?;
        self.journal.steps.push(JournalStep {
            old,
            ..JournalStep::new(place, staged)
        });
        Ok(())
    }

    /// Moves the user's files back from the backup; does nothing if they are no longer there, or something else is at
    /// their path.
    ///
    /// # Errors
    /// If the disk cannot be read.
    pub fn restore_saved(&mut self, saved: &SavedFile) -> Result<()> {
        let is_free = disk::lstat(&saved.place)?.is_none();
        // A file that is there by now is the user's, too, and stays.
        let Some(new) = disk::file_identity(&saved.backup)?.filter(|_| is_free) else {
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

    /// The directories that were created for the staged content so far, outermost first.
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
        // Synced before the journal names it: a recovery must find all that it has to move.
        for stage in &self.journal.stages {
            disk::sync_trees(stage, self.files)?;
        }
        self.save_journal()?;

        let all = self.journal.steps.len();
        let texts = self
            .journal
            .steps
            .iter()
            .position(|step| step.is_text)
            .unwrap_or(all);

        // Trees before texts: no lockfile names a tree that a power failure may lose.
        for part in [0..texts, texts..all]
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

        // Committed: a failure below leaves temporary files at most, which the next command removes.
        self.journal.committed = true;
        self.save_journal()?;
        // From here on `drop` must not undo anything, even if the cleanup fails.
        self.finished = true;
        clean_up(&self.dir, &self.journal)
    }

    /// Replaces a directory that cannot be moved with a copy, which can.
    ///
    /// While the original is removed file by file it is incomplete at its path. A complete copy is then aside, from which
    /// the next command restores it.
    fn replace_with_copy(&mut self, at: usize) -> Result<()> {
        let JournalStep {
            place,
            staged,
            old,
            expected,
            ..
        } = &self.journal.steps[at];
        let (place, aside, copy) = (
            place.clone(),
            disk::aside_path(staged),
            disk::aside_path(&disk::aside_path(staged)),
        );

        // It is not the content that the step was made for; the second attempt reports that.
        if old.is_none() || self.handles.identity(&place)? != *old {
            return Ok(());
        }

        let tree = disk::read_tree(&place)?;
        if expected
            .as_ref()
            .map_or(Ok(true), |expected| expected.is_at(&place))
            .is_ok_and(|is_unchanged| !is_unchanged)
        {
            return Err(edited_error(&place));
        }

        // The copy of a package would not contain the user's own files.
        if let Some(own) = disk::list_outside_package(&place)?.first() {
            return Err(Error::negative(format!(
                "cannot move `{}`, which is not part of the skill",
                place.join(own).display()
            ))
            .note("nothing was changed")
            .help("move it away, and run the command again"));
        }

        // Synced, and in the journal, before any of the original is removed.
        self.handles.write_tree(&copy, &tree)?;
        disk::sync_trees(&copy, tree.len())?;
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

    /// Syncs the directories of these steps to disk, unless one was moved meanwhile; with the first step also all
    /// directories that were created.
    fn sync_steps(&mut self, steps: Range<usize>) -> Result<()> {
        let made: &[PathBuf] = if steps.start == 0 {
            &self.journal.made
        } else {
            &[]
        };

        let paths = self.journal.steps[steps]
            .iter()
            .flat_map(|step| [&step.place, &step.staged]);

        let dirs: BTreeSet<&Path> = paths.chain(made).filter_map(|path| path.parent()).collect();

        // A directory that was moved away took the new content along, perhaps out of the project.
        if let Some(moved) = dirs.iter().find(|dir| !self.handles.is_still_at(dir)) {
            return Err(Error::integrity(format!(
                "directory `{}` was moved while skillpm was writing to it",
                moved.display()
            ))
            .note("nothing was changed")
            .help("check what is at that path now, and run the command again"));
        }

        self.handles.sync(dirs)
    }

    /// Lists files in the directory at `place` that cannot be part of a package; none if an earlier step backs all up.
    fn list_user_files(&self, place: &Path) -> Result<Vec<String>> {
        let is_directory = disk::lstat(place)?.is_some_and(|meta| meta.is_dir());
        if is_directory && !self.is_moved_away(place) {
            disk::list_outside_package(place)
        } else {
            Ok(Vec::new())
        }
    }

    /// Keeps the user's own files of the directory at `place`: in the tree that replaces it, or, where that has no directory
    /// for one, in the backup.
    fn keep_user_files(
        &mut self,
        own: &[String],
        place: &Path,
        staged: &Path,
        tree: Option<&Tree>,
    ) -> Result<()> {
        for path in own {
            // The path in the old directory is the same as in the new one, once they are exchanged.
            let from = place.join(path);
            let new = disk::file_identity(&from)?;
            // Where the new tree has no directory for it, the file goes to the backup.
            let stays = tree.is_some_and(|tree| has_directory_for(tree, path));
            let to = if stays { from } else { self.backup_for(&from)? };
            let step = JournalStep::new(&to, staged.join(path));
            self.journal.steps.push(JournalStep {
                new,
                written: Some(StagedContent::Own),
                ..step
            });
        }
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
            None => disk::find_unused_name(&backup, "kept")?,
        };

        let to = kept.join(backup_name(self.dir.root(), own));

        if let Some(parent) = to.parent() {
            self.create_dir(parent)?;
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
        self.create_dir(parent)?;
        let main = &self.journal.stages[0];
        if disk::is_same_mount(main, parent) {
            return Ok(main.clone());
        }

        // Another mount, which a rename cannot reach from here.
        let stage = parent.join(STAGE_BESIDE);
        // In the journal before it is created, so that a kill leaves none that is unknown.
        if !self.journal.stages.contains(&stage) {
            self.journal.stages.push(stage.clone());
            self.save_journal()?;
            self.handles.create_dir(&stage)?;
        }
        Ok(stage)
    }

    /// Creates a directory, after the journal has it as one to remove if all is undone.
    fn create_dir(&mut self, dir: &Path) -> Result<()> {
        let missing = disk::missing_dirs(dir);
        if !missing.is_empty() {
            self.journal.made.extend(missing);
            self.save_journal()?;
        }
        self.handles.create_dir(dir)
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
        let old = if self.is_moved_away(place) {
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

    /// Whether an earlier step of this transaction moves the content at a path away.
    fn is_moved_away(&self, place: &Path) -> bool {
        self.journal
            .steps
            .iter()
            .any(|step| step.new.is_none() && step.written.is_none() && step.place == place)
    }

    fn save_journal(&self) -> Result<()> {
        let bytes = self
            .dir
            .seal(JOURNAL, &self.journal.relative_to(self.dir.root()))?;
        disk::write_atomic(&self.dir.path().join(JOURNAL), &bytes)
    }
}

impl JournalStep {
    /// Creates a step that does nothing yet.
    fn new(place: &Path, staged: PathBuf) -> JournalStep {
        let place = place.to_owned();
        JournalStep {
            place,
            staged,
            new: None,
            old: None,
            written: None,
            expected: None,
            is_text: false,
        }
    }

    /// Whether the content at its path is still as it was written.
    fn is_untouched(&self) -> Result<bool> {
        match &self.written {
            Some(StagedContent::Tree(stamp)) => stamp.has_same_files(&self.place),
            Some(StagedContent::Text(digest)) => ExpectedContent::Text(*digest).is_at(&self.place),
            Some(StagedContent::Link(target)) => Ok(disk::read_link(&self.place)? == *target),
            // It was only moved: any change is the user's own.
            Some(StagedContent::Own) => Ok(true),
            None => Ok(false),
        }
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

/// Whether a tree has the parent directory of `path`.
fn has_directory_for(tree: &Tree, path: &str) -> bool {
    // The root always exists.
    let Some((parent, _)) = path.rsplit_once('/') else {
        return true;
    };

    let is_in_parent = |file: &str| {
        file.strip_prefix(parent)
            .is_some_and(|rest| rest.starts_with('/'))
    };
    tree.files().any(|(file, _)| is_in_parent(file.as_str()))
}

/// The name of a path in the backup.
fn backup_name(root: &Path, path: &Path) -> PathBuf {
    let path = path.strip_prefix(root).unwrap_or(path);
    path.components()
        .filter(|part| matches!(part, Component::Normal(_)))
        .collect()
}

/// The directory handles of a transaction whose journal is in `dir`.
fn open_handles(dir: &StateDir) -> DirectoryHandles {
    DirectoryHandles::new(dir.path().parent().unwrap_or(dir.path()))
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

fn parse_journal(bytes: &[u8], dir: &StateDir) -> Option<TransactionJournal> {
    let journal: TransactionJournal = serde_json::from_slice(bytes).ok()?;

    // The same fields may have another meaning in another version.
    let journal = Some(journal)
        .filter(|journal| journal.version == VERSION)?
        .absolute_from(dir.root());

    // The device may have another number since the last boot.
    let now = disk::file_identity(dir.path())
        .ok()
        .flatten()
        .map_or(journal.device, |identity| identity.0);

    journal.is_confined(dir).then(|| journal.on_device(now))
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
    let bytes = match dir.read(JOURNAL)? {
        OwnFile::Missing => {
            remove_leftovers(dir)?;
            return Ok(None);
        }
        OwnFile::Untrusted => return Err(dir.untrusted_error(JOURNAL)),
        OwnFile::Trusted(bytes) => bytes,
    };

    let journal = parse_journal(&bytes, dir).ok_or_else(|| {
        let path = dir.path().join(JOURNAL);
        Error::new(FailureKind::Disk, format!("failed to parse journal `{}`", path.display()))
            .help("another version of skillpm was interrupted here: run that version again, or remove the file")
    })?;

    // After the commit only the cleanup is left; before it, all steps are undone.
    let saved = if journal.committed {
        clean_up(dir, &journal)?;
        Vec::new()
    } else {
        undo_steps(dir, &journal, &mut open_handles(dir))?
    };

    remove_leftovers(dir)?;
    Ok(Some(RecoveryReport { saved }))
}

/// Removes the files of a command that was killed before it wrote a journal, or while it wrote a file here.
fn remove_leftovers(dir: &StateDir) -> Result<()> {
    for name in disk::list_names(dir.path())? {
        let path = dir.path().join(&name);
        if name == STAGE && !disk::is_empty(&path)? {
            // Its journal was removed by hand: the only copy of replaced content may be here.
            let backup = dir.path().join(BACKUP);
            disk::create_dir(&backup)?;
            disk::rename(&path, &disk::find_unused_name(&backup, STAGE)?)?;
        } else if name == STAGE || name.starts_with(disk::TEMPORARY_PREFIX) {
            disk::remove(&path)?;
        }
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

/// Undoes all steps, the last first. Returns the files that the user changed meanwhile, which were moved into the backup.
fn undo_steps(
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
        saved, has_unknown, ..
    } = rollback;

    if has_unknown {
        // Old and new content cannot be distinguished, as after a disk was restored from a backup: keep all of it.
        back_up_stages(dir, journal)?;
    }

    clean_up(dir, journal)?;
    // The innermost first; one with files of the user in it stays.
    for made in journal.made.iter().rev() {
        disk::remove_if_empty(made);
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
        let Some(old_at) = self.find_old(step, is_new)? else {
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
        if is_new && old_at == step.staged && step.is_untouched()? {
            return self
                .handles
                .exchange(&step.staged, &step.place)?
                .require_moved(&step.place);
        }

        // A change of the user, or the rest of a directory that was being removed.
        if present.is_some() {
            let is_ours = if is_new {
                step.is_untouched()?
            } else {
                is_part_of(&step.place, &old_at)?
            };
            if is_ours {
                self.handles.remove(&step.place)?;
            } else {
                self.move_to_backup(&step.place)?;
            }
        }

        self.handles
            .move_into_place(&old_at, &step.place)?
            .require_moved(&old_at)
    }

    /// Finds the old content of a step; `None` if it is still at its path, or there was none.
    ///
    /// Its identity alone is not enough: on an overlay a file gets another one when it is moved for the first time.
    fn find_old(&mut self, step: &JournalStep, is_new_at_place: bool) -> Result<Option<PathBuf>> {
        if step.old.is_none() {
            return Ok(None);
        }

        // On a file system without an exchange, or where the old content cannot be moved, all of it was moved aside first.
        let aside = disk::aside_path(&step.staged);
        if self.handles.identity(&aside)?.is_some() {
            return Ok(Some(aside));
        }

        let staged = self.handles.identity(&step.staged)?;
        // By its identity, or because nothing else can be staged: the new content is at the path
        // already, or there never was any.
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
        let recovered = disk::find_unused_name(&self.dir.path().join(BACKUP), "recovered")?;
        let backup = recovered.join(backup_name(self.dir.root(), place));

        if let Some(parent) = backup.parent() {
            self.handles.create_dir(parent)?;
        }
        if self.handles.move_into_place(place, &backup)? == MoveOutcome::Unmovable {
            // Another file system: a copy, which is synced before the original is removed.
            let is_dir = disk::lstat(place)?.is_some_and(|meta| meta.is_dir());
            if is_dir {
                let tree = disk::read_tree(place)?;
                self.handles.write_tree(&backup, &tree)?;
            } else if let Some(bytes) = disk::read(place)? {
                self.handles.write_file(&backup, &bytes)?;
            }
            disk::sync_trees(&recovered, usize::MAX)?;
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
    // Files that are not part of a package would be lost by the removal.
    if !disk::lstat(place)?.is_some_and(|meta| meta.is_dir())
        || !disk::list_outside_package(place)?.is_empty()
    {
        return Ok(false);
    }

    let (Ok(rest), Ok(whole)) = (disk::read_tree(place), disk::read_tree(copy)) else {
        return Ok(false);
    };

    let is_in_whole = |file| whole.files().any(|known| known == file);
    Ok(rest.files().all(is_in_whole))
}

/// Moves all staged content to the backup.
fn back_up_stages(dir: &StateDir, journal: &TransactionJournal) -> Result<()> {
    let backup = dir.path().join(BACKUP);
    disk::create_dir(&backup)?;
    for stage in journal
        .stages
        .iter()
        .filter(|stage| matches!(disk::lstat(stage), Ok(Some(_))))
    {
        disk::rename(stage, &disk::find_unused_name(&backup, STAGE)?)?;
    }
    Ok(())
}

/// Removes the stages, and the journal last, so that a kill in between is finished by the next command.
fn clean_up(dir: &StateDir, journal: &TransactionJournal) -> Result<()> {
    for stage in &journal.stages {
        disk::remove(stage)?;
    }
    disk::remove(&dir.path().join(JOURNAL))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;
    use std::fs;

    fn tree(text: &str) -> Tree {
        let mut tree = Tree::builder();
        tree.add("SKILL.md", text.into(), false).unwrap();
        tree.finish()
    }

    /// Every file below a directory, with its text.
    fn listing(dir: &Path) -> BTreeMap<String, String> {
        let mut files = BTreeMap::new();
        let mut todo = vec![dir.to_owned()];
        while let Some(path) = todo.pop() {
            for entry in fs::read_dir(path).unwrap().flatten() {
                if entry.path().is_dir() {
                    todo.push(entry.path());
                } else {
                    let name = entry
                        .path()
                        .strip_prefix(dir)
                        .unwrap()
                        .display()
                        .to_string();
                    files.insert(name, fs::read_to_string(entry.path()).unwrap());
                }
            }
        }
        files
    }

    /// A project in a directory, with the key in another beside it.
    struct Project {
        _dir: tempfile::TempDir,
        root: PathBuf,
    }

    impl Project {
        fn path(&self) -> &Path {
            &self.root
        }

        fn state_dir(&self) -> StateDir {
            state_dir(&self.root)
        }
    }

    fn state_dir(root: &Path) -> StateDir {
        StateDir::new(&root.join(".skillpm"), root, &root.with_file_name("home"))
    }

    fn project() -> Project {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("project");
        let root = Project { _dir: dir, root };
        for name in ["kept", "old", "gone"] {
            fs::create_dir_all(root.path().join("skills").join(name)).unwrap();
            fs::write(root.path().join("skills").join(name).join("SKILL.md"), name).unwrap();
        }
        fs::write(root.path().join("lock"), "before").unwrap();
        root
    }

    fn stage(root: &Path) -> Transaction {
        let mut changes = Transaction::begin(&state_dir(root)).unwrap();
        changes
            .put_tree(&root.join("skills/old"), &tree("new"), None)
            .unwrap();
        changes
            .put_tree(&root.join("skills/fresh"), &tree("fresh"), None)
            .unwrap();
        changes
            .put_tree(&root.join("other/agent/fresh"), &tree("fresh"), None)
            .unwrap();
        changes.remove(&root.join("skills/gone"), None).unwrap();
        changes.put_file(&root.join("lock"), b"after").unwrap();
        changes
    }

    fn after() -> BTreeMap<String, String> {
        [
            ("lock", "after"),
            ("other/agent/fresh/SKILL.md", "fresh"),
            ("skills/fresh/SKILL.md", "fresh"),
            ("skills/kept/SKILL.md", "kept"),
            ("skills/old/SKILL.md", "new"),
        ]
        .map(|(path, text)| (path.to_owned(), text.to_owned()))
        .into()
    }

    #[test]
    fn all_changes_are_made_and_nothing_is_left_over() {
        let root = project();
        stage(root.path()).commit().unwrap();
        assert_eq!(listing(root.path()), after());
        assert!(
            disk::list_names(&root.path().join(".skillpm"))
                .unwrap()
                .is_empty()
        );
    }

    #[test]
    fn changes_are_undone_when_dropped_without_commit() {
        let root = project();
        let before = listing(root.path());
        drop(stage(root.path()));
        assert_eq!(listing(root.path()), before);
        assert_eq!(disk::list_names(root.path()).unwrap(), ["lock", "skills"]);
    }

    #[test]
    fn a_kill_after_any_number_of_steps_is_undone_by_the_next_command() {
        for steps in 0..=5 {
            let root = project();
            let before = listing(root.path());
            let mut killed = stage(root.path());
            killed.save_journal().unwrap();
            for step in &killed.journal.steps[..steps] {
                apply_step(step, &mut killed.handles).unwrap();
            }
            killed.finished = true; // so that `drop` does not undo
            drop(killed);
            assert_eq!(
                recover(&root.state_dir()).unwrap(),
                Some(RecoveryReport::default())
            );
            assert_eq!(listing(root.path()), before, "after {steps} steps");
            assert_eq!(recover(&root.state_dir()).unwrap(), None);
        }
    }

    #[test]
    fn a_kill_between_the_moves_of_an_exchange_is_undone_by_the_next_command() {
        for moves in 1..=2 {
            let root = project();
            let before = listing(root.path());
            let mut killed = stage(root.path());
            killed.save_journal().unwrap();
            let step = &killed.journal.steps[0];
            fs::rename(&step.place, disk::aside_path(&step.staged)).unwrap();
            if moves == 2 {
                fs::rename(&step.staged, &step.place).unwrap();
            }
            killed.finished = true;
            drop(killed);
            assert_eq!(
                recover(&root.state_dir()).unwrap(),
                Some(RecoveryReport::default())
            );
            assert_eq!(listing(root.path()), before, "after {moves} moves");
        }
    }

    #[test]
    fn an_unmovable_directory_is_replaced_with_a_copy_and_a_kill_meanwhile_is_undone() {
        let root = project();
        let before = listing(root.path());
        let mut changes = stage(root.path());
        let old = changes.journal.steps[0].old;
        changes.replace_with_copy(0).unwrap();
        assert_ne!(changes.journal.steps[0].old, old, "it is another directory");
        changes.commit().unwrap();
        assert_eq!(listing(root.path()), after());

        let root = project();
        let mut killed = stage(root.path());
        killed.save_journal().unwrap();
        let step = &killed.journal.steps[0];
        let aside = disk::aside_path(&step.staged);
        fs::create_dir(&aside).unwrap();
        fs::copy(step.place.join("SKILL.md"), aside.join("SKILL.md")).unwrap();
        let copy = disk::file_identity(&aside).unwrap();
        killed.journal.steps[0].old = copy;
        killed.save_journal().unwrap();
        // It had been emptied, and not removed yet.
        let step = &killed.journal.steps[0];
        fs::remove_file(step.place.join("SKILL.md")).unwrap();
        killed.finished = true;
        drop(killed);
        assert_eq!(
            recover(&root.state_dir()).unwrap(),
            Some(RecoveryReport::default())
        );
        assert_eq!(listing(root.path()), before);
    }

    #[test]
    fn a_kill_is_undone_after_the_device_number_changed() {
        let root = project();
        let before = listing(root.path());
        let mut killed = stage(root.path());
        for step in &killed.journal.steps.clone() {
            apply_step(step, &mut killed.handles).unwrap();
        }
        let real = killed.journal.device;
        killed.journal = killed.journal.clone().on_device(real + 7);
        killed.save_journal().unwrap();
        killed.finished = true;
        drop(killed);
        assert_eq!(
            recover(&root.state_dir()).unwrap(),
            Some(RecoveryReport::default())
        );
        assert_eq!(listing(root.path()), before);
    }

    #[test]
    fn staged_content_that_cannot_be_identified_is_kept() {
        let root = project();
        let mut killed = stage(root.path());
        for step in &killed.journal.steps.clone() {
            apply_step(step, &mut killed.handles).unwrap();
        }
        // As on a disk that was restored from a backup.
        killed.journal.steps.iter_mut().for_each(|step| {
            step.old = step.old.map(|old| FileIdentity(old.0, old.1 + 1_000_000));
            step.new = step.new.map(|new| FileIdentity(new.0, new.1 + 1_000_000));
        });
        killed.save_journal().unwrap();
        killed.finished = true;
        drop(killed);
        recover(&root.state_dir()).unwrap();
        let kept = listing(&root.path().join(".skillpm/backup"));
        assert_eq!(kept["stage-1/0/SKILL.md"], "old", "{kept:?}");
        assert_eq!(listing(root.path())["skills/gone/SKILL.md"], "gone");
    }

    #[test]
    fn a_kill_after_the_commit_is_finished_by_the_next_command() {
        let root = project();
        let mut killed = stage(root.path());
        killed.save_journal().unwrap();
        killed.journal.steps.iter().for_each(|step| {
            apply_step(step, &mut killed.handles)
                .unwrap()
                .require_moved(&step.place)
                .unwrap();
        });
        killed.journal.committed = true;
        killed.save_journal().unwrap();
        killed.finished = true;
        drop(killed);
        recover(&root.state_dir()).unwrap();
        assert_eq!(listing(root.path()), after());
    }

    #[test]
    fn an_edit_during_the_commit_undoes_everything() {
        let root = project();
        let stamp = disk::stamp_tree(&root.path().join("skills/old")).unwrap();
        let mut changes = Transaction::begin(&root.state_dir()).unwrap();
        changes
            .put_tree(&root.path().join("skills/old"), &tree("new"), stamp)
            .unwrap();
        fs::write(root.path().join("skills/old/SKILL.md"), "edited").unwrap();
        let before = listing(&root.path().join("skills"));
        assert!(
            changes
                .commit()
                .unwrap_err()
                .message()
                .ends_with("it was edited meanwhile")
        );
        assert_eq!(listing(&root.path().join("skills")), before);
    }

    #[test]
    fn a_directory_that_is_moved_meanwhile_undoes_everything_with_a_text_or_without() {
        for with_text in [false, true] {
            let root = project();
            let before = listing(&root.path().join("skills"));
            let mut changes = Transaction::begin(&root.state_dir()).unwrap();
            changes
                .put_tree(&root.path().join("skills/old"), &tree("new"), None)
                .unwrap();
            changes
                .remove(&root.path().join("skills/gone"), None)
                .unwrap();
            if with_text {
                changes
                    .put_file(&root.path().join("lock"), b"after")
                    .unwrap();
            }
            fs::rename(root.path().join("skills"), root.path().join("moved")).unwrap();
            fs::create_dir(root.path().join("planted")).unwrap();
            std::os::unix::fs::symlink("planted", root.path().join("skills")).unwrap();
            let error = changes.commit().unwrap_err();
            assert!(
                error
                    .message()
                    .ends_with("skills` was moved while skillpm was writing to it"),
                "{error}"
            );
            assert_eq!(
                listing(&root.path().join("moved")),
                before,
                "with a text: {with_text}"
            );
            assert_eq!(
                fs::read_to_string(root.path().join("lock")).unwrap(),
                "before"
            );
        }
    }

    #[test]
    fn a_backup_outlives_the_transaction() {
        let root = project();
        let mut changes = Transaction::begin(&root.state_dir()).unwrap();
        changes
            .back_up(&root.path().join("skills/old"), Path::new("1/old"))
            .unwrap();
        changes
            .put_tree(&root.path().join("skills/old"), &tree("new"), None)
            .unwrap();
        changes.commit().unwrap();
        assert_eq!(
            fs::read_to_string(root.path().join(".skillpm/backup/1/old/SKILL.md")).unwrap(),
            "old"
        );
        assert_eq!(
            fs::read_to_string(root.path().join("skills/old/SKILL.md")).unwrap(),
            "new"
        );
    }
}
