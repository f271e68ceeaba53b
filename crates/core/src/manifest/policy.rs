//! `[policy]`: which packages may be installed.
//!
//! ```toml
//! [policy]
//! allow-sources = ["registry:acme", "git:https://github.com/acme/*", "path"]
//! deny-sources = ["git:https://github.com/acme/experiments"]
//! allow-licenses = ["MIT", "Apache-2.0"]
//! deny-licenses = ["AGPL-3.0-only"]
//! allow-unlicensed = false
//! require-reachable = true
//! require-signed = true                        # or a list of sources
//! signers = ["ssh-ed25519 AAAA… ann@acme.dev", "git:https://github.com/acme/* SHA256:…"]
//! deny-lint = ["hidden-unicode-tag", "SK7"]
//! allow-findings = ["SK711"]
//! deny-findings = "high"
//! deny-shadowing = true
//! min-release-age = "7 days"
//! exclude-newer = "2026-11-01"
//! ```

use spdx::{Expression, LicenseReq, ParseMode};

use super::{location_at, schema};
use crate::error::{Error, Result};
use crate::package::SourceId;

/// `[policy]`: which packages may be installed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Policy {
    /// Whether shadowing a managed or bundled skill with one of the workspace is refused.
    pub deny_shadowing: bool,
    /// The minimum age of a registry's version to be selected, as written.
    pub min_release_age: Option<String>,
    /// The date by which a registry's version must have been published to be selected, as written.
    pub exclude_newer: Option<String>,
    /// The sources that packages may come from.
    pub allow_sources: Option<LocatedValue<Vec<String>>>,
    /// The sources that they may not come from.
    pub deny_sources: Option<LocatedValue<Vec<String>>>,
    /// The licenses that are allowed.
    pub allow_licenses: Option<LocatedValue<Vec<String>>>,
    /// The licenses that are denied.
    pub deny_licenses: Option<LocatedValue<Vec<String>>>,
    /// Whether a package may have no license, or one that is not an SPDX expression.
    pub allow_unlicensed: Option<LocatedValue<bool>>,
    /// The sources from which only signed packages may be installed.
    pub require_signed: Option<LocatedValue<Vec<String>>>,
    /// Whether a commit must be in the history of a branch or tag of its repository.
    pub require_reachable: Option<LocatedValue<bool>>,
    /// The trusted keys for packages from git, each for one source or for all.
    pub signers: Option<LocatedValue<Vec<String>>>,
    /// Lint rules by name, code or prefix of a code, whose findings prevent an install.
    pub deny_lint: Option<LocatedValue<Vec<String>>>,
    /// Security rules by name or code, whose findings do not prevent an install.
    pub allow_findings: Option<LocatedValue<Vec<String>>>,
    /// The lowest severity of security findings that prevents an install, as written; `critical` always does.
    pub deny_findings: Option<LocatedValue<String>>,
}

/// A value and its location.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LocatedValue<T> {
    /// The value.
    pub value: T,
    /// `skillpm.toml:12:17`, or the file or environment variable of a setting.
    pub location: String,
}

impl Policy {
    pub(super) fn read(raw: schema::RawPolicy, text: &str, file: &str) -> Result<Policy> {
        let at = PolicyText { text, file };
        let policy = Policy {
            deny_shadowing: raw.deny_shadowing,
            min_release_age: raw.min_release_age,
            exclude_newer: raw.exclude_newer,
            allow_sources: at.locate(raw.allow_sources),
            deny_sources: at.locate(raw.deny_sources),
            allow_licenses: at.locate(raw.allow_licenses),
            deny_licenses: at.locate(raw.deny_licenses),
            allow_unlicensed: at.locate(raw.allow_unlicensed),
            require_signed: at.locate(raw.require_signed).map(|required| LocatedValue {
                value: signed_sources(required.value),
                location: required.location,
            }),
            require_reachable: at.locate(raw.require_reachable),
            signers: at.locate(raw.signers),
            deny_lint: at.locate(raw.deny_lint),
            allow_findings: at.locate(raw.allow_findings),
            deny_findings: at.locate(raw.deny_findings),
        };

        policy.check_source_patterns()?;
        Ok(policy)
    }

    fn check_source_patterns(&self) -> Result<()> {
        // Checked early, since a misspelled pattern would silently deny nothing.
        for patterns in self
            .allow_sources
            .iter()
            .chain(&self.deny_sources)
            .chain(&self.require_signed)
        {
            for pattern in &patterns.value {
                // The names of registries are looked up later, with the configuration.
                SourcePattern::parse(pattern, &|name| Ok(name.to_owned()))
                    .map_err(|error| error.note(format!("set at {}", patterns.location)))?;
            }
        }

        Ok(())
    }
}

/// The text that a policy is read from.
struct PolicyText<'t> {
    text: &'t str,
    file: &'t str,
}

impl PolicyText<'_> {
    fn locate<T>(&self, value: Option<toml::Spanned<T>>) -> Option<LocatedValue<T>> {
        value.map(|value| LocatedValue {
            location: location_at(self.text, self.file, value.span().start),
            value: value.into_inner(),
        })
    }
}

/// The patterns of `require-signed`.
fn signed_sources(required: schema::RequireSigned) -> Vec<String> {
    // `true` becomes a pattern for each kind, so that later code sees patterns only.
    match required {
        schema::RequireSigned::All(true) => SOURCE_KINDS.map(str::to_owned).to_vec(),
        schema::RequireSigned::All(false) => Vec::new(),
        schema::RequireSigned::Of(patterns) => patterns,
    }
}

/// The kinds of source in patterns.
const SOURCE_KINDS: [&str; 6] = [
    "registry",
    "git",
    "path",
    "archive",
    "well-known",
    "clawhub",
];

/// Expands `true` to all kinds of source and `false` to none; anything else is returned as it is.
#[must_use]
pub fn expand_source_patterns(words: Vec<String>) -> Vec<String> {
    match words.as_slice() {
        [word] if word == "true" => SOURCE_KINDS.map(str::to_owned).to_vec(),
        [word] if word == "false" => Vec::new(),
        _ => words,
    }
}

/// A pattern of sources: all of a kind, or those of a kind whose address matches, where `*` matches anything.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourcePattern {
    kind: String,
    address: Option<String>,
}

impl SourcePattern {
    /// Parses a pattern; `registry` resolves a registry's name to the URL of its index.
    ///
    /// # Errors
    /// If there is no such kind of source, or no such registry.
    pub fn parse(text: &str, registry: &dyn Fn(&str) -> Result<String>) -> Result<SourcePattern> {
        let (kind, address) = text
            .split_once(':')
            .map_or((text, None), |(kind, address)| (kind, Some(address)));

        if !SOURCE_KINDS.contains(&kind) || address == Some("") {
            return Err(Error::usage(format!("invalid source pattern `{}`: unknown kind of source", text.escape_debug())).help(
                "write `registry:NAME`, `git:https://host/path/*`, `path`, `path:vendor/*`, `archive:https://host/*`, \
                 `well-known:https://host` or `clawhub`",
            ));
        }

        let address = match address {
            // Compared by the index's URL, since names depend on the configuration.
            Some(name) if kind == "registry" && !name.contains([':', '*']) => Some(registry(name)?),
            address => address.map(str::to_owned),
        };

        Ok(SourcePattern {
            kind: kind.to_owned(),
            address,
        })
    }

    /// Whether a source matches.
    #[must_use]
    pub fn matches(&self, source: &SourceId, case: CaseMatching) -> bool {
        let (kind, address) = kind_and_address(source);

        let address = address.as_str();
        kind == self.kind
            && self.address.as_deref().is_none_or(|pattern| match case {
                CaseMatching::Exact => matches_glob(pattern, address),
                CaseMatching::Folded => {
                    matches_glob(&pattern.to_ascii_lowercase(), &address.to_ascii_lowercase())
                }
            })
    }
}

/// Whether a pattern is case-sensitive: a denied source must not pass in another spelling.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CaseMatching {
    /// Case-sensitive.
    Exact,
    /// Case-insensitive for ASCII.
    Folded,
}

/// The pattern that matches exactly this source.
#[must_use]
pub fn exact_pattern(source: &SourceId) -> String {
    let (kind, address) = kind_and_address(source);
    format!("{kind}:{address}")
}

fn kind_and_address(source: &SourceId) -> (&'static str, String) {
    match source {
        SourceId::Registry(index) => ("registry", index.clone()),
        SourceId::Git { url, .. } => ("git", url.to_string()),
        SourceId::Path(path) => ("path", path.clone()),
        SourceId::Archive(place) => ("archive", place.clone()),
        SourceId::WellKnown(site) => ("well-known", site.to_string()),
        SourceId::ClawHub(hub) => ("clawhub", hub.to_string()),
    }
}

/// Whether a text matches a pattern in which `*` matches any number of characters.
fn matches_glob(pattern: &str, text: &str) -> bool {
    let Some((first, rest)) = pattern.split_once('*') else {
        return pattern == text;
    };
    let Some(mut left) = text.strip_prefix(first) else {
        return false;
    };

    let mut parts: Vec<&str> = rest.split('*').collect();
    let last = parts.pop().unwrap_or_default();
    // The first match suffices, since the next `*` matches everything up to the next part.
    for part in parts {
        match left.find(part) {
            Some(at) => left = &left[at + part.len()..],
            None => return false,
        }
    }

    // Only the last part is bound to the end.
    left.len() >= last.len() && left.ends_with(last)
}

/// The license of a package, as far as it can be parsed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PackageLicense {
    /// None is given.
    None,
    /// Not an SPDX expression.
    Invalid(String),
    /// An SPDX expression.
    Known(Box<str>),
}

impl PackageLicense {
    /// Parses the text of a license.
    #[must_use]
    pub fn from_text(text: Option<&str>) -> PackageLicense {
        match text.map(str::trim).filter(|text| !text.is_empty()) {
            None => PackageLicense::None,
            Some(text) => match Expression::canonicalize(text) {
                // In the spelling of SPDX where there is one.
                Ok(Some(canonical)) if Expression::parse(&canonical).is_ok() => {
                    PackageLicense::Known(canonical.into())
                }
                // Lax also takes `/` as OR, imprecise names and deprecated ids.
                _ if Expression::parse_mode(text, ParseMode::LAX).is_ok() => {
                    PackageLicense::Known(text.into())
                }
                _ => PackageLicense::Invalid(text.to_owned()),
            },
        }
    }

    /// Whether the allowed licenses are sufficient to use the package; `None` if the license is unknown.
    #[must_use]
    pub fn is_satisfied_by(&self, allowed: &[String]) -> Option<bool> {
        self.evaluate(&|req| allowed.iter().any(|name| matches_license(name, req)))
    }

    /// Whether the package can be used without any of the denied licenses; `None` if the license is unknown.
    #[must_use]
    pub fn is_free_of(&self, denied: &[String]) -> Option<bool> {
        self.evaluate(&|req| !denied.iter().any(|name| matches_license(name, req)))
    }

    fn evaluate(&self, is_met: &dyn Fn(&LicenseReq) -> bool) -> Option<bool> {
        match self {
            PackageLicense::Known(text) => Some(
                Expression::parse_mode(text, ParseMode::LAX)
                    .ok()?
                    .evaluate(|req| is_met(req)),
            ),
            PackageLicense::None | PackageLicense::Invalid(_) => None,
        }
    }
}

/// Whether a name in a list matches a license of an expression, either exactly or without its exception.
fn matches_license(name: &str, req: &LicenseReq) -> bool {
    name.eq_ignore_ascii_case(&req.to_string())
        || name.eq_ignore_ascii_case(&req.license.to_string())
}

/// The licenses in an expression that SPDX does not list, such as `LicenseRef-…`.
#[must_use]
pub fn unlisted_licenses(expression: &str) -> Vec<String> {
    let Ok(parsed) = Expression::parse_mode(expression, ParseMode::LAX) else {
        return Vec::new();
    };

    let is_own = |req: &&spdx::expression::ExpressionReq| req.req.license.id().is_none();

    parsed
        .requirements()
        .filter(is_own)
        .map(|req| req.req.license.to_string())
        .collect()
}

/// The `license` in the text of a package's manifest; `None` if it has none or cannot be read.
#[must_use]
pub fn read_license(text: &str) -> Option<String> {
    let table: toml::Table = toml::from_str(text).ok()?;
    Some(table.get("package")?.get("license")?.as_str()?.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fits(pattern: &str, source: &str) -> bool {
        let registry = |name: &str| Ok(format!("sparse+https://{name}.dev/index/"));
        SourcePattern::parse(pattern, &registry)
            .unwrap()
            .matches(&source.parse().unwrap(), CaseMatching::Exact)
    }

    #[test]
    fn source_pattern_has_a_kind_and_an_address() {
        assert!(fits("git", "git+https://github.com/acme/skills?tag=v1"));
        assert!(fits(
            "git:https://github.com/acme/*",
            "git+https://github.com/acme/skills?tag=v1"
        ));
        assert!(!fits(
            "git:https://github.com/acme/*",
            "git+https://github.com/acme-evil/skills"
        ));
        assert!(!fits(
            "git:https://github.com/acme/*",
            "git+https://evil.example/https://github.com/acme/x"
        ));
        assert!(fits(
            "git:https://*/acme/skills",
            "git+https://gitlab.com/acme/skills"
        ));
        assert!(!fits(
            "git:https://github.com/acme/*",
            "archive+https://github.com/acme/x.zip"
        ));
        assert!(
            fits("path", "path+../style")
                && fits("path:../*", "path+../style")
                && !fits("path:vendor/*", "path+../style")
        );
        assert!(fits(
            "registry:acme",
            "registry+sparse+https://acme.dev/index/"
        ));
        assert!(!fits("registry:acme", "registry+embedded:default"));
        assert!(fits(
            "registry:embedded:default",
            "registry+embedded:default"
        ));
    }

    #[test]
    fn denied_source_is_denied_in_every_spelling() {
        let pattern =
            SourcePattern::parse("git:https://github.com/Evil/*", &|name| Ok(name.to_owned()))
                .unwrap();
        let source: SourceId = "git+https://github.com/eviL/x".parse().unwrap();
        assert!(
            pattern.matches(&source, CaseMatching::Folded)
                && !pattern.matches(&source, CaseMatching::Exact)
        );
    }

    #[test]
    fn pattern_of_unknown_kind_is_an_error() {
        for text in ["gh:acme", "", "registry:", "https://github.com/acme"] {
            assert!(
                SourcePattern::parse(text, &|name| Ok(name.to_owned())).is_err(),
                "{text}"
            );
        }
    }

    #[test]
    fn licenses_are_expressions() {
        let list = |names: &[&str]| names.iter().map(ToString::to_string).collect::<Vec<_>>();
        let met = |text: &str, allowed: &[&str]| {
            PackageLicense::from_text(Some(text)).is_satisfied_by(&list(allowed))
        };
        assert_eq!(met("MIT", &["MIT"]), Some(true));
        assert_eq!(met("mit", &["MIT"]), Some(true));
        assert_eq!(met("MIT OR GPL-3.0-only", &["MIT"]), Some(true));
        assert_eq!(met("MIT AND GPL-3.0-only", &["MIT"]), Some(false));
        assert_eq!(met("LicenseRef-acme", &["LicenseRef-acme"]), Some(true));
        assert_eq!(
            met(
                "GPL-2.0-only WITH Classpath-exception-2.0",
                &["GPL-2.0-only"]
            ),
            Some(true)
        );
        assert_eq!(met("Proprietary. See LICENSE.txt", &["MIT"]), None);
        assert_eq!(
            PackageLicense::from_text(None).is_satisfied_by(&list(&["MIT"])),
            None
        );
        let free =
            |text: &str| PackageLicense::from_text(Some(text)).is_free_of(&list(&["GPL-3.0-only"]));
        assert_eq!(
            (
                free("MIT"),
                free("GPL-3.0-only"),
                free("MIT OR GPL-3.0-only")
            ),
            (Some(true), Some(false), Some(true))
        );
        assert_eq!(free("MIT AND GPL-3.0-only"), Some(false));
    }
}
