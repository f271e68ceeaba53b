//! What an agent may do with the tools that skills declare, by patterns on `skill__tool`.
//!
//! ```toml
//! [catalog]
//! tools = { allow = ["pdf-forms__read_*"], deny = ["*__delete_*"], ask = ["mail__*"] }
//! ```
//!
//! `deny` goes before `ask`, and `ask` before `allow`; what no pattern names needs a person's approval.

use serde::Serialize;

use super::view::fits;

/// What is to happen when a model calls a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// It is run.
    Allow,
    /// A person is asked first.
    Approval,
    /// It is not offered.
    Deny,
}

/// The patterns, in which `*` stands for any characters.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Permissions {
    /// Tools that are run.
    pub allow: Vec<String>,
    /// Tools that are not offered.
    pub deny: Vec<String>,
    /// Tools for which a person is asked, whatever `allow` says.
    pub ask: Vec<String>,
}

impl Permissions {
    /// What holds for the tool of that name, and the pattern that says so; `None` if none does.
    #[must_use]
    pub fn verdict(&self, name: &str) -> (Verdict, Option<&str>) {
        let lists = [(Verdict::Deny, &self.deny), (Verdict::Approval, &self.ask), (Verdict::Allow, &self.allow)];
        for (verdict, patterns) in lists {
            if let Some(pattern) = patterns.iter().find(|pattern| fits(pattern, name)) {
                return (verdict, Some(pattern));
            }
        }
        (Verdict::Approval, None)
    }

    /// Lays the patterns of `other` beside these.
    pub fn add(&mut self, other: &Permissions) {
        self.allow.extend_from_slice(&other.allow);
        self.deny.extend_from_slice(&other.deny);
        self.ask.extend_from_slice(&other.ask);
    }

    /// The patterns of all lists.
    pub fn patterns(&self) -> impl Iterator<Item = &str> {
        self.deny.iter().chain(&self.ask).chain(&self.allow).map(String::as_str)
    }
}

/// The name by which permissions know a skill's tool: `skill__tool`.
#[must_use]
pub fn full_name(skill: &str, tool: &str) -> String {
    format!("{skill}__{tool}")
}

/// Why no tool can ever fit a pattern, `None` if one can. Tools are called `skill__tool`, so a pattern that has neither
/// `__` nor a star fits nothing.
#[must_use]
pub fn never_fits(pattern: &str) -> Option<&'static str> {
    let plain = !pattern.contains('*') && !pattern.contains("__");
    plain.then_some("tools are called `skill__tool`, and it has neither `__` nor `*`")
}

/// Why Nova's own matcher never fits a pattern, `None` if it can: as shipped it knows whole names, `name(*)`, and a star
/// at the end. See `CONSUMERS.md`, 1.1.
#[must_use]
pub fn never_fits_in_nova(pattern: &str) -> Option<&'static str> {
    let head = pattern.strip_suffix("(*)").or_else(|| pattern.strip_suffix('*')).unwrap_or(pattern);
    head.contains('*').then_some("Nova's own matcher knows a star at the end only")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn permissions() -> Permissions {
        let list = |patterns: &[&str]| patterns.iter().map(|&pattern| pattern.to_owned()).collect();
        Permissions { allow: list(&["pdf__*"]), deny: list(&["*__delete_*"]), ask: list(&["pdf__send"]) }
    }

    #[test]
    fn deny_goes_before_ask_and_ask_before_allow_and_the_rest_needs_approval() {
        let permissions = permissions();
        for (tool, expected) in [
            ("pdf__read", (Verdict::Allow, Some("pdf__*"))),
            ("pdf__send", (Verdict::Approval, Some("pdf__send"))),
            ("pdf__delete_page", (Verdict::Deny, Some("*__delete_*"))),
            ("mail__send", (Verdict::Approval, None)),
        ] {
            assert_eq!(permissions.verdict(tool), expected, "{tool}");
        }
    }

    #[test]
    fn patterns_that_fit_nothing_are_known() {
        assert!(never_fits("delete").is_some());
        for pattern in ["pdf__read", "pdf*", "*"] {
            assert_eq!(never_fits(pattern), None, "{pattern}");
        }
        for pattern in ["*__delete_*", "*_x", "a*b(*)"] {
            assert!(never_fits_in_nova(pattern).is_some(), "{pattern}");
        }
        for pattern in ["pdf__read", "pdf__*", "pdf__read(*)", "*"] {
            assert_eq!(never_fits_in_nova(pattern), None, "{pattern}");
        }
    }
}
