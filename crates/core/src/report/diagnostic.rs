//! One finding about a file.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::Severity;

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

/// How far an edit may be trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Applicability {
    /// What is read afterwards is what was meant before.
    Safe,
    /// Somebody should look at it: it guesses, or changes what is said.
    Unsafe,
}

/// One step of a fix.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Change {
    /// Other text in the file of the finding. An empty span inserts.
    Edit {
        /// What is replaced, in bytes from the start of the file.
        span: Span,
        /// What takes its place.
        content: String,
    },
    /// The file of the finding gets another name in its directory.
    Rename {
        /// The new name.
        to: String,
    },
    /// The file of the finding may be run.
    SetExecutable,
    /// A line more in another file of the skill's directory, which is made if it is not there.
    AppendLine {
        /// That file, relative to the skill's directory.
        path: String,
        /// The line, without its end.
        line: String,
    },
}

/// What a program can do about a finding.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fix {
    /// How far it may be trusted.
    pub applicability: Applicability,
    /// What it does, in the imperative: `quote the value`.
    pub message: String,
    /// Its steps, those of one file in the order of the file and apart from each other.
    pub changes: Vec<Change>,
}

impl Fix {
    /// A fix of one edit.
    #[must_use]
    pub fn edit(
        applicability: Applicability,
        message: impl Into<String>,
        span: Span,
        content: impl Into<String>,
    ) -> Self {
        Fix { applicability, message: message.into(), changes: vec![Change::Edit { span, content: content.into() }] }
    }

    /// The text of the file with its edits made; other steps are no matter of text.
    ///
    /// # Panics
    /// If an edit's span is none of `source`, at character boundaries.
    #[must_use]
    pub fn apply(&self, source: &str) -> String {
        let mut fixed = source.to_owned();
        for change in self.changes.iter().rev() {
            if let Change::Edit { span, content } = change {
                fixed.replace_range(span.clone(), content);
            }
        }
        fixed
    }
}

/// One finding about a file.
///
/// Discovery remembers findings as postcard, which cannot tell a field that was left out: none of them may be skipped.
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
    /// What else is to be known: above all, which agents it hurts, and how.
    pub notes: Vec<String>,
    /// What would mend it.
    pub help: Option<String>,
    /// How a program can mend it.
    pub fix: Option<Fix>,
    /// How dangerous it is; `None` where nobody asked for that.
    pub severity: Option<Severity>,
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
            notes: Vec::new(),
            help: None,
            fix: None,
            severity: None,
        }
    }

    /// Says where, in bytes of `source`.
    #[must_use]
    pub fn at(mut self, span: Span, source: &str) -> Self {
        self.position = Some(position(source, span.start));
        self.span = Some(span);
        self
    }

    /// Says what is to be seen in a further place.
    #[must_use]
    pub fn label(mut self, span: Span, text: impl Into<String>) -> Self {
        self.labels.push(Label { span, text: text.into() });
        self
    }

    /// Says what else is to be known.
    #[must_use]
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }

    /// Says how a program can mend it.
    #[must_use]
    pub fn fix(mut self, fix: Fix) -> Self {
        self.fix = Some(fix);
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
#[must_use]
pub fn position(source: &str, byte: usize) -> (usize, usize) {
    let mut byte = byte.min(source.len());
    while !source.is_char_boundary(byte) {
        byte -= 1;
    }
    let before = &source[..byte];
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    let column = before[line_start..].trim_start_matches('\u{feff}').chars().count() + 1;
    (memchr::memchr_iter(b'\n', before.as_bytes()).count() + 1, column)
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
