//! Archives: bytes → [`Tree`] and back. Nothing here accesses the disk.
//!
//! Archives are untrusted, and must mean the same to every program that reads them: what a scanner saw has to be
//! what is installed. So unusual features are refused instead of being interpreted leniently, and an archive is
//! unpacked whole or not at all. Bytes are read only after their path and size were checked against the tree's
//! [`TreeLimits`], and memory is allocated as bytes come, not by the size in a header.
//!
//! | form | read | written |
//! |---|---|---|
//! | `.tar.gz` | [`unpack`]: one gzip member; ustar, pax and GNU headers | [`pack()`]: plain ustar, one top directory; [`pack_at_root`]: none |
//! | `.zip`, `.skill` | [`unpack`]: stored and deflated, no zip64 | [`pack_zip()`]: one top directory |
//!
//! A package's archive contains one directory, `<name>-<version>/`; third-party archives may have their files at
//! the root. [`strip_top`] handles both.

mod pack;
mod pack_zip;
mod tar;
mod zip;

use std::io::Read as _;

use flate2::read::MultiGzDecoder;

use skillpm_core::error::{Error, Result};
use skillpm_core::package::{Tree, TreeBuilder, TreeLimits};

pub use pack::{gzip, is_as_packed, pack, pack_at_root};
pub use pack_zip::pack_zip;

/// Largest archive that is read, in bytes: well over the packed size of the largest allowed tree.
pub const ARCHIVE_MAX: u64 = 32 << 20;

/// The format of an archive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ArchiveFormat {
    /// A tar archive in one gzip member.
    TarGz,
    /// A zip archive, which `.skill` files are too.
    Zip,
}

impl ArchiveFormat {
    /// Detects the format by the first bytes; `name` (of a file, or a URL) is only for the message.
    ///
    /// # Errors
    /// If they are neither those of gzip nor of zip.
    pub fn detect(name: &str, bytes: &[u8]) -> Result<ArchiveFormat> {
        match bytes {
            [0x1f, 0x8b, ..] => Ok(ArchiveFormat::TarGz),
            [b'P', b'K', 3, 4, ..] => Ok(ArchiveFormat::Zip),
            [] => Err(Error::integrity(format!(
                "invalid archive `{}`: the file is empty",
                name.escape_debug()
            ))),
            _ => {
                // Mostly an error page or a login form: its first bytes show which.
                let start = String::from_utf8_lossy(&bytes[..bytes.len().min(24)])
                    .escape_debug()
                    .to_string();
                Err(Error::integrity(format!(
                    "unsupported archive format: `{}` is not a `.tar.gz` or `.zip` archive",
                    name.escape_debug()
                ))
                .note(format!("it begins with `{start}`")))
            }
        }
    }
}

/// Reads an archive into a tree, with every path as the archive has it.
///
/// Regular files and directories only. A file is executable if any execute bit is set; owners, times and all other
/// mode bits are not kept, nor are empty directories. A leading `./` is the same as none.
///
/// # Errors
/// [`Integrity`](skillpm_core::error::FailureKind::Integrity) if the archive is damaged or ambiguous, contains
/// anything except files and directories, a path that is not a valid [`RelPath`](skillpm_core::package::RelPath),
/// two conflicting paths, or more than the limits allow.
pub fn unpack(bytes: &[u8], kind: ArchiveFormat) -> Result<Tree> {
    match kind {
        ArchiveFormat::TarGz => tar::unpack(bytes, TreeLimits::default()),
        ArchiveFormat::Zip => zip::unpack(bytes),
    }
}

/// Reads a `.tar.gz` that is not a package, with its own limits.
///
/// # Errors
/// As [`unpack`].
pub fn unpack_tar_within(bytes: &[u8], limits: TreeLimits) -> Result<Tree> {
    tar::unpack(bytes, limits)
}

/// Decompresses a gzip file.
///
/// # Errors
/// If it is damaged, or has more than `limit` bytes.
pub fn gunzip(bytes: &[u8], limit: u64) -> Result<Vec<u8>> {
    let mut unpacked = Vec::new();
    // One byte over the limit distinguishes a larger file from one of exactly that size.
    let read = MultiGzDecoder::new(bytes)
        .take(limit + 1)
        .read_to_end(&mut unpacked);

    match read {
        Ok(_) if unpacked.len() as u64 <= limit => Ok(unpacked),
        Ok(_) => Err(Error::integrity(format!(
            "refusing to decompress gzip data to more than {limit} bytes"
        ))),
        Err(cause) => Err(Error::integrity("failed to decompress gzip data").with_sources(&cause)),
    }
}

/// Moves the content of the only top directory to the root, and returns the name of that directory.
///
/// A tree with a file at its root, or with several directories there, is returned unchanged, with `None`.
///
/// # Errors
/// If the new tree exceeds a limit that applies at its root, such as that of `SKILL.md`.
pub fn strip_top(tree: Tree) -> Result<(Tree, Option<String>)> {
    // Archives of GitHub have everything in one directory, `REPO-REF/`.
    let Some(top) = find_sole_top(&tree) else {
        return Ok((tree, None));
    };

    let mut lifted = Tree::builder();
    for (path, file) in tree.into_files() {
        let relative = &path.as_str()[top.len() + 1..];
        lifted.add(relative, file.bytes, file.executable)?;
    }

    Ok((lifted.finish(), Some(top)))
}

/// The top directory of all files; `None` if there is no single one.
fn find_sole_top(tree: &Tree) -> Option<String> {
    let mut tops = tree
        .files()
        .map(|(path, _)| path.as_str().split_once('/').map(|(top, _)| top));
    // A file at the root has no directory: return.
    let first = tops.next()??;
    tops.all(|top| top == Some(first)).then(|| first.to_owned())
}

/// The header fields of an entry, of either format.
struct ArchiveEntry {
    path: String,
    size: u64,
    executable: bool,
}

/// The path of an entry name; `None` if it is the root itself (`./`).
fn entry_path(name: &[u8], is_directory: bool) -> Result<Option<String>> {
    let Ok(name) = std::str::from_utf8(name) else {
        return Err(Error::integrity(format!(
            "invalid file name in the archive: `{}` is not UTF-8",
            escape_name(name)
        )));
    };

    let mut path = name.strip_prefix("./").unwrap_or(name);
    if is_directory {
        // `tar -C dir .` writes the root itself as an entry.
        if name == "." || name == "./" {
            return Ok(None);
        }
        path = path.strip_suffix('/').unwrap_or(path);
    }
    Ok(Some(path.to_owned()))
}

/// Adds a directory to the tree.
fn add_directory(tree: &mut TreeBuilder, name: &[u8]) -> Result<()> {
    match entry_path(name, true)? {
        Some(path) => tree.add_directory(&path),
        None => Ok(()),
    }
}

/// A name from an archive, safe to be shown.
fn escape_name(name: &[u8]) -> String {
    String::from_utf8_lossy(name).escape_debug().to_string()
}

/// The error for an archive that contradicts its own headers or checksums.
fn damaged_archive(what: impl Into<String>) -> Error {
    Error::integrity("failed to unpack the archive: it is damaged")
        .cause(what)
        .help("download it again; if that does not help, report it to the maintainer of the server")
}

/// The error for an archive that programs may read differently.
fn ambiguous_archive(what: impl std::fmt::Display) -> Error {
    Error::integrity(format!("refusing to unpack an ambiguous archive: {what}"))
}

/// The error for an entry that is neither a regular file nor a directory.
fn unsupported_entry(name: &[u8], what: &str) -> Error {
    Error::integrity(format!(
        "unsupported entry in the archive: `{}` is {what}",
        escape_name(name)
    ))
    .note("a package contains regular files and directories only")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(paths: &[&str]) -> Tree {
        let mut tree = Tree::builder();
        for path in paths {
            tree.add(path, path.as_bytes().to_vec(), false).unwrap();
        }
        tree.finish()
    }

    #[test]
    fn archive_format_is_detected_by_its_first_bytes() {
        assert_eq!(
            ArchiveFormat::detect("a.zip", b"\x1f\x8b\x08").unwrap(),
            ArchiveFormat::TarGz
        );
        assert_eq!(
            ArchiveFormat::detect("a.skill", b"PK\x03\x04").unwrap(),
            ArchiveFormat::Zip
        );
        assert!(ArchiveFormat::detect("a", b"").is_err());
        let error = ArchiveFormat::detect("a.tar.gz", b"<html>\x1b[2J please log in").unwrap_err();
        assert!(!format!("{error:?}").contains('\x1b'));
    }

    #[test]
    fn one_top_directory_is_lifted_and_named() {
        let (lifted, top) = strip_top(tree(&["demo-1.0.0/SKILL.md", "demo-1.0.0/a/b"])).unwrap();
        assert_eq!(top.as_deref(), Some("demo-1.0.0"));
        assert_eq!(
            lifted
                .files()
                .map(|(path, _)| path.as_str())
                .collect::<Vec<_>>(),
            ["SKILL.md", "a/b"]
        );
    }

    #[test]
    fn files_at_the_root_and_two_tops_stay_as_they_are() {
        for paths in [&["SKILL.md", "a/b"][..], &["a/x", "b/x"], &[]] {
            let (lifted, top) = strip_top(tree(paths)).unwrap();
            assert_eq!((lifted, top), (tree(paths), None));
        }
    }

    #[test]
    fn the_limit_of_the_skill_file_holds_below_a_top_directory() {
        let mut tree = Tree::builder();
        tree.add("demo/SKILL.md", vec![b'x'; (1 << 20) + 1], false)
            .unwrap();
        assert!(strip_top(tree.finish()).is_err());
    }
}
