//! The one error type of all crates.
//!
//! An [`Error`] says what failed, why, and what would help. It is built where the facts are known, enriched on the
//! way up with [`ErrorContext`], and printed once, in `cli`, which is also where its [`FailureKind`] becomes an exit
//! code.

mod nearest;

use std::fmt;
use std::io::ErrorKind;

pub use nearest::{edit_distance, nearest_name};

/// The result of anything that can fail.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// The kind of a failure, which decides the exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailureKind {
    /// The answer is no: no version fits, a name is taken, `--locked` differs, a policy forbids it. Exit code 1.
    Negative,
    /// Two people changed the same lines, and a person has to decide. Exit code 1.
    Conflict,
    /// Something could do harm, and a person has to confirm it. Exit code 1.
    NeedsConfirmation,
    /// The command line, a manifest, a lockfile or a configuration file is invalid. Exit code 2.
    Usage,
    /// Bytes are not what was promised, or content is hostile. Exit code 3.
    Integrity,
    /// The network, a remote host or a credential failed. Exit code 4.
    Network,
    /// Another process keeps a lock for too long. Exit code 5.
    Busy,
    /// The disk refused: permissions, space, read-only. Exit code 6.
    Disk,
    /// A fault in skillpm itself. Exit code 6.
    Internal,
    /// A person left a question without an answer. Exit code 130, as for a command that Ctrl-C ends.
    Cancelled,
}

impl FailureKind {
    /// All kinds, sorted by exit code.
    pub const ALL: [FailureKind; 10] = [
        FailureKind::Negative,
        FailureKind::Conflict,
        FailureKind::NeedsConfirmation,
        FailureKind::Usage,
        FailureKind::Integrity,
        FailureKind::Network,
        FailureKind::Busy,
        FailureKind::Disk,
        FailureKind::Internal,
        FailureKind::Cancelled,
    ];

    /// The process exit code for a failure of this kind.
    #[must_use]
    pub fn exit_code(self) -> u8 {
        match self {
            // Scripts rely on these numbers (docs/exit-codes.md), so they do not change.
            FailureKind::Negative | FailureKind::Conflict | FailureKind::NeedsConfirmation => 1,
            FailureKind::Usage => 2,
            FailureKind::Integrity => 3,
            FailureKind::Network => 4,
            FailureKind::Busy => 5,
            FailureKind::Disk | FailureKind::Internal => 6,
            FailureKind::Cancelled => 130,
        }
    }
}

/// A failure: its kind, one sentence, the notes below it, what caused it, and what helps.
///
/// ```text
/// error: failed to select a version for `acme/pdf`: no version matches `^3`
///   `2.4.1` was yanked                        (a note)
/// caused by: …                                (a cause)
/// help: `2.4.1` is the newest version; to use it, run `skillpm add acme/pdf@^2`
/// ```
#[derive(Clone)]
pub struct Error(Box<ErrorInner>);

#[derive(Clone)]
struct ErrorInner {
    kind: FailureKind,
    message: String,
    notes: Vec<String>,
    causes: Vec<String>,
    help: Vec<String>,
    packages: Vec<String>,
}

impl Error {
    /// A failure of `kind`; the message is lower case and has no full stop.
    #[must_use]
    pub fn new(kind: FailureKind, message: impl Into<String>) -> Self {
        Error(Box::new(ErrorInner {
            kind,
            message: message.into(),
            notes: Vec::new(),
            causes: Vec::new(),
            help: Vec::new(),
            packages: Vec::new(),
        }))
    }

    /// [`FailureKind::Negative`] with a message.
    #[must_use]
    pub fn negative(message: impl Into<String>) -> Self {
        Error::new(FailureKind::Negative, message)
    }

    /// [`FailureKind::Usage`] with a message.
    #[must_use]
    pub fn usage(message: impl Into<String>) -> Self {
        Error::new(FailureKind::Usage, message)
    }

    /// [`FailureKind::Integrity`] with a message.
    #[must_use]
    pub fn integrity(message: impl Into<String>) -> Self {
        Error::new(FailureKind::Integrity, message)
    }

    /// [`FailureKind::Network`] with a message.
    #[must_use]
    pub fn network(message: impl Into<String>) -> Self {
        Error::new(FailureKind::Network, message)
    }

    /// [`FailureKind::Disk`] with a message.
    #[must_use]
    pub fn disk(message: impl Into<String>) -> Self {
        Error::new(FailureKind::Disk, message)
    }

    /// [`FailureKind::Internal`] with a message; the reader is asked to report it.
    #[must_use]
    pub fn internal(message: impl Into<String>) -> Self {
        Error::new(
            FailureKind::Internal,
            format!("internal: {}", message.into()),
        )
        .help("this is a bug in skillpm; please report it with the line above")
    }

    /// Adds a line that belongs to the message, shown indented below it.
    #[must_use]
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.0.notes.push(note.into());
        self
    }

    /// Adds what can be done about it, best as a command that works when pasted.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.0.help.push(help.into());
        self
    }

    /// Adds an underlying cause below the ones already there.
    #[must_use]
    pub fn cause(mut self, cause: impl Into<String>) -> Self {
        self.0.causes.push(cause.into());
        self
    }

    /// Adds `error` and everything below it as causes.
    #[must_use]
    pub fn with_sources(mut self, error: &(dyn std::error::Error + 'static)) -> Self {
        // `source` is followed by hand, since `Display` of most errors leaves it out.
        let mut next = Some(error);
        while let Some(cause) = next {
            let text = cause.to_string();
            // A wrapper that displays the same text as its source would appear twice.
            if self.0.causes.last() != Some(&text) {
                self.0.causes.push(text);
            }
            next = cause.source();
        }
        self
    }

    /// Puts a new message on top; the old one becomes the first cause. Kind, notes and help stay.
    #[must_use]
    pub fn wrap(mut self, message: impl Into<String>) -> Self {
        let old = std::mem::replace(&mut self.0.message, message.into());
        // Outermost first, as they are printed.
        self.0.causes.insert(0, old);
        self
    }

    /// Changes the kind, where an outer step knows better what a failure means.
    #[must_use]
    pub fn with_kind(mut self, kind: FailureKind) -> Self {
        self.0.kind = kind;
        self
    }

    /// Records the packages without which there would be no such failure, by name.
    #[must_use]
    pub fn about(mut self, packages: impl IntoIterator<Item = String>) -> Self {
        self.0.packages.extend(packages);
        self
    }

    /// Fails if there are errors: with one for several, which has the worst of their codes. A single one stays as it is.
    ///
    /// # Errors
    /// If there are any.
    pub fn fail_if_any(
        mut errors: Vec<Error>,
        message: impl FnOnce(usize) -> String,
    ) -> Result<()> {
        if errors.len() < 2 {
            return errors.pop().map_or(Ok(()), Err);
        }
        let kinds = errors.iter().map(Error::kind);
        let Some(worst) = kinds.max_by_key(|kind| kind.exit_code()) else {
            return Ok(());
        };
        let all = Error::new(worst, message(errors.len()));
        let add = |all: Error, one: &Error| {
            let notes = one.notes().iter().map(|note| format!("  {note}"));
            let all = notes.fold(all.note(one.in_one_line()), Error::note);
            let new = one
                .helps()
                .iter()
                .filter(|help| !all.helps().contains(help));
            let new: Vec<String> = new.cloned().collect();
            new.into_iter().fold(all, Error::help)
        };
        Err(errors.iter().fold(all, add))
    }

    /// Adds it to other failures. What fails in the same way for several packages, as of one source, is one failure.
    pub fn add_to(self, failed: &mut Vec<Error>) {
        match failed
            .iter_mut()
            .find(|known| known.in_one_line() == self.in_one_line())
        {
            Some(known) => known.0.packages.extend(self.0.packages),
            None => failed.push(self),
        }
    }

    /// The packages without which there would be no such failure; empty if that is not known.
    #[must_use]
    pub fn packages(&self) -> &[String] {
        &self.0.packages
    }

    /// The kind of the failure.
    #[must_use]
    pub fn kind(&self) -> FailureKind {
        self.0.kind
    }

    /// The one-sentence message.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// Lines that belong to the message.
    #[must_use]
    pub fn notes(&self) -> &[String] {
        &self.0.notes
    }

    /// The underlying causes, outermost first.
    #[must_use]
    pub fn causes(&self) -> &[String] {
        &self.0.causes
    }

    /// The message and its causes, joined by `: `, for output of one line.
    #[must_use]
    pub fn in_one_line(&self) -> String {
        let parts: Vec<&str> = std::iter::once(&self.0.message)
            .chain(&self.0.causes)
            .map(String::as_str)
            .collect();

        parts.join(": ")
    }

    /// The `help:` lines.
    #[must_use]
    pub fn helps(&self) -> &[String] {
        &self.0.help
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.message)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: {}", self.0.kind, self.0.message)?;

        for line in self
            .0
            .notes
            .iter()
            .chain(&self.0.causes)
            .chain(&self.0.help)
        {
            write!(f, "\n  {line}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Error {}

/// Adds to a failure what was being done.
pub trait ErrorContext<T> {
    /// Turns the failure into an [`Error`] of [`FailureKind::Disk`] (or, for an [`Error`], keeps its kind) with this
    /// message on top.
    ///
    /// # Errors
    /// The failure that was there, with its context.
    fn context(self, message: impl FnOnce() -> String) -> Result<T>;
}

/// Why skillpm itself does not make a change that the system would allow; the inner error of a [`std::io::Error`].
#[derive(Debug, Clone)]
pub struct RefusedChange {
    /// The reason.
    pub reason: String,
    /// What to do about it, a `help:` line each.
    pub helps: Vec<String>,
}

impl fmt::Display for RefusedChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.reason)
    }
}

impl std::error::Error for RefusedChange {}

impl<T> ErrorContext<T> for Result<T, std::io::Error> {
    fn context(self, message: impl FnOnce() -> String) -> Result<T> {
        self.map_err(|cause| {
            let error = Error::disk(message()).cause(lowercase_io_reason(&cause));
            let inner = cause.get_ref().and_then(|inner| inner.downcast_ref());
            if let Some(RefusedChange { helps, .. }) = inner {
                return helps
                    .iter()
                    .fold(error, |error, help| error.help(help.clone()));
            }
            match system_limit_help(&cause) {
                Some(help) => error.help(help),
                None => error,
            }
        })
    }
}

impl<T> ErrorContext<T> for Result<T> {
    fn context(self, message: impl FnOnce() -> String) -> Result<T> {
        self.map_err(|error| error.wrap(message()))
    }
}

/// `ENFILE` and `EMFILE`, on Linux as on macOS: the machine has too many open files, or this process has.
const TOO_MANY_OPEN: [i32; 2] = [23, 24];

/// The help for a limit that the operating system sets, whatever the path.
fn system_limit_help(error: &std::io::Error) -> Option<&'static str> {
    match (error.raw_os_error(), error.kind()) {
        (Some(number), _) if TOO_MANY_OPEN.contains(&number) => Some(
            "nothing was changed; raise the limit of open files (`ulimit -n 1024`), and run the command again",
        ),
        (_, ErrorKind::FileTooLarge) => Some(
            "nothing was changed; raise the limit of file sizes (`ulimit -f unlimited`), and run the command again",
        ),
        _ => None,
    }
}

/// The operating system's reason, with its first letter in lower case as in all our messages.
fn lowercase_io_reason(error: &std::io::Error) -> String {
    let text = error.to_string();
    let mut chars = text.chars();

    match chars.next() {
        Some(first) => first.to_lowercase().chain(chars).collect(),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrapping_keeps_kind_and_turns_the_message_into_a_cause() {
        let error = Error::network("no route")
            .help("check the network")
            .wrap("failed to fetch `x`");
        assert_eq!(error.kind(), FailureKind::Network);
        assert_eq!(error.message(), "failed to fetch `x`");
        assert_eq!(error.causes(), ["no route"]);
        assert_eq!(error.helps(), ["check the network"]);
    }

    #[test]
    #[cfg_attr(windows, ignore = "the numbers are errors of Unix")]
    fn io_errors_read_lower_case() {
        let error = Err::<(), _>(std::io::Error::from_raw_os_error(13))
            .context(|| "failed to read `x`".into());
        assert_eq!(
            error.unwrap_err().causes(),
            ["permission denied (os error 13)"]
        );
    }

    #[test]
    #[cfg_attr(windows, ignore = "the numbers are errors of Unix")]
    fn a_system_limit_comes_with_the_command_that_raises_it() {
        for (number, help) in [(24, "`ulimit -n 1024`"), (27, "`ulimit -f unlimited`")] {
            let error = Err::<(), _>(std::io::Error::from_raw_os_error(number))
                .context(|| "failed to write `x`".into());
            assert!(error.unwrap_err().helps()[0].contains(help));
        }
    }
}
