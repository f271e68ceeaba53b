//! Changes of a settings file.

use toml_edit::DocumentMut;

use super::settings::{Setting, Type, name_in, setting};
use super::value::{check, is_true};
use crate::error::{Error, Result};

/// Sets a value in the text of a settings file; every other byte survives.
///
/// # Errors
/// If the key is unknown, the value of the wrong type, or the text not TOML.
pub fn edit(text: &str, key: &str, value: &str) -> Result<String> {
    let known = setting(key)?;
    let value = &check(known, key, value.to_owned())?;
    let mut document = parse(text)?;
    let parts = parts(known, key);
    let (last, tables) = parts.split_last().expect("a key has a part");
    let mut item = document.as_item_mut();
    for table in tables {
        let parent =
            item.as_table_like_mut().ok_or_else(|| Error::usage(format!("`{table}` has no place in the file")))?;
        item = parent.entry(table).or_insert_with(|| {
            let mut new = toml_edit::Table::new();
            new.set_implicit(true);
            toml_edit::Item::Table(new)
        });
    }
    let table = item.as_table_like_mut().ok_or_else(|| Error::usage(format!("`{key}` has no place in the file")))?;
    let mut item = typed(known.kind, value);
    if let (Some(old), Some(new)) = (table.get(last).and_then(|old| old.as_value()), item.as_value_mut()) {
        *new.decor_mut() = old.decor().clone();
    }
    table.insert(last, item);
    Ok(document.to_string())
}

/// Takes a value out of the text of a settings file, and its table if that is empty then; every other byte survives.
///
/// # Errors
/// If the key is unknown, or the text not TOML.
pub fn unset(text: &str, key: &str) -> Result<String> {
    let known = setting(key)?;
    let mut document = parse(text)?;
    let parts = parts(known, key);
    let (last, tables) = parts.split_last().expect("a key has a part");
    take_out(document.as_table_mut(), tables, last);
    Ok(document.to_string())
}

/// Takes a key out of a table below this one, and each table on the way that is empty then.
fn take_out(table: &mut dyn toml_edit::TableLike, tables: &[&str], key: &str) {
    let Some((first, rest)) = tables.split_first() else {
        table.remove(key);
        return;
    };
    let Some(inner) = table.get_mut(first).and_then(toml_edit::Item::as_table_like_mut) else { return };
    take_out(inner, rest, key);
    if inner.is_empty() {
        table.remove(first);
    }
}

fn parse(text: &str) -> Result<DocumentMut> {
    text.parse().map_err(|error: toml_edit::TomlError| {
        Error::usage(format!("the settings file is not TOML: {}", error.message()))
    })
}

fn typed(kind: Type, text: &str) -> toml_edit::Item {
    match kind {
        Type::Switch => toml_edit::value(is_true(text)),
        Type::Number => toml_edit::value(text.parse::<i64>().unwrap_or(0)),
        Type::List | Type::Registries => toml_edit::value(text.split(',').map(str::trim).collect::<toml_edit::Array>()),
        Type::Text | Type::Index | Type::Archives | Type::Registry => toml_edit::value(text),
    }
}

/// The parts of a key, each of which is a table of the file but the last.
fn parts<'k>(setting: &Setting, key: &'k str) -> Vec<&'k str> {
    match name_in(setting, key).filter(|name| !name.is_empty()) {
        None => key.split('.').collect(),
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
        assert_eq!(edit(text, "net.offline", "true").unwrap(), "# mine\n[net]\njobs = 2 # few\noffline = true\n");
        assert_eq!(
            edit("", "registries.acme.index", "file:///x").unwrap(),
            "[registries.acme]\nindex = \"file:///x\"\n"
        );
        assert_eq!(
            edit("", "source.sparse+https://acme.dev/i/.replace-with", "default").unwrap(),
            "[source.\"sparse+https://acme.dev/i/\"]\nreplace-with = \"default\"\n"
        );
    }

    #[test]
    fn taking_a_value_out_keeps_the_rest_and_no_empty_table() {
        let text = "# mine\n[net]\njobs = 2 # few\noffline = true\n\n[source.a]\nreplace-with = \"b\"\n";
        let text = unset(text, "source.a.replace-with").unwrap();
        assert_eq!(text, "# mine\n[net]\njobs = 2 # few\noffline = true\n");
        assert_eq!(unset(&text, "net.offline").unwrap(), "# mine\n[net]\njobs = 2 # few\n");
        assert_eq!(unset(&text, "source.z.directory").unwrap(), text);
    }

    #[test]
    fn a_name_may_be_a_part_of_the_key_around_it() {
        for name in ["g", "registries", "index", "r"] {
            let key = format!("registries.{name}.index");
            let text = edit("", &key, "file:///x").unwrap();
            assert_eq!(text, format!("[registries.{name}]\nindex = \"file:///x\"\n"));
            let mut config = Config::new();
            config.add_file(Path::new("c"), &text).unwrap();
            assert_eq!(config.registry(Some(name)).unwrap(), "file:///x");
        }
    }
}
