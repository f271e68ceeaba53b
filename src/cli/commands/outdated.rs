use clap::Args;
use serde_json::json;

use super::{ReleaseAgeArgs, ScopeArgs, plural};
use crate::cli::CliSession;
use crate::cli::render::human::align_columns;
use crate::error::Result;
use crate::ops::outdated::outdated;

/// Show skills that have newer versions
///
/// Queries every source and changes nothing.
///
/// Examples:
///
///   skillpm outdated
///   skillpm outdated --exit-code      exit with 1 if anything is
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub(in crate::cli) struct OutdatedArgs {
    /// Exit with 1 if anything is outdated
    #[arg(long)]
    exit_code: bool,

    #[command(flatten)]
    pub(super) newness: ReleaseAgeArgs,

    #[command(flatten)]
    scope: ScopeArgs,
}

impl OutdatedArgs {
    pub(in crate::cli) fn run(&self, session: &CliSession<'_>) -> Result<u8> {
        let as_json = session.wants_json()?;
        let report = outdated(&session.context, self.scope.workspace_kind())?;

        if as_json {
            for found in &report.outdated {
                session.shell.print_object(&json!({
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
            session.shell.print_object(&json!({"type": "summary", "asked": report.queried, "outdated": report.outdated.len()}));
        } else if report.outdated.is_empty() {
            session.shell.status(
                "Unchanged",
                &format!("{}, all up to date", plural(report.queried, "skill")),
            );
        } else {
            let head = ["name", "locked", "fits", "newest", "source"]
                .map(str::to_owned)
                .to_vec();
            let rows = report.outdated.iter().map(|found| {
                // A moved tag is not offered as an update: `update` stays at the locked commit.
                let fits = match (&found.compatible, found.moved) {
                    (_, true) => "tag moved".to_owned(),
                    (Some(version), _) => version.clone(),
                    (None, _) => "-".to_owned(),
                };
                vec![
                    found.name.to_string(),
                    found.current.clone(),
                    fits,
                    found.latest.clone(),
                    found.source.clone(),
                ]
            });

            align_columns(&std::iter::once(head).chain(rows).collect::<Vec<_>>())
                .iter()
                .for_each(|line| session.shell.print_line(line));
            // Below the table: the reason is a sentence, and would break its columns.
            for found in &report.outdated {
                if let (Some(version), Some(reason)) = (&found.compatible, &found.held_back) {
                    session.shell.status(
                        "Held back",
                        &format!("{} {version}: it {reason}", found.name),
                    );
                }
            }
        }

        Ok(u8::from(self.exit_code && !report.outdated.is_empty()))
    }
}
