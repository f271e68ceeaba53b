//! Which agents in use see each skill of a catalog.

use std::path::PathBuf;

use super::status::AgentLabel;
use super::usage::in_use;
use super::{AgentInUse, path_expansion};
use crate::CommandContext;
use skillpm_catalog::catalog::{Catalog, SkillCandidate};
use skillpm_core::error::Result;
use skillpm_core::skill::SkillFormat;
use skillpm_io::disk;
use skillpm_registry::workspace::WorkspaceKind;

/// Which agents in use see the skills of a catalog.
#[derive(Debug, Clone, Default)]
pub struct CatalogVisibility {
    agents: Vec<AgentLabel>,
    /// The format that each agent reads, in the same order.
    formats: Vec<String>,
    /// For each root of the catalog, the positions of the agents that read it.
    readers: Vec<Vec<usize>>,
}

impl CatalogVisibility {
    /// Finds the agents in use around the current directory, and the roots that they read.
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

        let mut used = in_use(context, Some(&root), &targets)?;
        used.retain(|usage| usage.is_used(WorkspaceKind::Project));
        let read: Vec<Vec<PathBuf>> = used
            .iter()
            .map(|usage| real_directories(context, &root, usage))
            .collect();

        let readers = catalog.roots.iter().map(|root| {
            let directory = disk::real_path(&root.path);
            (0..used.len())
                .filter(|at| read[*at].contains(&directory))
                .collect()
        });
        Ok(CatalogVisibility {
            readers: readers.collect(),
            formats: used.iter().map(format_of).collect(),
            agents: used
                .iter()
                .map(|usage| AgentLabel::from_agent(&usage.agent))
                .collect(),
        })
    }

    /// Whether any agent is in use.
    #[must_use]
    pub fn has_agents(&self) -> bool {
        !self.agents.is_empty()
    }

    /// The agents that see a skill, or a copy of it with the same files.
    #[must_use]
    pub fn seen_by(&self, skill: &SkillCandidate) -> Vec<&AgentLabel> {
        let copies = skill
            .shadows
            .iter()
            .filter(|copy| skill.same_content(copy) == Some(true));
        let copies: Vec<&SkillCandidate> = std::iter::once(skill).chain(copies).collect();

        let sees = |at: &usize| {
            copies.iter().any(|copy| {
                let reads = self
                    .readers
                    .get(usize::from(copy.root))
                    .is_some_and(|readers| readers.contains(at));
                // Nova reads no `SKILL.md`, even if one is in its directory.
                reads && self.formats[*at] == copy.listing.facts().format.name()
            })
        };
        (0..self.agents.len())
            .filter(sees)
            .map(|at| &self.agents[at])
            .collect()
    }
}

/// The directories that an agent reads, as they are on disk: a root may be reached through a link.
fn real_directories(
    context: &CommandContext<'_>,
    root: &std::path::Path,
    usage: &AgentInUse,
) -> Vec<PathBuf> {
    let order = usage
        .agent
        .reading_order(Some(root), &path_expansion(context));
    order
        .iter()
        .map(|read| disk::real_path(&read.path))
        .collect()
}

fn format_of(usage: &AgentInUse) -> String {
    let format = usage.agent.format.clone();
    format.unwrap_or_else(|| SkillFormat::SkillMd.name().to_owned())
}
