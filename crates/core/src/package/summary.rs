//! The little the solver must know of one version.

use jiff::Timestamp;
use semver::Version;

use super::{Dependency, PackageId, PackageName, RelPath, SourceId};

/// One version of a package as its source offers it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Summary {
    /// Its name at the source.
    pub name: PackageName,
    /// Its version; `None` where the source states none, as most skills in git do.
    pub version: Option<Version>,
    /// Where it comes from, down to the reference: a version read from a tag carries that tag.
    pub source: SourceId,
    /// The directory inside a git repository or path that holds it.
    pub subdir: Option<RelPath>,
    /// What it needs; `None` while that has not been read yet, since a repository's tags tell versions only.
    pub dependencies: Option<Vec<Dependency>>,
    /// Whether it was withdrawn from new resolves.
    pub yanked: bool,
    /// When it was published, as its source says; `None` where that says nothing.
    pub published: Option<Timestamp>,
}

impl Summary {
    /// What a dependency asks for, as long as nothing of it has been read.
    #[must_use]
    pub fn unread(dependency: &Dependency) -> Summary {
        Summary {
            name: dependency.package.clone(),
            version: None,
            source: dependency.source.clone(),
            subdir: dependency.subdir.clone(),
            dependencies: None,
            yanked: false,
            published: None,
        }
    }

    /// What it would be called if it were chosen.
    #[must_use]
    pub fn id(&self) -> PackageId {
        PackageId { name: self.name.clone(), version: self.version.clone(), source: self.source.clone() }
    }
}
