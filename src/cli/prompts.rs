//! Questions with yes or no, and what follows when a person leaves a question.

use inquire::InquireError;

use super::shell::CliShell;
use crate::error::{Error, FailureKind, Result};

/// Asks; `None` for Escape.
///
/// # Errors
/// If the person interrupts it, or the terminal cannot be used.
pub(super) fn ask_yes_or_no(
    shell: &CliShell,
    question: &str,
    default: bool,
) -> Result<Option<bool>> {
    // The prompt draws on the terminal itself, and a progress line would be drawn over it.
    shell.hide_progress();
    let answer = inquire::Confirm::new(question)
        .with_default(default)
        .prompt_skippable();
    answer.map_err(|cause| prompt_error(shell, &cause))
}

/// The end of a command whose question was left.
pub(super) fn cancelled_error() -> Error {
    Error::new(FailureKind::Cancelled, "Cancelled; nothing was changed")
}

/// The error of a prompt without an answer.
pub(super) fn prompt_error(shell: &CliShell, cause: &InquireError) -> Error {
    match cause {
        InquireError::OperationCanceled => cancelled_error(),
        InquireError::OperationInterrupted => {
            // The prompt leaves the cursor in its own line.
            shell.end_line();
            cancelled_error()
        }
        cause => Error::usage(format!("failed to prompt: {cause}")),
    }
}
