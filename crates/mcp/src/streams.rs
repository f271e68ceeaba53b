//! Event streams: how many may be open, of one session and of all.
//!
//! A stream of notifications has a connection of its own for as long as its client listens. Without limits of their own, the
//! streams of one client would be all the connections that there are.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Maximum numbers of event streams.
#[derive(Debug, Clone, Copy)]
pub(super) struct StreamLimits {
    /// Most at once.
    pub most: usize,
    /// Most of one session.
    pub of_session: usize,
}

/// The event streams that are open.
#[derive(Debug)]
pub(super) struct OpenStreams {
    limits: StreamLimits,
    counts: Mutex<StreamCounts>,
}

#[derive(Debug, Default)]
struct StreamCounts {
    all: usize,
    /// By session, only those with a stream.
    by_session: HashMap<String, usize>,
}

/// An open stream; dropped with it.
#[derive(Debug)]
pub(super) struct StreamPermit {
    streams: Arc<OpenStreams>,
    session: Option<String>,
}

impl OpenStreams {
    pub(super) fn new(limits: StreamLimits) -> Arc<Self> {
        Arc::new(OpenStreams {
            limits,
            counts: Mutex::default(),
        })
    }

    fn counts(&self) -> MutexGuard<'_, StreamCounts> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts a new stream, of a session if it has one.
    ///
    /// # Errors
    /// If there are too many; the text says which limit it is.
    pub(super) fn open(self: &Arc<Self>, session: Option<&str>) -> Result<StreamPermit, String> {
        let StreamLimits { most, of_session } = self.limits;
        let mut counts = self.counts();

        if counts.all >= most {
            return Err(format!(
                "too many event streams: the limit is {most} (`serve.max-streams`)"
            ));
        }
        if let Some(session) = session {
            let count = counts.by_session.entry(session.to_owned()).or_default();
            if *count >= of_session {
                return Err(format!(
                    "too many event streams of one session: the limit is {of_session} (`serve.max-session-streams`)"
                ));
            }
            *count += 1;
        }
        counts.all += 1;

        Ok(StreamPermit {
            streams: Arc::clone(self),
            session: session.map(str::to_owned),
        })
    }
}

impl Drop for StreamPermit {
    fn drop(&mut self) {
        let mut counts = self.streams.counts();
        counts.all = counts.all.saturating_sub(1);

        let Some(session) = &self.session else {
            return;
        };
        if let Some(count) = counts.by_session.get_mut(session) {
            *count = count.saturating_sub(1);
            if *count == 0 {
                counts.by_session.remove(session);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_are_limited_by_session_and_in_all_and_free_their_place() {
        let streams = OpenStreams::new(StreamLimits {
            most: 3,
            of_session: 2,
        });
        let first = streams.open(Some("a")).unwrap();
        let _second = streams.open(Some("a")).unwrap();
        assert!(streams.open(Some("a")).unwrap_err().contains("one session"));
        let third = streams.open(None).unwrap();
        assert!(streams.open(Some("b")).unwrap_err().contains("is 3"));

        drop(first);
        drop(streams.open(Some("a")).unwrap());
        drop(third);
        let _other = streams.open(Some("b")).unwrap();
        assert_eq!(streams.counts().by_session.len(), 2);
    }
}
