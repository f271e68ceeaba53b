//! Names with a reserved word.

use super::name_field;
use crate::{FindingList, FixAvailability, LintSubject, Rule, RuleCheck, RuleDocs};
use skillpm_core::report::DiagnosticLevel;

pub(super) static RULE: Rule = Rule {
    code: "SK210",
    name: "name-reserved-word",
    // A note: most skills are never uploaded to claude.ai, and agents accept the name.
    level: Some(DiagnosticLevel::Note),
    fix: FixAvailability::Never,
    summary: "the `name` contains `claude` or `anthropic`",
    docs: RuleDocs {
        finds: "`claude` or `anthropic` anywhere in the name.",
        hurts: "claude.ai and Anthropic's API reject a skill with such a name. Agents that read directories accept \
            it.",
        ignore: "The skill is never uploaded there, or is about these products.",
        bad: &[page!(
            "claude-pdf",
            "---\nname: claude-pdf\ndescription: Fill PDF forms. Use when a form is to be filled in.\n---\n# PDF\n"
        )],
        good: &[page!(
            "pdf",
            "---\nname: pdf\ndescription: Fill PDF forms with Claude. Use when a form is to be filled in.\n---\n# PDF\n"
        )],
    },
    check: RuleCheck::Skill(check),
};

fn check(subject: &LintSubject<'_>, found: &mut FindingList) {
    let Some(page) = &subject.page else { return };
    let Some((skill, _, node)) = name_field(page) else {
        return;
    };
    // The upload compares without case, and so does this.
    let lower = skill.name.to_ascii_lowercase();
    let Some((at, word)) = ["claude", "anthropic"]
        .iter()
        .find_map(|word| Some((lower.find(word)?, word)))
    else {
        return;
    };

    // The skill's name is trimmed, the value in the file may not be.
    let blanks = node
        .text()
        .map_or(0, |text| text.len() - text.trim_start().len());
    let place = node.text_span(page.source, at + blanks..at + blanks + word.len());

    let finding = RULE.finding(format!("the name contains the reserved word `{word}`"));
    let finding = finding.note("claude.ai and Anthropic's API reject a skill with such a name");
    found.add(
        page.path,
        finding.at_bytes(place.unwrap_or_else(|| node.span.clone())),
    );
}
