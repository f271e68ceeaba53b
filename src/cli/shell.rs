//! The only printer: answers to stdout; status, warnings and errors to stderr.

use std::io::{self, BufWriter, ErrorKind, IsTerminal, Write};
use std::os::fd::AsFd;
use std::sync::{Mutex, MutexGuard, PoisonError};

use anstream::adapter::strip_str;
use anstream::{AutoStream, ColorChoice};
use anstyle::{AnsiColor, Style};
use serde_json::Value;

use super::render::findings::{self, Drawing, by_file};
use super::render::progress::Progress;
use super::render::{human, json};
use crate::catalog::text::is_hidden;
use crate::error::{Context as _, Error, Result};
use crate::report::{Event, Reporter};

/// How to speak.
pub(super) struct Voice {
    pub quiet: bool,
    pub verbose: bool,
    pub json: bool,
    pub color: ColorChoice,
    /// How findings are drawn on stderr.
    pub drawing: Drawing,
}

/// Where everything that is printed goes through.
pub(super) struct Shell {
    quiet: bool,
    verbose: bool,
    json: bool,
    drawing: Drawing,
    out: Mutex<Answer>,
    err: Mutex<AutoStream<io::Stderr>>,
    progress: Progress,
}

/// What goes to stdout, up to the first write that fails.
struct Answer {
    stream: AutoStream<io::Stdout>,
    /// Why stdout takes no more. What comes later is not tried: a reader would take it for the continuation of what it has.
    failure: Option<io::Error>,
}

pub(super) const GOOD: Style = AnsiColor::Green.on_default().bold();
pub(super) const NOTE: Style = AnsiColor::Cyan.on_default().bold();
pub(super) const WARN: Style = AnsiColor::Yellow.on_default().bold();
pub(super) const BAD: Style = AnsiColor::Red.on_default().bold();

impl Shell {
    pub(super) fn new(voice: &Voice) -> Self {
        let shows_progress = !voice.quiet && !voice.json && io::stderr().is_terminal();
        Shell {
            quiet: voice.quiet,
            verbose: voice.verbose,
            json: voice.json,
            drawing: voice.drawing,
            out: Mutex::new(Answer { stream: AutoStream::new(io::stdout(), voice.color), failure: None }),
            err: Mutex::new(AutoStream::new(io::stderr(), voice.color)),
            progress: Progress::new(shows_progress),
        }
    }

    /// Whether a person sits at both ends.
    pub(super) fn can_ask(&self) -> bool {
        !self.json && !self.quiet && io::stdin().is_terminal() && io::stderr().is_terminal()
    }

    pub(super) fn is_verbose(&self) -> bool {
        self.verbose
    }

    /// One line of an answer; what cannot be seen in it is escaped.
    pub(super) fn line(&self, text: &str) {
        self.print(&format!("{}\n", visible(text)));
    }

    /// An answer as it is: for the bytes of a file, or a document made for a program.
    pub(super) fn raw(&self, bytes: &[u8]) {
        self.answer().write(|out| out.flush().and_then(|()| io::stdout().write_all(bytes)));
    }

    /// A file: its bytes as they are for a program, with nothing hidden for a person.
    pub(super) fn file(&self, bytes: &[u8]) {
        if !io::stdout().is_terminal() {
            return self.raw(bytes);
        }
        self.print(&visible(&String::from_utf8_lossy(bytes)));
    }

    /// A patch: its bytes as they are for a program, in colours and with nothing hidden for a person.
    pub(super) fn patch(&self, patch: &[u8]) {
        if !io::stdout().is_terminal() {
            return self.raw(patch);
        }
        self.print(&super::render::patch::styled(&String::from_utf8_lossy(patch)));
    }

    /// An answer of any length, as it comes to be; what `write` writes is made visible by itself.
    ///
    /// # Errors
    /// Whatever `write` fails for but that nobody reads on.
    pub(super) fn stream(&self, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
        let mut before = self.answer();
        before.write(Write::flush);
        if before.failure.is_some() {
            return Ok(());
        }

        let mut out = BufWriter::with_capacity(1 << 16, io::stdout().lock());
        match write(&mut out).and_then(|()| out.flush()) {
            // As for `| head`; and what is still in the buffer is not tried again.
            Err(error) if error.kind() == ErrorKind::BrokenPipe => {
                drop(out.into_parts());
                Ok(())
            }
            other => other,
        }
    }

    /// Text with our own colours in it.
    pub(super) fn print(&self, text: &str) {
        self.answer().write(|out| out.write_all(text.as_bytes()));
    }

    fn answer(&self) -> MutexGuard<'_, Answer> {
        self.out.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// One object of a JSON answer.
    pub(super) fn object(&self, value: &Value) {
        self.raw(format!("{value}\n").as_bytes());
    }

    /// One verb and its object, on stderr.
    pub(super) fn status(&self, verb: &str, what: &str) {
        self.styled_status(GOOD, verb, what);
    }

    fn styled_status(&self, style: Style, verb: &str, what: &str) {
        if !self.quiet && !self.json {
            self.tell(&format!("{style}{verb:>12}{style:#} {}\n", visible(what)));
        }
    }

    pub(super) fn warn(&self, message: &str, help: Option<&str>) {
        if self.quiet {
            return;
        }
        if self.json {
            let event = Event::Warning { message: message.to_owned(), help: help.map(str::to_owned) };
            json::event(&event).into_iter().for_each(|value| self.tell(&format!("{value}\n")));
            return;
        }
        let mut text = format!("{WARN}warning{WARN:#}: {}\n", visible(message));
        if let Some(help) = help {
            text.push_str(&format!("{NOTE}help{NOTE:#}: {}\n", visible(help)));
        }
        self.tell(&text);
    }

    /// The one place where a failure is printed.
    pub(super) fn error(&self, error: &Error) {
        if self.json {
            self.tell(&format!("{}\n", json::error(error)));
        } else {
            self.tell(&human::error(error));
        }
    }

    fn tell(&self, text: &str) {
        self.progress.around(|| {
            let mut err = self.err.lock().unwrap_or_else(PoisonError::into_inner);
            // Without colour, a line would be written in as many pieces as it has colours.
            let _ = match err.current_choice() {
                ColorChoice::Never => err.write_all(strip_str(text).to_string().as_bytes()),
                _ => err.write_all(text.as_bytes()),
            };
        });
    }

    /// Takes the progress display away, so that a person can be asked.
    pub(super) fn pause(&self) {
        self.progress.stop();
    }

    /// Says what a question that follows is about.
    pub(super) fn ask_about(&self, doubt: &Error) {
        self.pause();
        self.tell(&human::doubt(doubt));
    }

    /// Goes on below a question that was left in the middle of its line.
    pub(super) fn end_line(&self) {
        self.tell("\n");
    }

    /// Ends what is still being drawn, and writes what is still in a buffer.
    ///
    /// # Errors
    /// As for [`Shell::flush`].
    pub(super) fn close(&self) -> Result<()> {
        self.progress.stop();
        self.flush()
    }

    /// Writes what is still in a buffer.
    ///
    /// # Errors
    /// If stdout did not take all that was printed since the last time. A reader that went away (`| head`) has what it wanted.
    pub(super) fn flush(&self) -> Result<()> {
        let mut answer = self.answer();
        answer.write(Write::flush);
        written(answer.failure.take().map_or(Ok(()), Err))
    }
}

impl Answer {
    /// Writes, unless an earlier write failed.
    fn write(&mut self, write: impl FnOnce(&mut AutoStream<io::Stdout>) -> io::Result<()>) {
        if self.failure.is_none() {
            self.failure = write(&mut self.stream).err();
        }
    }
}

/// What came of writing to stdout, as a failure of the command: all but that nobody reads on.
///
/// # Errors
/// If there is any other failure.
pub(super) fn written(outcome: io::Result<()>) -> Result<()> {
    match outcome {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        other => other.context(|| "failed to write to stdout".to_owned()).map_err(|error| {
            error.help(
                "what the command changes is changed; only its output is cut: send it elsewhere, and run it again",
            )
        }),
    }
}

impl Reporter for Shell {
    fn report(&self, event: Event) {
        self.progress.hear(&event);
        if self.json {
            if !self.quiet {
                json::event(&event).iter().for_each(|value| self.tell(&format!("{value}\n")));
            }
            return;
        }
        match event {
            Event::Fetching { what } => self.styled_status(NOTE, "Fetching", &what),
            Event::Received { .. } | Event::Fetched => {}
            Event::Installed { what, place: None } => self.status("Installed", &what),
            Event::Installed { what, place: Some(place) } => self.status("Installed", &format!("{what} in {place}")),
            Event::Updated { what, from, to } => self.status("Updated", &format!("{what} {from} -> {to}")),
            Event::Removed { what } => self.styled_status(BAD, "Removed", &what),
            Event::Done { verb, what } => self.status(verb, &what),
            Event::Detail { message } => {
                if self.verbose {
                    self.styled_status(NOTE, "Noticed", &message);
                }
            }
            Event::Blocked { what } => self.styled_status(NOTE, "Blocking", &format!("waiting for {what}")),
            Event::Warning { message, help } => self.warn(&message, help.as_deref()),
            Event::Found { path, diagnostic } => {
                let message = format!("{}: {} ({})", diagnostic.place(&path), diagnostic.message, diagnostic.rule);
                self.warn(&message, diagnostic.help.as_deref());
            }
            Event::Judged { findings, mut sources } => {
                if !self.quiet {
                    let files = by_file(&findings, |path: &str| sources.remove(path));
                    self.tell(&files.map(|file| findings::human(&file, self.drawing)).collect::<String>());
                }
            }
        }
    }
}

/// How many columns an answer has room for; `None` where it goes to no terminal.
pub(super) fn width() -> Option<usize> {
    width_of(&io::stdout())
}

/// How many columns there are on a terminal.
pub(super) fn width_of(stream: &(impl IsTerminal + AsFd)) -> Option<usize> {
    let size = if stream.is_terminal() { rustix::termios::tcgetwinsize(stream).ok() } else { None };
    size.map(|size| usize::from(size.ws_col)).filter(|columns| *columns > 0)
}

/// The text with everything that a terminal would obey, or a reader not see, spelled out. Line ends stay.
pub(super) fn visible(text: &str) -> String {
    let is_odd = |c: char| c != '\n' && (c.is_control() || is_hidden(c));
    if !text.contains(is_odd) {
        return text.to_owned();
    }
    text.chars().map(|c| if is_odd(c) { c.escape_unicode().to_string() } else { c.to_string() }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_would_obey_is_spelled_out() {
        assert_eq!(visible("plain\ntext"), "plain\ntext");
        assert_eq!(visible("a\u{1b}[31mred\u{202e}"), "a\\u{1b}[31mred\\u{202e}");
    }
}
