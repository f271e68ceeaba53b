//! The only printer: answers to stdout; status, warnings and errors to stderr.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::{self, BufWriter, ErrorKind, IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use anstream::adapter::strip_str;
use anstream::{AutoStream, ColorChoice};
use anstyle::Style;
use serde_json::Value;

use super::render::findings::{self, DrawOptions, by_file};
use super::render::foreign_text::{
    escape_for_review, escape_json, escape_line, escape_text, guard_line,
};
use super::render::progress::ProgressLines;
use super::render::terminal::{BAD, GOOD, NOTE, WARN};
use super::render::{human, json};
use crate::error::{Error, ErrorContext as _, FailureKind, Result};
use crate::io::traffic::{LoggedRequest, SourceTraffic, TrafficLog};
use crate::report::{Diagnostic, EventReporter, FileFinding, ProgressEvent};

/// Who reads what is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OutputReader {
    /// A person.
    Person,
    /// An agent that runs the program as a person would.
    Agent,
    /// A program, which asked for JSON.
    Program,
}

/// How to speak.
pub(super) struct ShellOptions {
    pub quiet: bool,
    pub verbose: bool,
    pub reader: OutputReader,
    pub color: ColorChoice,
    /// How findings are drawn on stderr.
    pub drawing: DrawOptions,
}

/// Where everything that is printed goes through.
pub(super) struct CliShell {
    quiet: bool,
    verbose: bool,
    reader: OutputReader,
    drawing: DrawOptions,
    out: Mutex<StdoutStream>,
    err: Mutex<AutoStream<io::Stderr>>,
    progress: ProgressLines,
    traffic: TrafficLog,
    /// Whether the manifest of the project was named.
    named_manifest: AtomicBool,
}

/// What goes to stdout, up to the first write that fails.
struct StdoutStream {
    stream: AutoStream<io::Stdout>,
    /// The error of the first failed write to stdout. Later writes are skipped: a reader would take them for a continuation.
    failure: Option<io::Error>,
}

impl CliShell {
    pub(super) fn new(voice: &ShellOptions) -> Self {
        // JSON lines on stderr and a spinner would mix in one stream.
        let is_for_people = !voice.quiet && voice.reader == OutputReader::Person;
        let shows_progress = is_for_people && io::stderr().is_terminal();

        let traffic = TrafficLog::default();

        CliShell {
            quiet: voice.quiet,
            verbose: voice.verbose,
            reader: voice.reader,
            drawing: voice.drawing,
            out: Mutex::new(StdoutStream {
                stream: AutoStream::new(io::stdout(), voice.color),
                failure: None,
            }),
            err: Mutex::new(AutoStream::new(io::stderr(), voice.color)),
            progress: ProgressLines::new(shows_progress, traffic.clone()),
            traffic,
            named_manifest: AtomicBool::new(false),
        }
    }

    /// Whether a person sits at both ends.
    pub(super) fn can_prompt(&self) -> bool {
        // stdout may be a pipe: prompts are drawn on stderr, and answered on stdin.
        self.reader == OutputReader::Person
            && !self.quiet
            && io::stdin().is_terminal()
            && io::stderr().is_terminal()
    }

    /// Where the clients of the command log their requests.
    pub(super) fn traffic(&self) -> &TrafficLog {
        &self.traffic
    }

    /// Reports what was asked of whom, with `--verbose`.
    pub(super) fn report_traffic(&self) {
        if !self.verbose {
            return;
        }

        for request in self.traffic.requests() {
            self.styled_status(NOTE, "Requested", &describe_request(&request));
        }
        for (source, traffic) in self.traffic.sources() {
            self.styled_status(NOTE, "Asked", &describe_source(&source, &traffic));
        }
    }

    fn prints_json(&self) -> bool {
        self.reader == OutputReader::Program
    }

    pub(super) fn is_verbose(&self) -> bool {
        self.verbose
    }

    /// One line of an answer; what cannot be seen in it is escaped, and so are its line ends.
    pub(super) fn print_line(&self, text: &str) {
        self.print_styled(&format!("{}\n", guard_line(escape_line(text))));
    }

    /// An answer as it is: for the bytes of a file, or a document made for a program.
    pub(super) fn print_raw(&self, bytes: &[u8]) {
        // The styled stream first, then past it: the bytes must not go through its color filter.
        self.lock_stdout()
            .write(|out| out.flush().and_then(|()| io::stdout().write_all(bytes)));
    }

    /// A file: its bytes as they are for a program, with nothing hidden for a person.
    pub(super) fn print_file(&self, bytes: &[u8]) {
        if !io::stdout().is_terminal() {
            return self.print_raw(bytes);
        }

        self.print_styled(&escape_for_review(&String::from_utf8_lossy(bytes)));
    }

    /// A patch: its bytes as they are for a program, in colors and with nothing hidden for a person.
    pub(super) fn print_patch(&self, patch: &[u8]) {
        if !io::stdout().is_terminal() {
            return self.print_raw(patch);
        }

        self.print_styled(&super::render::patch::style_patch(
            &String::from_utf8_lossy(patch),
        ));
    }

    /// An answer of any length, as it comes to be; what `write` writes is made visible by itself.
    ///
    /// # Errors
    /// Any write error except a closed pipe.
    pub(super) fn write_stream(
        &self,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> io::Result<()> {
        // What was printed before goes out first; after a failure nothing more is written.
        let mut before = self.lock_stdout();

        before.write(Write::flush);
        if before.failure.is_some() {
            return Ok(());
        }

        // Locked once for all of it: a list may have a hundred thousand lines.
        let mut out = BufWriter::with_capacity(1 << 16, io::stdout().lock());
        match write(&mut out).and_then(|()| out.flush()) {
            // As for `| head`; buffered output is not retried.
            Err(error) if error.kind() == ErrorKind::BrokenPipe => {
                drop(out.into_parts());
                Ok(())
            }
            other => other,
        }
    }

    /// Whether stdout shows colors, for what is written past the filter of colors.
    pub(super) fn stdout_has_color(&self) -> bool {
        self.lock_stdout().stream.current_choice() != ColorChoice::Never
    }

    /// Text with our own colors in it.
    pub(super) fn print_styled(&self, text: &str) {
        self.lock_stdout()
            .write(|out| out.write_all(text.as_bytes()));
    }

    fn lock_stdout(&self) -> MutexGuard<'_, StdoutStream> {
        // A panic while printing leaves text that is cut, and nothing that later lines depend on.
        self.out.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// One object of a JSON answer.
    pub(super) fn print_object(&self, value: &Value) {
        self.print_raw(format!("{}\n", escape_json(value)).as_bytes());
    }

    /// One verb and its object, on stderr.
    pub(super) fn status(&self, verb: &str, what: &str) {
        self.styled_status(GOOD, verb, what);
    }

    fn styled_status(&self, style: Style, verb: &str, what: &str) {
        if !self.quiet && !self.prints_json() {
            // Programs get events instead; a status line is for people.
            self.print_stderr(&format!(
                "{style}{verb:>12}{style:#} {}\n",
                escape_line(what)
            ));
        }
    }

    pub(super) fn warn(&self, message: &str, help: Option<&str>) {
        if self.quiet {
            return;
        }

        if self.prints_json() {
            let event = ProgressEvent::Warning {
                message: message.to_owned(),
                help: help.map(str::to_owned),
            };
            json::event_json(&event)
                .into_iter()
                .for_each(|value| self.print_stderr(&format!("{}\n", escape_json(&value))));
            return;
        }

        let mut text = format!("{WARN}warning{WARN:#}: {}\n", escape_text(message));
        if let Some(help) = help {
            text.push_str(&format!("{NOTE}help{NOTE:#}: {}\n", escape_text(help)));
        }

        self.print_stderr(&text);
    }

    /// The one place where a failure is printed.
    pub(super) fn print_error(&self, error: &Error) {
        match self.reader {
            // Nothing failed: this is what the person asked for.
            OutputReader::Person if error.kind() == FailureKind::Cancelled => {
                self.print_notice(error.message());
            }
            OutputReader::Person => self.print_stderr(&human::render_error(error)),
            OutputReader::Agent | OutputReader::Program => {
                self.print_stderr(&format!("{}\n", escape_json(&json::error_json(error))));
            }
        }
    }

    fn print_stderr(&self, text: &str) {
        self.progress.suspend_while(|| self.write_stderr(text));
    }

    fn write_stderr(&self, text: &str) {
        // Without color, a line would be written in as many pieces as it has colors.
        let text = self.style_for_stderr(text);
        let mut err = self.err.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = err.write_all(text.as_bytes());
    }

    /// A text with its colors, unless stderr shows none.
    pub(super) fn style_for_stderr<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let err = self.err.lock().unwrap_or_else(PoisonError::into_inner);
        match err.current_choice() {
            ColorChoice::Never => strip_str(text).to_string().into(),
            _ => text.into(),
        }
    }

    /// Takes the progress display away, so that a person can be asked.
    pub(super) fn hide_progress(&self) {
        self.progress.stop();
    }

    /// Says what a question that follows is about.
    pub(super) fn print_question(&self, doubt: &Error) {
        // The question is drawn on stderr as well, so that its subject stays above it.
        self.hide_progress();
        self.print_stderr(&human::render_doubt(doubt));
    }

    /// A line for a person who is about to be asked, on stderr.
    pub(super) fn print_notice(&self, text: &str) {
        self.print_stderr(&format!("{}\n", guard_line(escape_line(text))));
    }

    /// Goes on below a question that was left in the middle of its line.
    pub(super) fn end_line(&self) {
        self.print_stderr("\n");
    }

    /// Ends the progress display, and flushes buffered output.
    ///
    /// # Errors
    /// As for [`CliShell::flush`].
    pub(super) fn close(&self) -> Result<()> {
        self.progress.stop();
        self.flush()
    }

    /// Flushes buffered output.
    ///
    /// # Errors
    /// If stdout did not take all that was printed since the last time. A reader that went away (`| head`) has what it wanted.
    pub(super) fn flush(&self) -> Result<()> {
        let mut answer = self.lock_stdout();
        answer.write(Write::flush);

        check_written(answer.failure.take().map_or(Ok(()), Err))
    }
}

impl StdoutStream {
    /// Writes, unless an earlier write failed.
    fn write(&mut self, write: impl FnOnce(&mut AutoStream<io::Stdout>) -> io::Result<()>) {
        if self.failure.is_none() {
            self.failure = write(&mut self.stream).err();
        }
    }
}

/// `GET https://skills.acme.dev/index/config.json: 200, 67 B, 12 ms`
fn describe_request(request: &LoggedRequest) -> String {
    let elapsed = request.elapsed.as_millis();
    // git makes the requests of a push, and counts no bytes.
    if request.method == "PUSH" {
        return format!("PUSH {}: {elapsed} ms", request.url);
    }

    let status = match request.status {
        Some(status) => format!("{status}, "),
        // A connection has bytes, and no status.
        None if request.bytes > 0 => String::new(),
        None => "no answer, ".to_owned(),
    };
    format!(
        "{} {}: {status}{}, {elapsed} ms",
        request.method,
        request.url,
        human::format_size(request.bytes)
    )
}

/// `skills.acme.dev: 3 requests, 1 unchanged, 12.3 KiB`
fn describe_source(source: &str, traffic: &SourceTraffic) -> String {
    let count = usize::try_from(traffic.requests).unwrap_or(usize::MAX);
    let unchanged = match traffic.unchanged {
        0 => String::new(),
        unchanged => format!("{unchanged} unchanged, "),
    };
    format!(
        "{source}: {}, {unchanged}{}",
        human::plural(count, "request"),
        human::format_size(traffic.bytes)
    )
}

/// The failure of writing to stdout, if any; a closed pipe is not one.
///
/// # Errors
/// If there is any other failure.
pub(super) fn check_written(outcome: io::Result<()>) -> Result<()> {
    match outcome {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        other => other.context(|| "failed to write to stdout".to_owned()).map_err(|error| {
            error.help(
                "what the command changes is changed; only its output is cut: send it elsewhere, and run it again",
            )
        }),
    }
}

impl EventReporter for CliShell {
    fn report(&self, event: ProgressEvent) {
        // Several steps look for the project, and a reader needs it once.
        let is_using = matches!(event, ProgressEvent::Using { .. });
        if is_using && self.named_manifest.swap(true, Ordering::Relaxed) {
            return;
        }

        if let Some(fetched) = self.progress.on_event(&event) {
            self.status("Fetched", &fetched);
        }

        if self.prints_json() {
            if !self.quiet {
                json::event_json(&event)
                    .iter()
                    .for_each(|value| self.print_stderr(&format!("{}\n", escape_json(value))));
            }
            return;
        }

        self.print_event(event);
    }
}

impl CliShell {
    /// Prints an event for people.
    fn print_event(&self, event: ProgressEvent) {
        match event {
            // An agent pays for each line, and the result says what was installed.
            ProgressEvent::Fetching { .. } if self.reader == OutputReader::Agent => {}
            ProgressEvent::Fetching { what } => self.styled_status(NOTE, "Fetching", &what),
            // Both are for the progress display alone.
            ProgressEvent::Received { .. } | ProgressEvent::Fetched => {}
            ProgressEvent::Installed {
                what,
                location: None,
            } => self.status("Installed", &what),
            ProgressEvent::Installed {
                what,
                location: Some(place),
            } => self.status("Installed", &format!("{what} in {place}")),
            ProgressEvent::Updated { what, from, to } => {
                self.status("Updated", &format!("{what} {from} -> {to}"));
            }
            ProgressEvent::Removed { what } => self.styled_status(BAD, "Removed", &what),
            ProgressEvent::Using { manifest } => self.styled_status(NOTE, "Using", &manifest),
            ProgressEvent::Done { verb, what } => self.status(verb, &what),
            ProgressEvent::Detail { message } => {
                if self.verbose {
                    self.styled_status(NOTE, "Noticed", &message);
                }
            }
            // Said at once: a command that waits for another looks as if it were stuck.
            ProgressEvent::Blocked { what } => {
                self.styled_status(NOTE, "Blocking", &format!("waiting for {what}"));
            }
            ProgressEvent::Warning { message, help } => self.warn(&message, help.as_deref()),
            ProgressEvent::FileDiagnostic { path, diagnostic } => {
                self.warn_about_file(&path, &diagnostic);
            }
            ProgressEvent::LintFindings { findings, sources } => {
                self.print_findings(&findings, sources);
            }
        }
    }

    fn warn_about_file(&self, path: &str, diagnostic: &Diagnostic) {
        let message = format!(
            "{}: {} ({})",
            diagnostic.location(path),
            diagnostic.message,
            diagnostic.rule
        );
        self.warn(&message, diagnostic.help.as_deref());
    }

    fn print_findings(&self, findings: &[FileFinding], mut sources: BTreeMap<String, String>) {
        if self.quiet {
            return;
        }

        // On stderr, since they are about the command's input and not its answer.
        let drawn: String = by_file(findings, |path: &str| sources.remove(path))
            .map(|file| findings::human(&file, self.drawing))
            .collect();
        self.print_stderr(&drawn);
    }
}
