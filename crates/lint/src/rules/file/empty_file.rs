//! A file without anything in it.

use super::PAGE;
use crate::lint::{Check, Docs, Example, Fixes, Piece, Rule};
use crate::report::Level;

pub(super) static RULE: Rule = Rule {
    code: "SK008",
    name: "empty-file",
    level: Some(Level::Error),
    fix: Fixes::Never,
    summary: "`SKILL.md` is empty",
    docs: Docs {
        finds: "A `SKILL.md` of no bytes, or of nothing but blanks and line ends.",
        hurts: "There is no name, no description and nothing to do: every agent drops it, most of them silently.",
        ignore: "Never: a file that is to be filled later need not be called `SKILL.md` yet.",
        bad: &[
            Example::page(&[("pdf/SKILL.md", Piece::Text(""))]),
            Example::page(&[("pdf/SKILL.md", Piece::Text(" \r\n\n"))]),
        ],
        good: &[Example::page(&[("pdf/SKILL.md", Piece::Text(PAGE))])],
    },
    check: Check::Reader,
};
