//! Which projects there are on this machine, as far as commands have changed them: what `cache` must leave alone.
//!
//! ```text
//! $SKILLPM_HOME/projects/
//! └── 3f2a90c14d5e6b78     /home/ann/work/site        the project's root; the name is of it
//! ```
//!
//! It is a memory: a project that was moved is known again after the next command in it.

use std::path::{Path, PathBuf};

use crate::error::Result;
use crate::install::state_dir::StateDir;
use crate::install::undo::{self, Thing};
use crate::io::disk;
use crate::lockfile::{self, Lockfile};
use crate::package::{Checksum, Sha256};

/// What the name of a tree in the store is preceded by, wherever it is written.
const PREFIX: &str = "skill-tree-v1:";

/// One project.
#[derive(Debug, Clone)]
pub struct Project {
    /// Its root.
    pub root: PathBuf,
    /// Where its state, journals and backups lie.
    pub state_dir: StateDir,
    /// The file that remembers it; `None` for the person's own skills.
    pub note: Option<PathBuf>,
}

/// Remembers a project. That it cannot be remembered is no reason to fail.
pub(super) fn remember(home: &Path, root: &Path) {
    let digest = Sha256::of(root.as_os_str().as_encoded_bytes()).to_string();
    let note = home.join("projects").join(&digest[..16]);
    let text = root.as_os_str().as_encoded_bytes();
    if disk::read(&note).ok().flatten().as_deref() != Some(text) {
        disk::clear_dead(&home.join("projects"), disk::TEMPORARY);
        let _ = disk::write_copy(&note, text);
    }
}

/// All that are known, and the person's own skills.
///
/// # Errors
/// If the disk refuses.
pub fn known(home: &Path) -> Result<Vec<Project>> {
    let own = StateDir::new(&home.join("state"), home, home);
    let mut projects = vec![Project { root: home.to_owned(), state_dir: own, note: None }];
    let dir = home.join("projects");
    for name in disk::names(&dir)?.into_iter().filter(|name| !name.starts_with('.')) {
        let note = dir.join(name);
        let Some(root) = disk::read_text(&note).ok().flatten().map(PathBuf::from) else { continue };
        if root.is_absolute() {
            let state_dir = StateDir::new(&root.join(".skillpm"), &root, home);
            projects.push(Project { state_dir, root, note: Some(note) });
        }
    }
    Ok(projects)
}

impl Project {
    /// Whether it is there.
    #[must_use]
    pub fn is_there(&self) -> bool {
        disk::lstat(&self.root).is_ok_and(|meta| meta.is_some())
    }

    /// Whether it may come back though it is not there: the directory above it is gone as well, as where a disk is not
    /// mounted.
    #[must_use]
    pub fn may_return(&self) -> bool {
        let above = self.root.parent().unwrap_or(&self.root);
        !self.is_there() && !disk::lstat(above).is_ok_and(|meta| meta.is_some())
    }

    /// Every tree that a file of the project names: its lockfile, what was installed, what can be undone. Read as text, so
    /// that one in the middle of a merge, or of another version, keeps what it needs too.
    ///
    /// # Errors
    /// If a file is there but cannot be read.
    pub fn mentions(&self) -> Result<Vec<Checksum>> {
        let mut found = checksums_in(&disk::read(&self.root.join(lockfile::FILE))?.unwrap_or_default());
        let mut files = ["state.json", "journal.json"].map(|name| self.state_dir.path().join(name)).to_vec();
        files.extend(self.undo_files()?);
        for file in files {
            found.extend(checksums_in(&own_bytes(&file)?));
        }
        Ok(found)
    }

    /// The files of what can be undone, and whatever else is beside them.
    fn undo_files(&self) -> Result<Vec<PathBuf>> {
        let dir = self.state_dir.path().join("undo");
        Ok(disk::names(&dir)?.into_iter().map(|name| dir.join(name)).collect())
    }

    /// The trees without which something of the project could not be had back: what `undo` goes back to, and what kept
    /// edits were made to.
    ///
    /// # Errors
    /// If the disk refuses.
    pub fn cannot_do_without(&self) -> Result<Vec<Checksum>> {
        let mut trees = Vec::new();
        let readable = undo::entries(&self.state_dir)?;
        for (_, entry) in &readable {
            trees.extend(entry.places.iter().filter_map(|step| match step.before {
                Thing::Tree(checksum) => Some(checksum),
                _ => None,
            }));
        }
        for file in self.undo_files()? {
            if readable.iter().all(|(path, _)| *path != file) {
                trees.extend(checksums_in(&own_bytes(&file)?));
            }
        }
        let lock = disk::read(&self.root.join(lockfile::FILE))?.unwrap_or_default();
        match Lockfile::parse(&String::from_utf8_lossy(&lock), lockfile::FILE) {
            Ok(lockfile) => {
                let patched = lockfile.packages().iter().filter(|package| package.patch.is_some());
                trees.extend(patched.flat_map(|package| [package.upstream(), package.checksum]));
            }
            Err(_) => trees.extend(checksums_in(&lock)),
        }
        Ok(trees)
    }
}

/// The bytes of a file of ours; none if something else is there, which no command of ours made.
fn own_bytes(file: &Path) -> Result<Vec<u8>> {
    let is_file = disk::lstat(file)?.is_some_and(|meta| meta.is_file());
    if is_file { Ok(disk::read(file)?.unwrap_or_default()) } else { Ok(Vec::new()) }
}

/// Every checksum that stands somewhere in a text.
fn checksums_in(text: &[u8]) -> Vec<Checksum> {
    memchr::memmem::find_iter(text, PREFIX)
        .filter_map(|at| std::str::from_utf8(text.get(at..at + PREFIX.len() + 64)?).ok()?.parse().ok())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checksums_are_found_in_whatever_stands_around_them() {
        let sums = ["a", "b"].map(|digit| format!("{PREFIX}{}", digit.repeat(64)));
        let text =
            format!("<<<<<<< ours\nchecksum = \"{}\"\n=======\n{{\"tree\":\"{}\"}} {PREFIX}12", sums[0], sums[1]);
        let found: Vec<String> = checksums_in(text.as_bytes()).iter().map(ToString::to_string).collect();
        assert_eq!(found, sums);
    }

    #[test]
    fn a_project_is_known_once_and_forgotten_only_with_the_directory_above_it() {
        let home = tempfile::tempdir().unwrap();
        let root = home.path().join("work/site");
        std::fs::create_dir_all(&root).unwrap();
        remember(home.path(), &root);
        remember(home.path(), &root);
        let projects = known(home.path()).unwrap();
        assert_eq!(projects.iter().map(|project| &project.root).collect::<Vec<_>>(), [home.path(), &root]);
        assert!(projects[1].is_there() && !projects[1].may_return());
        std::fs::remove_dir(&root).unwrap();
        assert!(!projects[1].is_there() && !projects[1].may_return());
        std::fs::remove_dir(home.path().join("work")).unwrap();
        assert!(projects[1].may_return());
    }
}
