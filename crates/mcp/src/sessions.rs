//! Sessions of HTTP clients: their limit, and the expiry of unused ones.
//!
//! A client of the older protocol starts a session and may disappear without ending it. rmcp ends idle sessions, but
//! counts a change notification to all sessions as activity.

use std::collections::HashMap;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use futures_util::Stream;
use rmcp::model::{ClientJsonRpcMessage, ServerJsonRpcMessage};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::session::{
    RestoreOutcome, ServerSseMessage, SessionId, SessionManager,
};
use tokio_util::sync::CancellationToken;

/// Maximum number of sessions, and how long each may be unused.
#[derive(Debug, Clone, Copy)]
pub(super) struct SessionLimits {
    /// Most at once: each takes some 80 KB.
    pub most: usize,
    /// Maximum time without a message from the client, and without an open stream.
    pub idle: Duration,
}

impl Default for SessionLimits {
    fn default() -> Self {
        SessionLimits {
            most: 256,
            idle: Duration::from_mins(5),
        }
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
    /// Number of streams that its client listens to.
    streams: usize,
}

impl LimitedSessions {
    pub(super) fn new(limits: SessionLimits) -> Self {
        LimitedSessions {
            sessions: LocalSessionManager::default(),
            limits,
            used: Arc::default(),
        }
    }

    fn used(&self) -> MutexGuard<'_, HashMap<SessionId, SessionUse>> {
        lock(&self.used)
    }

    fn touch(&self, id: &SessionId) {
        if let Some(used) = self.used().get_mut(id) {
            used.last = Instant::now();
        }
    }

    /// Removes sessions: those unused for too long, and as many more, least recently used first, as needed for `new`
    /// ones.
    fn remove_expired(&self, new: usize) -> Vec<SessionId> {
        let mut used = self.used();

        // A stream that is open keeps its session, however long nothing is sent on it.
        let is_over =
            |found: &SessionUse| found.streams == 0 && found.last.elapsed() > self.limits.idle;
        let mut ending: Vec<SessionId> = used
            .extract_if(|_, found| is_over(found))
            .map(|(id, _)| id)
            .collect();

        while used.len() + new > self.limits.most {
            // Those without a stream go first, then those that were used least recently.
            let least = used
                .iter()
                .min_by_key(|(_, found)| (found.streams > 0, found.last));

            let Some(id) = least.map(|(id, _)| id.clone()) else {
                break;
            };

            used.remove(&id);
            ending.push(id);
        }

        ending
    }

    async fn close_all(&self, ids: Vec<SessionId>) {
        for id in ids {
            // One that ended by itself meanwhile needs no more work.
            let _ = self.sessions.close_session(&id).await;
        }
    }

    /// Ends unused sessions, until `ending` is cancelled.
    pub(super) async fn close_unused_until(self: Arc<Self>, ending: CancellationToken) {
        let pause = (self.limits.idle / 4).max(Duration::from_millis(10));
        while !ending.is_cancelled() {
            tokio::select! {
                () = tokio::time::sleep(pause) => self.close_all(self.remove_expired(0)).await,
                () = ending.cancelled() => {}
            }
        }
    }

    /// An open stream; its session does not expire.
    fn track_stream<S>(&self, id: &SessionId, stream: S) -> ListenedStream<S> {
        if let Some(used) = self.used().get_mut(id) {
            used.streams += 1;
        }
        ListenedStream {
            // Counted here and not by rmcp, which counts notifications as use.
            stream: Box::pin(stream),
            id: id.clone(),
            used: Arc::clone(&self.used),
        }
    }
}

fn lock(
    used: &Mutex<HashMap<SessionId, SessionUse>>,
) -> MutexGuard<'_, HashMap<SessionId, SessionUse>> {
    used.lock().unwrap_or_else(PoisonError::into_inner)
}

type SessionError = <LocalSessionManager as SessionManager>::Error;

impl SessionManager for LimitedSessions {
    type Error = SessionError;
    type Transport = <LocalSessionManager as SessionManager>::Transport;

    async fn create_session(&self) -> Result<(SessionId, Self::Transport), SessionError> {
        // Sessions are removed before the new one exists, so that it cannot be removed itself.
        self.close_all(self.remove_expired(1)).await;
        let (id, transport) = self.sessions.create_session().await?;

        self.used().insert(
            id.clone(),
            SessionUse {
                last: Instant::now(),
                streams: 0,
            },
        );

        Ok((id, transport))
    }

    async fn initialize_session(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<ServerJsonRpcMessage, SessionError> {
        self.touch(id);
        self.sessions.initialize_session(id, message).await
    }

    async fn has_session(&self, id: &SessionId) -> Result<bool, SessionError> {
        self.touch(id);
        self.sessions.has_session(id).await
    }

    async fn close_session(&self, id: &SessionId) -> Result<(), SessionError> {
        // Removed first, so that a session that is closing takes no place.
        self.used().remove(id);
        self.sessions.close_session(id).await
    }

    async fn create_stream(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, SessionError> {
        self.touch(id);
        Ok(self.track_stream(id, self.sessions.create_stream(id, message).await?))
    }

    async fn accept_message(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<(), SessionError> {
        self.touch(id);
        self.sessions.accept_message(id, message).await
    }

    async fn create_standalone_stream(
        &self,
        id: &SessionId,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, SessionError> {
        self.touch(id);
        Ok(self.track_stream(id, self.sessions.create_standalone_stream(id).await?))
    }

    async fn resume(
        &self,
        id: &SessionId,
        last_event_id: String,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, SessionError> {
        self.touch(id);
        Ok(self.track_stream(id, self.sessions.resume(id, last_event_id).await?))
    }

    async fn restore_session(
        &self,
        _: SessionId,
    ) -> Result<RestoreOutcome<Self::Transport>, SessionError> {
        // No record is kept of a session that has ended.
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

    fn with<F: Future<Output = ()>>(
        most: usize,
        idle: Duration,
        test: impl FnOnce(Arc<LimitedSessions>) -> F,
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        runtime.block_on(test(Arc::new(LimitedSessions::new(SessionLimits {
            most,
            idle,
        }))));
    }

    /// How many there are, to us and to rmcp.
    async fn alive(sessions: &LimitedSessions) -> (usize, usize) {
        let known = sessions.used().len();
        (known, sessions.sessions.sessions.read().await.len())
    }

    #[test]
    fn least_used_session_ends_at_the_limit() {
        with(4, Duration::from_hours(1), |sessions| async move {
            let (first, _transport) = sessions.create_session().await.unwrap();
            let (second, _transport) = sessions.create_session().await.unwrap();
            let mut transports = Vec::new();
            for _ in 0..20 {
                assert!(
                    sessions.has_session(&first).await.unwrap(),
                    "it is used all the time"
                );
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
    fn an_unused_session_ends_and_one_with_a_stream_does_not() {
        with(64, SOON, |sessions| async move {
            let (unused, _transport) = sessions.create_session().await.unwrap();
            let (used, _transport) = sessions.create_session().await.unwrap();
            let stream =
                sessions.track_stream(&used, futures_util::stream::pending::<ServerSseMessage>());
            tokio::spawn(Arc::clone(&sessions).close_unused_until(CancellationToken::new()));
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
