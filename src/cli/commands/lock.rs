use clap::Args;

use super::{Newness, Scope, plural};
use crate::cli::Session;
use crate::error::Result;
use crate::install::plan::Force;
use crate::ops::sync::{Rules, Wish, hold, sync};

/// Decide on versions and write the lockfile
///
/// Installs nothing. What is locked stays as long as it fits the manifest.
///
/// Examples:
///
///   skillpm lock
///   skillpm lock --locked     check that the lockfile answers the manifest
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub(in crate::cli) struct Arguments {
    /// Tell what would be done, and do nothing
    #[arg(long)]
    dry_run: bool,

    #[command(flatten)]
    pub(super) newness: Newness,

    #[command(flatten)]
    scope: Scope,
}

impl Arguments {
    pub(in crate::cli) fn run(&self, session: &Session<'_>) -> Result<u8> {
        let held = hold(&session.context, self.scope.sort(), None)?;
        let rules = Rules {
            locked: session.locked,
            dry_run: self.dry_run,
            force: Force::No,
            lock_only: true,
            ..Rules::default()
        };
        let synced = sync(&session.context, &held, &Wish::default(), rules)?;
        if session.json()? {
            crate::cli::render::json::synced(&synced).iter().for_each(|value| session.shell.object(value));
        } else {
            let verb = if synced.lock_changed { "Locked" } else { "Unchanged" };
            session.shell.status(verb, &format!("{} in skillpm.lock", plural(synced.packages, "skill")));
        }
        Ok(0)
    }
}
