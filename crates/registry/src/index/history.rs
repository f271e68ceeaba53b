//! The allowed changes of a package's file: lines are only appended, and in an existing line only `yanked` and `revoked`
//! change.
//!
//! [`check_changes`] checks a file for all of that, as the maintainer of an index does before a change is merged.
//! [`find_rewritten_versions`] checks it for what a reader relies on: all facts about a published version that decide what
//! is installed stay the same.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use semver::Version;
use serde_json::{Map, Value};

use super::IndexEntry;
use skillpm_core::package::PackageName;

/// The keys that decide what is installed; the rest of a line is informative.
const IMMUTABLE_KEYS: [&str; 4] = ["cksum", "archive", "deps", "src"];

/// The keys of a line that may change.
const YANKED: &str = "yanked";
const REVOKED: &str = "revoked";

/// An allowed change of one version.
#[derive(Debug, Clone, PartialEq)]
pub enum LineChange {
    /// It is published.
    Published(Box<IndexEntry>),
    /// It is yanked.
    Yanked(Version),
    /// It is no longer yanked.
    Unyanked(Version),
    /// It is revoked, for this reason.
    Revoked(Version, String),
}

/// A change of a package's file that is not allowed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HistoryFault {
    /// A version was removed.
    Removed {
        /// The version.
        vers: Version,
    },
    /// A key of a version was changed.
    Rewritten {
        /// The version.
        vers: Version,
        /// The changed key.
        key: String,
        /// Its value before, as JSON; empty if there was none.
        was: String,
        /// Its value now, as JSON; empty if there is none.
        now: String,
    },
    /// A version was moved to another line, or a new one was inserted before existing ones.
    Moved {
        /// The version.
        vers: Version,
        /// Its present line, counted from 1.
        line: usize,
    },
    /// Two lines are about the same version.
    Duplicate {
        /// The version.
        vers: Version,
        /// The second of the lines, counted from 1.
        line: usize,
    },
    /// A line is invalid.
    Unreadable {
        /// The line, counted from 1.
        line: usize,
        /// What is wrong with it.
        reason: String,
    },
}

/// Truncates a value for a message, since an index can make it as long as a line.
fn truncate_value(value: &str) -> String {
    const SHOWN_MAX: usize = 200;

    // By characters: a cut through one would panic.
    match value.char_indices().nth(SHOWN_MAX) {
        _ if value.is_empty() => "nothing".to_owned(),
        Some((end, _)) => format!("{}…", &value[..end]),
        None => value.to_owned(),
    }
}

impl fmt::Display for HistoryFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            HistoryFault::Removed { vers } => {
                write!(f, "version {vers} was removed")
            }
            HistoryFault::Rewritten {
                vers,
                key,
                was,
                now,
            } => {
                write!(
                    f,
                    "`{key}` of version {vers} was changed from {} to {}",
                    truncate_value(was),
                    truncate_value(now)
                )
            }
            HistoryFault::Moved { vers, line } => {
                write!(
                    f,
                    "version {vers} was moved to line {line}; lines may only be appended"
                )
            }
            HistoryFault::Duplicate { vers, line } => {
                write!(f, "duplicate version {vers} in line {line}")
            }
            HistoryFault::Unreadable { line, reason } => write!(f, "line {line}: {reason}"),
        }
    }
}

/// Lists the changes of the file of package `name` from `old` to `new`; `old` is empty for a new package.
///
/// # Errors
/// All faults of the change, in the order of lines: it does more than append lines and set `yanked` and `revoked`, has two
/// lines about a version, or appends an invalid line. A line that was invalid before may stay as it is.
pub fn check_changes(
    old: &[u8],
    new: &[u8],
    name: &PackageName,
) -> Result<Vec<LineChange>, Vec<HistoryFault>> {
    let (before, after) = (parse_lines(old), parse_lines(new));
    let mut check = HistoryCheck::default();
    check.compare_old_lines(&before, &after);
    check.check_new_lines(&before, &after, name);
    check.find_duplicates(&after);

    if check.faults.is_empty() {
        Ok(check.done)
    } else {
        Err(check.faults)
    }
}

/// What was found of a change so far.
#[derive(Default)]
struct HistoryCheck {
    done: Vec<LineChange>,
    faults: Vec<HistoryFault>,
}

impl HistoryCheck {
    fn compare_old_lines(&mut self, before: &[HistoryLine<'_>], after: &[HistoryLine<'_>]) {
        let mut lines_now: BTreeMap<Version, usize> = BTreeMap::new();
        for line in after {
            if let Some(vers) = line.version() {
                lines_now.entry(vers).or_insert(line.number);
            }
        }

        // By position: line N of the old file has to be line N of the new one.
        for (at, was) in before.iter().enumerate() {
            let now = after.get(at);
            if now.is_some_and(|now| now.text == was.text) {
                continue;
            }
            match (was.version(), now) {
                // The same version at the same line: only some of its keys may differ.
                (Some(vers), Some(now)) if now.version().as_ref() == Some(&vers) => {
                    self.compare_lines(&vers, was, now);
                }
                (Some(vers), _) => self.faults.push(match lines_now.get(&vers) {
                    Some(&line) => HistoryFault::Moved { vers, line },
                    None => HistoryFault::Removed { vers },
                }),
                (None, _) => self.faults.push(HistoryFault::Unreadable {
                    line: was.number,
                    reason: "an invalid line was changed".into(),
                }),
            }
        }
    }

    /// The lines after the old ones are new, and must be valid.
    fn check_new_lines(
        &mut self,
        before: &[HistoryLine<'_>],
        after: &[HistoryLine<'_>],
        name: &PackageName,
    ) {
        let known: BTreeSet<Version> = before.iter().filter_map(HistoryLine::version).collect();
        for line in after.iter().skip(before.len()) {
            match IndexEntry::parse(line.text, name) {
                // A version of the old file is reported as moved or as a duplicate.
                Ok(entry) if known.contains(&entry.vers) => {}
                Ok(entry) => self.done.push(LineChange::Published(Box::new(entry))),
                Err(reason) => self.faults.push(HistoryFault::Unreadable {
                    line: line.number,
                    reason,
                }),
            }
        }
    }

    fn find_duplicates(&mut self, after: &[HistoryLine<'_>]) {
        // Readers take the first line about a version, so a second one would have no effect.
        let mut seen: BTreeSet<Version> = BTreeSet::new();
        for (line, vers) in after
            .iter()
            .filter_map(|line| Some((line, line.version()?)))
        {
            if seen.contains(&vers) {
                self.faults.push(HistoryFault::Duplicate {
                    vers,
                    line: line.number,
                });
            } else {
                seen.insert(vers);
            }
        }
    }

    fn compare_lines(&mut self, vers: &Version, was: &HistoryLine<'_>, now: &HistoryLine<'_>) {
        let found: Vec<HistoryFault> = find_key_changes(vers, was, now).collect();
        let revoked = now.revoked().filter(|_| now.revoked() != was.revoked());

        match (was.is_yanked(), now.is_yanked()) {
            // A revocation also yanks; that is one change, and not two.
            _ if revoked.is_some() => {
                let changes = revoked.map(|why| LineChange::Revoked(vers.clone(), why.to_owned()));
                self.done.extend(changes);
            }
            (false, true) => self.done.push(LineChange::Yanked(vers.clone())),
            (true, false) => self.done.push(LineChange::Unyanked(vers.clone())),
            // The same values in other bytes: the line was changed without need.
            _ if found.is_empty() && was.revoked() == now.revoked() => {
                self.faults.push(HistoryFault::Unreadable {
                    line: now.number,
                    reason: "it was reformatted without changing its values".into(),
                });
            }
            _ => {}
        }

        self.faults.extend(found);
    }
}

/// Finds published versions of a package that an index changed: a version was removed, or its checksum, archive,
/// dependencies or commit is another. Empty if there are none.
#[must_use]
pub fn find_rewritten_versions(old: &[u8], new: &[u8]) -> Vec<HistoryFault> {
    // Nearly always lines were only appended.
    // The old file must end at a line's end, or its last line could have become longer.
    if new.starts_with(old)
        && (old.ends_with(b"\n") || old.is_empty() || new[old.len()..].starts_with(b"\n"))
    {
        return Vec::new();
    }

    let mut now: BTreeMap<Version, (usize, &str)> = BTreeMap::new();
    for (number, text) in numbered_lines(new) {
        // Of two lines about one version the first is used, here as in a lookup.
        if let Some(vers) = HistoryLine::read(number, text).version() {
            now.entry(vers).or_insert((number, text));
        }
    }

    let mut faults = Vec::new();
    for (number, text) in numbered_lines(old) {
        let was = HistoryLine::read(number, text);
        let Some(vers) = was.version() else { continue };
        match now.get(&vers) {
            None => faults.push(HistoryFault::Removed { vers }),
            // Byte for byte the same, so the keys need not be compared.
            Some((_, now)) if *now == text => {}
            Some((number, now)) => {
                faults.extend(
                    find_key_changes(&vers, &was, &HistoryLine::read(*number, now))
                        .filter(is_immutable_key),
                );
            }
        }
    }

    faults
}

fn is_immutable_key(fault: &HistoryFault) -> bool {
    matches!(fault, HistoryFault::Rewritten { key, .. } if IMMUTABLE_KEYS.contains(&key.as_str()))
}

struct HistoryLine<'t> {
    /// Counted from 1.
    number: usize,
    text: &'t str,
    object: Map<String, Value>,
}

impl<'t> HistoryLine<'t> {
    /// Parses a line; one that is not a JSON object has no version.
    fn read(number: usize, text: &'t str) -> Self {
        HistoryLine {
            number,
            text,
            // Not as an entry: lines of a newer format have versions, too, and must not change either.
            object: serde_json::from_str(text).unwrap_or_default(),
        }
    }

    fn version(&self) -> Option<Version> {
        self.object.get("vers")?.as_str()?.parse().ok()
    }

    fn is_yanked(&self) -> bool {
        self.object
            .get(YANKED)
            .and_then(Value::as_bool)
            .unwrap_or(false)
    }

    fn revoked(&self) -> Option<&str> {
        self.object.get(REVOKED).and_then(Value::as_str)
    }
}

/// The lines that are not blank.
fn parse_lines(file: &[u8]) -> Vec<HistoryLine<'_>> {
    numbered_lines(file)
        .map(|(number, text)| HistoryLine::read(number, text))
        .collect()
}

/// The lines that are not blank, with their numbers. Parsed one after the other they take a tenth of the memory of all of
/// them.
fn numbered_lines(file: &[u8]) -> impl Iterator<Item = (usize, &str)> {
    // What an editor puts in front of the first line is no part of it.
    let file = file.strip_prefix("\u{feff}".as_bytes()).unwrap_or(file);
    let numbered = file.split(|&byte| byte == b'\n').enumerate();
    let texts = numbered.map(|(at, line)| {
        (
            at + 1,
            std::str::from_utf8(line).unwrap_or("\u{fffd}").trim_end(),
        )
    });
    texts.filter(|(_, text)| !text.trim().is_empty())
}

/// Every key that differs between two lines about a version, except those that may change, sorted.
fn find_key_changes(
    vers: &Version,
    was: &HistoryLine<'_>,
    now: &HistoryLine<'_>,
) -> impl Iterator<Item = HistoryFault> {
    let mut keys: Vec<&String> = was
        .object
        .keys()
        .chain(now.object.keys())
        .filter(|key| !matches!(key.as_str(), YANKED | REVOKED))
        .collect();
    // Sorted, so that the same change always gives the same message.
    keys.sort();
    keys.dedup();

    let text = |line: &HistoryLine<'_>, key: &str| {
        line.object
            .get(key)
            .map(Value::to_string)
            .unwrap_or_default()
    };

    let differing = keys
        .into_iter()
        .filter(|key| was.object.get(*key) != now.object.get(*key));
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
        lines
            .iter()
            .map(|line| format!("{line}\n"))
            .collect::<String>()
            .into_bytes()
    }

    fn changes(old: &[&str], new: &[&str]) -> Vec<String> {
        match check_changes(&file(old), &file(new), &"pdf".parse().unwrap()) {
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
    fn a_long_value_is_truncated() {
        assert_eq!(truncate_value(""), "nothing");
        assert_eq!(truncate_value(&"é".repeat(200)), "é".repeat(200));
        assert_eq!(
            truncate_value(&"é".repeat(201)),
            format!("{}…", "é".repeat(200))
        );
    }

    #[test]
    fn lines_may_be_appended_and_yanked_and_nothing_else() {
        let (one, two) = (line("1.0.0", "1", ""), line("2.0.0", "2", ""));
        let yanked = one.replace("\"yanked\":false", "\"yanked\":true");
        let other = line("1.0.0", "3", r#","license":"MIT""#);
        assert_eq!(changes(&[], &[&one]), ["+1.0.0"]);
        assert_eq!(changes(&[&one], &[&yanked, &two]), ["yank 1.0.0", "+2.0.0"]);
        assert_eq!(changes(&[&yanked], &[&one]), ["unyank 1.0.0"]);
        let revoked = line("1.0.0", "1", r#","revoked":"bad""#)
            .replace("\"yanked\":false", "\"yanked\":true");
        assert_eq!(changes(&[&one], &[&revoked]), ["revoke 1.0.0: bad"]);
        assert_eq!(changes(&[&yanked], &[&revoked]), ["revoke 1.0.0: bad"]);
        assert_eq!(changes(&[&revoked], &[&one]), ["unyank 1.0.0"]);
        assert_eq!(changes(&[&revoked], &[&yanked]), [] as [&str; 0]);
        assert_eq!(
            changes(&[&one, &two], &[&one]),
            ["version 2.0.0 was removed"]
        );
        assert_eq!(
            changes(&[&one, &two], &[&two, &one]),
            [
                "version 1.0.0 was moved to line 2; lines may only be appended",
                "version 2.0.0 was moved to line 1; lines may only be appended"
            ]
        );
        let (was, now) = ("1".repeat(64), "3".repeat(64));
        assert_eq!(
            changes(&[&one], &[&other]),
            [
                format!(
                    "`cksum` of version 1.0.0 was changed from \"skill-tree-v1:{was}\" to \"skill-tree-v1:{now}\""
                ),
                "`license` of version 1.0.0 was changed from nothing to \"MIT\"".into()
            ]
        );
        assert_eq!(
            changes(&[&one], &[&one, &one]),
            ["duplicate version 1.0.0 in line 2"]
        );
        assert_eq!(changes(&[&one], &[&one, "x"]).len(), 1);
        assert_eq!(changes(&["x"], &["x", &one]), ["+1.0.0"]);
        assert_eq!(
            changes(&[&one], &[&one.replace("\",\"", "\", \"")]),
            ["line 1: it was reformatted without changing its values"]
        );
    }

    #[test]
    fn only_a_removed_or_rewritten_version_is_found() {
        let (one, two) = (line("1.0.0", "1", ""), line("2.0.0", "2", ""));
        let yanked = one.replace("\"yanked\":false", "\"yanked\":true");
        let described = line("1.0.0", "1", r#","description":"new words""#);
        for kept in [
            &[&one][..],
            &[&one, &two],
            &[&two, &one],
            &[&yanked],
            &[&described],
        ] {
            let kept: Vec<&str> = kept.iter().map(|line| line.as_str()).collect();
            assert_eq!(
                find_rewritten_versions(&file(&[&one]), &file(&kept)),
                [],
                "{kept:?}"
            );
        }
        assert_eq!(
            find_rewritten_versions(&file(&[&one, &two]), &file(&[&one])),
            [HistoryFault::Removed {
                vers: Version::new(2, 0, 0)
            }]
        );
        assert_eq!(find_rewritten_versions(&file(&[&one]), &[]).len(), 1);
        // A line that was truncated is not the same as the present one.
        assert_eq!(
            find_rewritten_versions(one.as_bytes(), format!("{one}x\n").as_bytes()).len(),
            1
        );
        let rewritten = find_rewritten_versions(&file(&[&one]), &file(&[&line("1.0.0", "3", "")]));
        assert!(
            matches!(&rewritten[..], [HistoryFault::Rewritten { key, .. }] if key == "cksum"),
            "{rewritten:?}"
        );
    }
}
