//! `[policy]` of the project and of the person, held against what is to be installed: the one place where it is.
//!
//! A person's own policy fills in what the project's leaves open. With `enforce` it holds beside the project's: a project can
//! then be stricter, not looser.

use std::collections::{BTreeMap, BTreeSet};

use super::Context;
use super::inspect::paths;
use super::lint::findings_in;
use crate::error::{Error, Result};
use crate::lint::{no_rule, rules};
use crate::lockfile::{Locked, Lockfile};
use crate::manifest::policy::{Case, Licence, SourcePattern, Written, as_pattern, licence_in, sources_meant};
use crate::manifest::{self, Policy};
use crate::package::{SkillName, SourceId, Tree};
use crate::provenance::{Doubt, Key};
use crate::resolver::Root;
use crate::skill::formats;

/// A rule as it was set.
type Rule<T> = Written<T>;

/// What holds for a project. Of each kind there may be two rules, the person's and the project's.
#[derive(Debug, Clone, Default)]
pub(super) struct Effective {
    allow_sources: Vec<Rule<Patterns>>,
    deny_sources: Vec<Rule<Patterns>>,
    allow_licenses: Vec<Rule<Vec<String>>>,
    deny_licenses: Vec<Rule<Vec<String>>>,
    allow_unlicensed: Vec<Rule<bool>>,
    require_reachable: Vec<Rule<bool>>,
    require_signed: Vec<Rule<Patterns>>,
    signers: Vec<Rule<Vec<Signer>>>,
    deny_lint: Vec<Rule<Vec<String>>>,
}

/// Patterns as they are written, and as they are understood.
type Patterns = Vec<(String, SourcePattern)>;

/// A key, and the sources that it vouches for; `None` for all of git.
type Signer = (Option<SourcePattern>, Key);

/// Why a package may not be installed.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Refusal {
    message: String,
    rule: String,
    help: String,
}

/// The settings that are part of a person's policy, for whoever keeps in mind what decided.
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

/// The person's policy in one text.
pub(super) fn settings(context: &Context<'_>) -> String {
    let setting = |key: &&str| Some(format!("{key}={}", context.config.string(&format!("policy.{key}"))?));
    SETTINGS.iter().filter_map(setting).collect::<Vec<_>>().join("\n")
}

impl Effective {
    /// What holds for a project with this policy.
    ///
    /// # Errors
    /// If a rule of lint or a registry is named that there is not; the message has the place.
    pub(super) fn of(context: &Context<'_>, project: &Policy) -> Result<Effective> {
        let setting = |key: &str| -> Result<Option<Rule<String>>> {
            let set = context.config.get(&format!("policy.{key}"))?;
            Ok(set.map(|set| Written { value: set.text, place: set.origin.to_string() }))
        };
        let list = |key: &str| -> Result<Option<Rule<Vec<String>>>> {
            let value = || context.config.list(&format!("policy.{key}"));
            Ok(setting(key)?.map(|set| Written { place: set.place, value: value() }))
        };
        let switch = |key: &str| -> Result<Option<Rule<bool>>> {
            let value = context.config.switch(&format!("policy.{key}"));
            Ok(setting(key)?.map(|set| Written { place: set.place, value }))
        };
        let is_enforced = context.config.switch("policy.enforce");
        let effective = Effective {
            allow_sources: patterns(
                context,
                both(is_enforced, list("allow-sources")?, project.allow_sources.as_ref()),
            )?,
            deny_sources: patterns(context, both(is_enforced, list("deny-sources")?, project.deny_sources.as_ref()))?,
            allow_licenses: both(is_enforced, list("allow-licenses")?, project.allow_licenses.as_ref()),
            deny_licenses: both(is_enforced, list("deny-licenses")?, project.deny_licenses.as_ref()),
            allow_unlicensed: both(is_enforced, switch("allow-unlicensed")?, project.allow_unlicensed.as_ref()),
            require_reachable: both(is_enforced, switch("require-reachable")?, project.require_reachable.as_ref()),
            require_signed: patterns(
                context,
                both(is_enforced, list("require-signed")?.map(meant), project.require_signed.as_ref()),
            )?,
            signers: signers(context, both(is_enforced, list("signers")?, project.signers.as_ref()))?,
            deny_lint: both(is_enforced, list("deny-lint")?, project.deny_lint.as_ref()),
        };
        for rule in &effective.deny_lint {
            for word in &rule.value {
                if denied_by(word).next().is_none() {
                    return Err(no_rule(word).note(format!("`policy.deny-lint` in {} names it", rule.place)));
                }
            }
        }
        Ok(effective)
    }

    /// Whether the packages' files are needed to judge them.
    pub(super) fn needs_trees(&self) -> bool {
        let has_licences = !self.allow_licenses.is_empty() || !self.deny_licenses.is_empty();
        has_licences || self.allow_unlicensed.iter().any(|rule| !rule.value) || !self.deny_lint.is_empty()
    }

    /// Refuses what may not come from where it does.
    ///
    /// # Errors
    /// If there is such a package; the message names the rule, who set it and who asked for the package.
    pub(super) fn check_sources(&self, packages: &[&Locked], (roots, lockfile): (&[Root], &Lockfile)) -> Result<()> {
        let refusals = packages.iter().flat_map(|locked| {
            self.source_refusals(locked).into_iter().map(|refusal| (*locked, refusal)).collect::<Vec<_>>()
        });
        refuse(refusals.collect(), roots, lockfile)
    }

    /// Refuses what its files tell against it.
    ///
    /// # Errors
    /// As for [`Effective::check_sources`].
    pub(super) fn check_trees(
        &self,
        packages: &[&Locked],
        trees: &BTreeMap<SkillName, Tree>,
        (roots, lockfile): (&[Root], &Lockfile),
    ) -> Result<()> {
        let mut refusals = Vec::new();
        for locked in packages {
            if let Some(tree) = trees.get(locked.install_name()) {
                let found = self.licence_refusals(locked, tree).into_iter().chain(self.lint_refusals(locked, tree)?);
                refusals.extend(found.map(|refusal| (*locked, refusal)));
            }
        }
        refuse(refusals, roots, lockfile)
    }

    /// What the policy says of where a package comes from, in lines for people.
    pub(super) fn told_of(&self, locked: &Locked) -> Vec<String> {
        let refusals = self.source_refusals(locked);
        if !refusals.is_empty() {
            return refusals.into_iter().map(|refusal| format!("{}, by {}", refusal.message, refusal.rule)).collect();
        }
        let admitted = |rule: &Rule<Patterns>| {
            let (written, _) = rule.value.iter().find(|(_, pattern)| pattern.fits(&locked.source, Case::Exact))?;
            Some(format!("its source is allowed as `{written}` by `policy.allow-sources` in {}", rule.place))
        };
        self.allow_sources.iter().filter_map(admitted).collect()
    }

    fn source_refusals(&self, locked: &Locked) -> Vec<Refusal> {
        let (what, source) = (locked.reference(), as_pattern(&locked.source));
        let mut refusals = Vec::new();
        for rule in &self.deny_sources {
            if let Some((written, _)) =
                rule.value.iter().find(|(_, pattern)| pattern.fits(&locked.source, Case::Folded))
            {
                refusals.push(Refusal {
                    message: format!("`{what}` comes from {}, which is denied", locked.source.place()),
                    rule: format!("`policy.deny-sources` in {}: `{written}`", rule.place),
                    help: "take it from another source, or take that pattern out there".into(),
                });
            }
        }
        for rule in &self.allow_sources {
            if !rule.value.iter().any(|(_, pattern)| pattern.fits(&locked.source, Case::Exact)) {
                let allowed: Vec<String> = rule.value.iter().map(|(written, _)| format!("`{written}`")).collect();
                let allowed = if allowed.is_empty() { "nothing".to_owned() } else { allowed.join(", ") };
                refusals.push(Refusal {
                    message: format!("`{what}` comes from {}, which is not allowed", locked.source.place()),
                    rule: format!("`policy.allow-sources` in {}: {allowed}", rule.place),
                    help: format!("take it from an allowed source, or add `{source}` there"),
                });
            }
        }
        refusals
    }

    /// Whether a source is one of which only what is signed may be installed. A directory of this machine is none.
    pub(super) fn requires_signed(&self, source: &SourceId) -> bool {
        self.requiring(source).next().is_some()
    }

    fn requiring(&self, source: &SourceId) -> impl Iterator<Item = (&Rule<Patterns>, &str)> {
        let is_here = matches!(source, SourceId::Path(_));
        let rules = self.require_signed.iter().filter(move |_| !is_here);
        rules.filter_map(move |rule| {
            let (written, _) = rule.value.iter().find(|(_, pattern)| pattern.fits(source, Case::Folded))?;
            Some((rule, written.as_str()))
        })
    }

    /// The keys that may vouch for what comes from a source. Where two lists hold, those that are in both.
    pub(super) fn signers(&self, source: &SourceId) -> Vec<Key> {
        let is_meant = |(pattern, _): &&Signer| match pattern {
            Some(pattern) => pattern.fits(source, Case::Exact),
            None => matches!(source, SourceId::Git { .. }),
        };
        let mut lists = self.signers.iter().map(|rule| rule.value.iter().filter(is_meant).map(|(_, key)| key));
        let first = lists.next().into_iter().flatten();
        let others: Vec<Vec<&Key>> = lists.map(Iterator::collect).collect();
        let in_all = |key: &&Key| others.iter().all(|list| list.iter().any(|other| other.is(&key.fingerprint())));
        first.filter(in_all).cloned().collect()
    }

    /// Whether commits must be in the history of a branch or tag.
    pub(super) fn requires_reachable(&self) -> bool {
        self.require_reachable.iter().any(|rule| rule.value)
    }

    /// Refuses packages whose commits are not, or cannot be told to be.
    ///
    /// # Errors
    /// As for [`Effective::check_sources`].
    pub(super) fn check_reachable(
        &self,
        found: &[(&Locked, Option<bool>)],
        (roots, lockfile): (&[Root], &Lockfile),
    ) -> Result<()> {
        let bad = found.iter().filter(|(_, reachable)| *reachable != Some(true));
        let refusals = bad.flat_map(|(locked, reachable)| {
            let commit = locked.commit.as_deref().unwrap_or_default();
            let said = if reachable.is_none() { "could not be found" } else { "is not" };
            self.require_reachable.iter().filter(|rule| rule.value).map(move |rule| {
                let refusal = Refusal {
                    message: format!(
                        "commit {commit} of `{}` {said} in the history of any branch or tag of {}",
                        locked.reference(),
                        locked.source.place()
                    ),
                    rule: format!("`policy.require-reachable` in {}", rule.place),
                    help: format!(
                        "it may be of a fork, or was removed by a force push; `skillpm update {}` takes what is there now",
                        locked.install_name()
                    ),
                };
                (*locked, refusal)
            })
        });
        refuse(refusals.collect(), roots, lockfile)
    }

    /// Refuses what has to be signed and is not, with what was found out about it.
    ///
    /// # Errors
    /// As for [`Effective::check_sources`].
    pub(super) fn check_signed(
        &self,
        doubts: &[(&Locked, &Doubt)],
        (roots, lockfile): (&[Root], &Lockfile),
    ) -> Result<()> {
        let refusals = doubts.iter().flat_map(|(locked, doubt)| {
            self.requiring(&locked.source).map(move |(rule, written)| {
                let refusal = Refusal {
                    message: format!("`{}` must be signed, and nobody vouches for it: {doubt}", locked.reference()),
                    rule: format!("`policy.require-signed` in {}: `{written}`", rule.place),
                    help: how_to_vouch(locked, doubt),
                };
                (*locked, refusal)
            })
        });
        refuse(refusals.collect(), roots, lockfile)
    }

    fn licence_refusals(&self, locked: &Locked, tree: &Tree) -> Vec<Refusal> {
        let text = licence(tree, locked.name.skill().as_str());
        let licence = Licence::of(text.as_deref());
        let what = locked.reference();
        let is_named = |rule: &Rule<Vec<String>>| {
            text.as_deref().is_some_and(|text| rule.value.iter().any(|name| name.eq_ignore_ascii_case(text.trim())))
        };
        let mut refusals = Vec::new();
        for rule in &self.deny_licenses {
            if licence.is_free_of(&rule.value) == Some(false) || is_named(rule) {
                refusals.push(Refusal {
                    message: format!(
                        "`{what}` is licensed as `{}`, which is denied",
                        text.as_deref().unwrap_or_default()
                    ),
                    rule: format!("`policy.deny-licenses` in {}: {}", rule.place, rule.value.join(", ")),
                    help: "take another package, or take that licence out there".into(),
                });
            }
        }
        for rule in &self.allow_licenses {
            if licence.is_met_by(&rule.value) == Some(false) && !is_named(rule) {
                refusals.push(Refusal {
                    message: format!(
                        "`{what}` is licensed as `{}`, which is not allowed",
                        text.as_deref().unwrap_or_default()
                    ),
                    rule: format!("`policy.allow-licenses` in {}: {}", rule.place, rule.value.join(", ")),
                    help: "take another package, or add its licence there".into(),
                });
            }
        }
        let is_clear = matches!(licence, Licence::Known(_)) || self.allow_licenses.iter().any(is_named);
        if let Some(rule) = self.refuses_unlicensed().filter(|_| !is_clear) {
            let said = match &text {
                Some(text) => {
                    format!("says of its licence `{}`, which is no SPDX expression", text.trim().escape_debug())
                }
                None => "has no licence".to_owned(),
            };
            refusals.push(Refusal {
                message: format!("`{what}` {said}"),
                rule,
                help: "ask its author for one, or set `allow-unlicensed = true` there".into(),
            });
        }
        refusals
    }

    /// The rule by which a package needs a licence: said so, or else meant by a list of allowed ones.
    fn refuses_unlicensed(&self) -> Option<String> {
        if let Some(rule) = self.allow_unlicensed.iter().find(|rule| !rule.value) {
            return Some(format!("`policy.allow-unlicensed` in {}: false", rule.place));
        }
        let rule = self.allow_licenses.first().filter(|_| self.allow_unlicensed.is_empty())?;
        Some(format!("`policy.allow-licenses` in {}: {}", rule.place, rule.value.join(", ")))
    }

    fn lint_refusals(&self, locked: &Locked, tree: &Tree) -> Result<Vec<Refusal>> {
        let mut refusals = Vec::new();
        for rule in &self.deny_lint {
            let names: BTreeSet<&'static str> = rule.value.iter().flat_map(|word| denied_by(word)).collect();
            for finding in findings_in(tree, locked.install_name().as_str(), &names)? {
                let found = &finding.diagnostic;
                let place = found.place(&format!("{}/{}", locked.install_name(), finding.path));
                refusals.push(Refusal {
                    message: format!(
                        "`{}` is refused for what it holds: {place}: {}",
                        locked.reference(),
                        found.message
                    ),
                    rule: format!("`policy.deny-lint` in {}: {}", rule.place, found.rule),
                    help: format!(
                        "`skillpm lint --explain {}` says more; take another version, or take the rule out there",
                        found.rule
                    ),
                });
            }
        }
        Ok(refusals)
    }
}

/// What would help against a doubt.
fn how_to_vouch(locked: &Locked, doubt: &Doubt) -> String {
    match (&locked.source, doubt.key()) {
        (SourceId::Git { .. }, Some(key)) => {
            let what = match key.openpgp_digits() {
                Some(digits) => format!("what `gpg --armor --export {digits}` writes"),
                None => format!("`{key}`"),
            };
            format!("if you know whose key that is and trust it, add {what} to `signers` below `[policy]`")
        }
        (SourceId::Git { .. }, None) if *doubt == Doubt::NoKeys => {
            "list the keys of those you trust: `signers = [\"ssh-ed25519 AAAA… who\"]` below `[policy]`".into()
        }
        (SourceId::Registry(_), _) => {
            "ask its owners to list their keys in the index and to sign: `skillpm publish --sign`".into()
        }
        (SourceId::Git { .. }, None) => {
            "ask its author for a signed tag or commit: `git tag -s`, with an SSH key or OpenPGP".into()
        }
        _ => "take it from a git repository or a registry in git, or name the sources in `require-signed`".into(),
    }
}

/// A list as it is set, with `true` and `false` for what they mean.
fn meant(rule: Rule<Vec<String>>) -> Rule<Vec<String>> {
    Written { value: sources_meant(rule.value), place: rule.place }
}

/// Lines of keys, each of which may begin with a source.
fn signers(context: &Context<'_>, rules: Vec<Rule<Vec<String>>>) -> Result<Vec<Rule<Vec<Signer>>>> {
    let registry = |name: &str| context.config.registry(Some(name));
    let one = |line: &String| -> Result<Signer> {
        let line = line.trim();
        let (first, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        match SourcePattern::parse(first, &registry) {
            Ok(pattern) => Ok((Some(pattern), rest.parse()?)),
            Err(_) if rest.is_empty() || !first.starts_with("registry:") && !first.starts_with("git:") => {
                Ok((None, line.parse()?))
            }
            Err(error) => Err(error),
        }
    };
    let understood = |rule: Rule<Vec<String>>| {
        let value = rule.value.iter().map(one).collect::<Result<Vec<Signer>>>();
        let value = value.map_err(|error| error.note(format!("`policy.signers` in {} names it", rule.place)))?;
        Ok(Written { value, place: rule.place })
    };
    rules.into_iter().map(understood).collect()
}

/// The names of the rules that a word means.
fn denied_by(word: &str) -> impl Iterator<Item = &'static str> {
    let is_meant = move |rule: &&'static crate::lint::Rule| {
        rule.name == word || word.len() >= 2 && word.starts_with("SK") && rule.code.starts_with(word)
    };
    rules::all().filter(is_meant).map(|rule| rule.name)
}

/// Of two rules of a kind, those that hold.
fn both<T: Clone>(is_enforced: bool, own: Option<Rule<T>>, project: Option<&Rule<T>>) -> Vec<Rule<T>> {
    match (own, project) {
        (own, None) => own.into_iter().collect(),
        (Some(own), Some(project)) if is_enforced => vec![own, project.clone()],
        (_, Some(project)) => vec![project.clone()],
    }
}

fn patterns(context: &Context<'_>, rules: Vec<Rule<Vec<String>>>) -> Result<Vec<Rule<Patterns>>> {
    let registry = |name: &str| context.config.registry(Some(name));
    let understood = |rule: Rule<Vec<String>>| {
        let one = |written: &String| Ok((written.clone(), SourcePattern::parse(written, &registry)?));
        let value = rule.value.iter().map(one).collect::<Result<Patterns>>();
        let value = value.map_err(|error: Error| error.note(format!("it stands in {}", rule.place)))?;
        Ok(Written { value, place: rule.place })
    };
    rules.into_iter().map(understood).collect()
}

/// What a package says of its licence: its manifest, else its skill.
pub(super) fn licence(tree: &Tree, directory: &str) -> Option<String> {
    let text = tree.get(manifest::FILE).and_then(|bytes| std::str::from_utf8(bytes).ok());
    text.and_then(licence_in).or_else(|| formats::of_tree(tree, directory)?.about("SKILL.md").skill?.license)
}

/// One error for all refusals.
fn refuse(refusals: Vec<(&Locked, Refusal)>, roots: &[Root], lockfile: &Lockfile) -> Result<()> {
    let mut refusals = refusals.into_iter();
    let Some((locked, first)) = refusals.next() else { return Ok(()) };
    let mut error = Error::negative(first.message)
        .note(asked_by(locked, roots, lockfile))
        .note(format!("forbidden by {}", first.rule));
    for (locked, refusal) in refusals {
        error = error
            .note(refusal.message)
            .note(asked_by(locked, roots, lockfile))
            .note(format!("forbidden by {}", refusal.rule));
    }
    Err(error.help(first.help))
}

/// Who asked for a package, as a chain.
fn asked_by(locked: &Locked, roots: &[Root], lockfile: &Lockfile) -> String {
    let way = paths(roots, lockfile, locked).into_iter().next().unwrap_or_else(|| vec![locked.clone()]);
    let names: Vec<String> = way.iter().map(Locked::reference).collect();
    format!("asked for by {} -> {}", manifest::FILE, names.join(" -> "))
}
