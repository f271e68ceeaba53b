//! Recursive removal of directories, without following links.

use std::ffi::OsStr;
use std::io::{self, ErrorKind};
use std::path::Path;

use super::{DiskOperation, failpoint};
use crate::platform::{FileKind, OpenDirectory};

/// Removes a directory and everything below it; a link is removed, its target is not.
///
/// # Errors
/// If it is a link or not a directory, or the system refuses.
pub(super) fn remove_directory(path: &Path) -> io::Result<()> {
    remove_contents(&OpenDirectory::open_no_follow(path)?, path)?;
    failpoint(DiskOperation::Remove, path)?;
    std::fs::remove_dir(path)
}

/// Removes the directory `name` in an open directory; `path` is its full path.
pub(super) fn remove_in(within: &OpenDirectory, name: &OsStr, path: &Path) -> io::Result<()> {
    remove_contents(&within.open_dir(name)?, path)?;
    failpoint(DiskOperation::Remove, path)?;
    within.remove_dir(name)
}

fn remove_contents(dir: &OpenDirectory, path: &Path) -> io::Result<()> {
    for (name, kind) in dir.read_entries()? {
        let below = path.join(&name);
        let is_directory = kind == FileKind::Directory;
        if is_directory {
            match dir.open_dir(&name) {
                Err(error) if error.kind() == ErrorKind::NotFound => continue,
                open => remove_contents(&open?, &below)?,
            }
        }

        failpoint(DiskOperation::Remove, &below)?;
        let removed = if is_directory {
            dir.remove_dir(&name)
        } else {
            dir.remove_file(&name)
        };
        match removed {
            // Another process removed it first.
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            removed => removed?,
        }
    }
    Ok(())
}

#[cfg(all(test, unix))]
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
