//! Errors of TOML files: the place, the line, and the key that was probably meant. The same for every file, and for editors.

use std::ops::Range;

use crate::error::{Error, nearest_name};

/// The longest line that an error shows, in characters.
const LINE_MAX: usize = 120;

/// `file:line:column` of a byte, counting characters from 1.
#[must_use]
pub fn location_at(text: &str, file: &str, byte: usize) -> String {
    // An error at the end of the file points past its last byte.
    let before = text.get(..byte).unwrap_or(text);
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or("").chars().count() + 1;
    format!("{file}:{line}:{column}")
}

/// An unknown key, as serde's message has it.
pub(crate) struct UnknownKey {
    /// The key.
    pub(crate) key: String,
    /// The valid key that is near it.
    pub(crate) meant: Option<String>,
    /// What to write instead.
    pub(crate) help: String,
}

/// Reads the message "unknown field `x`, expected one of `a`, `b`": serde lists the valid keys nowhere else.
pub(crate) fn unknown_key(message: &str) -> Option<UnknownKey> {
    let rest = message.strip_prefix("unknown field ")?;
    let mut quoted = rest.split('`').skip(1).step_by(2);
    let key = quoted.next()?;
    let known: Vec<&str> = quoted.collect();
    let meant = nearest_name(key, known.iter().copied()).map(str::to_owned);
    Some(UnknownKey {
        help: match &meant {
            Some(meant) => format!("write `{meant}`"),
            None => format!("valid keys are `{}`", known.join("`, `")),
        },
        key: key.escape_debug().to_string(),
        meant,
    })
}

/// The error for a file that cannot be parsed: `failed to parse WHAT at FILE:LINE:COLUMN`, with the line.
#[must_use]
pub fn parse_error(what: &str, error: &toml::de::Error, text: &str, file: &str) -> Error {
    let span = error.span().unwrap_or(0..0);
    let location = location_at(text, file, span.start);
    let (message, help) = explain(error.message(), text, &span);
    let error = Error::usage(format!("failed to parse {what} at `{location}`: {message}"));
    let error = show_line(text, &span).into_iter().fold(error, Error::note);
    match help {
        Some(help) => error.help(help),
        None => error,
    }
}

/// The parser's message in plainer words, and what to do.
fn explain(message: &str, text: &str, span: &Range<usize>) -> (String, Option<String>) {
    if let Some(unknown) = unknown_key(message) {
        return (format!("unknown key `{}`", unknown.key), Some(unknown.help));
    }

    let before = text.get(..span.start).unwrap_or(text).trim_end();
    let line = before.rsplit('\n').next().unwrap_or_default().trim();
    let rest = text.get(span.start..).unwrap_or_default();
    let ends_here =
        rest.trim_start_matches([' ', '\t', '\r']).starts_with('\n') || rest.trim().is_empty();
    if line.ends_with('=') && ends_here {
        return (
            format!("no value after `{}`", line.escape_debug()),
            Some("write a value there, such as `\"1.2\"`".to_owned()),
        );
    }

    let message = message.trim_end().replace('\n', " ");
    let value = text.get(span.clone()).unwrap_or_default();
    let is_number = message.starts_with("invalid type: integer")
        || message.starts_with("invalid type: floating");
    let takes_text = message.contains("expected a version requirement");
    let help = (is_number && takes_text).then(|| format!("write `\"{value}\"`, with quotes"));
    (message, help)
}

/// The line of a span with its number, and a second one that marks the span; none if the line is too long to be read.
fn show_line(text: &str, span: &Range<usize>) -> Vec<String> {
    let Some(before) = text.get(..span.start) else {
        return Vec::new();
    };
    let number = before.matches('\n').count() + 1;
    let start = before.rfind('\n').map_or(0, |at| at + 1);
    let line = text[start..].lines().next().unwrap_or_default();
    if line.trim().is_empty() || line.chars().count() > LINE_MAX {
        return Vec::new();
    }

    let column = before[start..].chars().count();
    let marked = text.get(span.clone()).unwrap_or_default();
    let marked = marked.lines().next().unwrap_or_default().chars().count();
    let number = number.to_string();
    vec![
        format!("{number} | {}", line.replace('\t', " ")),
        format!(
            "{:width$} | {:column$}{}",
            "",
            "",
            "^".repeat(marked.max(1)),
            width = number.len()
        ),
    ]
}
