//! Changing an index: what is to be changed is decided by looking at one state of it, and takes effect only if nobody
//! else has changed it meanwhile; otherwise it is decided again on the new state. So of any number of writers at once
//! each change lands once, and none is lost.

pub mod archives;
pub mod bucket;

use std::collections::BTreeMap;

use crate::error::Result;

/// The files of an index at one state.
pub trait Files {
    /// The content of a file; `None` if it is not there.
    ///
    /// # Errors
    /// If it cannot be had.
    fn read(&self, path: &str) -> Result<Option<Vec<u8>>>;
}

/// One change of an index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// What it does, in one line: the subject of a commit.
    pub message: String,
    /// New files that nothing names yet, archives above all, by path. They may be put before the rest, and stay without
    /// harm where the rest fails.
    pub archives: BTreeMap<String, Vec<u8>>,
    /// The files that are changed, whole, by path.
    pub files: BTreeMap<String, Vec<u8>>,
}

/// What came of a change.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Written {
    /// The commit that made it, where the index is a git repository.
    pub commit: Option<String>,
    /// The branch it is on, where it waits for review.
    pub branch: Option<String>,
    /// How often somebody else was faster.
    pub retries: u32,
}

/// An index that can be changed.
pub trait Ledger {
    /// Makes a change: `decide` looks at a state and says what is to be done, `None` for nothing. It is asked again
    /// whenever somebody else has changed the index meanwhile.
    ///
    /// # Errors
    /// What `decide` says; or if the index cannot be written.
    fn change(&self, decide: &mut dyn FnMut(&dyn Files) -> Result<Option<Edit>>) -> Result<Option<Written>>;
}
