//! What was installed where, from which checksum.
//!
//! ```json
//! {"seal":"9f2c…","moved":"77ab…","version":2,
//!  "inputs":"5d41…",
//!  "sources":{"../style":[["",0,0,1763766000000000000,77]]},
//!  "targets":{".agents/skills":{"pdf":{"checksum":"skill-tree-v1:9f2c…","stamp":[…]}},
//!             ".claude/skills":{"pdf":{"checksum":"skill-tree-v1:9f2c…","stamp":[…],"link":"../../.agents/skills/pdf"}}},
//!  "made":[".claude",".claude/skills"]}
//! ```
//!
//! It lies in `<project>/.skillpm/state.json`, outside version control, and holds nothing that lockfile and disk do not
//! say too: if it is lost, or was written by somebody else ([`super::state_dir`]), skills are recognised by their checksums. What it adds is speed, since equal stamps spare
//! reading, the base of an edit where the lockfile has moved on, and what of a target that is one no longer is skillpm's
//! to take away.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::state_dir::{OwnFile, StateDir};
use crate::error::Result;
use crate::io::disk::{self, Stamp};
use crate::package::{Checksum, Sha256, SkillName};

/// The file's name.
pub const FILE: &str = "state.json";
const VERSION: u32 = 2;

/// What was installed where.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct State {
    /// The form of the file; set when it is written.
    #[serde(default)]
    pub version: u32,
    /// A digest of all that decides what is to be installed; equal digests and stamps mean nothing is to be done.
    pub inputs: Option<Sha256>,
    /// The directories of path sources, as the manifest writes them, as they were when they were read.
    pub sources: BTreeMap<String, Stamp>,
    /// By target directory, then by name.
    pub targets: BTreeMap<PathBuf, BTreeMap<SkillName, Record>>,
    /// Directories above skills that were not there before, written as those of targets are.
    #[serde(default)]
    pub made: BTreeSet<PathBuf>,
}

/// One installed skill.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// What was installed.
    pub checksum: Checksum,
    /// How it looked right after; `None` where it is known to have been edited since.
    pub stamp: Option<Stamp>,
    /// The content with a person's edits that the last command left there; `None` if it left what was installed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edited: Option<Checksum>,
    /// Where the link leads that was made there; `None` for a copy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link: Option<PathBuf>,
}

impl Record {
    /// A copy that is to be looked at again.
    #[must_use]
    pub fn unseen(checksum: Checksum) -> Self {
        Record { checksum, stamp: None, edited: None, link: None }
    }
}

impl State {
    /// Reads the state in `dir`; empty if there is none, it is of another form, or this user did not write it.
    ///
    /// # Errors
    /// If it is there but cannot be read.
    pub fn load(dir: &StateDir) -> Result<State> {
        let OwnFile::Trusted(bytes) = dir.read(FILE)? else { return Ok(State::default()) };
        let state: State = serde_json::from_slice(&bytes).unwrap_or_default();
        Ok(if state.version == VERSION { state } else { State::default() })
    }

    /// Keeps what lies in `dir` out of version control, but for the settings of the project.
    ///
    /// # Errors
    /// If the disk refuses.
    pub fn keep_out_of_git(dir: &Path) -> Result<()> {
        const LINES: &[u8] = b"*\n!config.toml\n";
        // As it was written before there was anything to commit.
        const OLD: &[u8] = b"*\n";
        let file = dir.join(".gitignore");
        match disk::read(&file)? {
            Some(lines) if lines != OLD => Ok(()),
            _ => disk::write_atomic(&file, LINES),
        }
    }

    /// The file's path and bytes, to be written with the rest of a transaction.
    ///
    /// # Errors
    /// As for [`StateDir::seal`].
    pub fn to_file(&self, dir: &StateDir) -> Result<(PathBuf, Vec<u8>)> {
        let state = State { version: VERSION, ..self.clone() };
        Ok((dir.path().join(FILE), dir.seal(FILE, &state)?))
    }

    /// Whether nothing that was read or written since can have changed: one `stat` a file, and no file is read.
    ///
    /// Paths of targets and sources are taken from `root`.
    #[must_use]
    pub fn is_current(&self, inputs: &Sha256, root: &Path) -> bool {
        self.inputs.as_ref() == Some(inputs)
            && self.sources.iter().all(|(path, stamp)| stamp.still_holds(&root.join(path)))
            && self.targets.iter().all(|(target, skills)| {
                let target = root.join(target);
                skills.iter().all(|(name, record)| {
                    record.stamp.as_ref().is_some_and(|stamp| stamp.still_holds(&target.join(name.as_str())))
                })
            })
    }

    /// Removes the directories that were made for targets and are empty now, but for those of `live` targets.
    pub fn sweep(&mut self, root: &Path, live: &[PathBuf]) {
        let is_live = |made: &Path| {
            let recorded = self.targets.iter().filter(|(_, skills)| !skills.is_empty()).map(|(target, _)| target);
            recorded.chain(live).any(|target| target.starts_with(made))
        };
        // The innermost first.
        let gone: Vec<PathBuf> = self.made.iter().rev().filter(|made| !is_live(made)).cloned().collect();
        for made in gone {
            disk::remove_if_empty(&root.join(&made));
            if matches!(disk::lstat(&root.join(&made)), Ok(None)) {
                self.made.remove(&made);
            }
        }
    }

    /// What was installed under a name in a target.
    #[must_use]
    pub fn record(&self, target: &Path, name: &SkillName) -> Option<&Record> {
        self.targets.get(target)?.get(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::package::Tree;

    #[test]
    fn a_state_of_another_form_is_as_none() {
        let root = tempfile::tempdir().unwrap();
        let dir = StateDir::new(root.path(), root.path(), &root.path().join("home"));
        assert_eq!(State::load(&dir).unwrap(), State::default());
        let of_another_version = State { inputs: Some(Sha256::of(b"inputs")), ..State::default() };
        let sealed = dir.seal(FILE, &State { version: 9, ..of_another_version }).unwrap();
        for bytes in [b"garbage".to_vec(), b"{\"version\":2,\"targets\":{},\"sources\":{}}".to_vec(), sealed] {
            std::fs::write(dir.path().join(FILE), bytes).unwrap();
            assert_eq!(State::load(&dir).unwrap(), State::default());
        }
    }

    #[test]
    fn it_is_current_until_inputs_or_files_change() {
        let root = tempfile::tempdir().unwrap();
        let skill = root.path().join(".agents/skills/pdf");
        std::fs::create_dir_all(&skill).unwrap();
        std::fs::write(skill.join("SKILL.md"), "x").unwrap();
        let inputs = Sha256::of(b"inputs");
        let checksum = Checksum::of(&Tree::default());
        let record = Record { stamp: disk::stamp(&skill).unwrap(), ..Record::unseen(checksum) };
        let mut state = State { inputs: Some(inputs), ..State::default() };
        state.targets.entry(".agents/skills".into()).or_default().insert("pdf".parse().unwrap(), record);
        let dir = StateDir::new(root.path(), root.path(), &root.path().join("home"));
        let (path, bytes) = state.to_file(&dir).unwrap();
        std::fs::write(path, bytes).unwrap();
        let state = State::load(&dir).unwrap();
        assert!(state.is_current(&inputs, root.path()));
        assert!(!state.is_current(&Sha256::of(b"others"), root.path()));
        std::fs::write(skill.join("SKILL.md"), "edited").unwrap();
        assert!(!state.is_current(&inputs, root.path()));
    }
}
