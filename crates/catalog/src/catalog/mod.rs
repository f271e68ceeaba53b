//! The catalog: the skills an agent is shown, and the texts it is shown them in.
//!
//! ```text
//! Discovery ──Catalog::of(view)──▶ Catalog ──emit::Format──▶ text
//! ```
//!
//! What is found comes from `tiers`, as values. Everything here is a pure function of them: gates and filters
//! ([`View`]) decide who is listed, and each format in [`emit`] writes the same list in its own way. A skill that is
//! left out stays in the catalog with the reason, for those who ask why. What an agent makes of the same directories
//! ([`disagreements`]), what it may do with tools ([`permission`]) and what its listing costs ([`budget`]) is told here,
//! too.

pub mod budget;
mod candidate;
mod change;
mod disagreement;
pub mod emit;
pub mod gates;
mod listing;
pub mod loaded;
pub mod permission;
mod search;
mod settings;
mod shadow;
pub mod text;
mod view;

use std::path::PathBuf;

pub use candidate::{Candidate, Content, Discovery, FileFact, Finding, Root, Tier, Unlisted};
pub use change::{Change, Covered, Subject};
pub use disagreement::{Clash, Disagreement, disagreements, seen_by};
pub use gates::{Assume, Known, Missing};
pub use listing::{Facts, Listing};
pub use permission::{Permissions, Verdict};
pub use search::Search;
pub use settings::Settings;
pub use shadow::{Copy, Shadow};
pub use view::{Rules, View, Why};

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
    /// Whose view it is, by the name that was asked for; `None` for nobody's in particular.
    pub agent: Option<String>,
    /// The names of the skills whose instructions that agent always carries, in its order.
    pub always: Vec<String>,
    /// What may be done with the tools of skills.
    pub permissions: Permissions,
    /// Where agents take a name differently, each with the agent's id.
    pub disagreements: Vec<(String, Disagreement)>,
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
    /// The same in words; `None` if it is listed.
    pub because: Option<Box<str>>,
    /// Whether the agent always carries its instructions.
    pub always: bool,
    /// The instructions, where the agent always carries them and somebody has read them.
    pub instructions: Option<Box<str>>,
}

impl Catalog {
    /// The catalog of everything that was found, as `view` wants it.
    #[must_use]
    pub fn of(discovery: Discovery, view: &View) -> Self {
        let Discovery { roots, candidates, unlisted, mut findings } = discovery;
        let (candidates, others) = match view.format {
            Some(format) => shadow::in_format(candidates, format),
            None => (candidates, Vec::new()),
        };
        let (candidates, refused) = match &view.deny_shadowing {
            Some(by) => shadow::protect(candidates, &roots, by),
            None => (candidates, Vec::new()),
        };
        let candidates = match view.clash {
            Clash::OneWins => candidates,
            Clash::ListsAll => candidates.into_iter().flat_map(shadow::each_for_itself).collect(),
        };
        let judged = candidates.into_iter().map(|candidate| Entry::of(candidate, &roots, view));
        let left_out = refused.into_iter().map(Entry::refused).chain(others.into_iter().map(Entry::of_other_format));
        let mut entries: Vec<Entry> = judged.chain(left_out).collect();
        entries.sort_by(|a, b| a.candidate.listing.name.cmp(&b.candidate.listing.name));
        let has = |wanted: &str| entries.binary_search_by(|entry| (*entry.candidate.listing.name).cmp(wanted)).is_ok();
        let unknown = view.only.iter().flatten().filter(|wanted| !has(wanted)).cloned().collect();
        let absent = view.always.iter().filter(|name| !has(name));
        findings.extend(absent.map(|name| view::absent(name)));
        let (always, permissions) = (view.always.clone(), view.permissions.clone());
        Catalog { roots, entries, unlisted, findings, unknown, always, permissions, ..Self::default() }
    }

    /// The listed skills whose instructions the agent always carries, in its order.
    #[must_use]
    pub fn carried(&self) -> Vec<&Entry> {
        let listed = |name: &String| self.listed().find(|entry| *entry.candidate.listing.name == **name);
        self.always.iter().filter_map(listed).collect()
    }

    /// The skills that would cover others and may not.
    pub fn refused(&self) -> impl Iterator<Item = &Entry> {
        self.entries.iter().filter(|entry| entry.hidden == Some(Why::ShadowingDenied))
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
    fn of(candidate: Candidate, roots: &[Root], view: &View) -> Self {
        let tier = roots[usize::from(candidate.root)].tier;
        let (missing, why) = view.judge(&candidate, tier);
        let missing = (!missing.is_empty()).then(|| Box::new(missing));
        let (hidden, because) = why.map_or((None, None), |(why, because)| (Some(why), Some(because.into())));
        let always = view.always.iter().any(|name| *name == *candidate.listing.name);
        Entry { candidate, missing, hidden, because, always, instructions: None }
    }

    /// A skill that may not cover another; its last finding says so.
    fn refused(candidate: Candidate) -> Self {
        let because = candidate.diagnostics.last().map(|diagnostic| diagnostic.message.as_str().into());
        let hidden = Some(Why::ShadowingDenied);
        Entry { candidate, missing: None, hidden, because, always: false, instructions: None }
    }

    /// A skill that the agent does not read.
    fn of_other_format(candidate: Candidate) -> Self {
        let because = format!("the agent does not read skills written as {}", candidate.listing.facts().format.name());
        let hidden = Some(Why::OtherFormat);
        Entry { candidate, missing: None, hidden, because: Some(because.into()), always: false, instructions: None }
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
