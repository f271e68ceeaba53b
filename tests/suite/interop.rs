//! Defects that were seen in other tools, and the opposite here.

use snapbox::str;

use crate::support::{Repo, Sandbox, pdf_and_csv};

const PAGE: &str = ".agents/skills/pdf/SKILL.md";

/// Appends a line of the user's own to `pdf`.
fn edit(sandbox: &Sandbox) -> String {
    let text = format!("{}\nMine.\n", sandbox.read(PAGE));
    sandbox.write(PAGE, &text);
    text
}

#[test]
fn reading_commands_change_no_edited_or_outdated_skill() {
    let (sandbox, repo) = pdf_and_csv();
    sandbox.skillpm("install").exits(0);
    edit(&sandbox);
    repo.skill("skills/pdf", "Reads PDF better.")
        .commit("second");
    let snapshot = sandbox.snapshot();
    for (command, code) in [
        ("outdated", 0),
        ("outdated --exit-code", 1),
        ("verify", 1),
        ("diff", 0),
        ("diff pdf --to latest", 0),
        ("list", 0),
        ("tree", 0),
        ("why pdf", 0),
        ("catalog", 0),
        ("show pdf", 0),
        ("update --dry-run", 0),
        ("install --dry-run", 0),
        ("patch pdf --dry-run", 0),
        ("undo --dry-run", 1),
    ] {
        sandbox.skillpm(command).exits(code);
        snapshot.still_holds();
    }
}

#[test]
fn update_without_news_keeps_edit_and_lockfile() {
    let (sandbox, _repo) = pdf_and_csv();
    let text = edit(&sandbox);
    sandbox.skillpm("install").exits(0);
    let snapshot = sandbox.snapshot();
    sandbox
        .skillpm("update")
        .exits(0)
        .stderr_has("`.agents/skills/pdf` has local edits, and is left unchanged");
    sandbox.skillpm("update pdf --latest").exits(0);
    snapshot.still_holds();
    sandbox.reads(PAGE, &text);
}

#[test]
fn forged_checksum_is_refused_and_never_corrected() {
    let (sandbox, _repo) = pdf_and_csv();
    let lock = sandbox.read("skillpm.lock");
    let at = lock.find("checksum = \"skill-tree-v1:").unwrap() + 26;
    let forged = format!("{}{}{}", &lock[..at], "0".repeat(64), &lock[at + 64..]);
    for gone in [".agents", ".skillpm", "~/.skillpm"] {
        sandbox.delete(gone);
    }
    sandbox.write("skillpm.lock", &forged);
    for command in ["install", "install --locked", "lock --locked", "update pdf"] {
        sandbox.skillpm(command).exits_one_of([0, 1, 3]);
        sandbox.reads("skillpm.lock", &forged);
    }
    sandbox.skillpm("install").exits(3).stderr(str![[r"
    Fetching file://[ROOT]/repos/skills
error: checksum mismatch for `csv`: it is not the locked package
  locked   [SUM]
  fetched  [SUM]
help: nothing was installed; if the change is intended, run `skillpm update csv`

"]]);
    sandbox.lacks([".agents"]);
}

#[test]
fn removed_tag_requirement_follows_the_default_branch() {
    let sandbox = Sandbox::project_here();
    let repo = Repo::new(&sandbox, "skills");
    repo.skill("skills/pdf", "Reads PDF.").commit("first");
    repo.tag("stable");
    repo.skill("skills/pdf", "Reads PDF better.")
        .commit("second");
    sandbox
        .skillpm(format!("add {} --skill pdf --tag stable", repo.url()))
        .exits(0);
    assert_ne!(sandbox.locked_commit("pdf"), repo.head());
    sandbox.edit("skillpm.toml", ", tag = \"stable\"", "");
    sandbox.skillpm("install --locked").exits(1);
    sandbox.skillpm("install").exits(0);
    assert_eq!(sandbox.locked_commit("pdf"), repo.head());
    assert!(!sandbox.read("skillpm.lock").contains("stable"));
    assert!(sandbox.read(PAGE).contains("better"));
}

#[test]
fn frozen_needs_no_origin_and_no_network() {
    let (sandbox, repo) = pdf_and_csv();
    let (before, lock) = (sandbox.tree(".agents"), sandbox.read("skillpm.lock"));
    repo.delete();
    sandbox.delete(".agents");
    sandbox.delete(".skillpm");
    sandbox.skillpm("install --frozen").exits(0);
    assert_eq!(sandbox.tree(".agents"), before);
    sandbox.reads("skillpm.lock", &lock);
    sandbox.skillpm("verify").exits(0);
}

#[test]
fn committed_skills_need_no_origin_store_or_network() {
    let (sandbox, repo) = pdf_and_csv();
    let before = sandbox.tree(".agents");
    repo.delete();
    sandbox.delete(".skillpm");
    sandbox.delete("~/.skillpm");
    sandbox.skillpm("install --frozen").exits(0);
    sandbox.skillpm("verify").exits(0);
    assert_eq!(sandbox.tree(".agents"), before);
}

#[test]
fn update_of_one_of_fourteen_skills_moves_only_that_one() {
    let Some((sandbox, repo)) = fourteen() else {
        return;
    };
    let (before, lock) = (sandbox.tree(".agents"), sandbox.read("skillpm.lock"));
    let manifest = sandbox.read("skillpm.toml");
    let line = manifest
        .lines()
        .find(|line| line.starts_with("brainstorming"))
        .unwrap();
    sandbox.write(
        "skillpm.toml",
        manifest.replace(line, &line.replace("~6.0", "^6.2")),
    );
    sandbox.skillpm("update brainstorming").exits(0);
    assert_eq!(
        sandbox.locked_commit("brainstorming"),
        repo.commit_of("v6.2.0")
    );
    let text = sandbox.read("skillpm.lock");
    assert_eq!(text.matches("[[package]]").count(), 14);
    let moved: Vec<&str> = text
        .split("[[package]]\n")
        .filter(|package| !lock.contains(package))
        .filter_map(|package| package.lines().next())
        .collect();
    assert_eq!(moved, ["name = \"brainstorming\""]);
    let after = sandbox.tree(".agents");
    assert_ne!(after, before);
    let is_named = |path: &str| path.starts_with("skills/brainstorming/");
    assert_eq!(after.without(is_named), before.without(is_named));
}

/// A project with all skills of superpowers at 6.0, each with an entry of its own.
fn fourteen() -> Option<(Sandbox, Repo)> {
    let sandbox = Sandbox::project_here();
    let repo = Repo::from_bundle(&sandbox, "superpowers")?;
    sandbox
        .skillpm(format!("add {} --all --version ~6.0", repo.url()))
        .exits(0);
    Some((sandbox, repo))
}
