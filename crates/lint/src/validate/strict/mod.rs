//! YAML as the official validator reads it: a subset, with its own ideas of where a line ends and what a comment is.
//!
//! The validator reads frontmatter through strictyaml, which is an old scanner of YAML 1.2 with most of YAML forbidden.
//! What it takes and refuses differs from the standard in so many small ways (a tab after a value is an error, a line
//! separator ends a line but begins no new column, some comments make it fall over) that no other parser can be bent to
//! it. This one is built for its verdict: the same tokens, asked for in the same order.
//!
//! ```text
//! text ─ Cursor ─ Scanner: tokens, comments among them ─ parser: Node ─ check: duplicate keys, merges, indentation
//! ```
//!
//! Flow style, anchors, aliases and tags end every text that has them, so they are recognised and not read.

mod check;
mod cursor;
mod parser;
mod scalar;
mod scanner;
mod token;

pub(super) use cursor::Mark;

/// A value, and where it begins and ends.
#[derive(Debug)]
pub(super) struct Node {
    pub(super) start: Mark,
    pub(super) end: usize,
    pub(super) value: Value,
}

/// The three kinds of value.
#[derive(Debug)]
pub(super) enum Value {
    /// Text, and whether it stands without quotes.
    Text(String, bool),
    List(Vec<Node>),
    /// Keys are any nodes here; what is not text among them is refused by the check.
    Fields(Vec<(Node, Node)>),
}

/// Why a text is refused.
#[derive(Debug)]
pub(super) struct Fault {
    /// What sort of thing is wrong, for those who name rules.
    pub(super) kind: Kind,
    /// What the validator was about, in its own words.
    pub(super) context: Option<&'static str>,
    /// What it found, in its own words.
    pub(super) problem: String,
    /// The character at which it was found.
    pub(super) at: usize,
}

/// The sorts of fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Flow,
    Anchor,
    Duplicate,
    Tab,
    Control,
    Syntax,
    /// The validator does not refuse it: it falls over, which is no better.
    Crash,
}

impl Fault {
    fn new(kind: Kind, problem: impl Into<String>, at: Mark) -> Self {
        Fault { kind, context: None, problem: problem.into(), at: at.index }
    }

    fn syntax(problem: impl Into<String>, at: Mark) -> Self {
        Fault::new(Kind::Syntax, problem, at)
    }

    fn crash(problem: impl Into<String>, at: Mark) -> Self {
        Fault::new(Kind::Crash, problem, at)
    }

    /// Says what the validator was about.
    fn within(mut self, context: &'static str) -> Self {
        self.context = Some(context);
        self
    }
}

/// Reads a text, which has `\n` for every line end but the odd ones.
///
/// `None` if it is empty but for comments.
///
/// # Errors
/// If the validator refuses it as YAML, or falls over it.
pub(super) fn read(text: Vec<char>) -> Result<Option<Node>, Fault> {
    if let Some(at) = text.iter().position(|&c| !is_printable(c)) {
        let problem =
            format!("unacceptable character #x{:04x}: special characters are not allowed", u32::from(text[at]));
        return Err(Fault { kind: Kind::Control, context: None, problem, at });
    }
    let root = parser::parse(text)?;
    root.map(check::check).transpose()
}

fn is_printable(c: char) -> bool {
    matches!(c, '\t' | '\n' | '\r' | ' '..='~' | '\u{85}' | '\u{a0}'..='\u{fffd}' | '\u{10000}'..)
}
