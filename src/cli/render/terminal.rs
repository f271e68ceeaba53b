//! What is special about a terminal: its colors and its width.

use std::io::{self, IsTerminal as _};

use anstyle::{AnsiColor, Style};
use terminal_size::{Height, Width, terminal_size_of};

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

/// Columns and rows of the terminal at stderr; those of the first terminals where it does not say.
pub(in crate::cli) fn stderr_size() -> (usize, usize) {
    let (Width(columns), Height(rows)) =
        terminal_size_of(io::stderr()).unwrap_or((Width(80), Height(24)));
    (columns.into(), rows.into())
}
