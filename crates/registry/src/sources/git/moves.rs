//! What became of a skill that a commit no longer has in its directory.

use std::collections::BTreeSet;

use super::super::FetchError;
use super::super::discover::dir_name;
use super::skills::descriptor_blob;
use super::{CommitContents, OpenRepository, WantedSkill, find_by_name, format_at};
use skillpm_core::error::{Error, Result};
use skillpm_core::lockfile::LockedPackage;
use skillpm_core::package::RelPath;
use skillpm_io::git::CommitId;

/// The most directories that are named as where a skill may be now.
const SUCCESSORS_MAX: usize = 3;

/// The most new skills that a missing one is compared with.
const NEW_MAX: usize = 100;

/// How many of a hundred lines two pages share at least if one was renamed: more than half of them.
const RENAME_PERCENT: usize = 51;

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
    opened: &mut OpenRepository<'_>,
    lookups: &[&SkillLookup<'_>],
) -> Vec<Result<Option<SkillMove>>> {
    lookups
        .iter()
        .map(|lookup| find_move(opened, lookup, lookups))
        .collect()
}

fn find_move(
    opened: &mut OpenRepository<'_>,
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

    let named = contents.skills_named(locked.name.skill());
    match find_by_name(opened, &contents, locked.name.skill()) {
        Ok(dir) if dir.is_empty() => Ok(Some(SkillMove::To(None))),
        Ok(dir) => Ok(Some(SkillMove::To(Some(dir.parse()?)))),
        Err(FetchError::Failed(error)) if named.is_empty() => Err(error),
        Err(_) => Ok(Some(SkillMove::Gone(successors(
            opened, &contents, locked, named,
        )))),
    }
}

/// The directory that a package is locked in; empty for the root.
fn directory_of(locked: &LockedPackage) -> &str {
    locked.path.as_ref().map_or("", RelPath::as_str)
}

/// The directories that may continue a skill: those of its name, else those that came since with a page that is alike, else
/// those that came since with a name that has its name as a part.
fn successors(
    opened: &mut OpenRepository<'_>,
    contents: &CommitContents,
    locked: &LockedPackage,
    named: Vec<String>,
) -> Vec<String> {
    let mut found = named;
    if found.is_empty() {
        found = new_relatives(opened, contents, locked).unwrap_or_default();
    }
    found.truncate(SUCCESSORS_MAX);
    found
}

/// As [`successors`], of a skill whose name is gone; an error if the locked commit cannot be read any longer.
///
/// Skills that only moved are none, nor are those that were there before.
fn new_relatives(
    opened: &mut OpenRepository<'_>,
    contents: &CommitContents,
    locked: &LockedPackage,
) -> Result<Vec<String>> {
    let commit: CommitId = locked
        .commit
        .as_deref()
        .ok_or_else(|| Error::internal("a package of a repository is locked without a commit"))?
        .parse()?;
    let before = opened.commit_contents(commit, &[])?;
    let known: BTreeSet<&str> = before.skills.all.iter().map(|dir| dir_name(dir)).collect();
    let new = contents.skills.all.iter();
    let mut new: Vec<String> = new
        .filter(|dir| !known.contains(dir_name(dir)))
        .take(NEW_MAX)
        .cloned()
        .collect();

    let page = read_page(opened, &before, directory_of(locked))?;
    // All in one request.
    let mut blobs = Vec::new();
    // One with a link that is not followed is no successor.
    new.retain(|dir| {
        let blob = descriptor_blob(opened, contents, dir).unwrap_or_default();
        blobs.extend(blob);
        blob.is_some()
    });
    opened.repository().fetch_blobs(&blobs)?;
    let mut alike = Vec::new();
    for dir in &new {
        let shared = shared_lines(&page, &read_page(opened, contents, dir)?);
        alike.push((shared, dir.clone()));
    }
    // The most alike first, else in the order of their names.
    alike.sort_by(|one, other| other.0.cmp(&one.0).then_with(|| one.1.cmp(&other.1)));
    alike.retain(|(shared, _)| *shared >= RENAME_PERCENT);
    if !alike.is_empty() {
        return Ok(alike.into_iter().map(|(_, dir)| dir).collect());
    }

    let name = locked.name.skill().as_str();
    let is_similar = |dir: &String| has_part(dir_name(dir), name) || has_part(name, dir_name(dir));
    Ok(new.into_iter().filter(is_similar).collect())
}

/// Whether a name has another one between its hyphens: `pdf-read` has `pdf`.
fn has_part(name: &str, part: &str) -> bool {
    format!("-{name}-").contains(&format!("-{part}-"))
}

/// The lines of a skill's page that say something, without those that are its name.
fn read_page(
    opened: &mut OpenRepository<'_>,
    contents: &CommitContents,
    dir: &str,
) -> Result<BTreeSet<String>> {
    let Some(blob) = descriptor_blob(opened, contents, dir)? else {
        return Ok(BTreeSet::new());
    };
    opened.repository().fetch_blobs(&[blob])?;
    let bytes = opened.read_blob(&blob)?;
    let name = dir_name(dir);
    let lines = String::from_utf8_lossy(&bytes);
    let lines = lines.lines().map(str::trim);
    Ok(lines
        .filter(|line| {
            let text = line.trim_start_matches("name:").trim_start_matches('#');
            !matches!(text.trim(), "" | "---") && text.trim() != name
        })
        .map(str::to_owned)
        .collect())
}

/// How many of a hundred lines both have.
fn shared_lines(one: &BTreeSet<String>, other: &BTreeSet<String>) -> usize {
    let most = one.len().max(other.len());
    (100 * one.intersection(other).count())
        .checked_div(most)
        .unwrap_or(0)
}
