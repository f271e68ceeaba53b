//! An open directory, and its entries by name.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io;
use std::os::fd::AsFd;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use rustix::fs::{
    AtFlags, CWD, Dir, DirEntry, FileType, Mode, OFlags, RenameFlags, linkat, mkdirat, openat,
    renameat, renameat_with, statat, symlinkat, unlinkat,
};
use rustix::io::Errno;

use super::files::{is_file_at, kind_from_type, stat_from_system};
use super::modes::give_to_owner_of;
use super::volumes::{has_reliable_sync, sync_file_system_of};
use crate::platform::{FileIdentity, FileKind, FileStat, NewFileMode, RenameMode};

/// Flags to open a directory: a link is never followed.
const DIRECTORY: OFlags = OFlags::RDONLY
    .union(OFlags::DIRECTORY)
    .union(OFlags::NOFOLLOW)
    .union(OFlags::CLOEXEC);
/// Flags for a directory on the way to another, which needs the search permission only.
#[cfg(target_os = "linux")]
const TRAVERSE: OFlags = DIRECTORY.union(OFlags::PATH);
#[cfg(not(target_os = "linux"))]
const TRAVERSE: OFlags = DIRECTORY;
/// Flags to open a file for reading: a link is never followed, and a pipe does not block.
const OLD_FILE: OFlags = OFlags::RDONLY
    .union(OFlags::NOFOLLOW)
    .union(OFlags::NONBLOCK)
    .union(OFlags::CLOEXEC);
/// Flags to create a file.
const NEW_FILE: OFlags = OFlags::WRONLY
    .union(OFlags::CREATE)
    .union(OFlags::EXCL)
    .union(OFlags::CLOEXEC);

/// An open directory. What is done to its entries is done in this directory, even if its path is replaced meanwhile; no
/// method follows a link unless it says so. What root creates in a directory of another user gets that user as its owner.
#[derive(Debug)]
pub(crate) struct OpenDirectory(File);

impl OpenDirectory {
    /// Opens the directory that a path is or leads to.
    pub(crate) fn open(path: &Path) -> io::Result<OpenDirectory> {
        File::open(path).map(OpenDirectory)
    }

    /// Opens a directory; fails if the path is a link.
    pub(crate) fn open_no_follow(path: &Path) -> io::Result<OpenDirectory> {
        let open = openat(CWD, path, DIRECTORY, Mode::empty())?;
        Ok(OpenDirectory(open.into()))
    }

    /// Opens the root of the disk that an absolute path is on, as the first step on the way to it.
    pub(crate) fn traverse_root(_: &Path) -> io::Result<OpenDirectory> {
        let open = openat(CWD, "/", TRAVERSE, Mode::empty())?;
        Ok(OpenDirectory(open.into()))
    }

    /// Opens a directory in this one as a step on the way to another; nothing can be listed or synced with it.
    pub(crate) fn traverse(&self, name: &OsStr) -> io::Result<OpenDirectory> {
        let open = openat(&self.0, name, TRAVERSE, Mode::empty())?;
        Ok(OpenDirectory(open.into()))
    }

    /// The last directory of the way, opened for everything else.
    pub(crate) fn finish_traversal(self) -> io::Result<OpenDirectory> {
        // `O_PATH` allows neither reading nor syncing.
        let open = openat(&self.0, ".", DIRECTORY, Mode::empty())?;
        Ok(OpenDirectory(open.into()))
    }

    /// Opens a directory in this one.
    pub(crate) fn open_dir(&self, name: &OsStr) -> io::Result<OpenDirectory> {
        open_dir_in(&self.0, name)
    }

    /// Opens what is at a relative path for reading. Only links before the last part are followed.
    pub(crate) fn open_file(&self, below: &OsStr) -> io::Result<File> {
        open_file_in(&self.0, below)
    }

    /// Creates a file in this directory.
    pub(crate) fn create_file(&self, name: &OsStr, mode: NewFileMode) -> io::Result<File> {
        let mode = match mode {
            NewFileMode::Default => 0o666,
            NewFileMode::Packaged { executable, most } => {
                most & if executable { 0o755 } else { 0o644 }
            }
        };
        let file = openat(&self.0, name, NEW_FILE, Mode::from_raw_mode(mode))?;
        give_to_owner_of(&self.0, name);
        Ok(file.into())
    }

    /// Creates a directory in this one.
    pub(crate) fn create_dir(&self, name: &OsStr) -> io::Result<()> {
        mkdirat(&self.0, name, Mode::from_raw_mode(0o777))?;
        give_to_owner_of(&self.0, name);
        Ok(())
    }

    /// Creates a symbolic link in this directory.
    pub(crate) fn make_link(&self, name: &OsStr, target: &Path) -> io::Result<()> {
        symlinkat(target, &self.0, name)?;
        give_to_owner_of(&self.0, name);
        Ok(())
    }

    /// What is at a relative path. Only links before the last part are followed.
    pub(crate) fn stat(&self, below: &OsStr) -> io::Result<FileStat> {
        let stat = statat(&self.0, below, AtFlags::SYMLINK_NOFOLLOW)?;
        Ok(stat_from_system(&stat))
    }

    /// What a relative path leads to.
    pub(crate) fn stat_following(&self, below: &OsStr) -> io::Result<FileStat> {
        let stat = statat(&self.0, below, AtFlags::empty())?;
        Ok(stat_from_system(&stat))
    }

    /// The identity of an entry.
    pub(crate) fn identity(&self, name: &OsStr) -> io::Result<FileIdentity> {
        let stat = statat(&self.0, name, AtFlags::SYMLINK_NOFOLLOW)?;
        #[expect(
            clippy::useless_conversion,
            reason = "their types differ between systems"
        )]
        Ok(FileIdentity(
            stat.st_dev.try_into().unwrap_or(0),
            stat.st_ino.into(),
        ))
    }

    /// Removes a file or a link.
    pub(crate) fn remove_file(&self, name: &OsStr) -> io::Result<()> {
        Ok(unlinkat(&self.0, name, AtFlags::empty())?)
    }

    /// Removes an empty directory.
    pub(crate) fn remove_dir(&self, name: &OsStr) -> io::Result<()> {
        Ok(unlinkat(&self.0, name, AtFlags::REMOVEDIR)?)
    }

    /// Moves an entry of this directory to `to_name` in another.
    ///
    /// # Errors
    /// [`CrossesDevices`](io::ErrorKind::CrossesDevices) if it cannot be moved there;
    /// [`Unsupported`](io::ErrorKind::Unsupported) or [`InvalidInput`](io::ErrorKind::InvalidInput) if the mode is not
    /// [`RenameMode::Replace`], and neither kernel nor file system has it.
    pub(crate) fn rename(
        &self,
        name: &OsStr,
        to: &OpenDirectory,
        to_name: &OsStr,
        mode: RenameMode,
    ) -> io::Result<()> {
        let flags = match mode {
            RenameMode::Replace => return Ok(renameat(&self.0, name, &to.0, to_name)?),
            RenameMode::Keep => RenameFlags::NOREPLACE,
            RenameMode::Exchange => RenameFlags::EXCHANGE,
        };
        Ok(renameat_with(&self.0, name, &to.0, to_name, flags)?)
    }

    /// Gives a file of this directory a second name, in another.
    pub(crate) fn hard_link(
        &self,
        name: &OsStr,
        to: &OpenDirectory,
        to_name: &OsStr,
    ) -> io::Result<()> {
        Ok(linkat(&self.0, name, &to.0, to_name, AtFlags::empty())?)
    }

    /// Syncs the directory, which makes renames in it durable.
    pub(crate) fn sync(&self) -> io::Result<()> {
        self.0.sync_all()
    }

    /// Syncs a file in this directory.
    pub(crate) fn sync_file(&self, name: &OsStr) -> io::Result<()> {
        self.open_file(name)?.sync_all()
    }

    /// Whether [`OpenDirectory::sync_file_system`] makes durable all that syncing each file and directory would.
    pub(crate) fn has_reliable_sync(&self) -> bool {
        has_reliable_sync(&self.0)
    }

    /// The device that the directory is on.
    pub(crate) fn device(&self) -> io::Result<u64> {
        Ok(self.0.metadata()?.dev())
    }

    /// Syncs the whole file system that the directory is on.
    pub(crate) fn sync_file_system(&self) -> io::Result<()> {
        sync_file_system_of(&self.0)
    }

    /// Metadata of the directory itself.
    pub(crate) fn metadata(&self) -> io::Result<fs::Metadata> {
        self.0.metadata()
    }

    /// Whether this directory is what a path leads to.
    pub(crate) fn is_at(&self, path: &Path) -> io::Result<bool> {
        is_file_at(&self.0, path)
    }

    /// All entries, read to the end: a directory that shrinks while it is read may skip some.
    pub(crate) fn read_entries(&self) -> io::Result<Vec<(OsString, FileKind)>> {
        let mut entries = Vec::new();
        for entry in Dir::read_from(&self.0)? {
            let entry = entry?;
            if !is_dots(&entry) {
                entries.push((name_of(&entry), kind_of(&self.0, &entry)?));
            }
        }
        Ok(entries)
    }

    /// Lists the directory one entry after the other.
    pub(crate) fn list(self) -> io::Result<DirectoryListing> {
        Ok(DirectoryListing(Dir::new(self.0)?))
    }
}

/// A directory that is being listed.
#[derive(Debug)]
pub(crate) struct DirectoryListing(Dir);

impl DirectoryListing {
    /// The next entry, in the order of the disk; `None` at the end.
    pub(crate) fn next_entry(&mut self) -> Option<io::Result<(OsString, FileKind)>> {
        loop {
            let entry = match self.0.read()? {
                Ok(entry) => entry,
                Err(errno) => return Some(Err(errno.into())),
            };
            if is_dots(&entry) {
                continue;
            }
            let kind = self.0.fd().map_err(io::Error::from);
            let kind = kind.and_then(|dir| kind_of(dir, &entry));
            return Some(kind.map(|kind| (name_of(&entry), kind)));
        }
    }

    /// As [`OpenDirectory::open_dir`].
    pub(crate) fn open_dir(&self, name: &OsStr) -> io::Result<OpenDirectory> {
        open_dir_in(self.0.fd()?, name)
    }

    /// As [`OpenDirectory::open_file`].
    pub(crate) fn open_file(&self, name: &OsStr) -> io::Result<File> {
        open_file_in(self.0.fd()?, name)
    }
}

/// Whether an open failed because a link is at the path.
pub(crate) fn is_link_refusal(error: &io::Error) -> bool {
    // `O_NOFOLLOW` gives `ELOOP`.
    Errno::from_io_error(error) == Some(Errno::LOOP)
}

fn open_dir_in(dir: impl AsFd, name: &OsStr) -> io::Result<OpenDirectory> {
    Ok(OpenDirectory(
        openat(dir, name, DIRECTORY, Mode::empty())?.into(),
    ))
}

fn open_file_in(dir: impl AsFd, below: &OsStr) -> io::Result<File> {
    Ok(openat(dir, below, OLD_FILE, Mode::empty())?.into())
}

fn is_dots(entry: &DirEntry) -> bool {
    matches!(entry.file_name().to_bytes(), b"." | b"..")
}

fn name_of(entry: &DirEntry) -> OsString {
    use std::os::unix::ffi::OsStrExt as _;
    OsStr::from_bytes(entry.file_name().to_bytes()).to_owned()
}

fn kind_of(dir: impl AsFd, entry: &DirEntry) -> io::Result<FileKind> {
    let kind = match entry.file_type() {
        // Some file systems do not report the type while listing.
        FileType::Unknown => {
            let stat = statat(dir, entry.file_name(), AtFlags::SYMLINK_NOFOLLOW)?;
            FileType::from_raw_mode(stat.st_mode)
        }
        kind => kind,
    };
    Ok(kind_from_type(kind))
}
