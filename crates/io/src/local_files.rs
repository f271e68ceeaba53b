//! What is part of an installed skill, and what is a person's or a tool's own beside it.
//!
//! | in its directory | of the installed package | else |
//! |---|---|---|
//! | `.env`, `id_rsa` and other files of secrets | never an edit | not part of it |
//! | `__pycache__`, `*.pyc` | never an edit | not part of it |
//! | `node_modules`, `.venv`, caches, editor files | part of it | not part of it |
//! | logs, temporary files, saved logins, what git ignores | part of it | not part of it |
//! | a file that only its owner may read, beside a `SKILL.md` that all may | part of it | not part of it |
//! | links, devices, what cannot be read | part of it: an error | not part of it |
//! | anything else | part of it | an added file |
//!
//! What is not part of a skill is never compared, merged, saved, copied or published. It stays at its place when the
//! skill is updated or removed. The line ends of a text are not compared either, as git may have converted them; a file
//! keeps its own when it is updated. Files in a directory that is a source are read by the same table, with what git tracks in
//! place of the installed package.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::disk::{self, EntryKind, FileModes, PartialTree};
use crate::git::GitCheckout;
use crate::ignore::{FileSelection, TrackedFiles};
use skillpm_core::error::Result;
use skillpm_core::package::{
    Checksum, ENVIRONMENT_MARK, LineEnd, RelPath, Tree, TreeFile, is_bytecode, is_output_name,
    is_secret_file, leftover_directory, leftover_file, may_be_key, may_be_login,
    with_line_ends_of_package,
};

/// The files of an installed skill, and what else is in its directory.
#[derive(Debug, Default)]
pub struct InstalledFiles {
    /// The files that are part of the skill, with a person's edits.
    pub tree: Tree,
    /// What is not, and stays where it is.
    pub local: LocalFiles,
}

impl InstalledFiles {
    /// The files with the line ends of the installed package.
    #[must_use]
    pub fn with_line_ends_of(self, package: &Tree) -> InstalledFiles {
        let converted = self.tree.files().filter_map(|(path, file)| {
            let packaged = package.get(path.as_str())?;
            let (bytes, own) = with_line_ends_of_package(&file.bytes, packaged)?;
            Some((path.clone(), TreeFile { bytes, ..*file }, own))
        });
        let converted = converted.collect();
        self.with_converted(converted)
    }

    /// The files with line feeds, as most packages have, if they are a package then. A file that also has other line ends
    /// in the package is not known without it.
    fn with_line_feeds(&self, package: &Checksum) -> Option<InstalledFiles> {
        let converted = self.tree.files().filter_map(|(path, file)| {
            let own = LineEnd::detect(&file.bytes).filter(|own| *own == LineEnd::CrLf)?;
            let bytes = LineEnd::Lf.convert(&file.bytes);
            Some((path.clone(), TreeFile { bytes, ..*file }, own))
        });
        let converted: Vec<_> = converted.collect();
        // Nothing to convert, and so nothing to compare again.
        if converted.is_empty() {
            return None;
        }
        let files = InstalledFiles {
            tree: self.tree.clone(),
            local: self.local.clone(),
        };
        let files = files.with_converted(converted);
        (*package == Checksum::from_tree(&files.tree)).then_some(files)
    }

    /// With these files in place of their own, which have other line ends on disk.
    fn with_converted(mut self, converted: Vec<(RelPath, TreeFile, LineEnd)>) -> InstalledFiles {
        for (path, file, own) in converted {
            self.local.line_ends.insert(path.to_string(), own);
            self.tree = self.tree.with_entry(path, file);
        }
        self
    }
}

/// What is in the directory of a skill besides the files of a package.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LocalFiles {
    /// Paths of files and whole directories, sorted.
    pub entries: Vec<String>,
    /// The permissions of the skill's own files, where a person has restricted them.
    pub modes: FileModes,
    /// The line ends of the skill's own texts, where the package has others.
    pub line_ends: BTreeMap<String, LineEnd>,
}

impl LocalFiles {
    /// The files of a package, with the line ends that they have in this directory.
    #[must_use]
    pub fn convert_line_ends(&self, tree: &Tree) -> Tree {
        let mut converted = tree.clone();
        for (path, file) in tree.files() {
            if let Some(own) = self.line_ends.get(path.as_str())
                && LineEnd::detect(&file.bytes).is_some()
            {
                let bytes = own.convert(&file.bytes);
                let file = TreeFile { bytes, ..*file };
                converted = converted.with_entry(path.clone(), file);
            }
        }
        converted
    }
}

/// Whether a person's own file is kept even where the package has one of that path.
#[must_use]
pub fn is_kept_over_package(path: &str) -> bool {
    is_secret_file(path) || is_bytecode(path)
}

/// Whether a path is another one, or below it.
#[must_use]
pub fn is_at_or_below(path: &str, other: &str) -> bool {
    path.strip_prefix(other)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Finds a package by its checksum, such as in the store; `None` if it is not there.
pub type PackageLookup<'a> = &'a (dyn Fn(&Checksum) -> Option<Tree> + Sync);

/// Reads installed skills.
#[derive(Clone, Copy)]
pub struct InstalledReader<'a> {
    root: &'a Path,
    packages: PackageLookup<'a>,
    compares_line_ends: bool,
}

impl<'a> InstalledReader<'a> {
    /// A reader for the project at `root`, up to which ignore files count.
    #[must_use]
    pub fn new(root: &'a Path, packages: PackageLookup<'a>) -> InstalledReader<'a> {
        InstalledReader {
            root,
            packages,
            compares_line_ends: false,
        }
    }

    /// A reader to which other line ends than the package's are an edit.
    #[must_use]
    pub fn comparing_line_ends(self) -> InstalledReader<'a> {
        InstalledReader {
            compares_line_ends: true,
            ..self
        }
    }

    /// Reads the skill at `dir`, where the package `base` was installed, if that is known.
    ///
    /// # Errors
    /// As [`disk::read_tree`], for the files that are part of the skill.
    pub fn read(&self, dir: &Path, base: Option<&Checksum>) -> Result<InstalledFiles> {
        // In nearly every case the names suffice, and neither the store nor git is read.
        let by_name = |path: &str, kind: EntryKind| !is_local_name(dir, path, kind);
        let converts = !self.compares_line_ends;
        if let Some(base) = base
            && let Ok(found) = disk::read_tree_filtered(dir, &by_name)
        {
            let found = installed_files(found, None);
            if *base == Checksum::from_tree(&found.tree) {
                return Ok(found);
            }
            if converts && let Some(found) = found.with_line_feeds(base) {
                return Ok(found);
            }
        }

        let base_tree = base.and_then(self.packages);
        let git = GitFiles::new(dir, self.root);
        let is_public = is_readable(&dir.join("SKILL.md"));
        // Without the package, a link, or what cannot be read, may be one of its files.
        let is_unclear = |path: &str, kind: EntryKind| {
            base.is_some()
                && base_tree.is_none()
                && matches!(kind, EntryKind::Odd | EntryKind::Unreadable)
                && !is_tool_name(dir, path, kind)
        };
        let includes = |path: &str, kind: EntryKind| {
            base_tree.as_ref().is_some_and(|base| has_entry(base, path))
                || is_unclear(path, kind) && !git.ignores(path, kind)
                || !(is_local_name(dir, path, kind)
                    || git.ignores(path, kind)
                    || is_public && is_private(dir, path, kind))
        };
        let found = installed_files(
            disk::read_tree_filtered(dir, &includes)?,
            base_tree.as_ref(),
        );

        if let Some(base_tree) = base_tree.filter(|_| converts) {
            return Ok(found.with_line_ends_of(&base_tree));
        }
        let Some(base) = base.filter(|base| **base != Checksum::from_tree(&found.tree)) else {
            return Ok(found);
        };
        if converts && let Some(found) = found.with_line_feeds(base) {
            return Ok(found);
        }
        // A package may have files with such names; without its tree only all of them together show that.
        if let Ok(all) = disk::read_tree_filtered(dir, &|_, _| true) {
            let all = installed_files(all, None);
            if *base == Checksum::from_tree(&all.tree) {
                return Ok(all);
            }
            if converts && let Some(all) = all.with_line_feeds(base) {
                return Ok(all);
            }
        }
        Ok(found)
    }

    /// What is not part of the skill in a directory that cannot be read as one, as with a link in place of a file.
    ///
    /// # Errors
    /// If not even the rest can be read.
    pub fn read_local(&self, dir: &Path, base: Option<&Checksum>) -> Result<LocalFiles> {
        let base_tree = base.and_then(self.packages);
        let in_base = |path: &str| base_tree.as_ref().is_some_and(|base| has_entry(base, path));
        let is_left = |path: &str, kind: EntryKind| {
            !matches!(kind, EntryKind::Odd | EntryKind::Unreadable)
                && !in_base(path)
                && is_local_name(dir, path, kind)
        };
        // What is odd goes to the backup with the rest.
        let found = disk::read_tree_filtered(dir, &|path, kind| {
            matches!(kind, EntryKind::File | EntryKind::Directory) && !is_left(path, kind)
        })?;
        let entries = found.left_out.into_iter();
        Ok(LocalFiles {
            entries: entries
                .filter(|path| !in_base(path) && !is_link(&dir.join(path)))
                .collect(),
            ..LocalFiles::default()
        })
    }
}

/// Reads a directory that is the source of a package: what git tracks is part of it, and otherwise what the names and
/// git's ignore files do not exclude.
///
/// # Errors
/// As [`disk::read_tree`].
pub fn read_source_directory(dir: &Path) -> Result<PartialTree> {
    let git = GitFiles::new(dir, dir);
    let is_public = is_readable(&dir.join("SKILL.md"));
    disk::read_tree_with_links(dir, &|path, kind| {
        let is_local = match kind {
            // Refused as in every package, and not left out without a word.
            EntryKind::Odd | EntryKind::Unreadable => is_tool_name(dir, path, kind),
            EntryKind::Directory | EntryKind::File => {
                is_local_name(dir, path, kind) || is_public && is_private(dir, path, kind)
            }
        };
        git.tracks(path, kind) || !is_local && !git.ignores(path, kind)
    })
}

/// The result of a reading, in which secrets and bytecode of the package count as unchanged.
fn installed_files(found: PartialTree, base: Option<&Tree>) -> InstalledFiles {
    let PartialTree {
        mut tree,
        left_out: mut entries,
        modes,
    } = found;

    for (path, file) in base.into_iter().flat_map(Tree::files) {
        if is_kept_over_package(path.as_str())
            && tree.file(path.as_str()).is_none_or(|own| own != file)
        {
            if tree.file(path.as_str()).is_some() {
                entries.push(path.to_string());
            }
            tree = tree.with_entry(path.clone(), file.clone());
        }
    }

    entries.sort_unstable();
    InstalledFiles {
        tree,
        local: LocalFiles {
            entries,
            modes,
            ..LocalFiles::default()
        },
    }
}

/// Whether an entry that the package does not have is a tool's, a secret, or cannot be part of a package.
fn is_local_name(dir: &Path, path: &str, kind: EntryKind) -> bool {
    let name = file_name(path);
    match kind {
        EntryKind::Odd | EntryKind::Unreadable => true,
        EntryKind::Directory => is_tool_name(dir, path, kind) || is_output_name(name, true),
        EntryKind::File => {
            is_tool_name(dir, path, kind)
                || is_output_name(name, false)
                || is_secret_file(path)
                || may_be_key(path)
                || may_be_login(path)
        }
    }
}

/// Whether others than its owner may read a file.
fn is_readable(path: &Path) -> bool {
    let meta = disk::lstat(path).ok().flatten();
    meta.is_some_and(|meta| disk::file_ownership(&meta).others_access)
}

/// Whether a person has closed a file to all others.
fn is_private(dir: &Path, path: &str, kind: EntryKind) -> bool {
    // One that its owner cannot read either is an error, and not left out.
    let is_owners = |meta: std::fs::Metadata| disk::file_ownership(&meta).mode & 0o477 == 0o400;
    let meta = disk::lstat(&dir.join(path)).ok().flatten();
    kind == EntryKind::File && meta.is_some_and(is_owners)
}

fn is_link(path: &Path) -> bool {
    disk::lstat(path).is_ok_and(|found| found.is_some_and(|meta| meta.is_symlink()))
}

fn is_tool_name(dir: &Path, path: &str, kind: EntryKind) -> bool {
    let name = file_name(path);
    if leftover_directory(name).is_some() {
        return true;
    }
    match kind {
        EntryKind::Directory => {
            let mark = dir.join(path).join(ENVIRONMENT_MARK);
            disk::lstat(&mark).is_ok_and(|found| found.is_some())
        }
        _ => leftover_file(name).is_some(),
    }
}

fn file_name(path: &str) -> &str {
    path.rsplit_once('/').map_or(path, |(_, name)| name)
}

/// Whether a tree has a file at a path, or below it.
fn has_entry(tree: &Tree, path: &str) -> bool {
    tree.file(path).is_some() || tree.has_directory(path)
}

/// What git tracks and ignores in a directory, read when it is first asked.
struct GitFiles {
    dir: PathBuf,
    root: PathBuf,
    selection: OnceCell<FileSelection>,
}

impl GitFiles {
    fn new(dir: &Path, root: &Path) -> GitFiles {
        GitFiles {
            dir: disk::real_path(dir),
            root: disk::real_path(root),
            selection: OnceCell::new(),
        }
    }

    fn ignores(&self, path: &str, kind: EntryKind) -> bool {
        !self
            .selection()
            .includes(path, kind == EntryKind::Directory)
    }

    fn tracks(&self, path: &str, kind: EntryKind) -> bool {
        self.selection().tracks(path, kind == EntryKind::Directory)
    }

    fn selection(&self) -> &FileSelection {
        self.selection.get_or_init(|| {
            let git = self.read_checkout().unwrap_or_else(|| TrackedFiles {
                root: self.root.clone(),
                git_dir: self.root.join(".git"),
                files: BTreeSet::new(),
            });
            FileSelection::of_git(&self.dir, git)
        })
    }

    /// The files that git tracks; `None` without a repository, or if it cannot be read.
    fn read_checkout(&self) -> Option<TrackedFiles> {
        let checkout = GitCheckout::discover(&self.dir).ok()??;
        let files = checkout.tracked_files().ok()?;
        (!checkout.is_bare()).then(|| TrackedFiles {
            root: checkout.root().to_owned(),
            git_dir: checkout.git_dir().to_owned(),
            files,
        })
    }
}
