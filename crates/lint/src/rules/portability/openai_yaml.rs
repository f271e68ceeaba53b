//! Fields of `agents/openai.yaml` that Codex ignores.

use super::known_targets;
use crate::agents::AgentModel;
use crate::{
    ExampleFile, FindingList, FixAvailability, LintSubject, Rule, RuleCheck, RuleDocs, RuleExample,
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
    let Some(source) = subject.skill.file(FILE).and_then(|file| file.text()) else {
        return;
    };

    let mut report =
        |message: String, span: Span| found.add(FILE, RULE.finding(message).at(span, source));
    let document = match yaml::parse_text(source) {
        Ok(document) => document,
        Err(fault) => {
            return report(
                format!("Codex cannot parse this file: {}", fault.message),
                fault.at..fault.at,
            );
        }
    };
    let Some(root) = &document.root else { return };
    let Some(sections) = root.entries() else {
        return report("Codex requires sections here".into(), root.span.clone());
    };

    for (section, value) in sections {
        let name = section.text().unwrap_or_default();
        let Some((_, fields)) = SECTIONS.iter().find(|(known, _)| *known == name) else {
            report(
                format!("Codex does not know the section `{}`", name.escape_debug()),
                section.span.clone(),
            );
            continue;
        };
        let Some(entries) = value.entries() else {
            report(format!("`{name}` is not a mapping"), value.span.clone());
            continue;
        };

        for (key, value) in entries {
            let field = key.text().unwrap_or_default();
            if !fields.contains(&field) {
                report(
                    format!(
                        "Codex does not know the field `{}` in `{name}`",
                        field.escape_debug()
                    ),
                    key.span.clone(),
                );
            } else if let Some(fault) = field_fault(subject, field, value) {
                report(fault, value.span.clone());
            }
        }
    }
}

/// The error in the value of a known field.
fn field_fault(subject: &LintSubject<'_>, field: &str, value: &YamlNode<'_>) -> Option<String> {
    let text = || match value.typed() {
        Some(TypedScalar::Text(text)) => Ok(text),
        _ => Err(format!("`{field}` is not a string")),
    };
    let within = |max: usize| match text() {
        Ok(text) if text.chars().count() > max => Some(format!(
            "`{field}` has {} characters; Codex accepts at most {max}",
            text.chars().count()
        )),
        Ok(_) => None,
        Err(fault) => Some(fault),
    };

    match field {
        "allow_implicit_invocation" => (!matches!(value.typed(), Some(TypedScalar::Bool(_))))
            .then(|| format!("`{field}` is neither `true` nor `false`")),
        "tools" | "products" => value
            .items()
            .is_none()
            .then(|| format!("`{field}` is not a list")),
        "brand_color" => match text() {
            Ok(text) if is_color(text) => None,
            Ok(text) => Some(format!(
                "`{}` is not a color of the form `#RRGGBB`",
                text.escape_debug()
            )),
            Err(fault) => Some(fault),
        },
        "icon_small" | "icon_large" => match text() {
            Ok(path) if subject.skill.file(path.trim_start_matches("./")).is_none() => Some(
                format!("file `{}` not found in the skill", path.escape_debug()),
            ),
            Ok(_) => None,
            Err(fault) => Some(fault),
        },
        "display_name" => within(NAME_MAX),
        _ => within(TEXT_MAX),
    }
}

fn is_color(text: &str) -> bool {
    text.strip_prefix('#')
        .is_some_and(|digits| digits.len() == 6 && digits.bytes().all(|b| b.is_ascii_hexdigit()))
}
