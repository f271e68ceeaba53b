//! Makes `ready.bin`, and holds it against the forms; holds what is found with it against what the forms find alone.
//!
//! `SNAPSHOTS=overwrite cargo test --lib form` writes it anew.

use std::collections::BTreeMap;

use regex_automata::Anchored;
use regex_automata::hybrid::dfa::DFA;
use regex_automata::nfa::thompson::{State as Kind, Transition};
use regex_automata::util::primitives::StateID;
use regex_automata::util::start;
use regex_syntax::hir::{Class, Hir, HirKind};

use super::super::samples::{BAD, GOOD};
use super::ready::{Begins, State, States, Step};
use super::seek::is_of_word;
use super::*;

/// The states of an automaton as they lie in the file.
fn states(automaton: &NFA) -> States<'_> {
    let name = |group: usize| automaton.group_info().to_name(PatternID::ZERO, group);
    let state = |(at, state): (usize, &'_ Kind)| {
        let to = |next: StateID| i32::try_from(next.as_usize()).unwrap() - i32::try_from(at).unwrap();
        let step = |step: &Transition| -> Step { (step.start, step.end, to(step.next)) };
        match state {
            Kind::ByteRange { trans } => State::Range(step(trans)),
            Kind::Sparse(some) => State::Ranges(some.transitions.iter().map(step).collect()),
            Kind::Dense(_) => unreachable!("none is made"),
            Kind::Look { look, next } => State::Look(look.as_repr(), to(*next)),
            Kind::Union { alternates } => State::Union(alternates.iter().copied().map(to).collect()),
            Kind::BinaryUnion { alt1, alt2 } => State::Union(vec![to(*alt1), to(*alt2)]),
            Kind::Capture { next, group_index, slot, .. } if slot.as_usize() % 2 == 0 => {
                State::Start(group_index.as_u32(), name(group_index.as_usize()), to(*next))
            }
            Kind::Capture { next, group_index, .. } => State::End(group_index.as_u32(), to(*next)),
            Kind::Fail => State::Fail,
            Kind::Match { .. } => State::Match,
        }
    };
    let all = automaton.states().iter().enumerate().map(state).collect();
    (automaton.start_anchored().as_u32(), automaton.start_unanchored().as_u32(), all)
}

fn begins(automaton: &NFA) -> Begins {
    let automaton = DFA::builder().build_from_nfa(automaton.clone()).unwrap();
    let mut cache = automaton.create_cache();
    let mut begins = Begins::default();
    for before in (0..=u8::MAX).map(Some).chain([None]) {
        let start = start::Config::new().look_behind(before).anchored(Anchored::Yes);
        let state = automaton.start_state(&mut cache, &start).unwrap();
        for byte in 0..=u8::MAX {
            if !automaton.next_state(&mut cache, state, byte).unwrap().is_dead() {
                begins[usize::from(before.is_some_and(is_of_word))][usize::from(byte >> 6)] |= 1 << (byte & 63);
            }
        }
    }
    begins
}

fn need(form: &str, triggers: &[&str]) -> Need<Word> {
    let reader = Reader { triggers };
    reader.settle(reader.read(&syntax::parse_with(form, &syntax(false)).unwrap()))
}

/// All forms, with the words that stand where they are looked for.
fn forms() -> impl Iterator<Item = (&'static str, &'static [&'static str])> {
    let patterns = patterns().map(|pattern| (pattern.form, pattern.triggers));
    let around = super::super::context::FORMS.map(|form| (form, &[][..]));
    patterns.filter(|(form, _)| !form.is_empty()).chain(around)
}

/// What is looked for, of all rules.
fn patterns() -> impl Iterator<Item = &'static super::super::scan::Pattern> {
    super::super::patterns().chain(super::super::orders::PATTERNS)
}

#[test]
fn what_is_ready_is_what_the_forms_say() {
    let all: BTreeMap<_, _> = forms().map(|(form, triggers)| (plain(form).0, triggers)).collect();
    assert_eq!(all.len(), forms().count(), "no two forms are the same");
    let parts = all.iter().map(|(text, triggers)| {
        let automaton = automaton(text);
        let least = syntax::parse_with(text, &syntax(true)).unwrap().properties().minimum_len();
        assert!(least > Some(0), "{text} fits nothing at all, too");
        (need(text, triggers), begins(&automaton), postcard::to_stdvec(&states(&automaton)).unwrap())
    });
    let parts: Vec<_> = parts.collect();
    let made = all.keys().zip(&parts).map(|(text, (need, begins, states))| (text, need, begins, states));
    let bytes = postcard::to_stdvec(&made.collect::<Vec<_>>()).unwrap();
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/crates/lint/src/rules/security/form/ready.bin");
    if std::env::var("SNAPSHOTS").is_ok_and(|how| how == "overwrite") {
        std::fs::write(path, &bytes).unwrap();
    }
    let is_same = std::fs::read(path).unwrap() == bytes;
    assert!(is_same, "`SNAPSHOTS=overwrite cargo test --lib form` makes ready.bin anew");
}

#[test]
fn automata_are_read_as_they_were_written() {
    for form in all() {
        let read = form.made.unwrap().automaton().unwrap();
        assert_eq!(format!("{read:?}"), format!("{:?}", automaton(&form.text)), "{}", form.text);
    }
}

/// What a form finds, as its own regular expression says it.
fn found_plainly(form: &'static Form, text: &[u8]) -> Vec<Fit> {
    let (mut found, mut at, mut tries) = (Vec::new(), 0, 0);
    while at <= text.len() && tries < TRIES {
        let mut captures = form.regex().create_captures();
        form.regex().search_captures(&Input::new(text).range(at..), &mut captures);
        let Some(whole) = captures.get_match().map(|whole| whole.range()) else { break };
        if whole.len() > form.longest {
            tries += 1;
            at = whole.start + 1;
            continue;
        }
        at = whole.end.max(whole.start + 1);
        let names = form.regex().group_info().pattern_names(PatternID::ZERO).flatten();
        let groups = names.filter_map(|name| Some((name, captures.get_group_by_name(name)?.range()))).collect();
        found.push(Fit { span: whole, groups });
    }
    found
}

/// Every form, for as long as the tests run.
fn all() -> Vec<&'static Form> {
    forms().map(|(form, _)| &*Box::leak(Box::new(Form::new(form)))).collect()
}

fn is_found_alike(form: &'static Form, text: &str) -> usize {
    let mut found = Vec::new();
    form.each_in(text.as_bytes(), |fit| found.push(fit));
    let plainly = found_plainly(form, text.as_bytes());
    assert_eq!(found, plainly, "{}\nin {text:?}", form.text);
    found.len()
}

#[test]
fn what_is_ready_finds_what_the_form_finds() {
    let samples = || BAD.iter().map(|bad| bad.3).chain(GOOD.iter().map(|good| good.1));
    let mut found = 0;
    for form in all() {
        for (first, second) in samples().zip(samples().skip(1)) {
            found += is_found_alike(form, &format!("{first}{second}"));
        }
    }
    assert!(found > 400, "{found} places say something");
}

#[test]
fn what_was_made_is_used_and_no_text_tries_its_patience() {
    let forms = all();
    assert!(forms.len() > 50 && forms.iter().all(|form| form.made.is_some()));
    let text = "curl ".repeat(4000);
    let exhausts = |form: &&&'static Form| {
        is_found_alike(form, &text);
        form.seeker().first(text.as_bytes(), 0, &mut Patience::with(text.as_bytes())).is_err()
    };
    assert!(forms.iter().filter(exhausts).count() > 1, "these are looked for in another way");
}

#[test]
fn what_was_not_made_is_made_at_the_moment() {
    let form: &'static Form = Box::leak(Box::new(Form::new(r"\b(?P<a>ab)+c|(?:d)")));
    assert!(form.made.is_none() && form.may_be(b""));
    assert_eq!(is_found_alike(form, "abc d cab ababc"), 3);
}

#[test]
fn gaps_are_counted_by_length_and_not_by_states() {
    assert_eq!(without_counts(r"a[^\n]{0,80}?b\x{1f}c{3}d{1,200}e{2,4}"), (r"a[^\n]*?b\x{1f}c{3}d+e{2,4}".into(), 200));
    let form: &'static Form = Box::leak(Box::new(Form::new("a.{0,20}?b")));
    let mut found = Vec::new();
    form.each_in(format!("a{}a b", "-".repeat(400)).as_bytes(), |fit| found.push(fit.span));
    assert_eq!((found.len(), found[0].clone()), (1, 401..404));
}

#[test]
fn all_forms_are_regular_expressions_and_words_in_lower_case() {
    for pattern in patterns() {
        compiled(&Form::new(pattern.form).text);
        for word in pattern.triggers {
            assert_eq!(*word, word.to_ascii_lowercase(), "case does not matter");
            assert!(word.len() >= 2, "{word:?} would be found everywhere");
        }
        for needed in pattern.needs {
            assert_eq!(*needed, needed.to_ascii_lowercase(), "what they are looked for in is in lower case");
        }
    }
}

#[test]
fn words_that_a_form_cannot_do_without_are_read_off_it() {
    for (form, triggers, need) in [
        (r"\bIgnore\s+(?:all\s+)?(?:previous|prior)\s", &["x"][..], "ignore & prior|previous"),
        (r"\bignore\s+(?:previous|prior)\s", &["ignore"], "prior|previous"),
        ("a_word", &[], "-"),
        ("gr[ae]y.*(?:ab|cd)?", &["x"], "gray|grey"),
        (r"(?:curl\s.*\|sh|wget -O- (?:x.y)+)", &["x"], "((curl & |sh)|wget -o- )"),
        (r"(?:a{2,}|b\d)cd", &["x"], "cd"),
        (r"(?:ab|\d)", &["x"], "-"),
        (r"(?:ab)+|abc", &["x"], "(abc|ab)"),
    ] {
        let hir = syntax::parse_with(form, &syntax(false)).unwrap();
        let reader = Reader { triggers };
        assert_eq!(told(&reader.settle(reader.read(&hir))), need, "{form}");
    }
}

fn told(need: &Need<Word>) -> String {
    match need {
        Need::Nothing => "-".into(),
        Need::Word(words) => {
            let words: Vec<_> = words.iter().map(|word| String::from_utf8_lossy(word)).collect();
            words.join("|")
        }
        Need::All(needs) => needs.iter().map(told).collect::<Vec<_>>().join(" & "),
        Need::Any(needs) => format!(
            "({})",
            needs
                .iter()
                .map(|need| match need {
                    Need::All(_) => format!("({})", told(need)),
                    _ => told(need),
                })
                .collect::<Vec<_>>()
                .join("|")
        ),
    }
}

/// A word as bytes.
type Word = Vec<u8>;

/// Most words that are told apart where alternatives follow each other.
const PRODUCT: usize = 24;
/// Shortest word that says anything.
const SHORTEST: usize = 2;

/// Reads off a form what it cannot do without where one of these words stands already.
struct Reader<'t> {
    triggers: &'t [&'t str],
}

/// What is known of a part of a form.
enum Part {
    /// All texts that fit: they are few.
    Exactly(Vec<Word>),
    /// What those that fit have in them.
    With(Need<Word>),
}

impl Reader<'_> {
    fn read(&self, hir: &Hir) -> Part {
        match hir.kind() {
            HirKind::Empty | HirKind::Look(_) => Part::Exactly(vec![Word::new()]),
            HirKind::Literal(literal) => Part::Exactly(vec![literal.0.to_ascii_lowercase()]),
            HirKind::Class(class) => letters(class).map_or(Part::With(Need::Nothing), Part::Exactly),
            HirKind::Repetition(part) if part.min == 0 => match self.read(&part.sub) {
                Part::Exactly(mut words) if part.max == Some(1) => {
                    words.push(Word::new());
                    Part::Exactly(words)
                }
                _ => Part::With(Need::Nothing),
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
                Part::Exactly(next) if run.len() * next.len() <= PRODUCT => run = product(&run, &next),
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

    fn settle(&self, part: Part) -> Need<Word> {
        match part {
            Part::Exactly(words) => self.word(words),
            Part::With(need) => need,
        }
    }

    /// One of these words, if that is worth a search.
    fn word(&self, words: Vec<Word>) -> Need<Word> {
        let words = shortened(words);
        let is_in = |trigger: &&str| words.iter().any(|word| memchr::memmem::find(trigger.as_bytes(), word).is_some());
        if words.iter().any(|word| word.len() < SHORTEST) || self.triggers.iter().all(is_in) {
            return Need::Nothing;
        }
        Need::Word(words)
    }
}

/// A set without words that hold another of it.
fn shortened(mut words: Vec<Word>) -> Vec<Word> {
    words.sort_by(|a, b| a.len().cmp(&b.len()).then_with(|| a.cmp(b)));
    let mut kept: Vec<Word> = Vec::new();
    for word in words {
        if !kept.iter().any(|shorter| memchr::memmem::find(&word, shorter).is_some()) {
            kept.push(word);
        }
    }
    kept
}

fn product(before: &[Word], after: &[Word]) -> Vec<Word> {
    before.iter().flat_map(|before| after.iter().map(move |after| [&before[..], after].concat())).collect()
}

/// The letters of a class, in lower case, if they are few.
fn letters(class: &Class) -> Option<Vec<Word>> {
    let Class::Bytes(bytes) = class else { return None };
    let few = bytes.iter().map(regex_syntax::hir::ClassBytesRange::len).sum::<usize>() <= 4;
    few.then(|| {
        bytes.iter().flat_map(|range| range.start()..=range.end()).map(|b| vec![b.to_ascii_lowercase()]).collect()
    })
}

fn all_of(needs: impl IntoIterator<Item = Need<Word>>) -> Need<Word> {
    let mut needs: Vec<_> = needs.into_iter().filter(|need| *need != Need::Nothing).collect();
    needs.sort_by_key(words);
    match needs.len() {
        0 => Need::Nothing,
        1 => needs.remove(0),
        _ => Need::All(needs),
    }
}

fn any_of(needs: Vec<Need<Word>>) -> Need<Word> {
    if needs.contains(&Need::Nothing) { Need::Nothing } else { Need::Any(needs) }
}

/// How many words it is asked in.
fn words(need: &Need<Word>) -> usize {
    match need {
        Need::Nothing => 0,
        Need::Word(words) => words.len(),
        Need::All(needs) | Need::Any(needs) => needs.iter().map(words).sum(),
    }
}
