//! Tables as Rust source. Each file of patterns is one expression, for `include!`.

use super::formats::FormatRow;
use super::layout::ExpandedRegex;
use super::patterns::{PatternRow, PatternTable, RegexRow, RowExamples};

/// Writes a table: one expression of its patterns, or one constant for each of its regexes.
pub(super) fn write_table(table: &PatternTable) -> String {
    if table.patterns.is_empty() {
        return write_regexes(table);
    }
    let rows: String = table
        .patterns
        .iter()
        .map(|row| write_pattern(&table.name, row))
        .collect();
    format!("&[\n{rows}]\n")
}

fn write_pattern(table: &str, row: &PatternRow) -> String {
    let PatternRow {
        rule,
        scope,
        pass,
        is_prose,
        report,
        ..
    } = row;
    let only_in = row.only_in.map_or("None".into(), |kind| {
        format!("Some(crate::rules::security::text::TextKind::{kind})")
    });
    let regex = match &row.regex {
        Some(regex) => format!("Some({})", write_regex(regex)),
        None => "None".into(),
    };
    format!(
        "crate::rules::security::scan::SecurityPattern {{
    rule: {rule:?},
    triggers: {triggers},
    scope: crate::rules::security::text::WindowScope::{scope},
    regex: {regex},
    required_words: {required},
    pass: crate::rules::security::scan::ScanPass::{pass},
    only_in: {only_in},
    is_prose: {is_prose},
    report: {report},
    #[cfg(test)]
    examples: {examples},
}},
",
        triggers = write_list(&row.triggers),
        required = write_list(&row.required),
        examples = write_examples(table, &row.id, &row.examples),
    )
}

fn write_regex(regex: &ExpandedRegex) -> String {
    let longest = match regex.longest {
        usize::MAX => "usize::MAX".into(),
        longest => longest.to_string(),
    };
    format!(
        "crate::rules::security::pattern::PatternRegex {{ text: {:?}, longest: {longest} }}",
        regex.text
    )
}

/// One constant for each regex, and for tests all of them with their examples.
fn write_regexes(table: &PatternTable) -> String {
    let name = |row: &RegexRow| row.id.replace('-', "_").to_ascii_uppercase();
    let constants: String = table
        .regexes
        .iter()
        .map(|row| {
            format!(
                "const {}: crate::rules::security::pattern::PatternRegex = {};\n",
                name(row),
                write_regex(&row.regex)
            )
        })
        .collect();

    let pairs: String = table
        .regexes
        .iter()
        .map(|row| {
            let examples = write_examples(&table.name, &row.id, &row.examples);
            format!("({}, {examples}),\n", name(row))
        })
        .collect();
    format!(
        "{constants}#[cfg(test)]
pub(super) const REGEXES: &[(crate::rules::security::pattern::PatternRegex, crate::rules::security::scan::PatternExamples)] = &[
{pairs}];
"
    )
}

fn write_examples(table: &str, id: &str, examples: &RowExamples) -> String {
    format!(
        "crate::rules::security::scan::PatternExamples {{
    table: {table:?},
    id: {id:?},
    matches: {matches},
    misses: {misses},
}}",
        matches = write_list(&examples.matches),
        misses = write_list(&examples.misses),
    )
}

/// Writes the formats of secrets.
pub(super) fn write_formats(formats: &[FormatRow]) -> String {
    let rows: String = formats.iter().map(write_format).collect();
    let mut triggers: Vec<String> = formats
        .iter()
        .flat_map(|format| format.triggers.clone())
        .collect();
    triggers.sort();
    triggers.dedup();
    format!(
        "const SECRET_FORMATS: &[SecretFormat] = &[\n{rows}];
/// All triggers of [`SECRET_FORMATS`].
const TRIGGERS: &[&str] = {};
",
        write_list(&triggers)
    )
}

fn write_format(row: &FormatRow) -> String {
    format!(
        "SecretFormat {{
    description: {name:?},
    triggers: {triggers},
    regex: {regex:?},
    #[cfg(test)]
    examples: {examples},
}},
",
        name = row.name,
        triggers = write_list(&row.triggers),
        regex = row.regex,
        examples = write_examples("secrets.toml", &row.id, &row.examples),
    )
}

/// Writes a list of strings.
pub(super) fn write_list(words: &[String]) -> String {
    format!("&{words:?}")
}
