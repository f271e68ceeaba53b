//! The repairs of `--fix`: only those that lose no data.

use std::path::PathBuf;

use crate::sync::{SyncOptions, SyncRequest, is_lockfile_satisfied, lock_project, sync};
use crate::{CommandContext, cache};
use skillpm_core::error::{Error, Result};
use skillpm_io::disk;
use skillpm_io::git::{ATTRIBUTES_FILE, with_attributes};
use skillpm_registry::workspace::WorkspaceKind;

/// A repair; the variants are in the order in which repairs run.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum DoctorRepair {
    /// Removes other users' access: write access to a directory, all access to a file.
    CloseToOthers(PathBuf),
    /// Removes other users' write access.
    CloseToWriters(Vec<PathBuf>),
    /// Removes damaged entries of the cache, and leftovers of killed commands in it.
    Cache,
    /// Removes files that killed commands left in the project.
    Leftovers(Vec<PathBuf>),
    /// Adds a line to the file of git's attributes in a directory.
    LineEndings(PathBuf, String),
    /// Recovers an interrupted command, rebuilds the state, and installs missing skills.
    Project,
}

impl DoctorRepair {
    /// Runs the repair; returns a description of it for the report.
    pub(super) fn apply(
        &self,
        context: &CommandContext<'_>,
        sort: WorkspaceKind,
    ) -> Result<String> {
        match self {
            DoctorRepair::CloseToOthers(path) => {
                disk::restrict_to_owner(path)?;
                Ok(format!(
                    "removed access of other users to `{}`",
                    path.display()
                ))
            }
            DoctorRepair::CloseToWriters(paths) => {
                paths
                    .iter()
                    .try_for_each(|path| disk::restrict_writing_to_owner(path))?;
                Ok(match &paths[..] {
                    [path] => format!(
                        "removed write access of other users to `{}`",
                        path.display()
                    ),
                    _ => format!(
                        "removed write access of other users to {} files and directories",
                        paths.len()
                    ),
                })
            }
            DoctorRepair::Cache => {
                // Verifying removes damaged entries, and leftovers before that.
                let damaged = cache::verify(context)?.damaged.len();
                Ok(format!(
                    "removed {damaged} damaged entries and leftovers of killed commands from the cache"
                ))
            }
            DoctorRepair::Leftovers(paths) => {
                // Under the lock, so that no file of a running command is removed.
                let lock = lock_project(context, sort, None)?;
                let mut handles = context.state_dir(&lock.workspace).handles();
                paths.iter().try_for_each(|path| handles.remove(path))?;
                Ok(format!(
                    "removed {} leftovers of killed commands",
                    paths.len()
                ))
            }
            DoctorRepair::LineEndings(root, line) => {
                let text = with_attributes(root, std::slice::from_ref(line))?;
                let path = root.join(ATTRIBUTES_FILE);
                disk::write_atomic(&path, text.as_bytes())?;
                Ok(format!("added `{line}` to `{}`", path.display()))
            }
            DoctorRepair::Project => repair_project(context, sort),
        }
    }
}

fn repair_project(context: &CommandContext<'_>, sort: WorkspaceKind) -> Result<String> {
    // Locking recovers an interrupted command.
    let lock = lock_project(context, sort, None)?;
    let workspace = &lock.workspace;

    // Only what is locked is installed: a repair never changes a lockfile.
    if workspace.lock_text.is_none()
        || workspace.lockfile().is_err()
        || !is_lockfile_satisfied(context, workspace)?
    {
        return Ok("recovered an interrupted command".into());
    }

    let synced = sync(
        context,
        &lock,
        &SyncRequest::default(),
        SyncOptions::default(),
    )
    .map_err(|error: Error| error.wrap("failed to install missing skills"))?;
    Ok(format!(
        "installed missing skills from the lockfile ({} changed)",
        synced.changes.len()
    ))
}
