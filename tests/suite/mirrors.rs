//! Several registries in one project, and indexes that are read from somewhere else.

use snapbox::str;

use crate::support::{IndexDir, Sandbox, Server};

/// An index that is served at `/index/`, and a copy of it in a directory.
fn with_copy(sandbox: &Sandbox) -> (Server, IndexDir, String) {
    let index = IndexDir::new(sandbox, "../www/index");
    index
        .publish("acme/base", "1.0.0", &[])
        .publish("acme/pdf", "1.2.0", &["acme/base ^1"]);
    sandbox.copy("../www/index", "../mirror");
    let server = Server::start(sandbox);
    let url = format!("sparse+{}/", server.url("index"));
    IndexDir::configure(sandbox, "acme", &url);
    (server, IndexDir::new(sandbox, "../mirror"), url)
}

fn replace(sandbox: &Sandbox, what: &str, with: &str) {
    let text = sandbox.read(".skillpm/config.toml");
    sandbox.write(
        ".skillpm/config.toml",
        format!("{text}[source.{what}]\nreplace-with = \"{with}\"\n"),
    );
}

#[test]
fn mirror_is_read_and_the_lockfile_keeps_the_registry() {
    let sandbox = Sandbox::project_here();
    let (server, mirror, url) = with_copy(&sandbox);
    replace(&sandbox, "acme", &mirror.url());
    sandbox.skillpm("add acme/pdf --registry acme").exits(0);
    assert_eq!(server.count(""), 0);
    assert_eq!(
        sandbox.locked("acme/base", "source"),
        format!("registry+{url}")
    );

    // Without the mirror, the same lockfile holds.
    let locked = sandbox.read("skillpm.lock");
    sandbox.write(
        ".skillpm/config.toml",
        format!("[registries.acme]\nindex = \"{url}\"\n"),
    );
    sandbox.delete(".agents");
    sandbox.delete("~/.skillpm/store");
    sandbox.skillpm("install --locked").exits(0);
    sandbox.reads("skillpm.lock", &locked);
    assert_eq!(server.count("/archives/"), 2);
}

#[test]
fn mirror_can_be_a_url_or_a_chain() {
    let sandbox = Sandbox::project_here();
    let (server, mirror, url) = with_copy(&sandbox);
    IndexDir::configure(&sandbox, "near", "file:///nowhere");
    replace(&sandbox, &format!("\"{url}\""), "near");
    replace(&sandbox, "near", &mirror.url());
    sandbox.skillpm("add acme/pdf --registry acme").exits(0);
    assert_eq!(server.count(""), 0);
}

#[test]
fn mirror_with_different_bytes_is_refused() {
    let sandbox = Sandbox::project_here();
    let (_server, mirror, _) = with_copy(&sandbox);
    sandbox.skillpm("add acme/pdf --registry acme").exits(0);
    sandbox.delete(".agents");
    sandbox.delete("~/.skillpm/store");
    let fake = IndexDir::new(&sandbox, "../fake");
    fake.publish("acme/base", "1.0.0", &[]);
    let mut tree = skillpm::package::Tree::builder();
    tree.add(
        "SKILL.md",
        b"---\nname: pdf\ndescription: Another one.\n---\n".to_vec(),
        false,
    )
    .unwrap();
    fake.publish_tree(
        "acme/pdf",
        "1.2.0",
        &["acme/base ^1"],
        &tree.finish(),
        |_| {},
    );
    replace(&sandbox, "acme", &fake.url());
    let refused = sandbox.skillpm("install --locked").exits(3);
    refused.stderr(str![[r"
    Fetching acme/base 1.0.0
error: failed to fetch `acme/pdf 1.2.0`
  locked   [SUM]
  index    [SUM]
caused by: checksum mismatch for `acme/pdf 1.2.0`: skillpm.lock and the registry disagree
help: if skillpm.lock was edited, or merged by hand, restore it: `git checkout skillpm.lock`
help: else the registry changed a published version: report it to its owners, and use another version meanwhile

"]]);
    sandbox.lacks([".agents/skills/pdf", ".agents/skills/base"]);
    assert_ne!(fake.text("acme/pdf"), mirror.text("acme/pdf"));
}

#[test]
fn mirror_cycle_and_unknown_mirror_name_the_settings_file() {
    let sandbox = Sandbox::project_here();
    let (_server, mirror, _) = with_copy(&sandbox);
    let config = sandbox.read(".skillpm/config.toml");
    replace(&sandbox, "acme", &mirror.url());
    replace(&sandbox, &format!("\"{}\"", mirror.url()), "acme");
    let refused = sandbox.skillpm("add acme/pdf --registry acme").exits(2);
    refused.stderr(str![[r"
error: detected a cycle of `replace-with` sources: `file://[ROOT]/mirror` -> `sparse+[URL]/index/` -> `file://[ROOT]/mirror`
  the last of them is set in [ROOT]/project/.skillpm/config.toml
help: remove one `source.….replace-with`; `skillpm config list` shows where each is set

"]]);
    sandbox.write(".skillpm/config.toml", config);
    replace(&sandbox, "acme", "nobody");
    let refused = sandbox.skillpm("add acme/pdf --registry acme").exits(2);
    refused.stderr(str![[r"
error: unknown registry `nobody`
  configured registries: `acme`, `default`
  `source.acme.replace-with` is set in [ROOT]/project/.skillpm/config.toml
help: set one with `skillpm config set registries.nobody.index sparse+https://host/path/`

"]]);
}

#[test]
fn invalid_index_url_is_refused_with_a_valid_one() {
    let sandbox = Sandbox::project_here();
    let refused = sandbox
        .skillpm("config set registries.acme.index https://acme.dev/index")
        .exits(2);
    refused.stderr(str![[r"
error: invalid value for `registries.acme.index`
  in `[HOME]/.skillpm/config.toml`
caused by: invalid index URL `https://acme.dev/index`: missing `sparse+` or `git+`
help: write `sparse+https://acme.dev/index` for static files, `git+https://acme.dev/index` for a git repository

"]]);
    sandbox.write(
        ".skillpm/config.toml",
        "[registries.acme]\nindex = \"sparse+https://u:CANARY@acme.dev/\"\n",
    );
    let refused = sandbox.skillpm("list").exits(2);
    refused.stderr(str![[r"
error: invalid value for `registries.acme.index`
  it is set in [ROOT]/project/.skillpm/config.toml
caused by: invalid index URL `sparse+https://***@acme.dev/`: it contains a user or password, which would be written to the lockfile
help: remove it, and store the token with `skillpm login`

"]])
        .never_prints("CANARY");
}

#[test]
fn default_registry_can_be_changed() {
    let sandbox = Sandbox::project_here();
    let (_server, _, url) = with_copy(&sandbox);
    let text = sandbox.read(".skillpm/config.toml");
    sandbox.write(
        ".skillpm/config.toml",
        format!("{text}[registry]\ndefault = \"acme\"\n"),
    );
    sandbox.skillpm("add acme/pdf").exits(0);
    sandbox
        .skillpm("add commit-messages --registry default")
        .exits(0);
    assert_eq!(
        sandbox.locked("acme/pdf", "source"),
        format!("registry+{url}")
    );
    assert_eq!(
        sandbox.locked("commit-messages", "source"),
        "registry+embedded:default"
    );
    sandbox.skillpm("install --frozen").exits(0);
    sandbox.skillpm("outdated --exit-code").exits(0);
}
