//! `diff`: prints the patches of [`diff`] in colors, as a plain patch, or as JSON.

use std::collections::BTreeSet;

use clap::Args;
use serde_json::json;

use super::{ScopeArgs, install_names};
use crate::cli::CliSession;
use crate::cli::render::patch::diff_stat;
use crate::error::Result;
use crate::merge::patch::render_patch;
use crate::ops::diff::{DiffOptions, SkillDiff, diff, saved_edits};
use crate::package::FileChange;
use crate::package::SkillName;
use crate::package::slashed;

/// Show local edits, or changes in another version
///
/// Prints a patch that `git apply` accepts. On a terminal, changed words are
/// highlighted and invisible characters are escaped.
///
/// Examples:
///
///   skillpm diff
///   skillpm diff brainstorming --to latest     before updating
///   skillpm diff brainstorming --to 3.2.2 --stat
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub(in crate::cli) struct DiffArgs {
    /// Skills to compare [default: all]
    #[arg(value_name = "NAME")]
    names: Vec<String>,

    /// Compare with this version or commit, `latest` or `compatible`
    ///
    /// `latest` is the newest version, as `outdated` names it; `compatible` the newest that matches the manifest.
    #[arg(long, value_name = "VERSION|COMMIT")]
    to: Option<String>,

    // As `update` has it.
    #[arg(long, hide = true, conflicts_with = "to")]
    latest: bool,

    /// Show changed files and line counts only
    #[arg(long)]
    stat: bool,

    /// Exit with 1 if anything differs
    #[arg(long)]
    exit_code: bool,

    #[command(flatten)]
    scope: ScopeArgs,
}

impl DiffArgs {
    pub(in crate::cli) fn run(&self, session: &CliSession<'_>) -> Result<u8> {
        let as_json = session.wants_json()?;
        let options = DiffOptions {
            names: install_names(&self.names)?,
            to: if self.latest {
                Some("latest".to_owned())
            } else {
                self.to.clone()
            },
            sort: self.scope.workspace_kind(),
        };

        let compared = diff(&session.context, &options)?;
        for compared in &compared {
            if as_json {
                session.shell.print_object(&diff_json(compared));
            } else if self.stat {
                diff_stat(compared)
                    .iter()
                    .for_each(|line| session.shell.print_line(line));
            } else {
                session.shell.print_patch(&patch_bytes(compared));
            }
        }

        // A skill has several copies, which may be edited differently.
        let names: BTreeSet<&SkillName> = compared.iter().map(|compared| &compared.name).collect();
        if compared.is_empty() && !as_json {
            session.shell.status(
                "Unchanged",
                if self.latest || self.to.is_some() {
                    "already at that version"
                } else {
                    "no local edits"
                },
            );
        } else if !as_json {
            session.shell.status(
                "Compared",
                &match names.len() {
                    1 => "1 skill that differs".to_owned(),
                    count => format!("{count} skills that differ"),
                },
            );
        }

        if options.to.is_none() && !as_json {
            for (name, path) in saved_edits(&session.context, &options)? {
                let what = format!("edits of {name} in {path}, which are not compared");
                session.shell.status("Saved", &what);
            }
        }

        Ok(u8::from(self.exit_code && !compared.is_empty()))
    }
}

fn patch_bytes(compared: &SkillDiff) -> Vec<u8> {
    // With the directory as installed, so that `git apply` finds the files from the project's root.
    render_patch(&slashed(&compared.place), &compared.changes)
}

fn diff_json(compared: &SkillDiff) -> serde_json::Value {
    json!({
        "type": "diff",
        "name": compared.name,
        "path": compared.place,
        "from": compared.from,
        "to": compared.to,
        "files": compared.changes.iter().map(file_change_json).collect::<Vec<_>>(),
        // A patch has binary files as base85, so that nothing but broken text is replaced.
        "patch": String::from_utf8_lossy(&patch_bytes(compared)),
    })
}

/// The change of one file, in one word.
pub(super) fn file_change_json(change: &FileChange) -> serde_json::Value {
    let (added, removed) = crate::merge::patch::changed_lines(change);
    json!({
        "path": change.path(),
        "from": change.from,
        "to": change.to,
        "added": added,
        "removed": removed,
        "text": change.is_text(),
    })
}
