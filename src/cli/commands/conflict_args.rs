//! Conflicts between local edits and upstream, and dangerous findings: resolved by a flag or a prompt.

use clap::Args;

use crate::cli::CliSession;
use crate::cli::prompts::{ask_yes_or_no, cancelled_error, prompt_error};
use crate::error::{Error, FailureKind, Result};
use crate::ops::sync::{EditPolicy, SeverityAction};

#[derive(Debug, Args)]
pub(super) struct ConflictArgs {
    /// On conflict, write both versions with conflict markers
    ///
    /// As git does, for you to resolve; the exit code is then 1. Changes without conflicts are always merged.
    #[arg(long, conflicts_with_all = ["ours", "theirs"])]
    merge: bool,

    /// On conflict, keep the local version
    #[arg(long, conflicts_with = "theirs")]
    ours: bool,

    /// On conflict, take the upstream version
    #[arg(long)]
    theirs: bool,
}

impl ConflictArgs {
    fn edit_policy(&self) -> EditPolicy {
        match (self.merge, self.ours, self.theirs) {
            (true, ..) => EditPolicy::Mark,
            (_, true, _) => EditPolicy::Ours,
            (.., true) => EditPolicy::Theirs,
            _ => EditPolicy::Stop,
        }
    }

    /// Runs a command; if it stops for a conflict or a dangerous finding, prompts and runs it again.
    pub(super) fn run_with_prompts<T>(
        &self,
        session: &CliSession<'_>,
        run: impl Fn(EditPolicy, SeverityAction) -> Result<T>,
    ) -> Result<T> {
        // The second run accepts what the first one showed; a new conflict can still come up.
        run_with_confirmation(session, |high| {
            self.retry_on_conflict(session, |edits| run(edits, high))
        })
    }

    fn retry_on_conflict<T>(
        &self,
        session: &CliSession<'_>,
        run: impl Fn(EditPolicy) -> Result<T>,
    ) -> Result<T> {
        let edits = self.edit_policy();

        // The first run changed nothing: a conflict is found before anything is written.
        match run(edits) {
            Err(error)
                if error.kind() == FailureKind::Conflict
                    && edits == EditPolicy::Stop
                    && session.context.interactive =>
            {
                run(prompt_for_resolution(session, error)?)
            }
            other => other,
        }
    }
}

/// Runs a command; if it stops for a dangerous finding, prompts and runs it again.
pub(super) fn run_with_confirmation<T>(
    session: &CliSession<'_>,
    run: impl Fn(SeverityAction) -> Result<T>,
) -> Result<T> {
    // Without a terminal, a finding of high severity is a warning and never a question that
    // blocks a script.
    let high = match (session.yes, session.context.interactive) {
        (true, _) => SeverityAction::Accept,
        (false, true) => SeverityAction::Ask,
        (false, false) => SeverityAction::Warn,
    };

    match run(high) {
        Err(error)
            if error.kind() == FailureKind::NeedsConfirmation && high == SeverityAction::Ask =>
        {
            confirm_install(session, &error)?;
            run(SeverityAction::Accepted)
        }
        other => other,
    }
}

/// Prompts whether to install despite dangerous findings.
///
/// # Errors
/// If not.
fn confirm_install(session: &CliSession<'_>, doubt: &Error) -> Result<()> {
    session.shell.print_question(doubt);

    match ask_yes_or_no(session.shell, "Install anyway?", false)? {
        Some(true) => Ok(()),
        Some(false) => Err(declined_error(doubt, "nothing was installed")),
        None => Err(cancelled_error()),
    }
}

/// Prompts how to resolve a conflict between local edits and upstream.
///
/// # Errors
/// If nothing is to be changed.
fn prompt_for_resolution(session: &CliSession<'_>, conflict: Error) -> Result<EditPolicy> {
    const CHOICES: [(&str, EditPolicy); 4] = [
        // The harmless answer is first, since Enter takes the first.
        ("stop without changes", EditPolicy::Stop),
        (
            "write both with conflict markers, and resolve them in an editor",
            EditPolicy::Mark,
        ),
        (
            "keep the local version where both changed the same lines",
            EditPolicy::Ours,
        ),
        (
            "take the upstream version where both changed the same lines",
            EditPolicy::Theirs,
        ),
    ];
    // `--yes` has no safe answer here: either side may lose lines.
    if session.yes {
        return Err(conflict);
    }

    session.shell.print_question(&conflict);
    let answers = CHOICES.iter().map(|(text, _)| *text).collect();
    let answer = inquire::Select::new("How should the conflict be resolved?", answers).raw_prompt();
    let answer = answer.map_err(|cause| prompt_error(session.shell, &cause))?;
    match CHOICES[answer.index].1 {
        EditPolicy::Stop => Err(declined_error(&conflict, "nothing was changed")),
        chosen => Ok(chosen),
    }
}

/// The error after a question was declined; the details were printed with the question.
fn declined_error(about: &Error, outcome: &str) -> Error {
    about
        .helps()
        .iter()
        // The same kind, so that a script gets the same exit code as without a terminal.
        .fold(Error::new(about.kind(), outcome), Error::help)
}
