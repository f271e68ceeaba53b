//! What a command requests of a sync, and how.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use crate::gate::SeverityAction;
use skillpm_core::lockfile::LockedPackage;
use skillpm_core::package::{Checksum, PackageId, RelPath, SkillName};
use skillpm_registry::install::plan::ForceMode;
use skillpm_registry::install::undo::UndoStep;

/// How to sync, and what is allowed.
#[derive(Debug, Clone, Copy)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub struct SyncOptions {
    /// The lockfile may not change, and installed skills must match it.
    pub locked: bool,
    /// Reports the changes without making them.
    pub dry_run: bool,
    /// Whether skills that the user edited may be moved to the backup.
    pub force: ForceMode,
    /// How conflicts of the user's edits with upstream's changes are resolved.
    pub edits: EditPolicy,
    /// What to do about findings of high severity in new packages.
    pub high: SeverityAction,
    /// Whether skills that stay as they are pass the gate, too, unless this user installed them.
    pub checks_present: bool,
    /// Resolves and writes the lockfile without installing.
    pub lock_only: bool,
    /// Packages from directories that do not exist stay locked.
    pub keep_absent: bool,
}

impl Default for SyncOptions {
    fn default() -> Self {
        SyncOptions {
            // The least that can do harm: edits are kept, and a conflict stops the command.
            locked: false,
            dry_run: false,
            force: ForceMode::No,
            edits: EditPolicy::Stop,
            high: SeverityAction::Warn,
            checks_present: true,
            lock_only: false,
            keep_absent: false,
        }
    }
}

/// How conflicts of the user's edits with upstream's changes are resolved.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum EditPolicy {
    /// Not at all: the command fails, and no skill changes.
    #[default]
    Stop,
    /// Both versions are written, with conflict markers.
    Mark,
    /// With the user's lines.
    Ours,
    /// With upstream's lines.
    Theirs,
}

/// Which locked versions are kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PinPolicy {
    /// All that still match their requirements.
    All,
    /// All except the packages with these install names.
    AllBut(BTreeSet<SkillName>),
    /// None: everything is resolved again.
    Nothing,
}

/// The changes that a command requests beyond manifest and lockfile.
#[derive(Debug, Clone)]
pub struct SyncRequest {
    /// The new text of the manifest that the command edits, as `Workspace::edited_text` gives it;
    /// `None` for no change.
    pub manifest_text: Option<String>,
    /// Which locked versions are kept.
    pub keep: PinPolicy,
    /// Packages that stay as they are locked, whatever `keep` says, by install name.
    pub held: BTreeSet<SkillName>,
    /// Keeps packages whose sources fail as they are locked, and reports why.
    pub skips_failing: bool,
    /// Exact versions.
    pub precise: Vec<(PackageId, Option<RelPath>)>,
    /// Exact commits, by install name.
    pub commits: BTreeMap<SkillName, String>,
    /// Skills whose edits are discarded, after a backup, by install name.
    pub restored: BTreeSet<SkillName>,
    /// Edits to save, as patches by install name; `None` drops saved edits.
    pub edits: BTreeMap<SkillName, Option<String>>,
    /// Skills that another tool installed, and skillpm manages from now on.
    pub adopted: AdoptedSkills,
}

/// Skills that another tool installed, and skillpm manages from now on.
#[derive(Debug, Clone, Default)]
pub struct AdoptedSkills {
    /// Packages whose versions are known; only their dependencies are resolved.
    pub packages: Vec<LockedPackage>,
    /// The checksums as installed, by target directory and name: differences are the user's edits.
    pub places: BTreeMap<(PathBuf, SkillName), Checksum>,
    /// Files of the other tool to remove; relative to the project, or absolute.
    pub gone: Vec<PathBuf>,
    /// Changes that were made just before, whose undo entry is combined with this one.
    pub made: Option<PriorChanges>,
}

/// Changes that a command made before syncing.
#[derive(Debug, Clone)]
pub struct PriorChanges {
    /// Its undo entry.
    pub file: PathBuf,
    /// The changed skills.
    pub steps: Vec<UndoStep>,
    /// The created directories, relative to the project.
    pub directories: Vec<PathBuf>,
}

impl SyncRequest {
    /// Whether the locked version of a package is kept, by its install name.
    pub(crate) fn keeps(&self, name: &SkillName) -> bool {
        let is_released = match &self.keep {
            PinPolicy::All => false,
            PinPolicy::AllBut(names) => names.contains(name),
            PinPolicy::Nothing => true,
        };
        !is_released || self.held.contains(name)
    }
}

impl Default for SyncRequest {
    fn default() -> Self {
        SyncRequest {
            manifest_text: None,
            keep: PinPolicy::All,
            held: BTreeSet::new(),
            skips_failing: false,
            precise: Vec::new(),
            commits: BTreeMap::new(),
            restored: BTreeSet::new(),
            edits: BTreeMap::new(),
            adopted: AdoptedSkills::default(),
        }
    }
}
