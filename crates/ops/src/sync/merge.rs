//! Three-way merges of the user's edits with upstream's changes, and the error for conflicts.

use super::{EditPolicy, PinPolicy, SyncInput};
use skillpm_core::error::{Error, FailureKind, Result};
use skillpm_core::package::{SkillName, Tree};
use skillpm_merge::{ConflictLabels, MergeFavor, MergedFile, MergedTree};

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

    /// The command line of this update, without flags for conflicts.
    fn update_command(&self) -> String {
        let mut words = vec!["update".to_owned()];
        if let PinPolicy::AllBut(names) = &self.request.keep {
            words.extend(names.iter().map(ToString::to_string));
        }
        let version = self.request.precise.first();
        let version = version
            .and_then(|(id, _)| id.version.as_ref())
            .map(ToString::to_string);
        if let Some(precise) = version.or_else(|| self.request.commits.values().next().cloned()) {
            words.extend(["--precise".to_owned(), precise]);
        } else if self.request.manifest_text.is_some() {
            words.push("--latest".to_owned());
        }
        words.join(" ")
    }

    fn conflict_error(&self, conflicts: &[(SkillName, MergedTree)]) -> Error {
        // `remove` has no flags for conflicts.
        let command = match self.context.command {
            "remove" => "install".to_owned(),
            "update" => self.update_command(),
            command => command.to_owned(),
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
                    error.note(describe_conflict(name, merged, change))
                })
            },
        );

        error.note("nothing was changed").help(format!(
            "run `skillpm {command} --merge` to write both with conflict markers, or pass `--ours` or `--theirs` to use one side"
        ))
    }
}

/// `pdf/SKILL.md: lines 12, 40`, as the person's own file counts them.
fn describe_conflict(name: &SkillName, merged: &MergedTree, change: &MergedFile) -> String {
    let text = merged.tree.get(change.path.as_str()).unwrap_or_default();
    let text = String::from_utf8_lossy(text);
    let (mut lines, mut own) = (Vec::new(), 0);
    let (mut is_ours, mut is_theirs) = (false, false);
    for line in text.lines() {
        if line.starts_with("<<<<<<< ") {
            lines.push((own + 1).to_string());
            is_ours = true;
        } else if line == "=======" && is_ours {
            (is_ours, is_theirs) = (false, true);
        } else if line.starts_with(">>>>>>> ") {
            is_theirs = false;
        } else if !is_theirs {
            own += 1;
        }
    }
    match lines.len() {
        0 => format!("{name}/{}", change.path),
        1 => format!("{name}/{}: line {}", change.path, lines[0]),
        _ => format!("{name}/{}: lines {}", change.path, lines.join(", ")),
    }
}
