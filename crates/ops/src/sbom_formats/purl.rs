//! Package URLs: <https://github.com/package-url/purl-spec>.
//!
//! A skill in a repository on GitHub has one of type `github`; for all others there is no type yet,
//! so that they are `generic`, with the source as qualifiers.

use packageurl::PackageUrl;

use super::{vcs_url, version};
use skillpm_core::lockfile::LockedPackage;
use skillpm_core::package::SourceId;

/// The package URL of a package; `None` for a local directory, which means nothing on another
/// machine, or if a part of it is not allowed in a package URL.
pub(super) fn purl(locked: &LockedPackage) -> Option<String> {
    match on_github(locked) {
        Some((owner, repository)) => github(locked, owner, repository),
        None => generic(locked),
    }
}

fn on_github(locked: &LockedPackage) -> Option<(&str, &str)> {
    let SourceId::Git { url, .. } = &locked.source else {
        return None;
    };

    let (owner, repository) = url
        .as_str()
        .strip_prefix("https://github.com/")?
        .split_once('/')?;
    let repository = repository.strip_suffix(".git").unwrap_or(repository);
    // Repository names on GitHub have no slash.
    (!repository.contains('/')).then_some((owner, repository))
}

fn github(locked: &LockedPackage, owner: &str, repository: &str) -> Option<String> {
    // The purl specification requires both in lowercase: GitHub ignores case.
    let mut purl = PackageUrl::new("github", repository.to_lowercase()).ok()?;
    purl.with_namespace(owner.to_lowercase()).ok()?;

    purl.with_version(locked.commit.clone()?).ok()?;
    if let Some(path) = &locked.path {
        purl.with_subpath(path.to_string()).ok()?;
    }

    Some(purl.to_string())
}

fn generic(locked: &LockedPackage) -> Option<String> {
    let mut purl = PackageUrl::new("generic", locked.name.skill().to_string()).ok()?;
    if let Some(scope) = locked.name.scope() {
        purl.with_namespace(scope.to_string()).ok()?;
    }
    if let Some(version) = version(locked) {
        purl.with_version(version).ok()?;
    }

    match &locked.source {
        // A path means nothing on another machine.
        SourceId::Path(_) => return None,
        SourceId::Git { .. } => purl.add_qualifier("vcs_url", vcs_url(locked)?).ok()?,
        SourceId::Archive(place) if place.contains("://") => {
            purl.add_qualifier("download_url", place.clone()).ok()?
        }
        SourceId::Archive(_) => return None,
        SourceId::Registry(index) => purl.add_qualifier("repository_url", index.clone()).ok()?,
        SourceId::WellKnown(site) | SourceId::ClawHub(site) => purl
            .add_qualifier("repository_url", site.to_string())
            .ok()?,
    };

    Some(purl.to_string())
}
