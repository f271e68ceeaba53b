//! Cached files that are revalidated: a wave of files at once, each once per command. Offline the cached copies are used.

use std::collections::HashSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::file_cache::{IndexFileCache, IndexFileContent, IndexFileCopy};
use crate::index::IndexContext;
use skillpm_core::error::{Error, FailureKind, Result};
use skillpm_core::package::IndexUrl;
use skillpm_core::report::ProgressEvent;

/// The response of a server for a file that may be cached.
pub(super) enum RevalidationResult {
    /// The cached copy is current.
    NotModified,
    /// The file does not exist.
    Missing,
    /// The present file.
    Fresh(IndexFileContent),
}

/// Requests files, with their cached copies.
type AskServer<'a> = dyn Fn(&[(&str, &IndexFileCopy)]) -> Vec<Result<RevalidationResult>> + 'a;

pub(super) struct RevalidatingCache<'a> {
    index: IndexUrl,
    copies: IndexFileCache,
    tools: IndexContext<'a>,
    /// The paths that were revalidated in this run.
    settled_paths: Mutex<HashSet<String>>,
    /// The paths that are requested past the caches on the way.
    uncached_paths: Mutex<HashSet<String>>,
}

impl<'a> RevalidatingCache<'a> {
    pub(super) fn new(index: &IndexUrl, tools: IndexContext<'a>) -> Self {
        RevalidatingCache {
            index: index.clone(),
            copies: IndexFileCache::open(index, &tools),
            tools,
            settled_paths: Mutex::default(),
            uncached_paths: Mutex::default(),
        }
    }

    /// Whether a request for a file must reach the server itself.
    pub(super) fn is_uncached(&self, path: &str) -> bool {
        lock_paths(&self.uncached_paths).contains(path)
    }

    /// Makes the next read of these files a request that reaches the server itself.
    pub(super) fn bypass_caches(&self, paths: &[String]) {
        lock_paths(&self.settled_paths).retain(|settled| !paths.contains(settled));
        lock_paths(&self.uncached_paths).extend(paths.iter().cloned());
    }

    /// Reads files; `ask` requests those that must be revalidated, with their cached copies.
    ///
    /// A file that is older than its copy is requested again, past the caches on the way: one of those may be some minutes
    /// behind the server.
    pub(super) fn read_all(
        &self,
        paths: &[String],
        ask: impl Fn(&[(&str, &IndexFileCopy)]) -> Vec<Result<RevalidationResult>>,
    ) -> Vec<Result<Option<Vec<u8>>>> {
        let is_refused = |file: &Result<Option<Vec<u8>>>| matches!(file, Err(error) if error.kind() == FailureKind::Integrity);
        let note =
            |error: Error| error.note("it was fetched twice, the second time bypassing all caches");
        let mut files = self.read_once(paths, &ask);
        let mut refused = Vec::new();
        for (path, file) in paths.iter().zip(&mut files) {
            if !is_refused(file) {
                continue;
            }
            if self.is_uncached(path) {
                *file = std::mem::replace(file, Ok(None)).map_err(note);
            } else {
                refused.push(path.clone());
            }
        }
        if refused.is_empty() {
            return files;
        }

        self.bypass_caches(&refused);
        let again = self.read_once(&refused, &ask);
        for (path, file) in refused.iter().zip(again) {
            let at = paths.iter().position(|known| known == path);
            let slot = &mut files[at.expect("it is one of them")];
            match file {
                Err(error) if error.kind() == FailureKind::Integrity => *slot = Err(note(error)),
                // The first error says more than that of a request which failed.
                Err(_) => {}
                Ok(_) => *slot = file,
            }
        }
        files
    }

    fn read_once(&self, paths: &[String], ask: &AskServer<'_>) -> Vec<Result<Option<Vec<u8>>>> {
        let is_settled = self.find_settled(paths);
        let copies: Vec<IndexFileCopy> = paths.iter().map(|path| self.copies.get(path)).collect();
        let open = paths
            .iter()
            .zip(&copies)
            .zip(&is_settled)
            .filter(|(_, settled)| !**settled);
        let open: Vec<(&str, &IndexFileCopy)> = open
            .map(|((path, copy), _)| (path.as_str(), copy))
            .collect();

        let answers = if open.is_empty() {
            Vec::new()
        } else {
            ask(&open)
        };
        let mut answers = answers.into_iter();

        let pairs = paths.iter().zip(copies).zip(&is_settled);
        pairs
            .map(|((path, copy), settled)| match settled {
                // Requested earlier in this command, or the network is off.
                true => self.read_offline(path, copy),
                false => self.apply_answer(
                    path,
                    copy,
                    answers
                        .next()
                        .expect("one response for each requested file"),
                ),
            })
            .collect()
    }

    /// Which files are read from the cache alone.
    fn find_settled(&self, paths: &[String]) -> Vec<bool> {
        // A file is requested once per command, so that all of the command sees the same state of it.
        let asked = lock_paths(&self.settled_paths);
        paths
            .iter()
            .map(|path| self.tools.offline || asked.contains(path))
            .collect()
    }

    /// Applies a response to the cached copy; returns the present content.
    fn apply_answer(
        &self,
        path: &str,
        copy: IndexFileCopy,
        answer: Result<RevalidationResult>,
    ) -> Result<Option<Vec<u8>>> {
        let now = match (answer?, copy) {
            (RevalidationResult::NotModified, IndexFileCopy::Present(cached)) => Some(cached.bytes),
            // `NotModified` is only valid for a conditional request.
            (RevalidationResult::NotModified, _) => {
                return Err(Error::internal(
                    "a file without a cached copy was reported as not modified",
                ));
            }
            // That is cached already, so nothing is written.
            (RevalidationResult::Missing, IndexFileCopy::Missing) => None,
            (RevalidationResult::Missing, copy) => {
                self.copies.put(path, &copy, None)?;
                None
            }
            (RevalidationResult::Fresh(content), copy) => {
                // A damaged copy proves nothing about the past: the file is cached as if it were new.
                if copy == IndexFileCopy::Damaged {
                    let message = format!(
                        "the cached copy of `{path}` from index `{}` was damaged, and was fetched again",
                        self.index
                    );
                    self.tools
                        .reporter
                        .report(ProgressEvent::Detail { message });
                }
                self.copies.put(path, &copy, Some(&content))?;
                Some(content.bytes)
            }
        };

        lock_paths(&self.settled_paths).insert(path.to_owned());
        Ok(now)
    }

    /// Reads the cached copy without revalidation.
    fn read_offline(&self, path: &str, copy: IndexFileCopy) -> Result<Option<Vec<u8>>> {
        match copy {
            IndexFileCopy::Present(cached) => Ok(Some(cached.bytes)),
            IndexFileCopy::Missing => Ok(None),
            IndexFileCopy::None | IndexFileCopy::Damaged => Err(Error::network(format!(
                "cannot read `{path}` from index `{}`: it is not cached, and the network is off",
                self.index
            ))
            .help("run the command once without `--offline` to cache what it needs")),
        }
    }

    /// Removes the cached copy of a file.
    pub(super) fn discard(&self, path: &str) {
        // If it stays, the next command reports the file again.
        let _ = self.copies.remove(path);
    }

    /// Reads the cached files of all packages, with their paths.
    pub(super) fn cached_entry_files(&self) -> Result<Vec<(String, Vec<u8>)>> {
        let cached = |path: String| match self.copies.get(&path) {
            IndexFileCopy::Present(content) => Some((path, content.bytes)),
            _ => None,
        };
        Ok(self
            .copies
            .package_paths()?
            .into_iter()
            .filter_map(cached)
            .collect())
    }
}

fn lock_paths(paths: &Mutex<HashSet<String>>) -> MutexGuard<'_, HashSet<String>> {
    paths.lock().unwrap_or_else(PoisonError::into_inner)
}
