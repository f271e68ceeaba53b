//! Gates: whether a skill's requirements are met.
//!
//! As OpenClaw decides it: the system first; a skill that is `always` on passes the rest.

use std::collections::BTreeSet;
use std::fmt;

use serde::Serialize;

use super::text::one_line;
use skillpm_core::error::{Error, Result};
use skillpm_core::skill::SkillGates;

/// The facts that gates are checked against.
#[derive(Debug)]
pub struct GateAssumptions {
    /// The system: `linux`, `darwin` or `win32`; empty for any.
    pub os: String,
    /// The programs on the path.
    pub bins: NameSet,
    /// The environment variables that are set.
    pub env: NameSet,
    /// The paths of the agent's configuration that are true.
    pub config: NameSet,
}

/// A set of names, given as a list or by a predicate.
pub enum NameSet {
    /// These and no others.
    Fixed(BTreeSet<String>),
    /// The names for which the predicate is true.
    Lookup(Box<dyn Fn(&str) -> bool + Send + Sync>),
}

impl NameSet {
    /// Whether `name` is in it.
    #[must_use]
    pub fn contains(&self, name: &str) -> bool {
        match self {
            NameSet::Fixed(names) => names.contains(name),
            NameSet::Lookup(ask) => ask(name),
        }
    }
}

impl Default for NameSet {
    fn default() -> Self {
        NameSet::Fixed(BTreeSet::new())
    }
}

impl<'a> FromIterator<&'a str> for NameSet {
    fn from_iter<I: IntoIterator<Item = &'a str>>(names: I) -> Self {
        NameSet::Fixed(names.into_iter().map(str::to_owned).collect())
    }
}

impl fmt::Debug for NameSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NameSet::Fixed(names) => f.debug_set().entries(names).finish(),
            // A predicate has no list of its names.
            NameSet::Lookup(_) => f.write_str("Ask(..)"),
        }
    }
}

impl GateAssumptions {
    /// Nothing but a system, and OpenClaw's one setting that is on by default.
    #[must_use]
    pub fn for_os(os: &str) -> Self {
        // OpenClaw counts `browser.enabled` as on unless its configuration says otherwise.
        let config = ["browser.enabled"].into_iter().collect();
        GateAssumptions {
            os: os.to_owned(),
            bins: NameSet::default(),
            env: NameSet::default(),
            config,
        }
    }

    /// A machine that meets every requirement: for what is published, which others will use.
    #[must_use]
    pub fn any_machine() -> Self {
        let everything = || NameSet::Lookup(Box::new(|_| true));
        GateAssumptions {
            os: String::new(),
            bins: everything(),
            env: everything(),
            config: everything(),
        }
    }

    /// Replaces what `text` names: `os=linux,bins=git,rg,env=TOKEN`, where an item without `=` belongs to the key
    /// before it. `bins=` alone means an empty set.
    ///
    /// # Errors
    /// If a key is unknown or the first item has none.
    pub fn override_with(&mut self, text: &str) -> Result<()> {
        // Values are collected first: `bins=git,rg` has the same comma as between two keys.
        let mut given: Vec<(&str, Vec<&str>)> = Vec::new();

        for item in text.split(',').map(str::trim) {
            match (item.split_once('='), given.last_mut()) {
                (Some((key, first)), _) => given.push((key.trim(), vec![first.trim()])),
                (None, Some((_, items))) => items.push(item),
                (None, None) => return Err(invalid_assumption(item)),
            }
        }

        for (key, mut items) in given {
            items.retain(|item| !item.is_empty());

            match (key, items.as_slice()) {
                ("os", [os]) => (*os).clone_into(&mut self.os),
                // `bins=` alone leaves an empty list, which means that no program is there.
                ("bins", _) => self.bins = items.into_iter().collect(),
                ("env", _) => self.env = items.into_iter().collect(),
                ("config", _) => self.config = items.into_iter().collect(),
                // Also `os=` with two values: a machine has one system.
                _ => return Err(invalid_assumption(key)),
            }
        }
        Ok(())
    }
}

fn invalid_assumption(item: &str) -> Error {
    Error::usage(format!("invalid assumption `{}`", item.escape_debug()))
        .help("use `--assume os=linux,bins=git,rg,env=TOKEN`")
}

/// Missing requirements of a skill.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct MissingRequirements {
    /// Programs.
    pub bins: Vec<String>,
    /// All programs of an unmet any-of requirement.
    #[serde(rename = "anyBins")]
    pub any_bins: Vec<String>,
    /// Environment variables, by name; their values are never looked at.
    pub env: Vec<String>,
    /// Paths in the agent's configuration.
    pub config: Vec<String>,
    /// The supported systems.
    pub os: Vec<String>,
}

impl MissingRequirements {
    /// Whether nothing is missing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == MissingRequirements::default()
    }

    /// A description of the missing requirements: `it needs linux; the program rg; the variable TOKEN`.
    #[must_use]
    pub fn sentence(&self) -> String {
        let setting = ("the agent's setting", "the agent's settings");
        let parts = [
            describe_names(&self.os, ("", ""), " or "),
            describe_names(&self.bins, ("the program", "the programs"), ", "),
            describe_names(&self.any_bins, ("the program", "one of the programs"), ", "),
            describe_names(&self.env, ("the variable", "the variables"), ", "),
            describe_names(&self.config, setting, ", "),
        ];

        format!(
            "it needs {}",
            parts.into_iter().flatten().collect::<Vec<_>>().join("; ")
        )
    }
}

/// The names with what they are, one or several of them; `None` if there are no names.
fn describe_names(names: &[String], (one, many): (&str, &str), between: &str) -> Option<String> {
    if names.is_empty() {
        return None;
    }

    let what = if names.len() == 1 { one } else { many };
    let names: Vec<_> = names
        .iter()
        .map(|name| format!("`{}`", one_line(name)))
        .collect();
    let text = format!("{what} {}", names.join(between));
    Some(text.trim_start().to_owned())
}

/// Missing requirements of a skill with these gates.
#[must_use]
pub fn find_missing(gates: &SkillGates, assume: &GateAssumptions) -> MissingRequirements {
    let mut missing = MissingRequirements::default();

    let is_any_system = gates.os.is_empty() || assume.os.is_empty();
    if !is_any_system && !gates.os.iter().any(|os| same_system(os, &assume.os)) {
        missing.os.clone_from(&gates.os);
    }
    // As in OpenClaw: `always` skips every gate but that of the system.
    if gates.always {
        return missing;
    }

    missing.bins = find_absent(&gates.bins, &assume.bins);
    missing.env = find_absent(&gates.env, &assume.env);
    missing.config = find_absent(&gates.config, &assume.config);
    // With an empty list `any` is false, and cloning the empty list reports nothing missing.
    if !gates.any_bins.iter().any(|bin| assume.bins.contains(bin)) {
        missing.any_bins.clone_from(&gates.any_bins);
    }

    missing
}

fn find_absent(wanted: &[String], known: &NameSet) -> Vec<String> {
    wanted
        .iter()
        .filter(|name| !known.contains(name))
        .cloned()
        .collect()
}

/// Whether two names mean the same system: skills write `darwin` or `macos`, `win32` or `windows`.
fn same_system(a: &str, b: &str) -> bool {
    let canonical = |os: &str| match os.to_ascii_lowercase().as_str() {
        "macos" => "darwin".to_owned(),
        "windows" => "win32".to_owned(),
        other => other.to_owned(),
    };

    canonical(a) == canonical(b)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(names: &[&str]) -> Vec<String> {
        names.iter().map(|&name| name.to_owned()).collect()
    }

    fn assume(text: &str) -> GateAssumptions {
        let mut assume = GateAssumptions::for_os("linux");
        assume.override_with(text).unwrap();
        assume
    }

    #[test]
    fn each_gate_reports_what_openclaw_reports() {
        let gates = SkillGates {
            os: list(&["darwin", "win32"]),
            bins: list(&["git", "rg"]),
            any_bins: list(&["vim", "nano"]),
            env: list(&["TOKEN", "HOME"]),
            config: list(&["browser.enabled", "mail.on"]),
            ..SkillGates::default()
        };
        let missing = find_missing(&gates, &assume("bins=git,env=HOME"));
        assert_eq!(missing.os, ["darwin", "win32"]);
        assert_eq!(missing.bins, ["rg"]);
        assert_eq!(missing.any_bins, ["vim", "nano"]);
        assert_eq!(missing.env, ["TOKEN"]);
        assert_eq!(missing.config, ["mail.on"]);
        assert_eq!(
            missing.sentence(),
            "it needs `darwin` or `win32`; the program `rg`; one of the programs `vim`, `nano`; the variable `TOKEN`; \
             the agent's setting `mail.on`"
        );
    }

    #[test]
    fn always_passes_everything_but_the_system() {
        let gates = SkillGates {
            always: true,
            os: list(&["macos"]),
            bins: list(&["none"]),
            env: list(&["X"]),
            ..SkillGates::default()
        };
        assert!(find_missing(&gates, &assume("os=darwin")).is_empty());
        let elsewhere = find_missing(&gates, &assume("os=linux"));
        assert_eq!((elsewhere.os.len(), elsewhere.bins.len()), (1, 0));
    }

    #[test]
    fn one_of_any_bins_is_enough() {
        let gates = SkillGates {
            any_bins: list(&["vim", "nano"]),
            ..SkillGates::default()
        };
        assert!(find_missing(&gates, &assume("bins=nano")).is_empty());
    }

    #[test]
    fn any_machine_meets_all_but_what_is_assumed_of_it() {
        let gates = SkillGates {
            os: list(&["darwin"]),
            bins: list(&["rg"]),
            any_bins: list(&["vim", "nano"]),
            env: list(&["TOKEN"]),
            config: list(&["mail.on"]),
            ..SkillGates::default()
        };
        let mut assume = GateAssumptions::any_machine();
        assert!(find_missing(&gates, &assume).is_empty());
        assume.override_with("os=linux,bins=git").unwrap();
        let missing = find_missing(&gates, &assume);
        assert_eq!(missing.os, ["darwin"]);
        assert_eq!(missing.bins, ["rg"]);
        assert!(missing.env.is_empty() && missing.config.is_empty());
    }

    #[test]
    fn assumptions_replace_only_what_they_name() {
        let mut assume = GateAssumptions::for_os("linux");
        assume.bins = ["git"].into_iter().collect();
        assume.override_with("env=A,B, os=win32").unwrap();
        assert!(assume.bins.contains("git") && assume.env.contains("B") && assume.os == "win32");
        assume.override_with("bins=").unwrap();
        assert!(!assume.bins.contains("git"));
        for bad in ["linux", "os=", "os=a,b", "shell=zsh"] {
            assert!(assume.override_with(bad).is_err(), "{bad}");
        }
    }
}
