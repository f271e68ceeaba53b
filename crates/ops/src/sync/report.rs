//! What a sync did.

use std::path::PathBuf;

use crate::agents::{DetectedTarget, SkillReach};
use skillpm_core::error::Error;
use skillpm_core::lockfile::LockedPackage;
use skillpm_core::package::{RelPath, SkillName};
use skillpm_core::skill::SkillFormat;

/// The result of [`sync`](super::sync).
#[derive(Debug, Clone, Default)]
pub struct SyncReport {
    /// The changes on disk, by name.
    pub changes: Vec<SkillChange>,
    /// The number of packages of the project.
    pub packages: usize,
    /// Whether the lockfile changed.
    pub lock_changed: bool,
    /// Whether there was nothing to do.
    pub up_to_date: bool,
    /// Whether the changes were only reported, not made.
    pub dry_run: bool,
    /// Skills that were up to date; empty if the fast path did not check them.
    pub kept: Vec<SkillName>,
    /// Copies with the user's edits, which were kept.
    pub edited: Vec<EditedCopy>,
    /// Skills in which the user's edits and upstream's changes were merged.
    pub merges: Vec<SkillMerge>,
    /// Paths that got the user's edits of another copy.
    pub carried: Vec<PathBuf>,
    /// Skills that are in another directory of their repository now.
    pub moved: Vec<MovedSkill>,
    /// Skills that stay at an older version.
    pub held: Vec<HeldSkill>,
    /// The sources that failed; their skills stay as they were locked.
    pub failed: Vec<Error>,
    /// Changes of patch files.
    pub patched: Vec<PatchChange>,
    /// Paths where the user replaced a link, which were left alone.
    pub left: Vec<LeftCopy>,
    /// Copies that were removed, of skills that stay in other targets.
    pub cleared: Vec<ClearedCopy>,
    /// Copies that were written in the format of their target's agent.
    pub converted: Vec<ConvertedCopy>,
    /// Agents whose skills changed, and that see it only after their own tool for it ran.
    pub reloads: Vec<AgentReload>,
    /// Agents that were detected, and are targets from now on.
    pub detected: Vec<DetectedTarget>,
    /// Where the installed skills are, and which agents see them; `None` for commands that install none.
    pub reach: Option<SkillReach>,
}

/// A skill that is in another directory of its repository now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MovedSkill {
    /// The skill.
    pub name: SkillName,
    /// The directory where it was locked; `None` for the root.
    pub from: Option<RelPath>,
    /// The directory where it is.
    pub to: Option<RelPath>,
}

/// A skill that stays at an older version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeldSkill {
    /// The skill.
    pub name: SkillName,
    /// The version or commit that it does not go to.
    pub revision: String,
    /// Why; finishes the sentence "it …".
    pub reason: String,
}

/// What is left at the path of a skill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftCopy {
    /// Its path, relative to the project.
    pub place: PathBuf,
    /// Why it cannot be read as a skill; `None` if it is not skillpm's.
    pub why: Option<String>,
}

/// A copy with the user's edits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EditedCopy {
    /// Its path, relative to the project.
    pub place: PathBuf,
    /// Whether it was converted, so that no patch file can have its edits.
    pub is_converted: bool,
}

/// A removed copy of a skill that stays in other targets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClearedCopy {
    /// Its path, relative to the project.
    pub place: PathBuf,
    /// Whether `[catalog]` hides the skill from the agents of a directory that is still a target.
    pub is_hidden: bool,
}

/// A copy of a package in another format.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConvertedCopy {
    /// Its path, relative to the project.
    pub place: PathBuf,
    /// The format that it was converted to.
    pub to: SkillFormat,
}

/// An agent that reads its skills again only when it is asked to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentReload {
    /// The agent's name.
    pub agent: String,
    /// The tool that does it.
    pub tool: &'static str,
}

/// The change of one skill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SkillChange {
    /// It is new.
    Installed(Box<LockedPackage>),
    /// It had another version or content; before and after.
    Updated(Box<LockedPackage>, Box<LockedPackage>),
    /// It differed from the lockfile.
    Restored(Box<LockedPackage>),
    /// It is no longer needed.
    Removed(SkillName),
}

/// A skill in which the user's edits and upstream's changes were merged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkillMerge {
    /// The skill.
    pub name: SkillName,
    /// Its path, relative to the project.
    pub place: PathBuf,
    /// The merged files.
    pub files: Vec<skillpm_merge::MergedFile>,
}

/// The change of a skill's saved edits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PatchChange {
    /// The skill.
    pub name: SkillName,
    /// Its patch file, in the project.
    pub path: RelPath,
    /// The change.
    pub outcome: PatchOutcome,
}

/// The change of a patch file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PatchOutcome {
    /// It was written with the current edits.
    Written,
    /// It was removed, because upstream has all of the edits.
    Upstreamed,
    /// It was removed, and the edits dropped.
    Dropped,
    /// It was removed, because its edits conflict with the new version: they are local edits again.
    Unsaved,
    /// No skill of that name is installed any longer: the file stays, and its line in `[edits]` is
    /// removed.
    Unused,
}
