//! Nova's format: `manifest.yaml`, `instructions.md`, and optionally `tools.py` and `config.yaml`.
//!
//! ```yaml
//! name: Employee onboarding
//! version: "1.0.0"
//! description: Take a new employee through the first week.
//! author: people-team
//! tags: [hr]
//! ```
//!
//! Nova names a skill after its directory. `tools.py` must define `get_tools()`, which returns a list; here it is parsed,
//! never run. `config.yaml` has defaults; it is not read here, and must not contain secrets.

use super::{DirectoryFiles, name_from_directory, push_finding, python, read_source};
use crate::report::{Diagnostic, DiagnosticFix, DiagnosticLevel, FileFinding, FixApplicability};
use crate::skill::yaml::{self, TypedScalar, YamlNode};
use crate::skill::{Skill, SkillFormat, SkillTool};

/// The file that describes the skill.
pub const MANIFEST: &str = "manifest.yaml";
/// The file that declares its tools.
pub const TOOLS: &str = "tools.py";
/// The file of its defaults.
pub const CONFIG: &str = "config.yaml";

/// Nova's default for the author of a skill.
const DEFAULT_AUTHOR: &str = "nova-team";
/// The note of a finding about a manifest that Nova does not load.
const SKIPPED_NOTE: &str = "Nova logs an invalid manifest, and skips the skill";

/// Whether a finding makes Nova skip the skill, which is read here nevertheless, so that it can be fixed and converted.
#[must_use]
pub fn is_skipped_for(finding: &Diagnostic) -> bool {
    finding.notes.iter().any(|note| note == SKIPPED_NOTE)
}

/// Reads a directory that is known to be of this format.
pub(super) fn read_skill(
    files: &DirectoryFiles<'_>,
    directory: &str,
    findings: &mut Vec<FileFinding>,
) -> Option<Skill> {
    let source = read_source(files, MANIFEST, "nova-manifest", findings)?;
    let root = parse_manifest(&source, findings)?;
    let mut reader = NovaReader {
        source: &source,
        root: &root,
        findings,
    };

    let display_name = reader.read_required("name");
    let version = reader.read_required("version");
    // Only now, so that all three findings come at once.
    let description = reader.read_required("description")?;
    // Nova names the skill after its directory and only displays the `name`.
    let name = name_from_directory(directory, MANIFEST, findings);
    let display_name = display_name.filter(|display| *display != name);

    let tools = if (files.has)(TOOLS) {
        read_tools(files, findings)
    } else {
        Vec::new()
    };

    let text = |key: &str| root.get(key).and_then(scalar_text);
    Some(Skill {
        // Its `name` is only displayed, so that a rename is one of the directory.
        named: false,
        own_id: (name != directory).then(|| directory.to_owned()),
        display_name,
        version,
        author: text("author").or_else(|| Some(DEFAULT_AUTHOR.to_owned())),
        tags: root
            .get("tags")
            .and_then(YamlNode::items)
            .unwrap_or_default()
            .iter()
            .filter_map(self::scalar_text)
            .collect(),
        tools,
        frontmatter: root.to_json(),
        ..Skill::new(SkillFormat::Nova, name, description)
    })
}

/// Parses a manifest; `None`, with a finding, if it is not a mapping.
fn parse_manifest<'s>(source: &'s str, findings: &mut Vec<FileFinding>) -> Option<YamlNode<'s>> {
    let refused =
        |message: String| Diagnostic::new("nova-manifest", DiagnosticLevel::Error, message);
    // Strictly, unlike a `SKILL.md`: Nova has one parser, and what it refuses is not listed.
    let document = match yaml::parse_text(source) {
        Ok(document) => document,
        Err(fault) => {
            let message = format!("failed to parse manifest: {}", fault.message);
            push_finding(
                findings,
                MANIFEST,
                refused(message).at(fault.at..fault.at, source),
            );
            return None;
        }
    };

    for again in document.duplicates.iter().filter(|again| !again.same_value) {
        let message = format!(
            "duplicate key `{}` with different values",
            again.key.escape_debug()
        );
        push_finding(
            findings,
            MANIFEST,
            refused(message)
                .at(again.second.clone(), source)
                .help("remove one of the two"),
        );
        // Refused, as in a `SKILL.md`: the description that is shown may be the other one.
        if again.key == "description" {
            return None;
        }
    }

    match document.root {
        Some(root) if root.entries().is_some() => Some(root),
        _ => {
            let help = "write `name: …`, `version: \"…\"` and `description: …`";
            push_finding(
                findings,
                MANIFEST,
                refused("the manifest is not a mapping".into()).help(help),
            );
            None
        }
    }
}

struct NovaReader<'a> {
    source: &'a str,
    root: &'a YamlNode<'a>,
    findings: &'a mut Vec<FileFinding>,
}

impl NovaReader<'_> {
    fn report(&mut self, diagnostic: Diagnostic) {
        push_finding(self.findings, MANIFEST, diagnostic);
    }

    /// A string without which Nova refuses the skill.
    fn read_required(&mut self, key: &str) -> Option<String> {
        let Some((key_node, value)) = self.root.entry(key) else {
            let finding = Diagnostic::new(
                "nova-manifest",
                DiagnosticLevel::Error,
                format!("the manifest has no `{key}`"),
            );
            self.report(finding.note(SKIPPED_NOTE).help(format!("write `{key}: …`")));
            return None;
        };

        // A scalar of another type is reported, and used as text.
        if let Some(text) = scalar_text(value) {
            if !is_python_text(value) {
                self.report_not_text(key, value);
            }
            return Some(text);
        }

        let found = Diagnostic::new(
            "nova-manifest",
            DiagnosticLevel::Error,
            format!("`{key}` is not a string"),
        );
        self.report(
            found
                .at(key_node.span.clone(), self.source)
                .note(SKIPPED_NOTE),
        );
        None
    }

    /// Reports a value that is not a string: Nova parses `1.0` as a number, and then refuses the manifest.
    fn report_not_text(&mut self, key: &str, value: &YamlNode<'_>) {
        let what = match value.typed() {
            Some(TypedScalar::Bool(_)) => "a boolean",
            Some(TypedScalar::Text(_)) => "a date",
            _ => "a number",
        };
        let rule = if key == "version" {
            "nova-version-not-text"
        } else {
            "nova-manifest"
        };

        let quoted = yaml::quote(value.text().unwrap_or_default());
        let fix = DiagnosticFix::edit(
            FixApplicability::Safe,
            "quote the value",
            value.span.clone(),
            quoted.clone(),
        );

        let found = Diagnostic::new(
            rule,
            DiagnosticLevel::Error,
            format!("`{key}` is {what}; Nova expects a string"),
        )
        .at(value.span.clone(), self.source)
        .note(SKIPPED_NOTE)
        .help(format!("put it in quotes: `{key}: {quoted}`"));

        // With a tag the type is meant, and quotes do not change it.
        self.report(if value.tag.is_none() {
            found.fix(fix)
        } else {
            found
        });
    }
}

/// The trimmed text of a scalar that is not empty.
fn scalar_text(node: &YamlNode) -> Option<String> {
    let text = node.text()?.trim();
    (!node.is_null() && !text.is_empty()).then(|| text.to_owned())
}

/// Whether Python's YAML parser reads a scalar as a string: it knows dates, and more booleans than YAML 1.2.
fn is_python_text(node: &YamlNode) -> bool {
    let Some(TypedScalar::Text(text)) = node.typed() else {
        return false;
    };
    // Quotes or a tag make it a string in every version of YAML.
    let is_plain = matches!(
        node.kind,
        yaml::YamlNodeKind::Scalar(_, yaml::YamlStyle::Plain)
    ) && node.tag.is_none();

    // A date with a time stays a string.
    let is_date = yaml::split_date(text).is_some_and(|date| date.time.is_empty());
    !is_plain || !(is_date || matches!(&*text.to_lowercase(), "yes" | "no" | "on" | "off"))
}

/// The tools that `tools.py` declares.
fn read_tools(files: &DirectoryFiles<'_>, findings: &mut Vec<FileFinding>) -> Vec<SkillTool> {
    let Some(source) = read_source(files, TOOLS, "nova-tools", findings) else {
        return Vec::new();
    };
    match python::read_declared_tools(&source) {
        Ok(declared) => {
            findings.extend(get_tools_diagnostic(&declared).map(|found| FileFinding {
                path: TOOLS.into(),
                diagnostic: found,
            }));
            declared.tools
        }
        Err(fault) => {
            let message = format!("failed to parse `tools.py`: {}", fault.message);
            let found = Diagnostic::new("nova-tools", DiagnosticLevel::Error, message)
                .at(fault.at, &source);
            push_finding(
                findings,
                TOOLS,
                found.note("Nova fails to load the skill's tools"),
            );
            // The skill itself is still listed: its instructions need no tools.
            Vec::new()
        }
    }
}

fn get_tools_diagnostic(declared: &python::DeclaredTools) -> Option<Diagnostic> {
    const HELP: &str = "define `def get_tools():` that returns a list of them";

    match declared.get_tools {
        python::GetTools::Absent => {
            let found = Diagnostic::new(
                "nova-tools",
                DiagnosticLevel::Error,
                "`tools.py` does not define `get_tools`",
            );
            Some(
                found
                    .note("Nova calls `get_tools()` for the skill's tools")
                    .help(HELP),
            )
        }
        python::GetTools::Opaque if declared.tools.is_empty() => {
            let message =
                "the value of `get_tools` is not known without running it, so no tool is listed";
            // A note and no warning: Nova runs the function, so that the tools do exist.
            let note = "a list of names, `return [search, fetch]`, can be read";
            Some(Diagnostic::new("nova-tools-opaque", DiagnosticLevel::Note, message).note(note))
        }
        python::GetTools::Opaque | python::GetTools::Read => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{finding_lines, read_dir};
    use super::*;

    const GOOD: &str = "name: Employee onboarding\nversion: \"1.0.0\"\ndescription: Take a new employee through the \
                        first week.\ntags: [hr, people]\n";

    #[test]
    fn a_manifest_is_read_into_the_common_model() {
        let files = [
            ("manifest.yaml", GOOD),
            ("instructions.md", "# Do\n"),
            ("config.yaml", "x: 1\n"),
        ];
        let read = read_dir("employee_onboarding", &files);
        let skill = read.skill.clone().unwrap();
        assert_eq!(skill.format, SkillFormat::Nova);
        assert_eq!(
            (skill.name.as_str(), skill.named),
            ("employee-onboarding", false)
        );
        assert_eq!(skill.display_name.as_deref(), Some("Employee onboarding"));
        assert_eq!(skill.version.as_deref(), Some("1.0.0"));
        assert_eq!(skill.author.as_deref(), Some("nova-team"));
        assert_eq!(skill.tags, ["hr", "people"]);
        assert_eq!(skill.frontmatter["version"], "1.0.0");
        assert_eq!((skill.body_start, skill.tools.len()), (0, 0));
        assert_eq!(finding_lines(&read), ["manifest.yaml name-lossy"]);
    }

    #[test]
    fn manifests_that_nova_refuses_are_reported_and_read_where_possible() {
        for (manifest, listed, expected) in [
            (
                "name: a\nversion: 1.0\ndescription: d\n",
                true,
                "manifest.yaml:2:10 nova-version-not-text!",
            ),
            (
                "name: a\nversion: 2026-01-25\ndescription: d\n",
                true,
                "manifest.yaml:2:10 nova-version-not-text!",
            ),
            (
                "name: a\nversion: '1'\ndescription: yes\n",
                true,
                "manifest.yaml:3:14 nova-manifest!",
            ),
            (
                "name: a\ndescription: d\n",
                true,
                "manifest.yaml nova-manifest!",
            ),
            (
                "version: '1'\ndescription: d\n",
                true,
                "manifest.yaml nova-manifest!",
            ),
            (
                "name: a\nversion: '1'\n",
                false,
                "manifest.yaml nova-manifest!",
            ),
            (
                "name: a\nversion: '1'\ndescription: [d]\n",
                false,
                "manifest.yaml:3:1 nova-manifest!",
            ),
            (
                "name: a\nversion: '1'\ndescription: d\ndescription: e\n",
                false,
                "manifest.yaml:4:1 nova-manifest!",
            ),
            ("- a\n", false, "manifest.yaml nova-manifest!"),
            ("", false, "manifest.yaml nova-manifest!"),
            ("a: [b\n", false, "manifest.yaml:1:4 nova-manifest!"),
        ] {
            let read = read_dir("x", &[("manifest.yaml", manifest), ("instructions.md", "")]);
            assert_eq!(
                (read.skill.is_some(), finding_lines(&read)),
                (listed, vec![expected.to_owned()]),
                "{manifest:?}"
            );
        }
    }

    #[test]
    fn a_number_for_a_version_is_fixed_by_quotes() {
        let manifest = "name: a\nversion: 1.10\ndescription: d\n";
        let read = read_dir("x", &[("manifest.yaml", manifest), ("instructions.md", "")]);
        let fix = read.findings[0].diagnostic.fix.clone().unwrap();
        assert_eq!(
            fix.apply(manifest),
            "name: a\nversion: \"1.10\"\ndescription: d\n"
        );
        assert_eq!(read.skill.unwrap().version.as_deref(), Some("1.10"));
    }

    #[test]
    fn byte_order_mark_stays_and_does_not_shift_spans() {
        let manifest = "\u{feff}version: 1.0\nname: a\ndescription: d\n";
        let tools = "\u{feff}def get_tools(:\n";
        let read = read_dir(
            "x",
            &[
                ("manifest.yaml", manifest),
                ("instructions.md", ""),
                ("tools.py", tools),
            ],
        );
        assert_eq!(
            finding_lines(&read),
            [
                "manifest.yaml:1:10 nova-version-not-text!",
                "tools.py:1:15 nova-tools!"
            ]
        );
        let fix = read.findings[0].diagnostic.fix.clone().unwrap();
        assert_eq!(
            fix.apply(manifest),
            "\u{feff}version: \"1.0\"\nname: a\ndescription: d\n"
        );
        assert_eq!(read.findings[1].diagnostic.span, Some(17..18));
    }

    #[test]
    fn tools_are_read_and_missing_ones_are_reported() {
        let with = |tools: &str| {
            read_dir(
                "x",
                &[
                    ("manifest.yaml", GOOD),
                    ("instructions.md", ""),
                    ("tools.py", tools),
                ],
            )
        };
        let good = with(
            "@tool\ndef find(name: str):\n    \"\"\"Find one.\"\"\"\n\ndef get_tools():\n    return [find]\n",
        );
        assert_eq!(finding_lines(&good), [""; 0]);
        assert_eq!(good.skill.unwrap().tools[0].name, "find");
        assert_eq!(finding_lines(&with("x = 1\n")), ["tools.py nova-tools!"]);
        assert_eq!(
            finding_lines(&with("def get_tools(:\n")),
            ["tools.py:1:15 nova-tools!"]
        );
        assert_eq!(
            finding_lines(&with("def get_tools():\n    return load()\n")),
            ["tools.py nova-tools-opaque"]
        );
    }
}
