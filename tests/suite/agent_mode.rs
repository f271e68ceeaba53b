//! What is printed for an agent that runs the program.

use serde_json::Value;

use crate::support::Sandbox;

/// Variables of agents, each with a value that turns the mode on.
const VARIABLES: [(&str, &str); 5] = [
    ("CLAUDECODE", "1"),
    ("AGENT", "goose"),
    ("AI_AGENT", "devin@1"),
    ("GEMINI_CLI", "1"),
    ("CODEX_SANDBOX", "seatbelt"),
];

fn error_of(stderr: &str) -> Value {
    serde_json::from_str(stderr.trim()).unwrap_or_else(|_| panic!("{stderr}"))
}

#[test]
fn error_is_one_json_line_with_its_code() {
    let sandbox = Sandbox::new();
    let flagged = sandbox.skillpm("remove pdf --agent-mode").exits(2);
    let error = error_of(flagged.stderr_text());
    assert_eq!(error["type"], "error");
    assert_eq!(error["exit_code"], 2);
    assert_eq!(error["kind"], "usage");

    for (name, value) in VARIABLES {
        let run = sandbox.skillpm("remove pdf").env(name, value).exits(2);
        assert_eq!(error_of(run.stderr_text()), error, "{name}");
    }
    // Unset, empty or turned off: for people.
    sandbox
        .skillpm("remove pdf")
        .env("CLAUDECODE", "")
        .exits(2)
        .stderr_has("error: could not find");
    sandbox
        .skillpm("remove pdf --agent-mode=never")
        .env("CLAUDECODE", "1")
        .exits(2)
        .stderr_has("error: could not find");
}

#[test]
fn results_are_printed_and_progress_is_not() {
    let sandbox = Sandbox::new();
    let run = sandbox.skillpm("add release --agent-mode").exits(0);
    run.never_prints("Fetching");
    run.stderr_has("   Installed release 1.0.0\n");
    // The answer of a command is the same.
    let people = sandbox.skillpm("list").exits(0);
    sandbox
        .skillpm("list")
        .env("CLAUDECODE", "1")
        .exits(0)
        .stdout(people.stdout_text());
}
