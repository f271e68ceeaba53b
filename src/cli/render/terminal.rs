//! What is special about a terminal: its colors, its width, and the characters that it obeys.

use std::io::{self, IsTerminal as _};

use anstyle::{AnsiColor, Style};
use terminal_size::{Width, terminal_size_of};

use crate::catalog::text::is_hidden;

pub(in crate::cli) const GOOD: Style = AnsiColor::Green.on_default().bold();
pub(in crate::cli) const NOTE: Style = AnsiColor::Cyan.on_default().bold();
pub(in crate::cli) const WARN: Style = AnsiColor::Yellow.on_default().bold();
pub(in crate::cli) const BAD: Style = AnsiColor::Red.on_default().bold();

/// Width of the terminal in columns; `None` if stdout is not a terminal.
pub(in crate::cli) fn stdout_width() -> Option<usize> {
    let stdout = io::stdout();
    // A pipe has no width.
    let size = stdout.is_terminal().then(|| terminal_size_of(stdout));
    size.flatten().map(|(Width(columns), _)| columns.into())
}

/// As [`stdout_width`], for stderr.
pub(in crate::cli) fn stderr_width() -> Option<usize> {
    let stderr = io::stderr();
    let size = stderr.is_terminal().then(|| terminal_size_of(stderr));
    size.flatten().map(|(Width(columns), _)| columns.into())
}

/// Whether a text is nothing but letters, marks and blanks of ASCII, which no terminal obeys.
pub(in crate::cli) fn is_printable_ascii(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b' '..=b'~'))
}

/// The text with everything that a terminal would obey, or a reader not see, spelled out. Line ends stay.
pub(in crate::cli) fn escape_invisible(text: &str) -> String {
    // Line ends and other controls: only `\n` does what a reader expects of it.
    let is_odd = |c: char| c != '\n' && (c.is_control() || is_hidden(c));

    if is_printable_ascii(text) || !text.contains(is_odd) {
        return text.to_owned();
    }

    text.chars()
        .map(|c| {
            if is_odd(c) {
                c.escape_unicode().to_string()
            } else {
                c.to_string()
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terminal_control_characters_are_spelled_out() {
        assert_eq!(escape_invisible("plain\ntext"), "plain\ntext");
        assert_eq!(
            escape_invisible("a\u{1b}[31mred\u{202e}"),
            "a\\u{1b}[31mred\\u{202e}"
        );
    }
}
