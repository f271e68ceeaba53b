//! Following an automaton from every place where a form may begin.
//!
//! What stands at most of them is not the form after a few letters, so few of the automaton's states are ever made. One
//! that is at all places at once has many more.

use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use regex_automata::hybrid::dfa::{Builder, Cache, Config, DFA};
use regex_automata::nfa::thompson::NFA;
use regex_automata::nfa::thompson::backtrack::BoundedBacktracker;
use regex_automata::util::captures::{Captures, GroupInfo};
use regex_automata::{Anchored, Input};

use super::ready::Begins;

/// An automaton, and what was made of it so far.
pub(super) struct Seeker {
    /// For each byte: whether a form may begin with it after what is not of a word ([`BEGINS`]), and after what is
    /// ([`BEGINS_INSIDE`]); whether it is of a word itself ([`OF_WORD`]).
    bytes: [u8; 256],
    automaton: DFA,
    /// Shared by all threads: to make states twice would cost more than to wait.
    states: Mutex<Cache>,
    groups: BoundedBacktracker,
}

const BEGINS: u8 = 1;
const BEGINS_INSIDE: u8 = 2;
const OF_WORD: u8 = 4;

/// How many bytes may still be looked at in a text before another way is quicker, whatever is in the text.
pub(super) struct Patience(usize);

/// That there is no more of it.
pub(super) struct Exhausted;

impl Patience {
    /// Enough for a text that is not made to exhaust it.
    pub(super) fn with(text: &[u8]) -> Self {
        Patience(1024 + 32 * text.len())
    }

    fn spend(&mut self, bytes: usize) -> Result<(), Exhausted> {
        self.0 = self.0.checked_sub(bytes).ok_or(Exhausted)?;
        Ok(())
    }
}

impl Seeker {
    pub(super) fn new(begins: Begins, automaton: NFA) -> Self {
        let config = Config::new().skip_cache_capacity_check(true);
        let lazy =
            Builder::new().configure(config).build_from_nfa(automaton.clone()).expect("it takes every automaton");
        let states = Mutex::new(lazy.create_cache());
        let groups = BoundedBacktracker::new_from_nfa(automaton).expect("it takes every automaton");
        Seeker { bytes: bytes(&begins), automaton: lazy, states, groups }
    }

    /// The first place that fits, from one on.
    pub(super) fn first(
        &self,
        text: &[u8],
        from: usize,
        patience: &mut Patience,
    ) -> Result<Option<Range<usize>>, Exhausted> {
        let mut states = self.states.lock().unwrap_or_else(PoisonError::into_inner);
        let kind = |byte: u8| self.bytes[usize::from(byte)];
        let after = |kind: u8| if kind & OF_WORD == 0 { BEGINS } else { BEGINS_INSIDE };
        let mut wanted = after(if from == 0 { 0 } else { kind(text[from - 1]) });
        for (start, byte) in text.iter().enumerate().skip(from) {
            let kind = kind(*byte);
            if kind & wanted != 0
                && let Some(end) = self.end(&mut states, text, start, patience)?
            {
                return Ok(Some(start..end));
            }
            wanted = after(kind);
        }
        Ok(None)
    }

    /// Where it ends what begins at `start`.
    fn end(
        &self,
        states: &mut Cache,
        text: &[u8],
        start: usize,
        patience: &mut Patience,
    ) -> Result<Option<usize>, Exhausted> {
        let input = Input::new(text).range(start..).anchored(Anchored::Yes);
        let mut state = self.automaton.start_state_forward(states, &input).map_err(|_| Exhausted)?;
        let mut end = None;
        for (at, byte) in text.iter().enumerate().skip(start) {
            state = self.automaton.next_state(states, state, *byte).map_err(|_| Exhausted)?;
            if state.is_match() {
                // It is told a byte late.
                end = Some(at);
            } else if state.is_tagged() {
                patience.spend(at - start)?;
                return Ok(end);
            }
        }
        patience.spend(text.len() - start)?;
        let state = self.automaton.next_eoi_state(states, state).map_err(|_| Exhausted)?;
        Ok(if state.is_match() { Some(text.len()) } else { end })
    }

    /// The groups of a place that fits, unless it is a long one and the form large.
    pub(super) fn groups(&self, text: &[u8], place: Range<usize>) -> Result<Captures, Exhausted> {
        let mut captures = self.groups.create_captures();
        let input = Input::new(text).span(place).anchored(Anchored::Yes);
        let followed = self.groups.try_captures(&mut self.groups.create_cache(), input, &mut captures);
        followed.map_err(|_| Exhausted)?;
        Ok(captures)
    }

    /// What the groups are called.
    pub(super) fn names(&self) -> &GroupInfo {
        self.groups.get_nfa().group_info()
    }
}

fn bytes(begins: &Begins) -> [u8; 256] {
    let mut bytes = [0; 256];
    for (byte, kind) in (0..=u8::MAX).zip(&mut bytes) {
        let has = |list: &[u64; 4]| list[usize::from(byte >> 6)] >> (byte & 63) & 1 == 1;
        *kind |= if has(&begins[0]) { BEGINS } else { 0 };
        *kind |= if has(&begins[1]) { BEGINS_INSIDE } else { 0 };
        *kind |= if is_of_word(byte) { OF_WORD } else { 0 };
    }
    bytes
}

/// Whether a byte is a letter, a figure or `_`.
pub(super) fn is_of_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}
