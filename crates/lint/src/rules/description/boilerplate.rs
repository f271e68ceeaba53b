//! Descriptions that begin with boilerplate such as `This skill`.

use super::{DescriptionText, begins_with};
use crate::{FindingList, FixAvailability, LintSubject, Rule, RuleCheck, RuleDocs};
use skillpm_core::report::DiagnosticLevel;

pub(super) static RULE: Rule = Rule {
    code: "SK311",
    name: "description-boilerplate",
    // One in fifty well-kept skills begins so; it costs tokens and breaks nothing.
    level: Some(DiagnosticLevel::Note),
    fix: FixAvailability::Never,
    summary: "the `description` begins with `This skill` or the like",
    docs: RuleDocs {
        finds: "A description that begins with `This skill`, `A skill that`, `Skill for` or similar.",
        hurts: "Every entry of the list is a skill. The words cost tokens in every session, and where descriptions \
            are truncated (OpenClaw at 220 characters, if there are many) they take the space of others.",
        ignore: "The list is short, so the words only cost a few tokens.",
        bad: &[
            page!(
                "pdf",
                "---\nname: pdf\ndescription: This skill fills in PDF forms when the user has one.\n---\n# PDF\n"
            ),
            page!(
                "pdf",
                "---\nname: pdf\ndescription: A skill that fills in PDF forms when the user has one.\n---\n# PDF\n"
            ),
        ],
        good: &[page!(
            "pdf",
            "---\nname: pdf\ndescription: Fills in PDF forms. Use this skill when the user has one.\n---\n# PDF\n"
        )],
    },
    check: RuleCheck::Skill(check),
};

const OPENINGS: [&str; 13] = [
    "this skill",
    "this is a skill",
    "this agent skill",
    "a skill that",
    "a skill for",
    "a skill to",
    "a skill which",
    "an agent skill",
    "skill that",
    "skill for",
    "skill to",
    "skill converted from",
    "the skill",
];

fn check(subject: &LintSubject<'_>, found: &mut FindingList) {
    let Some(page) = &subject.page else { return };
    let Some(description) = DescriptionText::from_page(page) else {
        return;
    };
    let Some(length) = begins_with(description.text, &OPENINGS) else {
        return;
    };

    // Only an opening is boilerplate: in the middle of a sentence the words may be needed.
    let opening = &description.text[..length];
    let finding = RULE.finding(format!(
        "`{opening}` adds nothing: every listed entry is a skill"
    ));
    let finding = finding.help("begin with the verb: `Fills PDF forms …`");
    found.add(page.path, finding.at_bytes(description.span_of(0..length)));
}
