//! From the parser's events to the tree, within a budget. The only file that knows the YAML parser.

use std::borrow::Cow;
use std::collections::HashMap;

use granit_parser::{ErrorKind, Event, Parser, ScalarStyle, ScanError, StructureStyle};

use crate::report::Span;

use super::{Document, Fault, FaultKind, Kind, Layout, NODE_COST, Node, Style, drop_duplicates};

/// Deepest nesting of sequences and mappings, counted through aliases.
const DEPTH_MAX: usize = 64;

/// How much the trees of one file may hold, aliases counted at the size of what they stand for.
#[derive(Debug, Clone)]
pub struct Budget(usize);

impl Default for Budget {
    /// 8 MiB, at 32 bytes a node and one a byte of text: four times what 64 kB without aliases can come to.
    fn default() -> Self {
        Budget(8 << 20)
    }
}

impl Budget {
    fn spend(&mut self, cost: usize, at: usize) -> Result<(), Fault> {
        match self.0.checked_sub(cost) {
            Some(left) => {
                self.0 = left;
                Ok(())
            }
            None => Err(Fault::limit("it grows too large, with its aliases followed", at)),
        }
    }
}

/// Reads the one document in `range` of `source`; all spans count from the start of `source`.
///
/// # Errors
/// The first fault, if the text is not YAML, holds several documents, or is beyond the `budget` or 64 levels deep.
///
/// # Panics
/// If `range` is not a range of `source` at character boundaries.
pub fn parse<'a>(source: &'a str, range: Span, budget: &mut Budget) -> Result<Document<'a>, Fault> {
    let options = granit_parser::options! {
        emit_comments: false,
        flow_nesting_limit: DEPTH_MAX,
        block_nesting_limit: DEPTH_MAX,
    };
    let text = &source[range.clone()];
    let mut builder = Builder::new(source, range, budget);
    for event in Parser::new_from_str_with_options(text, options) {
        match event {
            Ok((event, span)) => {
                let local = span.byte_range().expect("events of a text have byte spans");
                builder.take(event, local)?;
            }
            Err(error) => return Err(builder.fault(&error)),
        }
    }
    Ok(builder.document)
}

/// What an anchor stands for, with what a copy costs.
struct Anchored<'a> {
    node: Node<'a>,
    cost: usize,
    depth: usize,
}

/// A collection that is still open.
struct Open<'a> {
    node: Node<'a>,
    anchor: usize,
    /// The key whose value is awaited.
    key: Option<Node<'a>>,
}

/// Makes a tree of events.
struct Builder<'a, 'b> {
    source: &'a str,
    range: Span,
    budget: &'b mut Budget,
    open: Vec<Open<'a>>,
    anchors: HashMap<usize, Anchored<'a>>,
    documents: usize,
    document: Document<'a>,
}

impl<'a, 'b> Builder<'a, 'b> {
    fn new(source: &'a str, range: Span, budget: &'b mut Budget) -> Self {
        Builder {
            source,
            range,
            budget,
            open: Vec::new(),
            anchors: HashMap::new(),
            documents: 0,
            document: Document { root: None, duplicates: Vec::new(), aliases: Vec::new() },
        }
    }

    /// Takes one event that covers `local` bytes of the parsed text.
    fn take(&mut self, event: Event<'a>, local: Span) -> Result<(), Fault> {
        let span = self.range.start + local.start..self.range.start + local.end;
        match event {
            Event::DocumentStart(..) => {
                self.documents += 1;
                if self.documents > 1 {
                    return Err(Fault::syntax("a second document begins here", span.start));
                }
            }
            Event::Scalar(text, style, anchor, tag) => {
                self.budget.spend(NODE_COST + text.len(), span.start)?;
                let node = scalar(self.source, text, style, span, tag.as_deref());
                self.close(node, anchor)?;
            }
            Event::SequenceStart(style, anchor, tag) => {
                let kind = Kind::Sequence(Vec::new(), layout(style));
                self.open(kind, span, anchor, tag.as_deref())?;
            }
            Event::MappingStart(style, anchor, tag) => {
                let kind = Kind::Mapping(Vec::new(), layout(style));
                self.open(kind, span, anchor, tag.as_deref())?;
            }
            Event::SequenceEnd | Event::MappingEnd => self.end(span)?,
            Event::Alias(id) => {
                let node = self.follow(id, span)?;
                self.close(node, 0)?;
            }
            _ => {}
        }
        Ok(())
    }

    fn open(
        &mut self,
        kind: Kind<'a>,
        span: Span,
        anchor: usize,
        tag: Option<&granit_parser::Tag>,
    ) -> Result<(), Fault> {
        self.budget.spend(NODE_COST, span.start)?;
        if self.open.len() >= DEPTH_MAX {
            return Err(too_deep(span.start));
        }
        let node = Node { kind, span, tag: tag.map(tag_text) };
        self.open.push(Open { node, anchor, key: None });
        Ok(())
    }

    /// Ends the innermost collection; `end` is empty but for a closing bracket.
    fn end(&mut self, end: Span) -> Result<(), Fault> {
        let mut open = self.open.pop().expect("the parser ends only what it began");
        let span = &mut open.node.span;
        match &mut open.node.kind {
            Kind::Sequence(items, layout) => {
                if let (Layout::Block, Some(first)) = (*layout, items.first()) {
                    span.start = dash_before(self.source, first.span.start).unwrap_or(span.start);
                }
                span.end = items.last().map_or(span.end, |last| last.span.end);
            }
            Kind::Mapping(entries, _) => {
                span.start = entries.first().map_or(span.start, |(key, _)| span.start.min(key.span.start));
                span.end = entries.last().map_or(span.end, |(key, value)| key.span.end.max(value.span.end));
                drop_duplicates(entries, &mut self.document.duplicates);
            }
            Kind::Scalar(..) => {}
        }
        if !end.is_empty() {
            span.end = end.end;
        }
        self.close(open.node, open.anchor)
    }

    /// Puts a finished node where it belongs.
    fn close(&mut self, node: Node<'a>, anchor: usize) -> Result<(), Fault> {
        if anchor != 0 {
            let (cost, depth) = node.extent();
            self.budget.spend(cost, node.span.start)?;
            self.anchors.insert(anchor, Anchored { node: node.clone(), cost, depth });
        }
        let Some(open) = self.open.last_mut() else {
            self.document.root = Some(node);
            return Ok(());
        };
        match &mut open.node.kind {
            Kind::Sequence(items, _) => items.push(node),
            Kind::Mapping(entries, _) => match open.key.take() {
                Some(key) => entries.push((key, node)),
                None => open.key = Some(node),
            },
            Kind::Scalar(..) => {}
        }
        Ok(())
    }

    /// A copy of what the alias at `span` stands for.
    fn follow(&mut self, id: usize, span: Span) -> Result<Node<'a>, Fault> {
        let Some(anchored) = self.anchors.get(&id) else {
            return Err(Fault::syntax("an alias stands inside of what it stands for", span.start));
        };
        self.budget.spend(anchored.cost, span.start)?;
        if self.open.len() + anchored.depth > DEPTH_MAX {
            return Err(too_deep(span.start));
        }
        let node = Node { span: span.clone(), ..anchored.node.clone() };
        self.document.aliases.push(span);
        Ok(node)
    }

    fn fault(&self, error: &ScanError) -> Fault {
        let at = self.range.start + error.marker().byte_offset().unwrap_or(0);
        if matches!(error.kind(), ErrorKind::RecursionLimitExceeded) {
            return too_deep(at);
        }
        Fault { kind: fault_kind(error.kind()), message: error.info(), at: at.min(self.range.end) }
    }
}

fn too_deep(at: usize) -> Fault {
    Fault::limit(&format!("it is nested deeper than {DEPTH_MAX} levels"), at)
}

fn fault_kind(kind: &ErrorKind) -> FaultKind {
    match kind {
        ErrorKind::TabNotAllowed
        | ErrorKind::TabInBlockIndentation
        | ErrorKind::TabInIndentation
        | ErrorKind::TabInPlainScalar
        | ErrorKind::TabAtBlockScalarStart => FaultKind::Tab,
        ErrorKind::UnclosedQuotedScalar
        | ErrorKind::InvalidTrailingSingleQuotedScalar
        | ErrorKind::InvalidTrailingDoubleQuotedScalar
        | ErrorKind::UnknownQuotedScalarEscape
        | ErrorKind::InvalidQuotedScalarHexEscape
        | ErrorKind::InvalidQuotedScalarIndent => FaultKind::Quotes,
        ErrorKind::InvalidLowSurrogateHexEscape
        | ErrorKind::InvalidLowSurrogate
        | ErrorKind::MissingLowSurrogate
        | ErrorKind::UnpairedLowSurrogate
        | ErrorKind::InvalidUnicodeEscape => FaultKind::Surrogate,
        ErrorKind::UnexpectedEofFlowSequence
        | ErrorKind::UnexpectedEofFlowMapping
        | ErrorKind::UnexpectedEofImplicitFlowMapping
        | ErrorKind::ExpectedFlowMappingSeparator
        | ErrorKind::ExpectedFlowSequenceSeparator
        | ErrorKind::MisplacedFlowCollectionEnd
        | ErrorKind::MismatchedFlowCollectionEnd { .. }
        | ErrorKind::UnclosedFlowCollection { .. }
        | ErrorKind::BlockEntryInFlowCollection
        | ErrorKind::FlowMappingValueAdjacentCollection
        | ErrorKind::InvalidColonPlacement => FaultKind::Flow,
        _ => FaultKind::Syntax,
    }
}

fn layout(style: StructureStyle) -> Layout {
    match style {
        StructureStyle::Block => Layout::Block,
        StructureStyle::Flow => Layout::Flow,
    }
}

fn tag_text(tag: &granit_parser::Tag) -> Box<str> {
    match tag.core_suffix() {
        Some(suffix) => format!("!!{suffix}").into(),
        None => tag.original().into(),
    }
}

/// A scalar's node; the parser's span of a block scalar is widened to its header and freed of the blank lines at its
/// end.
fn scalar<'a>(
    source: &str,
    text: Cow<'a, str>,
    style: ScalarStyle,
    span: Span,
    tag: Option<&granit_parser::Tag>,
) -> Node<'a> {
    let style = match style {
        ScalarStyle::Plain => Style::Plain,
        ScalarStyle::SingleQuoted => Style::SingleQuoted,
        ScalarStyle::DoubleQuoted => Style::DoubleQuoted,
        ScalarStyle::Literal => Style::Literal,
        ScalarStyle::Folded => Style::Folded,
    };
    let (text, span) = match style {
        // A value that is left out arrives as a `~` that stands nowhere.
        Style::Plain if span.is_empty() => (Cow::Borrowed(""), span),
        Style::Literal | Style::Folded => (text, block_span(source, span)),
        _ => (text, span),
    };
    Node { kind: Kind::Scalar(text, style), span, tag: tag.map(tag_text) }
}

/// The span from a block scalar's header to the end of its last line that is not blank.
fn block_span(source: &str, content: Span) -> Span {
    let before = source[..content.start].trim_end();
    let line = before.rfind('\n').map_or(0, |at| at + 1);
    let header = before[line..].match_indices(['|', '>']).find(|(at, _)| {
        let rest = before[line + at + 1..].trim_start_matches(['+', '-', '1', '2', '3', '4', '5', '6', '7', '8', '9']);
        let comment = rest.trim_start_matches([' ', '\t']);
        comment.is_empty() || (comment.starts_with('#') && comment.len() < rest.len())
    });
    let start = header.map_or(content.start, |(at, _)| line + at);
    let text = source[start..content.end].trim_end();
    start..start + text.len()
}

/// Where the dash of a block sequence's first item stands, whose content begins at `item`.
fn dash_before(source: &str, item: usize) -> Option<usize> {
    let before = source[..item].trim_end_matches([' ', '\t']);
    before.ends_with('-').then(|| before.len() - 1)
}
