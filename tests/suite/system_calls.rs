//! How often the system is asked about each further skill: a count, which no load of the machine changes.

#![cfg(target_os = "linux")]

use std::collections::BTreeSet;

use serde_json::json;

use crate::sparse_registry::served;
use crate::support::{Repo, Sandbox, Server, is_traceable};

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

/// The calls of one kind that a command makes, with the paths of file descriptors. One during which another thread makes a
/// call is two lines, with its arguments and with its result.
fn traced_calls(sandbox: &Sandbox, line: &str, calls: &str) -> Vec<String> {
    let trace = sandbox.root().join("tmp/trace");
    let calls = format!("trace={calls}");
    let arguments = ["-f", "-y", "-e", &calls, "-o", trace.to_str().unwrap()];
    sandbox.skillpm(line).traced(&arguments).exits(0);
    let trace = std::fs::read_to_string(trace).unwrap();
    trace.lines().map(str::to_owned).collect()
}

#[test]
fn audit_starts_no_more_threads_than_there_are_processors() {
    if !is_traceable() {
        return;
    }
    let processors = std::thread::available_parallelism().unwrap().get();
    let sandbox = Sandbox::project_here();
    for number in 0..60 {
        for skill in [
            format!(".agents/skills/number-{number}"),
            format!("more/part-{number}"),
        ] {
            sandbox.write_skill(&skill, "Does one thing well.");
            sandbox.write(&format!("{skill}/docs/notes.md"), "Notes.\n");
        }
    }
    for (line, most) in [
        ("audit", processors),
        ("audit --capabilities", processors),
        ("audit number-1 number-2", processors),
        ("audit number-1", 0),
        // One after the other: those that walk, then those that check.
        ("audit ./more", 2 * processors),
        ("lint more/part-1/SKILL.md", 0),
    ] {
        let calls = traced_calls(&sandbox, line, "clone,clone3,vfork");
        let started = calls.iter().filter(|call| call.contains('(')).count();
        assert!(started <= most, "`{line}` started {started} threads");
    }
}

#[test]
fn audit_of_a_named_skill_opens_no_other() {
    if !is_traceable() {
        return;
    }
    let sandbox = Sandbox::project_here();
    let repo = Repo::new(&sandbox, "skills");
    for name in ["pdf", "csv", "docx"] {
        repo.skill(&format!("skills/{name}"), "Reads a file.");
    }
    repo.commit("first");
    let add = format!("add {} --all", repo.url());
    sandbox.skillpm(add).exits(0);
    sandbox.write_skill(".agents/skills/own", "Is not locked.");
    std::fs::remove_dir_all(sandbox.path(".agents/skills/docx")).unwrap();

    // Installed as locked, not locked, locked but not installed, and a path.
    for (named, others) in [
        ("pdf", ["/csv", "/own", "store/sha256"]),
        ("own", ["/pdf", "/csv", "store/sha256"]),
        ("docx", ["/pdf", "/csv", "/own"]),
        ("./.agents/skills/csv", ["/pdf", "/own", "store/sha256"]),
    ] {
        let line = format!("audit {named}");
        for call in traced_calls(&sandbox, &line, "openat,getdents64") {
            for other in others {
                assert!(!call.contains(other), "`{line}` opened {other}: {call}");
            }
        }
    }
}

/// The objects of git repositories that a command opens, and their packs.
fn opened_objects(sandbox: &Sandbox, line: &str) -> BTreeSet<String> {
    let calls = traced_calls(sandbox, line, "openat");
    let path = |call: &String| Some(call.rsplit_once(" = ")?.1.split_once('<')?.1.to_owned());
    let is_object = |path: &String| path.contains("/objects/") && !path.ends_with("/pack>");
    calls.iter().filter_map(path).filter(is_object).collect()
}

#[test]
fn update_with_nothing_new_opens_no_more_of_a_repository_than_outdated() {
    if !is_traceable() {
        return;
    }
    let sandbox = Sandbox::project_here();
    let repo = Repo::new(&sandbox, "skills");
    for number in 0..20 {
        repo.skill(&format!("skills/number-{number}"), "Does one thing.");
    }
    let page = "---\nname: number-7\ndescription: Does one thing.\n---\n\nIt requires nothing.\n";
    repo.write("skills/number-7/SKILL.md", page);
    repo.commit("first").tag("release");
    let server = Server::start(&sandbox);
    for (source, skills) in [
        (format!("{} --branch main", repo.url()), 0..5),
        (format!("{} --tag release", repo.url()), 5..10),
        (server.url("skills"), 10..20),
    ] {
        let names: Vec<String> = skills
            .map(|number| format!("--skill number-{number}"))
            .collect();
        sandbox
            .skillpm(format!("add {source} {}", names.join(" ")))
            .exits(0);
    }

    server.forget();
    let known = opened_objects(&sandbox, "outdated");
    let asked = server.requests().len();
    server.forget();
    let lock = sandbox.read("skillpm.lock");
    // A commit, and the ends of two packs.
    assert!(known.len() <= 5, "{known:?}");
    assert_eq!(opened_objects(&sandbox, "update"), known);
    assert_eq!(server.requests().len(), asked);
    sandbox.reads("skillpm.lock", &lock);

    // What is named is read, and so is a project that is not as skillpm left it.
    assert!(opened_objects(&sandbox, "update number-1").len() > known.len());
    sandbox.delete(".agents/skills/number-2");
    assert!(opened_objects(&sandbox, "update").len() > known.len());
    sandbox.has([".agents/skills/number-2/SKILL.md"]);
    assert_eq!(opened_objects(&sandbox, "update"), known);
}
