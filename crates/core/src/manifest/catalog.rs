//! `[catalog]`: which skills each agent sees, and which of their tools may be used.
//!
//! ```toml
//! [catalog]
//! enabled = true                            # false: no skills at all
//! allow = ["pdf-*", "review"]               # only these; absent = all, [] = none
//! deny = ["*-draft"]                        # not these, whatever `allow` says
//! tools = { allow = ["pdf-forms__read_*"], deny = ["*__delete_*"], ask = ["mail__*"] }
//!
//! [catalog.agents.reviewer]                 # for `--agent reviewer`, besides the above
//! allow = ["review-*", "team-style"]        # or `see`
//! always = ["team-style"]                   # or `uses`: the skills whose instructions are always included
//! ```
//!
//! The name of an agent is an id of `agents.toml` or of `[agents.…]` in the settings, or any other name: a role, which sees
//! the tiers as skillpm does.

use std::collections::BTreeMap;
use std::ops::Range;

use serde::Deserialize;
use toml::Spanned;

/// `[catalog]`: which skills are shown.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct CatalogRules {
    /// Whether any skills are shown.
    pub enabled: bool,
    /// Patterns of names to show; `None` for all.
    pub allow: Option<Vec<String>>,
    /// Patterns of names to hide, whatever `allow` says.
    pub deny: Vec<String>,
    /// Which tools may be used.
    pub tools: ToolRules,
    /// Additional rules for single agents, by name.
    pub agents: BTreeMap<String, AgentRules>,
}

/// `[catalog.agents.NAME]`: which of those skills one agent is shown.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct AgentRules {
    /// Whether it is shown any skills.
    pub enabled: bool,
    /// Patterns of names to show; `None` for all.
    #[serde(alias = "see")]
    pub allow: Option<Vec<String>>,
    /// Patterns of names to hide, whatever `allow` says.
    pub deny: Vec<String>,
    /// The skills whose instructions are always included, in this order.
    #[serde(alias = "uses")]
    pub always: Vec<String>,
    /// Which tools it may use, in addition to the rules for all agents.
    pub tools: ToolRules,
}

/// `tools`: patterns on `skill__tool`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ToolRules {
    /// Tools that run without confirmation.
    pub allow: Vec<String>,
    /// Tools that are not offered.
    pub deny: Vec<String>,
    /// Tools that need confirmation by a person, whatever `allow` says.
    #[serde(alias = "human-approval", alias = "human_approval")]
    pub ask: Vec<String>,
}

/// The tool patterns in the text of a manifest with their byte spans; empty if the text is not a manifest.
#[must_use]
pub fn tool_patterns(text: &str) -> Vec<(String, Range<usize>)> {
    // An invalid manifest is reported where it is parsed as a whole.
    let manifest: CatalogOnlyManifest = toml::from_str(text).unwrap_or_default();
    let mut patterns = Vec::new();

    let tables = std::iter::once(manifest.catalog.tools);
    for tools in tables.chain(
        manifest
            .catalog
            .agents
            .into_values()
            .map(|agent| agent.tools),
    ) {
        // `deny` has priority over `ask`, and `ask` over `allow`.
        let written = [tools.deny, tools.ask, tools.allow].into_iter().flatten();
        patterns.extend(written.map(|pattern| {
            let span = pattern.span();
            (pattern.into_inner(), span)
        }));
    }

    patterns
}

/// An entry of `deny` in the text of a manifest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeniedName {
    /// The agent that it is for; `None` for all.
    pub agent: Option<String>,
    /// The name or pattern.
    pub name: String,
    /// Its place in bytes.
    pub span: Range<usize>,
}

/// The entries of `deny` in the text of a manifest; empty if the text is not a manifest.
#[must_use]
pub fn denied_names(text: &str) -> Vec<DeniedName> {
    let CatalogOnlyManifest { catalog } = toml::from_str(text).unwrap_or_default();

    let of_agents = catalog
        .agents
        .into_iter()
        .map(|(agent, rules)| (Some(agent), rules.deny));
    std::iter::once((None, catalog.deny))
        .chain(of_agents)
        .flat_map(|(agent, names)| {
            names.into_iter().map(move |name| DeniedName {
                agent: agent.clone(),
                span: name.span(),
                name: name.into_inner(),
            })
        })
        .collect()
}

/// A manifest of which only the patterns are read, with their spans.
#[derive(Default, Deserialize)]
struct CatalogOnlyManifest {
    #[serde(default)]
    catalog: CatalogToolRules,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct CatalogToolRules {
    deny: Vec<Spanned<String>>,
    tools: SpannedToolRules,
    agents: BTreeMap<String, AgentToolRules>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct AgentToolRules {
    deny: Vec<Spanned<String>>,
    tools: SpannedToolRules,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct SpannedToolRules {
    allow: Vec<Spanned<String>>,
    deny: Vec<Spanned<String>>,
    #[serde(alias = "human-approval", alias = "human_approval")]
    ask: Vec<Spanned<String>>,
}

impl Default for CatalogRules {
    fn default() -> Self {
        CatalogRules {
            // Without `[catalog]` every agent is shown every skill.
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
        AgentRules {
            enabled: true,
            allow: None,
            deny: Vec::new(),
            always: Vec::new(),
            tools: ToolRules::default(),
        }
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
    fn agent_rules_are_read_with_both_names_of_a_key() {
        let text = "[catalog]\ndeny = [\"*-draft\"]\ntools = { deny = [\"*__delete_*\"] }\n\
                    [catalog.agents.reviewer]\nsee = [\"review-*\"]\nuses = [\"team-style\"]\n\
                    [catalog.agents.codex]\nenabled = false\n";
        let rules = read(text).unwrap();
        assert_eq!(
            (rules.enabled, rules.allow.as_ref(), rules.deny.len()),
            (true, None, 1)
        );
        assert_eq!(rules.tools.deny, ["*__delete_*"]);
        let reviewer = &rules.agents["reviewer"];
        assert_eq!(
            (reviewer.allow.as_deref(), reviewer.enabled),
            (Some(&["review-*".to_owned()][..]), true)
        );
        assert_eq!(reviewer.always, ["team-style"]);
        assert!(!rules.agents["codex"].enabled);
        assert_eq!(read("").unwrap(), CatalogRules::default());
    }

    #[test]
    fn patterns_for_tools_are_found_where_they_are_written() {
        let text = "[catalog]\ntools = { allow = [\"a__b\"], deny = [ 'c' ] }\n[catalog.agents.x.tools]\nhuman_approval = [\"d\"]\n";
        let written = tool_patterns(text);
        let shown: Vec<(&str, &str)> = written
            .iter()
            .map(|(p, span)| (&**p, &text[span.clone()]))
            .collect();
        assert_eq!(shown, [("c", "'c'"), ("a__b", "\"a__b\""), ("d", "\"d\"")]);
    }

    #[test]
    fn denied_names_are_found_where_they_are_written() {
        let text = "[catalog]\ndeny = ['a', \"b\"]\n[catalog.agents.x]\ndeny = [\"c\"]\n";
        let shown: Vec<(Option<String>, &str)> = denied_names(text)
            .into_iter()
            .map(|denied| (denied.agent, &text[denied.span]))
            .collect();
        let x = Some("x".to_owned());
        assert_eq!(shown, [(None, "'a'"), (None, "\"b\""), (x, "\"c\"")]);
    }

    #[test]
    fn unknown_key_is_reported_with_its_location() {
        for (text, place) in [
            ("[catalog]\nalow = []\n", "skillpm.toml:2:1"),
            ("[catalog.agents.a]\nseen = []\n", "skillpm.toml:2:1"),
            ("[catalog]\ntools = { allowed = [] }\n", "skillpm.toml:2:11"),
        ] {
            let error = read(text).unwrap_err();
            let start = format!("failed to parse manifest at `{place}`: ");
            assert!(error.message().starts_with(&start), "{error:?}");
        }
    }
}
