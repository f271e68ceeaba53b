use clap::Args;

use super::merging::Merging;
use super::{Newness, Passing, Reach, Rules, Scope, tell};
use crate::cli::Session;
use crate::error::Result;
use crate::install::plan::Force;
use crate::ops::sync::{Wish, hold, sync};

/// Install what the lockfile says
///
/// Makes the disk equal to `skillpm.lock`, deciding first if the manifest asks
/// for something it does not answer. What is in the store needs no network.
/// Edited skills stay as they are.
///
/// Examples:
///
///   skillpm install
///   skillpm install --locked      in CI: fail rather than change the lockfile
///   skillpm install --frozen      and without the network
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub(in crate::cli) struct Arguments {
    #[command(flatten)]
    merging: Merging,

    #[command(flatten)]
    pub(super) newness: Newness,

    #[command(flatten)]
    pub(super) passing: Passing,

    #[command(flatten)]
    scope: Scope,

    #[command(flatten)]
    reach: Reach,
}

impl Arguments {
    pub(in crate::cli) fn run(&self, session: &Session<'_>) -> Result<u8> {
        let held = hold(&session.context, self.scope.sort(), None)?;
        let mut rules = self.reach.rules(session);
        if self.reach.force {
            rules.force = Force::Restore;
        }
        let synced = self.merging.run(session, |edits, high| {
            sync(&session.context, &held, &Wish::default(), Rules { edits, high, ..rules })
        })?;
        tell(session, &synced)
    }
}
