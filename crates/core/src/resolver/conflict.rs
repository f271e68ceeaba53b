//! Why there is no answer, as data: who asked for what, who asked for them, and a change that was tried and helps.

use semver::{Version, VersionReq};

use super::candidates::Barred;
use super::root::{Member, Root};
use crate::package::{Dependency, PackageId, PackageName, SkillName, SourceId};

/// Why no choice fits everything. [`Conflict::explain`] puts it into words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conflict {
    /// What does not go together.
    pub cause: Box<Cause>,
    /// The lines of the project and its members without which the rest would fit: taking back any one of them would do
    /// for this conflict, though there may be another behind it.
    pub lines: Vec<Root>,
    /// A change that was tried and helps; `None` if none was found.
    pub remedy: Option<Box<Remedy>>,
}

/// What does not go together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cause {
    /// Nothing is offered under that name at that place.
    Unknown {
        /// What is asked for.
        subject: Subject,
        /// Who asks.
        asks: Vec<Ask>,
    },
    /// No candidate of a package fits all who ask.
    NothingFits {
        /// The package.
        subject: Subject,
        /// Who asks for what; at least one.
        asks: Vec<Ask>,
        /// What is offered instead.
        hints: Box<Hints>,
    },
    /// Two packages are to be installed under one name.
    NameClash {
        /// The name.
        alias: SkillName,
        /// Who asks for which package under it.
        asks: Vec<Ask>,
    },
    /// Each version of a package that is needed fails for a reason of its own.
    EachVersion {
        /// The package.
        subject: Subject,
        /// Who asks for it.
        asks: Vec<Ask>,
        /// What is wrong with which versions, from new to old.
        cases: Vec<Case>,
    },
    /// These do not go together, in a way that is longer than a person would read.
    Together {
        /// What takes part, from the project downwards.
        asks: Vec<Ask>,
        /// How much more takes part.
        more: usize,
    },
    /// It could not be decided with reasonable effort.
    TooHard {
        /// The steps that were taken.
        steps: u64,
        /// How many candidates there are to choose from, of all packages together.
        candidates: u64,
        /// The line of the project that leaves the most versions to choose from, and how many those are.
        widest: Option<(Root, usize)>,
    },
}

/// A package, as it is spoken of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subject {
    /// Its name.
    pub name: PackageName,
    /// The place it comes from; the reference says nothing.
    pub source: SourceId,
}

/// Somebody asks for something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ask {
    /// Who.
    pub asker: Asker,
    /// For what: one dependency, or several if the versions of the asker differ in it.
    pub wants: Vec<Dependency>,
    /// Who asked for the asker; empty for the project and where that is told elsewhere.
    pub because: Vec<Ask>,
}

/// Who asks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Asker {
    /// The project.
    Project,
    /// A member of the workspace.
    Member(Member),
    /// The project, at the end of a chain that is too long to be told as a whole.
    ProjectInTheEnd,
    /// A package, in whichever of these versions; none if it has no versions.
    Package(PackageName, Vec<Version>),
    /// The same, where some of them, or all, stand in for another package by a patch.
    Patch {
        /// The package.
        name: PackageName,
        /// Its versions; none if it has no versions.
        versions: Vec<Version>,
        /// Those that stand in; `None` if that is all of it.
        patched: Option<Vec<Version>>,
    },
}

/// Some versions of a package and what is wrong with them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Case {
    /// The versions, from old to new; none if the package has no versions.
    pub versions: Vec<Version>,
    /// What is wrong with them. Why they are needed is not told again in it.
    pub cause: Cause,
}

/// What is known of the candidates of a package that none fits.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Hints {
    /// The newest version that could be chosen.
    pub newest: Option<Version>,
    /// The newest pre-release that would fit if requirements let pre-releases pass.
    pub pre_release: Option<Version>,
    /// Versions that fit but were yanked, from old to new; empty unless that matters.
    pub yanked: Vec<Version>,
    /// Candidates that fit but may not be chosen, and why, from old to new; empty unless that matters.
    pub barred: Vec<(PackageId, Barred)>,
    /// What stands in for the package by a patch and does not fit, from old to new.
    pub patches: Vec<PackageId>,
    /// The one version that `--precise` allows; `None` unless that matters.
    pub precise: Option<PackageId>,
    /// Whether that version exists.
    pub precise_exists: bool,
    /// The version stated by what stands at the very place that is asked for.
    pub stated: Option<Version>,
    /// Whether something stands at the very place that is asked for and states no version.
    pub is_unversioned: bool,
}

/// A change to the lines of the project and its members with which everything fits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Remedy {
    /// Ask for other versions of something.
    Change {
        /// The dependency as it is.
        line: Root,
        /// What to ask for instead.
        req: VersionReq,
        /// What would be chosen then; `None` where no version is stated.
        version: Option<Version>,
    },
    /// Install something under another name.
    Rename {
        /// The dependency as it is.
        line: Root,
        /// The name to give it.
        alias: SkillName,
    },
    /// Do without `--precise`; this would be chosen then.
    LessPrecise(PackageId),
    /// Do without one of these; no change of one requirement helps.
    Without {
        /// The dependencies, at least one.
        lines: Vec<Root>,
    },
}

impl Conflict {
    pub(super) fn new(cause: Cause) -> Self {
        Conflict { cause: Box::new(cause), lines: Vec::new(), remedy: None }
    }
}
