//! Several skillpm at once wait for each other, and all of them land.

use crate::support::{Fault, Repo, Sandbox, Server};

/// Adds each of these skills of one repository from a process of its own, all at once.
fn add_at_once(sandbox: &Sandbox, names: &[&str]) {
    let repo = Repo::new(sandbox, "skills");
    names.iter().fold(&repo, |repo, name| repo.skill(&format!("skills/{name}"), "One of several.")).commit("first");
    let start = |name: &&str| sandbox.skillpm(format!("add {} --skill {name}", repo.url())).spawn();
    let running: Vec<_> = names.iter().map(start).collect();
    for run in running {
        let outcome = run.wait();
        outcome.ended(0);
    }
    let manifest = sandbox.manifest();
    let mut listed: Vec<_> = manifest["dependencies"].as_table().unwrap().keys().map(String::as_str).collect();
    listed.sort_unstable();
    assert_eq!(listed, names);
    assert_eq!(sandbox.tree(".agents/skills").top(), names);
    assert_eq!(sandbox.lock()["package"].as_array().unwrap().len(), names.len());
    sandbox.skillpm("verify").exits(0);
}

#[test]
fn two_that_add_at_once_both_land() {
    add_at_once(&Sandbox::project_here(), &["csv", "pdf"]);
}

#[test]
fn eight_that_add_at_once_all_land() {
    add_at_once(&Sandbox::project_here(), &["a1", "b2", "c3", "d4", "e5", "f6", "g7", "h8"]);
}

#[test]
fn the_same_skill_added_by_four_at_once_is_there_once() {
    let sandbox = Sandbox::project_here();
    let repo = sandbox.repo_with("pdf");
    let start = |_| sandbox.skillpm(format!("add {} --skill pdf", repo.url())).spawn();
    let running: Vec<_> = (0..4).map(start).collect();
    for run in running {
        run.wait().ended(0);
    }
    assert_eq!(sandbox.tree(".agents/skills").paths(), ["pdf/SKILL.md"]);
    sandbox.skillpm("verify").exits(0);
}

#[test]
fn two_projects_share_a_store_at_once() {
    let sandbox = Sandbox::project_here();
    let repo = sandbox.repo_with("pdf");
    sandbox.write("other/skillpm.toml", "[dependencies]\n");
    let line = format!("add {} --skill pdf", repo.url());
    let (one, two) = (sandbox.skillpm(&line).spawn(), sandbox.skillpm(&line).in_dir("other").spawn());
    one.wait().ended(0);
    two.wait().ended(0);
    sandbox.has([".agents/skills/pdf/SKILL.md"]);
    assert_eq!(sandbox.tree(".agents/skills"), sandbox.tree("other/.agents/skills"));
}

#[test]
fn a_quick_command_beside_a_slow_fetch_loses_nothing() {
    let sandbox = Sandbox::project_here();
    sandbox.repo_with("pdf");
    sandbox.write_skill("csv", "Reads CSV.");
    let server = Server::start(&sandbox);
    server.fault("git-upload-pack", Fault::Slow(std::time::Duration::from_millis(150)));
    let slow = sandbox.skillpm(format!("add {} --skill pdf", server.url("skills"))).spawn();
    sandbox.skillpm("add ./csv").exits(0);
    slow.wait().ended(0);
    assert_eq!(sandbox.tree(".agents/skills").top(), ["csv", "pdf"]);
    sandbox.skillpm("verify").exits(0);
}

#[cfg(unix)]
#[test]
fn a_lock_held_by_the_dead_is_free() {
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

#[test]
fn a_project_held_for_too_long_is_told_with_a_code_of_its_own() {
    let sandbox = Sandbox::project_here();
    sandbox.write_skill("pdf", "Works on PDF files.");
    let held = std::fs::File::open(sandbox.path(".")).unwrap();
    held.lock().unwrap();
    let snapshot = sandbox.snapshot();
    sandbox.skillpm("add ./pdf --config lock.timeout=0").exits(5).explains(["gave up waiting", "lock"]);
    snapshot.still_holds();
    held.unlock().unwrap();
    sandbox.skillpm("add ./pdf --config lock.timeout=0").exits(0);
}

#[test]
fn reading_commands_do_not_wait_for_a_project_that_is_held() {
    let sandbox = Sandbox::project_here();
    sandbox.write_skill("pdf", "Works on PDF files.");
    sandbox.skillpm("add ./pdf").exits(0);
    let held = std::fs::File::open(sandbox.path(".")).unwrap();
    held.lock().unwrap();
    for command in ["list", "tree", "verify", "catalog", "show pdf", "why pdf"] {
        sandbox.skillpm(format!("{command} --config lock.timeout=0")).exits(0);
    }
}
