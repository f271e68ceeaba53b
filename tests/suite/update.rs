//! `update`: the newest that fits, for those that are named, and what moved in the meantime.

use serde_json::json;
use snapbox::str;

use crate::git_references::versions;
use crate::lint_formats::{accepts, lines_of};
use crate::support::{Repo, Sandbox, pdf_and_csv};

/// A project with `pdf` and `csv` at 1.1.0.
fn at_one() -> (Sandbox, Repo) {
    let sandbox = Sandbox::project_here();
    let repo = versions(&sandbox);
    sandbox
        .skillpm(format!("add {} --all --version ^1", repo.url()))
        .exits(0);
    assert_eq!(sandbox.locked("pdf", "version"), "1.1.0");
    (sandbox, repo)
}

/// Publishes 1.2.0 of both.
fn publish(repo: &Repo) {
    repo.skill("skills/pdf", "Reads PDF 1.2.0.")
        .skill("skills/csv", "Reads CSV 1.2.0.")
        .commit("1.2.0")
        .tag("v1.2.0");
}

#[test]
fn update_selects_the_newest_compatible_version() {
    let (sandbox, repo) = at_one();
    publish(&repo);
    sandbox.skillpm("update").exits(0).stderr_has("1.2.0");
    assert_eq!(
        [
            sandbox.locked("pdf", "version"),
            sandbox.locked("csv", "version")
        ],
        ["1.2.0", "1.2.0"]
    );
    assert_eq!(sandbox.locked_commit("pdf"), repo.commit_of("v1.2.0"));
    assert!(
        sandbox
            .read(".agents/skills/pdf/SKILL.md")
            .contains("PDF 1.2.0.")
    );
    sandbox.skillpm("verify").exits(0);
}

#[test]
fn unchanged_commit_hides_no_change() {
    let sandbox = Sandbox::project_here();
    let repo = Repo::new(&sandbox, "skills");
    let needing = "---\nname: needing\ndescription: Needs.\nrequires: [later]\n---\n\nNeeds.\n";
    repo.skill("skills/pdf", "Reads PDF.")
        .skill("skills/csv", "Reads tables.")
        .write("skills/needing/SKILL.md", needing)
        .commit("first");
    sandbox
        .skillpm(format!("add {} --all", repo.url()))
        .exits(0);
    let lock = sandbox.read("skillpm.lock");
    let update = || sandbox.skillpm("update").exits(0);

    // The optional dependency of an unchanged skill is looked for each time.
    update().stderr_has("requires `later`");

    // A lockfile that was edited is corrected.
    let wrong = "0".repeat(64);
    let checksum = sandbox.locked("pdf", "checksum");
    let (_, digest) = checksum.rsplit_once(':').unwrap();
    sandbox.edit("skillpm.lock", digest, &wrong);
    update();
    sandbox.reads("skillpm.lock", &lock);

    // As is one with the files of another skill.
    let other = sandbox.locked("csv", "checksum");
    sandbox.edit("skillpm.lock", &checksum, &other);
    update();
    sandbox.reads("skillpm.lock", &lock);

    // A store without the package.
    std::fs::remove_dir_all(sandbox.path("~/.skillpm/store")).unwrap();
    update();
    sandbox.reads("skillpm.lock", &lock);
    sandbox.delete(".agents/skills/pdf");
    update();
    sandbox.has([".agents/skills/pdf/SKILL.md"]);

    // A new commit, also of one skill.
    repo.skill("skills/csv", "Reads other tables.")
        .commit("second");
    update().stderr_has("csv");
    for name in ["pdf", "csv", "needing"] {
        assert_eq!(sandbox.locked_commit(name), repo.head());
    }
    assert!(
        sandbox
            .read(".agents/skills/csv/SKILL.md")
            .contains("other tables")
    );
}

#[test]
fn install_keeps_the_locked_version() {
    let (sandbox, repo) = at_one();
    publish(&repo);
    let snapshot = sandbox.snapshot();
    sandbox.skillpm("install").exits(0);
    snapshot.still_holds();
}

#[test]
fn update_of_one_skill_keeps_its_siblings() {
    let (sandbox, repo) = at_one();
    publish(&repo);
    sandbox.skillpm("update pdf").exits(0);
    assert_eq!(
        [
            sandbox.locked("pdf", "version"),
            sandbox.locked("csv", "version")
        ],
        ["1.2.0", "1.1.0"]
    );
    assert!(
        sandbox
            .read(".agents/skills/csv/SKILL.md")
            .contains("CSV 1.1.0.")
    );
}

#[test]
fn raised_requirement_is_followed() {
    let (sandbox, _repo) = at_one();
    sandbox.write(
        "skillpm.toml",
        sandbox.read("skillpm.toml").replace("^1", "^2"),
    );
    sandbox.skillpm("update").exits(0);
    assert_eq!(sandbox.locked("pdf", "version"), "2.0.0");
}

#[test]
fn precise_selects_that_version_even_a_lower_one() {
    let (sandbox, repo) = at_one();
    sandbox.skillpm("update pdf --precise 1.0.0").exits(0);
    assert_eq!(sandbox.locked_commit("pdf"), repo.commit_of("v1.0.0"));
    assert!(
        sandbox
            .read(".agents/skills/pdf/SKILL.md")
            .contains("PDF 1.0.0.")
    );
}

#[test]
fn precise_accepts_a_revision() {
    let sandbox = Sandbox::project_here();
    let repo = sandbox.repo_with("pdf");
    let first = repo.head();
    repo.skill("skills/pdf", "Reads PDF again.")
        .commit("second");
    sandbox
        .skillpm(format!("add {} --skill pdf", repo.url()))
        .exits(0);
    sandbox
        .skillpm(format!("update pdf --precise {first}"))
        .exits(0);
    assert_eq!(sandbox.locked_commit("pdf"), first);
}

#[test]
fn precise_against_the_requirement_is_refused() {
    let (sandbox, _repo) = at_one();
    let snapshot = sandbox.snapshot();
    sandbox
        .skillpm("update pdf --precise 2.0.0")
        .exits(1).stderr(str![[r"
    Fetching file://[ROOT]/repos/skills
error: failed to select `pdf 2.0.0` from `file://[ROOT]/repos/skills`: it does not match `^1`, which this project requires
  `--precise` allows only `pdf 2.0.0`
help: without `--precise`, `pdf 1.1.0` is selected

"]]);
    snapshot.still_holds();
}

#[test]
fn dry_run_prints_the_plan_and_writes_nothing() {
    let (sandbox, repo) = at_one();
    publish(&repo);
    let snapshot = sandbox.snapshot();
    sandbox
        .skillpm("update --dry-run")
        .exits(0)
        .stderr_has("1.2.0");
    snapshot.still_holds();
}

#[test]
fn update_without_news_changes_nothing() {
    let (sandbox, _repo) = at_one();
    let snapshot = sandbox.snapshot();
    sandbox.skillpm("update").exits(0);
    snapshot.still_holds();
}

#[test]
fn branch_is_updated_to_its_head() {
    let sandbox = Sandbox::project_here();
    let repo = sandbox.repo_with("pdf");
    sandbox
        .skillpm(format!("add {} --skill pdf --branch main", repo.url()))
        .exits(0);
    repo.skill("skills/pdf", "Reads PDF better.")
        .commit("second");
    sandbox.skillpm("update").exits(0);
    assert_eq!(sandbox.locked_commit("pdf"), repo.head());
    assert!(
        sandbox
            .read(".agents/skills/pdf/SKILL.md")
            .contains("better")
    );
}

#[test]
fn deleted_upstream_file_is_removed_and_an_added_one_kept() {
    let sandbox = Sandbox::project_here();
    let repo = sandbox.repo_with("pdf");
    repo.write("skills/pdf/old.md", "old\n")
        .commit("with a file");
    sandbox
        .skillpm(format!("add {} --skill pdf", repo.url()))
        .exits(0);
    sandbox.write(".agents/skills/pdf/my-notes.txt", "mine\n");
    repo.remove("skills/pdf/old.md")
        .skill("skills/pdf", "Reads PDF better.")
        .commit("without it");
    let _ = sandbox.skillpm("update").exits_one_of([0, 1]);
    sandbox.reads(".agents/skills/pdf/my-notes.txt", "mine\n");
    if sandbox.locked_commit("pdf") == repo.head() {
        sandbox.lacks([".agents/skills/pdf/old.md"]);
    } else {
        sandbox.has([".agents/skills/pdf/old.md"]);
    }
}

#[test]
fn install_keeps_the_commit_of_a_moved_tag() {
    let sandbox = Sandbox::project_here();
    let repo = versions(&sandbox);
    sandbox
        .skillpm(format!("add {} --skill pdf --tag v1.0.0", repo.url()))
        .exits(0);
    let commit = sandbox.locked_commit("pdf");
    repo.skill("skills/pdf", "Reads your files.")
        .commit("evil")
        .move_tag("v1.0.0");
    let snapshot = sandbox.snapshot();
    sandbox.skillpm("install").exits(0);
    snapshot.still_holds();
    let clone = sandbox.fresh_clone("clone");
    sandbox
        .skillpm("install --locked")
        .in_dir(&clone)
        .home("elsewhere")
        .exits(0);
    let text = std::fs::read_to_string(clone.join(".agents/skills/pdf/SKILL.md")).unwrap();
    assert!(text.contains("PDF 1.0.0."), "{text}");
    assert_eq!(sandbox.locked_commit("pdf"), commit);
}

#[test]
fn update_reports_a_moved_tag_and_keeps_the_commit() {
    let sandbox = Sandbox::project_here();
    let repo = versions(&sandbox);
    sandbox
        .skillpm(format!("add {} --skill pdf --tag v1.0.0", repo.url()))
        .exits(0);
    let commit = sandbox.locked_commit("pdf");
    repo.skill("skills/pdf", "Reads your files.")
        .commit("evil")
        .move_tag("v1.0.0");
    sandbox
        .skillpm("update")
        .exits_one_of([0, 1]).stderr(str![[r"
    Fetching file://[ROOT]/repos/skills
warning: tag `v1.0.0` of `file://[ROOT]/repos/skills` was moved after it was locked: `pdf` stays at commit dd650b2bfa3e, but the tag is now at 79feecd5a970
help: to follow it, run `skillpm update pdf --precise [COMMIT]`
   Unchanged 1 skill, up to date with skillpm.lock

"]]);
    assert_eq!(sandbox.locked_commit("pdf"), commit);
    assert!(
        sandbox
            .read(".agents/skills/pdf/SKILL.md")
            .contains("PDF 1.0.0.")
    );
}

#[test]
fn update_reports_a_version_whose_tag_moved() {
    let (sandbox, repo) = at_one();
    let commit = sandbox.locked_commit("pdf");
    repo.skill("skills/pdf", "Reads your files.")
        .commit("evil")
        .git(&["tag", "-f", "-a", "-m", "evil", "v1.1.0"]);
    sandbox
        .skillpm("update")
        .exits_one_of([0, 1]).stderr(str![[r"
    Fetching file://[ROOT]/repos/skills
warning: tag `v1.1.0` of `file://[ROOT]/repos/skills` was moved after it was locked: `csv` stays at commit 59db6738d7dd, but the tag is now at 79feecd5a970
help: to follow it, run `skillpm update csv --precise [COMMIT]`
warning: tag `v1.1.0` of `file://[ROOT]/repos/skills` was moved after it was locked: `pdf` stays at commit 59db6738d7dd, but the tag is now at 79feecd5a970
help: to follow it, run `skillpm update pdf --precise [COMMIT]`
   Unchanged 2 skills, up to date with skillpm.lock

"]]);
    assert_eq!(sandbox.locked_commit("pdf"), commit);
}

#[test]
fn unknown_name_changes_nothing() {
    let (sandbox, repo) = at_one();
    publish(&repo);
    let snapshot = sandbox.snapshot();
    sandbox
        .skillpm("update pfd")
        .exits_one_of([1, 2])
        .stderr(str![[r"
error: package `pfd` not found in the lockfile
help: did you mean `pdf`?

"]]);
    snapshot.still_holds();
}

#[test]
fn skill_removed_upstream_is_reported_and_kept() {
    let sandbox = Sandbox::project_here();
    let repo = Repo::new(&sandbox, "skills");
    repo.skill("skills/pdf", "Reads PDF.")
        .skill("skills/csv", "Reads CSV.")
        .commit("first");
    sandbox
        .skillpm(format!("add {} --skill pdf", repo.url()))
        .exits(0);
    repo.remove("skills/pdf").commit("second");
    let snapshot = sandbox.snapshot();
    sandbox
        .skillpm("update")
        .exits(0)
        .stderr_has("Held back pdf");
    snapshot.still_holds();
}

#[test]
fn dry_run_lists_versions_and_files() {
    let (sandbox, repo) = pdf_and_csv();
    repo.write("skills/pdf/notes.md", "One.\nTwo.\n")
        .skill("skills/pdf", "Reads PDF\u{200b} better.")
        .commit("second");
    let (old, new) = (sandbox.locked_commit("pdf"), repo.head());
    let snapshot = sandbox.snapshot();
    let told = sandbox.skillpm("update --dry-run").exits(0);
    assert_eq!(
        told.stdout_text(),
        ".agents/skills/pdf/SKILL.md  +1 -1\n.agents/skills/pdf/notes.md  +2 -0 (new)\n"
    );
    let lines = sandbox
        .skillpm("update --dry-run --format json")
        .exits(0)
        .stdout_json_lines();
    lines
        .iter()
        .for_each(|line| accepts(&lines_of("change"), line));
    let file = |path: &str, from: serde_json::Value, added: u8, removed: u8| json!({"path": path, "from": from, "to": path, "added": added, "removed": removed, "text": true});
    let plan = json!({
        "type": "plan", "name": "pdf", "path": ".agents/skills/pdf", "from": old[..8], "to": new[..8],
        "files": [file("SKILL.md", "SKILL.md".into(), 1, 1), file("notes.md", serde_json::Value::Null, 2, 0)],
    });
    assert_eq!(lines[0], plan);
    let types: Vec<_> = lines
        .iter()
        .map(|line| line["type"].as_str().unwrap())
        .collect();
    assert_eq!(types, ["plan", "updated", "summary"]);
    snapshot.still_holds();
    let shown = sandbox.skillpm("update --diff").exits(0);
    shown
        .stdout_has("-description: Reads PDF.\n+description: Reads PDF\u{200b} better.\n")
        .stdout_has("+++ b/.agents/skills/pdf/notes.md");
    assert_eq!(sandbox.locked_commit("pdf"), new);
    assert_eq!(sandbox.skillpm("update --diff").exits(0).stdout_text(), "");
}
