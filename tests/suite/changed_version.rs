//! A published version never changes: what a lockfile, or this machine, knows of it is compared with what a registry has.

use std::fs;

use skillpm::package::Tree;
use snapbox::str;

use crate::support::{IndexDir, Registry, Repo, Sandbox, Server, package, published};

/// Replaces the bytes of `acme/pdf 1.2.0`, in all that an index says of them.
fn replace_bytes(repo: &Repo, index: &IndexDir) {
    let mut tree = Tree::builder();
    let text = b"---\nname: pdf\ndescription: Another one. Use when nobody looks.\n---\n";
    tree.add("SKILL.md", text.to_vec(), false).unwrap();
    let _ = fs::remove_file(index.file("acme/pdf"));
    index.publish_tree(
        "acme/pdf",
        "1.2.0",
        &["acme/base ^1"],
        &tree.finish(),
        |_| {},
    );
    repo.commit("other bytes");
}

/// The URLs of one index in a directory, in a repository and on a web server.
fn urls(sandbox: &Sandbox, server: &Server, repo: &Repo, index: &IndexDir) -> [String; 3] {
    fs::create_dir_all(sandbox.root().join("www")).unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink(index.dir(), sandbox.root().join("www/files")).unwrap();
    [
        index.url(),
        format!("git+{}", repo.url()),
        format!("sparse+{}", server.url("files")),
    ]
}

#[cfg(unix)]
#[test]
fn replaced_bytes_are_refused_from_the_lockfile_alone() {
    for kind in 0..3 {
        let sandbox = Sandbox::project_here();
        let (repo, index) = IndexDir::committed(&sandbox);
        let server = Server::start(&sandbox);
        let url = &urls(&sandbox, &server, &repo, &index)[kind];
        IndexDir::configure(&sandbox, "acme", url);
        sandbox.skillpm("add acme/pdf --registry acme").exits(0);
        let (manifest, lock) = (sandbox.read("skillpm.toml"), sandbox.read("skillpm.lock"));
        replace_bytes(&repo, &index);

        for (at, command) in [
            "update",
            "update pdf",
            "update --latest",
            "update pdf --precise 1.2.0",
            "update --dry-run",
            "outdated",
        ]
        .iter()
        .enumerate()
        {
            // A machine that has never seen the index: a runner, an update bot, a colleague.
            let refused = sandbox
                .skillpm(command)
                .home(&format!("machine-{at}"))
                .exits(3);
            refused.explains(["checksum of `acme/pdf 1.2.0` changed in registry"]);
            assert_eq!(sandbox.read("skillpm.lock"), lock, "{url}: {command}");
            assert_eq!(sandbox.read("skillpm.toml"), manifest, "{url}: {command}");
        }
        // Which do not choose it again.
        index.publish("acme/other", "1.0.0", &[]);
        repo.commit("another package");
        sandbox.skillpm("lock").home("locking").exits(0);
        assert_eq!(sandbox.read("skillpm.lock"), lock);
        sandbox
            .skillpm("install --locked")
            .in_dir(sandbox.fresh_clone("clone"))
            .home("installing")
            .exits(2);
    }
}

#[test]
fn changed_version_is_named_with_both_checksums() {
    let sandbox = Sandbox::project_here();
    let (repo, index) = IndexDir::committed(&sandbox);
    IndexDir::configure(&sandbox, "acme", &index.url());
    sandbox.skillpm("add acme/pdf --registry acme").exits(0);
    replace_bytes(&repo, &index);

    sandbox
        .skillpm("update")
        .home("other")
        .exits(3)
        .stderr(str![[r"
warning: ignoring `.skillpm/state.json`: it was not written by this user on this machine for this project
help: skills are compared with the lockfile instead, and the file is written again
error: checksum of `acme/pdf 1.2.0` changed in registry `file://[ROOT]/repos/index`
  locked  [SUM]
  found   [SUM]
help: a published version must never change: report it to the registry's owners, and use another version meanwhile
help: if the change is intended, run `skillpm update pdf --config registry.accept-rewritten=file://[ROOT]/repos/index`

"]]);
    sandbox
        .skillpm("outdated")
        .home("third")
        .exits(3)
        .stderr(str![[r"
error: checksum of `acme/pdf 1.2.0` changed in registry `file://[ROOT]/repos/index`
  locked  [SUM]
  found   [SUM]
help: a published version must never change: report it to the registry's owners, and use another version meanwhile
help: if the change is intended, run `skillpm update pdf --config registry.accept-rewritten=file://[ROOT]/repos/index`

"]]);

    // The help's own command.
    sandbox
        .skillpm(format!(
            "update pdf --config registry.accept-rewritten={}",
            index.url()
        ))
        .home("other")
        .exits(0);
    assert!(
        sandbox
            .read(".agents/skills/pdf/SKILL.md")
            .contains("nobody looks")
    );
    sandbox.skillpm("update").home("other").exits(0);
}

#[test]
fn changed_archive_and_dependencies_are_refused_from_the_lockfile_alone() {
    let sandbox = Sandbox::project_here();
    let (_, index) = IndexDir::committed(&sandbox);
    index
        .publish("acme/base", "2.0.0", &[])
        .publish("acme/other", "1.0.0", &[]);
    IndexDir::configure(&sandbox, "acme", &index.url());
    sandbox.skillpm("add acme/pdf --registry acme").exits(0);
    let lock = sandbox.read("skillpm.lock");
    let before = index.text("acme/pdf");

    let need = |name: &str, req: &str| serde_json::json!({"name": name, "req": req});
    for (at, (key, value, what)) in [
        (
            "archive",
            format!("sha256:{}", "0".repeat(64)).into(),
            "archive of `acme/pdf 1.2.0` changed",
        ),
        (
            "deps",
            serde_json::json!([]),
            "dependencies of `acme/pdf 1.2.0` changed",
        ),
        (
            "deps",
            serde_json::json!([need("acme/base", "^1"), need("acme/other", "^1")]),
            "dependencies of `acme/pdf 1.2.0` changed",
        ),
        (
            "deps",
            serde_json::json!([need("acme/base", "^2")]),
            "dependencies of `acme/pdf 1.2.0` changed",
        ),
    ]
    .into_iter()
    .enumerate()
    {
        index.rewrite("acme/pdf", "1.2.0", |entry| entry[key] = value);
        for command in ["update", "outdated"] {
            sandbox
                .skillpm(command)
                .home(&format!("{command}-{at}"))
                .exits(3)
                .explains([what]);
        }
        assert_eq!(sandbox.read("skillpm.lock"), lock);
        index.write("acme/3/p/pdf", &before);
    }
    sandbox.skillpm("update").home("last").exits(0);
    assert_eq!(sandbox.read("skillpm.lock"), lock);
}

#[test]
fn yanking_and_other_allowed_changes_are_accepted() {
    let sandbox = Sandbox::project_here();
    let (_, index) = IndexDir::committed(&sandbox);
    IndexDir::configure(&sandbox, "acme", &index.url());
    sandbox
        .skillpm("add acme/pdf --registry acme --as forms")
        .exits(0);
    // An edit that is part of the project has a checksum of its own.
    sandbox.edit(".agents/skills/base/notes.md", "1.0.0", "mine");
    sandbox.skillpm("patch base").exits(0);
    let lock = sandbox.read("skillpm.lock");

    index.rewrite("acme/pdf", "1.2.0", |entry| {
        entry["description"] = "Other words.".into();
    });
    sandbox.skillpm("update").home("second").exits(0);
    assert_eq!(sandbox.read("skillpm.lock"), lock);

    // Another place with the same index.
    sandbox.copy("../repos/index", "../mirror");
    let config = sandbox.read(".skillpm/config.toml");
    let mirror = crate::support::file_url(&sandbox.root().join("mirror"));
    sandbox.write(
        ".skillpm/config.toml",
        format!("{config}[source.acme]\nreplace-with = \"{mirror}\"\n"),
    );
    sandbox.skillpm("update").home("third").exits(0);
    assert_eq!(sandbox.read("skillpm.lock"), lock);
    sandbox.write(".skillpm/config.toml", config);

    index.yank("acme/pdf", "1.2.0");
    sandbox.skillpm("outdated").home("fourth").exits(0);
    index.publish("acme/pdf", "1.3.0", &[]);
    sandbox.skillpm("update").home("fifth").exits(0);
    assert_eq!(sandbox.locked("acme/pdf", "version"), "1.3.0");
}

#[test]
fn patched_dependency_is_no_change_of_the_version_that_needs_it() {
    let sandbox = Sandbox::project_here();
    let (_, index) = IndexDir::committed(&sandbox);
    IndexDir::configure(&sandbox, "acme", &index.url());
    sandbox.write_skill("mine/base", "Does what base does, but better.");
    sandbox.skillpm("add acme/pdf --registry acme").exits(0);
    let manifest = sandbox.read("skillpm.toml");

    let patch = "\n[patch.\"registry:acme\"]\n\"acme/base\" = { path = \"mine/base\" }\n";
    sandbox.write("skillpm.toml", format!("{manifest}{patch}"));
    sandbox.skillpm("update").home("second").exits(0);
    sandbox.skillpm("update").home("third").exits(0);
    sandbox.write("skillpm.toml", manifest);
    sandbox.skillpm("update").home("fourth").exits(0);
}

#[test]
fn directory_that_removed_or_changed_versions_is_refused() {
    let sandbox = Sandbox::project_here();
    let (repo, index) = IndexDir::committed(&sandbox);
    index.publish("acme/pdf", "1.1.0", &[]);
    IndexDir::configure(&sandbox, "acme", &index.url());
    sandbox.skillpm("add acme/pdf --registry acme").exits(0);
    let before = index.text("acme/pdf");

    index.write("acme/3/p/pdf", before.lines().next().unwrap());
    sandbox.skillpm("update").exits(3).stderr(str![[r"
error: index `file://[ROOT]/repos/index` changed published versions of `acme/pdf`
  version 1.1.0 was removed
help: nothing was installed, and the previous state stays cached; ask the registry's owners
help: if the change is intended, pass `--config registry.accept-rewritten=file://[ROOT]/repos/index`

"]]);
    fs::remove_file(index.file("acme/pdf")).unwrap();
    sandbox
        .skillpm("update")
        .exits(3)
        .explains(["version 1.2.0 was removed"]);

    // Nothing is left in the lockfile, but this machine has seen it.
    replace_bytes(&repo, &index);
    sandbox.skillpm("remove pdf").exits(0);
    let refused = sandbox.skillpm("add acme/pdf --registry acme").exits(3);
    refused.explains(["`cksum` of version 1.2.0 was changed"]);
    sandbox
        .skillpm("info acme/pdf --registry acme")
        .exits(3)
        .explains(["changed published versions"]);

    sandbox
        .skillpm("add acme/pdf --registry acme --config registry.accept-rewritten=acme")
        .exits(0);
    sandbox.skillpm("update").exits(0);

    // What may change may.
    index
        .yank("acme/pdf", "1.2.0")
        .publish("acme/pdf", "1.3.0", &[]);
    sandbox.skillpm("update").exits(0);
    assert_eq!(sandbox.locked("acme/pdf", "version"), "1.3.0");
}

#[test]
fn publisher_of_a_rewritten_repository_is_refused() {
    let (sandbox, registry) = published();
    // Somebody pushed by force.
    registry.git(&["update-ref", "refs/heads/main", "main~1"]);
    sandbox.edit("pdf/SKILL.md", "Work with care.", "Work fast.");

    sandbox.skillpm("publish pdf").exits(3).stderr(str![[r"
error: index `git+file://[ROOT]/repos/index.git` changed published versions of `acme/pdf`
  version 1.1.0 was removed
help: nothing was installed, and the previous state stays cached; ask the registry's owners
help: if the change is intended, pass `--config registry.accept-rewritten=git+file://[ROOT]/repos/index.git`

"]]);
    sandbox
        .skillpm("yank acme/pdf@1.0.0")
        .exits(3)
        .explains(["version 1.1.0 was removed"]);
    assert_eq!(registry.versions(), ["acme/pdf 1.0.0"]);

    sandbox
        .skillpm("publish pdf --config registry.accept-rewritten=acme")
        .exits(0);
    assert_eq!(registry.versions(), ["acme/pdf 1.0.0", "acme/pdf 1.1.0"]);
    package(&sandbox, "acme/pdf", "1.2.0");
    sandbox.skillpm("publish pdf").exits(0);
}

#[test]
fn publisher_to_a_restored_directory_is_refused() {
    let sandbox = Sandbox::new();
    let registry = Registry::directory(&sandbox, "index");
    registry.configure(&sandbox);
    package(&sandbox, "acme/pdf", "1.0.0");
    sandbox.copy("../www/index", "../backup");
    sandbox.skillpm("publish pdf").exits(0);

    fs::remove_dir_all(registry.path()).unwrap();
    sandbox.copy("../backup", "../www/index");
    sandbox.edit("pdf/SKILL.md", "Work with care.", "Work fast.");
    sandbox
        .skillpm("publish pdf")
        .exits(3)
        .explains(["version 1.0.0 was removed"]);

    // For review it goes to a branch, and another machine knows nothing.
    sandbox
        .skillpm("publish pdf")
        .home("other")
        .exits_one_of([0, 1, 2]);
}

#[test]
fn removed_version_is_compared_with_what_was_locked_of_it() {
    let sandbox = Sandbox::project_here();
    let (repo, index) = IndexDir::committed(&sandbox);
    IndexDir::configure(&sandbox, "acme", &index.url());
    sandbox.skillpm("add acme/pdf --registry acme").exits(0);
    sandbox.skillpm("remove acme/pdf").exits(0);
    replace_bytes(&repo, &index);
    for cached in ["index", "store"] {
        sandbox.delete(&format!("~/.skillpm/{cached}"));
    }

    let snapshot = sandbox.snapshot();
    sandbox
        .skillpm("add acme/pdf --registry acme")
        .exits(3)
        .stderr(str![[r"
error: checksum of `acme/pdf 1.2.0` changed in registry `file://[ROOT]/repos/index`
  locked  [SUM]
  found   [SUM]
help: a published version must never change: report it to the registry's owners, and use another version meanwhile
help: if the change is intended, pass `--config registry.accept-rewritten=file://[ROOT]/repos/index`

"]]);
    snapshot.still_holds();
    let accepted = format!(
        "add acme/pdf --registry acme --config registry.accept-rewritten={}",
        index.url()
    );
    sandbox.skillpm(accepted).exits(0);
}
