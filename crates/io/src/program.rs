//! Runs another program once: the request on its stdin, the response from its stdout.

use std::fmt;
use std::io::{ErrorKind, Read, Write};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};

use skillpm_core::error::{Error, Result};

/// Largest output, in bytes.
const ANSWER_MAX: u64 = 64 << 10;
/// How often the program is checked for its end.
const POLL_INTERVAL: Duration = Duration::from_millis(10);

/// A program with its arguments and its whole environment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExternalProgram {
    /// Its name or path, then its arguments; not empty.
    pub command: Vec<String>,
    /// The environment it is run in.
    pub environment: Vec<(String, String)>,
}

impl ExternalProgram {
    /// Runs it with `question` on stdin, and waits at most `timeout` for its output. Its stderr is discarded.
    ///
    /// # Errors
    /// If it cannot be started, does not end in time, exits with another code than 0, or writes too much. None
    /// of the errors shows its input or output.
    pub fn query(&self, question: &[u8], timeout: Duration) -> Result<Vec<u8>> {
        let failed = |why: String| {
            Error::network(format!("failed to run `{}`", self.name().escape_debug())).cause(why)
        };
        let (status, bytes) = self
            .run(question, timeout)
            .map_err(|failure| failed(failure.to_string()))?;

        if !status.success() {
            return Err(failed(format!(
                "the program did not exit successfully ({status})"
            )));
        }
        Ok(bytes)
    }

    /// Runs it like [`ExternalProgram::query`], and returns the output whatever the exit status is.
    ///
    /// # Errors
    /// If it cannot be started, does not end in time, or writes too much.
    pub fn run(
        &self,
        question: &[u8],
        timeout: Duration,
    ) -> std::result::Result<(ExitStatus, Vec<u8>), ProgramFailure> {
        let mut child = self.start()?;
        let answer = pipe_stdio(&mut child, question);
        let deadline = Instant::now() + timeout;
        let Some(status) = wait_until(&mut child, deadline) else {
            // Killed and waited for, so that no zombie process is left.
            let _ = child.kill();
            let _ = child.wait();
            return Err(ProgramFailure::Other(format!(
                "timed out after {} s",
                timeout.as_secs()
            )));
        };

        // It has ended; a child of it that keeps stdout open is not waited for beyond the deadline.
        let left = deadline.saturating_duration_since(Instant::now());
        let bytes = answer
            .recv_timeout(left)
            .map_err(|_| ProgramFailure::Other("timed out while reading its output".to_owned()))?;

        // Checked before the exit status: a program that writes too much may fail on its closed stdout.
        if bytes.len() as u64 > ANSWER_MAX {
            return Err(ProgramFailure::Other(format!(
                "its output is larger than {ANSWER_MAX} bytes"
            )));
        }

        Ok((status, bytes))
    }

    fn start(&self) -> std::result::Result<Child, ProgramFailure> {
        Command::new(self.name())
            .args(self.command.iter().skip(1))
            // The caller decides what it may know: our environment has the tokens of other services.
            .env_clear()
            .envs(self.environment.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            // What it prints may quote a secret.
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| match error.kind() {
                ErrorKind::NotFound => ProgramFailure::Missing,
                _ => ProgramFailure::Other(format!("failed to start: {error}")),
            })
    }

    fn name(&self) -> &str {
        self.command.first().map_or("", String::as_str)
    }
}

/// Why a program returned no output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProgramFailure {
    /// There is no such program.
    Missing,
    /// Any other failure, in words.
    Other(String),
}

impl fmt::Display for ProgramFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ProgramFailure::Missing => f.write_str("failed to start: program not found"),
            ProgramFailure::Other(why) => f.write_str(why),
        }
    }
}

/// Writes stdin and reads stdout, each in a thread, so that neither blocks the other.
fn pipe_stdio(child: &mut Child, question: &[u8]) -> Receiver<Vec<u8>> {
    let (sender, receiver) = mpsc::channel();
    let (stdin, stdout) = (child.stdin.take(), child.stdout.take());
    let question = question.to_vec();

    // A program may ignore its stdin; only its output counts.
    thread::spawn(move || stdin.map(|mut stdin| stdin.write_all(&question)));
    thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(stdout) = stdout {
            let _ = stdout.take(ANSWER_MAX + 1).read_to_end(&mut bytes);
        }
        let _ = sender.send(bytes);
    });
    receiver
}

fn wait_until(child: &mut Child, deadline: Instant) -> Option<ExitStatus> {
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Some(status),
            Ok(None) if Instant::now() < deadline => thread::sleep(POLL_INTERVAL),
            _ => return None,
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn shell(script: &str) -> ExternalProgram {
        ExternalProgram {
            command: ["/bin/sh", "-c", script].map(str::to_owned).to_vec(),
            environment: vec![("GREETING".into(), "hello".into())],
        }
    }

    #[test]
    fn program_reads_stdin_and_gets_only_the_given_environment() {
        let answer = shell("read -r line; echo \"$GREETING $line $HOME\"")
            .query(b"there\n", Duration::from_secs(20));
        assert_eq!(
            String::from_utf8(answer.unwrap()).unwrap(),
            "hello there \n"
        );
    }

    #[test]
    fn program_must_succeed_in_time_with_bounded_output() {
        for (script, timeout, why) in [
            ("exit 3", 20, "exit status: 3"),
            ("exec sleep 60", 0, "after 0 s"),
            ("head -c 100000 /dev/zero", 20, "larger than"),
        ] {
            let error = shell(script)
                .query(b"", Duration::from_secs(timeout))
                .unwrap_err();
            assert!(error.causes()[0].contains(why), "{error:?}");
        }
        let error = ExternalProgram {
            command: vec!["/nowhere".into()],
            environment: Vec::new(),
        }
        .query(b"", Duration::ZERO);
        assert!(error.unwrap_err().causes()[0].contains("failed to start"));
    }
}
