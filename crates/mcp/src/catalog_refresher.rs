//! Keeps the served catalog up to date: the only part that reads the tiers, on the thread that has their context.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, TryRecvError, channel};
use std::time::Instant;

use super::server_state::{CatalogWatch, RefresherRequest, ServerState, replace_served};
use super::streams::OpenStreams;
use skillpm_core::error::{Error, Result};
use skillpm_core::report::ProgressEvent;
use skillpm_ops::CommandContext;
use skillpm_ops::catalog::CatalogOptions;
use skillpm_ops::installed_states::InstalledStates;
use skillpm_ops::live::{LiveCatalog, WatchMode};
use skillpm_ops::proposals::propose_in;
use skillpm_ops::serve::ServedCatalog;

/// What is read besides the catalog, and what clients may ask for.
#[derive(Debug, Clone)]
pub(super) struct RefreshOptions {
    /// Whether clients may propose changes.
    pub proposals: bool,
    /// The open event streams of all clients.
    pub streams: Arc<OpenStreams>,
    /// Whether the lockfiles are read, for the pages of the site.
    pub states: bool,
}

/// Keeps a [`CatalogWatch`] up to date.
pub(super) struct CatalogRefresher<'c> {
    live: LiveCatalog<'c>,
    context: &'c CommandContext<'c>,
    catalog: CatalogWatch,
    requests: Receiver<RefresherRequest>,
    started: Instant,
    has_states: bool,
}

impl<'c> CatalogRefresher<'c> {
    /// Reads the catalog, and returns the state shared with connections.
    ///
    /// # Errors
    /// If the catalog cannot be read.
    pub(super) fn open(
        context: &'c CommandContext<'c>,
        options: CatalogOptions,
        refreshing: RefreshOptions,
    ) -> Result<(Self, ServerState)> {
        // Taken with the context's clock: a proposal's time is the start plus what has passed.
        let started = Instant::now();
        let live = LiveCatalog::open(context, options, WatchMode::Events)?;
        let mut served = ServedCatalog::new(live.catalog());
        if refreshing.states {
            let states = InstalledStates::read(context, served.catalog())?;
            served = served.with_states(states);
        }
        let catalog = CatalogWatch::new(Arc::new(served));
        // std's channel: the refresher blocks its thread, and is no task of the runtime.
        let (sender, requests) = channel();
        let state = ServerState::new(
            catalog.clone(),
            sender,
            live.stopper(),
            refreshing.proposals,
            refreshing.streams,
        );

        Ok((
            CatalogRefresher {
                live,
                context,
                catalog,
                requests,
                started,
                has_states: refreshing.states,
            },
            state,
        ))
    }

    /// Runs until the request channel is closed: waits for changes or requests.
    pub(super) fn run(mut self) {
        loop {
            // Ends for a change on disk, and when `wake` is called for a request.
            match self.live.wait(None) {
                Ok(Some(_)) => self.publish(),
                // A request arrived.
                Ok(None) => {}
                Err(error) => self.warn(&error),
            }

            loop {
                match self.requests.try_recv() {
                    Ok(first) => self.answer_pending(first),
                    Err(TryRecvError::Empty) => break,
                    // The last connection and the server are gone.
                    Err(TryRecvError::Disconnected) => return,
                }
            }
        }
    }

    /// Answers all pending requests with one refresh.
    fn answer_pending(&mut self, first: RefresherRequest) {
        // Requests before this point are answered by the following refresh.
        let pending: Vec<RefresherRequest> = std::iter::once(first)
            .chain(self.requests.try_iter())
            .collect();

        match self.live.refresh() {
            Ok(_) => self.publish(),
            Err(error) => self.warn(&error),
        }

        for request in pending {
            // The requester may have disconnected meanwhile.
            match request {
                RefresherRequest::Refresh(done) => drop(done.send(())),
                RefresherRequest::Propose(proposed, done) => {
                    // The context has the time of the start, and a server runs for days.
                    let context = self.context.with_elapsed(self.started.elapsed());
                    drop(done.send(propose_in(&context, &self.live.catalog(), &proposed)));
                }
            }
        }
    }

    /// Serves the last catalog read.
    fn publish(&self) {
        let mut served = ServedCatalog::new(self.live.catalog());
        if self.has_states {
            match InstalledStates::read(self.context, served.catalog()) {
                Ok(states) => served = served.with_states(states),
                // Without them the pages still have the skills.
                Err(error) => self.warn(&error),
            }
        }
        replace_served(&self.catalog, served);
    }

    fn warn(&self, error: &Error) {
        // Clients keep the catalog that was read last, so a refresh that fails is only a warning.
        let message = format!(
            "failed to refresh the catalog, which stays unchanged: {}",
            error.message()
        );
        self.context.reporter.report(ProgressEvent::Warning {
            message,
            help: error.helps().first().cloned(),
        });
    }
}
