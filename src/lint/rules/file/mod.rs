//! SK0: file and encoding.

pub(in crate::lint) mod suppressions;

use crate::lint::Rule;

/// The rules of this group, by code.
pub(super) const RULES: &[&Rule] = &[&suppressions::WITHOUT_REASON, &suppressions::UNKNOWN_RULE, &suppressions::UNUSED];
