//! `remove`: out of the manifest, the lockfile and the disk, with what only it needed.

use snapbox::str;

use crate::support::{Repo, Sandbox};

/// A project with `pdf` and `csv` of one repository.
fn two_skills() -> (Sandbox, Repo) {
    let sandbox = Sandbox::project_here();
    let repo = Repo::new(&sandbox, "skills");
    repo.skill("skills/pdf", "Reads PDF.")
        .skill("skills/csv", "Reads CSV.")
        .commit("first");
    sandbox
        .skillpm(format!("add {} --all", repo.url()))
        .exits(0);
    assert_eq!(sandbox.tree(".agents/skills").top(), ["csv", "pdf"]);
    (sandbox, repo)
}

#[test]
fn remove_deletes_from_manifest_lockfile_and_disk() {
    let (sandbox, _repo) = two_skills();
    sandbox.skillpm("remove pdf").exits(0).stderr_has("pdf");
    assert!(sandbox.manifest()["dependencies"].get("pdf").is_none());
    assert!(!sandbox.read("skillpm.lock").contains("\"pdf\""));
    assert_eq!(sandbox.tree(".agents/skills").top(), ["csv"]);
    sandbox.skillpm("verify").exits(0);
}

#[test]
fn remove_works_without_the_origin() {
    let (sandbox, repo) = two_skills();
    repo.delete();
    sandbox.skillpm("remove pdf --offline").exits(0);
    assert_eq!(sandbox.tree(".agents/skills").top(), ["csv"]);
}

#[test]
fn remove_keeps_comments_of_the_manifest() {
    let sandbox = Sandbox::new();
    let before = "# ours\n[dependencies]\n# the house's style\nstyle = { path = \"./style\" }\n\n[install]\n# as agents want it\ndir = \".agents/skills\"\n";
    sandbox.write("skillpm.toml", before);
    sandbox.write_skill("style", "House style.");
    sandbox.write_skill("pdf", "Reads PDF.");
    sandbox.skillpm("add ./pdf").exits(0);
    sandbox.has([".agents/skills/pdf/SKILL.md"]);
    sandbox.skillpm("remove pdf").exits(0);
    sandbox.reads("skillpm.toml", before);
}

#[test]
fn skill_that_others_require_is_not_removed() {
    let sandbox = Sandbox::project_here();
    crate::dependency_tree::write_chain(&sandbox);
    sandbox.skillpm("add ./alpha").exits(0);
    let snapshot = sandbox.snapshot();
    sandbox.skillpm("remove beta").exits(1).stderr(str![[r"
error: refusing to remove `beta`: `alpha` requires it
help: to remove it with what requires it, run `skillpm remove alpha`

"]]);
    snapshot.still_holds();

    // Directly or not, and by two.
    sandbox.skillpm("add release").exits(0);
    sandbox
        .skillpm("remove commit-messages")
        .exits(1)
        .stderr(str![[r"
error: refusing to remove `commit-messages`: `release` requires it
help: to remove it with what requires it, run `skillpm remove release`

"]]);
    sandbox.skillpm("add writing-release-notes").exits(0);
    sandbox
        .skillpm("remove changelog commit-messages")
        .exits(1)
        .stderr(str![[r"
error: refusing to remove `changelog`: `release` requires it
help: to remove it with what requires it, run `skillpm remove release`

"]]);
    // Once required by the manifest, too, its entry goes and the skill stays.
    sandbox.skillpm("add changelog").exits(0);
    sandbox.skillpm("remove changelog").exits(0).stderr(str![[r"
       Saved skillpm.toml; no other changes needed

"]]);
}

#[test]
fn remove_deletes_unneeded_dependencies() {
    let sandbox = Sandbox::project_here();
    crate::dependency_tree::write_chain(&sandbox);
    sandbox.skillpm("add ./alpha").exits(0);
    assert_eq!(sandbox.tree(".agents/skills").top(), ["alpha", "beta"]);
    sandbox.skillpm("remove alpha").exits(0);
    assert!(
        sandbox.tree(".agents/skills").is_empty(),
        "{:?}",
        sandbox.tree(".agents/skills")
    );
}

#[test]
fn remove_keeps_dependencies_of_other_skills() {
    let sandbox = Sandbox::project_here();
    crate::dependency_tree::write_chain(&sandbox);
    sandbox.skillpm("add ./alpha ./beta").exits(0);
    sandbox.skillpm("remove alpha").exits(0);
    assert_eq!(sandbox.tree(".agents/skills").top(), ["beta"]);
}

#[test]
fn remove_of_an_unknown_skill_changes_nothing() {
    let (sandbox, _repo) = two_skills();
    let snapshot = sandbox.snapshot();
    sandbox
        .skillpm("remove pfd")
        .exits_one_of([1, 2])
        .stderr(str![[r"
error: dependency `pfd` not found in the manifest
help: did you mean `pdf`?

"]]);
    snapshot.still_holds();
}

#[test]
fn unknown_package_has_the_nearest_name_in_every_command() {
    let (sandbox, _repo) = two_skills();
    let snapshot = sandbox.snapshot();
    for command in [
        "update pfd",
        "update pfd --precise 1.0.0",
        "remove pfd",
        "diff pfd",
        "diff pfd --to 1.0.0",
        "patch pfd",
        "patch pfd --drop",
        "why pfd",
    ] {
        let help = "help: did you mean `pdf`?";
        sandbox.skillpm(command).exits(1).stderr_has(help);
    }
    snapshot.still_holds();
}

#[test]
fn unknown_package_with_a_scope_has_the_nearest_one() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "skillpm.toml",
        "[dependencies]\n\"acme/pdf\" = \"^1.0\"\n\"acme/csv\" = \"^1.0\"\n",
    );
    sandbox
        .skillpm("remove acme/pfd")
        .exits(1)
        .stderr_has("help: did you mean `acme/pdf`?");
}

#[test]
fn file_added_by_hand_survives_remove() {
    let (sandbox, _repo) = two_skills();
    sandbox.write(".agents/skills/pdf/my-notes.txt", "mine\n");
    let _ = sandbox.skillpm("remove pdf").exits_one_of([0, 1]);
    sandbox.reads(".agents/skills/pdf/my-notes.txt", "mine\n");
}

#[test]
fn hostile_lockfile_cannot_make_remove_delete_other_files() {
    let (sandbox, _repo) = two_skills();
    sandbox.write("src/main.rs", "fn main() {}\n");
    let lock = sandbox
        .read("skillpm.lock")
        .replace("name = \"pdf\"", "name = \"../../src\"");
    sandbox.write("skillpm.lock", lock);
    let snapshot = sandbox.snapshot();
    sandbox
        .skillpm("remove pdf")
        .exits_one_of([1, 2, 3])
        .explains(["skillpm.lock"]);
    snapshot.still_holds();
}
