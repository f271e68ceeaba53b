//! The one thread on which the network's futures run: whoever waits for one drives it.

use tokio::runtime::Builder;

use crate::error::{Context, Result};

/// A runtime that uses no thread but the one that waits.
pub(super) struct Runtime {
    /// `None` only while it is being dropped.
    inner: Option<tokio::runtime::Runtime>,
}

impl Runtime {
    pub(super) fn start() -> Result<Runtime> {
        let inner = Builder::new_current_thread().enable_all().build();
        Ok(Runtime { inner: Some(inner.context(|| "could not start the network runtime".into())?) })
    }

    pub(super) fn block_on<F: Future>(&self, future: F) -> F::Output {
        self.inner.as_ref().expect("the runtime lives until it is dropped").block_on(future)
    }
}

impl Drop for Runtime {
    fn drop(&mut self) {
        // A name lookup that hangs must not hold up the end of the program.
        if let Some(runtime) = self.inner.take() {
            runtime.shutdown_background();
        }
    }
}
