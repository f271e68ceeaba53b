//! Killed at any moment, the project is the old one or the new one, and the next command finishes the work.

use std::time::{Duration, Instant};

use crate::support::{Repo, Sandbox, skill_md};

/// A project whose `many`, a skill of some sixty files, has a newer version waiting.
fn project() -> (Sandbox, Repo) {
    let sandbox = Sandbox::project_here();
    let repo = Repo::new(&sandbox, "skills");
    for version in ["1.0.0", "2.0.0"] {
        for n in 0..60 {
            repo.write(
                &format!("skills/many/data/{n}.txt"),
                format!("{version} {n}\n").repeat(50),
            );
        }
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

/// Runs `line` in copies of the project and kills it at ten moments spread over the time it takes; after each kill,
/// `many` must be whole, as it was or as `line` leaves it, and `line` again must finish.
fn survives_kills(sandbox: &Sandbox, line: &str) {
    let skill = || sandbox.tree(".agents/skills/many");
    let everything = || sandbox.tree(".");
    let old = skill();
    sandbox.copy(".", "../saved/project");
    sandbox.copy("~/.skillpm", "../saved/home");
    let start = Instant::now();
    sandbox.skillpm(line).exits(0);
    let took = start.elapsed();
    let (new, locked, done) = (skill(), sandbox.read("skillpm.lock"), everything());
    assert_ne!(old, new, "`{line}` should have done something");
    for moment in 0..10 {
        restore(sandbox);
        let running = sandbox.skillpm(line).spawn();
        std::thread::sleep(took * moment / 10 + Duration::from_millis(1));
        running.kill();
        let when = format!("killed after {moment}/10 of {took:?}");
        let seen = skill();
        assert!(seen == old || seen == new, "{when}, it is torn: {seen:?}");
        sandbox.skillpm(line).exits(0);
        assert_eq!(skill(), new, "{when}");
        assert_eq!(sandbox.read("skillpm.lock"), locked, "{when}");
        let litter: Vec<String> = everything()
            .paths()
            .iter()
            .map(|path| (*path).to_owned())
            .collect();
        let litter: Vec<&String> = litter
            .iter()
            .filter(|path| !done.paths().contains(&path.as_str()))
            .collect();
        assert!(litter.is_empty(), "{when}, litter is left: {litter:?}");
        assert_eq!(everything().paths(), done.paths(), "{when}");
        assert!(
            sandbox.tree("../tmp").is_empty(),
            "{when}, litter is left: {:?}",
            sandbox.tree("../tmp")
        );
        sandbox.skillpm("verify").exits(0);
    }
}

fn restore(sandbox: &Sandbox) {
    for (saved, place) in [("../saved/project", "."), ("../saved/home", "~/.skillpm")] {
        let place = sandbox.path(place);
        for entry in std::fs::read_dir(&place).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                std::fs::remove_dir_all(path).unwrap();
            } else {
                std::fs::remove_file(path).unwrap();
            }
        }
        sandbox.copy(saved, place.to_str().unwrap());
    }
}

#[test]
fn killed_update_is_finished_by_the_next() {
    let (sandbox, _repo) = project();
    survives_kills(&sandbox, "update");
}

#[test]
fn killed_install_is_finished_by_the_next() {
    let (sandbox, _repo) = project();
    sandbox.delete(".agents/skills/many");
    survives_kills(&sandbox, "install");
}

#[test]
fn killed_vendor_is_finished_by_the_next() {
    let (sandbox, _repo) = project();
    sandbox.copy(".", "../saved/project");
    sandbox.copy("~/.skillpm", "../saved/home");
    let start = Instant::now();
    sandbox.skillpm("vendor").exits(0);
    let took = start.elapsed();
    let (vendored, settings) = (sandbox.tree("vendor"), sandbox.read(".skillpm/config.toml"));
    for moment in 0..10 {
        restore(&sandbox);
        let running = sandbox.skillpm("vendor").spawn();
        std::thread::sleep(took * moment / 10 + Duration::from_millis(1));
        running.kill();
        // Settings that name a directory which is not there would be a lie.
        let is_named = sandbox.path(".skillpm/config.toml").exists();
        assert!(
            !is_named || sandbox.tree("vendor") == vendored,
            "after {moment}/10: {:?}",
            sandbox.tree("vendor")
        );
        sandbox.skillpm("vendor").exits(0);
        assert_eq!(sandbox.tree("vendor"), vendored, "after {moment}/10");
        sandbox.reads(".skillpm/config.toml", &settings);
        sandbox.delete(".agents");
        sandbox
            .skillpm("install --frozen")
            .home("elsewhere")
            .exits(0);
    }
}

/// What a person changes after a command was killed, at any moment of it, is still there after the recovery.
#[cfg(target_os = "linux")]
#[test]
fn changes_after_a_kill_survive_the_recovery() {
    const CHANGED: [&str; 4] = [
        ".agents/skills/many/SKILL.md",
        ".agents/skills/other/notes.md",
        "skillpm.toml",
        "skillpm.lock",
    ];
    let (sandbox, repo) = project();
    repo.skill("skills/other", "Is another.")
        .commit("other")
        .tag("v2.0.1");
    sandbox
        .skillpm(format!("add {} --skill other --version '*'", repo.url()))
        .exits(0);
    sandbox
        .skillpm(format!("add {} --skill many --version =1.0.0", repo.url()))
        .exits(0);
    repo.skill("skills/other", "Is another, and better.")
        .commit("better")
        .tag("v3.0.0");
    sandbox.copy(".", "../saved/project");
    sandbox.copy("~/.skillpm", "../saved/home");
    let line = format!("add {} --skill many --version '*'", repo.url());
    let (mut half, mut saved) = (0, 0);
    let stride = if std::env::var_os("SKILLPM_NIGHTLY").is_some() {
        1
    } else {
        2
    };
    for failpoint in (1..).step_by(stride) {
        restore(&sandbox);
        let outcome = sandbox
            .skillpm(&line)
            .env("SKILLPM_FAILPOINT", format!("kill@{failpoint}"))
            .spawn()
            .wait();
        if outcome.code() == Some(0) {
            break;
        }
        let is_half = sandbox.path(".skillpm/journal.json").exists();
        half += usize::from(is_half);
        let mut written = Vec::new();
        for path in CHANGED {
            let Ok(before) = std::fs::read_to_string(sandbox.path(path)).or_else(|_| {
                let parent = sandbox
                    .path(path)
                    .parent()
                    .is_some_and(std::path::Path::exists);
                if parent { Ok(String::new()) } else { Err(()) }
            }) else {
                continue;
            };
            let mine = format!("# PERSON {failpoint} {path}");
            sandbox.write(path, format!("{before}{mine}\n"));
            written.push(mine);
        }
        if is_half {
            for reading in ["verify", "diff"] {
                let outcome = sandbox.skillpm(reading).exits_one_of([0, 1, 2]);
                outcome.stderr_has("a command was interrupted, and its changes are incomplete");
            }
            assert!(
                sandbox.path(".skillpm/journal.json").exists(),
                "what only reads recovered"
            );
        }
        let outcome = sandbox.skillpm("install").exits_one_of([0, 1, 2]);
        saved += usize::from(outcome.stderr_text().contains("your version is saved in"));
        for mine in written {
            let is_somewhere = sandbox.tree(".").paths().iter().any(|path| {
                std::fs::read(sandbox.path(path))
                    .is_ok_and(|bytes| String::from_utf8_lossy(&bytes).contains(&mine))
            });
            assert!(
                is_somewhere,
                "killed before change {failpoint}: `{mine}` is gone: {}",
                outcome.stderr_text()
            );
        }
    }
    assert!(
        half > 3 && saved > 1,
        "{half} kills left a journal, after {saved} of them something was saved"
    );
}
