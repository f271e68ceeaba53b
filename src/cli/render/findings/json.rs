//! Findings for programs: one object each, as `docs/schemas/lines.schema.json` describes them.

use serde_json::{Value, json};

use super::source::{SourceText, TextPosition};
use super::{FileFindings, rule_url};
use crate::cli::render::foreign_text::escape_json;
use crate::lint::rules;
use crate::report::{Diagnostic, DiagnosticFix, FixChange, Span};

/// The findings of a file, one a line.
pub(in crate::cli) fn json(file: &FileFindings<'_>) -> String {
    let source = file.source.as_ref();
    let objects = file
        .findings
        .iter()
        .map(|diagnostic| diagnostic_json(file.path, diagnostic, source));

    objects
        .map(|object| format!("{}\n", escape_json(&object)))
        .collect()
}

/// One finding; without the source, only its start has a location.
pub(in crate::cli) fn diagnostic_json(
    path: &str,
    diagnostic: &Diagnostic,
    source: Option<&SourceText>,
) -> Value {
    let range = |span: &Span| source.map(|source| range_json(source, span));
    let labels = diagnostic
        .labels
        .iter()
        .map(|label| json!({"range": range(&label.span), "text": label.text}));

    let code = rules::find(&diagnostic.rule).map(|rule| rule.code);
    let mut object = json!({
        "type": "diagnostic",
        "path": path,
        "code": code,
        "rule": diagnostic.rule,
        "level": diagnostic.level,
        "message": diagnostic.message,
        "line": diagnostic.position.map(|(line, _)| line),
        "column": diagnostic.position.map(|(_, column)| column),
        "range": diagnostic.span.as_ref().and_then(range),
        "labels": labels.collect::<Vec<_>>(),
        "notes": diagnostic.notes,
        "help": diagnostic.help,
        "fix": diagnostic.fix.as_ref().map(|fix| fix_json(fix, source)),
        "url": code.map(rule_url),
    });
    // Only `audit` asks for severities, and the key is absent elsewhere.
    if let Some(severity) = diagnostic.severity {
        object["severity"] = json!(severity);
    }

    object
}

/// A span by lines and columns, and by bytes; its end is the first place behind it.
fn range_json(source: &SourceText, span: &Span) -> Value {
    let span = source.clamp_span(span);

    let place = |byte| {
        let TextPosition { line, column, byte } = source.position(byte);
        json!({"line": line, "column": column, "byte": byte})
    };

    json!({"start": place(span.start), "end": place(span.end)})
}

fn fix_json(fix: &DiagnosticFix, source: Option<&SourceText>) -> Value {
    let (mut edits, mut lines) = (Vec::new(), Vec::new());

    // A fix has at most one of each, so that they are keys and no lists.
    let (mut name, mut is_made_executable) = (None, false);
    for change in &fix.changes {
        match change {
            FixChange::Edit { span, content } => {
                edits.push(
                    json!({"range": source.map(|source| range_json(source, span)), "content": content}),
                );
            }
            FixChange::Rename { to } => name = Some(to),
            FixChange::SetExecutable => is_made_executable = true,
            FixChange::AppendLine { path, line } => lines.push(json!({"path": path, "line": line})),
        }
    }

    json!({
        "applicability": fix.applicability,
        "message": fix.message,
        "edits": edits,
        "rename": name,
        "set_executable": is_made_executable,
        "append_lines": lines,
    })
}
