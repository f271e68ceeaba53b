use clap::Args;

use super::{ScopeArgs, SyncOptions, print_sync_report};
use crate::cli::CliSession;
use crate::error::Result;
use crate::ops::patch::{PatchOptions, patch};
use crate::ops::sync::{PatchChange, PatchOutcome};
use crate::package::SkillName;

/// Save local edits of a skill as a patch file
///
/// Writes the edits of installed skills to patches/NAME.patch and adds that file to
/// [edits] in skillpm.toml. Commit both with the lockfile: every install applies the
/// edits, and every update merges them with the new version.
///
/// Run it again after further edits. --drop discards the edits.
///
/// Examples:
///
///   skillpm patch brainstorming
///   skillpm patch brainstorming --drop   restore the upstream version
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub(in crate::cli) struct PatchArgs {
    /// Skills whose edits to save
    #[arg(value_name = "NAME", required = true)]
    names: Vec<String>,

    /// Discard the saved edits and remove the patch file
    #[arg(long)]
    drop: bool,

    /// Show what would be done without doing it
    #[arg(long)]
    dry_run: bool,

    #[command(flatten)]
    scope: ScopeArgs,
}

impl PatchArgs {
    pub(in crate::cli) fn run(&self, session: &CliSession<'_>) -> Result<u8> {
        let options = PatchOptions {
            names: self
                .names
                .iter()
                .map(|name| name.parse())
                .collect::<Result<Vec<SkillName>>>()?,
            drop: self.drop,
            sort: self.scope.workspace_kind(),
            sync: SyncOptions {
                dry_run: self.dry_run,
                locked: session.locked,
                ..SyncOptions::default()
            },
        };

        print_sync_report(session, &patch(&session.context, &options)?)
    }
}

/// The outcome for a patch file, in one word.
pub(super) fn outcome_verb(outcome: PatchOutcome, dry_run: bool) -> &'static str {
    match (outcome, dry_run) {
        (PatchOutcome::Written, false) => "Kept",
        (PatchOutcome::Written, true) => "Would keep",
        (PatchOutcome::Upstreamed | PatchOutcome::Dropped, false) => "Dropped",
        (PatchOutcome::Upstreamed | PatchOutcome::Dropped, true) => "Would drop",
        (PatchOutcome::Unused, _) => "Unused",
    }
}

pub(super) fn outcome_message(
    PatchChange {
        name,
        path,
        outcome,
    }: &PatchChange,
) -> String {
    match outcome {
        PatchOutcome::Written => format!("the edits of {name} in {path}"),
        PatchOutcome::Upstreamed => format!("{path}: all edits of {name} are upstream"),
        PatchOutcome::Dropped => format!("{path}, the edits of {name}"),
        PatchOutcome::Unused => {
            format!("{path} stays, but was removed from `[edits]`: {name} is no longer installed")
        }
    }
}
