//! What is known here of a registry's versions without asking anybody, and without opening the index: from our copy of the one
//! file that has it, or the file itself where that is on this disk.

use std::path::Path;

use memchr::memmem;
use semver::Version;

use super::{Entry, entry_path, place};
use crate::package::{IndexUrl, PackageName};

/// Why a version was revoked, as far as is known here; `cache` is the directory of the copies.
#[must_use]
pub fn revoked_at_hand(index: &IndexUrl, name: &PackageName, version: &Version, cache: &Path) -> Option<String> {
    let file = place::at_hand(index, &entry_path(name), cache)?;
    // Nearly no file has such a line, and to look for the word costs far less than to read them all.
    memmem::find(&file, b"\"revoked\"")?;
    let text = String::from_utf8_lossy(&file);
    let mut entries = text.lines().filter_map(|line| Entry::parse(line, name).ok());
    entries.find(|entry| entry.vers == *version)?.revoked
}
