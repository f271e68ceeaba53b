//! Changes single entries of a `skillpm.toml`; every other byte and comment is preserved.

use std::collections::BTreeMap;

use toml_edit::{DocumentMut, InlineTable, Item, Key, Table, Value, value};

use crate::error::{Error, Result};
use crate::package::{RelPath, SkillName, with_line_ends_of};

/// An entry to write to `[dependencies]` or `[dev-dependencies]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DependencyEntry {
    /// The key: a skill's name, or `scope/name`.
    pub key: String,
    /// The fields in the order they are written; a single `version` is written as a plain string.
    pub fields: Vec<(&'static str, String)>,
    /// Whether it belongs to `[dev-dependencies]`.
    pub dev: bool,
}

/// The content of a new `skillpm.toml`.
pub const EMPTY_MANIFEST: &str = "[dependencies]\n";

/// Adds entries, or replaces those with the same keys; a table that was sorted stays sorted.
///
/// # Errors
/// If the text is not TOML, or `[dependencies]` is something other than a table.
pub fn set_dependencies(text: &str, entries: &[DependencyEntry]) -> Result<String> {
    let mut document = parse(text)?;

    for dev in [false, true] {
        let wanted: Vec<&DependencyEntry> =
            entries.iter().filter(|entry| entry.dev == dev).collect();
        if wanted.is_empty() {
            continue;
        }

        let table = dependency_table(&mut document, dev)?;
        let was_sorted = is_sorted(table);
        for entry in wanted {
            set_dependency(table, entry);
        }

        // A table in an order of its own keeps it.
        if was_sorted {
            table.sort_values();
        }
    }

    Ok(render_document(text, &document))
}

/// Changes the version requirement of the entry under one of `keys`, and nothing else of it.
///
/// # Errors
/// If the text is not TOML, or has no such entry with a version.
pub fn set_requirement(text: &str, keys: &[&str], req: &str) -> Result<String> {
    edit_dependency(text, keys, |item| {
        // Either `name = "^1"`, or a table with the key `version`.
        let version = if item.is_str() {
            Some(item)
        } else {
            item.get_mut("version")
        };
        version.is_some_and(|version| set_text(version, req))
    })?
    .ok_or_else(|| missing_key("version", keys))
}

/// Changes the directory of the entry under one of `keys`, and nothing else of it; `None` removes the key, so that the skill
/// is found by its name.
///
/// # Errors
/// If the text is not TOML, or has no such entry with a `path`.
pub fn set_directory(text: &str, keys: &[&str], dir: Option<&RelPath>) -> Result<String> {
    edit_dependency(text, keys, |item| {
        let Some(table) = item.as_table_like_mut() else {
            return false;
        };
        match dir {
            Some(dir) => table
                .get_mut("path")
                .is_some_and(|path| set_text(path, dir.as_str())),
            None => table.remove("path").is_some(),
        }
    })?
    .ok_or_else(|| missing_key("path", keys))
}

/// Edits the first entry under one of `keys` for which `change` returns whether it did; `None` if there is none.
fn edit_dependency(
    text: &str,
    keys: &[&str],
    mut change: impl FnMut(&mut Item) -> bool,
) -> Result<Option<String>> {
    let mut document = parse(text)?;

    for name in ["dependencies", "dev-dependencies"] {
        let Some(table) = document.get_mut(name).and_then(Item::as_table_like_mut) else {
            continue;
        };
        let entry = keys.iter().find(|key| table.contains_key(key));
        if let Some(item) = entry.and_then(|key| table.get_mut(key))
            && change(item)
        {
            return Ok(Some(render_document(text, &document)));
        }
    }
    Ok(None)
}

/// Replaces a value with a string, and keeps the whitespace and the comment around it.
fn set_text(item: &mut Item, text: &str) -> bool {
    let Item::Value(old) = item else {
        return false;
    };
    let mut new = Value::from(text);
    // The decor is the whitespace and the comment around a value.
    *new.decor_mut() = old.decor().clone();
    *old = new;
    true
}

fn missing_key(key: &str, keys: &[&str]) -> Error {
    Error::usage(format!(
        "missing {key} of `{}` in the manifest",
        keys.first().unwrap_or(&"")
    ))
}

/// Removes entries from both tables; returns the keys that were there.
///
/// # Errors
/// If the text is not TOML.
pub fn remove_dependencies(text: &str, keys: &[String]) -> Result<(String, Vec<String>)> {
    let mut document = parse(text)?;
    let mut gone = Vec::new();

    for name in ["dependencies", "dev-dependencies"] {
        let Some(table) = document.get_mut(name).and_then(Item::as_table_like_mut) else {
            continue;
        };

        for key in keys {
            if table.remove(key).is_some() {
                gone.push(key.clone());
            }
        }
    }

    Ok((render_document(text, &document), gone))
}

/// The text without any table but those of dependencies.
///
/// # Errors
/// If the text is not TOML.
pub fn keep_dependencies(text: &str) -> Result<String> {
    let mut document = parse(text)?;
    document.retain(|key, _| matches!(key, "dependencies" | "dev-dependencies"));
    Ok(render_document(text, &document))
}

/// Sets entries of `[edits]`, or removes those with `None`; removes the table if it is empty.
///
/// # Errors
/// If the text is not TOML, or `edits` is not a table.
pub fn set_edits(text: &str, edits: &BTreeMap<SkillName, Option<RelPath>>) -> Result<String> {
    let mut document = parse(text)?;

    let item = document
        .entry("edits")
        .or_insert_with(|| Item::Table(Table::new()));
    let table = item
        .as_table_like_mut()
        .ok_or_else(|| Error::usage("invalid manifest: `edits` is not a table"))?;

    for (name, path) in edits {
        let known = table.get(name.as_str()).and_then(Item::as_str);
        match path {
            // Untouched, so that its quotes and its comment survive.
            Some(path) if known == Some(path.as_str()) => {}
            Some(path) => {
                table.insert(name.as_str(), value(path.as_str()));
            }
            None => {
                table.remove(name.as_str());
            }
        }
    }

    if table.is_empty() {
        document.remove("edits");
    }

    Ok(render_document(text, &document))
}

/// Adds an agent to `[install] targets`; the text is unchanged if it is there.
///
/// # Errors
/// If the text is not TOML, or `targets` is not a list.
pub fn add_target(text: &str, agent: &str) -> Result<String> {
    let mut document = parse(text)?;

    let install = install_table(&mut document)?;

    let targets = install
        .entry("targets")
        .or_insert_with(|| value(toml_edit::Array::new()));
    let targets = targets
        .as_array_mut()
        .ok_or_else(|| Error::usage("invalid manifest: `install.targets` is not a list"))?;

    if !targets.iter().any(|known| known.as_str() == Some(agent)) {
        targets.push(agent);
    }

    Ok(render_document(text, &document))
}

/// Removes agents from `[install] targets`. The list stays, even if it is empty: it says that the targets were chosen.
///
/// # Errors
/// If the text is not TOML.
pub fn remove_targets(text: &str, agents: &[String]) -> Result<String> {
    let mut document = parse(text)?;

    let targets = document
        .get_mut("install")
        .and_then(|install| install.get_mut("targets"))
        .and_then(Item::as_array_mut);
    if let Some(targets) = targets {
        targets.retain(|known| {
            known
                .as_str()
                .is_none_or(|id| agents.iter().all(|agent| agent != id))
        });
        trim_first(targets);
    }

    Ok(render_document(text, &document))
}

/// Writes an empty `[install] targets`, unless there is a list already.
///
/// # Errors
/// If the text is not TOML, or `install` is not a table.
pub fn set_no_targets(text: &str) -> Result<String> {
    let mut document = parse(text)?;

    install_table(&mut document)?
        .entry("targets")
        .or_insert_with(|| value(toml_edit::Array::new()));

    Ok(render_document(text, &document))
}

/// Whether the text has a key of `[install]`, be it empty; `false` for a text that is not TOML.
#[must_use]
pub fn has_install_key(text: &str, key: &str) -> bool {
    parse(text).is_ok_and(|document| {
        document
            .get("install")
            .is_some_and(|install| install.get(key).is_some())
    })
}

/// Removes a key of `[install]`, so that its default holds.
///
/// # Errors
/// If the text is not TOML.
pub fn remove_install_key(text: &str, key: &str) -> Result<String> {
    let mut document = parse(text)?;
    if let Some(install) = document
        .get_mut("install")
        .and_then(Item::as_table_like_mut)
    {
        install.remove(key);
    }
    Ok(render_document(text, &document))
}

/// Sets a string in `[install]`, such as `dir`.
///
/// # Errors
/// If the text is not TOML, or `install` is not a table.
pub fn set_install_value(text: &str, key: &str, to: &str) -> Result<String> {
    let mut document = parse(text)?;

    let install = install_table(&mut document)?;

    install.insert(key, value(to));
    Ok(render_document(text, &document))
}

/// Adds names to `deny` of `[catalog]`; those that are there stay once.
///
/// # Errors
/// If the text is not TOML, `catalog` not a table, or `deny` not a list.
pub fn add_denied(text: &str, names: &[&str]) -> Result<String> {
    let mut document = parse(text)?;

    let denied = document
        .entry("catalog")
        .or_insert_with(|| Item::Table(Table::new()))
        .as_table_like_mut()
        .ok_or_else(|| Error::usage("invalid manifest: `catalog` is not a table"))?
        .entry("deny")
        .or_insert_with(|| value(toml_edit::Array::new()))
        .as_array_mut()
        .ok_or_else(|| Error::usage("invalid manifest: `catalog.deny` is not a list"))?;
    for name in names {
        if !denied.iter().any(|known| known.as_str() == Some(name)) {
            denied.push(*name);
        }
    }

    Ok(render_document(text, &document))
}

/// Removes names from `deny` of `[catalog]`, and the list and the table once they are empty.
///
/// # Errors
/// If the text is not TOML.
pub fn remove_denied(text: &str, names: &[&str]) -> Result<String> {
    let mut document = parse(text)?;

    if let Some(catalog) = document
        .get_mut("catalog")
        .and_then(Item::as_table_like_mut)
        && let Some(denied) = catalog.get_mut("deny").and_then(Item::as_array_mut)
    {
        denied.retain(|known| known.as_str().is_none_or(|known| !names.contains(&known)));
        trim_first(denied);
        if denied.is_empty() {
            catalog.remove("deny");
        }
        if catalog.is_empty() {
            document.remove("catalog");
        }
    }

    Ok(render_document(text, &document))
}

/// Removes the space before the first of a list on one line, which was behind the comma of one that is gone.
fn trim_first(list: &mut toml_edit::Array) {
    let prefix = |first: &toml_edit::Value| first.decor().prefix()?.as_str().map(str::to_owned);
    if let Some(first) = list.get_mut(0)
        && prefix(first).is_some_and(|space| space.trim().is_empty() && !space.contains('\n'))
    {
        first.decor_mut().set_prefix("");
    }
}

/// The new text, with the line ends of the old one: `toml_edit` ends the lines that it makes with LF.
fn render_document(text: &str, document: &DocumentMut) -> String {
    with_line_ends_of(text, document.to_string())
}

fn parse(text: &str) -> Result<DocumentMut> {
    text.parse().map_err(|error: toml_edit::TomlError| {
        Error::usage(format!("failed to parse manifest: {}", error.message()))
    })
}

fn install_table(document: &mut DocumentMut) -> Result<&mut dyn toml_edit::TableLike> {
    document
        .entry("install")
        .or_insert_with(|| Item::Table(Table::new()))
        .as_table_like_mut()
        .ok_or_else(|| Error::usage("invalid manifest: `install` is not a table"))
}

fn dependency_table(document: &mut DocumentMut, dev: bool) -> Result<&mut Table> {
    let name = if dev {
        "dev-dependencies"
    } else {
        "dependencies"
    };

    let item = document
        .entry(name)
        .or_insert_with(|| Item::Table(Table::new()));

    // `dependencies = { … }` on one line becomes a table of its own, which is how entries are then added.
    if let Some(inline) = item.as_inline_table() {
        *item = Item::Table(inline.clone().into_table());
    }

    item.as_table_mut()
        .ok_or_else(|| Error::usage(format!("invalid manifest: `{name}` is not a table")))
}

fn is_sorted(table: &Table) -> bool {
    let keys: Vec<&str> = table.iter().map(|(key, _)| key).collect();
    keys.is_sorted()
}

fn set_dependency(table: &mut Table, entry: &DependencyEntry) {
    let mut new = match entry.fields.as_slice() {
        [("version", req)] => Value::from(req),
        fields => {
            let mut inline = InlineTable::new();
            for (name, text) in fields {
                inline.insert(*name, Value::from(text));
            }
            Value::InlineTable(inline)
        }
    };

    match table.get_mut(&entry.key) {
        Some(Item::Value(old)) => {
            // A comment after the old value stays after the new one.
            *new.decor_mut() = old.decor().clone();
            *old = new;
        }
        Some(other) => *other = Item::Value(new),
        None => {
            table.insert_formatted(&Key::new(&entry.key), Item::Value(new));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(key: &str, fields: &[(&'static str, &str)]) -> DependencyEntry {
        DependencyEntry {
            key: key.into(),
            fields: fields.iter().map(|(n, v)| (*n, (*v).to_owned())).collect(),
            dev: false,
        }
    }

    #[test]
    fn an_entry_is_added_and_the_rest_survives() {
        let text = "# ours\n[package]\nname = \"a\"   # odd\n\n[dependencies]  # here\nb = \"^1\" # keep\n\n[install]\ndir = \"x\"\n";
        let new = set_dependencies(text, &[entry("acme/pdf", &[("version", "^1.2")])]).unwrap();
        assert_eq!(
            new,
            "# ours\n[package]\nname = \"a\"   # odd\n\n[dependencies]  # here\n\"acme/pdf\" = \"^1.2\"\nb = \"^1\" # keep\n\n[install]\ndir = \"x\"\n"
        );
    }

    #[test]
    fn a_table_that_is_not_sorted_keeps_its_order() {
        let new = set_dependencies(
            "[dependencies]\nz = \"1\"\nb = \"1\"\n",
            &[entry("c", &[("version", "2")])],
        )
        .unwrap();
        assert_eq!(new, "[dependencies]\nz = \"1\"\nb = \"1\"\nc = \"2\"\n");
    }

    #[test]
    fn an_entry_is_replaced_in_place_with_its_comment() {
        let text = "[dependencies]\na = \"^1\"  # why\nb = \"1\"\n";
        let new = set_dependencies(
            text,
            &[entry("a", &[("git", "https://h/r"), ("tag", "v2")])],
        )
        .unwrap();
        assert_eq!(
            new,
            "[dependencies]\na = { git = \"https://h/r\", tag = \"v2\" }  # why\nb = \"1\"\n"
        );
    }

    #[test]
    fn a_missing_table_is_made_at_the_end() {
        assert_eq!(
            set_dependencies("", &[entry("a", &[("version", "1")])]).unwrap(),
            "[dependencies]\na = \"1\"\n"
        );
    }

    #[test]
    fn removing_takes_the_line_and_its_comment_only() {
        let text = "[dependencies]\n# about a\na = \"1\"\n# about b\nb = \"1\"\n";
        let (new, gone) = remove_dependencies(text, &["a".into(), "none".into()]).unwrap();
        assert_eq!(new, "[dependencies]\n# about b\nb = \"1\"\n");
        assert_eq!(gone, ["a"]);
    }

    #[test]
    fn a_version_is_changed_alone() {
        let text =
            "[dependencies]\na = \"^1\" # why\nb = { git = \"https://h/r\", version = \"^1\" }\n";
        let new = set_requirement(
            &set_requirement(text, &["a"], "^2").unwrap(),
            &["x", "b"],
            "^3",
        )
        .unwrap();
        assert_eq!(
            new,
            "[dependencies]\na = \"^2\" # why\nb = { git = \"https://h/r\", version = \"^3\" }\n"
        );
        assert!(set_requirement(text, &["c"], "^1").is_err());
    }

    #[test]
    fn undoing_an_edit_restores_every_byte() {
        let set = |text: &str, path: Option<&str>| {
            let path = path.map(|path| path.parse().unwrap());
            set_edits(text, &BTreeMap::from([("pdf".parse().unwrap(), path)])).unwrap()
        };
        let one = set(EMPTY_MANIFEST, Some("patches/pdf.patch"));
        assert_eq!(
            one,
            "[dependencies]\n\n[edits]\npdf = \"patches/pdf.patch\"\n"
        );
        assert_eq!(set(&one, Some("patches/pdf.patch")), one);
        assert_eq!(set(&one, None), EMPTY_MANIFEST);
        let two = "[edits] # mine\ncsv = 'x.patch' # why\n";
        assert_eq!(set(&set(two, Some("y.patch")), None), two);
    }

    #[test]
    fn every_change_keeps_the_line_ends_of_the_file() {
        let text = "# ours\r\n[dependencies]\r\na = \"^1\" # why\r\nb = \"^1\"\r\n";
        let edits = |path: Option<&str>| {
            BTreeMap::from([(
                "pdf".parse().unwrap(),
                path.map(|path| path.parse().unwrap()),
            )])
        };
        let changed = [
            set_dependencies(text, &[entry("c", &[("version", "2")])]).unwrap(),
            set_requirement(text, &["a"], "^2").unwrap(),
            remove_dependencies(text, &["a".into()]).unwrap().0,
            set_edits(text, &edits(Some("patches/pdf.patch"))).unwrap(),
            add_target(text, "claude-code").unwrap(),
            set_install_value(text, "dir", "skills").unwrap(),
        ];
        for new in changed {
            assert_eq!(
                new.matches('\n').count(),
                new.matches("\r\n").count(),
                "{new:?}"
            );
            assert!(new.starts_with("# ours\r\n") && new != text, "{new:?}");
        }
        assert_eq!(set_edits(text, &edits(None)).unwrap(), text);
    }

    #[test]
    fn denied_names_come_and_go_with_their_table() {
        let once = add_denied("[dependencies]\n", &["pdf", "csv", "pdf"]).unwrap();
        assert_eq!(
            once,
            "[dependencies]\n\n[catalog]\ndeny = [\"pdf\", \"csv\"]\n"
        );
        assert_eq!(add_denied(&once, &["csv"]).unwrap(), once);
        assert_eq!(
            remove_denied(&once, &["pdf"]).unwrap(),
            "[dependencies]\n\n[catalog]\ndeny = [\"csv\"]\n"
        );
        assert_eq!(
            remove_denied(&once, &["pdf", "csv"]).unwrap(),
            "[dependencies]\n"
        );

        // What is not of these names stays, also in a list over several lines.
        let long = "[catalog]\nenabled = true\ndeny = [\n  \"a\", # why\n  \"b-*\",\n]\n";
        assert_eq!(remove_denied(long, &["b"]).unwrap(), long);
        assert!(add_denied("[catalog]\ndeny = 1\n", &["a"]).is_err());
    }

    #[test]
    fn targets_are_added_once() {
        let once = add_target("[dependencies]\n", "claude-code").unwrap();
        assert_eq!(
            once,
            "[dependencies]\n\n[install]\ntargets = [\"claude-code\"]\n"
        );
        assert_eq!(add_target(&once, "claude-code").unwrap(), once);
    }
}
