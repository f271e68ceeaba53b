//! Tests that the table is consistent, and that every rule reports its bad examples only.

use std::collections::BTreeMap;

use super::{GROUPS, all, find};
use crate::examples::check;
use crate::{Rule, RuleCheck, RuleExample};

#[test]
fn every_rule_reports_its_bad_examples_and_not_its_good_ones() {
    let mut faults = Vec::new();
    for rule in all() {
        let is_reported = |example: &RuleExample| {
            check(example)
                .iter()
                .any(|found| found.diagnostic.rule == rule.name)
        };
        let (bad, good) = (rule.docs.bad, rule.docs.good);
        if matches!(rule.check, RuleCheck::Command(_)) {
            continue;
        }
        if bad.is_empty() || good.is_empty() {
            faults.push(format!("{}: no bad or no good example", rule.name));
        }
        faults.extend(
            (0..bad.len())
                .filter(|&at| !is_reported(&bad[at]))
                .map(|at| format!("{}: bad example {at} is not reported", rule.name)),
        );
        faults.extend(
            (0..good.len())
                .filter(|&at| is_reported(&good[at]))
                .map(|at| format!("{}: good example {at} is reported", rule.name)),
        );
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn table_is_sorted_and_codes_and_names_are_unique() {
    let mut names = BTreeMap::new();
    for group in &GROUPS {
        for rule in group.rules {
            assert!(
                rule.code.starts_with(group.code) && rule.code.len() == 5,
                "{}",
                rule.code
            );
            assert!(
                rule.name
                    .bytes()
                    .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-'),
                "{}",
                rule.name
            );
            assert_eq!(
                names.insert(rule.name, rule.code),
                None,
                "{} is twice in the table",
                rule.name
            );
        }
    }
    let codes: Vec<&str> = all().map(|rule| rule.code).collect();
    assert!(codes.windows(2).all(|pair| pair[0] < pair[1]), "{codes:?}");
}

#[test]
fn every_rule_is_documented() {
    for rule in all() {
        let Rule { summary, docs, .. } = rule;
        for text in [docs.finds, docs.hurts, docs.ignore] {
            assert!(
                text.ends_with('.') && text.len() > 20,
                "{}: {text}",
                rule.name
            );
        }
        assert!(
            summary.len() <= 90 && !summary.ends_with('.'),
            "{}: {summary}",
            rule.name
        );
        if let RuleCheck::SharedWith(other) = rule.check {
            assert!(
                matches!(
                    find(other).unwrap().check,
                    RuleCheck::Skill(_) | RuleCheck::Skills(_)
                ),
                "{other}"
            );
        }
    }
}
