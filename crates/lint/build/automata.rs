//! Precompiles the regexes: to build an automaton costs more than to run it over a few lines, so
//! the program contains all of them.

use std::collections::BTreeMap;

use regex_automata::Anchored;
use regex_automata::PatternID;
use regex_automata::hybrid::dfa::DFA;
use regex_automata::nfa::thompson::{NFA, State as ThompsonState, Transition};
use regex_automata::util::primitives::StateID;
use regex_automata::util::{start, syntax};
use regex_syntax::hir::{Class, ClassBytesRange, Hir, HirKind};

use super::super::compile::{build_nfa, is_word_byte, syntax_config};
use super::super::encoding::{
    FirstBytes, LiteralPrefilter, NfaState, NfaStates, NfaTransition, PrecompiledPattern,
};
use super::patterns::PatternTable;

/// Precompiles the regexes of all tables, sorted by regex.
pub(super) fn precompile(tables: &[PatternTable]) -> Result<Vec<u8>, String> {
    let mut regexes: BTreeMap<&str, &[String]> = BTreeMap::new();
    for (regex, triggers) in tables.iter().flat_map(PatternTable::regexes) {
        // The parts of a regex are found by its text, and depend on its triggers.
        if regexes.insert(&regex.text, triggers).is_some() {
            return Err(format!("two patterns have the regex `{}`", regex.text));
        }
    }

    let parts = regexes
        .iter()
        .map(|(text, triggers)| PatternParts::build(text, triggers))
        .collect::<Result<Vec<_>, _>>()?;
    let precompiled: Vec<PrecompiledPattern<'_>> = regexes
        .keys()
        .zip(&parts)
        .map(|(text, parts)| parts.as_precompiled(text))
        .collect();
    postcard::to_stdvec(&precompiled).map_err(|error| error.to_string())
}

/// What is precompiled of a regex.
struct PatternParts {
    need: LiteralPrefilter<Literal>,
    begins: FirstBytes,
    states: Vec<u8>,
}

impl PatternParts {
    fn build(text: &str, triggers: &[String]) -> Result<Self, String> {
        let hir =
            syntax::parse_with(text, &syntax_config(true)).map_err(|error| error.to_string())?;
        // The search for the next match begins after the one before, which must not be empty.
        if hir.properties().minimum_len() == Some(0) {
            return Err(format!("the regex `{text}` matches the empty text, too"));
        }

        let automaton = build_nfa(text);
        Ok(PatternParts {
            need: required_literals(text, triggers),
            begins: first_bytes(&automaton),
            states: postcard::to_stdvec(&encode_states(&automaton))
                .map_err(|error| error.to_string())?,
        })
    }

    fn as_precompiled<'p>(&'p self, text: &'p str) -> PrecompiledPattern<'p> {
        PrecompiledPattern {
            text,
            need: borrow_literals(&self.need),
            begins: self.begins,
            states: &self.states,
        }
    }
}

fn borrow_literals(need: &LiteralPrefilter<Literal>) -> LiteralPrefilter<&[u8]> {
    match need {
        LiteralPrefilter::Nothing => LiteralPrefilter::Nothing,
        LiteralPrefilter::Word(words) => {
            LiteralPrefilter::Word(words.iter().map(Vec::as_slice).collect())
        }
        LiteralPrefilter::All(needs) => {
            LiteralPrefilter::All(needs.iter().map(borrow_literals).collect())
        }
        LiteralPrefilter::Any(needs) => {
            LiteralPrefilter::Any(needs.iter().map(borrow_literals).collect())
        }
    }
}

/// Encodes the states of an automaton.
fn encode_states(automaton: &NFA) -> NfaStates<'_> {
    let states = automaton
        .states()
        .iter()
        .enumerate()
        .map(|(at, state)| encode_state(automaton, at, state))
        .collect();
    (
        automaton.start_anchored().as_u32(),
        automaton.start_unanchored().as_u32(),
        states,
    )
}

fn encode_state<'n>(automaton: &'n NFA, at: usize, state: &ThompsonState) -> NfaState<'n> {
    let to = |next: StateID| distance(at, next);
    let step = |step: &Transition| -> NfaTransition { (step.start, step.end, to(step.next)) };

    match state {
        ThompsonState::ByteRange { trans } => NfaState::Range(step(trans)),
        ThompsonState::Sparse(some) => {
            NfaState::Ranges(some.transitions.iter().map(step).collect())
        }
        ThompsonState::Dense(_) => unreachable!("the compiler builds sparse states only"),
        ThompsonState::Look { look, next } => NfaState::Look(look.as_repr(), to(*next)),
        ThompsonState::Union { alternates } => {
            NfaState::Union(alternates.iter().copied().map(to).collect())
        }
        ThompsonState::BinaryUnion { alt1, alt2 } => NfaState::Union(vec![to(*alt1), to(*alt2)]),
        // Each group has two slots: the even one is its start.
        ThompsonState::Capture {
            next,
            group_index,
            slot,
            ..
        } if slot.as_usize() % 2 == 0 => NfaState::Start(
            group_index.as_u32(),
            automaton
                .group_info()
                .to_name(PatternID::ZERO, group_index.as_usize()),
            to(*next),
        ),
        ThompsonState::Capture {
            next, group_index, ..
        } => NfaState::End(group_index.as_u32(), to(*next)),
        ThompsonState::Fail => NfaState::Fail,
        ThompsonState::Match { .. } => NfaState::Match,
    }
}

fn distance(at: usize, next: StateID) -> i32 {
    let signed = |at: usize| i32::try_from(at).expect("an automaton has fewer states");
    signed(next.as_usize()) - signed(at)
}

/// Finds the bytes that a match may begin with.
fn first_bytes(automaton: &NFA) -> FirstBytes {
    let automaton = DFA::builder()
        .build_from_nfa(automaton.clone())
        .expect("it accepts every automaton");
    let mut cache = automaton.create_cache();
    let mut begins = FirstBytes::default();

    // A match at the start of a text is one after a byte that is no word byte.
    for before in (0..=u8::MAX).map(Some).chain([None]) {
        let start = start::Config::new()
            .look_behind(before)
            .anchored(Anchored::Yes);
        let state = automaton
            .start_state(&mut cache, &start)
            .expect("the cache is large enough");
        for byte in 0..=u8::MAX {
            let next = automaton
                .next_state(&mut cache, state, byte)
                .expect("the cache is large enough");
            if !next.is_dead() {
                let is_after_word = before.is_some_and(is_word_byte);
                begins[usize::from(is_after_word)][usize::from(byte >> 6)] |= 1 << (byte & 63);
            }
        }
    }
    begins
}

/// A literal as bytes.
type Literal = Vec<u8>;

/// Most literals that a concatenation of alternatives may expand to.
const PRODUCT_MAX: usize = 24;
/// Shortest literal that is worth a search.
const LITERAL_MIN: usize = 2;

/// Extracts from a regex the literals that each match contains where one of these triggers is.
pub(super) fn required_literals(text: &str, triggers: &[String]) -> LiteralPrefilter<Literal> {
    // Literals are searched in lower case, so the case of the regex need not be expanded.
    let hir = syntax::parse_with(text, &syntax_config(false)).expect("it was parsed before");
    let reader = LiteralReader { triggers };
    reader.settle(reader.read(&hir))
}

struct LiteralReader<'t> {
    triggers: &'t [String],
}

/// The literals of a part of a regex.
enum PartLiterals {
    /// All matching texts: they are few.
    Exactly(Vec<Literal>),
    /// Literals that all matching texts contain.
    With(LiteralPrefilter<Literal>),
}

impl LiteralReader<'_> {
    fn read(&self, hir: &Hir) -> PartLiterals {
        match hir.kind() {
            HirKind::Empty | HirKind::Look(_) => PartLiterals::Exactly(vec![Literal::new()]),
            HirKind::Literal(literal) => {
                PartLiterals::Exactly(vec![literal.0.to_ascii_lowercase()])
            }
            HirKind::Class(class) => class_letters(class).map_or(
                PartLiterals::With(LiteralPrefilter::Nothing),
                PartLiterals::Exactly,
            ),
            HirKind::Repetition(part) if part.min == 0 => match self.read(&part.sub) {
                PartLiterals::Exactly(mut words) if part.max == Some(1) => {
                    words.push(Literal::new());
                    PartLiterals::Exactly(words)
                }
                _ => PartLiterals::With(LiteralPrefilter::Nothing),
            },
            HirKind::Repetition(part) => PartLiterals::With(self.settle(self.read(&part.sub))),
            HirKind::Capture(part) => self.read(&part.sub),
            HirKind::Concat(parts) => self.read_concat(parts),
            HirKind::Alternation(parts) => self.read_alternatives(parts),
        }
    }

    fn read_concat(&self, parts: &[Hir]) -> PartLiterals {
        let (mut needs, mut run) = (Vec::new(), vec![Literal::new()]);
        let mut is_exact = true;
        for part in parts {
            match self.read(part) {
                PartLiterals::Exactly(next) if run.len() * next.len() <= PRODUCT_MAX => {
                    run = product(&run, &next);
                }
                PartLiterals::Exactly(next) => {
                    is_exact = false;
                    needs.push(self.one_of(std::mem::replace(&mut run, next)));
                }
                PartLiterals::With(need) => {
                    is_exact = false;
                    needs.push(self.one_of(std::mem::replace(&mut run, vec![Literal::new()])));
                    needs.push(need);
                }
            }
        }

        if is_exact {
            return PartLiterals::Exactly(run);
        }
        needs.push(self.one_of(run));
        PartLiterals::With(all_of(needs))
    }

    fn read_alternatives(&self, parts: &[Hir]) -> PartLiterals {
        let (mut words, mut needs) = (Vec::new(), Vec::new());
        for part in parts {
            match self.read(part) {
                PartLiterals::Exactly(some) => words.extend(some),
                PartLiterals::With(need) => needs.push(need),
            }
        }

        if needs.is_empty() {
            return PartLiterals::Exactly(words);
        }
        if !words.is_empty() {
            needs.insert(0, self.one_of(words));
        }
        PartLiterals::With(any_of(needs))
    }

    fn settle(&self, part: PartLiterals) -> LiteralPrefilter<Literal> {
        match part {
            PartLiterals::Exactly(words) => self.one_of(words),
            PartLiterals::With(need) => need,
        }
    }

    /// One of these literals, if that is worth a search.
    fn one_of(&self, words: Vec<Literal>) -> LiteralPrefilter<Literal> {
        let words = without_longer(words);
        // A literal that is part of every trigger is there already.
        let is_in = |trigger: &String| words.iter().any(|word| contains(trigger.as_bytes(), word));
        if words.iter().any(|word| word.len() < LITERAL_MIN) || self.triggers.iter().all(is_in) {
            return LiteralPrefilter::Nothing;
        }
        LiteralPrefilter::Word(words)
    }
}

/// Returns a set without literals that contain another one of it.
fn without_longer(mut words: Vec<Literal>) -> Vec<Literal> {
    words.sort_by(|a, b| a.len().cmp(&b.len()).then_with(|| a.cmp(b)));
    let mut kept: Vec<Literal> = Vec::new();
    for word in words {
        if !kept.iter().any(|shorter| contains(&word, shorter)) {
            kept.push(word);
        }
    }
    kept
}

fn contains(text: &[u8], word: &[u8]) -> bool {
    word.is_empty() || text.windows(word.len()).any(|part| part == word)
}

fn product(before: &[Literal], after: &[Literal]) -> Vec<Literal> {
    before
        .iter()
        .flat_map(|before| after.iter().map(move |after| [&before[..], after].concat()))
        .collect()
}

/// Returns the letters of a class, in lower case, if they are few.
fn class_letters(class: &Class) -> Option<Vec<Literal>> {
    let Class::Bytes(bytes) = class else {
        return None;
    };
    let count: usize = bytes.iter().map(ClassBytesRange::len).sum();
    let letters = bytes
        .iter()
        .flat_map(|range| range.start()..=range.end())
        .map(|byte| vec![byte.to_ascii_lowercase()]);
    (count <= 4).then(|| letters.collect())
}

fn all_of(needs: Vec<LiteralPrefilter<Literal>>) -> LiteralPrefilter<Literal> {
    let mut needs: Vec<_> = needs
        .into_iter()
        .filter(|need| *need != LiteralPrefilter::Nothing)
        .collect();
    // Few literals are searched in less time, and most windows fail at the first search.
    needs.sort_by_key(count_literals);
    match needs.len() {
        0 => LiteralPrefilter::Nothing,
        1 => needs.remove(0),
        _ => LiteralPrefilter::All(needs),
    }
}

fn any_of(needs: Vec<LiteralPrefilter<Literal>>) -> LiteralPrefilter<Literal> {
    if needs.contains(&LiteralPrefilter::Nothing) {
        LiteralPrefilter::Nothing
    } else {
        LiteralPrefilter::Any(needs)
    }
}

fn count_literals(need: &LiteralPrefilter<Literal>) -> usize {
    match need {
        LiteralPrefilter::Nothing => 0,
        LiteralPrefilter::Word(words) => words.len(),
        LiteralPrefilter::All(needs) | LiteralPrefilter::Any(needs) => {
            needs.iter().map(count_literals).sum()
        }
    }
}
