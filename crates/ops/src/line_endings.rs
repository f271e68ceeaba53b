//! Keeps git from converting the line ends of skills that are committed.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

use skillpm_core::error::Result;
use skillpm_io::git::{GitCheckout, keep_line_ends_line, with_attributes};
use skillpm_io::ignore::{FileSelection, TrackedFiles};

/// The directories of skills, relative to `root`, with files that git tracks and whose line ends it may convert.
///
/// # Errors
/// If the repository cannot be read.
pub(crate) fn find_unprotected(root: &Path, directories: &[PathBuf]) -> Result<Vec<String>> {
    let Some(checkout) = GitCheckout::discover(root)? else {
        return Ok(Vec::new());
    };
    let tracked = checkout.tracked_files()?;
    filter_unprotected(&checkout, directories, |directory| {
        Ok(tracked
            .iter()
            .any(|path| Path::new(path).starts_with(directory)))
    })
}

/// The text of `.gitattributes` in `root` with a line for each of the directories, relative to it, that git does not ignore:
/// skills in it will be committed. `None` if none is missing.
///
/// # Errors
/// If the repository or the file cannot be read.
pub(crate) fn protecting_text(root: &Path, directories: &[PathBuf]) -> Result<Option<String>> {
    let Some(checkout) = GitCheckout::discover(root)? else {
        return Ok(None);
    };
    let unprotected = filter_unprotected(&checkout, directories, |directory| {
        let git = TrackedFiles {
            root: checkout.root().to_owned(),
            git_dir: checkout.git_dir().to_owned(),
            files: BTreeSet::new(),
        };
        let directory = checkout
            .root()
            .join(checkout.subdirectory())
            .join(directory);
        Ok(FileSelection::new(&directory, &[], &[], Some(git))?.follows_git())
    })?;
    if unprotected.is_empty() {
        return Ok(None);
    }
    let lines: Vec<String> = unprotected
        .iter()
        .map(|dir| keep_line_ends_line(dir))
        .collect();
    with_attributes(root, &lines).map(Some)
}

fn filter_unprotected(
    checkout: &GitCheckout,
    directories: &[PathBuf],
    is_committed: impl Fn(&Path) -> Result<bool>,
) -> Result<Vec<String>> {
    let mut found = Vec::new();
    for directory in directories {
        // Outside of the project, they are in no commit of it.
        let is_below = directory
            .components()
            .all(|part| matches!(part, Component::Normal(_)));
        let Some(shown) = directory
            .to_str()
            .filter(|_| is_below && !checkout.is_bare())
        else {
            continue;
        };
        if !is_committed(directory)? {
            continue;
        }
        let shown = shown.replace('\\', "/");
        let skill_md = match checkout.subdirectory() {
            "" => format!("{shown}/name/SKILL.md"),
            above => format!("{above}/{shown}/name/SKILL.md"),
        };
        if checkout.may_convert_line_ends(&skill_md)? {
            found.push(shown);
        }
    }
    Ok(found)
}
