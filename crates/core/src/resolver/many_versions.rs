//! Packages with thousands of versions of which hardly any fits: the solution is found, within a number of steps that grows
//! linearly with the versions.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::dependency_graph::DependencyGraph;
use super::solve::{SearchBudget, SolveOutcome, solve};
use super::table::{answer, roots, summary};
use super::{Candidates, VersionPins, resolve};

/// Versions of each package, of which the first is 1.0.0.
const COUNT: u32 = 1_000;

/// A permutation of the numbers below `modulus` in no apparent order.
fn scattered(at: u32, modulus: u32) -> u32 {
    // 7919 is prime, and no factor of any modulus here.
    at * 7_919 % modulus
}

/// The solution, which must be found within so many steps per candidate.
fn solved_within(steps_each: u64, lines: &str, table: &[String]) -> Option<String> {
    let candidates: Candidates = table.iter().map(|line| summary(line)).collect();
    let (roots, pins) = (roots(lines), VersionPins::new());
    let graph = DependencyGraph::new(&roots, &pins, &candidates);
    let budget = SearchBudget::for_search(&graph);
    let verdict = solve(&graph, None, &budget);
    let limit = steps_each * graph.size();
    assert!(
        budget.steps_taken() <= limit,
        "{} steps of {limit}",
        budget.steps_taken()
    );
    match verdict {
        SolveOutcome::Chosen(_) => Some(answer(&resolve(&roots, &pins, &candidates).unwrap())),
        SolveOutcome::Impossible(_) => None,
        SolveOutcome::Undecided => panic!("given up after {} steps", budget.steps_taken()),
    }
}

fn versions(line: impl Fn(u32) -> String) -> Vec<String> {
    (0..COUNT).map(line).collect()
}

#[test]
fn old_version_without_missing_dependency_is_found() {
    let mut table: Vec<String> = (1..1_199)
        .map(|at| format!("a 1.{at}.0 -> core *"))
        .collect();
    assert_eq!(solved_within(2, "a *", &table), None);
    table.push("a 1.0.0".into());
    assert_eq!(solved_within(2, "a *", &table), Some("a 1.0.0".into()));
}

#[test]
fn versions_with_missing_dependencies_are_skipped() {
    let mut table =
        versions(|at| format!("a 1.{}.0 -> gone{} *", at + 1, scattered(at, COUNT) % 7));
    table.push("a 1.0.0".into());
    assert_eq!(solved_within(2, "a *", &table), Some("a 1.0.0".into()));
}

#[test]
fn only_pair_that_agrees_on_a_third_is_found() {
    let fitting = 2 * scattered(1, COUNT);
    let expected = format!("a 1.1.0, b 1.0.0, c 1.{fitting}.0");
    assert_eq!(
        solved_within(6, "a *, b *", &pairs_with_third(fitting)),
        Some(expected)
    );
    assert_eq!(
        solved_within(6, "a *, b *", &pairs_with_third(2 * COUNT + 1)),
        None
    );
}

/// Versions of `a` that require even versions of `c`, and of `b` that require odd ones, except the first: it requires
/// `common`.
fn pairs_with_third(common: u32) -> Vec<String> {
    let mut table = versions(|at| format!("a 1.{at}.0 -> c =1.{}.0", 2 * scattered(at, COUNT)));
    table.push(format!("b 1.0.0 -> c =1.{common}.0"));
    table.extend((1..COUNT).map(|at| {
        let wanted = 2 * scattered(at, COUNT) + 1;
        format!("b 1.{at}.0 -> c =1.{wanted}.0")
    }));
    table.extend((0..2 * COUNT + 2).map(|at| format!("c 1.{at}.0")));
    table
}

#[test]
fn only_pair_that_requires_each_other_is_found() {
    let agreeing = scattered(1, COUNT);
    let mut table = versions(|at| format!("a 1.{at}.0 -> b =1.{}.0", scattered(at, COUNT)));
    table.extend(versions(|at| {
        let wanted = if at == agreeing { 1 } else { COUNT + at };
        format!("b 1.{at}.0 -> a =1.{wanted}.0")
    }));
    let expected = format!("a 1.1.0, b 1.{agreeing}.0");
    assert_eq!(solved_within(6, "a *, b *", &table), Some(expected));
}

#[test]
fn chain_of_exact_versions_is_followed_down_to_the_one_that_ends() {
    let mut table = Vec::new();
    for (from, to) in [("a", "b"), ("b", "c"), ("c", "d"), ("d", "e")] {
        table.extend((0..400).map(|at| format!("{from} 1.{at}.0 -> {to} =1.{at}.0")));
    }
    table.push("e 1.0.0".into());
    assert_eq!(
        solved_within(6, "a *", &table),
        Some("a 1.0.0, b 1.0.0, c 1.0.0, d 1.0.0, e 1.0.0".into())
    );
}

#[test]
fn giving_up_names_the_line_with_the_most_versions() {
    // Thirteen skills that each need one of twelve seats for themselves.
    let mut table = Vec::new();
    for skill in 0..13 {
        for seat in 0..12 {
            table.push(format!(
                "skill{skill} {seat}.0.0 -> seat{seat} ={skill}.0.0"
            ));
            table.push(format!("seat{seat} {skill}.0.0"));
        }
    }
    table.push("skill7 12.0.0 -> seat0 =7.0.0".into());
    let candidates: Candidates = table.iter().map(|line| summary(line)).collect();
    let (lines, pins) = (
        (0..13)
            .map(|skill| format!("skill{skill} *"))
            .collect::<Vec<_>>()
            .join(","),
        VersionPins::new(),
    );
    let roots = roots(&lines);
    let graph = DependencyGraph::new(&roots, &pins, &candidates);
    assert!(
        matches!(
            solve(&graph, None, &SearchBudget::new(300, u64::MAX)),
            SolveOutcome::Undecided
        ),
        "steps"
    );
    assert!(
        matches!(
            solve(&graph, None, &SearchBudget::new(u64::MAX, 10_000)),
            SolveOutcome::Undecided
        ),
        "work"
    );
    let (line, width) = graph.widest_line().unwrap();
    assert_eq!(
        (line.dependency.alias.as_str(), width, graph.size()),
        ("skill7", 13, 313 + 25)
    );
}

/// For each version of a package, the version of another that it needs; of each package up to 40.
fn needs() -> impl Strategy<Value = Vec<u32>> {
    prop::collection::vec(0..60_u32, 1..40)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    /// `a` and `b` need a version of `c`, and each version of `c` needs one of `d`: every combination is tried.
    #[test]
    fn conflict_of_every_combination_is_found(a in needs(), b in needs(), c in needs(), d in 1..40_u32) {
        let needs = |from: &str, to: &str, needs: &[u32]| -> Vec<String> {
            let line = |(at, need): (usize, &u32)| format!("{from} 1.{at}.0 -> {to} =1.{need}.0");
            needs.iter().enumerate().map(line).collect()
        };
        let mut table = [needs("a", "c", &a), needs("b", "c", &b), needs("c", "d", &c)].concat();
        table.extend((0..d).map(|at| format!("d 1.{at}.0")));

        let is_offered = |at: u32| c.get(at as usize).is_some_and(|need| *need < d);
        let mut fitting: BTreeMap<u32, (usize, usize)> = BTreeMap::new();
        for (a_at, wanted) in a.iter().enumerate().filter(|(_, wanted)| is_offered(**wanted)) {
            for (b_at, _) in b.iter().enumerate().filter(|(_, other)| *other == wanted) {
                fitting.insert(*wanted, (a_at, b_at));
            }
        }
        let found = solved_within(8, "a *, b *", &table);
        prop_assert_eq!(found.is_some(), !fitting.is_empty(), "{:?}", found);
        if let Some(found) = found {
            let of = |name: &str| {
                let word = found.split(", ").find_map(|word| word.strip_prefix(name)).unwrap();
                word.trim_start_matches(" 1.").trim_end_matches(".0").parse::<u32>().unwrap()
            };
            let (a_at, b_at, c_at, d_at) = (of("a"), of("b"), of("c"), of("d"));
            prop_assert_eq!((a[a_at as usize], b[b_at as usize], c[c_at as usize]), (c_at, c_at, d_at));
        }
    }
}

/// Levels of packages with equal versions each, of which the last requires something that the project excludes.
fn equal_levels(levels: usize, count: usize) -> Vec<String> {
    let mut table = Vec::new();
    for level in 0..levels {
        let needs = if level + 1 == levels {
            "last ^2".to_owned()
        } else {
            format!("level{} *", level + 1)
        };
        table.extend((0..count).map(|at| format!("level{level} 1.{at}.0 -> {needs}")));
    }
    table.extend(["last 1.0.0".to_owned(), "last 2.0.0".to_owned()]);
    table
}

#[test]
fn equal_versions_on_many_levels_are_tried_once_each() {
    let table = equal_levels(200, 99);
    assert_eq!(solved_within(1, "level0 *, last ^1", &table), None);
    // The same with a way out at the top, and with one for the oldest version of a level in the middle.
    let mut with_exit = table.clone();
    with_exit.push("level0 1.99.1-rc.1".into());
    with_exit.push("level0 0.1.0".into());
    assert_eq!(
        solved_within(1, "level0 *, last ^1", &with_exit),
        Some("last 1.0.0, level0 0.1.0".into())
    );
}

#[test]
fn versions_that_one_requirement_distinguishes_are_not_equal() {
    let mut table: Vec<String> = (0..50).map(|at| format!("b 1.{at}.0 -> c *")).collect();
    table.extend((0..50).map(|at| format!("a 1.{at}.0 -> b *")));
    table.extend(["c 1.0.0".into(), "d 1.0.0 -> b =1.7.0".into()]);
    assert_eq!(
        solved_within(2, "a *, d *", &table),
        Some("a 1.49.0, b 1.7.0, c 1.0.0, d 1.0.0".into())
    );
}
