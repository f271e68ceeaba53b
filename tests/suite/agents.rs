//! The programs whose loaders and views are modeled, asked again where `.ci/run` has installed them.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::skipped;

#[test]
fn published_agents_behave_as_recorded() {
    let Some(tools) = installed(&[
        "node_modules/@google/gemini-cli-core",
        "node_modules/skills",
    ]) else {
        return;
    };

    let report = check("record.py", &tools, &[]);
    for agent in [
        "gemini-cli: 325 cases, 288 listed, 0 other",
        "npx-skills: 325 cases, 176 listed, 0 other",
    ] {
        assert!(report.contains(agent), "{report}");
    }
}

#[test]
fn published_loaders_show_the_trees_as_recorded() {
    let Some(tools) = installed(&[
        "node_modules/@google/gemini-cli-core",
        "node_modules/@mariozechner/pi-coding-agent",
    ]) else {
        return;
    };

    let report = check("record_trees.py", &tools, &["--agents", "gemini-cli,pi"]);
    for agent in ["gemini-cli: 96 trees, 0 other", "pi: 105 trees, 0 other"] {
        assert!(report.contains(agent), "{report}");
    }
}

/// Each tree costs a second or two, so only those that say most are asked about.
#[test]
fn published_programs_show_the_trees_as_recorded() {
    let asked = [
        (
            "opencode",
            "node_modules/opencode-linux-x64",
            "opencode-deny*,subdirectory-*,shadow-p*",
        ),
        (
            "claude-code",
            "../claude-code/node_modules/@anthropic-ai",
            "claude-o*,subdirectory-*,link-o*,many-60-400",
        ),
    ];
    for (agent, program, trees) in asked {
        let Some(tools) = installed(&[program]) else {
            continue;
        };
        let report = check(
            "record_trees.py",
            &tools,
            &["--agents", agent, "--trees", trees],
        );
        assert!(report.contains(" trees, 0 other"), "{report}");
    }
}

/// The directory of the agents, if it has these programs.
fn installed(programs: &[&str]) -> Option<PathBuf> {
    let tools = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/test-tools/agents");
    if programs.iter().all(|program| tools.join(program).exists()) {
        return Some(tools);
    }
    skipped("there are no agents below `target/test-tools`; `.ci/run` installs some");
    None
}

/// What a recorder prints when it compares its recordings with what the programs do now.
fn check(recorder: &str, tools: &Path, options: &[&str]) -> String {
    let output = Command::new("python3")
        .arg(
            Path::new(env!("CARGO_MANIFEST_DIR"))
                .join("tests/agents")
                .join(recorder),
        )
        .args(["--check", "--tools"])
        .arg(tools)
        .args(options)
        .output()
        .unwrap();
    let report = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        output.status.success(),
        "{report}{}",
        String::from_utf8_lossy(&output.stderr)
    );
    report
}
