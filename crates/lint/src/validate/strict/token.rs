//! What the scanner makes of a text.

use super::cursor::Mark;

/// One piece.
#[derive(Debug)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) start: Mark,
    pub(super) end: Mark,
    /// The comments that hang on it; `None` if none ever did.
    pub(super) comments: Option<Comments>,
}

/// Whether comments hang on a token, after it and before it. Their text is of no interest: what matters is that two of
/// a sort on one token make the validator fall over.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Comments {
    pub(super) after: bool,
    pub(super) before: bool,
}

/// The sorts of token. `Comment` is what hangs on others; blank lines are comments too.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Kind {
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
    /// Its text, and whether it stands without quotes.
    Scalar(String, bool),
    Alias(String),
    Anchor,
    Tag,
    /// `[` or `{`.
    FlowStart(char),
    /// `]`, `}` or `,`.
    FlowRest(char),
}

impl Token {
    pub(super) fn new(kind: Kind, start: Mark, end: Mark) -> Self {
        Token { kind, start, end, comments: None }
    }

    /// One that takes no room.
    pub(super) fn at(kind: Kind, mark: Mark) -> Self {
        Token::new(kind, mark, mark)
    }

    pub(super) fn is(&self, kind: &Kind) -> bool {
        self.kind == *kind
    }

    pub(super) fn is_scalar(&self) -> bool {
        matches!(self.kind, Kind::Scalar(..))
    }

    pub(super) fn add_after(&mut self) {
        self.comments.get_or_insert_default().after = true;
    }

    /// What the validator calls it.
    pub(super) fn name(&self) -> String {
        let name = match self.kind {
            Kind::StreamStart => "<stream start>",
            Kind::StreamEnd => "<stream end>",
            Kind::Directive => "<directive>",
            Kind::DocumentEnd => "<document end>",
            Kind::SequenceStart => "<block sequence start>",
            Kind::MappingStart => "<block mapping start>",
            Kind::BlockEnd => "<block end>",
            Kind::Entry => "-",
            Kind::Key => "?",
            Kind::Value => ":",
            Kind::Comment => "<comment>",
            Kind::Scalar(..) => "<scalar>",
            Kind::Alias(_) => "<alias>",
            Kind::Anchor => "<anchor>",
            Kind::Tag => "<tag>",
            Kind::FlowStart(c) | Kind::FlowRest(c) => return format!("'{c}'"),
        };
        format!("'{name}'")
    }
}
