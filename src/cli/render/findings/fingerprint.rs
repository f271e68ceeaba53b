//! Fingerprints: identify a finding after lines were added or removed elsewhere in its file.

use std::collections::HashMap;

use super::FileFindings;
use super::source::SourceText;
use crate::lint::baseline::finding_line;
use crate::package::Sha256Digest;
use crate::report::Diagnostic;

/// The fingerprints given so far; no two are the same.
#[derive(Debug, Default)]
pub(super) struct FingerprintSet(HashMap<String, usize>);

/// Length of a digest, in hexadecimal digits.
const DIGITS: usize = 32;

impl FingerprintSet {
    /// A digest of the rule, the file, and the line; with a number, if others have the same.
    pub(super) fn fingerprint(
        &mut self,
        file: &FileFindings<'_>,
        diagnostic: &Diagnostic,
        path: &str,
    ) -> String {
        let line = finding_line(file.source.as_ref().map(SourceText::text), diagnostic);
        // The text of the line and not its number: that is what survives changes above it.
        let identity = format!("{}\0{path}\0{line}", diagnostic.rule);
        // The same line twice in a file would share a fingerprint, and hosts would merge the two.
        let repeats = self.0.entry(identity.clone()).or_default();
        *repeats += 1;

        let mut digest =
            Sha256Digest::hash_bytes(format!("{identity}\0{repeats}").as_bytes()).to_string();
        // Half of the digest still has 128 bits, and shortens every line of the report.
        digest.truncate(DIGITS);
        digest
    }
}
