//! The files of a package as one value.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fmt;
use std::ops::Bound::{Included, Unbounded};
use std::sync::{Arc, OnceLock};

use super::links::{follow_links, link_refused};
use super::{Checksum, RelPath, Sha256Digest, TreeHasher};
use crate::error::{Error, Result};

/// Names that are never part of a package, whatever its source: metadata of version control and of desktops. They are
/// ignored, so that opening an installed skill in a file manager is not an edit.
pub const EXCLUDED_NAMES: [&str; 5] = [".hg", ".svn", ".jj", ".DS_Store", "Thumbs.db"];

/// The limits on the size of a package, whatever its source.
///
/// The defaults are well above the size of nearly all published skills. They bound what is read at all; the setting
/// `net.max-files` is the limit on the files of a skill that is fetched.
#[derive(Debug, Clone, Copy)]
pub struct TreeLimits {
    /// Maximum number of files.
    pub files: usize,
    /// Maximum number of bytes of all files together.
    pub total: u64,
    /// Maximum number of bytes of one file.
    pub file: u64,
    /// Maximum number of bytes of `SKILL.md`.
    pub skill_md: u64,
}

impl Default for TreeLimits {
    fn default() -> Self {
        TreeLimits {
            files: 10_000,
            total: 20 << 20,
            file: 10 << 20,
            skill_md: 1 << 20,
        }
    }
}

impl TreeLimits {
    /// Checks one file before its bytes are read, given the files and bytes taken so far.
    ///
    /// # Errors
    /// If a limit would be exceeded.
    pub fn check_file(
        &self,
        taken_files: usize,
        taken_bytes: u64,
        path: &str,
        size: u64,
    ) -> Result<()> {
        let too_much = |what: String| {
            Err(Error::integrity(format!(
                "the package is too large: {what}"
            )))
        };

        // Before a byte is read: an archive can claim millions of files, or one that unpacks to
        // gigabytes.
        if taken_files >= self.files {
            return too_much(format!("more than {} files", self.files));
        }
        if size > self.file {
            return too_much(format!(
                "`{}` has {size} bytes; the limit is {}",
                path.escape_debug(),
                self.file
            ));
        }
        // Stricter, since the whole of it is parsed, and agents put it into a context.
        if path == "SKILL.md" && size > self.skill_md {
            return too_much(format!(
                "`SKILL.md` has {size} bytes; the limit is {}",
                self.skill_md
            ));
        }
        // Saturating, since an archive's header may give any size.
        if taken_bytes.saturating_add(size) > self.total {
            return too_much(format!("more than {} bytes in all", self.total));
        }

        Ok(())
    }
}

/// One file of a [`Tree`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreeFile {
    /// Its content, byte for byte.
    pub bytes: Vec<u8>,
    /// Whether it is executable.
    pub executable: bool,
}

/// The files of a package: regular files only, within [`TreeLimits`], sorted by path, no two of which are the same file
/// on a file system that folds case.
///
/// A clone shares the files and their checksum, which is computed once.
#[derive(Clone, Default)]
pub struct Tree(Arc<TreeData>);

/// The data that the clones of a tree share.
#[derive(Clone, Default)]
struct TreeData {
    files: BTreeMap<RelPath, TreeFile>,
    // Beside the files and not in `Tree`, so that all clones have it once one has computed it.
    checksum: OnceLock<Checksum>,
}

impl Tree {
    fn new(files: BTreeMap<RelPath, TreeFile>) -> Self {
        Tree(Arc::new(TreeData {
            files,
            checksum: OnceLock::new(),
        }))
    }

    /// Starts a tree within the default [`TreeLimits`].
    #[must_use]
    pub fn builder() -> TreeBuilder {
        TreeBuilder::default()
    }

    /// Starts a tree that is not a package, within other limits.
    #[must_use]
    pub fn builder_within(limits: TreeLimits) -> TreeBuilder {
        TreeBuilder {
            limits,
            ..TreeBuilder::default()
        }
    }

    /// Its files, sorted by the bytes of the path.
    #[must_use]
    pub fn files(&self) -> impl ExactSizeIterator<Item = (&RelPath, &TreeFile)> {
        self.0.files.iter()
    }

    /// Its files by value, sorted by the bytes of the path.
    #[must_use]
    pub fn into_files(self) -> impl ExactSizeIterator<Item = (RelPath, TreeFile)> {
        Arc::unwrap_or_clone(self.0).files.into_iter()
    }

    /// One file; `None` if there is none at that path.
    #[must_use]
    pub fn file(&self, path: &str) -> Option<&TreeFile> {
        self.0.files.get(path)
    }

    /// One file's content; `None` if there is no such file.
    #[must_use]
    pub fn get(&self, path: &str) -> Option<&[u8]> {
        self.file(path).map(|file| file.bytes.as_slice())
    }

    fn hash_files(&self) -> Checksum {
        let mut hasher = TreeHasher::default();
        for (path, file) in self.files() {
            hasher.add(
                file.executable,
                &Sha256Digest::hash_bytes(&file.bytes),
                path.as_str(),
            );
        }

        hasher.finish()
    }

    /// The paths in which `found` differs from this tree.
    #[must_use]
    pub fn diff(&self, found: &Tree) -> TreeDiff {
        let (files, others) = (&self.0.files, &found.0.files);
        let mut diff = TreeDiff::default();

        for (path, file) in files {
            match others.get(path) {
                None => diff.missing.push(path.clone()),
                // The executable bit counts as well, as it does in the checksum.
                Some(other) if other != file => diff.changed.push(path.clone()),
                Some(_) => {}
            }
        }

        diff.added = others
            .keys()
            .filter(|path| !files.contains_key(*path))
            .cloned()
            .collect();

        diff
    }

    /// How many files it has.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.files.len()
    }

    /// Whether it has no files.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.files.is_empty()
    }

    /// The same tree with the content of one of its files replaced; `None` if it has no such file.
    #[must_use]
    pub fn with_file(self, path: &str, bytes: Vec<u8>) -> Option<Tree> {
        // A new tree, since the cached checksum is that of the old content.
        let mut files = Arc::unwrap_or_clone(self.0).files;
        files.get_mut(path)?.bytes = bytes;
        Some(Tree::new(files))
    }

    /// The same tree with a file of another package, added or replaced.
    #[must_use]
    pub fn with_entry(self, path: RelPath, file: TreeFile) -> Tree {
        let mut files = Arc::unwrap_or_clone(self.0).files;
        files.insert(path, file);
        Tree::new(files)
    }

    /// The files for which `keeps` is true.
    #[must_use]
    pub fn retain(&self, keeps: impl Fn(&str) -> bool) -> Tree {
        let kept = self.files().filter(|(path, _)| keeps(path.as_str()));
        Tree::new(
            kept.map(|(path, file)| (path.clone(), file.clone()))
                .collect(),
        )
    }

    /// Whether a file is below a path.
    #[must_use]
    pub fn has_directory(&self, path: &str) -> bool {
        let below = format!("{path}/");
        let mut from = self
            .0
            .files
            .range::<str, _>((Included(below.as_str()), Unbounded));
        from.next()
            .is_some_and(|(first, _)| first.as_str().starts_with(&below))
    }
}

impl Checksum {
    /// Computes the checksum of a tree; the bytes are hashed the first time only.
    #[must_use]
    pub fn from_tree(tree: &Tree) -> Self {
        *tree.0.checksum.get_or_init(|| tree.hash_files())
    }
}

impl PartialEq for Tree {
    fn eq(&self, other: &Tree) -> bool {
        // Clones are equal without comparing megabytes; the cached checksum is no part of the
        // value.
        Arc::ptr_eq(&self.0, &other.0) || self.0.files == other.0.files
    }
}

impl Eq for Tree {}

impl fmt::Debug for Tree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Without the checksum, which is there or not by chance.
        f.debug_tuple("Tree").field(&self.0.files).finish()
    }
}

/// How one tree differs from another, as paths.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TreeDiff {
    /// Files with other bytes or another executable bit.
    pub changed: Vec<RelPath>,
    /// Files that only the second has.
    pub added: Vec<RelPath>,
    /// Files that only the first has.
    pub missing: Vec<RelPath>,
}

/// Collects a [`Tree`] file by file and refuses invalid or conflicting paths.
#[derive(Default)]
pub struct TreeBuilder {
    files: BTreeMap<RelPath, TreeFile>,
    // Every name in use, also those of directories, by its case-folded form.
    folded: BTreeMap<String, RelPath>,
    bytes: u64,
    limits: TreeLimits,
}

impl TreeBuilder {
    /// Checks that a file of `size` bytes may be added; call it before reading the bytes.
    ///
    /// # Errors
    /// If the path is invalid or a limit would be exceeded.
    pub fn check_file(&self, path: &str, size: u64) -> Result<RelPath> {
        let path: RelPath = path.parse()?;
        self.limits
            .check_file(self.files.len(), self.bytes, path.as_str(), size)?;
        Ok(path)
    }

    /// Adds a file.
    ///
    /// # Errors
    /// If the path is invalid, exists already (also in another case), or is a directory of another file, or if a limit is
    /// exceeded.
    pub fn add(&mut self, path: &str, bytes: Vec<u8>, executable: bool) -> Result<()> {
        if path.split('/').any(|part| EXCLUDED_NAMES.contains(&part)) {
            return Ok(());
        }

        // Again after reading: the size that was announced before may have been another.
        let path = self.check_file(path, bytes.len() as u64)?;
        self.reserve_names(&path, true)?;
        self.bytes += bytes.len() as u64;
        self.files.insert(path, TreeFile { bytes, executable });
        Ok(())
    }

    /// Adds symbolic links as copies of the files that they lead to, of which all must have been added. `links` has the target
    /// of each, as it is written in it.
    ///
    /// # Errors
    /// As for [`Self::add`], and if a link leads out of the package, to nothing or in a circle.
    pub fn add_links(&mut self, links: &BTreeMap<String, String>) -> Result<()> {
        // Each is at least one more file. Before they are followed: an author can write any number.
        if let Some(last) = links.keys().nth(self.limits.files) {
            self.limits.check_file(self.limits.files, 0, last, 0)?;
        }
        let mut pending = follow_links(links)?;
        while !pending.is_empty() {
            // A directory is copied when all links in it are.
            let is_ready = |target: &str| {
                let below = format!("{target}/");
                // Sorted, so that the first behind the name is in the directory if any is.
                let next = pending.range(below.as_str()..).next();
                !target.is_empty() && next.is_none_or(|(link, _)| !link.starts_with(&below))
            };
            let next = pending.iter().find(|(_, target)| is_ready(target));
            let Some((link, target)) = next.map(|(link, target)| (*link, target.clone())) else {
                let link = pending.keys().next().copied().unwrap_or_default();
                return Err(link_refused(link, "leads to a directory that contains it"));
            };
            self.add_link(link, &target)?;
            pending.remove(link);
        }
        Ok(())
    }

    fn add_link(&mut self, link: &str, target: &str) -> Result<()> {
        let copies = self.files.iter().filter_map(|(path, file)| {
            let rest = path.as_str().strip_prefix(target)?;
            (rest.is_empty() || rest.starts_with('/'))
                .then(|| (format!("{link}{rest}"), file.clone()))
        });
        let copies: Vec<(String, TreeFile)> = copies.collect();
        if copies.is_empty() {
            let target = target.escape_debug();
            return Err(link_refused(
                link,
                &format!("leads to `{target}`, which is not in it"),
            ));
        }
        for (path, file) in copies {
            self.add(&path, file.bytes, file.executable)?;
        }
        Ok(())
    }

    /// Reserves the name of a directory. An empty one is not part of the finished tree, but no file may have its name.
    ///
    /// # Errors
    /// If the path is invalid, or is that of a file (also in another case).
    pub fn add_directory(&mut self, path: &str) -> Result<()> {
        self.reserve_names(&path.parse()?, false)
    }

    /// Reserves the name of a file or directory and those of all directories above it. A directory may be reserved again
    /// under exactly the same name, a file never.
    fn reserve_names(&mut self, path: &RelPath, is_file: bool) -> Result<()> {
        for name in path.with_ancestors() {
            // Compared case-folded, since two paths must not be the same file on any file system.
            let is_directory = !is_file || name != *path;
            match self.folded.entry(name.folded()) {
                Entry::Vacant(free) => {
                    free.insert(name);
                }
                Entry::Occupied(taken) if *taken.get() != name => {
                    let other = taken.get();
                    return Err(Error::integrity(format!(
                        "conflicting paths in package: `{other}` and `{name}` are the same file on a case-insensitive file system"
                    )));
                }
                // A directory has many files, and may be listed by itself.
                Entry::Occupied(_) if is_directory && !self.files.contains_key(&name) => {}
                Entry::Occupied(_) => {
                    return Err(Error::integrity(format!(
                        "duplicate path in package: `{name}`"
                    )));
                }
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
    fn paths_that_would_be_one_file_are_refused() {
        for paths in [
            &["a", "a"][..],
            &["A", "a"],
            &["dir/x", "Dir/y"],
            &["a", "a/b"],
            &["a/b", "a"],
        ] {
            assert!(build(paths).is_err(), "{paths:?}");
        }
        assert!(build(&["dir/x", "dir/y"]).is_ok());
    }

    #[test]
    fn desktop_and_vcs_metadata_is_ignored() {
        assert_eq!(
            build(&["a", ".DS_Store", "dir/Thumbs.db", ".svn/entries"]).unwrap(),
            build(&["a"]).unwrap()
        );
    }

    #[test]
    fn diff_lists_every_kind_of_difference() {
        let diff = build(&["gone", "same", "other"]).unwrap().diff(
            &build(&["new", "same", "other"])
                .unwrap()
                .with_file("other", b"y".to_vec())
                .unwrap(),
        );
        let paths = |list: &[RelPath]| list.iter().map(ToString::to_string).collect::<Vec<_>>();
        assert_eq!(
            (paths(&diff.missing), paths(&diff.changed)),
            (vec!["gone".into()], vec!["other".into()])
        );
        assert_eq!(paths(&diff.added), ["new"]);
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
        let before = Checksum::from_tree(&tree);
        let changed = tree.clone().with_file("a", b"y".to_vec()).unwrap();
        assert_ne!(Checksum::from_tree(&changed), before);
        assert_ne!(changed, tree);
        assert_eq!(
            Checksum::from_tree(&changed.with_file("a", b"x".to_vec()).unwrap()),
            before
        );
    }

    #[test]
    fn limits_are_checked_before_bytes_are_read() {
        let limits = TreeLimits {
            files: 1,
            total: 10,
            file: 8,
            skill_md: 4,
        };
        assert!(limits.check_file(0, 0, "a", 8).is_ok());
        assert!(limits.check_file(1, 0, "a", 1).is_err());
        assert!(limits.check_file(0, 0, "a", 9).is_err());
        assert!(limits.check_file(0, 5, "a", 6).is_err());
        assert!(limits.check_file(0, 0, "SKILL.md", 5).is_err());
    }
}
