//! A failed resolution as data: the requirements that conflict, the chains that lead to them, and a change that was
//! tried and helps.

use semver::{Version, VersionReq};

use super::candidates::ExclusionReason;
use super::root::{MemberRef, RootDependency};
use crate::package::{PackageDependency, PackageId, PackageName, SkillName, SourceId};

/// Why no selection meets all requirements; [`Conflict::explain`] renders it as an error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conflict {
    /// The requirements that conflict.
    pub cause: Box<ConflictCause>,
    /// The dependencies of the project and its members that take part: removing any one of them resolves this conflict,
    /// though it may uncover another.
    pub lines: Vec<RootDependency>,
    /// A change that was tried and helps; `None` if none was found.
    pub remedy: Option<Box<ConflictRemedy>>,
}

/// The kind of a conflict, with its requirements.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ConflictCause {
    /// No candidate has that name at that source.
    Unknown {
        /// The unknown package.
        subject: ConflictSubject,
        /// The requirements on it.
        requirements: Vec<ConflictRequirement>,
    },
    /// No candidate of a package meets all requirements on it.
    NothingFits {
        /// The package.
        subject: ConflictSubject,
        /// The requirements on it; at least one.
        requirements: Vec<ConflictRequirement>,
        /// Hints about its candidates.
        hints: Box<CandidateHints>,
    },
    /// Two packages would be installed under one name.
    NameClash {
        /// The name.
        alias: SkillName,
        /// The requirements that use the name.
        requirements: Vec<ConflictRequirement>,
    },
    /// Each version of a package that is needed fails for a reason of its own.
    EachVersion {
        /// The package.
        subject: ConflictSubject,
        /// The requirements on it.
        requirements: Vec<ConflictRequirement>,
        /// Groups of versions with the reason they fail, from new to old.
        cases: Vec<VersionFailure>,
    },
    /// The requirements conflict in a way that is too long to explain, so they are listed.
    Incompatible {
        /// The requirements that take part, from the project downwards.
        requirements: Vec<ConflictRequirement>,
        /// How many more requirements take part.
        more: usize,
    },
    /// The search budget was exceeded.
    TooComplex {
        /// The steps that were taken.
        steps: u64,
        /// How many candidates all packages have together.
        candidates: u64,
        /// The dependency of the project that matches the most versions, and their number.
        widest: Option<(RootDependency, usize)>,
    },
}

/// A package, as messages name it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConflictSubject {
    /// Its name.
    pub name: PackageName,
    /// Where it comes from; the git reference is not significant.
    pub source: SourceId,
}

/// A requirement that takes part in a conflict.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConflictRequirement {
    /// The project, member or package that has it.
    pub requester: ConflictRequester,
    /// The dependency; several if the versions of the requester differ in it.
    pub wants: Vec<PackageDependency>,
    /// The requirements on the requester; empty for the project and where they are reported elsewhere.
    pub because: Vec<ConflictRequirement>,
}

/// Where a requirement comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ConflictRequester {
    /// The project.
    Project,
    /// A member of the workspace.
    Member(MemberRef),
    /// The project, at the end of a chain that is too long to be shown.
    ProjectIndirectly,
    /// A package in any of these versions; empty if it has no versions.
    Package(PackageName, Vec<Version>),
    /// The same, where some or all of them replace another package by `[patch]`.
    Patch {
        /// The package.
        name: PackageName,
        /// Its versions; empty if it has none.
        versions: Vec<Version>,
        /// Those that are replacements; `None` if all are.
        patched: Option<Vec<Version>>,
    },
}

/// Some versions of a package and why they fail.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VersionFailure {
    /// The versions, from old to new; empty if the package has none.
    pub versions: Vec<Version>,
    /// Why they fail; it does not repeat why they are needed.
    pub cause: ConflictCause,
}

/// Hints about the candidates of a package of which none fits.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CandidateHints {
    /// The newest version that could be selected.
    pub newest: Option<Version>,
    /// The newest pre-release that would fit if the requirements allowed pre-releases.
    pub pre_release: Option<Version>,
    /// Versions that fit but were yanked, from old to new; empty unless that matters.
    pub yanked: Vec<Version>,
    /// Candidates that fit but are excluded, and why, from old to new; empty unless that matters.
    pub excluded: Vec<(PackageId, ExclusionReason)>,
    /// Replacements of the package by `[patch]` that do not fit, from old to new.
    pub patches: Vec<PackageId>,
    /// The one version that `--precise` allows; `None` unless that matters.
    pub precise: Option<PackageId>,
    /// Whether that version exists.
    pub precise_exists: bool,
    /// The version of the skill at the exact location that is required.
    pub stated: Option<Version>,
    /// Whether a skill at the exact location that is required has no version.
    pub is_unversioned: bool,
}

/// A change to the dependencies of the project and its members that resolves the conflict.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ConflictRemedy {
    /// Change the requirement of a dependency.
    Change {
        /// The current dependency.
        line: RootDependency,
        /// The new requirement.
        req: VersionReq,
        /// The version that is then selected; `None` where it has none.
        version: Option<Version>,
    },
    /// Install a dependency under another name.
    Rename {
        /// The current dependency.
        line: RootDependency,
        /// The name to give it.
        alias: SkillName,
    },
    /// Drop `--precise`; this is then selected.
    WithoutPrecise(PackageId),
    /// Remove one of these; no change of one requirement helps.
    RemoveOneOf {
        /// The dependencies, at least one.
        lines: Vec<RootDependency>,
    },
}

impl Conflict {
    pub(super) fn new(cause: ConflictCause) -> Self {
        Conflict {
            // Boxed, since a `Result` is as large as its larger half, and `Conflict` is an error.
            cause: Box::new(cause),
            lines: Vec::new(),
            // Found later, with searches of its own; see `remedy`.
            remedy: None,
        }
    }
}
