//! Reads `.zip` and `.skill`.
//!
//! A zip describes each entry twice, in a local header and in the central directory at its end, and programs differ
//! in which they use. Here both are read and must agree, and there may be no unused bytes: the files are contiguous
//! from the first byte on, followed by the central directory, the end record and its comment.
//!
//! ```text
//! [local header, name, extra, data (, descriptor)] …  [central header, name, extra, comment] …  [end record, comment]
//! ```
//!
//! Stored and deflated files are supported, also with data descriptors (as Finder and Go write them). No package is
//! large enough for zip64, so it is refused, as are encryption and links. A non-ASCII name must be UTF-8 and flagged
//! as such, except in archives made on Unix, where Info-ZIP never sets the flag and every reader except Python's
//! uses the name as it is. The entries below `__MACOSX/`, Finder's metadata, are checked and left out.

use std::io::Read;

use flate2::Crc;
use flate2::bufread::DeflateDecoder;

use super::{
    ArchiveEntry, add_directory, ambiguous_archive, damaged_archive, entry_path, escape_name,
    unsupported_entry,
};
use skillpm_core::error::{Error, Result};
use skillpm_core::package::{Tree, TreeBuilder};

const LOCAL: [u8; 4] = *b"PK\x03\x04";
const CENTRAL: [u8; 4] = *b"PK\x01\x02";
const END: [u8; 4] = *b"PK\x05\x06";
const DESCRIPTOR: [u8; 4] = *b"PK\x07\x08";

/// Bytes of the end record without its comment.
const END_SIZE: usize = 22;

/// Flag: sizes and checksum follow the data.
const STREAMED: u16 = 1 << 3;
/// Flag: the name is UTF-8.
const UTF8: u16 = 1 << 11;
/// Flags that change nothing: the two of the compression level, and those above.
const KNOWN_FLAGS: u16 = 0b110 | STREAMED | UTF8;

const STORED: u16 = 0;
const DEFLATED: u16 = 8;

/// Extra field that would override the sizes.
const EXTRA_ZIP64: u16 = 0x0001;
/// Extra field that would override the name.
const EXTRA_NAME: u16 = 0x7075;

const FILE_TYPE: u32 = 0o170_000;
const REGULAR: u32 = 0o100_000;
const DIRECTORY: u32 = 0o040_000;
const SYMLINK: u32 = 0o120_000;

/// Reads a zip into a tree.
pub(super) fn unpack(bytes: &[u8]) -> Result<Tree> {
    let (mut tree, mut finder_metadata) = (Tree::builder(), Tree::builder());
    let (mut records, directory) = read_directory(bytes)?;
    records.sort_by_key(|record| record.offset);
    let mut cursor = ZipCursor {
        bytes: &bytes[..directory],
        position: 0,
    };

    // Entry after entry without a gap: a reader that scans for local headers would find other
    // files in a gap.
    for record in &records {
        if record.offset != cursor.position {
            return Err(ambiguous_archive(format_args!(
                "`{}` is not at the expected offset",
                escape_name(record.name)
            )));
        }

        // The same limits apply to Finder's entries, as a tree that is dropped.
        read_entry(
            if record.is_finder_metadata() {
                &mut finder_metadata
            } else {
                &mut tree
            },
            &mut cursor,
            record,
        )?;
    }

    if cursor.position != directory {
        return Err(ambiguous_archive(
            "its central directory does not list every entry",
        ));
    }
    Ok(tree.finish())
}

/// The record of an entry in the central directory.
struct CentralRecord<'a> {
    name: &'a [u8],
    flags: u16,
    method: u16,
    crc: u32,
    packed_size: usize,
    size: usize,
    offset: usize,
    /// Whether the entry was made on a Unix.
    unix: bool,
    /// The Unix file type, and the permissions if the entry was made on a Unix.
    mode: u32,
}

impl CentralRecord<'_> {
    fn is_directory(&self) -> bool {
        self.name.ends_with(b"/")
    }

    /// Whether it is metadata of Finder.
    fn is_finder_metadata(&self) -> bool {
        self.name.starts_with(b"__MACOSX/")
    }
}

/// Reads the central directory, and returns its records and offset.
fn read_directory(bytes: &[u8]) -> Result<(Vec<CentralRecord<'_>>, usize)> {
    let end = find_end_record(bytes)?;
    let mut cursor = ZipCursor {
        bytes,
        position: end + 4,
    };
    let disks = (cursor.u16()?, cursor.u16()?);
    let (here, count) = (cursor.u16()?, cursor.u16()?);
    let (size, start) = (cursor.size()?, cursor.size()?);

    if disks != (0, 0) || here != count {
        return Err(damaged_archive("it is one part of a multi-part archive"));
    }
    // With bytes before the first file every offset is off, which some readers correct.
    if start.checked_add(size) != Some(end) {
        return Err(ambiguous_archive(
            "data before its first file or after its central directory",
        ));
    }

    let mut cursor = ZipCursor {
        bytes: &bytes[..end],
        position: start,
    };
    let records = (0..count)
        .map(|_| read_record(&mut cursor))
        .collect::<Result<Vec<_>>>()?;

    if cursor.position == end {
        Ok((records, start))
    } else {
        Err(ambiguous_archive(
            "its central directory has more entries than it declares",
        ))
    }
}

/// The offset of the end record: the only one whose comment reaches exactly to the end of the file.
fn find_end_record(bytes: &[u8]) -> Result<usize> {
    // The comment behind it has at most 65,535 bytes.
    let first = bytes.len().saturating_sub(END_SIZE + usize::from(u16::MAX));
    let mut found = None;

    for at in first..(bytes.len() + 1).saturating_sub(END_SIZE) {
        let comment = usize::from(u16::from_le_bytes([bytes[at + 20], bytes[at + 21]]));
        // A comment may contain a second end record, which another reader would use instead.
        if bytes[at..].starts_with(&END)
            && at + END_SIZE + comment == bytes.len()
            && found.replace(at).is_some()
        {
            return Err(ambiguous_archive("it has two end records"));
        }
    }

    found.ok_or_else(|| damaged_archive("missing end record, or data after it"))
}

fn read_record<'a>(cursor: &mut ZipCursor<'a>) -> Result<CentralRecord<'a>> {
    cursor.expect_signature(CENTRAL, "invalid central directory")?;
    let made_by = cursor.u16()?;
    let _needed = cursor.u16()?;
    let (flags, method) = (cursor.u16()?, cursor.u16()?);
    let _time = cursor.take(4)?;
    let crc = cursor.u32()?;
    let (packed, size) = (cursor.size()?, cursor.size()?);
    let (name, extra, comment) = (cursor.u16()?, cursor.u16()?, cursor.u16()?);
    let disk = cursor.u16()?;
    let _internal = cursor.u16()?;
    let attributes = cursor.u32()?;
    let offset = cursor.size()?;

    let name = cursor.take(name.into())?;
    check_extra(cursor.take(extra.into())?, name)?;
    cursor.take(comment.into())?;

    // 3 is Unix, 19 is Darwin.
    let unix = matches!(made_by >> 8, 3 | 19);
    let mode = unix_mode(name, unix, attributes)?;

    let record = CentralRecord {
        name,
        flags,
        method,
        crc,
        packed_size: packed,
        size,
        offset,
        unix,
        mode,
    };
    check_record(&record, disk)?;
    Ok(record)
}

/// Refuses features that packages do not use.
fn check_record(record: &CentralRecord, disk: u16) -> Result<()> {
    let name = escape_name(record.name);

    if disk != 0 {
        return Err(damaged_archive("it is one part of a multi-part archive"));
    }
    if record.flags & !KNOWN_FLAGS != 0 {
        return Err(Error::integrity(format!(
            "unsupported zip entry `{name}`: it is encrypted, or has unknown flags"
        ))
        .help("create the archive without a password"));
    }
    if record.method != STORED && record.method != DEFLATED {
        return Err(Error::integrity(format!(
            "unsupported compression method {} of `{name}`",
            record.method
        ))
        .note("only stored and deflated files are supported"));
    }
    if record.flags & UTF8 == 0 && !record.unix && !record.name.is_ascii() {
        return Err(ambiguous_archive(format_args!(
            "the name `{name}` is not marked as UTF-8"
        )));
    }

    // Readers go by the file type or by the trailing `/`: both must say the same.
    let type_says_directory = match record.mode & FILE_TYPE {
        0 => record.is_directory(),
        REGULAR => false,
        DIRECTORY => true,
        SYMLINK => return Err(unsupported_entry(record.name, "a symbolic link")),
        _ => return Err(unsupported_entry(record.name, "a special file")),
    };

    if type_says_directory != record.is_directory() || record.is_directory() && record.size != 0 {
        return Err(ambiguous_archive(format_args!(
            "`{name}` is marked as a file and as a directory"
        )));
    }
    Ok(())
}

/// The Unix mode. Its file type is used for entries of every system, since some readers do not check the system; its
/// permissions only for those made on a Unix.
fn unix_mode(name: &[u8], unix: bool, attributes: u32) -> Result<u32> {
    let mode = attributes >> 16;
    let says_directory = attributes & 0x10 != 0;
    if says_directory && !name.ends_with(b"/") {
        return Err(ambiguous_archive(format_args!(
            "`{}` is marked as a file and as a directory",
            escape_name(name)
        )));
    }
    Ok(if unix { mode } else { mode & FILE_TYPE })
}

/// Refuses extra fields that override the header.
fn check_extra(extra: &[u8], name: &[u8]) -> Result<()> {
    let mut cursor = ZipCursor {
        bytes: extra,
        position: 0,
    };

    while cursor.position < extra.len() {
        let (id, size) = (cursor.u16()?, cursor.u16()?);
        let field = cursor.take(size.into())?;
        match id {
            EXTRA_ZIP64 => {
                return Err(Error::integrity("unsupported archive format: zip64")
                    .help("create it as a plain zip"));
            }
            // One byte of version, four of the name's checksum, then the other name.
            EXTRA_NAME if field.get(5..) != Some(name) => {
                return Err(ambiguous_archive(format_args!(
                    "`{}` has another name in an extra field",
                    escape_name(name)
                )));
            }
            _ => {}
        }
    }
    Ok(())
}

/// Reads the entry at the cursor, which must be `record`'s, up to the next one.
fn read_entry(
    tree: &mut TreeBuilder,
    cursor: &mut ZipCursor,
    record: &CentralRecord,
) -> Result<()> {
    read_local(cursor, record)?;
    let data = cursor.take(record.packed_size)?;
    if record.flags & STREAMED != 0 {
        read_descriptor(cursor, record)?;
    }

    if record.is_directory() {
        // Even without content, size and checksum must be right.
        inflate(data, record)?;
        return add_directory(tree, record.name);
    }

    let Some(path) = entry_path(record.name, false)? else {
        return Err(damaged_archive("a file has no name"));
    };

    let entry = ArchiveEntry {
        path,
        size: record.size as u64,
        executable: record.mode & 0o111 != 0,
    };

    // The limits are checked against the size in the header, before anything is unpacked.
    tree.check_file(&entry.path, entry.size)?;
    tree.add(&entry.path, inflate(data, record)?, entry.executable)
}

/// Reads a local header, which must agree with the central directory.
fn read_local(cursor: &mut ZipCursor, record: &CentralRecord) -> Result<()> {
    cursor.expect_signature(
        LOCAL,
        "missing local header at an offset of the central directory",
    )?;
    let _needed = cursor.u16()?;
    let (flags, method) = (cursor.u16()?, cursor.u16()?);
    let _time = cursor.take(4)?;
    let sums = (cursor.u32()?, cursor.size()?, cursor.size()?);
    let (name, extra) = (cursor.u16()?, cursor.u16()?);
    let name = cursor.take(name.into())?;
    check_extra(cursor.take(extra.into())?, name)?;

    let declared = (record.crc, record.packed_size, record.size);
    // A streamed entry has zeros here; sizes and checksum follow the data.
    let sums_agree = sums == declared || record.flags & STREAMED != 0 && sums == (0, 0, 0);

    if name == record.name && flags == record.flags && method == record.method && sums_agree {
        return Ok(());
    }
    Err(ambiguous_archive(format_args!(
        "the local header of `{}` differs from the central directory",
        escape_name(record.name)
    )))
}

/// Reads the data descriptor of a streamed entry; its signature is optional.
fn read_descriptor(cursor: &mut ZipCursor, record: &CentralRecord) -> Result<()> {
    // If the checksum equals the signature, these bytes are read as the checksum.
    if cursor.remaining().starts_with(&DESCRIPTOR) && record.crc != u32::from_le_bytes(DESCRIPTOR) {
        cursor.take(4)?;
    }

    if (cursor.u32()?, cursor.size()?, cursor.size()?)
        == (record.crc, record.packed_size, record.size)
    {
        return Ok(());
    }
    Err(ambiguous_archive(format_args!(
        "the data descriptor of `{}` differs from the central directory",
        escape_name(record.name)
    )))
}

/// Decompresses the content, which must have exactly the declared size and checksum.
fn inflate(data: &[u8], record: &CentralRecord) -> Result<Vec<u8>> {
    let broken = |what: &str| damaged_archive(format!("`{}` {what}", escape_name(record.name)));

    let bytes = if record.method == STORED {
        data.to_vec()
    } else {
        let mut bytes = Vec::new();
        let mut decoder = DeflateDecoder::new(data);
        // One byte more than declared, to see whether there is more.
        let one_more = record.size as u64 + 1;
        decoder
            .by_ref()
            .take(one_more)
            .read_to_end(&mut bytes)
            .map_err(|_| broken("cannot be inflated"))?;
        // Bytes after the deflated data would belong to no file.
        if decoder.total_in() != data.len() as u64 {
            return Err(broken("has unused bytes after its compressed data"));
        }
        bytes
    };

    if bytes.len() != record.size {
        return Err(broken("does not have the declared size"));
    }

    let mut crc = Crc::new();
    crc.update(&bytes);
    if crc.sum() == record.crc {
        Ok(bytes)
    } else {
        Err(broken("has a wrong checksum"))
    }
}

/// Reads little-endian fields from a position on.
struct ZipCursor<'a> {
    bytes: &'a [u8],
    position: usize,
}

impl<'a> ZipCursor<'a> {
    fn remaining(&self) -> &'a [u8] {
        &self.bytes[self.position..]
    }

    fn take(&mut self, count: usize) -> Result<&'a [u8]> {
        let taken = self
            .remaining()
            .get(..count)
            .ok_or_else(|| damaged_archive("unexpected end of file"))?;
        self.position += count;
        Ok(taken)
    }

    fn u16(&mut self) -> Result<u16> {
        Ok(u16::from_le_bytes(
            self.take(2)?.try_into().expect("two bytes were taken"),
        ))
    }

    fn u32(&mut self) -> Result<u32> {
        Ok(u32::from_le_bytes(
            self.take(4)?.try_into().expect("four bytes were taken"),
        ))
    }

    /// A size or offset. The highest number means zip64, and is refused.
    fn size(&mut self) -> Result<usize> {
        match self.u32()? {
            u32::MAX => Err(Error::integrity("unsupported archive format: zip64")
                .help("create it as a plain zip")),
            size => Ok(size as usize),
        }
    }

    fn expect_signature(&mut self, signature: [u8; 4], otherwise: &str) -> Result<()> {
        if self.take(4)? == signature {
            Ok(())
        } else {
            Err(damaged_archive(otherwise))
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Cursor as Memory, Write};

    use ::zip::CompressionMethod;
    use ::zip::write::{SimpleFileOptions, ZipWriter};
    use proptest::prelude::*;

    use super::*;

    type Writer = ZipWriter<Memory<Vec<u8>>>;

    fn deflated() -> SimpleFileOptions {
        SimpleFileOptions::default().compression_method(CompressionMethod::Deflated)
    }

    fn zip(fill: impl FnOnce(&mut Writer)) -> Vec<u8> {
        let mut writer = ZipWriter::new(Memory::new(Vec::new()));
        fill(&mut writer);
        writer.finish().unwrap().into_inner()
    }

    fn put(writer: &mut Writer, name: &str, text: &str) {
        writer.start_file(name, deflated()).unwrap();
        writer.write_all(text.as_bytes()).unwrap();
    }

    /// Two files, `aaaa` and `bbbb`.
    fn two_files() -> Vec<u8> {
        zip(|writer| {
            put(writer, "aaaa", "the first");
            put(writer, "bbbb", "the second");
        })
    }

    /// The offsets of `needle`.
    fn offsets(bytes: &[u8], needle: &[u8]) -> Vec<usize> {
        (0..bytes.len())
            .filter(|&at| bytes[at..].starts_with(needle))
            .collect()
    }

    fn replace(bytes: &[u8], which: usize, old: &[u8], new: &[u8]) -> Vec<u8> {
        let at = offsets(bytes, old)[which];
        [&bytes[..at], new, &bytes[at + old.len()..]].concat()
    }

    #[test]
    #[cfg_attr(
        windows,
        ignore = "the crate that writes the archive marks its own system"
    )]
    fn stored_deflated_and_streamed_files_are_read() {
        let fill = |writer: &mut dyn FnMut(&str, SimpleFileOptions, &str)| {
            writer("demo/SKILL.md", deflated(), &"text ".repeat(500));
            writer(
                "demo/run.sh",
                SimpleFileOptions::default().unix_permissions(0o750),
                "#!/bin/sh\n",
            );
            writer("demo/日本語.md", deflated(), "");
        };
        let seekable = zip(|zip| {
            zip.add_directory("demo/", SimpleFileOptions::default())
                .unwrap();
            zip.set_comment("made by hand").unwrap();
            fill(&mut |name, options, text| {
                zip.start_file(name, options.compression_method(CompressionMethod::Stored))
                    .unwrap();
                zip.write_all(text.as_bytes()).unwrap();
            });
        });
        let mut stream = ZipWriter::new_stream(Vec::new());
        fill(&mut |name, options, text| {
            stream.start_file(name, options).unwrap();
            stream.write_all(text.as_bytes()).unwrap();
        });
        let streamed = stream.finish().unwrap().into_inner();
        assert!(!offsets(&streamed, &DESCRIPTOR).is_empty());

        let tree = unpack(&seekable).unwrap();
        assert_eq!(tree, unpack(&streamed).unwrap());
        assert_eq!(
            tree.get("demo/SKILL.md").unwrap(),
            "text ".repeat(500).as_bytes()
        );
        let executable: Vec<_> = tree
            .files()
            .map(|(path, file)| (path.as_str(), file.executable))
            .collect();
        assert_eq!(
            executable,
            [
                ("demo/SKILL.md", false),
                ("demo/run.sh", true),
                ("demo/日本語.md", false)
            ]
        );
    }

    #[test]
    fn finder_metadata_is_left_out_but_checked() {
        let with = |name: &str| {
            unpack(&zip(|writer| {
                put(writer, "demo/SKILL.md", "x");
                put(writer, name, "y");
            }))
        };
        assert_eq!(with("__MACOSX/demo/._SKILL.md").unwrap().len(), 1);
        assert!(with("__MACOSX/../../x").is_err());
        assert_eq!(with("__macosx/x").unwrap().len(), 2);
    }

    #[test]
    fn a_name_that_differs_between_the_two_headers_is_refused() {
        let good = two_files();
        assert!(unpack(&good).is_ok());
        assert_eq!(offsets(&good, b"aaaa").len(), 2);
        assert!(unpack(&replace(&good, 0, b"aaaa", b"xxxx")).is_err());
        assert!(unpack(&replace(&good, 1, b"aaaa", b"xxxx")).is_err());
    }

    #[test]
    fn two_files_of_one_name_are_refused() {
        let twice = replace(
            &replace(&two_files(), 0, b"bbbb", b"aaaa"),
            0,
            b"bbbb",
            b"aaaa",
        );
        assert!(
            unpack(&twice)
                .unwrap_err()
                .message()
                .contains("duplicate path")
        );
    }

    #[test]
    fn every_byte_belongs_to_a_file_or_the_directory() {
        let good = two_files();
        assert!(
            unpack(&[b"#!/bin/sh\n", &good[..]].concat()).is_err(),
            "a prefix"
        );
        assert!(unpack(&[&good[..], b"x"].concat()).is_err(), "a suffix");
        assert!(unpack(&good[..good.len() - 1]).is_err(), "cut short");
        assert!(
            unpack(&[&good[..], &good].concat()).is_err(),
            "two archives"
        );

        let records = offsets(&good, &CENTRAL);
        let end = offsets(&good, &END)[0];
        let mut hidden = [&good[..records[1]], &good[end..]].concat();
        let end = offsets(&hidden, &END)[0];
        let size = u32::try_from(end - records[0]).unwrap();
        hidden[end + 8..end + 12].copy_from_slice(&[1, 0, 1, 0]);
        hidden[end + 12..end + 16].copy_from_slice(&size.to_le_bytes());
        assert!(
            unpack(&hidden)
                .unwrap_err()
                .message()
                .contains("does not list every entry")
        );
    }

    #[test]
    fn a_file_has_the_sum_and_size_that_its_headers_say() {
        let good = zip(|writer| {
            writer
                .start_file(
                    "a",
                    SimpleFileOptions::default().compression_method(CompressionMethod::Stored),
                )
                .unwrap();
            writer.write_all(b"content").unwrap();
        });
        assert!(unpack(&good).is_ok());
        assert!(unpack(&replace(&good, 0, b"content", b"CONTENT")).is_err());
        let longer = replace(
            &replace(&good, 0, &[7, 0, 0, 0], &[9, 0, 0, 0]),
            0,
            &[7, 0, 0, 0],
            &[9, 0, 0, 0],
        );
        assert!(unpack(&longer).is_err());
    }

    #[test]
    #[cfg_attr(
        windows,
        ignore = "the crate that writes the archive marks its own system"
    )]
    fn links_encryption_zip64_and_unmarked_names_are_refused() {
        let link = zip(|writer| {
            writer
                .add_symlink("demo/x", "/etc/passwd", SimpleFileOptions::default())
                .unwrap();
        });
        assert!(
            unpack(&link)
                .unwrap_err()
                .message()
                .contains("symbolic link")
        );

        let zip64 = zip(|writer| {
            writer.start_file("a", deflated().large_file(true)).unwrap();
            writer.write_all(b"x").unwrap();
        });
        assert!(unpack(&zip64).unwrap_err().message().contains("zip64"));

        let mut encrypted = two_files();
        encrypted[6] |= 1;
        let central = offsets(&encrypted, &CENTRAL)[0];
        encrypted[central + 8] |= 1;
        assert!(
            unpack(&encrypted)
                .unwrap_err()
                .message()
                .contains("encrypted")
        );

        let mut unmarked = zip(|writer| put(writer, "é", "x"));
        let central = offsets(&unmarked, &CENTRAL)[0];
        unmarked[7] &= !8;
        unmarked[central + 9] &= !8;
        assert!(unpack(&unmarked).is_ok(), "made on Unix");
        unmarked[central + 5] = 0;
        assert!(unpack(&unmarked).unwrap_err().message().contains("UTF-8"));
    }

    #[test]
    fn a_size_beyond_the_limits_is_refused_before_it_is_unpacked() {
        let bomb = zip(|writer| {
            writer.start_file("zeros", deflated()).unwrap();
            writer.write_all(&vec![0; (10 << 20) + 1]).unwrap();
        });
        assert!(bomb.len() < 20_000);
        assert!(unpack(&bomb).unwrap_err().message().contains("too large"));
    }

    proptest! {
        #[test]
        fn one_changed_byte_never_changes_a_files_content(at in any::<prop::sample::Index>(), to in any::<u8>()) {
            let mut bytes = two_files();
            let content = |tree: &Tree| -> Vec<_> {
                tree.files().map(|(path, file)| (path.clone(), file.bytes.clone())).collect()
            };
            let before = content(&unpack(&bytes).unwrap());
            let at = at.index(bytes.len());
            bytes[at] = to;
            if let Ok(tree) = unpack(&bytes) {
                prop_assert_eq!(content(&tree), before);
            }
        }

        #[test]
        fn any_bytes_are_read_without_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = unpack(&[&LOCAL[..], &bytes, &two_files()[30..]].concat());
        }
    }
}
