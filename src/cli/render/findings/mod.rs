//! Findings in every form there is: a function each, of the findings, the texts they are about, and how it is to look.
//!
//! | form | for |
//! |---|---|
//! | [`human`] | people: each finding with its lines and fix |
//! | [`short`] | people and editors: a line each |
//! | [`json`] | programs: an object a line |
//! | [`sarif`] | code scanning |
//! | [`github`], [`gitlab`] | what they show beside a change |
//!
//! [`FindingCounts`] and [`RuleStatistics`] count; [`explain`] says what there is to know of a rule.

mod display;
pub(in crate::cli) mod explain;
mod fingerprint;
mod github;
mod gitlab;
mod human;
mod json;
#[cfg(any(test, feature = "fuzzing"))]
pub(in crate::cli) mod machine_formats;
mod root;
mod sarif;
mod short;
mod source;
mod tally;

use anstyle::Style;

pub(in crate::cli) use github::{ANNOTATIONS_MAX, github};
pub(in crate::cli) use gitlab::gitlab;
pub(in crate::cli) use human::{DrawOptions, human};
pub(in crate::cli) use json::json;
pub(in crate::cli) use root::RepositoryRoot;
pub(in crate::cli) use sarif::sarif;
pub(in crate::cli) use short::short;
pub(in crate::cli) use tally::{FindingCounts, RuleStatistics};

use fingerprint::FingerprintSet;
use source::{SourceText, TextPosition};

use crate::cli::render::terminal::{BAD, NOTE, WARN};
use crate::lint::rules;
use crate::report::{Diagnostic, DiagnosticLevel, FileFinding, Span};

/// The findings of one file, and the file.
pub(in crate::cli) struct FileFindings<'a> {
    /// The file, as people will look for it.
    path: &'a str,
    /// Its text, if it has one.
    source: Option<SourceText>,
    /// What was found in it, in the order of its places.
    findings: Vec<&'a Diagnostic>,
    /// What of it is never shown, sorted.
    secrets: Vec<Span>,
}

/// Rules whose findings contain text that must not be shown.
// A report is often pasted into an issue, or kept by a CI that others can read.
const SECRET_RULES: [&str; 2] = ["secret", "secret-leak"];

/// Findings file by file, sorted by path; the text of each file is asked for once, when its turn comes.
pub(in crate::cli) fn by_file<'a>(
    findings: &'a [FileFinding],
    mut text: impl FnMut(&str) -> Option<String> + 'a,
) -> impl Iterator<Item = FileFindings<'a>> {
    // The sort is stable: findings without a span keep the order in which they were made.
    let mut sorted: Vec<&FileFinding> = findings.iter().collect();
    sorted.sort_by(|a, b| {
        let start = |finding: &FileFinding| finding.diagnostic.span.as_ref().map(|span| span.start);
        a.path.cmp(&b.path).then_with(|| start(a).cmp(&start(b)))
    });

    let files: Vec<Vec<&FileFinding>> = sorted
        // Sorted by path above, so that each file is one chunk.
        .chunk_by(|a, b| a.path == b.path)
        .map(<[&FileFinding]>::to_vec)
        .collect();

    files
        .into_iter()
        .map(move |file| FileFindings::new(&file, text(&file[0].path)))
}

impl<'a> FileFindings<'a> {
    fn new(findings: &[&'a FileFinding], text: Option<String>) -> Self {
        let is_secret =
            |finding: &&&FileFinding| SECRET_RULES.contains(&finding.diagnostic.rule.as_str());

        let source = text.map(SourceText::new);
        let within = |span: &Span| source.as_ref().map(|source| source.clamp_span(span));

        let mut secrets: Vec<Span> = findings
            .iter()
            .filter(is_secret)
            .filter_map(|finding| finding.diagnostic.span.as_ref().and_then(within))
            .collect();
        secrets.sort_by_key(|span| span.start);

        let diagnostics = findings.iter().map(|finding| &finding.diagnostic).collect();
        FileFindings {
            path: &findings[0].path,
            source,
            findings: diagnostics,
            secrets,
        }
    }

    /// Where a span begins and ends, if there is one and the text of the file.
    fn span_positions(&self, span: Option<&Span>) -> Option<(TextPosition, TextPosition)> {
        let (source, span) = (self.source.as_ref()?, span?);
        let span = source.clamp_span(span);
        Some((source.position(span.start), source.position(span.end)))
    }

    /// All of its text, with secrets covered.
    fn redacted_text(&self) -> String {
        let Some(source) = &self.source else {
            return String::new();
        };
        // Line ends stay, so that lines and columns of the redacted text are those of the file.
        let cover = |(at, c): (usize, char)| match c {
            '\n' => c,
            _ if display::is_redacted(source, at, &self.secrets) => '*',
            _ => c,
        };

        source.text().char_indices().map(cover).collect()
    }
}

/// The color of a level.
fn level_style(level: DiagnosticLevel) -> Style {
    match level {
        DiagnosticLevel::Error => BAD,
        DiagnosticLevel::Warning => WARN,
        DiagnosticLevel::Note => NOTE,
    }
}

/// A rule's code and name.
fn rule_code_and_name(rule: &str) -> String {
    rules::find(rule).map_or_else(
        || rule.to_owned(),
        |rule| format!("{} {}", rule.code, rule.name),
    )
}

/// `, critical`, if severities are shown.
fn severity_suffix(diagnostic: &Diagnostic) -> String {
    diagnostic
        .severity
        .map_or(String::new(), |severity| format!(", {severity}"))
}

fn is_security_rule(rule: &str) -> bool {
    rules::find(rule).is_some_and(crate::lint::Rule::is_security)
}

/// Where the docs of a rule are: in the repository, if the package says where that is; else a name for them.
pub(in crate::cli) fn rule_url(code: &str) -> String {
    match env!("CARGO_PKG_REPOSITORY") {
        "" => format!("{URN}:rule:{code}"),
        home => format!(
            "{home}/blob/v{}/docs/rules.md#{}",
            env!("CARGO_PKG_VERSION"),
            code.to_lowercase()
        ),
    }
}

/// What skillpm is called where a URI is asked for and its package names no repository: a page of that name could be
/// another's.
const URN: &str = "urn:skillpm";

/// Where skillpm is described.
fn home_url() -> &'static str {
    match env!("CARGO_PKG_REPOSITORY") {
        "" => URN,
        home => home,
    }
}

#[cfg(test)]
mod tests;
