//! Maps a part of a scalar's text to its span in the file.

use std::iter::Peekable;
use std::ops::Range;
use std::str::CharIndices;

use super::{YamlNode, YamlNodeKind, YamlStyle};
use crate::report::Span;

impl YamlNode<'_> {
    /// The span in `source` of a part of this scalar's text, whatever quotes, folds or indentation are around and within
    /// it; `None` for a collection, and where text and source cannot be matched.
    #[must_use]
    pub fn text_span(&self, source: &str, part: Range<usize>) -> Option<Span> {
        let YamlNodeKind::Scalar(text, style) = &self.kind else {
            return None;
        };
        let raw = source.get(self.span.clone())?;

        let mut cursor = ScalarCursor::new(raw, *style);
        let mut start = None;
        let mut chars = text.char_indices().peekable();

        while let Some((at, c)) = chars.next() {
            if at >= part.end {
                break;
            }
            let before = cursor.at;
            if c.is_whitespace() {
                skip_text_whitespace(&mut chars);
                cursor.skip_whitespace()?;
            } else {
                cursor.skip_char(c)?;
            }

            // The last character that begins at or before the part; a run of whitespace counts as one.
            if at <= part.start {
                start = Some(if c.is_whitespace() {
                    before
                } else {
                    cursor.char_start
                });
            }
        }

        Some(self.span.start + start?..self.span.start + cursor.at)
    }
}

/// Skips a run of whitespace of the text; in the source it is a run of any length.
fn skip_text_whitespace(chars: &mut Peekable<CharIndices<'_>>) {
    while chars.next_if(|(_, c)| c.is_whitespace()).is_some() {}
}

/// A position in the source of a scalar, moved on by one character of its text at a time.
struct ScalarCursor<'a> {
    raw: &'a str,
    style: YamlStyle,
    at: usize,
    /// The start of the last character that is not whitespace.
    char_start: usize,
}

impl<'a> ScalarCursor<'a> {
    fn new(raw: &'a str, style: YamlStyle) -> Self {
        let (style, at) = match style {
            YamlStyle::SingleQuoted if raw.starts_with('\'') => (style, 1),
            YamlStyle::DoubleQuoted if raw.starts_with('"') => (style, 1),
            YamlStyle::Literal | YamlStyle::Folded => {
                (style, raw.find('\n').map_or(raw.len(), |at| at + 1))
            }
            // Quotes that the repair added are not in the source.
            _ => (YamlStyle::Plain, 0),
        };

        ScalarCursor {
            raw,
            style,
            at,
            char_start: at,
        }
    }

    fn rest(&self) -> &'a str {
        &self.raw[self.at..]
    }

    /// Skips whitespace, and escapes of whitespace.
    fn skip_whitespace(&mut self) -> Option<()> {
        let start = self.at;
        loop {
            let rest = self.rest();
            let spaces = rest.len() - rest.trim_start().len();
            let escape = match &rest.as_bytes()[spaces..] {
                [b'\\', b'n' | b't' | b'r' | b' ' | b'\n' | b'\r', ..]
                    if self.style == YamlStyle::DoubleQuoted =>
                {
                    2
                }
                _ => 0,
            };

            self.at += spaces + escape;
            if escape == 0 {
                return (self.at > start).then_some(());
            }
        }
    }

    /// Skips one character that is not whitespace; `None` if the source has another there.
    fn skip_char(&mut self, c: char) -> Option<()> {
        if self.at == self.char_start
            || self.rest().starts_with("\\\n")
            || self.rest().starts_with("\\\r")
        {
            // The first line's indentation, or a continued line.
            self.skip_whitespace();
        }

        self.char_start = self.at;
        let rest = self.rest();
        self.at += match (self.style, rest.as_bytes()) {
            (YamlStyle::SingleQuoted, [b'\'', b'\'', ..]) if c == '\'' => 2,
            (YamlStyle::DoubleQuoted, [b'\\', escape, ..]) => match escape {
                b'x' => 4,
                // Two escapes for one character, as JSON writes it.
                b'u' if u32::from(c) > 0xFFFF => 12,
                b'u' => 6,
                b'U' => 10,
                _ if rest[1..].starts_with(c) => 1 + c.len_utf8(),
                _ => return None,
            },
            _ if rest.starts_with(c) => c.len_utf8(),
            _ => return None,
        };

        (self.at <= self.raw.len() && self.raw.is_char_boundary(self.at)).then_some(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::parse_text;

    #[track_caller]
    fn assert_span(source: &str, part: &str, expected: &str) {
        for source in [source.to_owned(), source.replace('\n', "\r\n")] {
            let document = parse_text(&source).unwrap();
            let root = document.root.unwrap();
            let node = root.get("d").unwrap();
            let text = node.text().unwrap();
            let at = text.find(part).unwrap();
            let span = node.text_span(&source, at..at + part.len()).unwrap();
            assert_eq!(source[span].replace('\r', ""), expected, "{source:?}");
        }
    }

    #[test]
    fn a_part_is_found_in_every_style() {
        assert_span("d: one two\n", "two", "two");
        assert_span("d: one\n  two three\n", "two", "two");
        assert_span("d: one\n  two three\n", "one two", "one\n  two");
        assert_span("d: 'it''s é two'\n", "two", "two");
        assert_span("d: 'it''s two'\n", "t's", "t''s");
        assert_span(
            "d: \"a \\\"b\\\" \\u00e9 \\x41 \\ud83d\\ude00 two\"\n",
            "two",
            "two",
        );
        assert_span("d: \"a\\nb c\"\n", "b", "b");
        assert_span("d: \"a\\\n   b c\"\n", "b", "b");
        assert_span("d: \"tab\\there\"\n", "here", "here");
        assert_span("d: |-\n  one\n    two\n\n  three\n", "three", "three");
        assert_span("d: >- # why\n  one\n  two\n\n  three\n", "two", "two");
        assert_span("d: >\n  one\n  two\n", "o", "o");
        assert_span("d: >\n  one\n  two\n", "one two", "one\n  two");
    }
}
