//! A journal that a killed command left, as a command sees it that only reads: it is reported, and stays for the next one
//! that changes the project.

use std::path::Path;
use std::time::Duration;

use crate::error::{Kind, Result};
use crate::install::state_dir::StateDir;
use crate::install::transaction;
use crate::io::disk::FileLock;
use crate::report::{Event, Reporter};

/// Reports a journal, unless another command is at work on the project just now.
///
/// # Errors
/// If the journal is there but cannot be read.
pub(super) fn warn_if_idle(state_dir: &StateDir, reporter: &dyn Reporter) -> Result<()> {
    if transaction::unfinished(state_dir)?.is_none() {
        return Ok(());
    }
    let is_busy = FileLock::of_dir(state_dir.root(), Duration::ZERO, reporter).is_err_and(|e| e.kind() == Kind::Busy);
    // It may have been finished meanwhile.
    if is_busy { Ok(()) } else { warn(state_dir, reporter) }
}

/// Reports a journal; the caller has the project's lock.
///
/// # Errors
/// As for [`warn_if_idle`].
pub(super) fn warn(state_dir: &StateDir, reporter: &dyn Reporter) -> Result<()> {
    let Some(journal) = transaction::unfinished(state_dir)? else { return Ok(()) };
    let path = seen_from_project(state_dir, &journal.path);
    let (message, help) = if journal.is_trusted {
        let message = format!("a command was interrupted, and its changes are incomplete: `{path}` is still there");
        (message, "`skillpm install` undoes them".to_owned())
    } else {
        let refused = state_dir.refused(transaction::JOURNAL);
        (refused.message().to_owned(), refused.helps().join("; "))
    };
    reporter.report(Event::Warning { message, help: Some(help) });
    Ok(())
}

/// A path as it is shown to the user.
pub(super) fn seen_from_project(state_dir: &StateDir, path: &Path) -> String {
    path.strip_prefix(state_dir.root()).unwrap_or(path).display().to_string()
}
