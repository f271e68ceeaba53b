use clap::Args;

use super::{Rules, Scope, tell};
use crate::cli::Session;
use crate::error::Result;
use crate::ops::patch::{PatchOptions, patch};
use crate::ops::sync::{PatchOutcome, Patched};
use crate::package::SkillName;

/// Keep what you edited as a patch file
///
/// Writes the edits of installed skills to patches/NAME.patch and names that file in
/// [edits] of skillpm.toml. Commit both with the lockfile: every install puts the
/// edits in again, and every update merges them with what is new.
///
/// Run it again after editing further. --drop gives the edits up.
///
/// Examples:
///
///   skillpm patch brainstorming
///   skillpm patch brainstorming --drop   have it as upstream has it
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub(in crate::cli) struct Arguments {
    /// The skills whose edits are meant
    #[arg(value_name = "NAME", required = true)]
    names: Vec<String>,

    /// Give up the edits that are kept, and remove their patch file
    #[arg(long)]
    drop: bool,

    /// Tell what would be done, and do nothing
    #[arg(long)]
    dry_run: bool,

    #[command(flatten)]
    scope: Scope,
}

impl Arguments {
    pub(in crate::cli) fn run(&self, session: &Session<'_>) -> Result<u8> {
        let options = PatchOptions {
            names: self.names.iter().map(|name| name.parse()).collect::<Result<Vec<SkillName>>>()?,
            drop: self.drop,
            sort: self.scope.sort(),
            rules: Rules { dry_run: self.dry_run, locked: session.locked, ..Rules::default() },
        };
        tell(session, &patch(&session.context, &options)?)
    }
}

/// What became of a patch file, in one word.
pub(super) fn verb(outcome: PatchOutcome, dry_run: bool) -> &'static str {
    match (outcome, dry_run) {
        (PatchOutcome::Written, false) => "Kept",
        (PatchOutcome::Written, true) => "Would keep",
        (PatchOutcome::Upstreamed | PatchOutcome::Dropped, false) => "Dropped",
        (PatchOutcome::Upstreamed | PatchOutcome::Dropped, true) => "Would drop",
        (PatchOutcome::Unused, _) => "Unused",
    }
}

pub(super) fn told(Patched { name, path, outcome }: &Patched) -> String {
    match outcome {
        PatchOutcome::Written => format!("the edits of {name} in {path}"),
        PatchOutcome::Upstreamed => format!("{path}: {name} has all of it upstream"),
        PatchOutcome::Dropped => format!("{path}, the edits of {name}"),
        PatchOutcome::Unused => format!("{path} stays, and `[edits]` no longer names it: {name} is gone"),
    }
}
