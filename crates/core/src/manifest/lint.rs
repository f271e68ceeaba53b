//! `[lint]`: how the skills of a project are checked.
//!
//! ```toml
//! [lint]
//! select = ["SK1", "SK3", "body-empty"]    # only these: groups, codes, names; security rules always apply
//! extend-select = ["verbatim-copy"]        # these too
//! ignore = ["unknown-field"]               # but not these
//! profile = "default"                      # default | publish | strict
//! targets = ["codex", "claude-code"]       # agents that the skills are for
//! budgets = { body-lines = 300, body-tokens = 3000 }
//! baseline = "skillpm-lint.json"           # findings that were there before
//! name-not-directory = "allow"             # the level of one rule: allow | note | warn | deny
//! SK508 = "deny"
//!
//! [[lint.overrides]]                       # other levels for some paths; the last match applies
//! paths = ["skills/legacy/**"]
//! body-empty = "allow"
//! ```
//!
//! The names of rules are not checked here but by the linter. No install reads this table, so a package written for another
//! version of skillpm cannot fail to install because of it.

use std::collections::BTreeMap;
use std::ops::Range;
use std::str::FromStr;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::{location_at, toml_error};
use crate::error::{Error, Result, nearest_name};

/// The level of a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum LintLevel {
    /// Not at all.
    Allow,
    /// Shown only with notes enabled.
    Note,
    /// Shown.
    Warn,
    /// Shown as an error, which fails the command.
    Deny,
}

impl LintLevel {
    /// All levels by name, the lowest first.
    pub const ALL: [(&'static str, LintLevel); 4] = [
        ("allow", LintLevel::Allow),
        ("note", LintLevel::Note),
        ("warn", LintLevel::Warn),
        ("deny", LintLevel::Deny),
    ];
}

/// The purpose that skills are checked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LintProfile {
    /// For the users of the skills.
    #[default]
    Default,
    /// For a registry: missing package metadata is reported as well.
    Publish,
    /// One level stricter: notes become warnings, and warnings errors.
    Strict,
}

impl LintProfile {
    /// All of them by name.
    pub const ALL: [(&'static str, LintProfile); 3] = [
        ("default", LintProfile::Default),
        ("publish", LintProfile::Publish),
        ("strict", LintProfile::Strict),
    ];
}

impl FromStr for LintProfile {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let names = LintProfile::ALL.map(|(name, _)| name);
        LintProfile::ALL
            .into_iter()
            .find(|(name, _)| *name == text)
            .map(|(_, profile)| profile)
            .ok_or_else(|| {
                Error::usage(format!("unknown profile `{}`", text.escape_debug()))
                    .help(suggest_one_of(text, &names))
            })
    }
}

/// The budgets that can be set.
pub const BUDGETS: [&str; 5] = [
    "body-lines",
    "body-tokens",
    "body-tokens-max",
    "file-bytes",
    "package-bytes",
];

/// A string and its location.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LocatedText {
    /// The string.
    pub text: String,
    /// `file:line:column`.
    pub location: String,
}

/// `[lint]`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LintTable {
    /// The selected rules: prefixes of codes, codes and names; `None` for the default ones.
    pub select: Option<Vec<LocatedText>>,
    /// Rules that are selected in addition.
    pub extend_select: Vec<LocatedText>,
    /// Rules that are ignored.
    pub ignore: Vec<LocatedText>,
    /// The purpose that skills are checked for.
    pub profile: Option<LintProfile>,
    /// Agents that the skills are written for.
    pub targets: Option<Vec<LocatedText>>,
    /// Budgets by their keys, which are among [`BUDGETS`].
    pub budgets: BTreeMap<&'static str, u64>,
    /// The file of known findings, relative to the manifest.
    pub baseline: Option<String>,
    /// The levels of single rules, by name or code, in the order of the file.
    pub levels: Vec<(LocatedText, LintLevel)>,
    /// Other levels for some paths.
    pub overrides: Vec<LintOverrideTable>,
}

/// One `[[lint.overrides]]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LintOverrideTable {
    /// Patterns of paths, relative to the manifest.
    pub paths: Vec<LocatedText>,
    /// The levels of rules there.
    pub levels: Vec<(LocatedText, LintLevel)>,
}

const LINT_KEYS: [&str; 8] = [
    "select",
    "extend-select",
    "ignore",
    "profile",
    "targets",
    "budgets",
    "baseline",
    "overrides",
];

/// Parses `[lint]` in the text of a manifest; `None` if it has none. `file` is its name for messages.
///
/// # Errors
/// If the text is not TOML, or the table has an unknown key or an invalid value; the message has line and column, and
/// the notes show the line.
pub fn parse_lint_table(text: &str, file: &str) -> Result<Option<LintTable>> {
    // Most manifests have no such table, and need not be parsed a second time.
    if !text.contains("lint") {
        return Ok(None);
    }

    // Not by serde, since any other key may be the name of a rule, and each value needs its position.
    let root = DeTable::parse(text).map_err(|error| toml_error(&error, text, file))?;
    let Some(lint) = root.get_ref().get("lint") else {
        return Ok(None);
    };

    let reader = LintTableReader { text, file };
    let DeValue::Table(table) = lint.get_ref() else {
        return Err(reader.type_error(lint, "a table"));
    };

    let mut read = LintTable::default();
    for (key, value) in sorted_by_position(table) {
        reader.read_entry(&mut read, key, value)?;
    }

    Ok(Some(read))
}

/// The entries of a table in the order of the file.
fn sorted_by_position<'t, 'i>(table: &'t DeTable<'i>) -> Vec<(&'t TomlKey<'i>, &'t TomlValue<'i>)> {
    // Levels apply, and errors appear, in the order of the file and not of the map.
    let mut entries: Vec<_> = table.iter().collect();
    entries.sort_by_key(|(key, _)| key.span().start);
    entries
}

type TomlKey<'i> = Spanned<std::borrow::Cow<'i, str>>;
type TomlValue<'i> = Spanned<DeValue<'i>>;

struct LintTableReader<'a> {
    text: &'a str,
    file: &'a str,
}

impl LintTableReader<'_> {
    fn read_entry(
        &self,
        read: &mut LintTable,
        key: &TomlKey<'_>,
        value: &TomlValue<'_>,
    ) -> Result<()> {
        match key.get_ref().as_ref() {
            "select" => read.select = Some(self.read_list(value)?),
            "extend-select" => read.extend_select = self.read_list(value)?,
            "ignore" => read.ignore = self.read_list(value)?,
            "targets" => read.targets = Some(self.read_list(value)?),
            "profile" => {
                read.profile = Some(self.read_choice(value, "profile", &LintProfile::ALL)?);
            }
            "baseline" => {
                read.baseline = Some(self.read_string(value, "the name of a file")?.to_owned());
            }
            "budgets" => read.budgets = self.read_budgets(value)?,
            "overrides" => {
                let wanted = "tables: write each as `[[lint.overrides]]`";
                let DeValue::Array(tables) = value.get_ref() else {
                    return Err(self.type_error(value, wanted));
                };
                for table in tables {
                    read.overrides.push(self.read_override(table)?);
                }
            }
            // The names of rules are checked by the linter, which knows them.
            _ => read
                .levels
                .push(self.read_level(key, value, &LINT_KEYS, "[lint]")?),
        }
        Ok(())
    }

    fn read_override(&self, value: &TomlValue<'_>) -> Result<LintOverrideTable> {
        let DeValue::Table(table) = value.get_ref() else {
            return Err(self.type_error(value, "a table"));
        };

        let mut read = LintOverrideTable {
            paths: Vec::new(),
            levels: Vec::new(),
        };

        for (key, value) in sorted_by_position(table) {
            match key.get_ref().as_ref() {
                "paths" => read.paths = self.read_list(value)?,
                _ => read.levels.push(self.read_level(
                    key,
                    value,
                    &["paths"],
                    "[[lint.overrides]]",
                )?),
            }
        }

        // Without paths the override would silently match nothing.
        if read.paths.is_empty() {
            let error = self.error_at(
                &value.span(),
                "invalid override, which matches no path: `paths` is missing or empty",
            );
            return Err(error.help("set files or directories: `paths = [\"skills/legacy/**\"]`"));
        }

        Ok(read)
    }

    /// A rule and its level.
    fn read_level(
        &self,
        key: &TomlKey<'_>,
        value: &TomlValue<'_>,
        keys: &[&str],
        table: &str,
    ) -> Result<(LocatedText, LintLevel)> {
        let name = key.get_ref().as_ref();
        // The level of a rule is a string; with any other type the key is probably a misspelled setting.
        let DeValue::String(word) = value.get_ref() else {
            return Err(self.unknown_key_error(key, keys, table));
        };

        match LintLevel::ALL.iter().find(|(known, _)| known == word) {
            Some((_, setting)) => Ok((self.located_text(name, key.span().start), *setting)),
            // A misspelled key such as `profil`, whose value is not a level.
            None if keys
                .iter()
                // Two letters: more would take short names of rules for settings.
                .any(|key| crate::error::edit_distance(name, key) <= 2) =>
            {
                Err(self.unknown_key_error(key, keys, table))
            }
            None => {
                let what = format!("unknown level `{}`", word.escape_debug());
                let words = LintLevel::ALL.map(|(word, _)| word);
                Err(self
                    .error_at(&value.span(), &what)
                    .help(suggest_one_of(word, &words)))
            }
        }
    }

    fn unknown_key_error(&self, key: &TomlKey<'_>, keys: &[&str], table: &str) -> Error {
        let name = key.get_ref().as_ref();
        let what = format!("unknown key `{}` in `{table}`", name.escape_debug());
        let help = match nearest_name(name, keys.iter().copied()) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => format!(
                "valid keys are {}; any other key is a rule: {}",
                quoted_list(keys),
                suggest_one_of("", &LintLevel::ALL.map(|(word, _)| word))
            ),
        };

        self.error_at(&key.span(), &what).help(help)
    }

    fn read_budgets(&self, value: &TomlValue<'_>) -> Result<BTreeMap<&'static str, u64>> {
        let DeValue::Table(table) = value.get_ref() else {
            return Err(self.type_error(value, "a table"));
        };

        let mut budgets = BTreeMap::new();
        for (key, value) in sorted_by_position(table) {
            let name = key.get_ref().as_ref();
            let Some(known) = BUDGETS.into_iter().find(|known| *known == name) else {
                let error = self.error_at(
                    &key.span(),
                    &format!("unknown budget `{}`", name.escape_debug()),
                );
                return Err(error.help(suggest_one_of(name, &BUDGETS)));
            };

            let number = value
                .get_ref()
                .as_integer()
                // TOML also has `0x10`, and the parser keeps the digits.
                .and_then(|n| u64::from_str_radix(n.as_str(), n.radix()).ok());
            budgets.insert(
                known,
                number.ok_or_else(|| self.type_error(value, "a non-negative integer"))?,
            );
        }

        Ok(budgets)
    }

    fn read_list(&self, value: &TomlValue<'_>) -> Result<Vec<LocatedText>> {
        let DeValue::Array(items) = value.get_ref() else {
            return Err(self.type_error(value, "a list of strings"));
        };
        let item =
            |item| Ok(self.located_text(self.read_string(item, "a string")?, item.span().start));
        items.iter().map(item).collect()
    }

    fn read_choice<T: Copy>(
        &self,
        value: &TomlValue<'_>,
        what: &str,
        choices: &[(&str, T)],
    ) -> Result<T> {
        let names: Vec<&str> = choices.iter().map(|(name, _)| *name).collect();
        let word = self.read_string(value, &suggest_one_of("", &names))?;

        let chosen = choices.iter().find(|(name, _)| *name == word);
        chosen.map(|(_, chosen)| *chosen).ok_or_else(|| {
            let error = self.error_at(
                &value.span(),
                &format!("unknown {what} `{}`", word.escape_debug()),
            );
            error.help(suggest_one_of(word, &names))
        })
    }

    fn read_string<'v>(&self, value: &'v TomlValue<'_>, wanted: &str) -> Result<&'v str> {
        value
            .get_ref()
            .as_str()
            .ok_or_else(|| self.type_error(value, wanted))
    }

    fn located_text(&self, text: &str, at: usize) -> LocatedText {
        LocatedText {
            text: text.to_owned(),
            location: location_at(self.text, self.file, at),
        }
    }

    fn type_error(&self, value: &TomlValue<'_>, wanted: &str) -> Error {
        let found = value.get_ref().type_str();
        self.error_at(&value.span(), &format!("invalid type: {found}"))
            .help(format!("write {wanted}"))
    }

    /// An error with its location, and the line with the span underlined.
    fn error_at(&self, span: &Range<usize>, message: &str) -> Error {
        let start = self.text[..span.start].rfind('\n').map_or(0, |at| at + 1);
        let line = self.text[start..].lines().next().unwrap_or_default();
        let number = self.text[..start].matches('\n').count() + 1;
        // In characters, so that the carets line up also where the text is not ASCII.
        let before = self.text[start..span.start].chars().count();
        // A span of several lines is underlined to the end of the first.
        let marked = self.text[span.start..span.end.min(start + line.len())]
            .chars()
            .count()
            .max(1);

        let margin = " ".repeat(number.to_string().len());

        Error::usage(format!(
            "{}: {message}",
            location_at(self.text, self.file, span.start)
        ))
        .note(format!("{margin} |"))
        // A tab is one character here, and would shift the line above the carets.
        .note(format!("{number} | {}", line.replace('\t', " ")))
        .note(format!(
            "{margin} | {}{}",
            " ".repeat(before),
            "^".repeat(marked)
        ))
    }
}

/// Suggests the most similar value, or lists all.
fn suggest_one_of(wanted: &str, known: &[&str]) -> String {
    match nearest_name(wanted, known.iter().copied()) {
        Some(meant) => format!("did you mean `{meant}`?"),
        None => format!("write one of {}", quoted_list(known)),
    }
}

fn quoted_list(words: &[&str]) -> String {
    words
        .iter()
        .map(|word| format!("`{word}`"))
        .collect::<Vec<_>>()
        .join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error_text(text: &str) -> String {
        let error = parse_lint_table(text, "skillpm.toml").unwrap_err();
        let mut lines = vec![error.message().to_owned()];
        lines.extend(error.notes().iter().chain(error.helps()).cloned());
        lines.join("\n")
    }

    #[test]
    fn every_key_is_read_and_any_other_is_a_rule() {
        let text = "[lint]\nselect = [\"SK1\"]\nextend-select = [\"verbatim-copy\"]\nignore = [\"SK133\"]\n\
                    profile = \"publish\"\ntargets = [\"codex\"]\nbudgets = { body-lines = 300 }\nbaseline = \"b.json\"\n\
                    body-empty = \"allow\"\nSK508 = \"deny\"\n[[lint.overrides]]\npaths = [\"old/**\"]\nSK401 = \"note\"\n";
        let read = parse_lint_table(text, "f").unwrap().unwrap();
        let words = |list: &[LocatedText]| {
            list.iter()
                .map(|w| format!("{} {}", w.location, w.text))
                .collect::<Vec<_>>()
        };
        assert_eq!(words(read.select.as_ref().unwrap()), ["f:2:11 SK1"]);
        assert_eq!(words(&read.extend_select), ["f:3:18 verbatim-copy"]);
        assert_eq!(words(&read.ignore), ["f:4:11 SK133"]);
        assert_eq!(read.profile, Some(LintProfile::Publish));
        assert_eq!(words(&read.targets.unwrap()), ["f:6:12 codex"]);
        assert_eq!(read.budgets, BTreeMap::from([("body-lines", 300)]));
        assert_eq!(read.baseline.as_deref(), Some("b.json"));
        let levels = |list: &[(LocatedText, LintLevel)]| {
            list.iter()
                .map(|(rule, setting)| (rule.text.clone(), *setting))
                .collect::<Vec<_>>()
        };
        assert_eq!(
            levels(&read.levels),
            [
                ("body-empty".to_owned(), LintLevel::Allow),
                ("SK508".to_owned(), LintLevel::Deny)
            ]
        );
        assert_eq!(words(&read.overrides[0].paths), ["f:12:10 old/**"]);
        assert_eq!(
            levels(&read.overrides[0].levels),
            [("SK401".to_owned(), LintLevel::Note)]
        );
    }

    #[test]
    fn manifest_without_a_lint_table_has_defaults() {
        assert_eq!(
            parse_lint_table("[package]\nname = \"lint\"\n", "f").unwrap(),
            None
        );
        assert_eq!(
            parse_lint_table("[lint]\n", "f").unwrap(),
            Some(LintTable::default())
        );
    }

    #[test]
    fn error_shows_its_line_and_a_suggestion() {
        assert_eq!(
            error_text("[lint]\nselct = [\"SK1\"]\n"),
            "skillpm.toml:2:1: unknown key `selct` in `[lint]`\n  |\n2 | selct = [\"SK1\"]\n  | ^^^^^\ndid you mean `select`?"
        );
        assert_eq!(
            error_text("[lint]\n\tbody-empty = \"wran\"\n"),
            "skillpm.toml:2:15: unknown level `wran`\n  |\n2 |  body-empty = \"wran\"\n  |               ^^^^^^\ndid you mean `warn`?"
        );
    }

    #[test]
    fn errors_have_their_location() {
        for (text, expected) in [
            ("lint = 1\n", "skillpm.toml:1:8: invalid type: integer"),
            ("[lint\n", "skillpm.toml:1:6"),
            ("[lint]\nselect = \"SK1\"\n", "2:10: invalid type: string"),
            ("[lint]\nselect = [1]\n", "2:11: invalid type: integer"),
            ("[lint]\nprofil = \"strict\"\n", "did you mean `profile`?"),
            ("[lint]\nprofile = \"stritc\"\n", "did you mean `strict`?"),
            (
                "[lint]\nbudgets = { body-line = 3 }\n",
                "did you mean `body-lines`?",
            ),
            (
                "[lint]\nbudgets = { body-lines = -3 }\n",
                "a non-negative integer",
            ),
            ("[lint]\nx = true\n", "any other key is a rule"),
            ("[[lint.overrides]]\nSK1 = \"deny\"\n", "`paths` is missing"),
            (
                "[[lint.overrides]]\npath = [\"a\"]\n",
                "did you mean `paths`?",
            ),
            ("[lint]\noverrides = 1\n", "`[[lint.overrides]]`"),
        ] {
            assert!(
                error_text(text).contains(expected),
                "{text}\n{}",
                error_text(text)
            );
        }
    }
}
