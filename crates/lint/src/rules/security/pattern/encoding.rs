//! The encoding of the precompiled parts of a regex. The build script includes this file, too: it
//! writes what the program reads.

use serde::{Deserialize, Serialize};

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

/// Literals that any matching text contains.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub(super) enum LiteralPrefilter<W> {
    /// Nothing in particular.
    Nothing,
    /// One of these literals, in lower case.
    Word(Vec<W>),
    /// All of these; the one with fewest literals first.
    All(Vec<LiteralPrefilter<W>>),
    /// One of these.
    Any(Vec<LiteralPrefilter<W>>),
}

/// The bytes that a match may begin with, as bit sets: after a non-word byte, and after a word
/// byte.
pub(super) type FirstBytes = [[u64; 4]; 2];

/// The start states of an automaton, anchored and unanchored, and all its states.
pub(super) type NfaStates<'a> = (u32, u32, Vec<NfaState<'a>>);

/// A state of an automaton, as in [`regex_automata::nfa::thompson::NFA`]. The next state is given
/// by its distance, which is mostly one byte.
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
