//! The precompiled parts of the regexes: `ready.bin`.
//!
//! The file is not a source: a test builds it from the regexes and checks that it is up to date. A
//! regex that is not in it is compiled at run time, so an outdated file costs time, and not a
//! finding.

use std::sync::{Arc, LazyLock};

use regex_automata::nfa::thompson::{Builder, NFA, Transition};
use regex_automata::util::look::Look;
use regex_automata::util::primitives::StateID;
use serde::{Deserialize, Serialize};

use super::prefilter::LiteralPrefilter;

/// The precompiled parts of all regexes, sorted by regex.
static PRECOMPILED: LazyLock<Vec<PrecompiledPattern<'static>>> =
    LazyLock::new(|| postcard::from_bytes(include_bytes!("ready.bin")).unwrap_or_default());

/// The precompiled parts of a regex.
#[derive(Serialize, Deserialize)]
pub(super) struct PrecompiledPattern<'a> {
    /// The regex.
    pub(super) text: &'a str,
    /// The literals that each match contains where one of its triggers is.
    #[serde(borrow)]
    pub(super) need: LiteralPrefilter<&'a [u8]>,
    /// The bytes that a match may begin with.
    pub(super) begins: FirstBytes,
    /// The [`NfaStates`] of its automaton, decoded when needed.
    pub(super) states: &'a [u8],
}

/// The bytes that a match may begin with, as bit sets: after a non-word byte, and after a word
/// byte.
pub(super) type FirstBytes = [[u64; 4]; 2];

/// The start states of an automaton, anchored and unanchored, and all its states.
pub(super) type NfaStates<'a> = (u32, u32, Vec<NfaState<'a>>);

/// A state of an automaton, as in [`NFA`]. The next state is given by its distance.
#[derive(Serialize, Deserialize)]
pub(super) enum NfaState<'a> {
    /// One of a range of bytes.
    Range(NfaTransition),
    /// One of several ranges.
    Ranges(Vec<NfaTransition>),
    /// An assertion that must be true here.
    Look(u32, i32),
    /// One of several states; the first is preferred.
    Union(Vec<i32>),
    /// The start of a group, and its name.
    Start(u32, Option<&'a str>, i32),
    /// The end of a group.
    End(u32, i32),
    /// No match.
    Fail,
    /// A match.
    Match,
}

/// From a byte to a byte, and the distance to the next state.
pub(super) type NfaTransition = (u8, u8, i32);

impl PrecompiledPattern<'static> {
    /// Finds the precompiled parts of a regex.
    pub(super) fn find(pattern: &str) -> Option<&'static Self> {
        let at = PRECOMPILED
            .binary_search_by(|known| known.text.cmp(pattern))
            .ok()?;
        Some(&PRECOMPILED[at])
    }

    /// Decodes its automaton.
    pub(super) fn automaton(&self) -> Option<NFA> {
        // A file that cannot be decoded costs time, and not a finding: the regex is compiled
        // instead.
        let (anchored, unanchored, states) =
            postcard::from_bytes::<NfaStates<'_>>(self.states).ok()?;

        let mut builder = Builder::new();
        builder.start_pattern().ok()?;
        for (at, state) in states.into_iter().enumerate() {
            add_state(&mut builder, at, state)?;
        }

        let start = StateID::new(anchored as usize).ok()?;
        builder.finish_pattern(start).ok()?;
        builder
            .build(start, StateID::new(unanchored as usize).ok()?)
            .ok()
    }
}

fn add_state(builder: &mut Builder, at: usize, state: NfaState<'_>) -> Option<()> {
    let to = |further: i32| StateID::new(at.checked_add_signed(further as isize)?).ok();
    let step = |(start, end, next): NfaTransition| {
        Some(Transition {
            start,
            end,
            next: to(next)?,
        })
    };

    let added = match state {
        NfaState::Range(one) => builder.add_range(step(one)?),
        NfaState::Ranges(some) => {
            builder.add_sparse(some.into_iter().map(step).collect::<Option<_>>()?)
        }
        NfaState::Look(look, next) => builder.add_look(to(next)?, Look::from_repr(look)?),
        NfaState::Union(some) => {
            builder.add_union(some.into_iter().map(to).collect::<Option<_>>()?)
        }
        NfaState::Start(group, name, next) => {
            builder.add_capture_start(to(next)?, group, name.map(Arc::from))
        }
        NfaState::End(group, next) => builder.add_capture_end(to(next)?, group),
        NfaState::Fail => builder.add_fail(),
        NfaState::Match => builder.add_match(),
    };
    added.is_ok().then_some(())
}
