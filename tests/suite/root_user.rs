//! Root among the files of another user: nothing is written into that user's home, and what is created in a project of theirs
//! belongs to them.

#![cfg(unix)]

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use snapbox::str;

use crate::support::{Repo, Run, Sandbox, has_unix, pdf_and_csv, skipped};

/// The uid of [`Run::unprivileged`].
const USER: &str = "65534";

fn is_root() -> bool {
    if !has_unix("owners and permissions of others") {
        return false;
    }
    let is_root = rustix::process::geteuid().is_root();
    if !is_root {
        skipped("only root can work among the files of another user");
    }
    is_root
}

/// A project with `pdf` and `csv`, which, with the home, is another user's, and who has worked with skillpm.
fn of_another_user() -> (Sandbox, Repo) {
    let (sandbox, repo) = pdf_and_csv();
    repo.skill("skills/pdf", "Reads PDF better.")
        .skill("skills/txt", "Reads text.")
        .commit("second");
    sandbox.write_skill("mine", "Is mine.");
    sandbox.hand_over();
    sandbox.skillpm("install").unprivileged().exits(0);
    (sandbox, repo)
}

/// As `sudo` runs it that keeps `HOME`.
fn sudo<'s>(sandbox: &'s Sandbox, line: &str) -> Run<'s> {
    sandbox.skillpm(line).env("SUDO_UID", USER)
}

/// What of root's is at a path and below it.
fn roots_own(path: &Path) -> Vec<String> {
    let meta = path.symlink_metadata().unwrap();
    let mut found = Vec::new();
    if meta.uid() == 0 {
        found.push(path.display().to_string());
    }
    if meta.is_dir() {
        for entry in fs::read_dir(path).unwrap() {
            found.extend(roots_own(&entry.unwrap().path()));
        }
    }
    found
}

#[test]
fn root_writes_nothing_into_the_home_of_another_user() {
    if !is_root() {
        return;
    }
    let (sandbox, repo) = of_another_user();
    let (home, project) = (sandbox.tree("~/."), sandbox.tree("."));
    let add = format!("add {} --skill txt --branch main", repo.url());
    sudo(&sandbox, &add).exits(6).stderr(str![[r"
error: refusing to write to `[HOME]/.skillpm`
caused by: root would lock out user 65534, who owns `[HOME]/.skillpm`
help: run it without `sudo`; or, for root's own skills, with `sudo -H skillpm`
help: in a container, run `export SKILLPM_HOME=/root/.skillpm`

"]]);

    let global = add.replace("add ", "add -g ");
    for line in [
        add.as_str(),
        &global,
        "install --force",
        "update",
        "update -g",
        "remove pdf",
        "undo",
        "vendor",
        "lock",
        "config set registry.default x",
    ] {
        let outcome = sudo(&sandbox, line).exits_one_of([1, 6]);
        outcome.prints("root would lock out user 65534, who owns");
        outcome.prints("sudo -H skillpm");
    }
    // What only reads goes on, and leaves no caches of root's.
    for line in [
        "list",
        "verify",
        "tree",
        "catalog",
        "show pdf",
        "why pdf",
        "diff",
        "lint mine",
        "undo --list",
        "outdated",
    ] {
        sudo(&sandbox, line).exits(0);
    }
    sudo(&sandbox, "doctor --fix").exits_one_of([0, 1]);
    sudo(&sandbox, "cache clean").exits_one_of([0, 6]);
    sudo(&sandbox, "cache prune --older-than 0d").exits_one_of([0, 6]);

    assert_eq!(roots_own(&sandbox.path("~/.skillpm")), [""; 0]);
    assert_eq!(sandbox.tree("~/."), home);
    assert_eq!(sandbox.tree("."), project);
    sandbox.skillpm("undo").unprivileged().exits(0);
}

#[test]
fn home_that_does_not_exist_yet_is_not_made_by_root_either() {
    if !is_root() {
        return;
    }
    let (sandbox, repo) = of_another_user();
    sandbox.delete("~/.skillpm");
    sudo(&sandbox, &format!("add -g {} --all", repo.url()))
        .exits(6)
        .explains(["root would lock out user 65534, who owns `[HOME]`"]);
    sandbox.lacks(["~/.skillpm"]);

    // Root's own home, as `sudo -H` sets it, is another one.
    sudo(&sandbox, &format!("add -g {} --all", repo.url()))
        .home("root")
        .exits(0);
    sandbox.lacks(["~/.skillpm"]);
}

#[test]
fn root_writes_in_a_named_home_and_in_a_job_of_ci() {
    if !is_root() {
        return;
    }
    for (name, value) in [("SKILLPM_SAFE_DIRECTORIES", "*"), ("CI", "true")] {
        let (sandbox, repo) = of_another_user();
        // A first command of root's makes a key that both can use.
        sandbox.delete("~/.skillpm/state-key");
        let line = format!("add -g {} --skill txt", repo.url());
        for command in [&line, "update -g", "undo -g"] {
            sandbox.skillpm(command).env(name, value).exits(0);
        }
        sandbox.skillpm("install").unprivileged().exits(0);
    }
    // `sudo` in a job of CI is not its user.
    let (sandbox, repo) = of_another_user();
    let line = format!("add -g {} --skill txt", repo.url());
    sudo(&sandbox, &line).env("CI", "true").exits(6);
    // Nor do the settings of the home's owner say what root may do.
    sandbox.write("~/.skillpm/config.toml", "[safe]\ndirectories = [\"*\"]\n");
    sudo(&sandbox, &line).exits(6);
}

#[test]
fn files_of_root_in_a_project_of_another_user_are_theirs() {
    if !is_root() {
        return;
    }
    let (sandbox, repo) = of_another_user();
    let add = format!("add {} --skill txt --branch main", repo.url());
    for line in [
        add.as_str(),
        "add ./mine",
        "update",
        "patch txt",
        "vendor",
        "remove pdf",
        "undo",
        "config set --project vendor.use true",
        "propose csv --file new.md -j because",
        "new another",
        "install --force",
    ] {
        if line.starts_with("patch") {
            sandbox.edit(".agents/skills/txt/SKILL.md", "Reads", "Now reads");
        }
        if line.starts_with("propose") {
            let page = sandbox.read(".agents/skills/csv/SKILL.md");
            sandbox.write("new.md", page.replace("Reads", "Now reads"));
        }
        sandbox
            .skillpm(line)
            .home("root")
            .env("SKILLPM_SAFE_DIRECTORIES", "*")
            .exits(0);
        if line.starts_with("propose") {
            sandbox.delete("new.md");
        }
        assert_eq!(roots_own(&sandbox.path(".")), [""; 0], "{line}");
    }
    for line in ["list", "verify", "install", "remove csv"] {
        sandbox.skillpm(line).unprivileged().exits(0);
    }
}

#[test]
fn key_of_another_user_is_not_replaced() {
    if !is_root() {
        return;
    }
    let (sandbox, _repo) = of_another_user();
    let key = sandbox.path("~/.skillpm/state-key");
    let text = fs::read_to_string(&key).unwrap();
    std::os::unix::fs::lchown(&key, Some(0), Some(0)).unwrap();
    sandbox
        .skillpm("undo")
        .unprivileged()
        .exits(3)
        .stderr(str![[r#"
error: failed to check who wrote `[ROOT]/project/.skillpm/undo/00000000000000000001.json`
caused by: refusing to use the key `[HOME]/.skillpm/state-key`: user 0 owns it
help: if it is yours, run `sudo chown "$USER" '[HOME]/.skillpm/state-key'`
help: or set `SKILLPM_HOME` to a directory of your own

"#]]);
    sandbox
        .skillpm("remove pdf")
        .unprivileged()
        .exits(3)
        .explains(["state-key`: user 0 owns it"]);
    sandbox.skillpm("list").unprivileged().exits(0);
    assert_eq!(fs::read_to_string(&key).unwrap(), text);

    // As the help says.
    std::os::unix::fs::lchown(&key, Some(65534), Some(65534)).unwrap();
    sandbox.skillpm("undo").unprivileged().exits(0);
}

#[test]
fn key_that_others_may_read_or_that_is_none_is_refused_and_stays() {
    if !has_unix("owners and permissions of others") {
        return;
    }
    let (sandbox, _repo) = pdf_and_csv();
    let key = sandbox.path("~/.skillpm/state-key");
    let text = fs::read_to_string(&key).unwrap();
    sandbox
        .shell("chmod 644 ~/.skillpm/state-key")
        .status()
        .unwrap();
    sandbox
        .skillpm("remove pdf")
        .exits(3)
        .explains(["other users may read or write it", "chmod 600 '"]);
    assert_eq!(fs::read_to_string(&key).unwrap(), text);
    sandbox
        .shell("chmod 600 ~/.skillpm/state-key")
        .status()
        .unwrap();

    fs::write(&key, "torn").unwrap();
    sandbox
        .skillpm("remove pdf")
        .exits(3)
        .explains(["it is not a key that skillpm wrote", "rm '"]);
    assert_eq!(fs::read_to_string(&key).unwrap(), "torn");

    fs::write(&key, text).unwrap();
    sandbox.skillpm("undo").exits(0);
}
