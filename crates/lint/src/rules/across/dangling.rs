//! Skills that are named and not there.

use std::collections::HashSet;

use super::name::composed;
use super::placed;
use crate::lint::across::Summary;
use crate::lint::{Check, Docs, Example, Fixes, Found, Piece, Rule, Settings};
use crate::report::Level;

pub(super) static RULE: Rule = Rule {
    code: "SK907",
    name: "dangling-skill-reference",
    level: Some(Level::Note),
    fix: Fixes::Never,
    summary: "the body names a skill that is not among those that are linted",
    docs: Docs {
        finds: "A name that the text itself calls a skill (the `pdf-forms` skill, skill `acme:pdf-forms`, \
                `SUB-SKILL: Use acme:pdf-forms`), where none of the linted skills is called so, nor lies in a directory \
                called so. With a single skill there is nothing to compare with.",
        hurts: "The agent looks for the skill, does not find it, and goes on without, or makes it up.",
        ignore: "A skill that comes from elsewhere. If it is needed, `requires` says so to `skillpm`.",
        bad: &[Example::files(&[
            (
                "skills/pdf/SKILL.md",
                Piece::Text(
                    "---\nname: pdf\ndescription: Fill PDF forms. Use when a form is to be filled in.\n---\n# PDF\n\nThen use the `pdf-print` skill.\n",
                ),
            ),
            (
                "skills/docx/SKILL.md",
                Piece::Text(
                    "---\nname: docx\ndescription: Fill Word forms. Use when a form is to be filled in.\n---\n# Word\n",
                ),
            ),
        ])],
        good: &[Example::files(&[
            (
                "skills/pdf/SKILL.md",
                Piece::Text(
                    "---\nname: pdf\ndescription: Fill PDF forms. Use when a form is to be filled in.\n---\n# PDF\n\nThen use the `docx` skill or `pdf-print`.\n",
                ),
            ),
            (
                "skills/docx/SKILL.md",
                Piece::Text(
                    "---\nname: docx\ndescription: Fill Word forms. Use when a form is to be filled in.\n---\n# Word\n",
                ),
            ),
        ])],
    },
    check: Check::Skills(check),
};

/// What examples call a skill.
const EXAMPLES: [&str; 8] =
    ["example-skill", "my-skill", "new-skill", "other-skill", "skill-name", "some-skill", "your-skill", "name"];

fn check(skills: &[Summary], _: &Settings, found: &mut Found) {
    if skills.len() < 2 {
        return;
    }
    let mut there: HashSet<_> = skills.iter().map(|skill| composed(&skill.name)).collect();
    there.extend(skills.iter().map(|skill| composed(&skill.directory)));
    for skill in skills {
        for named in &skill.named {
            if there.contains(named.name.as_str()) || EXAMPLES.contains(&named.name.as_str()) {
                continue;
            }
            let finding = RULE.finding(format!("no skill here is called `{}`", named.name));
            found.add(&skill.path, placed(finding, Some(&named.at)));
        }
    }
}
