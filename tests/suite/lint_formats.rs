//! `lint`: every form of what it prints, whole, and held against the schemas of those forms.

#![expect(clippy::needless_raw_string_hashes, reason = "snapbox writes them so")]

use std::sync::Arc;

use jsonschema::Validator;
use serde_json::{Value, json};
use snapbox::str;

use crate::support::Sandbox;
use crate::support::schema::validator;

/// A skill whose instructions are missing.
const EMPTY: &str =
    "---\nname: pdf\ndescription: Fill PDF forms. Use when a form is to be filled in.\n---\n";

/// Two skills, one of which has a fault, held against one rule: what the others say is no business of these tests.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("skillpm.toml", "[lint]\nselect = [\"SK401\"]\n");
    sandbox.write("skills/pdf/SKILL.md", EMPTY);
    sandbox.write(
        "skills/docx/SKILL.md",
        EMPTY.replace("pdf", "docx") + "\n# Forms\n\nFill them in.\n",
    );
    sandbox
}

fn lines_of_lint() -> Arc<Validator> {
    lines_of("lint")
}

/// What a command's lines are held against.
pub(crate) fn lines_of(command: &str) -> Arc<Validator> {
    validator(&format!("lines-of-{command}"))
}

#[track_caller]
pub(crate) fn accepts(validator: &Validator, value: &Value) {
    let faults: Vec<String> = validator
        .iter_errors(value)
        .map(|fault| format!("{}: {fault}", fault.instance_path()))
        .collect();
    assert!(faults.is_empty(), "{}\n{value:#}", faults.join("\n"));
}

#[test]
fn human_format_has_findings_help_and_a_summary() {
    sandbox()
        .skillpm("lint skills")
        .exits(0)
        .stdout(str![[r#"
warning[SK401]: the skill has no instructions (body-empty)
 --> skills/pdf/SKILL.md:4:1
  |
4 | ---
  | ^^^
  |
  = help: write instructions for the agent below the frontmatter


"#]])
        .stderr(str![[r#"
       Found 1 warning in 1 of 2 skills

"#]]);
}

#[test]
fn color_does_not_change_the_words() {
    let sandbox = sandbox();
    let plain = sandbox.skillpm("lint skills").exits(0);
    let coloured = sandbox.skillpm("lint skills --color always").exits(0);
    assert!(coloured.stdout_text().contains('\u{1b}'));
    assert_eq!(
        anstream::adapter::strip_str(coloured.stdout_text()).to_string(),
        plain.stdout_text()
    );
    let told_not_to = sandbox.skillpm("lint skills").env("NO_COLOR", "1").exits(0);
    assert_eq!(told_not_to.stdout_text(), plain.stdout_text());
}

#[test]
fn short_format_is_one_line_per_finding() {
    sandbox()
        .skillpm("lint skills --format short")
        .exits(0)
        .stdout(str![[r#"
skills/pdf/SKILL.md:4:1: warning[SK401] body-empty: the skill has no instructions

"#]]);
}

#[test]
fn json_is_one_object_per_finding_and_a_summary() {
    let sandbox = sandbox();
    let told = sandbox.skillpm("lint skills --format json").exits(0);
    told.stdout(str![[r#"
{"type":"diagnostic","path":"skills/pdf/SKILL.md","code":"SK401","rule":"body-empty","level":"warning","message":"the skill has no instructions","line":4,"column":1,"range":{"start":{"line":4,"column":1,"byte":79},"end":{"line":4,"column":4,"byte":82}},"labels":[],"notes":[],"help":"write instructions for the agent below the frontmatter","fix":null,"url":"https://github.com/skillpm/skillpm/blob/v0.1.0/docs/rules.md#sk401"}
{"type":"summary","skills":2,"skills_with_findings":1,"errors":0,"warnings":1,"notes":0,"notes_hidden":0,"fixable":0,"fixable_unsafely":0}

"#]]).stderr("");
    let validator = lines_of_lint();
    told.stdout_json_lines()
        .iter()
        .for_each(|line| accepts(&validator, line));
    let told = sandbox
        .skillpm("lint skills --statistics --format json")
        .exits(0);
    told.stdout_json_lines()
        .iter()
        .for_each(|line| accepts(&validator, line));
    assert!(!validator.is_valid(&json!({"type": "diagnostic", "path": "x"})));
}

#[test]
fn sarif_matches_its_schema() {
    let validator = validator("sarif");
    let told = sandbox().skillpm("lint skills --format sarif").exits(0);
    let log = told.stdout_json();
    accepts(&validator, &log);
    let result = &log["runs"][0]["results"][0];
    assert_eq!(
        (
            &result["ruleId"],
            &log["runs"][0]["tool"]["driver"]["rules"][0]["id"]
        ),
        (&json!("SK401"), &json!("SK401"))
    );
    told.stdout(str![[r#"
{"$schema":"https://json.schemastore.org/sarif-2.1.0.json","version":"2.1.0","runs":[{"tool":{"driver":{"name":"skillpm","semanticVersion":"0.1.0","informationUri":"https://github.com/skillpm/skillpm","rules":[{"id":"SK401","name":"body-empty","shortDescription":{"text":"the body is empty"},"fullDescription":{"text":"A `SKILL.md` with only blank lines after its frontmatter."},"help":{"text":"A `SKILL.md` with only blank lines after its frontmatter./n/nWhy: An agent that chose the skill by its description reads the body next. It pays for the call and learns nothing./n/nWhen to ignore it: The skill only contains files for other skills, and is never chosen by itself./n","markdown":"A `SKILL.md` with only blank lines after its frontmatter./n/n**Why it hurts.** An agent that chose the skill by its description reads the body next. It pays for the call and learns nothing./n/n**When to ignore it.** The skill only contains files for other skills, and is never chosen by itself./n/nBad, `pdf/SKILL.md`:/n/n```markdown/n---/nname: pdf/ndescription: Fill PDF forms. Use when a form is to be filled in./n---/n/n```/n/nGood, `pdf/SKILL.md`:/n/n```markdown/n---/nname: pdf/ndescription: Fill PDF forms. Use when a form is to be filled in./n---/n/n# PDF forms/n/nList the fields first, then fill them one at a time./n```/n"},"helpUri":"https://github.com/skillpm/skillpm/blob/v0.1.0/docs/rules.md#sk401","defaultConfiguration":{"enabled":true,"level":"warning"},"properties":{"tags":["body-and-token-budget"],"problem.severity":"warning"}}]}},"columnKind":"unicodeCodePoints","originalUriBaseIds":{"%SRCROOT%":{"description":{"text":"the directory at the root of the repository"}}},"results":[{"ruleId":"SK401","ruleIndex":0,"level":"warning","message":{"text":"the skill has no instructions/nhelp: write instructions for the agent below the frontmatter"},"locations":[{"physicalLocation":{"artifactLocation":{"uri":"skills/pdf/SKILL.md","uriBaseId":"%SRCROOT%"},"region":{"startLine":4,"startColumn":1,"endLine":4,"endColumn":4}}}],"partialFingerprints":{"skillpm/v1":"8c4a2d8b968d824c7cb5255b2e0f44d4"}}]}]}

"#]]).stderr(str![[r#"
       Found 1 warning in 1 of 2 skills

"#]]);
    assert!(!validator.is_valid(&json!({"version": "2.1.0", "runs": [{}]})));
}

#[test]
fn github_format_is_commands_and_a_summary() {
    sandbox().skillpm("lint skills --format github").exits(0).stdout(str![[r#"
::warning title=SK401 body-empty,file=skills/pdf/SKILL.md,line=4,col=1,endLine=4,endColumn=4::the skill has no instructions%0Ahelp: write instructions for the agent below the frontmatter
skillpm found 1 warning in 1 of 2 skills

"#]]);
}

#[test]
fn paths_for_code_hosts_begin_at_the_repository_root() {
    let sandbox = sandbox();
    sandbox.write(".git/HEAD", "ref: refs/heads/main\n");
    for (form, told) in [
        ("github", "file=skills/pdf/SKILL.md,"),
        ("gitlab", "\"path\":\"skills/pdf/SKILL.md\""),
        ("sarif", "\"uri\":\"skills/pdf/SKILL.md\""),
    ] {
        sandbox
            .skillpm(format!("lint pdf --format {form}"))
            .in_dir("skills")
            .exits(0)
            .stdout_has(told);
    }
}

#[test]
fn gitlab_format_is_one_document() {
    sandbox().skillpm("lint skills --format gitlab").exits(0).stdout(str![[r#"
[{"description":"the skill has no instructions","check_name":"SK401 body-empty","fingerprint":"8c4a2d8b968d824c7cb5255b2e0f44d4","severity":"minor","location":{"path":"skills/pdf/SKILL.md","lines":{"begin":4,"end":4}}}]

"#]]);
}

#[test]
fn statistics_count_by_rule() {
    sandbox()
        .skillpm("lint skills --statistics")
        .exits(0)
        .stdout(str![[r#"
1  SK401    body-empty  the body is empty

"#]]);
    sandbox()
        .skillpm("lint skills --statistics --format gitlab")
        .exits(2)
        .explains(["unsupported format for `--statistics`"]);
}

#[test]
fn every_format_is_deterministic() {
    let sandbox = sandbox();
    for form in ["human", "short", "json", "sarif", "github", "gitlab"] {
        let line = format!("lint skills --notes --format {form}");
        let (first, second) = (
            sandbox.skillpm(&line).exits(0),
            sandbox.skillpm(&line).exits(0),
        );
        assert_eq!(first.stdout_text(), second.stdout_text(), "{form}");
    }
}

#[test]
fn unknown_format_of_findings_is_refused() {
    sandbox()
        .skillpm("lint skills --format xml")
        .exits(2)
        .stderr(str![[r#"
error: invalid value 'xml' for '--format <FORMAT>'
  [possible values: human, short, json, sarif, github, gitlab]

For more information, try '--help'.

"#]]);
    sandbox()
        .skillpm("list --format sarif")
        .exits(2)
        .stderr_has("invalid value 'sarif' for '--format <FORMAT>'");
}

#[test]
fn rule_is_explained_by_code_and_by_name() {
    let sandbox = Sandbox::new();
    let told = sandbox.skillpm("lint --explain SK401").exits(0);
    told.stdout(str![[r#"
SK401 body-empty: the body is empty
by default warning; no automatic fix

A `SKILL.md` with only blank lines after its frontmatter.

Why: An agent that chose the skill by its description reads the body next. It pays for the call and learns nothing.

When to ignore it: The skill only contains files for other skills, and is never chosen by itself.

Bad: pdf/SKILL.md

    ---
    name: pdf
    description: Fill PDF forms. Use when a form is to be filled in.
    ---


Good: pdf/SKILL.md

    ---
    name: pdf
    description: Fill PDF forms. Use when a form is to be filled in.
    ---

    # PDF forms

    List the fields first, then fill them one at a time.

What is found there:

warning[SK401]: the skill has no instructions (body-empty)
 --> pdf/SKILL.md:4:1
  |
4 | ---
  | ^^^
  |
  = help: write instructions for the agent below the frontmatter

"#]]);
    for name in ["sk401", "body-empty", "Body-Empty"] {
        assert_eq!(
            sandbox
                .skillpm(format!("lint --explain {name}"))
                .exits(0)
                .stdout_text(),
            told.stdout_text()
        );
    }
    let told = sandbox
        .skillpm("lint --explain SK401 --format json")
        .exits(0);
    accepts(&lines_of_lint(), &told.stdout_json());
}

#[test]
fn unknown_rule_offers_the_nearest() {
    let sandbox = Sandbox::new();
    sandbox
        .skillpm("lint --explain body-emtpy")
        .exits(2)
        .stdout("")
        .stderr(str![[r#"
error: unknown rule `body-emtpy`
help: did you mean `skillpm lint --explain body-empty`?

"#]]);
}

#[test]
fn explain_lists_the_rules_of_a_group() {
    let sandbox = Sandbox::new();
    sandbox
        .skillpm("lint --explain SK02")
        .exits(0)
        .stdout(str![[r#"
SK020  suppression-without-reason  warning  a comment suppresses a rule without a reason
SK021  suppression-unknown-rule    warning  a comment suppresses an unknown rule
SK022  unused-suppression          warning  a comment suppresses a rule that reports nothing there

"#]]);

    // In any case, and as JSON a line for each.
    let listed = sandbox.skillpm("lint --explain sk7").exits(0);
    let as_json = sandbox.skillpm("lint --explain SK7 --format json").exits(0);
    let rules = as_json.stdout_json_lines();
    assert_eq!(rules.len(), listed.stdout_text().lines().count());
    for rule in &rules {
        accepts(&lines_of_lint(), rule);
    }

    let all = sandbox.skillpm("lint --explain SK").exits(0);
    for line in listed.stdout_text().lines() {
        let code = line.split(' ').next().unwrap();
        assert!(all.stdout_text().contains(code), "{code}");
    }

    sandbox
        .skillpm("lint --explain quux")
        .exits(2)
        .stdout("")
        .stderr(str![[r#"
error: unknown rule `quux`
help: run `skillpm lint --explain SK` to list all rules

"#]]);
}
