//! What somebody may not read or write: told with its place and the reason, and nothing is changed; what only looks, works.

#![cfg(unix)]

use crate::support::{Listing, Others, Repo, Sandbox, has_unix, skill_md};

const DENIED: &str = "ermission denied (os error 13)";

/// Somebody's project with `pdf`, of which there is a newer version, a skill of their own, and one that could be added.
fn project() -> (Sandbox, Repo) {
    let sandbox = Sandbox::project_here();
    let repo = Repo::new(&sandbox, "skills");
    repo.skill("skills/pdf", "Is old.")
        .skill("skills/csv", "Reads tables.")
        .commit("first");
    sandbox.write_skill("mine", "Is mine.");
    sandbox.write("mine/data.txt", "data\n");
    sandbox
        .skillpm(format!("add {} --skill pdf --branch main", repo.url()))
        .exits(0);
    repo.skill("skills/pdf", "Is new.").commit("second");
    sandbox.hand_over();
    // Handing over changes how files look; this reads them once more.
    sandbox.skillpm("install").unprivileged().exits(0);
    (sandbox, repo)
}

/// All that is there but skillpm's own notes.
fn seen(sandbox: &Sandbox) -> Listing {
    sandbox
        .tree(".")
        .without(|path| path.starts_with(".skillpm/"))
}

/// The commands that change something, here.
fn changing(repo: &Repo) -> [String; 4] {
    let add = format!("add {} --skill csv --branch main", repo.url());
    [
        add,
        "add ./mine".into(),
        "update".into(),
        "remove pdf".into(),
    ]
}

/// Those that look.
const LOOKING: [&str; 7] = [
    "list", "verify", "tree", "catalog", "show pdf", "why pdf", "install",
];

/// Fails unless the command says that this may not be done, and changes nothing.
#[track_caller]
fn is_denied(sandbox: &Sandbox, line: &str, place: &str) {
    let told = sandbox.skillpm(line).unprivileged().exits(6);
    told.explains([place, DENIED]);
}

#[track_caller]
fn look(sandbox: &Sandbox) {
    for line in LOOKING {
        sandbox.skillpm(line).unprivileged().exits(0);
    }
}

/// Fails unless what was forbidden is all that was amiss.
#[track_caller]
fn is_whole(sandbox: &Sandbox, before: &Listing) {
    assert_eq!(seen(sandbox), *before);
    sandbox.hand_over();
    sandbox.skillpm("update").unprivileged().exits(0);
    assert!(
        sandbox
            .read(".agents/skills/pdf/SKILL.md")
            .contains("Is new.")
    );
    sandbox.skillpm("verify").unprivileged().exits(0);
    assert!(
        !sandbox
            .tree(".")
            .paths()
            .iter()
            .any(|path| path.contains("stage") || path.contains("journal"))
    );
}

#[test]
fn read_only_project_is_read_and_unchanged() {
    let (sandbox, repo) = project();
    let before = seen(&sandbox);
    sandbox.write("~/.skillpm/config.toml", "[safe]\ndirectories = [\"*\"]\n");
    let forbidden = sandbox.is_another_s(".", Others::Read);
    for line in changing(&repo)
        .iter()
        .map(String::as_str)
        .chain(["vendor", "new other", "undo"])
    {
        is_denied(&sandbox, line, "[ROOT]/project/");
    }
    look(&sandbox);
    sandbox.skillpm("lint mine").unprivileged().exits(0);
    sandbox.skillpm("outdated").unprivileged().exits(0);
    drop(forbidden);
    is_whole(&sandbox, &before);
}

#[test]
fn read_only_project_root_is_named() {
    let (sandbox, repo) = project();
    let before = seen(&sandbox);
    let forbidden = sandbox.forbid(".", 0o555);
    for line in changing(&repo) {
        is_denied(&sandbox, &line, "[ROOT]/project/skillpm.lock");
    }
    // What goes is named, and not where it would have gone.
    is_denied(&sandbox, "undo", "failed to move `[ROOT]/project/skillpm.");
    // A full disk is no reason, and the place is shown.
    sandbox
        .skillpm("undo")
        .unprivileged()
        .exits(6)
        .stderr_has("help: nothing was changed; `ls -ld ")
        .never_prints("free space");
    look(&sandbox);
    drop(forbidden);
    is_whole(&sandbox, &before);
}

#[test]
fn unreadable_lockfile_or_manifest_is_named_by_every_command() {
    for file in ["skillpm.lock", "skillpm.toml"] {
        let (sandbox, _repo) = project();
        let before = seen(&sandbox);
        let forbidden = sandbox.forbid(file, 0o000);
        for line in [
            "install",
            "list",
            "verify",
            "tree",
            "update",
            "remove pdf",
            "add ./mine",
            "catalog",
            "sbom",
        ] {
            is_denied(
                &sandbox,
                line,
                &format!("failed to read `[ROOT]/project/{file}`"),
            );
        }
        sandbox
            .skillpm("doctor")
            .unprivileged()
            .exits(1)
            .prints(file);
        drop(forbidden);
        is_whole(&sandbox, &before);
    }
}

#[test]
fn store_of_another_user_is_read_but_not_written() {
    let (sandbox, repo) = project();
    let before = seen(&sandbox);
    let forbidden = sandbox.is_another_s("~/.skillpm/store", Others::Read);
    for line in [
        &format!("add {} --skill csv --branch main", repo.url()),
        "add ./mine",
        "update",
    ] {
        is_denied(&sandbox, line, "[HOME]/.skillpm/store");
    }
    look(&sandbox);
    sandbox.skillpm("diff").unprivileged().exits(0);
    // What is in it is enough for what the lockfile says.
    std::fs::remove_dir_all(sandbox.path(".agents")).unwrap();
    sandbox.skillpm("install --offline").unprivileged().exits(0);
    drop(forbidden);
    is_whole(&sandbox, &before);
}

#[test]
fn unreadable_store_of_another_user_is_named() {
    let (sandbox, _repo) = project();
    let before = seen(&sandbox);
    let store = sandbox.tree("~/.skillpm/store");
    let forbidden = sandbox.is_another_s("~/.skillpm/store", Others::Nothing);
    for line in ["add ./mine", "update", "diff", "cache verify"] {
        is_denied(&sandbox, line, "[HOME]/.skillpm/store");
    }
    look(&sandbox);
    drop(forbidden);
    assert_eq!(sandbox.tree("~/.skillpm/store"), store);
    is_whole(&sandbox, &before);
}

#[test]
fn unreadable_store_copy_is_not_reported_as_damaged() {
    let (sandbox, _repo) = project();
    let store = sandbox.tree("~/.skillpm/store/sha256");
    let file = store
        .paths()
        .into_iter()
        .find(|path| path.ends_with("SKILL.md"))
        .unwrap();
    let forbidden = sandbox.forbid(&format!("~/.skillpm/store/sha256/{file}"), 0o000);
    std::fs::remove_dir_all(sandbox.path(".agents")).unwrap();
    let told = sandbox.skillpm("install").unprivileged().exits(6);
    told.explains(["SKILL.md", DENIED]).never_prints("damaged");
    drop(forbidden);
    assert_eq!(sandbox.tree("~/.skillpm/store/sha256"), store);
    sandbox.skillpm("install --offline").unprivileged().exits(0);
}

#[test]
fn read_only_skills_directory_is_named() {
    let (sandbox, repo) = project();
    let before = seen(&sandbox);
    let forbidden = sandbox.forbid(".agents/skills", 0o555);
    for (line, place) in changing(&repo).iter().zip(["csv", "mine", "pdf", "pdf"]) {
        is_denied(
            &sandbox,
            line,
            &format!("`[ROOT]/project/.agents/skills/{place}`"),
        );
    }
    look(&sandbox);
    drop(forbidden);
    assert_eq!(seen(&sandbox), before);
    let forbidden = sandbox.forbid(".agents/skills/pdf", 0o555);
    for line in ["update", "remove pdf"] {
        is_denied(&sandbox, line, "`[ROOT]/project/.agents/skills/pdf`");
    }
    look(&sandbox);
    drop(forbidden);
    is_whole(&sandbox, &before);
}

#[test]
fn read_only_home_stops_no_reading_command() {
    let (sandbox, repo) = project();
    let before = seen(&sandbox);
    sandbox.delete("~/.skillpm");
    let forbidden = sandbox.is_another_s("../home", Others::Read);
    for line in &changing(&repo)[..3] {
        is_denied(
            &sandbox,
            line,
            "failed to create directory `[HOME]/.skillpm",
        );
    }
    is_denied(
        &sandbox,
        "add -g ./mine",
        "failed to create directory `[HOME]/.skillpm",
    );
    // Without the key nothing says that what was installed is what the state says, and comparing takes the store.
    is_denied(
        &sandbox,
        "install",
        "failed to create directory `[HOME]/.skillpm/store`",
    );
    for line in LOOKING.into_iter().filter(|line| *line != "install") {
        sandbox.skillpm(line).unprivileged().exits(0);
    }
    let told = sandbox.skillpm("doctor").unprivileged().exits(1);
    told.prints("`[HOME]/.skillpm` does not exist and cannot be created")
        .prints("SKILLPM_HOME");
    drop(forbidden);
    is_whole(&sandbox, &before);
}

#[test]
fn unreadable_file_of_a_skill_is_named() {
    let (sandbox, _repo) = project();
    let before = seen(&sandbox);
    let forbidden = sandbox.forbid("mine/data.txt", 0o000);
    for line in ["add ./mine", "package mine", "lint mine"] {
        is_denied(&sandbox, line, "mine/data.txt`");
    }
    drop(forbidden);
    assert_eq!(seen(&sandbox), before);
    let forbidden = sandbox.forbid("mine/SKILL.md", 0o000);
    for line in ["add ./mine", "package mine", "lint mine", "validate mine"] {
        is_denied(&sandbox, line, "mine/SKILL.md`");
    }
    drop(forbidden);
    is_whole(&sandbox, &before);
}

#[test]
fn unreadable_installed_skill_is_reported_and_unchanged() {
    for (path, mode) in [
        (".agents/skills/pdf/SKILL.md", 0o000),
        (".agents/skills/pdf", 0o000),
    ] {
        // Unseen: the content has not changed, and the state has its digest. An edit is seen, below.
        if path != ".agents/skills/pdf" && !has_unix("a change by another program") {
            continue;
        }
        let (sandbox, _repo) = project();
        let before = seen(&sandbox);
        let forbidden = sandbox.forbid(path, mode);
        for line in ["update", "remove pdf", "diff", "audit"] {
            is_denied(&sandbox, line, &format!("`[ROOT]/project/{path}`"));
        }
        let unread = sandbox.skillpm("verify").unprivileged().exits(1);
        unread
            .stdout_has("unreadable .agents/skills/pdf: failed to read")
            .stdout_has(DENIED);
        for line in ["list", "catalog"] {
            sandbox
                .skillpm(line)
                .unprivileged()
                .exits(0)
                .stderr_has(DENIED);
        }
        sandbox
            .skillpm("show pdf")
            .unprivileged()
            .exits(1)
            .explains(["skill `pdf` not found", DENIED]);
        drop(forbidden);
        is_whole(&sandbox, &before);
    }
}

#[test]
fn edited_skill_that_cannot_be_read_is_kept() {
    let (sandbox, _repo) = project();
    let mine = ".agents/skills/pdf/SKILL.md";
    sandbox.write(mine, skill_md("pdf", "Is mine."));
    sandbox.hand_over();
    let before = seen(&sandbox);
    let forbidden = sandbox.forbid(mine, 0o000);
    for line in ["update", "update --force", "install --force", "remove pdf"] {
        is_denied(&sandbox, line, &format!("`[ROOT]/project/{mine}`"));
    }
    drop(forbidden);
    assert_eq!(seen(&sandbox), before);
}

#[test]
fn unreadable_settings_are_an_error() {
    for file in ["~/.skillpm/config.toml", ".skillpm/config.toml"] {
        let (sandbox, _repo) = project();
        // Another user's settings would not be read at all.
        sandbox.write("~/.skillpm/config.toml", "[safe]\ndirectories = [\"*\"]\n");
        sandbox.write(file, "[policy]\nallow-sources = []\n");
        let before = seen(&sandbox);
        let forbidden = sandbox.is_another_s(file, Others::Nothing);
        // What they say may be a policy, so nothing is done without.
        for line in ["install", "list", "update", "add ./mine", "config list"] {
            is_denied(&sandbox, line, ".skillpm/config.toml`");
        }
        sandbox
            .skillpm("doctor")
            .unprivileged()
            .exits(1)
            .prints("config.toml");
        drop(forbidden);
        assert_eq!(seen(&sandbox), before);
        sandbox.delete(file);
        sandbox.hand_over();
        sandbox.skillpm("update").unprivileged().exits(0);
    }
}

#[test]
fn installed_skills_follow_the_umask() {
    use std::os::unix::fs::PermissionsExt as _;
    let sandbox = Sandbox::project_here();
    sandbox.write("pdf/SKILL.md", skill_md("pdf", "Works on PDF files."));
    for (umask, mode) in [("022", 0o644), ("077", 0o600)] {
        sandbox
            .skillpm("add ./pdf --as other")
            .after(&format!("umask {umask}"))
            .exits(0);
        let meta = std::fs::metadata(sandbox.path(".agents/skills/other/SKILL.md")).unwrap();
        assert_eq!(meta.permissions().mode() & 0o777, mode, "umask {umask}");
        sandbox.skillpm("remove other").exits(0);
    }
}
