//! Archives, made by other hands than the product's.

use std::io::{Cursor, Write};

use flate2::Compression;
use flate2::write::GzEncoder;
use tar::{EntryType, Header};
use zip::System;
use zip::write::SimpleFileOptions;

/// A file in an archive: path, bytes, and mode in octal.
pub(crate) type Member<'a> = (&'a str, &'a [u8], u32);

/// A gzipped tar of regular files. Paths are written as given, whatever they say.
pub(crate) fn tar_gz(members: &[Member<'_>]) -> Vec<u8> {
    tar_gz_of(
        members
            .iter()
            .map(|(path, bytes, mode)| (EntryType::Regular, *path, *bytes, *mode)),
    )
}

/// A gzipped tar with one symbolic link besides the files.
pub(crate) fn tar_gz_with_link(members: &[Member<'_>], path: &str, to: &str) -> Vec<u8> {
    let files = members
        .iter()
        .map(|(path, bytes, mode)| (EntryType::Regular, *path, *bytes, *mode));
    tar_gz_of(files.chain([(EntryType::Symlink, path, to.as_bytes(), 0o777)]))
}

fn tar_gz_of<'a>(entries: impl Iterator<Item = (EntryType, &'a str, &'a [u8], u32)>) -> Vec<u8> {
    let mut tar = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
    for (kind, path, bytes, mode) in entries {
        let mut header = Header::new_ustar();
        let is_link = kind == EntryType::Symlink;
        header.set_entry_type(kind);
        header.set_mode(mode);
        header.set_mtime(0);
        header.set_size(if is_link { 0 } else { bytes.len() as u64 });
        // `set_path` refuses what these archives are to be refused for.
        let raw = header.as_ustar_mut().unwrap();
        raw.name[..path.len()].copy_from_slice(path.as_bytes());
        if is_link {
            raw.linkname[..bytes.len()].copy_from_slice(bytes);
        }
        header.set_cksum();
        tar.append(&header, if is_link { &[] } else { bytes })
            .unwrap();
    }
    tar.into_inner().unwrap().finish().unwrap()
}

/// A zip of regular files.
pub(crate) fn zip(members: &[Member<'_>]) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (path, bytes, mode) in members {
        // The same bytes on every system.
        let options = SimpleFileOptions::default()
            .unix_permissions(*mode)
            .system(System::Unix);
        zip.start_file(*path, options).unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

#[cfg(unix)]
#[test]
fn other_tools_read_these_archives() {
    let sandbox = super::Sandbox::new();
    sandbox.write(
        "a.tar.gz",
        tar_gz_with_link(
            &[("pdf/SKILL.md", b"x", 0o644), ("../up", b"y", 0o644)],
            "pdf/l",
            "/etc",
        ),
    );
    let output = std::process::Command::new("tar")
        .args(["-tzPf"])
        .arg(sandbox.path("a.tar.gz"))
        .output()
        .unwrap();
    assert_eq!(
        String::from_utf8(output.stdout).unwrap(),
        "pdf/SKILL.md\n../up\npdf/l\n"
    );
    let bytes = zip(&[("pdf/SKILL.md", b"x", 0o644)]);
    assert!(bytes.starts_with(b"PK\x03\x04"));
}
