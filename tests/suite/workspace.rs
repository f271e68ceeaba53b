//! Workspaces: one lockfile for all members.

use crate::resolver::with_index;
use crate::support::{IndexDir, Sandbox};

/// A workspace of `acme/alpha` and `acme/beta`, whose dependencies are given; `core` has three versions.
fn workspace(alpha: &str, beta: &str) -> (Sandbox, IndexDir) {
    let (sandbox, index) = with_index();
    for version in ["1.0.0", "1.1.0", "2.0.0"] {
        index.publish("core", version, &[]);
    }
    index.publish("style", "1.0.0", &["core ^1"]);
    sandbox.write(
        "skillpm.toml",
        "[workspace]\nmembers = [\"skills/*\"]\n\n[dependencies]\n",
    );
    for (name, needs) in [("alpha", alpha), ("beta", beta)] {
        sandbox.write_skill(&format!("skills/{name}"), "A member.");
        let text = format!(
            "[package]\nname = \"acme/{name}\"\nversion = \"1.0.0\"\n\n[dependencies]\n{needs}"
        );
        sandbox.write(&format!("skills/{name}/skillpm.toml"), text);
    }
    (sandbox, index)
}

#[test]
fn one_lockfile_covers_all_members_and_lists_none() {
    let (sandbox, _index) = workspace("core = \">=1\"\n", "style = \"^1\"\n[dev-dependencies]\n");
    sandbox.skillpm("install").in_dir("skills/alpha").exits(0);
    // Alone, alpha would have the newest.
    assert_eq!(sandbox.locked("core", "version"), "1.1.0");
    let names: Vec<String> = sandbox.lock()["package"]
        .as_array()
        .unwrap()
        .iter()
        .map(|p| p["name"].to_string())
        .collect();
    assert_eq!(names, ["\"core\"", "\"style\""]);
    sandbox.has([
        ".agents/skills/core/SKILL.md",
        ".agents/skills/style/SKILL.md",
    ]);
    sandbox.lacks([
        "skills/alpha/skillpm.lock",
        "skills/alpha/.agents",
        ".agents/skills/alpha",
    ]);
    sandbox
        .skillpm("tree")
        .exits(0)
        .stdout("core 1.1.0\nstyle 1.0.0\n└── core 1.1.0\n");
}

#[test]
fn conflicting_members_are_both_named() {
    let (sandbox, _index) = workspace("core = \"^2\"\n", "core = \"^1\"\n");
    sandbox.skillpm("lock").exits(1).stderr(
        "\
error: failed to select a version for `core`: no version meets all requirements
  `acme/beta` (skills/beta) needs `core ^1`
  `acme/alpha` (skills/alpha) needs `core ^2`
help: `core 2.0.0` would fit; to use it, run `skillpm -C skills/beta add core@^2`
",
    );
    sandbox.skillpm("-C skills/beta add core@^2").exits(0);
    assert_eq!(sandbox.locked("core", "version"), "2.0.0");
}

#[test]
fn add_and_remove_in_a_member_edit_its_manifest() {
    let (sandbox, _index) = workspace("", "");
    sandbox.write_skill("skills/alpha/../../shared", "Lies beside.");
    let root = sandbox.read("skillpm.toml");
    sandbox
        .skillpm("add core@^1 ../../shared")
        .in_dir("skills/alpha")
        .exits(0);
    sandbox.reads(
        "skills/alpha/skillpm.toml",
        "[package]\nname = \"acme/alpha\"\nversion = \"1.0.0\"\n\n[dependencies]\ncore = \"^1\"\nshared = { path = \"../../shared\" }\n",
    );
    assert_eq!(sandbox.read("skillpm.toml"), root);
    assert_eq!(sandbox.locked("shared", "source"), "path+shared");
    sandbox.has([
        ".agents/skills/core/SKILL.md",
        ".agents/skills/shared/SKILL.md",
    ]);
    sandbox.skillpm("install --locked").exits(0);

    sandbox
        .skillpm("remove core")
        .exits(1)
        .explains(["dependency `core` not found in the manifest"]);
    sandbox
        .skillpm("remove core")
        .in_dir("skills/alpha")
        .exits(0);
    sandbox.lacks([".agents/skills/core"]);
    sandbox.has([".agents/skills/shared/SKILL.md"]);
}

#[test]
fn member_that_another_needs_is_not_installed() {
    let (sandbox, _index) = workspace(
        "beta = { path = \"../beta\", version = \"^1\" }\n",
        "core = \"^1\"\n",
    );
    sandbox.skillpm("install").exits(0);
    let lock = sandbox.read("skillpm.lock");
    assert!(!lock.contains("beta"), "{lock}");
    sandbox.lacks([".agents/skills/beta"]);
    sandbox.skillpm("install --locked").exits(0);

    sandbox.edit(
        "skills/beta/skillpm.toml",
        "version = \"1.0.0\"",
        "version = \"2.0.0\"",
    );
    sandbox.skillpm("lock").exits(1).stderr(
        "\
error: failed to select a version for `beta` from `skills/beta`: it does not match `^1`
  `acme/alpha` (skills/alpha) needs `beta ^1`
  its version is `2.0.0`
help: `beta 2.0.0` would fit; change the requirement of `beta` of `acme/alpha` from `^1` to `^2`
",
    );
}

#[test]
fn member_that_the_root_needs_is_installed_and_editable() {
    let (sandbox, _index) = installed_member("core = \"^1\"\n");
    assert_eq!(sandbox.locked("beta", "source"), "path+skills/beta");
    let lock = sandbox.read("skillpm.lock");
    sandbox.write("skills/beta/more.md", "An edit.\n");
    sandbox.skillpm("install --locked").exits(0);
    assert_eq!(sandbox.read("skillpm.lock"), lock);
    sandbox.skillpm("install").exits(0);
    assert_ne!(sandbox.read("skillpm.lock"), lock);
    sandbox.reads(".agents/skills/beta/more.md", "An edit.\n");
}

#[test]
fn changed_manifest_of_a_member_is_detected() {
    let (sandbox, _index) = workspace("core = \"^1\"\n", "");
    sandbox.skillpm("install").exits(0);
    sandbox
        .skillpm("install")
        .exits(0)
        .stderr("   Unchanged 1 skill, up to date with skillpm.lock\n");
    sandbox.edit("skills/alpha/skillpm.toml", "^1", "^2");
    sandbox.skillpm("install --locked").exits(1);
    sandbox.skillpm("install").exits(0);
    assert_eq!(sandbox.locked("core", "version"), "2.0.0");
}

#[test]
fn outdated_and_why_include_members() {
    let (sandbox, _index) = workspace("core = \"^1\"\n", "core = \"<1.1\"\n");
    sandbox.skillpm("install").exits(0);
    sandbox.skillpm("outdated").exits(0).stdout_has("core");
    sandbox.skillpm("why core").exits(0).stdout_has(
        "  required in skills/alpha/skillpm.toml: core ^1\n  required in skills/beta/skillpm.toml: core <1.1\n",
    );
}

/// A workspace whose root depends on the member `beta`, which has these dependencies, with everything installed.
fn installed_member(beta: &str) -> (Sandbox, IndexDir) {
    let (sandbox, index) = workspace("", beta);
    sandbox.edit(
        "skillpm.toml",
        "[dependencies]\n",
        "[dependencies]\nbeta = { path = \"skills/beta\" }\n",
    );
    sandbox.skillpm("install").exits(0);
    (sandbox, index)
}

/// The lockfile and the installed skills fit the manifests: nothing is left for another `install`.
#[track_caller]
fn assert_settled(sandbox: &Sandbox) {
    let lock = sandbox.read("skillpm.lock");
    sandbox.skillpm("install --locked").exits(0);
    sandbox.skillpm("verify").exits(0);
    sandbox.skillpm("install").exits(0);
    assert_eq!(sandbox.read("skillpm.lock"), lock);
}

#[test]
fn lockfile_fits_the_manifest_that_the_command_writes_in_a_member() {
    let (sandbox, index) = installed_member("");
    let manifest = sandbox.read("skills/beta/skillpm.toml");
    let before = sandbox.locked("beta", "checksum");

    let untouched = sandbox.snapshot();
    sandbox
        .skillpm("-C skills/beta add style --dry-run")
        .exits(0);
    untouched.still_holds();

    sandbox.skillpm("-C skills/beta add style").exits(0);
    assert_ne!(sandbox.locked("beta", "checksum"), before);
    sandbox.reads(
        ".agents/skills/beta/skillpm.toml",
        &sandbox.read("skills/beta/skillpm.toml"),
    );
    sandbox
        .skillpm("tree")
        .exits(0)
        .stdout_has("beta 1.0.0\n└── style 1.0.0\n    └── core 1.1.0\n");
    assert_settled(&sandbox);

    index.publish("style", "2.0.0", &["core ^2"]);
    sandbox
        .skillpm("-C skills/beta update style --latest")
        .exits(0);
    assert_eq!(sandbox.locked("style", "version"), "2.0.0");
    assert_settled(&sandbox);

    sandbox.skillpm("undo").exits(0);
    assert_eq!(sandbox.locked("style", "version"), "1.0.0");
    assert_settled(&sandbox);

    sandbox.skillpm("-C skills/beta remove style").exits(0);
    sandbox.reads("skills/beta/skillpm.toml", &manifest);
    assert_eq!(sandbox.locked("beta", "checksum"), before);
    assert_settled(&sandbox);
}

#[test]
fn lockfile_has_the_manifest_that_a_member_gets() {
    let (sandbox, _index) = installed_member("");
    sandbox.delete("skills/beta/skillpm.toml");
    sandbox.skillpm("install").exits(0);

    sandbox.skillpm("-C skills/beta add core@^1").exits(0);
    sandbox.has([
        "skills/beta/skillpm.toml",
        ".agents/skills/beta/skillpm.toml",
    ]);
    assert_settled(&sandbox);

    sandbox.skillpm("undo").exits(0);
    sandbox.lacks([
        "skills/beta/skillpm.toml",
        ".agents/skills/beta/skillpm.toml",
    ]);
    assert_settled(&sandbox);
}

#[test]
fn lockfile_fits_a_member_that_another_one_needs() {
    let (sandbox, _index) = installed_member("");
    sandbox.edit(
        "skills/beta/skillpm.toml",
        "[dependencies]\n",
        "[dependencies]\nalpha = { path = \"../alpha\" }\n",
    );
    sandbox.skillpm("install").exits(0);
    let before = sandbox.locked("alpha", "checksum");

    sandbox
        .skillpm("add core@^1")
        .in_dir("skills/alpha")
        .exits(0);
    assert_ne!(sandbox.locked("alpha", "checksum"), before);
    assert_settled(&sandbox);
}
