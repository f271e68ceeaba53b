//! `secrets.toml`: the formats of keys and tokens.
//!
//! Examples have `{{letters:36}}` and the like for the random part, so that no scanner reports the
//! table as a leak.

use serde::Deserialize;
use toml::Table;

use super::layout::to_one_line;
use super::patterns::{RowExamples, check_words, row_id};

/// A format of secrets.
pub(super) struct FormatRow {
    pub(super) id: String,
    /// The name in messages.
    pub(super) name: String,
    pub(super) triggers: Vec<String>,
    /// The regex in one line, for a case-sensitive search.
    pub(super) regex: String,
    pub(super) examples: RowExamples,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenTable {
    format: Vec<Table>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenFormat {
    id: String,
    name: String,
    triggers: Vec<String>,
    regex: String,
    matches: Vec<String>,
    misses: Vec<String>,
}

/// Reads the formats.
pub(super) fn read_formats(text: &str) -> Result<Vec<FormatRow>, String> {
    let written: WrittenTable = toml::from_str(text).map_err(|error| error.to_string())?;
    let mut formats: Vec<FormatRow> = Vec::new();
    for row in written.format {
        let id = row_id(&row)?;
        if formats.iter().any(|format| format.id == id) {
            return Err(format!("duplicate id `{id}`"));
        }
        formats.push(read_format(row).map_err(|error| format!("in row `{id}`: {error}"))?);
    }
    Ok(formats)
}

fn read_format(row: Table) -> Result<FormatRow, String> {
    let written: WrittenFormat = row.try_into().map_err(|error| format!("{error}"))?;
    check_words(&written.triggers)?;
    Ok(FormatRow {
        id: written.id,
        name: written.name,
        triggers: written.triggers,
        regex: to_one_line(written.regex.trim_end())?,
        examples: RowExamples {
            matches: written.matches,
            misses: written.misses,
        },
    })
}
