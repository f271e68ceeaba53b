//! Resource limits of the process.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Ignores `SIGXFSZ`, so that a write beyond the file size limit (`ulimit -f`) fails like one on a full disk,
/// instead of killing the process without a message.
pub fn ignore_file_size_signal() {
    let signal = rustix::process::Signal::XFSZ.as_raw();
    // If it fails, the default action stays.
    let _ = signal_hook::flag::register(signal, Arc::new(AtomicBool::new(false)));
}
