//! The record of installed skills: where each is, with its checksum.
//!
//! ```json
//! {"seal":"9f2c…","moved":"77ab…","version":2,
//!  "inputs":"5d41…",
//!  "sources":{"../style":[["",0,0,1763766000000000000,77]]},
//!  "targets":{".agents/skills":{"pdf":{"checksum":"skill-tree-v1:9f2c…","stamp":[…]}},
//!             ".claude/skills":{"pdf":{"checksum":"skill-tree-v1:9f2c…","stamp":[…],"link":"../../.agents/skills/pdf"}},
//!             "backend/skills":{"pdf":{"checksum":"skill-tree-v1:1b7e…","stamp":[…],"format":"nova","package":"skill-tree-v1:9f2c…"}}},
//!  "made":[".claude",".claude/skills"]}
//! ```
//!
//! It is in `<project>/.skillpm/state.json`, outside version control, and can be lost: without it, or if another user
//! wrote it ([`super::state_dir`]), skills are recognized by their checksums. It adds speed, since files with an equal stamp
//! are not read, the base of an edit where the lockfile has changed since, and the files of former targets that are
//! skillpm's to remove.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::state_dir::{OwnFile, StateDir};
use skillpm_core::error::Result;
use skillpm_core::package::{Checksum, Sha256Digest, SkillName};
use skillpm_core::skill::SkillFormat;
use skillpm_io::disk::{self, TreeStamp};

/// The file's name.
pub const STATE_FILE: &str = "state.json";
const VERSION: u32 = 2;

/// The installed skills of a project.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ProjectState {
    /// The format version of the file; set when it is written.
    #[serde(default)]
    pub version: u32,
    /// A digest of all inputs of an installation; with equal digests and stamps there is nothing to do.
    pub inputs: Option<Sha256Digest>,
    /// The stamps of the directories of path sources, which are written as in the manifest.
    pub sources: BTreeMap<String, TreeStamp>,
    /// The skills by target directory, then by name.
    pub targets: BTreeMap<PathBuf, BTreeMap<SkillName, InstalledSkill>>,
    /// Directories above skills that skillpm created, written as those of targets are.
    #[serde(default)]
    pub made: BTreeSet<PathBuf>,
}

/// One installed skill.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct InstalledSkill {
    /// The checksum of the installed content.
    pub checksum: Checksum,
    /// The stamp right after; `None` where it is known to have been edited since.
    pub stamp: Option<TreeStamp>,
    /// The content with the user's edits that the last command left there; `None` if it left the installed content.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edited: Option<Checksum>,
    /// The target of the link that was created there; `None` for a copy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link: Option<PathBuf>,
    /// The format in which the target's agents read it; `None` where no agent with a known format reads the target.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub format: Option<SkillFormat>,
    /// The checksum of the package that it was converted from; `None` if the package is installed as it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub package: Option<Checksum>,
}

impl InstalledSkill {
    /// A copy that has to be read again.
    #[must_use]
    pub fn without_stamp(checksum: Checksum) -> Self {
        InstalledSkill {
            checksum,
            stamp: None,
            edited: None,
            link: None,
            format: None,
            package: None,
        }
    }

    /// The name of the skill's directory.
    #[must_use]
    pub fn directory_of(&self, name: &SkillName) -> SkillName {
        // Only a skill of Nova has another name than the specification allows, and it keeps that as it is.
        if self.package.is_some() {
            name.to_specified()
        } else {
            name.clone()
        }
    }

    /// The checksum of the package that is installed here, converted or not.
    #[must_use]
    pub fn package_checksum(&self) -> Checksum {
        self.package.unwrap_or(self.checksum)
    }

    /// The format that the package was converted to; `None` if it is installed as it is.
    #[must_use]
    pub fn converted_to(&self) -> Option<SkillFormat> {
        self.package.and(self.format)
    }
}

impl ProjectState {
    /// Reads the state in `dir`; empty if there is none, it is of another format, or this user did not write it.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn load(dir: &StateDir) -> Result<ProjectState> {
        let OwnFile::Trusted(bytes) = dir.read(STATE_FILE)? else {
            return Ok(ProjectState::default());
        };

        // An invalid one is the same as none: it only saves work.
        let state: ProjectState = serde_json::from_slice(&bytes).unwrap_or_default();
        Ok(if state.version == VERSION {
            state
        } else {
            ProjectState::default()
        })
    }

    /// Keeps the files in `dir` out of version control, except the settings of the project.
    ///
    /// # Errors
    /// If the disk cannot be written.
    pub fn write_gitignore(dir: &StateDir) -> Result<()> {
        const FILE: &str = ".gitignore";
        const LINES: &[u8] = b"*\n!config.toml\n";
        // As older versions wrote it, before there were project settings to commit.
        const OLD: &[u8] = b"*\n";

        match dir.read_bytes(FILE)? {
            // A power failure may leave an empty file, or one of zeros.
            Some(lines) if lines != OLD && lines.iter().any(|byte| *byte != 0) => Ok(()),
            _ => dir.write_cached(FILE, LINES),
        }
    }

    /// Writes the state into `dir`.
    ///
    /// # Errors
    /// As for [`StateDir::seal`] and [`StateDir::write`].
    pub fn save(&self, dir: &StateDir) -> Result<()> {
        let (_, bytes) = self.to_file(dir)?;
        dir.write_cached(STATE_FILE, &bytes)
    }

    /// The file's path and bytes.
    ///
    /// # Errors
    /// As for [`StateDir::seal`].
    pub fn to_file(&self, dir: &StateDir) -> Result<(PathBuf, Vec<u8>)> {
        let state = ProjectState {
            version: VERSION,
            ..self.clone()
        };
        Ok((dir.path().join(STATE_FILE), dir.seal(STATE_FILE, &state)?))
    }

    /// Whether inputs, sources and installed files are unchanged: one `stat` per file, and no file is read.
    ///
    /// Paths of targets and sources are relative to `root`.
    #[must_use]
    pub fn is_current(&self, inputs: &Sha256Digest, root: &Path) -> bool {
        self.inputs.as_ref() == Some(inputs)
            && self
                .sources
                .iter()
                .all(|(path, stamp)| stamp.is_current(&root.join(path)))
            && self
                .targets
                .iter()
                .all(|(target, skills)| are_skills_current(skills, &root.join(target)))
    }

    /// Removes the directories that were created for targets and are now empty, except those of `live` targets.
    pub fn remove_empty_dirs(&mut self, root: &Path, live: &[PathBuf]) {
        let recorded = self.targets.iter().filter(|(_, skills)| !skills.is_empty());
        let used: Vec<&PathBuf> = recorded.map(|(target, _)| target).chain(live).collect();

        // The innermost first.
        let unused: Vec<PathBuf> = self
            .made
            .iter()
            .rev()
            .filter(|made| !used.iter().any(|target| target.starts_with(made)))
            .cloned()
            .collect();

        for made in unused {
            disk::remove_if_empty(&root.join(&made));
            // One that is not empty stays listed, and is tried again later.
            if matches!(disk::lstat(&root.join(&made)), Ok(None)) {
                self.made.remove(&made);
            }
        }
    }

    /// The skill that was installed under a name in a target.
    #[must_use]
    pub fn installed_skill(&self, target: &Path, name: &SkillName) -> Option<&InstalledSkill> {
        self.targets.get(target)?.get(name)
    }
}

/// Whether the skills of one target are unchanged.
fn are_skills_current(skills: &BTreeMap<SkillName, InstalledSkill>, target: &Path) -> bool {
    skills.iter().all(|(name, record)| {
        let stamp = record.stamp.as_ref();
        stamp.is_some_and(|stamp| stamp.is_current(&target.join(name.as_str())))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use skillpm_core::package::Tree;

    #[test]
    fn a_state_of_another_format_is_ignored() {
        let root = tempfile::tempdir().unwrap();
        let dir = StateDir::new(root.path(), root.path(), &root.path().join("home"));
        assert_eq!(ProjectState::load(&dir).unwrap(), ProjectState::default());
        let of_another_version = ProjectState {
            inputs: Some(Sha256Digest::hash_bytes(b"inputs")),
            ..ProjectState::default()
        };
        let sealed = dir
            .seal(
                STATE_FILE,
                &ProjectState {
                    version: 9,
                    ..of_another_version
                },
            )
            .unwrap();
        for bytes in [
            b"garbage".to_vec(),
            b"{\"version\":2,\"targets\":{},\"sources\":{}}".to_vec(),
            sealed,
        ] {
            std::fs::write(dir.path().join(STATE_FILE), bytes).unwrap();
            assert_eq!(ProjectState::load(&dir).unwrap(), ProjectState::default());
        }
    }

    #[test]
    fn state_is_current_until_inputs_or_files_change() {
        let root = tempfile::tempdir().unwrap();
        let skill = root.path().join(".agents/skills/pdf");
        std::fs::create_dir_all(&skill).unwrap();
        std::fs::write(skill.join("SKILL.md"), "x").unwrap();
        let inputs = Sha256Digest::hash_bytes(b"inputs");
        let checksum = Checksum::from_tree(&Tree::default());
        let record = InstalledSkill {
            stamp: disk::stamp_tree(&skill).unwrap(),
            ..InstalledSkill::without_stamp(checksum)
        };
        let mut state = ProjectState {
            inputs: Some(inputs),
            ..ProjectState::default()
        };
        state
            .targets
            .entry(".agents/skills".into())
            .or_default()
            .insert("pdf".parse().unwrap(), record);
        let dir = StateDir::new(root.path(), root.path(), &root.path().join("home"));
        let (path, bytes) = state.to_file(&dir).unwrap();
        std::fs::write(path, bytes).unwrap();
        let state = ProjectState::load(&dir).unwrap();
        assert!(state.is_current(&inputs, root.path()));
        assert!(!state.is_current(&Sha256Digest::hash_bytes(b"others"), root.path()));
        std::fs::write(skill.join("SKILL.md"), "edited").unwrap();
        assert!(!state.is_current(&inputs, root.path()));
    }
}
