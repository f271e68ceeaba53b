//! An index in an object store, written object by object, each on the condition that nobody else was faster.
//!
//! There is no commit over several objects. So they are put in an order in which each is true without the next, and what
//! is seen last makes the change:
//!
//! | | object | condition | killed right after it |
//! |---|---|---|---|
//! | 1 | `owners/acme.toml` | as it was read, or absent | the scope has its owner, and no package yet |
//! | 2 | `archives/…` | absent, or there with the same bytes | an archive that no line names |
//! | 3 | what else is not an entry, such as `config.json` | as it was read, or absent | it is in force |
//! | 4 | `acme/3/p/pdf`, … | as it was read, or absent | this version is published |
//!
//! Whoever meets a conflict looks again and decides again; its retry finds what it has done already, and does the rest.
//! An archive is never replaced: somebody may be about to name it.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use super::{Edit, Files, Ledger, Written, pause};
use crate::error::{Error, Kind, Result};
use crate::index::{Tools, layout, place};
use crate::io::bucket::{Bucket, Outcome, Put, Revision, When};
use crate::package::{IndexUrl, Sha256};
use crate::report::Reporter;

/// Largest object that is read, in bytes.
const OBJECT_MAX: u64 = 32 << 20;
/// Most times that somebody else may be faster. Of many at once at one object one succeeds each time.
const TRIES_MAX: u32 = 200;

/// Longest pause after the first conflict.
const PAUSE: Duration = Duration::from_millis(25);
/// Longest pause after any conflict.
const PAUSE_MAX: Duration = Duration::from_millis(1250);

/// An index in an object store, open for writing.
pub(super) struct InBucket<'a> {
    bucket: Bucket,
    reporter: &'a dyn Reporter,
}

impl<'a> InBucket<'a> {
    /// Opens the index at `url`; nothing is asked yet.
    pub(super) fn open(url: &IndexUrl, tools: &Tools<'a>) -> Result<InBucket<'a>> {
        Ok(InBucket { bucket: Bucket::open(url.as_str(), tools.buckets)?, reporter: tools.reporter })
    }

    /// Puts what was decided by looking at `seen`.
    fn put(&self, edit: &Edit, seen: &Seen<'_>, archives: &mut Archives) -> Result<Landed> {
        let (mut first, mut entries) = (Vec::new(), Vec::new());
        let mut others = Vec::new();
        for (path, bytes) in &edit.files {
            let rank = match () {
                () if path.starts_with("owners/") => &mut first,
                () if layout::name_at(path).is_some() => &mut entries,
                () => &mut others,
            };
            rank.push((path, bytes));
        }
        for (path, bytes) in first {
            if !self.put_file(path, bytes, seen)? {
                return Ok(Landed::Raced);
            }
        }
        for (path, bytes) in &edit.archives {
            let archive = (path.clone(), Sha256::of(bytes));
            if !archives.contains(&archive) && !put_archive(&self.bucket, path, bytes, self.reporter)? {
                return Ok(Landed::Taken(path.clone()));
            }
            archives.insert(archive);
        }
        for (path, bytes) in others.into_iter().chain(entries) {
            if !self.put_file(path, bytes, seen)? {
                return Ok(Landed::Raced);
            }
        }
        Ok(Landed::Whole)
    }

    /// Puts a file on the condition that it is as it was seen; says whether it is there now.
    fn put_file(&self, path: &str, bytes: &[u8], seen: &Seen<'_>) -> Result<bool> {
        let before = seen.look(path)?;
        let when = match &before {
            Some((old, _)) if old == bytes => return Ok(true),
            Some((_, revision)) => When::Unchanged(revision),
            None => When::Absent,
        };
        match self.bucket.put(path, bytes, when)? {
            Put::Done(_) => Ok(true),
            // The answer to our own first attempt may be what was lost.
            Put::Conflict => Ok(is_there(&self.bucket, path, bytes, self.reporter)?),
        }
    }
}

/// The archives that are there, by path and digest, so that none is put twice.
type Archives = BTreeSet<(String, Sha256)>;

/// What came of putting an edit.
enum Landed {
    /// All of it is there.
    Whole,
    /// Somebody else was faster.
    Raced,
    /// Where this archive belongs, there is another.
    Taken(String),
}

impl Ledger for InBucket<'_> {
    fn change(&self, decide: &mut super::Decide<'_>) -> Result<Option<Written>> {
        let (mut taken, mut archives) = (None, Archives::new());
        for retries in 0..TRIES_MAX {
            let seen = Seen { ledger: self, files: RefCell::default() };
            let Some(edit) = decide(&seen)?.map(Edit::checked).transpose()? else { return Ok(None) };
            if retries == 0 {
                self.bucket.check_conditions()?;
            }
            match self.put(&edit, &seen, &mut archives)? {
                Landed::Whole => return Ok(Some(Written { retries, ..Written::default() })),
                // Asked once more, since whoever put it may have published it meanwhile, which is for `decide` to say.
                Landed::Taken(path) if taken.as_ref() == Some(&path) => return Err(self.taken(&path)),
                Landed::Taken(path) => taken = Some(path),
                Landed::Raced => {}
            }
            std::thread::sleep(pause(retries, PAUSE..PAUSE_MAX));
        }
        Err(Error::new(Kind::Busy, format!("`{}` is being changed by others all the time", self.bucket.address()))
            .note(format!("tried {TRIES_MAX} times"))
            .help("run it again later; what was put already is found then"))
    }
}

impl InBucket<'_> {
    fn taken(&self, path: &str) -> Error {
        let place = format!("{}{path}", self.bucket.address());
        Error::negative(format!("`{place}` is there already, with other bytes, and no version of the index names it"))
            .note("somebody publishes this version right now, or a publish of other content was broken off")
            .help("publish the same content again, or another version")
            .help(format!("if nobody is at it, remove `{place}` with the object store's own tools"))
    }
}

/// The content of a file, and what tells it from any other it had or will have.
type State = (Vec<u8>, Revision);

/// The files as they were when `decide` looked, each with its state.
struct Seen<'a> {
    ledger: &'a InBucket<'a>,
    files: RefCell<BTreeMap<String, Option<State>>>,
}

impl Seen<'_> {
    /// A file as it was first looked at.
    fn look(&self, path: &str) -> Result<Option<State>> {
        if let Some(known) = self.files.borrow().get(path) {
            return Ok(known.clone());
        }
        let found = match self.ledger.bucket.get(path, None, OBJECT_MAX, self.ledger.reporter)? {
            Outcome::Fresh { bytes, revision } => Some((bytes, revision)),
            Outcome::Missing | Outcome::NotModified => None,
        };
        self.files.borrow_mut().insert(path.to_owned(), found.clone());
        Ok(found)
    }
}

impl Files for Seen<'_> {
    fn read(&self, path: &str) -> Result<Option<Vec<u8>>> {
        Ok(self.look(path)?.map(|(bytes, _)| bytes))
    }

    fn paths(&self) -> Result<Option<Vec<String>>> {
        place::paths_in(&self.ledger.bucket)
    }
}

/// Puts an archive where none is; says whether it is there now, with just these bytes.
pub(super) fn put_archive(bucket: &Bucket, path: &str, bytes: &[u8], reporter: &dyn Reporter) -> Result<bool> {
    match bucket.put(path, bytes, When::Absent)? {
        Put::Done(_) => Ok(true),
        Put::Conflict => is_there(bucket, path, bytes, reporter),
    }
}

fn is_there(bucket: &Bucket, path: &str, bytes: &[u8], reporter: &dyn Reporter) -> Result<bool> {
    match bucket.get(path, None, OBJECT_MAX, reporter)? {
        Outcome::Fresh { bytes: found, .. } => Ok(found == bytes),
        Outcome::Missing | Outcome::NotModified => Ok(false),
    }
}
