//! `init` and `new`: the two ways to begin.

use serde_json::json;
use snapbox::str;

use crate::support::{Sandbox, published};

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
fn new_skill_cannot_be_published_before_it_is_written() {
    let (sandbox, registry) = published();
    sandbox.skillpm("new tidy").exits(0);
    let page = "tidy/SKILL.md";
    assert!(!sandbox.read(page).contains("license"));
    sandbox.skillpm("lint tidy").exits(0).stdout(str![[r#"
warning[SK308]: `TODO` is a template's placeholder (description-placeholder)
 --> tidy/SKILL.md:3:15
  |
3 | description: "TODO: say what the skill does, then when to use it, in the words that users and error messages have."
  |               ^^^^
  |
  = help: say what the skill does and when to use it

warning[SK308]: `Replace the description above first` is a template's placeholder (description-placeholder)
  --> tidy/SKILL.md:10:1
   |
10 | Replace the description above first: it alone decides when an agent opens this file. Then replace each section below, and
   | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
   |
   = help: replace the section, or delete it


"#]]);
    sandbox.skillpm("lint tidy --profile publish").exits(1);
    let snapshot = sandbox.snapshot();
    sandbox.skillpm("publish tidy").exits(1).stderr(str![[r"
error: cannot publish `[ROOT]/project/tidy`: 2 findings are errors
  SKILL.md:3:15: `TODO` is a template's placeholder (description-placeholder)
  SKILL.md:10:1: `Replace the description above first` is a template's placeholder (description-placeholder)
help: say what the skill does and when to use it
help: replace the section, or delete it

"]]);
    snapshot.still_holds();
    let before = registry.versions();

    // With a description of its own the sections are still the template's.
    let text = sandbox.read(page);
    let (_, body) = text.split_once("metadata:").unwrap();
    let head =
        "---\nname: tidy\ndescription: Tidies a directory. Use when files lie about.\nmetadata:";
    sandbox.write(page, format!("{head}{body}"));
    sandbox.skillpm("publish tidy").exits(1).stderr(str![[r"
error: cannot publish `[ROOT]/project/tidy`: one finding is an error
  SKILL.md:10:1: `Replace the description above first` is a template's placeholder (description-placeholder)
help: replace the section, or delete it

"]]);
    sandbox.write(
        page,
        format!("{head}\n  version: \"0.1.0\"\n---\n# Tidy\n\nMove each file to its place.\n"),
    );
    assert_eq!(registry.versions(), before);
    sandbox.skillpm("publish tidy").exits(0);
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
