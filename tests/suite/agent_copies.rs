//! The copies of an installed skill in the directories of agents: one skill, whatever was changed or left in one of them.

use snapbox::str;

use crate::support::Sandbox;

/// A project for Claude Code with `pdf` and `csv`, in `.agents/skills` and in `.claude/skills`.
fn with_copies() -> Sandbox {
    let sandbox = Sandbox::project_here();
    std::fs::create_dir_all(sandbox.path(".claude")).unwrap();
    let repo = sandbox.repo_with("pdf");
    repo.skill("skills/csv", "Reads CSV.").commit("more");
    sandbox
        .skillpm(format!(
            "add {} --all --target claude-code --no-detect",
            repo.url()
        ))
        .exits(0)
        .stderr_has("; seen by Claude Code");
    sandbox
}

/// What all commands say of the skills, which must be the same, whichever copy was changed.
fn is_one_skill(sandbox: &Sandbox) {
    for command in ["list", "list --agent claude-code", "why pdf", "status"] {
        let outcome = sandbox.skillpm(command).exits(0);
        let text = format!("{}{}", outcome.stdout_text(), outcome.stderr_text());
        for wrong in [
            "shadow-inversion",
            "remove or rename",
            "covers",
            "shadows",
            "not seen",
            "sees 1",
        ] {
            assert!(!text.contains(wrong), "{command}: {text}");
        }
    }
    sandbox.skillpm("status").exits(0).stdout_has("sees 2");
    let lines = sandbox
        .skillpm("list --format json")
        .exits(0)
        .stdout_json_lines();
    for name in ["pdf", "csv"] {
        let line = lines.iter().find(|line| line["name"] == name).unwrap();
        assert_eq!(line["seen_by"][0], "claude-code", "{line}");
    }
}

#[test]
fn edited_copy_of_an_agent_is_one_skill_with_edits() {
    for copy in [".claude/skills/pdf", ".agents/skills/pdf"] {
        let sandbox = with_copies();
        let page = format!("{copy}/SKILL.md");
        let text = sandbox.read(&page);
        sandbox.write(&page, format!("{text}\nMine.\n"));

        is_one_skill(&sandbox);
        let commands = [("list", 0), ("why pdf", 0), ("diff", 0), ("verify", 1)];
        for (command, code) in commands.into_iter().chain([("status", 0)]) {
            let outcome = sandbox.skillpm(command).exits(code);
            let text = format!("{}{}", outcome.stdout_text(), outcome.stderr_text());
            let names_edit = text.contains(copy) || text.contains("1 edited");
            assert!(names_edit, "{command}: {text}");
        }
    }
}

#[test]
fn list_and_why_show_the_edited_copy() {
    let sandbox = with_copies();
    let text = sandbox.read(".claude/skills/pdf/SKILL.md");
    sandbox.write(".claude/skills/pdf/SKILL.md", format!("{text}\nMine.\n"));

    sandbox
        .skillpm("list")
        .exits(0)
        .stdout(str![[r"
TIER       NAME            VERSION   DESCRIPTION
workspace  csv             ae85227e  Reads CSV.
workspace  pdf             ae85227e  Does one thing well.
bundled    skillpm         0.1.0     Finds, adds, updates, removes and checks agent skills with skillpm, the…
bundled    writing-skills  0.1.0     Teaches how to write an agent skill that is chosen at the right moment …

"]])
        .stderr(str![[r"
     Seen by Claude Code: csv, pdf
      Edited .claude/skills/pdf: `skillpm diff pdf` shows the edits

"]]);
    sandbox.skillpm("why pdf").exits(0).stdout(str![[r"
pdf ae85227e from `file://[ROOT]/repos/skills`
  required in skillpm.toml: pdf
  in the workspace tier: [ROOT]/project/.agents/skills/pdf/SKILL.md
  has a copy in the workspace tier: [ROOT]/project/.claude/skills/pdf/SKILL.md
  edited in .claude/skills/pdf: `skillpm diff pdf` shows the edits
  seen by Claude Code

"]]);
    let why = sandbox
        .skillpm("why pdf --format json")
        .exits(0)
        .stdout_json();
    assert_eq!(why["edited"][0], ".claude/skills/pdf");
}

#[test]
fn files_that_running_a_skill_leaves_in_one_copy_make_no_other_skill() {
    for left in ["run.log", ".env", "scripts/__pycache__/a.pyc", ".venv/x.py"] {
        for copy in [".claude/skills/pdf", ".agents/skills/pdf"] {
            let sandbox = with_copies();
            sandbox.write(&format!("{copy}/{left}"), "left\n");
            if left.starts_with(".venv") {
                sandbox.write(&format!("{copy}/.venv/pyvenv.cfg"), "home = /usr\n");
            }
            is_one_skill(&sandbox);
            sandbox
                .skillpm("status")
                .exits(0)
                .stdout_has("all installed");
        }
    }
}

#[test]
fn skill_of_a_person_in_the_directory_of_an_agent_is_another_one() {
    let sandbox = with_copies();
    sandbox.write_skill(".agents/skills/mine", "Does my own things.");
    sandbox.write_skill(".claude/skills/mine", "Does other things of mine.");
    let outcome = sandbox.skillpm("list").exits(0);
    outcome.stdout_has("mine (hides 1)");
    outcome.stderr_has("shadow-inversion");
}
