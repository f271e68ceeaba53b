//! For programs: one object a line, each with its `type`; keys are only ever added. `docs/schemas/` describes them.

use serde_json::{Value, json};

use crate::error::{Error, FailureKind};
use crate::lockfile::LockedPackage;
use crate::ops::agents::{DetectedTarget, UnseeingAgent};
use crate::ops::sync::{
    AgentReload, ConvertedCopy, HeldSkill, MovedSkill, PatchChange, PatchOutcome, SkillChange,
    SkillMerge, SyncReport,
};
use crate::report::{Diagnostic, ProgressEvent};

/// A failure.
pub(in crate::cli) fn error_json(error: &Error) -> Value {
    json!({
        "type": "error",
        "kind": kind_name(error.kind()),
        // Also in the object: a pipeline hides the code of all but its last program.
        "exit_code": error.kind().exit_code(),
        "message": error.message(),
        "notes": error.notes(),
        "causes": error.causes(),
        "help": error.helps(),
    })
}

fn kind_name(kind: FailureKind) -> &'static str {
    match kind {
        FailureKind::Negative => "negative",
        FailureKind::Conflict => "conflict",
        FailureKind::NeedsConfirmation => "doubt",
        FailureKind::Usage => "usage",
        FailureKind::Integrity => "integrity",
        FailureKind::Network => "network",
        FailureKind::Busy => "busy",
        FailureKind::Disk => "disk",
        FailureKind::Internal => "internal",
        FailureKind::Cancelled => "cancelled",
    }
}

/// A progress event as JSON; `None` for events of the progress display and of verbose output only.
pub(in crate::cli) fn event_json(event: &ProgressEvent) -> Vec<Value> {
    vec![match event {
        ProgressEvent::Fetching { what } => json!({"type": "fetching", "what": what}),
        // Progress and details are for people, and programs would have to skip them.
        ProgressEvent::Received { .. } | ProgressEvent::Fetched | ProgressEvent::Detail { .. } => {
            return Vec::new();
        }
        ProgressEvent::Installed { what, location } => {
            json!({"type": "installed", "what": what, "place": location})
        }
        ProgressEvent::Updated { what, from, to } => {
            json!({"type": "updated", "what": what, "from": from, "to": to})
        }
        ProgressEvent::Removed { what } => json!({"type": "removed", "what": what}),
        ProgressEvent::Done { verb, what } => json!({"type": "done", "verb": verb, "what": what}),
        ProgressEvent::Using { manifest } => {
            json!({"type": "done", "verb": "Using", "what": manifest})
        }
        ProgressEvent::Blocked { what } => json!({"type": "blocked", "what": what}),
        ProgressEvent::Warning { message, help } => {
            json!({"type": "warning", "message": message, "help": help})
        }
        ProgressEvent::FileDiagnostic { path, diagnostic } => diagnostic_json(path, diagnostic),
        ProgressEvent::LintFindings { findings, .. } => {
            return findings
                .iter()
                .map(|finding| diagnostic_json(&finding.path, &finding.diagnostic))
                .collect();
        }
    }]
}

/// A finding in brief.
pub(in crate::cli) fn diagnostic_json(path: &str, diagnostic: &Diagnostic) -> Value {
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
pub(in crate::cli) fn sync_json(synced: &SyncReport) -> Vec<Value> {
    let mut values: Vec<Value> = synced.changes.iter().map(change_json).collect();
    let moved = |moved: &MovedSkill| json!({"type": "moved", "name": moved.name, "from": moved.from, "to": moved.to});
    values.extend(synced.moved.iter().map(moved));
    let held = |held: &HeldSkill| json!({"type": "held-back", "name": held.name, "revision": held.revision, "reason": held.reason});
    values.extend(synced.held.iter().map(held));
    values.extend(synced.merges.iter().map(merge_json));
    values.extend(synced.patched.iter().map(patch_json));

    // Last, so that a program that reads it has seen every change.
    values.push(summary_json(synced));
    values
}

fn summary_json(synced: &SyncReport) -> Value {
    let mut summary = json!({
        "type": "summary",
        "packages": synced.packages,
        "changes": synced.changes.len(),
        "lock_changed": synced.lock_changed,
        "up_to_date": synced.up_to_date,
        "dry_run": synced.dry_run,
        "edited": synced.edited.iter().map(|copy| &copy.place).collect::<Vec<_>>(),
        "carried": synced.carried,
        "left": synced.left.iter().map(|left| &left.place).collect::<Vec<_>>(),
        "cleared": synced.cleared.iter().map(|copy| &copy.place).collect::<Vec<_>>(),
    });
    add_optional_parts(&mut summary, synced);
    summary
}

/// Adds what most commands have nothing of.
fn add_optional_parts(summary: &mut Value, synced: &SyncReport) {
    if !synced.detected.is_empty() {
        summary["detected"] = synced.detected.iter().map(detected_json).collect();
    }
    if !synced.converted.is_empty() {
        let copy = |copy: &ConvertedCopy| json!({"path": copy.place, "to": copy.to.name()});
        summary["converted"] = synced.converted.iter().map(copy).collect();
    }
    if !synced.reloads.is_empty() {
        let reload = |reload: &AgentReload| json!({"agent": reload.agent, "tool": reload.tool});
        summary["reloads"] = synced.reloads.iter().map(reload).collect();
    }
    if let Some(reach) = &synced.reach {
        summary["directories"] = json!(reach.directories);
        summary["seen_by"] = reach.seen_by.iter().map(|agent| &*agent.id).collect();
        summary["unseen_by"] = reach.unseen_by.iter().map(unseeing_json).collect();
    }
}

/// An agent that does not see a skill.
pub(in crate::cli) fn unseeing_json(unseen: &UnseeingAgent) -> Value {
    json!({
        "id": unseen.agent.id,
        "found": unseen.found,
        "because": unseen.because,
        "help": unseen.command,
    })
}

/// An agent that became a target.
pub(in crate::cli) fn detected_json(target: &DetectedTarget) -> Value {
    json!({
        "id": target.agent.id,
        "found": target.found,
        "directory": target.directory,
        "undo": target.undo,
    })
}

fn patch_json(patched: &PatchChange) -> Value {
    let outcome = match patched.outcome {
        PatchOutcome::Written => "written",
        PatchOutcome::Upstreamed => "upstreamed",
        PatchOutcome::Dropped => "dropped",
        PatchOutcome::Unsaved => "unsaved",
        PatchOutcome::Unused => "unused",
    };
    json!({"type": "patch", "name": patched.name, "path": patched.path, "outcome": outcome})
}

fn merge_json(merge: &SkillMerge) -> Value {
    let file = |change: &crate::merge::MergedFile| json!({"path": change.path, "from": change.from, "outcome": change.outcome.name(), "conflict": change.outcome.is_conflict()});
    json!({
        "type": "merged",
        "name": merge.name,
        "path": merge.place,
        "files": merge.files.iter().map(file).collect::<Vec<_>>(),
    })
}

fn change_json(change: &SkillChange) -> Value {
    match change {
        SkillChange::Installed(locked) => package_json("installed", locked),
        SkillChange::Restored(locked) => package_json("restored", locked),
        SkillChange::Updated(from, to) => {
            let mut value = package_json("updated", to);
            // The other keys are those of the new version.
            value["from"] = json!(from.revision());
            value
        }
        SkillChange::Removed(name) => json!({"type": "removed", "name": name}),
    }
}

fn package_json(kind: &str, locked: &LockedPackage) -> Value {
    json!({
        "type": kind,
        "name": locked.install_name(),
        "version": locked.version.as_ref().map(ToString::to_string),
        "revision": locked.revision(),
        "source": locked.source,
        "commit": locked.commit,
        "checksum": locked.checksum,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_and_the_schema_list_every_kind_of_failure_with_its_code() {
        let page = include_str!("../../../docs/exit-codes.md");
        let schema: Value =
            serde_json::from_str(include_str!("../../../docs/schemas/lines.schema.json")).unwrap();
        let rows: Vec<&str> = page
            .lines()
            .filter(|line| line.starts_with("| `") && line.ends_with("` |"))
            .collect();
        let known = FailureKind::ALL.map(|kind| {
            format!(
                "| `{kind:?}` | {} | `{}` |",
                kind.exit_code(),
                super::kind_name(kind)
            )
        });
        assert_eq!(rows, known);
        let listed = FailureKind::ALL.map(super::kind_name).to_vec();
        assert_eq!(
            schema["$defs"]["error"]["properties"]["kind"]["enum"],
            json!(listed)
        );
    }
}
