//! Locks a project, and rolls back what a killed command left.

use std::path::Path;

use crate::interrupted::{self, display_path};
use crate::{CommandContext, projects};
use skillpm_core::error::Result;
use skillpm_core::report::{EventReporter, ProgressEvent};
use skillpm_io::disk::{self, FileLock};
use skillpm_registry::install::state_dir::StateDir;
use skillpm_registry::install::transaction;
use skillpm_registry::workspace::{Workspace, WorkspaceKind};

/// A locked project: no other process changes it, and an interrupted command was rolled back.
pub struct ProjectLock {
    /// The project, read under the lock.
    pub workspace: Workspace,
    _lock: FileLock,
}

/// Takes a project's lock, then reads it.
///
/// With `make`, a project that does not exist yet is created in that root, in memory only.
///
/// # Errors
/// If there is no such project, it would be created in the home directory, another process has the lock for too long, or it
/// cannot be read.
pub fn lock_project(
    context: &CommandContext<'_>,
    sort: WorkspaceKind,
    make: Option<&Path>,
) -> Result<ProjectLock> {
    let found = match (sort, make) {
        (WorkspaceKind::Project, Some(root)) => match context.reported_project()? {
            Some(found) => found,
            None => {
                context.refuse_new_in_home(root)?;
                Workspace::new_in(root)?
            }
        },
        _ => context.find_workspace(sort)?,
    };

    lock_workspace(context, found, AfterKill::Recovers)
}

/// Takes a project's lock as [`lock_project`] does, for a command that changes nothing: an
/// interrupted command is reported, and not rolled back.
///
/// # Errors
/// As for [`lock_project`].
pub(crate) fn lock_project_read_only(
    context: &CommandContext<'_>,
    sort: WorkspaceKind,
) -> Result<ProjectLock> {
    lock_workspace(context, context.find_workspace(sort)?, AfterKill::Reports)
}

/// What to do about the journal of a killed command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum AfterKill {
    Recovers,
    Reports,
}

fn lock_workspace(
    context: &CommandContext<'_>,
    found: Workspace,
    after_kill: AfterKill,
) -> Result<ProjectLock> {
    let sort = found.kind;
    if after_kill == AfterKill::Recovers {
        disk::refuse_protected(&context.dirs.skillpm_home)?;
    }
    if sort == WorkspaceKind::Managed {
        // The user's own directory may not exist before the first command that needs it.
        disk::create_dir(&found.root)?;
    }
    let lock = FileLock::acquire_dir(&found.root, context.lock_timeout(), context.reporter)?;

    // Recorded under the lock, so that `cache prune` knows the project before it installs anything.
    if sort == WorkspaceKind::Project {
        projects::record_project(&context.dirs.skillpm_home, &found.root);
    }

    let state_dir = context.state_dir(&found);
    // A killed command is rolled back before anything reads its changes.
    match after_kill {
        AfterKill::Recovers => recover(&state_dir, context.reporter)?,
        AfterKill::Reports => interrupted::warn(&state_dir, context.reporter)?,
    }

    // Read again: the process that had the lock may have changed it.
    let workspace = match sort {
        WorkspaceKind::Managed => Workspace::managed(&found.root)?,
        WorkspaceKind::Project => {
            match Workspace::find(&found.root)?.filter(|again| again.root == found.root) {
                Some(again) => Workspace {
                    member: found.member,
                    ..again
                },
                None => Workspace::new_in(&found.root)?,
            }
        }
    };

    Ok(ProjectLock {
        workspace,
        _lock: lock,
    })
}

/// Rolls back a killed command, and reports files that the user has changed since.
fn recover(state_dir: &StateDir, reporter: &dyn EventReporter) -> Result<()> {
    let Some(recovered) = transaction::recover(state_dir)? else {
        return Ok(());
    };
    reporter.report(ProgressEvent::Done {
        verb: "Recovered",
        what: "from an interrupted command".into(),
    });

    for saved in &recovered.saved {
        let message = format!(
            "`{}` was changed after the command was interrupted",
            display_path(state_dir, &saved.place)
        );
        let help = format!(
            "your version is saved in `{}`",
            display_path(state_dir, &saved.backup)
        );
        reporter.report(ProgressEvent::Warning {
            message,
            help: Some(help),
        });
    }
    Ok(())
}
