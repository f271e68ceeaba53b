//! The project: its root, its manifest and its lockfile.
//!
//! There are two sorts of project, and nothing but their places differs: a directory with a `skillpm.toml`, whose skills
//! are the workspace tier, and the person's own (`--global`), whose skills are the managed tier:
//!
//! | | manifest, lockfile | state | skills |
//! |---|---|---|---|
//! | workspace | `<root>/skillpm.toml`, `.lock` | `<root>/.skillpm/` | `<root>/.agents/skills` |
//! | managed | `$SKILLPM_HOME/skillpm.toml`, `.lock` | `$SKILLPM_HOME/state/` | `~/.agents/skills` |

use std::path::{Path, PathBuf};

use crate::error::{Error, Result};
use crate::io::disk;
use crate::lockfile::{self, Lockfile};
use crate::manifest::{self, Manifest, Registries};

/// Which sort of project it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sort {
    /// A directory with a manifest.
    Project,
    /// The person's own skills.
    Managed,
}

/// A project, read but not yet understood: a command that has nothing to do never needs more than these texts.
#[derive(Debug, Clone)]
pub struct Workspace {
    /// Which sort it is.
    pub sort: Sort,
    /// The directory that paths in the manifest are relative to.
    pub root: PathBuf,
    /// Where state, journal and backups lie.
    pub state_dir: PathBuf,
    /// The manifest's text; what a new one holds if there is none yet.
    pub manifest_text: String,
    /// Whether the manifest exists.
    pub exists: bool,
    /// The lockfile's text; `None` if there is none.
    pub lock_text: Option<String>,
}

impl Workspace {
    /// The project that `dir` lies in: the nearest directory upwards with a `skillpm.toml`; `None` if there is none.
    ///
    /// # Errors
    /// If a file is there but cannot be read.
    pub fn find(dir: &Path) -> Result<Option<Workspace>> {
        for root in dir.ancestors() {
            if let Some(text) = disk::read_text(&root.join(manifest::FILE))? {
                return Self::project(root, Some(text)).map(Some);
            }
        }
        Ok(None)
    }

    /// A project that is about to be made in `root`.
    ///
    /// # Errors
    /// If a lockfile is there but cannot be read.
    pub fn new_in(root: &Path) -> Result<Workspace> {
        Self::project(root, None)
    }

    /// The person's own project, which need not exist yet.
    ///
    /// # Errors
    /// If a file is there but cannot be read.
    pub fn managed(home: &Path) -> Result<Workspace> {
        let text = disk::read_text(&home.join(manifest::FILE))?;
        Self::read(Sort::Managed, home, home.join("state"), text)
    }

    fn project(root: &Path, text: Option<String>) -> Result<Workspace> {
        Self::read(Sort::Project, root, root.join(".skillpm"), text)
    }

    fn read(sort: Sort, root: &Path, state_dir: PathBuf, text: Option<String>) -> Result<Workspace> {
        Ok(Workspace {
            sort,
            root: root.to_owned(),
            state_dir,
            exists: text.is_some(),
            manifest_text: text.unwrap_or_else(|| manifest::edit::NEW.to_owned()),
            lock_text: disk::read_text(&root.join(lockfile::FILE))?,
        })
    }

    /// The manifest's path.
    #[must_use]
    pub fn manifest_path(&self) -> PathBuf {
        self.root.join(manifest::FILE)
    }

    /// The lockfile's path.
    #[must_use]
    pub fn lock_path(&self) -> PathBuf {
        self.root.join(lockfile::FILE)
    }

    /// What the manifest says.
    ///
    /// # Errors
    /// If it cannot be understood; the message has line and column.
    pub fn manifest(&self, registries: Registries<'_>) -> Result<Manifest> {
        Manifest::parse(&self.manifest_text, manifest::FILE, registries)
    }

    /// What the lockfile says; `None` if there is none.
    ///
    /// # Errors
    /// If it cannot be understood.
    pub fn lockfile(&self) -> Result<Option<Lockfile>> {
        self.lock_text.as_deref().map(|text| Lockfile::parse(text, lockfile::FILE)).transpose()
    }

    /// What the lockfile says.
    ///
    /// # Errors
    /// If there is none, or it cannot be understood.
    pub fn required_lockfile(&self) -> Result<Lockfile> {
        self.lockfile()?.ok_or_else(|| {
            Error::usage(format!("there is no `{}` in `{}`", lockfile::FILE, self.root.display()))
                .help("`skillpm install` makes one")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_manifest_upwards_is_the_project() {
        let dir = tempfile::tempdir().unwrap();
        let deep = dir.path().join("a/b/c");
        std::fs::create_dir_all(&deep).unwrap();
        std::fs::write(dir.path().join("a/skillpm.toml"), "[dependencies]\n").unwrap();
        let found = Workspace::find(&deep).unwrap().unwrap();
        assert_eq!(found.root, dir.path().join("a"));
        assert_eq!(found.lock_text, None);
        assert!(Workspace::find(dir.path()).unwrap().is_none());
    }
}
