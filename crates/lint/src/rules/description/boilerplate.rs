//! Descriptions that say that a skill is a skill.

use super::{Description, begins_with};
use crate::lint::{Check, Docs, Fixes, Found, Rule, Subject};
use crate::report::Level;

pub(super) static RULE: Rule = Rule {
    code: "SK311",
    name: "description-boilerplate",
    level: Some(Level::Note),
    fix: Fixes::Never,
    summary: "the `description` begins with `This skill` or the like",
    docs: Docs {
        finds: "A description that begins with `This skill`, `A skill that`, `Skill for` and their like.",
        hurts: "Every entry of the listing is a skill. The words are paid for in every session, and where descriptions are \
                cut (OpenClaw at 220 characters, once there are many) they take the place of others.",
        ignore: "As long as the listing is short, it only costs a few tokens.",
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
    check: Check::Skill(check),
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

fn check(subject: &Subject<'_>, found: &mut Found) {
    let Some(page) = &subject.page else { return };
    let Some(description) = Description::of(page) else { return };
    let Some(length) = begins_with(description.text, &OPENINGS) else { return };
    let said = &description.text[..length];
    let finding = RULE.finding(format!("`{said}` says nothing: all that is listed are skills"));
    let finding = finding.help("begin with the verb: `Fills PDF forms …`");
    found.add(page.path, finding.at(description.place(0..length), page.source));
}
