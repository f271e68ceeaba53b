//! The programs in `examples/`, which use skillpm as a library.

use std::path::PathBuf;
use std::process::Command;

use crate::support::{Sandbox, skipped};

/// An example, as `cargo test` has built it beside the program; `None` if only the suite was built.
fn example(sandbox: &Sandbox, name: &str) -> Option<Command> {
    let program = PathBuf::from(env!("CARGO_BIN_EXE_skillpm"));
    let path = program.parent()?.join("examples").join(name);
    if !path.exists() {
        skipped("the examples were not built");
        return None;
    }

    let mut command = Command::new(path);
    command
        .env_clear()
        .env("HOME", sandbox.path("~/"))
        .current_dir(sandbox.path("."));
    Some(command)
}

fn run(mut command: Command) -> (bool, String) {
    let output = command.output().unwrap();
    (
        output.status.success(),
        String::from_utf8(output.stdout).unwrap(),
    )
}

#[test]
fn skills_are_listed_for_a_prompt() {
    let sandbox = Sandbox::new();
    sandbox.skillpm("add release").exits(0);
    let Some(mut command) = example(&sandbox, "list_skills") else {
        return;
    };
    command.args([".", "codex"]);
    let (success, printed) = run(command);
    assert!(
        success && printed.contains("\n- release: Takes a software project"),
        "{printed}"
    );
    assert_eq!(printed.lines().count(), 5);
}

#[test]
fn skill_is_enabled() {
    let sandbox = Sandbox::new();
    sandbox.skillpm("add release").exits(0);
    for (name, success, text) in [
        ("release", true, "references/version-choice.md"),
        ("relaese", false, "did you mean `release`?"),
    ] {
        let Some(mut command) = example(&sandbox, "enable_skill") else {
            return;
        };
        command.args([".", name]);
        let (ended, printed) = run(command);
        assert!(ended == success && printed.contains(text), "{printed}");
    }
}

#[test]
fn added_skill_is_seen_by_a_watching_program() {
    let sandbox = Sandbox::new();
    sandbox.skillpm("add release").exits(0);
    let Some(mut command) = example(&sandbox, "watch_skills") else {
        return;
    };
    command
        .args([".", "1"])
        .stdout(std::process::Stdio::piped());
    let mut watching = command.spawn().unwrap();
    let mut printed = String::new();
    let mut lines = std::io::BufReader::new(watching.stdout.take().unwrap());
    std::io::BufRead::read_line(&mut lines, &mut printed).unwrap();
    assert_eq!(printed, "watching\n");

    // Until the directories are watched, a change might not be seen: it is made again.
    let mut seen = String::new();
    let reader = std::thread::spawn(move || {
        std::io::Read::read_to_string(&mut lines, &mut seen).unwrap();
        seen
    });
    for attempt in 0.. {
        if reader.is_finished() {
            break;
        }
        sandbox.write_skill(".agents/skills/pdf", &format!("Reads PDF, {attempt}."));
        std::thread::sleep(std::time::Duration::from_millis(500));
    }
    assert!(watching.wait().unwrap().success());
    assert!(reader.join().unwrap().contains(" pdf\n"));
}
