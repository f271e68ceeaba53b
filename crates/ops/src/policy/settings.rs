//! Reads the policy: the settings of the user, and `[policy]` of the project.
//!
//! | | the project has no rule | the project has a rule |
//! |---|---|---|
//! | by default | the user's | the project's |
//! | with `policy.enforce` | the user's | both |

use super::{EffectivePolicy, EffectiveRule, SignerEntry, SourcePatterns, rules_matching};
use crate::CommandContext;
use skillpm_core::error::{Error, Result};
use skillpm_core::manifest::Policy;
use skillpm_core::manifest::policy::{LocatedValue, SourcePattern, expand_source_patterns};
use skillpm_lint::unknown_rule;

/// The settings of a user's policy. A cached decision is valid only while they stay the same.
const SETTINGS: [&str; 11] = [
    "allow-licenses",
    "allow-sources",
    "allow-unlicensed",
    "allow-unsigned",
    "deny-licenses",
    "deny-lint",
    "deny-sources",
    "enforce",
    "require-reachable",
    "require-signed",
    "signers",
];

/// The user's policy as one text.
pub(crate) fn user_settings(context: &CommandContext<'_>) -> String {
    let setting = |key: &&str| {
        Some(format!(
            "{key}={}",
            context.config.string(&format!("policy.{key}"))?
        ))
    };
    SETTINGS
        .iter()
        .filter_map(setting)
        .collect::<Vec<_>>()
        .join("\n")
}

impl EffectivePolicy {
    /// Combines the user's policy with the project's.
    ///
    /// # Errors
    /// If a lint rule or a registry is unknown; the message has the place.
    pub(crate) fn load(context: &CommandContext<'_>, project: &Policy) -> Result<EffectivePolicy> {
        let settings = PolicySettings {
            context,
            // An enforced policy of the user's is not replaced by the project's: both apply.
            is_enforced: context.config.switch("policy.enforce"),
        };

        let effective = EffectivePolicy {
            allow_sources: settings.patterns("allow-sources", project.allow_sources.as_ref())?,
            deny_sources: settings.patterns("deny-sources", project.deny_sources.as_ref())?,
            allow_licenses: settings.lists("allow-licenses", project.allow_licenses.as_ref())?,
            deny_licenses: settings.lists("deny-licenses", project.deny_licenses.as_ref())?,
            allow_unlicensed: settings
                .switches("allow-unlicensed", project.allow_unlicensed.as_ref())?,
            require_reachable: settings
                .switches("require-reachable", project.require_reachable.as_ref())?,
            require_signed: settings.signed_patterns(project.require_signed.as_ref())?,
            signers: parse_signers(
                context,
                settings.lists("signers", project.signers.as_ref())?,
            )?,
            deny_lint: settings.lists("deny-lint", project.deny_lint.as_ref())?,
        };

        effective.check_lint_rules()?;
        Ok(effective)
    }

    fn check_lint_rules(&self) -> Result<()> {
        // An unknown rule would never refuse anything, and the policy would look satisfied.
        for rule in &self.deny_lint {
            for word in &rule.value {
                if rules_matching(word).next().is_none() {
                    return Err(unknown_rule(word)
                        .note(format!("set by `policy.deny-lint` in {}", rule.location)));
                }
            }
        }
        Ok(())
    }
}

/// Reads the rules of each kind.
struct PolicySettings<'a> {
    context: &'a CommandContext<'a>,
    is_enforced: bool,
}

impl PolicySettings<'_> {
    fn lists(
        &self,
        key: &str,
        project: Option<&EffectiveRule<Vec<String>>>,
    ) -> Result<Vec<EffectiveRule<Vec<String>>>> {
        Ok(self.combine(self.own_list(key)?, project))
    }

    fn switches(
        &self,
        key: &str,
        project: Option<&EffectiveRule<bool>>,
    ) -> Result<Vec<EffectiveRule<bool>>> {
        let own = self.own_setting(key)?.map(|set| LocatedValue {
            location: set.location,
            value: self.context.config.switch(&format!("policy.{key}")),
        });
        Ok(self.combine(own, project))
    }

    fn patterns(
        &self,
        key: &str,
        project: Option<&EffectiveRule<Vec<String>>>,
    ) -> Result<Vec<EffectiveRule<SourcePatterns>>> {
        parse_patterns(self.context, self.lists(key, project)?)
    }

    fn signed_patterns(
        &self,
        project: Option<&EffectiveRule<Vec<String>>>,
    ) -> Result<Vec<EffectiveRule<SourcePatterns>>> {
        // Of a manifest, `true` and `false` are expanded when it is parsed.
        let own = self.own_list("require-signed")?.map(expand_switches);
        parse_patterns(self.context, self.combine(own, project))
    }

    fn own_list(&self, key: &str) -> Result<Option<EffectiveRule<Vec<String>>>> {
        Ok(self.own_setting(key)?.map(|set| LocatedValue {
            location: set.location,
            value: self.context.config.list(&format!("policy.{key}")),
        }))
    }

    /// The user's setting as it is written; `None` if it is not set.
    fn own_setting(&self, key: &str) -> Result<Option<EffectiveRule<String>>> {
        let set = self.context.config.get(&format!("policy.{key}"))?;
        Ok(set.map(|set| LocatedValue {
            value: set.text,
            location: set.origin.to_string(),
        }))
    }

    /// The rules of one kind that apply.
    fn combine<T: Clone>(
        &self,
        own: Option<EffectiveRule<T>>,
        project: Option<&EffectiveRule<T>>,
    ) -> Vec<EffectiveRule<T>> {
        // The project's rule replaces the user's, unless the user's are enforced.
        match (own, project) {
            (own, None) => own.into_iter().collect(),
            (Some(own), Some(project)) if self.is_enforced => vec![own, project.clone()],
            (_, Some(project)) => vec![project.clone()],
        }
    }
}

/// A list with `true` and `false` replaced by the patterns they mean.
fn expand_switches(rule: EffectiveRule<Vec<String>>) -> EffectiveRule<Vec<String>> {
    LocatedValue {
        value: expand_source_patterns(rule.value),
        location: rule.location,
    }
}

fn parse_patterns(
    context: &CommandContext<'_>,
    rules: Vec<EffectiveRule<Vec<String>>>,
) -> Result<Vec<EffectiveRule<SourcePatterns>>> {
    let registry = |name: &str| context.config.registry(Some(name));

    let mut parsed = Vec::with_capacity(rules.len());
    for LocatedValue { value, location } in rules {
        let patterns = value.into_iter().map(|written| {
            let pattern = SourcePattern::parse(&written, &registry)?;
            Ok::<_, Error>((written, pattern))
        });
        let value = patterns
            .collect::<Result<SourcePatterns>>()
            .map_err(|error| error.note(format!("set in {location}")))?;
        parsed.push(LocatedValue { value, location });
    }
    Ok(parsed)
}

/// Parses keys, each of which may be preceded by a source pattern.
fn parse_signers(
    context: &CommandContext<'_>,
    rules: Vec<EffectiveRule<Vec<String>>>,
) -> Result<Vec<EffectiveRule<Vec<SignerEntry>>>> {
    let registry = |name: &str| context.config.registry(Some(name));

    let mut parsed = Vec::with_capacity(rules.len());
    for LocatedValue { value, location } in rules {
        let entries = value.iter().map(|line| parse_signer(line, &registry));
        let value = entries
            .collect::<Result<Vec<_>>>()
            .map_err(|error| error.note(format!("set by `policy.signers` in {location}")))?;
        parsed.push(LocatedValue { value, location });
    }
    Ok(parsed)
}

fn parse_signer(line: &str, registry: &dyn Fn(&str) -> Result<String>) -> Result<SignerEntry> {
    let line = line.trim();
    let (first, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));

    // A source and a key, or a key alone: the type of a key is not a source pattern.
    match SourcePattern::parse(first, registry) {
        Ok(pattern) => Ok((Some(pattern), rest.parse()?)),
        // `registry:` and `git:` begin a source even if it is invalid; that error is the better
        // one.
        Err(_)
            if rest.is_empty() || !first.starts_with("registry:") && !first.starts_with("git:") =>
        {
            Ok((None, line.parse()?))
        }
        Err(error) => Err(error),
    }
}
