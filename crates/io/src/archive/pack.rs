//! Writes `.tar.gz`: the same tree gives the same bytes, on every machine.

use std::io::{Read, Write};

use flate2::{Compression, GzBuilder};
use tar::{EntryType, Header};

use skillpm_core::error::{Error, Result};
use skillpm_core::package::{RelPath, Tree, TreeFile};

/// The gzip header's OS field for "unknown".
const NO_SYSTEM: u8 = 255;

/// Packs a tree below the directory `top`, reproducibly.
///
/// Plain ustar (POSIX.1-1988): files only, sorted by path, owner 0, time 0, mode 0644 or 0755. The gzip header
/// contains neither time, file name nor system.
///
/// # Errors
/// If a path with `top/` before it is not allowed in a package, or does not fit a ustar header: 100 bytes for the
/// name, and 155 for the prefix before some `/`.
pub fn pack(tree: &Tree, top: &str) -> Result<Vec<u8>> {
    build_tar(tree, top).map(|archive| gzip(&archive))
}

/// Whether an archive has the layout of [`pack`], so that nothing can be hidden in it. The compressed bytes may
/// differ, as another release of the compressor may produce others.
#[must_use]
pub fn is_as_packed(bytes: &[u8], tree: &Tree, top: &str) -> bool {
    let Ok(expected) = build_tar(tree, top) else {
        return false;
    };

    // The gzip header has no file name, time or optional field, and the usual system.
    let is_plain = bytes.len() > 10
        && bytes[..3] == [0x1f, 0x8b, 8]
        && bytes[3..8] == [0; 5]
        && bytes[9] == NO_SYSTEM;

    // One byte more than expected shows that there is more, without unpacking all of it.
    let mut found = Vec::with_capacity(expected.len() + 1);
    let most = expected.len() as u64 + 1;
    let read = flate2::bufread::GzDecoder::new(bytes)
        .take(most)
        .read_to_end(&mut found);

    is_plain && read.is_ok() && found == expected
}

/// Packs a tree like [`pack`], but with its files at the archive's root: the format of `.well-known` discovery.
///
/// # Errors
/// If a path does not fit a ustar header.
pub fn pack_at_root(tree: &Tree) -> Result<Vec<u8>> {
    build_tar_with(tree, &|path| Ok(path.clone())).map(|archive| gzip(&archive))
}

/// The archive before it is compressed.
fn build_tar(tree: &Tree, top: &str) -> Result<Vec<u8>> {
    let top: RelPath = top.parse()?;
    build_tar_with(tree, &|path| top.join(path.as_str()))
}

fn build_tar_with(
    tree: &Tree,
    entry_name: &dyn Fn(&RelPath) -> Result<RelPath>,
) -> Result<Vec<u8>> {
    let mut archive = Vec::new();
    for (path, file) in tree.files() {
        let header = build_header(&entry_name(path)?, file)?;
        archive.extend_from_slice(header.as_bytes());
        archive.extend_from_slice(&file.bytes);
        archive.resize(archive.len().next_multiple_of(512), 0);
    }

    // Two blocks of zeros end a tar archive.
    archive.resize(archive.len() + 1024, 0);
    Ok(archive)
}

fn build_header(path: &RelPath, file: &TreeFile) -> Result<Header> {
    let mut header = Header::new_ustar();
    header.set_path(path.as_str()).map_err(|_| {
        Error::negative(format!("invalid path `{path}`: too long for a tar archive"))
            .note("ustar allows 100 bytes for the name, and 155 for the directories above")
            .help("shorten the name, or the names of the directories above it")
    })?;

    // Nothing that differs between machines: no owner, no time, one of two modes.
    header.set_entry_type(EntryType::Regular);
    header.set_size(file.bytes.len() as u64);
    header.set_mode(if file.executable { 0o755 } else { 0o644 });
    header.set_uid(0);
    header.set_gid(0);
    header.set_mtime(0);

    // Last, since it is the checksum of all other fields.
    header.set_cksum();
    Ok(header)
}

/// Compresses bytes to one gzip member, reproducibly: the header has neither time, file name nor system.
#[must_use]
pub fn gzip(bytes: &[u8]) -> Vec<u8> {
    // All input is written at once, since chunk boundaries may show in the output.
    let mut writer = GzBuilder::new()
        .mtime(0)
        .operating_system(NO_SYSTEM)
        .write(Vec::new(), Compression::new(9));
    writer
        .write_all(bytes)
        .and_then(|()| writer.finish())
        .expect("writing to memory does not fail")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::archive::{ArchiveFormat, strip_top, unpack};
    use skillpm_core::package::Sha256Digest;

    fn tree(files: &[(&str, &str, bool)]) -> Tree {
        let mut tree = Tree::builder();
        for (path, text, executable) in files {
            tree.add(path, text.as_bytes().to_vec(), *executable)
                .unwrap();
        }
        tree.finish()
    }

    #[test]
    fn the_same_tree_gives_the_same_bytes_everywhere() {
        let tree = tree(&[
            ("SKILL.md", "---\nname: demo\n---\n", false),
            ("scripts/run.sh", "#!/bin/sh\n", true),
        ]);
        let archive = pack(&tree, "demo-1.0.0").unwrap();
        assert_eq!(archive[..10], [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 2, 255]);
        let expected = "88ac0e9f7def438011dca4066f4ea29d807502c400cfc0d0a5e04a343ce7a313";
        assert_eq!(Sha256Digest::hash_bytes(&archive).to_string(), expected);
    }

    #[test]
    fn files_may_be_at_the_root() {
        let tree = tree(&[
            ("SKILL.md", "x", false),
            ("scripts/run.sh", "#!/bin/sh\n", true),
        ]);
        assert_eq!(
            unpack(&pack_at_root(&tree).unwrap(), ArchiveFormat::TarGz).unwrap(),
            tree
        );
    }

    #[test]
    fn a_long_name_goes_into_the_prefix_and_one_that_is_too_long_is_named() {
        let long = format!("{}/{}", "d".repeat(120), "f".repeat(100));
        let one = tree(&[(&long, "x", false)]);
        let archive = pack(&one, "demo-1.0.0").unwrap();
        assert_eq!(
            strip_top(unpack(&archive, ArchiveFormat::TarGz).unwrap())
                .unwrap()
                .0,
            one
        );

        let longer = "f".repeat(101);
        let error = pack(&tree(&[(&longer, "x", false)]), "demo-1.0.0").unwrap_err();
        assert!(error.message().contains(&longer), "{error:?}");
    }

    proptest! {
        #[test]
        fn packed_tree_unpacks_to_itself(
            files in prop::collection::btree_map(
                "[a-z0-9é日]{1,12}(/[a-zß_.-]{0,5}[a-z]){0,3}",
                (prop::collection::vec(any::<u8>(), 0..2_000), any::<bool>()),
                1..12,
            ),
        ) {
            let mut tree = Tree::builder();
            for (path, (bytes, executable)) in files {
                // Some of the generated names conflict; those are not a valid tree.
                let _ = tree.add(&path, bytes, executable);
            }
            let tree = tree.finish();
            prop_assume!(!tree.is_empty());
            let archive = pack(&tree, "demo-1.0.0").unwrap();
            let (unpacked, top) = strip_top(unpack(&archive, ArchiveFormat::TarGz).unwrap()).unwrap();
            prop_assert_eq!(top.as_deref(), Some("demo-1.0.0"));
            prop_assert_eq!(&unpacked, &tree);
            prop_assert!(is_as_packed(&archive, &tree, "demo-1.0.0"));
            prop_assert!(!is_as_packed(&archive, &tree, "demo-1.0.1"));
            prop_assert_eq!(pack(&unpacked, "demo-1.0.0").unwrap(), archive);
        }

        #[test]
        fn one_changed_byte_never_changes_a_files_content(at in any::<prop::sample::Index>(), to in any::<u8>()) {
            let tree = tree(&[("SKILL.md", "one two three", false), ("a/b", &"x".repeat(3_000), true)]);
            let mut archive = pack(&tree, "demo").unwrap();
            let at = at.index(archive.len());
            archive[at] = to;
            if let Ok(read) = unpack(&archive, ArchiveFormat::TarGz) {
                prop_assert_eq!(strip_top(read).unwrap().0, tree);
            }
        }
    }
}
