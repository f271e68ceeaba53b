//! The precompiled parts of the regexes, which the build script makes from the tables.
//!
//! A regex that is not among them is compiled at run time, which costs time, and not a finding.

use std::sync::{Arc, LazyLock};

use regex_automata::nfa::thompson::{Builder, NFA, Transition};
use regex_automata::util::look::Look;
use regex_automata::util::primitives::StateID;

use super::encoding::{NfaState, NfaStates, NfaTransition, PrecompiledPattern};

/// The precompiled parts of all regexes, sorted by regex.
static PRECOMPILED: LazyLock<Vec<PrecompiledPattern<'static>>> = LazyLock::new(|| {
    postcard::from_bytes(include_bytes!(concat!(
        env!("OUT_DIR"),
        "/security/patterns.bin"
    )))
    .unwrap_or_default()
});

/// Finds the precompiled parts of a regex.
pub(super) fn find(pattern: &str) -> Option<&'static PrecompiledPattern<'static>> {
    let at = PRECOMPILED
        .binary_search_by(|known| known.text.cmp(pattern))
        .ok()?;
    Some(&PRECOMPILED[at])
}

impl PrecompiledPattern<'static> {
    /// Decodes its automaton.
    pub(super) fn automaton(&self) -> Option<NFA> {
        // What cannot be decoded is compiled instead.
        let (anchored, unanchored, states) =
            postcard::from_bytes::<NfaStates<'_>>(self.states).ok()?;

        // The states come in the order of their numbers, to which the distances refer.
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
