//! What discovery needs of the disk: the names in a directory of skills, the stamps of its files, their bytes.
//!
//! Discovery meets directories that nobody checked, so nothing here follows a link unless it says so, waits for
//! a pipe, or descends without bound. Nothing here writes, but for [`replace`].

pub use std::fs::File;
use std::fs::{self, Metadata, OpenOptions};
use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use crate::error::{Context, Error, Result};
use crate::io::disk::{Act, TEMPORARY, clear_dead, moment};
use crate::package::NOT_PART;

/// How long after a change a file's times do not yet tell it from a later one: FAT counts in steps of two seconds.
const RACY: Duration = Duration::from_secs(2);

/// Most directory levels that [`walk`] goes down; the deepest of 2,958 published skills has 6.
const DEPTH_MAX: usize = 16;

/// What tells one state of a file from another without reading it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Stamp {
    size: u64,
    /// Nanoseconds since 1970.
    modified: i64,
    /// The same of the last change of content or attributes, which no program can set; 0 where systems lack it.
    changed: i64,
    inode: u64,
}

impl Stamp {
    fn of(metadata: &Metadata) -> Self {
        let (changed, inode) = identity(metadata);
        Stamp { size: metadata.len(), modified: metadata.modified().map_or(0, nanoseconds), changed, inode }
    }

    #[cfg(unix)]
    #[cfg_attr(target_os = "linux", expect(clippy::useless_conversion, reason = "other systems have other widths"))]
    fn of_stat(stat: &rustix::fs::Stat) -> Self {
        let nanoseconds = |seconds: i64, rest: u64| {
            seconds.saturating_mul(1_000_000_000).saturating_add(i64::try_from(rest).unwrap_or(0))
        };
        Stamp {
            size: u64::try_from(stat.st_size).unwrap_or(0),
            modified: nanoseconds(stat.st_mtime.into(), stat.st_mtime_nsec.try_into().unwrap_or(0)),
            changed: nanoseconds(stat.st_ctime.into(), stat.st_ctime_nsec.try_into().unwrap_or(0)),
            inode: stat.st_ino.into(),
        }
    }

    /// The file's size in bytes.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Whether, at `now`, any later change of the file will show in its stamp.
    #[must_use]
    pub fn settled(&self, now: SystemTime) -> bool {
        let horizon = now.checked_sub(RACY).map_or(0, nanoseconds);
        self.modified.max(self.changed) < horizon
    }
}

fn nanoseconds(time: SystemTime) -> i64 {
    let signed = |duration: Duration| i64::try_from(duration.as_nanos()).unwrap_or(i64::MAX);
    time.duration_since(UNIX_EPOCH).map_or_else(|before| -signed(before.duration()), signed)
}

#[cfg(unix)]
fn identity(metadata: &Metadata) -> (i64, u64) {
    use std::os::unix::fs::MetadataExt;
    (metadata.ctime().saturating_mul(1_000_000_000).saturating_add(metadata.ctime_nsec()), metadata.ino())
}

#[cfg(not(unix))]
fn identity(_: &Metadata) -> (i64, u64) {
    (0, 0)
}

/// What a path leads to, no link followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A regular file.
    File {
        /// Whether its owner may run it.
        executable: bool,
    },
    /// A directory.
    Directory,
    /// A symbolic link.
    Link,
    /// A pipe, a socket, a device.
    Other,
}

impl Kind {
    fn of(metadata: &Metadata) -> Self {
        let kind = metadata.file_type();
        if kind.is_file() {
            Kind::File { executable: is_executable(metadata) }
        } else if kind.is_dir() {
            Kind::Directory
        } else if kind.is_symlink() {
            Kind::Link
        } else {
            Kind::Other
        }
    }
}

#[cfg(unix)]
impl Kind {
    fn of_mode(mode: rustix::fs::RawMode) -> Self {
        use rustix::fs::FileType;
        match FileType::from_raw_mode(mode) {
            FileType::RegularFile => Kind::File { executable: mode & 0o100 != 0 },
            FileType::Directory => Kind::Directory,
            FileType::Symlink => Kind::Link,
            _ => Kind::Other,
        }
    }
}

#[cfg(unix)]
fn is_executable(metadata: &Metadata) -> bool {
    std::os::unix::fs::PermissionsExt::mode(&metadata.permissions()) & 0o100 != 0
}

#[cfg(not(unix))]
fn is_executable(_: &Metadata) -> bool {
    false
}

/// The kind and stamp of what lies at `path`, no final link followed; `None` if nothing does.
///
/// # Errors
/// If the system refuses to look.
pub fn stat(path: &Path) -> Result<Option<(Kind, Stamp)>> {
    match fs::symlink_metadata(path) {
        Ok(metadata) => Ok(Some((Kind::of(&metadata), Stamp::of(&metadata)))),
        Err(error) if is_absent(&error) => Ok(None),
        Err(error) => Err(error).context(|| format!("could not look at `{}`", path.display())),
    }
}

/// A directory that is held open: what is looked at below it is not looked for from the root of the disk each time,
/// which is half of what a look costs.
#[derive(Debug)]
pub struct Held {
    path: PathBuf,
    #[cfg(unix)]
    handle: File,
}

impl Held {
    /// Opens the directory that `path` is or leads to.
    ///
    /// # Errors
    /// If it cannot be opened.
    pub fn open(path: &Path) -> Result<Held> {
        Ok(Held {
            #[cfg(unix)]
            handle: File::open(path).context(|| format!("could not read the directory `{}`", path.display()))?,
            path: path.to_owned(),
        })
    }

    /// As [`stat`] for a path below the directory.
    ///
    /// # Errors
    /// If the system refuses to look.
    pub fn stat(&self, below: &str) -> Result<Option<(Kind, Stamp)>> {
        #[cfg(unix)]
        let looked = rustix::fs::statat(&self.handle, below, rustix::fs::AtFlags::SYMLINK_NOFOLLOW)
            .map(|stat| (Kind::of_mode(stat.st_mode), Stamp::of_stat(&stat)))
            .map_err(io::Error::from);
        #[cfg(not(unix))]
        let looked = fs::symlink_metadata(self.path.join(below)).map(|meta| (Kind::of(&meta), Stamp::of(&meta)));
        match looked {
            Ok(found) => Ok(Some(found)),
            Err(error) if is_absent(&error) => Ok(None),
            Err(error) => Err(error).context(|| format!("could not look at `{}`", self.path.join(below).display())),
        }
    }

    /// As [`open`] for a path below the directory.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn open_file(&self, below: &str) -> Result<Opened> {
        #[cfg(unix)]
        let file = {
            use rustix::fs::{Mode, OFlags, openat};
            let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
            openat(&self.handle, below, flags, Mode::empty()).map(File::from).map_err(io::Error::from)
        };
        #[cfg(not(unix))]
        let file = open_bare(&self.path.join(below));
        opened(file, &self.path.join(below))
    }

    /// The stamp of the directory that `below` is or leads to; `None` if there is none.
    #[must_use]
    pub fn directory_stamp(&self, below: &str) -> Option<Stamp> {
        #[cfg(unix)]
        {
            let stat = rustix::fs::statat(&self.handle, below, rustix::fs::AtFlags::empty()).ok()?;
            (Kind::of_mode(stat.st_mode) == Kind::Directory).then(|| Stamp::of_stat(&stat))
        }
        #[cfg(not(unix))]
        fs::metadata(self.path.join(below)).ok().filter(Metadata::is_dir).map(|metadata| Stamp::of(&metadata))
    }
}

fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// One directory, or link that may lead to one, in a directory of skills.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Name {
    /// Its name.
    pub text: Box<str>,
    /// Whether it is a link.
    pub linked: bool,
}

/// What a directory of skills holds.
#[derive(Debug, Default)]
pub struct Names {
    /// The directories, and the links that may lead to one, sorted by the bytes of the name.
    pub names: Vec<Name>,
    /// Names that are not UTF-8, shown as well as they can be.
    pub odd: Vec<String>,
}

/// The directories and links in `dir` whose names do not begin with a dot; `None` if `dir` is no directory.
///
/// # Errors
/// If the directory cannot be read.
pub fn names(dir: &Path) -> Result<Option<Names>> {
    let failed = || format!("could not read the directory `{}`", dir.display());
    let entries = match fs::read_dir(dir) {
        Ok(entries) => entries,
        Err(error) if is_absent(&error) => return Ok(None),
        Err(error) => return Err(error).context(failed),
    };
    let mut found = Names::default();
    for entry in entries {
        let entry = entry.context(failed)?;
        let kind = entry.file_type().context(failed)?;
        if !(kind.is_dir() || kind.is_symlink()) {
            continue;
        }
        match entry.file_name().into_string() {
            Ok(text) if text.starts_with('.') => {}
            Ok(text) => found.names.push(Name { text: text.into(), linked: kind.is_symlink() }),
            Err(odd) => found.odd.push(odd.to_string_lossy().into_owned()),
        }
    }
    found.names.sort_unstable();
    found.odd.sort_unstable();
    Ok(Some(found))
}

/// The name of whatever in `dir` has the name `wanted` when case does not count, as it is spelt there.
#[must_use]
pub fn spelling(dir: &Path, wanted: &str) -> Option<String> {
    let names = fs::read_dir(dir).ok()?.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    names.filter(|name| name.eq_ignore_ascii_case(wanted)).min_by_key(|name| name != wanted)
}

/// Whether a file that was found under a name may be spelt differently in its directory.
pub const FOLDS_CASE: bool = cfg!(any(windows, target_os = "macos"));

/// `path` with every link in it followed; `None` if it leads nowhere.
#[must_use]
pub fn real_path(path: &Path) -> Option<PathBuf> {
    fs::canonicalize(path).ok()
}

/// What came of opening a file.
#[derive(Debug)]
pub enum Opened {
    /// A regular file and its stamp at this moment.
    File(File, Stamp),
    /// Nothing is there.
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
pub fn open(path: &Path) -> Result<Opened> {
    opened(open_bare(path), path)
}

/// What came of opening `path`.
fn opened(file: io::Result<File>, path: &Path) -> Result<Opened> {
    let failed = || format!("could not read `{}`", path.display());
    let file = match file {
        Ok(file) => file,
        Err(error) if is_absent(&error) => return Ok(Opened::Nothing),
        Err(error) => {
            return match stat(path)? {
                Some((Kind::Link, _)) => Ok(Opened::Link),
                Some((Kind::Other, _)) => Ok(Opened::Other),
                _ => Err(error).context(failed),
            };
        }
    };
    let metadata = file.metadata().context(failed)?;
    Ok(if metadata.is_file() { Opened::File(file, Stamp::of(&metadata)) } else { Opened::Other })
}

#[cfg(unix)]
fn open_bare(path: &Path) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt;

    use rustix::fs::OFlags;
    let flags = i32::try_from((OFlags::NOFOLLOW | OFlags::NONBLOCK).bits()).expect("open flags fit an int");
    OpenOptions::new().read(true).custom_flags(flags).open(path)
}

#[cfg(not(unix))]
fn open_bare(path: &Path) -> io::Result<File> {
    if fs::symlink_metadata(path)?.is_symlink() {
        return Err(io::Error::other("a link"));
    }
    OpenOptions::new().read(true).open(path)
}

/// The bytes of the regular file at `path`; `None` if there is none, or if it has more than `limit` bytes.
///
/// # Errors
/// If the file cannot be read.
pub fn read(path: &Path, limit: u64) -> Result<Option<(Vec<u8>, Stamp)>> {
    let Opened::File(file, stamp) = open(path)? else { return Ok(None) };
    let mut bytes = Vec::with_capacity(usize::try_from(stamp.size.min(limit)).unwrap_or(0));
    file.take(limit + 1).read_to_end(&mut bytes).context(|| format!("could not read `{}`", path.display()))?;
    Ok((bytes.len() as u64 <= limit).then_some((bytes, stamp)))
}

/// One thing below a directory, with its path from there, `/` between its parts.
#[derive(Debug, Clone)]
pub struct Walked {
    /// The path; names that are not UTF-8 are shown as well as they can be.
    pub path: String,
    /// Whether `path` is the name as the disk has it.
    pub faithful: bool,
    /// What it is.
    pub kind: Kind,
    /// Its size in bytes.
    pub size: u64,
}

/// Everything below `dir` but what git and skillpm keep for themselves, in the order of the disk; no link is followed.
///
/// # Errors
/// If a directory cannot be read, lies too deep, or if there are more than `limit` things.
pub fn walk(dir: &Path, limit: usize) -> Result<Vec<Walked>> {
    let mut found = Vec::new();
    let mut open = vec![(dir.to_owned(), String::new(), 0)];
    while let Some((dir, prefix, depth)) = open.pop() {
        let failed = || format!("could not read the directory `{}`", dir.display());
        for entry in fs::read_dir(&dir).context(failed)? {
            let entry = entry.context(failed)?;
            let name = entry.file_name();
            let shown = name.to_string_lossy();
            if is_private(&shown) {
                continue;
            }
            let metadata = entry.metadata().context(failed)?;
            let kind = Kind::of(&metadata);
            let path = if prefix.is_empty() { shown.to_string() } else { format!("{prefix}/{shown}") };
            if found.len() == limit || depth == DEPTH_MAX {
                return Err(Error::integrity(format!("`{}` holds too much to be a skill", dir.display())));
            }
            if kind == Kind::Directory {
                open.push((entry.path(), path.clone(), depth + 1));
            }
            found.push(Walked { faithful: name.to_str().is_some(), path, kind, size: metadata.len() });
        }
    }
    Ok(found)
}

fn is_private(name: &str) -> bool {
    NOT_PART.contains(&name)
        || name.eq_ignore_ascii_case(".git")
        || name == ".skillpm"
        || name.starts_with(".skillpm-stage")
}

/// Puts what `write` writes in the place of the file at `path`, all of it or nothing.
///
/// # Errors
/// If the directory cannot be made or the file not be written.
pub fn replace(path: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<()> {
    let attempt = || -> io::Result<()> {
        let parent = path.parent().unwrap_or(Path::new("."));
        fs::create_dir_all(parent)?;
        moment(Act::Make, path)?;
        clear_dead(parent, TEMPORARY);
        let mut file = tempfile::Builder::new().prefix(TEMPORARY).tempfile_in(parent)?;
        let _ = file.as_file().lock();
        let mut buffered = BufWriter::with_capacity(1 << 16, file.as_file_mut());
        write(&mut buffered)?;
        buffered.flush()?;
        drop(buffered);
        moment(Act::Rename, path)?;
        file.persist(path)?;
        Ok(())
    };
    attempt().context(|| format!("could not write `{}`", path.display()))
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
        let names = names(dir.path()).unwrap().unwrap();
        assert_eq!(names.names.iter().map(|name| &*name.text).collect::<Vec<_>>(), ["a", "b"]);
        assert!(super::names(&dir.path().join("README.md")).unwrap().is_none());
        assert!(super::names(&dir.path().join("absent")).unwrap().is_none());
    }

    #[test]
    fn a_stamp_changes_with_the_file_and_settles_after_two_seconds() {
        let dir = scratch();
        let path = dir.path().join("f");
        fs::write(&path, "one").unwrap();
        let (_, before) = stat(&path).unwrap().unwrap();
        assert!(!before.settled(SystemTime::now()));
        assert!(before.settled(SystemTime::now() + Duration::from_secs(3)));
        fs::write(&path, "four").unwrap();
        assert_ne!(stat(&path).unwrap().unwrap().1, before);
    }

    #[cfg(unix)]
    #[test]
    fn a_held_directory_shows_what_a_path_shows() {
        let dir = scratch();
        fs::create_dir(dir.path().join("d")).unwrap();
        fs::write(dir.path().join("d/f"), "x").unwrap();
        std::os::unix::fs::symlink("d", dir.path().join("link")).unwrap();
        let held = Held::open(dir.path()).unwrap();
        for below in ["d", "d/f", "link", "link/f", "absent", "d/f/g"] {
            assert_eq!(held.stat(below).unwrap(), stat(&dir.path().join(below)).unwrap(), "{below}");
            let told = |opened: Result<Opened>| format!("{:?}", opened.unwrap()).split("fd").next().map(str::to_owned);
            assert_eq!(told(held.open_file(below)), told(open(&dir.path().join(below))), "{below}");
        }
        assert_eq!(held.directory_stamp("link"), held.directory_stamp("d"));
        assert_eq!(held.directory_stamp("d"), held.stat("d").unwrap().map(|(_, stamp)| stamp));
        assert_eq!(held.directory_stamp("d/f"), None);
    }

    #[cfg(unix)]
    #[test]
    fn links_are_not_followed_and_pipes_not_waited_for() {
        let dir = scratch();
        fs::write(dir.path().join("f"), "x").unwrap();
        std::os::unix::fs::symlink("f", dir.path().join("link")).unwrap();
        let pipe = dir.path().join("pipe");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        assert!(matches!(open(&dir.path().join("link")).unwrap(), Opened::Link));
        assert!(matches!(open(&pipe).unwrap(), Opened::Other));
        assert!(matches!(open(dir.path()).unwrap(), Opened::Other));
        assert!(matches!(open(&dir.path().join("absent")).unwrap(), Opened::Nothing));
    }

    #[test]
    fn a_walk_is_bounded() {
        let dir = scratch();
        fs::create_dir_all(dir.path().join("a/b")).unwrap();
        fs::create_dir_all(dir.path().join(".git")).unwrap();
        fs::write(dir.path().join("a/b/c"), "").unwrap();
        let mut paths: Vec<_> = walk(dir.path(), 3).unwrap().into_iter().map(|walked| walked.path).collect();
        paths.sort();
        assert_eq!(paths, ["a", "a/b", "a/b/c"]);
        assert!(walk(dir.path(), 2).is_err());
    }
}
