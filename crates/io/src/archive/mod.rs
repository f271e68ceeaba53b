//! Archives: bytes → [`Tree`] and back. Nothing here touches the disk.
//!
//! An archive comes from a stranger, and must mean the same to every program that reads it: what a scanner saw has to
//! be what is installed. So what is unusual is refused instead of being understood generously, and an archive is taken
//! whole or not at all. Bytes are read only after their path and size were admitted by
//! the tree's [`Limits`], and memory is taken as they come, not as a header promises them.
//!
//! | form | read | written |
//! |---|---|---|
//! | `.tar.gz` | [`unpack`]: one gzip member; ustar, pax and GNU headers | [`pack()`]: plain ustar, one top directory; [`pack_at_root`]: none |
//! | `.zip`, `.skill` | [`unpack`]: stored and deflated, no zip64 | [`pack_zip()`]: one top directory |
//!
//! A package's archive holds one directory, `<name>-<version>/`; archives of others may have their files at the root.
//! [`strip_top`] makes one of both.

mod pack;
mod pack_zip;
mod tar;
mod zip;

use std::io::Read as _;

use flate2::read::MultiGzDecoder;

use crate::error::{Error, Result};
use crate::package::{Limits, Tree, TreeBuilder};

pub use pack::{is_as_packed, pack, pack_at_root};
pub use pack_zip::pack_zip;

/// Largest archive that is taken in, in bytes: well over what the largest allowed tree packs to.
pub const ARCHIVE_MAX: u64 = 32 << 20;

/// The form of an archive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A tar archive in one gzip member.
    TarGz,
    /// A zip archive, which `.skill` files are too.
    Zip,
}

impl Kind {
    /// The form that the first bytes show; `name` (of a file, or a URL) is only for the message.
    ///
    /// # Errors
    /// If they are neither a gzip's nor a zip's.
    pub fn of(name: &str, bytes: &[u8]) -> Result<Kind> {
        match bytes {
            [0x1f, 0x8b, ..] => Ok(Kind::TarGz),
            [b'P', b'K', 3, 4, ..] => Ok(Kind::Zip),
            [] => Err(Error::integrity(format!("`{}` is empty, not an archive", name.escape_debug()))),
            _ => {
                let start = String::from_utf8_lossy(&bytes[..bytes.len().min(24)]).escape_debug().to_string();
                Err(Error::integrity(format!("`{}` is not a `.tar.gz` or `.zip` archive", name.escape_debug()))
                    .note(format!("it begins with `{start}`")))
            }
        }
    }
}

/// Reads an archive into a tree, with every path as the archive has it.
///
/// Regular files and directories only. A file is executable if anybody may execute it; owners, times and all other
/// mode bits are not kept, nor are empty directories. A leading `./` is the same as none.
///
/// # Errors
/// [`Integrity`](crate::error::Kind::Integrity) if the archive is damaged, could be read in two ways, holds anything
/// else than files and directories, a path that no [`RelPath`](crate::package::RelPath) is, two paths that would meet,
/// or more than the limits allow.
pub fn unpack(bytes: &[u8], kind: Kind) -> Result<Tree> {
    match kind {
        Kind::TarGz => tar::unpack(bytes, Limits::default()),
        Kind::Zip => zip::unpack(bytes),
    }
}

/// Reads a `.tar.gz` that is no package, and may hold more than one does.
///
/// # Errors
/// As [`unpack`].
pub fn unpack_within(bytes: &[u8], limits: Limits) -> Result<Tree> {
    tar::unpack(bytes, limits)
}

/// Unpacks one file that was packed with gzip.
///
/// # Errors
/// If it is damaged, or has more than `limit` bytes.
pub fn gunzip(bytes: &[u8], limit: u64) -> Result<Vec<u8>> {
    let mut unpacked = Vec::new();
    let read = MultiGzDecoder::new(bytes).take(limit + 1).read_to_end(&mut unpacked);
    match read {
        Ok(_) if unpacked.len() as u64 <= limit => Ok(unpacked),
        Ok(_) => Err(Error::integrity(format!("what was packed has more than {limit} bytes"))),
        Err(cause) => Err(Error::integrity("what was packed with gzip is damaged").because(&cause)),
    }
}

/// Lifts the content of the one top directory to the root, and says how that directory was called.
///
/// A tree with a file at its root, or with several directories there, is given back as it is, with `None`.
///
/// # Errors
/// If the lifted tree passes a limit that holds for its root, such as that of `SKILL.md`.
pub fn strip_top(tree: Tree) -> Result<(Tree, Option<String>)> {
    let Some(top) = sole_top(&tree) else { return Ok((tree, None)) };
    let mut lifted = Tree::builder();
    for (path, file) in tree.into_files() {
        let below = &path.as_str()[top.len() + 1..];
        lifted.add(below, file.bytes, file.executable)?;
    }
    Ok((lifted.finish(), Some(top)))
}

/// The directory that every file lies below; `None` if there is none such.
fn sole_top(tree: &Tree) -> Option<String> {
    let mut tops = tree.files().map(|(path, _)| path.as_str().split_once('/').map(|(top, _)| top));
    let first = tops.next()??;
    tops.all(|top| top == Some(first)).then(|| first.to_owned())
}

/// What the headers of an entry say, whichever form they have.
struct Entry {
    path: String,
    size: u64,
    executable: bool,
}

/// The path of a name as an archive has it; `None` if it is the root itself (`./`).
fn entry_path(name: &[u8], is_directory: bool) -> Result<Option<String>> {
    let Ok(name) = std::str::from_utf8(name) else {
        return Err(Error::integrity(format!("the archive holds a name that is not UTF-8: `{}`", shown(name))));
    };
    let mut path = name.strip_prefix("./").unwrap_or(name);
    if is_directory {
        if name == "." || name == "./" {
            return Ok(None);
        }
        path = path.strip_suffix('/').unwrap_or(path);
    }
    Ok(Some(path.to_owned()))
}

/// Takes a directory's name into the tree.
fn add_directory(tree: &mut TreeBuilder, name: &[u8]) -> Result<()> {
    match entry_path(name, true)? {
        Some(path) => tree.add_directory(&path),
        None => Ok(()),
    }
}

/// A name from an archive, safe to be shown.
fn shown(name: &[u8]) -> String {
    String::from_utf8_lossy(name).escape_debug().to_string()
}

/// The archive is not what its own headers and sums say.
fn damaged(what: impl Into<String>) -> Error {
    Error::integrity("the archive is damaged").cause(what).help("get it anew; if it stays so, tell whoever serves it")
}

/// The archive could be read in two ways.
fn ambiguous(what: impl std::fmt::Display) -> Error {
    Error::integrity(format!("the archive could be read in two ways: {what}"))
}

/// The archive holds something that is neither a regular file nor a directory.
fn not_a_file(name: &[u8], what: &str) -> Error {
    Error::integrity(format!("the archive holds {what}: `{}`", shown(name)))
        .note("a package holds regular files and directories only")
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
    fn the_first_bytes_decide_the_form() {
        assert_eq!(Kind::of("a.zip", b"\x1f\x8b\x08").unwrap(), Kind::TarGz);
        assert_eq!(Kind::of("a.skill", b"PK\x03\x04").unwrap(), Kind::Zip);
        assert!(Kind::of("a", b"").is_err());
        let error = Kind::of("a.tar.gz", b"<html>\x1b[2J please log in").unwrap_err();
        assert!(!format!("{error:?}").contains('\x1b'));
    }

    #[test]
    fn one_top_directory_is_lifted_and_named() {
        let (lifted, top) = strip_top(tree(&["demo-1.0.0/SKILL.md", "demo-1.0.0/a/b"])).unwrap();
        assert_eq!(top.as_deref(), Some("demo-1.0.0"));
        assert_eq!(lifted.files().map(|(path, _)| path.as_str()).collect::<Vec<_>>(), ["SKILL.md", "a/b"]);
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
        tree.add("demo/SKILL.md", vec![b'x'; (1 << 20) + 1], false).unwrap();
        assert!(strip_top(tree.finish()).is_err());
    }
}
