//! Repositories whose references are stored in another format than files.

use std::fs;

use snapbox::str;

use crate::git_references::versions;
use crate::support::{Registry, Repo, Sandbox, package};

#[test]
fn references_of_a_reftable_source_are_found() {
    let sandbox = Sandbox::project_here();
    let repo = versions(&sandbox);
    repo.tag("light").branch("topic");
    if !repo.to_reftable() {
        return;
    }

    let head = repo.head();
    let short = format!("--rev {}", &head[..10]);
    for (options, commit) in [
        ("", &head),
        ("--version ^1", &repo.commit_of("v1.1.0")),
        ("--tag v2.0.0", &repo.commit_of("v2.0.0")),
        ("--tag light", &head),
        ("--branch topic", &head),
        ("--rev refs/heads/main", &head),
        (&short, &head),
    ] {
        sandbox
            .skillpm(format!("add {} --skill pdf {options}", repo.url()))
            .exits(0);
        assert_eq!(&sandbox.locked_commit("pdf"), commit, "{options}");
        sandbox.skillpm("remove pdf").exits(0);
    }
    sandbox
        .skillpm(format!("add {} --skill pdf --tag v3", repo.url()))
        .exits(1)
        .explains(["tag `v3` not found", "`v3.0.0-rc.1`"]);
}

#[test]
fn reftable_source_without_git_is_reported() {
    let sandbox = Sandbox::project_here();
    let repo = versions(&sandbox);
    if !repo.to_reftable() {
        return;
    }
    sandbox
        .skillpm(format!("add {} --skill pdf", repo.url()))
        .env("PATH", "")
        .exits(4)
        .stderr(str![[r"
    Fetching file://[ROOT]/repos/skills
error: failed to read the references of `file://[ROOT]/repos/skills`
caused by: failed to start git, which reads references in this format: No such file or directory (os error 2)
help: `git ls-remote file://[ROOT]/repos/skills` shows whether git itself can read it

"]]);
}

#[test]
fn publish_reads_and_tags_in_a_reftable_repository() {
    let sandbox = Sandbox::new();
    let registry = Registry::bare(&sandbox, "index.git");
    registry.configure(&sandbox);
    let work = Repo::new(&sandbox, "skills");
    package(&sandbox, "pdf", "1.0.0");
    sandbox.copy("pdf", "../repos/skills/pdf");
    work.commit("first").write("pdf/draft.md", "a draft");
    if !work.to_reftable() {
        return;
    }
    registry.git(&["refs", "migrate", "--ref-format=reftable"]);

    let publish = || {
        sandbox
            .skillpm("publish --tag")
            .in_dir(work.path().join("pdf"))
    };
    publish()
        .exits(1)
        .explains(["1 file with uncommitted changes", "`draft.md`"]);
    assert_eq!(registry.files(), ["config.json"]);

    fs::remove_file(work.path().join("pdf/draft.md")).unwrap();
    publish().exits(0);
    assert_eq!(registry.versions(), ["pdf 1.0.0"]);
    assert_eq!(work.commit_of("pdf-v1.0.0"), work.head());
    assert_eq!(work.git(&["cat-file", "-t", "pdf-v1.0.0"]), "tag");

    work.write("pdf/more.md", "More.\n").commit("second");
    publish()
        .exits(1)
        .explains(["tag `pdf-v1.0.0` already exists at another commit"]);
}

#[test]
fn since_finds_revisions_of_a_reftable_repository() {
    let sandbox = Sandbox::new();
    let repo = Repo::new(&sandbox, "mine");
    for name in ["a", "b"] {
        repo.skill(&format!("skills/{name}"), "Reads files.");
    }
    repo.commit("first").tag("v1").branch("topic");
    repo.write("skills/b/x.md", "x").commit("second");
    if !repo.to_reftable() {
        return;
    }

    let lint = |since: &str| {
        sandbox
            .skillpm(format!("lint --since {since}"))
            .in_dir(repo.path())
    };
    for since in ["main", "v1", "HEAD~1"] {
        lint(since).exits(0).stderr_has("in 1 skill");
    }
    // It is a revision, and no option of git.
    lint("--all").exits_one_of([1, 2]);
    lint("nowhere")
        .exits(1)
        .explains(["unknown revision `nowhere`"]);
}
