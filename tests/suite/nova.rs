//! Nova, ADR-014: its skills keep their ids, its prompt and its tools have its words, and its permissions are read.

use serde_json::{Value, json};
use snapbox::str;

use crate::catalog::{skill, skills};
use crate::support::{Following, Sandbox};

const TOOLS: &str = "\
from langchain_core.tools import tool


@tool
def send_email(to: str) -> str:
    \"\"\"Send an email.\"\"\"
    return to


@tool
def delete_account(name: str) -> str:
    \"\"\"Delete an account.\"\"\"
    return name


def get_tools():
    return [send_email, delete_account]
";

/// The permissions of the ADR.
const PERMISSIONS: &str = "\
permissions:
  allow:
    - search_memory                    # Base tool, always allowed
    - \"employee_onboarding__*\"         # All tools in this skill allowed
  deny:
    - \"*__delete_*\"                    # No delete tools from any skill
  human_approval:
    - \"release_management__deploy_*\"   # Deployments need approval
";

/// The two skills of the ADR, in `dir`.
fn write_skills(sandbox: &Sandbox, dir: &str) {
    let onboarding = format!("{dir}/employee_onboarding");
    sandbox.write(
        &format!("{onboarding}/manifest.yaml"),
        "name: employee_onboarding\nversion: \"1.0.0\"\n\
         description: \"Handle new hire setup, emails, and checklists.\"\nauthor: nova-team\n\
         tags: [hr, onboarding, workflow]\n",
    );
    sandbox.write(&format!("{onboarding}/instructions.md"), "# Onboard\n");
    sandbox.write(&format!("{onboarding}/tools.py"), TOOLS);
    let release = format!("{dir}/release_management");
    sandbox.write(
        &format!("{release}/manifest.yaml"),
        "name: Release management\nversion: \"2.1.0\"\n\
         description: \"Manage git versioning, changelogs, and deployments.\"\n",
    );
    sandbox.write(&format!("{release}/instructions.md"), "# Release\n");
}

/// A project of Nova's with both.
fn nova() -> Sandbox {
    let sandbox = Sandbox::project_here();
    write_skills(&sandbox, "backend/skills");
    sandbox.write("skillpm.toml", "[dependencies]\n");
    sandbox
}

/// The answer of a tool: its text, and what it says of the active skills.
#[track_caller]
fn call(server: &mut Following, tool: &str, arguments: &Value) -> (String, Value) {
    let params = json!({
        "name": tool,
        "arguments": arguments,
        "_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
            "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        },
    });
    let request = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
    server.say(&request.to_string());
    let result = server.object()["result"].take();
    (
        result["content"][0]["text"]
            .as_str()
            .unwrap_or_default()
            .to_owned(),
        result["structuredContent"]["active"].clone(),
    )
}

#[test]
fn both_sections_of_the_prompt_have_novas_words() {
    let sandbox = nova();
    let adr = sandbox.skillpm("catalog --agent nova --format nova");
    adr.exits(0).stdout(str![[r"
## Available Skills
The following specialized skills are available. If a user request matches
one of these domains, use the `enable_skill` tool to load it.

- employee_onboarding: Handle new hire setup, emails, and checklists.
- release_management: Manage git versioning, changelogs, and deployments.

"]]);
    let shipped = sandbox.skillpm("catalog --agent nova --format nova-shipped");
    assert_eq!(
        shipped.exits(0).stdout_text(),
        "\n\n**Available Skills:**\nThe following specialized skills are available. If a user request matches\n\
         one of these domains, use the `enable_skill` tool to load it.\n\n\
         - **employee_onboarding**: Handle new hire setup, emails, and checklists.\n\
         - **release_management**: Manage git versioning, changelogs, and deployments.\n"
    );
}

#[test]
fn a_skill_is_shown_by_its_id_with_the_title_of_its_manifest() {
    let sandbox = nova();
    let shown = sandbox.skillpm("show release_management --agent nova --format nova");
    shown.exits(0).stdout(str![[r"
## Skill Activated: Release management v2.1.0

# Release

**New tools available:** None

You now have the knowledge and tools to proceed with this workflow.

"]]);
    for name in ["employee_onboarding", "employee-onboarding"] {
        let shown = sandbox
            .skillpm(format!("show {name} --agent nova --format nova"))
            .exits(0);
        let text = shown.stdout_text();
        assert!(
            text.starts_with("## Skill Activated: employee_onboarding v1.0.0\n"),
            "{text}"
        );
        assert!(text.contains("**New tools available:** send_email, delete_account\n"));
    }
    sandbox
        .skillpm("show employee_onboarding --agent nova --format nova-shipped")
        .exits(0)
        .stdout_has("employee_onboarding__send_email, employee_onboarding__delete_account");
    sandbox.skillpm("why employee_onboarding").exits(0);
}

#[test]
fn an_unknown_skill_is_answered_in_novas_words() {
    let sandbox = nova();
    sandbox
        .skillpm("show nope --agent nova --format nova")
        .exits(1)
        .stderr_has("Unknown skill 'nope'. Available: employee_onboarding, release_management");
    sandbox
        .skillpm("show nope --agent nova --format nova-shipped")
        .exits(1)
        .stderr_has(
            "Unknown skill 'nope'. Available skills: employee_onboarding, release_management",
        );
}

#[test]
fn a_served_skill_is_enabled_and_disabled_by_its_id() {
    let sandbox = nova();
    sandbox.write("configs/tool_permissions.yaml", PERMISSIONS);
    let mut server = sandbox.skillpm("serve --agent nova").follow();
    let id = json!({"skill_name": "employee_onboarding"});

    let (text, active) = call(&mut server, "enable_skill", &id);
    assert!(
        text.starts_with("## Skill Activated: employee_onboarding v1.0.0\n"),
        "{text}"
    );
    // The denied tool is not offered.
    assert!(
        text.contains("**New tools available:** employee_onboarding__send_email\n"),
        "{text}"
    );
    assert_eq!(active, json!(["employee_onboarding"]));

    let other = json!({"skill_name": "release_management"});
    let (_, active) = call(&mut server, "enable_skill", &other);
    assert_eq!(active, json!(["employee_onboarding", "release_management"]));

    let (text, active) = call(&mut server, "disable_skill", &id);
    assert_eq!(
        text,
        "Skill 'employee_onboarding' deactivated. Its tools are no longer available."
    );
    assert_eq!(active, json!(["release_management"]));
    let (text, _) = call(&mut server, "disable_skill", &id);
    assert_eq!(
        text,
        "Skill 'employee_onboarding' is not active. Active: release_management"
    );

    let (text, _) = call(&mut server, "enable_skill", &json!({"skill_name": "nope"}));
    assert_eq!(
        text,
        "Unknown skill 'nope'. Available: employee_onboarding, release_management"
    );
    let (text, _) = call(&mut server, "list_skills", &json!({}));
    assert!(text.starts_with("- employee_onboarding: Handle"), "{text}");
    for (tool, key) in [("read_skill", "skill_id"), ("enable_skill", "skill_name")] {
        let (text, _) = call(&mut server, tool, &json!({key: "release-management"}));
        assert!(text.contains("# Release\n"), "{tool}: {text}");
    }
}

#[test]
fn rules_of_the_catalog_take_the_id() {
    let sandbox = nova();
    let hidden = |rules: &str| {
        sandbox.write("skillpm.toml", format!("[dependencies]\n\n{rules}"));
        let found = sandbox.skillpm("catalog --agent nova --all").exits(0);
        found.never_prints("denied-absent");
        skill(&found, "release-management")["hidden"].clone()
    };
    assert_eq!(
        hidden("[catalog]\ndeny = [\"release_management\"]\n"),
        "denied"
    );
    assert_eq!(
        hidden("[catalog]\ndeny = [\"release-management\"]\n"),
        "denied"
    );
    assert_eq!(
        hidden("[catalog.agents.nova]\nallow = [\"employee_onboarding\"]\n"),
        "not-allowed"
    );
    assert_eq!(
        hidden("[catalog]\nallow = [\"release_management\"]\n"),
        Value::Null
    );
    sandbox.write(
        "skillpm.toml",
        "[dependencies]\n\n[catalog.agents.nova]\nalways = [\"release_management\"]\n",
    );
    sandbox
        .skillpm("catalog --agent nova --format bodies")
        .exits(0)
        .stdout_has("# Release\n");
    let only = sandbox.skillpm("catalog --agent nova --only release_management");
    assert_eq!(skills(&only.exits(0)).len(), 1);
}

#[test]
fn a_denied_name_without_a_skill_is_reported_with_its_place() {
    let sandbox = nova();
    sandbox.write(
        "skillpm.toml",
        "[dependencies]\n\n[catalog]\ndeny = [\"*-draft\", \"releese-management\"]\n\
         [catalog.agents.nova]\ndeny = [\"zzz\"]\n[catalog.agents.codex]\ndeny = [\"other\"]\n",
    );
    sandbox
        .skillpm("catalog --agent nova --format nova")
        .exits(0)
        .stderr(str![[r"
warning: skillpm.toml:4:20: skill `releese-management` of `deny` not found (denied-absent)
help: did you mean `release_management`?
warning: skillpm.toml:6:9: skill `zzz` of `deny` not found (denied-absent)
help: remove it from `deny`; `skillpm list` shows all skills

"]]);
}

#[test]
fn permissions_of_the_project_are_read() {
    let sandbox = nova();
    sandbox.write("configs/tool_permissions.yaml", PERMISSIONS);
    let found = sandbox.skillpm("catalog --agent nova").exits(0);
    assert_eq!(
        skill(&found, "employee-onboarding")["tool_permissions"],
        json!([
            {"tool": "employee_onboarding__send_email", "verdict": "allow", "pattern": "employee_onboarding__*"},
            {"tool": "employee_onboarding__delete_account", "verdict": "deny", "pattern": "*__delete_*"},
        ])
    );
    assert_eq!(
        found.stdout_json()["tool_permissions"],
        json!([{"tool": "search_memory", "verdict": "allow", "pattern": "search_memory"}])
    );
    // As shipped, Nova does not match the ADR's own example.
    found.stderr(str![[r"
warning: configs/tool_permissions.yaml:6:7: pattern `*__delete_*` matches no tool in Nova: its own matcher knows a star at the end only (pattern-cannot-match)
help: use `SKILL__TOOL` or `SKILL__*` for each skill

"]]);
    let other = sandbox.skillpm("catalog --agent yodoca").exits(0);
    assert_eq!(other.stdout_json()["tool_permissions"], Value::Null);
}

#[test]
fn permissions_of_the_manifest_are_laid_beside_those_of_the_project() {
    let sandbox = nova();
    sandbox.write(
        "skillpm.toml",
        "[dependencies]\n\n[catalog]\ntools = { allow = [\"*\", \"search_memory\"], deny = [\"employee_onboarding__delete_account(*)\"] }\n",
    );
    sandbox.write(
        "configs/tool_permissions.yaml",
        "permissions:\n  allow: [\"employee_onboarding__*\"]\n  deny: [\"search_memory(*)\"]\n  \
         human_approval: [\"employee_onboarding__send_email(*)\"]\n",
    );
    let found = sandbox.skillpm("catalog --agent nova").exits(0);
    let verdicts: Vec<Value> = skill(&found, "employee-onboarding")["tool_permissions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| tool["verdict"].clone())
        .collect();
    assert_eq!(verdicts, ["approval", "deny"]);
    assert_eq!(
        found.stdout_json()["tool_permissions"][0]["verdict"],
        "deny"
    );
    found.never_prints("pattern-cannot-match");
}

#[test]
fn invalid_permissions_are_reported_with_their_place() {
    let sandbox = nova();
    let file = "configs/tool_permissions.yaml";
    sandbox.write(
        file,
        "permissions:\n  denny: []\n  deny:\n    - \"a__b(to=x)\"\n    - \"__x\"\n",
    );
    sandbox
        .skillpm("catalog --agent nova --format nova")
        .exits(0)
        .stderr(str![[r"
warning: configs/tool_permissions.yaml:4:7: pattern `a__b(to=x)` matches no tool: arguments are not matched: only `(*)` may follow the name (pattern-cannot-match)
help: use `SKILL__TOOL`, `SKILL__*` or `*__TOOL`
warning: configs/tool_permissions.yaml:5:7: pattern `__x` matches no tool: tools are named `skill__tool`, and one of the two names is missing (pattern-cannot-match)
help: use `SKILL__TOOL`, `SKILL__*` or `*__TOOL`
warning: configs/tool_permissions.yaml:2:3: unknown key `denny` of `permissions` (unknown-key)
help: the keys are `allow`, `deny` and `human_approval`

"]]);

    sandbox.write(file, "permissions:\n  deny:\n    - *__delete_*\n");
    sandbox
        .skillpm("catalog --agent nova")
        .exits(2)
        .stderr_has("error: failed to parse `configs/tool_permissions.yaml:3:7`: ");
    // It is Nova's alone.
    sandbox.skillpm("catalog --agent yodoca").exits(0);
}

#[test]
fn an_invalid_manifest_is_logged_and_skipped() {
    let sandbox = nova();
    for (name, manifest) in [
        ("no_version", "name: a\ndescription: d\n"),
        ("no_name", "version: \"1\"\ndescription: d\n"),
        ("number", "name: a\nversion: 1.0\ndescription: d\n"),
    ] {
        sandbox.write(&format!("backend/skills/{name}/manifest.yaml"), manifest);
        sandbox.write(&format!("backend/skills/{name}/instructions.md"), "Do.\n");
    }
    let found = sandbox
        .skillpm("catalog --agent nova --format nova")
        .exits(0);
    found.stderr(str![[r#"
warning: [ROOT]/project/backend/skills/no_name/manifest.yaml: the manifest has no `name` (nova-manifest)
help: write `name: …`
warning: [ROOT]/project/backend/skills/no_version/manifest.yaml: the manifest has no `version` (nova-manifest)
help: write `version: …`
warning: [ROOT]/project/backend/skills/number/manifest.yaml:2:10: `version` is a number; Nova expects a string (nova-version-not-text)
help: put it in quotes: `version: "1.0"`

"#]]);
    assert_eq!(found.stdout_text().matches("\n- ").count(), 2);
}

#[test]
fn an_installed_skill_keeps_the_name_of_its_directory() {
    let sandbox = Sandbox::project_here();
    write_skills(&sandbox, "../repo/skills");
    sandbox.skillpm("add ../repo --all --target nova").exits(0);
    assert!(
        sandbox
            .path("backend/skills/employee_onboarding/manifest.yaml")
            .exists()
    );
    assert!(
        sandbox
            .path(".agents/skills/employee_onboarding/manifest.yaml")
            .exists()
    );
    assert!(!sandbox.path("backend/skills/employee-onboarding").exists());
    sandbox
        .skillpm("catalog --agent nova --format nova")
        .exits(0)
        .stdout_has("- employee_onboarding: Handle");
    sandbox.skillpm("verify").exits(0);
    sandbox.skillpm("install --locked").exits(0);

    let file = ".agents/skills/employee_onboarding/instructions.md";
    sandbox.write(file, "# Mine\n");
    sandbox
        .skillpm("diff employee_onboarding")
        .exits(0)
        .stdout_has("+# Mine");
    sandbox.skillpm("remove release_management").exits(0);
    assert!(!sandbox.path("backend/skills/release_management").exists());
    sandbox.skillpm("undo").exits(0);
    assert!(
        sandbox
            .path("backend/skills/release_management/manifest.yaml")
            .exists()
    );
    assert_eq!(sandbox.read(file), "# Mine\n");
    sandbox.skillpm("why employee_onboarding").exits(0);
    sandbox
        .skillpm("tree")
        .exits(0)
        .stdout_has("employee_onboarding");
}

#[test]
fn an_alias_has_underscores_for_a_skill_of_nova_alone() {
    let sandbox = Sandbox::project_here();
    write_skills(&sandbox, "../repo/skills");
    sandbox.write_skill("../other/pdf", "Reads PDF.");
    sandbox
        .skillpm("add ../repo/skills/employee_onboarding --as new_hires --target nova")
        .exits(0);
    assert!(
        sandbox
            .path("backend/skills/new_hires/manifest.yaml")
            .exists()
    );

    let refused = "invalid skill name `my_pdf`: it contains `_`";
    sandbox
        .skillpm("add ../other/pdf --as my_pdf")
        .exits(2)
        .stderr_has(refused);
    sandbox.write(
        "skillpm.toml",
        "[dependencies]\nmy_pdf = { path = \"../other/pdf\", package = \"pdf\" }\n",
    );
    sandbox.skillpm("install").exits(2).stderr_has(refused);
}

#[test]
fn a_site_shows_a_skill_of_nova_and_offers_the_others() {
    let sandbox = Sandbox::project_here();
    write_skills(&sandbox, "../repo/skills");
    sandbox.write_skill("../repo/skills/pdf", "Reads PDF.");
    sandbox.skillpm("add ../repo --all").exits(0);
    sandbox
        .skillpm("registry site ../public")
        .exits(0)
        .stderr_has("`employee_onboarding` is left out below `/.well-known/`: it has no `SKILL.md`, but the format `nova`");
    let page = sandbox.read("../public/index.html");
    for text in [
        "employee_onboarding",
        "1.0.0",
        "Handle new hire setup, emails, and checklists.",
        "pdf",
    ] {
        assert!(page.contains(text), "{text}: {page}");
    }
}

#[test]
fn skills_that_differ_in_a_separator_are_two() {
    let sandbox = Sandbox::project_here();
    for id in ["hire_people", "hire-people"] {
        sandbox.write(
            &format!("backend/skills/{id}/manifest.yaml"),
            format!("name: {id}\nversion: \"1.0.0\"\ndescription: Is {id}.\nauthor: nova-team\n"),
        );
        sandbox.write(
            &format!("backend/skills/{id}/instructions.md"),
            format!("# Text of {id}\n"),
        );
    }
    let mut server = sandbox.skillpm("serve --agent nova").follow();
    for id in ["hire_people", "hire-people"] {
        let (text, _) = call(&mut server, "enable_skill", &json!({"skill_name": id}));
        assert!(text.contains(&format!("# Text of {id}\n")), "{text}");
    }
    let (listed, _) = call(&mut server, "list_skills", &json!({}));
    assert_eq!(
        listed,
        "- hire-people: Is hire-people.\n- hire_people: Is hire_people."
    );
    let (_, active) = call(
        &mut server,
        "disable_skill",
        &json!({"skill_name": "hire_people"}),
    );
    assert_eq!(active, json!(["hire-people"]));
}

#[test]
fn a_site_of_skills_of_nova_alone_has_a_page() {
    let sandbox = nova();
    sandbox.skillpm("add ./backend/skills --all").exits(0);
    sandbox
        .skillpm("registry site ../public")
        .exits(0)
        .stderr_has("Wrote 2 skills on its page to ");
    let page = sandbox.read("../public/index.html");
    assert!(page.contains("employee_onboarding"), "{page}");
}
