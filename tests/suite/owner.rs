//! `owner`: who may publish.

use crate::support::{Registry, Sandbox, package};

fn published(name: &str) -> (Sandbox, Registry) {
    let sandbox = Sandbox::new();
    let registry = Registry::bare(&sandbox, "index.git");
    registry.configure(&sandbox);
    package(&sandbox, name, "1.0.0");
    sandbox.skillpm("publish pdf").exits(0);
    (sandbox, registry)
}

#[test]
fn first_publisher_owns_a_scope_and_manages_owners() {
    let (sandbox, registry) = published("acme/pdf");
    sandbox
        .skillpm("owner list acme/pdf")
        .exits(0)
        .stdout("tester@example.org\n");
    sandbox
        .skillpm("owner add acme/ ann@x.dev github:ann")
        .exits(0)
        .stderr("       Added ann@x.dev, github:ann to the owners of acme/ in acme\n");
    assert_eq!(
        registry.text("owners/acme.toml"),
        "owners = [\"tester@example.org\", \"ann@x.dev\", \"github:ann\"]\n"
    );
    package(&sandbox, "acme/csv", "1.0.0");
    sandbox
        .skillpm("publish csv --config registry.identity=github:ann")
        .exits(0);
    sandbox.skillpm("owner remove acme/pdf github:ann").exits(0);
    sandbox
        .skillpm("owner list acme/")
        .exits(0)
        .stdout("tester@example.org\nann@x.dev\n");
    sandbox
        .skillpm("owner add acme/ ann@x.dev")
        .exits(0)
        .stderr_has("Unchanged");
    assert_eq!(
        registry.git(&["log", "-1", "--format=%s", "main"]),
        "remove owner of acme/: github:ann"
    );
}

#[test]
fn unscoped_name_has_its_own_owners() {
    let (sandbox, registry) = published("pdf");
    assert_eq!(
        registry.text("owners/_.toml"),
        "[packages]\npdf = [\"tester@example.org\"]\n"
    );
    sandbox.skillpm("owner add pdf ann@x.dev").exits(0);
    sandbox.skillpm("owner list pdf --format json").exits(0).stdout(
        "{\"type\":\"owners\",\"name\":\"pdf\",\"registry\":\"acme\",\"owners\":[\"tester@example.org\",\"ann@x.dev\"]}\n",
    );
    package(&sandbox, "csv", "1.0.0");
    sandbox
        .skillpm("publish csv --config registry.identity=eve@x.dev")
        .exits(0);
    sandbox
        .skillpm("owner list _")
        .exits(1)
        .explains(["no owners of `_` found"]);
}

#[test]
fn others_change_nothing_and_the_last_owner_stays() {
    let (sandbox, registry) = published("acme/pdf");
    let before = registry.text("owners/acme.toml");
    sandbox
        .skillpm("owner add acme/ eve@x.dev --config registry.identity=eve@x.dev")
        .exits(1)
        .explains(["refusing to change the owners of `acme/`: it belongs to `tester@example.org`, not to `eve@x.dev`"]);
    sandbox
        .skillpm("owner remove acme/ tester@example.org")
        .exits(1)
        .explains(["cannot remove the last owner"]);
    sandbox
        .skillpm("owner remove acme/ eve@x.dev")
        .exits(1)
        .explains(["`eve@x.dev` not found among the owners"]);
    sandbox
        .skillpm("owner add acme/ 'eve\u{1b}[31m'")
        .exits(2)
        .never_prints("\u{1b}");
    sandbox
        .skillpm("owner list nobody/pdf")
        .exits(1)
        .explains(["no owners of `nobody/` found"]);
    assert_eq!(registry.text("owners/acme.toml"), before);
}
