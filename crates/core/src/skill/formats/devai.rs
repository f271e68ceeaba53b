//! Devai's format: `skill.json` and `execute.ts`. A skill of this format is a call, not a text.
//!
//! ```json
//! {"id": "unit-convert", "name": "Unit convert", "description": "Converts a value between two units",
//!  "parameters": {"from": {"type": "string", "description": "Source unit"},
//!                 "value": {"type": "number", "description": "Value to convert", "default": 1}}}
//! ```

use std::fmt::Write as _;

use serde_json::{Map, Value};

use super::{Files, source_of, tell};
use crate::report::{Diagnostic, Finding, Level, Span};
use crate::skill::yaml::{self, Node};
use crate::skill::{Format, Parameter, Skill, Tool};

/// The file that says what the skill is.
pub const MANIFEST: &str = "skill.json";

/// What the file that Devai runs may be called, the one that it looks for first.
pub const SCRIPTS: [&str; 7] =
    ["execute.ts", "execute.js", "execute.mjs", "execute.cjs", "execute.py", "execute.sh", "execute.rb"];

/// The sorts of parameter that Devai takes.
const KINDS: [&str; 5] = ["string", "number", "boolean", "object", "array"];

/// The name under which Devai offers a skill to a model: `skill_` and the id with `_` for `-`.
#[must_use]
pub fn tool_name(id: &str) -> String {
    format!("skill_{}", id.replace('-', "_"))
}

/// Reads a directory that is known to be of this format.
pub(super) fn skill(files: &Files<'_>, directory: &str, findings: &mut Vec<Finding>) -> Option<Skill> {
    let source = source_of(files, MANIFEST, "devai-manifest", findings)?;
    let fields = fields(&source, findings)?;
    let places = yaml::parse_text(&source).ok();
    if let Some(again) = places.as_ref().and_then(|document| document.duplicates.iter().find(|again| !again.same_value))
    {
        let message = format!("`{}` is given twice, with different values", again.key.escape_debug());
        let found = Diagnostic::new("devai-manifest", Level::Error, message).at(again.second.clone(), &source);
        tell(findings, MANIFEST, found.help("leave one of them out"));
        return None;
    }
    let places = places.and_then(|document| document.root);
    let mut reader = Reader { source: &source, places: places.as_ref(), fields: &fields, findings };
    let id = reader.id(directory);
    let display_name = reader.required("name");
    let description = reader.required("description")?;
    let parameters = reader.parameters();
    let script = SCRIPTS.iter().find(|script| (files.has)(script));
    if script.is_none() {
        let found = Diagnostic::new("devai-no-script", Level::Error, "the skill has no `execute.ts`");
        tell(findings, MANIFEST, found.note("Devai passes it over: there is nothing to run"));
        return None;
    }
    let text = |key: &str| fields.get(key).and_then(Value::as_str).map(str::trim).filter(|text| !text.is_empty());
    let tags = fields.get("tags").and_then(Value::as_array).into_iter().flatten();
    let tool = Tool { name: tool_name(&id), description: description.clone(), parameters };
    let mut skill = Skill::bare(Format::Devai, id, description);
    skill.named = text("id").is_some();
    skill.display_name = display_name.filter(|display| *display != skill.name);
    skill.version = text("version").map(str::to_owned);
    skill.author = text("createdBy").map(str::to_owned);
    skill.tags = tags.filter_map(Value::as_str).map(str::to_owned).collect();
    skill.tools = vec![tool];
    skill.run.script = script.map(|script| (*script).to_owned());
    skill.frontmatter = Value::Object(fields);
    Some(skill)
}

fn fields(source: &str, findings: &mut Vec<Finding>) -> Option<Map<String, Value>> {
    let json = source.strip_prefix('\u{feff}').unwrap_or(source);
    match serde_json::from_str(json) {
        Ok(Value::Object(fields)) => Some(fields),
        Ok(_) => {
            tell(findings, MANIFEST, Diagnostic::new("devai-manifest", Level::Error, "`skill.json` holds no object"));
            None
        }
        Err(error) => {
            let line_start: usize = json.split_inclusive('\n').take(error.line().saturating_sub(1)).map(str::len).sum();
            let at = source.len() - json.len() + line_start + error.column().saturating_sub(1);
            let message = error.to_string();
            let message = message.split(" at line ").next().unwrap_or_default();
            let found = Diagnostic::new("devai-manifest", Level::Error, format!("`skill.json` is no JSON: {message}"));
            tell(findings, MANIFEST, found.at(at..at, source).note("Devai passes the skill over"));
            None
        }
    }
}

struct Reader<'a> {
    source: &'a str,
    /// The same text with places, where it could be read so.
    places: Option<&'a Node<'a>>,
    fields: &'a Map<String, Value>,
    findings: &'a mut Vec<Finding>,
}

impl Reader<'_> {
    fn tell(&mut self, rule: &str, level: Level, at: Option<Span>, message: String, help: &str) {
        let mut found = Diagnostic::new(rule, level, message);
        if let Some(at) = at {
            found = found.at(at, self.source);
        }
        tell(self.findings, MANIFEST, if help.is_empty() { found } else { found.help(help) });
    }

    /// Where a key stands, by the keys that lead to it.
    fn key(&self, path: &[&str]) -> Option<Span> {
        let (last, above) = path.split_last()?;
        let node = above.iter().try_fold(self.places?, |node, key| node.get(key))?;
        node.entry(last).map(|(key, _)| key.span.clone())
    }

    /// The id: its own, else the directory's name.
    fn id(&mut self, directory: &str) -> String {
        let Some(id) = self.required("id") else { return directory.to_owned() };
        let at = self.key(&["id"]);
        if id.contains('_') {
            let message =
                format!("no call reaches the id `{}`: Devai reads each `_` of a call as `-`", id.escape_debug());
            let help = format!("write `{}`", id.replace('_', "-"));
            self.tell("devai-id", Level::Error, at, message, &help);
        } else if !id.bytes().all(|b| matches!(b, b'a'..=b'z' | b'0'..=b'9' | b'-')) {
            let message = format!("the id `{}` holds other characters than a-z, 0-9 and `-`", id.escape_debug());
            self.tell("devai-id", Level::Error, at, message, "Devai refuses the manifest: change the id");
        } else if id != directory && !directory.is_empty() {
            let message = format!("the id `{id}` is not the directory's name, `{}`", directory.escape_debug());
            self.tell("devai-id", Level::Warning, at, message, "rename one of the two");
        }
        id
    }

    fn required(&mut self, key: &str) -> Option<String> {
        let text = self.fields.get(key).and_then(Value::as_str).map(str::trim).filter(|text| !text.is_empty());
        if let Some(text) = text {
            return Some(text.to_owned());
        }
        let (at, message) = match self.fields.get(key) {
            Some(_) => (self.key(&[key]), format!("`{key}` is no text")),
            None => (None, format!("`skill.json` has no `{key}`")),
        };
        self.tell("devai-manifest", Level::Error, at, message, "Devai refuses the manifest without it");
        None
    }

    fn parameters(&mut self) -> Vec<Parameter> {
        match self.fields.get("parameters") {
            None | Some(Value::Null) => Vec::new(),
            Some(Value::Object(parameters)) => {
                parameters.iter().map(|(name, value)| self.parameter(name, value)).collect()
            }
            Some(_) => {
                let at = self.key(&["parameters"]);
                self.tell("devai-manifest", Level::Error, at, "`parameters` is no object".into(), "");
                Vec::new()
            }
        }
    }

    fn parameter(&mut self, name: &str, value: &Value) -> Parameter {
        let shown = name.escape_debug().to_string();
        let at = self.key(&["parameters", name]);
        let text = |key: &str| value.get(key).and_then(Value::as_str).unwrap_or_default().trim();
        let kind = KINDS.iter().find(|kind| **kind == text("type"));
        if kind.is_none() {
            let message = format!("the parameter `{shown}` has no `type` that Devai knows");
            self.tell("devai-manifest", Level::Error, at.clone(), message, &format!("it knows {}", KINDS.join(", ")));
        }
        if text("description").is_empty() {
            let message = format!("the parameter `{shown}` has no `description`");
            let help = "Devai refuses the manifest: say what the parameter is for";
            self.tell("devai-parameter-undescribed", Level::Error, at.clone(), message, help);
        }
        let required = value.get("required").and_then(Value::as_bool);
        let default = value.get("default").filter(|default| !default.is_null());
        if required != Some(false) && default.is_some() {
            let message = format!("the parameter `{shown}` has a default, and a call must give it all the same");
            self.tell("devai-required-default", Level::Note, at, message, "write `\"required\": false`");
        }
        Parameter {
            name: name.to_owned(),
            kind: kind.map(|kind| (*kind).to_owned()),
            description: text("description").to_owned(),
            required: required != Some(false),
            default: default.map(Value::to_string),
        }
    }
}

/// What stands in the place of instructions for a skill that is a call: what it does, what it takes, how it is run.
#[must_use]
pub fn instructions(description: &str, tools: &[Tool], script: Option<&str>) -> String {
    let mut text = format!("{}\n", one_line(description));
    for tool in tools {
        if !tool.parameters.is_empty() {
            text.push_str("\n| Parameter | Type | Required | Default | What it is |\n|---|---|---|---|---|\n");
        }
        for one in &tool.parameters {
            let default = one.default.as_ref().map(|default| format!("`{}`", cell(default))).unwrap_or_default();
            let required = if one.required { "yes" } else { "no" };
            let (name, kind) = (cell(&one.name), one.kind.as_deref().unwrap_or("any"));
            let _ = writeln!(text, "| `{name}` | {kind} | {required} | {default} | {} |", cell(&one.description));
        }
        let script = script.unwrap_or(SCRIPTS[0]);
        let _ = writeln!(
            text,
            "\nDevai offers it as the tool `{}`, and runs `execute(args, ctx)` of `{script}` with these parameters for at \
             most 30 seconds. `ctx` has `fetch`, `env`, `readFile`, `writeFile` and `log`; the answer is `success` and \
             `result`, or `error`.",
            cell(&tool.name)
        );
    }
    text
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A text in a cell of a table.
fn cell(text: &str) -> String {
    one_line(text).replace('|', "\\|").replace('`', "'")
}

#[cfg(test)]
mod tests {
    use super::super::tests::{dir, told};
    use super::*;

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
    fn a_call_is_read_into_the_one_model() {
        let read = dir("unit-convert", &[("skill.json", GOOD), ("execute.ts", "")]);
        let skill = read.skill.clone().unwrap();
        assert_eq!((skill.name.as_str(), skill.format), ("unit-convert", Format::Devai));
        assert_eq!(skill.display_name.as_deref(), Some("Unit convert"));
        assert_eq!((skill.version.as_deref(), skill.author.as_deref()), (Some("1.2.0"), Some("devo")));
        assert_eq!(skill.tags, ["math"]);
        assert_eq!(skill.run.script.as_deref(), Some("execute.ts"));
        let [tool] = &skill.tools[..] else { panic!("{:?}", skill.tools) };
        assert_eq!(tool.name, "skill_unit_convert");
        let parameters: Vec<_> =
            tool.parameters.iter().map(|one| (one.name.as_str(), one.kind.as_deref(), one.required)).collect();
        assert_eq!(
            parameters,
            [("from", Some("string"), true), ("value", Some("number"), true), ("targets", Some("array"), false)]
        );
        assert_eq!(tool.parameters[1].default.as_deref(), Some("1"));
        assert_eq!(told(&read), ["skill.json:10:3 devai-required-default"]);
    }

    #[test]
    fn what_devai_would_not_take_is_told() {
        let with = |change: (&str, &str)| {
            let text = GOOD.replace(change.0, change.1);
            assert!(change.0.is_empty() || text != GOOD, "{change:?}");
            dir("unit-convert", &[("skill.json", &text), ("execute.js", "")])
        };
        for (change, listed, expected) in [
            (("unit-convert", "unit_convert"), true, "skill.json:2:2 devai-id!"),
            (("unit-convert", "Unit"), true, "skill.json:2:2 devai-id!"),
            (("unit-convert", "other"), true, "skill.json:2:2 devai-id"),
            (("\"description\": \"Source unit\"", "\"about\": 1"), true, "skill.json:9:3 devai-parameter-undescribed!"),
            (("\"string\"", "\"text\""), true, "skill.json:9:3 devai-manifest!"),
            (("\"Converts a value between two units\"", "7"), false, "skill.json:4:2 devai-manifest!"),
        ] {
            let read = with(change);
            assert_eq!(read.skill.is_some(), listed, "{change:?}");
            assert!(told(&read).contains(&expected.to_owned()), "{change:?}: {:?}", told(&read));
        }
        let refused = |text: &str| told(&dir("x", &[("skill.json", text), ("execute.ts", "")]));
        assert_eq!(refused("{\n \"id\": }"), ["skill.json:2:8 devai-manifest!"]);
        assert_eq!(refused("[]"), ["skill.json devai-manifest!"]);
        assert_eq!(refused(r#"{"description":"a","description":"b"}"#), ["skill.json:1:20 devai-manifest!"]);
        let bare = dir("unit-convert", &[("skill.json", GOOD)]);
        assert_eq!((bare.skill, bare.findings.last().unwrap().diagnostic.rule.as_str()), (None, "devai-no-script"));
    }

    #[test]
    fn a_byte_order_mark_moves_nothing() {
        let marked = |text: &str| dir("other", &[("skill.json", &format!("\u{feff}{text}")), ("execute.ts", "")]);
        let span = |read: &super::super::Read| read.findings[0].diagnostic.span.clone();
        let (id, broken) = (marked("{\"id\": \"x\",\n \"name\": \"X\", \"description\": \"d\"}"), marked("{\"id\": }"));
        assert_eq!((told(&id), span(&id)), (vec!["skill.json:1:2 devai-id".to_owned()], Some(4..8)));
        assert_eq!((told(&broken), span(&broken)), (vec!["skill.json:1:8 devai-manifest!".to_owned()], Some(10..10)));
    }

    #[test]
    fn instructions_are_made_of_what_the_call_says() {
        let skill = dir("unit-convert", &[("skill.json", GOOD), ("execute.ts", "")]).skill.unwrap();
        assert_eq!(
            instructions(&skill.description, &skill.tools, skill.run.script.as_deref()),
            "Converts a value between two units\n\n| Parameter | Type | Required | Default | What it is |\n|---|---|---|\
             ---|---|\n| `from` | string | yes |  | Source unit |\n| `value` | number | yes | `1` | Value to convert |\n\
             | `targets` | array | no |  | Target units |\n\nDevai offers it as the tool `skill_unit_convert`, and runs \
             `execute(args, ctx)` of `execute.ts` with these parameters for at most 30 seconds. `ctx` has `fetch`, `env`, \
             `readFile`, `writeFile` and `log`; the answer is `success` and `result`, or `error`.\n"
        );
    }
}
