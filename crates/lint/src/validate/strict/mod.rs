//! YAML as the official validator reads it: a subset, with its own definitions of line ends and comments.
//!
//! The validator reads frontmatter through strictyaml, which is an old scanner of YAML 1.2 with most of YAML forbidden.
//! Its behavior differs from the standard in so many details (a tab after a value is an error, a line separator ends a
//! line but does not reset the column, some comments make it crash) that no other parser can be adapted to it. This one
//! reproduces its verdicts: the same tokens, requested in the same order.
//!
//! ```text
//! text ─ CharCursor ─ TokenScanner: tokens and comments ─ parser: StrictNode ─ check: duplicate keys, merges, indentation
//! ```
//!
//! Flow style, anchors, aliases and tags are always rejected, so they are recognized but not parsed.

mod check;
mod cursor;
mod parser;
mod scalar;
mod scanner;
mod token;

pub(super) use cursor::YamlMark;

/// A value with its start and end.
#[derive(Debug)]
pub(super) struct StrictNode {
    pub(super) start: YamlMark,
    pub(super) end: usize,
    pub(super) value: StrictValue,
}

/// The three kinds of value.
#[derive(Debug)]
pub(super) enum StrictValue {
    /// Text, and whether it is unquoted.
    Text(String, bool),
    List(Vec<StrictNode>),
    /// Keys are any nodes here; the check rejects those that are not text.
    Fields(Vec<(StrictNode, StrictNode)>),
}

/// Why a text is rejected.
#[derive(Debug)]
pub(super) struct YamlFault {
    /// The kind of error, from which the rule name is derived.
    pub(super) kind: FaultKind,
    /// The validator's context message, verbatim.
    pub(super) context: Option<&'static str>,
    /// The validator's problem message, verbatim.
    pub(super) problem: String,
    /// The index of the character at which it was found.
    pub(super) at: usize,
}

/// The kinds of errors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FaultKind {
    Flow,
    Anchor,
    Duplicate,
    Tab,
    Control,
    Syntax,
    /// The validator does not reject it but crashes.
    Crash,
}

impl YamlFault {
    fn new(kind: FaultKind, problem: impl Into<String>, at: YamlMark) -> Self {
        YamlFault {
            kind,
            context: None,
            problem: problem.into(),
            at: at.index,
        }
    }

    fn syntax(problem: impl Into<String>, at: YamlMark) -> Self {
        YamlFault::new(FaultKind::Syntax, problem, at)
    }

    fn crash(problem: impl Into<String>, at: YamlMark) -> Self {
        YamlFault::new(FaultKind::Crash, problem, at)
    }

    /// Adds the validator's context message.
    fn with_context(mut self, context: &'static str) -> Self {
        self.context = Some(context);
        self
    }
}

/// Reads a text, in which line ends are normalized to `\n`.
///
/// `None` if it is empty or has only comments.
///
/// # Errors
/// If the validator rejects it as YAML, or crashes.
pub(super) fn read(text: Vec<char>) -> Result<Option<StrictNode>, YamlFault> {
    // The validator checks all characters before it scans, so this precedes any other error.
    if let Some(at) = text.iter().position(|&c| !is_printable(c)) {
        let problem = format!(
            "unacceptable character #x{:04x}: special characters are not allowed",
            u32::from(text[at])
        );
        return Err(YamlFault {
            kind: FaultKind::Control,
            context: None,
            problem,
            at,
        });
    }

    // Syntax first, then the tree: the validator has no finding about keys of an invalid text.
    let root = parser::parse(text)?;
    root.map(check::check).transpose()
}

fn is_printable(c: char) -> bool {
    matches!(c, '\t' | '\n' | '\r' | ' '..='~' | '\u{85}' | '\u{a0}'..='\u{fffd}' | '\u{10000}'..)
}
