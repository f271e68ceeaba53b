//! The embedded default registry: `registry-index/`, readable without a network.

use std::fs;
use std::path::Path;

use snapbox::str;

use crate::resolver::with_index;
use crate::support::{IndexDir, Listing, Sandbox, has_unix};

/// The first package that the committed index offers, at its newest version.
fn some_package() -> (String, String) {
    first_entry(&Path::new(env!("CARGO_MANIFEST_DIR")).join("registry-index")).unwrap()
}

fn first_entry(dir: &Path) -> Option<(String, String)> {
    let mut paths: Vec<_> = fs::read_dir(dir)
        .ok()?
        .map(|entry| entry.unwrap().path())
        .collect();
    paths.sort();
    paths.iter().find_map(|path| {
        if path.is_dir() {
            first_entry(path)
        } else {
            entry_of(path)
        }
    })
}

fn entry_of(path: &Path) -> Option<(String, String)> {
    let text = fs::read_to_string(path).ok()?;
    let mut lines = text
        .lines()
        .rev()
        .filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
    let entry = lines.find(|entry| entry["vers"].is_string() && entry["yanked"] != true)?;
    Some((
        entry["name"].as_str()?.to_owned(),
        entry["vers"].as_str()?.to_owned(),
    ))
}

#[test]
fn package_of_the_default_registry_is_added_without_network() {
    let (name, _) = some_package();
    let sandbox = Sandbox::project_here();
    sandbox.skillpm(format!("add {name} --offline")).exits(0);
    let skill = name.rsplit('/').next().unwrap();
    sandbox.has([&format!(".agents/skills/{skill}/SKILL.md")]);
    assert!(sandbox.locked(&name, "source").starts_with("registry+"));
    sandbox.skillpm("verify --offline").exits(0);
}

#[test]
fn package_can_be_added_at_a_version() {
    let (name, version) = some_package();
    let sandbox = Sandbox::project_here();
    sandbox
        .skillpm(format!("add {name}@={version} --offline"))
        .exits(0);
    assert_eq!(sandbox.locked(&name, "version"), version);
}

#[test]
fn unknown_version_names_the_newest() {
    let (name, version) = some_package();
    let sandbox = Sandbox::project_here();
    let snapshot = sandbox.snapshot();
    sandbox
        .skillpm(format!("add {name}@^99 --offline"))
        .exits(1)
        .explains([&name, "^99", &version]);
    snapshot.still_holds();
}

#[test]
fn unknown_scoped_name_suggests_a_github_repository() {
    let sandbox = Sandbox::project_here();
    let snapshot = sandbox.snapshot();
    sandbox
        .skillpm("add no-such-owner/no-such-skill --offline")
        .exits(1)
        .explains(["gh:no-such-owner/no-such-skill"]);
    snapshot.still_holds();
}

#[test]
fn misspelled_name_offers_the_nearest() {
    let (name, _) = some_package();
    let sandbox = Sandbox::project_here();
    sandbox
        .skillpm(format!("add {name}x --offline"))
        .exits(1)
        .explains([&name]);
}

#[test]
fn unknown_name_names_its_registry_and_suggests_a_search() {
    let sandbox = Sandbox::project_here();
    let index = IndexDir::new(&sandbox, "../www/index");
    index.publish("acme/pdf", "1.0.0", &[]);
    IndexDir::configure(&sandbox, "acme", &index.url());

    sandbox
        .skillpm("add quotes --registry acme")
        .exits(1)
        .stderr(str![[r"
error: no matching package named `quotes` found in registry `acme`
  available packages: acme/pdf
help: `skillpm search WORD` searches all registries
help: write `./quotes` for a directory, `gh:owner/repo` for a repository

"]]);
    sandbox
        .skillpm("add quotes --offline")
        .exits(1)
        .explains(["no matching package named `quotes` found in the default registry, `"]);
}

#[test]
fn dependencies_are_installed_once() {
    let sandbox = Sandbox::project_here();
    sandbox.skillpm("add release --offline").exits(0);
    sandbox.skillpm("tree").exits(0).stdout(
        "\
release 1.0.0
├── changelog 1.1.0
│   └── commit-messages 1.2.0
└── writing-release-notes 2.1.0
    └── commit-messages 1.2.0
",
    );
    let why = sandbox.skillpm("why commit-messages").exits(0);
    why.stdout_has("release 1.0.0 -> changelog 1.1.0 -> commit-messages 1.2.0");
    sandbox.skillpm("verify").exits(0);
    sandbox.skillpm("outdated --exit-code").exits(0);
    let snapshot = sandbox.snapshot();
    sandbox.skillpm("update --latest --offline").exits(0);
    sandbox.skillpm("install --frozen").exits(0);
    snapshot.still_holds();
}

#[test]
fn installed_files_and_modes_equal_those_in_skills() {
    if !has_unix("executable files") {
        return;
    }
    let sandbox = Sandbox::project_here();
    sandbox.skillpm("add commit-messages --offline").exits(0);
    let source = Listing::of(&Path::new(env!("CARGO_MANIFEST_DIR")).join("skills/commit-messages"));
    assert_eq!(sandbox.tree(".agents/skills/commit-messages"), source);
}

#[test]
fn yanked_version_is_refused_and_the_newest_offered() {
    let sandbox = Sandbox::project_here();
    let snapshot = sandbox.snapshot();
    let refused = sandbox
        .skillpm("add writing-release-notes@=2.0.0 --offline")
        .exits(1);
    refused.stderr(str![[r"
error: failed to select a version for `writing-release-notes`: no version matches `=2.0.0`
  `2.0.0` was yanked
help: `2.1.0` is the newest version; to use it, run `skillpm add writing-release-notes@^2`

"]]);
    snapshot.still_holds();
}

#[test]
fn exact_old_version_is_outdated_until_its_requirement_is_raised() {
    let sandbox = Sandbox::project_here();
    sandbox
        .skillpm("add commit-messages@=1.0.0 --offline")
        .exits(0);
    sandbox
        .skillpm("outdated --exit-code")
        .exits(1)
        .stdout_has("1.2.0");
    sandbox.skillpm("update --offline").exits(0);
    assert_eq!(sandbox.locked("commit-messages", "version"), "1.0.0");
    sandbox
        .skillpm("update commit-messages --latest --offline")
        .exits(0);
    assert_eq!(sandbox.locked("commit-messages", "version"), "1.2.0");
    sandbox.reads(
        "skillpm.toml",
        "[dependencies]\ncommit-messages = \"^1.2\"\n",
    );
    sandbox.skillpm("outdated --exit-code").exits(0);
}

#[test]
fn invalid_index_entry_is_reported() {
    let (sandbox, index) = with_index();
    index
        .publish("pdf", "1.0.0", &[])
        .publish("csv", "1.0.0", &[]);
    let line = index.text("pdf");
    std::fs::write(
        index.file("pdf"),
        "<!doctype html>\n<title>Log in</title>\n",
    )
    .unwrap();
    let snapshot = sandbox.snapshot();
    sandbox.skillpm("add pdf").exits(3).explains([
        "it is not an index entry",
        "`3/p/pdf`, the file of `pdf`, has no valid line",
        "it is a web page, perhaps of a login or a proxy",
    ]);
    snapshot.still_holds();

    // So is a package of which no line can be read, though each is one of an index.
    std::fs::write(
        index.file("pdf"),
        line.replace("skill-tree-v1:", "skill-tree-v9:"),
    )
    .unwrap();
    for command in ["add pdf", "info pdf"] {
        let outcome = sandbox.skillpm(command).exits(3);
        outcome.explains([
            "failed to read any version of `pdf`",
            "line 1 of `3/p/pdf`",
            "upgrade skillpm, which may support this index format",
        ]);
    }

    // What an editor puts in front is no reason to refuse it.
    let line = index.text("csv");
    std::fs::write(index.file("csv"), format!("\u{feff}{line}")).unwrap();
    sandbox.skillpm("add csv").exits(0);
    sandbox.skillpm("verify").exits(0);
}

#[test]
fn duplicate_version_line_is_ignored_with_a_warning() {
    let (sandbox, index) = with_index();
    index
        .publish("pdf", "1.0.0", &[])
        .publish("core", "1.0.0", &[]);
    let first = index.text("pdf");
    let mut second = index.entry("pdf", "1.0.0");
    second["deps"] = serde_json::json!([{"name": "core", "req": "*"}]);
    std::fs::write(index.file("pdf"), format!("{first}{second}\n")).unwrap();
    let told = sandbox.skillpm("add pdf").exits(0);
    told.stderr(str![[r"
warning: ignoring line 2 of `3/p/pdf` in index `file://[ROOT]/www/index`: duplicate version 1.0.0, which is in line 1 already
    Fetching pdf 1.0.0
   Installed pdf 1.0.0
      Locked 1 skill in skillpm.lock
   Skills in .agents/skills

"]]);
    assert!(
        !sandbox.read("skillpm.lock").contains("core"),
        "the first line counts"
    );
}
