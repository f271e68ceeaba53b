//! Recursive removal of directories, without following links.

use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::os::fd::AsFd;
use std::path::Path;

use rustix::fs::{AtFlags, CWD, Dir, FileType, Mode, openat, unlinkat};
use rustix::io::Errno;

use super::tree::{DIRECTORY, entry_kind};
use super::{DiskOperation, failpoint};

/// Removes a directory and everything below it; a link is removed, its target is not.
///
/// # Errors
/// If it is a link or not a directory, or the system refuses.
pub(super) fn remove_directory(path: &Path) -> io::Result<()> {
    remove_in(CWD, path.as_os_str(), path)
}

/// Removes the directory `name` in an open directory; `path` is its full path.
pub(super) fn remove_in(within: impl AsFd, name: &OsStr, path: &Path) -> io::Result<()> {
    remove_contents(
        &openat(&within, name, DIRECTORY, Mode::empty())?.into(),
        path,
    )?;
    failpoint(DiskOperation::Remove, path)?;
    Ok(unlinkat(&within, name, AtFlags::REMOVEDIR)?)
}

fn remove_contents(dir: &File, path: &Path) -> io::Result<()> {
    // Read to the end first: a directory that shrinks while it is read may skip entries.
    for entry in Dir::read_from(dir)?.collect::<Result<Vec<_>, _>>()? {
        let name = entry.file_name();
        if matches!(name.to_bytes(), b"." | b"..") {
            continue;
        }

        let below = path.join(name.to_string_lossy().as_ref());
        let flags = if entry_kind(dir, &entry)? == FileType::Directory {
            match openat(dir, name, DIRECTORY, Mode::empty()) {
                Err(Errno::NOENT) => continue,
                open => remove_contents(&open?.into(), &below)?,
            }
            AtFlags::REMOVEDIR
        } else {
            AtFlags::empty()
        };

        failpoint(DiskOperation::Remove, &below)?;
        match unlinkat(dir, name, flags) {
            // Another process removed it first.
            Ok(()) | Err(Errno::NOENT) => {}
            Err(errno) => return Err(errno.into()),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn everything_below_is_removed_and_link_targets_stay() {
        let dir = tempfile::tempdir().unwrap();
        let gone = dir.path().join("gone");
        fs::create_dir_all(gone.join("a/b")).unwrap();
        fs::write(gone.join("a/b/c"), "c").unwrap();
        fs::create_dir(dir.path().join("kept")).unwrap();
        fs::write(dir.path().join("kept/file"), "x").unwrap();
        std::os::unix::fs::symlink("../../kept", gone.join("a/link")).unwrap();
        std::os::unix::fs::symlink("nowhere", gone.join("dangling")).unwrap();
        remove_directory(&gone).unwrap();
        assert_eq!(super::super::list_names(dir.path()).unwrap(), ["kept"]);
        assert!(dir.path().join("kept/file").exists());
        std::os::unix::fs::symlink("kept", dir.path().join("link")).unwrap();
        assert!(remove_directory(&dir.path().join("link")).is_err());
        assert!(dir.path().join("kept/file").exists());
    }
}
