//! Skills of a web site: `/.well-known/agent-skills` (discovery 0.2) and `/.well-known/skills` (0.1).

use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use snapbox::str;

use crate::support::archive::{self, Member};
use crate::support::{Fault, Sandbox, Server, skill_md};

const SCHEMA: &str = "https://schemas.agentskills.io/discovery/0.2.0/schema.json";

/// The folder of discovery 0.2 in what the server serves.
const NEW: &str = "../www/.well-known/agent-skills";
/// That of 0.1.
const OLD: &str = "../www/.well-known/skills";

fn digest(bytes: impl AsRef<[u8]>) -> String {
    format!("sha256:{}", hex::encode(Sha256::digest(bytes)))
}

/// A project and an empty site.
fn world() -> (Sandbox, Server) {
    let sandbox = Sandbox::project_here();
    let server = Server::start(&sandbox);
    (sandbox, server)
}

/// The address of the site, as it is typed.
fn site(server: &Server) -> String {
    server.url("").trim_end_matches('/').to_owned()
}

/// Serves a list of discovery 0.2.
fn list(sandbox: &Sandbox, skills: &[Value]) {
    sandbox.write(
        &format!("{NEW}/index.json"),
        json!({"$schema": SCHEMA, "skills": skills}).to_string(),
    );
}

/// Serves a file, and gives the entry for it.
fn serve(sandbox: &Sandbox, name: &str, kind: &str, file: &str, bytes: impl AsRef<[u8]>) -> Value {
    sandbox.write(&format!("{NEW}/{file}"), &bytes);
    json!({"name": name, "type": kind, "description": format!("What {name} is for."), "url": file, "digest": digest(bytes)})
}

/// A skill of one file.
fn plain(sandbox: &Sandbox, name: &str) -> Value {
    serve(
        sandbox,
        name,
        "skill-md",
        &format!("{name}/SKILL.md"),
        skill_md(name, "Does one thing."),
    )
}

fn members(skill: &str) -> Vec<Member<'_>> {
    vec![
        ("SKILL.md", skill.as_bytes(), 0o644),
        ("scripts/run.sh", b"#!/bin/sh\n", 0o755),
    ]
}

/// Serves a list of discovery 0.1 with one skill of these files.
fn serve_loose(sandbox: &Sandbox, name: &str, files: &[(&str, &str)]) {
    let paths: Vec<&str> = files.iter().map(|(path, _)| *path).collect();
    let index = json!({"skills": [{"name": name, "description": "Loose files.", "files": paths}]});
    sandbox.write(&format!("{OLD}/index.json"), index.to_string());
    for (path, text) in files {
        sandbox.write(&format!("{OLD}/{name}/{path}"), text);
    }
}

#[test]
fn site_with_one_skill_needs_no_choice() {
    let (sandbox, server) = world();
    let text = skill_md("pdf", "Does one thing.");
    list(&sandbox, &[plain(&sandbox, "pdf")]);
    sandbox.skillpm(format!("add {}", site(&server))).exits(0);
    sandbox.reads(".agents/skills/pdf/SKILL.md", &text);
    sandbox.reads(
        "skillpm.toml",
        &format!(
            "[dependencies]\npdf = {{ well-known = \"{}\" }}\n",
            site(&server)
        ),
    );
    assert_eq!(
        sandbox.locked("pdf", "source"),
        format!("well-known+{}", site(&server))
    );
    assert_eq!(sandbox.locked("pdf", "archive"), digest(text));
    sandbox.skillpm("verify").exits(0);
    sandbox.skillpm("install").exits(0).stderr_has("Unchanged");
}

#[test]
fn archive_has_its_files_at_the_root_and_one_checksum() {
    let text = skill_md("pdf", "Reads PDF.");
    let mut checksums = Vec::new();
    for (file, bytes) in [
        ("pdf.tar.gz", archive::tar_gz(&members(&text))),
        ("pdf.zip", archive::zip(&members(&text))),
    ] {
        let (sandbox, server) = world();
        list(&sandbox, &[serve(&sandbox, "pdf", "archive", file, bytes)]);
        sandbox.skillpm(format!("add {}", site(&server))).exits(0);
        sandbox.reads(".agents/skills/pdf/SKILL.md", &text);
        sandbox.has([".agents/skills/pdf/scripts/run.sh"]);
        checksums.push(sandbox.locked("pdf", "checksum"));
    }
    assert_eq!(checksums[0], checksums[1]);
}

#[test]
fn only_selected_skills_are_fetched() {
    let (sandbox, server) = world();
    list(
        &sandbox,
        &[
            plain(&sandbox, "pdf"),
            plain(&sandbox, "docx"),
            plain(&sandbox, "xlsx"),
        ],
    );
    let address = site(&server);
    sandbox
        .skillpm(format!("add {address}"))
        .exits(2)
        .stderr(str![[r"
error: no skill selected: `[URL]` has 3 skills
  available skills: docx, pdf, xlsx
help: select skills with `--skill NAME`, or all of them with `--all`

"]]);
    sandbox
        .skillpm(format!("add {address} --skill pdff"))
        .exits(1)
        .stderr(str![[r"
error: no matching skill named `pdff` found in `[URL]`
help: did you mean `pdf`?

"]]);
    assert_eq!(server.count("SKILL.md"), 0);
    sandbox
        .skillpm(format!("add {address} --skill pdf docx"))
        .exits(0);
    sandbox.has([
        ".agents/skills/pdf/SKILL.md",
        ".agents/skills/docx/SKILL.md",
    ]);
    sandbox.lacks([".agents/skills/xlsx"]);
    assert_eq!(
        (server.count("docx/SKILL.md"), server.count("xlsx/SKILL.md")),
        (1, 0)
    );
    sandbox.skillpm(format!("add {address} --all")).exits(0);
    sandbox.has([".agents/skills/xlsx/SKILL.md"]);
}

#[test]
fn address_may_be_that_of_the_list_and_have_a_path() {
    let (sandbox, server) = world();
    let text = skill_md("pdf", "Does one thing.");
    let entry = json!({"name": "pdf", "type": "skill-md", "description": "d", "url": "pdf.md", "digest": digest(&text)});
    let folder = "../www/docs/.well-known/agent-skills";
    sandbox.write(
        &format!("{folder}/index.json"),
        json!({"$schema": SCHEMA, "skills": [entry]}).to_string(),
    );
    sandbox.write(&format!("{folder}/pdf.md"), &text);
    for typed in [
        "docs/.well-known/agent-skills",
        "docs/.well-known/skills/index.json",
    ] {
        sandbox
            .skillpm(format!("add {}", server.url(typed)))
            .exits(0);
        assert_eq!(
            sandbox.locked("pdf", "source"),
            format!("well-known+{}", server.url("docs"))
        );
    }
}

#[test]
fn discovery_0_1_is_read_file_by_file_with_one_warning() {
    let (sandbox, server) = world();
    let text = skill_md("pdf", "Reads PDF.");
    serve_loose(
        &sandbox,
        "pdf",
        &[("SKILL.md", &text), ("references/a b.md", "ref")],
    );
    let outcome = sandbox.skillpm(format!("add {}", site(&server))).exits(0);
    assert_eq!(
        outcome.stderr_text().matches("has no digests").count(),
        1,
        "{}",
        outcome.stderr_text()
    );
    sandbox.reads(".agents/skills/pdf/references/a b.md", "ref");
    assert_eq!(sandbox.locked("pdf", "archive"), "");
    assert_eq!(
        server.count("GET /.well-known/skills/pdf/references/a%20b.md"),
        1
    );
}

#[test]
fn changed_file_of_discovery_0_1_is_refused() {
    let (sandbox, server) = world();
    serve_loose(
        &sandbox,
        "pdf",
        &[("SKILL.md", &skill_md("pdf", "Reads PDF."))],
    );
    sandbox.skillpm(format!("add {}", site(&server))).exits(0);
    serve_loose(
        &sandbox,
        "pdf",
        &[("SKILL.md", &skill_md("pdf", "Reads your mail."))],
    );
    let clone = sandbox.fresh_clone("clone");
    sandbox
        .skillpm("install --locked")
        .in_dir(&clone)
        .home("elsewhere")
        .exits(3)
        .stderr(str![[r"
    Fetching pdf from [URL]
error: checksum mismatch for `pdf`: it is not the locked package
  locked   [SUM]
  fetched  [SUM]
help: nothing was installed; if the change is intended, run `skillpm update pdf`

"]]);
    assert!(!clone.join(".agents").exists());
    sandbox
        .skillpm("outdated --exit-code")
        .exits(1)
        .stdout_has("pdf");
}

#[test]
fn list_in_both_formats_is_read_by_digests() {
    let (sandbox, server) = world();
    let text = skill_md("pdf", "Reads PDF.");
    let mut entry = serve(
        &sandbox,
        "pdf",
        "archive",
        "pdf.tar.gz",
        archive::tar_gz(&members(&text)),
    );
    entry["files"] = json!(["SKILL.md", "scripts/run.sh", "../ignored"]);
    list(&sandbox, &[entry]);
    sandbox
        .skillpm(format!("add {}", site(&server)))
        .exits(0)
        .never_prints("warning");
    assert_eq!(
        (server.count("pdf.tar.gz"), server.count("SKILL.md")),
        (1, 0)
    );
    sandbox.has([".agents/skills/pdf/scripts/run.sh"]);
}

#[test]
fn wrong_digest_is_detected_before_unpacking() {
    let (sandbox, server) = world();
    let mut entry = plain(&sandbox, "pdf");
    let promised = digest("something else");
    entry["digest"] = json!(promised);
    list(&sandbox, &[entry]);
    let snapshot = sandbox.snapshot();
    sandbox
        .skillpm(format!("add {}", site(&server)))
        .exits(3)
        .stderr(str![[r"
    Fetching pdf from [URL]
error: failed to verify the checksum of `[URL]/.well-known/agent-skills/pdf/SKILL.md`
  expected sha256:[SHA]
  computed sha256:[SHA]
  it was fetched twice, the second time bypassing all caches
help: nothing was installed; report this to the maintainer of the server

"]]);
    snapshot.still_holds();
}

#[test]
fn file_on_another_site_needs_permission() {
    let (sandbox, server) = world();
    let other = Server::start(&sandbox);
    let mut entry = plain(&sandbox, "pdf");
    entry["url"] = json!(other.url(".well-known/agent-skills/pdf/SKILL.md"));
    list(&sandbox, &[entry]);
    let origin = site(&other);
    let outcome = sandbox.skillpm(format!("add {}", site(&server))).exits(3);
    outcome.explains(["refusing to fetch its file from another site"]);
    assert!(
        outcome
            .stderr_text()
            .contains(&format!("--config well-known.allow-origins={origin}`"))
    );
    assert_eq!(other.count(""), 0);
    sandbox
        .skillpm(format!(
            "add {} --config well-known.allow-origins={origin}",
            site(&server)
        ))
        .exits(0);
    sandbox.has([".agents/skills/pdf/SKILL.md"]);
}

#[test]
fn list_with_an_unknown_schema_is_refused() {
    let (sandbox, server) = world();
    let entry = plain(&sandbox, "pdf");
    let newer = "https://schemas.agentskills.io/discovery/0.9.0/schema.json";
    sandbox.write(
        &format!("{NEW}/index.json"),
        json!({"$schema": newer, "skills": [entry]}).to_string(),
    );
    let snapshot = sandbox.snapshot();
    sandbox
        .skillpm(format!("add {}", site(&server)))
        .exits(1)
        .explains(["unsupported schema of the list of skills", newer]);
    snapshot.still_holds();
    assert_eq!(server.count("SKILL.md"), 0);
}

#[test]
fn unknown_type_is_ignored_with_a_note() {
    let (sandbox, server) = world();
    let mut oci = plain(&sandbox, "image");
    oci["type"] = json!("oci");
    list(&sandbox, &[oci, plain(&sandbox, "pdf")]);
    sandbox
        .skillpm(format!("add {}", site(&server)))
        .exits(0)
        .stderr_has("unknown type `oci` of `image`");
    sandbox.lacks([".agents/skills/image"]);
}

#[test]
fn skill_with_a_different_name_is_refused() {
    let (sandbox, server) = world();
    let entry = serve(
        &sandbox,
        "pdf",
        "skill-md",
        "pdf.md",
        skill_md("docx", "Does one thing."),
    );
    list(&sandbox, &[entry]);
    sandbox
        .skillpm(format!("add {}", site(&server)))
        .exits(3)
        .explains(["invalid skill `pdf`", "name: docx"]);
    sandbox.lacks([".agents"]);
}

#[test]
fn skill_that_is_listed_twice_is_refused() {
    let (sandbox, server) = world();
    let (one, mut two) = (plain(&sandbox, "pdf"), plain(&sandbox, "pdf"));
    two["description"] = json!("other");
    list(&sandbox, &[one, two]);
    sandbox
        .skillpm(format!("add {} --skill pdf", site(&server)))
        .exits(3)
        .explains(["duplicate skill `pdf` in the list"]);
}

#[test]
fn path_traversal_links_and_duplicates_are_refused() {
    let text = skill_md("pdf", "Reads PDF.");
    for bad in [
        "../evil.md",
        "/tmp/evil.md",
        "a/../../evil.md",
        "a\\..\\evil.md",
        ".git/config",
        "SKILL.md",
    ] {
        let (sandbox, server) = world();
        let paths = ["SKILL.md", bad];
        sandbox.write(
            &format!("{OLD}/index.json"),
            json!({"skills": [{"name": "pdf", "description": "d", "files": paths}]}).to_string(),
        );
        sandbox.write(&format!("{OLD}/pdf/SKILL.md"), &text);
        let snapshot = sandbox.snapshot();
        sandbox
            .skillpm(format!("add {}", site(&server)))
            .exits(3)
            .stderr_has("pdf");
        snapshot.still_holds();
    }
    let file = ("SKILL.md", text.as_bytes(), 0o644);
    for bytes in [
        archive::tar_gz_with_link(&[file], "notes.md", "/etc/hostname"),
        archive::tar_gz(&[file, ("../evil.md", b"x", 0o644)]),
        archive::zip(&[file, ("../evil.md", b"x", 0o644)]),
        archive::tar_gz(&[file, ("skill.md", b"x", 0o644)]),
    ] {
        let (sandbox, server) = world();
        list(
            &sandbox,
            &[serve(&sandbox, "pdf", "archive", "pdf.tar.gz", bytes)],
        );
        let snapshot = sandbox.snapshot();
        sandbox
            .skillpm(format!("add {}", site(&server)))
            .exits(3)
            .stderr_has("failed to unpack");
        snapshot.still_holds();
    }
}

#[test]
fn too_large_files_are_refused_before_reading() {
    let (sandbox, server) = world();
    sandbox.write(&format!("{NEW}/index.json"), vec![b' '; (8 << 20) + 1]);
    sandbox
        .skillpm(format!("add {}", site(&server)))
        .exits(4)
        .stderr_has("index.json");

    let (sandbox, server) = world();
    let files: Vec<String> = std::iter::once("SKILL.md".to_owned())
        .chain((0..1_000).map(|n| format!("{n}")))
        .collect();
    let index = json!({"skills": [{"name": "pdf", "description": "d", "files": files}]});
    sandbox.write(&format!("{OLD}/index.json"), index.to_string());
    sandbox
        .skillpm(format!("add {}", site(&server)))
        .exits(3)
        .stderr_has("refusing a skill of 1001 files; the limit is 1000");
    assert_eq!(server.count("/pdf/"), 0);
}

#[test]
fn site_without_a_list_is_an_error_that_names_both_urls() {
    let (sandbox, server) = world();
    sandbox
        .skillpm(format!("add {}", site(&server)))
        .exits(4)
        .stderr(str![[r"
error: no list of skills found at `[URL]`
  not found: `[URL]/.well-known/agent-skills/index.json`
  not found: `[URL]/.well-known/skills/index.json`
help: write a repository as `gh:owner/repo` or with its full path, and an archive as its URL

"]]);
    sandbox.write(
        &format!("{NEW}/index.json"),
        "\n<!doctype html><title>Welcome</title>",
    );
    sandbox
        .skillpm(format!("add {}", site(&server)))
        .exits(4)
        .explains(["a web page, not a list:"]);
    serve_loose(
        &sandbox,
        "pdf",
        &[("SKILL.md", &skill_md("pdf", "Reads PDF."))],
    );
    sandbox.skillpm(format!("add {}", site(&server))).exits(0);
}

#[test]
fn plain_http_is_for_this_machine_only() {
    let sandbox = Sandbox::project_here();
    sandbox
        .skillpm("add http://acme.invalid")
        .exits(4)
        .explains(["`http` is not encrypted"]);
    sandbox
        .skillpm("add https://joe:s3cret@acme.invalid")
        .exits(2)
        .never_prints("s3cret");
}

#[test]
fn locked_skill_is_restored_offline_from_the_store() {
    let (sandbox, server) = world();
    list(&sandbox, &[plain(&sandbox, "pdf")]);
    sandbox.skillpm(format!("add {}", site(&server))).exits(0);
    drop(server);
    sandbox.delete(".agents");
    sandbox.skillpm("install --locked --offline").exits(0);
    sandbox.has([".agents/skills/pdf/SKILL.md"]);
    let clone = sandbox.fresh_clone("clone");
    sandbox
        .skillpm("install --frozen")
        .in_dir(&clone)
        .home("elsewhere")
        .exits(4)
        .stderr_has("--offline");
}

#[test]
fn changed_site_is_refused_until_updated() {
    let (sandbox, server) = world();
    list(&sandbox, &[plain(&sandbox, "pdf")]);
    sandbox.skillpm(format!("add {}", site(&server))).exits(0);
    let before = sandbox.locked("pdf", "archive");
    sandbox.skillpm("outdated --exit-code").exits(0);

    let text = skill_md("pdf", "Does another thing.");
    list(
        &sandbox,
        &[serve(&sandbox, "pdf", "skill-md", "pdf/SKILL.md", &text)],
    );
    let clone = sandbox.fresh_clone("clone");
    let outcome = sandbox
        .skillpm("install --locked")
        .in_dir(&clone)
        .home("elsewhere")
        .exits(3);
    outcome.stderr(str![[r"
error: failed to fetch `pdf`
  locked  sha256:[SHA]
  found   sha256:[SHA]
caused by: checksum mismatch for `pdf` of `[URL]`: it is not the locked skill
help: nothing was installed; if the change is intended, run `skillpm update pdf`

"]]);
    assert!(
        outcome.stderr_text().contains(&before) && outcome.stderr_text().contains(&digest(&text))
    );
    assert!(!clone.join(".agents").exists());

    sandbox.skillpm("install").exits(0);
    assert_eq!(sandbox.locked("pdf", "archive"), before);
    sandbox
        .skillpm("outdated --exit-code")
        .exits(1)
        .stdout_has("pdf")
        .stdout_has(&digest(&text)[7..15]);
    sandbox.skillpm("update pdf").exits(0).stderr_has("Updated");
    sandbox.reads(".agents/skills/pdf/SKILL.md", &text);
    assert_eq!(sandbox.locked("pdf", "archive"), digest(&text));
    sandbox.skillpm("outdated --exit-code").exits(0);
}

#[test]
fn another_add_keeps_locked_skills_of_a_changed_site() {
    let (sandbox, server) = world();
    list(&sandbox, &[plain(&sandbox, "pdf"), plain(&sandbox, "docx")]);
    sandbox
        .skillpm(format!("add {} --skill pdf", site(&server)))
        .exits(0);
    let before = (
        sandbox.locked("pdf", "archive"),
        sandbox.read(".agents/skills/pdf/SKILL.md"),
    );
    let changed = serve(
        &sandbox,
        "pdf",
        "skill-md",
        "pdf/SKILL.md",
        skill_md("pdf", "Does another thing."),
    );
    list(&sandbox, &[changed, plain(&sandbox, "docx")]);
    sandbox
        .skillpm(format!("add {} --skill docx", site(&server)))
        .exits(0);
    assert_eq!(
        (
            sandbox.locked("pdf", "archive"),
            sandbox.read(".agents/skills/pdf/SKILL.md")
        ),
        before
    );
}

#[test]
fn unchanged_list_is_not_sent_again() {
    let (sandbox, server) = world();
    list(&sandbox, &[plain(&sandbox, "pdf")]);
    sandbox.skillpm(format!("add {}", site(&server))).exits(0);
    server.forget();
    sandbox.skillpm("outdated").exits(0);
    let requests = server.requests();
    assert_eq!(
        requests
            .iter()
            .map(|request| (request.status, request.sent))
            .collect::<Vec<_>>(),
        [(304, 0)]
    );
}

#[test]
fn stated_version_must_match_the_requirement() {
    let (sandbox, server) = world();
    let text = "---\nname: pdf\ndescription: Reads PDF.\nversion: 1.4.0\n---\n# pdf\n";
    list(
        &sandbox,
        &[serve(&sandbox, "pdf", "skill-md", "pdf.md", text)],
    );
    sandbox
        .skillpm(format!("add {} --version ^2", site(&server)))
        .exits(1)
        .explains(["1.4.0"]);
    sandbox
        .skillpm(format!("add {} --version ^1", site(&server)))
        .exits(0);
    assert_eq!(sandbox.locked("pdf", "version"), "1.4.0");
    assert_eq!(
        sandbox.manifest()["dependencies"]["pdf"]["version"].as_str(),
        Some("^1")
    );
}

#[test]
fn requirements_come_from_the_same_site() {
    let (sandbox, server) = world();
    let text = "---\nname: report\ndescription: Writes reports.\nrequires: [pdf]\n---\n# report\n";
    list(
        &sandbox,
        &[
            serve(&sandbox, "report", "skill-md", "report.md", text),
            plain(&sandbox, "pdf"),
        ],
    );
    sandbox
        .skillpm(format!("add {} --skill report", site(&server)))
        .exits(0);
    assert_eq!(
        sandbox.locked("pdf", "source"),
        format!("well-known+{}", site(&server))
    );
    sandbox
        .skillpm(format!("remove --source {}", site(&server)))
        .exits(0);
    sandbox.lacks([".agents/skills/pdf", ".agents/skills/report"]);
}

#[test]
fn skill_can_be_renamed() {
    let (sandbox, server) = world();
    list(&sandbox, &[plain(&sandbox, "pdf")]);
    sandbox
        .skillpm(format!("add {} --as reader", site(&server)))
        .exits(0);
    assert!(
        sandbox
            .read(".agents/skills/reader/SKILL.md")
            .contains("name: reader")
    );
    let clone = sandbox.fresh_clone("clone");
    sandbox
        .skillpm("install --locked")
        .in_dir(&clone)
        .home("elsewhere")
        .exits(0);
}

#[test]
fn one_server_error_is_retried() {
    let (sandbox, server) = world();
    list(&sandbox, &[plain(&sandbox, "pdf")]);
    server.fault_times("index.json", Fault::Status(503), 1);
    server.fault_times("SKILL.md", Fault::Truncate(10), 1);
    sandbox.skillpm(format!("add {}", site(&server))).exits(0);
}
