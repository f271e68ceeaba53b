//! Saved edits: patch files that `[edits]` names, and that are applied to installed packages.
//!
//! ```text
//! package of the source ── install name ── patch file ──▶ tree with the lockfile's `checksum`
//! ```

use std::collections::BTreeMap;
use std::path::Path;

use super::fetch;
use skillpm_core::error::{Error, Result};
use skillpm_core::lockfile::LockedPackage;
use skillpm_core::package::{LineEnd, RelPath, Sha256Digest, SkillName, Tree};
use skillpm_core::report::EventReporter;
use skillpm_io::disk;
use skillpm_merge::{has_conflict_markers, patch};
use skillpm_registry::store::Store;

/// The highest number of lines of a patch file. Each takes some 75 bytes of memory, however short
/// it is.
const LINES_MAX: usize = 1_000_000;

/// The default path of a skill's patch file.
pub(super) fn default_path(name: &SkillName) -> RelPath {
    format!("patches/{name}.patch")
        .parse()
        .expect("a skill's name is a path")
}

/// One patch file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PatchFile {
    /// Its path in the project.
    pub(super) path: RelPath,
    /// Its text.
    pub(super) text: String,
    /// Its digest, as in the lockfile.
    pub(super) digest: Sha256Digest,
}

impl PatchFile {
    /// A patch file with this text, which was read or is about to be written.
    ///
    /// # Errors
    /// If it exceeds the limits for reading.
    pub(super) fn new(path: RelPath, text: String) -> Result<Self> {
        let bytes = text.len() as u64;
        // Counted without splitting the text, which may be far too large.
        let lines = memchr::memchr_iter(b'\n', text.as_bytes()).count();
        if bytes > disk::PATCH_MAX || lines > LINES_MAX {
            let limit = format!(
                "the limit is {} bytes and {LINES_MAX} lines",
                disk::PATCH_MAX
            );
            return Err(Error::negative(format!(
                "patch file `{path}` is too large: {bytes} bytes, {lines} lines"
            ))
            .note(limit)
            .help("publish the edited skill under your own name, and depend on that"));
        }

        let digest = Sha256Digest::hash_bytes(text.as_bytes());
        Ok(PatchFile { path, text, digest })
    }
}

/// The patch files of a project, by install name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct PatchFiles(BTreeMap<SkillName, PatchFile>);

impl PatchFiles {
    /// Reads the files that `[edits]` names.
    ///
    /// # Errors
    /// If one does not exist, or is not text.
    pub(super) fn read(root: &Path, edits: &BTreeMap<SkillName, RelPath>) -> Result<PatchFiles> {
        let read = |(name, path): (&SkillName, &RelPath)| {
            let text = disk::read_text(&root.join(path.to_path()))?
                .ok_or_else(|| missing_file(name, path))?;
            Ok((
                name.clone(),
                PatchFile::new(path.clone(), with_line_feeds(text))?,
            ))
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

    /// A package as it is installed: under its install name, with the edits it was locked with.
    ///
    /// # Errors
    /// If the locked edits are gone, or do not apply.
    pub(super) fn as_installed(&self, tree: &Tree, package: &LockedPackage) -> Result<Tree> {
        let name = package.install_name();
        // Renamed first: the edits were made to the installed files, with their install name.
        let renamed = fetch::as_installed(tree, name)?;

        let Some(locked) = &package.patch else {
            return Ok(renamed);
        };
        // The digest decides: another patch file would give another tree than the one locked.
        match self.get(name).filter(|file| file.digest == *locked) {
            Some(file) => file.apply(&renamed),
            None => Err(Error::negative(format!("locked edits of `{name}` not found"))
                .note(format!("locked  sha256:{locked}"))
                .help("restore its patch file from version control, or run `skillpm install` without `--locked`")),
        }
    }
}

impl PatchFiles {
    /// A package as it is installed, if the store has it.
    ///
    /// # Errors
    /// As for [`PatchFiles::as_installed`].
    pub(super) fn installed_from_store(
        &self,
        package: &LockedPackage,
        store: &Store,
        reporter: &dyn EventReporter,
    ) -> Result<Option<Tree>> {
        // An edited tree is stored whole, and can be used when its patch file is gone.
        if package.patch.is_some()
            && let Some(tree) = store.get(&package.checksum, reporter)?
        {
            return Ok(Some(tree));
        }

        store
            .get(&package.upstream_checksum(), reporter)?
            .map(|tree| self.as_installed(&tree, package))
            .transpose()
    }
}

impl PatchFile {
    /// Applies the edits to a package that is as installed without edits.
    ///
    /// # Errors
    /// If they do not apply, or add conflict markers.
    pub(super) fn apply(&self, tree: &Tree) -> Result<Tree> {
        let edited =
            patch::apply(tree, self.text.as_bytes()).and_then(
                |edited| match &*unresolved_conflicts(tree, &edited) {
                    [] => Ok(edited),
                    [file, ..] => Err(Error::negative(format!(
                        "unresolved conflict markers in `{file}`"
                    ))),
                },
            );
        edited.map_err(|error| {
            error
                .wrap(format!("failed to apply the edits in `{}`", self.path))
                .help("fix the patch file, or remove its line from `[edits]`; `git log` shows the version it applied to")
        })
    }
}

/// The files in which edits of a package left conflict markers, which a page of the package may have as an example.
pub(super) fn unresolved_conflicts(package: &Tree, edited: &Tree) -> Vec<RelPath> {
    edited
        .files()
        .filter(|(path, file)| {
            has_conflict_markers(&file.bytes)
                && !package.get(path.as_str()).is_some_and(has_conflict_markers)
        })
        .map(|(path, _)| path.clone())
        .collect()
}

/// A patch file as it was written: only git's conversion makes every line end in CRLF, also those of its own format.
fn with_line_feeds(text: String) -> String {
    let is_converted = LineEnd::detect(text.as_bytes()) == Some(LineEnd::CrLf)
        && LineEnd::CrLf.convert(text.as_bytes()) == text.as_bytes();
    if is_converted {
        text.replace("\r\n", "\n")
    } else {
        text
    }
}

fn missing_file(name: &SkillName, path: &RelPath) -> Error {
    Error::usage(format!(
        "patch file `{path}` not found, named in `[edits]` for `{name}`"
    ))
    .help(format!(
        "run `git checkout {path}` to restore it, or remove `{name}` from `[edits]`"
    ))
}
