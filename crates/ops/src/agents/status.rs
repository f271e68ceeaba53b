//! Which agents in use see the installed skills, and what would change it.

use std::path::{Path, PathBuf};

use super::usage::{AgentInUse, in_use};
use super::{detected_agent, path_expansion};
use crate::{CommandContext, targets};
use skillpm_core::error::Result;
use skillpm_core::manifest::Manifest;
use skillpm_io::disk;
use skillpm_registry::install::target::{self, AgentSpec};
use skillpm_registry::workspace::{Workspace, WorkspaceKind};

/// An agent, and whether it sees the skills of a project.
#[derive(Debug, Clone)]
pub struct AgentStatus {
    /// The agent and the evidence that it is in use; none for an agent that is only known.
    pub usage: AgentInUse,
    /// Whether the skills are the project's or the user's own.
    pub kind: WorkspaceKind,
    /// The install directory in which it sees the skills; `None` if it sees none.
    pub sees: Option<PathBuf>,
    /// Its own directory, which a target would fill; `None` if it has none.
    pub directory: Option<PathBuf>,
}

/// The id and the name of an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentLabel {
    /// Its id.
    pub id: String,
    /// Its name in messages.
    pub name: String,
}

impl AgentLabel {
    pub(crate) fn from_agent(agent: &AgentSpec) -> AgentLabel {
        AgentLabel {
            id: agent.id.clone(),
            name: agent.display_name.clone(),
        }
    }
}

impl AgentStatus {
    /// The agent's id and name.
    #[must_use]
    pub fn label(&self) -> AgentLabel {
        AgentLabel::from_agent(&self.usage.agent)
    }

    /// Whether it is a target, or its files show that it is used.
    #[must_use]
    pub fn is_used(&self) -> bool {
        self.usage.is_used(self.kind)
    }

    /// Whether it is used, or installed on this machine.
    #[must_use]
    pub fn is_used_or_installed(&self) -> bool {
        self.is_used() || self.usage.on_machine().is_some()
    }

    /// Whether it may be expected to see the skills: it is used, or has a directory for them.
    pub(crate) fn can_see(&self) -> bool {
        self.is_used() || self.directory.is_some()
    }

    /// What shows that it is used, or installed on this machine; `None` for a target without files here.
    #[must_use]
    pub fn found(&self) -> Option<&str> {
        let on_machine = self.usage.on_machine().filter(|_| !self.usage.is_target());
        self.usage.found(self.kind).or(on_machine)
    }

    /// The command that makes it see the skills; `None` if it sees them, or has no directory.
    #[must_use]
    pub fn add_command(&self) -> Option<String> {
        let can_be_added = self.sees.is_none() && self.directory.is_some();
        can_be_added.then(|| agents_command("add", &self.usage.agent.id, self.kind))
    }
}

/// `skillpm agents add claude-code`
pub(super) fn agents_command(verb: &str, id: &str, kind: WorkspaceKind) -> String {
    let scope = match kind {
        WorkspaceKind::Project => "",
        WorkspaceKind::Managed => "-g ",
    };
    format!("skillpm agents {verb} {scope}{id}")
}

/// The agents that may be in use, each with whether it sees the skills.
///
/// # Errors
/// If a target is unknown or leaves the project, or a setting of an agent is invalid.
pub fn agent_statuses(
    context: &CommandContext<'_>,
    workspace: &Workspace,
    manifest: &Manifest,
) -> Result<Vec<AgentStatus>> {
    let root = (workspace.kind == WorkspaceKind::Project).then_some(workspace.root.as_path());
    let used = in_use(context, root, &manifest.install.targets)?;
    let installed = InstallDirectories::new(context, workspace, manifest)?;

    Ok(used
        .into_iter()
        .map(|usage| installed.status(context, usage))
        .collect())
}

/// Every known agent: those in use, and the rest of the table without evidence.
///
/// # Errors
/// As for [`agent_statuses`].
pub fn all_statuses(
    context: &CommandContext<'_>,
    workspace: &Workspace,
    manifest: &Manifest,
) -> Result<Vec<AgentStatus>> {
    let mut statuses = agent_statuses(context, workspace, manifest)?;
    let installed = InstallDirectories::new(context, workspace, manifest)?;

    for agent in target::all_agents() {
        if statuses
            .iter()
            .all(|known| known.usage.agent.id != agent.id)
        {
            let usage = AgentInUse {
                agent: detected_agent(context, &agent.id)?,
                evidence: Vec::new(),
            };
            statuses.push(installed.status(context, usage));
        }
    }

    statuses.sort_by(|a, b| a.usage.agent.id.cmp(&b.usage.agent.id));
    Ok(statuses)
}

/// Which agents [`list_agents`] lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ListedAgents {
    /// Targets, those whose files show that they are used, and those that are installed on this machine.
    Installed,
    /// All that are known.
    All,
}

/// Lists agents, each with whether it sees the skills of the project. Without a project, as one
/// that is about to be created.
///
/// # Errors
/// If the manifest is invalid, or as for [`agent_statuses`].
pub fn list_agents(
    context: &CommandContext<'_>,
    sort: WorkspaceKind,
    filter: ListedAgents,
) -> Result<Vec<AgentStatus>> {
    let workspace = match sort {
        WorkspaceKind::Managed => context.find_workspace(sort)?,
        WorkspaceKind::Project => match context.reported_project()? {
            Some(workspace) => workspace,
            None => Workspace::new_in(context.new_project_root())?,
        },
    };
    let registries = |name: Option<&str>| context.config.registry(name);
    let manifest = workspace.manifest(&registries)?;

    if filter == ListedAgents::All {
        return all_statuses(context, &workspace, &manifest);
    }
    let mut statuses = agent_statuses(context, &workspace, &manifest)?;
    statuses.retain(AgentStatus::is_used_or_installed);
    Ok(statuses)
}

/// The directories that skills are installed into, to compare with those that agents read.
pub(super) struct InstallDirectories<'w> {
    workspace: &'w Workspace,
    /// As in the manifest, each with its real path.
    directories: Vec<(PathBuf, PathBuf)>,
}

impl<'w> InstallDirectories<'w> {
    pub(super) fn new(
        context: &CommandContext<'_>,
        workspace: &'w Workspace,
        manifest: &Manifest,
    ) -> Result<Self> {
        let directories = targets::directories(context, workspace, manifest)?;
        Ok(InstallDirectories::from_paths(workspace, directories))
    }

    pub(super) fn from_paths(
        workspace: &'w Workspace,
        directories: impl IntoIterator<Item = PathBuf>,
    ) -> Self {
        let mut installed = InstallDirectories {
            workspace,
            directories: Vec::new(),
        };
        directories
            .into_iter()
            .for_each(|directory| installed.push(directory));
        installed
    }

    /// As in the manifest, the main one first.
    pub(super) fn directories(&self) -> impl Iterator<Item = &Path> {
        self.directories.iter().map(|(path, _)| path.as_path())
    }

    /// Adds a directory, as if its agent were a target.
    pub(super) fn push(&mut self, directory: PathBuf) {
        let real = targets::destination(&self.workspace.root.join(&directory));
        self.directories.push((directory, real));
    }

    fn status(&self, context: &CommandContext<'_>, usage: AgentInUse) -> AgentStatus {
        AgentStatus {
            kind: self.workspace.kind,
            sees: self.seen_by(context, &usage),
            directory: own_directory(context, self.workspace.kind, &usage.agent),
            usage,
        }
    }

    /// The first of the directories in which an agent sees the skills; `None` if it sees none.
    pub(super) fn seen_by(
        &self,
        context: &CommandContext<'_>,
        usage: &AgentInUse,
    ) -> Option<PathBuf> {
        let agent = &usage.agent;
        // It reads another format, and only a target of its own gets the skills in it.
        if agent.format.is_some() && !usage.is_target() {
            return None;
        }

        // Real paths: `.claude/skills` may be a link to the main directory.
        let read: Vec<PathBuf> = read_directories(context, self.workspace, agent)
            .iter()
            .map(|path| targets::destination(path))
            .collect();
        self.directories
            .iter()
            .find(|(_, real)| read.contains(real))
            .map(|(directory, _)| directory.clone())
    }
}

/// The directories of a project that an agent reads; for the user's own skills, those of the user.
pub(crate) fn read_directories(
    context: &CommandContext<'_>,
    workspace: &Workspace,
    agent: &AgentSpec,
) -> Vec<PathBuf> {
    let expansion = path_expansion(context);
    match workspace.kind {
        WorkspaceKind::Project => agent
            .project_directories()
            .map(|dir| workspace.root.join(dir))
            .collect(),
        WorkspaceKind::Managed => agent
            .user_directories()
            .filter_map(|dir| expansion.expand(dir))
            .collect(),
    }
}

/// The directory that a target of this agent fills: relative for a project, absolute for a user.
pub(crate) fn own_directory(
    context: &CommandContext<'_>,
    kind: WorkspaceKind,
    agent: &AgentSpec,
) -> Option<PathBuf> {
    match kind {
        WorkspaceKind::Project => agent.project_path(Path::new("")),
        WorkspaceKind::Managed => agent.user_path(&path_expansion(context)),
    }
}

/// Each directory on the way to a target directory, itself included, the topmost first.
pub(crate) fn directories_to(root: &Path, directory: &Path) -> impl Iterator<Item = PathBuf> {
    let mut path = if directory.is_absolute() {
        PathBuf::new()
    } else {
        root.to_owned()
    };
    directory.components().map(move |part| {
        path.push(part);
        path.clone()
    })
}

/// Why nothing can be written to a target directory, with the path at fault; `None` if it can be.
pub(crate) fn why_unwritable(root: &Path, directory: &Path) -> Option<String> {
    // Every directory on the way: `.claude` may be a file, or a link that leaves the project.
    for path in directories_to(root, directory) {
        let meta = disk::lstat(&path).ok().flatten()?;

        let real = disk::real_path(&path);
        let shown = path.strip_prefix(root).unwrap_or(&path).display();
        let leaves = !directory.is_absolute() && !real.starts_with(disk::real_path(root));
        if meta.is_symlink() && leaves {
            return Some(format!("`{shown}` is a link that leaves the project"));
        }

        match disk::lstat(&real) {
            Ok(Some(meta)) if meta.is_dir() => {}
            Ok(Some(meta)) if meta.is_symlink() => {
                return Some(format!("`{shown}` is a dangling link"));
            }
            _ => return Some(format!("`{shown}` is not a directory")),
        }
    }

    let path = root.join(directory);
    let shown = path.strip_prefix(root).unwrap_or(&path).display();
    (!disk::is_writable(&path)).then(|| format!("`{shown}` is not writable"))
}
