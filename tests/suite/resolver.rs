//! Which versions are chosen, and what is said where none fit.

use snapbox::str;

use crate::lint_formats::{accepts, lines_of};
use crate::support::{IndexDir, Repo, Sandbox};

/// A project whose default registry is an index of its own.
pub(crate) fn with_index() -> (Sandbox, IndexDir) {
    let sandbox = Sandbox::project_here();
    let index = IndexDir::new(&sandbox, "../www/index");
    IndexDir::configure(&sandbox, "acme", &index.url());
    let settings = sandbox.read(".skillpm/config.toml");
    sandbox.write(
        ".skillpm/config.toml",
        format!("{settings}[registry]\ndefault = \"acme\"\n"),
    );
    (sandbox, index)
}

/// `core` from 1.0.0 to 1.2.0, and skills that need it in one way each.
fn peers() -> (Sandbox, IndexDir) {
    let (sandbox, index) = with_index();
    for version in ["1.0.0", "1.0.1", "1.1.0", "1.1.1", "1.2.0"] {
        index.publish("core", version, &[]);
    }
    for (name, req) in [
        ("any-one", "^1.0.0"),
        ("just-110", "=1.1.0"),
        ("about-11", "~1.1.0"),
        ("about-10", "~1.0.0"),
        ("just-100", "=1.0.0"),
    ] {
        index.publish(name, "1.0.0", &[&format!("core {req}")]);
    }
    (sandbox, index)
}

#[test]
fn range_and_exact_version_select_the_exact_version() {
    let (sandbox, _index) = peers();
    sandbox.skillpm("add any-one just-110").exits(0);
    assert_eq!(sandbox.locked("core", "version"), "1.1.0");
    sandbox.reads(".agents/skills/core/notes.md", "This is version 1.1.0.\n");
}

#[test]
fn wide_and_narrow_range_select_the_newest_in_both() {
    let (sandbox, _index) = peers();
    sandbox.skillpm("add any-one about-11").exits(0);
    assert_eq!(sandbox.locked("core", "version"), "1.1.1");
}

#[test]
fn disjoint_ranges_are_refused_with_both_dependents() {
    let (sandbox, _index) = peers();
    let snapshot = sandbox.snapshot();
    sandbox.skillpm("add about-10 about-11").exits(1).stderr(
        "\
error: failed to select a version for `core`: no version meets all requirements
  `about-10 1.0.0` needs `core ~1.0.0`
    because this project needs `about-10 ^1.0`
  `about-11 1.0.0` needs `core ~1.1.0`
    because this project needs `about-11 ^1.0`
help: no other version of `about-10` or `about-11` helps; the other dependencies resolve without one of them
",
    );
    snapshot.still_holds();
}

#[test]
fn two_exact_versions_are_refused_with_both_dependents() {
    let (sandbox, index) = peers();
    index.publish("just-100", "2.0.0", &["core ^1.1"]);
    let snapshot = sandbox.snapshot();
    sandbox.skillpm("add just-100@^1 just-110").exits(1).stderr(
        "\
error: failed to select a version for `core`: no version meets all requirements
  `just-100 1.0.0` needs `core =1.0.0`
    because this project needs `just-100 ^1`
  `just-110 1.0.0` needs `core =1.1.0`
    because this project needs `just-110 ^1.0`
help: `just-100 2.0.0` would fit; to use it, run `skillpm add just-100@^2`
",
    );
    snapshot.still_holds();
    sandbox.skillpm("add just-100@^2 just-110").exits(0);
    assert_eq!(sandbox.locked("core", "version"), "1.1.0");
}

#[test]
fn yanked_version_stays_locked_and_returns_when_unyanked() {
    let (sandbox, index) = with_index();
    index
        .publish("pdf", "1.0.0", &[])
        .publish("pdf", "1.1.0", &[])
        .publish("style", "1.0.0", &[]);
    sandbox.skillpm("add pdf@^1").exits(0);
    index.yank("pdf", "1.1.0");
    sandbox.skillpm("add style").exits(0);
    assert_eq!(sandbox.locked("pdf", "version"), "1.1.0");
    sandbox
        .skillpm("install --locked")
        .home("elsewhere")
        .exits(0);

    sandbox.skillpm("outdated").exits(0).stderr_has(
        "warning: package `pdf 1.1.0` in the lockfile was yanked by its owners\nhelp: run `skillpm update pdf` to select another version\n",
    );
    sandbox.skillpm("update pdf").exits(0);
    assert_eq!(sandbox.locked("pdf", "version"), "1.0.0");
    index.rewrite("pdf", "1.1.0", |entry| entry["yanked"] = false.into());
    sandbox.skillpm("update").exits(0);
    assert_eq!(sandbox.locked("pdf", "version"), "1.1.0");
}

#[test]
fn precise_selects_any_matching_version() {
    let (sandbox, _index) = peers();
    sandbox.skillpm("add any-one core@~1.1").exits(0);
    sandbox.skillpm("update core --precise 1.1.0").exits(0);
    assert_eq!(sandbox.locked("core", "version"), "1.1.0");
    sandbox.skillpm("install").exits(0);
    assert_eq!(sandbox.locked("core", "version"), "1.1.0");
    sandbox
        .skillpm("update core --precise 1.2.0")
        .exits(1)
        .stderr(
            "\
error: failed to select `core 1.2.0`: it does not match `~1.1`, which this project requires
  `--precise` allows only `core 1.2.0`
help: without `--precise`, `core 1.1.1` is selected
",
        );
}

#[test]
fn pre_releases_are_selected_only_on_request() {
    let (sandbox, index) = with_index();
    index
        .publish("pdf", "1.0.0", &[])
        .publish("pdf", "2.0.0-rc.1", &[])
        .publish("user", "1.0.0", &["pdf >=1"]);
    sandbox.skillpm("add user").exits(0);
    assert_eq!(sandbox.locked("pdf", "version"), "1.0.0");
    sandbox
        .skillpm("add pdf@^2.0.0-rc.1")
        .exits(1)
        .stderr_has("`user 1.0.0` needs `pdf >=1`");
    sandbox.skillpm("remove user").exits(0);
    sandbox.skillpm("add pdf@^2.0.0-rc.1").exits(0);
    assert_eq!(sandbox.locked("pdf", "version"), "2.0.0-rc.1");
}

#[test]
fn registry_git_and_path_are_resolved_together() {
    let (sandbox, index) = with_index();
    index
        .publish("core", "1.0.0", &[])
        .publish("core", "1.1.0", &[])
        .publish("core", "2.0.0", &[]);
    index.publish("report", "1.0.0", &["core ^1"]);
    let repo = Repo::new(&sandbox, "tools");
    let needs =
        |req: &str| format!("[package]\nname = \"notes\"\n[dependencies]\ncore = \"{req}\"\n");
    repo.skill("skills/notes", "Writes notes.")
        .write("skills/notes/skillpm.toml", needs("<1.1"))
        .commit("first");
    repo.tag("v1.0.0");
    repo.write("skills/notes/skillpm.toml", needs("^2"))
        .commit("second");
    repo.tag("v2.0.0");
    sandbox.write_skill("style", "Keeps to a style.");
    sandbox.write(
        "style/skillpm.toml",
        "[package]\nname = \"style\"\n[dependencies]\nreport = \"^1\"\n",
    );

    sandbox.skillpm("add ./style").exits(0);
    assert_eq!(sandbox.locked("core", "version"), "1.1.0");
    sandbox
        .skillpm(format!("add {} --skill notes --version '*'", repo.url()))
        .exits(0);
    // The newest needs another `core` than `report`, so that the one before it is taken.
    assert_eq!(sandbox.locked("notes", "version"), "1.0.0");
    assert_eq!(sandbox.locked("core", "version"), "1.0.0");
    sandbox.skillpm("install --frozen").exits(0);
}

#[test]
fn dependency_in_another_registry_is_looked_up_there() {
    let (sandbox, index) = with_index();
    let other = IndexDir::new(&sandbox, "../www/other");
    IndexDir::configure(&sandbox, "other", &other.url());
    other
        .publish("core", "1.5.0", &["base ^1"])
        .publish("base", "1.0.0", &[]);
    index
        .publish("core", "1.9.0", &[])
        .publish("base", "1.9.0", &[]);
    index.publish("report", "1.0.0", &["core ^1 other"]);
    sandbox.skillpm("lock").exits(0);
    sandbox.skillpm("add report").exits(0);
    assert_eq!(sandbox.locked("core", "version"), "1.5.0");
    assert_eq!(
        sandbox.locked("base", "source"),
        format!("registry+{}", other.url())
    );
    sandbox.skillpm("add core").exits(1).stderr(str![[r"
error: conflicting names: two packages would be installed as `core`
  this project needs `core ^1.9` from registry `file://[ROOT]/www/index`
  `report 1.0.0` needs `core ^1` from registry `file://[ROOT]/www/other`
    because this project needs `report ^1.0`
help: install one of them under another name, such as with `skillpm add core@^1.9 --as other-core`

"]]);
}

#[test]
fn old_version_is_found_behind_a_thousand_unusable_ones() {
    let (sandbox, index) = with_index();
    index.publish("a", "1.0.0", &[]);
    let line = index.entry("a", "1.0.0");
    let newer = (1..1_199).map(|minor| {
        let mut entry = line.clone();
        entry["vers"] = format!("1.{minor}.0").into();
        entry["deps"] = serde_json::json!([{"name": "core", "req": "*"}]);
        format!("{entry}\n")
    });
    std::fs::write(
        index.file("a"),
        format!("{line}\n{}", newer.collect::<String>()),
    )
    .unwrap();
    sandbox.skillpm("add a@^1").exits(0);
    assert_eq!(sandbox.locked("a", "version"), "1.0.0");

    // Without that one, the package that is missing is named, where to look for it, and no change that is none.
    index.yank("a", "1.0.0");
    sandbox.skillpm("remove a").exits(0);
    let refused = sandbox.skillpm("add a@^1").exits(1);
    refused.stderr(str![[r"
error: no matching package named `core` found in the default registry, `file://[ROOT]/www/index`
  `a 1.1.0` to `1.1198.0` need `core *`
    because this project needs `a ^1`
help: to search all configured registries, run `skillpm search core`
help: no change to a single dependency helps; `[patch]` in skillpm.toml can replace a package

"]]);
    refused.never_prints("the other dependencies resolve");
}

#[test]
fn precise_accepts_any_build_and_refuses_partial_versions() {
    let (sandbox, index) = with_index();
    index
        .publish("pdf", "0.1.0", &[])
        .publish("pdf", "0.1.1+x", &[])
        .publish("pdf", "0.1.2", &[]);
    sandbox.skillpm("add pdf@^0.1").exits(0);
    sandbox.skillpm("update pdf --precise 0.1.1").exits(0);
    assert_eq!(sandbox.locked("pdf", "version"), "0.1.1+x");
    sandbox.skillpm("update pdf --precise 0.1.2").exits(0);

    let snapshot = sandbox.snapshot();
    sandbox.skillpm("update pdf --precise 0.1").exits(2).stderr(
        "\
error: invalid version `0.1`: not a full version
help: matching versions: `0.1.2`, `0.1.1+x`, `0.1.0`; to choose one, run `skillpm update pdf --precise 0.1.2`
",
    );
    sandbox
        .skillpm("update pdf --precise latest")
        .exits(2)
        .stderr(
            "\
error: invalid version `latest`: not a full version
help: for the newest matching version, run `skillpm update pdf`
",
        );
    index.yank("pdf", "0.1.0");
    sandbox
        .skillpm("update pdf --precise 0.1.0")
        .exits(1)
        .stderr(
            "\
error: failed to select `pdf 0.1.0`: it was yanked, and `--precise` does not select yanked versions
  `--precise` allows only `pdf 0.1.0`
help: without `--precise`, `pdf 0.1.2` is selected
",
        );
    snapshot.still_holds();
}

#[test]
fn held_back_version_is_explained() {
    let (sandbox, index) = with_index();
    for version in ["1.0.0", "1.1.0", "1.2.0"] {
        index.publish("core", version, &[]);
    }
    index.publish("report", "1.0.0", &["core ~1.1"]);
    sandbox.skillpm("add core@^1 report").exits(0);
    assert_eq!(sandbox.locked("core", "version"), "1.1.0");

    let reason = "Held back core 1.2.0: it does not fit `report 1.0.0`, which needs `core ~1.1`";
    sandbox
        .skillpm("update")
        .exits(0)
        .stderr_has(reason)
        .stderr_has("Unchanged");
    sandbox
        .skillpm("outdated")
        .exits(0)
        .stdout_has("1.2.0")
        .stderr_has(reason);
    let lines = sandbox
        .skillpm("outdated --format json")
        .exits(0)
        .stdout_json_lines();
    assert_eq!(
        lines[0]["held_back"],
        "does not fit `report 1.0.0`, which needs `core ~1.1`"
    );
    accepts(&lines_of("outdated"), &lines[0]);

    // Who asks for another version is told why not, and no longer once the other package lets it go.
    index.publish("report", "1.1.0", &["core ^1"]);
    sandbox.skillpm("update").exits(0).never_prints("Held back");
    assert_eq!(sandbox.locked("core", "version"), "1.2.0");
}
