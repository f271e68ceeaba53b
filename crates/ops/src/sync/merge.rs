//! Three-way merges of the user's edits with upstream's changes, and the error for conflicts.

use super::{EditPolicy, SyncInput};
use skillpm_core::error::{Error, FailureKind, Result};
use skillpm_core::package::{SkillName, Tree};
use skillpm_merge::{ConflictLabels, MergeFavor, MergedTree};

impl SyncInput<'_> {
    pub(super) fn merge_trees(
        &self,
        base: &Tree,
        ours: &Tree,
        theirs: &Tree,
    ) -> Result<MergedTree> {
        // `Mark` as well: whether a conflict is an error or is marked is decided by the caller.
        let favor = match self.options.edits {
            EditPolicy::Stop | EditPolicy::Mark => MergeFavor::Neither,
            EditPolicy::Ours => MergeFavor::Ours,
            EditPolicy::Theirs => MergeFavor::Theirs,
        };

        skillpm_merge::merge_trees(base, ours, theirs, favor, ConflictLabels::default())
    }

    pub(super) fn refuse_conflicts(&self, conflicts: &[(SkillName, MergedTree)]) -> Result<()> {
        if conflicts.is_empty() {
            return Ok(());
        }
        Err(self.conflict_error(conflicts))
    }

    fn conflict_error(&self, conflicts: &[(SkillName, MergedTree)]) -> Error {
        // `remove` has no flags for conflicts.
        let command = if self.context.command == "remove" {
            "install"
        } else {
            self.context.command
        };

        let names: Vec<String> = conflicts
            .iter()
            .map(|(name, _)| format!("`{name}`"))
            .collect();

        let message = format!(
            "conflicting changes in {}: you and upstream changed the same lines",
            names.join(", ")
        );

        // Every file is named, so that the user can decide for all of them at once.
        let error = conflicts.iter().fold(
            Error::new(FailureKind::Conflict, message),
            |error, (name, merged)| {
                merged.conflicts().fold(error, |error, change| {
                    error.note(format!("{name}/{}", change.path))
                })
            },
        );

        error.note("nothing was changed").help(format!(
            "run `skillpm {command} --merge` to write both with conflict markers, or pass `--ours` or `--theirs` to use one side"
        ))
    }
}
