//! The programs whose loaders `lint` models, asked again where `.ci/run` has installed them.

use std::path::Path;
use std::process::Command;

use crate::support::skipped;

#[test]
fn published_agents_behave_as_recorded() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let tools = root.join("target/test-tools/agents");
    if !tools.join("node_modules/@google/gemini-cli-core").exists()
        || !tools.join("node_modules/skills").exists()
    {
        skipped("there are no agents below `target/test-tools`; `.ci/run` installs two");
        return;
    }
    let output = Command::new("python3")
        .arg(root.join("tests/agents/record.py"))
        .args(["--check", "--tools"])
        .arg(&tools)
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success(),
        "{told}{}",
        String::from_utf8_lossy(&output.stderr)
    );
    for agent in [
        "gemini-cli: 325 cases, 288 listed, 0 other",
        "npx-skills: 325 cases, 176 listed, 0 other",
    ] {
        assert!(told.contains(agent), "{told}");
    }
}
