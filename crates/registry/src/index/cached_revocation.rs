//! Revocations that are known offline, without opening the index: from the cached copy of a package's file, or the file
//! itself if the index is local.

use std::path::Path;

use memchr::memmem;
use semver::Version;

use super::{IndexEntry, entry_path, transport};
use skillpm_core::package::{IndexUrl, PackageName};

/// Finds the reason why a version was revoked, as far as it is cached; `cache` is the directory of cached indexes.
#[must_use]
pub fn find_cached_revocation(
    index: &IndexUrl,
    name: &PackageName,
    version: &Version,
    cache: &Path,
) -> Option<String> {
    let file = transport::read_local(index, &entry_path(name), cache)?;
    // Nearly no file has such a line, and a search for the word costs far less than parsing all lines.
    memmem::find(&file, b"\"revoked\"")?;

    let text = String::from_utf8_lossy(&file);
    let mut entries = text
        .lines()
        .filter_map(|line| IndexEntry::parse(line, name).ok());
    entries.find(|entry| entry.vers == *version)?.revoked
}
