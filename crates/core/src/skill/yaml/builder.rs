//! Builds the tree from the parser's events, within a budget. The only file that uses the YAML parser.

use std::borrow::Cow;
use std::collections::HashMap;

use granit_parser::{ErrorKind, Event, Parser, ScalarStyle, ScanError, StructureStyle};

use crate::report::Span;

use super::{
    NODE_COST, YamlDocument, YamlError, YamlErrorKind, YamlLayout, YamlNode, YamlNodeKind,
    YamlStyle, drop_duplicates,
};

/// Deepest nesting of sequences and mappings, counted through aliases.
const DEPTH_MAX: usize = 64;

/// The size that the trees of one file may have, with aliases counted at their expanded size.
#[derive(Debug, Clone)]
pub struct YamlBudget(usize);

impl Default for YamlBudget {
    /// 8 MiB, at 32 bytes a node and one a byte of text: four times what 64 kB without aliases can come to.
    fn default() -> Self {
        YamlBudget(8 << 20)
    }
}

impl YamlBudget {
    fn spend(&mut self, cost: usize, at: usize) -> Result<(), YamlError> {
        // Ten aliases of ten aliases, and so on, are gigabytes from a few lines ("billion laughs").
        match self.0.checked_sub(cost) {
            Some(left) => {
                self.0 = left;
                Ok(())
            }
            None => Err(YamlError::limit(
                "it is too large once its aliases are expanded",
                at,
            )),
        }
    }
}

/// Reads the one document in `range` of `source`; all spans count from the start of `source`.
///
/// # Errors
/// The first fault, if the text is invalid YAML, has several documents, exceeds the `budget` or is more than 64 levels deep.
///
/// # Panics
/// If `range` is not a range of `source` at character boundaries.
pub fn parse<'a>(
    source: &'a str,
    range: Span,
    budget: &mut YamlBudget,
) -> Result<YamlDocument<'a>, YamlError> {
    // The parser gets the same limit, so deep nesting already fails there.
    let options = granit_parser::options! {
        emit_comments: false,
        flow_nesting_limit: DEPTH_MAX,
        block_nesting_limit: DEPTH_MAX,
    };

    let text = &source[range.clone()];
    let mut builder = YamlTreeBuilder::new(source, range, budget);
    for event in Parser::new_from_str_with_options(text, options) {
        match event {
            Ok((event, span)) => {
                let local = span.byte_range().expect("events of a text have byte spans");
                builder.handle_event(event, local)?;
            }
            Err(error) => return Err(builder.convert_error(&error)),
        }
    }

    Ok(builder.document)
}

/// The node of an anchor, with the cost of a copy.
struct AnchoredNode<'a> {
    node: YamlNode<'a>,
    cost: usize,
    depth: usize,
}

/// A collection that is still open.
struct UnclosedCollection<'a> {
    node: YamlNode<'a>,
    anchor: usize,
    /// The key whose value comes next.
    key: Option<YamlNode<'a>>,
}

/// Builds a tree from events.
struct YamlTreeBuilder<'a, 'b> {
    source: &'a str,
    range: Span,
    budget: &'b mut YamlBudget,
    open: Vec<UnclosedCollection<'a>>,
    anchors: HashMap<usize, AnchoredNode<'a>>,
    documents: usize,
    document: YamlDocument<'a>,
}

impl<'a, 'b> YamlTreeBuilder<'a, 'b> {
    fn new(source: &'a str, range: Span, budget: &'b mut YamlBudget) -> Self {
        YamlTreeBuilder {
            source,
            range,
            budget,
            open: Vec::new(),
            anchors: HashMap::new(),
            documents: 0,
            document: YamlDocument {
                root: None,
                duplicates: Vec::new(),
                aliases: Vec::new(),
            },
        }
    }

    fn begin_document(&mut self, at: usize) -> Result<(), YamlError> {
        self.documents += 1;
        // A caller wants one value, and would not see that there are more.
        if self.documents > 1 {
            return Err(YamlError::syntax("unexpected second document", at));
        }
        Ok(())
    }

    /// Handles one event that covers the bytes `local` of the parsed text.
    fn handle_event(&mut self, event: Event<'a>, local: Span) -> Result<(), YamlError> {
        let span = self.range.start + local.start..self.range.start + local.end;

        match event {
            Event::DocumentStart(..) => self.begin_document(span.start)?,
            Event::Scalar(text, style, anchor, tag) => {
                self.budget.spend(NODE_COST + text.len(), span.start)?;
                let node = scalar_node(self.source, text, style, span, tag.as_deref());
                self.attach_node(node, anchor)?;
            }
            Event::SequenceStart(style, anchor, tag) => {
                let kind = YamlNodeKind::Sequence(Vec::new(), convert_layout(style));
                self.open_collection(kind, span, anchor, tag.as_deref())?;
            }
            Event::MappingStart(style, anchor, tag) => {
                let kind = YamlNodeKind::Mapping(Vec::new(), convert_layout(style));
                self.open_collection(kind, span, anchor, tag.as_deref())?;
            }
            Event::SequenceEnd | Event::MappingEnd => self.end_collection(span)?,
            Event::Alias(id) => {
                let node = self.expand_alias(id, span)?;
                self.attach_node(node, 0)?;
            }
            _ => {}
        }
        Ok(())
    }

    fn open_collection(
        &mut self,
        kind: YamlNodeKind<'a>,
        span: Span,
        anchor: usize,
        tag: Option<&granit_parser::Tag>,
    ) -> Result<(), YamlError> {
        self.budget.spend(NODE_COST, span.start)?;
        if self.open.len() >= DEPTH_MAX {
            return Err(too_deep_error(span.start));
        }

        let node = YamlNode {
            kind,
            span,
            tag: tag.map(tag_text),
        };
        self.open.push(UnclosedCollection {
            node,
            anchor,
            key: None,
        });
        Ok(())
    }

    /// Ends the innermost collection; `end` is empty unless there is a closing bracket.
    fn end_collection(&mut self, end: Span) -> Result<(), YamlError> {
        let mut open = self.open.pop().expect("the parser ends only what it began");
        let span = &mut open.node.span;
        match &mut open.node.kind {
            YamlNodeKind::Sequence(items, layout) => {
                // The span includes the dash of the first item.
                if let (YamlLayout::Block, Some(first)) = (*layout, items.first()) {
                    span.start = dash_before(self.source, first.span.start).unwrap_or(span.start);
                }
                span.end = items.last().map_or(span.end, |last| last.span.end);
            }
            YamlNodeKind::Mapping(entries, _) => {
                span.start = entries
                    .first()
                    .map_or(span.start, |(key, _)| span.start.min(key.span.start));
                span.end = entries
                    .last()
                    .map_or(span.end, |(key, value)| key.span.end.max(value.span.end));
                // Only now are the values complete, so that they can be compared.
                drop_duplicates(entries, &mut self.document.duplicates);
            }
            YamlNodeKind::Scalar(..) => {}
        }

        // Only a closing bracket has a text of its own.
        if !end.is_empty() {
            span.end = end.end;
        }

        self.attach_node(open.node, open.anchor)
    }

    /// Adds a finished node to the innermost open collection, or makes it the root.
    fn attach_node(&mut self, node: YamlNode<'a>, anchor: usize) -> Result<(), YamlError> {
        // The parser numbers anchors from 1; 0 is none.
        if anchor != 0 {
            let (cost, depth) = node.cost_and_depth();
            // A copy is kept for each anchor, so anchors alone must fit into the budget.
            self.budget.spend(cost, node.span.start)?;
            self.anchors.insert(
                anchor,
                AnchoredNode {
                    node: node.clone(),
                    cost,
                    depth,
                },
            );
        }

        let Some(open) = self.open.last_mut() else {
            self.document.root = Some(node);
            return Ok(());
        };

        match &mut open.node.kind {
            YamlNodeKind::Sequence(items, _) => items.push(node),
            YamlNodeKind::Mapping(entries, _) => match open.key.take() {
                Some(key) => entries.push((key, node)),
                None => open.key = Some(node),
            },
            YamlNodeKind::Scalar(..) => {}
        }
        Ok(())
    }

    /// A copy of the node that the alias at `span` refers to.
    fn expand_alias(&mut self, id: usize, span: Span) -> Result<YamlNode<'a>, YamlError> {
        let Some(anchored) = self.anchors.get(&id) else {
            return Err(YamlError::syntax("recursive alias", span.start));
        };

        // Each use of an alias is paid at its full size, which stops a "billion laughs" file before
        // anything is copied.
        self.budget.spend(anchored.cost, span.start)?;
        if self.open.len() + anchored.depth > DEPTH_MAX {
            return Err(too_deep_error(span.start));
        }

        let node = YamlNode {
            span: span.clone(),
            ..anchored.node.clone()
        };
        self.document.aliases.push(span);
        Ok(node)
    }

    fn convert_error(&self, error: &ScanError) -> YamlError {
        let at = self.range.start + error.marker().byte_offset().unwrap_or(0);
        if matches!(error.kind(), ErrorKind::RecursionLimitExceeded) {
            return too_deep_error(at);
        }

        YamlError {
            kind: error_kind(error.kind()),
            message: error.info(),
            at: at.min(self.range.end),
        }
    }
}

fn too_deep_error(at: usize) -> YamlError {
    YamlError::limit(&format!("it is nested deeper than {DEPTH_MAX} levels"), at)
}

fn error_kind(kind: &ErrorKind) -> YamlErrorKind {
    match kind {
        ErrorKind::TabNotAllowed
        | ErrorKind::TabInBlockIndentation
        | ErrorKind::TabInIndentation
        | ErrorKind::TabInPlainScalar
        | ErrorKind::TabAtBlockScalarStart => YamlErrorKind::Tab,
        ErrorKind::UnclosedQuotedScalar
        | ErrorKind::InvalidTrailingSingleQuotedScalar
        | ErrorKind::InvalidTrailingDoubleQuotedScalar
        | ErrorKind::UnknownQuotedScalarEscape
        | ErrorKind::InvalidQuotedScalarHexEscape
        | ErrorKind::InvalidQuotedScalarIndent => YamlErrorKind::Quotes,
        ErrorKind::InvalidLowSurrogateHexEscape
        | ErrorKind::InvalidLowSurrogate
        | ErrorKind::MissingLowSurrogate
        | ErrorKind::UnpairedLowSurrogate
        | ErrorKind::InvalidUnicodeEscape => YamlErrorKind::Surrogate,
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
        | ErrorKind::InvalidColonPlacement => YamlErrorKind::Flow,
        _ => YamlErrorKind::Syntax,
    }
}

fn convert_layout(style: StructureStyle) -> YamlLayout {
    match style {
        StructureStyle::Block => YamlLayout::Block,
        StructureStyle::Flow => YamlLayout::Flow,
    }
}

fn tag_text(tag: &granit_parser::Tag) -> Box<str> {
    match tag.core_suffix() {
        Some(suffix) => format!("!!{suffix}").into(),
        None => tag.original().into(),
    }
}

/// A scalar's node; the parser's span of a block scalar is extended to its header, without the blank lines at its end.
fn scalar_node<'a>(
    source: &str,
    text: Cow<'a, str>,
    style: ScalarStyle,
    span: Span,
    tag: Option<&granit_parser::Tag>,
) -> YamlNode<'a> {
    let style = match style {
        ScalarStyle::Plain => YamlStyle::Plain,
        ScalarStyle::SingleQuoted => YamlStyle::SingleQuoted,
        ScalarStyle::DoubleQuoted => YamlStyle::DoubleQuoted,
        ScalarStyle::Literal => YamlStyle::Literal,
        ScalarStyle::Folded => YamlStyle::Folded,
    };
    let (text, span) = match style {
        // A missing value arrives as a `~` with an empty span.
        YamlStyle::Plain if span.is_empty() => (Cow::Borrowed(""), span),
        YamlStyle::Literal | YamlStyle::Folded => (text, block_scalar_span(source, span)),
        _ => (text, span),
    };

    YamlNode {
        kind: YamlNodeKind::Scalar(text, style),
        span,
        tag: tag.map(tag_text),
    }
}

/// The span from a block scalar's header to the end of its last line that is not blank.
fn block_scalar_span(source: &str, content: Span) -> Span {
    let before = source[..content.start].trim_end();
    let line = before.rfind('\n').map_or(0, |at| at + 1);
    // A header is `|` or `>` and its indicators, perhaps with a comment after them.
    let header = before[line..].match_indices(['|', '>']).find(|(at, _)| {
        let rest = before[line + at + 1..]
            .trim_start_matches(['+', '-', '1', '2', '3', '4', '5', '6', '7', '8', '9']);
        let comment = rest.trim_start_matches([' ', '\t']);
        comment.is_empty() || (comment.starts_with('#') && comment.len() < rest.len())
    });

    let start = header.map_or(content.start, |(at, _)| line + at);
    let text = source[start..content.end].trim_end();
    start..start + text.len()
}

/// The position of the dash before an item of a block sequence; the item's content begins at `item`.
fn dash_before(source: &str, item: usize) -> Option<usize> {
    let before = source[..item].trim_end_matches([' ', '\t']);
    before.ends_with('-').then(|| before.len() - 1)
}
