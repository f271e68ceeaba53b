//! SK8: manifest, version and dependencies.

mod commands;
mod cycle;
mod dependencies;
pub(crate) mod include;
pub(crate) mod manifest;
pub(crate) mod metadata;
pub(crate) mod name;
mod reproducible;
pub(crate) mod version;

pub(crate) use commands::{KEYWORD, NAME, UNPUBLISHED};

use crate::Rule;

/// The rules of this group, by code.
pub(super) const RULES: &[&Rule] = &[
    &manifest::SYNTAX,
    &manifest::UNKNOWN_KEY,
    &name::RULE,
    &version::NOT_SEMVER,
    &version::DRIFT,
    &dependencies::UNBOUNDED,
    &cycle::RULE,
    &dependencies::UNDECLARED,
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
