//! `watch`: one line a change of the catalog, soon after it was made.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::lint_formats::{accepts, lines_of};
use crate::support::{Following, Sandbox, path_text, skill_md, with_slashes};

/// A run that has begun to watch.
#[track_caller]
fn watching(sandbox: &Sandbox, options: &str) -> Following {
    let following = sandbox
        .skillpm(format!("watch --format json {options}"))
        .follow();
    let begun = following.object();
    assert_eq!(begun["type"], "watching", "{begun}");
    following
}

/// The next line as the schema has it, without what only the disk knows.
#[track_caller]
fn next(following: &Following, sandbox: &Sandbox) -> Value {
    let mut line = following.object();
    accepts(&lines_of("watch"), &line);
    let object = line.as_object_mut().unwrap();
    object.remove("checksum");
    for key in ["version", "hidden"] {
        object.retain(|name, value| name != key || !value.is_null());
    }
    let text = with_slashes(line.to_string()).replace(&path_text(sandbox.root()), "");
    serde_json::from_str(&text).unwrap()
}

#[test]
fn changes_of_a_skill_are_reported_line_by_line() {
    let sandbox = Sandbox::project_here();
    let watch = watching(&sandbox, "");
    let location = "/project/skills/pdf/SKILL.md";
    let subject = |kind: &str, description: &str| json!({"type": kind, "name": "pdf", "tier": "workspace", "location": location, "description": description});
    sandbox.write("skills/pdf/SKILL.md", skill_md("pdf", "Reads PDF."));
    assert_eq!(next(&watch, &sandbox), subject("added", "Reads PDF."));

    sandbox.write("skills/pdf/SKILL.md", skill_md("pdf", "Reads PDF well."));
    let mut changed = subject("changed", "Reads PDF well.");
    changed["aspects"] = json!(["description", "content"]);
    assert_eq!(next(&watch, &sandbox), changed);

    sandbox.write("skills/pdf/references/forms.md", "# Forms\n");
    changed["aspects"] = json!(["content"]);
    assert_eq!(next(&watch, &sandbox), changed);

    sandbox.write("~/.agents/skills/pdf/SKILL.md", skill_md("pdf", "Another."));
    let covered = |kind: &str| {
        let by = json!({"tier": "workspace", "path": location, "version": null});
        let place = "/home/.agents/skills/pdf/SKILL.md";
        json!({"type": kind, "name": "pdf", "tier": "managed", "location": place, "same_content": false, "by": by})
    };
    assert_eq!(next(&watch, &sandbox), covered("shadowed"));

    sandbox.delete("~/.agents/skills/pdf");
    assert_eq!(next(&watch, &sandbox), covered("unshadowed"));

    sandbox.write("skills/pdf/SKILL.md", "no frontmatter\n");
    assert_eq!(
        next(&watch, &sandbox),
        subject("removed", "Reads PDF well.")
    );
    let invalid = next(&watch, &sandbox);
    assert_eq!(
        [&invalid["type"], &invalid["rule"], &invalid["location"]],
        ["invalid", "frontmatter-missing", location]
    );
}

#[test]
fn shadowed_skill_replaces_a_removed_one() {
    let sandbox = Sandbox::project_here();
    sandbox.write("skills/pdf/SKILL.md", skill_md("pdf", "Ours."));
    sandbox.write(".agents/skills/pdf/SKILL.md", skill_md("pdf", "Theirs."));
    let watch = watching(&sandbox, "");
    sandbox.delete("skills/pdf");
    let changed = next(&watch, &sandbox);
    assert_eq!(changed["type"], "changed");
    assert_eq!(changed["location"], "/project/.agents/skills/pdf/SKILL.md");
    assert_eq!(
        changed["aspects"],
        json!(["location", "description", "content"])
    );
    watch.is_silent(Duration::from_millis(800));
}

#[test]
fn many_writes_are_one_change() {
    let sandbox = Sandbox::project_here();
    let watch = watching(&sandbox, "");
    for round in 0..20 {
        sandbox.write(
            "skills/pdf/SKILL.md",
            skill_md("pdf", &format!("Round {round}.")),
        );
        std::thread::sleep(Duration::from_millis(50));
    }
    let mut told = vec![next(&watch, &sandbox)];
    while told.last().unwrap()["description"] != "Round 19." {
        told.push(next(&watch, &sandbox));
    }
    // One, alone; on a busy machine a pause between two writes may be so long that what was written counts as finished.
    assert!(told.len() < 6, "{told:#?}");
    watch.is_silent(Duration::from_millis(800));
}

#[test]
fn change_is_reported_within_one_second() {
    let sandbox = Sandbox::project_here();
    let watch = watching(&sandbox, "");
    let start = Instant::now();
    sandbox.write("skills/pdf/SKILL.md", skill_md("pdf", "Reads PDF."));
    watch.object();
    // The machine that tests run on may be busy; alone it takes 0.6 s.
    assert!(
        start.elapsed() < Duration::from_secs(3),
        "{:?}",
        start.elapsed()
    );
}

#[test]
fn manifest_rule_hides_a_skill_at_once() {
    let sandbox = Sandbox::project_here();
    sandbox.write("skills/pdf/SKILL.md", skill_md("pdf", "Reads PDF."));
    let watch = watching(&sandbox, "");
    sandbox.write("skillpm.toml", "[catalog]\ndeny = [\"pdf\"]\n");
    let changed = next(&watch, &sandbox);
    assert_eq!(changed["aspects"], json!(["visibility"]));
    assert_eq!(changed["hidden"], "denied");
}

#[test]
fn invalid_manifest_does_not_end_watch() {
    let sandbox = Sandbox::project_here();
    let watch = watching(&sandbox, "");
    sandbox.write("skillpm.toml", "[dependencies\n");
    sandbox.write("skills/pdf/SKILL.md", skill_md("pdf", "Reads PDF."));
    watch.is_silent(Duration::from_millis(1500));
    sandbox.write("skillpm.toml", "[dependencies]\n");
    assert_eq!(next(&watch, &sandbox)["type"], "added");
}

#[test]
fn polling_reports_the_same_changes() {
    let sandbox = Sandbox::project_here();
    let watch = watching(&sandbox, "--poll=0.1");
    sandbox.write("skills/pdf/SKILL.md", skill_md("pdf", "Reads PDF."));
    assert_eq!(next(&watch, &sandbox)["type"], "added");
    sandbox.write("skills/pdf/notes.md", "x");
    assert_eq!(next(&watch, &sandbox)["aspects"], json!(["content"]));
    sandbox.delete("skills/pdf");
    assert_eq!(next(&watch, &sandbox)["type"], "removed");
}

#[test]
fn zero_interval_is_refused() {
    let sandbox = Sandbox::project_here();
    for pause in ["0", "-1", "inf"] {
        sandbox
            .skillpm(format!("watch --poll={pause}"))
            .exits(2)
            .explains(["--poll"]);
    }
}

#[test]
fn initial_state_comes_first_and_once_ends_watch() {
    let sandbox = Sandbox::project_here();
    sandbox.write("one/pdf/SKILL.md", skill_md("pdf", "Ours."));
    sandbox.write("two/pdf/SKILL.md", skill_md("pdf", "Theirs."));
    sandbox.write("two/bad/SKILL.md", "no frontmatter\n");
    let watch = watching(&sandbox, "--dir one --dir two --existing --once");
    let kinds: Vec<Value> = (0..3)
        .map(|_| next(&watch, &sandbox)["type"].clone())
        .collect();
    assert_eq!(kinds, ["added", "shadowed", "invalid"]);
    sandbox.delete("two/pdf");
    assert_eq!(next(&watch, &sandbox)["type"], "unshadowed");
    assert!(watch.ends().success());
}

#[test]
fn watch_ends_when_stdout_is_closed() {
    let sandbox = Sandbox::project_here();
    let mut watch = watching(&sandbox, "--poll=0.1");
    watch.stop_reading();
    // Changes that one poll finds are one line, and the first line is still read.
    for round in 0..60 {
        sandbox.write(
            "skills/pdf/SKILL.md",
            skill_md("pdf", &format!("Round {round}.")),
        );
        std::thread::sleep(Duration::from_millis(400));
        if watch.has_ended() {
            break;
        }
    }
    assert!(watch.ends().success());
}

#[test]
fn hostile_names_are_escaped() {
    let sandbox = Sandbox::project_here();
    let mut lines = sandbox.skillpm("watch --dir skills --existing");
    sandbox.write(
        "skills/x/SKILL.md",
        "---\nname: \"x\\e[31m\\u202E\"\ndescription: d\n---\n",
    );
    lines = lines.env("COLUMNS", "80");
    let line = lines.follow().line();
    assert_eq!(
        with_slashes(line).replace(&path_text(sandbox.root()), ""),
        "added      workspace x\\u{1b}[31m\\u{202e}  /project/skills/x/SKILL.md"
    );
}

#[test]
fn agent_directories_are_watched() {
    let sandbox = Sandbox::project_here();
    let watch = watching(&sandbox, "--agent claude-code");
    sandbox.write(
        ".agents/skills/pdf/SKILL.md",
        skill_md("pdf", "Not Claude's."),
    );
    watch.is_silent(Duration::from_millis(1200));
    sandbox.write(".claude/skills/pdf/SKILL.md", skill_md("pdf", "Claude's."));
    assert_eq!(
        next(&watch, &sandbox)["location"],
        "/project/.claude/skills/pdf/SKILL.md"
    );
}
