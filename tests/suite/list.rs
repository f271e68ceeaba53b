//! `list`: what is installed, by tier.

use snapbox::str;

use crate::git_references::versions;
use crate::support::Sandbox;

#[test]
fn list_shows_names_and_versions() {
    let sandbox = Sandbox::project_here();
    let repo = versions(&sandbox);
    sandbox
        .skillpm(format!("add {} --skill pdf --version ^1", repo.url()))
        .exits(0);
    sandbox.skillpm("list").exits(0).stdout(str![[r"
workspace  pdf             1.1.0  Reads PDF 1.1.0.
bundled    skillpm         0.1.0  [..]
bundled    writing-skills  0.1.0  [..]

"]]);
}

#[test]
fn list_shows_hand_made_skills_too() {
    let sandbox = Sandbox::project_here();
    sandbox.write_skill(".agents/skills/mine", "Made by hand.");
    sandbox.skillpm("list").exits(0).stdout_has("mine");
}

#[test]
fn list_shows_the_tier_of_each_skill() {
    let sandbox = Sandbox::project_here();
    sandbox.write_skill("here", "In the project.");
    sandbox.write_skill("everywhere", "For the user.");
    sandbox.skillpm("add ./here").exits(0);
    sandbox.skillpm("add ./everywhere -g").exits(0);
    let lines = sandbox
        .skillpm("list --format json")
        .exits(0)
        .stdout_json_lines();
    let tier = |name: &str| {
        lines
            .iter()
            .find(|line| line["name"] == name)
            .map(|line| line["tier"].clone())
    };
    assert_eq!(tier("here"), Some("workspace".into()), "{lines:?}");
    assert_eq!(tier("everywhere"), Some("managed".into()), "{lines:?}");
}

#[test]
fn list_works_without_a_project() {
    let sandbox = Sandbox::new();
    sandbox.write_skill("~/.agents/skills/mine", "Made by hand.");
    sandbox.skillpm("list").exits(0).stdout_has("mine");
    assert!(sandbox.tree(".").is_empty());
}
