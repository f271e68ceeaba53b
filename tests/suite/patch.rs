//! `[patch]`: one package in place of another, wherever that is asked for.

use crate::resolver::with_index;
use crate::support::{IndexDir, Repo, Sandbox};

/// `report` needs `core ^1`, of which there is 1.0.0, and `vendor/core` is a copy of it to be worked on.
fn patched(version: &str, patch: &str) -> (Sandbox, IndexDir) {
    let (sandbox, index) = with_index();
    index
        .publish("core", "1.0.0", &[])
        .publish("report", "1.0.0", &["core ^1"]);
    sandbox.write_skill("vendor/core", "The copy.");
    if !version.is_empty() {
        sandbox.write(
            "vendor/core/skillpm.toml",
            format!("[package]\nname = \"core\"\nversion = \"{version}\"\n"),
        );
    }
    sandbox.write(
        "skillpm.toml",
        format!("[dependencies]\nreport = \"^1\"\n\n{patch}"),
    );
    (sandbox, index)
}

const BY_PATH: &str = "[patch.acme]\ncore = { path = \"vendor/core\" }\n";

#[test]
fn patch_applies_to_transitive_dependencies_until_removed() {
    let (sandbox, index) = patched("1.0.1", BY_PATH);
    sandbox.skillpm("install").exits(0);
    assert!(
        sandbox
            .read(".agents/skills/core/SKILL.md")
            .contains("The copy.")
    );
    assert_eq!(sandbox.locked("core", "source"), "path+vendor/core");
    assert_eq!(sandbox.locked("core", "version"), "1.0.1");
    let replaces = format!("replaces = [\"core registry+{}\"]", index.url());
    assert!(
        sandbox.read("skillpm.lock").contains(&replaces),
        "{}",
        sandbox.read("skillpm.lock")
    );
    sandbox.skillpm("install --locked").exits(0);
    sandbox
        .skillpm("why core")
        .exits(0)
        .stdout_has("patched in skillpm.toml: replaces core registry+");

    sandbox.write("skillpm.toml", "[dependencies]\nreport = \"^1\"\n");
    sandbox.skillpm("install").exits(0);
    assert!(sandbox.locked("core", "source").starts_with("registry+"));
    sandbox.reads(".agents/skills/core/notes.md", "This is version 1.0.0.\n");
    assert!(!sandbox.read("skillpm.lock").contains("replaces"));
}

#[test]
fn patch_added_to_a_locked_project_is_used() {
    let (sandbox, index) = patched("1.4.0", "");
    sandbox.skillpm("install").exits(0);
    assert_eq!(sandbox.locked("core", "version"), "1.0.0");
    index.publish("report", "1.1.0", &["core ^1"]);
    let by_url = format!(
        "[patch.\"{}\"]\ncore = {{ path = \"vendor/core\" }}\n",
        index.url()
    );
    sandbox.write(
        "skillpm.toml",
        format!("[dependencies]\nreport = \"^1\"\n{by_url}"),
    );
    sandbox
        .skillpm("lock --locked")
        .exits(1)
        .explains(["would be updated from 1.0.0 to 1.4.0"]);
    sandbox.skillpm("install").exits(0);
    assert_eq!(sandbox.locked("core", "version"), "1.4.0");
    assert_eq!(
        sandbox.locked("report", "version"),
        "1.0.0",
        "the rest stays"
    );
}

#[test]
fn patch_without_a_version_replaces_any_version() {
    let (sandbox, index) = patched("", BY_PATH);
    index.publish("other", "1.0.0", &["core ^3"]);
    sandbox.skillpm("add other").exits(0);
    assert_eq!(sandbox.locked("core", "source"), "path+vendor/core");
    assert_eq!(sandbox.locked("core", "version"), "");
}

#[test]
fn patch_with_an_incompatible_version_is_unused_and_reported() {
    let (sandbox, _index) = patched("2.0.0", BY_PATH);
    sandbox.skillpm("lock").exits(0).stderr(
        "\
warning: unused patch of `core` in skillpm.toml: `vendor/core` has `2.0.0`, but `^1` is required
help: remove it, or change it to a package that is required
      Locked 2 skills in skillpm.lock
",
    );
    assert!(sandbox.locked("core", "source").starts_with("registry+"));
    sandbox.skillpm("lock --locked").exits(0);
}

#[test]
fn unused_patch_is_reported_with_the_nearest_name() {
    let (sandbox, _index) = patched("1.0.0", "[patch.acme]\ncroe = { path = \"vendor/core\" }\n");
    sandbox.skillpm("lock").exits(0).stderr(
        "\
warning: unused patch of `croe` in skillpm.toml: no dependency requires that package from `acme`
help: did you mean `core`?
      Locked 2 skills in skillpm.lock
",
    );
}

#[test]
fn unknown_registry_is_refused_with_the_nearest() {
    let (sandbox, _index) = patched("1.0.0", "[patch.amce]\ncore = { path = \"vendor/core\" }\n");
    sandbox.skillpm("lock").exits(2).stderr(
        "\
error: skillpm.toml:4:8: unknown source in `[patch.amce]`
  configured registries: `acme`, `default`
caused by: unknown registry `amce`
help: did you mean `acme`?
help: set one with `skillpm config set registries.amce.index sparse+https://host/path/`
",
    );
}

#[test]
fn conflict_names_the_patch() {
    let (sandbox, index) = patched("1.5.0", BY_PATH);
    sandbox.edit(
        "vendor/core/skillpm.toml",
        "1.5.0\"\n",
        "1.5.0\"\n[dependencies]\nbase = \"^2\"\n",
    );
    index
        .publish("base", "1.0.0", &[])
        .publish("base", "2.0.0", &[]);
    index
        .publish("core", "1.0.1", &["base ^3"])
        .yank("core", "1.0.0");
    sandbox.skillpm("add base@^1").exits(1).stderr(
        "\
error: failed to select a version for `base`: no version meets all requirements
  this project needs `base ^1`
  `core 1.0.1` and `1.5.0` (`1.5.0` patched in skillpm.toml) need `base ^3` or `base ^2`
    because `report 1.0.0` needs `core ^1`
    because this project needs `report ^1`
help: `base 2.0.0` would fit; to use it, run `skillpm add base@^2`
",
    );
}

#[test]
fn repository_is_patched_by_name_and_directory() {
    let (sandbox, index) = with_index();
    let repo = Repo::new(&sandbox, "skills");
    repo.skill("skills/notes", "Upstream.").commit("first");
    repo.tag("v1.0.0");
    let fork = Repo::new(&sandbox, "fork");
    fork.skill("notes", "The fork.").commit("fixed");
    fork.branch("fix");
    index.publish("unrelated", "1.0.0", &[]);
    let manifest = |patch: &str| {
        let git = repo.url();
        format!(
            "[dependencies]\nmy-notes = {{ git = \"{git}\", path = \"skills/notes\", version = \"^1\" }}\n{patch}"
        )
    };
    let patch = format!(
        "[patch.\"{}\"]\nnotes = {{ git = \"{}\", path = \"notes\", branch = \"fix\" }}\n",
        repo.url(),
        fork.url()
    );
    sandbox.write("skillpm.toml", manifest(&patch));
    sandbox.skillpm("install").exits(0);
    assert!(
        sandbox
            .read(".agents/skills/my-notes/SKILL.md")
            .contains("The fork.")
    );
    assert_eq!(
        sandbox.locked("notes", "source"),
        format!("git+{}?branch=fix#{}", fork.url(), fork.commit_of("fix"))
    );
    sandbox.skillpm("install --frozen").exits(0);
    sandbox.write("skillpm.toml", manifest(""));
    sandbox.skillpm("install").exits(0);
    assert!(
        sandbox
            .read(".agents/skills/my-notes/SKILL.md")
            .contains("Upstream.")
    );
}

#[test]
fn package_of_another_registry_and_name_is_a_patch() {
    let (sandbox, _index) = patched(
        "",
        "[patch.acme]\ncore = { package = \"me/kernel\", version = \"<1.3\", registry = \"mine\" }\n",
    );
    let mine = IndexDir::new(&sandbox, "../www/mine");
    IndexDir::configure(&sandbox, "mine", &mine.url());
    mine.publish("me/kernel", "1.1.0", &[])
        .publish("me/kernel", "1.2.0", &[])
        .publish("me/kernel", "1.3.0", &[]);
    sandbox.skillpm("install").exits(0);
    assert_eq!(sandbox.locked("me/kernel", "version"), "1.2.0");
    sandbox.has([".agents/skills/core/SKILL.md"]);
    sandbox.lacks([".agents/skills/kernel"]);
    sandbox.skillpm("update core --precise 1.1.0").exits(0);
    assert_eq!(sandbox.locked("me/kernel", "version"), "1.1.0");
    sandbox.skillpm("install --locked").exits(0);
}

#[test]
fn patched_package_is_not_queried() {
    let sandbox = Sandbox::project_here();
    sandbox.write_skill("vendor/notes", "The copy.");
    sandbox.write(
        "skillpm.toml",
        "[dependencies]\nnotes = { git = \"https://unreachable.invalid/skills\", version = \"^2\" }\n\
         [patch.\"https://unreachable.invalid/skills\"]\nnotes = { path = \"vendor/notes\" }\n",
    );
    sandbox.skillpm("install").exits(0);
    assert!(
        sandbox
            .read(".agents/skills/notes/SKILL.md")
            .contains("The copy.")
    );
}

#[test]
fn patch_in_a_dependency_is_ignored() {
    let (sandbox, _index) = patched("1.0.1", "");
    sandbox.write_skill("tool", "Needs it.");
    sandbox.write(
        "tool/skillpm.toml",
        "[package]\nname = \"tool\"\n[dependencies]\ncore = \"^1\"\n\
         [patch.unheard-of]\ncore = { path = \"../vendor/core\" }\n[patch.acme]\ncore = { path = \"../vendor/core\" }\n",
    );
    sandbox.skillpm("add ./tool").exits(0);
    assert!(sandbox.locked("core", "source").starts_with("registry+"));
}
