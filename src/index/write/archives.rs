//! Archives alone: for a registry whose index does not hold them (`registries.NAME.archives`).
//!
//! ```text
//! s3://bucket/prefix/   an object store
//! file:///srv/www       a directory that some server serves
//! ```

use url::Url;

use super::bucket::put_archive;
use crate::error::{Error, Result};
use crate::io::bucket::{Address, Bucket, Options};
use crate::io::disk;
use crate::report::Reporter;

/// Puts an archive below `url`, unless it is there already with just these bytes.
///
/// It is put before anything names it, and may stay without harm where the rest fails.
///
/// # Errors
/// [`Negative`](crate::error::Kind::Negative) if other bytes are there; or if it cannot be written.
pub fn put(url: &str, path: &str, bytes: &[u8], to: (&Options, &dyn Reporter)) -> Result<()> {
    let (options, reporter) = to;
    if Address::is_one(url) {
        let bucket = Bucket::open(url, options)?;
        bucket.check_conditions()?;
        if put_archive(&bucket, path, bytes, reporter)? {
            return Ok(());
        }
        return Err(taken(&format!("{}{path}", bucket.address())));
    }
    let directory = Url::parse(url).ok().filter(|url| url.scheme() == "file").and_then(|url| url.to_file_path().ok());
    let directory = directory.ok_or_else(|| {
        Error::usage(format!("archives cannot be put below `{}`", url.escape_debug()))
            .help("`registries.NAME.archives` is `s3://…`, `gs://…`, `az://…` or `file:///…`")
    })?;
    let place = directory.join(path);
    match disk::read(&place)? {
        Some(found) if found == bytes => Ok(()),
        Some(_) => Err(taken(&place.display().to_string())),
        None => disk::write_atomic(&place, bytes),
    }
}

fn taken(place: &str) -> Error {
    Error::negative(format!("`{place}` is there already, with other bytes"))
        .note("what is published never changes; or a publish of other content was broken off")
        .help("publish another version; or remove it, if no index names it")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::Event;

    struct Silent;

    impl Reporter for Silent {
        fn report(&self, _: Event) {}
    }

    #[test]
    fn an_archive_in_a_directory_is_put_once_and_never_replaced() {
        let dir = tempfile::tempdir().unwrap();
        let url = Url::from_file_path(dir.path()).unwrap();
        let put = |bytes: &[u8]| put(url.as_str(), "a/pdf-1.0.0.tar.gz", bytes, (&Options::default(), &Silent));
        put(b"one").unwrap();
        put(b"one").unwrap();
        assert!(put(b"two").unwrap_err().message().contains("with other bytes"));
        assert_eq!(std::fs::read(dir.path().join("a/pdf-1.0.0.tar.gz")).unwrap(), b"one");
    }
}
