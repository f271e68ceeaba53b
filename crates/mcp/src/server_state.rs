//! State shared by all connections: the current skills, and notifications of their changes.

use std::collections::BTreeMap;
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::{oneshot, watch};

use super::active_skills::ActiveSkills;
use super::streams::OpenStreams;
use skillpm_core::error::{Error, Result};
use skillpm_ops::live::WatchStopper;
use skillpm_ops::proposals::{ProposalRequest, StoredProposal};
use skillpm_ops::serve::ServedCatalog;

/// Maximum number of conversations whose active skills are recorded.
const CONVERSATIONS_MAX: usize = 1024;

/// Requests to the refresher.
pub(super) enum RefresherRequest {
    /// Refresh the catalog now, and reply when that is done.
    Refresh(oneshot::Sender<()>),
    /// Store a proposal.
    Propose(
        Box<ProposalRequest>,
        oneshot::Sender<Result<StoredProposal>>,
    ),
}

/// The current skills, with notifications of every change that is visible to clients.
pub(super) type CatalogWatch = watch::Sender<Arc<ServedCatalog>>;

/// Replaces the served skills.
pub(super) fn replace_served(catalog: &CatalogWatch, served: ServedCatalog) {
    // Listeners are woken only for visible changes, not for those of hidden skills.
    catalog.send_if_modified(|before| {
        let is_visible_change = !served.skills().eq(before.skills());
        *before = Arc::new(served);
        is_visible_change
    });
}

/// State shared by all connections.
pub(super) struct ServerState {
    catalog: CatalogWatch,
    /// `None` only while it is dropped.
    requests: Option<Sender<RefresherRequest>>,
    /// Wakes the refresher, so that it handles a request.
    wake: WatchStopper,
    conversations: Mutex<BTreeMap<String, Arc<Mutex<ActiveSkills>>>>,
    /// Whether clients may propose changes.
    pub(super) proposals: bool,
    /// The open event streams.
    pub(super) streams: Arc<OpenStreams>,
}

impl ServerState {
    pub(super) fn new(
        catalog: CatalogWatch,
        requests: Sender<RefresherRequest>,
        wake: WatchStopper,
        proposals: bool,
        streams: Arc<OpenStreams>,
    ) -> Self {
        ServerState {
            catalog,
            requests: Some(requests),
            wake,
            conversations: Mutex::default(),
            proposals,
            streams,
        }
    }

    /// The skills as of the last refresh.
    pub(super) fn current(&self) -> Arc<ServedCatalog> {
        Arc::clone(&self.catalog.borrow())
    }

    /// The skills after a refresh that starts after this call.
    pub(super) async fn refreshed(&self) -> Arc<ServedCatalog> {
        let (done, finished) = oneshot::channel();
        self.send(RefresherRequest::Refresh(done));
        // A refresher that has ended cannot report changes.
        let _ = finished.await;
        self.current()
    }

    /// The result of `lookup` in the skills as of the last refresh, else after a new one: a request for one skill need not
    /// wait for a refresh of all.
    pub(super) async fn find_or_refresh<T, E>(
        &self,
        lookup: impl Fn(&ServedCatalog) -> Result<T, E>,
    ) -> Result<T, E> {
        match lookup(&self.current()) {
            Ok(found) => Ok(found),
            // The refresher looks at every root, so that is the fallback and not the rule.
            Err(_) => {
                let fresh = self.refreshed().await;
                lookup(&fresh)
            }
        }
    }

    /// The skills for one page of a list: refreshed for the first page, as of the last refresh for the others.
    pub(super) async fn for_page(&self, cursor: Option<&str>) -> Arc<ServedCatalog> {
        match cursor {
            None => self.refreshed().await,
            // Later pages use the list of the first one as far as possible: a fresh look could shift
            // what a cursor points at.
            Some(_) => self.current(),
        }
    }

    /// Has the refresher store a proposal.
    ///
    /// # Errors
    /// As for [`propose_in`](skillpm_ops::proposals::propose_in).
    pub(super) async fn propose(&self, proposed: ProposalRequest) -> Result<StoredProposal> {
        // By the refresher and not here: proposals are written with the context of its thread.
        let (done, stored) = oneshot::channel();
        self.send(RefresherRequest::Propose(Box::new(proposed), done));
        stored
            .await
            .unwrap_or_else(|_| Err(Error::internal("the server is ending")))
    }

    fn send(&self, ask: RefresherRequest) {
        if self
            .requests
            .as_ref()
            .is_some_and(|asks| asks.send(ask).is_ok())
        {
            // The refresher waits for file events, and would not see the request before the next one.
            self.wake.stop();
        }
    }

    /// Subscribes to changes from now on.
    pub(super) fn subscribe(&self) -> watch::Receiver<Arc<ServedCatalog>> {
        self.catalog.subscribe()
    }

    /// The active skills of a conversation that a client gave this name.
    pub(super) fn conversation(&self, name: &str) -> Arc<Mutex<ActiveSkills>> {
        let mut all = lock(&self.conversations);
        // Names come from the client, so without a bound it could fill the memory.
        if all.len() >= CONVERSATIONS_MAX && !all.contains_key(name) {
            let oldest = all
                .iter()
                .min_by_key(|(_, active)| lock(active).last_used())
                .map(|(name, _)| name.clone());
            // A removed conversation has no active skills if its client comes back.
            oldest.and_then(|oldest| all.remove(&oldest));
        }

        Arc::clone(all.entry(name.to_owned()).or_default())
    }
}

impl Drop for ServerState {
    /// Wakes the refresher after the request channel was closed.
    fn drop(&mut self) {
        // The channel closes first: the refresher that wakes must find it disconnected.
        self.requests = None;
        self.wake.stop();
    }
}

/// Locks a mutex, even if it is poisoned.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
