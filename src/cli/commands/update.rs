//! `update`: passes names and limits to [`update`]; with `--diff`, prints the changes of each file before they are
//! made.

use std::cell::Cell;

use clap::Args;
use serde_json::json;

use super::conflict_args::ConflictArgs;
use super::diff::file_change_json;
use super::outdated::report_failed;
use super::{
    OverrideArgs, ReleaseAgeArgs, RunArgs, ScopeArgs, SyncOptions, install_names, print_sync_report,
};
use crate::cli::CliSession;
use crate::cli::render::patch::diff_stat;
use crate::error::Result;
use crate::merge::patch::render_patch;
use crate::ops::diff::SkillDiff;
use crate::ops::sync::{EditPolicy, SeverityAction};
use crate::ops::update::{UpdateOptions, update};
use crate::package::slashed;

/// Update skills to the newest compatible versions
///
/// Updates all skills, or just those named: the others stay locked. If a tag was
/// moved since it was locked, skillpm warns, and the skill stays at the locked
/// commit.
///
/// A skill that moved inside its repository is followed. One that is gone there, or
/// whose source fails, stays as it is locked, and the others are updated.
///
/// Local edits are merged with the new version, file by file. On a conflict, nothing
/// changes unless --merge, --ours or --theirs is given.
///
/// Merged edits are saved as a patch file, as with `skillpm patch`, so that the
/// lockfile matches the files on disk.
///
/// Examples:
///
///   skillpm update
///   skillpm update --dry-run     show new versions and changed files
///   skillpm update --diff        show the changes as a patch first
///   skillpm update brainstorming --precise 3.2.2
///   skillpm update brainstorming --latest   and raise the manifest's requirement
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
// The short help is to fit a screen.
#[command(mut_arg("exclude_newer", |argument| argument.hide_short_help(true)))]
#[command(mut_arg("min_release_age", |argument| argument.hide_short_help(true)))]
pub(in crate::cli) struct UpdateArgs {
    /// Skills to update [default: all]
    #[arg(value_name = "NAME")]
    names: Vec<String>,

    /// Update to this version, or for git, full commit id
    #[arg(long, value_name = "VERSION|COMMIT", conflicts_with = "latest")]
    precise: Option<String>,

    /// Update beyond the manifest's requirement, and raise it
    #[arg(long)]
    latest: bool,

    // What is updated without names.
    #[arg(long = "all", hide = true, conflicts_with = "names")]
    _all: bool,

    /// Show what changes in each file, before it is changed
    #[arg(long)]
    diff: bool,

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

impl UpdateArgs {
    pub(in crate::cli) fn run(&self, session: &CliSession<'_>) -> Result<u8> {
        let as_json = session.wants_json()?;

        let print_plan = |plan: &[SkillDiff]| self.print_plan(session, as_json, plan);
        // After a prompt the command runs again, and must not print its plan twice.
        let was_printed = Cell::new(false);

        let synced = self.merging.run_with_prompts(session, |edits, high| {
            // The plan is printed before a prompt about a conflict.
            let is_wanted = !was_printed.replace(true) && (self.diff || self.reach.dry_run);
            let options = self.options(session, edits, high)?;
            update(&session.context, &options, is_wanted.then_some(&print_plan))
        });
        let synced = synced.map_err(|error| self.scope.explain(session, error))?;

        let code = print_sync_report(session, &synced)?;
        // After what the others have.
        report_failed(session, synced.failed)?;
        Ok(code)
    }

    /// The options of one attempt, as for `add`.
    fn options(
        &self,
        session: &CliSession<'_>,
        edits: EditPolicy,
        high: SeverityAction,
    ) -> Result<UpdateOptions> {
        Ok(UpdateOptions {
            names: install_names(&self.names)?,
            precise: self.precise.clone(),
            latest: self.latest,
            sort: self.scope.workspace_kind(),
            sync: SyncOptions {
                edits,
                high,
                ..self.reach.sync_options(session)
            },
        })
    }

    /// Prints which files of each skill change, and how.
    fn print_plan(&self, session: &CliSession<'_>, as_json: bool, plan: &[SkillDiff]) {
        for compared in plan {
            if as_json {
                // JSON lines always carry the files, and with `--diff` the patch besides.
                session.shell.print_object(&plan_json(compared, self.diff));
            } else if self.diff {
                session
                    .shell
                    .print_patch(&render_patch(&slashed(&compared.place), &compared.changes));
            } else {
                diff_stat(compared)
                    .iter()
                    .for_each(|line| session.shell.print_line(line));
            }
        }
    }
}

/// The update of one skill from one version to another, as JSON.
fn plan_json(compared: &SkillDiff, with_patch: bool) -> serde_json::Value {
    let mut value = json!({
        "type": "plan",
        "name": compared.name,
        "path": compared.place,
        "from": compared.from,
        "to": compared.to,
        "files": compared.changes.iter().map(file_change_json).collect::<Vec<_>>(),
    });

    if with_patch {
        let patch = render_patch(&slashed(&compared.place), &compared.changes);
        value["patch"] = json!(String::from_utf8_lossy(&patch));
    }

    value
}
