//! `budget`: prints the tables of [`measure_listings`], the tokens that listing the skills costs each agent.

use clap::Args;
use serde_json::json;

use super::plural;
use crate::catalog::budget::{TruncatedSkill, TruncationKind};
use crate::cli::CliSession;
use crate::cli::render::human::align_columns;
use crate::cli::shell::CliShell;
use crate::error::Result;
use crate::ops::budget::{AgentListing, BudgetOptions, measure_listings};

/// The earlier name of `list --tokens`, with several agents.
#[derive(Debug, Args)]
pub(in crate::cli) struct BudgetArgs {
    /// Show this agent (repeatable)
    #[arg(long = "agent", value_name = "NAME")]
    agents: Vec<String>,

    /// Count tokens with the o200k vocabulary
    #[arg(long)]
    exact: bool,
}

impl BudgetArgs {
    pub(in crate::cli) fn run(&self, session: &CliSession<'_>) -> Result<u8> {
        print_budget(session, &self.agents, self.exact)
    }
}

/// Prints what listing the skills costs each of the agents, or those in use.
pub(super) fn print_budget(session: &CliSession<'_>, agents: &[String], exact: bool) -> Result<u8> {
    let as_json = session.wants_json()?;
    let options = BudgetOptions {
        agents: agents.to_vec(),
        exact,
    };
    let weighed = measure_listings(&session.context, &options)?;

    if as_json {
        weighed
            .iter()
            .for_each(|weighed| session.shell.print_object(&budget_json(weighed)));
        return Ok(0);
    }

    // The tilde says that the number is an estimate: a token for four characters.
    let tokens = if exact { "tokens" } else { "~tokens" };
    let head = ["agent", "skills", "characters", tokens, "limit"].map(str::to_owned);
    let rows: Vec<Vec<String>> = std::iter::once(head.to_vec())
        .chain(weighed.iter().map(budget_row))
        .collect();
    align_columns(&rows)
        .iter()
        .for_each(|line| session.shell.print_line(line));
    weighed
        .iter()
        .filter(|weighed| !weighed.budget.losses.is_empty())
        .for_each(|weighed| print_losses(session.shell, weighed));
    // A listing that is cut is what the agent does, and no failure of this command.
    Ok(0)
}

/// Prints what an agent would truncate or omit.
fn print_losses(shell: &CliShell, weighed: &AgentListing) {
    let name = weighed.agent.as_deref().unwrap_or_default();
    let losses: Vec<Vec<String>> = weighed.budget.losses.iter().map(loss_row).collect();

    shell.print_line("");
    shell.print_line(&format!(
        "{name} would truncate {}:",
        plural(losses.len(), "skill")
    ));
    align_columns(&losses)
        .iter()
        .for_each(|line| shell.print_line(line));
}

fn budget_row(weighed: &AgentListing) -> Vec<String> {
    let budget = &weighed.budget;
    vec![
        // The first row is for no agent: all skills of all tiers.
        weighed.agent.clone().unwrap_or_else(|| "-".to_owned()),
        budget.skills.to_string(),
        budget.characters.to_string(),
        // A build without the vocabulary has the estimate alone.
        budget.tokens.unwrap_or(budget.est_tokens).to_string(),
        weighed.limit.to_string(),
    ]
}

fn loss_row(loss: &TruncatedSkill) -> Vec<String> {
    let what = match loss.kind {
        TruncationKind::Shortened(to) => {
            format!("description of {} characters cut to {to}", loss.description)
        }
        TruncationKind::Dropped => {
            format!("description of {} characters left out", loss.description)
        }
        TruncationKind::Unlisted => "not listed at all".to_owned(),
    };
    vec![format!("  {}", loss.skill), what]
}

fn budget_json(weighed: &AgentListing) -> serde_json::Value {
    let (budget, limit) = (&weighed.budget, &weighed.limit);
    let losses: Vec<_> = budget.losses.iter().map(loss_json).collect();

    json!({
        "type": "budget",
        "agent": weighed.agent,
        "skills": budget.skills,
        "characters": budget.characters,
        "est_tokens": budget.est_tokens,
        "tokens": budget.tokens,
        "limit": {
            "skills": limit.skills,
            "characters": limit.characters,
            "description": limit.description,
        },
        "losses": losses,
    })
}

fn loss_json(loss: &TruncatedSkill) -> serde_json::Value {
    let to = match loss.kind {
        TruncationKind::Shortened(to) => Some(to),
        _ => None,
    };
    json!({"skill": loss.skill, "description": loss.description, "what": loss.kind.name(), "to": to})
}
