//! `restore`: passes names to [`restore`], and prints the report of the synchronization.

use clap::Args;

use super::{ScopeArgs, SyncOptions, install_names, print_sync_report};
use crate::cli::CliSession;
use crate::error::Result;
use crate::ops::restore::restore;

/// Discard the local edits of skills
///
/// Makes every copy of the skills what `skillpm.lock` has, after moving the edited ones
/// to .skillpm/backup. Other skills keep their edits. Edits that were saved with
/// `skillpm patch` stay; `skillpm patch NAME --drop` discards those.
///
/// Examples:
///
///   skillpm restore brainstorming
///   skillpm install --force     restore all skills
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub(in crate::cli) struct RestoreArgs {
    /// Skills whose edits to discard
    #[arg(required = true, value_name = "NAME")]
    names: Vec<String>,

    /// Show what would be done without doing it
    #[arg(long)]
    dry_run: bool,

    #[command(flatten)]
    scope: ScopeArgs,
}

impl RestoreArgs {
    pub(in crate::cli) fn run(&self, session: &CliSession<'_>) -> Result<u8> {
        let names = install_names(&self.names)?;
        let options = SyncOptions {
            dry_run: self.dry_run,
            locked: session.locked,
            ..SyncOptions::default()
        };
        let synced = restore(
            &session.context,
            &names,
            self.scope.workspace_kind(),
            options,
        )?;
        print_sync_report(session, &synced)
    }
}
