//! A byte order mark before the frontmatter.

use super::PAGE;
use crate::lint::{Check, Docs, Example, Fixes, Piece, Rule};
use crate::report::Level;

pub(super) static RULE: Rule = Rule {
    code: "SK005",
    name: "byte-order-mark",
    level: Some(Level::Error),
    fix: Fixes::Safely,
    summary: "a byte order mark stands before the frontmatter",
    docs: Docs {
        finds: "U+FEFF, three bytes that no editor shows, before the `---` that opens the frontmatter. Some editors on \
                Windows write it into every file.",
        hurts: "Codex, Gemini CLI, OpenClaw, `npx skills` and the reference validator want `---` as the very first \
                characters. They see no frontmatter, and drop the skill.",
        ignore: "Never: nothing reads it.",
        bad: &[Example::page(&[(
            "pdf/SKILL.md",
            Piece::Text(
                "\u{feff}---\nname: pdf\ndescription: Fill PDF forms. Use when a form is to be filled in.\n---\n\n\
                 # PDF forms\n\nList the fields first, then fill them one at a time.\n",
            ),
        )])],
        good: &[Example::page(&[("pdf/SKILL.md", Piece::Text(PAGE))])],
    },
    check: Check::Reader,
};
