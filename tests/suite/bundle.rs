//! `export` and `import`: a project's packages on a machine that reaches nothing.

use serde_json::{Value, json};
use snapbox::str;

use crate::support::archive::tar_gz_with_link;
use crate::support::{IndexDir, Listing, Repo, Sandbox, flip_a_bit, skill_md};

const BUNDLE: &str = "project.skillpm-bundle.tar.gz";

/// A project with skills of a repository, a registry, a directory elsewhere and one of its own.
fn world() -> (Sandbox, Repo) {
    let sandbox = Sandbox::project_here();
    let repo = sandbox.repo_with("pdf");
    let index = IndexDir::new(&sandbox, "../www/index");
    index
        .publish("acme/base", "1.0.0", &[])
        .publish("acme/report", "2.1.0", &["acme/base ^1"]);
    IndexDir::configure(&sandbox, "acme", &index.url());
    sandbox.write("../style/SKILL.md", skill_md("style", "House style."));
    sandbox.write_skill("own", "Lies here.");
    for spec in [
        format!("{} --skill pdf --as reader", repo.url()),
        "acme/report --registry acme --dev".to_owned(),
        "../style".to_owned(),
        "./own".to_owned(),
    ] {
        sandbox.skillpm(format!("add {spec}")).exits(0);
    }
    (sandbox, repo)
}

#[test]
fn locked_packages_install_from_a_bundle_without_network() {
    let (sandbox, repo) = world();
    sandbox.skillpm("bundle").exits(0).stderr(str![[r"
    Exported 4 packages to [ROOT]/project/project.skillpm-bundle.tar.gz, [..] bytes

"]]);
    let installed = sandbox.tree(".agents");
    let clone = sandbox.fresh_clone("clone");
    sandbox.copy("own", "../clone/own");
    sandbox.write(
        "../clone/.skillpm/config.toml",
        sandbox.read(".skillpm/config.toml"),
    );
    sandbox.copy(BUNDLE, "../renamed.gz");
    repo.delete();
    sandbox.delete("../www");
    sandbox.delete("../style");
    let far = || {
        sandbox
            .skillpm("install --frozen")
            .in_dir(&clone)
            .home("far")
    };
    far().exits_one_of([2, 4, 6]);
    sandbox
        .skillpm("import ../renamed.gz")
        .in_dir(&clone)
        .home("far")
        .exits(0)
        .stderr(str![[r"
    Imported acme/base 1.0.0
    Imported acme/report 2.1.0
    Imported pdf
    Imported style
    Finished 4 packages new in the store; `skillpm install --frozen` installs them

"]]);
    far().exits(0);
    assert_eq!(Listing::of(&clone.join(".agents")), installed);
    assert_eq!(
        std::fs::read_to_string(clone.join("skillpm.lock")).unwrap(),
        sandbox.read("skillpm.lock")
    );
    sandbox
        .skillpm("import ../renamed.gz")
        .in_dir(&clone)
        .home("far")
        .exits(0)
        .stderr(str![[r"
    Finished 0 packages new in the store, 4 already there; `skillpm install --frozen` installs them

"]]);
}

#[test]
fn same_lockfile_gives_the_same_bundle_everywhere() {
    let (sandbox, _) = world();
    sandbox.skillpm("export a.skillpm-bundle.tar.gz").exits(0);
    sandbox
        .skillpm("export a.skillpm-bundle.tar.gz")
        .exits(0)
        .stderr_has("Unchanged 4 packages");
    let bytes = |path: &str| std::fs::read(sandbox.path(path)).unwrap();
    sandbox.skillpm("export b.gz").home("elsewhere").exits(0);
    assert_eq!(bytes("a.skillpm-bundle.tar.gz"), bytes("b.gz"));
    sandbox.delete(".agents");
    sandbox.skillpm("vendor").exits(0);
    sandbox
        .skillpm("export c.gz --offline")
        .home("third")
        .exits(0);
    assert_eq!(bytes("a.skillpm-bundle.tar.gz"), bytes("c.gz"));
}

#[test]
fn import_changes_only_the_store() {
    let (sandbox, _) = world();
    sandbox.skillpm("bundle").exits(0);
    std::fs::create_dir(sandbox.path("../empty")).unwrap();
    let before = sandbox.snapshot();
    sandbox
        .skillpm(format!("import ../project/{BUNDLE}"))
        .in_dir("../empty")
        .home("far")
        .exits(0);
    assert!(Listing::of(&sandbox.path("../empty")).is_empty());
    sandbox
        .skillpm(format!("bundle --import {BUNDLE}"))
        .home("farther")
        .exits(0);
    before.still_holds();
    assert_eq!(sandbox.tree("../far/.skillpm").top(), ["store"]);
}

#[test]
fn json_lines_of_bundles_match_the_schema() {
    let (sandbox, _) = world();
    for (command, line) in [
        ("bundle", "bundle".to_owned()),
        ("bundle", format!("bundle --import {BUNDLE}")),
    ] {
        let mut schema: Value =
            serde_json::from_str(include_str!("../../docs/schemas/lines.schema.json")).unwrap();
        schema.as_object_mut().unwrap().remove("anyOf");
        schema["$ref"] = json!(format!("#/$defs/lines-of-{command}"));
        let schema = jsonschema::validator_for(&schema).unwrap();
        let lines = sandbox
            .skillpm(format!("{line} --format json"))
            .home("far")
            .exits(0)
            .stdout_json_lines();
        assert_eq!(lines.len(), 1);
        assert!(schema.is_valid(&lines[0]), "{}", lines[0]);
        assert!(lines[0]["packages"].is_array());
    }
}

#[test]
fn damaged_or_forged_bundle_adds_nothing_to_the_store() {
    let (sandbox, _) = world();
    sandbox.skillpm("bundle").exits(0);
    let bytes = std::fs::read(sandbox.path(BUNDLE)).unwrap();
    sandbox.write("cut.gz", &bytes[..bytes.len() - 100]);
    sandbox.copy(BUNDLE, "flipped.gz");
    flip_a_bit(&sandbox.path("flipped.gz"));
    sandbox.write(
        "link.gz",
        tar_gz_with_link(
            &[("skillpm-bundle.json", b"{\"v\":1}", 0o644)],
            "x",
            "/etc/passwd",
        ),
    );
    sandbox.write("trailing.gz", [&bytes[..], b"more"].concat());
    for file in ["cut.gz", "flipped.gz", "link.gz", "trailing.gz"] {
        sandbox
            .skillpm(format!("bundle --import {file}"))
            .home("far")
            .exits(3)
            .explains([file, "nothing was imported"]);
    }
    sandbox.write("text.gz", "hello\n");
    sandbox
        .skillpm("bundle --import text.gz")
        .home("far")
        .exits(2)
        .explains(["unsupported file `text.gz`: not a skillpm bundle"]);
    sandbox
        .skillpm("import none.gz")
        .home("far")
        .exits(2)
        .explains(["file `none.gz` not found"]);
    assert!(sandbox.tree("../far/.skillpm/store/sha256").is_empty());
}

#[test]
fn packages_missing_after_an_import_are_reported() {
    let (sandbox, repo) = world();
    sandbox.skillpm("bundle").exits(0);
    repo.skill("skills/csv", "Reads CSV.").commit("second");
    sandbox
        .skillpm(format!("add {} --skill csv", repo.url()))
        .exits(0);
    let told = sandbox
        .skillpm(format!("bundle --import {BUNDLE}"))
        .home("far")
        .exits(0);
    told.stderr_has("the bundle is for another lockfile; missing from the store: `csv`");
}

#[test]
fn export_refuses_outdated_lockfiles_and_existing_files() {
    let (sandbox, repo) = world();
    sandbox.write("notes.gz", "mine\n");
    sandbox
        .skillpm("export notes.gz")
        .exits(1)
        .explains(["refusing to overwrite `[ROOT]/project/notes.gz`: it is not a bundle"]);
    sandbox.reads("notes.gz", "mine\n");
    repo.skill("skills/csv", "Reads CSV.").commit("second");
    let text = sandbox.read("skillpm.toml");
    sandbox.write(
        "skillpm.toml",
        text.replace(
            "[dependencies]\n",
            &format!("[dependencies]\ncsv = {{ git = \"{}\" }}\n", repo.url()),
        ),
    );
    sandbox.skillpm("bundle").exits(1).explains([
        "`csv` would be added",
        "a bundle contains the locked packages",
    ]);
    sandbox.lacks([BUNDLE]);
}
