//! An object store: `s3://bucket/prefix/`, `gs://bucket/prefix/`, `az://account/container/prefix/`.
//!
//! Read as a web server's files are: a wave at once, each that we have a copy of by its entity tag, and each once a
//! command. With the network off the copies answer. Only the store itself can say who may read, so archives come the
//! same way, and no copy of them is kept.

use super::copies::{Copy, Held};
use super::revalidated::{Answer, Revalidated};
use super::{Place, limit_of_all};
use crate::error::Result;
use crate::index::Tools;
use crate::io::archive::ARCHIVE_MAX;
use crate::io::bucket::{Bucket, Outcome};
use crate::package::IndexUrl;
use crate::report::Reporter;

/// Most objects that are listed, at a thousand a request and 64 requests at once.
const LIST_MAX: usize = 100_000;
/// Folders without packages.
const NO_PACKAGES: [&str; 2] = ["archives", "owners"];

/// An index in an object store.
pub(super) struct InBucket<'a> {
    bucket: Bucket,
    copies: Revalidated<'a>,
    reporter: &'a dyn Reporter,
}

impl<'a> InBucket<'a> {
    pub(super) fn open(index: &IndexUrl, tools: Tools<'a>) -> Result<Self> {
        let bucket = Bucket::open(index.as_str(), tools.buckets)?;
        Ok(InBucket { bucket, copies: Revalidated::new(index, tools), reporter: tools.reporter })
    }
}

impl Place for InBucket<'_> {
    fn read_all(&self, paths: &[String]) -> Vec<Result<Option<Vec<u8>>>> {
        self.copies.read_all(paths, |open| {
            let wanted: Vec<(&str, Option<&str>)> = open.iter().map(|&(path, copy)| (path, etag(copy))).collect();
            let limit = limit_of_all(wanted.iter().map(|(path, _)| *path));
            let answers = self.bucket.get_all(&wanted, limit, self.reporter).into_iter();
            answers.map(|answer| answer.map(told)).collect()
        })
    }

    fn bring_all(&self, paths: &[String]) -> Vec<Result<Option<Vec<u8>>>> {
        let wanted: Vec<(&str, Option<&str>)> = paths.iter().map(|path| (path.as_str(), None)).collect();
        let answers = self.bucket.get_all(&wanted, ARCHIVE_MAX, self.reporter);
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
        self.copies.brought()
    }
}

/// The paths of all packages' files; `None` if there are too many to be listed.
pub(in crate::index) fn paths_in(bucket: &Bucket) -> Result<Option<Vec<String>>> {
    let mut folders = bucket.folders()?;
    folders.retain(|folder| !NO_PACKAGES.contains(&folder.as_str()));
    bucket.list(&folders, LIST_MAX)
}

fn told(outcome: Outcome) -> Answer {
    match outcome {
        Outcome::NotModified => Answer::Same,
        Outcome::Missing => Answer::Missing,
        Outcome::Fresh { bytes, revision } => Answer::Fresh(Held { bytes, etag: revision.etag, last_modified: None }),
    }
}

fn etag(copy: &Copy) -> Option<&str> {
    match copy {
        Copy::Held(held) => held.etag.as_deref(),
        _ => None,
    }
}
