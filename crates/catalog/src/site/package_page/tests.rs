use super::*;

const EVIL: &str = "</p><script>alert(1)</script>\" onload='x' \u{202e}\u{7}";

/// A page on which every text is hostile.
fn hostile_page() -> PackagePage {
    let evil = || EVIL.to_owned();
    let related = RelatedPackage {
        name: evil(),
        requirement: evil(),
        slug: None,
        registry: Some(evil()),
    };
    PackagePage {
        site: evil(),
        row: PackageRow {
            name: evil(),
            slug: "acme/pdf".into(),
            version: Some("1.1.0".into()),
            description: evil(),
            tags: vec![evil()],
            license: Some(evil()),
            published: Some(jiff::Timestamp::UNIX_EPOCH),
            tokens: Some(1234),
            ..PackageRow::default()
        },
        commands: vec![InstallCommand {
            label: evil(),
            command: evil(),
        }],
        notice: Some(evil()),
        instructions: Some(evil()),
        files: vec![PageFile {
            path: evil(),
            size: 5,
            executable: true,
            text: Some(evil()),
            is_cut: true,
        }],
        versions: vec![VersionRow {
            version: "1.1.0".into(),
            published: Some(evil()),
            withdrawn: Some(evil()),
            archive: Some(evil()),
            diff: Some(VersionDiff {
                from: evil(),
                text: format!(
                    "diff --git\n--- {EVIL}\n+++ {EVIL}\n@@ {EVIL}\n-{EVIL}\n+{EVIL}\n {EVIL}\n"
                ),
                is_cut: true,
                files: 1,
                added: 1,
                removed: 1,
            }),
        }],
        archive: Some(evil()),
        dependencies: vec![related.clone()],
        dependents: vec![related],
        audit: Some(AuditSummary {
            findings: vec![AuditFinding {
                severity: evil(),
                code: evil(),
                rule: evil(),
                message: evil(),
                place: FilePlace {
                    path: evil(),
                    line: Some(1),
                },
            }],
            more: 1,
        }),
        capabilities: vec![CapabilityList {
            label: evil(),
            values: vec![UsedValue {
                name: evil(),
                note: evil(),
                place: Some(FilePlace {
                    path: evil(),
                    line: None,
                }),
            }],
            more: 1,
        }],
        agents: vec![AgentSupport {
            title: evil(),
            problem: Some(evil()),
            is_listed: false,
        }],
        listing_tokens: Some(12),
        facts: vec![
            (evil(), evil()),
            ("Home".into(), format!("https://a.example/{EVIL}")),
        ],
        copies: vec![InstalledPlace {
            tier: evil(),
            directory: evil(),
            version: Some(evil()),
            state: evil(),
        }],
    }
}

fn text_of(files: &SiteFiles, name: &str) -> String {
    String::from_utf8(files[&format!("skills/acme/pdf/{name}")].bytes.clone()).unwrap()
}

#[test]
fn nothing_of_a_package_becomes_part_of_its_pages() {
    let files = hostile_page().to_files();
    assert_eq!(files.len(), 4, "{:?}", files.keys());
    for (path, file) in &files {
        let html = String::from_utf8(file.bytes.clone()).unwrap();
        // The page's own script is the only one.
        let own = usize::from(path.rsplit('.').next() == Some("html"));
        assert_eq!(html.matches("<script").count(), own, "{path}");
        for evil in ["\" onload", "' onload", "alert(1)</s", "\u{202e}", "\u{7}"] {
            assert!(!html.contains(evil), "{path} has {evil:?}: {html}");
        }
    }
}

#[test]
fn every_link_of_a_page_is_relative_or_a_fact_of_the_package() {
    let html = text_of(&hostile_page().to_files(), "index.html");
    let targets: Vec<&str> = html
        .split("href=\"")
        .skip(1)
        .map(|rest| rest.split('"').next().unwrap())
        .collect();
    assert!(targets.contains(&"../../../assets/site.css"), "{targets:?}");
    for target in targets {
        assert!(
            target.starts_with("../../../") || target.starts_with('#') || !target.contains(':'),
            "{target}"
        );
    }
}

#[test]
fn address_of_the_site_is_left_to_the_browser() {
    let page = PackagePage {
        row: PackageRow {
            name: "pdf".into(),
            slug: "pdf".into(),
            ..PackageRow::default()
        },
        commands: vec![InstallCommand {
            label: String::new(),
            command: "skillpm add {site} --skill pdf".into(),
        }],
        ..PackagePage::default()
    };
    let files = page.to_files();
    assert_eq!(files.len(), 2);
    let html = String::from_utf8(files["skills/pdf/index.html"].bytes.clone()).unwrap();
    assert!(
        html.contains(
            "<code>skillpm add <span data-site>https://THIS-SITE</span> <span class=\"word\">--skill</span> pdf</code>"
        ),
        "{html}"
    );
    assert!(!html.contains("<section"), "{html}");
}

#[test]
fn lines_of_a_diff_are_classified() {
    let mut page = hostile_page();
    page.versions[0].diff = Some(VersionDiff {
        from: "1.0.0".into(),
        text: "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n--- old\n+<new>\n same\n".into(),
        is_cut: false,
        files: 1,
        added: 1,
        removed: 1,
    });
    let html = text_of(&page.to_files(), "diff-1.1.0.html");
    assert!(
        html.contains(
            "<span class=\"name\">diff --git a/x b/x</span>\n<span class=\"name\">--- a/x</span>\n\
             <span class=\"name\">+++ b/x</span>\n<span class=\"hunk\">@@ -1 +1 @@</span>\n\
             <span class=\"del\">--- old</span>\n<span class=\"add\">+&lt;new&gt;</span>\n<span> same</span>\n</pre>"
        ),
        "{html}"
    );
    assert!(!html.contains("too long"));
}
