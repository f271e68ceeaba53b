//! Several skillpm at once wait for each other, and all of them land.

use std::fs::File;
use std::time::{Duration, Instant};

use crate::support::{Fault, IS_PORTABLE, Repo, Sandbox, Server};

/// Adds each of these skills of one repository from a process of its own, all at once.
fn add_at_once(sandbox: &Sandbox, names: &[&str]) {
    let repo = Repo::new(sandbox, "skills");
    names
        .iter()
        .fold(&repo, |repo, name| {
            repo.skill(&format!("skills/{name}"), "One of several.")
        })
        .commit("first");
    let start = |name: &&str| {
        sandbox
            .skillpm(format!("add {} --skill {name}", repo.url()))
            .spawn()
    };
    let running: Vec<_> = names.iter().map(start).collect();
    for run in running {
        let outcome = run.wait();
        outcome.ended(0);
    }
    let manifest = sandbox.manifest();
    let mut listed: Vec<_> = manifest["dependencies"]
        .as_table()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect();
    listed.sort_unstable();
    assert_eq!(listed, names);
    assert_eq!(sandbox.tree(".agents/skills").top(), names);
    assert_eq!(
        sandbox.lock()["package"].as_array().unwrap().len(),
        names.len()
    );
    sandbox.skillpm("verify").exits(0);
}

#[test]
fn two_concurrent_adds_both_succeed() {
    add_at_once(&Sandbox::project_here(), &["csv", "pdf"]);
}

#[test]
fn eight_concurrent_adds_all_succeed() {
    add_at_once(
        &Sandbox::project_here(),
        &["a1", "b2", "c3", "d4", "e5", "f6", "g7", "h8"],
    );
}

#[test]
fn same_skill_added_by_four_processes_is_installed_once() {
    let sandbox = Sandbox::project_here();
    let repo = sandbox.repo_with("pdf");
    let start = |_| {
        sandbox
            .skillpm(format!("add {} --skill pdf", repo.url()))
            .spawn()
    };
    let running: Vec<_> = (0..4).map(start).collect();
    for run in running {
        run.wait().ended(0);
    }
    assert_eq!(sandbox.tree(".agents/skills").paths(), ["pdf/SKILL.md"]);
    sandbox.skillpm("verify").exits(0);
}

#[test]
fn two_projects_use_one_store_concurrently() {
    let sandbox = Sandbox::project_here();
    let repo = sandbox.repo_with("pdf");
    sandbox.write("other/skillpm.toml", "[dependencies]\n");
    let line = format!("add {} --skill pdf", repo.url());
    let (one, two) = (
        sandbox.skillpm(&line).spawn(),
        sandbox.skillpm(&line).in_dir("other").spawn(),
    );
    one.wait().ended(0);
    two.wait().ended(0);
    sandbox.has([".agents/skills/pdf/SKILL.md"]);
    assert_eq!(
        sandbox.tree(".agents/skills"),
        sandbox.tree("other/.agents/skills")
    );
}

#[test]
fn quick_command_during_a_slow_fetch_loses_nothing() {
    let sandbox = Sandbox::project_here();
    sandbox.repo_with("pdf");
    sandbox.write_skill("csv", "Reads CSV.");
    let server = Server::start(&sandbox);
    server.fault(
        "git-upload-pack",
        Fault::Slow(std::time::Duration::from_millis(150)),
    );
    let slow = sandbox
        .skillpm(format!("add {} --skill pdf", server.url("skills")))
        .spawn();
    sandbox.skillpm("add ./csv").exits(0);
    slow.wait().ended(0);
    assert_eq!(sandbox.tree(".agents/skills").top(), ["csv", "pdf"]);
    sandbox.skillpm("verify").exits(0);
}

#[cfg(unix)]
#[test]
fn lock_of_a_dead_process_is_free() {
    let sandbox = Sandbox::project_here();
    let repo = sandbox.repo_with("pdf");
    let line = format!("add {} --skill pdf", repo.url());
    for millis in [1, 3, 6, 10] {
        let running = sandbox.skillpm(&line).spawn();
        std::thread::sleep(std::time::Duration::from_millis(millis));
        running.kill();
    }
    sandbox.skillpm(&line).exits(0);
    sandbox.has([".agents/skills/pdf/SKILL.md"]);
    sandbox.skillpm("verify").exits(0);
}

/// Locks the project as a command does: the directory, or with the portable implementation a file in it.
fn lock_project(sandbox: &Sandbox) -> File {
    let held = if IS_PORTABLE {
        File::create(sandbox.path(".skillpm-stage-lock"))
    } else {
        File::open(sandbox.path("."))
    };
    let held = held.unwrap();
    held.lock().unwrap();
    held
}

#[test]
fn lock_timeout_has_its_own_exit_code() {
    let sandbox = Sandbox::project_here();
    sandbox.write_skill("pdf", "Works on PDF files.");
    let held = lock_project(&sandbox);
    let snapshot = sandbox.snapshot();
    sandbox
        .skillpm("add ./pdf --config lock.timeout=0")
        .exits(5)
        .explains(["timed out waiting", "lock"]);
    snapshot.still_holds();
    // A process that another test has just begun may hold it for a moment longer.
    drop(held);
    sandbox
        .skillpm("add ./pdf --config lock.timeout=10")
        .exits(0);
}

#[test]
fn reading_commands_do_not_wait_for_the_project_lock() {
    let sandbox = Sandbox::project_here();
    sandbox.write_skill("pdf", "Works on PDF files.");
    sandbox.skillpm("add ./pdf").exits(0);
    let _held = lock_project(&sandbox);
    for command in ["list", "tree", "verify", "catalog", "show pdf", "why pdf"] {
        sandbox
            .skillpm(format!("{command} --config lock.timeout=0"))
            .exits(0);
    }
}

/// How often what many do at once is done: often where there is time for it (`.ci/run nightly`).
fn rounds() -> usize {
    if std::env::var_os("SKILLPM_NIGHTLY").is_some() {
        20
    } else {
        1
    }
}

#[test]
fn fifty_concurrent_commands_in_one_project_all_succeed() {
    for round in 0..rounds() {
        let sandbox = Sandbox::project_here();
        let repo = Repo::new(&sandbox, "skills");
        let names: Vec<String> = (0..50).map(|n| format!("skill-{n:02}")).collect();
        names
            .iter()
            .fold(&repo, |repo, name| {
                repo.skill(&format!("skills/{name}"), "One of many.")
            })
            .commit("first");
        let gone: Vec<String> = (0..5).map(|n| format!("gone-{n}")).collect();
        for name in &gone {
            sandbox.write_skill(name, "Is there before the others, and goes.");
            sandbox.skillpm(format!("add ./{name}")).exits(0);
        }
        let add = |name: &String| format!("add {} --skill {name}", repo.url());
        let beside =
            ["list", "catalog", "update", "install", "list --format json"].map(str::to_owned);
        let lines = names
            .iter()
            .map(add)
            .chain(gone.iter().map(|name| format!("remove {name}")));
        let lines: Vec<String> = lines
            .chain(beside.iter().cloned().cycle().take(20))
            .collect();
        let running: Vec<_> = lines
            .iter()
            .map(|line| sandbox.skillpm(line).spawn())
            .collect();
        for run in running {
            run.wait().ended(0);
        }
        let manifest = sandbox.manifest();
        let listed: Vec<&String> = manifest["dependencies"]
            .as_table()
            .unwrap()
            .keys()
            .collect();
        assert_eq!(listed.len(), 50, "round {round}: {listed:?}");
        assert_eq!(sandbox.tree(".agents/skills").top(), names, "round {round}");
        assert_eq!(
            sandbox.lock()["package"].as_array().unwrap().len(),
            50,
            "round {round}"
        );
        sandbox.skillpm("verify").exits(0);
    }
}

#[test]
fn fifty_projects_use_one_store_while_it_is_pruned() {
    for _ in 0..rounds() {
        let sandbox = Sandbox::new();
        let repo = Repo::new(&sandbox, "skills");
        (0..10)
            .fold(&repo, |repo, n| {
                repo.skill(&format!("skills/skill-{n}"), "One of ten.")
            })
            .commit("first");
        let server = Server::start(&sandbox);
        let dirs: Vec<String> = (0..50).map(|n| format!("project-{n}")).collect();
        let mut running = Vec::new();
        for (n, dir) in dirs.iter().enumerate() {
            sandbox.write(&format!("{dir}/skillpm.toml"), "[dependencies]\n");
            let line = format!(
                "add {} --skill skill-{} --branch main",
                server.url("skills"),
                n % 10
            );
            running.push(sandbox.skillpm(line).in_dir(dir).spawn());
            if n % 10 == 0 {
                running.push(sandbox.skillpm("cache prune --older-than 0d").spawn());
            }
        }
        for run in running {
            run.wait().ended(0);
        }
        for dir in &dirs {
            sandbox.skillpm("verify").in_dir(dir).exits(0);
        }
        sandbox.skillpm("cache verify").exits(0);
    }
}

#[test]
fn waiting_is_reported_after_one_second() {
    let sandbox = Sandbox::project_here();
    sandbox.write_skill("pdf", "Works on PDF files.");
    for (held_for, is_told) in [(300, false), (1600, true)] {
        let held = lock_project(&sandbox);
        let waiting = sandbox.skillpm("add ./pdf").spawn();
        std::thread::sleep(Duration::from_millis(held_for));
        drop(held);
        let outcome = waiting.wait();
        outcome.ended(0);
        assert_eq!(
            outcome.stderr_text().contains("Blocking waiting for"),
            is_told,
            "{}",
            outcome.stderr_text()
        );
    }
}

#[cfg(target_os = "linux")]
#[test]
fn lock_of_a_killed_process_is_free_at_once() {
    for round in 0..rounds() {
        let sandbox = Sandbox::project_here();
        let repo = sandbox.repo_with("pdf");
        sandbox.write_skill("csv", "Works on tables.");
        let line = format!("add {} --skill pdf", repo.url());
        let mut holder = sandbox
            .skillpm(&line)
            .env("SKILLPM_FAILPOINT", format!("stop@{}", 30 + round))
            .spawn();
        assert!(holder.stopped());
        sandbox
            .skillpm("add ./csv --config lock.timeout=0")
            .exits(5);
        let waiting = sandbox.skillpm("add ./csv").spawn();
        std::thread::sleep(Duration::from_millis(200));
        assert!(holder.kill());
        let free = Instant::now();
        waiting.wait().ended(0);
        assert!(
            free.elapsed() < Duration::from_secs(5),
            "{:?}",
            free.elapsed()
        );
        sandbox.skillpm(&line).exits(0);
        sandbox.skillpm("verify").exits(0);
    }
}
