//! What a command changed, so that it can be undone.
//!
//! ```text
//! .skillpm/undo/
//! ├── 00000000000000000007.json     {"command":"update","at":…,"places":[…],"texts":[…]}
//! └── 00000000000000000008.json     the last
//! ```
//!
//! An entry is written in the transaction that it tells of, so one is there if and only if the other happened. Trees are
//! named by their checksums, and lie in the store; texts stand in the entry itself.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::plan::Found;
use crate::error::{Error, Result};
use crate::io::disk;
use crate::package::{Checksum, SkillName};

/// How many entries are kept.
pub const KEPT: usize = 20;
const VERSION: u32 = 1;

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
        Entry { version: VERSION, command: command.to_owned(), at, places, texts, directories: Vec::new() }
    }

    /// The file that it is to be written to, and its bytes.
    ///
    /// # Errors
    /// If the disk refuses to say what is there.
    pub fn to_file(&self, state_dir: &Path) -> Result<(PathBuf, Vec<u8>)> {
        let last = numbers(state_dir)?.pop().unwrap_or(0);
        let mut bytes = serde_json::to_vec(self).expect("paths and texts make JSON");
        bytes.push(b'\n');
        Ok((file(state_dir, last + 1), bytes))
    }
}

/// All entries with their files, the last first. One that this skillpm does not understand ends the list: what was before
/// it cannot be had back without it.
///
/// # Errors
/// If the disk refuses.
pub fn entries(state_dir: &Path) -> Result<Vec<(PathBuf, Entry)>> {
    let mut entries = Vec::new();
    for number in numbers(state_dir)?.into_iter().rev() {
        let path = file(state_dir, number);
        let entry = disk::read(&path)?.and_then(|bytes| serde_json::from_slice::<Entry>(&bytes).ok());
        match entry.filter(|entry| entry.version == VERSION) {
            Some(entry) => entries.push((path, entry)),
            None => break,
        }
    }
    Ok(entries)
}

/// Removes the oldest entries beyond [`KEPT`].
///
/// # Errors
/// If the disk refuses.
pub fn prune(state_dir: &Path) -> Result<()> {
    let numbers = numbers(state_dir)?;
    let old = &numbers[..numbers.len().saturating_sub(KEPT)];
    old.iter().try_for_each(|number| disk::remove(&file(state_dir, *number)))
}

/// The numbers of all entries, the oldest first.
fn numbers(state_dir: &Path) -> Result<Vec<u64>> {
    let names = disk::names(&dir(state_dir))?;
    let mut numbers: Vec<u64> = names.iter().filter_map(|name| name.strip_suffix(".json")?.parse().ok()).collect();
    numbers.sort_unstable();
    Ok(numbers)
}

fn dir(state_dir: &Path) -> PathBuf {
    state_dir.join("undo")
}

fn file(state_dir: &Path, number: u64) -> PathBuf {
    dir(state_dir).join(format!("{number:020}.json"))
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

    #[test]
    fn entries_come_back_last_first_and_the_oldest_go() {
        let dir = tempfile::tempdir().unwrap();
        for number in 0..KEPT as u64 + 3 {
            let text = Text { path: "skillpm.lock".into(), before: None, after: Some(number.to_string()) };
            let (path, bytes) = Entry::new("add", number, Vec::new(), vec![text]).to_file(dir.path()).unwrap();
            disk::write_atomic(&path, &bytes).unwrap();
            prune(dir.path()).unwrap();
        }
        let found = entries(dir.path()).unwrap();
        assert_eq!(
            found.iter().map(|(_, entry)| entry.at).collect::<Vec<_>>(),
            (3..KEPT as u64 + 3).rev().collect::<Vec<_>>()
        );
        std::fs::write(&found[2].0, "{\"version\":9}").unwrap();
        assert_eq!(entries(dir.path()).unwrap().len(), 2);
    }
}
