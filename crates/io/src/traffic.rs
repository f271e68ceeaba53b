//! What a command asked of which host, and how long it took: for `--verbose`, and for the display of progress.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::http::redact_url;

/// Most requests that are listed one by one. Those of a source are counted without a limit.
const LISTED_MAX: usize = 10_000;

/// The requests of a command. Clones share one log, so that all clients of a command can write to it.
#[derive(Clone, Default)]
pub struct TrafficLog(Arc<Mutex<TrafficState>>);

#[derive(Default)]
struct TrafficState {
    sources: BTreeMap<String, SourceTraffic>,
    requests: Vec<LoggedRequest>,
}

/// What was asked of one source: a repository, or a host.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SourceTraffic {
    /// The number of requests.
    pub requests: u64,
    /// The number of those that the source answered with "not modified".
    pub unchanged: u64,
    /// The number of requests that have not ended.
    pub active: u64,
    /// The received bytes of bodies.
    pub bytes: u64,
    /// The bytes that are still to come, as far as the source said; `None` if an active request has not said it.
    pub remaining: Option<u64>,
}

/// A request that has ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoggedRequest {
    /// `GET`, `POST`, `PUT`; `LIST` of the objects of a bucket; `SSH` for a connection; `PUSH` for all of git's requests in one.
    pub method: &'static str,
    /// Its URL, without secrets.
    pub url: String,
    /// The status of the response; `None` if there was none, and of a connection.
    pub status: Option<u16>,
    /// The received bytes of the body.
    pub bytes: u64,
    /// The time from its start to the end of the body.
    pub elapsed: Duration,
}

impl TrafficLog {
    /// Begins a request, which ends when the result is dropped.
    #[must_use]
    pub fn start(&self, method: &'static str, url: &str) -> ActiveRequest {
        let url = redact_url(url);
        let source = source_of(&url);

        let mut state = self.lock();
        let traffic = state.sources.entry(source.clone()).or_default();
        traffic.requests += 1;
        traffic.active += 1;
        traffic.remaining = None;
        drop(state);

        ActiveRequest {
            log: self.clone(),
            source,
            declared: None,
            begun: Instant::now(),
            request: LoggedRequest {
                method,
                url,
                status: None,
                bytes: 0,
                elapsed: Duration::ZERO,
            },
        }
    }

    /// What was asked of each source so far, by its name.
    #[must_use]
    pub fn sources(&self) -> BTreeMap<String, SourceTraffic> {
        self.lock().sources.clone()
    }

    /// The requests that have ended, in the order in which they did; the first ten thousand.
    #[must_use]
    pub fn requests(&self) -> Vec<LoggedRequest> {
        self.lock().requests.clone()
    }

    fn lock(&self) -> MutexGuard<'_, TrafficState> {
        // Counters are valid after a panic, too.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for TrafficLog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("TrafficLog").finish_non_exhaustive()
    }
}

/// A request that has not ended.
pub struct ActiveRequest {
    log: TrafficLog,
    source: String,
    /// The size that the response declares, without what has come of it.
    declared: Option<u64>,
    begun: Instant,
    request: LoggedRequest,
}

impl ActiveRequest {
    /// Takes note of the response: its status, and the size that it declares for its body.
    pub fn answered(&mut self, status: u16, declared: Option<u64>) {
        self.request.status = Some(status);
        self.declared = declared;

        let mut state = self.log.lock();
        let traffic = state.sources.entry(self.source.clone()).or_default();
        traffic.unchanged += u64::from(status == 304);
        // One request is mostly the only one; of several, the sum is known once each has declared its size.
        if traffic.active == 1 {
            traffic.remaining = declared;
        } else if let (Some(remaining), Some(declared)) = (traffic.remaining, declared) {
            traffic.remaining = Some(remaining + declared);
        }
    }

    /// Counts received bytes of the body.
    pub fn received(&mut self, bytes: u64) {
        self.request.bytes += bytes;

        let mut state = self.log.lock();
        let traffic = state.sources.entry(self.source.clone()).or_default();
        traffic.bytes += bytes;
        traffic.remaining = traffic.remaining.map(|left| left.saturating_sub(bytes));
    }
}

impl Drop for ActiveRequest {
    fn drop(&mut self) {
        self.request.elapsed = self.begun.elapsed();

        let mut state = self.log.lock();
        if let Some(traffic) = state.sources.get_mut(&self.source) {
            traffic.active -= 1;
        }
        if state.requests.len() < LISTED_MAX {
            state.requests.push(self.request.clone());
        }
    }
}

/// The source of a request: the repository, else the host.
fn source_of(url: &str) -> String {
    let url = url.split_once('?').map_or(url, |(path, _)| path);
    let address = url.split_once("://").map_or(url, |(_, rest)| rest);

    // The two paths of git's protocol version 2.
    let repository = address
        .strip_suffix("/info/refs")
        .or_else(|| address.strip_suffix("/git-upload-pack"));
    match repository {
        Some(repository) => repository.trim_end_matches(".git").to_owned(),
        None => address.split('/').next().unwrap_or_default().to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_counted_by_repository_or_host() {
        let log = TrafficLog::default();
        let mut pack = log.start(
            "POST",
            "https://me:secret@github.com/acme/skills.git/git-upload-pack",
        );
        pack.answered(200, None);
        pack.received(10);
        let mut refs = log.start(
            "GET",
            "https://github.com/acme/skills/info/refs?service=git-upload-pack",
        );
        refs.answered(304, Some(0));
        drop(refs);
        let file = log.start("GET", "https://skills.acme.dev/a/b.tar.gz?token=secret");
        drop(file);

        let sources = log.sources();
        assert_eq!(
            sources.keys().collect::<Vec<_>>(),
            ["github.com/acme/skills", "skills.acme.dev"]
        );
        let git = &sources["github.com/acme/skills"];
        assert_eq!(
            (git.requests, git.active, git.unchanged, git.bytes),
            (2, 1, 1, 10)
        );

        drop(pack);
        let listed = format!("{:?}", log.requests());
        assert!(!listed.contains("secret"), "{listed}");
        assert_eq!(log.requests()[2].bytes, 10);
        assert_eq!(log.sources()["github.com/acme/skills"].active, 0);
    }

    #[test]
    fn rest_is_known_if_each_active_request_declared_its_size() {
        let log = TrafficLog::default();
        let mut one = log.start("GET", "https://a.example/1");
        assert_eq!(log.sources()["a.example"].remaining, None);
        one.answered(200, Some(100));
        one.received(30);
        assert_eq!(log.sources()["a.example"].remaining, Some(70));
        let two = log.start("GET", "https://a.example/2");
        assert_eq!(log.sources()["a.example"].remaining, None);
        drop((one, two));
    }
}
