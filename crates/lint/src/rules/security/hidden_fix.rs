//! The fix of hidden characters: where they can be removed, or written as escapes, without a change for programs and readers.
//!
//! ```text
//! Python, JavaScript, JSON, TOML   in a string or a regular expression   an escape, safe
//! Markdown                         within a word of plain prose          removed, safe
//! everything else                                                        removed, unsafe
//! ```

use std::cell::OnceCell;
use std::ops::Range;

use unicode_script::{Script, UnicodeScript as _};

use super::literals::EscapeLanguage;
use crate::markdown::find_prose;
use skillpm_core::report::{DiagnosticFix, FixApplicability, FixChange};
use skillpm_core::skill::SkillFrontmatter;

/// A file with hidden characters, for as long as fixes for them are made.
pub(super) struct HiddenFixer<'t> {
    text: &'t str,
    kind: FileKind,
    /// Whether the file is about security, or about such characters: it may show them on purpose.
    is_lesson: bool,
    /// The places where a fix may be safe: literals of a program, prose of Markdown.
    places: OnceCell<Vec<Range<usize>>>,
    has_rtl: OnceCell<bool>,
}

#[derive(Clone, Copy)]
enum FileKind {
    Program(EscapeLanguage),
    Markdown,
    Other,
}

impl<'t> HiddenFixer<'t> {
    pub(super) fn new(path: &str, text: &'t str, is_lesson: bool) -> Self {
        let extension = path.rsplit_once('.').map_or("", |(_, extension)| extension);
        let kind = match EscapeLanguage::from_path(path) {
            Some(language) => FileKind::Program(language),
            None if ["md", "markdown"]
                .iter()
                .any(|one| extension.eq_ignore_ascii_case(one)) =>
            {
                FileKind::Markdown
            }
            None => FileKind::Other,
        };

        HiddenFixer {
            text,
            kind,
            is_lesson,
            places: OnceCell::new(),
            has_rtl: OnceCell::new(),
        }
    }

    /// The fix of some runs of hidden characters, each with whether it may encode a message: all safe edits, or, if there are
    /// none, the removal of all, which is unsafe.
    pub(super) fn fix<'r>(
        &self,
        runs: impl Iterator<Item = (&'r Range<usize>, bool)> + Clone,
    ) -> DiagnosticFix {
        let edit = |span: &Range<usize>, content| FixChange::Edit {
            span: span.clone(),
            content,
        };
        let safe: Vec<FixChange> = runs
            .clone()
            .filter_map(|(span, is_message)| {
                Some(edit(span, self.safe_replacement(span, is_message)?))
            })
            .collect();

        if safe.is_empty() {
            return DiagnosticFix {
                applicability: FixApplicability::Unsafe,
                message: "remove the hidden characters".into(),
                changes: runs.map(|(span, _)| edit(span, String::new())).collect(),
            };
        }
        let message = match self.kind {
            FileKind::Program(_) => "write the hidden characters as escapes",
            FileKind::Markdown | FileKind::Other => "remove the hidden characters",
        };
        DiagnosticFix {
            applicability: FixApplicability::Safe,
            message: message.into(),
            changes: safe,
        }
    }

    /// The text that replaces a run so that the file means the same to every program and reader; `None` if nothing can.
    fn safe_replacement(&self, span: &Range<usize>, is_message: bool) -> Option<String> {
        let is_in_place = || {
            let places = self.places.get_or_init(|| self.find_places());
            let after = places.partition_point(|place| place.start <= span.start);
            after > 0 && span.end <= places[after - 1].end
        };

        match self.kind {
            FileKind::Program(language) => {
                (!self.is_escaped(span.start) && is_in_place()).then(|| {
                    self.text[span.clone()]
                        .chars()
                        .map(|c| language.escape(c))
                        .collect()
                })
            }
            // A message is text to an agent, however little a person sees of it.
            FileKind::Markdown => (!is_message
                && self.is_in_word(span)
                && self.keeps_direction(span)
                && is_in_place())
            .then(String::new),
            FileKind::Other => None,
        }
    }

    fn find_places(&self) -> Vec<Range<usize>> {
        match self.kind {
            FileKind::Program(language) => language.find_literals(self.text).unwrap_or_default(),
            FileKind::Markdown if !self.is_lesson && !names_hidden_characters(self.text) => {
                prose_start(self.text).map_or_else(Vec::new, |start| find_prose(self.text, start))
            }
            FileKind::Markdown | FileKind::Other => Vec::new(),
        }
    }

    /// Whether a backslash escapes what begins at a byte.
    fn is_escaped(&self, at: usize) -> bool {
        let before = &self.text[..at];
        (before.len() - before.trim_end_matches('\\').len()) % 2 == 1
    }

    /// Whether a run is within a word of letters, or at its end: nothing there is syntax of Markdown, a path or a command.
    /// Only of alphabets whose letters are not joined, so that a joiner has no effect on them.
    fn is_in_word(&self, span: &Range<usize>) -> bool {
        let is_letter = |c: char| {
            c.is_alphabetic()
                && matches!(c.script(), Script::Latin | Script::Greek | Script::Cyrillic)
        };
        let is_end = |c: char| matches!(c, ',' | '.' | ';' | ':' | '!' | '?');

        // Longer ones are no words; without a limit each run of a long one would read it again.
        let before: Vec<char> = self.text[..span.start]
            .chars()
            .rev()
            .take(WORD_MAX)
            .take_while(|c| !c.is_whitespace())
            .collect();
        let after: Vec<char> = self.text[span.end..]
            .chars()
            .take(WORD_MAX)
            .take_while(|c| !c.is_whitespace())
            .collect();
        if before.len() == WORD_MAX || after.len() == WORD_MAX {
            return false;
        }

        let word: Vec<char> = before.into_iter().rev().chain(after).collect();
        let stem = word
            .iter()
            .rposition(|c| !is_end(*c) && !is_removable(*c))
            .map_or(0, |last| last + 1);
        stem > 0
            && word[..stem]
                .iter()
                .all(|c| is_letter(*c) || is_removable(*c))
            && self.text[span.clone()].chars().all(is_removable)
    }

    /// Whether the text is displayed in the same order without a run.
    fn keeps_direction(&self, span: &Range<usize>) -> bool {
        let directs =
            |c: char| matches!(c, '\u{200e}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        !self.text[span.clone()].contains(directs)
            || !*self.has_rtl.get_or_init(|| {
                self.text
                    .contains(|c| super::hidden::is_rtl(c) || turns_direction(c))
            })
    }
}

/// The longest word in which a character is removed, in characters on either side.
const WORD_MAX: usize = 64;

/// Whether a character within a word has no meaning of its own. Not here: selectors, operators, and fillers, which have a width.
fn is_removable(c: char) -> bool {
    matches!(
        c,
        '\u{ad}' | '\u{200b}'
            ..='\u{200e}'
                | '\u{202a}'
                | '\u{202c}'
                | '\u{202d}'
                | '\u{2060}'
                | '\u{2066}'
                | '\u{2068}'
                | '\u{2069}'
                | '\u{feff}'
    )
}

/// Whether a character turns the text after it from right to left.
fn turns_direction(c: char) -> bool {
    matches!(
        c,
        '\u{200f}' | '\u{61c}' | '\u{202b}' | '\u{202e}' | '\u{2067}'
    )
}

/// Whether a text is about such characters, and may show them.
fn names_hidden_characters(text: &str) -> bool {
    const NAMES: [&str; 7] = [
        "unicode",
        "zero-width",
        "zero width",
        "invisible",
        "soft hyphen",
        "u+",
        "\\u",
    ];
    let text = text.to_ascii_lowercase();
    NAMES.iter().any(|name| text.contains(name))
}

/// Where the Markdown of a file begins, after its frontmatter; `None` if that cannot be read.
fn prose_start(text: &str) -> Option<usize> {
    let begins = text.trim_start_matches('\u{feff}').trim_start();
    // Some tools have frontmatter in TOML.
    if !begins.starts_with("---") && !begins.starts_with("+++") {
        return Some(0);
    }
    SkillFrontmatter::open(text, &mut Vec::new()).map(|frontmatter| frontmatter.fences.body_start)
}
