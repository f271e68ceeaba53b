//! Checks the lines of a package's index file: each is canonical, in the right file, and the only
//! one of its version.

use std::collections::BTreeMap;

use semver::Version;

use super::{LineTable, fault, fault_at};
use skillpm_core::package::PackageName;
use skillpm_core::report::FileFinding;
use skillpm_registry::index::{IndexEntry, entry_path};

/// A valid line and its position.
#[derive(Debug, Clone)]
pub(super) struct CheckedLine {
    pub path: String,
    /// Counted from 1.
    pub number: usize,
    pub entry: IndexEntry,
    /// Whether the change adds it; without a base, every line counts as new.
    pub is_new: bool,
}

/// Reads the file of a package.
pub(super) fn read_lines(
    path: &str,
    name: &PackageName,
    bytes: &[u8],
    findings: &mut Vec<FileFinding>,
) -> Vec<CheckedLine> {
    let Ok(text) = std::str::from_utf8(bytes) else {
        findings.push(fault(path, "index-line", "invalid UTF-8"));
        return Vec::new();
    };

    if !text.ends_with('\n') {
        findings.push(fault(
            path,
            "index-line",
            "missing newline at end of file, so that the next line would be appended to the last one",
        ));
    }

    let table = LineTable::new(text);
    let mut lines: Vec<CheckedLine> = Vec::new();
    for (at, line) in text.split_terminator('\n').enumerate() {
        let number = at + 1;
        match IndexEntry::parse(line, name) {
            Ok(entry) => {
                for (rule, message) in entry_faults(path, line, &entry) {
                    findings.push(fault_at(path, &table, number, rule, message));
                }
                lines.push(CheckedLine {
                    path: path.to_owned(),
                    number,
                    entry,
                    is_new: true,
                });
            }
            // The other lines are still checked: each may have a fault of its own.
            Err(reason) => findings.push(fault_at(path, &table, number, "index-line", reason)),
        }
    }
    find_duplicates(path, &table, &lines, findings);

    lines
}

/// The faults of a line that can be parsed, each with its rule.
fn entry_faults(path: &str, line: &str, entry: &IndexEntry) -> Vec<(&'static str, String)> {
    let mut faults = Vec::new();

    // One spelling of each line, so that a changed line always has changed data.
    let written = serde_json::to_string(entry).unwrap_or_default();
    if written != line {
        faults.push((
            "index-line-form",
            format!("line is not canonical: expected `{written}`"),
        ));
    }

    // Clients that wait for a release age cannot compare another form.
    if entry.pubtime.is_some() && entry.published_at().is_none() {
        faults.push((
            "index-line",
            "invalid `pubtime`: expected a time such as `2026-01-31T12:00:00Z`".into(),
        ));
    }

    // Clients look a package up by its path: in another file the line would never be found.
    let expected = entry_path(&entry.name);
    if expected != path {
        faults.push((
            "index-path",
            format!(
                "line of `{}` in the wrong file: expected `{expected}`",
                entry.name
            ),
        ));
    }
    faults
}

/// Reports two lines of one version, also if they differ only in build metadata, which requirements
/// ignore.
fn find_duplicates(
    path: &str,
    table: &LineTable<'_>,
    lines: &[CheckedLine],
    findings: &mut Vec<FileFinding>,
) {
    let mut seen: BTreeMap<Version, (&Version, usize)> = BTreeMap::new();
    for line in lines {
        let vers = &line.entry.vers;
        let core = Version {
            build: semver::BuildMetadata::EMPTY,
            ..vers.clone()
        };

        if let Some((other, at)) = seen.insert(core, (vers, line.number)) {
            let message = if other == vers {
                format!("duplicate version {vers}: also in line {at}")
            } else {
                format!(
                    "duplicate version {vers}: {other} in line {at} differs only in build metadata"
                )
            };
            findings.push(fault_at(path, table, line.number, "version-twice", message));
        }
    }
}
