//! Prints the results of a command that changes a project.
//!
//! ```text
//!    Installed csv 1.2.0
//!       Merged your changes of pdf with upstream's (both changed: SKILL.md)
//! warning: `.agents/skills/notes` has local edits, and is left unchanged
//! ```

use std::path::PathBuf;

use super::detect_args::print_detected;
use super::outdated::shown_dir;
use super::plural;
use crate::cli::CliSession;
use crate::cli::render::json;
use crate::cli::shell::CliShell;
use crate::error::Result;
use crate::lockfile::LockedPackage;
use crate::merge::FileOutcome;
use crate::ops::sync::{
    HeldSkill, LeftCopy, PatchChange, PatchOutcome, SkillChange, SkillMerge, SyncReport,
};
use crate::package::{RelPath, slashed};
use crate::report::{EventReporter, ProgressEvent};

/// Prints the results of a command that changes a project; the exit code is 1 if a conflict has to be resolved by hand.
pub(super) fn print_sync_report(session: &CliSession<'_>, synced: &SyncReport) -> Result<u8> {
    // A file with conflict markers still has to be resolved by hand, so the code is 1.
    let conflicts = synced
        .merges
        .iter()
        .flat_map(|merge| &merge.files)
        .filter(|change| change.outcome.is_conflict());
    let code = u8::from(conflicts.count() > 0);

    if session.wants_json()? {
        json::sync_json(synced)
            .iter()
            .for_each(|value| session.shell.print_object(value));
    } else {
        print_human(session.shell, synced);
        print_reach(session, synced);
    }

    Ok(code)
}

fn print_human(shell: &CliShell, synced: &SyncReport) {
    if shell.is_verbose() {
        synced
            .kept
            .iter()
            .for_each(|name| shell.status("Fresh", name.as_str()));
    }

    print_detected(shell, &synced.detected, synced.dry_run);

    for change in &synced.changes {
        shell.report(if synced.dry_run {
            dry_run_event(change)
        } else {
            change_event(change)
        });
    }

    print_upstream(shell, synced);
    print_merges(shell, synced);
    print_patches(shell, synced);
    print_places(shell, synced);
    // The summary comes last, where it is still on the screen after a long list.
    print_summary(shell, synced);
    print_reloads(shell, synced);
}

/// Prints which skills are elsewhere in their repositories, or no longer there.
fn print_upstream(shell: &CliShell, synced: &SyncReport) {
    let shown =
        |dir: &Option<RelPath>| shown_dir(dir.as_ref().map_or("", RelPath::as_str)).to_owned();
    for moved in &synced.moved {
        let (from, to) = (shown(&moved.from), shown(&moved.to));
        shell.status(
            if synced.dry_run {
                "Would move"
            } else {
                "Moved"
            },
            &format!(
                "{} from `{from}` to `{to}`, where its repository has it now",
                moved.name
            ),
        );
    }
    for held in &synced.held {
        let HeldSkill {
            name,
            revision,
            reason,
        } = held;
        shell.status("Held back", &format!("{name} {revision}: it {reason}"));
    }
}

/// Prints where the installed skills are, who sees them, and the command for the agents that do not.
///
/// ```text
///   Skills in .agents/skills; seen by Cursor; not seen by Claude Code: run `skillpm agents add claude-code`
/// ```
fn print_reach(session: &CliSession<'_>, synced: &SyncReport) {
    let Some(reach) = synced.reach.as_ref().filter(|_| !synced.dry_run) else {
        // In a dry run nothing is there to be seen.
        return;
    };

    let home = &session.context.dirs.home;
    let show = |directory: &PathBuf| match directory.strip_prefix(home) {
        Ok(below) => format!("~/{}", slashed(below)),
        Err(_) => slashed(directory),
    };
    let directories: Vec<String> = reach.directories.iter().map(show).collect();
    let mut parts = vec![directories.join(", ")];
    if !reach.seen_by.is_empty() {
        let names: Vec<&str> = reach.seen_by.iter().map(|agent| &*agent.name).collect();
        parts.push(format!("seen by {}", names.join(", ")));
    }
    if !reach.unseen_by.is_empty() {
        let unseen = reach.unseen_by.iter();
        let names: Vec<&str> = unseen.map(|unseen| &*unseen.agent.name).collect();
        let help = reach
            .add_command
            .as_ref()
            .map_or_else(String::new, |command| format!(": run `{command}`"));
        parts.push(format!("not seen by {}{help}", names.join(", ")));
    }
    session.shell.status("Skills in", &parts.join("; "));
}

fn print_patches(shell: &CliShell, synced: &SyncReport) {
    for patched in &synced.patched {
        shell.status(
            patch_verb(patched.outcome, synced.dry_run),
            &patch_message(patched),
        );
    }
}

/// Prints the directories that were changed or left besides the changes of skills.
fn print_places(shell: &CliShell, synced: &SyncReport) {
    for copy in &synced.converted {
        let verb = if synced.dry_run {
            "Would convert"
        } else {
            "Converted"
        };
        shell.status(
            verb,
            &format!("to `{}` in {}", copy.to.name(), copy.place.display()),
        );
    }

    for place in &synced.carried {
        if let (Some(dir), Some(name)) = (place.parent(), place.file_name()) {
            let name = name.to_string_lossy();
            let what = format!("your edits of {name} to {}", dir.display());
            shell.status("Copied", &what);
        }
    }

    for copy in &synced.cleared {
        let verb = if synced.dry_run {
            "Would clear"
        } else {
            "Cleared"
        };
        let why = if copy.is_hidden {
            "which `[catalog]` hides from agents"
        } else {
            "which is no longer a target"
        };
        shell.status(verb, &format!("{}, {why}", copy.place.display()));
    }

    for LeftCopy { place, why } in &synced.left {
        let name = place.file_name().unwrap_or_default().display();
        let place = place.display();
        match why {
            Some(why) => shell.warn(
                &format!("`{place}` is no longer a skill, and is left unchanged: {why}"),
                Some(&format!(
                    "`skillpm restore {name}` restores it, with a backup in `.skillpm/backup`"
                )),
            ),
            // A directory of someone else's is never replaced, so its owner has to move it.
            None => shell.warn(
                &format!("`{place}` was not installed by skillpm, and is left unchanged"),
                Some("move it to another directory if it is not needed there"),
            ),
        }
    }

    for copy in &synced.edited {
        // A patch file has edits of the package's own files, which a converted copy does not have.
        let help = if copy.is_converted {
            "run `skillpm diff` to see the edits, or `skillpm restore NAME` to discard them"
        } else {
            "run `skillpm diff` to see the edits, `skillpm patch NAME` to save or `skillpm restore NAME` to discard them"
        };
        shell.warn(
            &format!(
                "`{}` has local edits, and is left unchanged",
                copy.place.display()
            ),
            Some(help),
        );
    }
}

/// Prints which agents have to be asked to read their skills again.
fn print_reloads(shell: &CliShell, synced: &SyncReport) {
    if synced.dry_run {
        return;
    }
    for reload in &synced.reloads {
        shell.status(
            "Next:",
            &format!(
                "call `{}` in {}, so that it sees the change",
                reload.tool, reload.agent
            ),
        );
    }
}

/// Prints what the command as a whole came to, unless the lines above have said it.
fn print_summary(shell: &CliShell, synced: &SyncReport) {
    let packages = plural(synced.packages, "skill");

    // From the strongest statement to the weakest: only the first that is true is printed.
    if synced.dry_run {
        shell.status("Dry run:", "nothing was changed");
    } else if synced.up_to_date {
        // "Up to date" would be wrong with local edits that were left unchanged.
        let but = if synced.edited.is_empty() && synced.left.is_empty() {
            "up to date with skillpm.lock"
        } else {
            "up to date except for local edits"
        };
        shell.status("Unchanged", &format!("{packages}, {but}"));
    } else if synced.lock_changed {
        shell.status("Locked", &format!("{packages} in skillpm.lock"));
    } else if synced.changes.is_empty() && synced.carried.is_empty() && synced.cleared.is_empty() {
        // The manifest is all that changed: what it asks for was installed already.
        shell.status("Saved", "skillpm.toml; no other changes needed");
    }
}

/// The outcome for a patch file, in one word.
fn patch_verb(outcome: PatchOutcome, dry_run: bool) -> &'static str {
    match (outcome, dry_run) {
        (PatchOutcome::Written, false) => "Kept",
        (PatchOutcome::Written, true) => "Would keep",
        (PatchOutcome::Upstreamed | PatchOutcome::Dropped | PatchOutcome::Unsaved, false) => {
            "Dropped"
        }
        (PatchOutcome::Upstreamed | PatchOutcome::Dropped | PatchOutcome::Unsaved, true) => {
            "Would drop"
        }
        (PatchOutcome::Unused, _) => "Unused",
    }
}

fn patch_message(
    PatchChange {
        name,
        path,
        outcome,
    }: &PatchChange,
) -> String {
    match outcome {
        PatchOutcome::Written => format!("the edits of {name} in {path}"),
        PatchOutcome::Upstreamed => format!("{path}: all edits of {name} are upstream"),
        PatchOutcome::Dropped => format!("{path}, the edits of {name}"),
        PatchOutcome::Unsaved => {
            format!(
                "{path}: its edits of {name} have conflicts, and are only on disk until they are saved again"
            )
        }
        PatchOutcome::Unused => {
            format!("{path} stays, but was removed from `[edits]`: {name} is no longer installed")
        }
    }
}

/// Prints what was merged, and the conflicts that are left.
fn print_merges(shell: &CliShell, synced: &SyncReport) {
    for merge in &synced.merges {
        shell.status(
            if synced.dry_run {
                "Would merge"
            } else {
                "Merged"
            },
            &merge_message(merge),
        );
        for change in merge
            .files
            .iter()
            .filter(|change| change.outcome.is_conflict())
        {
            let (file, said) = (
                merge.place.join(change.path.as_str()),
                conflict_message(change.outcome, synced.dry_run),
            );
            // Without the patch file, the resolved file would count as a local edit forever.
            let then = format!(
                "then `skillpm patch {}` saves your resolution; to abort, run `skillpm undo --force`",
                merge.name
            );
            shell.warn(
                &format!("`{}` {said}", file.display()),
                (!synced.dry_run).then_some(then.as_str()),
            );
        }
    }
}

/// `pdf: your changes with upstream's in SKILL.md; kept yours in a.md`
fn merge_message(merge: &SkillMerge) -> String {
    // Only files that need an explanation: those that upstream alone changed are the update itself.
    let groups: [(&str, &[FileOutcome]); 4] = [
        (
            "both changed",
            &[
                FileOutcome::Merged,
                FileOutcome::Conflict,
                FileOutcome::BinaryConflict,
            ],
        ),
        ("yours", &[FileOutcome::Kept, FileOutcome::KeptAdded]),
        ("yours, removed upstream", &[FileOutcome::KeptThoughRemoved]),
        ("removed by you", &[FileOutcome::KeptRemoved]),
    ];

    let mut parts = Vec::new();
    for (said, outcomes) in groups {
        let files = merge
            .files
            .iter()
            .filter(|change| outcomes.contains(&change.outcome));
        let files: Vec<&str> = files.map(|change| change.path.as_str()).collect();
        if !files.is_empty() {
            parts.push(format!("{said}: {}", files.join(", ")));
        }
    }

    format!(
        "your changes of {} with upstream's ({})",
        merge.name,
        parts.join("; ")
    )
}

fn conflict_message(outcome: FileOutcome, dry_run: bool) -> &'static str {
    match (outcome, dry_run) {
        (FileOutcome::BinaryConflict, _) => {
            "is a binary file: the local version is kept, the upstream version is in the store"
        }
        (_, true) => "would have conflict markers",
        (_, false) => "has conflict markers; resolve them in an editor",
    }
}

fn change_event(change: &SkillChange) -> ProgressEvent {
    match change {
        SkillChange::Installed(locked) => ProgressEvent::Installed {
            what: name_and_revision(locked),
            location: None,
        },
        SkillChange::Restored(locked) => ProgressEvent::Done {
            verb: "Restored",
            what: name_and_revision(locked),
        },
        SkillChange::Updated(from, to) => ProgressEvent::Updated {
            what: to.install_name().to_string(),
            from: distinct_revision(from, to),
            to: distinct_revision(to, from),
        },
        SkillChange::Removed(name) => ProgressEvent::Removed {
            what: name.to_string(),
        },
    }
}

/// The event of a change that a dry run would make.
fn dry_run_event(change: &SkillChange) -> ProgressEvent {
    let (verb, what) = match change {
        SkillChange::Installed(locked) => ("Would add", name_and_revision(locked)),
        SkillChange::Restored(locked) => ("Would restore", name_and_revision(locked)),
        SkillChange::Updated(from, to) => (
            "Would update",
            format!(
                "{} {} -> {}",
                to.install_name(),
                distinct_revision(from, to),
                distinct_revision(to, from)
            ),
        ),
        SkillChange::Removed(name) => ("Would remove", name.to_string()),
    };

    ProgressEvent::Done { verb, what }
}

fn name_and_revision(locked: &LockedPackage) -> String {
    format!("{} {}", locked.install_name(), locked.revision())
}

/// A package's revision as shown next to another one: with the commit or checksum where the versions are equal.
fn distinct_revision(locked: &LockedPackage, other: &LockedPackage) -> String {
    let shown = locked.revision();

    if shown != other.revision() {
        return shown;
    }
    // The same version twice: a moved branch or rebuilt package differs in commit or checksum.
    let detail = match (&locked.commit, &other.commit) {
        (Some(commit), Some(others)) if commit != others => commit.chars().take(8).collect(),
        // Without commits, as for a directory, only the checksum differs.
        _ => locked.checksum.short(),
    };

    if shown == detail {
        shown
    } else {
        format!("{shown} ({detail})")
    }
}
