//! Runs jobs in the background, of each document the newest only.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, Sender};

use skillpm_core::error::Error;
use skillpm_ops::dependency_versions::{DependencyVersions, VersionLookup, dependency_versions};

use crate::checker::{CheckJob, CheckResult, DocumentChecker};
use crate::documents::OpenDocument;
use crate::server::ServerEvent;

/// Something to do.
pub(crate) enum WorkerJob {
    /// Checks a document.
    Check(Box<CheckJob>),
    /// Asks the sources of a manifest's dependencies for versions.
    Versions(Box<OpenDocument>),
}

impl WorkerJob {
    /// Jobs of one kind about one document replace each other.
    fn key(&self) -> (bool, PathBuf) {
        match self {
            WorkerJob::Check(job) => (true, job.document.path.clone()),
            WorkerJob::Versions(document) => (false, document.path.clone()),
        }
    }
}

/// The versions of a manifest's dependencies.
pub(crate) struct FoundVersions {
    pub(crate) path: PathBuf,
    pub(crate) versions: Result<Vec<DependencyVersions>, Error>,
}

/// Runs jobs until the server ends.
pub(crate) fn run_jobs(
    checker: &DocumentChecker<'_>,
    queue: &Receiver<WorkerJob>,
    events: &Sender<ServerEvent>,
) {
    // The server no longer listens when it ends, and the queue then ends, too.
    let send = |event| _ = events.send(event);
    let mut waiting: BTreeMap<(bool, PathBuf), WorkerJob> = BTreeMap::new();
    loop {
        // Checks come before queries: of keys, `true` is the greater one.
        let Some((_, job)) = waiting.pop_last() else {
            let Ok(job) = queue.recv() else { return };
            waiting.insert(job.key(), job);
            waiting.extend(queue.try_iter().map(|job| (job.key(), job)));
            continue;
        };

        match job {
            WorkerJob::Check(job) => {
                send(ServerEvent::Checked(Box::new(check(checker, &job))));
                // The first result does not wait for the other skills of a large project.
                let is_new = catch_unwind(AssertUnwindSafe(|| checker.read_neighbors(&job.root)));
                if is_new.unwrap_or(false) {
                    send(ServerEvent::Checked(Box::new(check(checker, &job))));
                }
            }
            WorkerJob::Versions(document) => {
                let find = || find_versions(checker, &document, VersionLookup::Sources);
                let versions = catch_unwind(AssertUnwindSafe(find));
                let versions =
                    versions.unwrap_or_else(|_| Err(Error::internal("a query panicked")));
                send(ServerEvent::Versions(Box::new(FoundVersions {
                    path: document.path.clone(),
                    versions,
                })));
            }
        }
        waiting.extend(queue.try_iter().map(|job| (job.key(), job)));
    }
}

/// Checks a document; a panic is a failure of that document alone.
pub(crate) fn check(checker: &DocumentChecker<'_>, job: &CheckJob) -> CheckResult {
    catch_unwind(AssertUnwindSafe(|| checker.check(job))).unwrap_or_else(|_| CheckResult {
        path: job.document.path.clone(),
        version: job.document.version,
        failure: Some(Error::internal("a check panicked")),
        ..CheckResult::default()
    })
}

/// The versions of the dependencies in a manifest.
pub(crate) fn find_versions(
    checker: &DocumentChecker<'_>,
    document: &OpenDocument,
    lookup: VersionLookup,
) -> Result<Vec<DependencyVersions>, Error> {
    let dir = document.path.parent().unwrap_or(&document.path);
    checker.with_context(dir, |context| {
        dependency_versions(context, dir, &document.text, lookup)
    })
}
