//! Collects the findings of a skill: weighs each by its context, keeps the most severe, and makes
//! errors of the reads of secrets that the same skill sends.

use std::collections::HashMap;
use std::ops::Range;

use super::context::{MatchContext, SkillTopic};
use super::text::{self, TextKind, WindowScope};
use super::view::{PatternMatch, ScanBuffers};
use crate::{FindingList, Rule};
use skillpm_core::report::{Diagnostic, DiagnosticLevel};

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
    /// Whether it does nothing: a lesson shows it, and it reaches no real host.
    pub(super) is_sample: bool,
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
            is_sample: false,
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

    pub(super) fn sample_if(mut self, is_sample: bool) -> Self {
        self.is_sample = is_sample;
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
    /// Uploads to other hosts.
    uploads: Vec<DataUpload>,
    /// Calls that send data read just before.
    leaks: Vec<SecretLeak>,
    topic: &'a SkillTopic<'a>,
    /// The buffers go from scan to scan, so that each need not allocate its own.
    pub(super) buffers: ScanBuffers,
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

/// Most recorded uploads to hosts that are not made for stolen data.
const UPLOADS_MAX: usize = 100;

/// A finding, and the file it is in.
struct ScanFinding {
    path: String,
    diagnostic: Diagnostic,
}

/// What a read of a secret is by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ReadKind {
    /// No finding: a program reads its settings this way.
    Environment,
    /// A finding, and a theft only if a collector gets it.
    Item,
    /// A finding, and a theft if anything is sent.
    Store,
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
    /// The line it is in, if that is one of a page: there an upload to another host has to be close by.
    page_line: Option<usize>,
    /// Whether it is in a file, which is read before it is sent.
    is_of_file: bool,
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
            (None, _) => self.reads_file || !read.is_of_file,
        };

        if !is_sent {
            return false;
        }

        match &read.variables {
            // A name before a colon is a key.
            Some(variables) => self.call.split_inclusive(|c| !is_word(c)).any(|piece| {
                let word = piece.trim_end_matches(|c| !is_word(c));
                !piece.ends_with(':') && variables.iter().any(|variable| variable == word)
            }),
            None => read.is_store_read,
        }
    }
}

/// An upload of data.
struct DataUpload {
    path: String,
    line: usize,
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
            uploads: Vec::new(),
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

    /// Records a read of a secret.
    pub(super) fn record_read(
        &mut self,
        hit: &PatternMatch<'_>,
        finding: PatternFinding,
        kind: ReadKind,
    ) {
        if hit.view.was_seen(&hit.span) || self.secret_reads.len() >= READS_MAX {
            return;
        }

        let path = hit.view.source.path.to_owned();
        let context = self.match_context(hit, &finding);
        let rule = finding.rule;
        let (diagnostic, lowered) = weigh_finding(hit, finding, &context);
        let index = if kind == ReadKind::Environment {
            None
        } else {
            self.store_finding(rule, &path, diagnostic.clone())
        };
        if !lowered {
            self.secret_reads.push(SecretRead {
                finding: index,
                path,
                diagnostic,
                is_store_read: kind == ReadKind::Store,
                page_line: page_line(hit),
                is_of_file: true,
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

    /// Records a read of all environment variables: a theft if the same file sends one of the variables
    /// that hold them.
    pub(super) fn record_environment(
        &mut self,
        hit: &PatternMatch<'_>,
        finding: PatternFinding,
        variables: Vec<String>,
    ) {
        let before = self.secret_reads.len();
        self.record_named_read(hit, finding, variables, None);
        for read in &mut self.secret_reads[before..] {
            read.is_of_file = false;
        }
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
                page_line: None,
                is_of_file: true,
                variables: Some(variables),
                collector_secret,
            });
        }
    }

    /// Records a call that sends data read just before.
    pub(super) fn record_read_leak(&mut self, hit: &PatternMatch<'_>, collector: Option<String>) {
        self.record_leak(hit, true, collector);
    }

    /// Records a call that sends the value of a variable, with the host if that is a collector.
    pub(super) fn record_variable_leak(
        &mut self,
        hit: &PatternMatch<'_>,
        collector: Option<String>,
    ) {
        self.record_leak(hit, false, collector);
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
        if self.uploads.len() >= UPLOADS_MAX && !is_suspicious
            || self.uploads.len() >= 2 * UPLOADS_MAX
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
        let path = hit.view.source.path.to_owned();
        self.uploads.push(DataUpload {
            place: format!("{path}:{line}"),
            path,
            line,
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
        // One to a host made for stolen data is reported rather than another.
        self.uploads.sort_by_key(|upload| !upload.is_suspicious);
        let (uploads, leaks) = (
            std::mem::take(&mut self.uploads),
            std::mem::take(&mut self.leaks),
        );
        for read in std::mem::take(&mut self.secret_reads) {
            if let Some(place) = sending_place(&read, &leaks, &uploads) {
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
    uploads: &'p [DataUpload],
) -> Option<&'p str> {
    let leak = leaks
        .iter()
        .find(|leak| leak.path == read.path && leak.leaks_read(read));
    // In another file, only stores that always hold secrets count, or an upload to a collector.
    let sends_read = |upload: &&DataUpload| {
        let is_near = read.page_line.is_none_or(|line| {
            upload.path == read.path && upload.line.abs_diff(line) <= NEAR_LINES
        });
        upload.is_suspicious || read.is_store_read && is_near
    };
    let sent = uploads
        .iter()
        .find(sends_read)
        .filter(|_| read.variables.is_none());
    leak.map(|leak| leak.place.as_str())
        .or(sent.map(|upload| upload.place.as_str()))
}

/// Lines of a page in which a read and an upload belong together.
const NEAR_LINES: usize = 20;

/// Returns the line of a match in a page; `None` in a program.
fn page_line(hit: &PatternMatch<'_>) -> Option<usize> {
    let is_page = hit.view.source.kind == TextKind::Markdown;
    is_page.then(|| {
        let start = hit.view.original_span(&hit.span).start;
        skillpm_core::report::position(hit.view.original, start).0
    })
}

/// Builds the diagnostic, and returns whether its level was lowered.
fn weigh_finding(
    hit: &PatternMatch<'_>,
    finding: PatternFinding,
    context: &MatchContext,
) -> (Diagnostic, bool) {
    let span = finding.span.unwrap_or_else(|| hit.span.clone());
    let is_obfuscated = hit.view.is_obfuscated(&span);

    let is_sample = finding.is_sample && context.lesson;
    let never_excused = finding.never_excused && !is_sample;
    // Each circumstance lowers the level by one, a search for the pattern by two, which is the
    // most.
    let excuses = u8::from(context.negated)
        + u8::from((context.lesson && !never_excused) || context.in_table)
        + u8::from(context.linked)
        + 2 * u8::from(context.pattern && !never_excused)
        + u8::from(context.quoted && !never_excused && is_wording_rule(finding.rule))
        + u8::from(is_sample);
    // A comment or obfuscated text is not excused: it was not meant to be seen.
    let lowered_by = if context.hidden || is_obfuscated && !is_sample {
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
