//! The lines of a package's file: each canonical, at its place, and the only one of its version.

use std::collections::BTreeMap;

use semver::Version;

use super::{fault, fault_at};
use crate::index::{Entry, entry_path};
use crate::package::PackageName;
use crate::report::Finding;

/// A line that can be read, and where it stands.
#[derive(Debug, Clone)]
pub(super) struct Line {
    pub path: String,
    /// Counted from 1.
    pub number: usize,
    pub entry: Entry,
    /// Whether the change brings it; without a change, every line is as good as new.
    pub is_new: bool,
}

/// Reads the file of a package.
pub(super) fn read(path: &str, name: &PackageName, bytes: &[u8], findings: &mut Vec<Finding>) -> Vec<Line> {
    let Ok(text) = std::str::from_utf8(bytes) else {
        findings.push(fault(path, "index-line", "it is not UTF-8 text"));
        return Vec::new();
    };
    if !text.ends_with('\n') {
        findings.push(fault(path, "index-line", "its last line has no end, so that the next one would run into it"));
    }
    let mut lines: Vec<Line> = Vec::new();
    for (at, line) in text.split_terminator('\n').enumerate() {
        let number = at + 1;
        let mut tell = |rule: &str, message: String| findings.push(fault_at(path, text, number, rule, message));
        let entry = match Entry::parse(line, name) {
            Ok(entry) => entry,
            Err(reason) => {
                tell("index-line", reason);
                continue;
            }
        };
        let written = serde_json::to_string(&entry).unwrap_or_default();
        if written != line {
            tell("index-line-form", format!("written anew it would be `{written}`"));
        }
        if entry.pubtime.is_some() && entry.published().is_none() {
            tell("index-line", "`pubtime` is no time such as `2026-01-31T12:00:00Z`".into());
        }
        if entry_path(&entry.name) != path {
            tell("index-path", format!("`{}` belongs into `{}`", entry.name, entry_path(&entry.name)));
        }
        lines.push(Line { path: path.to_owned(), number, entry, is_new: true });
    }
    twins(path, text, &lines, findings);
    lines
}

/// Two lines of one version, also if only what is built differs, which no requirement can tell apart.
fn twins(path: &str, text: &str, lines: &[Line], findings: &mut Vec<Finding>) {
    let mut seen: BTreeMap<Version, (&Version, usize)> = BTreeMap::new();
    for line in lines {
        let vers = &line.entry.vers;
        let core = Version { build: semver::BuildMetadata::EMPTY, ..vers.clone() };
        if let Some((other, at)) = seen.insert(core, (vers, line.number)) {
            let message = if other == vers {
                format!("version {vers} stands in line {at}, too")
            } else {
                format!("version {vers} differs from {other} in line {at} by what follows `+` only")
            };
            findings.push(fault_at(path, text, line.number, "version-twice", message));
        }
    }
}
