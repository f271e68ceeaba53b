//! The direct dependencies of a project and of the members of its workspace.

use std::fmt;

use semver::VersionReq;

use crate::package::PackageDependency;

/// A direct dependency of the project or of a member of its workspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RootDependency {
    /// The dependency.
    pub dependency: PackageDependency,
    /// The member of the workspace that declares it; `None` for the project itself.
    // Two members may declare the same dependency, and a change is made in one manifest.
    pub member: Option<MemberRef>,
}

/// A member of a workspace, displayed as `` `acme/pdf` (skills/pdf) ``.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct MemberRef {
    /// Its name.
    pub name: String,
    /// Its directory, relative to the workspace root.
    pub dir: String,
}

impl RootDependency {
    /// The same dependency with another requirement.
    pub(super) fn with_requirement(&self, req: VersionReq) -> RootDependency {
        RootDependency {
            dependency: PackageDependency {
                req,
                ..self.dependency.clone()
            },
            member: self.member.clone(),
        }
    }
}

impl From<PackageDependency> for RootDependency {
    fn from(dependency: PackageDependency) -> Self {
        RootDependency {
            dependency,
            member: None,
        }
    }
}

impl fmt::Display for MemberRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` ({})", self.name, self.dir)
    }
}
