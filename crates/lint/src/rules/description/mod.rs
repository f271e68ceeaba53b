//! SK3: description.

mod boilerplate;
mod cut_off;
mod length;
mod multiline;
mod person;
mod placeholder;
mod required;
mod restates;
mod tag;
mod trigger;

use std::ops::Range;

use crate::{MarkdownPage, Rule};
use skillpm_core::report::Span;
use skillpm_core::skill::yaml::YamlNode;

/// The rules of this group, by code.
pub(super) const RULES: &[&Rule] = &[
    &required::MISSING,
    &required::EMPTY,
    &required::TOO_LONG,
    &length::TOO_SHORT,
    &trigger::RULE,
    &person::RULE,
    &tag::RULE,
    &placeholder::RULE,
    &restates::RULE,
    &cut_off::RULE,
    &boilerplate::RULE,
    &multiline::MULTILINE,
    &length::SHORT,
    &multiline::ESCAPED,
];

/// A description with its place in the file.
struct DescriptionText<'p> {
    source: &'p str,
    node: &'p YamlNode<'p>,
    /// Its text, trimmed.
    text: &'p str,
    /// Where the trimmed text begins in the value's text.
    start: usize,
}

impl<'p> DescriptionText<'p> {
    fn from_page(page: &'p MarkdownPage<'_>) -> Option<Self> {
        // Without a skill the reader has reported what is wrong, and the text is not shown by any
        // agent.
        page.skill()?;
        let node = page.frontmatter.as_ref()?.root.get("description")?;
        let whole = node.text()?;
        let start = whole.len() - whole.trim_start().len();

        Some(DescriptionText {
            source: page.source,
            node,
            text: whole.trim(),
            start,
        })
    }

    /// The span of a part of the text in the file; the whole value if that is unknown.
    fn span_of(&self, part: Range<usize>) -> Span {
        let part = part.start + self.start..part.end + self.start;
        self.node
            .text_span(self.source, part)
            // With escapes or folded lines a part of the text has no place of its own.
            .unwrap_or_else(|| self.node.span.clone())
    }
}

/// If a text begins with one of the phrases (in lower case), ignoring case, and no letter or digit follows: the length of
/// the phrase.
fn begins_with(text: &str, phrases: &[&str]) -> Option<usize> {
    let begins = |phrase: &&&str| {
        let head = text.as_bytes().get(..phrase.len());
        let next = text.as_bytes().get(phrase.len());
        head.is_some_and(|head| head.eq_ignore_ascii_case(phrase.as_bytes()))
            // `This skillful` is not the phrase `This skill`.
            && !next.is_some_and(u8::is_ascii_alphanumeric)
    };
    phrases.iter().find(begins).map(|phrase| phrase.len())
}
