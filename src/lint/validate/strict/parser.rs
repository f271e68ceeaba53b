//! Tokens in, a tree out: the grammar of blocks.
//!
//! Comments travel along with the tokens they hang on, since two that meet on one token make the validator fall over.

use super::super::python;
use super::cursor::Mark;
use super::scanner::Scanner;
use super::token::{Comments, Kind, Token};
use super::{Fault, Node, Value};

/// How deep values may be nested. The validator is recursive, and Python gives up.
const DEPTH_MAX: usize = 246;

/// Reads the one document of a text; `None` if there is none.
pub(super) fn parse(text: Vec<char>) -> Result<Option<Node>, Fault> {
    let mut parser = Parser { scanner: Scanner::new(text), depth: 0, end: 0 };
    parser.scanner.next()?;
    if parser.begins_nothing()? {
        parser.end_of_stream()?;
        return Ok(None);
    }
    let root = parser.node(false)?;
    if parser.at(&Kind::DocumentEnd)? {
        parser.scanner.next()?;
    }
    if parser.begins_nothing()? {
        parser.end_of_stream()?;
        return Ok(Some(root));
    }
    let found = parser.scanner.peek()?.start;
    Err(Fault::syntax("but found another document", found).within("expected a single document in the stream"))
}

struct Parser {
    scanner: Scanner,
    depth: usize,
    /// Where the last text ended.
    end: usize,
}

impl Parser {
    fn at(&mut self, kind: &Kind) -> Result<bool, Fault> {
        Ok(self.scanner.peek()?.is(kind))
    }

    fn at_any(&mut self, kinds: &[Kind]) -> Result<bool, Fault> {
        let token = self.scanner.peek()?;
        Ok(kinds.iter().any(|kind| token.is(kind)))
    }

    fn begins_nothing(&mut self) -> Result<bool, Fault> {
        self.at_any(&[Kind::Directive, Kind::StreamEnd])
    }

    /// The end of the text. A directive before it would need a `---` after it.
    fn end_of_stream(&mut self) -> Result<(), Fault> {
        let directive = self.scanner.peek()?.start;
        if self.at(&Kind::StreamEnd)? {
            return Ok(());
        }
        while self.at(&Kind::Directive)? {
            self.scanner.next()?;
        }
        let problem = format!("expected '<document start>', but found {}", self.scanner.peek()?.name());
        Err(Fault::syntax(problem, directive))
    }

    /// A value. The items of a list may stand in the column of the key that it belongs to.
    fn node(&mut self, may_be_unindented: bool) -> Result<Node, Fault> {
        self.depth += 1;
        let token = self.scanner.peek()?;
        let start = token.start;
        if self.depth > DEPTH_MAX {
            return Err(Fault::crash("RecursionError: maximum recursion depth exceeded", start));
        }
        let value = match &token.kind {
            Kind::Alias(name) => {
                let problem = format!("found undefined alias {}", python::repr(name));
                return Err(Fault::new(super::Kind::Anchor, problem, start));
            }
            Kind::Anchor => return Err(disallowed(super::Kind::Anchor, "confusing disallowed anchor token", start)),
            Kind::Tag => {
                let problem = "Found disallowed tag tokens (do not specify types in markup)";
                return Err(Fault::new(super::Kind::Anchor, problem, start).within("While scanning"));
            }
            Kind::FlowStart(_) => {
                return Err(disallowed(super::Kind::Flow, "ugly disallowed JSONesque flow mapping", start));
            }
            Kind::Entry if may_be_unindented => {
                if let Some(comments) = &mut token.comments {
                    comments.after = false;
                }
                self.unindented_list()?
            }
            Kind::Scalar(..) => self.scalar()?,
            Kind::SequenceStart => self.list()?,
            Kind::MappingStart => self.fields()?,
            _ => {
                let problem = format!("expected the node content, but found {}", token.name());
                return Err(Fault::syntax(problem, start).within("while parsing a block node"));
            }
        };
        self.depth -= 1;
        let end = self.end.max(start.index);
        Ok(Node { start, end, value })
    }

    fn scalar(&mut self) -> Result<Value, Fault> {
        let token = self.scanner.next()?;
        self.end = token.end.index;
        let Kind::Scalar(text, plain) = token.kind else { unreachable!("it was looked at") };
        Ok(Value::Text(text, plain))
    }

    fn list(&mut self) -> Result<Value, Fault> {
        let start = self.scanner.next()?.start;
        let mut items = Vec::new();
        while self.at(&Kind::Entry)? {
            items.push(self.item(&[Kind::Entry, Kind::BlockEnd])?);
        }
        if !self.at(&Kind::BlockEnd)? {
            return Err(self.not_closed("while parsing a block collection", start));
        }
        self.scanner.next()?;
        Ok(Value::List(items))
    }

    fn unindented_list(&mut self) -> Result<Value, Fault> {
        let mut items = Vec::new();
        while self.at(&Kind::Entry)? {
            items.push(self.item(&[Kind::Entry, Kind::Key, Kind::Value, Kind::BlockEnd])?);
        }
        Ok(Value::List(items))
    }

    /// One item, empty if one of `ends` follows its `-`.
    fn item(&mut self, ends: &[Kind]) -> Result<Node, Fault> {
        let mut entry = self.scanner.next()?;
        self.move_comments(&mut entry)?;
        if self.at_any(ends)? { Ok(empty(entry.end)) } else { self.node(false) }
    }

    fn fields(&mut self) -> Result<Value, Fault> {
        let start = self.scanner.next()?.start;
        let mut fields = Vec::new();
        loop {
            let key = if self.at(&Kind::Key)? {
                let mut token = self.scanner.next()?;
                self.move_comments(&mut token)?;
                let is_empty = self.at_any(&[Kind::Key, Kind::Value, Kind::BlockEnd])?;
                if is_empty { empty(token.end) } else { self.node(true)? }
            } else if self.at(&Kind::Value)? {
                empty(self.scanner.peek()?.start)
            } else {
                break;
            };
            let value = self.field_value()?;
            fields.push((key, value));
        }
        if !self.at(&Kind::BlockEnd)? {
            return Err(self.not_closed("while parsing a block mapping", start));
        }
        let mut end = self.scanner.next()?;
        self.move_comments(&mut end)?;
        Ok(Value::Fields(fields))
    }

    fn field_value(&mut self) -> Result<Node, Fault> {
        if !self.at(&Kind::Value)? {
            return Ok(empty(self.scanner.peek()?.start));
        }
        let mut token = self.scanner.next()?;
        if !self.at(&Kind::Key)? {
            self.move_comments(&mut token)?;
        }
        if !self.at_any(&[Kind::Key, Kind::Value, Kind::BlockEnd])? {
            return self.node(true);
        }
        if token.comments.is_none() {
            // What hangs after the next token is taken for a comment of the value that is missing.
            if let Some(comments) = &mut self.scanner.peek()?.comments {
                comments.after = false;
            }
        }
        Ok(empty(token.end))
    }

    /// Hands the comments of a token that was taken to the one that follows, unless that is the end of the text.
    fn move_comments(&mut self, from: &mut Token) -> Result<(), Fault> {
        let to = self.scanner.peek()?;
        if to.is(&Kind::StreamEnd) {
            return Ok(());
        }
        let Some(moved) = from.comments.take() else { return Ok(()) };
        let own = to.comments.unwrap_or_default();
        if moved.after && own.after || moved.before && own.before {
            return Err(Fault::crash("NotImplementedError: overlap in comment", to.start));
        }
        to.comments = Some(Comments { after: moved.after || own.after, before: moved.before || own.before });
        Ok(())
    }

    fn not_closed(&mut self, context: &'static str, start: Mark) -> Fault {
        match self.scanner.peek() {
            Ok(token) => {
                let problem = format!("expected <block end>, but found {}", token.name());
                Fault::syntax(problem, token.start).within(context)
            }
            Err(_) => Fault::syntax("expected <block end>", start).within(context),
        }
    }
}

fn empty(start: Mark) -> Node {
    Node { start, end: start.index, value: Value::Text(String::new(), true) }
}

fn disallowed(kind: super::Kind, what: &str, at: Mark) -> Fault {
    let problem = format!("Found {what} (surround with ' and ' to make text appear literally)");
    Fault::new(kind, problem, at).within("While scanning")
}
