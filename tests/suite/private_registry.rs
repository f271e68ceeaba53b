//! Registries that want to know who asks: a token goes to the origin of its index, and nowhere else.

use std::time::Duration;

use snapbox::str;

use crate::support::{Fault, IndexDir, Registry, Sandbox, Server, closed_port, configure, package};

const TOKEN: &str = "CANARY-7f3a91c2";

/// A server that wants a token, with an index of `acme/pdf` behind it, which the person calls `acme`.
fn private(sandbox: &Sandbox) -> Server {
    IndexDir::new(sandbox, "../www/index").publish("acme/pdf", "1.2.0", &[]);
    let server = Server::start(sandbox);
    server.require_token(TOKEN);
    call_it_acme(sandbox, &server, "");
    server
}

/// The person's own settings.
fn call_it_acme(sandbox: &Sandbox, server: &Server, more: &str) {
    let index = url(server);
    let config =
        format!("[registry]\ndefault = \"acme\"\n{more}\n[registries.acme]\nindex = \"{index}\"\n");
    sandbox.write("~/.skillpm/config.toml", config);
}

fn url(server: &Server) -> String {
    format!("sparse+{}", server.url("index/"))
}

/// The requests that carried a token.
fn shown_to(server: &Server) -> usize {
    server
        .requests()
        .iter()
        .filter(|request| request.headers.contains_key("authorization"))
        .count()
}

#[test]
fn saved_token_opens_index_and_archives() {
    let sandbox = Sandbox::project_here();
    let server = private(&sandbox);
    sandbox
        .skillpm("login --registry acme")
        .stdin(TOKEN)
        .exits(0)
        .never_prints(TOKEN);
    for line in [
        "-v add acme/pdf",
        "install --locked",
        "verify",
        "update",
        "outdated",
        "tree --format json",
    ] {
        sandbox.skillpm(line).exits(0).never_prints(TOKEN);
    }
    sandbox.has([".agents/skills/pdf/SKILL.md"]);
    assert_eq!(shown_to(&server), server.requests().len());
    assert!(server.count("archives/") > 0);
    sandbox.delete("~/.skillpm/credentials.toml");
    sandbox.holds_nowhere(TOKEN);
}

#[test]
fn token_of_the_environment_opens_index_and_archives() {
    for variable in ["SKILLPM_REGISTRIES_ACME_TOKEN", "SKILLPM_TOKEN"] {
        let sandbox = Sandbox::project_here();
        let _server = private(&sandbox);
        sandbox
            .skillpm("add acme/pdf")
            .env(variable, TOKEN)
            .exits(0)
            .never_prints(TOKEN);
        sandbox.holds_nowhere(TOKEN);
    }
}

#[test]
fn missing_token_suggests_login() {
    let sandbox = Sandbox::project_here();
    let _server = private(&sandbox);
    let snapshot = sandbox.snapshot();
    sandbox.skillpm("add acme/pdf").exits(4).stderr(
        "    Fetching index [URL]/index/
error: failed to fetch `[URL]/index/config.json`
caused by: the server responded with 401 Unauthorized
help: run `skillpm login --registry acme` to store a token
",
    );
    snapshot.still_holds();
}

#[test]
fn wrong_token_is_reported_and_not_printed() {
    let sandbox = Sandbox::project_here();
    let _server = private(&sandbox);
    let refused = sandbox
        .skillpm("add acme/pdf")
        .env("SKILLPM_TOKEN", "CANARY-wrong")
        .exits(4);
    refused.stderr(str![[r"
    Fetching index [URL]/index/
error: failed to fetch `[URL]/index/config.json`
  the stored token was sent, and the server rejected it
caused by: the server responded with 401 Unauthorized
help: run `skillpm login --registry acme` to store a token

"]]);
    refused.never_prints("CANARY");
    sandbox.holds_nowhere("CANARY");
}

#[test]
fn token_is_not_sent_after_a_redirect_to_another_server() {
    for what in ["config.json", "archives/"] {
        let sandbox = Sandbox::project_here();
        let server = private(&sandbox);
        let elsewhere = Server::start(&sandbox);
        server.fault(what, Fault::Redirect(elsewhere.url("")));
        sandbox
            .skillpm("add acme/pdf")
            .env("SKILLPM_TOKEN", TOKEN)
            .exits(0);
        assert!(shown_to(&server) > 0);
        assert!(elsewhere.count(what) > 0);
        assert_eq!(shown_to(&elsewhere), 0, "{what}");
    }
}

#[test]
fn token_is_not_sent_after_a_redirect_back() {
    let sandbox = Sandbox::project_here();
    let server = private(&sandbox);
    let elsewhere = Server::start(&sandbox);
    // There and back again: whoever could choose the way back could choose what is asked for with the token.
    server.fault_times("config.json", Fault::Redirect(elsewhere.url("")), 1);
    elsewhere.fault("config.json", Fault::Redirect(server.url("")));
    sandbox
        .skillpm("add acme/pdf")
        .env("SKILLPM_TOKEN", TOKEN)
        .exits(4)
        .explains(["401 Unauthorized"]);
    assert_eq!((shown_to(&server), shown_to(&elsewhere)), (1, 0));
}

#[test]
fn token_is_not_sent_to_another_index_on_the_same_server() {
    let sandbox = Sandbox::project_here();
    let server = private(&sandbox);
    sandbox
        .skillpm("login --registry acme")
        .stdin(TOKEN)
        .exits(0);
    IndexDir::new(&sandbox, "../www/other").publish("acme/pdf", "1.2.0", &[]);
    let other = format!("registries.other.index=sparse+{}", server.url("other/"));
    sandbox
        .skillpm(format!("--config {other} add acme/pdf --registry other"))
        .exits(4)
        .explains(["login --registry other"]);
    assert_eq!(shown_to(&server), 0);
}

#[test]
fn archives_on_another_server_are_requested_without_the_token() {
    let sandbox = Sandbox::project_here();
    let server = private(&sandbox);
    let elsewhere = Server::start(&sandbox);
    let dl = elsewhere.url("index/archives/{name}-{version}.tar.gz");
    sandbox.write(
        "../www/index/config.json",
        format!("{{\"api-version\":1,\"dl\":\"{dl}\"}}"),
    );
    sandbox
        .skillpm("add acme/pdf")
        .env("SKILLPM_TOKEN", TOKEN)
        .exits(0);
    assert_eq!(
        (shown_to(&server), shown_to(&elsewhere)),
        (server.requests().len(), 0)
    );
    assert_eq!(elsewhere.count("archives/"), 1);
}

#[test]
fn project_cannot_redirect_a_token_of_the_environment() {
    let sandbox = Sandbox::project_here();
    let server = private(&sandbox);
    sandbox.delete("~/.skillpm/config.toml");
    let index = url(&server);
    for (variable, config) in [
        (
            "SKILLPM_REGISTRIES_ACME_TOKEN",
            format!("[registries.acme]\nindex = \"{index}\"\n"),
        ),
        (
            "SKILLPM_TOKEN",
            format!("[registry]\ndefault = \"acme\"\n[registries.acme]\nindex = \"{index}\"\n"),
        ),
    ] {
        sandbox.write(".skillpm/config.toml", config);
        let run = || {
            sandbox
                .skillpm("add acme/pdf --registry acme")
                .env(variable, TOKEN)
        };
        let refused = run().exits(4);
        refused.explains([
            &format!("the token in `{variable}` was not sent"),
            "SKILLPM_REGISTRIES_ACME_INDEX",
        ]);
        assert_eq!(shown_to(&server), 0);
        // A word of the person's own is enough, and it must be of this very place.
        run()
            .env("SKILLPM_REGISTRIES_ACME_INDEX", closed_port())
            .exits(4);
        assert_eq!(shown_to(&server), 0);
        run()
            .env("SKILLPM_REGISTRIES_ACME_INDEX", index.trim_end_matches('/'))
            .exits(0);
        assert!(shown_to(&server) > 0);
        sandbox.skillpm("remove pdf").exits(0);
        server.forget();
    }
}

#[test]
fn project_cannot_set_a_credential_program() {
    let sandbox = Sandbox::project_here();
    let server = private(&sandbox);
    let program = "touch,ran";
    for key in [
        "registry.credential-command",
        "registries.acme.credential-command",
    ] {
        let (table, name) = key.rsplit_once('.').unwrap();
        sandbox.write(
            ".skillpm/config.toml",
            format!("[{table}]\n{name} = \"{program}\"\n"),
        );
        let refused = sandbox.skillpm("add acme/pdf").exits(2);
        refused.explains([
            &format!("cannot set `{key}` in a project's settings"),
            "[ROOT]/project/.skillpm/config.toml",
        ]);
    }
    sandbox.delete(".skillpm/config.toml");
    sandbox
        .skillpm(format!(
            "config set --project registry.credential-command '{program}'"
        ))
        .exits(2);
    sandbox.lacks(["ran", ".skillpm/config.toml"]);
    assert_eq!(server.requests().len(), 0);
}

#[cfg(unix)]
#[test]
fn credential_program_runs_once_per_command() {
    let sandbox = Sandbox::project_here();
    let server = private(&sandbox);
    let program = "\
#!/bin/sh
read -r question
printf '%s\\n' \"$question\" >> \"$HOME/questions\"
env > \"$HOME/environment\"
printf '{\"v\":1,\"token\":\"CANARY-7f3a91c2\"}\\n'
";
    let keeper = sandbox.root().join("bin/keeper");
    std::fs::create_dir_all(keeper.parent().unwrap()).unwrap();
    std::fs::write(&keeper, program).unwrap();
    make_executable(&keeper);
    call_it_acme(
        &sandbox,
        &server,
        &format!("credential-command = [\"{}\"]", keeper.display()),
    );
    let run = sandbox
        .skillpm("add acme/pdf")
        .env("SKILLPM_SECRET", "CANARY-other")
        .env("AWS_SECRET_ACCESS_KEY", "CANARY");
    run.exits(0).never_prints("CANARY");
    let asked = format!(
        "{{\"v\":1,\"action\":\"get\",\"index\":\"{}\",\"name\":\"acme\"}}\n",
        url(&server)
    );
    sandbox.reads("~/questions", &asked);
    assert!(sandbox.read("~/environment").contains("PATH="));
    sandbox.holds_nowhere("CANARY");
}

#[cfg(unix)]
fn make_executable(path: &std::path::Path) {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

/// Windows and macOS always have a keyring.
#[cfg(target_os = "linux")]
#[test]
fn missing_keyring_is_reported_with_help() {
    let sandbox = Sandbox::project_here();
    let server = private(&sandbox);
    call_it_acme(&sandbox, &server, "credential-providers = [\"keyring\"]");
    // No session bus: where it would be, there is nothing.
    let bus = format!("unix:path={}/no-bus", sandbox.root().display());
    let refused = sandbox
        .skillpm("add acme/pdf")
        .env("DBUS_SESSION_BUS_ADDRESS", bus)
        .exits(4);
    refused.explains([
        "failed to access the system keyring",
        "`skillpm config set registry.credential-providers environment,file`",
    ]);
}

#[cfg(target_os = "linux")]
#[test]
fn token_is_in_no_argument_of_any_process() {
    let sandbox = Sandbox::project_here();
    let server = private(&sandbox);
    server.fault("config.json", Fault::Slow(Duration::from_millis(400)));
    let run = sandbox
        .skillpm("add acme/pdf")
        .env("SKILLPM_TOKEN", TOKEN)
        .spawn();
    let mut looked = 0;
    while server.count("archives/") == 0 && looked < 100_000 {
        for process in std::fs::read_dir("/proc").unwrap().map_while(Result::ok) {
            let arguments = std::fs::read(process.path().join("cmdline")).unwrap_or_default();
            let found = memchr::memmem::find(&arguments, TOKEN.as_bytes()).is_some();
            assert!(!found, "{}", String::from_utf8_lossy(&arguments));
        }
        looked += 1;
    }
    run.wait().ended(0);
    assert!(looked > 1, "it was looked while the program was at work");
}

#[test]
fn token_for_git_takes_precedence_over_git_helpers() {
    let sandbox = Sandbox::project_here();
    sandbox.repo_with("pdf");
    let server = Server::start(&sandbox);
    server.require("x-access-token", TOKEN);
    let url = server.url("skills");
    sandbox
        .skillpm(format!("login --registry git+{url}"))
        .stdin(TOKEN)
        .exits(0);
    sandbox
        .skillpm(format!("add {url} --skill pdf"))
        .exits(0)
        .never_prints(TOKEN);
    sandbox.has([".agents/skills/pdf/SKILL.md"]);
    // Its neighbour on the same server is another repository.
    server.forget();
    sandbox
        .skillpm(format!("add {} --skill pdf", server.url("other")))
        .exits(4);
    assert_eq!(shown_to(&server), 0);
    sandbox.delete("~/.skillpm/credentials.toml");
    sandbox.holds_nowhere(TOKEN);
}

#[test]
fn refused_git_token_falls_back_to_git_helpers() {
    let sandbox = Sandbox::project_here();
    sandbox.repo_with("pdf");
    let server = Server::start(&sandbox);
    server.require("joe", "CANARY-right");
    let url = server.url("skills");
    sandbox
        .skillpm(format!("login --registry git+{url}"))
        .stdin("CANARY-wrong")
        .exits(0);
    let refused = sandbox.skillpm(format!("add {url} --skill pdf")).exits(4);
    refused.explains([
        "the stored token was rejected",
        &format!("skillpm login --registry git+{}", "[URL]/skills"),
    ]);
    refused.never_prints("CANARY");
    let helper = format!(
        "[credential \"{}\"]\n\thelper = \"!f() {{ test \\\"$1\\\" = get && printf 'username=joe\\\\npassword=CANARY-right\\\\n'; }}; f\"\n",
        server.url("").trim_end_matches('/')
    );
    sandbox.gitconfig(&helper);
    sandbox
        .skillpm(format!("add {url} --skill pdf"))
        .exits(0)
        .never_prints("CANARY");
}

#[test]
fn token_publishes_to_and_reads_a_private_git_registry() {
    let sandbox = Sandbox::project_here();
    Registry::bare(&sandbox, "index.git");
    let server = Server::start(&sandbox);
    server.require("x-access-token", TOKEN);
    configure(&sandbox, &format!("git+{}", server.url("index.git")), "");
    package(&sandbox, "acme/pdf", "1.2.0");
    sandbox.skillpm("publish pdf").exits(4).never_prints(TOKEN);
    sandbox.skillpm("login").stdin(TOKEN).exits(0);
    sandbox.skillpm("publish pdf").exits(0).never_prints(TOKEN);
    sandbox.delete("~/.skillpm/credentials.toml");
    sandbox.write(
        "user/skillpm.toml",
        "[dependencies]\n\"acme/pdf\" = \"^1\"\n",
    );
    sandbox
        .skillpm("install")
        .in_dir("user")
        .env("SKILLPM_TOKEN", TOKEN)
        .exits(0)
        .never_prints(TOKEN);
    sandbox.has(["user/.agents/skills/pdf/SKILL.md"]);
    sandbox.holds_nowhere(TOKEN);
}

#[test]
fn panic_with_a_token_in_memory_does_not_print_it() {
    let sandbox = Sandbox::project_here();
    let _server = private(&sandbox);
    for n in (1..).step_by(3) {
        let run = sandbox
            .skillpm("add acme/pdf")
            .env("SKILLPM_TOKEN", TOKEN)
            .env("RUST_BACKTRACE", "full");
        let outcome = run
            .env("SKILLPM_FAILPOINT", format!("panic@{n}"))
            .spawn()
            .wait();
        if outcome.code() == Some(0) {
            assert!(n > 30, "only {n} failpoints");
            break;
        }
        outcome
            .ended(6)
            .stderr_has("a test wanted this")
            .never_prints(TOKEN);
    }
    sandbox.holds_nowhere(TOKEN);
}

/// A project with a package of a registry that only its author's settings have, and a clone of it on another machine.
fn shared_project(add: &str, settings: &str) -> (Sandbox, IndexDir, Sandbox) {
    let author = Sandbox::project_here();
    let index = IndexDir::new(&author, "../www/index");
    index.publish("acme/pdf", "1.2.0", &[]);
    author.write(
        "~/.skillpm/config.toml",
        format!("[registries.acme]\nindex = \"{}\"\n{settings}", index.url()),
    );
    author.skillpm(add).exits(0);

    let clone = Sandbox::project_here();
    for file in ["skillpm.toml", "skillpm.lock"] {
        clone.write(file, author.read(file));
    }
    (author, index, clone)
}

#[test]
fn clone_without_the_registry_is_shown_its_address() {
    let (_author, index, clone) = shared_project("add acme/pdf --registry acme", "");
    let set = format!("config set --project registries.acme.index {}", index.url());
    for command in ["install", "install --locked", "update", "list"] {
        let refused = clone.skillpm(command).exits(2);
        assert_eq!(
            refused.stderr_text(),
            format!(
                "error: skillpm.toml:2:14: invalid dependency `acme/pdf`\n  \
                 it is in the settings of who added it, and not in those of the project\n\
                 caused by: unknown registry `acme`\n\
                 help: skillpm.lock has packages of `{}`; if you trust it, run `skillpm {set}`\n",
                index.url()
            )
        );
    }

    // The command of the message is the one that helps.
    clone.skillpm(set).exits(0);
    clone.skillpm("install --locked").exits(0);
    clone.has([".agents/skills/pdf/SKILL.md"]);
}

#[test]
fn registry_of_the_settings_alone_is_pointed_out_when_added() {
    let author = Sandbox::project_here();
    let index = IndexDir::new(&author, "../www/index");
    index.publish("acme/pdf", "1.2.0", &[]);
    let settings = format!("[registries.acme]\nindex = \"{}\"\n", index.url());
    author.write("~/.skillpm/config.toml", &settings);
    author
        .skillpm("add acme/pdf --registry acme")
        .exits(0)
        .stderr(str![[r"
    Fetching acme/pdf 1.2.0
warning: registry `acme` is in your own settings, which a clone of this project does not have
help: to share it, run `skillpm config set --project registries.acme.index file://[ROOT]/www/index`
   Installed pdf 1.2.0
      Locked 1 skill in skillpm.lock
   Skills in .agents/skills

"]]);

    // A person's own skills are in no clone, and a project with the registry needs no word.
    author
        .skillpm("add --global acme/pdf --registry acme")
        .exits(0)
        .never_prints("warning");
    author.write("~/.skillpm/config.toml", "");
    author.write(".skillpm/config.toml", &settings);
    author
        .skillpm("add acme/pdf --registry acme --as other")
        .exits(0)
        .never_prints("warning");
}

#[test]
fn skill_of_another_registry_than_the_default_is_shown() {
    let sandbox = Sandbox::project_here();
    let index = IndexDir::new(&sandbox, "../www/index");
    index.publish("acme/pdf", "1.2.0", &[]);
    let settings = format!("[registries.acme]\nindex = \"{}\"\n", index.url());
    sandbox.write("~/.skillpm/config.toml", settings);
    for line in ["show acme/pdf", "show acme/pdf --registry acme"] {
        sandbox.skillpm(line).exits(0).stdout_has("name: pdf");
    }
    sandbox
        .skillpm("show acme/pdf --registry default")
        .exits(1)
        .explains(["`acme/pdf` not found"]);
    sandbox
        .skillpm("show chanelog")
        .exits(1)
        .stderr_has("help: did you mean `changelog`?\n");
}

#[test]
fn own_default_registry_is_named_in_the_manifest() {
    let (author, _index, clone) =
        shared_project("add acme/pdf", "[registry]\ndefault = \"acme\"\n");
    author.reads(
        "skillpm.toml",
        "[dependencies]\n\"acme/pdf\" = { version = \"^1.2\", registry = \"acme\" }\n",
    );
    clone
        .skillpm("install")
        .exits(2)
        .stderr_has("unknown registry `acme`");

    // The default of a project is that of each clone.
    let shared = Sandbox::project_here();
    let settings = author.read("~/.skillpm/config.toml");
    shared.write(".skillpm/config.toml", settings);
    shared.skillpm("add acme/pdf").exits(0);
    shared.reads("skillpm.toml", "[dependencies]\n\"acme/pdf\" = \"^1.2\"\n");
}
