//! obra/superpowers: 14 skills under 33 version tags.

use crate::support::{Listing, Repo, Sandbox};

/// `brainstorming` at `^3`, in a project of its own.
fn at_three() -> Option<(Sandbox, Repo)> {
    let sandbox = Sandbox::project_here();
    let repo = Repo::from_bundle(&sandbox, "superpowers")?;
    sandbox
        .skillpm(format!(
            "add {} --skill brainstorming --version ^3",
            repo.url()
        ))
        .exits(0);
    Some((sandbox, repo))
}

#[test]
fn newest_version_3_is_locked_by_tag_and_full_commit() {
    let Some((sandbox, repo)) = at_three() else {
        return;
    };
    assert_eq!(sandbox.locked("brainstorming", "version"), "3.6.2");
    assert_eq!(
        sandbox.locked("brainstorming", "source"),
        format!("git+{}?tag=v3.6.2#{}", repo.url(), repo.commit_of("v3.6.2"))
    );
    let text = repo.git(&["show", "v3.6.2:skills/brainstorming/SKILL.md"]);
    assert_eq!(
        sandbox.read(".agents/skills/brainstorming/SKILL.md").trim(),
        text
    );
}

#[test]
fn raised_requirement_is_updated_to_the_newest() {
    let Some((sandbox, repo)) = at_three() else {
        return;
    };
    sandbox.edit("skillpm.toml", "^3", "^6");
    sandbox.skillpm("update").exits(0).stderr_has("6.2.0");
    assert_eq!(
        sandbox.locked_commit("brainstorming"),
        repo.commit_of("v6.2.0")
    );
    sandbox.skillpm("verify").exits(0);
}

#[test]
fn fresh_clone_gets_identical_bytes() {
    let Some((sandbox, _repo)) = at_three() else {
        return;
    };
    let clone = sandbox.fresh_clone("clone");
    sandbox
        .skillpm("install --locked")
        .in_dir(&clone)
        .home("elsewhere")
        .exits(0);
    assert_eq!(Listing::of(&clone.join(".agents")), sandbox.tree(".agents"));
    sandbox
        .skillpm("verify")
        .in_dir(&clone)
        .home("elsewhere")
        .exits(0);
}

#[test]
fn deleted_origin_is_restored_from_the_store() {
    let Some((sandbox, repo)) = at_three() else {
        return;
    };
    let before = sandbox.tree(".agents");
    repo.delete();
    sandbox.delete(".agents");
    sandbox.skillpm("install --offline").exits(0);
    assert_eq!(sandbox.tree(".agents"), before);
    sandbox.skillpm("verify").exits(0);
}

#[test]
fn outdated_names_the_newest_compatible_and_the_newest() {
    let Some((sandbox, repo)) = at_three() else {
        return;
    };
    sandbox
        .skillpm("update brainstorming --precise 3.4.1")
        .exits(0);
    assert_eq!(
        sandbox.locked_commit("brainstorming"),
        repo.commit_of("v3.4.1")
    );
    sandbox
        .skillpm("outdated")
        .exits(0)
        .stdout_has("3.4.1")
        .stdout_has("3.6.2")
        .stdout_has("6.2.0");
}

#[test]
fn removed_skill_is_reported_with_the_versions_that_have_it() {
    let Some((sandbox, repo)) = at_three() else {
        return;
    };
    let snapshot = sandbox.snapshot();
    let line = format!("add {} --skill root-cause-tracing --version ^6", repo.url());
    sandbox
        .skillpm(line)
        .exits(1)
        .explains(["root-cause-tracing"]);
    snapshot.still_holds();
    sandbox
        .skillpm(format!(
            "add {} --skill root-cause-tracing --version ^3",
            repo.url()
        ))
        .exits(0);
}
