//! `yank`: withdrawn from new resolves, kept for those who have it.

use snapbox::str;

use crate::support::{Sandbox, published};

fn user(sandbox: &Sandbox, name: &str) -> String {
    sandbox.write(
        &format!("{name}/skillpm.toml"),
        "[dependencies]\n\"acme/pdf\" = \"^1\"\n",
    );
    sandbox.skillpm("install").in_dir(name).exits(0);
    let lock: toml::Table = sandbox
        .read(&format!("{name}/skillpm.lock"))
        .parse()
        .unwrap();
    lock["package"][0]["version"].as_str().unwrap().to_owned()
}

#[test]
fn yanked_version_installs_if_locked_and_undo_restores_it() {
    let (sandbox, registry) = published();
    assert_eq!(user(&sandbox, "old"), "1.1.0");
    let before = registry.text("acme/3/p/pdf");
    sandbox
        .skillpm("yank acme/pdf@1.1.0")
        .exits(0)
        .stderr("      Yanked acme/pdf 1.1.0 in acme\n");
    let (first, second) = before.split_at(before.find('\n').unwrap() + 1);
    let yanked = format!(
        "{first}{}",
        second.replace("\"yanked\":false", "\"yanked\":true")
    );
    assert_eq!(registry.text("acme/3/p/pdf"), yanked);

    assert_eq!(user(&sandbox, "new"), "1.0.0");
    sandbox.delete("old/.agents");
    sandbox.delete("old/.skillpm");
    sandbox.delete("~/.skillpm/store");
    sandbox.skillpm("install --locked").in_dir("old").exits(0);
    sandbox.has(["old/.agents/skills/pdf/SKILL.md"]);

    sandbox
        .skillpm("yank acme/pdf@1.1.0 --undo")
        .exits(0)
        .stderr("    Unyanked acme/pdf 1.1.0 in acme\n");
    assert_eq!(registry.text("acme/3/p/pdf"), before);
    assert_eq!(user(&sandbox, "newest"), "1.1.0");
    assert_eq!(
        registry.git(&["log", "-2", "--format=%s", "main"]),
        "unyank acme/pdf 1.1.0\nyank acme/pdf 1.1.0"
    );
}

#[test]
fn second_yank_changes_nothing() {
    let (sandbox, registry) = published();
    sandbox.skillpm("yank acme/pdf@1.0.0").exits(0);
    let head = registry.git(&["rev-parse", "main"]);
    sandbox
        .skillpm("yank acme/pdf@1.0.0")
        .exits(0)
        .stderr("   Unchanged acme/pdf 1.0.0 in acme is already yanked\n");
    let said = sandbox
        .skillpm("yank acme/pdf@1.0.0 --format json")
        .exits(0)
        .stdout_json();
    assert_eq!(
        (said["type"].as_str(), said["changed"].as_bool()),
        (Some("yanked"), Some(false))
    );
    assert_eq!(registry.git(&["rev-parse", "main"]), head);
    sandbox
        .skillpm("publish pdf --config registry.identity=x")
        .exits(0)
        .stderr_has("1.1.0 is already in acme");
}

#[test]
fn unknown_version_and_other_users_are_refused() {
    let (sandbox, registry) = published();
    let head = registry.git(&["rev-parse", "main"]);
    sandbox
        .skillpm("yank acme/pdf@1.0.0 --config registry.identity=eve@x.dev")
        .exits(1)
        .explains(["scope `acme` belongs to `tester@example.org`, not to `eve@x.dev`"]);
    sandbox
        .skillpm("yank acme/pdf@3.0.0")
        .exits(1)
        .stderr(str![[r"
error: version `3.0.0` of `acme/pdf` not found in the index
  newest versions: `1.1.0`, `1.0.0`
help: specify one of its versions: `NAME@VERSION`

"]]);
    sandbox
        .skillpm("yank acme/csv@1.0.0")
        .exits(1)
        .explains(["package `acme/csv` not found"]);
    sandbox.skillpm("yank acme/pdf").exits(2);
    assert_eq!(registry.git(&["rev-parse", "main"]), head);
}
