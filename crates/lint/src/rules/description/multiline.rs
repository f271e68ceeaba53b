//! Line breaks in descriptions, real ones and literal `\n`.

use std::ops::Range;

use super::DescriptionText;
use crate::{FindingList, FixAvailability, LintSubject, MarkdownPage, Rule, RuleCheck, RuleDocs};
use skillpm_core::report::{DiagnosticFix, DiagnosticLevel, FixApplicability, FixChange, Span};
use skillpm_core::skill::yaml::{YamlNodeKind, YamlStyle};

pub(super) static MULTILINE: Rule = Rule {
    code: "SK312",
    name: "description-multiline",
    level: Some(DiagnosticLevel::Note),
    fix: FixAvailability::Safely,
    summary: "the `description` contains line breaks",
    docs: RuleDocs {
        finds: "A description of several lines or paragraphs after YAML parsing: a literal block (`|`), an empty line \
            in a folded block, `\\n` in double quotes. A line break that YAML folds into a space is allowed.",
        hurts: "Agents list a skill on one line. Codex, Claude Code and OpenClaw fold the text themselves; others \
            insert it into their prompt unchanged, where a second line looks like another entry.",
        ignore: "The list in the description is for people who read the file. `--fix` folds plain lines; lists only \
            with `--unsafe-fixes`.",
        bad: &[
            page!(
                "pdf",
                "---\nname: pdf\ndescription: |\n  Fill PDF forms.\n  Use when a form is to be filled in.\n---\n# PDF\n"
            ),
            page!(
                "pdf",
                "---\nname: pdf\ndescription: \"Fill PDF forms.\\nUse when a form is to be filled in.\"\n---\n# PDF\n"
            ),
            page!(
                "pdf",
                "---\nname: pdf\ndescription: >\n  Fill PDF forms.\n\n  Use when a form is to be filled in.\n---\n# PDF\n"
            ),
        ],
        good: &[
            page!(
                "pdf",
                "---\nname: pdf\ndescription: >-\n  Fill PDF forms.\n  Use when a form is to be filled in.\n---\n# PDF\n"
            ),
            page!(
                "pdf",
                "---\nname: pdf\ndescription: |\n  Fill PDF forms. Use when a form is to be filled in.\n---\n# PDF\n"
            ),
        ],
    },
    check: RuleCheck::Skill(check),
};

pub(super) static ESCAPED: Rule = Rule {
    code: "SK314",
    name: "description-escaped-newline",
    level: Some(DiagnosticLevel::Warning),
    fix: FixAvailability::Safely,
    summary: "the `description` contains a literal `\\n`",
    docs: RuleDocs {
        finds: "A backslash and an `n` in the text itself, since YAML reads escapes in double quotes only. Paths such \
            as `C:\\notes` are recognized by the next characters.",
        hurts: "A generator wrote a JSON string without quotes. The agent reads `forms.\\nUse when`, with the escape \
            as part of the word.",
        ignore: "The description is about the escape itself.",
        bad: &[page!(
            "pdf",
            "---\nname: pdf\ndescription: Fill PDF forms.\\nUse when a form is to be filled in.\n---\n# PDF\n"
        )],
        good: &[page!(
            "pdf",
            "---\nname: pdf\ndescription: Fill PDF forms of C:\\new and dir\\notes. Use when one is to be filled in.\n---\n# PDF\n"
        )],
    },
    check: RuleCheck::SharedWith("description-multiline"),
};

fn check(subject: &LintSubject<'_>, found: &mut FindingList) {
    let Some(page) = &subject.page else { return };
    let Some(description) = DescriptionText::from_page(page) else {
        return;
    };
    // Trimmed: the line end that a block scalar keeps at its end is no second line.
    if memchr::memchr(b'\n', description.text.as_bytes()).is_some() {
        check_multiline(page, &description, found);
    }
    if memchr::memmem::find(description.text.as_bytes(), b"\\n").is_some() {
        check_escaped(page, &description, found);
    }
}

fn check_multiline(
    page: &MarkdownPage<'_>,
    description: &DescriptionText<'_>,
    found: &mut FindingList,
) {
    let lines = description
        .text
        .lines()
        .filter(|line| !line.trim().is_empty())
        .count();

    let finding = MULTILINE.finding(format!(
        "the description has {lines} lines; agents list a skill on one line"
    ));
    let mut finding = finding.at_bytes(description.node.span.clone());
    finding.fix = fold_fix(description);

    found.add(
        page.path,
        finding
            .note("Gemini CLI and OpenCode list it with its line breaks")
            .help("fold it with `>-`"),
    );
}

/// The fix that folds the description into one line, as YAML reads it.
fn fold_fix(description: &DescriptionText<'_>) -> Option<DiagnosticFix> {
    let YamlNodeKind::Scalar(_, style) = &description.node.kind else {
        return None;
    };
    let changes = match style {
        YamlStyle::Literal | YamlStyle::Folded => fold_block(description)?,
        YamlStyle::DoubleQuoted => replace_line_breaks(description),
        // In these two only an empty line is a line break; any other is folded by YAML.
        YamlStyle::Plain | YamlStyle::SingleQuoted => {
            remove_empty_lines(description.source, description.node.span.clone())
        }
    };

    // On one line the items of a list run together, so the fix is unsafe.
    let is_list = |line: &str| {
        let line = line.trim_start();
        line.starts_with(['-', '*', '+', '•', '|', '#'])
            || line.starts_with(|c: char| c.is_ascii_digit())
    };
    let listed = description.text.lines().skip(1).any(is_list);
    let applicability = if listed {
        FixApplicability::Unsafe
    } else {
        FixApplicability::Safe
    };

    (!changes.is_empty()).then(|| DiagnosticFix {
        applicability,
        message: "fold it into one line".to_owned(),
        changes,
    })
}

/// Folds a block scalar: `>-` as header, no empty lines, and the same indentation for all others.
fn fold_block(description: &DescriptionText<'_>) -> Option<Vec<FixChange>> {
    let span = description.node.span.clone();
    let block = &description.source[span.clone()];
    // `|2` declares the indentation, which edits to the lines would break.
    let header = block.find(|c: char| c.is_whitespace() || c == '#')?;
    if !matches!(&block[..header], "|" | "|-" | "|+" | ">" | ">-" | ">+") {
        return None;
    }

    let body = block.find('\n')? + 1;
    let indent = |line: &str| line.len() - line.trim_start_matches(' ').len();
    // The first line sets the indentation that all others must have.
    let common = block[body..]
        .lines()
        .find(|line| !line.trim().is_empty())
        .map(indent)?;

    let mut changes = Vec::new();
    if &block[..header] != ">-" {
        changes.push(edit(span.start..span.start + header, ">-"));
    }

    let mut at = span.start + body;
    for line in block[body..].split_inclusive('\n') {
        if line.trim().is_empty() {
            changes.push(edit(at..at + line.len(), ""));
        } else if indent(line) > common {
            // A deeper line keeps its line break when the block is folded.
            changes.push(edit(at + common..at + indent(line), ""));
        }
        at += line.len();
    }

    Some(changes)
}

/// Replaces each `\n` in double quotes by a space.
fn replace_line_breaks(description: &DescriptionText<'_>) -> Vec<FixChange> {
    let span = description.node.span.clone();
    let raw = &description.source[span.clone()];
    let mut changes = remove_empty_lines(description.source, span.clone());

    let mut at = 1;
    while at < raw.len() {
        match raw.as_bytes()[at..] {
            [b'\\', b'n', ..] => {
                let start = at;
                while raw[at..].starts_with("\\n") {
                    at += 2;
                }
                // An adjacent space is enough, and none is needed at the ends.
                let at_an_end = start == 1 || at + 1 == raw.len();
                let beside = at_an_end || raw[..start].ends_with(' ') || raw[at..].starts_with(' ');
                changes.push(edit(
                    span.start + start..span.start + at,
                    if beside { "" } else { " " },
                ));
            }
            // Another escape, such as `\\`, whose second character must not begin one.
            [b'\\', ..] => at += 2,
            _ => at += 1,
        }
    }

    // The changes of a fix are in the order of the file.
    changes.sort_by_key(|change| match change {
        FixChange::Edit { span, .. } => span.start,
        _ => 0,
    });
    changes
}

fn remove_empty_lines(source: &str, span: Span) -> Vec<FixChange> {
    let mut changes = Vec::new();
    let mut at = span.start;
    for (number, line) in source[span].split_inclusive('\n').enumerate() {
        if number > 0 && line.ends_with('\n') && line.trim().is_empty() {
            changes.push(edit(at..at + line.len(), ""));
        }
        at += line.len();
    }
    changes
}

fn edit(span: Span, content: &str) -> FixChange {
    FixChange::Edit {
        span,
        content: content.to_owned(),
    }
}

fn check_escaped(
    page: &MarkdownPage<'_>,
    description: &DescriptionText<'_>,
    found: &mut FindingList,
) {
    let text = description.text;
    let hits: Vec<Range<usize>> = memchr::memmem::find_iter(text.as_bytes(), b"\\n")
        .map(|at| at..at + 2)
        .filter(|hit| is_line_break(text, hit))
        .collect();
    let Some((first, others)) = hits.split_first() else {
        return;
    };

    let finding = ESCAPED.finding("`\\n` in the description is literal text, not a line break");
    let mut finding = finding.at_bytes(description.span_of(first.clone()));
    for other in others {
        finding = finding.label(description.span_of(other.clone()), "also here");
    }

    // All at once: a description with one of several replaced is no better than before.
    let fix = DiagnosticFix {
        applicability: FixApplicability::Safe,
        message: "replace it with a space".to_owned(),
        changes: hits
            .iter()
            .map(|hit| {
                edit(
                    description.span_of(hit.clone()),
                    escape_replacement(text, hit),
                )
            })
            .collect(),
    };
    found.add(
        page.path,
        finding
            .help("replace it with a space, or quote the text with `\"…\"`")
            .fix(fix),
    );
}

/// What a literal `\n` is replaced by: nothing next to a space, to another one or at the end.
fn escape_replacement(text: &str, hit: &Range<usize>) -> &'static str {
    let before = &text[..hit.start];
    let is_beside = before.ends_with(' ') || before.ends_with("\\n");
    let is_at_end = hit.end == text.len() || text[hit.end..].starts_with(' ');
    if is_beside || is_at_end { "" } else { " " }
}

/// Whether `\n` is an intended line break, not part of a path such as `dir\notes`.
fn is_line_break(text: &str, hit: &Range<usize>) -> bool {
    let before = text[..hit.start].chars().next_back();
    let after = text[hit.end..].chars().next();
    // After a sentence `\n` was a line break; within a path letters come before it.
    let ends = matches!(
        before,
        None | Some(' ' | '.' | '!' | '?' | ';' | ',' | ')' | '。' | '`' | '"')
    );
    let quoted = matches!(
        (before, after),
        (Some('`' | '"' | '\''), Some('`' | '"' | '\''))
    );

    !quoted && (ends || !after.is_some_and(|c| c.is_ascii_lowercase()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{FileContent, LintSettings, SkillDir, SkillFile};

    /// Applies the fixes to a frontmatter with this field; returns the rules found and the fixed field.
    fn fix_field(field: &str) -> (Vec<String>, String) {
        let mut source = format!("---\nname: pdf\n{field}\nlicense: MIT\n---\n# PDF\n");
        let mut rules = Vec::new();
        // One pass more than needed: a second fix must find nothing.
        for _ in 0..3 {
            let content = FileContent::Text(source.clone());
            let file = SkillFile {
                path: "SKILL.md".into(),
                content,
                executable: false,
            };
            let dir = SkillDir {
                directory: "pdf".into(),
                files: vec![file],
                ..SkillDir::default()
            };
            let findings = crate::check(&dir, &LintSettings::default()).findings;
            let ours = [MULTILINE.name, ESCAPED.name];
            let Some(found) = findings
                .into_iter()
                .find(|found| ours.contains(&found.diagnostic.rule.as_str()))
            else {
                break;
            };
            let fix = found.diagnostic.fix.unwrap();
            let mark = if fix.applicability == FixApplicability::Unsafe {
                "?"
            } else {
                ""
            };
            rules.push(found.diagnostic.rule + mark);
            for change in fix.changes.into_iter().rev() {
                let FixChange::Edit { span, content } = change else {
                    unreachable!()
                };
                source.replace_range(span, &content);
            }
        }
        let start = source.find("pdf").unwrap() + 3;
        let end = source.find("license").unwrap();
        (rules, source[start..end].trim().to_owned())
    }

    #[test]
    fn lines_are_folded_and_nothing_else_changes() {
        for (field, rules, expected) in [
            (
                "description: |\n  One.\n\n  Two é.\n    Three.\n",
                &["description-multiline"][..],
                "description: >-\n  One.\n  Two é.\n  Three.",
            ),
            (
                "description: |- # why\n  One.\n  Two.",
                &["description-multiline"],
                "description: >- # why\n  One.\n  Two.",
            ),
            (
                "description: >\n  One.\n\n  Two:\n  - a\n\n  - b",
                &["description-multiline?"],
                "description: >-\n  One.\n  Two:\n  - a\n  - b",
            ),
            (
                "description: |\n  - One.\n  - Two.",
                &["description-multiline?"],
                "description: >-\n  - One.\n  - Two.",
            ),
            (
                "description: \"One.\\n\\nTwo. \\n Three.\\n\"",
                &["description-multiline"],
                "description: \"One. Two.  Three.\"",
            ),
            (
                "description: \"One \\\"a\\\\nb\\\"\\nTwo.\"",
                &["description-multiline"],
                "description: \"One \\\"a\\\\nb\\\" Two.\"",
            ),
            (
                "description: One.\n\n  Two.",
                &["description-multiline"],
                "description: One.\n  Two.",
            ),
            (
                "description: 'One.\n\n  Two.'",
                &["description-multiline"],
                "description: 'One.\n  Two.'",
            ),
            (
                "description: One.\\nTwo.\\n\\nThree \\n four\\n",
                &["description-escaped-newline"],
                "description: One. Two. Three  four",
            ),
            (
                "description: One.\n  Two.",
                &[],
                "description: One.\n  Two.",
            ),
            (
                "description: In C:\\new, dir\\notes and `\\n`.",
                &[],
                "description: In C:\\new, dir\\notes and `\\n`.",
            ),
        ] {
            assert_eq!(
                fix_field(field),
                (
                    rules.iter().map(|r| (*r).to_owned()).collect(),
                    expected.to_owned()
                ),
                "{field:?}"
            );
            let crlf = fix_field(&field.replace('\n', "\r\n"));
            assert_eq!(
                crlf.1,
                expected.replace('\n', "\r\n"),
                "{field:?} with CRLF"
            );
        }
    }
}
