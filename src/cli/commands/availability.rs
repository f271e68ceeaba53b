//! `enable` and `disable`: pass names to [`set_availability`], and print the report of the synchronization.

use clap::Args;

use super::{RunArgs, ScopeArgs, install_names, print_sync_report};
use crate::cli::CliSession;
use crate::cli::render::foreign_text::escape_line;
use crate::error::Result;
use crate::ops::availability::{SkillAvailability, set_availability};

/// Put disabled skills back into the directories of agents
///
/// Removes the skills from `deny` under `[catalog]` in skillpm.toml, and installs them
/// as they are locked.
///
/// Examples:
///
///   skillpm enable brainstorming
///   skillpm enable brainstorming --dry-run
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub(in crate::cli) struct EnableArgs {
    #[command(flatten)]
    skills: AvailabilityArgs,
}

/// Keep skills from all agents, without removing them
///
/// Adds the skills to `deny` under `[catalog]` in skillpm.toml, and removes them from the
/// directories of agents. They stay in skillpm.lock, and `skillpm enable` puts them back.
/// To keep a skill from one agent, see `[catalog.agents.ID]` in docs/views.md.
///
/// Examples:
///
///   skillpm disable brainstorming
///   skillpm disable -g brainstorming
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub(in crate::cli) struct DisableArgs {
    #[command(flatten)]
    skills: AvailabilityArgs,
}

#[derive(Debug, Args)]
struct AvailabilityArgs {
    /// Installed skills
    #[arg(required = true, value_name = "NAME")]
    names: Vec<String>,

    #[command(flatten)]
    scope: ScopeArgs,

    #[command(flatten)]
    reach: RunArgs,
}

impl EnableArgs {
    pub(in crate::cli) fn run(&self, session: &CliSession<'_>) -> Result<u8> {
        self.skills.run(session, SkillAvailability::Enabled)
    }
}

impl DisableArgs {
    pub(in crate::cli) fn run(&self, session: &CliSession<'_>) -> Result<u8> {
        self.skills.run(session, SkillAvailability::Disabled)
    }
}

impl AvailabilityArgs {
    fn run(&self, session: &CliSession<'_>, availability: SkillAvailability) -> Result<u8> {
        let names = install_names(&self.names)?;
        let synced = set_availability(
            &session.context,
            &names,
            availability,
            self.scope.workspace_kind(),
            self.reach.sync_options(session),
        )?;
        let code = print_sync_report(session, &synced)?;
        if availability == SkillAvailability::Disabled && !session.wants_json()? {
            let names = self.names.join(" ");
            let verb = if self.reach.dry_run {
                "Would disable"
            } else {
                "Disabled"
            };
            let text = format!(
                "{}; `skillpm enable {names}` undoes it",
                self.names.join(", ")
            );
            session.shell.status(verb, &escape_line(&text));
        }
        Ok(code)
    }
}
