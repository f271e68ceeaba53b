//! `undo`: lists what can be undone ([`undoable_entries`]), and undoes the last command with [`undo`].

use clap::Args;
use jiff::Timestamp;
use serde_json::{Value, json};

use super::ScopeArgs;
use crate::cli::CliSession;
use crate::error::Result;
use crate::install::undo::{UndoContent, UndoDirectory, UndoEntry, UndoStep};
use crate::ops::undo::{UndoOptions, undo, undoable_entries};

/// Undo the last command that changed something
///
/// Restores skills, manifest and lockfile, with their local edits. Run it again to
/// undo the command before. If files were changed since, nothing is undone, and the
/// changed files are reported; `--force` moves changed skills to `.skillpm/backup`.
///
/// Examples:
///
///   skillpm undo
///   skillpm undo --list
///   skillpm undo --force
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub(in crate::cli) struct UndoArgs {
    /// List commands that can be undone, newest first
    #[arg(long)]
    list: bool,

    /// Show what would be done without doing it
    #[arg(long, conflicts_with = "list")]
    dry_run: bool,

    /// Undo though skills were changed since, and save them in the backup
    #[arg(long, short = 'f', conflicts_with = "list")]
    force: bool,

    #[command(flatten)]
    scope: ScopeArgs,
}

impl UndoArgs {
    pub(in crate::cli) fn run(&self, session: &CliSession<'_>) -> Result<u8> {
        let as_json = session.wants_json()?;
        // Reads the history and takes no lock, so that it works beside another command.
        if self.list {
            let entries = undoable_entries(&session.context, self.scope.workspace_kind())?;
            if entries.is_empty() && !as_json {
                session.shell.status("Found", "nothing to undo here");
            }
            for entry in entries {
                if as_json {
                    session.shell.print_object(&entry_json("undoable", &entry));
                } else {
                    session.shell.print_line(&describe_entry(&entry));
                }
            }
            return Ok(0);
        }

        let options = UndoOptions {
            sort: self.scope.workspace_kind(),
            dry_run: self.dry_run,
            force: self.force,
        };
        let entry = undo(&session.context, options)?;

        if as_json {
            session.shell.print_object(&entry_json(
                if self.dry_run { "undoable" } else { "undone" },
                &entry,
            ));
            return Ok(0);
        }

        self.print_places(session, &entry);
        let verb = if self.dry_run { "Would undo" } else { "Undid" };
        session.shell.status(verb, &describe_entry(&entry));
        Ok(0)
    }

    /// Prints what happens to each skill and directory of an entry.
    fn print_places(&self, session: &CliSession<'_>, entry: &UndoEntry) {
        let directories = entry
            .directories
            .iter()
            .map(|at| (at.path.clone(), &at.before, &at.after));
        let places = entry
            .places
            .iter()
            .map(|step| (step.path(), &step.before, &step.after));

        for (place, before, after) in places.chain(directories) {
            // An undo goes from `after` to `before`, so what was nothing before is removed.
            let (verb, would) = match (before, after) {
                // The files stay: an edit that a command made part of the project is an edit again.
                (before, after) if before == after => ("Gave back", "Would give back"),
                (UndoContent::Nothing, _) => ("Removed", "Would remove"),
                (_, UndoContent::Nothing) => ("Restored", "Would restore"),
                _ => ("Reverted", "Would revert"),
            };

            session.shell.status(
                if self.dry_run { would } else { verb },
                &place.display().to_string(),
            );
        }
    }
}

/// `update of 2026-11-22 09:50:12 UTC: csv, pdf`
fn describe_entry(entry: &UndoEntry) -> String {
    let directories = entry
        .directories
        .iter()
        .map(|directory| directory.path.display().to_string());
    let mut names: Vec<String> = entry
        .places
        .iter()
        .map(|step| step.name.to_string())
        .chain(directories)
        .collect();
    // A skill that is installed into several targets has an entry for each.
    names.sort_unstable();
    names.dedup();
    // Only the manifest or the lockfile changed, so the files are named instead.
    let what = if names.is_empty() {
        let files: Vec<String> = entry
            .texts
            .iter()
            .map(|text| text.path.display().to_string())
            .collect();
        files.join(", ")
    } else {
        names.join(", ")
    };

    format!("{} of {}: {what}", entry.command, format_time(entry.at))
}

fn format_time(at: u64) -> String {
    timestamp(at).map_or_else(String::new, |time| {
        time.strftime("%Y-%m-%d %H:%M:%S UTC").to_string()
    })
}

/// `None` if a number in a damaged record is no time; the entry can still be undone.
fn timestamp(at: u64) -> Option<Timestamp> {
    Timestamp::from_second(i64::try_from(at).ok()?).ok()
}

fn entry_json(kind: &str, entry: &UndoEntry) -> Value {
    let step = |step: &UndoStep| json!({"path": step.path(), "name": step.name, "before": content_json(&step.before), "after": content_json(&step.after)});
    let directory = |at: &UndoDirectory| json!({"path": at.path, "before": content_json(&at.before), "after": content_json(&at.after)});
    json!({
        "type": kind,
        "command": entry.command,
        "at": timestamp(entry.at).map(|at| at.to_string()),
        "places": entry.places.iter().map(step).collect::<Vec<_>>(),
        "directories": entry.directories.iter().map(directory).collect::<Vec<_>>(),
        "files": entry.texts.iter().map(|text| &text.path).collect::<Vec<_>>(),
    })
}

/// A checksum, `link`, `other`, or null for nothing.
fn content_json(thing: &UndoContent) -> Value {
    match thing {
        UndoContent::Nothing => Value::Null,
        UndoContent::Tree(checksum) => json!(checksum),
        UndoContent::Link(_) => json!("link"),
        UndoContent::Saved(_) | UndoContent::Other => json!("other"),
    }
}
