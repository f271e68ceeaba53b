//! Findings for programs: one object each, as `docs/schemas/lines.schema.json` describes them.

use serde_json::{Value, json};

use super::shown::escaped;
use super::source::{Place, Source};
use super::{FileFindings, url};
use crate::lint::rules;
use crate::report::{Change, Diagnostic, Fix, Span};

/// The findings of a file, one a line.
pub(in crate::cli) fn json(file: &FileFindings<'_>) -> String {
    let line =
        |diagnostic: &&Diagnostic| format!("{}\n", escaped(&object(file.path, diagnostic, file.source.as_ref())));
    file.findings.iter().map(line).collect()
}

/// One finding; where the source is not at hand, only its beginning has a place.
pub(in crate::cli) fn object(path: &str, diagnostic: &Diagnostic, source: Option<&Source>) -> Value {
    let range = |span: &Span| source.map(|source| range(source, span));
    let labels = diagnostic.labels.iter().map(|label| json!({"range": range(&label.span), "text": label.text}));
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
        "fix": diagnostic.fix.as_ref().map(|fix| remedy(fix, source)),
        "url": code.map(url),
    });
    if let Some(severity) = diagnostic.severity {
        object["severity"] = json!(severity);
    }
    object
}

/// A span by lines and columns, and by bytes; its end is the first place behind it.
fn range(source: &Source, span: &Span) -> Value {
    let span = source.within(span);
    let place = |byte| {
        let Place { line, column, byte } = source.place(byte);
        json!({"line": line, "column": column, "byte": byte})
    };
    json!({"start": place(span.start), "end": place(span.end)})
}

fn remedy(fix: &Fix, source: Option<&Source>) -> Value {
    let (mut edits, mut lines) = (Vec::new(), Vec::new());
    let (mut name, mut is_made_executable) = (None, false);
    for change in &fix.changes {
        match change {
            Change::Edit { span, content } => {
                edits.push(json!({"range": source.map(|source| range(source, span)), "content": content}));
            }
            Change::Rename { to } => name = Some(to),
            Change::SetExecutable => is_made_executable = true,
            Change::AppendLine { path, line } => lines.push(json!({"path": path, "line": line})),
        }
    }
    json!({
        "applicability": fix.applicability,
        "message": fix.message,
        "edits": edits,
        "rename": name,
        "set-executable": is_made_executable,
        "append-lines": lines,
    })
}
