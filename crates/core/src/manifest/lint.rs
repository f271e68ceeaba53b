//! `[lint]`: how the skills of a project are to be judged.
//!
//! ```toml
//! [lint]
//! select = ["SK1", "SK3", "body-empty"]    # only these: groups, codes, names; security rules stand whatever it says
//! extend-select = ["verbatim-copy"]        # these too
//! ignore = ["unknown-field"]               # but not these
//! profile = "default"                      # default | publish | strict
//! targets = ["codex", "claude-code"]       # agents that the skills are for
//! budgets = { body-lines = 300, body-tokens = 3000 }
//! baseline = "skillpm-lint.json"           # findings that were there before
//! name-not-directory = "allow"             # how loud one rule is: allow | note | warn | deny
//! SK508 = "deny"
//!
//! [[lint.overrides]]                       # where they are otherwise; the last that matches counts
//! paths = ["skills/legacy/**"]
//! body-empty = "allow"
//! ```
//!
//! Which rules there are is not known here; whoever judges asks about names. Nothing that installs reads this table, so
//! that the package of somebody with another skillpm cannot fail for it.

use std::collections::BTreeMap;
use std::ops::Range;
use std::str::FromStr;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::{located, place};
use crate::error::{Error, Result, nearest};

/// How loud a rule is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Setting {
    /// Not at all.
    Allow,
    /// Shown when notes are asked for.
    Note,
    /// Shown.
    Warn,
    /// Shown, and the answer is no.
    Deny,
}

impl Setting {
    /// All of them, the mildest first.
    pub const ALL: [(&'static str, Setting); 4] =
        [("allow", Setting::Allow), ("note", Setting::Note), ("warn", Setting::Warn), ("deny", Setting::Deny)];
}

/// What the skills are judged for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Profile {
    /// For those who use them.
    #[default]
    Default,
    /// For a registry: what a published package lacks is told too.
    Publish,
    /// One degree harder: what would be a note is a warning, what would be a warning an error.
    Strict,
}

impl Profile {
    /// All of them by name.
    pub const ALL: [(&'static str, Profile); 3] =
        [("default", Profile::Default), ("publish", Profile::Publish), ("strict", Profile::Strict)];
}

impl FromStr for Profile {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let names = Profile::ALL.map(|(name, _)| name);
        Profile::ALL.into_iter().find(|(name, _)| *name == text).map(|(_, profile)| profile).ok_or_else(|| {
            Error::usage(format!("there is no profile `{}`", text.escape_debug())).help(one_of(text, &names))
        })
    }
}

/// The budgets that can be set.
pub const BUDGETS: [&str; 5] = ["body-lines", "body-tokens", "body-tokens-max", "file-bytes", "package-bytes"];

/// Something written, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// What.
    pub text: String,
    /// `file:line:column`.
    pub place: String,
}

/// `[lint]`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LintTable {
    /// The rules that are asked at all: beginnings of codes, codes and names; `None` for the usual ones.
    pub select: Option<Vec<Written>>,
    /// Rules that are asked besides.
    pub extend_select: Vec<Written>,
    /// Rules that are not asked.
    pub ignore: Vec<Written>,
    /// What the skills are judged for.
    pub profile: Option<Profile>,
    /// Agents that the skills are for.
    pub targets: Option<Vec<Written>>,
    /// Budgets by their keys, which are among [`BUDGETS`].
    pub budgets: BTreeMap<&'static str, u64>,
    /// The file of findings that were there before, relative to the manifest.
    pub baseline: Option<String>,
    /// How loud single rules are, by name or code, in the order of the file.
    pub levels: Vec<(Written, Setting)>,
    /// Where they are otherwise.
    pub overrides: Vec<Override>,
}

/// One `[[lint.overrides]]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Override {
    /// Patterns of paths, relative to the manifest.
    pub paths: Vec<Written>,
    /// How loud rules are there.
    pub levels: Vec<(Written, Setting)>,
}

const KEYS: [&str; 8] = ["select", "extend-select", "ignore", "profile", "targets", "budgets", "baseline", "overrides"];

/// The `[lint]` in the text of a manifest; `None` if it has none. `file` is its name for messages.
///
/// # Errors
/// If the text is not TOML, or the table has a key or value that cannot be; the message has line and column, and shows
/// the line.
pub fn table(text: &str, file: &str) -> Result<Option<LintTable>> {
    if !text.contains("lint") {
        return Ok(None);
    }
    let root = DeTable::parse(text).map_err(|error| located(&error, text, file))?;
    let Some(lint) = root.get_ref().get("lint") else { return Ok(None) };
    let reader = Reader { text, file };
    let DeValue::Table(table) = lint.get_ref() else {
        return Err(reader.wanted(lint, "a table"));
    };
    let mut read = LintTable::default();
    for (key, value) in in_order(table) {
        reader.entry(&mut read, key, value)?;
    }
    Ok(Some(read))
}

/// The entries of a table as they stand in the file.
fn in_order<'t, 'i>(table: &'t DeTable<'i>) -> Vec<(&'t Key<'i>, &'t Value<'i>)> {
    let mut entries: Vec<_> = table.iter().collect();
    entries.sort_by_key(|(key, _)| key.span().start);
    entries
}

type Key<'i> = Spanned<std::borrow::Cow<'i, str>>;
type Value<'i> = Spanned<DeValue<'i>>;

struct Reader<'a> {
    text: &'a str,
    file: &'a str,
}

impl Reader<'_> {
    fn entry(&self, read: &mut LintTable, key: &Key<'_>, value: &Value<'_>) -> Result<()> {
        match key.get_ref().as_ref() {
            "select" => read.select = Some(self.list(value)?),
            "extend-select" => read.extend_select = self.list(value)?,
            "ignore" => read.ignore = self.list(value)?,
            "targets" => read.targets = Some(self.list(value)?),
            "profile" => read.profile = Some(self.choice(value, "profile", &Profile::ALL)?),
            "baseline" => read.baseline = Some(self.string(value, "the name of a file")?.to_owned()),
            "budgets" => read.budgets = self.budgets(value)?,
            "overrides" => {
                let wanted = "tables: write each as `[[lint.overrides]]`";
                let DeValue::Array(tables) = value.get_ref() else { return Err(self.wanted(value, wanted)) };
                for table in tables {
                    read.overrides.push(self.overriding(table)?);
                }
            }
            _ => read.levels.push(self.level(key, value, &KEYS, "[lint]")?),
        }
        Ok(())
    }

    fn overriding(&self, value: &Value<'_>) -> Result<Override> {
        let DeValue::Table(table) = value.get_ref() else { return Err(self.wanted(value, "a table")) };
        let mut read = Override { paths: Vec::new(), levels: Vec::new() };
        for (key, value) in in_order(table) {
            match key.get_ref().as_ref() {
                "paths" => read.paths = self.list(value)?,
                _ => read.levels.push(self.level(key, value, &["paths"], "[[lint.overrides]]")?),
            }
        }
        if read.paths.is_empty() {
            let error = self.fault(&value.span(), "it matches nothing: `paths` is missing or empty");
            return Err(error.help("name files or directories: `paths = [\"skills/legacy/**\"]`"));
        }
        Ok(read)
    }

    /// A rule and how loud it is. A key that has no such word is none of ours.
    fn level(&self, key: &Key<'_>, value: &Value<'_>, keys: &[&str], table: &str) -> Result<(Written, Setting)> {
        let name = key.get_ref().as_ref();
        let words = Setting::ALL.map(|(word, _)| word);
        let DeValue::String(word) = value.get_ref() else {
            let what = format!("unknown key `{}` in `{table}`", name.escape_debug());
            let meant = nearest(name, keys.iter().copied());
            let help = match meant {
                Some(meant) => format!("did you mean `{meant}`?"),
                None => format!("its keys are {}; any other key is a rule: {}", told(keys), one_of("", &words)),
            };
            return Err(self.fault(&key.span(), &what).help(help));
        };
        match Setting::ALL.iter().find(|(known, _)| known == word) {
            Some((_, setting)) => Ok((self.written(name, key.span().start), *setting)),
            // A reserved key, misspelt: its value is a word of its own.
            None if keys.iter().any(|key| crate::error::distance(name, key) <= 2) => {
                let what = format!("unknown key `{}` in `{table}`", name.escape_debug());
                let meant = nearest(name, keys.iter().copied()).unwrap_or_default();
                Err(self.fault(&key.span(), &what).help(format!("did you mean `{meant}`?")))
            }
            None => {
                let what = format!("`{}` is no level", word.escape_debug());
                Err(self.fault(&value.span(), &what).help(one_of(word, &words)))
            }
        }
    }

    fn budgets(&self, value: &Value<'_>) -> Result<BTreeMap<&'static str, u64>> {
        let DeValue::Table(table) = value.get_ref() else { return Err(self.wanted(value, "a table")) };
        let mut budgets = BTreeMap::new();
        for (key, value) in in_order(table) {
            let name = key.get_ref().as_ref();
            let Some(known) = BUDGETS.into_iter().find(|known| *known == name) else {
                let error = self.fault(&key.span(), &format!("unknown budget `{}`", name.escape_debug()));
                return Err(error.help(one_of(name, &BUDGETS)));
            };
            let number = value.get_ref().as_integer().and_then(|n| u64::from_str_radix(n.as_str(), n.radix()).ok());
            budgets.insert(known, number.ok_or_else(|| self.wanted(value, "a number, not below 0"))?);
        }
        Ok(budgets)
    }

    fn list(&self, value: &Value<'_>) -> Result<Vec<Written>> {
        let DeValue::Array(items) = value.get_ref() else { return Err(self.wanted(value, "a list of strings")) };
        let item = |item| Ok(self.written(self.string(item, "a string")?, item.span().start));
        items.iter().map(item).collect()
    }

    fn choice<T: Copy>(&self, value: &Value<'_>, what: &str, choices: &[(&str, T)]) -> Result<T> {
        let names: Vec<&str> = choices.iter().map(|(name, _)| *name).collect();
        let word = self.string(value, &one_of("", &names))?;
        let chosen = choices.iter().find(|(name, _)| *name == word);
        chosen.map(|(_, chosen)| *chosen).ok_or_else(|| {
            let error = self.fault(&value.span(), &format!("`{}` is no {what}", word.escape_debug()));
            error.help(one_of(word, &names))
        })
    }

    fn string<'v>(&self, value: &'v Value<'_>, wanted: &str) -> Result<&'v str> {
        value.get_ref().as_str().ok_or_else(|| self.wanted(value, wanted))
    }

    fn written(&self, text: &str, at: usize) -> Written {
        Written { text: text.to_owned(), place: place(self.text, self.file, at) }
    }

    fn wanted(&self, value: &Value<'_>, wanted: &str) -> Error {
        let found = value.get_ref().type_str();
        self.fault(&value.span(), &format!("it is of type {found}")).help(format!("write {wanted}"))
    }

    /// A fault with its place, and the line with what is meant underlined.
    fn fault(&self, span: &Range<usize>, message: &str) -> Error {
        let start = self.text[..span.start].rfind('\n').map_or(0, |at| at + 1);
        let line = self.text[start..].lines().next().unwrap_or_default();
        let number = self.text[..start].matches('\n').count() + 1;
        let before = self.text[start..span.start].chars().count();
        let marked = self.text[span.start..span.end.min(start + line.len())].chars().count().max(1);
        let margin = " ".repeat(number.to_string().len());
        Error::usage(format!("{}: {message}", place(self.text, self.file, span.start)))
            .note(format!("{margin} |"))
            .note(format!("{number} | {}", line.replace('\t', " ")))
            .note(format!("{margin} | {}{}", " ".repeat(before), "^".repeat(marked)))
    }
}

/// What would have been right: the nearest, or all.
fn one_of(wanted: &str, known: &[&str]) -> String {
    match nearest(wanted, known.iter().copied()) {
        Some(meant) => format!("did you mean `{meant}`?"),
        None => format!("write one of {}", told(known)),
    }
}

fn told(words: &[&str]) -> String {
    words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(text: &str) -> String {
        let error = table(text, "skillpm.toml").unwrap_err();
        let mut lines = vec![error.message().to_owned()];
        lines.extend(error.notes().iter().chain(error.helps()).cloned());
        lines.join("\n")
    }

    #[test]
    fn every_key_is_read_and_what_is_not_reserved_is_a_rule() {
        let text = "[lint]\nselect = [\"SK1\"]\nextend-select = [\"verbatim-copy\"]\nignore = [\"SK133\"]\n\
                    profile = \"publish\"\ntargets = [\"codex\"]\nbudgets = { body-lines = 300 }\nbaseline = \"b.json\"\n\
                    body-empty = \"allow\"\nSK508 = \"deny\"\n[[lint.overrides]]\npaths = [\"old/**\"]\nSK401 = \"note\"\n";
        let read = table(text, "f").unwrap().unwrap();
        let words = |list: &[Written]| list.iter().map(|w| format!("{} {}", w.place, w.text)).collect::<Vec<_>>();
        assert_eq!(words(read.select.as_ref().unwrap()), ["f:2:11 SK1"]);
        assert_eq!(words(&read.extend_select), ["f:3:18 verbatim-copy"]);
        assert_eq!(words(&read.ignore), ["f:4:11 SK133"]);
        assert_eq!(read.profile, Some(Profile::Publish));
        assert_eq!(words(&read.targets.unwrap()), ["f:6:12 codex"]);
        assert_eq!(read.budgets, BTreeMap::from([("body-lines", 300)]));
        assert_eq!(read.baseline.as_deref(), Some("b.json"));
        let levels = |list: &[(Written, Setting)]| {
            list.iter().map(|(rule, setting)| (rule.text.clone(), *setting)).collect::<Vec<_>>()
        };
        assert_eq!(
            levels(&read.levels),
            [("body-empty".to_owned(), Setting::Allow), ("SK508".to_owned(), Setting::Deny)]
        );
        assert_eq!(words(&read.overrides[0].paths), ["f:12:10 old/**"]);
        assert_eq!(levels(&read.overrides[0].levels), [("SK401".to_owned(), Setting::Note)]);
    }

    #[test]
    fn a_manifest_may_have_none() {
        assert_eq!(table("[package]\nname = \"lint\"\n", "f").unwrap(), None);
        assert_eq!(table("[lint]\n", "f").unwrap(), Some(LintTable::default()));
    }

    #[test]
    fn a_fault_shows_its_line_and_what_was_meant() {
        assert_eq!(
            fault("[lint]\nselct = [\"SK1\"]\n"),
            "skillpm.toml:2:1: unknown key `selct` in `[lint]`\n  |\n2 | selct = [\"SK1\"]\n  | ^^^^^\ndid you mean `select`?"
        );
        assert_eq!(
            fault("[lint]\n\tbody-empty = \"wran\"\n"),
            "skillpm.toml:2:15: `wran` is no level\n  |\n2 |  body-empty = \"wran\"\n  |               ^^^^^^\ndid you mean `warn`?"
        );
    }

    #[test]
    fn faults_are_told_wherever_they_are() {
        for (text, expected) in [
            ("lint = 1\n", "skillpm.toml:1:8: it is of type integer"),
            ("[lint\n", "skillpm.toml:1:6"),
            ("[lint]\nselect = \"SK1\"\n", "2:10: it is of type string"),
            ("[lint]\nselect = [1]\n", "2:11: it is of type integer"),
            ("[lint]\nprofil = \"strict\"\n", "did you mean `profile`?"),
            ("[lint]\nprofile = \"stritc\"\n", "did you mean `strict`?"),
            ("[lint]\nbudgets = { body-line = 3 }\n", "did you mean `body-lines`?"),
            ("[lint]\nbudgets = { body-lines = -3 }\n", "a number, not below 0"),
            ("[lint]\nx = true\n", "any other key is a rule"),
            ("[[lint.overrides]]\nSK1 = \"deny\"\n", "`paths` is missing"),
            ("[[lint.overrides]]\npath = [\"a\"]\n", "did you mean `paths`?"),
            ("[lint]\noverrides = 1\n", "`[[lint.overrides]]`"),
        ] {
            assert!(fault(text).contains(expected), "{text}\n{}", fault(text));
        }
    }
}
