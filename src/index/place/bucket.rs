//! An object store: `s3://bucket/prefix/`, `gs://…`, `az://account/container/…`.
//!
//! A file of the index is kept with its entity tag, and asked for again each time if it has changed; archives are not
//! kept, since the store has what they hold.
//!
//! ```text
//! $SKILLPM_HOME/index/skills-1f0c8d2b7a6e5f43/
//! └── acme/3/p/pdf          {"etag":"\"9b2c…\"","sha256":"5d41…"}
//!                           the file, as it is in the bucket
//! ```

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::Place;
use crate::error::{Error, Result};
use crate::index::Tools;
use crate::io::bucket::{Address, Bucket, Outcome};
use crate::io::disk;
use crate::package::Sha256;
use crate::report::{Event, Reporter};

/// Largest file that is taken in, in bytes: what the largest allowed tree packs to, and more than any other file has.
const FILE_MAX: u64 = 32 << 20;
/// Most objects that are listed, at a thousand a request.
const LIST_MAX: usize = 20_000;
/// Folders without packages.
const NO_PACKAGES: [&str; 2] = ["archives", "owners"];

/// An index in an object store.
pub(super) struct InBucket<'a> {
    bucket: Bucket,
    cache: Cache,
    offline: bool,
    reporter: &'a dyn Reporter,
}

impl<'a> InBucket<'a> {
    pub(super) fn open(url: &str, tools: Tools<'a>) -> Result<InBucket<'a>> {
        let bucket = Bucket::open(url, tools.buckets)?;
        let cache = Cache::of(bucket.address(), tools.cache);
        Ok(InBucket { bucket, cache, offline: tools.offline, reporter: tools.reporter })
    }

    /// What was brought before.
    fn remembered(&self, path: &str, kept: Option<Kept>) -> Result<Option<Vec<u8>>> {
        match kept {
            Some(kept) => Ok(Some(kept.bytes)),
            None => Err(Error::network(format!("`{}{path}` was not brought before", self.bucket.address()))
                .help("run it again without `--offline`")),
        }
    }

    fn settle(&self, path: &str, kept: Option<Kept>, answer: Result<Outcome>) -> Result<Option<Vec<u8>>> {
        match (answer?, kept) {
            (Outcome::NotModified, Some(kept)) => Ok(Some(kept.bytes)),
            (Outcome::Fresh { bytes, revision }, _) => {
                if let Some(etag) = revision.etag.filter(|_| is_kept(path)) {
                    self.keep(path, etag, &bytes);
                }
                Ok(Some(bytes))
            }
            (Outcome::Missing, kept) => {
                if kept.is_some() {
                    disk::remove(&self.cache.place(path))?;
                }
                Ok(None)
            }
            (Outcome::NotModified, None) => Err(Error::internal("an object store answered what was not asked")),
        }
    }

    /// A copy that cannot be kept costs a request the next time, and nothing else.
    fn keep(&self, path: &str, etag: String, bytes: &[u8]) {
        if let Err(error) = self.cache.put(path, etag, bytes) {
            self.reporter.report(Event::warning(format!("the copy of an index could not be kept: {error}")));
        }
    }
}

impl Place for InBucket<'_> {
    fn read_all(&self, paths: &[String]) -> Vec<Result<Option<Vec<u8>>>> {
        let kept: Vec<Option<Kept>> = paths.iter().map(|path| self.cache.get(path)).collect();
        if self.offline {
            return paths.iter().zip(kept).map(|(path, kept)| self.remembered(path, kept)).collect();
        }
        let etags = kept.iter().map(|kept| kept.as_ref().map(|kept| kept.etag.clone())).collect::<Vec<_>>();
        let wanted: Vec<(&str, Option<&str>)> =
            paths.iter().zip(&etags).map(|(path, etag)| (path.as_str(), etag.as_deref())).collect();
        let answers = self.bucket.get_all(&wanted, FILE_MAX, self.reporter);
        let settled = paths.iter().zip(kept).zip(answers);
        settled.map(|((path, kept), answer)| self.settle(path, kept, answer)).collect()
    }

    fn paths(&self) -> Result<Option<Vec<String>>> {
        let mut paths = Vec::new();
        for folder in self.bucket.folders()? {
            if NO_PACKAGES.contains(&folder.as_str()) {
                continue;
            }
            match self.bucket.list(&folder, LIST_MAX - paths.len())? {
                Some(found) => paths.extend(found),
                None => return Ok(None),
            }
        }
        Ok(Some(paths))
    }
}

fn is_kept(path: &str) -> bool {
    !path.ends_with(".tar.gz")
}

/// Copies of the files of one index.
struct Cache(PathBuf);

struct Kept {
    etag: String,
    bytes: Vec<u8>,
}

#[derive(Serialize, Deserialize)]
struct Head {
    etag: String,
    sha256: Sha256,
}

impl Cache {
    fn of(address: &Address, below: &Path) -> Cache {
        let digest = Sha256::of(address.to_string().as_bytes()).to_string();
        Cache(below.join(format!("{}-{}", address.bucket, &digest[..16])))
    }

    fn place(&self, path: &str) -> PathBuf {
        self.0.join(path)
    }

    /// A file as it was brought; `None` if it was not, or is no longer as it was written.
    fn get(&self, path: &str) -> Option<Kept> {
        let whole = disk::read(&self.place(path)).ok()??;
        let end = memchr::memchr(b'\n', &whole)?;
        let head: Head = serde_json::from_slice(&whole[..end]).ok()?;
        let bytes = whole[end + 1..].to_vec();
        (Sha256::of(&bytes) == head.sha256).then_some(Kept { etag: head.etag, bytes })
    }

    fn put(&self, path: &str, etag: String, bytes: &[u8]) -> Result<()> {
        let head = Head { etag, sha256: Sha256::of(bytes) };
        let mut whole = serde_json::to_vec(&head)
            .map_err(|cause| Error::internal(format!("a head of a copy cannot be written: {cause}")))?;
        whole.push(b'\n');
        whole.extend_from_slice(bytes);
        disk::write_atomic(&self.place(path), &whole)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_that_was_touched_is_no_copy() {
        let dir = tempfile::tempdir().unwrap();
        let cache = Cache::of(&"s3://skills/index".parse().unwrap(), dir.path());
        cache.put("3/p/pdf", "\"1\"".into(), b"{}\n{}\n").unwrap();
        let kept = cache.get("3/p/pdf").unwrap();
        assert_eq!((kept.etag.as_str(), kept.bytes.as_slice()), ("\"1\"", b"{}\n{}\n".as_slice()));
        let place = cache.place("3/p/pdf");
        let mut bytes = std::fs::read(&place).unwrap();
        *bytes.last_mut().unwrap() ^= 1;
        std::fs::write(&place, &bytes).unwrap();
        assert!(cache.get("3/p/pdf").is_none());
        std::fs::write(&place, &bytes[..9]).unwrap();
        assert!(cache.get("3/p/pdf").is_none());
        assert!(cache.get("3/p/other").is_none());
    }

    #[test]
    fn two_places_do_not_share_copies() {
        let dir = Path::new("/cache");
        let of = |url: &str| Cache::of(&url.parse().unwrap(), dir).0;
        assert_ne!(of("s3://skills/a"), of("s3://skills/b"));
        assert_ne!(of("s3://skills"), of("gs://skills"));
        assert_eq!(of("s3://skills/a"), of("s3://skills/a/"));
    }
}
