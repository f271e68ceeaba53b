use clap::Args;
use jiff::Timestamp;
use serde_json::{Value, json};

use super::Scope;
use crate::cli::Session;
use crate::error::Result;
use crate::install::undo::{Directory, Entry, Step, Thing};
use crate::ops::undo::{UndoOptions, undo, undoable};

/// Undo the last command that changed something
///
/// Skills, manifest and lockfile are as before it, with the edits that they had.
/// Again, and the command before it is undone. What was changed since is not lost:
/// then nothing is undone, and what was changed is told.
///
/// Examples:
///
///   skillpm undo
///   skillpm undo --list
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub(in crate::cli) struct Arguments {
    /// List what can be undone, the last first
    #[arg(long)]
    list: bool,

    /// Tell what would be done, and do nothing
    #[arg(long, conflicts_with = "list")]
    dry_run: bool,

    #[command(flatten)]
    scope: Scope,
}

impl Arguments {
    pub(in crate::cli) fn run(&self, session: &Session<'_>) -> Result<u8> {
        let as_json = session.json()?;
        if self.list {
            for entry in undoable(&session.context, self.scope.sort())? {
                if as_json {
                    session.shell.object(&object("undoable", &entry));
                } else {
                    session.shell.line(&line(&entry));
                }
            }
            return Ok(0);
        }
        let options = UndoOptions { sort: self.scope.sort(), dry_run: self.dry_run };
        let entry = undo(&session.context, options)?;
        if as_json {
            session.shell.object(&object(if self.dry_run { "undoable" } else { "undone" }, &entry));
            return Ok(0);
        }
        let directories = entry.directories.iter().map(|at| (at.path.clone(), &at.before, &at.after));
        for (place, before, after) in
            entry.places.iter().map(|step| (step.place(), &step.before, &step.after)).chain(directories)
        {
            let (verb, would) = match (before, after) {
                (before, after) if before == after => ("Gave back", "Would give back"),
                (Thing::Nothing, _) => ("Removed", "Would remove"),
                (_, Thing::Nothing) => ("Restored", "Would restore"),
                _ => ("Reverted", "Would revert"),
            };
            session.shell.status(if self.dry_run { would } else { verb }, &place.display().to_string());
        }
        let verb = if self.dry_run { "Would undo" } else { "Undid" };
        session.shell.status(verb, &line(&entry));
        Ok(0)
    }
}

/// `update of 2026-11-22 09:50:12 UTC: csv, pdf`
fn line(entry: &Entry) -> String {
    let directories = entry.directories.iter().map(|directory| directory.path.display().to_string());
    let mut names: Vec<String> = entry.places.iter().map(|step| step.name.to_string()).chain(directories).collect();
    names.sort_unstable();
    names.dedup();
    let what = if names.is_empty() {
        let files: Vec<String> = entry.texts.iter().map(|text| text.path.display().to_string()).collect();
        files.join(", ")
    } else {
        names.join(", ")
    };
    format!("{} of {}: {what}", entry.command, time(entry.at))
}

fn time(at: u64) -> String {
    let time = i64::try_from(at).ok().and_then(|at| Timestamp::from_second(at).ok());
    time.map_or_else(String::new, |time| time.strftime("%Y-%m-%d %H:%M:%S UTC").to_string())
}

fn object(kind: &str, entry: &Entry) -> Value {
    let step = |step: &Step| json!({"path": step.place(), "name": step.name, "before": thing(&step.before), "after": thing(&step.after)});
    let directory = |at: &Directory| json!({"path": at.path, "before": thing(&at.before), "after": thing(&at.after)});
    json!({
        "type": kind,
        "command": entry.command,
        "at": entry.at,
        "places": entry.places.iter().map(step).collect::<Vec<_>>(),
        "directories": entry.directories.iter().map(directory).collect::<Vec<_>>(),
        "files": entry.texts.iter().map(|text| &text.path).collect::<Vec<_>>(),
    })
}

/// A checksum, `link`, `other`, or null for nothing.
fn thing(thing: &Thing) -> Value {
    match thing {
        Thing::Nothing => Value::Null,
        Thing::Tree(checksum) => json!(checksum),
        Thing::Link(_) => json!("link"),
        Thing::Other => json!("other"),
    }
}
