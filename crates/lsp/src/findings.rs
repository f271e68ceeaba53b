//! Findings as the protocol has them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::str::FromStr;

use lsp_types::{
    CodeDescription, Diagnostic as LspDiagnostic, DiagnosticRelatedInformation, DiagnosticSeverity,
    Location, NumberOrString, Uri,
};
use serde_json::json;
use skillpm_core::report::{Diagnostic, DiagnosticLabel, DiagnosticLevel};
use skillpm_lint::rules;

use crate::checker::{CheckResult, DocumentChecker};
use crate::text_positions::LineIndex;

/// The name of the server beside each finding.
pub(crate) const SOURCE: &str = "skillpm";

/// A text with its lines and the URI of its file.
#[derive(Clone, Copy)]
pub(crate) struct LocatedSource<'a> {
    pub(crate) uri: &'a Uri,
    pub(crate) text: &'a str,
    pub(crate) lines: &'a LineIndex,
}

/// A finding for a client. Its `data` has the name of the rule.
pub(crate) fn render_finding(
    checker: &DocumentChecker<'_>,
    source: LocatedSource<'_>,
    finding: &Diagnostic,
) -> LspDiagnostic {
    let rule = rules::find(&finding.rule);
    let code = rule.map_or(finding.rule.as_str(), |rule| rule.code);
    let href = rule.and_then(|rule| Uri::from_str(&checker.rule_url(rule.code)).ok());
    let span = finding.span.clone().unwrap_or(0..0);

    LspDiagnostic {
        range: source.lines.range(source.text, &span),
        severity: Some(severity(finding.level)),
        code: Some(NumberOrString::String(code.to_owned())),
        code_description: href.map(|href| CodeDescription { href }),
        source: Some(SOURCE.to_owned()),
        message: message_text(finding),
        related_information: related_information(source, &finding.labels),
        tags: None,
        data: Some(json!({"rule": finding.rule})),
    }
}

fn severity(level: DiagnosticLevel) -> DiagnosticSeverity {
    match level {
        DiagnosticLevel::Error => DiagnosticSeverity::ERROR,
        DiagnosticLevel::Warning => DiagnosticSeverity::WARNING,
        DiagnosticLevel::Note => DiagnosticSeverity::INFORMATION,
    }
}

/// The message with notes and help below, as the program prints them.
fn message_text(finding: &Diagnostic) -> String {
    let mut lines = vec![finding.message.clone()];
    lines.extend(finding.notes.iter().map(|note| format!("note: {note}")));
    lines.extend(finding.help.iter().map(|help| format!("help: {help}")));
    lines.join("\n")
}

fn related_information(
    source: LocatedSource<'_>,
    labels: &[DiagnosticLabel],
) -> Option<Vec<DiagnosticRelatedInformation>> {
    let related = labels.iter().map(|label| DiagnosticRelatedInformation {
        location: Location::new(
            source.uri.clone(),
            source.lines.range(source.text, &label.span),
        ),
        message: label.text.clone(),
    });
    (!labels.is_empty()).then(|| related.collect())
}

/// What a client was sent, to withdraw it later.
#[derive(Debug, Default)]
pub(crate) struct PublishedFiles {
    /// The files with findings, by what was checked: the skill, or the document.
    by_subject: BTreeMap<PathBuf, BTreeSet<PathBuf>>,
}

impl PublishedFiles {
    /// Records the files of a result; returns those whose findings are withdrawn.
    pub(crate) fn replace(&mut self, result: &CheckResult) -> Vec<PathBuf> {
        let now = result.files.keys().cloned().collect();
        self.set(subject(result), now)
    }

    /// Forgets what was found for a subject; returns its files.
    pub(crate) fn withdraw(&mut self, subject: &Path) -> Vec<PathBuf> {
        self.set(subject, BTreeSet::new())
    }

    fn set(&mut self, subject: &Path, now: BTreeSet<PathBuf>) -> Vec<PathBuf> {
        let before = self.by_subject.remove(subject).unwrap_or_default();
        let gone = before.difference(&now).cloned().collect();
        self.by_subject.insert(subject.to_owned(), now);
        gone
    }
}

/// What the findings of a result are about: the skill, or a document that is in none.
pub(crate) fn subject(result: &CheckResult) -> &Path {
    result.skill.as_deref().unwrap_or(&result.path)
}
