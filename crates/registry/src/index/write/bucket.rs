//! An index in an object store, written object by object, each on the condition that no other writer changed it.
//!
//! There is no transaction over several objects. So they are written in an order in which each is valid without the next,
//! and the last one publishes the change:
//!
//! | | object | condition | state if killed right after it |
//! |---|---|---|---|
//! | 1 | `owners/acme.toml` | as it was read, or absent | the scope has its owner, and no package yet |
//! | 2 | `archives/…` | absent, or there with the same bytes | an archive without an entry |
//! | 3 | other files, such as `config.json` | as it was read, or absent | it is in effect |
//! | 4 | `acme/3/p/pdf`, … | as it was read, or absent | this version is published |
//!
//! If the index has a search index, its head is written after all of these.
//!
//! After a conflict the edit is computed again; the retry finds the objects that it has written already, and writes the
//! rest. An archive is never replaced: another writer may be about to publish its entry.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use super::search_head::{self, new_head, report_outcome};
use super::{IndexEdit, IndexEditOutcome, IndexFiles, IndexWriter, retry_pause};
use crate::index::search::SEARCH_HEAD;
use crate::index::{IndexContext, layout, transport};
use skillpm_core::error::{Error, FailureKind, Result};
use skillpm_core::package::{IndexUrl, PackageName, Sha256Digest};
use skillpm_core::report::EventReporter;
use skillpm_io::bucket::{
    ObjectBucket, ObjectResponse, ObjectRevision, PutOutcome, WriteCondition,
};

/// Largest object that is read, in bytes.
const OBJECT_MAX: u64 = 32 << 20;
/// Most retries after a conflict. Of many writers of one object one succeeds each time.
const TRIES_MAX: u32 = 200;

/// Longest pause after the first conflict.
const PAUSE_START: Duration = Duration::from_millis(25);
/// Longest pause after any conflict.
const PAUSE_MAX: Duration = Duration::from_millis(1250);

/// An index in an object store, open for writing.
pub(super) struct BucketIndexWriter<'a> {
    bucket: ObjectBucket,
    reporter: &'a dyn EventReporter,
}

impl<'a> BucketIndexWriter<'a> {
    /// Opens the index at `url`; no request is made yet.
    pub(super) fn open(url: &IndexUrl, tools: &IndexContext<'a>) -> Result<BucketIndexWriter<'a>> {
        Ok(BucketIndexWriter {
            bucket: ObjectBucket::open(url.as_str(), tools.buckets)?,
            reporter: tools.reporter,
        })
    }

    /// Writes an edit that was computed from `seen`.
    fn put_edit(
        &self,
        edit: &IndexEdit,
        seen: &BucketIndexSnapshot<'_>,
        archives: &mut PutArchives,
    ) -> Result<BucketEditOutcome> {
        let (mut first, mut entries) = (Vec::new(), Vec::new());
        let mut others = Vec::new();
        // The order of the table above: the index is valid after each object.
        for (path, bytes) in &edit.files {
            let rank = match () {
                () if path.starts_with("owners/") => &mut first,
                () if layout::parse_entry_path(path).is_some() => &mut entries,
                () => &mut others,
            };
            rank.push((path, bytes));
        }

        for (path, bytes) in first {
            if !self.put_file(path, bytes, seen)? {
                return Ok(BucketEditOutcome::Raced);
            }
        }

        for (path, bytes) in &edit.archives {
            let archive = (path.clone(), Sha256Digest::hash_bytes(bytes));
            // An earlier attempt may have written it.
            if !archives.contains(&archive)
                && !put_archive(&self.bucket, path, bytes, self.reporter)?
            {
                return Ok(BucketEditOutcome::ArchiveExists(path.clone()));
            }
            archives.insert(archive);
        }

        for (path, bytes) in others.into_iter().chain(entries) {
            if !self.put_file(path, bytes, seen)? {
                return Ok(BucketEditOutcome::Raced);
            }
        }
        Ok(BucketEditOutcome::Done)
    }

    /// Records an edit in the head of the search index, if the index has one.
    fn update_search(&self, edit: &IndexEdit, seen: &BucketIndexSnapshot<'_>) -> Result<()> {
        let config = seen.read("config.json")?;
        let changes = search_head::searchable_changes(edit, config.as_deref());
        if !changes.is_empty() {
            report_outcome(&self.put_search_head(&changes), self.reporter);
        }
        Ok(())
    }

    /// Writes the head of the search index with changes; returns how many it has.
    fn put_search_head(&self, changes: &[(PackageName, &[u8])]) -> Result<usize> {
        for retries in 0..TRIES_MAX {
            // Read again each time: it has the changes of all other packages, too.
            let seen = BucketIndexSnapshot {
                writer: self,
                files: RefCell::default(),
            };
            let (head, count) = new_head(seen.read(SEARCH_HEAD)?.as_deref(), changes)?;
            if self.put_file(SEARCH_HEAD, &head, &seen)? {
                return Ok(count);
            }
            std::thread::sleep(retry_pause(retries, PAUSE_START..PAUSE_MAX));
        }
        Err(Error::new(
            FailureKind::Busy,
            format!("others changed `{SEARCH_HEAD}` on each of {TRIES_MAX} attempts"),
        ))
    }

    /// Writes a file on the condition that it is unchanged; returns whether it now has these bytes.
    fn put_file(&self, path: &str, bytes: &[u8], seen: &BucketIndexSnapshot<'_>) -> Result<bool> {
        let before = seen.read_once(path)?;
        let when = match &before {
            Some((old, _)) if old == bytes => return Ok(true),
            Some((_, revision)) => WriteCondition::Unchanged(revision),
            None => WriteCondition::Absent,
        };

        match self.bucket.put(path, bytes, when)? {
            PutOutcome::Done(_) => Ok(true),
            // Perhaps only the response to our own first attempt was lost.
            PutOutcome::Conflict => Ok(has_object(&self.bucket, path, bytes, self.reporter)?),
        }
    }
}

/// The written archives, by path and digest, so that none is written twice.
type PutArchives = BTreeSet<(String, Sha256Digest)>;

/// The result of writing an edit.
enum BucketEditOutcome {
    /// All of it is written.
    Done,
    /// Another writer was faster.
    Raced,
    /// The path of this archive has other content.
    ArchiveExists(String),
}

impl IndexWriter for BucketIndexWriter<'_> {
    fn update(&self, decide: &mut super::DecideEdit<'_>) -> Result<Option<IndexEditOutcome>> {
        let (mut taken, mut archives) = (None, PutArchives::new());
        for retries in 0..TRIES_MAX {
            let seen = BucketIndexSnapshot {
                writer: self,
                files: RefCell::default(),
            };

            let Some(edit) = decide(&seen)?.map(IndexEdit::check_paths).transpose()? else {
                return Ok(None);
            };

            // A service that ignores conditions would lose what others write, without an error.
            if retries == 0 {
                self.bucket.check_conditions()?;
            }

            match self.put_edit(&edit, &seen, &mut archives)? {
                BucketEditOutcome::Done => {
                    self.update_search(&edit, &seen)?;
                    return Ok(Some(IndexEditOutcome {
                        retries,
                        ..IndexEditOutcome::default()
                    }));
                }
                // Retried once, since its writer may have published it meanwhile, which `decide` then reports.
                BucketEditOutcome::ArchiveExists(path) if taken.as_ref() == Some(&path) => {
                    return Err(self.archive_exists_error(&path));
                }
                BucketEditOutcome::ArchiveExists(path) => taken = Some(path),
                BucketEditOutcome::Raced => {}
            }

            std::thread::sleep(retry_pause(retries, PAUSE_START..PAUSE_MAX));
        }

        Err(Error::new(
            FailureKind::Busy,
            format!(
                "failed to write to `{}`: others changed it on each attempt",
                self.bucket.address()
            ),
        )
        .note(format!("tried {TRIES_MAX} times"))
        .help("run the command again later; objects that were written are found then"))
    }
}

impl BucketIndexWriter<'_> {
    fn archive_exists_error(&self, path: &str) -> Error {
        let place = format!("{}{path}", self.bucket.address());
        Error::negative(format!("refusing to overwrite `{place}`: it exists with other content, and no version in the index refers to it"))
            .note("another publisher is publishing this version, or a publish of other content was interrupted")
            .help("publish the same content again, or another version")
            .help(format!("if no one is publishing it, remove `{place}` with the object store's own tools"))
    }
}

/// The content of a file, and its revision.
type ObjectState = (Vec<u8>, ObjectRevision);

/// The files as `decide` read them, each with its revision.
struct BucketIndexSnapshot<'a> {
    writer: &'a BucketIndexWriter<'a>,
    files: RefCell<BTreeMap<String, Option<ObjectState>>>,
}

impl BucketIndexSnapshot<'_> {
    /// Reads a file once.
    fn read_once(&self, path: &str) -> Result<Option<ObjectState>> {
        // `decide` sees one state of each file, and the condition is that same state.
        if let Some(known) = self.files.borrow().get(path) {
            return Ok(known.clone());
        }

        let found = match self
            .writer
            .bucket
            .get(path, None, OBJECT_MAX, self.writer.reporter)?
        {
            ObjectResponse::Fresh { bytes, revision } => Some((bytes, revision)),
            ObjectResponse::Missing | ObjectResponse::NotModified => None,
        };

        self.files
            .borrow_mut()
            .insert(path.to_owned(), found.clone());
        Ok(found)
    }
}

impl IndexFiles for BucketIndexSnapshot<'_> {
    fn read(&self, path: &str) -> Result<Option<Vec<u8>>> {
        Ok(self.read_once(path)?.map(|(bytes, _)| bytes))
    }

    fn list_paths(&self, _: &dyn Fn(&str) -> bool) -> Result<Option<Vec<String>>> {
        // One request lists a thousand objects, of whatever directories.
        transport::list_package_paths(&self.writer.bucket)
    }
}

/// Writes an archive if there is none; returns whether it now has these bytes.
pub(super) fn put_archive(
    bucket: &ObjectBucket,
    path: &str,
    bytes: &[u8],
    reporter: &dyn EventReporter,
) -> Result<bool> {
    match bucket.put(path, bytes, WriteCondition::Absent)? {
        PutOutcome::Done(_) => Ok(true),
        PutOutcome::Conflict => has_object(bucket, path, bytes, reporter),
    }
}

fn has_object(
    bucket: &ObjectBucket,
    path: &str,
    bytes: &[u8],
    reporter: &dyn EventReporter,
) -> Result<bool> {
    match bucket.get(path, None, OBJECT_MAX, reporter)? {
        ObjectResponse::Fresh { bytes: found, .. } => Ok(found == bytes),
        ObjectResponse::Missing | ObjectResponse::NotModified => Ok(false),
    }
}
