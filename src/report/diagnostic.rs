//! One finding about a file.

use std::ops::Range;

use serde::{Deserialize, Serialize};

/// How much a finding matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Level {
    /// Worth knowing; shown only when asked for.
    Note,
    /// Very likely a defect.
    Warning,
    /// Some agent drops or misreads the skill.
    Error,
}

/// A range of bytes in a file, counted from its start.
pub type Span = Range<usize>;

/// A second place that belongs to a finding, with what is to be seen there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Label {
    /// Where, in bytes from the start of the file.
    pub span: Span,
    /// What is to be seen there.
    pub text: String,
}

/// One finding about a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Diagnostic {
    /// The rule's stable name, such as `description-too-long`.
    pub rule: String,
    /// How much it matters.
    pub level: Level,
    /// One sentence, lower case, without a full stop.
    pub message: String,
    /// Where, in bytes from the start of the file; `None` if it is about the file as a whole.
    pub span: Option<Span>,
    /// 1-based line and column (in characters) of the span's start; `None` without a span.
    pub position: Option<(usize, usize)>,
    /// Further places.
    pub labels: Vec<Label>,
    /// What would mend it.
    pub help: Option<String>,
}

impl Diagnostic {
    /// A finding about the file as a whole.
    #[must_use]
    pub fn new(rule: &str, level: Level, message: impl Into<String>) -> Self {
        Diagnostic {
            rule: rule.to_owned(),
            level,
            message: message.into(),
            span: None,
            position: None,
            labels: Vec::new(),
            help: None,
        }
    }

    /// Says where, in bytes of `source`.
    #[must_use]
    pub fn at(mut self, span: Span, source: &str) -> Self {
        self.position = Some(position(source, span.start));
        self.span = Some(span);
        self
    }

    /// Says what would mend it.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// `path:line:column`, or the path alone for a finding about the whole file.
    #[must_use]
    pub fn place(&self, path: &str) -> String {
        match self.position {
            Some((line, column)) => format!("{path}:{line}:{column}"),
            None => path.to_owned(),
        }
    }
}

/// A finding and the file that it is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The file, as people will look for it.
    pub path: String,
    /// The finding.
    pub diagnostic: Diagnostic,
}

impl Finding {
    /// Whether it forbids going on.
    #[must_use]
    pub fn denies(&self) -> bool {
        self.diagnostic.level == Level::Error
    }
}

/// 1-based line and column, in characters, of a byte of `source`. A byte order mark has no column.
fn position(source: &str, byte: usize) -> (usize, usize) {
    let mut byte = byte.min(source.len());
    while !source.is_char_boundary(byte) {
        byte -= 1;
    }
    let before = &source[..byte];
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    let column = before[line_start..].trim_start_matches('\u{feff}').chars().count() + 1;
    (before.bytes().filter(|&b| b == b'\n').count() + 1, column)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_characters_from_one() {
        let source = "\u{feff}---\r\nname: é日x\n";
        let at = |needle: &str| position(source, source.find(needle).unwrap());
        assert_eq!(at("---"), (1, 1));
        assert_eq!(at("name"), (2, 1));
        assert_eq!(at("x"), (2, 9));
        assert_eq!(position(source, 10_000), (3, 1));
    }
}
