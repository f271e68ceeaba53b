//! What tells a finding again after lines were added or taken away elsewhere in its file.

use std::collections::HashMap;

use super::FileFindings;
use super::source::Source;
use crate::lint::baseline::line_of;
use crate::package::Sha256;
use crate::report::Diagnostic;

/// The fingerprints given so far; no two are the same.
#[derive(Debug, Default)]
pub(super) struct Fingerprints(HashMap<String, usize>);

/// How much of a digest is told, in hexadecimal digits.
const DIGITS: usize = 32;

impl Fingerprints {
    /// A digest of the rule, the file, and the line; with a number, if others have the same.
    pub(super) fn of(&mut self, file: &FileFindings<'_>, diagnostic: &Diagnostic, path: &str) -> String {
        let line = line_of(file.source.as_ref().map(Source::text), diagnostic);
        let told = format!("{}\0{path}\0{line}", diagnostic.rule);
        let seen = self.0.entry(told.clone()).or_default();
        *seen += 1;
        let mut digest = Sha256::of(format!("{told}\0{seen}").as_bytes()).to_string();
        digest.truncate(DIGITS);
        digest
    }
}
