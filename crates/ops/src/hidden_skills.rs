//! Skills that `[catalog]` hides from agents: they are not installed where only these agents read.
//!
//! ```toml
//! [install]
//! targets = ["claude-code"]
//!
//! [catalog.agents.claude-code]
//! deny = ["deploy"]           # not in .claude/skills; still in .agents/skills, for the others
//! ```
//!
//! An agent reads its directory by itself, so that what is in it cannot be hidden. A directory that
//! several agents read has what one of them may see; a warning says so. The main directory, which agents read that are no
//! targets, has what `[catalog]` itself does not hide.

use std::path::{Path, PathBuf};

use super::catalog::{agent_rules, project_rules};
use super::targets::{self, TargetDirectory};
use super::{CommandContext, agents};
use skillpm_catalog::catalog::SkillFilter;
use skillpm_core::error::Result;
use skillpm_core::manifest::{CatalogRules, Manifest};
use skillpm_core::package::SkillName;
use skillpm_core::report::ProgressEvent;
use skillpm_registry::install::target::AgentSpec;
use skillpm_registry::workspace::Workspace;

/// What one agent is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TargetView {
    /// The agent's name in messages.
    display_name: String,
    /// The rules of the project, and those for the agent.
    filters: Vec<SkillFilter>,
}

impl TargetView {
    pub(super) fn new(agent: &AgentSpec, rules: &CatalogRules) -> Self {
        let own = rules.agents.get(&agent.id);
        TargetView {
            display_name: agent.display_name.clone(),
            filters: std::iter::once(project_rules(rules))
                .chain(own.map(|own| agent_rules(&agent.id, own)))
                .collect(),
        }
    }

    /// Whether the agent is not shown a skill.
    pub(super) fn hides(&self, name: &SkillName) -> bool {
        self.reason(name.as_str()).is_some()
    }

    /// Why the agent is not shown a skill; `None` if it is.
    pub(super) fn reason(&self, name: &str) -> Option<String> {
        self.filters
            .iter()
            .find_map(|filter| Some(filter.exclusion_reason(&[name])?.1))
    }
}

/// Adds to each directory what the agents of `targets` that read it are shown; to the main one, what all agents are.
///
/// # Errors
/// If a target is unknown.
pub(super) fn add_views(
    context: &CommandContext<'_>,
    workspace: &Workspace,
    manifest: &Manifest,
    directories: &mut [TargetDirectory],
) -> Result<()> {
    if !has_rules(&manifest.catalog) {
        return Ok(());
    }

    directories[0].views.push(TargetView {
        display_name: "all agents".to_owned(),
        filters: vec![project_rules(&manifest.catalog)],
    });
    for id in &manifest.install.targets {
        let agent = agents::required_agent(context, id)?;
        let read = read_directories(context, workspace, &agent);
        // Not the main one, the first: agents read it that are no targets.
        for directory in directories.iter_mut().skip(1) {
            if read.contains(&real_directory(workspace, &directory.path)) {
                directory
                    .views
                    .push(TargetView::new(&agent, &manifest.catalog));
            }
        }
    }
    Ok(())
}

/// Warns of each skill that is hidden from an agent, but installed where that agent reads, since
/// others do, too.
///
/// # Errors
/// If the settings of an agent are invalid.
pub(super) fn warn_of_shared(
    context: &CommandContext<'_>,
    workspace: &Workspace,
    manifest: &Manifest,
    directories: &[TargetDirectory],
    names: &mut dyn Iterator<Item = &SkillName>,
) -> Result<()> {
    if !has_rules(&manifest.catalog) {
        return Ok(());
    }

    let main = main_views(context, workspace, manifest, &directories[0].path)?;
    for name in names {
        for (at, directory) in directories.iter().enumerate() {
            let views = if at == 0 { &main } else { &directory.views };
            if directory.hides(name) {
                continue;
            }
            for view in views {
                let Some(reason) = view.reason(name.as_str()) else {
                    continue;
                };
                let (agent, path) = (&view.display_name, directory.path.display());
                context.reporter.report(ProgressEvent::Warning {
                    message: format!(
                        "cannot hide `{name}` from {agent}: it stays in the shared directory `{path}` ({reason})"
                    ),
                    help: Some(format!(
                        "to keep it from every agent, run `skillpm remove {name}`"
                    )),
                });
            }
        }
    }
    Ok(())
}

/// What the agents with rules of their own that read the main directory are shown.
fn main_views(
    context: &CommandContext<'_>,
    workspace: &Workspace,
    manifest: &Manifest,
    main: &Path,
) -> Result<Vec<TargetView>> {
    let mut views = Vec::new();
    let main = real_directory(workspace, main);
    for id in manifest.catalog.agents.keys() {
        // A view that only the manifest has is of no agent that reads directories.
        if let Some(agent) = agents::find_agent(context, id)?
            && read_directories(context, workspace, &agent).contains(&main)
        {
            views.push(TargetView::new(&agent, &manifest.catalog));
        }
    }
    Ok(views)
}

/// Whether any rule hides a skill.
fn has_rules(rules: &CatalogRules) -> bool {
    !rules.enabled || rules.allow.is_some() || !rules.deny.is_empty() || !rules.agents.is_empty()
}

/// The directories of this kind that an agent reads, as they really are.
fn read_directories(
    context: &CommandContext<'_>,
    workspace: &Workspace,
    agent: &AgentSpec,
) -> Vec<PathBuf> {
    agents::read_directories(context, workspace, agent)
        .iter()
        .map(|path| targets::destination(path))
        .collect()
}

fn real_directory(workspace: &Workspace, path: &Path) -> PathBuf {
    targets::destination(&workspace.root.join(path))
}
