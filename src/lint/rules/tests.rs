//! That the table holds together, and that every rule finds what its docs say it finds.

use std::collections::BTreeMap;

use super::{GROUPS, all, find};
use crate::lint::{self, Check, Content, Example, File, Flags, Piece, Rule, Settings, SkillDir};
use crate::manifest;
use crate::report::Finding;

/// All findings of an example: of each of its skills, and across them.
fn lint(example: &Example) -> Vec<Finding> {
    let mut dirs: BTreeMap<String, SkillDir> = BTreeMap::new();
    let is_page = |path: &str| path.rsplit('/').next().is_some_and(|name| name.eq_ignore_ascii_case("SKILL.md"));
    let mut roots: Vec<&str> = Vec::new();
    for (path, _) in example.files {
        let top = path.split('/').next().unwrap();
        roots.push(if is_page(path) { path.rsplit_once('/').unwrap().0 } else { top });
    }
    roots.sort_unstable();
    roots.dedup();
    for root in &roots {
        let directory = root.rsplit('/').next().unwrap().to_owned();
        dirs.insert((*root).to_owned(), SkillDir { path: (*root).to_owned(), directory, ..SkillDir::default() });
    }
    for (path, piece) in example.files {
        let below = |root: &&&str| path.starts_with(&format!("{root}/"));
        let root = roots.iter().filter(below).max_by_key(|root| root.len()).unwrap();
        for outer in roots.iter().filter(below).filter(|outer| *outer != root && is_page(path)) {
            dirs.get_mut(*outer).unwrap().nested.push(path[outer.len() + 1..].to_owned());
        }
        let (content, executable) = match piece {
            Piece::Text(text) => (Content::Text((*text).to_owned()), false),
            Piece::Program(text) => (Content::Text((*text).to_owned()), true),
            Piece::Bytes(bytes) => (Content::of(bytes.to_vec()), false),
            Piece::Link(to) => (Content::Link((*to).to_owned()), false),
        };
        let path = path[root.len() + 1..].to_owned();
        dirs.get_mut(*root).unwrap().files.push(File { path, content, executable });
    }
    let settings = settings(example);
    let mut findings = Vec::new();
    let mut summaries = Vec::new();
    for dir in dirs.values_mut() {
        dir.files.sort_by(|a, b| a.path.cmp(&b.path));
        let checked = lint::check(dir, &settings);
        findings.extend(checked.findings);
        summaries.extend(checked.summary);
    }
    findings.extend(lint::check_across(&summaries, &settings));
    findings
}

/// What the example's `[lint]` says; a rule that it asks for must be there.
fn settings(example: &Example) -> Settings {
    let text = format!("[lint]\n{}", example.settings);
    let table = manifest::lint::table(&text, "example").unwrap();
    let (settings, remarks) = Settings::new(table.as_ref(), &Flags::default()).unwrap();
    assert!(remarks.is_empty(), "{remarks:?}");
    settings
}

#[test]
fn every_rule_finds_what_its_bad_examples_have_and_nothing_in_its_good_ones() {
    let mut faults = Vec::new();
    for rule in all() {
        let told = |example: &Example| lint(example).iter().any(|found| found.diagnostic.rule == rule.name);
        let (bad, good) = (rule.docs.bad, rule.docs.good);
        if matches!(rule.check, Check::Command(_)) {
            continue;
        }
        if bad.is_empty() || good.is_empty() {
            faults.push(format!("{}: no bad or no good example", rule.name));
        }
        faults
            .extend((0..bad.len()).filter(|&at| !told(&bad[at])).map(|at| format!("{}: bad {at} is fine", rule.name)));
        faults
            .extend((0..good.len()).filter(|&at| told(&good[at])).map(|at| format!("{}: good {at} is not", rule.name)));
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn the_table_is_sorted_and_every_code_and_name_is_one_rules() {
    let mut names = BTreeMap::new();
    for group in &GROUPS {
        for rule in group.rules {
            assert!(rule.code.starts_with(group.code) && rule.code.len() == 5, "{}", rule.code);
            assert!(
                rule.name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-'),
                "{}",
                rule.name
            );
            assert_eq!(names.insert(rule.name, rule.code), None, "{} is twice in the table", rule.name);
        }
    }
    let codes: Vec<&str> = all().map(|rule| rule.code).collect();
    assert!(codes.windows(2).all(|pair| pair[0] < pair[1]), "{codes:?}");
}

#[test]
fn every_rule_says_what_it_finds_why_and_when_not() {
    for rule in all() {
        let Rule { summary, docs, .. } = rule;
        for text in [docs.finds, docs.hurts, docs.ignore] {
            assert!(text.ends_with('.') && text.len() > 20, "{}: {text}", rule.name);
        }
        assert!(summary.len() <= 90 && !summary.ends_with('.'), "{}: {summary}", rule.name);
        if let Check::With(other) = rule.check {
            assert!(matches!(find(other).unwrap().check, Check::Skill(_) | Check::Skills(_)), "{other}");
        }
    }
}
