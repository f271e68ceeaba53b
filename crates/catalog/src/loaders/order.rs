//! The order of an agent's own list.

use std::cmp::Ordering;

use super::collation::compare_names;
use super::discover::compare_paths;
use super::{AgentLoader, ListingOrder};
use crate::catalog::{SkillCandidate, SkillRoot, Tier};

impl AgentLoader {
    /// Compares two skills by their places in the agent's list; `None` where that has no order of its own.
    pub(crate) fn compare_listed(
        &self,
        a: &SkillCandidate,
        b: &SkillCandidate,
        roots: &[SkillRoot],
    ) -> Option<Ordering> {
        let name = |skill: &SkillCandidate| skill.shown_name().to_owned();
        let by_place = || a.root.cmp(&b.root).then_with(|| compare_paths(a, b));

        Some(match self.order? {
            ListingOrder::Found => by_place(),
            ListingOrder::FoundCollated => list_section(a)
                .cmp(&list_section(b))
                .then_with(|| compare_names(&name(a), &name(b))),
            ListingOrder::Collated => compare_names(&name(a), &name(b)).then_with(by_place),
            ListingOrder::ByName => name(a).cmp(&name(b)).then_with(by_place),
            ListingOrder::ScopeAndName => scope_rank(a, roots)
                .cmp(&scope_rank(b, roots))
                .then_with(|| name(a).cmp(&name(b)))
                .then_with(|| a.location(roots).cmp(&b.location(roots))),
        })
    }
}

/// The directory that a skill is listed with; all commands are behind the skills, as if they were of one.
fn list_section(skill: &SkillCandidate) -> u16 {
    match skill.command {
        Some(_) => u16::MAX,
        None => skill.root,
    }
}

fn scope_rank(skill: &SkillCandidate, roots: &[SkillRoot]) -> u8 {
    match roots[usize::from(skill.root)].tier {
        Tier::Bundled => 0,
        Tier::Extra => 1,
        Tier::Workspace => 2,
        Tier::Managed => 3,
    }
}
