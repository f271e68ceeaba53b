//! What must hold for every input, whoever wrote it: a check for each reader of strangers' bytes. `fuzz/` makes inputs up
//! and feeds them to these; the tests below feed them what is committed there.
//!
//! A check does more than call the reader. What was read and is written again reads the same; what was accepted keeps
//! every limit, and a second reader sees the same in it; what is written for programs is well-formed. A check that does
//! not hold panics.
//!
//! This room is no part of the program: it is built for tests, and with `--cfg fuzzing`.

mod archive;
mod edits;
mod git_tree;
mod index;
mod names;
mod own_files;
mod project;
mod scan;
mod skill;
#[cfg(test)]
mod tarfile;
mod vouched;

pub use archive::with_crcs;

/// A check for one kind of input.
#[derive(Debug, Clone, Copy)]
pub struct Target {
    /// Its name: that of the file in `fuzz/fuzz_targets`, and of the folder of its seeds.
    pub name: &'static str,
    /// Panics if something that must hold for this input does not.
    pub check: fn(&[u8]),
}

/// All of them, by name.
pub const TARGETS: [Target; 20] = [
    Target { name: "advisory", check: vouched::advisory },
    Target { name: "findings", check: scan::findings },
    Target { name: "formats", check: skill::formats },
    Target { name: "frontmatter", check: skill::frontmatter },
    Target { name: "git_tree", check: git_tree::git_tree },
    Target { name: "hidden_text", check: scan::hidden_text },
    Target { name: "index_line", check: index::index_line },
    Target { name: "journal", check: own_files::journal },
    Target { name: "lock_merge", check: project::lock_merge },
    Target { name: "lockfile", check: project::lockfile },
    Target { name: "manifest", check: project::manifest },
    Target { name: "merge", check: edits::merge },
    Target { name: "patch", check: edits::patch },
    Target { name: "rel_path", check: names::rel_path },
    Target { name: "signature", check: vouched::signature },
    Target { name: "source", check: names::source },
    Target { name: "state", check: own_files::state },
    Target { name: "tar_archive", check: archive::tar_archive },
    Target { name: "undo_entry", check: own_files::undo_entry },
    Target { name: "zip_archive", check: archive::zip_archive },
];

/// Checks one input.
///
/// # Panics
/// If something does not hold, or there is no such target.
pub fn check(target: &str, input: &[u8]) {
    let target = TARGETS.iter().find(|one| one.name == target).expect("a target is named as its row");
    (target.check)(input);
}

#[cfg(test)]
mod tests;
