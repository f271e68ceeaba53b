//! Descriptions that are the name again.

use super::Description;
use crate::lint::{Check, Docs, Fixes, Found, Rule, Subject};
use crate::report::Level;

pub(super) static RULE: Rule = Rule {
    code: "SK309",
    name: "description-equals-name",
    level: Some(Level::Warning),
    fix: Fixes::Never,
    summary: "the `description` says no more than the `name`",
    docs: Docs {
        finds: "A description made of the words of the name, in any order, and of `skill`, `the`, `for` and the like.",
        hurts: "Name and description stand side by side in the listing: the second adds nothing to choose by, though it is \
                what the agent chooses by.",
        ignore: "Never: an agent has nothing else to choose by.",
        bad: &[
            page!("pdf-form-filler", "---\nname: pdf-form-filler\ndescription: PDF Form Filler\n---\n# PDF\n"),
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
    check: Check::Skill(check),
};

/// Words that add nothing, in lower case.
const EMPTY: [&str; 16] = [
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

fn check(subject: &Subject<'_>, found: &mut Found) {
    let Some(page) = &subject.page else { return };
    let Some(description) = Description::of(page) else { return };
    let Some(skill) = page.skill() else { return };
    // Each word of the description costs a few bytes at least.
    if description.text.len() > 2 * skill.name.len() + 40 {
        return;
    }
    let named: Vec<String> = words(&skill.name).collect();
    let adds = |word: &String| !EMPTY.contains(&word.as_str()) && !named.contains(word);
    if words(description.text).next().is_some() && !words(description.text).any(|word| adds(&word)) {
        let finding = RULE.finding("the description says no more than the name");
        let finding = finding.help("say what the skill does and when to use it");
        found.add(page.path, finding.at(description.node.span.clone(), page.source));
    }
}

/// Words in lower case.
fn words(text: &str) -> impl Iterator<Item = String> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_lowercase)
}
