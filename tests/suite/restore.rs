//! The edits of one skill are discarded, after a backup; those of the others stay.

use snapbox::str;

use crate::support::{Sandbox, pdf_and_csv};

const PDF: &str = ".agents/skills/pdf/SKILL.md";
const CSV: &str = ".agents/skills/csv/SKILL.md";

#[test]
fn edits_of_the_named_skill_alone_are_discarded() {
    let (sandbox, _repo) = pdf_and_csv();
    let before = sandbox.read(PDF);
    sandbox.edit(PDF, "Reads PDF.", "Reads my PDF.");
    sandbox.edit(CSV, "Reads CSV.", "Reads my CSV.");
    sandbox.write(".agents/skills/pdf/.venv/pyvenv.cfg", "version = 3\n");
    sandbox.write(".agents/skills/pdf/notes.md", "Mine.\n");
    let edited = sandbox.read(CSV);

    sandbox
        .skillpm("restore pdf --dry-run")
        .exits(0)
        .stderr(str![[r"
Would restore pdf ca4bc848
warning: `.agents/skills/csv` has local edits, and is left unchanged
help: run `skillpm diff` to see the edits, `skillpm patch NAME` to save or `skillpm restore NAME` to discard them
    Dry run: nothing was changed

"]]);
    assert!(sandbox.read(PDF).contains("my PDF"));
    sandbox
        .skillpm("restore pdf")
        .exits(0)
        .stdout("")
        .stderr(str![[r"
    Restored pdf ca4bc848
warning: `.agents/skills/csv` has local edits, and is left unchanged
help: run `skillpm diff` to see the edits, `skillpm patch NAME` to save or `skillpm restore NAME` to discard them
   Skills in .agents/skills

"]]);

    sandbox.reads(PDF, &before);
    sandbox.reads(CSV, &edited);
    sandbox.has([".agents/skills/pdf/.venv/pyvenv.cfg"]);
    sandbox.lacks([".agents/skills/pdf/notes.md"]);
    sandbox.skillpm("undo").exits(0);
    assert!(sandbox.read(PDF).contains("my PDF"));
    sandbox.reads(".agents/skills/pdf/notes.md", "Mine.\n");
}

#[test]
fn saved_edits_stay_and_unsaved_ones_go() {
    let (sandbox, _repo) = pdf_and_csv();
    sandbox.edit(PDF, "Reads PDF.", "Reads my PDF.");
    sandbox.skillpm("patch pdf").exits(0);
    let saved = sandbox.read(PDF);
    sandbox.edit(PDF, "my PDF", "no PDF");
    sandbox.skillpm("restore pdf").exits(0).stderr(str![[r"
warning: `pdf` keeps the edits that are saved in its patch file
help: `skillpm patch pdf --drop` discards them, too
    Restored pdf ca4bc848
   Skills in .agents/skills

"]]);
    sandbox.reads(PDF, &saved);
    sandbox.skillpm("verify").exits(0);
}

#[test]
fn every_copy_of_a_skill_is_restored_also_a_deleted_one() {
    let sandbox = Sandbox::project_here();
    let repo = sandbox.repo_with("pdf");
    sandbox
        .skillpm(format!(
            "add {} --agent claude-code --agent kiro-cli",
            repo.url()
        ))
        .exits(0);
    let before = sandbox.read(PDF);
    sandbox.write(PDF, "broken");
    sandbox.edit(".claude/skills/pdf/SKILL.md", "#", "# Another");
    sandbox.delete(".kiro/skills/pdf");

    sandbox.skillpm("restore pdf").exits(0);
    for file in [
        PDF,
        ".claude/skills/pdf/SKILL.md",
        ".kiro/skills/pdf/SKILL.md",
    ] {
        sandbox.reads(file, &before);
    }
    sandbox.skillpm("verify").exits(0);
}

#[test]
fn unknown_skill_is_refused_before_another_is_restored() {
    let (sandbox, _repo) = pdf_and_csv();
    sandbox.edit(PDF, "Reads PDF.", "Reads my PDF.");
    let snapshot = sandbox.snapshot();
    sandbox.skillpm("restore pdf pdff").exits(1).stderr(str![[r"
error: package `pdff` not found in the lockfile
help: did you mean `pdf`?

"]]);
    snapshot.still_holds();
}
