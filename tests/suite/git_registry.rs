//! A registry in a git repository: `git+file://…`, `git+http://127.0.0.1/…`, `git+ssh://…`.

#[cfg(unix)]
use crate::support::Ssh;
use crate::support::{IndexDir, Repo, Sandbox, Server, flip_a_bit};

/// The same, served by HTTP and known to the project as `acme`.
fn served(sandbox: &Sandbox) -> (Server, Repo, IndexDir) {
    let (repo, index) = IndexDir::committed(sandbox);
    let server = Server::start(sandbox);
    IndexDir::configure(sandbox, "acme", &format!("git+{}", server.url("index")));
    (server, repo, index)
}

#[test]
fn local_repository_is_an_index() {
    let sandbox = Sandbox::project_here();
    let (repo, index) = IndexDir::committed(&sandbox);
    IndexDir::configure(&sandbox, "acme", &format!("git+{}", repo.url()));
    sandbox.skillpm("add acme/pdf --registry acme").exits(0);
    sandbox.has([
        ".agents/skills/pdf/SKILL.md",
        ".agents/skills/base/SKILL.md",
    ]);
    assert_eq!(
        sandbox.locked("acme/pdf", "source"),
        format!("registry+git+{}", repo.url())
    );
    index.publish("acme/pdf", "1.3.0", &[]);
    sandbox.skillpm("update").exits(0);
    assert_eq!(
        sandbox.locked("acme/pdf", "version"),
        "1.2.0",
        "only what is committed is published"
    );
    repo.commit("second");
    sandbox.skillpm("update").exits(0);
    assert_eq!(sandbox.locked("acme/pdf", "version"), "1.3.0");
    sandbox
        .skillpm("add acme/pdx --registry acme")
        .exits(1)
        .explains(["acme/pdf"]);
}

#[test]
fn http_query_costs_one_request_and_a_cached_one_none() {
    let sandbox = Sandbox::project_here();
    let (server, repo, index) = served(&sandbox);
    sandbox.write(
        "skillpm.toml",
        "[dependencies]\n\"acme/pdf\" = { version = \"^1\", registry = \"acme\" }\n",
    );
    sandbox.skillpm("lock").exits(0);
    // The head, its trees, and three waves of files: the config, what was asked for, what that needs.
    assert_eq!(server.requests().len(), 5, "{:#?}", server.requests());
    server.forget();
    sandbox.skillpm("update").exits(0);
    assert_eq!(
        server.requests().len(),
        2,
        "the head, and both archives: {:#?}",
        server.requests()
    );
    server.forget();
    sandbox.skillpm("update").exits(0);
    assert_eq!(server.requests().len(), 1, "{:#?}", server.requests());
    index.publish("acme/pdf", "1.3.0", &["acme/base ^1"]);
    repo.commit("second");
    server.forget();
    sandbox.skillpm("lock").exits(0);
    assert_eq!(server.requests().len(), 0, "the lockfile answers");
    sandbox.skillpm("update").exits(0);
    assert_eq!(
        server.requests().len(),
        4,
        "head, trees, the file that is new, its archive: {:#?}",
        server.requests()
    );
    assert_eq!(sandbox.locked("acme/pdf", "version"), "1.3.0");
}

#[test]
fn moved_head_is_fetched_incrementally() {
    let sandbox = Sandbox::project_here();
    let (server, repo, index) = served(&sandbox);
    for n in 0..400 {
        index.write(&format!("pa/ck/pack-{n}"), format!("{n}\n"));
    }
    repo.commit("many");
    sandbox.skillpm("add acme/pdf --registry acme").exits(0);
    index.publish("acme/pdf", "1.3.0", &["acme/base ^1"]);
    repo.commit("one more");
    server.forget();
    sandbox.skillpm("update --dry-run").exits(0);
    let trees = server
        .requests()
        .iter()
        .map(|request| request.sent)
        .max()
        .unwrap();
    assert!(
        trees < 4_000,
        "the tree of 400 files alone has more: {:#?}",
        server.requests()
    );
    sandbox.skillpm("update").exits(0);
    assert_eq!(sandbox.locked("acme/pdf", "version"), "1.3.0");
}

#[test]
fn unrelated_head_is_read_once_accepted() {
    let sandbox = Sandbox::project_here();
    let (_server, repo, index) = served(&sandbox);
    sandbox.skillpm("add acme/base --registry acme").exits(0);
    repo.git(&["checkout", "-q", "--orphan", "again"]);
    index.publish("acme/base", "1.1.0", &[]);
    repo.commit("begun anew");
    repo.git(&["branch", "-M", "main"]);
    repo.git(&["reflog", "expire", "--expire=now", "--all"]);
    repo.git(&["gc", "-q", "--prune=now"]);
    sandbox
        .skillpm("update")
        .exits(3)
        .explains(["rewrote its history"]);
    sandbox
        .skillpm("update --config registry.accept-rewritten=acme")
        .exits(0);
    assert_eq!(sandbox.locked("acme/base", "version"), "1.1.0");
}

#[test]
fn offline_uses_the_last_head() {
    let sandbox = Sandbox::project_here();
    let (server, repo, _) = served(&sandbox);
    sandbox.skillpm("add acme/pdf --registry acme").exits(0);
    repo.delete();
    server.forget();
    sandbox.delete("skillpm.lock");
    sandbox.delete(".agents");
    sandbox.skillpm("install --offline").exits(0);
    sandbox.has([".agents/skills/pdf/SKILL.md"]);
    sandbox.skillpm("install --frozen").exits(0);
    assert_eq!(server.count(""), 0);
    sandbox
        .skillpm("update --offline")
        .home("other")
        .exits(4)
        .explains(["[URL]/index", "--offline"]);
}

#[test]
fn head_that_changed_published_versions_is_refused() {
    let sandbox = Sandbox::project_here();
    let (_server, repo, index) = served(&sandbox);
    sandbox.skillpm("add acme/pdf --registry acme").exits(0);
    let before = sandbox.snapshot();
    let other = format!("skill-tree-v1:{}", "0".repeat(64));
    index.rewrite("acme/pdf", "1.2.0", |entry| entry["cksum"] = other.into());
    repo.commit("rewritten");
    for _ in 0..2 {
        let refused = sandbox.skillpm("update").exits(3);
        refused.explains([
            "changed published versions of `acme/pdf`",
            "`cksum` of version 1.2.0 was changed from \"[SUM]\" to \"[SUM]\"",
        ]);
        // What is fetched again is not believed any sooner.
        sandbox.delete("~/.skillpm/git");
    }
    before.still_holds();
    repo.git(&["rm", "-q", "acme/3/p/pdf"]);
    repo.commit("gone");
    sandbox
        .skillpm("update")
        .exits(3)
        .explains(["version 1.2.0 was removed"]);
    before.still_holds();
    index.publish("acme/pdf", "2.0.0", &[]);
    repo.commit("published again");
    sandbox.edit("skillpm.toml", "^1.2", "^2");
    sandbox.skillpm("update").exits(3);
    sandbox
        .skillpm("update --config registry.accept-rewritten=acme")
        .exits(0);
    sandbox.skillpm("update").exits(0);
}

#[test]
fn flipped_bit_in_an_archive_or_the_cache_is_detected() {
    let sandbox = Sandbox::project_here();
    let (server, repo, index) = served(&sandbox);
    flip_a_bit(&index.archive("acme/base", "1.0.0"));
    repo.commit("damaged");
    let before = sandbox.snapshot();
    let refused = sandbox.skillpm("add acme/pdf --registry acme").exits(3);
    refused.explains(["checksum mismatch for the archive of `acme/base 1.0.0`"]);
    before.still_holds();
    repo.git(&["revert", "--no-edit", "HEAD"]);
    sandbox.skillpm("add acme/pdf --registry acme").exits(0);

    let packs = sandbox.tree("~/.skillpm/git");
    for path in packs
        .paths()
        .into_iter()
        .filter(|path| path.contains("/pack-") && !path.contains(".idx"))
    {
        flip_a_bit(&sandbox.path(&format!("~/.skillpm/git/{path}")));
    }
    server.forget();
    sandbox.delete("skillpm.lock");
    sandbox.skillpm("install").exits(0);
    assert!(
        server.count("POST") > 1,
        "what was damaged is brought again"
    );
}

#[test]
fn empty_repository_and_non_index_have_different_errors() {
    let sandbox = Sandbox::project_here();
    let repo = Repo::new(&sandbox, "index");
    let server = Server::start(&sandbox);
    IndexDir::configure(&sandbox, "acme", &format!("git+{}", server.url("index")));
    sandbox
        .skillpm("add acme/pdf --registry acme")
        .exits_one_of([1, 4])
        .explains(["[URL]/index"]);
    repo.write("a.txt", "a").commit("first");
    sandbox
        .skillpm("add acme/pdf --registry acme")
        .exits(2)
        .explains(["missing `config.json`"]);
}

#[cfg(unix)]
#[test]
fn ssh_repository_is_an_index() {
    let sandbox = Sandbox::project_here();
    let (repo, _) = IndexDir::committed(&sandbox);
    let Some(ssh) = Ssh::start(&sandbox) else {
        return;
    };
    IndexDir::configure(&sandbox, "acme", &format!("git+{}", ssh.url(repo.path())));
    sandbox
        .skillpm("add acme/pdf --registry acme")
        .envs(&ssh.env())
        .exits(0);
    sandbox.has([".agents/skills/base/SKILL.md"]);
    assert!(
        sandbox
            .locked("acme/pdf", "source")
            .starts_with("registry+git+ssh://")
    );
}
