//! Yodoca, as its ADR-015 has it: short descriptions, resources, bound skills, the limit, and proposals of an agent.

use serde_json::{Value, json};

use crate::serve::{ask, call};
use crate::support::Sandbox;

/// The ADR's own example.
const EXTENSION_DEVELOPMENT: &str = "\
---
name: extension-development
description: >
  How to create and modify extensions for the Yodoca platform.
  Use when building new tools, channels, agents, schedulers, or services.
tags: [development, extensions, architecture]
requires: []
---

# Extension Development

## When to use
- Creating a new extension (tool, channel, agent, scheduler, service)
- Understanding the extension contract and protocols
";

/// The ADR's manifest of an agent.
const BUILDER_AGENT: &str = "\
id: builder_agent
name: Extension Builder Agent

agent:
  integration_mode: tool
  model: gpt-5.2-codex
  uses_tools:
    - core_tools
    - web_search
    - skill_registry
  uses_skills:
    - extension-development
  limits:
    max_turns: 20

depends_on:
  - skill_registry
";

fn yodoca() -> Sandbox {
    let sandbox = Sandbox::new();
    let dir = "sandbox/skills/extension-development";
    sandbox.write(&format!("{dir}/SKILL.md"), EXTENSION_DEVELOPMENT);
    sandbox.write(&format!("{dir}/references/protocols.md"), "# Protocols\n");
    sandbox.write(
        "sandbox/skills/code-review/SKILL.md",
        "---\nname: code-review\ndescription: Code review checklist and best practices\n---\n\nCheck.\n",
    );
    sandbox
}

#[test]
fn descriptions_are_short_and_the_limit_can_be_set() {
    let sandbox = yodoca();
    sandbox
        .skillpm("catalog --agent yodoca --format yodoca")
        .exits(0)
        .stdout(
            "[Available Skills]\n\
             • `code-review` — Code review checklist and best practices\n\
             • `extension-development` — How to create and modify extensions for the Yodoca platform.\n\n\
             Use read_skill(skill_id) to load full instructions.\n",
        );
    let limited = |most: u32| {
        let run = sandbox.skillpm(format!(
            "catalog --agent yodoca --format yodoca --only extension-development --config agents.yodoca.max-description={most}"
        ));
        run.exits(0)
            .stdout_text()
            .lines()
            .nth(1)
            .unwrap()
            .to_owned()
    };
    assert_eq!(
        limited(40),
        "• `extension-development` — How to create and modify extensions…"
    );
    assert_eq!(
        limited(500),
        "• `extension-development` — How to create and modify extensions for the Yodoca platform. Use when building \
         new tools, channels, agents, schedulers, or services."
    );
}

#[test]
fn resources_are_read_by_paths_inside_the_skill_alone() {
    let sandbox = yodoca();
    sandbox.write("sandbox/skills/secret.txt", "secret");
    let mut server = sandbox.skillpm("serve --agent yodoca").follow();
    let mut read = |path: &str| {
        let arguments = json!({"skill_id": "extension-development", "path": path});
        call(&mut server, "read_skill_resource", &arguments)
    };

    for path in [
        "references/protocols.md",
        "./references/protocols.md",
        "./references/./protocols.md",
    ] {
        assert_eq!(read(path), (false, "# Protocols\n".to_owned()), "{path}");
        let file = sandbox.skillpm(format!(
            "show extension-development --agent yodoca --file {path}"
        ));
        file.exits(0).stdout("# Protocols\n");
    }
    for path in [
        "../secret.txt",
        "./../secret.txt",
        "references/./../../secret.txt",
        "/etc/passwd",
        ".//etc/passwd",
    ] {
        let (is_error, text) = read(path);
        assert!(
            is_error && text.starts_with("Path traversal detected"),
            "{path}: {text}"
        );
    }
}

#[test]
fn skills_that_an_agents_manifest_uses_are_carried_by_it() {
    let sandbox = yodoca();
    let manifest = "sandbox/extensions/builder_agent/manifest.yaml";
    sandbox.write(manifest, BUILDER_AGENT);
    sandbox
        .skillpm("catalog --agent builder_agent --format bodies")
        .exits(0)
        .stdout_has("# Extension Development\n\n## When to use\n")
        .never_prints("Check.");
    // It sees Yodoca's directory, and in Yodoca's form.
    sandbox
        .skillpm("catalog --agent builder_agent --format yodoca")
        .exits(0)
        .stdout_has("• `code-review` — ");

    // A tool of Yodoca's is an extension, too, and no agent.
    sandbox.write(
        "sandbox/extensions/kv/manifest.yaml",
        "id: kv\nname: Keys\n",
    );
    sandbox
        .skillpm("catalog --agent kv")
        .exits_one_of([1, 2])
        .explains(["unknown agent `kv`"]);
    sandbox
        .skillpm("catalog --agent ../../sandbox/extensions/builder_agent")
        .exits_one_of([1, 2])
        .explains(["unknown agent"]);
}

#[test]
fn faults_of_an_agents_manifest_are_reported_with_their_place() {
    let sandbox = yodoca();
    let manifest = "sandbox/extensions/builder_agent/manifest.yaml";
    sandbox.write(
        manifest,
        BUILDER_AGENT.replace("- extension-development", "- gone"),
    );
    sandbox
        .skillpm("catalog --agent builder_agent --format yodoca")
        .exits(0)
        .stderr_has("builder_agent/manifest.yaml:12:7: skill `gone` of `uses_skills` not found");

    sandbox.write(
        manifest,
        "id: builder_agent\nagent:\n  uses_skills: extension-development\n",
    );
    sandbox
        .skillpm("catalog --agent builder_agent")
        .exits(2)
        .stdout("")
        .explains([
            "failed to parse `sandbox/extensions/builder_agent/manifest.yaml:3:16`",
            "`agent.uses_skills` requires a list of skill ids",
        ]);
    sandbox.write(manifest, "id: builder_agent\nagent:\n  uses_skills: [a\n");
    sandbox
        .skillpm("catalog --agent builder_agent")
        .exits(2)
        .stdout("")
        .explains([
            "failed to parse `sandbox/extensions/builder_agent/manifest.yaml:3:16`",
            "help: fix `sandbox/extensions/builder_agent/manifest.yaml`",
        ]);
}

#[test]
fn skill_over_8000_tokens_is_a_warning_for_yodoca() {
    let sandbox = yodoca();
    // Some 9,000 tokens: above Yodoca's limit, and below that of the others.
    let body =
        "Name the field, its page and its place, what it wants, and what it gets.\n".repeat(480);
    sandbox.write(
        "sandbox/skills/code-review/SKILL.md",
        format!("---\nname: code-review\ndescription: Reviews code. Use before a merge.\n---\n\n# Review\n\n{body}"),
    );
    let warned = |flags: &str| {
        let run = sandbox.skillpm(format!("lint sandbox/skills/code-review {flags}"));
        run.exits_one_of([0, 1])
            .stdout_text()
            .contains("tokens; the maximum is 8,000")
    };
    assert!(warned("--target yodoca"));
    assert!(!warned("") && !warned("--target codex"));
}

/// Proposes a change to the served agent, and applies it; each of the files has it then.
#[track_caller]
fn proposes_and_applies(sandbox: &Sandbox, files: &[&str]) {
    let before = sandbox.read(files[0]);
    let after = before.replace("Work with care.", "Work with great care.");
    assert_ne!(before, after);

    let mut server = sandbox
        .skillpm("serve --agent yodoca --allow-proposals")
        .follow();
    let arguments = json!({
        "skill_id": "pdf",
        "text": after,
        "justification": "Protocol signature changed.",
        "evidence": "Two failed runs.",
    });
    let (is_error, text) = call(&mut server, "propose_skill_update", &arguments);
    assert!(!is_error, "{text}");
    for file in files {
        sandbox.reads(file, &before);
    }

    sandbox.skillpm("proposals apply pdf").exits(0);
    for file in files {
        sandbox.reads(file, &after);
    }
}

#[test]
fn proposal_of_a_served_agent_is_applied_to_all_copies() {
    let sandbox = Sandbox::new();
    sandbox.write_skill("lib/pdf", "Reads PDF.");
    sandbox.write(
        "skillpm.toml",
        "[dependencies]\n\n[install]\ntargets = [\"yodoca\"]\n",
    );
    sandbox.skillpm("add ./lib/pdf").exits(0);
    let copies = ["sandbox/skills/pdf/SKILL.md", ".agents/skills/pdf/SKILL.md"];
    proposes_and_applies(&sandbox, &copies);
    // The source of the package is not a copy, and stays.
    assert!(sandbox.read("lib/pdf/SKILL.md").contains("Work with care."));
    // An edit as by hand, which `verify` knows.
    sandbox
        .skillpm("verify")
        .exits(1)
        .stdout("changed   .agents/skills/pdf/SKILL.md\nchanged   sandbox/skills/pdf/SKILL.md\n");
}

#[cfg(unix)]
#[test]
fn proposal_for_a_linked_copy_changes_the_file_behind_the_link() {
    let sandbox = Sandbox::project_here();
    sandbox.write_skill(".agents/skills/pdf", "Reads PDF.");
    std::fs::create_dir_all(sandbox.path("sandbox/skills")).unwrap();
    std::os::unix::fs::symlink(
        "../../.agents/skills/pdf",
        sandbox.path("sandbox/skills/pdf"),
    )
    .unwrap();
    let copies = ["sandbox/skills/pdf/SKILL.md", ".agents/skills/pdf/SKILL.md"];
    proposes_and_applies(&sandbox, &copies);
    assert!(sandbox.path("sandbox/skills/pdf").is_symlink());
}

#[test]
fn copy_with_other_text_stays_when_a_proposal_is_applied() {
    let sandbox = Sandbox::project_here();
    sandbox.write_skill(".agents/skills/pdf", "Reads PDF.");
    sandbox.write_skill("sandbox/skills/pdf", "Reads PDF.");
    sandbox.edit(".agents/skills/pdf/SKILL.md", "Work with care.", "Mine.");
    let mine = sandbox.read(".agents/skills/pdf/SKILL.md");
    proposes_and_applies(&sandbox, &["sandbox/skills/pdf/SKILL.md"]);
    sandbox.reads(".agents/skills/pdf/SKILL.md", &mine);
}

#[test]
fn read_skill_names_the_id_its_tokens_and_what_it_requires() {
    let sandbox = yodoca();
    sandbox.write(
        "sandbox/skills/api-design/SKILL.md",
        "---\nname: api-design\ndescription: Designs APIs.\nrequires: [extension-development]\n---\n\nDesign.\n",
    );
    let shown = sandbox
        .skillpm("show api-design --agent yodoca --format yodoca")
        .exits(0);
    shown
        .stdout_has("Skill loaded: api-design (approx. ")
        .stdout_has(
            "This skill requires: extension-development. Load it first if you haven't already.",
        );
    let mut server = sandbox.skillpm("serve --agent yodoca").follow();
    let listed: Value = ask(
        &mut server,
        "tools/call",
        &json!({"name": "list_skills", "arguments": {"query": "architecture"}}),
    );
    let text = listed["content"][0]["text"].as_str().unwrap();
    assert!(text.starts_with("- extension-development: "), "{text}");
}
