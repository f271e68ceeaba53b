//! What holds for every command: usage, exit codes, streams.

use snapbox::str;

use crate::support::{Sandbox, pdf_and_csv};

#[test]
fn version_is_that_of_the_package() {
    let sandbox = Sandbox::new();
    sandbox
        .skillpm("--version")
        .exits(0)
        .stdout(concat!("skillpm ", env!("CARGO_PKG_VERSION"), "\n"))
        .stderr("");
}

#[test]
fn help_goes_to_stdout() {
    let sandbox = Sandbox::new();
    sandbox
        .skillpm("--help")
        .exits(0)
        .stdout_has("Usage: skillpm")
        .stderr("");
}

#[test]
fn unknown_command_is_a_usage_error_with_the_nearest() {
    let sandbox = Sandbox::new();
    sandbox.skillpm("instal").exits(2).stderr_has("install");
}

#[test]
fn usage_errors_are_objects_where_a_program_reads_them() {
    let sandbox = Sandbox::new();
    for line in [
        "lst --json",
        "--json lst",
        "lst --format json",
        "lst --format=json",
        "lst --agent-mode",
    ] {
        sandbox
            .skillpm(line)
            .exits(2)
            .stdout("")
            .stderr(str![[r#"
{"type":"error","kind":"usage","exit_code":2,"message":"unrecognized subcommand 'lst'","notes":["usage: skillpm [OPTIONS] [COMMAND]"],"causes":[],"help":["a similar subcommand exists: 'list'"]}

"#]]);
    }
    sandbox
        .skillpm("install --lokced")
        .env("CLAUDECODE", "1")
        .exits(2)
        .stderr(str![[r#"
{"type":"error","kind":"usage","exit_code":2,"message":"unexpected argument '--lokced' found","notes":["usage: skillpm install --locked"],"causes":[],"help":["a similar argument exists: '--locked'"]}

"#]]);
    sandbox
        .skillpm("lst -- --json")
        .exits(2)
        .stderr_has("error: unrecognized subcommand 'lst'\n");
}

#[test]
fn words_of_other_package_managers_are_understood() {
    let (sandbox, repo) = pdf_and_csv();
    sandbox.skillpm("ls").exits(0).stdout_has("pdf");
    sandbox.skillpm("find pdf").exits(0).stdout_has("pdf");
    sandbox.skillpm("i").exits(0);
    sandbox.skillpm("upgrade --all").exits(0);
    sandbox.skillpm("rm pdf").exits(0);
    sandbox.skillpm("uninstall csv").exits(0);
    sandbox.lacks([".agents/skills/pdf", ".agents/skills/csv"]);
    let snapshot = sandbox.snapshot();

    sandbox
        .skillpm(format!("add --list {}", repo.url()))
        .exits(0)
        .stdout(str![[r"
csv  skills/csv  Reads CSV.
pdf  skills/pdf  Reads PDF.

"]])
        .stderr(str![[r"
    Fetching file://[ROOT]/repos/skills
       Found 2 skills in file://[ROOT]/repos/skills; pass `--skill NAME` for details of one

"]]);
    sandbox
        .skillpm("install 'gh:acme/my skills'")
        .exits(2)
        .stderr(str![[r"
error: `install` installs all locked skills, and takes no names
help: to add it, run `skillpm add 'gh:acme/my skills'`

"]]);
    snapshot.still_holds();
    assert_eq!(
        sandbox.skillpm("list --json").exits(0).stdout_text(),
        sandbox.skillpm("list --format json").exits(0).stdout_text()
    );
}

#[test]
fn unknown_flag_is_a_usage_error() {
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
fn invalid_manifest_is_reported_with_its_line() {
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
fn unknown_key_of_a_dependency_is_an_error() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "skillpm.toml",
        "[dependencies]\npdf = { path = \"./pdf\", brnach = \"x\" }\n",
    );
    sandbox.skillpm("install").exits(2).explains(["brnach"]);
}

#[test]
fn install_without_a_manifest_suggests_init() {
    let sandbox = Sandbox::new();
    sandbox
        .skillpm("install")
        .exits_one_of([1, 2])
        .stderr(str![[r"
error: could not find `skillpm.toml` in `[ROOT]/project` or any parent directory
help: `skillpm init` creates one here; `--global` uses your own skills instead

"]]);
    assert!(sandbox.tree(".").is_empty());
}

#[test]
fn subdirectory_uses_the_project_above() {
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
fn quiet_prints_nothing_on_success() {
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
fn json_is_one_typed_object_per_line() {
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
fn color_is_off_without_a_terminal() {
    let sandbox = Sandbox::project_here();
    sandbox
        .skillpm("add ./nowhere")
        .env("NO_COLOR", "")
        .exits_one_of([1, 2, 6])
        .never_prints("\u{1b}");
}

#[test]
fn color_is_on_by_flag() {
    let sandbox = Sandbox::project_here();
    let outcome = sandbox
        .skillpm("--color always add ./nowhere")
        .env("NO_COLOR", "")
        .exits_one_of([1, 2, 6]);
    outcome.stderr_has("\u{1b}[");
}

#[test]
fn tips_after_a_mistake_lead_to_what_was_meant() {
    let sandbox = Sandbox::project_here();
    for (line, tip) in [
        (
            "remove --all",
            "'--source SOURCE' removes all skills of a source",
        ),
        ("patch --remove pdf", "'--drop' discards the saved edits"),
        ("patch pdf --delete", "'--drop' discards the saved edits"),
        (
            "restore --all",
            "'skillpm install --force' restores all skills",
        ),
        (
            "revert",
            "some similar subcommands exist: 'undo', 'restore'",
        ),
        ("-C . rollback", "a similar subcommand exists: 'undo'"),
        ("discard pdf", "a similar subcommand exists: 'restore'"),
        ("lsit", "a similar subcommand exists: 'list'"),
        ("instal", "a similar subcommand exists: 'install'"),
    ] {
        sandbox
            .skillpm(line)
            .exits(2)
            .stderr_has(&format!("  tip: {tip}"));
    }
    // As an object, too.
    let error = sandbox.skillpm("revert --json").exits(2);
    assert!(error.stderr_text().contains("'undo', 'restore'"));
    // npm's flag for a development dependency is one.
    sandbox.skillpm("add -D release").exits(0);
    assert!(
        sandbox
            .read("skillpm.toml")
            .contains("[dev-dependencies]\nrelease")
    );
}
