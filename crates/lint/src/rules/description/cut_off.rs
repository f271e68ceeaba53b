//! Descriptions that end in an ellipsis.

use super::DescriptionText;
use crate::{FindingList, FixAvailability, LintSubject, Rule, RuleCheck, RuleDocs};
use skillpm_core::report::DiagnosticLevel;

pub(super) static RULE: Rule = Rule {
    code: "SK310",
    name: "description-cut-off",
    level: Some(DiagnosticLevel::Warning),
    fix: FixAvailability::Never,
    summary: "the `description` ends in `…` or `...`",
    docs: RuleDocs {
        finds: "A description that ends in an ellipsis, unless `etc` precedes it.",
        hurts: "A program truncated the text when it generated the skill. What is lost is usually the end: when to \
            use the skill.",
        ignore: "The ellipsis is intended; consider `and so on` instead.",
        bad: &[
            page!(
                "pdf",
                "---\nname: pdf\ndescription: Fill PDF forms. Use when a form is to be...\n---\n# PDF\n"
            ),
            page!(
                "pdf",
                "---\nname: pdf\ndescription: Fill PDF forms. Use when a form is to…\n---\n# PDF\n"
            ),
        ],
        good: &[page!(
            "pdf",
            "---\nname: pdf\ndescription: Fill PDF forms... and others. Use when a form is to be filled in, signed, etc...\n---\n# PDF\n"
        )],
    },
    check: RuleCheck::Skill(check),
};

fn check(subject: &LintSubject<'_>, found: &mut FindingList) {
    let Some(page) = &subject.page else { return };
    let Some(description) = DescriptionText::from_page(page) else {
        return;
    };
    let text = description.text;
    // Only at the end: dots within a text are a pause.
    let Some(before) = text.strip_suffix("...").or_else(|| text.strip_suffix('…')) else {
        return;
    };

    // "etc..." ends a list and is not a truncated text.
    if before
        .trim_end_matches('.')
        .to_ascii_lowercase()
        .ends_with("etc")
    {
        return;
    }

    let finding = RULE.finding("the description is truncated");
    let finding = finding.help("complete the sentence, or end it earlier");
    found.add(
        page.path,
        finding.at_bytes(description.span_of(before.trim_end_matches('.').len()..text.len())),
    );
}
