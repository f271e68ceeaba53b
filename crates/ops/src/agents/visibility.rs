//! Which agents in use see each skill of a catalog.

use std::path::PathBuf;

use super::status::AgentLabel;
use super::usage::in_use;
use crate::CommandContext;
use crate::catalog::{AgentListing, AgentListings, real_directory};
use skillpm_catalog::catalog::{Catalog, SkillCandidate, SkillRoot};
use skillpm_core::error::{Error, Result};
use skillpm_core::report::ProgressEvent;
use skillpm_io::skills_dir::RealPaths;
use skillpm_registry::install::target::AgentSpec;
use skillpm_registry::workspace::WorkspaceKind;

/// Which agents in use see the skills of a catalog.
#[derive(Debug, Default)]
pub struct CatalogVisibility {
    agents: Vec<(AgentLabel, AgentListing)>,
    /// The roots of the catalog.
    roots: Vec<SkillRoot>,
    real_paths: RealPaths,
}

impl CatalogVisibility {
    /// Finds the agents in use around the current directory, and what each of them lists.
    ///
    /// An agent whose own configuration is invalid sees nothing, and a warning says so.
    ///
    /// # Errors
    /// If the manifest is invalid, a target is unknown, or a setting of an agent is invalid.
    pub fn find(context: &CommandContext<'_>, catalog: &Catalog) -> Result<Self> {
        let project = context.project()?;
        let registries = |name: Option<&str>| context.config.registry(name);
        let targets = match &project {
            Some(workspace) => workspace.manifest(&registries)?.install.targets,
            None => Vec::new(),
        };
        let root = project.map_or_else(|| context.dirs.cwd.clone(), |found| found.root);

        let used = in_use(context, Some(&root), &targets)?;
        let mut used = used
            .into_iter()
            .filter(|usage| usage.is_used(WorkspaceKind::Project))
            .map(|usage| usage.agent)
            .peekable();
        // Mostly no agent is used, and then nothing more is read.
        if used.peek().is_none() {
            return Ok(CatalogVisibility::default());
        }

        let listings = AgentListings::new(context)?;
        Ok(CatalogVisibility {
            agents: used
                .filter_map(|agent| {
                    let listing = read_listing(context, &listings, &agent)?;
                    Some((AgentLabel::from_agent(&agent), listing))
                })
                .collect(),
            roots: catalog.roots.clone(),
            real_paths: RealPaths::default(),
        })
    }

    /// Whether any agent is in use.
    #[must_use]
    pub fn has_agents(&self) -> bool {
        !self.agents.is_empty()
    }

    /// The agents that see a skill, or a copy of it.
    #[must_use]
    pub fn seen_by(&self, skill: &SkillCandidate) -> Vec<&AgentLabel> {
        if self.agents.is_empty() {
            return Vec::new();
        }

        let copies = self.copy_directories(skill);
        let sees = |listing: &AgentListing| copies.iter().any(|copy| listing.lists(copy));
        let seeing = self.agents.iter().filter(|(_, listing)| sees(listing));
        seeing.map(|(label, _)| label).collect()
    }

    /// Why an agent in use does not see a skill in a directory that it reads; `None` if it does, or
    /// reads none of its directories.
    #[must_use]
    pub fn hidden_because(&self, skill: &SkillCandidate, agent: &str) -> Option<&str> {
        let (_, listing) = self.agents.iter().find(|(label, _)| label.id == agent)?;
        let copies = self.copy_directories(skill);
        copies.iter().find_map(|copy| listing.hidden_because(copy))
    }

    /// The real directories of a skill and of its copies.
    fn copy_directories(&self, skill: &SkillCandidate) -> Vec<PathBuf> {
        let same = skill
            .shadows
            .iter()
            .filter(|copy| skill.is_copy_of(&self.roots, copy, &self.roots));
        std::iter::once(skill)
            .chain(same)
            .map(|copy| real_directory(copy, &self.roots, &self.real_paths))
            .collect()
    }
}

/// What an agent lists; `None`, with a warning, if its configuration is invalid.
pub(crate) fn read_listing(
    context: &CommandContext<'_>,
    listings: &AgentListings<'_>,
    agent: &AgentSpec,
) -> Option<AgentListing> {
    match listings.read(agent) {
        Ok(listing) => Some(listing),
        Err(error) => {
            context.reporter.report(ProgressEvent::Warning {
                message: unknown_listing(agent, &error),
                help: error.helps().first().cloned(),
            });
            None
        }
    }
}

/// Why it is not known what an agent sees.
pub(crate) fn unknown_listing(agent: &AgentSpec, error: &Error) -> String {
    format!(
        "cannot find out which skills {} sees: {}",
        agent.display_name,
        error.in_one_line()
    )
}
