//! How often the system is asked about each further skill: a count, which no load of the machine changes.

#![cfg(target_os = "linux")]

use serde_json::json;

use crate::sparse_registry::served;
use crate::support::{Sandbox, is_traceable};

/// The calls that take a path, of one command whose caches are written, in a project with this many skills.
fn path_calls(skills: usize, line: &str) -> usize {
    let sandbox = Sandbox::project_here();
    for number in 0..skills {
        sandbox.write_skill(
            &format!(".claude/skills/number-{number}"),
            "Does one thing well.",
        );
    }
    // What was just written might still change unseen.
    let later = (jiff::Timestamp::now().as_second() + 60).to_string();
    let run = || sandbox.skillpm(line).env("SKILLPM_CLOCK", &later);
    run().exits(0);

    let trace = sandbox.root().join("tmp/trace");
    run()
        .traced(&["-f", "-e", "trace=%file", "-o", trace.to_str().unwrap()])
        .exits(0);
    std::fs::read_to_string(trace).unwrap().lines().count()
}

#[test]
fn each_skill_costs_few_system_calls() {
    if !is_traceable() {
        return;
    }
    for (line, limit) in [
        ("catalog --format xml", 1),
        ("catalog --format json", 3),
        ("list", 2),
    ] {
        let further = path_calls(60, line) - path_calls(20, line);
        assert!(further <= 40 * limit, "{line}: {further} for 40 skills");
    }
}

#[test]
fn manifest_and_lockfile_are_read_with_one_call_each() {
    if !is_traceable() {
        return;
    }
    let sandbox = Sandbox::project_here();
    let repo = sandbox.repo_with("pdf");
    sandbox.skillpm(format!("add {}", repo.url())).exits(0);
    let trace = sandbox.root().join("tmp/trace");
    let arguments = [
        "-f",
        "-y",
        "-e",
        "trace=read",
        "-o",
        trace.to_str().unwrap(),
    ];
    sandbox.skillpm("install").traced(&arguments).exits(0);

    let calls = std::fs::read_to_string(trace).unwrap();
    for name in ["skillpm.toml", "skillpm.lock"] {
        let path = sandbox.path(name).canonicalize().unwrap();
        let reads: Vec<&str> = calls
            .lines()
            .filter(|line| line.contains(&format!("<{}>", path.display())))
            .collect();
        // No read that only finds out that the file has ended.
        let ends = reads.iter().filter(|line| line.ends_with("= 0")).count();
        assert!(!reads.is_empty() && ends == 0, "{reads:?}");
    }
}

#[test]
fn lock_with_nothing_to_do_opens_no_copy_of_an_index_file() {
    if !is_traceable() {
        return;
    }
    let sandbox = Sandbox::project_here();
    let (_server, index) = served(&sandbox);
    sandbox.skillpm("add acme/pdf --registry acme").exits(0);
    // What was just written might still change unseen.
    let later = (jiff::Timestamp::now().as_second() + 60).to_string();
    let lock = || sandbox.skillpm("lock").env("SKILLPM_CLOCK", &later);
    let opened = |arguments: &str| {
        let trace = sandbox.root().join("tmp/trace");
        let run = sandbox.skillpm(arguments).env("SKILLPM_CLOCK", &later);
        run.traced(&["-f", "-e", "trace=openat", "-o", trace.to_str().unwrap()])
            .exits(0);
        let calls = std::fs::read_to_string(trace).unwrap();
        calls.lines().filter(|call| call.contains("acme+")).count()
    };
    lock().exits(0);
    assert_eq!(opened("lock"), 0);
    assert_eq!(opened("install"), 0);

    // A copy that another command fetches is looked at.
    index.rewrite("acme/pdf", "1.2.0", |entry| {
        entry["yanked"] = json!(true);
        entry["revoked"] = json!("bad");
    });
    sandbox.skillpm("outdated").exits_one_of([0, 1]);
    let warning = "installed package `acme/pdf 1.2.0` was revoked: bad";
    lock().exits(0).stderr_has(warning);
    lock().exits(0).stderr_has(warning);
}
