//! Revocations that are known offline, without opening the index: from the cached copy of a package's file, or the file
//! itself if the index is local.
//!
//! Nearly no package was ever revoked, and every command looks. So it is kept which copies of an index were seen to have no
//! revocation, with the state of their directory: each new copy changes that. While it is the same, no copy is opened.

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use memchr::memmem;
use semver::Version;
use serde::{Deserialize, Serialize};

use super::{IndexEntry, entry_path, transport};
use skillpm_core::package::{IndexUrl, PackageName};
use skillpm_io::disk;
use skillpm_io::skills_dir::{self, FileStamp, PathKind};

/// Layout of [`SeenCopies`], and the largest file of them that is read, in bytes.
const LAYOUT: &str = "skillpm revocations 1";
const SEEN_MAX: u64 = 64 << 20;

/// Searches the cached files of packages for revocations.
pub struct RevocationSearch {
    /// The directory of cached indexes.
    cache: PathBuf,
    now: SystemTime,
    /// By the URL of the index.
    indexes: RefCell<HashMap<String, CopiesOfIndex>>,
}

/// The copies of one index.
struct CopiesOfIndex {
    dir: PathBuf,
    /// The state of the directory before a copy was read; `None` if it is not there, or a change might not show.
    stamp: Option<FileStamp>,
    /// The names of the copies without a revocation, sorted, as an earlier command saw them.
    clean: Vec<String>,
    /// Those that this command saw.
    newly_clean: Vec<String>,
}

/// What is kept of the copies of an index.
#[derive(Serialize, Deserialize)]
struct SeenCopies {
    layout: String,
    stamp: FileStamp,
    clean: Vec<String>,
}

impl RevocationSearch {
    /// Prepares a search in `cache`, the directory of cached indexes; `now` is the time before a file is looked at.
    #[must_use]
    pub fn new(cache: &Path, now: SystemTime) -> Self {
        RevocationSearch {
            cache: cache.to_owned(),
            now,
            indexes: RefCell::default(),
        }
    }

    /// Finds the reason why a version was revoked, as far as it is cached.
    #[must_use]
    pub fn find_revocation(
        &self,
        index: &IndexUrl,
        name: &PackageName,
        version: &Version,
    ) -> Option<String> {
        if !self.may_have_revocations(index, name) {
            return None;
        }

        let file = transport::read_local(index, &entry_path(name), &self.cache)?;
        memmem::find(&file, b"\"revoked\"")?;

        let text = String::from_utf8_lossy(&file);
        let mut entries = text
            .lines()
            .filter_map(|line| IndexEntry::parse(line, name).ok());
        entries.find(|entry| entry.vers == *version)?.revoked
    }

    /// Whether a version of a package may have been revoked, as far as its cached file says; also `true` where files are
    /// not cached one by one.
    #[must_use]
    pub fn may_have_revocations(&self, index: &IndexUrl, name: &PackageName) -> bool {
        let path = entry_path(name);
        if !transport::has_copies(index) {
            let file = transport::read_raw_local(index, &path, &self.cache);
            return file.is_none_or(|file| is_revoking(&file));
        }

        let mut indexes = self.indexes.borrow_mut();
        if !indexes.contains_key(index.as_str()) {
            let copies = CopiesOfIndex::open(self, index);
            indexes.insert(index.as_str().to_owned(), copies);
        }
        let copies = indexes.get_mut(index.as_str());
        copies.is_none_or(|copies| copies.may_revoke(transport::copy_name(&path)))
    }

    /// Keeps which copies have no revocation. A failure to write costs time in the next command, and nothing else.
    pub fn write(&self) {
        for copies in self.indexes.borrow_mut().values_mut() {
            copies.write(&self.cache);
        }
    }
}

impl CopiesOfIndex {
    fn open(search: &RevocationSearch, index: &IndexUrl) -> Self {
        let dir = search.cache.join(transport::cache_dir_name(index));
        let stamp = match skills_dir::stat_path(&dir) {
            Ok(Some((PathKind::Directory, stamp))) => Some(stamp),
            _ => None,
        };
        let stamp = stamp.filter(|stamp| stamp.is_settled(search.now));
        let seen = stamp.and_then(|stamp| {
            let bytes = disk::read_up_to(&seen_path(&search.cache, &dir), SEEN_MAX);
            let seen: SeenCopies = postcard::from_bytes(&bytes.ok()??).ok()?;
            (seen.layout == LAYOUT && seen.stamp == stamp).then_some(seen.clean)
        });
        CopiesOfIndex {
            dir,
            stamp,
            clean: seen.unwrap_or_default(),
            newly_clean: Vec::new(),
        }
    }

    fn may_revoke(&mut self, name: String) -> bool {
        if self.clean.binary_search(&name).is_ok() {
            return false;
        }

        // Before its digest is checked, as a damaged copy says nothing in either case. Nearly no file has the word, and a
        // search for it costs far less than the digest.
        let copy = transport::read_copy_at(&self.dir.join(&name));
        let may_revoke = copy.is_none_or(|copy| is_revoking(&copy));
        if !may_revoke {
            self.newly_clean.push(name);
        }
        may_revoke
    }

    fn write(&mut self, cache: &Path) {
        let Some(stamp) = self.stamp.filter(|_| !self.newly_clean.is_empty()) else {
            return;
        };
        self.clean.append(&mut self.newly_clean);
        self.clean.sort_unstable();
        self.clean.dedup();

        let seen = SeenCopies {
            layout: LAYOUT.to_owned(),
            stamp,
            clean: std::mem::take(&mut self.clean),
        };
        if let Ok(bytes) = postcard::to_stdvec(&seen) {
            drop(disk::write_cached(&seen_path(cache, &self.dir), &bytes));
        }
    }
}

/// The file for an index whose copies are in this directory: beside it, so that it does not change it.
fn seen_path(cache: &Path, dir: &Path) -> PathBuf {
    let name = dir.file_name().unwrap_or_default().to_string_lossy();
    cache.join(format!("revocations-{name}.postcard"))
}

fn is_revoking(file: &[u8]) -> bool {
    memmem::find(file, b"\"revoked\"").is_some()
}
