//! Doing a plan, all or nothing.
//!
//! ```text
//! .skillpm/
//! ├── journal.json     what is being done, from before the first change until after the last
//! ├── stage/           new trees and files on their way in, old ones on their way out
//! └── backup/          a person's work that `--force` moved aside
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
//! or finishes by it: the identity of what stands at a place tells whether its step had been taken.
//!
//! Every directory that is written to is opened once and then held ([`Handles`]), so that nobody can lead a step astray by
//! putting a link into the way.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::io::disk::{self, Handles, Identity, Moved, Stamp};
use crate::package::Tree;

const JOURNAL: &str = "journal.json";
const STAGE: &str = "stage";
/// The name of a stage beside a target on another file system.
pub const STAGE_BESIDE: &str = ".skillpm-stage";
const VERSION: u32 = 1;

#[derive(Debug, Serialize, Deserialize)]
struct Journal {
    version: u32,
    committed: bool,
    /// Directories that hold staged things, to be removed at the end.
    stages: Vec<PathBuf>,
    /// Directories that were made for this, to be removed if it is undone and they are empty.
    made: Vec<PathBuf>,
    steps: Vec<Step>,
}

/// One change: what stands at `place` and what lies at `staged` change places.
#[derive(Debug, Serialize, Deserialize)]
struct Step {
    place: PathBuf,
    staged: PathBuf,
    /// What goes in; `None` where something is only taken away.
    new: Option<Identity>,
    /// What comes out; `None` where nothing was.
    old: Option<Identity>,
    /// How the old one looked when it was decided that it may go.
    #[serde(skip)]
    unchanged: Option<Stamp>,
    /// Whether it is a text that speaks of trees.
    #[serde(skip)]
    is_text: bool,
}

/// Changes on their way; dropped without [`Transaction::commit`] they never happened.
#[derive(Debug)]
pub struct Transaction {
    dir: PathBuf,
    journal: Journal,
    /// The stage on the file system of each directory that something was staged for.
    stages: BTreeMap<PathBuf, PathBuf>,
    handles: Handles,
    files: usize,
    finished: bool,
}

impl Transaction {
    /// Begins a transaction whose journal lies in `dir` (`<project>/.skillpm`), after putting right what an earlier one
    /// left.
    ///
    /// The caller holds the project's lock.
    ///
    /// # Errors
    /// If the directory cannot be written, or an earlier transaction cannot be put right.
    pub fn begin(dir: &Path) -> Result<Transaction> {
        recover(dir)?;
        let made = disk::missing(dir);
        let mut handles = handles(dir);
        handles.make(dir)?;
        let stage = dir.join(STAGE);
        let journal =
            Journal { version: VERSION, committed: false, stages: vec![stage.clone()], made, steps: Vec::new() };
        let (dir, stages) = (dir.to_owned(), BTreeMap::new());
        let mut transaction = Transaction { dir, journal, stages, handles, files: 0, finished: false };
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
        self.add(place, staged, unchanged, Sort::Comes)?;
        Ok(stamp)
    }

    /// Stages a symbolic link for `place`, in place of whatever stands there now.
    ///
    /// # Errors
    /// If the disk refuses.
    pub fn link(&mut self, place: &Path, target: &Path, unchanged: Option<Stamp>) -> Result<()> {
        let staged = self.slot(place)?;
        self.handles.make_link(&staged, target)?;
        self.add(place, staged, unchanged, Sort::Comes)
    }

    /// Stages a file for `place`, in place of whatever stands there now.
    ///
    /// # Errors
    /// If the disk refuses.
    pub fn write(&mut self, place: &Path, bytes: &[u8]) -> Result<()> {
        let staged = self.slot(place)?;
        self.handles.write_file(&staged, bytes)?;
        self.add(place, staged, None, Sort::Text)
    }

    /// Plans to take away what stands at `place`.
    ///
    /// # Errors
    /// If the disk refuses.
    pub fn remove(&mut self, place: &Path, unchanged: Option<Stamp>) -> Result<()> {
        let staged = self.slot(place)?;
        self.add(place, staged, unchanged, Sort::Goes)
    }

    /// Moves what stands at `place` into the backup, which outlives the transaction. Its name there is `name`.
    ///
    /// # Errors
    /// If the disk refuses.
    pub fn save_aside(&mut self, place: &Path, name: &Path) -> Result<()> {
        let kept = self.dir.join("backup").join(name);
        if let Some(parent) = kept.parent() {
            self.make(parent)?;
        }
        let old = self.handles.identity(place)?;
        let place = place.to_owned();
        self.journal.steps.push(Step { place, staged: kept, new: None, old, unchanged: None, is_text: false });
        Ok(())
    }

    /// The directories that had to be made for what was staged so far, outermost first.
    #[must_use]
    pub fn made(&self) -> &[PathBuf] {
        &self.journal.made
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
                if step.unchanged.as_ref().is_some_and(|stamp| !stamp.still_holds(&step.staged)) {
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
        let Step { place, staged, old, unchanged, .. } = &self.journal.steps[at];
        let (place, aside, copy) = (place.clone(), disk::aside(staged), disk::aside(&disk::aside(staged)));
        if old.is_none() || self.handles.identity(&place)? != *old {
            return Ok(());
        }
        let tree = disk::read_tree(&place)?;
        if unchanged.as_ref().is_some_and(|stamp| !stamp.still_holds(&place)) {
            return Err(edited(&place));
        }
        self.handles.write_tree(&copy, &tree)?;
        disk::sync_trees(&copy, tree.len())?;
        let identity = self.handles.identity(&copy)?;
        let step = &mut self.journal.steps[at];
        (step.old, step.unchanged) = (identity, None);
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

    fn add(&mut self, place: &Path, staged: PathBuf, unchanged: Option<Stamp>, sort: Sort) -> Result<()> {
        // A save_aside earlier in this transaction empties the place before this step is taken.
        let emptied = self.journal.steps.iter().any(|step| step.new.is_none() && step.place == place);
        let old = if emptied { None } else { self.handles.identity(place)? };
        let new = if sort == Sort::Goes { None } else { self.handles.identity(&staged)? };
        let (place, is_text) = (place.to_owned(), sort == Sort::Text);
        self.journal.steps.push(Step { place, staged, new, old, unchanged, is_text });
        Ok(())
    }

    fn save_journal(&self) -> Result<()> {
        let bytes = serde_json::to_vec(&self.journal).map_err(|cause| Error::internal(format!("journal: {cause}")))?;
        disk::write_atomic(&self.dir.join(JOURNAL), &bytes)
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

/// What a step does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sort {
    /// A tree, or a link to one, is put somewhere.
    Comes,
    /// A text is put somewhere.
    Text,
    /// Something is taken away.
    Goes,
}

/// The directories of a transaction whose journal lies in `dir`.
fn handles(dir: &Path) -> Handles {
    Handles::around(dir.parent().unwrap_or(dir))
}

/// A journal that is there while nobody is at work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unfinished {
    /// Where it is.
    pub path: PathBuf,
    /// Whether this skillpm can put it right.
    pub is_readable: bool,
}

/// The journal that a killed command left in `dir`, or that one writes just now; `None` if there is none.
///
/// # Errors
/// If it is there but cannot be read.
pub fn unfinished(dir: &Path) -> Result<Option<Unfinished>> {
    let path = dir.join(JOURNAL);
    let bytes = disk::read(&path)?;
    Ok(bytes.map(|bytes| Unfinished { path, is_readable: parse(&bytes).is_some() }))
}

fn parse(bytes: &[u8]) -> Option<Journal> {
    serde_json::from_slice(bytes).ok().filter(|journal: &Journal| journal.version == VERSION)
}

/// Puts right what a killed command left: undoes what was not committed, cleans up after what was.
///
/// Returns whether there was anything.
///
/// # Errors
/// If the disk refuses, or the journal is of a newer skillpm.
pub fn recover(dir: &Path) -> Result<bool> {
    let Some(bytes) = disk::read(&dir.join(JOURNAL))? else {
        sweep(dir)?;
        return Ok(false);
    };
    let journal = parse(&bytes).ok_or_else(|| {
        Error::new(
            crate::error::Kind::Disk,
            format!("`{}` is not a journal this skillpm reads", dir.join(JOURNAL).display()),
        )
        .help("another version of skillpm was interrupted here; run that one again, or remove the file")
    })?;
    if journal.committed {
        clean_up(dir, &journal)?;
    } else {
        undo(dir, &journal, &mut handles(dir))?;
    }
    sweep(dir)?;
    Ok(true)
}

/// Removes what a command left that was killed before it wrote a journal, or while it wrote a file here.
fn sweep(dir: &Path) -> Result<()> {
    for name in disk::names(dir)? {
        if name == STAGE || name.starts_with(disk::TEMPORARY) {
            disk::remove(&dir.join(name))?;
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

fn undo(dir: &Path, journal: &Journal, handles: &mut Handles) -> Result<()> {
    for step in journal.steps.iter().rev() {
        let aside = disk::aside(&step.staged);
        if handles.identity(&aside)?.is_some() {
            // On a file system without an exchange, or where the old one cannot be moved: all of it is there, and at its
            // place nothing, a part of it, or the new one.
            handles.remove(&step.place)?;
            handles.move_into_place(&aside, &step.place)?.done(&aside)?;
            continue;
        }
        let there = handles.identity(&step.place)?;
        let (from, moved) = match (step.new, step.old) {
            (Some(new), Some(_)) if there == Some(new) => (&step.place, handles.exchange(&step.staged, &step.place)?),
            (Some(new), None) if there == Some(new) => {
                (&step.place, handles.move_into_place(&step.place, &step.staged)?)
            }
            (None, Some(old)) if handles.identity(&step.staged)? == Some(old) => {
                (&step.staged, handles.move_into_place(&step.staged, &step.place)?)
            }
            _ => continue,
        };
        moved.done(from)?;
    }
    clean_up(dir, journal)?;
    for made in journal.made.iter().rev() {
        disk::remove_if_empty(made);
    }
    Ok(())
}

/// Removes the stages, and the journal last, so that a kill in between is finished by the next command.
fn clean_up(dir: &Path, journal: &Journal) -> Result<()> {
    for stage in &journal.stages {
        disk::remove(stage)?;
    }
    disk::remove(&dir.join(JOURNAL))
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

    fn project() -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        for name in ["kept", "old", "gone"] {
            fs::create_dir_all(root.path().join("skills").join(name)).unwrap();
            fs::write(root.path().join("skills").join(name).join("SKILL.md"), name).unwrap();
        }
        fs::write(root.path().join("lock"), "before").unwrap();
        root
    }

    fn stage(root: &Path) -> Transaction {
        let mut changes = Transaction::begin(&root.join(".skillpm")).unwrap();
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
            assert!(recover(&root.path().join(".skillpm")).unwrap());
            assert_eq!(listing(root.path()), before, "after {steps} steps");
            assert!(!recover(&root.path().join(".skillpm")).unwrap());
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
            assert!(recover(&root.path().join(".skillpm")).unwrap());
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
        // It had been emptied, and not removed yet.
        fs::remove_file(step.place.join("SKILL.md")).unwrap();
        killed.finished = true;
        drop(killed);
        assert!(recover(&root.path().join(".skillpm")).unwrap());
        assert_eq!(listing(root.path()), before);
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
        recover(&root.path().join(".skillpm")).unwrap();
        assert_eq!(listing(root.path()), after());
    }

    #[test]
    fn an_edit_that_comes_in_between_undoes_everything() {
        let root = project();
        let stamp = disk::stamp(&root.path().join("skills/old")).unwrap();
        let mut changes = Transaction::begin(&root.path().join(".skillpm")).unwrap();
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
            let mut changes = Transaction::begin(&root.path().join(".skillpm")).unwrap();
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
        let mut changes = Transaction::begin(&root.path().join(".skillpm")).unwrap();
        changes.save_aside(&root.path().join("skills/old"), Path::new("1/old")).unwrap();
        changes.put(&root.path().join("skills/old"), &tree("new"), None).unwrap();
        changes.commit().unwrap();
        assert_eq!(fs::read_to_string(root.path().join(".skillpm/backup/1/old/SKILL.md")).unwrap(), "old");
        assert_eq!(fs::read_to_string(root.path().join("skills/old/SKILL.md")).unwrap(), "new");
    }
}
