//! Archives. What is made up rarely has the right sums, so these are put right first: else nothing else would be tried.

use std::collections::BTreeMap;
use std::io::{Read as _, Write as _};

use flate2::bufread::DeflateDecoder;
use flate2::write::GzEncoder;
use flate2::{Compression, Crc};

use super::edits::keeps_limits;
use crate::io::archive::{self, Kind};
use crate::package::{NOT_PART, Tree};

/// A tar that is taken keeps the limits, holds just what the `tar` crate sees in it, and is the same when it is packed
/// again. What begins as a gzip is read as it is; all else is a tar whose headers get their sums.
pub(super) fn tar_archive(input: &[u8]) {
    let packed = if input.starts_with(&[0x1f, 0x8b]) { input.to_vec() } else { gzip(&with_sums(input)) };
    let Ok(tree) = archive::unpack(&packed, Kind::TarGz) else { return };
    keeps_limits(&tree);
    assert_eq!(tar_files(&packed), files(&tree));
    if let Ok(again) = archive::pack_at_root(&tree) {
        assert!(tree.is_empty() || archive::unpack(&again, Kind::TarGz).ok().as_ref() == Some(&tree));
    }
}

type Files = BTreeMap<String, (Vec<u8>, bool)>;

fn files(tree: &Tree) -> Files {
    tree.files().map(|(path, file)| (path.to_string(), (file.bytes.clone(), file.executable))).collect()
}

fn tar_files(packed: &[u8]) -> Files {
    let mut unpacked = Vec::new();
    flate2::bufread::MultiGzDecoder::new(packed).read_to_end(&mut unpacked).expect("it was unpacked before");
    let mut files = Files::new();
    let mut archive = tar::Archive::new(unpacked.as_slice());
    for entry in archive.entries().expect("a second reader opens it") {
        let mut entry = entry.expect("a second reader goes on");
        // The second reader hands out what is said of all entries as if it were one.
        let kind = entry.header().entry_type();
        if kind.is_dir() || kind.is_pax_global_extensions() {
            continue;
        }
        let name = String::from_utf8(entry.path_bytes().into_owned()).expect("names are UTF-8");
        let name = name.strip_prefix("./").unwrap_or(&name).to_owned();
        let executable = entry.header().mode().expect("a mode") & 0o111 != 0;
        let mut bytes = Vec::new();
        entry.read_to_end(&mut bytes).expect("a second reader reads it");
        if !name.split('/').any(|part| NOT_PART.contains(&part)) {
            assert!(files.insert(name, (bytes, executable)).is_none(), "one name, two files");
        }
    }
    files
}

pub(super) fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut gzip = GzEncoder::new(Vec::new(), Compression::none());
    gzip.write_all(bytes).and_then(|()| gzip.finish()).expect("memory takes all")
}

/// The same blocks, the header of each entry with its right sum, and an end.
pub(super) fn with_sums(raw: &[u8]) -> Vec<u8> {
    let mut raw = raw.to_vec();
    raw.resize(raw.len().next_multiple_of(512), 0);
    let mut at = 0;
    while at + 512 <= raw.len() {
        let header = &mut raw[at..at + 512];
        if header.iter().any(|byte| *byte != 0) {
            header[148..156].fill(b' ');
            let sum: u32 = header.iter().map(|byte| u32::from(*byte)).sum();
            header[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
        }
        let digits = std::str::from_utf8(&header[124..135]).unwrap_or_default();
        let size = usize::from_str_radix(digits.trim(), 8).unwrap_or(0);
        at = at.saturating_add(512).saturating_add(size.next_multiple_of(512));
    }
    raw.resize(raw.len() + 1024, 0);
    raw
}

/// A zip that is taken keeps the limits, and is the same when it is packed again. (`fuzz/fuzz_targets/zip_archive.rs` has a
/// second reader look at it.)
pub(super) fn zip_archive(input: &[u8]) {
    let repaired = with_crcs(input);
    for bytes in [input, &repaired] {
        let Ok(tree) = archive::unpack(bytes, Kind::Zip) else { continue };
        keeps_limits(&tree);
        if let Ok(again) = archive::pack_zip(&tree, "top")
            && !tree.is_empty()
        {
            let again = archive::unpack(&again, Kind::Zip).expect("what was packed can be unpacked");
            assert_eq!(archive::strip_top(again).ok().map(|(tree, _)| tree), Some(tree));
        }
    }
}

/// The same zip, with the sum that each file has, wherever one stands.
#[must_use]
pub fn with_crcs(raw: &[u8]) -> Vec<u8> {
    let mut zip = raw.to_vec();
    for at in memchr::memmem::find_iter(raw, b"PK\x01\x02") {
        let _ = with_crc(&mut zip, at);
    }
    zip
}

fn with_crc(zip: &mut [u8], central: usize) -> Option<()> {
    let word = |zip: &[u8], at: usize| Some(u32::from_le_bytes(zip.get(at..at + 4)?.try_into().ok()?) as usize);
    let half = |zip: &[u8], at: usize| Some(usize::from(u16::from_le_bytes(zip.get(at..at + 2)?.try_into().ok()?)));
    let (method, packed, local) = (half(zip, central + 10)?, word(zip, central + 20)?, word(zip, central + 42)?);
    let start = local.checked_add(30)? + half(zip, local.checked_add(26)?)? + half(zip, local.checked_add(28)?)?;
    let data = zip.get(start..start.checked_add(packed)?)?;
    let mut bytes = Vec::new();
    match method {
        0 => bytes.extend_from_slice(data),
        _ => drop(DeflateDecoder::new(data).take(1 << 20).read_to_end(&mut bytes)),
    }
    let mut crc = Crc::new();
    crc.update(&bytes);
    let sum = crc.sum().to_le_bytes();
    zip.get_mut(central + 16..central + 20)?.copy_from_slice(&sum);
    if word(zip, local + 14)? != 0 || half(zip, local + 6)? & 8 == 0 {
        zip.get_mut(local + 14..local + 18)?.copy_from_slice(&sum);
    }
    if zip.get(start + packed..)?.starts_with(b"PK\x07\x08") {
        zip.get_mut(start + packed + 4..start + packed + 8)?.copy_from_slice(&sum);
    }
    Some(())
}
