//! From an empty directory to an installation on another machine, by every transport: `registry new`, two packages of
//! which one needs the other, `add` in a second project, `install --locked` in a third.

use std::fs;

use crate::support::{Listing, Registry, Sandbox, Server, file_url, package, package_needing};

/// Makes an index in `www/index`, and gives the URL to read it at and the one to write it at.
struct Transport {
    /// What the index is read at.
    index: String,
    /// What it is written at, if elsewhere.
    publish: Option<String>,
}

#[test]
fn directory_index() {
    let sandbox = Sandbox::new();
    sandbox
        .skillpm("registry new ../www/index")
        .exits(0)
        .never_prints("/../");
    let url = file_url(&sandbox.root().join("www/index"));
    tour(
        &sandbox,
        &Transport {
            index: url,
            publish: None,
        },
    );
    sandbox.skillpm("registry check ../www/index").exits(0);
}

#[test]
fn static_files_on_a_web_server() {
    let sandbox = Sandbox::new();
    sandbox.skillpm("registry new ../www/index").exits(0);
    let server = Server::start(&sandbox);
    let publish = file_url(&sandbox.root().join("www/index"));
    let index = format!("sparse+{}/", server.url("index"));
    tour(
        &sandbox,
        &Transport {
            index,
            publish: Some(publish),
        },
    );
    assert!(server.count("GET /index/") > 0);
}

#[test]
fn local_repository() {
    let sandbox = Sandbox::new();
    let registry = bare(&sandbox);
    tour(
        &sandbox,
        &Transport {
            index: registry.url(),
            publish: None,
        },
    );
    let clone = sandbox.root().join("clone");
    registry.git(&[
        "clone",
        "-q",
        registry.path().to_str().unwrap(),
        clone.to_str().unwrap(),
    ]);
    sandbox
        .skillpm("registry check ../clone --base HEAD~2 --by tester@example.org")
        .exits(0);
}

#[test]
fn repository_over_http() {
    let sandbox = Sandbox::new();
    let registry = bare(&sandbox);
    let server = Server::start(&sandbox);
    tour(
        &sandbox,
        &Transport {
            index: format!("git+{}", server.url("index.git")),
            publish: None,
        },
    );
    assert!(server.count("POST /index.git/git-receive-pack") >= 2);
    assert_eq!(
        registry.git(&["log", "--format=%s", "-2", "main"]),
        "publish acme/pdf 1.0.0\npublish acme/base 1.0.0"
    );
}

#[test]
fn index_that_was_just_made_takes_what_is_published() {
    let sandbox = Sandbox::project_here();
    sandbox.skillpm("registry new ../www/index --git").exits(0);
    let index = sandbox.root().join("www/index");

    tour(
        &sandbox,
        &Transport {
            index: format!("git+{}", file_url(&index)),
            publish: None,
        },
    );
    // Its files follow the branch.
    let status = std::process::Command::new("git")
        .args(["status", "--porcelain"])
        .current_dir(&index)
        .output()
        .unwrap();
    assert_eq!(String::from_utf8_lossy(&status.stdout), "");
}

/// What `registry new --git` made, pushed to where others can reach it.
fn bare(sandbox: &Sandbox) -> Registry {
    sandbox.skillpm("registry new ../www/seed --git").exits(0);
    let registry = Registry::empty(sandbox, "index.git", "main");
    let seed = sandbox.root().join("www/seed");
    registry.git(&["fetch", "-q", seed.to_str().unwrap(), "HEAD:main"]);
    fs::remove_dir_all(seed).unwrap();
    registry
}

fn tour(sandbox: &Sandbox, transport: &Transport) {
    configure(sandbox, "~/", transport);
    package(sandbox, "acme/base", "1.0.0");
    package_needing(sandbox, "acme/pdf", "1.0.0", &["\"acme/base\" = \"^1\""]);
    sandbox.skillpm("publish base").exits(0);
    sandbox.skillpm("publish pdf").exits(0);

    // Another project, another person.
    let second = sandbox.root().join("second");
    fs::create_dir(&second).unwrap();
    configure(sandbox, "../someone/", transport);
    sandbox
        .skillpm("add acme/pdf")
        .in_dir(&second)
        .home("someone")
        .exits(0);
    sandbox
        .skillpm("tree")
        .in_dir(&second)
        .home("someone")
        .exits(0)
        .stdout("pdf 1.0.0\n└── base 1.0.0\n");

    // A third machine has manifest and lockfile, and nothing else.
    let third = sandbox.root().join("third");
    fs::create_dir(&third).unwrap();
    for file in ["skillpm.toml", "skillpm.lock"] {
        fs::copy(second.join(file), third.join(file)).unwrap();
    }
    configure(sandbox, "../machine/", transport);
    sandbox
        .skillpm("install --locked")
        .in_dir(&third)
        .home("machine")
        .exits(0);
    sandbox
        .skillpm("verify")
        .in_dir(&third)
        .home("machine")
        .exits(0);
    assert_eq!(
        Listing::of(&third.join(".agents")),
        Listing::of(&second.join(".agents"))
    );
    assert_eq!(
        fs::read(third.join("skillpm.lock")).unwrap(),
        fs::read(second.join("skillpm.lock")).unwrap()
    );

    // The network may go: what was brought is enough.
    fs::remove_dir_all(third.join(".agents")).unwrap();
    sandbox
        .skillpm("install --frozen")
        .in_dir(&third)
        .home("machine")
        .exits(0);
    assert_eq!(
        Listing::of(&third.join(".agents")),
        Listing::of(&second.join(".agents"))
    );
}

/// Names the index `acme` in the settings of a home, and makes it the default.
fn configure(sandbox: &Sandbox, home: &str, transport: &Transport) {
    let publish = transport
        .publish
        .as_ref()
        .map(|url| format!("publish = \"{url}\"\n"))
        .unwrap_or_default();
    let text = format!(
        "[registries.acme]\nindex = \"{}\"\n{publish}\n[registry]\ndefault = \"acme\"\n",
        transport.index
    );
    sandbox.write(&format!("{home}.skillpm/config.toml"), text);
}
