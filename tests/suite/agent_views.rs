//! Who sees what: agents with their own order, parts under `[catalog.agents]`, gates, what may not be covered.

use serde_json::{Value, json};
use snapbox::str;

use crate::catalog::skills;
use crate::serve::call;
use crate::support::{Outcome, Sandbox};

/// A project and a home with one name in the directories of several agents.
fn copies() -> Sandbox {
    let sandbox = Sandbox::project_here();
    sandbox.write_skill(".claude/skills/pdf", "The project's for Claude.");
    sandbox.write_skill("~/.claude/skills/pdf", "Mine for Claude.");
    sandbox.write_skill(".agents/skills/csv", "The project's.");
    sandbox.write_skill("~/.agents/skills/csv", "Mine.");
    sandbox.write(
        "skillpm.toml",
        "[dependencies]\n\n[catalog]\ndeny = [\"skillpm\", \"writing-skills\"]\n",
    );
    sandbox
}

/// Name and description of what is listed.
fn listed(outcome: &Outcome) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let is_listed = |skill: &&Value| skill["hidden"].is_null();
    skills(outcome)
        .iter()
        .filter(is_listed)
        .map(|skill| (text(&skill["name"]), text(&skill["description"])))
        .collect()
}

fn pairs(expected: &[(&str, &str)]) -> Vec<(String, String)> {
    expected
        .iter()
        .map(|(name, description)| ((*name).to_owned(), (*description).to_owned()))
        .collect()
}

/// Name, what hides it, and why in words; of what is listed the name alone.
fn reasons(outcome: &Outcome) -> Vec<Value> {
    let told = |skill: Value| {
        if skill["hidden"].is_null() {
            json!([skill["name"]])
        } else {
            json!([skill["name"], skill["hidden"], skill["because"]])
        }
    };
    skills(outcome).into_iter().map(told).collect()
}

#[test]
fn agent_sees_its_own_directories_in_its_own_order() {
    let sandbox = copies();
    let claude = sandbox.skillpm("catalog --agent claude-code").exits(0);
    assert_eq!(listed(&claude), pairs(&[("pdf", "Mine for Claude.")]));
    assert_eq!(claude.stdout_json()["agent"], "claude-code");
    let rules: Vec<_> = skills(&claude)[0]["diagnostics"]
        .as_array()
        .unwrap()
        .iter()
        .map(|d| d["rule"].clone())
        .collect();
    assert_eq!(rules, ["shadow-inversion", "shadowed"]);
    let zed = sandbox.skillpm("catalog --agent zed").exits(0);
    assert_eq!(listed(&zed), pairs(&[("csv", "The project's.")]));
}

#[test]
fn agent_that_lists_all_sees_every_copy() {
    let sandbox = copies();
    let codex = sandbox.skillpm("catalog --agent codex").exits(0);
    assert_eq!(
        listed(&codex),
        pairs(&[("csv", "The project's."), ("csv", "Mine.")])
    );
    let xml = sandbox
        .skillpm("catalog --agent codex --format xml")
        .exits(0);
    xml.stderr(str![[r"
warning: codex lists `csv` 2 times, from `[ROOT]/project/.agents/skills` and `[HOME]/.agents/skills` (duplicate-listing)
help: remove all but one

"]]);
    assert_eq!(xml.stdout_text().matches("<name>csv</name>").count(), 2);
}

#[test]
fn list_and_why_report_an_agent_with_inverted_order() {
    let sandbox = copies();
    let line = "claude-code uses `";
    sandbox.skillpm("list").exits(0).stderr_has(line);
    sandbox.skillpm("why pdf").exits(0).stdout_has(line);
    sandbox
        .skillpm("catalog --format xml")
        .exits(0)
        .stderr_has(line)
        .stderr_has("(shadow-inversion)");
    let lines = sandbox
        .skillpm("list --format json")
        .exits(0)
        .stdout_json_lines();
    let of = |name: &str| lines.iter().find(|line| line["name"] == name).unwrap()["agents"].clone();
    assert_eq!(of("pdf")[0]["agent"], "claude-code");
    assert_eq!(of("pdf")[0]["rule"], "shadow-inversion");
    assert_eq!(
        of("csv"),
        json!([]),
        "nobody in use here takes it differently"
    );
    assert_eq!(
        sandbox
            .skillpm("why pdf --format json")
            .exits(0)
            .stdout_json()["agents"][0]["agent"],
        "claude-code"
    );
}

#[test]
fn agent_can_be_moved_and_added_by_settings() {
    let sandbox = copies();
    sandbox.write(
        "~/.skillpm/config.toml",
        "[agents.claude-code]\nuser-dir = \"~/work/skills\"\n",
    );
    sandbox.write_skill("~/work/skills/pdf", "From work.");
    let claude = sandbox.skillpm("catalog --agent claude-code").exits(0);
    assert_eq!(listed(&claude), pairs(&[("pdf", "From work.")]));
    sandbox.write_skill("ours/skills/mail", "Sends mail.");
    let set = "--config agents.ours.project-dir=ours/skills --config agents.ours.also-reads-project=.agents/skills";
    let ours = sandbox
        .skillpm(format!("catalog --agent ours {set}"))
        .exits(0);
    assert_eq!(
        listed(&ours),
        pairs(&[("csv", "The project's."), ("mail", "Sends mail.")])
    );
    let tiers = sandbox
        .skillpm(format!("catalog {set} --only mail"))
        .exits(0);
    assert_eq!(
        skills(&tiers)[0]["root"],
        "ours",
        "a directory of an agent belongs to the tiers"
    );
}

#[test]
fn project_cannot_move_user_skills_or_agents_outside() {
    let sandbox = copies();
    sandbox.write(
        ".skillpm/config.toml",
        "[agents.claude-code]\nuser-dir = \"~/.ssh\"\n",
    );
    sandbox
        .skillpm("catalog --agent claude-code")
        .exits(2).stderr(str![[r"
error: cannot set `agents.claude-code.user-dir` in a project's settings
  it is set in [ROOT]/project/.skillpm/config.toml
  it decides where your own skills are installed, so only you may set it
help: remove it there; to set it for yourself, run `skillpm config set agents.claude-code.user-dir VALUE`

"]]);
    sandbox.write(
        ".skillpm/config.toml",
        "[agents.claude-code]\nproject-dir = \"../elsewhere\"\n",
    );
    sandbox
        .skillpm("catalog --agent claude-code")
        .exits(2)
        .stderr(str![[r"
error: invalid value `../elsewhere` for `agents.claude-code.project-dir`
  it is set in [ROOT]/project/.skillpm/config.toml
caused by: invalid path `../elsewhere`: it contains `.` or `..`
help: set a directory inside the project

"]]);
}

#[test]
fn unknown_agent_offers_the_nearest() {
    let sandbox = copies();
    sandbox
        .skillpm("catalog --agent claude-cod")
        .exits(2)
        .stderr(str![[r"
error: unknown agent `claude-cod`
help: did you mean `claude-code`?
help: `skillpm agents list --all` lists all agents

"]]);
    sandbox
        .skillpm("config set agents.workbench.project-dir .workbench/skills")
        .exits(0);
    sandbox
        .skillpm("catalog --agent workbenhc")
        .exits(2)
        .stderr(str![[r"
error: unknown agent `workbenhc`
help: did you mean `workbench`?
help: `skillpm agents list --all` lists all agents

"]]);
}

#[test]
fn configured_agent_sees_what_its_table_allows() {
    let sandbox = Sandbox::project_here();
    for name in ["review-code", "review-text", "house-style", "deploy"] {
        sandbox.write_skill(&format!(".agents/skills/{name}"), &format!("About {name}."));
    }
    sandbox.write(
        ".agents/skills/house-style/SKILL.md",
        "---\nname: house-style\ndescription: Ours.\n---\nWrite short.\n",
    );
    sandbox.write(
        "skillpm.toml",
        "[dependencies]\n\n[catalog]\ndeny = [\"*-text\", \"skillpm\", \"writing-skills\"]\n\n[catalog.agents.reviewer]\n\
         allow = [\"review-*\", \"house-style\"]\nalways = [\"house-style\"]\n\n[catalog.agents.off]\nenabled = false\n",
    );
    let reviewer = sandbox.skillpm("catalog --agent reviewer --all").exits(0);
    assert_eq!(
        reasons(&reviewer),
        [
            json!([
                "deploy",
                "not-allowed",
                "only others are allowed in `[catalog.agents.reviewer]` of skillpm.toml"
            ]),
            json!(["house-style"]),
            json!(["review-code"]),
            json!([
                "review-text",
                "denied",
                "`*-text` is denied in `[catalog]` of skillpm.toml"
            ]),
            json!([
                "skillpm",
                "denied",
                "`skillpm` is denied in `[catalog]` of skillpm.toml"
            ]),
            json!([
                "writing-skills",
                "denied",
                "`writing-skills` is denied in `[catalog]` of skillpm.toml"
            ]),
        ]
    );
    let house = &skills(&reviewer)[1];
    assert_eq!(
        (&house["always"], &house["instructions"]),
        (&json!(true), &json!("Write short.\n"))
    );
    sandbox
        .skillpm("catalog --agent reviewer --format bodies")
        .exits(0)
        .stdout("Write short.\n");
    let off = sandbox
        .skillpm("catalog --agent off --format xml --all")
        .exits(0);
    off.stdout("").stderr_has(
        "Hidden deploy: skills are switched off in `[catalog.agents.off]` of skillpm.toml",
    );
}

#[test]
fn empty_list_means_none_except_for_kodelet() {
    let sandbox = Sandbox::project_here();
    sandbox.write_skill(".kodelet/skills/pdf", "Reads PDF.");
    sandbox.write_skill(".claude/skills/pdf", "Reads PDF.");
    let of = |agent: &str| format!("[dependencies]\n\n[catalog.agents.{agent}]\nallow = []\n");
    sandbox.write("skillpm.toml", of("kodelet"));
    assert_eq!(
        listed(&sandbox.skillpm("catalog --agent kodelet").exits(0)).len(),
        1
    );
    sandbox.write("skillpm.toml", of("claude-code"));
    assert_eq!(
        listed(&sandbox.skillpm("catalog --agent claude-code").exits(0)).len(),
        0
    );
}

#[test]
fn gates_read_the_configuration_of_the_agent() {
    let sandbox = Sandbox::project_here();
    let gated = |name: &str, requires: &str| {
        let text = format!(
            "---\nname: {name}\ndescription: D.\nmetadata: {{\"openclaw\": {{\"primaryEnv\": \"{}_KEY\", \"requires\": {requires}}}}}\n---\n",
            name.to_uppercase()
        );
        sandbox.write(&format!("skills/{name}/SKILL.md"), text);
    };
    gated("browse", "{\"config\": [\"browser.enabled\"]}");
    gated(
        "mail",
        "{\"config\": [\"mail.on\"], \"env\": [\"MAIL_KEY\", \"MAIL_TOKEN\"]}",
    );
    gated("off", "{}");
    let all = || {
        sandbox
            .skillpm("catalog --agent openclaw --all --assume env=")
            .exits(0)
    };
    assert_eq!(
        reasons(&all()),
        [
            json!(["browse"]),
            json!([
                "mail",
                "ineligible",
                "it needs the variables `MAIL_KEY`, `MAIL_TOKEN`; the agent's setting `mail.on`"
            ]),
            json!(["off"]),
        ]
    );
    sandbox.write(
        "~/.openclaw/openclaw.json",
        "{\n  // mine\n  browser: {enabled: false},\n  mail: {on: true},\n  skills: {entries: {\n    off: {enabled: false},\n    \
         mail: {apiKey: 'SECRET-1', env: {MAIL_TOKEN: 'SECRET-2'}},\n  }},\n}\n",
    );
    let outcome = sandbox.skillpm("catalog --agent openclaw --all").exits(0);
    assert_eq!(
        reasons(&outcome),
        [
            json!([
                "browse",
                "ineligible",
                "it needs the agent's setting `browser.enabled`"
            ]),
            json!(["mail"]),
            json!([
                "off",
                "denied",
                "`off` is denied in `~/.openclaw/openclaw.json`"
            ]),
        ]
    );
    outcome.never_prints("SECRET");
    let other = sandbox
        .skillpm("catalog --agent openclaw --all --assume config=browser.enabled,env=")
        .exits(0);
    assert_eq!(reasons(&other)[0], json!(["browse"]));
    assert_eq!(
        reasons(&other)[1][2],
        "it needs the variables `MAIL_KEY`, `MAIL_TOKEN`; the agent's setting `mail.on`"
    );
}

#[test]
fn deny_shadowing_lists_the_protected_skill_and_exits_with_1() {
    let sandbox = copies();
    sandbox.edit(
        "skillpm.toml",
        "[catalog]",
        "[policy]\ndeny-shadowing = true\n\n[catalog]",
    );
    let outcome = sandbox.skillpm("catalog --all").exits(1);
    outcome.stderr(str![[r"
error: `csv` was left out: it would shadow `[HOME]/.agents/skills/csv/SKILL.md`, which `policy.deny-shadowing` in skillpm.toml forbids
  `pdf` was left out: it would shadow `[HOME]/.claude/skills/pdf/SKILL.md`, which `policy.deny-shadowing` in skillpm.toml forbids
help: give it another name, or remove one of the two

"]]);
    assert_eq!(
        listed(&outcome),
        pairs(&[("csv", "Mine."), ("pdf", "Mine for Claude.")])
    );
    let hidden: Vec<_> = reasons(&outcome)
        .iter()
        .map(|reason| reason[1].clone())
        .collect();
    assert_eq!(
        hidden
            .iter()
            .filter(|why| **why == "shadowing-denied")
            .count(),
        2
    );
    sandbox.skillpm("show csv").exits(0).stdout_has("Mine.");
    sandbox.delete("~/.agents/skills/csv");
    sandbox.delete(".claude/skills/pdf");
    sandbox.skillpm("catalog").exits(0);
}

#[test]
fn user_can_deny_shadowing_and_no_project_allows_it() {
    let sandbox = copies();
    sandbox.write(
        "~/.skillpm/config.toml",
        "[policy]\ndeny-shadowing = true\n",
    );
    sandbox
        .skillpm("catalog")
        .exits(1).stderr(str![[r"
error: `csv` was left out: it would shadow `[HOME]/.agents/skills/csv/SKILL.md`, which `policy.deny-shadowing` in [HOME]/.skillpm/config.toml forbids
  `pdf` was left out: it would shadow `[HOME]/.claude/skills/pdf/SKILL.md`, which `policy.deny-shadowing` in [HOME]/.skillpm/config.toml forbids
help: give it another name, or remove one of the two

"]]);
    sandbox.write(".skillpm/config.toml", "[policy]\ndeny-shadowing = false\n");
    sandbox.skillpm("catalog").exits(2).stderr(str![[r"
error: cannot set `policy.deny-shadowing` in a project's settings
  it is set in [ROOT]/project/.skillpm/config.toml
  a project may not allow what you forbid; it sets its own policy in `skillpm.toml`
help: remove it there; to set it for yourself, run `skillpm config set policy.deny-shadowing VALUE`

"]]);
}

#[test]
fn tool_patterns_without_a_match_are_reported() {
    let sandbox = copies();
    sandbox.edit(
        "skillpm.toml",
        "[catalog]",
        "[catalog]\ntools = { deny = [\"*__delete_*\", \"__rm\"] }",
    );
    let told = "pattern `*__delete_*` matches no tool in Nova: its own matcher knows a star at the end only";
    sandbox
        .skillpm("catalog")
        .exits(0)
        .stderr_has("pattern `__rm` matches no tool")
        .never_prints("__delete_");
    sandbox
        .skillpm("catalog --agent nova")
        .exits(0)
        .stderr_has(told);
}

#[test]
fn agent_view_writes_nothing_into_the_project() {
    let sandbox = copies();
    let snapshot = sandbox.snapshot();
    sandbox.skillpm("catalog --agent claude-code").exits(0);
    sandbox.skillpm("budget").exits(0);
    snapshot.still_holds();
}

#[test]
fn codex_reads_its_own_file_beside_a_skill() {
    let sandbox = copies();
    sandbox.delete("~/.agents/skills/csv");
    sandbox.write(
        ".agents/skills/csv/agents/openai.yaml",
        "policy:\n  allow_implicit_invocation: false\n",
    );
    sandbox.write_skill(".agents/skills/mail", "Sends mail.");
    sandbox.write(
        ".agents/skills/mail/agents/openai.yaml",
        "policy:\n  products: [chatgpt]\n",
    );
    let codex = sandbox.skillpm("catalog --agent codex --all").exits(0);
    assert_eq!(
        reasons(&codex),
        [
            json!([
                "csv",
                "not-model-invocable",
                "its `agents/openai.yaml` disables invocation by the model"
            ]),
            json!([
                "mail",
                "not-allowed",
                "its `agents/openai.yaml` is for other products"
            ]),
        ]
    );
    sandbox
        .skillpm("catalog --agent codex --format xml")
        .exits(0)
        .stdout("");
    assert_eq!(
        listed(&sandbox.skillpm("catalog --agent zed").exits(0)).len(),
        2,
        "others do not"
    );
}

#[test]
fn agent_sees_skills_in_its_own_format() {
    let sandbox = Sandbox::project_here();
    sandbox.write_skill("backend/skills/csv", "Tidies CSV.");
    sandbox.write(
        "backend/skills/hello/manifest.yaml",
        "name: hello\nversion: \"1.0.0\"\ndescription: Says hello.\n",
    );
    sandbox.write("backend/skills/hello/instructions.md", "Say hello.\n");
    sandbox.write(
        "skillpm.toml",
        "[dependencies]\n\n[catalog]\ntools = { deny = [\"hello__shout\"], allow = [\"hello__*\"] }\n",
    );
    sandbox.write(
        "backend/skills/hello/tools.py",
        "from langchain_core.tools import tool\n\n\n@tool\ndef greet(name: str) -> str:\n    \"\"\"Greets.\"\"\"\n    return name\n\n\n\
         @tool\ndef shout(name: str) -> str:\n    \"\"\"Shouts.\"\"\"\n    return name\n\n\ndef get_tools():\n    return [greet, shout]\n",
    );
    let nova = sandbox.skillpm("catalog --agent nova --all").exits(0);
    assert_eq!(
        reasons(&nova),
        [
            json!([
                "csv",
                "other-format",
                "the agent does not read skills written as skill-md"
            ]),
            json!(["hello"])
        ]
    );
    assert_eq!(
        skills(&nova)[1]["tool_permissions"],
        json!([
            {"tool": "hello__greet", "verdict": "allow", "pattern": "hello__*"},
            {"tool": "hello__shout", "verdict": "deny", "pattern": "hello__shout"},
        ])
    );
}

/// A skill of Nova with a tool for each name.
fn with_tools(tools: &[&str]) -> Sandbox {
    let sandbox = Sandbox::project_here();
    let dir = "skills/employee_onboarding";
    sandbox.write(
        &format!("{dir}/manifest.yaml"),
        "name: employee_onboarding\nversion: \"1.0.0\"\ndescription: Handles new hires.\n",
    );
    sandbox.write(&format!("{dir}/instructions.md"), "Work with care.\n");
    let functions: String = tools
        .iter()
        .map(|tool| format!("@tool\ndef {tool}(name: str) -> str:\n    \"\"\"Does it.\"\"\"\n\n\n"))
        .collect();
    let names = tools.join(", ");
    let text = format!(
        "from langchain_core.tools import tool\n\n\n{functions}def get_tools():\n    return [{names}]\n"
    );
    sandbox.write(&format!("{dir}/tools.py"), text);
    sandbox
}

#[test]
fn deny_takes_precedence_over_a_broad_allow() {
    let sandbox = with_tools(&["delete_account", "send_email"]);
    for denied in [
        "employee_onboarding__delete_account",
        "employee_onboarding__delete_account(*)",
        "employee_onboarding__delete_*",
        "*__delete_*",
        "*__delete_*(*)",
    ] {
        let tools = format!("allow = [\"employee_onboarding__*\"], deny = [\"{denied}\"]");
        sandbox.write(
            "skillpm.toml",
            format!("[dependencies]\n[catalog]\ntools = {{ {tools} }}\n"),
        );
        let told = sandbox.skillpm("catalog").exits(0);
        let permissions =
            crate::catalog::skill(&told, "employee-onboarding")["tool_permissions"].clone();
        let verdict = |name: &str| {
            let found = permissions
                .as_array()
                .unwrap()
                .iter()
                .find(|one| one["tool"].as_str() == Some(name));
            found.unwrap_or_else(|| panic!("{permissions}"))["verdict"].clone()
        };
        assert_eq!(
            verdict("employee_onboarding__delete_account"),
            "deny",
            "{denied}: {permissions}"
        );
        assert_eq!(
            verdict("employee_onboarding__send_email"),
            "allow",
            "{denied}: {permissions}"
        );
        told.never_prints("pattern-cannot-match");
    }
}

#[test]
fn pattern_that_names_a_tool_its_skill_lacks_is_reported() {
    let sandbox = with_tools(&["delete_account", "send_email"]);
    sandbox.write(
        "skillpm.toml",
        "[dependencies]\n\n[catalog.tools]\nallow = [\"employee_onboarding__*\"]\n\
         deny = [\n  \"employee_onboarding__delete_acount(*)\",\n  \"employee_onboarding__fire(*)\",\n  \
         \"other_skill__fire\",\n  \"employee_onboarding__later_*\",\n]\n",
    );
    let expected = str![[r"
warning: skillpm.toml:6:3: pattern `employee_onboarding__delete_acount(*)` matches no tool: skill `employee_onboarding` has no tool `delete_acount` (tool-absent)
help: did you mean `employee_onboarding__delete_account`?
warning: skillpm.toml:7:3: pattern `employee_onboarding__fire(*)` matches no tool: skill `employee_onboarding` has no tool `fire` (tool-absent)
help: `employee_onboarding__*` matches all of its tools

"]];
    sandbox.skillpm("catalog").exits(0).stderr(expected);
}

#[test]
fn pattern_without_a_match_is_reported_with_its_place() {
    let sandbox = with_tools(&["send_email"]);
    sandbox.write(
        "skillpm.toml",
        "[dependencies]\n\n[catalog.tools]\nallow = [\"employee_onboarding__*\"]\n\
         deny = [\n  \"employee_onboarding__send_email(to=x)\",\n  '__delete',\n]\n\
         [catalog.agents.nova.tools]\nask = [\"*__send_*\"]\n",
    );
    let told = sandbox.skillpm("catalog").exits(0);
    told.stderr(str![[r"
warning: skillpm.toml:6:3: pattern `employee_onboarding__send_email(to=x)` matches no tool: arguments are not matched: only `(*)` may follow the name (pattern-cannot-match)
help: use `SKILL__TOOL`, `SKILL__*` or `*__TOOL`
warning: skillpm.toml:7:3: pattern `__delete` matches no tool: tools are named `skill__tool`, and one of the two names is missing (pattern-cannot-match)
help: use `SKILL__TOOL`, `SKILL__*` or `*__TOOL`

"]]);
    told.never_prints("*__send_*");
    let nova = sandbox.skillpm("catalog --agent nova").exits(0);
    nova.stderr_has("skillpm.toml:10:8: pattern `*__send_*` matches no tool in Nova: its own matcher knows a star at the end only");
}

/// Kodelet's `loadSkill`, Yodoca's required fields and Pickle-bot's rules of validation; others take the directory's name.
#[test]
fn agents_whose_design_requires_a_name_skip_a_skill_without_one() {
    let sandbox = Sandbox::new();
    let page = "---\ndescription: Has no name\n---\n\nLook.\n";
    for (agent, dir) in [
        ("kodelet", ".kodelet/skills"),
        ("yodoca", "sandbox/skills"),
        ("pickle-bot", "~/.pickle-bot/skills"),
    ] {
        sandbox.write(&format!("{dir}/nameless/SKILL.md"), page);
        let run = sandbox.skillpm(format!("catalog --agent {agent}")).exits(0);
        assert_eq!(skills(&run), [Value::Null; 0], "{agent}");
        run.stderr_has("nameless/SKILL.md:1:1: the skill has no `name` (name-missing)");
    }

    sandbox.write(".claude/skills/nameless/SKILL.md", page);
    let run = sandbox.skillpm("catalog --agent claude-code").exits(0);
    assert_eq!(skills(&run)[0]["name"], "nameless");
}

#[test]
fn commands_of_claude_code_are_listed_behind_its_skills() {
    let sandbox = Sandbox::project_here();
    sandbox.write_skill(".claude/skills/deploy", "The skill.");
    sandbox.write(
        ".claude/commands/deploy.md",
        "---\ndescription: The command.\n---\nDo.\n",
    );
    sandbox.write(".claude/commands/db/migrate.md", "Migrate the database.\n");
    sandbox.write(
        "~/.claude/commands/mine.md",
        "---\ndescription: Mine.\n---\n",
    );

    let claude = sandbox.skillpm("catalog --agent claude-code").exits(0);
    assert_eq!(
        listed(&claude),
        pairs(&[
            ("db:migrate", "Migrate the database."),
            ("deploy", "The skill."),
            ("mine", "Mine."),
        ])
    );
    sandbox
        .skillpm("list --agent claude-code")
        .exits(0)
        .stdout_has("db:migrate");
    // To the others they are no skills.
    let all = sandbox.skillpm("list").exits(0);
    assert!(!all.stdout_text().contains("db:migrate"));
    let codex = sandbox.skillpm("catalog --agent codex").exits(0);
    assert!(!codex.stdout_text().contains("migrate"));
    // What is listed can be loaded, by the name that the list has.
    sandbox
        .skillpm("show db:migrate --agent claude-code")
        .exits(0)
        .stdout("Migrate the database.\n");
    sandbox
        .skillpm("show mine --agent claude-code")
        .exits(0)
        .stdout_has("description: Mine.");
    let mut server = sandbox.skillpm("serve --agent claude-code").follow();
    let arguments = json!({"skill_id": "db:migrate"});
    let (is_error, text) = call(&mut server, "enable_skill", &arguments);
    assert!(
        !is_error && text.contains("Migrate the database."),
        "{text}"
    );
    drop(server);
    // Nor are they for `lint`, whose rules are for skills.
    sandbox.skillpm("lint --agent claude-code").exits(0);
}
