//! Package trees on the disk.
//!
//! Everything below a directory is reached from that directory's handle, one name at a time and through no link, so
//! that nobody can lead a read or a write elsewhere by putting a link in a directory's place meanwhile.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Write};
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};

use rustix::buffer::spare_capacity;
use rustix::fs::{AtFlags, Dir, DirEntry, FileType, Mode, OFlags, fstat, mkdirat, openat, statat};
use rustix::io::{Errno, read, retry_on_intr};

use super::{Act, Stamp, moment};
use crate::error::{Context, Error, Result};
use crate::package::{Checksum, NOT_PART, RelPath, Tree, TreeBuilder};

/// How a directory is opened: never through a link.
pub(super) const DIRECTORY: OFlags =
    OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);
/// How a file is opened to be read: never through a link, and without waiting for the other end of a pipe.
const OLD_FILE: OFlags = OFlags::RDONLY.union(OFlags::NOFOLLOW).union(OFlags::NONBLOCK).union(OFlags::CLOEXEC);
/// How a file is made.
pub(super) const NEW_FILE: OFlags = OFlags::WRONLY.union(OFlags::CREATE).union(OFlags::EXCL).union(OFlags::CLOEXEC);

/// Names that stand in a directory and are no part of the package there, besides [`NOT_PART`].
const SKIPPED: [&str; 2] = [".git", ".skillpm"];

/// Reads a directory as a package.
///
/// # Errors
/// If there is none, it holds anything but regular files and directories, or a path or limit is not allowed.
pub fn read_tree(dir: &Path) -> Result<Tree> {
    read_tree_where(dir, &|_, _| true)
}

/// Reads those parts of a directory as a package that `holds` is true for: it is given the path of a file or directory,
/// relative and with `/`, and whether it is a directory. What it is false for is neither opened nor judged.
///
/// # Errors
/// As for [`read_tree`].
pub fn read_tree_where(dir: &Path, holds: &dyn Fn(&str, bool) -> bool) -> Result<Tree> {
    let open = fs::File::open(dir).context(|| format!("could not read directory `{}`", dir.display()))?;
    let mut reading = Reading { root: dir, holds, tree: Tree::builder() };
    reading.directory(open, "", 0)?;
    Ok(reading.tree.finish())
}

/// A directory that is being read as a package. Paths are relative to it, the empty one for itself.
struct Reading<'a> {
    root: &'a Path,
    holds: &'a dyn Fn(&str, bool) -> bool,
    tree: TreeBuilder,
}

impl Reading<'_> {
    fn directory(&mut self, dir: File, path: &str, depth: usize) -> Result<()> {
        let root = self.root;
        let failed = |errno| disk_error(errno, "read directory", &place(root, path));
        let mut entries = Dir::new(dir).map_err(failed)?;
        while let Some(entry) = entries.read() {
            let entry = entry.map_err(failed)?;
            let Ok(name) = entry.file_name().to_str() else { return Err(self.not_utf8(path, &entry)) };
            if matches!(name, "." | "..") || is_skipped(name) {
                continue;
            }
            let below = if path.is_empty() { name.to_owned() } else { format!("{path}/{name}") };
            let dir = entries.fd().map_err(failed)?;
            let kind = kind(dir, &entry).map_err(|errno| self.failed("look at", &below, errno))?;
            if !(self.holds)(&below, kind == FileType::Directory) {
                continue;
            }
            match kind {
                FileType::Directory if depth == RelPath::DEPTH_MAX => return Err(self.too_deep(&below)),
                FileType::Directory => {
                    let open = openat(dir, name, DIRECTORY, Mode::empty());
                    let open = open.map_err(|errno| self.failed("read directory", &below, errno))?;
                    self.directory(open.into(), &below, depth + 1)?;
                }
                FileType::RegularFile => {
                    let open = openat(dir, name, OLD_FILE, Mode::empty());
                    self.file(&open.map_err(|errno| self.failed("read", &below, errno))?, &below)?;
                }
                other => return Err(self.not_a_file(&below, other)),
            }
        }
        Ok(())
    }

    fn file(&mut self, file: impl AsFd, path: &str) -> Result<()> {
        let stat = fstat(&file).map_err(|errno| self.failed("look at", path, errno))?;
        let kind = FileType::from_raw_mode(stat.st_mode);
        if kind != FileType::RegularFile {
            return Err(self.not_a_file(path, kind));
        }
        let size = u64::try_from(stat.st_size).unwrap_or(0);
        self.tree.admit(path, size)?;
        let bytes = read_bounded(file, size).map_err(|errno| self.failed("read", path, errno))?;
        self.tree.add(path, bytes, stat.st_mode & 0o111 != 0)
    }

    fn failed(&self, what: &str, path: &str, errno: Errno) -> Error {
        disk_error(errno, what, &place(self.root, path))
    }

    fn not_utf8(&self, dir: &str, entry: &DirEntry) -> Error {
        let (dir, name) = (place(self.root, dir), entry.file_name().to_string_lossy());
        Error::integrity(format!("`{}` holds a name that is not UTF-8: `{name}`", dir.display()))
    }

    fn too_deep(&self, path: &str) -> Error {
        let most = RelPath::DEPTH_MAX;
        Error::integrity(format!("`{}` lies more than {most} levels deep", place(self.root, path).display()))
    }

    fn not_a_file(&self, path: &str, kind: FileType) -> Error {
        let what = if kind == FileType::Symlink { "a symbolic link" } else { "neither a file nor a directory" };
        Error::integrity(format!("`{}` is {what}", place(self.root, path).display()))
            .help("a package holds regular files only; put the file itself there")
    }
}

/// What an entry of a directory is.
pub(super) fn kind(dir: impl AsFd, entry: &DirEntry) -> rustix::io::Result<FileType> {
    match entry.file_type() {
        // Some file systems do not tell in passing.
        FileType::Unknown => {
            statat(dir, entry.file_name(), AtFlags::SYMLINK_NOFOLLOW).map(|stat| FileType::from_raw_mode(stat.st_mode))
        }
        kind => Ok(kind),
    }
}

fn is_skipped(name: &str) -> bool {
    SKIPPED.contains(&name) || NOT_PART.contains(&name)
}

/// Where the path below `root` is; the empty path is `root` itself.
fn place(root: &Path, path: &str) -> PathBuf {
    if path.is_empty() { root.to_owned() } else { root.join(path) }
}

/// That something could not be done with a path.
pub(super) fn disk_error(errno: Errno, what: &str, path: &Path) -> Error {
    let failed: Result<()> = Err(io::Error::from(errno)).context(|| format!("could not {what} `{}`", path.display()));
    failed.expect_err("it was made of an error")
}

/// Reads a file that was said to have `size` bytes, and not much more than that.
fn read_bounded(file: impl AsFd, size: u64) -> rustix::io::Result<Vec<u8>> {
    let size = usize::try_from(size).map_err(|_| Errno::FBIG)?;
    let mut bytes = Vec::with_capacity(size + 1);
    while bytes.len() <= size {
        let count = retry_on_intr(|| read(&file, spare_capacity(&mut bytes)))?;
        // Where one byte more than expected was asked for and did not come, the file has ended.
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
    let failed = |errno| disk_error(errno, "read", &place(dir, path.as_str()));
    let mut at: File = match File::open(dir) {
        Ok(open) => open,
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            return Ok(None);
        }
        Err(error) => return Err(error).context(|| format!("could not read directory `{}`", dir.display())),
    };
    let mut parts = path.parts().peekable();
    while let Some(part) = parts.next() {
        let flags = if parts.peek().is_some() { DIRECTORY } else { OLD_FILE };
        at = match openat(&at, part, flags, Mode::empty()) {
            Ok(open) => open.into(),
            Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP) => return Ok(None),
            Err(errno) => return Err(failed(errno)),
        };
    }
    let stat = fstat(&at).map_err(failed)?;
    if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
        return Ok(None);
    }
    let size = u64::try_from(stat.st_size).unwrap_or(0);
    if size > limit {
        let place = place(dir, path.as_str());
        return Err(Error::negative(format!("`{}` has {size} bytes, and {limit} are the most", place.display())));
    }
    read_bounded(&at, size).map(Some).map_err(failed)
}

/// The paths of all files below a directory, sorted, down to `depth` levels; for finding things, so links and names that
/// are not UTF-8 are left out.
///
/// # Errors
/// If the directory cannot be read.
pub fn list_files(dir: &Path, depth: usize) -> Result<Vec<String>> {
    let mut files = Vec::new();
    list_below(dir, "", depth, &mut files)?;
    files.sort_unstable();
    Ok(files)
}

fn list_below(dir: &Path, prefix: &str, depth: usize, files: &mut Vec<String>) -> Result<()> {
    for entry in fs::read_dir(dir).context(|| format!("could not read directory `{}`", dir.display()))?.flatten() {
        let (Ok(name), Ok(kind)) = (entry.file_name().into_string(), entry.file_type()) else { continue };
        if is_skipped(&name) || name == "node_modules" {
            continue;
        }
        let path = if prefix.is_empty() { name } else { format!("{prefix}/{name}") };
        if kind.is_file() {
            files.push(path);
        } else if kind.is_dir() && depth > 0 {
            list_below(&entry.path(), &path, depth - 1, files)?;
        }
    }
    Ok(())
}

/// The paths below a directory that no package has, such as `.git` and `refs/.DS_Store`, sorted: a person or a program
/// put them there. What is below one of them is not listed.
///
/// # Errors
/// If a directory cannot be read.
pub fn list_outside_package(dir: &Path) -> Result<Vec<String>> {
    let (mut found, mut todo) = (Vec::new(), vec![String::new()]);
    while let Some(path) = todo.pop() {
        let failed = || format!("could not read directory `{}`", place(dir, &path).display());
        for entry in fs::read_dir(place(dir, &path)).context(failed)? {
            let entry = entry.context(failed)?;
            let Ok(name) = entry.file_name().into_string() else { continue };
            let is_outside = is_skipped(&name);
            let below = if path.is_empty() { name } else { format!("{path}/{name}") };
            if is_outside {
                found.push(below);
            } else if entry.file_type().context(failed)?.is_dir() {
                todo.push(below);
            }
        }
    }
    found.sort_unstable();
    Ok(found)
}

/// Every path below a directory but git's own: of regular files, and of all else that is no directory. Unsorted.
///
/// # Errors
/// If a directory cannot be read, or holds a name that is not UTF-8.
pub fn walk(dir: &Path) -> Result<(Vec<String>, Vec<String>)> {
    let (mut files, mut others, mut todo) = (Vec::new(), Vec::new(), vec![String::new()]);
    while let Some(path) = todo.pop() {
        let failed = || format!("could not read directory `{}`", place(dir, &path).display());
        for entry in fs::read_dir(place(dir, &path)).context(failed)? {
            let entry = entry.context(failed)?;
            let kind = entry.file_type().context(failed)?;
            let name = entry.file_name().into_string().map_err(|name| {
                let name = name.to_string_lossy().into_owned();
                Error::integrity(format!("`{}` holds a name that is not UTF-8: `{name}`", place(dir, &path).display()))
            })?;
            let below = if path.is_empty() { name } else { format!("{path}/{name}") };
            match () {
                () if below == ".git" => {}
                () if kind.is_dir() => todo.push(below),
                () if kind.is_file() => files.push(below),
                () => others.push(below),
            }
        }
    }
    Ok((files, others))
}

/// Writes a tree into a directory that does not exist yet, and says how that looks right after. Modes are 0644 or
/// 0755 less the umask; times are now.
///
/// # Errors
/// If something is there already, or the disk refuses.
pub fn write_tree(dir: &Path, tree: &Tree) -> Result<Stamp> {
    write_tree_in(rustix::fs::CWD, (dir.as_os_str(), dir), tree)
}

/// The same for a directory `name` in one that is open; `dir` is its whole path.
pub(super) fn write_tree_in(within: impl AsFd, (name, dir): (&OsStr, &Path), tree: &Tree) -> Result<Stamp> {
    let made = moment(Act::Make, dir).and_then(|()| Ok(mkdirat(&within, name, Mode::from_raw_mode(0o777))?));
    made.context(|| format!("could not make directory `{}`", dir.display()))?;
    let root = openat(&within, name, DIRECTORY, Mode::empty());
    let root = root.map_err(|errno| disk_error(errno, "write", dir))?;
    let mut writing = Writing { open: vec![(String::new(), root.into())], stamp: Stamp::default() };
    for (path, file) in tree.files() {
        let parent = path.as_str().rsplit_once('/').map_or("", |(parent, _)| parent);
        let written = writing.enter(parent).and_then(|()| writing.file(path.as_str(), &file.bytes, file.executable));
        written.context(|| format!("could not write `{}`", dir.join(path.as_str()).display()))?;
    }
    writing.finish().context(|| format!("could not write `{}`", dir.display()))
}

/// A tree that is being written. Its files come sorted by path, so that a directory, once left, is done with.
struct Writing {
    /// The directory that was entered last, below those that it lies in.
    open: Vec<(String, File)>,
    stamp: Stamp,
}

impl Writing {
    /// Goes to a directory, made if it is new.
    fn enter(&mut self, path: &str) -> io::Result<()> {
        while let Some((open, _)) = self.open.last()
            && !lies_in(path, open)
        {
            self.leave()?;
        }
        while let Some((open, dir)) = self.open.last()
            && open != path
        {
            let begin = if open.is_empty() { 0 } else { open.len() + 1 };
            let end = path[begin..].find('/').map_or(path.len(), |at| begin + at);
            moment(Act::Make, Path::new(&path[..end]))?;
            mkdirat(dir, &path[begin..end], Mode::from_raw_mode(0o777))?;
            let new = openat(dir, &path[begin..end], DIRECTORY, Mode::empty())?;
            self.open.push((path[..end].to_owned(), new.into()));
        }
        Ok(())
    }

    /// Notes how a directory looks, now that it has all that it is to hold.
    fn leave(&mut self) -> io::Result<()> {
        if let Some((path, dir)) = self.open.pop() {
            self.stamp.note(&path, &dir.metadata()?);
        }
        Ok(())
    }

    /// Writes a file into the directory that was entered last.
    fn file(&mut self, path: &str, bytes: &[u8], executable: bool) -> io::Result<()> {
        let (_, dir) = self.open.last().expect("the outermost directory is left at the end only");
        let name = path.rsplit_once('/').map_or(path, |(_, name)| name);
        let mode = Mode::from_raw_mode(if executable { 0o755 } else { 0o644 });
        moment(Act::Make, Path::new(path))?;
        let mut file = File::from(openat(dir, name, NEW_FILE, mode)?);
        moment(Act::Write, Path::new(path))?;
        file.write_all(bytes)?;
        self.stamp.note(path, &file.metadata()?);
        Ok(())
    }

    fn finish(mut self) -> io::Result<Stamp> {
        while !self.open.is_empty() {
            self.leave()?;
        }
        self.stamp.sort();
        Ok(self.stamp)
    }
}

/// Whether `path` is the directory `dir` or one below it.
fn lies_in(path: &str, dir: &str) -> bool {
    dir.is_empty() || path.strip_prefix(dir).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// The mask that the process takes from the modes of new files.
#[cfg(unix)]
pub(super) fn umask() -> u32 {
    // Reading it means setting it; the two calls leave it as it was. skillpm makes files from this process only.
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
pub fn checksum_of(dir: &Path) -> Result<Option<Checksum>> {
    match super::lstat(dir)? {
        Some(meta) if meta.is_dir() => read_tree(dir).map(|tree| Some(Checksum::of(&tree))),
        _ => Ok(None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Tree {
        let mut tree = Tree::builder();
        tree.add("SKILL.md", b"x".to_vec(), false).unwrap();
        for script in ["scripts-old/run.sh", "scripts/a/b/run.sh", "scripts/run.sh", "scripts/z/run.sh"] {
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
        assert_eq!(read(&root, "scripts/a/b/run.sh").unwrap(), Some(b"#!/bin/sh\n".to_vec()));
        for path in ["link", "up/secret", "up/skill/SKILL.md", "scripts", "none", "none/a", "SKILL.md/a"] {
            assert_eq!(read(&root, path).unwrap(), None, "{path}");
        }
        assert_eq!(read(&dir.path().join("none"), "a").unwrap(), None);
        fs::write(root.join("long"), "eleven char").unwrap();
        assert!(read(&root, "long").unwrap_err().message().ends_with("has 11 bytes, and 10 are the most"));
        std::os::unix::fs::symlink(&root, dir.path().join("linked")).unwrap();
        assert_eq!(read(&dir.path().join("linked"), "SKILL.md").unwrap(), Some(b"x".to_vec()));
    }

    #[test]
    fn a_tree_written_is_the_tree_read() {
        let dir = tempfile::tempdir().unwrap();
        let place = dir.path().join("skill");
        let written = write_tree(&place, &sample()).unwrap();
        assert_eq!(super::super::stamp(&place).unwrap(), Some(written));
        fs::create_dir(place.join(".git")).unwrap();
        fs::write(place.join(".git/config"), "no part of it").unwrap();
        assert_eq!(read_tree(&place).unwrap(), sample());
        assert_eq!(checksum_of(&place).unwrap(), Some(Checksum::of(&sample())));
        assert_eq!(checksum_of(&dir.path().join("none")).unwrap(), None);
    }

    #[cfg(unix)]
    #[test]
    fn links_and_special_files_are_refused_by_name() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("SKILL.md"), "x").unwrap();
        std::os::unix::fs::symlink("/etc/passwd", dir.path().join("notes.md")).unwrap();
        let error = read_tree(dir.path()).unwrap_err();
        assert!(error.message().ends_with("notes.md` is a symbolic link"), "{error}");
        fs::remove_file(dir.path().join("notes.md")).unwrap();
        assert!(std::process::Command::new("mkfifo").arg(dir.path().join("pipe")).status().unwrap().success());
        let error = read_tree(dir.path()).unwrap_err();
        assert!(error.message().ends_with("pipe` is neither a file nor a directory"), "{error}");
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
