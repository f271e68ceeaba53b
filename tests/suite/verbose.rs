//! `--verbose`: what was asked of whom; and what a terminal shows while it takes long.

use std::time::Duration;

use crate::sparse_registry::served;
use crate::support::{Fault, Sandbox, skipped};

#[test]
fn verbose_lists_each_request_and_counts_them_by_source() {
    let sandbox = Sandbox::project_here();
    let (server, _) = served(&sandbox);
    server.forget();
    let run = sandbox.skillpm("-v add acme/pdf --registry acme").exits(0);
    let sent = server.requests();
    let listed = run.stderr_text().matches("Requested GET http://").count();
    assert_eq!(listed, sent.len(), "{}", run.stderr_text());
    let bytes: usize = sent.iter().map(|request| request.sent).sum();
    assert!(bytes > 0);
    run.stderr_has(&format!(": {} requests, ", sent.len()));

    // The second time the server says that its files are the same.
    server.forget();
    let run = sandbox.skillpm("-v update").exits(0);
    let unchanged = server
        .requests()
        .iter()
        .filter(|request| request.status == 304)
        .count();
    assert!(unchanged > 0);
    run.stderr_has(&format!("{unchanged} unchanged, 0 B"));

    // Nothing was asked, and nothing is said.
    sandbox
        .skillpm("-v install")
        .exits(0)
        .never_prints("Requested");
    sandbox.skillpm("update").exits(0).never_prints("Requested");
}

#[test]
fn requests_of_git_are_listed() {
    let sandbox = Sandbox::project_here();
    sandbox.repo_with("pdf");
    let server = crate::support::Server::start(&sandbox);
    let run = sandbox
        .skillpm(format!(
            "-v add {} --skill pdf --branch main",
            server.url("skills")
        ))
        .exits(0);
    run.stderr_has("Requested POST [URL]");
    let listed = run.stderr_text().matches("Requested ").count();
    assert_eq!(listed, server.requests().len(), "{}", run.stderr_text());
}

#[cfg(unix)]
#[test]
fn terminal_shows_the_source_that_takes_long() {
    if !crate::prompts::has_terminal() {
        skipped("there is no terminal");
        return;
    }
    let sandbox = Sandbox::project_here();
    let (server, _) = served(&sandbox);
    server.fault("acme", Fault::Slow(Duration::from_millis(1500)));
    let run = sandbox
        .skillpm("add acme/pdf --registry acme")
        .on_terminal("fetching from", "");
    run.ended(0);
    assert!(run.stdout_text().contains("  127.0.0.1:"));
    run.stdout_has(" B/s");
    run.stdout_has("Fetched 3 sources");

    // On a pipe there is no such line.
    sandbox.delete("~/.skillpm");
    sandbox
        .skillpm("install")
        .exits(0)
        .never_prints("fetching from")
        .never_prints("requests");
}
