//! A dependency as a manifest or an index declares it.

use semver::VersionReq;

use super::{PackageName, RelPath, SkillName, SourceId};

/// A dependency of a project or of a package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PackageDependency {
    /// The name it is installed under: the directory in every target, and the skill's name there.
    pub alias: SkillName,
    /// The package's name at its source.
    ///
    /// For a git, path or archive source it is the skill to look for. If [`PackageDependency::subdir`] is given, the
    /// directory has priority, and a skill of another name found there is installed as the alias.
    pub package: PackageName,
    /// Where it comes from.
    pub source: SourceId,
    /// The directory of the skill inside a git repository or path; `None` to find it by name.
    pub subdir: Option<RelPath>,
    /// The version requirement; `*` matches any version, and a package without one.
    pub req: VersionReq,
    /// Whether it is needed only for development of the declaring package.
    pub dev: bool,
    /// Whether it is optional, so that an unknown name is only a warning. True for names in a skill's `requires`, which no
    /// agent loads by itself.
    pub optional: bool,
}
