//! Where in the file a part of a scalar's text stands.

use std::iter::Peekable;
use std::ops::Range;
use std::str::CharIndices;

use super::{Kind, Node, Style};
use crate::report::Span;

impl Node<'_> {
    /// Where in `source` a part of the text of this scalar stands, whatever quotes, folds or indentation are around and
    /// within it; `None` for a collection, and where text and source cannot be told apart or together.
    #[must_use]
    pub fn place_of(&self, source: &str, part: Range<usize>) -> Option<Span> {
        let Kind::Scalar(text, style) = &self.kind else { return None };
        let raw = source.get(self.span.clone())?;
        let mut walk = Walk::open(raw, *style);
        let mut start = None;
        let mut chars = text.char_indices().peekable();
        while let Some((at, c)) = chars.next() {
            if at >= part.end {
                break;
            }
            let before = walk.at;
            if c.is_whitespace() {
                skip_blanks(&mut chars);
                walk.blanks()?;
            } else {
                walk.character(c)?;
            }
            if at <= part.start {
                start = Some(if c.is_whitespace() { before } else { walk.begun });
            }
        }
        Some(self.span.start + start?..self.span.start + walk.at)
    }
}

/// A run of blanks in the text is a run of blanks in the source, of whatever length.
fn skip_blanks(chars: &mut Peekable<CharIndices<'_>>) {
    while chars.next_if(|(_, c)| c.is_whitespace()).is_some() {}
}

/// A way through the source of a scalar, a character of its text at a time.
struct Walk<'a> {
    raw: &'a str,
    style: Style,
    at: usize,
    /// Where the last character that is no blank began.
    begun: usize,
}

impl<'a> Walk<'a> {
    fn open(raw: &'a str, style: Style) -> Self {
        let (style, at) = match style {
            Style::SingleQuoted if raw.starts_with('\'') => (style, 1),
            Style::DoubleQuoted if raw.starts_with('"') => (style, 1),
            Style::Literal | Style::Folded => (style, raw.find('\n').map_or(raw.len(), |at| at + 1)),
            // Quotes that the reader put there are not in the source.
            _ => (Style::Plain, 0),
        };
        Walk { raw, style, at, begun: at }
    }

    fn rest(&self) -> &'a str {
        &self.raw[self.at..]
    }

    /// Goes over blanks, and the escapes that stand for them.
    fn blanks(&mut self) -> Option<()> {
        let start = self.at;
        loop {
            let rest = self.rest();
            let blanks = rest.len() - rest.trim_start().len();
            let escape = match &rest.as_bytes()[blanks..] {
                [b'\\', b'n' | b't' | b'r' | b' ' | b'\n' | b'\r', ..] if self.style == Style::DoubleQuoted => 2,
                _ => 0,
            };
            self.at += blanks + escape;
            if escape == 0 {
                return (self.at > start).then_some(());
            }
        }
    }

    /// Goes over one character that is no blank.
    fn character(&mut self, c: char) -> Option<()> {
        if self.at == self.begun || self.rest().starts_with("\\\n") || self.rest().starts_with("\\\r") {
            // The first line's indentation, or a line that goes on.
            self.blanks();
        }
        self.begun = self.at;
        let rest = self.rest();
        self.at += match (self.style, rest.as_bytes()) {
            (Style::SingleQuoted, [b'\'', b'\'', ..]) if c == '\'' => 2,
            (Style::DoubleQuoted, [b'\\', escape, ..]) => match escape {
                b'x' => 4,
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
    fn stands(source: &str, part: &str, expected: &str) {
        for source in [source.to_owned(), source.replace('\n', "\r\n")] {
            let document = parse_text(&source).unwrap();
            let root = document.root.unwrap();
            let node = root.get("d").unwrap();
            let text = node.text().unwrap();
            let at = text.find(part).unwrap();
            let place = node.place_of(&source, at..at + part.len()).unwrap();
            assert_eq!(source[place].replace('\r', ""), expected, "{source:?}");
        }
    }

    #[test]
    fn a_part_is_found_in_every_style() {
        stands("d: one two\n", "two", "two");
        stands("d: one\n  two three\n", "two", "two");
        stands("d: one\n  two three\n", "one two", "one\n  two");
        stands("d: 'it''s é two'\n", "two", "two");
        stands("d: 'it''s two'\n", "t's", "t''s");
        stands("d: \"a \\\"b\\\" \\u00e9 \\x41 \\ud83d\\ude00 two\"\n", "two", "two");
        stands("d: \"a\\nb c\"\n", "b", "b");
        stands("d: \"a\\\n   b c\"\n", "b", "b");
        stands("d: \"tab\\there\"\n", "here", "here");
        stands("d: |-\n  one\n    two\n\n  three\n", "three", "three");
        stands("d: >- # why\n  one\n  two\n\n  three\n", "two", "two");
        stands("d: >\n  one\n  two\n", "o", "o");
        stands("d: >\n  one\n  two\n", "one two", "one\n  two");
    }
}
