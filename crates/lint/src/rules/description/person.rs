//! Descriptions that speak for themselves, or to somebody.

use super::{Description, begins_with};
use crate::lint::{Check, Docs, Fixes, Found, Rule, Subject};
use crate::report::Level;

pub(super) static RULE: Rule = Rule {
    code: "SK306",
    name: "description-first-person",
    level: Some(Level::Note),
    fix: Fixes::Never,
    summary: "the `description` is in the first or second person",
    docs: Docs {
        finds: "A sentence of the description that begins with `I can`, `I will`, `I help`, `We can`, `You can` and the \
                like, or a description that begins with `I` or `We`.",
        hurts: "The description becomes part of the agent's own instructions. `I` is then the agent, `you` is anybody, and \
                the agent takes the promise for a thing that it can do anyway.",
        ignore: "Sentences that quote what a user says.",
        bad: &[
            page!("pdf", "---\nname: pdf\ndescription: I can fill in PDF forms when you have one.\n---\n# PDF\n"),
            page!(
                "pdf",
                "---\nname: pdf\ndescription: PDF forms made easy. You can use this when you have one.\n---\n# PDF\n"
            ),
        ],
        good: &[
            page!("pdf", "---\nname: pdf\ndescription: Fills in PDF forms. Use when you have one.\n---\n# PDF\n"),
            page!(
                "pdf",
                "---\nname: pdf\ndescription: You MUST use this before a PDF form is filled in.\n---\n# PDF\n"
            ),
        ],
    },
    check: Check::Skill(check),
};

/// What no description begins with.
const FIRST: [&str; 7] = ["i", "i'm", "i'll", "i've", "we", "we'll", "we're"];
/// What none of its sentences begins with.
const PROMISES: [&str; 13] = [
    "i can",
    "i will",
    "i help",
    "i am",
    "i'm",
    "i'll",
    "we can",
    "we will",
    "we help",
    "we'll",
    "you can",
    "you'll",
    "you will be able",
];

fn check(subject: &Subject<'_>, found: &mut Found) {
    let Some(page) = &subject.page else { return };
    let Some(description) = Description::of(page) else { return };
    let text = description.text;
    let at = |start: usize| {
        let first = if start == 0 { begins_with(text, &FIRST) } else { None };
        Some((start, begins_with(&text[start..], &PROMISES).or(first)?))
    };
    let Some((start, length)) = sentences(text).find_map(at) else { return };
    let said = &text[start..start + length];
    let finding =
        RULE.finding(format!("the description says `{said}`: it is read as part of the agent's instructions"));
    let finding = finding.help("begin with what the skill does: `Fills PDF forms …`");
    found.add(page.path, finding.at(description.place(start..start + length), page.source));
}

/// Where sentences begin.
fn sentences(text: &str) -> impl Iterator<Item = usize> {
    let ends = memchr::memchr3_iter(b'.', b'!', b'?', text.as_bytes());
    let after = ends.filter_map(|end| {
        let rest = &text[end + 1..];
        let blanks = rest.len() - rest.trim_start().len();
        (blanks > 0 && blanks < rest.len()).then_some(end + 1 + blanks)
    });
    std::iter::once(0).chain(after)
}
