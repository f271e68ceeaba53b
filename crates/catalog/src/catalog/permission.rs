//! What an agent may do with the tools that skills declare, by patterns on `skill__tool`.
//!
//! ```toml
//! [catalog]
//! tools = { allow = ["pdf-forms__read_*"], deny = ["*__delete_*"], ask = ["mail__*"] }
//! ```
//!
//! `deny` goes before `ask`, and `ask` before `allow`; what no pattern names needs a person's approval. A pattern names tools;
//! `(*)` behind it stands for any arguments, which says nothing more.

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

/// The patterns, in which `*` stands for any characters, and `(*)` at the end for any arguments.
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
            if let Some(pattern) = patterns.iter().find(|pattern| fits(head(pattern), name)) {
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

/// The name in a pattern of Nova's form `name(*)`: what a call is given does not decide.
fn head(pattern: &str) -> &str {
    pattern.strip_suffix("(*)").unwrap_or(pattern)
}

/// Why no tool can ever fit a pattern, `None` if one can. Tools are called `skill__tool`, so a pattern without a star fits
/// nothing unless it has something on both sides of a `__`; and arguments other than `(*)` are not looked at.
#[must_use]
pub fn never_fits(pattern: &str) -> Option<&'static str> {
    let head = head(pattern);
    let is_full_name = || (1..head.len().saturating_sub(2)).any(|at| head.get(at..at + 2) == Some("__"));
    if head.contains(['(', ')']) {
        Some("arguments are not looked at: `(*)` is all that can stand behind the name")
    } else if head.contains(|c: char| c.is_whitespace() || c.is_control()) {
        Some("names of tools have no blanks")
    } else if !head.contains('*') && !head.contains("__") {
        Some("tools are called `skill__tool`, and it has neither `__` nor `*`")
    } else if !head.contains('*') && !is_full_name() {
        Some("tools are called `skill__tool`, and it lacks one of the two names")
    } else {
        None
    }
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

    /// The forms of ADR-014 of Nova: a name, one with any arguments, all of a skill, all that are called alike.
    #[test]
    fn in_every_form_of_the_seed_deny_goes_before_a_broad_allow() {
        let list = |pattern: &str| vec![pattern.to_owned()];
        for denied in [
            "employee_onboarding__delete_account",
            "employee_onboarding__delete_account(*)",
            "employee_onboarding__*",
            "employee_onboarding__*(*)",
            "employee_onboarding__delete_*",
            "*__delete_*",
            "*__delete_*(*)",
            "*",
        ] {
            for allowed in ["*", "employee_onboarding__*", "employee_onboarding__delete_account(*)"] {
                let permissions = Permissions { allow: list(allowed), deny: list(denied), ask: list("*(*)") };
                let verdict = permissions.verdict("employee_onboarding__delete_account");
                assert_eq!(verdict, (Verdict::Deny, Some(denied)), "{denied} {allowed}");
                assert_eq!(never_fits(denied), None, "{denied}");
            }
            let permissions = Permissions { allow: list(denied), ..Permissions::default() };
            assert_eq!(permissions.verdict("employee_onboarding__delete_account").0, Verdict::Allow, "{denied}");
        }
    }

    #[test]
    fn patterns_that_fit_nothing_are_known() {
        for pattern in [
            "delete",
            "delete(*)",
            "",
            "(*)",
            "__read",
            "pdf__",
            "__",
            "___",
            "pdf__read(path)",
            "pdf__read(*)(*)",
            "pdf__read (*)",
            " pdf__*",
            "pdf__read\n",
        ] {
            assert!(never_fits(pattern).is_some(), "{pattern}");
        }
        for pattern in ["pdf__read", "pdf__read(*)", "a__b", "pdf*", "*", "*(*)"] {
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
