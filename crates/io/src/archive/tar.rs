//! Reads `.tar.gz`, header by header.
//!
//! The `tar` crate defines the header fields; the entries are read here, since its own reader skips what it does not
//! know, stops at the end marker and lets a pax header override any other (CVE-2026-33055). Supported are ustar
//! headers, GNU headers with `L` for a long name, and pax headers:
//!
//! | pax key | handling |
//! |---|---|
//! | `path` | accepted once, for the next entry; a global one is refused |
//! | `size` | accepted once, and only if it equals the size in the header itself |
//! | `comment`, times, owners, extended attributes | ignored: they are not part of a package |
//! | anything else | refused, since it may change what the entry is |

use std::io::{self, Read};

use ::tar::{EntryType, Header};
use flate2::bufread::GzDecoder;

use super::{
    ArchiveEntry, add_directory, ambiguous_archive, damaged_archive, entry_path, escape_name,
    unsupported_entry,
};
use skillpm_core::error::{Error, Result};
use skillpm_core::package::{Tree, TreeBuilder, TreeLimits};

/// The block size of tar, in bytes.
const BLOCK: usize = 512;
/// Most bytes of a pax header or of a GNU long name.
const EXTENSION_MAX: u64 = 64 << 10;
/// Most bytes of headers, padding and end marker together.
const OVERHEAD_MAX: u64 = 4 << 20;

type TarBlock = [u8; BLOCK];

/// Reads a `.tar.gz` into a tree.
pub(super) fn unpack(bytes: &[u8], limits: TreeLimits) -> Result<Tree> {
    let mut stream = TarStream::new(bytes, limits);
    let mut tree = Tree::builder_within(limits);
    let mut extension = HeaderExtension::default();
    let mut is_pending = false;

    loop {
        let block = stream.read_block()?;
        // A block of zeros begins the end marker.
        if block == [0; BLOCK] {
            break;
        }

        let header = Header::from_byte_slice(&block);
        check_header(header)?;
        let kind = header.entry_type();
        is_pending = matches!(
            kind,
            EntryType::XGlobalHeader | EntryType::XHeader | EntryType::GNULongName
        );

        match kind {
            EntryType::XGlobalHeader => check_global_header(&stream.read_extension(header)?)?,
            EntryType::XHeader => extension.read_pax(&stream.read_extension(header)?)?,
            EntryType::GNULongName => extension.read_gnu_name(stream.read_extension(header)?)?,
            // An entry consumes the extension headers before it.
            _ => read_entry(
                &mut tree,
                &mut stream,
                header,
                std::mem::take(&mut extension),
            )?,
        }
    }

    // Also after a global header: Python reports such an end as an error.
    if is_pending {
        return Err(damaged_archive(
            "its last header announces an entry that is missing",
        ));
    }

    stream.finish()?;
    Ok(tree.finish())
}

/// Refuses a header of an unsupported format, or with a wrong checksum.
fn check_header(header: &Header) -> Result<()> {
    if header.as_ustar().is_none() && header.as_gnu().is_none() {
        let name = escape_name(&header.path_bytes());
        return Err(Error::integrity(format!(
            "unsupported tar header for `{name}`: not ustar or GNU"
        ))
        .help("pack it with `tar --format=ustar`"));
    }

    // The checksum is computed with its own field blank.
    let blank = 148..156;
    let sum = header.as_bytes().iter().enumerate();
    let sum: u64 = sum
        .map(|(at, &byte)| u64::from(if blank.contains(&at) { b' ' } else { byte }))
        .sum();

    if parse_octal(&header.as_old().cksum) != Some(sum) {
        return Err(damaged_archive(format!(
            "the header of `{}` has a wrong checksum",
            escape_name(&header.path_bytes())
        )));
    }

    check_numbers(header)
}

/// Checks that mode, owners, time and device are numbers. They are mostly unused here, but at an invalid one some
/// readers stop, and do not see the entries that follow.
fn check_numbers(header: &Header) -> Result<()> {
    // Mode, user, group, time, and the two numbers of a device.
    let fields = [100..108, 108..116, 116..124, 136..148, 329..337, 337..345]
        .map(|at| &header.as_bytes()[at]);
    // 0x80 and 0xff begin a number in base 256.
    let is_number =
        |field: &[u8]| matches!(field, [0x80 | 0xff, ..]) || parse_octal(field).is_some();

    if fields.into_iter().all(is_number) {
        return Ok(());
    }
    Err(damaged_archive(format!(
        "the mode, owner, time or device of `{}` is not a number",
        escape_name(&header.path_bytes())
    )))
}

fn read_entry(
    tree: &mut TreeBuilder,
    stream: &mut TarStream,
    header: &Header,
    extension: HeaderExtension,
) -> Result<()> {
    let size = entry_size(header)?;
    // A reader that uses the other size would see other entries from here on.
    if let Some(other) = extension.size.filter(|&other| other != size) {
        return Err(ambiguous_archive(format_args!(
            "an entry has {size} bytes by one header and {other} by another"
        )));
    }

    let name = extension
        .name
        .unwrap_or_else(|| header.path_bytes().into_owned());

    match header.entry_type() {
        EntryType::Regular => {}
        EntryType::Directory if size == 0 => return add_directory(tree, &name),
        EntryType::Directory => {
            return Err(damaged_archive(format!(
                "the directory `{}` has content",
                escape_name(&name)
            )));
        }
        other => return Err(unsupported_entry(&name, describe_type(other))),
    }

    let Some(path) = entry_path(&name, false)? else {
        return Err(damaged_archive("a file has no name"));
    };
    let executable = entry_mode(header)? & 0o111 != 0;
    read_file(
        tree,
        stream,
        &ArchiveEntry {
            path,
            size,
            executable,
        },
    )
}

fn read_file(tree: &mut TreeBuilder, stream: &mut TarStream, entry: &ArchiveEntry) -> Result<()> {
    tree.check_file(&entry.path, entry.size)?;
    let bytes = stream.read_padded(entry.size)?;
    tree.add(&entry.path, bytes, entry.executable)
}

fn describe_type(kind: EntryType) -> &'static str {
    match kind {
        EntryType::Symlink => "a symbolic link",
        EntryType::Link => "a hard link",
        EntryType::Char | EntryType::Block => "a device",
        EntryType::Fifo => "a named pipe",
        EntryType::GNUSparse => "a sparse file",
        EntryType::GNULongLink => "a link with a long target",
        _ => "an entry of unknown type",
    }
}

fn entry_size(header: &Header) -> Result<u64> {
    parse_required_octal(&header.as_old().size).ok_or_else(|| {
        damaged_archive(format!(
            "the size of `{}` is not a number",
            escape_name(&header.path_bytes())
        ))
    })
}

fn entry_mode(header: &Header) -> Result<u64> {
    parse_required_octal(&header.as_old().mode).ok_or_else(|| {
        damaged_archive(format!(
            "the mode of `{}` is not a number",
            escape_name(&header.path_bytes())
        ))
    })
}

/// A non-empty number: a field of blanks is zero for some readers, and an error for others.
fn parse_required_octal(field: &[u8]) -> Option<u64> {
    parse_octal(field).filter(|_| field.iter().any(u8::is_ascii_digit))
}

/// A ustar number: octal digits between blanks, ended by a blank, NUL or the end of the field. The base-256 form is
/// for numbers far above our limits, and is not accepted.
fn parse_octal(field: &[u8]) -> Option<u64> {
    let end = field
        .iter()
        .position(|&byte| byte == 0)
        .unwrap_or(field.len());
    let digits = field[..end].trim_ascii();
    // A reader that does not stop at the NUL would see another number.
    if !digits.iter().all(|digit| (b'0'..=b'7').contains(digit))
        || field[end..].iter().any(u8::is_ascii_graphic)
    {
        return None;
    }

    digits.iter().try_fold(0_u64, |number, digit| {
        number.checked_mul(8)?.checked_add(u64::from(digit - b'0'))
    })
}

/// The pax and GNU headers of the next entry.
#[derive(Default)]
struct HeaderExtension {
    name: Option<Vec<u8>>,
    size: Option<u64>,
    seen_pax: bool,
}

impl HeaderExtension {
    fn read_gnu_name(&mut self, mut name: Vec<u8>) -> Result<()> {
        // The terminating NUL is counted in its size; any further one is refused with the path.
        if name.last() == Some(&0) {
            name.pop();
        }
        self.set_name(&name)
    }

    fn read_pax(&mut self, records: &[u8]) -> Result<()> {
        if std::mem::replace(&mut self.seen_pax, true) {
            return Err(ambiguous_archive("one entry has two pax headers"));
        }

        for record in PaxRecords(records) {
            match record? {
                (b"path", name) => self.set_name(name)?,
                (b"size", digits) => {
                    let size = parse_decimal(digits)
                        .ok_or_else(|| damaged_archive("a pax size is not a number"))?;
                    if self.size.replace(size).is_some() {
                        return Err(ambiguous_archive("one entry has two pax sizes"));
                    }
                }
                (key, _) => check_pax_key(key)?,
            }
        }
        Ok(())
    }

    fn set_name(&mut self, name: &[u8]) -> Result<()> {
        match self.name.replace(name.to_vec()) {
            None => Ok(()),
            Some(other) => Err(ambiguous_archive(format_args!(
                "one entry has two names, `{}` and `{}`",
                escape_name(&other),
                escape_name(name)
            ))),
        }
    }
}

/// Refuses a global pax header with keys that may change entries.
fn check_global_header(records: &[u8]) -> Result<()> {
    for record in PaxRecords(records) {
        check_pax_key(record?.0)?;
    }
    Ok(())
}

/// Refuses a pax key that may change what an entry is.
fn check_pax_key(key: &[u8]) -> Result<()> {
    let known = matches!(
        key,
        b"comment"
            | b"mtime"
            | b"atime"
            | b"ctime"
            | b"uid"
            | b"gid"
            | b"uname"
            | b"gname"
            | b"LIBARCHIVE.creationtime"
            | b"SCHILY.fflags"
            | b"SCHILY.dev"
            | b"SCHILY.ino"
            | b"SCHILY.nlink"
    );

    let attributes: [&[u8]; 4] = [
        b"LIBARCHIVE.xattr.",
        b"SCHILY.xattr.",
        b"SCHILY.acl.",
        b"RHT.security.",
    ];

    if known || attributes.iter().any(|prefix| key.starts_with(prefix)) {
        return Ok(());
    }
    Err(
        ambiguous_archive(format_args!("unknown pax key `{}`", escape_name(key)))
            .help("pack it with `tar --format=ustar`"),
    )
}

/// The records of a pax header: `<length of the record> <key>=<value>\n`, one after the other.
struct PaxRecords<'a>(&'a [u8]);

impl<'a> Iterator for PaxRecords<'a> {
    type Item = Result<(&'a [u8], &'a [u8])>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.0.is_empty() {
            return None;
        }

        let (record, rest) = match split_record(self.0) {
            Some((key, value, rest)) => (Ok((key, value)), rest),
            // Where the next record begins cannot be known.
            None => (Err(damaged_archive("a pax header is malformed")), &[][..]),
        };
        self.0 = rest;
        Some(record)
    }
}

/// The key and value of the first record, and what follows it.
fn split_record(records: &[u8]) -> Option<(&[u8], &[u8], &[u8])> {
    let blank = records.iter().position(|&byte| byte == b' ')?;
    // The length counts its own digits and the blank behind them.
    let length = usize::try_from(parse_decimal(&records[..blank])?).ok()?;
    let (record, rest) = records.split_at_checked(length)?;
    let record = record.get(blank + 1..)?.strip_suffix(b"\n")?;
    let equals = record.iter().position(|&byte| byte == b'=')?;
    Some((&record[..equals], &record[equals + 1..], rest))
}

/// A decimal number without sign or leading zero.
fn parse_decimal(digits: &[u8]) -> Option<u64> {
    // `parse` alone would also take `+5`, which other readers may not.
    let plain =
        digits.iter().all(u8::is_ascii_digit) && (digits == b"0" || !digits.starts_with(b"0"));
    std::str::from_utf8(digits)
        .ok()
        .filter(|_| plain)?
        .parse()
        .ok()
}

/// The decompressed bytes of the only gzip member, counted.
struct TarStream<'a> {
    gzip: GzDecoder<&'a [u8]>,
    /// How many bytes may still be read.
    remaining: u64,
}

impl<'a> TarStream<'a> {
    fn new(bytes: &'a [u8], limits: TreeLimits) -> Self {
        TarStream {
            gzip: GzDecoder::new(bytes),
            remaining: limits.total + OVERHEAD_MAX,
        }
    }

    fn read_block(&mut self) -> Result<TarBlock> {
        let mut block = [0; BLOCK];
        self.count_bytes(BLOCK as u64)?;
        self.gzip
            .read_exact(&mut block)
            .map_err(|error| read_error(&error))?;
        Ok(block)
    }

    /// The content of an extension header.
    fn read_extension(&mut self, header: &Header) -> Result<Vec<u8>> {
        match entry_size(header)? {
            size if size <= EXTENSION_MAX => self.read_padded(size),
            size => Err(Error::integrity(format!(
                "refusing to read an archive header of {size} bytes; the limit is {EXTENSION_MAX}"
            ))),
        }
    }

    /// Reads `size` bytes and the padding to a full block. The size was checked before; even so, memory is bounded
    /// by the bytes that come.
    fn read_padded(&mut self, size: u64) -> Result<Vec<u8>> {
        self.count_bytes(size.next_multiple_of(BLOCK as u64))?;
        // `remaining` bounds it. A vector that grows by doubling would take twice the file's size.
        let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or(0));
        Read::by_ref(&mut self.gzip)
            .take(size)
            .read_to_end(&mut bytes)
            .map_err(|error| read_error(&error))?;

        let mut padding = [0; BLOCK];
        let padding = &mut padding[..bytes.len().next_multiple_of(BLOCK) - bytes.len()];
        if (bytes.len() as u64) < size || self.gzip.read_exact(padding).is_err() {
            return Err(damaged_archive("unexpected end inside a file"));
        }

        Ok(bytes)
    }

    fn count_bytes(&mut self, bytes: u64) -> Result<()> {
        match self.remaining.checked_sub(bytes) {
            Some(left) => {
                self.remaining = left;
                Ok(())
            }
            None => Err(Error::integrity(
                "refusing to unpack the archive: its headers and padding exceed the limit",
            )),
        }
    }

    /// Reads the rest after the first zero block: another one, only zeros, a valid checksum, and the end.
    fn finish(mut self) -> Result<()> {
        if self.read_block()? != [0; BLOCK] {
            return Err(damaged_archive("its end marker is incomplete"));
        }

        let mut chunk = [0; 16 * BLOCK];
        loop {
            let read = self
                .gzip
                .read(&mut chunk)
                .map_err(|error| read_error(&error))?;
            if read == 0 {
                break;
            }
            self.count_bytes(read as u64)?;
            if chunk[..read].iter().any(|&byte| byte != 0) {
                return Err(ambiguous_archive("data after its end marker"));
            }
        }

        // A second gzip member, or anything else, would be seen by some readers only.
        match self.gzip.into_inner() {
            [] => Ok(()),
            rest => Err(ambiguous_archive(format_args!(
                "{} bytes after its compressed data",
                rest.len()
            ))),
        }
    }
}

fn read_error(error: &io::Error) -> Error {
    match error.kind() {
        io::ErrorKind::UnexpectedEof => damaged_archive("unexpected end of file"),
        _ => damaged_archive(error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;

    const END: [u8; 2 * BLOCK] = [0; 2 * BLOCK];

    fn unpack(bytes: &[u8]) -> Result<Tree> {
        super::unpack(bytes, TreeLimits::default())
    }

    fn header(name: &str, kind: EntryType, size: u64) -> Header {
        let mut header = Header::new_ustar();
        header.as_old_mut().name[..name.len()].copy_from_slice(name.as_bytes());
        header.set_entry_type(kind);
        header.set_mode(0o644);
        header.set_size(size);
        header.set_cksum();
        header
    }

    fn entry(name: &str, kind: EntryType, content: &[u8]) -> Vec<u8> {
        let mut entry = header(name, kind, content.len() as u64).as_bytes().to_vec();
        entry.extend_from_slice(content);
        entry.resize(entry.len().next_multiple_of(BLOCK), 0);
        entry
    }

    fn file(name: &str, text: &str) -> Vec<u8> {
        entry(name, EntryType::Regular, text.as_bytes())
    }

    fn pax(kind: EntryType, records: &[(&str, &str)]) -> Vec<u8> {
        let mut content = String::new();
        for (key, value) in records {
            let rest = format!(" {key}={value}\n");
            let length = (1..4)
                .map(|digits| rest.len() + digits)
                .find(|n| n.to_string().len() + rest.len() == *n);
            content += &length.unwrap().to_string();
            content += &rest;
        }
        entry("PaxHeaders/x", kind, content.as_bytes())
    }

    fn for_next(records: &[(&str, &str)]) -> Vec<u8> {
        pax(EntryType::XHeader, records)
    }

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut gzip = GzEncoder::new(Vec::new(), Compression::fast());
        gzip.write_all(bytes).unwrap();
        gzip.finish().unwrap()
    }

    fn read(parts: &[&[u8]]) -> Result<Tree> {
        unpack(&gzip(&[&parts.concat(), &END[..]].concat()))
    }

    fn paths(tree: &Tree) -> Vec<&str> {
        tree.files().map(|(path, _)| path.as_str()).collect()
    }

    #[test]
    fn headers_of_the_usual_packers_are_understood() {
        let from_git_archive = pax(EntryType::XGlobalHeader, &[("comment", "6838e77d")]);
        let long = format!("{}/x", "d".repeat(150));
        let tree = read(&[
            &from_git_archive,
            &entry("./", EntryType::Directory, b""),
            &entry("./a/", EntryType::Directory, b""),
            &file("./a/SKILL.md", "one"),
            &for_next(&[
                ("path", &long),
                ("size", "3"),
                ("mtime", "1.5"),
                ("SCHILY.xattr.user.a", "b"),
            ]),
            &file("short", "two"),
            &entry(
                "././@LongLink",
                EntryType::GNULongName,
                format!("e{long}\0").as_bytes(),
            ),
            &file("short", "three"),
        ])
        .unwrap();
        assert_eq!(paths(&tree), ["a/SKILL.md", &long, &format!("e{long}")]);
        assert_eq!(tree.get("a/SKILL.md").unwrap(), b"one");
        assert_eq!(tree.get(&long).unwrap(), b"two");
    }

    #[test]
    fn any_right_to_execute_makes_a_file_executable_and_no_other_bit_counts() {
        for (mode, executable) in [
            (0o644, false),
            (0o755, true),
            (0o001, true),
            (0o6644, false),
            (0, false),
        ] {
            let mut header = header("x", EntryType::Regular, 0);
            header.set_mode(mode);
            header.set_cksum();
            let tree = read(&[header.as_bytes()]).unwrap();
            assert_eq!(
                tree.files().next().unwrap().1.executable,
                executable,
                "{mode:o}"
            );
        }
    }

    #[test]
    fn only_files_and_directories_are_taken() {
        for kind in b"12346 7SVMDKNZ".map(EntryType::new) {
            assert!(
                read(&[&file("SKILL.md", "x"), &entry("x", kind, b"")]).is_err(),
                "{kind:?}"
            );
        }
    }

    #[test]
    fn headers_that_two_readers_would_take_differently_are_refused() {
        let hidden = file("hidden", "evil");
        let size = hidden.len().to_string();
        let long_name = entry("././@LongLink", EntryType::GNULongName, b"long\0");
        for (what, parts) in [
            (
                "a pax size over none",
                [&for_next(&[("size", &size)])[..], &file("x", ""), &hidden].concat(),
            ),
            (
                "a pax size twice",
                [
                    &for_next(&[("size", "1"), ("size", "1")])[..],
                    &file("x", "y"),
                ]
                .concat(),
            ),
            (
                "a pax path twice",
                [
                    &for_next(&[("path", "a"), ("path", "a")])[..],
                    &file("x", "y"),
                ]
                .concat(),
            ),
            (
                "two pax headers",
                [
                    &for_next(&[("path", "a")])[..],
                    &for_next(&[]),
                    &file("x", "y"),
                ]
                .concat(),
            ),
            (
                "a pax path and a GNU name",
                [&for_next(&[("path", "a")])[..], &long_name, &file("x", "y")].concat(),
            ),
            (
                "an unknown key",
                [&for_next(&[("GNU.sparse.major", "1")])[..], &file("x", "y")].concat(),
            ),
            (
                "a link target",
                [&for_next(&[("linkpath", "/etc")])[..], &file("x", "y")].concat(),
            ),
            (
                "a global path",
                [
                    &pax(EntryType::XGlobalHeader, &[("path", "a")])[..],
                    &file("x", "y"),
                ]
                .concat(),
            ),
            ("a header for nothing", for_next(&[("path", "a")])),
            (
                "an empty header for nothing",
                [&file("x", "y")[..], &for_next(&[])].concat(),
            ),
            (
                "a header for all for nothing",
                [&file("x", "y")[..], &pax(EntryType::XGlobalHeader, &[])].concat(),
            ),
            (
                "a malformed record",
                entry("p", EntryType::XHeader, b"99 path=a\n"),
            ),
            (
                "a length with a sign",
                [
                    &entry("p", EntryType::XHeader, b"+9 path=a\n")[..],
                    &file("x", "y"),
                ]
                .concat(),
            ),
            (
                "a directory with content",
                entry("d/", EntryType::Directory, b"x"),
            ),
        ] {
            assert!(read(&[&parts]).is_err(), "{what}");
        }
    }

    #[test]
    fn an_invalid_header_is_refused() {
        let broken = |edit: fn(&mut Header)| {
            let mut header = header("x", EntryType::Regular, 0);
            edit(&mut header);
            read(&[header.as_bytes()])
        };
        assert!(broken(|_| {}).is_ok());
        assert!(
            broken(|header| header.as_old_mut().name[0] = b'y').is_err(),
            "the sum"
        );
        for size in [
            &[0xff; 12],
            b"\x80\0\0\0\x7f\xff\xff\xff\xff\xff\xff\xff",
            b"+0000000000\0",
            b"0000000000x\0",
        ] {
            let mut header = header("x", EntryType::Regular, 0);
            header.as_old_mut().size = *size;
            header.set_cksum();
            assert!(read(&[header.as_bytes()]).is_err(), "{size:?}");
        }
        let mut old = Header::new_old();
        old.set_path("x").unwrap();
        old.set_size(0);
        old.set_cksum();
        assert!(read(&[old.as_bytes()]).is_err(), "no magic");
    }

    #[test]
    fn an_unused_field_that_other_readers_reject_is_refused() {
        for (at, text) in [
            (100, "u"),
            (108, "1x"),
            (116, "9"),
            (136, "-1"),
            (329, "a"),
            (337, "1 2"),
        ] {
            let mut header = header("x/", EntryType::Directory, 0);
            header.as_mut_bytes()[at..at + text.len()].copy_from_slice(text.as_bytes());
            header.set_cksum();
            assert!(
                read(&[&file("SKILL.md", "x"), header.as_bytes()]).is_err(),
                "{text} at {at}"
            );
        }
        for field in [100..108, 124..136] {
            let mut header = header("x", EntryType::Regular, 0);
            header.as_mut_bytes()[field].fill(b' ');
            header.set_cksum();
            assert!(
                read(&[header.as_bytes()]).is_err(),
                "blanks alone are not a number"
            );
        }
        let mut header = header("x", EntryType::Regular, 0);
        header.set_uid(1 << 40);
        header.set_cksum();
        assert!(
            read(&[header.as_bytes()]).is_ok(),
            "a large owner is written in base 256"
        );
    }

    #[test]
    fn data_after_the_end_of_an_archive_is_refused() {
        let good = [file("SKILL.md", "x"), END.to_vec()].concat();
        assert!(unpack(&gzip(&[&good[..], &[0; 8 * BLOCK]].concat())).is_ok());
        assert!(
            unpack(&gzip(&[&good[..], &file("after", "x"), &END].concat())).is_err(),
            "another archive"
        );
        assert!(
            unpack(&[gzip(&good), gzip(&good)].concat()).is_err(),
            "another member"
        );
        assert!(
            unpack(&[&gzip(&good)[..], b"x"].concat()).is_err(),
            "one byte"
        );
        assert!(
            unpack(&gzip(&good[..good.len() - BLOCK])).is_err(),
            "half an end"
        );
        assert!(unpack(&gzip(&good[..2 * BLOCK])).is_err(), "no end");
        let mut bad_sum = gzip(&good);
        let at = bad_sum.len() - 6;
        bad_sum[at] ^= 1;
        assert!(unpack(&bad_sum).is_err(), "a wrong checksum");
    }

    #[test]
    fn a_size_in_a_header_is_checked_against_limits_and_bytes() {
        for promised in [11, 10 << 20, (10 << 20) + 1, 8 << 30] {
            let error = read(&[header("x", EntryType::Regular, promised).as_bytes()]).unwrap_err();
            assert_eq!(error.kind(), skillpm_core::error::FailureKind::Integrity);
        }
        assert!(read(&[header("x", EntryType::XHeader, 8 << 30).as_bytes()]).is_err());
    }

    #[test]
    fn endless_directories_and_zeros_are_bounded() {
        let directory = entry("d/", EntryType::Directory, b"");
        assert!(read(&[&directory.repeat(50_000)]).is_err());
        assert!(read(&[&file("x", ""), &vec![0; 32 << 20]]).is_err());
    }
}
