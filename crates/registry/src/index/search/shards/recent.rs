//! Keeps the head of a search index current: the packages that changed since its files were written are in the head itself, so
//! that a publish reads and writes one file, however large the index is.

use super::{RecentRow, SEARCH_HEAD, SearchHead};
use crate::index::search::SearchRow;
use skillpm_core::error::{Error, Result};
use skillpm_core::package::PackageName;

/// Most changed packages in a head. Each takes some 150 bytes of every search.
const RECENT_MAX: usize = 5000;

/// From how many changed packages on the files should be written again: then half of the bytes of a search are these.
pub const RECENT_MANY: usize = 1000;

/// Records the changed files of packages in a head; returns the new head, and the number of changes that it has.
///
/// # Errors
/// If the head is invalid, or has too many changes.
pub(in crate::index) fn record_changes(
    head: &[u8],
    changed: &[(PackageName, &[u8])],
) -> Result<(Vec<u8>, usize)> {
    let mut head = SearchHead::parse(head)?;

    for (name, file) in changed {
        let name_text = name.to_string();
        head.recent.retain(|row| row.name() != name_text);

        let row = SearchRow::from_entry_file(name, &String::from_utf8_lossy(file));
        head.recent
            .push(match row.and_then(|row| row.to_published()) {
                Some(line) => RecentRow::Present(line),
                None => RecentRow::Removed { removed: name_text },
            });
    }

    let count = head.recent.len();
    let bytes = head.to_bytes().filter(|_| count <= RECENT_MAX);
    let bytes = bytes.ok_or_else(|| {
        Error::negative(format!(
            "`{SEARCH_HEAD}` cannot have {count} changed packages"
        ))
    })?;
    Ok((bytes, count))
}
