//! A registry of static files on a web server: `sparse+http://127.0.0.1/…`.

use std::fs;
use std::path::PathBuf;

use serde_json::json;
use snapbox::str;

use crate::support::{Fault, IndexDir, Sandbox, Server, closed_port, flip_a_bit};

/// A server of an index with `acme/pdf`, which needs `acme/base`; the project knows it as `acme`.
pub(crate) fn served(sandbox: &Sandbox) -> (Server, IndexDir) {
    let index = IndexDir::new(sandbox, "../www/index");
    index
        .publish("acme/base", "1.0.0", &[])
        .publish("acme/pdf", "1.2.0", &["acme/base ^1"]);
    let server = Server::start(sandbox);
    IndexDir::configure(sandbox, "acme", &format!("sparse+{}", server.url("index")));
    (server, index)
}

/// The copy of a file of the only index that was read.
fn copy_of(sandbox: &Sandbox, path: &str) -> PathBuf {
    // Beside it are tables about the copies.
    let entries = fs::read_dir(sandbox.path("~/.skillpm/index")).unwrap();
    let mut dirs = entries
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_dir());
    let copy = dirs.next().unwrap().join(path.replace('/', "+"));
    assert!(copy.exists() && dirs.next().is_none(), "{}", copy.display());
    copy
}

#[test]
fn dependencies_are_fetched_in_waves_and_reproducibly() {
    let sandbox = Sandbox::project_here();
    let (server, _) = served(&sandbox);
    sandbox.skillpm("add acme/pdf --registry acme").exits(0);
    sandbox.reads(
        "skillpm.toml",
        "[dependencies]\n\"acme/pdf\" = { version = \"^1.2\", registry = \"acme\" }\n",
    );
    sandbox.has([
        ".agents/skills/pdf/SKILL.md",
        ".agents/skills/base/SKILL.md",
    ]);
    assert_eq!(
        sandbox.locked("acme/base", "source"),
        format!("registry+sparse+{}/", server.url("index"))
    );
    let lines: Vec<String> = server
        .requests()
        .into_iter()
        .map(|request| request.line)
        .collect();
    assert_eq!(
        lines[..3],
        [
            "GET /index/config.json",
            "GET /index/acme/3/p/pdf",
            "GET /index/acme/ba/se/base"
        ],
        "{lines:?}"
    );
    assert_eq!(
        (lines.len(), server.count("/archives/")),
        (5, 2),
        "{lines:?}"
    );

    let clone = sandbox.fresh_clone("clone");
    fs::create_dir(clone.join(".skillpm")).unwrap();
    fs::copy(
        sandbox.path(".skillpm/config.toml"),
        clone.join(".skillpm/config.toml"),
    )
    .unwrap();
    sandbox
        .skillpm("install --locked")
        .in_dir(&clone)
        .home("other")
        .exits(0);
    let skills =
        |project: &std::path::Path| crate::support::Listing::of(&project.join(".agents/skills"));
    assert_eq!(skills(&clone), skills(&sandbox.path(".")));
}

#[test]
fn cached_files_are_revalidated_once_per_command() {
    let sandbox = Sandbox::project_here();
    let (server, index) = served(&sandbox);
    sandbox.skillpm("add acme/pdf --registry acme").exits(0);
    server.forget();
    sandbox.skillpm("update").exits(0);
    let seen = server.requests();
    assert_eq!(seen.len(), 3, "{seen:?}");
    assert!(
        seen.iter()
            .all(|request| (request.status, request.sent) == (304, 0)),
        "{seen:?}"
    );

    index.publish("acme/pdf", "1.3.0", &["acme/base ^1"]);
    server.forget();
    sandbox.skillpm("update").exits(0);
    assert_eq!(sandbox.locked("acme/pdf", "version"), "1.3.0");
    let seen: Vec<(u16, bool)> = server
        .requests()
        .iter()
        .map(|request| (request.status, request.line.contains("/archives/")))
        .collect();
    assert_eq!(
        seen.iter().filter(|seen| **seen == (304, false)).count(),
        2,
        "{seen:?}"
    );
    assert_eq!(
        seen.iter().filter(|seen| **seen == (200, true)).count(),
        1,
        "{seen:?}"
    );
}

#[test]
fn lock_fetches_no_archive() {
    let sandbox = Sandbox::project_here();
    let (server, index) = served(&sandbox);
    sandbox.write(
        "skillpm.toml",
        "[dependencies]\n\"acme/pdf\" = { version = \"^1\", registry = \"acme\" }\n",
    );
    sandbox.skillpm("lock").exits(0);
    assert_eq!(
        (server.count("/archives/"), server.requests().len()),
        (0, 3)
    );
    let entry = index.entry("acme/pdf", "1.2.0");
    assert_eq!(
        sandbox.locked("acme/pdf", "checksum"),
        entry["cksum"].as_str().unwrap()
    );
    let locked = sandbox.read("skillpm.lock");
    sandbox.skillpm("install --locked").exits(0);
    sandbox.reads("skillpm.lock", &locked);
    sandbox.skillpm("verify").exits(0);
}

#[test]
fn renamed_package_is_fetched_to_be_locked() {
    let sandbox = Sandbox::project_here();
    let (server, _) = served(&sandbox);
    sandbox
        .skillpm("add acme/base --registry acme --as floor")
        .exits(0);
    assert_eq!(server.count("/archives/"), 1);
    sandbox.has([".agents/skills/floor/SKILL.md"]);
    assert_ne!(
        sandbox.locked("acme/base", "checksum"),
        sandbox.locked("acme/base", "source-checksum")
    );
    sandbox.skillpm("verify").exits(0);
}

#[test]
fn skill_with_a_different_name_than_its_package_is_refused() {
    let sandbox = Sandbox::project_here();
    let (_server, index) = served(&sandbox);
    let mut tree = skillpm::package::Tree::builder();
    tree.add(
        "SKILL.md",
        b"---\nname: other\ndescription: x\n---\n".to_vec(),
        false,
    )
    .unwrap();
    index.publish_tree("acme/odd", "1.0.0", &[], &tree.finish(), |_| {});
    let before = sandbox.snapshot();
    sandbox
        .skillpm("add acme/odd --registry acme")
        .exits(3)
        .explains(["`acme/odd 1.0.0`", "not named `odd`"]);
    before.still_holds();
}

#[test]
fn offline_uses_cached_answers_even_negative_ones() {
    let sandbox = Sandbox::project_here();
    let (server, _) = served(&sandbox);
    sandbox.skillpm("add acme/none --registry acme").exits(1);
    sandbox.skillpm("add acme/pdf --registry acme").exits(0);
    server.forget();
    sandbox.delete("skillpm.lock");
    sandbox.delete(".agents");
    sandbox.skillpm("install --offline").exits(0);
    sandbox.has([".agents/skills/pdf/SKILL.md"]);
    sandbox
        .skillpm("add acme/none --registry acme --offline")
        .exits(1)
        .explains(["acme/none"]);
    let unknown = sandbox
        .skillpm("add acme/never --registry acme --offline")
        .exits(4);
    unknown.stderr(str![[r"
error: cannot read `acme/ne/ve/never` from index `sparse+[URL]/index/`: it is not cached, and the network is off
help: run the command once without `--offline` to cache what it needs

"]]);
    assert_eq!(server.count(""), 0);
}

#[test]
fn unreachable_server_is_reported_with_help() {
    let sandbox = Sandbox::project_here();
    IndexDir::configure(
        &sandbox,
        "acme",
        &format!("sparse+{}/index/", closed_port()),
    );
    let before = sandbox.snapshot();
    sandbox
        .skillpm("add acme/pdf --registry acme")
        .exits(4)
        .stderr(str![[r"
    Fetching index [URL]/index/
error: failed to fetch `[URL]/index/config.json`
caused by: connection refused by `127.0.0.1` or its proxy
help: check the network and the proxy settings, or use `--offline` if everything is cached

"]]);
    before.still_holds();
}

#[test]
fn busy_server_is_retried_after_its_delay() {
    let sandbox = Sandbox::project_here();
    let (server, _) = served(&sandbox);
    server.fault_times("/3/p/pdf", Fault::RetryAfter(503, 1), 1);
    server.fault_times("/archives/acme/pdf", Fault::RetryAfter(429, 1), 1);
    sandbox.skillpm("add acme/pdf --registry acme").exits(0);
    assert_eq!(
        (server.count("/3/p/pdf"), server.count("/archives/acme/pdf")),
        (2, 2)
    );
    server.fault("/3/p/pdf", Fault::RetryAfter(503, 3600));
    let refused = sandbox.skillpm("update").exits(4);
    refused.stderr(str![[r"
    Fetching index [URL]/index/
error: failed to fetch `[URL]/index/acme/3/p/pdf`
caused by: the server responded with 503 Service Unavailable
caused by: it asks to wait for [TIME]
help: try again later

"]]);
}

#[test]
fn compressed_files_are_read() {
    let sandbox = Sandbox::project_here();
    let (server, _) = served(&sandbox);
    server.compress();
    sandbox.skillpm("add acme/pdf --registry acme").exits(0);
    let zipped = |line: &str| {
        server
            .requests()
            .iter()
            .any(|request| request.line.contains(line) && request.sent > 0)
    };
    assert!(zipped("/3/p/pdf") && zipped("/archives/"));
    server.forget();
    sandbox.skillpm("update").exits(0);
    assert!(
        server
            .requests()
            .iter()
            .all(|request| request.status == 304),
        "{:?}",
        server.requests()
    );
}

#[test]
fn flipped_bit_in_a_cached_file_is_fetched_again() {
    let sandbox = Sandbox::project_here();
    let (server, _) = served(&sandbox);
    sandbox.skillpm("add acme/pdf --registry acme").exits(0);
    flip_a_bit(&copy_of(&sandbox, "acme/3/p/pdf"));
    server.forget();
    sandbox
        .skillpm("update -v")
        .exits(0)
        .stderr_has("the cached copy of `acme/3/p/pdf`");
    let asked: Vec<u16> = server
        .requests()
        .iter()
        .filter(|r| r.line.contains("/3/p/pdf"))
        .map(|r| r.status)
        .collect();
    assert_eq!(asked, [200]);
    flip_a_bit(&copy_of(&sandbox, "acme/3/p/pdf"));
    sandbox.skillpm("update").exits(0).never_prints("copy of");
    flip_a_bit(&copy_of(&sandbox, "acme/3/p/pdf"));
    sandbox
        .skillpm("update --offline")
        .exits(4).stderr(str![[r"
error: cannot read `acme/3/p/pdf` from index `sparse+[URL]/index/`: it is not cached, and the network is off
help: run the command once without `--offline` to cache what it needs

"]]);
}

#[test]
fn flipped_bit_in_a_line_or_archive_installs_nothing() {
    let sandbox = Sandbox::project_here();
    let (_server, index) = served(&sandbox);
    let before = sandbox.snapshot();
    let archive = index.archive("acme/pdf", "1.2.0");
    let whole = fs::read(&archive).unwrap();
    flip_a_bit(&archive);
    let refused = sandbox.skillpm("add acme/pdf --registry acme").exits(3);
    refused.stderr(str![[r"
...
error: failed to fetch `acme/pdf 1.2.0`
  expected sha256:[SHA]
  computed sha256:[SHA]
  it was fetched twice, the second time bypassing all caches
caused by: checksum mismatch for the archive of `acme/pdf 1.2.0`: it differs from the index
caused by: failed to verify the checksum of `[URL]/index/archives/acme/pdf-1.2.0.tar.gz`
help: nothing was installed; report this to the maintainer of the server

"]]);
    before.still_holds();
    fs::write(&archive, whole).unwrap();

    let other = "skill-tree-v1:".to_owned() + &"0".repeat(64);
    fs::rename(
        index.archive("acme/base", "1.0.0"),
        sandbox.path("../kept.tar.gz"),
    )
    .unwrap();
    let refused = sandbox
        .skillpm("add acme/base --registry acme")
        .home("second")
        .exits(3);
    refused.stderr(str![[r"
...
error: failed to fetch `acme/base 1.0.0`
  expected `archives/acme/base-1.0.0.tar.gz`
caused by: archive of `acme/base 1.0.0` not found in index `sparse+[URL]/index/`
help: nothing was installed; report it to the registry's owners

"]]);
    sandbox.copy(
        "../kept.tar.gz",
        "../www/index/archives/acme/base-1.0.0.tar.gz",
    );
    index.rewrite("acme/base", "1.0.0", |entry| {
        entry["cksum"] = other.clone().into();
    });
    let refused = sandbox
        .skillpm("add acme/base --registry acme")
        .home("third")
        .exits(3);
    refused.explains(["checksum mismatch for the content of `acme/base 1.0.0`"]);
    flip_a_bit(&index.file("acme/pdf"));
    sandbox
        .skillpm("add acme/pdf --registry acme")
        .home("fourth")
        .exits_one_of([1, 3])
        .prints("acme/pdf");
    before.still_holds();
}

#[test]
fn archive_is_fetched_again_past_a_damaged_cache() {
    let sandbox = Sandbox::project_here();
    let (server, _) = served(&sandbox);
    server.fault_times("pdf-1.2.0.tar.gz", Fault::Flip, 1);
    sandbox.skillpm("add acme/pdf --registry acme").exits(0);
    let requests = server.requests();
    let asked = requests
        .iter()
        .filter(|request| request.line.contains("pdf-1.2.0.tar.gz"));
    let asked: Vec<_> = asked
        .map(|request| request.headers.get("cache-control").map(String::as_str))
        .collect();
    assert_eq!(asked, [None, Some("no-cache")]);
    sandbox.skillpm("verify").exits(0);
}

#[test]
fn index_that_changed_published_versions_is_refused() {
    let sandbox = Sandbox::project_here();
    let (_server, index) = served(&sandbox);
    sandbox.skillpm("add acme/pdf --registry acme").exits(0);
    let before = sandbox.snapshot();
    let (said, other) = (index.text("acme/pdf"), format!("sha256:{}", "0".repeat(64)));
    index.rewrite("acme/pdf", "1.2.0", |entry| entry["archive"] = other.into());
    for _ in 0..2 {
        let refused = sandbox.skillpm("update").exits(3);
        refused.stderr(str![[r#"
    Fetching index [URL]/index/
error: index `sparse+[URL]/index/` changed published versions of `acme/pdf`
  `archive` of version 1.2.0 was changed from "sha256:[SHA]" to "sha256:[SHA]"
  it was fetched twice, the second time bypassing all caches
help: nothing was installed, and the previous state stays cached; ask the registry's owners
help: if the change is intended, pass `--config registry.accept-rewritten=sparse+[URL]/index/`

"#]]);
    }
    index.write("acme/3/p/pdf", "");
    let refused = sandbox.skillpm("update").exits(3);
    refused.explains(["version 1.2.0 was removed"]);
    fs::remove_file(index.file("acme/pdf")).unwrap();
    sandbox
        .skillpm("update")
        .exits(3)
        .explains(["version 1.2.0 was removed"]);
    before.still_holds();

    // What may change may.
    index.write("acme/3/p/pdf", said);
    index
        .yank("acme/pdf", "1.2.0")
        .publish("acme/pdf", "1.3.0", &[]);
    sandbox.skillpm("update").exits(0);
    assert_eq!(sandbox.locked("acme/pdf", "version"), "1.3.0");
    index.write(
        "acme/3/p/pdf",
        index.text("acme/pdf").lines().last().unwrap(),
    );
    sandbox.skillpm("update").exits(3);
    sandbox
        .skillpm("update --config registry.accept-rewritten=acme")
        .exits(0);
    sandbox.skillpm("update").exits(0);
}

#[test]
fn yanked_version_stays_locked_and_is_not_selected_elsewhere() {
    let sandbox = Sandbox::project_here();
    let (_server, index) = served(&sandbox);
    sandbox.skillpm("add acme/pdf --registry acme").exits(0);
    index.yank("acme/pdf", "1.2.0");
    let clone = sandbox.fresh_clone("clone");
    fs::create_dir(clone.join(".skillpm")).unwrap();
    fs::copy(
        sandbox.path(".skillpm/config.toml"),
        clone.join(".skillpm/config.toml"),
    )
    .unwrap();
    let installed = sandbox
        .skillpm("install --locked")
        .in_dir(&clone)
        .home("other")
        .exits(0);
    installed.stderr_has("`acme/pdf 1.2.0` in the lockfile was yanked");
    assert!(clone.join(".agents/skills/pdf/SKILL.md").exists());
    sandbox.delete("skillpm.lock");
    sandbox
        .skillpm("install")
        .exits(1)
        .explains(["`1.2.0` was yanked"]);
    index.rewrite("acme/pdf", "1.2.0", |entry| entry["yanked"] = false.into());
    sandbox.skillpm("install").exits(0);
}

#[test]
fn dl_may_name_another_host_but_must_be_a_valid_url() {
    let sandbox = Sandbox::project_here();
    let (server, index) = served(&sandbox);
    let files = Server::start(&sandbox);
    let dl = |url: &str| json!({"api-version": 1, "dl": url});
    index.config(&dl(&files.url("index/archives/{name}-{version}.tar.gz")));
    sandbox.skillpm("add acme/pdf --registry acme").exits(0);
    assert_eq!(
        (files.count("/archives/"), server.count("/archives/")),
        (2, 0)
    );

    for bad in [
        "../{name}",
        "file:///etc/{name}",
        "http://{name}.dev/",
        "a/{sha256}",
    ] {
        index.config(&dl(bad));
        let refused = sandbox.skillpm("update").exits(3);
        refused.explains(["invalid `dl` in `config.json`"]);
    }
}

#[test]
fn version_without_an_archive_comes_from_its_commit() {
    let sandbox = Sandbox::project_here();
    let (server, index) = served(&sandbox);
    let repo = sandbox.repo_with("tool");
    let tree = |name: &str| {
        let mut tree = skillpm::package::Tree::builder();
        tree.add(
            "SKILL.md",
            crate::support::skill_md(name, "Does one thing well.").into_bytes(),
            false,
        )
        .unwrap();
        tree.finish()
    };
    let src = json!({"git": server.url("skills"), "rev": repo.head(), "path": "skills/tool"});
    let from_git = |entry: &mut serde_json::Value| {
        entry["src"] = src.clone();
        entry.as_object_mut().unwrap().remove("archive");
    };
    index.publish_tree("acme/tool", "1.0.0", &[], &tree("tool"), from_git);
    fs::remove_file(index.archive("acme/tool", "1.0.0")).unwrap();
    sandbox.skillpm("add acme/tool --registry acme").exits(0);
    assert_eq!(server.count("/archives/"), 0);
    assert_eq!(sandbox.locked("acme/tool", "archive"), "");

    // The archive is gone, and the commit is not.
    index.publish_tree("acme/tool", "1.1.0", &[], &tree("tool"), |entry| {
        entry["src"] = src.clone();
    });
    fs::remove_file(index.archive("acme/tool", "1.1.0")).unwrap();
    sandbox.skillpm("update acme/tool").exits_one_of([0, 1, 2]);
    sandbox.delete("~/.skillpm/store");
    sandbox.skillpm("update").exits(0);
    assert_eq!(sandbox.locked("acme/tool", "version"), "1.1.0");

    // Another tree than the index says, and a commit nobody may be sent to.
    index.publish_tree("acme/other", "1.0.0", &[], &tree("other"), from_git);
    let refused = sandbox.skillpm("add acme/other --registry acme").exits(3);
    refused.explains(["checksum mismatch for the content of `acme/other 1.0.0`"]);
    index.publish_with("acme/here", "1.0.0", &[], |entry| {
        from_git(entry);
        entry["src"]["git"] = repo.url().into();
    });
    let refused = sandbox.skillpm("add acme/here --registry acme").exits(3);
    refused.stderr(str![[r"
...
error: failed to fetch `acme/here 1.0.0`
caused by: refusing to fetch `acme/here 1.0.0` from `file://[ROOT]/repos/skills`, which index `sparse+[URL]/index/` may not refer to
help: a remote index may refer to https and ssh repositories only; report it to the registry's owners

"]]);
}

#[test]
fn name_is_looked_up_only_in_its_registry() {
    let sandbox = Sandbox::project_here();
    let (server, _) = served(&sandbox);
    let evil = IndexDir::new(&sandbox, "../www/evil");
    evil.publish("acme/base", "9.9.9", &[])
        .publish("acme/pdf", "9.9.9", &[]);
    IndexDir::configure(&sandbox, "evil", &format!("sparse+{}", server.url("evil")));
    sandbox.skillpm("add acme/pdf --registry acme").exits(0);
    assert_eq!(sandbox.locked("acme/pdf", "version"), "1.2.0");
    assert_eq!(sandbox.locked("acme/base", "version"), "1.0.0");
    assert_eq!(server.count("/evil/"), 0, "nobody asked it");
    // Not even when the one that was named has no such package.
    evil.publish("acme/only-there", "1.0.0", &[]);
    sandbox
        .skillpm("add acme/only-there --registry acme")
        .exits(1)
        .explains(["acme/only-there"]);
    assert_eq!(server.count("/evil/"), 0);
}

#[test]
fn dependency_can_name_another_registry_but_no_local_path() {
    let sandbox = Sandbox::project_here();
    let (server, index) = served(&sandbox);
    let other = IndexDir::new(&sandbox, "../www/other");
    other
        .publish("tools/hammer", "1.0.0", &[])
        .publish("tools/nail", "2.0.0", &[]);
    let url = format!("sparse+{}/", server.url("other"));
    index.publish("acme/by-url", "1.0.0", &[&format!("tools/hammer ^1 {url}")]);
    index.publish("acme/by-name", "1.0.0", &["tools/nail ^2 tools"]);
    index.publish(
        "acme/by-path",
        "1.0.0",
        &[&format!("tools/hammer ^1 {}", other.url())],
    );
    sandbox.skillpm("add acme/by-url --registry acme").exits(0);
    assert_eq!(
        sandbox.locked("tools/hammer", "source"),
        format!("registry+{url}")
    );
    let refused = sandbox.skillpm("add acme/by-name --registry acme").exits(2);
    refused.stderr(str![[r"
    Fetching index [URL]/index/
error: invalid registry `tools` for dependency `tools/nail` of `acme/by-name 1.0.0` in index `sparse+[URL]/index/`
  configured registries: `acme`, `default`
caused by: unknown registry `tools`
help: set one with `skillpm config set registries.tools.index sparse+https://host/path/`

"]]);
    IndexDir::configure(&sandbox, "tools", &url);
    sandbox.skillpm("add acme/by-name --registry acme").exits(0);
    assert_eq!(
        sandbox.locked("tools/nail", "source"),
        format!("registry+{url}")
    );
    let refused = sandbox.skillpm("add acme/by-path --registry acme").exits(3);
    refused.stderr(str![[r"
    Fetching index [URL]/index/
error: invalid registry `file://[ROOT]/www/other` for dependency `tools/hammer` of `acme/by-path 1.0.0` in index `sparse+[URL]/index/`: it is on this machine
help: a remote index may not refer to a local one; report it to the registry's owners

"]]);
}

#[test]
fn concurrent_processes_read_one_cache() {
    let sandbox = Sandbox::new();
    let (server, _) = served(&sandbox);
    let config = sandbox.read(".skillpm/config.toml");
    let runs: Vec<_> = (0..8)
        .map(|n| {
            sandbox.write(&format!("p{n}/.skillpm/config.toml"), &config);
            sandbox.write(&format!("p{n}/skillpm.toml"), "[dependencies]\n");
            sandbox
                .skillpm("add acme/pdf --registry acme")
                .in_dir(format!("p{n}"))
                .spawn()
        })
        .collect();
    for run in runs {
        run.wait().ended(0);
    }
    server.forget();
    sandbox.skillpm("update").in_dir("p0").exits(0);
    assert!(
        server
            .requests()
            .iter()
            .all(|request| request.status == 304),
        "{:?}",
        server.requests()
    );
}

#[test]
fn index_with_a_lower_serial_is_refused() {
    let sandbox = Sandbox::project_here();
    let (_server, index) = served(&sandbox);
    let number = |serial: &str| {
        let rest = r#""api-version":1,"dl":"archives/{name}-{version}.tar.gz""#;
        index.write("config.json", format!("{{{rest}{serial}}}\n"));
    };
    number(r#","serial":41"#);
    sandbox.skillpm("add acme/pdf --registry acme").exits(0);
    number(r#","serial":42"#);
    sandbox.skillpm("update").exits(0);
    let before = sandbox.snapshot();
    for (older, shown) in [(r#","serial":41"#, "41"), ("", "none")] {
        number(older);
        let refused = sandbox.skillpm("update").exits(3);
        refused.explains(["was rolled back to an older state", "serial before  42"]);
        refused.stderr_has(&format!("serial now     {shown}"));
    }
    before.still_holds();
    sandbox
        .skillpm("update --config registry.accept-rewritten=acme")
        .exits(0);
    sandbox.skillpm("update").exits(0);
}

#[test]
fn index_file_of_a_cache_that_is_behind_is_fetched_from_the_server() {
    let sandbox = Sandbox::project_here();
    let (server, index) = served(&sandbox);
    let old = fs::read(index.file("acme/pdf")).unwrap();
    index.publish("acme/pdf", "1.3.0", &[]);
    sandbox.skillpm("add acme/pdf --registry acme").exits(0);
    assert_eq!(sandbox.locked("acme/pdf", "version"), "1.3.0");
    server.fault("GET /index/acme/3/p/pdf", Fault::Stale(old.clone()));

    // This machine has seen the newer version.
    sandbox.skillpm("update").exits(0);
    assert_eq!(sandbox.locked("acme/pdf", "version"), "1.3.0");

    // Another has not.
    sandbox.delete("~/.skillpm/index");
    sandbox.delete("~/.skillpm/store");
    sandbox.delete(".agents");
    sandbox.skillpm("install --locked").exits(0);
    sandbox.has([".agents/skills/pdf/SKILL.md"]);

    // The server itself has lost it.
    server.heal();
    fs::write(index.file("acme/pdf"), old).unwrap();
    sandbox.skillpm("update").exits(3).stderr(str![[r"
    Fetching index [URL]/index/
error: index `sparse+[URL]/index/` changed published versions of `acme/pdf`
  version 1.3.0 was removed
  it was fetched twice, the second time bypassing all caches
help: nothing was installed, and the previous state stays cached; ask the registry's owners
help: if the change is intended, pass `--config registry.accept-rewritten=sparse+[URL]/index/`

"]]);
    sandbox.delete("~/.skillpm/index");
    sandbox.delete("~/.skillpm/store");
    sandbox.delete(".agents");
    sandbox.skillpm("install --locked").exits(1).stderr(str![[r"
    Fetching index [URL]/index/
error: failed to fetch `acme/pdf 1.3.0`
  published versions are never removed; the index may be a copy that is some minutes old
caused by: package `acme/pdf 1.3.0` not found in index `sparse+[URL]/index/`
help: run the command again later, or ask the registry's owners

"]]);
}

#[test]
fn web_page_in_place_of_an_index_file_is_named() {
    let sandbox = Sandbox::project_here();
    let (server, _) = served(&sandbox);
    sandbox.skillpm("add acme/pdf --registry acme").exits(0);
    for page in [
        "<!DOCTYPE html><title>Log in</title>",
        "\n<html lang=en>Welcome to Hotel",
    ] {
        for path in ["config.json", "acme/3/p/pdf"] {
            server.fault(path, Fault::Stale(page.into()));
            sandbox.skillpm("update").exits(4).explains([
                &format!("failed to read `[URL]/index/{path}`"),
                "the server responded with a web page",
            ]);
            server.heal();
        }
    }
    sandbox.skillpm("update").exits(0);
    server.fault("acme/3/p/pdf", Fault::Stale("<!doctype html>".into()));
    sandbox.skillpm("update").exits(4).stderr(str![[r"
    Fetching index [URL]/index/
error: failed to read `[URL]/index/acme/3/p/pdf`
caused by: the server responded with a web page instead of the file, such as a login page
help: open the URL in a browser to see it; if it needs a token, run `skillpm login --registry sparse+[URL]/index/`

"]]);
}
