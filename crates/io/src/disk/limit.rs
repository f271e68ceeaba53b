//! Limits that the system sets to a process.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Has a file that grows beyond what is allowed (`ulimit -f`) fail to be written, as on a disk that is full, where it would
/// end the process without a word.
pub fn outlive_large_files() {
    let signal = rustix::process::Signal::XFSZ.as_raw();
    // Without it, it is as it was.
    let _ = signal_hook::flag::register(signal, Arc::new(AtomicBool::new(false)));
}
