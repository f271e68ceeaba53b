//! Gates: whether what a skill needs is there.
//!
//! As OpenClaw decides it: the system first; a skill that is `always` on passes the rest.

use std::collections::BTreeSet;
use std::fmt;

use serde::Serialize;

use super::text::one_line;
use crate::error::{Error, Result};
use crate::skill::Gates;

/// What is taken to be there.
#[derive(Debug)]
pub struct Assume {
    /// The system: `linux`, `darwin` or `win32`.
    pub os: String,
    /// The programs on the path.
    pub bins: Known,
    /// The environment variables that are set.
    pub env: Known,
    /// The paths of the agent's configuration that are true.
    pub config: Known,
}

/// A set of names, given as it is or by asking.
pub enum Known {
    /// These and no others.
    These(BTreeSet<String>),
    /// Those for which the answer is yes.
    Ask(Box<dyn Fn(&str) -> bool + Send + Sync>),
}

impl Known {
    /// Whether `name` is in it.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        match self {
            Known::These(names) => names.contains(name),
            Known::Ask(ask) => ask(name),
        }
    }
}

impl Default for Known {
    fn default() -> Self {
        Known::These(BTreeSet::new())
    }
}

impl<'a> FromIterator<&'a str> for Known {
    fn from_iter<I: IntoIterator<Item = &'a str>>(names: I) -> Self {
        Known::These(names.into_iter().map(str::to_owned).collect())
    }
}

impl fmt::Debug for Known {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Known::These(names) => f.debug_set().entries(names).finish(),
            Known::Ask(_) => f.write_str("Ask(..)"),
        }
    }
}

impl Assume {
    /// Nothing but a system, and OpenClaw's one setting that is on by default.
    #[must_use]
    pub fn bare(os: &str) -> Self {
        let config = ["browser.enabled"].into_iter().collect();
        Assume { os: os.to_owned(), bins: Known::default(), env: Known::default(), config }
    }

    /// Replaces what `text` names: `os=linux,bins=git,rg,env=TOKEN`, where an item without `=` belongs to the key
    /// before it. `bins=` alone means that there is none.
    ///
    /// # Errors
    /// If a key is unknown or the first item has none.
    pub fn replace(&mut self, text: &str) -> Result<()> {
        let mut given: Vec<(&str, Vec<&str>)> = Vec::new();
        for item in text.split(',').map(str::trim) {
            match (item.split_once('='), given.last_mut()) {
                (Some((key, first)), _) => given.push((key.trim(), vec![first.trim()])),
                (None, Some((_, items))) => items.push(item),
                (None, None) => return Err(misread(item)),
            }
        }
        for (key, mut items) in given {
            items.retain(|item| !item.is_empty());
            match (key, items.as_slice()) {
                ("os", [os]) => (*os).clone_into(&mut self.os),
                ("bins", _) => self.bins = items.into_iter().collect(),
                ("env", _) => self.env = items.into_iter().collect(),
                ("config", _) => self.config = items.into_iter().collect(),
                _ => return Err(misread(key)),
            }
        }
        Ok(())
    }
}

fn misread(item: &str) -> Error {
    Error::usage(format!("`{}` is nothing that can be assumed", item.escape_debug()))
        .help("write it like `--assume os=linux,bins=git,rg,env=TOKEN`")
}

/// What a skill needs and does not have.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Missing {
    /// Programs.
    pub bins: Vec<String>,
    /// Programs of which one would do: all of them.
    #[serde(rename = "anyBins")]
    pub any_bins: Vec<String>,
    /// Environment variables, by name; their values are never looked at.
    pub env: Vec<String>,
    /// Paths in the agent's configuration.
    pub config: Vec<String>,
    /// The systems that would do.
    pub os: Vec<String>,
}

impl Missing {
    /// Whether nothing is missing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Missing::default()
    }

    /// What is missing, in words: `it needs linux; the program rg; the variable TOKEN`.
    #[must_use]
    pub fn sentence(&self) -> String {
        let names = |names: &[String], between: &str| {
            names.iter().map(|name| format!("`{}`", one_line(name))).collect::<Vec<_>>().join(between)
        };
        let part = |list: &[String], one: &str, many: &str, between: &str| {
            let what = if list.len() == 1 { one } else { many };
            (!list.is_empty()).then(|| format!("{what} {}", names(list, between)).trim_start().to_owned())
        };
        let parts = [
            part(&self.os, "", "", " or "),
            part(&self.bins, "the program", "the programs", ", "),
            part(&self.any_bins, "the program", "one of the programs", ", "),
            part(&self.env, "the variable", "the variables", ", "),
            part(&self.config, "the agent's setting", "the agent's settings", ", "),
        ];
        format!("it needs {}", parts.into_iter().flatten().collect::<Vec<_>>().join("; "))
    }
}

/// What is missing for a skill with these gates.
#[must_use]
pub fn missing(gates: &Gates, assume: &Assume) -> Missing {
    let mut missing = Missing::default();
    if !gates.os.is_empty() && !gates.os.iter().any(|os| same_system(os, &assume.os)) {
        missing.os.clone_from(&gates.os);
    }
    if gates.always {
        return missing;
    }
    let absent = |wanted: &[String], known: &Known| -> Vec<String> {
        wanted.iter().filter(|name| !known.has(name)).cloned().collect()
    };
    missing.bins = absent(&gates.bins, &assume.bins);
    missing.env = absent(&gates.env, &assume.env);
    missing.config = absent(&gates.config, &assume.config);
    if !gates.any_bins.iter().any(|bin| assume.bins.has(bin)) {
        missing.any_bins.clone_from(&gates.any_bins);
    }
    missing
}

/// Whether two names mean one system: skills write `darwin` or `macos`, `win32` or `windows`.
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

    fn assume(text: &str) -> Assume {
        let mut assume = Assume::bare("linux");
        assume.replace(text).unwrap();
        assume
    }

    #[test]
    fn each_gate_reports_what_openclaw_reports() {
        let gates = Gates {
            os: list(&["darwin", "win32"]),
            bins: list(&["git", "rg"]),
            any_bins: list(&["vim", "nano"]),
            env: list(&["TOKEN", "HOME"]),
            config: list(&["browser.enabled", "mail.on"]),
            ..Gates::default()
        };
        let missing = missing(&gates, &assume("bins=git,env=HOME"));
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
        let gates =
            Gates { always: true, os: list(&["macos"]), bins: list(&["none"]), env: list(&["X"]), ..Gates::default() };
        assert!(missing(&gates, &assume("os=darwin")).is_empty());
        let elsewhere = missing(&gates, &assume("os=linux"));
        assert_eq!((elsewhere.os.len(), elsewhere.bins.len()), (1, 0));
    }

    #[test]
    fn one_of_any_bins_is_enough() {
        let gates = Gates { any_bins: list(&["vim", "nano"]), ..Gates::default() };
        assert!(missing(&gates, &assume("bins=nano")).is_empty());
    }

    #[test]
    fn assumptions_replace_only_what_they_name() {
        let mut assume = Assume::bare("linux");
        assume.bins = ["git"].into_iter().collect();
        assume.replace("env=A,B, os=win32").unwrap();
        assert!(assume.bins.has("git") && assume.env.has("B") && assume.os == "win32");
        assume.replace("bins=").unwrap();
        assert!(!assume.bins.has("git"));
        for bad in ["linux", "os=", "os=a,b", "shell=zsh"] {
            assert!(assume.replace(bad).is_err(), "{bad}");
        }
    }
}
