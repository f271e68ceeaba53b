//! For people.

use std::fmt::Write as _;

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::cli::shell::{BAD, NOTE, WARN, visible};
use crate::error::Error;

/// A failure: the message, its notes, what caused it and what helps.
pub(in crate::cli) fn error(error: &Error) -> String {
    let mut text = format!("{BAD}error{BAD:#}: {}\n{}", visible(error.message()), below(error));
    for help in error.helps() {
        let _ = writeln!(text, "{NOTE}help{NOTE:#}: {}", visible(help));
    }
    text
}

/// What a person is asked about: the same, before it is decided whether it is a failure.
pub(in crate::cli) fn doubt(doubt: &Error) -> String {
    format!("{WARN}warning{WARN:#}: {}\n{}", visible(doubt.message()), below(doubt))
}

fn below(error: &Error) -> String {
    let mut text = String::new();
    for note in error.notes() {
        let _ = writeln!(text, "  {}", visible(note));
    }
    for cause in error.causes() {
        let _ = writeln!(text, "caused by: {}", visible(cause));
    }
    text
}

/// A number of bytes as people read it: `812 B`, `3.4 MiB`.
#[expect(clippy::cast_precision_loss, reason = "one digit behind the point is shown")]
pub(in crate::cli) fn size(bytes: u64) -> String {
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

/// How much of a description is shown where the terminal does not say how much there is room for, in columns.
const SHOWN: usize = 72;

/// The least of a description that is worth showing, in columns.
const SHOWN_MIN: usize = 16;

/// A text of a stranger on one line, with what cannot be seen in it spelled out.
pub(in crate::cli) fn cell(text: &str) -> String {
    text.split_whitespace().map(visible).collect::<Vec<_>>().join(" ")
}

/// A text of a stranger, broken between words into lines of at most `room` columns, unless one word is longer.
pub(in crate::cli) fn wrapped(text: &str, room: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace().map(visible) {
        match lines.last_mut() {
            Some(line) if line.width() + 1 + word.width() <= room => {
                line.push(' ');
                line.push_str(&word);
            }
            _ => lines.push(word),
        }
    }
    lines
}

/// The beginning of a description on one line, no longer than there is room for.
pub(in crate::cli) fn beginning(description: &str, room: Option<usize>) -> String {
    let room = room.unwrap_or(SHOWN).max(SHOWN_MIN);
    let (mut line, mut width) = (String::new(), 0);
    // What is beyond the room is not even looked at: a list has thousands of these.
    for word in description.split_whitespace().map(visible) {
        if !line.is_empty() {
            line.push(' ');
            width += 1;
        }
        width += word.width();
        line.push_str(&word);
        if width > room {
            break;
        }
    }
    if width <= room {
        return line;
    }
    let mut width = 0;
    let fits = |c: &char| {
        width += c.width().unwrap_or(0);
        width < room
    };
    let mut beginning: String = line.chars().take_while(fits).collect();
    beginning.push('…');
    beginning
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

    /// How wide all columns are with the blanks behind each.
    pub(in crate::cli) fn width(&self) -> usize {
        self.0.iter().map(|width| width + 2).sum()
    }

    /// The row as a line; cells beyond the columns that were fitted follow as they are.
    pub(in crate::cli) fn line(&self, row: &[impl AsRef<str>]) -> String {
        let mut line = String::new();
        let widths = self.0.iter().copied().chain(std::iter::repeat(0));
        for (at, (cell, width)) in row.iter().zip(widths).enumerate() {
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
    fn a_size_has_one_digit_behind_the_point_and_never_1024_of_anything() {
        let told: Vec<String> = [0, 1023, 1024, 1536, (1 << 20) - 1, 1 << 20, 5 << 30, u64::MAX].map(size).into();
        assert_eq!(told, ["0 B", "1023 B", "1.0 KiB", "1.5 KiB", "1.0 MiB", "1.0 MiB", "5.0 GiB", "16777216.0 TiB"]);
    }

    #[test]
    fn columns_align_by_what_is_seen() {
        let rows = [["a", "1", "x"], ["日本", "22", ""]].map(|row| row.map(str::to_owned).to_vec());
        assert_eq!(columns(&rows), ["a     1   x", "日本  22"]);
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
            assert_eq!(beginning(&description, None), shown);
        }
        assert_eq!(beginning("日本語日本語日本語日本語", Some(20)), "日本語日本語日本語…");
        assert_eq!(beginning("nothing is cut to nothing", Some(0)), "nothing is cut …");
    }

    #[test]
    fn a_text_is_broken_between_words() {
        assert_eq!(wrapped("one two\nthree  four", 9), ["one two", "three", "four"]);
        assert_eq!(wrapped("abcdefghijkl m", 4), ["abcdefghijkl", "m"]);
        assert_eq!(wrapped("日本 語 x", 6), ["日本", "語 x"]);
        assert!(wrapped("", 10).is_empty());
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
