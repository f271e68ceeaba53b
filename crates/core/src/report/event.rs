//! Events that a command reports while it runs.

use std::collections::BTreeMap;

use super::{Diagnostic, FileFinding};

/// An event to report while it happens. Paths and names in it are for people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProgressEvent {
    /// A source is being queried, or a package is being fetched.
    Fetching {
        /// The package, or the repository as a whole.
        what: String,
    },
    /// Bytes were received for the current fetches; for the progress display only.
    Received {
        /// How many since the last such event.
        bytes: u64,
    },
    /// All fetches are over.
    Fetched,
    /// A skill was installed for the first time.
    Installed {
        /// The skill and its version.
        what: String,
        /// Its directory, when that is not the default one.
        location: Option<String>,
    },
    /// A skill was replaced.
    Updated {
        /// Its name.
        what: String,
        /// The version or commit before.
        from: String,
        /// The version or commit now.
        to: String,
    },
    /// A skill was removed.
    Removed {
        /// Its name.
        what: String,
    },
    /// The command works on a project whose manifest is not in the current directory. Reported as often as a step looks for it.
    Using {
        /// The manifest, relative to the current directory.
        manifest: String,
    },
    /// Some other thing was done: one verb in the past tense and its object.
    Done {
        /// The verb, such as `Created`.
        verb: &'static str,
        /// The object.
        what: String,
    },
    /// Another process holds a lock, and this one waits.
    Blocked {
        /// The lock, and its owner where that is known.
        what: String,
    },
    /// Something that a person should know, though the command goes on.
    Warning {
        /// One sentence.
        message: String,
        /// What would help.
        help: Option<String>,
    },
    /// A detail, shown with `--verbose` only.
    Detail {
        /// One sentence.
        message: String,
    },
    /// A finding about a file that the command read.
    FileDiagnostic {
        /// The file.
        path: String,
        /// The finding.
        diagnostic: Diagnostic,
    },
    /// Findings about the user's own files, to be shown with their lines.
    LintFindings {
        /// The findings.
        findings: Vec<FileFinding>,
        /// The texts of those files, by path.
        sources: BTreeMap<String, String>,
    },
}

impl ProgressEvent {
    /// A warning without help.
    #[must_use]
    pub fn warning(message: impl Into<String>) -> Self {
        ProgressEvent::Warning {
            message: message.into(),
            help: None,
        }
    }
}

/// Receives events, possibly from several threads at once.
// Fetches run on several threads, which share one reporter.
pub trait EventReporter: Sync {
    /// Handles an event.
    fn report(&self, event: ProgressEvent);
}

/// A reporter that drops all events.
#[derive(Debug, Clone, Copy, Default)]
pub struct SilentReporter;

impl EventReporter for SilentReporter {
    fn report(&self, _: ProgressEvent) {}
}
