//! Edits that people keep: patch files that `[edits]` names, and that are part of what is installed.
//!
//! ```text
//! package as its source holds it ── named as it is installed ── with its patch file ──▶ what the lockfile calls `checksum`
//! ```

use std::collections::BTreeMap;
use std::path::Path;

use super::fetch;
use crate::error::{Error, Result};
use crate::io::disk;
use crate::lockfile::Locked;
use crate::merge::patch;
use crate::package::{RelPath, Sha256, SkillName, Tree};
use crate::report::Reporter;
use crate::store::Store;

/// Where the edits of a skill are kept if the manifest does not say.
pub(super) fn default_path(name: &SkillName) -> RelPath {
    format!("patches/{name}.patch").parse().expect("a skill's name is a path")
}

/// One patch file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PatchFile {
    /// Where it lies in the project.
    pub(super) path: RelPath,
    /// What it says.
    pub(super) text: String,
    /// The digest that the lockfile has of it.
    pub(super) digest: Sha256,
}

impl PatchFile {
    pub(super) fn new(path: RelPath, text: String) -> Self {
        let digest = Sha256::of(text.as_bytes());
        PatchFile { path, text, digest }
    }
}

/// The patch files of a project, by install name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct PatchFiles(BTreeMap<SkillName, PatchFile>);

impl PatchFiles {
    /// Reads the files that `[edits]` names.
    ///
    /// # Errors
    /// If one is not there, or is no text.
    pub(super) fn read(root: &Path, edits: &BTreeMap<SkillName, RelPath>) -> Result<PatchFiles> {
        let read = |(name, path): (&SkillName, &RelPath)| {
            let text = disk::read_text(&root.join(path.to_path()))?.ok_or_else(|| gone(name, path))?;
            Ok((name.clone(), PatchFile::new(path.clone(), text)))
        };
        Ok(PatchFiles(edits.iter().map(read).collect::<Result<_>>()?))
    }

    pub(super) fn get(&self, name: &SkillName) -> Option<&PatchFile> {
        self.0.get(name)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn insert(&mut self, name: SkillName, file: PatchFile) {
        self.0.insert(name, file);
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&SkillName, &PatchFile)> {
        self.0.iter()
    }

    /// A package as it is installed: under its name, and with the edits it was locked with.
    ///
    /// # Errors
    /// If the edits are not at hand any more, or do not fit.
    pub(super) fn installed(&self, tree: &Tree, package: &Locked) -> Result<Tree> {
        let name = package.install_name();
        let renamed = fetch::as_installed(tree, name)?;
        let Some(locked) = &package.patch else { return Ok(renamed) };
        match self.get(name).filter(|file| file.digest == *locked) {
            Some(file) => file.apply(&renamed),
            None => Err(Error::negative(format!("`{name}` was locked with edits that are no longer at hand"))
                .note(format!("locked  sha256:{locked}"))
                .help("restore its patch file from version control, or run `skillpm install` without `--locked`")),
        }
    }
}

impl PatchFiles {
    /// A package as it is installed, if the store has it.
    ///
    /// # Errors
    /// As for [`PatchFiles::installed`].
    pub(super) fn stored(&self, package: &Locked, store: &Store, reporter: &dyn Reporter) -> Result<Option<Tree>> {
        if package.patch.is_some()
            && let Some(tree) = store.get(&package.checksum, reporter)?
        {
            return Ok(Some(tree));
        }
        store.get(&package.upstream(), reporter)?.map(|tree| self.installed(&tree, package)).transpose()
    }
}

impl PatchFile {
    /// A package, as it is installed without edits, with these.
    ///
    /// # Errors
    /// If they do not fit.
    pub(super) fn apply(&self, tree: &Tree) -> Result<Tree> {
        patch::apply(tree, self.text.as_bytes()).map_err(|error| {
            error
                .wrap(format!("the edits in `{}` cannot be put into the package", self.path))
                .help("mend the patch file, or take its line out of `[edits]`; `git log` knows what it fitted")
        })
    }
}

fn gone(name: &SkillName, path: &RelPath) -> Error {
    Error::usage(format!("`[edits]` of `{name}` names `{path}`, which is not there"))
        .help(format!("restore it (`git checkout {path}`), or take `{name}` out of `[edits]`"))
}
