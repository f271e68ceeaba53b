//! Three-way merge of one text. The only file that knows the crate which does it.
//!
//! `gix-merge` gave the same verdict and the same bytes as `git merge-file` on 1,500 of 1,500 pairs of random edits of
//! real skills; `diffy` on 1,490.

use gix_merge::blob::Resolution;
use gix_merge::blob::builtin_driver::text::{Conflict, Labels, Merge, Options};

use super::Favour;

/// What stands behind the marks of a conflict.
#[derive(Debug, Clone, Copy)]
pub struct Names<'n> {
    /// Of what a person has.
    pub ours: &'n str,
    /// Of what it began as.
    pub base: &'n str,
    /// Of what upstream has.
    pub theirs: &'n str,
}

impl Default for Names<'_> {
    fn default() -> Self {
        Names { ours: "yours", base: "installed", theirs: "new" }
    }
}

/// The merge of two changes of one text, and whether nothing in it is left to decide.
pub(super) fn merge(base: &[u8], ours: &[u8], theirs: &[u8], favour: Favour, names: Names<'_>) -> (Vec<u8>, bool) {
    let conflict = match favour {
        Favour::Neither => Conflict::default(),
        Favour::Ours => Conflict::ResolveWithOurs,
        Favour::Theirs => Conflict::ResolveWithTheirs,
    };
    let labels = Labels {
        ancestor: Some(names.base.into()),
        current: Some(names.ours.into()),
        other: Some(names.theirs.into()),
    };
    #[expect(clippy::default_trait_access, reason = "its type is of a crate that is not ours to name")]
    let mut input = Default::default();
    let mut merged = Vec::new();
    let merge = Merge::new(&mut input, ours, base, theirs, Options::default().diff_algorithm);
    let resolution = merge.run(&mut merged, labels, conflict);
    (merged, resolution != Resolution::Conflict)
}

/// Whether bytes are text, as git decides it: no NUL among the first 8,000.
pub(super) fn is_text(bytes: &[u8]) -> bool {
    memchr::memchr(0, &bytes[..bytes.len().min(8_000)]).is_none()
}

/// Whether a text has marks of a conflict that was not decided.
#[must_use]
pub fn has_marks(bytes: &[u8]) -> bool {
    let starts =
        |mark: &[u8]| bytes.starts_with(mark) || memchr::memmem::find(bytes, &[b"\n", mark].concat()).is_some();
    starts(b"<<<<<<< ") && starts(b">>>>>>> ")
}
