//! Scripts of PowerShell, which is on none of the machines that run the tests.

use std::io::Write as _;
use std::process::{Command, Stdio};

use super::find_python;

/// Fails unless a parser accepts a script; skipped without that parser.
#[track_caller]
pub(crate) fn assert_powershell_parses(script: &str) {
    let Some(python) = find_python("packaging", "parser of PowerShell") else {
        return;
    };
    let mut parser = Command::new(python)
        .args(["-c", include_str!("powershell.py")])
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = parser.stdin.take().unwrap();
    stdin.write_all(script.as_bytes()).unwrap();
    drop(stdin);

    let output = parser.wait_with_output().unwrap();
    let faults = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{faults}\n{script}");
}
