//! The table of all rules.
//!
//! A rule is a `static RULE` in a file named after what it finds, in the directory of its group, with its docs, its check
//! and its tests; rules that share a check share a file. The examples in its docs are its fixtures: a test lints them
//! all.

#[macro_use]
mod example;

/// A description just under the limit.
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
// The packer checks junk, secrets and sizes by the same functions, so that it agrees with `lint`.
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

pub(super) use contents::{link_target, named_path};
pub(super) use file::suppressions;
pub(crate) use security::secrets;
pub(super) use security::severity::severity;

/// A digest of the sources of the rules, made when they are compiled: with other rules it is another.
pub const DIGEST: &str = env!("SKILLPM_RULES");

/// A group of rules about one topic.
pub struct RuleGroup {
    /// The prefix of their codes.
    pub code: &'static str,
    /// Their topic.
    pub title: &'static str,
    /// The rules, by code.
    pub rules: &'static [&'static Rule],
}

/// All groups, by code.
pub const GROUPS: [RuleGroup; 12] = [
    RuleGroup {
        code: "SK0",
        title: "File and encoding",
        rules: file::RULES,
    },
    RuleGroup {
        code: "SK1",
        title: "Frontmatter",
        rules: frontmatter::RULES,
    },
    RuleGroup {
        code: "SK2",
        title: "Name",
        rules: name::RULES,
    },
    RuleGroup {
        code: "SK3",
        title: "Description",
        rules: description::RULES,
    },
    RuleGroup {
        code: "SK4",
        title: "Body and token budget",
        rules: body::RULES,
    },
    RuleGroup {
        code: "SK5",
        title: "Links and package contents",
        rules: contents::RULES,
    },
    RuleGroup {
        code: "SK6",
        title: "Scripts",
        rules: scripts::RULES,
    },
    RuleGroup {
        code: "SK7",
        title: "Security",
        rules: security::RULES,
    },
    RuleGroup {
        code: "SK8",
        title: "Manifest, version and dependencies",
        rules: package::RULES,
    },
    RuleGroup {
        code: "SK9",
        title: "Across skills",
        rules: across::RULES,
    },
    RuleGroup {
        code: "SKA",
        title: "Portability",
        rules: portability::RULES,
    },
    RuleGroup {
        code: "SKB",
        title: "Other formats",
        rules: formats::RULES,
    },
];

/// All rules, by code.
pub fn all() -> impl Iterator<Item = &'static Rule> {
    // Settings refer to rules by their index in this order, so groups and rules are sorted by code.
    GROUPS.iter().flat_map(|group| group.rules.iter().copied())
}

/// Finds a rule by name or code.
#[must_use]
pub fn find(name_or_code: &str) -> Option<&'static Rule> {
    RULE_INDEX.get(name_or_code).map(|(_, rule)| *rule)
}

/// The index of a rule, given by name or code, in the order of [`all`].
#[must_use]
pub fn position(name_or_code: &str) -> Option<usize> {
    RULE_INDEX.get(name_or_code).map(|(at, _)| *at)
}

static RULE_INDEX: LazyLock<HashMap<&str, (usize, &Rule)>> = LazyLock::new(|| {
    all()
        .enumerate()
        // Settings, comments and flags may use either, so both lead to the rule.
        .flat_map(|(at, rule)| [(rule.name, (at, rule)), (rule.code, (at, rule))])
        .collect()
});

#[cfg(test)]
// It runs every rule on texts that grow, and fails if the time grows faster.
#[path = "linear/tests.rs"]
mod linear;
#[cfg(test)]
mod tests;
