//! Where the files of an index are. Each form yields the same: bytes by path.
//!
//! | URL | place |
//! |---|---|
//! | `embedded:default` | inside this program |
//! | `file:///path` | a directory |
//! | `git+https://…`, `git+ssh://…`, `git+file:///…`, `git+http://…` | the head of a repository |
//! | `sparse+https://…`, `sparse+http://…` | static files of a web server |
//! | `s3://…`, `gs://…`, `az://…` | an object store |

mod bucket;
mod copies;
mod directory;
mod git;
mod revalidated;
mod sparse;

use std::path::Path;
use std::time::SystemTime;

use super::search::{PUBLISHED, PUBLISHED_MAX, Seal, Survey};
pub(super) use bucket::paths_in;
pub use copies::{damaged_copies, directory_of_copies};

use super::{Tools, embedded, layout};
use crate::error::{Error, Result};
use crate::io::archive::ARCHIVE_MAX;
use crate::io::git::{BlobId, Changed, CommitId};
use crate::package::{IndexKind, IndexUrl};
use crate::provenance::Signed;
use crate::report::Event;

/// Largest file of a package's versions that is taken in, in bytes: ten thousand of them. Read, it takes up to eight times
/// as much memory.
const VERSIONS_MAX: u64 = 8 << 20;

/// Largest other file of an index that is taken in, in bytes: its settings, its advisories, its owners.
const FILE_MAX: u64 = 16 << 20;

/// Largest list of all packages that is taken in, in bytes: two hundred thousand of them, or more that are packed.
const LIST_MAX: u64 = PUBLISHED_MAX;

/// Most bytes that the file of an index at this path may have.
fn limit_of(path: &str) -> u64 {
    match () {
        () if PUBLISHED.contains(&path) => LIST_MAX,
        () if layout::name_at(path).is_some() => VERSIONS_MAX,
        // An archive that lies in the index itself is asked for as any other file of it.
        () if path.starts_with("archives/") => ARCHIVE_MAX,
        () => FILE_MAX,
    }
}

/// The largest of the limits of these paths, for those who can be told but one.
fn limit_of_all<'p>(paths: impl IntoIterator<Item = &'p str>) -> u64 {
    paths.into_iter().map(limit_of).max().unwrap_or(FILE_MAX)
}

/// The files of an index.
pub(super) trait Place: Send + Sync {
    /// The content of files, as it is now; `None` for one that is not there. They are asked for together, so that a place
    /// that is far away can bring them at once.
    fn read_all(&self, paths: &[String]) -> Vec<Result<Option<Vec<u8>>>>;

    /// The paths of all files; `None` where they cannot be listed.
    fn paths(&self) -> Result<Option<Vec<String>>>;

    /// Which packages there are, told without reading their files; `None` where that cannot be told.
    fn survey(&self, now: SystemTime) -> Result<Option<Survey>> {
        let _ = now;
        Ok(None)
    }

    /// Whether, as far as that can be told without the network, nothing has changed since a survey gave this seal.
    fn holds(&self, seal: &Seal) -> bool {
        let _ = seal;
        false
    }

    /// Path and content of the packages' files that are here because they were asked for before, for a place that cannot
    /// be surveyed.
    fn brought(&self) -> Result<Vec<(String, Vec<u8>)>> {
        Ok(Vec::new())
    }

    /// The content of archives, which nobody asks for twice; `None` for one that is not there.
    fn bring_all(&self, paths: &[String]) -> Vec<Result<Option<Vec<u8>>>> {
        self.read_all(paths)
    }

    /// The URL at which a file can be downloaded by anybody; `None` where only the place itself can bring it.
    fn url_of(&self, _path: &str) -> Option<String> {
        None
    }

    /// What was before, and who says so; `None` for a place that cannot tell.
    fn past(&self) -> Option<&dyn Past> {
        None
    }

    /// The content of one file.
    fn read(&self, path: &str) -> Result<Option<Vec<u8>>> {
        self.read_all(&[path.to_owned()]).remove(0)
    }
}

/// The past of an index whose changes may be signed.
pub(super) trait Past {
    /// The commit that it is read at.
    fn head(&self) -> CommitId;

    /// A commit and its signature.
    fn signed(&self, commit: &CommitId) -> Result<Signed>;

    /// The commits in which a file became what it is, the newest first; `None` if that is not at hand.
    fn changes(&self, path: &str) -> Result<Option<Vec<Changed>>>;

    /// Files as they were.
    fn contents(&self, blobs: &[BlobId]) -> Result<Vec<Vec<u8>>>;

    /// What a file was when it was last believed.
    fn remembered(&self, path: &str) -> Option<Vec<u8>>;

    /// Believes a file.
    fn remember(&self, path: &str, bytes: &[u8]) -> Result<()>;

    /// Whether it may go back on what it said.
    fn may_rewrite(&self) -> bool;

    /// Ends what is said of an index that does.
    fn how_to_accept(&self, error: Error) -> Error;
}

/// Opens the place that a URL names; `named_by` is the index elsewhere that chose the URL, if a person did not.
pub(super) fn open<'a>(url: &IndexUrl, named_by: Option<&IndexUrl>, tools: Tools<'a>) -> Result<Box<dyn Place + 'a>> {
    if !url.is_local() && !tools.offline {
        tools.reporter.report(Event::Fetching { what: format!("index {}", url.inner()) });
    }
    match url.kind() {
        IndexKind::Embedded => Ok(Box::new(Embedded)),
        IndexKind::Directory => Ok(Box::new(directory::Directory::at(url)?)),
        IndexKind::Git => Ok(Box::new(git::Commit::open(url, &tools)?)),
        IndexKind::Sparse => Ok(Box::new(sparse::Sparse::new(url, named_by, tools))),
        IndexKind::Bucket => Ok(Box::new(bucket::InBucket::open(url, tools)?)),
    }
}

/// A file of an index as it is known here: nobody is asked, and nothing else is read. `cache` is the directory of the copies.
pub(super) fn at_hand(index: &IndexUrl, path: &str, cache: &Path) -> Option<Vec<u8>> {
    match index.kind() {
        IndexKind::Embedded => embedded::read(path).map(<[u8]>::to_vec),
        IndexKind::Directory => directory::Directory::at(index).ok()?.read(path).ok()?,
        IndexKind::Git | IndexKind::Sparse | IndexKind::Bucket => copies::known(index, path, cache),
    }
}

/// The index inside this program.
struct Embedded;

impl Place for Embedded {
    fn read_all(&self, paths: &[String]) -> Vec<Result<Option<Vec<u8>>>> {
        paths.iter().map(|path| Ok(embedded::read(path).map(<[u8]>::to_vec))).collect()
    }

    fn paths(&self) -> Result<Option<Vec<String>>> {
        Ok(Some(embedded::FILES.iter().map(|(path, ..)| (*path).to_owned()).collect()))
    }

    fn survey(&self, _: SystemTime) -> Result<Option<Survey>> {
        let packages = embedded::FILES.iter().filter(|(path, ..)| layout::name_at(path).is_some());
        let files = packages.map(|(path, ..)| ((*path).to_owned(), 0)).collect();
        Ok(Some(Survey { seal: None, files }))
    }
}

#[cfg(test)]
pub(super) mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::io::git::{Git, GitOptions};
    use crate::io::http::{Http, Options};
    use crate::report::Silent;

    /// Tools that reach nothing.
    pub(crate) fn with_tools<T>(work: impl FnOnce(Tools<'static>) -> T) -> T {
        let dir = tempfile::tempdir().unwrap();
        let git = Git::new(dir.path().join("git"), GitOptions { offline: true, ..GitOptions::default() });
        let http = Http::new(Options { offline: true, ..Options::default() });
        work(Tools {
            git: Box::leak(Box::new(git)),
            http: Box::leak(Box::new(http)),
            buckets: Box::leak(Box::default()),
            cache: Box::leak(dir.path().join("index").into_boxed_path()),
            offline: true,
            tokens: &|_| Ok(None),
            rewritten: Box::leak(Box::new(BTreeSet::new())),
            reporter: &Silent,
        })
    }
}
