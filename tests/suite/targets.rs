//! Targets: what `[install]` says now is what holds, and of what it said before nothing of a person's is touched.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use snapbox::str;

use crate::support::{Repo, Sandbox};

const MAIN: &str = ".agents/skills/pdf/SKILL.md";
const COPY: &str = ".claude/skills/pdf/SKILL.md";

/// A project with the skill `pdf`, for Claude Code too.
fn for_claude() -> (Sandbox, Repo) {
    let sandbox = Sandbox::project_here();
    let repo = sandbox.repo_with("pdf");
    sandbox
        .skillpm(format!(
            "add {} --skill pdf --branch main --target claude-code --no-detect",
            repo.url()
        ))
        .exits(0);
    sandbox.has([MAIN, COPY]);
    (sandbox, repo)
}

fn install_table(sandbox: &Sandbox, lines: &str) {
    let text = sandbox.read("skillpm.toml");
    let before = text.split("[install]").next().unwrap();
    sandbox.write("skillpm.toml", format!("{before}[install]\n{lines}\n"));
}

#[cfg(unix)]
fn link(sandbox: &Sandbox, path: &str, to: &str) {
    let path = sandbox.path(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::os::unix::fs::symlink(to, path).unwrap();
}

#[cfg(unix)]
fn leads_to(sandbox: &Sandbox, path: &str) -> Option<PathBuf> {
    fs::read_link(sandbox.path(path)).ok()
}

/// The ids of all agents with a directory of this sort.
fn agents_with(key: &str) -> Vec<(String, String)> {
    let text = fs::read_to_string(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/crates/registry/src/install/agents.toml"
    ))
    .unwrap();
    let table: toml::Table = text.parse().unwrap();
    let agents = table["agent"].as_array().unwrap().iter();
    let with = agents.filter_map(|agent| {
        Some((
            agent["id"].as_str()?.to_owned(),
            agent.get(key)?.as_str()?.to_owned(),
        ))
    });
    with.collect()
}

#[test]
fn every_agent_directory_is_installed_and_cleared() {
    let agents = agents_with("project_dir");
    assert!(agents.len() > 80, "{}", agents.len());
    let sandbox = Sandbox::project_here();
    sandbox.write_skill("pdf", "Reads PDF.");
    sandbox.skillpm("add ./pdf").exits(0);
    let names = || {
        fs::read_dir(sandbox.path("."))
            .unwrap()
            .map(|entry| entry.unwrap().file_name())
            .collect::<BTreeSet<_>>()
    };
    let before = (names(), sandbox.tree(".agents"));
    let ids: Vec<String> = agents.iter().map(|(id, _)| format!("\"{id}\"")).collect();
    let manifest = sandbox.read("skillpm.toml");
    install_table(&sandbox, &format!("targets = [{}]", ids.join(", ")));
    sandbox.skillpm("install").exits(0);
    for (id, dir) in &agents {
        // Nova reads another format; Devai shares its directory with OpenClaw.
        if id == "nova" {
            sandbox.has([&format!("{dir}/pdf/manifest.yaml")]);
            continue;
        }
        let file = sandbox.path(dir).join("pdf/SKILL.md");
        assert_eq!(
            fs::read_to_string(file).unwrap(),
            sandbox.read(MAIN),
            "{id}"
        );
    }
    sandbox.skillpm("verify").exits(0);
    sandbox.write("skillpm.toml", manifest);
    sandbox.skillpm("install").exits(0);
    assert_eq!((names(), sandbox.tree(".agents")), before);
}

#[test]
fn every_user_agent_directory_gets_global_skills() {
    let sandbox = Sandbox::new();
    sandbox.write_skill("pdf", "Reads PDF.");
    sandbox.skillpm("add -g ./pdf").exits(0);
    // Those whose directory stands on variables that are not set here have none.
    let agents: Vec<_> = agents_with("global_dir")
        .into_iter()
        .filter(|(_, dir)| dir.starts_with("~/"))
        .collect();
    assert!(agents.len() > 60, "{}", agents.len());
    let line = agents
        .iter()
        .map(|(id, _)| format!("--target {id} "))
        .collect::<String>();
    sandbox.skillpm(format!("add -g ./pdf {line}")).exits(0);
    for (_, dir) in &agents {
        sandbox.has([&format!("{dir}/pdf/SKILL.md")]);
    }
    sandbox.skillpm("remove -g pdf").exits(0);
    for (_, dir) in &agents {
        sandbox.lacks([&format!("{dir}/pdf")]);
    }
}

#[test]
fn removed_target_is_cleared_with_its_directories() {
    let (sandbox, _) = for_claude();
    sandbox.write(".cursor/rules", "mine");
    install_table(&sandbox, "targets = [\"cursor\", \"claude-code\"]");
    sandbox.skillpm("install").exits(0);
    let lock = sandbox.read("skillpm.lock");
    install_table(&sandbox, "targets = []");
    sandbox
        .skillpm("install --dry-run")
        .exits(0)
        .stderr_has("Would clear .claude/skills/pdf, which is no longer a target");
    sandbox.has([COPY]);
    let told = sandbox.skillpm("install").exits(0).stderr_text().to_owned();
    assert!(
        told.contains("Cleared .claude/skills/pdf, which is no longer a target"),
        "{told}"
    );
    assert!(!told.contains("Removed"), "{told}");
    sandbox.lacks([".claude"]);
    sandbox.has([MAIN, ".cursor/rules"]);
    sandbox.reads("skillpm.lock", &lock);
    sandbox.skillpm("undo").exits(0);
    sandbox.has([COPY]);
}

#[test]
fn other_files_in_a_removed_target_are_kept() {
    let (sandbox, _) = for_claude();
    sandbox.write(".claude/skills/mine/SKILL.md", "mine");
    sandbox.write(".claude/settings.json", "{}");
    install_table(&sandbox, "targets = []");
    sandbox.skillpm("install").exits(0);
    sandbox.lacks([".claude/skills/pdf"]);
    sandbox.has([".claude/skills/mine/SKILL.md", ".claude/settings.json"]);
}

#[test]
fn edit_in_a_removed_target_is_copied_first() {
    let (sandbox, repo) = for_claude();
    sandbox.write(".claude/skills/pdf/notes.md", "Mine.\n");
    install_table(&sandbox, "targets = []");
    sandbox
        .skillpm("install --locked")
        .exits(1)
        .explains(["but --locked was passed: `.claude/skills/pdf`"]);
    sandbox.skillpm("install").exits(0).stderr(str![[r"
      Copied your edits of pdf to .agents/skills
     Cleared .claude/skills/pdf, which is no longer a target

"]]);
    sandbox.reads(".agents/skills/pdf/notes.md", "Mine.\n");
    sandbox.lacks([".claude"]);
    sandbox
        .skillpm("verify")
        .exits(1)
        .stdout_has(".agents/skills/pdf/notes.md");
    repo.skill("skills/pdf", "Reads PDF better.")
        .commit("second");
    sandbox.skillpm("update").exits(0);
    assert!(sandbox.read(MAIN).contains("better"));
    sandbox.reads(".agents/skills/pdf/notes.md", "Mine.\n");
}

#[test]
fn edit_in_a_removed_target_survives_an_update() {
    let (sandbox, repo) = for_claude();
    sandbox.write(".claude/skills/pdf/notes.md", "Mine.\n");
    repo.skill("skills/pdf", "Reads PDF better.")
        .commit("second");
    install_table(&sandbox, "targets = []");
    sandbox.skillpm("update").exits(0);
    assert!(sandbox.read(MAIN).contains("better"));
    sandbox.reads(".agents/skills/pdf/notes.md", "Mine.\n");
    sandbox.lacks([".claude"]);
}

#[test]
fn two_edits_one_in_a_removed_target_are_both_kept() {
    let (sandbox, _) = for_claude();
    sandbox.write(".claude/skills/pdf/notes.md", "Mine.\n");
    sandbox.write(".agents/skills/pdf/other.md", "Mine too.\n");
    install_table(&sandbox, "targets = []");
    sandbox.skillpm("install").exits(0).stderr(str![[r"
warning: conflicting edits in `.agents/skills/pdf` and `.claude/skills/pdf`
help: make the copies identical, or discard the edits of all with `skillpm restore pdf`
warning: `.claude/skills/pdf` was not installed by skillpm, and is left unchanged
help: move it to another directory if it is not needed there
warning: `.agents/skills/pdf` has local edits, and is left unchanged
help: run `skillpm diff` to see the edits, `skillpm patch NAME` to save or `skillpm restore NAME` to discard them
   Unchanged 1 skill, up to date except for local edits

"]]);
    sandbox.has([".claude/skills/pdf/notes.md", ".agents/skills/pdf/other.md"]);
    sandbox.skillpm("install").exits(0);
    sandbox.has([".claude/skills/pdf/notes.md"]);
}

#[test]
fn hand_made_skill_in_a_new_target_is_not_an_edit() {
    let (sandbox, _) = for_claude();
    sandbox.write(".kiro/skills/pdf/SKILL.md", "mine");
    install_table(&sandbox, "targets = [\"claude-code\", \"kiro-cli\"]");
    let snapshot = sandbox.snapshot();
    sandbox
        .skillpm("install")
        .exits(1)
        .explains(["refusing to overwrite `.kiro/skills/pdf`: it was not installed by skillpm"]);
    snapshot.still_holds();
    sandbox.copy(".agents/skills/pdf/SKILL.md", ".kiro/skills/pdf/SKILL.md");
    sandbox.skillpm("install").exits(0);
    sandbox.skillpm("verify").exits(0);
}

#[test]
fn main_directory_can_be_moved_with_its_edits() {
    let (sandbox, _) = for_claude();
    sandbox.write(".agents/skills/pdf/notes.md", "Mine.\n");
    install_table(&sandbox, "dir = \"our/skills\"");
    sandbox.skillpm("install").exits(0);
    sandbox.reads("our/skills/pdf/notes.md", "Mine.\n");
    sandbox.lacks([".agents", ".claude"]);
}

#[test]
fn agent_directory_is_moved_by_a_setting() {
    let (sandbox, _) = for_claude();
    sandbox
        .skillpm("config set agents.claude-code.project-dir .work/skills")
        .exits(0);
    sandbox.skillpm("install").exits(0);
    sandbox.has([".work/skills/pdf/SKILL.md"]);
    sandbox.lacks([".claude"]);
}

#[test]
fn agent_directory_is_moved_by_a_variable() {
    let sandbox = Sandbox::new();
    sandbox.write_skill("pdf", "Reads PDF.");
    sandbox
        .skillpm("add -g ./pdf --target claude-code")
        .exits(0);
    sandbox.has(["~/.claude/skills/pdf/SKILL.md"]);
    let elsewhere = sandbox.path("~/work");
    sandbox
        .skillpm("install -g")
        .env("CLAUDE_CONFIG_DIR", elsewhere.to_str().unwrap())
        .exits(0);
    sandbox.has(["~/work/skills/pdf/SKILL.md"]);
    sandbox.lacks(["~/.claude"]);
}

#[cfg(unix)]
#[test]
fn copies_become_links_and_links_copies() {
    let (sandbox, _) = for_claude();
    install_table(&sandbox, "targets = [\"claude-code\"]\nlink = \"symlink\"");
    sandbox.skillpm("install").exits(0);
    assert_eq!(
        leads_to(&sandbox, ".claude/skills/pdf").unwrap(),
        PathBuf::from("../../.agents/skills/pdf")
    );
    sandbox.skillpm("verify").exits(0);
    sandbox.skillpm("install").exits(0).stderr_has("Unchanged");
    sandbox.write(".agents/skills/pdf/notes.md", "Mine.\n");
    install_table(&sandbox, "targets = [\"claude-code\"]\nlink = \"copy\"");
    sandbox.skillpm("install").exits(0);
    assert_eq!(leads_to(&sandbox, ".claude/skills/pdf"), None);
    sandbox.reads(".claude/skills/pdf/notes.md", "Mine.\n");
    assert_eq!(
        sandbox.tree(".claude/skills"),
        sandbox.tree(".agents/skills")
    );
}

#[cfg(unix)]
#[test]
fn edited_copy_is_saved_before_a_link_replaces_it() {
    let (sandbox, _) = for_claude();
    sandbox.write(".claude/skills/pdf/notes.md", "Mine.\n");
    install_table(&sandbox, "targets = [\"claude-code\"]\nlink = \"symlink\"");
    sandbox
        .skillpm("install")
        .exits(0)
        .stderr_has("Copied your edits of pdf to .agents/skills");
    assert!(leads_to(&sandbox, ".claude/skills/pdf").is_some());
    sandbox.reads(".agents/skills/pdf/notes.md", "Mine.\n");
    sandbox.skillpm("undo").exits(0);
    assert_eq!(leads_to(&sandbox, ".claude/skills/pdf"), None);
    sandbox.reads(".claude/skills/pdf/notes.md", "Mine.\n");
    sandbox.lacks([".agents/skills/pdf/notes.md"]);
}

#[cfg(unix)]
#[test]
fn hand_made_directory_in_place_of_a_link_is_reported() {
    let (sandbox, repo) = for_claude();
    install_table(&sandbox, "targets = [\"claude-code\"]\nlink = \"symlink\"");
    sandbox.skillpm("install").exits(0);
    sandbox.delete(".claude/skills/pdf");
    sandbox.write(COPY, "mine");
    let told = "`.claude/skills/pdf` was not installed by skillpm, and is left unchanged";
    for _ in 0..2 {
        sandbox.skillpm("install").exits(0).stderr_has(told);
        sandbox.reads(COPY, "mine");
    }
    repo.skill("skills/pdf", "Reads PDF better.")
        .commit("second");
    sandbox.skillpm("update").exits(0).stderr_has(told);
    assert!(sandbox.read(MAIN).contains("better"));
    sandbox
        .skillpm("verify")
        .exits(1)
        .stdout_has("not a link to `../../.agents/skills/pdf`");
    install_table(&sandbox, "targets = []");
    sandbox.skillpm("install").exits(0).stderr_has(told);
    sandbox.skillpm("install").exits(0);
    sandbox.reads(COPY, "mine");
}

#[cfg(unix)]
#[test]
fn only_own_links_of_a_removed_target_are_deleted() {
    let sandbox = Sandbox::project_here();
    let repo = Repo::new(&sandbox, "skills");
    repo.skill("skills/pdf", "Reads PDF.")
        .skill("skills/csv", "Reads CSV.")
        .commit("first");
    sandbox
        .skillpm(format!(
            "add {} --all --target claude-code --no-detect",
            repo.url()
        ))
        .exits(0);
    install_table(&sandbox, "targets = [\"claude-code\"]\nlink = \"symlink\"");
    sandbox.skillpm("install").exits(0);
    sandbox.delete(".claude/skills/csv");
    link(&sandbox, ".claude/skills/csv", "../../mine");
    install_table(&sandbox, "targets = []\nlink = \"symlink\"");
    sandbox
        .skillpm("install")
        .exits(0)
        .stderr_has("`.claude/skills/csv` was not installed by skillpm");
    sandbox.lacks([".claude/skills/pdf"]);
    assert_eq!(
        leads_to(&sandbox, ".claude/skills/csv").unwrap(),
        PathBuf::from("../../mine")
    );
}

#[cfg(unix)]
#[test]
fn broken_link_is_reported_and_repaired() {
    let (sandbox, _) = for_claude();
    install_table(&sandbox, "targets = [\"claude-code\"]\nlink = \"symlink\"");
    sandbox.skillpm("install").exits(0);
    sandbox.delete(".agents/skills/pdf");
    sandbox.skillpm("verify").exits(1).stdout(str![[r"
missing   .agents/skills/pdf
unreadable .claude/skills/pdf: broken link to `../../.agents/skills/pdf`

"]]);
    sandbox
        .skillpm("list")
        .exits(0)
        .stderr_has(".claude/skills/pdf");
    sandbox.skillpm("install").exits(0);
    sandbox.skillpm("verify").exits(0);
    sandbox.delete(".claude/skills/pdf");
    link(&sandbox, ".claude/skills/pdf", "../nowhere");
    sandbox
        .skillpm("verify")
        .exits(1)
        .stdout_has("not a link to `../../.agents/skills/pdf`");
    sandbox.skillpm("install").exits(0);
    sandbox.skillpm("verify").exits(0);
}

#[cfg(unix)]
#[test]
fn target_linked_to_the_main_directory_is_written_once() {
    let sandbox = Sandbox::project_here();
    sandbox.write_skill("pdf", "Reads PDF.");
    link(&sandbox, ".claude/skills", "../.agents/skills");
    fs::create_dir_all(sandbox.path(".agents/skills")).unwrap();
    sandbox
        .skillpm("add ./pdf --target claude-code --no-detect")
        .exits(0);
    sandbox.has([MAIN, COPY]);
    sandbox.skillpm("verify").exits(0).stderr_has("1 skill");
    sandbox.skillpm("remove pdf").exits(0);
    sandbox.lacks([".agents/skills/pdf"]);
    assert!(leads_to(&sandbox, ".claude/skills").is_some());
}

#[test]
fn file_in_the_place_of_a_target_is_named_and_nothing_is_changed() {
    let sandbox = Sandbox::project_here();
    sandbox.skillpm("add release").exits(0);
    sandbox.write(".claude", "");
    let manifest = sandbox.read("skillpm.toml");

    for command in ["agents add claude-code", "add release --target claude-code"] {
        sandbox.skillpm(command).exits(6).explains([
            "failed to install into `.claude/skills`: `.claude` is not a directory",
            "it is the directory of the target `claude-code`",
            "move `.claude` away, then run the command again",
        ]);
        assert_eq!(sandbox.read("skillpm.toml"), manifest);
    }
}
