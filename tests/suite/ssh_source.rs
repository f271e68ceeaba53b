//! Repositories over ssh, with a key in an agent.

use crate::support::{Sandbox, Ssh};

#[test]
fn ssh_agent_opens_a_repository() {
    let sandbox = Sandbox::project_here();
    let repo = sandbox.repo_with("pdf");
    let Some(ssh) = Ssh::start(&sandbox) else {
        return;
    };
    let run = sandbox
        .skillpm(format!("-v add {} --skill pdf", ssh.url(repo.path())))
        .envs(&ssh.env())
        .exits(0);
    assert_eq!(sandbox.locked_commit("pdf"), repo.head());
    assert!(sandbox.locked("pdf", "source").starts_with("git+ssh://"));
    assert!(ssh.connections() > 0);
    // Each connection is listed, with what came over it.
    let listed: Vec<&str> = run
        .stderr_text()
        .lines()
        .filter(|line| line.contains("Requested SSH ssh://") && !line.contains("no answer"))
        .collect();
    assert_eq!(listed.len(), ssh.connections(), "{}", run.stderr_text());
}

#[test]
fn missing_ssh_agent_is_reported() {
    let sandbox = Sandbox::project_here();
    let repo = sandbox.repo_with("pdf");
    let Some(ssh) = Ssh::start(&sandbox) else {
        return;
    };
    let snapshot = sandbox.snapshot();
    let line = format!("add {} --skill pdf", ssh.url(repo.path()));
    sandbox
        .skillpm(line)
        .envs(&ssh.env_without_agent())
        .exits(4)
        .explains(["ssh"]);
    snapshot.still_holds();
}

#[test]
fn server_with_an_unknown_key_is_refused() {
    let sandbox = Sandbox::project_here();
    let repo = sandbox.repo_with("pdf");
    let Some(ssh) = Ssh::start(&sandbox) else {
        return;
    };
    ssh.expect_another_host_key();
    let snapshot = sandbox.snapshot();
    sandbox
        .skillpm(format!("add {} --skill pdf", ssh.url(repo.path())))
        .envs(&ssh.env())
        .exits(4)
        .explains(["ssh"]);
    snapshot.still_holds();
}

#[test]
fn second_install_opens_no_connection() {
    let sandbox = Sandbox::project_here();
    let repo = sandbox.repo_with("pdf");
    let Some(ssh) = Ssh::start(&sandbox) else {
        return;
    };
    sandbox
        .skillpm(format!("add {} --skill pdf", ssh.url(repo.path())))
        .envs(&ssh.env())
        .exits(0);
    let before = ssh.connections();
    assert!(before > 0);
    sandbox.skillpm("install").envs(&ssh.env()).exits(0);
    assert_eq!(ssh.connections(), before);
}

#[test]
fn host_or_path_like_an_option_never_reaches_ssh() {
    for url in [
        "ssh://-oProxyCommand=touch%20pwned/x",
        "ssh://host.invalid/-oProxyCommand=x",
        "-oProxyCommand=x:y",
    ] {
        let sandbox = Sandbox::project_here();
        let snapshot = sandbox.snapshot();
        sandbox.skillpm(format!("add -- {url}")).exits(2);
        snapshot.still_holds();
    }
}
