//! Warns about the journal of a killed command. Commands that only read leave it for the next
//! command that changes the project.

use std::path::Path;
use std::time::Duration;

use skillpm_core::error::{FailureKind, Result};
use skillpm_core::report::{EventReporter, ProgressEvent};
use skillpm_io::disk::FileLock;
use skillpm_registry::install::state_dir::StateDir;
use skillpm_registry::install::transaction;

/// Warns about a journal, unless another command is changing the project.
///
/// # Errors
/// If the journal exists but cannot be read.
pub(super) fn warn_if_idle(state_dir: &StateDir, reporter: &dyn EventReporter) -> Result<()> {
    if transaction::find_unfinished(state_dir)?.is_none() {
        return Ok(());
    }

    // Without waiting: a journal is normal while a command runs.
    let is_busy = FileLock::acquire_dir(state_dir.root(), Duration::ZERO, reporter)
        .is_err_and(|e| e.kind() == FailureKind::Busy);
    // It may have been finished meanwhile.
    if is_busy {
        Ok(())
    } else {
        warn(state_dir, reporter)
    }
}

/// Warns about a journal; the caller has the project's lock.
///
/// # Errors
/// As for [`warn_if_idle`].
pub(super) fn warn(state_dir: &StateDir, reporter: &dyn EventReporter) -> Result<()> {
    let Some(journal) = transaction::find_unfinished(state_dir)? else {
        return Ok(());
    };

    let path = display_path(state_dir, &journal.path);
    let (message, help) = if journal.is_trusted {
        let message = format!(
            "a command was interrupted, and its changes are incomplete: `{path}` still exists"
        );
        (message, "`skillpm install` undoes them".to_owned())
    } else {
        let refused = state_dir.untrusted_error(transaction::JOURNAL);
        (refused.message().to_owned(), refused.helps().join("; "))
    };

    reporter.report(ProgressEvent::Warning {
        message,
        help: Some(help),
    });
    Ok(())
}

/// A path as messages show it: relative to the project's root.
pub(super) fn display_path(state_dir: &StateDir, path: &Path) -> String {
    path.strip_prefix(state_dir.root())
        .unwrap_or(path)
        .display()
        .to_string()
}
