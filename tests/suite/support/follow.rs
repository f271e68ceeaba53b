//! A run that goes on, read line by line while it does.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ExitStatus};
use std::sync::mpsc::{self, Receiver};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::Run;

/// Far longer than any line takes to come.
const PATIENCE: Duration = Duration::from_secs(30);

/// A run that goes on; ended with the test.
pub(crate) struct Following {
    child: Child,
    lines: Receiver<String>,
}

impl Run<'_> {
    /// Starts it, to be read while it goes on. Its stderr is not read.
    pub(crate) fn follow(self) -> Following {
        let mut child = self
            .command()
            .stderr(std::process::Stdio::null())
            .spawn()
            .unwrap();
        let out = BufReader::new(child.stdout.take().unwrap());
        let (sender, lines) = mpsc::channel();
        std::thread::spawn(move || {
            out.lines()
                .map_while(Result::ok)
                .try_for_each(|line| sender.send(line))
        });
        Following { child, lines }
    }
}

impl Following {
    /// The next line.
    #[track_caller]
    pub(crate) fn line(&self) -> String {
        match self.lines.recv_timeout(PATIENCE) {
            Ok(line) => line,
            Err(error) => panic!("there is no further line: {error}"),
        }
    }

    /// The next line, which is a JSON object.
    #[track_caller]
    pub(crate) fn object(&self) -> Value {
        serde_json::from_str(&self.line()).unwrap()
    }

    /// Gives it a line to read.
    pub(crate) fn say(&mut self, line: &str) {
        let stdin = self.child.stdin.as_mut().unwrap();
        writeln!(stdin, "{line}").unwrap();
        stdin.flush().unwrap();
    }

    /// Gives it nothing more to read.
    pub(crate) fn hang_up(&mut self) {
        self.child.stdin = None;
    }

    /// Asks it to end, as systems do (SIGTERM).
    #[cfg(unix)]
    pub(crate) fn terminate(&self) {
        let sent = std::process::Command::new("kill")
            .arg("-TERM")
            .arg(self.child.id().to_string())
            .status()
            .unwrap();
        assert!(sent.success());
    }

    /// Fails if a line comes within that time.
    #[track_caller]
    pub(crate) fn is_silent(&self, time: Duration) {
        let line = self.lines.recv_timeout(time);
        assert!(line.is_err(), "{line:?} should not have been told");
    }

    /// Whether it has ended by itself.
    pub(crate) fn has_ended(&mut self) -> bool {
        self.child.try_wait().unwrap().is_some()
    }

    /// Waits for its end by itself.
    #[track_caller]
    pub(crate) fn ends(mut self) -> ExitStatus {
        let start = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status;
            }
            assert!(start.elapsed() < PATIENCE, "it goes on and on");
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Reads no further: the pipe is closed.
    pub(crate) fn stop_reading(&mut self) {
        // The thread ends with the next line, and its end of the pipe with it.
        self.lines = mpsc::channel().1;
    }
}

impl Drop for Following {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
