//! The crates that skillpm is built from, by `deny.toml`: what of it can be checked without cargo-deny, which `.ci/run` installs.

use super::{Command, Value, fs, root, skipped};

/// The only registry.
const CRATES_IO: &str = "registry+https://github.com/rust-lang/crates.io-index";

/// The strings of a list in `deny.toml`.
fn listed(table: &str, key: &str) -> Vec<String> {
    let text = fs::read_to_string(root().join("deny.toml")).unwrap();
    let rules: toml::Table = text.parse().unwrap();
    let list = rules[table][key].as_array().unwrap();
    list.iter()
        .map(|item| item.as_str().unwrap().to_owned())
        .collect()
}

/// Whether a license expression is met by the allowed licenses. `/` is how older crates write `OR`.
fn is_met(expression: &str, allowed: &[String]) -> bool {
    let text = expression
        .replace('/', " OR ")
        .replace('(', " ( ")
        .replace(')', " ) ");
    let tokens: Vec<&str> = text.split_whitespace().collect();
    let (met, rest) = read_alternatives(&tokens, allowed);
    assert_eq!(rest, [""; 0], "`{expression}`");
    met
}

fn read_alternatives<'t>(tokens: &'t [&'t str], allowed: &[String]) -> (bool, &'t [&'t str]) {
    let (mut met, mut rest) = read_all(tokens, allowed);
    while let Some(("OR", after)) = rest.split_first().map(|(word, after)| (*word, after)) {
        let (other, after) = read_all(after, allowed);
        (met, rest) = (met || other, after);
    }
    (met, rest)
}

fn read_all<'t>(tokens: &'t [&'t str], allowed: &[String]) -> (bool, &'t [&'t str]) {
    let (mut met, mut rest) = read_one(tokens, allowed);
    while let Some(("AND", after)) = rest.split_first().map(|(word, after)| (*word, after)) {
        let (other, after) = read_one(after, allowed);
        (met, rest) = (met && other, after);
    }
    (met, rest)
}

fn read_one<'t>(tokens: &'t [&'t str], allowed: &[String]) -> (bool, &'t [&'t str]) {
    match tokens {
        ["(", inner @ ..] => {
            let (met, rest) = read_alternatives(inner, allowed);
            (met, rest.strip_prefix(&[")"]).unwrap())
        }
        // An exception only adds permissions, and is listed by itself.
        [license, "WITH", exception, rest @ ..] => (
            allowed.contains(&format!("{license} WITH {exception}")),
            rest,
        ),
        [license, rest @ ..] => (allowed.iter().any(|known| known == license), rest),
        [] => panic!("a license is missing"),
    }
}

#[test]
fn license_expressions_are_read_as_spdx_reads_them() {
    let allowed = ["MIT", "ISC", "Zlib WITH x"].map(str::to_owned);
    for (expression, met) in [
        ("MIT", true),
        ("GPL-3.0", false),
        ("GPL-3.0 OR MIT", true),
        ("GPL-3.0/MIT", true),
        ("MIT AND GPL-3.0", false),
        ("MIT AND GPL-3.0 OR ISC", true),
        ("(MIT OR GPL-3.0) AND ISC", true),
        ("MIT AND (GPL-3.0 OR BSD-3-Clause)", false),
        ("Zlib", false),
        ("Zlib WITH x", true),
    ] {
        assert_eq!(is_met(expression, &allowed), met, "{expression}");
    }
}

#[test]
fn every_crate_is_of_crates_io_or_ours() {
    assert_eq!(
        listed("sources", "allow-registry"),
        [CRATES_IO.trim_start_matches("registry+")]
    );
    let text = fs::read_to_string(root().join("Cargo.lock")).unwrap();
    let lock: toml::Table = text.parse().unwrap();
    let packages = lock["package"].as_array().unwrap();

    for package in packages {
        let name = package["name"].as_str().unwrap();
        match package.get("source").and_then(toml::Value::as_str) {
            None => assert!(name.starts_with("skillpm"), "`{name}` has no source"),
            Some(source) => {
                assert_eq!(source, CRATES_IO, "{name}");
                assert!(package.get("checksum").is_some(), "{name}");
            }
        }
    }
    assert!(packages.len() > 100);
}

#[test]
fn licenses_of_all_crates_are_allowed() {
    let allowed = listed("licenses", "allow");
    // Of all systems if their crates were fetched, else of this one.
    let metadata = |options: &[&str]| {
        let output = Command::new(env!("CARGO"))
            .args(["metadata", "--offline", "--locked", "--format-version=1"])
            .args(options)
            .current_dir(root())
            .output()
            .unwrap();
        output.status.success().then_some(output.stdout)
    };
    let host = format!(
        "--filter-platform={}-unknown-linux-gnu",
        std::env::consts::ARCH
    );
    let Some(bytes) = metadata(&[]).or_else(|| metadata(&[&host])) else {
        skipped("the crates were not fetched for `cargo metadata`");
        return;
    };

    let metadata: Value = serde_json::from_slice(&bytes).unwrap();
    let refused: Vec<String> = metadata["packages"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|package| {
            let license = package["license"].as_str();
            license.is_none_or(|license| !is_met(license, &allowed))
        })
        .map(|package| format!("{}: {}", package["name"], package["license"]))
        .collect();
    assert_eq!(refused, [""; 0]);
}

#[test]
fn no_crate_is_required_in_any_version() {
    let mut manifests = vec![root().join("Cargo.toml"), root().join("fuzz/Cargo.toml")];
    for dir in fs::read_dir(root().join("crates")).unwrap() {
        manifests.push(dir.unwrap().path().join("Cargo.toml"));
    }
    for manifest in manifests {
        let text = fs::read_to_string(&manifest).unwrap();
        let table: toml::Table = text.parse().unwrap();
        assert_eq!(wildcards(&table), [""; 0], "{}", manifest.display());
    }
}

/// The dependencies below a table of a manifest whose version is `*`.
fn wildcards(table: &toml::Table) -> Vec<String> {
    let mut found = Vec::new();
    for (key, value) in table {
        let version = value.get("version").unwrap_or(value);
        if version.as_str() == Some("*") {
            found.push(key.clone());
        }
        if let Some(inner) = value.as_table() {
            found.extend(wildcards(inner));
        }
    }
    found
}
