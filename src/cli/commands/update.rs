use clap::Args;

use super::merging::Merging;
use super::{Newness, Reach, Rules, Scope, tell};
use crate::cli::Session;
use crate::error::Result;

use crate::ops::update::{UpdateOptions, update};
use crate::package::SkillName;

/// Update to the newest that fits
///
/// For all skills, or just for those named: the others stay as they are locked. A
/// tag that was moved since it was locked is told, and its skill stays at the
/// locked commit.
///
/// What you edited is merged with what is new, file by file. Where you and upstream
/// changed the same, nothing moves unless --merge, --ours or --theirs says how.
///
/// Examples:
///
///   skillpm update
///   skillpm update brainstorming --precise 3.2.2
///   skillpm update brainstorming --latest   and raise the manifest's requirement
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
// The short help is to fit a screen.
#[command(mut_arg("exclude_newer", |argument| argument.hide_short_help(true)))]
pub(in crate::cli) struct Arguments {
    /// The skills to update [default: all]
    #[arg(value_name = "NAME")]
    names: Vec<String>,

    /// Go to this version, or for git to this full commit id
    #[arg(long, value_name = "VERSION|COMMIT", conflicts_with = "latest")]
    precise: Option<String>,

    /// Go beyond the manifest's requirement, and raise it
    #[arg(long)]
    latest: bool,

    #[command(flatten)]
    merging: Merging,

    #[command(flatten)]
    pub(super) newness: Newness,

    #[command(flatten)]
    scope: Scope,

    #[command(flatten)]
    reach: Reach,
}

impl Arguments {
    pub(in crate::cli) fn run(&self, session: &Session<'_>) -> Result<u8> {
        let options = |edits| {
            Ok(UpdateOptions {
                names: self.names.iter().map(|name| name.parse()).collect::<Result<Vec<SkillName>>>()?,
                precise: self.precise.clone(),
                latest: self.latest,
                sort: self.scope.sort(),
                rules: Rules { edits, ..self.reach.rules(session) },
            })
        };
        let synced = self.merging.run(session, |edits| update(&session.context, &options(edits)?))?;
        tell(session, &synced)
    }
}
