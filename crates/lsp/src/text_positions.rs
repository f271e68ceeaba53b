//! Positions in a text as the protocol counts them, and as bytes.

use std::ops::Range;

use lsp_types::{Position, PositionEncodingKind};

/// What the columns of positions count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum ColumnEncoding {
    /// Bytes of UTF-8.
    Utf8,
    /// Units of UTF-16, which every client can use.
    #[default]
    Utf16,
}

impl ColumnEncoding {
    /// The best encoding that a client offers: bytes, which need no counting.
    pub(crate) fn negotiate(offered: Option<&[PositionEncodingKind]>) -> ColumnEncoding {
        let offered = offered.unwrap_or_default();
        if offered.contains(&PositionEncodingKind::UTF8) {
            ColumnEncoding::Utf8
        } else {
            ColumnEncoding::Utf16
        }
    }

    /// Its name in the protocol.
    pub(crate) fn kind(self) -> PositionEncodingKind {
        match self {
            ColumnEncoding::Utf8 => PositionEncodingKind::UTF8,
            ColumnEncoding::Utf16 => PositionEncodingKind::UTF16,
        }
    }
}

/// The lines of a text.
#[derive(Debug, Clone)]
pub(crate) struct LineIndex {
    /// The byte at which each line begins.
    starts: Vec<usize>,
    encoding: ColumnEncoding,
}

impl LineIndex {
    pub(crate) fn new(text: &str, encoding: ColumnEncoding) -> LineIndex {
        let bytes = text.as_bytes();
        let mut starts = vec![0];
        for (at, byte) in bytes.iter().enumerate() {
            // The protocol has three line ends: `\n`, `\r\n` and `\r`.
            let is_end = match byte {
                b'\n' => true,
                b'\r' => bytes.get(at + 1) != Some(&b'\n'),
                _ => false,
            };
            if is_end {
                starts.push(at + 1);
            }
        }
        LineIndex { starts, encoding }
    }

    /// The position of a byte; one behind the end counts as the end, one inside a character as its start.
    pub(crate) fn position(&self, text: &str, byte: usize) -> Position {
        let byte = text.floor_char_boundary(byte.min(text.len()));
        let line = self.starts.partition_point(|start| *start <= byte) - 1;
        let before = &text[self.starts[line]..byte];
        Position::new(as_u32(line), as_u32(self.count_columns(before)))
    }

    /// The range of a span of bytes.
    pub(crate) fn range(&self, text: &str, span: &Range<usize>) -> lsp_types::Range {
        lsp_types::Range::new(
            self.position(text, span.start),
            self.position(text, span.end.max(span.start)),
        )
    }

    /// The byte at a position; a column behind the end of its line counts as that end, a line behind the last as the end of
    /// the text.
    pub(crate) fn byte(&self, text: &str, position: Position) -> usize {
        let line = position.line as usize;
        let Some(start) = self.starts.get(line).copied() else {
            return text.len();
        };
        let end = self.starts.get(line + 1).copied().unwrap_or(text.len());
        let content = text[start..end].trim_end_matches(['\r', '\n']);

        let mut columns = 0;
        for (at, c) in content.char_indices() {
            if columns >= position.character as usize {
                return start + at;
            }
            columns += self.width(c);
        }
        start + content.len()
    }

    /// The span of bytes of a range; one that is the wrong way round is empty.
    pub(crate) fn span(&self, text: &str, range: lsp_types::Range) -> Range<usize> {
        let start = self.byte(text, range.start);
        start..self.byte(text, range.end).max(start)
    }

    fn count_columns(&self, text: &str) -> usize {
        text.chars().map(|c| self.width(c)).sum()
    }

    fn width(&self, c: char) -> usize {
        match self.encoding {
            ColumnEncoding::Utf8 => c.len_utf8(),
            ColumnEncoding::Utf16 => c.len_utf16(),
        }
    }
}

/// A count as the protocol has it; texts are far smaller than its limit.
fn as_u32(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_in_the_negotiated_encoding() {
        let text = "a\r\né🚀x\rz";
        for (encoding, column) in [(ColumnEncoding::Utf8, 6), (ColumnEncoding::Utf16, 3)] {
            let index = LineIndex::new(text, encoding);
            let byte = text.find('x').unwrap();
            assert_eq!(index.position(text, byte), Position::new(1, column));
            assert_eq!(index.byte(text, Position::new(1, column)), byte);
            assert_eq!(index.position(text, text.len()), Position::new(2, 1));
        }
    }

    #[test]
    fn positions_outside_of_the_text_are_at_its_edges() {
        let text = "ab\ncd";
        let index = LineIndex::new(text, ColumnEncoding::Utf16);
        assert_eq!(index.byte(text, Position::new(0, 99)), 2);
        assert_eq!(index.byte(text, Position::new(99, 0)), 5);
        assert_eq!(index.position(text, 99), Position::new(1, 2));
    }

    #[test]
    fn utf8_is_chosen_if_it_is_offered() {
        let offer = |kinds: &[PositionEncodingKind]| ColumnEncoding::negotiate(Some(kinds));
        let (utf8, utf16) = (PositionEncodingKind::UTF8, PositionEncodingKind::UTF16);
        assert_eq!(offer(&[utf16.clone(), utf8]), ColumnEncoding::Utf8);
        assert_eq!(offer(&[utf16]), ColumnEncoding::Utf16);
        assert_eq!(ColumnEncoding::negotiate(None), ColumnEncoding::Utf16);
    }
}
