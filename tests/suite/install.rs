//! `install`: the disk made equal to the lockfile, from the store where it can, and nothing done where nothing is to do.

use snapbox::str;

use crate::support::{Listing, Sandbox, Server};

#[test]
fn second_install_changes_nothing_and_makes_no_request() {
    let sandbox = Sandbox::project_here();
    sandbox.repo_with("pdf");
    let server = Server::start(&sandbox);
    sandbox
        .skillpm(format!("add {} --skill pdf", server.url("skills")))
        .exits(0);
    sandbox.has([".agents/skills/pdf/SKILL.md"]);
    server.forget();
    let snapshot = sandbox.snapshot();
    sandbox.skillpm("install").exits(0);
    snapshot.still_holds();
    assert_eq!(server.count(""), 0, "{:?}", server.requests());
}

#[test]
fn sync_is_an_alias_of_install() {
    let sandbox = Sandbox::project_here();
    sandbox.write_skill("pdf", "Reads PDF.");
    sandbox.write(
        "skillpm.toml",
        "[dependencies]\npdf = { path = \"./pdf\" }\n",
    );
    sandbox.skillpm("sync").exits(0);
    sandbox.has([".agents/skills/pdf/SKILL.md", "skillpm.lock"]);
}

#[test]
fn dependency_added_by_hand_is_resolved_and_installed() {
    let sandbox = Sandbox::new();
    let repo = crate::git_references::versions(&sandbox);
    sandbox.write(
        "skillpm.toml",
        format!(
            "[dependencies]\npdf = {{ git = \"{}\", version = \"^1\" }}\n",
            repo.url()
        ),
    );
    sandbox.skillpm("install").exits(0);
    assert_eq!(sandbox.locked("pdf", "version"), "1.1.0");
}

#[test]
fn dependency_removed_by_hand_is_uninstalled() {
    let sandbox = Sandbox::project_here();
    sandbox.write_skill("pdf", "Reads PDF.");
    sandbox.skillpm("add ./pdf").exits(0);
    sandbox.has([".agents/skills/pdf/SKILL.md"]);
    sandbox.write("skillpm.toml", "[dependencies]\n");
    sandbox.skillpm("install").exits(0);
    sandbox.lacks([".agents/skills/pdf"]);
}

#[test]
fn fresh_clone_gets_the_same_bytes() {
    let sandbox = Sandbox::project_here();
    let repo = crate::git_references::versions(&sandbox);
    sandbox
        .skillpm(format!("add {} --all --version ^1", repo.url()))
        .exits(0);
    repo.skill("skills/pdf", "Reads PDF 1.2.0.")
        .commit("1.2.0")
        .annotated_tag("v1.2.0");
    let clone = sandbox.fresh_clone("clone");
    sandbox
        .skillpm("install --locked")
        .in_dir(&clone)
        .home("elsewhere")
        .exits(0);
    assert_eq!(Listing::of(&clone.join(".agents")), sandbox.tree(".agents"));
    assert_eq!(
        std::fs::read_to_string(clone.join("skillpm.lock")).unwrap(),
        sandbox.read("skillpm.lock")
    );
    sandbox
        .skillpm("verify")
        .in_dir(&clone)
        .home("elsewhere")
        .exits(0);
}

#[test]
fn deleted_skill_is_restored_from_the_store() {
    let sandbox = Sandbox::project_here();
    let repo = sandbox.repo_with("pdf");
    sandbox
        .skillpm(format!("add {} --skill pdf", repo.url()))
        .exits(0);
    let before = sandbox.tree(".agents");
    repo.delete();
    sandbox.delete(".agents");
    sandbox.skillpm("install --offline").exits(0);
    assert_eq!(sandbox.tree(".agents"), before);
}

#[test]
fn deleted_file_of_a_skill_is_restored() {
    let sandbox = Sandbox::project_here();
    let repo = sandbox.repo_with("pdf");
    repo.write("skills/pdf/references/a.md", "a\n")
        .commit("more");
    sandbox
        .skillpm(format!("add {} --skill pdf", repo.url()))
        .exits(0);
    sandbox.delete(".agents/skills/pdf");
    sandbox.skillpm("install").exits(0);
    assert_eq!(
        sandbox.tree(".agents/skills").paths(),
        ["pdf/SKILL.md", "pdf/references/a.md"]
    );
}

#[test]
fn offline_with_an_empty_store_names_the_missing_package() {
    let sandbox = Sandbox::project_here();
    sandbox.repo_with("pdf");
    let server = Server::start(&sandbox);
    sandbox
        .skillpm(format!("add {} --skill pdf", server.url("skills")))
        .exits(0);
    server.forget();
    let clone = sandbox.fresh_clone("clone");
    sandbox
        .skillpm("install --offline")
        .in_dir(&clone)
        .home("elsewhere")
        .exits(4).stderr(str![[r"
error: failed to fetch `pdf`
caused by: cannot fetch commit [COMMIT] of `[URL]/skills`: not cached, and network access is disabled (`--offline`)
help: run the command once without `--offline`

"]]);
    assert!(!clone.join(".agents").exists());
    assert_eq!(server.count(""), 0);
}

#[test]
fn locked_refuses_an_outdated_lockfile() {
    for flag in ["--locked", "--frozen"] {
        let sandbox = Sandbox::project_here();
        sandbox.write_skill("pdf", "Reads PDF.");
        sandbox.write_skill("csv", "Reads CSV.");
        sandbox.skillpm("add ./pdf").exits(0);
        sandbox.write(
            "skillpm.toml",
            format!(
                "{}csv = {{ path = \"./csv\" }}\n",
                sandbox.read("skillpm.toml")
            ),
        );
        let snapshot = sandbox.snapshot();
        sandbox
            .skillpm(format!("install {flag}"))
            .exits(1)
            .explains(["csv", flag]);
        snapshot.still_holds();
    }
}

#[test]
fn locked_refuses_a_project_without_a_lockfile() {
    let sandbox = Sandbox::project_here();
    sandbox.write_skill("pdf", "Reads PDF.");
    sandbox.write(
        "skillpm.toml",
        "[dependencies]\npdf = { path = \"./pdf\" }\n",
    );
    let snapshot = sandbox.snapshot();
    sandbox
        .skillpm("install --locked")
        .exits(1)
        .explains(["skillpm.lock"]);
    snapshot.still_holds();
}

#[test]
fn install_does_not_replace_a_hand_made_skill() {
    let sandbox = Sandbox::project_here();
    sandbox.write_skill("pdf", "Reads PDF.");
    sandbox.write(
        "skillpm.toml",
        "[dependencies]\npdf = { path = \"./pdf\" }\n",
    );
    sandbox.write(".agents/skills/pdf/SKILL.md", "mine\n");
    let snapshot = sandbox.snapshot();
    sandbox
        .skillpm("install")
        .exits(1)
        .explains([".agents/skills/pdf"]);
    snapshot.still_holds();
}

#[test]
fn lost_state_is_rebuilt_from_lockfile_and_disk() {
    let sandbox = Sandbox::project_here();
    let repo = sandbox.repo_with("pdf");
    sandbox
        .skillpm(format!("add {} --skill pdf", repo.url()))
        .exits(0);
    let before = sandbox.tree(".agents");
    sandbox.delete(".skillpm");
    sandbox.skillpm("install").exits(0);
    assert_eq!(sandbox.tree(".agents"), before);
    sandbox.skillpm("verify").exits(0);
    sandbox.skillpm("remove pdf").exits(0);
    sandbox.lacks([".agents/skills/pdf"]);
}

#[test]
fn moved_project_still_works() {
    let sandbox = Sandbox::project_here();
    let repo = crate::git_references::versions(&sandbox);
    sandbox
        .skillpm(format!("add {} --skill pdf --version ^1", repo.url()))
        .exits(0);
    sandbox.copy(".", "../moved");
    sandbox.edit("../moved/skillpm.toml", "^1", "^2");
    sandbox.skillpm("update").in_dir("../moved").exits(0);
    assert!(
        sandbox
            .read("../moved/.agents/skills/pdf/SKILL.md")
            .contains("PDF 2.0.0.")
    );
}

#[test]
fn damaged_store_is_detected_and_fetched_again() {
    let sandbox = Sandbox::project_here();
    let repo = sandbox.repo_with("pdf");
    sandbox
        .skillpm(format!("add {} --skill pdf", repo.url()))
        .exits(0);
    let before = sandbox.tree(".agents");
    for path in sandbox
        .tree("~/.skillpm/store")
        .paths()
        .iter()
        .filter(|path| path.ends_with("SKILL.md"))
    {
        let file = sandbox.path("~/.skillpm/store").join(path);
        // A store may well be read-only.
        let _ = std::fs::remove_file(&file);
        std::fs::write(&file, "damaged\n").unwrap();
    }
    sandbox.delete(".agents");
    sandbox.skillpm("install").exits(0);
    assert_eq!(sandbox.tree(".agents"), before);
}

#[test]
fn skillpm_home_moves_everything_outside_the_project() {
    let sandbox = Sandbox::project_here();
    let repo = sandbox.repo_with("pdf");
    let home = sandbox.path("../other-place");
    sandbox
        .skillpm(format!("add {} --skill pdf", repo.url()))
        .env("SKILLPM_HOME", &home)
        .exits(0);
    assert!(home.join("store").is_dir());
    sandbox.lacks(["~/.skillpm"]);
}

#[test]
fn install_dir_moves_the_skills_of_the_workspace() {
    let sandbox = Sandbox::new();
    sandbox.write_skill("pdf", "Reads PDF.");
    sandbox.write(
        "skillpm.toml",
        "[dependencies]\npdf = { path = \"./pdf\" }\n[install]\ndir = \"skills-here\"\n",
    );
    sandbox.skillpm("install").exits(0);
    sandbox.has(["skills-here/pdf/SKILL.md"]);
    sandbox.lacks([".agents"]);
}
