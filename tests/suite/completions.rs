//! Completions in the shells themselves: each loads its script, and completes the names of skills, packages, agents and rules.

#![cfg(unix)]

use std::path::PathBuf;
use std::process::Command;

use crate::support::{Sandbox, assert_powershell_parses, skipped, test_tools};

/// A shell, the file of its script, and a program in its language that prints what completes each line of `LINES`.
struct ShellProgram {
    /// The program of the shell.
    name: &'static str,
    /// As `skillpm completions` takes it.
    id: &'static str,
    /// Loads the script at `$1`, and completes the words `$2`; empty where that takes more than an argument.
    program: &'static str,
}

/// What is typed, and one of the values that complete it.
const LINES: [(&str, &str); 7] = [
    ("skillpm remove rel", "release"),
    ("skillpm update commit", "commit-messages"),
    ("skillpm show writing-r", "writing-release-notes"),
    ("skillpm add releas", "release"),
    ("skillpm add release@", "release@1.0.0"),
    ("skillpm agents add claude", "claude-code"),
    ("skillpm lint --select SK40", "SK401"),
];

const SHELLS: [ShellProgram; 5] = [
    ShellProgram {
        name: "bash",
        id: "bash",
        program: r#"source "$1"; COMP_WORDS=($2); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); COMP_TYPE=9
            _clap_complete_skillpm skillpm "${COMP_WORDS[$COMP_CWORD]}" "${COMP_WORDS[$((COMP_CWORD - 1))]}"
            printf '%s\n' "${COMPREPLY[@]}""#,
    },
    ShellProgram {
        name: "zsh",
        id: "zsh",
        program: r#"autoload -U compinit; compinit -u -d "$HOME/.zcompdump"; source "$1"
            _describe() { print -rl -- "${(@)completions%%:*}" }
            words=(${=2}); CURRENT=${#words}; _clap_dynamic_completer_skillpm"#,
    },
    ShellProgram {
        name: "fish",
        id: "fish",
        program: "source $argv[1]; complete -C $argv[2] | string replace -r '\t.*' ''",
    },
    ShellProgram {
        name: "nu",
        id: "nushell",
        program: "",
    },
    ShellProgram {
        name: "elvish",
        id: "elvish",
        program: "",
    },
];

/// The program of a shell; `None` if it is not installed. That of Nushell comes from npm.
fn find_shell(name: &str) -> Option<PathBuf> {
    let from_npm = test_tools("nushell/node_modules/@nushell/linux-x64/bin/nu");
    let found = ["/usr/bin", "/bin"]
        .iter()
        .map(|dir| PathBuf::from(dir).join(name))
        .find(|path| path.exists());
    found.or_else(|| (name == "nu" && from_npm.exists()).then_some(from_npm))
}

/// Completes a line in a shell; the values, one a line.
fn complete(sandbox: &Sandbox, shell: &ShellProgram, exe: &PathBuf, line: &str) -> String {
    let script = sandbox.path(&format!("completions.{}", shell.id));
    let mut command = Command::new(exe);
    match shell.name {
        "nu" => {
            // Nushell reads a script when it parses the line that names it.
            let spans = line.split(' ').collect::<Vec<_>>().join(" ");
            let program = format!(
                "source {}; do $env.config.completions.external.completer [{spans}] | get value | to text",
                script.display()
            );
            command.args(["-n", "-c", &program]);
        }
        "elvish" => {
            let driver = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/suite/support/elvish.py");
            command = Command::new("python3");
            command.arg(driver).arg(exe).arg(&script).arg(line);
        }
        "fish" => {
            command.args(["-N", "-c", shell.program, "--"]);
            command.arg(&script).arg(line);
        }
        "zsh" => {
            command.args(["-f", "-c", shell.program, "zsh"]);
            command.arg(&script).arg(line);
        }
        _ => {
            command.args(["-c", shell.program, "bash"]);
            command.arg(&script).arg(line);
        }
    }

    let exe = PathBuf::from(env!("CARGO_BIN_EXE_skillpm"));
    let path = format!("{}:/usr/bin:/bin", exe.parent().unwrap().display());
    let output = command
        .env_clear()
        .env("PATH", path)
        .env("HOME", sandbox.path("~/"))
        .current_dir(sandbox.path("."))
        .output()
        .unwrap();
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    let failed = String::from_utf8_lossy(&output.stderr);
    assert!(failed.is_empty(), "{}: {line}: {failed}", shell.name);
    printed
}

#[test]
fn shells_complete_values() {
    let sandbox = Sandbox::new();
    sandbox.skillpm("add release").exits(0);
    let mut absent = Vec::new();
    for shell in &SHELLS {
        let printed = sandbox
            .skillpm(format!("completions {}", shell.id))
            .exits(0);
        sandbox.write(&format!("completions.{}", shell.id), printed.stdout_text());
        let Some(exe) = find_shell(shell.name) else {
            absent.push(shell.name);
            continue;
        };

        let snapshot = sandbox.snapshot();
        for (line, value) in LINES {
            let values = complete(&sandbox, shell, &exe, line);
            assert!(
                values.lines().any(|found| found.trim() == value),
                "{}: `{line}` gives {values:?}",
                shell.name
            );
        }
        // Each asks without changing anything in the project.
        if shell.name != "zsh" {
            snapshot.still_holds();
        }
    }
    if !absent.is_empty() {
        skipped(&format!("not installed: {}", absent.join(", ")));
    }
}

#[test]
fn scripts_of_all_shells_are_printed() {
    let sandbox = Sandbox::new();
    for shell in ["bash", "elvish", "fish", "nushell", "powershell", "zsh"] {
        sandbox
            .skillpm(format!("completions {shell}"))
            .exits(0)
            .stdout_has("SKILLPM_COMPLETE");
    }
    // No package of PowerShell is in the registries that CI reaches.
    let powershell = sandbox.skillpm("completions powershell").exits(0);
    assert_powershell_parses(powershell.stdout_text());
    sandbox
        .skillpm("completions tcsh")
        .exits(2)
        .stderr_has("possible values: bash, elvish, fish, nushell, powershell, zsh");
}

#[test]
fn unreadable_project_completes_nothing_and_says_nothing() {
    let sandbox = Sandbox::new();
    sandbox.write("skillpm.toml", "[dependencies\n");
    let run = sandbox
        .skillpm("-- skillpm remove x")
        .env("SKILLPM_COMPLETE", "fish")
        .exits(0);
    run.stdout("").stderr("");
    // Names of agents need no project.
    sandbox
        .skillpm("-- skillpm agents add claude-c")
        .env("SKILLPM_COMPLETE", "fish")
        .exits(0)
        .stdout("claude-code\tClaude Code\n");
    // An empty variable counts as unset.
    sandbox
        .skillpm("--version")
        .env("SKILLPM_COMPLETE", "")
        .exits(0)
        .stdout_has("skillpm 0.1.0");
}
