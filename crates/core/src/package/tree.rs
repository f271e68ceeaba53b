//! A package's files as one value.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fmt;
use std::sync::{Arc, OnceLock};

use super::{Checksum, RelPath};
use crate::error::{Error, Result};

/// Names that are never part of a package, however it came: what version control and the desktop leave lying about. They
/// are passed over, so that looking into an installed skill with a file manager is not an edit.
pub const NOT_PART: [&str; 5] = [".hg", ".svn", ".jj", ".DS_Store", "Thumbs.db"];

/// The largest package that is taken in, whatever it came by.
///
/// The defaults hold every one of 2,958 published skills with room to spare (`shared/SECURITY.md` §2.3).
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Most files.
    pub files: usize,
    /// Most bytes of all files together.
    pub total: u64,
    /// Most bytes of one file.
    pub file: u64,
    /// Most bytes of `SKILL.md`.
    pub skill_md: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { files: 1_000, total: 20 << 20, file: 10 << 20, skill_md: 1 << 20 }
    }
}

impl Limits {
    /// Checks one file before its bytes are read, given the files and bytes taken so far.
    ///
    /// # Errors
    /// Which limit would be passed, and by what.
    pub fn admit(&self, taken_files: usize, taken_bytes: u64, path: &str, size: u64) -> Result<()> {
        let too_much = |what: String| Err(Error::integrity(format!("the package is too large: {what}")));
        if taken_files >= self.files {
            return too_much(format!("more than {} files", self.files));
        }
        if size > self.file {
            return too_much(format!("`{}` has {size} bytes; the limit is {}", path.escape_debug(), self.file));
        }
        if path == "SKILL.md" && size > self.skill_md {
            return too_much(format!("`SKILL.md` has {size} bytes; the limit is {}", self.skill_md));
        }
        if taken_bytes.saturating_add(size) > self.total {
            return too_much(format!("more than {} bytes in all", self.total));
        }
        Ok(())
    }
}

/// One file of a [`Tree`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct File {
    /// Its content, byte for byte.
    pub bytes: Vec<u8>,
    /// Whether it may be run.
    pub executable: bool,
}

/// A package's files: regular files only, bounded, sorted by path, no two of which would meet on a file system that
/// folds case.
///
/// A clone shares the files, and their checksum, which is worked out once.
#[derive(Clone, Default)]
pub struct Tree(Arc<Shared>);

/// What the clones of a tree have in common.
#[derive(Clone, Default)]
struct Shared {
    files: BTreeMap<RelPath, File>,
    checksum: OnceLock<Checksum>,
}

impl Tree {
    fn new(files: BTreeMap<RelPath, File>) -> Self {
        Tree(Arc::new(Shared { files, checksum: OnceLock::new() }))
    }

    /// Starts a tree within the default [`Limits`].
    #[must_use]
    pub fn builder() -> TreeBuilder {
        TreeBuilder::default()
    }

    /// Starts a tree that is no package, within other limits.
    #[must_use]
    pub fn builder_within(limits: Limits) -> TreeBuilder {
        TreeBuilder { limits, ..TreeBuilder::default() }
    }

    /// Its files, sorted by the bytes of the path.
    #[must_use]
    pub fn files(&self) -> impl ExactSizeIterator<Item = (&RelPath, &File)> {
        self.0.files.iter()
    }

    /// Its files by value, sorted by the bytes of the path.
    #[must_use]
    pub fn into_files(self) -> impl ExactSizeIterator<Item = (RelPath, File)> {
        Arc::unwrap_or_clone(self.0).files.into_iter()
    }

    /// One file; `None` if there is none at that path.
    #[must_use]
    pub fn file(&self, path: &str) -> Option<&File> {
        self.0.files.get(path)
    }

    /// One file's content; `None` if there is no such file.
    #[must_use]
    pub fn get(&self, path: &str) -> Option<&[u8]> {
        self.file(path).map(|file| file.bytes.as_slice())
    }

    /// What [`Checksum::of`] has found, or is about to.
    pub(super) fn checksum(&self) -> &OnceLock<Checksum> {
        &self.0.checksum
    }

    /// How `found` differs from this tree, as paths.
    #[must_use]
    pub fn drift(&self, found: &Tree) -> Drift {
        let (files, others) = (&self.0.files, &found.0.files);
        let mut drift = Drift::default();
        for (path, file) in files {
            match others.get(path) {
                None => drift.missing.push(path.clone()),
                Some(other) if other != file => drift.changed.push(path.clone()),
                Some(_) => {}
            }
        }
        drift.added = others.keys().filter(|path| !files.contains_key(*path)).cloned().collect();
        drift
    }

    /// How many files it has.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.files.len()
    }

    /// Whether it has no file at all.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.files.is_empty()
    }

    /// The same tree with the content of one of its files replaced; `None` if it has no such file.
    #[must_use]
    pub fn with_file(self, path: &str, bytes: Vec<u8>) -> Option<Tree> {
        let mut files = Arc::unwrap_or_clone(self.0).files;
        files.get_mut(path)?.bytes = bytes;
        Some(Tree::new(files))
    }
}

impl PartialEq for Tree {
    fn eq(&self, other: &Tree) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.0.files == other.0.files
    }
}

impl Eq for Tree {}

impl fmt::Debug for Tree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Tree").field(&self.0.files).finish()
    }
}

/// How one tree differs from another, as paths.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Drift {
    /// Files with other bytes or another executable bit.
    pub changed: Vec<RelPath>,
    /// Files that only the second has.
    pub added: Vec<RelPath>,
    /// Files that only the first has.
    pub missing: Vec<RelPath>,
}

/// Collects a [`Tree`] file by file and refuses what no tree may hold.
#[derive(Default)]
pub struct TreeBuilder {
    files: BTreeMap<RelPath, File>,
    folded: BTreeMap<String, RelPath>,
    bytes: u64,
    limits: Limits,
}

impl TreeBuilder {
    /// Checks that a file of `size` bytes may be added; call it before reading the bytes.
    ///
    /// # Errors
    /// If the path is not allowed or a limit would be passed.
    pub fn admit(&self, path: &str, size: u64) -> Result<RelPath> {
        let path: RelPath = path.parse()?;
        self.limits.admit(self.files.len(), self.bytes, path.as_str(), size)?;
        Ok(path)
    }

    /// Adds a file.
    ///
    /// # Errors
    /// If the path is not allowed, is there already (also in another case), is a directory of another file, or if a
    /// limit is passed.
    pub fn add(&mut self, path: &str, bytes: Vec<u8>, executable: bool) -> Result<()> {
        if path.split('/').any(|part| NOT_PART.contains(&part)) {
            return Ok(());
        }
        let path = self.admit(path, bytes.len() as u64)?;
        self.claim_all(&path, true)?;
        self.bytes += bytes.len() as u64;
        self.files.insert(path, File { bytes, executable });
        Ok(())
    }

    /// Takes the name of a directory. An empty one is not part of the finished tree, but no file may bear its name.
    ///
    /// # Errors
    /// If the path is not allowed, or is a file's (also in another case).
    pub fn add_directory(&mut self, path: &str) -> Result<()> {
        self.claim_all(&path.parse()?, false)
    }

    /// Takes the name of a file or directory and those of all directories above it. A directory may be claimed again
    /// under the very same name, a file never.
    fn claim_all(&mut self, path: &RelPath, is_file: bool) -> Result<()> {
        for name in path.with_ancestors() {
            let is_directory = !is_file || name != *path;
            match self.folded.entry(name.folded()) {
                Entry::Vacant(free) => {
                    free.insert(name);
                }
                Entry::Occupied(taken) if *taken.get() != name => {
                    let other = taken.get();
                    return Err(Error::integrity(format!(
                        "`{other}` and `{name}` would be one file where case does not count"
                    )));
                }
                Entry::Occupied(_) if is_directory && !self.files.contains_key(&name) => {}
                Entry::Occupied(_) => return Err(Error::integrity(format!("`{name}` is in the package twice"))),
            }
        }
        Ok(())
    }

    /// The finished tree.
    #[must_use]
    pub fn finish(self) -> Tree {
        Tree::new(self.files)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn build(paths: &[&str]) -> Result<Tree> {
        let mut tree = Tree::builder();
        for path in paths {
            tree.add(path, b"x".to_vec(), false)?;
        }
        Ok(tree.finish())
    }

    #[test]
    fn files_come_out_sorted_by_bytes() {
        let tree = build(&["b", "a/z", "B2", "a-b"]).unwrap();
        let paths: Vec<_> = tree.files().map(|(path, _)| path.as_str()).collect();
        assert_eq!(paths, ["B2", "a-b", "a/z", "b"]);
    }

    #[test]
    fn two_names_that_would_meet_are_refused() {
        for clash in [&["a", "a"][..], &["A", "a"], &["dir/x", "Dir/y"], &["a", "a/b"], &["a/b", "a"]] {
            assert!(build(clash).is_err(), "{clash:?}");
        }
        assert!(build(&["dir/x", "dir/y"]).is_ok());
    }

    #[test]
    fn what_the_desktop_leaves_is_no_part_of_it() {
        assert_eq!(build(&["a", ".DS_Store", "dir/Thumbs.db", ".svn/entries"]).unwrap(), build(&["a"]).unwrap());
    }

    #[test]
    fn drift_names_every_kind_of_difference() {
        let drift = build(&["gone", "same", "other"])
            .unwrap()
            .drift(&build(&["new", "same", "other"]).unwrap().with_file("other", b"y".to_vec()).unwrap());
        let paths = |list: &[RelPath]| list.iter().map(ToString::to_string).collect::<Vec<_>>();
        assert_eq!((paths(&drift.missing), paths(&drift.changed)), (vec!["gone".into()], vec!["other".into()]));
        assert_eq!(paths(&drift.added), ["new"]);
    }

    #[test]
    fn an_empty_directory_leaves_no_trace_but_keeps_its_name() {
        let mut tree = Tree::builder();
        tree.add_directory("a/b").unwrap();
        tree.add_directory("a/b").unwrap();
        assert!(tree.add("A/x", Vec::new(), false).is_err());
        assert!(tree.add("a/b", Vec::new(), false).is_err());
        assert!(tree.add_directory("../x").is_err());
        tree.add("a/c", Vec::new(), false).unwrap();
        assert!(tree.add_directory("a/c").is_err());
        assert_eq!(tree.finish().len(), 1);
    }

    #[test]
    fn a_changed_file_changes_the_checksum_that_was_known() {
        let tree = build(&["a", "b"]).unwrap();
        let before = Checksum::of(&tree);
        let changed = tree.clone().with_file("a", b"y".to_vec()).unwrap();
        assert_ne!(Checksum::of(&changed), before);
        assert_ne!(changed, tree);
        assert_eq!(Checksum::of(&changed.with_file("a", b"x".to_vec()).unwrap()), before);
    }

    #[test]
    fn limits_are_counted_before_bytes_are_kept() {
        let limits = Limits { files: 1, total: 10, file: 8, skill_md: 4 };
        assert!(limits.admit(0, 0, "a", 8).is_ok());
        assert!(limits.admit(1, 0, "a", 1).is_err());
        assert!(limits.admit(0, 0, "a", 9).is_err());
        assert!(limits.admit(0, 5, "a", 6).is_err());
        assert!(limits.admit(0, 0, "SKILL.md", 5).is_err());
    }
}
