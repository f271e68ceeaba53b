//! `outdated`: what is newer than the lockfile, without changing anything.

use snapbox::str;

use crate::git_references::versions;
use crate::support::Sandbox;

#[test]
fn outdated_names_the_newest_compatible_and_the_newest() {
    let sandbox = Sandbox::project_here();
    let repo = versions(&sandbox);
    sandbox
        .skillpm(format!("add {} --skill pdf --version ^1", repo.url()))
        .exits(0);
    repo.skill("skills/pdf", "Reads PDF 1.2.0.")
        .commit("1.2.0")
        .tag("v1.2.0");
    let snapshot = sandbox.snapshot();
    let outcome = sandbox.skillpm("outdated").exits(0);
    outcome.stdout(str![[r"
name  locked  fits   newest  source
pdf   1.1.0   1.2.0  2.0.0   file://[ROOT]/repos/skills

"]]);
    snapshot.still_holds();
}

#[test]
fn exit_code_flag_returns_1_if_anything_is_outdated() {
    let sandbox = Sandbox::project_here();
    let repo = versions(&sandbox);
    sandbox
        .skillpm(format!("add {} --skill pdf --version ^2", repo.url()))
        .exits(0);
    sandbox.skillpm("outdated --exit-code").exits(0);
    repo.skill("skills/pdf", "Reads PDF 2.1.0.")
        .commit("2.1.0")
        .tag("v2.1.0");
    sandbox
        .skillpm("outdated --exit-code")
        .exits(1)
        .stdout_has("2.1.0");
    sandbox.skillpm("outdated").exits(0);
}

#[test]
fn branch_with_new_commits_is_outdated() {
    let sandbox = Sandbox::project_here();
    let repo = sandbox.repo_with("pdf");
    sandbox
        .skillpm(format!("add {} --skill pdf --branch main", repo.url()))
        .exits(0);
    repo.skill("skills/pdf", "Reads PDF better.")
        .commit("second");
    sandbox
        .skillpm("outdated --exit-code")
        .exits(1)
        .stdout_has("pdf");
}

#[test]
fn outdated_has_json_lines() {
    let sandbox = Sandbox::project_here();
    let repo = versions(&sandbox);
    sandbox
        .skillpm(format!("add {} --skill pdf --version =1.0.0", repo.url()))
        .exits(0);
    let lines = sandbox
        .skillpm("outdated --format json")
        .exits(0)
        .stdout_json_lines();
    assert!(
        lines
            .iter()
            .any(|line| line["name"] == "pdf" && line.to_string().contains("2.0.0")),
        "{lines:?}"
    );
}
