//! Fields that no agent reads, and those that one would under another name.

use super::known::{Known, known};
use super::written::{after_colon, ambiguous, column, lines_of, scalar, sound, step};
use crate::lint::{Check, Docs, Example, Fixes, Found, Page, Piece, Rule, Subject};
use crate::report::{Applicability, Change, Fix, Level};
use crate::skill::yaml::{Kind, Layout, Node, Style};
use crate::skill::{Frontmatter, line_end};

/// A skill in the directory `pdf` with these fields.
macro_rules! page {
    ($fields:expr) => {
        Example::page(&[(
            "pdf/SKILL.md",
            Piece::Text(concat!("---\nname: pdf\ndescription: Fill PDF forms.\n", $fields, "---\n\n# PDF forms\n")),
        )])
    };
}

pub(super) static UNKNOWN: Rule = Rule {
    code: "SK130",
    name: "unknown-field",
    level: Some(Level::Note),
    fix: Fixes::Never,
    summary: "a field is in no specification, and no known agent reads it",
    docs: Docs {
        finds: "A field of the top level that the specification does not have, that no agent known to skillpm reads, and \
                that is not like any other.",
        hurts: "Agents pass it over. The official validator refuses the whole file for it.",
        ignore: "A field that a program of your own reads; below `metadata` it would disturb nobody.",
        bad: &[page!("colour: green\n")],
        good: &[page!("model: opus\nmetadata:\n  colour: green\n")],
    },
    check: Check::Skill(check),
};

pub(super) static MISSPELLED: Rule = Rule {
    code: "SK131",
    name: "misspelled-field",
    level: Some(Level::Warning),
    fix: Fixes::Safely,
    summary: "a field is written almost as one that agents read",
    docs: Docs {
        finds: "`allowed_tools`, `allowedTools`, `user-invokable`, `descripton`, `Licence` and the like: a field that \
                differs from one of the specification or of an agent in case, hyphens and underscores, or in one or two \
                letters.",
        hurts: "No agent reads it. What it was to allow or forbid is neither allowed nor forbidden, without a word.",
        ignore: "A field that is meant to be called so, for a program of your own; below `metadata` it is not mistaken.",
        bad: &[page!("allowed_tools: Read Grep\n"), page!("user-invokable: false\n"), page!("Licence: MIT\n")],
        good: &[page!("allowed-tools: Read Grep\nuser-invocable: false\nlicense: MIT\nwhen_to_use: On forms.\n")],
    },
    check: Check::With("unknown-field"),
};

pub(super) static INERT: Rule = Rule {
    code: "SK132",
    name: "inert-field",
    level: Some(Level::Note),
    fix: Fixes::Unsafely,
    summary: "a field looks as if agents obeyed it, and none does",
    docs: Docs {
        finds: "`tools`, `triggers`, `globs`, `permissions`, `dependencies` and others that promise an effect.",
        hurts: "The author counts on tools being allowed or the skill being chosen for a word; neither happens, since no \
                agent reads the field.",
        ignore: "A field that a program of your own obeys.",
        bad: &[page!("tools: Read, Grep\n"), page!("triggers:\n  - pdf\n  - form\n")],
        good: &[page!("allowed-tools: Read Grep\n")],
    },
    check: Check::With("unknown-field"),
};

pub(super) static PUBLISHED: Rule = Rule {
    code: "SK133",
    name: "publish-field-at-top-level",
    level: Some(Level::Note),
    fix: Fixes::Unsafely,
    summary: "`version`, `author`, `tags` and the like belong below `metadata`",
    docs: Docs {
        finds: "Fields of the top level that say who made the skill, when, and how it is to be found: `version`, `author`, \
                `tags`, `homepage`, `source` and others.",
        hurts: "The specification has a place for them, `metadata`, and a package has `skillpm.toml`. At the top level the \
                official validator refuses the file for each.",
        ignore: "A skill for an agent that reads them there, as OpenClaw does `homepage`.",
        bad: &[page!("version: 1.0.0\nauthor: Ann\n")],
        good: &[page!("metadata:\n  version: 1.0.0\n  author: Ann\n")],
    },
    check: Check::With("unknown-field"),
};

fn check(subject: &Subject<'_>, found: &mut Found) {
    let Some(page) = &subject.page else { return };
    let Some(frontmatter) = &page.frontmatter else { return };
    let mut published = Vec::new();
    for entry in frontmatter.root.entries().unwrap_or_default() {
        let Some(field) = entry.0.text() else { continue };
        match known(field) {
            Known::Read => {}
            Known::Published => published.push(entry),
            Known::Misspelled(meant) => misspelled(page, frontmatter, entry, meant, found),
            Known::Inert(instead) => inert(page, frontmatter, entry, instead, found),
            Known::Nobody => unknown(page, &entry.0, found),
        }
    }
    if !published.is_empty() {
        tell_published(page, frontmatter, &published, found);
    }
}

type Entry<'a> = (Node<'a>, Node<'a>);

/// A field as messages show it.
fn shown(key: &Node) -> String {
    let text = key.text().unwrap_or_default();
    let short: String = text.chars().take(40).collect();
    short.escape_debug().to_string()
}

fn unknown(page: &Page, key: &Node, found: &mut Found) {
    let finding = UNKNOWN
        .finding(format!("no agent known to skillpm reads `{}`", shown(key)))
        .at(key.span.clone(), page.source)
        .note("the reference validator refuses fields that the specification does not have")
        .help("what only programs of your own read belongs below `metadata`");
    found.add(page.path, finding);
}

fn misspelled(page: &Page, frontmatter: &Frontmatter, (key, _): &Entry, meant: &str, found: &mut Found) {
    let finding = MISSPELLED
        .finding(format!("no agent reads `{}`; `{meant}` is what they read", shown(key)))
        .at(key.span.clone(), page.source);
    let mut finding = match frontmatter.root.entry(meant) {
        Some((other, _)) => {
            finding.label(other.span.clone(), format!("`{meant}` is here")).help("remove one of the two")
        }
        None => finding.help(format!("write `{meant}`")),
    };
    if frontmatter.root.get(meant).is_none() {
        finding.fix = renamed(page, key, meant, Applicability::Safe);
    }
    found.add(page.path, finding);
}

/// The edit that gives a key another name, in the quotes it has.
fn renamed(page: &Page, key: &Node, to: &str, applicability: Applicability) -> Option<Fix> {
    sound(page)?;
    let written = &page.source[key.span.clone()];
    let quote = written.chars().next().filter(|c| matches!(c, '"' | '\'')).map_or(String::new(), String::from);
    Some(Fix::edit(applicability, format!("write `{to}`"), key.span.clone(), format!("{quote}{to}{quote}")))
}

fn inert(page: &Page, frontmatter: &Frontmatter, (key, value): &Entry, instead: &str, found: &mut Found) {
    let mut finding = INERT
        .finding(format!("`{}` has no effect: no agent known to skillpm reads it", shown(key)))
        .at(key.span.clone(), page.source)
        .help(instead);
    let names = value.text().is_some() || value.items().is_some_and(|items| items.iter().all(|i| i.text().is_some()));
    if key.text() == Some("tools") && names && frontmatter.root.get("allowed-tools").is_none() {
        finding.fix = renamed(page, key, "allowed-tools", Applicability::Unsafe);
    }
    found.add(page.path, finding);
}

fn tell_published(page: &Page, frontmatter: &Frontmatter, entries: &[&Entry], found: &mut Found) {
    let (first, _) = entries[0];
    let what = match entries.len() {
        1 => format!("`{}` stands", shown(first)),
        2 => format!("`{}` and `{}` stand", shown(first), shown(&entries[1].0)),
        more => format!("`{}` and {} more fields stand", shown(first), more - 1),
    };
    let finding = PUBLISHED
        .finding(format!("{what} at the top level"))
        .at(first.span.clone(), page.source)
        .note("the reference validator refuses fields that the specification does not have")
        .help("write it below `metadata`, as a text, or into `skillpm.toml`");
    let more = entries[1..].iter().take(8);
    let mut finding = more.fold(finding, |finding, (key, _)| finding.label(key.span.clone(), "this one too"));
    finding.fix = moved(page, frontmatter, entries);
    found.add(page.path, finding);
}

/// Moves fields below `metadata`, each as a text. OpenClaw reads `homepage` where it is.
fn moved(page: &Page, frontmatter: &Frontmatter, entries: &[&Entry]) -> Option<Fix> {
    sound(page)?;
    let (source, root) = (page.source, &frontmatter.root);
    let metadata = root.entry("metadata");
    let has = |key: &str| metadata.is_some_and(|(_, value)| value.get(key).is_some());
    let wanted = |entry: &&&Entry| entry.0.text().is_some_and(|key| key != "homepage" && !has(key));
    let moving: Vec<&&Entry> = entries.iter().filter(wanted).collect();
    let (indent, at) = match metadata {
        Some((_, value)) => (column(source, first_key(value)?.span.start), end_of_line(source, value.span.end)?),
        None => (
            column(source, root.span.start) + step(source, root),
            lines_of(source, &moving.first()?.0, &moving.first()?.1)?.start,
        ),
    };
    let eol = line_end(source);
    let mut lines = match metadata {
        Some(_) => String::new(),
        None => format!("{}metadata:{eol}", " ".repeat(column(source, root.span.start))),
    };
    let mut changes = Vec::new();
    for (key, value) in moving {
        let gone = lines_of(source, key, value)?;
        after_colon(source, key, value).filter(|(_, blank)| *blank)?;
        lines += &format!("{}{}: {}{eol}", " ".repeat(indent), &source[key.span.clone()], text_of(source, value)?);
        changes.push(Change::Edit { span: gone, content: String::new() });
    }
    if changes.is_empty() {
        return None;
    }
    match changes.iter_mut().find(|change| matches!(change, Change::Edit { span, .. } if span.start == at)) {
        Some(Change::Edit { content, .. }) => *content = lines,
        _ => changes.push(Change::Edit { span: at..at, content: lines }),
    }
    changes.sort_by_key(|change| if let Change::Edit { span, .. } = change { span.start } else { 0 });
    let fix = Fix { applicability: Applicability::Unsafe, message: "move it below `metadata`".into(), changes };
    reads_as_moved(page, frontmatter, fix)
}

/// The fix, if after it all other fields have their values and no field is lost.
fn reads_as_moved(page: &Page, frontmatter: &Frontmatter, fix: Fix) -> Option<Fix> {
    let fixed = fix.apply(page.source);
    let after = Frontmatter::open(&fixed, &mut Vec::new()).filter(|after| after.mends.is_empty())?;
    let (before, after) = (frontmatter.root.to_json(), after.root.to_json());
    let kept = before.as_object()?.iter().all(|(key, value)| match after.get(key) {
        Some(new) if key == "metadata" => {
            value.as_object().is_none_or(|entries| entries.iter().all(|(key, value)| new.get(key) == Some(value)))
        }
        Some(new) => new == value,
        None => after["metadata"].get(key).is_some_and(serde_json::Value::is_string),
    });
    kept.then_some(fix)
}

/// The first key of a mapping in block style.
fn first_key<'n, 'a>(node: &'n Node<'a>) -> Option<&'n Node<'a>> {
    match &node.kind {
        Kind::Mapping(entries, Layout::Block) => entries.first().map(|(key, _)| key),
        _ => None,
    }
}

/// After the end of the line that `at` is on; `None` if it has none.
fn end_of_line(source: &str, at: usize) -> Option<usize> {
    source[at..].find('\n').map(|end| at + end + 1)
}

/// A value as the text of one line: a list with commas.
fn text_of(source: &str, value: &Node) -> Option<String> {
    match &value.kind {
        Kind::Scalar(text, Style::Plain) if value.tag.is_none() && ambiguous(text).is_none() => Some(scalar(text)),
        Kind::Scalar(text, _) if value.tag.is_none() => {
            let written = &source[value.span.clone()];
            let quoted = written.starts_with(['"', '\'']) && !written.contains('\n');
            Some(if quoted { written.to_owned() } else { crate::skill::yaml::quote(text.trim_end()) })
        }
        Kind::Sequence(items, _) if !items.is_empty() => {
            let texts: Option<Vec<&str>> =
                items.iter().map(|item| item.text().filter(|text| !text.contains([',', '\n']))).collect();
            Some(scalar(&texts?.join(", ")))
        }
        _ => None,
    }
}
