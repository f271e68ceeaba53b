//! The result of resolving a project.

use std::collections::{BTreeMap, BTreeSet};

use super::{PatchChange, PatchOutcome, SkillMerge};
use skillpm_core::error::Error;
use skillpm_core::lockfile::Lockfile;
use skillpm_core::package::{Checksum, RelPath, SkillName, Tree};

/// The resolved packages of a project.
pub(super) struct LockResolution {
    pub lockfile: Lockfile,
    /// Trees that were fetched while resolving, without edits.
    pub fetched_trees: BTreeMap<Checksum, Tree>,
    /// Changes of saved edits.
    pub patch_updates: PatchUpdates,
    /// The saved edits that `--merge` makes local again, because they conflict with the new version.
    pub unsaved_edits: BTreeMap<SkillName, UnsavedEdits>,
    /// The packages that stay as they were locked because their sources failed, by install name.
    pub held: BTreeSet<SkillName>,
    /// Why, once for each source.
    pub failed: Vec<Error>,
}

/// Edits that were saved for the locked version. Merged with the new one they have conflict markers, which no patch file may
/// have: every clone would install them.
pub(super) struct UnsavedEdits {
    /// The locked version, without the edits.
    pub(super) base: Tree,
    /// The locked version with them.
    pub(super) edited: Tree,
}

/// Changes of patch files, and of their lines in the manifest.
#[derive(Debug, Default)]
pub(super) struct PatchUpdates {
    /// The new texts; `None` removes a file.
    pub(super) files: BTreeMap<RelPath, Option<String>>,
    /// The new lines of `[edits]`; `None` removes one.
    pub(super) lines: BTreeMap<SkillName, Option<RelPath>>,
    pub(super) patched: Vec<PatchChange>,
    pub(super) merges: Vec<SkillMerge>,
}

impl PatchUpdates {
    pub(super) fn add_outcome(&mut self, name: &SkillName, path: &RelPath, outcome: PatchOutcome) {
        self.patched.push(PatchChange {
            name: name.clone(),
            path: path.clone(),
            outcome,
        });
    }
}
