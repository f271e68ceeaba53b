//! That the table holds together, and that every rule finds what its docs say it finds.

use std::collections::BTreeMap;

use super::{GROUPS, all, find};
use crate::lint::examples::check;
use crate::lint::{Check, Example, Rule};

#[test]
fn every_rule_finds_what_its_bad_examples_have_and_nothing_in_its_good_ones() {
    let mut faults = Vec::new();
    for rule in all() {
        let told = |example: &Example| check(example).iter().any(|found| found.diagnostic.rule == rule.name);
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
