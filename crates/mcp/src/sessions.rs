//! Sessions of clients over HTTP: how many there are, and when one that nobody uses ends.
//!
//! A client of the older protocol begins a session and may go away without a word. rmcp ends one in which nothing
//! happens, but to it a change that all sessions are notified of is something that happens.

use std::collections::HashMap;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use futures_util::Stream;
use rmcp::model::{ClientJsonRpcMessage, ServerJsonRpcMessage};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::session::{RestoreOutcome, ServerSseMessage, SessionId, SessionManager};
use tokio_util::sync::CancellationToken;

/// How many sessions there may be, and how long each may be unused.
#[derive(Debug, Clone, Copy)]
pub(super) struct SessionLimits {
    /// Most at once: each takes some 80 KB.
    pub most: usize,
    /// Without a message of its client, and without a stream that it listens to.
    pub idle: Duration,
}

impl Default for SessionLimits {
    fn default() -> Self {
        SessionLimits { most: 256, idle: Duration::from_mins(5) }
    }
}

/// The sessions of all clients, within limits.
pub(super) struct LimitedSessions {
    sessions: LocalSessionManager,
    limits: SessionLimits,
    used: Arc<Mutex<HashMap<SessionId, SessionUse>>>,
}

/// When a session was used.
#[derive(Debug, Clone, Copy)]
struct SessionUse {
    last: Instant,
    /// How many streams its client listens to.
    streams: usize,
}

impl LimitedSessions {
    pub(super) fn new(limits: SessionLimits) -> Self {
        LimitedSessions { sessions: LocalSessionManager::default(), limits, used: Arc::default() }
    }

    fn used(&self) -> MutexGuard<'_, HashMap<SessionId, SessionUse>> {
        lock(&self.used)
    }

    fn note_use(&self, id: &SessionId) {
        if let Some(used) = self.used().get_mut(id) {
            used.last = Instant::now();
        }
    }

    /// Takes those away that are to end: what was unused for too long, and as many more, the least used first, as make
    /// room for `new` ones.
    fn take_ending(&self, new: usize) -> Vec<SessionId> {
        let mut used = self.used();
        let is_over = |found: &SessionUse| found.streams == 0 && found.last.elapsed() > self.limits.idle;
        let mut ending: Vec<SessionId> = used.extract_if(|_, found| is_over(found)).map(|(id, _)| id).collect();

        while used.len() + new > self.limits.most {
            let least = used.iter().min_by_key(|(_, found)| (found.streams > 0, found.last));
            let Some(id) = least.map(|(id, _)| id.clone()) else { break };
            used.remove(&id);
            ending.push(id);
        }
        ending
    }

    async fn end(&self, ids: Vec<SessionId>) {
        for id in ids {
            // One that ended by itself meanwhile is what was wanted.
            let _ = self.sessions.close_session(&id).await;
        }
    }

    /// Ends the sessions that nobody uses, until `ending` is called off.
    pub(super) async fn watch(self: Arc<Self>, ending: CancellationToken) {
        let pause = (self.limits.idle / 4).max(Duration::from_millis(10));
        while !ending.is_cancelled() {
            tokio::select! {
                () = tokio::time::sleep(pause) => self.end(self.take_ending(0)).await,
                () = ending.cancelled() => {}
            }
        }
    }

    /// A stream that keeps its session from ending for want of use.
    fn listened<S>(&self, id: &SessionId, stream: S) -> ListenedStream<S> {
        if let Some(used) = self.used().get_mut(id) {
            used.streams += 1;
        }
        ListenedStream { stream: Box::pin(stream), id: id.clone(), used: Arc::clone(&self.used) }
    }
}

fn lock(used: &Mutex<HashMap<SessionId, SessionUse>>) -> MutexGuard<'_, HashMap<SessionId, SessionUse>> {
    used.lock().unwrap_or_else(PoisonError::into_inner)
}

type Failure = <LocalSessionManager as SessionManager>::Error;

impl SessionManager for LimitedSessions {
    type Error = Failure;
    type Transport = <LocalSessionManager as SessionManager>::Transport;

    async fn create_session(&self) -> Result<(SessionId, Self::Transport), Failure> {
        self.end(self.take_ending(1)).await;
        let (id, transport) = self.sessions.create_session().await?;
        self.used().insert(id.clone(), SessionUse { last: Instant::now(), streams: 0 });
        Ok((id, transport))
    }

    async fn initialize_session(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<ServerJsonRpcMessage, Failure> {
        self.note_use(id);
        self.sessions.initialize_session(id, message).await
    }

    async fn has_session(&self, id: &SessionId) -> Result<bool, Failure> {
        self.note_use(id);
        self.sessions.has_session(id).await
    }

    async fn close_session(&self, id: &SessionId) -> Result<(), Failure> {
        self.used().remove(id);
        self.sessions.close_session(id).await
    }

    async fn create_stream(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Failure> {
        self.note_use(id);
        Ok(self.listened(id, self.sessions.create_stream(id, message).await?))
    }

    async fn accept_message(&self, id: &SessionId, message: ClientJsonRpcMessage) -> Result<(), Failure> {
        self.note_use(id);
        self.sessions.accept_message(id, message).await
    }

    async fn create_standalone_stream(
        &self,
        id: &SessionId,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Failure> {
        self.note_use(id);
        Ok(self.listened(id, self.sessions.create_standalone_stream(id).await?))
    }

    async fn resume(
        &self,
        id: &SessionId,
        last_event_id: String,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Failure> {
        self.note_use(id);
        Ok(self.listened(id, self.sessions.resume(id, last_event_id).await?))
    }

    async fn restore_session(&self, _: SessionId) -> Result<RestoreOutcome<Self::Transport>, Failure> {
        // Nothing is kept of a session that has ended.
        Ok(RestoreOutcome::NotSupported)
    }
}

/// A stream of events that a client listens to.
pub(super) struct ListenedStream<S> {
    stream: Pin<Box<S>>,
    id: SessionId,
    used: Arc<Mutex<HashMap<SessionId, SessionUse>>>,
}

impl<S: Stream> Stream for ListenedStream<S> {
    type Item = S::Item;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<S::Item>> {
        self.stream.as_mut().poll_next(cx)
    }
}

impl<S> Drop for ListenedStream<S> {
    fn drop(&mut self) {
        if let Some(used) = lock(&self.used).get_mut(&self.id) {
            used.streams = used.streams.saturating_sub(1);
            used.last = Instant::now();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOON: Duration = Duration::from_millis(50);

    fn with<F: Future<Output = ()>>(most: usize, idle: Duration, test: impl FnOnce(Arc<LimitedSessions>) -> F) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(test(Arc::new(LimitedSessions::new(SessionLimits { most, idle }))));
    }

    /// How many there are, to us and to rmcp.
    async fn alive(sessions: &LimitedSessions) -> (usize, usize) {
        let known = sessions.used().len();
        (known, sessions.sessions.sessions.read().await.len())
    }

    #[test]
    fn there_are_never_more_sessions_than_may_be_and_the_least_used_one_ends() {
        with(4, Duration::from_hours(1), |sessions| async move {
            let (first, _transport) = sessions.create_session().await.unwrap();
            let (second, _transport) = sessions.create_session().await.unwrap();
            let mut transports = Vec::new();
            for _ in 0..20 {
                assert!(sessions.has_session(&first).await.unwrap(), "it is used all the time");
                transports.push(sessions.create_session().await.unwrap());
                let (known, real) = alive(&sessions).await;
                assert!(known <= 4 && real <= 4, "{known} {real}");
            }
            assert!(!sessions.has_session(&second).await.unwrap());
            sessions.close_session(&first).await.unwrap();
            assert_eq!(alive(&sessions).await, (3, 3));
        });
    }

    #[test]
    fn a_session_that_nobody_uses_ends_and_one_that_is_listened_to_does_not() {
        with(64, SOON, |sessions| async move {
            let (unused, _transport) = sessions.create_session().await.unwrap();
            let (used, _transport) = sessions.create_session().await.unwrap();
            let stream = sessions.listened(&used, futures_util::stream::pending::<ServerSseMessage>());
            tokio::spawn(Arc::clone(&sessions).watch(CancellationToken::new()));
            while alive(&sessions).await != (1, 1) {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
            assert!(!sessions.has_session(&unused).await.unwrap());
            assert!(sessions.has_session(&used).await.unwrap());
            drop(stream);
            while alive(&sessions).await != (0, 0) {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        });
    }
}
