//! The identity of a package: name, version and source.

use std::fmt;

use semver::Version;

use super::{PackageName, SourceId};

/// A package at one version from one source.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PackageId {
    /// Its name at the source.
    pub name: PackageName,
    /// Its version; `None` where the source states none.
    pub version: Option<Version>,
    /// Where it comes from.
    pub source: SourceId,
}

impl fmt::Display for PackageId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.version {
            Some(version) => write!(f, "{} {version}", self.name),
            None => write!(f, "{}", self.name),
        }
    }
}
