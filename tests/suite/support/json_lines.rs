//! A client in another language: it reads a question as a line of JSON, and writes its answer as another.

use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::Value;

use super::{skipped, test_tools};

/// A client that runs; ended with the test.
pub(crate) struct JsonLinesClient {
    child: Child,
    questions: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl JsonLinesClient {
    /// Starts it.
    pub(crate) fn start(command: &mut Command) -> Self {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let (questions, answers) = (
            child.stdin.take().unwrap(),
            BufReader::new(child.stdout.take().unwrap()),
        );
        JsonLinesClient {
            child,
            questions,
            answers,
        }
    }

    /// Sends a question, and waits for its answer.
    pub(crate) fn ask(&mut self, question: &Value) -> Value {
        writeln!(self.questions, "{question}").unwrap();
        let mut line = String::new();
        self.answers.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap_or_else(|_| panic!("no answer to {question}: {line}"))
    }
}

impl Drop for JsonLinesClient {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The Python of a tool that `.ci/run` installs; `None`, and a skipped test, without it.
///
/// `SKILLPM_TEST_TOOL` names another one, with `_` for `-`: `SKILLPM_TEST_SKILLS_REF`.
pub(crate) fn find_python(tool: &str, packages: &str) -> Option<PathBuf> {
    let variable = format!("SKILLPM_TEST_{}", tool.to_uppercase().replace('-', "_"));
    let named = std::env::var_os(&variable).map(PathBuf::from);
    let python = named.unwrap_or_else(|| test_tools(tool).join("bin/python"));
    if !python.exists() {
        skipped(&format!(
            "there is no {packages} of Python; `.ci/run` brings it, or `{variable}` names a python that has it"
        ));
        return None;
    }
    Some(python)
}
