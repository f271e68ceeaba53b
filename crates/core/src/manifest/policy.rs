//! `[policy]`: what may be installed at all.
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

use super::{place, schema};
use crate::error::{Error, Result};
use crate::package::SourceId;

/// `[policy]`: what may be installed at all.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Policy {
    /// Whether covering a managed or bundled skill by one of the workspace is refused.
    pub deny_shadowing: bool,
    /// How old a registry's version must be to be chosen, as it is written.
    pub min_release_age: Option<String>,
    /// When a registry's version must have been published to be chosen, as it is written.
    pub exclude_newer: Option<String>,
    /// Where packages may come from.
    pub allow_sources: Option<Written<Vec<String>>>,
    /// Where they may not.
    pub deny_sources: Option<Written<Vec<String>>>,
    /// The licences that will do.
    pub allow_licenses: Option<Written<Vec<String>>>,
    /// Those that will not.
    pub deny_licenses: Option<Written<Vec<String>>>,
    /// Whether a package may have no licence, or none that can be understood.
    pub allow_unlicensed: Option<Written<bool>>,
    /// The sources of which only what is signed may be installed.
    pub require_signed: Option<Written<Vec<String>>>,
    /// Whether a commit must be in the history of a branch or tag of its repository.
    pub require_reachable: Option<Written<bool>>,
    /// The keys that vouch for what comes from git, each for a source or for all.
    pub signers: Option<Written<Vec<String>>>,
    /// Rules of lint, by name, code or the beginning of a code: what they find is not installed.
    pub deny_lint: Option<Written<Vec<String>>>,
    /// Rules about security, by name or code, whose findings stop no install.
    pub allow_findings: Option<Written<Vec<String>>>,
    /// From which severity on findings about security stop an install, as it is written; `critical` ones always do.
    pub deny_findings: Option<Written<String>>,
}

/// A value and where it was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written<T> {
    /// The value.
    pub value: T,
    /// `skillpm.toml:12:17`, or the file or variable of a setting.
    pub place: String,
}

impl Policy {
    pub(super) fn read(raw: schema::Policy, text: &str, file: &str) -> Result<Policy> {
        fn written<T>(value: Option<toml::Spanned<T>>, text: &str, file: &str) -> Option<Written<T>> {
            value.map(|value| {
                let place = place(text, file, value.span().start);
                Written { value: value.into_inner(), place }
            })
        }
        let policy = Policy {
            deny_shadowing: raw.deny_shadowing,
            min_release_age: raw.min_release_age,
            exclude_newer: raw.exclude_newer,
            allow_sources: written(raw.allow_sources, text, file),
            deny_sources: written(raw.deny_sources, text, file),
            allow_licenses: written(raw.allow_licenses, text, file),
            deny_licenses: written(raw.deny_licenses, text, file),
            allow_unlicensed: written(raw.allow_unlicensed, text, file),
            require_signed: written(raw.require_signed, text, file).map(|required| {
                let value = match required.value {
                    schema::RequireSigned::All(true) => KINDS.map(str::to_owned).to_vec(),
                    schema::RequireSigned::All(false) => Vec::new(),
                    schema::RequireSigned::Of(patterns) => patterns,
                };
                Written { value, place: required.place }
            }),
            require_reachable: written(raw.require_reachable, text, file),
            signers: written(raw.signers, text, file),
            deny_lint: written(raw.deny_lint, text, file),
            allow_findings: written(raw.allow_findings, text, file),
            deny_findings: written(raw.deny_findings, text, file),
        };
        for patterns in policy.allow_sources.iter().chain(&policy.deny_sources).chain(&policy.require_signed) {
            for pattern in &patterns.value {
                SourcePattern::parse(pattern, &|name| Ok(name.to_owned()))
                    .map_err(|error| error.note(format!("it stands in {}", patterns.place)))?;
            }
        }
        Ok(policy)
    }
}

/// The kinds of source as patterns write them.
const KINDS: [&str; 5] = ["registry", "git", "path", "archive", "well-known"];

/// The sources that a word means: `true` all of them, `false` none, else those that fit it.
#[must_use]
pub fn sources_meant(words: Vec<String>) -> Vec<String> {
    match words.as_slice() {
        [word] if word == "true" => KINDS.map(str::to_owned).to_vec(),
        [word] if word == "false" => Vec::new(),
        _ => words,
    }
}

/// Which sources are meant: all of a kind, or those of it whose address fits, with `*` for anything.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourcePattern {
    kind: String,
    address: Option<String>,
}

impl SourcePattern {
    /// Reads one; `registry` turns a registry's name into the URL of its index.
    ///
    /// # Errors
    /// If there is no such kind of source, or no such registry.
    pub fn parse(text: &str, registry: &dyn Fn(&str) -> Result<String>) -> Result<SourcePattern> {
        let (kind, address) = text.split_once(':').map_or((text, None), |(kind, address)| (kind, Some(address)));
        if !KINDS.contains(&kind) || address == Some("") {
            return Err(Error::usage(format!("`{}` names no kind of source", text.escape_debug())).help(
                "write `registry:NAME`, `git:https://host/path/*`, `path`, `path:vendor/*`, `archive:https://host/*` or \
                 `well-known:https://host`",
            ));
        }
        let address = match address {
            Some(name) if kind == "registry" && !name.contains([':', '*']) => Some(registry(name)?),
            address => address.map(str::to_owned),
        };
        Ok(SourcePattern { kind: kind.to_owned(), address })
    }

    /// Whether a source is among those that are meant.
    #[must_use]
    pub fn fits(&self, source: &SourceId, case: Case) -> bool {
        let (kind, address) = told(source);
        let address = address.as_str();
        kind == self.kind
            && self.address.as_deref().is_none_or(|pattern| match case {
                Case::Exact => glob(pattern, address),
                Case::Folded => glob(&pattern.to_ascii_lowercase(), &address.to_ascii_lowercase()),
            })
    }
}

/// Whether a pattern tells small from capital letters: what is forbidden must not slip through by another spelling.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Case {
    /// It does.
    Exact,
    /// It does not.
    Folded,
}

/// A source as a pattern would name exactly it.
#[must_use]
pub fn as_pattern(source: &SourceId) -> String {
    let (kind, address) = told(source);
    format!("{kind}:{address}")
}

fn told(source: &SourceId) -> (&'static str, String) {
    match source {
        SourceId::Registry(index) => ("registry", index.clone()),
        SourceId::Git { url, .. } => ("git", url.to_string()),
        SourceId::Path(path) => ("path", path.clone()),
        SourceId::Archive(place) => ("archive", place.clone()),
        SourceId::WellKnown(site) => ("well-known", site.to_string()),
    }
}

/// Whether a text is as a pattern with `*` for any number of characters says.
fn glob(pattern: &str, text: &str) -> bool {
    let Some((first, rest)) = pattern.split_once('*') else { return pattern == text };
    let Some(mut left) = text.strip_prefix(first) else { return false };
    let mut parts: Vec<&str> = rest.split('*').collect();
    let last = parts.pop().unwrap_or_default();
    for part in parts {
        match left.find(part) {
            Some(at) => left = &left[at + part.len()..],
            None => return false,
        }
    }
    left.len() >= last.len() && left.ends_with(last)
}

/// What a package says of its licence, judged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Licence {
    /// It says nothing.
    None,
    /// It says something that is no SPDX expression.
    Unclear(String),
    /// An SPDX expression.
    Known(Box<str>),
}

impl Licence {
    /// What a text says.
    #[must_use]
    pub fn of(text: Option<&str>) -> Licence {
        match text.map(str::trim).filter(|text| !text.is_empty()) {
            None => Licence::None,
            Some(text) => match Expression::canonicalize(text) {
                Ok(Some(canonical)) if Expression::parse(&canonical).is_ok() => Licence::Known(canonical.into()),
                _ if Expression::parse_mode(text, ParseMode::LAX).is_ok() => Licence::Known(text.into()),
                _ => Licence::Unclear(text.to_owned()),
            },
        }
    }

    /// Whether these licences are enough to use it; `None` if that cannot be told.
    #[must_use]
    pub fn is_met_by(&self, allowed: &[String]) -> Option<bool> {
        self.evaluate(&|req| allowed.iter().any(|name| names(name, req)))
    }

    /// Whether it can be used without any of these licences; `None` if that cannot be told.
    #[must_use]
    pub fn is_free_of(&self, denied: &[String]) -> Option<bool> {
        self.evaluate(&|req| !denied.iter().any(|name| names(name, req)))
    }

    fn evaluate(&self, holds: &dyn Fn(&LicenseReq) -> bool) -> Option<bool> {
        match self {
            Licence::Known(text) => Some(Expression::parse_mode(text, ParseMode::LAX).ok()?.evaluate(|req| holds(req))),
            Licence::None | Licence::Unclear(_) => None,
        }
    }
}

/// Whether a name in a list means what an expression asks for: exactly it, or the licence whatever the exception.
fn names(name: &str, req: &LicenseReq) -> bool {
    name.eq_ignore_ascii_case(&req.to_string()) || name.eq_ignore_ascii_case(&req.license.to_string())
}

/// The licences in an expression that SPDX does not list, as `LicenseRef-…`.
#[must_use]
pub fn own_licences(expression: &str) -> Vec<String> {
    let Ok(parsed) = Expression::parse_mode(expression, ParseMode::LAX) else { return Vec::new() };
    let is_own = |req: &&spdx::expression::ExpressionReq| req.req.license.id().is_none();
    parsed.requirements().filter(is_own).map(|req| req.req.license.to_string()).collect()
}

/// What the text of a package's manifest says of its licence, if that can be read.
#[must_use]
pub fn licence_in(text: &str) -> Option<String> {
    let table: toml::Table = toml::from_str(text).ok()?;
    Some(table.get("package")?.get("license")?.as_str()?.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fits(pattern: &str, source: &str) -> bool {
        let registry = |name: &str| Ok(format!("sparse+https://{name}.dev/index/"));
        SourcePattern::parse(pattern, &registry).unwrap().fits(&source.parse().unwrap(), Case::Exact)
    }

    #[test]
    fn a_pattern_means_a_kind_and_an_address() {
        assert!(fits("git", "git+https://github.com/acme/skills?tag=v1"));
        assert!(fits("git:https://github.com/acme/*", "git+https://github.com/acme/skills?tag=v1"));
        assert!(!fits("git:https://github.com/acme/*", "git+https://github.com/acme-evil/skills"));
        assert!(!fits("git:https://github.com/acme/*", "git+https://evil.example/https://github.com/acme/x"));
        assert!(fits("git:https://*/acme/skills", "git+https://gitlab.com/acme/skills"));
        assert!(!fits("git:https://github.com/acme/*", "archive+https://github.com/acme/x.zip"));
        assert!(
            fits("path", "path+../style")
                && fits("path:../*", "path+../style")
                && !fits("path:vendor/*", "path+../style")
        );
        assert!(fits("registry:acme", "registry+sparse+https://acme.dev/index/"));
        assert!(!fits("registry:acme", "registry+embedded:default"));
        assert!(fits("registry:embedded:default", "registry+embedded:default"));
    }

    #[test]
    fn what_is_forbidden_is_so_in_every_spelling() {
        let pattern = SourcePattern::parse("git:https://github.com/Evil/*", &|name| Ok(name.to_owned())).unwrap();
        let source: SourceId = "git+https://github.com/eviL/x".parse().unwrap();
        assert!(pattern.fits(&source, Case::Folded) && !pattern.fits(&source, Case::Exact));
    }

    #[test]
    fn a_pattern_of_no_kind_is_an_error() {
        for text in ["gh:acme", "", "registry:", "https://github.com/acme"] {
            assert!(SourcePattern::parse(text, &|name| Ok(name.to_owned())).is_err(), "{text}");
        }
    }

    #[test]
    fn licences_are_expressions() {
        let list = |names: &[&str]| names.iter().map(ToString::to_string).collect::<Vec<_>>();
        let met = |text: &str, allowed: &[&str]| Licence::of(Some(text)).is_met_by(&list(allowed));
        assert_eq!(met("MIT", &["MIT"]), Some(true));
        assert_eq!(met("mit", &["MIT"]), Some(true));
        assert_eq!(met("MIT OR GPL-3.0-only", &["MIT"]), Some(true));
        assert_eq!(met("MIT AND GPL-3.0-only", &["MIT"]), Some(false));
        assert_eq!(met("LicenseRef-acme", &["LicenseRef-acme"]), Some(true));
        assert_eq!(met("GPL-2.0-only WITH Classpath-exception-2.0", &["GPL-2.0-only"]), Some(true));
        assert_eq!(met("Proprietary. See LICENSE.txt", &["MIT"]), None);
        assert_eq!(Licence::of(None).is_met_by(&list(&["MIT"])), None);
        let free = |text: &str| Licence::of(Some(text)).is_free_of(&list(&["GPL-3.0-only"]));
        assert_eq!(
            (free("MIT"), free("GPL-3.0-only"), free("MIT OR GPL-3.0-only")),
            (Some(true), Some(false), Some(true))
        );
        assert_eq!(free("MIT AND GPL-3.0-only"), Some(false));
    }
}
