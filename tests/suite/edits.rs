//! Nobody's edits are lost, whatever the command.

use crate::support::{Repo, Sandbox};

const EDITED: &str = ".agents/skills/pdf/SKILL.md";

/// A project with `pdf` and `csv` installed, and a line of the user's own in `pdf`.
fn edited() -> (Sandbox, Repo) {
    let sandbox = Sandbox::project_here();
    let repo = Repo::new(&sandbox, "skills");
    repo.skill("skills/pdf", "Reads PDF.").skill("skills/csv", "Reads CSV.").commit("first");
    sandbox.skillpm(format!("add {} --all --branch main", repo.url())).exits(0);
    sandbox.write(EDITED, format!("{}\nMine.\n", sandbox.read(EDITED)));
    (sandbox, repo)
}

#[test]
fn install_leaves_an_edited_skill_alone_and_says_so() {
    let (sandbox, _repo) = edited();
    let snapshot = sandbox.snapshot();
    sandbox.skillpm("install").exits(0).stderr_has("pdf");
    snapshot.still_holds();
}

#[test]
fn adding_another_skill_leaves_an_edited_one_alone() {
    let (sandbox, _repo) = edited();
    sandbox.write_skill("xml", "Reads XML.");
    let before = sandbox.read(EDITED);
    sandbox.skillpm("add ./xml").exits(0);
    sandbox.has([".agents/skills/xml/SKILL.md"]);
    sandbox.reads(EDITED, &before);
}

#[test]
fn updating_another_skill_leaves_an_edited_one_alone() {
    let (sandbox, repo) = edited();
    let before = sandbox.read(EDITED);
    repo.skill("skills/csv", "Reads CSV better.").commit("second");
    sandbox.skillpm("update csv").exits(0);
    assert!(sandbox.read(".agents/skills/csv/SKILL.md").contains("better"));
    sandbox.reads(EDITED, &before);
}

#[test]
fn updating_an_edited_skill_loses_nothing_and_locks_nothing_that_is_not_there() {
    let (sandbox, repo) = edited();
    let old = sandbox.locked_commit("pdf");
    repo.skill("skills/pdf", "Reads PDF better.").commit("second");
    sandbox.skillpm("update pdf").exits_one_of([0, 1]).stderr_has("pdf");
    let text = sandbox.read(EDITED);
    assert!(text.ends_with("Mine.\n"), "{text}");
    assert_eq!(text.contains("better"), sandbox.locked_commit("pdf") != old, "lockfile and disk disagree");
}

#[test]
fn removing_an_edited_skill_is_refused() {
    let (sandbox, _repo) = edited();
    let snapshot = sandbox.snapshot();
    sandbox.skillpm("remove pdf").exits(1).explains(["pdf", "SKILL.md"]);
    snapshot.still_holds();
}

#[test]
fn an_edit_outlives_the_loss_of_skillpm_s_state() {
    let (sandbox, _repo) = edited();
    let before = sandbox.read(EDITED);
    sandbox.delete(".skillpm");
    let _ = sandbox.skillpm("install").exits_one_of([0, 1]);
    sandbox.reads(EDITED, &before);
}

#[test]
fn edits_in_two_targets_are_both_saved_when_force_takes_them_away() {
    let sandbox = Sandbox::project_here();
    sandbox.write_skill("pdf", "Works on PDF files.");
    sandbox.skillpm("add ./pdf --target claude-code").exits(0);
    for target in [".agents", ".claude"] {
        let file = format!("{target}/skills/pdf/SKILL.md");
        let text = sandbox.read(&file);
        sandbox.write(&file, format!("{text}mine in {target}\n"));
    }
    sandbox.skillpm("remove pdf").exits(1).explains(["pdf", "--force"]);
    sandbox.skillpm("remove pdf --force").exits(0);
    sandbox.lacks([".agents/skills/pdf", ".claude/skills/pdf"]);
    let saved = sandbox.tree(".skillpm/backup");
    for target in [".agents", ".claude"] {
        let kept = saved.paths().into_iter().find(|path| path.ends_with(&format!("{target}/skills/pdf/SKILL.md")));
        let kept = kept.unwrap_or_else(|| panic!("nothing of {target} in {saved:?}"));
        assert!(sandbox.read(&format!(".skillpm/backup/{kept}")).ends_with(&format!("mine in {target}\n")));
    }
}

#[test]
fn install_force_restores_what_was_edited_and_saves_the_edit() {
    let sandbox = Sandbox::project_here();
    sandbox.write_skill("pdf", "Works on PDF files.");
    sandbox.skillpm("add ./pdf").exits(0);
    let text = sandbox.read(".agents/skills/pdf/SKILL.md");
    sandbox.write(".agents/skills/pdf/SKILL.md", "mine");
    sandbox.skillpm("install").exits(0).stderr_has("was edited");
    sandbox.skillpm("install --force").exits(0).stderr_has("Restored pdf");
    sandbox.reads(".agents/skills/pdf/SKILL.md", &text);
    sandbox.skillpm("verify").exits(0);
}
