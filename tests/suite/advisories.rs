//! Advisories: what an index says against versions, who is told, and who may pass over it; and versions that are revoked.

use std::fs;

use serde_json::{Value, json};
use snapbox::str;

use crate::support::{Fault, IndexDir, Registry, Sandbox, Server, published};

fn advisory(id: &str, affected: &Value) -> String {
    json!({
        "schema_version": "1.6.0",
        "id": id,
        "modified": "2026-11-20T08:00:00Z",
        "aliases": ["CVE-2026-77"],
        "summary": "sends what is filled in to a stranger",
        "affected": [affected],
        "references": [{"type": "ADVISORY", "url": "https://acme.dev/a/1"}],
        "database_specific": {"severity": "critical"},
    })
    .to_string()
}

fn before(name: &str, fixed: &str) -> Value {
    json!({
        "package": {"ecosystem": "skillpm", "name": name},
        "ranges": [{"type": "SEMVER", "events": [{"introduced": "0"}, {"fixed": fixed}]}],
    })
}

/// A project with `acme/form`, which needs `acme/pdf 1.2.0`, from a web server's index.
fn served(sandbox: &Sandbox) -> (Server, IndexDir) {
    let index = IndexDir::new(sandbox, "../www/index");
    index
        .publish("acme/pdf", "1.2.0", &[])
        .publish("acme/form", "1.0.0", &["acme/pdf ^1"]);
    let server = Server::start(sandbox);
    IndexDir::configure(sandbox, "acme", &format!("sparse+{}", server.url("index")));
    sandbox.skillpm("add acme/form --registry acme").exits(0);
    (server, index)
}

/// Gives the index an advisory, as whoever keeps it does.
fn advise(sandbox: &Sandbox, index: &IndexDir, id: &str, affected: &Value) {
    index.write(&format!("advisories/{id}.json"), advisory(id, affected));
    sandbox
        .skillpm(format!("registry advise {}", index.dir().display()))
        .exits(0);
}

const ID: &str = "SKSA-2026-0001";

#[test]
fn audit_reports_advisory_path_and_fixed_version() {
    let sandbox = Sandbox::project_here();
    let (_server, index) = served(&sandbox);
    sandbox.skillpm("audit").exits(0);
    advise(&sandbox, &index, ID, &before("acme/pdf", "1.2.1"));
    sandbox
        .skillpm("audit --format short")
        .exits(1).stdout(str![[r"
skillpm.lock:13:1: error SKSA-2026-0001, critical: `acme/pdf 1.2.0` has an advisory: sends what is filled in to a stranger

"]]).stderr_has("2 skills: 1 critical");
    let told = sandbox.skillpm("audit").exits(1);
    told.stdout(str![[r#"
error[SKSA-2026-0001]: `acme/pdf 1.2.0` has an advisory: sends what is filled in to a stranger
  --> skillpm.lock:13:1
   |
13 | name = "acme/pdf"
   | ^^^^^^^^^^^^^^^^^
   |
   = note: also known as CVE-2026-77
   = note: see https://acme.dev/a/1
   = note: reported by sparse+[URL]/index/
   = note: required by acme/form 1.0.0 → acme/pdf 1.2.0
   = help: `skillpm update pdf`: 1.2.1 is not affected


"#]]);
    let lines = sandbox
        .skillpm("audit --format json")
        .exits(1)
        .stdout_json_lines();
    assert_eq!(
        (&lines[0]["rule"], &lines[0]["path"]),
        (&json!(ID), &json!("skillpm.lock"))
    );
    let noticed = lines
        .iter()
        .find(|line| line["type"] == "advisory")
        .unwrap();
    assert_eq!(
        (&noticed["fixed"], &noticed["version"]),
        (&json!("1.2.1"), &json!("1.2.0"))
    );
    assert_eq!(
        noticed["paths"],
        json!([["acme/form 1.0.0", "acme/pdf 1.2.0"]])
    );
    sandbox
        .skillpm("audit --format sarif")
        .exits(1)
        .stdout_has("\"ruleId\":\"SKSA-2026-0001\"");
    sandbox.skillpm("audit form").exits(0);

    index.publish("acme/pdf", "1.2.1", &[]);
    sandbox.skillpm("update pdf").exits(0).never_prints("SKSA");
    sandbox.skillpm("audit").exits(0).stdout("");
}

#[test]
fn cached_advisories_are_used_while_the_index_is_unreachable() {
    let sandbox = Sandbox::project_here();
    let (server, index) = served(&sandbox);
    advise(&sandbox, &index, ID, &before("acme/pdf", "1.2.1"));
    sandbox
        .skillpm("audit --offline")
        .exits(0)
        .never_prints("advisories");
    sandbox.delete("~/.skillpm/index");
    sandbox
        .skillpm("audit --offline")
        .exits(0)
        .stderr_has("and no copy is cached");
    server.forget();
    sandbox.skillpm("audit").exits(1);
    assert_eq!(server.count("/advisories/all.json"), 1);
    server.forget();
    sandbox.skillpm("audit").exits(1);
    let again = server.requests();
    assert!(
        again
            .iter()
            .all(|request| (request.status, request.sent) == (304, 0)),
        "{again:?}"
    );
    server.forget();
    sandbox.skillpm("audit --offline").exits(1).stdout_has(ID);
    assert_eq!(server.requests().len(), 0);
    server.fault("/advisories/all.json", Fault::Status(503));
    sandbox
        .skillpm("audit")
        .exits(1)
        .stderr_has("using the cached copy");
    fs::write(index.dir().join("advisories/all.json"), "[]").unwrap();
    server.heal();
    sandbox
        .skillpm("audit")
        .exits(3).stderr(str![[r"
    Fetching index [URL]/index/
error: failed to parse advisories `advisories/all.json` of `sparse+[URL]/index/`: failed to parse: invalid length 0, expected struct PackHeader with 1 element at line 1 column 2
help: nothing was installed; report it to the author, and use another version or source until it is fixed

"]]);
}

#[test]
fn index_without_advisories_gets_no_request_for_them() {
    let sandbox = Sandbox::project_here();
    let (server, _index) = served(&sandbox);
    server.forget();
    sandbox
        .skillpm("audit")
        .exits(0)
        .stdout("")
        .stderr_has("no findings");
    assert_eq!(server.count("/advisories/"), 0);
}

#[test]
fn advisory_is_ignored_by_id_or_alias() {
    let sandbox = Sandbox::project_here();
    let (_server, index) = served(&sandbox);
    advise(&sandbox, &index, ID, &before("acme/pdf", "1.2.1"));
    let manifest = sandbox.read("skillpm.toml");
    for key in ["id = \"SKSA-2026-0001\"", "rule = \"CVE-2026-77\""] {
        sandbox.write(
            "skillpm.toml",
            format!("{manifest}\n[audit]\nignore = [{{ {key}, reason = \"read\" }}]\n"),
        );
        let lines = sandbox
            .skillpm("audit --format json")
            .exits(0)
            .stdout_json_lines();
        assert_eq!((lines.len(), &lines[0]["ignored"]), (1, &json!(1)), "{key}");
    }
    sandbox.write(
        "skillpm.toml",
        format!("{manifest}\n[audit]\nignore = [{{ id = \"nonsense\", reason = \"x\" }}]\n"),
    );
    sandbox.skillpm("audit").exits(2);
}

#[test]
fn add_and_update_warn_about_advisories() {
    let sandbox = Sandbox::project_here();
    let (_server, index) = served(&sandbox);
    advise(&sandbox, &index, ID, &before("acme/pdf", "2.0.0"));
    sandbox.skillpm("install").exits(0).never_prints("SKSA");
    index.publish("acme/pdf", "1.3.0", &[]);
    let warning = "SKSA-2026-0001, critical: `acme/pdf 1.3.0` has an advisory";
    sandbox.skillpm("update pdf").exits(0).stderr_has(warning);
    sandbox.delete(".agents");
    sandbox.delete(".skillpm/state.json");
    sandbox
        .skillpm("install --offline")
        .exits(0)
        .stderr_has(warning);
}

#[test]
fn advisory_database_is_a_directory_or_repository_and_matches_files() {
    let sandbox = Sandbox::project_here();
    sandbox.write_skill("mine/form", "Fill forms.");
    sandbox.skillpm("add ./mine/form").exits(0);
    let checksum = sandbox.locked("form", "checksum");
    let affected = json!({"package": {"ecosystem": "skillpm", "name": "x"}, "versions": ["1.0.0"],
        "ecosystem_specific": {"checksums": [checksum]}});
    sandbox.write(
        "known/SKSA-2026-0007.json",
        advisory("SKSA-2026-0007", &affected),
    );
    let manifest = sandbox.read("skillpm.toml");
    sandbox.write(
        "skillpm.toml",
        format!("{manifest}\n[audit]\ndatabases = [\"known\"]\n"),
    );
    sandbox.skillpm("audit").exits(1).stdout(str![[r#"
error[SKSA-2026-0007]: `form` has an advisory: sends what is filled in to a stranger
 --> skillpm.lock:5:1
  |
5 | name = "form"
  | ^^^^^^^^^^^^^
  |
  = note: the advisory names exactly these files
  = note: also known as CVE-2026-77
  = note: see https://acme.dev/a/1
  = note: reported by known
  = help: no fixed version is available: `skillpm remove form`


"#]]);
    sandbox.write(
        ".agents/skills/again/SKILL.md",
        sandbox.read(".agents/skills/form/SKILL.md"),
    );
    sandbox
        .skillpm("audit again")
        .exits(1)
        .stdout_has("SKSA-2026-0007")
        .stdout_has("remove `.agents/skills/again`");

    let repo = crate::support::Repo::new(&sandbox, "known-repo");
    repo.write(
        "advisories/SKSA-2026-0007.json",
        advisory("SKSA-2026-0007", &affected),
    )
    .commit("one");
    let url = format!("git+{}", repo.url());
    sandbox.write(
        "skillpm.toml",
        format!("{manifest}\n[audit]\ndatabases = [\"{url}\"]\n"),
    );
    sandbox
        .skillpm("audit form")
        .exits(1)
        .stdout_has("reported by ")
        .stdout_has("/repos/known-repo");
    sandbox.write(
        "skillpm.toml",
        format!("{manifest}\n[audit]\ndatabases = [\"nowhere\"]\n"),
    );
    sandbox
        .skillpm("audit form")
        .exits(2)
        .explains(["`databases` under `[audit]` lists `nowhere`"]);
}

#[test]
fn invalid_advisory_is_refused_by_build_and_check() {
    let sandbox = Sandbox::new();
    sandbox
        .skillpm("registry new index --owner keeper@x.dev")
        .exits(0);
    sandbox.skillpm("registry check index").exits(0);
    sandbox.write(
        "index/advisories/SKSA-2026-0002.json",
        advisory(ID, &before("acme/pdf", "one")),
    );
    let snapshot = sandbox.snapshot();
    let wrong = "advisories/SKSA-2026-0002.json: error: affected[0].ranges[0]: invalid version `one` in `fixed`";
    sandbox
        .skillpm("registry advise index")
        .exits(1)
        .stdout_has(wrong)
        .stderr_has("nothing was written");
    sandbox
        .skillpm("registry check index")
        .exits(1)
        .stdout_has(wrong);
    snapshot.still_holds();
    sandbox.write(
        "index/advisories/SKSA-2026-0002.json",
        advisory(ID, &before("acme/pdf", "1.0.0")),
    );
    sandbox
        .skillpm("registry advise index")
        .exits(1)
        .stdout_has("it must be `advisories/SKSA-2026-0001.json`");
    sandbox.delete("index/advisories/SKSA-2026-0002.json");
    sandbox.write(
        "index/advisories/SKSA-2026-0001.json",
        advisory(ID, &before("acme/pdf", "1.0.0")),
    );
    sandbox
        .skillpm("registry check index")
        .exits(1)
        .stdout_has("packed advisories differ from the files in the directory");
    sandbox
        .skillpm("registry advise index")
        .exits(0)
        .stderr("       Wrote advisories/all.json, config.json: 1 advisory\n");
    sandbox
        .skillpm("registry advise index")
        .exits(0)
        .stderr("   Unchanged 1 advisory\n");
    sandbox.skillpm("registry check index").exits(0);
    let said = sandbox
        .skillpm("registry advise index --format json")
        .exits(0)
        .stdout_json();
    assert_eq!(
        (&said["advisories"], &said["written"]),
        (&json!(1), &json!([]))
    );
}

/// A registry with `acme/pdf` 1.0.0 and 1.1.0, and a project `user` that has the newer one.
fn in_use() -> (Sandbox, Registry) {
    let (sandbox, registry) = published();
    sandbox.write(
        "user/skillpm.toml",
        "[dependencies]\n\"acme/pdf\" = \"^1\"\n",
    );
    sandbox.skillpm("install").in_dir("user").exits(0);
    (sandbox, registry)
}

/// As another machine has it: only the committed files.
fn forget(sandbox: &Sandbox) {
    sandbox.delete("user/.agents");
    sandbox.delete("user/.skillpm");
}

#[test]
fn revoked_version_is_refused_even_if_locked() {
    let (sandbox, registry) = in_use();
    sandbox
        .skillpm("yank acme/pdf@1.1.0 --revoke --reason \"sends forms to a third party\"")
        .exits(0)
        .stderr("     Revoked acme/pdf 1.1.0 in acme\n");
    let line = registry
        .text("acme/3/p/pdf")
        .lines()
        .last()
        .unwrap()
        .to_owned();
    assert!(
        line.contains(
            "\"yanked\":true,\"revoked\":\"sends forms to a third party\",\"description\""
        ),
        "{line}"
    );

    forget(&sandbox);
    sandbox.delete("~/.skillpm/store");
    sandbox
        .skillpm("install --locked")
        .in_dir("user")
        .exits(3)
        .stderr(str![[r"
warning: package `acme/pdf 1.1.0` in the lockfile was yanked by its owners
help: run `skillpm update pdf` to select another version
    Fetching acme/pdf 1.1.0
error: refusing to install `acme/pdf 1.1.0`, which was revoked: sends forms to a third party
  revoked by registry `git+file://[ROOT]/repos/index.git`
help: nothing was installed; to lock another version, run `skillpm update pdf`
help: to install it anyway, pass `--allow-revoked`

"]]);
    sandbox.lacks(["user/.agents/skills/pdf"]);
    // The copy of the index is there now, and the tree in the store: without asking anybody it is refused, too.
    sandbox.skillpm("install --offline").in_dir("user").exits(3);
    sandbox
        .skillpm("install --allow-revoked")
        .in_dir("user")
        .exits(0)
        .stderr_has("was revoked");
    sandbox.has(["user/.agents/skills/pdf/SKILL.md"]);
    for command in ["verify", "audit"] {
        let told = sandbox.skillpm(command).in_dir("user").exits(1);
        told.prints("`acme/pdf 1.1.0` was revoked")
            .prints("sends forms to a third party");
    }
    sandbox
        .skillpm("doctor")
        .in_dir("user")
        .exits(1)
        .prints("`acme/pdf 1.1.0` was revoked by its registry");
    sandbox
        .skillpm("status")
        .in_dir("user")
        .exits(0)
        .stdout_has("Revoked  pdf 1.1.0: sends forms to a third party\n")
        .stdout_has("skillpm update pdf");
    sandbox.skillpm("update").in_dir("user").exits(0);
    sandbox.skillpm("verify").in_dir("user").exits(0);
    assert!(
        sandbox
            .read("user/skillpm.lock")
            .contains("version = \"1.0.0\"")
    );
}

#[test]
fn revoked_version_cannot_be_allowed_by_a_file() {
    let (sandbox, _registry) = in_use();
    sandbox.skillpm("yank acme/pdf@1.1.0 --revoke").exits(0);
    forget(&sandbox);
    sandbox.delete("~/.skillpm/store");
    sandbox.write(
        "user/.skillpm/config.toml",
        "[policy]\nallow-revoked = true\n",
    );
    sandbox.skillpm("install").in_dir("user").exits(2);
    sandbox.delete("user/.skillpm");
    sandbox
        .skillpm("config set policy.allow-revoked true")
        .exits(0);
    sandbox
        .skillpm("install")
        .in_dir("user")
        .exits(3)
        .explains(["was revoked: its owners revoked it"]);
}

#[test]
fn installed_revoked_version_stops_no_other_command() {
    let (sandbox, _registry) = in_use();
    sandbox.write_skill("user/own", "Mine.");
    sandbox.skillpm("yank acme/pdf@1.1.0 --revoke").exits(0);
    sandbox.skillpm("audit").in_dir("user").exits(1);
    sandbox
        .skillpm("add ./own")
        .in_dir("user")
        .exits(0)
        .stderr_has("installed package `acme/pdf 1.1.0` was revoked");
    sandbox.skillpm("remove pdf").in_dir("user").exits(0);
    sandbox.skillpm("verify").in_dir("user").exits(0);
}

#[test]
fn install_without_changes_reports_cached_revocations() {
    let (sandbox, registry) = in_use();
    // On another machine: the one that revokes a version knows it.
    let config = sandbox.read("~/.skillpm/config.toml");
    sandbox.write("../owner/.skillpm/config.toml", config);
    sandbox
        .skillpm("yank acme/pdf@1.1.0 --revoke --reason bad")
        .home("owner")
        .exits(0);
    // Nobody has asked since.
    sandbox
        .skillpm("install")
        .in_dir("user")
        .exits(0)
        .never_prints("revoked");
    sandbox.skillpm("audit").in_dir("user").exits(1);
    let told = "warning: installed package `acme/pdf 1.1.0` was revoked: bad";
    // Whether the index can be reached counts for nothing.
    let (there, gone) = (
        registry.path().to_owned(),
        registry.path().with_extension("gone"),
    );
    std::fs::rename(&there, &gone).unwrap();
    sandbox
        .skillpm("install")
        .in_dir("user")
        .exits(0)
        .stderr_has(told);
    sandbox
        .skillpm("install --locked")
        .in_dir("user")
        .exits(0)
        .stderr_has(told);
    std::fs::rename(&gone, &there).unwrap();
    // Taken back, it is let through again by whoever has asked.
    sandbox
        .skillpm("yank acme/pdf@1.1.0 --revoke --undo")
        .home("owner")
        .exits(0);
    sandbox
        .skillpm("install")
        .in_dir("user")
        .exits(0)
        .stderr_has(told);
    sandbox.skillpm("audit").in_dir("user").exits(0);
    sandbox
        .skillpm("install")
        .in_dir("user")
        .exits(0)
        .never_prints("revoked");
    forget(&sandbox);
    sandbox
        .skillpm("install --locked")
        .in_dir("user")
        .exits(0)
        .never_prints("revoked");
    sandbox.has(["user/.agents/skills/pdf/SKILL.md"]);
}

#[test]
fn yank_undo_does_not_undo_a_revocation() {
    let (sandbox, registry) = in_use();
    let before = registry.text("acme/3/p/pdf");
    sandbox
        .skillpm("yank acme/pdf@1.1.0 --revoke --reason bad")
        .exits(0);
    sandbox
        .skillpm("yank acme/pdf@1.1.0 --undo")
        .exits(1)
        .stderr(str![[r"
error: cannot unyank `acme/pdf 1.1.0`, which is revoked: bad
help: to undo the revocation, run `skillpm yank acme/pdf@1.1.0 --revoke --undo`

"]]);
    let said = sandbox
        .skillpm("yank acme/pdf@1.1.0 --revoke --reason bad --format json")
        .exits(0)
        .stdout_json();
    assert_eq!(
        (&said["type"], &said["changed"]),
        (&json!("revoked"), &json!(false))
    );
    sandbox
        .skillpm("yank acme/pdf@1.1.0 --revoke --undo")
        .exits(0)
        .stderr("   Unrevoked acme/pdf 1.1.0 in acme\n");
    assert_eq!(registry.text("acme/3/p/pdf"), before);
    sandbox.skillpm("yank acme/pdf@1.1.0 --reason bad").exits(2);
}
