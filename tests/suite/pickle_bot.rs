//! Pickle-bot, as its design has it: the tool `skill` with ids and display names, its answers, and `allow_skills`.

use serde_json::{Value, json};

use crate::serve::{ask, call};
use crate::support::Sandbox;

/// The design's example, with the human-readable name that its rules ask for.
const BRAINSTORMING: &str = "\
---
name: Brainstorming Ideas
description: Turn ideas into fully formed designs through collaborative dialogue
---

# Brainstorming Ideas Into Designs

## Overview
Help turn ideas into fully formed designs and specs through natural collaborative dialogue.
";

const DEFINITION: &str = "\
---
name: General Assistant
provider: openai
model: gpt-4
allow_skills: true
---

You are a helpful assistant with access to specialized skills...
";

const NOT_FOUND: &str = "Skill 'nope' not found. It may have been removed or is unavailable.";

fn pickle_bot() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("~/.pickle-bot/skills/brainstorming/SKILL.md", BRAINSTORMING);
    sandbox.write(
        "~/.pickle-bot/skills/debugging/SKILL.md",
        "---\nname: debugging\ndescription: Finds faults\n---\n\nLook.\n",
    );
    sandbox
}

fn tool() -> Value {
    json!({
        "type": "function",
        "function": {
            "name": "skill",
            "description": "Load and invoke a specialized skill. <skills>\n  <skill name=\"Brainstorming Ideas\">Turn ideas \
                            into fully formed designs through collaborative dialogue</skill>\n  \
                            <skill name=\"debugging\">Finds faults</skill>\n</skills>",
            "parameters": {
                "type": "object",
                "properties": {
                    "skill_name": {
                        "type": "string",
                        "enum": ["brainstorming", "debugging"],
                        "description": "The name of the skill to load",
                    },
                },
                "required": ["skill_name"],
            },
        },
    })
}

/// The instructions of the example, stripped.
fn instructions() -> &'static str {
    BRAINSTORMING.split_once("---\n\n").unwrap().1.trim()
}

#[test]
fn tool_has_the_ids_in_its_enum_and_the_names_in_its_description() {
    let sandbox = pickle_bot();
    let printed = sandbox
        .skillpm("catalog --agent pickle-bot --format pickle")
        .exits(0)
        .stdout_json();
    assert_eq!(printed, tool());

    let mut server = sandbox.skillpm("serve --agent pickle-bot").follow();
    let tools = ask(&mut server, "tools/list", &json!({}));
    let (listed, function) = (&tools["tools"][0], &tool()["function"]);
    assert_eq!(listed["name"], "skill");
    assert_eq!(listed["description"], function["description"]);
    assert_eq!(listed["inputSchema"], function["parameters"]);
}

#[test]
fn name_for_people_of_an_installed_skill_is_shown() {
    let sandbox = Sandbox::new();
    sandbox.write("brainstorming/SKILL.md", BRAINSTORMING);
    // Its directory has the id of the seed, and it is known by that.
    sandbox
        .skillpm("add -g ./brainstorming --target pickle-bot")
        .exits(0)
        .stderr_has(
            "`Brainstorming Ideas` is installed as `brainstorming`, the name of its directory",
        );
    let installed = sandbox.read("~/.pickle-bot/skills/brainstorming/SKILL.md");
    assert!(installed.contains("name: brainstorming\n"), "{installed}");
    assert!(
        installed.contains("  display-name: \"Brainstorming Ideas\"\n"),
        "{installed}"
    );

    let printed = sandbox
        .skillpm("catalog --agent pickle-bot --format pickle")
        .exits(0)
        .stdout_json();
    let function = &printed["function"];
    let listed = function["description"].as_str().unwrap();
    assert!(
        listed.contains("<skill name=\"Brainstorming Ideas\">"),
        "{listed}"
    );
    let ids = &function["parameters"]["properties"]["skill_name"]["enum"];
    assert_eq!(*ids, json!(["brainstorming"]));
    sandbox
        .skillpm("show brainstorming --agent pickle-bot --format pickle")
        .exits(0)
        .stdout(instructions());
    sandbox.skillpm("verify -g").exits(0);
}

/// Without a directory that can be its id, or with a name that is rather a mistake than a title, `--as` decides.
#[test]
fn name_that_is_no_title_has_to_be_chosen() {
    let sandbox = Sandbox::new();
    for (dir, name) in [
        ("Brain", "Brainstorming Ideas"),
        ("pdf", "Pdf"),
        ("up", "Up ../../etc"),
    ] {
        sandbox.write(
            &format!("{dir}/SKILL.md"),
            BRAINSTORMING.replace("Brainstorming Ideas\n", &format!("{name}\n")),
        );
        let code = if name.contains("..") { 3 } else { 1 };
        sandbox
            .skillpm(format!("add ./{dir}"))
            .exits(code)
            .stderr_has("invalid skill name")
            .stderr_has("`--as NAME`");
    }
}

#[test]
fn titles_of_a_repository_are_installed_by_their_directories() {
    let sandbox = Sandbox::new();
    sandbox.write("all/skills/brainstorming/SKILL.md", BRAINSTORMING);
    sandbox.write(
        "all/skills/review/SKILL.md",
        BRAINSTORMING.replace("Brainstorming Ideas\n", "Code Review & Co.\n"),
    );
    sandbox.skillpm("add ./all --all").exits(0);
    sandbox.skillpm("add ./all --skill review").exits(0);
    let locked = sandbox.read("skillpm.lock");
    for name in ["brainstorming", "review"] {
        assert!(locked.contains(&format!("name = \"{name}\"")), "{locked}");
    }
    sandbox.skillpm("install --locked").exits(0);
    sandbox.skillpm("verify").exits(0);
}

#[test]
fn id_of_the_enum_loads_the_skill() {
    let sandbox = pickle_bot();
    sandbox
        .skillpm("show brainstorming --agent pickle-bot --format pickle")
        .exits(0)
        .stdout(instructions());

    let mut server = sandbox.skillpm("serve --agent pickle-bot").follow();
    let mut load = |id: &str| call(&mut server, "skill", &json!({"skill_name": id}));
    assert_eq!(load("brainstorming"), (false, instructions().to_owned()));
    // Pickle-bot has no guard: the same skill is loaded as often as it is asked for.
    assert_eq!(load("brainstorming"), (false, instructions().to_owned()));
}

#[test]
fn unknown_id_is_refused_in_the_words_of_the_tool() {
    let sandbox = pickle_bot();
    sandbox
        .skillpm("show nope --agent pickle-bot --format pickle")
        .exits(1)
        .stdout("")
        .explains([NOT_FOUND]);
    let mut server = sandbox.skillpm("serve --agent pickle-bot").follow();
    assert_eq!(
        call(&mut server, "skill", &json!({"skill_name": "nope"})),
        (true, format!("Error: {NOT_FOUND}"))
    );
}

#[test]
fn tool_is_registered_only_if_there_are_skills() {
    let sandbox = Sandbox::new();
    let mut server = sandbox.skillpm("serve --agent pickle-bot").follow();
    let tools = ask(&mut server, "tools/list", &json!({}));
    assert_ne!(tools["tools"][0]["name"], "skill");
}

#[test]
fn allow_skills_of_an_agents_own_file_decides() {
    let sandbox = pickle_bot();
    let file = "~/.pickle-bot/agents/assistant/AGENT.md";
    let printed = |sandbox: &Sandbox| {
        let run = sandbox.skillpm("catalog --agent assistant --format pickle");
        run.exits(0).stdout_text().to_owned()
    };

    sandbox.write(file, DEFINITION);
    assert_eq!(
        serde_json::from_str::<Value>(&printed(&sandbox)).unwrap(),
        tool()
    );
    for off in ["allow_skills: false\n", ""] {
        sandbox.write(file, DEFINITION.replace("allow_skills: true\n", off));
        assert_eq!(printed(&sandbox), "");
    }
    let hidden = sandbox
        .skillpm("catalog --agent assistant --all")
        .exits(0)
        .stdout_json();
    assert_eq!(
        hidden["skills"][0]["because"],
        "skills are switched off in `~/.pickle-bot/agents/assistant/AGENT.md` (`allow_skills`)"
    );

    for (text, reason) in [
        (
            DEFINITION.replace("true", "sometimes"),
            "AGENT.md:5:15`: `allow_skills` requires `true` or `false`",
        ),
        (
            "You are.\n".to_owned(),
            "AGENT.md:1:1`: missing frontmatter between two lines `---`",
        ),
    ] {
        sandbox.write(file, text);
        sandbox
            .skillpm("catalog --agent assistant --format pickle")
            .exits(2)
            .stdout("")
            .explains([
                "failed to parse `~/.pickle-bot/agents/assistant/AGENT.md",
                reason,
            ]);
    }
}

/// The design's example of an override, with a path that exists.
#[test]
fn skills_path_of_its_configuration_is_where_its_skills_are() {
    let sandbox = pickle_bot();
    let custom = sandbox.path("~/custom/skills");
    sandbox.write(
        "~/custom/skills/tea/SKILL.md",
        "---\nname: Tea Time\ndescription: Makes tea\n---\n\nBoil.\n",
    );
    let ids = |expected: &[&str]| {
        let printed = sandbox
            .skillpm("catalog --agent pickle-bot --format pickle")
            .exits(0)
            .stdout_json();
        assert_eq!(
            printed["function"]["parameters"]["properties"]["skill_name"]["enum"],
            json!(expected)
        );
    };

    ids(&["brainstorming", "debugging"]);
    // The user's file overrides the system's, whose path is relative to its directory.
    sandbox.write(
        "~/.pickle-bot/config.system.yaml",
        "skills_path: ../custom/skills\n",
    );
    ids(&["tea"]);
    sandbox.write("~/.pickle-bot/config.user.yaml", "skills_path: skills\n");
    ids(&["brainstorming", "debugging"]);
    let user = format!("default_agent: x\nskills_path: {}\n", custom.display());
    sandbox.write("~/.pickle-bot/config.user.yaml", user);
    ids(&["tea"]);
    sandbox.skillpm("list").exits(0).stdout_has("tea");

    // Skills are installed there, too.
    sandbox.write(
        "green/SKILL.md",
        "---\nname: green\ndescription: Makes green tea\n---\n\nSteep.\n",
    );
    sandbox
        .skillpm("add -g ./green --target pickle-bot")
        .exits(0);
    assert!(custom.join("green/SKILL.md").is_file());
    ids(&["green", "tea"]);

    // Our setting overrides Pickle-bot's.
    sandbox
        .skillpm("config set agents.pickle-bot.user-dir ~/.pickle-bot/skills")
        .exits(0);
    ids(&["brainstorming", "debugging"]);
}

#[test]
fn configuration_without_a_path_is_an_error_for_pickle_bot_alone() {
    let sandbox = pickle_bot();
    for (text, place, reason) in [
        (
            "skills_path: [a]\n",
            "1:14",
            "`skills_path` requires a path",
        ),
        ("a: b\nskills_path: a: b\n", "2:15", ""),
    ] {
        sandbox.write("~/.pickle-bot/config.user.yaml", text);
        let place = format!("failed to parse `~/.pickle-bot/config.user.yaml:{place}`: {reason}");
        sandbox
            .skillpm("catalog --agent pickle-bot --format pickle")
            .exits(2)
            .stdout("")
            .explains([&*place, "fix `~/.pickle-bot/config.user.yaml`"]);
        sandbox
            .skillpm("agents list -g")
            .exits(0)
            .stderr_has("warning: cannot find out which skills Pickle-bot sees")
            .stderr_has(&place);
    }
}

/// "No SKILL.md found in empty", as its loader logs.
#[test]
fn directory_without_skill_md_is_skipped_with_a_warning() {
    let sandbox = pickle_bot();
    sandbox.write("~/.pickle-bot/skills/empty/notes.txt", "nothing\n");
    let found = sandbox
        .skillpm("catalog --agent pickle-bot --format pickle")
        .exits(0);
    assert_eq!(found.stdout_json(), tool());
    found.stderr_has("skills/empty/SKILL.md: not found, so that Pickle-bot skips the directory (missing-skill-md)");
    sandbox
        .skillpm("catalog")
        .exits(0)
        .never_prints("missing-skill-md");
}
