//! A clock that is wrong, or jumps: nothing is lost or stuck by it (`SKILLPM_CLOCK`, in builds for tests).

use crate::resolver::with_index;
use crate::support::{IndexDir, Repo, Sandbox};

/// The beginning of the clock, long ago, and two times far ahead, in seconds since 1970.
const JUMPS: [&str; 4] = ["0", "1000000", "4102444800", "32503680000"];

/// A project with one skill of a repository and one of an index.
fn project() -> (Sandbox, IndexDir, Repo) {
    let (sandbox, index) = with_index();
    index.publish("pdf", "1.0.0", &[]);
    let repo = Repo::new(&sandbox, "skills");
    repo.skill("skills/csv", "Reads tables.").commit("first");
    (sandbox, index, repo)
}

#[test]
fn commands_do_the_same_at_any_time() {
    let (sandbox, _index, repo) = project();
    let mut locks = Vec::new();
    for now in JUMPS {
        sandbox.write("skillpm.toml", "[dependencies]\n");
        for gone in [
            ".agents",
            "skillpm.lock",
            ".skillpm/undo",
            ".skillpm/state.json",
        ] {
            if sandbox.path(gone).exists() {
                sandbox.delete(gone);
            }
        }
        let at = |line: &str| sandbox.skillpm(line).env("SKILLPM_CLOCK", now).exits(0);
        at("add pdf");
        at(&format!("add {} --branch main", repo.url()));
        for line in [
            "list",
            "verify",
            "catalog",
            "update",
            "install",
            "outdated",
            "search pdf",
            "undo --list",
        ] {
            at(line);
        }
        locks.push(sandbox.read("skillpm.lock"));
        at("remove pdf");
        at("undo");
        assert_eq!(sandbox.read("skillpm.lock"), locks[0], "at {now}");
        at("cache prune");
        at("cache verify");
        at("verify");
    }
    assert!(locks.iter().all(|lock| *lock == locks[0]));
}

#[test]
fn clock_set_back_keeps_new_files_and_detects_changes() {
    let (sandbox, index, repo) = project();
    let at = |now: &str, line: &str| sandbox.skillpm(line).env("SKILLPM_CLOCK", now).exits(0);
    at("4102444800", "add pdf");
    at("4102444800", &format!("add {} --branch main", repo.url()));
    at("4102444800", "catalog");
    at("4102444800", "search pdf");
    // Decades earlier, things have changed, and that is seen.
    index.publish("pdf", "1.1.0", &[]);
    repo.skill("skills/csv", "Reads tables better.")
        .commit("second");
    at("1000000", "update");
    assert_eq!(sandbox.locked("pdf", "version"), "1.1.0");
    at("1000000", "catalog").stdout_has("Reads tables better.");
    at("1000000", "search pdf").stdout_has("1.1.0");
    at("1000000", "cache prune");
    at("1000000", "verify");
    at("1000000", "undo");
    assert_eq!(sandbox.locked("pdf", "version"), "1.0.0");
}

#[test]
fn release_age_follows_the_clock_and_never_admits_too_new_versions() {
    let (sandbox, index) = with_index();
    index.publish_with("pdf", "1.0.0", &[], |entry| {
        entry["pubtime"] = "2020-01-01T00:00:00Z".into();
    });
    sandbox.write(
        "skillpm.toml",
        "[dependencies]\npdf = \"^1\"\n[policy]\nmin-release-age = \"24h\"\n",
    );
    // To a clock that is behind, a version is of the future, and so is not old enough.
    sandbox
        .skillpm("lock")
        .env("SKILLPM_CLOCK", "0")
        .exits(1)
        .explains(["pdf"]);
    sandbox.lacks(["skillpm.lock"]);
    sandbox
        .skillpm("lock")
        .env("SKILLPM_CLOCK", "4102444800")
        .exits(0);
}
