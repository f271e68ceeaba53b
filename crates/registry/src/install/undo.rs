//! Undo entries: what a command changed, so that it can be undone.
//!
//! ```text
//! .skillpm/undo/
//! ├── 00000000000000000007.json     {"seal":"9f2c…","moved":"77ab…","version":2,"command":"update","at":…,"places":[…],"texts":[…]}
//! └── 00000000000000000008.json     the last
//! ```
//!
//! An entry is written in the transaction that it describes, so there is one if and only if the other happened. Trees are
//! in the store, by their checksums; texts are in the entry itself.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::plan::{InstallTarget, OnDisk, PackageConversion};
use super::state_dir::{OwnFile, StateDir};
use super::transaction::SavedFile;
use skillpm_core::error::{Error, Result};
use skillpm_core::package::{Checksum, LineEnd, SkillName};

/// The directory of the entries, in the state directory.
pub(crate) const DIRECTORY: &str = "undo";

/// How many entries are kept.
pub const ENTRIES_MAX: usize = 20;
/// Entries are numbered from 1 on, so that a number beyond this is not skillpm's.
const NUMBER_MAX: u64 = 1 << 53;
const VERSION: u32 = 2;

/// The changes of one command.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UndoEntry {
    version: u32,
    /// The command: `update`.
    pub command: String,
    /// When it ran, in seconds since 1970.
    pub at: u64,
    /// Changed skills.
    pub places: Vec<UndoStep>,
    /// Manifests and lockfiles.
    pub texts: Vec<UndoText>,
    /// Changed directories of packages that are not installed skills, such as vendored ones.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub directories: Vec<UndoDirectory>,
    /// The user's files that were moved to the backup, since their skill was removed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub saved: Vec<SavedFile>,
}

/// A directory of a package that was changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UndoDirectory {
    /// Where, relative to the project.
    pub path: PathBuf,
    /// The content before.
    pub before: UndoContent,
    /// The content after.
    pub after: UndoContent,
}

/// One change of an installed skill.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UndoStep {
    /// The target directory, relative to the project or absolute.
    pub target: PathBuf,
    /// The skill.
    pub name: SkillName,
    /// Its directory; `None` if that is its name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub directory: Option<SkillName>,
    /// The content before.
    pub before: UndoContent,
    /// The content after.
    pub after: UndoContent,
    /// The checksum that had been installed there; `None` if it was unknown.
    pub base: Option<Checksum>,
    /// The content with the user's edits that a command had left there last; `None` if it had left none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edited: Option<Checksum>,
    /// The conversion that `base` was; `None` if it was a package as it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conversion: Option<PackageConversion>,
    /// The files that had other line ends than those of `before`, with their line ends.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub line_ends: BTreeMap<String, LineEnd>,
}

/// The content at a path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum UndoContent {
    /// Nothing.
    Nothing,
    /// A directory with this content.
    Tree(Checksum),
    /// A symbolic link to this target.
    Link(PathBuf),
    /// Something that is not a skill, which was moved to this path in the backup.
    Saved(PathBuf),
    /// Something that is not a skill.
    Other,
}

/// A text that was changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UndoText {
    /// Where, relative to the project or absolute.
    pub path: PathBuf,
    /// The text before; `None` if the file did not exist.
    pub before: Option<String>,
    /// The text after; `None` if the file was removed.
    pub after: Option<String>,
}

impl From<&OnDisk> for UndoContent {
    fn from(found: &OnDisk) -> Self {
        match found {
            OnDisk::Nothing => UndoContent::Nothing,
            OnDisk::Tree(checksum) => UndoContent::Tree(*checksum),
            OnDisk::Link(target) => UndoContent::Link(target.clone()),
            // Its content is not recorded, so it can be noticed as changed, and not be restored.
            OnDisk::Other(_) => UndoContent::Other,
        }
    }
}

impl UndoStep {
    /// A step with the same content before and after: only the record of it changes.
    #[must_use]
    pub fn unchanged(place: &InstallTarget, content: &UndoContent) -> UndoStep {
        UndoStep {
            target: place.target.clone(),
            name: place.name.clone(),
            directory: (place.directory != place.name).then(|| place.directory.clone()),
            before: content.clone(),
            after: content.clone(),
            base: None,
            edited: None,
            conversion: None,
            line_ends: BTreeMap::new(),
        }
    }

    /// The path of the skill, relative to the project or absolute.
    #[must_use]
    pub fn path(&self) -> PathBuf {
        let directory = self.directory.as_ref().unwrap_or(&self.name);
        self.target.join(directory.as_str())
    }
}

impl UndoEntry {
    /// Creates an entry for the changes of a command.
    #[must_use]
    pub fn new(command: &str, at: u64, places: Vec<UndoStep>, texts: Vec<UndoText>) -> Self {
        UndoEntry {
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
    /// If the directory cannot be read, or a file in it has a number that skillpm does not give.
    pub fn to_file(&self, dir: &StateDir) -> Result<(PathBuf, Vec<u8>)> {
        // One more than the last: numbers are never used again, so order by number is order by time.
        let last = entry_numbers(dir)?.pop().unwrap_or(0);
        // A file with such a number was planted: it would be the last one forever.
        if last >= NUMBER_MAX {
            return Err(dir.untrusted_error(&entry_name(last)));
        }

        let name = entry_name(last + 1);
        Ok((dir.path().join(&name), dir.seal(&name, self)?))
    }
}

/// Lists all entries with their files, the last first. One of another format version, or that this user did not write,
/// ends the list: older changes cannot be undone without it.
///
/// # Errors
/// If the disk cannot be read.
pub fn entries(dir: &StateDir) -> Result<Vec<(PathBuf, UndoEntry)>> {
    let mut entries = Vec::new();
    for number in entry_numbers(dir)?.into_iter().rev() {
        let name = entry_name(number);
        // A clone could bring entries of its own, which would overwrite files when undone.
        let OwnFile::Trusted(bytes) = dir.read(&name)? else {
            break;
        };

        let entry = serde_json::from_slice::<UndoEntry>(&bytes).ok();
        match entry.filter(|entry| entry.version == VERSION) {
            Some(entry) => entries.push((dir.path().join(name), entry)),
            None => break,
        }
    }

    Ok(entries)
}

/// Reads the last entry with its file.
///
/// # Errors
/// [`Negative`](skillpm_core::error::FailureKind::Negative) if there is none;
/// [`Integrity`](skillpm_core::error::FailureKind::Integrity) if this user did not write it; or if the disk cannot be read.
pub fn last_entry(dir: &StateDir) -> Result<(PathBuf, UndoEntry)> {
    // Through a link, entries of another project would be followed here.
    dir.refuse_links()?;
    let name = entry_name(entry_numbers(dir)?.pop().ok_or_else(nothing_to_undo)?);

    if dir.read(&name)? == OwnFile::Untrusted {
        return Err(dir.untrusted_error(&name));
    }

    entries(dir)?.into_iter().next().ok_or_else(nothing_to_undo)
}

/// Removes the oldest entries beyond [`ENTRIES_MAX`].
///
/// # Errors
/// If the disk cannot be written.
pub fn prune_entries(dir: &StateDir) -> Result<()> {
    let numbers = entry_numbers(dir)?;
    // The oldest ones: each entry can be undone only after all newer ones.
    let old = &numbers[..numbers.len().saturating_sub(ENTRIES_MAX)];
    old.iter()
        .try_for_each(|number| dir.remove(&entry_name(*number)))
}

/// The numbers of all entries, the oldest first.
fn entry_numbers(dir: &StateDir) -> Result<Vec<u64>> {
    let names = dir.list_names(DIRECTORY)?;
    // Twenty digits, as all numbers are written: any other file is not an entry.
    let number = |name: &String| {
        name.strip_suffix(".json")
            .filter(|digits| digits.len() == 20)?
            .parse()
            .ok()
    };

    let mut numbers: Vec<u64> = names.iter().filter_map(number).collect();
    numbers.sort_unstable();
    Ok(numbers)
}

/// An entry's file, relative to the state directory.
fn entry_name(number: u64) -> String {
    format!("{DIRECTORY}/{number:020}.json")
}

/// The error that a project has nothing to undo.
fn nothing_to_undo() -> Error {
    Error::negative("nothing to undo here")
        .note(format!(
            "the last {ENTRIES_MAX} commands that changed something can be undone, each once"
        ))
        .help("`skillpm status` shows what is here; `skillpm restore NAME` discards local edits of a skill, `skillpm remove NAME` removes it")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state_dir(root: &tempfile::TempDir) -> StateDir {
        StateDir::new(
            &root.path().join(".skillpm"),
            root.path(),
            &root.path().join("home"),
        )
    }

    fn write(dir: &StateDir, at: u64) {
        let text = UndoText {
            path: "skillpm.lock".into(),
            before: None,
            after: Some(at.to_string()),
        };
        let (path, bytes) = UndoEntry::new("add", at, Vec::new(), vec![text])
            .to_file(dir)
            .unwrap();
        skillpm_io::disk::write_atomic(&path, &bytes).unwrap();
        prune_entries(dir).unwrap();
    }

    #[test]
    fn entries_are_listed_last_first_and_the_oldest_are_removed() {
        let root = tempfile::tempdir().unwrap();
        let dir = state_dir(&root);
        (0..ENTRIES_MAX as u64 + 3).for_each(|at| write(&dir, at));
        let found = entries(&dir).unwrap();
        assert_eq!(
            found.iter().map(|(_, entry)| entry.at).collect::<Vec<_>>(),
            (3..ENTRIES_MAX as u64 + 3).rev().collect::<Vec<_>>()
        );
        std::fs::write(&found[2].0, "{\"version\":9}").unwrap();
        assert_eq!(entries(&dir).unwrap().len(), 2);
    }

    #[test]
    fn an_entry_of_another_user_or_with_an_invalid_number_is_refused() {
        let root = tempfile::tempdir().unwrap();
        let dir = state_dir(&root);
        assert_eq!(
            last_entry(&dir).unwrap_err().message(),
            "nothing to undo here"
        );
        write(&dir, 1);
        assert_eq!(last_entry(&dir).unwrap().1.at, 1);
        let other = dir.path().join("undo/18446744073709551615.json");
        std::fs::write(
            &other,
            std::fs::read(dir.path().join("undo/00000000000000000001.json")).unwrap(),
        )
        .unwrap();
        assert_eq!(
            last_entry(&dir).unwrap_err().kind(),
            skillpm_core::error::FailureKind::Integrity
        );
        let text = UndoEntry::new("add", 2, Vec::new(), Vec::new())
            .to_file(&dir)
            .unwrap_err();
        assert!(
            text.message().contains("18446744073709551615.json"),
            "{text}"
        );
    }
}
