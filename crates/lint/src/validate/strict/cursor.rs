//! A place in a text, and what counts as the end of a line there.

/// A place: the character, and the line and column that indentation is measured by.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(in super::super) struct Mark {
    pub(in super::super) index: usize,
    pub(super) line: usize,
    pub(super) column: usize,
}

/// A text that is read from its start to its end, looking ahead as far as needed.
pub(super) struct Cursor {
    text: Vec<char>,
    mark: Mark,
}

/// What stands after the last character.
pub(super) const END: char = '\0';

impl Cursor {
    pub(super) fn new(text: Vec<char>) -> Self {
        Cursor { text, mark: Mark::default() }
    }

    pub(super) fn mark(&self) -> Mark {
        self.mark
    }

    pub(super) fn column(&self) -> usize {
        self.mark.column
    }

    /// The character `ahead` of this place.
    pub(super) fn peek(&self, ahead: usize) -> char {
        self.text.get(self.mark.index + ahead).copied().unwrap_or(END)
    }

    /// The character at this place.
    pub(super) fn here(&self) -> char {
        self.peek(0)
    }

    /// Goes on, by no more than there is. Only `\n` begins a line; a byte order mark has no width.
    pub(super) fn forward(&mut self, count: usize) {
        for _ in 0..count {
            let Some(&c) = self.text.get(self.mark.index) else { return };
            self.mark.index += 1;
            if c == '\n' {
                self.mark.line += 1;
                self.mark.column = 0;
            } else if c != '\u{feff}' {
                self.mark.column += 1;
            }
        }
    }

    /// Goes on by `count` characters and gives them to `text`.
    pub(super) fn take(&mut self, count: usize, text: &mut String) {
        let end = (self.mark.index + count).min(self.text.len());
        text.extend(&self.text[self.mark.index..end]);
        self.forward(count);
    }

    /// How many of the characters from here on are of one sort.
    pub(super) fn run(&self, of: impl Fn(char) -> bool) -> usize {
        self.text[self.mark.index..].iter().take_while(|&&c| of(c)).count()
    }

    /// Skips characters of one sort.
    pub(super) fn skip(&mut self, of: impl Fn(char) -> bool) {
        self.forward(self.run(of));
    }

    /// Goes past the end of a line, if this is one, and says what it counts as within a text.
    pub(super) fn line_break(&mut self) -> Option<char> {
        let c = self.here();
        if !is_break(c) {
            return None;
        }
        self.forward(1);
        Some(if c == '\u{85}' { '\n' } else { c })
    }

    /// Whether a line that is `...` begins here, wherever that is in its line.
    pub(super) fn at_dots(&self) -> bool {
        (0..3).all(|ahead| self.peek(ahead) == '.') && is_blank_or_end(self.peek(3))
    }
}

/// Whether a line ends here: also at a next line, a line separator and a paragraph separator.
pub(super) fn is_break(c: char) -> bool {
    matches!(c, '\n' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// Whether the line or the text ends here.
pub(super) fn is_end(c: char) -> bool {
    c == END || is_break(c)
}

/// Whether a blank stands here, or the line or the text ends.
pub(super) fn is_blank_or_end(c: char) -> bool {
    is_blank(c) || is_end(c)
}

pub(super) fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\t')
}
