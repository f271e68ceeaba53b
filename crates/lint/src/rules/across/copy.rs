//! Identical copies of a `SKILL.md`.

use super::{group_skills, place_finding};
use crate::across::SkillSummary;
use crate::{
    ExampleFile, FindingList, FixAvailability, LintSettings, Rule, RuleCheck, RuleDocs, RuleExample,
};

pub(super) static RULE: Rule = Rule {
    code: "SK908",
    name: "verbatim-copy",
    level: None,
    fix: FixAvailability::Never,
    summary: "a `SKILL.md` is a copy of another, byte for byte",
    docs: RuleDocs {
        finds: "Two or more `SKILL.md` files with the same bytes, anywhere.",
        hurts: "A bug is fixed in one copy and remains in the other.",
        ignore: "Off by default: a third of all public skills are copies, and a skill for several agents must be \
            copied.",
        bad: &[RuleExample {
            files: &[
                (
                    "a/skills/pdf/SKILL.md",
                    ExampleFile::Text(
                        "---\nname: pdf\ndescription: Fill PDF forms. Use when a form is to be filled in.\n---\n# PDF\n",
                    ),
                ),
                (
                    "b/skills/pdf/SKILL.md",
                    ExampleFile::Text(
                        "---\nname: pdf\ndescription: Fill PDF forms. Use when a form is to be filled in.\n---\n# PDF\n",
                    ),
                ),
            ],
            settings: "extend-select = [\"verbatim-copy\"]",
        }],
        good: &[RuleExample {
            files: &[
                (
                    "a/skills/pdf/SKILL.md",
                    ExampleFile::Text(
                        "---\nname: pdf\ndescription: Fill PDF forms. Use when a form is to be filled in.\n---\n# PDF\n",
                    ),
                ),
                (
                    "b/skills/pdf/SKILL.md",
                    ExampleFile::Text(
                        "---\nname: pdf\ndescription: Fill PDF forms. Use when a form is there.\n---\n# PDF\n",
                    ),
                ),
            ],
            settings: "extend-select = [\"verbatim-copy\"]",
        }],
    },
    check: RuleCheck::Skills(check),
};

fn check(skills: &[SkillSummary], _: &LintSettings, found: &mut FindingList) {
    for group in group_skills(skills, |skill| Some(skill.digest)) {
        // Groups are sorted by path; the first one counts as the original.
        for other in &group[1..] {
            // The whole file is the copy, so there is no place in it.
            let finding = place_finding(
                RULE.finding(format!("this is a copy of `{}`", group[0].path)),
                None,
            );
            found.add(&other.path, finding);
        }
    }
}
