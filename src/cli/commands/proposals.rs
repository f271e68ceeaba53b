//! `proposals`: lists, shows, applies and rejects stored proposals, with [`list`], [`apply`] and [`reject`].

use std::path::PathBuf;

use clap::{Args, Subcommand};
use serde_json::{Value, json};

use super::{FindingArgs, plural};
use crate::cli::CliSession;
use crate::cli::render::human::{align_columns, table_cell};
use crate::error::Result;
use crate::ops::catalog::CatalogOptions;
use crate::ops::proposals::{
    ProposalStatus, StoredProposal, apply, find, is_for_devai, list, reject, review,
};

/// Propose changes of skills, and list, apply or reject them
///
/// Applying a proposal makes a local edit: `skillpm verify` shows it, and `skillpm
/// update` merges it. A proposal for a file that has changed since is refused.
///
/// Examples:
///
///   skillpm proposals new csv-tidy --file new/SKILL.md -j "Step 4 fails on a BOM."
///   skillpm proposals
///   skillpm proposals show csv-tidy
///   skillpm proposals apply csv-tidy-20261122T093123Z
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub(in crate::cli) struct ProposalsArgs {
    #[command(subcommand)]
    action: Option<ProposalsCommand>,
}

#[derive(Debug, Subcommand)]
enum ProposalsCommand {
    New(super::propose::ProposeArgs),
    /// List open proposals
    List {
        /// Include applied and rejected proposals
        #[arg(long)]
        all: bool,
    },
    /// Print a proposal
    Show {
        /// The proposal's id, or its skill's name if it has just one
        id: String,
    },
    /// Apply a proposal
    Apply {
        /// The proposal's id, or its skill's name if it has just one
        id: String,
        /// Look for the skill in this directory, not the tiers (repeatable)
        #[arg(long = "dir", value_name = "DIR")]
        dirs: Vec<PathBuf>,
        #[command(flatten)]
        passing: FindingArgs,
    },
    /// Reject a proposal
    Reject {
        /// The proposal's id, or its skill's name if it has just one
        id: String,
        /// Why not
        #[arg(long, value_name = "TEXT")]
        reason: Option<String>,
    },
}

impl ProposalsArgs {
    /// The flags that are settings.
    pub(super) fn settings(&self) -> Vec<String> {
        match &self.action {
            Some(ProposalsCommand::Apply { passing, .. }) => passing.settings(),
            _ => Vec::new(),
        }
    }

    pub(in crate::cli) fn run(&self, session: &CliSession<'_>) -> Result<u8> {
        let as_json = session.wants_json()?;
        let (verb, stored) = match &self.action {
            // Without a subcommand, open proposals are listed.
            None => return print_table(session, as_json, false),
            Some(ProposalsCommand::New(arguments)) => return arguments.run(session),
            Some(ProposalsCommand::List { all }) => return print_table(session, as_json, *all),
            Some(ProposalsCommand::Show { id }) => {
                let stored = find(&session.context, id)?;
                let findings = review(&session.context, &stored);
                if as_json {
                    let mut value = proposal_json(&stored);
                    value["findings"] = json!(findings);
                    session.shell.print_object(&value);
                } else {
                    // An agent wrote the page, so a terminal gets it with control characters spelled out.
                    session.shell.print_file(stored.page.as_bytes());
                }
                return Ok(0);
            }
            // The skill may be in no tier, and then its directory has to be given.
            Some(ProposalsCommand::Apply { id, dirs, .. }) => {
                let options = CatalogOptions {
                    dirs: dirs.clone(),
                    ..CatalogOptions::default()
                };
                ("Applied", apply(&session.context, &options, id)?)
            }
            Some(ProposalsCommand::Reject { id, reason }) => {
                ("Rejected", reject(&session.context, id, reason.as_deref())?)
            }
        };

        if as_json {
            session.shell.print_object(&proposal_json(&stored));
            return Ok(0);
        }

        session.shell.status(
            verb,
            &format!(
                "{}, {} {}",
                stored.proposal.id,
                stored.proposal.action.phrase(),
                stored.proposal.location
            ),
        );
        // Devai finds a changed skill only when it reloads its list.
        if stored.proposal.status == ProposalStatus::Applied && is_for_devai(&stored.proposal) {
            session.shell.status(
                "Next:",
                "call `skill_reload` in Devai, so that it sees the change",
            );
        }
        Ok(0)
    }
}

fn print_table(session: &CliSession<'_>, as_json: bool, all: bool) -> Result<u8> {
    let stored = list(&session.context, all)?;
    if as_json {
        stored
            .iter()
            .for_each(|stored| session.shell.print_object(&proposal_json(stored)));
        return Ok(0);
    }

    let row = |StoredProposal { proposal, .. }: &StoredProposal| {
        // The first line is the summary, as of a commit.
        let why = table_cell(proposal.justification.lines().next().unwrap_or_default());
        vec![proposal.id.clone(), proposal.status.name().to_owned(), why]
    };

    let rows: Vec<Vec<String>> = stored.iter().map(row).collect();
    align_columns(&rows)
        .iter()
        .for_each(|line| session.shell.print_line(line));

    if rows.is_empty() {
        session.shell.status("Found", &plural(0, "proposal"));
    }
    Ok(0)
}

/// A proposal for programs.
pub(super) fn proposal_json(stored: &StoredProposal) -> Value {
    let proposal = &stored.proposal;
    let diffs = proposal.diffs.iter().map(|diff| &*diff.text);

    json!({
        "type": "proposal",
        "id": proposal.id,
        "skill": proposal.skill,
        "action": proposal.action.name(),
        "status": proposal.status.name(),
        "path": stored.path,
        "location": proposal.location,
        "created": proposal.created,
        "by": proposal.author,
        "decided": proposal.decided,
        "reason": proposal.reason,
        "justification": proposal.justification,
        "evidence": proposal.evidence,
        "remarks": proposal.remarks,
        "base": proposal.base.to_string(),
        "result": proposal.result.to_string(),
        "diff": diffs.collect::<String>(),
    })
}
