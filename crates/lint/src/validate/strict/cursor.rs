//! A cursor in a text, with the validator's line ends.

/// A position: the character, and the line and column that indentation is measured by.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(in super::super) struct YamlMark {
    pub(in super::super) index: usize,
    pub(super) line: usize,
    pub(super) column: usize,
}

/// A text that is read from start to end, with lookahead.
pub(super) struct CharCursor {
    text: Vec<char>,
    mark: YamlMark,
}

/// The value after the last character.
pub(super) const END: char = '\0';

impl CharCursor {
    pub(super) fn new(text: Vec<char>) -> Self {
        CharCursor {
            text,
            mark: YamlMark::default(),
        }
    }

    pub(super) fn mark(&self) -> YamlMark {
        self.mark
    }

    pub(super) fn column(&self) -> usize {
        self.mark.column
    }

    /// The character `ahead` characters after the current one.
    pub(super) fn peek(&self, ahead: usize) -> char {
        // NUL can mark the end: `read` rejects a text that contains one.
        self.text
            .get(self.mark.index + ahead)
            .copied()
            .unwrap_or(END)
    }

    /// The current character.
    pub(super) fn current(&self) -> char {
        self.peek(0)
    }

    /// Advances, at most to the end. Only `\n` begins a line; a byte order mark has no width.
    pub(super) fn advance(&mut self, count: usize) {
        for _ in 0..count {
            let Some(&c) = self.text.get(self.mark.index) else {
                return;
            };

            self.mark.index += 1;
            // Other line breaks do not begin a line here: the validator's columns go on after them.
            if c == '\n' {
                self.mark.line += 1;
                self.mark.column = 0;
            } else if c != '\u{feff}' {
                self.mark.column += 1;
            }
        }
    }

    /// Advances by `count` characters and appends them to `text`.
    pub(super) fn take(&mut self, count: usize, text: &mut String) {
        let end = (self.mark.index + count).min(self.text.len());
        text.extend(&self.text[self.mark.index..end]);
        self.advance(count);
    }

    /// The number of characters from here on that satisfy a predicate.
    pub(super) fn count_while(&self, of: impl Fn(char) -> bool) -> usize {
        self.text[self.mark.index..]
            .iter()
            .take_while(|&&c| of(c))
            .count()
    }

    /// Skips characters that satisfy a predicate.
    pub(super) fn skip_while(&mut self, of: impl Fn(char) -> bool) {
        self.advance(self.count_while(of));
    }

    /// Advances past a line end, if this is one, and returns its value within a text.
    pub(super) fn line_break(&mut self) -> Option<char> {
        let c = self.current();
        if !is_break(c) {
            return None;
        }

        self.advance(1);
        // Only NEL becomes a line feed; the two separators of Unicode stay in the text.
        Some(if c == '\u{85}' { '\n' } else { c })
    }

    /// Whether `...` begins here, at any column, followed by whitespace or the end.
    pub(super) fn at_document_end(&self) -> bool {
        (0..3).all(|ahead| self.peek(ahead) == '.') && is_blank_or_end(self.peek(3))
    }
}

/// Whether the character ends a line: also NEL, a line separator and a paragraph separator.
pub(super) fn is_break(c: char) -> bool {
    // A lone `\r` is none: it was normalized when the file was read.
    matches!(c, '\n' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// Whether the line or the text ends here.
pub(super) fn is_end(c: char) -> bool {
    c == END || is_break(c)
}

/// Whether the character is a space or tab, or ends the line or the text.
pub(super) fn is_blank_or_end(c: char) -> bool {
    is_blank(c) || is_end(c)
}

pub(super) fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\t')
}
