//! A directory by its path, and its entries by name.

use std::ffi::{OsStr, OsString};
use std::fs::{self, DirEntry, File, Metadata, OpenOptions, ReadDir};
use std::io;
use std::path::{Path, PathBuf};

use super::files::{self, file_kind, file_stat};
use crate::disk::is_absent;
use crate::platform::{FileIdentity, FileKind, FileStat, NewFileMode, RenameMode};

/// An open directory. Its path must still lead to it whenever an entry is opened or changed; no method follows a link in
/// it unless it says so.
#[derive(Debug)]
pub(crate) struct OpenDirectory {
    path: PathBuf,
    /// Not an open handle: Windows keeps the name of a removed directory until the last one is closed, and moves none with one
    /// below it. `None` for a step on the way to another directory, which is not compared.
    identity: Option<FileIdentity>,
}

impl OpenDirectory {
    /// Opens the directory that a path is or leads to.
    pub(crate) fn open(path: &Path) -> io::Result<OpenDirectory> {
        // What is no directory fails here; a pipe would block the handle.
        fs::read_dir(path)?;
        Ok(OpenDirectory {
            identity: Some(files::followed_identity(path)?),
            path: path.to_owned(),
        })
    }

    /// Opens a directory; fails if the path is a link.
    pub(crate) fn open_no_follow(path: &Path) -> io::Result<OpenDirectory> {
        refuse_link(path)?;
        OpenDirectory::open(path)
    }

    /// The root of the disk that an absolute path is on, as the first step on the way to it.
    #[expect(clippy::unnecessary_wraps, reason = "others open it")]
    pub(crate) fn traverse_root(path: &Path) -> io::Result<OpenDirectory> {
        let root = path.ancestors().last().unwrap_or(path);
        Ok(OpenDirectory {
            path: root.to_owned(),
            identity: None,
        })
    }

    /// A directory in this one as a step on the way to another; nothing can be listed or synced with it.
    pub(crate) fn traverse(&self, name: &OsStr) -> io::Result<OpenDirectory> {
        let path = self.path.join(name);
        if !refuse_link(&path)?.is_dir() {
            return Err(io::ErrorKind::NotADirectory.into());
        }
        Ok(OpenDirectory {
            path,
            identity: None,
        })
    }

    /// The last directory of the way, opened for everything else.
    pub(crate) fn finish_traversal(self) -> io::Result<OpenDirectory> {
        OpenDirectory::open_no_follow(&self.path)
    }

    /// Opens a directory in this one.
    pub(crate) fn open_dir(&self, name: &OsStr) -> io::Result<OpenDirectory> {
        OpenDirectory::open_no_follow(&self.checked(name)?)
    }

    /// Opens the regular file at a relative path for reading. Only links before the last part are followed.
    pub(crate) fn open_file(&self, below: &OsStr) -> io::Result<File> {
        files::open_file_no_follow(&self.checked(below)?)
    }

    /// Creates a file in this directory.
    pub(crate) fn create_file(&self, name: &OsStr, _: NewFileMode) -> io::Result<File> {
        let path = self.checked(name)?;
        OpenOptions::new().write(true).create_new(true).open(path)
    }

    /// Creates a directory in this one.
    pub(crate) fn create_dir(&self, name: &OsStr) -> io::Result<()> {
        fs::create_dir(self.checked(name)?)
    }

    /// Creates a symbolic link in this directory.
    pub(crate) fn make_link(&self, name: &OsStr, target: &Path) -> io::Result<()> {
        files::make_link(&self.checked(name)?, target)
    }

    /// What is at a relative path. Only links before the last part are followed.
    pub(crate) fn stat(&self, below: &OsStr) -> io::Result<FileStat> {
        fs::symlink_metadata(self.path.join(below)).map(|meta| file_stat(&meta))
    }

    /// What a relative path leads to.
    pub(crate) fn stat_following(&self, below: &OsStr) -> io::Result<FileStat> {
        fs::metadata(self.path.join(below)).map(|meta| file_stat(&meta))
    }

    /// The identity of an entry.
    pub(crate) fn identity(&self, name: &OsStr) -> io::Result<FileIdentity> {
        files::file_identity(&self.checked(name)?)
    }

    /// Removes a file or a link.
    pub(crate) fn remove_file(&self, name: &OsStr) -> io::Result<()> {
        files::remove_file(&self.checked(name)?)
    }

    /// Removes an empty directory.
    pub(crate) fn remove_dir(&self, name: &OsStr) -> io::Result<()> {
        fs::remove_dir(self.checked(name)?)
    }

    /// Moves an entry of this directory to `to_name` in another.
    ///
    /// # Errors
    /// [`CrossesDevices`](io::ErrorKind::CrossesDevices) if it cannot be moved there;
    /// [`Unsupported`](io::ErrorKind::Unsupported) if the mode is not [`RenameMode::Replace`].
    pub(crate) fn rename(
        &self,
        name: &OsStr,
        to: &OpenDirectory,
        to_name: &OsStr,
        mode: RenameMode,
    ) -> io::Result<()> {
        if mode != RenameMode::Replace {
            return Err(io::ErrorKind::Unsupported.into());
        }
        fs::rename(self.checked(name)?, to.checked(to_name)?)
    }

    /// Gives a file of this directory a second name, in another.
    pub(crate) fn hard_link(
        &self,
        name: &OsStr,
        to: &OpenDirectory,
        to_name: &OsStr,
    ) -> io::Result<()> {
        fs::hard_link(self.checked(name)?, to.checked(to_name)?)
    }

    /// Does nothing: not every system can sync a directory.
    #[expect(
        clippy::unused_self,
        clippy::unnecessary_wraps,
        reason = "others sync it"
    )]
    pub(crate) fn sync(&self) -> io::Result<()> {
        Ok(())
    }

    /// Syncs a file in this directory.
    pub(crate) fn sync_file(&self, name: &OsStr) -> io::Result<()> {
        files::sync_closed_file(&self.checked(name)?)
    }

    /// Whether the whole file system can be synced: it cannot.
    #[expect(clippy::unused_self, reason = "others ask the system")]
    pub(crate) fn has_reliable_sync(&self) -> bool {
        false
    }

    /// The device that the directory is on.
    pub(crate) fn device(&self) -> io::Result<u64> {
        let identity = self.identity.ok_or(io::ErrorKind::NotFound)?;
        Ok(identity.0)
    }

    /// Fails: files are synced one by one.
    #[expect(clippy::unused_self, reason = "others sync it")]
    pub(crate) fn sync_file_system(&self) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Metadata of the directory itself.
    pub(crate) fn metadata(&self) -> io::Result<Metadata> {
        fs::symlink_metadata(&self.path)
    }

    /// Whether this directory is what a path leads to.
    pub(crate) fn is_at(&self, path: &Path) -> io::Result<bool> {
        match files::followed_identity(path) {
            Ok(there) => Ok(Some(there) == self.identity),
            Err(error) if is_absent(&error) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// All entries, read to the end: a directory that shrinks while it is read may skip some.
    pub(crate) fn read_entries(&self) -> io::Result<Vec<(OsString, FileKind)>> {
        let entries = fs::read_dir(self.checked(OsStr::new(""))?)?;
        entries.map(|entry| name_and_kind(&entry?)).collect()
    }

    /// Lists the directory one entry after the other.
    pub(crate) fn list(self) -> io::Result<DirectoryListing> {
        Ok(DirectoryListing {
            entries: fs::read_dir(self.checked(OsStr::new(""))?)?,
            dir: self,
        })
    }

    /// The path of an entry, if the directory is still where it was opened.
    ///
    /// # Errors
    /// [`NotFound`](io::ErrorKind::NotFound) if the directory was removed, as from a handle; [`RefusedPath`] if another one
    /// is there.
    fn checked(&self, below: &OsStr) -> io::Result<PathBuf> {
        if let Some(identity) = self.identity
            && files::followed_identity(&self.path)? != identity
        {
            return Err(io::Error::other(RefusedPath(
                "its directory was replaced meanwhile",
            )));
        }
        Ok(self.path.join(below))
    }
}

/// A directory that is being listed.
#[derive(Debug)]
pub(crate) struct DirectoryListing {
    dir: OpenDirectory,
    entries: ReadDir,
}

impl DirectoryListing {
    /// The next entry, in the order of the disk; `None` at the end.
    pub(crate) fn next_entry(&mut self) -> Option<io::Result<(OsString, FileKind)>> {
        let entry = self.entries.next()?;
        Some(entry.and_then(|entry| name_and_kind(&entry)))
    }

    /// As [`OpenDirectory::open_dir`].
    pub(crate) fn open_dir(&self, name: &OsStr) -> io::Result<OpenDirectory> {
        self.dir.open_dir(name)
    }

    /// As [`OpenDirectory::open_file`].
    pub(crate) fn open_file(&self, name: &OsStr) -> io::Result<File> {
        self.dir.open_file(name)
    }
}

fn name_and_kind(entry: &DirEntry) -> io::Result<(OsString, FileKind)> {
    Ok((entry.file_name(), file_kind(entry.file_type()?)))
}

/// Why a path was not opened, though the system would have.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(super) struct RefusedPath(pub(super) &'static str);

/// Whether an operation failed because a link, or no regular file, is at the path, or its directory was replaced.
pub(crate) fn is_link_refusal(error: &io::Error) -> bool {
    matches!(error.get_ref(), Some(inner) if inner.is::<RefusedPath>())
}

/// The metadata of a path that is no link.
pub(super) fn refuse_link(path: &Path) -> io::Result<Metadata> {
    let meta = fs::symlink_metadata(path)?;
    // A junction of Windows counts as one.
    if meta.is_symlink() {
        return Err(io::Error::other(RefusedPath("it is a link")));
    }
    Ok(meta)
}
