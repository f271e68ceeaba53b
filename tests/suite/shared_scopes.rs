//! A project and `--global` with one directory: neither changes nor removes what the other has installed.

use snapbox::str;

use crate::support::{Repo, Sandbox};

const SKILL: &str = "~/.agents/skills/pdf/SKILL.md";

/// A home directory that is a project, and a repository with the skill `pdf`.
fn project_in_home() -> (Sandbox, Repo) {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo_with("pdf");
    sandbox.write("~/skillpm.toml", "[dependencies]\n");
    (sandbox, repo)
}

/// Runs a command in the home directory.
fn at_home<'s>(sandbox: &'s Sandbox, line: &str) -> crate::support::Run<'s> {
    sandbox.skillpm(line).in_dir(sandbox.path("~/"))
}

fn add(repo: &Repo, flags: &str) -> String {
    format!("add {} --skill pdf --branch main {flags}", repo.url())
}

#[test]
fn skill_of_both_scopes_stays_until_both_removed_it() {
    for (first, second) in [("", "-g"), ("-g", "")] {
        let (sandbox, repo) = project_in_home();
        at_home(&sandbox, &add(&repo, first)).exits(0);
        at_home(&sandbox, &add(&repo, second)).exits(0);

        at_home(&sandbox, &format!("remove pdf {second}"))
            .exits(0)
            .stderr_has("which belongs to");
        sandbox.has([SKILL]);
        at_home(&sandbox, &format!("verify {first}")).exits(0);
        at_home(&sandbox, &format!("install --locked {first}")).exits(0);

        at_home(&sandbox, &format!("remove pdf {first}")).exits(0);
        sandbox.lacks([SKILL]);
    }
}

#[test]
fn other_version_is_refused_in_either_scope() {
    for (first, second) in [("", "-g"), ("-g", "")] {
        let (sandbox, repo) = project_in_home();
        at_home(&sandbox, &add(&repo, first)).exits(0);
        let text = sandbox.read(SKILL);
        repo.skill("skills/pdf", "Does it better.").commit("second");

        for flags in ["", " --force"] {
            let line = add(&repo, second) + flags;
            let refused = at_home(&sandbox, &line).exits(1);
            if second.is_empty() {
                refused.stderr(str![[r"
    Fetching file://[ROOT]/repos/skills
error: refusing to change `.agents/skills/pdf`: it belongs to your own skills (`--global`), too
help: to have it in one of the two only, run `skillpm remove --global pdf`, or remove it here

"]]);
            } else {
                refused.stderr(str![[r"
    Fetching file://[ROOT]/repos/skills
error: refusing to change `[HOME]/.agents/skills/pdf`: it belongs to the project in `[HOME]`, too
help: to have it in one of the two only, run `skillpm -C '[HOME]' remove pdf`, or remove it here

"]]);
            }
        }
        sandbox.reads(SKILL, &text);
        at_home(&sandbox, &format!("verify {first}")).exits(0);
        // By itself, it is updated as ever.
        at_home(&sandbox, &format!("update {first}")).exits(0);
        assert_ne!(sandbox.read(SKILL), text);
    }
}

#[test]
fn update_in_one_scope_leaves_the_version_of_the_other() {
    let (sandbox, repo) = project_in_home();
    at_home(&sandbox, &add(&repo, "")).exits(0);
    at_home(&sandbox, &add(&repo, "-g")).exits(0);
    let text = sandbox.read(SKILL);
    repo.skill("skills/pdf", "Does it better.").commit("second");

    for line in ["update", "update -g", "update --force"] {
        at_home(&sandbox, line).exits(1);
        sandbox.reads(SKILL, &text);
    }
    at_home(&sandbox, "remove pdf").exits(0);
    at_home(&sandbox, "update -g").exits(0);
    assert_ne!(sandbox.read(SKILL), text);
}

#[test]
fn edits_stay_when_one_of_both_scopes_removes_the_skill() {
    let (sandbox, repo) = project_in_home();
    at_home(&sandbox, &add(&repo, "")).exits(0);
    at_home(&sandbox, &add(&repo, "-g")).exits(0);
    let edited = sandbox.read(SKILL) + "Mine.\n";
    sandbox.write(SKILL, &edited);

    at_home(&sandbox, "install --force").exits(1);
    at_home(&sandbox, "remove pdf --force").exits(0);
    sandbox.reads(SKILL, &edited);
    sandbox.lacks(["~/.skillpm/backup"]);
}

#[test]
fn undo_leaves_what_the_other_scope_has() {
    let (sandbox, repo) = project_in_home();
    at_home(&sandbox, &add(&repo, "")).exits(0);
    at_home(&sandbox, &add(&repo, "-g")).exits(0);
    at_home(&sandbox, "undo").exits(0);
    sandbox.has([SKILL]);
    at_home(&sandbox, "verify -g").exits(0);

    // The project's update, which the other has now, too.
    let (sandbox, repo) = project_in_home();
    at_home(&sandbox, &add(&repo, "")).exits(0);
    repo.skill("skills/pdf", "Does it better.").commit("second");
    at_home(&sandbox, "update").exits(0);
    at_home(&sandbox, &add(&repo, "-g")).exits(0);
    let text = sandbox.read(SKILL);
    at_home(&sandbox, "undo").exits(1).stderr(str![[r"
error: cannot undo `skillpm update`: `.agents/skills/pdf` belongs to your own skills (`--global`), too
  undoing it would replace it; nothing was changed
help: to have it in one of the two only, run `skillpm remove --global pdf`

"]]);
    sandbox.reads(SKILL, &text);
}

/// What is locked counts where the state of the other scope is lost.
#[test]
fn lost_state_of_the_other_scope_changes_nothing() {
    let (sandbox, repo) = project_in_home();
    at_home(&sandbox, &add(&repo, "-g")).exits(0);
    sandbox.delete("~/.skillpm/state");
    at_home(&sandbox, &add(&repo, "")).exits(0);
    at_home(&sandbox, "remove pdf").exits(0);
    sandbox.has([SKILL]);
    at_home(&sandbox, "verify -g").exits(0);
}

#[test]
fn own_directory_inside_a_project_is_shared_with_it() {
    let sandbox = Sandbox::project_here();
    let repo = sandbox.repo_with("pdf");
    let dir = sandbox.path(".agents/skills");
    sandbox
        .skillpm(format!("config set managed.dir {}", dir.display()))
        .exits(0);
    sandbox.skillpm(add(&repo, "")).exits(0);
    sandbox.skillpm(add(&repo, "-g")).exits(0);

    sandbox.skillpm("remove pdf -g").exits(0);
    sandbox.skillpm("verify").exits(0);
    sandbox.has([".agents/skills/pdf/SKILL.md"]);
}

#[test]
#[cfg(unix)]
fn linked_directory_is_the_one_that_it_leads_to() {
    let sandbox = Sandbox::project_here();
    let repo = sandbox.repo_with("pdf");
    sandbox.skillpm(add(&repo, "")).exits(0);
    std::fs::create_dir(sandbox.path("~/.agents")).unwrap();
    std::os::unix::fs::symlink(
        sandbox.path(".agents/skills"),
        sandbox.path("~/.agents/skills"),
    )
    .unwrap();

    sandbox.skillpm(add(&repo, "-g")).exits(0);
    sandbox.skillpm("remove pdf -g").exits(0);
    sandbox.skillpm("verify").exits(0);
    sandbox.has([".agents/skills/pdf/SKILL.md"]);
}

/// Other directories, other skills: nothing is shared, and each does what it always did.
#[test]
fn scopes_with_their_own_directories_are_apart() {
    let sandbox = Sandbox::project_here();
    let repo = sandbox.repo_with("pdf");
    sandbox.skillpm(add(&repo, "-g")).exits(0);
    sandbox.skillpm(add(&repo, "")).exits(0);
    sandbox
        .skillpm("remove pdf")
        .exits(0)
        .never_prints("belongs to");
    sandbox.lacks([".agents/skills/pdf"]);
    sandbox.has([SKILL]);
}
