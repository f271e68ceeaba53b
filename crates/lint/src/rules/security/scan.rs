//! The scanner: one pass over every file for trigger words; regular expressions only around them.
//!
//! ```text
//! file ─ TriggerWords ─ SecurityPattern: window, regex, report ─ FindingSink ─ findings
//!   ├ obfuscated? ─ a second time, without the obfuscation
//!   └ Markdown? ─── a second time, as it is rendered, for the patterns of prose
//! ```
//!
//! Scanned bytes are counted, and a text has a budget for each of its bytes
//! ([`text::BUDGET_PER_BYTE`]): otherwise a file of nothing but `<!--` would take minutes. The rest
//! of a file over its budget is not scanned, which is reported.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::{LazyLock, OnceLock};

use memchr::memmem::Finder;

use super::context::SkillTopic;
use super::obfuscation;
use super::pattern::{CompiledPattern, PatternRegex, RegexMatch};
use super::sink::FindingSink;
use super::text::{self, TextKind, WindowScope};
use super::view::{PatternMatch, ScanBuffers, ScanView};
use super::words::TriggerWords;

/// A pattern of dangerous text: a row of a table, as the build script writes it.
pub(super) struct SecurityPattern {
    /// The code of the rule it belongs to. Its report may add findings of another one.
    pub(super) rule: &'static str,
    /// Trigger words, one of which each match contains, in lower case; matched in any case.
    pub(super) triggers: &'static [&'static str],
    /// How much text around a trigger the regex is matched against.
    pub(super) scope: WindowScope,
    /// A case-insensitive regex in which `.` matches a line end, too. `None` for the trigger itself.
    pub(super) regex: Option<PatternRegex>,
    /// Words, in lower case, one of which the window must contain; empty for no such condition.
    /// Checked first, since it costs little.
    pub(super) required_words: &'static [&'static str],
    /// The pass it belongs to.
    pub(super) pass: ScanPass,
    /// The only kind of file in which it is searched; `None` for all.
    pub(super) only_in: Option<TextKind>,
    /// Whether it matches prose, so that the rendered text of a page is searched, too.
    pub(super) is_prose: bool,
    /// Reports a match.
    pub(super) report: fn(&PatternMatch<'_>, &mut FindingSink<'_>),
    /// What the table says that it matches.
    #[cfg(test)]
    pub(super) examples: PatternExamples,
}

/// The examples of a row of a table.
#[cfg(test)]
#[derive(Debug, Clone, Copy)]
pub(super) struct PatternExamples {
    /// The table, below the directory of the rules.
    pub(super) table: &'static str,
    /// The id of the row.
    pub(super) id: &'static str,
    /// Texts that it matches.
    pub(super) matches: &'static [&'static str],
    /// Texts that it does not match.
    pub(super) misses: &'static [&'static str],
}

/// The patterns of a group, ready to be searched.
struct PatternSet {
    words: TriggerWords,
    /// For each word, the indices of the patterns it triggers.
    patterns_by_word: Vec<Vec<u16>>,
    patterns: Vec<SearchedPattern>,
}

/// A pattern of a set, with what its search needs, made when it is needed.
struct SearchedPattern {
    pattern: &'static SecurityPattern,
    required_words: OnceLock<Vec<Finder<'static>>>,
    compiled: OnceLock<CompiledPattern>,
}

impl SearchedPattern {
    fn new(pattern: &'static SecurityPattern) -> Self {
        SearchedPattern {
            pattern,
            required_words: OnceLock::new(),
            compiled: OnceLock::new(),
        }
    }

    /// Whether the window, in lower case, has one of the required words.
    fn has_required_word(&self, lower: &[u8]) -> bool {
        let words = self.required_words.get_or_init(|| {
            self.pattern
                .required_words
                .iter()
                .map(Finder::new)
                .collect()
        });
        words.is_empty() || words.iter().any(|word| word.find(lower).is_some())
    }
}

/// A group of patterns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PatternGroup {
    /// Actions: commands, code, addresses, secrets.
    Actions,
    /// Those of them that are in prose.
    Prose,
    /// Instructions to the agent in plain language.
    Instructions,
}

static ACTION_PATTERNS: LazyLock<PatternSet> =
    LazyLock::new(|| PatternSet::new(super::action_patterns()));
static PROSE_PATTERNS: LazyLock<PatternSet> =
    LazyLock::new(|| PatternSet::new(super::prose_patterns()));
static INSTRUCTION_PATTERNS: LazyLock<PatternSet> =
    LazyLock::new(|| PatternSet::new(super::prompt_instructions::patterns()));

impl PatternSet {
    fn new(patterns: impl Iterator<Item = &'static SecurityPattern>) -> PatternSet {
        let patterns: Vec<_> = patterns.map(SearchedPattern::new).collect();

        // The marks of obfuscation come first, and trigger no pattern.
        let mut words: Vec<&str> = obfuscation::OBFUSCATION_MARKS.to_vec();
        let mut known: HashMap<&str, usize> = HashMap::new();
        let mut patterns_by_word: Vec<Vec<u16>> = words.iter().map(|_| Vec::new()).collect();

        for (at, searched) in patterns.iter().enumerate() {
            for word in searched.pattern.triggers {
                let index = *known.entry(word).or_insert_with(|| {
                    words.push(word);
                    patterns_by_word.push(Vec::new());
                    words.len() - 1
                });
                patterns_by_word[index]
                    .push(u16::try_from(at).expect("there are some hundred patterns"));
            }
        }

        let words = TriggerWords::new(words);
        PatternSet {
            words,
            patterns_by_word,
            patterns,
        }
    }
}

/// The pass in which a pattern is searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ScanPass {
    /// All patterns but those of the second pass.
    First,
    /// The patterns that matter only if the first pass found a read of a secret.
    Second,
}

/// Matches a text against the patterns of a group. Returns whether something in it is obfuscated.
pub(super) fn scan<'s>(
    group: PatternGroup,
    view: &'s ScanView<'s>,
    pass: ScanPass,
    topic: &'s SkillTopic<'s>,
    sink: &mut FindingSink<'_>,
) -> bool {
    let engine: &PatternSet = match group {
        PatternGroup::Actions => &ACTION_PATTERNS,
        PatternGroup::Prose => &PROSE_PATTERNS,
        PatternGroup::Instructions => &INSTRUCTION_PATTERNS,
    };
    // Each group has a budget of its own.
    view.source.reset_budget();
    let mut buffers = std::mem::take(&mut sink.buffers);
    buffers.searched_to.clear();
    buffers.window = 0..0;
    buffers.paragraph = 0..0;
    let mut text_scan = TextScan {
        engine,
        view,
        pass,
        topic,
        buffers,
        reached: 0,
        is_obfuscated: false,
    };

    engine
        .words
        .for_each_match(view.source.text, |word, range| {
            text_scan.visit_word(word, &range, sink);
        });
    sink.buffers = text_scan.buffers;

    // A file that exhausts its budget was made for that, so the rest of it is not trusted.
    if view.source.is_exhausted() {
        let read = view.original_span(&(0..text_scan.reached)).end;
        super::unread::report_exhausted(view.source.path, read, view.original.len(), sink);
    }
    text_scan.is_obfuscated
}

/// The scan of one text.
struct TextScan<'s> {
    engine: &'static PatternSet,
    view: &'s ScanView<'s>,
    pass: ScanPass,
    topic: &'s SkillTopic<'s>,
    buffers: ScanBuffers,
    /// The end of the last word before the budget was exhausted.
    reached: usize,
    is_obfuscated: bool,
}

impl<'s> TextScan<'s> {
    /// Takes a word of the group that was found: a mark of obfuscation, or a trigger of patterns.
    fn visit_word(&mut self, word: usize, range: &Range<usize>, sink: &mut FindingSink<'_>) {
        let source = &self.view.source;
        // The search for words goes on, which is linear; only the costly part stops.
        if source.is_exhausted() {
            return;
        }

        self.reached = range.end;
        if word < obfuscation::OBFUSCATION_MARKS.len() {
            self.is_obfuscated = self.is_obfuscated
                || obfuscation::is_obfuscation(source.text, range.start, range.end);
        } else {
            self.run_patterns(word, range, sink);
        }
    }
    /// Matches the patterns of a trigger word.
    fn run_patterns(&mut self, word: usize, range: &Range<usize>, sink: &mut FindingSink<'_>) {
        // A line end before a word only anchors it.
        let is_anchored = self.view.source.text.as_bytes()[range.start] == b'\n';
        let trigger = range.start + usize::from(is_anchored);
        self.buffers
            .searched_to
            .resize(self.engine.patterns.len(), 0);

        let engine = self.engine;
        for &at in &engine.patterns_by_word[word] {
            let at = usize::from(at);
            let searched = &engine.patterns[at];
            let pattern = searched.pattern;
            // A window that holds several triggers is searched once.
            if !self.is_searched(pattern) || trigger < self.buffers.searched_to[at] {
                continue;
            }

            let Some(regex) = &pattern.regex else {
                let whole = RegexMatch {
                    span: range.clone(),
                    groups: Vec::new(),
                };
                let hit = self.pattern_match(pattern, whole, 0, trigger);
                (pattern.report)(&hit, sink);
                continue;
            };

            let (window, covered) = self.find_window(pattern, trigger);
            self.buffers.searched_to[at] = covered;
            // Text that the plain file has, too, was searched there.
            if !self.view.was_seen(&window) && self.has_required_word(searched, &window) {
                let compiled = searched
                    .compiled
                    .get_or_init(|| CompiledPattern::new(regex));
                self.report_matches(pattern, compiled, window, trigger, sink);
            }
        }
    }

    /// Whether a pattern is searched in this pass and in this kind of file.
    fn is_searched(&self, pattern: &SecurityPattern) -> bool {
        let kind = self.view.source.kind;
        pattern.pass == self.pass && pattern.only_in.is_none_or(|only| only == kind)
    }

    /// Returns the window of a pattern around a trigger, and where the next window may begin.
    fn find_window(&mut self, pattern: &SecurityPattern, trigger: usize) -> (Range<usize>, usize) {
        let is_paragraph = pattern.scope == WindowScope::Paragraph;
        let last = &self.buffers.paragraph;
        let (window, covered) = if is_paragraph && last.contains(&trigger) {
            (last.clone(), last.end)
        } else {
            self.view.source.window(trigger, pattern.scope)
        };

        // A paragraph shorter than the window limit is the same from each of its positions.
        if is_paragraph && window.len() < text::WINDOW_MAX {
            self.buffers.paragraph = window.clone();
        }
        (window, covered)
    }

    /// Whether a window has a required word of a pattern. Leaves the window in lower case in the
    /// buffer.
    fn has_required_word(&mut self, searched: &SearchedPattern, window: &Range<usize>) -> bool {
        let text = &self.view.source.text[window.clone()];
        self.view.source.spend(text.len());

        // Patterns of one scope share the window, so it is lowercased once.
        if self.buffers.window != *window {
            let lower = &mut self.buffers.lower;
            lower.clear();
            lower.extend(text.bytes().map(|byte| byte.to_ascii_lowercase()));
            self.buffers.window = window.clone();
        }
        searched.has_required_word(&self.buffers.lower)
    }

    /// Reports the matches in a window, which is in the buffer in lower case.
    fn report_matches(
        &self,
        pattern: &'static SecurityPattern,
        compiled: &'static CompiledPattern,
        window: Range<usize>,
        trigger: usize,
        sink: &mut FindingSink<'_>,
    ) {
        if !compiled.may_match(&self.buffers.lower) {
            return;
        }

        let text = &self.view.source.text[window.clone()];
        compiled.for_each_match(text.as_bytes(), |regex_match| {
            // The report of a match reads about as much.
            self.view.source.spend(text.len());
            let hit = self.pattern_match(pattern, regex_match, window.start, trigger);
            (pattern.report)(&hit, sink);
        });
    }

    /// Returns a match in a window that begins at `start`.
    fn pattern_match(
        &self,
        pattern: &SecurityPattern,
        regex_match: RegexMatch,
        start: usize,
        trigger: usize,
    ) -> PatternMatch<'s> {
        // A match over bytes may begin or end inside a character.
        let text = self.view.source.text;
        let place = |range: Range<usize>| {
            text.floor_char_boundary(start + range.start)
                ..text.ceil_char_boundary(start + range.end)
        };

        let groups = regex_match
            .groups
            .into_iter()
            .map(|(name, range)| (name, place(range)));
        PatternMatch {
            rule: pattern.rule,
            view: self.view,
            topic: self.topic,
            span: place(regex_match.span),
            trigger,
            groups: groups.collect(),
        }
    }
}
