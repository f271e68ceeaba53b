//! Values that some readers take for a text and others for something else.

use super::written::{ambiguous, sound};
use crate::lint::{Check, Docs, Example, Fixes, Found, Page, Piece, Rule, Subject};
use crate::report::{Applicability, Fix, Level};
use crate::skill::yaml::{self, Kind, Node, Style, Typed};

pub(super) static RULE: Rule = Rule {
    code: "SK119",
    name: "yaml-ambiguous-scalar",
    level: Some(Level::Warning),
    fix: Fixes::Safely,
    summary: "a value without quotes is a text to some readers and not to others",
    docs: Docs {
        finds: "`yes`, `on`, `null`, `1.0`, `1e3`, `0x1f`, `12:30`, `2026-01-25` and their like without quotes, where a \
                text is wanted: in a name, a description, a version, an author, and any date below `metadata`.",
        hurts: "Readers of YAML 1.1 and 1.2 type such values differently. A name `on` is a truth value to PyYAML, a \
                version `1.10` is the number 1.1 to most, and a date becomes an object that JSON cannot hold.",
        ignore: "Never; quotes make it a text to everyone.",
        bad: &[
            Example::page(&[(
                "pdf/SKILL.md",
                Piece::Text("---\nname: pdf\ndescription: Fill PDF forms.\nmetadata:\n  version: 1.10\n---\n\n# PDF\n"),
            )]),
            Example::page(&[(
                "on/SKILL.md",
                Piece::Text("---\nname: on\ndescription: Switch the lights on.\n---\n\n# Lights\n"),
            )]),
            Example::page(&[(
                "pdf/SKILL.md",
                Piece::Text(
                    "---\nname: pdf\ndescription: Fill PDF forms.\nmetadata:\n  made: 2026-01-25\n---\n\n# PDF\n",
                ),
            )]),
        ],
        good: &[Example::page(&[(
            "pdf/SKILL.md",
            Piece::Text(
                "---\nname: pdf\ndescription: Fill PDF forms.\nmetadata:\n  version: \"1.10\"\n  since: 1.10.0\n  \
                 internal: true\n  size: 3\n---\n\n# PDF\n",
            ),
        )])],
    },
    check: Check::Skill(check),
};

/// Fields, of the top level or below `metadata`, that are texts.
const TEXTS: [&str; 8] =
    ["name", "description", "license", "compatibility", "version", "author", "argument-hint", "when_to_use"];

fn check(subject: &Subject<'_>, found: &mut Found) {
    let Some(page) = &subject.page else { return };
    let Some(frontmatter) = sound(page) else { return };
    let metadata = frontmatter.root.get("metadata").and_then(Node::entries).unwrap_or_default();
    for (key, value) in frontmatter.root.entries().unwrap_or_default() {
        // What the reader tells of these two already.
        let told = matches!(key.text(), Some("name" | "description"))
            && !value.text().is_some_and(|text| matches!(yaml::core_type(text), Typed::Text(_)));
        if key.text().is_some_and(|key| TEXTS.contains(&key)) && !told {
            look(page, key, value, found);
        }
    }
    for (key, value) in metadata {
        if tells(key, value) {
            look(page, key, value, found);
        }
    }
}

/// Whether an entry of `metadata` is one that this rule is about.
pub(super) fn tells(key: &Node, value: &Node) -> bool {
    let Some((text, sort)) = misread(value) else { return false };
    !text.is_empty() && (sort == "a date" || key.text().is_some_and(|key| TEXTS.contains(&key)))
}

/// The text of a plain scalar, and what else it may be.
fn misread<'n>(value: &'n Node) -> Option<(&'n str, &'static str)> {
    match &value.kind {
        Kind::Scalar(text, Style::Plain) if value.tag.is_none() && !text.is_empty() => Some((text, ambiguous(text)?)),
        _ => None,
    }
}

fn look(page: &Page, key: &Node, value: &Node, found: &mut Found) {
    let Some((text, sort)) = misread(value) else { return };
    let key = key.text().unwrap_or_default().escape_debug();
    let finding = RULE
        .finding(format!("`{key}` is {sort} to some readers and a text to others"))
        .at(value.span.clone(), page.source)
        .help(format!("put it in quotes: `{}`", yaml::quote(text)))
        .fix(Fix::edit(Applicability::Safe, "quote the value", value.span.clone(), yaml::quote(text)));
    found.add(page.path, finding);
}
