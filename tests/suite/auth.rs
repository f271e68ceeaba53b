//! Private repositories over HTTP, and secrets that must stay where they are.

use snapbox::str;

use crate::support::{Fault, Sandbox, Server};

const SECRET: &str = "CANARY-7f3a91c2";

/// A server that asks for a password, with a repository behind it.
fn private(sandbox: &Sandbox) -> Server {
    sandbox.repo_with("pdf");
    let server = Server::start(sandbox);
    server.require("joe", SECRET);
    server
}

/// A git configuration whose credential helper knows this password for one server only.
fn helper(server: &Server, password: &str) -> String {
    let url = server.url("");
    format!(
        "[credential \"{}\"]\n\thelper = \"!f() {{ test \\\"$1\\\" = get && printf 'username=joe\\\\npassword={password}\\\\n'; }}; f\"\n",
        url.trim_end_matches('/')
    )
}

#[test]
fn credential_helper_opens_a_private_repository() {
    let sandbox = Sandbox::project_here();
    let server = private(&sandbox);
    sandbox.gitconfig(&helper(&server, SECRET));
    sandbox
        .skillpm(format!("add {} --skill pdf", server.url("skills")))
        .exits(0)
        .never_prints(SECRET);
    sandbox.has([".agents/skills/pdf/SKILL.md"]);
    sandbox.holds_nowhere(SECRET);
}

#[test]
fn login_of_netrc_opens_a_private_repository() {
    for (file, line) in [
        (".netrc", "machine 127.0.0.1 login joe password "),
        (
            ".netrc",
            "machine example.invalid login a password b\ndefault\n\tlogin joe\n\tpassword ",
        ),
        (
            "logins",
            "machine 127.0.0.1 password x login eve machine 127.0.0.1 login joe password ",
        ),
    ] {
        let sandbox = Sandbox::project_here();
        let server = private(&sandbox);
        // A login that is refused is followed by the credential helper.
        sandbox.gitconfig(&helper(&server, SECRET));
        sandbox.write(&format!("~/{file}"), format!("{line}{SECRET}\n"));
        let run = sandbox.skillpm(format!("add {} --skill pdf", server.url("skills")));
        let run = match file {
            ".netrc" => run,
            other => run.env("NETRC", format!("~/{other}")),
        };
        run.exits(0).never_prints(SECRET);
        sandbox.delete(&format!("~/{file}"));
        sandbox.holds_nowhere(SECRET);
    }
}

#[test]
fn refused_login_of_netrc_is_named() {
    let sandbox = Sandbox::project_here();
    let server = private(&sandbox);
    let snapshot = sandbox.snapshot();
    sandbox.write(
        "~/.netrc",
        "machine 127.0.0.1 login joe password CANARY-wrong\n",
    );
    sandbox
        .skillpm(format!("add {} --skill pdf", server.url("skills")))
        .exits(4)
        .never_prints("CANARY")
        .stderr(str![[r"
    Fetching [URL]/skills
error: failed to authenticate with `[URL]/skills`: the login of `~/.netrc` was rejected
help: correct its line in `~/.netrc`, or the file that `NETRC` names
help: `git ls-remote [URL]/skills` shows whether git itself can read it

"]]);
    snapshot.still_holds();
}

#[test]
fn login_of_netrc_is_not_sent_after_a_redirect_to_another_server() {
    let sandbox = Sandbox::project_here();
    let server = private(&sandbox);
    let elsewhere = Server::start(&sandbox);
    elsewhere.require("joe", "another");
    sandbox.write("~/.netrc", format!("default login joe password {SECRET}\n"));
    server.fault("git-upload-pack", Fault::Redirect(elsewhere.url("")));
    sandbox
        .skillpm(format!("add {} --skill pdf", server.url("skills")))
        .exits(4);
    let sent = elsewhere.requests();
    assert!(!sent.is_empty());
    assert!(
        sent.iter()
            .all(|request| !request.headers.contains_key("authorization")),
        "{sent:?}"
    );
}

#[test]
fn missing_credentials_are_named_without_a_helper() {
    let sandbox = Sandbox::project_here();
    let server = private(&sandbox);
    let snapshot = sandbox.snapshot();
    sandbox
        .skillpm(format!("add {} --skill pdf", server.url("skills")))
        .exits(4)
        .explains(["[URL]/skills", "credential"]);
    snapshot.still_holds();
}

#[test]
fn wrong_password_is_reported_and_not_printed() {
    let sandbox = Sandbox::project_here();
    let server = private(&sandbox);
    sandbox.gitconfig(&helper(&server, "CANARY-wrong"));
    let snapshot = sandbox.snapshot();
    let outcome = sandbox
        .skillpm(format!("add {} --skill pdf", server.url("skills")))
        .exits(4);
    outcome.explains(["[URL]/skills"]).never_prints("CANARY");
    snapshot.still_holds();
    sandbox.holds_nowhere("CANARY");
}

#[test]
fn secret_in_a_url_is_refused_and_not_printed() {
    for url in [
        "http://joe:CANARY-7f3a91c2@127.0.0.1:1/skills",
        "https://CANARY-7f3a91c2@example.invalid/skills",
        "ssh://git:CANARY-7f3a91c2@example.invalid/skills",
    ] {
        let sandbox = Sandbox::project_here();
        let snapshot = sandbox.snapshot();
        for flags in ["", "-v", "--format json"] {
            sandbox
                .skillpm(format!("add {url} {flags}"))
                .exits(2)
                .never_prints(SECRET);
        }
        snapshot.still_holds();
        sandbox.holds_nowhere(SECRET);
    }
}

#[test]
fn secret_in_the_manifest_is_refused_and_not_printed() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "skillpm.toml",
        format!("[dependencies]\npdf = {{ git = \"http://joe:{SECRET}@127.0.0.1:1/skills\" }}\n"),
    );
    sandbox
        .skillpm("install")
        .exits(2)
        .never_prints(SECRET)
        .explains(["skillpm.toml:2"]);
}

#[test]
fn password_is_not_sent_after_a_redirect_to_another_server() {
    let sandbox = Sandbox::project_here();
    let server = private(&sandbox);
    let elsewhere = Server::start(&sandbox);
    sandbox.gitconfig(&helper(&server, SECRET));
    server.fault("info/refs", Fault::Redirect(elsewhere.url("")));
    let _ = sandbox
        .skillpm(format!("add {} --skill pdf", server.url("skills")))
        .exits_one_of([0, 4]);
    assert!(!server.requests().is_empty());
    let leaked: Vec<_> = elsewhere
        .requests()
        .into_iter()
        .filter(|request| request.headers.contains_key("authorization"))
        .collect();
    assert!(leaked.is_empty(), "{leaked:?}");
}

#[test]
fn password_is_sent_only_on_request() {
    let sandbox = Sandbox::project_here();
    let server = private(&sandbox);
    sandbox.gitconfig(&helper(&server, SECRET));
    sandbox
        .skillpm(format!("add {} --skill pdf", server.url("skills")))
        .exits(0);
    assert_eq!(server.requests()[0].status, 401);
    assert!(!server.requests()[0].headers.contains_key("authorization"));
}

#[test]
fn verbose_output_of_a_private_fetch_has_no_secret() {
    let sandbox = Sandbox::project_here();
    let server = private(&sandbox);
    sandbox.gitconfig(&helper(&server, SECRET));
    let outcome = sandbox
        .skillpm(format!("-v add {} --skill pdf", server.url("skills")))
        .exits(0);
    outcome.never_prints(SECRET).never_prints("Basic ");
    sandbox.has([".agents/skills/pdf/SKILL.md"]);
}
