//! Devai's design, acted as its author: its example skill, as it is written there.

use serde_json::json;
use snapbox::str;

use crate::serve::{ask, call};
use crate::support::Sandbox;

/// The design's own example: `size` has only a default.
const CALL: &str = r#"{
  "id": "generate-image",
  "name": "Bildgenerierung",
  "description": "Generiert Bilder mit DALL-E basierend auf Textbeschreibungen",
  "version": "1.0.0",
  "parameters": {
    "prompt": { "type": "string", "required": true, "description": "Bildbeschreibung" },
    "size": { "type": "string", "default": "1024x1024" }
  },
  "createdBy": "devo",
  "tags": ["image", "openai"]
}
"#;

const SCRIPT: &str = r#"import type { SkillContext, SkillResult } from "@devai/skill-runtime";

export async function execute(
  args: Record<string, unknown>,
  ctx: SkillContext
): Promise<SkillResult> {
  const response = await ctx.fetch("https://api.openai.com/v1/images/generations");
  return { success: true, result: { imageUrl: (await response.json()).data[0].url } };
}
"#;

fn write_call(sandbox: &Sandbox, dir: &str) {
    sandbox.write(&format!("{dir}/skill.json"), CALL);
    sandbox.write(&format!("{dir}/execute.ts"), SCRIPT);
}

#[test]
fn parameter_with_only_a_default_may_be_left_out() {
    let sandbox = Sandbox::project_here();
    write_call(&sandbox, "skills/generate-image");
    let parameters = json!({
        "type": "object",
        "properties": {
            "prompt": {"type": "string", "description": "Bildbeschreibung"},
            "size": {"type": "string", "default": "1024x1024"},
        },
        "required": ["prompt"],
    });
    let description = "[Skill] Generiert Bilder mit DALL-E basierend auf Textbeschreibungen";
    let devai = sandbox
        .skillpm("catalog --agent devai --format devai")
        .exits(0)
        .stdout_json();
    assert_eq!(
        devai,
        json!([{"name": "skill_generate_image", "description": description, "parameters": parameters}])
    );

    let openai = sandbox
        .skillpm("catalog --agent devai --format openai")
        .exits(0)
        .stdout_json();
    assert_eq!(openai[0]["function"]["parameters"], parameters);
    let anthropic = sandbox
        .skillpm("catalog --agent devai --format anthropic")
        .exits(0)
        .stdout_json();
    assert_eq!(anthropic[0]["input_schema"], parameters);
}

#[test]
fn example_of_the_design_has_a_warning_and_no_error() {
    let sandbox = Sandbox::project_here();
    write_call(&sandbox, "skills/generate-image");
    let found = sandbox
        .skillpm("lint skills/generate-image --format short")
        .exits(0);
    found.stdout_has("the parameter `size` has no `description`");
    found.stdout_has("SKB08");
}

#[test]
fn import_of_devais_own_modules_is_found() {
    let sandbox = Sandbox::project_here();
    write_call(&sandbox, "skills/generate-image");
    sandbox.write(
        "skills/generate-image/execute.ts",
        format!("import {{ db }} from \"../../apps/api/src/db\";\n// See apps/api/src/skills/runner.ts.\n{SCRIPT}"),
    );
    let found = sandbox
        .skillpm("lint skills/generate-image --format short")
        .exits(0);
    let lines: Vec<&str> = found
        .stdout_text()
        .lines()
        .filter(|line| line.contains("SKB12"))
        .collect();
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert!(
        lines[0].starts_with("skills/generate-image/execute.ts:1:27"),
        "{lines:?}"
    );
}

#[test]
fn directory_of_devai_is_where_its_variable_says() {
    let sandbox = Sandbox::project_here();
    write_call(&sandbox, "generate-image");
    sandbox
        .skillpm("add ./generate-image --target devai")
        .env("SKILLS_DIR", "./apps/skills")
        .exits(0)
        .stderr_has("`skill_reload` in Devai, which sees the change after it");
    sandbox.has(["apps/skills/generate-image/execute.ts"]);
    sandbox.lacks(["skills"]);
    sandbox
        .skillpm("verify")
        .env("SKILLS_DIR", "apps/skills")
        .exits(0);
    // Without the variable it is the other directory that Devai reads.
    sandbox.skillpm("install").exits(0);
    sandbox.has(["skills/generate-image/execute.ts"]);
    sandbox.lacks(["apps/skills/generate-image"]);
    sandbox
        .skillpm("install")
        .env("SKILLS_DIR", "../elsewhere")
        .exits(2)
        .stderr(str![[r"
error: invalid value `../elsewhere` for `SKILLS_DIR`
  Devai reads its skills there
help: set a directory inside the project, or an absolute path

"]]);
}

#[test]
fn new_skill_of_devai_is_one_that_it_loads() {
    let sandbox = Sandbox::project_here();
    sandbox
        .skillpm("new unit-convert --format devai --in skills")
        .exits(0)
        .stderr_has("`skill_reload` in Devai");
    sandbox.has([
        "skills/unit-convert/skill.json",
        "skills/unit-convert/execute.ts",
    ]);
    sandbox.lacks(["skills/unit-convert/SKILL.md"]);
    sandbox
        .skillpm("lint skills/unit-convert --deny-warnings")
        .exits(0);
    let listed = sandbox
        .skillpm("catalog --agent devai --format devai")
        .exits(0)
        .stdout_json();
    assert_eq!(listed[0]["name"], "skill_unit_convert");
    sandbox
        .skillpm("new unit-convert --format devai --in skills")
        .exits(1)
        .stderr_has("already exists");
}

#[test]
fn loaded_call_names_its_tool_as_devai_does() {
    let sandbox = Sandbox::project_here();
    write_call(&sandbox, ".agents/skills/generate-image");
    sandbox
        .skillpm("show generate-image --format nova-shipped")
        .exits(0)
        .stdout_has("**New tools available:** skill_generate_image\n");
}

#[test]
fn served_skills_are_listed_by_the_tools_of_devai() {
    let sandbox = Sandbox::project_here();
    write_call(&sandbox, "skills/generate-image");
    let mut server = sandbox.skillpm("serve --agent devai").follow();
    let tools = ask(&mut server, "tools/list", &json!({}));
    let named = |name: &str| {
        let tools = tools["tools"].as_array().unwrap().iter();
        tools
            .clone()
            .find(|tool| tool["name"] == name)
            .map(|tool| tool["description"].as_str().unwrap().to_owned())
    };
    assert_eq!(
        named("skill_list").as_deref(),
        Some("List all loaded skills with their status.")
    );
    assert_eq!(
        named("skill_reload").as_deref(),
        Some("Reload all skills from disk and re-register their tools.")
    );
    // Code that Devai runs is written by Devai alone.
    assert_eq!(named("skill_create"), None);

    let answer = |server: &mut _, tool: &str| -> serde_json::Value {
        let (is_error, text) = call(server, tool, &json!({}));
        assert!(!is_error, "{text}");
        serde_json::from_str(&text).unwrap()
    };
    assert_eq!(
        answer(&mut server, "skill_list"),
        json!({"skills": [{
            "id": "generate-image",
            "name": "Bildgenerierung",
            "description": "Generiert Bilder mit DALL-E basierend auf Textbeschreibungen",
            "version": "1.0.0",
            "tags": ["image", "openai"],
        }], "errors": []})
    );

    write_call(&sandbox, "skills/other");
    sandbox.write(
        "skills/other/skill.json",
        CALL.replace("generate-image", "other"),
    );
    sandbox.write("skills/broken/skill.json", "{");
    sandbox.write("skills/broken/execute.ts", SCRIPT);
    let reloaded = answer(&mut server, "skill_reload");
    assert_eq!(reloaded["count"], 2);
    let error = reloaded["errors"][0].as_str().unwrap();
    assert!(
        error.starts_with("Invalid skill manifest at ") && error.contains("broken"),
        "{error}"
    );

    // Another agent has no such tools.
    let mut server = sandbox.skillpm("serve --agent codex").follow();
    let tools = ask(&mut server, "tools/list", &json!({}));
    assert!(!tools.to_string().contains("skill_list"), "{tools}");
}
