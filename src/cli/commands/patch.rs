//! `patch`: saves the local edits of a skill as a patch file of the project, or discards it, with [`patch`].

use clap::Args;

use super::{ScopeArgs, SyncOptions, install_names, print_sync_report};
use crate::cli::CliSession;
use crate::error::Result;
use crate::ops::patch::{PatchOptions, patch};

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
            names: install_names(&self.names)?,
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
