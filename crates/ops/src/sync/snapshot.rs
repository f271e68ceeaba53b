//! The installed skills as they are before a sync.

use std::collections::BTreeMap;

use skillpm_core::package::{Checksum, SkillName};
use skillpm_io::disk::TreeStamp;
use skillpm_registry::install::plan::{InstallTarget, InstalledState, TargetContent};
use skillpm_registry::install::state::ProjectState;

/// The installed skills before any change.
pub(super) struct InstalledSnapshot<'s> {
    pub(super) state: &'s ProjectState,
    pub(super) present: BTreeMap<InstallTarget, InstalledState>,
    pub(super) wanted: BTreeMap<InstallTarget, TargetContent>,
    pub(super) stamps: BTreeMap<InstallTarget, TreeStamp>,
}

impl InstalledSnapshot<'_> {
    /// Whether a skill is installed in several targets as a copy, not as a link.
    pub(super) fn has_copies(&self, name: &SkillName) -> bool {
        let is_copy = |(place, content): &(&InstallTarget, &TargetContent)| {
            place.name == *name && matches!(content, TargetContent::Tree(_))
        };
        self.wanted.iter().filter(is_copy).count() > 1
    }

    /// The checksum with the user's edits that the last command recorded for a target.
    pub(super) fn edited_checksum(&self, place: &InstallTarget) -> Option<Checksum> {
        self.state
            .installed_skill(&place.target, &place.name)?
            .edited
    }
}
