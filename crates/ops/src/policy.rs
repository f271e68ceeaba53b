//! Checks packages against `[policy]` of the project and of the user before they are installed.
//!
//! A user's own policy applies where the project's has no rule of that kind. With `enforce` both
//! apply: a project can then be stricter, not looser.

use std::collections::{BTreeMap, BTreeSet};

use super::CommandContext;
use super::inspect::dependency_paths;
use super::lint::findings_in;
use skillpm_core::error::{Error, Result};
use skillpm_core::lockfile::{LockedPackage, Lockfile};
use skillpm_core::manifest::policy::{
    CaseMatching, LocatedValue, PackageLicense, SourcePattern, exact_pattern,
    expand_source_patterns, read_license,
};
use skillpm_core::manifest::{self, Policy};
use skillpm_core::package::{SkillName, SourceId, Tree};
use skillpm_core::provenance::{TrustedKey, VerifyError};
use skillpm_core::resolver::RootDependency;
use skillpm_core::skill::formats;
use skillpm_lint::{rules, unknown_rule};

/// A rule and the place where it is set.
type EffectiveRule<T> = LocatedValue<T>;

/// The rules for a project. Of each kind there may be two, the user's and the project's.
#[derive(Debug, Clone, Default)]
pub(super) struct EffectivePolicy {
    allow_sources: Vec<EffectiveRule<SourcePatterns>>,
    deny_sources: Vec<EffectiveRule<SourcePatterns>>,
    allow_licenses: Vec<EffectiveRule<Vec<String>>>,
    deny_licenses: Vec<EffectiveRule<Vec<String>>>,
    allow_unlicensed: Vec<EffectiveRule<bool>>,
    require_reachable: Vec<EffectiveRule<bool>>,
    require_signed: Vec<EffectiveRule<SourcePatterns>>,
    signers: Vec<EffectiveRule<Vec<SignerEntry>>>,
    deny_lint: Vec<EffectiveRule<Vec<String>>>,
}

/// Patterns, as written and as parsed.
type SourcePatterns = Vec<(String, SourcePattern)>;

/// A key, and the sources that it is trusted for; `None` for all git repositories.
type SignerEntry = (Option<SourcePattern>, TrustedKey);

/// Why a package may not be installed.
#[derive(Debug, Clone, PartialEq, Eq)]
struct PolicyRefusal {
    message: String,
    rule: String,
    help: String,
}

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
pub(super) fn user_settings(context: &CommandContext<'_>) -> String {
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
    pub(super) fn load(context: &CommandContext<'_>, project: &Policy) -> Result<EffectivePolicy> {
        let setting = |key: &str| -> Result<Option<EffectiveRule<String>>> {
            let set = context.config.get(&format!("policy.{key}"))?;
            Ok(set.map(|set| LocatedValue {
                value: set.text,
                location: set.origin.to_string(),
            }))
        };

        let list = |key: &str| -> Result<Option<EffectiveRule<Vec<String>>>> {
            let value = || context.config.list(&format!("policy.{key}"));
            Ok(setting(key)?.map(|set| LocatedValue {
                location: set.location,
                value: value(),
            }))
        };

        let switch = |key: &str| -> Result<Option<EffectiveRule<bool>>> {
            let value = context.config.switch(&format!("policy.{key}"));
            Ok(setting(key)?.map(|set| LocatedValue {
                location: set.location,
                value,
            }))
        };

        // An enforced policy of the user's is not replaced by the project's: both apply.
        let is_enforced = context.config.switch("policy.enforce");

        let effective = EffectivePolicy {
            allow_sources: parse_patterns(
                context,
                effective_rules(
                    is_enforced,
                    list("allow-sources")?,
                    project.allow_sources.as_ref(),
                ),
            )?,
            deny_sources: parse_patterns(
                context,
                effective_rules(
                    is_enforced,
                    list("deny-sources")?,
                    project.deny_sources.as_ref(),
                ),
            )?,
            allow_licenses: effective_rules(
                is_enforced,
                list("allow-licenses")?,
                project.allow_licenses.as_ref(),
            ),
            deny_licenses: effective_rules(
                is_enforced,
                list("deny-licenses")?,
                project.deny_licenses.as_ref(),
            ),
            allow_unlicensed: effective_rules(
                is_enforced,
                switch("allow-unlicensed")?,
                project.allow_unlicensed.as_ref(),
            ),
            require_reachable: effective_rules(
                is_enforced,
                switch("require-reachable")?,
                project.require_reachable.as_ref(),
            ),
            require_signed: parse_patterns(
                context,
                effective_rules(
                    is_enforced,
                    list("require-signed")?.map(expand_switches),
                    project.require_signed.as_ref(),
                ),
            )?,
            signers: parse_signers(
                context,
                effective_rules(is_enforced, list("signers")?, project.signers.as_ref()),
            )?,
            deny_lint: effective_rules(is_enforced, list("deny-lint")?, project.deny_lint.as_ref()),
        };

        // An unknown rule would never refuse anything, and the policy would look satisfied.
        for rule in &effective.deny_lint {
            for word in &rule.value {
                if rules_matching(word).next().is_none() {
                    return Err(unknown_rule(word)
                        .note(format!("set by `policy.deny-lint` in {}", rule.location)));
                }
            }
        }

        Ok(effective)
    }

    /// Whether the rules need the packages' files.
    pub(super) fn needs_trees(&self) -> bool {
        // `allow-unlicensed = true` refuses nothing, and needs no files.
        let has_licenses = !self.allow_licenses.is_empty() || !self.deny_licenses.is_empty();
        has_licenses
            || self.allow_unlicensed.iter().any(|rule| !rule.value)
            || !self.deny_lint.is_empty()
    }

    /// Refuses packages from sources that are denied or not allowed.
    ///
    /// # Errors
    /// If there is such a package; the message has the rule, where it is set, and the dependency
    /// chain.
    pub(super) fn check_sources(
        &self,
        packages: &[&LockedPackage],
        (roots, lockfile): (&[RootDependency], &Lockfile),
    ) -> Result<()> {
        let refusals = packages.iter().flat_map(|locked| {
            self.source_refusals(locked)
                .into_iter()
                .map(|refusal| (*locked, refusal))
                .collect::<Vec<_>>()
        });

        refusals_to_error(refusals.collect(), roots, lockfile)
    }

    /// Refuses packages for their license or for lint findings in their files.
    ///
    /// # Errors
    /// As for [`EffectivePolicy::check_sources`].
    pub(super) fn check_trees(
        &self,
        packages: &[&LockedPackage],
        trees: &BTreeMap<SkillName, Tree>,
        (roots, lockfile): (&[RootDependency], &Lockfile),
    ) -> Result<()> {
        let mut refusals = Vec::new();

        for locked in packages {
            // Packages without a tree are checked by their source only.
            if let Some(tree) = trees.get(locked.install_name()) {
                let found = self
                    .license_refusals(locked, tree)
                    .into_iter()
                    .chain(self.lint_refusals(locked, tree)?);
                refusals.extend(found.map(|refusal| (*locked, refusal)));
            }
        }
        refusals_to_error(refusals, roots, lockfile)
    }

    /// The policy's decision about a package's source, in lines for people.
    pub(super) fn explain_source(&self, locked: &LockedPackage) -> Vec<String> {
        let refusals = self.source_refusals(locked);
        if !refusals.is_empty() {
            return refusals
                .into_iter()
                .map(|refusal| format!("{}; set by {}", refusal.message, refusal.rule))
                .collect();
        }

        let admitted = |rule: &EffectiveRule<SourcePatterns>| {
            let (written, _) = rule
                .value
                .iter()
                .find(|(_, pattern)| pattern.matches(&locked.source, CaseMatching::Exact))?;
            Some(format!(
                "its source is allowed as `{written}` by `policy.allow-sources` in {}",
                rule.location
            ))
        };
        self.allow_sources.iter().filter_map(admitted).collect()
    }

    fn source_refusals(&self, locked: &LockedPackage) -> Vec<PolicyRefusal> {
        let (what, source) = (locked.reference(), exact_pattern(&locked.source));
        let mut refusals = Vec::new();
        // Compared without case: `https://host/Acme` may be the same repository as a denied `acme`.
        for rule in &self.deny_sources {
            if let Some((written, _)) = rule
                .value
                .iter()
                .find(|(_, pattern)| pattern.matches(&locked.source, CaseMatching::Folded))
            {
                refusals.push(PolicyRefusal {
                    message: format!(
                        "source of `{what}` is denied by policy: {}",
                        locked.source.describe()
                    ),
                    rule: format!("`policy.deny-sources` in {}: `{written}`", rule.location),
                    help: "use another source, or remove that pattern from the policy".into(),
                });
            }
        }
        // Compared with case: a lenient comparison would allow more than what is written.
        for rule in &self.allow_sources {
            if !rule
                .value
                .iter()
                .any(|(_, pattern)| pattern.matches(&locked.source, CaseMatching::Exact))
            {
                let allowed: Vec<String> = rule
                    .value
                    .iter()
                    .map(|(written, _)| format!("`{written}`"))
                    .collect();
                let allowed = if allowed.is_empty() {
                    "nothing".to_owned()
                } else {
                    allowed.join(", ")
                };

                refusals.push(PolicyRefusal {
                    message: format!(
                        "source of `{what}` is not allowed by policy: {}",
                        locked.source.describe()
                    ),
                    rule: format!("`policy.allow-sources` in {}: {allowed}", rule.location),
                    help: format!("use an allowed source, or add `{source}` to `allow-sources`"),
                });
            }
        }
        refusals
    }

    /// Whether packages of a source must be signed. Local directories need no signature.
    pub(super) fn requires_signed(&self, source: &SourceId) -> bool {
        self.signature_rules(source).next().is_some()
    }

    fn signature_rules(
        &self,
        source: &SourceId,
    ) -> impl Iterator<Item = (&EffectiveRule<SourcePatterns>, &str)> {
        // A directory is the user's own: nothing could sign it.
        let is_here = matches!(source, SourceId::Path(_));
        let rules = self.require_signed.iter().filter(move |_| !is_here);
        rules.filter_map(move |rule| {
            let (written, _) = rule
                .value
                .iter()
                .find(|(_, pattern)| pattern.matches(source, CaseMatching::Folded))?;
            Some((rule, written.as_str()))
        })
    }

    /// The trusted keys for a source. If both the user and the project have a list, those in both.
    pub(super) fn signers(&self, source: &SourceId) -> Vec<TrustedKey> {
        // Without a source a key is for git only; a registry lists its own keys.
        let is_meant = |(pattern, _): &&SignerEntry| match pattern {
            Some(pattern) => pattern.matches(source, CaseMatching::Exact),
            None => matches!(source, SourceId::Git { .. }),
        };

        let mut lists = self
            .signers
            .iter()
            .map(|rule| rule.value.iter().filter(is_meant).map(|(_, key)| key));

        let first = lists.next().into_iter().flatten();
        let others: Vec<Vec<&TrustedKey>> = lists.map(Iterator::collect).collect();
        // Of two lists the intersection counts, so that a project cannot add a key to the user's.
        let in_all = |key: &&TrustedKey| {
            others.iter().all(|list| {
                list.iter()
                    .any(|other| other.has_fingerprint(&key.fingerprint()))
            })
        };

        first.filter(in_all).cloned().collect()
    }

    /// Whether commits must be in the history of a branch or tag.
    pub(super) fn requires_reachable(&self) -> bool {
        self.require_reachable.iter().any(|rule| rule.value)
    }

    /// Refuses packages whose commits are not in that history, or could not be found.
    ///
    /// # Errors
    /// As for [`EffectivePolicy::check_sources`].
    pub(super) fn check_reachable(
        &self,
        found: &[(&LockedPackage, Option<bool>)],
        (roots, lockfile): (&[RootDependency], &Lockfile),
    ) -> Result<()> {
        // An unknown answer is refused as well: the policy fails closed.
        let bad = found
            .iter()
            .filter(|(_, reachable)| *reachable != Some(true));

        let refusals = bad.flat_map(|(locked, reachable)| {
            let commit = locked.commit.as_deref().unwrap_or_default();
            let state = if reachable.is_none() { "could not be found" } else { "is not" };
            self.require_reachable.iter().filter(|rule| rule.value).map(move |rule| {
                let refusal = PolicyRefusal {
                    message: format!(
                        "commit {commit} of `{}` {state} in the history of any branch or tag of {}",
                        locked.reference(),
                        locked.source.describe()
                    ),
                    rule: format!("`policy.require-reachable` in {}", rule.location),
                    help: format!(
                        "it may be from a fork, or was removed by a force push; run `skillpm update {}` to lock a current commit",
                        locked.install_name()
                    ),
                };
                (*locked, refusal)
            })
        });

        // One error for all packages, so that they can be fixed together.
        refusals_to_error(refusals.collect(), roots, lockfile)
    }

    /// Refuses packages that must be signed and have no valid signature, with the reason.
    ///
    /// # Errors
    /// As for [`EffectivePolicy::check_sources`].
    pub(super) fn check_signed(
        &self,
        unsigned: &[(&LockedPackage, &VerifyError)],
        (roots, lockfile): (&[RootDependency], &Lockfile),
    ) -> Result<()> {
        let refusals = unsigned.iter().flat_map(|(locked, reason)| {
            self.signature_rules(&locked.source)
                .map(move |(rule, written)| {
                    let refusal = PolicyRefusal {
                        message: format!(
                            "policy requires a signature of `{}`: {reason}",
                            locked.reference()
                        ),
                        rule: format!("`policy.require-signed` in {}: `{written}`", rule.location),
                        help: signing_help(locked, reason),
                    };
                    (*locked, refusal)
                })
        });

        refusals_to_error(refusals.collect(), roots, lockfile)
    }

    fn license_refusals(&self, locked: &LockedPackage, tree: &Tree) -> Vec<PolicyRefusal> {
        let text = license_of(tree, locked.name.skill().as_str());
        let license = PackageLicense::from_text(text.as_deref());
        let what = locked.reference();
        let is_named = |rule: &EffectiveRule<Vec<String>>| {
            text.as_deref().is_some_and(|text| {
                rule.value
                    .iter()
                    .any(|name| name.eq_ignore_ascii_case(text.trim()))
            })
        };

        let mut refusals = Vec::new();
        // A license that is not an SPDX expression is denied only by its exact text.
        for rule in &self.deny_licenses {
            if license.is_free_of(&rule.value) == Some(false) || is_named(rule) {
                refusals.push(PolicyRefusal {
                    message: format!(
                        "license of `{what}` is denied by policy: `{}`",
                        text.as_deref().unwrap_or_default()
                    ),
                    rule: format!(
                        "`policy.deny-licenses` in {}: {}",
                        rule.location,
                        rule.value.join(", ")
                    ),
                    help: "use another package, or remove that license from the policy".into(),
                });
            }
        }

        for rule in &self.allow_licenses {
            if license.is_satisfied_by(&rule.value) == Some(false) && !is_named(rule) {
                refusals.push(PolicyRefusal {
                    message: format!(
                        "license of `{what}` is not allowed by policy: `{}`",
                        text.as_deref().unwrap_or_default()
                    ),
                    rule: format!(
                        "`policy.allow-licenses` in {}: {}",
                        rule.location,
                        rule.value.join(", ")
                    ),
                    help: "use another package, or add its license to `allow-licenses`".into(),
                });
            }
        }

        // A license that is not an SPDX expression is allowed only by its exact text.
        let is_clear =
            matches!(license, PackageLicense::Known(_)) || self.allow_licenses.iter().any(is_named);

        if let Some(rule) = self.refuses_unlicensed().filter(|_| !is_clear) {
            let message = match &text {
                Some(text) => {
                    format!(
                        "invalid license of `{what}`: `{}` is not an SPDX expression",
                        text.trim().escape_debug()
                    )
                }
                None => format!("missing license of `{what}`"),
            };
            refusals.push(PolicyRefusal {
                message,
                rule,
                help:
                    "ask its author for a license, or set `allow-unlicensed = true` in the policy"
                        .into(),
            });
        }

        refusals
    }

    /// The rule that requires a license: `allow-unlicensed = false`, or else a list of allowed
    /// licenses.
    fn refuses_unlicensed(&self) -> Option<String> {
        if let Some(rule) = self.allow_unlicensed.iter().find(|rule| !rule.value) {
            return Some(format!(
                "`policy.allow-unlicensed` in {}: false",
                rule.location
            ));
        }

        // A list of allowed licenses would mean little if packages without a license passed it.
        let rule = self
            .allow_licenses
            .first()
            .filter(|_| self.allow_unlicensed.is_empty())?;

        Some(format!(
            "`policy.allow-licenses` in {}: {}",
            rule.location,
            rule.value.join(", ")
        ))
    }

    fn lint_refusals(&self, locked: &LockedPackage, tree: &Tree) -> Result<Vec<PolicyRefusal>> {
        let mut refusals = Vec::new();
        for rule in &self.deny_lint {
            let names: BTreeSet<&'static str> = rule
                .value
                .iter()
                .flat_map(|word| rules_matching(word))
                .collect();
            // Levels and exemptions are overridden: the package's own settings do not count here.
            for finding in findings_in(tree, locked.install_name().as_str(), &names)? {
                let found = &finding.diagnostic;
                let place = found.location(&format!("{}/{}", locked.install_name(), finding.path));
                refusals.push(PolicyRefusal {
                    message: format!(
                        "policy denies a lint finding in `{}`: {place}: {}",
                        locked.reference(),
                        found.message
                    ),
                    rule: format!("`policy.deny-lint` in {}: {}", rule.location, found.rule),
                    help: format!(
                        "for details, run `skillpm lint --explain {}`; use another version, or remove the rule from the policy",
                        found.rule
                    ),
                });
            }
        }
        Ok(refusals)
    }
}

/// The `help:` line for a package without a valid signature.
fn signing_help(locked: &LockedPackage, reason: &VerifyError) -> String {
    match (&locked.source, reason.key()) {
        // The key is known but not listed: if it is the right one, listing it is enough.
        (SourceId::Git { .. }, Some(key)) => {
            let what = match key.openpgp_digits() {
                Some(digits) => format!("the output of `gpg --armor --export {digits}`"),
                None => format!("`{key}`"),
            };
            format!("if you trust the owner of that key, add {what} to `signers` under `[policy]`")
        }
        // No key is listed at all, so that nothing could be verified.
        (SourceId::Git { .. }, None) if *reason == VerifyError::NoTrustedKeys => {
            "list the keys you trust: `signers = [\"ssh-ed25519 AAAA… who\"]` under `[policy]`".into()
        }
        (SourceId::Registry(_), _) => {
            "ask its owners to list their keys in the index and to run `skillpm publish --sign`".into()
        }
        (SourceId::Git { .. }, None) => {
            "ask its author for a signed tag or commit (`git tag -s`, with an SSH key or OpenPGP)".into()
        }
        _ => "use a git repository or a registry in git, or list only such sources in `require-signed`".into(),
    }
}

/// A list with `true` and `false` replaced by the patterns they mean.
fn expand_switches(rule: EffectiveRule<Vec<String>>) -> EffectiveRule<Vec<String>> {
    LocatedValue {
        value: expand_source_patterns(rule.value),
        location: rule.location,
    }
}

/// Parses keys, each of which may be preceded by a source pattern.
fn parse_signers(
    context: &CommandContext<'_>,
    rules: Vec<EffectiveRule<Vec<String>>>,
) -> Result<Vec<EffectiveRule<Vec<SignerEntry>>>> {
    let registry = |name: &str| context.config.registry(Some(name));
    let one = |line: &String| -> Result<SignerEntry> {
        let line = line.trim();

        let (first, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        // A source and a key, or a key alone: the type of a key is not a source pattern.
        match SourcePattern::parse(first, &registry) {
            Ok(pattern) => Ok((Some(pattern), rest.parse()?)),
            // `registry:` and `git:` begin a source even if it is invalid; that error is the better
            // one.
            Err(_)
                if rest.is_empty()
                    || !first.starts_with("registry:") && !first.starts_with("git:") =>
            {
                Ok((None, line.parse()?))
            }
            Err(error) => Err(error),
        }
    };

    let parsed = |rule: EffectiveRule<Vec<String>>| {
        let value = rule
            .value
            .iter()
            .map(one)
            .collect::<Result<Vec<SignerEntry>>>();
        let value = value
            .map_err(|error| error.note(format!("set by `policy.signers` in {}", rule.location)))?;
        Ok(LocatedValue {
            value,
            location: rule.location,
        })
    };

    rules.into_iter().map(parsed).collect()
}

/// The names of the lint rules that a word matches: a name, or the beginning of a code such as
/// `SK1`.
fn rules_matching(word: &str) -> impl Iterator<Item = &'static str> {
    let is_meant = move |rule: &&'static skillpm_lint::Rule| {
        rule.name == word
            || word.len() >= 2 && word.starts_with("SK") && rule.code.starts_with(word)
    };
    rules::all().filter(is_meant).map(|rule| rule.name)
}

/// The rules of one kind that apply.
fn effective_rules<T: Clone>(
    is_enforced: bool,
    own: Option<EffectiveRule<T>>,
    project: Option<&EffectiveRule<T>>,
) -> Vec<EffectiveRule<T>> {
    // The project's rule replaces the user's, unless the user's are enforced.
    match (own, project) {
        (own, None) => own.into_iter().collect(),
        (Some(own), Some(project)) if is_enforced => vec![own, project.clone()],
        (_, Some(project)) => vec![project.clone()],
    }
}

fn parse_patterns(
    context: &CommandContext<'_>,
    rules: Vec<EffectiveRule<Vec<String>>>,
) -> Result<Vec<EffectiveRule<SourcePatterns>>> {
    let registry = |name: &str| context.config.registry(Some(name));
    let parsed = |rule: EffectiveRule<Vec<String>>| {
        let one =
            |written: &String| Ok((written.clone(), SourcePattern::parse(written, &registry)?));
        let value = rule
            .value
            .iter()
            .map(one)
            .collect::<Result<SourcePatterns>>();
        let value =
            value.map_err(|error: Error| error.note(format!("set in {}", rule.location)))?;
        Ok(LocatedValue {
            value,
            location: rule.location,
        })
    };
    rules.into_iter().map(parsed).collect()
}

/// The license of a package: of its manifest, else of its skill.
pub(super) fn license_of(tree: &Tree, directory: &str) -> Option<String> {
    // The manifest's license wins: it is what a registry shows.
    let text = tree
        .get(manifest::FILE)
        .and_then(|bytes| std::str::from_utf8(bytes).ok());

    text.and_then(read_license).or_else(|| {
        formats::read_tree(tree, directory)?
            .into_file_reading("SKILL.md")
            .skill?
            .license
    })
}

/// Combines all refusals to one error.
fn refusals_to_error(
    refusals: Vec<(&LockedPackage, PolicyRefusal)>,
    roots: &[RootDependency],
    lockfile: &Lockfile,
) -> Result<()> {
    let mut refusals = refusals.into_iter();
    let Some((locked, first)) = refusals.next() else {
        return Ok(());
    };

    let mut error = Error::negative(first.message)
        .note(request_chain(locked, roots, lockfile))
        .note(format!("set by {}", first.rule));

    for (locked, refusal) in refusals {
        error = error
            .note(refusal.message)
            .note(request_chain(locked, roots, lockfile))
            .note(format!("set by {}", refusal.rule));
    }
    Err(error.help(first.help))
}

/// The chain of dependencies that requires a package.
fn request_chain(locked: &LockedPackage, roots: &[RootDependency], lockfile: &Lockfile) -> String {
    let path = dependency_paths(roots, lockfile, locked)
        .into_iter()
        .next()
        .unwrap_or_else(|| vec![locked.clone()]);

    let names: Vec<String> = path.iter().map(LockedPackage::reference).collect();
    format!("required by {} -> {}", manifest::FILE, names.join(" -> "))
}
