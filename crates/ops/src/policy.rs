//! Checks packages against `[policy]` of the project and of the user before they are installed.
//!
//! A user's own policy applies where the project's has no rule of that kind. With `enforce` both
//! apply: a project can then be stricter, not looser.

mod settings;

use std::collections::{BTreeMap, BTreeSet};

use super::inspect::dependency_paths;
use super::lint::findings_in;
use skillpm_core::error::{Error, Result};
use skillpm_core::lockfile::{LockedPackage, Lockfile};
use skillpm_core::manifest;
use skillpm_core::manifest::policy::{
    CaseMatching, LocatedValue, PackageLicense, SourcePattern, exact_pattern, read_license,
};
use skillpm_core::package::{SkillName, SourceId, Tree};
use skillpm_core::provenance::{TrustedKey, VerifyError};
use skillpm_core::resolver::RootDependency;
use skillpm_core::skill::formats;
use skillpm_lint::rules;

pub(super) use settings::user_settings;

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

impl EffectivePolicy {
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
        // A denied source is refused, whatever `allow-sources` has.
        if !refusals.is_empty() {
            return refusals
                .into_iter()
                .map(|refusal| format!("{}; set by {}", refusal.message, refusal.rule))
                .collect();
        }

        let mut lines = Vec::new();
        for rule in &self.allow_sources {
            if let Some(written) = find_pattern(rule, &locked.source, CaseMatching::Exact) {
                lines.push(format!(
                    "its source is allowed as `{written}` by `policy.allow-sources` in {}",
                    rule.location
                ));
            }
        }
        lines
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
            // Without case: a lenient comparison requires more signatures, never fewer.
            let written = find_pattern(rule, source, CaseMatching::Folded)?;
            Some((rule, written))
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
        let mut refusals = Vec::new();
        for (locked, reachable) in found {
            // An unknown answer is refused as well: the policy fails closed.
            if *reachable == Some(true) {
                continue;
            }
            for rule in self.require_reachable.iter().filter(|rule| rule.value) {
                refusals.push((*locked, refuse_unreachable(rule, locked, *reachable)));
            }
        }

        // One error for all packages, so that they can be fixed together.
        refusals_to_error(refusals, roots, lockfile)
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
        let mut refusals = Vec::new();
        for (locked, reason) in unsigned {
            for (rule, written) in self.signature_rules(&locked.source) {
                let refusal = PolicyRefusal {
                    message: format!(
                        "policy requires a signature of `{}`: {reason}",
                        locked.reference()
                    ),
                    rule: format!("`policy.require-signed` in {}: `{written}`", rule.location),
                    help: signing_help(locked, reason),
                };
                refusals.push((*locked, refusal));
            }
        }

        refusals_to_error(refusals, roots, lockfile)
    }

    fn license_refusals(&self, locked: &LockedPackage, tree: &Tree) -> Vec<PolicyRefusal> {
        let text = license_of(tree, locked.name.skill().as_str());
        let found = FoundLicense {
            what: locked.reference(),
            license: PackageLicense::from_text(text.as_deref()),
            text,
        };

        // A license that is not an SPDX expression is denied only by its exact text.
        let denied = self.deny_licenses.iter().filter(|rule| {
            found.license.is_free_of(&rule.value) == Some(false) || found.is_named_in(rule)
        });
        let not_allowed = self.allow_licenses.iter().filter(|rule| {
            found.license.is_satisfied_by(&rule.value) == Some(false) && !found.is_named_in(rule)
        });
        let mut refusals: Vec<PolicyRefusal> = denied
            .map(|rule| found.refuse_denied(rule))
            .chain(not_allowed.map(|rule| found.refuse_not_allowed(rule)))
            .collect();

        // A license that is not an SPDX expression is allowed only by its exact text.
        let is_clear = matches!(found.license, PackageLicense::Known(_))
            || self
                .allow_licenses
                .iter()
                .any(|rule| found.is_named_in(rule));
        if let Some(rule) = self.refuses_unlicensed().filter(|_| !is_clear) {
            refusals.push(found.refuse_unclear(rule));
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

        Some(describe_allow_licenses(rule))
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

/// The license of a package, and the refusals for it.
struct FoundLicense {
    /// The package.
    what: String,
    license: PackageLicense,
    /// The license as the package has it.
    text: Option<String>,
}

impl FoundLicense {
    /// Whether a rule has exactly the text of the license.
    fn is_named_in(&self, rule: &EffectiveRule<Vec<String>>) -> bool {
        self.text.as_deref().is_some_and(|text| {
            rule.value
                .iter()
                .any(|name| name.eq_ignore_ascii_case(text.trim()))
        })
    }

    fn refuse_denied(&self, rule: &EffectiveRule<Vec<String>>) -> PolicyRefusal {
        PolicyRefusal {
            message: format!(
                "license of `{}` is denied by policy: `{}`",
                self.what,
                self.text.as_deref().unwrap_or_default()
            ),
            rule: format!(
                "`policy.deny-licenses` in {}: {}",
                rule.location,
                rule.value.join(", ")
            ),
            help: "use another package, or remove that license from the policy".into(),
        }
    }

    fn refuse_not_allowed(&self, rule: &EffectiveRule<Vec<String>>) -> PolicyRefusal {
        PolicyRefusal {
            message: format!(
                "license of `{}` is not allowed by policy: `{}`",
                self.what,
                self.text.as_deref().unwrap_or_default()
            ),
            rule: describe_allow_licenses(rule),
            help: "use another package, or add its license to `allow-licenses`".into(),
        }
    }

    /// The refusal of a package without a license, or with one that cannot be compared.
    fn refuse_unclear(&self, rule: String) -> PolicyRefusal {
        let message = match &self.text {
            Some(text) => format!(
                "invalid license of `{}`: `{}` is not an SPDX expression",
                self.what,
                text.trim().escape_debug()
            ),
            None => format!("missing license of `{}`", self.what),
        };
        PolicyRefusal {
            message,
            rule,
            help: "ask its author for a license, or set `allow-unlicensed = true` in the policy"
                .into(),
        }
    }
}

fn describe_allow_licenses(rule: &EffectiveRule<Vec<String>>) -> String {
    format!(
        "`policy.allow-licenses` in {}: {}",
        rule.location,
        rule.value.join(", ")
    )
}

/// The first of a rule's patterns that matches a source, as written.
fn find_pattern<'r>(
    rule: &'r EffectiveRule<SourcePatterns>,
    source: &SourceId,
    case: CaseMatching,
) -> Option<&'r str> {
    let mut patterns = rule.value.iter();
    let (written, _) = patterns.find(|(_, pattern)| pattern.matches(source, case))?;
    Some(written)
}

fn refuse_unreachable(
    rule: &EffectiveRule<bool>,
    locked: &LockedPackage,
    reachable: Option<bool>,
) -> PolicyRefusal {
    let commit = locked.commit.as_deref().unwrap_or_default();
    let state = match reachable {
        None => "could not be found",
        Some(_) => "is not",
    };

    PolicyRefusal {
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

/// The names of the lint rules that a word matches: a name, or the beginning of a code such as
/// `SK1`.
fn rules_matching(word: &str) -> impl Iterator<Item = &'static str> {
    let is_meant = move |rule: &&'static skillpm_lint::Rule| {
        rule.name == word
            || word.len() >= 2 && word.starts_with("SK") && rule.code.starts_with(word)
    };
    rules::all().filter(is_meant).map(|rule| rule.name)
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

    // One error for all of them, so that they can be fixed together.
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
