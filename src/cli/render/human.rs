//! For people.

use std::fmt::Write as _;

use unicode_width::UnicodeWidthStr;

use crate::cli::shell::{BAD, NOTE, visible};
use crate::error::Error;

/// A failure: the message, its notes, what caused it and what helps.
pub(in crate::cli) fn error(error: &Error) -> String {
    let mut text = format!("{BAD}error{BAD:#}: {}\n", visible(error.message()));
    for note in error.notes() {
        let _ = writeln!(text, "  {}", visible(note));
    }
    for cause in error.causes() {
        let _ = writeln!(text, "caused by: {}", visible(cause));
    }
    for help in error.helps() {
        let _ = writeln!(text, "{NOTE}help{NOTE:#}: {}", visible(help));
    }
    text
}

/// Rows as aligned columns, two blanks apart; the last column is not padded.
pub(in crate::cli) fn columns(rows: &[Vec<String>]) -> Vec<String> {
    let mut columns = Columns::default();
    rows.iter().for_each(|row| columns.fit(row));
    rows.iter().map(|row| columns.line(row)).collect()
}

/// The widths of columns: first every row is fitted in, then every row can be written, and none is held.
#[derive(Default)]
pub(in crate::cli) struct Columns(Vec<usize>);

impl Columns {
    /// Makes the columns as wide as this row needs.
    pub(in crate::cli) fn fit(&mut self, row: &[impl AsRef<str>]) {
        self.0.resize(self.0.len().max(row.len()), 0);
        for (width, cell) in self.0.iter_mut().zip(row) {
            *width = cell.as_ref().width().max(*width);
        }
    }

    /// The row as a line.
    pub(in crate::cli) fn line(&self, row: &[impl AsRef<str>]) -> String {
        let mut line = String::new();
        for (at, (cell, width)) in row.iter().zip(&self.0).enumerate() {
            let cell = cell.as_ref();
            line.push_str(cell);
            if at + 1 < row.len() {
                line.extend(std::iter::repeat_n(' ', width.saturating_sub(cell.width()) + 2));
            }
        }
        line.truncate(line.trim_end().len());
        line
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_align_by_what_is_seen() {
        let rows = [["a", "1", "x"], ["日本", "22", ""]].map(|row| row.map(str::to_owned).to_vec());
        assert_eq!(columns(&rows), ["a     1   x", "日本  22"]);
    }

    #[test]
    fn a_failure_is_told_once_with_all_that_belongs_to_it() {
        let told = error(&Error::negative("no").note("because").cause("deep").help("do `x`"));
        assert_eq!(
            anstream::adapter::strip_str(&told).to_string(),
            "error: no\n  because\ncaused by: deep\nhelp: do `x`\n"
        );
    }
}
