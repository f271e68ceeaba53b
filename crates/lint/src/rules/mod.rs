//! The table of all rules.
//!
//! A rule is a `static RULE` in a file named for what it finds, below the folder of its group, with its docs, its check
//! and its tests; rules that one look finds stand together in a file named for the look. The examples in its docs are
//! its fixtures: a test lints them all.

#[macro_use]
mod example;

/// A description of nearly as much as is allowed.
macro_rules! long {
    () => {
        concat!(
            "Fill in a form of the tax office from a table of values, check each of its fields and print it. ",
            "Fill in a form of the tax office from a table of values, check each of its fields and print it. ",
            "Fill in a form of the tax office from a table of values, check each of its fields and print it. ",
            "Fill in a form of the tax office from a table of values, check each of its fields and print it. ",
            "Fill in a form of the tax office from a table of values, check each of its fields and print it. ",
            "Fill in a form of the tax office from a table of values, check each of its fields and print it. ",
            "Fill in a form of the tax office from a table of values, check each of its fields and print it. ",
            "Fill in a form of the tax office from a table of values, check each of its fields and print it. ",
            "Fill in a form of the tax office from a table of values, check each of its fields and print it. ",
            "Fill in a form of the tax office from a table of values, check each of its fields and print it. ",
        )
    };
}

mod across;
mod body;
pub(super) mod contents;
mod description;
mod file;
mod formats;
mod frontmatter;
mod name;
pub(super) mod package;
mod portability;
mod scripts;
mod security;

use std::collections::HashMap;
use std::sync::LazyLock;

use super::Rule;

pub(super) use file::suppressions;
pub(crate) use security::secrets;
pub(super) use security::severity::severity;

/// Rules about one thing.
pub struct Group {
    /// What their codes begin with.
    pub code: &'static str,
    /// What they are about.
    pub title: &'static str,
    /// They, by code.
    pub rules: &'static [&'static Rule],
}

/// All groups, by code.
pub const GROUPS: [Group; 12] = [
    Group { code: "SK0", title: "File and encoding", rules: file::RULES },
    Group { code: "SK1", title: "Frontmatter", rules: frontmatter::RULES },
    Group { code: "SK2", title: "Name", rules: name::RULES },
    Group { code: "SK3", title: "Description", rules: description::RULES },
    Group { code: "SK4", title: "Body and token budget", rules: body::RULES },
    Group { code: "SK5", title: "Links and package contents", rules: contents::RULES },
    Group { code: "SK6", title: "Scripts", rules: scripts::RULES },
    Group { code: "SK7", title: "Security", rules: security::RULES },
    Group { code: "SK8", title: "Manifest, version and dependencies", rules: package::RULES },
    Group { code: "SK9", title: "Across skills", rules: across::RULES },
    Group { code: "SKA", title: "Portability", rules: portability::RULES },
    Group { code: "SKB", title: "Other formats", rules: formats::RULES },
];

/// All rules, by code.
pub fn all() -> impl Iterator<Item = &'static Rule> {
    GROUPS.iter().flat_map(|group| group.rules.iter().copied())
}

/// The rule of this name or code.
#[must_use]
pub fn find(name_or_code: &str) -> Option<&'static Rule> {
    KNOWN.get(name_or_code).map(|(_, rule)| *rule)
}

/// The place in the table, as [`all`] gives it, of the rule of this name or code.
#[must_use]
pub fn position(name_or_code: &str) -> Option<usize> {
    KNOWN.get(name_or_code).map(|(at, _)| *at)
}

static KNOWN: LazyLock<HashMap<&str, (usize, &Rule)>> = LazyLock::new(|| {
    all().enumerate().flat_map(|(at, rule)| [(rule.name, (at, rule)), (rule.code, (at, rule))]).collect()
});

#[cfg(test)]
#[path = "linear/tests.rs"]
mod linear;
#[cfg(test)]
mod tests;
