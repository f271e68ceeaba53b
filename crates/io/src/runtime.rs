//! The single-threaded runtime of network futures: the thread that waits for a future drives it.

use tokio::runtime::Builder;

use skillpm_core::error::{ErrorContext, Result};

/// A runtime that uses only the waiting thread.
pub(super) struct NetworkRuntime {
    /// `None` only while it is being dropped.
    inner: Option<tokio::runtime::Runtime>,
}

impl NetworkRuntime {
    pub(super) fn start() -> Result<NetworkRuntime> {
        let inner = Builder::new_current_thread().enable_all().build();
        Ok(NetworkRuntime {
            inner: Some(inner.context(|| "failed to start the network runtime".into())?),
        })
    }

    pub(super) fn block_on<F: Future>(&self, future: F) -> F::Output {
        self.inner
            .as_ref()
            .expect("the runtime lives until it is dropped")
            .block_on(future)
    }
}

impl Drop for NetworkRuntime {
    fn drop(&mut self) {
        // A hanging name lookup must not delay the end of the program.
        if let Some(runtime) = self.inner.take() {
            runtime.shutdown_background();
        }
    }
}
