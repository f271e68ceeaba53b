//! Another program, asked one question: text to its stdin, its answer from its stdout.

use std::fmt;
use std::io::{ErrorKind, Read, Write};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};

use crate::error::{Error, Result};

/// Longest answer, in bytes.
const ANSWER_MAX: u64 = 64 << 10;
/// How often it is looked whether it has ended.
const PAUSE: Duration = Duration::from_millis(10);

/// A program with its arguments, and all that it may see of the environment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program {
    /// Its name or path, then its arguments; not empty.
    pub command: Vec<String>,
    /// The environment it is run in.
    pub environment: Vec<(String, String)>,
}

impl Program {
    /// Runs it, gives it `question`, and waits at most `patience` for its answer. What it says on stderr is not heard.
    ///
    /// # Errors
    /// If it cannot be started, does not end in time, ends with another code than 0, or says too much. None of them
    /// shows what was asked or answered.
    pub fn ask(&self, question: &[u8], patience: Duration) -> Result<Vec<u8>> {
        let failed =
            |why: String| Error::network(format!("`{}` gave no answer", self.name().escape_debug())).cause(why);
        let (status, bytes) = self.hear(question, patience).map_err(|silence| failed(silence.to_string()))?;
        if !status.success() {
            return Err(failed(format!("it ended with {status}")));
        }
        Ok(bytes)
    }

    /// The same of one whose answer counts however it ends.
    ///
    /// # Errors
    /// If it cannot be started, does not end in time, or says too much.
    pub fn hear(&self, question: &[u8], patience: Duration) -> std::result::Result<(ExitStatus, Vec<u8>), Silence> {
        let mut child = Command::new(self.name())
            .args(self.command.iter().skip(1))
            .env_clear()
            .envs(self.environment.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| match error.kind() {
                ErrorKind::NotFound => Silence::Missing,
                _ => Silence::Other(format!("it could not be started: {error}")),
            })?;
        let answer = converse(&mut child, question);
        let deadline = Instant::now() + patience;
        let Some(status) = wait(&mut child, deadline) else {
            let _ = child.kill();
            let _ = child.wait();
            return Err(Silence::Other(format!("it did not end within {} s", patience.as_secs())));
        };
        // It has ended; who still holds its stdout is a program of its own, and not waited for longer.
        let left = deadline.saturating_duration_since(Instant::now());
        let bytes = answer.recv_timeout(left).map_err(|_| Silence::Other("its output did not end".to_owned()))?;
        // Before how it ended: one that says too much may have ended because nobody heard the rest.
        if bytes.len() as u64 > ANSWER_MAX {
            return Err(Silence::Other(format!("it said more than {ANSWER_MAX} bytes")));
        }
        Ok((status, bytes))
    }

    fn name(&self) -> &str {
        self.command.first().map_or("", String::as_str)
    }
}

/// Why a program gave no answer at all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Silence {
    /// There is no such program.
    Missing,
    /// Whatever else; in words.
    Other(String),
}

impl fmt::Display for Silence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Silence::Missing => f.write_str("it could not be started: there is no such program"),
            Silence::Other(why) => f.write_str(why),
        }
    }
}

/// Writes the question and reads the answer, each in a thread, so that neither waits for the other.
fn converse(child: &mut Child, question: &[u8]) -> Receiver<Vec<u8>> {
    let (sender, receiver) = mpsc::channel();
    let (stdin, stdout) = (child.stdin.take(), child.stdout.take());
    let question = question.to_vec();
    // A program that does not read its question is judged by its answer.
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

fn wait(child: &mut Child, deadline: Instant) -> Option<ExitStatus> {
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Some(status),
            Ok(None) if Instant::now() < deadline => thread::sleep(PAUSE),
            _ => return None,
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn shell(script: &str) -> Program {
        Program {
            command: ["/bin/sh", "-c", script].map(str::to_owned).to_vec(),
            environment: vec![("GREETING".into(), "hello".into())],
        }
    }

    #[test]
    fn it_is_asked_on_stdin_and_sees_only_its_own_environment() {
        let answer = shell("read -r line; echo \"$GREETING $line $HOME\"").ask(b"there\n", Duration::from_secs(20));
        assert_eq!(String::from_utf8(answer.unwrap()).unwrap(), "hello there \n");
    }

    #[test]
    fn it_must_end_well_and_in_time_and_say_little() {
        for (script, patience, why) in [
            ("exit 3", 20, "exit status: 3"),
            ("exec sleep 60", 0, "within 0 s"),
            ("head -c 100000 /dev/zero", 20, "more than"),
        ] {
            let error = shell(script).ask(b"", Duration::from_secs(patience)).unwrap_err();
            assert!(error.causes()[0].contains(why), "{error:?}");
        }
        let error = Program { command: vec!["/nowhere".into()], environment: Vec::new() }.ask(b"", Duration::ZERO);
        assert!(error.unwrap_err().causes()[0].contains("could not be started"));
    }
}
