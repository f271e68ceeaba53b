//! What CI runs: the actions, the component for GitLab, the hooks of pre-commit, the presets of Renovate, and the script that
//! proposes updates. Each is run as its host runs it, as far as that is possible on one machine.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

use crate::names::root;
use crate::packaging::find_tool;
use crate::support::{Sandbox, skipped};

mod actions;
mod gitlab;
mod pre_commit;
mod renovate;
mod update_proposal;

/// A skill without a finding.
const GOOD_SKILL: &str = "---\nname: notes\ndescription: Summarizes meeting notes as decisions and tasks. Use when given notes of a meeting.\n---\n\n# Notes\n\nList decisions first.\n";

/// A skill with a link to a file that does not exist, which is an error.
const BAD_SKILL: &str = "---\nname: notes\ndescription: Summarizes meeting notes as decisions and tasks. Use when given notes of a meeting.\n---\n\n# Notes\n\nSee [the format](references/format.md).\n";

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap()
}

fn read_yaml(path: &str) -> Value {
    serde_yaml::from_str(&read(path)).unwrap()
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

/// Whether these programs are there; if not, the test is skipped.
fn has_programs(names: &[&str]) -> bool {
    let missing = names.iter().find(|name| {
        let found = Command::new(name).arg("--version").output();
        !found.is_ok_and(|output| output.status.success())
    });
    if let Some(name) = missing {
        skipped(&format!("there is no `{name}`"));
    }
    missing.is_none()
}

/// Runs a script in the project, with the real binary as `skillpm`.
fn run_script(sandbox: &Sandbox, script: &str, env: &[(&str, &str)]) -> Output {
    sandbox
        .shell(script)
        .current_dir(sandbox.path("."))
        .envs(env.iter().copied())
        .output()
        .unwrap()
}

/// Checks a file with a schema that check-jsonschema contains; `None`, and a skipped test, without it.
#[track_caller]
fn validate(schema: &str, arguments: &[&str], file: &Path) -> Option<()> {
    let checker = find_tool(
        "packaging/bin/check-jsonschema",
        "/usr/bin/check-jsonschema",
    )?;
    let output = Command::new(checker)
        .args(["--builtin-schema", schema])
        .args(arguments)
        .arg(file)
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}: {}",
        file.display(),
        text(&output)
    );
    Some(())
}
