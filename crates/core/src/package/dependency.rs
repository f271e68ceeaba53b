//! What a manifest declares.

use semver::VersionReq;

use super::{PackageName, RelPath, SkillName, SourceId};

/// One thing that a project or a package needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dependency {
    /// The name it is installed under: the directory in every target, and the skill's name there.
    pub alias: SkillName,
    /// The package's name at its source.
    ///
    /// For a git, path or archive source it is the skill to look for; where [`Dependency::subdir`] is given that
    /// decides, and a skill of another name found there is installed as the alias.
    pub package: PackageName,
    /// Where it comes from.
    pub source: SourceId,
    /// The directory of the skill inside a git repository or path; `None` to find it by name.
    pub subdir: Option<RelPath>,
    /// Which versions fit; `*` for any, also for a package that has no version.
    pub req: VersionReq,
    /// Whether it is needed only for work on the declaring package itself.
    pub dev: bool,
    /// Whether it is only wished for: an unknown name is then a warning. True for names in a skill's `requires`, which
    /// no agent loads by itself.
    pub optional: bool,
}
