//! Repositories in memory with arbitrary trees, for tests of the tree readers.

use gix::objs::Kind;

use super::listing::{self, CommitListing};
use super::objects::ObjectDatabase;
use super::package;
use skillpm_core::package::Tree;

/// The modes that an entry can have, as they are written: those that git writes, and some that only others do.
const MODES: [&str; 10] = [
    "100644", "40000", "100755", "120000", "160000", "040000", "100664", "100600", "0", "177777",
];

/// The results of reading such a repository.
pub struct SyntheticRepository {
    /// Its last tree as a package; `None` if that is invalid.
    pub package: Option<Tree>,
    /// The listing of a commit with that tree; `None` if it cannot be listed.
    pub listing: Option<CommitListing>,
}

/// Reads a repository with these trees. Each entry has a mode, a name, and the index of an earlier tree or file.
#[must_use]
pub fn read_synthetic(trees: &[Vec<(u8, Vec<u8>, usize)>]) -> SyntheticRepository {
    let objects = ObjectDatabase::in_memory();
    let write = |kind, bytes: &[u8]| objects.write(kind, bytes);
    let files = [
        write(Kind::Blob, b""),
        write(Kind::Blob, b"text\n"),
        write(Kind::Blob, &[0; 2_000]),
    ];

    let mut ids = vec![write(Kind::Tree, b"")];
    for tree in trees {
        let mut bytes = Vec::new();
        for (mode, name, which) in tree {
            let mode = MODES[usize::from(*mode) % MODES.len()];
            let id = if mode.ends_with("40000") {
                ids[which % ids.len()]
            } else {
                files[which % files.len()]
            };
            bytes.extend([mode.as_bytes(), b" ", name.as_slice(), b"\0", id.as_slice()].concat());
        }
        ids.push(write(Kind::Tree, &bytes));
    }

    let last = ids.pop().expect("there is a tree");
    let commit =
        format!("tree {last}\nauthor a <a@b> 0 +0000\ncommitter a <a@b> 0 +0000\n\nmade up\n");
    let commit = write(Kind::Commit, commit.as_bytes());

    SyntheticRepository {
        package: package::read_package(&objects, last, None).ok(),
        listing: listing::list_commit(&objects, commit, &|_| true, listing::ListingLimits::SKILLS)
            .ok(),
    }
}
