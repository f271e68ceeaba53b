//! Verifies signatures of resolved packages: recorded in the lockfile, and never dropped silently.

use std::collections::BTreeSet;

use super::SyncInput;
use crate::policy::EffectivePolicy;
use skillpm_core::error::{Error, FailureKind, Result};
use skillpm_core::lockfile::{LockedPackage, Lockfile};
use skillpm_core::package::{SkillName, SourceId};
use skillpm_core::provenance::{KeyFingerprint, SignatureStatus, TrustedKey, VerifyError};
use skillpm_core::report::ProgressEvent;
use skillpm_registry::sources::{PackageSources, SignatureRequest};

/// The setting that allows a signed package to become unsigned.
const KEY: &str = "policy.allow-unsigned";

/// A package without a valid signature.
struct UnsignedPackage<'a> {
    locked: &'a LockedPackage,
    error: VerifyError,
    /// Whether its source should have been signed.
    is_expected: bool,
}

/// Verifies the signatures of resolved packages.
pub(super) struct SignatureVerifier<'a> {
    pub(super) input: &'a SyncInput<'a>,
    /// The packages that stay as they were locked because their sources failed.
    pub(super) held: &'a BTreeSet<SkillName>,
}

impl SignatureVerifier<'_> {
    /// Verifies the signatures of packages that are new or must be signed, and records the keys in
    /// the lockfile.
    ///
    /// # Errors
    /// [`Integrity`](skillpm_core::error::FailureKind::Integrity) if a package was signed when it
    /// was locked, and its new version is not;
    /// [`Negative`](skillpm_core::error::FailureKind::Negative) if the policy requires a signature
    /// that is missing.
    pub(super) fn verify_signatures(
        &self,
        sources: &PackageSources<'_>,
        policy: &EffectivePolicy,
        lockfile: &mut Lockfile,
    ) -> Result<()> {
        let packages = lockfile.packages();
        let requests: Vec<SignatureRequest<'_>> = packages
            .iter()
            .filter(|locked| self.needs_signature_check(policy, locked))
            .map(|package| SignatureRequest {
                package,
                keys: self.trusted_keys(policy, package),
            })
            .collect();

        // Only an unchanged entry keeps its signer; all others must be verified.
        let mut found = packages.to_vec();
        for locked in &mut found {
            locked.signed_by = self.unchanged_entry(locked).and_then(|old| old.signed_by);
        }

        let results = sources.verify_signatures(&requests);
        let unsigned = self.record_signers(policy, &requests, results, &mut found)?;
        self.refuse_downgrades(&unsigned)?;

        let errors: Vec<(&LockedPackage, &VerifyError)> = unsigned
            .iter()
            .map(|package| (package.locked, &package.error))
            .collect();
        policy.check_signed(&errors, (&self.input.roots, lockfile))?;
        self.warn_of_unsigned(&unsigned);

        *lockfile = Lockfile::new(found);
        Ok(())
    }

    /// Records the signer of each verified package in its entry; returns the packages without a
    /// valid signature.
    fn record_signers<'l>(
        &self,
        policy: &EffectivePolicy,
        requests: &[SignatureRequest<'l>],
        results: Vec<Result<SignatureStatus>>,
        entries: &mut [LockedPackage],
    ) -> Result<Vec<UnsignedPackage<'l>>> {
        let mut unsigned = Vec::new();
        for (request, result) in requests.iter().zip(results) {
            let package = request.package;
            // Not verified, and no signature is required: the entry stays as it is.
            let Some(status) = self.usable_answer(policy, package, result)? else {
                continue;
            };

            match status.verdict {
                // With `--locked` the lockfile may not change, not even to add a signer.
                Ok(_) if self.input.options.locked => {}
                Ok(key) => {
                    entries
                        .iter_mut()
                        .find(|entry| entry.install_name() == package.install_name())
                        .expect("each requested package has an entry")
                        .signed_by = Some(key);
                }
                // Collected: a downgrade is worse than a missing signature, and is reported first.
                Err(error) => unsigned.push(UnsignedPackage {
                    locked: package,
                    error,
                    is_expected: status.is_expected,
                }),
            }
        }
        Ok(unsigned)
    }

    /// Warns of packages that should be signed, although no rule requires it.
    fn warn_of_unsigned(&self, unsigned: &[UnsignedPackage<'_>]) {
        for UnsignedPackage { locked, error, .. } in
            unsigned.iter().filter(|package| package.is_expected)
        {
            self.input.reporter().report(ProgressEvent::Warning {
                message: format!(
                    "`{}` is not signed by a trusted key: {error}",
                    locked.reference()
                ),
                help: Some(
                    "to refuse unsigned packages, set `require-signed` under `[policy]`".into(),
                ),
            });
        }
    }

    /// The result of a verification; `None` if it was not possible, and is not required.
    fn usable_answer(
        &self,
        policy: &EffectivePolicy,
        locked: &LockedPackage,
        result: Result<SignatureStatus>,
    ) -> Result<Option<SignatureStatus>> {
        let error = match result {
            Ok(result) => return Ok(Some(result)),
            Err(error) => error.wrap(format!(
                "failed to verify the signature of `{}`",
                locked.reference()
            )),
        };

        // A network error is only ignored if no signature was there before and none is required: an
        // attacker who blocks the network could otherwise disable the check.
        let was_signed = self
            .previous_entry(locked)
            .is_some_and(|old| old.signed_by.is_some());
        if error.kind() != FailureKind::Network
            || was_signed
            || policy.requires_signed(&locked.source)
        {
            return Err(error);
        }

        self.input
            .reporter()
            .report(ProgressEvent::warning(error.message()));
        Ok(None)
    }

    fn needs_signature_check(&self, policy: &EffectivePolicy, locked: &LockedPackage) -> bool {
        // Members are the project's own work.
        if self.input.is_member(locked) {
            return false;
        }
        // An unsigned package may have become signed. That is for `update` to find out: a command that keeps it as it is
        // locked needs nothing of its source.
        let name = locked.install_name();
        let is_open = || !self.input.request.keeps(name) && !self.held.contains(name);
        if policy.requires_signed(&locked.source) {
            return true;
        }
        // A repository names no keys: without any there is nothing to verify, and nothing of it is read.
        let has_keys = || {
            !matches!(locked.source, SourceId::Git { .. })
                || !self.trusted_keys(policy, locked).is_empty()
        };
        has_keys()
            && self
                .unchanged_entry(locked)
                .is_none_or(|old| old.signed_by.is_none() && is_open())
    }

    /// The old entry of a package, if version, commit and content are the same.
    fn unchanged_entry(&self, locked: &LockedPackage) -> Option<&LockedPackage> {
        self.previous_entry(locked).filter(|old| {
            old.version == locked.version
                && old.commit == locked.commit
                && old.upstream_checksum() == locked.upstream_checksum()
        })
    }

    /// The old entry of a package, if name and source are the same.
    fn previous_entry(&self, locked: &LockedPackage) -> Option<&LockedPackage> {
        let old = self.input.old.installed_as(locked.install_name())?;
        (old.name == locked.name && old.source.location_key() == locked.source.location_key())
            .then_some(old)
    }

    /// The trusted keys for a package: the listed ones, else, if no signature is required, the key
    /// in the lockfile.
    fn trusted_keys(&self, policy: &EffectivePolicy, locked: &LockedPackage) -> Vec<TrustedKey> {
        let listed = policy.signers(&locked.source);
        let is_git = matches!(locked.source, SourceId::Git { .. });

        // For git the key in the lockfile is trusted if no list has one. A registry's keys are in
        // its index, where signed commits change them.
        if !listed.is_empty() || policy.requires_signed(&locked.source) || !is_git {
            return listed;
        }

        self.previous_entry(locked)
            .and_then(|old| old.signed_by)
            .map(TrustedKey::from_fingerprint)
            .into_iter()
            .collect()
    }

    fn refuse_downgrades(&self, unsigned: &[UnsignedPackage<'_>]) -> Result<()> {
        // The user's own decision: `--allow-unsigned`.
        if self.input.context.config.switch(KEY) {
            return Ok(());
        }

        let was = |locked: &LockedPackage| {
            self.previous_entry(locked)
                .and_then(|old| Some((old.revision(), old.signed_by?)))
        };

        let lost: Vec<(&LockedPackage, &VerifyError, (String, KeyFingerprint))> = unsigned
            .iter()
            .filter_map(|package| Some((package.locked, &package.error, was(package.locked)?)))
            .collect();

        let Some((first, ..)) = lost.first() else {
            return Ok(());
        };

        let name = first.install_name();
        let error = Error::integrity(format!(
            "`{name}` was signed when it was locked, and is no longer signed by a trusted key"
        ));

        let error = lost
            .iter()
            .fold(error, |error, (locked, reason, (revision, key))| {
                let name = locked.install_name();
                error
                    .note(format!("locked  {name} {revision}, signed by {key}"))
                    .note(format!("now     {name} {}: {reason}", locked.revision()))
            });

        Err(error
            .help("nothing was changed; ask its owners for a signature")
            .help(format!(
                "to trust it without a signature, run `skillpm update {name} --allow-unsigned`"
            )))
    }
}
