//! `install`: an empty [`SyncRequest`] for [`sync`], so that the skills on disk become those of the lockfile.

use clap::Args;

use super::conflict_args::ConflictArgs;
use super::{OverrideArgs, ReleaseAgeArgs, RunArgs, ScopeArgs, SyncOptions, print_sync_report};
use crate::cli::CliSession;
use crate::error::{Error, Result};
use crate::install::plan::ForceMode;
use crate::ops::sync::{SyncRequest, lock_project, sync};
use crate::resolver::shell_quoted;

/// Install the locked versions
///
/// Makes the installed skills match `skillpm.lock`, after resolving dependencies
/// that are not locked yet. Packages in the store need no network. Skills with
/// local edits are left unchanged.
///
/// Examples:
///
///   skillpm install
///   skillpm install --locked      in CI: fail rather than change the lockfile
///   skillpm install --frozen      and without the network
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub(in crate::cli) struct InstallArgs {
    // Other package managers add what is named here.
    #[arg(hide = true, value_name = "SPEC")]
    specs: Vec<String>,

    #[command(flatten)]
    merging: ConflictArgs,

    #[command(flatten)]
    pub(super) newness: ReleaseAgeArgs,

    #[command(flatten)]
    pub(super) passing: OverrideArgs,

    #[command(flatten)]
    scope: ScopeArgs,

    #[command(flatten)]
    reach: RunArgs,
}

impl InstallArgs {
    pub(in crate::cli) fn run(&self, session: &CliSession<'_>) -> Result<u8> {
        if let Some(spec) = self.specs.first() {
            let error = Error::usage("`install` installs all locked skills, and takes no names");
            let spec = shell_quoted(spec.clone());
            return Err(error.help(format!("to add it, run `skillpm add {spec}`")));
        }

        // The lock is kept until the command returns, prompts included, so that what was decided
        // is still true when it is applied.
        let lock = lock_project(&session.context, self.scope.workspace_kind(), None)
            .map_err(|error| self.scope.explain(session, error))?;
        let mut rules = self.reach.sync_options(session);

        if self.reach.force {
            // `--force` means more here than elsewhere: edited skills are restored as well.
            rules.force = ForceMode::Restore;
        }

        let synced = self.merging.run_with_prompts(session, |edits, high| {
            let attempt = SyncOptions {
                edits,
                high,
                ..rules
            };
            sync(&session.context, &lock, &SyncRequest::default(), attempt)
        })?;

        print_sync_report(session, &synced)
    }
}
