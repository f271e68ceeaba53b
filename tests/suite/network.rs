//! HTTP that works, that works sparingly, and that does not work.

use snapbox::str;

use crate::support::{Fault, Repo, Sandbox, Server, closed_port};

#[test]
fn first_add_makes_few_requests_and_fetches_only_the_skill() {
    let sandbox = Sandbox::project_here();
    let repo = sandbox.repo_with("pdf");
    repo.write(
        "skills/big/SKILL.md",
        crate::support::skill_md("big", "Is big."),
    )
    .write("skills/big/data.bin", noise(2_000_000))
    .commit("big");
    let server = Server::start(&sandbox);
    sandbox
        .skillpm(format!("add {} --skill pdf", server.url("skills")))
        .exits(0);
    sandbox.has([".agents/skills/pdf/SKILL.md"]);
    // The references, the paths, the files.
    assert_eq!(server.count(""), 3, "{:?}", server.requests());
    assert!(server.bytes() < 100_000, "{} bytes", server.bytes());
}

#[test]
fn declarations_of_skills_cost_no_request_of_their_own() {
    for choice in ["--skill csv", "--skill pdf", "--skill pdf --skill csv"] {
        let sandbox = Sandbox::project_here();
        sandbox
            .repo_with("pdf")
            .write(
                "plugins/a/skills/csv/SKILL.md",
                crate::support::skill_md("csv", "Is in a plugin."),
            )
            .write(
                ".claude-plugin/marketplace.json",
                r#"{"plugins":[{"name":"a","source":"./plugins/a"}]}"#,
            )
            .write(".claude-plugin/plugin.json", r#"{"name":"all"}"#)
            .write("tile.json", r#"{"skills":{}}"#)
            .commit("declare a plugin");
        let server = Server::start(&sandbox);
        sandbox
            .skillpm(format!("add {} {choice}", server.url("skills")))
            .exits(0);
        assert_eq!(server.count(""), 3, "{choice}: {:?}", server.requests());
    }
}

/// Bytes that do not compress.
fn noise(len: usize) -> Vec<u8> {
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state.to_le_bytes()[0]
    };
    std::iter::repeat_with(next).take(len).collect()
}

#[test]
fn history_is_not_fetched() {
    let sandbox = Sandbox::project_here();
    let repo = sandbox.repo_with("pdf");
    for n in 0..5 {
        repo.write("skills/pdf/data.bin", &noise(200_000 + n)[n..])
            .commit("again");
    }
    let server = Server::start(&sandbox);
    sandbox
        .skillpm(format!("add {} --skill pdf", server.url("skills")))
        .exits(0);
    sandbox.has([".agents/skills/pdf/SKILL.md"]);
    assert!(server.bytes() < 300_000, "{} bytes", server.bytes());
}

#[test]
fn server_without_filters_works() {
    let sandbox = Sandbox::project_here();
    sandbox.repo_with("pdf");
    let server = Server::start(&sandbox);
    server.without_filters();
    sandbox
        .skillpm(format!("add {} --skill pdf", server.url("skills")))
        .exits(0);
    sandbox.has([".agents/skills/pdf/SKILL.md"]);
}

#[test]
fn second_project_fetches_nothing_that_is_in_the_store() {
    let sandbox = Sandbox::project_here();
    sandbox.repo_with("pdf");
    let server = Server::start(&sandbox);
    sandbox
        .skillpm(format!("add {} --skill pdf", server.url("skills")))
        .exits(0);
    server.forget();
    let clone = sandbox.fresh_clone("clone");
    sandbox.skillpm("install --locked").in_dir(&clone).exits(0);
    assert_eq!(server.count(""), 0, "{:?}", server.requests());
}

#[test]
fn cached_repository_is_not_reported_as_fetched() {
    let sandbox = Sandbox::project_here();
    sandbox.repo_with("pdf");
    let server = Server::start(&sandbox);
    sandbox
        .skillpm(format!("add {} --skill pdf", server.url("skills")))
        .exits(0);
    server.forget();

    sandbox.delete(".agents");
    sandbox.delete("~/.skillpm/store");
    for command in ["install --locked", "update --offline", "lock --offline"] {
        let outcome = sandbox.skillpm(command).exits(0);
        outcome.never_prints("Fetching");
    }
    assert_eq!(server.count(""), 0, "{:?}", server.requests());
    sandbox.skillpm("outdated").exits(0).stderr_has("Fetching ");
}

#[test]
fn offline_makes_no_request() {
    let sandbox = Sandbox::project_here();
    sandbox.repo_with("pdf");
    let server = Server::start(&sandbox);
    let snapshot = sandbox.snapshot();
    sandbox
        .skillpm(format!(
            "add {} --skill pdf --offline",
            server.url("skills")
        ))
        .exits(4)
        .explains(["--offline"]);
    snapshot.still_holds();
    assert_eq!(server.count(""), 0, "{:?}", server.requests());
}

#[test]
fn closed_port_is_a_network_error() {
    let sandbox = Sandbox::project_here();
    let snapshot = sandbox.snapshot();
    sandbox
        .skillpm(format!("add {}/skills --skill pdf", closed_port()))
        .exits(4)
        .stderr(str![[r"
    Fetching [URL]/skills
error: failed to connect to `127.0.0.1`
  while fetching `[URL]/skills`
caused by: tcp connect error
caused by: [..]refused[..] (os error [..])
help: check the network; behind a proxy, set `HTTPS_PROXY` or `git config --global http.proxy`
help: use `--offline` to work with cached data

"]]);
    snapshot.still_holds();
}

#[test]
fn server_error_is_a_network_error_with_its_status() {
    let sandbox = Sandbox::project_here();
    sandbox.repo_with("pdf");
    let server = Server::start(&sandbox);
    server.fault("", Fault::Status(500));
    let snapshot = sandbox.snapshot();
    sandbox
        .skillpm(format!("add {} --skill pdf", server.url("skills")))
        .exits(4)
        .stderr(str![[r"
    Fetching [URL]/skills
error: failed to fetch from `127.0.0.1`: HTTP status 500
  while fetching `[URL]/skills`
help: nothing was changed; try again, or use the cache with `--offline`

"]]);
    snapshot.still_holds();
}

#[test]
fn repository_missing_on_the_server_is_reported() {
    let sandbox = Sandbox::project_here();
    let server = Server::start(&sandbox);
    let snapshot = sandbox.snapshot();
    sandbox
        .skillpm(format!("add {} --skill pdf", server.url("nothing")))
        .exits(4)
        .explains(["[URL]/nothing"]);
    snapshot.still_holds();
}

#[test]
fn truncated_pack_installs_nothing_and_a_retry_works() {
    let sandbox = Sandbox::project_here();
    let repo = sandbox.repo_with("pdf");
    repo.write("skills/pdf/data.bin", noise(100_000))
        .commit("data");
    let server = Server::start(&sandbox);
    // Lets the negotiation pass; only the pack is longer than this.
    server.fault("git-upload-pack", Fault::Truncate(20_000));
    let snapshot = sandbox.snapshot();
    sandbox
        .skillpm(format!("add {} --skill pdf", server.url("skills")))
        .exits_one_of([3, 4])
        .explains(["[URL]/skills"]);
    snapshot.still_holds();
    server.heal();
    sandbox
        .skillpm(format!("add {} --skill pdf", server.url("skills")))
        .exits(0);
    sandbox.skillpm("verify").exits(0);
}

#[test]
fn cut_pack_is_fetched_again_up_to_three_times() {
    const CUT: usize = 20_000;
    let sandbox = Sandbox::project_here();
    let repo = sandbox.repo_with("pdf");
    repo.write("skills/pdf/data.bin", noise(100_000))
        .commit("data");
    let server = Server::start(&sandbox);
    let add = format!("add {} --skill pdf", server.url("skills"));
    let cuts = || {
        let requests = server.requests();
        requests.iter().filter(|found| found.sent == CUT).count()
    };

    // How many responses come before the long one.
    sandbox.skillpm(&add).home("first").exits(0);
    sandbox.skillpm("remove pdf").home("first").exits(0);
    let sent: Vec<usize> = server
        .requests()
        .iter()
        .filter(|request| request.line.starts_with("POST"))
        .map(|request| request.sent)
        .collect();
    let before = sent.iter().position(|&sent| sent > CUT).unwrap();

    server.forget();
    server.fault_times("POST", Fault::Truncate(CUT), before + 3);
    sandbox.skillpm(&add).home("second").exits(0);
    assert_eq!(cuts(), 3);

    sandbox.skillpm("remove pdf").home("second").exits(0);
    server.forget();
    server.fault("POST", Fault::Truncate(CUT));
    let failed = sandbox.skillpm(&add).home("third").exits(4);
    failed.explains(["the connection was interrupted", "gave up after 4 attempts"]);
    assert_eq!(cuts(), 4);
}

#[test]
fn closed_connection_is_a_network_error() {
    let sandbox = Sandbox::project_here();
    sandbox.repo_with("pdf");
    let server = Server::start(&sandbox);
    server.fault("POST", Fault::HangUp);
    let snapshot = sandbox.snapshot();
    sandbox
        .skillpm(format!("add {} --skill pdf", server.url("skills")))
        .exits(4)
        .explains(["[URL]/skills"]);
    snapshot.still_holds();
}

#[test]
fn failed_fetch_of_one_repository_installs_nothing() {
    let sandbox = Sandbox::project_here();
    sandbox.repo_with("pdf");
    let other = Repo::new(&sandbox, "other");
    other.skill("skills/csv", "Reads CSV.").commit("first");
    let server = Server::start(&sandbox);
    let manifest = format!(
        "[dependencies]\ncsv = {{ git = \"{}\" }}\npdf = {{ git = \"{}\" }}\n",
        server.url("other"),
        server.url("skills")
    );
    sandbox.write("skillpm.toml", manifest);
    server.fault("/other/", Fault::Status(500));
    let snapshot = sandbox.snapshot();
    sandbox
        .skillpm("install")
        .exits(4)
        .explains(["[URL]/other"]);
    snapshot.still_holds();
}

#[test]
fn redirect_of_the_first_request_is_followed() {
    let sandbox = Sandbox::project_here();
    sandbox.repo_with("pdf");
    let server = Server::start(&sandbox);
    let old = Server::start(&sandbox);
    old.fault("info/refs", Fault::Redirect(server.url("")));
    sandbox
        .skillpm(format!("add {} --skill pdf", old.url("skills")))
        .exits(0);
    sandbox.has([".agents/skills/pdf/SKILL.md"]);
}

#[test]
fn proxy_variable_is_used_and_its_refusal_reported() {
    let sandbox = Sandbox::project_here();
    let proxy = Server::start(&sandbox);
    let snapshot = sandbox.snapshot();
    let run = sandbox.skillpm("add https://git.example.invalid/skills --skill pdf");
    let run = run
        .env("HTTPS_PROXY", proxy.url(""))
        .env("https_proxy", proxy.url(""));
    run.exits(4).explains(["git.example.invalid"]);
    snapshot.still_holds();
    assert!(
        proxy.count("CONNECT git.example.invalid:443") > 0,
        "{:?}",
        proxy.requests()
    );
}

#[test]
fn password_of_a_proxy_is_not_printed() {
    let sandbox = Sandbox::project_here();
    let proxy = closed_port().replace("http://", "http://joe:CANARY-7f3a91c2@");
    let run = sandbox.skillpm("add https://git.example.invalid/skills --skill pdf");
    run.env("HTTPS_PROXY", &proxy)
        .env("https_proxy", &proxy)
        .exits(4)
        .never_prints("CANARY-7f3a91c2");
}

/// A SOCKS5 proxy on loopback, which connects to this server whatever host is named; gives its address.
fn socks_proxy(server: &Server) -> String {
    let to = server.url("").replace("http://", "").replace('/', "");
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    std::thread::spawn(move || {
        for client in listener.incoming().flatten() {
            let to = to.clone();
            std::thread::spawn(move || {
                // The client may hang up at any time.
                let _ = answer_socks(&client, &to);
            });
        }
    });
    address
}

/// Answers a greeting without a password and a request to connect, as RFC 1928 has them; then copies.
fn answer_socks(mut client: &std::net::TcpStream, to: &str) -> std::io::Result<()> {
    use std::io::{Read as _, Write as _};

    let mut reader = client;
    let mut read = |count: usize| {
        let mut bytes = vec![0; count];
        reader.read_exact(&mut bytes).map(|()| bytes)
    };
    let methods = read(2)?[1];
    read(methods.into())?;
    client.write_all(&[5, 0])?;
    let kind = read(4)?[3];
    let length = match kind {
        1 => 4,
        _ => read(1)?[0].into(),
    };
    read(length + 2)?;
    client.write_all(&[5, 0, 0, 1, 0, 0, 0, 0, 0, 0])?;

    let server = std::net::TcpStream::connect(to)?;
    let (mut from_client, mut to_server) = (client.try_clone()?, server.try_clone()?);
    std::thread::spawn(move || std::io::copy(&mut from_client, &mut to_server));
    std::io::copy(&mut &server, &mut client)?;
    client.shutdown(std::net::Shutdown::Both)
}

#[test]
fn socks_proxies_are_used() {
    for scheme in ["socks5", "socks5h"] {
        let sandbox = Sandbox::project_here();
        sandbox.repo_with("pdf");
        let server = Server::start(&sandbox);
        let proxy = format!("{scheme}://{}", socks_proxy(&server));
        sandbox.gitconfig(&format!("[http]\n\tproxy = {proxy}\n"));
        sandbox
            .skillpm(format!("add {} --skill pdf", server.url("skills")))
            .exits(0);
        assert!(server.count("info/refs") + server.count("git-upload-pack") > 0);
    }

    // The proxy resolves the name, which is that of no host here.
    let sandbox = Sandbox::project_here();
    crate::support::IndexDir::new(&sandbox, "../www/index").publish("acme/pdf", "1.0.0", &[]);
    let server = Server::start(&sandbox);
    let proxy = format!("socks5h://{}", socks_proxy(&server));
    sandbox
        .skillpm("add acme/pdf --registry a --config registries.a.index=sparse+http://skills.example.invalid/index/ --config net.allow-http=true")
        .env("ALL_PROXY", &proxy)
        .env("HTTP_PROXY", &proxy)
        .env("http_proxy", &proxy)
        .exits(0);
    sandbox.has([".agents/skills/pdf/SKILL.md"]);
}
