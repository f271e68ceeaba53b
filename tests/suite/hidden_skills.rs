//! What `[catalog]` hides from an agent is not installed in the directory that only this agent reads.

use snapbox::str;

use crate::support::Sandbox;

/// A project with two skills, installed for Claude Code in a directory of its own.
fn project() -> Sandbox {
    let sandbox = Sandbox::project_here();
    sandbox.write_skill("src/pdf", "Reads PDF.");
    sandbox.write_skill("src/deploy", "Deploys the site.");
    sandbox
        .skillpm("add ./src --all --target claude-code --no-detect")
        .exits(0);
    sandbox.has([
        ".claude/skills/pdf/SKILL.md",
        ".claude/skills/deploy/SKILL.md",
    ]);
    sandbox
}

fn with_rule(sandbox: &Sandbox, rule: &str) {
    let manifest = sandbox.read("skillpm.toml");
    sandbox.write("skillpm.toml", format!("{manifest}\n{rule}"));
}

#[test]
fn denied_skill_leaves_only_the_directory_of_its_agent() {
    let sandbox = project();
    let before = sandbox.read("skillpm.toml");
    with_rule(
        &sandbox,
        "[catalog.agents.claude-code]\ndeny = [\"deploy\"]\n",
    );
    sandbox
        .skillpm("install")
        .exits(0)
        .stderr_has("Cleared .claude/skills/deploy, which `[catalog]` hides from agents");
    sandbox.lacks([".claude/skills/deploy"]);
    sandbox.has([
        ".claude/skills/pdf/SKILL.md",
        ".agents/skills/deploy/SKILL.md",
    ]);

    let why = sandbox.skillpm("why deploy").exits(0);
    why.stdout_has(
        "not seen by Claude Code (found .claude/): `deploy` is denied in `[catalog.agents.claude-code]` of skillpm.toml",
    );

    sandbox.skillpm("verify").exits(0);
    sandbox.skillpm("install --locked").exits(0);
    sandbox.skillpm("list").exits(0).stdout_has("deploy");
    assert!(
        !sandbox
            .skillpm("doctor")
            .exits(0)
            .stdout_text()
            .contains("is missing")
    );

    sandbox.skillpm("undo").exits(0);
    sandbox.has([".claude/skills/deploy/SKILL.md"]);
    sandbox.skillpm("install").exits(0);
    sandbox.lacks([".claude/skills/deploy"]);

    // Without the rule it is back.
    sandbox.write("skillpm.toml", before);
    sandbox.skillpm("install").exits(0);
    sandbox.has([".claude/skills/deploy/SKILL.md"]);
    sandbox.skillpm("verify").exits(0);
}

#[test]
fn allow_and_enabled_hide_as_well() {
    for (rule, kept) in [
        ("[catalog.agents.claude-code]\nallow = [\"pdf\"]\n", true),
        ("[catalog.agents.claude-code]\nenabled = false\n", false),
        ("[catalog]\ndeny = [\"dep*\"]\n", true),
    ] {
        let sandbox = project();
        with_rule(&sandbox, rule);
        sandbox.skillpm("install").exits(0);
        sandbox.lacks([".claude/skills/deploy"]);
        assert_eq!(sandbox.path(".claude/skills/pdf").exists(), kept, "{rule}");
        // A rule for all agents holds in the directory that all may read.
        let is_for_all = rule.starts_with("[catalog]");
        assert_eq!(
            sandbox.path(".agents/skills/deploy").exists(),
            !is_for_all,
            "{rule}"
        );
        sandbox.skillpm("verify").exits(0);
    }
}

#[test]
fn edits_of_a_skill_that_gets_hidden_are_kept() {
    let sandbox = project();
    sandbox.edit(
        ".claude/skills/deploy/SKILL.md",
        "Deploys",
        "Carefully deploys",
    );
    with_rule(
        &sandbox,
        "[catalog.agents.claude-code]\ndeny = [\"deploy\"]\n",
    );
    sandbox.skillpm("install").exits(0);
    sandbox.lacks([".claude/skills/deploy"]);
    assert!(
        sandbox
            .read(".agents/skills/deploy/SKILL.md")
            .contains("Carefully")
    );
}

#[test]
fn shared_directory_keeps_the_skill_with_a_warning() {
    let sandbox = Sandbox::project_here();
    sandbox.write_skill("src/pdf", "Reads PDF.");
    with_rule(&sandbox, "[catalog.agents.codex]\ndeny = [\"pdf\"]\n");
    sandbox
        .skillpm("add ./src/pdf")
        .exits(0)
        .stderr_has("cannot hide `pdf` from Codex: it stays in the shared directory `.agents/skills` (`pdf` is denied in `[catalog.agents.codex]` of skillpm.toml)");
    sandbox.has([".agents/skills/pdf/SKILL.md"]);
}

#[test]
fn own_copies_in_two_targets_are_no_finding_of_doctor() {
    let sandbox = project();
    sandbox
        .skillpm("doctor")
        .exits(0)
        .never_prints("(duplicate)");
    // Another copy, which skillpm did not install, still is one.
    sandbox.write_skill(".cursor/skills/pdf", "Another.");
    sandbox.skillpm("doctor").exits(0).stdout_has("(duplicate)");
}

#[test]
fn unlisted_skill_names_the_agents_that_list_it() {
    let sandbox = Sandbox::project_here();
    sandbox.write(".agents/skills/pdf/SKILL.md", "No frontmatter here.\n");
    sandbox.skillpm("why pdf").exits(1).stderr(str![[r"
error: skill `pdf` not found
  `[ROOT]/project/.agents/skills/pdf/SKILL.md` cannot be listed: the file does not begin with `---`
  Claude Code lists it nevertheless
help: `skillpm list` shows all skills

"]]);
}

#[test]
fn agent_that_a_skill_is_hidden_from_does_not_see_it() {
    let sandbox = Sandbox::project_here();
    sandbox.write_skill("src/pdf", "Reads PDF.");
    sandbox.write_skill("src/deploy", "Deploys the site.");
    sandbox.write(
        "skillpm.toml",
        "[install]\ntargets = [\"claude-code\"]\n\n[catalog.agents.claude-code]\ndeny = [\"deploy\"]\n",
    );
    sandbox
        .skillpm("add ./src --skill deploy")
        .exits(0)
        .never_prints("; seen by");
    sandbox
        .skillpm("add ./src --skill pdf")
        .exits(0)
        .stderr_has("; seen by Claude Code");
}

#[test]
fn disabled_skill_is_locked_and_in_no_directory() {
    let sandbox = project();
    let before = sandbox.read("skillpm.toml");
    let lock = sandbox.read("skillpm.lock");
    sandbox.skillpm("disable deploy").exits(0).stderr(str![[r"
     Cleared .agents/skills/deploy, which `[catalog]` hides from agents
     Cleared .claude/skills/deploy, which `[catalog]` hides from agents
    Disabled deploy; `skillpm enable deploy` undoes it

"]]);
    sandbox.lacks([".agents/skills/deploy", ".claude/skills/deploy"]);
    sandbox.reads("skillpm.lock", &lock);
    sandbox.skillpm("install --locked").exits(0);
    sandbox.skillpm("verify").exits(0);
    sandbox
        .skillpm("catalog")
        .exits(0)
        .never_prints("deploy")
        .never_prints("denied-absent");
    sandbox.skillpm("update").exits(0);
    sandbox.lacks([".agents/skills/deploy"]);
    sandbox
        .skillpm("list")
        .exits(0)
        .stderr_has("    Disabled deploy: `skillpm enable deploy` puts back\n");
    sandbox.skillpm("add ./src/deploy").exits(0).stderr_has(
        "warning: `deploy` is disabled: no agent gets it\nhelp: run `skillpm enable deploy`\n",
    );
    sandbox.skillpm("disable deploy").exits(0).stderr(str![[r"
   Unchanged 1 skill, up to date with skillpm.lock
    Disabled deploy; `skillpm enable deploy` undoes it

"]]);

    sandbox.skillpm("enable deploy").exits(0).stderr(str![[r"
   Installed deploy ed729bfd40f0
   Skills in .agents/skills, .claude/skills; seen by Claude Code

"]]);
    sandbox.reads("skillpm.toml", &before);
    sandbox.has([
        ".agents/skills/deploy/SKILL.md",
        ".claude/skills/deploy/SKILL.md",
    ]);
    sandbox.skillpm("undo").exits(0);
    sandbox.lacks([".agents/skills/deploy"]);
}

#[test]
fn edited_skill_is_not_disabled_without_a_backup() {
    let sandbox = project();
    sandbox.edit(".agents/skills/deploy/SKILL.md", "Deploys", "Mine: deploys");
    let snapshot = sandbox.snapshot();
    sandbox.skillpm("disable deploy").exits(1).stderr(str![[r"
error: refusing to change `.agents/skills/deploy`: it was edited since it was installed
  `deploy`: SKILL.md
help: run `skillpm diff` to see the edits
help: pass `--force` to continue and move the present files to `.skillpm/backup`

"]]);
    snapshot.still_holds();
    sandbox.skillpm("disable deploy --force").exits(0);
    sandbox.lacks([".agents/skills/deploy"]);
    sandbox.skillpm("undo").exits(0);
    assert!(
        sandbox
            .read(".agents/skills/deploy/SKILL.md")
            .contains("Mine")
    );
}

#[test]
fn skill_that_another_rule_hides_cannot_be_enabled() {
    for rule in ["deny = [\"dep*\"]", "allow = [\"pdf\"]", "enabled = false"] {
        let sandbox = project();
        with_rule(&sandbox, &format!("[catalog]\n{rule}\n"));
        sandbox.skillpm("install").exits(0);
        let snapshot = sandbox.snapshot();
        sandbox
            .skillpm("enable deploy")
            .exits(1)
            .stderr_has("error: cannot enable `deploy`: ")
            .stderr_has("help: change `[catalog]` in skillpm.toml, then run `skillpm install`");
        snapshot.still_holds();
    }
    let sandbox = project();
    sandbox.skillpm("disable deplyo").exits(1).stderr(str![[r"
error: package `deplyo` not found in the lockfile
help: did you mean `deploy`?

"]]);
}
