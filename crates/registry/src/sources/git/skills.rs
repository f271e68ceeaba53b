//! The skills that a repository offers, for `add` to choose from.

use std::collections::BTreeSet;
use std::sync::Arc;

use semver::VersionReq;

use super::super::discover::{
    UnreadSkill, count_by_directory, dir_name, is_foreign, join_paths, remove_copies,
};
use super::super::links::follow_path;
use super::{
    CommitContents, FoundSkill, FoundSkills, OpenRepository, SkillSelection, UnsearchedSkills,
    WantedSkill, format_at,
};
use skillpm_core::error::{Error, FailureKind, Result};
use skillpm_core::package::{GitReference, RelPath};
use skillpm_core::resolver::shell_quoted;
use skillpm_core::skill::formats::container::is_at_or_under;
use skillpm_core::skill::formats::{self, DirectoryFiles};
use skillpm_core::skill::{self, Skill};
use skillpm_io::git::{BlobId, EntryKind};
use skillpm_io::run_on_all_processors;

/// Finds the skills of a repository; the blobs of the wanted ones are fetched in one request.
pub(in crate::sources) fn discover_skills(
    opened: &mut OpenRepository<'_>,
    at: (&GitReference, Option<&VersionReq>),
    within: Option<&RelPath>,
    choice: &SkillSelection,
) -> Result<FoundSkills> {
    let wanted = wanted_skills(within, choice);
    let contents = match at {
        (GitReference::Versions, req) => {
            newest_version(opened, req.unwrap_or(&VersionReq::STAR), choice, &wanted)?
        }
        (reference, _) => {
            let commit = opened.resolve_commit(reference)?;
            opened
                .commit_contents(commit, &wanted)
                .map_err(|error| opened.explain_object(error, reference, &commit))?
        }
    };
    let unread = unread_skills(&contents, within);
    let dirs = candidate_dirs(opened, &contents, within, &unread)?;
    // With a directory of each name the frontmatter of the others need not be read.
    let (mut look_at, whole) = match named_dirs(&contents, within, choice) {
        Some(named) => (named, true),
        None => (dirs, *choice == SkillSelection::All),
    };
    let copies = remove_copies(&mut look_at, &mut |dir| contents.files_of(dir));

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

    // By name all skills are looked at.
    let unsearched = if matches!(choice, SkillSelection::Named(_)) {
        None
    } else {
        let taken = copies.iter().map(|(copy, _)| copy);
        let taken = taken.chain(&look_at).collect();
        unsearched_skills(opened, &contents, at, within, taken)
    };
    let found = read_skills(opened, &contents, &look_at)?.into_iter();
    Ok(FoundSkills {
        skills: found.map(|(_, found)| found).collect(),
        copies,
        unsearched,
        unread: unread.into_iter().map(|one| one.reason).collect(),
    })
}

/// How many skills are outside of the directories that are searched, and the command that adds those of one of them.
fn unsearched_skills<'c>(
    opened: &OpenRepository<'_>,
    contents: &'c CommitContents,
    (reference, req): (&GitReference, Option<&VersionReq>),
    within: Option<&RelPath>,
    mut taken: BTreeSet<&'c String>,
) -> Option<UnsearchedSkills> {
    let skills = &contents.skills;
    taken.extend(&skills.offered);
    if taken.len() == skills.all.len() {
        return None;
    }

    let mut dirs = skills.all.clone();
    let copies = remove_copies(&mut dirs, &mut |dir| contents.files_of(dir));
    let there = copies.iter().filter(|(copy, _)| taken.contains(copy));
    let there: BTreeSet<&String> = there.map(|(_, of)| of).collect();
    let is_reached = is_reached_within(contents, within);
    let outside = dirs.iter().filter(|dir| {
        is_reached(dir) && !taken.contains(*dir) && !there.contains(*dir) && !is_foreign(dir)
    });

    let mut words = vec![
        "skillpm".to_owned(),
        "add".to_owned(),
        opened.url.to_string(),
    ];
    words.extend(match reference {
        GitReference::Default => Vec::new(),
        GitReference::Versions => vec![
            "--version".to_owned(),
            req.unwrap_or(&VersionReq::STAR).to_string(),
        ],
        GitReference::Branch(name) => vec!["--branch".to_owned(), name.clone()],
        GitReference::Tag(name) => vec!["--tag".to_owned(), name.clone()],
        GitReference::Rev(name) => vec!["--rev".to_owned(), name.clone()],
    });
    words.push("--path".to_owned());
    let taken: Vec<&String> = taken.iter().copied().collect();
    UnsearchedSkills::new(&count_by_directory(outside, &taken), |dir| {
        let rest = [dir, "--all", "--keep-going"].map(str::to_owned);
        let words = words.iter().cloned().chain(rest);
        words.map(shell_quoted).collect::<Vec<String>>().join(" ")
    })
}

/// What in a commit looks like a skill, or may have some, and is not read.
fn unread_skills(contents: &CommitContents, within: Option<&RelPath>) -> Vec<UnreadSkill> {
    let entries = contents.listing.entries().iter();
    let submodules = entries.filter(|entry| entry.kind == EntryKind::Submodule);
    let submodules = submodules.map(|entry| UnreadSkill {
        path: entry.path.clone(),
        reason: format!(
            "`{}` is a submodule, which is not read: add its repository, which `.gitmodules` names",
            entry.path.escape_debug()
        ),
    });
    let found = contents.skills.unread.iter().cloned();
    let unread = found.chain(submodules);
    unread.filter(|one| is_within(&one.path, within)).collect()
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

    let is_reached = is_reached_within(contents, within);
    let mut all = Vec::new();
    for name in names {
        let found = all.len();
        let dirs = contents.skills.named(name).into_iter();
        all.extend(dirs.filter(|dir| is_reached(dir)).map(str::to_owned));
        if all.len() == found {
            return None;
        }
    }
    (!names.is_empty()).then_some(all)
}

/// Reads the commit of the newest version that matches.
fn newest_version(
    opened: &mut OpenRepository<'_>,
    req: &VersionReq,
    choice: &SkillSelection,
    wanted: &[WantedSkill<'_>],
) -> Result<Arc<CommitContents>> {
    // All skills are from the same commit, so the first name decides.
    let name = match choice {
        SkillSelection::Named(names) => names.first().map_or("", String::as_str),
        SkillSelection::All | SkillSelection::Undecided => "",
    };

    // Without a name, only tags of the whole repository are versions.
    let versions = opened.tagged_versions(name)?;
    let matching = versions.iter().rev();
    for (_, tag) in matching.filter(|(version, _)| req.matches(version)) {
        let commit = opened.resolve_commit(&GitReference::Tag(tag.clone()))?;
        match opened.commit_contents(commit, wanted) {
            Err(_) if opened.skips_tag(tag) => {}
            read => return read,
        }
    }

    let error = Error::negative(format!(
        "no version tag of `{}` matches `{req}`",
        opened.url
    ));
    let mut others = versions
        .iter()
        .rev()
        .filter(|(_, tag)| !opened.skipped_tags.contains(*tag))
        .map(|(version, _)| version);
    Err(match others.clone().next() {
        Some(last) => {
            // A pre-release is suggested only where there is nothing else.
            let newest = others.find(|version| version.pre.is_empty());
            let newest = newest.unwrap_or(last);
            error
                .note(format!("the newest is `{newest}`"))
                .help(format!("use `--version ^{newest}`"))
        }
        None => error
            .note("it has no version tags")
            .help("specify a tag, branch or commit with `--tag`, `--branch` or `--rev`"),
    })
}

fn candidate_dirs(
    opened: &OpenRepository<'_>,
    contents: &CommitContents,
    within: Option<&RelPath>,
    unread: &[UnreadSkill],
) -> Result<Vec<String>> {
    let skills = &contents.skills;
    let is_reached = is_reached_within(contents, within);
    let among = |dirs: &[String]| -> Vec<String> {
        dirs.iter().filter(|dir| is_reached(dir)).cloned().collect()
    };

    // Offered are those at the usual places, or at those that a manifest of the repository names.
    let mut dirs = among(&skills.offered);
    // Under a directory that was named, every skill counts, offered or not.
    if dirs.is_empty() && within.is_some() {
        dirs = among(&skills.all);
    }

    if dirs.is_empty() {
        let place = within.map_or_else(String::new, |dir| format!(" under `{dir}`"));
        let error = Error::negative(format!("no skill found in `{}`{place}", opened.url))
            .note("a skill is a directory with a `SKILL.md`");
        return Err(note_unread(error, unread.iter().map(|one| &*one.reason)).help("select another directory with `--path DIR`, or another state with `--branch` or `--tag`"));
    }

    Ok(dirs)
}

/// Adds what was not read to an error.
pub(in crate::sources) fn note_unread<'r>(
    error: Error,
    mut reasons: impl ExactSizeIterator<Item = &'r str>,
) -> Error {
    let error = reasons.by_ref().take(UNREAD_MAX).fold(error, Error::note);
    match reasons.len() {
        0 => error,
        more => error.note(format!("and {more} more that are not read")),
    }
}

/// The number of things that are named as not read.
pub(super) const UNREAD_MAX: usize = 3;

pub(super) fn is_within(dir: &str, within: Option<&RelPath>) -> bool {
    within.is_none_or(|within| is_at_or_under(dir, within.as_str()))
}

/// Whether the directory of a skill is below `within`, or a link there leads to it.
fn is_reached_within(contents: &CommitContents, within: Option<&RelPath>) -> impl Fn(&str) -> bool {
    let linked = contents.skills.linked.iter();
    let linked = linked.filter(|(path, _)| within.is_some() && is_within(path, within));
    let linked: BTreeSet<&str> = linked.map(|(_, dir)| dir.as_str()).collect();
    let followed = within.and_then(|within| follow_path(&contents.links, within.as_str()));
    move |dir| {
        let is_followed = followed
            .as_deref()
            .is_some_and(|path| is_at_or_under(dir, path));
        is_within(dir, within) || linked.contains(dir) || is_followed
    }
}

/// The bytes of descriptors that are in memory at once, besides the last.
const BATCH_BYTES: usize = 4 << 20;

/// Reads the descriptor of the skill in each directory.
pub(super) fn read_skills(
    opened: &mut OpenRepository<'_>,
    contents: &CommitContents,
    dirs: &[String],
) -> Result<Vec<(String, FoundSkill)>> {
    let mut blobs: Vec<(&String, Result<BlobId>)> = Vec::new();
    for dir in dirs {
        match descriptor_blob(opened, contents, dir) {
            Ok(None) => {}
            Ok(Some(blob)) => blobs.push((dir, Ok(blob))),
            // One with a link that is not followed must not hide the others.
            Err(error) if error.kind() == FailureKind::Integrity => blobs.push((dir, Err(error))),
            Err(error) => return Err(error),
        }
    }
    let wanted = blobs.iter().filter_map(|(_, blob)| blob.as_ref().ok());
    let wanted: Vec<BlobId> = wanted.copied().collect();
    opened.repository().fetch_missing_blobs(&wanted)?;

    let repository = opened.url.repository().to_owned();
    // A skill at the root has the name of its repository.
    let directory = |dir: &str| match dir {
        "" => repository.clone(),
        dir => dir_name(dir).to_owned(),
    };
    let parse = |(dir, source): &(&String, Result<Vec<u8>>)| {
        let has = |file: &str| contents.listing.entry(&join_paths(dir, file)).is_some();
        read_skill(
            source.as_deref().map_err(Clone::clone)?,
            &has,
            dir,
            &directory(dir),
        )
    };

    let mut found = Vec::new();
    let mut blobs = blobs.into_iter().peekable();
    while blobs.peek().is_some() {
        let (mut batch, mut bytes) = (Vec::new(), 0);
        while bytes < BATCH_BYTES
            && let Some((dir, blob)) = blobs.next()
        {
            let source = match blob {
                Ok(blob) => Ok(opened.repository().fetch_and_read_blob(&blob)?),
                Err(error) => Err(error),
            };
            bytes += source.as_ref().map_or(0, Vec::len);
            batch.push((dir, source));
        }
        let skills = run_on_all_processors(&batch, parse);
        found.extend(batch.into_iter().map(|(dir, _)| dir).zip(skills));
    }

    let mut named = Vec::new();
    for (dir, skill) in found {
        let path = if dir.is_empty() {
            None
        } else {
            Some(dir.parse())
        };
        match path.transpose() {
            Ok(path) => {
                let skill = FoundSkill {
                    dir: path,
                    directory: Some(directory(dir)),
                    skill,
                };
                named.push((dir.clone(), skill));
            }
            // An invalid directory is ignored unless it was asked for.
            Err(error) if dirs.len() == 1 => return Err(error),
            Err(_) => {}
        }
    }
    Ok(named)
}

/// The blob of the descriptor of the skill in a directory; of a link, that of the file that it leads to.
pub(super) fn descriptor_blob(
    opened: &mut OpenRepository<'_>,
    contents: &CommitContents,
    dir: &str,
) -> Result<Option<BlobId>> {
    let Some(format) = format_at(contents, dir) else {
        return Ok(None);
    };
    if let Some(file) = contents.descriptors.get(dir) {
        return Ok(Some(file.id));
    }
    // Again for one that is not followed, with the reason.
    opened.follow_descriptor(&contents.listing, dir)?;
    let entry = contents
        .listing
        .entry(&join_paths(dir, format.descriptor()));
    Ok(entry.map(|entry| entry.id))
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
