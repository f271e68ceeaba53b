//! What happens while a verb is at work.

use std::collections::BTreeMap;

use super::{Diagnostic, Finding};

/// Something worth telling while it happens. Paths and names in it are for people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// A source is being asked or a package brought, from the place named.
    Fetching {
        /// What: a package, or the repository as a whole.
        what: String,
    },
    /// Bytes have come in for the current fetches; for the progress display only.
    Received {
        /// How many since the last such event.
        bytes: u64,
    },
    /// All fetches are over.
    Fetched,
    /// A skill was put where none of its name was.
    Installed {
        /// The skill and its version.
        what: String,
        /// Where it stands, when that is not the usual place.
        place: Option<String>,
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
    /// A skill was taken away.
    Removed {
        /// Its name.
        what: String,
    },
    /// Some other thing was done: one verb in the past tense and its object.
    Done {
        /// The verb, such as `Created`.
        verb: &'static str,
        /// The object.
        what: String,
    },
    /// Somebody else holds a lock, and this process waits.
    Blocked {
        /// On what, and by whom where that is known.
        what: String,
    },
    /// Something that a person should know, though the verb goes on.
    Warning {
        /// One sentence.
        message: String,
        /// What would help.
        help: Option<String>,
    },
    /// Something that only those want to know who ask for details.
    Detail {
        /// One sentence.
        message: String,
    },
    /// A finding about a file that the verb came across.
    Found {
        /// The file.
        path: String,
        /// The finding.
        diagnostic: Diagnostic,
    },
    /// Findings about files of the person's own, to be shown with their lines.
    Judged {
        /// What was found.
        findings: Vec<Finding>,
        /// The texts of those files, by path.
        sources: BTreeMap<String, String>,
    },
}

impl Event {
    /// A warning without help.
    #[must_use]
    pub fn warning(message: impl Into<String>) -> Self {
        Event::Warning { message: message.into(), help: None }
    }
}

/// Hears of events, possibly from several threads at once.
pub trait Reporter: Sync {
    /// Takes note of an event.
    fn report(&self, event: Event);
}

/// A reporter that tells nobody.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl Reporter for Silent {
    fn report(&self, _: Event) {}
}
