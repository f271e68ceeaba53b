//! Archives. Random input rarely has the right checksums, so these are fixed first: otherwise nothing else would be tested.

use std::collections::BTreeMap;
use std::io::{Read as _, Write as _};

use flate2::bufread::DeflateDecoder;
use flate2::write::GzEncoder;
use flate2::{Compression, Crc};

use super::edits::assert_within_limits;
use crate::io::archive::{self, ArchiveFormat};
use crate::package::{EXCLUDED_NAMES, Tree};

/// An accepted tar is within the limits, contains just the files that the `tar` crate sees in it, and is the same when
/// packed again. Input with a gzip header is read unchanged; other input is a tar whose headers get their checksums.
pub(super) fn tar_archive(input: &[u8]) {
    let packed = if input.starts_with(&[0x1f, 0x8b]) {
        input.to_vec()
    } else {
        gzip(&with_header_sums(input))
    };

    let Ok(tree) = archive::unpack(&packed, ArchiveFormat::TarGz) else {
        return;
    };

    assert_within_limits(&tree);
    assert_eq!(second_reader_files(&packed), tree_files(&tree));

    if let Ok(again) = archive::pack_at_root(&tree) {
        assert!(
            tree.is_empty()
                || archive::unpack(&again, ArchiveFormat::TarGz).ok().as_ref() == Some(&tree)
        );
    }
}

type ArchiveFiles = BTreeMap<String, (Vec<u8>, bool)>;

fn tree_files(tree: &Tree) -> ArchiveFiles {
    tree.files()
        .map(|(path, file)| (path.to_string(), (file.bytes.clone(), file.executable)))
        .collect()
}

fn second_reader_files(packed: &[u8]) -> ArchiveFiles {
    let mut unpacked = Vec::new();
    flate2::bufread::MultiGzDecoder::new(packed)
        .read_to_end(&mut unpacked)
        .expect("it was unpacked before");

    let mut files = ArchiveFiles::new();
    let mut archive = tar::Archive::new(unpacked.as_slice());

    for entry in archive.entries().expect("a second reader opens it") {
        let mut entry = entry.expect("a second reader goes on");

        // The second reader returns a global header as if it were an entry.
        let kind = entry.header().entry_type();
        if kind.is_dir() || kind.is_pax_global_extensions() {
            continue;
        }

        let name = String::from_utf8(entry.path_bytes().into_owned()).expect("names are UTF-8");
        let name = name.strip_prefix("./").unwrap_or(&name).to_owned();
        let executable = entry.header().mode().expect("a mode") & 0o111 != 0;

        let mut bytes = Vec::new();
        entry
            .read_to_end(&mut bytes)
            .expect("a second reader reads it");
        // Files that skillpm leaves out of every package, in any directory.
        if !name.split('/').any(|part| EXCLUDED_NAMES.contains(&part)) {
            assert!(
                files.insert(name, (bytes, executable)).is_none(),
                "one name, two files"
            );
        }
    }

    files
}

pub(super) fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut gzip = GzEncoder::new(Vec::new(), Compression::none());
    gzip.write_all(bytes)
        .and_then(|()| gzip.finish())
        .expect("memory takes all")
}

/// The same blocks, the header of each entry with the right checksum, and an end mark.
pub(super) fn with_header_sums(raw: &[u8]) -> Vec<u8> {
    let mut raw = raw.to_vec();
    // The reader wants whole blocks; a fuzzer's input rarely has them.
    raw.resize(raw.len().next_multiple_of(512), 0);

    let mut at = 0;
    while at + 512 <= raw.len() {
        let header = &mut raw[at..at + 512];
        // A block of zeros is the end mark and has no sum.
        if header.iter().any(|byte| *byte != 0) {
            header[148..156].fill(b' ');
            let sum: u32 = header.iter().map(|byte| u32::from(*byte)).sum();
            header[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
        }

        let digits = std::str::from_utf8(&header[124..135]).unwrap_or_default();
        let size = usize::from_str_radix(digits.trim(), 8).unwrap_or(0);
        // An absurd size ends the loop instead of wrapping around.
        at = at
            .saturating_add(512)
            .saturating_add(size.next_multiple_of(512));
    }
    // Two blocks of zeros end an archive.
    raw.resize(raw.len() + 1024, 0);

    raw
}

/// An accepted zip is within the limits, and is the same when packed again. (`fuzz/fuzz_targets/zip_archive.rs` compares
/// it with a second reader.)
pub(super) fn zip_archive(input: &[u8]) {
    let repaired = with_crcs(input);
    // Unchanged and repaired: the one tests the structure, the other the code after the checksum check.
    for bytes in [input, &repaired] {
        let Ok(tree) = archive::unpack(bytes, ArchiveFormat::Zip) else {
            continue;
        };

        assert_within_limits(&tree);
        if let Ok(again) = archive::pack_zip(&tree, "top")
            && !tree.is_empty()
        {
            let again = archive::unpack(&again, ArchiveFormat::Zip)
                .expect("what was packed can be unpacked");
            assert_eq!(
                archive::strip_top(again).ok().map(|(tree, _)| tree),
                Some(tree)
            );
        }
    }
}

/// The same zip, with the right checksum of each file in every header.
#[must_use]
pub fn with_crcs(raw: &[u8]) -> Vec<u8> {
    let mut zip = raw.to_vec();
    // Each file has an entry in the directory at the end, which points to its local header.
    for at in memchr::memmem::find_iter(raw, b"PK\x01\x02") {
        let _ = repair_crc(&mut zip, at);
    }

    zip
}

fn repair_crc(zip: &mut [u8], central: usize) -> Option<()> {
    let word = |zip: &[u8], at: usize| {
        Some(u32::from_le_bytes(zip.get(at..at + 4)?.try_into().ok()?) as usize)
    };
    let half = |zip: &[u8], at: usize| {
        Some(usize::from(u16::from_le_bytes(
            zip.get(at..at + 2)?.try_into().ok()?,
        )))
    };

    let (method, packed, local) = (
        half(zip, central + 10)?,
        word(zip, central + 20)?,
        word(zip, central + 42)?,
    );

    let start = local.checked_add(30)?
        + half(zip, local.checked_add(26)?)?
        + half(zip, local.checked_add(28)?)?;
    let data = zip.get(start..start.checked_add(packed)?)?;

    let mut bytes = Vec::new();
    // Bounded, since deflate can grow its input a thousandfold.
    match method {
        0 => bytes.extend_from_slice(data),
        _ => drop(
            DeflateDecoder::new(data)
                .take(1 << 20)
                .read_to_end(&mut bytes),
        ),
    }

    let mut crc = Crc::new();
    crc.update(&bytes);
    let sum = crc.sum().to_le_bytes();

    zip.get_mut(central + 16..central + 20)?
        .copy_from_slice(&sum);
    // With bit 3 set and no sum in the local header, the sum is behind the data.
    if word(zip, local + 14)? != 0 || half(zip, local + 6)? & 8 == 0 {
        zip.get_mut(local + 14..local + 18)?.copy_from_slice(&sum);
    }

    if zip.get(start + packed..)?.starts_with(b"PK\x07\x08") {
        zip.get_mut(start + packed + 4..start + packed + 8)?
            .copy_from_slice(&sum);
    }

    Some(())
}
