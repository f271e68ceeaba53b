//! SK0: file and encoding.

mod byte_order_mark;
mod control_character;
mod empty_file;
mod mixed_line_endings;
mod nested_skill;
mod not_utf8;
mod page_name;
pub(crate) mod suppressions;
mod symlink_escape;

use crate::Rule;

/// The rules of this group, by code.
pub(super) const RULES: &[&Rule] = &[
    // Numbers are never given to another rule, so the gaps in these tables stay.
    &page_name::MISSING,
    &page_name::WRONG_CASE,
    &page_name::COLLISION,
    &not_utf8::RULE,
    &byte_order_mark::RULE,
    &control_character::RULE,
    &mixed_line_endings::RULE,
    &empty_file::RULE,
    &nested_skill::RULE,
    &symlink_escape::RULE,
    &suppressions::WITHOUT_REASON,
    &suppressions::UNKNOWN_RULE,
    &suppressions::UNUSED,
];

/// A valid `SKILL.md`.
const PAGE: &str = "---\nname: pdf\ndescription: Fill PDF forms. Use when a form is to be filled in.\n---\n\n# PDF forms\n\n\
                    List the fields first, then fill them one at a time.\n";
