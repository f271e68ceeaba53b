//! `verify`: every installed byte against the lockfile.

use crate::support::{Repo, Sandbox};

fn installed() -> (Sandbox, Repo) {
    let sandbox = Sandbox::project_here();
    let repo = sandbox.repo_with("pdf");
    repo.write("skills/pdf/references/a.md", "a\n")
        .commit("more");
    sandbox
        .skillpm(format!("add {} --skill pdf", repo.url()))
        .exits(0);
    sandbox.has([".agents/skills/pdf/references/a.md"]);
    (sandbox, repo)
}

#[test]
fn what_was_just_installed_is_right() {
    let (sandbox, repo) = installed();
    repo.delete();
    sandbox.skillpm("verify").exits(0);
}

#[test]
fn an_edited_file_is_named() {
    let (sandbox, _repo) = installed();
    sandbox.write(".agents/skills/pdf/references/a.md", "b\n");
    sandbox.skillpm("verify").exits(1).prints("references/a.md");
}

#[test]
fn an_edit_of_the_same_length_and_time_is_noticed() {
    let (sandbox, _repo) = installed();
    let path = sandbox.path(".agents/skills/pdf/references/a.md");
    let time = std::fs::metadata(&path).unwrap().modified().unwrap();
    std::fs::write(&path, "b\n").unwrap();
    std::fs::File::options()
        .write(true)
        .open(&path)
        .unwrap()
        .set_modified(time)
        .unwrap();
    sandbox.skillpm("verify").exits(1).prints("references/a.md");
}

#[test]
fn a_missing_and_an_added_file_are_named() {
    let (sandbox, _repo) = installed();
    sandbox.delete(".agents/skills/pdf/references/a.md");
    sandbox.write(".agents/skills/pdf/extra.md", "x\n");
    sandbox
        .skillpm("verify")
        .exits(1)
        .prints("references/a.md")
        .prints("extra.md");
}

#[cfg(unix)]
#[test]
fn a_lost_executable_bit_is_drift() {
    use std::os::unix::fs::PermissionsExt;
    let (sandbox, _repo) = installed();
    let path = sandbox.path(".agents/skills/pdf/SKILL.md");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    sandbox.skillpm("verify").exits(1).prints("SKILL.md");
}

#[test]
fn a_skill_that_is_not_installed_is_named() {
    let (sandbox, _repo) = installed();
    sandbox.delete(".agents/skills/pdf");
    sandbox.skillpm("verify").exits(1).prints("pdf");
}

#[test]
fn verify_changes_nothing() {
    let (sandbox, _repo) = installed();
    sandbox.write(".agents/skills/pdf/references/a.md", "b\n");
    let snapshot = sandbox.snapshot();
    sandbox.skillpm("verify").exits(1);
    snapshot.still_holds();
}
