use std::path::PathBuf;

use clap::{Args, Subcommand};
use serde_json::{Value, json};

use super::plural;
use crate::cli::Session;
use crate::cli::render::human::{cell, columns};
use crate::error::Result;
use crate::ops::catalog::CatalogOptions;
use crate::ops::proposals::{Stored, apply, find, list, reject};

/// Decide on changes of skills that were proposed
///
/// Applying one edits the skill as you would by hand: `skillpm verify` shows the
/// edit, and `skillpm update` respects it. A proposal about a file that has
/// changed meanwhile is refused.
///
/// Examples:
///
///   skillpm proposals
///   skillpm proposals show csv-tidy
///   skillpm proposals apply csv-tidy-20261122T093123Z
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub(in crate::cli) struct Arguments {
    #[command(subcommand)]
    action: Option<Action>,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Show the proposals that wait
    List {
        /// Show those that were decided on, too
        #[arg(long)]
        all: bool,
    },
    /// Print a proposal
    Show {
        /// Its id, or its skill's name if just one waits
        id: String,
    },
    /// Make the change
    Apply {
        /// Its id, or its skill's name if just one waits
        id: String,
        /// Look for the skill in this directory, not the tiers (repeatable)
        #[arg(long = "dir", value_name = "DIR")]
        dirs: Vec<PathBuf>,
    },
    /// Note that the change will not be made
    Reject {
        /// Its id, or its skill's name if just one waits
        id: String,
        /// Why not
        #[arg(long, value_name = "TEXT")]
        reason: Option<String>,
    },
}

impl Arguments {
    pub(in crate::cli) fn run(&self, session: &Session<'_>) -> Result<u8> {
        let as_json = session.json()?;
        let (verb, stored) = match &self.action {
            None => return table(session, as_json, false),
            Some(Action::List { all }) => return table(session, as_json, *all),
            Some(Action::Show { id }) => {
                let stored = find(&session.context, id)?;
                if as_json {
                    session.shell.object(&object(&stored));
                } else {
                    session.shell.file(stored.page.as_bytes());
                }
                return Ok(0);
            }
            Some(Action::Apply { id, dirs }) => {
                let options = CatalogOptions { dirs: dirs.clone(), ..CatalogOptions::default() };
                ("Applied", apply(&session.context, &options, id)?)
            }
            Some(Action::Reject { id, reason }) => ("Rejected", reject(&session.context, id, reason.as_deref())?),
        };
        if as_json {
            session.shell.object(&object(&stored));
        } else {
            session.shell.status(verb, &format!("{}, a change of {}", stored.proposal.id, stored.proposal.location));
        }
        Ok(0)
    }
}

fn table(session: &Session<'_>, as_json: bool, all: bool) -> Result<u8> {
    let stored = list(&session.context, all)?;
    if as_json {
        stored.iter().for_each(|stored| session.shell.object(&object(stored)));
        return Ok(0);
    }
    let row = |Stored { proposal, .. }: &Stored| {
        let why = cell(proposal.justification.lines().next().unwrap_or_default());
        vec![proposal.id.clone(), proposal.status.name().to_owned(), why]
    };
    let rows: Vec<Vec<String>> = stored.iter().map(row).collect();
    columns(&rows).iter().for_each(|line| session.shell.line(line));
    if rows.is_empty() {
        session.shell.status("Found", &plural(0, "proposal"));
    }
    Ok(0)
}

/// A proposal for programs.
pub(super) fn object(stored: &Stored) -> Value {
    let proposal = &stored.proposal;
    json!({
        "type": "proposal",
        "id": proposal.id,
        "skill": proposal.skill,
        "status": proposal.status.name(),
        "path": stored.path,
        "location": proposal.location,
        "created": proposal.created,
        "by": proposal.by,
        "decided": proposal.decided,
        "reason": proposal.reason,
        "justification": proposal.justification,
        "evidence": proposal.evidence,
        "remarks": proposal.remarks,
        "base": proposal.base.to_string(),
        "result": proposal.result.to_string(),
        "diff": proposal.diff,
    })
}
