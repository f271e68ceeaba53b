use clap::Args;
use serde_json::json;

use super::plural;
use crate::catalog::budget::{Cut, Loss};
use crate::cli::Session;
use crate::cli::render::human::columns;
use crate::error::Result;
use crate::ops::budget::{BudgetOptions, Weighed, weigh};

/// Tell what listing the skills costs each agent
///
/// Every request of an agent carries the names and descriptions of all its skills. This
/// counts them, in characters and tokens, and says which descriptions the agent would
/// shorten or leave out because its limit is reached. Without `--agent` it looks at the
/// agents that are in use here, and in the first line at all skills of all tiers.
///
/// How an agent words its listing is known for some; for the others the form of the
/// client guide is counted.
///
/// Examples:
///
///   skillpm budget
///   skillpm budget --agent codex --agent openclaw --exact
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub(in crate::cli) struct Arguments {
    /// Look at this agent (repeatable)
    #[arg(long = "agent", value_name = "NAME")]
    agents: Vec<String>,

    /// Count tokens by a real vocabulary, o200k
    ///
    /// Otherwise they are estimated: a token for four characters.
    #[arg(long)]
    exact: bool,
}

impl Arguments {
    pub(in crate::cli) fn run(&self, session: &Session<'_>) -> Result<u8> {
        let as_json = session.json()?;
        let options = BudgetOptions { agents: self.agents.clone(), exact: self.exact };
        let weighed = weigh(&session.context, &options)?;
        if as_json {
            weighed.iter().for_each(|weighed| session.shell.object(&object(weighed)));
            return Ok(0);
        }
        let tokens = if self.exact { "tokens" } else { "~tokens" };
        let head = ["agent", "skills", "characters", tokens, "limit"].map(str::to_owned);
        let rows: Vec<Vec<String>> = std::iter::once(head.to_vec()).chain(weighed.iter().map(row)).collect();
        columns(&rows).iter().for_each(|line| session.shell.line(line));
        for weighed in weighed.iter().filter(|weighed| !weighed.budget.losses.is_empty()) {
            let name = weighed.agent.as_deref().unwrap_or_default();
            session.shell.line("");
            session
                .shell
                .line(&format!("{name} would not show {} whole:", plural(weighed.budget.losses.len(), "skill")));
            let losses: Vec<Vec<String>> = weighed.budget.losses.iter().map(loss).collect();
            columns(&losses).iter().for_each(|line| session.shell.line(line));
        }
        Ok(0)
    }
}

fn row(weighed: &Weighed) -> Vec<String> {
    let budget = &weighed.budget;
    vec![
        weighed.agent.clone().unwrap_or_else(|| "-".to_owned()),
        budget.skills.to_string(),
        budget.characters.to_string(),
        budget.tokens.unwrap_or(budget.est_tokens).to_string(),
        weighed.limit.to_string(),
    ]
}

fn loss(loss: &Loss) -> Vec<String> {
    let what = match loss.kind {
        Cut::Shortened(to) => format!("description of {} characters cut to {to}", loss.description),
        Cut::Dropped => format!("description of {} characters left out", loss.description),
        Cut::Unlisted => "not listed at all".to_owned(),
    };
    vec![format!("  {}", loss.skill), what]
}

fn object(weighed: &Weighed) -> serde_json::Value {
    let (budget, limit) = (&weighed.budget, &weighed.limit);
    let losses: Vec<_> = budget.losses.iter().map(lost).collect();
    json!({
        "type": "budget",
        "agent": weighed.agent,
        "skills": budget.skills,
        "characters": budget.characters,
        "est-tokens": budget.est_tokens,
        "tokens": budget.tokens,
        "limit": {
            "skills": limit.skills,
            "characters": limit.characters,
            "description": limit.description,
        },
        "losses": losses,
    })
}

fn lost(loss: &Loss) -> serde_json::Value {
    let to = match loss.kind {
        Cut::Shortened(to) => Some(to),
        _ => None,
    };
    json!({"skill": loss.skill, "description": loss.description, "what": loss.kind.name(), "to": to})
}
