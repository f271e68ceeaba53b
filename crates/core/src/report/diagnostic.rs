//! One finding about a file.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::Severity;

/// How much a finding matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DiagnosticLevel {
    /// Worth knowing; shown only when asked for.
    Note,
    /// Very likely a defect.
    Warning,
    /// Some agent drops or misreads the skill.
    Error,
}

impl DiagnosticLevel {
    /// The name, as printed and as written in files.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            DiagnosticLevel::Note => "note",
            DiagnosticLevel::Warning => "warning",
            DiagnosticLevel::Error => "error",
        }
    }
}

/// A range of bytes in a file, counted from its start.
pub type Span = Range<usize>;

/// A second position that belongs to a finding, with a text to show there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DiagnosticLabel {
    /// Where, in bytes from the start of the file.
    pub span: Span,
    /// The text to show there.
    pub text: String,
}

/// Whether a fix can be applied without review.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FixApplicability {
    /// The file means the same afterwards, or what its author plainly meant.
    Safe,
    /// Requires review: it guesses, or changes the meaning.
    Unsafe,
}

/// One step of a fix.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum FixChange {
    /// Other text in the file of the finding. An empty span inserts.
    Edit {
        /// What is replaced, in bytes from the start of the file.
        span: Span,
        /// What takes its place.
        content: String,
    },
    /// The file of the finding gets another name in its directory.
    Rename {
        /// The new name.
        to: String,
    },
    /// The file of the finding may be run.
    SetExecutable,
    /// Adds a line to another file of the skill's directory, which is created if missing.
    AppendLine {
        /// That file, relative to the skill's directory.
        path: String,
        /// The line, without its end.
        line: String,
    },
}

/// What a program can do about a finding.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DiagnosticFix {
    /// Whether it can be applied without review.
    pub applicability: FixApplicability,
    /// What it does, in the imperative: `quote the value`.
    pub message: String,
    /// Its steps, those of one file in the order of the file and apart from each other.
    pub changes: Vec<FixChange>,
}

impl DiagnosticFix {
    /// A fix of one edit.
    #[must_use]
    pub fn edit(
        applicability: FixApplicability,
        message: impl Into<String>,
        span: Span,
        content: impl Into<String>,
    ) -> Self {
        DiagnosticFix {
            applicability,
            message: message.into(),
            changes: vec![FixChange::Edit {
                span,
                content: content.into(),
            }],
        }
    }

    /// The text of the file with the edits applied; other steps do not change the text.
    ///
    /// # Panics
    /// If an edit's span is not within `source` or not at character boundaries.
    #[must_use]
    pub fn apply(&self, source: &str) -> String {
        let mut fixed = source.to_owned();
        // From the end, so that the spans of earlier edits stay valid.
        for change in self.changes.iter().rev() {
            if let FixChange::Edit { span, content } = change {
                fixed.replace_range(span.clone(), content);
            }
        }

        fixed
    }
}

/// One finding about a file.
///
/// Discovery and `lint` cache findings as postcard, which does not name fields: no field may be skipped when serializing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Diagnostic {
    /// The rule's stable name, such as `description-too-long`.
    pub rule: String,
    /// How much it matters.
    pub level: DiagnosticLevel,
    /// One sentence, lower case, without a full stop.
    pub message: String,
    /// Where, in bytes from the start of the file; `None` if it is about the file as a whole.
    pub span: Option<Span>,
    /// 1-based line and column (in characters) of the span's start; `None` without a span.
    pub position: Option<(usize, usize)>,
    /// Further positions.
    pub labels: Vec<DiagnosticLabel>,
    /// Further facts, above all which agents are affected, and how.
    pub notes: Vec<String>,
    /// What would fix it.
    pub help: Option<String>,
    /// How a program can fix it.
    pub fix: Option<DiagnosticFix>,
    /// How dangerous it is; `None` for findings that are not about security.
    pub severity: Option<Severity>,
}

impl Diagnostic {
    /// A finding about the file as a whole.
    #[must_use]
    pub fn new(rule: &str, level: DiagnosticLevel, message: impl Into<String>) -> Self {
        Diagnostic {
            rule: rule.to_owned(),
            level,
            message: message.into(),
            span: None,
            position: None,
            labels: Vec::new(),
            notes: Vec::new(),
            help: None,
            fix: None,
            severity: None,
        }
    }

    /// Sets the span, in bytes of `source`, and the position from it.
    #[must_use]
    pub fn at(mut self, span: Span, source: &str) -> Self {
        // Computed here, where the text is known; the code that prints findings may not have it.
        self.position = Some(position(source, span.start));
        self.span = Some(span);
        self
    }

    /// Sets the span alone, in bytes of its file. [`PositionTracker`] adds the positions of all findings of a file in one
    /// pass; one by one, each would count the lines before it again.
    #[must_use]
    pub fn at_bytes(mut self, span: Span) -> Self {
        self.span = Some(span);
        self
    }

    /// Adds a text for a further position.
    #[must_use]
    pub fn label(mut self, span: Span, text: impl Into<String>) -> Self {
        self.labels.push(DiagnosticLabel {
            span,
            text: text.into(),
        });
        self
    }

    /// Adds a further fact.
    #[must_use]
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }

    /// Sets how a program can fix it.
    #[must_use]
    pub fn fix(mut self, fix: DiagnosticFix) -> Self {
        self.fix = Some(fix);
        self
    }

    /// Sets what would fix it.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// `path:line:column`, or the path alone for a finding about the whole file.
    #[must_use]
    pub fn location(&self, path: &str) -> String {
        match self.position {
            Some((line, column)) => format!("{path}:{line}:{column}"),
            None => path.to_owned(),
        }
    }
}

/// A finding and the file that it is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileFinding {
    /// The file, as shown to people.
    pub path: String,
    /// The finding.
    pub diagnostic: Diagnostic,
}

impl FileFinding {
    /// Whether the command must stop.
    #[must_use]
    pub fn is_error(&self) -> bool {
        self.diagnostic.level == DiagnosticLevel::Error
    }
}

/// 1-based line and column, in characters, of a byte of `source`. A byte order mark has no column.
#[must_use]
pub fn position(source: &str, byte: usize) -> (usize, usize) {
    let mut byte = byte.min(source.len());
    // A byte inside a character counts as the start of it.
    while !source.is_char_boundary(byte) {
        byte -= 1;
    }

    let before = &source[..byte];
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    // Editors hide the mark, so that the first letter is in column 1.
    let column = before[line_start..]
        .trim_start_matches('\u{feff}')
        .chars()
        .count()
        + 1;

    (
        memchr::memchr_iter(b'\n', before.as_bytes()).count() + 1,
        column,
    )
}

/// Finds the positions of bytes of one text, reading each byte once as long as positions are requested in order.
pub struct PositionTracker<'t> {
    source: &'t str,
    /// The last byte that was requested, and its position.
    byte: usize,
    line: usize,
    column: usize,
    /// The number of bytes that were read.
    #[cfg(test)]
    read: usize,
}

impl<'t> PositionTracker<'t> {
    /// A tracker at the first byte of `source`.
    #[must_use]
    pub fn new(source: &'t str) -> Self {
        PositionTracker {
            source,
            byte: 0,
            line: 1,
            column: 1,
            #[cfg(test)]
            read: 0,
        }
    }

    /// The [`position`] of a byte.
    pub fn position_of(&mut self, byte: usize) -> (usize, usize) {
        let byte = self.source.floor_char_boundary(byte);
        // Out of order: counting starts over, which costs time and is still right.
        if byte < self.byte {
            *self = PositionTracker::new(self.source);
        }

        let between = &self.source[self.byte..byte];
        #[cfg(test)]
        {
            self.read += between.len();
        }

        let counted = match between.rfind('\n') {
            Some(end) => {
                self.line += memchr::memchr_iter(b'\n', between.as_bytes()).count();
                self.column = 1;
                &between[end + 1..]
            }
            None => between,
        };

        // Marks of byte order at the beginning of a line have no column.
        let counted = if self.column == 1 {
            counted.trim_start_matches('\u{feff}')
        } else {
            counted
        };

        self.column += counted.chars().count();
        self.byte = byte;
        (self.line, self.column)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn positions_in_order_are_those_of_each_by_itself(
            text in "[a\n\r\u{feff}é]{0,40}", mut bytes in prop::collection::vec(0..90usize, 0..12), in_order: bool
        ) {
            if in_order {
                bytes.sort_unstable();
            }
            let mut positions = PositionTracker::new(&text);
            for byte in bytes {
                prop_assert_eq!(positions.position_of(byte), position(&text, byte));
            }
        }
    }

    #[test]
    fn a_text_is_counted_once_for_all_positions_in_it() {
        for text in ["a\n".repeat(1 << 12), "a ".repeat(1 << 12)] {
            let mut positions = PositionTracker::new(&text);
            (0..text.len()).for_each(|byte| _ = positions.position_of(byte));
            assert!(positions.read < text.len());
        }
    }

    #[test]
    fn positions_count_characters_from_one() {
        let source = "\u{feff}---\r\nname: é日x\n";
        let at = |needle: &str| position(source, source.find(needle).unwrap());
        assert_eq!(at("---"), (1, 1));
        assert_eq!(at("name"), (2, 1));
        assert_eq!(at("x"), (2, 9));
        assert_eq!(position(source, 10_000), (3, 1));
    }
}
