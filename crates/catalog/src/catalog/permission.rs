//! What an agent may do with the tools that skills declare, by patterns on `skill__tool`.
//!
//! ```toml
//! [catalog]
//! tools = { allow = ["pdf-forms__read_*"], deny = ["*__delete_*"], ask = ["mail__*"] }
//! ```
//!
//! `deny` goes before `ask`, and `ask` before `allow`; what no pattern names needs a person's approval. A pattern names tools;
//! `(*)` after it matches any arguments, so it adds nothing. A name without `__` is a tool of the agent's own.

use std::collections::BTreeSet;

use serde::Serialize;

use super::glob::matches_glob;

/// What is to happen when a model calls a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ToolVerdict {
    /// It is run.
    Allow,
    /// A person is asked first.
    Approval,
    /// It is not offered.
    Deny,
}

/// The patterns, in which `*` matches any characters, and `(*)` at the end any arguments.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ToolPermissions {
    /// Tools that are run.
    pub allow: Vec<String>,
    /// Tools that are not offered.
    pub deny: Vec<String>,
    /// Tools for which a person is asked, whatever `allow` says.
    pub ask: Vec<String>,
}

impl ToolPermissions {
    /// The permission of the tool of that name, and the matching pattern; `None` if none matches.
    #[must_use]
    pub fn verdict(&self, name: &str) -> (ToolVerdict, Option<&str>) {
        // In this order: the strictest list that has a pattern decides.
        let lists = [
            (ToolVerdict::Deny, &self.deny),
            (ToolVerdict::Approval, &self.ask),
            (ToolVerdict::Allow, &self.allow),
        ];

        for (verdict, patterns) in lists {
            if let Some(pattern) = patterns
                .iter()
                .find(|pattern| matches_glob(pattern_name(pattern), name))
            {
                return (verdict, Some(pattern));
            }
        }
        // What no pattern names needs approval, so that a new tool is never run unseen.
        (ToolVerdict::Approval, None)
    }

    /// Lays the patterns of `other` beside these.
    pub fn add(&mut self, other: &ToolPermissions) {
        // Only added to: an agent's own patterns cannot lift what the project denies.
        self.allow.extend_from_slice(&other.allow);
        self.deny.extend_from_slice(&other.deny);
        self.ask.extend_from_slice(&other.ask);
    }

    /// The patterns of all lists.
    pub fn patterns(&self) -> impl Iterator<Item = &str> {
        self.deny
            .iter()
            .chain(&self.ask)
            .chain(&self.allow)
            .map(String::as_str)
    }

    /// The tools of the agent's own that a pattern names, sorted: no skill declares them, so they are known by that alone.
    #[must_use]
    pub fn base_tools(&self) -> BTreeSet<&str> {
        self.patterns()
            .filter(|pattern| why_never_matches(pattern).is_none())
            .map(pattern_name)
            .filter(|name| !name.contains('*') && !name.contains("__"))
            .collect()
    }
}

/// The name by which permissions know a skill's tool: `skill__tool`.
#[must_use]
pub fn full_tool_name(skill: &str, tool: &str) -> String {
    format!("{skill}__{tool}")
}

/// The name in a pattern of Nova's form `name(*)`: what a call is given does not decide.
#[must_use]
pub fn pattern_name(pattern: &str) -> &str {
    pattern.strip_suffix("(*)").unwrap_or(pattern)
}

/// Why no tool can ever fit a pattern, `None` if one can. A skill's tools are called `skill__tool`, so a pattern with `__`
/// and without a star fits nothing unless it has something on both sides; and arguments other than `(*)` are not looked
/// at.
#[must_use]
pub fn why_never_matches(pattern: &str) -> Option<&'static str> {
    let head = pattern_name(pattern);

    // Both names have to be there: something before and something behind the `__`.
    let is_full_name =
        || (1..head.len().saturating_sub(2)).any(|at| head.get(at..at + 2) == Some("__"));

    if head.contains(['(', ')']) {
        Some("arguments are not matched: only `(*)` may follow the name")
    } else if head.contains(|c: char| c.is_whitespace() || c.is_control()) {
        Some("tool names have no spaces")
    } else if head.is_empty() {
        Some("it names no tool")
    } else if !head.contains('*') && head.contains("__") && !is_full_name() {
        Some("tools are named `skill__tool`, and one of the two names is missing")
    } else {
        None
    }
}

/// Why Nova's own matcher never fits a pattern, `None` if it can: as shipped it knows whole names, `name(*)`, and a star
/// at the end. See <https://github.com/dkuehlwein/nova>, ADR-014.
#[must_use]
pub fn why_never_matches_in_nova(pattern: &str) -> Option<&'static str> {
    let head = pattern
        .strip_suffix("(*)")
        .or_else(|| pattern.strip_suffix('*'))
        .unwrap_or(pattern);

    head.contains('*')
        .then_some("its own matcher knows a star at the end only")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn permissions() -> ToolPermissions {
        let list = |patterns: &[&str]| patterns.iter().map(|&pattern| pattern.to_owned()).collect();
        ToolPermissions {
            allow: list(&["pdf__*"]),
            deny: list(&["*__delete_*"]),
            ask: list(&["pdf__send"]),
        }
    }

    #[test]
    fn deny_goes_before_ask_and_ask_before_allow_and_the_rest_needs_approval() {
        let permissions = permissions();
        for (tool, expected) in [
            ("pdf__read", (ToolVerdict::Allow, Some("pdf__*"))),
            ("pdf__send", (ToolVerdict::Approval, Some("pdf__send"))),
            ("pdf__delete_page", (ToolVerdict::Deny, Some("*__delete_*"))),
            ("mail__send", (ToolVerdict::Approval, None)),
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
            for allowed in [
                "*",
                "employee_onboarding__*",
                "employee_onboarding__delete_account(*)",
            ] {
                let permissions = ToolPermissions {
                    allow: list(allowed),
                    deny: list(denied),
                    ask: list("*(*)"),
                };
                let verdict = permissions.verdict("employee_onboarding__delete_account");
                assert_eq!(
                    verdict,
                    (ToolVerdict::Deny, Some(denied)),
                    "{denied} {allowed}"
                );
                assert_eq!(why_never_matches(denied), None, "{denied}");
            }
            let permissions = ToolPermissions {
                allow: list(denied),
                ..ToolPermissions::default()
            };
            assert_eq!(
                permissions.verdict("employee_onboarding__delete_account").0,
                ToolVerdict::Allow,
                "{denied}"
            );
        }
    }

    #[test]
    fn tools_of_the_agent_itself_are_known_where_they_are_named() {
        let permissions = ToolPermissions {
            allow: vec!["search_memory".into(), "pdf__read".into(), "mem*".into()],
            deny: vec![
                "run_shell(*)".into(),
                "search_memory(*)".into(),
                "(*)".into(),
            ],
            ask: Vec::new(),
        };
        let tools: Vec<&str> = permissions.base_tools().into_iter().collect();
        assert_eq!(tools, ["run_shell", "search_memory"]);
        assert_eq!(permissions.verdict("search_memory").0, ToolVerdict::Deny);
    }

    #[test]
    fn patterns_that_fit_nothing_are_known() {
        for pattern in [
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
            assert!(why_never_matches(pattern).is_some(), "{pattern}");
        }
        for pattern in [
            "pdf__read",
            "pdf__read(*)",
            "a__b",
            "pdf*",
            "*",
            "*(*)",
            "search_memory",
            "search_memory(*)",
        ] {
            assert_eq!(why_never_matches(pattern), None, "{pattern}");
        }
        for pattern in ["*__delete_*", "*_x", "a*b(*)"] {
            assert!(why_never_matches_in_nova(pattern).is_some(), "{pattern}");
        }
        for pattern in ["pdf__read", "pdf__*", "pdf__read(*)", "*"] {
            assert_eq!(why_never_matches_in_nova(pattern), None, "{pattern}");
        }
    }
}
