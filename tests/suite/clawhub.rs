//! Skills of ClawHub, from a server on loopback with its public API.

use serde_json::json;
use snapbox::str;

use crate::support::{ClawHub, Fault, Sandbox, Server, skill_md};

/// A project and a server with one skill in three versions.
fn world() -> (Sandbox, ClawHub) {
    let sandbox = Sandbox::project_here();
    let hub = ClawHub::start(&sandbox);
    hub.publish("acme/pdf", "1.0.0", "First.");
    hub.publish("acme/pdf", "1.1.0", "Second.");
    hub.publish("acme/pdf", "2.0.0", "Third.");
    (sandbox, hub)
}

#[test]
fn newest_version_is_added_with_its_owner() {
    let (sandbox, hub) = world();
    sandbox
        .skillpm("add clawhub:pdf")
        .exits(0)
        .stderr_has("pdf 2.0.0");
    sandbox.reads(
        "skillpm.toml",
        "[dependencies]\npdf = { clawhub = \"acme/pdf\", version = \"^2.0\" }\n",
    );
    // Without the file that the server puts into its zips.
    sandbox.reads(".agents/skills/pdf/SKILL.md", &skill_md("pdf", "Third."));
    sandbox.lacks([".agents/skills/pdf/_meta.json"]);
    assert_eq!(
        sandbox.locked("acme/pdf", "source"),
        format!("clawhub+{}", hub.url())
    );
    assert_eq!(sandbox.locked("acme/pdf", "version"), "2.0.0");
    sandbox.skillpm("verify").exits(0);
    sandbox.skillpm("install").exits(0).stderr_has("Unchanged");
}

#[test]
fn archive_is_downloaded_once_in_a_command() {
    let downloads = "/api/v1/download";
    let (sandbox, hub) = world();
    // Without its owner, which is looked up.
    sandbox.skillpm("add clawhub:pdf").exits(0);
    assert_eq!(hub.server().count(downloads), 1);

    // Two names of one version, whose installed files differ.
    sandbox.write(
        "skillpm.toml",
        "[dependencies]\npdf = { clawhub = \"acme/pdf\", version = \"^2.0\" }\n\
         reader = { clawhub = \"acme/pdf\", version = \"^2.0\" }\n",
    );
    hub.server().forget();
    sandbox.skillpm("update").exits(0);
    assert_eq!(hub.server().count(downloads), 1);
    let clone = sandbox.fresh_clone("clone");
    hub.server().forget();
    sandbox
        .skillpm("install --locked")
        .in_dir(&clone)
        .home("other")
        .env("CLAWHUB_REGISTRY", hub.url())
        .exits(0);
    assert_eq!(hub.server().count(downloads), 1);

    hub.publish("acme/pdf", "2.1.0", "Fourth.");
    hub.server().forget();
    sandbox.skillpm("update").exits(0);
    assert_eq!(hub.server().count(downloads), 1);
}

#[test]
fn version_may_be_exact_or_a_range() {
    for (spec, written, version) in [
        ("clawhub:acme/pdf@=1.0.0", "=1.0.0", "1.0.0"),
        ("clawhub:acme/pdf@^1", "^1", "1.1.0"),
        ("clawhub:@acme/pdf@1.0", "^1.0", "1.1.0"),
    ] {
        let (sandbox, _hub) = world();
        sandbox.skillpm(format!("add {spec}")).exits(0);
        assert!(
            sandbox
                .read("skillpm.toml")
                .contains(&format!("version = \"{written}\"")),
            "{}",
            sandbox.read("skillpm.toml")
        );
        assert_eq!(sandbox.locked("acme/pdf", "version"), version);
    }
    let (sandbox, _hub) = world();
    let before = sandbox.snapshot();
    sandbox
        .skillpm("add clawhub:acme/pdf@^3")
        .exits(1)
        .explains(["^3", "2.0.0"]);
    before.still_holds();
}

#[test]
fn every_command_knows_the_source() {
    let (sandbox, hub) = world();
    sandbox.skillpm("add clawhub:acme/pdf@^1.0").exits(0);
    hub.publish("acme/pdf", "1.2.0", "Fourth.");

    sandbox.skillpm("outdated").exits(0).stdout_has("1.2.0");
    sandbox
        .skillpm("info clawhub:pdf")
        .exits(0)
        .stdout_has("acme/pdf");
    sandbox.skillpm("why pdf").exits(0).stdout_has("pdf");
    sandbox.skillpm("list").exits(0).stdout_has("1.1.0");
    sandbox.skillpm("update").exits(0).stderr_has("1.1.0");
    assert_eq!(sandbox.locked("acme/pdf", "version"), "1.2.0");
    sandbox.skillpm("undo").exits(0);
    assert_eq!(sandbox.locked("acme/pdf", "version"), "1.1.0");

    sandbox.skillpm("update pdf --precise 1.0.0").exits(0);
    assert_eq!(sandbox.locked("acme/pdf", "version"), "1.0.0");
    sandbox.write(".agents/skills/pdf/SKILL.md", skill_md("pdf", "Mine."));
    sandbox.skillpm("diff pdf").exits(0).stdout_has("Mine.");
    sandbox.skillpm("patch pdf").exits(0);
    sandbox
        .skillpm("sbom")
        .exits(0)
        .stdout_has("pkg:generic/acme/pdf@1.0.0");

    sandbox.skillpm("remove --source clawhub:pdf").exits(0);
    sandbox.reads("skillpm.toml", "[dependencies]\n");
    sandbox.lacks([".agents/skills/pdf"]);
}

#[test]
fn locked_version_is_installed_from_the_server_and_checked() {
    let (sandbox, hub) = world();
    sandbox.skillpm("add clawhub:acme/pdf@^1").exits(0);
    let clone = sandbox.fresh_clone("clone");

    // Another machine, whose store is empty.
    sandbox
        .skillpm("install --locked")
        .in_dir(&clone)
        .home("other")
        .env("CLAWHUB_REGISTRY", hub.url())
        .exits(0);

    // The same version has other bytes now.
    hub.publish("acme/pdf", "1.1.0", "Changed.");
    let clone = sandbox.fresh_clone("third");
    sandbox
        .skillpm("install --locked")
        .in_dir(&clone)
        .home("third-home")
        .env("CLAWHUB_REGISTRY", hub.url())
        .exits(3)
        .explains(["checksum mismatch", "pdf"]);
    assert!(!clone.join(".agents/skills/pdf").exists());
}

#[test]
fn changed_version_is_refused_by_update_as_well() {
    let (sandbox, hub) = world();
    sandbox.skillpm("add clawhub:acme/pdf@=1.1.0").exits(0);
    hub.publish("acme/pdf", "1.1.0", "Changed.");
    let before = sandbox.snapshot();
    sandbox
        .skillpm("update")
        .exits(3)
        .explains(["checksum of", "changed in ClawHub"]);
    before.still_holds();
}

#[test]
fn offline_the_store_is_enough() {
    let (sandbox, hub) = world();
    sandbox.skillpm("add clawhub:acme/pdf").exits(0);
    sandbox.delete(".agents/skills/pdf");
    hub.server().forget();
    sandbox.skillpm("install --offline").exits(0);
    sandbox.has([".agents/skills/pdf/SKILL.md"]);
    assert_eq!(hub.server().requests().len(), 0);
    sandbox
        .skillpm("add clawhub:acme/other --offline")
        .exits(4)
        .explains(["network access is disabled"]);
}

#[test]
fn vendored_skill_needs_no_server() {
    let (sandbox, hub) = world();
    sandbox.skillpm("add clawhub:acme/pdf").exits(0);
    sandbox.skillpm("vendor").exits(0);
    hub.server().forget();
    sandbox.delete(".agents/skills/pdf");
    // The address is part of what the lockfile has.
    sandbox
        .skillpm("install --locked")
        .home("other")
        .env("CLAWHUB_REGISTRY", hub.url())
        .exits(0);
    sandbox.has([".agents/skills/pdf/SKILL.md"]);
    assert_eq!(hub.server().requests().len(), 0);
}

#[test]
fn renamed_skill_is_followed_if_its_owner_is_known() {
    let (sandbox, hub) = world();
    sandbox.skillpm("add clawhub:acme/pdf@^1.0").exits(0);
    hub.rename("pdf", "pdf-tools");
    hub.publish("acme/pdf-tools", "1.2.0", "Renamed.");
    sandbox
        .skillpm("update")
        .exits(0)
        .stderr_has("was renamed to `pdf-tools`");
    assert_eq!(sandbox.locked("acme/pdf", "version"), "1.2.0");

    // Without an owner it could be any skill.
    let before = sandbox.snapshot();
    sandbox
        .skillpm("add clawhub:pdf --as pdf2")
        .exits(3)
        .explains([
            "answered for skill `pdf` with skill `pdf-tools`",
            "skillpm add clawhub:acme/pdf-tools",
        ]);
    before.still_holds();
}

#[test]
fn skill_of_another_owner_is_refused() {
    let (sandbox, hub) = world();
    sandbox.skillpm("add clawhub:acme/pdf@^1").exits(0);
    // The slug was given up, and taken by another.
    hub.publish("mallory/pdf", "1.9.0", "Mine now.");
    let before = sandbox.snapshot();
    sandbox
        .skillpm("update")
        .exits(3)
        .explains(["belongs to `mallory`, not to `acme`"]);
    before.still_holds();
}

#[test]
fn blocked_deleted_and_unknown_skills_are_clear_errors() {
    let (sandbox, hub) = world();
    let before = sandbox.snapshot();
    sandbox
        .skillpm("add clawhub:acme/nothing")
        .exits(1)
        .explains(["skill `acme/nothing` not found in ClawHub"]);

    let blocked = (
        403,
        "text/plain",
        b"Blocked: malicious\n<script>\x1b[31m".to_vec(),
    );
    hub.publish_download("acme/evil", "1.0.0", blocked);
    sandbox
        .skillpm("add clawhub:acme/evil")
        .exits(3)
        .stderr(str![[r"
    Fetching clawhub:acme/evil
    Fetching clawhub:acme/evil@1.0.0
error: refusing `clawhub:acme/evil@1.0.0`: ClawHub blocks it
caused by: Blocked: malicious
help: nothing was installed; report it to the author, and use another version or source until it is fixed

"]]);

    hub.publish("acme/bad", "1.0.0", "Bad.");
    hub.moderate("bad", json!({"isMalwareBlocked": true}));
    sandbox
        .skillpm("add clawhub:acme/bad")
        .exits(3)
        .explains(["ClawHub blocks it as malware"]);
    before.still_holds();

    hub.moderate("bad", json!({"isSuspicious": true}));
    sandbox
        .skillpm("add clawhub:acme/bad")
        .exits(0)
        .stderr_has("ClawHub flags skill `acme/bad` as suspicious");
}

#[test]
fn deleted_version_is_passed_over() {
    let (sandbox, hub) = world();
    let gone = || (410, "text/plain", b"Version deleted".to_vec());
    hub.publish_download("acme/pdf", "1.1.0", gone());
    sandbox.skillpm("add clawhub:acme/pdf@^1").exits(0);
    assert_eq!(sandbox.locked("acme/pdf", "version"), "1.0.0");

    hub.publish_download("acme/pdf", "1.0.0", gone());
    sandbox
        .skillpm("install --locked")
        .in_dir(sandbox.fresh_clone("clone"))
        .home("other")
        .env("CLAWHUB_REGISTRY", hub.url())
        .exits(1)
        .explains(["was deleted from ClawHub", "skillpm update pdf"]);
    // The list has none of them any more.
    hub.remove("pdf", "1.0.0");
    hub.remove("pdf", "1.1.0");
    sandbox.skillpm("update").exits(1).explains(["pdf", "^1"]);
}

#[test]
fn busy_server_is_asked_again() {
    let (sandbox, hub) = world();
    hub.server()
        .fault_times("/api/v1/skills/pdf", Fault::RetryAfter(429, 0), 1);
    hub.server()
        .fault_times("/api/v1/download", Fault::RetryAfter(429, 0), 1);
    sandbox.skillpm("add clawhub:acme/pdf").exits(0);
    assert_eq!(hub.server().count("/api/v1/download"), 2);

    hub.server()
        .fault("/api/v1/skills/late", Fault::RetryAfter(429, 3600));
    sandbox
        .skillpm("add clawhub:acme/late")
        .exits(4)
        .explains(["429", "it asks to wait for"]);
}

#[test]
fn token_is_sent_to_a_server_that_requires_one() {
    const TOKEN: &str = "CANARY-7f3a91c2";
    let (sandbox, hub) = world();
    hub.publish("acme/style", "1.0.0", "House style.");
    hub.server().require_token(TOKEN);
    sandbox
        .skillpm("add clawhub:acme/style")
        .exits(4)
        .stderr(str![[r"
    Fetching clawhub:acme/style
error: failed to fetch skill `acme/style`: the server requires authentication, or rejected the token
caused by: who are you?
help: run `skillpm login --registry clawhub` to store a token for `clawhub.url`

"]]);

    let named = sandbox.skillpm("add clawhub:acme/style --dry-run");
    named
        .env("SKILLPM_REGISTRIES_CLAWHUB_TOKEN", TOKEN)
        .exits(0)
        .never_prints(TOKEN);

    sandbox
        .skillpm("login --registry clawhub")
        .stdin(TOKEN)
        .exits(0);
    sandbox
        .skillpm("add clawhub:acme/style")
        .exits(0)
        .never_prints(TOKEN);
    sandbox.has([".agents/skills/style/SKILL.md"]);

    // It belongs to this server, and not to the name.
    let other = crate::support::Server::start(&sandbox);
    sandbox
        .skillpm(format!(
            "add clawhub:acme/other --config clawhub.url={}",
            other.url("")
        ))
        .exits_one_of([1, 4]);
    assert!(
        other
            .requests()
            .iter()
            .all(|request| !request.headers.contains_key("authorization"))
    );
    sandbox.skillpm("logout --registry clawhub").exits(0);
    sandbox.skillpm("update").exits(4);
}

#[test]
fn redirect_to_another_host_is_refused() {
    let (sandbox, hub) = world();
    let other = Server::start(&sandbox);
    let before = sandbox.snapshot();
    for path in ["/api/v1/skills/pdf", "/api/v1/download"] {
        hub.server().fault(
            path,
            Fault::Redirect(other.url("").trim_end_matches('/').to_owned()),
        );
        sandbox.skillpm("add clawhub:acme/pdf").exits(4).explains([
            "refusing to follow the redirect",
            "may not redirect to another server",
        ]);
        hub.server().heal();
    }
    assert_eq!(other.requests().len(), 0);
    before.still_holds();
}

#[test]
fn hostile_archives_are_refused() {
    let (sandbox, hub) = world();
    let text = skill_md("evil", "Evil.");
    let page = ("SKILL.md", text.as_bytes(), 0o644);
    hub.publish_files("acme/evil", "1.0.0", &[page, ("../up.md", b"x", 0o644)]);
    let before = sandbox.snapshot();
    sandbox
        .skillpm("add clawhub:acme/evil")
        .exits(3)
        .explains(["failed to unpack `clawhub:acme/evil@1.0.0`", ".."]);

    hub.publish_files(
        "acme/other",
        "1.0.0",
        &[
            page,
            (
                "_meta.json",
                br#"{"ownerId":"x","slug":"other","version":"0.1.0","publishedAt":1}"#,
                0o644,
            ),
        ],
    );
    sandbox
        .skillpm("add clawhub:acme/other")
        .exits(3)
        .explains(["it is another version", "0.1.0"]);

    let big = vec![b' '; 5 << 20];
    hub.publish_download(
        "acme/big",
        "1.0.0",
        (200, "application/zip", vec![0; 33 << 20]),
    );
    sandbox
        .skillpm("add clawhub:acme/big")
        .exits(4)
        .explains(["larger than the limit"]);
    hub.server().handle(std::sync::Arc::new(move |_, _| {
        Some((200, "application/json", big.clone()))
    }));
    sandbox
        .skillpm("add clawhub:acme/pdf")
        .exits(4)
        .explains(["larger than the limit of 4194304 bytes"]);
    before.still_holds();
}

#[test]
fn invalid_answers_are_refused() {
    let (sandbox, hub) = world();
    let before = sandbox.snapshot();
    for (answer, why) in [
        ("<html>", "expected value"),
        ("{}", "missing field `skill`"),
        (r#"{"skill":{"slug":"../../etc"}}"#, "invalid skill name"),
    ] {
        hub.server().handle(std::sync::Arc::new(move |_, _| {
            Some((200, "application/json", answer.into()))
        }));
        sandbox
            .skillpm("add clawhub:acme/pdf")
            .exits(3)
            .explains(["invalid answer of ClawHub", why]);
    }

    // Pages without an end.
    hub.server().handle(std::sync::Arc::new(|path, _| {
        let body = if path.ends_with("versions") {
            r#"{"items":[{"version":"1.0.0"}],"nextCursor":"again"}"#
        } else {
            r#"{"skill":{"slug":"pdf"},"owner":{"handle":"acme"}}"#
        };
        Some((200, "application/json", body.into()))
    }));
    sandbox
        .skillpm("add clawhub:acme/pdf")
        .exits(3)
        .explains(["refusing to read more than 50 pages"]);
    before.still_holds();
}

#[test]
fn skill_on_github_is_fetched_at_its_commit() {
    let (sandbox, hub) = world();
    let commit = "6838e77d0c5b1f3a6838e77d0c5b1f3a6838e77d";
    let text = skill_md("csv", "From a repository.");
    let archive = hub.serve_archive(
        &sandbox,
        &format!("acme/skills/zip/{commit}"),
        &[
            ("skills-6838e77/skills/csv/SKILL.md", text.as_bytes(), 0o644),
            ("skills-6838e77/README.md", b"Not of the skill.", 0o644),
        ],
    );
    let pointer = |url: &str| {
        let value = json!({"sourceRef": "public-github", "repo": "acme/skills", "commit": commit,
            "path": "skills/csv", "contentHash": "0", "archiveUrl": url});
        (200, "application/json", value.to_string().into_bytes())
    };

    hub.publish_download("acme/csv", "1.0.0", pointer(&archive));
    sandbox.skillpm("add clawhub:acme/csv").exits(0);
    sandbox.reads(".agents/skills/csv/SKILL.md", &text);
    sandbox.lacks([".agents/skills/csv/README.md"]);

    // An address anywhere else is not fetched.
    let other = Server::start(&sandbox);
    let elsewhere = other.url(&format!("x/{commit}.zip"));
    hub.publish_download("acme/far", "1.0.0", pointer(&elsewhere));
    sandbox
        .skillpm("add clawhub:acme/far")
        .exits(3)
        .explains(["neither GitHub nor ClawHub"]);
    assert_eq!(other.requests().len(), 0);
}

#[test]
fn manifest_takes_a_version_and_nothing_else() {
    let (sandbox, _hub) = world();
    sandbox.write(
        "skillpm.toml",
        "[dependencies]\nreader = { clawhub = \"acme/pdf\", version = \"=1.0.0\" }\n",
    );
    sandbox.skillpm("install").exits(0);
    assert!(
        sandbox
            .read(".agents/skills/reader/SKILL.md")
            .contains("name: reader")
    );
    sandbox.write(
        "skillpm.toml",
        "[dependencies]\npdf = { clawhub = \"acme/pdf\", git = \"https://h/a\" }\n",
    );
    sandbox
        .skillpm("install")
        .exits(2)
        .explains(["conflicting sources", "skillpm.toml:2"]);
}

#[test]
fn policy_may_deny_it() {
    let (sandbox, _hub) = world();
    sandbox.write("skillpm.toml", "[policy]\ndeny-sources = [\"clawhub\"]\n");
    sandbox
        .skillpm("add clawhub:acme/pdf")
        .exits(1)
        .explains(["deny-sources"]);
}
