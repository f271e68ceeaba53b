//! The cached files of an index: for conditional requests, for reading offline, and for detecting an index that changes
//! published versions. Of a directory, and of an index that is only written, they serve the last purpose alone.
//!
//! ```text
//! $SKILLPM_HOME/index/acme.dev-3f2a90c14d5e6b78/      one index; the digits are a digest of its URL
//! ├── .head                                           {"v":1,"head":"6838e77d…"}, the last known commit of an index in git
//! ├── config.json
//! └── acme+3+p+pdf                                    all in one directory, since creating many would cost more than the files
//!         {"v":1,"sha256":"9f2c…","etag":"\"5e1\""}   the header of the copy: its digest, and the server's validators
//!         {"name":"acme/pdf","vers":"1.0.0",…}        the file
//! ```
//!
//! A file that is known not to exist has the header `{"v":1,"missing":true}` alone. Copies are moved into place by rename,
//! so any number of processes may write them at once. Nothing is synced to disk: a copy that does not match its digest is
//! ignored.

use std::path::{Path, PathBuf};
use std::sync::Once;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::LIST_MAX;
use crate::index::{IndexContext, history, layout};
use skillpm_core::error::{Error, Result};
use skillpm_core::package::{IndexUrl, PackageName, Sha256Digest};
use skillpm_io::disk;

/// The format version of a copy's header.
const HEADER_VERSION: u32 = 1;

/// Most changes that are shown of one package.
const FAULTS_SHOWN: usize = 20;

/// Largest copy, in bytes: that of the longest list of packages, and its header.
const CACHED_FILE_MAX: u64 = LIST_MAX + 4096;

/// The file that describes the index.
pub(super) const CONFIG_FILE: &str = "config.json";

/// The file with the last known head.
const HEAD_FILE: &str = ".head";

/// The last known head of an index in git.
#[derive(Serialize, Deserialize)]
struct LastHead {
    v: u32,
    head: String,
}

/// The cached files of one index.
pub(in crate::index) struct IndexFileCache {
    dir: PathBuf,
    /// Whether temporary files of killed commands were removed.
    cleared: Once,
    index: IndexUrl,
    /// Whether the index may change published versions.
    accepts_rewrites: bool,
}

/// The cached copy of a file.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum IndexFileCopy {
    /// Not cached.
    None,
    /// The copy does not match its digest.
    Damaged,
    /// The file is known not to exist.
    Missing,
    /// The content of the file.
    Present(IndexFileContent),
}

/// The content of a file, and the server's validators.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct IndexFileContent {
    pub bytes: Vec<u8>,
    pub etag: Option<String>,
    pub last_modified: Option<String>,
}

/// The header of a copy.
#[derive(Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
struct CopyHeader {
    v: u32,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    missing: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    sha256: Option<Sha256Digest>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    etag: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    last_modified: Option<String>,
}

/// The name of the directory that an index is cached in.
#[must_use]
pub fn cache_dir_name(index: &IndexUrl) -> String {
    // The host's name alone would be the same for all indexes of that host.
    let digest = Sha256Digest::hash_bytes(index.as_str().as_bytes()).to_string();
    format!("{}-{}", host_label(index), &digest[..16])
}

/// Finds the copies in a directory that do not match their digests.
///
/// # Errors
/// If the directory cannot be read.
pub fn find_damaged_copies(dir: &Path) -> Result<Vec<PathBuf>> {
    let files = disk::list_names(dir)?
        .into_iter()
        // Those are temporary files, which another process may be writing.
        .filter(|name| !name.starts_with('.'))
        .map(|name| dir.join(name));

    let is_damaged = |path: &PathBuf| match disk::read_up_to(path, CACHED_FILE_MAX) {
        Ok(Some(copy)) => parse_copy(copy) == IndexFileCopy::Damaged,
        Ok(None) => false,
        // An unreadable copy counts as damaged.
        Err(_) => true,
    };

    Ok(files.filter(is_damaged).collect())
}

/// Reads the cached file at a path of an index; `cache` is the directory of all cached indexes.
pub(super) fn read_cached(index: &IndexUrl, path: &str, cache: &Path) -> Option<Vec<u8>> {
    let copy = cache.join(cache_dir_name(index)).join(copy_name(path));
    match parse_copy(read_copy_at(&copy)?) {
        IndexFileCopy::Present(content) => Some(content.bytes),
        IndexFileCopy::None | IndexFileCopy::Missing | IndexFileCopy::Damaged => None,
    }
}

/// Reads a copy with its header, unchecked.
pub(in crate::index) fn read_copy_at(copy: &Path) -> Option<Vec<u8>> {
    disk::read_up_to(copy, CACHED_FILE_MAX).ok().flatten()
}

/// The name of the copy of a file. No name in an index has a `+` in it.
pub(in crate::index) fn copy_name(path: &str) -> String {
    path.replace('/', "+")
}

impl IndexFileCache {
    pub(in crate::index) fn open(index: &IndexUrl, tools: &IndexContext<'_>) -> IndexFileCache {
        let dir = tools.cache.join(cache_dir_name(index));
        IndexFileCache {
            dir,
            cleared: Once::new(),
            index: index.clone(),
            accepts_rewrites: tools.accept_rewritten.contains(index.as_str()),
        }
    }

    /// The path of the copy of a file.
    fn cache_path(&self, path: &str) -> PathBuf {
        self.dir.join(copy_name(path))
    }

    /// Reads the copy of the file at a path of the index.
    pub(super) fn get(&self, path: &str) -> IndexFileCopy {
        match disk::read_up_to(&self.cache_path(path), CACHED_FILE_MAX) {
            Ok(Some(copy)) => parse_copy(copy),
            Ok(None) => IndexFileCopy::None,
            // Not an error: the file is fetched again.
            Err(_) => IndexFileCopy::Damaged,
        }
    }

    /// Removes the copy of a file.
    ///
    /// # Errors
    /// If the disk cannot be written.
    pub(super) fn remove(&self, path: &str) -> Result<()> {
        disk::remove(&self.cache_path(path))
    }

    /// Lists the paths of all cached files of packages, sorted.
    ///
    /// # Errors
    /// If the directory cannot be read.
    pub(super) fn package_paths(&self) -> Result<Vec<String>> {
        let names = disk::list_names(&self.dir)?.into_iter();
        let mut paths: Vec<String> = names.map(|name| name.replace('+', "/")).collect();
        paths.retain(|path| layout::parse_entry_path(path).is_some());
        paths.sort_unstable();
        Ok(paths)
    }

    /// Caches the present content of a file; `before` is the previous copy.
    ///
    /// # Errors
    /// [`Integrity`](skillpm_core::error::FailureKind::Integrity) if it changes published versions of the previous copy,
    /// which then stays; or if the copy cannot be written.
    pub(super) fn put(
        &self,
        path: &str,
        before: &IndexFileCopy,
        now: Option<&IndexFileContent>,
    ) -> Result<()> {
        let bytes = now.map_or(&[][..], |now| &now.bytes);

        // Compared before it is written: refused content must not replace the previous copy.
        match (before, layout::parse_entry_path(path)) {
            (IndexFileCopy::Present(before), Some(name)) => {
                self.check_not_rewritten(&name, &before.bytes, bytes)?;
            }
            (IndexFileCopy::Present(before), None) if path == CONFIG_FILE => {
                self.check_freshness(&before.bytes, bytes)?;
            }
            _ => {}
        }

        let header = match now {
            Some(now) => CopyHeader {
                v: HEADER_VERSION,
                sha256: Some(Sha256Digest::hash_bytes(&now.bytes)),
                etag: now.etag.clone(),
                last_modified: now.last_modified.clone(),
                missing: false,
            },
            None => CopyHeader {
                v: HEADER_VERSION,
                missing: true,
                ..CopyHeader::default()
            },
        };

        let mut copy = serde_json::to_vec(&header).expect("a header of strings is valid JSON");
        copy.push(b'\n');
        copy.extend_from_slice(now.map_or(&[], |now| &now.bytes));

        self.remove_abandoned();
        // Not synced: a truncated copy does not match its digest, and is fetched again.
        disk::write_cached(&self.cache_path(path), &copy)
    }

    /// Removes what killed commands have left.
    fn remove_abandoned(&self) {
        self.cleared
            .call_once(|| disk::remove_abandoned(&self.dir, disk::TEMPORARY_PREFIX));
    }

    /// Checks the present content of a file against its copy, and caches it; returns it.
    ///
    /// # Errors
    /// As for [`IndexFileCache::put`].
    pub(in crate::index) fn check_and_cache(
        &self,
        path: &str,
        file: Option<Vec<u8>>,
    ) -> Result<Option<Vec<u8>>> {
        // Archives have a digest of their own, and owners are compared in `signed.rs`.
        if layout::parse_entry_path(path).is_none() && path != CONFIG_FILE {
            return Ok(file);
        }

        // Also if there is nothing to write, as when a killed command is repeated.
        self.remove_abandoned();
        let before = self.get(path);
        let is_new = match (&before, &file) {
            (IndexFileCopy::Present(cached), Some(bytes)) => cached.bytes != *bytes,
            (IndexFileCopy::None | IndexFileCopy::Missing, None) => false,
            _ => true,
        };
        if !is_new {
            return Ok(file);
        }

        let now = file.map(|bytes| IndexFileContent {
            bytes,
            ..IndexFileContent::default()
        });
        // Refused if it rewrites versions of the copy, which then stays.
        self.put(path, &before, now.as_ref())?;
        Ok(now.map(|content| content.bytes))
    }

    /// The last known head of the index; `None` if there is none.
    pub(super) fn last_head(&self) -> Option<String> {
        let bytes = disk::read(&self.dir.join(HEAD_FILE)).ok().flatten()?;
        serde_json::from_slice::<LastHead>(&bytes)
            .ok()
            .filter(|last| last.v == HEADER_VERSION)
            .map(|last| last.head)
    }

    /// Records the head of the index.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(in crate::index) fn record_head(&self, head: &str) -> Result<()> {
        let last = LastHead {
            v: HEADER_VERSION,
            head: head.to_owned(),
        };
        let bytes = serde_json::to_vec(&last).expect("a header of strings is valid JSON");
        disk::write_cached(&self.dir.join(HEAD_FILE), &bytes)
    }

    /// Whether the index may change published versions, because the user's settings allow it.
    pub(super) fn accepts_rewrites(&self) -> bool {
        self.accepts_rewrites
    }

    /// Adds the help to an error about a rewritten index.
    pub(super) fn with_accept_help(&self, error: Error) -> Error {
        error
            .help("nothing was installed, and the previous state stays cached; ask the registry's owners")
            .help(format!("if the change is intended, pass `--config registry.accept-rewritten={}`", self.index))
    }

    /// Refuses a lower serial number than before, and a state without an expiration time where there was one.
    fn check_freshness(&self, before: &[u8], now: &[u8]) -> Result<()> {
        // An older serial may be the answer of a stale mirror as well as an attack; both are refused.
        let (before, now) = (read_freshness(before), read_freshness(now));

        if self.accepts_rewrites {
            return Ok(());
        }

        // A rollback to an old state would hide later yanks and revocations.
        if before.serial.is_some() && now.serial < before.serial {
            let shown =
                |serial: Option<u64>| serial.map_or("none".to_owned(), |serial| serial.to_string());
            return Err(self.with_accept_help(
                Error::integrity(format!(
                    "index `{}` was rolled back to an older state",
                    self.index
                ))
                .note(format!("serial before  {}", shown(before.serial)))
                .note(format!("serial now     {}", shown(now.serial))),
            ));
        }

        // Without an expiration time an old state could be served forever, so it may not be removed.
        match (before.expires, now.expires) {
            (Some(until), None) => Err(self.with_accept_help(
                Error::integrity(format!(
                    "index `{}` no longer has an expiration time",
                    self.index
                ))
                .note(format!("expires before  {until}"))
                .note("expires now     none"),
            )),
            _ => Ok(()),
        }
    }

    fn check_not_rewritten(&self, name: &PackageName, before: &[u8], now: &[u8]) -> Result<()> {
        if self.accepts_rewrites {
            return Ok(());
        }

        let faults = history::find_rewritten_versions(before, now);
        if faults.is_empty() {
            return Ok(());
        }

        let error = Error::integrity(format!(
            "index `{}` changed published versions of `{name}`",
            self.index
        ));
        let error = faults
            .iter()
            .take(FAULTS_SHOWN)
            .fold(error, |error, fault| error.note(fault.to_string()));

        Err(
            self.with_accept_help(match faults.len().saturating_sub(FAULTS_SHOWN) {
                0 => error,
                more => error.note(format!("and {more} more")),
            }),
        )
    }
}

/// The keys of `config.json` about its state.
#[derive(Default, Deserialize)]
struct IndexFreshness {
    serial: Option<u64>,
    expires: Option<Timestamp>,
}

fn read_freshness(config: &[u8]) -> IndexFreshness {
    serde_json::from_slice(config).unwrap_or_default()
}

fn parse_copy(mut copy: Vec<u8>) -> IndexFileCopy {
    // Without a first line it was truncated.
    let Some(end) = memchr::memchr(b'\n', &copy) else {
        return IndexFileCopy::Damaged;
    };
    let header: CopyHeader = match serde_json::from_slice(&copy[..end]) {
        Ok(header) => header,
        Err(_) => return IndexFileCopy::Damaged,
    };

    // In place: the copy may be some megabytes.
    copy.drain(..=end);
    match header {
        // Written by another version of this program: ignored, but not damaged.
        CopyHeader { v, .. } if v != HEADER_VERSION => IndexFileCopy::None,
        CopyHeader { missing: true, .. } => IndexFileCopy::Missing,
        CopyHeader {
            sha256,
            etag,
            last_modified,
            ..
        } if sha256 == Some(Sha256Digest::hash_bytes(&copy)) => {
            IndexFileCopy::Present(IndexFileContent {
                bytes: copy,
                etag,
                last_modified,
            })
        }
        _ => IndexFileCopy::Damaged,
    }
}

/// A readable label of the index, which is valid as a file name on every file system.
fn host_label(index: &IndexUrl) -> String {
    let url = url::Url::parse(index.inner()).ok();
    let host = url
        .as_ref()
        .and_then(url::Url::host_str)
        .filter(|host| !host.is_empty())
        .unwrap_or("index");

    host.chars()
        .filter(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-'))
        .take(64)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::transport::tests::with_tools;

    fn copies(work: impl FnOnce(IndexFileCache)) {
        let dir = tempfile::tempdir().unwrap();
        let mut copies = with_tools(|tools| {
            IndexFileCache::open(&"sparse+https://acme.dev/index/".parse().unwrap(), &tools)
        });
        copies.dir = dir.path().join(copies.dir.file_name().unwrap());
        work(copies);
    }

    fn content(text: &str) -> IndexFileContent {
        IndexFileContent {
            bytes: text.as_bytes().to_vec(),
            etag: Some("\"a\"".into()),
            last_modified: None,
        }
    }

    #[test]
    fn a_copy_is_read_back_unless_it_was_modified() {
        copies(|copies| {
            assert!(
                copies
                    .dir
                    .file_name()
                    .unwrap()
                    .to_str()
                    .unwrap()
                    .starts_with("acme.dev-")
            );
            assert_eq!(copies.get("3/p/pdf"), IndexFileCopy::None);
            copies
                .put(
                    "3/p/pdf",
                    &IndexFileCopy::None,
                    Some(&content("one\ntwo\n")),
                )
                .unwrap();
            assert_eq!(
                copies.get("3/p/pdf"),
                IndexFileCopy::Present(content("one\ntwo\n"))
            );
            copies.put("3/p/png", &IndexFileCopy::None, None).unwrap();
            assert_eq!(copies.get("3/p/png"), IndexFileCopy::Missing);

            let whole = std::fs::read(copies.cache_path("3/p/pdf")).unwrap();
            for at in 0..whole.len() {
                let mut touched = whole.clone();
                touched[at] ^= 1;
                std::fs::write(copies.cache_path("3/p/pdf"), &touched).unwrap();
                // The server's validators are not in the digest: a wrong one only costs a download.
                match copies.get("3/p/pdf") {
                    IndexFileCopy::Present(found) => {
                        assert_eq!(found.bytes, content("one\ntwo\n").bytes, "byte {at}");
                    }
                    found => assert!(
                        matches!(found, IndexFileCopy::Damaged | IndexFileCopy::None),
                        "byte {at}: {found:?}"
                    ),
                }
            }
            for length in 0..whole.len() {
                std::fs::write(copies.cache_path("3/p/pdf"), &whole[..length]).unwrap();
                assert_eq!(
                    copies.get("3/p/pdf"),
                    IndexFileCopy::Damaged,
                    "{length} bytes"
                );
            }
            assert_eq!(
                find_damaged_copies(&copies.dir).unwrap(),
                [copies.cache_path("3/p/pdf")]
            );
        });
    }

    #[test]
    fn changed_versions_are_refused_unless_accepted() {
        copies(|mut copies| {
            let line = |digit: &str| {
                content(&format!(
                    r#"{{"name":"pdf","vers":"1.0.0","cksum":"{digit}"}}"#
                ))
            };
            copies
                .put("3/p/pdf", &IndexFileCopy::None, Some(&line("1")))
                .unwrap();
            let before = copies.get("3/p/pdf");
            for now in [None, Some(&line("2"))] {
                let error = copies.put("3/p/pdf", &before, now).unwrap_err();
                assert_eq!(error.kind(), skillpm_core::error::FailureKind::Integrity);
                assert_eq!(error.notes().len(), 1, "{error:?}");
                assert_eq!(copies.get("3/p/pdf"), before);
            }
            copies.put("config.json", &before, None).unwrap();
            copies.accepts_rewrites = true;
            copies.put("3/p/pdf", &before, None).unwrap();
            assert_eq!(copies.get("3/p/pdf"), IndexFileCopy::Missing);
        });
    }
}
