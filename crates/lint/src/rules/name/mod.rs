//! SK2: name.

mod builtin;
mod confusable;
mod reserved;
mod shape;
mod vague;
mod windows;

use crate::lint::{Page, Rule};
use crate::skill::{Frontmatter, Skill, yaml::Node};

/// The rules of this group, by code.
pub(super) const RULES: &[&Rule] = &[
    &shape::MISSING,
    &shape::EMPTY,
    &shape::INVALID_CHARS,
    &shape::UPPERCASE,
    &shape::HYPHEN_EDGE,
    &shape::DOUBLE_HYPHEN,
    &shape::TOO_LONG,
    &shape::DIRECTORY_MISMATCH,
    &shape::NON_ASCII,
    &reserved::RULE,
    &builtin::RULE,
    &vague::RULE,
    &confusable::RULE,
    &windows::RULE,
];

/// The name that a page's frontmatter has, with its value there.
fn written<'p>(page: &'p Page<'_>) -> Option<(&'p Skill, &'p Frontmatter<'p>, &'p Node<'p>)> {
    let skill = page.skill().filter(|skill| skill.named)?;
    let frontmatter = page.frontmatter.as_ref()?;
    Some((skill, frontmatter, frontmatter.root.get("name")?))
}
