//! `[catalog]`: who sees which skills, and what may be done with their tools.
//!
//! ```toml
//! [catalog]
//! enabled = true                            # false: no skills at all
//! allow = ["pdf-*", "review"]               # only these; absent = all, [] = none
//! deny = ["*-draft"]                        # not these, whatever `allow` says
//! tools = { allow = ["pdf-forms__read_*"], deny = ["*__delete_*"], ask = ["mail__*"] }
//!
//! [catalog.agents.reviewer]                 # for `--agent reviewer`, besides the above
//! allow = ["review-*", "house-style"]       # or `see`
//! always = ["house-style"]                  # or `uses`: the skills whose instructions it always carries
//! ```
//!
//! The name of an agent is an id of `agents.toml` or of `[agents.…]` in the settings, or any name of one's own: a part
//! that an agent plays, which sees the tiers as skillpm does.

use std::collections::BTreeMap;
use std::ops::Range;

use serde::Deserialize;
use toml::Spanned;

/// `[catalog]`: which skills are shown.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct CatalogRules {
    /// Whether there are skills at all.
    pub enabled: bool,
    /// Patterns of names to show; `None` for all.
    pub allow: Option<Vec<String>>,
    /// Patterns of names to hide, whatever `allow` says.
    pub deny: Vec<String>,
    /// What may be done with tools.
    pub tools: ToolRules,
    /// What holds for single agents besides, by name.
    pub agents: BTreeMap<String, AgentRules>,
}

/// `[catalog.agents.NAME]`: what one agent is shown of that.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct AgentRules {
    /// Whether there are skills for it at all.
    pub enabled: bool,
    /// Patterns of names to show; `None` for all.
    #[serde(alias = "see")]
    pub allow: Option<Vec<String>>,
    /// Patterns of names to hide, whatever `allow` says.
    pub deny: Vec<String>,
    /// The skills whose instructions it always carries, in this order.
    #[serde(alias = "uses")]
    pub always: Vec<String>,
    /// What it may do with tools, besides what holds for all.
    pub tools: ToolRules,
}

/// `tools`: patterns on `skill__tool`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ToolRules {
    /// Tools that are run without asking.
    pub allow: Vec<String>,
    /// Tools that are not offered.
    pub deny: Vec<String>,
    /// Tools for which a person is asked, whatever `allow` says.
    #[serde(alias = "human-approval", alias = "human_approval")]
    pub ask: Vec<String>,
}

/// The patterns for tools in the text of a manifest, and where each is written, in bytes; none of a text that is no manifest.
#[must_use]
pub fn tool_patterns(text: &str) -> Vec<(String, Range<usize>)> {
    let manifest: Whole = toml::from_str(text).unwrap_or_default();
    let mut patterns = Vec::new();
    let tables = std::iter::once(manifest.catalog.tools);
    for tools in tables.chain(manifest.catalog.agents.into_values().map(|agent| agent.tools)) {
        let written = [tools.deny, tools.ask, tools.allow].into_iter().flatten();
        patterns.extend(written.map(|pattern| {
            let span = pattern.span();
            (pattern.into_inner(), span)
        }));
    }
    patterns
}

/// A manifest of which only the patterns for tools are read, with their places.
#[derive(Default, Deserialize)]
struct Whole {
    #[serde(default)]
    catalog: Part,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Part {
    tools: Patterns,
    agents: BTreeMap<String, AgentPart>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct AgentPart {
    tools: Patterns,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Patterns {
    allow: Vec<Spanned<String>>,
    deny: Vec<Spanned<String>>,
    #[serde(alias = "human-approval", alias = "human_approval")]
    ask: Vec<Spanned<String>>,
}

impl Default for CatalogRules {
    fn default() -> Self {
        CatalogRules {
            enabled: true,
            allow: None,
            deny: Vec::new(),
            tools: ToolRules::default(),
            agents: BTreeMap::new(),
        }
    }
}

impl Default for AgentRules {
    fn default() -> Self {
        AgentRules { enabled: true, allow: None, deny: Vec::new(), always: Vec::new(), tools: ToolRules::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Manifest;
    use super::*;

    fn read(text: &str) -> crate::error::Result<CatalogRules> {
        let registries = |_: Option<&str>| Ok("file:///r".to_owned());
        Manifest::parse(text, "skillpm.toml", &registries).map(|manifest| manifest.catalog)
    }

    #[test]
    fn who_sees_what_is_read_with_both_names_of_a_key() {
        let text = "[catalog]\ndeny = [\"*-draft\"]\ntools = { deny = [\"*__delete_*\"] }\n\
                    [catalog.agents.reviewer]\nsee = [\"review-*\"]\nuses = [\"house-style\"]\n\
                    [catalog.agents.codex]\nenabled = false\n";
        let rules = read(text).unwrap();
        assert_eq!((rules.enabled, rules.allow.as_ref(), rules.deny.len()), (true, None, 1));
        assert_eq!(rules.tools.deny, ["*__delete_*"]);
        let reviewer = &rules.agents["reviewer"];
        assert_eq!((reviewer.allow.as_deref(), reviewer.enabled), (Some(&["review-*".to_owned()][..]), true));
        assert_eq!(reviewer.always, ["house-style"]);
        assert!(!rules.agents["codex"].enabled);
        assert_eq!(read("").unwrap(), CatalogRules::default());
    }

    #[test]
    fn patterns_for_tools_are_found_where_they_are_written() {
        let text = "[catalog]\ntools = { allow = [\"a__b\"], deny = [ 'c' ] }\n[catalog.agents.x.tools]\nhuman_approval = [\"d\"]\n";
        let written = tool_patterns(text);
        let shown: Vec<(&str, &str)> = written.iter().map(|(p, span)| (&**p, &text[span.clone()])).collect();
        assert_eq!(shown, [("c", "'c'"), ("a__b", "\"a__b\""), ("d", "\"d\"")]);
    }

    #[test]
    fn a_key_that_is_not_known_has_its_place_in_the_message() {
        for (text, place) in [
            ("[catalog]\nalow = []\n", "skillpm.toml:2:1"),
            ("[catalog.agents.a]\nseen = []\n", "skillpm.toml:2:1"),
            ("[catalog]\ntools = { allowed = [] }\n", "skillpm.toml:2:11"),
        ] {
            let error = read(text).unwrap_err();
            assert!(error.message().starts_with(place), "{error:?}");
        }
    }
}
