//! `restore`: discards the edits of installed skills, after a backup.

use super::CommandContext;
use super::sync::{SyncOptions, SyncReport, SyncRequest, lock_project, sync};
use super::update::find_locked;
use skillpm_core::error::Result;
use skillpm_core::package::SkillName;
use skillpm_core::report::ProgressEvent;
use skillpm_registry::workspace::WorkspaceKind;

/// Makes installed skills what the lockfile has, with its saved edits; the unsaved ones are moved to the backup.
///
/// # Errors
/// If a skill is not in the lockfile; then nothing was changed.
pub fn restore(
    context: &CommandContext<'_>,
    names: &[SkillName],
    sort: WorkspaceKind,
    options: SyncOptions,
) -> Result<SyncReport> {
    let project = lock_project(context, sort, None)?;
    let lockfile = project.workspace.required_lockfile()?;
    for name in names {
        if find_locked(&lockfile, name)?.patch.is_some() {
            context.reporter.report(ProgressEvent::Warning {
                message: format!("`{name}` keeps the edits that are saved in its patch file"),
                help: Some(format!("`skillpm patch {name} --drop` discards them, too")),
            });
        }
    }

    let request = SyncRequest {
        restored: names.iter().cloned().collect(),
        ..SyncRequest::default()
    };
    sync(context, &project, &request, options)
}
