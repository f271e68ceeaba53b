//! `show`: one skill's instructions, or one of its files, to stdout.

use snapbox::str;

use crate::support::{Repo, Sandbox, path_text};

fn installed() -> Sandbox {
    let sandbox = Sandbox::project_here();
    sandbox.write(
        "pdf/SKILL.md",
        "---\nname: pdf\ndescription: Reads PDF.\n---\n\n# How to read PDF\n\nSlowly.\n",
    );
    sandbox.write("pdf/references/forms.md", "# Forms\r\n\tno end of line");
    sandbox.skillpm("add ./pdf").exits(0);
    sandbox
}

#[test]
fn show_prints_the_instructions() {
    let sandbox = installed();
    sandbox
        .skillpm("show pdf")
        .exits(0)
        .stdout_has("# How to read PDF\n\nSlowly.\n");
}

#[test]
fn file_prints_exactly_the_bytes_of_that_file() {
    let sandbox = installed();
    let outcome = sandbox
        .skillpm("show pdf --file references/forms.md")
        .exits(0);
    assert_eq!(outcome.stdout_text(), "# Forms\r\n\tno end of line");
}

#[test]
fn path_outside_the_skill_is_refused() {
    let sandbox = installed();
    sandbox.write(".agents/secret.txt", "CANARY");
    for path in [
        "../../secret.txt",
        "references/../../../secret.txt",
        "/etc/hostname",
        "..\\..\\secret.txt",
    ] {
        let outcome = sandbox
            .skillpm(format!("show pdf --file {path}"))
            .exits_one_of([1, 2, 3]);
        outcome.explains([]).never_prints("CANARY").stdout("");
    }
}

#[cfg(unix)]
#[test]
fn link_out_of_the_skill_is_not_followed() {
    let sandbox = installed();
    sandbox.write(".agents/secret.txt", "CANARY");
    std::os::unix::fs::symlink(
        "../../secret.txt",
        sandbox.path(".agents/skills/pdf/link.txt"),
    )
    .unwrap();
    sandbox
        .skillpm("show pdf --file link.txt")
        .exits_one_of([1, 3])
        .never_prints("CANARY");
}

#[test]
fn unknown_file_and_unknown_skill_are_reported() {
    let sandbox = installed();
    sandbox
        .skillpm("show pdf --file nope.md")
        .exits(1)
        .explains(["nope.md"]);
    sandbox.skillpm("show pfd").exits(1).stderr(str![[r"
error: skill `pfd` not found
help: did you mean `pdf`?

"]]);
}

#[test]
fn bundled_skill_can_be_shown_anywhere() {
    let sandbox = Sandbox::new();
    let catalog = sandbox.skillpm("catalog --format json").exits(0);
    let bundled = crate::catalog::skills(&catalog);
    let ours: Vec<_> = bundled
        .iter()
        .filter(|skill| skill["tier"] == "bundled")
        .collect();
    assert_eq!(ours.len(), 2, "{ours:?}");
    for skill in ours {
        let name = skill["name"].as_str().unwrap();
        assert!(
            !sandbox
                .skillpm(format!("show {name}"))
                .exits(0)
                .stdout_text()
                .is_empty()
        );
    }
}

/// A skill that builds on two others, of which one is there.
fn demanding() -> Sandbox {
    let sandbox = Sandbox::project_here();
    sandbox.write(
        "skills/pdf/SKILL.md",
        "---\nname: pdf\ndescription: Reads PDF.\nversion: 1.4.0\nrequires: [text, tables@^1]\n---\n\n# How\n\nSlowly.\n",
    );
    sandbox.write("skills/pdf/references/forms.md", "# Forms\n");
    sandbox.write(
        "skills/text/SKILL.md",
        "---\nname: text\ndescription: Reads text.\n---\n",
    );
    sandbox
}

#[test]
fn instructions_are_wrapped_as_each_agent_does() {
    let sandbox = demanding();
    let show = |form: &str| {
        sandbox
            .skillpm(format!("show pdf --format {form}"))
            .exits(0)
            .stdout_text()
            .to_owned()
    };
    let dir = path_text(&sandbox.path("skills/pdf"));
    assert_eq!(
        show("xml"),
        format!(
            "<skill_content name=\"pdf\">\n# How\n\nSlowly.\n\nSkill directory: {dir}\nRelative paths in this skill are \
             relative to the skill directory.\n<skill_resources>\n  <file>references/forms.md</file>\n\
             </skill_resources>\n</skill_content>\n"
        )
    );
    assert_eq!(
        show("nova"),
        "## Skill Activated: pdf v1.4.0\n\n# How\n\nSlowly.\n\n**New tools available:** None\n\nYou now have the \
         knowledge and tools to proceed with this workflow.\n"
    );
    let raw = sandbox.read("skills/pdf/SKILL.md");
    assert_eq!(
        show("yodoca"),
        format!(
            "{raw}\nSkill loaded: pdf (approx. 33 tokens)\nThis skill requires: text, tables@^1. Load it first if you \
             haven't already.\n"
        )
    );
    assert_eq!(
        show("kodelet"),
        format!(
            "<result>\n# Skill: pdf\n\nThe skill directory is located at: {dir}\n\n## Instructions\n\n# How\n\nSlowly.\n\
             \n</result>\n"
        )
    );
    assert_eq!(show("pickle"), "# How\n\nSlowly.");
    assert_eq!(show("raw"), raw);
    assert_eq!(show("body"), "\n# How\n\nSlowly.\n");
}

#[test]
fn requirements_are_shown_with_those_that_are_missing() {
    let sandbox = demanding();
    let shown = sandbox.skillpm("show pdf").exits(0);
    shown.stderr(
        "warning: this skill requires: text, tables@^1; not found: tables@^1\n\
         help: run `skillpm search tables` to find it\n",
    );
    let json = sandbox
        .skillpm("show pdf --format json")
        .exits(0)
        .stdout_json();
    crate::lint_formats::accepts(&crate::lint_formats::lines_of("show"), &json);
    assert_eq!(json["requires"], serde_json::json!(["text", "tables@^1"]));
    assert_eq!(json["requires_missing"], serde_json::json!(["tables@^1"]));
    assert_eq!(json["body"], "\n# How\n\nSlowly.\n");
    assert_eq!(
        [&json["version"], &json["tier"], &json["format"]],
        ["1.4.0", "workspace", "skill-md"]
    );
}

#[test]
fn files_are_listed_with_their_sizes() {
    let sandbox = demanding();
    sandbox
        .skillpm("show pdf --files")
        .exits(0)
        .stdout("      101  SKILL.md\n        8  references/forms.md\n");
}

#[test]
fn binary_file_is_marked_in_json() {
    let sandbox = demanding();
    sandbox.write("skills/pdf/logo.bin", [0xff, 0, 1]);
    let json = sandbox
        .skillpm("show pdf --file logo.bin --format json")
        .exits(0)
        .stdout_json();
    assert_eq!(
        [&json["binary"], &json["body"]],
        [&serde_json::json!(true), &serde_json::Value::Null]
    );
    assert_eq!(json["size"], 3);
}

#[test]
fn agent_wrapping_applies_to_instructions_only() {
    let sandbox = demanding();
    sandbox
        .skillpm("show pdf --file references/forms.md --format nova")
        .exits(2)
        .explains(["nova"]);
    sandbox
        .skillpm("show pdf --format sarif")
        .exits(2)
        .stderr_has("invalid value 'sarif' for '--format <FORMAT>'");
    let file = sandbox
        .skillpm("show pdf --file references/forms.md --format raw")
        .exits(0);
    assert_eq!(file.stdout_text(), "# Forms\n");
}

#[test]
fn tokens_are_counted_on_request() {
    let sandbox = demanding();
    let tokens = |options: &str| {
        let json = sandbox
            .skillpm(format!("show pdf --format json {options}"))
            .exits(0)
            .stdout_json();
        [json["approx_tokens"].clone(), json["tokens"].clone()]
    };
    assert_eq!(tokens(""), [serde_json::json!(33), serde_json::Value::Null]);
    let [approximate, exact] = tokens("--exact");
    assert_eq!(approximate, 33);
    assert!((25..=45).contains(&exact.as_u64().unwrap()), "{exact}");
    let told = format!("Skill loaded: pdf (approx. {exact} tokens)");
    sandbox
        .skillpm("show pdf --format yodoca --exact")
        .exits(0)
        .stdout_has(&told);
}

#[test]
fn skills_in_other_formats_are_shown() {
    let sandbox = Sandbox::project_here();
    sandbox.write(
        "skills/onboard/manifest.yaml",
        "name: onboard\nversion: \"2.0\"\ndescription: Welcomes people.\n",
    );
    sandbox.write(
        "skills/onboard/instructions.md",
        "# Welcome\n\nSay hello.\n",
    );
    let tools = "def greet(name: str) -> str:\n    \"\"\"Greets.\"\"\"\n\n\ndef get_tools():\n    return [greet]\n";
    sandbox.write("skills/onboard/tools.py", tools);
    let shown = |form: &str| {
        sandbox
            .skillpm(format!("show onboard --format {form}"))
            .exits(0)
            .stdout_text()
            .to_owned()
    };
    assert_eq!(
        shown("nova"),
        "## Skill Activated: onboard v2.0\n\n# Welcome\n\nSay hello.\n\n**New tools available:** greet\n\nYou now have \
         the knowledge and tools to proceed with this workflow.\n"
    );
    assert!(shown("nova-shipped").contains("**New tools available:** onboard__greet\n"));
    assert_eq!(shown("body"), "# Welcome\n\nSay hello.\n");

    let call = r#"{"id": "unit-convert", "name": "Unit convert", "description": "Converts a value.",
        "parameters": {"from": {"type": "string", "description": "Source unit"}}}"#;
    sandbox.write("skills/unit-convert/skill.json", call);
    sandbox.write(
        "skills/unit-convert/execute.ts",
        "export async function execute() {}\n",
    );
    let body = sandbox
        .skillpm("show unit-convert --format body")
        .exits(0)
        .stdout_text()
        .to_owned();
    assert!(
        body.starts_with("Converts a value.\n\n| Parameter |"),
        "{body}"
    );
    assert!(
        body.contains("| `from` | string | yes |  | Source unit |\n"),
        "{body}"
    );
    assert!(body.contains("`execute.ts`"), "{body}");
    assert_eq!(
        sandbox.skillpm("show unit-convert").exits(0).stdout_text(),
        call
    );
}

#[test]
fn agent_order_selects_which_of_two_is_shown() {
    let sandbox = Sandbox::project_here();
    sandbox.write(
        "~/.claude/skills/pdf/SKILL.md",
        "---\nname: pdf\ndescription: The user's.\n---\n",
    );
    sandbox.write(
        ".claude/skills/pdf/SKILL.md",
        "---\nname: pdf\ndescription: The project's.\n---\n",
    );
    sandbox
        .skillpm("show pdf")
        .exits(0)
        .stdout_has("The project's.");
    sandbox
        .skillpm("show pdf --agent claude-code")
        .exits(0)
        .stdout_has("The user's.");
}

#[test]
fn skill_with_a_very_large_file_is_still_readable() {
    let sandbox = installed();
    let large = std::fs::File::create(sandbox.path(".agents/skills/pdf/model.bin")).unwrap();
    large.set_len(11 << 20).unwrap();
    sandbox
        .skillpm("show pdf")
        .exits(0)
        .stdout_has("# How to read PDF\n\nSlowly.\n");
    sandbox
        .skillpm("show pdf --format body")
        .exits(0)
        .stdout_has("# How to read PDF\n\nSlowly.\n");
    let shown = sandbox
        .skillpm("show pdf --format json")
        .exits(0)
        .stdout_json_lines()
        .remove(0);
    let page = sandbox.read(".agents/skills/pdf/SKILL.md");
    assert_eq!(
        (
            shown["size"].as_u64(),
            shown["resources"].as_array().map(Vec::len)
        ),
        (Some(page.len() as u64), Some(0))
    );
    sandbox
        .skillpm("show pdf --file model.bin")
        .exits(1)
        .stderr(str![[r"
error: file `model.bin` not found in `pdf`
help: its files could not be read; for the reason, run `skillpm catalog --only pdf`

"]]);
}

#[test]
fn skill_is_read_before_it_is_added() {
    let sandbox = installed();
    let repo = Repo::new(&sandbox, "skills");
    repo.write(
        "skills/csv/SKILL.md",
        "---\nname: csv\ndescription: Reads CSV.\n---\nRow by row.\n",
    )
    .write("skills/csv/scripts/read.py", "print()\n")
    .skill("skills/tests", "Writes tests.")
    .commit("first");
    let url = repo.url();
    let before = sandbox.snapshot();

    // From the registry, a repository and a directory.
    sandbox
        .skillpm("show changelog")
        .exits(0)
        .stdout_has("# Changelog");
    sandbox
        .skillpm(format!("show {url} --skill csv"))
        .exits(0)
        .stdout("---\nname: csv\ndescription: Reads CSV.\n---\nRow by row.\n");
    sandbox
        .skillpm(format!("show {url} --skill csv --format body"))
        .exits(0)
        .stdout_has("Row by row.");
    sandbox
        .skillpm(format!("show {url} --skill csv --files"))
        .exits(0)
        .stdout(str![[r"
       54  SKILL.md
        8  scripts/read.py

"]]);
    sandbox
        .skillpm(format!("show {url} --skill csv --file scripts/read.py"))
        .exits(0)
        .stdout("print()\n");
    sandbox.skillpm("show ./pdf").exits(0).stdout_has("Slowly.");

    sandbox
        .skillpm(format!("show {url}"))
        .exits(2)
        .stderr(str![[r"
    Fetching file://[ROOT]/repos/skills
error: `file://[ROOT]/repos/skills` has several skills
help: `skillpm info file://[ROOT]/repos/skills` lists them; choose one with `--skill NAME`

"]]);
    sandbox.skillpm("show chanelog").exits(1).stderr(str![[r"
error: skill `chanelog` not found
help: `skillpm list` shows all skills
help: did you mean `changelog`?

"]]);
    sandbox.skillpm("show ./nothing").exits(1).explains([]);
    before.still_holds();
}
