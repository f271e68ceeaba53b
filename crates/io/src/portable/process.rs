//! Ctrl-C and process groups.

use std::io;
use std::process::Command;

#[cfg(debug_assertions)]
use crate::platform::FailpointAction;

/// Termination signals, received from the moment this is created: Ctrl-C.
#[derive(Debug)]
pub struct ShutdownSignals {
    interrupt: tokio::task::JoinHandle<io::Result<()>>,
}

impl ShutdownSignals {
    /// Registers for them; called within the runtime of tokio.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn register() -> io::Result<ShutdownSignals> {
        Ok(ShutdownSignals {
            interrupt: tokio::spawn(tokio::signal::ctrl_c()),
        })
    }

    /// Waits for the first one.
    pub async fn wait(&mut self) {
        match (&mut self.interrupt).await {
            Ok(Ok(())) => {}
            // There will be none; the server ends with its client.
            _ => std::future::pending().await,
        }
    }
}

/// Starts the command in a process group of its own, which Ctrl-C does not reach.
#[cfg(windows)]
pub(crate) fn detach_from_terminal(command: &mut Command) {
    use std::os::windows::process::CommandExt as _;
    const CREATE_NEW_PROCESS_GROUP: u32 = 0x0000_0200;
    command.creation_flags(CREATE_NEW_PROCESS_GROUP);
}

#[cfg(not(windows))]
pub(crate) fn detach_from_terminal(_: &mut Command) {}

/// Does nothing: only Unix has that signal.
pub(crate) fn ignore_file_size_signal() {}

/// Does what a failpoint wants: stopping by the program `kill`, which only Unix has.
#[cfg(debug_assertions)]
pub(crate) fn run_failpoint(action: FailpointAction) -> io::Result<()> {
    match action {
        // Nothing is cleaned up, as with a kill from outside.
        FailpointAction::Kill if cfg!(windows) => std::process::abort(),
        FailpointAction::Kill => send_signal("-KILL"),
        FailpointAction::Stop => send_signal("-STOP"),
        FailpointAction::Fail => Err(io::Error::other("a test wanted this")),
        FailpointAction::ReportFull => Err(io::ErrorKind::StorageFull.into()),
    }
}

#[cfg(debug_assertions)]
fn send_signal(signal: &str) -> io::Result<()> {
    let id = std::process::id().to_string();
    Command::new("kill").args([signal, &id]).status().map(drop)
}
