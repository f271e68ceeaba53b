//! Parses tokens into a tree: the grammar of blocks.
//!
//! Comments are attached to tokens and move with them, since two of a kind on one token make the validator crash.

use super::super::python;
use super::cursor::YamlMark;
use super::scanner::TokenScanner;
use super::token::{AttachedComments, TokenKind, YamlToken};
use super::{StrictNode, StrictValue, YamlFault};

/// The limit of nesting, from Python's recursion limit in the validator.
const DEPTH_MAX: usize = 246;

/// Parses the single document of a text; `None` if there is none.
pub(super) fn parse(text: Vec<char>) -> Result<Option<StrictNode>, YamlFault> {
    let mut parser = StrictParser {
        scanner: TokenScanner::new(text),
        open: Vec::new(),
        end: 0,
    };

    parser.scanner.next()?;
    // The token of the stream's start comes before everything else.
    if parser.is_at_end()? {
        parser.end_of_stream()?;
        return Ok(None);
    }

    // A second document would need `---`, which ends the frontmatter; only `...` can follow.
    let root = parser.parse_node()?;
    if parser.at(&TokenKind::DocumentEnd)? {
        parser.scanner.next()?;
    }

    if parser.is_at_end()? {
        parser.end_of_stream()?;
        return Ok(Some(root));
    }

    let found = parser.scanner.peek()?.start;
    Err(YamlFault::syntax("but found another document", found)
        .with_context("expected a single document in the stream"))
}

struct StrictParser {
    scanner: TokenScanner,
    /// The open collections, outermost first. Not recursive, since the input determines the depth.
    open: Vec<OpenCollection>,
    /// The end of the last scalar.
    end: usize,
}

/// A collection whose end has not been reached.
enum OpenCollection {
    List {
        start: YamlMark,
        items: Vec<StrictNode>,
        /// Whether its items are in the column of its key, so that no token marks its end.
        unindented: bool,
    },
    Fields {
        start: YamlMark,
        fields: Vec<(StrictNode, StrictNode)>,
        /// The key whose value comes next.
        key: Option<StrictNode>,
    },
}

/// The next step of the parser.
enum ParseStep {
    /// Parse a value; the items of a list may be in the column of its key.
    Value { may_be_unindented: bool },
    /// A value is complete.
    Done(StrictNode),
}

impl StrictParser {
    fn at(&mut self, kind: &TokenKind) -> Result<bool, YamlFault> {
        Ok(self.scanner.peek()?.is(kind))
    }

    fn at_any(&mut self, kinds: &[TokenKind]) -> Result<bool, YamlFault> {
        let token = self.scanner.peek()?;
        Ok(kinds.iter().any(|kind| token.is(kind)))
    }

    fn is_at_end(&mut self) -> Result<bool, YamlFault> {
        self.at_any(&[TokenKind::Directive, TokenKind::StreamEnd])
    }

    /// Expects the end of the text. A directive before it would need a `---` after it.
    fn end_of_stream(&mut self) -> Result<(), YamlFault> {
        let directive = self.scanner.peek()?.start;
        if self.at(&TokenKind::StreamEnd)? {
            return Ok(());
        }

        while self.at(&TokenKind::Directive)? {
            self.scanner.next()?;
        }

        let problem = format!(
            "expected '<document start>', but found {}",
            self.scanner.peek()?.name()
        );
        Err(YamlFault::syntax(problem, directive))
    }

    /// Parses a value with all its children.
    fn parse_node(&mut self) -> Result<StrictNode, YamlFault> {
        let mut step = ParseStep::Value {
            may_be_unindented: false,
        };

        loop {
            let done = match step {
                ParseStep::Value { may_be_unindented } => self.begin_node(may_be_unindented)?,
                ParseStep::Done(node) => Some(node),
            };

            match (done, self.open.last_mut()) {
                (Some(node), None) => return Ok(node),
                (Some(node), Some(open)) => open.push_node(node),
                (None, _) => {}
            }

            step = self.continue_open()?;
        }
    }

    /// Parses a scalar, or opens a collection.
    fn begin_node(&mut self, may_be_unindented: bool) -> Result<Option<StrictNode>, YamlFault> {
        let too_deep = self.open.len() >= DEPTH_MAX;
        let token = self.scanner.peek()?;
        let start = token.start;
        // The validator does not catch Python's exception at this depth.
        if too_deep {
            return Err(YamlFault::crash(
                "RecursionError: maximum recursion depth exceeded",
                start,
            ));
        }

        match &token.kind {
            TokenKind::Scalar(..) => return self.parse_scalar().map(Some),
            // A list in the column of its key has no start token: the first `-` opens it.
            TokenKind::Entry if may_be_unindented => {
                if let Some(comments) = &mut token.comments {
                    comments.after = false;
                }
                self.open.push(OpenCollection::List {
                    start,
                    items: Vec::new(),
                    unindented: true,
                });
            }
            TokenKind::SequenceStart => {
                self.scanner.next()?;
                self.open.push(OpenCollection::List {
                    start,
                    items: Vec::new(),
                    unindented: false,
                });
            }
            TokenKind::MappingStart => {
                self.scanner.next()?;
                // The key comes first, so none is pending.
                self.open.push(OpenCollection::Fields {
                    start,
                    fields: Vec::new(),
                    key: None,
                });
            }
            _ => return Err(not_a_value(token)),
        }
        Ok(None)
    }

    fn parse_scalar(&mut self) -> Result<StrictNode, YamlFault> {
        let token = self.scanner.next()?;
        let TokenKind::Scalar(text, plain) = token.kind else {
            unreachable!("the kind was checked before")
        };

        // A collection ends at the end of its last scalar, not at the token after it.
        self.end = token.end.index;
        Ok(StrictNode {
            start: token.start,
            end: token.end.index,
            value: StrictValue::Text(text, plain),
        })
    }

    /// Continues in the innermost open collection.
    fn continue_open(&mut self) -> Result<ParseStep, YamlFault> {
        match self.open.last() {
            Some(OpenCollection::List { unindented, .. }) => {
                let unindented = *unindented;
                self.parse_item(unindented)
            }
            Some(OpenCollection::Fields { key: None, .. }) => self.parse_key(),
            Some(OpenCollection::Fields { key: Some(_), .. }) => self.parse_field_value(),
            None => unreachable!("the outermost value was returned"),
        }
    }

    fn parse_item(&mut self, unindented: bool) -> Result<ParseStep, YamlFault> {
        if !self.at(&TokenKind::Entry)? {
            let context = "while parsing a block collection";
            return if unindented {
                Ok(self.close())
            } else {
                self.close_at_end(context)
            };
        }

        let mut entry = self.scanner.next()?;
        self.move_comments(&mut entry)?;
        // An entry without a value is an empty text to the validator, not null.
        let mut is_empty = self.at_any(&[TokenKind::Entry, TokenKind::BlockEnd])?;
        if unindented {
            // In an unindented list the next key of the mapping around it ends the item.
            is_empty = is_empty || self.at_any(&[TokenKind::Key, TokenKind::Value])?;
        }

        Ok(if is_empty {
            ParseStep::Done(empty_node(entry.end))
        } else {
            ParseStep::Value {
                may_be_unindented: false,
            }
        })
    }

    fn parse_key(&mut self) -> Result<ParseStep, YamlFault> {
        if self.at(&TokenKind::Key)? {
            let mut token = self.scanner.next()?;
            self.move_comments(&mut token)?;
            let is_empty = self.at_any(&[TokenKind::Key, TokenKind::Value, TokenKind::BlockEnd])?;
            return Ok(if is_empty {
                ParseStep::Done(empty_node(token.end))
            } else {
                ParseStep::Value {
                    may_be_unindented: true,
                }
            });
        }

        // `: value` without a key has an empty one, which is rejected later.
        if self.at(&TokenKind::Value)? {
            return Ok(ParseStep::Done(empty_node(self.scanner.peek()?.start)));
        }

        self.close_at_end("while parsing a block mapping")
    }

    fn parse_field_value(&mut self) -> Result<ParseStep, YamlFault> {
        if !self.at(&TokenKind::Value)? {
            return Ok(ParseStep::Done(empty_node(self.scanner.peek()?.start)));
        }

        let mut token = self.scanner.next()?;
        // A comment before the next key belongs to that key.
        if !self.at(&TokenKind::Key)? {
            self.move_comments(&mut token)?;
        }

        if !self.at_any(&[TokenKind::Key, TokenKind::Value, TokenKind::BlockEnd])? {
            return Ok(ParseStep::Value {
                may_be_unindented: true,
            });
        }

        if token.comments.is_none() {
            // A comment after the next token is attached to the missing value.
            if let Some(comments) = &mut self.scanner.peek()?.comments {
                comments.after = false;
            }
        }

        Ok(ParseStep::Done(empty_node(token.end)))
    }

    /// Closes the innermost collection, if its end is here.
    fn close_at_end(&mut self, context: &'static str) -> Result<ParseStep, YamlFault> {
        let token = self.scanner.peek()?;
        if !token.is(&TokenKind::BlockEnd) {
            let problem = format!("expected <block end>, but found {}", token.name());
            return Err(YamlFault::syntax(problem, token.start).with_context(context));
        }

        let mut end = self.scanner.next()?;
        // Only a mapping passes its comments on; those at the end of a list are lost.
        if matches!(self.open.last(), Some(OpenCollection::Fields { .. })) {
            self.move_comments(&mut end)?;
        }
        Ok(self.close())
    }

    fn close(&mut self) -> ParseStep {
        let (start, value) = match self.open.pop().expect("one is open") {
            OpenCollection::List { start, items, .. } => (start, StrictValue::List(items)),
            OpenCollection::Fields { start, fields, .. } => (start, StrictValue::Fields(fields)),
        };
        ParseStep::Done(StrictNode {
            start,
            // An empty collection has no scalar after its start.
            end: self.end.max(start.index),
            value,
        })
    }

    /// Moves the comments of a consumed token to the next one, unless that is the end of the text.
    fn move_comments(&mut self, from: &mut YamlToken) -> Result<(), YamlFault> {
        let to = self.scanner.peek()?;
        if to.is(&TokenKind::StreamEnd) {
            return Ok(());
        }

        let Some(moved) = from.comments.take() else {
            return Ok(());
        };

        let own = to.comments.unwrap_or_default();
        // The validator raises NotImplementedError if two comments meet on one token.
        if moved.after && own.after || moved.before && own.before {
            return Err(YamlFault::crash(
                "NotImplementedError: overlap in comment",
                to.start,
            ));
        }

        to.comments = Some(AttachedComments {
            after: moved.after || own.after,
            before: moved.before || own.before,
        });
        Ok(())
    }
}

impl OpenCollection {
    fn push_node(&mut self, node: StrictNode) {
        match self {
            OpenCollection::List { items, .. } => items.push(node),
            OpenCollection::Fields { fields, key, .. } => match key.take() {
                None => *key = Some(node),
                Some(key) => fields.push((key, node)),
            },
        }
    }
}

/// The error for a token that cannot begin a value.
fn not_a_value(token: &YamlToken) -> YamlFault {
    match &token.kind {
        TokenKind::Alias(name) => {
            let problem = format!("found undefined alias {}", python::repr(name));
            YamlFault::new(super::FaultKind::Anchor, problem, token.start)
        }
        TokenKind::Anchor => disallowed(
            super::FaultKind::Anchor,
            "confusing disallowed anchor token",
            token.start,
        ),
        TokenKind::Tag => {
            let problem = "Found disallowed tag tokens (do not specify types in markup)";
            YamlFault::new(super::FaultKind::Anchor, problem, token.start)
                .with_context("While scanning")
        }
        TokenKind::FlowStart(_) => disallowed(
            super::FaultKind::Flow,
            "ugly disallowed JSONesque flow mapping",
            token.start,
        ),
        _ => {
            let problem = format!("expected the node content, but found {}", token.name());
            YamlFault::syntax(problem, token.start).with_context("while parsing a block node")
        }
    }
}

fn empty_node(start: YamlMark) -> StrictNode {
    StrictNode {
        start,
        end: start.index,
        value: StrictValue::Text(String::new(), true),
    }
}

fn disallowed(kind: super::FaultKind, what: &str, at: YamlMark) -> YamlFault {
    let problem = format!("Found {what} (surround with ' and ' to make text appear literally)");
    YamlFault::new(kind, problem, at).with_context("While scanning")
}
