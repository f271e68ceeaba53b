//! The tokens of the scanner.

use super::cursor::YamlMark;

/// A token with its span.
#[derive(Debug)]
pub(super) struct YamlToken {
    pub(super) kind: TokenKind,
    pub(super) start: YamlMark,
    pub(super) end: YamlMark,
    /// The comments attached to it; `None` if there never were any.
    pub(super) comments: Option<AttachedComments>,
}

/// Whether comments are attached to a token, after it and before it. Their text does not matter: only that two of a kind
/// on one token make the validator crash.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct AttachedComments {
    pub(super) after: bool,
    pub(super) before: bool,
}

/// The kinds of tokens. A `Comment` is attached to other tokens; blank lines are comments too.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum TokenKind {
    StreamStart,
    StreamEnd,
    Directive,
    DocumentEnd,
    SequenceStart,
    MappingStart,
    BlockEnd,
    Entry,
    Key,
    Value,
    Comment,
    /// Its text, and whether it is unquoted.
    Scalar(String, bool),
    Alias(String),
    Anchor,
    Tag,
    /// `[` or `{`.
    FlowStart(char),
    /// `]`, `}` or `,`.
    FlowRest(char),
}

impl YamlToken {
    pub(super) fn new(kind: TokenKind, start: YamlMark, end: YamlMark) -> Self {
        YamlToken {
            kind,
            start,
            end,
            comments: None,
        }
    }

    /// An empty token.
    pub(super) fn at(kind: TokenKind, mark: YamlMark) -> Self {
        YamlToken::new(kind, mark, mark)
    }

    pub(super) fn is(&self, kind: &TokenKind) -> bool {
        self.kind == *kind
    }

    pub(super) fn is_scalar(&self) -> bool {
        matches!(self.kind, TokenKind::Scalar(..))
    }

    pub(super) fn add_after(&mut self) {
        self.comments.get_or_insert_default().after = true;
    }

    /// The validator's name for it.
    pub(super) fn name(&self) -> String {
        let name = match self.kind {
            TokenKind::StreamStart => "<stream start>",
            TokenKind::StreamEnd => "<stream end>",
            TokenKind::Directive => "<directive>",
            TokenKind::DocumentEnd => "<document end>",
            TokenKind::SequenceStart => "<block sequence start>",
            TokenKind::MappingStart => "<block mapping start>",
            TokenKind::BlockEnd => "<block end>",
            TokenKind::Entry => "-",
            TokenKind::Key => "?",
            TokenKind::Value => ":",
            TokenKind::Comment => "<comment>",
            TokenKind::Scalar(..) => "<scalar>",
            TokenKind::Alias(_) => "<alias>",
            TokenKind::Anchor => "<anchor>",
            TokenKind::Tag => "<tag>",
            TokenKind::FlowStart(c) | TokenKind::FlowRest(c) => return format!("'{c}'"),
        };
        format!("'{name}'")
    }
}
