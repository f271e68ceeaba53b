//! Skills in a `.tar.gz` or `.zip`, by path and over HTTP.

use snapbox::str;

use crate::support::archive::{self, Member};
use crate::support::{Fault, Sandbox, Server, has_unix, skill_md};

fn members(skill: &str) -> Vec<Member<'_>> {
    vec![
        ("pdf-1.0.0/SKILL.md", skill.as_bytes(), 0o644),
        ("pdf-1.0.0/scripts/run.sh", b"#!/bin/sh\n", 0o755),
    ]
}

/// What every good archive of this file must come to.
#[track_caller]
fn is_installed(sandbox: &Sandbox) {
    sandbox.reads(
        ".agents/skills/pdf/SKILL.md",
        &skill_md("pdf", "Reads PDF."),
    );
    let tree = sandbox.tree(".agents/skills").to_string();
    assert!(tree.contains("pdf/scripts/run.sh"), "{tree}");
    if has_unix("executable files") {
        assert!(
            tree.lines()
                .any(|line| line.starts_with('x') && line.ends_with("run.sh")),
            "{tree}"
        );
    }
    sandbox.skillpm("verify").exits(0);
}

#[test]
fn tar_gz_by_path_is_installed() {
    let sandbox = Sandbox::project_here();
    sandbox.write(
        "dl/pdf-1.0.0.tar.gz",
        archive::tar_gz(&members(&skill_md("pdf", "Reads PDF."))),
    );
    sandbox.skillpm("add ./dl/pdf-1.0.0.tar.gz").exits(0);
    is_installed(&sandbox);
}

#[test]
fn zip_by_path_is_installed() {
    let sandbox = Sandbox::project_here();
    sandbox.write(
        "dl/pdf-1.0.0.zip",
        archive::zip(&members(&skill_md("pdf", "Reads PDF."))),
    );
    sandbox.skillpm("add ./dl/pdf-1.0.0.zip").exits(0);
    is_installed(&sandbox);
}

#[test]
fn archives_over_http_are_installed() {
    let text = skill_md("pdf", "Reads PDF.");
    for (name, bytes) in [
        ("pdf.tar.gz", archive::tar_gz(&members(&text))),
        ("pdf.zip", archive::zip(&members(&text))),
    ] {
        let sandbox = Sandbox::project_here();
        let server = Server::start(&sandbox);
        sandbox.write(&format!("../www/{name}"), bytes);
        sandbox
            .skillpm(format!("add {}", server.url(name)))
            .exits(0);
        is_installed(&sandbox);
        assert_eq!(
            sandbox.locked("pdf", "source").split('#').next(),
            Some(format!("archive+{}", server.url(name)).as_str())
        );
    }
}

#[test]
fn directory_tar_and_zip_have_the_same_checksum() {
    let text = skill_md("pdf", "Reads PDF.");
    let checksum = |write: &dyn Fn(&Sandbox), spec: &str| {
        let sandbox = Sandbox::project_here();
        write(&sandbox);
        sandbox.skillpm(format!("add {spec}")).exits(0);
        sandbox.locked("pdf", "checksum")
    };
    let member = [("pdf/SKILL.md", text.as_bytes(), 0o644)];
    let path = checksum(&|sandbox| sandbox.write_skill("pdf", "Reads PDF."), "./pdf");
    assert_eq!(
        path,
        checksum(
            &|sandbox| sandbox.write("a.tar.gz", archive::tar_gz(&member)),
            "./a.tar.gz"
        )
    );
    assert_eq!(
        path,
        checksum(
            &|sandbox| sandbox.write("a.zip", archive::zip(&member)),
            "./a.zip"
        )
    );
}

#[test]
fn changed_archive_is_an_integrity_error() {
    let sandbox = Sandbox::project_here();
    let server = Server::start(&sandbox);
    sandbox.write(
        "../www/pdf.tar.gz",
        archive::tar_gz(&members(&skill_md("pdf", "Reads PDF."))),
    );
    sandbox
        .skillpm(format!("add {}", server.url("pdf.tar.gz")))
        .exits(0);
    sandbox.write(
        "../www/pdf.tar.gz",
        archive::tar_gz(&members(&skill_md("pdf", "Reads your files."))),
    );
    let clone = sandbox.fresh_clone("clone");
    sandbox
        .skillpm("install")
        .in_dir(&clone)
        .home("elsewhere")
        .exits(3)
        .explains(["pdf"]);
    assert!(!clone.join(".agents").exists());
    let asked = server
        .requests()
        .iter()
        .filter(|request| request.headers.contains_key("cache-control"))
        .count();
    assert_eq!(asked, 1, "it was asked for once more, past caches");
}

#[test]
fn locked_archive_is_fetched_again_past_a_damaged_cache() {
    let sandbox = Sandbox::project_here();
    let server = Server::start(&sandbox);
    sandbox.write(
        "../www/pdf.tar.gz",
        archive::tar_gz(&members(&skill_md("pdf", "Reads PDF."))),
    );
    sandbox
        .skillpm(format!("add {}", server.url("pdf.tar.gz")))
        .exits(0);
    server.fault_times("pdf.tar.gz", Fault::Flip, 1);
    sandbox.delete(".agents");
    sandbox
        .skillpm("install --locked")
        .home("elsewhere")
        .exits(0);
    is_installed(&sandbox);
}

#[test]
fn one_server_error_is_retried() {
    let sandbox = Sandbox::project_here();
    let server = Server::start(&sandbox);
    sandbox.write(
        "../www/pdf.tar.gz",
        archive::tar_gz(&members(&skill_md("pdf", "Reads PDF."))),
    );
    server.fault_times("pdf.tar.gz", Fault::Status(503), 1);
    sandbox
        .skillpm(format!("add {}", server.url("pdf.tar.gz")))
        .exits(0);
    assert_eq!(server.count("GET /pdf.tar.gz"), 2);
}

#[test]
fn truncated_archive_is_refused_and_not_cached() {
    let sandbox = Sandbox::project_here();
    let server = Server::start(&sandbox);
    sandbox.write(
        "../www/pdf.tar.gz",
        archive::tar_gz(&members(&skill_md("pdf", "Reads PDF."))),
    );
    server.fault("pdf.tar.gz", Fault::Truncate(90));
    let snapshot = sandbox.snapshot();
    sandbox
        .skillpm(format!("add {}", server.url("pdf.tar.gz")))
        .exits_one_of([3, 4])
        .explains(["pdf.tar.gz"]);
    snapshot.still_holds();
    server.heal();
    sandbox
        .skillpm(format!("add {}", server.url("pdf.tar.gz")))
        .exits(0);
    is_installed(&sandbox);
}

#[test]
fn missing_archive_is_a_network_error() {
    let sandbox = Sandbox::project_here();
    let server = Server::start(&sandbox);
    sandbox
        .skillpm(format!("add {}", server.url("none.tar.gz")))
        .exits(4)
        .stderr(str![[r"
    Fetching [URL]/none.tar.gz
error: `[URL]/none.tar.gz` not found (HTTP status 404)
help: check the URL; the file may have been moved

"]]);
}

#[test]
fn path_traversal_in_an_archive_is_refused() {
    let text = skill_md("pdf", "Reads PDF.");
    for bad in [
        "../evil.txt",
        "/tmp/evil.txt",
        "pdf/../../evil.txt",
        "pdf/.git/config",
        "pdf/a\\..\\b",
        "pdf/CON",
    ] {
        let members = [
            ("pdf/SKILL.md", text.as_bytes(), 0o644),
            (bad, b"EVIL".as_slice(), 0o644),
        ];
        for (name, bytes) in [
            ("a.tar.gz", archive::tar_gz(&members)),
            ("a.zip", archive::zip(&members)),
        ] {
            let sandbox = Sandbox::project_here();
            sandbox.write(name, bytes);
            let snapshot = sandbox.snapshot();
            sandbox
                .skillpm(format!("add ./{name}"))
                .exits(3)
                .explains([name]);
            snapshot.still_holds();
        }
    }
}

#[test]
fn link_in_an_archive_is_refused() {
    let sandbox = Sandbox::project_here();
    let text = skill_md("pdf", "Reads PDF.");
    sandbox.write(
        "a.tar.gz",
        archive::tar_gz_with_link(
            &[("pdf/SKILL.md", text.as_bytes(), 0o644)],
            "pdf/notes.md",
            "/etc/hostname",
        ),
    );
    let snapshot = sandbox.snapshot();
    sandbox
        .skillpm("add ./a.tar.gz")
        .exits(3)
        .explains(["notes.md"]);
    snapshot.still_holds();
}

#[test]
fn bytes_after_the_end_of_an_archive_are_refused() {
    let text = skill_md("pdf", "Reads PDF.");
    let archive = archive::tar_gz(&[("pdf/SKILL.md", text.as_bytes(), 0o644)]);
    for tail in [b"trailing".to_vec(), archive.clone()] {
        let sandbox = Sandbox::project_here();
        sandbox.write("a.tar.gz", [archive.clone(), tail].concat());
        sandbox
            .skillpm("add ./a.tar.gz")
            .exits(3)
            .explains(["a.tar.gz"]);
        sandbox.lacks([".agents"]);
    }
}

#[test]
fn flipped_bit_in_an_archive_is_detected() {
    let sandbox = Sandbox::project_here();
    let mut bytes = archive::tar_gz(&members(&skill_md("pdf", "Reads PDF.")));
    let crc = bytes.len() - 6;
    bytes[crc] ^= 1;
    sandbox.write("a.tar.gz", bytes);
    sandbox
        .skillpm("add ./a.tar.gz")
        .exits(3)
        .explains(["a.tar.gz"]);
    sandbox.lacks([".agents"]);
}
