//! What a command did can be undone, with the edits that were there; and nothing that came later is lost by it.

use crate::support::{Repo, Sandbox, pdf_and_csv};

const PAGE: &str = ".agents/skills/pdf/SKILL.md";

#[test]
fn an_update_is_undone_with_skills_lockfile_and_edits() {
    let (sandbox, repo) = pdf_and_csv();
    sandbox.write(".agents/skills/pdf/notes.md", "Mine.\n");
    let (page, lock) = (sandbox.read(PAGE), sandbox.read("skillpm.lock"));
    repo.skill("skills/pdf", "Reads PDF better.").skill("skills/csv", "Reads CSV better.").commit("second");
    sandbox.skillpm("update").exits(0);
    assert!(sandbox.read(PAGE).contains("better"));
    let after = sandbox.snapshot();
    sandbox.skillpm("undo --dry-run").exits(0).stderr_has("Would undo update");
    after.still_holds();
    sandbox.skillpm("undo").exits(0).stderr_has("Undid update").stderr_has("csv, pdf");
    sandbox.reads(PAGE, &page);
    sandbox.reads(".agents/skills/pdf/notes.md", "Mine.\n");
    sandbox.reads("skillpm.lock", &lock);
    sandbox.skillpm("install").exits(0).stderr_has("`.agents/skills/pdf` was edited, and stays as it is");
    sandbox.skillpm("update").exits(0);
    assert!(sandbox.read(PAGE).contains("better"));
}

#[test]
fn each_undo_goes_one_command_back_and_the_first_leaves_nothing() {
    let sandbox = Sandbox::project_here();
    let manifest = sandbox.read("skillpm.toml");
    let repo = Repo::new(&sandbox, "skills");
    repo.skill("skills/pdf", "Reads PDF.").commit("first");
    sandbox.skillpm(format!("add {} --branch main", repo.url())).exits(0);
    sandbox.write_skill("xml", "Reads XML.");
    sandbox.skillpm("add ./xml").exits(0);
    sandbox.skillpm("remove pdf").exits(0);
    sandbox.lacks([PAGE]);
    let listed = sandbox.skillpm("undo --list").exits(0).stdout_text().to_owned();
    let told: Vec<&str> = listed.lines().map(|line| line.split(" of ").next().unwrap()).collect();
    assert_eq!(told, ["remove", "add", "add"], "{listed}");
    sandbox.skillpm("undo").exits(0);
    sandbox.has([PAGE, ".agents/skills/xml/SKILL.md"]);
    sandbox.skillpm("undo").exits(0);
    sandbox.lacks([".agents/skills/xml"]);
    sandbox.skillpm("verify").exits(0);
    sandbox.skillpm("undo").exits(0);
    sandbox.lacks([PAGE, "skillpm.lock"]);
    sandbox.reads("skillpm.toml", &manifest);
    sandbox.skillpm("undo").exits(1).explains(["nothing to undo"]);
}

#[test]
fn what_was_changed_since_is_not_lost() {
    let (sandbox, repo) = pdf_and_csv();
    repo.skill("skills/pdf", "Reads PDF better.").commit("second");
    sandbox.skillpm("update").exits(0);
    sandbox.write(PAGE, format!("{}\nMine.\n", sandbox.read(PAGE)));
    let snapshot = sandbox.snapshot();
    sandbox.skillpm("undo").exits(1).explains(["`.agents/skills/pdf` was changed after `skillpm update`"]);
    snapshot.still_holds();
}

#[test]
fn what_force_replaced_comes_back() {
    let (sandbox, _repo) = pdf_and_csv();
    sandbox.write(PAGE, "mine");
    sandbox.skillpm("install --force").exits(0);
    assert_ne!(sandbox.read(PAGE), "mine");
    sandbox.skillpm("undo").exits(0).stderr_has("Reverted .agents/skills/pdf");
    sandbox.reads(PAGE, "mine");
}

#[test]
fn programs_are_told_what_was_undone() {
    let (sandbox, _repo) = pdf_and_csv();
    sandbox.skillpm("remove csv").exits(0);
    let listed = sandbox.skillpm("undo --list --format json").exits(0).stdout_text().to_owned();
    assert!(listed.starts_with(r#"{"type":"undoable","command":"remove","at":"#), "{listed}");
    let undone = sandbox.skillpm("undo --format json").exits(0).stdout_text().to_owned();
    assert!(undone.starts_with(r#"{"type":"undone","command":"remove","at":"#), "{undone}");
    assert!(undone.contains(r#""path":".agents/skills/csv","name":"csv","before":"skill-tree-v1:"#), "{undone}");
    assert!(
        undone.contains(r#""after":null"#) && undone.contains(r#""files":["skillpm.lock","skillpm.toml"]"#),
        "{undone}"
    );
}
