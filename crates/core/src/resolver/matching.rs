//! Whether a candidate matches a dependency: its location, skill, git reference and version.

use semver::VersionReq;

use super::candidates::is_location_unknown;
use crate::package::{GitReference, PackageDependency, PackageSummary, SourceId};

/// Whether a candidate matches a dependency.
pub(super) fn takes(dependency: &PackageDependency, summary: &PackageSummary) -> bool {
    is_offered(dependency, summary) && version_fits(dependency, summary)
}

/// Whether a candidate matches a dependency in everything except its version.
pub(super) fn is_offered(dependency: &PackageDependency, summary: &PackageSummary) -> bool {
    dependency.source.is_same_location(&summary.source)
        && is_same_skill(dependency, summary)
        && is_at_reference(&dependency.source, summary)
}

/// Whether it is the skill that the dependency names. An unread candidate may turn out to be in its directory.
fn is_same_skill(dependency: &PackageDependency, summary: &PackageSummary) -> bool {
    match &dependency.subdir {
        Some(subdir) if !is_location_unknown(summary) => summary.subdir.as_ref() == Some(subdir),
        _ => summary.name == dependency.package,
    }
}

/// Whether it is at the git reference that the dependency names.
fn is_at_reference(source: &SourceId, summary: &PackageSummary) -> bool {
    match (source, &summary.source) {
        // A tag must spell the version, since the skill may state one at any tag.
        (
            SourceId::Git {
                reference: GitReference::Versions,
                ..
            },
            SourceId::Git { reference, .. },
        ) => {
            matches!(reference, GitReference::Tag(tag) if summary.version.as_ref().is_some_and(|v| is_version_tag(tag, v)))
        }
        (
            SourceId::Git {
                reference: wanted, ..
            },
            SourceId::Git { reference, .. },
        ) => wanted == reference,
        _ => true,
    }
}

/// Whether its version matches the requirement. A git reference already names the commit, so a requirement next to one
/// only checks a version that is stated; everywhere else a candidate without a version matches `*` only.
fn version_fits(dependency: &PackageDependency, summary: &PackageSummary) -> bool {
    let is_explicit = !dependency.source.has_versions();

    match &summary.version {
        // `*` does not match a pre-release, and such a source has no other candidate.
        Some(version) => {
            dependency.req.matches(version) || (is_explicit && dependency.req == VersionReq::STAR)
        }
        // A git reference already names the commit, whatever version it states.
        None => {
            dependency.req == VersionReq::STAR || matches!(dependency.source, SourceId::Git { .. })
        }
    }
}

/// Whether the version of a `[patch]` replacement fits a dependency. The user chose it explicitly, so a replacement
/// without a version fits any requirement; a stated version has to match.
pub(super) fn fits_in_place(dependency: &PackageDependency, summary: &PackageSummary) -> bool {
    let Some(version) = &summary.version else {
        return true;
    };
    dependency.req == VersionReq::STAR || dependency.req.matches(version)
}

/// Whether a tag is a version tag of that version (`v1.2.3`, `1.2.3`, `NAME-v1.2.3`, `NAME@1.2.3`, …), as opposed to
/// some other tag at which the skill states a version.
fn is_version_tag(tag: &str, version: &semver::Version) -> bool {
    let Some(prefix) = tag.strip_suffix(&version.to_string()) else {
        return false;
    };

    prefix.is_empty() || prefix == "v" || prefix.ends_with(['-', '@', '/']) || ends_in_v(prefix)
}

fn ends_in_v(prefix: &str) -> bool {
    ["-v", "@v", "/v"].iter().any(|end| prefix.ends_with(end))
}
