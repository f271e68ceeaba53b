//! Storage for archives outside the index: the directory or bucket that serves the URL in its `dl`.
//!
//! A stored archive may have been downloaded and cached by anyone, so it is never replaced with other content.

use std::path::PathBuf;

use url::Url;

use super::bucket::put_archive;
use crate::index::IndexContext;
use skillpm_core::error::{Error, Result};
use skillpm_core::package::RelPath;
use skillpm_core::report::EventReporter;
use skillpm_io::bucket::{BucketUrl, ObjectBucket};
use skillpm_io::disk;

/// Storage for archives outside the index.
pub trait ArchiveStore {
    /// Stores an archive, unless it exists already.
    ///
    /// # Errors
    /// If it cannot be written, or exists with other content.
    fn put(&self, path: &str, bytes: &[u8]) -> Result<()>;
}

/// Opens the storage at a URL.
///
/// # Errors
/// If it is neither a directory nor an object store.
pub fn open_archive_store<'a>(
    url: &str,
    tools: &IndexContext<'a>,
) -> Result<Box<dyn ArchiveStore + 'a>> {
    if BucketUrl::is_bucket_url(url) {
        let bucket = ObjectBucket::open(url, tools.buckets)?;
        return Ok(Box::new(BucketArchiveStore {
            bucket,
            reporter: tools.reporter,
        }));
    }

    let dir = Url::parse(url)
        .ok()
        .filter(|url| url.scheme() == "file")
        .and_then(|url| url.to_file_path().ok());

    match dir {
        Some(dir) => Ok(Box::new(DirectoryArchiveStore(dir))),
        None => Err(Error::usage(format!("unsupported URL for archives: `{url}`"))
            .help("set a directory: `skillpm config set registries.NAME.archives file:///srv/www/archives`")
            .help("or an object store: `skillpm config set registries.NAME.archives s3://bucket/prefix`")),
    }
}

/// The path of an archive in its store, where `place` is its path or URL by the template `dl`: relative to the template's
/// last directory without a placeholder.
#[must_use]
pub fn path_in_archive_store<'p>(dl: &str, place: &'p str) -> &'p str {
    let served = match dl.find('{') {
        Some(first) => dl[..first].rfind('/').map_or(0, |slash| slash + 1),
        // Without a placeholder it means `dl/{name}-{version}.tar.gz`.
        None => dl.trim_end_matches('/').len() + 1,
    };

    place.get(served..).unwrap_or(place)
}

struct DirectoryArchiveStore(PathBuf);

impl ArchiveStore for DirectoryArchiveStore {
    fn put(&self, path: &str, bytes: &[u8]) -> Result<()> {
        let place = self.0.join(path.parse::<RelPath>()?.to_path());
        match disk::read(&place)? {
            // Written by an earlier attempt at the same publication.
            Some(present) if present == bytes => Ok(()),
            Some(_) => Err(archive_exists_error(&place.display().to_string())),
            None => {
                disk::write_atomic(&place, bytes)?;
                disk::sync_dirs_above(&place, &self.0)
            }
        }
    }
}

/// An object store.
struct BucketArchiveStore<'a> {
    bucket: ObjectBucket,
    reporter: &'a dyn EventReporter,
}

impl ArchiveStore for BucketArchiveStore<'_> {
    fn put(&self, path: &str, bytes: &[u8]) -> Result<()> {
        // Without conditions another publisher's archive could be replaced.
        self.bucket.check_conditions()?;

        if put_archive(&self.bucket, path, bytes, self.reporter)? {
            return Ok(());
        }
        Err(archive_exists_error(&format!(
            "{}{path}",
            self.bucket.address()
        )))
    }
}

fn archive_exists_error(place: &str) -> Error {
    Error::negative(format!("refusing to overwrite `{place}`: it exists with other content"))
        .note("no version in the index refers to it: another publisher is publishing this version, or was interrupted")
        .help("raise the version, or remove that file if no one can have downloaded it yet")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::transport::tests::with_tools;

    #[test]
    fn the_path_of_an_archive_is_relative_to_the_served_directory() {
        for (dl, place, path) in [
            (
                "https://cdn/x/{name}-{version}.tar.gz",
                "https://cdn/x/acme/pdf-1.0.0.tar.gz",
                "acme/pdf-1.0.0.tar.gz",
            ),
            ("https://cdn/by-{checksum}", "https://cdn/by-00", "by-00"),
            (
                "https://cdn/x",
                "https://cdn/x/pdf-1.0.0.tar.gz",
                "pdf-1.0.0.tar.gz",
            ),
            (
                "https://cdn/x/",
                "https://cdn/x/pdf-1.0.0.tar.gz",
                "pdf-1.0.0.tar.gz",
            ),
        ] {
            assert_eq!(path_in_archive_store(dl, place), path);
        }
    }

    #[test]
    fn a_stored_archive_is_never_replaced() {
        let dir = tempfile::tempdir().unwrap();
        let url = Url::from_file_path(dir.path()).unwrap();
        let store = with_tools(|tools| open_archive_store(url.as_str(), &tools)).unwrap();
        store.put("acme/pdf-1.0.0.tar.gz", b"one").unwrap();
        store.put("acme/pdf-1.0.0.tar.gz", b"one").unwrap();
        assert!(store.put("acme/pdf-1.0.0.tar.gz", b"two").is_err());
        assert_eq!(
            std::fs::read(dir.path().join("acme/pdf-1.0.0.tar.gz")).unwrap(),
            b"one"
        );
    }
}
