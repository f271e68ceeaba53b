//! SK5: links and package contents.

mod anchor;
mod backslash;
mod links;
mod target;

use crate::lint::Rule;

/// The rules of this group, by code.
pub(super) const RULES: &[&Rule] =
    &[&links::BROKEN, &links::ESCAPES, &links::ABSOLUTE, &backslash::RULE, &links::CASE, &links::ANCHOR];
