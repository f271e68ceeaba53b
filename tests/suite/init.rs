//! `init` and `new`: the two ways to begin.

use serde_json::json;

use crate::support::Sandbox;

#[test]
fn init_writes_a_manifest_with_empty_dependencies() {
    let sandbox = Sandbox::new();
    sandbox.skillpm("init").exits(0);
    assert!(
        sandbox.manifest()["dependencies"]
            .as_table()
            .unwrap()
            .is_empty()
    );
}

#[test]
fn init_refuses_an_existing_manifest() {
    let sandbox = Sandbox::new();
    sandbox.write("skillpm.toml", "# ours\n");
    let snapshot = sandbox.snapshot();
    sandbox.skillpm("init").exits(2).explains(["skillpm.toml"]);
    snapshot.still_holds();
}

#[test]
fn init_works_in_the_named_directory() {
    let sandbox = Sandbox::new();
    sandbox.write("inner/README.md", "");
    sandbox.skillpm("-C inner init").exits(0);
    sandbox.has(["inner/skillpm.toml"]);
    sandbox.lacks(["skillpm.toml"]);
}

#[test]
fn new_makes_a_skill_that_can_be_added() {
    let sandbox = Sandbox::project_here();
    sandbox.skillpm("new pdf-forms").exits(0);
    assert!(
        sandbox
            .read("pdf-forms/SKILL.md")
            .starts_with("---\nname: pdf-forms\ndescription: ")
    );
    sandbox.skillpm("add ./pdf-forms").exits(0);
    sandbox.has([".agents/skills/pdf-forms/SKILL.md"]);
}

#[test]
fn beginnings_are_reported_as_json_lines() {
    let sandbox = Sandbox::new();
    let line = |arguments: &str| {
        let command = format!("{arguments} --format json");
        sandbox.skillpm(command).exits(0).stdout_json()
    };
    let ends = |value: &serde_json::Value, end: &str| value.as_str().unwrap().ends_with(end);

    let init = line("init --no-detect");
    assert_eq!(
        (&init["type"], &init["detected"]),
        (&"initialized".into(), &json!([]))
    );
    assert!(ends(&init["path"], "skillpm.toml"), "{init}");

    let new = line("new pdf");
    assert_eq!(
        (&new["type"], &new["name"], &new["format"]),
        (&"created".into(), &"pdf".into(), &"skill-md".into())
    );
    assert!(ends(&new["path"], "pdf/SKILL.md"), "{new}");

    let set = line("config set net.offline true");
    assert_eq!(
        (&set["type"], &set["key"], &set["value"]),
        (
            &"setting-changed".into(),
            &"net.offline".into(),
            &"true".into()
        )
    );
    assert!(ends(&set["path"], "config.toml"), "{set}");
}

#[test]
fn new_replaces_nothing() {
    let sandbox = Sandbox::new();
    sandbox.write("pdf/SKILL.md", "mine\n");
    let snapshot = sandbox.snapshot();
    sandbox
        .skillpm("new pdf")
        .exits_one_of([1, 2])
        .explains(["pdf"]);
    snapshot.still_holds();
}

#[test]
fn new_refuses_a_path_as_name() {
    let sandbox = Sandbox::new();
    let snapshot = sandbox.snapshot();
    sandbox
        .skillpm("new ../evil")
        .exits(2)
        .explains(["../evil"]);
    snapshot.still_holds();
    sandbox.lacks(["../evil"]);
}

#[test]
fn new_offers_the_nearest_valid_name() {
    let sandbox = Sandbox::new();
    sandbox
        .skillpm("new 'PDF Forms'")
        .exits(2)
        .explains(["`pdf-forms`"]);
}
