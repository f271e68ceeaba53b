//! Changing an index: what is to be changed is decided by looking at one state of it, and takes effect only if nobody
//! else has changed it meanwhile; otherwise it is decided again on the new state. So of any number of writers at once
//! each change lands once, and none is lost.
//!
//! | URL | ledger | what makes a change whole |
//! |---|---|---|
//! | `file:///dir` | `directory.rs` | the directory's lock; each file by a rename, what is named before what names it |
//! | `git+…` | `git.rs` | one commit, pushed without force |
//! | `s3://…`, `gs://…`, `az://…` | `bucket.rs` | each object put on a condition; what is named before what names it |
//!
//! What a change does is thought out in pure functions: [`edit`] of a package's file, [`owners`] of who may publish,
//! [`similar`] of names that could be taken for others. [`Shelf`] is where archives go that do not lie in the index.

mod directory;
pub mod edit;
mod git;
pub mod owners;
mod shelf;
pub mod similar;

mod bucket;

use std::collections::BTreeMap;
use std::hash::{BuildHasher, RandomState};
use std::ops::Range;
use std::time::Duration;

use super::{IndexConfig, Tools};
use crate::error::{Error, Result};
use crate::io::git::Author;
use crate::package::{IndexKind, IndexUrl, RelPath};

pub use shelf::{Shelf, place_on_shelf, shelf};

/// The files of an index at one state.
pub trait Files {
    /// The content of a file; `None` if it is not there.
    ///
    /// # Errors
    /// If it cannot be had.
    fn read(&self, path: &str) -> Result<Option<Vec<u8>>>;

    /// The paths of all files; `None` where they cannot be listed.
    ///
    /// # Errors
    /// If the index cannot be had.
    fn paths(&self) -> Result<Option<Vec<String>>> {
        Ok(None)
    }
}

/// One change of an index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// What it does, in one line: the subject of a commit.
    pub message: String,
    /// New files that nothing names yet, archives above all, by path. They may be put before the rest, and stay without
    /// harm where the rest fails.
    pub archives: BTreeMap<String, Vec<u8>>,
    /// The files that are changed, whole, by path.
    pub files: BTreeMap<String, Vec<u8>>,
}

impl Edit {
    /// Its files, once every path has proved to lead into the index and nowhere else: an index's own `dl` has a say in them.
    fn checked(self) -> Result<Edit> {
        for path in self.archives.keys().chain(self.files.keys()) {
            path.parse::<RelPath>()
                .map_err(|error| error.wrap(format!("`{}` is no place for a file of an index", path.escape_debug())))?;
        }
        Ok(self)
    }
}

/// What came of a change.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Written {
    /// The commit that made it, where the index is a git repository.
    pub commit: Option<String>,
    /// The branch it is on, where it waits for review.
    pub branch: Option<String>,
    /// How often somebody else was faster.
    pub retries: u32,
}

/// Looks at one state of an index and says what is to be done; `None` for nothing.
pub type Decide<'a> = dyn FnMut(&dyn Files) -> Result<Option<Edit>> + 'a;

/// An index that can be changed.
pub trait Ledger {
    /// Makes a change: `decide` looks at a state and says what is to be done, `None` for nothing. It is asked again
    /// whenever somebody else has changed the index meanwhile.
    ///
    /// # Errors
    /// What `decide` says; or if the index cannot be written.
    fn change(&self, decide: &mut Decide<'_>) -> Result<Option<Written>>;
}

/// How an index is to be written.
#[derive(Clone, Copy)]
pub struct Writing<'a> {
    /// What it takes to reach it.
    pub tools: Tools<'a>,
    /// Who does it.
    pub author: &'a Author,
    /// When, in seconds since 1970.
    pub time: i64,
    /// The branch to leave it on for review; `None` for the branch that is read.
    pub branch: Option<&'a str>,
    /// How long to wait for others.
    pub patience: Duration,
}

/// Opens the index at a URL for writing; nothing is read yet.
///
/// # Errors
/// If it is of a kind that cannot be written, or not in the way that is asked for.
pub fn open<'a>(url: &str, writing: Writing<'a>) -> Result<Box<dyn Ledger + 'a>> {
    let url: IndexUrl = url.parse()?;
    if let Some(branch) = writing.branch.filter(|_| url.kind() != IndexKind::Git) {
        return Err(Error::usage(format!("`{url}` has no branches, so that nothing can be left on `{branch}`"))
            .help("leave `--branch` out; only an index in a git repository can be changed by way of review"));
    }
    match url.kind() {
        IndexKind::Directory => Ok(Box::new(directory::Directory::at(&url, writing)?)),
        IndexKind::Git => Ok(Box::new(git::Repository::new(url.inner().parse()?, writing)?)),
        IndexKind::Embedded => Err(Error::usage("the default registry is part of skillpm, and cannot be written")
            .help("name another with `--registry NAME`; `skillpm config list` shows which there are")),
        IndexKind::Sparse => Err(Error::usage(format!(
            "`{url}` is read from a web server, and cannot be written there"
        ))
        .help("say where it is written: `skillpm config set registries.NAME.publish git+ssh://git@host/index.git`")),
        IndexKind::Bucket => Ok(Box::new(bucket::InBucket::open(&url, &writing.tools)?)),
    }
}

/// What `config.json` says at a state of the index that is written at `url`.
///
/// # Errors
/// If there is none, it cannot be read, is of a newer form, or says what cannot be.
pub fn config(files: &dyn Files, url: &str) -> Result<IndexConfig> {
    let bytes = files.read("config.json")?.ok_or_else(|| {
        Error::usage(format!("`{url}` is no index: it has no `config.json`"))
            .help("`skillpm registry new DIR` makes an index")
    })?;
    IndexConfig::parse(&bytes, &url.parse()?, ("writes", "whoever keeps the index can mend it"))
}

/// How long to wait before an attempt after `attempts` of them: of the shortest and the longest pause `within`, up to
/// twice as long each time, by chance, so that those who met once do not meet again.
fn pause(attempts: u32, within: Range<Duration>) -> Duration {
    let longest = within.start.saturating_mul(1 << attempts.min(10)).min(within.end);
    let chance = RandomState::new().hash_one(attempts);
    #[expect(clippy::cast_precision_loss, reason = "it is chance anyway")]
    longest.mul_f64(chance as f64 / u64::MAX as f64)
}

/// A state with an edit laid over it: the index as it would be.
pub struct Overlay<'a> {
    base: &'a dyn Files,
    files: BTreeMap<String, Vec<u8>>,
}

impl<'a> Overlay<'a> {
    /// A state as it is.
    #[must_use]
    pub fn new(base: &'a dyn Files) -> Self {
        Overlay { base, files: BTreeMap::new() }
    }

    /// Lays an edit over it.
    pub fn apply(&mut self, edit: Edit) {
        self.files.extend(edit.files);
    }
}

impl Files for Overlay<'_> {
    fn read(&self, path: &str) -> Result<Option<Vec<u8>>> {
        match self.files.get(path) {
            Some(bytes) => Ok(Some(bytes.clone())),
            None => self.base.read(path),
        }
    }

    fn paths(&self) -> Result<Option<Vec<String>>> {
        let Some(mut paths) = self.base.paths()? else { return Ok(None) };
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
            Table(files.into_iter().map(|(path, text)| (path.to_owned(), text.as_bytes().to_vec())).collect())
        }
    }

    impl Files for Table {
        fn read(&self, path: &str) -> Result<Option<Vec<u8>>> {
            Ok(self.0.get(path).cloned())
        }

        fn paths(&self) -> Result<Option<Vec<String>>> {
            Ok(Some(self.0.keys().cloned().collect()))
        }
    }

    #[test]
    fn pauses_grow_and_have_an_end() {
        let within = Duration::from_millis(40)..Duration::from_secs(3);
        for attempts in 0..40 {
            assert!(pause(attempts, within.clone()) <= within.end);
        }
        let many: Vec<Duration> = (0..50).map(|_| pause(20, within.clone())).collect();
        assert!(many.iter().any(|one| *one != many[0]), "those who meet once would meet again");
    }

    #[test]
    fn an_edit_laid_over_a_state_hides_what_was_there_and_nothing_else() {
        let base = Table::of([("a", "1"), ("b", "2")]);
        let mut state = Overlay::new(&base);
        let files = BTreeMap::from([("b".to_owned(), b"3".to_vec()), ("c".to_owned(), b"4".to_vec())]);
        state.apply(Edit { message: String::new(), archives: BTreeMap::new(), files });
        let read = |path| state.read(path).unwrap().map(|bytes| String::from_utf8(bytes).unwrap());
        assert_eq!(["a", "b", "c", "d"].map(read), [Some("1".into()), Some("3".into()), Some("4".into()), None]);
        assert_eq!(state.paths().unwrap().unwrap(), ["a", "b", "c"]);
    }
}
