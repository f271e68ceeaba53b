use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::*;

const HOME: &str = "sparse+https://acme.dev/index/";

fn advisory(affected: &Value) -> Advisory {
    let text = json!({
        "schema_version": "1.6.0",
        "id": "SKSA-2026-0001",
        "modified": "2026-11-20T08:00:00Z",
        "aliases": ["CVE-2026-1"],
        "summary": "sends form data to a third party",
        "affected": [affected],
        "database_specific": {"severity": "critical"},
    });
    let parsed = parse(text.to_string().as_bytes()).unwrap();
    assert_eq!(parsed.warnings, [] as [String; 0]);
    parsed.advisory
}

fn ranged() -> Advisory {
    advisory(&json!({
        "package": {"ecosystem": "skillpm", "name": "acme/pdf"},
        "ranges": [{"type": "SEMVER", "events": [{"introduced": "0"}, {"fixed": "1.2.1"}]}],
        "versions": ["3.0.0"],
        "ecosystem_specific": {"checksums": [tree(7)]},
    }))
}

fn tree(digit: u8) -> String {
    format!("skill-tree-v1:{}", digit.to_string().repeat(64))
}

/// The match with the version of `acme/pdf` in the registry at `url`; the advisory comes from the index `own`.
fn find_match(
    advisory: &Advisory,
    version: &str,
    url: &str,
    own: Option<&str>,
) -> Option<AdvisoryMatch> {
    let (name, version, source) = (
        "acme/pdf".parse().unwrap(),
        version.parse().unwrap(),
        SourceId::Registry(url.into()),
    );
    let package = AuditedPackage {
        name: &name,
        version: Some(&version),
        source: &source,
        commit: None,
        path: None,
        checksums: &[],
    };
    advisory.find_match(&package, own)
}

#[test]
fn versions_in_a_range_or_listed_match_and_report_the_next_fixed_one() {
    let advisory = ranged();
    let fixed =
        |version: &str| find_match(&advisory, version, HOME, Some(HOME)).map(|found| found.fixed);
    assert_eq!(fixed("1.2.0"), Some(Some("1.2.1".parse().unwrap())));
    assert_eq!(
        (fixed("1.2.1"), fixed("2.0.0"), fixed("3.0.0")),
        (None, None, Some(None))
    );
}

#[test]
fn a_name_is_that_of_the_registry_whose_index_carries_it() {
    let advisory = ranged();
    let other = "sparse+https://other.dev/";
    assert!(find_match(&advisory, "1.2.0", other, Some(HOME)).is_none());
    assert!(find_match(&advisory, "1.2.0", other, None).is_some());
    let bound = self::advisory(
        &json!({"package": {"ecosystem": format!("skillpm:{HOME}"), "name": "acme/pdf"}}),
    );
    assert!(find_match(&bound, "1.2.0", HOME, None).is_some());
    assert!(find_match(&bound, "1.2.0", other, None).is_none());
}

#[test]
fn exactly_these_files_match_wherever_they_came_from() {
    let (name, source) = ("mine".parse().unwrap(), SourceId::Path("../mine".into()));
    let checksums = [tree(7).parse().unwrap()];
    let package = AuditedPackage {
        name: &name,
        version: None,
        source: &source,
        commit: None,
        path: None,
        checksums: &checksums,
    };
    assert_eq!(
        ranged().find_match(&package, Some(HOME)),
        Some(AdvisoryMatch {
            fixed: None,
            by_content: true
        })
    );
    assert!(
        ranged()
            .find_match(
                &AuditedPackage {
                    checksums: &[tree(8).parse().unwrap()],
                    ..package
                },
                Some(HOME)
            )
            .is_none()
    );
}

#[test]
fn a_repository_matches_whole_by_directory_or_by_commit() {
    let commit = "6".repeat(40);
    let (name, path) = ("pdf".parse().unwrap(), "skills/pdf".parse().unwrap());
    let source: SourceId = "git+https://github.com/acme/skills".parse().unwrap();
    let package = AuditedPackage {
        name: &name,
        version: None,
        source: &source,
        commit: Some(&commit),
        path: Some(&path),
        checksums: &[],
    };
    let range = |events: Value| json!([{"type": "GIT", "repo": "https://github.com/acme/skills.git", "events": events}]);
    let whole = range(json!([{"introduced": "0"}]));
    assert!(
        advisory(&json!({"ranges": whole}))
            .find_match(&package, None)
            .is_some()
    );
    let of = |path: &str| advisory(&json!({"ranges": whole, "ecosystem_specific": {"path": path}}));
    assert!(of("skills/pdf").find_match(&package, None).is_some());
    assert!(of("skills/csv").find_match(&package, None).is_none());
    let listed = |id: &str| {
        advisory(&json!({"ranges": whole, "versions": [id]}))
            .find_match(&package, None)
            .is_some()
    };
    assert_eq!((listed(&commit), listed(&"7".repeat(40))), (true, false));
    let fixed = json!({"id": "SKSA-1", "modified": "2026-01-01T00:00:00Z", "summary": "x",
        "affected": [{"ranges": range(json!([{"introduced": "0"}, {"fixed": commit}]))}], "database_specific": {"severity": "low"}});
    let parsed = parse(fixed.to_string().as_bytes()).unwrap();
    assert!(
        parsed.advisory.find_match(&package, None).is_none() && parsed.warnings.len() == 1,
        "{:?}",
        parsed.warnings
    );
}

#[test]
fn a_withdrawn_advisory_matches_nothing() {
    let advisory = Advisory {
        withdrawn: Some("2026-11-21T00:00:00Z".into()),
        ..ranged()
    };
    assert!(find_match(&advisory, "1.2.0", HOME, Some(HOME)).is_none());
    assert!(!advisory.matches_content(&[tree(7).parse().unwrap()]));
}

#[test]
fn an_invalid_advisory_is_reported_with_its_position() {
    let base = json!({"id": "SKSA-2026-1", "modified": "2026-11-20T08:00:00Z", "affected": []});
    let fault = |key: &str, value: Value| {
        let mut changed = base.clone();
        changed[key] = value;
        parse(changed.to_string().as_bytes()).unwrap_err()
    };
    assert_eq!(fault("id", json!("../x")), "id: invalid advisory id `../x`");
    assert!(fault("modified", json!("yesterday")).starts_with("invalid `modified`: `yesterday`"));
    assert!(fault("schema_version", json!("2.0")).contains("this skillpm reads 1"));
    let package = json!({"ecosystem": "skillpm", "name": "acme/pdf"});
    let range = json!([{"type": "SEMVER", "events": [{"introduced": "one"}]}]);
    let wrong = fault("affected", json!([{"package": package, "ranges": range}]));
    assert!(
        wrong.starts_with("affected[0].ranges[0]: invalid version `one` in `introduced`"),
        "{wrong}"
    );
    assert!(
        fault("affected", json!([{}])).contains("missing a package, a repository or a checksum")
    );
    let parsed = parse(base.to_string().as_bytes()).unwrap();
    assert_eq!(
        (parsed.warnings.len(), parsed.advisory.severity),
        (3, Severity::High)
    );
}

/// The severity of an advisory with these two keys, and the warnings.
fn rated(word: &Value, vectors: &[(&str, &str)]) -> (Severity, Vec<String>) {
    let vectors: Vec<Value> = vectors
        .iter()
        .map(|(kind, score)| json!({"type": kind, "score": score}))
        .collect();
    let about =
        json!({"package": {"ecosystem": "skillpm", "name": "acme/pdf"}, "versions": ["1.0.0"]});
    let advisory = json!({
        "id": "SKSA-2026-1", "modified": "2026-11-20T08:00:00Z", "schema_version": "1.6.0", "summary": "s",
        "affected": [about], "severity": vectors, "database_specific": {"severity": word},
    });
    let parsed = parse(advisory.to_string().as_bytes()).unwrap();
    (parsed.advisory.severity, parsed.warnings)
}

/// The scores are those of the calculators at <https://www.first.org/cvss>.
#[test]
fn severity_is_a_word_or_else_that_of_the_greatest_vector() {
    let v3 = |score| ("CVSS_V3", score);
    let (three, medium) = (
        "CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H",
        "CVSS:3.0/AV:N/AC:L/PR:N/UI:R/S:C/C:L/I:L/A:N",
    );
    let four = (
        "CVSS_V4",
        "CVSS:4.0/AV:N/AC:L/AT:N/PR:N/UI:N/VC:N/VI:N/VA:H/SC:N/SI:N/SA:N",
    );
    assert_eq!(rated(&json!("low"), &[v3(three)]), (Severity::Low, vec![]));
    assert_eq!(
        rated(&Value::Null, &[v3(three)]),
        (Severity::Critical, vec![]),
        "9.8"
    );
    assert_eq!(
        rated(&Value::Null, &[v3(medium)]),
        (Severity::Medium, vec![]),
        "6.1"
    );
    assert_eq!(
        rated(&Value::Null, &[v3(medium), four]),
        (Severity::High, vec![]),
        "6.1 and 8.7"
    );
    let (severity, warnings) = rated(&Value::Null, &[("Ubuntu", "priority")]);
    assert_eq!(
        (severity, warnings.len()),
        (Severity::High, 2),
        "{warnings:?}"
    );
    assert!(
        warnings[0].starts_with("ignoring severity of type `Ubuntu`: `priority`: "),
        "{warnings:?}"
    );
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(64))]

    /// The scores come from tables of another crate; no text may make it panic.
    #[test]
    fn any_vector_text_is_scored_without_panic(
        version in proptest::sample::select(vec!["3.0", "3.1", "4.0"]),
        metrics in proptest::collection::vec("(AV|AC|AT|PR|UI|S|C|I|A|VC|VI|VA|SC|SI|SA|E|RL|RC|CR|IR|AR|MAV|MAC|MAT|MPR|MUI|MS|MC|MI|MA|MVC|MVI|MVA|MSC|MSI|MSA|AU|R|V|RE|U):(N|L|H|A|P|R|U|C|X|F|O|T|W|M|S|Y|D|I|Amber)", 0..40),
        whole in proptest::bool::ANY,
    ) {
        let base = match version {
            _ if !whole => "",
            "4.0" => "/AV:N/AC:L/AT:N/PR:N/UI:N/VC:N/VI:N/VA:H/SC:N/SI:N/SA:N",
            _ => "/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H",
        };
        rated(&Value::Null, &[("CVSS", &format!("CVSS:{version}{base}/{}", metrics.join("/")))]);
    }
}

#[test]
fn a_pack_reads_back_and_an_invalid_advisory_is_skipped_alone() {
    let text = |id: &str| {
        json!({"id": id, "modified": "2026-11-20T08:00:00Z", "summary": id})
            .to_string()
            .into_bytes()
    };
    let ids = ["SKSA-2026-0002", "SKSA-2026-0001"].map(|id| (id.parse().unwrap(), text(id)));
    let packed = pack::pack(&BTreeMap::from(ids)).unwrap();
    let unpacked = pack::unpack(packed.as_bytes()).unwrap();
    let read: Vec<&str> = unpacked
        .advisories
        .iter()
        .map(|advisory| advisory.id.as_str())
        .collect();
    assert_eq!(read, ["SKSA-2026-0001", "SKSA-2026-0002"]);
    let broken = packed.replace("\"SKSA-2026-0001\"", "17");
    let unpacked = pack::unpack(broken.as_bytes()).unwrap();
    assert_eq!((unpacked.advisories.len(), unpacked.skipped.len()), (1, 1));
    assert!(
        pack::unpack(br#"{"v":2,"advisories":{}}"#)
            .unwrap_err()
            .contains("version 2")
    );
}
