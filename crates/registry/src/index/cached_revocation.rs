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
    if !may_have_revocations(index, name, cache) {
        return None;
    }

    let file = transport::read_local(index, &entry_path(name), cache)?;
    memmem::find(&file, b"\"revoked\"")?;

    let text = String::from_utf8_lossy(&file);
    let mut entries = text
        .lines()
        .filter_map(|line| IndexEntry::parse(line, name).ok());
    entries.find(|entry| entry.vers == *version)?.revoked
}

/// Whether a version of a package may have been revoked, as far as its cached file says; also `true` where files are not
/// cached one by one. `cache` is the directory of cached indexes.
#[must_use]
pub fn may_have_revocations(index: &IndexUrl, name: &PackageName, cache: &Path) -> bool {
    // Before its digest is checked, as a damaged copy says nothing in either case. Nearly no file has the word, and a search
    // for it costs far less than the digest.
    transport::read_raw_copy(index, &entry_path(name), cache)
        .is_none_or(|copy| memmem::find(&copy, b"\"revoked\"").is_some())
}
