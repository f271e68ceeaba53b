//! Reads the files of a skill for inspection.

use std::io::Read;
use std::path::Path;

use crate::platform;
use skillpm_core::error::{ErrorContext, Result};

/// How many bytes are read of a file over the size limit.
pub const HEAD_SIZE: usize = 4096;

/// The content of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SkillFileContent {
    /// All of it.
    Bytes(Vec<u8>),
    /// It is too large: its size, and its first bytes.
    Large(u64, Vec<u8>),
}

/// Reads a file, and returns whether it is executable; of one larger than `max` bytes, only the beginning.
///
/// # Errors
/// If it is not there, cannot be read, or is not a regular file.
pub fn read(path: &Path, max: u64) -> Result<(SkillFileContent, bool)> {
    let context = || format!("failed to read `{}`", path.display());
    let found = super::disk::open_regular(path)?.ok_or(std::io::ErrorKind::NotFound.into());
    let (file, meta) = found
        .map_err(|error: std::io::Error| error)
        .context(context)?;

    let size = meta.len();
    if size > max {
        let mut head = Vec::with_capacity(HEAD_SIZE);
        file.take(HEAD_SIZE as u64)
            .read_to_end(&mut head)
            .context(context)?;
        let executable = is_executable(&meta, &head);
        return Ok((SkillFileContent::Large(size, head), executable));
    }

    let bytes = super::disk::read_whole(file, size, u64::MAX - 1).context(context)?;
    let executable = is_executable(&meta, &bytes);
    Ok((SkillFileContent::Bytes(bytes), executable))
}

/// A file of its own has no record of a package beside it.
fn is_executable(meta: &std::fs::Metadata, start: &[u8]) -> bool {
    platform::is_executable(&platform::file_stat(meta), || start.starts_with(b"#!"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_large_file_is_read_in_part() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x");
        std::fs::write(&path, vec![b'x'; 10]).unwrap();
        assert_eq!(
            read(&path, 10).unwrap(),
            (SkillFileContent::Bytes(vec![b'x'; 10]), false)
        );
        assert_eq!(
            read(&path, 9).unwrap(),
            (SkillFileContent::Large(10, vec![b'x'; 10]), false)
        );
        assert!(read(&dir.path().join("none"), 9).is_err());
    }
}
