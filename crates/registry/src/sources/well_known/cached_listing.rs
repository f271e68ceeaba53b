//! The cached list of a site, and its revalidation.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::sources::PackageSources;
use skillpm_core::error::Result;
use skillpm_core::package::Sha256Digest;
use skillpm_io::disk;
use skillpm_io::http::{HttpOutcome, HttpRequest};

/// Largest list that is read, in bytes: some 20,000 skills with long descriptions.
const INDEX_MAX: u64 = 8 << 20;

/// A list and its header.
pub(super) struct CachedListing {
    pub(super) head: ListingHeader,
    pub(super) body: Vec<u8>,
}

/// The first line of a cached list.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct ListingHeader {
    /// The requested URL.
    pub(super) url: String,
    /// The URL after redirects.
    pub(super) at: String,
    etag: Option<String>,
    last_modified: Option<String>,
    /// The digest of the list.
    pub(super) sha256: String,
}

impl CachedListing {
    fn cache_path(cache: &Path, url: &str) -> PathBuf {
        // By digest: a URL has characters that file names cannot have.
        cache
            .join("well-known")
            .join(&Sha256Digest::hash_bytes(url.as_bytes()).to_string()[..32])
    }

    /// Reads a cached list; `None` if there is none, or it is damaged.
    fn read_cached(cache: &Path, url: &str) -> Result<Option<CachedListing>> {
        let Some(bytes) = disk::read(&Self::cache_path(cache, url))? else {
            return Ok(None);
        };
        let Some(end) = memchr::memchr(b'\n', &bytes) else {
            return Ok(None);
        };
        let Ok(head) = serde_json::from_slice::<ListingHeader>(&bytes[..end]) else {
            return Ok(None);
        };

        let body = bytes[end + 1..].to_vec();
        // The file's name is a truncated digest, so the URL is compared, too.
        let is_whole =
            head.url == url && head.sha256 == Sha256Digest::hash_bytes(&body).to_string();
        Ok(is_whole.then_some(CachedListing { head, body }))
    }

    pub(super) fn save(&self, cache: &Path) -> Result<()> {
        let mut bytes = serde_json::to_vec(&self.head).expect("texts are JSON");
        bytes.push(b'\n');
        bytes.extend_from_slice(&self.body);
        let file = Self::cache_path(cache, &self.head.url);
        // Not written again where nothing changed, which also keeps its time.
        if disk::read(&file)?.as_deref() == Some(&bytes) {
            Ok(())
        } else {
            disk::write_atomic(&file, &bytes)
        }
    }
}

/// Fetches the list at a URL, or returns the cached one if it is unchanged or the network is off; `None` if there is none.
pub(super) fn fetch_revalidated(
    sources: &PackageSources<'_>,
    url: &str,
) -> Result<Option<CachedListing>> {
    let tools = sources.tools;
    let cached = CachedListing::read_cached(&tools.index_cache, url)?;

    // With the network off an old list is better than none.
    if tools.offline && cached.is_some() {
        return Ok(cached);
    }

    let (etag, last_modified) = cached
        .as_ref()
        .map(|cached| (cached.head.etag.clone(), cached.head.last_modified.clone()))
        .unwrap_or_default();

    let request = HttpRequest {
        etag,
        last_modified,
        ..HttpRequest::new(url, INDEX_MAX)
    };
    match tools
        .http
        .get_all(std::slice::from_ref(&request), sources.reporter)
        .remove(0)?
    {
        HttpOutcome::Missing(_) | HttpOutcome::Refused(..) => Ok(None),
        // Only sent with validators, and so only where there is a cached list.
        HttpOutcome::NotModified => Ok(cached),
        HttpOutcome::Fresh(got) => {
            // The URL after redirects: links in the list are relative to it.
            let head = ListingHeader {
                url: url.to_owned(),
                at: without_query(&got.final_url),
                etag: got.etag,
                last_modified: got.last_modified,
                sha256: Sha256Digest::hash_bytes(&got.bytes).to_string(),
            };
            Ok(Some(CachedListing {
                head,
                body: got.bytes,
            }))
        }
    }
}

/// Removes the query of a URL, which may be a secret for one download.
fn without_query(url: &str) -> String {
    url.split(['?', '#']).next().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_modified_cached_list_is_ignored() {
        let dir = tempfile::tempdir().unwrap();
        let url = "https://acme.dev/index.json";
        let body = b"{}\n{}".to_vec();
        let sha256 = Sha256Digest::hash_bytes(&body).to_string();
        let head = ListingHeader {
            url: url.into(),
            at: url.into(),
            etag: None,
            last_modified: None,
            sha256,
        };
        CachedListing {
            head,
            body: body.clone(),
        }
        .save(dir.path())
        .unwrap();
        assert_eq!(
            CachedListing::read_cached(dir.path(), url)
                .unwrap()
                .unwrap()
                .body,
            body
        );
        let file = CachedListing::cache_path(dir.path(), url);
        let mut bytes = std::fs::read(&file).unwrap();
        *bytes.last_mut().unwrap() = b'x';
        std::fs::write(&file, bytes).unwrap();
        assert!(
            CachedListing::read_cached(dir.path(), url)
                .unwrap()
                .is_none()
        );
    }
}
