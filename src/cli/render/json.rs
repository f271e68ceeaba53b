//! For programs: one object a line, each with its `type`; keys are only ever added. `docs/schemas/` describes them.

use serde_json::{Value, json};

use crate::error::{Error, Kind};
use crate::ops::sync::{Change, Merge, PatchOutcome, Patched, Synced};
use crate::report::{Diagnostic, Event};

/// A failure.
pub(in crate::cli) fn error(error: &Error) -> Value {
    json!({
        "type": "error",
        "kind": kind(error.kind()),
        "exit-code": error.kind().exit_code(),
        "message": error.message(),
        "notes": error.notes(),
        "causes": error.causes(),
        "help": error.helps(),
    })
}

fn kind(kind: Kind) -> &'static str {
    match kind {
        Kind::Negative => "negative",
        Kind::Conflict => "conflict",
        Kind::Doubt => "doubt",
        Kind::Usage => "usage",
        Kind::Integrity => "integrity",
        Kind::Network => "network",
        Kind::Busy => "busy",
        Kind::Disk => "disk",
        Kind::Internal => "internal",
    }
}

/// Something that happens; nothing for what only the progress display is told, or a person who asks for details.
pub(in crate::cli) fn event(event: &Event) -> Vec<Value> {
    vec![match event {
        Event::Fetching { what } => json!({"type": "fetching", "what": what}),
        Event::Received { .. } | Event::Fetched | Event::Detail { .. } => return Vec::new(),
        Event::Installed { what, place } => json!({"type": "installed", "what": what, "place": place}),
        Event::Updated { what, from, to } => json!({"type": "updated", "what": what, "from": from, "to": to}),
        Event::Removed { what } => json!({"type": "removed", "what": what}),
        Event::Done { verb, what } => json!({"type": "done", "verb": verb, "what": what}),
        Event::Blocked { what } => json!({"type": "blocked", "what": what}),
        Event::Warning { message, help } => json!({"type": "warning", "message": message, "help": help}),
        Event::Found { path, diagnostic } => found(path, diagnostic),
        Event::Judged { findings, .. } => {
            return findings.iter().map(|finding| found(&finding.path, &finding.diagnostic)).collect();
        }
    }]
}

/// A finding in brief.
pub(in crate::cli) fn found(path: &str, diagnostic: &Diagnostic) -> Value {
    json!({
        "type": "diagnostic",
        "path": path,
        "rule": diagnostic.rule,
        "level": diagnostic.level,
        "message": diagnostic.message,
        "line": diagnostic.position.map(|(line, _)| line),
        "column": diagnostic.position.map(|(_, column)| column),
        "help": diagnostic.help,
    })
}

/// What came of a command that changes a project: one object a change, and a summary last.
pub(in crate::cli) fn synced(synced: &Synced) -> Vec<Value> {
    let mut values: Vec<Value> = synced.changes.iter().map(change).collect();
    values.extend(synced.merges.iter().map(merge));
    values.extend(synced.patched.iter().map(patched));
    values.push(json!({
        "type": "summary",
        "packages": synced.packages,
        "changes": synced.changes.len(),
        "lock-changed": synced.lock_changed,
        "up-to-date": synced.up_to_date,
        "dry-run": synced.dry_run,
        "edited": synced.edited,
        "carried": synced.carried,
        "left": synced.left,
        "cleared": synced.cleared,
    }));
    values
}

fn patched(patched: &Patched) -> Value {
    let outcome = match patched.outcome {
        PatchOutcome::Written => "written",
        PatchOutcome::Upstreamed => "upstreamed",
        PatchOutcome::Dropped => "dropped",
        PatchOutcome::Unused => "unused",
    };
    json!({"type": "patch", "name": patched.name, "path": patched.path, "outcome": outcome})
}

fn merge(merge: &Merge) -> Value {
    let file = |change: &crate::merge::Change| json!({"path": change.path, "from": change.from, "outcome": change.outcome.name(), "conflict": change.outcome.is_conflict()});
    json!({
        "type": "merged",
        "name": merge.name,
        "path": merge.place,
        "files": merge.files.iter().map(file).collect::<Vec<_>>(),
    })
}

fn change(change: &Change) -> Value {
    let package = |kind: &str, locked: &crate::lockfile::Locked| {
        json!({
            "type": kind,
            "name": locked.install_name(),
            "version": locked.version.as_ref().map(ToString::to_string),
            "revision": locked.revision(),
            "source": locked.source,
            "commit": locked.commit,
            "checksum": locked.checksum,
        })
    };
    match change {
        Change::Installed(locked) => package("installed", locked),
        Change::Restored(locked) => package("restored", locked),
        Change::Updated(from, to) => {
            let mut value = package("updated", to);
            value["from"] = json!(from.revision());
            value
        }
        Change::Removed(name) => json!({"type": "removed", "name": name}),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_and_the_schema_list_every_kind_of_failure_with_its_code() {
        let page = include_str!("../../../docs/exit-codes.md");
        let schema: Value = serde_json::from_str(include_str!("../../../docs/schemas/lines.schema.json")).unwrap();
        let rows: Vec<&str> = page.lines().filter(|line| line.starts_with("| `") && line.ends_with("` |")).collect();
        let known = Kind::ALL.map(|kind| format!("| `{kind:?}` | {} | `{}` |", kind.exit_code(), super::kind(kind)));
        assert_eq!(rows, known);
        let listed = Kind::ALL.map(super::kind).to_vec();
        assert_eq!(schema["$defs"]["error"]["properties"]["kind"]["enum"], json!(listed));
    }
}
