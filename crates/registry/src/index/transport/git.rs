//! The head of a git repository's default branch: `git+https://acme.dev/index`.
//!
//! The head is resolved once per command, in one request. If it moved, the new commit and its new trees are fetched in one
//! more, and the files of a wave in one each. All of that is cached with the other git repositories, in
//! `$SKILLPM_HOME/git`, so that offline the last known head is used. `config.json` and each package's file that was read
//! are also cached in `$SKILLPM_HOME/index`, so that a rewrite is detected, whatever happened to the repository meanwhile.
//! So is the head itself: a new head that does not descend from it is refused.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use super::file_cache::{IndexFileCache, IndexFileContent, IndexFileCopy};
use super::{FILE_MAX, IndexHistory, IndexTransport, TOTAL_MAX, largest_size_limit};
use crate::index::search::{IndexSurvey, TableSeal, hash_mark};
use crate::index::{IndexContext, layout};
use skillpm_core::error::{Error, Result};
use skillpm_core::package::{GitReference, GitUrl, IndexUrl};
use skillpm_core::provenance::SignedObject;
use skillpm_io::archive::ARCHIVE_MAX;
use skillpm_io::git::{
    BlobId, CommitId, EntryKind, FileRevision, GitRepository, ListedEntry, ListingLimits,
};

pub(super) struct GitTransport {
    repository: Mutex<GitRepository<'static>>,
    head: CommitId,
    cache: IndexFileCache,
}

impl GitTransport {
    /// Opens the head of the repository at a URL.
    pub(super) fn open(index: &IndexUrl, tools: &IndexContext<'_>) -> Result<Self> {
        let url: GitUrl = index.inner().parse()?;
        let mut repository = tools.git.open(&url)?;

        let head = repository
            .resolve(&GitReference::Default)
            .map_err(|error| {
                error
                    .wrap(format!("failed to resolve the head of index `{index}`"))
                    .help("an empty repository is not an index yet")
            })?;

        let cache = IndexFileCache::open(index, tools);
        // Before any file is read: no file of a rewritten history can be trusted.
        check_head_descends(&mut repository, &head.commit, &cache, index)?;
        Ok(GitTransport {
            repository: Mutex::new(repository),
            head: head.commit,
            cache,
        })
    }

    fn repository(&self) -> MutexGuard<'_, GitRepository<'static>> {
        self.repository
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    fn read_files(&self, paths: &[String], limits: (u64, u64)) -> Vec<Result<Option<Vec<u8>>>> {
        let mut repository = self.repository();
        match repository.read_files(&self.head, paths, limits) {
            Ok(files) => files.into_iter().map(Ok).collect(),
            // They are one request, so they fail together.
            Err(error) => paths.iter().map(|_| Err(error.clone())).collect(),
        }
    }
}

/// Refuses a head that is not a descendant of the last known one; records it otherwise.
fn check_head_descends(
    repository: &mut GitRepository<'_>,
    head: &CommitId,
    cache: &IndexFileCache,
    index: &IndexUrl,
) -> Result<()> {
    let before = cache
        .last_head()
        .and_then(|text| text.parse::<CommitId>().ok());

    if before == Some(*head) {
        return Ok(());
    }

    if let Some(before) = before.filter(|_| !cache.accepts_rewrites()) {
        // Fetched with its trees, which are needed next anyway; nearly always its parent is the last known head.
        repository.signed_commit(head)?;
        let descends = repository.is_descendant(head, &before)?;
        if descends != Some(true) {
            return Err(cache.with_accept_help(rewound_error(index, &before, head, descends)));
        }
    }

    cache.record_head(&head.to_string())
}

fn rewound_error(
    index: &IndexUrl,
    before: &CommitId,
    head: &CommitId,
    descends: Option<bool>,
) -> Error {
    let error = Error::integrity(format!("index `{index}` rewrote its history"))
        .note(format!("head before  {before}"))
        .note(format!("head now     {head}"));
    error.note(match descends {
        None => "the previous head was not found in the recent history of the present one",
        Some(_) => "the previous head is not an ancestor of the present one: it was force-pushed",
    })
}

impl IndexHistory for GitTransport {
    fn head(&self) -> CommitId {
        self.head
    }

    fn signed_commit(&self, commit: &CommitId) -> Result<SignedObject> {
        self.repository().signed_commit(commit)
    }

    fn file_changes(&self, path: &str) -> Result<Option<Vec<FileRevision>>> {
        self.repository().file_history(&self.head, path)
    }

    fn read_blobs(&self, blobs: &[BlobId]) -> Result<Vec<Vec<u8>>> {
        self.repository().read_blobs(blobs, FILE_MAX)
    }

    fn trusted_file(&self, path: &str) -> Option<Vec<u8>> {
        match self.cache.get(path) {
            IndexFileCopy::Present(cached) => Some(cached.bytes),
            IndexFileCopy::None | IndexFileCopy::Missing | IndexFileCopy::Damaged => None,
        }
    }

    fn trust_file(&self, path: &str, bytes: &[u8]) -> Result<()> {
        self.cache.put(
            path,
            &IndexFileCopy::None,
            Some(&IndexFileContent {
                bytes: bytes.to_vec(),
                ..IndexFileContent::default()
            }),
        )
    }

    fn accepts_rewrites(&self) -> bool {
        self.cache.accepts_rewrites()
    }

    fn with_accept_help(&self, error: Error) -> Error {
        self.cache.with_accept_help(error)
    }
}

impl IndexTransport for GitTransport {
    fn history(&self) -> Option<&dyn IndexHistory> {
        Some(self)
    }

    fn read_all(&self, paths: &[String]) -> Vec<Result<Option<Vec<u8>>>> {
        let limit = largest_size_limit(paths.iter().map(String::as_str));
        let files = self.read_files(paths, (limit, limit.max(TOTAL_MAX)));
        paths
            .iter()
            .zip(files)
            .map(|(path, file)| self.cache.check_and_cache(path, file?))
            .collect()
    }

    fn fetch_archives(&self, paths: &[String], together: u64) -> Vec<Result<Option<Vec<u8>>>> {
        self.read_files(paths, (ARCHIVE_MAX, together))
    }

    fn survey(&self, _: SystemTime) -> Result<Option<IndexSurvey>> {
        let mut repository = self.repository();
        let listing = repository
            .list_commit_in(&self.head, &|_| true, ListingLimits::INDEX)
            .map_err(|error: Error| error.wrap("failed to list the index"))?;

        let is_package = |entry: &&ListedEntry| {
            matches!(entry.kind, EntryKind::File { .. })
                && layout::parse_entry_path(&entry.path).is_some()
        };
        let packages = listing.entries().iter().filter(is_package);
        let files = packages
            .map(|entry| (entry.path.clone(), hash_mark(&entry.id)))
            .collect();
        Ok(Some(IndexSurvey {
            seal: Some(TableSeal::Commit(self.head.to_string())),
            files,
        }))
    }

    fn is_unchanged_since(&self, seal: &TableSeal) -> bool {
        *seal == TableSeal::Commit(self.head.to_string())
    }

    fn list_paths(&self) -> Result<Option<Vec<String>>> {
        let mut repository = self.repository();
        let listing = repository
            .list_commit_in(&self.head, &|_| true, ListingLimits::INDEX)
            .map_err(|error: Error| error.wrap("failed to list the index"))?;
        let files = listing
            .entries()
            .iter()
            .filter(|entry| matches!(entry.kind, EntryKind::File { .. }));
        Ok(Some(files.map(|entry| entry.path.clone()).collect()))
    }
}
