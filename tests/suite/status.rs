//! `skillpm` alone, and `status`: what is here and what comes next.

use serde_json::{Value, json};
use snapbox::str;

use crate::sparse_registry::served;
use crate::support::Sandbox;

fn status(sandbox: &Sandbox) -> Value {
    sandbox
        .skillpm("status --format json")
        .exits(0)
        .stdout_json()
}

/// The suggested commands.
fn next(sandbox: &Sandbox) -> Vec<String> {
    let report = status(sandbox);
    let next = report["next"].as_array().unwrap();
    next.iter()
        .map(|next| next["command"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn program_alone_shows_what_is_here() {
    let sandbox = Sandbox::new();
    let alone = sandbox.skillpm("").exits(0);
    alone.stdout(str![[r"
Project  none here yet
Skills   2 bundled with skillpm

  skillpm add       search for a skill and add it
  skillpm new NAME  write a skill of your own
  skillpm help      list all commands

"]]);
    sandbox
        .skillpm("status")
        .exits(0)
        .stdout(alone.stdout_text());
}

#[test]
fn project_is_compared_with_its_lockfile() {
    let sandbox = Sandbox::new();
    sandbox.write("CLAUDE.md", "# Notes\n");
    sandbox
        .skillpm("add release --target claude-code --no-detect")
        .exits(0);
    let report = status(&sandbox);
    assert_eq!(report["project"]["required"], 1);
    assert_eq!(report["project"]["locked"], 4);
    assert_eq!(report["project"]["missing"], json!([]));
    assert_eq!(report["skills"], json!({"workspace": 4, "bundled": 2}));
    assert_eq!(report["agents"][0]["id"], "claude-code");
    assert_eq!(report["agents"][0]["sees"], 4);

    let file = ".agents/skills/release/SKILL.md";
    sandbox.write(file, sandbox.read(file) + "One more step.\n");
    sandbox.delete(".claude/skills/changelog");
    let report = status(&sandbox);
    assert_eq!(report["project"]["edited"], json!(["release"]));
    assert_eq!(report["project"]["missing"], json!(["changelog"]));
    assert_eq!(
        next(&sandbox),
        [
            "skillpm install",
            "skillpm diff release",
            "skillpm patch release"
        ]
    );
}

#[test]
fn newer_versions_are_those_that_the_cache_knows() {
    let sandbox = Sandbox::project_here();
    let (server, index) = served(&sandbox);
    sandbox.skillpm("add acme/pdf --registry acme").exits(0);
    index.publish("acme/pdf", "1.3.0", &["acme/base ^1"]);
    server.forget();
    assert_eq!(status(&sandbox)["project"]["outdated"], json!([]));
    assert_eq!(server.requests().len(), 0);

    sandbox.skillpm("outdated").exits(0);
    server.forget();
    assert_eq!(
        status(&sandbox)["project"]["outdated"][0]["compatible"],
        "1.3.0"
    );
    assert_eq!(next(&sandbox)[0], "skillpm update");
    sandbox
        .skillpm("")
        .exits(0)
        .stdout_has("Updates  pdf 1.2.0 -> 1.3.0\n");
    assert_eq!(server.requests().len(), 0);

    // What is not in the cache is not guessed.
    sandbox.delete("~/.skillpm/index");
    assert_eq!(status(&sandbox)["project"]["unknown"], 1);
}

#[test]
fn nothing_is_changed() {
    let sandbox = Sandbox::project_here();
    sandbox.write_skill(".claude/skills/pdf", "Reads PDF.");
    sandbox.skillpm("status").exits(0);
    let snapshot = sandbox.snapshot();
    sandbox.skillpm("status").exits(0);
    snapshot.still_holds();
}

#[test]
fn skills_without_a_manifest_can_be_imported() {
    let sandbox = Sandbox::new();
    sandbox.write_skill(".claude/skills/pdf", "Reads PDF.");
    sandbox.write_skill(".claude/skills/csv", "Reads CSV.");
    assert_eq!(
        status(&sandbox)["unmanaged"],
        json!([{"directory": ".claude/skills", "names": ["csv", "pdf"]}])
    );
    assert_eq!(next(&sandbox)[0], "skillpm import");

    for line in ["install", "update"] {
        let snapshot = sandbox.snapshot();
        sandbox.skillpm(line).exits(2).stderr(str![[r"
error: could not find `skillpm.toml` in `[ROOT]/project` or any parent directory
  `.claude/skills` has 2 skills without a manifest: csv, pdf
help: `skillpm init` creates one here; `--global` uses your own skills instead
help: `skillpm import` takes over those that other tools installed; your own need no manifest

"]]);
        snapshot.still_holds();
    }
    // Your own skills need no manifest in the project.
    sandbox
        .skillpm("install -g")
        .exits_one_of([0, 1, 2])
        .never_prints("import");
}

#[test]
fn invalid_manifest_is_reported() {
    let sandbox = Sandbox::new();
    sandbox.write("skillpm.toml", "[dependencies\n");
    sandbox.skillpm("").exits(2).stderr_has("skillpm.toml:1");
}
