//! `add`: one line in the manifest, one block in the lockfile, one directory on the disk, or none of the three.

use snapbox::str;

use crate::support::{Repo, Sandbox, has_unix, pdf_and_csv};

#[test]
fn add_installs_locks_and_writes_the_manifest() {
    let sandbox = Sandbox::project_here();
    let repo = sandbox.repo_with("pdf");
    sandbox
        .skillpm(format!("add {} --skill pdf", repo.url()))
        .exits(0)
        .stderr_has("pdf");
    assert_eq!(
        sandbox.manifest()["dependencies"]["pdf"]["git"].as_str(),
        Some(repo.url().as_str())
    );
    assert_eq!(sandbox.locked_commit("pdf"), repo.head());
    assert_eq!(sandbox.tree(".agents/skills").paths(), ["pdf/SKILL.md"]);
}

#[test]
fn locked_packages_need_no_source() {
    let sandbox = Sandbox::project_here();
    let gone = Repo::new(&sandbox, "gone");
    gone.skill("skills/pdf", "Reads PDF.")
        .skill("skills/docx", "Reads text.")
        .commit("first")
        .tag("v1.0.0");
    let here = Repo::new(&sandbox, "here");
    here.skill("skills/csv", "Reads tables.")
        .skill("skills/json", "Reads data.")
        .commit("first");
    for wanted in ["pdf --branch main", "docx --tag v1.0.0"] {
        let add = format!("add {} --skill {wanted}", gone.url());
        sandbox.skillpm(add).exits(0);
    }
    gone.delete();

    let here = here.url();
    for line in [
        format!("add {here} --skill csv"),
        format!("--offline add {here} --skill json"),
        "update csv".to_owned(),
        "update json csv".to_owned(),
        "remove csv".to_owned(),
        "undo".to_owned(),
        "install".to_owned(),
    ] {
        let run = sandbox.skillpm(&line).exits(0);
        run.never_prints(&gone.url());
        run.never_prints("failed to");
    }
    sandbox.has([
        ".agents/skills/pdf/SKILL.md",
        ".agents/skills/json/SKILL.md",
    ]);
    for line in ["update", "update pdf"] {
        let failed = sandbox.skillpm(line).exits(1);
        failed.stderr_has("/gone` is not a git repository");
    }
}

#[test]
fn installed_bytes_equal_committed_bytes() {
    let sandbox = Sandbox::project_here();
    let repo = Repo::new(&sandbox, "skills");
    let odd =
        b"---\r\nname: pdf\r\ndescription: \xc3\xa9t\xc3\xa9.\r\n---\r\nno newline at the end";
    repo.write("skills/pdf/SKILL.md", odd)
        .write("skills/pdf/assets/raw.bin", [0, 159, 146, 150])
        .commit("first");
    sandbox
        .skillpm(format!("add {} --skill pdf", repo.url()))
        .exits(0);
    assert_eq!(
        std::fs::read(sandbox.path(".agents/skills/pdf/SKILL.md")).unwrap(),
        odd
    );
    assert_eq!(
        std::fs::read(sandbox.path(".agents/skills/pdf/assets/raw.bin")).unwrap(),
        [0, 159, 146, 150]
    );
}

#[cfg(unix)]
#[test]
fn only_executable_files_are_installed_executable() {
    let sandbox = Sandbox::project_here();
    let repo = Repo::new(&sandbox, "skills");
    repo.skill("skills/pdf", "Reads PDF.")
        .script("skills/pdf/scripts/run.sh", "#!/bin/sh\n")
        .commit("first");
    sandbox
        .skillpm(format!("add {} --skill pdf", repo.url()))
        .exits(0);
    let tree = sandbox.tree(".agents/skills").to_string();
    assert!(
        tree.lines()
            .any(|line| line.starts_with('-') && line.ends_with("pdf/SKILL.md")),
        "{tree}"
    );
    assert!(
        !has_unix("executable files")
            || tree
                .lines()
                .any(|line| line.starts_with('x') && line.ends_with("pdf/scripts/run.sh")),
        "{tree}"
    );
}

#[test]
fn add_keeps_comments_and_order_of_the_manifest() {
    let sandbox = Sandbox::new();
    let before = "# ours\n\n[dependencies] # what we need\n\n[install]\ndir  =  \".agents/skills\"   # as it was\n";
    sandbox.write("skillpm.toml", before);
    sandbox.write_skill("pdf", "Reads PDF.");
    sandbox.skillpm("add ./pdf").exits(0);
    let after = sandbox.read("skillpm.toml");
    let lines: Vec<_> = after
        .lines()
        .filter(|line| !line.starts_with("pdf"))
        .collect();
    assert_eq!(lines, before.lines().collect::<Vec<_>>(), "{after}");
    assert_eq!(
        after.lines().filter(|line| line.starts_with("pdf")).count(),
        1,
        "{after}"
    );
}

#[test]
fn several_skills_of_one_repository_are_added_at_once() {
    let sandbox = Sandbox::project_here();
    let repo = Repo::new(&sandbox, "skills");
    repo.skill("skills/pdf", "Reads PDF.")
        .skill("skills/csv", "Reads CSV.")
        .skill("skills/xml", "Reads XML.")
        .commit("first");
    sandbox
        .skillpm(format!("add {} --skill pdf --skill csv", repo.url()))
        .exits(0);
    assert_eq!(sandbox.tree(".agents/skills").top(), ["csv", "pdf"]);
    sandbox
        .skillpm(format!("add {} --skill xml", repo.url()))
        .exits(0);
    assert_eq!(sandbox.tree(".agents/skills").top(), ["csv", "pdf", "xml"]);
}

#[test]
fn all_adds_every_skill_but_not_nested_ones() {
    let sandbox = Sandbox::project_here();
    let repo = Repo::new(&sandbox, "skills");
    repo.skill("skills/pdf", "Reads PDF.")
        .skill("skills/pdf/templates/inner", "A template.")
        .skill("skills/csv", "Reads CSV.");
    repo.commit("first");
    sandbox
        .skillpm(format!("add {} --all", repo.url()))
        .exits(0);
    assert_eq!(sandbox.tree(".agents/skills").top(), ["csv", "pdf"]);
    sandbox.has([".agents/skills/pdf/templates/inner/SKILL.md"]);
}

#[test]
fn repository_with_one_skill_needs_no_choice() {
    let sandbox = Sandbox::project_here();
    let repo = Repo::new(&sandbox, "pdf");
    repo.write("SKILL.md", crate::support::skill_md("pdf", "Reads PDF."))
        .commit("first");
    sandbox.skillpm(format!("add {}", repo.url())).exits(0);
    sandbox.has([".agents/skills/pdf/SKILL.md"]);
    sandbox.lacks([".agents/skills/pdf/.git"]);
}

#[test]
fn repository_with_many_skills_needs_a_choice() {
    let sandbox = Sandbox::project_here();
    let repo = Repo::new(&sandbox, "skills");
    repo.skill("skills/pdf", "Reads PDF.")
        .skill("skills/csv", "Reads CSV.")
        .commit("first");
    let snapshot = sandbox.snapshot();
    // What is not a terminal is not asked, whatever it has to say.
    let run = sandbox
        .skillpm(format!("add {}", repo.url()))
        .stdin("pdf\n");
    run.exits_one_of([1, 2]).stderr(str![[r"
    Fetching file://[ROOT]/repos/skills
error: no skill selected: `file://[ROOT]/repos/skills` has 2 skills
  available skills: csv, pdf
help: select skills with `--skill NAME`, or all of them with `--all`

"]]);
    snapshot.still_holds();
}

#[test]
fn path_selects_the_directory_of_a_skill() {
    let sandbox = Sandbox::project_here();
    let repo = Repo::new(&sandbox, "skills");
    repo.skill("here/pdf", "Reads PDF.")
        .skill("there/csv", "Reads CSV.")
        .commit("first");
    sandbox
        .skillpm(format!("add {} --path there/csv", repo.url()))
        .exits(0);
    assert_eq!(sandbox.tree(".agents/skills").top(), ["csv"]);
    assert_eq!(sandbox.locked("csv", "path"), "there/csv");
}

#[test]
fn dev_adds_to_the_dev_dependencies() {
    let sandbox = Sandbox::project_here();
    sandbox.write_skill("pdf", "Reads PDF.");
    sandbox.skillpm("add ./pdf --dev").exits(0);
    assert!(sandbox.manifest()["dev-dependencies"].get("pdf").is_some());
    assert!(sandbox.manifest()["dependencies"].get("pdf").is_none());
    sandbox.has([".agents/skills/pdf/SKILL.md"]);
}

#[test]
fn target_installs_for_another_agent() {
    let sandbox = Sandbox::project_here();
    sandbox.write_skill("pdf", "Reads PDF.");
    sandbox
        .skillpm("add ./pdf --target claude-code --no-detect")
        .exits(0);
    assert_eq!(
        sandbox.tree(".claude/skills"),
        sandbox.tree(".agents/skills")
    );
    assert!(!sandbox.tree(".claude/skills").is_empty());
}

#[test]
fn dry_run_prints_the_plan_and_writes_nothing() {
    let sandbox = Sandbox::project_here();
    let repo = sandbox.repo_with("pdf");
    let snapshot = sandbox.snapshot();
    sandbox
        .skillpm(format!("add {} --skill pdf --dry-run", repo.url()))
        .exits(0)
        .stderr_has("pdf");
    snapshot.still_holds();
}

#[test]
fn add_refuses_locked() {
    let sandbox = Sandbox::project_here();
    sandbox.write_skill("pdf", "Reads PDF.");
    let snapshot = sandbox.snapshot();
    sandbox
        .skillpm("add ./pdf --locked")
        .exits(1)
        .explains(["--locked"]);
    snapshot.still_holds();
}

#[test]
fn adding_twice_changes_nothing() {
    let sandbox = Sandbox::project_here();
    let repo = sandbox.repo_with("pdf");
    let line = format!("add {} --skill pdf", repo.url());
    sandbox.skillpm(&line).exits(0);
    sandbox.has([".agents/skills/pdf/SKILL.md"]);
    let snapshot = sandbox.snapshot();
    sandbox.skillpm(&line).exits(0);
    snapshot.still_holds();
}

#[test]
fn one_invalid_spec_of_two_adds_neither() {
    let sandbox = Sandbox::project_here();
    sandbox.write_skill("pdf", "Reads PDF.");
    let snapshot = sandbox.snapshot();
    sandbox
        .skillpm("add ./pdf ./nowhere")
        .exits_one_of([1, 2, 6])
        .explains(["nowhere"]);
    snapshot.still_holds();
}

#[test]
fn hand_made_skill_is_not_replaced() {
    let sandbox = Sandbox::project_here();
    let repo = sandbox.repo_with("pdf");
    sandbox.write(
        ".agents/skills/pdf/SKILL.md",
        "---\nname: pdf\ndescription: Mine.\n---\nmine\n",
    );
    sandbox.write(".agents/skills/pdf/notes.txt", "mine too\n");
    let snapshot = sandbox.snapshot();
    sandbox
        .skillpm(format!("add {} --skill pdf", repo.url()))
        .exits(1)
        .explains([".agents/skills/pdf"]);
    snapshot.still_holds();
}

#[test]
fn state_is_outside_skills_and_ignored_by_git() {
    let sandbox = Sandbox::project_here();
    sandbox.write_skill("pdf", "Reads PDF.");
    sandbox.skillpm("add ./pdf").exits(0);
    sandbox.has([".skillpm/state.json", ".skillpm/.gitignore"]);
    let repo = Repo::new(&sandbox, "project-in-git");
    sandbox.copy(".", "../repos/project-in-git");
    repo.commit("all");
    assert!(
        !repo.git(&["ls-files"]).contains("state.json"),
        "{}",
        repo.git(&["ls-files"])
    );
}

#[test]
fn temporary_directory_is_empty_after_a_run() {
    let sandbox = Sandbox::project_here();
    let repo = sandbox.repo_with("pdf");
    sandbox
        .skillpm(format!("add {} --skill pdf", repo.url()))
        .exits(0);
    sandbox.has([".agents/skills/pdf/SKILL.md"]);
    assert!(
        sandbox.tree("../tmp").is_empty(),
        "{:?}",
        sandbox.tree("../tmp")
    );
}

#[test]
fn targets_get_copies_or_symlinks_as_configured() {
    let sandbox = Sandbox::project_here();
    sandbox.write_skill("pdf", "Works on PDF files.");
    sandbox
        .skillpm("add ./pdf --target claude-code --no-detect")
        .exits(0);
    sandbox.has([".agents/skills/pdf/SKILL.md", ".claude/skills/pdf/SKILL.md"]);
    assert!(!sandbox.path(".claude/skills/pdf").is_symlink());
    sandbox.skillpm("verify").exits(0);

    let manifest = sandbox.read("skillpm.toml");
    sandbox.write("skillpm.toml", format!("{manifest}link = \"symlink\"\n"));
    sandbox.skillpm("install").exits(0);
    assert_eq!(
        std::fs::read_link(sandbox.path(".claude/skills/pdf")).unwrap(),
        std::path::Path::new("../../.agents/skills/pdf")
    );
    sandbox.skillpm("verify").exits(0);
    sandbox.skillpm("install").exits(0).stderr_has("Unchanged");

    sandbox.write("skillpm.toml", manifest);
    sandbox.skillpm("install").exits(0);
    assert!(!sandbox.path(".claude/skills/pdf").is_symlink());
    sandbox.skillpm("verify").exits(0);
    sandbox.skillpm("remove pdf").exits(0);
    sandbox.lacks([".claude/skills/pdf", ".agents/skills/pdf"]);
}

#[test]
fn deny_shadowing_refuses_names_of_other_tiers() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "skillpm.toml",
        "[dependencies]\n\n[policy]\ndeny-shadowing = true\n",
    );
    sandbox.write_skill("skillpm", "Is called like the bundled one.");
    let snapshot = sandbox.snapshot();
    sandbox
        .skillpm("add ./skillpm")
        .exits(1)
        .explains(["skillpm", "deny-shadowing", "--as"]);
    snapshot.still_holds();
    sandbox.skillpm("add ./skillpm --as other").exits(0);
}

#[test]
fn locked_skill_is_installed_under_a_second_name_at_its_version() {
    let (sandbox, repo) = pdf_and_csv();
    let locked = sandbox.locked_commit("pdf");
    repo.skill("skills/pdf", "Reads PDF better.")
        .commit("second");

    sandbox
        .skillpm(format!(
            "add {} --skill pdf --branch main --as papers",
            repo.url()
        ))
        .exits(0)
        .stderr(str![[r"
    Fetching file://[ROOT]/repos/skills
   Installed papers ca4bc848
      Locked 3 skills in skillpm.lock
   Skills in .agents/skills

"]]);
    assert_eq!(sandbox.locked_commit("pdf"), locked);
    assert!(
        sandbox
            .read(".agents/skills/papers/SKILL.md")
            .contains("name: papers")
    );
    sandbox.skillpm("install --locked").exits(0);
    sandbox.skillpm("remove pdf").exits(0);
    sandbox.skillpm("verify").exits(0);

    // Of a registry, and of a directory.
    sandbox.skillpm("add debugging").exits(0);
    sandbox.skillpm("add debugging --as bugs").exits(0);
    sandbox.write_skill("own", "Does own things.");
    sandbox.skillpm("add ./own").exits(0);
    sandbox.skillpm("add ./own --as mine").exits(0);
    sandbox.has([
        ".agents/skills/own/SKILL.md",
        ".agents/skills/mine/SKILL.md",
    ]);
    sandbox.skillpm("install --locked").exits(0);
}
