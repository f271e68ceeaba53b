//! What `[catalog]` hides from an agent is not installed in the directory that only this agent reads.

use snapbox::str;

use crate::support::Sandbox;

/// A project with two skills, installed for Claude Code in a directory of its own.
fn project() -> Sandbox {
    let sandbox = Sandbox::project_here();
    sandbox.write_skill("src/pdf", "Reads PDF.");
    sandbox.write_skill("src/deploy", "Deploys the site.");
    sandbox
        .skillpm("add ./src --all --target claude-code")
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
        .stderr_has("Cleared .claude/skills/deploy, which `[catalog]` hides from its agent");
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
        sandbox.has([".agents/skills/deploy/SKILL.md"]);
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
