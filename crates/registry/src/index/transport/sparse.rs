//! Static files of a web server: `sparse+https://acme.dev/index/`.
//!
//! A wave of files is requested at once, those that are cached with the server's validators (`If-None-Match`,
//! `If-Modified-Since`), and each once per command. Offline the cached copies are used.

use std::sync::Arc;

use super::file_cache::{IndexFileContent, IndexFileCopy};
use super::revalidate::{RevalidatingCache, RevalidationResult};
use super::{IndexTransport, PUBLISHED_FILES, TOTAL_MAX, size_limit};
use crate::index::IndexContext;
use skillpm_core::error::{Error, Result};
use skillpm_core::package::{IndexUrl, SecretString};
use skillpm_io::http::{ByteAllowance, HttpOutcome, HttpRequest};

pub(super) struct SparseTransport<'a> {
    index: IndexUrl,
    /// The index that chose the URL; `None` if the user did.
    named_by: Option<String>,
    copies: RevalidatingCache<'a>,
    tools: IndexContext<'a>,
}

impl<'a> SparseTransport<'a> {
    pub(super) fn new(
        index: &IndexUrl,
        named_by: Option<&IndexUrl>,
        tools: IndexContext<'a>,
    ) -> Self {
        let named_by = named_by.map(|by| by.inner().to_owned());
        SparseTransport {
            index: index.clone(),
            named_by,
            copies: RevalidatingCache::new(index, tools),
            tools,
        }
    }

    /// Creates the request for a file, which is conditional if there is a cached copy.
    fn file_request(
        &self,
        path: &str,
        copy: &IndexFileCopy,
        token: Option<&SecretString>,
    ) -> HttpRequest {
        let request = HttpRequest {
            named_by: self.named_by.clone(),
            authorization: token.cloned(),
            bypass_caches: self.copies.is_uncached(path),
            ..HttpRequest::new(self.file_url(path), size_limit(path))
        };
        match copy {
            IndexFileCopy::Present(cached) => HttpRequest {
                etag: cached.etag.clone(),
                last_modified: cached.last_modified.clone(),
                ..request
            },
            _ => request,
        }
    }

    fn file_url(&self, path: &str) -> String {
        // Some object stores decode a `+` (of a version) as a space.
        format!("{}{}", self.index.inner(), path.replace('+', "%2B"))
    }

    /// Requests files that may be cached from the server.
    fn fetch_files(&self, open: &[(&str, &IndexFileCopy)]) -> Vec<Result<RevalidationResult>> {
        // One token for all of the requests, since a provider may prompt for it.
        let token = match (self.tools.tokens)(self.index.as_str()) {
            Ok(token) => token,
            Err(error) => return open.iter().map(|_| Err(error.clone())).collect(),
        };

        let allowance = Arc::new(ByteAllowance::new(TOTAL_MAX));
        let mut requests = Vec::new();
        for (path, copy) in open {
            let mut request = self.file_request(path, copy, token.as_ref());
            // The list of all packages has a limit of its own, and may use all of it.
            if !PUBLISHED_FILES.contains(path) {
                request.allowance = Some(Arc::clone(&allowance));
            }
            requests.push(request);
        }

        let answers = self
            .tools
            .http
            .get_all(&requests, self.tools.reporter)
            .into_iter();
        answers
            .zip(open)
            .map(|(answer, (path, _))| self.to_revalidation(path, answer?))
            .collect()
    }

    fn to_revalidation(&self, path: &str, outcome: HttpOutcome) -> Result<RevalidationResult> {
        Ok(match outcome {
            HttpOutcome::NotModified => RevalidationResult::NotModified,
            HttpOutcome::Missing(_) | HttpOutcome::Refused(..) => RevalidationResult::Missing,
            HttpOutcome::Fresh(response) if is_web_page(&response.bytes) => {
                return Err(self.web_page_error(path));
            }
            HttpOutcome::Fresh(response) => RevalidationResult::Fresh(IndexFileContent {
                bytes: response.bytes,
                etag: response.etag,
                last_modified: response.last_modified,
            }),
        })
    }

    fn web_page_error(&self, path: &str) -> Error {
        Error::network(format!("failed to read `{}`", self.file_url(path)))
            .cause("the server responded with a web page instead of the file, such as a login page")
            .help(format!(
                "open the URL in a browser to see it; if it needs a token, run `skillpm login --registry {}`",
                self.index
            ))
    }
}

/// Whether it is HTML: no file of an index is.
fn is_web_page(bytes: &[u8]) -> bool {
    let head = bytes.trim_ascii_start();
    ["<!doctype html", "<html", "<head"].iter().any(|start| {
        head.get(..start.len())
            .is_some_and(|head| head.eq_ignore_ascii_case(start.as_bytes()))
    })
}

impl IndexTransport for SparseTransport<'_> {
    fn read_all(&self, paths: &[String]) -> Vec<Result<Option<Vec<u8>>>> {
        self.copies.read_all(paths, |open| self.fetch_files(open))
    }

    fn list_paths(&self) -> Result<Option<Vec<String>>> {
        Ok(None)
    }

    fn bypass_caches(&self, paths: &[String]) {
        self.copies.bypass_caches(paths);
    }

    fn discard_copy(&self, path: &str) {
        self.copies.discard(path);
    }

    fn cached_entry_files(&self) -> Result<Vec<(String, Vec<u8>)>> {
        self.copies.cached_entry_files()
    }

    fn public_url(&self, path: &str) -> Option<String> {
        Some(self.file_url(path))
    }
}
