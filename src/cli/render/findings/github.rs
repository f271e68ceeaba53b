//! Findings as commands of GitHub's workflows, which shows them beside the lines of a change.
//!
//! ```text
//! ::error title=SK110 yaml-unquoted-colon,file=skills/harden/SKILL.md,line=3,col=46,endLine=3,endColumn=47::unquoted …
//! ```
//!
//! See <https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands>. Of each level it shows
//! [`ANNOTATIONS_MAX`] a step, so whatever is printed last should say how many there are.

use super::{FileFindings, RepositoryRoot, rule_code_and_name, severity_suffix};
use crate::cli::render::foreign_text::escape_text;
use crate::report::{Diagnostic, DiagnosticLevel};

/// How many annotations of a level GitHub shows of one step.
pub(in crate::cli) const ANNOTATIONS_MAX: usize = 10;

/// The findings of a file, one a line.
pub(in crate::cli) fn github(file: &FileFindings<'_>, root: &RepositoryRoot) -> String {
    file.findings
        .iter()
        .map(|diagnostic| annotation(file, diagnostic, root))
        .collect()
}

fn annotation(file: &FileFindings<'_>, diagnostic: &Diagnostic, root: &RepositoryRoot) -> String {
    // GitHub knows these three commands and no other levels.
    let name = match diagnostic.level {
        DiagnosticLevel::Error => "error",
        DiagnosticLevel::Warning => "warning",
        DiagnosticLevel::Note => "notice",
    };

    let mut properties = vec![format!(
        "title={}",
        escape_property(&(rule_code_and_name(&diagnostic.rule) + &severity_suffix(diagnostic)))
    )];

    let path = root.relative_path(file.path);
    // Without a file, the annotation belongs to the whole run.
    if !path.is_empty() {
        properties.push(format!("file={}", escape_property(&path)));
        properties.extend(position_properties(file, diagnostic));
    }

    let notes = diagnostic
        .notes
        .iter()
        .map(|note| format!("\nnote: {note}"));

    let help = diagnostic.help.iter().map(|help| format!("\nhelp: {help}"));
    let message: String = std::iter::once(diagnostic.message.clone())
        .chain(notes)
        .chain(help)
        .collect();

    format!(
        "::{name} {}::{}\n",
        properties.join(","),
        escape_data(&escape_text(&message))
    )
}

/// Lines and columns; the columns only where they are of one line, since GitHub takes them for nothing else.
fn position_properties(file: &FileFindings<'_>, diagnostic: &Diagnostic) -> Vec<String> {
    let Some((line, column)) = diagnostic.position else {
        return Vec::new();
    };

    let Some((start, end)) = file.span_positions(diagnostic.span.as_ref()) else {
        return vec![format!("line={line}"), format!("col={column}")];
    };

    if start.line == end.line {
        let columns = [
            ("line", start.line),
            ("col", start.column),
            ("endLine", end.line),
            ("endColumn", end.column),
        ];
        columns
            .map(|(key, value)| format!("{key}={value}"))
            .to_vec()
    } else {
        vec![
            format!("line={}", start.line),
            format!("endLine={}", end.line),
        ]
    }
}

fn escape_data(text: &str) -> String {
    // `%` comes first, or it would escape the escapes.
    text.replace('%', "%25")
        .replace('\r', "%0D")
        .replace('\n', "%0A")
}

fn escape_property(text: &str) -> String {
    escape_data(&escape_text(text))
        // Both separate properties, and a path or a title may have them.
        .replace(':', "%3A")
        .replace(',', "%2C")
}
