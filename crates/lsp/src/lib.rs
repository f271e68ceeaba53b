//! Internal crate of skillpm: a language server over stdio, for `SKILL.md`, the files of skills, `skillpm.toml` and
//! `skillpm.lock`.
//!
//! ```text
//! reader thread   messages of the client ┐
//! main thread     LanguageServer         ├ answers requests, and sends what was found
//!                   │ CheckJob    ▲ CheckResult
//! worker thread   DocumentChecker ────────┘        lints the texts of the editor, the newest only
//! ```
//!
//! Nothing is written to disk and no code of a skill is run: a change is an edit that the client makes.

mod checker;
mod code_actions;
mod code_lenses;
mod completion;
mod documents;
mod edits;
mod findings;
mod frontmatter;
mod hover;
mod links;
mod manifest_completion;
mod manifest_schema;
mod messages;
mod server;
mod sessions;
mod text_positions;
mod toml_cursor;
mod uris;
mod worker;

use std::io::{self, BufReader};
use std::sync::mpsc;
use std::thread;

use skillpm_core::error::Result;
use skillpm_ops::{BaseDirs, CommandContext};
use skillpm_registry::config::Config;

use checker::DocumentChecker;
use messages::{IncomingFrame, read_frame};
use server::{LanguageServer, ServerEvent};

pub use manifest_schema::{LOCKFILE_SCHEMA, MANIFEST_SCHEMA};

/// What the server needs of the program.
#[derive(Clone, Copy)]
pub struct LspOptions<'a> {
    /// Reads the settings that apply in a directory.
    pub settings: &'a (dyn Fn(&BaseDirs) -> Result<Config> + Sync),
    /// The URL of a rule's documentation, by its code.
    pub rule_url: &'a (dyn Fn(&str) -> String + Sync),
}

/// Serves a client over stdin and stdout until it ends the connection; returns the exit code: 0 after `shutdown` and
/// `exit`, 1 for an end without `shutdown`.
///
/// # Errors
/// If stdout cannot be written.
pub fn run(context: &CommandContext<'_>, options: LspOptions<'_>) -> Result<u8> {
    let checker = DocumentChecker::new(context, options);
    let (events, received) = mpsc::channel();
    let (jobs, queue) = mpsc::channel();

    // Not in the scope: it waits for a client that may never send anything again.
    let from_client = events.clone();
    thread::spawn(move || read_messages(&from_client));

    thread::scope(|scope| {
        let worker = &checker;
        scope.spawn(move || worker::run_jobs(worker, &queue, &events));
        // The worker ends once the server has dropped its end of the queue.
        LanguageServer::new(&checker, io::stdout().lock(), jobs).serve(&received)
    })
}

/// Reads messages until the client closes its end, or sends what is none.
fn read_messages(events: &mpsc::Sender<ServerEvent>) {
    let mut input = BufReader::new(io::stdin().lock());
    loop {
        let event = match read_frame(&mut input) {
            Ok(IncomingFrame::Message(message)) => ServerEvent::Message(message),
            Ok(IncomingFrame::Invalid(code, reason)) => ServerEvent::Invalid(code, reason),
            Ok(IncomingFrame::End) => ServerEvent::End(None),
            Err(error) => ServerEvent::End(Some(error.to_string())),
        };
        let is_end = matches!(event, ServerEvent::End(_));
        if events.send(event).is_err() || is_end {
            return;
        }
    }
}
