//! SK1: the frontmatter, where it stands and what is in it.
//!
//! Much of this the reader of skills finds, since it reads around it; the rules here add what is YAML, and yet not what
//! its author meant or not what every agent reads.

mod ambiguous;
mod anchors;
mod comment;
mod compatibility;
mod fences;
mod fields;
mod flow;
mod known;
mod license;
mod metadata;
mod syntax;
mod tabs;
mod tools;
mod types;
mod written;

use crate::lint::Rule;

/// The rules of this group, by code.
pub(super) const RULES: &[&Rule] = &[
    &fences::MISSING,
    &fences::NOT_FIRST,
    &fences::UNCLOSED,
    &fences::BLANKS,
    &fences::DASHES,
    &fences::NOT_MAPPING,
    &fences::TOO_LARGE,
    &syntax::COLON,
    &syntax::RESERVED,
    &syntax::QUOTES,
    &syntax::UNINDENTED,
    &tabs::RULE,
    &syntax::DUPLICATE,
    &syntax::BROKEN_FLOW,
    &comment::RULE,
    &syntax::SYNTAX,
    &ambiguous::RULE,
    &anchors::RULE,
    &flow::RULE,
    &syntax::SURROGATE,
    &syntax::LIMIT,
    &fields::UNKNOWN,
    &fields::MISSPELLED,
    &fields::INERT,
    &fields::PUBLISHED,
    &types::RULE,
    &metadata::RULE,
    &compatibility::RULE,
    &tools::FORMAT,
    &tools::SYNTAX,
    &license::FILE_MISSING,
    &license::NOT_SPDX,
];

#[cfg(test)]
mod tests;
