//! `--no-detect`, and the question which detected agents become targets.

use std::cell::OnceCell;

use clap::Args;

use crate::cli::CliSession;
use crate::cli::picker::{ListPicker, PickerKind, PickerRow, PickerRows};
use crate::cli::shell::CliShell;
use crate::error::Result;
use crate::ops::agents::{DetectedTarget, TargetProposal};

#[derive(Debug, Args)]
pub(super) struct DetectArgs {
    /// Do not look for agents to install for
    ///
    /// Without this flag, a new project gets the agents that are used in it (`.claude/`, `.kiro/`, …) and do not read the
    /// main directory as targets. Nothing is detected in CI, with --locked and with `install.detect = false`.
    #[arg(long)]
    no_detect: bool,
}

impl DetectArgs {
    /// Whether agents are detected.
    pub(super) fn is_enabled(&self, session: &CliSession<'_>) -> bool {
        // In CI the manifest is what was committed, and what a runner has installed says nothing.
        !self.no_detect && !session.in_ci && !session.locked
    }
}

/// The answer to the question which agents become targets, asked at most once in a command.
#[derive(Default)]
pub(super) struct AgentPrompt(OnceCell<Option<Vec<usize>>>);

impl AgentPrompt {
    /// The positions of the chosen agents; `None` for those that are used here.
    pub(super) fn choose(
        &self,
        session: &CliSession<'_>,
        proposals: &[TargetProposal],
    ) -> Result<Option<Vec<usize>>> {
        // One agent that is used here is no choice; its line says how to undo it.
        let is_clear = matches!(proposals, [only] if only.is_used);
        if session.yes && !is_clear {
            return Ok(Some(preselected(proposals)));
        }
        if !session.context.interactive || is_clear {
            return Ok(None);
        }

        // A command runs again after the answer to another question.
        if let Some(answer) = self.0.get() {
            return Ok(answer.clone());
        }
        let answer = ask(session, proposals)?;
        Ok(self.0.get_or_init(|| answer).clone())
    }
}

/// The agents that are used here; without one, all that are installed: else nothing on this machine sees the skills.
fn preselected(proposals: &[TargetProposal]) -> Vec<usize> {
    let is_any_used = proposals.iter().any(|one| one.is_used);
    (0..proposals.len())
        .filter(|at| proposals[*at].is_used || !is_any_used)
        .collect()
}

fn ask(session: &CliSession<'_>, proposals: &[TargetProposal]) -> Result<Option<Vec<usize>>> {
    let selected = preselected(proposals).into_iter();
    let selected = selected.map(|id| (id, proposals[id].agent.name.clone()));

    let chosen = ListPicker {
        question: "Which agents should get a copy?",
        help: "↑↓ move, Space select, Enter continue, Esc cancel; none for the main directory alone",
        kind: PickerKind::Any,
        find: &mut |input| find_proposals(proposals, input),
    }
    .ask(session.shell, selected.collect())?;
    Ok(Some(chosen))
}

fn find_proposals(proposals: &[TargetProposal], input: &str) -> PickerRows {
    let input = input.to_lowercase();
    let rows = proposals
        .iter()
        .enumerate()
        .map(|(id, proposal)| PickerRow {
            id,
            name: proposal.agent.name.clone(),
            about: format!(
                "found {}, reads {}",
                proposal.found,
                proposal.directory.display()
            ),
        });
    PickerRows {
        rows: rows
            .filter(|row| row.name.to_lowercase().contains(&input))
            .collect(),
        note: None,
    }
}

/// Prints a line for each agent that became a target.
pub(super) fn print_detected(shell: &CliShell, detected: &[DetectedTarget], dry_run: bool) {
    for target in detected {
        let (name, found, undo) = (&target.agent.name, &target.found, &target.undo);
        if dry_run {
            shell.status("Would target", &format!("{name} (found {found})"));
        } else {
            shell.status(
                "Targeting",
                &format!("{name} (found {found}); `{undo}` undoes it"),
            );
        }
    }
}
