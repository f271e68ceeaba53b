//! Skills of a source that are outside of the directories that are searched: `add --all` and `info` count them.

use snapbox::str;

use crate::support::{Repo, Sandbox};

/// A repository with a skill at the usual place, and others elsewhere.
fn scattered(sandbox: &Sandbox) -> Repo {
    let repo = Repo::new(sandbox, "skills");
    repo.skill("skills/pdf", "Works on PDF files.")
        .skill("plugins/a/skills/csv", "Reads CSV.")
        .skill("plugins/b/skills/git", "Writes commits.")
        .skill("tests/fixtures/broken", "Is a test.")
        .skill("skills.old/pdf", "Works on PDF.")
        .skill("my examples/demo", "Is an example.")
        .skill("node_modules/p/skills/npm", "Is of another package.")
        // A copy is no skill of its own.
        .skill("plugins/a/skills/pdf", "Works on PDF files.")
        .commit("skills");
    repo
}

#[test]
fn skills_that_are_left_out_are_counted() {
    let sandbox = Sandbox::new();
    let repo = scattered(&sandbox);
    sandbox
        .skillpm(format!("add {} --all", repo.url()))
        .exits(0)
        .stderr(str![[r"
    Fetching file://[ROOT]/repos/skills
warning: 5 skills are left out, outside of the directories that are searched: `plugins` (2), `my examples` (1), `skills.old` (1), 1 other directory
help: `skillpm add file://[ROOT]/repos/skills --path plugins --all --keep-going` adds those in `plugins`
     Created [ROOT]/project/skillpm.toml
   Installed pdf 78392015
      Locked 1 skill in skillpm.lock
   Skills in .agents/skills

"]]);
    sandbox
        .skillpm(format!("info {} --skill pdf", repo.url()))
        .exits(0)
        .never_prints("left out");

    sandbox
        .skillpm(format!(
            "add {} --path plugins --all --keep-going",
            repo.url()
        ))
        .exits(0)
        .stderr(str![[r"
    Fetching file://[ROOT]/repos/skills
warning: skipped: conflicting dependency `pdf`: it is already added from another source
   Installed csv 78392015
   Installed git 78392015
      Locked 3 skills in skillpm.lock
   Skills in .agents/skills

"]]);
    sandbox.has([".agents/skills/csv/SKILL.md", ".agents/skills/git/SKILL.md"]);
}

#[test]
fn command_for_the_skills_that_are_left_out_works() {
    for (reference, command) in [
        ("", ""),
        ("--branch next", "--branch next "),
        ("--tag v1.0.0", "--tag v1.0.0 "),
        ("--version ^1", "--version ^1 "),
    ] {
        let sandbox = Sandbox::new();
        let repo = Repo::new(&sandbox, "skills");
        repo.skill("skills/pdf", "Works on PDF files.")
            .skill("my examples/demo", "Is an example.")
            .commit("skills")
            .tag("v1.0.0")
            .git(&["branch", "next"]);
        let url = repo.url();
        let command = format!("skillpm add {url} {command}--path 'my examples' --all --keep-going");
        sandbox
            .skillpm(format!("add {url} --all {reference}"))
            .exits(0)
            .stderr_has(&command.replace(sandbox.root().to_str().unwrap(), "[ROOT]"));
        sandbox
            .skillpm(command.trim_start_matches("skillpm "))
            .exits(0);
        sandbox.has([".agents/skills/demo/SKILL.md"]);
    }
}

#[test]
fn repository_without_skills_at_the_usual_places_leaves_none_out() {
    let sandbox = Sandbox::new();
    let repo = Repo::new(&sandbox, "skills");
    repo.skill("a/one", "Is one.")
        .skill("b/two", "Is two.")
        .skill("node_modules/p/npm", "Is of another package.")
        .commit("skills");
    sandbox
        .skillpm(format!("add {} --all", repo.url()))
        .exits(0)
        .never_prints("left out");
}
