//! Findings as commands of GitHub's workflows, which shows them beside the lines of a change.
//!
//! ```text
//! ::error title=SK110 yaml-unquoted-colon,file=skills/harden/SKILL.md,line=3,col=46,endLine=3,endColumn=47::unquoted …
//! ```
//!
//! See <https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands>. Of each level it shows
//! [`SHOWN`] a step, so whatever is printed last should say how many there are.

use super::shown::spelled;
use super::{FileFindings, Root, full_name, severity};
use crate::report::{Diagnostic, Level};

/// How many annotations of a level GitHub shows of one step.
pub(in crate::cli) const SHOWN: usize = 10;

/// The findings of a file, one a line.
pub(in crate::cli) fn github(file: &FileFindings<'_>, root: &Root) -> String {
    file.findings.iter().map(|diagnostic| command(file, diagnostic, root)).collect()
}

fn command(file: &FileFindings<'_>, diagnostic: &Diagnostic, root: &Root) -> String {
    let name = match diagnostic.level {
        Level::Error => "error",
        Level::Warning => "warning",
        Level::Note => "notice",
    };
    let mut properties = vec![format!("title={}", property(&(full_name(&diagnostic.rule) + &severity(diagnostic))))];
    let path = root.below(file.path);
    if !path.is_empty() {
        properties.push(format!("file={}", property(&path)));
        properties.extend(place(file, diagnostic));
    }
    let notes = diagnostic.notes.iter().map(|note| format!("\nnote: {note}"));
    let help = diagnostic.help.iter().map(|help| format!("\nhelp: {help}"));
    let message: String = std::iter::once(diagnostic.message.clone()).chain(notes).chain(help).collect();
    format!("::{name} {}::{}\n", properties.join(","), data(&spelled(&message)))
}

/// Lines and columns; the columns only where they are of one line, since GitHub takes them for nothing else.
fn place(file: &FileFindings<'_>, diagnostic: &Diagnostic) -> Vec<String> {
    let Some((line, column)) = diagnostic.position else { return Vec::new() };
    let Some((start, end)) = file.places(diagnostic.span.as_ref()) else {
        return vec![format!("line={line}"), format!("col={column}")];
    };
    if start.line == end.line {
        let columns = [("line", start.line), ("col", start.column), ("endLine", end.line), ("endColumn", end.column)];
        columns.map(|(key, value)| format!("{key}={value}")).to_vec()
    } else {
        vec![format!("line={}", start.line), format!("endLine={}", end.line)]
    }
}

fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

fn property(text: &str) -> String {
    data(&spelled(text)).replace(':', "%3A").replace(',', "%2C")
}
