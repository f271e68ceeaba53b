//! The signatures of packages: that of the tag or commit of a repository, or of the entry in an index.

use super::{PackageSources, SignatureRequest, git, registry};
use skillpm_core::error::Result;
use skillpm_core::lockfile::LockedPackage;
use skillpm_core::package::SourceId;
use skillpm_core::provenance::{SignatureStatus, TrustedKey, VerifyError};

impl PackageSources<'_> {
    /// Verifies the signatures of packages, each for exactly the content of its lockfile entry.
    pub fn verify_signatures(
        &self,
        requests: &[SignatureRequest<'_>],
    ) -> Vec<Result<SignatureStatus>> {
        self.for_each_source(
            requests,
            |request| &request.package.source,
            |source, group| match source {
                replaced if self.vendor_directory(replaced).is_some() => group
                    .iter()
                    .map(|asked| Ok(locked_signature(asked)))
                    .collect(),
                // Nothing could be verified, so the repository is not opened.
                SourceId::Git { .. } if group.iter().all(|asked| asked.keys.is_empty()) => group
                    .iter()
                    .map(|_| Ok(SignatureStatus::unverified(VerifyError::NoTrustedKeys)))
                    .collect(),
                SourceId::Git { url, .. } => {
                    self.with_repository(url, group, |opened| git::verify_packages(opened, group))
                }
                SourceId::Registry(index) => registry::verify_packages(self, index, group),
                SourceId::Path(_) => unsigned(group, "a directory is not signed"),
                SourceId::Archive(_) => unsigned(group, "an archive has no signature"),
                SourceId::ClawHub(_) => unsigned(group, "a skill of ClawHub has no signature"),
                SourceId::WellKnown(_) => {
                    unsigned(group, "a web site's list of skills has no signature")
                }
            },
        )
    }
}

impl PackageSources<'_> {
    /// Checks that the commits of packages from git are in the history of a branch or tag of their repository; `None` where
    /// that cannot be determined. Always true for packages from elsewhere, and vendored ones.
    pub fn check_reachable(&self, packages: &[&LockedPackage]) -> Vec<Result<Option<bool>>> {
        self.for_each_source(
            packages,
            |package| &package.source,
            |source, group| match source {
                SourceId::Git { url, .. } if self.vendor_directory(source).is_none() => {
                    self.with_repository(url, group, |opened| git::check_reachable(opened, group))
                }
                _ => group.iter().map(|_| Ok(Some(true))).collect(),
            },
        )
    }
}

fn unsigned(group: &[&SignatureRequest<'_>], why: &str) -> Vec<Result<SignatureStatus>> {
    group
        .iter()
        .map(|_| {
            Ok(SignatureStatus::unverified(VerifyError::UnsignedSource(
                why.to_owned(),
            )))
        })
        .collect()
}

/// The status of a vendored package: the key that had signed it when it was locked.
fn locked_signature(asked: &SignatureRequest<'_>) -> SignatureStatus {
    let listed = |key: &_| {
        asked.keys.is_empty()
            || asked
                .keys
                .iter()
                .any(|listed: &TrustedKey| listed.has_fingerprint(key))
    };
    // A key that was removed from the list since no longer counts.
    let locked = asked.package.signed_by.filter(|key| listed(key));
    let unsigned = || {
        VerifyError::UnsignedSource(
            "it is vendored, and was not signed by a trusted key when it was locked".into(),
        )
    };

    SignatureStatus {
        verdict: locked.ok_or_else(unsigned),
        is_expected: !asked.keys.is_empty(),
    }
}
