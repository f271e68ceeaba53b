//! Which skills agents list: each by its own view, as `catalog --agent` shows it.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::super::CommandContext;
use super::agent_view::{AgentView, build_view, discover_agent, inspection_scope};
use super::tier_context::TierContext;
use super::{CatalogOptions, build_catalog};
use skillpm_catalog::catalog::{Catalog, CatalogEntry, SkillCandidate, SkillRoot};
use skillpm_core::error::Result;
use skillpm_io::disk;
use skillpm_io::skills_dir::RealPaths;
use skillpm_registry::install::target::AgentSpec;

/// Reads what agents list around the current directory.
pub(crate) struct AgentListings<'a> {
    context: &'a CommandContext<'a>,
    tier_context: TierContext,
}

impl<'a> AgentListings<'a> {
    /// Reads the rules of the project, which hold for all agents.
    ///
    /// # Errors
    /// If the manifest or a lockfile is invalid.
    pub(crate) fn new(context: &'a CommandContext<'a>) -> Result<Self> {
        Ok(AgentListings {
            context,
            tier_context: TierContext::from_options(context, &CatalogOptions::default())?,
        })
    }

    /// What an agent makes of each skill in its directories.
    ///
    /// # Errors
    /// If a file of the agent's configuration cannot be read, or is invalid.
    pub(crate) fn read(&self, agent: &AgentSpec) -> Result<AgentListing> {
        let (context, tier_context) = (self.context, &self.tier_context);
        let options = CatalogOptions {
            agent: Some(agent.id.clone()),
            ..CatalogOptions::default()
        };

        let viewer = AgentView::from_name(context, tier_context, &agent.id)?;
        let modeled = viewer.modeled.as_ref();
        let scope = inspection_scope(&options);
        let discovery = discover_agent(context, tier_context, (agent, modeled), scope);
        let (view, _) = build_view(context, tier_context, (Some(&viewer), &discovery), &options)?;
        let catalog = build_catalog(context, &options, Some(&viewer), (discovery, &view));
        Ok(AgentListing::from_catalog(&catalog))
    }
}

/// What one agent makes of the skills in its directories.
#[derive(Debug, Clone, Default)]
pub(crate) struct AgentListing {
    /// By the text of the real path of a skill's directory: why the agent does not list it; `None` if it does.
    skills: HashMap<OsString, Option<String>>,
}

impl AgentListing {
    fn from_catalog(catalog: &Catalog) -> Self {
        let mut listing = AgentListing::default();
        let real_paths = RealPaths::default();
        for entry in &catalog.entries {
            listing.add_entry(entry, &catalog.roots, &real_paths);
        }

        for unlisted in &catalog.unlisted {
            let reason = unlisted.diagnostics.first();
            let reason = reason.map_or_else(String::new, |found| found.message.clone());
            if let Some(directory) = unlisted.location.parent() {
                listing.add(disk::real_path(directory), Some(reason));
            }
        }
        listing
    }

    /// Adds a skill, with the copies that it shadows.
    fn add_entry(&mut self, entry: &CatalogEntry, roots: &[SkillRoot], real_paths: &RealPaths) {
        let because = entry.hidden.map(|hidden| match &entry.because {
            Some(because) => because.to_string(),
            None => hidden.name().to_owned(),
        });

        let real_directory = |skill: &SkillCandidate| real_directory(skill, roots, real_paths);
        let winner = entry.candidate.base_dir(roots);
        for copy in &entry.candidate.shadows {
            // A copy is the skill that the agent lists, wherever it reads it.
            let because = if entry.candidate.is_copy_of(roots, copy, roots) {
                because.clone()
            } else {
                Some(format!("`{}` shadows it", winner.display()))
            };
            self.add(real_directory(copy), because);
        }
        self.add(real_directory(&entry.candidate), because);
    }

    /// Adds a directory; one that two roots reach is listed if it is in one of them.
    fn add(&mut self, directory: PathBuf, because: Option<String>) {
        match self.skills.entry(directory.into_os_string()) {
            Entry::Vacant(unknown) => {
                unknown.insert(because);
            }
            Entry::Occupied(mut known) if because.is_none() => {
                known.insert(None);
            }
            Entry::Occupied(_) => {}
        }
    }

    /// Whether the agent lists the skill in a directory, which is a real path.
    pub(crate) fn lists(&self, directory: &Path) -> bool {
        matches!(self.skills.get(directory.as_os_str()), Some(None))
    }

    /// Why the agent does not list the skill in a directory that it reads; `None` if it lists it, or
    /// does not read that directory.
    pub(crate) fn hidden_because(&self, directory: &Path) -> Option<&str> {
        self.skills.get(directory.as_os_str())?.as_deref()
    }
}

/// The directory of a skill without links; the directory as it was found if it is not there.
pub(crate) fn real_directory(
    skill: &SkillCandidate,
    roots: &[SkillRoot],
    real_paths: &RealPaths,
) -> PathBuf {
    let directory = skill.base_dir(roots);
    let below = &*skill.directory;
    // The search of the root has seen that this is a directory, and no link.
    let is_plain = !skill.linked && below != "." && !below.contains('/');
    let resolved = if is_plain {
        let root = real_paths.resolve_directory(&roots[usize::from(skill.root)].path);
        root.map(|root| root.join(below))
    } else {
        real_paths.resolve(&directory)
    };
    resolved.unwrap_or(directory)
}
