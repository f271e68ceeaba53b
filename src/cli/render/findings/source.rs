//! The text of a file with the places in it: lines, columns in characters, bytes.

use crate::report::Span;

/// The text of a file, and where its lines begin.
pub(in crate::cli) struct SourceText {
    text: String,
    starts: Vec<usize>,
}

/// A place in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::cli) struct TextPosition {
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1; a byte order mark has none.
    pub column: usize,
    /// The byte, from 0.
    pub byte: usize,
}

impl SourceText {
    pub(in crate::cli) fn new(text: String) -> Self {
        // The starts of all lines once, since every place of a finding is looked up in them.
        let ends = memchr::memchr_iter(b'\n', text.as_bytes());

        let starts = std::iter::once(0).chain(ends.map(|end| end + 1)).collect();
        SourceText { text, starts }
    }

    pub(in crate::cli) fn text(&self) -> &str {
        &self.text
    }

    /// The line of a byte, from 0.
    pub(super) fn line_of(&self, byte: usize) -> usize {
        self.starts.partition_point(|start| *start <= byte) - 1
    }

    /// A line, from 0, without the `\n` at its end.
    pub(super) fn line(&self, line: usize) -> Span {
        let start = self.starts[line];
        let end = self
            .starts
            .get(line + 1)
            // The last line may end without `\n`.
            .map_or(self.text.len(), |next| next - 1);
        start..end
    }

    /// A span clamped to the text, on character boundaries.
    pub(super) fn clamp_span(&self, span: &Span) -> Span {
        let start = self.text.floor_char_boundary(span.start);
        let end = self.text.ceil_char_boundary(span.end.min(self.text.len()));
        start..end.max(start)
    }

    /// The line and column of a byte.
    pub(in crate::cli) fn position(&self, byte: usize) -> TextPosition {
        let byte = self.text.floor_char_boundary(byte);

        let line = self.line_of(byte);
        let before = &self.text[self.starts[line]..byte];
        // Editors do not count a byte order mark, so that column 1 is the character behind it.
        let before = if line == 0 {
            before.trim_start_matches('\u{feff}')
        } else {
            before
        };

        TextPosition {
            line: line + 1,
            column: before.chars().count() + 1,
            byte,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn source_positions_match_those_of_diagnostics() {
        let text = "\u{feff}---\r\nname: é日x\n\nend";
        let source = SourceText::new(text.to_owned());
        for byte in 0..=text.len() + 2 {
            let place = source.position(byte);
            assert_eq!(
                (place.line, place.column),
                crate::report::position(text, byte),
                "{byte}"
            );
        }
        assert_eq!(source.position(10_000).byte, text.len());
        assert_eq!((source.line(0), source.line(3)), (0..7, 22..25));
    }

    #[test]
    fn span_outside_of_the_text_is_clamped() {
        let source = SourceText::new("é日".into());
        assert_eq!(source.clamp_span(&(1..3)), 0..5);
        let backwards = Span { start: 9, end: 3 };
        assert_eq!(source.clamp_span(&backwards), 5..5);
    }
}
