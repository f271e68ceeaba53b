//! A ` #` that cuts a value short.

use super::written::{column, sound};
use crate::lint::{Check, Docs, Example, Fixes, Found, Page, Piece, Rule, Subject};
use crate::report::{Applicability, Fix, Level};
use crate::skill::yaml::{self, Kind, Node, Style};

pub(super) static RULE: Rule = Rule {
    code: "SK117",
    name: "yaml-comment-truncates",
    level: Some(Level::Warning),
    fix: Fixes::Safely,
    summary: "` #` in a text without quotes makes a comment of the rest",
    docs: Docs {
        finds: "A text for people (`description`, `compatibility`, `when_to_use`, `argument-hint`) without quotes that is \
                followed by ` #` and more on the same line, where that reads on as text: the `#` is joined to a word, or \
                the text before it ends in no full stop.",
        hurts: "To YAML the rest of the line is a comment. Agents show half a sentence, and nobody is told.",
        ignore: "A comment that is meant as one. Two blanks before the `#` and one after it, or a full stop at the end of \
                 the text, say so.",
        bad: &[
            Example::page(&[(
                "pdf/SKILL.md",
                Piece::Text(
                    "---\nname: pdf\ndescription: Fill PDF forms and post them to #forms\n---\n\n# PDF forms\n",
                ),
            )]),
            Example::page(&[(
                "pdf/SKILL.md",
                Piece::Text("---\nname: pdf\ndescription: Fill forms in C # and in Java\n---\n\n# PDF forms\n"),
            )]),
        ],
        good: &[
            Example::page(&[(
                "pdf/SKILL.md",
                Piece::Text("---\nname: pdf\ndescription: \"Fill PDF forms and post them to #forms\"\n---\n\n# PDF\n"),
            )]),
            Example::page(&[(
                "pdf/SKILL.md",
                Piece::Text(
                    "---\nname: pdf\ndescription: Fill PDF forms in C#.  # keep it short\n---\n\n# PDF forms\n",
                ),
            )]),
            Example::page(&[(
                "pdf/SKILL.md",
                Piece::Text("---\nname: pdf # ours\ndescription: Fill PDF forms. # one sentence\n---\n\n# PDF forms\n"),
            )]),
        ],
    },
    check: Check::Skill(check),
};

/// The fields that are texts for people.
const TEXTS: [&str; 4] = ["description", "compatibility", "when_to_use", "argument-hint"];

fn check(subject: &Subject<'_>, found: &mut Found) {
    let Some(page) = &subject.page else { return };
    let Some(frontmatter) = sound(page) else { return };
    for (key, value) in frontmatter.root.entries().unwrap_or_default() {
        let name = key.text().unwrap_or_default();
        if TEXTS.contains(&name) && column(page.source, key.span.start) == 0 {
            look(page, name, value, found);
        }
    }
}

fn look(page: &Page, name: &str, value: &Node, found: &mut Found) {
    let Kind::Scalar(text, Style::Plain) = &value.kind else { return };
    let rest = &page.source[value.span.end..];
    let rest = &rest[..rest.find(['\r', '\n']).unwrap_or(rest.len())];
    let Some(comment) = rest.trim_start_matches([' ', '\t']).strip_prefix('#') else { return };
    let blanks = rest.len() - comment.len() - 1;
    if text.is_empty() || value.tag.is_some() || !reads_on(text, blanks, comment) {
        return;
    }
    let start = value.span.end + blanks;
    let span = start..start + 1 + comment.trim_end().len();
    let whole = format!("{text}{}", rest.trim_end());
    let fix = Fix::edit(Applicability::Safe, "quote the value", value.span.start..span.end, yaml::quote(&whole));
    let finding = RULE
        .finding(format!("` #` makes a comment of the rest of `{name}`"))
        .at(span, page.source)
        .label(value.span.clone(), "all that agents read")
        .help("put the value in quotes, or end it with a full stop before a comment");
    found.add(page.path, finding.fix(fix));
}

/// Whether what follows a `#` belongs to the text before it.
fn reads_on(text: &str, blanks: usize, comment: &str) -> bool {
    let Some(next) = comment.chars().next() else { return false };
    if comment.trim_start().to_ascii_lowercase().starts_with("skillpm:") {
        return false;
    }
    let ended = text.ends_with(['.', '!', '?', '。', '！', '？']);
    (!next.is_whitespace() && next != '#') || (blanks == 1 && !ended && !comment.trim().is_empty())
}
