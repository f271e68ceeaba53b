//! Fields of `agents/openai.yaml` that Codex ignores.

use super::known_targets;
use crate::agents::AgentModel;
use crate::{
    ExampleFile, FindingList, FixAvailability, LintSubject, Rule, RuleCheck, RuleDocs, RuleExample,
    SkillDir,
};
use skillpm_core::report::{DiagnosticLevel, Span};
use skillpm_core::skill::yaml::{self, TypedScalar, YamlNode};

const FILE: &str = "agents/openai.yaml";

/// The longest `display_name`, in characters, that Codex 0.169.0 accepts.
const NAME_MAX: usize = 64;
/// The longest `short_description` and `default_prompt`, in characters.
const TEXT_MAX: usize = 1024;

const PAGE: &str = "---\nname: pdf\ndescription: Fill PDF forms. Use when a form is to be filled in.\n---\n\n# PDF\n";

pub(super) static RULE: Rule = Rule {
    code: "SKA08",
    name: "openai-yaml-ignored",
    level: Some(DiagnosticLevel::Note),
    fix: FixAvailability::Never,
    summary: "Codex ignores a field of `agents/openai.yaml`",
    docs: RuleDocs {
        finds: "In `agents/openai.yaml`: invalid YAML, a section or field unknown to Codex, a value of the wrong \
            type, a `brand_color` that is not `#RRGGBB`, an icon that does not exist in the skill, or a text over \
            Codex's limit. It is checked if Codex is one of the `targets`, or there are no targets.",
        hurts: "Codex ignores the field silently: the skill has no icon, or is chosen although \
            `allow_implicit_invocation` was intended to forbid it.",
        ignore: "The field is for a version of Codex newer than the one in `docs/agents.md`.",
        bad: &[RuleExample::files(&[
            ("pdf/SKILL.md", ExampleFile::Text(PAGE)),
            (
                "pdf/agents/openai.yaml",
                ExampleFile::Text(
                    "interface:\n  brand_color: red\npolicy:\n  allow_implicit_invocation: no way\n",
                ),
            ),
        ])],
        good: &[RuleExample::files(&[
            ("pdf/SKILL.md", ExampleFile::Text(PAGE)),
            (
                "pdf/agents/openai.yaml",
                ExampleFile::Text(
                    "interface:\n  display_name: PDF forms\n  brand_color: \"#0A84FF\"\npolicy:\n  allow_implicit_invocation: false\n",
                ),
            ),
        ])],
    },
    check: RuleCheck::Skill(check),
};

/// The sections that Codex reads, and their fields.
const SECTIONS: &[(&str, &[&str])] = &[
    (
        "interface",
        &[
            "display_name",
            "short_description",
            "icon_small",
            "icon_large",
            "brand_color",
            "default_prompt",
        ],
    ),
    ("policy", &["allow_implicit_invocation", "products"]),
    ("dependencies", &["tools"]),
];

fn check(subject: &LintSubject<'_>, found: &mut FindingList) {
    let targets = known_targets(subject);
    // Without targets a skill is for every agent, including Codex.
    if !subject.settings.targets.is_empty() && !targets.contains(&AgentModel::Codex) {
        return;
    }
    // The file is optional, and only Codex reads it.
    let Some(source) = subject.skill.file(FILE).and_then(|file| file.text()) else {
        return;
    };

    let mut checker = OpenAiChecker {
        skill: subject.skill,
        source,
        found,
    };
    match yaml::parse_text(source) {
        Ok(document) => {
            if let Some(root) = &document.root {
                checker.check_root(root);
            }
        }
        Err(fault) => {
            let message = format!("Codex cannot parse this file: {}", fault.message);
            checker.report(message, fault.at..fault.at);
        }
    }
}

/// The state of a check.
struct OpenAiChecker<'a> {
    skill: &'a SkillDir,
    source: &'a str,
    found: &'a mut FindingList,
}

impl OpenAiChecker<'_> {
    fn report(&mut self, message: impl Into<String>, span: Span) {
        let finding = RULE.finding(message).at(span, self.source);
        self.found.add(FILE, finding);
    }

    fn check_root(&mut self, root: &YamlNode<'_>) {
        let Some(sections) = root.entries() else {
            return self.report("Codex requires sections here", root.span.clone());
        };

        for (key, value) in sections {
            let name = key.text().unwrap_or_default();
            match SECTIONS.iter().find(|(known, _)| *known == name) {
                Some((name, fields)) => self.check_section(name, fields, value),
                None => {
                    let name = name.escape_debug();
                    let message = format!("Codex does not know the section `{name}`");
                    self.report(message, key.span.clone());
                }
            }
        }
    }

    fn check_section(&mut self, name: &str, fields: &[&str], section: &YamlNode<'_>) {
        let Some(entries) = section.entries() else {
            return self.report(format!("`{name}` is not a mapping"), section.span.clone());
        };

        for (key, value) in entries {
            let field = key.text().unwrap_or_default();
            // Reported although a newer Codex may know it, since an unknown field is ignored silently.
            if !fields.contains(&field) {
                let field = field.escape_debug();
                let message = format!("Codex does not know the field `{field}` in `{name}`");
                self.report(message, key.span.clone());
            } else if let Some(fault) = field_fault(self.skill, field, value) {
                self.report(fault, value.span.clone());
            }
        }
    }
}

/// The error in the value of a known field.
fn field_fault(skill: &SkillDir, field: &str, value: &YamlNode<'_>) -> Option<String> {
    match field {
        // `"false"` in quotes is a string: Codex then keeps its default, which is to allow it.
        "allow_implicit_invocation" => (!matches!(value.typed(), Some(TypedScalar::Bool(_))))
            .then(|| format!("`{field}` is neither `true` nor `false`")),
        "tools" | "products" => value
            .items()
            .is_none()
            .then(|| format!("`{field}` is not a list")),
        "brand_color" => text_fault(field, value, color_fault),
        "icon_small" | "icon_large" => text_fault(field, value, |path| icon_fault(skill, path)),
        "display_name" => text_fault(field, value, |text| length_fault(field, text, NAME_MAX)),
        _ => text_fault(field, value, |text| length_fault(field, text, TEXT_MAX)),
    }
}

/// The error in a value that must be a string.
fn text_fault(
    field: &str,
    value: &YamlNode<'_>,
    fault: impl FnOnce(&str) -> Option<String>,
) -> Option<String> {
    match value.typed() {
        Some(TypedScalar::Text(text)) => fault(text),
        _ => Some(format!("`{field}` is not a string")),
    }
}

fn length_fault(field: &str, text: &str, max: usize) -> Option<String> {
    let length = text.chars().count();
    (length > max)
        .then(|| format!("`{field}` has {length} characters; Codex accepts at most {max}"))
}

fn color_fault(text: &str) -> Option<String> {
    let shown = text.escape_debug();
    (!is_color(text)).then(|| format!("`{shown}` is not a color of the form `#RRGGBB`"))
}

fn icon_fault(skill: &SkillDir, path: &str) -> Option<String> {
    skill
        .file(path.trim_start_matches("./"))
        .is_none()
        .then(|| format!("file `{}` not found in the skill", path.escape_debug()))
}

fn is_color(text: &str) -> bool {
    text.strip_prefix('#')
        // Codex accepts no names and no short form.
        .is_some_and(|digits| digits.len() == 6 && digits.bytes().all(|b| b.is_ascii_hexdigit()))
}
