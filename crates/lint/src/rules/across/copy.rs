//! Copies.

use super::{groups, placed};
use crate::lint::across::Summary;
use crate::lint::{Check, Docs, Example, Fixes, Found, Piece, Rule, Settings};

pub(super) static RULE: Rule = Rule {
    code: "SK908",
    name: "verbatim-copy",
    level: None,
    fix: Fixes::Never,
    summary: "a `SKILL.md` is a copy of another, byte for byte",
    docs: Docs {
        finds: "Two or more files `SKILL.md` with the same bytes, wherever they are.",
        hurts: "A copy is mended in one place and stays broken in the other.",
        ignore: "Off unless it is asked for: a third of all public skills are copies, and a skill that is given to several \
                 agents must be one.",
        bad: &[Example {
            files: &[
                (
                    "a/skills/pdf/SKILL.md",
                    Piece::Text(
                        "---\nname: pdf\ndescription: Fill PDF forms. Use when a form is to be filled in.\n---\n# PDF\n",
                    ),
                ),
                (
                    "b/skills/pdf/SKILL.md",
                    Piece::Text(
                        "---\nname: pdf\ndescription: Fill PDF forms. Use when a form is to be filled in.\n---\n# PDF\n",
                    ),
                ),
            ],
            settings: "extend-select = [\"verbatim-copy\"]",
        }],
        good: &[Example {
            files: &[
                (
                    "a/skills/pdf/SKILL.md",
                    Piece::Text(
                        "---\nname: pdf\ndescription: Fill PDF forms. Use when a form is to be filled in.\n---\n# PDF\n",
                    ),
                ),
                (
                    "b/skills/pdf/SKILL.md",
                    Piece::Text("---\nname: pdf\ndescription: Fill PDF forms. Use when a form is there.\n---\n# PDF\n"),
                ),
            ],
            settings: "extend-select = [\"verbatim-copy\"]",
        }],
    },
    check: Check::Skills(check),
};

fn check(skills: &[Summary], _: &Settings, found: &mut Found) {
    for group in groups(skills, |skill| Some(skill.digest)) {
        for other in &group[1..] {
            let finding = placed(RULE.finding(format!("this is a copy of `{}`", group[0].path)), None);
            found.add(&other.path, finding);
        }
    }
}
