//! `enable` and `disable`: a skill that `deny` of `[catalog]` names stays locked, and is in no agent's directory.

use super::CommandContext;
use super::agents::refuse_member;
use super::catalog::project_rules;
use super::sync::{SyncOptions, SyncReport, SyncRequest, lock_project, sync};
use super::update::find_locked;
use skillpm_core::error::{Error, Result};
use skillpm_core::manifest::edit;
use skillpm_core::package::SkillName;
use skillpm_registry::workspace::WorkspaceKind;

/// Whether agents get an installed skill.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SkillAvailability {
    /// It is in their directories.
    Enabled,
    /// It is locked only.
    Disabled,
}

/// The locked skills of the project around the current directory that `disable` keeps from all agents, sorted.
///
/// # Errors
/// If the manifest or the lockfile is invalid.
pub fn disabled_skills(context: &CommandContext<'_>) -> Result<Vec<String>> {
    let Some(workspace) = context.reported_project()? else {
        return Ok(Vec::new());
    };
    let lockfile = workspace.lockfile()?.unwrap_or_default();
    let registries = |name: Option<&str>| context.config.registry(name);
    let mut disabled = workspace.manifest(&registries)?.catalog.deny;
    disabled.retain(|name| {
        let name = name.parse();
        name.is_ok_and(|name| lockfile.installed_as(&name).is_some())
    });
    disabled.sort();
    Ok(disabled)
}

/// Adds skills to `deny` of `[catalog]`, or removes them from it, and syncs.
///
/// # Errors
/// If a skill is not in the lockfile, or another rule hides one that is enabled; then nothing was changed.
pub fn set_availability(
    context: &CommandContext<'_>,
    names: &[SkillName],
    availability: SkillAvailability,
    sort: WorkspaceKind,
    options: SyncOptions,
) -> Result<SyncReport> {
    let project = lock_project(context, sort, None)?;
    let workspace = &project.workspace;
    refuse_member(workspace, "rules of `[catalog]`", "…")?;
    let lockfile = workspace.required_lockfile()?;
    for name in names {
        find_locked(&lockfile, name)?;
    }

    let names: Vec<&str> = names.iter().map(SkillName::as_str).collect();
    let text = match availability {
        SkillAvailability::Disabled => edit::add_denied(&workspace.manifest_text, &names)?,
        SkillAvailability::Enabled => edit::remove_denied(&workspace.manifest_text, &names)?,
    };
    if availability == SkillAvailability::Enabled {
        let registries = |name: Option<&str>| context.config.registry(name);
        let rules = project_rules(
            &workspace
                .with_edited_text(&text)
                .manifest(&registries)?
                .catalog,
        );
        for name in &names {
            if let Some((_, reason)) = rules.exclusion_reason(&[name]) {
                return Err(Error::negative(format!("cannot enable `{name}`: {reason}"))
                    .help("change `[catalog]` in skillpm.toml, then run `skillpm install`"));
            }
        }
    }

    let request = SyncRequest {
        manifest_text: (text != workspace.manifest_text).then_some(text),
        ..SyncRequest::default()
    };
    sync(context, &project, &request, options)
}
