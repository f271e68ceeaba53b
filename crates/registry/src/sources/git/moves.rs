//! What became of a skill that a commit no longer has in its directory.

use std::collections::BTreeSet;

use super::super::FetchError;
use super::super::discover::dir_name;
use super::skills::is_within;
use super::{CommitContents, OpenRepository, WantedSkill, find_by_name, format_at};
use skillpm_core::error::{Error, Result, edit_distance};
use skillpm_core::lockfile::LockedPackage;
use skillpm_core::package::RelPath;
use skillpm_io::git::{BlobId, CommitId, ListedEntry};

/// The most directories that are named as where a skill may be now.
const SUCCESSORS_MAX: usize = 3;

/// A locked skill of a repository, and the commit where it is looked for.
#[derive(Debug, Clone, Copy)]
pub struct SkillLookup<'a> {
    /// The skill.
    pub locked: &'a LockedPackage,
    /// The full id of the commit.
    pub commit: &'a str,
}

/// What became of a skill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SkillMove {
    /// It is in this directory (`None` for the root), the only one with a skill of its name.
    To(Option<RelPath>),
    /// It was removed, renamed or split, or is there more than once. These directories may have it now.
    Gone(Vec<String>),
}

/// Looks for skills at other commits; `None` for one that is still in its directory.
pub(in crate::sources) fn find_moves(
    opened: &mut OpenRepository,
    lookups: &[&SkillLookup<'_>],
) -> Vec<Result<Option<SkillMove>>> {
    lookups
        .iter()
        .map(|lookup| find_move(opened, lookup, lookups))
        .collect()
}

fn find_move(
    opened: &mut OpenRepository,
    lookup: &SkillLookup<'_>,
    all: &[&SkillLookup<'_>],
) -> Result<Option<SkillMove>> {
    let SkillLookup { locked, commit } = lookup;
    let same_commit = all.iter().filter(|other| other.commit == *commit);
    // An update reads them next, so that they come with the declarations.
    let wanted: Vec<WantedSkill<'_>> = same_commit
        .map(|other| WantedSkill::Directory(directory_of(other.locked)))
        .collect();
    let contents = opened.commit_contents(commit.parse()?, &wanted)?;
    let before = directory_of(locked);
    if format_at(&contents, before).is_some() {
        return Ok(None);
    }

    match find_by_name(opened, &contents, locked.name.skill()) {
        Ok(dir) if dir.is_empty() => Ok(Some(SkillMove::To(None))),
        Ok(dir) => Ok(Some(SkillMove::To(Some(dir.parse()?)))),
        Err(FetchError::Failed(error)) if !has_several(&contents, locked) => Err(error),
        Err(_) => Ok(Some(SkillMove::Gone(successors(opened, &contents, locked)))),
    }
}

fn has_several(contents: &CommitContents, locked: &LockedPackage) -> bool {
    contents.skills_named(locked.name.skill()).len() > 1
}

/// The directory that a package is locked in; empty for the root.
fn directory_of(locked: &LockedPackage) -> &str {
    locked.path.as_ref().map_or("", RelPath::as_str)
}

/// The directories that may continue a skill: those of its name, else those that came since and share a file with it, else
/// those that came since with a similar name.
fn successors(
    opened: &mut OpenRepository,
    contents: &CommitContents,
    locked: &LockedPackage,
) -> Vec<String> {
    let mut found = contents.skills_named(locked.name.skill());
    if found.is_empty() {
        found = new_relatives(opened, contents, locked).unwrap_or_default();
    }
    found.truncate(SUCCESSORS_MAX);
    found
}

/// As [`successors`], of a skill whose name is gone; an error if the locked commit cannot be read any longer.
fn new_relatives(
    opened: &mut OpenRepository,
    contents: &CommitContents,
    locked: &LockedPackage,
) -> Result<Vec<String>> {
    let commit: CommitId = locked
        .commit
        .as_deref()
        .ok_or_else(|| Error::internal("a package of a repository is locked without a commit"))?
        .parse()?;
    let before = opened.commit_contents(commit, &[])?;
    let before_dirs: BTreeSet<&String> = before.skills.all.iter().collect();
    let new = contents.skills.all.iter();
    let new: Vec<&String> = new.filter(|dir| !before_dirs.contains(dir)).collect();

    // Those of the skill alone: a license is in many.
    let inside = |path: &str| is_within(path, locked.path.as_ref());
    let (own, others): (Vec<&ListedEntry>, Vec<&ListedEntry>) = before
        .listing
        .entries()
        .iter()
        .partition(|entry| inside(&entry.path));
    let mut files: BTreeSet<BlobId> = own.iter().map(|entry| entry.id).collect();
    for other in others {
        files.remove(&other.id);
    }
    let shares_file = |dir: &&&String| {
        let files_there = contents.listing.blobs_below(dir);
        files_there.iter().any(|blob| files.contains(blob))
    };
    let name = locked.name.skill().as_str();
    let is_similar = |dir: &&&String| {
        let other = dir_name(dir);
        other.contains(name)
            || name.contains(other) && !other.is_empty()
            || edit_distance(name, other) <= 2
    };

    let relatives = |is_relative: &dyn Fn(&&&String) -> bool| -> Vec<String> {
        new.iter()
            .filter(is_relative)
            .map(|dir| (*dir).clone())
            .collect()
    };
    let sharing = relatives(&shares_file);
    Ok(if sharing.is_empty() {
        relatives(&is_similar)
    } else {
        sharing
    })
}
