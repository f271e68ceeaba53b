//! What may become of a package's file: lines are only appended, and of a line that is there only `yanked` and `revoked`
//! change.
//!
//! [`changes`] holds a file to all of that, as whoever keeps an index does before a change of it is taken in.
//! [`broken_promises`] holds it to what a reader relies on: whatever was said of a version that decides what is
//! installed is still said.

use std::collections::BTreeMap;
use std::fmt;

use semver::Version;
use serde_json::{Map, Value};

use super::Entry;
use crate::package::PackageName;

/// What a reader relies on; the rest of a line is for people.
const PROMISED: [&str; 4] = ["cksum", "archive", "deps", "src"];

/// The keys of a line that may change.
const YANKED: &str = "yanked";
const REVOKED: &str = "revoked";

/// What a change of a package's file does to one version.
#[derive(Debug, Clone, PartialEq)]
pub enum LineChange {
    /// It is published.
    Published(Box<Entry>),
    /// It is withdrawn from new resolves.
    Yanked(Version),
    /// It is taken back in.
    Unyanked(Version),
    /// Nobody may have it any more, for this reason.
    Revoked(Version, String),
}

/// Why a change of a package's file must not be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HistoryFault {
    /// A version that was there is there no more.
    Gone {
        /// The version.
        vers: Version,
    },
    /// Something that was said of a version is said otherwise.
    Rewritten {
        /// The version.
        vers: Version,
        /// The key of it that differs.
        key: String,
        /// Its value before, as JSON; empty if there was none.
        was: String,
        /// Its value now, as JSON; empty if there is none.
        now: String,
    },
    /// A version stands at another line than before, or a new one before those that were there.
    Moved {
        /// The version.
        vers: Version,
        /// The line at which it is now, counted from 1.
        line: usize,
    },
    /// A version is told by two lines.
    Twice {
        /// The version.
        vers: Version,
        /// The second of the lines, counted from 1.
        line: usize,
    },
    /// A line is no line of an index.
    Unreadable {
        /// The line, counted from 1.
        line: usize,
        /// What is wrong with it.
        reason: String,
    },
}

impl fmt::Display for HistoryFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            HistoryFault::Gone { vers } => write!(f, "version {vers} was there and is not any more"),
            HistoryFault::Rewritten { vers, key, was, now } => {
                let shown = |value: &str| if value.is_empty() { "nothing".to_owned() } else { value.to_owned() };
                write!(f, "`{key}` of version {vers} was {} and is now {}", shown(was), shown(now))
            }
            HistoryFault::Moved { vers, line } => {
                write!(f, "version {vers} is now at line {line}; lines are only ever appended")
            }
            HistoryFault::Twice { vers, line } => write!(f, "line {line} tells version {vers} once more"),
            HistoryFault::Unreadable { line, reason } => write!(f, "line {line}: {reason}"),
        }
    }
}

/// What a change of the file of package `name` from `old` to `new` does; `old` is empty for a new package.
///
/// # Errors
/// All faults of the change, in the order of lines: it does more than append lines and set `yanked` and `revoked`, tells a version
/// twice, or appends a line that no reader could use. A line that was unreadable before may stay as it is.
pub fn changes(old: &[u8], new: &[u8], name: &PackageName) -> Result<Vec<LineChange>, Vec<HistoryFault>> {
    let (before, after) = (lines(old), lines(new));
    let (mut done, mut faults) = (Vec::new(), Vec::new());
    for (at, was) in before.iter().enumerate() {
        let now = after.get(at);
        if now.is_some_and(|now| now.text == was.text) {
            continue;
        }
        match (&was.version(), now) {
            (Some(vers), Some(now)) if now.version().as_ref() == Some(vers) => {
                compare(vers, was, now, &mut done, &mut faults);
            }
            (Some(vers), _) => faults.push(match after.iter().find(|line| line.version().as_ref() == Some(vers)) {
                Some(moved) => HistoryFault::Moved { vers: vers.clone(), line: moved.number },
                None => HistoryFault::Gone { vers: vers.clone() },
            }),
            (None, _) => faults.push(HistoryFault::Unreadable {
                line: was.number,
                reason: "it could not be read before and was changed".into(),
            }),
        }
    }
    let known: Vec<Version> = before.iter().filter_map(Line::version).collect();
    for line in after.iter().skip(before.len()) {
        match Entry::parse(line.text, name) {
            Ok(entry) if known.contains(&entry.vers) => {}
            Ok(entry) => done.push(LineChange::Published(Box::new(entry))),
            Err(reason) => faults.push(HistoryFault::Unreadable { line: line.number, reason }),
        }
    }
    let mut seen: Vec<Version> = Vec::new();
    for (line, vers) in after.iter().filter_map(|line| Some((line, line.version()?))) {
        if seen.contains(&vers) {
            faults.push(HistoryFault::Twice { vers, line: line.number });
        } else {
            seen.push(vers);
        }
    }
    if faults.is_empty() { Ok(done) } else { Err(faults) }
}

/// What an index said before of a package's versions and does not stand by: a version that is gone, or one of which the
/// checksum, the archive, the needs or the commit is another. Empty where it keeps its word.
#[must_use]
pub fn broken_promises(old: &[u8], new: &[u8]) -> Vec<HistoryFault> {
    // Nearly always it only grew.
    if new.starts_with(old) && (old.ends_with(b"\n") || old.is_empty() || new[old.len()..].starts_with(b"\n")) {
        return Vec::new();
    }
    let mut now: BTreeMap<Version, (usize, &str)> = BTreeMap::new();
    for (number, text) in texts(new) {
        // Of two lines about one version the first counts, here as in a lookup.
        if let Some(vers) = Line::read(number, text).version() {
            now.entry(vers).or_insert((number, text));
        }
    }
    let mut faults = Vec::new();
    for (number, text) in texts(old) {
        let was = Line::read(number, text);
        let Some(vers) = was.version() else { continue };
        match now.get(&vers) {
            None => faults.push(HistoryFault::Gone { vers }),
            Some((_, now)) if *now == text => {}
            Some((number, now)) => {
                faults.extend(differences(&vers, &was, &Line::read(*number, now)).filter(is_promised));
            }
        }
    }
    faults
}

fn is_promised(fault: &HistoryFault) -> bool {
    matches!(fault, HistoryFault::Rewritten { key, .. } if PROMISED.contains(&key.as_str()))
}

struct Line<'t> {
    /// Counted from 1.
    number: usize,
    text: &'t str,
    object: Map<String, Value>,
}

impl<'t> Line<'t> {
    /// Reads a line; one that is no JSON object has no version.
    fn read(number: usize, text: &'t str) -> Self {
        Line { number, text, object: serde_json::from_str(text).unwrap_or_default() }
    }

    fn version(&self) -> Option<Version> {
        self.object.get("vers")?.as_str()?.parse().ok()
    }

    fn is_yanked(&self) -> bool {
        self.object.get(YANKED).and_then(Value::as_bool).unwrap_or(false)
    }

    fn revoked(&self) -> Option<&str> {
        self.object.get(REVOKED).and_then(Value::as_str)
    }
}

/// The lines that are not blank.
fn lines(file: &[u8]) -> Vec<Line<'_>> {
    texts(file).map(|(number, text)| Line::read(number, text)).collect()
}

/// The lines that are not blank, with their numbers. Read one after the other they take a tenth of the memory that all
/// of them take as JSON.
fn texts(file: &[u8]) -> impl Iterator<Item = (usize, &str)> {
    let numbered = file.split(|&byte| byte == b'\n').enumerate();
    let texts = numbered.map(|(at, line)| (at + 1, std::str::from_utf8(line).unwrap_or("\u{fffd}").trim_end()));
    texts.filter(|(_, text)| !text.trim().is_empty())
}

fn compare(vers: &Version, was: &Line<'_>, now: &Line<'_>, done: &mut Vec<LineChange>, faults: &mut Vec<HistoryFault>) {
    let found: Vec<HistoryFault> = differences(vers, was, now).collect();
    let revoked = now.revoked().filter(|_| now.revoked() != was.revoked());
    match (was.is_yanked(), now.is_yanked()) {
        _ if revoked.is_some() => done.extend(revoked.map(|why| LineChange::Revoked(vers.clone(), why.to_owned()))),
        (false, true) => done.push(LineChange::Yanked(vers.clone())),
        (true, false) => done.push(LineChange::Unyanked(vers.clone())),
        _ if found.is_empty() && was.revoked() == now.revoked() => faults.push(HistoryFault::Unreadable {
            line: now.number,
            reason: "it says the same as before in another spelling".into(),
        }),
        _ => {}
    }
    faults.extend(found);
}

/// Every key but those that may change that two lines about a version do not agree on, sorted.
fn differences(vers: &Version, was: &Line<'_>, now: &Line<'_>) -> impl Iterator<Item = HistoryFault> {
    let mut keys: Vec<&String> =
        was.object.keys().chain(now.object.keys()).filter(|key| !matches!(key.as_str(), YANKED | REVOKED)).collect();
    keys.sort();
    keys.dedup();
    let text = |line: &Line<'_>, key: &str| line.object.get(key).map(Value::to_string).unwrap_or_default();
    let differing = keys.into_iter().filter(|key| was.object.get(*key) != now.object.get(*key));
    let faults: Vec<HistoryFault> = differing
        .map(|key| HistoryFault::Rewritten {
            vers: vers.clone(),
            key: key.clone(),
            was: text(was, key),
            now: text(now, key),
        })
        .collect();
    faults.into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(vers: &str, cksum: &str, more: &str) -> String {
        format!(
            r#"{{"name":"pdf","vers":"{vers}","deps":[],"cksum":"skill-tree-v1:{}","archive":"sha256:{}"{more},"yanked":false,"v":1}}"#,
            cksum.repeat(64),
            "0".repeat(64)
        )
    }

    fn file(lines: &[&str]) -> Vec<u8> {
        lines.iter().map(|line| format!("{line}\n")).collect::<String>().into_bytes()
    }

    fn told(old: &[&str], new: &[&str]) -> Vec<String> {
        match changes(&file(old), &file(new), &"pdf".parse().unwrap()) {
            Ok(done) => done
                .iter()
                .map(|change| match change {
                    LineChange::Published(entry) => format!("+{}", entry.vers),
                    LineChange::Yanked(vers) => format!("yank {vers}"),
                    LineChange::Unyanked(vers) => format!("unyank {vers}"),
                    LineChange::Revoked(vers, why) => format!("revoke {vers}: {why}"),
                })
                .collect(),
            Err(faults) => faults.iter().map(ToString::to_string).collect(),
        }
    }

    #[test]
    fn lines_may_be_appended_and_yanked_and_nothing_else() {
        let (one, two) = (line("1.0.0", "1", ""), line("2.0.0", "2", ""));
        let yanked = one.replace("\"yanked\":false", "\"yanked\":true");
        let other = line("1.0.0", "3", r#","license":"MIT""#);
        assert_eq!(told(&[], &[&one]), ["+1.0.0"]);
        assert_eq!(told(&[&one], &[&yanked, &two]), ["yank 1.0.0", "+2.0.0"]);
        assert_eq!(told(&[&yanked], &[&one]), ["unyank 1.0.0"]);
        let revoked = line("1.0.0", "1", r#","revoked":"bad""#).replace("\"yanked\":false", "\"yanked\":true");
        assert_eq!(told(&[&one], &[&revoked]), ["revoke 1.0.0: bad"]);
        assert_eq!(told(&[&yanked], &[&revoked]), ["revoke 1.0.0: bad"]);
        assert_eq!(told(&[&revoked], &[&one]), ["unyank 1.0.0"]);
        assert_eq!(told(&[&revoked], &[&yanked]), [] as [&str; 0]);
        assert_eq!(told(&[&one, &two], &[&one]), ["version 2.0.0 was there and is not any more"]);
        assert_eq!(
            told(&[&one, &two], &[&two, &one]),
            [
                "version 1.0.0 is now at line 2; lines are only ever appended",
                "version 2.0.0 is now at line 1; lines are only ever appended"
            ]
        );
        let (was, now) = ("1".repeat(64), "3".repeat(64));
        assert_eq!(
            told(&[&one], &[&other]),
            [
                format!("`cksum` of version 1.0.0 was \"skill-tree-v1:{was}\" and is now \"skill-tree-v1:{now}\""),
                "`license` of version 1.0.0 was nothing and is now \"MIT\"".into()
            ]
        );
        assert_eq!(told(&[&one], &[&one, &one]), ["line 2 tells version 1.0.0 once more"]);
        assert_eq!(told(&[&one], &[&one, "x"]).len(), 1);
        assert_eq!(told(&["x"], &["x", &one]), ["+1.0.0"]);
        assert_eq!(
            told(&[&one], &[&one.replace("\",\"", "\", \"")]),
            ["line 1: it says the same as before in another spelling"]
        );
    }

    #[test]
    fn a_reader_is_told_of_a_lost_or_rewritten_version_only() {
        let (one, two) = (line("1.0.0", "1", ""), line("2.0.0", "2", ""));
        let yanked = one.replace("\"yanked\":false", "\"yanked\":true");
        let described = line("1.0.0", "1", r#","description":"new words""#);
        for kept in [&[&one][..], &[&one, &two], &[&two, &one], &[&yanked], &[&described]] {
            let kept: Vec<&str> = kept.iter().map(|line| line.as_str()).collect();
            assert_eq!(broken_promises(&file(&[&one]), &file(&kept)), [], "{kept:?}");
        }
        assert_eq!(
            broken_promises(&file(&[&one, &two]), &file(&[&one])),
            [HistoryFault::Gone { vers: Version::new(2, 0, 0) }]
        );
        assert_eq!(broken_promises(&file(&[&one]), &[]).len(), 1);
        // A line that was cut in the middle is not the start of what is there now.
        assert_eq!(broken_promises(one.as_bytes(), format!("{one}x\n").as_bytes()).len(), 1);
        let rewritten = broken_promises(&file(&[&one]), &file(&[&line("1.0.0", "3", "")]));
        assert!(matches!(&rewritten[..], [HistoryFault::Rewritten { key, .. }] if key == "cksum"), "{rewritten:?}");
    }
}
