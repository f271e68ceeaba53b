//! Where archives are put that do not lie in the index itself: whatever serves the URL in its `dl`.
//!
//! What was put there once may have been brought and kept by anybody, so that it is never replaced by other bytes.

use std::path::PathBuf;

use url::Url;

use crate::error::{Error, Result};
use crate::io::disk;
use crate::package::RelPath;

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
pub fn shelf(url: &str) -> Result<Box<dyn Shelf>> {
    let dir = Url::parse(url).ok().filter(|url| url.scheme() == "file").and_then(|url| url.to_file_path().ok());
    match dir {
        Some(dir) => Ok(Box::new(Directory(dir))),
        None => Err(Error::usage(format!("no archive can be put to `{url}`"))
            .help("name a directory: `skillpm config set registries.NAME.archives file:///srv/www/archives`")),
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
            Some(_) => Err(Error::negative(format!("`{}` is there already, with other bytes", place.display()))
                .note("no line of the index names it: somebody publishes this version now, or was stopped on the way")
                .help("raise the version; or remove that file, if nobody can have brought it yet")),
            None => {
                disk::write_atomic(&place, bytes)?;
                disk::sync_dirs_above(&place, &self.0)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let shelf = shelf(Url::from_file_path(dir.path()).unwrap().as_str()).unwrap();
        shelf.put("acme/pdf-1.0.0.tar.gz", b"one").unwrap();
        shelf.put("acme/pdf-1.0.0.tar.gz", b"one").unwrap();
        assert!(shelf.put("acme/pdf-1.0.0.tar.gz", b"two").is_err());
        assert_eq!(std::fs::read(dir.path().join("acme/pdf-1.0.0.tar.gz")).unwrap(), b"one");
    }
}
