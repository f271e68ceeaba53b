//! The agents that are used in a project see what is installed: detection by their files, and `agents`.

use snapbox::str;

use crate::support::{Repo, Sandbox, skipped};

/// The targets in the manifest; `None` without the key.
fn targets(sandbox: &Sandbox) -> Option<Vec<String>> {
    let manifest = sandbox.manifest();
    let targets = manifest.get("install")?.get("targets")?.as_array()?;
    Some(
        targets
            .iter()
            .map(|id| id.as_str().unwrap().to_owned())
            .collect(),
    )
}

/// A project with these files and directories (which end with `/`), and no manifest.
fn project_with(paths: &[&str]) -> Sandbox {
    let sandbox = Sandbox::new();
    for path in paths {
        match path.strip_suffix('/') {
            Some(dir) => std::fs::create_dir_all(sandbox.path(dir)).unwrap(),
            None => sandbox.write(path, "x\n"),
        }
    }
    sandbox
}

/// A line of `agents list` for this agent.
fn agent_line(sandbox: &Sandbox, line: &str, id: &str) -> serde_json::Value {
    let lines = sandbox
        .skillpm(format!("{line} --format json"))
        .exits(0)
        .stdout_json_lines();
    let mut lines = lines.into_iter();
    lines.find(|line| line["id"] == id).unwrap_or_default()
}

#[cfg(unix)]
fn link(sandbox: &Sandbox, path: &str, to: &std::path::Path) {
    std::os::unix::fs::symlink(to, sandbox.path(path)).unwrap();
}

#[test]
fn the_first_add_installs_for_the_agent_of_the_project() {
    // Its marker, its id, and the directory in which it reads skills.
    let agents = [
        (".claude/", "claude-code", ".claude/skills"),
        ("CLAUDE.md", "claude-code", ".claude/skills"),
        (".junie/", "junie", ".junie/skills"),
        (".kiro/", "kiro-cli", ".kiro/skills"),
        (".continue/", "continue", ".continue/skills"),
        (".autohand/", "autohand-code", ".autohand/skills"),
        (".kodelet/", "kodelet", ".kodelet/skills"),
        (".trae/", "trae", ".trae/skills"),
        ("sandbox/extensions/", "yodoca", "sandbox/skills"),
        (".devin/", "devin", ".devin/skills"),
    ];
    for (marker, id, directory) in agents {
        let sandbox = project_with(&[marker]);
        let undo = format!("(found {marker}); `skillpm agents remove {id}` undoes it");
        sandbox
            .skillpm("add release")
            .exits(0)
            .stderr_has("   Targeting ")
            .stderr_has(&undo);
        assert_eq!(targets(&sandbox).unwrap(), [id], "{marker}");
        sandbox.has([&format!("{directory}/release/SKILL.md")]);
        // One copy: no other agent of the project reads the shared directory.
        sandbox.lacks([".agents"]);
        sandbox.skillpm("verify").exits(0);
    }
}

#[test]
fn agents_that_read_one_directory_share_one_copy() {
    // What the project has, and the directories of the skills.
    let projects: [(&[&str], &[&str]); 6] = [
        (&[".claude/"], &[".claude/skills"]),
        // Cursor reads that of Claude Code, too.
        (&[".claude/", ".cursor/"], &[".claude/skills"]),
        (&["CLAUDE.md", "AGENTS.md"], &[".claude/skills"]),
        (
            &[".claude/", ".codex/"],
            &[".agents/skills", ".claude/skills"],
        ),
        (
            &[".claude/", ".kiro/"],
            &[".agents/skills", ".claude/skills", ".kiro/skills"],
        ),
        // A directory that is there is that of other agents.
        (
            &[".claude/", ".agents/skills/"],
            &[".agents/skills", ".claude/skills"],
        ),
    ];
    for (paths, directories) in projects {
        let sandbox = project_with(paths);
        let lines = sandbox
            .skillpm("add release --format json")
            .exits(0)
            .stdout_json_lines();
        let summary = lines.last().unwrap();
        assert_eq!(
            summary["directories"],
            serde_json::json!(directories),
            "{paths:?}"
        );
    }
}

#[test]
fn main_directory_of_one_agent_is_left_with_it() {
    let sandbox = project_with(&[".claude/"]);
    sandbox.skillpm("add release").exits(0).stderr(str![[r"
    Fetching changelog 1.1.0
    Fetching commit-messages 1.2.0
    Fetching release 1.0.0
    Fetching writing-release-notes 2.1.0
     Created [ROOT]/project/skillpm.toml
   Targeting Claude Code (found .claude/); `skillpm agents remove claude-code` undoes it
   Installed changelog 1.1.0
   Installed commit-messages 1.2.0
   Installed release 1.0.0
   Installed writing-release-notes 2.1.0
      Locked 4 skills in skillpm.lock
   Skills in .claude/skills; seen by Claude Code

"]]);
    sandbox.reads(
        "skillpm.toml",
        r#"[dependencies]
release = "^1.0"

[install]
targets = ["claude-code"]
dir = ".claude/skills"
"#,
    );

    // One that reads another directory gets a copy there; the first may go then.
    sandbox.skillpm("agents add codex").exits(0).stderr(str![[r"
   Targeting Codex
   Installed changelog 1.1.0
   Installed commit-messages 1.2.0
   Installed release 1.0.0
   Installed writing-release-notes 2.1.0
   Skills in .claude/skills, .agents/skills; seen by Claude Code, Codex

"]]);
    sandbox
        .skillpm("agents remove codex claude-code")
        .exits(0)
        .stderr(str![[r"
  Untargeted Codex
  Untargeted Claude Code
     Cleared .claude/skills/changelog, which is no longer a target
     Cleared .claude/skills/commit-messages, which is no longer a target
     Cleared .claude/skills/release, which is no longer a target
     Cleared .claude/skills/writing-release-notes, which is no longer a target

"]]);
    sandbox.reads(
        "skillpm.toml",
        r#"[dependencies]
release = "^1.0"

[install]
targets = []
"#,
    );
    sandbox.has([".agents/skills/release/SKILL.md"]);
    sandbox.lacks([".claude/skills"]);
    for _ in 0..3 {
        sandbox.skillpm("undo").exits(0);
    }
    sandbox.lacks(["skillpm.toml", ".claude/skills/release", ".agents"]);
}

#[test]
fn directory_that_the_manifest_sets_is_the_main_one() {
    let sandbox = project_with(&[".claude/"]);
    sandbox.write("skillpm.toml", "[install]\ndir = \".agents/skills\"\n");
    sandbox.skillpm("add release").exits(0);
    sandbox.has([
        ".agents/skills/release/SKILL.md",
        ".claude/skills/release/SKILL.md",
    ]);
}

#[test]
fn an_agent_that_reads_the_main_directory_gets_no_target() {
    let agents = [
        (".codex/", "Codex"),
        (".cursor/", "Cursor"),
        (".cursorrules", "Cursor"),
        (".github/copilot-instructions.md", "GitHub Copilot"),
        ("GEMINI.md", "Gemini CLI"),
        (".gemini/", "Gemini CLI"),
        (".opencode/", "OpenCode"),
        (".pi/", "Pi"),
        (".clinerules/", "Cline"),
        (".clinerules", "Cline"),
        (".goosehints", "Goose"),
        (".windsurf/", "Windsurf"),
        (".roo/", "Roo Code"),
        ("CRUSH.md", "Crush"),
        (".augment-guidelines", "Augment"),
        (".qoder/", "Qoder"),
        (".qwen/", "Qwen Code"),
        ("QWEN.md", "Qwen Code"),
        (".kimi-code/", "Kimi Code CLI"),
        (".openhands/", "OpenHands"),
        (".reasonix/", "Reasonix"),
        (".vibe/", "Mistral Vibe"),
    ];
    for (marker, name) in agents {
        let sandbox = project_with(&[marker]);
        sandbox
            .skillpm("add release")
            .exits(0)
            .never_prints("Targeting")
            .stderr_has(&format!("   Skills in .agents/skills; seen by {name}\n"));
        assert_eq!(targets(&sandbox), None, "{marker}");
    }
}

#[test]
fn files_of_all_agents_mark_none() {
    let sandbox = project_with(&[
        "AGENTS.md",
        ".agents/",
        ".github/",
        "skills/",
        "data/skills/",
    ]);
    sandbox
        .skillpm("add release")
        .exits(0)
        .never_prints("Targeting")
        .never_prints("een by ");
    assert_eq!(targets(&sandbox), None);
}

#[test]
fn several_agents_are_detected_in_one_transaction() {
    let sandbox = project_with(&[".claude/", ".kiro/", ".cursor/", "GEMINI.md"]);
    let lines = sandbox
        .skillpm("add release --format json")
        .exits(0)
        .stdout_json_lines();
    let summary = lines.last().unwrap();
    assert_eq!(summary["detected"][0]["id"], "claude-code");
    assert_eq!(summary["detected"][0]["found"], ".claude/");
    assert_eq!(summary["detected"][1]["id"], "kiro-cli");
    let seeing = ["claude-code", "cursor", "gemini-cli", "kiro-cli"];
    assert_eq!(summary["seen_by"], serde_json::json!(seeing));
    sandbox.has([
        ".claude/skills/release/SKILL.md",
        ".kiro/skills/release/SKILL.md",
    ]);
    sandbox.skillpm("verify").exits(0);

    // One command, one undo: the targets go together with the skill.
    sandbox.skillpm("undo").exits(0);
    sandbox.lacks([
        "skillpm.toml",
        ".agents/skills/release",
        ".claude/skills",
        ".kiro/skills",
    ]);
    sandbox.has([".claude", ".kiro"]);
}

#[test]
fn nothing_is_detected_where_it_is_turned_off() {
    let off: [(&str, &[(&str, &str)]); 5] = [
        ("add release --no-detect", &[]),
        ("add release", &[("CI", "true")]),
        ("add release", &[("CI", "1")]),
        ("add release --config install.detect=false", &[]),
        ("add release", &[("SKILLPM_INSTALL_DETECT", "false")]),
    ];
    for (line, env) in off {
        let sandbox = project_with(&[".claude/"]);
        let mut run = sandbox.skillpm(line);
        for (key, value) in env {
            run = run.env(key, value);
        }
        run.exits(0).never_prints("Targeting");
        assert_eq!(targets(&sandbox), None, "{line} {env:?}");
        sandbox.lacks([".claude/skills"]);
    }

    // `--no-input` answers no question, and there is none for one agent.
    let sandbox = project_with(&[".claude/", ".kiro/"]);
    sandbox.skillpm("add release --no-input").exits(0);
    assert_eq!(targets(&sandbox).unwrap(), ["claude-code", "kiro-cli"]);
}

#[test]
fn nothing_is_detected_with_locked() {
    let sandbox = project_with(&[".claude/", "skillpm.toml"]);
    sandbox.write("skillpm.toml", "[dependencies]\n");
    for flag in ["--locked", "--frozen"] {
        let snapshot = sandbox.snapshot();
        let outcome = sandbox
            .skillpm(format!("add release {flag}"))
            .exits_one_of([0, 1, 2, 3]);
        outcome.never_prints("Targeting");
        snapshot.still_holds();
    }
    // A project may turn it off, and what the user turned off stays off.
    sandbox.write(".skillpm/config.toml", "[install]\ndetect = false\n");
    sandbox
        .skillpm("add release")
        .exits(0)
        .never_prints("Targeting");
}

#[test]
fn a_removed_target_is_not_added_again() {
    let sandbox = project_with(&[".claude/"]);
    sandbox.skillpm("add release").exits(0);
    sandbox
        .skillpm("agents remove claude-code")
        .exits(0)
        .stderr_has("Untargeted Claude Code");
    assert!(targets(&sandbox).unwrap().is_empty());
    sandbox.lacks([".claude/skills"]);
    sandbox.has([".claude", ".agents/skills/release/SKILL.md"]);

    sandbox
        .skillpm("add commit-messages")
        .exits(0)
        .never_prints("Targeting");
    // Also once all skills are gone: the empty list says that it was chosen.
    sandbox.skillpm("remove release commit-messages").exits(0);
    sandbox
        .skillpm("add release")
        .exits(0)
        .never_prints("Targeting");

    sandbox.skillpm("agents add claude-code").exits(0);
    sandbox.has([".claude/skills/release/SKILL.md"]);
    sandbox.skillpm("undo").exits(0);
    sandbox.lacks([".claude/skills"]);
    assert!(targets(&sandbox).unwrap().is_empty());
}

#[test]
fn init_writes_the_detected_targets() {
    let sandbox = project_with(&[".claude/", ".cursor/"]);
    sandbox
        .skillpm("init")
        .exits(0)
        .stderr_has("Targeting Claude Code (found .claude/); `skillpm agents remove claude-code`");
    assert_eq!(targets(&sandbox).unwrap(), ["claude-code"]);
    sandbox.skillpm("agents remove claude-code").exits(0);
    sandbox
        .skillpm("add release")
        .exits(0)
        .never_prints("Targeting");

    let plain = project_with(&[".claude/"]);
    plain.skillpm("init --no-detect").exits(0);
    plain.reads("skillpm.toml", "[dependencies]\n");
}

#[test]
fn the_first_add_after_init_with_a_later_marker_is_the_first() {
    let sandbox = Sandbox::new();
    sandbox.skillpm("init").exits(0);
    sandbox.write("CLAUDE.md", "# Notes\n");
    sandbox
        .skillpm("add release --dry-run")
        .exits(0)
        .stderr_has("Would target Claude Code (found CLAUDE.md)");
    sandbox.skillpm("add release").exits(0);
    assert_eq!(targets(&sandbox).unwrap(), ["claude-code"]);
}

#[test]
fn import_targets_the_agents_that_do_not_see_the_skills() {
    let sandbox = project_with(&[".kiro/"]);
    sandbox.skillpm("add release --no-detect").exits(0);
    // As another tool leaves it: the files of a package, and nothing of skillpm.
    for own in ["skillpm.toml", "skillpm.lock", ".skillpm"] {
        sandbox.delete(own);
    }
    sandbox
        .skillpm("import")
        .exits(0)
        .stderr_has("Targeting Kiro CLI (found .kiro/)");
    assert_eq!(targets(&sandbox).unwrap(), ["kiro-cli"]);
    sandbox.has([".kiro/skills/release/SKILL.md"]);
}

#[cfg(unix)]
#[test]
fn a_marker_of_the_wrong_kind_does_not_count() {
    // A file where a directory is meant, a directory where a file is, and a dangling link.
    let sandbox = project_with(&[".claude", "CLAUDE.md/"]);
    link(&sandbox, ".kiro", "nowhere".as_ref());
    sandbox
        .skillpm("add release")
        .exits(0)
        .never_prints("Targeting");
    assert_eq!(targets(&sandbox), None);
}

#[cfg(unix)]
#[test]
fn a_link_counts_as_what_it_leads_to() {
    let sandbox = project_with(&["AGENTS.md"]);
    link(&sandbox, "CLAUDE.md", "AGENTS.md".as_ref());
    sandbox.skillpm("add release").exits(0);
    assert_eq!(targets(&sandbox).unwrap(), ["claude-code"]);

    // Its directory is the main one: it sees the skills there.
    let linked = project_with(&[".claude/", ".agents/skills/"]);
    link(&linked, ".claude/skills", "../.agents/skills".as_ref());
    linked
        .skillpm("add release")
        .exits(0)
        .never_prints("Targeting")
        .stderr_has("; seen by Claude Code");
    assert_eq!(targets(&linked), None);
}

#[cfg(unix)]
#[test]
fn a_target_that_cannot_be_written_is_left_out_with_a_warning() {
    let sandbox = project_with(&[".claude/", ".claude/skills"]);
    sandbox
        .skillpm("add release")
        .exits(0)
        .stderr_has(
            "warning: Claude Code does not see the skills: `.claude/skills` is not a directory",
        )
        .stderr_has("help: fix it, then run `skillpm agents add claude-code`");
    assert_eq!(targets(&sandbox), None);

    let outside = project_with(&[]);
    std::fs::create_dir(outside.root().join("elsewhere")).unwrap();
    link(&outside, ".claude", &outside.root().join("elsewhere"));
    outside
        .skillpm("add release")
        .exits(0)
        .stderr_has("`.claude` is a link that leaves the project");
    assert_eq!(targets(&outside), None);
    assert_eq!(
        outside.root().join("elsewhere").read_dir().unwrap().count(),
        0
    );
}

#[test]
fn a_skill_in_the_way_of_a_detected_target_is_explained() {
    let sandbox = project_with(&[".claude/", ".claude/skills/release/SKILL.md"]);
    sandbox
        .skillpm("add release")
        .exits_one_of([1, 2])
        .explains([".claude/skills/release"])
        .stderr_has("Claude Code was detected by `.claude/`")
        .stderr_has("pass `--no-detect`");
    sandbox.lacks(["skillpm.toml"]);
    sandbox.reads(".claude/skills/release/SKILL.md", "x\n");
    sandbox.skillpm("add release --no-detect").exits(0);
}

#[test]
fn an_unknown_agent_is_an_error_with_the_nearest() {
    let sandbox = Sandbox::project_here();
    for verb in ["add", "remove"] {
        let snapshot = sandbox.snapshot();
        sandbox
            .skillpm(format!("agents {verb} claude-cod"))
            .exits(2)
            .explains([
                "unknown agent `claude-cod`",
                "did you mean `claude-code`?",
                "`skillpm agents list --all` lists all agents",
            ]);
        snapshot.still_holds();
    }
    sandbox
        .skillpm("agents remove kiro-cli")
        .exits(1)
        .explains(["target `kiro-cli` not found", "agents list"]);
    sandbox
        .skillpm("agents remove codex")
        .exits(1)
        .explains(["target `codex` not found", "`.agents/skills`"]);
    sandbox.skillpm("agents add pickle-bot").exits(1).explains([
        "unsupported target `pickle-bot`",
        "agents add -g pickle-bot",
    ]);
    sandbox
        .skillpm("agents add codex")
        .exits(0)
        .stderr_has("Unchanged Codex sees the skills in `.agents/skills`");
    sandbox.reads("skillpm.toml", "[dependencies]\n");
}

#[test]
fn agents_are_listed_with_the_directory_they_see() {
    let sandbox = project_with(&[".claude/", ".codex/"]);
    sandbox.write("skillpm.toml", "[dependencies]\n");
    std::fs::create_dir_all(sandbox.path("~/.kiro")).unwrap();

    let claude = agent_line(&sandbox, "agents list", "claude-code");
    assert_eq!(claude["sees"], serde_json::Value::Null);
    assert_eq!(claude["help"], "skillpm agents add claude-code");
    assert_eq!(
        agent_line(&sandbox, "agents list", "codex")["sees"],
        ".agents/skills"
    );
    // What is only installed on the machine is not used here.
    let kiro = agent_line(&sandbox, "agents list", "kiro-cli");
    assert_eq!(kiro["used"], false);
    assert_eq!(kiro["evidence"][0]["path"], "~/.kiro");
    assert_eq!(
        agent_line(&sandbox, "agents list --all", "zed")["used"],
        false
    );

    sandbox.skillpm("add release").exits(0);
    assert_eq!(targets(&sandbox).unwrap(), ["claude-code"]);
    let claude = agent_line(&sandbox, "agents list", "claude-code");
    assert_eq!(
        (&claude["sees"], &claude["target"]),
        (&".claude/skills".into(), &true.into())
    );
    // Its earlier name.
    sandbox
        .skillpm("agents detect")
        .exits(0)
        .stderr_has("Not seen by Kiro CLI: run `skillpm agents add kiro-cli`");
}

#[test]
fn agents_are_listed_before_there_is_a_project() {
    let sandbox = project_with(&[".claude/"]);
    let claude = agent_line(&sandbox, "agents list", "claude-code");
    assert_eq!(claude["evidence"][0]["path"], ".claude/");
    sandbox.lacks(["skillpm.toml"]);
}

#[test]
fn list_why_and_doctor_say_who_sees_a_skill() {
    let sandbox = project_with(&[".cursor/", ".codex/"]);
    sandbox.skillpm("add release").exits(0);
    sandbox.write("CLAUDE.md", "# Notes\n");

    sandbox
        .skillpm("list")
        .exits(0)
        .stderr_has("Seen by Codex, Cursor: changelog, ");
    let lines = sandbox
        .skillpm("list --format json")
        .exits(0)
        .stdout_json_lines();
    let skill = |name: &str| lines.iter().find(|line| line["name"] == name).unwrap();
    assert_eq!(
        skill("release")["seen_by"],
        serde_json::json!(["codex", "cursor"])
    );

    sandbox
        .skillpm("why release")
        .exits(0)
        .stdout_has("  seen by Codex, Cursor\n")
        .stdout_has(
            "  not seen by Claude Code (found CLAUDE.md): `skillpm agents add claude-code` changes that\n",
        );
    let why = sandbox
        .skillpm("why release --format json")
        .exits(0)
        .stdout_json();
    assert_eq!(
        why["unseen_by"][0]["help"],
        "skillpm agents add claude-code"
    );

    let doctor = sandbox.skillpm("doctor").exits_one_of([0, 1]);
    doctor
        .stdout_has("warning[visibility]: Claude Code (found CLAUDE.md) does not see the skills")
        .stdout_has("help: `skillpm agents add claude-code` changes that");

    sandbox.skillpm("agents add claude-code").exits(0);
    sandbox
        .skillpm("doctor")
        .exits(0)
        .never_prints("visibility");
    sandbox
        .skillpm("why release")
        .exits(0)
        .stdout_has("  seen by Claude Code, Codex, Cursor\n")
        .never_prints("not seen");
}

#[test]
fn last_line_names_the_agents_of_the_machine_that_do_not_see_the_skills() {
    let sandbox = project_with(&[]);
    for dir in ["~/.claude", "~/.codex", "~/.kiro"] {
        std::fs::create_dir_all(sandbox.path(dir)).unwrap();
    }
    let repo = Repo::new(&sandbox, "skills");
    repo.skill("skills/csv", "Reads CSV.").commit("one");
    sandbox
        .skillpm(format!("add {}", repo.url()))
        .exits(0)
        .stderr(str![[r"
    Fetching file://[ROOT]/repos/skills
     Created [ROOT]/project/skillpm.toml
   Installed csv 4cc38a51
      Locked 1 skill in skillpm.lock
   Skills in .agents/skills; seen by Codex; not seen by Claude Code, Kiro CLI: run `skillpm agents add claude-code kiro-cli`

"]]);
    assert_eq!(targets(&sandbox), None);

    // The other commands that install, and a target that is chosen.
    sandbox.delete(".agents");
    sandbox.skillpm("install").exits(0).stderr(str![[r"
   Installed csv 4cc38a51
   Skills in .agents/skills; seen by Codex; not seen by Claude Code, Kiro CLI: run `skillpm agents add claude-code kiro-cli`

"]]);
    sandbox.skillpm("install").exits(0).stderr(str![[r"
   Unchanged 1 skill, up to date with skillpm.lock

"]]);
    repo.skill("skills/csv", "Reads CSV and TSV.").commit("two");
    sandbox.skillpm("agents add kiro-cli").exits(0);
    sandbox.skillpm("update").exits(0).stderr(str![[r"
    Fetching file://[ROOT]/repos/skills
     Updated csv 4cc38a51 -> 338dc600
      Locked 1 skill in skillpm.lock
   Skills in .agents/skills, .kiro/skills; seen by Codex, Kiro CLI

"]]);
    sandbox.skillpm("update").exits(0).stderr(str![[r"
    Fetching file://[ROOT]/repos/skills
   Unchanged 1 skill, up to date with skillpm.lock

"]]);

    repo.skill("skills/csv", "Reads tables.").commit("three");
    let lines = sandbox
        .skillpm("update --format json")
        .exits(0)
        .stdout_json_lines();
    let summary = lines.last().unwrap();
    let directories = [".agents/skills", ".kiro/skills"];
    assert_eq!(summary["directories"], serde_json::json!(directories));
    assert_eq!(summary["seen_by"], serde_json::json!(["codex", "kiro-cli"]));
    // It was left out when the targets were chosen; the commands about agents still name it.
    assert_eq!(summary["unseen_by"], serde_json::json!([]));
    sandbox
        .skillpm("agents list")
        .exits(0)
        .prints("skillpm agents add claude-code");
    sandbox
        .skillpm("doctor")
        .exits_one_of([0, 1])
        .prints("Claude Code");
}

#[test]
fn agent_of_the_project_is_named_whatever_the_targets_are() {
    for (manifest, is_named) in [
        ("[dependencies]\n", true),
        ("[install]\ntargets = []\n\n[dependencies]\n", false),
        (
            "[install]\ntargets = [\"kiro-cli\"]\n\n[dependencies]\n",
            false,
        ),
    ] {
        let sandbox = Sandbox::project_here();
        std::fs::create_dir_all(sandbox.path("~/.claude")).unwrap();
        sandbox.write("skillpm.toml", manifest);
        let added = sandbox.skillpm("add release").exits(0);
        let line = "not seen by Claude Code";
        assert_eq!(added.stderr_text().contains(line), is_named, "{manifest}");

        // One that is used in the project itself.
        std::fs::create_dir_all(sandbox.path(".claude")).unwrap();
        sandbox.skillpm("add debugging").exits(0).stderr_has(line);
    }
}

#[test]
fn agent_whose_directory_came_after_the_first_add_is_named() {
    let sandbox = project_with(&[]);
    sandbox.skillpm("add release").exits(0);
    std::fs::create_dir_all(sandbox.path(".claude")).unwrap();
    let line = "   Skills in .agents/skills; not seen by Claude Code: run `skillpm agents add claude-code`\n";
    for command in ["add debugging", "add debugging"] {
        sandbox.skillpm(command).exits(0).stderr_has(line);
    }
    sandbox.skillpm("agents add claude-code").exits(0);
    sandbox
        .skillpm("add sql-review")
        .exits(0)
        .stderr_has("   Skills in .agents/skills, .claude/skills; seen by Claude Code\n");
}

#[test]
fn invalid_setting_of_an_agent_stops_no_installation() {
    let sandbox = project_with(&[".cursor/"]);
    sandbox.skillpm("add release").exits(0);
    sandbox.delete(".agents");
    sandbox.write(
        ".skillpm/config.toml",
        "[agents.mine]\nproject-dir = \"../out\"\n",
    );
    sandbox.skillpm("install").exits(0).stderr(str![[r"
warning: cannot find out which agents see the skills: invalid value `../out` for `agents.mine.project-dir`: invalid path `../out`: it contains `.` or `..`
help: set a directory inside the project
   Installed changelog 1.1.0
   Installed commit-messages 1.2.0
   Installed release 1.0.0
   Installed writing-release-notes 2.1.0

"]]);
    sandbox.has([".agents/skills/release/SKILL.md"]);
}

#[test]
fn status_names_an_agent_of_the_machine_until_targets_are_chosen() {
    let sandbox = project_with(&[]);
    std::fs::create_dir_all(sandbox.path("~/.claude")).unwrap();
    sandbox.skillpm("add release").exits(0);
    sandbox
        .skillpm("status")
        .exits(0)
        .stdout_has("Claude Code (~/.claude) sees no skill")
        .stdout_has("  skillpm agents add claude-code");
    sandbox.write(
        "skillpm.toml",
        format!(
            "{}\n[install]\ntargets = []\n",
            sandbox.read("skillpm.toml")
        ),
    );
    sandbox
        .skillpm("status")
        .exits(0)
        .never_prints("Claude Code");
}

#[test]
fn without_a_manifest_the_agents_are_those_of_the_current_directory() {
    let sandbox = project_with(&[".git/", "below/.claude/"]);
    sandbox.write_skill("below/.claude/skills/mine", "Does my own things.");
    sandbox
        .skillpm("-C below list")
        .exits(0)
        .stderr_has("Seen by Claude Code: mine");
    sandbox
        .skillpm("-C below status")
        .exits(0)
        .stdout_has("Claude Code (.claude/) sees 1 skill");
}

#[test]
fn descriptions_that_an_agent_cuts_are_a_warning_of_add() {
    let sandbox = project_with(&[".claude/", ".cursor/"]);
    let repo = Repo::new(&sandbox, "skills");
    for name in ["one", "two", "three"] {
        repo.skill(&format!("skills/{name}"), &"Does a thing. ".repeat(20));
    }
    repo.commit("one");
    sandbox.write(
        "~/.skillpm/config.toml",
        "[agents.claude-code]\nmax-characters = 500\n",
    );
    sandbox
        .skillpm(format!("add {} --all", repo.url()))
        .exits(0)
        .stderr(str![[r"
    Fetching file://[ROOT]/repos/skills
warning: Claude Code cuts or leaves out the descriptions of 3 of 3 skills added (its limit is 500 characters, 1536 a description)
help: `skillpm list --tokens --agent claude-code` shows which
     Created [ROOT]/project/skillpm.toml
   Targeting Claude Code (found .claude/); `skillpm agents remove claude-code` undoes it
   Installed one 192b1438
   Installed three 192b1438
   Installed two 192b1438
      Locked 3 skills in skillpm.lock
   Skills in .claude/skills; seen by Claude Code, Cursor

"]]);
    sandbox
        .skillpm("add debugging --dry-run")
        .exits(0)
        .never_prints("descriptions");
}

#[test]
fn agent_without_a_directory_in_projects_gets_the_users_skills() {
    let sandbox = project_with(&["HERMES.md"]);
    sandbox
        .skillpm("add release")
        .exits(0)
        .never_prints("Targeting")
        .stderr_has("   Skills in .agents/skills; not seen by Hermes Agent\n");
    sandbox
        .skillpm("doctor")
        .exits(0)
        .stdout_has("Hermes Agent (found HERMES.md) reads no skill directory of a project")
        .stdout_has("`skillpm add -g NAME --target hermes-agent` installs a skill for it");

    sandbox
        .skillpm("add -g release --target hermes-agent")
        .exits(0)
        .stderr_has("; seen by Hermes Agent");
    sandbox.has(["~/.hermes/skills/release/SKILL.md"]);
}

#[test]
fn doctor_reports_a_target_that_cannot_be_written() {
    let sandbox = project_with(&[".claude/"]);
    sandbox.skillpm("add release").exits(0);
    sandbox.delete(".claude/skills");
    sandbox.write(".claude/skills", "in the way\n");
    sandbox.skillpm("doctor").exits(1).stdout_has(
        "error[visibility]: failed to install for an agent: `.claude/skills` is not a directory",
    );
}

#[test]
fn the_users_own_skills_go_to_the_agents_of_the_machine() {
    let sandbox = Sandbox::new();
    for dir in ["~/.claude", "~/.codex", "~/.kiro"] {
        std::fs::create_dir_all(sandbox.path(dir)).unwrap();
    }
    sandbox
        .skillpm("add -g release")
        .exits(0)
        .stderr_has("Targeting Claude Code (found ~/.claude); `skillpm agents remove -g claude-code` undoes it")
        .stderr_has("   Skills in ~/.agents/skills, ~/.claude/skills, ~/.kiro/skills; seen by Claude Code, Codex, Kiro CLI\n");
    sandbox.has([
        "~/.agents/skills/release/SKILL.md",
        "~/.claude/skills/release/SKILL.md",
        "~/.kiro/skills/release/SKILL.md",
    ]);
    sandbox.skillpm("agents remove -g kiro-cli").exits(0);
    sandbox.lacks(["~/.kiro/skills"]);
    let kiro = agent_line(&sandbox, "agents list -g", "kiro-cli");
    assert_eq!(kiro["help"], "skillpm agents add -g kiro-cli");

    // A project is not touched by what is only on the machine.
    sandbox
        .skillpm("add release")
        .exits(0)
        .never_prints("Targeting");
    assert_eq!(targets(&sandbox), None);
}

#[cfg(unix)]
#[test]
fn several_agents_are_asked_about_once() {
    let has_terminal = std::process::Command::new("python3")
        .args(["-c", "import pty"])
        .output()
        .is_ok_and(|output| output.status.success());
    if !has_terminal {
        skipped("there is no Python, and so no terminal");
        return;
    }

    let question = "Which agents should get a copy?";
    let sandbox = project_with(&[".claude/", ".kiro/"]);
    let snapshot = sandbox.snapshot();
    sandbox
        .skillpm("add release")
        .on_terminal(question, "\u{3}")
        .ended(130);
    snapshot.still_holds();
    sandbox
        .skillpm("add release")
        .on_terminal(question, "\u{1b}")
        .ended(130)
        .stdout_has("Cancelled; nothing was changed");
    snapshot.still_holds();
    // The first is taken out; the second stays.
    sandbox
        .skillpm("add release")
        .on_terminal(question, " \r")
        .ended(0);
    assert_eq!(targets(&sandbox).unwrap(), ["kiro-cli"]);

    // None is an answer, too, and is not asked again.
    let none = project_with(&[".claude/", ".kiro/"]);
    none.skillpm("add release")
        .on_terminal(question, "\u{1b}[D\r")
        .ended(0);
    assert!(targets(&none).unwrap().is_empty());

    let one = project_with(&[".claude/"]);
    one.skillpm("add release")
        .on_terminal("Installed release", "")
        .ended(0)
        .never_prints(question);
    assert_eq!(targets(&one).unwrap(), ["claude-code"]);
}

#[cfg(unix)]
#[test]
fn agent_that_is_only_installed_on_the_machine_is_asked_about() {
    let question = "Which agents should get a copy?";
    let has_terminal = std::process::Command::new("python3")
        .args(["-c", "import pty"])
        .output()
        .is_ok_and(|output| output.status.success());
    if !has_terminal {
        skipped("there is no Python, and so no terminal");
        return;
    }

    // Selected, as nothing else here would see the skills; Space leaves it out, and the answer is kept.
    for (keys, chosen) in [("\r", &["claude-code"][..]), (" \r", &[])] {
        let sandbox = project_with(&[]);
        std::fs::create_dir_all(sandbox.path("~/.claude")).unwrap();
        sandbox
            .skillpm("add release")
            .on_terminal(question, keys)
            .ended(0);
        assert_eq!(targets(&sandbox).unwrap(), chosen);
    }

    // `--yes` is Enter.
    let sandbox = project_with(&[]);
    std::fs::create_dir_all(sandbox.path("~/.claude")).unwrap();
    sandbox.skillpm("add release --yes").exits(0);
    assert_eq!(targets(&sandbox).unwrap(), ["claude-code"]);

    // That of the project is chosen, that of the machine is not.
    let sandbox = project_with(&[".claude/"]);
    std::fs::create_dir_all(sandbox.path("~/.kiro")).unwrap();
    sandbox
        .skillpm("add release")
        .on_terminal(question, "\r")
        .ended(0);
    assert_eq!(targets(&sandbox).unwrap(), ["claude-code"]);
}

/// A project of Codex, whose own configuration disables the skill `release`.
fn project_with_disabled_release() -> Sandbox {
    let sandbox = project_with(&[".codex/", ".gemini/"]);
    sandbox.write(
        "~/.codex/config.toml",
        "[[skills.config]]\nname = \"release\"\nenabled = false\n",
    );
    sandbox
}

#[test]
fn an_agent_that_disables_a_skill_does_not_see_it() {
    let sandbox = project_with_disabled_release();
    let because =
        "Codex does not list `release`: `release` is switched off in `~/.codex/config.toml`";
    sandbox
        .skillpm("add release")
        .exits(0)
        .stderr_has("   Skills in .agents/skills; seen by Gemini CLI\n")
        .stderr_has(&format!("warning: {because}"))
        .stderr_has("help: `skillpm catalog --agent codex --all` shows what it lists");

    sandbox
        .skillpm("list")
        .exits(0)
        .stderr_has("     Seen by Gemini CLI: release\n");
    sandbox
        .skillpm("why release")
        .exits(0)
        .stdout_has("  seen by Gemini CLI\n")
        .stdout_has("  not seen by Codex (found .codex/): ")
        .stdout_has("`~/.codex/config.toml` (`skills.config`)");

    let why = sandbox.skillpm("why release --format json").exits(0);
    let why = &why.stdout_json_lines()[0];
    assert_eq!(why["seen_by"], serde_json::json!(["gemini-cli"]));
    assert_eq!(why["unseen_by"][0]["id"], "codex");
    assert_eq!(why["unseen_by"][0]["help"], serde_json::Value::Null);
    sandbox.skillpm("doctor").exits(0).stdout_has(because);
}

#[test]
fn an_invalid_configuration_of_an_agent_is_a_warning_with_its_place() {
    let sandbox = project_with_disabled_release();
    sandbox.write("~/.codex/config.toml", "[skills]\nconfig = [\n");
    let warning = "cannot find out which skills Codex sees: failed to parse `~/.codex/config.toml:";
    for line in ["add release", "list", "why release"] {
        sandbox
            .skillpm(line)
            .exits(0)
            .stderr_has(&format!("warning: {warning}"))
            .stderr_has("help: fix `~/.codex/config.toml`");
    }
    sandbox.skillpm("doctor").exits(0).stdout_has(warning);
    sandbox
        .skillpm("catalog --agent codex")
        .exits(2)
        .stderr_has("error: failed to parse `~/.codex/config.toml:");
}
