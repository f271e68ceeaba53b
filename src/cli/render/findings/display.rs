//! Lines of a file as they are shown: nothing in them acts on a terminal or hides from a reader, every character is as
//! wide on each terminal, secrets are covered, and what is far from the places that matter is left out.
//!
//! ```text
//! description: Fill PDF… a form: fill it   <- 5 kB between
//! curl x\u{202e}y                          <- a hidden character
//! token = "ghp_************"               <- a secret
//! ```

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use unicode_width::UnicodeWidthChar;

use super::source::SourceText;
use crate::cli::render::foreign_text::{is_emoji_style, spell_char};
use crate::report::Span;

/// How lines are shown.
#[derive(Debug, Clone, Copy)]
pub(super) struct DisplayOptions<'a> {
    /// Columns that a line may have before it is cut.
    pub max_width: usize,
    /// Shown in place of omitted text.
    pub ellipsis: &'a str,
    /// What is covered: spans of the file, sorted.
    pub secrets: &'a [Span],
}

/// Some lines of a file as they are shown, and where the places that matter are in them.
#[derive(Debug)]
pub(super) struct DisplayText {
    /// The lines.
    pub text: String,
    places: BTreeMap<usize, usize>,
}

/// One character, or its replacement.
struct DisplayCell<'a> {
    byte: usize,
    shown: Cow<'a, str>,
    width: usize,
}

/// A placeholder character used while a finding is drawn; in input it is escaped like invisible ones.
pub(super) const PLACEHOLDER: char = '\u{10fffd}';
/// Number of characters shown of a secret: enough to identify it.
const SECRET_PREFIX: usize = 4;
/// How far from a place that matters a line is shown in any case, in columns.
const CONTEXT_MIN: usize = 12;

impl<'a> DisplayCell<'a> {
    fn new(byte: usize, shown: Cow<'a, str>) -> Self {
        let width = shown.chars().filter_map(UnicodeWidthChar::width).sum();
        DisplayCell { byte, shown, width }
    }
}

impl DisplayText {
    /// Shows the lines from `first` to `last`, both from 0. Those where none of the spans begins or ends, and that are
    /// not next to one where one does, stay empty: the renderer folds them.
    pub(super) fn new(
        source: &SourceText,
        (first, last): (usize, usize),
        spans: &[Span],
        options: DisplayOptions<'_>,
    ) -> Self {
        let mut shown = DisplayText {
            text: String::new(),
            places: BTreeMap::new(),
        };

        let ends = spans.iter().flat_map(|span| [span.start, span.end]);
        // The ends decide: a finding of a whole file would show all its lines otherwise.
        let marked: Vec<usize> = ends.map(|end| source.line_of(end)).collect();

        for line in first..=last {
            if line > first {
                shown.text.push('\n');
            }
            // A line beside a marked one is drawn as context; the others are folded by the renderer.
            if marked.iter().any(|marked| marked.abs_diff(line) <= 1) {
                shown.push_line(source, line, spans, options);
            }
        }

        // An empty last line is one only if it ends.
        if shown.text.ends_with('\n') {
            shown.text.push('\n');
        }
        shown
    }

    /// The position of a byte of the file; it was an end of one of the spans.
    pub(super) fn offset_of(&self, byte: usize) -> usize {
        // A byte that is left out is shown where the next one is that is not.
        let after = self.places.range(byte..).next();
        after.map_or(self.text.len(), |(_, at)| *at)
    }

    fn push_line(
        &mut self,
        source: &SourceText,
        line: usize,
        spans: &[Span],
        options: DisplayOptions<'_>,
    ) {
        let span = source.line(line);
        let ends = spans.iter().flat_map(|span| [span.start, span.end]);
        let own: Vec<usize> = ends
            .filter(|end| (span.start..=span.end).contains(end))
            .collect();

        let cells = display_cells(source, &span, spans, options.secrets);
        let keep = fit_cells(&cells, &own, options.max_width);

        // One ellipsis for each gap, however long it is.
        let mut cut = false;
        for (cell, keep) in cells.iter().zip(keep) {
            if !keep && !cut {
                self.text.push_str(options.ellipsis);
            }
            cut = !keep;
            if own.contains(&cell.byte) {
                self.places.insert(cell.byte, self.text.len());
            }
            if keep {
                self.text.push_str(&cell.shown);
            }
        }

        // The end of the line is a place as well: a span may end there.
        self.places.insert(span.end, self.text.len());
    }
}

/// A text on one line as it is shown, cut in its middle if it is long.
pub(super) fn display_one_line(text: &str, options: DisplayOptions<'_>) -> String {
    let source = SourceText::new(text.replace("\r\n", "\n").replace('\n', "\\n"));
    let whole = 0..source.text().len();

    DisplayText::new(
        &source,
        (0, 0),
        &[whole],
        DisplayOptions {
            secrets: &[],
            ..options
        },
    )
    .text
}

/// The characters of a line, each as it is shown.
fn display_cells<'a>(
    source: &'a SourceText,
    line: &Span,
    spans: &[Span],
    secrets: &[Span],
) -> Vec<DisplayCell<'a>> {
    let text = &source.text()[line.clone()];

    let ends_file = line.end == source.text().len();
    let mut cells: Vec<DisplayCell<'_>> = Vec::with_capacity(text.len());
    let mut chars = text.char_indices().peekable();
    let mut before = None;

    while let Some((at, c)) = chars.next() {
        let byte = line.start + at;
        let next = chars.peek().map(|(_, next)| *next);

        // What ends a line, or begins a file, is shown only if it is what matters.
        let is_frame =
            (c == '\r' && next.is_none() && !ends_file) || (c == '\u{feff}' && byte == 0);

        let shown = match c {
            _ if is_redacted(source, byte, secrets) => Cow::Borrowed("*"),
            _ if is_frame && !begins_span(byte, spans) => Cow::Borrowed(""),
            // Nearly every character, and without a copy.
            ' '..='~' => Cow::Borrowed(&text[at..=at]),
            _ => display_char(c, before, next),
        };

        cells.push(DisplayCell::new(byte, shown));
        before = Some(c);
    }
    cells
}

fn begins_span(byte: usize, spans: &[Span]) -> bool {
    spans
        .iter()
        .any(|span| span.start == byte && !span.is_empty())
}

/// Whether a byte belongs to a secret, and is not among its first characters.
pub(super) fn is_redacted(source: &SourceText, byte: usize, secrets: &[Span]) -> bool {
    let covers = |secret: &&Span| {
        secret.contains(&byte)
            && source.text()[secret.start..byte]
                .chars()
                .nth(SECRET_PREFIX - 1)
                .is_some()
    };
    secrets.iter().any(|secret| covers(&secret))
}

/// What is shown for a character between two others: itself, if a reader sees it and terminals agree how wide it is.
fn display_char(c: char, before: Option<char>, next: Option<char>) -> Cow<'static, str> {
    match c {
        // A tab is as wide as the terminal says, so four blanks stand for it.
        '\t' => "    ".into(),
        '\r' => "\\r".into(),
        PLACEHOLDER => c.escape_unicode().to_string().into(),
        // Joined emoji are one or several columns wide, by the terminal: their parts always are.
        _ if is_emoji_style(c, before, next) => "".into(),
        _ => spell_char(c, before, next),
    }
}

/// Which of the characters are kept so that the line fits: those around the points.
fn fit_cells(cells: &[DisplayCell<'_>], points: &[usize], max_width: usize) -> Vec<bool> {
    let mut total = 0;
    let mut start_of = |cell: &DisplayCell<'_>| {
        total += cell.width;
        total - cell.width
    };
    // Columns and not bytes: wide characters take two of them.
    let starts: Vec<usize> = cells.iter().map(&mut start_of).collect();

    if total <= max_width {
        return vec![true; cells.len()];
    }

    let column_of = |point: &usize| {
        let at = cells.partition_point(|cell| cell.byte < *point);
        starts.get(at).copied().unwrap_or(total)
    };

    let marks: BTreeSet<usize> = points.iter().map(column_of).collect();
    if marks.is_empty() {
        return starts.iter().map(|start| *start < max_width).collect();
    }
    // Each mark gets an even share of the line, half of it to each side.
    let context = (max_width / (2 * marks.len())).max(CONTEXT_MIN);

    starts
        .iter()
        .map(|start| marks.iter().any(|mark| mark.abs_diff(*start) <= context))
        .collect()
}
