//! Keeps the search index of an index current: after a change is written, its packages are recorded in the head
//! ([`record_changes`]). That is not part of the change: it is published without it, so that a failure is a warning.

use super::IndexEdit;
use crate::index::search::{RECENT_MANY, SEARCH_HEAD, record_changes};
use crate::index::{IndexConfig, layout};
use skillpm_core::error::{Error, Result};
use skillpm_core::package::PackageName;
use skillpm_core::report::{EventReporter, ProgressEvent};

/// The packages that an edit changes, with their new files; none if the index with this `config.json` has no search index.
pub(super) fn searchable_changes<'e>(
    edit: &'e IndexEdit,
    config: Option<&[u8]>,
) -> Vec<(PackageName, &'e [u8])> {
    let config = config.and_then(|bytes| serde_json::from_slice::<IndexConfig>(bytes).ok());
    if !config.is_some_and(|config| config.search) {
        return Vec::new();
    }

    edit.files
        .iter()
        .filter_map(|(path, bytes)| Some((layout::parse_entry_path(path)?, bytes.as_slice())))
        .collect()
}

/// The head with changes; `head` is `None` if the index has none.
pub(super) fn new_head(
    head: Option<&[u8]>,
    changes: &[(PackageName, &[u8])],
) -> Result<(Vec<u8>, usize)> {
    let head = head.ok_or_else(|| Error::negative(format!("`{SEARCH_HEAD}` not found")))?;
    record_changes(head, changes)
}

/// Warns if the search index could not be kept current, or if its head has many changes.
pub(super) fn report_outcome(outcome: &Result<usize>, reporter: &dyn EventReporter) {
    let message = match outcome {
        Ok(count) if *count < RECENT_MANY => return,
        Ok(count) => {
            format!("the search index has {count} packages that changed since it was written")
        }
        Err(error) => {
            format!("failed to update the search index, but the change is published: {error}")
        }
    };
    reporter.report(ProgressEvent::Warning {
        message,
        help: Some(
            "its owners can write it again: `skillpm registry site DIR --registry NAME --search-only`"
                .into(),
        ),
    });
}
