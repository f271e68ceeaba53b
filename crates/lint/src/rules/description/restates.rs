//! Descriptions that only repeat the name.

use super::DescriptionText;
use crate::{FindingList, FixAvailability, LintSubject, Rule, RuleCheck, RuleDocs};
use skillpm_core::report::DiagnosticLevel;

pub(super) static RULE: Rule = Rule {
    code: "SK309",
    name: "description-equals-name",
    level: Some(DiagnosticLevel::Warning),
    fix: FixAvailability::Never,
    summary: "the `description` only repeats the `name`",
    docs: RuleDocs {
        finds: "A description that consists of the words of the name, in any order, and of words like `skill`, `the` and `for`.",
        hurts: "Name and description are listed together: the description adds nothing, although agents choose skills \
            by it.",
        ignore: "Never: agents choose skills by their descriptions.",
        bad: &[
            page!(
                "pdf-form-filler",
                "---\nname: pdf-form-filler\ndescription: PDF Form Filler\n---\n# PDF\n"
            ),
            page!(
                "pdf-form-filler",
                "---\nname: pdf-form-filler\ndescription: A skill for the PDF form filler.\n---\n# PDF\n"
            ),
        ],
        good: &[page!(
            "pdf-form-filler",
            "---\nname: pdf-form-filler\ndescription: PDF form filler for the tax office. Use when a form is to be filled in.\n---\n# PDF\n"
        )],
    },
    check: RuleCheck::Skill(check),
};

/// Words that add nothing, in lower case.
const FILLER_WORDS: [&str; 16] = [
    "a",
    "agent",
    "an",
    "and",
    "assistant",
    "for",
    "in",
    "of",
    "on",
    "skill",
    "skills",
    "the",
    "this",
    "to",
    "tool",
    "with",
];

fn check(subject: &LintSubject<'_>, found: &mut FindingList) {
    let Some(page) = &subject.page else { return };
    let Some(description) = DescriptionText::from_page(page) else {
        return;
    };
    let Some(skill) = page.skill() else { return };
    // A longer description must contain other words.
    if description.text.len() > 2 * skill.name.len() + 40 {
        return;
    }

    // Compared as words, so that `PDF Form Filler` restates `pdf-form-filler` in any order.
    let named: Vec<String> = words(&skill.name).collect();
    let adds = |word: &String| !FILLER_WORDS.contains(&word.as_str()) && !named.contains(word);

    // A description without any word is too short, which another rule reports.
    if words(description.text).next().is_some() && !words(description.text).any(|word| adds(&word))
    {
        let finding = RULE.finding("the description only repeats the name");
        let finding = finding.help("say what the skill does and when to use it");
        found.add(page.path, finding.at_bytes(description.node.span.clone()));
    }
}

/// Words in lower case.
fn words(text: &str) -> impl Iterator<Item = String> {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
}
