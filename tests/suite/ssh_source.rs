//! Repositories over ssh: with a key in an agent, and by the program that git would run. No run here has a terminal.

use snapbox::str;

use crate::support::{FakeSsh, Registry, Repo, Sandbox, Ssh, configure, package};

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

#[test]
fn ssh_of_the_path_runs_without_terminal_and_settings() {
    let sandbox = Sandbox::project_here();
    let repo = sandbox.repo_with("pdf");
    let ssh = FakeSsh::new(&sandbox, "bin/ssh");
    let url = format!("ssh://git@host.test{}", repo.path().display());

    sandbox
        .skillpm(format!("add {url} --skill pdf"))
        .envs(&ssh.env())
        .exits(0);

    // Nobody can answer, so ssh must not ask.
    let unattended = format!(
        "[-oBatchMode=yes] [-oConnectTimeout=10] [-o] [SendEnv=GIT_PROTOCOL] [git@host.test] [git-upload-pack] ['{}']",
        repo.path().display()
    );
    assert!(!ssh.calls().is_empty());
    for call in ssh.calls() {
        assert_eq!(call, unattended);
    }

    // On a machine that has nothing in its cache.
    ssh.forget();
    let clone = sandbox.fresh_clone("ci");
    sandbox
        .skillpm("install --locked")
        .in_dir(&clone)
        .home("other")
        .envs(&ssh.env())
        .exits(0);
    assert!(clone.join(".agents/skills/pdf/SKILL.md").exists());
    assert_eq!(ssh.calls().first(), Some(&unattended));
}

#[test]
fn index_over_ssh_is_read_and_published_to_without_settings() {
    let sandbox = Sandbox::new();
    let index = Registry::bare(&sandbox, "index.git");
    let ssh = FakeSsh::new(&sandbox, "bin/ssh");
    let url = format!("git+ssh://git@host.test{}", index.path().display());
    configure(&sandbox, &url, "");
    package(&sandbox, "acme/pdf", "1.0.0");

    sandbox.skillpm("publish pdf").envs(&ssh.env()).exits(0);
    sandbox.write("skillpm.toml", "[dependencies]\n");
    sandbox.skillpm("add acme/pdf").envs(&ssh.env()).exits(0);
    sandbox
        .skillpm("yank acme/pdf@1.0.0")
        .envs(&ssh.env())
        .exits(0);

    assert_eq!(index.lines()[0]["yanked"], true);
    let calls = ssh.calls();
    for service in ["git-upload-pack", "git-receive-pack"] {
        assert!(
            calls.iter().any(|call| call.contains(service)),
            "{calls:#?}"
        );
    }
    for call in calls {
        assert!(
            call.starts_with("[-oBatchMode=yes] [-oConnectTimeout=10] "),
            "{call}"
        );
    }
}

#[test]
fn sshd_is_pushed_to_without_a_setting_of_git() {
    let sandbox = Sandbox::new();
    let index = Registry::bare(&sandbox, "index.git");
    let Some(ssh) = Ssh::start(&sandbox) else {
        return;
    };
    let url = format!("git+{}", ssh.url(index.path()));
    configure(&sandbox, &url, "");
    package(&sandbox, "acme/pdf", "1.0.0");

    sandbox.skillpm("publish pdf").envs(&ssh.env()).exits(0);

    assert_eq!(index.versions(), ["acme/pdf 1.0.0"]);
}

#[test]
fn ssh_is_started_as_git_starts_it() {
    for (env, setting, options) in [
        // A program: its name may have spaces, and no shell reads it.
        (
            vec![("GIT_SSH", "PROGRAM")],
            "",
            "[-o] [SendEnv=GIT_PROTOCOL] [-p77]",
        ),
        (
            vec![("GIT_SSH", "PROGRAM"), ("GIT_SSH_VARIANT", "plink")],
            "",
            "[-P] [77]",
        ),
        // A line for the shell, with quotes and arguments.
        (
            vec![(
                "GIT_SSH_COMMAND",
                "'PROGRAM' -F 'a b' \"-oUser=$USER_OF_TEST\"",
            )],
            "",
            "[-F] [a b] [-oUser=ann] [-o] [SendEnv=GIT_PROTOCOL] [-p77]",
        ),
        (
            vec![],
            "[core]\n\tsshCommand = \"'PROGRAM' -F 'a b'\"\n",
            "[-F] [a b] [-o] [SendEnv=GIT_PROTOCOL] [-p77]",
        ),
        (
            vec![],
            "[core]\n\tsshCommand = \"'PROGRAM' -4\"\n[ssh]\n\tvariant = plink\n",
            "[-4] [-P] [77]",
        ),
        // The variable comes before the setting.
        (
            vec![("GIT_SSH_COMMAND", "'PROGRAM' -4")],
            "[core]\n\tsshCommand = false\n",
            "[-4] [-o] [SendEnv=GIT_PROTOCOL] [-p77]",
        ),
    ] {
        let sandbox = Sandbox::project_here();
        let repo = sandbox.repo_with("pdf");
        let ssh = FakeSsh::new(&sandbox, "my programs/tunnel");
        let program = ssh.program().display().to_string();
        sandbox.gitconfig(&setting.replace("PROGRAM", &program));
        let url = format!("ssh://git@host.test:77{}", repo.path().display());

        let mut run = sandbox
            .skillpm(format!("add {url} --skill pdf"))
            .env("USER_OF_TEST", "ann");
        for (key, value) in &env {
            run = run.env(*key, value.replace("PROGRAM", &program));
        }
        run.exits(0);

        let calls = ssh.calls();
        let call = calls.iter().find(|call| !call.contains("[-G]")).unwrap();
        let expected = format!("{options} [git@host.test] [git-upload-pack]");
        assert!(call.starts_with(&expected), "{env:?} {setting}: {call}");
    }
}

#[test]
fn no_shell_reads_the_parts_of_an_ssh_url() {
    for by_command in [false, true] {
        let sandbox = Sandbox::project_here();
        let repo = Repo::new(&sandbox, "a b;touch pwned;$(touch pwned)`touch pwned`&|#'x");
        repo.skill("skills/pdf", "Does one thing well.")
            .commit("first");
        let ssh = FakeSsh::new(&sandbox, "bin/ssh");
        let path: String = repo
            .path()
            .to_str()
            .unwrap()
            .bytes()
            .map(|byte| match byte {
                b'/' | b'.' | b'-' | b'_' => char::from(byte).to_string(),
                byte if byte.is_ascii_alphanumeric() => char::from(byte).to_string(),
                byte => format!("%{byte:02x}"),
            })
            .collect();
        let command = format!("'{}'", ssh.program().display());
        let env = if by_command {
            vec![("GIT_SSH_COMMAND", command)]
        } else {
            ssh.env()
        };

        sandbox
            .skillpm(format!("add ssh://git@host.test{path} --skill pdf"))
            .envs(&env)
            .exits(0);

        // Refused, or passed on as they are; never a command.
        for url in [
            "ssh://git@host.test;touch%20pwned/x",
            "ssh://git@$(touch%20pwned)/x",
            "ssh://git@`touch pwned`/x",
            "ssh://$(touch${IFS}pwned)@host.test/x",
            "git@host.test:$(touch pwned);touch pwned",
        ] {
            sandbox
                .skillpm(format!("add \"{url}\""))
                .envs(&env)
                .exits_one_of([1, 2, 4]);
        }
        sandbox.lacks(["pwned"]);
        assert!(!sandbox.root().join("pwned").exists());
        assert!(!repo.path().join("pwned").exists());
    }
}

/// A host with a skill behind [`FakeSsh`], and its URL.
fn behind_ssh(sandbox: &Sandbox) -> (FakeSsh, String) {
    let repo = sandbox.repo_with("pdf");
    let noise: Vec<u8> = (0..100_000_u32)
        .map(|at| at.wrapping_mul(2_654_435_761).to_be_bytes()[0])
        .collect();
    repo.write("skills/pdf/data.bin", noise).commit("data");
    let url = format!("ssh://git@host.test{}", repo.path().display());
    (FakeSsh::new(sandbox, "bin/ssh"), url)
}

#[test]
fn connection_that_a_busy_host_closes_is_opened_again() {
    for stderr in [
        // `MaxStartups`, as the client tells it, with a message of the server and without one.
        "kex_exchange_identification: Connection closed by remote host\nConnection closed by 192.0.2.1 port 22\n",
        "kex_exchange_identification: read: Connection reset by peer\n",
        "ssh: connect to host host.test port 22: Connection refused\n",
        "Connection to host.test closed by remote host.\n",
        // `LogLevel QUIET`.
        "",
    ] {
        let sandbox = Sandbox::project_here();
        let (ssh, url) = behind_ssh(&sandbox);
        ssh.fail(3, stderr);
        sandbox
            .skillpm(format!("add {url} --skill pdf"))
            .envs(&ssh.env())
            .exits(0);
        assert_eq!(ssh.faults(), 0, "{stderr}");
    }
}

#[test]
fn connection_is_opened_four_times_at_most() {
    let sandbox = Sandbox::project_here();
    let (ssh, url) = behind_ssh(&sandbox);
    ssh.fail(
        9,
        "kex_exchange_identification: Connection closed by remote host\n",
    );
    let before = sandbox.snapshot();
    sandbox
        .skillpm(format!("add {url} --skill pdf"))
        .envs(&ssh.env())
        .exits(4)
        .stderr(str![[r"
    Fetching ssh://git@host.test[ROOT]/repos/skills
error: failed to connect to `host.test`
  while fetching `ssh://git@host.test[ROOT]/repos/skills`
  gave up after 4 attempts
caused by: transport handshake failed
caused by: an IO error occurred when talking to the server
caused by: kex_exchange_identification: Connection closed by remote host
help: check the host name and the network

"]]);
    assert_eq!(ssh.calls().len(), 4);
    before.still_holds();
}

#[test]
fn refusal_that_stays_is_not_asked_for_again() {
    for stderr in [
        "git@host.test: Permission denied (publickey).\n",
        "Host key verification failed.\n",
        "ssh: Could not resolve hostname host.test: Name or service not known\n",
        "ERROR: Repository not found.\n",
    ] {
        let sandbox = Sandbox::project_here();
        let (ssh, url) = behind_ssh(&sandbox);
        ssh.fail(9, stderr);
        sandbox
            .skillpm(format!("add {url} --skill pdf"))
            .envs(&ssh.env())
            .exits(4);
        assert_eq!(ssh.calls().len(), 1, "{stderr}");
    }
}

#[test]
fn pack_that_is_cut_over_ssh_is_fetched_again() {
    for (bytes, times) in [(100, 3), (2_000, 3), (50_000, 1)] {
        let sandbox = Sandbox::project_here();
        let (ssh, url) = behind_ssh(&sandbox);
        ssh.cut("git-upload-pack", times, bytes);
        sandbox
            .skillpm(format!("add {url} --skill pdf"))
            .envs(&ssh.env())
            .exits(0);
        assert_eq!(ssh.faults(), 0, "{bytes}");
        sandbox.skillpm("verify").exits(0);
    }
}

#[test]
fn publish_over_a_busy_connection_lands_once() {
    let sandbox = Sandbox::new();
    let index = Registry::bare(&sandbox, "index.git");
    let ssh = FakeSsh::new(&sandbox, "bin/ssh");
    let url = format!("git+ssh://git@host.test{}", index.path().display());
    configure(&sandbox, &url, "");
    package(&sandbox, "acme/pdf", "1.0.0");
    sandbox.skillpm("publish pdf").envs(&ssh.env()).exits(0);

    // Reads and pushes alike.
    for (version, failing) in [("1.1.0", 1), ("1.2.0", 2), ("1.3.0", 3)] {
        package(&sandbox, "acme/pdf", version);
        ssh.fail(
            failing,
            "kex_exchange_identification: Connection closed by remote host\n",
        );
        sandbox.skillpm("publish pdf").envs(&ssh.env()).exits(0);
        assert_eq!(ssh.faults(), 0);
    }

    // Before anything was pushed, and after it: the list of references passes, the answer to the push does not.
    let references = index.git(&["receive-pack", "--advertise-refs", "."]).len();
    for (version, bytes) in [("1.4.0", 10), ("1.5.0", references + 5)] {
        package(&sandbox, "acme/pdf", version);
        ssh.cut("git-receive-pack", 1, bytes);
        sandbox.skillpm("publish pdf").envs(&ssh.env()).exits(0);
        assert_eq!(ssh.faults(), 0);
    }

    let versions: Vec<String> = (0..6)
        .map(|minor| format!("acme/pdf 1.{minor}.0"))
        .collect();
    assert_eq!(index.versions(), versions);
    // One commit each.
    assert_eq!(index.git(&["rev-list", "--count", "main"]), "7");
}

#[test]
fn many_publishers_over_a_busy_connection_all_succeed() {
    let sandbox = Sandbox::new();
    let index = Registry::bare(&sandbox, "index.git");
    let ssh = FakeSsh::new(&sandbox, "bin/ssh");
    let url = format!("git+ssh://git@host.test{}", index.path().display());
    configure(&sandbox, &url, "");
    let names: Vec<String> = (0..6).map(|at| format!("skill-{at}")).collect();
    for name in &names {
        package(&sandbox, &format!("acme/{name}"), "1.0.0");
    }
    // Each of them may meet all of these.
    ssh.fail(
        3,
        "kex_exchange_identification: Connection closed by remote host\n",
    );

    let runs: Vec<_> = names
        .iter()
        .map(|name| {
            let run = sandbox.skillpm(format!("publish {name}")).envs(&ssh.env());
            run.spawn()
        })
        .collect();
    for run in runs {
        run.wait().ended(0);
    }
    assert_eq!(index.versions().len(), 6);
    assert_eq!(ssh.faults(), 0);
}

#[test]
fn head_that_moves_before_it_is_fetched_is_read_again() {
    // One connection lists the branches, another fetches: in between, this host ceases to serve the old head.
    let sandbox = Sandbox::new();
    let index = Registry::bare(&sandbox, "index.git");
    let ssh = FakeSsh::new(&sandbox, "bin/ssh");
    let url = format!("git+ssh://git@host.test{}", index.path().display());
    configure(&sandbox, &url, "");
    package(&sandbox, "acme/pdf", "1.0.0");
    let path = index.path().display();
    let other_writer = format!(
        "cd '{path}' && git update-ref refs/heads/main \"$(git -c user.name=o -c user.email=o@x.dev \
         commit-tree -p main -m other 'main^{{tree}}')\" && git config uploadpack.allowAnySHA1InWant false"
    );
    for nth in [2, 4] {
        ssh.before_fetch(nth, &other_writer);
    }

    sandbox.skillpm("publish pdf").envs(&ssh.env()).exits(0);
    assert_eq!(index.versions(), ["acme/pdf 1.0.0"]);
    // The first commit, two of the other writer, and this one.
    assert_eq!(index.git(&["rev-list", "--count", "main"]), "4");
}
