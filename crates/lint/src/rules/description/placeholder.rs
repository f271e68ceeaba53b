//! Descriptions and sections of templates.

use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, AhoCorasickBuilder};

use super::DescriptionText;
use crate::{FindingList, FixAvailability, LintSubject, MarkdownPage, Rule, RuleCheck, RuleDocs};
use skillpm_core::report::DiagnosticLevel;

pub(super) static RULE: Rule = Rule {
    code: "SK308",
    name: "description-placeholder",
    // A warning, though only one of a thousand well-kept skills has one: it is a skill not yet
    // written.
    level: Some(DiagnosticLevel::Warning),
    fix: FixAvailability::Never,
    summary: "the `description` or a section is a template's placeholder",
    docs: RuleDocs {
        finds: "`TODO` at the beginning or in brackets, `[what it does]` and similar, `lorem ipsum`, `{{…}}`, and the \
            placeholder sentences of skill generators; in the text, those of `skillpm new`. Profile `publish`, which \
            `skillpm publish` uses, makes it an error.",
        hurts: "The agent learns nothing, but the placeholder costs tokens in every session.",
        ignore: "The skill is a template to be copied; keep it out of the directories that agents read.",
        bad: &[
            page!(
                "pdf",
                "---\nname: pdf\ndescription: \"TODO: say what this does and when to use it\"\n---\n# PDF\n"
            ),
            page!(
                "pdf",
                "---\nname: pdf\ndescription: \"[What it does]. Use when [the occasions].\"\n---\n# PDF\n"
            ),
            page!(
                "pdf",
                "---\nname: pdf\ndescription: Replace with description of the skill and when Claude should use it.\n---\n# PDF\n"
            ),
        ],
        good: &[
            page!(
                "todos",
                "---\nname: todos\ndescription: \"Collects TODO comments. Use when the user asks for TODO: lines.\"\n---\n# PDF\n"
            ),
            page!(
                "pdf",
                "---\nname: pdf\ndescription: Fill PDF forms [beta]. Use when a form is to be filled in.\n---\n# PDF\n"
            ),
        ],
    },
    check: RuleCheck::Skill(check),
};

/// Placeholder phrases, anywhere in the text. In lower case; matched ignoring case.
const TEMPLATE_PHRASES: [&str; 26] = [
    "[todo",
    "[insert ",
    "[what ",
    "[when ",
    "[description",
    "[describe",
    "[your ",
    "[add ",
    "[brief",
    "[short description",
    "[skill",
    "<todo",
    "<description>",
    "<what ",
    "<insert ",
    "{{description",
    "{{skill",
    "{description}",
    "lorem ipsum",
    "replace with description",
    "replace this with",
    "your description here",
    "description goes here",
    "explanation of what the skill does and when to use it",
    "describe what this skill does",
    "brief description of what this skill does",
];

/// Sentences that `skillpm new` writes, one of each section that is to be replaced.
const OWN_SENTENCES: [&str; 5] = [
    "Replace the description above first",
    "Say what must be known or present, and how to find it out",
    "Give one instruction a step, in the imperative",
    "Show a good result and a poor one, with the reason in one line",
    "Each statement in the result was checked against its source",
];

fn check(subject: &LintSubject<'_>, found: &mut FindingList) {
    let Some(page) = &subject.page else { return };
    check_description(page, found);

    let body = page.body();
    let Some((at, sentence)) = OWN_SENTENCES
        .iter()
        .find_map(|sentence| Some((body.find(sentence)?, sentence)))
    else {
        return;
    };
    let start = page.body_start() + at;
    let finding = RULE
        .finding(format!("`{sentence}` is a template's placeholder"))
        .at_bytes(start..start + sentence.len());
    found.add(page.path, finding.help("replace the section, or delete it"));
}

fn check_description(page: &MarkdownPage<'_>, found: &mut FindingList) {
    static SEARCH: LazyLock<AhoCorasick> = LazyLock::new(|| {
        AhoCorasickBuilder::new()
            .ascii_case_insensitive(true)
            .build(TEMPLATE_PHRASES)
            .expect("a few short words")
    });
    let Some(description) = DescriptionText::from_page(page) else {
        return;
    };

    let text = description.text;
    let todo = ["TODO", "FIXME", "TBD"]
        .iter()
        .find(|word| text.starts_with(**word))
        .map(|word| 0..word.len());
    // `TODO comments are collected` is a sentence.
    let todo = todo.filter(|word| {
        matches!(
            text[word.end..].chars().next(),
            None | Some(':' | '.' | '-')
        )
    });

    // The word in front first: it is the better place to point at.
    let Some(part) = todo.or_else(|| SEARCH.find(text).map(|hit| hit.range())) else {
        return;
    };

    let end = end_of_brackets(text, part.end);
    let part = part.start..part.start + text[part.start..end].trim_end().len();
    let finding = RULE.finding(format!(
        "`{}` is a template's placeholder",
        text[part.clone()].escape_debug()
    ));
    let finding = finding.at_bytes(description.span_of(part));
    found.add(
        page.path,
        finding.help("say what the skill does and when to use it"),
    );
}

/// The end of the closing brackets, if a bracket was opened before and is closed within 60 characters.
fn end_of_brackets(text: &str, end: usize) -> usize {
    let close = text[end..]
        .char_indices()
        // Farther away a bracket belongs to another part of the text.
        .take(60)
        .find(|(_, c)| matches!(c, ']' | '}' | '>'));
    let opened =
        text[..end].ends_with(['[', '{', '<']) || text[..end].rfind(['[', '{', '<']).is_some();

    let Some((at, _)) = close.filter(|_| opened) else {
        return end;
    };

    let rest = &text[end + at..];
    end + at + (rest.len() - rest.trim_start_matches([']', '}', '>']).len())
}
