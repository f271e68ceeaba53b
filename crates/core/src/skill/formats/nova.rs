//! Nova's format: `manifest.yaml`, `instructions.md`, and where there are some `tools.py` and `config.yaml`.
//!
//! ```yaml
//! name: Employee onboarding
//! version: "1.0.0"
//! description: Take a new employee through the first week.
//! author: people-team
//! tags: [hr]
//! ```
//!
//! Nova goes by the directory's name. `tools.py` must define `get_tools()`, which returns a list; here it is read, never
//! run. `config.yaml` holds defaults, is not looked at here, and must not hold secrets.

use super::{Files, name_of, python, source_of, tell};
use crate::report::{Applicability, Diagnostic, Finding, Fix, Level};
use crate::skill::yaml::{self, Node, Typed};
use crate::skill::{Format, Skill, Tool};

/// The file that says what the skill is.
pub const MANIFEST: &str = "manifest.yaml";
/// The file that declares its tools.
pub const TOOLS: &str = "tools.py";
/// The file of its defaults.
pub const CONFIG: &str = "config.yaml";

/// The author of a skill whose manifest names none, as Nova has it.
const AUTHOR: &str = "nova-team";

/// Reads a directory that is known to be of this format.
pub(super) fn skill(files: &Files<'_>, directory: &str, findings: &mut Vec<Finding>) -> Option<Skill> {
    let source = source_of(files, MANIFEST, "nova-manifest", findings)?;
    let root = manifest(&source, findings)?;
    let mut reader = Reader { source: &source, root: &root, findings };
    let display_name = reader.required("name");
    let version = reader.required("version");
    let description = reader.required("description")?;
    let name = name_of(directory, MANIFEST, findings);
    let display_name = display_name.filter(|display| *display != name);
    let tools = if (files.has)(TOOLS) { tools(files, findings) } else { Vec::new() };
    let text = |key: &str| root.get(key).and_then(text);
    Some(Skill {
        named: false,
        display_name,
        version,
        author: text("author").or_else(|| Some(AUTHOR.to_owned())),
        tags: root.get("tags").and_then(Node::items).unwrap_or_default().iter().filter_map(self::text).collect(),
        tools,
        frontmatter: root.to_json(),
        ..Skill::bare(Format::Nova, name, description)
    })
}

/// The mapping that a manifest is.
fn manifest<'s>(source: &'s str, findings: &mut Vec<Finding>) -> Option<Node<'s>> {
    let refused = |message: String| Diagnostic::new("nova-manifest", Level::Error, message);
    let document = match yaml::parse_text(source) {
        Ok(document) => document,
        Err(fault) => {
            let message = format!("the manifest cannot be read: {}", fault.message);
            tell(findings, MANIFEST, refused(message).at(fault.at..fault.at, source));
            return None;
        }
    };
    for again in document.duplicates.iter().filter(|again| !again.same_value) {
        let message = format!("`{}` is given twice, with different values", again.key.escape_debug());
        tell(findings, MANIFEST, refused(message).at(again.second.clone(), source).help("leave one of them out"));
        if again.key == "description" {
            return None;
        }
    }
    match document.root {
        Some(root) if root.entries().is_some() => Some(root),
        _ => {
            let help = "write `name: …`, `version: \"…\"` and `description: …`";
            tell(findings, MANIFEST, refused("the manifest holds no fields".into()).help(help));
            None
        }
    }
}

struct Reader<'a> {
    source: &'a str,
    root: &'a Node<'a>,
    findings: &'a mut Vec<Finding>,
}

impl Reader<'_> {
    fn tell(&mut self, diagnostic: Diagnostic) {
        tell(self.findings, MANIFEST, diagnostic);
    }

    /// A text without which Nova does not take the skill.
    fn required(&mut self, key: &str) -> Option<String> {
        let note = "Nova logs that the manifest is bad, and leaves the skill out";
        let Some((key_node, value)) = self.root.entry(key) else {
            let finding = Diagnostic::new("nova-manifest", Level::Error, format!("the manifest has no `{key}`"));
            self.tell(finding.note(note).help(format!("write `{key}: …`")));
            return None;
        };
        if let Some(text) = text(value) {
            if !is_text(value) {
                self.not_text(key, value);
            }
            return Some(text);
        }
        let found = Diagnostic::new("nova-manifest", Level::Error, format!("`{key}` holds no text"));
        self.tell(found.at(key_node.span.clone(), self.source).note(note));
        None
    }

    /// Tells of what is not text: `1.0` is a number to Nova's reader, which then refuses the manifest.
    fn not_text(&mut self, key: &str, value: &Node<'_>) {
        let what = match value.typed() {
            Some(Typed::Bool(_)) => "a truth value",
            Some(Typed::Text(_)) => "a date",
            _ => "a number",
        };
        let rule = if key == "version" { "nova-version-not-text" } else { "nova-manifest" };
        let quoted = yaml::quote(value.text().unwrap_or_default());
        let fix = Fix::edit(Applicability::Safe, "quote the value", value.span.clone(), quoted.clone());
        let found = Diagnostic::new(rule, Level::Error, format!("`{key}` is {what}; Nova wants a text"))
            .at(value.span.clone(), self.source)
            .note("Nova logs that the manifest is bad, and leaves the skill out")
            .help(format!("put it in quotes: `{key}: {quoted}`"));
        self.tell(if value.tag.is_none() { found.fix(fix) } else { found });
    }
}

/// The trimmed text of a scalar that is not empty.
fn text(node: &Node) -> Option<String> {
    let text = node.text()?.trim();
    (!node.is_null() && !text.is_empty()).then(|| text.to_owned())
}

/// Whether Python's reader of YAML takes a scalar as text: it sees dates, and more words of truth than YAML 1.2 does.
fn is_text(node: &Node) -> bool {
    let Some(Typed::Text(text)) = node.typed() else { return false };
    let is_plain = matches!(node.kind, yaml::Kind::Scalar(_, yaml::Style::Plain)) && node.tag.is_none();
    !is_plain || !(is_date(text) || matches!(&*text.to_lowercase(), "yes" | "no" | "on" | "off"))
}

fn is_date(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    let digits = |part: &str, least: usize, most: usize| {
        (least..=most).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_digit())
    };
    matches!(parts[..], [year, month, day] if digits(year, 4, 4) && digits(month, 1, 2) && digits(day, 1, 2))
}

/// The tools that `tools.py` declares.
fn tools(files: &Files<'_>, findings: &mut Vec<Finding>) -> Vec<Tool> {
    let Some(source) = source_of(files, TOOLS, "nova-tools", findings) else { return Vec::new() };
    match python::declared(&source) {
        Ok(declared) => {
            findings
                .extend(without_get_tools(&declared).map(|found| Finding { path: TOOLS.into(), diagnostic: found }));
            declared.tools
        }
        Err(fault) => {
            let message = format!("the tools cannot be read: {}", fault.message);
            let found = Diagnostic::new("nova-tools", Level::Error, message).at(fault.at, &source);
            tell(findings, TOOLS, found.note("Nova cannot load the skill's tools"));
            Vec::new()
        }
    }
}

fn without_get_tools(declared: &python::Declared) -> Option<Diagnostic> {
    const HELP: &str = "define `def get_tools():` that returns a list of them";
    match declared.get_tools {
        python::GetTools::Absent => {
            let found = Diagnostic::new("nova-tools", Level::Error, "`tools.py` does not define `get_tools`");
            Some(found.note("Nova asks `get_tools()` for the skill's tools").help(HELP))
        }
        python::GetTools::Opaque if declared.tools.is_empty() => {
            let message = "what `get_tools` returns can only be known by running it, so no tool is listed";
            let note = "a list of names, `return [search, fetch]`, can be read";
            Some(Diagnostic::new("nova-tools-opaque", Level::Note, message).note(note))
        }
        python::GetTools::Opaque | python::GetTools::Read => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{dir, told};
    use super::*;

    const GOOD: &str = "name: Employee onboarding\nversion: \"1.0.0\"\ndescription: Take a new employee through the \
                        first week.\ntags: [hr, people]\n";

    #[test]
    fn a_manifest_is_read_into_the_one_model() {
        let files = [("manifest.yaml", GOOD), ("instructions.md", "# Do\n"), ("config.yaml", "x: 1\n")];
        let read = dir("employee_onboarding", &files);
        let skill = read.skill.clone().unwrap();
        assert_eq!(skill.format, Format::Nova);
        assert_eq!((skill.name.as_str(), skill.named), ("employee-onboarding", false));
        assert_eq!(skill.display_name.as_deref(), Some("Employee onboarding"));
        assert_eq!(skill.version.as_deref(), Some("1.0.0"));
        assert_eq!(skill.author.as_deref(), Some("nova-team"));
        assert_eq!(skill.tags, ["hr", "people"]);
        assert_eq!(skill.frontmatter["version"], "1.0.0");
        assert_eq!((skill.body_start, skill.tools.len()), (0, 0));
        assert_eq!(told(&read), ["manifest.yaml name-lossy"]);
    }

    #[test]
    fn what_nova_would_not_take_is_told_and_read_where_it_can_be() {
        for (manifest, listed, expected) in [
            ("name: a\nversion: 1.0\ndescription: d\n", true, "manifest.yaml:2:10 nova-version-not-text!"),
            ("name: a\nversion: 2026-01-25\ndescription: d\n", true, "manifest.yaml:2:10 nova-version-not-text!"),
            ("name: a\nversion: '1'\ndescription: yes\n", true, "manifest.yaml:3:14 nova-manifest!"),
            ("name: a\ndescription: d\n", true, "manifest.yaml nova-manifest!"),
            ("version: '1'\ndescription: d\n", true, "manifest.yaml nova-manifest!"),
            ("name: a\nversion: '1'\n", false, "manifest.yaml nova-manifest!"),
            ("name: a\nversion: '1'\ndescription: [d]\n", false, "manifest.yaml:3:1 nova-manifest!"),
            ("name: a\nversion: '1'\ndescription: d\ndescription: e\n", false, "manifest.yaml:4:1 nova-manifest!"),
            ("- a\n", false, "manifest.yaml nova-manifest!"),
            ("", false, "manifest.yaml nova-manifest!"),
            ("a: [b\n", false, "manifest.yaml:1:4 nova-manifest!"),
        ] {
            let read = dir("x", &[("manifest.yaml", manifest), ("instructions.md", "")]);
            assert_eq!((read.skill.is_some(), told(&read)), (listed, vec![expected.to_owned()]), "{manifest:?}");
        }
    }

    #[test]
    fn a_number_for_a_version_is_mended_by_quotes() {
        let manifest = "name: a\nversion: 1.10\ndescription: d\n";
        let read = dir("x", &[("manifest.yaml", manifest), ("instructions.md", "")]);
        let fix = read.findings[0].diagnostic.fix.clone().unwrap();
        assert_eq!(fix.apply(manifest), "name: a\nversion: \"1.10\"\ndescription: d\n");
        assert_eq!(read.skill.unwrap().version.as_deref(), Some("1.10"));
    }

    #[test]
    fn a_byte_order_mark_moves_nothing_and_stays() {
        let manifest = "\u{feff}version: 1.0\nname: a\ndescription: d\n";
        let tools = "\u{feff}def get_tools(:\n";
        let read = dir("x", &[("manifest.yaml", manifest), ("instructions.md", ""), ("tools.py", tools)]);
        assert_eq!(told(&read), ["manifest.yaml:1:10 nova-version-not-text!", "tools.py:1:15 nova-tools!"]);
        let fix = read.findings[0].diagnostic.fix.clone().unwrap();
        assert_eq!(fix.apply(manifest), "\u{feff}version: \"1.0\"\nname: a\ndescription: d\n");
        assert_eq!(read.findings[1].diagnostic.span, Some(17..18));
    }

    #[test]
    fn tools_are_read_and_their_lack_is_told() {
        let with = |tools: &str| dir("x", &[("manifest.yaml", GOOD), ("instructions.md", ""), ("tools.py", tools)]);
        let good =
            with("@tool\ndef find(name: str):\n    \"\"\"Find one.\"\"\"\n\ndef get_tools():\n    return [find]\n");
        assert_eq!(told(&good), [""; 0]);
        assert_eq!(good.skill.unwrap().tools[0].name, "find");
        assert_eq!(told(&with("x = 1\n")), ["tools.py nova-tools!"]);
        assert_eq!(told(&with("def get_tools(:\n")), ["tools.py:1:15 nova-tools!"]);
        assert_eq!(told(&with("def get_tools():\n    return load()\n")), ["tools.py nova-tools-opaque"]);
    }
}
