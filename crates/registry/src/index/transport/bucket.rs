//! An object store: `s3://bucket/prefix/`, `gs://bucket/prefix/`, `az://account/container/prefix/`.
//!
//! Read as a web server's files are: a wave at once, cached files by their entity tag, and each once per command. Offline
//! the cached copies are used. Reading needs the store's own credentials, so archives are read the same way, and are not
//! cached.

use super::file_cache::{IndexFileContent, IndexFileCopy};
use super::revalidate::{RevalidatingCache, RevalidationResult};
use super::{IndexTransport, TOTAL_MAX, largest_size_limit};
use crate::index::IndexContext;
use skillpm_core::error::Result;
use skillpm_core::package::IndexUrl;
use skillpm_core::report::EventReporter;
use skillpm_io::archive::ARCHIVE_MAX;
use skillpm_io::bucket::{ObjectBucket, ObjectResponse, SizeLimits};
use skillpm_io::http::ByteAllowance;

/// Most objects that are listed, at a thousand a request and 64 requests at once.
const LIST_MAX: usize = 100_000;
/// Folders without packages.
const NON_PACKAGE_FOLDERS: [&str; 2] = ["archives", "owners"];

/// An index in an object store.
pub(super) struct BucketTransport<'a> {
    bucket: ObjectBucket,
    copies: RevalidatingCache<'a>,
    reporter: &'a dyn EventReporter,
}

impl<'a> BucketTransport<'a> {
    pub(super) fn open(index: &IndexUrl, tools: IndexContext<'a>) -> Result<Self> {
        let bucket = ObjectBucket::open(index.as_str(), tools.buckets)?;
        Ok(BucketTransport {
            bucket,
            copies: RevalidatingCache::new(index, tools),
            reporter: tools.reporter,
        })
    }

    /// Requests files that may be cached from the store.
    fn fetch_files(&self, open: &[(&str, &IndexFileCopy)]) -> Vec<Result<RevalidationResult>> {
        let wanted: Vec<(&str, Option<&str>)> = open
            .iter()
            .map(|&(path, copy)| (path, cached_etag(copy)))
            .collect();

        let limit = largest_size_limit(wanted.iter().map(|(path, _)| *path));
        let limits = SizeLimits {
            each: limit,
            together: &ByteAllowance::new(limit.max(TOTAL_MAX)),
        };

        let answers = self.bucket.get_all(&wanted, limits, self.reporter);
        answers
            .into_iter()
            .map(|answer| answer.map(to_revalidation))
            .collect()
    }
}

impl IndexTransport for BucketTransport<'_> {
    fn read_all(&self, paths: &[String]) -> Vec<Result<Option<Vec<u8>>>> {
        self.copies.read_all(paths, |open| self.fetch_files(open))
    }

    fn fetch_archives(&self, paths: &[String], together: u64) -> Vec<Result<Option<Vec<u8>>>> {
        let wanted: Vec<(&str, Option<&str>)> =
            paths.iter().map(|path| (path.as_str(), None)).collect();
        let limits = SizeLimits {
            each: ARCHIVE_MAX,
            together: &ByteAllowance::new(together),
        };

        let answers = self.bucket.get_all(&wanted, limits, self.reporter);
        let bytes = |answer: Result<ObjectResponse>| match answer? {
            ObjectResponse::Fresh { bytes, .. } => Ok(Some(bytes)),
            // The request has no condition, so that `NotModified` is not possible.
            ObjectResponse::Missing | ObjectResponse::NotModified => Ok(None),
        };
        answers.into_iter().map(bytes).collect()
    }

    fn list_paths(&self) -> Result<Option<Vec<String>>> {
        list_package_paths(&self.bucket)
    }

    fn discard_copy(&self, path: &str) {
        self.copies.discard(path);
    }

    fn cached_entry_files(&self) -> Result<Vec<(String, Vec<u8>)>> {
        self.copies.cached_entry_files()
    }
}

/// Lists the paths of all packages' files; `None` if there are too many.
pub(in crate::index) fn list_package_paths(bucket: &ObjectBucket) -> Result<Option<Vec<String>>> {
    let mut folders = bucket.folders()?;
    // Archives outnumber the packages, and are not needed here.
    folders.retain(|folder| !NON_PACKAGE_FOLDERS.contains(&folder.as_str()));
    bucket.list(&folders, LIST_MAX)
}

fn to_revalidation(outcome: ObjectResponse) -> RevalidationResult {
    match outcome {
        ObjectResponse::NotModified => RevalidationResult::NotModified,
        ObjectResponse::Missing => RevalidationResult::Missing,
        ObjectResponse::Fresh { bytes, revision } => RevalidationResult::Fresh(IndexFileContent {
            bytes,
            etag: revision.etag,
            last_modified: None,
        }),
    }
}

fn cached_etag(copy: &IndexFileCopy) -> Option<&str> {
    match copy {
        IndexFileCopy::Present(cached) => cached.etag.as_deref(),
        _ => None,
    }
}
