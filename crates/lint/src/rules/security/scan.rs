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

use super::context::{MatchContext, SkillTopic};
use super::obfuscation;
use super::pattern::{CompiledPattern, PatternRegex, RegexMatch};
use super::text::{self, ScanText, TextKind, WindowScope};
use super::words::TriggerWords;
use crate::{FindingList, Rule};
use skillpm_core::report::{Diagnostic, DiagnosticLevel, Span};

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

impl SecurityPattern {
    /// Whether the window, in lower case, has one of the required words.
    fn has_required_word(&self, lower: &[u8]) -> bool {
        self.required_words.is_empty()
            || self
                .required_words
                .iter()
                .any(|needed| memchr::memmem::find(lower, needed.as_bytes()).is_some())
    }
}

/// A match of a [`SecurityPattern`].
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
    groups: Vec<(&'static str, Range<usize>)>,
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
    original: &'a str,
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
    fn is_obfuscated(&self, span: &Range<usize>) -> bool {
        self.written.is_none() && self.differs(span)
    }

    /// Whether the plain file has the same bytes here: then it was already scanned.
    fn was_seen(&self, span: &Range<usize>) -> bool {
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
    fn match_context(&self, topic: &SkillTopic<'_>, span: &Range<usize>) -> MatchContext {
        match self.written {
            Some(written) => topic.match_context(written, &self.original_span(span)),
            None => topic.match_context(&self.source, span),
        }
    }

    fn original_span(&self, span: &Range<usize>) -> Span {
        let Some(map) = self.map else {
            return span.clone();
        };

        let start = map[span.start] as usize;
        // Rendered comments are at the end, and may be further up in the file.
        let last = (map[span.end.max(span.start + 1) - 1] as usize).max(start);
        start..self.original.ceil_char_boundary(last + 1)
    }
}

/// A finding about a match, before its context is weighed.
pub(super) struct PatternFinding {
    /// The violated rule.
    pub(super) rule: &'static Rule,
    /// Its level if nothing in the context lowers it.
    pub(super) level: DiagnosticLevel,
    /// The message, in one sentence.
    pub(super) message: String,
    /// Further notes.
    pub(super) notes: Vec<String>,
    /// The help line.
    pub(super) help: &'static str,
    /// Whether a lesson is no excuse: working payloads are not shown as examples.
    pub(super) never_excused: bool,
    /// The span, if not the whole match.
    pub(super) span: Option<Range<usize>>,
}

impl PatternFinding {
    pub(super) fn new(
        rule: &'static Rule,
        level: DiagnosticLevel,
        message: impl Into<String>,
        help: &'static str,
    ) -> Self {
        PatternFinding {
            rule,
            level,
            message: message.into(),
            notes: Vec::new(),
            help,
            never_excused: false,
            span: None,
        }
    }

    pub(super) fn with_note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }

    pub(super) fn never_excused(mut self) -> Self {
        self.never_excused = true;
        self
    }

    pub(super) fn at(mut self, span: Option<Range<usize>>) -> Self {
        self.span = span;
        self
    }
}

/// Collects the findings of a skill.
pub(super) struct FindingSink<'a> {
    findings: Vec<ScanFinding>,
    /// The findings of each rule and file.
    by_rule: HashMap<(&'static str, String), RuleFindings>,
    /// Reads of credentials, which are errors if the skill also uploads data.
    secret_reads: Vec<SecretRead>,
    /// The first upload to another host.
    first_upload: Option<DataUpload>,
    /// Calls that send data read just before.
    leaks: Vec<SecretLeak>,
    topic: &'a SkillTopic<'a>,
    buffers: ScanBuffers,
}

/// Buffers that all scans reuse.
#[derive(Default)]
struct ScanBuffers {
    /// The position up to which each pattern was searched: a window that holds several triggers is
    /// searched once.
    searched_to: Vec<usize>,
    /// The last window, and its text in lower case: patterns of the same scope use it one after the
    /// other.
    window: Range<usize>,
    lower: Vec<u8>,
    /// The last paragraph, if its window was not cut.
    paragraph: Range<usize>,
}

/// The findings of one rule in one file.
#[derive(Default)]
struct RuleFindings {
    /// Their indices in [`FindingSink::findings`].
    indices: Vec<usize>,
    /// Whether there were more.
    is_truncated: bool,
}

/// Most findings of a rule in a file: more are of no use, and a file can be made to have millions.
const FINDINGS_MAX: usize = 100;

/// Most recorded reads of secrets: one that is sent suffices.
const READS_MAX: usize = 1000;

/// A finding, and the file it is in.
struct ScanFinding {
    path: String,
    diagnostic: Diagnostic,
}

/// A read of a secret.
struct SecretRead {
    /// The index of its finding; `None` if it is a finding only together with an upload.
    finding: Option<usize>,
    /// The path of the finding it becomes.
    path: String,
    diagnostic: Diagnostic,
    /// Whether any upload makes it a theft, and not only one to a host made for stolen data.
    is_store_read: bool,
    /// The variables that hold it, if it is a theft only where the same file sends one of them.
    variables: Option<Vec<String>>,
    /// The name of the secret, if it is a theft only where a collector gets it: another host may be
    /// the one that issued it.
    collector_secret: Option<String>,
}

/// A call that sends data read just before.
struct SecretLeak {
    path: String,
    place: String,
    /// The text of the call, and in code of the two lines after it.
    call: String,
    /// Whether a file is read there.
    reads_file: bool,
    /// The host it goes to, if that is a collector.
    collector: Option<String>,
}

impl SecretLeak {
    /// Whether it sends the secret of a read, as far as can be seen.
    fn leaks_read(&self, read: &SecretRead) -> bool {
        let is_word = |c: char| c.is_alphanumeric() || c == '_';

        let is_sent = match (&read.collector_secret, &self.collector) {
            // A key of the host itself, such as its API token, belongs there.
            (Some(secret), Some(host)) => {
                !super::credential_theft::is_named_after_host(secret, host)
            }
            (Some(_), None) => false,
            (None, _) => self.reads_file,
        };

        if !is_sent {
            return false;
        }

        match &read.variables {
            Some(variables) => self
                .call
                .split(|c| !is_word(c))
                .any(|word| variables.iter().any(|variable| variable == word)),
            None => read.is_store_read,
        }
    }
}

/// An upload of data.
struct DataUpload {
    /// Its path and line: `scripts/run.sh:12`.
    place: String,
    /// Whether it goes to a host made for stolen data.
    is_suspicious: bool,
}

impl<'a> FindingSink<'a> {
    pub(super) fn new(topic: &'a SkillTopic<'a>) -> Self {
        FindingSink {
            findings: Vec::new(),
            by_rule: HashMap::new(),
            secret_reads: Vec::new(),
            first_upload: None,
            leaks: Vec::new(),
            topic,
            buffers: ScanBuffers::default(),
        }
    }

    /// Adds a finding, at the level that its context leaves.
    pub(super) fn report(&mut self, hit: &PatternMatch<'_>, finding: PatternFinding) {
        // Text that is not obfuscated was found in the plain scan.
        if hit.view.was_seen(&hit.span)
            || self.is_full(finding.rule, hit.view.source.path, finding.level)
        {
            return;
        }

        // The context of a note that is not shown does not matter.
        let matters = finding.level > DiagnosticLevel::Note
            || self.topic.is_reported(finding.rule, hit.view.source.path);
        let context = if matters {
            self.match_context(hit, &finding)
        } else {
            MatchContext::default()
        };
        let rule = finding.rule;
        let (diagnostic, _) = weigh_finding(hit, finding, &context);
        self.store_finding(rule, hit.view.source.path, diagnostic);
    }

    /// Adds a finding at this level, whatever its context. `make` is called only if the finding is
    /// kept: to compute its position takes a pass over all text before it.
    pub(super) fn report_as_is(
        &mut self,
        rule: &'static Rule,
        level: DiagnosticLevel,
        path: &str,
        make: impl FnOnce() -> Diagnostic,
    ) {
        if !self.is_full(rule, path, level) {
            let diagnostic = Diagnostic { level, ..make() };
            self.store_finding(rule, path, diagnostic);
        }
    }

    /// Whether a file has enough findings of a rule, none of which is less severe.
    fn is_full(&mut self, rule: &'static Rule, path: &str, level: DiagnosticLevel) -> bool {
        let Some(kept) = self.by_rule.get_mut(&(rule.name, path.to_owned())) else {
            return false;
        };
        let is_least = |at: &usize| self.findings[*at].diagnostic.level >= level;
        let is_full = kept.indices.len() >= FINDINGS_MAX && kept.indices.iter().all(is_least);
        kept.is_truncated |= is_full;
        is_full
    }

    fn store_finding(
        &mut self,
        rule: &'static Rule,
        path: &str,
        diagnostic: Diagnostic,
    ) -> Option<usize> {
        let kept = self
            .by_rule
            .entry((rule.name, path.to_owned()))
            .or_default();
        let overlaps = |other: &ScanFinding| match (&other.diagnostic.span, &diagnostic.span) {
            // Several patterns of a rule match the same command: one finding is enough.
            (Some(a), Some(b)) => a.start < b.end && b.start < a.end,
            _ => true,
        };

        let same = kept
            .indices
            .iter()
            .copied()
            .find(|at| overlaps(&self.findings[*at]));
        // If there are enough, a more severe finding replaces the least severe one.
        let full = kept.indices.len() >= FINDINGS_MAX;
        let least = kept
            .indices
            .iter()
            .copied()
            .min_by_key(|at| self.findings[*at].diagnostic.level);
        kept.is_truncated |= same.is_none() && full;

        match same.or(least.filter(|_| full)) {
            Some(at) => {
                // The more severe of two findings about the same text is the one to read.
                if self.findings[at].diagnostic.level < diagnostic.level {
                    self.findings[at].diagnostic = diagnostic;
                }
                None
            }
            None => {
                kept.indices.push(self.findings.len());
                self.findings.push(ScanFinding {
                    path: path.to_owned(),
                    diagnostic,
                });
                Some(self.findings.len() - 1)
            }
        }
    }

    fn match_context(&self, hit: &PatternMatch<'_>, finding: &PatternFinding) -> MatchContext {
        hit.view.source.spend(2 * text::WINDOW_MAX);
        hit.view
            .match_context(self.topic, finding.span.as_ref().unwrap_or(&hit.span))
    }

    /// Records a read of a secret. `alone`: whether it is a finding even if nothing is sent.
    pub(super) fn record_read(
        &mut self,
        hit: &PatternMatch<'_>,
        finding: PatternFinding,
        alone: bool,
    ) {
        if hit.view.was_seen(&hit.span) || self.secret_reads.len() >= READS_MAX {
            return;
        }

        let path = hit.view.source.path.to_owned();
        let context = self.match_context(hit, &finding);
        let rule = finding.rule;
        let (diagnostic, lowered) = weigh_finding(hit, finding, &context);
        let index = if alone {
            self.store_finding(rule, &path, diagnostic.clone())
        } else {
            None
        };
        if !lowered {
            self.secret_reads.push(SecretRead {
                finding: index,
                path,
                diagnostic,
                is_store_read: alone,
                variables: None,
                collector_secret: None,
            });
        }
    }

    /// Records the name of a secret in code: a theft if the same file sends one of the variables
    /// that hold it.
    pub(super) fn record_name(
        &mut self,
        hit: &PatternMatch<'_>,
        finding: PatternFinding,
        variables: Vec<String>,
    ) {
        self.record_named_read(hit, finding, variables, None);
    }

    /// Records the name of a secret in code, which is a theft if the same file sends one of the
    /// variables that hold it to a collector.
    pub(super) fn record_name_for_collectors(
        &mut self,
        hit: &PatternMatch<'_>,
        finding: PatternFinding,
        variables: Vec<String>,
        secret: &str,
    ) {
        self.record_named_read(hit, finding, variables, Some(secret.to_owned()));
    }

    fn record_named_read(
        &mut self,
        hit: &PatternMatch<'_>,
        finding: PatternFinding,
        variables: Vec<String>,
        collector_secret: Option<String>,
    ) {
        if self.secret_reads.len() >= READS_MAX {
            return;
        }

        let context = self.match_context(hit, &finding);
        let (diagnostic, lowered) = weigh_finding(hit, finding, &context);
        // The names of deobfuscated text are those of the plain text, where they were recorded.
        if hit.view.is_plain() && !lowered && !context.pattern {
            let path = hit.view.source.path.to_owned();
            self.secret_reads.push(SecretRead {
                finding: None,
                path,
                diagnostic,
                is_store_read: false,
                variables: Some(variables),
                collector_secret,
            });
        }
    }

    /// Records a call that sends data read just before.
    pub(super) fn record_read_leak(&mut self, hit: &PatternMatch<'_>, collector: Option<String>) {
        self.record_leak(hit, true, collector);
    }

    /// Records a call that sends the value of a variable to a collector.
    pub(super) fn record_variable_leak(&mut self, hit: &PatternMatch<'_>, collector: String) {
        self.record_leak(hit, false, Some(collector));
    }

    fn record_leak(&mut self, hit: &PatternMatch<'_>, reads: bool, collector: Option<String>) {
        if self.leaks.len() >= READS_MAX {
            return;
        }

        hit.view.source.spend(2 * text::WINDOW_MAX);
        let context = hit.view.match_context(self.topic, &hit.span);
        // A command that is forbidden, or a regex that looks for it, sends nothing.
        if !context.negated && !context.pattern {
            let (line, _) = skillpm_core::report::position(
                hit.view.original,
                hit.view.original_span(&hit.span).start,
            );
            let path = hit.view.source.path.to_owned();
            // A call in code may get its data in the next lines; a command has all on its own.
            let is_code = hit.text().contains('(') && !hit.text().starts_with("curl ");
            let scope = if is_code {
                WindowScope::Following(2)
            } else {
                WindowScope::Statement
            };
            let window = hit.view.source.window_range(hit.span.start, scope);
            self.leaks.push(SecretLeak {
                place: format!("{path}:{line}"),
                path,
                call: hit.full_text()[window].to_owned(),
                reads_file: reads,
                collector,
            });
        }
    }

    /// Whether the skill is about security.
    pub(super) fn is_lesson(&self) -> bool {
        self.topic.is_lesson()
    }

    /// Whether a secret is read, so that uploads matter.
    pub(super) fn has_reads(&self) -> bool {
        !self.secret_reads.is_empty()
    }

    /// Records an upload of data.
    pub(super) fn record_upload(&mut self, hit: &PatternMatch<'_>, is_suspicious: bool) {
        // The first upload is reported, but one to a host made for stolen data rather than another.
        if self
            .first_upload
            .as_ref()
            .is_some_and(|upload| upload.is_suspicious || !is_suspicious)
        {
            return;
        }

        hit.view.source.spend(2 * text::WINDOW_MAX);
        let context = hit.view.match_context(self.topic, &hit.span);
        // An upload that a lesson shows must not make a theft of another example.
        if context.negated || context.pattern || context.lesson {
            return;
        }
        let (line, _) = skillpm_core::report::position(
            hit.view.original,
            hit.view.original_span(&hit.span).start,
        );
        let place = format!("{}:{line}", hit.view.source.path);
        self.first_upload = Some(DataUpload {
            place,
            is_suspicious,
        });
    }

    /// Reports all findings. A skill that reads secrets and uploads data has errors.
    pub(super) fn finish(mut self, found: &mut FindingList) {
        self.report_thefts();

        for kept in self.by_rule.into_values().filter(|kept| kept.is_truncated) {
            if let Some(first) = kept.indices.first() {
                let note = format!(
                    "there are more than {FINDINGS_MAX} in this file; the others are not listed"
                );
                self.findings[*first].diagnostic.notes.push(note);
            }
        }
        self.findings
            .into_iter()
            .for_each(|finding| found.add(&finding.path, finding.diagnostic));
    }

    /// Makes errors of the reads of secrets that are sent.
    fn report_thefts(&mut self) {
        let (upload, leaks) = (self.first_upload.take(), std::mem::take(&mut self.leaks));
        for read in std::mem::take(&mut self.secret_reads) {
            if let Some(place) = sending_place(&read, &leaks, upload.as_ref()) {
                let note = format!("the same skill sends data to another host: `{place}`");
                self.report_theft(read, note);
            }
        }
    }

    fn report_theft(&mut self, mut read: SecretRead, note: String) {
        read.diagnostic.level = DiagnosticLevel::Error;
        read.diagnostic.notes.push(note);

        match read.finding {
            Some(at) => self.findings[at].diagnostic = read.diagnostic,
            // A read that is no finding by itself becomes one now.
            None => {
                if let Some(rule) = crate::rules::find(&read.diagnostic.rule) {
                    self.store_finding(rule, &read.path, read.diagnostic);
                }
            }
        }
    }
}

/// Returns where a secret that was read is sent, as path and line.
fn sending_place<'p>(
    read: &SecretRead,
    leaks: &'p [SecretLeak],
    upload: Option<&'p DataUpload>,
) -> Option<&'p str> {
    let leak = leaks
        .iter()
        .find(|leak| leak.path == read.path && leak.leaks_read(read));
    // In another file, only stores that always hold secrets count, or an upload to a collector.
    let sent = upload
        .filter(|upload| read.variables.is_none() && (read.is_store_read || upload.is_suspicious));
    leak.map(|leak| leak.place.as_str())
        .or(sent.map(|upload| upload.place.as_str()))
}

/// Builds the diagnostic, and returns whether its level was lowered.
fn weigh_finding(
    hit: &PatternMatch<'_>,
    finding: PatternFinding,
    context: &MatchContext,
) -> (Diagnostic, bool) {
    let span = finding.span.unwrap_or_else(|| hit.span.clone());
    let is_obfuscated = hit.view.is_obfuscated(&span);

    // Each circumstance lowers the level by one, a search for the pattern by two, which is the
    // most.
    let excuses = u8::from(context.negated)
        + u8::from((context.lesson && !finding.never_excused) || context.in_table)
        + u8::from(context.linked)
        + 2 * u8::from(context.pattern && !finding.never_excused)
        + u8::from(context.quoted && !finding.never_excused && is_wording_rule(finding.rule));
    // A comment or obfuscated text is not excused: it was not meant to be seen.
    let lowered_by = if context.hidden || is_obfuscated {
        0
    } else {
        excuses.min(2)
    };

    // An instruction that only agents can see has no legitimate reason.
    let is_hidden_instruction = context.hidden && excuses == 0 && is_instruction_rule(finding.rule);
    let level = if is_hidden_instruction && finding.level == DiagnosticLevel::Warning {
        DiagnosticLevel::Error
    } else {
        lower_level(finding.level, lowered_by)
    };

    let mut diagnostic = finding
        .rule
        .finding(finding.message)
        .at(hit.view.original_span(&span), hit.view.original);
    diagnostic.level = level;
    diagnostic.notes = finding.notes;

    if context.hidden {
        diagnostic = diagnostic.note(
            "it is in a comment: agents read it, and readers of the rendered page do not see it",
        );
    }
    if is_obfuscated {
        diagnostic = diagnostic.note("it is obfuscated, so that a search does not find it");
    }

    let lowered = level < finding.level;
    (diagnostic.help(finding.help), lowered)
}

/// Whether a rule is about wording, which a quotation only repeats, and not about commands.
fn is_wording_rule(rule: &Rule) -> bool {
    matches!(rule.code, "SK704" | "SK705" | "SK706")
        || super::prompt_instructions::RULES
            .iter()
            .any(|other| other.code == rule.code)
}

/// Whether a rule is about instructions that must not be in a comment.
fn is_instruction_rule(rule: &Rule) -> bool {
    matches!(rule.code, "SK704" | "SK705" | "SK714" | "SK716" | "SK730")
}

fn lower_level(level: DiagnosticLevel, by: u8) -> DiagnosticLevel {
    (0..by).fold(level, |level, _| {
        if level == DiagnosticLevel::Error {
            DiagnosticLevel::Warning
        } else {
            DiagnosticLevel::Note
        }
    })
}

/// The patterns of a group, ready to be searched.
struct PatternSet {
    words: TriggerWords,
    /// For each word, the indices of the patterns it triggers.
    patterns_by_word: Vec<Vec<u16>>,
    patterns: Vec<(&'static SecurityPattern, OnceLock<CompiledPattern>)>,
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
        let patterns: Vec<_> = patterns.map(|pattern| (pattern, OnceLock::new())).collect();

        // The marks of obfuscation come first, and trigger no pattern.
        let mut words: Vec<&str> = obfuscation::OBFUSCATION_MARKS.to_vec();
        let mut known: HashMap<&str, usize> = HashMap::new();
        let mut patterns_by_word: Vec<Vec<u16>> = words.iter().map(|_| Vec::new()).collect();

        for (at, (pattern, _)) in patterns.iter().enumerate() {
            for word in pattern.triggers {
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
    // The buffers go from scan to scan, so that each need not allocate its own.
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
    };

    let (mut is_obfuscated, mut reached) = (false, 0);
    engine
        .words
        .for_each_match(view.source.text, |word, range| {
            // The search for words goes on, which is linear; only the costly part stops.
            if view.source.is_exhausted() {
                return;
            }
            reached = range.end;
            if word < obfuscation::OBFUSCATION_MARKS.len() {
                is_obfuscated = is_obfuscated
                    || obfuscation::is_obfuscation(view.source.text, range.start, range.end);
            } else {
                text_scan.run_patterns(word, &range, sink);
            }
        });
    sink.buffers = text_scan.buffers;

    // A file that exhausts its budget was made for that, so the rest of it is not trusted.
    if view.source.is_exhausted() {
        let read = view.original_span(&(0..reached)).end;
        super::unread::report_exhausted(view.source.path, read, view.original.len(), sink);
    }
    is_obfuscated
}

/// The scan of one text.
struct TextScan<'s> {
    engine: &'static PatternSet,
    view: &'s ScanView<'s>,
    pass: ScanPass,
    topic: &'s SkillTopic<'s>,
    buffers: ScanBuffers,
}

impl<'s> TextScan<'s> {
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
            let (pattern, compiled) = &engine.patterns[at];
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
            if !self.view.was_seen(&window) && self.has_required_word(pattern, &window) {
                let compiled = compiled.get_or_init(|| CompiledPattern::new(regex));
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
    fn has_required_word(&mut self, pattern: &SecurityPattern, window: &Range<usize>) -> bool {
        let text = &self.view.source.text[window.clone()];
        self.view.source.spend(text.len());

        // Patterns of one scope share the window, so it is lowercased once.
        if self.buffers.window != *window {
            let lower = &mut self.buffers.lower;
            lower.clear();
            lower.extend(text.bytes().map(|byte| byte.to_ascii_lowercase()));
            self.buffers.window = window.clone();
        }
        pattern.has_required_word(&self.buffers.lower)
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
