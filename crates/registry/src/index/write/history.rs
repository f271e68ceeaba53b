//! The history of an index on the machine of a writer: what it has read or written before may not change under it, as for
//! a reader.

use std::cell::Cell;
use std::collections::BTreeMap;

use super::{DecideEdit, IndexEditOutcome, IndexFiles, IndexWriter};
use crate::index::layout;
use crate::index::transport::IndexFileCache;
use skillpm_core::error::Result;

/// A writer that refuses an index which changed published versions, and remembers those that it writes.
pub(super) struct CheckedIndexWriter<'a> {
    pub(super) writer: Box<dyn IndexWriter + 'a>,
    pub(super) history: IndexFileCache,
}

impl CheckedIndexWriter<'_> {
    /// Applies the edit that `decide` computes; `is_refused` is set if the index contradicts the history.
    fn try_update(
        &self,
        decide: &mut DecideEdit<'_>,
        is_refused: &Cell<bool>,
    ) -> Result<Option<IndexEditOutcome>> {
        let history = &self.history;
        let mut written = BTreeMap::new();
        let outcome = self.writer.update(&mut |files| {
            let edit = decide(&CheckedIndexFiles {
                files,
                history,
                is_refused,
            })?;
            // Those of the last attempt: an earlier one was computed from another state.
            written = edit
                .as_ref()
                .map_or_else(BTreeMap::new, |edit| edit.files.clone());
            Ok(edit)
        })?;

        // The change is made: what cannot be remembered of it is no error.
        if let Some(outcome) = &outcome {
            written.retain(|path, _| layout::parse_entry_path(path).is_some());
            for (path, bytes) in written {
                let _ = history.check_and_cache(&path, Some(bytes));
            }
            if let Some(commit) = &outcome.commit {
                let _ = history.record_head(commit);
            }
        }
        Ok(outcome)
    }
}

impl IndexWriter for CheckedIndexWriter<'_> {
    fn update(&self, decide: &mut DecideEdit<'_>) -> Result<Option<IndexEditOutcome>> {
        let is_refused = Cell::new(false);
        match self.try_update(decide, &is_refused) {
            // Once more: another process may have read a version that was published after this state.
            Err(_) if is_refused.get() => self.try_update(decide, &is_refused),
            outcome => outcome,
        }
    }
}

/// The files of an index, of which those of packages are compared with the history.
struct CheckedIndexFiles<'a> {
    files: &'a dyn IndexFiles,
    history: &'a IndexFileCache,
    is_refused: &'a Cell<bool>,
}

impl IndexFiles for CheckedIndexFiles<'_> {
    fn read(&self, path: &str) -> Result<Option<Vec<u8>>> {
        let file = self.files.read(path)?;
        match layout::parse_entry_path(path) {
            Some(_) => self
                .history
                .check_and_cache(path, file)
                .inspect_err(|_| self.is_refused.set(true)),
            None => Ok(file),
        }
    }

    fn list_paths(&self, enters: &dyn Fn(&str) -> bool) -> Result<Option<Vec<String>>> {
        self.files.list_paths(enters)
    }
}
