//! Where archives are put that do not lie in the index itself: whatever serves the URL in its `dl`.
//!
//! What was put there once may have been brought and kept by anybody, so that it is never replaced by other bytes.

use std::path::PathBuf;

use url::Url;

use super::bucket::put_archive;
use crate::error::{Error, Result};
use crate::index::Tools;
use crate::io::bucket::{Address, Bucket};
use crate::io::disk;
use crate::package::RelPath;
use crate::report::Reporter;

/// A place for archives outside the index.
pub trait Shelf {
    /// Puts an archive, unless it is there already.
    ///
    /// # Errors
    /// If it cannot be put, or other bytes are there.
    fn put(&self, path: &str, bytes: &[u8]) -> Result<()>;
}

/// Opens the place that a URL names.
///
/// # Errors
/// If it is of a kind that nothing can be put to.
pub fn shelf<'a>(url: &str, tools: &Tools<'a>) -> Result<Box<dyn Shelf + 'a>> {
    if Address::is_one(url) {
        let bucket = Bucket::open(url, tools.buckets)?;
        return Ok(Box::new(InBucket { bucket, reporter: tools.reporter }));
    }
    let dir = Url::parse(url).ok().filter(|url| url.scheme() == "file").and_then(|url| url.to_file_path().ok());
    match dir {
        Some(dir) => Ok(Box::new(Directory(dir))),
        None => Err(Error::usage(format!("no archive can be put to `{url}`"))
            .help("name a directory: `skillpm config set registries.NAME.archives file:///srv/www/archives`")
            .help("or an object store: `skillpm config set registries.NAME.archives s3://bucket/prefix`")),
    }
}

/// Where on a shelf an archive stands whose place by the template `dl` is `place`: below what the template's last
/// directory without a placeholder serves.
#[must_use]
pub fn place_on_shelf<'p>(dl: &str, place: &'p str) -> &'p str {
    let served = match dl.find('{') {
        Some(first) => dl[..first].rfind('/').map_or(0, |slash| slash + 1),
        None => dl.trim_end_matches('/').len() + 1,
    };
    place.get(served..).unwrap_or(place)
}

struct Directory(PathBuf);

impl Shelf for Directory {
    fn put(&self, path: &str, bytes: &[u8]) -> Result<()> {
        let place = self.0.join(path.parse::<RelPath>()?.to_path());
        match disk::read(&place)? {
            Some(there) if there == bytes => Ok(()),
            Some(_) => Err(taken(&place.display().to_string())),
            None => {
                disk::write_atomic(&place, bytes)?;
                disk::sync_dirs_above(&place, &self.0)
            }
        }
    }
}

/// An object store.
struct InBucket<'a> {
    bucket: Bucket,
    reporter: &'a dyn Reporter,
}

impl Shelf for InBucket<'_> {
    fn put(&self, path: &str, bytes: &[u8]) -> Result<()> {
        self.bucket.check_conditions()?;
        if put_archive(&self.bucket, path, bytes, self.reporter)? {
            return Ok(());
        }
        Err(taken(&format!("{}{path}", self.bucket.address())))
    }
}

fn taken(place: &str) -> Error {
    Error::negative(format!("`{place}` is there already, with other bytes"))
        .note("no line of the index names it: somebody publishes this version now, or was stopped on the way")
        .help("raise the version; or remove that file, if nobody can have brought it yet")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::place::tests::with_tools;

    #[test]
    fn an_archive_s_place_is_seen_from_what_is_served() {
        for (dl, place, path) in [
            ("https://cdn/x/{name}-{version}.tar.gz", "https://cdn/x/acme/pdf-1.0.0.tar.gz", "acme/pdf-1.0.0.tar.gz"),
            ("https://cdn/by-{checksum}", "https://cdn/by-00", "by-00"),
            ("https://cdn/x", "https://cdn/x/pdf-1.0.0.tar.gz", "pdf-1.0.0.tar.gz"),
            ("https://cdn/x/", "https://cdn/x/pdf-1.0.0.tar.gz", "pdf-1.0.0.tar.gz"),
        ] {
            assert_eq!(place_on_shelf(dl, place), path);
        }
    }

    #[test]
    fn what_is_there_stays_and_the_same_again_is_no_fault() {
        let dir = tempfile::tempdir().unwrap();
        let url = Url::from_file_path(dir.path()).unwrap();
        let shelf = with_tools(|tools| shelf(url.as_str(), &tools)).unwrap();
        shelf.put("acme/pdf-1.0.0.tar.gz", b"one").unwrap();
        shelf.put("acme/pdf-1.0.0.tar.gz", b"one").unwrap();
        assert!(shelf.put("acme/pdf-1.0.0.tar.gz", b"two").is_err());
        assert_eq!(std::fs::read(dir.path().join("acme/pdf-1.0.0.tar.gz")).unwrap(), b"one");
    }
}
