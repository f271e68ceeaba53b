//! `--no-detect`, and the question which detected agents become targets.

use std::cell::OnceCell;

use clap::Args;

use crate::cli::CliSession;
use crate::cli::render::foreign_text::escape_line;
use crate::cli::shell::CliShell;
use crate::error::{Error, Result};
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
        if !session.context.interactive || session.yes || is_clear {
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

fn ask(session: &CliSession<'_>, proposals: &[TargetProposal]) -> Result<Option<Vec<usize>>> {
    let lines: Vec<String> = proposals.iter().map(describe_proposal).collect();
    let used: Vec<usize> = (0..proposals.len())
        .filter(|at| proposals[*at].is_used)
        .collect();

    // The prompt draws on the terminal itself, and a progress line would be drawn over it.
    session.shell.hide_progress();
    let chosen = inquire::MultiSelect::new("Which agents should get a copy?", lines)
        .with_default(&used)
        .with_page_size(15)
        .with_formatter(&|chosen| {
            chosen
                .iter()
                .map(|option| proposals[option.index].agent.name.as_str())
                .collect::<Vec<_>>()
                .join(", ")
        })
        .raw_prompt_skippable();

    match chosen {
        Ok(Some(chosen)) => Ok(Some(
            chosen.into_iter().map(|option| option.index).collect(),
        )),
        // Escape: the main directory alone, as with an empty selection.
        Ok(None) => Ok(Some(Vec::new())),
        Err(inquire::InquireError::OperationInterrupted) => {
            session.shell.end_line();
            Err(Error::negative("no agents selected"))
        }
        Err(cause) => Err(Error::usage(format!(
            "failed to prompt for a selection: {cause}"
        ))),
    }
}

fn describe_proposal(proposal: &TargetProposal) -> String {
    let (name, found) = (&proposal.agent.name, &proposal.found);
    // A name may be from a project's settings, and could move the cursor.
    escape_line(&format!(
        "{name} (found {found}, reads {})",
        proposal.directory.display()
    ))
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
