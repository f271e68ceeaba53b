//! Skills below a directory, with their files, for those who look into them.

use std::path::Path;

use crate::error::Result;

/// One thing below a directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Its path, relative to the directory and with `/`.
    pub path: String,
    /// What it is.
    pub content: Content,
    /// Whether it may be run.
    pub executable: bool,
}

/// What an [`Entry`] is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Content {
    /// A file, whole.
    Bytes(Vec<u8>),
    /// A file that is too large: its size, and its first bytes.
    Large(u64, Vec<u8>),
    /// A link, and where to.
    Link(String),
    /// A device, a pipe, or the like.
    Special,
}

/// Everything below `dir`, sorted by path.
///
/// # Errors
/// If a directory or file cannot be read.
pub fn read_all(dir: &Path, file_max: u64) -> Result<Vec<Entry>> {
    let mut entries = Vec::new();
    read_below(dir, "", file_max, &mut entries)?;
    entries.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(entries)
}

fn read_below(dir: &Path, below: &str, file_max: u64, entries: &mut Vec<Entry>) -> Result<()> {
    for name in super::disk::names(dir)? {
        if name == ".git" {
            continue;
        }
        let place = dir.join(&name);
        let path = if below.is_empty() { name } else { format!("{below}/{name}") };
        let Some(stat) = super::disk::lstat(&place)? else { continue };
        if stat.is_dir() {
            read_below(&place, &path, file_max, entries)?;
            continue;
        }
        let content = if stat.is_symlink() {
            Content::Link(super::disk::read_link(&place)?.to_string_lossy().into_owned())
        } else if !stat.is_file() {
            Content::Special
        } else {
            let bytes = super::disk::read(&place)?.unwrap_or_default();
            if bytes.len() as u64 > file_max {
                Content::Large(bytes.len() as u64, bytes[..4096].to_vec())
            } else {
                Content::Bytes(bytes)
            }
        };
        #[cfg(unix)]
        let executable = std::os::unix::fs::PermissionsExt::mode(&stat.permissions()) & 0o111 != 0;
        entries.push(Entry { path, content, executable });
    }
    Ok(())
}
