//! `publish`: one change of an index, whole and once.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::process::Command;
use std::time::Duration;

use skillpm::index::IndexContext;
use skillpm::index::write::{DecideEdit, IndexEdit, IndexEditOutcome, IndexWriteOptions, open};
use skillpm::io::bucket;
use skillpm::io::git::{CommitAuthor, GitClient, GitIdentity, GitOptions};
use skillpm::io::http::{self, HttpClient};
use skillpm::report::SilentReporter;
use snapbox::str;

use crate::support::{
    Fault, Registry, Repo, Sandbox, Server, configure, file_url, package, package_needing,
    published,
};

/// A sandbox whose default registry is a bare repository.
fn with_bare() -> (Sandbox, Registry) {
    let sandbox = Sandbox::new();
    let registry = Registry::bare(&sandbox, "index.git");
    registry.configure(&sandbox);
    (sandbox, registry)
}

#[test]
fn version_is_published_in_one_commit_and_installed() {
    let (sandbox, registry) = with_bare();
    package(&sandbox, "acme/pdf", "1.2.0");
    sandbox
        .skillpm("publish pdf")
        .exits(0)
        .stderr("   Published acme/pdf 1.2.0 to acme, 2 files\n")
        .stdout("acme/pdf 1.2.0 acme [SUM]\n");
    let files = [
        "acme/3/p/pdf",
        "archives/acme/pdf-1.2.0.tar.gz",
        "config.json",
        "owners/acme.toml",
    ];
    assert_eq!(registry.files(), files);
    assert_eq!(
        registry.text("owners/acme.toml"),
        "owners = [\"tester@example.org\"]\n"
    );
    let commit = registry.git(&["log", "-1", "--format=%an <%ae> %s", "main"]);
    assert_eq!(commit, "Tester <tester@example.org> publish acme/pdf 1.2.0");
    assert_eq!(
        registry
            .git(&["diff", "--name-only", "main~", "main"])
            .lines()
            .count(),
        3
    );
    registry.git(&["fsck", "--strict"]);
    let line = &registry.lines()[0];
    assert_eq!(
        (line["license"].as_str(), line["yanked"].as_bool()),
        (Some("MIT"), Some(false))
    );
    assert!(line["pubtime"].as_str().unwrap().ends_with('Z'));

    sandbox.write(
        "user/skillpm.toml",
        "[dependencies]\n\"acme/pdf\" = \"^1\"\n",
    );
    sandbox.skillpm("install").in_dir("user").exits(0);
    sandbox.has(["user/.agents/skills/pdf/SKILL.md"]);
}

#[test]
fn json_has_the_published_version_and_its_place() {
    let (sandbox, registry) = with_bare();
    package(&sandbox, "pdf", "1.0.0");
    let lines = sandbox
        .skillpm("publish pdf --format json")
        .exits(0)
        .stdout_json_lines();
    assert_eq!(lines.len(), 2);
    assert_eq!(lines[0]["type"], "published");
    assert_eq!(lines[0]["index"], registry.url());
    assert_eq!(lines[0]["checksum"], registry.lines()[0]["cksum"]);
    assert_eq!(lines[0]["archive"], registry.lines()[0]["archive"]);
    assert_eq!(lines[0]["commit"], registry.git(&["rev-parse", "main"]));
    assert_eq!(lines[1]["published"], 1);
}

#[test]
fn same_content_again_succeeds_and_other_content_fails() {
    for registry in [
        Registry::bare as fn(&Sandbox, &str) -> Registry,
        Registry::directory,
    ] {
        let sandbox = Sandbox::new();
        let registry = registry(&sandbox, "index");
        registry.configure(&sandbox);
        package(&sandbox, "pdf", "1.0.0");
        sandbox.skillpm("publish pdf").exits(0);
        let before = registry.text("3/p/pdf");
        sandbox
            .skillpm("publish pdf")
            .exits(0)
            .stderr("   Unchanged pdf 1.0.0 is already in acme, with identical content\n");
        sandbox.write("pdf/more.md", "More.\n");
        sandbox.skillpm("publish pdf").exits(1).stderr(str![[r"
error: `pdf 1.0.0` is already published with other content
  published  [SUM]
  this one   [SUM]
help: a published version never changes: raise the version, and publish again

"]]);
        assert_eq!(registry.text("3/p/pdf"), before);
        sandbox.edit("pdf/skillpm.toml", "1.0.0", "1.1.0");
        sandbox.skillpm("publish pdf").exits(0);
        assert!(registry.text("3/p/pdf").starts_with(&before));
        assert_eq!(registry.versions(), ["pdf 1.0.0", "pdf 1.1.0"]);
    }
}

#[test]
fn directory_index_has_no_other_new_files() {
    let sandbox = Sandbox::new();
    let registry = Registry::directory(&sandbox, "index");
    registry.configure(&sandbox);
    package(&sandbox, "acme/pdf", "1.0.0");
    sandbox.skillpm("publish pdf").exits(0);
    let files = [
        "acme/3/p/pdf",
        "archives/acme/pdf-1.0.0.tar.gz",
        "config.json",
        "owners/acme.toml",
    ];
    assert_eq!(registry.files(), files);
    assert_eq!(registry.versions(), ["acme/pdf 1.0.0"]);
}

#[test]
fn dry_run_finds_every_error_and_changes_nothing() {
    let (sandbox, registry) = with_bare();
    package(&sandbox, "pdf", "1.0.0");
    let head = registry.git(&["rev-parse", "main"]);
    sandbox
        .skillpm("publish pdf --dry-run")
        .exits(0)
        .stderr("Would publish pdf 1.0.0 to acme, 2 files\n    Dry run: nothing was changed\n");
    let registry = registry.write(
        "owners/_.toml",
        "[packages]\npdf = [\"somebody@else.org\"]\n",
    );
    sandbox
        .skillpm("publish pdf --dry-run")
        .exits(1)
        .explains(["refusing to change `pdf`: it belongs to `somebody@else.org`"]);
    assert_eq!(registry.git(&["rev-parse", "main~"]), head);
    assert_eq!(registry.git(&["branch", "--list"]), "* main");
}

#[test]
fn version_is_published_over_http() {
    let sandbox = Sandbox::new();
    let registry = Registry::bare(&sandbox, "index.git");
    let server = Server::start(&sandbox);
    configure(&sandbox, &format!("git+{}", server.url("index.git")), "");
    for name in ["pdf", "spreadsheets"] {
        package(&sandbox, name, "1.0.0");
        let run = sandbox.skillpm(format!("-v publish {name}")).exits(0);
        run.stderr_has("Requested PUSH [URL]");
        server.without_filters();
    }
    assert_eq!(registry.versions(), ["pdf 1.0.0", "spreadsheets 1.0.0"]);
    registry.git(&["fsck", "--strict"]);
    sandbox.write("user/skillpm.toml", "[dependencies]\npdf = \"^1\"\n");
    sandbox.skillpm("install").in_dir("user").exits(0);
    sandbox.has(["user/.agents/skills/pdf/SKILL.md"]);
}

#[test]
fn first_commit_goes_to_the_branch_of_head() {
    let sandbox = Sandbox::new();
    let server = Server::start(&sandbox);
    for (name, over_http) in [("here.git", false), ("served.git", true)] {
        let registry = Registry::empty(&sandbox, name, "trunk");
        let url = if over_http {
            format!("git+{}", server.url(name))
        } else {
            registry.url()
        };
        let files = BTreeMap::from([("config.json".to_owned(), b"{\"api-version\":1}\n".to_vec())]);
        let edit = IndexEdit {
            message: "a new index".into(),
            archives: BTreeMap::new(),
            files,
        };
        for attempt in 0..2 {
            let written = write_to(&sandbox, &url, &mut |files| {
                let is_new = files.read("config.json")?.is_none();
                assert_eq!(is_new, attempt == 0);
                Ok(is_new.then(|| edit.clone()))
            });
            assert_eq!(written.is_some(), attempt == 0);
        }
        assert_eq!(
            registry.git(&["log", "--format=%an %s", "trunk"]),
            "Ann a new index"
        );
        assert_eq!(
            registry.git(&["show", "trunk:config.json"]),
            "{\"api-version\":1}"
        );
    }
}

/// Changes an index by the library.
fn write_to(sandbox: &Sandbox, url: &str, decide: &mut DecideEdit<'_>) -> Option<IndexEditOutcome> {
    let git = GitClient::new(sandbox.root().join("git"), GitOptions::default());
    let http = HttpClient::new(http::HttpClientOptions::default());
    let tools = IndexContext {
        git: &git,
        http: &http,
        cache: &sandbox.root().join("indexes"),
        offline: false,
        tokens: &|_| Ok(None),
        accept_rewritten: &BTreeSet::new(),
        buckets: &bucket::BucketOptions::default(),
        reporter: &SilentReporter,
    };
    let committer = GitIdentity {
        name: "Ann".into(),
        email: "ann@x.dev".into(),
    };
    let author = CommitAuthor {
        name: "Ann".into(),
        email: "ann@x.dev".into(),
        committer,
        signing: None,
    };
    let writing = IndexWriteOptions {
        tools,
        author: &author,
        time: 1_800_000_000,
        branch: None,
        timeout: Duration::from_secs(9),
    };
    open(url, writing).unwrap().update(decide).unwrap()
}

#[test]
fn credentials_come_from_git_helpers_and_are_not_printed() {
    let sandbox = Sandbox::new();
    let registry = Registry::bare(&sandbox, "index.git");
    let server = Server::start(&sandbox);
    server.require("joe", "s3cret-CANARY");
    configure(&sandbox, &format!("git+{}", server.url("index.git")), "");
    package(&sandbox, "pdf", "1.0.0");
    sandbox.skillpm("publish pdf").exits(4);
    assert_eq!(registry.files(), ["config.json"]);
    sandbox.gitconfig("[credential]\n\thelper = \"!f() { echo username=joe; echo password=s3cret-CANARY; }; f\"\n");
    sandbox
        .skillpm("publish pdf")
        .exits(0)
        .never_prints("CANARY");
    assert_eq!(registry.versions(), ["pdf 1.0.0"]);
    sandbox.holds_nowhere("s3cret-CANARY");
}

#[cfg(unix)]
#[test]
fn version_is_published_over_ssh() {
    let sandbox = Sandbox::new();
    let registry = Registry::bare(&sandbox, "index.git");
    let Some(ssh) = crate::support::Ssh::start(&sandbox) else {
        return;
    };
    configure(&sandbox, &format!("git+{}", ssh.url(registry.path())), "");
    package(&sandbox, "pdf", "1.0.0");
    sandbox.skillpm("publish pdf").envs(&ssh.env()).exits(0);
    assert_eq!(registry.versions(), ["pdf 1.0.0"]);
    package(&sandbox, "spreadsheets", "1.0.0");
    sandbox
        .skillpm("publish spreadsheets")
        .envs(&ssh.env_without_agent())
        .exits(4);
    assert_eq!(registry.versions(), ["pdf 1.0.0"]);
}

#[test]
fn refusal_by_a_hook_is_printed_escaped() {
    let (sandbox, registry) = with_bare();
    let hook = registry.path().join("hooks/pre-receive");
    fs::create_dir_all(hook.parent().unwrap()).unwrap();
    fs::write(
        &hook,
        "#!/bin/sh\nprintf 'ask \\033[31mthe keeper\\n' >&2\nexit 1\n",
    )
    .unwrap();
    make_executable(&hook);
    package(&sandbox, "pdf", "1.0.0");
    let outcome = sandbox.skillpm("publish pdf").exits(1);
    outcome.explains([
        "declined",
        "the remote reported: pre-receive hook declined",
        "the remote reported: ask \\u{1b}[31mthe keeper",
    ]);
    outcome.never_prints("\u{1b}");
    assert_eq!(registry.files(), ["config.json"]);
}

#[test]
fn local_hooks_are_not_run() {
    let (sandbox, registry) = with_bare();
    let hook = sandbox.path("~/hooks/pre-push");
    sandbox.write(
        "~/hooks/pre-push",
        "#!/bin/sh\ntouch \"$HOME/ran\"\nexit 1\n",
    );
    make_executable(&hook);
    sandbox.gitconfig(&format!(
        "[core]\n\thooksPath = {}\n",
        hook.parent().unwrap().display()
    ));
    package(&sandbox, "pdf", "1.0.0");
    sandbox
        .skillpm("publish pdf")
        .env("GIT_DIR", "/nowhere")
        .env("GIT_INDEX_FILE", "/nowhere")
        .exits(0);
    assert_eq!(registry.versions(), ["pdf 1.0.0"]);
    sandbox.lacks(["~/ran"]);
}

fn make_executable(path: &std::path::Path) {
    assert!(
        Command::new("chmod")
            .arg("+x")
            .arg(path)
            .status()
            .unwrap()
            .success()
    );
}

#[test]
fn lost_answer_does_not_publish_twice() {
    let sandbox = Sandbox::new();
    let registry = Registry::bare(&sandbox, "index.git");
    let server = Server::start(&sandbox);
    configure(&sandbox, &format!("git+{}", server.url("index.git")), "");
    package(&sandbox, "pdf", "1.0.0");
    server.fault_times("POST /index.git/git-receive-pack", Fault::Truncate(10), 1);
    sandbox
        .skillpm("publish pdf")
        .exits(0)
        .stderr("   Published pdf 1.0.0 to acme, 2 files\n");
    assert_eq!(registry.versions(), ["pdf 1.0.0"]);
    assert_eq!(registry.git(&["rev-list", "--count", "main"]), "2");
}

#[test]
fn only_owners_publish() {
    let (sandbox, registry) = with_bare();
    package(&sandbox, "acme/pdf", "1.0.0");
    sandbox
        .skillpm("publish pdf --config registry.identity=github:ann")
        .exits(0);
    let author = registry.git(&["log", "-1", "--format=%ae", "main"]);
    assert_eq!(author, "github:ann");
    package(&sandbox, "acme/csv", "1.0.0");
    let refused = sandbox.skillpm("publish csv").exits(1);
    refused.stderr(str![[r"
error: refusing to change `acme/csv`: scope `acme` belongs to `github:ann`, not to `tester@example.org`
  your identity is `registry.identity`, else the email of git's commit author
help: one of its owners can add you: `skillpm owner add acme/ 'tester@example.org' --registry NAME`, with the name of this registry

"]]);
    assert_eq!(registry.versions(), ["acme/pdf 1.0.0"]);
}

#[test]
fn missing_git_identity_is_reported_with_help() {
    let (sandbox, _registry) = with_bare();
    package(&sandbox, "pdf", "1.0.0");
    sandbox.write("~/.gitconfig", "");
    let refused = sandbox.skillpm("publish pdf").exits(2);
    refused.stderr(str![[r"
error: unknown author: writing to a registry requires an email address
  neither `registry.identity`, nor `GIT_AUTHOR_EMAIL`, git's configuration or `EMAIL` has one
help: for git and skillpm, run `git config --global user.email ADDRESS`
help: for skillpm only, run `skillpm config set registry.identity ADDRESS`

"]]);
}

#[test]
fn similar_name_needs_a_flag() {
    let (sandbox, registry) = with_bare();
    package(&sandbox, "release-notes", "1.0.0");
    sandbox
        .skillpm("publish release-notes --config registry.identity=ann@x.dev")
        .exits(0);
    package(&sandbox, "release-note", "1.0.0");
    let refused = sandbox.skillpm("publish release-note").exits(1);
    refused.stderr(str![[r"
error: refusing `release-note`: it could be confused with `release-notes` of another owner, as they differ only in a hyphen or a plural
help: choose another name, or pass `--allow-similar` to use this one

"]]);
    sandbox
        .skillpm("publish release-note --allow-similar")
        .exits(0);
    assert_eq!(
        registry.versions(),
        ["release-note 1.0.0", "release-notes 1.0.0"]
    );
}

#[test]
fn dependencies_must_be_published() {
    let (sandbox, registry) = with_bare();
    package_needing(&sandbox, "pdf", "1.0.0", &["base = \"^1\""]);
    sandbox.skillpm("publish pdf").exits(1).stderr(str![[r"
error: no matching version of `base ^1` found in the index, required by `pdf 1.0.0`
help: publish `base` first; `--workspace` does so for members of the workspace

"]]);
    package(&sandbox, "base", "1.4.0");
    sandbox.skillpm("publish base").exits(0);
    sandbox.skillpm("publish pdf").exits(0);
    assert_eq!(
        registry.lines()[0]["deps"],
        serde_json::json!([{"name": "base", "req": "^1"}])
    );
    package_needing(
        &sandbox,
        "csv",
        "1.0.0",
        &["base = { git = \"https://example.org/base\" }"],
    );
    sandbox
        .skillpm("publish csv")
        .exits_one_of([1, 2])
        .explains(["base"]);
}

#[test]
fn manifest_restricts_the_registries() {
    let (sandbox, registry) = with_bare();
    package(&sandbox, "pdf", "1.0.0");
    sandbox.edit("pdf/skillpm.toml", "version", "publish = false\nversion");
    sandbox
        .skillpm("publish pdf")
        .exits(1)
        .explains(["`pdf` cannot be published"]);
    sandbox.edit(
        "pdf/skillpm.toml",
        "publish = false",
        "publish = [\"other\"]",
    );
    sandbox
        .skillpm("publish pdf --registry acme")
        .exits(1)
        .explains(["cannot be published to registry `acme`"]);
    sandbox
        .skillpm("publish pdf")
        .exits(2)
        .explains(["unknown registry `other`"]);
    sandbox.edit("pdf/skillpm.toml", "\"other\"", "\"acme\"");
    sandbox.skillpm("publish pdf").exits(0);
    assert_eq!(registry.versions(), ["pdf 1.0.0"]);
}

#[test]
fn built_in_registry_is_read_only_and_reported_with_help() {
    let sandbox = Sandbox::new();
    package(&sandbox, "pdf", "1.0.0");
    sandbox
        .skillpm("publish pdf")
        .exits(2).stderr(str![[r"
error: cannot write to registry `default`: it is bundled with skillpm
help: pass another one with `--registry NAME`, or set the default: `skillpm config set registry.default NAME`
help: to add a registry, run `skillpm config set registries.NAME.index git+ssh://git@host/index.git`

"]]);
}

#[test]
fn publish_url_of_a_mirrored_registry_is_used() {
    let sandbox = Sandbox::new();
    let registry = Registry::directory(&sandbox, "index");
    let server = Server::start(&sandbox);
    let index = format!("sparse+{}/", server.url("index"));
    configure(&sandbox, &index, "");
    package(&sandbox, "pdf", "1.0.0");
    sandbox
        .skillpm("publish pdf")
        .exits(2).stderr(str![[r"
error: cannot write to index `sparse+[URL]/index/`, which is read from a web server
help: set where it is published: `skillpm config set registries.NAME.publish git+ssh://git@host/index.git`

"]]);
    configure(
        &sandbox,
        &index,
        &format!("publish = \"{}\"\n", registry.url()),
    );
    sandbox.skillpm("publish pdf").exits(0);
    assert_eq!(registry.versions(), ["pdf 1.0.0"]);
    sandbox.write("user/skillpm.toml", "[dependencies]\npdf = \"^1\"\n");
    sandbox.skillpm("install").in_dir("user").exits(0);
    sandbox.has(["user/.agents/skills/pdf/SKILL.md"]);
}

#[test]
fn separate_archives_are_written_first_and_never_replaced() {
    let sandbox = Sandbox::new();
    let server = Server::start(&sandbox);
    let dl = server.url("files/{name}-{version}.tar.gz");
    let registry = Registry::bare(&sandbox, "index.git").write(
        "config.json",
        format!("{{\"api-version\":1,\"dl\":\"{dl}\"}}\n"),
    );
    configure(&sandbox, &registry.url(), "");
    package(&sandbox, "acme/pdf", "1.0.0");
    sandbox
        .skillpm("publish pdf")
        .exits(2).stderr(str![[r"
error: missing setting `registries.acme.archives`: where to upload archives
  archives are downloaded from `[URL]/files/{name}-{version}.tar.gz`
help: set it to the directory that is served there, such as `skillpm config set registries.acme.archives file:///srv/www`

"]]);
    let files = sandbox.root().join("www/files");
    configure(
        &sandbox,
        &registry.url(),
        &format!("archives = \"{}\"\n", file_url(&files)),
    );
    sandbox.write("../www/files/acme/pdf-1.0.0.tar.gz", "other");
    sandbox
        .skillpm("publish pdf")
        .exits(1)
        .explains(["it exists with other content"]);
    assert_eq!(registry.files(), ["config.json"]);
    sandbox.delete("../www/files");
    sandbox.skillpm("publish pdf --dry-run").exits(0);
    sandbox.lacks(["../www/files"]);
    sandbox.skillpm("publish pdf").exits(0);
    sandbox.has(["../www/files/acme/pdf-1.0.0.tar.gz"]);
    assert_eq!(
        registry.files(),
        ["acme/3/p/pdf", "config.json", "owners/acme.toml"]
    );
    sandbox.write(
        "user/skillpm.toml",
        "[dependencies]\n\"acme/pdf\" = \"^1\"\n",
    );
    sandbox.skillpm("install").in_dir("user").exits(0);
    sandbox.has(["user/.agents/skills/pdf/SKILL.md"]);
}

#[test]
fn version_without_archive_needs_a_pushed_clean_commit() {
    let sandbox = Sandbox::new();
    let registry =
        Registry::bare(&sandbox, "index.git").write("config.json", "{\"api-version\":1}\n");
    registry.configure(&sandbox);
    package(&sandbox, "pdf", "1.0.0");
    sandbox.skillpm("publish pdf").exits(1).stderr(str![[r"
error: git repository of `pdf` not found
  registry `acme` has no archives: each version is fetched from its commit
help: commit the skill, and push it to a remote that others can fetch from

"]]);
    let home = Registry::empty(&sandbox, "skills.git", "main");
    let work = Repo::new(&sandbox, "skills");
    sandbox.copy("pdf", "../repos/skills/skills/pdf");
    work.commit("first");
    let publish = || {
        sandbox
            .skillpm("publish")
            .in_dir(work.path().join("skills/pdf"))
    };
    publish()
        .exits(1)
        .explains(["git remote of `pdf` not found"]);
    work.git(&["remote", "add", "origin", &file_url(home.path())]);
    publish().exits(1).stderr(str![[r"
error: commit [COMMIT] not found in `file://[ROOT]/repos/skills.git`
  the registry has no archives: each version is fetched from its commit
caused by: commit [COMMIT] not found in `file://[ROOT]/repos/skills.git`
help: it may have been removed by a force push; run `skillpm update` to lock the current commit
help: push the commit first: `git push`

"]]);
    work.git(&["push", "-q", "origin", "main"]);
    publish().exits(0);
    let line: serde_json::Value = serde_json::from_str(&registry.text("3/p/pdf")).unwrap();
    assert_eq!(line["src"]["rev"], work.head());
    assert_eq!(line["src"]["path"], "skills/pdf");
    assert!(line.get("archive").is_none());
    assert_eq!(
        registry.files(),
        ["3/p/pdf", "config.json", "owners/_.toml"]
    );
}

#[test]
fn uncommitted_files_are_refused_and_named() {
    let (sandbox, registry) = with_bare();
    let work = Repo::new(&sandbox, "skills");
    package(&sandbox, "pdf", "1.0.0");
    sandbox.copy("pdf", "../repos/skills/pdf");
    work.commit("first")
        .write("pdf/new.md", "new")
        .write("other.md", "not of the package");
    let publish = |line: &str| {
        sandbox
            .skillpm(format!("publish {line}"))
            .in_dir(work.path().join("pdf"))
    };
    let refused = publish("").exits(1);
    refused.stderr(str![[r"
error: `pdf` has 1 file with uncommitted changes
  `new.md`
help: commit them, or pass `--allow-dirty` to publish them as they are

"]]);
    refused.never_prints("other.md");
    assert_eq!(registry.files(), ["config.json"]);
    publish("--allow-dirty").exits(0);
    assert_eq!(registry.versions(), ["pdf 1.0.0"]);
}

#[test]
fn tag_is_checked_before_publishing_and_made_after() {
    let (sandbox, registry) = with_bare();
    let work = Repo::new(&sandbox, "skills");
    package(&sandbox, "acme/pdf", "1.0.0");
    sandbox.copy("pdf", "../repos/skills/pdf");
    work.commit("first");
    let publish = || {
        sandbox
            .skillpm("publish --tag")
            .in_dir(work.path().join("pdf"))
    };
    publish()
        .exits(0)
        .stderr_has("Tagged pdf-v1.0.0; to push it: git push origin pdf-v1.0.0");
    assert_eq!(work.commit_of("pdf-v1.0.0"), work.head());
    assert_eq!(work.git(&["cat-file", "-t", "pdf-v1.0.0"]), "tag");
    publish().exits(0);
    work.tag("pdf-v1.1.0")
        .write(
            "pdf/skillpm.toml",
            "[package]\nname = \"acme/pdf\"\nversion = \"1.1.0\"\n",
        )
        .commit("second");
    publish()
        .exits(1)
        .explains(["tag `pdf-v1.1.0` already exists at another commit"]);
    assert_eq!(registry.versions(), ["acme/pdf 1.0.0"]);
    sandbox
        .skillpm("publish pdf --tag")
        .exits(2)
        .explains(["`--tag` requires a git repository"]);
}

#[test]
fn branch_is_pushed_for_review_and_can_be_extended() {
    let (sandbox, registry) = with_bare();
    let head = registry.git(&["rev-parse", "main"]);
    package(&sandbox, "pdf", "1.0.0");
    package_needing(&sandbox, "csv", "1.0.0", &["pdf = \"^1\""]);
    let told = sandbox.skillpm("publish pdf --branch publish/pdf").exits(0);
    told.stderr(str![[r"
    Proposed pdf 1.0.0 to acme, 2 files
     Waiting on branch publish/pdf of git+file://[ROOT]/repos/index.git
   To merge: open a pull request, or in a clone of the index: git fetch origin && git push origin origin/publish/pdf:HEAD

"]]);
    sandbox.skillpm("publish csv --branch publish/pdf").exits(0);
    sandbox
        .skillpm("publish pdf --branch publish/pdf")
        .exits(0)
        .stderr_has("Unchanged");
    assert_eq!(registry.git(&["rev-parse", "main"]), head);
    assert_eq!(
        registry.git(&["rev-list", "--count", "main..publish/pdf"]),
        "2"
    );
    sandbox
        .skillpm("publish csv")
        .exits(1)
        .explains(["no matching version of `pdf ^1`"]);
    registry.git(&["update-ref", "refs/heads/main", "publish/pdf"]);
    assert_eq!(registry.versions(), ["csv 1.0.0", "pdf 1.0.0"]);
    sandbox
        .skillpm("publish csv --branch 'a b'")
        .exits(2)
        .explains(["invalid branch name"]);
    let plain = Registry::directory(&sandbox, "plain");
    configure(&sandbox, &plain.url(), "");
    sandbox
        .skillpm("publish csv --branch x")
        .exits(2)
        .explains(["is not a git repository"]);
}

/// A workspace of `base`, `pdf` that needs it, and `csv`.
fn workspace(sandbox: &Sandbox) {
    package(sandbox, "base", "1.0.0");
    package_needing(sandbox, "pdf", "1.0.0", &["base = \"^1\""]);
    package(sandbox, "csv", "1.0.0");
    sandbox.write("skillpm.toml", "[workspace]\nmembers = [\"*\"]\n");
}

#[test]
fn workspace_reports_all_members_that_cannot_be_published() {
    let (sandbox, registry) = with_bare();
    workspace(&sandbox);
    for member in ["one", "two"] {
        sandbox.skillpm(format!("new {member}")).exits(0);
    }
    let before = registry.versions();
    sandbox
        .skillpm("publish --workspace")
        .exits(1)
        .stderr(str![[r"
error: 2 members cannot be published
  cannot publish `[ROOT]/project/one`: 2 findings are errors
    SKILL.md:3:15: `TODO` is a template's placeholder (description-placeholder)
    SKILL.md:10:1: `Replace the description above first` is a template's placeholder (description-placeholder)
  cannot publish `[ROOT]/project/two`: 2 findings are errors
    SKILL.md:3:15: `TODO` is a template's placeholder (description-placeholder)
    SKILL.md:10:1: `Replace the description above first` is a template's placeholder (description-placeholder)
help: say what the skill does and when to use it
help: replace the section, or delete it

"]]);

    // Those that cannot be read at all come first: the others may depend on them.
    sandbox.write("one/SKILL.md", "no frontmatter\n");
    sandbox.write("two/SKILL.md", "---\nname: two\n---\n# Two\n");
    sandbox
        .skillpm("publish --workspace")
        .exits(1)
        .stderr(str![[r"
error: 2 workspace members are invalid
  invalid skill at `one/SKILL.md:1:1`: the file does not begin with `---`
    skillpm does not list it (frontmatter-missing)
  invalid skill at `two/SKILL.md:1:1`: the skill has no `description`
    skillpm does not list it (description-missing)
help: begin the file with `---`, a `name`, a `description` and `---`, each on its own line
help: say in one or two sentences what the skill does and when to use it

"]]);
    assert_eq!(registry.versions(), before);
}

#[test]
fn workspace_publishes_new_versions_dependencies_first() {
    let (sandbox, registry) = with_bare();
    workspace(&sandbox);
    sandbox.edit("csv/skillpm.toml", "version", "publish = false\nversion");
    sandbox
        .skillpm("publish --workspace --dry-run")
        .exits(0)
        .stderr_has("Would publish pdf 1.0.0");
    assert_eq!(registry.files(), ["config.json"]);
    sandbox.skillpm("publish --workspace").exits(0).stderr(
        "     Skipped csv 1.0.0, which is not for this registry
   Published base 1.0.0 to acme, 2 files
   Published pdf 1.0.0 to acme, 2 files
",
    );
    assert_eq!(
        registry.git(&["log", "--format=%s", "main"]),
        "publish pdf 1.0.0\npublish base 1.0.0\nan index"
    );
    sandbox.write("pdf/more.md", "more");
    sandbox
        .skillpm("publish --workspace")
        .exits(1)
        .stderr(str![[r"
error: cannot publish `pdf 1.0.0`: that version is published with other content
  nothing was published
help: published versions never change: raise the version of each changed skill

"]]);
    sandbox.edit(
        "pdf/skillpm.toml",
        "version = \"1.0.0\"",
        "version = \"1.0.1\"",
    );
    sandbox.skillpm("publish --workspace").exits(0).stderr(
        "     Skipped csv 1.0.0, which is not for this registry
   Unchanged base 1.0.0 is already in acme, with identical content
   Published pdf 1.0.1 to acme, 3 files
",
    );
    assert_eq!(
        registry.versions(),
        ["base 1.0.0", "pdf 1.0.0", "pdf 1.0.1"]
    );
}

#[test]
fn cyclic_members_are_named_and_none_is_published() {
    let (sandbox, registry) = with_bare();
    workspace(&sandbox);
    package_needing(&sandbox, "base", "1.0.0", &["pdf = \"^1\""]);
    let refused = sandbox.skillpm("publish --workspace").exits(1);
    refused.stderr(str![[r"
error: cyclic package dependency: none of these skills can be published first
  `base` needs `pdf` needs `base`
help: remove one of these dependencies from its `[dependencies]`

"]]);
    assert_eq!(registry.files(), ["config.json"]);
}

#[test]
fn index_with_an_invalid_dl_is_not_written() {
    let sandbox = Sandbox::new();
    let registry = Registry::directory(&sandbox, "index").write(
        "config.json",
        "{\"api-version\":1,\"dl\":\"../../{name}-{version}.tar.gz\"}\n",
    );
    registry.configure(&sandbox);
    package(&sandbox, "pdf", "1.0.0");
    sandbox
        .skillpm("publish pdf")
        .exits(3)
        .explains(["`dl` in `config.json`"]);
    assert_eq!(registry.files(), ["config.json"]);
}

#[test]
fn publisher_is_the_git_identity() {
    let (sandbox, registry) = with_bare();
    let of = |format: &str| registry.git(&["log", "-1", &format!("--format={format}"), "main"]);
    package(&sandbox, "pdf", "1.0.0");
    let run = sandbox
        .skillpm("publish pdf")
        .env("GIT_AUTHOR_EMAIL", "ann@x.dev")
        .env("GIT_AUTHOR_NAME", "Ann");
    run.env("GIT_COMMITTER_EMAIL", "bot@x.dev")
        .env("EMAIL", "nobody@x.dev")
        .exits(0);
    assert_eq!(
        of("%an <%ae> %cn <%ce>"),
        "Ann <ann@x.dev> Tester <bot@x.dev>"
    );
    assert!(
        registry
            .text("owners/_.toml")
            .contains("pdf = [\"ann@x.dev\"]")
    );

    // As git itself does it with the same variables.
    let variables = [
        ("GIT_AUTHOR_EMAIL", "ann@x.dev"),
        ("GIT_COMMITTER_EMAIL", "bot@x.dev"),
        ("EMAIL", "nobody@x.dev"),
    ];
    let ident = |who: &str| {
        let mut git = std::process::Command::new("git");
        git.args(["var", who])
            .current_dir(registry.path())
            .envs(variables)
            .env("HOME", sandbox.path("~/."));
        String::from_utf8(git.output().unwrap().stdout).unwrap()
    };
    assert!(ident("GIT_AUTHOR_IDENT").starts_with("Tester <ann@x.dev>"));
    assert!(ident("GIT_COMMITTER_IDENT").starts_with("Tester <bot@x.dev>"));

    sandbox.write("~/.gitconfig", "");
    package(&sandbox, "csv", "1.0.0");
    sandbox
        .skillpm("publish csv")
        .env("EMAIL", "ann@x.dev")
        .exits(0);
    assert_eq!(
        of("%an <%ae> %cn <%ce>"),
        "ann@x.dev <ann@x.dev> ann@x.dev <ann@x.dev>"
    );
    package(&sandbox, "xml", "1.0.0");
    let refused = sandbox
        .skillpm("publish xml")
        .env("GIT_AUTHOR_EMAIL", "")
        .env("EMAIL", "ann@x.dev")
        .exits(2);
    refused.explains(["unknown author"]);
}

/// A committed skill `pdf` with an uncommitted file, to be published to the registry of the sandbox.
fn with_draft() -> (Sandbox, Registry, Repo) {
    let (sandbox, registry) = with_bare();
    let work = Repo::new(&sandbox, "skills");
    package(&sandbox, "pdf", "1.0.0");
    sandbox.copy("pdf", "../repos/skills/pdf");
    work.commit("first").write("pdf/draft.md", "a draft");
    (sandbox, registry, work)
}

#[test]
fn publish_is_refused_where_git_cannot_be_read() {
    type Break = fn(&Repo);
    let breaks: [(&str, Break); 7] = [
        ("HEAD that names nothing", |work| {
            work.write(".git/HEAD", "nonsense\n");
        }),
        ("HEAD without content", |work| {
            work.write(".git/HEAD", "");
        }),
        ("no HEAD", |work| {
            fs::remove_file(work.path().join(".git/HEAD")).unwrap();
        }),
        ("a branch that is no commit", |work| {
            work.write(".git/refs/heads/main", "nonsense\n");
        }),
        ("a repository that has gone", |work| {
            fs::remove_dir_all(work.path().join(".git")).unwrap();
            work.write(".git", "gitdir: /nowhere/skills.git\n");
        }),
        ("an index that is cut", |work| {
            let index = fs::read(work.path().join(".git/index")).unwrap();
            work.write(".git/index", &index[..index.len() / 2]);
        }),
        ("references in an unknown format", |work| {
            work.git(&["config", "core.repositoryFormatVersion", "1"]);
            work.git(&["config", "extensions.refStorage", "tables"]);
        }),
    ];
    for (what, break_it) in breaks {
        let (sandbox, registry, work) = with_draft();
        break_it(&work);
        let refused = sandbox
            .skillpm("publish")
            .in_dir(work.path().join("pdf"))
            .exits_one_of([1, 3, 6]);
        refused.explains(["failed to"]);
        assert_eq!(registry.files(), ["config.json"], "{what}");
    }
}

#[test]
fn unreadable_repository_is_named_with_what_helps() {
    let (sandbox, registry, work) = with_draft();
    fs::remove_dir_all(work.path().join(".git")).unwrap();
    work.write(".git", "gitdir: /nowhere/skills.git\n");
    let run = |line: &str| sandbox.skillpm(line).in_dir(work.path().join("pdf"));

    run("publish").exits(6).stderr(str![[r"
error: failed to open git repository `[ROOT]/repos/skills/.git`: it is invalid or cannot be read
help: `git -C '[ROOT]/repos/skills' status` shows what git says about it
help: or pass `--allow-dirty` to publish the files as they are

"]]);
    run("package --output ../..").exits(0).stderr(str![[r"
warning: `pdf` is packed without looking for uncommitted changes: failed to open git repository `[ROOT]/repos/skills/.git`: it is invalid or cannot be read
help: `git -C '[ROOT]/repos/skills' status` shows what git says about it
    Packaged pdf 1.0.0: 3 files, 326 bytes in ../../pdf-1.0.0.tar.gz

"]]);
    run("publish --tag --allow-dirty").exits(6);
    run("publish --allow-dirty").exits(0);
    assert_eq!(registry.versions(), ["pdf 1.0.0"]);
}

#[test]
fn nothing_is_committed_in_a_repository_or_directory_without_commit() {
    let (sandbox, registry, work) = with_draft();

    // A directory that git does not know.
    sandbox.copy("pdf", "../repos/skills/new");
    fs::remove_file(work.path().join("pdf/draft.md")).unwrap();
    let publish = |dir: &str| sandbox.skillpm("publish").in_dir(work.path().join(dir));
    publish("new")
        .exits(1)
        .explains(["`pdf` has 2 files with uncommitted changes", "`SKILL.md`"]);

    // A repository before its first commit, also with everything added.
    fs::remove_dir_all(work.path().join(".git")).unwrap();
    work.git(&["init", "-q"]);
    publish("pdf")
        .exits(1)
        .explains(["`pdf` has 2 files with uncommitted changes"]);
    work.git(&["add", "-A"]);
    publish("pdf")
        .exits(1)
        .explains(["`pdf` has 2 files with uncommitted changes"]);
    assert_eq!(registry.files(), ["config.json"]);

    // One that the repository around it ignores is not its own.
    work.git(&["rm", "-rqf", "--cached", "."]);
    work.write(".gitignore", "/pdf/\n");
    publish("pdf").exits(0);
}

#[test]
fn repository_of_a_line_is_optional_and_that_of_the_package() {
    let (sandbox, registry) = published();
    let dir = sandbox.root().join("clone");
    let clone = Command::new("git")
        .args(["clone", "-q"])
        .arg(registry.path())
        .arg(&dir)
        .status();
    assert!(clone.unwrap().success());
    sandbox.skillpm("registry check").in_dir(&dir).exits(0);

    let line = dir.join("acme/3/p/pdf");
    let text = fs::read_to_string(&line).unwrap();
    let has = "\"repository\":\"https://git.example/pdf\",";
    fs::write(&line, text.replace(has, "")).unwrap();
    sandbox.skillpm("registry check").in_dir(&dir).exits(0);
    let other = has.replace("git.example", "evil.example");
    fs::write(&line, text.replace(has, &other)).unwrap();
    sandbox
        .skillpm("registry check")
        .in_dir(&dir)
        .exits(1)
        .stdout(str![[r"
acme/3/p/pdf:1:1: error: `repository` is `https://evil.example/pdf` in the index, but `https://git.example/pdf` in the package (entry-differs)
acme/3/p/pdf:2:1: error: `repository` is `https://evil.example/pdf` in the index, but `https://git.example/pdf` in the package (entry-differs)

"]]);
}
