//! For people.

use std::fmt::Write as _;

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::foreign_text::{escape_line, escape_text, is_printable_ascii};
use super::terminal::{BAD, NOTE, WARN};
use crate::error::Error;

/// A failure: the message, its notes, what caused it and what helps.
pub(in crate::cli) fn render_error(error: &Error) -> String {
    let mut text = format!(
        "{BAD}error{BAD:#}: {}\n{}",
        escape_text(error.message()),
        render_notes_and_causes(error)
    );
    for help in error.helps() {
        let _ = writeln!(text, "{NOTE}help{NOTE:#}: {}", escape_text(help));
    }
    text
}

/// What a person is asked about: the same, before it is decided whether it is a failure.
pub(in crate::cli) fn render_doubt(doubt: &Error) -> String {
    format!(
        "{WARN}warning{WARN:#}: {}\n{}",
        escape_text(doubt.message()),
        render_notes_and_causes(doubt)
    )
}

fn render_notes_and_causes(error: &Error) -> String {
    let mut text = String::new();
    for note in error.notes() {
        let _ = writeln!(text, "  {}", escape_text(note));
    }
    for cause in error.causes() {
        let _ = writeln!(text, "caused by: {}", escape_text(cause));
    }
    text
}

/// A number of things: `1 skill`, `2 skills`.
pub(in crate::cli) fn plural(count: usize, thing: &str) -> String {
    if count == 1 {
        format!("1 {thing}")
    } else {
        format!("{count} {thing}s")
    }
}

/// A number of bytes as people read it: `812 B`, `3.4 MiB`.
#[expect(
    clippy::cast_precision_loss,
    reason = "one digit behind the point is shown"
)]
pub(in crate::cli) fn format_size(bytes: u64) -> String {
    const UNITS: [&str; 4] = ["KiB", "MiB", "GiB", "TiB"];
    if bytes < 1024 {
        return format!("{bytes} B");
    }

    let mut shown = bytes as f64 / 1024.0;
    let mut unit = 0;
    // What would be rounded to 1024.0 is one of the next.
    while shown >= 1023.95 && unit + 1 < UNITS.len() {
        shown /= 1024.0;
        unit += 1;
    }

    format!("{shown:.1} {}", UNITS[unit])
}

/// Width of a description where the terminal's width is not known, in columns.
const DESCRIPTION_WIDTH: usize = 72;

/// The least of a description that is worth showing, in columns.
const DESCRIPTION_WIDTH_MIN: usize = 16;

/// An untrusted text on one line, with invisible characters escaped.
pub(in crate::cli) fn table_cell(text: &str) -> String {
    text.split_whitespace()
        .map(escape_line)
        .collect::<Vec<_>>()
        .join(" ")
}

/// An untrusted text, wrapped into lines of at most `room` columns, unless one word is longer.
pub(in crate::cli) fn wrap_words(text: &str, max_width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();

    for word in text.split_whitespace().map(escape_line) {
        // By columns and not characters: a wide one takes two.
        match lines.last_mut() {
            Some(line) if line.width() + 1 + word.width() <= max_width => {
                line.push(' ');
                line.push_str(&word);
            }
            _ => lines.push(word),
        }
    }

    lines
}

/// The beginning of a description on one line, truncated to the width, with no less than is worth showing.
pub(in crate::cli) fn truncate_description(description: &str, available: Option<usize>) -> String {
    let max_width = available
        .unwrap_or(DESCRIPTION_WIDTH)
        .max(DESCRIPTION_WIDTH_MIN);
    truncate_words(description, max_width)
}

/// The beginning of an untrusted text on one line, of at most this width.
pub(in crate::cli) fn truncate_words(text: &str, max_width: usize) -> String {
    let (mut line, mut width) = (String::new(), 0);

    // The rest is not even scanned: a list has thousands of these.
    for word in text.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
            width += 1;
        }
        let start = line.len();
        if is_printable_ascii(word) {
            line.push_str(word);
        } else {
            line.push_str(&escape_line(word));
        }
        width += text_width(&line[start..]);
        if width > max_width {
            break;
        }
    }

    truncate_line(&line, max_width)
}

/// The beginning of a line, of at most this width.
pub(in crate::cli) fn truncate_line(line: &str, max_width: usize) -> String {
    if text_width(line) <= max_width {
        return line.to_owned();
    }

    let mut width = 0;
    let fits = |c: &char| {
        width += c.width().unwrap_or(0);
        width < max_width
    };
    // `<` leaves one column for the ellipsis.
    let mut beginning: String = line.chars().take_while(fits).collect();

    if max_width > 0 {
        beginning.push('…');
    }
    beginning
}

/// How many columns a text takes on a terminal.
pub(in crate::cli) fn text_width(text: &str) -> usize {
    // Nearly all of them, and the tables of Unicode cost ten times as much.
    if is_printable_ascii(text) {
        text.len()
    } else {
        text.width()
    }
}

/// Rows as aligned columns, two blanks apart; the last column is not padded.
pub(in crate::cli) fn align_columns(rows: &[Vec<String>]) -> Vec<String> {
    let mut columns = TableColumns::default();
    rows.iter().for_each(|row| columns.widen(row));
    rows.iter().map(|row| columns.format_row(row)).collect()
}

/// The widths of columns: rows are measured in a first pass and written in a second, and never kept.
#[derive(Default)]
pub(in crate::cli) struct TableColumns(Vec<usize>);

impl TableColumns {
    /// Makes the columns as wide as this row needs.
    pub(in crate::cli) fn widen(&mut self, row: &[impl AsRef<str>]) {
        self.0.resize(self.0.len().max(row.len()), 0);
        for (width, cell) in self.0.iter_mut().zip(row) {
            *width = text_width(cell.as_ref()).max(*width);
        }
    }

    /// How wide all columns are with the blanks behind each.
    pub(in crate::cli) fn width(&self) -> usize {
        self.0.iter().map(|width| width + 2).sum()
    }

    /// The row as a line; cells beyond the columns that were fitted follow as they are.
    pub(in crate::cli) fn format_row(&self, row: &[impl AsRef<str>]) -> String {
        let mut line = String::new();

        let widths = self.0.iter().copied().chain(std::iter::repeat(0));
        for (at, (cell, width)) in row.iter().zip(widths).enumerate() {
            let cell = cell.as_ref();
            line.push_str(cell);
            if at + 1 < row.len() {
                line.extend(std::iter::repeat_n(
                    ' ',
                    width.saturating_sub(text_width(cell)) + 2,
                ));
            }
        }

        // An empty last cell leaves no blanks, which a diff of outputs would show.
        line.truncate(line.trim_end().len());
        line
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_one_decimal_and_the_largest_fitting_unit() {
        let shown: Vec<String> = [
            0,
            1023,
            1024,
            1536,
            (1 << 20) - 1,
            1 << 20,
            5 << 30,
            u64::MAX,
        ]
        .map(format_size)
        .into();
        assert_eq!(
            shown,
            [
                "0 B",
                "1023 B",
                "1.0 KiB",
                "1.5 KiB",
                "1.0 MiB",
                "1.0 MiB",
                "5.0 GiB",
                "16777216.0 TiB"
            ]
        );
    }

    #[test]
    fn columns_are_aligned_by_display_width() {
        let rows = [["a", "1", "x"], ["日本", "22", ""]].map(|row| row.map(str::to_owned).to_vec());
        assert_eq!(align_columns(&rows), ["a     1   x", "日本  22"]);
    }

    #[test]
    fn a_description_is_cut_where_the_line_is_full() {
        let word = "é".repeat(71);
        for (description, shown) in [
            (" two\n words ".to_owned(), "two words".to_owned()),
            (format!("{word} x"), format!("{word}…")),
            (format!("{word}x"), format!("{word}x")),
            (format!("{word}xy"), format!("{word}…")),
            ("a \u{1b}[31mb".to_owned(), "a \\u{1b}[31mb".to_owned()),
        ] {
            assert_eq!(truncate_description(&description, None), shown);
        }
        assert_eq!(
            truncate_description("日本語日本語日本語日本語", Some(20)),
            "日本語日本語日本語…"
        );
        assert_eq!(
            truncate_description("nothing is cut to nothing", Some(0)),
            "nothing is cut …"
        );
    }

    #[test]
    fn a_text_is_broken_between_words() {
        assert_eq!(
            wrap_words("one two\nthree  four", 9),
            ["one two", "three", "four"]
        );
        assert_eq!(wrap_words("abcdefghijkl m", 4), ["abcdefghijkl", "m"]);
        assert_eq!(wrap_words("日本 語 x", 6), ["日本", "語 x"]);
        assert!(wrap_words("", 10).is_empty());
    }

    #[test]
    fn error_is_shown_once_with_its_causes_and_help() {
        let shown = render_error(
            &Error::negative("no")
                .note("because")
                .cause("deep")
                .help("do `x`"),
        );
        assert_eq!(
            anstream::adapter::strip_str(&shown).to_string(),
            "error: no\n  because\ncaused by: deep\nhelp: do `x`\n"
        );
    }
}
