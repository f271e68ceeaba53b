//! What a command changed, so that it can be undone.
//!
//! ```text
//! .skillpm/undo/
//! ├── 00000000000000000007.json     {"seal":"9f2c…","moved":"77ab…","version":2,"command":"update","at":…,"places":[…],"texts":[…]}
//! └── 00000000000000000008.json     the last
//! ```
//!
//! An entry is written in the transaction that it tells of, so one is there if and only if the other happened. Trees are
//! named by their checksums, and lie in the store; texts stand in the entry itself.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::plan::Found;
use super::state_dir::{OwnFile, StateDir};
use super::transaction::SavedFile;
use crate::error::{Error, Result};
use crate::io::disk;
use crate::package::{Checksum, SkillName};

/// How many entries are kept.
pub const KEPT: usize = 20;
/// Entries are numbered from 1 on, so that a number beyond this was given by somebody else.
const NUMBER_MAX: u64 = 1 << 53;
const VERSION: u32 = 2;

/// What one command changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    version: u32,
    /// The command: `update`.
    pub command: String,
    /// When it ran, in seconds since 1970.
    pub at: u64,
    /// Places of skills.
    pub places: Vec<Step>,
    /// Manifests and lockfiles.
    pub texts: Vec<Text>,
    /// Directories of packages that are no places of skills.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub directories: Vec<Directory>,
    /// A person's files that were moved into the backup, as nothing took the place of the skill that they were in.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub saved: Vec<SavedFile>,
}

/// A directory of a package that was changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Directory {
    /// Where, relative to the project.
    pub path: PathBuf,
    /// What stood there.
    pub before: Thing,
    /// What was put there.
    pub after: Thing,
}

/// One place of a skill.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    /// The target directory, relative to the project or absolute.
    pub target: PathBuf,
    /// The skill.
    pub name: SkillName,
    /// What stood there.
    pub before: Thing,
    /// What was put there.
    pub after: Thing,
    /// What had been installed there, if that was known.
    pub base: Option<Checksum>,
    /// The content with a person's edits that a command had left there last, if it had.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edited: Option<Checksum>,
}

/// What stands at a place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Thing {
    /// Nothing.
    Nothing,
    /// A directory with this content.
    Tree(Checksum),
    /// A symbolic link that leads here.
    Link(PathBuf),
    /// Something that is no skill; it was saved to the backup.
    Other,
}

/// A text that was changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Text {
    /// Where, relative to the project or absolute.
    pub path: PathBuf,
    /// What it was; `None` if it was not there.
    pub before: Option<String>,
    /// What it became.
    pub after: Option<String>,
}

impl From<&Found> for Thing {
    fn from(found: &Found) -> Self {
        match found {
            Found::Nothing => Thing::Nothing,
            Found::Tree(checksum) => Thing::Tree(*checksum),
            Found::Link(target) => Thing::Link(target.clone()),
            Found::Other(_) => Thing::Other,
        }
    }
}

impl Step {
    /// A place that has the same before and after: only what is known of it changes.
    #[must_use]
    pub fn unmoved(target: &Path, name: &SkillName, thing: &Thing) -> Step {
        let (target, name) = (target.to_owned(), name.clone());
        Step { target, name, before: thing.clone(), after: thing.clone(), base: None, edited: None }
    }

    /// Where that is, as seen from the project.
    #[must_use]
    pub fn place(&self) -> PathBuf {
        self.target.join(self.name.as_str())
    }
}

impl Entry {
    /// An entry of what a command changed.
    #[must_use]
    pub fn new(command: &str, at: u64, places: Vec<Step>, texts: Vec<Text>) -> Self {
        Entry {
            version: VERSION,
            command: command.to_owned(),
            at,
            places,
            texts,
            directories: Vec::new(),
            saved: Vec::new(),
        }
    }

    /// The file that it is to be written to, and its bytes.
    ///
    /// # Errors
    /// If the disk refuses to say what is there, or a file has a number that none of ours has.
    pub fn to_file(&self, dir: &StateDir) -> Result<(PathBuf, Vec<u8>)> {
        let last = numbers(dir)?.pop().unwrap_or(0);
        if last >= NUMBER_MAX {
            return Err(dir.refused(&name(last)));
        }
        let name = name(last + 1);
        Ok((dir.path().join(&name), dir.seal(&name, self)?))
    }
}

/// All entries with their files, the last first. One that this skillpm does not understand, or that this user did not
/// write, ends the list: what was before it cannot be had back without it.
///
/// # Errors
/// If the disk refuses.
pub fn entries(dir: &StateDir) -> Result<Vec<(PathBuf, Entry)>> {
    let mut entries = Vec::new();
    for number in numbers(dir)?.into_iter().rev() {
        let name = name(number);
        let OwnFile::Trusted(bytes) = dir.read(&name)? else { break };
        let entry = serde_json::from_slice::<Entry>(&bytes).ok();
        match entry.filter(|entry| entry.version == VERSION) {
            Some(entry) => entries.push((dir.path().join(name), entry)),
            None => break,
        }
    }
    Ok(entries)
}

/// The last entry with its file.
///
/// # Errors
/// [`Negative`](crate::error::Kind::Negative) if there is none; [`Integrity`](crate::error::Kind::Integrity) if this user
/// did not write it; else if the disk refuses.
pub fn last(dir: &StateDir) -> Result<(PathBuf, Entry)> {
    dir.refuse_links()?;
    let name = name(numbers(dir)?.pop().ok_or_else(nothing)?);
    if dir.read(&name)? == OwnFile::Untrusted {
        return Err(dir.refused(&name));
    }
    entries(dir)?.into_iter().next().ok_or_else(nothing)
}

/// Removes the oldest entries beyond [`KEPT`].
///
/// # Errors
/// If the disk refuses.
pub fn prune(dir: &StateDir) -> Result<()> {
    let numbers = numbers(dir)?;
    let old = &numbers[..numbers.len().saturating_sub(KEPT)];
    old.iter().try_for_each(|number| disk::remove(&dir.path().join(name(*number))))
}

/// The numbers of all entries, the oldest first.
fn numbers(dir: &StateDir) -> Result<Vec<u64>> {
    let names = disk::names(&dir.path().join("undo"))?;
    let number = |name: &String| name.strip_suffix(".json").filter(|digits| digits.len() == 20)?.parse().ok();
    let mut numbers: Vec<u64> = names.iter().filter_map(number).collect();
    numbers.sort_unstable();
    Ok(numbers)
}

/// An entry's file, as seen from the directory of the state.
fn name(number: u64) -> String {
    format!("undo/{number:020}.json")
}

/// There is nothing to undo.
#[must_use]
pub fn nothing() -> Error {
    Error::negative("there is nothing to undo")
        .help(format!("the last {KEPT} commands that changed something can be undone"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state_dir(root: &tempfile::TempDir) -> StateDir {
        StateDir::new(&root.path().join(".skillpm"), root.path(), &root.path().join("home"))
    }

    fn write(dir: &StateDir, at: u64) {
        let text = Text { path: "skillpm.lock".into(), before: None, after: Some(at.to_string()) };
        let (path, bytes) = Entry::new("add", at, Vec::new(), vec![text]).to_file(dir).unwrap();
        disk::write_atomic(&path, &bytes).unwrap();
        prune(dir).unwrap();
    }

    #[test]
    fn entries_come_back_last_first_and_the_oldest_go() {
        let root = tempfile::tempdir().unwrap();
        let dir = state_dir(&root);
        (0..KEPT as u64 + 3).for_each(|at| write(&dir, at));
        let found = entries(&dir).unwrap();
        assert_eq!(
            found.iter().map(|(_, entry)| entry.at).collect::<Vec<_>>(),
            (3..KEPT as u64 + 3).rev().collect::<Vec<_>>()
        );
        std::fs::write(&found[2].0, "{\"version\":9}").unwrap();
        assert_eq!(entries(&dir).unwrap().len(), 2);
    }

    #[test]
    fn an_entry_of_somebody_else_is_refused_and_so_is_a_number_that_none_of_ours_has() {
        let root = tempfile::tempdir().unwrap();
        let dir = state_dir(&root);
        assert_eq!(last(&dir).unwrap_err().message(), "there is nothing to undo");
        write(&dir, 1);
        assert_eq!(last(&dir).unwrap().1.at, 1);
        let other = dir.path().join("undo/18446744073709551615.json");
        std::fs::write(&other, std::fs::read(dir.path().join("undo/00000000000000000001.json")).unwrap()).unwrap();
        assert_eq!(last(&dir).unwrap_err().kind(), crate::error::Kind::Integrity);
        let text = Entry::new("add", 2, Vec::new(), Vec::new()).to_file(&dir).unwrap_err();
        assert!(text.message().contains("18446744073709551615.json"), "{text}");
    }
}
