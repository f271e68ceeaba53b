//! Stdout as the transport to a client, which records the first write error: the server library ends silently then.

use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};

use tokio::io::AsyncWrite;

/// The first failure of a writer.
#[derive(Debug, Clone, Default)]
pub(super) struct WriteFailure(Arc<Mutex<Option<io::Error>>>);

impl WriteFailure {
    /// Wraps a writer, and records its first failure here.
    pub(super) fn watch<W>(&self, writer: W) -> WatchedWriter<W> {
        WatchedWriter {
            writer,
            failure: self.clone(),
        }
    }

    /// The failure, if there was one.
    ///
    /// # Errors
    /// If a write failed for another reason than a closed pipe.
    pub(super) fn check(&self) -> io::Result<()> {
        // A closed pipe is no failure, as for every other command.
        match self.0.lock().unwrap_or_else(PoisonError::into_inner).take() {
            Some(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error),
            _ => Ok(()),
        }
    }

    fn record<T>(&self, outcome: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if let Poll::Ready(Err(error)) = &outcome {
            // io::Error cannot be cloned, so one of the same code is made.
            let same = error
                .raw_os_error()
                .map_or_else(|| error.kind().into(), io::Error::from_raw_os_error);
            self.0
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                // The first failure is the cause; those after it follow from it.
                .get_or_insert(same);
        }

        outcome
    }
}

/// A writer whose first failure is recorded.
pub(super) struct WatchedWriter<W> {
    writer: W,
    failure: WriteFailure,
}

impl<W: AsyncWrite + Unpin> AsyncWrite for WatchedWriter<W> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let outcome = Pin::new(&mut self.writer).poll_write(context, bytes);
        self.failure.record(outcome)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let outcome = Pin::new(&mut self.writer).poll_flush(context);
        self.failure.record(outcome)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let outcome = Pin::new(&mut self.writer).poll_shutdown(context);
        self.failure.record(outcome)
    }
}
