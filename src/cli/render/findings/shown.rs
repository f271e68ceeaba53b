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

use super::source::Source;
use crate::catalog::text::is_hidden;
use crate::report::Span;

/// How lines are shown.
#[derive(Debug, Clone, Copy)]
pub(super) struct Look<'a> {
    /// Columns that a line may have before it is cut.
    pub room: usize,
    /// What stands where something was left out.
    pub gap: &'a str,
    /// What is covered: spans of the file, sorted.
    pub secrets: &'a [Span],
}

/// Some lines of a file as they are shown, and where the places that matter are in them.
#[derive(Debug)]
pub(super) struct Shown {
    /// The lines.
    pub text: String,
    places: BTreeMap<usize, usize>,
}

/// One character, or what is shown in its place.
struct Cell<'a> {
    byte: usize,
    shown: Cow<'a, str>,
    width: usize,
}

/// A character that stands for something while a finding is drawn, and is nobody's: it is spelled out like hidden ones.
pub(super) const MARK: char = '\u{10fffd}';
/// How many characters of a secret are shown: enough to tell which it is.
const SECRET_SHOWN: usize = 4;
/// How far from a place that matters a line is shown in any case, in columns.
const AROUND_MIN: usize = 12;

impl Shown {
    /// Shows the lines from `first` to `last`, both from 0. Those where none of the spans begins or ends, and that are
    /// not next to one where one does, stay empty: whoever draws folds them.
    pub(super) fn new(source: &Source, (first, last): (usize, usize), spans: &[Span], look: Look<'_>) -> Self {
        let mut shown = Shown { text: String::new(), places: BTreeMap::new() };
        let ends = spans.iter().flat_map(|span| [span.start, span.end]);
        let marked: Vec<usize> = ends.map(|end| source.line_of(end)).collect();
        for line in first..=last {
            if line > first {
                shown.text.push('\n');
            }
            if marked.iter().any(|marked| marked.abs_diff(line) <= 1) {
                shown.push(source, line, spans, look);
            }
        }
        // An empty last line is one only if it ends.
        if shown.text.ends_with('\n') {
            shown.text.push('\n');
        }
        shown
    }

    /// Where a byte of the file stands; it was an end of one of the spans.
    pub(super) fn at(&self, byte: usize) -> usize {
        let after = self.places.range(byte..).next();
        after.map_or(self.text.len(), |(_, at)| *at)
    }

    fn push(&mut self, source: &Source, line: usize, spans: &[Span], look: Look<'_>) {
        let span = source.line(line);
        let ends = spans.iter().flat_map(|span| [span.start, span.end]);
        let own: Vec<usize> = ends.filter(|end| (span.start..=span.end).contains(end)).collect();
        let cells = cells(source, &span, spans, look.secrets);
        let keep = kept(&cells, &own, look.room);
        let mut cut = false;
        for (cell, keep) in cells.iter().zip(keep) {
            if !keep && !cut {
                self.text.push_str(look.gap);
            }
            cut = !keep;
            if own.contains(&cell.byte) {
                self.places.insert(cell.byte, self.text.len());
            }
            if keep {
                self.text.push_str(&cell.shown);
            }
        }
        self.places.insert(span.end, self.text.len());
    }
}

/// A text on one line as it is shown, cut in its middle if it is long.
pub(super) fn one_line(text: &str, look: Look<'_>) -> String {
    let source = Source::new(text.replace("\r\n", "\n").replace('\n', "\\n"));
    let whole = 0..source.text().len();
    Shown::new(&source, (0, 0), &[whole], Look { secrets: &[], ..look }).text
}

/// A text that a rule made, with all that hides or acts spelled out; line ends stay.
pub(in crate::cli) fn spelled(text: &str) -> String {
    if text.bytes().all(|byte| matches!(byte, b' '..=b'~' | b'\n')) {
        return text.to_owned();
    }
    let mut before = None;
    let mut chars = text.chars().peekable();
    let mut spelled = String::with_capacity(text.len());
    while let Some(c) = chars.next() {
        match c {
            '\n' => spelled.push(c),
            _ => spelled.push_str(&shown(c, before, chars.peek().copied())),
        }
        before = Some(c);
    }
    spelled
}

/// The characters of a line, each as it is shown.
fn cells<'a>(source: &'a Source, line: &Span, spans: &[Span], secrets: &[Span]) -> Vec<Cell<'a>> {
    let text = &source.text()[line.clone()];
    let ends_file = line.end == source.text().len();
    let mut cells: Vec<Cell<'_>> = Vec::with_capacity(text.len());
    let mut chars = text.char_indices().peekable();
    let mut before = None;
    while let Some((at, c)) = chars.next() {
        let byte = line.start + at;
        let next = chars.peek().map(|(_, next)| *next);
        // What ends a line, or begins a file, is shown only if it is what matters.
        let is_frame = (c == '\r' && next.is_none() && !ends_file) || (c == '\u{feff}' && byte == 0);
        let shown = match c {
            _ if is_covered(source, byte, secrets) => Cow::Borrowed("*"),
            _ if is_frame && !spans.iter().any(|span| span.start == byte && !span.is_empty()) => Cow::Borrowed(""),
            ' '..='~' => Cow::Borrowed(&text[at..=at]),
            _ => shown(c, before, next),
        };
        let width = shown.chars().filter_map(UnicodeWidthChar::width).sum();
        cells.push(Cell { byte, shown, width });
        before = Some(c);
    }
    cells
}

/// Whether a byte belongs to a secret, and is not among its first characters.
pub(super) fn is_covered(source: &Source, byte: usize, secrets: &[Span]) -> bool {
    let covers = |secret: &&Span| {
        secret.contains(&byte) && source.text()[secret.start..byte].chars().nth(SECRET_SHOWN - 1).is_some()
    };
    secrets.iter().any(|secret| covers(&secret))
}

/// What is shown for a character between two others: itself, if a reader sees it and terminals agree how wide it is.
fn shown(c: char, before: Option<char>, next: Option<char>) -> Cow<'static, str> {
    let between = |belongs: fn(char) -> bool| before.is_some_and(belongs) && next.is_some_and(belongs);
    match c {
        '\t' => "    ".into(),
        '\r' => "\\r".into(),
        // Joined emoji are one or several columns wide, by the terminal: their parts always are.
        '\u{200d}' if between(is_emoji) => "".into(),
        '\u{fe0e}' | '\u{fe0f}' if before.is_some_and(takes_variation) => "".into(),
        '\u{200c}' | '\u{200d}' if between(joins) => c.to_string().into(),
        _ if is_hidden(c) || is_invisible(c) => c.escape_unicode().to_string().into(),
        _ => c.to_string().into(),
    }
}

/// Whether nothing is seen of a character that is neither a blank nor a control.
fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}' | '\u{2028}' | '\u{2029}' | '\u{2060}'..='\u{206f}' | '\u{3164}'
        | '\u{fe00}'..='\u{fe0f}' | '\u{ffa0}' | '\u{fff0}'..='\u{fff8}' | '\u{1d173}'..='\u{1d17a}'
        | '\u{e0080}'..='\u{e0fff}' | MARK)
}

fn is_emoji(c: char) -> bool {
    matches!(c, '\u{2190}'..='\u{2bff}' | '\u{fe0f}' | '\u{1f000}'..='\u{1faff}')
}

fn takes_variation(c: char) -> bool {
    matches!(c, '#' | '*' | '0'..='9' | '\u{a9}' | '\u{ae}' | '\u{2000}'..='\u{32ff}') || is_emoji(c) && c != '\u{fe0f}'
}

/// Whether a character belongs to a script in which joiners are spelling.
fn joins(c: char) -> bool {
    matches!(c, '\u{600}'..='\u{8ff}' | '\u{900}'..='\u{109f}' | '\u{1780}'..='\u{17ff}' | '\u{fb50}'..='\u{fdff}')
}

/// Which of the characters are kept so that the line fits: those around the points.
fn kept(cells: &[Cell<'_>], points: &[usize], room: usize) -> Vec<bool> {
    let mut total = 0;
    let mut start_of = |cell: &Cell<'_>| {
        total += cell.width;
        total - cell.width
    };
    let starts: Vec<usize> = cells.iter().map(&mut start_of).collect();
    if total <= room {
        return vec![true; cells.len()];
    }
    let column_of = |point: &usize| {
        let at = cells.partition_point(|cell| cell.byte < *point);
        starts.get(at).copied().unwrap_or(total)
    };
    let marks: BTreeSet<usize> = points.iter().map(column_of).collect();
    if marks.is_empty() {
        return starts.iter().map(|start| *start < room).collect();
    }
    let around = (room / (2 * marks.len())).max(AROUND_MIN);
    starts.iter().map(|start| marks.iter().any(|mark| mark.abs_diff(*start) <= around)).collect()
}

/// JSON with what hides or acts in its texts escaped: the same value, and nothing that a terminal obeys.
pub(in crate::cli) fn escaped(value: &serde_json::Value) -> String {
    let text = value.to_string();
    if text.is_ascii() {
        return text;
    }
    let mut told = String::with_capacity(text.len());
    for c in text.chars() {
        if is_hidden(c) || is_invisible(c) || matches!(c, '\u{200c}' | '\u{200d}') {
            c.encode_utf16(&mut [0; 2]).iter().for_each(|unit| told.push_str(&format!("\\u{unit:04x}")));
        } else {
            told.push(c);
        }
    }
    told
}
