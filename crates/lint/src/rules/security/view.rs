//! A file as it is scanned, and a match in it, with the way back to positions in the file itself.
//!
//! ```text
//! file: te&#108;l      scanned: tell      match 0..4 → original 0..8
//! ```

use std::ops::Range;

use super::context::{MatchContext, SkillTopic};
use super::text::{ScanText, TextKind, WindowScope};
use skillpm_core::report::Span;

/// A match of a pattern.
pub(super) struct PatternMatch<'h> {
    /// The code of the rule that the pattern belongs to.
    pub(super) rule: &'static str,
    /// The scanned file.
    pub(super) view: &'h ScanView<'h>,
    /// The topic of the skill.
    pub(super) topic: &'h SkillTopic<'h>,
    /// The match, in bytes of the scanned text.
    pub(super) span: Range<usize>,
    /// Where the trigger is.
    pub(super) trigger: usize,
    /// Groups of the regex by name, in the same bytes.
    pub(super) groups: Vec<(&'static str, Range<usize>)>,
}

impl<'h> PatternMatch<'h> {
    /// Returns the matched text.
    pub(super) fn text(&self) -> &'h str {
        &self.view.source.text[self.span.clone()]
    }

    /// Returns the text of a group of the regex.
    pub(super) fn group(&self, name: &str) -> Option<&'h str> {
        Some(&self.view.source.text[self.group_span(name)?])
    }

    /// Returns the span of a group of the regex.
    pub(super) fn group_span(&self, name: &str) -> Option<Range<usize>> {
        self.groups
            .iter()
            .find(|(known, _)| *known == name)
            .map(|(_, span)| span.clone())
    }

    /// Returns the whole scanned text.
    pub(super) fn full_text(&self) -> &'h str {
        self.view.source.text
    }

    /// Whether it begins in a program, or in the code of a page.
    pub(super) fn is_code(&self) -> bool {
        let source = &self.view.source;
        // The match may continue after the code, so only its first character counts.
        let begin = self.span.start..self.full_text().ceil_char_boundary(self.span.start + 1);
        source.kind == TextKind::Other
            || source.is_fenced(begin.start)
            || self.view.is_inline_code(&begin)
    }

    /// Returns the text on the line before it.
    pub(super) fn line_before(&self) -> &'h str {
        let line = self.view.source.line_range(self.span.start);
        &self.full_text()[line.start..self.span.start]
    }

    /// Returns the text around a byte.
    pub(super) fn window_text(&self, at: usize, scope: WindowScope) -> &'h str {
        &self.full_text()[self.view.source.window_range(at, scope)]
    }
}

/// A file as it is scanned, with the way back to positions in the file itself.
pub(super) struct ScanView<'a> {
    /// The scanned text.
    pub(super) source: ScanText<'a>,
    /// The file.
    pub(super) original: &'a str,
    /// The position in the file of each scanned byte; `None` where both are the same.
    map: Option<&'a [u32]>,
    /// The file as it is written, if the scanned text is the file as it is rendered.
    written: Option<&'a ScanText<'a>>,
}

impl<'a> ScanView<'a> {
    pub(super) fn plain(path: &'a str, text: &'a str) -> Self {
        ScanView {
            source: ScanText::new(path, text),
            original: text,
            map: None,
            written: None,
        }
    }

    pub(super) fn unmasked(
        path: &'a str,
        original: &'a str,
        text: &'a str,
        map: &'a [u32],
    ) -> Self {
        ScanView {
            source: ScanText::new(path, text),
            original,
            map: Some(map),
            written: None,
        }
    }

    /// Returns the view of a file as it is rendered: without the marks of Markdown and HTML.
    pub(super) fn rendered(written: &'a ScanText<'a>, text: &'a str, map: &'a [u32]) -> Self {
        let source = ScanText::new(written.path, text);
        ScanView {
            source,
            original: written.text,
            map: Some(map),
            written: Some(written),
        }
    }

    /// Whether the scanned text is the file itself.
    pub(super) fn is_plain(&self) -> bool {
        self.map.is_none()
    }

    /// Whether the file has other bytes here.
    fn differs(&self, span: &Range<usize>) -> bool {
        !self.is_plain()
            && self.original[self.original_span(span)] != self.source.text[span.clone()]
    }

    /// Whether the file is obfuscated here. Marks of Markdown are not obfuscation.
    pub(super) fn is_obfuscated(&self, span: &Range<usize>) -> bool {
        self.written.is_none() && self.differs(span)
    }

    /// Whether the plain file has the same bytes here: then it was already scanned.
    pub(super) fn was_seen(&self, span: &Range<usize>) -> bool {
        !self.is_plain() && !self.differs(span)
    }

    /// Whether a span is inline code of the file as it is written.
    pub(super) fn is_inline_code(&self, span: &Range<usize>) -> bool {
        match self.written {
            Some(written) => written.is_inline_code(&self.original_span(span)),
            None => self.source.is_inline_code(span),
        }
    }

    /// Returns the context of a span of the file.
    pub(super) fn match_context(
        &self,
        topic: &SkillTopic<'_>,
        span: &Range<usize>,
    ) -> MatchContext {
        match self.written {
            Some(written) => topic.match_context(written, &self.original_span(span)),
            None => topic.match_context(&self.source, span),
        }
    }

    pub(super) fn original_span(&self, span: &Range<usize>) -> Span {
        let Some(map) = self.map else {
            return span.clone();
        };

        let start = map[span.start] as usize;
        // Rendered comments are at the end, and may be further up in the file.
        let last = (map[span.end.max(span.start + 1) - 1] as usize).max(start);
        start..self.original.ceil_char_boundary(last + 1)
    }
}

/// Buffers that all scans reuse.
#[derive(Default)]
pub(super) struct ScanBuffers {
    /// The position up to which each pattern was searched: a window that holds several triggers is
    /// searched once.
    pub(super) searched_to: Vec<usize>,
    /// The last window, and its text in lower case: patterns of the same scope use it one after the
    /// other.
    pub(super) window: Range<usize>,
    pub(super) lower: Vec<u8>,
    /// The last paragraph, if its window was not cut.
    pub(super) paragraph: Range<usize>,
}
