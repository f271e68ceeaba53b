//! Findings as a code quality report of GitLab: one document, an array.
//!
//! See <https://docs.gitlab.com/ci/testing/code_quality/#code-quality-report-format>.

use serde_json::{Value, json};

use super::{FileFindings, FingerprintSet, RepositoryRoot, is_security_rule, rule_code_and_name};
use crate::cli::render::foreign_text::{escape_json, escape_text};
use crate::report::{Diagnostic, DiagnosticLevel};

/// All findings as a document.
pub(in crate::cli) fn gitlab<'a>(
    files: impl Iterator<Item = FileFindings<'a>>,
    root: &RepositoryRoot,
) -> String {
    let mut fingerprints = FingerprintSet::default();

    let mut issues = Vec::new();
    for file in files {
        let path = root.relative_path(file.path);
        for diagnostic in &file.findings {
            issues.push(issue_json(
                &file,
                diagnostic,
                &path,
                &fingerprints.fingerprint(&file, diagnostic, &path),
            ));
        }
    }

    format!("{}\n", escape_json(&Value::Array(issues)))
}

fn issue_json(
    file: &FileFindings<'_>,
    diagnostic: &Diagnostic,
    path: &str,
    fingerprint: &str,
) -> Value {
    let lines = match (
        file.span_positions(diagnostic.span.as_ref()),
        diagnostic.position,
    ) {
        (Some((start, end)), _) => json!({"begin": start.line, "end": end.line}),
        (None, Some((line, _))) => json!({"begin": line}),
        // GitLab requires a line; findings about the whole file get the first.
        (None, None) => json!({"begin": 1}),
    };

    json!({
        "description": escape_text(&diagnostic.message),
        "check_name": rule_code_and_name(&diagnostic.rule),
        "fingerprint": fingerprint,
        "severity": gitlab_severity(diagnostic),
        "location": {"path": path, "lines": lines},
    })
}

fn gitlab_severity(diagnostic: &Diagnostic) -> &'static str {
    match diagnostic.level {
        // `critical` and `blocker` are the two above `major`; nothing here blocks by itself.
        DiagnosticLevel::Error if is_security_rule(&diagnostic.rule) => "critical",
        DiagnosticLevel::Error => "major",
        DiagnosticLevel::Warning => "minor",
        DiagnosticLevel::Note => "info",
    }
}
