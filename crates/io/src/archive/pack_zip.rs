//! Writes `.zip`: the same tree gives the same bytes, on every machine.

use std::io::Write;

use flate2::Compression;
use flate2::Crc;
use flate2::write::DeflateEncoder;

use skillpm_core::error::{Error, Result};
use skillpm_core::package::{RelPath, Tree, TreeFile};

/// The version a reader needs: 2.0, for deflated files.
const VERSION_NEEDED: u16 = 20;
/// Made on Unix, so that readers apply the modes.
const MADE_BY: u16 = 3 << 8 | VERSION_NEEDED;
/// Flag: the name is UTF-8.
const UTF8: u16 = 1 << 11;
const STORED: u16 = 0;
const DEFLATED: u16 = 8;
/// The first of January 1980, the earliest time in a zip.
const DOS_EPOCH_DATE: u16 = 1 << 5 | 1;
const REGULAR: u32 = 0o100_000;

/// Packs a tree below the directory `top`, reproducibly: files only, sorted by path, without times, mode 0644 or 0755.
///
/// # Errors
/// If a path with `top/` before it is not allowed in a package.
pub fn pack_zip(tree: &Tree, top: &str) -> Result<Vec<u8>> {
    let top: RelPath = top.parse()?;
    let (mut archive, mut directory) = (Vec::new(), Vec::new());
    let mut files: u16 = 0;

    for (path, file) in tree.files() {
        let entry = ZipEntry::new(top.join(path.as_str())?, file)?;
        entry.write_central(&mut directory, encode_size(archive.len())?);
        entry.write_local(&mut archive);
        // More than 65,535 files require zip64.
        files = files.checked_add(1).ok_or_else(too_large)?;
    }

    let (start, length) = (encode_size(archive.len())?, encode_size(directory.len())?);
    archive.append(&mut directory);

    // The end record: the first disk is the only one. Files are counted twice, for this disk
    // and for all of them.
    archive.extend_from_slice(b"PK\x05\x06\0\0\0\0");
    archive.extend_from_slice(&files.to_le_bytes());
    archive.extend_from_slice(&files.to_le_bytes());
    archive.extend_from_slice(&length);
    archive.extend_from_slice(&start);
    // No archive comment.
    archive.extend_from_slice(&[0, 0]);
    Ok(archive)
}

/// A file to be written to an archive.
struct ZipEntry {
    path: RelPath,
    mode: u32,
    /// The fields that both of its headers share.
    shared: Vec<u8>,
    data: Vec<u8>,
}

impl ZipEntry {
    fn new(path: RelPath, file: &TreeFile) -> Result<Self> {
        let mut sum = Crc::new();
        sum.update(&file.bytes);
        let (method, data) = compress(&file.bytes);
        let name_length = u16::try_from(path.as_str().len()).map_err(|_| too_large())?;

        let mut shared = Vec::new();
        for number in [VERSION_NEEDED, UTF8, method, 0, DOS_EPOCH_DATE] {
            shared.extend_from_slice(&number.to_le_bytes());
        }
        shared.extend_from_slice(&sum.sum().to_le_bytes());
        shared.extend_from_slice(&encode_size(data.len())?);
        shared.extend_from_slice(&encode_size(file.bytes.len())?);
        shared.extend_from_slice(&name_length.to_le_bytes());
        // No extra field.
        shared.extend_from_slice(&[0, 0]);

        let mode = REGULAR | if file.executable { 0o755 } else { 0o644 };
        Ok(ZipEntry {
            path,
            mode,
            shared,
            data,
        })
    }

    fn write_local(&self, archive: &mut Vec<u8>) {
        archive.extend_from_slice(b"PK\x03\x04");
        archive.extend_from_slice(&self.shared);
        archive.extend_from_slice(self.path.as_str().as_bytes());
        archive.extend_from_slice(&self.data);
    }

    fn write_central(&self, directory: &mut Vec<u8>, offset: [u8; 4]) {
        directory.extend_from_slice(b"PK\x01\x02");
        directory.extend_from_slice(&MADE_BY.to_le_bytes());
        directory.extend_from_slice(&self.shared);
        // No comment, the first disk, no internal attributes.
        directory.extend_from_slice(&[0; 6]);
        directory.extend_from_slice(&(self.mode << 16).to_le_bytes());
        directory.extend_from_slice(&offset);
        directory.extend_from_slice(self.path.as_str().as_bytes());
    }
}

/// Deflates the bytes if that makes them smaller.
fn compress(bytes: &[u8]) -> (u16, Vec<u8>) {
    let mut deflate = DeflateEncoder::new(Vec::new(), Compression::new(9));
    let packed = deflate
        .write_all(bytes)
        .and_then(|()| deflate.finish())
        .expect("writing to memory does not fail");

    // Compressed data, such as an image, grows when it is deflated.
    if packed.len() < bytes.len() {
        (DEFLATED, packed)
    } else {
        (STORED, bytes.to_vec())
    }
}

fn encode_size(bytes: usize) -> Result<[u8; 4]> {
    match u32::try_from(bytes) {
        // The highest number means that the size is in a zip64 field.
        Ok(size) if size < u32::MAX => Ok(size.to_le_bytes()),
        _ => Err(too_large()),
    }
}

fn too_large() -> Error {
    Error::negative("failed to create zip archive: it is too large without zip64")
}

#[cfg(test)]
mod tests {
    use std::io::{Cursor, Read};

    use super::super::{ArchiveFormat, strip_top, unpack};
    use super::*;

    #[test]
    fn packed_zip_is_read_by_two_readers() {
        let mut tree = Tree::builder();
        tree.add("SKILL.md", b"text ".repeat(100), false).unwrap();
        tree.add("scripts/é.py", vec![0, 159, 146, 150], true)
            .unwrap();
        tree.add("empty", Vec::new(), false).unwrap();
        let tree = tree.finish();
        let bytes = pack_zip(&tree, "demo").unwrap();
        assert_eq!(bytes, pack_zip(&tree, "demo").unwrap());
        let (found, top) = strip_top(unpack(&bytes, ArchiveFormat::Zip).unwrap()).unwrap();
        assert_eq!((found, top.as_deref()), (tree, Some("demo")));
        let mut other = ::zip::ZipArchive::new(Cursor::new(bytes)).unwrap();
        let names: Vec<String> = other
            .file_names()
            .map(|name| name.unwrap().into_owned())
            .collect();
        assert_eq!(names, ["demo/SKILL.md", "demo/empty", "demo/scripts/é.py"]);
        let mut file = other.by_name("demo/scripts/é.py").unwrap();
        let mut content = Vec::new();
        file.read_to_end(&mut content).unwrap();
        assert_eq!(
            (content, file.unix_mode()),
            (vec![0, 159, 146, 150], Some(0o100_755))
        );
    }
}
