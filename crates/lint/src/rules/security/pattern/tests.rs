//! Builds `ready.bin` from the regexes and checks it; compares its matches with those of the
//! regexes alone.
//!
//! `SNAPSHOTS=overwrite cargo test -p skillpm-lint --lib pattern` writes it again.

use std::collections::BTreeMap;

use regex_automata::Anchored;
use regex_automata::hybrid::dfa::DFA;
use regex_automata::nfa::thompson::{State as Kind, Transition};
use regex_automata::util::primitives::StateID;
use regex_automata::util::start;
use regex_syntax::hir::{Class, Hir, HirKind};

use super::super::samples::{BAD, GOOD};
use super::matcher::is_word_byte;
use super::precompiled::{FirstBytes, NfaState, NfaStates, NfaTransition};
use super::*;

/// The states of an automaton as stored in the file.
fn states(automaton: &NFA) -> NfaStates<'_> {
    let name = |group: usize| automaton.group_info().to_name(PatternID::ZERO, group);
    let state = |(at, state): (usize, &'_ Kind)| {
        let to =
            |next: StateID| i32::try_from(next.as_usize()).unwrap() - i32::try_from(at).unwrap();
        let step = |step: &Transition| -> NfaTransition { (step.start, step.end, to(step.next)) };
        match state {
            Kind::ByteRange { trans } => NfaState::Range(step(trans)),
            Kind::Sparse(some) => NfaState::Ranges(some.transitions.iter().map(step).collect()),
            Kind::Dense(_) => unreachable!("not built"),
            Kind::Look { look, next } => NfaState::Look(look.as_repr(), to(*next)),
            Kind::Union { alternates } => {
                NfaState::Union(alternates.iter().copied().map(to).collect())
            }
            Kind::BinaryUnion { alt1, alt2 } => NfaState::Union(vec![to(*alt1), to(*alt2)]),
            Kind::Capture {
                next,
                group_index,
                slot,
                ..
            } if slot.as_usize() % 2 == 0 => NfaState::Start(
                group_index.as_u32(),
                name(group_index.as_usize()),
                to(*next),
            ),
            Kind::Capture {
                next, group_index, ..
            } => NfaState::End(group_index.as_u32(), to(*next)),
            Kind::Fail => NfaState::Fail,
            Kind::Match { .. } => NfaState::Match,
        }
    };
    let all = automaton.states().iter().enumerate().map(state).collect();
    (
        automaton.start_anchored().as_u32(),
        automaton.start_unanchored().as_u32(),
        all,
    )
}

fn begins(automaton: &NFA) -> FirstBytes {
    let automaton = DFA::builder().build_from_nfa(automaton.clone()).unwrap();
    let mut cache = automaton.create_cache();
    let mut begins = FirstBytes::default();
    for before in (0..=u8::MAX).map(Some).chain([None]) {
        let start = start::Config::new()
            .look_behind(before)
            .anchored(Anchored::Yes);
        let state = automaton.start_state(&mut cache, &start).unwrap();
        for byte in 0..=u8::MAX {
            if !automaton
                .next_state(&mut cache, state, byte)
                .unwrap()
                .is_dead()
            {
                begins[usize::from(before.is_some_and(is_word_byte))][usize::from(byte >> 6)] |=
                    1 << (byte & 63);
            }
        }
    }
    begins
}

fn need(pattern: &str, triggers: &[&str]) -> LiteralPrefilter<Word> {
    let reader = Reader { triggers };
    reader.settle(reader.read(&syntax::parse_with(pattern, &syntax_config(false)).unwrap()))
}

/// All regexes, with their trigger words.
fn regexes() -> impl Iterator<Item = (&'static str, &'static [&'static str])> {
    let patterns = patterns().map(|pattern| (pattern.regex, pattern.triggers));
    let around = super::super::context::REGEXES.map(|pattern| (pattern, &[][..]));
    patterns
        .filter(|(pattern, _)| !pattern.is_empty())
        .chain(around)
}

/// The patterns of all rules.
fn patterns() -> impl Iterator<Item = &'static super::super::scan::SecurityPattern> {
    super::super::action_patterns().chain(super::super::prompt_instructions::PATTERNS)
}

#[test]
fn ready_bin_is_up_to_date() {
    let all: BTreeMap<_, _> = regexes()
        .map(|(pattern, triggers)| (expand_pattern(pattern).0, triggers))
        .collect();
    assert_eq!(all.len(), regexes().count(), "no two regexes are the same");
    let parts = all.iter().map(|(text, triggers)| {
        let automaton = build_nfa(text);
        let least = syntax::parse_with(text, &syntax_config(true))
            .unwrap()
            .properties()
            .minimum_len();
        assert!(least > Some(0), "{text} matches the empty text, too");
        (
            need(text, triggers),
            begins(&automaton),
            postcard::to_stdvec(&states(&automaton)).unwrap(),
        )
    });
    let parts: Vec<_> = parts.collect();
    let made = all
        .keys()
        .zip(&parts)
        .map(|(text, (need, begins, states))| (text, need, begins, states));
    let bytes = postcard::to_stdvec(&made.collect::<Vec<_>>()).unwrap();
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/src/rules/security/pattern/ready.bin"
    );
    if std::env::var("SNAPSHOTS").is_ok_and(|how| how == "overwrite") {
        std::fs::write(path, &bytes).unwrap();
    }
    let is_same = std::fs::read(path).unwrap() == bytes;
    assert!(
        is_same,
        "`SNAPSHOTS=overwrite cargo test -p skillpm-lint --lib pattern` writes ready.bin again"
    );
}

#[test]
fn automata_are_decoded_as_they_were_encoded() {
    for pattern in all() {
        let read = pattern.precompiled.unwrap().automaton().unwrap();
        assert_eq!(
            format!("{read:?}"),
            format!("{:?}", build_nfa(&pattern.text)),
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

/// Every regex, for the duration of the tests.
fn all() -> Vec<&'static CompiledPattern> {
    regexes()
        .map(|(pattern, _)| &*Box::leak(Box::new(CompiledPattern::new(pattern))))
        .collect()
}

fn is_found_alike(pattern: &'static CompiledPattern, text: &str) -> usize {
    let mut found = Vec::new();
    pattern.for_each_match(text.as_bytes(), |regex_match| found.push(regex_match));
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
    let pattern: &'static CompiledPattern =
        Box::leak(Box::new(CompiledPattern::new(r"\b(?P<a>ab)+c|(?:d)")));
    assert!(pattern.precompiled.is_none() && pattern.may_match(b""));
    assert_eq!(is_found_alike(pattern, "abc d cab ababc"), 3);
}

#[test]
fn gaps_are_counted_by_length_and_not_by_states() {
    assert_eq!(
        drop_counts(r"a[^\n]{0,80}?b\x{1f}c{3}d{1,200}e{2,4}"),
        (r"a[^\n]*?b\x{1f}c{3}d+e{2,4}".into(), 200)
    );
    let pattern: &'static CompiledPattern = Box::leak(Box::new(CompiledPattern::new("a.{0,20}?b")));
    let mut found = Vec::new();
    pattern.for_each_match(
        format!("a{}a b", "-".repeat(400)).as_bytes(),
        |regex_match| found.push(regex_match.span),
    );
    assert_eq!((found.len(), found[0].clone()), (1, 401..404));
}

#[test]
fn regexes_compile_and_words_are_in_lower_case() {
    for pattern in patterns() {
        build_regex(&CompiledPattern::new(pattern.regex).text);
        for word in pattern.triggers {
            assert_eq!(*word, word.to_ascii_lowercase(), "case does not matter");
            assert!(word.len() >= 2, "{word:?} would be found everywhere");
        }
        for needed in pattern.required_words {
            assert_eq!(
                *needed,
                needed.to_ascii_lowercase(),
                "the searched text is in lower case"
            );
        }
    }
}

#[test]
fn required_literals_are_extracted_from_a_regex() {
    for (pattern, triggers, need) in [
        (
            r"\bIgnore\s+(?:all\s+)?(?:previous|prior)\s",
            &["x"][..],
            "ignore & prior|previous",
        ),
        (
            r"\bignore\s+(?:previous|prior)\s",
            &["ignore"],
            "prior|previous",
        ),
        ("a_word", &[], "-"),
        ("gr[ae]y.*(?:ab|cd)?", &["x"], "gray|grey"),
        (
            r"(?:curl\s.*\|sh|wget -O- (?:x.y)+)",
            &["x"],
            "((curl & |sh)|wget -o- )",
        ),
        (r"(?:a{2,}|b\d)cd", &["x"], "cd"),
        (r"(?:ab|\d)", &["x"], "-"),
        (r"(?:ab)+|abc", &["x"], "(abc|ab)"),
    ] {
        let hir = syntax::parse_with(pattern, &syntax_config(false)).unwrap();
        let reader = Reader { triggers };
        assert_eq!(
            format_prefilter(&reader.settle(reader.read(&hir))),
            need,
            "{pattern}"
        );
    }
}

fn format_prefilter(need: &LiteralPrefilter<Word>) -> String {
    match need {
        LiteralPrefilter::Nothing => "-".into(),
        LiteralPrefilter::Word(words) => {
            let words: Vec<_> = words
                .iter()
                .map(|word| String::from_utf8_lossy(word))
                .collect();
            words.join("|")
        }
        LiteralPrefilter::All(needs) => needs
            .iter()
            .map(format_prefilter)
            .collect::<Vec<_>>()
            .join(" & "),
        LiteralPrefilter::Any(needs) => format!(
            "({})",
            needs
                .iter()
                .map(|need| match need {
                    LiteralPrefilter::All(_) => format!("({})", format_prefilter(need)),
                    _ => format_prefilter(need),
                })
                .collect::<Vec<_>>()
                .join("|")
        ),
    }
}

/// A literal as bytes.
type Word = Vec<u8>;

/// Most literals that a concatenation of alternatives may expand to.
const PRODUCT: usize = 24;
/// Shortest literal that is worth a search.
const SHORTEST: usize = 2;

/// Extracts from a regex the literals that each match contains where one of these triggers is.
struct Reader<'t> {
    triggers: &'t [&'t str],
}

/// The literals of a part of a regex.
enum Part {
    /// All matching texts: they are few.
    Exactly(Vec<Word>),
    /// Literals that all matching texts contain.
    With(LiteralPrefilter<Word>),
}

impl Reader<'_> {
    fn read(&self, hir: &Hir) -> Part {
        match hir.kind() {
            HirKind::Empty | HirKind::Look(_) => Part::Exactly(vec![Word::new()]),
            HirKind::Literal(literal) => Part::Exactly(vec![literal.0.to_ascii_lowercase()]),
            HirKind::Class(class) => {
                letters(class).map_or(Part::With(LiteralPrefilter::Nothing), Part::Exactly)
            }
            HirKind::Repetition(part) if part.min == 0 => match self.read(&part.sub) {
                Part::Exactly(mut words) if part.max == Some(1) => {
                    words.push(Word::new());
                    Part::Exactly(words)
                }
                _ => Part::With(LiteralPrefilter::Nothing),
            },
            HirKind::Repetition(part) => Part::With(self.settle(self.read(&part.sub))),
            HirKind::Capture(part) => self.read(&part.sub),
            HirKind::Concat(parts) => self.in_turn(parts),
            HirKind::Alternation(parts) => self.one_of(parts),
        }
    }

    fn in_turn(&self, parts: &[Hir]) -> Part {
        let (mut needs, mut run) = (Vec::new(), vec![Word::new()]);
        let mut is_exact = true;
        for part in parts {
            match self.read(part) {
                Part::Exactly(next) if run.len() * next.len() <= PRODUCT => {
                    run = product(&run, &next);
                }
                Part::Exactly(next) => {
                    is_exact = false;
                    needs.push(self.word(std::mem::replace(&mut run, next)));
                }
                Part::With(need) => {
                    is_exact = false;
                    needs.push(self.word(std::mem::replace(&mut run, vec![Word::new()])));
                    needs.push(need);
                }
            }
        }
        if is_exact {
            return Part::Exactly(run);
        }
        needs.push(self.word(run));
        Part::With(all_of(needs))
    }

    fn one_of(&self, parts: &[Hir]) -> Part {
        let (mut words, mut needs) = (Vec::new(), Vec::new());
        for part in parts {
            match self.read(part) {
                Part::Exactly(some) => words.extend(some),
                Part::With(need) => needs.push(need),
            }
        }
        if needs.is_empty() {
            return Part::Exactly(words);
        }
        if !words.is_empty() {
            needs.insert(0, self.word(words));
        }
        Part::With(any_of(needs))
    }

    fn settle(&self, part: Part) -> LiteralPrefilter<Word> {
        match part {
            Part::Exactly(words) => self.word(words),
            Part::With(need) => need,
        }
    }

    /// One of these literals, if that is worth a search.
    fn word(&self, words: Vec<Word>) -> LiteralPrefilter<Word> {
        let words = shortened(words);
        let is_in = |trigger: &&str| {
            words
                .iter()
                .any(|word| memchr::memmem::find(trigger.as_bytes(), word).is_some())
        };
        if words.iter().any(|word| word.len() < SHORTEST) || self.triggers.iter().all(is_in) {
            return LiteralPrefilter::Nothing;
        }
        LiteralPrefilter::Word(words)
    }
}

/// A set without literals that contain another one of it.
fn shortened(mut words: Vec<Word>) -> Vec<Word> {
    words.sort_by(|a, b| a.len().cmp(&b.len()).then_with(|| a.cmp(b)));
    let mut kept: Vec<Word> = Vec::new();
    for word in words {
        if !kept
            .iter()
            .any(|shorter| memchr::memmem::find(&word, shorter).is_some())
        {
            kept.push(word);
        }
    }
    kept
}

fn product(before: &[Word], after: &[Word]) -> Vec<Word> {
    before
        .iter()
        .flat_map(|before| after.iter().map(move |after| [&before[..], after].concat()))
        .collect()
}

/// The letters of a class, in lower case, if they are few.
fn letters(class: &Class) -> Option<Vec<Word>> {
    let Class::Bytes(bytes) = class else {
        return None;
    };
    let few = bytes
        .iter()
        .map(regex_syntax::hir::ClassBytesRange::len)
        .sum::<usize>()
        <= 4;
    few.then(|| {
        bytes
            .iter()
            .flat_map(|range| range.start()..=range.end())
            .map(|b| vec![b.to_ascii_lowercase()])
            .collect()
    })
}

fn all_of(needs: impl IntoIterator<Item = LiteralPrefilter<Word>>) -> LiteralPrefilter<Word> {
    let mut needs: Vec<_> = needs
        .into_iter()
        .filter(|need| *need != LiteralPrefilter::Nothing)
        .collect();
    needs.sort_by_key(words);
    match needs.len() {
        0 => LiteralPrefilter::Nothing,
        1 => needs.remove(0),
        _ => LiteralPrefilter::All(needs),
    }
}

fn any_of(needs: Vec<LiteralPrefilter<Word>>) -> LiteralPrefilter<Word> {
    if needs.contains(&LiteralPrefilter::Nothing) {
        LiteralPrefilter::Nothing
    } else {
        LiteralPrefilter::Any(needs)
    }
}

/// The number of literals in it.
fn words(need: &LiteralPrefilter<Word>) -> usize {
    match need {
        LiteralPrefilter::Nothing => 0,
        LiteralPrefilter::Word(words) => words.len(),
        LiteralPrefilter::All(needs) | LiteralPrefilter::Any(needs) => {
            needs.iter().map(words).sum()
        }
    }
}
