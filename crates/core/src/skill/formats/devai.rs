//! Devai's format: `skill.json` and `execute.ts`. A skill of this format is a tool, without instructions.
//!
//! ```json
//! {"id": "unit-convert", "name": "Unit convert", "description": "Converts a value between two units",
//!  "parameters": {"from": {"type": "string", "description": "Source unit"},
//!                 "value": {"type": "number", "description": "Value to convert", "default": 1}}}
//! ```

use std::fmt::Write as _;

use serde_json::{Map, Value};

use super::devai_script::check_script;
use super::{DirectoryFiles, push_finding, read_source};
use crate::report::{Diagnostic, DiagnosticLevel, FileFinding, Span};
use crate::skill::yaml::{self, YamlDocument, YamlNode};
use crate::skill::{Skill, SkillFormat, SkillTool, ToolParameter};

/// The file that describes the skill.
pub const MANIFEST: &str = "skill.json";

/// The names of the file that Devai runs, in the order in which it looks for them.
pub const SCRIPTS: [&str; 7] = [
    "execute.ts",
    "execute.js",
    "execute.mjs",
    "execute.cjs",
    "execute.py",
    "execute.sh",
    "execute.rb",
];

/// The parameter types that Devai supports.
const PARAMETER_TYPES: [&str; 5] = ["string", "number", "boolean", "object", "array"];

/// The name under which Devai offers a skill to a model: `skill_` and the id with `_` for `-`.
#[must_use]
pub fn tool_name(id: &str) -> String {
    format!("skill_{}", id.replace('-', "_"))
}

/// Reads a directory that is known to be of this format.
pub(super) fn read_skill(
    files: &DirectoryFiles<'_>,
    directory: &str,
    findings: &mut Vec<FileFinding>,
) -> Option<Skill> {
    let source = read_source(files, MANIFEST, "devai-manifest", findings)?;
    let fields = parse_fields(&source, findings)?;

    // Read a second time as YAML, of which JSON is nearly a subset: serde_json has no positions
    // and silently takes the last of two equal keys.
    let yaml_document = yaml::parse_text(&source).ok();
    if has_contradiction(&source, yaml_document.as_ref(), findings) {
        return None;
    }

    let yaml_root = yaml_document.and_then(|document| document.root);
    let mut reader = DevaiReader {
        source: &source,
        yaml_root: yaml_root.as_ref(),
        fields: &fields,
        findings,
    };

    let id = reader.read_id(directory);
    // Without a name to display the skill is still read; without a description it is not.
    let display_name = reader.read_required("name");
    let description = reader.read_required("description")?;
    let tool = SkillTool {
        name: tool_name(&id),
        description: description.clone(),
        parameters: reader.read_parameters(),
    };

    let script = find_script(files, findings)?;
    check_script(files, script, findings);
    let mut skill = Skill::new(SkillFormat::Devai, id, description);
    skill.display_name = display_name.filter(|display| *display != skill.name);
    skill.tools = vec![tool];
    skill.run.script = Some(script.to_owned());
    read_optional_fields(&mut skill, &fields);
    skill.frontmatter = Value::Object(fields);
    Some(skill)
}

/// Whether a key has two values, which is reported.
fn has_contradiction(
    source: &str,
    document: Option<&YamlDocument<'_>>,
    findings: &mut Vec<FileFinding>,
) -> bool {
    let found = document.and_then(|document| contradiction_diagnostic(source, document));
    let has_one = found.is_some();
    if let Some(found) = found {
        push_finding(findings, MANIFEST, found);
    }
    has_one
}

/// The finding about two values of one key.
fn contradiction_diagnostic(source: &str, document: &YamlDocument<'_>) -> Option<Diagnostic> {
    // JSON parsers differ in which one they take: the reviewed value need not be the one in use.
    let again = document.duplicates.iter().find(|again| !again.same_value)?;
    let message = format!(
        "duplicate key `{}` with different values",
        again.key.escape_debug()
    );

    let found = Diagnostic::new("devai-manifest", DiagnosticLevel::Error, message)
        .at(again.second.clone(), source)
        .help("remove one of the two");
    Some(found)
}

/// The file that Devai runs; `None`, with a finding, if there is none.
fn find_script(
    files: &DirectoryFiles<'_>,
    findings: &mut Vec<FileFinding>,
) -> Option<&'static str> {
    let script = SCRIPTS.into_iter().find(|script| (files.has)(script));
    if script.is_none() {
        let found = Diagnostic::new(
            "devai-no-script",
            DiagnosticLevel::Error,
            "the skill has no `execute.ts`",
        )
        .note("Devai skips it: there is nothing to run");
        push_finding(findings, MANIFEST, found);
    }
    script
}

fn read_optional_fields(skill: &mut Skill, fields: &Map<String, Value>) {
    skill.named = read_text(fields, "id").is_some();
    skill.version = read_text(fields, "version").map(str::to_owned);
    skill.author = read_text(fields, "createdBy").map(str::to_owned);
    skill.tags = fields
        .get("tags")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .map(str::to_owned)
        .collect();
}

/// The trimmed text of a field that is not empty.
fn read_text<'f>(fields: &'f Map<String, Value>, key: &str) -> Option<&'f str> {
    fields
        .get(key)
        .and_then(Value::as_str)
        .map(str::trim)
        .filter(|text| !text.is_empty())
}

fn parse_fields(source: &str, findings: &mut Vec<FileFinding>) -> Option<Map<String, Value>> {
    // serde_json refuses the mark that editors on Windows write.
    let json = source.strip_prefix('\u{feff}').unwrap_or(source);
    match serde_json::from_str(json) {
        Ok(Value::Object(fields)) => Some(fields),
        Ok(_) => {
            push_finding(
                findings,
                MANIFEST,
                Diagnostic::new(
                    "devai-manifest",
                    DiagnosticLevel::Error,
                    "`skill.json` is not a JSON object",
                ),
            );
            None
        }
        Err(error) => {
            // serde_json counts lines and columns from 1, and columns in bytes.
            let line_start: usize = json
                .split_inclusive('\n')
                .take(error.line().saturating_sub(1))
                .map(str::len)
                .sum();
            let at = source.len() - json.len() + line_start + error.column().saturating_sub(1);

            // Its own position is left out, since the finding has one that counts the mark as well.
            let message = error.to_string();
            let message = message.split(" at line ").next().unwrap_or_default();
            let found = Diagnostic::new(
                "devai-manifest",
                DiagnosticLevel::Error,
                format!("failed to parse `skill.json`: {message}"),
            );

            push_finding(
                findings,
                MANIFEST,
                found.at(at..at, source).note("Devai skips the skill"),
            );
            None
        }
    }
}

struct DevaiReader<'a> {
    source: &'a str,
    /// The same text parsed as YAML, for its spans; `None` if that failed.
    yaml_root: Option<&'a YamlNode<'a>>,
    fields: &'a Map<String, Value>,
    findings: &'a mut Vec<FileFinding>,
}

impl DevaiReader<'_> {
    fn report(
        &mut self,
        rule: &str,
        level: DiagnosticLevel,
        at: Option<Span>,
        message: String,
        help: &str,
    ) {
        let mut found = Diagnostic::new(rule, level, message);
        if let Some(at) = at {
            found = found.at(at, self.source);
        }

        push_finding(
            self.findings,
            MANIFEST,
            if help.is_empty() {
                found
            } else {
                found.help(help)
            },
        );
    }

    /// The span of a key, by the keys that lead to it.
    fn key_span(&self, path: &[&str]) -> Option<Span> {
        let (last, above) = path.split_last()?;
        let node = above
            .iter()
            .try_fold(self.yaml_root?, |node, key| node.get(key))?;
        node.entry(last).map(|(key, _)| key.span.clone())
    }

    /// The id: its own, else the directory's name.
    fn read_id(&mut self, directory: &str) -> String {
        // Reported already; with the directory's name the rest can be checked as well.
        let Some(id) = self.read_required("id") else {
            return directory.to_owned();
        };

        let at = self.key_span(&["id"]);
        // Calls have `_` for each `-` of the id (`tool_name`), so an id with `_` is never found.
        if id.contains('_') {
            let message = format!(
                "unreachable id `{}`: Devai reads each `_` of a call as `-`",
                id.escape_debug()
            );
            let help = format!("write `{}`", id.replace('_', "-"));
            self.report("devai-id", DiagnosticLevel::Error, at, message, &help);
        } else if !id
            .bytes()
            .all(|b| matches!(b, b'a'..=b'z' | b'0'..=b'9' | b'-'))
        {
            let message = format!(
                "invalid id `{}`: only a-z, 0-9 and `-` are allowed",
                id.escape_debug()
            );
            self.report(
                "devai-id",
                DiagnosticLevel::Error,
                at,
                message,
                "Devai refuses the manifest: change the id",
            );
        // A warning: Devai goes by the id, and people look for the directory.
        } else if id != directory && !directory.is_empty() {
            let message = format!(
                "the id `{id}` does not match the directory `{}`",
                directory.escape_debug()
            );
            self.report(
                "devai-id",
                DiagnosticLevel::Warning,
                at,
                message,
                "rename one of the two",
            );
        }

        id
    }

    fn read_required(&mut self, key: &str) -> Option<String> {
        let text = self
            .fields
            .get(key)
            .and_then(Value::as_str)
            .map(str::trim)
            .filter(|text| !text.is_empty());

        if let Some(text) = text {
            return Some(text.to_owned());
        }

        let (at, message) = match self.fields.get(key) {
            Some(_) => (self.key_span(&[key]), format!("`{key}` is not a string")),
            None => (None, format!("`skill.json` has no `{key}`")),
        };

        self.report(
            "devai-manifest",
            DiagnosticLevel::Error,
            at,
            message,
            "Devai refuses the manifest without it",
        );
        None
    }

    fn read_parameters(&mut self) -> Vec<ToolParameter> {
        match self.fields.get("parameters") {
            None | Some(Value::Null) => Vec::new(),
            Some(Value::Object(parameters)) => parameters
                .iter()
                .map(|(name, value)| self.read_parameter(name, value))
                .collect(),
            Some(_) => {
                let at = self.key_span(&["parameters"]);
                self.report(
                    "devai-manifest",
                    DiagnosticLevel::Error,
                    at,
                    "`parameters` is not an object".into(),
                    "",
                );
                Vec::new()
            }
        }
    }

    fn read_parameter(&mut self, name: &str, value: &Value) -> ToolParameter {
        let text = |key: &str| {
            value
                .get(key)
                .and_then(Value::as_str)
                .unwrap_or_default()
                .trim()
        };

        let kind = PARAMETER_TYPES.iter().find(|kind| **kind == text("type"));
        let description = text("description");
        let default = value.get("default").filter(|default| !default.is_null());

        // Devai's loader requires each parameter that does not say `required: false`, with a default or without. Its
        // design has a parameter with only a default, which may be left out; that loader refuses it.
        let is_of_design = default.is_some() && description.is_empty();
        let required = value
            .get("required")
            .and_then(Value::as_bool)
            .unwrap_or(!is_of_design);

        let parameter = ToolParameter {
            name: name.to_owned(),
            kind: kind.map(|kind| (*kind).to_owned()),
            description: description.to_owned(),
            required,
            default: default.map(Value::to_string),
        };

        self.check_parameter(&parameter);
        parameter
    }

    /// Reports what Devai does not accept in a parameter, or does not use.
    fn check_parameter(&mut self, parameter: &ToolParameter) {
        let shown = parameter.name.escape_debug().to_string();
        let at = self.key_span(&["parameters", &parameter.name]);

        if parameter.kind.is_none() {
            let message = format!("the parameter `{shown}` has no `type` that Devai supports");
            self.report(
                "devai-manifest",
                DiagnosticLevel::Error,
                at.clone(),
                message,
                &format!("supported types: {}", PARAMETER_TYPES.join(", ")),
            );
        }

        if parameter.description.is_empty() {
            let message = format!("the parameter `{shown}` has no `description`");
            let help =
                "say what the parameter is for: Devai's loader refuses the manifest without it";
            self.report(
                "devai-parameter-undescribed",
                // Devai's own design has such a parameter, so that it is no error of the format.
                DiagnosticLevel::Warning,
                at.clone(),
                message,
                help,
            );
        }

        if parameter.required && parameter.default.is_some() {
            let message = format!("the parameter `{shown}` has a default, but is required");
            self.report(
                "devai-required-default",
                DiagnosticLevel::Note,
                at,
                message,
                "write `\"required\": false`",
            );
        }
    }
}

/// Generates instructions for a skill that is a tool: its description, its parameters, and how it is run.
#[must_use]
pub fn render_instructions(description: &str, tools: &[SkillTool], script: Option<&str>) -> String {
    let mut text = format!("{}\n", collapse_whitespace(description));
    for tool in tools {
        if !tool.parameters.is_empty() {
            text.push_str(
                "\n| Parameter | Type | Required | Default | What it is |\n|---|---|---|---|---|\n",
            );
        }

        for one in &tool.parameters {
            let default = one
                .default
                .as_ref()
                .map(|default| format!("`{}`", escape_cell(default)))
                .unwrap_or_default();

            let required = if one.required { "yes" } else { "no" };
            let (name, kind) = (escape_cell(&one.name), one.kind.as_deref().unwrap_or("any"));
            let _ = writeln!(
                text,
                "| `{name}` | {kind} | {required} | {default} | {} |",
                escape_cell(&one.description)
            );
        }

        let script = script.unwrap_or(SCRIPTS[0]);
        let _ = writeln!(
            text,
            "\nDevai offers it as the tool `{}`, and runs `execute(args, ctx)` of `{script}` with these parameters for at \
             most 30 seconds. `ctx` has `fetch`, `env`, `readFile`, `writeFile` and `log`; the answer is `success` and \
             `result`, or `error`.",
            escape_cell(&tool.name)
        );
    }

    text
}

fn collapse_whitespace(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A text in a cell of a table.
fn escape_cell(text: &str) -> String {
    // A pipe would end the cell, and a backtick the code in it.
    collapse_whitespace(text)
        .replace('|', "\\|")
        .replace('`', "'")
}

#[cfg(test)]
mod tests {
    use super::super::tests::{finding_lines, read_dir};
    use super::*;

    const SCRIPT: &str = "export async function execute() {}\n";

    const GOOD: &str = r#"{
	"id": "unit-convert",
	"name": "Unit convert",
	"description": "Converts a value between two units",
	"version": "1.2.0",
	"createdBy": "devo",
	"tags": ["math"],
	"parameters": {
		"from": {"type": "string", "description": "Source unit"},
		"value": {"type": "number", "description": "Value to convert", "default": 1},
		"targets": {"type": "array", "description": "Target units", "required": false}
	}
}
"#;

    #[test]
    fn a_manifest_is_read_into_the_common_model() {
        let read = read_dir(
            "unit-convert",
            &[("skill.json", GOOD), ("execute.ts", SCRIPT)],
        );
        let skill = read.skill.clone().unwrap();
        assert_eq!(
            (skill.name.as_str(), skill.format),
            ("unit-convert", SkillFormat::Devai)
        );
        assert_eq!(skill.display_name.as_deref(), Some("Unit convert"));
        assert_eq!(
            (skill.version.as_deref(), skill.author.as_deref()),
            (Some("1.2.0"), Some("devo"))
        );
        assert_eq!(skill.tags, ["math"]);
        assert_eq!(skill.run.script.as_deref(), Some("execute.ts"));
        let [tool] = &skill.tools[..] else {
            panic!("{:?}", skill.tools)
        };
        assert_eq!(tool.name, "skill_unit_convert");
        let parameters: Vec<_> = tool
            .parameters
            .iter()
            .map(|one| (one.name.as_str(), one.kind.as_deref(), one.required))
            .collect();
        assert_eq!(
            parameters,
            [
                ("from", Some("string"), true),
                ("value", Some("number"), true),
                ("targets", Some("array"), false)
            ]
        );
        assert_eq!(tool.parameters[1].default.as_deref(), Some("1"));
        assert_eq!(
            finding_lines(&read),
            ["skill.json:10:3 devai-required-default"]
        );
    }

    #[test]
    fn manifests_that_devai_refuses_are_reported() {
        let with = |change: (&str, &str)| {
            let text = GOOD.replace(change.0, change.1);
            assert!(change.0.is_empty() || text != GOOD, "{change:?}");
            read_dir("unit-convert", &[("skill.json", &text), ("execute.js", "")])
        };
        for (change, listed, expected) in [
            (
                ("unit-convert", "unit_convert"),
                true,
                "skill.json:2:2 devai-id!",
            ),
            (("unit-convert", "Unit"), true, "skill.json:2:2 devai-id!"),
            (("unit-convert", "other"), true, "skill.json:2:2 devai-id"),
            (
                ("\"description\": \"Source unit\"", "\"about\": 1"),
                true,
                "skill.json:9:3 devai-parameter-undescribed",
            ),
            (
                ("\"string\"", "\"text\""),
                true,
                "skill.json:9:3 devai-manifest!",
            ),
            (
                ("\"Converts a value between two units\"", "7"),
                false,
                "skill.json:4:2 devai-manifest!",
            ),
        ] {
            let read = with(change);
            assert_eq!(read.skill.is_some(), listed, "{change:?}");
            assert!(
                finding_lines(&read).contains(&expected.to_owned()),
                "{change:?}: {:?}",
                finding_lines(&read)
            );
        }
        let refused = |text: &str| {
            finding_lines(&read_dir(
                "x",
                &[("skill.json", text), ("execute.ts", SCRIPT)],
            ))
        };
        assert_eq!(refused("{\n \"id\": }"), ["skill.json:2:8 devai-manifest!"]);
        assert_eq!(refused("[]"), ["skill.json devai-manifest!"]);
        assert_eq!(
            refused(r#"{"description":"a","description":"b"}"#),
            ["skill.json:1:20 devai-manifest!"]
        );
        let bare = read_dir("unit-convert", &[("skill.json", GOOD)]);
        assert_eq!(
            (
                bare.skill,
                bare.findings.last().unwrap().diagnostic.rule.as_str()
            ),
            (None, "devai-no-script")
        );
    }

    #[test]
    fn byte_order_mark_does_not_shift_spans() {
        let marked = |text: &str| {
            read_dir(
                "other",
                &[
                    ("skill.json", &format!("\u{feff}{text}")),
                    ("execute.ts", SCRIPT),
                ],
            )
        };
        let span = |read: &super::super::DirectoryReading| read.findings[0].diagnostic.span.clone();
        let (id, broken) = (
            marked("{\"id\": \"x\",\n \"name\": \"X\", \"description\": \"d\"}"),
            marked("{\"id\": }"),
        );
        assert_eq!(
            (finding_lines(&id), span(&id)),
            (vec!["skill.json:1:2 devai-id".to_owned()], Some(4..8))
        );
        assert_eq!(
            (finding_lines(&broken), span(&broken)),
            (
                vec!["skill.json:1:8 devai-manifest!".to_owned()],
                Some(10..10)
            )
        );
    }

    #[test]
    fn instructions_are_made_of_the_fields_of_the_call() {
        let skill = read_dir(
            "unit-convert",
            &[("skill.json", GOOD), ("execute.ts", SCRIPT)],
        )
        .skill
        .unwrap();
        assert_eq!(
            render_instructions(
                &skill.description,
                &skill.tools,
                skill.run.script.as_deref()
            ),
            "Converts a value between two units\n\n| Parameter | Type | Required | Default | What it is |\n|---|---|---|\
             ---|---|\n| `from` | string | yes |  | Source unit |\n| `value` | number | yes | `1` | Value to convert |\n\
             | `targets` | array | no |  | Target units |\n\nDevai offers it as the tool `skill_unit_convert`, and runs \
             `execute(args, ctx)` of `execute.ts` with these parameters for at most 30 seconds. `ctx` has `fetch`, `env`, \
             `readFile`, `writeFile` and `log`; the answer is `success` and `result`, or `error`.\n"
        );
    }
}
