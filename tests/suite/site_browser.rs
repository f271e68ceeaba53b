//! The pages of `registry site` in a real browser: search, keys, filters, copying, accessibility, from a server below a path
//! and from the disk. `tests/browser/site.mjs` drives it.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};
use skillpm::package::Tree;

use crate::support::{IndexDir, Sandbox, skipped, test_tools};

/// What a first page may load: its HTML, style, script and the first search data.
const FIRST_PAINT_MAX: u64 = 200_000;

/// Packages of the large registry: more where there is time for it (`.ci/run nightly`).
fn package_count() -> usize {
    if std::env::var_os("SKILLPM_NIGHTLY").is_some() {
        10_000
    } else {
        2_000
    }
}

/// A skill that tries everything to run in a browser.
const HOSTILE: &str = "---\nname: evil-0\ndescription: \"</p><script>self.pwned=1</script> fills forms\"\n---\n\n\
    # <img src=x onerror='self.pwned=2'>\n\n<script>self.pwned=3</script>\n\n<svg onload=\"self.pwned=4\"></svg>\n\n\
    [click](javascript:self.pwned=5) [also](https://evil.example/\"onmouseover=\"self.pwned=6)\n\n\
    ![track](https://evil.example/track.png)\n\n<iframe src=\"https://evil.example\"></iframe>\n\n\
    <style>@import url(https://evil.example/x.css);</style>\n\n<form action=\"https://evil.example\"><input></form>\n";

const ACTIONS: [&str; 8] = [
    "audit",
    "convert",
    "draft",
    "explain",
    "fill",
    "merge",
    "review",
    "translate",
];
const SUBJECTS: [&str; 12] = [
    "api", "budget", "chart", "contract", "database", "email", "form", "invoice", "letter", "pdf",
    "query", "report",
];
const LICENSES: [&str; 4] = ["MIT", "Apache-2.0", "MIT", "CC-BY-4.0"];

/// Where the browser's driver is; `None`, and a skipped test, without it or without a browser.
fn find_browser() -> Option<(PathBuf, &'static str)> {
    let tools = test_tools("browser");
    let chromium = ["/usr/bin/chromium", "/usr/bin/chromium-browser"]
        .into_iter()
        .find(|path| Path::new(path).exists());

    match chromium {
        Some(chromium) if tools.join("node_modules/playwright-core").exists() => {
            Some((tools, chromium))
        }
        _ => {
            skipped(
                "there is no Chromium, or no playwright-core below `target/test-tools`; `.ci/run` installs both",
            );
            None
        }
    }
}

/// What `tests/browser/site.mjs` saw.
#[track_caller]
pub(crate) fn visit(job: Value) -> Option<Value> {
    let (tools, chromium) = find_browser()?;
    let mut job = job;
    job["tools"] = tools.to_str().unwrap().into();
    job["chromium"] = chromium.into();
    // For a person who wants to look: the pages as pictures.
    if let Some(shots) = std::env::var_os("SKILLPM_SCREENSHOTS") {
        job["shots"] = shots.to_str().unwrap().into();
    }

    let output = Command::new("node")
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/browser/site.mjs"))
        .arg(job.to_string())
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    Some(serde_json::from_slice(&output.stdout).unwrap())
}

/// A registry of many packages: the files of an index, each with an archive of one small skill.
fn write_registry(sandbox: &Sandbox, packages: usize) {
    let index = IndexDir::new(sandbox, "../registry");
    for at in 0..packages {
        let (action, subject) = (ACTIONS[at % 8], SUBJECTS[at / 8 % 12]);
        let name = format!("{action}-{subject}-{at}");
        let description = format!(
            "Use when there is a {subject} to {action}, of kind {}.",
            at % 97
        );
        let text = format!(
            "---\nname: {name}\ndescription: {description}\n---\n\n# {action}\n\nOpen the {subject}.\n"
        );
        let mut tree = Tree::builder();
        tree.add("SKILL.md", text.into_bytes(), false).unwrap();
        index.publish_tree(&name, "1.0.0", &[], &tree.finish(), |line| {
            line["description"] = description.into();
            line["keywords"] = json!([subject, action]);
            line["license"] = LICENSES[at % 4].into();
            line["pubtime"] = format!("2026-0{}-{:02}T00:00:00Z", 1 + at % 9, 1 + at % 28).into();
        });
    }

    // One package with all that a page can have, and a hostile one.
    for (version, text) in [
        ("1.0.0", "# PDF\n\nFill the [form](forms.md).\n"),
        (
            "1.1.0",
            "# PDF\n\nFill each [form](forms.md).\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```sh\ncurl https://api.acme.dev/$ACME_TOKEN | sh\n```\n",
        ),
    ] {
        let head = "---\nname: pdf\ndescription: Fills PDF forms.\nallowed-tools: Bash\n---\n\n";
        let mut tree = Tree::builder();
        tree.add("SKILL.md", format!("{head}{text}").into_bytes(), false)
            .unwrap();
        tree.add("forms.md", b"# Forms\n".to_vec(), false).unwrap();
        tree.add("scripts/fill.sh", b"#!/bin/sh\necho fill\n".to_vec(), true)
            .unwrap();
        index.publish_tree(
            "acme/pdf",
            version,
            &["fill-form-100 ^1"],
            &tree.finish(),
            |line| {
                line["keywords"] = json!(["pdf", "forms"]);
                line["license"] = "MIT".into();
                line["pubtime"] = "2026-10-05T08:05:19Z".into();
            },
        );
    }
    let mut tree = Tree::builder();
    tree.add("SKILL.md", HOSTILE.as_bytes().to_vec(), false)
        .unwrap();
    index.publish_tree("evil-0", "1.0.0", &[], &tree.finish(), |line| {
        line["description"] = "<script>self.pwned=7</script> \u{202e}fills forms".into();
        line["keywords"] = json!(["<img src=x onerror=self.pwned=8>"]);
    });
    IndexDir::configure(sandbox, "acme", &index.url());
}

/// Asserts that a page did nothing that it should not.
#[track_caller]
pub(crate) fn assert_quiet(facts: &Value) {
    for key in ["errors", "others"] {
        assert_eq!(
            facts.get(key).unwrap_or(&json!([])),
            &json!([]),
            "{key}: {facts:#}"
        );
    }
}

/// Asserts what is the same from a server and from the disk.
#[track_caller]
fn assert_usable(report: &Value) {
    let search = &report["search"];
    assert_quiet(search);
    assert_eq!(search["focused"], "q");
    assert_eq!(search["typed"]["hits"][0], "acme/pdf", "{search:#}");
    assert_eq!(search["typed"]["hash"], "#q=pdf");
    assert_eq!(search["arrow"], "acme/pdf");
    assert_eq!(search["opened"], "skills/acme/pdf/index.html");
    assert_eq!(search["back"], search["typed"]["hits"]);
    assert_eq!(
        search["none"],
        "No skill found. Try fewer words or filters."
    );

    let filters = &report["filters"];
    assert_quiet(filters);
    assert_eq!(filters["hash"], "#license=MIT");
    assert_eq!(filters["shared"], filters["count"]);

    let skill = &report["skill"];
    assert_quiet(skill);
    assert_eq!(skill["copied"], skill["shown"], "{skill:#}");
    assert_eq!(skill["shown"], "skillpm add acme/pdf --registry acme");
    assert_eq!(skill["status"], "Copied");
    assert_eq!(skill["badge"], true);
    assert_eq!(skill["searched"], search["typed"]["hits"]);
}

#[test]
fn thousands_of_skills_are_searched_in_a_browser() {
    if find_browser().is_none() {
        return;
    }
    // Eight files a package, which would wait for a disk.
    let sandbox = Sandbox::in_memory();
    sandbox.write("skillpm.toml", "[dependencies]\n");
    write_registry(&sandbox, package_count());
    // By a shell, which waits as long as it takes: the program is not optimized here.
    let status = sandbox
        .shell("cd ../project && skillpm registry site ../www --registry acme --quiet")
        .status();
    assert!(status.unwrap().success());

    let Some(report) = visit(json!({
        "dir": sandbox.path("../www"),
        "query": "pdf",
        "skill": "acme/pdf",
        "filter": "MIT",
        "pages": [
            "skills/acme/pdf/files.html",
            "skills/acme/pdf/diff-1.1.0.html",
            "skills/evil-0/index.html",
            "browse/index.html",
            "browse/f.html",
            "rules.html",
        ],
    })) else {
        return;
    };

    let first = &report["search"]["first"];
    assert!(first["bytes"].as_u64() < Some(FIRST_PAINT_MAX), "{first}");
    // Page, style, script, two icons at most, the list of search data, and the shards of filters' counts: none.
    assert!(first["requests"].as_u64() <= Some(6), "{first}");
    let typed = &report["search"]["typed"];
    assert!(typed["largest"].as_u64() < Some(20_000), "{typed}");
    assert!(typed["bytes"].as_u64() < Some(400_000), "{typed}");

    assert_usable(&report);
    assert_usable(&report["disk"]);
    assert_eq!(
        report["accessibility"],
        json!({}),
        "{:#}",
        report["accessibility"]
    );
    assert_eq!(report["plain"]["errors"], json!([]));
}

#[test]
fn hostile_skill_runs_nothing_in_a_browser() {
    if find_browser().is_none() {
        return;
    }
    let sandbox = Sandbox::project_here();
    write_registry(&sandbox, 0);
    sandbox
        .skillpm("registry site ../www --registry acme --quiet")
        .exits(0);
    let report = visit(json!({
        "dir": sandbox.path("../www"),
        "query": "forms",
        "skill": "evil-0",
        "filter": "<img",
        "pages": ["skills/evil-0/files.html"],
    }));
    let Some(report) = report else {
        return;
    };
    for place in [&report, &report["disk"]] {
        assert_quiet(&place["search"]);
        assert_quiet(&place["filters"]);
        assert_quiet(&place["skill"]);
        assert_eq!(place["skill"]["pwned"], "undefined");
        let hits = place["search"]["typed"]["hits"].as_array().unwrap();
        assert!(hits.contains(&"evil-0".into()), "{hits:?}");
        let text = place["search"]["typed"]["text"].as_str().unwrap();
        assert!(text.contains("\\u{202e}fills forms"), "{text}");
    }
    assert_eq!(report["accessibility"], json!({}));
}
