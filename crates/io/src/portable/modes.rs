//! Executable files without modes.
//!
//! A file is executable if it begins with `#!`. Where that is not true of a package, the copies of it have a record of the
//! files that differ, which is no part of the package and keeps its checksum what it is elsewhere:
//!
//! ```text
//! + bin/tool
//! - scripts/library.sh
//! ```

use std::collections::BTreeMap;
use std::fs::{self, File, Metadata};
use std::io::{self, ErrorKind, Read as _};
use std::path::Path;

use super::files;
use crate::platform::{EXECUTABLE_RECORD, FileOwnership, FileStat};
use skillpm_core::package::Tree;

/// Largest record that is read, in bytes.
const RECORD_MAX: u64 = 4 << 20;

/// Which files below a directory are executable.
#[derive(Debug, Default)]
pub(crate) struct ExecutableFiles(BTreeMap<String, bool>);

impl ExecutableFiles {
    /// Reads the record in a directory; without one, each file begins as it is.
    pub(crate) fn read(dir: &Path) -> io::Result<ExecutableFiles> {
        let path = dir.join(EXECUTABLE_RECORD);
        match fs::symlink_metadata(&path) {
            Ok(meta) if meta.is_file() => {}
            // The directory of that name in a project, which can itself be a skill, is no record.
            Ok(_) => return Ok(ExecutableFiles::default()),
            Err(error)
                if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) =>
            {
                return Ok(ExecutableFiles::default());
            }
            Err(error) => return Err(error),
        }

        let mut text = String::new();
        files::open_file_no_follow(&path)?
            .take(RECORD_MAX)
            .read_to_string(&mut text)?;

        let entry = |line: &str| {
            let (sign, path) = line.split_once(' ')?;
            Some((path.to_owned(), sign == "+"))
        };
        Ok(ExecutableFiles(text.lines().filter_map(entry).collect()))
    }

    /// Whether the file at a relative path is executable. `is_script` reads whether it begins with `#!`.
    pub(crate) fn contains(
        &self,
        path: &str,
        _: &FileStat,
        is_script: impl FnOnce() -> bool,
    ) -> bool {
        self.0.get(path).copied().unwrap_or_else(is_script)
    }

    /// The record for a package; `None` if its files begin as they are.
    pub(crate) fn render_record(tree: &Tree) -> Option<String> {
        let differs = tree
            .files()
            .filter(|(_, file)| file.executable != file.bytes.starts_with(b"#!"));
        let lines: String = differs
            .map(|(path, file)| format!("{} {path}\n", if file.executable { '+' } else { '-' }))
            .collect();
        (!lines.is_empty()).then_some(lines)
    }
}

/// Whether a file is executable that no record is about.
pub(crate) fn is_executable(_: &FileStat, is_script: impl FnOnce() -> bool) -> bool {
    is_script()
}

/// Does nothing: a file is executable by what it begins with.
#[expect(clippy::unnecessary_wraps, reason = "others change the mode")]
pub(crate) fn make_executable(_: &Path) -> io::Result<()> {
    Ok(())
}

/// Does nothing: a temporary file has the permissions of a new one from the start.
#[expect(clippy::unnecessary_wraps, reason = "others change the mode")]
pub(crate) fn set_default_mode(_: &Path) -> io::Result<()> {
    Ok(())
}

/// Gives a temporary file the permissions of the file that it replaces.
pub(crate) fn set_mode_like(
    file: &File,
    _: &Path,
    like: Option<&Metadata>,
    _: bool,
) -> io::Result<()> {
    like.map_or(Ok(()), |meta| file.set_permissions(meta.permissions()))
}

/// Whether a file is read-only for everyone.
pub(crate) fn is_read_only(meta: &Metadata) -> bool {
    meta.permissions().readonly()
}

/// Nothing is known about owners: everything counts as ours.
pub(crate) fn file_ownership(_: &Metadata) -> FileOwnership {
    FileOwnership {
        is_ours: true,
        user: 0,
        others_write: false,
        others_access: false,
        mode: 0,
    }
}

/// Not known either.
pub(crate) fn is_root() -> bool {
    false
}

/// Whether a path is not marked as read-only.
pub(crate) fn is_writable(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|meta| !meta.permissions().readonly())
}

/// Fails: permissions for other users are not the same everywhere.
pub(crate) fn block_other_users(_: &Path, _: &Metadata) -> io::Result<()> {
    Err(ErrorKind::Unsupported.into())
}

/// Fails: permissions for other users are not the same everywhere.
pub(crate) fn block_other_writers(_: &Path, _: &Metadata) -> io::Result<()> {
    Err(ErrorKind::Unsupported.into())
}

/// Does nothing: owners are not known.
pub(crate) fn give_to_owner_above(_: &Path) {}
