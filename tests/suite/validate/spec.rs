//! The demands of the specification's text, one by one; `docs/validation.md` has the same table with its sources.

use skillpm::lint::validate::ValidationProfile;

use super::told;

/// Holds frontmatters of a skill in the directory `x` against the text: the rules that are broken, or none.
#[track_caller]
fn all(table: &[(&str, &[&str])]) {
    for (frontmatter, expected) in table {
        let file = format!("---\n{frontmatter}\n---\nbody\n");
        let rules: Vec<_> = told(&file, "x", ValidationProfile::Spec)
            .into_iter()
            .map(|(rule, _)| rule)
            .collect();
        assert_eq!(rules, *expected, "{frontmatter}");
    }
}

fn named(name: &str, dir: &str) -> Vec<String> {
    let file = format!("---\nname: {name}\ndescription: d\n---\n");
    told(&file, dir, ValidationProfile::Spec)
        .into_iter()
        .map(|(rule, _)| rule)
        .collect()
}

#[test]
fn frontmatter_is_required_and_is_yaml() {
    let rules = |file: &str| {
        told(file, "x", ValidationProfile::Spec)
            .into_iter()
            .map(|(rule, _)| rule)
            .collect::<Vec<_>>()
    };
    assert_eq!(rules("---\nname: x\ndescription: d\n---\n"), [""; 0]);
    assert_eq!(
        rules("---\r\nname: x\r\ndescription: d\r\n---\r\nbody"),
        [""; 0]
    );
    assert_eq!(rules(""), ["empty-file"]);
    assert_eq!(rules("# Title\n"), ["frontmatter-missing"]);
    assert_eq!(
        rules("---\nname: x\ndescription: d\n"),
        ["frontmatter-unclosed"]
    );
    assert_eq!(
        rules("\n---\nname: x\ndescription: d\n---\n"),
        ["frontmatter-not-first"]
    );
    all(&[
        ("- name: x", &["frontmatter-not-mapping"]),
        ("text", &["frontmatter-not-mapping"]),
        ("", &["frontmatter-not-mapping"]),
        ("name: x\ndescription: a: b", &["yaml-unquoted-colon"]),
        ("name: x\ndescription: 'a", &["yaml-bad-quotes"]),
        ("name: x\ndescription: d\nname: x", &["yaml-duplicate-key"]),
    ]);
}

#[test]
fn every_yaml_style_is_accepted() {
    all(&[
        ("{name: x, description: d}", &[]),
        ("name: &n x\ndescription: *n", &[]),
        ("name: !!str x\ndescription: >-\n  d\n  e", &[]),
        ("name: x\ndescription: d\nmetadata: {\"a\": \"b\"}", &[]),
        ("name: x\ndescription: a --- b", &[]),
        ("? name\n: x\n? description\n: d", &[]),
    ]);
}

#[test]
fn name_is_1_to_64_lowercase_letters_digits_and_single_hyphens() {
    for name in ["x", "pdf-forms", "a1", "1a", "a-1-b", &"a".repeat(64)] {
        assert_eq!(named(name, name), [""; 0], "{name}");
    }
    for (name, rule) in [
        (&*"a".repeat(65), "name-too-long"),
        ("Pdf", "name-uppercase"),
        ("a_b", "name-invalid-chars"),
        ("a b", "name-invalid-chars"),
        ("a.b", "name-invalid-chars"),
        ("é", "name-non-ascii"),
        ("-a", "name-hyphen-edge"),
        ("a-", "name-hyphen-edge"),
        ("a--b", "name-double-hyphen"),
    ] {
        assert_eq!(named(name, name), [rule], "{name}");
    }
    assert_eq!(named("a", "b"), ["name-directory-mismatch"]);
    assert_eq!(named("a", ""), [""; 0]);
    for (name, rule) in [
        ("", "name-empty"),
        ("''", "name-empty"),
        ("null", "name-empty"),
        ("123", "wrong-type"),
    ] {
        assert_eq!(named(name, ""), [rule], "{name}");
    }
    assert_eq!(named("[x]", "x"), ["wrong-type"]);
    all(&[("description: d", &["name-missing"])]);
}

#[test]
fn description_is_1_to_1024_characters() {
    let long = |count: usize| format!("name: x\ndescription: {}", "é".repeat(count));
    all(&[
        (&long(1024), &[]),
        (&long(1025), &["description-too-long"]),
        ("name: x", &["description-missing"]),
        ("name: x\ndescription:", &["description-empty"]),
        ("name: x\ndescription: ''", &["description-empty"]),
        ("name: x\ndescription: true", &["wrong-type"]),
        ("name: x\ndescription: [d]", &["wrong-type"]),
    ]);
}

#[test]
fn other_fields_follow_the_specification() {
    let all = |table: &[(&str, &[&str])]| {
        for (field, expected) in table {
            all(&[(&format!("name: x\ndescription: d\n{field}"), expected)]);
        }
    };
    let compatibility = |count: usize| format!("compatibility: {}", "é".repeat(count));
    all(&[
        (&compatibility(500), &[]),
        (&compatibility(501), &["compatibility-length"]),
        ("compatibility: ''", &["compatibility-length"]),
        ("compatibility:", &["wrong-type"]),
        ("license: MIT", &[]),
        ("license: [MIT]", &["wrong-type"]),
        ("allowed-tools: Bash(git:*) Read", &[]),
        ("allowed-tools: [Read]", &["wrong-type"]),
        ("metadata:\n  a: b\n  version: '1.0'", &[]),
        ("metadata:\n  released: 2026-01-25", &[]),
        ("metadata: {}", &[]),
        ("metadata: a", &["wrong-type"]),
        ("metadata:", &["wrong-type"]),
        ("metadata:\n  version: 1.0", &["metadata-not-strings"]),
        ("metadata:\n  a: {b: c}", &["metadata-not-strings"]),
        ("metadata:\n  a:", &["metadata-not-strings"]),
        ("metadata:\n  1: a", &["metadata-not-strings"]),
        ("version: 1.0\ntags: [a]", &[]),
    ]);
}
