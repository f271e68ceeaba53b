//! Findings in every form there is: a function each, of the findings, the sources they are about, and how it is to look.
//!
//! | form | for |
//! |---|---|
//! | [`human`] | people: each finding with its lines, and what would mend it |

mod human;
mod shown;
mod source;

pub(in crate::cli) use human::{Drawing, human};

use source::Source;

use crate::report::{Diagnostic, Finding, Span};

/// The findings of one file, and the file.
pub(in crate::cli) struct FileFindings<'a> {
    /// The file, as people will look for it.
    pub path: &'a str,
    /// Its text, if it has one.
    pub source: Option<Source>,
    /// What was found in it, in the order of its places.
    pub findings: Vec<&'a Diagnostic>,
    /// What of it is never shown, sorted.
    secrets: Vec<Span>,
}

/// Whose findings are about a text that nobody is to read.
const SECRET_RULES: [&str; 2] = ["secret", "secret-leak"];

/// Findings file by file, sorted by path; the text of each file is asked for once, when its turn comes.
pub(in crate::cli) fn by_file<'a>(
    findings: &'a [Finding],
    text: &dyn Fn(&str) -> Option<String>,
) -> impl Iterator<Item = FileFindings<'a>> {
    let mut sorted: Vec<&Finding> = findings.iter().collect();
    sorted.sort_by(|a, b| {
        let start = |finding: &Finding| finding.diagnostic.span.as_ref().map(|span| span.start);
        a.path.cmp(&b.path).then_with(|| start(a).cmp(&start(b)))
    });
    let files: Vec<Vec<&Finding>> = sorted.chunk_by(|a, b| a.path == b.path).map(<[&Finding]>::to_vec).collect();
    files.into_iter().map(|file| FileFindings::new(&file, text(&file[0].path)))
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
}

#[cfg(test)]
mod tests;
