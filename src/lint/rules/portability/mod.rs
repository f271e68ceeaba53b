//! SKA: portability.

use crate::lint::Rule;

/// The rules of this group, by code.
pub(super) const RULES: &[&Rule] = &[];
