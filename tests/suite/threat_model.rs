//! The threat model names the test that shows each behaviour; a name that no test bears proves nothing.

use std::fs;
use std::path::Path;

use regex::Regex;

/// Every test that `docs/threat-model.md` names as `file::name`, and as `src/file.rs name`, with the file it is said to be in.
fn named(text: &str) -> Vec<(String, String)> {
    let of_suite = Regex::new(r"`([a-z_]+)::(?:[a-z]+::)?([a-z_0-9]+)`").unwrap();
    let of_units = Regex::new(r"`((?:crates/[a-z]+/)?src/[a-z_/]+\.rs) ([a-z_0-9]+)`").unwrap();
    let suite = of_suite
        .captures_iter(text)
        .map(|found| (format!("tests/suite/{}.rs", &found[1]), found[2].to_owned()));
    let units = of_units
        .captures_iter(text)
        .map(|found| (found[1].to_owned(), found[2].to_owned()));
    suite.chain(units).collect()
}

#[test]
fn every_test_named_in_the_threat_model_exists() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let text = fs::read_to_string(root.join("docs/threat-model.md")).unwrap();
    let named = named(&text);
    assert!(named.len() > 40, "{named:?}");
    for (file, name) in named {
        let source = fs::read_to_string(root.join(&file)).unwrap_or_default();
        assert!(
            source.contains(&format!("fn {name}(")),
            "`{name}` is not in {file}"
        );
    }
}

/// Every case that `.ci/adversarial` says is shown elsewhere, with the tests that it names.
fn elsewhere(script: &str) -> Vec<(&str, Vec<(String, String)>)> {
    let begin = script.find("\nELSEWHERE = {").unwrap();
    let table = &script[begin..begin + script[begin..].find("\n}\n").unwrap()];
    let case = Regex::new(r#"(?m)^    "([a-z0-9-]+)": "(.*)",$"#).unwrap();
    let of_suite = Regex::new(r"\b([a-z_]+)::(?:[a-z]+::)?([a-z_0-9]+)").unwrap();
    let of_units = Regex::new(r"\b((?:crates/[a-z]+/)?src/[a-z_/]+\.rs): ([a-z_0-9]+)").unwrap();
    let cases = case.captures_iter(table).map(|found| {
        let (_, [name, shown]) = found.extract();
        let suite = of_suite
            .captures_iter(shown)
            .map(|test| (format!("tests/suite/{}.rs", &test[1]), test[2].to_owned()));
        let units = of_units
            .captures_iter(shown)
            .map(|test| (test[1].to_owned(), test[2].to_owned()));
        (name, suite.chain(units).collect())
    });
    cases.collect()
}

#[test]
fn every_adversarial_case_shown_elsewhere_names_a_test() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let script = fs::read_to_string(root.join(".ci/adversarial")).unwrap();
    let cases = elsewhere(&script);
    let lines = script
        .lines()
        .skip_while(|line| *line != "ELSEWHERE = {")
        .skip(1)
        .take_while(|line| *line != "}");
    assert_eq!(
        cases.len(),
        lines.count(),
        "every line of the table is a case"
    );
    for (case, tests) in cases {
        assert!(!tests.is_empty(), "{case} names no test");
        for (file, name) in tests {
            let source = fs::read_to_string(root.join(&file)).unwrap_or_default();
            assert!(
                source.contains(&format!("fn {name}(")),
                "{case}: `{name}` is not in {file}"
            );
        }
    }
}

#[test]
fn every_behavior_names_a_test_or_is_open() {
    let text =
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/threat-model.md"))
            .unwrap();
    for number in 1..=34 {
        let begin = format!("| S{number:02} |");
        let rows: Vec<&str> = text
            .lines()
            .filter(|line| line.starts_with(&begin))
            .collect();
        assert_eq!(rows.len(), 1, "S{number:02}");
        let shown =
            rows[0].contains("::") || rows[0].contains("src/") || rows[0].contains("every test");
        assert!(shown || rows[0].contains("**open**"), "{}", rows[0]);
    }
}
