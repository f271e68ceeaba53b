//! Checks that the agents in use see the skills.

use super::{DoctorContext, DoctorFinding, HealthLevel};
use crate::agents::{
    AgentLabel, AgentStatus, SkillVisibility, UnseenReason, unknown_listing, why_unwritable,
};
use crate::targets;
use skillpm_core::error::{Error, Result};
use skillpm_core::lockfile::Lockfile;
use skillpm_core::manifest::edit;
use skillpm_registry::install::target::AgentSpec;
use skillpm_registry::workspace::WorkspaceKind;

/// Every agent in use sees the skills, and the directory of every target can be written.
pub(super) fn visibility(doctor: &DoctorContext<'_>) -> Result<Vec<DoctorFinding>> {
    let mut findings = Vec::new();
    let unlisting = match doctor.locked_project() {
        // Without skills there is nothing to see.
        Some((workspace, manifest, lockfile)) if !lockfile.packages().is_empty() => {
            let visibility = SkillVisibility::of_workspace(doctor.context, workspace, manifest)?;
            let chosen = edit::has_install_key(&workspace.manifest_text, "targets");
            let agents = visibility.agents.iter();
            findings.extend(agents.filter_map(|agent| describe_unseeing(&agent.status, chosen)));
            find_unlisting(&visibility, lockfile)
        }
        _ => Vec::new(),
    };
    findings.extend(find_unwritable(doctor)?);
    findings.extend(unlisting);
    Ok(findings)
}

/// The packages that an agent in use does not list, although it reads their directory: its own
/// configuration hides them, or its loader drops them.
fn find_unlisting(visibility: &SkillVisibility, lockfile: &Lockfile) -> Vec<DoctorFinding> {
    let mut findings = Vec::new();
    for agent in &visibility.agents {
        let (status, spec) = (&agent.status, &agent.status.usage.agent);
        if !status.is_used() || status.sees.is_none() {
            continue;
        }
        if let Err(error) = &agent.listing {
            findings.push(unreadable_configuration(spec, error));
            continue;
        }
        for package in lockfile.packages() {
            let name = package.install_name();
            let copies = visibility.installed_copies(name);
            if let Some(UnseenReason::Hidden(because)) = agent.unseen_reason(name.as_str(), &copies)
            {
                let message = format!("{} does not list `{name}`: {because}", spec.display_name);
                findings.push(DoctorFinding::new(HealthLevel::Note, message));
            }
        }
    }
    findings
}

fn unreadable_configuration(agent: &AgentSpec, error: &Error) -> DoctorFinding {
    let finding = DoctorFinding::new(HealthLevel::Warning, unknown_listing(agent, error));
    match error.helps().first() {
        Some(help) => finding.help(help.clone()),
        None => finding,
    }
}

/// Reports an agent that is used here, or installed on this machine, and sees none of the skills. With a list of targets
/// (`chosen`), an agent that is not in it was probably left out on purpose.
fn describe_unseeing(status: &AgentStatus, chosen: bool) -> Option<DoctorFinding> {
    let found = status.usage.found(status.kind);
    let Some(command) = status.add_command() else {
        return no_directory(status, found?);
    };

    let health = if found.is_some() && !chosen {
        HealthLevel::Warning
    } else {
        HealthLevel::Note
    };
    let found = status.found()?;
    let name = status.label().name;
    let message = format!("{name} (found {found}) does not see the skills");
    Some(DoctorFinding::new(health, message).help(format!("`{command}` changes that")))
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
