//! SK3: description.

mod boilerplate;
mod cut_off;
mod length;
mod multiline;
mod person;
mod placeholder;
mod read;
mod restates;
mod tag;
mod trigger;

use std::ops::Range;

use crate::lint::{Page, Rule};
use crate::report::Span;
use crate::skill::yaml::Node;

/// The rules of this group, by code.
pub(super) const RULES: &[&Rule] = &[
    &read::MISSING,
    &read::EMPTY,
    &read::TOO_LONG,
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

/// A description as it stands in the file.
struct Description<'p> {
    source: &'p str,
    node: &'p Node<'p>,
    /// Its text, trimmed.
    text: &'p str,
    /// Where in the value's text that begins.
    start: usize,
}

impl<'p> Description<'p> {
    fn of(page: &'p Page<'_>) -> Option<Self> {
        page.skill()?;
        let node = page.frontmatter.as_ref()?.root.get("description")?;
        let whole = node.text()?;
        let start = whole.len() - whole.trim_start().len();
        Some(Description { source: page.source, node, text: whole.trim(), start })
    }

    /// Where a part of the text stands in the file; where that cannot be told, all of it.
    fn place(&self, part: Range<usize>) -> Span {
        let part = part.start + self.start..part.end + self.start;
        self.node.place_of(self.source, part).unwrap_or_else(|| self.node.span.clone())
    }
}

/// Where a text begins with one of some phrases, all in lower case, its own case aside: the end of the phrase. No letter
/// follows it.
fn begins_with(text: &str, phrases: &[&str]) -> Option<usize> {
    let begins = |phrase: &&&str| {
        let head = text.as_bytes().get(..phrase.len());
        let next = text.as_bytes().get(phrase.len());
        head.is_some_and(|head| head.eq_ignore_ascii_case(phrase.as_bytes()))
            && !next.is_some_and(u8::is_ascii_alphanumeric)
    };
    phrases.iter().find(begins).map(|phrase| phrase.len())
}
