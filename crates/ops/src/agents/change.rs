//! `agents add` and `agents remove`: change `[install] targets`, and sync.

use std::path::PathBuf;

use super::status::{AgentLabel, AgentStatus, all_statuses};
use crate::CommandContext;
use crate::sync::{SyncOptions, SyncReport, SyncRequest, lock_project, sync};
use skillpm_core::error::{Error, Result};
use skillpm_core::manifest::edit;
use skillpm_registry::workspace::{Workspace, WorkspaceKind};

/// Whether agents become targets, or are no longer any.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AgentChange {
    /// They become targets.
    Add,
    /// They are no longer targets.
    Remove,
}

/// Options of [`change_targets`].
#[derive(Debug, Clone)]
pub struct AgentChangeOptions {
    /// What to do.
    pub change: AgentChange,
    /// The ids of the agents.
    pub ids: Vec<String>,
    /// Which project.
    pub sort: WorkspaceKind,
    /// How to sync.
    pub sync: SyncOptions,
}

/// The result of [`change_targets`].
#[derive(Debug, Clone)]
pub struct AgentChangeReport {
    /// The agents that were added or removed.
    pub changed: Vec<AgentLabel>,
    /// Agents that need no target: they see the skills in this directory.
    pub unneeded: Vec<(AgentLabel, PathBuf)>,
    /// The result of the sync; `None` if nothing changed.
    pub synced: Option<SyncReport>,
}

/// Adds agents to the targets of a project, or removes them, and installs or clears their
/// directories.
///
/// # Errors
/// If an agent is unknown, has no directory, or is to be removed and is no target; then nothing was
/// changed.
pub fn change_targets(
    context: &CommandContext<'_>,
    options: &AgentChangeOptions,
) -> Result<AgentChangeReport> {
    // Before the lock: a typo in an id is found also while another command runs.
    for id in &options.ids {
        super::required_agent(context, id)?;
    }

    let project = lock_project(context, options.sort, None)?;
    let workspace = &project.workspace;
    refuse_member(workspace, "targets", "agents …")?;
    let registries = |name: Option<&str>| context.config.registry(name);
    let manifest = workspace.manifest(&registries)?;
    let statuses = all_statuses(context, workspace, &manifest)?;

    let mut report = AgentChangeReport {
        changed: Vec::new(),
        unneeded: Vec::new(),
        synced: None,
    };
    let mut text = workspace.edited_text()?;
    for id in &options.ids {
        let Some(status) = statuses.iter().find(|known| known.usage.agent.id == *id) else {
            continue;
        };
        text = match options.change {
            AgentChange::Add => add_agent(text, status, &mut report)?,
            AgentChange::Remove => remove_agent(&text, status, &mut report)?,
        };
    }
    if options.change == AgentChange::Remove {
        // The main directory was that of these agents alone; its default is for all.
        let main = manifest.install.dir.to_path();
        let filling: Vec<&String> = statuses
            .iter()
            .filter(|status| status.usage.is_target() && status.directory.as_ref() == Some(&main))
            .map(|status| &status.usage.agent.id)
            .collect();
        if !filling.is_empty() && filling.iter().all(|id| options.ids.contains(id)) {
            text = edit::remove_install_key(&text, "dir")?;
        }
    }

    if !report.changed.is_empty() {
        let request = SyncRequest {
            manifest_text: Some(text),
            ..SyncRequest::default()
        };
        report.synced = Some(sync(context, &project, &request, options.sync)?);
    }
    Ok(report)
}

fn add_agent(text: String, status: &AgentStatus, report: &mut AgentChangeReport) -> Result<String> {
    let label = status.label();
    // A second copy would show each skill twice in agents that list all.
    if let Some(directory) = &status.sees {
        report.unneeded.push((label, directory.clone()));
        return Ok(text);
    }

    if status.directory.is_none() {
        let (whose, other) = match status.kind {
            WorkspaceKind::Project => ("of a project", "-g "),
            WorkspaceKind::Managed => ("of a user", ""),
        };
        return Err(Error::negative(format!(
            "unsupported target `{}`: {} reads no skill directory {whose}",
            label.id, label.name
        ))
        .help(format!("`skillpm agents add {other}{}`", label.id)));
    }

    let text = edit::add_target(&text, &label.id)?;
    report.changed.push(label);
    Ok(text)
}

fn remove_agent(
    text: &str,
    status: &AgentStatus,
    report: &mut AgentChangeReport,
) -> Result<String> {
    let label = status.label();
    if !status.usage.is_target() {
        let error = Error::negative(format!("target `{}` not found in the manifest", label.id));
        return Err(match &status.sees {
            Some(directory) => error
                .note(format!(
                    "{} sees the skills in `{}`, which is a directory of the project or of another target",
                    label.name,
                    directory.display()
                ))
                .help(format!(
                    "to hide skills from it, set `deny` under `[catalog.agents.{}]`",
                    label.id
                )),
            None => error.help(match status.kind {
                WorkspaceKind::Project => "`skillpm agents list` shows the targets",
                WorkspaceKind::Managed => "`skillpm agents list -g` shows the targets",
            }),
        });
    }

    let text = edit::remove_targets(text, std::slice::from_ref(&label.id))?;
    report.changed.push(label);
    Ok(text)
}

/// Refuses to write in a member what belongs to the workspace root, whose command is in the help.
pub(crate) fn refuse_member(workspace: &Workspace, what: &str, command: &str) -> Result<()> {
    let Some(member) = &workspace.member else {
        return Ok(());
    };
    Err(Error::usage(format!(
        "cannot set {what} in workspace member `{member}`: they are set in the workspace root"
    ))
    .help(format!(
        "run it in the root: `skillpm -C {} {command}`",
        workspace.root.display()
    )))
}
