//! The official validator, and what it said when it was asked.

use std::io::Write as _;
use std::process::{Command, Stdio};

use regex::Regex;
use serde_json::Value;

use crate::support::find_python;

/// What a validator says of a skill: its messages, none if it is valid.
pub(super) type Verdict = Vec<String>;

/// How messages begin where the official validator fails: as the oracle tells it, and as we do.
const CRASHES: [&str; 2] = ["crash ", "the validator fails"];

/// Asks the official validator, all questions at once. Without it on this machine, says that the test is skipped.
pub(super) fn ask(questions: &[Value]) -> Option<Vec<Verdict>> {
    let python = find_python("skills-ref", "`skills-ref`")?;
    let mut child = Command::new(python)
        .arg("tests/fixtures/validate/oracle.py")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let lines: String = questions
        .iter()
        .map(|question| format!("{question}\n"))
        .collect();
    let writing = std::thread::spawn(move || stdin.write_all(lines.as_bytes()));
    let output = child.wait_with_output().unwrap();
    writing.join().unwrap().unwrap();
    assert!(output.status.success());
    let answers: Vec<Verdict> = String::from_utf8(output.stdout)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(answers.len(), questions.len());
    Some(answers)
}

/// A verdict as it is recorded: `ok`, or `no` and the first message, or `no` and nothing where the validator fails.
pub(super) fn recorded(verdict: &[String]) -> String {
    match verdict.first() {
        None => "ok".to_owned(),
        Some(message) if CRASHES.iter().any(|crash| message.starts_with(crash)) => "no".to_owned(),
        Some(message) => format!("no {}", shown(message)),
    }
}

/// The beginning of a message, with a dot for each character that is hidden, or that we show as its number.
fn shown(message: &str) -> String {
    let numbers = Regex::new(r"\\u\{[0-9a-f]+\}").unwrap();
    let message = numbers.replace_all(message, "\u{7f}");
    let is_plain = |c: char| c == ' ' || c.is_ascii_graphic() || c.is_alphanumeric();
    message
        .chars()
        .take(160)
        .map(|c| if is_plain(c) { c } else { '\u{b7}' })
        .collect()
}
