//! One description for several skills.

use super::name::composed;
use super::{groups, placed};
use crate::lint::across::Summary;
use crate::lint::{Check, Docs, Example, Fixes, Found, Piece, Rule, Settings};
use crate::report::Level;
use crate::skill::name::shown;

pub(super) static RULE: Rule = Rule {
    code: "SK903",
    name: "duplicate-description",
    level: Some(Level::Warning),
    fix: Fixes::Never,
    summary: "two skills of one directory have the same description",
    docs: Docs {
        finds: "Skills of different names below one root (see `duplicate-name`) whose descriptions are equal, line breaks \
                and case aside.",
        hurts: "The description is what an agent chooses by. Between two equal ones it chooses at random, and one of them \
                is mostly wrong: it was copied with the skill.",
        ignore: "Variants of one skill that are only called by name.",
        bad: &[Example::files(&[
            (
                "skills/pdf/SKILL.md",
                Piece::Text(
                    "---\nname: pdf\ndescription: Fill PDF forms. Use when a form is to be filled in.\n---\n# PDF\n",
                ),
            ),
            (
                "skills/docx/SKILL.md",
                Piece::Text(
                    "---\nname: docx\ndescription: Fill PDF forms. Use when a form is to be filled in.\n---\n# Word\n",
                ),
            ),
        ])],
        good: &[
            Example::files(&[
                (
                    "skills/pdf/SKILL.md",
                    Piece::Text(
                        "---\nname: pdf\ndescription: Fill PDF forms. Use when a form is to be filled in.\n---\n# PDF\n",
                    ),
                ),
                (
                    "skills/docx/SKILL.md",
                    Piece::Text(
                        "---\nname: docx\ndescription: Fill Word forms. Use when a form is to be filled in.\n---\n# Word\n",
                    ),
                ),
            ]),
            Example::files(&[
                (
                    ".agents/skills/pdf/SKILL.md",
                    Piece::Text(
                        "---\nname: pdf\ndescription: Fill PDF forms. Use when a form is to be filled in.\n---\n# PDF\n",
                    ),
                ),
                (
                    ".claude/skills/pdf/SKILL.md",
                    Piece::Text(
                        "---\nname: pdf\ndescription: Fill PDF forms. Use when a form is to be filled in.\n---\n# PDF\n",
                    ),
                ),
            ]),
        ],
    },
    check: Check::Skills(check),
};

fn check(skills: &[Summary], _: &Settings, found: &mut Found) {
    let listed = skills.iter().filter(|skill| skill.listed);
    for group in groups(listed, |skill| Some((skill.root(), skill.description.to_lowercase()))) {
        let first = group[0];
        for other in group.iter().filter(|other| composed(&other.name) != composed(&first.name)) {
            let finding = RULE.finding(format!("the description is that of `{}`, too", shown(&first.name)));
            let finding = placed(finding, other.description_at.as_ref()).note(format!("the other: {}", first.path));
            found.add(&other.path, finding.help("say in what they differ: what this one is for, and when"));
        }
    }
}
