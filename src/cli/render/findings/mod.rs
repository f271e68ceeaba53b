//! Findings in every form there is: a function each, of the findings, the texts they are about, and how it is to look.
//!
//! | form | for |
//! |---|---|
//! | [`human`] | people: each finding with its lines, and what would mend it |
//! | [`short`] | people and editors: a line each |
//! | [`json`] | programs: an object a line |
//! | [`sarif`] | code scanning |
//! | [`github`], [`gitlab`] | what they show beside a change |
//!
//! [`Tally`] and [`Statistics`] count; [`explain`] says what there is to know of a rule.

pub(in crate::cli) mod explain;
mod fingerprint;
mod github;
mod gitlab;
mod human;
mod json;
#[cfg(any(test, fuzzing))]
pub(in crate::cli) mod programs;
mod root;
mod sarif;
mod short;
mod shown;
mod source;
mod tally;

use anstyle::Style;

pub(in crate::cli) use github::{SHOWN, github};
pub(in crate::cli) use gitlab::gitlab;
pub(in crate::cli) use human::{Drawing, human};
pub(in crate::cli) use json::json;
pub(in crate::cli) use root::Root;
pub(in crate::cli) use sarif::sarif;
pub(in crate::cli) use short::short;
pub(in crate::cli) use shown::escaped;
pub(in crate::cli) use tally::{Statistics, Tally};

use fingerprint::Fingerprints;
use source::{Place, Source};

use crate::cli::shell::{BAD, NOTE, WARN};
use crate::lint::rules;
use crate::report::{Diagnostic, Finding, Level, Span};

/// The findings of one file, and the file.
pub(in crate::cli) struct FileFindings<'a> {
    /// The file, as people will look for it.
    path: &'a str,
    /// Its text, if it has one.
    source: Option<Source>,
    /// What was found in it, in the order of its places.
    findings: Vec<&'a Diagnostic>,
    /// What of it is never shown, sorted.
    secrets: Vec<Span>,
}

/// Whose findings are about a text that nobody is to read.
const SECRET_RULES: [&str; 2] = ["secret", "secret-leak"];

/// Findings file by file, sorted by path; the text of each file is asked for once, when its turn comes.
pub(in crate::cli) fn by_file<'a>(
    findings: &'a [Finding],
    mut text: impl FnMut(&str) -> Option<String> + 'a,
) -> impl Iterator<Item = FileFindings<'a>> {
    let mut sorted: Vec<&Finding> = findings.iter().collect();
    sorted.sort_by(|a, b| {
        let start = |finding: &Finding| finding.diagnostic.span.as_ref().map(|span| span.start);
        a.path.cmp(&b.path).then_with(|| start(a).cmp(&start(b)))
    });
    let files: Vec<Vec<&Finding>> = sorted.chunk_by(|a, b| a.path == b.path).map(<[&Finding]>::to_vec).collect();
    files.into_iter().map(move |file| FileFindings::new(&file, text(&file[0].path)))
}

impl<'a> FileFindings<'a> {
    fn new(findings: &[&'a Finding], text: Option<String>) -> Self {
        let is_secret = |finding: &&&Finding| SECRET_RULES.contains(&finding.diagnostic.rule.as_str());
        let source = text.map(Source::new);
        let within = |span: &Span| source.as_ref().map(|source| source.within(span));
        let mut secrets: Vec<Span> = findings
            .iter()
            .filter(is_secret)
            .filter_map(|finding| finding.diagnostic.span.as_ref().and_then(within))
            .collect();
        secrets.sort_by_key(|span| span.start);
        let diagnostics = findings.iter().map(|finding| &finding.diagnostic).collect();
        FileFindings { path: &findings[0].path, source, findings: diagnostics, secrets }
    }

    /// Where a span begins and ends, if there is one and the text of the file.
    fn places(&self, span: Option<&Span>) -> Option<(Place, Place)> {
        let (source, span) = (self.source.as_ref()?, span?);
        let span = source.within(span);
        Some((source.place(span.start), source.place(span.end)))
    }

    /// All of its text, with secrets covered.
    fn covered(&self) -> String {
        let Some(source) = &self.source else { return String::new() };
        let cover = |(at, c): (usize, char)| match c {
            '\n' => c,
            _ if shown::is_covered(source, at, &self.secrets) => '*',
            _ => c,
        };
        source.text().char_indices().map(cover).collect()
    }
}

/// The colour of a level.
fn shade(level: Level) -> Style {
    match level {
        Level::Error => BAD,
        Level::Warning => WARN,
        Level::Note => NOTE,
    }
}

/// A rule's code and name.
fn full_name(rule: &str) -> String {
    rules::find(rule).map_or_else(|| rule.to_owned(), |rule| format!("{} {}", rule.code, rule.name))
}

/// `, critical`, where somebody asked how dangerous it is.
fn severity(diagnostic: &Diagnostic) -> String {
    diagnostic.severity.map_or(String::new(), |severity| format!(", {severity}"))
}

fn is_security(rule: &str) -> bool {
    rules::find(rule).is_some_and(crate::lint::Rule::is_security)
}

/// Where the docs of a rule are: in the repository, if the package says where that is; else a name for them.
fn url(code: &str) -> String {
    match env!("CARGO_PKG_REPOSITORY") {
        "" => format!("{URN}:rule:{code}"),
        home => format!("{home}/blob/v{}/docs/rules.md#{}", env!("CARGO_PKG_VERSION"), code.to_lowercase()),
    }
}

/// What skillpm is called where a URI is asked for and its package names no repository: a page of that name could be
/// another's.
const URN: &str = "urn:skillpm";

/// Where skillpm is described.
fn home() -> &'static str {
    match env!("CARGO_PKG_REPOSITORY") {
        "" => URN,
        home => home,
    }
}

#[cfg(test)]
mod tests;
