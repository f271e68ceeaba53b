//! Line breaks in descriptions, real ones and those that only look so.

use std::ops::Range;

use super::Description;
use crate::lint::{Check, Docs, Fixes, Found, Page, Rule, Subject};
use crate::report::{Applicability, Change, Fix, Level, Span};
use crate::skill::yaml::{Kind, Style};

pub(super) static MULTILINE: Rule = Rule {
    code: "SK312",
    name: "description-multiline",
    level: Some(Level::Note),
    fix: Fixes::Safely,
    summary: "the `description` has line breaks in it",
    docs: Docs {
        finds: "A description of several lines or paragraphs once YAML is read: a block after `|`, an empty line within a \
                folded block, `\\n` in double quotes. A line break that YAML folds into a blank is none.",
        hurts: "Listings have a line for a skill. Codex, Claude Code and OpenClaw fold the text themselves; others put it \
                into their prompt as it is, where a second line looks like another entry.",
        ignore: "A description whose list is meant for people who read the file. `--fix` folds plain lines; lists only \
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
    check: Check::Skill(check),
};

pub(super) static ESCAPED: Rule = Rule {
    code: "SK314",
    name: "description-escaped-newline",
    level: Some(Level::Warning),
    fix: Fixes::Safely,
    summary: "the `description` has a literal `\\n` in it",
    docs: Docs {
        finds: "A backslash and an `n` that stand in the text as they are, since YAML knows escapes in double quotes only. \
                Paths such as `C:\\notes` are told apart by what follows.",
        hurts: "A generator wrote JSON into a text without quotes. The agent reads `forms.\\nUse when`, and takes the \
                escape for a part of the word.",
        ignore: "A description that is about the escape itself.",
        bad: &[page!(
            "pdf",
            "---\nname: pdf\ndescription: Fill PDF forms.\\nUse when a form is to be filled in.\n---\n# PDF\n"
        )],
        good: &[page!(
            "pdf",
            "---\nname: pdf\ndescription: Fill PDF forms of C:\\new and dir\\notes. Use when one is to be filled in.\n---\n# PDF\n"
        )],
    },
    check: Check::With("description-multiline"),
};

fn check(subject: &Subject<'_>, found: &mut Found) {
    let Some(page) = &subject.page else { return };
    let Some(description) = Description::of(page) else { return };
    if memchr::memchr(b'\n', description.text.as_bytes()).is_some() {
        multiline(page, &description, found);
    }
    if memchr::memmem::find(description.text.as_bytes(), b"\\n").is_some() {
        escaped(page, &description, found);
    }
}

fn multiline(page: &Page<'_>, description: &Description<'_>, found: &mut Found) {
    let lines = description.text.lines().filter(|line| !line.trim().is_empty()).count();
    let finding = MULTILINE.finding(format!("the description has {lines} lines; listings have one for a skill"));
    let mut finding = finding.at(description.node.span.clone(), page.source);
    finding.fix = folding(description);
    found
        .add(page.path, finding.note("Gemini CLI and OpenCode list it with its line breaks").help("fold it with `>-`"));
}

/// The edits that make one line of it, as YAML reads it.
fn folding(description: &Description<'_>) -> Option<Fix> {
    let Kind::Scalar(_, style) = &description.node.kind else { return None };
    let changes = match style {
        Style::Literal | Style::Folded => folded_block(description)?,
        Style::DoubleQuoted => unescaped(description),
        Style::Plain | Style::SingleQuoted => without_empty_lines(description.source, description.node.span.clone()),
    };
    let is_list = |line: &str| {
        let line = line.trim_start();
        line.starts_with(['-', '*', '+', '•', '|', '#']) || line.starts_with(|c: char| c.is_ascii_digit())
    };
    let listed = description.text.lines().skip(1).any(is_list);
    let applicability = if listed { Applicability::Unsafe } else { Applicability::Safe };
    (!changes.is_empty()).then(|| Fix { applicability, message: "fold it into one line".to_owned(), changes })
}

/// `>-` for the header, no empty lines, and the same indentation for all others.
fn folded_block(description: &Description<'_>) -> Option<Vec<Change>> {
    let span = description.node.span.clone();
    let block = &description.source[span.clone()];
    let header = block.find(|c: char| c.is_whitespace() || c == '#')?;
    if !matches!(&block[..header], "|" | "|-" | "|+" | ">" | ">-" | ">+") {
        return None;
    }
    let body = block.find('\n')? + 1;
    let indent = |line: &str| line.len() - line.trim_start_matches(' ').len();
    let common = block[body..].lines().find(|line| !line.trim().is_empty()).map(indent)?;
    let mut changes = Vec::new();
    if &block[..header] != ">-" {
        changes.push(edit(span.start..span.start + header, ">-"));
    }
    let mut at = span.start + body;
    for line in block[body..].split_inclusive('\n') {
        if line.trim().is_empty() {
            changes.push(edit(at..at + line.len(), ""));
        } else if indent(line) > common {
            changes.push(edit(at + common..at + indent(line), ""));
        }
        at += line.len();
    }
    Some(changes)
}

/// A blank for each `\n` in double quotes.
fn unescaped(description: &Description<'_>) -> Vec<Change> {
    let span = description.node.span.clone();
    let raw = &description.source[span.clone()];
    let mut changes = without_empty_lines(description.source, span.clone());
    let mut at = 1;
    while at < raw.len() {
        match raw.as_bytes()[at..] {
            [b'\\', b'n', ..] => {
                let start = at;
                while raw[at..].starts_with("\\n") {
                    at += 2;
                }
                // A blank beside it is enough, and none is wanted at the end.
                let at_an_end = start == 1 || at + 1 == raw.len();
                let beside = at_an_end || raw[..start].ends_with(' ') || raw[at..].starts_with(' ');
                changes.push(edit(span.start + start..span.start + at, if beside { "" } else { " " }));
            }
            [b'\\', ..] => at += 2,
            _ => at += 1,
        }
    }
    changes.sort_by_key(|change| match change {
        Change::Edit { span, .. } => span.start,
        _ => 0,
    });
    changes
}

fn without_empty_lines(source: &str, span: Span) -> Vec<Change> {
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

fn edit(span: Span, content: &str) -> Change {
    Change::Edit { span, content: content.to_owned() }
}

fn escaped(page: &Page<'_>, description: &Description<'_>, found: &mut Found) {
    let text = description.text;
    let hits: Vec<Range<usize>> = memchr::memmem::find_iter(text.as_bytes(), b"\\n")
        .map(|at| at..at + 2)
        .filter(|hit| is_line_break(text, hit))
        .collect();
    let Some((first, others)) = hits.split_first() else { return };
    let finding = ESCAPED.finding("`\\n` in the description stands for itself, not for a line break");
    let mut finding = finding.at(description.place(first.clone()), page.source);
    for other in others {
        finding = finding.label(description.place(other.clone()), "and here");
    }
    let blank = |hit: &Range<usize>| {
        let beside = text[..hit.start].ends_with([' ', 'n'])
            && (text[..hit.start].ends_with("\\n") || text[..hit.start].ends_with(' '));
        let at_end = hit.end == text.len() || text[hit.end..].starts_with(' ');
        if beside || at_end { "" } else { " " }
    };
    let changes = hits.iter().map(|hit| edit(description.place(hit.clone()), blank(hit))).collect();
    let fix = Fix { applicability: Applicability::Safe, message: "write a blank".to_owned(), changes };
    found.add(page.path, finding.help("write a blank, or quote the text with `\"…\"`").fix(fix));
}

/// Whether `\n` is a line break that was meant, not a part of a path such as `dir\notes`.
fn is_line_break(text: &str, hit: &Range<usize>) -> bool {
    let before = text[..hit.start].chars().next_back();
    let after = text[hit.end..].chars().next();
    let ends = matches!(before, None | Some(' ' | '.' | '!' | '?' | ';' | ',' | ')' | '。' | '`' | '"'));
    let quoted = matches!((before, after), (Some('`' | '"' | '\''), Some('`' | '"' | '\'')));
    !quoted && (ends || !after.is_some_and(|c| c.is_ascii_lowercase()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::{Content, File, Settings, SkillDir};

    /// A frontmatter with this description, what is found in it, and the frontmatter after the fixes.
    fn mended(field: &str) -> (Vec<String>, String) {
        let mut source = format!("---\nname: pdf\n{field}\nlicense: MIT\n---\n# PDF\n");
        let mut rules = Vec::new();
        // Once more than is needed: a second fix must find nothing.
        for _ in 0..3 {
            let content = Content::Text(source.clone());
            let file = File { path: "SKILL.md".into(), content, executable: false };
            let dir = SkillDir { directory: "pdf".into(), files: vec![file], ..SkillDir::default() };
            let findings = crate::lint::check(&dir, &Settings::default()).findings;
            let ours = [MULTILINE.name, ESCAPED.name];
            let Some(found) = findings.into_iter().find(|found| ours.contains(&found.diagnostic.rule.as_str())) else {
                break;
            };
            let fix = found.diagnostic.fix.unwrap();
            let mark = if fix.applicability == Applicability::Unsafe { "?" } else { "" };
            rules.push(found.diagnostic.rule + mark);
            for change in fix.changes.into_iter().rev() {
                let Change::Edit { span, content } = change else { unreachable!() };
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
            ("description: |\n  - One.\n  - Two.", &["description-multiline?"], "description: >-\n  - One.\n  - Two."),
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
            ("description: One.\n\n  Two.", &["description-multiline"], "description: One.\n  Two."),
            ("description: 'One.\n\n  Two.'", &["description-multiline"], "description: 'One.\n  Two.'"),
            (
                "description: One.\\nTwo.\\n\\nThree \\n four\\n",
                &["description-escaped-newline"],
                "description: One. Two. Three  four",
            ),
            ("description: One.\n  Two.", &[], "description: One.\n  Two."),
            ("description: In C:\\new, dir\\notes and `\\n`.", &[], "description: In C:\\new, dir\\notes and `\\n`."),
        ] {
            assert_eq!(
                mended(field),
                (rules.iter().map(|r| (*r).to_owned()).collect(), expected.to_owned()),
                "{field:?}"
            );
            let crlf = mended(&field.replace('\n', "\r\n"));
            assert_eq!(crlf.1, expected.replace('\n', "\r\n"), "{field:?} with CRLF");
        }
    }
}
