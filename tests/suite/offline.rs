//! `--offline`, with what earlier commands brought: what is known is used, and what cannot be known is said.

use snapbox::str;

use crate::support::{IndexDir, Repo, Sandbox, Server};

/// A project with `acme/pdf` of a registry and `csv` of a repository, both served by one server.
fn world() -> (Sandbox, Server, Repo) {
    let sandbox = Sandbox::project_here();
    let repo = Repo::new(&sandbox, "skills");
    repo.skill("skills/csv", "Reads CSV.")
        .skill("skills/xml", "Reads XML.")
        .commit("first")
        .tag("v1.0.0");
    let index = IndexDir::new(&sandbox, "../www/index");
    index
        .publish("acme/base", "1.0.0", &[])
        .publish("acme/pdf", "1.2.0", &["acme/base ^1"]);
    index.publish("acme/pdf", "1.3.0", &["acme/base ^1"]);
    let server = Server::start(&sandbox);
    IndexDir::configure(
        &sandbox,
        "acme",
        &format!("sparse+{}/", server.url("index")),
    );
    sandbox
        .skillpm("add acme/pdf@=1.2.0 --registry acme")
        .exits(0);
    sandbox
        .skillpm(format!(
            "add {} --skill csv --version ^1",
            server.url("skills")
        ))
        .exits(0);
    server.forget();
    (sandbox, server, repo)
}

#[test]
fn another_project_adds_cached_skills() {
    let (sandbox, server, _) = world();
    sandbox.write("../other/skillpm.toml", "[dependencies]\n");
    sandbox.write(
        "../other/.skillpm/config.toml",
        sandbox.read(".skillpm/config.toml"),
    );
    let offline = |line: String| sandbox.skillpm(line).in_dir("../other");
    offline("add acme/pdf@=1.2.0 --registry acme --offline".into()).exits(0);
    offline(format!(
        "add {} --skill csv --version ^1 --offline",
        server.url("skills")
    ))
    .exits(0);
    sandbox.has([
        "../other/.agents/skills/pdf/SKILL.md",
        "../other/.agents/skills/csv/SKILL.md",
    ]);
    // Its name is known, and its files were never brought.
    let before = crate::support::Listing::of(&sandbox.path("../other"));
    let lacking = offline(format!(
        "add {} --skill xml --version ^1 --offline",
        server.url("skills")
    ))
    .exits(4);
    lacking.stderr(str![[r"
error: cannot fetch a file of `[URL]/skills`: not cached, and network access is disabled (`--offline`)
help: run the command once without `--offline`

"]]);
    let lacking = offline("add acme/pdf@=1.3.0 --registry acme --offline".into()).exits(4);
    lacking.stderr(str![[r"
...
error: failed to fetch `acme/pdf 1.3.0`
caused by: cannot fetch `[URL]/index/archives/acme/pdf-1.3.0.tar.gz`: network access is disabled (`--offline`)
help: run the command again without `--offline`

"]]);
    assert!(crate::support::Listing::of(&sandbox.path("../other")) == before);
    assert_eq!(server.count(""), 0, "{:?}", server.requests());
}

#[test]
fn update_resolves_from_the_cache() {
    let (sandbox, server, repo) = world();
    repo.skill("skills/csv", "Reads CSV better.")
        .commit("second")
        .tag("v1.1.0");
    let before = sandbox.snapshot();
    sandbox
        .skillpm("update --offline")
        .exits(0)
        .stderr_has("Unchanged");
    before.still_holds();
    assert_eq!(server.count(""), 0, "{:?}", server.requests());
    sandbox.skillpm("update").exits(0).stderr_has("1.1.0");
}

#[test]
fn outdated_says_that_its_data_is_cached_or_missing() {
    let (sandbox, server, repo) = world();
    repo.skill("skills/csv", "Reads CSV better.")
        .commit("second")
        .tag("v1.1.0");
    let told = sandbox.skillpm("outdated --offline").exits(0);
    told.stdout_has("1.3.0")
        .stderr_has("as of the last time each source was fetched");
    assert!(
        !told.stdout_text().contains("csv"),
        "{}",
        told.stdout_text()
    );
    assert_eq!(server.count(""), 0, "{:?}", server.requests());
    let unknown = sandbox
        .skillpm("outdated --offline")
        .home("elsewhere")
        .exits(4);
    unknown.explains(["--offline"]);
}

#[test]
fn locked_packages_install_without_any_origin() {
    let (sandbox, _server, repo) = world();
    let installed = sandbox.tree(".agents");
    repo.delete();
    sandbox.delete("../www");
    for flags in ["--frozen", "--offline", "--locked"] {
        sandbox.delete(".agents");
        sandbox.skillpm(format!("install {flags}")).exits(0);
        assert_eq!(sandbox.tree(".agents"), installed);
    }
    sandbox.skillpm("verify --frozen").exits(0);
    sandbox.skillpm("tree --frozen").exits(0);
    sandbox.skillpm("why csv --frozen").exits(0);
}

#[test]
fn missing_path_source_is_restored_with_frozen() {
    let sandbox = Sandbox::project_here();
    sandbox.write(
        "../style/SKILL.md",
        crate::support::skill_md("style", "House style."),
    );
    sandbox.skillpm("add ../style").exits(0);
    let installed = sandbox.tree(".agents");
    sandbox.delete("../style");
    sandbox.delete(".agents");
    sandbox
        .skillpm("install")
        .exits(1)
        .explains(["directory `../style` not found"]);
    sandbox.skillpm("install --frozen").exits(0);
    assert_eq!(sandbox.tree(".agents"), installed);
    sandbox.delete(".agents");
    sandbox
        .skillpm("install --frozen")
        .home("elsewhere")
        .exits(1)
        .explains(["directory `../style` not found"]);
}
