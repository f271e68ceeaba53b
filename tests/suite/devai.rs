//! Devai's design, acted as its author: its example skill, as it is written there.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use snapbox::str;

use crate::lint_formats::{accepts, lines_of};
use crate::serve::{ask, call};
use crate::support::{Following, Sandbox};

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
fn skill_without_code_is_unlisted_for_that_reason() {
    let sandbox = Sandbox::project_here();
    sandbox.write("skillpm.toml", "[dependencies]\n");
    sandbox.write("skills/generate-image/skill.json", CALL);
    sandbox
        .skillpm("catalog --agent devai --format devai")
        .exits(0)
        .stdout("[]\n")
        .stderr_has("`execute.ts`")
        .never_prints("devai-parameter-undescribed");
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

/// Devai's runner answers that it "does not export an `execute()` function" to each call.
#[test]
fn script_without_the_export_that_devai_calls_is_an_error() {
    let sandbox = Sandbox::project_here();
    write_call(&sandbox, "skills/generate-image");
    let script = "skills/generate-image/execute.ts";
    for (text, code) in [
        (SCRIPT.to_owned(), 0),
        (SCRIPT.replace("function execute", "function run"), 1),
        (SCRIPT.replace("export async", "export default async"), 1),
    ] {
        sandbox.write(script, &text);
        let found = sandbox
            .skillpm("lint skills/generate-image --format short")
            .exits(code);
        let line = format!(
            "{script}: error[SKB13] devai-no-execute: `execute.ts` does not export `execute`"
        );
        assert_eq!(
            found.stdout_text().contains(&line),
            code == 1,
            "{text}: {}",
            found.stdout_text()
        );
    }
}

#[test]
fn directory_of_devai_is_where_its_variable_says() {
    let sandbox = Sandbox::project_here();
    write_call(&sandbox, "generate-image");
    sandbox
        .skillpm("add ./generate-image --target devai")
        .env("SKILLS_DIR", "./apps/skills")
        .exits(0)
        .stderr_has("call `skill_reload` in Devai, so that it sees the change");
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
  at `skillpm.toml:5:12`
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
    // Without the permission of the one who starts the server, nothing can be proposed.
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

/// The answer of a tool that succeeds.
fn answered(server: &mut Following, tool: &str, arguments: &Value) -> Value {
    let (is_error, text) = call(server, tool, arguments);
    assert!(!is_error, "{text}");
    serde_json::from_str(&text).unwrap()
}

/// The error of a tool that fails.
fn refused(server: &mut Following, tool: &str, arguments: &Value) -> String {
    let (is_error, text) = call(server, tool, arguments);
    assert!(is_error, "{text}");
    text
}

#[test]
fn created_skill_is_a_proposal_until_it_is_applied() {
    let sandbox = Sandbox::project_here();
    let mut server = sandbox
        .skillpm("serve --agent devai --allow-proposals")
        .follow();
    let tools = ask(&mut server, "tools/list", &json!({}));
    let names: Vec<&str> = tools["tools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| tool["name"].as_str().unwrap())
        .filter(|name| name.starts_with("skill_"))
        .collect();
    assert_eq!(
        names,
        [
            "skill_list",
            "skill_reload",
            "skill_create",
            "skill_update",
            "skill_delete"
        ]
    );

    let arguments = json!({
        "id": "generate-image",
        "name": "Bildgenerierung",
        "description": "Generiert Bilder mit DALL-E basierend auf Textbeschreibungen",
        "parameters": {"prompt": {"type": "string", "required": true, "description": "Bildbeschreibung"}},
        "code": SCRIPT,
        "tags": "image, openai",
    });
    let made = answered(&mut server, "skill_create", &arguments);
    let id = made["proposal"].as_str().unwrap();
    assert_eq!(
        made,
        json!({
            "created": false,
            "skillId": "generate-image",
            "toolName": "skill_generate_image",
            "proposal": id,
            "note": format!("Kept as a proposal for a person to look at; nothing has changed. They see it with \
                             `skillpm proposals show {id}`, and apply it with `skillpm proposals apply {id}`."),
            "skillsLoaded": 0,
            "errors": [],
        })
    );
    sandbox.lacks(["skills"]);

    let shown = sandbox
        .skillpm(format!("proposals show {id} --format json"))
        .exits(0)
        .stdout_json();
    accepts(&lines_of("proposals"), &shown);
    assert_eq!(
        [&shown["action"], &shown["status"], &shown["skill"]],
        ["create", "open", "generate-image"]
    );
    let page = sandbox.skillpm(format!("proposals show {id}")).exits(0);
    page.stdout_has("# The creation of \"generate-image\"");
    page.stdout_has("+export async function execute(");
    refused(&mut server, "skill_create", &arguments);

    let applied = sandbox.skillpm(format!("proposals apply {id}")).exits(0);
    applied.stderr_has("the creation of");
    applied.stderr_has("`skill_reload` in Devai");
    sandbox.reads("skills/generate-image/execute.ts", SCRIPT);
    sandbox.reads(
        "skills/generate-image/skill.json",
        r#"{
  "id": "generate-image",
  "name": "Bildgenerierung",
  "description": "Generiert Bilder mit DALL-E basierend auf Textbeschreibungen",
  "version": "1.0.0",
  "parameters": {
    "prompt": {
      "type": "string",
      "required": true,
      "description": "Bildbeschreibung"
    }
  },
  "tags": [
    "image",
    "openai"
  ]
}
"#,
    );
    assert_eq!(
        answered(&mut server, "skill_reload", &json!({}))["count"],
        1
    );
    let error = refused(&mut server, "skill_create", &arguments);
    assert!(
        error.contains("Skill \"generate-image\" already exists. Use skill_update to modify it."),
        "{error}"
    );
}

#[test]
fn new_skill_that_devai_could_not_use_is_refused() {
    let sandbox = Sandbox::project_here();
    let mut server = sandbox
        .skillpm("serve --agent devai --allow-proposals")
        .follow();
    for id in ["../evil", "a/b", "", "with_underscore", "Upper"] {
        let arguments = json!({"id": id, "name": "A", "description": "B", "code": SCRIPT});
        refused(&mut server, "skill_create", &arguments);
    }
    let no_description = json!({"id": "a", "name": "A", "description": "", "code": SCRIPT});
    refused(&mut server, "skill_create", &no_description);
    let no_code = json!({"id": "a", "name": "A", "description": "B"});
    refused(&mut server, "skill_create", &no_code);
    sandbox.lacks([".skillpm/proposals", "skills"]);
}

#[test]
fn page_of_a_new_skill_cannot_be_changed_before_it_is_applied() {
    let sandbox = Sandbox::project_here();
    let mut server = sandbox
        .skillpm("serve --agent devai --allow-proposals")
        .follow();
    let arguments = json!({"id": "tidy", "name": "Tidy", "description": "Tidies.", "code": SCRIPT});
    let made = answered(&mut server, "skill_create", &arguments);
    let id = made["proposal"].as_str().unwrap();
    let page = format!(".skillpm/proposals/{id}.md");

    sandbox.edit(&page, "api.openai.com", "evil.example.com");
    sandbox
        .skillpm(format!("proposals apply {id}"))
        .exits(3)
        .explains(["was changed after it was proposed"]);
    sandbox.edit(&page, "evil.example.com", "api.openai.com");
    sandbox.edit(&page, "skill: \"tidy\"", "skill: \"../tidy\"");
    sandbox.skillpm(format!("proposals apply {id}")).exits(2);
    sandbox.edit(&page, "skill: \"../tidy\"", "skill: \"tidy\"");
    sandbox.lacks(["skills", "tidy"]);

    // Somebody else made one of that name meanwhile.
    sandbox.write("skills/tidy/notes.txt", "mine");
    sandbox
        .skillpm(format!("proposals apply {id}"))
        .exits(1)
        .explains(["Skill \"tidy\" already exists", id]);
    sandbox.reads("skills/tidy/notes.txt", "mine");
}

#[test]
fn updated_skill_changes_code_and_manifest_together() {
    let sandbox = Sandbox::project_here();
    write_call(&sandbox, "apps/skills/generate-image");
    let mut server = sandbox
        .skillpm("serve --agent devai --allow-proposals")
        .env("SKILLS_DIR", "apps/skills")
        .follow();
    let code = SCRIPT.replace("success: true", "success: false");
    let arguments =
        json!({"id": "generate-image", "code": code, "description": "Generiert Bilder."});
    let made = answered(&mut server, "skill_update", &arguments);
    let id = made["proposal"].as_str().unwrap();
    assert_eq!(
        [&made["updated"], &made["skillId"]],
        [&json!(false), &json!("generate-image")]
    );
    sandbox.reads("apps/skills/generate-image/execute.ts", SCRIPT);

    let apply = || {
        sandbox
            .skillpm(format!("proposals apply {id}"))
            .env("SKILLS_DIR", "apps/skills")
    };
    sandbox.write("apps/skills/generate-image/execute.ts", "// Edited.\n");
    apply()
        .exits(1)
        .explains(["has changed since the proposal"]);
    sandbox.write("apps/skills/generate-image/execute.ts", SCRIPT);
    apply().exits(0).stderr_has("`skill_reload` in Devai");
    sandbox.reads("apps/skills/generate-image/execute.ts", &code);
    let manifest = sandbox.read("apps/skills/generate-image/skill.json");
    let manifest: Value = serde_json::from_str(&manifest).unwrap();
    assert_eq!(manifest["description"], "Generiert Bilder.");
    assert_eq!(manifest["createdBy"], "devo");

    let error = refused(
        &mut server,
        "skill_update",
        &json!({"id": "other", "code": "x"}),
    );
    assert!(error.contains("Skill \"other\" not found"), "{error}");
    let error = refused(
        &mut server,
        "skill_update",
        &json!({"id": "generate-image", "code": code}),
    );
    assert!(error.contains("is already like that"), "{error}");
    refused(
        &mut server,
        "skill_update",
        &json!({"id": "generate-image"}),
    );
}

#[test]
fn deleted_skill_is_moved_to_the_backup() {
    for manifest in [true, false] {
        let sandbox = Sandbox::new();
        if manifest {
            sandbox.write("skillpm.toml", "[dependencies]\n");
        }
        write_call(&sandbox, "skills/generate-image");
        sandbox.write("skills/generate-image/notes.txt", "mine");
        let mut server = sandbox
            .skillpm("serve --agent devai --allow-proposals")
            .follow();
        let error = refused(&mut server, "skill_delete", &json!({"id": "other"}));
        assert!(error.contains("Skill \"other\" not found"), "{error}");
        let made = answered(
            &mut server,
            "skill_delete",
            &json!({"id": "generate-image"}),
        );
        assert_eq!(
            [&made["deleted"], &made["skillId"]],
            [&json!(false), &json!("generate-image")]
        );
        sandbox.reads("skills/generate-image/execute.ts", SCRIPT);

        let shown = sandbox
            .skillpm("proposals show generate-image --format json")
            .exits(0)
            .stdout_json();
        assert_eq!(
            shown["remarks"],
            json!(["removes 1 more in the directory: `notes.txt`"])
        );
        let applied = sandbox.skillpm("proposals apply generate-image").exits(0);
        applied.stderr_has("the removal of");
        sandbox.lacks(["skills/generate-image"]);
        let backup = sandbox.path(".skillpm/backup");
        let kept = walk(&backup);
        assert!(
            kept.iter()
                .any(|path| path.ends_with("generate-image/notes.txt")),
            "{kept:?}"
        );
        // The command says where it is.
        let text = applied.stderr_text();
        let moved = text
            .lines()
            .find(|line| line.contains("Moved"))
            .unwrap_or_else(|| panic!("{text}"));
        let place = moved.rsplit(" to ").next().unwrap();
        assert!(Path::new(place).join("notes.txt").is_file(), "{moved}");
        assert_eq!(
            answered(&mut server, "skill_list", &json!({}))["skills"],
            json!([])
        );
    }
}

#[test]
fn deleted_package_is_removed_from_the_project() {
    let sandbox = Sandbox::project_here();
    write_call(&sandbox, "generate-image");
    sandbox
        .skillpm("add ./generate-image --target devai")
        .exits(0);
    let mut server = sandbox
        .skillpm("serve --agent devai --allow-proposals")
        .follow();
    let made = answered(
        &mut server,
        "skill_delete",
        &json!({"id": "generate-image"}),
    );
    let id = made["proposal"].as_str().unwrap();
    sandbox
        .skillpm(format!("proposals show {id}"))
        .exits(0)
        .stdout_has("removes an installed package from the project");
    sandbox.has(["skills/generate-image/execute.ts"]);
    sandbox.skillpm(format!("proposals apply {id}")).exits(0);
    sandbox.lacks(["skills/generate-image", ".agents/skills/generate-image"]);
    sandbox.has(["generate-image/execute.ts"]);
    assert!(!sandbox.read("skillpm.toml").contains("generate-image"));
    sandbox.skillpm("verify").exits(0);
}

/// The files below a directory.
fn walk(dir: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(walk(&path));
        } else {
            found.push(path);
        }
    }
    found
}
