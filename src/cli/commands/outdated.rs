//! `outdated`: prints the table of [`outdated`], whose exit code is 1 only with `--exit-code`.

use clap::Args;
use serde_json::json;

use super::{ReleaseAgeArgs, ScopeArgs, plural};
use crate::cli::CliSession;
use crate::cli::render::human::align_columns;
use crate::cli::shell::CliShell;
use crate::error::{Error, Result};
use crate::ops::outdated::{OutdatedReport, OutdatedSkill, outdated};
use crate::report::ProgressEvent;

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
        // Before the sources are queried, so that a wrong flag fails at once.
        let as_json = session.wants_json()?;
        let report = outdated(&session.context, self.scope.workspace_kind())?;

        if as_json {
            print_json(session.shell, &report);
        } else if report.outdated.is_empty() && report.failed.is_empty() {
            session.shell.status(
                "Unchanged",
                &format!("{}, all up to date", plural(report.queried, "skill")),
            );
        } else if !report.outdated.is_empty() {
            print_table(session.shell, &report.outdated);
        }

        // After what the others have.
        report_failed(session, report.failed)?;

        // 0 by default: an update that exists is an answer and no failure.
        Ok(u8::from(self.exit_code && !report.outdated.is_empty()))
    }
}

/// Reports the sources that failed: the error that matters most ends the command.
pub(super) fn report_failed(session: &CliSession<'_>, mut failed: Vec<Error>) -> Result<()> {
    failed.sort_by_key(|error| error.kind().exit_code());
    let Some(worst) = failed.pop() else {
        return Ok(());
    };
    for error in failed {
        let notes = error.notes().iter().map(|note| format!("; {note}"));
        let message = error.in_one_line() + &notes.collect::<String>();
        session
            .context
            .reporter
            .report(ProgressEvent::warning(message));
    }
    Err(worst)
}

fn print_json(shell: &CliShell, report: &OutdatedReport) {
    for found in &report.outdated {
        shell.print_object(&json!({
            "type": "outdated",
            "name": found.name,
            "current": found.current,
            "compatible": found.compatible,
            "latest": found.latest,
            "source": found.source,
            "tag_moved": found.moved,
            "moved_to": found.moved_to,
            "held_back": found.held_back,
        }));
    }

    shell.print_object(
        &json!({"type": "summary", "asked": report.queried, "outdated": report.outdated.len(), "failed": report.failed.len()}),
    );
}

fn print_table(shell: &CliShell, outdated: &[OutdatedSkill]) {
    let head = ["name", "locked", "fits", "newest", "source"]
        .map(str::to_owned)
        .to_vec();
    let rows: Vec<Vec<String>> = std::iter::once(head)
        .chain(outdated.iter().map(table_row))
        .collect();

    align_columns(&rows)
        .iter()
        .for_each(|line| shell.print_line(line));

    // Below the table: the reason is a sentence, and would break its columns.
    for found in outdated {
        if let Some(dir) = &found.moved_to {
            shell.status(
                "Moved",
                &format!("{} is in `{}` now", found.name, shown_dir(dir)),
            );
        }
        if let Some(reason) = &found.held_back {
            let version = found.compatible.as_ref().unwrap_or(&found.latest);
            shell.status(
                "Held back",
                &format!("{} {version}: it {reason}", found.name),
            );
        }
    }
}

/// A directory of a repository, where the root is `.`.
pub(super) fn shown_dir(dir: &str) -> &str {
    if dir.is_empty() { "." } else { dir }
}

fn table_row(found: &OutdatedSkill) -> Vec<String> {
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
}
