//! Which agents are in use, by what they leave in a project and in the home directory.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::{detected_agent, path_expansion, required_agent};
use crate::CommandContext;
use skillpm_core::error::Result;
use skillpm_io::disk;
use skillpm_registry::install::target::{self, AgentSpec};
use skillpm_registry::workspace::WorkspaceKind;

/// Why an agent may be in use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UsageEvidence {
    /// It is in `targets` of the manifest.
    Target,
    /// The project has this file or directory of the agent: `.claude/`.
    Marker(String),
    /// This path exists on the machine, so that the agent is installed: `~/.claude`.
    Machine(String),
    /// The project has this path, which other programs have as well: `skills`.
    Ambiguous(String),
    /// The settings have keys of it.
    Setting,
}

/// An agent with the evidence that it is in use.
#[derive(Debug, Clone)]
pub struct AgentInUse {
    /// The agent, with its settings.
    pub agent: AgentSpec,
    /// The evidence, at least one.
    pub evidence: Vec<UsageEvidence>,
}

impl AgentInUse {
    /// What shows that the agent is used: a marker of the project; for the user's own skills, a
    /// path of the machine.
    #[must_use]
    pub fn found(&self, kind: WorkspaceKind) -> Option<&str> {
        self.evidence.iter().find_map(|evidence| match evidence {
            UsageEvidence::Marker(path) if kind == WorkspaceKind::Project => Some(path.as_str()),
            UsageEvidence::Machine(path) if kind == WorkspaceKind::Managed => Some(path.as_str()),
            _ => None,
        })
    }

    /// Whether the agent is installed on this machine.
    #[must_use]
    pub fn on_machine(&self) -> Option<&str> {
        self.evidence.iter().find_map(|evidence| match evidence {
            UsageEvidence::Machine(path) => Some(path.as_str()),
            _ => None,
        })
    }

    /// Whether it is one of the targets.
    #[must_use]
    pub fn is_target(&self) -> bool {
        self.evidence.contains(&UsageEvidence::Target)
    }

    /// Whether it is a target, or its files show that it is used.
    #[must_use]
    pub fn is_used(&self, kind: WorkspaceKind) -> bool {
        self.is_target() || self.found(kind).is_some()
    }
}

/// The agents that may be in use, sorted by id: those of `targets`, those with settings, and those
/// with files in the project (`None` for the user's own skills) or on this machine.
///
/// # Errors
/// If a target is unknown, or a setting of an agent is invalid.
pub fn in_use(
    context: &CommandContext<'_>,
    project: Option<&Path>,
    targets: &[String],
) -> Result<Vec<AgentInUse>> {
    // By id: the evidence comes from several lists, and output depends on the order.
    let mut found: BTreeMap<&str, Vec<UsageEvidence>> = BTreeMap::new();
    let configured = context.config.configured_agents();

    for id in targets {
        found.entry(id).or_default().push(UsageEvidence::Target);
    }
    for agent in target::all_agents() {
        let evidence = find_evidence(context, project, agent);
        if !evidence.is_empty() {
            found.entry(&agent.id).or_default().extend(evidence);
        }
    }
    for id in &configured {
        found.entry(id).or_default().push(UsageEvidence::Setting);
    }

    found
        .into_iter()
        .map(|(id, evidence)| {
            let is_chosen =
                |found| matches!(found, &UsageEvidence::Target | &UsageEvidence::Setting);
            let is_target = evidence.contains(&UsageEvidence::Target);
            let agent = if evidence.iter().any(is_chosen) {
                required_agent(context, id).map_err(|error| {
                    if is_target {
                        error.note("it is in `targets` under `[install]` in `skillpm.toml`")
                    } else {
                        error
                    }
                })?
            } else {
                detected_agent(context, id)?
            };
            Ok(AgentInUse { agent, evidence })
        })
        .collect()
}

/// The files and directories that an agent of the table has here.
fn find_evidence(
    context: &CommandContext<'_>,
    project: Option<&Path>,
    agent: &AgentSpec,
) -> Vec<UsageEvidence> {
    let home = &context.dirs.home;
    // In the home directory, `.claude/` is of the machine and marks no project.
    let project = project.filter(|root| *root != home);

    let markers: Vec<&String> = agent
        .project_markers
        .iter()
        .filter(|marker| project.is_some_and(|root| has_marker(root, marker)))
        .collect();

    let paths = agent.detection_paths(project, &path_expansion(context));
    let others = paths
        .into_iter()
        .filter(|path| disk::lstat(path).is_ok_and(|meta| meta.is_some()))
        .filter_map(|path| {
            let in_project = project.and_then(|root| path.strip_prefix(root).ok());
            match in_project.map(|path| path.display().to_string()) {
                None => Some(UsageEvidence::Machine(display_in_home(home, &path))),
                // The marker says the same, and more surely.
                Some(path) if markers.iter().any(|m| m.trim_end_matches('/') == path) => None,
                Some(path) => Some(UsageEvidence::Ambiguous(path)),
            }
        });

    markers
        .iter()
        .map(|marker| UsageEvidence::Marker((*marker).clone()))
        .chain(others)
        .collect()
}

/// Whether a project has a marker: a directory for one that ends with `/`, else a file. A link
/// counts as what it leads to.
fn has_marker(root: &Path, marker: &str) -> bool {
    let path = root.join(marker.trim_end_matches('/'));
    let Ok(Some(meta)) = disk::lstat(&path) else {
        return false;
    };

    // `CLAUDE.md` is often a link to `AGENTS.md`, made for Claude Code alone.
    let meta = if meta.is_symlink() {
        match disk::lstat(&disk::real_path(&path)) {
            Ok(Some(meta)) => meta,
            _ => return false,
        }
    } else {
        meta
    };

    if marker.ends_with('/') {
        meta.is_dir()
    } else {
        meta.is_file()
    }
}

/// `~/.claude` for a path in the home directory.
fn display_in_home(home: &Path, path: &Path) -> String {
    match path.strip_prefix(home) {
        Ok(below) => PathBuf::from("~").join(below).display().to_string(),
        Err(_) => path.display().to_string(),
    }
}
