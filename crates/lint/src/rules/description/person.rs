//! Descriptions in the first or second person.

use super::{DescriptionText, begins_with};
use crate::{FindingList, FixAvailability, LintSubject, Rule, RuleCheck, RuleDocs};
use skillpm_core::report::DiagnosticLevel;

pub(super) static RULE: Rule = Rule {
    code: "SK306",
    name: "description-first-person",
    // A note: agents choose such skills too, if the subject is named.
    level: Some(DiagnosticLevel::Note),
    fix: FixAvailability::Never,
    summary: "the `description` is in the first or second person",
    docs: RuleDocs {
        finds: "A sentence of the description that begins with `I can`, `I will`, `I help`, `We can`, `You can` or \
            similar, or a description that begins with `I` or `We`.",
        hurts: "The description becomes part of the agent's own instructions. `I` is then the agent, `you` is \
            ambiguous, and the agent reads the promise as something that it can do without the skill.",
        ignore: "The sentence quotes a user.",
        bad: &[
            page!(
                "pdf",
                "---\nname: pdf\ndescription: I can fill in PDF forms when you have one.\n---\n# PDF\n"
            ),
            page!(
                "pdf",
                "---\nname: pdf\ndescription: PDF forms made easy. You can use this when you have one.\n---\n# PDF\n"
            ),
        ],
        good: &[
            page!(
                "pdf",
                "---\nname: pdf\ndescription: Fills in PDF forms. Use when you have one.\n---\n# PDF\n"
            ),
            page!(
                "pdf",
                "---\nname: pdf\ndescription: You MUST use this before a PDF form is filled in.\n---\n# PDF\n"
            ),
        ],
    },
    check: RuleCheck::Skill(check),
};

/// Words that a description must not begin with.
const FIRST_PERSON: [&str; 7] = ["i", "i'm", "i'll", "i've", "we", "we'll", "we're"];
/// Words that a sentence of it must not begin with.
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

fn check(subject: &LintSubject<'_>, found: &mut FindingList) {
    let Some(page) = &subject.page else { return };
    let Some(description) = DescriptionText::from_page(page) else {
        return;
    };
    let text = description.text;
    let mut phrases =
        sentence_starts(text).filter_map(|start| Some((start, phrase_length(text, start)?)));
    // Reported once: the rest of such a text is usually alike.
    let Some((start, length)) = phrases.next() else {
        return;
    };

    let phrase = &text[start..start + length];
    let finding = RULE.finding(format!(
        "the description says `{phrase}`, but it is read as part of the agent's instructions"
    ));
    let finding = finding.help("begin with what the skill does: `Fills PDF forms …`");
    found.add(
        page.path,
        finding.at_bytes(description.span_of(start..start + length)),
    );
}

/// The length of the phrase in the first person, or of the promise, that a sentence begins with.
fn phrase_length(text: &str, start: usize) -> Option<usize> {
    // Within the text `I` may be a user who is quoted: `when I ask`.
    let first = if start == 0 {
        begins_with(text, &FIRST_PERSON)
    } else {
        None
    };
    begins_with(&text[start..], &PROMISES).or(first)
}

/// Where sentences begin.
fn sentence_starts(text: &str) -> impl Iterator<Item = usize> {
    let ends = memchr::memchr3_iter(b'.', b'!', b'?', text.as_bytes());
    let after = ends.filter_map(|end| {
        let rest = &text[end + 1..];
        let blanks = rest.len() - rest.trim_start().len();
        // `e.g.` and `3.5` end no sentence, as no space follows the dot within them.
        (blanks > 0 && blanks < rest.len()).then_some(end + 1 + blanks)
    });
    std::iter::once(0).chain(after)
}
