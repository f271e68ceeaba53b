//! Scans scalars: plain, quoted, and block scalars.

use super::super::python;
use super::YamlFault;
use super::cursor::{END, YamlMark, is_blank, is_blank_or_end, is_break, is_end};
use super::scanner::TokenScanner;
use super::token::{TokenKind, YamlToken};

/// The escapes in double quotes: the character after `\`, and its value.
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

impl TokenScanner {
    /// Scans a plain scalar, which continues over lines that are indented deeper than its parent.
    pub(super) fn plain(&mut self) -> YamlToken {
        let start = self.cursor.mark();
        let indent = self.indent.map_or(0, |indent| indent + 1);
        let (mut text, mut end, mut blanks) = (String::new(), start, String::new());

        // A `#` after whitespace begins a comment, which ends the scalar.
        while self.cursor.current() != '#' {
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
            // Blanks are kept only between words: those after the last are not part of the text.
            text.push_str(&blanks);
            self.cursor.take(length, &mut text);
            end = self.cursor.mark();
            blanks = self.plain_blanks();
            // The next line is indented no deeper than the parent, so it is another key or item.
            if blanks.is_empty() || self.cursor.column() < indent {
                break;
            }
        }

        let mut token = YamlToken::new(TokenKind::Scalar(text, true), start, end);
        // Blank lines after the text count as a comment.
        if blanks.starts_with('\n') {
            token.add_after();
        }

        token
    }

    /// The whitespace between two words of a plain scalar. Empty if the scalar ends.
    fn plain_blanks(&mut self) -> String {
        let mut blanks = String::new();
        let length = self.cursor.count_while(|c| c == ' ');
        self.cursor.take(length, &mut blanks);
        let Some(first) = self.cursor.line_break() else {
            return blanks;
        };

        self.key_allowed = true;
        // `...` ends the document even within a text.
        if self.cursor.at_document_end() {
            return String::new();
        }

        let mut breaks = String::new();
        loop {
            self.cursor.skip_while(|c| c == ' ');
            let Some(next) = self.cursor.line_break() else {
                break;
            };
            breaks.push(next);
            if self.cursor.at_document_end() {
                return String::new();
            }
        }

        folded(first, &breaks)
    }

    /// Scans a quoted scalar.
    pub(super) fn quoted(&mut self, double: bool) -> Result<YamlToken, YamlFault> {
        let start = self.cursor.mark();
        let quote = self.cursor.current();
        let mut text = String::new();
        self.cursor.advance(1);
        self.quoted_word(double, start, &mut text)?;
        // Words and blanks alternate, since line ends within the quotes are folded.
        while self.cursor.current() != quote {
            self.quoted_blanks(start, &mut text)?;
            self.quoted_word(double, start, &mut text)?;
        }

        self.cursor.advance(1);
        Ok(YamlToken::new(
            TokenKind::Scalar(text, false),
            start,
            self.cursor.mark(),
        ))
    }

    /// Scans up to the next whitespace or quote.
    fn quoted_word(
        &mut self,
        double: bool,
        start: YamlMark,
        text: &mut String,
    ) -> Result<(), YamlFault> {
        loop {
            let length = self
                .cursor
                .count_while(|c| !is_blank_or_end(c) && !matches!(c, '\'' | '"' | '\\'));
            self.cursor.take(length, text);
            match self.cursor.current() {
                // A doubled quote is the only escape in single quotes.
                '\'' if !double && self.cursor.peek(1) == '\'' => {
                    self.cursor.advance(2);
                    text.push('\'');
                }
                '\'' if double => self.cursor.take(1, text),
                '"' | '\\' if !double => self.cursor.take(1, text),
                '\\' => self.escape(start, text)?,
                _ => return Ok(()),
            }
        }
    }

    fn escape(&mut self, start: YamlMark, text: &mut String) -> Result<(), YamlFault> {
        let place = self.cursor.mark();
        self.cursor.advance(1);
        let c = self.cursor.current();

        if let Some((_, meant)) = ESCAPES.iter().find(|(written, _)| *written == c) {
            self.cursor.advance(1);
            text.push(*meant);
            return Ok(());
        }

        // An escaped line end is dropped, with the indentation of the next line.
        if self.cursor.line_break().is_some() {
            return self.quoted_breaks(start, text);
        }

        let digits = match c {
            'x' => 2,
            'u' => 4,
            'U' => 8,
            _ => {
                let problem = format!("found unknown escape character {}", python::repr_char(c));
                return Err(YamlFault::syntax(problem, place).with_context(IN_DOUBLE));
            }
        };

        self.cursor.advance(1);
        text.push(self.escaped_code(digits, place)?);
        Ok(())
    }

    /// The character with the code of `digits` hexadecimal digits.
    fn escaped_code(&mut self, digits: usize, place: YamlMark) -> Result<char, YamlFault> {
        if let Some(wrong) = (0..digits)
            .map(|ahead| self.cursor.peek(ahead))
            .find(|c| !c.is_ascii_hexdigit())
        {
            let found = python::repr_char(wrong);
            let problem = format!(
                "expected escape sequence of {digits} hexdecimal numbers, but found {found}"
            );
            return Err(YamlFault::syntax(problem, place).with_context(IN_DOUBLE));
        }

        let mut written = String::new();
        self.cursor.take(digits, &mut written);
        let code = u32::from_str_radix(&written, 16).expect("at most eight hexadecimal digits");
        // The validator does not catch Python's exception for a code above the last character.
        python::character(code)
            .ok_or_else(|| YamlFault::crash("ValueError: chr() arg not in range(0x110000)", place))
    }

    /// Scans whitespace and line ends in a quoted scalar.
    fn quoted_blanks(&mut self, start: YamlMark, text: &mut String) -> Result<(), YamlFault> {
        let length = self.cursor.count_while(is_blank);
        let mut blanks = String::new();
        self.cursor.take(length, &mut blanks);

        // Reported at the opening quote: the end of the text says nothing about the cause.
        if self.cursor.current() == END {
            return Err(
                YamlFault::syntax("found unexpected end of stream", start).with_context(IN_QUOTES)
            );
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

    /// Scans empty lines in a quoted scalar, and the indentation after them.
    fn quoted_breaks(&mut self, start: YamlMark, text: &mut String) -> Result<(), YamlFault> {
        loop {
            if self.cursor.at_document_end() {
                return Err(
                    YamlFault::syntax("found unexpected document separator", start)
                        .with_context(IN_QUOTES),
                );
            }
            self.cursor.skip_while(is_blank);
            match self.cursor.line_break() {
                Some(c) => text.push(c),
                None => return Ok(()),
            }
        }
    }

    /// Scans a block scalar, after `|` or, if lines are folded, `>`.
    pub(super) fn block(&mut self, is_folded: bool) -> Result<YamlToken, YamlFault> {
        let start = self.cursor.mark();
        self.cursor.advance(1);
        let header = self.block_header()?;
        let commented = self.block_header_end()?;

        let mut block = self.block_start(&header);
        self.block_lines(&mut block, is_folded);
        block.chomp(header.keep);

        let scalar = TokenKind::Scalar(block.text, false);
        let mut token = YamlToken::new(scalar, start, block.end);
        if commented {
            token.comments.get_or_insert_default().before = true;
        }
        // Blank lines that the text does not keep count as a comment after it.
        if header.keep != Some(true) && !block.breaks.is_empty() {
            while self.skip_to_token().is_some() {}
            token.add_after();
        }

        Ok(token)
    }

    /// Finds the column of a block's lines: the first line's, unless the header declares it.
    fn block_start(&mut self, header: &BlockHeader) -> BlockText {
        let margin = self.indent.map_or(0, |indent| indent + 1);
        let (indent, breaks, end) = match header.indent {
            None => {
                let (breaks, deepest, end) = self.block_indentation();
                (margin.max(deepest), breaks, end)
            }
            Some(more) => {
                // The declared number is relative to the parent's column, which is 0 at the root.
                let indent = margin.max(1) + more - 1;
                let (breaks, end) = self.block_breaks(indent);
                (indent, breaks, end)
            }
        };

        BlockText {
            indent,
            at_root: header.indent.is_none() && margin == 0,
            text: String::new(),
            last: None,
            breaks,
            end,
        }
    }

    /// Scans the lines of a block, up to the first that is indented less.
    fn block_lines(&mut self, block: &mut BlockText, is_folded: bool) {
        while self.cursor.column() == block.indent && self.cursor.current() != END {
            block.text.push_str(&block.breaks);
            let continues = !is_blank(self.cursor.current());
            let length = self.cursor.count_while(|c| !is_end(c));
            self.cursor.take(length, &mut block.text);
            block.last = self.cursor.line_break();
            (block.breaks, block.end) = self.block_breaks(block.indent);

            // At the root no line is indented less than the block, so `...` has to end it.
            let ended = block.at_root && self.cursor.column() == 0 && self.cursor.at_document_end();
            if ended || self.cursor.column() != block.indent || self.cursor.current() == END {
                return;
            }

            // Lines that are indented further are not folded.
            if is_folded
                && block.last == Some('\n')
                && continues
                && !is_blank(self.cursor.current())
            {
                if block.breaks.is_empty() {
                    block.text.push(' ');
                }
            } else {
                block.text.extend(block.last);
            }
        }
    }

    fn block_header(&mut self) -> Result<BlockHeader, YamlFault> {
        let mut header = BlockHeader {
            keep: None,
            indent: None,
        };
        self.block_chomping(&mut header);

        if let Some(digit) = self.cursor.current().to_digit(10) {
            // The indicator is the number of spaces to skip, and a block must be indented.
            if digit == 0 {
                let problem = "expected indentation indicator in the range 1-9, but found 0";
                return Err(YamlFault::syntax(problem, self.cursor.mark()).with_context(IN_BLOCK));
            }
            header.indent = Some(digit as usize);
            self.cursor.advance(1);
            // The two indicators may be in either order.
            if header.keep.is_none() {
                self.block_chomping(&mut header);
            }
        }

        let c = self.cursor.current();
        // A tab is not allowed here, unlike in the standard.
        if c != ' ' && !is_end(c) {
            let found = python::repr_char(c);
            let problem = format!("expected chomping or indentation indicators, but found {found}");
            return Err(YamlFault::syntax(problem, self.cursor.mark()).with_context(IN_BLOCK));
        }

        Ok(header)
    }

    fn block_chomping(&mut self, header: &mut BlockHeader) {
        header.keep = match self.cursor.current() {
            '+' => Some(true),
            '-' => Some(false),
            _ => return,
        };
        self.cursor.advance(1);
    }

    /// Scans the rest of the header line; returns whether it has a comment.
    fn block_header_end(&mut self) -> Result<bool, YamlFault> {
        self.cursor.skip_while(|c| c == ' ');
        let commented = self.cursor.current() == '#';
        if commented {
            self.cursor.skip_while(|c| !is_end(c));
        }

        let c = self.cursor.current();
        if !is_end(c) {
            let problem = format!(
                "expected a comment or a line break, but found {}",
                python::repr_char(c)
            );
            return Err(YamlFault::syntax(problem, self.cursor.mark()).with_context(IN_BLOCK));
        }

        self.cursor.line_break();
        Ok(commented)
    }

    /// The empty lines before a block's first line, their deepest column, and their end.
    fn block_indentation(&mut self) -> (String, usize, YamlMark) {
        let (mut breaks, mut deepest, mut end) = (String::new(), 0, self.cursor.mark());
        loop {
            if let Some(c) = self.cursor.line_break() {
                breaks.push(c);
                end = self.cursor.mark();
            } else if self.cursor.current() == ' ' {
                self.cursor.advance(1);
                deepest = deepest.max(self.cursor.column());
            } else {
                return (breaks, deepest, end);
            }
        }
    }

    /// Scans empty lines, and the indentation of the line after them.
    fn block_breaks(&mut self, indent: usize) -> (String, YamlMark) {
        let (mut breaks, mut end) = (String::new(), self.cursor.mark());
        loop {
            while self.cursor.column() < indent && self.cursor.current() == ' ' {
                self.cursor.advance(1);
            }
            if !is_break(self.cursor.current()) {
                return (breaks, end);
            }
            breaks.extend(self.cursor.line_break());
            end = self.cursor.mark();
        }
    }
}

/// The indicators after `|` or `>`.
struct BlockHeader {
    /// Whether all trailing line ends are kept (`+`) or none (`-`).
    keep: Option<bool>,
    /// The indentation of the block relative to its parent.
    indent: Option<usize>,
}

/// A block scalar while its lines are scanned.
struct BlockText {
    /// The column of its lines.
    indent: usize,
    /// Whether it is in no collection, and its column is not declared.
    at_root: bool,
    text: String,
    /// The end of the last line, which is not part of the text yet.
    last: Option<char>,
    /// The empty lines after it.
    breaks: String,
    end: YamlMark,
}

impl BlockText {
    /// Adds the line ends that the header keeps: all (`+`), none (`-`), or by default the first.
    fn chomp(&mut self, keep: Option<bool>) {
        if keep != Some(false) {
            self.text.extend(self.last);
        }
        if keep == Some(true) {
            self.text.push_str(&self.breaks);
        }
    }
}

/// Folds a line end within a text and the empty lines after it.
fn folded(first: char, breaks: &str) -> String {
    match first {
        '\n' if breaks.is_empty() => " ".to_owned(),
        '\n' => breaks.to_owned(),
        _ => format!("{first}{breaks}"),
    }
}
