//! `remove`: passes names to [`remove`], and prints the report of the synchronization.

use clap::Args;

use super::{RunArgs, ScopeArgs, print_sync_report};
use crate::cli::CliSession;
use crate::error::Result;
use crate::ops::remove::{RemoveOptions, remove};

/// Remove skills and dependencies that are no longer used
///
/// Removes them from `skillpm.toml` and from disk. A skill with local edits is kept
/// unless `--force` is given, which saves the edits first.
///
/// Examples:
///
///   skillpm remove brainstorming
///   skillpm remove --source gh:obra/superpowers
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub(in crate::cli) struct RemoveArgs {
    /// The skills' names; with --source, sources (repeatable)
    #[arg(required = true, value_name = "NAME")]
    names: Vec<String>,

    /// Remove all skills of the sources named
    #[arg(long)]
    source: bool,

    #[command(flatten)]
    scope: ScopeArgs,

    #[command(flatten)]
    reach: RunArgs,
}

impl RemoveArgs {
    pub(in crate::cli) fn run(&self, session: &CliSession<'_>) -> Result<u8> {
        let options = RemoveOptions {
            // Names or sources, as `--source` says: one argument for both keeps the usage short.
            names: self.names.clone(),
            source: self.source,
            sort: self.scope.workspace_kind(),
            sync: self.reach.sync_options(session),
        };
        let synced = remove(&session.context, &options)?;
        print_sync_report(session, &synced)
    }
}
