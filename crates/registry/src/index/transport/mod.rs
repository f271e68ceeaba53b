//! Access to the files of an index. Each transport yields the same: bytes by path.
//!
//! | URL | location |
//! |---|---|
//! | `embedded:default` | inside this program |
//! | `file:///path` | a directory |
//! | `git+https://…`, `git+ssh://…`, `git+file:///…`, `git+http://…` | the head of a repository |
//! | `sparse+https://…`, `sparse+http://…` | static files of a web server |
//! | `s3://…`, `gs://…`, `az://…` | an object store |

mod bucket;
mod directory;
mod file_cache;
mod git;
mod revalidate;
mod sparse;

use std::path::Path;
use std::time::SystemTime;

use super::search::{
    IndexSurvey, PUBLISHED_FILES, PUBLISHED_MAX, SEARCH_DIR, SHARD_MAX, TableSeal,
};
pub(super) use bucket::list_package_paths;
pub(super) use file_cache::{IndexFileCache, copy_name, read_copy_at};
pub use file_cache::{cache_dir_name, find_damaged_copies};

use super::write::owners::OWNERS_MAX;
use super::{IndexContext, embedded, layout};
use skillpm_core::error::{Error, Result};
use skillpm_core::package::{IndexKind, IndexUrl};
use skillpm_core::provenance::SignedObject;
use skillpm_core::report::ProgressEvent;
use skillpm_io::archive::ARCHIVE_MAX;
use skillpm_io::git::{BlobId, CommitId, FileRevision};

/// Largest file of a package's versions that is read, in bytes: ten thousand versions. Parsed, it takes up to eight times
/// as much memory.
const VERSIONS_MAX: u64 = 8 << 20;

/// Largest other file of an index that is read, in bytes: its settings, its advisories.
const FILE_MAX: u64 = 16 << 20;

/// Largest list of all packages that is read, in bytes: two hundred thousand packages, or more if it is compressed.
const LIST_MAX: u64 = PUBLISHED_MAX;

/// Most bytes of files that are requested together, apart from archives and the list of all packages.
const TOTAL_MAX: u64 = 64 << 20;

/// Most bytes that the file of an index at this path may have.
fn size_limit(path: &str) -> u64 {
    match () {
        () if PUBLISHED_FILES.contains(&path) => LIST_MAX,
        () if path.starts_with(SEARCH_DIR) => SHARD_MAX,
        () if layout::parse_entry_path(path).is_some() => VERSIONS_MAX,
        // An archive in the index itself is requested as any other file of it.
        () if path.starts_with("archives/") => ARCHIVE_MAX,
        () if path.starts_with("owners/") => OWNERS_MAX as u64,
        () => FILE_MAX,
    }
}

/// The largest of the limits of these paths, where one limit applies to all of a request.
fn largest_size_limit<'p>(paths: impl IntoIterator<Item = &'p str>) -> u64 {
    // A repository has one limit for all files of a request.
    paths.into_iter().map(size_limit).max().unwrap_or(FILE_MAX)
}

/// The files of an index.
pub(super) trait IndexTransport: Send + Sync {
    /// Reads the present content of files; `None` for one that does not exist. They are requested together, so that a
    /// remote index can send them at once.
    fn read_all(&self, paths: &[String]) -> Vec<Result<Option<Vec<u8>>>>;

    /// Reads the files of packages whose versions may be chosen; one that changes published versions, as far as this
    /// machine knows them, is an error.
    fn read_entries(&self, paths: &[String]) -> Vec<Result<Option<Vec<u8>>>> {
        self.read_all(paths)
    }

    /// Lists the paths of all files; `None` where they cannot be listed.
    fn list_paths(&self) -> Result<Option<Vec<String>>>;

    /// Lists the packages without reading their files; `None` where that is not possible.
    fn survey(&self, now: SystemTime) -> Result<Option<IndexSurvey>> {
        let _ = now;
        Ok(None)
    }

    /// Whether nothing has changed since a survey with this seal, as far as is known without the network.
    fn is_unchanged_since(&self, seal: &TableSeal) -> bool {
        let _ = seal;
        false
    }

    /// Reads path and content of the cached files of packages, for an index that cannot be surveyed.
    fn cached_entry_files(&self) -> Result<Vec<(String, Vec<u8>)>> {
        Ok(Vec::new())
    }

    /// Reads archives, which are not cached and have at most `together` bytes in all; `None` for one that does not exist.
    fn fetch_archives(&self, paths: &[String], together: u64) -> Vec<Result<Option<Vec<u8>>>> {
        let _ = together;
        self.read_all(paths)
    }

    /// Makes the next read of files reach the server itself, past the caches on the way.
    fn bypass_caches(&self, _paths: &[String]) {}

    /// Removes the cached copy of a file that turned out to be invalid, so that the next command fetches it again.
    fn discard_copy(&self, _path: &str) {}

    /// The URL at which a file can be downloaded; `None` where only the transport can read it.
    fn public_url(&self, _path: &str) -> Option<String> {
        None
    }

    /// The signed history of the index; `None` for one without a history.
    fn history(&self) -> Option<&dyn IndexHistory> {
        None
    }

    /// Reads one file.
    fn read(&self, path: &str) -> Result<Option<Vec<u8>>> {
        self.read_all(&[path.to_owned()]).remove(0)
    }
}

/// The history of an index whose changes may be signed.
pub(super) trait IndexHistory {
    /// The commit that it is read at.
    fn head(&self) -> CommitId;

    /// Reads a commit and its signature.
    fn signed_commit(&self, commit: &CommitId) -> Result<SignedObject>;

    /// Lists the commits that changed a file, the newest first; `None` if they are not available.
    fn file_changes(&self, path: &str) -> Result<Option<Vec<FileRevision>>>;

    /// Reads previous states of files.
    fn read_blobs(&self, blobs: &[BlobId]) -> Result<Vec<Vec<u8>>>;

    /// The content of a file when it was last trusted; `None` if it never was.
    fn trusted_file(&self, path: &str) -> Option<Vec<u8>>;

    /// Records the content of a file as trusted.
    fn trust_file(&self, path: &str, bytes: &[u8]) -> Result<()>;

    /// Whether the index may rewrite its history.
    fn accepts_rewrites(&self) -> bool;

    /// Adds the help to an error about a rewritten index.
    fn with_accept_help(&self, error: Error) -> Error;
}

/// Opens the transport of a URL; `named_by` is the remote index that chose the URL, if the user did not.
pub(super) fn open<'a>(
    url: &IndexUrl,
    named_by: Option<&IndexUrl>,
    tools: IndexContext<'a>,
) -> Result<Box<dyn IndexTransport + 'a>> {
    // Local reads are too fast for a line of progress.
    if !url.is_local() && !tools.offline {
        tools.reporter.report(ProgressEvent::Fetching {
            what: format!("index {}", url.inner()),
        });
    }

    match url.kind() {
        IndexKind::Embedded => Ok(Box::new(EmbeddedTransport)),
        IndexKind::Directory => Ok(Box::new(directory::DirectoryTransport::open(url, &tools)?)),
        IndexKind::Git => Ok(Box::new(git::GitTransport::open(url, &tools)?)),
        IndexKind::Sparse => Ok(Box::new(sparse::SparseTransport::new(url, named_by, tools))),
        IndexKind::Bucket => Ok(Box::new(bucket::BucketTransport::open(url, tools)?)),
    }
}

/// Whether an index has a cached copy of each file, in one directory.
pub(super) fn has_copies(index: &IndexUrl) -> bool {
    matches!(index.kind(), IndexKind::Sparse | IndexKind::Bucket)
}

/// As [`read_local`], of an index on this machine; `None` for any other.
pub(super) fn read_raw_local(index: &IndexUrl, path: &str, cache: &Path) -> Option<Vec<u8>> {
    match index.kind() {
        IndexKind::Embedded | IndexKind::Directory => read_local(index, path, cache),
        IndexKind::Sparse | IndexKind::Bucket | IndexKind::Git => None,
    }
}

/// Reads a file of an index from this machine alone: no request is made. `cache` is the directory of cached indexes.
pub(super) fn read_local(index: &IndexUrl, path: &str, cache: &Path) -> Option<Vec<u8>> {
    match index.kind() {
        IndexKind::Embedded => embedded::read(path).map(<[u8]>::to_vec),
        IndexKind::Directory => directory::read(index, path).ok()?,
        IndexKind::Git | IndexKind::Sparse | IndexKind::Bucket => {
            file_cache::read_cached(index, path, cache)
        }
    }
}

/// The embedded index.
struct EmbeddedTransport;

impl IndexTransport for EmbeddedTransport {
    fn read_all(&self, paths: &[String]) -> Vec<Result<Option<Vec<u8>>>> {
        paths
            .iter()
            .map(|path| Ok(embedded::read(path).map(<[u8]>::to_vec)))
            .collect()
    }

    fn list_paths(&self) -> Result<Option<Vec<String>>> {
        Ok(Some(
            embedded::FILES
                .iter()
                .map(|(path, ..)| (*path).to_owned())
                .collect(),
        ))
    }

    fn survey(&self, _: SystemTime) -> Result<Option<IndexSurvey>> {
        let packages = embedded::FILES
            .iter()
            .filter(|(path, ..)| layout::parse_entry_path(path).is_some());
        let files = packages.map(|(path, ..)| ((*path).to_owned(), 0)).collect();
        Ok(Some(IndexSurvey { seal: None, files }))
    }
}

#[cfg(test)]
pub(super) mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use skillpm_core::report::SilentReporter;
    use skillpm_io::git::{GitClient, GitOptions};
    use skillpm_io::http::{HttpClient, HttpClientOptions};

    /// An offline context.
    pub(crate) fn with_tools<T>(work: impl FnOnce(IndexContext<'static>) -> T) -> T {
        let dir = tempfile::tempdir().unwrap();
        let git = GitClient::new(
            dir.path().join("git"),
            GitOptions {
                offline: true,
                ..GitOptions::default()
            },
        );
        let http = HttpClient::new(HttpClientOptions {
            offline: true,
            ..HttpClientOptions::default()
        });
        work(IndexContext {
            git: Box::leak(Box::new(git)),
            http: Box::leak(Box::new(http)),
            buckets: Box::leak(Box::default()),
            cache: Box::leak(dir.path().join("index").into_boxed_path()),
            offline: true,
            tokens: &|_| Ok(None),
            accept_rewritten: Box::leak(Box::new(BTreeSet::new())),
            reporter: &SilentReporter,
        })
    }
}
