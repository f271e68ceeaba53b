//! The projects on this machine that commands have changed. `cache` keeps what they refer to.
//!
//! ```text
//! $SKILLPM_HOME/projects/
//! └── 3f2a90c14d5e6b78     /home/ann/work/site        the project's root; the name is its digest
//! ```
//!
//! It is a cache: a moved project is recorded again by the next command in it.

use std::path::{Path, PathBuf};

use skillpm_core::error::{FailureKind, Result};
use skillpm_core::lockfile::{self, Lockfile};
use skillpm_core::package::{Checksum, Sha256Digest};
use skillpm_io::disk;
use skillpm_registry::install::state_dir::StateDir;
use skillpm_registry::install::undo::{self, UndoContent};

/// The prefix of a tree's checksum, wherever it is written.
const PREFIX: &str = "skill-tree-v1:";

/// One project.
#[derive(Debug, Clone)]
pub struct KnownProject {
    /// Its root.
    pub root: PathBuf,
    /// The directory of its state, journals and backups.
    pub state_dir: StateDir,
    /// The file that records it; `None` for the user's own skills.
    pub record_file: Option<PathBuf>,
}

/// Records a project. A failure is ignored: it must not fail the command.
pub(super) fn record_project(home: &Path, root: &Path) {
    // The name is a digest, so that it has no separators and the same root has one file.
    let digest = Sha256Digest::hash_bytes(root.as_os_str().as_encoded_bytes()).to_string();
    let record = home.join("projects").join(&digest[..16]);
    let text = root.as_os_str().as_encoded_bytes();
    // Written only when it changes: every command that locks a project calls this.
    if disk::read(&record).ok().flatten().as_deref() != Some(text) {
        // A killed run may have left its temporary file.
        disk::remove_abandoned(&home.join("projects"), disk::TEMPORARY_PREFIX);
        let _ = disk::write_cached(&record, text);
    }
}

/// All recorded projects, and the user's own skills.
///
/// # Errors
/// If a file or directory cannot be read.
pub fn known_projects(home: &Path) -> Result<Vec<KnownProject>> {
    let own = StateDir::new(&home.join("state"), home, home);
    let mut projects = vec![KnownProject {
        root: home.to_owned(),
        state_dir: own,
        record_file: None,
    }];

    let dir = home.join("projects");
    // Names with a dot are temporary files.
    for name in disk::list_names(&dir)?
        .into_iter()
        .filter(|name| !name.starts_with('.'))
    {
        let record = dir.join(name);
        // An unreadable record protects nothing, but must not stop the others.
        let Some(root) = disk::read_text(&record).ok().flatten().map(PathBuf::from) else {
            continue;
        };
        if root.is_absolute() {
            let state_dir = StateDir::new(&root.join(".skillpm"), &root, home);
            projects.push(KnownProject {
                state_dir,
                root,
                record_file: Some(record),
            });
        }
    }

    Ok(projects)
}

impl KnownProject {
    /// Whether its root exists.
    #[must_use]
    pub fn exists(&self) -> bool {
        disk::lstat(&self.root).is_ok_and(|meta| meta.is_some())
    }

    /// Whether a missing project may come back: the directory above it is missing as well, as on a
    /// disk that is not mounted.
    #[must_use]
    pub fn may_return(&self) -> bool {
        // An unmounted disk is not a deleted project: what its lockfile names must stay.
        let above = self.root.parent().unwrap_or(&self.root);
        !self.exists() && !disk::lstat(above).is_ok_and(|meta| meta.is_some())
    }

    /// Every tree that a file of the project names: lockfile, installation state and undo entries.
    /// They are read as text, so that one in the middle of a merge, or of another version, also
    /// keeps its trees.
    ///
    /// # Errors
    /// If an existing file cannot be read.
    pub fn referenced_trees(&self) -> Result<Vec<Checksum>> {
        let mut found =
            checksums_in(&disk::read(&self.root.join(lockfile::FILE))?.unwrap_or_default());

        let mut files = ["state.json", "journal.json"].map(str::to_owned).to_vec();
        files.extend(self.undo_files()?);

        for file in files {
            found.extend(checksums_in(&self.read_own_file(&file)?));
        }
        Ok(found)
    }

    /// The bytes of a file that skillpm writes; empty if it is not a regular file, or behind a link.
    fn read_own_file(&self, name: &str) -> Result<Vec<u8>> {
        or_nothing(
            self.state_dir
                .read_bytes(name)
                .map(Option::unwrap_or_default),
        )
    }

    /// The files in the directory of undo entries, relative to that of the state.
    fn undo_files(&self) -> Result<Vec<String>> {
        let names = or_nothing(self.state_dir.list_names("undo"))?;
        let paths = names.into_iter().map(|name| format!("undo/{name}"));
        Ok(paths.collect())
    }

    /// The trees that cannot be fetched again: those that `undo` restores, and the bases of saved
    /// edits.
    ///
    /// # Errors
    /// If a file or directory cannot be read.
    pub fn required_trees(&self) -> Result<Vec<Checksum>> {
        let mut trees = Vec::new();
        let readable = or_nothing(undo::entries(&self.state_dir))?;
        for (_, entry) in &readable {
            // `undo` needs the trees from before the change. The ones after it are locked or in the
            // store.
            trees.extend(entry.places.iter().filter_map(|step| match step.before {
                UndoContent::Tree(checksum) => Some(checksum),
                _ => None,
            }));
        }
        // Entries that this version cannot parse still name their trees.
        for file in self.undo_files()? {
            let place = self.state_dir.path().join(&file);
            if readable.iter().all(|(path, _)| *path != place) {
                trees.extend(checksums_in(&self.read_own_file(&file)?));
            }
        }

        // A lockfile in the middle of a merge is read as text, so that neither side loses a tree.
        let lock = disk::read(&self.root.join(lockfile::FILE))?.unwrap_or_default();
        match Lockfile::parse(&String::from_utf8_lossy(&lock), lockfile::FILE) {
            Ok(lockfile) => {
                let patched = lockfile
                    .packages()
                    .iter()
                    .filter(|package| package.patch.is_some());
                // Both trees: the base of the edits, and the skill with them.
                trees.extend(
                    patched.flat_map(|package| [package.upstream_checksum(), package.checksum]),
                );
            }
            Err(_) => trees.extend(checksums_in(&lock)),
        }

        Ok(trees)
    }
}

/// What was read, or nothing where a link, a pipe or the like is in the way: a cloned project must not stop the others.
fn or_nothing<T: Default>(read: Result<T>) -> Result<T> {
    match read {
        Err(error) if error.kind() == FailureKind::Integrity => Ok(T::default()),
        read => read,
    }
}

/// Every checksum anywhere in a text.
fn checksums_in(text: &[u8]) -> Vec<Checksum> {
    // 64 hexadecimal digits follow the prefix; anything else is no checksum.
    memchr::memmem::find_iter(text, PREFIX)
        .filter_map(|at| {
            std::str::from_utf8(text.get(at..at + PREFIX.len() + 64)?)
                .ok()?
                .parse()
                .ok()
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checksums_are_found_in_any_text() {
        let sums = ["a", "b"].map(|digit| format!("{PREFIX}{}", digit.repeat(64)));
        let text = format!(
            "<<<<<<< ours\nchecksum = \"{}\"\n=======\n{{\"tree\":\"{}\"}} {PREFIX}12",
            sums[0], sums[1]
        );
        let found: Vec<String> = checksums_in(text.as_bytes())
            .iter()
            .map(ToString::to_string)
            .collect();
        assert_eq!(found, sums);
    }

    #[test]
    fn project_is_recorded_once_and_may_return_while_its_parent_is_missing() {
        let home = tempfile::tempdir().unwrap();
        let root = home.path().join("work/site");
        std::fs::create_dir_all(&root).unwrap();
        record_project(home.path(), &root);
        record_project(home.path(), &root);
        let projects = known_projects(home.path()).unwrap();
        assert_eq!(
            projects
                .iter()
                .map(|project| &project.root)
                .collect::<Vec<_>>(),
            [home.path(), &root]
        );
        assert!(projects[1].exists() && !projects[1].may_return());
        std::fs::remove_dir(&root).unwrap();
        assert!(!projects[1].exists() && !projects[1].may_return());
        std::fs::remove_dir(home.path().join("work")).unwrap();
        assert!(projects[1].may_return());
    }
}
