//! What a plan leads to: the trees to install, and the new records of the state.

use std::collections::BTreeMap;

use skillpm_core::package::{SkillName, Tree};
use skillpm_io::disk::FileModes;
use skillpm_registry::install::plan::{InstallTarget, PlanAction};
use skillpm_registry::install::state::InstalledSkill;

/// The trees of the resolved packages, without the user's unsaved edits.
pub(super) struct UpstreamTrees {
    /// The locked trees, by name.
    pub(super) locked: BTreeMap<SkillName, Tree>,
    /// The trees of targets with another format than the package.
    pub(super) converted: BTreeMap<InstallTarget, Tree>,
}

impl UpstreamTrees {
    /// The tree for a target, if it was fetched.
    pub(super) fn get(&self, place: &InstallTarget) -> Option<&Tree> {
        self.converted
            .get(place)
            .or_else(|| self.locked.get(&place.name))
    }
}

/// The trees to install.
pub(super) struct InstallTrees {
    pub(super) upstream: UpstreamTrees,
    /// The trees of targets with edits.
    pub(super) own: BTreeMap<InstallTarget, Tree>,
    /// The permissions that a person has restricted edited files to, by skill.
    pub(super) modes: BTreeMap<SkillName, FileModes>,
}

impl InstallTrees {
    pub(super) fn get(&self, place: &InstallTarget) -> &Tree {
        self.own
            .get(place)
            .or_else(|| self.upstream.get(place))
            .expect("the trees that a plan writes are fetched")
    }
}

/// The new records of installed skills, without stamps.
pub(super) type NextRecords<'a> = BTreeMap<&'a InstallTarget, InstalledSkill>;

/// Whether an action changes files.
pub(super) fn changes_disk(action: &PlanAction) -> bool {
    !matches!(
        action,
        PlanAction::Keep | PlanAction::KeepEdited | PlanAction::Leave | PlanAction::Forget
    )
}
