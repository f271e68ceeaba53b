use clap::Args;
use serde_json::json;

use super::{Scope, plural};
use crate::cli::Session;
use crate::cli::render::patch::stat;
use crate::error::Result;
use crate::merge::patch::{FileChange, patch};
use crate::ops::diff::{Compared, DiffOptions, diff};
use crate::package::SkillName;

/// Show what you edited, or what another version brings
///
/// As a patch that `git apply` takes. On a terminal the changed words of a line are
/// marked, and characters that cannot be seen are spelled out.
///
/// Examples:
///
///   skillpm diff
///   skillpm diff brainstorming --to latest     before updating
///   skillpm diff brainstorming --to 3.2.2 --stat
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub(in crate::cli) struct Arguments {
    /// The skills to look at [default: all]
    #[arg(value_name = "NAME")]
    names: Vec<String>,

    /// Compare with this version, commit, or `latest`
    #[arg(long, value_name = "VERSION|COMMIT")]
    to: Option<String>,

    /// Tell just the files, and how many lines
    #[arg(long)]
    stat: bool,

    /// Exit with 1 if anything differs
    #[arg(long)]
    exit_code: bool,

    #[command(flatten)]
    scope: Scope,
}

impl Arguments {
    pub(in crate::cli) fn run(&self, session: &Session<'_>) -> Result<u8> {
        let as_json = session.json()?;
        let options = DiffOptions {
            names: self.names.iter().map(|name| name.parse()).collect::<Result<Vec<SkillName>>>()?,
            to: self.to.clone(),
            sort: self.scope.sort(),
        };
        let compared = diff(&session.context, &options)?;
        for compared in &compared {
            if as_json {
                session.shell.object(&object(compared));
            } else if self.stat {
                stat(compared).iter().for_each(|line| session.shell.line(line));
            } else {
                session.shell.patch(&written(compared));
            }
        }
        if compared.is_empty() && !as_json {
            session.shell.status(
                "Unchanged",
                if self.to.is_some() { "that is what is installed" } else { "nothing was edited" },
            );
        } else if !as_json {
            session.shell.status("Compared", &plural(compared.len(), "skill that differs"));
        }
        Ok(u8::from(self.exit_code && !compared.is_empty()))
    }
}

fn written(compared: &Compared) -> Vec<u8> {
    patch(&compared.place.to_string_lossy(), &compared.changes)
}

fn object(compared: &Compared) -> serde_json::Value {
    json!({
        "type": "diff",
        "name": compared.name,
        "path": compared.place,
        "from": compared.from,
        "to": compared.to,
        "files": compared.changes.iter().map(summary_of).collect::<Vec<_>>(),
        "patch": String::from_utf8_lossy(&written(compared)),
    })
}

/// What became of one file, in short.
pub(super) fn summary_of(change: &FileChange) -> serde_json::Value {
    let (added, removed) = change.lines();
    json!({
        "path": change.path(),
        "from": change.from,
        "to": change.to,
        "added": added,
        "removed": removed,
        "text": change.is_text(),
    })
}
