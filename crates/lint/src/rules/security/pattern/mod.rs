//! Precompiled regular expressions.
//!
//! To build an automaton costs more than to run it over a few lines. So the program contains, for
//! each regex of the tables ([`precompiled`]), the literals that each match contains ([`prefilter`]), the bytes
//! that it may begin with, and its automaton, which runs from there ([`matcher`]).

/// The build script, so that its tests run, too.
#[cfg(test)]
#[path = "../../../../build/mod.rs"]
mod build_script;
mod compile;
mod encoding;
mod matcher;
mod precompiled;
mod prefilter;
#[cfg(test)]
mod tests;

use std::ops::Range;
use std::sync::OnceLock;

use memchr::memmem::Finder;
use regex_automata::meta::{Config, Regex};
use regex_automata::{Input, PatternID};

use self::compile::{build_nfa, syntax_config};
use self::encoding::{LiteralPrefilter, PrecompiledPattern};
use self::matcher::{PatternMatcher, StepBudget};

/// A regex of a table, as the build script writes it.
#[derive(Debug, Clone, Copy)]
pub(super) struct PatternRegex {
    /// The regex in one line, without its fragments and large counts.
    pub(super) text: &'static str,
    /// Longest match that counts, in bytes: instead of counts in the regex, since an automaton that
    /// counts is a thousand times as large.
    pub(super) longest: usize,
}

/// The regex of a `SecurityPattern`, ready to be matched.
pub(super) struct CompiledPattern {
    text: &'static str,
    /// Its precompiled parts; `None` if it is not from a table.
    precompiled: Option<&'static PrecompiledPattern<'static>>,
    /// The literals that each match contains.
    prefilter: LiteralPrefilter<Finder<'static>>,
    matcher: OnceLock<PatternMatcher>,
    /// The fallback engine, whose time depends on the length of the text alone.
    regex: OnceLock<Regex>,
    /// Longest match that counts, in bytes.
    longest: usize,
}

/// Most overlong matches in one window before the search stops.
const LONG_MATCHES_MAX: usize = 16;

/// A match of a regex, with its groups by name.
#[cfg_attr(test, derive(Debug, PartialEq))]
pub(super) struct RegexMatch {
    /// The whole match.
    pub(super) span: Range<usize>,
    /// The groups that took part in the match.
    pub(super) groups: Vec<(&'static str, Range<usize>)>,
}

impl RegexMatch {
    /// The range of a group; `None` if it took no part in the match.
    pub(super) fn group(&self, name: &str) -> Option<Range<usize>> {
        let (_, range) = self.groups.iter().find(|(known, _)| *known == name)?;
        Some(range.clone())
    }
}

impl CompiledPattern {
    /// Prepares a regex.
    pub(super) fn new(regex: &PatternRegex) -> Self {
        let precompiled = precompiled::find(regex.text);
        // A regex that is not precompiled is tried everywhere.
        let prefilter = precompiled.map_or(LiteralPrefilter::Nothing, |precompiled| {
            precompiled.need.compile()
        });
        CompiledPattern {
            text: regex.text,
            precompiled,
            prefilter,
            matcher: OnceLock::new(),
            regex: OnceLock::new(),
            longest: regex.longest,
        }
    }

    /// Whether a text contains the literals of each match. `lower` is the text in lower case.
    pub(super) fn may_match(&self, lower: &[u8]) -> bool {
        self.prefilter.is_met(lower)
    }

    /// Calls `found` for each match.
    pub(super) fn for_each_match(&'static self, text: &[u8], mut found: impl FnMut(RegexMatch)) {
        let matcher = self.matcher.get_or_init(|| self.build_matcher());
        let (mut at, mut tries) = (0, 0);
        let mut budget = StepBudget::for_text(text);

        while let Some(whole) = self.find_from(matcher, text, at, &mut budget) {
            if whole.len() > self.longest {
                // Too long to count; a shorter match may begin within it.
                tries += 1;
                at = whole.start + 1;
            } else {
                at = whole.end.max(whole.start + 1);
                found(self.with_groups(matcher, text, whole));
            }
            // A text of nothing but overlong matches would be read once for each of them.
            if at > text.len() || tries == LONG_MATCHES_MAX {
                break;
            }
        }
    }

    /// All matches, in order.
    pub(super) fn find_all(&'static self, text: &[u8]) -> Vec<RegexMatch> {
        let mut all = Vec::new();
        self.for_each_match(text, |found| all.push(found));
        all
    }

    /// Whether there is any match.
    pub(super) fn is_match(&'static self, text: &[u8]) -> bool {
        let mut is_in = false;
        self.for_each_match(text, |_| is_in = true);
        is_in
    }

    fn build_matcher(&self) -> PatternMatcher {
        let ready = self
            .precompiled
            .and_then(|precompiled| Some((precompiled.begins, precompiled.automaton()?)));
        // Not precompiled: a match may begin with any byte.
        let (begins, automaton) =
            ready.unwrap_or_else(|| ([[u64::MAX; 4]; 2], build_nfa(self.text)));
        PatternMatcher::new(begins, automaton)
    }

    /// Finds the first match at or after a position.
    fn find_from(
        &self,
        matcher: &PatternMatcher,
        text: &[u8],
        from: usize,
        budget: &mut StepBudget,
    ) -> Option<Range<usize>> {
        // Over the budget: the fallback engine takes over, whose time depends on the length alone.
        matcher.find_first(text, from, budget).unwrap_or_else(|_| {
            let whole = self.regex().search(&Input::new(text).range(from..));
            whole.map(|whole| whole.range())
        })
    }

    /// Adds the groups to a match.
    fn with_groups(
        &'static self,
        matcher: &'static PatternMatcher,
        text: &[u8],
        span: Range<usize>,
    ) -> RegexMatch {
        // Most regexes have no groups, which take another pass to find.
        if !self.text.contains("(?P<") {
            return RegexMatch {
                span,
                groups: Vec::new(),
            };
        }

        let captures = matcher
            .capture_groups(text, span.clone())
            .unwrap_or_else(|_| {
                let mut captures = self.regex().create_captures();
                self.regex()
                    .search_captures(&Input::new(text).range(span.start..), &mut captures);
                captures
            });

        let names = matcher
            .group_names()
            .pattern_names(PatternID::ZERO)
            .flatten();
        let groups = names
            .filter_map(|name| Some((name, captures.get_group_by_name(name)?.range())))
            .collect();
        RegexMatch { span, groups }
    }

    fn regex(&self) -> &Regex {
        self.regex.get_or_init(|| build_regex(self.text))
    }
}

/// Builds the fallback engine. Optimizations for large texts would only be costly for a few lines.
fn build_regex(pattern: &str) -> Regex {
    let config = Config::new().auto_prefilter(false).onepass(false);
    Regex::builder()
        .configure(config)
        .syntax(syntax_config(true))
        .build(pattern)
        .expect("the regexes are constants, and tested")
}
