//! Texts: without quotes, in quotes, and in blocks.

use super::super::python;
use super::Fault;
use super::cursor::{END, Mark, is_blank, is_blank_or_end, is_break, is_end};
use super::scanner::Scanner;
use super::token::{Kind, Token};

/// What a text in double quotes may have after `\`, and what it stands for.
const ESCAPES: [(char, char); 18] = [
    ('0', '\0'),
    ('a', '\x07'),
    ('b', '\x08'),
    ('t', '\t'),
    ('\t', '\t'),
    ('n', '\n'),
    ('v', '\x0b'),
    ('f', '\x0c'),
    ('r', '\r'),
    ('e', '\x1b'),
    (' ', ' '),
    ('"', '"'),
    ('/', '/'),
    ('\\', '\\'),
    ('N', '\u{85}'),
    ('_', '\u{a0}'),
    ('L', '\u{2028}'),
    ('P', '\u{2029}'),
];

const IN_DOUBLE: &str = "while scanning a double-quoted scalar";
const IN_QUOTES: &str = "while scanning a quoted scalar";
const IN_BLOCK: &str = "while scanning a block scalar";

impl Scanner {
    /// A text without quotes: it goes on over lines that are indented further than what it belongs to.
    pub(super) fn plain(&mut self) -> Token {
        let start = self.cursor.mark();
        let indent = self.indent.map_or(0, |indent| indent + 1);
        let (mut text, mut end, mut blanks) = (String::new(), start, String::new());
        while self.cursor.here() != '#' {
            let ends = |ahead: usize| match self.cursor.peek(ahead) {
                ':' => is_blank_or_end(self.cursor.peek(ahead + 1)),
                c => is_blank_or_end(c),
            };
            let mut length = 0;
            while !ends(length) {
                length += 1;
            }
            if length == 0 {
                break;
            }
            self.key_allowed = false;
            text.push_str(&blanks);
            self.cursor.take(length, &mut text);
            end = self.cursor.mark();
            blanks = self.plain_blanks();
            if blanks.is_empty() || self.cursor.column() < indent {
                break;
            }
        }
        let mut token = Token::new(Kind::Scalar(text, true), start, end);
        if blanks.starts_with('\n') {
            token.add_after();
        }
        token
    }

    /// What stands between two words of a text without quotes. Empty if the text ends.
    fn plain_blanks(&mut self) -> String {
        let mut blanks = String::new();
        let length = self.cursor.run(|c| c == ' ');
        self.cursor.take(length, &mut blanks);
        let Some(first) = self.cursor.line_break() else { return blanks };
        self.key_allowed = true;
        if self.cursor.at_dots() {
            return String::new();
        }
        let mut breaks = String::new();
        loop {
            self.cursor.skip(|c| c == ' ');
            let Some(next) = self.cursor.line_break() else { break };
            breaks.push(next);
            if self.cursor.at_dots() {
                return String::new();
            }
        }
        folded(first, &breaks)
    }

    /// A text in quotes.
    pub(super) fn quoted(&mut self, double: bool) -> Result<Token, Fault> {
        let start = self.cursor.mark();
        let quote = self.cursor.here();
        let mut text = String::new();
        self.cursor.forward(1);
        self.quoted_word(double, start, &mut text)?;
        while self.cursor.here() != quote {
            self.quoted_blanks(start, &mut text)?;
            self.quoted_word(double, start, &mut text)?;
        }
        self.cursor.forward(1);
        Ok(Token::new(Kind::Scalar(text, false), start, self.cursor.mark()))
    }

    /// Up to the next blank or quote.
    fn quoted_word(&mut self, double: bool, start: Mark, text: &mut String) -> Result<(), Fault> {
        loop {
            let length = self.cursor.run(|c| !is_blank_or_end(c) && !matches!(c, '\'' | '"' | '\\'));
            self.cursor.take(length, text);
            match self.cursor.here() {
                '\'' if !double && self.cursor.peek(1) == '\'' => {
                    self.cursor.forward(2);
                    text.push('\'');
                }
                '\'' if double => self.cursor.take(1, text),
                '"' | '\\' if !double => self.cursor.take(1, text),
                '\\' => self.escape(start, text)?,
                _ => return Ok(()),
            }
        }
    }

    fn escape(&mut self, start: Mark, text: &mut String) -> Result<(), Fault> {
        let place = self.cursor.mark();
        self.cursor.forward(1);
        let c = self.cursor.here();
        if let Some((_, meant)) = ESCAPES.iter().find(|(written, _)| *written == c) {
            self.cursor.forward(1);
            text.push(*meant);
            return Ok(());
        }
        if self.cursor.line_break().is_some() {
            return self.quoted_breaks(start, text);
        }
        let digits = match c {
            'x' => 2,
            'u' => 4,
            'U' => 8,
            _ => {
                let problem = format!("found unknown escape character {}", python::repr_char(c));
                return Err(Fault::syntax(problem, place).within(IN_DOUBLE));
            }
        };
        self.cursor.forward(1);
        let mut written = String::new();
        if let Some(wrong) = (0..digits).map(|ahead| self.cursor.peek(ahead)).find(|c| !c.is_ascii_hexdigit()) {
            let found = python::repr_char(wrong);
            let problem = format!("expected escape sequence of {digits} hexdecimal numbers, but found {found}");
            return Err(Fault::syntax(problem, place).within(IN_DOUBLE));
        }
        self.cursor.take(digits, &mut written);
        let code = u32::from_str_radix(&written, 16).expect("at most eight hexadecimal digits");
        let c = python::character(code);
        text.push(c.ok_or_else(|| Fault::crash("ValueError: chr() arg not in range(0x110000)", place))?);
        Ok(())
    }

    /// Blanks and line ends in a text in quotes.
    fn quoted_blanks(&mut self, start: Mark, text: &mut String) -> Result<(), Fault> {
        let length = self.cursor.run(is_blank);
        let mut blanks = String::new();
        self.cursor.take(length, &mut blanks);
        if self.cursor.here() == END {
            return Err(Fault::syntax("found unexpected end of stream", start).within(IN_QUOTES));
        }
        let Some(first) = self.cursor.line_break() else {
            text.push_str(&blanks);
            return Ok(());
        };
        let mut breaks = String::new();
        self.quoted_breaks(start, &mut breaks)?;
        text.push_str(&folded(first, &breaks));
        Ok(())
    }

    /// Empty lines in a text in quotes, and the indentation after them.
    fn quoted_breaks(&mut self, start: Mark, text: &mut String) -> Result<(), Fault> {
        loop {
            if self.cursor.at_dots() {
                return Err(Fault::syntax("found unexpected document separator", start).within(IN_QUOTES));
            }
            self.cursor.skip(is_blank);
            match self.cursor.line_break() {
                Some(c) => text.push(c),
                None => return Ok(()),
            }
        }
    }

    /// A text in a block, after `|` or, if lines are folded, `>`.
    pub(super) fn block(&mut self, is_folded: bool) -> Result<Token, Fault> {
        let start = self.cursor.mark();
        self.cursor.forward(1);
        let header = self.block_header()?;
        let commented = self.block_header_end()?;
        let margin = self.indent.map_or(0, |indent| indent + 1);
        let (indent, mut breaks, mut end) = match header.indent {
            None => {
                let (breaks, deepest, end) = self.block_indentation();
                (margin.max(deepest), breaks, end)
            }
            Some(more) => {
                let indent = margin.max(1) + more - 1;
                let (breaks, end) = self.block_breaks(indent);
                (indent, breaks, end)
            }
        };
        let at_root = header.indent.is_none() && margin == 0;
        let (mut text, mut last) = (String::new(), None);
        while self.cursor.column() == indent && self.cursor.here() != END {
            text.push_str(&breaks);
            let continues = !is_blank(self.cursor.here());
            let length = self.cursor.run(|c| !is_end(c));
            self.cursor.take(length, &mut text);
            last = self.cursor.line_break();
            (breaks, end) = self.block_breaks(indent);
            let ended = at_root && self.cursor.column() == 0 && self.cursor.at_dots();
            if ended || self.cursor.column() != indent || self.cursor.here() == END {
                break;
            }
            if is_folded && last == Some('\n') && continues && !is_blank(self.cursor.here()) {
                if breaks.is_empty() {
                    text.push(' ');
                }
            } else {
                text.extend(last);
            }
        }
        match header.keep {
            Some(false) => {}
            None => text.extend(last),
            Some(true) => {
                text.extend(last);
                text.push_str(&breaks);
            }
        }
        let mut token = Token::new(Kind::Scalar(text, false), start, end);
        if commented {
            token.comments.get_or_insert_default().before = true;
        }
        if header.keep != Some(true) && !breaks.is_empty() {
            while self.skip_to_token().is_some() {}
            token.add_after();
        }
        Ok(token)
    }

    fn block_header(&mut self) -> Result<BlockHeader, Fault> {
        let mut header = BlockHeader { keep: None, indent: None };
        self.block_keep(&mut header);
        if let Some(digit) = self.cursor.here().to_digit(10) {
            if digit == 0 {
                let problem = "expected indentation indicator in the range 1-9, but found 0";
                return Err(Fault::syntax(problem, self.cursor.mark()).within(IN_BLOCK));
            }
            header.indent = Some(digit as usize);
            self.cursor.forward(1);
            if header.keep.is_none() {
                self.block_keep(&mut header);
            }
        }
        let c = self.cursor.here();
        if c != ' ' && !is_end(c) {
            let found = python::repr_char(c);
            let problem = format!("expected chomping or indentation indicators, but found {found}");
            return Err(Fault::syntax(problem, self.cursor.mark()).within(IN_BLOCK));
        }
        Ok(header)
    }

    fn block_keep(&mut self, header: &mut BlockHeader) {
        header.keep = match self.cursor.here() {
            '+' => Some(true),
            '-' => Some(false),
            _ => return,
        };
        self.cursor.forward(1);
    }

    /// The rest of the line with `|`, and whether it has a comment.
    fn block_header_end(&mut self) -> Result<bool, Fault> {
        self.cursor.skip(|c| c == ' ');
        let commented = self.cursor.here() == '#';
        if commented {
            self.cursor.skip(|c| !is_end(c));
        }
        let c = self.cursor.here();
        if !is_end(c) {
            let problem = format!("expected a comment or a line break, but found {}", python::repr_char(c));
            return Err(Fault::syntax(problem, self.cursor.mark()).within(IN_BLOCK));
        }
        self.cursor.line_break();
        Ok(commented)
    }

    /// The empty lines before a block's first line, the deepest column of them all, and where they end.
    fn block_indentation(&mut self) -> (String, usize, Mark) {
        let (mut breaks, mut deepest, mut end) = (String::new(), 0, self.cursor.mark());
        loop {
            if let Some(c) = self.cursor.line_break() {
                breaks.push(c);
                end = self.cursor.mark();
            } else if self.cursor.here() == ' ' {
                self.cursor.forward(1);
                deepest = deepest.max(self.cursor.column());
            } else {
                return (breaks, deepest, end);
            }
        }
    }

    /// Empty lines, and the indentation of the line after them.
    fn block_breaks(&mut self, indent: usize) -> (String, Mark) {
        let (mut breaks, mut end) = (String::new(), self.cursor.mark());
        loop {
            while self.cursor.column() < indent && self.cursor.here() == ' ' {
                self.cursor.forward(1);
            }
            if !is_break(self.cursor.here()) {
                return (breaks, end);
            }
            breaks.extend(self.cursor.line_break());
            end = self.cursor.mark();
        }
    }
}

/// What stands after `|` or `>`.
struct BlockHeader {
    /// Whether all line ends at the end are kept (`+`) or none (`-`).
    keep: Option<bool>,
    /// How much further than its owner the block is indented.
    indent: Option<usize>,
}

/// A line end within a text, and the empty lines after it, as they count.
fn folded(first: char, breaks: &str) -> String {
    match first {
        '\n' if breaks.is_empty() => " ".to_owned(),
        '\n' => breaks.to_owned(),
        _ => format!("{first}{breaks}"),
    }
}
