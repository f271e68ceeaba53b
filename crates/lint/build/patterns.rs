//! Tables of patterns: a row is what a trigger word, a regex and a classifier find.
//!
//! ```toml
//! [[pattern]]
//! id = "fork-bomb"
//! rule = "SK719"
//! doc = "A shell function that calls itself twice, or a program that forks in a loop."
//! triggers = [":|:", "os.fork"]
//! scope = "statement"
//! report = "check_fork_bomb"
//! regex = '''(?x)
//! …
//! '''
//! matches = [":(){ :|:& };:"]
//! misses = ["pid = os.fork()"]
//! ```

use std::collections::BTreeMap;

use serde::Deserialize;
use toml::{Table, Value};

use super::layout::{ExpandedRegex, RegexFragments};
use super::{SharedParts, TableText};

/// A table of patterns, checked.
pub(super) struct PatternTable {
    /// Its path below `rules/security`.
    pub(super) name: String,
    /// Its `[[pattern]]` rows.
    pub(super) patterns: Vec<PatternRow>,
    /// Its `[[regex]]` rows: regexes that Rust code uses by name.
    pub(super) regexes: Vec<RegexRow>,
}

/// A `[[pattern]]` row, checked.
pub(super) struct PatternRow {
    pub(super) id: String,
    pub(super) rule: String,
    pub(super) triggers: Vec<String>,
    /// As Rust source: `Statement`, `Following(3)`.
    pub(super) scope: String,
    /// As Rust source: `First`.
    pub(super) pass: &'static str,
    /// As Rust source: `Markdown`.
    pub(super) only_in: Option<&'static str>,
    pub(super) required: Vec<String>,
    /// Whether the rendered text of a page is searched, too.
    pub(super) is_prose: bool,
    /// `None` if a match is the trigger itself.
    pub(super) regex: Option<ExpandedRegex>,
    /// The name of a function.
    pub(super) report: String,
    pub(super) examples: RowExamples,
}

/// A `[[regex]]` row, checked.
pub(super) struct RegexRow {
    pub(super) id: String,
    pub(super) regex: ExpandedRegex,
    pub(super) examples: RowExamples,
}

/// Texts that a row matches, and texts that it does not.
pub(super) struct RowExamples {
    pub(super) matches: Vec<String>,
    pub(super) misses: Vec<String>,
}

impl PatternTable {
    /// Iterates over the ids of all rows.
    pub(super) fn ids(&self) -> impl Iterator<Item = &str> {
        let patterns = self.patterns.iter().map(|row| row.id.as_str());
        patterns.chain(self.regexes.iter().map(|row| row.id.as_str()))
    }

    /// Iterates over all regexes, with their trigger words.
    pub(super) fn regexes(&self) -> impl Iterator<Item = (&ExpandedRegex, &[String])> {
        let patterns = self
            .patterns
            .iter()
            .filter_map(|row| Some((row.regex.as_ref()?, &row.triggers[..])));
        patterns.chain(self.regexes.iter().map(|row| (&row.regex, &[][..])))
    }
}

/// A table as it is written. Rows are read one by one, so that an error names its row.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenTable {
    #[serde(default)]
    fragments: Table,
    #[serde(default)]
    words: BTreeMap<String, Vec<String>>,
    #[serde(default)]
    defaults: Table,
    #[serde(default)]
    pattern: Vec<Table>,
    #[serde(default)]
    regex: Vec<Table>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenPattern {
    id: String,
    rule: String,
    doc: String,
    triggers: Vec<String>,
    scope: String,
    #[serde(default)]
    pass: Option<String>,
    #[serde(default)]
    only_in: Option<String>,
    #[serde(default)]
    required: Vec<String>,
    #[serde(default)]
    prose: bool,
    #[serde(default)]
    regex: Option<String>,
    report: String,
    matches: Vec<String>,
    misses: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenRegex {
    id: String,
    doc: String,
    regex: String,
    matches: Vec<String>,
    misses: Vec<String>,
}

/// Reads `shared.toml`.
pub(super) fn read_shared(text: &str, shared: &mut SharedParts) -> Result<(), String> {
    let written: WrittenTable = parse(text)?;
    if !(written.pattern.is_empty() && written.regex.is_empty() && written.defaults.is_empty()) {
        return Err("it has fragments and word lists only".into());
    }
    add_parts(shared, &written.fragments, written.words)
}

/// Reads a table of patterns.
pub(super) fn read_table(source: &TableText, shared: &SharedParts) -> Result<PatternTable, String> {
    let written: WrittenTable = parse(&source.text)?;
    let mut parts = SharedParts {
        fragments: shared.fragments.clone(),
        words: shared.words.clone(),
    };
    add_parts(&mut parts, &written.fragments, written.words)?;

    let read_pattern = |row: Table| {
        let id = row_id(&row)?;
        read_pattern(with_defaults(row, &written.defaults), &parts)
            .map_err(|error| format!("in row `{id}`: {error}"))
    };
    let read_regex = |row: Table| {
        let id = row_id(&row)?;
        read_regex(row, &parts.fragments).map_err(|error| format!("in row `{id}`: {error}"))
    };
    Ok(PatternTable {
        name: source.name.clone(),
        patterns: collect_rows(written.pattern, read_pattern)?,
        regexes: collect_rows(written.regex, read_regex)?,
    })
}

fn parse<T: for<'d> Deserialize<'d>>(text: &str) -> Result<T, String> {
    toml::from_str(text).map_err(|error| error.to_string())
}

fn collect_rows<T>(
    rows: Vec<Table>,
    read: impl Fn(Table) -> Result<T, String>,
) -> Result<Vec<T>, String> {
    rows.into_iter().map(read).collect()
}

/// Returns the id of a row, or what is next to it if it has none.
pub(super) fn row_id(row: &Table) -> Result<String, String> {
    let id = row
        .get("id")
        .and_then(Value::as_str)
        .ok_or_else(|| format!("a row has no `id`: {row}"))?;
    let is_kebab = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    if id.is_empty() || !id.chars().all(is_kebab) {
        return Err(format!("`{id}` is not in kebab-case"));
    }
    Ok(id.to_owned())
}

fn add_parts(
    parts: &mut SharedParts,
    fragments: &Table,
    words: BTreeMap<String, Vec<String>>,
) -> Result<(), String> {
    for (name, regex) in fragments {
        let regex = regex
            .as_str()
            .ok_or_else(|| format!("fragment `{name}` is not a string"))?;
        parts
            .fragments
            .add(name, regex)
            .map_err(|error| format!("in fragment `{name}`: {error}"))?;
    }

    for (name, list) in words {
        check_words(&list)?;
        if parts.words.insert(name.clone(), list).is_some() {
            return Err(format!("word list `{name}` is defined twice"));
        }
    }
    Ok(())
}

fn with_defaults(mut row: Table, defaults: &Table) -> Table {
    for (key, value) in defaults {
        row.entry(key.clone()).or_insert_with(|| value.clone());
    }
    row
}

fn read_pattern(row: Table, parts: &SharedParts) -> Result<PatternRow, String> {
    let written: WrittenPattern = row.try_into().map_err(|error| format!("{error}"))?;
    let is_code = written.rule.len() == 5 && written.rule.starts_with("SK7");
    if !is_code {
        return Err(format!("unknown rule `{}`", written.rule));
    }
    check_doc(&written.doc)?;

    let triggers = insert_lists(&written.triggers, &parts.words)?;
    if triggers.is_empty() {
        return Err("it has no trigger words".into());
    }
    check_words(&triggers)?;
    check_case(&written.required)?;

    let regex = written
        .regex
        .map(|regex| parts.fragments.expand(regex.trim_end()))
        .transpose()?;
    Ok(PatternRow {
        id: written.id,
        rule: written.rule,
        triggers,
        scope: parse_scope(&written.scope)?,
        pass: parse_pass(written.pass.as_deref())?,
        only_in: written.only_in.as_deref().map(parse_kind).transpose()?,
        required: written.required,
        is_prose: written.prose,
        regex,
        report: written.report,
        examples: RowExamples {
            matches: written.matches,
            misses: written.misses,
        },
    })
}

fn read_regex(row: Table, fragments: &RegexFragments) -> Result<RegexRow, String> {
    let written: WrittenRegex = row.try_into().map_err(|error| format!("{error}"))?;
    check_doc(&written.doc)?;
    Ok(RegexRow {
        id: written.id,
        regex: fragments.expand(written.regex.trim_end())?,
        examples: RowExamples {
            matches: written.matches,
            misses: written.misses,
        },
    })
}

/// A reviewer reads the sentence first, and the regex only if it is not what the sentence says.
pub(super) fn check_doc(doc: &str) -> Result<(), String> {
    if doc.ends_with('.') && doc.len() > 10 {
        Ok(())
    } else {
        Err(format!("`doc` is not a sentence: {doc:?}"))
    }
}

/// Checks trigger words: a search for four bytes of each finds them.
pub(super) fn check_words(words: &[String]) -> Result<(), String> {
    if let Some(word) = words.iter().find(|word| word.len() < 2) {
        return Err(format!("the word {word:?} would be found everywhere"));
    }
    check_case(words)
}

/// Checks words that are searched for in a text in lower case.
fn check_case(words: &[String]) -> Result<(), String> {
    match words
        .iter()
        .find(|word| **word != word.to_ascii_lowercase())
    {
        Some(word) => Err(format!("the word {word:?} is not in lower case")),
        None => Ok(()),
    }
}

/// Replaces `{{name}}` in a list of words by the list of that name.
fn insert_lists(
    words: &[String],
    lists: &BTreeMap<String, Vec<String>>,
) -> Result<Vec<String>, String> {
    let mut all = Vec::new();
    for word in words {
        let name = word
            .strip_prefix("{{")
            .and_then(|rest| rest.strip_suffix("}}"));
        match name {
            Some(name) => all.extend_from_slice(
                lists
                    .get(name)
                    .ok_or_else(|| format!("unknown word list `{name}`"))?,
            ),
            None => all.push(word.clone()),
        }
    }
    Ok(all)
}

fn parse_scope(scope: &str) -> Result<String, String> {
    let (name, lines) = scope.split_once(' ').unwrap_or((scope, ""));
    let lines: Option<usize> = lines.parse().ok();
    match (name, lines) {
        ("statement", None) => Ok("Statement".into()),
        ("paragraph", None) => Ok("Paragraph".into()),
        ("paragraphs", None) => Ok("Paragraphs".into()),
        ("section", None) => Ok("Section".into()),
        ("following", Some(lines)) => Ok(format!("Following({lines})")),
        ("around", Some(lines)) => Ok(format!("Around({lines})")),
        _ => Err(format!(
            "unknown scope `{scope}`: use `statement`, `following N`, `around N`, `paragraph`, \
             `paragraphs` or `section`"
        )),
    }
}

fn parse_pass(pass: Option<&str>) -> Result<&'static str, String> {
    match pass {
        None | Some("first") => Ok("First"),
        Some("second") => Ok("Second"),
        Some(pass) => Err(format!("unknown pass `{pass}`: use `first` or `second`")),
    }
}

fn parse_kind(kind: &str) -> Result<&'static str, String> {
    match kind {
        "markdown" => Ok("Markdown"),
        "svg" => Ok("Svg"),
        "other" => Ok("Other"),
        _ => Err(format!(
            "unknown kind of file `{kind}`: use `markdown`, `svg` or `other`"
        )),
    }
}
