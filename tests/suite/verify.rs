//! `verify`: every installed byte against the lockfile.

use crate::support::{Repo, Sandbox, has_unix};

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
fn fresh_installation_is_verified() {
    let (sandbox, repo) = installed();
    repo.delete();
    sandbox.skillpm("verify").exits(0);
}

#[test]
fn edited_file_is_named() {
    let (sandbox, _repo) = installed();
    sandbox.write(".agents/skills/pdf/references/a.md", "b\n");
    sandbox.skillpm("verify").exits(1).prints("references/a.md");
}

#[test]
fn edit_with_the_same_length_and_time_is_detected() {
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
fn missing_and_added_files_are_named() {
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
fn lost_executable_bit_is_a_difference() {
    use std::os::unix::fs::PermissionsExt;
    if !has_unix("executable files") {
        return;
    }
    let (sandbox, _repo) = installed();
    let path = sandbox.path(".agents/skills/pdf/SKILL.md");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    sandbox.skillpm("verify").exits(1).prints("SKILL.md");
}

#[test]
fn missing_skill_is_named() {
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
