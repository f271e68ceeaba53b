//! Stdout that takes nothing: a command that cannot give its answer says so, and one that nobody reads any more does not.

use std::collections::BTreeSet;
use std::process::Command;

use skillpm::cli::generate;

use crate::support::{Outcome, Registry, Repo, Run, Sandbox, package, pdf_and_csv, skipped};

/// A line for each command, at least, so that it prints what it can print. `URL` is the skills' repository.
const LINES: [&str; 83] = [
    "--help",
    "--version",
    "help add",
    "add --help",
    "add URL --skill csv",
    "agents list",
    "agents detect",
    "agents add claude-code",
    "agents remove claude-code",
    "audit",
    "audit --format short",
    "audit --format sarif",
    "audit --format github",
    "audit --format gitlab",
    "audit --capabilities",
    "budget",
    "cache clean",
    "cache dir",
    "cache prune --dry-run",
    "cache size",
    "cache verify",
    "catalog",
    "catalog --format xml",
    "catalog --format markdown",
    "catalog --format openai",
    "catalog --format well-known",
    "catalog --template prompt.j2",
    "catalog --list-formats",
    "catalog --stats",
    "completions bash",
    "completions zsh",
    "config get net.jobs",
    "config list",
    "config set net.jobs 2",
    "convert mine --to nova --out nova",
    "diff",
    "doctor",
    "bundle out.tar.gz",
    "import",
    "info acme/one",
    "info URL",
    "init new",
    "install",
    "lint mine",
    "lint mine --format short",
    "lint mine --format sarif",
    "lint mine --format github",
    "lint mine --format gitlab",
    "lint mine --statistics",
    "lint mine --diff",
    "lint --explain SK401",
    "list",
    "lock",
    "man",
    "man add",
    "new another",
    "outdated",
    "owner list acme/one",
    "owner add acme/one ann@x.dev",
    "owner remove acme/one bob@x.dev",
    "package one",
    "patch pdf",
    "proposals list",
    "proposals show pdf",
    "proposals apply pdf",
    "proposals reject pdf",
    "publish one --dry-run",
    "publish one",
    "remove pdf",
    "restore pdf",
    "disable pdf",
    "enable pdf",
    "sbom",
    "sbom --format spdx",
    "search pdf",
    "search one",
    "show pdf",
    "show pdf --format body",
    "status",
    "tree",
    "undo --list",
    "undo",
    "update",
];

/// The rest of them.
const MORE: [&str; 18] = [
    "validate mine",
    "validate mine --format sarif",
    "validate mine --format github",
    "vendor",
    "verify",
    "why pdf",
    "yank acme/one@1.0.0",
    "registry new other",
    "registry check index",
    "registry advise index",
    "registry renew index",
    "registry site site",
    "config unset net.jobs",
    "registry yank acme/one@1.0.0",
    "registry owner list acme/one",
    "registry owner add acme/one ann@x.dev",
    "registry owner remove acme/one bob@x.dev",
    "proposals new pdf --file mine/SKILL.md -j 'It is better.'",
];

/// Something that is known against a package.
const ADVISORY: &str = r#"{"schema_version": "1.6.0", "id": "SKSA-2026-0001", "modified": "2026-11-20T00:00:00Z",
 "summary": "sends what it reads away", "database_specific": {"severity": "high"},
 "affected": [{"package": {"ecosystem": "skillpm", "name": "acme/one"}, "ranges": [{"type": "SEMVER", "events": [{"introduced": "0"}, {"fixed": "1.1.0"}]}]}]}"#;

/// Those that go on until they are ended, or speak with somebody else, and so have tests of their own.
const APART: [&str; 7] = [
    "login",
    "logout",
    "lsp",
    "registry login",
    "registry logout",
    "serve",
    "watch",
];

/// A project with something for every command, put back before each run.
struct World {
    sandbox: Sandbox,
    url: String,
}

impl World {
    fn new() -> World {
        let sandbox = Sandbox::project_here();
        let registry = Registry::directory(&sandbox, "index");
        registry.configure(&sandbox);
        package(&sandbox, "acme/one", "1.0.0");
        sandbox.skillpm("publish one").exits(0);
        sandbox.skillpm("owner add acme/one bob@x.dev").exits(0);
        package(&sandbox, "acme/one", "1.1.0");

        let repo = Repo::new(&sandbox, "skills");
        repo.skill("skills/pdf", "Reads PDF.")
            .skill("skills/csv", "Reads tables.")
            .commit("first");
        sandbox
            .skillpm(format!("add {} --skill pdf --branch main", repo.url()))
            .exits(0);
        repo.skill("skills/pdf", "Reads PDF, quickly.")
            .commit("second");

        sandbox.write(
            "mine/SKILL.md",
            "---\nname: mine\ndescription: Use when: needed.\n---\n",
        );
        sandbox.write(
            "prompt.j2",
            "{{ skills | length }} skills, without an end of the line",
        );
        sandbox.write(
            "better.md",
            "---\nname: pdf\ndescription: Reads PDF.\n---\n\n# How\n\nQuickly.\n",
        );
        sandbox
            .skillpm("propose pdf --file better.md -j 'It is too slow.'")
            .exits(0);
        let installed = sandbox.read(".agents/skills/pdf/SKILL.md");
        sandbox.write(".agents/skills/pdf/SKILL.md", installed + "\nMine.\n");
        copy(sandbox.root().join("www/index"), sandbox.path("index"));
        sandbox.write("index/advisories/SKSA-2026-0001.json", ADVISORY);

        let world = World {
            url: repo.url(),
            sandbox,
        };
        world.copy_all("project", "kept/project");
        world.copy_all("home", "kept/home");
        world.copy_all("www", "kept/www");
        world
    }

    fn copy_all(&self, from: &str, to: &str) {
        let root = self.sandbox.root();
        let _ = std::fs::remove_dir_all(root.join(to));
        copy(root.join(from), root.join(to));
    }

    /// A run in the world as it was at first.
    fn run(&self, line: &str) -> Run<'_> {
        for part in ["project", "home", "www"] {
            self.copy_all(&format!("kept/{part}"), part);
        }
        self.sandbox.skillpm(line.replace("URL", &self.url))
    }
}

fn copy(from: std::path::PathBuf, to: std::path::PathBuf) {
    std::fs::create_dir_all(to.parent().unwrap()).unwrap();
    let status = Command::new("cp").arg("-a").args([from, to]).status();
    assert!(status.unwrap().success());
}

/// The lines, in every form that the commands have.
fn lines() -> Vec<String> {
    let plain = LINES.iter().chain(&MORE).map(ToString::to_string);
    let as_json = LINES.iter().chain(&MORE).filter(|line| {
        let has_none = [
            "--format",
            "--help",
            "--version",
            "help",
            "completions",
            "man",
            "sbom",
            "--template",
            "--diff",
        ];
        !has_none
            .iter()
            .any(|word| line.split(' ').any(|part| part == *word))
    });
    plain
        .chain(as_json.map(|line| format!("{line} --format json")))
        .collect()
}

fn ended(run: Run<'_>) -> Outcome {
    run.exits_one_of([0, 1, 2, 3, 4, 5, 6])
}

#[test]
fn every_command_is_covered() {
    let known: BTreeSet<&str> = LINES.iter().chain(&MORE).copied().collect();
    let is_known = |command: &str| {
        known
            .iter()
            .any(|line| *line == command || line.starts_with(&format!("{command} ")))
    };
    let lacking: Vec<String> = generate::command_names()
        .into_iter()
        .filter(|command| !is_known(command) && !APART.contains(&command.as_str()))
        .collect();
    assert!(
        lacking.is_empty(),
        "no line shows what these do when they cannot print: {lacking:?}"
    );
}

#[test]
fn full_stdout_is_an_error_and_closed_stdout_is_not() {
    let world = World::new();
    let (mut printing, mut faults) = (0, Vec::new());
    for line in lines() {
        let told = ended(world.run(&line));
        let code = told.code().unwrap();
        if code == 2 {
            faults.push(format!(
                "`{line}` is not understood: {}",
                told.stderr_text()
            ));
            continue;
        }
        let has_answer = !told.stdout_text().is_empty();
        printing += usize::from(has_answer);

        let full = ended(world.run(&line).into_full_device());
        let is_told = full.stderr_text().contains("o space left on device");
        let is_right = match (has_answer, code) {
            (true, 0) => full.code() == Some(6) && is_told,
            (true, _) => full.code() != Some(0),
            (false, _) => full.code() == Some(code) && !is_told,
        };
        if !is_right {
            faults.push(format!(
                "`{line}` > /dev/full ends with {:?}: {}",
                full.code(),
                full.stderr_text()
            ));
        }

        let unread = ended(world.run(&line).into_closed_pipe());
        if unread.code() != Some(code) {
            faults.push(format!(
                "`{line}` | true ends with {:?}, not {code}: {}",
                unread.code(),
                unread.stderr_text()
            ));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(printing > 100, "only {printing} lines print anything");
}

#[test]
fn changes_are_complete_despite_unwritable_stdout() {
    let world = World::new();
    let line = "add URL --skill csv --format json";
    ended(world.run(line)).ended(0);
    let (manifest, lock) = (
        world.sandbox.read("skillpm.toml"),
        world.sandbox.read("skillpm.lock"),
    );
    let tree = world.sandbox.tree(".agents");
    let full = ended(world.run(line).into_full_device());
    full.ended(6)
        .stderr_has("failed to write to stdout")
        .stderr_has("what the command changes is changed");
    assert_eq!(
        (
            world.sandbox.read("skillpm.toml"),
            world.sandbox.read("skillpm.lock")
        ),
        (manifest, lock)
    );
    assert_eq!(world.sandbox.tree(".agents"), tree);
    world.sandbox.skillpm("lock --locked").exits(0);
}

#[test]
fn watch_and_serve_end_when_stdout_is_unwritable() {
    let world = World::new();
    for line in [
        "watch --existing",
        "watch --existing --format json",
        "serve --http 0 --format json",
    ] {
        world
            .run(line)
            .into_full_device()
            .exits(6)
            .stderr_has("o space left on device");
    }
    world.run("watch --existing").into_closed_pipe().exits(0);
    let hello = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"2025-06-18\",\
                 \"capabilities\":{},\"clientInfo\":{\"name\":\"t\",\"version\":\"1\"}}}\n";
    world
        .run("serve")
        .stdin(hello)
        .exits(0)
        .stdout_has("\"id\":1");
    world
        .run("serve")
        .stdin(hello)
        .into_full_device()
        .exits(6)
        .stderr_has("o space left on device");
    world.run("serve").stdin(hello).into_closed_pipe().exits(0);
}

/// A device that swallows everything, as `/dev/null` does, in the sandbox.
#[cfg(target_os = "linux")]
#[test]
fn device_is_written_to_and_never_replaced() {
    use std::os::unix::fs::FileTypeExt as _;

    use rustix::fs::{CWD, FileType, Mode, makedev, mknodat};

    let (sandbox, _repo) = pdf_and_csv();
    let device = sandbox.path("null");
    let mode = Mode::from_raw_mode(0o666);
    if mknodat(CWD, &device, FileType::CharacterDevice, mode, makedev(1, 3)).is_err() {
        return skipped("this user may not make devices");
    }
    sandbox.skillpm("sbom --output null").exits(0);
    sandbox
        .skillpm("catalog --format markdown --into null")
        .exits_one_of([1, 2, 3, 6]);
    assert!(
        std::fs::symlink_metadata(&device)
            .unwrap()
            .file_type()
            .is_char_device(),
        "it was replaced"
    );
}
