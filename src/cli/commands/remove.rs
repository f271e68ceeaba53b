use clap::Args;

use super::{Reach, Scope, tell};
use crate::cli::Session;
use crate::error::Result;
use crate::ops::remove::{RemoveOptions, remove};

/// Remove skills, and what only they needed
///
/// Takes them out of `skillpm.toml` and off the disk. A skill that was edited is
/// left alone unless `--force` saves the edits first.
///
/// Examples:
///
///   skillpm remove brainstorming
///   skillpm remove --source gh:obra/superpowers
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub(in crate::cli) struct Arguments {
    /// The skills' names; with --source, sources (repeatable)
    #[arg(required = true, value_name = "NAME")]
    names: Vec<String>,

    /// Remove all skills of the sources named
    #[arg(long)]
    source: bool,

    #[command(flatten)]
    scope: Scope,

    #[command(flatten)]
    reach: Reach,
}

impl Arguments {
    pub(in crate::cli) fn run(&self, session: &Session<'_>) -> Result<u8> {
        let options = RemoveOptions {
            names: self.names.clone(),
            source: self.source,
            sort: self.scope.sort(),
            rules: self.reach.rules(session),
        };
        let synced = remove(&session.context, &options)?;
        tell(session, &synced)
    }
}
