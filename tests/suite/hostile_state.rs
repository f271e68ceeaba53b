//! What a cloned repository brings in `.skillpm/` is not obeyed: only what this user wrote on this machine is.

use std::os::unix::fs::symlink;

use crate::support::{
    Listing, Others, Repo, Sandbox, has_unix, pdf_and_csv, report_count, skipped,
};

/// Every command that looks for a project's own state, and some that only read the project.
const COMMANDS: [&str; 20] = [
    "install",
    "install --locked",
    "install --force",
    "update",
    "update --dry-run",
    "lock",
    "remove pdf",
    "undo",
    "undo --list",
    "undo --dry-run",
    "diff",
    "patch pdf",
    "vendor",
    "verify",
    "list",
    "doctor",
    "doctor --fix",
    "cache prune --older-than 0d",
    "catalog",
    "lint",
];

/// A project of another person's as a clone of it would be, with a directory of the user's beside it that has nothing to do
/// with it.
fn clone() -> (Sandbox, Repo) {
    let (sandbox, repo) = pdf_and_csv();
    sandbox.delete(".skillpm");
    sandbox.copy(".agents/skills/pdf", "../victim/pdf");
    sandbox.copy(".agents/skills/csv", "../victim/csv");
    sandbox.write("../victim/notes.txt", "precious\n");
    sandbox.write("../victim/stage/new.md", "precious\n");
    sandbox.write("../victim/00000000000000000001.json", "precious\n");
    (sandbox, repo)
}

fn victim(sandbox: &Sandbox) -> Listing {
    sandbox.tree("../victim")
}

/// Has the project again as it was copied.
fn renew(sandbox: &Sandbox) {
    let project = sandbox.root().join("project");
    std::fs::remove_dir_all(&project).unwrap();
    std::fs::create_dir(&project).unwrap();
    sandbox.copy("../kept", "../project");
}

/// Gives the project another name, and puts an empty directory in its place.
fn rename(sandbox: &Sandbox) {
    let project = sandbox.root().join("project");
    std::fs::rename(&project, sandbox.root().join("renamed")).unwrap();
    std::fs::create_dir(&project).unwrap();
}

/// Runs every command on the project with what `plant` adds to it, and fails if one touches what is not the project's.
#[track_caller]
fn is_not_obeyed(plant: impl Fn(&Sandbox)) {
    let (sandbox, _repo) = clone();
    sandbox.copy(".", "../kept");
    let before = victim(&sandbox);
    for command in COMMANDS {
        renew(&sandbox);
        plant(&sandbox);
        let outcome = sandbox.skillpm(command).exits_one_of([0, 1, 2, 3]);
        outcome.never_prints("panicked");
        assert_eq!(
            victim(&sandbox),
            before,
            "`skillpm {command}` changed what is not the project's"
        );
    }
}

#[test]
fn cloned_journal_deletes_nothing() {
    is_not_obeyed(|sandbox| {
        let journal = r#"{"version":V,"committed":true,"device":1,"stages":["../victim"],"made":[],"steps":[]}"#;
        sandbox.write(".skillpm/journal.json", journal.replace('V', "2"));
    });
}

#[test]
fn cloned_journal_writes_nothing() {
    is_not_obeyed(|sandbox| {
        sandbox.write("x/p.aside", "planted\n");
        let step = r#"{"place":"../victim/notes.txt","staged":"x/p","new":null,"old":null,"written":null}"#;
        let journal = format!(
            r#"{{"version":2,"committed":false,"device":1,"stages":[],"made":[],"steps":[{step}]}}"#
        );
        sandbox.write(".skillpm/journal.json", journal);
    });
}

#[test]
fn cloned_state_removes_nothing() {
    // The user has the very skill that the state names, as where two projects installed the same one.
    for skill in ["pdf", "csv"] {
        is_not_obeyed(|sandbox| {
            let victim = sandbox.path("../victim");
            let record = format!(
                r#"{{"checksum":"{}","stamp":null}}"#,
                sandbox.locked(skill, "checksum")
            );
            let skills = format!(r#"{{"{skill}":{record}}}"#);
            let targets = format!(
                r#"{{"{}":{skills},"../victim":{skills}}}"#,
                victim.display()
            );
            let made = format!(r#"["../victim","{}"]"#, victim.display());
            let state = format!(
                r#"{{"version":2,"inputs":null,"sources":{{}},"targets":{targets},"made":{made}}}"#
            );
            sandbox.write(".skillpm/state.json", state);
        });
    }
}

#[test]
fn cloned_undo_entry_changes_nothing() {
    for number in ["00000000000000000009", "18446744073709551615"] {
        is_not_obeyed(|sandbox| {
            let notes = sandbox.path("../victim/notes.txt");
            let text = format!(
                r#"{{"path":"{}","before":"planted","after":"precious\n"}}"#,
                notes.display()
            );
            let entry = format!(
                r#"{{"version":2,"command":"install","at":1,"places":[],"texts":[{text}]}}"#
            );
            sandbox.write(&format!(".skillpm/undo/{number}.json"), entry);
        });
    }
}

#[test]
fn state_directories_that_are_links_are_refused() {
    for name in [
        ".skillpm",
        ".skillpm/undo",
        ".skillpm/stage",
        ".skillpm/backup",
    ] {
        is_not_obeyed(|sandbox| {
            let place = sandbox.path(name);
            std::fs::create_dir_all(place.parent().unwrap()).unwrap();
            symlink(sandbox.path("../victim"), place).unwrap();
        });
    }
}

#[test]
fn refused_state_is_named_with_its_fix() {
    let (sandbox, _repo) = clone();
    sandbox.write(
        ".skillpm/journal.json",
        r#"{"version":2,"committed":true,"device":1,"stages":[],"made":[],"steps":[]}"#,
    );
    let snapshot = sandbox.snapshot();
    for command in [
        "install",
        "install --locked",
        "update",
        "lock",
        "undo",
        "vendor",
    ] {
        sandbox.skillpm(command).exits(3).explains([
            ".skillpm/journal.json`: it was not written by this user on this machine for this project",
            "rm '",
        ]);
    }
    for command in ["diff", "verify"] {
        sandbox
            .skillpm(command)
            .exits(0)
            .stderr_has(".skillpm/journal.json`: it was not written by this user");
    }
    snapshot.still_holds();
    sandbox.skillpm("doctor").exits(1).prints("journal.json");
    sandbox.delete(".skillpm/journal.json");
    sandbox.skillpm("install").exits(0);

    sandbox.write(".skillpm/undo/00000000000000000009.json", "{}");
    sandbox
        .skillpm("undo")
        .exits(3)
        .explains(["undo/00000000000000000009.json"]);
    sandbox.skillpm("undo --list").exits(0);
    sandbox.write(".skillpm/state.json", "{}");
    sandbox
        .skillpm("install")
        .exits(0)
        .stderr_has("ignoring `.skillpm/state.json`");
    sandbox.skillpm("install").exits(0).never_prints("ignoring");
}

#[test]
fn state_files_tracked_by_git_are_reported() {
    let (sandbox, _repo) = pdf_and_csv();
    let git = |args: &[&str]| {
        let status = std::process::Command::new("git")
            .args(args)
            .current_dir(sandbox.path("."))
            .status()
            .unwrap();
        assert!(status.success(), "{args:?}");
    };
    git(&["init", "-q"]);
    git(&["add", "-A"]);
    sandbox.skillpm("doctor").exits(0).never_prints("tracked");
    git(&["add", "-f", ".skillpm/state.json", ".skillpm/undo"]);
    let outcome = sandbox.skillpm("doctor").exits_one_of([0, 1]);
    outcome.prints("`.skillpm/state.json` is tracked by git");
    outcome.prints("git rm -r --cached");
}

#[test]
fn copied_project_has_no_history_and_a_renamed_one_keeps_it() {
    let (sandbox, repo) = pdf_and_csv();
    repo.skill("skills/pdf", "Reads PDF better.")
        .commit("second");
    sandbox.skillpm("update").exits(0);
    sandbox.copy(".", "../copy");
    let copied = sandbox
        .skillpm("undo")
        .in_dir(sandbox.path("../copy"))
        .exits(3);
    copied.explains(["it was not written by this user on this machine for this project"]);
    rename(&sandbox);
    let renamed = sandbox.path("../renamed");
    sandbox
        .skillpm("install")
        .in_dir(&renamed)
        .exits(0)
        .never_prints("ignoring");
    sandbox
        .skillpm("undo")
        .in_dir(&renamed)
        .exits(0)
        .stderr_has("Undid update");
    assert!(
        !sandbox
            .read("../renamed/.agents/skills/pdf/SKILL.md")
            .contains("better")
    );
}

#[test]
fn renamed_project_is_recovered_at_its_new_path() {
    let (sandbox, repo) = pdf_and_csv();
    let before = sandbox.tree(".agents");
    repo.skill("skills/pdf", "Reads PDF better.")
        .skill("skills/csv", "Reads CSV better.")
        .commit("second");
    let journal = ".skillpm/journal.json";
    for failpoint in 1.. {
        sandbox
            .skillpm("update")
            .env("SKILLPM_FAILPOINT", format!("kill@{failpoint}"))
            .spawn()
            .wait();
        let is_half = sandbox.path(journal).exists() && sandbox.tree(".agents") != before;
        if is_half {
            break;
        }
        sandbox.skillpm("install").exits(0);
        assert!(failpoint < 200, "no kill left the project half changed");
    }
    rename(&sandbox);
    let renamed = sandbox.path("../renamed");
    sandbox
        .skillpm("install")
        .in_dir(&renamed)
        .exits(0)
        .stderr_has("Recovered from an interrupted command");
    assert_eq!(sandbox.tree("../renamed/.agents"), before);
}

/// Numbers that look random, the same in every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, most: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % most
    }

    fn one<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.below(of.len())]
    }
}

/// A value that a reader of JSON may or may not expect.
fn value(numbers: &mut Numbers, deep: usize) -> String {
    let paths = [
        "../victim",
        "../victim/notes.txt",
        ".agents/skills/pdf",
        "/",
        "..",
        "skillpm.toml",
        "",
        "a/../../victim",
        "\\u0000",
    ];
    match numbers.below(if deep == 0 { 5 } else { 7 }) {
        0 => numbers
            .one(&[
                "null",
                "true",
                "false",
                "-1",
                "0",
                "1",
                "2",
                "18446744073709551615",
                "1e999",
            ])
            .to_owned(),
        1..=3 => format!("\"{}\"", numbers.one(&paths)),
        4 => format!("\"skill-tree-v1:{}\"", numbers.one(&["0", "f"]).repeat(64)),
        5 => {
            let values: Vec<String> = (0..numbers.below(4))
                .map(|_| value(numbers, deep - 1))
                .collect();
            format!("[{}]", values.join(","))
        }
        _ => object(numbers, deep - 1),
    }
}

fn object(numbers: &mut Numbers, deep: usize) -> String {
    let keys = [
        "version",
        "committed",
        "stages",
        "made",
        "steps",
        "place",
        "staged",
        "new",
        "old",
        "written",
        "copied",
        "targets",
        "sources",
        "inputs",
        "checksum",
        "stamp",
        "link",
        "edited",
        "command",
        "at",
        "places",
        "texts",
        "directories",
        "saved",
        "backup",
        "path",
        "before",
        "after",
        "base",
        "target",
        "name",
        "seal",
        "moved",
        "../victim",
        "pdf",
    ];
    let pairs: Vec<String> = (0..numbers.below(8))
        .map(|_| format!("\"{}\":{}", numbers.one(&keys), value(numbers, deep)))
        .collect();
    format!("{{{}}}", pairs.join(","))
}

#[test]
fn random_hostile_state_is_never_obeyed() {
    let rounds = if std::env::var_os("SKILLPM_NIGHTLY").is_some() {
        200
    } else {
        6
    };
    let (sandbox, _repo) = clone();
    sandbox.copy(".", "../kept");
    let before = victim(&sandbox);
    let mut numbers = Numbers(20_261_123);
    let mut runs = 0;
    for round in 0..rounds {
        let mut files: Vec<(&str, String)> = Vec::new();
        for name in [
            "journal.json",
            "state.json",
            "undo/00000000000000000002.json",
        ] {
            if numbers.below(3) > 0 {
                files.push((name, object(&mut numbers, 3)));
            }
        }
        for command in COMMANDS {
            renew(&sandbox);
            files
                .iter()
                .for_each(|(name, text)| sandbox.write(&format!(".skillpm/{name}"), text));
            let outcome = sandbox.skillpm(command).exits_one_of([0, 1, 2, 3]);
            outcome.never_prints("panicked");
            assert_eq!(
                victim(&sandbox),
                before,
                "round {round}: `skillpm {command}` with {files:?}"
            );
            runs += 1;
        }
    }
    report_count(&format!(
        "hostile state: {runs} runs of {} commands on {rounds} states",
        COMMANDS.len()
    ));
}

#[test]
fn project_of_another_user_is_refused_until_marked_safe() {
    if !has_unix("owners and permissions of others") {
        return;
    }
    if !rustix::process::geteuid().is_root() {
        return skipped("only root can make files another user's");
    }
    let (sandbox, _repo) = pdf_and_csv();
    sandbox.write("../shared/skillpm.toml", "[dependencies]\n");
    std::fs::create_dir_all(sandbox.path("../shared/mine")).unwrap();
    sandbox.hand_over();
    let _foreign = sandbox.is_another_s("../shared/skillpm.toml", Others::Read);
    let run = |line: &str| {
        sandbox
            .skillpm(line)
            .in_dir(sandbox.path("../shared/mine"))
            .unprivileged()
    };
    for line in ["list", "install", "add ./x", "catalog", "verify"] {
        run(line).exits(2).explains([
            "shared/skillpm.toml`: another user owns it",
            "safe.directories",
        ]);
    }
    let shared = sandbox.path("../shared").canonicalize().unwrap();
    run(&format!(
        "config set safe.directories '{}'",
        shared.display()
    ))
    .exits(0);
    run("list").exits(0);
    sandbox.delete("~/.skillpm/config.toml");
    run("list").exits(2);
    run("list").env("SKILLPM_SAFE_DIRECTORIES", "*").exits(0);
    sandbox.gitconfig(&format!("[safe]\n\tdirectory = {}\n", shared.display()));
    run("list").exits(0);

    // Settings are no safer than a manifest.
    sandbox.delete("~/.gitconfig");
    sandbox.write("../shared/.skillpm/config.toml", "[net]\njobs = 1\n");
    let _settings = sandbox.is_another_s("../shared/.skillpm", Others::Read);
    run("config list")
        .exits(2)
        .explains(["shared/.skillpm/config.toml`: another user owns it"]);
    run("config list")
        .env("SKILLPM_SAFE_DIRECTORIES", "*")
        .exits(0)
        .stdout_has("shared/.skillpm/config.toml");
}

#[test]
fn lint_settings_of_another_user_are_refused() {
    if !has_unix("owners and permissions of others") {
        return;
    }
    if !rustix::process::geteuid().is_root() {
        return skipped("only root can make files another user's");
    }
    let sandbox = Sandbox::project_here();
    sandbox.write("../shared/skillpm.toml", "[lint]\nignore = [\"SK101\"]\n");
    sandbox.write_skill("../shared/deep/mine", "Is mine.");
    sandbox.hand_over();
    let _foreign = sandbox.is_another_s("../shared/skillpm.toml", Others::Read);
    let run = |line: &str, dir: &str| {
        sandbox
            .skillpm(line)
            .in_dir(sandbox.path(dir))
            .unprivileged()
    };

    // Also from below, from elsewhere, and for each command that lints.
    for (line, dir) in [
        ("lint", "../shared"),
        ("lint", "../shared/deep"),
        ("lint .", "../shared/deep/mine"),
        ("lint ../shared/deep/mine", "."),
        ("lint --fix", "../shared/deep"),
        ("lint --format short", "../shared/deep"),
    ] {
        run(line, dir).exits(2).explains([
            "shared/skillpm.toml`: another user owns it",
            "safe.directories",
            "`--isolated`",
        ]);
    }
    run("lint --isolated", "../shared/deep").exits(0);
    run("lint", "../shared/deep")
        .env("SKILLPM_SAFE_DIRECTORIES", "*")
        .exits(0);

    // A member's own manifest adds dependencies.
    let member = "../shared/deep/mine/skillpm.toml";
    sandbox.write(
        member,
        "[package]\nname = \"me/mine\"\nversion = \"1.0.0\"\n",
    );
    sandbox.write(
        "../shared/skillpm.toml",
        "[workspace]\nmembers = [\"deep/*\"]\n",
    );
    sandbox.hand_over();
    let _member = sandbox.is_another_s(member, Others::Read);
    run("list", "../shared/deep/mine")
        .exits(2)
        .explains(["mine/skillpm.toml`: another user owns it"]);
}
