//! Compares the matches of the precompiled regexes with those of the regexes alone.

use super::super::samples::{BAD, GOOD};
use super::super::scan::{PatternExamples, SecurityPattern};
use super::*;

/// All regexes of the tables, with their trigger words and examples.
fn regexes() -> impl Iterator<Item = (PatternRegex, &'static [&'static str], PatternExamples)> {
    let of_patterns = patterns().filter_map(|row| Some((row.regex?, row.triggers, row.examples)));
    let by_name = super::super::context::REGEXES
        .iter()
        .chain(super::super::decoding::REGEXES)
        .map(|&(regex, examples)| (regex, &[][..], examples));
    of_patterns.chain(by_name)
}

/// The patterns of all rules.
fn patterns() -> impl Iterator<Item = &'static SecurityPattern> {
    super::super::action_patterns().chain(super::super::prompt_instructions::patterns())
}

/// Every regex, for the duration of the tests.
fn all() -> Vec<&'static CompiledPattern> {
    regexes().map(|(regex, ..)| compile(regex)).collect()
}

fn compile(regex: PatternRegex) -> &'static CompiledPattern {
    Box::leak(Box::new(CompiledPattern::new(&regex)))
}

#[test]
fn automata_are_decoded_as_they_were_encoded() {
    for pattern in all() {
        let read = pattern.precompiled.unwrap().automaton().unwrap();
        assert_eq!(
            format!("{read:?}"),
            format!("{:?}", build_nfa(pattern.text)),
            "{}",
            pattern.text
        );
    }
}

/// The matches of a regex, as the fallback engine alone finds them.
fn found_plainly(pattern: &'static CompiledPattern, text: &[u8]) -> Vec<RegexMatch> {
    let (mut found, mut at, mut tries) = (Vec::new(), 0, 0);
    while at <= text.len() && tries < LONG_MATCHES_MAX {
        let mut captures = pattern.regex().create_captures();
        pattern
            .regex()
            .search_captures(&Input::new(text).range(at..), &mut captures);
        let Some(whole) = captures.get_match().map(|whole| whole.range()) else {
            break;
        };
        if whole.len() > pattern.longest {
            tries += 1;
            at = whole.start + 1;
            continue;
        }
        at = whole.end.max(whole.start + 1);
        let names = pattern
            .regex()
            .group_info()
            .pattern_names(PatternID::ZERO)
            .flatten();
        let groups = names
            .filter_map(|name| Some((name, captures.get_group_by_name(name)?.range())))
            .collect();
        found.push(RegexMatch {
            span: whole,
            groups,
        });
    }
    found
}

fn is_found_alike(pattern: &'static CompiledPattern, text: &str) -> usize {
    let found = pattern.find_all(text.as_bytes());
    let plainly = found_plainly(pattern, text.as_bytes());
    assert_eq!(found, plainly, "{}\nin {text:?}", pattern.text);
    found.len()
}

#[test]
fn precompiled_pattern_finds_the_matches_of_its_regex() {
    let samples = || {
        BAD.iter()
            .map(|bad| bad.3)
            .chain(GOOD.iter().map(|good| good.1))
    };
    let mut found = 0;
    for pattern in all() {
        for (first, second) in samples().zip(samples().skip(1)) {
            found += is_found_alike(pattern, &format!("{first}{second}"));
        }
    }
    assert!(found > 400, "only {found} matches");
}

#[test]
fn precompiled_patterns_are_used_and_their_budget_is_limited() {
    let regexes = all();
    assert!(regexes.len() > 50 && regexes.iter().all(|pattern| pattern.precompiled.is_some()));
    let text = "curl ".repeat(4000);
    let exhausts = |pattern: &&&'static CompiledPattern| {
        is_found_alike(pattern, &text);
        pattern
            .build_matcher()
            .find_first(
                text.as_bytes(),
                0,
                &mut StepBudget::for_text(text.as_bytes()),
            )
            .is_err()
    };
    assert!(
        regexes.iter().filter(exhausts).count() > 1,
        "some texts exhaust the budget"
    );
}

#[test]
fn unknown_regex_is_compiled_at_run_time() {
    let pattern = compile(PatternRegex {
        text: r"\b(?P<a>ab)+c|(?:d)",
        longest: usize::MAX,
    });
    assert!(pattern.precompiled.is_none() && pattern.may_match(b""));
    assert_eq!(is_found_alike(pattern, "abc d cab ababc"), 3);
}

#[test]
fn matches_over_the_longest_do_not_count() {
    let pattern = compile(PatternRegex {
        text: "a.*?b",
        longest: 150,
    });
    let mut found = Vec::new();
    pattern.for_each_match(
        format!("a{}a b", "-".repeat(400)).as_bytes(),
        |regex_match| found.push(regex_match.span),
    );
    assert_eq!((found.len(), found[0].clone()), (1, 401..404));
}

#[test]
fn rows_match_their_examples_and_no_counterexamples() {
    for (regex, triggers, examples) in regexes() {
        let pattern = compile(regex);
        let PatternExamples { table, id, .. } = examples;
        assert!(
            !examples.matches.is_empty() && !examples.misses.is_empty(),
            "row `{id}` of {table} needs `matches` and `misses`"
        );

        for text in examples.matches {
            let lower = text.to_ascii_lowercase();
            let is_triggered =
                triggers.is_empty() || triggers.iter().any(|word| lower.contains(word));
            assert!(is_triggered, "{table}: {id}: no trigger word in {text:?}");
            assert!(
                pattern.may_match(lower.as_bytes()),
                "{table}: {id}: the literals of the regex are not in {text:?}"
            );
            assert!(
                pattern.is_match(text.as_bytes()),
                "{table}: {id}: does not match {text:?}"
            );
        }
        for text in examples.misses {
            assert!(
                !pattern.is_match(text.as_bytes()),
                "{table}: {id}: matches {text:?}"
            );
        }
    }
}

#[test]
fn examples_contain_required_words_and_triggers() {
    let has_any = |text: &str, words: &[&str]| {
        let lower = text.to_ascii_lowercase();
        words.is_empty() || words.iter().any(|word| lower.contains(word))
    };

    for row in patterns() {
        let PatternExamples { table, id, .. } = row.examples;
        for text in row.examples.matches {
            assert!(
                has_any(text, row.required_words),
                "{table}: {id}: no required word in {text:?}"
            );
        }

        // Without a regex, a match is the trigger itself.
        if row.regex.is_none() {
            let (matches, misses) = (row.examples.matches, row.examples.misses);
            assert!(!matches.is_empty() && !misses.is_empty(), "{table}: {id}");
            assert!(
                matches.iter().all(|text| has_any(text, row.triggers)),
                "{table}: {id}: no trigger word in one of {matches:?}"
            );
            assert!(
                !misses.iter().any(|text| has_any(text, row.triggers)),
                "{table}: {id}: a trigger word in one of {misses:?}"
            );
        }
    }
}

#[test]
fn rows_name_rules_of_the_group() {
    let codes: Vec<&str> = super::super::RULES.iter().map(|rule| rule.code).collect();
    for row in patterns() {
        assert!(codes.contains(&row.rule), "{}", row.examples.id);
    }
    let instructions = super::super::prompt_instructions::RULES.map(|rule| rule.code);
    for row in super::super::prompt_instructions::patterns() {
        assert!(instructions.contains(&row.rule), "{}", row.examples.id);
    }
}
