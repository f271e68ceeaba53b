//! A ` #` that truncates a value.

use super::yaml_edit::{column, well_formed};
use crate::{
    ExampleFile, FindingList, FixAvailability, LintSubject, MarkdownPage, Rule, RuleCheck,
    RuleDocs, RuleExample,
};
use skillpm_core::report::{DiagnosticFix, DiagnosticLevel, FixApplicability};
use skillpm_core::skill::yaml::{self, YamlNode, YamlNodeKind, YamlStyle};

pub(super) static RULE: Rule = Rule {
    code: "SK117",
    name: "yaml-comment-truncates",
    level: Some(DiagnosticLevel::Warning),
    // Unsafe: agents read more than before, and it may have been meant as a comment.
    fix: FixAvailability::Unsafely,
    summary: "` #` in an unquoted value turns the rest into a comment",
    docs: RuleDocs {
        finds: "An unquoted value of `description`, `compatibility`, `when_to_use` or `argument-hint` that is \
            followed by ` #` and more on the same line, if that looks like text: the `#` is joined to a word, or the \
            text before it does not end in a full stop.",
        hurts: "To YAML the rest of the line is a comment. Agents show half a sentence, without an error.",
        ignore: "The comment is intended. Two spaces before the `#` and one after it, or a full stop at the end of \
            the text, mark it as a comment.",
        bad: &[
            RuleExample::page(&[(
                "pdf/SKILL.md",
                ExampleFile::Text(
                    "---\nname: pdf\ndescription: Fill PDF forms and post them to #forms\n---\n\n# PDF forms\n",
                ),
            )]),
            RuleExample::page(&[(
                "pdf/SKILL.md",
                ExampleFile::Text(
                    "---\nname: pdf\ndescription: Fill forms in C # and in Java\n---\n\n# PDF forms\n",
                ),
            )]),
        ],
        good: &[
            RuleExample::page(&[(
                "pdf/SKILL.md",
                ExampleFile::Text(
                    "---\nname: pdf\ndescription: \"Fill PDF forms and post them to #forms\"\n---\n\n# PDF\n",
                ),
            )]),
            RuleExample::page(&[(
                "pdf/SKILL.md",
                ExampleFile::Text(
                    "---\nname: pdf\ndescription: Fill PDF forms in C#.  # keep it short\n---\n\n# PDF forms\n",
                ),
            )]),
            RuleExample::page(&[(
                "pdf/SKILL.md",
                ExampleFile::Text(
                    "---\nname: pdf # ours\ndescription: Fill PDF forms. # one sentence\n---\n\n# PDF forms\n",
                ),
            )]),
        ],
    },
    check: RuleCheck::Skill(check),
};

/// The fields with prose.
const TEXT_FIELDS: [&str; 4] = [
    "description",
    "compatibility",
    "when_to_use",
    "argument-hint",
];

fn check(subject: &LintSubject<'_>, found: &mut FindingList) {
    let Some(page) = &subject.page else { return };
    let Some(frontmatter) = well_formed(page) else {
        return;
    };
    for (key, value) in frontmatter.root.entries().unwrap_or_default() {
        let name = key.text().unwrap_or_default();
        // In other fields, such as `name`, a comment is usually meant as one.
        if TEXT_FIELDS.contains(&name) && column(page.source, key.span.start) == 0 {
            check_field(page, name, value, found);
        }
    }
}

fn check_field(page: &MarkdownPage, name: &str, value: &YamlNode, found: &mut FindingList) {
    // Within quotes and blocks ` #` is text to every parser.
    let YamlNodeKind::Scalar(text, YamlStyle::Plain) = &value.kind else {
        return;
    };

    let rest = &page.source[value.span.end..];
    let rest = &rest[..rest.find(['\r', '\n']).unwrap_or(rest.len())];
    let Some(comment) = rest.trim_start_matches([' ', '\t']).strip_prefix('#') else {
        return;
    };

    let blanks = rest.len() - comment.len() - 1;
    if text.is_empty() || value.tag.is_some() || !continues_text(text, blanks, comment) {
        return;
    }

    let start = value.span.end + blanks;
    let span = start..start + 1 + comment.trim_end().len();
    // The value as YAML reads it, and then the lost text as it is written.
    let whole = format!("{text}{}", rest.trim_end());
    let fix = DiagnosticFix::edit(
        FixApplicability::Unsafe,
        "quote the value",
        value.span.start..span.end,
        yaml::quote(&whole),
    );

    let finding = RULE
        .finding(format!("` #` turns the rest of `{name}` into a comment"))
        .at_bytes(span)
        .label(value.span.clone(), "agents read only this")
        .help("quote the value, or end it with a full stop before the comment");
    found.add(page.path, finding.fix(fix));
}

/// Whether the text after a `#` belongs to the value before it.
fn continues_text(text: &str, blanks: usize, comment: &str) -> bool {
    let Some(next) = comment.chars().next() else {
        return false;
    };
    // Comments that suppress a rule are intended as comments.
    if comment
        .trim_start()
        .to_ascii_lowercase()
        .starts_with("skillpm:")
    {
        return false;
    }

    // Two spaces, or the end of a sentence, before `#` mark an intended comment.
    let ended = text.ends_with(['.', '!', '?', '。', '！', '？']);
    (!next.is_whitespace() && next != '#') || (blanks == 1 && !ended && !comment.trim().is_empty())
}
