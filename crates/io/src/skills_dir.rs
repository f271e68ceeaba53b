//! Disk access for skill discovery: the names in a directory of skills, the stamps of its files, their bytes.
//!
//! Discovery reads unchecked directories, so nothing here follows a link unless it says so, waits for
//! a pipe, or descends without bound. Only [`replace_file`] writes.

use std::cell::RefCell;
use std::fs;
pub use std::fs::File;
use std::io::{self, BufWriter, Read as _, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use crate::disk::{
    DiskOperation, TEMPORARY_PREFIX, failpoint, is_absent, read_whole, remove_abandoned,
};
use crate::platform::{self, ExecutableFiles, FileKind, FileStat, OpenDirectory};
use skillpm_core::error::{Error, ErrorContext, Result};
use skillpm_core::package::{EXCLUDED_NAMES, is_bytecode, is_secret_file, leftover_directory};

/// How long after a change a later one may leave the file times the same: FAT counts in steps of two seconds.
const RACY_WINDOW: Duration = Duration::from_secs(2);

/// Most directory levels that [`walk_skill`] goes down; the deepest of 2,958 published skills has 6.
const DEPTH_MAX: usize = 16;

/// Identifies a state of a file without reading it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct FileStamp {
    size: u64,
    /// Nanoseconds since 1970.
    modified: i64,
    /// The same of the last change of content or attributes, which no program can set; 0 where systems lack it.
    changed: i64,
    inode: u64,
}

impl FileStamp {
    fn from_stat(stat: &FileStat) -> Self {
        // Any program can set the time of modification, and none that of the change, so both are compared.
        FileStamp {
            size: stat.size,
            modified: stat.modified,
            changed: stat.changed,
            inode: stat.inode,
        }
    }

    /// The file's size in bytes.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Whether, at `now`, any later change of the file will show in its stamp.
    #[must_use]
    pub fn is_settled(&self, now: SystemTime) -> bool {
        // As git does for its index: a change within the same tick would leave the stamp as it is.
        let horizon = now.checked_sub(RACY_WINDOW).map_or(0, nanoseconds);
        self.modified.max(self.changed) < horizon
    }
}

fn nanoseconds(time: SystemTime) -> i64 {
    let signed = |duration: Duration| i64::try_from(duration.as_nanos()).unwrap_or(i64::MAX);
    time.duration_since(UNIX_EPOCH)
        .map_or_else(|before| -signed(before.duration()), signed)
}

/// The type of a path, links not followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PathKind {
    /// A regular file.
    File,
    /// A directory.
    Directory,
    /// A symbolic link.
    Link,
    /// A pipe, a socket, a device.
    Other,
}

impl From<FileKind> for PathKind {
    fn from(kind: FileKind) -> Self {
        match kind {
            FileKind::File => PathKind::File,
            FileKind::Directory => PathKind::Directory,
            FileKind::Link => PathKind::Link,
            FileKind::Pipe | FileKind::Socket | FileKind::Device => PathKind::Other,
        }
    }
}

/// The kind and stamp of `path`, a final link not followed; `None` if it does not exist.
///
/// # Errors
/// If the path cannot be accessed.
pub fn stat_path(path: &Path) -> Result<Option<(PathKind, FileStamp)>> {
    match fs::symlink_metadata(path) {
        Ok(metadata) => Ok(Some(kind_and_stamp(&platform::file_stat(&metadata)))),
        Err(error) if is_absent(&error) => Ok(None),
        Err(error) => Err(error).context(|| format!("failed to stat `{}`", path.display())),
    }
}

fn kind_and_stamp(stat: &FileStat) -> (PathKind, FileStamp) {
    (stat.kind.into(), FileStamp::from_stat(stat))
}

/// An open directory: paths below it are not resolved from the root of the disk each time, which is half of
/// the cost of a `stat`.
#[derive(Debug)]
pub struct DirectoryHandle {
    path: PathBuf,
    handle: OpenDirectory,
}

impl DirectoryHandle {
    /// Opens the directory that `path` is or leads to.
    ///
    /// # Errors
    /// If it cannot be opened.
    pub fn open(path: &Path) -> Result<DirectoryHandle> {
        Ok(DirectoryHandle {
            handle: OpenDirectory::open(path)
                .context(|| format!("failed to read directory `{}`", path.display()))?,
            path: path.to_owned(),
        })
    }

    /// As [`stat_path`] for a path below the directory.
    ///
    /// # Errors
    /// If the path cannot be accessed.
    pub fn stat(&self, below: &str) -> Result<Option<(PathKind, FileStamp)>> {
        match self.handle.stat(below.as_ref()) {
            Ok(stat) => Ok(Some(kind_and_stamp(&stat))),
            Err(error) if is_absent(&error) => Ok(None),
            Err(error) => Err(error)
                .context(|| format!("failed to stat `{}`", self.path.join(below).display())),
        }
    }

    /// As [`open_file`] for a path below the directory.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn open_file(&self, below: &str) -> Result<OpenedFile> {
        let file = self.handle.open_file(below.as_ref());
        classify_opened(file, &self.path.join(below))
    }

    /// The stamp of the directory that `below` is or leads to; `None` if there is none.
    #[must_use]
    pub fn directory_stamp(&self, below: &str) -> Option<FileStamp> {
        let stat = self.handle.stat_following(below.as_ref()).ok()?;
        (stat.kind == FileKind::Directory).then(|| FileStamp::from_stat(&stat))
    }
}

/// One directory, or link that may lead to one, in a directory of skills.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct SkillDirEntry {
    /// Its name.
    pub text: Box<str>,
    /// Whether it is a link.
    pub linked: bool,
}

/// The content of a directory of skills.
#[derive(Debug, Default)]
pub struct SkillDirListing {
    /// The directories, and the links that may lead to one, sorted by the bytes of the name.
    pub names: Vec<SkillDirEntry>,
    /// Names that are not UTF-8, shown as well as they can be.
    pub non_utf8: Vec<String>,
}

/// The directories and links in `dir` whose names do not begin with a dot; `None` if `dir` is not a directory.
///
/// # Errors
/// If the directory cannot be read.
pub fn list_skill_dir(dir: &Path) -> Result<Option<SkillDirListing>> {
    let failed = || format!("failed to read directory `{}`", dir.display());
    let entries = match fs::read_dir(dir) {
        Ok(entries) => entries,
        Err(error) if is_absent(&error) => return Ok(None),
        Err(error) => return Err(error).context(failed),
    };

    let mut found = SkillDirListing::default();
    for entry in entries {
        let entry = entry.context(failed)?;
        let kind = entry.file_type().context(failed)?;
        // A link is listed unresolved: only a skill that is asked for is worth resolving it.
        if !(kind.is_dir() || kind.is_symlink()) {
            continue;
        }
        match entry.file_name().into_string() {
            // Names with a leading dot belong to tools.
            Ok(text) if text.starts_with('.') => {}
            Ok(text) => found.names.push(SkillDirEntry {
                text: text.into(),
                linked: kind.is_symlink(),
            }),
            Err(odd) => found.non_utf8.push(odd.to_string_lossy().into_owned()),
        }
    }

    found.names.sort_unstable();
    found.non_utf8.sort_unstable();
    Ok(Some(found))
}

/// One entry of a directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DirectoryEntry {
    /// Its name.
    pub name: String,
    /// What it is, links not followed.
    pub kind: DirectoryEntryKind,
}

/// What an entry is, as the directory itself says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DirectoryEntryKind {
    /// A regular file.
    File,
    /// A directory.
    Directory,
    /// A symbolic link.
    Link,
    /// A pipe, a socket, a device.
    Other,
}

impl From<fs::FileType> for DirectoryEntryKind {
    fn from(kind: fs::FileType) -> Self {
        if kind.is_file() {
            DirectoryEntryKind::File
        } else if kind.is_dir() {
            DirectoryEntryKind::Directory
        } else if kind.is_symlink() {
            DirectoryEntryKind::Link
        } else {
            DirectoryEntryKind::Other
        }
    }
}

/// Everything in `dir` whose name is UTF-8, sorted by the bytes of the name; `None` if `dir` is not a directory.
///
/// # Errors
/// If the directory cannot be read.
pub fn list_entries(dir: &Path) -> Result<Option<Vec<DirectoryEntry>>> {
    let failed = || format!("failed to read directory `{}`", dir.display());
    let entries = match fs::read_dir(dir) {
        Ok(entries) => entries,
        Err(error) if is_absent(&error) => return Ok(None),
        Err(error) => return Err(error).context(failed),
    };

    let mut found = Vec::new();
    for entry in entries {
        let entry = entry.context(failed)?;
        if let Ok(name) = entry.file_name().into_string() {
            // Without a `stat`, on nearly every file system.
            let kind = entry.file_type().context(failed)?.into();
            found.push(DirectoryEntry { name, kind });
        }
    }

    found.sort_unstable_by(|a, b| a.name.cmp(&b.name));
    Ok(Some(found))
}

/// The kind of what `path` leads to, links followed; `None` if it leads nowhere.
#[must_use]
pub fn followed_kind(path: &Path) -> Option<PathKind> {
    let metadata = fs::metadata(path).ok()?;
    Some(platform::file_kind(metadata.file_type()).into())
}

/// The entry of `dir` whose name equals `wanted` without regard to case, as it is spelled on disk.
#[must_use]
pub fn find_spelling(dir: &Path, wanted: &str) -> Option<String> {
    let names = fs::read_dir(dir)
        .ok()?
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    // The exact name, if it is there, comes before one that differs in case.
    names
        .filter(|name| name.eq_ignore_ascii_case(wanted))
        .min_by_key(|name| name != wanted)
}

/// Whether the file system may ignore case, so that an opened name can be spelled differently on disk.
pub const FOLDS_CASE: bool = cfg!(any(windows, target_os = "macos"));

/// `path` with all links resolved; `None` if it does not exist.
#[must_use]
pub fn real_path(path: &Path) -> Option<PathBuf> {
    platform::canonicalize(path).ok()
}

/// Resolves the links of many paths with one system call each, as long as they come directory by directory: the links of
/// the directories above a path are resolved only once.
///
/// What changes meanwhile may be missed, so it is for one pass over directories of skills.
#[derive(Debug, Default)]
pub struct RealPaths {
    /// The directories above the last path, outermost first, each with its real path.
    above: RefCell<Vec<(PathBuf, Option<PathBuf>)>>,
}

impl RealPaths {
    /// As [`real_path`].
    #[must_use]
    pub fn resolve(&self, path: &Path) -> Option<PathBuf> {
        let parts = path.parent().zip(path.file_name());
        let Some((parent, name)) = parts.filter(|_| path.is_absolute() && !FOLDS_CASE) else {
            // On a file system that folds case, only the system knows how the last name is spelled.
            return real_path(path);
        };

        let resolved = self.resolve_directory(parent)?.join(name);
        match fs::read_link(&resolved) {
            Ok(_) => real_path(&resolved),
            Err(error) if error.kind() == io::ErrorKind::InvalidInput => Some(resolved),
            Err(_) => None,
        }
    }

    /// As [`RealPaths::resolve`], for a directory that is asked for again and again: without a system call if it was the
    /// last one, or is above it.
    #[must_use]
    pub fn resolve_directory(&self, directory: &Path) -> Option<PathBuf> {
        self.drop_unrelated(directory);
        if let Some((known, resolved)) = self.above.borrow().last()
            && known.as_os_str() == directory.as_os_str()
        {
            return resolved.clone();
        }

        let resolved = self.resolve(directory);
        let entry = (directory.to_owned(), resolved.clone());
        self.above.borrow_mut().push(entry);
        resolved
    }

    /// Drops what is neither a directory nor above it.
    fn drop_unrelated(&self, directory: &Path) {
        let wanted = directory.as_os_str().as_encoded_bytes();
        let mut above = self.above.borrow_mut();
        // By bytes, as it is faster than by components: another spelling is only resolved again.
        let is_above = |known: &[u8]| {
            wanted
                .strip_prefix(known)
                .is_some_and(|rest| rest.is_empty() || rest[0] == b'/' || known.ends_with(b"/"))
        };
        while let Some((known, _)) = above.last()
            && !is_above(known.as_os_str().as_encoded_bytes())
        {
            above.pop();
        }
    }
}

/// The result of opening a file.
#[derive(Debug)]
pub enum OpenedFile {
    /// A regular file and its stamp at this moment.
    File(File, FileStamp),
    /// The path does not exist.
    Nothing,
    /// A link, which was not followed.
    Link,
    /// A directory, a pipe, a socket, a device.
    Other,
}

/// Opens the regular file at `path` for reading; follows no final link and waits for no pipe.
///
/// # Errors
/// If the system refuses.
pub fn open_file(path: &Path) -> Result<OpenedFile> {
    classify_opened(platform::open_file_no_follow(path), path)
}

/// Classifies the result of opening `path`.
fn classify_opened(file: io::Result<File>, path: &Path) -> Result<OpenedFile> {
    let failed = || format!("failed to read `{}`", path.display());
    let file = match file {
        Ok(file) => file,
        Err(error) if is_absent(&error) => return Ok(OpenedFile::Nothing),
        Err(error) => {
            // The error for a link or a socket differs between systems.
            return match stat_path(path)? {
                Some((PathKind::Link, _)) => Ok(OpenedFile::Link),
                Some((PathKind::Other, _)) => Ok(OpenedFile::Other),
                _ => Err(error).context(failed),
            };
        }
    };

    // Of the open file, not of the path: that may lead to another one by now.
    let metadata = file.metadata().context(failed)?;
    Ok(if metadata.is_file() {
        OpenedFile::File(file, FileStamp::from_stat(&platform::file_stat(&metadata)))
    } else {
        OpenedFile::Other
    })
}

/// The bytes of the regular file at `path`; `None` if there is none, or if it has more than `limit` bytes.
///
/// # Errors
/// If the file cannot be read.
pub fn read_file(path: &Path, limit: u64) -> Result<Option<(Vec<u8>, FileStamp)>> {
    let OpenedFile::File(file, stamp) = open_file(path)? else {
        return Ok(None);
    };

    // Bounded again, as the file may grow after it was opened.
    let bytes = read_whole(file, stamp.size, limit)
        .context(|| format!("failed to read `{}`", path.display()))?;
    Ok((bytes.len() as u64 <= limit).then_some((bytes, stamp)))
}

/// An entry below a directory, with its relative path, separated by `/`.
#[derive(Debug, Clone)]
pub struct WalkedEntry {
    /// The path; names that are not UTF-8 are shown as well as they can be.
    pub path: String,
    /// Whether `path` is the name as the disk has it.
    pub is_exact: bool,
    /// What it is.
    pub kind: PathKind,
    /// Whether it is an executable file.
    pub executable: bool,
    /// Its size in bytes.
    pub size: u64,
}

/// Everything below `dir` except the files of git and skillpm themselves, in disk order; links are not followed.
///
/// # Errors
/// If a directory cannot be read or is nested too deeply, or there are more than `limit` entries.
pub fn walk_skill(dir: &Path, limit: usize) -> Result<Vec<WalkedEntry>> {
    let modes = ExecutableFiles::read(dir)
        .context(|| format!("failed to read directory `{}`", dir.display()))?;
    let mut found = Vec::new();
    // A stack instead of recursion: the depth is that of an unchecked directory.
    let mut open = vec![(dir.to_owned(), String::new(), 0)];

    while let Some((dir, prefix, depth)) = open.pop() {
        let failed = || format!("failed to read directory `{}`", dir.display());
        for entry in fs::read_dir(&dir).context(failed)? {
            let entry = entry.context(failed)?;
            let name = entry.file_name();
            let shown = name.to_string_lossy();
            if is_internal(&shown) {
                continue;
            }

            let metadata = entry.metadata().context(failed)?;
            let stat = platform::file_stat(&metadata);
            let kind = stat.kind.into();
            let path = if prefix.is_empty() {
                shown.to_string()
            } else {
                format!("{prefix}/{shown}")
            };
            // Not the skill's: what running it has left there, and the user's secrets.
            if leftover_directory(&shown).is_some() || is_bytecode(&path) || is_secret_file(&path) {
                continue;
            }

            // An unchecked directory can contain anything, so count and depth are bounded.
            if found.len() == limit || depth == DEPTH_MAX {
                return Err(Error::integrity(format!(
                    "refusing to read `{}`: too many or too deeply nested files for a skill",
                    dir.display()
                )));
            }
            if kind == PathKind::Directory {
                open.push((entry.path(), path.clone(), depth + 1));
            }
            let is_script = || is_script(&entry.path());
            found.push(WalkedEntry {
                is_exact: name.to_str().is_some(),
                executable: kind == PathKind::File && modes.contains(&path, &stat, is_script),
                path,
                kind,
                size: metadata.len(),
            });
        }
    }
    Ok(found)
}

/// Whether a file begins with `#!`.
fn is_script(path: &Path) -> bool {
    let mut start = [0; 2];
    let Ok(OpenedFile::File(mut file, _)) = open_file(path) else {
        return false;
    };
    file.read_exact(&mut start).is_ok() && start == *b"#!"
}

fn is_internal(name: &str) -> bool {
    // Case is ignored for `.git` alone: on file systems that fold case, git takes `.GIT` for its own.
    EXCLUDED_NAMES.contains(&name)
        || name.eq_ignore_ascii_case(".git")
        || name == ".skillpm"
        || name.starts_with(".skillpm-stage")
}

/// Replaces the file at `path` with the output of `write`, all of it or nothing.
///
/// # Errors
/// If the directory cannot be made or the file not be written.
pub fn replace_file(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<()> {
    write_and_rename(path, write).context(|| format!("failed to write `{}`", path.display()))
}

fn write_and_rename(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let parent = path.parent().unwrap_or(Path::new("."));
    failpoint(DiskOperation::Make, path)?;
    fs::create_dir_all(parent)?;
    // Leftovers of killed commands. A file in use is locked, and stays.
    remove_abandoned(parent, TEMPORARY_PREFIX);

    let mut file = tempfile::Builder::new()
        .prefix(TEMPORARY_PREFIX)
        .tempfile_in(parent)?;
    // Locked, so that no other command removes it as a leftover.
    let _ = file.as_file().lock();

    let mut buffered = BufWriter::with_capacity(1 << 16, file.as_file_mut());
    write(&mut buffered)?;
    buffered.flush()?;
    drop(buffered);

    failpoint(DiskOperation::Rename, path)?;
    file.persist(path)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scratch() -> tempfile::TempDir {
        tempfile::tempdir().unwrap()
    }

    #[test]
    fn names_are_the_visible_directories_in_order() {
        let dir = scratch();
        for name in ["b", "a", ".hidden"] {
            fs::create_dir(dir.path().join(name)).unwrap();
        }
        fs::write(dir.path().join("README.md"), "").unwrap();
        let names = list_skill_dir(dir.path()).unwrap().unwrap();
        assert_eq!(
            names
                .names
                .iter()
                .map(|name| &*name.text)
                .collect::<Vec<_>>(),
            ["a", "b"]
        );
        assert!(
            super::list_skill_dir(&dir.path().join("README.md"))
                .unwrap()
                .is_none()
        );
        assert!(
            super::list_skill_dir(&dir.path().join("absent"))
                .unwrap()
                .is_none()
        );
    }

    #[cfg(unix)]
    #[test]
    fn many_paths_are_resolved_as_each_alone() {
        use std::os::unix::fs::symlink;

        let dir = scratch();
        let root = dir.path();
        fs::create_dir_all(root.join("skills/pdf")).unwrap();
        fs::write(root.join("skills/pdf/SKILL.md"), "").unwrap();
        symlink(root.join("skills"), root.join("linked")).unwrap();
        symlink("pdf", root.join("skills/same")).unwrap();
        symlink("gone", root.join("skills/dangling")).unwrap();
        symlink("loop", root.join("skills/loop")).unwrap();
        symlink("../same/SKILL.md", root.join("skills/pdf/again.md")).unwrap();

        let paths = RealPaths::default();
        for below in [
            ".",
            "skills/pdf",
            "skills/pdf/SKILL.md",
            "skills/pdf/../pdf/SKILL.md",
            "linked/same/again.md",
            "linked/pdf",
            "skills/dangling",
            "skills/dangling/SKILL.md",
            "skills/loop",
            "skills/absent/SKILL.md",
            "skills/pdf/SKILL.md/below",
        ] {
            let path = root.join(below);
            // Twice: as it is resolved first, and as it is remembered.
            for _ in 0..2 {
                assert_eq!(paths.resolve(&path), real_path(&path), "{below}");
            }
        }
        assert_eq!(paths.resolve(Path::new("/")), Some(PathBuf::from("/")));
        assert_eq!(
            paths.resolve(Path::new("absent/x")),
            real_path(Path::new("absent/x"))
        );
    }

    #[test]
    fn a_stamp_changes_with_the_file_and_settles_after_two_seconds() {
        let dir = scratch();
        let path = dir.path().join("f");
        fs::write(&path, "one").unwrap();
        let (_, before) = stat_path(&path).unwrap().unwrap();
        assert!(!before.is_settled(SystemTime::now()));
        assert!(before.is_settled(SystemTime::now() + Duration::from_secs(3)));
        fs::write(&path, "four").unwrap();
        assert_ne!(stat_path(&path).unwrap().unwrap().1, before);
    }

    #[cfg(unix)]
    #[test]
    fn open_directory_lists_the_same_as_its_path() {
        let dir = scratch();
        fs::create_dir(dir.path().join("d")).unwrap();
        fs::write(dir.path().join("d/f"), "x").unwrap();
        std::os::unix::fs::symlink("d", dir.path().join("link")).unwrap();
        let handle = DirectoryHandle::open(dir.path()).unwrap();
        for below in ["d", "d/f", "link", "link/f", "absent", "d/f/g"] {
            assert_eq!(
                handle.stat(below).unwrap(),
                stat_path(&dir.path().join(below)).unwrap(),
                "{below}"
            );
            let shown = |opened: Result<OpenedFile>| {
                format!("{:?}", opened.unwrap())
                    .split("fd")
                    .next()
                    .map(str::to_owned)
            };
            assert_eq!(
                shown(handle.open_file(below)),
                shown(open_file(&dir.path().join(below))),
                "{below}"
            );
        }
        assert_eq!(handle.directory_stamp("link"), handle.directory_stamp("d"));
        assert_eq!(
            handle.directory_stamp("d"),
            handle.stat("d").unwrap().map(|(_, stamp)| stamp)
        );
        assert_eq!(handle.directory_stamp("d/f"), None);
    }

    #[cfg(unix)]
    #[test]
    fn links_are_not_followed_and_pipes_not_waited_for() {
        let dir = scratch();
        fs::write(dir.path().join("f"), "x").unwrap();
        std::os::unix::fs::symlink("f", dir.path().join("link")).unwrap();
        let pipe = dir.path().join("pipe");
        assert!(
            std::process::Command::new("mkfifo")
                .arg(&pipe)
                .status()
                .unwrap()
                .success()
        );
        assert!(matches!(
            open_file(&dir.path().join("link")).unwrap(),
            OpenedFile::Link
        ));
        assert!(matches!(open_file(&pipe).unwrap(), OpenedFile::Other));
        assert!(matches!(open_file(dir.path()).unwrap(), OpenedFile::Other));
        assert!(matches!(
            open_file(&dir.path().join("absent")).unwrap(),
            OpenedFile::Nothing
        ));
    }

    #[test]
    fn a_walk_is_bounded() {
        let dir = scratch();
        fs::create_dir_all(dir.path().join("a/b")).unwrap();
        fs::create_dir_all(dir.path().join(".git")).unwrap();
        fs::write(dir.path().join("a/b/c"), "").unwrap();
        let mut paths: Vec<_> = walk_skill(dir.path(), 3)
            .unwrap()
            .into_iter()
            .map(|walked| walked.path)
            .collect();
        paths.sort();
        assert_eq!(paths, ["a", "a/b", "a/b/c"]);
        assert!(walk_skill(dir.path(), 2).is_err());
    }
}
