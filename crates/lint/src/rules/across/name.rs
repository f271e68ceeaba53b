//! One name for several skills that an agent reads from one directory.

use std::borrow::Cow;

use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfkc_quick};

use super::{groups, placed};
use crate::lint::across::Summary;
use crate::lint::{Check, Docs, Example, Fixes, Found, Piece, Rule, Settings};
use crate::report::Level;
use crate::skill::name::shown;

pub(super) static RULE: Rule = Rule {
    code: "SK901",
    name: "duplicate-name",
    level: Some(Level::Error),
    fix: Fixes::Never,
    summary: "two skills of one directory have the same name",
    docs: Docs {
        finds: "Skills with one name (composed, NFKC) below one root that are not copies of each other, byte for byte. A \
                root is what an agent reads together: the nearest directory above the skill that is called `skills`, at \
                any depth, else the directory right above it. `plugins/a/skills` and `plugins/b/skills` are two roots, \
                as are `.claude/skills` and `.agents/skills`; for those see `shadowed`.",
        hurts: "Most agents list one of them, and which one depends on the order of the directory; Codex lists both, and \
                the agent takes either.",
        ignore: "An archive of skills by many authors, below one `skills`, that no agent ever reads as a whole.",
        bad: &[Example::files(&[
            (
                "skills/pdf/SKILL.md",
                Piece::Text(
                    "---\nname: pdf\ndescription: Fill PDF forms. Use when a form is to be filled in.\n---\n# PDF\n",
                ),
            ),
            (
                "skills/office/pdf/SKILL.md",
                Piece::Text(
                    "---\nname: pdf\ndescription: Print PDF files. Use when something is to be printed.\n---\n# PDF\n",
                ),
            ),
        ])],
        good: &[
            Example::files(&[
                (
                    "plugins/a/skills/pdf/SKILL.md",
                    Piece::Text(
                        "---\nname: pdf\ndescription: Fill PDF forms. Use when a form is to be filled in.\n---\n# PDF\n",
                    ),
                ),
                (
                    "plugins/b/skills/pdf/SKILL.md",
                    Piece::Text(
                        "---\nname: pdf\ndescription: Print PDF files. Use when something is to be printed.\n---\n# PDF\n",
                    ),
                ),
            ]),
            Example::files(&[
                (
                    "skills/a/pdf/SKILL.md",
                    Piece::Text(
                        "---\nname: pdf\ndescription: Fill PDF forms. Use when a form is to be filled in.\n---\n# PDF\n",
                    ),
                ),
                (
                    "skills/b/pdf/SKILL.md",
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
    for group in groups(skills, |skill| Some((skill.root(), composed(&skill.name)))) {
        let first = group[0];
        for other in group.iter().filter(|other| other.digest != first.digest) {
            let finding = RULE.finding(format!("the name `{}` is that of another skill, too", shown(&other.name)));
            let finding = placed(finding, other.name_at.as_ref())
                .note(format!("the other: {}", place(first)))
                .note("Codex lists both, other agents one of them")
                .help("rename one of them, with its directory");
            found.add(&other.path, finding);
        }
    }
}

/// A name as it is compared.
pub(super) fn composed(name: &str) -> Cow<'_, str> {
    match is_nfkc_quick(name.chars()) {
        IsNormalized::Yes => name.into(),
        _ => name.nfkc().collect::<String>().into(),
    }
}

/// `path:line:column` of a skill's name.
fn place(skill: &Summary) -> String {
    match &skill.name_at {
        Some(at) => format!("{}:{}:{}", skill.path, at.position.0, at.position.1),
        None => skill.path.clone(),
    }
}
