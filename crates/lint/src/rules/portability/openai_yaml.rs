//! What Codex does not take from `agents/openai.yaml`.

use super::targets;
use crate::lint::agents::Agent;
use crate::lint::{Check, Docs, Example, Fixes, Found, Piece, Rule, Subject};
use crate::report::{Level, Span};
use crate::skill::yaml::{self, Node, Typed};

const FILE: &str = "agents/openai.yaml";

/// Longest `display_name`, in characters, as Codex 0.169.0 takes it.
const NAME_MAX: usize = 64;
/// Longest `short_description` and `default_prompt`.
const TEXT_MAX: usize = 1024;

const PAGE: &str = "---\nname: pdf\ndescription: Fill PDF forms. Use when a form is to be filled in.\n---\n\n# PDF\n";

pub(super) static RULE: Rule = Rule {
    code: "SKA08",
    name: "openai-yaml-ignored",
    level: Some(Level::Note),
    fix: Fixes::Never,
    summary: "a field of `agents/openai.yaml` that Codex does not take",
    docs: Docs {
        finds: "In `agents/openai.yaml`: text that is no YAML, a section or field that Codex does not know, a value of \
                the wrong type, a `brand_color` that is not `#RRGGBB`, an icon that is not in the skill, or a text \
                longer than Codex takes. It is looked at where Codex is one of the `targets`, or no target is named.",
        hurts: "Codex leaves the field out without a word: the skill has no icon, or is chosen although \
                `allow_implicit_invocation` was meant to forbid it.",
        ignore: "A field for a version of Codex newer than the one that is named in `docs/agents.md`.",
        bad: &[Example::files(&[
            ("pdf/SKILL.md", Piece::Text(PAGE)),
            (
                "pdf/agents/openai.yaml",
                Piece::Text("interface:\n  brand_color: red\npolicy:\n  allow_implicit_invocation: no way\n"),
            ),
        ])],
        good: &[Example::files(&[
            ("pdf/SKILL.md", Piece::Text(PAGE)),
            (
                "pdf/agents/openai.yaml",
                Piece::Text(
                    "interface:\n  display_name: PDF forms\n  brand_color: \"#0A84FF\"\npolicy:\n  allow_implicit_invocation: false\n",
                ),
            ),
        ])],
    },
    check: Check::Skill(check),
};

/// The sections that Codex reads, and their fields.
const SECTIONS: &[(&str, &[&str])] = &[
    ("interface", &["display_name", "short_description", "icon_small", "icon_large", "brand_color", "default_prompt"]),
    ("policy", &["allow_implicit_invocation", "products"]),
    ("dependencies", &["tools"]),
];

fn check(subject: &Subject<'_>, found: &mut Found) {
    let targets = targets(subject);
    if !subject.settings.targets.is_empty() && !targets.contains(&Agent::Codex) {
        return;
    }
    let Some(source) = subject.skill.file(FILE).and_then(|file| file.text()) else { return };
    let mut tell = |message: String, span: Span| found.add(FILE, RULE.finding(message).at(span, source));
    let document = match yaml::parse_text(source) {
        Ok(document) => document,
        Err(fault) => return tell(format!("Codex cannot read this: {}", fault.message), fault.at..fault.at),
    };
    let Some(root) = &document.root else { return };
    let Some(sections) = root.entries() else { return tell("Codex wants sections here".into(), root.span.clone()) };
    for (section, value) in sections {
        let name = section.text().unwrap_or_default();
        let Some((_, fields)) = SECTIONS.iter().find(|(known, _)| *known == name) else {
            tell(format!("Codex knows no section `{}`", name.escape_debug()), section.span.clone());
            continue;
        };
        let Some(entries) = value.entries() else {
            tell(format!("`{name}` holds no fields"), value.span.clone());
            continue;
        };
        for (key, value) in entries {
            let field = key.text().unwrap_or_default();
            if !fields.contains(&field) {
                tell(format!("Codex knows no field `{}` below `{name}`", field.escape_debug()), key.span.clone());
            } else if let Some(fault) = fault(subject, field, value) {
                tell(fault, value.span.clone());
            }
        }
    }
}

/// What is wrong with the value of a known field.
fn fault(subject: &Subject<'_>, field: &str, value: &Node<'_>) -> Option<String> {
    let text = || match value.typed() {
        Some(Typed::Text(text)) => Ok(text),
        _ => Err(format!("`{field}` is no text")),
    };
    let within = |max: usize| match text() {
        Ok(text) if text.chars().count() > max => {
            Some(format!("`{field}` has {} characters, and Codex takes {max}", text.chars().count()))
        }
        Ok(_) => None,
        Err(fault) => Some(fault),
    };
    match field {
        "allow_implicit_invocation" => {
            (!matches!(value.typed(), Some(Typed::Bool(_)))).then(|| format!("`{field}` is neither `true` nor `false`"))
        }
        "tools" | "products" => value.items().is_none().then(|| format!("`{field}` is no list")),
        "brand_color" => match text() {
            Ok(text) if is_color(text) => None,
            Ok(text) => Some(format!("`{}` is no colour of the form `#RRGGBB`", text.escape_debug())),
            Err(fault) => Some(fault),
        },
        "icon_small" | "icon_large" => match text() {
            Ok(path) if subject.skill.file(path.trim_start_matches("./")).is_none() => {
                Some(format!("there is no file `{}` in the skill", path.escape_debug()))
            }
            Ok(_) => None,
            Err(fault) => Some(fault),
        },
        "display_name" => within(NAME_MAX),
        _ => within(TEXT_MAX),
    }
}

fn is_color(text: &str) -> bool {
    text.strip_prefix('#').is_some_and(|digits| digits.len() == 6 && digits.bytes().all(|b| b.is_ascii_hexdigit()))
}
