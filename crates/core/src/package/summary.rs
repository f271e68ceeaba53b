//! The summary of one version of a package, as the resolver needs it.

use jiff::Timestamp;
use semver::Version;

use super::{PackageDependency, PackageId, PackageName, RelPath, SourceId};

/// One version of a package as its source offers it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PackageSummary {
    /// Its name at the source.
    pub name: PackageName,
    /// Its version; `None` where the source states none, as most skills in git do.
    pub version: Option<Version>,
    /// Where it comes from, with the git reference: a version read from a tag has that tag.
    pub source: SourceId,
    /// Its directory inside a git repository or path; `None` if it is unknown or the root.
    pub subdir: Option<RelPath>,
    /// Its dependencies; `None` while they have not been read, since the tags of a repository give versions only.
    pub dependencies: Option<Vec<PackageDependency>>,
    /// Whether it was yanked, so that only a lockfile can keep it.
    pub yanked: bool,
    /// When it was published, according to its source; `None` if unknown.
    pub published: Option<Timestamp>,
}

impl PackageSummary {
    /// The summary of what a dependency names, before it is read.
    #[must_use]
    pub fn unread(dependency: &PackageDependency) -> PackageSummary {
        PackageSummary {
            name: dependency.package.clone(),
            version: None,
            source: dependency.source.clone(),
            subdir: dependency.subdir.clone(),
            dependencies: None,
            yanked: false,
            published: None,
        }
    }

    /// Its package id.
    #[must_use]
    pub fn id(&self) -> PackageId {
        PackageId {
            name: self.name.clone(),
            version: self.version.clone(),
            source: self.source.clone(),
        }
    }
}
