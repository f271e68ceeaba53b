//! What to do where a person and upstream changed the same, or something new could do harm: by a flag, or by asking.

use clap::Args;

use crate::cli::Session;
use crate::error::{Error, Kind, Result};
use crate::ops::sync::{Edits, High};

#[derive(Debug, Args)]
pub(super) struct Merging {
    /// Where you and upstream changed the same, write both
    ///
    /// Between marks, as git does, for you to decide; the exit code is 1 then. What can be merged is, in any case.
    #[arg(long, conflicts_with_all = ["ours", "theirs"])]
    merge: bool,

    /// There, keep yours
    #[arg(long, conflicts_with = "theirs")]
    ours: bool,

    /// There, take what upstream has
    #[arg(long)]
    theirs: bool,
}

impl Merging {
    fn edits(&self) -> Edits {
        match (self.merge, self.ours, self.theirs) {
            (true, ..) => Edits::Mark,
            (_, true, _) => Edits::Ours,
            (.., true) => Edits::Theirs,
            _ => Edits::Stop,
        }
    }

    /// Runs a command; where it stops for a conflict or a doubt, asks a person what is to be done, and runs it again.
    pub(super) fn run<T>(&self, session: &Session<'_>, run: impl Fn(Edits, High) -> Result<T>) -> Result<T> {
        let high = match (session.yes, session.context.interactive) {
            (true, _) => High::Accept,
            (false, true) => High::Ask,
            (false, false) => High::Warn,
        };
        match self.settle(session, |edits| run(edits, high)) {
            Err(error) if error.kind() == Kind::Doubt && high == High::Ask => {
                accept(session, &error)?;
                self.settle(session, |edits| run(edits, High::Accepted))
            }
            other => other,
        }
    }

    fn settle<T>(&self, session: &Session<'_>, run: impl Fn(Edits) -> Result<T>) -> Result<T> {
        let edits = self.edits();
        match run(edits) {
            Err(error) if error.kind() == Kind::Conflict && edits == Edits::Stop && session.context.interactive => {
                run(choose(session, error)?)
            }
            other => other,
        }
    }
}

/// Asks whether what could do harm is to be installed.
///
/// # Errors
/// If not.
fn accept(session: &Session<'_>, doubt: &Error) -> Result<()> {
    session.shell.ask_about(doubt);
    match inquire::Confirm::new("Install it all the same?").with_default(false).prompt_skippable() {
        Ok(Some(true)) => Ok(()),
        answer => Err(declined(session, doubt, "nothing was installed", answer.is_err())),
    }
}

/// Asks what is to become of what a person and upstream changed.
///
/// # Errors
/// If it is to stay as it is.
fn choose(session: &Session<'_>, conflict: Error) -> Result<Edits> {
    const CHOICES: [(&str, Edits); 4] = [
        ("stop, and change nothing", Edits::Stop),
        ("write both between marks, and decide in an editor", Edits::Mark),
        ("keep mine where both changed the same", Edits::Ours),
        ("take theirs where both changed the same", Edits::Theirs),
    ];
    if session.yes {
        return Err(conflict);
    }
    session.shell.ask_about(&conflict);
    let answers = CHOICES.iter().map(|(text, _)| *text).collect();
    match inquire::Select::new("What is to be done?", answers).raw_prompt_skippable() {
        Ok(Some(answer)) if CHOICES[answer.index].1 != Edits::Stop => Ok(CHOICES[answer.index].1),
        answer => Err(declined(session, &conflict, "nothing was changed", answer.is_err())),
    }
}

/// What is left to say of a question that was answered with no, or not at all: what it was about was told with it.
fn declined(session: &Session<'_>, about: &Error, outcome: &str, is_interrupted: bool) -> Error {
    if is_interrupted {
        session.shell.end_line();
    }
    about.helps().iter().fold(Error::new(about.kind(), outcome), Error::help)
}
