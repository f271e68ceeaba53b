//! Edits of a settings file that preserve its other content.

use std::ops::Range;

use toml_edit::DocumentMut;

use super::settings::{SettingSpec, SettingType, find_setting, name_in_key};
use super::value::{is_true, normalize_value};
use skillpm_core::error::{Error, Result};
use skillpm_core::package::with_line_ends_of;

/// Sets a value in the text of a settings file; every other byte survives.
///
/// # Errors
/// If the key is unknown, the value of the wrong type, or the text not TOML.
pub fn set_value(text: &str, key: &str, value: &str) -> Result<String> {
    let known = find_setting(key)?;
    let value = &normalize_value(known, key, value.to_owned())?;

    let mut document = parse_document(text)?;
    let parts = key_parts(known, key);
    let (last, tables) = parts.split_last().expect("a key has a part");

    let mut item = document.as_item_mut();
    for table in tables {
        // A value, or a list, may be where a table is needed.
        let parent = item.as_table_like_mut().ok_or_else(|| {
            Error::usage(format!(
                "cannot set `{key}`: no table for `{table}` in the file"
            ))
        })?;
        item = parent.entry(table).or_insert_with(|| {
            let mut new = toml_edit::Table::new();
            // No header of its own: `[registries.acme]` without a `[registries]` above it.
            new.set_implicit(true);
            toml_edit::Item::Table(new)
        });
    }

    let table = item
        .as_table_like_mut()
        .ok_or_else(|| Error::usage(format!("cannot set `{key}`: no table for it in the file")))?;
    let mut item = to_toml_item(known.kind, value);

    // What surrounds the old value, such as a comment behind it, stays.
    if let (Some(old), Some(new)) = (
        table.get(last).and_then(|old| old.as_value()),
        item.as_value_mut(),
    ) {
        *new.decor_mut() = old.decor().clone();
    }

    table.insert(last, item);
    Ok(document.to_string())
}

/// Removes a value from the text of a settings file, and its table if that is then empty; every other byte survives.
///
/// # Errors
/// If the key is unknown, or the text not TOML.
pub fn unset_value(text: &str, key: &str) -> Result<String> {
    let known = find_setting(key)?;
    let parts = key_parts(known, key);
    let (last, tables) = parts.split_last().expect("a key has a part");

    let Some(place) = find_place(text, tables, last)? else {
        // In an inline table, other keys are on the same line.
        let mut document = parse_document(text)?;
        remove_key(document.as_table_mut(), tables, last);
        return Ok(with_line_ends_of(text, document.to_string()));
    };

    let mut text = remove_lines(text, &place);
    // Tables that are empty now, from the inner to the outer ones.
    for depth in (1..=tables.len()).rev() {
        let Some(header) = find_empty_table(&text, &tables[..depth])? else {
            break;
        };
        text = remove_lines(&text, &header);
    }
    Ok(text)
}

/// Whether the text of a settings file sets a key.
///
/// # Errors
/// If the key is unknown, or the text not TOML.
pub fn sets_value(text: &str, key: &str) -> Result<bool> {
    let parts = key_parts(find_setting(key)?, key);
    let document = parse_document(text)?;
    let mut item = Some(document.as_item());
    for part in parts {
        item = item.and_then(|item| item.as_table_like()?.get(part));
    }
    Ok(item.is_some())
}

/// Where a key and its value are in the text; `None` if it is not set, or not on lines of its own.
fn find_place(text: &str, tables: &[&str], key: &str) -> Result<Option<Range<usize>>> {
    let document = parse_places(text)?;
    let Some(table) = find_table(document.as_table(), tables) else {
        return Ok(None);
    };
    let place = table
        .get_key_value(key)
        .and_then(|(key, item)| Some(key.span()?.start..item.as_value()?.span()?.end));
    Ok(place)
}

/// Where the header of a table is that has no keys; `None` if it has, or no header.
fn find_empty_table(text: &str, tables: &[&str]) -> Result<Option<Range<usize>>> {
    let document = parse_places(text)?;
    let table = find_table(document.as_table(), tables).filter(|table| table.is_empty());
    Ok(table.and_then(toml_edit::Table::span))
}

fn find_table<'t>(root: &'t toml_edit::Table, tables: &[&str]) -> Option<&'t toml_edit::Table> {
    tables
        .iter()
        .try_fold(root, |table, name| table.get(name)?.as_table())
}

/// The text without the lines of a key or a header. A comment behind it stays, on a line of its own.
fn remove_lines(text: &str, place: &Range<usize>) -> String {
    let start = text[..place.start].rfind('\n').map_or(0, |at| at + 1);
    let line_end = text[place.end..].find('\n');
    let end = line_end.map_or(text.len(), |at| place.end + at + 1);

    let (mut before, after) = (&text[..start], &text[end..]);
    let comment = text[place.end..end].trim_start();
    if comment.starts_with('#') {
        return format!("{before}{comment}{after}");
    }
    // The blank line that set it apart goes with it.
    if after.trim_start_matches('\r').is_empty() || after.starts_with(['\n', '\r']) {
        let above = before
            .strip_suffix('\n')
            .map(|text| text.strip_suffix('\r').unwrap_or(text));
        before = above.filter(|text| text.ends_with('\n')).unwrap_or(before);
    }
    format!("{before}{after}")
}

fn parse_places(text: &str) -> Result<toml_edit::Document<&str>> {
    toml_edit::Document::parse(text).map_err(|error| invalid_file_error(&error))
}

/// Removes a key from a table under this one, and each table on the way that is then empty.
fn remove_key(table: &mut dyn toml_edit::TableLike, tables: &[&str], key: &str) {
    let Some((first, rest)) = tables.split_first() else {
        table.remove(key);
        return;
    };

    let Some(inner) = table
        .get_mut(first)
        .and_then(toml_edit::Item::as_table_like_mut)
    else {
        return;
    };

    remove_key(inner, rest, key);
    // Empty inner tables are removed by now, which may leave this one empty.
    if inner.is_empty() {
        table.remove(first);
    }
}

fn parse_document(text: &str) -> Result<DocumentMut> {
    text.parse().map_err(|error| invalid_file_error(&error))
}

fn invalid_file_error(error: &toml_edit::TomlError) -> Error {
    Error::usage(format!(
        "failed to parse the settings file: {}",
        error.message()
    ))
}

fn to_toml_item(kind: SettingType, text: &str) -> toml_edit::Item {
    match kind {
        SettingType::Switch => toml_edit::value(is_true(text)),
        SettingType::Number => toml_edit::value(text.parse::<i64>().unwrap_or(0)),
        SettingType::List | SettingType::Registries => {
            toml_edit::value(text.split(',').map(str::trim).collect::<toml_edit::Array>())
        }
        SettingType::Text | SettingType::Index | SettingType::Archives | SettingType::Registry => {
            toml_edit::value(text)
        }
    }
}

/// The parts of a key; each but the last is a table of the file.
fn key_parts<'k>(setting: &SettingSpec, key: &'k str) -> Vec<&'k str> {
    match name_in_key(setting, key).filter(|name| !name.is_empty()) {
        None => key.split('.').collect(),
        // The name may be a URL, whose dots must not split it.
        Some(name) => {
            let (before, after) = setting.key.split_once('*').unwrap_or((setting.key, ""));
            let around = |text: &'static str| text.split('.').filter(|part| !part.is_empty());
            around(before).chain([name]).chain(around(after)).collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::config::Config;

    #[test]
    fn editing_keeps_the_rest_of_the_file() {
        let text = "# mine\n[net]\njobs = 2 # few\n";
        assert_eq!(
            set_value(text, "net.offline", "true").unwrap(),
            "# mine\n[net]\njobs = 2 # few\noffline = true\n"
        );
        assert_eq!(
            set_value("", "registries.acme.index", "file:///x").unwrap(),
            "[registries.acme]\nindex = \"file:///x\"\n"
        );
        assert_eq!(
            set_value(
                "",
                "source.sparse+https://acme.dev/i/.replace-with",
                "default"
            )
            .unwrap(),
            "[source.\"sparse+https://acme.dev/i/\"]\nreplace-with = \"default\"\n"
        );
    }

    #[test]
    fn removing_a_value_keeps_the_rest_and_no_empty_table() {
        let text =
            "# mine\n[net]\njobs = 2 # few\noffline = true\n\n[source.a]\nreplace-with = \"b\"\n";
        let text = unset_value(text, "source.a.replace-with").unwrap();
        assert_eq!(text, "# mine\n[net]\njobs = 2 # few\noffline = true\n");
        assert_eq!(
            unset_value(&text, "net.offline").unwrap(),
            "# mine\n[net]\njobs = 2 # few\n"
        );
        assert_eq!(unset_value(&text, "source.z.directory").unwrap(), text);
    }

    #[test]
    fn removing_a_value_keeps_what_a_person_wrote_around_it() {
        for (text, key, left) in [
            (
                "# mine\n\n[net]\n# why\noffline = true  # on the train\njobs = 2\n",
                "net.offline",
                "# mine\n\n[net]\n# why\n# on the train\njobs = 2\n",
            ),
            (
                "[net]\r\njobs = 2\r\noffline = true\r\n",
                "net.offline",
                "[net]\r\njobs = 2\r\n",
            ),
            (
                "net.offline = true\nnet.jobs = 2",
                "net.offline",
                "net.jobs = 2",
            ),
            (
                "net = { offline = true, jobs = 2 }\n",
                "net.offline",
                "net = { jobs = 2 }\n",
            ),
            (
                "[registries.acme] # ours\nindex = \"file:///x\"\n\n[net]\njobs   =   2\n",
                "registries.acme.index",
                "# ours\n\n[net]\njobs   =   2\n",
            ),
            (
                "[install]\ndetect-exclude = [\n  \"a\", # x\n]\n\n# next\n[net]\njobs = 2\n",
                "net.jobs",
                "[install]\ndetect-exclude = [\n  \"a\", # x\n]\n\n# next\n",
            ),
        ] {
            assert_eq!(unset_value(text, key).unwrap(), left, "{text}");
        }
    }

    #[test]
    fn a_name_may_be_a_part_of_the_key_around_it() {
        for name in ["g", "registries", "index", "r"] {
            let key = format!("registries.{name}.index");
            let text = set_value("", &key, "file:///x").unwrap();
            assert_eq!(
                text,
                format!("[registries.{name}]\nindex = \"file:///x\"\n")
            );
            let mut config = Config::new();
            config.add_file(Path::new("c"), &text).unwrap();
            assert_eq!(config.registry(Some(name)).unwrap(), "file:///x");
        }
    }
}
