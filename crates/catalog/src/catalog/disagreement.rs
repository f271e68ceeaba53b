//! Where an agent's own order and the tiers mean different skills by one name.

use std::collections::BTreeMap;

use super::shadow::shown;
use super::text::one_line;
use super::{Candidate, Copy, Discovery};
use crate::report::{Diagnostic, Level};

/// What an agent does with two skills of one name.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Clash {
    /// It uses one.
    #[default]
    OneWins,
    /// It shows both.
    ListsAll,
}

/// One name that an agent takes differently.
#[derive(Debug, Clone, PartialEq)]
pub enum Disagreement {
    /// The agent uses another skill than the tiers mean.
    Inversion {
        /// The name.
        skill: Box<str>,
        /// What the tiers mean.
        ours: Copy,
        /// What the agent uses.
        theirs: Copy,
    },
    /// The agent shows several.
    DuplicateListing {
        /// The name.
        skill: Box<str>,
        /// All of them, in the agent's order.
        copies: Vec<Copy>,
    },
}

/// Compares what the tiers mean with what an agent finds in its own directories, in its own order. Names that the agent
/// does not see at all are no disagreement, nor is another copy of the same files.
#[must_use]
pub fn disagreements(ours: &Discovery, theirs: &Discovery, clash: Clash) -> Vec<Disagreement> {
    let meant: BTreeMap<&str, &Candidate> = ours.candidates.iter().map(|skill| (&*skill.listing.name, skill)).collect();
    let judge = |used: &Candidate| {
        let skill = used.listing.name.clone();
        if clash == Clash::ListsAll && !used.shadows.is_empty() {
            let copies = std::iter::once(used).chain(&used.shadows).map(|copy| Copy::of(copy, &theirs.roots));
            return Some(Disagreement::DuplicateListing { skill, copies: copies.collect() });
        }
        let meant = *meant.get(&*skill)?;
        let (ours, theirs) = (Copy::of(meant, &ours.roots), Copy::of(used, &theirs.roots));
        let agree = ours.path == theirs.path || meant.same_content(used) == Some(true);
        (!agree).then_some(Disagreement::Inversion { skill, ours, theirs })
    };
    theirs.candidates.iter().filter_map(judge).collect()
}

/// What an agent finds of the names that several skills claim. `rank` says of each of our roots how high it stands with
/// the agent, the lower the higher; `None` if it does not look there. Only such names can be taken differently.
#[must_use]
pub fn seen_by(ours: &Discovery, rank: &[Option<usize>]) -> Discovery {
    let claimed = ours.candidates.iter().filter(|candidate| !candidate.shadows.is_empty());
    let used = |winner: &Candidate| {
        let copies = std::iter::once(Candidate { shadows: Vec::new(), ..winner.clone() }).chain(winner.shadows.clone());
        let mut seen: Vec<_> = copies.filter_map(|copy| Some((rank[usize::from(copy.root)]?, copy))).collect();
        seen.sort_by_key(|(rank, _)| *rank);
        let mut seen = seen.into_iter().map(|(_, copy)| copy);
        let first = seen.next()?;
        Some(Candidate { shadows: seen.collect(), ..first })
    };
    Discovery { roots: ours.roots.clone(), candidates: claimed.filter_map(used).collect(), ..Discovery::default() }
}

impl Disagreement {
    /// The name that is taken differently.
    #[must_use]
    pub fn skill(&self) -> &str {
        match self {
            Disagreement::Inversion { skill, .. } | Disagreement::DuplicateListing { skill, .. } => skill,
        }
    }

    /// The finding about it, for the agent of this name: `shadow-inversion` or `duplicate-listing`.
    #[must_use]
    pub fn diagnostic(&self, agent: &str) -> Diagnostic {
        match self {
            Disagreement::Inversion { skill, ours, theirs } => {
                let (skill, ours, theirs) = (one_line(skill), shown(&ours.path), shown(&theirs.path));
                let message = format!("for `{skill}` {agent} uses `{theirs}`, where skillpm means `{ours}`");
                Diagnostic::new("shadow-inversion", Level::Warning, message).help("remove or rename one of the two")
            }
            Disagreement::DuplicateListing { skill, copies } => {
                let copies: Vec<_> = copies.iter().map(|copy| format!("`{}`", shown(&copy.path))).collect();
                let message =
                    format!("{agent} lists `{}` {} times: {}", one_line(skill), copies.len(), copies.join(", "));
                Diagnostic::new("duplicate-listing", Level::Warning, message).help("remove all but one")
            }
        }
    }
}
