//! The catalog: the skills an agent is shown, and the texts it is shown them in.
//!
//! ```text
//! Discovery ──Catalog::of(view)──▶ Catalog ──emit::Format──▶ text
//! ```
//!
//! What is found comes from `tiers`, as values. Everything here is a pure function of them: gates and filters
//! ([`View`]) decide who is listed, and each format in [`emit`] writes the same list in its own way. A skill that is
//! left out stays in the catalog with the reason, for those who ask why.

mod candidate;
mod disagreement;
pub mod emit;
pub mod gates;
mod listing;
mod search;
mod shadow;
pub mod text;
mod view;

use std::path::PathBuf;

pub use candidate::{Candidate, Content, Discovery, FileFact, Finding, Root, Tier, Unlisted};
pub use disagreement::{Clash, Disagreement, disagreements};
pub use gates::{Assume, Known, Missing};
pub use listing::{Facts, Listing};
pub use search::Search;
pub use shadow::{Copy, Shadow};
pub use view::{View, Why};

use crate::report::Diagnostic;

/// The skills of all tiers, each with whether an agent is shown it.
#[derive(Debug, Default, PartialEq)]
pub struct Catalog {
    /// The directories that were looked at, highest first.
    pub roots: Vec<Root>,
    /// Every name's skill, sorted by the bytes of the name.
    pub entries: Vec<Entry>,
    /// What no agent would list.
    pub unlisted: Vec<Unlisted>,
    /// What is wrong with places.
    pub findings: Vec<Finding>,
    /// Names that were asked for and that no skill has.
    pub unknown: Vec<String>,
}

/// A skill, and whether an agent is shown it.
#[derive(Debug, PartialEq)]
pub struct Entry {
    /// The skill, with those it covers.
    pub candidate: Candidate,
    /// What it needs and does not have; `None` if nothing.
    pub missing: Option<Box<Missing>>,
    /// Why it is left out; `None` if it is listed.
    pub hidden: Option<Why>,
}

impl Catalog {
    /// The catalog of everything that was found, as `view` wants it.
    #[must_use]
    pub fn of(discovery: Discovery, view: &View) -> Self {
        let Discovery { roots, mut candidates, unlisted, findings } = discovery;
        candidates.sort_by(|a, b| a.listing.name.cmp(&b.listing.name));
        let has = |wanted: &String| {
            candidates.binary_search_by(|candidate| (*candidate.listing.name).cmp(wanted.as_str())).is_ok()
        };
        let unknown = view.only.iter().flatten().filter(|wanted| !has(wanted)).cloned().collect();
        let entries = candidates.into_iter().map(|candidate| Entry::of(candidate, view)).collect();
        Catalog { roots, entries, unlisted, findings, unknown }
    }

    /// The skills an agent is shown.
    pub fn listed(&self) -> impl Iterator<Item = &Entry> {
        self.entries.iter().filter(|entry| entry.hidden.is_none())
    }

    /// The skills that are left out, each with the reason.
    pub fn hidden(&self) -> impl Iterator<Item = (&Entry, Why)> {
        self.entries.iter().filter_map(|entry| Some((entry, entry.hidden?)))
    }

    /// The names that several skills claim.
    pub fn shadows(&self) -> impl Iterator<Item = Shadow> {
        self.entries.iter().filter_map(|entry| Shadow::of(&entry.candidate, &self.roots))
    }

    /// Every finding with the file it is about: of listed skills, of those that are not, and of places.
    pub fn diagnostics(&self) -> impl Iterator<Item = (PathBuf, Diagnostic)> {
        let of_entries = self.entries.iter().flat_map(|entry| {
            let location = entry.candidate.location(&self.roots);
            entry.diagnostics(&self.roots).map(move |diagnostic| (location.clone(), diagnostic))
        });
        let of_unlisted = self.unlisted.iter().flat_map(|unlisted| {
            unlisted.diagnostics.iter().map(|diagnostic| (unlisted.location.clone(), diagnostic.clone()))
        });
        let of_places = self.findings.iter().map(|finding| (finding.path.clone(), finding.diagnostic.clone()));
        of_entries.chain(of_unlisted).chain(of_places)
    }
}

impl Entry {
    fn of(candidate: Candidate, view: &View) -> Self {
        let (missing, hidden) = view.judge(&candidate);
        let missing = (!missing.is_empty()).then(|| Box::new(missing));
        Entry { candidate, missing, hidden }
    }

    /// Whether all that the skill needs is there.
    #[must_use]
    pub fn is_eligible(&self) -> bool {
        self.missing.is_none()
    }

    /// What was found about the skill: in its file, and about those it covers.
    pub fn diagnostics(&self, roots: &[Root]) -> impl Iterator<Item = Diagnostic> {
        let shadows = Shadow::of(&self.candidate, roots);
        let of_shadows = shadows.into_iter().flat_map(|shadow| shadow.diagnostics().collect::<Vec<_>>());
        self.candidate.diagnostics.iter().cloned().chain(of_shadows)
    }
}

#[cfg(test)]
pub(crate) mod tests;
