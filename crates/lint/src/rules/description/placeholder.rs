//! Descriptions that nobody has written yet.

use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, AhoCorasickBuilder};

use super::Description;
use crate::lint::{Check, Docs, Fixes, Found, Rule, Subject};
use crate::report::Level;

pub(super) static RULE: Rule = Rule {
    code: "SK308",
    name: "description-placeholder",
    level: Some(Level::Warning),
    fix: Fixes::Never,
    summary: "the `description` is a template's, not yet filled in",
    docs: Docs {
        finds: "`TODO` at the beginning or in brackets, `[what it does]` and its like, `lorem ipsum`, `{{…}}`, and the \
                sentences that generators of skills put there to be replaced.",
        hurts: "The agent is told nothing, in a slot of its prompt that is paid for in every session.",
        ignore: "A template that is meant to be copied; keep it out of the directories that agents read.",
        bad: &[
            page!("pdf", "---\nname: pdf\ndescription: \"TODO: say what this does and when to use it\"\n---\n# PDF\n"),
            page!("pdf", "---\nname: pdf\ndescription: \"[What it does]. Use when [the occasions].\"\n---\n# PDF\n"),
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
    check: Check::Skill(check),
};

/// What templates have, wherever it stands. In lower case; any case is found.
const ANYWHERE: [&str; 26] = [
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

fn check(subject: &Subject<'_>, found: &mut Found) {
    static SEARCH: LazyLock<AhoCorasick> = LazyLock::new(|| {
        AhoCorasickBuilder::new().ascii_case_insensitive(true).build(ANYWHERE).expect("a few short words")
    });
    let Some(page) = &subject.page else { return };
    let Some(description) = Description::of(page) else { return };
    let text = description.text;
    let todo = ["TODO", "FIXME", "TBD"].iter().find(|word| text.starts_with(**word)).map(|word| 0..word.len());
    // `TODO comments are collected` is a sentence.
    let todo = todo.filter(|word| matches!(text[word.end..].chars().next(), None | Some(':' | '.' | '-')));
    let Some(part) = todo.or_else(|| SEARCH.find(text).map(|hit| hit.range())) else { return };
    let end = closing(text, part.end);
    let part = part.start..part.start + text[part.start..end].trim_end().len();
    let finding = RULE.finding(format!("`{}` is a template's text", text[part.clone()].escape_debug()));
    let finding = finding.at(description.place(part), page.source);
    found.add(page.path, finding.help("say what the skill does and when to use it"));
}

/// Where a bracket that was opened before is closed, if soon.
fn closing(text: &str, end: usize) -> usize {
    let close = text[end..].char_indices().take(60).find(|(_, c)| matches!(c, ']' | '}' | '>'));
    let opened = text[..end].ends_with(['[', '{', '<']) || text[..end].rfind(['[', '{', '<']).is_some();
    let Some((at, _)) = close.filter(|_| opened) else { return end };
    let rest = &text[end + at..];
    end + at + (rest.len() - rest.trim_start_matches([']', '}', '>']).len())
}
