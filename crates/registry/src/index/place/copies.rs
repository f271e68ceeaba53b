//! Our copies of an index's files: what to ask by, what to answer from with the network off, and the memory that an
//! index is held to its word by.
//!
//! ```text
//! $SKILLPM_HOME/index/acme.dev-3f2a90c14d5e6b78/      one index; the digits are of its URL
//! ├── .head                                           {"v":1,"head":"6838e77d…"}, of one in git: its commit that was seen last
//! ├── config.json
//! └── acme+3+p+pdf                                    all in one directory: to make many costs more than the files
//!         {"v":1,"sha256":"9f2c…","etag":"\"5e1\""}   a line about the copy: its digest, and the server's own marks
//!         {"name":"acme/pdf","vers":"1.0.0",…}        the file
//! ```
//!
//! A file that is known not to be there has the line `{"v":1,"missing":true}` alone. Copies land by rename, so any
//! number of processes may write them at once. Nothing is synced to the disk: a copy that is not what its digest says
//! is no copy.

use std::path::{Path, PathBuf};
use std::sync::Once;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::LIST_MAX;
use crate::error::{Error, Result};
use crate::index::{Tools, history, layout};
use crate::io::disk;
use crate::package::{IndexUrl, PackageName, Sha256};

/// The form of the line about a copy.
const FORM: u32 = 1;

/// Most changes that are shown of one package.
const FAULTS_SHOWN: usize = 20;

/// Largest copy, in bytes: that of the longest list of packages, and the line about it.
const COPY_MAX: u64 = LIST_MAX + 4096;

/// The file that describes the index.
pub(super) const CONFIG: &str = "config.json";

/// The file that tells the head that was seen last.
const HEAD: &str = ".head";

/// The head of an index in git, as it was seen last.
#[derive(Serialize, Deserialize)]
struct LastHead {
    v: u32,
    head: String,
}

/// The copies of one index.
pub(super) struct Copies {
    dir: PathBuf,
    /// Whether what killed commands left there was cleared away.
    cleared: Once,
    index: IndexUrl,
    /// Whether the index may go back on what it said.
    may_rewrite: bool,
}

/// What is held of a file.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Copy {
    /// Nothing.
    None,
    /// Something that is not what it was when it was written.
    Damaged,
    /// That there is no such file.
    Missing,
    /// The file.
    Held(Held),
}

/// A file, and the marks that its server knows it by.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Held {
    pub bytes: Vec<u8>,
    pub etag: Option<String>,
    pub last_modified: Option<String>,
}

/// The line about a copy.
#[derive(Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
struct About {
    v: u32,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    missing: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    sha256: Option<Sha256>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    etag: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    last_modified: Option<String>,
}

/// The name of the directory that an index's copies are kept in.
#[must_use]
pub fn directory_of_copies(index: &IndexUrl) -> String {
    let digest = Sha256::of(index.as_str().as_bytes()).to_string();
    format!("{}-{}", plain_name(index), &digest[..16])
}

/// The copies in a directory that are not what they were when they were written.
///
/// # Errors
/// If the directory cannot be read.
pub fn damaged_copies(dir: &Path) -> Result<Vec<PathBuf>> {
    let files = disk::names(dir)?.into_iter().filter(|name| !name.starts_with('.')).map(|name| dir.join(name));
    let is_damaged = |path: &PathBuf| match disk::read_up_to(path, COPY_MAX) {
        Ok(Some(copy)) => parse(copy) == Copy::Damaged,
        Ok(None) => false,
        Err(_) => true,
    };
    Ok(files.filter(is_damaged).collect())
}

/// The file at a path of an index as our copy has it, below the directory of all copies.
pub(super) fn known(index: &IndexUrl, path: &str, cache: &Path) -> Option<Vec<u8>> {
    let copy =
        disk::read_up_to(&cache.join(directory_of_copies(index)).join(name_of_copy(path)), COPY_MAX).ok().flatten()?;
    match parse(copy) {
        Copy::Held(held) => Some(held.bytes),
        Copy::None | Copy::Missing | Copy::Damaged => None,
    }
}

/// What the copy of a file is called. No name in an index has a `+` in it.
fn name_of_copy(path: &str) -> String {
    path.replace('/', "+")
}

impl Copies {
    pub(super) fn of(index: &IndexUrl, tools: &Tools<'_>) -> Copies {
        let dir = tools.cache.join(directory_of_copies(index));
        Copies {
            dir,
            cleared: Once::new(),
            index: index.clone(),
            may_rewrite: tools.rewritten.contains(index.as_str()),
        }
    }

    /// Where the copy of a file is.
    fn place(&self, path: &str) -> PathBuf {
        self.dir.join(name_of_copy(path))
    }

    /// What is held of the file at a path of the index.
    pub(super) fn get(&self, path: &str) -> Copy {
        match disk::read_up_to(&self.place(path), COPY_MAX) {
            Ok(Some(copy)) => parse(copy),
            Ok(None) => Copy::None,
            Err(_) => Copy::Damaged,
        }
    }

    /// The paths of all packages' files of which a copy is held, sorted.
    ///
    /// # Errors
    /// If the directory of the copies cannot be read.
    pub(super) fn packages(&self) -> Result<Vec<String>> {
        let names = disk::names(&self.dir)?.into_iter();
        let mut paths: Vec<String> = names.map(|name| name.replace('+', "/")).collect();
        paths.retain(|path| layout::name_at(path).is_some());
        paths.sort_unstable();
        Ok(paths)
    }

    /// Takes in what the file is now, in the place of what was held of it.
    ///
    /// # Errors
    /// [`Integrity`](crate::error::Kind::Integrity) if it goes back on what the copy says of a package, which then stays;
    /// or if the copy cannot be written.
    pub(super) fn put(&self, path: &str, before: &Copy, now: Option<&Held>) -> Result<()> {
        let bytes = now.map_or(&[][..], |now| &now.bytes);
        match (before, layout::name_at(path)) {
            (Copy::Held(before), Some(name)) => self.hold_to_its_word(&name, &before.bytes, bytes)?,
            (Copy::Held(before), None) if path == CONFIG => self.hold_to_its_state(&before.bytes, bytes)?,
            _ => {}
        }
        let about = match now {
            Some(now) => About {
                v: FORM,
                sha256: Some(Sha256::of(&now.bytes)),
                etag: now.etag.clone(),
                last_modified: now.last_modified.clone(),
                missing: false,
            },
            None => About { v: FORM, missing: true, ..About::default() },
        };
        let mut copy = serde_json::to_vec(&about).expect("a few texts can be written");
        copy.push(b'\n');
        copy.extend_from_slice(now.map_or(&[], |now| &now.bytes));
        self.cleared.call_once(|| disk::clear_dead(&self.dir, disk::TEMPORARY));
        disk::write_copy(&self.place(path), &copy)
    }

    /// The commit that was the head of the index when it was looked at last.
    pub(super) fn head(&self) -> Option<String> {
        let bytes = disk::read(&self.dir.join(HEAD)).ok().flatten()?;
        serde_json::from_slice::<LastHead>(&bytes).ok().filter(|last| last.v == FORM).map(|last| last.head)
    }

    /// Remembers the head of the index.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(super) fn set_head(&self, head: &str) -> Result<()> {
        let last = LastHead { v: FORM, head: head.to_owned() };
        let bytes = serde_json::to_vec(&last).expect("a few texts can be written");
        disk::write_copy(&self.dir.join(HEAD), &bytes)
    }

    /// Whether the index may go back on what it said, because a person says so.
    pub(super) fn may_rewrite(&self) -> bool {
        self.may_rewrite
    }

    /// Ends what is said of an index that does not stand by its word.
    pub(super) fn how_to_accept(&self, error: Error) -> Error {
        error
            .help("nothing was installed, and what it said before stays remembered; ask the registry's owners")
            .help(format!("if they meant it, run it again with `--config registry.accept-rewritten={}`", self.index))
    }

    /// Refuses an older state of an index that numbers its states, and one without end where there was one.
    fn hold_to_its_state(&self, before: &[u8], now: &[u8]) -> Result<()> {
        let (before, now) = (state(before), state(now));
        if self.may_rewrite {
            return Ok(());
        }
        if before.serial.is_some() && now.serial < before.serial {
            let shown = |serial: Option<u64>| serial.map_or("none".to_owned(), |serial| serial.to_string());
            return Err(self.how_to_accept(
                Error::integrity(format!("index `{}` is at an older state than it was", self.index))
                    .note(format!("serial before  {}", shown(before.serial)))
                    .note(format!("serial now     {}", shown(now.serial))),
            ));
        }
        match (before.expires, now.expires) {
            (Some(until), None) => Err(self.how_to_accept(
                Error::integrity(format!("index `{}` no longer says until when it is to be believed", self.index))
                    .note(format!("expires before  {until}"))
                    .note("expires now     none"),
            )),
            _ => Ok(()),
        }
    }

    fn hold_to_its_word(&self, name: &PackageName, before: &[u8], now: &[u8]) -> Result<()> {
        if self.may_rewrite {
            return Ok(());
        }
        let faults = history::broken_promises(before, now);
        if faults.is_empty() {
            return Ok(());
        }
        let error = Error::integrity(format!("index `{}` does not stand by what it said of `{name}`", self.index));
        let error = faults.iter().take(FAULTS_SHOWN).fold(error, |error, fault| error.note(fault.to_string()));
        Err(self.how_to_accept(match faults.len().saturating_sub(FAULTS_SHOWN) {
            0 => error,
            more => error.note(format!("and {more} more")),
        }))
    }
}

/// What `config.json` tells of its state.
#[derive(Default, Deserialize)]
struct State {
    serial: Option<u64>,
    expires: Option<Timestamp>,
}

fn state(config: &[u8]) -> State {
    serde_json::from_slice(config).unwrap_or_default()
}

fn parse(mut copy: Vec<u8>) -> Copy {
    let Some(end) = memchr::memchr(b'\n', &copy) else { return Copy::Damaged };
    let about: About = match serde_json::from_slice(&copy[..end]) {
        Ok(about) => about,
        Err(_) => return Copy::Damaged,
    };
    copy.drain(..=end);
    match about {
        About { v, .. } if v != FORM => Copy::None,
        About { missing: true, .. } => Copy::Missing,
        About { sha256, etag, last_modified, .. } if sha256 == Some(Sha256::of(&copy)) => {
            Copy::Held(Held { bytes: copy, etag, last_modified })
        }
        _ => Copy::Damaged,
    }
}

/// What people may recognise the index by, in a name that every file system takes.
fn plain_name(index: &IndexUrl) -> String {
    let url = url::Url::parse(index.inner()).ok();
    let host = url.as_ref().and_then(url::Url::host_str).filter(|host| !host.is_empty()).unwrap_or("index");
    host.chars().filter(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-')).take(64).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::place::tests::with_tools;

    fn copies(work: impl FnOnce(Copies)) {
        let dir = tempfile::tempdir().unwrap();
        let mut copies = with_tools(|tools| Copies::of(&"sparse+https://acme.dev/index/".parse().unwrap(), &tools));
        copies.dir = dir.path().join(copies.dir.file_name().unwrap());
        work(copies);
    }

    fn held(text: &str) -> Held {
        Held { bytes: text.as_bytes().to_vec(), etag: Some("\"a\"".into()), last_modified: None }
    }

    #[test]
    fn what_was_put_comes_back_and_what_was_touched_does_not() {
        copies(|copies| {
            assert!(copies.dir.file_name().unwrap().to_str().unwrap().starts_with("acme.dev-"));
            assert_eq!(copies.get("3/p/pdf"), Copy::None);
            copies.put("3/p/pdf", &Copy::None, Some(&held("one\ntwo\n"))).unwrap();
            assert_eq!(copies.get("3/p/pdf"), Copy::Held(held("one\ntwo\n")));
            copies.put("3/p/png", &Copy::None, None).unwrap();
            assert_eq!(copies.get("3/p/png"), Copy::Missing);

            let whole = std::fs::read(copies.place("3/p/pdf")).unwrap();
            for at in 0..whole.len() {
                let mut touched = whole.clone();
                touched[at] ^= 1;
                std::fs::write(copies.place("3/p/pdf"), &touched).unwrap();
                // The server's own marks are not in the digest: a wrong one costs a download, no more.
                match copies.get("3/p/pdf") {
                    Copy::Held(found) => assert_eq!(found.bytes, held("one\ntwo\n").bytes, "byte {at}"),
                    found => assert!(matches!(found, Copy::Damaged | Copy::None), "byte {at}: {found:?}"),
                }
            }
            for length in 0..whole.len() {
                std::fs::write(copies.place("3/p/pdf"), &whole[..length]).unwrap();
                assert_eq!(copies.get("3/p/pdf"), Copy::Damaged, "{length} bytes");
            }
            assert_eq!(damaged_copies(&copies.dir).unwrap(), [copies.place("3/p/pdf")]);
        });
    }

    #[test]
    fn an_index_is_held_to_its_word_unless_that_is_waived() {
        copies(|mut copies| {
            let line = |digit: &str| held(&format!(r#"{{"name":"pdf","vers":"1.0.0","cksum":"{digit}"}}"#));
            copies.put("3/p/pdf", &Copy::None, Some(&line("1"))).unwrap();
            let before = copies.get("3/p/pdf");
            for now in [None, Some(&line("2"))] {
                let error = copies.put("3/p/pdf", &before, now).unwrap_err();
                assert_eq!(error.kind(), crate::error::Kind::Integrity);
                assert_eq!(error.notes().len(), 1, "{error:?}");
                assert_eq!(copies.get("3/p/pdf"), before);
            }
            copies.put("config.json", &before, None).unwrap();
            copies.may_rewrite = true;
            copies.put("3/p/pdf", &before, None).unwrap();
            assert_eq!(copies.get("3/p/pdf"), Copy::Missing);
        });
    }
}
