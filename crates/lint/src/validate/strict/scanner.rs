//! Text in, tokens out, as far ahead as it takes to know whether a text is a key.
//!
//! A key is known by the `:` after it, so what may be one is remembered ([`PossibleKey`]) and, when the `:` comes, gets a
//! key token put before it. Comments are tokens too; what asks for tokens hangs them on their neighbours. How far is
//! looked ahead, and when, decides which of two faults is told and how comments collide, so it is part of the verdict.

use std::collections::VecDeque;

use super::super::python;
use super::Fault;
use super::cursor::{Cursor, END, Mark, is_blank_or_end, is_break, is_end};
use super::token::{Kind, Token};

/// Longest key that is known by the `:` after it, in characters.
const KEY_MAX: usize = 1024;

pub(super) struct Scanner {
    pub(super) cursor: Cursor,
    tokens: VecDeque<Token>,
    /// How many tokens were handed out, comments included.
    taken: usize,
    done: bool,
    /// The column of the collection that is open; `None` outside of all.
    pub(super) indent: Option<usize>,
    indents: Vec<Option<usize>>,
    /// Whether a key may stand here.
    pub(super) key_allowed: bool,
    possible_key: Option<PossibleKey>,
}

/// What will have been a key if `:` follows on the same line.
struct PossibleKey {
    /// Its token's number, counted from the start.
    number: usize,
    /// Whether nothing but a key may stand there.
    required: bool,
    mark: Mark,
}

impl Scanner {
    pub(super) fn new(text: Vec<char>) -> Self {
        let start = Token::at(Kind::StreamStart, Mark::default());
        Scanner {
            cursor: Cursor::new(text),
            tokens: VecDeque::from([start]),
            taken: 0,
            done: false,
            indent: None,
            indents: Vec::new(),
            key_allowed: true,
            possible_key: None,
        }
    }

    /// The next token, which stays the next.
    pub(super) fn peek(&mut self) -> Result<&mut Token, Fault> {
        while self.needs_more()? {
            self.fetch()?;
        }
        self.gather_comments()?;
        let mark = self.cursor.mark();
        self.tokens.front_mut().ok_or_else(|| Fault::crash("nothing follows", mark))
    }

    /// The next token, with the comments that follow it hung on it.
    pub(super) fn next(&mut self) -> Result<Token, Fault> {
        self.peek()?;
        let takes_comments = match (self.tokens.front(), self.tokens.get(1)) {
            (Some(token), Some(comment)) if comment.is(&Kind::Comment) => {
                token.is_scalar() || (token.is(&Kind::Value) && token.end.line == comment.start.line)
            }
            _ => false,
        };
        if takes_comments {
            while self.tokens.get(1).is_some_and(|token| token.is(&Kind::Comment)) {
                self.taken += 1;
                self.tokens.remove(1);
                self.fetch()?;
            }
            self.tokens[0].add_after();
        }
        self.taken += 1;
        Ok(self.tokens.pop_front().expect("`peek` has seen one"))
    }

    /// Takes comments off the front and hangs them before what follows; looks one token further ahead.
    fn gather_comments(&mut self) -> Result<(), Fault> {
        let mut any = false;
        loop {
            if self.tokens.front().is_some_and(|token| token.is(&Kind::Comment)) {
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
            let front = self.tokens.front_mut().ok_or_else(|| Fault::crash("nothing follows a comment", mark))?;
            let comments = front.comments.get_or_insert_default();
            if comments.before {
                return Err(Fault::crash("AssertionError: comments before a block that has one", front.start));
            }
            comments.before = true;
        }
        if !self.done && self.tokens.len() < 2 {
            self.fetch()?;
        }
        Ok(())
    }

    fn needs_more(&mut self) -> Result<bool, Fault> {
        if self.done {
            return Ok(false);
        }
        if self.tokens.is_empty() {
            return Ok(true);
        }
        self.forget_stale_key()?;
        Ok(self.possible_key.as_ref().is_some_and(|key| key.number == self.taken))
    }

    /// Adds at least one token.
    fn fetch(&mut self) -> Result<(), Fault> {
        if let Some(comment) = self.skip_to_token() {
            self.tokens.push_back(comment);
            return Ok(());
        }
        self.forget_stale_key()?;
        self.unwind(Some(self.cursor.column()));
        let at_margin = self.cursor.column() == 0;
        let indicates = is_blank_or_end(self.cursor.peek(1));
        match self.cursor.here() {
            END => self.fetch_end(),
            '%' if at_margin => self.fetch_directive(),
            '.' if at_margin && self.cursor.at_dots() => self.fetch_document_end(),
            c @ ('[' | '{') => self.fetch_last(Kind::FlowStart(c)),
            c @ (']' | '}' | ',') => self.fetch_last(Kind::FlowRest(c)),
            '-' if indicates => self.fetch_indicator(Kind::Entry, "sequence entries are not allowed here"),
            '?' if indicates => self.fetch_indicator(Kind::Key, "mapping keys are not allowed here"),
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
            c => {
                let problem = format!("found character {} that cannot start any token", python::repr_char(c));
                let kind = if c == '\t' { super::Kind::Tab } else { super::Kind::Syntax };
                Err(Fault::new(kind, problem, self.cursor.mark()).within("while scanning for the next token"))
            }
        }
    }

    /// Skips blanks; stops after a comment, or after blank lines, which are one.
    pub(super) fn skip_to_token(&mut self) -> Option<Token> {
        if self.cursor.mark().index == 0 && self.cursor.here() == '\u{feff}' {
            self.cursor.forward(1);
        }
        loop {
            self.cursor.skip(|c| c == ' ');
            if self.cursor.here() == '#' {
                return Some(self.comment());
            }
            self.cursor.line_break()?;
            self.key_allowed = true;
            if self.cursor.here() == '\n' {
                let start = self.cursor.mark();
                // Blanks, and tabs among them, at the beginning of later lines belong to the blank lines.
                self.cursor.skip(|c| is_break(c) || matches!(c, ' ' | '\t'));
                return Some(Token::new(Kind::Comment, start, self.cursor.mark()));
            }
        }
    }

    /// A comment with its line end and the blank lines after it.
    fn comment(&mut self) -> Token {
        let start = self.cursor.mark();
        self.cursor.skip(|c| !is_end(c));
        self.cursor.skip(is_break);
        self.key_allowed = true;
        Token::new(Kind::Comment, start, self.cursor.mark())
    }

    fn fetch_end(&mut self) -> Result<(), Fault> {
        self.unwind(None);
        self.forget_key()?;
        self.key_allowed = false;
        self.tokens.push_back(Token::at(Kind::StreamEnd, self.cursor.mark()));
        self.done = true;
        Ok(())
    }

    /// A line that begins with `%`. No document can follow it, since none can begin with `---`.
    fn fetch_directive(&mut self) -> Result<(), Fault> {
        self.unwind(None);
        self.forget_key()?;
        self.key_allowed = false;
        let start = self.cursor.mark();
        self.cursor.forward(1);
        let length = self.cursor.run(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | ':' | '.'));
        let next = self.cursor.peek(length);
        if length == 0 || !(next == ' ' || is_end(next)) {
            let problem = format!("expected alphabetic or numeric character, but found {}", python::repr_char(next));
            return Err(Fault::syntax(problem, start).within("while scanning a directive"));
        }
        self.cursor.skip(|c| !is_end(c));
        self.cursor.line_break();
        self.tokens.push_back(Token::new(Kind::Directive, start, self.cursor.mark()));
        Ok(())
    }

    fn fetch_document_end(&mut self) -> Result<(), Fault> {
        self.unwind(None);
        self.forget_key()?;
        self.key_allowed = false;
        self.push_indicator(Kind::DocumentEnd, 3);
        Ok(())
    }

    /// What no text may have: nothing after it is looked at.
    fn fetch_last(&mut self, kind: Kind) -> Result<(), Fault> {
        let closing = match kind {
            Kind::FlowRest(_) => {
                self.forget_key()?;
                None
            }
            Kind::FlowStart('[') => Some(']'),
            _ => Some('}'),
        };
        if closing.is_some() {
            self.remember_key()?;
        }
        self.push_indicator(kind, 1);
        self.end_with(closing)
    }

    /// `-` or `?`.
    fn fetch_indicator(&mut self, kind: Kind, not_here: &str) -> Result<(), Fault> {
        if !self.key_allowed {
            return Err(Fault::syntax(not_here, self.cursor.mark()));
        }
        if self.deepen(self.cursor.column()) {
            let start = if kind == Kind::Key { Kind::MappingStart } else { Kind::SequenceStart };
            self.tokens.push_back(Token::at(start, self.cursor.mark()));
        }
        self.key_allowed = true;
        self.forget_key()?;
        self.push_indicator(kind, 1);
        Ok(())
    }

    /// `:`, which makes a key of what stands before it.
    fn fetch_value(&mut self) -> Result<(), Fault> {
        if let Some(key) = self.possible_key.take() {
            self.insert_key(&key);
            self.key_allowed = false;
        } else {
            if !self.key_allowed {
                return Err(Fault::syntax("mapping values are not allowed here", self.cursor.mark()));
            }
            if self.deepen(self.cursor.column()) {
                self.tokens.push_back(Token::at(Kind::MappingStart, self.cursor.mark()));
            }
            self.key_allowed = true;
        }
        self.push_indicator(Kind::Value, 1);
        Ok(())
    }

    fn insert_key(&mut self, key: &PossibleKey) {
        let place = key.number.saturating_sub(self.taken).min(self.tokens.len());
        self.tokens.insert(place, Token::at(Kind::Key, key.mark));
        if self.deepen(key.mark.column) {
            self.tokens.insert(place, Token::at(Kind::MappingStart, key.mark));
        }
    }

    fn fetch_alias(&mut self) -> Result<(), Fault> {
        self.remember_key()?;
        let start = self.cursor.mark();
        let name = self.anchor_name("while scanning an alias", start)?;
        self.tokens.push_back(Token::new(Kind::Alias(name), start, self.cursor.mark()));
        self.end_with(None)
    }

    fn fetch_anchor(&mut self) -> Result<(), Fault> {
        self.remember_key()?;
        let start = self.cursor.mark();
        self.anchor_name("while scanning an anchor", start)?;
        self.tokens.push_back(Token::new(Kind::Anchor, start, self.cursor.mark()));
        self.end_with(None)
    }

    /// Looks at no more than whether what was pushed last is a key: whether a `:` follows it on its line, and
    /// `closing` stands between.
    fn end_with(&mut self, closing: Option<char>) -> Result<(), Fault> {
        self.done = true;
        let rest = self.cursor.run(|c| !is_end(c));
        let begin = match closing {
            Some(closing) => (0..rest).rev().find(|&ahead| self.cursor.peek(ahead) == closing).unwrap_or(rest),
            None => 0,
        };
        let is_value = |ahead| self.cursor.peek(ahead) == ':' && is_blank_or_end(self.cursor.peek(ahead + 1));
        if (begin..rest).any(is_value)
            && let Some(key) = self.possible_key.take()
        {
            self.insert_key(&key);
        }
        self.forget_key()
    }

    /// A tag: all that follows without a blank.
    fn fetch_tag(&mut self) -> Result<(), Fault> {
        self.remember_key()?;
        let width = self.cursor.run(|c| !is_blank_or_end(c));
        self.push_indicator(Kind::Tag, width);
        self.end_with(None)
    }

    fn anchor_name(&mut self, context: &'static str, start: Mark) -> Result<String, Fault> {
        self.cursor.forward(1);
        let length = self.cursor.run(|c| {
            let named = matches!(c, '!'..='~' | '\u{a0}'..='\u{fffd}' | '\u{10000}'..);
            named && !matches!(c, ',' | '[' | ']' | '{' | '}' | '\u{feff}')
        });
        let mut name = String::new();
        self.cursor.take(length, &mut name);
        let next = self.cursor.here();
        if length == 0 || !(is_blank_or_end(next) || matches!(next, ',' | '[' | ']' | '{' | '}')) {
            let problem = format!("expected alphabetic or numeric character, but found {}", python::repr_char(next));
            return Err(Fault::syntax(problem, start).within(context));
        }
        Ok(name)
    }

    fn fetch_block(&mut self, folded: bool) -> Result<(), Fault> {
        self.key_allowed = true;
        self.forget_key()?;
        let scalar = self.block(folded)?;
        self.tokens.push_back(scalar);
        Ok(())
    }

    fn fetch_scalar(&mut self, scan: impl Fn(&mut Self) -> Result<Token, Fault>) -> Result<(), Fault> {
        self.remember_key()?;
        self.key_allowed = false;
        let scalar = scan(self)?;
        self.tokens.push_back(scalar);
        Ok(())
    }

    fn push_indicator(&mut self, kind: Kind, width: usize) {
        let start = self.cursor.mark();
        self.cursor.forward(width);
        self.tokens.push_back(Token::new(kind, start, self.cursor.mark()));
    }

    /// Notes that a key may begin here.
    fn remember_key(&mut self) -> Result<(), Fault> {
        if !self.key_allowed {
            return Ok(());
        }
        self.forget_key()?;
        let required = self.indent == Some(self.cursor.column());
        let number = self.taken + self.tokens.len();
        self.possible_key = Some(PossibleKey { number, required, mark: self.cursor.mark() });
        Ok(())
    }

    /// Gives up what may have been a key.
    fn forget_key(&mut self) -> Result<(), Fault> {
        match self.possible_key.take() {
            Some(key) if key.required => {
                Err(Fault::syntax("could not find expected ':'", key.mark).within("while scanning a simple key"))
            }
            _ => Ok(()),
        }
    }

    /// Gives it up if it can no longer be one: it has ended its line, or grown too long.
    fn forget_stale_key(&mut self) -> Result<(), Fault> {
        let here = self.cursor.mark();
        match &self.possible_key {
            Some(key) if key.mark.line != here.line || here.index - key.mark.index > KEY_MAX => self.forget_key(),
            _ => Ok(()),
        }
    }

    /// Closes collections that are indented further than `column`; all, for `None`.
    fn unwind(&mut self, column: Option<usize>) {
        while self.indent > column {
            self.indent = self.indents.pop().flatten();
            self.tokens.push_back(Token::at(Kind::BlockEnd, self.cursor.mark()));
        }
    }

    /// Opens a collection at `column`, if none is open there.
    fn deepen(&mut self, column: usize) -> bool {
        if self.indent >= Some(column) {
            return false;
        }
        self.indents.push(self.indent.replace(column));
        true
    }
}

/// Whether a text without quotes may start so, whatever follows.
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
