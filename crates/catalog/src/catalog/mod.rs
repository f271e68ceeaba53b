//! The catalog: the skills that an agent sees, and the formats they are rendered in.
//!
//! ```text
//! DiscoveredSkills ──Catalog::from_discovery(view)──▶ Catalog ──emit──▶ text
//! ```
//!
//! Discovery results come from `tiers`, as values. Everything here is a pure function of them: gates and filters
//! ([`CatalogView`]) select the listed skills, and each format in [`emit`] renders the same list. A hidden skill stays in
//! the catalog with the reason. Also here: how an agent resolves names in the same directories
//! ([`find_disagreements`]), the permissions of tools ([`permission`]) and the size of a listing ([`budget`]).

pub mod budget;
mod candidate;
mod change;
mod disagreement;
pub mod emit;
pub mod gates;
mod glob;
mod hidden_reason;
mod listing;
pub mod loaded;
pub mod permission;
pub mod permission_file;
mod search;
mod settings;
mod shadow;
mod switches;
pub mod text;
mod view;

use std::path::PathBuf;

pub use candidate::{
    DiscoveredSkills, DroppedSkill, FileFact, PathFinding, ShownText, SkillCandidate, SkillContent,
    SkillRoot, Tier, UnlistedSkill,
};
pub use change::{CatalogChange, ChangedSkill, ShadowedPair};
pub use disagreement::{
    AgentDisagreement, DuplicatePolicy, discovery_for_agent, find_disagreements,
};
pub use gates::{GateAssumptions, MissingRequirements, NameSet};
pub use glob::matches_glob;
pub use hidden_reason::HiddenReason;
pub use listing::{SkillFacts, SkillListing};
pub use permission::{ToolPermissions, ToolVerdict};
pub use search::CatalogQuery;
pub use settings::{AgentSettings, ConfigLayer};
pub use shadow::{SkillCopy, SkillShadow};
pub use switches::{SwitchOutcome, SwitchRule, SwitchSubject};
pub use view::{AlwaysFile, CatalogView, SkillFilter};

use skillpm_core::report::Diagnostic;

/// The skills of all tiers, each listed or hidden.
#[derive(Debug, Default, PartialEq)]
pub struct Catalog {
    /// The searched directories, highest first.
    pub roots: Vec<SkillRoot>,
    /// Every name's skill, sorted by the bytes of the name.
    pub entries: Vec<CatalogEntry>,
    /// Skill directories that are not listed.
    pub unlisted: Vec<UnlistedSkill>,
    /// Problems with directories.
    pub findings: Vec<PathFinding>,
    /// Requested names without a skill.
    pub unknown: Vec<String>,
    /// The requested agent; `None` for no particular one.
    pub agent: Option<String>,
    /// The format of that agent's own listing, such as `kodelet`; `None` if it has none.
    pub listing_format: Option<String>,
    /// Whether skills are switched off altogether, and not only hidden one by one.
    pub is_disabled: bool,
    /// The names of the skills whose instructions that agent always carries, in its order.
    pub always: Vec<String>,
    /// Permissions for the tools of skills.
    pub permissions: ToolPermissions,
    /// Names that agents resolve differently, each with the agent's id.
    pub disagreements: Vec<(String, AgentDisagreement)>,
    /// Whether the agent identifies a skill by its directory, and not by its name.
    pub ids_are_directories: bool,
    /// Whether the agent's own list is known, so that each skill in it has its [`ListedText`].
    pub has_own_list: bool,
}

/// A skill, listed or hidden.
#[derive(Debug, PartialEq)]
pub struct CatalogEntry {
    /// The skill, with those it shadows.
    pub candidate: SkillCandidate,
    /// Missing requirements; `None` if there are none.
    pub missing: Option<Box<MissingRequirements>>,
    /// Why it is hidden; `None` if it is listed.
    pub hidden: Option<HiddenReason>,
    /// The same in words; `None` if it is listed.
    pub because: Option<Box<str>>,
    /// Whether the agent always carries its instructions.
    pub always: bool,
    /// The instructions, if the agent always carries them and they were read.
    pub instructions: Option<Box<str>>,
    /// Whether the agent's own configuration keeps its description out of the list.
    pub is_name_only: bool,
    /// Its place in the agent's own list, and what that has of it; `None` for an agent whose list is not known, and for
    /// a skill that is not in it.
    pub listed: Option<Box<ListedText>>,
}

/// What an agent's own list has of a skill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedText {
    /// Its place, counted from 0; `None` where the order is not the same on every machine.
    pub position: Option<usize>,
    /// The name.
    pub name: Box<str>,
    /// The description; `None` where the agent lists the name alone.
    pub description: Option<Box<str>>,
    /// The path; `None` where the agent's list has none.
    pub location: Option<PathBuf>,
}

impl Catalog {
    /// Builds the catalog of all discovered skills for a view.
    #[must_use]
    pub fn from_discovery(discovery: DiscoveredSkills, view: &CatalogView) -> Self {
        let DiscoveredSkills {
            roots,
            candidates,
            unlisted,
            dropped,
            mut findings,
        } = discovery;
        let entries = build_entries(candidates, dropped, &roots, view);

        let unknown = missing_names(&entries, view.only.iter().flatten())
            .cloned()
            .collect();
        // A name of `always` that is not there is a mistake in the manifest, so it gets a finding.
        let absent = view::always_absent_findings(view, |name| !has_skill(&entries, name));
        findings.extend(absent);

        let (always, permissions) = (view.always.clone(), view.permissions.clone());
        Catalog {
            roots,
            entries,
            unlisted,
            findings,
            unknown,
            always,
            permissions,
            ids_are_directories: view.ids_are_directories,
            is_disabled: view.is_disabled(),
            ..Self::default()
        }
    }

    /// What the agent identifies a skill by.
    #[must_use]
    pub fn id_of<'e>(&self, entry: &'e CatalogEntry) -> &'e str {
        if self.ids_are_directories {
            entry.candidate.id()
        } else {
            &entry.candidate.listing.name
        }
    }

    /// The skill that the agent identifies by `id`; else the one with that as its name, or as the name of its directory.
    #[must_use]
    pub fn find(&self, id: &str) -> Option<&CatalogEntry> {
        let by_name = || {
            self.entries
                .iter()
                .find(|entry| *entry.candidate.listing.name == *id)
        };
        let by_directory = || self.entries.iter().find(|entry| entry.candidate.id() == id);

        // The agent's own ids go first: the name of one skill may be the directory of another.
        if self.ids_are_directories {
            by_directory().or_else(by_name)
        } else {
            by_name().or_else(by_directory)
        }
    }

    /// The listed skills whose instructions the agent always carries, in its order.
    #[must_use]
    pub fn always_included(&self) -> Vec<&CatalogEntry> {
        // In the agent's order and not by name: it is the order in which it puts them into its
        // prompt.
        let listed = |name: &String| self.listed().find(|entry| entry.candidate.is_called(name));
        self.always.iter().filter_map(listed).collect()
    }

    /// The skills hidden because they must not shadow others.
    pub fn refused(&self) -> impl Iterator<Item = &CatalogEntry> {
        self.entries
            .iter()
            .filter(|entry| entry.hidden == Some(HiddenReason::ShadowingDenied))
    }

    /// The listed skills.
    pub fn listed(&self) -> impl Iterator<Item = &CatalogEntry> {
        self.entries.iter().filter(|entry| entry.hidden.is_none())
    }

    /// The hidden skills, each with the reason.
    pub fn hidden(&self) -> impl Iterator<Item = (&CatalogEntry, HiddenReason)> {
        self.entries
            .iter()
            .filter_map(|entry| Some((entry, entry.hidden?)))
    }

    /// Lists what the agent's own list has no room for, as if it had.
    pub fn list_overflow(&mut self) {
        for entry in &mut self.entries {
            entry
                .hidden
                .take_if(|hidden| *hidden == HiddenReason::OverBudget);
        }
    }

    /// The names that several skills claim.
    pub fn shadows(&self) -> impl Iterator<Item = SkillShadow> {
        self.entries
            .iter()
            .filter_map(|entry| SkillShadow::from_candidate(&entry.candidate, &self.roots))
    }

    /// Every finding with its file: of listed skills, of unlisted ones, and of directories.
    pub fn diagnostics(&self) -> impl Iterator<Item = (PathBuf, Diagnostic)> {
        let of_entries = self.entries.iter().flat_map(|entry| {
            let location = entry.candidate.location(&self.roots);
            entry
                .diagnostics(&self.roots)
                .map(move |diagnostic| (location.clone(), diagnostic))
        });

        let of_unlisted = self.unlisted.iter().flat_map(|unlisted| {
            unlisted
                .diagnostics
                .iter()
                .map(|diagnostic| (unlisted.location.clone(), diagnostic.clone()))
        });

        let of_places = self
            .findings
            .iter()
            .map(|finding| (finding.path.clone(), finding.diagnostic.clone()));

        of_entries.chain(of_unlisted).chain(of_places)
    }
}

/// The entries of all skills, listed or hidden, sorted by name.
fn build_entries(
    candidates: Vec<SkillCandidate>,
    dropped: Vec<DroppedSkill>,
    roots: &[SkillRoot],
    view: &CatalogView,
) -> Vec<CatalogEntry> {
    // The order matters: a skill of a format that the agent does not read shadows nothing, so it
    // is removed before `policy.deny-shadowing` is applied.
    let (candidates, others) = match view.format {
        Some(format) => shadow::split_by_format(candidates, format),
        None => (candidates, Vec::new()),
    };

    let (candidates, refused) = match &view.deny_shadowing {
        Some(by) => shadow::deny_shadowing(candidates, roots, by),
        None => (candidates, Vec::new()),
    };

    let candidates = match view.duplicates {
        DuplicatePolicy::OneWins => candidates,
        DuplicatePolicy::ListsAll => candidates
            .into_iter()
            .flat_map(shadow::flatten_shadows)
            .collect(),
    };

    let checked = candidates
        .into_iter()
        .map(|candidate| CatalogEntry::from_candidate(candidate, roots, view));

    // What was left out stays in the catalog, hidden, so that `why` and `--all` can say why.
    let left_out = refused
        .into_iter()
        .map(CatalogEntry::from_refused)
        .chain(others.into_iter().map(CatalogEntry::from_other_format))
        .chain(
            dropped
                .into_iter()
                .map(|dropped| CatalogEntry::from_dropped(dropped, view)),
        );

    let mut entries: Vec<CatalogEntry> = checked.chain(left_out).collect();
    // Sorted for the search in `missing_names`, and for every format that lists by name.
    entries.sort_by(|a, b| a.candidate.listing.name.cmp(&b.candidate.listing.name));
    entries
}

/// Those of the names that no entry has; the entries are sorted by name.
fn missing_names<'n>(
    entries: &[CatalogEntry],
    wanted: impl IntoIterator<Item = &'n String>,
) -> impl Iterator<Item = &'n String> {
    wanted
        .into_iter()
        .filter(|wanted| !has_skill(entries, wanted))
}

/// Whether an entry has this name, or this directory.
fn has_skill(entries: &[CatalogEntry], wanted: &str) -> bool {
    let has_name = entries
        .binary_search_by(|entry| (*entry.candidate.listing.name).cmp(wanted))
        .is_ok();

    // Second, as nearly all names are found by the search.
    has_name
        || entries
            .iter()
            .any(|entry| *entry.candidate.directory == *wanted)
}

impl CatalogEntry {
    fn from_candidate(candidate: SkillCandidate, roots: &[SkillRoot], view: &CatalogView) -> Self {
        let tier = roots[usize::from(candidate.root)].tier;

        let (missing, why) = view.check_candidate(&candidate, tier, roots);
        // Boxed, since most skills require nothing and a catalog may have a hundred thousand
        // entries.
        let missing = (!missing.is_empty()).then(|| Box::new(missing));

        let (hidden, because) = why.map_or((None, None), |(why, because)| {
            (Some(why), Some(because.into()))
        });

        let always = view.always.iter().any(|name| candidate.is_called(name));
        let is_name_only = view.lists_name_only(&candidate, roots);

        CatalogEntry {
            candidate,
            missing,
            hidden,
            because,
            always,
            instructions: None,
            is_name_only,
            listed: None,
        }
    }

    /// A skill that must not shadow another, as its last finding reports.
    fn from_refused(candidate: SkillCandidate) -> Self {
        // `deny_shadowing` pushed the finding that says which skill it would cover.
        let because = candidate
            .diagnostics
            .last()
            .map(|diagnostic| diagnostic.message.as_str().into());
        let hidden = Some(HiddenReason::ShadowingDenied);

        CatalogEntry {
            candidate,
            missing: None,
            hidden,
            because,
            always: false,
            instructions: None,
            is_name_only: false,
            listed: None,
        }
    }

    /// A skill that the agent does not read.
    fn from_other_format(candidate: SkillCandidate) -> Self {
        let because = format!(
            "the agent does not read skills written as {}",
            candidate.listing.facts().format.name()
        );
        let hidden = Some(HiddenReason::OtherFormat);

        CatalogEntry {
            candidate,
            missing: None,
            hidden,
            because: Some(because.into()),
            always: false,
            instructions: None,
            is_name_only: false,
            listed: None,
        }
    }

    /// A skill that the agent finds and does not load.
    fn from_dropped(dropped: DroppedSkill, view: &CatalogView) -> Self {
        let DroppedSkill {
            skill,
            hidden,
            because,
        } = dropped;
        // Some loaders leave out at once what others keep from the model: the flag is the better reason.
        let by_flag = view.dropped_reason(skill.listing.facts());
        let (hidden, because) = by_flag.unwrap_or((hidden, because));

        CatalogEntry {
            candidate: skill,
            missing: None,
            hidden: Some(hidden),
            because: Some(because.into()),
            always: false,
            instructions: None,
            is_name_only: false,
            listed: None,
        }
    }

    /// Whether all requirements of the skill are met.
    #[must_use]
    pub fn is_eligible(&self) -> bool {
        self.missing.is_none()
    }

    /// Findings about the skill: in its file, and about those it shadows.
    pub fn diagnostics(&self, roots: &[SkillRoot]) -> impl Iterator<Item = Diagnostic> {
        let shadows = SkillShadow::from_candidate(&self.candidate, roots);

        let of_shadows = shadows
            .into_iter()
            .flat_map(|shadow| shadow.diagnostics().collect::<Vec<_>>());

        self.candidate.diagnostics.iter().cloned().chain(of_shadows)
    }
}

#[cfg(test)]
pub(crate) mod tests;
