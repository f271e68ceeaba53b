//! What is published is of the repository: it does not depend on the machine that publishes it.

use std::process::Command;

use snapbox::str;

use crate::support::{Sandbox, skipped, test_tools};

const FORMATS: [&str; 4] = [
    "well-known",
    "agentskills-http",
    "claude-marketplace",
    "claude-zip",
];

/// A skill that no machine of the tests can run.
fn gated() -> Sandbox {
    let sandbox = Sandbox::project_here();
    sandbox.write(
        "skills/mac-notes/SKILL.md",
        "---\nname: mac-notes\ndescription: Writes notes. Use for notes.\nmetadata: {\"openclaw\": {\"os\": [\"plan9\"], \
         \"requires\": {\"bins\": [\"no-such-program\"], \"env\": [\"NO_SUCH_VARIABLE\"], \"config\": [\"no.such\"]}}}\n---\nText.\n",
    );
    sandbox
}

#[test]
fn gates_of_this_machine_drop_no_published_skill() {
    let sandbox = gated();
    for format in FORMATS {
        sandbox
            .skillpm(format!(
                "catalog --dir skills --format {format} --out ../{format}"
            ))
            .exits(0)
            .stderr_has("Wrote 1 skill to");
    }
    // An agent here cannot use it, and what is assumed of a machine still counts.
    sandbox
        .skillpm("catalog --dir skills --format xml")
        .exits(0)
        .never_prints("mac-notes");
    sandbox
        .skillpm("catalog --dir skills --format well-known --assume os=linux")
        .exits(1)
        .stderr_has("`mac-notes` is hidden: it needs `plan9`");
}

#[test]
fn server_over_http_serves_what_this_machine_cannot_run() {
    let sandbox = gated();
    let server = sandbox
        .skillpm("serve --dir skills --http 0 --format json")
        .follow();
    assert_eq!(server.object()["skills"], 1);
}

#[test]
fn export_without_skills_is_an_error_with_the_reason() {
    let sandbox = Sandbox::project_here();
    sandbox.write_skill("skills/pdf", "Reads PDF.");
    sandbox.write(
        "skills/pdf/SKILL.md",
        "---\nname: pdf\ndescription: Reads PDF.\ndisable-model-invocation: true\n---\n",
    );
    sandbox
        .skillpm("catalog --dir skills --format well-known --out ../public")
        .exits(1)
        .stderr(str![[r"
error: no skills found for format `well-known`
  `pdf` is hidden: it disables invocation by the model
help: `skillpm catalog --all` lists all skills, with the reason why one is hidden

"]]);
    sandbox.lacks(["../public"]);
}

#[test]
fn claude_code_accepts_a_marketplace_strictly() {
    let claude = test_tools("claude-code/node_modules/@anthropic-ai/claude-code-linux-x64/claude");
    let sandbox = gated();
    sandbox
        .skillpm("catalog --format claude-marketplace --out ../market")
        .exits(0);
    if !claude.exists() {
        skipped("there is no Claude Code below `target/test-tools`; `.ci/run` installs it");
        return;
    }

    let market = sandbox.path("../market");
    let output = Command::new(claude)
        .args(["plugin", "validate", "--strict"])
        .arg(&market)
        .env("HOME", sandbox.path("~/"))
        .output()
        .unwrap();
    let printed = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{printed}");
}
