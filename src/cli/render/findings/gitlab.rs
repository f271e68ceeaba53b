//! Findings as a code quality report of GitLab: one document, an array.
//!
//! See <https://docs.gitlab.com/ci/testing/code_quality/#code-quality-report-format>.

use serde_json::{Value, json};

use super::shown::{escaped, spelled};
use super::{FileFindings, Fingerprints, Root, full_name, is_security};
use crate::report::{Diagnostic, Level};

/// All findings as a document.
pub(in crate::cli) fn gitlab<'a>(files: impl Iterator<Item = FileFindings<'a>>, root: &Root) -> String {
    let mut fingerprints = Fingerprints::default();
    let mut issues = Vec::new();
    for file in files {
        let path = root.below(file.path);
        for diagnostic in &file.findings {
            issues.push(issue(&file, diagnostic, &path, &fingerprints.of(&file, diagnostic, &path)));
        }
    }
    format!("{}\n", escaped(&Value::Array(issues)))
}

fn issue(file: &FileFindings<'_>, diagnostic: &Diagnostic, path: &str, fingerprint: &str) -> Value {
    let lines = match (file.places(diagnostic.span.as_ref()), diagnostic.position) {
        (Some((start, end)), _) => json!({"begin": start.line, "end": end.line}),
        (None, Some((line, _))) => json!({"begin": line}),
        (None, None) => json!({"begin": 1}),
    };
    json!({
        "description": spelled(&diagnostic.message),
        "check_name": full_name(&diagnostic.rule),
        "fingerprint": fingerprint,
        "severity": severity(diagnostic),
        "location": {"path": path, "lines": lines},
    })
}

fn severity(diagnostic: &Diagnostic) -> &'static str {
    match diagnostic.level {
        Level::Error if is_security(&diagnostic.rule) => "critical",
        Level::Error => "major",
        Level::Warning => "minor",
        Level::Note => "info",
    }
}
