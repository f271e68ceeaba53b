//! SK1: the frontmatter, its place and its fields.
//!
//! Many of these findings come from the reader of skills, which recovers from such faults; the rules here add valid YAML
//! that is not what its author meant, or that not every agent reads.

mod ambiguous;
mod anchors;
mod comment;
mod compatibility;
mod fences;
mod fields;
mod flow;
mod known_fields;
mod license;
mod metadata;
mod syntax;
mod tabs;
mod tools;
mod types;
mod yaml_edit;

use crate::Rule;

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
