//! Runs an automaton from every position where a match may begin.
//!
//! At most positions the text stops matching after a few letters, so only few of the automaton's
//! states are built. An automaton that is at all positions at once has many more.

use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use regex_automata::hybrid::dfa::{Builder, Cache, Config, DFA};
use regex_automata::nfa::thompson::NFA;
use regex_automata::nfa::thompson::backtrack::BoundedBacktracker;
use regex_automata::util::captures::{Captures, GroupInfo};
use regex_automata::{Anchored, Input};

use super::compile::is_word_byte;
use super::encoding::FirstBytes;

/// A lazy automaton and its cached states.
pub(super) struct PatternMatcher {
    /// For each byte: whether a match may begin with it after a non-word byte ([`MAY_START`]) and
    /// after a word byte ([`MAY_START_IN_WORD`]); whether it is a word byte itself ([`WORD_BYTE`]).
    classes: [u8; 256],
    automaton: DFA,
    /// Shared by all threads: to build states twice would cost more than to wait.
    states: Mutex<Cache>,
    groups: BoundedBacktracker,
}

const MAY_START: u8 = 1;
const MAY_START_IN_WORD: u8 = 2;
const WORD_BYTE: u8 = 4;

/// The number of bytes that may still be read in a text before another engine is faster on any
/// text.
pub(super) struct StepBudget(usize);

/// The error of a [`StepBudget`] that is used up.
pub(super) struct BudgetExceeded;

impl StepBudget {
    /// Returns a budget that is enough for any text not made to exhaust it.
    pub(super) fn for_text(text: &[u8]) -> Self {
        StepBudget(1024 + 32 * text.len())
    }

    fn spend(&mut self, bytes: usize) -> Result<(), BudgetExceeded> {
        self.0 = self.0.checked_sub(bytes).ok_or(BudgetExceeded)?;
        Ok(())
    }
}

impl PatternMatcher {
    pub(super) fn new(begins: FirstBytes, automaton: NFA) -> Self {
        // A large pattern may need more than the default cache; the minimum is taken then.
        let config = Config::new().skip_cache_capacity_check(true);
        let automaton_dfa = Builder::new()
            .configure(config)
            .build_from_nfa(automaton.clone())
            .expect("it accepts every automaton");

        let states = Mutex::new(automaton_dfa.create_cache());
        let groups =
            BoundedBacktracker::new_from_nfa(automaton).expect("it accepts every automaton");
        PatternMatcher {
            classes: byte_classes(&begins),
            automaton: automaton_dfa,
            states,
            groups,
        }
    }

    /// Finds the first match at or after a position.
    pub(super) fn find_first(
        &self,
        text: &[u8],
        from: usize,
        budget: &mut StepBudget,
    ) -> Result<Option<Range<usize>>, BudgetExceeded> {
        // A thread that panicked leaves states that are still valid.
        let mut states = self.states.lock().unwrap_or_else(PoisonError::into_inner);

        let kind = |byte: u8| self.classes[usize::from(byte)];
        let after = |kind: u8| {
            if kind & WORD_BYTE == 0 {
                MAY_START
            } else {
                MAY_START_IN_WORD
            }
        };

        let mut wanted = after(if from == 0 { 0 } else { kind(text[from - 1]) });
        for (start, byte) in text.iter().enumerate().skip(from) {
            let kind = kind(*byte);
            // Few bytes can start a match, so the automaton runs at few places only.
            if kind & wanted != 0
                && let Some(end) = self.match_end(&mut states, text, start, budget)?
            {
                return Ok(Some(start..end));
            }
            wanted = after(kind);
        }
        Ok(None)
    }

    /// Returns the end of the match that begins at `start`.
    fn match_end(
        &self,
        states: &mut Cache,
        text: &[u8],
        start: usize,
        budget: &mut StepBudget,
    ) -> Result<Option<usize>, BudgetExceeded> {
        let input = Input::new(text).range(start..).anchored(Anchored::Yes);
        let mut state = self
            .automaton
            .start_state_forward(states, &input)
            .map_err(|_| BudgetExceeded)?;

        let mut end = None;
        for (at, byte) in text.iter().enumerate().skip(start) {
            state = self
                .automaton
                .next_state(states, state, *byte)
                .map_err(|_| BudgetExceeded)?;
            if state.is_match() {
                // The automaton reports a match one byte late.
                end = Some(at);
            } else if state.is_tagged() {
                // A longer match is not possible from here.
                budget.spend(at - start)?;
                return Ok(end);
            }
        }

        budget.spend(text.len() - start)?;
        let state = self
            .automaton
            .next_eoi_state(states, state)
            .map_err(|_| BudgetExceeded)?;
        Ok(if state.is_match() {
            Some(text.len())
        } else {
            end
        })
    }

    /// Returns the groups of a match, unless the match is long and the regex large.
    pub(super) fn capture_groups(
        &self,
        text: &[u8],
        place: Range<usize>,
    ) -> Result<Captures, BudgetExceeded> {
        let mut captures = self.groups.create_captures();
        // The span is known, so the groups are found by a bounded search within it.
        let input = Input::new(text).span(place).anchored(Anchored::Yes);
        let result =
            self.groups
                .try_captures(&mut self.groups.create_cache(), input, &mut captures);

        result.map_err(|_| BudgetExceeded)?;
        Ok(captures)
    }

    /// Returns the names of the groups.
    pub(super) fn group_names(&self) -> &GroupInfo {
        self.groups.get_nfa().group_info()
    }
}

fn byte_classes(begins: &FirstBytes) -> [u8; 256] {
    let mut bytes = [0; 256];
    for (byte, kind) in (0..=u8::MAX).zip(&mut bytes) {
        let has = |list: &[u64; 4]| list[usize::from(byte >> 6)] >> (byte & 63) & 1 == 1;
        *kind |= if has(&begins[0]) { MAY_START } else { 0 };
        *kind |= if has(&begins[1]) {
            MAY_START_IN_WORD
        } else {
            0
        };
        *kind |= if is_word_byte(byte) { WORD_BYTE } else { 0 };
    }
    bytes
}
