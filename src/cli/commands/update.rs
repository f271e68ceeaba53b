use std::cell::Cell;

use clap::Args;
use serde_json::json;

use super::diff::summary_of;
use super::merging::Merging;
use super::{Newness, Passing, Reach, Rules, Scope, tell};
use crate::cli::Session;
use crate::cli::render::patch::stat;
use crate::error::Result;
use crate::merge::patch::patch;
use crate::ops::diff::Compared;
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
/// What you edited and what is new are then one, and the edits are kept as a patch
/// file, as `skillpm patch` does, so that the lockfile says what lies on the disk.
///
/// Examples:
///
///   skillpm update
///   skillpm update --dry-run     which versions, and which of their files
///   skillpm update --diff        shows every change of a text before it is made
///   skillpm update brainstorming --precise 3.2.2
///   skillpm update brainstorming --latest   and raise the manifest's requirement
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
// The short help is to fit a screen.
#[command(mut_arg("exclude_newer", |argument| argument.hide_short_help(true)))]
#[command(mut_arg("min_release_age", |argument| argument.hide_short_help(true)))]
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

    /// Show what changes in each file, before it is changed
    #[arg(long)]
    diff: bool,

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
        let as_json = session.json()?;
        let options = |edits, high| {
            Ok(UpdateOptions {
                names: self.names.iter().map(|name| name.parse()).collect::<Result<Vec<SkillName>>>()?,
                precise: self.precise.clone(),
                latest: self.latest,
                sort: self.scope.sort(),
                rules: Rules { edits, high, ..self.reach.rules(session) },
            })
        };
        let tell_plan = |plan: &[Compared]| self.tell_plan(session, as_json, plan);
        let told = Cell::new(false);
        let synced = self.merging.run(session, |edits, high| {
            // Whoever is asked about a conflict has been told the plan before.
            let is_wanted = !told.replace(true) && (self.diff || self.reach.dry_run);
            update(&session.context, &options(edits, high)?, is_wanted.then_some(&tell_plan))
        })?;
        tell(session, &synced)
    }

    /// Says of each skill which files change, and how.
    fn tell_plan(&self, session: &Session<'_>, as_json: bool, plan: &[Compared]) {
        for compared in plan {
            if as_json {
                session.shell.object(&planned(compared, self.diff));
            } else if self.diff {
                session.shell.patch(&patch(&compared.place.to_string_lossy(), &compared.changes));
            } else {
                stat(compared).iter().for_each(|line| session.shell.line(line));
            }
        }
    }
}

/// A skill that an update takes from one version to another, for programs.
fn planned(compared: &Compared, with_patch: bool) -> serde_json::Value {
    let mut value = json!({
        "type": "plan",
        "name": compared.name,
        "path": compared.place,
        "from": compared.from,
        "to": compared.to,
        "files": compared.changes.iter().map(summary_of).collect::<Vec<_>>(),
    });
    if with_patch {
        let patch = patch(&compared.place.to_string_lossy(), &compared.changes);
        value["patch"] = json!(String::from_utf8_lossy(&patch));
    }
    value
}
