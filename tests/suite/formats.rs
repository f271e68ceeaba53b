//! Skills of other formats than `SKILL.md`: found, installed and shown like any other.

use serde_json::{Value, json};
use snapbox::str;

use crate::catalog::{skill, skills};
use crate::support::{Outcome, Repo, Sandbox, path_text};

const MANIFEST: &str = "name: Onboarding\nversion: \"1.2.0\"\ndescription: Take somebody through the first week.\ntags: [hr]\n";
const TOOLS: &str = "import os\nos.system('touch ran')\n\n@tool\ndef find(name: str, limit: int = 5) -> str:\n    \"\"\"Find a person.\"\"\"\n\n\
                     def get_tools():\n    return [find]\n";
const CALL: &str = r#"{"id": "unit-convert", "name": "Unit convert", "description": "Converts a value between two units",
 "parameters": {"from": {"type": "string", "description": "Source unit"},
                "value": {"type": "number", "description": "Value to convert", "default": 1}}}
"#;

/// A skill of Nova's in `dir`.
fn write_nova(sandbox: &Sandbox, dir: &str) {
    sandbox.write(&format!("{dir}/manifest.yaml"), MANIFEST);
    sandbox.write(
        &format!("{dir}/instructions.md"),
        "# Onboarding\n\nBe kind.\n",
    );
    sandbox.write(&format!("{dir}/tools.py"), TOOLS);
    sandbox.write(&format!("{dir}/config.yaml"), "retries: 3\n");
}

/// A skill of Devai's in `dir`.
fn write_devai(sandbox: &Sandbox, dir: &str) {
    sandbox.write(&format!("{dir}/skill.json"), CALL);
    sandbox.write(
        &format!("{dir}/execute.ts"),
        "export async function execute() {}\n",
    );
}

fn is_valid(outcome: &Outcome) {
    let schema: Value =
        serde_json::from_str(include_str!("../../docs/schemas/catalog.schema.json")).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let errors: Vec<String> = validator
        .iter_errors(&outcome.stdout_json())
        .map(|error| error.to_string())
        .collect();
    assert!(errors.is_empty(), "{errors:?}");
}

#[test]
fn skill_of_another_format_is_installed_unchanged() {
    let sandbox = Sandbox::project_here();
    write_nova(&sandbox, "backend/first_week");
    write_devai(&sandbox, "unit-convert");
    sandbox.skillpm("add ./backend/first_week").exits(0);
    sandbox.skillpm("add ./unit-convert").exits(0);
    assert_eq!(
        sandbox.tree(".agents/skills/first_week"),
        sandbox.tree("backend/first_week")
    );
    assert_eq!(
        sandbox.tree(".agents/skills/unit-convert"),
        sandbox.tree("unit-convert")
    );
    assert_eq!(sandbox.locked("first-week", "version"), "1.2.0");
    sandbox.skillpm("verify").exits(0);
    sandbox.skillpm("install --locked").exits(0);
    assert!(!sandbox.path("ran").exists(), "nothing of a skill is run");
}

#[test]
fn update_installs_a_changed_descriptor() {
    let sandbox = Sandbox::project_here();
    write_nova(&sandbox, "week");
    sandbox.skillpm("add ./week").exits(0);
    sandbox.edit("week/manifest.yaml", "1.2.0", "1.3.0");
    sandbox.skillpm("update").exits(0);
    assert_eq!(sandbox.locked("week", "version"), "1.3.0");
    assert!(
        sandbox
            .read(".agents/skills/week/manifest.yaml")
            .contains("1.3.0")
    );
}

#[test]
fn repository_has_skills_of_every_format() {
    let sandbox = Sandbox::project_here();
    let repo = Repo::new(&sandbox, "mixed");
    repo.skill("skills/pdf", "Reads PDF.");
    repo.write("skills/first_week/manifest.yaml", MANIFEST)
        .write("skills/first_week/instructions.md", "Be kind.\n");
    repo.write("skills/unit-convert/skill.json", CALL)
        .write("skills/unit-convert/execute.ts", "");
    repo.write("skills/alexa/skill.json", "{}");
    repo.commit("all");
    sandbox
        .skillpm(format!("add {} --all", repo.url()))
        .exits(0);
    assert_eq!(
        sandbox.tree(".agents/skills").top(),
        ["first_week", "pdf", "unit-convert"]
    );
    let outcome = sandbox.skillpm("catalog --format json").exits(0);
    let format = |name: &str| skill(&outcome, name)["format"].clone();
    assert_eq!(
        [format("first-week"), format("pdf"), format("unit-convert")],
        ["nova", "skill-md", "devai"]
    );
}

#[test]
fn useless_descriptor_is_refused_with_its_place() {
    let sandbox = Sandbox::project_here();
    sandbox.write(
        "x/manifest.yaml",
        "name: x\nversion: '1'\ndescription: [a]\n",
    );
    sandbox.write("x/instructions.md", "");
    sandbox.skillpm("add ./x").exits(1).stderr(str![[r"
error: invalid skill at `./x/manifest.yaml:3:1`: `description` is not a string
  skillpm does not list it (nova-manifest)
help: run `skillpm list` to see the skills, or `skillpm help` for the commands

"]]);
    sandbox.write("y/skill.json", CALL);
    sandbox
        .skillpm("add ./y")
        .exits(1)
        .explains(["no skill found in `./y`"]);
}

#[test]
fn catalog_has_declarations_of_other_formats() {
    let sandbox = Sandbox::project_here();
    write_nova(&sandbox, ".agents/skills/first_week");
    write_devai(&sandbox, ".agents/skills/unit-convert");
    let outcome = sandbox.skillpm("catalog --format json").exits(0);
    is_valid(&outcome);
    let nova = skill(&outcome, "first-week");
    let base = sandbox.path(".agents/skills/first_week");
    assert_eq!(nova["id"], "first_week");
    assert_eq!(nova["display_name"], "Onboarding");
    assert_eq!(nova["version"], "1.2.0");
    assert_eq!(nova["author"], "nova-team");
    assert_eq!(nova["location"], path_text(&base.join("instructions.md")));
    assert_eq!(nova["est_tokens"], 6);
    assert_eq!(
        nova["resources"],
        json!(["config.yaml", "manifest.yaml", "tools.py"])
    );
    assert_eq!(
        nova["tools"],
        json!([{"name": "find", "description": "Find a person.", "parameters": [
            {"name": "name", "type": "string", "description": "", "required": true},
            {"name": "limit", "type": "integer", "description": "", "required": false, "default": 5},
        ]}])
    );
    let devai = skill(&outcome, "unit-convert");
    assert_eq!(devai["run"]["script"], "execute.ts");
    assert_eq!(
        devai["tools"],
        json!([{"name": "skill_unit_convert", "description": "Converts a value between two units", "parameters": [
            {"name": "from", "type": "string", "description": "Source unit", "required": true},
            {"name": "value", "type": "number", "description": "Value to convert", "required": true, "default": 1},
        ]}])
    );
    assert!(
        !sandbox.path("ran").exists() && !base.join("ran").exists(),
        "nothing of a skill is run"
    );
}

#[test]
fn catalog_has_declarations_of_skill_md_dialects() {
    let sandbox = Sandbox::project_here();
    sandbox.write(
        ".agents/skills/gh/SKILL.md",
        "---\nname: gh\ndescription: Reads issues.\nwhen_to_use: When an issue is named.\narguments: [issue]\n\
         argument-hint: '[issue]'\nmodel: opus\npaths: ['*.rs']\nmetadata: {\"openclaw\": {\"emoji\": \"x\", \"requires\": \
         {\"bins\": [\"gh-not-there\"]}, \"primaryEnv\": \"GH_TOKEN\", \"skillKey\": \"github\", \"envVars\": [\"GH_HOST\"], \
         \"install\": [{\"id\": \"brew\", \"kind\": \"brew\", \"formula\": \"gh\", \"bins\": [\"gh\"]}]}}\n---\n\nRead.\n",
    );
    let openai = "interface:\n  display_name: GitHub\npolicy:\n  allow_implicit_invocation: false\ndependencies:\n  tools:\n    \
                  - {type: mcp, value: github}\n";
    sandbox.write(".agents/skills/gh/agents/openai.yaml", openai);
    let outcome = sandbox.skillpm("catalog --format json").exits(0);
    is_valid(&outcome);
    let gh = skill(&outcome, "gh");
    assert_eq!(gh["when_to_use"], "When an issue is named.");
    assert_eq!(
        (&gh["arguments"], &gh["argument_hint"]),
        (&json!(["issue"]), &json!("[issue]"))
    );
    assert_eq!(gh["run"]["model"], "opus");
    assert_eq!(gh["gates"]["paths"], json!(["*.rs"]));
    assert_eq!(
        (&gh["gates"]["primaryEnv"], &gh["gates"]["skillKey"]),
        (&json!("GH_TOKEN"), &json!("github"))
    );
    assert_eq!(
        gh["env_vars"],
        json!([{"name": "GH_HOST", "description": null, "required": false}])
    );
    assert_eq!(gh["install"][0]["command"], "brew install gh");
    assert_eq!(gh["display_name"], "GitHub");
    assert_eq!(gh["codex"]["allow_implicit_invocation"], false);
    assert_eq!(gh["codex"]["tools"][0]["value"], "github");
    assert_eq!(
        (&gh["eligible"], &gh["missing"]["bins"]),
        (&json!(false), &json!(["gh-not-there"]))
    );
    sandbox
        .skillpm("why gh")
        .exits(0)
        .stdout_has("  to install the requirement: brew install gh\n");
    let why = sandbox
        .skillpm("why gh --format json")
        .exits(0)
        .stdout_json();
    assert_eq!(why["install"], gh["install"]);
}

#[test]
fn deny_shadowing_protects_skills_of_every_format() {
    let sandbox = Sandbox::project_here();
    sandbox.write(
        "skillpm.toml",
        "[dependencies]\n\n[policy]\ndeny-shadowing = true\n",
    );
    write_nova(&sandbox, "~/.agents/skills/week");
    write_devai(&sandbox, "~/.agents/skills/unit-convert");
    for name in ["week", "unit-convert"] {
        sandbox.write_skill(name, "Covers one of the person's own.");
        sandbox.skillpm(format!("add ./{name}")).exits(1).explains([
            name,
            "would shadow",
            "deny-shadowing",
        ]);
    }
    sandbox.write("~/.agents/skills/notes/README.md", "No skill.\n");
    sandbox.write_skill("notes", "Covers nothing.");
    sandbox.skillpm("add ./notes").exits(0);
}

#[test]
fn directory_that_is_no_skill_is_reported_and_hides_nothing() {
    let sandbox = Sandbox::project_here();
    sandbox.write_skill(".agents/skills/pdf", "Reads PDF.");
    sandbox.write(".agents/skills/call/skill.json", CALL);
    sandbox.write(".agents/skills/pack/.claude-plugin/plugin.json", "{}");
    let outcome = sandbox
        .skillpm("catalog --dir .agents/skills --format json")
        .exits(0);
    is_valid(&outcome);
    assert_eq!(skills(&outcome).len(), 1);
    let unlisted = outcome.stdout_json()["unlisted"].clone();
    let rules: Vec<_> = unlisted
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["diagnostics"].as_array().unwrap().last().unwrap()["rule"].clone())
        .collect();
    assert_eq!(rules, ["devai-no-script", "container-not-skill"]);
}

#[test]
fn deeply_nested_python_does_not_crash_the_parser() {
    let sandbox = Sandbox::project_here();
    write_nova(&sandbox, ".agents/skills/week");
    sandbox.write_skill("pdf", "Reads PDF.");
    let deep = "(".repeat(200_000);
    sandbox.write(".agents/skills/week/tools.py", &deep);
    sandbox.write("pdf/scripts/a.py", &deep);
    let week = skill(&sandbox.skillpm("catalog --format json").exits(0), "week");
    assert_eq!(week["tools"], json!([]));
    assert_eq!(week["diagnostics"][0]["rule"], "nova-tools");
    sandbox.skillpm("lint pdf").exits(0);
}

#[test]
fn convert_writes_a_directory_of_its_own() {
    let sandbox = Sandbox::project_here();
    write_devai(&sandbox, "unit-convert");
    let outcome = sandbox
        .skillpm("convert unit-convert --to skill-md --out skills --format json")
        .exits(0);
    let path = path_text(&sandbox.path("skills/unit-convert"));
    let expected = json!({"type": "converted", "path": path, "from": "devai", "to": "skill-md", "files": ["SKILL.md", "execute.ts"]});
    assert_eq!(outcome.stdout_json(), expected);
    assert!(
        sandbox
            .read("skills/unit-convert/SKILL.md")
            .starts_with("---\nname: unit-convert\n")
    );
    sandbox.skillpm("lint skills/unit-convert").exits(0);
    sandbox
        .skillpm("convert unit-convert --to skill-md --out skills")
        .exits(1)
        .stderr(str![[r"
error: destination `[ROOT]/project/skills/unit-convert` already exists
help: `--out DIR` writes to another directory

"]]);
    sandbox
        .skillpm("convert unit-convert --to devai")
        .exits(2)
        .explains(["already in the format `devai`"]);
    sandbox
        .skillpm("convert nowhere --to nova")
        .exits(1)
        .explains(["directory `nowhere` not found"]);
}

#[test]
fn conversion_to_nova_uses_the_locked_version() {
    let sandbox = Sandbox::project_here();
    let repo = crate::git_references::versions(&sandbox);
    sandbox
        .skillpm(format!("add {} --skill pdf --version ^1", repo.url()))
        .exits(0);
    sandbox
        .skillpm("convert .agents/skills/pdf --to nova --out nova")
        .exits(0);
    sandbox.skillpm("lint nova/pdf").exits(0);
    let manifest = sandbox.read("nova/pdf/manifest.yaml");
    assert!(manifest.contains("version: \"1.1.0\"\n"), "{manifest}");
}

#[test]
fn lint_finds_and_fixes_problems_of_other_formats() {
    let sandbox = Sandbox::project_here();
    write_nova(&sandbox, "skills/week");
    sandbox.edit("skills/week/manifest.yaml", "\"1.2.0\"", "1.2");
    sandbox.write("skills/week/config.yaml", "api_key: 9f8e7d6c5b4a\n");
    sandbox.write("skills/week/tools.py", "x = 1\n");
    write_devai(&sandbox, "skills/unit-convert");
    sandbox.edit(
        "skills/unit-convert/skill.json",
        ", \"description\": \"Source unit\"",
        "",
    );
    let outcome = sandbox.skillpm("lint --format short").exits(1);
    for line in [
        "skills/unit-convert/skill.json:2:17: ",
        "skills/week/config.yaml:1:10: ",
        "skills/week/manifest.yaml:2:10: ",
        "skills/week/tools.py: ",
    ] {
        outcome.stdout_has(line);
    }
    for code in ["SKB02", "SKB03", "SKB05", "SKB08"] {
        outcome.stdout_has(code);
    }
    sandbox.skillpm("lint --fix skills/week").exits(1);
    assert!(
        sandbox
            .read("skills/week/manifest.yaml")
            .contains("version: \"1.2\"\n")
    );
}

#[test]
fn codex_policy_applies_to_codex_only() {
    let sandbox = Sandbox::project_here();
    for (name, openai) in [
        ("chosen", "interface: {display_name: Chosen}"),
        ("elsewhere", "policy: {products: [chatgpt]}"),
        ("here", "policy: {products: [Codex]}"),
        ("quiet", "policy: {allow_implicit_invocation: false}"),
    ] {
        sandbox.write_skill(&format!(".agents/skills/{name}"), "Does it.");
        sandbox.write(
            &format!(".agents/skills/{name}/agents/openai.yaml"),
            format!("{openai}\n"),
        );
    }
    let shown = |agent: &str| {
        let outcome = sandbox
            .skillpm(format!("catalog --agent {agent} --format markdown"))
            .exits(0);
        let named = |name: &&str| outcome.stdout_text().contains(&format!("`{name}`"));
        ["chosen", "elsewhere", "here", "quiet"]
            .into_iter()
            .filter(named)
            .collect::<Vec<_>>()
    };
    assert_eq!(shown("codex"), ["chosen", "here"]);
    assert_eq!(
        shown("gemini-cli"),
        ["chosen", "elsewhere", "here", "quiet"]
    );
    let outcome = sandbox
        .skillpm("catalog --agent codex --all --format json")
        .exits(0);
    let reasons: Vec<Value> = skills(&outcome)
        .iter()
        .map(|skill| json!([skill["name"], skill["hidden"]]))
        .collect();
    let expected = json!([
        ["chosen", null],
        ["elsewhere", "not-allowed"],
        ["here", null],
        ["quiet", "not-model-invocable"]
    ]);
    assert_eq!(Value::from(reasons), expected);
}

#[test]
fn show_writes_instructions_for_a_callable_skill() {
    let sandbox = Sandbox::project_here();
    write_devai(&sandbox, ".agents/skills/unit-convert");
    write_nova(&sandbox, ".agents/skills/week");
    let shown = sandbox
        .skillpm("show unit-convert --format body")
        .exits(0)
        .stdout_text()
        .to_owned();
    assert!(
        shown.starts_with("Converts a value between two units\n\n| Parameter | Type |"),
        "{shown}"
    );
    assert_eq!(
        sandbox
            .skillpm("show week --format body")
            .exits(0)
            .stdout_text(),
        "# Onboarding\n\nBe kind.\n"
    );
    sandbox
        .skillpm("show unit-convert --file skill.json")
        .exits(0)
        .stdout_has("\"id\": \"unit-convert\"");
}

#[test]
fn skills_of_a_plugin_are_listed_by_its_name() {
    let sandbox = Sandbox::project_here();
    sandbox.write(
        "kit/.claude-plugin/plugin.json",
        r#"{"name": "kit", "skills": "./more"}"#,
    );
    sandbox.write_skill("kit/skills/pdf", "Reads PDF.");
    sandbox.write_skill("kit/more/csv", "Reads CSV.");
    let outcome = sandbox.skillpm("catalog --dir kit --format json").exits(0);
    let names: Vec<Value> = skills(&outcome)
        .iter()
        .map(|skill| skill["name"].clone())
        .collect();
    assert_eq!(names, ["csv", "pdf"]);
    sandbox.skillpm("add ./kit --all").exits(0);
    assert_eq!(sandbox.tree(".agents/skills").top(), ["csv", "pdf"]);
}

#[test]
fn skill_of_another_format_is_packaged_after_conversion() {
    let sandbox = Sandbox::project_here();
    write_nova(&sandbox, "week");
    sandbox.skillpm("package week").exits(1).stderr(str![[r"
error: cannot publish `[ROOT]/project/week`: one finding is an error
  SKILL.md: `SKILL.md` not found, but there is a skill in the format `nova` (missing-skill-md)
help: run `skillpm convert DIR --to skill-md --out DIR` to make one that can be packaged

"]]);
}
