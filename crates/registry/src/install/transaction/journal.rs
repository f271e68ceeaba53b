//! The journal: every step of a transaction, from before the first change until after the last.

use std::path::{Component, Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::super::state_dir::StateDir;
use skillpm_core::error::Result;
use skillpm_core::package::Sha256Digest;
use skillpm_io::disk::{self, FileIdentity, TreeStamp};

/// The name of the journal.
pub const JOURNAL: &str = "journal.json";
/// Its name before anything has changed.
pub(super) const PREPARED: &str = "journal.json.new";
/// Its name after everything has.
pub(super) const COMMITTED: &str = "journal.json.done";
pub(super) const STAGE: &str = "stage";
pub(super) const BACKUP: &str = "backup";
/// The name of a stage beside a target on another file system.
pub const STAGE_BESIDE: &str = ".skillpm-stage";
pub(super) const VERSION: u32 = 2;

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct TransactionJournal {
    pub version: u32,
    /// Whether all steps are to stay, in a journal of a version that did not rename it for that.
    pub committed: bool,
    /// The device that the journal was written on: it may have another number after a reboot.
    pub device: u64,
    /// Directories of staged content, to be removed at the end.
    pub stages: Vec<PathBuf>,
    /// Directories that were created for this, to be removed if it is undone and they are empty.
    pub made: Vec<PathBuf>,
    pub steps: Vec<JournalStep>,
}

/// One change: the contents of `place` and `staged` are exchanged.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct JournalStep {
    pub place: PathBuf,
    pub staged: PathBuf,
    /// The identity of the new content; `None` where something is only removed.
    pub new: Option<FileIdentity>,
    /// The identity of the old content; `None` where there was none.
    pub old: Option<FileIdentity>,
    /// The new content as it was written; `None` where something is only removed.
    pub written: Option<StagedContent>,
    /// The content that the old one must still have when it is moved out; `None` where any is fine.
    #[serde(skip)]
    pub expected: Option<ExpectedContent>,
    /// Whether it is a text that names trees, such as a lockfile.
    #[serde(skip)]
    pub is_text: bool,
}

/// The content that a step writes, so that a recovery can detect whether the user changed it since.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum StagedContent {
    Tree(TreeStamp),
    Text(Sha256Digest),
    Link(PathBuf),
    /// The user's own file or directory, which is only moved.
    Own,
}

/// The content that a step expects to replace or remove.
#[derive(Debug, Clone)]
pub(super) enum ExpectedContent {
    Tree(TreeStamp),
    Text(Sha256Digest),
}

impl ExpectedContent {
    /// Whether `path` still has this content.
    pub(super) fn is_at(&self, path: &Path) -> Result<bool> {
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
    pub(super) fn relative_to(&self, root: &Path) -> TransactionJournal {
        // So that the project can be moved or renamed before the recovery.
        self.map_paths(|path| path.strip_prefix(root).unwrap_or(path).to_owned())
    }

    /// The journal as it is used, with absolute paths.
    pub(super) fn absolute_from(&self, root: &Path) -> TransactionJournal {
        self.map_paths(|path| root.join(path))
    }

    pub(super) fn map_paths(&self, map: impl Fn(&Path) -> PathBuf) -> TransactionJournal {
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
    pub(super) fn on_device(mut self, now: u64) -> TransactionJournal {
        // Device numbers are assigned at boot; the inode stays the same.
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
    pub(super) fn is_confined(&self, dir: &StateDir) -> bool {
        let mut paths = self.step_paths().chain(&self.stages).chain(&self.made);
        paths.all(|path| is_plain(path))
            && self.stages.iter().all(|path| is_stage(path, dir))
            && self
                .steps
                .iter()
                .all(|step| self.is_staged(&step.staged, dir))
            && self.made.iter().all(|path| self.may_remove(path, dir))
    }

    fn step_paths(&self) -> impl Iterator<Item = &PathBuf> {
        self.steps
            .iter()
            .flat_map(|step| [&step.place, &step.staged])
    }

    /// Whether a path is in one of the stages or in the backup.
    fn is_staged(&self, path: &Path, dir: &StateDir) -> bool {
        let is_in_stage = path
            .ancestors()
            .skip(1)
            .any(|above| self.stages.iter().any(|stage| stage == above));
        is_in_stage || path.starts_with(dir.path().join(BACKUP))
    }

    /// Whether a directory may have been created for the steps.
    fn may_remove(&self, made: &Path, dir: &StateDir) -> bool {
        made == dir.path()
            || made == dir.path().join(BACKUP)
            || made.starts_with(dir.root())
            || self.step_paths().any(|path| path.starts_with(made))
            // One that is being created when the command is killed has no step yet; it is removed only if it is empty.
            || self.steps.is_empty()
    }
}

fn is_plain(path: &Path) -> bool {
    // `..` would defeat every comparison of prefixes.
    path.components()
        .all(|part| !matches!(part, Component::ParentDir))
}

fn is_stage(path: &Path, dir: &StateDir) -> bool {
    *path == dir.path().join(STAGE) || path.file_name().is_some_and(|name| name == STAGE_BESIDE)
}

impl JournalStep {
    /// Creates a step that does nothing yet.
    pub(super) fn new(place: &Path, staged: PathBuf) -> JournalStep {
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
    pub(super) fn is_untouched(&self) -> Result<bool> {
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

pub(super) fn parse_journal(bytes: &[u8], dir: &StateDir) -> Option<TransactionJournal> {
    // Its seal was checked before, so this is a file that skillpm wrote.
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
