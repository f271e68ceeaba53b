//! What `--fix` does: only what loses nothing.

use std::path::PathBuf;

use crate::error::{Error, Result};
use crate::io::disk;
use crate::ops::sync::{Rules, Wish, hold, is_answered, sync};
use crate::ops::{Context, cache};
use crate::workspace::Sort;

/// Something that can be mended, in the order in which that is done.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Mend {
    /// A file or a directory that others may not write, nor read a file.
    Close(PathBuf),
    /// Damaged entries of the cache, and what killed commands left in it.
    Cache,
    /// Files of ours that killed commands left in the project.
    Litter(Vec<PathBuf>),
    /// An interrupted command, a lost state, skills that are missing.
    Project,
}

impl Mend {
    /// Does it; gives what was done.
    pub(super) fn apply(&self, context: &Context<'_>, sort: Sort) -> Result<String> {
        match self {
            Mend::Close(path) => {
                disk::close_to_others(path)?;
                Ok(format!("`{}`: closed to others", path.display()))
            }
            Mend::Cache => {
                let damaged = cache::verify(context)?.damaged.len();
                Ok(format!("took {damaged} damaged entries out of the cache, and what killed commands had left"))
            }
            Mend::Litter(paths) => {
                let _held = hold(context, sort, None)?;
                paths.iter().try_for_each(|path| disk::remove(path))?;
                Ok(format!("removed {} that killed commands had left", paths.len()))
            }
            Mend::Project => project(context, sort),
        }
    }
}

fn project(context: &Context<'_>, sort: Sort) -> Result<String> {
    // Taking the lock puts right what was interrupted.
    let held = hold(context, sort, None)?;
    let workspace = &held.workspace;
    if workspace.lock_text.is_none() || workspace.lockfile().is_err() || !is_answered(context, workspace)? {
        return Ok("put right what an interrupted command had left".into());
    }
    let synced = sync(context, &held, &Wish::default(), Rules::default())
        .map_err(|error: Error| error.wrap("what is missing could not be installed"))?;
    Ok(format!("installed what was missing, as the lockfile says ({} changed)", synced.changes.len()))
}
