//! SK4: body and token budget.

mod empty;
mod fence;
mod headings;
mod machine_path;
mod size;
mod stub;
mod todo;

use crate::Rule;

/// The rules of this group, by code.
pub(super) const RULES: &[&Rule] = &[
    &empty::RULE,
    &stub::RULE,
    &size::TOO_MANY_LINES,
    &size::OVER_BUDGET,
    &size::FAR_OVER_BUDGET,
    &fence::RULE,
    &todo::RULE,
    &machine_path::RULE,
    &headings::NONE,
    &headings::ORDER,
];
