//! The findings that were there before: a collection of a thousand skills can be linted from today on, and be mended
//! when there is time.
//!
//! ```toml
//! # Findings that `skillpm lint` does not tell again. `skillpm lint --write-baseline` writes it anew.
//! version = 1
//!
//! [findings."skills/pdf/SKILL.md"]
//! link-broken.8c7a54c1d20f3be9 = 2
//! no-trigger.02f4e1b67a90c35d = 1
//! ```
//!
//! A finding is known by its rule, its file and the text of its line, so that it stays known when lines move. Equal ones
//! are counted. Paths are relative to the file's own directory. Everything is sorted and stands on a line of its own, so
//! that git merges it.
//!
//! History: version 1 is the first.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde::Deserialize;

use crate::error::{Error, Result};
use crate::package::Sha256;
use crate::report::Diagnostic;

/// The format this program writes, and the newest it reads.
const VERSION: u32 = 1;

const HEADER: &str =
    "# Findings that `skillpm lint` does not tell again. `skillpm lint --write-baseline` writes it anew.\n";

/// Findings that were there before.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Baseline {
    /// By path, rule and fingerprint.
    counts: BTreeMap<Key, usize>,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    path: String,
    rule: String,
    fingerprint: String,
}

/// A finding that was there before and is no more.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stale {
    /// The file, relative to that of the baseline.
    pub path: String,
    /// The rule.
    pub rule: String,
    /// How many.
    pub count: usize,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Raw {
    version: u32,
    #[serde(default)]
    findings: BTreeMap<String, BTreeMap<String, BTreeMap<String, usize>>>,
}

impl Baseline {
    /// Reads the text of a baseline; `file` is its name for messages.
    ///
    /// # Errors
    /// If it is none, or of a newer form.
    pub fn parse(text: &str, file: &str) -> Result<Baseline> {
        let help = "`skillpm lint --write-baseline` writes it anew";
        let raw: Raw = toml::from_str(text).map_err(|error| {
            let line = error.span().map_or(1, |span| 1 + text[..span.start].matches('\n').count());
            let message = error.message().replace('\n', " ");
            Error::usage(format!("{file}:{line}: {message}")).help(help)
        })?;
        if raw.version != VERSION {
            let message = format!("`{file}` is of version {}; this skillpm reads version {VERSION}", raw.version);
            return Err(Error::usage(message).help(help));
        }
        let mut baseline = Baseline::default();
        for (path, rules) in raw.findings {
            for (rule, prints) in rules {
                for (fingerprint, count) in prints {
                    baseline.counts.insert(Key { path: path.clone(), rule: rule.clone(), fingerprint }, count);
                }
            }
        }
        Ok(baseline)
    }

    /// The text of the file.
    #[must_use]
    pub fn to_text(&self) -> String {
        let mut text = format!("{HEADER}version = {VERSION}\n");
        let mut open = None;
        for (Key { path, rule, fingerprint }, count) in &self.counts {
            if open != Some(path) {
                let _ = write!(text, "\n[findings.{}]\n", quoted(path));
                open = Some(path);
            }
            let _ = writeln!(text, "{rule}.{fingerprint} = {count}");
        }
        text
    }

    /// How many findings it holds.
    #[must_use]
    pub fn len(&self) -> usize {
        self.counts.values().sum()
    }

    /// Whether it holds none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }

    /// Records a finding; its path is relative to the file's directory, and `line` the text of its line.
    pub fn add(&mut self, path: &str, rule: &str, line: &str) {
        *self.counts.entry(key(path, rule, line)).or_default() += 1;
    }

    /// Whether a finding was there before. Each that is recorded answers for one.
    pub fn take(&mut self, path: &str, rule: &str, line: &str) -> bool {
        let key = key(path, rule, line);
        let Some(count) = self.counts.get_mut(&key) else { return false };
        *count -= 1;
        if *count == 0 {
            self.counts.remove(&key);
        }
        true
    }

    /// What is left, split by whether its file was looked at: what occurs no more, and what nobody looked for.
    #[must_use]
    pub fn settle(self, looked_at: impl Fn(&str) -> bool) -> (Vec<Stale>, Baseline) {
        let (gone, kept): (Vec<_>, Vec<_>) = self.counts.into_iter().partition(|(key, _)| looked_at(&key.path));
        let stale = gone.into_iter().map(|(Key { path, rule, .. }, count)| Stale { path, rule, count });
        (stale.collect(), Baseline { counts: kept.into_iter().collect() })
    }

    /// Takes over what another holds.
    pub fn extend(&mut self, other: Baseline) {
        self.counts.extend(other.counts);
    }
}

fn key(path: &str, rule: &str, line: &str) -> Key {
    Key { path: path.to_owned(), rule: rule.to_owned(), fingerprint: fingerprint(path, rule, line) }
}

/// What a finding is known by wherever its line moves to: 16 hexadecimal digits of rule, path and the text of the line,
/// in which blanks do not count but as separators.
#[must_use]
pub fn fingerprint(path: &str, rule: &str, line: &str) -> String {
    let words: Vec<&str> = line.split_whitespace().collect();
    let digest = Sha256::of(format!("{rule}\0{path}\0{}", words.join(" ")).as_bytes()).to_string();
    let hex = digest.rsplit(':').next().unwrap_or(&digest);
    hex[..16].to_owned()
}

/// The text of the line that a finding is about; empty for one about a whole file.
#[must_use]
pub fn line_of<'s>(source: Option<&'s str>, diagnostic: &Diagnostic) -> &'s str {
    let (Some(source), Some(span)) = (source, &diagnostic.span) else { return "" };
    let at = span.start.min(source.len());
    let bytes = source.as_bytes();
    let start = memchr::memrchr(b'\n', &bytes[..at]).map_or(0, |at| at + 1);
    let end = memchr::memchr(b'\n', &bytes[at..]).map_or(source.len(), |to| at + to);
    source[start..end].trim()
}

/// A key of TOML.
fn quoted(text: &str) -> String {
    let escaped = text.chars().map(|c| match c {
        '"' | '\\' => format!("\\{c}"),
        c if c.is_control() => format!("\\u{:04X}", c as u32),
        c => c.to_string(),
    });
    format!("\"{}\"", escaped.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::Level;

    #[test]
    fn it_is_written_sorted_and_read_as_it_was_written() {
        let mut baseline = Baseline::default();
        baseline.add("b/SKILL.md", "link-broken", "see [a](b)");
        baseline.add("b/SKILL.md", "body-empty", "---");
        baseline.add("a \"é\\/SKILL.md", "body-empty", "---");
        baseline.add("b/SKILL.md", "link-broken", "  see\t[a](b) ");
        let text = baseline.to_text();
        let lines: Vec<&str> = text.lines().skip(1).collect();
        assert_eq!(
            lines,
            [
                "version = 1",
                "",
                "[findings.\"a \\\"é\\\\/SKILL.md\"]",
                &format!("body-empty.{} = 1", fingerprint("a \"é\\/SKILL.md", "body-empty", "---")),
                "",
                "[findings.\"b/SKILL.md\"]",
                &format!("body-empty.{} = 1", fingerprint("b/SKILL.md", "body-empty", "---")),
                &format!("link-broken.{} = 2", fingerprint("b/SKILL.md", "link-broken", "see [a](b)")),
            ]
        );
        assert_eq!(Baseline::parse(&text, "f").unwrap(), baseline);
        assert_eq!(baseline.len(), 4);
    }

    #[test]
    fn each_answers_for_one_and_the_rest_is_stale_where_somebody_looked() {
        let mut baseline = Baseline::default();
        for (path, times) in [("a", 2), ("b", 1)] {
            (0..times).for_each(|_| baseline.add(path, "r", "line"));
        }
        assert!(baseline.take("a", "r", "line"));
        assert!(!baseline.take("a", "r", "other line"));
        let (stale, kept) = baseline.clone().settle(|path| path == "a");
        assert_eq!(stale, [Stale { path: "a".into(), rule: "r".into(), count: 1 }]);
        assert_eq!(kept.len(), 1);
        assert!(baseline.take("a", "r", "line") && !baseline.take("a", "r", "line"));
    }

    #[test]
    fn a_finding_is_known_by_its_line_wherever_that_stands() {
        let diagnostic = |source: &str| {
            let at = source.find("two").unwrap();
            Diagnostic::new("r", Level::Error, "m").at(at..at + 3, source)
        };
        for source in ["one\ntwo x\n", "two x", "\r\n\r\n  two x\r\nthree"] {
            assert_eq!(line_of(Some(source), &diagnostic(source)), "two x", "{source:?}");
        }
        assert_eq!(line_of(None, &diagnostic("two")), "");
        assert_ne!(fingerprint("a", "r", "x"), fingerprint("b", "r", "x"));
        assert_eq!(fingerprint("a", "r", "x").len(), 16);
    }

    #[test]
    fn what_is_none_is_refused_with_its_line() {
        let fault = |text: &str| Baseline::parse(text, "b.toml").unwrap_err().message().to_owned();
        assert_eq!(fault("version = 2\n"), "`b.toml` is of version 2; this skillpm reads version 1");
        assert!(fault("version = 1\n<<<<<<< HEAD\n").starts_with("b.toml:2: "), "{}", fault("version = 1\n<<<<<<<\n"));
    }
}
