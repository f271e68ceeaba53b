//! SK8: manifest, version and dependencies.

use crate::lint::Rule;

/// The rules of this group, by code.
pub(super) const RULES: &[&Rule] = &[];
