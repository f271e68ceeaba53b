//! The baseline: findings that existed before, so that a large collection can be linted from today on and fixed over
//! time.
//!
//! ```toml
//! # Findings that `skillpm lint` does not report again. `skillpm lint --write-baseline` regenerates this file.
//! version = 1
//!
//! [findings."skills/pdf/SKILL.md"]
//! link-broken.8c7a54c1d20f3be9 = 2
//! no-trigger.02f4e1b67a90c35d = 1
//! ```
//!
//! A finding is identified by its rule, its file and the text of its line, so that it stays known when lines move. Equal
//! ones are counted. Paths are relative to the file's own directory. Entries are sorted, one per line, so that git can
//! merge them.
//!
//! History: version 1 is the first.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde::Deserialize;

use skillpm_core::error::{Error, Result};
use skillpm_core::package::Sha256Digest;
use skillpm_core::report::Diagnostic;
use skillpm_core::toml_error::parse_error;

/// The format this program writes, and the newest it reads.
const VERSION: u32 = 1;

const HEADER: &str = "# Findings that `skillpm lint` does not report again. `skillpm lint --write-baseline` regenerates this file.\n";

/// The help for every fault: the file is generated.
const HELP: &str = "run `skillpm lint --write-baseline` to regenerate it";

/// Findings that existed before.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LintBaseline {
    /// The number of findings by path, rule and fingerprint.
    counts: BTreeMap<BaselineKey, usize>,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct BaselineKey {
    path: String,
    rule: String,
    fingerprint: String,
}

/// A baseline entry whose finding no longer occurs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StaleFinding {
    /// The file, relative to the baseline's directory.
    pub path: String,
    /// The rule.
    pub rule: String,
    /// The number of findings.
    pub count: usize,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawBaseline {
    version: u32,
    #[serde(default)]
    findings: BTreeMap<String, BTreeMap<String, BTreeMap<String, usize>>>,
}

impl LintBaseline {
    /// Parses the text of a baseline; `file` is its name for messages.
    ///
    /// # Errors
    /// If the text is not a baseline, or of an unsupported version.
    pub fn parse(text: &str, file: &str) -> Result<LintBaseline> {
        let raw: RawBaseline =
            toml::from_str(text).map_err(|error| syntax_error(&error, text, file))?;

        // Older and newer alike: what an entry means may have changed.
        if raw.version != VERSION {
            let message = format!(
                "unsupported version {} of baseline `{file}`; this skillpm reads version {VERSION}",
                raw.version
            );
            return Err(Error::usage(message).help(HELP));
        }

        let mut baseline = LintBaseline::default();
        for (path, rules) in raw.findings {
            for (rule, prints) in rules {
                for (fingerprint, count) in prints {
                    baseline.counts.insert(
                        BaselineKey {
                            path: path.clone(),
                            rule: rule.clone(),
                            fingerprint,
                        },
                        count,
                    );
                }
            }
        }

        Ok(baseline)
    }

    /// Renders the text of the file.
    #[must_use]
    pub fn to_text(&self) -> String {
        let mut text = format!("{HEADER}version = {VERSION}\n");

        // Keys are sorted by path first, so the entries of a file are together under one table.
        let mut open = None;
        for (
            BaselineKey {
                path,
                rule,
                fingerprint,
            },
            count,
        ) in &self.counts
        {
            if open != Some(path) {
                let _ = write!(text, "\n[findings.{}]\n", quote_key(path));
                open = Some(path);
            }
            let _ = writeln!(text, "{rule}.{fingerprint} = {count}");
        }

        text
    }

    /// The number of findings in it.
    #[must_use]
    pub fn len(&self) -> usize {
        self.counts.values().sum()
    }

    /// Whether it has no findings.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }

    /// Records a finding; its path is relative to the file's directory, and `line` is the text of its line.
    pub fn add(&mut self, path: &str, rule: &str, line: &str) {
        *self.counts.entry(key(path, rule, line)).or_default() += 1;
    }

    /// Whether a finding is in the baseline. Each recorded finding covers one.
    pub fn consume(&mut self, path: &str, rule: &str, line: &str) -> bool {
        let key = key(path, rule, line);
        let Some(count) = self.counts.get_mut(&key) else {
            return false;
        };

        // Each entry covers one finding, so that a second equal one is reported.
        *count -= 1;
        if *count == 0 {
            self.counts.remove(&key);
        }

        true
    }

    /// Splits the remaining entries by whether their file was checked: those that no longer occur, and those not checked.
    #[must_use]
    pub fn into_stale_and_kept(
        self,
        was_checked: impl Fn(&str) -> bool,
    ) -> (Vec<StaleFinding>, LintBaseline) {
        let (gone, kept): (Vec<_>, Vec<_>) = self
            .counts
            .into_iter()
            .partition(|(key, _)| was_checked(&key.path));

        let stale = gone
            .into_iter()
            .map(|(BaselineKey { path, rule, .. }, count)| StaleFinding { path, rule, count });

        (
            stale.collect(),
            LintBaseline {
                counts: kept.into_iter().collect(),
            },
        )
    }

    /// Adds the entries of another baseline.
    pub fn extend(&mut self, other: LintBaseline) {
        self.counts.extend(other.counts);
    }
}

fn syntax_error(error: &toml::de::Error, text: &str, file: &str) -> Error {
    parse_error("baseline", error, text, file).help(HELP)
}

fn key(path: &str, rule: &str, line: &str) -> BaselineKey {
    BaselineKey {
        path: path.to_owned(),
        rule: rule.to_owned(),
        fingerprint: fingerprint(path, rule, line),
    }
}

/// Identifies a finding even if its line moves: 16 hexadecimal digits of rule, path and the text of the line, with runs
/// of whitespace collapsed.
#[must_use]
pub fn fingerprint(path: &str, rule: &str, line: &str) -> String {
    // A change of indentation must not make an old finding new.
    let words: Vec<&str> = line.split_whitespace().collect();
    let digest =
        Sha256Digest::hash_bytes(format!("{rule}\0{path}\0{}", words.join(" ")).as_bytes())
            .to_string();
    let hex = digest.rsplit(':').next().unwrap_or(&digest);
    // 64 bits: short enough to read in a diff, and collisions only matter within one file and rule.
    hex[..16].to_owned()
}

/// The text of the line that a finding is about; empty for one about a whole file.
#[must_use]
pub fn finding_line<'s>(source: Option<&'s str>, diagnostic: &Diagnostic) -> &'s str {
    let (Some(source), Some(span)) = (source, &diagnostic.span) else {
        return "";
    };

    let at = span.start.min(source.len());
    let bytes = source.as_bytes();
    let start = memchr::memrchr(b'\n', &bytes[..at]).map_or(0, |at| at + 1);
    let end = memchr::memchr(b'\n', &bytes[at..]).map_or(source.len(), |to| at + to);
    source[start..end].trim()
}

/// Quotes a TOML key.
fn quote_key(text: &str) -> String {
    let escaped = text.chars().map(|c| match c {
        // A path may have any character, and always is one key.
        '"' | '\\' => format!("\\{c}"),
        c if c.is_control() => format!("\\u{:04X}", c as u32),
        c => c.to_string(),
    });
    format!("\"{}\"", escaped.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;
    use skillpm_core::report::DiagnosticLevel;

    #[test]
    fn baseline_is_written_sorted_and_round_trips() {
        let mut baseline = LintBaseline::default();
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
                &format!(
                    "body-empty.{} = 1",
                    fingerprint("a \"é\\/SKILL.md", "body-empty", "---")
                ),
                "",
                "[findings.\"b/SKILL.md\"]",
                &format!(
                    "body-empty.{} = 1",
                    fingerprint("b/SKILL.md", "body-empty", "---")
                ),
                &format!(
                    "link-broken.{} = 2",
                    fingerprint("b/SKILL.md", "link-broken", "see [a](b)")
                ),
            ]
        );
        assert_eq!(LintBaseline::parse(&text, "f").unwrap(), baseline);
        assert_eq!(baseline.len(), 4);
    }

    #[test]
    fn each_entry_covers_one_finding_and_the_rest_is_stale_in_checked_files() {
        let mut baseline = LintBaseline::default();
        for (path, times) in [("a", 2), ("b", 1)] {
            (0..times).for_each(|_| baseline.add(path, "r", "line"));
        }
        assert!(baseline.consume("a", "r", "line"));
        assert!(!baseline.consume("a", "r", "other line"));
        let (stale, kept) = baseline.clone().into_stale_and_kept(|path| path == "a");
        assert_eq!(
            stale,
            [StaleFinding {
                path: "a".into(),
                rule: "r".into(),
                count: 1
            }]
        );
        assert_eq!(kept.len(), 1);
        assert!(baseline.consume("a", "r", "line") && !baseline.consume("a", "r", "line"));
    }

    #[test]
    fn finding_is_identified_by_its_line_wherever_that_is() {
        let diagnostic = |source: &str| {
            let at = source.find("two").unwrap();
            Diagnostic::new("r", DiagnosticLevel::Error, "m").at(at..at + 3, source)
        };
        for source in ["one\ntwo x\n", "two x", "\r\n\r\n  two x\r\nthree"] {
            assert_eq!(
                finding_line(Some(source), &diagnostic(source)),
                "two x",
                "{source:?}"
            );
        }
        assert_eq!(finding_line(None, &diagnostic("two")), "");
        assert_ne!(fingerprint("a", "r", "x"), fingerprint("b", "r", "x"));
        assert_eq!(fingerprint("a", "r", "x").len(), 16);
    }

    #[test]
    fn invalid_baseline_is_refused_with_its_line() {
        let fault = |text: &str| {
            LintBaseline::parse(text, "b.toml")
                .unwrap_err()
                .message()
                .to_owned()
        };
        assert_eq!(
            fault("version = 2\n"),
            "unsupported version 2 of baseline `b.toml`; this skillpm reads version 1"
        );
        assert!(
            fault("version = 1\n<<<<<<< HEAD\n")
                .starts_with("failed to parse baseline at `b.toml:2:"),
            "{}",
            fault("version = 1\n<<<<<<<\n")
        );
    }
}
