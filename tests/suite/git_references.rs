//! Which commit is meant: versions over tags, tags, branches, revisions.

use snapbox::str;

use crate::support::{Repo, Sandbox, Server};

/// Versions 1.0.0, 1.1.0 and 2.0.0 of `pdf` and `csv`, and a pre-release of 3.0.0, each saying its number.
pub(crate) fn versions(sandbox: &Sandbox) -> Repo {
    let repo = Repo::new(sandbox, "skills");
    for version in ["1.0.0", "1.1.0", "2.0.0", "3.0.0-rc.1"] {
        repo.skill("skills/pdf", &format!("Reads PDF {version}."))
            .skill("skills/csv", &format!("Reads CSV {version}."));
        repo.commit(version).annotated_tag(&format!("v{version}"));
    }
    repo
}

#[test]
fn requirement_selects_the_newest_matching_tag() {
    let sandbox = Sandbox::project_here();
    let repo = versions(&sandbox);
    sandbox
        .skillpm(format!("add {} --skill pdf --version ^1", repo.url()))
        .exits(0);
    assert_eq!(sandbox.locked("pdf", "version"), "1.1.0");
    assert!(sandbox.locked("pdf", "source").contains("v1.1.0"));
    assert_eq!(sandbox.locked_commit("pdf"), repo.commit_of("v1.1.0"));
    assert!(
        sandbox
            .read(".agents/skills/pdf/SKILL.md")
            .contains("PDF 1.1.0.")
    );
    assert_eq!(
        sandbox.manifest()["dependencies"]["pdf"]["version"].as_str(),
        Some("^1")
    );
}

#[test]
fn requirement_can_follow_the_url() {
    let sandbox = Sandbox::project_here();
    let repo = versions(&sandbox);
    sandbox
        .skillpm(format!("add {}@^1 --skill pdf", repo.url()))
        .exits(0);
    assert_eq!(sandbox.locked("pdf", "version"), "1.1.0");
}

#[test]
fn pre_release_is_selected_only_if_named() {
    let sandbox = Sandbox::project_here();
    let repo = versions(&sandbox);
    sandbox
        .skillpm(format!("add {} --skill pdf --version '*'", repo.url()))
        .exits(0);
    assert_eq!(sandbox.locked("pdf", "version"), "2.0.0");
    sandbox
        .skillpm(format!(
            "add {} --skill csv --version '=3.0.0-rc.1'",
            repo.url()
        ))
        .exits(0);
    assert_eq!(sandbox.locked("csv", "version"), "3.0.0-rc.1");
}

#[test]
fn tags_of_a_skill_take_precedence_over_those_of_the_repository() {
    for (own, version) in [
        ("pdf-v7.0.0", "7.0.0"),
        ("pdf--v7.0.1", "7.0.1"),
        ("pdf@7.0.2", "7.0.2"),
        ("pdf/v7.0.3", "7.0.3"),
    ] {
        let sandbox = Sandbox::project_here();
        let repo = versions(&sandbox);
        repo.skill("skills/pdf", "Reads PDF by itself.")
            .commit("own")
            .tag(own)
            .tag("csv-v9.0.0")
            .tag("v8.0.0");
        sandbox
            .skillpm(format!("add {} --skill pdf --version '*'", repo.url()))
            .exits(0);
        assert_eq!(sandbox.locked("pdf", "version"), version, "{own}");
    }
}

#[test]
fn requirement_without_a_match_names_the_newest() {
    let sandbox = Sandbox::project_here();
    let repo = versions(&sandbox);
    let snapshot = sandbox.snapshot();
    sandbox
        .skillpm(format!("add {} --skill pdf --version ^9", repo.url()))
        .exits(1)
        .stderr(str![[r"
    Fetching file://[ROOT]/repos/skills
error: no version tag of `file://[ROOT]/repos/skills` matches `^9`
  the newest is `2.0.0`
help: use `--version ^2.0.0`

"]]);
    snapshot.still_holds();
}

#[test]
fn version_tag_of_another_object_is_skipped() {
    for remote in [false, true] {
        let sandbox = Sandbox::project_here();
        let repo = versions(&sandbox);
        let server = Server::start(&sandbox);
        let url = if remote {
            server.url("skills")
        } else {
            repo.url()
        };
        sandbox
            .skillpm(format!("add {url} --skill csv --version ^1"))
            .exits(0);
        repo.git(&["tag", "v1.7.0", "HEAD:skills/pdf/SKILL.md"]);
        repo.git(&["tag", "-am", "release", "v1.8.0", "HEAD^{tree}"]);
        repo.git(&["tag", "v1.9.0", "HEAD^{tree}"]);

        let outcome = sandbox
            .skillpm(format!("add {url} --skill pdf --version ^1"))
            .exits(0);
        for tag in ["v1.7.0", "v1.8.0", "v1.9.0"] {
            outcome.prints(&format!("tag `{tag}` of `"));
        }
        assert_eq!(sandbox.locked("pdf", "version"), "1.1.0");
        sandbox.skillpm("update").exits(0);
        assert_eq!(sandbox.locked("csv", "version"), "1.1.0");
        sandbox.skillpm("outdated").exits(0).never_prints("1.9.0  ");
    }

    let sandbox = Sandbox::project_here();
    let repo = versions(&sandbox);
    repo.git(&["tag", "v1.9.0", "HEAD^{tree}"]);
    sandbox
        .skillpm(format!("add {} --skill pdf --version ^1", repo.url()))
        .exits(0)
        .stderr(str![[r"
    Fetching file://[ROOT]/repos/skills
warning: tag `v1.9.0` of `file://[ROOT]/repos/skills` is not a commit; its version is skipped
   Installed pdf 1.1.0
      Locked 1 skill in skillpm.lock
   Skills in .agents/skills

"]]);
    sandbox
        .skillpm(format!("add {} --skill csv --tag v1.9.0", repo.url()))
        .exits(3)
        .stderr_has("error: invalid tag `v1.9.0` of `file://");
}

#[test]
fn requirement_without_version_tags_is_reported() {
    let sandbox = Sandbox::project_here();
    let repo = sandbox.repo_with("pdf");
    repo.tag("nightly");
    sandbox
        .skillpm(format!("add {} --skill pdf --version ^1", repo.url()))
        .exits(1)
        .explains(["^1"]);
}

#[test]
fn tag_is_locked_with_its_commit_and_not_its_object() {
    let sandbox = Sandbox::project_here();
    let repo = versions(&sandbox);
    sandbox
        .skillpm(format!("add {} --skill pdf --tag v1.0.0", repo.url()))
        .exits(0);
    assert_eq!(sandbox.locked_commit("pdf"), repo.commit_of("v1.0.0"));
    assert!(sandbox.locked("pdf", "source").contains("tag=v1.0.0"));
    assert_eq!(
        sandbox.manifest()["dependencies"]["pdf"]["tag"].as_str(),
        Some("v1.0.0")
    );
}

#[test]
fn branch_is_locked_with_its_commit() {
    let sandbox = Sandbox::project_here();
    let repo = versions(&sandbox);
    repo.branch("next/one")
        .skill("skills/pdf", "Reads PDF soon.")
        .commit("soon");
    sandbox
        .skillpm(format!("add {} --skill pdf --branch next/one", repo.url()))
        .exits(0);
    assert_eq!(sandbox.locked_commit("pdf"), repo.commit_of("next/one"));
    assert!(sandbox.read(".agents/skills/pdf/SKILL.md").contains("soon"));
}

#[test]
fn revision_selects_its_commit() {
    let sandbox = Sandbox::project_here();
    let repo = versions(&sandbox);
    let commit = repo.commit_of("v1.0.0");
    sandbox
        .skillpm(format!("add {} --skill pdf --rev {commit}", repo.url()))
        .exits(0);
    assert_eq!(sandbox.locked_commit("pdf"), commit);
    assert!(
        sandbox
            .read(".agents/skills/pdf/SKILL.md")
            .contains("PDF 1.0.0.")
    );
}

#[test]
fn short_revision_is_locked_in_full() {
    let sandbox = Sandbox::project_here();
    let repo = versions(&sandbox);
    let commit = repo.commit_of("v1.0.0");
    sandbox
        .skillpm(format!(
            "add {} --skill pdf --rev {}",
            repo.url(),
            &commit[..10]
        ))
        .exits(0);
    assert_eq!(sandbox.locked_commit("pdf"), commit);
}

#[test]
fn branch_named_like_a_commit_is_not_that_commit() {
    let sandbox = Sandbox::project_here();
    let repo = versions(&sandbox);
    let commit = repo.commit_of("v1.0.0");
    repo.git(&["update-ref", &format!("refs/heads/{commit}"), &repo.head()]);
    sandbox
        .skillpm(format!("add {} --skill pdf --rev {commit}", repo.url()))
        .exits(0);
    assert_eq!(sandbox.locked_commit("pdf"), commit);
}

#[test]
fn tag_and_branch_with_one_name_are_distinguished() {
    let sandbox = Sandbox::project_here();
    let repo = versions(&sandbox);
    repo.git(&["update-ref", "refs/tags/both", &repo.commit_of("v1.0.0")]);
    repo.git(&["update-ref", "refs/heads/both", &repo.commit_of("v2.0.0")]);
    sandbox
        .skillpm(format!("add {} --skill pdf --tag both", repo.url()))
        .exits(0);
    sandbox
        .skillpm(format!("add {} --skill csv --branch both", repo.url()))
        .exits(0);
    assert_eq!(sandbox.locked_commit("pdf"), repo.commit_of("v1.0.0"));
    assert_eq!(sandbox.locked_commit("csv"), repo.commit_of("v2.0.0"));
}

#[test]
fn two_references_at_once_are_a_usage_error() {
    let sandbox = Sandbox::project_here();
    sandbox
        .skillpm("add gh:acme/skills --tag v1 --branch main")
        .exits(2)
        .stderr_has("--branch");
}
