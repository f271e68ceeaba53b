//! Package trees on the disk.
//!
//! Everything below a directory is opened from that directory's handle, one name at a time and without
//! following links, so that a link that replaces a directory meanwhile cannot redirect a read or a write.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::{DiskOperation, TreeStamp, failpoint};
use crate::platform::{
    self, DirectoryListing, EXECUTABLE_RECORD, ExecutableFiles, FileKind, IS_PORTABLE, NewFileMode,
    OpenDirectory,
};
use skillpm_core::error::{Error, ErrorContext, FailureKind, Result};
use skillpm_core::package::{Checksum, EXCLUDED_NAMES, RelPath, Tree, TreeBuilder};

/// Names in a directory that are not part of its package, besides [`EXCLUDED_NAMES`].
const SKIPPED: [&str; 2] = [".git", ".skillpm"];

/// An entry of a directory that may be part of a package.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryKind {
    /// A directory.
    Directory,
    /// A regular file.
    File,
    /// What no package can contain: a link, a device, or a name that other systems cannot write.
    Odd,
    /// A file or directory that could not be read.
    Unreadable,
}

/// The permission bits that files keep where a person has restricted them, by path.
pub type FileModes = BTreeMap<String, u32>;

/// The parts of a directory that are a package, and what else is there.
#[derive(Debug, Default)]
pub struct PartialTree {
    /// The included files.
    pub tree: Tree,
    /// The entries that are not included, sorted; nothing below an excluded directory.
    pub left_out: Vec<String>,
    /// The included files that not everyone may read.
    pub modes: FileModes,
}

/// Reads a directory as a package.
///
/// # Errors
/// If it does not exist, contains anything but regular files and directories, or violates a path rule or limit.
pub fn read_tree(dir: &Path) -> Result<Tree> {
    read_tree_filtered(dir, &|_, _| true).map(|found| found.tree)
}

/// As [`read_tree_filtered`]; links that stay in the directory are copies of what they lead to.
///
/// # Errors
/// As for [`read_tree`], except for such links.
pub fn read_tree_with_links(
    dir: &Path,
    includes: &dyn Fn(&str, EntryKind) -> bool,
) -> Result<PartialTree> {
    read_directory_as_tree(dir, includes, Some(BTreeMap::new()))
}

/// Reads the parts of a directory for which `includes` is true as a package. `includes` gets the relative path
/// of an entry, with `/`. Other entries are neither opened nor checked.
///
/// # Errors
/// As for [`read_tree`].
pub fn read_tree_filtered(
    dir: &Path,
    includes: &dyn Fn(&str, EntryKind) -> bool,
) -> Result<PartialTree> {
    read_directory_as_tree(dir, includes, None)
}

/// Reads a directory; without `links`, a link is an error.
fn read_directory_as_tree(
    dir: &Path,
    includes: &dyn Fn(&str, EntryKind) -> bool,
    links: Option<BTreeMap<String, String>>,
) -> Result<PartialTree> {
    // The directory itself may be a link: the user has named it.
    let failed = || unreadable_directory(dir);
    let open = OpenDirectory::open(dir).context(failed)?;

    // The builder counts files and bytes, so that a huge directory fails early.
    let mut reading = TreeReader {
        root: dir,
        includes,
        executable: ExecutableFiles::read(dir).context(failed)?,
        tree: Tree::builder(),
        links,
        left_out: Vec::new(),
        modes: FileModes::new(),
    };

    reading.read_directory(open, "", 0)?;
    if let Some(links) = reading.links {
        reading.tree.add_links(&links)?;
    }
    reading.left_out.sort_unstable();
    Ok(PartialTree {
        tree: reading.tree.finish(),
        left_out: reading.left_out,
        modes: reading.modes,
    })
}

/// A directory that is being read as a package. Paths are relative to it, the empty one for itself.
struct TreeReader<'a> {
    root: &'a Path,
    includes: &'a dyn Fn(&str, EntryKind) -> bool,
    executable: ExecutableFiles,
    tree: TreeBuilder,
    /// The targets of links.
    links: Option<BTreeMap<String, String>>,
    left_out: Vec<String>,
    modes: FileModes,
}

/// An entry of a directory that is being listed.
#[derive(Clone, Copy)]
struct FoundEntry<'a> {
    dir: &'a DirectoryListing,
    name: &'a str,
    kind: FileKind,
}

impl TreeReader<'_> {
    fn read_directory(&mut self, dir: OpenDirectory, path: &str, depth: usize) -> Result<()> {
        let root = self.root;
        let failed = |error| disk_error(error, "read directory", &path_below(root, path));
        let mut entries = dir.list().map_err(failed)?;

        while let Some(entry) = entries.next_entry() {
            let (name, kind) = entry.map_err(failed)?;
            let Some(name) = name.to_str() else {
                return Err(self.not_utf8(path, &name));
            };

            let below = child_path(path, name);
            if is_skipped(name) {
                // The record is of the installed package, and is replaced with it.
                let is_record = IS_PORTABLE && below == EXECUTABLE_RECORD && kind == FileKind::File;
                self.left_out.extend((!is_record).then_some(below));
                continue;
            }
            if !(self.includes)(&below, entry_kind(&below, kind)) {
                self.left_out.push(below);
                continue;
            }

            // Entries are opened from their directory's handle, never by path.
            let entry = FoundEntry {
                dir: &entries,
                name,
                kind,
            };
            match self.read_entry(entry, &below, depth) {
                Err(error)
                    if error.kind() == FailureKind::Disk
                        && !(self.includes)(&below, EntryKind::Unreadable) =>
                {
                    self.left_out.push(below);
                }
                read => read?,
            }
        }
        Ok(())
    }

    fn read_entry(&mut self, entry: FoundEntry<'_>, path: &str, depth: usize) -> Result<()> {
        let FoundEntry { dir, name, kind } = entry;
        match kind {
            // Bounds the recursion.
            FileKind::Directory if depth == RelPath::DEPTH_MAX => Err(self.too_deep(path)),
            FileKind::Directory => {
                let open = dir
                    .open_dir(name.as_ref())
                    .map_err(|error| self.failed("read directory", path, error))?;
                self.read_directory(open, path, depth + 1)
            }
            FileKind::File => {
                let open = dir
                    .open_file(name.as_ref())
                    .map_err(|error| self.failed("read", path, error))?;
                self.read_file(&open, path)
            }
            FileKind::Link if let Some(links) = &mut self.links => {
                let target = super::read_link(&path_below(self.root, path))?;
                // No path that is not UTF-8 is in a package.
                links.insert(path.to_owned(), target.to_string_lossy().into_owned());
                Ok(())
            }
            other => Err(self.not_a_file(path, other)),
        }
    }

    fn read_file(&mut self, file: &File, path: &str) -> Result<()> {
        let meta = file
            .metadata()
            .map_err(|error| self.failed("stat", path, error))?;
        let stat = platform::file_stat(&meta);
        // Another file may have taken the name since the directory was listed.
        if stat.kind != FileKind::File {
            return Err(self.not_a_file(path, stat.kind));
        }

        // Before the bytes are read, which could be gigabytes.
        self.tree.check_file(path, stat.size)?;
        let bytes =
            read_bounded(file, stat.size).map_err(|error| self.failed("read", path, error))?;
        let is_script = || bytes.starts_with(b"#!");
        let executable = self.executable.contains(path, &stat, is_script);

        let mode = platform::file_ownership(&meta).mode;
        if !IS_PORTABLE && mode & READABLE != READABLE {
            self.modes.insert(path.to_owned(), mode);
        }
        self.tree.add(path, bytes, executable)
    }

    fn failed(&self, what: &str, path: &str, error: io::Error) -> Error {
        disk_error(error, what, &path_below(self.root, path))
    }

    fn not_utf8(&self, dir: &str, name: &OsStr) -> Error {
        let (dir, name) = (path_below(self.root, dir), name.to_string_lossy());
        Error::integrity(format!(
            "invalid file name in `{}`: `{name}` is not UTF-8",
            dir.display()
        ))
    }

    fn too_deep(&self, path: &str) -> Error {
        let most = RelPath::DEPTH_MAX;
        Error::integrity(format!(
            "refusing to read `{}`: it is more than {most} levels deep",
            path_below(self.root, path).display()
        ))
    }

    fn not_a_file(&self, path: &str, kind: FileKind) -> Error {
        let what = if kind == FileKind::Link {
            "a symbolic link"
        } else {
            "neither a file nor a directory"
        };
        Error::integrity(format!(
            "unsupported file: `{}` is {what}",
            path_below(self.root, path).display()
        ))
        .help("a package contains regular files only; replace it with a copy of the file")
    }
}

/// The permissions that everyone has for a file of a package.
const READABLE: u32 = 0o444;

fn entry_kind(path: &str, kind: FileKind) -> EntryKind {
    // A package with such a name could not be written on every system.
    let is_portable = path.parse::<RelPath>().is_ok();
    match kind {
        FileKind::Directory if is_portable => EntryKind::Directory,
        FileKind::File if is_portable => EntryKind::File,
        _ => EntryKind::Odd,
    }
}

fn is_skipped(name: &str) -> bool {
    SKIPPED.contains(&name) || EXCLUDED_NAMES.contains(&name)
}

/// The path of an entry in the directory at `dir`, relative as that is.
fn child_path(dir: &str, name: &str) -> String {
    if dir.is_empty() {
        name.to_owned()
    } else {
        format!("{dir}/{name}")
    }
}

/// Joins a relative path to `root`; the empty path is `root` itself.
fn path_below(root: &Path, path: &str) -> PathBuf {
    if path.is_empty() {
        root.to_owned()
    } else {
        root.join(path)
    }
}

/// The error for an operation (`what`) that failed on a path.
pub(super) fn disk_error(error: io::Error, what: &str, path: &Path) -> Error {
    let failed: Result<()> =
        Err(error).context(|| format!("failed to {what} `{}`", path.display()));
    failed.expect_err("it was built from an error")
}

/// Reads at most one byte more than the expected `size` of a file.
fn read_bounded(file: &File, size: u64) -> io::Result<Vec<u8>> {
    // Room for one byte more than expected, so that a growing file is noticed.
    let size = usize::try_from(size).map_err(|_| io::ErrorKind::FileTooLarge)?;
    let mut bytes = Vec::with_capacity(size + 1);

    while bytes.len() <= size {
        let count = match platform::read_once(file, &mut bytes) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            read => read?,
        };
        // The read had space for one more byte and did not fill it: the file has ended.
        if count == 0 || bytes.len() == size {
            break;
        }
    }
    Ok(bytes)
}

/// The bytes of the regular file at `path` below `dir`; `None` if there is none: nothing, a directory, a link, or
/// something behind a link. Only `dir` itself may be one.
///
/// # Errors
/// If it cannot be read, or has more than `limit` bytes.
pub fn read_file_below(dir: &Path, path: &RelPath, limit: u64) -> Result<Option<Vec<u8>>> {
    let Some(open) = open_below(dir, path)? else {
        return Ok(None);
    };

    let failed = |error| disk_error(error, "read", &path_below(dir, path.as_str()));
    let meta = open.metadata().map_err(failed)?;
    if !meta.is_file() {
        return Ok(None);
    }

    let size = meta.len();
    if size > limit {
        let place = path_below(dir, path.as_str());
        return Err(Error::negative(format!(
            "refusing to read `{}`: it has {size} bytes; the limit is {limit}",
            place.display()
        )));
    }

    read_bounded(&open, size).map(Some).map_err(failed)
}

/// Opens what is at `path` below `dir`, one part after the other and without following links; `None` if it is not there,
/// or behind a link.
fn open_below(dir: &Path, path: &RelPath) -> Result<Option<File>> {
    let is_nothing = |error: &io::Error| super::is_absent(error);
    let root = match OpenDirectory::open(dir) {
        Ok(open) => open,
        Err(error) if is_nothing(&error) => return Ok(None),
        Err(error) => return Err(error).context(|| unreadable_directory(dir)),
    };

    match open_file_in(root, path) {
        Ok(open) => Ok(Some(open)),
        Err(error) if is_nothing(&error) || platform::is_link_refusal(&error) => Ok(None),
        Err(error) => Err(disk_error(error, "read", &path_below(dir, path.as_str()))),
    }
}

fn open_file_in(root: OpenDirectory, path: &RelPath) -> io::Result<File> {
    // One name at a time: a link before the last part of a path would be followed.
    let mut at = root;
    let mut parts = path.parts().peekable();
    while let Some(part) = parts.next() {
        if parts.peek().is_none() {
            return at.open_file(part.as_ref());
        }
        at = at.open_dir(part.as_ref())?;
    }
    Err(io::ErrorKind::NotFound.into())
}

/// The paths of all files below a directory, sorted, down to `depth` levels, without links and names that are
/// not UTF-8.
///
/// # Errors
/// If the directory cannot be read.
pub fn list_files(dir: &Path, depth: usize) -> Result<Vec<String>> {
    list_files_in(dir, depth, &|_| true)
}

/// The same, without the directories for whose path below `dir` `enters` is false.
///
/// # Errors
/// As for [`list_files`].
pub fn list_files_in(
    dir: &Path,
    depth: usize,
    enters: &dyn Fn(&str) -> bool,
) -> Result<Vec<String>> {
    let mut files = Vec::new();
    list_below(dir, "", depth, enters, &mut |path, kind| {
        files.extend(kind.is_file().then_some(path));
    })?;
    // The order of the disk differs between machines.
    files.sort_unstable();
    Ok(files)
}

/// As [`list_files`], and the symbolic links.
///
/// # Errors
/// As for [`list_files`].
pub fn list_files_and_links(dir: &Path, depth: usize) -> Result<(Vec<String>, Vec<String>)> {
    let (mut files, mut links) = (Vec::new(), Vec::new());
    list_below(dir, "", depth, &|_| true, &mut |path, kind| {
        if kind.is_symlink() {
            links.push(path);
        } else if kind.is_file() {
            files.push(path);
        }
    })?;
    files.sort_unstable();
    links.sort_unstable();
    Ok((files, links))
}

fn list_below(
    dir: &Path,
    prefix: &str,
    depth: usize,
    enters: &dyn Fn(&str) -> bool,
    visit: &mut dyn FnMut(String, fs::FileType),
) -> Result<()> {
    for entry in fs::read_dir(dir)
        .context(|| format!("failed to read directory `{}`", dir.display()))?
        .flatten()
    {
        let (Ok(name), Ok(kind)) = (entry.file_name().into_string(), entry.file_type()) else {
            continue;
        };
        // Packages of npm may contain skills, which are not the user's own.
        if is_skipped(&name) || name == "node_modules" {
            continue;
        }

        let path = child_path(prefix, &name);
        if !kind.is_dir() {
            visit(path, kind);
        } else if depth > 0 && enters(&path) {
            list_below(&entry.path(), &path, depth - 1, enters, visit)?;
        }
    }
    Ok(())
}

fn unreadable_directory(path: &Path) -> String {
    format!("failed to read directory `{}`", path.display())
}

/// Every path below a directory except git's own, unsorted: the regular files, then all other entries that are
/// not directories.
///
/// # Errors
/// If a directory cannot be read, or contains a name that is not UTF-8.
pub fn walk_files(dir: &Path) -> Result<(Vec<String>, Vec<String>)> {
    let (mut files, mut others, mut todo) = (Vec::new(), Vec::new(), vec![String::new()]);
    while let Some(path) = todo.pop() {
        let failed = || unreadable_directory(&path_below(dir, &path));
        for entry in fs::read_dir(path_below(dir, &path)).context(failed)? {
            let entry = entry.context(failed)?;
            let kind = entry.file_type().context(failed)?;
            let name = entry.file_name().into_string().map_err(|name| {
                let name = name.to_string_lossy().into_owned();
                Error::integrity(format!(
                    "invalid file name in `{}`: `{name}` is not UTF-8",
                    path_below(dir, &path).display()
                ))
            })?;

            let below = child_path(&path, &name);
            match () {
                // git's own, at the root only; one further down is listed like anything else.
                () if below == ".git" => {}
                () if kind.is_dir() => todo.push(below),
                () if kind.is_file() => files.push(below),
                () => others.push(below),
            }
        }
    }
    Ok((files, others))
}

/// Writes a tree into a new directory, and returns its stamp. Modes are 0644 or 0755 less the umask; times are
/// the current time.
///
/// # Errors
/// If the directory exists, or the disk refuses.
pub fn write_tree(dir: &Path, tree: &Tree) -> Result<TreeStamp> {
    write_tree_with_modes(dir, tree, &FileModes::new())
}

/// The same; files in `modes` get no other permissions than those.
///
/// # Errors
/// As [`write_tree`].
pub fn write_tree_with_modes(dir: &Path, tree: &Tree, modes: &FileModes) -> Result<TreeStamp> {
    let made = failpoint(DiskOperation::Make, dir).and_then(|()| fs::create_dir(dir));
    made.context(|| format!("failed to create directory `{}`", dir.display()))?;
    platform::give_to_owner_above(dir);

    // Without following links: the files go into the directory that was just created.
    let root =
        OpenDirectory::open_no_follow(dir).map_err(|error| disk_error(error, "write", dir))?;
    write_files(root, dir, tree, modes)
}

/// As [`write_tree_with_modes`], for a directory `name` in an open one; `dir` is its full path.
pub(super) fn write_tree_in(
    within: &OpenDirectory,
    name: &OsStr,
    dir: &Path,
    tree: &Tree,
    modes: &FileModes,
) -> Result<TreeStamp> {
    let made = failpoint(DiskOperation::Make, dir).and_then(|()| within.create_dir(name));
    let failed = || format!("failed to create directory `{}`", dir.display());
    super::handle::describe_failure(made, dir, failed)?;

    let root = within
        .open_dir(name)
        .map_err(|error| disk_error(error, "write", dir))?;
    write_files(root, dir, tree, modes)
}

/// Writes the files of a tree into its new directory `root`, whose path is `dir`.
fn write_files(
    root: OpenDirectory,
    dir: &Path,
    tree: &Tree,
    modes: &FileModes,
) -> Result<TreeStamp> {
    // Each directory is opened once, and its files are created through that handle.
    let mut writing = TreeWriter {
        open: vec![(String::new(), root)],
        stamp: TreeStamp::default(),
    };

    for (path, file) in tree.files() {
        let parent = path
            .as_str()
            .rsplit_once('/')
            .map_or("", |(parent, _)| parent);
        let written = writing.enter(parent).and_then(|()| {
            let mode = NewFileMode::Packaged {
                executable: file.executable,
                most: modes.get(path.as_str()).copied().unwrap_or(0o777),
            };
            writing.write_file(path.as_str(), &file.bytes, mode)
        });
        written.context(|| format!("failed to write `{}`", dir.join(path.as_str()).display()))?;
    }

    writing
        .finish(tree)
        .context(|| format!("failed to write `{}`", dir.display()))
}

/// A tree that is being written. Its files come sorted by path, so that a directory is complete once left.
struct TreeWriter {
    /// The open directories, from the root to the one entered last.
    open: Vec<(String, OpenDirectory)>,
    stamp: TreeStamp,
}

impl TreeWriter {
    /// Enters a directory, which is created if it is new.
    fn enter(&mut self, path: &str) -> io::Result<()> {
        while let Some((open, _)) = self.open.last()
            && !is_within(path, open)
        {
            self.leave()?;
        }

        while let Some((open, dir)) = self.open.last()
            && open != path
        {
            // The next part of the path below the innermost open directory.
            let begin = if open.is_empty() { 0 } else { open.len() + 1 };
            let end = path[begin..].find('/').map_or(path.len(), |at| begin + at);
            failpoint(DiskOperation::Make, Path::new(&path[..end]))?;
            // Fails if the path exists: only new directories are written to.
            let name = path[begin..end].as_ref();
            dir.create_dir(name)?;
            let new = dir.open_dir(name)?;
            self.open.push((path[..end].to_owned(), new));
        }
        Ok(())
    }

    /// Records the stamp of the last directory, which is complete now.
    fn leave(&mut self) -> io::Result<()> {
        if let Some((path, dir)) = self.open.pop() {
            self.stamp.record(&path, &dir.metadata()?);
        }
        Ok(())
    }

    /// Writes a file into the directory that was entered last.
    fn write_file(&mut self, path: &str, bytes: &[u8], mode: NewFileMode) -> io::Result<()> {
        let (_, dir) = self
            .open
            .last()
            .expect("the outermost directory is left at the end only");
        let name = path.rsplit_once('/').map_or(path, |(_, name)| name);

        failpoint(DiskOperation::Make, Path::new(path))?;
        let mut file = dir.create_file(name.as_ref(), mode)?;
        failpoint(DiskOperation::Write, Path::new(path))?;
        file.write_all(bytes)?;
        self.stamp.record(path, &file.metadata()?);
        Ok(())
    }

    fn finish(mut self, tree: &Tree) -> io::Result<TreeStamp> {
        while self.open.len() > 1 {
            self.leave()?;
        }
        if let Some(record) = ExecutableFiles::render_record(tree) {
            self.write_file(EXECUTABLE_RECORD, record.as_bytes(), NewFileMode::Default)?;
        }
        self.leave()?;
        self.stamp.sort();
        Ok(self.stamp)
    }
}

/// Whether `path` is the directory `dir` or one below it.
fn is_within(path: &str, dir: &str) -> bool {
    dir.is_empty()
        || path
            .strip_prefix(dir)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// The checksum of a directory read as a package; `None` if there is no such directory.
///
/// # Errors
/// As [`read_tree`].
pub fn tree_checksum(dir: &Path) -> Result<Option<Checksum>> {
    match super::lstat(dir)? {
        Some(meta) if meta.is_dir() => read_tree(dir).map(|tree| Some(Checksum::from_tree(&tree))),
        _ => Ok(None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Tree {
        let mut tree = Tree::builder();
        tree.add("SKILL.md", b"x".to_vec(), false).unwrap();
        for script in [
            "scripts-old/run.sh",
            "scripts/a/b/run.sh",
            "scripts/run.sh",
            "scripts/z/run.sh",
        ] {
            tree.add(script, b"#!/bin/sh\n".to_vec(), true).unwrap();
        }
        tree.add("scripts/empty", Vec::new(), false).unwrap();
        tree.finish()
    }

    #[cfg(unix)]
    #[test]
    fn a_file_is_read_through_no_link_and_not_beyond_the_limit() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("skill");
        write_tree(&root, &sample()).unwrap();
        fs::write(dir.path().join("secret"), "secret").unwrap();
        std::os::unix::fs::symlink("../secret", root.join("link")).unwrap();
        std::os::unix::fs::symlink("..", root.join("up")).unwrap();
        let read = |root: &Path, path: &str| read_file_below(root, &path.parse().unwrap(), 10);
        assert_eq!(
            read(&root, "scripts/a/b/run.sh").unwrap(),
            Some(b"#!/bin/sh\n".to_vec())
        );
        for path in [
            "link",
            "up/secret",
            "up/skill/SKILL.md",
            "scripts",
            "none",
            "none/a",
            "SKILL.md/a",
        ] {
            assert_eq!(read(&root, path).unwrap(), None, "{path}");
        }
        assert_eq!(read(&dir.path().join("none"), "a").unwrap(), None);
        fs::write(root.join("long"), "eleven char").unwrap();
        assert!(
            read(&root, "long")
                .unwrap_err()
                .message()
                .ends_with("it has 11 bytes; the limit is 10")
        );
        std::os::unix::fs::symlink(&root, dir.path().join("linked")).unwrap();
        assert_eq!(
            read(&dir.path().join("linked"), "SKILL.md").unwrap(),
            Some(b"x".to_vec())
        );
    }

    #[test]
    fn a_tree_written_is_the_tree_read() {
        let dir = tempfile::tempdir().unwrap();
        let place = dir.path().join("skill");
        let written = write_tree(&place, &sample()).unwrap();
        assert_eq!(super::super::stamp_tree(&place).unwrap(), Some(written));
        fs::create_dir(place.join(".git")).unwrap();
        fs::write(place.join(".git/config"), "no part of it").unwrap();
        assert_eq!(read_tree(&place).unwrap(), sample());
        assert_eq!(
            tree_checksum(&place).unwrap(),
            Some(Checksum::from_tree(&sample()))
        );
        assert_eq!(tree_checksum(&dir.path().join("none")).unwrap(), None);
    }

    #[cfg(unix)]
    #[test]
    fn links_and_special_files_are_refused() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("SKILL.md"), "x").unwrap();
        std::os::unix::fs::symlink("/etc/passwd", dir.path().join("notes.md")).unwrap();
        let error = read_tree(dir.path()).unwrap_err();
        assert!(
            error.message().ends_with("notes.md` is a symbolic link"),
            "{error}"
        );
        fs::remove_file(dir.path().join("notes.md")).unwrap();
        assert!(
            std::process::Command::new("mkfifo")
                .arg(dir.path().join("pipe"))
                .status()
                .unwrap()
                .success()
        );
        let error = read_tree(dir.path()).unwrap_err();
        assert!(
            error
                .message()
                .ends_with("pipe` is neither a file nor a directory"),
            "{error}"
        );
    }

    #[test]
    fn directories_without_end_are_refused() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir_all(dir.path().join(vec!["d"; 64].join("/"))).unwrap();
        assert!(read_tree(dir.path()).unwrap().is_empty());
        fs::create_dir(dir.path().join(vec!["d"; 65].join("/"))).unwrap();
        assert!(read_tree(dir.path()).is_err());
    }
}
