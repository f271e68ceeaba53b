//! `min-release-age` and `exclude-newer`: what was published too lately is passed over, and that is said.

use std::time::{Duration, SystemTime};

use serde_json::Value;

use crate::resolver::with_index;
use crate::support::{IndexDir, Sandbox};

/// An edit of an index line that says it was published so many hours ago, and half an hour.
fn hours_ago(hours: u64) -> impl FnOnce(&mut Value) {
    let at = SystemTime::now() - Duration::from_mins(hours * 60 + 30);
    let at = jiff::Timestamp::try_from(at).unwrap();
    move |entry| entry["pubtime"] = at.to_string().into()
}

/// `pdf 1.0.0` of a week ago, and `pdf 2.0.0` of today; `report` needs any.
fn fresh() -> (Sandbox, IndexDir) {
    let (sandbox, index) = with_index();
    index
        .publish_with("pdf", "1.0.0", &[], hours_ago(24 * 7))
        .publish_with("pdf", "2.0.0", &[], hours_ago(3));
    index.publish_with("report", "1.0.0", &["pdf >=1"], hours_ago(24 * 7));
    (sandbox, index)
}

#[test]
fn too_new_versions_are_ignored_and_reported() {
    let (sandbox, _index) = fresh();
    sandbox.write(
        "skillpm.toml",
        "[dependencies]\nreport = \"^1\"\n[policy]\nmin-release-age = \"24h\"\n",
    );
    sandbox.skillpm("lock").exits(0).stderr(
        "   Held back pdf 2.0.0: it was published 3 hours ago, and `min-release-age` (skillpm.toml) is 24 hours
      Locked 2 skills in skillpm.lock
",
    );
    assert_eq!(sandbox.locked("pdf", "version"), "1.0.0");
}

#[test]
fn add_writes_a_requirement_for_an_old_enough_version() {
    let (sandbox, _index) = fresh();
    sandbox
        .skillpm("add pdf --min-release-age '7 days'")
        .exits(0);
    assert_eq!(sandbox.locked("pdf", "version"), "1.0.0");
    sandbox.reads("skillpm.toml", "[dependencies]\npdf = \"^1.0\"\n");
}

#[test]
fn refusal_names_versions_that_are_too_new() {
    let (sandbox, _index) = fresh();
    let settings = sandbox.read(".skillpm/config.toml");
    sandbox.write(
        ".skillpm/config.toml",
        format!("{settings}[resolver]\nmin-release-age = \"24h\"\n"),
    );
    sandbox.skillpm("add pdf@^2").exits(1).stderr(
        "\
error: failed to select a version for `pdf`: no version matches `^2`
  `pdf 2.0.0` was published 3 hours ago, and `min-release-age` ([ROOT]/project/.skillpm/config.toml) is 24 hours
help: `1.0.0` is the newest version; to use it, run `skillpm add pdf@^1`
",
    );
}

#[test]
fn version_without_a_publication_time_is_too_new() {
    let (sandbox, index) = fresh();
    index.publish("pdf", "3.0.0", &[]);
    sandbox
        .skillpm("add pdf@^3 --exclude-newer 2100-01-01")
        .exits(1)
        .stderr(
            "\
error: failed to select a version for `pdf`: no version matches `^3`
  `pdf 3.0.0` has no publication time, and `exclude-newer` (the command line) is 2100-01-01
help: `2.0.0` is the newest version; to use it, run `skillpm add pdf@^2`
",
        );
}

#[test]
fn locked_version_is_kept_by_install_and_update() {
    let (sandbox, index) = fresh();
    sandbox.skillpm("add pdf").exits(0);
    index
        .publish_with("pdf", "2.1.0", &[], hours_ago(1))
        .publish_with("report", "1.1.0", &[], hours_ago(1));
    for command in ["install", "lock", "add report", "update"] {
        sandbox
            .skillpm(format!("{command} --min-release-age 24h"))
            .exits(0);
        assert_eq!(sandbox.locked("pdf", "version"), "2.0.0", "{command}");
    }
    assert_eq!(sandbox.locked("report", "version"), "1.0.0");
    sandbox.skillpm("update").exits(0);
    assert_eq!(sandbox.locked("pdf", "version"), "2.1.0");
}

#[test]
fn update_and_outdated_report_too_new_versions() {
    let (sandbox, _index) = fresh();
    sandbox.write(
        "skillpm.toml",
        "[dependencies]\npdf = \">=1\"\n[policy]\nexclude-newer = \"2026-01-01\"\n",
    );
    sandbox.skillpm("lock").exits(1);
    sandbox.edit(
        "skillpm.toml",
        "exclude-newer = \"2026-01-01\"",
        "min-release-age = \"2 days\"",
    );
    sandbox.skillpm("install").exits(0);
    let told =
        "pdf 2.0.0: it was published 3 hours ago, and `min-release-age` (skillpm.toml) is 2 days";
    sandbox.skillpm("update").exits(0).stderr_has(told);
    sandbox
        .skillpm("outdated --exit-code")
        .exits(0)
        .stderr_has(told);
    sandbox.edit("skillpm.toml", "2 days", "1h");
    sandbox
        .skillpm("outdated --exit-code")
        .exits(1)
        .stdout_has("2.0.0");
}

#[test]
fn stricter_of_manifest_and_flag_applies() {
    let (sandbox, _index) = fresh();
    sandbox.write(
        "skillpm.toml",
        "[dependencies]\npdf = \"*\"\n[policy]\nmin-release-age = \"24h\"\n",
    );
    sandbox.skillpm("lock --min-release-age 0").exits(0);
    assert_eq!(sandbox.locked("pdf", "version"), "1.0.0");
    sandbox.delete("skillpm.lock");
    sandbox
        .skillpm("lock --min-release-age '30 days'")
        .exits(1)
        .explains(["`min-release-age` (the command line) is 30 days"]);
}

#[test]
fn invalid_age_is_refused_with_its_place() {
    let sandbox = Sandbox::project_here();
    sandbox.write(
        "skillpm.toml",
        "[dependencies]\n[policy]\nmin-release-age = \"soon\"\n",
    );
    sandbox.skillpm("lock").exits(2).stderr(
        "\
error: invalid duration `soon`
  `min-release-age` is set in skillpm.toml
help: use a value such as `24h`, `7 days` or `2 weeks`
",
    );
    sandbox.skillpm("lock --exclude-newer yesterday").exits(2);
}

#[cfg(unix)]
#[test]
fn preview_of_add_shows_the_version_that_is_added() {
    if !crate::prompts::has_terminal() {
        return;
    }
    let (sandbox, _index) = fresh();
    sandbox.write(
        "skillpm.toml",
        "[dependencies]\n[policy]\nmin-release-age = \"24h\"\n",
    );
    let added = sandbox
        .skillpm("add")
        .answers_on_terminal(&[("Search for a skill:", "pdf\r"), ("Add pdf?", "\r")]);
    added.ended(0).stdout_has("\npdf 1.0.0\n");
    assert_eq!(sandbox.locked("pdf", "version"), "1.0.0");
}
