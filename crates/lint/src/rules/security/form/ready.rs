//! What was made of the forms beforehand: `ready.bin`.
//!
//! The file is no source: the tests make it from the forms, and hold it against them. Of a form that is not in it all is
//! made at the moment, so an old file costs time, and no finding.

use std::sync::{Arc, LazyLock};

use regex_automata::nfa::thompson::{Builder, NFA, Transition};
use regex_automata::util::look::Look;
use regex_automata::util::primitives::StateID;
use serde::{Deserialize, Serialize};

use super::need::Need;

/// All that was made, by form.
static MADE: LazyLock<Vec<Made<'static>>> =
    LazyLock::new(|| postcard::from_bytes(include_bytes!("ready.bin")).unwrap_or_default());

/// What was made of a form.
#[derive(Serialize, Deserialize)]
pub(super) struct Made<'a> {
    /// The form.
    pub(super) text: &'a str,
    /// What it cannot do without where one of its triggers stands.
    #[serde(borrow)]
    pub(super) need: Need<&'a [u8]>,
    /// What it may begin with.
    pub(super) begins: Begins,
    /// Where its automaton starts, and its states: read where they are wanted.
    pub(super) states: &'a [u8],
}

/// The bytes that something may begin with: after what is not of a word, and after what is.
pub(super) type Begins = [[u64; 4]; 2];

/// The states of an automaton, and in which of them it starts: anchored, and not.
pub(super) type States<'a> = (u32, u32, Vec<State<'a>>);

/// A state of an automaton, as [`NFA`] has it. What comes next is said by how much further it stands.
#[derive(Serialize, Deserialize)]
pub(super) enum State<'a> {
    /// One of a range of bytes.
    Range(Step),
    /// One of several ranges.
    Ranges(Vec<Step>),
    /// Something that has to hold here.
    Look(u32, i32),
    /// One of several; the first is preferred.
    Union(Vec<i32>),
    /// The start of a group, and its name.
    Start(u32, Option<&'a str>, i32),
    /// The end of a group.
    End(u32, i32),
    /// Nothing fits.
    Fail,
    /// It fits.
    Match,
}

/// From a byte to a byte, and what comes next.
pub(super) type Step = (u8, u8, i32);

impl Made<'static> {
    /// What was made of a form.
    pub(super) fn of(form: &str) -> Option<&'static Self> {
        let at = MADE.binary_search_by(|made| made.text.cmp(form)).ok()?;
        Some(&MADE[at])
    }

    /// Its automaton.
    pub(super) fn automaton(&self) -> Option<NFA> {
        let (anchored, unanchored, states) = postcard::from_bytes::<States<'_>>(self.states).ok()?;
        let mut builder = Builder::new();
        builder.start_pattern().ok()?;
        for (at, state) in states.into_iter().enumerate() {
            add(&mut builder, at, state)?;
        }
        let start = StateID::new(anchored as usize).ok()?;
        builder.finish_pattern(start).ok()?;
        builder.build(start, StateID::new(unanchored as usize).ok()?).ok()
    }
}

fn add(builder: &mut Builder, at: usize, state: State<'_>) -> Option<()> {
    let to = |further: i32| StateID::new(at.checked_add_signed(further as isize)?).ok();
    let step = |(start, end, next): Step| Some(Transition { start, end, next: to(next)? });
    let added = match state {
        State::Range(one) => builder.add_range(step(one)?),
        State::Ranges(some) => builder.add_sparse(some.into_iter().map(step).collect::<Option<_>>()?),
        State::Look(look, next) => builder.add_look(to(next)?, Look::from_repr(look)?),
        State::Union(some) => builder.add_union(some.into_iter().map(to).collect::<Option<_>>()?),
        State::Start(group, name, next) => builder.add_capture_start(to(next)?, group, name.map(Arc::from)),
        State::End(group, next) => builder.add_capture_end(to(next)?, group),
        State::Fail => builder.add_fail(),
        State::Match => builder.add_match(),
    };
    added.is_ok().then_some(())
}
