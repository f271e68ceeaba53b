//! A name with a word that its owner keeps for itself.

use super::written;
use crate::lint::{Check, Docs, Fixes, Found, Rule, Subject};
use crate::report::Level;

pub(super) static RULE: Rule = Rule {
    code: "SK210",
    name: "name-reserved-word",
    level: Some(Level::Note),
    fix: Fixes::Never,
    summary: "the `name` has `claude` or `anthropic` in it",
    docs: Docs {
        finds: "`claude` or `anthropic` anywhere in the name.",
        hurts: "claude.ai and Anthropic's API refuse to take a skill with such a name. Agents that read directories do \
                not mind.",
        ignore: "A skill that is never uploaded there, or one that is about these products.",
        bad: &[page!(
            "claude-pdf",
            "---\nname: claude-pdf\ndescription: Fill PDF forms. Use when a form is to be filled in.\n---\n# PDF\n"
        )],
        good: &[page!(
            "pdf",
            "---\nname: pdf\ndescription: Fill PDF forms with Claude. Use when a form is to be filled in.\n---\n# PDF\n"
        )],
    },
    check: Check::Skill(check),
};

fn check(subject: &Subject<'_>, found: &mut Found) {
    let Some(page) = &subject.page else { return };
    let Some((skill, _, node)) = written(page) else { return };
    let lower = skill.name.to_ascii_lowercase();
    let Some((at, word)) = ["claude", "anthropic"].iter().find_map(|word| Some((lower.find(word)?, word))) else {
        return;
    };
    let blanks = node.text().map_or(0, |text| text.len() - text.trim_start().len());
    let place = node.place_of(page.source, at + blanks..at + blanks + word.len());
    let finding = RULE.finding(format!("the name has the reserved word `{word}` in it"));
    let finding = finding.note("claude.ai and Anthropic's API take no skill with such a name");
    found.add(page.path, finding.at(place.unwrap_or_else(|| node.span.clone()), page.source));
}
