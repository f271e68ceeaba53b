//! `skillpm.lock`: what it says, and what happens when it says something that cannot be.

use snapbox::str;

use crate::support::{Repo, Sandbox};

/// A project with a locked and installed `pdf` of a repository with versions.
fn locked_project() -> (Sandbox, Repo) {
    let sandbox = Sandbox::project_here();
    let repo = crate::git_references::versions(&sandbox);
    sandbox
        .skillpm(format!("add {} --skill pdf --version ^1", repo.url()))
        .exits(0);
    (sandbox, repo)
}

/// Fails unless every command that reads the lockfile ends with this code and these words and touches nothing.
#[track_caller]
fn is_refused<const N: usize>(sandbox: &Sandbox, code: i32, words: [&str; N]) {
    let snapshot = sandbox.snapshot();
    for command in [
        "install",
        "install --locked",
        "update",
        "verify",
        "add ./csv",
    ] {
        sandbox.skillpm(command).exits(code).explains(words);
    }
    snapshot.still_holds();
}

#[test]
fn lockfile_has_resolved_versions_and_no_time() {
    let (sandbox, repo) = locked_project();
    let lock = sandbox.lock();
    assert_eq!(lock["version"].as_integer(), Some(1));
    assert_eq!(
        sandbox.locked("pdf", "source"),
        format!("git+{}?tag=v1.1.0#{}", repo.url(), repo.commit_of("v1.1.0"))
    );
    assert_eq!(sandbox.locked("pdf", "path"), "skills/pdf");
    assert_eq!(
        sandbox.locked("pdf", "tree"),
        repo.git(&["rev-parse", "v1.1.0:skills/pdf"])
    );
    assert!(
        sandbox
            .locked("pdf", "checksum")
            .starts_with("skill-tree-v1:")
    );
    assert!(
        !sandbox.read("skillpm.lock").contains("202"),
        "a year stands in it:\n{}",
        sandbox.read("skillpm.lock")
    );
}

#[test]
fn checksum_can_be_computed_with_find_sort_and_sha256sum() {
    use sha2::{Digest, Sha256};
    let (sandbox, _repo) = locked_project();
    let file = hex::encode(Sha256::digest(sandbox.read(".agents/skills/pdf/SKILL.md")));
    let sum = hex::encode(Sha256::digest(format!("- {file} SKILL.md\n")));
    assert_eq!(
        sandbox.locked("pdf", "checksum"),
        format!("skill-tree-v1:{sum}")
    );
}

#[test]
fn same_resolution_gives_the_same_lockfile() {
    let (one, repo) = locked_project();
    one.skillpm(format!("add {} --skill csv --version ^1", repo.url()))
        .exits(0);
    let two = one.fresh_clone("two");
    std::fs::remove_file(two.join("skillpm.lock")).unwrap();
    one.skillpm("lock")
        .in_dir(&two)
        .home("elsewhere")
        .env("LC_ALL", "tr_TR.UTF-8")
        .env("TZ", "Asia/Tokyo")
        .exits(0);
    assert_eq!(
        std::fs::read_to_string(two.join("skillpm.lock")).unwrap(),
        one.read("skillpm.lock")
    );
}

#[test]
fn lock_resolves_and_installs_nothing() {
    let sandbox = Sandbox::new();
    let repo = crate::git_references::versions(&sandbox);
    sandbox.write(
        "skillpm.toml",
        format!(
            "[dependencies]\npdf = {{ git = \"{}\", version = \"^1\" }}\n",
            repo.url()
        ),
    );
    sandbox.skillpm("lock").exits(0);
    assert_eq!(sandbox.locked("pdf", "version"), "1.1.0");
    sandbox.lacks([".agents"]);
}

#[test]
fn changed_checksum_is_an_integrity_error() {
    let (sandbox, _repo) = locked_project();
    let checksum = sandbox.locked("pdf", "checksum");
    let digit = if checksum.ends_with('0') { '1' } else { '0' };
    let forged = format!("{}{digit}", &checksum[..checksum.len() - 1]);
    sandbox.edit("skillpm.lock", &checksum, &forged);
    let snapshot = sandbox.snapshot();
    sandbox.skillpm("install").exits(3).stderr(str![[r"
    Fetching file://[ROOT]/repos/skills
error: checksum mismatch for `pdf 1.1.0`: it is not the locked package
  locked   [SUM]
  fetched  [SUM]
help: nothing was installed; if the change is intended, run `skillpm update pdf`

"]]);
    sandbox
        .skillpm("install --locked")
        .exits(3)
        .explains(["pdf"]);
    snapshot.still_holds();
    let clone = sandbox.fresh_clone("clone");
    sandbox
        .skillpm("install --locked")
        .in_dir(&clone)
        .home("elsewhere")
        .exits(3)
        .explains(["pdf"]);
    assert!(!clone.join(".agents").exists());
    assert!(
        std::fs::read_to_string(clone.join("skillpm.lock"))
            .unwrap()
            .contains(&forged),
        "the lockfile was rewritten"
    );
}

#[test]
fn removed_checksum_is_refused() {
    let (sandbox, _repo) = locked_project();
    let line = format!("checksum = \"{}\"\n", sandbox.locked("pdf", "checksum"));
    sandbox.edit("skillpm.lock", &line, "");
    let clone = sandbox.fresh_clone("clone");
    sandbox
        .skillpm("install --locked")
        .in_dir(&clone)
        .exits_one_of([2, 3])
        .explains(["checksum"]);
    assert!(!clone.join(".agents").exists());
}

#[test]
fn changed_commit_is_an_integrity_error() {
    let (sandbox, repo) = locked_project();
    sandbox.edit(
        "skillpm.lock",
        &sandbox.locked_commit("pdf"),
        &repo.commit_of("v2.0.0"),
    );
    let clone = sandbox.fresh_clone("clone");
    sandbox
        .skillpm("install --locked")
        .in_dir(&clone)
        .home("elsewhere")
        .exits(3)
        .explains(["pdf"]);
    assert!(!clone.join(".agents").exists());
}

#[test]
fn different_sources_in_lockfile_and_manifest_are_refused() {
    let (sandbox, _repo) = locked_project();
    let evil = Repo::new(&sandbox, "evil");
    evil.skill("skills/pdf", "Reads your files.")
        .commit("evil")
        .annotated_tag("v1.1.0");
    let source = sandbox.locked("pdf", "source");
    let forged = format!("git+{}?tag=v1.1.0#{}", evil.url(), evil.head());
    sandbox.edit("skillpm.lock", &source, &forged);
    let clone = sandbox.fresh_clone("clone");
    sandbox
        .skillpm("install --locked")
        .in_dir(&clone)
        .exits_one_of([1, 3])
        .explains(["pdf"]);
    assert!(!clone.join(".agents").exists());
}

#[test]
fn conflict_markers_are_named() {
    let (sandbox, _repo) = locked_project();
    let lock = sandbox.read("skillpm.lock");
    sandbox.write(
        "skillpm.lock",
        lock.replacen(
            "[[package]]",
            "<<<<<<< HEAD\n[[package]]\n=======\n>>>>>>> theirs\n[[package]]",
            1,
        ),
    );
    is_refused(&sandbox, 2, ["skillpm.lock", "conflict"]);
}

#[test]
fn newer_lockfile_version_requires_a_newer_skillpm() {
    let (sandbox, _repo) = locked_project();
    sandbox.edit("skillpm.lock", "version = 1\n", "version = 999\n");
    is_refused(&sandbox, 2, ["skillpm.lock", "999", "newer"]);
}

#[test]
fn lockfile_truncated_at_any_line_is_detected() {
    let (sandbox, repo) = locked_project();
    sandbox
        .skillpm(format!("add {} --skill csv --version ^1", repo.url()))
        .exits(0);
    let lock = sandbox.read("skillpm.lock");
    for end in lock
        .match_indices('\n')
        .map(|(at, _)| at + 1)
        .filter(|end| *end < lock.len())
        .chain([0])
    {
        sandbox.write("skillpm.lock", &lock[..end]);
        let snapshot = sandbox.snapshot();
        sandbox
            .skillpm("install")
            .exits(2)
            .explains(["skillpm.lock"]);
        snapshot.still_holds();
    }
}

#[test]
fn truncated_lockfile_stops_every_command() {
    let (sandbox, _repo) = locked_project();
    let lock = sandbox.read("skillpm.lock");
    sandbox.write("skillpm.lock", &lock[..lock.len() / 2]);
    is_refused(&sandbox, 2, ["skillpm.lock"]);
}

#[test]
fn invalid_lockfile_stops_every_command() {
    let (sandbox, _repo) = locked_project();
    sandbox.write("skillpm.lock", [0xff, 0xfe, 0, 1]);
    is_refused(&sandbox, 2, ["skillpm.lock"]);
}

#[test]
fn branches_that_each_add_a_skill_merge_cleanly() {
    let sandbox = Sandbox::project_here();
    let names = ["alpha", "bravo", "delta", "gamma", "kappa", "omega"];
    for name in names {
        sandbox.write_skill(name, "One of several.");
    }
    sandbox
        .skillpm("add ./alpha ./delta ./gamma ./omega")
        .exits(0);
    let repo = Repo::new(&sandbox, "project-in-git");
    let lock = |name: &str| {
        sandbox.skillpm(format!("add ./{name}")).exits(0);
        repo.write("skillpm.lock", sandbox.read("skillpm.lock"))
            .commit(name);
        sandbox.skillpm(format!("remove {name}")).exits(0);
    };
    repo.write("skillpm.lock", sandbox.read("skillpm.lock"))
        .commit("base")
        .branch("other");
    lock("kappa");
    repo.branch("main");
    lock("bravo");
    // The count at the end is all that both have changed.
    let merged = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        repo.git(&["merge", "-q", "other"])
    }));
    let text = std::fs::read_to_string(repo.path().join("skillpm.lock")).unwrap();
    assert!(
        merged.is_ok() || text.matches("<<<<<<<").count() == 1,
        "{text}"
    );
    assert!(text.contains("bravo") && text.contains("kappa"), "{text}");
}

/// Fails unless all lines of the file end as those of Windows do.
#[track_caller]
fn has_crlf(sandbox: &Sandbox, file: &str) {
    let text = sandbox.read(file);
    let (all, crlf) = (text.matches('\n').count(), text.matches("\r\n").count());
    assert!(all > 0 && all == crlf, "{file}: {text:?}");
}

#[test]
fn crlf_is_kept_by_every_change() {
    let sandbox = Sandbox::project_here();
    let repo = crate::git_references::versions(&sandbox);
    sandbox.write_skill("mine", "Is mine.");
    sandbox
        .skillpm(format!("add {} --skill pdf --version =1.0.0", repo.url()))
        .exits(0);
    for file in ["skillpm.toml", "skillpm.lock"] {
        sandbox.write(file, sandbox.read(file).replace('\n', "\r\n"));
    }
    let before = sandbox.read("skillpm.lock");
    sandbox.skillpm("install").exits(0);
    sandbox.skillpm("lock").exits(0);
    sandbox.skillpm("install --locked").exits(0);
    assert_eq!(sandbox.read("skillpm.lock"), before);
    for line in [
        "add ./mine",
        "update pdf --latest",
        "add ./mine --target claude-code --no-detect",
        "remove mine",
        "undo",
    ] {
        sandbox.skillpm(line).exits(0);
        has_crlf(&sandbox, "skillpm.toml");
        has_crlf(&sandbox, "skillpm.lock");
    }
    sandbox.skillpm("install --locked").exits(0);
}

#[test]
fn invalid_toml_in_the_lockfile_is_reported_with_its_line() {
    let sandbox = Sandbox::project_here();
    sandbox.write("skillpm.lock", "<!DOCTYPE html>\n<html>\n");
    sandbox.skillpm("install").exits(2).stderr(str![[r"
error: failed to parse lockfile at `skillpm.lock:1:11`: key with no value, expected `=`
  1 | <!DOCTYPE html>
    |           ^
help: restore it with `git checkout skillpm.lock`, or delete it and run `skillpm lock` to resolve all versions again

"]]);
}
