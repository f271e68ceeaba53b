//! Properties of every input: a check for each parser of untrusted bytes. The fuzzers in `fuzz/` generate inputs for
//! these; the tests below run them on the seeds that are committed there.
//!
//! A check does more than call the parser. Parsed input that is written again parses the same; accepted input is within
//! every limit, and a second reader sees the same in it; output for programs is well-formed. A failed check panics.
//!
//! This module is not part of the program: it is built for tests, and with the feature `fuzzing`.

mod archive;
mod edits;
mod git_tree;
mod index;
mod names;
mod own_files;
mod project;
mod scan;
mod signatures;
mod skill;
#[cfg(test)]
mod tarfile;

pub use archive::with_crcs;

/// A check for one kind of input.
#[derive(Debug, Clone, Copy)]
pub struct FuzzTarget {
    /// Name of the file in `fuzz/fuzz_targets`, and of the folder with its seeds.
    pub name: &'static str,
    /// Panics if a property is violated for this input.
    pub check: fn(&[u8]),
}

/// All of them, by name.
pub const TARGETS: [FuzzTarget; 21] = [
    FuzzTarget {
        name: "advisory",
        check: signatures::advisory,
    },
    FuzzTarget {
        name: "findings",
        check: scan::findings,
    },
    FuzzTarget {
        name: "formats",
        check: skill::formats,
    },
    FuzzTarget {
        name: "frontmatter",
        check: skill::frontmatter,
    },
    FuzzTarget {
        name: "git_tree",
        check: git_tree::git_tree,
    },
    FuzzTarget {
        name: "hidden_text",
        check: scan::hidden_text,
    },
    FuzzTarget {
        name: "index_line",
        check: index::index_line,
    },
    FuzzTarget {
        name: "journal",
        check: own_files::journal,
    },
    FuzzTarget {
        name: "lock_merge",
        check: project::lock_merge,
    },
    FuzzTarget {
        name: "lockfile",
        check: project::lockfile,
    },
    FuzzTarget {
        name: "manifest",
        check: project::manifest,
    },
    FuzzTarget {
        name: "merge",
        check: edits::merge,
    },
    FuzzTarget {
        name: "patch",
        check: edits::patch,
    },
    FuzzTarget {
        name: "permissions",
        check: project::permissions,
    },
    FuzzTarget {
        name: "rel_path",
        check: names::rel_path,
    },
    FuzzTarget {
        name: "signature",
        check: signatures::signature,
    },
    FuzzTarget {
        name: "source",
        check: names::source,
    },
    FuzzTarget {
        name: "state",
        check: own_files::state,
    },
    FuzzTarget {
        name: "tar_archive",
        check: archive::tar_archive,
    },
    FuzzTarget {
        name: "undo_entry",
        check: own_files::undo_entry,
    },
    FuzzTarget {
        name: "zip_archive",
        check: archive::zip_archive,
    },
];

/// Checks one input.
///
/// # Panics
/// If a property is violated, or there is no such target.
pub fn check(target: &str, input: &[u8]) {
    let target = TARGETS
        .iter()
        .find(|one| one.name == target)
        .expect("a target is named as its row");

    (target.check)(input);
}

#[cfg(test)]
mod tests;
