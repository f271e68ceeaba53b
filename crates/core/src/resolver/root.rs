//! What everything begins with.

use std::fmt;

use semver::VersionReq;

use crate::package::Dependency;

/// One of the dependencies that everything else follows from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Root {
    /// What is asked for.
    pub dependency: Dependency,
    /// The member of the workspace that asks; `None` for the project itself.
    pub member: Option<Member>,
}

/// A member of a workspace, as it is spoken of: `acme/pdf` (skills/pdf).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Member {
    /// Its name.
    pub name: String,
    /// Its directory, as seen from the workspace's root.
    pub dir: String,
}

impl Root {
    /// The same with another requirement.
    pub(super) fn with(&self, req: VersionReq) -> Root {
        Root { dependency: Dependency { req, ..self.dependency.clone() }, member: self.member.clone() }
    }
}

impl From<Dependency> for Root {
    fn from(dependency: Dependency) -> Self {
        Root { dependency, member: None }
    }
}

impl fmt::Display for Member {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` ({})", self.name, self.dir)
    }
}
