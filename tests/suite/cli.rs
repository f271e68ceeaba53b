//! What holds for every command: usage, exit codes, streams.

use crate::support::Sandbox;

#[test]
fn the_version_is_the_package_s() {
    let sandbox = Sandbox::new();
    sandbox
        .skillpm("--version")
        .exits(0)
        .stdout(concat!("skillpm ", env!("CARGO_PKG_VERSION"), "\n"))
        .stderr("");
}

#[test]
fn help_is_an_answer_and_goes_to_stdout() {
    let sandbox = Sandbox::new();
    sandbox
        .skillpm("--help")
        .exits(0)
        .stdout_has("Usage: skillpm")
        .stderr("");
}

#[test]
fn an_unknown_command_is_a_usage_error_that_offers_the_nearest() {
    let sandbox = Sandbox::new();
    sandbox.skillpm("instal").exits(2).stderr_has("install");
}

#[test]
fn an_unknown_flag_is_a_usage_error() {
    let sandbox = Sandbox::new();
    sandbox
        .skillpm("list --no-such-flag")
        .exits(2)
        .stderr_has("--no-such-flag");
}

#[test]
fn add_without_a_spec_is_a_usage_error() {
    let sandbox = Sandbox::project_here();
    sandbox.skillpm("add").exits(2);
}

#[test]
fn a_manifest_that_cannot_be_read_is_told_with_its_line() {
    let sandbox = Sandbox::new();
    sandbox.write("skillpm.toml", "[dependencies]\npdf = {\n");
    let snapshot = sandbox.snapshot();
    sandbox
        .skillpm("install")
        .exits(2)
        .explains(["skillpm.toml:2"]);
    snapshot.still_holds();
}

#[test]
fn an_unknown_key_of_a_dependency_is_told_and_not_ignored() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "skillpm.toml",
        "[dependencies]\npdf = { path = \"./pdf\", brnach = \"x\" }\n",
    );
    sandbox.skillpm("install").exits(2).explains(["brnach"]);
}

#[test]
fn install_without_a_manifest_says_how_to_begin() {
    let sandbox = Sandbox::new();
    sandbox
        .skillpm("install")
        .exits_one_of([1, 2])
        .explains(["skillpm.toml", "skillpm init"]);
    assert!(sandbox.tree(".").is_empty());
}

#[test]
fn a_command_in_a_subdirectory_works_on_the_project_above() {
    let sandbox = Sandbox::project_here();
    sandbox.write_skill("pdf", "Reads PDF.");
    sandbox.write("deep/down/README.md", "");
    sandbox
        .skillpm("add ../../pdf")
        .in_dir("deep/down")
        .exits(0);
    sandbox.has([".agents/skills/pdf/SKILL.md"]);
    sandbox.lacks(["deep/down/skillpm.toml", "deep/down/.agents"]);
    sandbox.skillpm("install").exits(0);
}

#[test]
fn quiet_prints_nothing_when_all_went_well() {
    let sandbox = Sandbox::project_here();
    sandbox.write_skill("pdf", "Reads PDF.");
    sandbox
        .skillpm("-q add ./pdf")
        .exits(0)
        .stdout("")
        .stderr("");
    sandbox.has([".agents/skills/pdf/SKILL.md"]);
}

#[test]
fn json_is_objects_with_a_type_and_stdout_holds_nothing_else() {
    let sandbox = Sandbox::project_here();
    sandbox.write_skill("pdf", "Reads PDF.");
    let lines = sandbox
        .skillpm("add ./pdf --format json")
        .exits(0)
        .stdout_json_lines();
    assert!(
        lines
            .iter()
            .any(|line| line.to_string().contains("\"pdf\"")),
        "{lines:?}"
    );
}

#[test]
fn colour_stays_out_of_what_is_no_terminal() {
    let sandbox = Sandbox::project_here();
    sandbox
        .skillpm("add ./nowhere")
        .env("NO_COLOR", "")
        .exits_one_of([1, 2, 6])
        .never_prints("\u{1b}");
}

#[test]
fn colour_is_there_when_asked_for() {
    let sandbox = Sandbox::project_here();
    let outcome = sandbox
        .skillpm("--color always add ./nowhere")
        .env("NO_COLOR", "")
        .exits_one_of([1, 2, 6]);
    outcome.stderr_has("\u{1b}[");
}
