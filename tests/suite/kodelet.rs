//! Kodelet, as its ADR-020 has it: the tool `skill` with its description, answers and errors, and Kodelet's own settings.

use std::time::Duration;

use serde_json::{Value, json};

use crate::serve::{ask, call};
use crate::support::{Following, Sandbox, path_text, with_slashes};

/// The ADR's description of the tool, up to the list.
const USAGE: &str = "\
When users ask you to perform tasks, check if any of the available skills below can help complete the task more effectively. Skills provide specialized capabilities and domain knowledge.

# Usage
- Use this tool with the skill name only
- Examples:
  - \"pdf\" - invoke the pdf skill
  - \"xlsx\" - invoke the xlsx skill

## Important
- When a skill is relevant, you must invoke this tool IMMEDIATELY as your first action
- NEVER just announce or mention a skill in your text response without actually calling this tool
- This is a BLOCKING REQUIREMENT: invoke the relevant Skill tool BEFORE generating any other response about the task
- Only use skills listed in \"Available Skills\" below
- Do not invoke a skill that is already running
- Each skill has a directory containing supporting files (references, examples, scripts, templates) that you can read using file_read or glob_tool
- Do NOT modify any files in the skill directory - treat skill contents as read-only
- If you need to modify a script from the skill directory, copy it to the working directory first using file_write, then use file_edit to update it
- For Python scripts, use uv for managing dependencies - do NOT install packages using system pip

## Available Skills

";

/// The skills of the ADR's configuration: `pdf` in the repository, `xlsx` and `kubernetes` of the user.
fn kodelet() -> Sandbox {
    let sandbox = Sandbox::new();
    skill(&sandbox, ".kodelet/skills/pdf", "pdf", "Handles PDF files");
    skill(
        &sandbox,
        "~/.kodelet/skills/xlsx",
        "xlsx",
        "Edits spreadsheets",
    );
    skill(
        &sandbox,
        "~/.kodelet/skills/k8s",
        "kubernetes",
        "Reads clusters",
    );
    sandbox
}

fn skill(sandbox: &Sandbox, dir: &str, name: &str, description: &str) {
    let text = format!(
        "---\nname: {name}\ndescription: {description}\n---\n\n# Your Skill Name\n\n## Instructions\nProvide guidance.\n"
    );
    sandbox.write(&format!("{dir}/SKILL.md"), text);
}

fn list(sandbox: &Sandbox) -> String {
    let entry = |name: &str, description: &str, dir: &str| {
        let dir = path_text(&sandbox.path(dir));
        format!("### {name}\n- **Description**: {description}\n- **Directory**: `{dir}`\n\n")
    };
    [
        entry("kubernetes", "Reads clusters", "~/.kodelet/skills/k8s"),
        entry("pdf", "Handles PDF files", ".kodelet/skills/pdf"),
        entry("xlsx", "Edits spreadsheets", "~/.kodelet/skills/xlsx"),
    ]
    .concat()
}

/// The names that `catalog --agent kodelet` shows.
fn shown(sandbox: &Sandbox, flags: &str) -> Vec<Value> {
    let catalog = sandbox
        .skillpm(format!("catalog --agent kodelet {flags}"))
        .exits(0)
        .stdout_json();
    let skills = catalog["skills"].as_array().unwrap();
    skills.iter().map(|skill| skill["name"].clone()).collect()
}

#[test]
fn description_and_schema_are_the_adrs_word_for_word() {
    let sandbox = kodelet();
    let description = format!("{USAGE}{}", list(&sandbox));
    let text = sandbox
        .skillpm("catalog --agent kodelet --format kodelet")
        .exits(0)
        .stdout_text()
        .to_owned();
    assert_eq!(text, description);

    let mut server = sandbox.skillpm("serve --agent kodelet").follow();
    let tools = ask(&mut server, "tools/list", &json!({}));
    let tool = &tools["tools"][0];
    assert_eq!(tool["name"], "skill");
    let described = tool["description"].as_str().unwrap().to_owned();
    assert_eq!(with_slashes(described), description);
    assert_eq!(
        tool["inputSchema"],
        json!({
            "type": "object",
            "properties": {"skill_name": {"type": "string", "description": "The name of the skill to invoke"}},
            "required": ["skill_name"],
            "additionalProperties": false,
        })
    );
}

#[test]
fn tool_answers_and_refuses_in_the_adrs_words() {
    let sandbox = kodelet();
    let mut server = sandbox.skillpm("serve --agent kodelet").follow();
    let mut invoke = |arguments: Value| call(&mut server, "skill", &arguments);

    let (is_error, text) = invoke(json!({"skill_name": "pdf"}));
    let dir = path_text(&sandbox.path(".kodelet/skills/pdf"));
    let answer = format!(
        "<result>\n# Skill: pdf\n\nThe skill directory is located at: {dir}\n\n## Instructions\n\n\
         # Your Skill Name\n\n## Instructions\nProvide guidance.\n\n</result>\n"
    );
    assert_eq!((is_error, with_slashes(text)), (false, answer));

    for (arguments, refusal) in [
        (
            json!({"skill_name": "pdf"}),
            "skill 'pdf' is already active",
        ),
        (json!({}), "skill_name is required"),
        (json!({"skill_name": ""}), "skill_name is required"),
        (
            json!({"skill_name": "docx"}),
            "unknown skill 'docx'. Available skills: kubernetes, pdf, xlsx",
        ),
        // Kodelet goes by names, and not by directories.
        (
            json!({"skill_name": "k8s"}),
            "unknown skill 'k8s'. Available skills: kubernetes, pdf, xlsx",
        ),
    ] {
        assert_eq!(invoke(arguments), (true, refusal.to_owned()));
    }

    // The guard is one of the session: another has the skill to load again.
    let mut other = sandbox.skillpm("serve --agent kodelet").follow();
    assert!(!call(&mut other, "skill", &json!({"skill_name": "pdf"})).0);
    // And what was disabled can be loaded again.
    call(&mut other, "disable_skill", &json!({"skill_name": "pdf"}));
    assert!(!call(&mut other, "skill", &json!({"skill_name": "pdf"})).0);
}

#[test]
fn show_refuses_in_the_words_of_the_tool() {
    let sandbox = kodelet();
    sandbox
        .skillpm("show docx --agent kodelet --format kodelet")
        .exits(1)
        .stdout("")
        .explains(["unknown skill 'docx'. Available skills: kubernetes, pdf, xlsx"]);
    sandbox
        .skillpm("show pdf --agent kodelet --format kodelet --config catalog.enabled=false")
        .exits(1)
        .stdout("")
        .explains(["skills are disabled"]);
}

#[test]
fn no_skills_are_shown_for_one_run_or_by_a_setting() {
    let sandbox = kodelet();
    let sentence = format!("{USAGE}Skills are currently not available.\n");
    for flags in ["--no-skills", "--config catalog.enabled=false"] {
        sandbox
            .skillpm(format!("catalog --agent kodelet --format kodelet {flags}"))
            .exits(0)
            .stdout(sentence.clone());

        let mut server = sandbox
            .skillpm(format!("serve --agent kodelet {flags}"))
            .follow();
        let tools = ask(&mut server, "tools/list", &json!({}));
        assert_eq!(tools["tools"][0]["description"], sentence);
        let refused = call(&mut server, "skill", &json!({"skill_name": "pdf"}));
        assert_eq!(refused, (true, "skills are disabled".to_owned()));
    }
    assert_eq!(shown(&sandbox, "").len(), 3);
}

#[test]
fn kodelets_own_configuration_is_read_and_the_repositorys_goes_above() {
    let sandbox = kodelet();
    let sample = "# Skills configuration\nskills:\n  # Enable/disable skills globally (default: true)\n  enabled: true\n\n  \
                  allowed:\n    - pdf\n    - kubernetes\n";
    sandbox.write("~/.kodelet/config.yaml", sample);
    assert_eq!(shown(&sandbox, ""), ["kubernetes", "pdf"]);

    // Key by key: what the repository does not say stays as the user has it.
    sandbox.write("kodelet-config.yaml", "skills:\n  allowed: [xlsx]\n");
    assert_eq!(shown(&sandbox, ""), ["xlsx"]);
    sandbox.write("kodelet-config.yaml", "skills:\n  allowed: []\n");
    assert_eq!(shown(&sandbox, "").len(), 3);
    sandbox.write("kodelet-config.yaml", "skills:\n  enabled: false\n");
    assert_eq!(shown(&sandbox, ""), [""; 0]);
    let hidden = sandbox
        .skillpm("catalog --agent kodelet --all")
        .exits(0)
        .stdout_json();
    assert_eq!(
        hidden["skills"][0]["because"],
        "skills are switched off in `kodelet-config.yaml`"
    );
}

#[test]
fn invalid_configuration_of_kodelet_is_an_error_with_its_place() {
    let sandbox = kodelet();
    for (text, explanation) in [
        (
            "skills:\n  allowed: [pdf\n",
            ["failed to parse `kodelet-config.yaml:2:12`", "help: fix"],
        ),
        (
            "skills:\n  allowed: pdf\n",
            [
                "invalid `skills.allowed` in `kodelet-config.yaml:2:12`",
                "expected a list of names",
            ],
        ),
        (
            "skills:\n  enabled: \"no\"\n",
            [
                "invalid `skills.enabled` in `kodelet-config.yaml:2:12`",
                "expected `true` or `false`",
            ],
        ),
    ] {
        sandbox.write("kodelet-config.yaml", text);
        sandbox
            .skillpm("catalog --agent kodelet")
            .exits(2)
            .stdout("")
            .explains(explanation);
    }
}

#[test]
fn client_is_notified_when_the_description_of_the_tool_changes() {
    let sandbox = kodelet();
    let mut server = sandbox.skillpm("serve --agent kodelet").follow();
    let client = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}});
    let say = |server: &mut Following, message: Value| server.say(&message.to_string());
    say(
        &mut server,
        json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": client}),
    );
    assert_eq!(
        server.object()["result"]["capabilities"]["tools"],
        json!({"listChanged": true})
    );
    say(
        &mut server,
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
    );
    // Answered only after the notification above was taken.
    say(
        &mut server,
        json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list", "params": {}}),
    );
    assert_eq!(server.object()["id"], 2);

    skill(&sandbox, ".kodelet/skills/csv", "csv", "Handles CSV files");
    let changed = |list: &str| json!({"jsonrpc": "2.0", "method": format!("notifications/{list}/list_changed")});
    assert_eq!(server.object(), changed("resources"));
    assert_eq!(server.object(), changed("tools"));

    // Another text of a skill leaves the list of tools as it was.
    let path = ".kodelet/skills/csv/SKILL.md";
    let text = sandbox.read(path);
    sandbox.write(path, format!("{text}More.\n"));
    assert_eq!(server.object(), changed("resources"));
    server.is_silent(Duration::from_millis(300));
}
