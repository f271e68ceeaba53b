//! SK4: body and token budget.

mod empty;

use crate::lint::Rule;

/// The rules of this group, by code.
pub(super) const RULES: &[&Rule] = &[&empty::RULE];
