//! Package trees on the disk.
//!
//! Everything below a directory is opened from that directory's handle, one name at a time and without
//! following links, so that a link that replaces a directory meanwhile cannot redirect a read or a write.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::path::{Path, PathBuf};

use rustix::buffer::spare_capacity;
use rustix::fs::{AtFlags, Dir, DirEntry, FileType, Mode, OFlags, fstat, mkdirat, openat, statat};
use rustix::io::{Errno, read, retry_on_intr};

use super::{DiskOperation, TreeStamp, failpoint};
use skillpm_core::error::{Error, ErrorContext, Result};
use skillpm_core::package::{Checksum, EXCLUDED_NAMES, RelPath, Tree, TreeBuilder};

/// Flags to open a directory: a link is never followed.
pub(super) const DIRECTORY: OFlags = OFlags::RDONLY
    .union(OFlags::DIRECTORY)
    .union(OFlags::NOFOLLOW)
    .union(OFlags::CLOEXEC);
/// Flags to open a file for reading: a link is never followed, and a pipe does not block.
const OLD_FILE: OFlags = OFlags::RDONLY
    .union(OFlags::NOFOLLOW)
    .union(OFlags::NONBLOCK)
    .union(OFlags::CLOEXEC);
/// Flags to create a file.
pub(super) const NEW_FILE: OFlags = OFlags::WRONLY
    .union(OFlags::CREATE)
    .union(OFlags::EXCL)
    .union(OFlags::CLOEXEC);

/// Names in a directory that are not part of its package, besides [`EXCLUDED_NAMES`].
const SKIPPED: [&str; 2] = [".git", ".skillpm"];

/// Reads a directory as a package.
///
/// # Errors
/// If it does not exist, contains anything but regular files and directories, or violates a path rule or limit.
pub fn read_tree(dir: &Path) -> Result<Tree> {
    read_tree_filtered(dir, &|_, _| true)
}

/// Reads the parts of a directory for which `includes` is true as a package. `includes` gets the relative path
/// of a file or directory, with `/`, and whether it is a directory. Other entries are neither opened nor checked.
///
/// # Errors
/// As for [`read_tree`].
pub fn read_tree_filtered(dir: &Path, includes: &dyn Fn(&str, bool) -> bool) -> Result<Tree> {
    // The directory itself may be a link: the user has named it.
    let open =
        fs::File::open(dir).context(|| format!("failed to read directory `{}`", dir.display()))?;

    // The builder counts files and bytes, so that a huge directory fails early.
    let mut reading = TreeReader {
        root: dir,
        includes,
        tree: Tree::builder(),
    };

    reading.read_directory(open, "", 0)?;
    Ok(reading.tree.finish())
}

/// A directory that is being read as a package. Paths are relative to it, the empty one for itself.
struct TreeReader<'a> {
    root: &'a Path,
    includes: &'a dyn Fn(&str, bool) -> bool,
    tree: TreeBuilder,
}

/// An entry of an open directory.
#[derive(Clone, Copy)]
struct FoundEntry<'a> {
    dir: BorrowedFd<'a>,
    name: &'a str,
    kind: FileType,
}

impl TreeReader<'_> {
    fn read_directory(&mut self, dir: File, path: &str, depth: usize) -> Result<()> {
        let root = self.root;
        let failed = |errno| disk_error(errno, "read directory", &path_below(root, path));
        let mut entries = Dir::new(dir).map_err(failed)?;

        while let Some(entry) = entries.read() {
            let entry = entry.map_err(failed)?;
            let Ok(name) = entry.file_name().to_str() else {
                return Err(self.not_utf8(path, &entry));
            };
            if matches!(name, "." | "..") || is_skipped(name) {
                continue;
            }

            let below = child_path(path, name);
            // Entries are opened from their directory's handle, never by path.
            let dir = entries.fd().map_err(failed)?;
            let kind =
                entry_kind(dir, &entry).map_err(|errno| self.failed("stat", &below, errno))?;
            if (self.includes)(&below, kind == FileType::Directory) {
                let entry = FoundEntry { dir, name, kind };
                self.read_entry(entry, &below, depth)?;
            }
        }
        Ok(())
    }

    fn read_entry(&mut self, entry: FoundEntry<'_>, path: &str, depth: usize) -> Result<()> {
        let FoundEntry { dir, name, kind } = entry;
        match kind {
            // Bounds the recursion.
            FileType::Directory if depth == RelPath::DEPTH_MAX => Err(self.too_deep(path)),
            FileType::Directory => {
                let open = openat(dir, name, DIRECTORY, Mode::empty())
                    .map_err(|errno| self.failed("read directory", path, errno))?;
                self.read_directory(open.into(), path, depth + 1)
            }
            FileType::RegularFile => {
                let open = openat(dir, name, OLD_FILE, Mode::empty())
                    .map_err(|errno| self.failed("read", path, errno))?;
                self.read_file(&open, path)
            }
            other => Err(self.not_a_file(path, other)),
        }
    }

    fn read_file(&mut self, file: impl AsFd, path: &str) -> Result<()> {
        let stat = fstat(&file).map_err(|errno| self.failed("stat", path, errno))?;
        let kind = FileType::from_raw_mode(stat.st_mode);
        // Another file may have taken the name since the directory was listed.
        if kind != FileType::RegularFile {
            return Err(self.not_a_file(path, kind));
        }

        let size = u64::try_from(stat.st_size).unwrap_or(0);
        // Before the bytes are read, which could be gigabytes.
        self.tree.check_file(path, size)?;
        let bytes = read_bounded(file, size).map_err(|errno| self.failed("read", path, errno))?;
        self.tree.add(path, bytes, stat.st_mode & 0o111 != 0)
    }

    fn failed(&self, what: &str, path: &str, errno: Errno) -> Error {
        disk_error(errno, what, &path_below(self.root, path))
    }

    fn not_utf8(&self, dir: &str, entry: &DirEntry) -> Error {
        let (dir, name) = (
            path_below(self.root, dir),
            entry.file_name().to_string_lossy(),
        );
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

    fn not_a_file(&self, path: &str, kind: FileType) -> Error {
        let what = if kind == FileType::Symlink {
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

/// The type of a directory entry.
pub(super) fn entry_kind(dir: impl AsFd, entry: &DirEntry) -> rustix::io::Result<FileType> {
    match entry.file_type() {
        // Some file systems do not report the type while listing.
        FileType::Unknown => statat(dir, entry.file_name(), AtFlags::SYMLINK_NOFOLLOW)
            .map(|stat| FileType::from_raw_mode(stat.st_mode)),
        kind => Ok(kind),
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
pub(super) fn disk_error(errno: Errno, what: &str, path: &Path) -> Error {
    let failed: Result<()> =
        Err(io::Error::from(errno)).context(|| format!("failed to {what} `{}`", path.display()));
    failed.expect_err("it was built from an error")
}

/// Reads at most one byte more than the expected `size` of a file.
fn read_bounded(file: impl AsFd, size: u64) -> rustix::io::Result<Vec<u8>> {
    // Room for one byte more than expected, so that a growing file is noticed.
    let size = usize::try_from(size).map_err(|_| Errno::FBIG)?;
    let mut bytes = Vec::with_capacity(size + 1);

    while bytes.len() <= size {
        let count = retry_on_intr(|| read(&file, spare_capacity(&mut bytes)))?;
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

    let failed = |errno| disk_error(errno, "read", &path_below(dir, path.as_str()));
    let stat = fstat(&open).map_err(failed)?;
    if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
        return Ok(None);
    }

    let size = u64::try_from(stat.st_size).unwrap_or(0);
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
    let mut at: File = match File::open(dir) {
        Ok(open) => open,
        Err(error)
            if matches!(
                error.kind(),
                io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
            ) =>
        {
            return Ok(None);
        }
        Err(error) => {
            return Err(error).context(|| format!("failed to read directory `{}`", dir.display()));
        }
    };

    // One name at a time: `O_NOFOLLOW` applies to the last part of a path only.
    let mut parts = path.parts().peekable();
    while let Some(part) = parts.next() {
        let flags = if parts.peek().is_some() {
            DIRECTORY
        } else {
            OLD_FILE
        };
        at = match openat(&at, part, flags, Mode::empty()) {
            Ok(open) => open.into(),
            // `O_NOFOLLOW` gives `ELOOP` for a link; a file in place of a directory gives `ENOTDIR`.
            Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP) => return Ok(None),
            Err(errno) => {
                let place = path_below(dir, path.as_str());
                return Err(disk_error(errno, "read", &place));
            }
        };
    }
    Ok(Some(at))
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
    list_below(dir, "", depth, enters, &mut files)?;
    // The order of the disk differs between machines.
    files.sort_unstable();
    Ok(files)
}

fn list_below(
    dir: &Path,
    prefix: &str,
    depth: usize,
    enters: &dyn Fn(&str) -> bool,
    files: &mut Vec<String>,
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
        if kind.is_file() {
            files.push(path);
        } else if kind.is_dir() && depth > 0 && enters(&path) {
            list_below(&entry.path(), &path, depth - 1, enters, files)?;
        }
    }
    Ok(())
}

fn unreadable_directory(path: &Path) -> String {
    format!("failed to read directory `{}`", path.display())
}

/// The paths below a directory that packages never contain, such as `.git` and `refs/.DS_Store`, sorted.
/// Entries below one of them are not listed.
///
/// # Errors
/// If a directory cannot be read.
pub fn list_outside_package(dir: &Path) -> Result<Vec<String>> {
    let (mut found, mut todo) = (Vec::new(), vec![String::new()]);
    while let Some(path) = todo.pop() {
        let failed = || unreadable_directory(&path_below(dir, &path));
        for entry in fs::read_dir(path_below(dir, &path)).context(failed)? {
            let entry = entry.context(failed)?;
            let Ok(name) = entry.file_name().into_string() else {
                continue;
            };
            let below = child_path(&path, &name);
            // Not descended into: it is moved or kept as a whole.
            if is_skipped(&name) {
                found.push(below);
            } else if entry.file_type().context(failed)?.is_dir() {
                todo.push(below);
            }
        }
    }

    found.sort_unstable();
    Ok(found)
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
    write_tree_in(rustix::fs::CWD, dir.as_os_str(), dir, tree)
}

/// As [`write_tree`], for a directory `name` in an open one; `dir` is its full path.
pub(super) fn write_tree_in(
    within: impl AsFd,
    name: &OsStr,
    dir: &Path,
    tree: &Tree,
) -> Result<TreeStamp> {
    let made = failpoint(DiskOperation::Make, dir)
        .and_then(|()| Ok(mkdirat(&within, name, Mode::from_raw_mode(0o777))?));
    made.context(|| format!("failed to create directory `{}`", dir.display()))?;

    // Without following links: the files go into the directory that was just created.
    let root = openat(&within, name, DIRECTORY, Mode::empty());
    let root = root.map_err(|errno| disk_error(errno, "write", dir))?;

    // Each directory is opened once, and its files are created through that handle.
    let mut writing = TreeWriter {
        open: vec![(String::new(), root.into())],
        stamp: TreeStamp::default(),
    };

    for (path, file) in tree.files() {
        let parent = path
            .as_str()
            .rsplit_once('/')
            .map_or("", |(parent, _)| parent);
        let written = writing
            .enter(parent)
            .and_then(|()| writing.write_file(path.as_str(), &file.bytes, file.executable));
        written.context(|| format!("failed to write `{}`", dir.join(path.as_str()).display()))?;
    }

    writing
        .finish()
        .context(|| format!("failed to write `{}`", dir.display()))
}

/// A tree that is being written. Its files come sorted by path, so that a directory is complete once left.
struct TreeWriter {
    /// The open directories, from the root to the one entered last.
    open: Vec<(String, File)>,
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
            mkdirat(dir, &path[begin..end], Mode::from_raw_mode(0o777))?;
            let new = openat(dir, &path[begin..end], DIRECTORY, Mode::empty())?;
            self.open.push((path[..end].to_owned(), new.into()));
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
    fn write_file(&mut self, path: &str, bytes: &[u8], executable: bool) -> io::Result<()> {
        let (_, dir) = self
            .open
            .last()
            .expect("the outermost directory is left at the end only");
        let name = path.rsplit_once('/').map_or(path, |(_, name)| name);
        // Less the umask, as for any file that the user creates.
        let mode = Mode::from_raw_mode(if executable { 0o755 } else { 0o644 });

        failpoint(DiskOperation::Make, Path::new(path))?;
        let mut file = File::from(openat(dir, name, NEW_FILE, mode)?);
        failpoint(DiskOperation::Write, Path::new(path))?;
        file.write_all(bytes)?;
        self.stamp.record(path, &file.metadata()?);
        Ok(())
    }

    fn finish(mut self) -> io::Result<TreeStamp> {
        while !self.open.is_empty() {
            self.leave()?;
        }
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

/// The umask of the process.
#[cfg(unix)]
pub(super) fn umask() -> u32 {
    // Reading the umask requires setting it; the second call restores it. Runs once, and no other code sets it.
    use rustix::fs::Mode;
    static UMASK: std::sync::OnceLock<u32> = std::sync::OnceLock::new();
    *UMASK.get_or_init(|| {
        let mask = rustix::process::umask(Mode::from_raw_mode(0o022));
        rustix::process::umask(mask);
        mask.as_raw_mode()
    })
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
