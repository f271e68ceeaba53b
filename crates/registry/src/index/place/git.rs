//! The head of a git repository's default branch: `git+https://acme.dev/index`.
//!
//! What the head is, is asked once a command, in one request. Where it moved, the new commit and the trees that are new
//! in it come in one more, and the files of a wave in one each. All of that is kept where git repositories are kept,
//! `$SKILLPM_HOME/git`, so that with the network off the last known head answers. Beside it `config.json` and each
//! package's file that was read are remembered in `$SKILLPM_HOME/index`, so that a head that goes back on it is noticed, whatever happened to
//! the repository meanwhile. So is the head itself: one that does not descend from it is refused, whatever it says.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use super::copies::{CONFIG, Copies, Copy, Held};
use super::{FILE_MAX, Past, Place, limit_of_all};
use crate::error::{Error, Result};
use crate::index::search::{Seal, Survey, mark_by};
use crate::index::{Tools, layout};
use crate::io::archive::ARCHIVE_MAX;
use crate::io::git::{BlobId, Changed, CommitId, Entry, EntryKind, Repository};
use crate::package::{GitReference, GitUrl, IndexUrl};
use crate::provenance::Signed;

pub(super) struct Commit {
    repository: Mutex<Repository>,
    head: CommitId,
    memory: Copies,
}

impl Commit {
    /// Opens the head of the repository that the URL names.
    pub(super) fn open(index: &IndexUrl, tools: &Tools<'_>) -> Result<Self> {
        let url: GitUrl = index.inner().parse()?;
        let mut repository = tools.git.open(&url)?;
        let head = repository.resolve(&GitReference::Default).map_err(|error| {
            error.wrap(format!("index `{index}` has no head")).help("an empty repository is no index yet")
        })?;
        let memory = Copies::of(index, tools);
        hold_to_its_past(&mut repository, &head.commit, (&memory, index))?;
        Ok(Commit { repository: Mutex::new(repository), head: head.commit, memory })
    }

    fn repository(&self) -> MutexGuard<'_, Repository> {
        self.repository.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn files(&self, paths: &[String], limit: u64) -> Vec<Result<Option<Vec<u8>>>> {
        let mut repository = self.repository();
        match repository.files_at(&self.head, paths, limit) {
            Ok(files) => files.into_iter().map(Ok).collect(),
            Err(error) => paths.iter().map(|_| Err(error.clone())).collect(),
        }
    }

    /// Holds a file to what is remembered of it, and remembers it.
    fn hold_to_its_word(&self, path: &str, file: Option<Vec<u8>>) -> Result<Option<Vec<u8>>> {
        if layout::name_at(path).is_none() && path != CONFIG {
            return Ok(file);
        }
        let before = self.memory.get(path);
        let is_new = match (&before, &file) {
            (Copy::Held(held), Some(bytes)) => held.bytes != *bytes,
            (Copy::None | Copy::Missing, None) => false,
            _ => true,
        };
        if !is_new {
            return Ok(file);
        }
        let now = file.map(|bytes| Held { bytes, ..Held::default() });
        self.memory.put(path, &before, now.as_ref())?;
        Ok(now.map(|held| held.bytes))
    }
}

/// Refuses a head that does not have the one that was seen last among those before it, and remembers it otherwise.
fn hold_to_its_past(repository: &mut Repository, head: &CommitId, (memory, index): (&Copies, &IndexUrl)) -> Result<()> {
    let before = memory.head().and_then(|text| text.parse::<CommitId>().ok());
    if before == Some(*head) {
        return Ok(());
    }
    if let Some(before) = before.filter(|_| !memory.may_rewrite()) {
        // It comes with its trees, which are wanted next anyway; nearly always its parent is the one that is looked for.
        repository.signed_commit(head)?;
        let descends = repository.descends(head, &before)?;
        if descends != Some(true) {
            return Err(memory.how_to_accept(rewound(index, (&before, head), descends)));
        }
    }
    memory.set_head(&head.to_string())
}

fn rewound(index: &IndexUrl, (before, head): (&CommitId, &CommitId), descends: Option<bool>) -> Error {
    let error = Error::integrity(format!("index `{index}` does not stand by its history"))
        .note(format!("seen before  {before}"))
        .note(format!("its head now {head}"));
    error.note(match descends {
        None => "the one could not be found among the many commits before the other",
        Some(_) => "the one is not among the commits before the other: it was pushed by force",
    })
}

impl Past for Commit {
    fn head(&self) -> CommitId {
        self.head
    }

    fn signed(&self, commit: &CommitId) -> Result<Signed> {
        self.repository().signed_commit(commit)
    }

    fn changes(&self, path: &str) -> Result<Option<Vec<Changed>>> {
        self.repository().changes_of(&self.head, path)
    }

    fn contents(&self, blobs: &[BlobId]) -> Result<Vec<Vec<u8>>> {
        self.repository().contents_of(blobs, FILE_MAX)
    }

    fn remembered(&self, path: &str) -> Option<Vec<u8>> {
        match self.memory.get(path) {
            Copy::Held(held) => Some(held.bytes),
            Copy::None | Copy::Missing | Copy::Damaged => None,
        }
    }

    fn remember(&self, path: &str, bytes: &[u8]) -> Result<()> {
        self.memory.put(path, &Copy::None, Some(&Held { bytes: bytes.to_vec(), ..Held::default() }))
    }

    fn may_rewrite(&self) -> bool {
        self.memory.may_rewrite()
    }

    fn how_to_accept(&self, error: Error) -> Error {
        self.memory.how_to_accept(error)
    }
}

impl Place for Commit {
    fn past(&self) -> Option<&dyn Past> {
        Some(self)
    }

    fn read_all(&self, paths: &[String]) -> Vec<Result<Option<Vec<u8>>>> {
        let files = self.files(paths, limit_of_all(paths.iter().map(String::as_str)));
        paths.iter().zip(files).map(|(path, file)| self.hold_to_its_word(path, file?)).collect()
    }

    fn bring_all(&self, paths: &[String]) -> Vec<Result<Option<Vec<u8>>>> {
        self.files(paths, ARCHIVE_MAX)
    }

    fn survey(&self, _: SystemTime) -> Result<Option<Survey>> {
        let mut repository = self.repository();
        let listing =
            repository.listing(&self.head).map_err(|error: Error| error.wrap("the index cannot be listed"))?;
        let is_package =
            |entry: &&Entry| matches!(entry.kind, EntryKind::File { .. }) && layout::name_at(&entry.path).is_some();
        let packages = listing.entries().iter().filter(is_package);
        let files = packages.map(|entry| (entry.path.clone(), mark_by(&entry.id))).collect();
        Ok(Some(Survey { seal: Some(Seal::Commit(self.head.to_string())), files }))
    }

    fn holds(&self, seal: &Seal) -> bool {
        *seal == Seal::Commit(self.head.to_string())
    }

    fn paths(&self) -> Result<Option<Vec<String>>> {
        let mut repository = self.repository();
        let listing =
            repository.listing(&self.head).map_err(|error: Error| error.wrap("the index cannot be listed"))?;
        let files = listing.entries().iter().filter(|entry| matches!(entry.kind, EntryKind::File { .. }));
        Ok(Some(files.map(|entry| entry.path.clone()).collect()))
    }
}
