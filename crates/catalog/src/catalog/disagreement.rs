//! Names that an agent's own search order and the tiers resolve to different skills.

use std::collections::BTreeMap;

use super::shadow::display_path;
use super::text::one_line;
use super::{DiscoveredSkills, SkillCandidate, SkillCopy, SkillRoot};
use skillpm_core::report::{Diagnostic, DiagnosticLevel};

/// What an agent does with two skills of one name.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum DuplicatePolicy {
    /// It uses one.
    #[default]
    OneWins,
    /// It shows both.
    ListsAll,
}

/// One name that an agent resolves differently.
#[derive(Debug, Clone, PartialEq)]
pub enum AgentDisagreement {
    /// The agent uses another skill than the tiers.
    Inversion {
        /// The name.
        skill: Box<str>,
        /// The skill according to the tiers.
        ours: SkillCopy,
        /// The skill that the agent uses.
        theirs: SkillCopy,
    },
    /// The agent shows several.
    DuplicateListing {
        /// The name.
        skill: Box<str>,
        /// All of them, in the agent's order.
        copies: Vec<SkillCopy>,
    },
}

/// Compares the tiers' resolution of names with an agent's, in its own directories and order. Names that the agent does
/// not see at all are no disagreement, nor is another copy of the same files.
#[must_use]
pub fn find_disagreements(
    ours: &DiscoveredSkills,
    theirs: &DiscoveredSkills,
    clash: DuplicatePolicy,
) -> Vec<AgentDisagreement> {
    let meant: BTreeMap<&str, &SkillCandidate> = ours
        .candidates
        .iter()
        .map(|skill| (&*skill.listing.name, skill))
        .collect();

    let mut found = Vec::new();
    for used in &theirs.candidates {
        // Copies of the same files count as well: the model reads the description twice.
        if clash == DuplicatePolicy::ListsAll && !used.shadows.is_empty() {
            found.push(list_copies(used, &theirs.roots));
            continue;
        }

        // A name that the tiers do not have cannot be resolved differently.
        if let Some(meant) = meant.get(&*used.listing.name) {
            found.extend(compare_skills(meant, &ours.roots, used, &theirs.roots));
        }
    }

    found
}

fn list_copies(used: &SkillCandidate, roots: &[SkillRoot]) -> AgentDisagreement {
    let copies = std::iter::once(used)
        .chain(&used.shadows)
        .map(|copy| SkillCopy::from_candidate(copy, roots));

    AgentDisagreement::DuplicateListing {
        skill: used.listing.name.clone(),
        copies: copies.collect(),
    }
}

/// The inversion, if `used`, the agent's skill of a name, is another than `meant`, that of the tiers.
fn compare_skills(
    meant: &SkillCandidate,
    our_roots: &[SkillRoot],
    used: &SkillCandidate,
    their_roots: &[SkillRoot],
) -> Option<AgentDisagreement> {
    let ours = SkillCopy::from_candidate(meant, our_roots);
    let theirs = SkillCopy::from_candidate(used, their_roots);

    // Another copy of the same skill is no disagreement: the agent reads the same text, or what was changed in its copy.
    let agree = ours.path == theirs.path || meant.is_copy_of(our_roots, used, their_roots);
    (!agree).then(|| AgentDisagreement::Inversion {
        skill: used.listing.name.clone(),
        ours,
        theirs,
    })
}

/// The skills that an agent finds for duplicate names. `rank` gives the agent's rank of each of our roots, lowest first;
/// `None` if the agent does not search it. Only duplicate names can be resolved differently.
#[must_use]
pub fn discovery_for_agent(ours: &DiscoveredSkills, rank: &[Option<usize>]) -> DiscoveredSkills {
    let claimed = ours
        .candidates
        .iter()
        .filter(|candidate| !candidate.shadows.is_empty());

    DiscoveredSkills {
        roots: ours.roots.clone(),
        candidates: claimed
            .filter_map(|winner| rank_copies(winner, rank))
            .collect(),
        ..DiscoveredSkills::default()
    }
}

/// The agent's winner among the copies of a skill, with those that it shadows; `None` if the agent finds none of them.
fn rank_copies(winner: &SkillCandidate, rank: &[Option<usize>]) -> Option<SkillCandidate> {
    // Flattened and ranked again: the agent may put first what we put last.
    let copies = std::iter::once(SkillCandidate {
        shadows: Vec::new(),
        ..winner.clone()
    })
    .chain(winner.shadows.clone());

    let mut ranked: Vec<_> = copies
        // A root that the agent does not search cannot win for it.
        .filter_map(|copy| Some((rank[usize::from(copy.root)]?, copy)))
        .collect();
    // A stable sort: copies of one root stay in the order of their directories.
    ranked.sort_by_key(|(rank, _)| *rank);

    let mut copies = ranked.into_iter().map(|(_, copy)| copy);
    let first = copies.next()?;
    Some(SkillCandidate {
        shadows: copies.collect(),
        ..first
    })
}

impl AgentDisagreement {
    /// The name that is resolved differently.
    #[must_use]
    pub fn skill(&self) -> &str {
        match self {
            AgentDisagreement::Inversion { skill, .. }
            | AgentDisagreement::DuplicateListing { skill, .. } => skill,
        }
    }

    /// The finding about it, for the agent of this name: `shadow-inversion` or `duplicate-listing`.
    #[must_use]
    pub fn diagnostic(&self, agent: &str) -> Diagnostic {
        match self {
            AgentDisagreement::Inversion {
                skill,
                ours,
                theirs,
            } => {
                let (skill, ours, theirs) = (
                    one_line(skill),
                    display_path(&ours.path),
                    display_path(&theirs.path),
                );

                let message =
                    format!("{agent} uses `{theirs}` for `{skill}`; skillpm would use `{ours}`");
                Diagnostic::new("shadow-inversion", DiagnosticLevel::Warning, message)
                    .help("remove or rename one of the two")
            }
            AgentDisagreement::DuplicateListing { skill, copies } => {
                let copies: Vec<_> = copies
                    .iter()
                    .map(|copy| format!("`{}`", display_path(&copy.path)))
                    .collect();

                let message = format!(
                    "{agent} lists `{}` {} times: {}",
                    one_line(skill),
                    copies.len(),
                    copies.join(", ")
                );
                Diagnostic::new("duplicate-listing", DiagnosticLevel::Warning, message)
                    .help("remove all but one")
            }
        }
    }
}
