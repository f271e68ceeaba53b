//! Scans text into tokens, as far ahead as necessary to know whether a scalar is a key.
//!
//! A key is recognized by the `:` after it, so a candidate is remembered ([`PossibleKey`]) and, at the `:`, a key token is
//! inserted before it. Comments are tokens too; they are attached to their neighbors when tokens are consumed. The amount
//! and the time of lookahead determine which of two errors is reported and how comments collide, so they are part of the
//! verdict.

use std::collections::VecDeque;

use super::super::python;
use super::YamlFault;
use super::cursor::{CharCursor, END, YamlMark, is_blank_or_end, is_break, is_end};
use super::token::{TokenKind, YamlToken};

/// The longest key without `?`, in characters.
const KEY_MAX: usize = 1024;

pub(super) struct TokenScanner {
    pub(super) cursor: CharCursor,
    tokens: VecDeque<YamlToken>,
    /// The number of consumed tokens, including comments.
    taken: usize,
    done: bool,
    /// The column of the open collection; `None` outside of all.
    pub(super) indent: Option<usize>,
    indents: Vec<Option<usize>>,
    /// Whether a key is allowed here.
    pub(super) key_allowed: bool,
    possible_key: Option<PossibleKey>,
}

/// A token that becomes a key if `:` follows on the same line.
struct PossibleKey {
    /// Its token's number, counted from the start.
    number: usize,
    /// Whether only a key is allowed there.
    required: bool,
    mark: YamlMark,
}

impl TokenScanner {
    pub(super) fn new(text: Vec<char>) -> Self {
        let start = YamlToken::at(TokenKind::StreamStart, YamlMark::default());
        TokenScanner {
            cursor: CharCursor::new(text),
            tokens: VecDeque::from([start]),
            taken: 0,
            done: false,
            indent: None,
            indents: Vec::new(),
            key_allowed: true,
            possible_key: None,
        }
    }

    /// The next token, without consuming it.
    pub(super) fn peek(&mut self) -> Result<&mut YamlToken, YamlFault> {
        // Until the first token is certain: what follows may turn it into a key.
        while self.needs_more()? {
            self.fetch()?;
        }
        self.gather_comments()?;
        let mark = self.cursor.mark();
        self.tokens
            .front_mut()
            .ok_or_else(|| YamlFault::crash("nothing follows", mark))
    }

    /// Consumes the next token, with the comments after it attached.
    pub(super) fn next(&mut self) -> Result<YamlToken, YamlFault> {
        self.peek()?;

        let takes_comments = match (self.tokens.front(), self.tokens.get(1)) {
            (Some(token), Some(comment)) if comment.is(&TokenKind::Comment) => {
                // Only a comment after a scalar, or on the line of a `:`, belongs to the token
                // before it.
                token.is_scalar()
                    || (token.is(&TokenKind::Value) && token.end.line == comment.start.line)
            }
            _ => false,
        };

        if takes_comments {
            while self
                .tokens
                .get(1)
                .is_some_and(|token| token.is(&TokenKind::Comment))
            {
                self.taken += 1;
                // Removed tokens are counted, because the numbers of possible keys include them.
                self.tokens.remove(1);
                self.fetch()?;
            }
            // Their text does not matter, and any number of them is one comment.
            self.tokens[0].add_after();
        }

        self.taken += 1;
        Ok(self.tokens.pop_front().expect("`peek` ensures a token"))
    }

    /// Attaches comments at the front to the token after them; scans one token further ahead.
    fn gather_comments(&mut self) -> Result<(), YamlFault> {
        let mut any = false;
        loop {
            if self
                .tokens
                .front()
                .is_some_and(|token| token.is(&TokenKind::Comment))
            {
                self.tokens.pop_front();
                self.taken += 1;
                any = true;
            }
            if !self.needs_more()? {
                break;
            }
            self.fetch()?;
        }

        let mark = self.cursor.mark();
        if any {
            let front = self
                .tokens
                .front_mut()
                .ok_or_else(|| YamlFault::crash("nothing follows a comment", mark))?;
            let comments = front.comments.get_or_insert_default();
            // The validator asserts that there is none.
            if comments.before {
                return Err(YamlFault::crash(
                    "AssertionError: comments before a block that has one",
                    front.start,
                ));
            }
            comments.before = true;
        }

        // One token more than necessary, as the validator does: this determines which error comes first.
        if !self.done && self.tokens.len() < 2 {
            self.fetch()?;
        }
        Ok(())
    }

    fn needs_more(&mut self) -> Result<bool, YamlFault> {
        if self.done {
            return Ok(false);
        }
        if self.tokens.is_empty() {
            return Ok(true);
        }

        self.forget_stale_key()?;
        // A token that may turn out to be a key must not be returned yet.
        Ok(self
            .possible_key
            .as_ref()
            .is_some_and(|key| key.number == self.taken))
    }

    /// Adds at least one token.
    fn fetch(&mut self) -> Result<(), YamlFault> {
        if let Some(comment) = self.skip_to_token() {
            self.tokens.push_back(comment);
            return Ok(());
        }

        // Both depend on the line and the column of the next token, so they come before it.
        self.forget_stale_key()?;
        self.close_collections(Some(self.cursor.column()));

        let at_margin = self.cursor.column() == 0;
        match self.cursor.current() {
            END => self.fetch_end(),
            '%' if at_margin => self.fetch_directive(),
            '.' if at_margin && self.cursor.at_document_end() => self.fetch_document_end(),
            c => self.fetch_token(c),
        }
    }

    /// Scans the token within a document that begins with this character.
    fn fetch_token(&mut self, c: char) -> Result<(), YamlFault> {
        // `-`, `?` and `:` are indicators only before whitespace: `-x` is text.
        let indicates = is_blank_or_end(self.cursor.peek(1));
        match c {
            '[' | '{' => self.fetch_flow(TokenKind::FlowStart(c)),
            ']' | '}' | ',' => self.fetch_flow(TokenKind::FlowRest(c)),
            '-' if indicates => {
                self.fetch_indicator(TokenKind::Entry, "sequence entries are not allowed here")
            }
            '?' if indicates => {
                self.fetch_indicator(TokenKind::Key, "mapping keys are not allowed here")
            }
            ':' if indicates => self.fetch_value(),
            '*' => self.fetch_alias(),
            '&' => self.fetch_anchor(),
            '!' => self.fetch_tag(),
            '|' => self.fetch_block(false),
            '>' => self.fetch_block(true),
            '\'' => self.fetch_scalar(|scanner| scanner.quoted(false)),
            '"' => self.fetch_scalar(|scanner| scanner.quoted(true)),
            c if starts_plain(c) || (matches!(c, '-' | '?' | ':') && !indicates) => {
                self.fetch_scalar(|scanner| Ok(scanner.plain()))
            }
            c => Err(self.unexpected_character(c)),
        }
    }

    /// The error for a character that begins no token: a tab, `@`, a backtick, or `%` after the margin.
    fn unexpected_character(&self, c: char) -> YamlFault {
        let problem = format!(
            "found character {} that cannot start any token",
            python::repr_char(c)
        );
        let kind = if c == '\t' {
            super::FaultKind::Tab
        } else {
            super::FaultKind::Syntax
        };

        YamlFault::new(kind, problem, self.cursor.mark())
            .with_context("while scanning for the next token")
    }

    /// Skips whitespace; stops after a comment, or after blank lines, which count as a comment.
    pub(super) fn skip_to_token(&mut self) -> Option<YamlToken> {
        // Python's reader keeps a byte order mark, and the scanner skips it.
        if self.cursor.mark().index == 0 && self.cursor.current() == '\u{feff}' {
            self.cursor.advance(1);
        }
        loop {
            self.cursor.skip_while(|c| c == ' ');
            if self.cursor.current() == '#' {
                return Some(self.comment());
            }
            // Without a line break a token begins here, and there is no comment to return.
            self.cursor.line_break()?;
            self.key_allowed = true;
            // Blank lines are kept as a comment, to be written back later.
            if self.cursor.current() == '\n' {
                let start = self.cursor.mark();
                // Spaces and tabs at the beginning of later lines belong to the blank lines.
                self.cursor
                    .skip_while(|c| is_break(c) || matches!(c, ' ' | '\t'));
                return Some(YamlToken::new(
                    TokenKind::Comment,
                    start,
                    self.cursor.mark(),
                ));
            }
        }
    }

    /// Scans a comment with its line end and the blank lines after it.
    fn comment(&mut self) -> YamlToken {
        let start = self.cursor.mark();
        self.cursor.skip_while(|c| !is_end(c));
        self.cursor.skip_while(is_break);
        self.key_allowed = true;
        YamlToken::new(TokenKind::Comment, start, self.cursor.mark())
    }

    fn fetch_end(&mut self) -> Result<(), YamlFault> {
        self.close_collections(None);
        self.forget_key()?;
        self.key_allowed = false;
        self.tokens
            .push_back(YamlToken::at(TokenKind::StreamEnd, self.cursor.mark()));
        self.done = true;
        Ok(())
    }

    /// Scans a line that begins with `%`. No document can follow it, since `---` ends the frontmatter.
    fn fetch_directive(&mut self) -> Result<(), YamlFault> {
        self.close_collections(None);
        self.forget_key()?;
        self.key_allowed = false;
        let start = self.cursor.mark();
        self.cursor.advance(1);

        let length = self
            .cursor
            .count_while(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | ':' | '.'));
        let next = self.cursor.peek(length);
        if length == 0 || !(next == ' ' || is_end(next)) {
            let problem = format!(
                "expected alphabetic or numeric character, but found {}",
                python::repr_char(next)
            );
            return Err(
                YamlFault::syntax(problem, start).with_context("while scanning a directive")
            );
        }

        self.cursor.skip_while(|c| !is_end(c));
        self.cursor.line_break();
        self.tokens.push_back(YamlToken::new(
            TokenKind::Directive,
            start,
            self.cursor.mark(),
        ));
        Ok(())
    }

    fn fetch_document_end(&mut self) -> Result<(), YamlFault> {
        self.close_collections(None);
        self.forget_key()?;
        self.key_allowed = false;
        self.push_indicator(TokenKind::DocumentEnd, 3);
        Ok(())
    }

    /// Scans flow style, which is never allowed: nothing after it is read.
    fn fetch_flow(&mut self, kind: TokenKind) -> Result<(), YamlFault> {
        let closing = match kind {
            TokenKind::FlowRest(_) => {
                self.forget_key()?;
                None
            }
            TokenKind::FlowStart('[') => Some(']'),
            _ => Some('}'),
        };

        // A whole collection may be a key: `[a, b]: c`.
        if closing.is_some() {
            self.remember_key()?;
        }

        self.push_indicator(kind, 1);
        self.finish_at(closing)
    }

    /// Scans `-` or `?`.
    fn fetch_indicator(&mut self, kind: TokenKind, problem: &str) -> Result<(), YamlFault> {
        if !self.key_allowed {
            return Err(YamlFault::syntax(problem, self.cursor.mark()));
        }

        if self.open_collection(self.cursor.column()) {
            // The first `-` or `?` of a column opens its collection.
            let start = if kind == TokenKind::Key {
                TokenKind::MappingStart
            } else {
                TokenKind::SequenceStart
            };
            self.tokens
                .push_back(YamlToken::at(start, self.cursor.mark()));
        }

        self.key_allowed = true;
        self.forget_key()?;
        self.push_indicator(kind, 1);
        Ok(())
    }

    /// Scans `:`, which turns the token before it into a key.
    fn fetch_value(&mut self) -> Result<(), YamlFault> {
        if let Some(key) = self.possible_key.take() {
            self.insert_key(&key);
            self.key_allowed = false;
        } else {
            if !self.key_allowed {
                return Err(YamlFault::syntax(
                    "mapping values are not allowed here",
                    self.cursor.mark(),
                ));
            }

            if self.open_collection(self.cursor.column()) {
                self.tokens
                    .push_back(YamlToken::at(TokenKind::MappingStart, self.cursor.mark()));
            }
            self.key_allowed = true;
        }

        self.push_indicator(TokenKind::Value, 1);
        Ok(())
    }

    fn insert_key(&mut self, key: &PossibleKey) {
        // Before the token that has turned out to be the key.
        let place = key.number.saturating_sub(self.taken).min(self.tokens.len());
        self.tokens
            .insert(place, YamlToken::at(TokenKind::Key, key.mark));
        if self.open_collection(key.mark.column) {
            self.tokens
                .insert(place, YamlToken::at(TokenKind::MappingStart, key.mark));
        }
    }

    fn fetch_alias(&mut self) -> Result<(), YamlFault> {
        self.remember_key()?;
        let start = self.cursor.mark();
        let name = self.anchor_name("while scanning an alias", start)?;
        self.tokens.push_back(YamlToken::new(
            TokenKind::Alias(name),
            start,
            self.cursor.mark(),
        ));
        self.finish_at(None)
    }

    fn fetch_anchor(&mut self) -> Result<(), YamlFault> {
        self.remember_key()?;
        let start = self.cursor.mark();
        self.anchor_name("while scanning an anchor", start)?;
        self.tokens
            .push_back(YamlToken::new(TokenKind::Anchor, start, self.cursor.mark()));
        self.finish_at(None)
    }

    /// Stops scanning, after checking only whether the last token is a key: whether a `:` follows on its line, after
    /// `closing` if there is one.
    fn finish_at(&mut self, closing: Option<char>) -> Result<(), YamlFault> {
        self.done = true;

        // The validator rejects the text here, but first decides whether this is a key: both are
        // errors, and differ.
        let rest = self.cursor.count_while(|c| !is_end(c));
        let begin = match closing {
            Some(closing) => (0..rest)
                .rev()
                .find(|&ahead| self.cursor.peek(ahead) == closing)
                .unwrap_or(rest),
            None => 0,
        };

        let is_value =
            |ahead| self.cursor.peek(ahead) == ':' && is_blank_or_end(self.cursor.peek(ahead + 1));
        if (begin..rest).any(is_value)
            && let Some(key) = self.possible_key.take()
        {
            self.insert_key(&key);
        }

        self.forget_key()
    }

    /// Scans a tag: everything up to whitespace.
    fn fetch_tag(&mut self) -> Result<(), YamlFault> {
        self.remember_key()?;
        let width = self.cursor.count_while(|c| !is_blank_or_end(c));
        self.push_indicator(TokenKind::Tag, width);
        self.finish_at(None)
    }

    fn anchor_name(&mut self, context: &'static str, start: YamlMark) -> Result<String, YamlFault> {
        self.cursor.advance(1);
        let length = self.cursor.count_while(|c| {
            let named = matches!(c, '!'..='~' | '\u{a0}'..='\u{fffd}' | '\u{10000}'..);
            // Brackets and commas end a name even outside of flow style.
            named && !matches!(c, ',' | '[' | ']' | '{' | '}' | '\u{feff}')
        });
        let mut name = String::new();
        self.cursor.take(length, &mut name);

        let next = self.cursor.current();
        if length == 0 || !(is_blank_or_end(next) || matches!(next, ',' | '[' | ']' | '{' | '}')) {
            let problem = format!(
                "expected alphabetic or numeric character, but found {}",
                python::repr_char(next)
            );
            return Err(YamlFault::syntax(problem, start).with_context(context));
        }
        Ok(name)
    }

    fn fetch_block(&mut self, folded: bool) -> Result<(), YamlFault> {
        self.key_allowed = true;
        self.forget_key()?;
        // A block scalar cannot be a key.
        let scalar = self.block(folded)?;
        self.tokens.push_back(scalar);
        Ok(())
    }

    fn fetch_scalar(
        &mut self,
        scan: impl Fn(&mut Self) -> Result<YamlToken, YamlFault>,
    ) -> Result<(), YamlFault> {
        self.remember_key()?;
        self.key_allowed = false;
        let scalar = scan(self)?;
        self.tokens.push_back(scalar);
        Ok(())
    }

    fn push_indicator(&mut self, kind: TokenKind, width: usize) {
        let start = self.cursor.mark();
        self.cursor.advance(width);
        self.tokens
            .push_back(YamlToken::new(kind, start, self.cursor.mark()));
    }

    /// Remembers that a key may begin here.
    fn remember_key(&mut self) -> Result<(), YamlFault> {
        if !self.key_allowed {
            return Ok(());
        }

        self.forget_key()?;
        // In the column of the open collection only a key is allowed.
        let required = self.indent == Some(self.cursor.column());
        // Counted from the start of the text, so that it stays valid when tokens are consumed.
        let number = self.taken + self.tokens.len();
        self.possible_key = Some(PossibleKey {
            number,
            required,
            mark: self.cursor.mark(),
        });
        Ok(())
    }

    /// Discards the possible key.
    fn forget_key(&mut self) -> Result<(), YamlFault> {
        match self.possible_key.take() {
            // In the column of the open mapping only `key:` is allowed, so text without `:` is an
            // error.
            Some(key) if key.required => {
                Err(YamlFault::syntax("could not find expected ':'", key.mark)
                    .with_context("while scanning a simple key"))
            }
            _ => Ok(()),
        }
    }

    /// Discards the possible key if its line has ended or it is too long.
    fn forget_stale_key(&mut self) -> Result<(), YamlFault> {
        let here = self.cursor.mark();
        match &self.possible_key {
            Some(key) if key.mark.line != here.line || here.index - key.mark.index > KEY_MAX => {
                self.forget_key()
            }
            _ => Ok(()),
        }
    }

    /// Closes collections that are indented deeper than `column`; all, for `None`.
    fn close_collections(&mut self, column: Option<usize>) {
        // `None` is less than every column.
        while self.indent > column {
            self.indent = self.indents.pop().flatten();
            self.tokens
                .push_back(YamlToken::at(TokenKind::BlockEnd, self.cursor.mark()));
        }
    }

    /// Opens a collection at `column`, if none is open there.
    fn open_collection(&mut self, column: usize) -> bool {
        if self.indent >= Some(column) {
            return false;
        }
        self.indents.push(self.indent.replace(column));
        true
    }
}

/// Whether a plain scalar may start with the character, whatever follows.
fn starts_plain(c: char) -> bool {
    !is_blank_or_end(c)
        && !matches!(
            c,
            '-' | '?'
                | ':'
                | ','
                | '['
                | ']'
                | '{'
                | '}'
                | '#'
                | '&'
                | '*'
                | '!'
                | '|'
                | '>'
                | '\''
                | '"'
                | '%'
                | '@'
                | '`'
        )
}
