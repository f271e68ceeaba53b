//! SK8: manifest, version and dependencies.

mod commands;
mod cycle;
pub(in crate::lint) mod include;
pub(in crate::lint) mod manifest;
pub(in crate::lint) mod metadata;
pub(in crate::lint) mod name;
mod needs;
mod reproducible;
pub(in crate::lint) mod version;

pub(in crate::lint) use commands::{KEYWORD, NAME, UNPUBLISHED};

use crate::lint::Rule;

/// The rules of this group, by code.
pub(super) const RULES: &[&Rule] = &[
    &manifest::SYNTAX,
    &manifest::UNKNOWN_KEY,
    &name::RULE,
    &version::NOT_SEMVER,
    &version::DRIFT,
    &needs::UNBOUNDED,
    &cycle::RULE,
    &needs::UNDECLARED,
    &include::RULE,
    &commands::LOCKFILE,
    &metadata::RULE,
    &reproducible::RULE,
    &commands::NAME,
    &version::MISSING,
    &version::SHORT,
    &commands::KEYWORD,
    &commands::UNPUBLISHED,
];
