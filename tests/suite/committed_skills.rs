//! Projects that commit their skills: git changes installed files together with the lockfile.

use crate::support::{Repo, Sandbox};

/// A project under git with `pdf`, committed with its files.
fn committed(sandbox: &Sandbox) -> Repo {
    let repo = sandbox.repo_with("pdf");
    git(sandbox, "init -q -b main");
    sandbox.write(".gitignore", ".skillpm/\n");
    sandbox
        .skillpm(format!("add {} --skill pdf", repo.url()))
        .exits(0);
    commit(sandbox, "one");
    repo
}

fn git(sandbox: &Sandbox, arguments: &str) {
    let script = format!("git -c user.name=a -c user.email=a@acme.dev {arguments}");
    let mut git = sandbox.shell(&script);
    let status = git.current_dir(sandbox.path(".")).status().unwrap();
    assert!(status.success(), "{arguments}");
}

fn commit(sandbox: &Sandbox, message: &str) {
    git(sandbox, "add -A");
    git(sandbox, &format!("commit -qm {message}"));
}

/// Updates to a new page of the skill.
fn update(sandbox: &Sandbox, repo: &Repo, text: &str) {
    repo.skill("skills/pdf", text).commit(text);
    sandbox.skillpm("update").exits(0);
    sandbox.skillpm("verify").exits(0);
}

#[test]
fn pulled_skills_have_no_edits() {
    let sandbox = Sandbox::project_here();
    let repo = committed(&sandbox);
    // As by a teammate: the state here still knows the first version.
    let state = std::fs::read(sandbox.path(".skillpm/state.json")).unwrap();
    update(&sandbox, &repo, "Reads PDF, second.");
    commit(&sandbox, "two");
    std::fs::write(sandbox.path(".skillpm/state.json"), state).unwrap();

    sandbox.skillpm("verify").exits(0);
    repo.skill("skills/pdf", "Reads PDF, third.")
        .commit("third");
    sandbox.skillpm("update").exits(0).stderr_has("Updated pdf");
    assert!(
        sandbox
            .read(".agents/skills/pdf/SKILL.md")
            .contains("third")
    );
    sandbox.skillpm("verify").exits(0);
}

#[test]
fn skills_of_another_branch_are_updated_and_removed() {
    let sandbox = Sandbox::project_here();
    let repo = committed(&sandbox);
    git(&sandbox, "checkout -qb topic");
    update(&sandbox, &repo, "Reads PDF, second.");
    commit(&sandbox, "two");

    // Back where the lockfile and the files are older than the state.
    git(&sandbox, "checkout -q main");
    sandbox.skillpm("update").exits(0).stderr_has("Updated pdf");
    sandbox.skillpm("verify").exits(0);
    git(&sandbox, "checkout -q .");
    sandbox.skillpm("remove pdf").exits(0);
    sandbox.lacks([".agents/skills/pdf"]);
}

#[test]
fn edit_after_a_checkout_is_an_edit() {
    let sandbox = Sandbox::project_here();
    let repo = committed(&sandbox);
    update(&sandbox, &repo, "Reads PDF, second.");
    git(&sandbox, "checkout -q .");
    let page = sandbox.read(".agents/skills/pdf/SKILL.md");
    sandbox.write(".agents/skills/pdf/SKILL.md", format!("{page}\nMine.\n"));
    sandbox.skillpm("remove pdf").exits(1);
    assert!(
        sandbox
            .read(".agents/skills/pdf/SKILL.md")
            .contains("Mine.")
    );
}
