//! `catalog` in its many forms: for single agents, for models, by a template, and as trees of files.

#![expect(clippy::needless_raw_string_hashes, reason = "snapbox writes them so")]

use std::collections::BTreeMap;

use serde_json::{Value, json};
use snapbox::str;

use crate::support::{Sandbox, Server, has_unix, skill_md};

const CSV: &str =
    "Clean CSV files - trim cells, drop empty rows, fix headers. Use when a CSV looks untidy.";

/// A directory with the two skills of the worked example, the first with a program and a reference.
fn two() -> Sandbox {
    let sandbox = Sandbox::project_here();
    sandbox.write_skill("skills/csv-tidy", CSV);
    sandbox.write("skills/csv-tidy/references/rules.md", "rules");
    sandbox.write(
        "skills/csv-tidy/scripts/tidy.py",
        "#!/usr/bin/env python3\n",
    );
    executable(&sandbox.path("skills/csv-tidy/scripts/tidy.py"));
    let metadata = "metadata: {version: \"1.2\", author: Ada}\nlicense: MIT\ntags: [text, pdf]\n";
    let quotes =
        r#"description: "Checks <b>quotes</b> & \"dashes\" in it's text: naïve, 日本語, 🚀.""#;
    sandbox.write(
        "skills/quote-check/SKILL.md",
        format!("---\nname: quote-check\n{quotes}\n{metadata}---\n\nCheck.\n"),
    );
    sandbox
}

fn executable(path: &std::path::Path) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    #[cfg(not(unix))]
    let _ = path;
}

/// The lines of `catalog`, each held against the schema.
#[track_caller]
fn lines(sandbox: &Sandbox, line: &str) -> Vec<Value> {
    let mut schema: Value =
        serde_json::from_str(include_str!("../../docs/schemas/lines.schema.json")).unwrap();
    schema.as_object_mut().unwrap().remove("anyOf");
    schema["$ref"] = json!("#/$defs/lines-of-catalog");
    let schema = jsonschema::validator_for(&schema).unwrap();
    let lines = sandbox.skillpm(line).exits(0).stdout_json_lines();
    lines
        .iter()
        .for_each(|line| assert!(schema.is_valid(line), "{line}"));
    lines
}

#[test]
fn list_of_formats_is_printed_as_text_and_json() {
    let sandbox = Sandbox::new();
    sandbox
        .skillpm("catalog --list-formats")
        .exits(0)
        .stdout(str![[r#"
json               data   application/json the whole model, for programs
xml                prompt application/xml  as in the Agent Skills client guide
xml-ref            prompt application/xml  as `to-prompt` of skills-ref
markdown           prompt text/markdown    a section of AGENTS.md, between markers
nova               prompt text/markdown    Nova, as its ADR has it
nova-shipped       prompt text/markdown    Nova, as its program writes it
yodoca             prompt text/plain       Yodoca, for `read_skill`
kodelet            prompt text/markdown    Kodelet: the description of its tool `skill`
kodelet-tool       tools  application/json Kodelet: that tool, with its schema
pickle             tools  application/json Pickle-bot: its tool `skill`
devai              tools  application/json Devai: a function for each of its skills
openai             tools  application/json tools of OpenAI's chat completions
openai-responses   tools  application/json tools of OpenAI's responses
anthropic          tools  application/json tools of Anthropic's messages
template           data   text/plain       a template of your own: `--template FILE`
well-known         files  application/json discovery below /.well-known/, for a web server
agentskills-http   files  application/json the tree that agentskills-http serves
claude-marketplace files  application/json a plugin marketplace of Claude Code
claude-zip         files  application/zip  a zip for each skill, for Anthropic's Skills API
bodies             prompt text/markdown    the instructions themselves, in the order of `--only`

"#]]);
    let listed = lines(&sandbox, "catalog --list-formats --format json");
    assert_eq!(
        listed[1],
        json!({
            "type": "format", "name": "xml", "purpose": "prompt", "media_type": "application/xml",
            "summary": "as in the Agent Skills client guide",
        })
    );
}

#[test]
fn every_listed_format_works_or_names_its_requirement() {
    let sandbox = two();
    for form in lines(&sandbox, "catalog --list-formats --format json") {
        let name = form["name"].as_str().unwrap();
        let run = sandbox.skillpm(format!("catalog --dir skills --format {name}"));
        match name {
            "template" => run.exits(2).explains(["--template FILE"]),
            "claude-zip" => run
                .exits(2)
                .explains(["skillpm catalog --format claude-zip --out DIR"]),
            "devai" => run.exits(0).stdout("[]\n"),
            "bodies" => run.exits(0).stdout_has("# csv-tidy"),
            _ => run.exits(0).stdout_has("csv-tidy"),
        };
    }
}

#[test]
fn nearest_format_is_offered() {
    let sandbox = two();
    sandbox
        .skillpm("catalog --format well-know")
        .exits(2)
        .stderr_has("well-known");
}

#[test]
fn words_and_tags_filter_the_list() {
    let sandbox = two();
    let named = |line: &str| {
        let run = sandbox
            .skillpm(format!("catalog --dir skills {line}"))
            .exits(0);
        crate::catalog::skills(&run)
            .iter()
            .map(|skill| skill["name"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(named("--search 'CSV headers'"), ["csv-tidy"]);
    assert_eq!(named("--search text"), ["quote-check"]);
    assert_eq!(named("--tag PDF --tag none"), ["quote-check"]);
    assert_eq!(named("--search csv --tag pdf"), [""; 0]);
    let all = crate::catalog::skill(
        &sandbox
            .skillpm("catalog --dir skills --search csv --all")
            .exits(0),
        "quote-check",
    );
    assert_eq!(all["hidden"], "not-asked-for");
}

#[test]
fn catalog_is_written_by_a_user_template() {
    let sandbox = two();
    sandbox.write(
        "mine.txt.j2",
        "{{ preamble }}{% for s in skills %}\n* {{ s.id }} ({{ s.files | length }})\n{% endfor %}\n",
    );
    sandbox.write("pre.txt", "Mine:\n");
    sandbox
        .skillpm("catalog --dir skills --template mine.txt.j2 --preamble pre.txt")
        .exits(0)
        .stdout(str![[r#"
Mine:
* csv-tidy (3)
* quote-check (1)

"#]]);
    sandbox.write("bad.j2", "\n{{ skills[0].nmae }}\n");
    sandbox
        .skillpm("catalog --dir skills --template bad.j2")
        .exits(2)
        .stdout("")
        .stderr(str![[r#"
error: bad.j2:2: undefined value
help: `skillpm catalog --format json` shows the keys that `skills` have

"#]]);
    sandbox
        .skillpm("catalog --template none.j2")
        .exits(2)
        .explains(["not found"]);
    sandbox
        .skillpm("catalog --template mine.txt.j2 --format xml")
        .exits(2)
        .explains(["--format template"]);
}

#[test]
fn template_output_has_no_hidden_characters() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "d/loud/SKILL.md",
        "---\nname: loud\ndescription: \"red \\e[31m \\u202e text\"\n---\n",
    );
    sandbox.write(
        "t",
        "{% for s in skills %}\n{{ s.description }}\n{% endfor %}\n",
    );
    sandbox
        .skillpm("catalog --dir d --template t")
        .exits(0)
        .stdout("red \u{fffd}[31m \u{fffd} text\n");
}

#[test]
fn preamble_needs_a_format_with_an_introduction() {
    let sandbox = two();
    sandbox.write("pre", "Use them.\n");
    let said = |form: &str| {
        sandbox.skillpm(format!(
            "catalog --dir skills --preamble pre --format {form}"
        ))
    };
    said("kodelet")
        .exits(0)
        .stdout_has("Use them.\n\n## Available Skills\n\n### csv-tidy\n");
    said("anthropic")
        .exits(0)
        .stdout_has("\"description\": \"Use them.\"");
    said("nova")
        .exits(2)
        .stdout("")
        .explains(["the format has no introduction"]);
}

#[test]
fn stats_show_the_cost_of_each_skill_and_format() {
    let sandbox = two();
    let told = lines(&sandbox, "catalog --dir skills --stats --format json");
    assert_eq!(
        told[0],
        json!({"type": "skill-cost", "name": "csv-tidy", "characters": 96, "tokens": 24, "instructions_tokens": 8})
    );
    let nova = told.iter().find(|line| line["format"] == "nova").unwrap();
    let text = sandbox
        .skillpm("catalog --dir skills --format nova")
        .exits(0)
        .stdout_text()
        .trim_end()
        .chars()
        .count();
    assert_eq!(
        *nova,
        json!({"type": "format-cost", "format": "nova", "characters": text, "tokens": text.div_ceil(4)})
    );
    sandbox
        .skillpm("catalog --dir skills --stats --only csv-tidy")
        .exits(0)
        .stdout_has(
            "skill                            characters  tokens instructions\n\
         csv-tidy                                 96      24            8\n",
        );
}

#[test]
fn bodies_are_in_the_requested_order() {
    let sandbox = two();
    sandbox
        .skillpm("catalog --dir skills --format bodies --only quote-check,csv-tidy")
        .exits(0)
        .stdout(str![[r#"
Check.

# csv-tidy

Work with care.

"#]]);
    sandbox.write(
        "skills/shy/SKILL.md",
        "---\nname: shy\ndescription: D.\ndisable-model-invocation: true\n---\nS\n",
    );
    let all = sandbox
        .skillpm("catalog --dir skills --format bodies")
        .exits(0)
        .stdout_text()
        .to_owned();
    assert_eq!(all, "# csv-tidy\n\nWork with care.\n\nCheck.\n");
    let asked = sandbox
        .skillpm("catalog --dir skills --format bodies --only shy")
        .exits(1);
    asked.stdout("").stderr(str![[r#"
error: skill `shy` is hidden from this agent: not-model-invocable
help: `skillpm why shy` shows why

"#]]);
    sandbox
        .skillpm("catalog --dir skills --format bodies --out x")
        .exits(2)
        .explains(["is a text"]);
}

#[test]
fn well_known_tree_is_read_back_over_http() {
    let sandbox = two();
    let wrote = sandbox
        .skillpm("catalog --dir skills --format well-known --out ../www")
        .exits(0);
    wrote
        .stdout("")
        .stderr("       Wrote 2 skills to [ROOT]/www (13 files)\n");
    let printed = sandbox
        .skillpm("catalog --dir skills --format well-known")
        .exits(0)
        .stdout_text()
        .to_owned();
    assert_eq!(
        printed,
        sandbox.read("../www/.well-known/agent-skills/index.json")
    );
    let server = Server::start(&sandbox);
    let reader = sandbox.root().join("reader");
    std::fs::create_dir(&reader).unwrap();
    std::fs::write(reader.join("skillpm.toml"), "[dependencies]\n").unwrap();
    let address = server.url("").trim_end_matches('/').to_owned();
    sandbox
        .skillpm(format!("add {address} --all"))
        .in_dir(&reader)
        .home("elsewhere")
        .exits(0);
    let read =
        |path: &str| std::fs::read_to_string(reader.join(".agents/skills").join(path)).unwrap();
    assert_eq!(read("csv-tidy/SKILL.md"), skill_md("csv-tidy", CSV));
    assert_eq!(read("csv-tidy/scripts/tidy.py"), "#!/usr/bin/env python3\n");
}

#[test]
fn well_known_tree_can_have_a_base_url() {
    let sandbox = two();
    let run = sandbox
        .skillpm("catalog --dir skills --format well-known --base-url https://acme.dev")
        .exits(0);
    let url = "https://acme.dev/.well-known/agent-skills/csv-tidy.tar.gz";
    assert_eq!(run.stdout_json()["skills"][0]["url"], url);
}

#[test]
fn agentskills_http_tree_has_full_paths_and_three_lists() {
    let sandbox = two();
    sandbox
        .skillpm("catalog --dir skills --format agentskills-http --out tree")
        .exits(0);
    let json = |path: &str| serde_json::from_str::<Value>(&sandbox.read(path)).unwrap();
    assert_eq!(
        json("tree/index.json"),
        json!({"skills": ["csv-tidy", "quote-check"]})
    );
    let expected = json!({
        "files": ["SKILL.md", "references/rules.md", "scripts/tidy.py"],
        "references": ["rules.md"],
        "scripts": ["tidy.py"],
        "assets": [],
    });
    assert_eq!(json("tree/csv-tidy/index.json"), expected);
    sandbox.reads("tree/csv-tidy/references/rules.md", "rules");
}

#[test]
fn marketplace_lists_plugins_and_is_a_source() {
    let sandbox = two();
    sandbox
        .skillpm("catalog --dir skills --format claude-marketplace --out ../market --title acme")
        .exits(0);
    let json = |path: &str| serde_json::from_str::<Value>(&sandbox.read(path)).unwrap();
    let quotes = "Checks <b>quotes</b> & \"dashes\" in it's text: naïve, 日本語, 🚀.";
    let about = json!({
        "name": "quote-check", "description": quotes, "version": "1.2", "author": {"name": "Ada"}, "license": "MIT",
        "keywords": ["text", "pdf"],
    });
    assert_eq!(
        json("../market/plugins/quote-check/.claude-plugin/plugin.json"),
        about
    );
    let mut listed = about;
    listed["source"] = json!("./plugins/quote-check");
    let expected = json!({
        "name": "acme",
        "description": "Agent skills",
        "owner": {"name": "acme"},
        "plugins": [{"name": "csv-tidy", "source": "./plugins/csv-tidy", "description": CSV}, listed],
    });
    assert_eq!(json("../market/.claude-plugin/marketplace.json"), expected);
    sandbox.skillpm("add ../market --all").exits(0);
    sandbox.reads(
        ".agents/skills/csv-tidy/SKILL.md",
        &skill_md("csv-tidy", CSV),
    );
    #[cfg(unix)]
    if has_unix("executable files") {
        use std::os::unix::fs::PermissionsExt;
        let tidy = sandbox.path(".agents/skills/csv-tidy/scripts/tidy.py");
        assert_ne!(
            std::fs::metadata(tidy).unwrap().permissions().mode() & 0o111,
            0
        );
    }
    let wrong = sandbox
        .skillpm("catalog --dir skills --format claude-marketplace --title 'A B'")
        .exits(2);
    wrong.explains(["invalid marketplace name"]);
}

#[test]
fn each_zip_has_one_directory_with_the_skill_name() {
    let sandbox = two();
    sandbox
        .skillpm("catalog --dir skills --format claude-zip --out zips")
        .exits(0);
    let mut found = BTreeMap::new();
    for name in ["csv-tidy", "quote-check"] {
        let file = std::fs::File::open(sandbox.path(&format!("zips/{name}.zip"))).unwrap();
        let archive = zip::ZipArchive::new(file).unwrap();
        let names: Vec<String> = archive
            .file_names()
            .map(|name| name.unwrap().into_owned())
            .collect();
        found.insert(name, names.join(" "));
    }
    let expected = [
        (
            "csv-tidy",
            "csv-tidy/SKILL.md csv-tidy/references/rules.md csv-tidy/scripts/tidy.py",
        ),
        ("quote-check", "quote-check/SKILL.md"),
    ];
    assert_eq!(
        found,
        expected
            .map(|(name, files)| (name, files.to_owned()))
            .into()
    );
}

#[test]
fn two_skills_with_one_name_are_refused_as_zip() {
    let sandbox = Sandbox::project_here();
    sandbox.write_skill("ours/pdf", "Reads PDF.");
    sandbox.write_skill(".agents/skills/pdf", "Reads it, too.");
    let set = [
        "project-dir=ours",
        "also-reads-project=.agents/skills",
        "same-name=lists-all",
    ];
    let set = set
        .map(|set| format!("--config agents.mine.{set}"))
        .join(" ");
    let run = sandbox
        .skillpm(format!(
            "catalog --agent mine --format claude-zip --out zips {set}"
        ))
        .exits(0);
    run.stderr(str![[r#"
warning: skipped: duplicate skill name `pdf`: their archives would have the same name
       Wrote 1 skill to [ROOT]/project/zips (2 files)
warning: mine lists `pdf` 2 times, from `[ROOT]/project/ours` and `[ROOT]/project/.agents/skills` (duplicate-listing)
help: remove all but one

"#]]);
}

#[test]
fn tree_replaces_only_output_of_the_same_command() {
    let sandbox = two();
    let write = "catalog --dir skills --format agentskills-http --out tree";
    sandbox.skillpm(write).exits(0);
    sandbox.skillpm(format!("{write} --only csv-tidy")).exits(0);
    sandbox.lacks(["tree/quote-check"]);
    sandbox.write("tree/mine.txt", "mine");
    let snapshot = sandbox.snapshot();
    sandbox.skillpm(write).exits(1).stderr(str![[r#"
error: refusing to replace `[ROOT]/project/tree`: it has files that `skillpm catalog` did not write
  `mine.txt`
help: pass a new directory, or one that the same command wrote before, and copy the files from there

"#]]);
    sandbox
        .skillpm("catalog --dir skills --format well-known --out .")
        .exits(2)
        .explains(["contains the current directory"]);
    sandbox
        .skillpm("catalog --dir skills --format well-known --out skills/csv-tidy/x")
        .exits(2)
        .explains(["inside"]);
    sandbox
        .skillpm("catalog --dir skills --format xml --out x")
        .exits(2)
        .stderr(str![[r#"
error: cannot use `--out` with `xml`: the format is a single text
help: use `--out` with `--format well-known`, `agentskills-http`, `claude-marketplace`, `claude-zip`

"#]]);
    snapshot.still_holds();
}

#[test]
fn skill_unsupported_by_a_format_is_left_out_or_refused_if_named() {
    let sandbox = two();
    sandbox.write(
        "skills/Upper/SKILL.md",
        "---\nname: Upper Case\ndescription: D.\n---\n",
    );
    let run = sandbox
        .skillpm("catalog --dir skills --format well-known")
        .exits(0);
    assert_eq!(run.stdout_json()["skills"].as_array().unwrap().len(), 2);
    run.stderr_has("skipped: invalid skill name `Upper Case`: the specification does not allow it");
    let asked = sandbox
        .skillpm("catalog --dir skills --format well-known --only 'Upper Case'")
        .exits(1);
    asked
        .stdout("")
        .explains(["invalid skill name `Upper Case`"]);
}

#[test]
fn openskills_section_is_reported_and_replaced_on_request() {
    let sandbox = Sandbox::project_here();
    sandbox.write_skill(".agents/skills/pdf", "Reads PDF.");
    let theirs = "<!-- SKILLS_TABLE_START -->\n<usage></usage>\n<!-- SKILLS_TABLE_END -->\n";
    sandbox.write("AGENTS.md", format!("# Ours\n\n{theirs}\n# More\n"));
    sandbox.write("pre", "Read.");
    let into = "catalog --into AGENTS.md --preamble pre";
    sandbox.skillpm(into).exits(0).stderr(str![[r#"
     Updated AGENTS.md
warning: `AGENTS.md` has a section of openskills too; agents will read both
help: pass `--replace-openskills` to replace it

"#]]);
    assert!(sandbox.read("AGENTS.md").contains(theirs));
    sandbox.write("AGENTS.md", format!("# Ours\n\n{theirs}\n# More\n"));
    sandbox
        .skillpm(format!("{into} --replace-openskills"))
        .exits(0)
        .stderr("     Updated AGENTS.md\n");
    let ours = "<!-- skillpm:start fixed -->\nRead.\n\n- `pdf` (`.agents/skills/pdf/SKILL.md`): Reads PDF.\n<!-- skillpm:end -->\n";
    sandbox.reads("AGENTS.md", &format!("# Ours\n\n{ours}\n# More\n"));
    sandbox
        .skillpm(format!("{into} --replace-openskills"))
        .exits(0)
        .stderr("   Unchanged AGENTS.md\n");
}

#[test]
fn devais_skill_becomes_a_function() {
    let sandbox = two();
    let parameters = json!({
        "from": {"type": "string", "description": "Source unit"},
        "value": {"type": "number", "description": "Value to convert", "default": 1},
        "targets": {"type": "array", "description": "Target units", "required": false},
    });
    let description = "Converts a value between two units";
    let skill = json!({
        "id": "unit-convert", "name": "Unit Convert", "description": description, "parameters": parameters,
    });
    sandbox.write("skills/unit-convert/skill.json", skill.to_string());
    sandbox.write(
        "skills/unit-convert/execute.ts",
        "export async function execute() {}\n",
    );
    let told = sandbox
        .skillpm("catalog --dir skills --format devai")
        .exits(0)
        .stdout_json();
    let expected = json!([{
        "name": "skill_unit_convert",
        "description": "[Skill] Converts a value between two units",
        "parameters": {
            "type": "object",
            "properties": {
                "from": {"type": "string", "description": "Source unit"},
                "value": {"type": "number", "description": "Value to convert", "default": 1},
                "targets": {"type": "array", "description": "Target units"},
            },
            "required": ["from", "value"],
        },
    }]);
    assert_eq!(told, expected);
    let tools = sandbox
        .skillpm("catalog --dir skills --format anthropic")
        .exits(0)
        .stdout_json();
    assert_eq!(
        tools[0]["input_schema"]["properties"]["name"]["enum"],
        json!(["csv-tidy", "quote-check"])
    );
    assert_eq!(tools[1]["name"], "skill_unit_convert");
    let left = sandbox
        .skillpm("catalog --dir skills --format well-known")
        .exits(0);
    left.stderr_has(
        "skipped: unsupported format devai of skill `unit-convert`: it has no `SKILL.md`",
    );
}

#[test]
fn bodies_of_an_agent_are_its_always_loaded_skills() {
    let sandbox = Sandbox::new();
    for name in ["a", "b", "c"] {
        let text = format!("---\nname: {name}\ndescription: D.\n---\nText of {name}.\n");
        sandbox.write(&format!(".agents/skills/{name}/SKILL.md"), text);
    }
    sandbox.write(
        "skillpm.toml",
        "[dependencies]\n\n[catalog.agents.reviewer]\nalways = [\"c\", \"a\"]\n",
    );
    let run = sandbox
        .skillpm("catalog --agent reviewer --format bodies")
        .exits(0);
    run.stdout("Text of c.\n\nText of a.\n");
}

#[test]
fn budget_applies_to_template_output() {
    let sandbox = two();
    sandbox.write("t", "{% for s in skills %}{{ s.name }} {% endfor %}");
    sandbox
        .skillpm("catalog --dir skills --template t --budget 21")
        .exits(0)
        .stdout("csv-tidy quote-check ");
    sandbox
        .skillpm("catalog --dir skills --template t --budget 20")
        .exits(1)
        .stdout("")
        .explains(["over the budget"]);
}
