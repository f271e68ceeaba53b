//! Unknown, misspelled and ineffective fields.

use super::known_fields::{FieldStatus, classify_field};
use super::yaml_edit::{
    after_colon, ambiguous_type, column, entry_lines, indent_step, to_scalar, well_formed,
};
use crate::{
    ExampleFile, FindingList, FixAvailability, LintSubject, MarkdownPage, Rule, RuleCheck,
    RuleDocs, RuleExample,
};
use skillpm_core::report::{DiagnosticFix, DiagnosticLevel, FixApplicability, FixChange};
use skillpm_core::skill::yaml::{YamlLayout, YamlNode, YamlNodeKind, YamlStyle};
use skillpm_core::skill::{SkillFrontmatter, line_ending};

/// A skill in the directory `pdf` with these fields.
macro_rules! page {
    ($fields:expr) => {
        RuleExample::page(&[(
            "pdf/SKILL.md",
            ExampleFile::Text(concat!(
                "---\nname: pdf\ndescription: Fill PDF forms.\n",
                $fields,
                "---\n\n# PDF forms\n"
            )),
        )])
    };
}

pub(super) static UNKNOWN: Rule = Rule {
    code: "SK130",
    name: "unknown-field",
    // A note: 7 % of well-kept skills have one.
    level: Some(DiagnosticLevel::Note),
    fix: FixAvailability::Never,
    summary: "a field is in no specification, and no known agent reads it",
    docs: RuleDocs {
        finds: "A top-level field that the specification does not define, that no agent known to skillpm reads, and \
            that is not similar to another field.",
        hurts: "Agents ignore it. The official validator rejects the whole file because of it.",
        ignore: "A program of your own reads the field; consider moving it under `metadata`.",
        bad: &[page!("colour: green\n")],
        good: &[page!("model: opus\nmetadata:\n  colour: green\n")],
    },
    check: RuleCheck::Skill(check),
};

pub(super) static MISSPELLED: Rule = Rule {
    code: "SK131",
    name: "misspelled-field",
    // A warning: the author expects an effect that no agent has.
    level: Some(DiagnosticLevel::Warning),
    fix: FixAvailability::Safely,
    summary: "a field is misspelled",
    docs: RuleDocs {
        finds: "`allowed_tools`, `allowedTools`, `user-invokable`, `descripton`, `Licence` and similar: a field that \
            differs from one of the specification or of an agent in case, hyphens and underscores, or in one or two \
            letters.",
        hurts: "No agent reads it. What it should allow or forbid is neither allowed nor forbidden, without an error.",
        ignore: "The spelling is intended, for a program of your own; consider moving the field under `metadata`. \
            `--fix` writes the right name, but `allowed-tools`, which grants permissions, only with `--unsafe-fixes`.",
        bad: &[
            page!("allowed_tools: Read Grep\n"),
            page!("user-invokable: false\n"),
            page!("Licence: MIT\n"),
        ],
        good: &[
            page!(
                "allowed-tools: Read Grep\nuser-invocable: false\nlicense: MIT\nwhen_to_use: On forms.\n"
            ),
            page!("disallowedTools: WebFetch\n"),
        ],
    },
    check: RuleCheck::SharedWith("unknown-field"),
};

pub(super) static INERT: Rule = Rule {
    code: "SK132",
    name: "inert-field",
    level: Some(DiagnosticLevel::Note),
    // Unsafe: no agent reads `tools`, and as `allowed-tools` the list grants permissions.
    fix: FixAvailability::Unsafely,
    summary: "a field looks effective, but no agent reads it",
    docs: RuleDocs {
        finds: "`tools`, `triggers`, `globs`, `permissions`, `dependencies` and others that suggest an effect.",
        hurts: "The author expects tools to be allowed or the skill to be chosen for a word; neither happens, since \
            no agent reads the field.",
        ignore: "A program of your own reads the field.",
        bad: &[
            page!("tools: Read, Grep\n"),
            page!("triggers:\n  - pdf\n  - form\n"),
        ],
        good: &[page!("allowed-tools: Read Grep\n")],
    },
    check: RuleCheck::SharedWith("unknown-field"),
};

pub(super) static PUBLISHED: Rule = Rule {
    code: "SK133",
    name: "publish-field-at-top-level",
    level: Some(DiagnosticLevel::Note),
    fix: FixAvailability::Unsafely,
    summary: "`version`, `author`, `tags` and similar fields belong under `metadata`",
    docs: RuleDocs {
        finds: "Top-level fields with the author, the date or keywords of the skill: `version`, `author`, `tags`, \
            `homepage`, `source` and others.",
        hurts: "The specification has `metadata` for them, and a package has `skillpm.toml`. The official validator \
            rejects the file for each of them at the top level.",
        ignore: "The skill is for an agent that reads them there, as OpenClaw reads `homepage`.",
        bad: &[page!("version: 1.0.0\nauthor: Ann\n")],
        good: &[page!("metadata:\n  version: 1.0.0\n  author: Ann\n")],
    },
    check: RuleCheck::SharedWith("unknown-field"),
};

fn check(subject: &LintSubject<'_>, found: &mut FindingList) {
    let Some(page) = &subject.page else { return };
    let Some(frontmatter) = &page.frontmatter else {
        return;
    };
    // Reported together, because one edit moves all of them.
    let mut published = Vec::new();
    for entry in frontmatter.root.entries().unwrap_or_default() {
        let Some(field) = entry.0.text() else {
            continue;
        };
        match classify_field(field) {
            FieldStatus::ReadByAgents => {}
            FieldStatus::Published => published.push(entry),
            FieldStatus::Misspelled(meant) => {
                report_misspelled(page, frontmatter, entry, meant, found);
            }
            FieldStatus::Inert(instead) => report_inert(page, frontmatter, entry, instead, found),
            FieldStatus::Unknown => report_unknown(page, &entry.0, found),
        }
    }

    if !published.is_empty() {
        report_published(page, frontmatter, &published, found);
    }
}

type FieldEntry<'a> = (YamlNode<'a>, YamlNode<'a>);

/// The key of a field for a message.
fn display_key(key: &YamlNode) -> String {
    let text = key.text().unwrap_or_default();
    // A key comes from the file, and may be as long as the file.
    let short: String = text.chars().take(40).collect();
    short.escape_debug().to_string()
}

fn report_unknown(page: &MarkdownPage, key: &YamlNode, found: &mut FindingList) {
    let finding = UNKNOWN
        .finding(format!(
            "unknown field `{}`: no agent known to skillpm reads it",
            display_key(key)
        ))
        .at_bytes(key.span.clone())
        .note("the reference validator rejects fields that the specification does not define")
        .help("fields for your own programs belong under `metadata`");
    found.add(page.path, finding);
}

fn report_misspelled(
    page: &MarkdownPage,
    frontmatter: &SkillFrontmatter,
    (key, _): &FieldEntry,
    meant: &str,
    found: &mut FindingList,
) {
    let finding = MISSPELLED
        .finding(format!(
            "no agent reads `{}`; did you mean `{meant}`?",
            display_key(key)
        ))
        .at_bytes(key.span.clone());

    let mut finding = match frontmatter.root.entry(meant) {
        Some((other, _)) => finding
            .label(other.span.clone(), format!("`{meant}` is here"))
            .help("remove one of the two"),
        None => finding.help(format!("write `{meant}`")),
    };
    // With both fields in the file only the author knows which value is meant.
    if frontmatter.root.get(meant).is_none() {
        // Unsafe: no agent reads the field, and as `allowed-tools` it grants permissions.
        let applicability = if meant == "allowed-tools" {
            FixApplicability::Unsafe
        } else {
            FixApplicability::Safe
        };
        finding.fix = rename_fix(page, key, meant, applicability);
    }

    found.add(page.path, finding);
}

/// The fix that renames a key and keeps its quotes.
fn rename_fix(
    page: &MarkdownPage,
    key: &YamlNode,
    to: &str,
    applicability: FixApplicability,
) -> Option<DiagnosticFix> {
    well_formed(page)?;
    let written = &page.source[key.span.clone()];
    let quote = written
        .chars()
        .next()
        .filter(|c| matches!(c, '"' | '\''))
        .map_or(String::new(), String::from);

    Some(DiagnosticFix::edit(
        applicability,
        format!("write `{to}`"),
        key.span.clone(),
        format!("{quote}{to}{quote}"),
    ))
}

fn report_inert(
    page: &MarkdownPage,
    frontmatter: &SkillFrontmatter,
    (key, value): &FieldEntry,
    instead: &str,
    found: &mut FindingList,
) {
    let mut finding = INERT
        .finding(format!(
            "`{}` has no effect: no agent known to skillpm reads it",
            display_key(key)
        ))
        .at_bytes(key.span.clone())
        .help(instead);

    // A mapping such as `tools: {bash: true}` says more than names.
    let names = value.text().is_some()
        || value
            .items()
            .is_some_and(|items| items.iter().all(|i| i.text().is_some()));
    // Only a list of names can be kept unchanged.
    if key.text() == Some("tools") && names && frontmatter.root.get("allowed-tools").is_none() {
        finding.fix = rename_fix(page, key, "allowed-tools", FixApplicability::Unsafe);
    }

    found.add(page.path, finding);
}

fn report_published(
    page: &MarkdownPage,
    frontmatter: &SkillFrontmatter,
    entries: &[&FieldEntry],
    found: &mut FindingList,
) {
    let (first, _) = entries[0];
    let what = match entries.len() {
        1 => format!("`{}` is", display_key(first)),
        2 => format!(
            "`{}` and `{}` are",
            display_key(first),
            display_key(&entries[1].0)
        ),
        more => format!("`{}` and {} more fields are", display_key(first), more - 1),
    };

    let finding = PUBLISHED
        .finding(format!("{what} at the top level"))
        .at_bytes(first.span.clone())
        .note("the reference validator rejects fields that the specification does not define")
        .help("move it under `metadata`, as a string, or to `skillpm.toml`");

    let more = entries[1..].iter().take(8);
    let mut finding = more.fold(finding, |finding, (key, _)| {
        finding.label(key.span.clone(), "also this one")
    });

    finding.fix = move_fix(page, frontmatter, entries);
    found.add(page.path, finding);
}

/// Moves fields under `metadata`, each as a string; except `homepage`, which OpenClaw reads at the top level.
fn move_fix(
    page: &MarkdownPage,
    frontmatter: &SkillFrontmatter,
    entries: &[&FieldEntry],
) -> Option<DiagnosticFix> {
    well_formed(page)?;
    let (source, root) = (page.source, &frontmatter.root);
    let metadata = root.get("metadata");

    // A field that `metadata` has already is left to the author.
    let is_movable = |(key, _): &FieldEntry| {
        key.text().is_some_and(|key| {
            key != "homepage" && metadata.is_none_or(|metadata| metadata.get(key).is_none())
        })
    };
    let moving: Vec<&FieldEntry> = entries
        .iter()
        .copied()
        .filter(|entry| is_movable(entry))
        .collect();
    let target = MoveTarget::find(source, root, moving.first()?)?;

    let mut lines = target.header;
    let mut changes = Vec::new();
    for (key, value) in moving {
        changes.push(FixChange::Edit {
            span: entry_lines(source, key, value)?,
            content: String::new(),
        });
        lines += &moved_line(source, key, value, target.indent)?;
    }
    insert_lines(&mut changes, target.at, lines);

    let fix = DiagnosticFix {
        applicability: FixApplicability::Unsafe,
        message: "move it under `metadata`".into(),
        changes,
    };
    verify_move(page, frontmatter, fix)
}

/// Where fields are moved to.
struct MoveTarget {
    /// Where their lines are inserted.
    at: usize,
    /// The indentation of their lines.
    indent: usize,
    /// The line `metadata:`, if there is none yet.
    header: String,
}

impl MoveTarget {
    /// Finds the end of `metadata`; without one, it is created in the place of the first moved field.
    fn find(source: &str, root: &YamlNode, (key, value): &FieldEntry) -> Option<Self> {
        if let Some(metadata) = root.get("metadata") {
            return Some(MoveTarget {
                at: end_of_line(source, metadata.span.end)?,
                indent: column(source, first_key(metadata)?.span.start),
                header: String::new(),
            });
        }

        let margin = column(source, root.span.start);
        Some(MoveTarget {
            at: entry_lines(source, key, value)?.start,
            indent: margin + indent_step(source, root),
            header: format!("{}metadata:{}", " ".repeat(margin), line_ending(source)),
        })
    }
}

/// The line of a field under `metadata`; `None` if its value cannot be written on one line.
fn moved_line(source: &str, key: &YamlNode, value: &YamlNode, indent: usize) -> Option<String> {
    // A comment between key and value would be lost.
    after_colon(source, key, value).filter(|(_, blank)| *blank)?;
    Some(format!(
        "{}{}: {}{}",
        " ".repeat(indent),
        &source[key.span.clone()],
        one_line_text(source, value)?,
        line_ending(source)
    ))
}

/// Adds the insertion of lines to removals, in the order of the file.
fn insert_lines(changes: &mut Vec<FixChange>, at: usize, lines: String) {
    // An insertion at the start of a removal must be one change with it.
    match changes
        .iter_mut()
        .find(|change| matches!(change, FixChange::Edit { span, .. } if span.start == at))
    {
        Some(FixChange::Edit { content, .. }) => *content = lines,
        _ => changes.push(FixChange::Edit {
            span: at..at,
            content: lines,
        }),
    }

    changes.sort_by_key(|change| match change {
        FixChange::Edit { span, .. } => span.start,
        _ => 0,
    });
}

/// Returns the fix if all other fields keep their values and no field is lost.
fn verify_move(
    page: &MarkdownPage,
    frontmatter: &SkillFrontmatter,
    fix: DiagnosticFix,
) -> Option<DiagnosticFix> {
    let fixed = fix.apply(page.source);
    let after =
        // A fix that makes the YAML invalid is worse than the finding.
        SkillFrontmatter::open(&fixed, &mut Vec::new()).filter(|after| after.repairs.is_empty())?;

    let (before, after) = (frontmatter.root.to_json(), after.root.to_json());
    // Every field that was there must be there again, with its value or, if it was moved, as a
    // string.
    let kept = before
        .as_object()?
        .iter()
        .all(|(key, value)| match after.get(key) {
            // `metadata` gains fields and must lose none.
            Some(new) if key == "metadata" => value.as_object().is_none_or(|entries| {
                entries
                    .iter()
                    .all(|(key, value)| new.get(key) == Some(value))
            }),
            Some(new) => new == value,
            None => after["metadata"]
                .get(key)
                .is_some_and(serde_json::Value::is_string),
        });

    kept.then_some(fix)
}

/// The first key of a mapping in block style.
fn first_key<'n, 'a>(node: &'n YamlNode<'a>) -> Option<&'n YamlNode<'a>> {
    match &node.kind {
        YamlNodeKind::Mapping(entries, YamlLayout::Block) => entries.first().map(|(key, _)| key),
        _ => None,
    }
}

/// The start of the next line; `None` if there is none.
fn end_of_line(source: &str, at: usize) -> Option<usize> {
    source[at..].find('\n').map(|end| at + end + 1)
}

/// Converts a value to a one-line string: a list with commas.
fn one_line_text(source: &str, value: &YamlNode) -> Option<String> {
    match &value.kind {
        YamlNodeKind::Scalar(text, YamlStyle::Plain)
            if value.tag.is_none() && ambiguous_type(text).is_none() =>
        {
            Some(to_scalar(text))
        }
        YamlNodeKind::Scalar(text, _) if value.tag.is_none() => {
            let written = &source[value.span.clone()];
            let quoted = written.starts_with(['"', '\'']) && !written.contains('\n');
            Some(if quoted {
                written.to_owned()
            } else {
                skillpm_core::skill::yaml::quote(text.trim_end())
            })
        }
        // Tags become `a, b`: the specification allows only strings under `metadata`.
        YamlNodeKind::Sequence(items, _) if !items.is_empty() => {
            let texts: Option<Vec<&str>> = items
                .iter()
                // An item with a comma would be two items in the joined text.
                .map(|item| item.text().filter(|text| !text.contains([',', '\n'])))
                .collect();
            Some(to_scalar(&texts?.join(", ")))
        }
        _ => None,
    }
}
