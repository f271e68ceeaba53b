//! Changing an index: a change is computed from one state of the index, and is only applied if no one else changed the
//! index meanwhile; otherwise it is computed again from the new state. So of any number of concurrent writers each change
//! is applied once, and none is lost.
//!
//! | URL | writer | what makes a change atomic |
//! |---|---|---|
//! | `file:///dir` | `directory.rs` | the directory's lock; each file by a rename, referenced files first |
//! | `git+…` | `git.rs` | one commit, pushed without force |
//! | `s3://…`, `gs://…`, `az://…` | `bucket.rs` | a condition on each object; referenced objects first |
//!
//! The changes are computed by pure functions: [`edit`] for a package's file, [`owners`] for publishing rights,
//! [`similar`] for names that could be confused. An [`ArchiveStore`] is for archives outside the index.

mod archive_store;
mod directory;
pub mod edit;
mod git;
mod history;
pub mod owners;
mod search_head;
pub mod similar;

mod bucket;

use std::collections::BTreeMap;
use std::hash::{BuildHasher, RandomState};
use std::ops::Range;
use std::time::Duration;

use super::transport::IndexFileCache;
use super::{IndexConfig, IndexContext};
use skillpm_core::error::{Error, Result};
use skillpm_core::package::{IndexKind, IndexUrl, RelPath};
use skillpm_io::git::CommitAuthor;

pub use archive_store::{ArchiveStore, open_archive_store, path_in_archive_store};

/// The files of an index at one state.
pub trait IndexFiles {
    /// Reads a file; `None` if it does not exist.
    ///
    /// # Errors
    /// If it cannot be read.
    fn read(&self, path: &str) -> Result<Option<Vec<u8>>>;

    /// Lists the paths of the files, but those in directories for whose path `enters` is false, which may be left out;
    /// `None` where they cannot be listed.
    ///
    /// # Errors
    /// If the index cannot be read.
    fn list_paths(&self, _enters: &dyn Fn(&str) -> bool) -> Result<Option<Vec<String>>> {
        Ok(None)
    }
}

/// One change of an index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexEdit {
    /// A summary in one line: the subject of a commit.
    pub message: String,
    /// New files that nothing refers to yet, such as archives, by path. They may be written first, and are harmless if the
    /// rest fails.
    pub archives: BTreeMap<String, Vec<u8>>,
    /// The changed files with their whole content, by path.
    pub files: BTreeMap<String, Vec<u8>>,
}

impl IndexEdit {
    /// Checks that every path is inside the index, since an index's own `dl` is part of some of them.
    fn check_paths(self) -> Result<IndexEdit> {
        // Paths are made of names from packages, and must not leave the index.
        for path in self.archives.keys().chain(self.files.keys()) {
            path.parse::<RelPath>().map_err(|error| {
                error.wrap(format!(
                    "invalid path `{}` for a file of an index",
                    path.escape_debug()
                ))
            })?;
        }
        Ok(self)
    }
}

/// The result of a change.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct IndexEditOutcome {
    /// Its commit, if the index is a git repository.
    pub commit: Option<String>,
    /// Its branch, if it waits for review.
    pub branch: Option<String>,
    /// How often it was retried, since another writer was faster.
    pub retries: u32,
}

/// Computes the edit for one state of an index; `None` if there is nothing to do.
pub type DecideEdit<'a> = dyn FnMut(&dyn IndexFiles) -> Result<Option<IndexEdit>> + 'a;

/// An index that can be changed.
pub trait IndexWriter {
    /// Applies the edit that `decide` computes from the present state, `None` for none. It is called again whenever another
    /// writer has changed the index meanwhile.
    ///
    /// # Errors
    /// The error of `decide`; or if the index cannot be written.
    fn update(&self, decide: &mut DecideEdit<'_>) -> Result<Option<IndexEditOutcome>>;
}

/// The options for writing an index.
#[derive(Clone, Copy)]
pub struct IndexWriteOptions<'a> {
    /// The clients and settings for reading it.
    pub tools: IndexContext<'a>,
    /// The author of commits.
    pub author: &'a CommitAuthor,
    /// The time of commits, in seconds since 1970.
    pub time: i64,
    /// The branch to push to for review; `None` for the default branch.
    pub branch: Option<&'a str>,
    /// How long to wait for other writers.
    pub timeout: Duration,
}

/// Opens the index at a URL for writing; nothing is read yet.
///
/// # Errors
/// If it is of a kind that cannot be written, or has no branches and one is requested.
pub fn open<'a>(url: &str, writing: IndexWriteOptions<'a>) -> Result<Box<dyn IndexWriter + 'a>> {
    let url: IndexUrl = url.parse()?;
    // Ignored silently, the change would go live without the review.
    if let Some(branch) = writing.branch.filter(|_| url.kind() != IndexKind::Git) {
        return Err(Error::usage(format!(
            "cannot write to branch `{branch}`: `{url}` is not a git repository"
        ))
        .help("omit `--branch`; only an index in a git repository can be changed through review"));
    }

    let writer: Box<dyn IndexWriter + 'a> = match url.kind() {
        IndexKind::Directory => Box::new(directory::DirectoryIndexWriter::open(&url, writing)?),
        IndexKind::Git => Box::new(git::GitIndexWriter::new(url.inner().parse()?, writing)?),
        IndexKind::Bucket => Box::new(bucket::BucketIndexWriter::open(&url, &writing.tools)?),
        IndexKind::Embedded => return Err(Error::usage("cannot write to the default registry, which is part of skillpm")
            .help("use another with `--registry NAME`; `skillpm config list` shows them")),
        IndexKind::Sparse => return Err(Error::usage(format!(
            "cannot write to index `{url}`, which is read from a web server"
        ))
        .help("set where it is published: `skillpm config set registries.NAME.publish git+ssh://git@host/index.git`")),
    };

    // A branch for review has no published versions yet.
    if writing.branch.is_some() {
        return Ok(writer);
    }
    let history = IndexFileCache::open(&url, &writing.tools);
    Ok(Box::new(history::CheckedIndexWriter { writer, history }))
}

/// Parses `config.json` at a state of the index at `url`.
///
/// # Errors
/// If it is missing, of a newer format, or invalid.
pub fn read_config(files: &dyn IndexFiles, url: &str) -> Result<IndexConfig> {
    let bytes = files.read("config.json")?.ok_or_else(|| {
        Error::usage(format!("invalid index `{url}`: missing `config.json`"))
            .help("run `skillpm registry new DIR` to create an index")
    })?;

    IndexConfig::parse(
        &bytes,
        &url.parse()?,
        "writes",
        "the maintainer of the index can fix it",
    )
}

/// The pause before the next attempt: random, and up to twice as long each time within the bounds, so that concurrent
/// writers do not collide again.
fn retry_pause(attempts: u32, within: Range<Duration>) -> Duration {
    // Limited, so that the shift cannot overflow.
    let longest = within
        .start
        .saturating_mul(1 << attempts.min(10))
        .min(within.end);

    // Its seed differs between processes, so that two of them do not wait equally long.
    let random = RandomState::new().hash_one(attempts);
    #[expect(clippy::cast_precision_loss, reason = "it is random anyway")]
    longest.mul_f64(random as f64 / u64::MAX as f64)
}

/// A state with edits applied over it.
pub struct IndexOverlay<'a> {
    base: &'a dyn IndexFiles,
    files: BTreeMap<String, Vec<u8>>,
}

impl<'a> IndexOverlay<'a> {
    /// Creates an overlay without edits.
    #[must_use]
    pub fn new(base: &'a dyn IndexFiles) -> Self {
        IndexOverlay {
            base,
            files: BTreeMap::new(),
        }
    }

    /// Applies an edit.
    pub fn apply(&mut self, edit: IndexEdit) {
        // Archives are left out: no decision reads one.
        self.files.extend(edit.files);
    }
}

impl IndexFiles for IndexOverlay<'_> {
    fn read(&self, path: &str) -> Result<Option<Vec<u8>>> {
        match self.files.get(path) {
            Some(bytes) => Ok(Some(bytes.clone())),
            None => self.base.read(path),
        }
    }

    fn list_paths(&self, enters: &dyn Fn(&str) -> bool) -> Result<Option<Vec<String>>> {
        let Some(mut paths) = self.base.list_paths(enters)? else {
            return Ok(None);
        };

        paths.extend(self.files.keys().cloned());
        paths.sort_unstable();
        paths.dedup();
        Ok(Some(paths))
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Files in memory.
    pub(crate) struct Table(pub BTreeMap<String, Vec<u8>>);

    impl Table {
        pub(crate) fn of<const N: usize>(files: [(&str, &str); N]) -> Table {
            Table(
                files
                    .into_iter()
                    .map(|(path, text)| (path.to_owned(), text.as_bytes().to_vec()))
                    .collect(),
            )
        }
    }

    impl IndexFiles for Table {
        fn read(&self, path: &str) -> Result<Option<Vec<u8>>> {
            Ok(self.0.get(path).cloned())
        }

        fn list_paths(&self, _: &dyn Fn(&str) -> bool) -> Result<Option<Vec<String>>> {
            Ok(Some(self.0.keys().cloned().collect()))
        }
    }

    #[test]
    fn pauses_grow_up_to_a_limit() {
        let within = Duration::from_millis(40)..Duration::from_secs(3);
        for attempts in 0..40 {
            assert!(retry_pause(attempts, within.clone()) <= within.end);
        }
        let many: Vec<Duration> = (0..50).map(|_| retry_pause(20, within.clone())).collect();
        assert!(many.iter().any(|one| *one != many[0]), "pauses are random");
    }

    #[test]
    fn an_applied_edit_replaces_its_files_and_no_others() {
        let base = Table::of([("a", "1"), ("b", "2")]);
        let mut state = IndexOverlay::new(&base);
        let files = BTreeMap::from([
            ("b".to_owned(), b"3".to_vec()),
            ("c".to_owned(), b"4".to_vec()),
        ]);
        state.apply(IndexEdit {
            message: String::new(),
            archives: BTreeMap::new(),
            files,
        });
        let read = |path| {
            state
                .read(path)
                .unwrap()
                .map(|bytes| String::from_utf8(bytes).unwrap())
        };
        assert_eq!(
            ["a", "b", "c", "d"].map(read),
            [Some("1".into()), Some("3".into()), Some("4".into()), None]
        );
        assert_eq!(
            state.list_paths(&|_| true).unwrap().unwrap(),
            ["a", "b", "c"]
        );
    }
}
