use clap::Args;
use serde_json::json;

use super::{Newness, Scope, plural};
use crate::cli::Session;
use crate::cli::render::human::columns;
use crate::error::Result;
use crate::ops::outdated::outdated;

/// Show what has something newer
///
/// Asks every source and changes nothing.
///
/// Examples:
///
///   skillpm outdated
///   skillpm outdated --exit-code      exit with 1 if anything is
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub(in crate::cli) struct Arguments {
    /// Exit with 1 if anything is outdated
    #[arg(long)]
    exit_code: bool,

    #[command(flatten)]
    pub(super) newness: Newness,

    #[command(flatten)]
    scope: Scope,
}

impl Arguments {
    pub(in crate::cli) fn run(&self, session: &Session<'_>) -> Result<u8> {
        let as_json = session.json()?;
        let report = outdated(&session.context, self.scope.sort())?;
        if as_json {
            for found in &report.outdated {
                session.shell.object(&json!({
                    "type": "outdated",
                    "name": found.name,
                    "current": found.current,
                    "compatible": found.compatible,
                    "latest": found.latest,
                    "source": found.source,
                    "tag-moved": found.moved,
                    "held-back": found.held_back,
                }));
            }
            session.shell.object(&json!({"type": "summary", "asked": report.asked, "outdated": report.outdated.len()}));
        } else if report.outdated.is_empty() {
            session.shell.status("Unchanged", &format!("{}, nothing newer", plural(report.asked, "skill")));
        } else {
            let head = ["name", "locked", "fits", "newest", "source"].map(str::to_owned).to_vec();
            let rows = report.outdated.iter().map(|found| {
                let fits = match (&found.compatible, found.moved) {
                    (_, true) => "tag moved".to_owned(),
                    (Some(version), _) => version.clone(),
                    (None, _) => "-".to_owned(),
                };
                vec![found.name.to_string(), found.current.clone(), fits, found.latest.clone(), found.source.clone()]
            });
            columns(&std::iter::once(head).chain(rows).collect::<Vec<_>>())
                .iter()
                .for_each(|line| session.shell.line(line));
            for found in &report.outdated {
                if let (Some(version), Some(reason)) = (&found.compatible, &found.held_back) {
                    session.shell.status("Held back", &format!("{} {version}: it {reason}", found.name));
                }
            }
        }
        Ok(u8::from(self.exit_code && !report.outdated.is_empty()))
    }
}
