//! Checks that the agents in use see the skills.

use std::path::PathBuf;

use super::{DoctorContext, DoctorFinding, HealthLevel};
use crate::agents::{AgentLabel, AgentStatus, agent_statuses, unknown_listing, why_unwritable};
use crate::catalog::AgentListings;
use crate::targets;
use skillpm_core::error::{Error, Result};
use skillpm_core::manifest::edit;
use skillpm_registry::install::target::AgentSpec;
use skillpm_registry::workspace::WorkspaceKind;

/// Every agent in use sees the skills, and the directory of every target can be written.
pub(super) fn visibility(doctor: &DoctorContext<'_>) -> Result<Vec<DoctorFinding>> {
    let mut findings = find_unseeing(doctor)?;
    findings.extend(find_unwritable(doctor)?);
    findings.extend(find_unlisting(doctor)?);
    Ok(findings)
}

/// The packages that an agent in use does not list, although it reads their directory: its own
/// configuration hides them, or its loader drops them.
fn find_unlisting(doctor: &DoctorContext<'_>) -> Result<Vec<DoctorFinding>> {
    let Some((workspace, manifest, lockfile)) = doctor.locked_project() else {
        return Ok(Vec::new());
    };
    let mut statuses = agent_statuses(doctor.context, workspace, manifest)?;
    statuses.retain(|status| status.is_used() && status.sees.is_some());
    if statuses.is_empty() || lockfile.packages().is_empty() {
        return Ok(Vec::new());
    }

    let directories: Vec<PathBuf> = targets::directories(doctor.context, workspace, manifest)?
        .iter()
        .map(|directory| workspace.root.join(directory))
        .collect();
    let listings = AgentListings::new(doctor.context)?;

    let mut findings = Vec::new();
    for status in statuses {
        let agent = &status.usage.agent;
        let listing = match listings.read(agent) {
            Ok(listing) => listing,
            Err(error) => {
                findings.push(unreadable_configuration(agent, &error));
                continue;
            }
        };
        for package in lockfile.packages() {
            let name = package.install_name();
            if let Some(because) = listing.hidden_in_all(&directories, name) {
                let message = format!("{} does not list `{name}`: {because}", agent.display_name);
                findings.push(DoctorFinding::new(HealthLevel::Note, message));
            }
        }
    }
    Ok(findings)
}

fn unreadable_configuration(agent: &AgentSpec, error: &Error) -> DoctorFinding {
    let finding = DoctorFinding::new(HealthLevel::Warning, unknown_listing(agent, error));
    match error.helps().first() {
        Some(help) => finding.help(help.clone()),
        None => finding,
    }
}

/// The agents that are used here, or installed on this machine, and see none of the skills.
fn find_unseeing(doctor: &DoctorContext<'_>) -> Result<Vec<DoctorFinding>> {
    // Without skills there is nothing to see.
    let Some((workspace, manifest, lockfile)) = doctor.locked_project() else {
        return Ok(Vec::new());
    };
    if lockfile.packages().is_empty() {
        return Ok(Vec::new());
    }

    let chosen = edit::has_targets(&workspace.manifest_text);
    let finding = |status: &AgentStatus| {
        let found = status.usage.found(workspace.kind);
        let Some(command) = status.add_command() else {
            return no_directory(status, found?);
        };

        // With a list of targets, an agent that is not in it was probably left out on purpose.
        let health = if found.is_some() && !chosen {
            HealthLevel::Warning
        } else {
            HealthLevel::Note
        };

        let found = found.or(status.usage.on_machine())?;
        let name = status.label().name;
        let message = format!("{name} (found {found}) does not see the skills");
        Some(DoctorFinding::new(health, message).help(format!("`{command}` changes that")))
    };
    let statuses = agent_statuses(doctor.context, workspace, manifest)?;
    Ok(statuses.iter().filter_map(finding).collect())
}

/// Reports an agent that is used in the project and has a directory for the user's own skills only.
fn no_directory(status: &AgentStatus, found: &str) -> Option<DoctorFinding> {
    let is_unseen = status.kind == WorkspaceKind::Project && status.sees.is_none();
    let AgentLabel { id, name } = status.label();
    (is_unseen && status.usage.agent.global_dir.is_some()).then(|| {
        let message = format!("{name} (found {found}) reads no skill directory of a project");
        let help = format!("`skillpm add -g NAME --target {id}` installs a skill for it");
        DoctorFinding::new(HealthLevel::Note, message).help(help)
    })
}

/// The target directories that cannot be written.
fn find_unwritable(doctor: &DoctorContext<'_>) -> Result<Vec<DoctorFinding>> {
    let Some((workspace, manifest)) = &doctor.project else {
        return Ok(Vec::new());
    };

    let directories = targets::directories(doctor.context, workspace, manifest)?;
    let reasons = directories
        .iter()
        .filter_map(|directory| why_unwritable(&workspace.root, directory));
    Ok(reasons
        .map(|reason| {
            DoctorFinding::new(
                HealthLevel::Error,
                format!("failed to install for an agent: {reason}"),
            )
            .help("fix it, or remove the target: `skillpm agents list` shows all")
        })
        .collect())
}
