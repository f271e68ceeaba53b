//! An object store: `s3://bucket/prefix/`, `gs://bucket/prefix/`, `az://account/container/prefix/`.
//!
//! Read as a web server's files are: a wave at once, each that we have a copy of by its entity tag, and each once a
//! command. With the network off the copies answer. Only the store itself can say who may read, so archives come the
//! same way, and no copy of them is kept.

use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

use super::copies::{Copies, Copy, Held};
use super::{FILE_MAX, Place};
use crate::error::{Error, Result};
use crate::index::Tools;
use crate::io::archive::ARCHIVE_MAX;
use crate::io::bucket::{Bucket, Outcome};
use crate::package::IndexUrl;
use crate::report::Event;

/// Most objects that are listed, at a thousand a request and 64 requests at once.
const LIST_MAX: usize = 100_000;
/// Folders without packages.
const NO_PACKAGES: [&str; 2] = ["archives", "owners"];

/// An index in an object store.
pub(super) struct InBucket<'a> {
    index: IndexUrl,
    bucket: Bucket,
    copies: Copies,
    tools: Tools<'a>,
    /// The paths of which the copy was found to be the file, in this run.
    asked: Mutex<HashSet<String>>,
}

impl<'a> InBucket<'a> {
    pub(super) fn open(index: &IndexUrl, tools: Tools<'a>) -> Result<Self> {
        let bucket = Bucket::open(index.as_str(), tools.buckets)?;
        let copies = Copies::of(index, &tools);
        Ok(InBucket { index: index.clone(), bucket, copies, tools, asked: Mutex::default() })
    }

    /// What the server's answer makes of the copy.
    fn settle(&self, path: &str, copy: Copy, answer: Result<Outcome>) -> Result<Option<Vec<u8>>> {
        let now = match (answer?, copy) {
            (Outcome::NotModified, Copy::Held(held)) => Some(held.bytes),
            (Outcome::NotModified, _) => return Err(Error::internal("there was no copy to be not modified")),
            (Outcome::Missing, Copy::Missing) => None,
            (Outcome::Missing, copy) => {
                self.copies.put(path, &copy, None)?;
                None
            }
            (Outcome::Fresh { bytes, revision }, copy) => {
                if copy == Copy::Damaged {
                    let message =
                        format!("the copy of `{path}` from index `{}` was damaged; it was brought anew", self.index);
                    self.tools.reporter.report(Event::Detail { message });
                }
                let held = Held { bytes, etag: revision.etag, last_modified: None };
                self.copies.put(path, &copy, Some(&held))?;
                Some(held.bytes)
            }
        };
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).insert(path.to_owned());
        Ok(now)
    }

    /// The answer from what is here.
    fn recall(&self, path: &str, copy: Copy) -> Result<Option<Vec<u8>>> {
        match copy {
            Copy::Held(held) => Ok(Some(held.bytes)),
            Copy::Missing => Ok(None),
            Copy::None | Copy::Damaged => Err(Error::network(format!(
                "there is no copy of `{path}` from index `{}`, and the network is off",
                self.index
            ))
            .help("run it once without `--offline`; what it needs is then kept")),
        }
    }
}

impl Place for InBucket<'_> {
    fn read_all(&self, paths: &[String]) -> Vec<Result<Option<Vec<u8>>>> {
        let is_settled: Vec<bool> = {
            let asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
            paths.iter().map(|path| self.tools.offline || asked.contains(path)).collect()
        };
        let copies: Vec<Copy> = paths.iter().map(|path| self.copies.get(path)).collect();
        let open = paths.iter().zip(&copies).zip(&is_settled).filter(|(_, settled)| !**settled);
        let wanted: Vec<(&str, Option<&str>)> = open.map(|((path, copy), _)| (path.as_str(), etag(copy))).collect();
        let mut answers = self.bucket.get_all(&wanted, FILE_MAX, self.tools.reporter).into_iter();
        let pairs = paths.iter().zip(copies).zip(&is_settled);
        pairs
            .map(|((path, copy), settled)| match settled {
                true => self.recall(path, copy),
                false => self.settle(path, copy, answers.next().expect("every object has an answer")),
            })
            .collect()
    }

    fn bring_all(&self, paths: &[String]) -> Vec<Result<Option<Vec<u8>>>> {
        let wanted: Vec<(&str, Option<&str>)> = paths.iter().map(|path| (path.as_str(), None)).collect();
        let answers = self.bucket.get_all(&wanted, ARCHIVE_MAX, self.tools.reporter);
        let bytes = |answer: Result<Outcome>| match answer? {
            Outcome::Fresh { bytes, .. } => Ok(Some(bytes)),
            Outcome::Missing | Outcome::NotModified => Ok(None),
        };
        answers.into_iter().map(bytes).collect()
    }

    fn paths(&self) -> Result<Option<Vec<String>>> {
        paths_in(&self.bucket)
    }

    fn brought(&self) -> Result<Vec<(String, Vec<u8>)>> {
        let held = |path: String| match self.copies.get(&path) {
            Copy::Held(held) => Some((path, held.bytes)),
            _ => None,
        };
        Ok(self.copies.packages()?.into_iter().filter_map(held).collect())
    }
}

/// The paths of all packages' files; `None` if there are too many to be listed.
pub(in crate::index) fn paths_in(bucket: &Bucket) -> Result<Option<Vec<String>>> {
    let mut folders = bucket.folders()?;
    folders.retain(|folder| !NO_PACKAGES.contains(&folder.as_str()));
    bucket.list(&folders, LIST_MAX)
}

fn etag(copy: &Copy) -> Option<&str> {
    match copy {
        Copy::Held(held) => held.etag.as_deref(),
        _ => None,
    }
}
