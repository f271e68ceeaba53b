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
    let mut parser = Parser { scanner: Scanner::new(text), open: Vec::new(), end: 0 };
    parser.scanner.next()?;
    if parser.begins_nothing()? {
        parser.end_of_stream()?;
        return Ok(None);
    }
    let root = parser.node()?;
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
    /// Collections whose end was not reached, from the outermost in. No recursion: the text decides how deep it goes.
    open: Vec<Open>,
    /// Where the last text ended.
    end: usize,
}

/// A collection whose end was not reached.
enum Open {
    List {
        start: Mark,
        items: Vec<Node>,
        /// Whether its items stand in the column of its key, so that nothing marks its end.
        unindented: bool,
    },
    Fields {
        start: Mark,
        fields: Vec<(Node, Node)>,
        /// The key whose value is awaited.
        key: Option<Node>,
    },
}

/// What is to be read next.
enum Step {
    /// A value; the items of a list may stand in the column of the key that it belongs to.
    Value { may_be_unindented: bool },
    /// Nothing: here is the value.
    Done(Node),
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

    /// One value with all below it.
    fn node(&mut self) -> Result<Node, Fault> {
        let mut step = Step::Value { may_be_unindented: false };
        loop {
            let done = match step {
                Step::Value { may_be_unindented } => self.begin(may_be_unindented)?,
                Step::Done(node) => Some(node),
            };
            match (done, self.open.last_mut()) {
                (Some(node), None) => return Ok(node),
                (Some(node), Some(open)) => open.take(node),
                (None, _) => {}
            }
            step = self.go_on()?;
        }
    }

    /// Reads a text whole; opens a collection.
    fn begin(&mut self, may_be_unindented: bool) -> Result<Option<Node>, Fault> {
        let too_deep = self.open.len() >= DEPTH_MAX;
        let token = self.scanner.peek()?;
        let start = token.start;
        if too_deep {
            return Err(Fault::crash("RecursionError: maximum recursion depth exceeded", start));
        }
        match &token.kind {
            Kind::Scalar(..) => return self.scalar().map(Some),
            Kind::Entry if may_be_unindented => {
                if let Some(comments) = &mut token.comments {
                    comments.after = false;
                }
                self.open.push(Open::List { start, items: Vec::new(), unindented: true });
            }
            Kind::SequenceStart => {
                self.scanner.next()?;
                self.open.push(Open::List { start, items: Vec::new(), unindented: false });
            }
            Kind::MappingStart => {
                self.scanner.next()?;
                self.open.push(Open::Fields { start, fields: Vec::new(), key: None });
            }
            _ => return Err(no_value(token)),
        }
        Ok(None)
    }

    fn scalar(&mut self) -> Result<Node, Fault> {
        let token = self.scanner.next()?;
        let Kind::Scalar(text, plain) = token.kind else { unreachable!("it was looked at") };
        self.end = token.end.index;
        Ok(Node { start: token.start, end: token.end.index, value: Value::Text(text, plain) })
    }

    /// Goes on in the innermost collection that is open.
    fn go_on(&mut self) -> Result<Step, Fault> {
        match self.open.last() {
            Some(Open::List { unindented, .. }) => {
                let unindented = *unindented;
                self.item(unindented)
            }
            Some(Open::Fields { key: None, .. }) => self.key(),
            Some(Open::Fields { key: Some(_), .. }) => self.field_value(),
            None => unreachable!("the outermost value was given back"),
        }
    }

    fn item(&mut self, unindented: bool) -> Result<Step, Fault> {
        if !self.at(&Kind::Entry)? {
            let context = "while parsing a block collection";
            return if unindented { Ok(self.close()) } else { self.close_at_end(context) };
        }
        let mut entry = self.scanner.next()?;
        self.move_comments(&mut entry)?;
        let mut is_empty = self.at_any(&[Kind::Entry, Kind::BlockEnd])?;
        if unindented {
            is_empty = is_empty || self.at_any(&[Kind::Key, Kind::Value])?;
        }
        Ok(if is_empty { Step::Done(empty(entry.end)) } else { Step::Value { may_be_unindented: false } })
    }

    fn key(&mut self) -> Result<Step, Fault> {
        if self.at(&Kind::Key)? {
            let mut token = self.scanner.next()?;
            self.move_comments(&mut token)?;
            let is_empty = self.at_any(&[Kind::Key, Kind::Value, Kind::BlockEnd])?;
            return Ok(if is_empty { Step::Done(empty(token.end)) } else { Step::Value { may_be_unindented: true } });
        }
        if self.at(&Kind::Value)? {
            return Ok(Step::Done(empty(self.scanner.peek()?.start)));
        }
        self.close_at_end("while parsing a block mapping")
    }

    fn field_value(&mut self) -> Result<Step, Fault> {
        if !self.at(&Kind::Value)? {
            return Ok(Step::Done(empty(self.scanner.peek()?.start)));
        }
        let mut token = self.scanner.next()?;
        if !self.at(&Kind::Key)? {
            self.move_comments(&mut token)?;
        }
        if !self.at_any(&[Kind::Key, Kind::Value, Kind::BlockEnd])? {
            return Ok(Step::Value { may_be_unindented: true });
        }
        if token.comments.is_none() {
            // What hangs after the next token is taken for a comment of the value that is missing.
            if let Some(comments) = &mut self.scanner.peek()?.comments {
                comments.after = false;
            }
        }
        Ok(Step::Done(empty(token.end)))
    }

    /// Closes the innermost collection, if its end is here.
    fn close_at_end(&mut self, context: &'static str) -> Result<Step, Fault> {
        let token = self.scanner.peek()?;
        if !token.is(&Kind::BlockEnd) {
            let problem = format!("expected <block end>, but found {}", token.name());
            return Err(Fault::syntax(problem, token.start).within(context));
        }
        let mut end = self.scanner.next()?;
        if matches!(self.open.last(), Some(Open::Fields { .. })) {
            self.move_comments(&mut end)?;
        }
        Ok(self.close())
    }

    fn close(&mut self) -> Step {
        let (start, value) = match self.open.pop().expect("one is open") {
            Open::List { start, items, .. } => (start, Value::List(items)),
            Open::Fields { start, fields, .. } => (start, Value::Fields(fields)),
        };
        Step::Done(Node { start, end: self.end.max(start.index), value })
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
}

impl Open {
    fn take(&mut self, node: Node) {
        match self {
            Open::List { items, .. } => items.push(node),
            Open::Fields { fields, key, .. } => match key.take() {
                None => *key = Some(node),
                Some(key) => fields.push((key, node)),
            },
        }
    }
}

/// Why no value begins with a token.
fn no_value(token: &Token) -> Fault {
    match &token.kind {
        Kind::Alias(name) => {
            let problem = format!("found undefined alias {}", python::repr(name));
            Fault::new(super::Kind::Anchor, problem, token.start)
        }
        Kind::Anchor => disallowed(super::Kind::Anchor, "confusing disallowed anchor token", token.start),
        Kind::Tag => {
            let problem = "Found disallowed tag tokens (do not specify types in markup)";
            Fault::new(super::Kind::Anchor, problem, token.start).within("While scanning")
        }
        Kind::FlowStart(_) => disallowed(super::Kind::Flow, "ugly disallowed JSONesque flow mapping", token.start),
        _ => {
            let problem = format!("expected the node content, but found {}", token.name());
            Fault::syntax(problem, token.start).within("while parsing a block node")
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
