//! SK2: name.

mod builtin;
mod confusable;
mod reserved;
mod shape;
mod vague;
mod windows;

use crate::{MarkdownPage, Rule};
use skillpm_core::skill::{Skill, SkillFrontmatter, yaml::YamlNode};

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

/// The skill and its frontmatter with the value of `name`, if it has one.
fn name_field<'p>(
    page: &'p MarkdownPage<'_>,
) -> Option<(&'p Skill, &'p SkillFrontmatter<'p>, &'p YamlNode<'p>)> {
    // A name taken from the directory is not written in the file, so no rule can point at it.
    let skill = page.skill().filter(|skill| skill.named)?;
    let frontmatter = page.frontmatter.as_ref()?;
    Some((skill, frontmatter, frontmatter.root.get("name")?))
}
