//! The skills that a repository offers, for `add` to choose from.

use std::collections::BTreeSet;

use semver::VersionReq;

use super::super::discover::{dir_name, join_paths};
use super::{CommitContents, FoundSkill, OpenRepository, SkillSelection, WantedSkill, format_at};
use skillpm_core::error::{Error, Result};
use skillpm_core::package::{GitReference, RelPath};
use skillpm_core::skill::formats::{self, DirectoryFiles};
use skillpm_core::skill::{self, Skill};
use skillpm_io::git::{BlobId, CommitId};

/// Finds the skills of a repository; the blobs of the wanted ones are fetched in one request.
pub(in crate::sources) fn discover_skills(
    opened: &mut OpenRepository,
    at: (&GitReference, Option<&VersionReq>),
    within: Option<&RelPath>,
    choice: &SkillSelection,
) -> Result<Vec<FoundSkill>> {
    let commit = match at {
        (GitReference::Versions, req) => {
            newest_version_commit(opened, req.unwrap_or(&VersionReq::STAR), choice)?
        }
        (reference, _) => opened.resolve_commit(reference)?,
    };

    let contents = opened.commit_contents(commit, &wanted_skills(within, choice))?;
    let dirs = candidate_dirs(opened, &contents, within)?;
    // With a directory of each name the frontmatter of the others need not be read.
    let (look_at, whole) = match named_dirs(&contents, within, choice) {
        Some(named) => (named, true),
        None => (dirs, *choice == SkillSelection::All),
    };

    // All of them are installed, so their blobs come in one request.
    if whole {
        let blobs: BTreeSet<BlobId> = look_at
            .iter()
            .flat_map(|dir| contents.listing.blobs_below(dir))
            .collect();
        opened
            .repository()
            .fetch_blobs(&blobs.into_iter().collect::<Vec<_>>())?;
    }

    Ok(read_skills(opened, &contents, &look_at)?
        .into_iter()
        .map(|(_, found)| found)
        .collect())
}

/// The skills that are read whole.
fn wanted_skills<'w>(
    within: Option<&'w RelPath>,
    choice: &'w SkillSelection,
) -> Vec<WantedSkill<'w>> {
    match choice {
        SkillSelection::Named(names) => names
            .iter()
            .map(|name| WantedSkill::Named(name, within))
            .collect(),
        SkillSelection::All => vec![WantedSkill::All(within)],
        SkillSelection::Undecided => Vec::new(),
    }
}

/// The directories with the selected names; `None` if there is not one for each of them, or none is selected.
fn named_dirs(
    contents: &CommitContents,
    within: Option<&RelPath>,
    choice: &SkillSelection,
) -> Option<Vec<String>> {
    let SkillSelection::Named(names) = choice else {
        return None;
    };

    let mut all = Vec::new();
    for name in names {
        let found = all.len();
        let dirs = contents.skills.named(name).into_iter();
        all.extend(dirs.filter(|dir| is_within(dir, within)).map(str::to_owned));
        if all.len() == found {
            return None;
        }
    }
    (!names.is_empty()).then_some(all)
}

/// Finds the commit of the newest version that matches.
fn newest_version_commit(
    opened: &mut OpenRepository,
    req: &VersionReq,
    choice: &SkillSelection,
) -> Result<CommitId> {
    // All skills are from the same commit, so the first name decides.
    let name = match choice {
        SkillSelection::Named(names) => names.first().map_or("", String::as_str),
        SkillSelection::All | SkillSelection::Undecided => "",
    };

    // Without a name, only tags of the whole repository are versions.
    let versions = opened.tagged_versions(name)?;
    let Some(tag) = versions
        .iter()
        .rev()
        .find(|(version, _)| req.matches(version))
        .map(|(_, tag)| tag.clone())
    else {
        let error = Error::negative(format!(
            "no version tag of `{}` matches `{req}`",
            opened.url
        ));
        return Err(match versions.last_key_value() {
            Some((last, _)) => {
                // A pre-release is suggested only where there is nothing else.
                let newest = versions
                    .keys()
                    .rev()
                    .find(|version| version.pre.is_empty())
                    .unwrap_or(last);
                error
                    .note(format!("the newest is `{newest}`"))
                    .help(format!("use `--version ^{newest}`"))
            }
            None => error
                .note("it has no version tags")
                .help("specify a tag, branch or commit with `--tag`, `--branch` or `--rev`"),
        });
    };

    opened.resolve_commit(&GitReference::Tag(tag))
}

fn candidate_dirs(
    opened: &OpenRepository,
    contents: &CommitContents,
    within: Option<&RelPath>,
) -> Result<Vec<String>> {
    let skills = &contents.skills;
    let among = |dirs: &[String]| -> Vec<String> {
        dirs.iter()
            .filter(|dir| is_within(dir, within))
            .cloned()
            .collect()
    };

    // Offered are those at the usual places, or at those that a manifest of the repository names.
    let mut dirs = among(&skills.offered);
    // Under a directory that was named, every skill counts, offered or not.
    if dirs.is_empty() && within.is_some() {
        dirs = among(&skills.all);
    }

    if dirs.is_empty() {
        let place = within.map_or_else(String::new, |dir| format!(" under `{dir}`"));
        return Err(Error::negative(format!("no skill found in `{}`{place}", opened.url))
            .note("a skill is a directory with a `SKILL.md`")
            .help("select another directory with `--path DIR`, or another state with `--branch` or `--tag`"));
    }

    Ok(dirs)
}

pub(super) fn is_within(dir: &str, within: Option<&RelPath>) -> bool {
    within.is_none_or(|within| {
        dir == within.as_str()
            || dir
                .strip_prefix(within.as_str())
                .is_some_and(|rest| rest.starts_with('/'))
    })
}

/// Reads the descriptor of the skill in each directory.
pub(super) fn read_skills(
    opened: &mut OpenRepository,
    contents: &CommitContents,
    dirs: &[String],
) -> Result<Vec<(String, FoundSkill)>> {
    let blobs: Vec<(&String, BlobId)> = dirs
        .iter()
        .filter_map(|dir| Some((dir, descriptor_blob(contents, dir)?)))
        .collect();
    opened
        .repository()
        .fetch_blobs(&blobs.iter().map(|(_, blob)| *blob).collect::<Vec<_>>())?;

    let mut found = Vec::new();
    for (dir, blob) in blobs {
        // A skill at the root has the name of its repository.
        let directory = if dir.is_empty() {
            opened.url.repository()
        } else {
            dir_name(dir)
        };
        let has = |file: &str| contents.listing.entry(&join_paths(dir, file)).is_some();
        let skill = read_skill(&opened.read_blob(&blob)?, &has, dir, directory);

        let path = if dir.is_empty() {
            None
        } else {
            Some(dir.parse())
        };
        match path.transpose() {
            Ok(path) => {
                let directory = Some(directory.to_owned());
                let skill = FoundSkill {
                    dir: path,
                    directory,
                    skill,
                };
                found.push((dir.clone(), skill));
            }
            // An invalid directory is ignored unless it was asked for.
            Err(error) if dirs.len() == 1 => return Err(error),
            Err(_) => {}
        }
    }
    Ok(found)
}

fn descriptor_blob(contents: &CommitContents, dir: &str) -> Option<BlobId> {
    let descriptor = format_at(contents, dir)?.descriptor();
    Some(contents.listing.entry(&join_paths(dir, descriptor))?.id)
}

/// Parses the descriptor of a skill; `has` says which other files are beside it, without reading them.
pub(in crate::sources) fn read_skill(
    source: &[u8],
    has: &dyn Fn(&str) -> bool,
    dir: &str,
    directory: &str,
) -> Result<Skill> {
    let format = formats::detect_format(has).unwrap_or_default();
    let read = |file: &str| (file == format.descriptor()).then(|| source.to_vec());
    // Another file of the format than its descriptor is not fetched just to show a name.
    let is_there = |file: &str| file != formats::nova::TOOLS && has(file);

    let reading = match formats::read(
        &DirectoryFiles {
            has: &is_there,
            read: &read,
        },
        directory,
    ) {
        Some(read) => read.into_file_reading(format.descriptor()),
        None => skill::read(source, directory),
    };

    reading.skill.ok_or_else(|| {
        skill::unreadable_error(&join_paths(dir, format.descriptor()), &reading.diagnostics)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directory_filter_matches_whole_path_parts() {
        let dir: RelPath = "plugins/a".parse().unwrap();
        assert!(is_within("plugins/a", Some(&dir)) && is_within("plugins/a/skills/x", Some(&dir)));
        assert!(!is_within("plugins/ab", Some(&dir)));
        assert!(is_within("anything", None));
    }
}
