//! Repositories that no disk holds, made up of any trees at all: for tests of what reads trees.

use gix::objs::Kind;

use super::listing::{self, Listing};
use super::objects::Objects;
use super::package;
use crate::package::Tree;

/// The modes that an entry can have, as they are written: those that git writes, and some that only others do.
const MODES: [&str; 10] =
    ["100644", "40000", "100755", "120000", "160000", "040000", "100664", "100600", "0", "177777"];

/// What is read of such a repository.
pub(crate) struct Made {
    /// Its last tree as a package; `None` if it is none.
    pub package: Option<Tree>,
    /// All of a commit of that tree; `None` if it cannot be listed.
    pub listing: Option<Listing>,
}

/// Reads a repository of these trees, each of entries with a mode, a name, and which earlier tree or file they name.
pub(crate) fn repository(trees: &[Vec<(u8, Vec<u8>, usize)>]) -> Made {
    let objects = Objects::in_memory();
    let write = |kind, bytes: &[u8]| objects.write(kind, bytes);
    let files = [write(Kind::Blob, b""), write(Kind::Blob, b"text\n"), write(Kind::Blob, &[0; 2_000])];
    let mut ids = vec![write(Kind::Tree, b"")];
    for tree in trees {
        let mut bytes = Vec::new();
        for (mode, name, which) in tree {
            let mode = MODES[usize::from(*mode) % MODES.len()];
            let id = if mode.ends_with("40000") { ids[which % ids.len()] } else { files[which % files.len()] };
            bytes.extend([mode.as_bytes(), b" ", name.as_slice(), b"\0", id.as_slice()].concat());
        }
        ids.push(write(Kind::Tree, &bytes));
    }
    let last = ids.pop().expect("there is a tree");
    let commit = format!("tree {last}\nauthor a <a@b> 0 +0000\ncommitter a <a@b> 0 +0000\n\nmade up\n");
    let commit = write(Kind::Commit, commit.as_bytes());
    Made { package: package::read(&objects, last).ok(), listing: listing::list(&objects, commit).ok() }
}
