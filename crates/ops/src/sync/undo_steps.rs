//! The undo steps of a plan: what `undo` needs to restore the targets as they were before.

use std::path::PathBuf;

use super::SyncInput;
use super::planned::{InstallTrees, NextRecords, changes_disk};
use super::snapshot::InstalledSnapshot;
use skillpm_core::package::Checksum;
use skillpm_registry::install::plan::{InstallTarget, Plan, PlanAction, TargetContent};
use skillpm_registry::install::undo::{UndoContent, UndoStep};

/// Describes the changes of a plan for the undo entry.
pub(super) struct UndoStepBuilder<'a> {
    pub(super) input: &'a SyncInput<'a>,
    pub(super) plan: &'a Plan,
    pub(super) before: &'a InstalledSnapshot<'a>,
    pub(super) trees: &'a InstallTrees,
    /// The path of a target in the backup, if it is moved there.
    pub(super) backup_name: &'a dyn Fn(&InstallTarget) -> PathBuf,
}

impl UndoStepBuilder<'_> {
    /// The undo steps of the plan: of targets that change, of those that are
    /// adopted, and of those whose record changes.
    pub(super) fn gather_steps(&self, records: &NextRecords<'_>) -> Vec<UndoStep> {
        let mut steps = self.change_steps();
        steps.extend(self.adopted_steps());
        steps.extend(self.rebased_steps(records));
        steps
    }

    fn change_steps(&self) -> Vec<UndoStep> {
        self.plan
            .iter()
            .filter(|(_, action)| changes_disk(action))
            .map(|(place, action)| {
                let unchanged = self.unchanged_step(place);
                let before = match unchanged.before {
                    UndoContent::Other if action.moves_to_backup() => {
                        UndoContent::Saved((self.backup_name)(place))
                    }
                    before => before,
                };
                UndoStep {
                    after: self.content_after(place, action),
                    before,
                    ..unchanged
                }
            })
            .collect()
    }

    fn content_after(&self, place: &InstallTarget, action: &PlanAction) -> UndoContent {
        match (action, self.before.wanted.get(place)) {
            (PlanAction::Remove | PlanAction::RemoveWithBackup, _) | (_, None) => {
                UndoContent::Nothing
            }
            (_, Some(TargetContent::Link(target))) => UndoContent::Link(target.clone()),
            (_, Some(TargetContent::Tree(_) | TargetContent::Converted(..))) => {
                // What was really written: with edits it is another tree than the locked one.
                UndoContent::Tree(Checksum::from_tree(self.trees.get(place)))
            }
        }
    }

    /// An undo step that restores what the state has of a target, and changes no file.
    fn unchanged_step(&self, place: &InstallTarget) -> UndoStep {
        let present = &self.before.present[place];
        let content = UndoContent::from(&present.on_disk);
        UndoStep {
            // `undo` restores these in the state, so that edits count as edits again.
            base: present.base,
            edited: self.before.edited_checksum(place),
            conversion: present.conversion,
            ..UndoStep::unchanged(place, &content)
        }
    }

    /// Undo steps of skills that are adopted unchanged, so that undoing leaves their files alone.
    fn adopted_steps(&self) -> Vec<UndoStep> {
        let stays = self
            .plan
            .iter()
            .filter(|(_, action)| matches!(action, PlanAction::Keep | PlanAction::KeepEdited));

        // Without a base: before this command they were not skillpm's.
        let step = |(place, _): (&InstallTarget, &PlanAction)| {
            let content = UndoContent::from(&self.before.present[place].on_disk);
            UndoStep::unchanged(place, &content)
        };

        stays
            .filter(|(place, _)| self.is_newly_managed(place))
            .map(step)
            .collect()
    }

    /// Whether this command is the first that manages a skill.
    fn is_newly_managed(&self, place: &InstallTarget) -> bool {
        let state = self.before.state;
        // Without a state, what the lockfile has was installed by an earlier command.
        let was_guessed = self.before.present[place].base.is_some() && state.targets.is_empty();
        let is_adopted = self.input.adopted_checksum(place).is_some();

        state.installed_skill(&place.target, &place.name).is_none() && (is_adopted || !was_guessed)
    }

    /// Undo steps of skills that stay unchanged, but whose base in the state changes, as when edits
    /// become part of the lockfile. Undoing must restore the old base, or the edits would count as
    /// installed content.
    fn rebased_steps(&self, records: &NextRecords<'_>) -> Vec<UndoStep> {
        self.plan
            .iter()
            .filter(|(place, action)| !changes_disk(action) && self.is_rebased(place, records))
            .map(|(place, _)| self.unchanged_step(place))
            .collect()
    }

    fn is_rebased(&self, place: &InstallTarget, records: &NextRecords<'_>) -> bool {
        let known = (
            self.before.present[place].base,
            self.before.edited_checksum(place),
        );
        let next = records
            .get(place)
            .map(|record| (Some(record.checksum), record.edited));
        // A skill without a base was never skillpm's: there is nothing to restore.
        known.0.is_some() && next.is_some_and(|next| next != known)
    }
}
