//! Limits of the system, its interruptions, and file systems that lack something: a command goes on, or says what is in its
//! way and leaves the old state whole.

#![cfg(target_os = "linux")]

use crate::support::{Repo, Sandbox, Server, has_unix, mount, report_count, skill_md, skipped};

/// A project whose `many`, a skill of sixty files, has a newer version waiting; one of its files is large.
fn project() -> (Sandbox, Repo) {
    let sandbox = Sandbox::project_here();
    let repo = Repo::new(&sandbox, "skills");
    for version in ["1.0.0", "2.0.0"] {
        for n in 0..60 {
            repo.write(
                &format!("skills/many/data/{n}.txt"),
                format!("{version} {n}\n").repeat(20),
            );
        }
        repo.write(
            "skills/many/data/large.txt",
            format!("{version}\n").repeat(20_000),
        );
        repo.write("skills/many/SKILL.md", skill_md("many", version))
            .commit(version)
            .tag(&format!("v{version}"));
        if version == "1.0.0" {
            sandbox
                .skillpm(format!("add {} --skill many --version '*'", repo.url()))
                .exits(0);
        }
    }
    (sandbox, repo)
}

/// The next command finds nothing to repair, and does what the one before could not.
#[track_caller]
fn goes_on(sandbox: &Sandbox) {
    sandbox.skillpm("update").exits(0);
    assert_eq!(sandbox.locked("many", "version"), "2.0.0");
    sandbox.skillpm("verify").exits(0);
    sandbox
        .skillpm("cache verify")
        .exits(0)
        .never_prints("damaged");
    let litter = [sandbox.tree("."), sandbox.tree("~/.skillpm")];
    let litter = litter
        .iter()
        .flat_map(|tree| tree.paths())
        .filter(|path| path.contains("stage"));
    assert_eq!(litter.collect::<Vec<_>>(), Vec::<&str>::new());
}

/// Fails unless `update` says under this limit what is in its way; nothing that anybody reads is changed by it.
#[track_caller]
fn is_stopped(sandbox: &Sandbox, limit: &str, words: [&str; 2]) {
    let seen = || {
        sandbox
            .tree(".")
            .without(|path| path.starts_with(".skillpm/"))
    };
    let (before, store) = (seen(), sandbox.tree("~/.skillpm/store/sha256"));
    let told = sandbox.skillpm("update").after(limit).exits(6);
    told.explains(words).never_prints("damaged");
    assert_eq!(seen(), before, "{limit}");
    let lost: Vec<_> = store
        .paths()
        .into_iter()
        .filter(|path| !sandbox.path("~/.skillpm/store/sha256").join(path).exists())
        .collect();
    assert!(lost.is_empty(), "{limit}: {lost:?}");
    sandbox.skillpm("verify").exits(0);
}

#[test]
fn thirty_two_open_files_are_enough() {
    let (sandbox, _repo) = project();
    for line in [
        "list",
        "update",
        "verify",
        "undo",
        "install",
        "cache verify",
    ] {
        sandbox.skillpm(line).after("ulimit -n 32").exits(0);
    }
    goes_on(&sandbox);
}

#[test]
fn too_few_open_files_are_reported_and_not_as_damage() {
    let mut stopped = 0;
    let (sandbox, _repo) = project();
    for most in 4..16 {
        let limit = format!("ulimit -n {most}");
        let outcome = sandbox
            .skillpm("update --dry-run")
            .after(&limit)
            .exits_one_of([0, 2, 4, 6, 127]);
        if outcome.code() == Some(6) && outcome.stderr_text().contains("too many open files") {
            outcome.explains(["too many open files", "ulimit -n 1024"]);
            is_stopped(&sandbox, &limit, ["too many open files", "ulimit -n 1024"]);
            stopped += 1;
        }
    }
    assert!(stopped > 0, "no limit was too low");
    goes_on(&sandbox);
}

#[test]
fn file_size_limit_is_an_error_and_not_a_signal() {
    if !has_unix("a limit of the size of files (`ulimit -f`)") {
        return;
    }
    let (sandbox, _repo) = project();
    // In blocks of a kilobyte; the large file has more than a hundred.
    is_stopped(
        &sandbox,
        "ulimit -f 64",
        ["file too large", "ulimit -f unlimited"],
    );
    is_stopped(
        &sandbox,
        "ulimit -f 1",
        ["file too large", "ulimit -f unlimited"],
    );
    is_stopped(
        &sandbox,
        "ulimit -f 0",
        ["file too large", "ulimit -f unlimited"],
    );
    goes_on(&sandbox);
}

#[test]
fn little_stack_and_memory_suffice_or_leave_the_old_state() {
    let (sandbox, _repo) = project();
    for limit in ["ulimit -s 128", "ulimit -v 60000"] {
        let seen = || {
            sandbox
                .tree(".")
                .without(|path| path.starts_with(".skillpm/"))
        };
        let before = seen();
        // Whatever became of it: Rust ends a process that has no stack left.
        let _ = sandbox.skillpm("update").after(limit).spawn().wait();
        assert!(
            seen() == before || sandbox.locked("many", "version") == "2.0.0",
            "{limit}"
        );
        sandbox.skillpm("verify").exits(0);
    }
    goes_on(&sandbox);
}

/// Sends these signals to a command as fast as it goes, until it has ended.
fn storm(sandbox: &Sandbox, line: &str, ignored: &str, signals: &[&str]) -> usize {
    let mut running = sandbox.skillpm(line).after(ignored).spawn();
    running.begun();
    let mut sent = 0;
    while running.signal(signals[sent % signals.len()]) {
        sent += 1;
    }
    running.wait().ended(0);
    sent
}

#[test]
fn signals_do_not_interrupt_a_command() {
    let (sandbox, repo) = project();
    let server = Server::start(&sandbox);
    repo.skill("skills/pdf", "Reads PDF.").commit("third");
    let add = format!("add {} --skill pdf --branch main", server.url("skills"));
    let mut sent = 0;
    for line in ["update", &add, "undo", "install", "remove many", "undo"] {
        sent += storm(
            &sandbox,
            line,
            "trap '' ALRM USR1",
            &[
                "WINCH", "STOP", "CONT", "ALRM", "URG", "STOP", "CONT", "CHLD",
            ],
        );
        // One that stops it may have been the last before it ended, and is followed by none that lets it go on.
        sandbox.skillpm("verify").exits(0);
    }
    assert!(sent > 30, "{sent} signals were sent only");
    goes_on(&sandbox);
}

#[test]
fn too_long_name_is_reported_and_leaves_nothing() {
    let sandbox = Sandbox::project_here();
    sandbox.write_skill("pdf", "Works on PDF files.");
    let snapshot = sandbox.snapshot();
    let long = "n".repeat(300);
    sandbox
        .skillpm(format!("add ./pdf --as {long}"))
        .exits_one_of([1, 2, 6])
        .explains([]);
    sandbox
        .skillpm(format!("add ./{long}"))
        .exits_one_of([1, 2, 6])
        .explains([&*long]);
    sandbox
        .skillpm(format!("list -C {long}"))
        .exits_one_of([2, 6])
        .explains([&*long]);
    snapshot.still_holds();
    sandbox.write(
        "skillpm.toml",
        format!("[dependencies]\npdf = {{ path = \"pdf\" }}\n[install]\ndir = \"{long}\"\n"),
    );
    let snapshot = sandbox.snapshot();
    sandbox
        .skillpm("install")
        .exits(2)
        .explains(["invalid `install.dir`", &*long]);
    snapshot.still_holds();
}

#[test]
fn disk_without_inodes_leaves_the_old_version_intact() {
    if !mount::permitted() {
        return;
    }
    for dir in ["../project", "../home/.skillpm"] {
        let (sandbox, _repo) = project();
        let lock = sandbox.read("skillpm.lock");
        let script = format!(
            "mkdir -p ../kept && cp -a {dir}/. ../kept/ && names=$(find ../kept | wc -l)\n\
             mount -t tmpfs -o nr_inodes=$((names + 20)) none {dir} && cp -a ../kept/. {dir}/ && cd .\n\
             set +e\n\"$@\"\ncode=$?\ncat .agents/skills/many/SKILL.md skillpm.lock\nfind . -name '*stage*' -o -name 'journal*'\nexit $code"
        );
        let outcome = sandbox.skillpm("update").after_mounting(&script).exits(6);
        outcome
            .explains(["no space left"])
            .stdout_has("1.0.0")
            .never_prints("2.0.0");
        assert!(
            outcome.stdout_text().ends_with(&lock),
            "{dir}: {}",
            outcome.stdout_text()
        );
        goes_on(&sandbox);
    }
}

/// Runs `update` with something mounted over the directory of skills, which keeps what it had.
fn on_mounted(sandbox: &Sandbox, options: &str) -> bool {
    let script = format!(
        "mkdir -p ../kept && cp -a .agents/. ../kept/ && mount -t {options} none .agents && cp -a ../kept/. .agents/ && touch ../mounted\n\
         set +e\n\"$@\"\ncode=$?\ncat .agents/skills/many/SKILL.md\nexit $code"
    );
    let outcome = sandbox
        .skillpm("update")
        .after_mounting(&script)
        .spawn()
        .wait();
    if !sandbox.path("../mounted").exists() {
        skipped(&format!("this system has no `mount -t {options}`"));
        return false;
    }
    outcome.ended(0).stdout_has("2.0.0");
    true
}

#[test]
fn special_file_systems_work_as_targets() {
    if !mount::permitted() {
        return;
    }
    for options in [
        "tmpfs -o casefold",
        "tmpfs -o nosymfollow",
        "tmpfs -o noexec",
        "ramfs",
    ] {
        let (sandbox, _repo) = project();
        on_mounted(&sandbox, options);
    }
}

/// Puts an overlay over the project, as a later layer of a container's image has it: what an earlier one brought can be
/// removed there, and no directory of it can be moved.
const LAYERED: &str = "mkdir -p ../upper ../work && mount -t overlay -o userxattr,lowerdir=../lower,upperdir=../upper,workdir=../work none \"$PWD\" \
                       && cd \"$PWD\" && touch ../mounted";

/// A project below such an overlay; `None` where there are none.
fn layered() -> Option<Sandbox> {
    if !mount::permitted() {
        return None;
    }
    let (sandbox, _repo) = project();
    sandbox.copy(".", "../lower");
    sandbox.copy("~/.skillpm", "../kept-home");
    let _ = sandbox
        .skillpm("list")
        .after_mounting(LAYERED)
        .spawn()
        .wait();
    let is_mounted = sandbox.path("../mounted").exists();
    if !is_mounted {
        skipped("this machine does not let a test mount an overlay");
    }
    is_mounted.then_some(sandbox)
}

/// The overlay and the home as they were before anything was done in them.
fn rewind(sandbox: &Sandbox) {
    for dir in ["../upper", "../work", "~/.skillpm"] {
        let _ = std::fs::remove_dir_all(sandbox.path(dir));
    }
    sandbox.copy("../kept-home", "~/.skillpm");
}

#[test]
fn skills_in_a_lower_overlay_layer_are_updated_and_removed() {
    let Some(sandbox) = layered() else { return };
    rewind(&sandbox);
    let then = "\"$1\" verify\n\"$1\" undo\n\"$1\" verify\ncat .agents/skills/many/SKILL.md\nls -A .skillpm";
    let told = sandbox
        .skillpm("update")
        .after_mounting(&format!("{LAYERED}\n\"$@\"\n{then}"))
        .exits(0);
    told.stdout_has("1.0.0")
        .never_prints("stage")
        .never_prints("journal");
    rewind(&sandbox);
    let told = sandbox.skillpm("remove many").after_mounting(&format!(
        "{LAYERED}\n\"$@\"\n! ls .agents/skills/many\n{then}"
    ));
    told.exits(0)
        .stdout_has("1.0.0")
        .never_prints("stage")
        .never_prints("journal");
    rewind(&sandbox);
    sandbox.write("../lower/.agents/skills/many/mine.md", "Mine.\n");
    let gone = format!("{LAYERED}\n\"$@\"\ngrep -rh Mine .skillpm/backup ../home/.skillpm/store");
    let told = sandbox
        .skillpm("remove many --force")
        .after_mounting(&gone)
        .spawn()
        .wait();
    told.stdout_has("Mine.");
}

#[test]
fn killed_update_over_an_overlay_is_recovered() {
    let Some(sandbox) = layered() else { return };
    let stride = if std::env::var_os("SKILLPM_NIGHTLY").is_some() {
        1
    } else {
        9
    };
    let again = format!(
        "{LAYERED}\n\"$1\" undo --dry-run || true\n\"$@\"\n\"$1\" update\n\"$1\" verify\ncat .agents/skills/many/SKILL.md\nls -A .skillpm"
    );
    for (killed, n) in (1..1000).step_by(stride).enumerate() {
        rewind(&sandbox);
        let run = sandbox
            .skillpm("update")
            .env("SKILLPM_FAILPOINT", format!("kill@{n}"));
        let outcome = run.after_mounting(LAYERED).spawn().wait();
        if outcome.code() == Some(0) {
            assert!(killed > 8, "only {killed} kills");
            report_count(&format!(
                "`update` over an earlier layer: killed at {killed} failpoints"
            ));
            return;
        }
        // All of it is the old one or the new one after a command that does nothing but take the project.
        let whole = sandbox.skillpm("verify").after_mounting(&again).exits(0);
        whole
            .stdout_has("2.0.0")
            .never_prints("stage")
            .never_prints("journal")
            .never_prints("aside");
    }
    panic!("it makes a thousand changes or more");
}
