//! Doing a plan, all or nothing.
//!
//! ```text
//! .skillpm/
//! ├── journal.json     what is being done, from before the first change until after the last
//! ├── stage/           new trees and files on their way in, old ones on their way out
//! └── backup/          a person's work that was moved aside
//! ```
//!
//! 1. Everything new is written into the stage and made durable.
//! 2. The journal is written: every step, with the identity (device and inode) of what goes in and what comes out.
//! 3. Each step is one rename or one exchange, so a place holds the old or the new at every instant: first the trees, and
//!    when those are durable the texts that speak of them.
//! 4. The journal is marked as committed; from here there is no way back.
//! 5. Stage and journal are removed.
//!
//! A failure before step 4 undoes the steps in reverse. A killed process leaves the journal, and the next command undoes
//! or finishes by it: the identity of what stands at a place tells whether its step had been taken. What a person changed
//! there after the kill is moved into the backup before the old state comes back.
//!
//! A journal that this user did not write on this machine is refused ([`super::state_dir`]). Every directory that is
//! written to is opened once and then held ([`Handles`]), so that nobody can lead a step astray by putting a link into the
//! way.
//!
//! What lies in an installed skill and is no part of any package (`.git`, `.DS_Store`) is a person's: it is moved into what
//! takes the skill's place, or else into the backup.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::{Component, Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::state_dir::{OwnFile, StateDir};
use crate::error::{Error, Kind, Result};
use crate::io::disk::{self, Handles, Identity, Moved, Stamp};
use crate::package::{Sha256, Tree};

/// The name of the journal.
pub const JOURNAL: &str = "journal.json";
const STAGE: &str = "stage";
const BACKUP: &str = "backup";
/// The name of a stage beside a target on another file system.
pub const STAGE_BESIDE: &str = ".skillpm-stage";
const VERSION: u32 = 2;

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Journal {
    version: u32,
    committed: bool,
    /// The device that the journal was written on: it may have another number when the system has been started again.
    device: u64,
    /// Directories that hold staged things, to be removed at the end.
    stages: Vec<PathBuf>,
    /// Directories that were made for this, to be removed if it is undone and they are empty.
    made: Vec<PathBuf>,
    steps: Vec<Step>,
}

/// One change: what stands at `place` and what lies at `staged` change places.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Step {
    place: PathBuf,
    staged: PathBuf,
    /// What goes in; `None` where something is only taken away.
    new: Option<Identity>,
    /// What comes out; `None` where nothing was.
    old: Option<Identity>,
    /// What goes in, as it was written; `None` where something is only taken away.
    written: Option<Written>,
    /// What the old one has to be when it goes, as it was when that was decided.
    #[serde(skip)]
    expected: Option<Expected>,
    /// Whether it is a text that speaks of trees.
    #[serde(skip)]
    is_text: bool,
}

/// What a step puts somewhere, so that a recovery can tell whether a person changed it since.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Written {
    Tree(Stamp),
    Text(Sha256),
    Link(PathBuf),
    /// A person's own file or directory, which is only moved.
    Own,
}

/// What a step takes away.
#[derive(Debug, Clone)]
enum Expected {
    Tree(Stamp),
    Text(Sha256),
}

impl Expected {
    /// Whether it is still what is at `path`.
    fn is_at(&self, path: &Path) -> Result<bool> {
        match self {
            Expected::Tree(stamp) => Ok(stamp.still_holds(path)),
            Expected::Text(digest) => Ok(disk::read(path)?.is_some_and(|bytes| Sha256::of(&bytes) == *digest)),
        }
    }
}

impl Journal {
    /// The file's content, with paths below the project as seen from it.
    fn seen_from(&self, root: &Path) -> Journal {
        self.map_paths(|path| path.strip_prefix(root).unwrap_or(path).to_owned())
    }

    /// The same journal with its paths as a process needs them.
    fn seen_from_anywhere(&self, root: &Path) -> Journal {
        self.map_paths(|path| root.join(path))
    }

    fn map_paths(&self, map: impl Fn(&Path) -> PathBuf) -> Journal {
        let step = |step: &Step| Step { place: map(&step.place), staged: map(&step.staged), ..step.clone() };
        Journal {
            stages: self.stages.iter().map(|path| map(path)).collect(),
            made: self.made.iter().map(|path| map(path)).collect(),
            steps: self.steps.iter().map(step).collect(),
            ..*self
        }
    }

    /// The same journal with the number that its device has now.
    fn on_device(mut self, now: u64) -> Journal {
        let then = self.device;
        let identities = self.steps.iter_mut().flat_map(|step| [&mut step.new, &mut step.old]).flatten();
        identities.filter(|identity| identity.0 == then).for_each(|identity| identity.0 = now);
        Journal { device: now, ..self }
    }

    /// Whether it names nothing but stages, backups, and places for which it has staged something.
    ///
    /// What this user wrote always does; that a path climbs is checked here all the same, before anything is deleted.
    fn is_confined(&self, dir: &StateDir) -> bool {
        let (stage, backup) = (dir.path().join(STAGE), dir.path().join(BACKUP));
        let is_plain = |path: &Path| path.components().all(|part| !matches!(part, Component::ParentDir));
        let is_stage = |path: &Path| *path == *stage || path.file_name().is_some_and(|name| name == STAGE_BESIDE);
        let is_staged = |path: &Path| {
            let is_below = path.ancestors().skip(1).any(|above| self.stages.iter().any(|stage| stage == above));
            is_below || path.starts_with(&backup)
        };
        let is_above_place = |made: &Path| {
            let steps = self.steps.iter().flat_map(|step| [&step.place, &step.staged]);
            made == dir.path() || made == backup || steps.into_iter().any(|path| path.starts_with(made))
        };

        let paths = self.steps.iter().flat_map(|step| [&step.place, &step.staged]);
        paths.chain(&self.stages).chain(&self.made).all(|path| is_plain(path))
            && self.stages.iter().all(|path| is_stage(path))
            && self.steps.iter().all(|step| is_staged(&step.staged))
            // One that is being made when the command is killed has no step yet; it is removed only if it is empty.
            && self.made.iter().all(|path| is_above_place(path) || path.starts_with(dir.root()) || self.steps.is_empty())
    }
}

/// Something of a person that was moved into the backup.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SavedFile {
    /// Where it was.
    pub place: PathBuf,
    /// Where it is now.
    pub backup: PathBuf,
}

/// Changes on their way; dropped without [`Transaction::commit`] they never happened.
#[derive(Debug)]
pub struct Transaction {
    dir: StateDir,
    journal: Journal,
    /// The stage on the file system of each directory that something was staged for.
    stages: BTreeMap<PathBuf, PathBuf>,
    handles: Handles,
    files: usize,
    saved: Vec<SavedFile>,
    finished: bool,
}

impl Transaction {
    /// Begins a transaction whose journal lies in `dir`, after putting right what an earlier one left.
    ///
    /// The caller holds the project's lock.
    ///
    /// # Errors
    /// If the directory cannot be written, or an earlier transaction cannot be put right.
    pub fn begin(dir: &StateDir) -> Result<Transaction> {
        recover(dir)?;
        let made = disk::missing(dir.path());
        let mut handles = handles(dir);
        handles.make(dir.path())?;
        let stage = dir.path().join(STAGE);
        let device = disk::identity(dir.path())?.map_or(0, |identity| identity.0);
        let stages = vec![stage.clone()];
        let journal = Journal { version: VERSION, committed: false, device, stages, made, steps: Vec::new() };
        let (dir, stages, saved) = (dir.clone(), BTreeMap::new(), Vec::new());
        let mut transaction = Transaction { dir, journal, stages, handles, files: 0, saved, finished: false };
        transaction.handles.make(&stage)?;
        transaction.save_journal()?;
        Ok(transaction)
    }

    /// Stages a tree for `place`, in place of whatever stands there now; gives the stamp that it will bear there.
    ///
    /// `unchanged` is the stamp of what stands there, if it must still hold when the change is made.
    ///
    /// # Errors
    /// If the disk refuses.
    pub fn put(&mut self, place: &Path, tree: &Tree, unchanged: Option<Stamp>) -> Result<Stamp> {
        let staged = self.slot(place)?;
        let stamp = self.handles.write_tree(&staged, tree)?;
        self.files += tree.len();
        let own = self.own_files(place)?;
        self.add(place, staged.clone(), unchanged.map(Expected::Tree), Some(Written::Tree(stamp.clone())))?;
        self.keep(&own, place, &staged, Some(tree))?;
        Ok(stamp)
    }

    /// Stages a symbolic link for `place`, in place of whatever stands there now.
    ///
    /// # Errors
    /// If the disk refuses.
    pub fn link(&mut self, place: &Path, target: &Path, unchanged: Option<Stamp>) -> Result<()> {
        let staged = self.slot(place)?;
        self.handles.make_link(&staged, target)?;
        let own = self.own_files(place)?;
        let written = Written::Link(target.to_owned());
        self.add(place, staged.clone(), unchanged.map(Expected::Tree), Some(written))?;
        self.keep(&own, place, &staged, None)
    }

    /// Stages a file for `place`, in place of whatever stands there now.
    ///
    /// # Errors
    /// If the disk refuses.
    pub fn write(&mut self, place: &Path, bytes: &[u8]) -> Result<()> {
        self.write_over(place, None, bytes)
    }

    /// Makes a text at `place` what it is to be: changes, makes or removes it. It is `before` now, and has to be that still
    /// when the change is made.
    ///
    /// # Errors
    /// If the disk refuses.
    pub fn change_text(&mut self, place: &Path, before: Option<&str>, after: Option<&str>) -> Result<()> {
        let expected = before.map(|text| Expected::Text(Sha256::of(text.as_bytes())));
        match after {
            Some(after) => self.write_over(place, expected, after.as_bytes()),
            None => {
                let staged = self.slot(place)?;
                self.add(place, staged, expected, None)
            }
        }
    }

    fn write_over(&mut self, place: &Path, expected: Option<Expected>, bytes: &[u8]) -> Result<()> {
        let staged = self.slot(place)?;
        self.handles.write_file(&staged, bytes)?;
        self.add(place, staged, expected, Some(Written::Text(Sha256::of(bytes))))
    }

    /// Plans to take away what stands at `place`.
    ///
    /// # Errors
    /// If the disk refuses.
    pub fn remove(&mut self, place: &Path, unchanged: Option<Stamp>) -> Result<()> {
        let staged = self.slot(place)?;
        let own = self.own_files(place)?;
        self.add(place, staged.clone(), unchanged.map(Expected::Tree), None)?;
        self.keep(&own, place, &staged, None)
    }

    /// Moves what stands at `place` into the backup, which outlives the transaction. Its name there is `name`.
    ///
    /// # Errors
    /// If the disk refuses.
    pub fn save_aside(&mut self, place: &Path, name: &Path) -> Result<()> {
        let staged = self.dir.path().join(BACKUP).join(name);
        if let Some(parent) = staged.parent() {
            self.make(parent)?;
        }
        let old = self.handles.identity(place)?;
        self.journal.steps.push(Step { old, ..Step::new(place, staged) });
        Ok(())
    }

    /// Moves a person's files back from the backup to where they were; what is no longer in the backup, or has another in
    /// its place, stays as it is.
    ///
    /// # Errors
    /// If the disk refuses.
    pub fn give_back(&mut self, saved: &SavedFile) -> Result<()> {
        let is_free = disk::lstat(&saved.place)?.is_none();
        let Some(new) = disk::identity(&saved.backup)?.filter(|_| is_free) else { return Ok(()) };
        let step = Step::new(&saved.place, saved.backup.clone());
        self.journal.steps.push(Step { new: Some(new), written: Some(Written::Own), ..step });
        Ok(())
    }

    /// The directories that had to be made for what was staged so far, outermost first.
    #[must_use]
    pub fn made(&self) -> &[PathBuf] {
        &self.journal.made
    }

    /// A person's files that go into the backup, as nothing takes the place of the skill that they are in.
    #[must_use]
    pub fn saved(&self) -> &[SavedFile] {
        &self.saved
    }

    /// Makes all changes, or none.
    ///
    /// # Errors
    /// Why none could be made.
    pub fn commit(mut self) -> Result<()> {
        for stage in &self.journal.stages {
            disk::sync_trees(stage, self.files)?;
        }
        self.save_journal()?;
        let all = self.journal.steps.len();
        let texts = self.journal.steps.iter().position(|step| step.is_text).unwrap_or(all);
        for part in [0..texts, texts..all].into_iter().filter(|part| !part.is_empty()) {
            for at in part.clone() {
                if take(&self.journal.steps[at], &mut self.handles)? == Moved::Never {
                    self.thaw(at)?;
                    let step = &self.journal.steps[at];
                    take(step, &mut self.handles)?.done(&step.place)?;
                }
                let step = &self.journal.steps[at];
                if let (Some(_), Some(expected)) = (step.old, &step.expected)
                    && !expected.is_at(&step.staged)?
                {
                    return Err(edited(&step.place));
                }
            }
            self.settle(part)?;
        }
        self.journal.committed = true;
        self.save_journal()?;
        self.finished = true;
        clean_up(&self.dir, &self.journal)
    }

    /// Puts a copy in the place of a directory that cannot be moved, for it can be.
    ///
    /// For as long as the old one is taken away file by file its place holds less than all of it. All of it is then aside,
    /// from where the next command brings it back.
    fn thaw(&mut self, at: usize) -> Result<()> {
        let Step { place, staged, old, expected, .. } = &self.journal.steps[at];
        let (place, aside, copy) = (place.clone(), disk::aside(staged), disk::aside(&disk::aside(staged)));
        if old.is_none() || self.handles.identity(&place)? != *old {
            return Ok(());
        }
        let tree = disk::read_tree(&place)?;
        if expected.as_ref().map_or(Ok(true), |expected| expected.is_at(&place)).is_ok_and(|holds| !holds) {
            return Err(edited(&place));
        }
        // A copy would be without them.
        if let Some(own) = disk::list_outside_package(&place)?.first() {
            return Err(Error::negative(format!(
                "`{}` cannot be moved, and is no part of the skill",
                place.join(own).display()
            ))
            .note("nothing was changed")
            .help("move it away, and run the command again"));
        }
        self.handles.write_tree(&copy, &tree)?;
        disk::sync_trees(&copy, tree.len())?;
        let identity = self.handles.identity(&copy)?;
        let step = &mut self.journal.steps[at];
        (step.old, step.expected) = (identity, None);
        self.save_journal()?;
        self.handles.move_into_place(&copy, &aside)?.done(&copy)?;
        self.handles.sync(aside.parent())?;
        self.handles.remove(&place)?;
        self.handles.move_into_place(&aside, &place)?.done(&place)
    }

    /// Makes these steps durable, unless their places are no longer where they were; with the first of them all
    /// directories that were made.
    fn settle(&mut self, steps: Range<usize>) -> Result<()> {
        let made: &[PathBuf] = if steps.start == 0 { &self.journal.made } else { &[] };
        let paths = self.journal.steps[steps].iter().flat_map(|step| [&step.place, &step.staged]);
        let dirs: BTreeSet<&Path> = paths.chain(made).filter_map(|path| path.parent()).collect();
        if let Some(gone) = dirs.iter().find(|dir| !self.handles.is_still_at(dir)) {
            return Err(Error::integrity(format!("`{}` was put elsewhere while it was being written", gone.display()))
                .note("nothing was changed")
                .help("see what stands there now, and run the command again"));
        }
        self.handles.sync(dirs)
    }

    /// What lies in the directory at `place` and is no part of a package; nothing if an earlier step saves all of it.
    fn own_files(&self, place: &Path) -> Result<Vec<String>> {
        let is_directory = disk::lstat(place)?.is_some_and(|meta| meta.is_dir());
        if is_directory && !self.is_emptied(place) { disk::list_outside_package(place) } else { Ok(Vec::new()) }
    }

    /// Keeps a person's own files of the directory at `place`: in the tree that takes its place, or, where that has no
    /// directory for one, in the backup.
    fn keep(&mut self, own: &[String], place: &Path, staged: &Path, tree: Option<&Tree>) -> Result<()> {
        for path in own {
            let from = place.join(path);
            let new = disk::identity(&from)?;
            let stays = tree.is_some_and(|tree| has_directory_for(tree, path));
            let to = if stays { from } else { self.backup_for(&from)? };
            let step = Step::new(&to, staged.join(path));
            self.journal.steps.push(Step { new, written: Some(Written::Own), ..step });
        }
        Ok(())
    }

    /// A place in the backup for a person's file, which is made ready.
    fn backup_for(&mut self, own: &Path) -> Result<PathBuf> {
        let backup = self.dir.path().join(BACKUP);
        let kept = match self.saved.first() {
            // All of one transaction lie together.
            Some(saved) => backup
                .join(saved.backup.strip_prefix(&backup).ok().and_then(|path| path.iter().next()).unwrap_or_default()),
            None => disk::free_name(&backup, "kept")?,
        };
        let to = kept.join(seen_from(self.dir.root(), own));
        if let Some(parent) = to.parent() {
            self.make(parent)?;
        }
        self.saved.push(SavedFile { place: own.to_owned(), backup: to.clone() });
        Ok(to)
    }

    /// A free name for something staged, on the file system of its place.
    fn slot(&mut self, place: &Path) -> Result<PathBuf> {
        let parent = place.parent().unwrap_or(Path::new("/"));
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
        self.make(parent)?;
        let main = &self.journal.stages[0];
        if disk::same_mount(main, parent) {
            return Ok(main.clone());
        }
        // Another mount, which a rename cannot reach from here.
        let stage = parent.join(STAGE_BESIDE);
        if !self.journal.stages.contains(&stage) {
            self.journal.stages.push(stage.clone());
            self.save_journal()?;
            self.handles.make(&stage)?;
        }
        Ok(stage)
    }

    /// Makes a directory, once the journal says that it is not to stay if all is undone.
    fn make(&mut self, dir: &Path) -> Result<()> {
        let missing = disk::missing(dir);
        if !missing.is_empty() {
            self.journal.made.extend(missing);
            self.save_journal()?;
        }
        self.handles.make(dir)
    }

    /// Adds the step that puts what was written, or nothing, where `place` is.
    fn add(
        &mut self,
        place: &Path,
        staged: PathBuf,
        expected: Option<Expected>,
        written: Option<Written>,
    ) -> Result<()> {
        let old = if self.is_emptied(place) { None } else { self.handles.identity(place)? };
        let new = if written.is_some() { self.handles.identity(&staged)? } else { None };
        let is_text = matches!(written, Some(Written::Text(_)));
        self.journal.steps.push(Step { new, old, written, expected, is_text, ..Step::new(place, staged) });
        Ok(())
    }

    /// Whether an earlier step of this transaction moves away what stands at a place.
    fn is_emptied(&self, place: &Path) -> bool {
        self.journal.steps.iter().any(|step| step.new.is_none() && step.written.is_none() && step.place == place)
    }

    fn save_journal(&self) -> Result<()> {
        let bytes = self.dir.seal(JOURNAL, &self.journal.seen_from(self.dir.root()))?;
        disk::write_atomic(&self.dir.path().join(JOURNAL), &bytes)
    }
}

impl Step {
    /// One that does nothing yet.
    fn new(place: &Path, staged: PathBuf) -> Step {
        let place = place.to_owned();
        Step { place, staged, new: None, old: None, written: None, expected: None, is_text: false }
    }

    /// Whether what was written is still as it was, at its place.
    fn is_untouched(&self) -> Result<bool> {
        match &self.written {
            Some(Written::Tree(stamp)) => stamp.holds_for_files(&self.place),
            Some(Written::Text(digest)) => Expected::Text(*digest).is_at(&self.place),
            Some(Written::Link(target)) => Ok(disk::read_link(&self.place)? == *target),
            Some(Written::Own) => Ok(true),
            None => Ok(false),
        }
    }
}

impl Drop for Transaction {
    fn drop(&mut self) {
        if !self.finished {
            // Nobody is left to hear of a failure here; the journal stays for the next command then.
            let _ = undo(&self.dir, &self.journal, &mut self.handles);
        }
    }
}

/// Whether a tree has the directory that `path` lies in.
fn has_directory_for(tree: &Tree, path: &str) -> bool {
    let Some((parent, _)) = path.rsplit_once('/') else { return true };
    let is_below = |file: &str| file.strip_prefix(parent).is_some_and(|rest| rest.starts_with('/'));
    tree.files().any(|(file, _)| is_below(file.as_str()))
}

/// A path as it is named in the backup.
fn seen_from(root: &Path, path: &Path) -> PathBuf {
    let path = path.strip_prefix(root).unwrap_or(path);
    path.components().filter(|part| matches!(part, Component::Normal(_))).collect()
}

/// The directories of a transaction whose journal lies in `dir`.
fn handles(dir: &StateDir) -> Handles {
    Handles::around(dir.path().parent().unwrap_or(dir.path()))
}

/// A journal that is there while nobody is at work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unfinished {
    /// Where it is.
    pub path: PathBuf,
    /// Whether this user wrote it on this machine.
    pub is_trusted: bool,
    /// Whether this skillpm can put it right.
    pub is_readable: bool,
}

/// The journal that a killed command left in `dir`, or that one writes just now; `None` if there is none.
///
/// # Errors
/// If it is there but cannot be read.
pub fn unfinished(dir: &StateDir) -> Result<Option<Unfinished>> {
    let path = dir.path().join(JOURNAL);
    let (is_trusted, is_readable) = match dir.read(JOURNAL)? {
        OwnFile::Missing => return Ok(None),
        OwnFile::Untrusted => (false, false),
        OwnFile::Trusted(bytes) => (true, parse(&bytes, dir).is_some()),
    };
    Ok(Some(Unfinished { path, is_trusted, is_readable }))
}

fn parse(bytes: &[u8], dir: &StateDir) -> Option<Journal> {
    let journal: Journal = serde_json::from_slice(bytes).ok()?;
    let journal = Some(journal).filter(|journal| journal.version == VERSION)?.seen_from_anywhere(dir.root());
    let now = disk::identity(dir.path()).ok().flatten().map_or(journal.device, |identity| identity.0);
    journal.is_confined(dir).then(|| journal.on_device(now))
}

/// The paths that a recovery by a journal would change.
#[cfg(any(test, fuzzing))]
#[derive(Debug)]
pub(crate) struct JournalPaths {
    /// Directories that it would delete.
    pub(crate) deleted: Vec<PathBuf>,
    /// What it would move, and where to.
    pub(crate) moved: Vec<PathBuf>,
}

/// The paths in the JSON of a journal; `None` if it would be refused.
#[cfg(any(test, fuzzing))]
pub(crate) fn paths_in(bytes: &[u8], dir: &StateDir) -> Option<JournalPaths> {
    let journal = parse(bytes, dir)?;
    let moved = journal.steps.into_iter().flat_map(|step| [step.place, step.staged]).collect();
    Some(JournalPaths { deleted: journal.stages, moved })
}

/// What came of a recovery.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Recovered {
    /// What a person had changed since the command was interrupted.
    pub saved: Vec<SavedFile>,
}

/// Puts right what a killed command left: undoes what was not committed, cleans up after what was. `None` if there was
/// nothing.
///
/// # Errors
/// [`Integrity`](Kind::Integrity) if the journal is not this user's, or a link is where a directory of ours is to be; else
/// if the disk refuses, or the journal is of a newer skillpm.
pub fn recover(dir: &StateDir) -> Result<Option<Recovered>> {
    dir.refuse_links()?;
    let bytes = match dir.read(JOURNAL)? {
        OwnFile::Missing => {
            sweep(dir)?;
            return Ok(None);
        }
        OwnFile::Untrusted => return Err(dir.refused(JOURNAL)),
        OwnFile::Trusted(bytes) => bytes,
    };
    let journal = parse(&bytes, dir).ok_or_else(|| {
        let path = dir.path().join(JOURNAL);
        Error::new(Kind::Disk, format!("`{}` is not a journal this skillpm reads", path.display()))
            .help("another version of skillpm was interrupted here; run that one again, or remove the file")
    })?;
    let saved = if journal.committed {
        clean_up(dir, &journal)?;
        Vec::new()
    } else {
        undo(dir, &journal, &mut handles(dir))?
    };
    sweep(dir)?;
    Ok(Some(Recovered { saved }))
}

/// Removes what a command left that was killed before it wrote a journal, or while it wrote a file here.
fn sweep(dir: &StateDir) -> Result<()> {
    for name in disk::names(dir.path())? {
        let path = dir.path().join(&name);
        if name == STAGE && !disk::is_empty(&path)? {
            // Its journal was removed by hand: what was on its way out may lie here, and nowhere else.
            let backup = dir.path().join(BACKUP);
            disk::create_dir(&backup)?;
            disk::rename(&path, &disk::free_name(&backup, STAGE)?)?;
        } else if name == STAGE || name.starts_with(disk::TEMPORARY) {
            disk::remove(&path)?;
        }
    }
    Ok(())
}

fn edited(place: &Path) -> Error {
    Error::negative(format!("`{}` was edited while it was being replaced", place.display()))
        .help("nothing was changed; run the command again")
}

fn take(step: &Step, handles: &mut Handles) -> Result<Moved> {
    match (step.new, step.old) {
        (Some(_), Some(_)) => handles.exchange(&step.staged, &step.place),
        (Some(_), None) => handles.move_into_place(&step.staged, &step.place),
        (None, Some(_)) => handles.move_into_place(&step.place, &step.staged),
        (None, None) => Ok(Moved::Yes),
    }
}

/// Takes all steps back, the last first. Gives what a person had changed meanwhile, which was moved into the backup.
fn undo(dir: &StateDir, journal: &Journal, handles: &mut Handles) -> Result<Vec<SavedFile>> {
    let mut restoring = Restoring { dir, handles, saved: Vec::new(), has_unknown: false };
    journal.steps.iter().rev().try_for_each(|step| restoring.take_back(step))?;
    let Restoring { saved, has_unknown, .. } = restoring;
    if has_unknown {
        // What was on its way out cannot be told from what was on its way in, as after a disk was restored from a copy.
        keep_stages(dir, journal)?;
    }
    clean_up(dir, journal)?;
    for made in journal.made.iter().rev() {
        disk::remove_if_empty(made);
    }
    Ok(saved)
}

/// Steps that are being taken back.
struct Restoring<'a> {
    dir: &'a StateDir,
    handles: &'a mut Handles,
    saved: Vec<SavedFile>,
    /// Whether something staged is neither what a step was to put somewhere nor what it was to take away.
    has_unknown: bool,
}

impl Restoring<'_> {
    fn take_back(&mut self, step: &Step) -> Result<()> {
        let there = self.handles.identity(&step.place)?;
        let is_new = there.is_some() && there == step.new;
        let Some(old_at) = self.old_of(step, is_new)? else {
            if is_new && step.old.is_none() {
                return self.take_away(step);
            }
            let staged = self.handles.identity(&step.staged)?;
            self.has_unknown |= step.old.is_some() && there != step.old && staged.is_some() && staged != step.new;
            return Ok(());
        };

        if is_new && old_at == step.staged && step.is_untouched()? {
            return self.handles.exchange(&step.staged, &step.place)?.done(&step.place);
        }
        if there.is_some() {
            let is_ours = if is_new { step.is_untouched()? } else { is_part_of(&step.place, &old_at)? };
            if is_ours {
                self.handles.remove(&step.place)?;
            } else {
                self.save(&step.place)?;
            }
        }
        self.handles.move_into_place(&old_at, &step.place)?.done(&old_at)
    }

    /// Where that is now which a step took away, or was about to; `None` if it is still at its place, or there was nothing.
    ///
    /// Its identity alone does not tell: on an overlay a file gets another one when it is moved for the first time.
    fn old_of(&mut self, step: &Step, is_new_at_place: bool) -> Result<Option<PathBuf>> {
        if step.old.is_none() {
            return Ok(None);
        }
        // On a file system without an exchange, or where the old one cannot be moved, all of it was put aside first.
        let aside = disk::aside(&step.staged);
        if self.handles.identity(&aside)?.is_some() {
            return Ok(Some(aside));
        }
        let staged = self.handles.identity(&step.staged)?;
        let is_old = staged == step.old || is_new_at_place || step.new.is_none();
        Ok((staged.is_some() && is_old).then(|| step.staged.clone()))
    }

    /// Takes what was put where nothing was.
    fn take_away(&mut self, step: &Step) -> Result<()> {
        if step.is_untouched()? {
            return self.handles.move_into_place(&step.place, &step.staged)?.done(&step.place);
        }
        self.save(&step.place)
    }

    /// Moves what a person changed into the backup.
    fn save(&mut self, place: &Path) -> Result<()> {
        let home = disk::free_name(&self.dir.path().join(BACKUP), "recovered")?;
        let backup = home.join(seen_from(self.dir.root(), place));
        if let Some(parent) = backup.parent() {
            self.handles.make(parent)?;
        }
        if self.handles.move_into_place(place, &backup)? == Moved::Never {
            // Another file system: a copy, which is durable before the original goes.
            let is_dir = disk::lstat(place)?.is_some_and(|meta| meta.is_dir());
            if is_dir {
                let tree = disk::read_tree(place)?;
                self.handles.write_tree(&backup, &tree)?;
            } else if let Some(bytes) = disk::read(place)? {
                self.handles.write_file(&backup, &bytes)?;
            }
            disk::sync_trees(&home, usize::MAX)?;
            self.handles.remove(place)?;
        }
        self.saved.push(SavedFile { place: place.to_owned(), backup });
        Ok(())
    }
}

/// Whether a place holds no more than a part of what a copy has: it was being removed file by file.
fn is_part_of(place: &Path, copy: &Path) -> Result<bool> {
    if !disk::lstat(place)?.is_some_and(|meta| meta.is_dir()) || !disk::list_outside_package(place)?.is_empty() {
        return Ok(false);
    }
    let (Ok(rest), Ok(whole)) = (disk::read_tree(place), disk::read_tree(copy)) else { return Ok(false) };
    let is_in_whole = |file| whole.files().any(|known| known == file);
    Ok(rest.files().all(is_in_whole))
}

/// Moves what is staged to the backup.
fn keep_stages(dir: &StateDir, journal: &Journal) -> Result<()> {
    let backup = dir.path().join(BACKUP);
    disk::create_dir(&backup)?;
    for stage in journal.stages.iter().filter(|stage| matches!(disk::lstat(stage), Ok(Some(_)))) {
        disk::rename(stage, &disk::free_name(&backup, STAGE)?)?;
    }
    Ok(())
}

/// Removes the stages, and the journal last, so that a kill in between is finished by the next command.
fn clean_up(dir: &StateDir, journal: &Journal) -> Result<()> {
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
                    let name = entry.path().strip_prefix(dir).unwrap().display().to_string();
                    files.insert(name, fs::read_to_string(entry.path()).unwrap());
                }
            }
        }
        files
    }

    /// A project in a directory of its own, with the key in another beside it.
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
        changes.put(&root.join("skills/old"), &tree("new"), None).unwrap();
        changes.put(&root.join("skills/fresh"), &tree("fresh"), None).unwrap();
        changes.put(&root.join("other/agent/fresh"), &tree("fresh"), None).unwrap();
        changes.remove(&root.join("skills/gone"), None).unwrap();
        changes.write(&root.join("lock"), b"after").unwrap();
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
        assert!(disk::names(&root.path().join(".skillpm")).unwrap().is_empty());
    }

    #[test]
    fn dropped_without_commit_they_never_happened() {
        let root = project();
        let before = listing(root.path());
        drop(stage(root.path()));
        assert_eq!(listing(root.path()), before);
        assert_eq!(disk::names(root.path()).unwrap(), ["lock", "skills"]);
    }

    #[test]
    fn a_kill_after_any_number_of_steps_is_undone_by_the_next_command() {
        for steps in 0..=5 {
            let root = project();
            let before = listing(root.path());
            let mut killed = stage(root.path());
            killed.save_journal().unwrap();
            for step in &killed.journal.steps[..steps] {
                take(step, &mut killed.handles).unwrap();
            }
            killed.finished = true; // nobody undoes
            drop(killed);
            assert_eq!(recover(&root.state_dir()).unwrap(), Some(Recovered::default()));
            assert_eq!(listing(root.path()), before, "after {steps} steps");
            assert_eq!(recover(&root.state_dir()).unwrap(), None);
        }
    }

    #[test]
    fn a_kill_between_the_moves_that_stand_for_an_exchange_is_undone_by_the_next_command() {
        for moves in 1..=2 {
            let root = project();
            let before = listing(root.path());
            let mut killed = stage(root.path());
            killed.save_journal().unwrap();
            let step = &killed.journal.steps[0];
            fs::rename(&step.place, disk::aside(&step.staged)).unwrap();
            if moves == 2 {
                fs::rename(&step.staged, &step.place).unwrap();
            }
            killed.finished = true;
            drop(killed);
            assert_eq!(recover(&root.state_dir()).unwrap(), Some(Recovered::default()));
            assert_eq!(listing(root.path()), before, "after {moves} moves");
        }
    }

    #[test]
    fn what_cannot_be_moved_makes_way_for_a_copy_and_a_kill_meanwhile_is_undone() {
        let root = project();
        let before = listing(root.path());
        let mut changes = stage(root.path());
        let old = changes.journal.steps[0].old;
        changes.thaw(0).unwrap();
        assert_ne!(changes.journal.steps[0].old, old, "it is another directory");
        changes.commit().unwrap();
        assert_eq!(listing(root.path()), after());

        let root = project();
        let mut killed = stage(root.path());
        killed.save_journal().unwrap();
        let step = &killed.journal.steps[0];
        let aside = disk::aside(&step.staged);
        fs::create_dir(&aside).unwrap();
        fs::copy(step.place.join("SKILL.md"), aside.join("SKILL.md")).unwrap();
        let copy = disk::identity(&aside).unwrap();
        killed.journal.steps[0].old = copy;
        killed.save_journal().unwrap();
        // It had been emptied, and not removed yet.
        let step = &killed.journal.steps[0];
        fs::remove_file(step.place.join("SKILL.md")).unwrap();
        killed.finished = true;
        drop(killed);
        assert_eq!(recover(&root.state_dir()).unwrap(), Some(Recovered::default()));
        assert_eq!(listing(root.path()), before);
    }

    #[test]
    fn a_kill_is_undone_after_the_device_has_got_another_number() {
        let root = project();
        let before = listing(root.path());
        let mut killed = stage(root.path());
        for step in &killed.journal.steps.clone() {
            take(step, &mut killed.handles).unwrap();
        }
        let real = killed.journal.device;
        killed.journal = killed.journal.clone().on_device(real + 7);
        killed.save_journal().unwrap();
        killed.finished = true;
        drop(killed);
        assert_eq!(recover(&root.state_dir()).unwrap(), Some(Recovered::default()));
        assert_eq!(listing(root.path()), before);
    }

    #[test]
    fn what_is_staged_and_cannot_be_told_apart_is_kept() {
        let root = project();
        let mut killed = stage(root.path());
        for step in &killed.journal.steps.clone() {
            take(step, &mut killed.handles).unwrap();
        }
        // As on a disk that was restored from a copy.
        killed.journal.steps.iter_mut().for_each(|step| {
            step.old = step.old.map(|old| Identity(old.0, old.1 + 1_000_000));
            step.new = step.new.map(|new| Identity(new.0, new.1 + 1_000_000));
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
        killed
            .journal
            .steps
            .iter()
            .for_each(|step| take(step, &mut killed.handles).unwrap().done(&step.place).unwrap());
        killed.journal.committed = true;
        killed.save_journal().unwrap();
        killed.finished = true;
        drop(killed);
        recover(&root.state_dir()).unwrap();
        assert_eq!(listing(root.path()), after());
    }

    #[test]
    fn an_edit_that_comes_in_between_undoes_everything() {
        let root = project();
        let stamp = disk::stamp(&root.path().join("skills/old")).unwrap();
        let mut changes = Transaction::begin(&root.state_dir()).unwrap();
        changes.put(&root.path().join("skills/old"), &tree("new"), stamp).unwrap();
        fs::write(root.path().join("skills/old/SKILL.md"), "a person's").unwrap();
        let before = listing(&root.path().join("skills"));
        assert!(changes.commit().unwrap_err().message().ends_with("was edited while it was being replaced"));
        assert_eq!(listing(&root.path().join("skills")), before);
    }

    #[test]
    fn places_that_are_led_elsewhere_meanwhile_undo_everything_with_a_text_or_without() {
        for with_text in [false, true] {
            let root = project();
            let before = listing(&root.path().join("skills"));
            let mut changes = Transaction::begin(&root.state_dir()).unwrap();
            changes.put(&root.path().join("skills/old"), &tree("new"), None).unwrap();
            changes.remove(&root.path().join("skills/gone"), None).unwrap();
            if with_text {
                changes.write(&root.path().join("lock"), b"after").unwrap();
            }
            fs::rename(root.path().join("skills"), root.path().join("moved")).unwrap();
            fs::create_dir(root.path().join("planted")).unwrap();
            std::os::unix::fs::symlink("planted", root.path().join("skills")).unwrap();
            let error = changes.commit().unwrap_err();
            assert!(error.message().ends_with("skills` was put elsewhere while it was being written"), "{error}");
            assert_eq!(listing(&root.path().join("moved")), before, "with a text: {with_text}");
            assert_eq!(fs::read_to_string(root.path().join("lock")).unwrap(), "before");
        }
    }

    #[test]
    fn what_is_saved_aside_outlives_the_transaction() {
        let root = project();
        let mut changes = Transaction::begin(&root.state_dir()).unwrap();
        changes.save_aside(&root.path().join("skills/old"), Path::new("1/old")).unwrap();
        changes.put(&root.path().join("skills/old"), &tree("new"), None).unwrap();
        changes.commit().unwrap();
        assert_eq!(fs::read_to_string(root.path().join(".skillpm/backup/1/old/SKILL.md")).unwrap(), "old");
        assert_eq!(fs::read_to_string(root.path().join("skills/old/SKILL.md")).unwrap(), "new");
    }
}
