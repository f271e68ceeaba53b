//! Signals and process groups.

use std::io;
use std::os::unix::process::CommandExt as _;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use rustix::process::Signal;
use tokio::signal::unix::{SignalKind, signal};

#[cfg(debug_assertions)]
use crate::platform::FailpointAction;

/// Termination signals, received from the moment this is created.
#[derive(Debug)]
pub struct ShutdownSignals {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
}

impl ShutdownSignals {
    /// Registers for them; called within the runtime of tokio.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn register() -> io::Result<ShutdownSignals> {
        Ok(ShutdownSignals {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
        })
    }

    /// Waits for the first one.
    pub async fn wait(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
    }
}

/// Starts the command in a process group of its own, which the signals of the terminal do not reach.
pub(crate) fn detach_from_terminal(command: &mut Command) {
    command.process_group(0);
}

/// Ignores `SIGXFSZ`, so that a write beyond the file size limit (`ulimit -f`) fails like one on a full disk,
/// instead of killing the process without a message.
pub(crate) fn ignore_file_size_signal() {
    // If it fails, the default action stays.
    let _ = signal_hook::flag::register(Signal::XFSZ.as_raw(), Arc::new(AtomicBool::new(false)));
}

/// Does what a failpoint wants.
#[cfg(debug_assertions)]
pub(crate) fn run_failpoint(action: FailpointAction) -> io::Result<()> {
    use rustix::io::Errno;
    use rustix::process::{getpid, kill_process};
    let signal = match action {
        FailpointAction::Kill => Signal::KILL,
        FailpointAction::Stop => Signal::STOP,
        FailpointAction::Fail => return Err(Errno::IO.into()),
        FailpointAction::ReportFull => return Err(Errno::NOSPC.into()),
    };
    Ok(kill_process(getpid(), signal)?)
}
