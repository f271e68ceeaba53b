//! `completions/`, `man/` and `docs/commands.md`, made from the tree of commands, and `docs/rules.md`, made from the table of
//! rules: committed, and compared here byte for byte.
//! `SNAPSHOTS=overwrite cargo test --test suite generated` makes them anew.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use skillpm::cli::generate;

use crate::support::overwrites;

/// Fails unless the folder holds just these files, or makes it so.
#[track_caller]
fn holds(folder: &str, made: &BTreeMap<String, Vec<u8>>) {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    if overwrites() {
        let _ = fs::remove_dir_all(&dir);
        fs::create_dir(&dir).unwrap();
        made.iter()
            .for_each(|(name, bytes)| fs::write(dir.join(name), bytes).unwrap());
    }
    let names: BTreeSet<String> = fs::read_dir(&dir)
        .map(|entries| {
            entries
                .map(|entry| entry.unwrap().file_name().into_string().unwrap())
                .collect()
        })
        .unwrap_or_default();
    let differs = |(name, bytes): (&String, &Vec<u8>)| {
        (fs::read(dir.join(name)).ok().as_ref() != Some(bytes))
            .then(|| format!("{folder}/{name}: out of date"))
    };
    let stale = names
        .iter()
        .filter(|name| !made.contains_key(*name))
        .map(|name| format!("{folder}/{name}: stale"));
    let faults: Vec<String> = made.iter().filter_map(differs).chain(stale).collect();
    assert!(
        faults.is_empty(),
        "{}\n`SNAPSHOTS=overwrite cargo test --test suite generated` makes them anew",
        faults.join("\n")
    );
}

#[test]
fn completions_match_the_commands() {
    let made =
        generate::SHELLS.map(|(shell, name)| (name.to_owned(), generate::completions(shell)));
    holds("completions", &BTreeMap::from(made));
}

#[test]
fn man_pages_match_the_commands() {
    holds("man", &generate::man_pages());
}

/// So every message and every underline of every rule is read by somebody before it changes.
#[test]
fn messages_of_the_rules_are_as_reviewed() {
    holds("tests/fixtures/rules", &generate::rules_findings());
}

/// It is an index: the text of a rule is printed by `lint --explain`.
#[test]
fn rules_page_matches_the_rules() {
    let page = generate::rules_page();
    page_matches("docs/rules.md", &page);

    let lines = page.lines().count();
    assert!(
        lines < 350 && page.len() < 40_000,
        "{lines} lines, {} bytes",
        page.len()
    );
}

#[test]
fn commands_page_matches_the_commands() {
    page_matches("docs/commands.md", &generate::commands_page());
}

/// Fails unless the file is this page, or makes it so.
#[track_caller]
fn page_matches(name: &str, page: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(name);
    if overwrites() {
        fs::write(&path, page).unwrap();
    }
    let committed = fs::read_to_string(&path).unwrap_or_default();
    let differs = || {
        committed
            .lines()
            .zip(page.lines())
            .position(|(old, new)| old != new)
            .map_or(0, |line| line + 1)
    };
    assert!(
        committed == page,
        "{name} is out of date from line {} on\n`SNAPSHOTS=overwrite cargo test --test suite generated` makes it again",
        differs()
    );
}
