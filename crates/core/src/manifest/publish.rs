//! A manifest as those who get the package from a registry read it: on its own, without the workspace around it.
//!
//! Inherited values are written out, `[workspace]` and `[patch]` go, and what comes from a directory or a repository at
//! home comes from a registry. A manifest that has nothing of all this stays as it is, byte for byte.

use toml_edit::{Array, DocumentMut, InlineTable, Item, Key, Table, TableLike, Value, value};

use super::{Manifest, Package, Publish};
use crate::error::{Error, Result};

/// One thing that the published package needs, as it is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line<'a> {
    /// What it is installed as.
    pub alias: &'a str,
    /// The package's full name.
    pub package: String,
    /// Which versions.
    pub req: String,
    /// The registry's name; `None` for the default one.
    pub registry: Option<&'a str>,
}

/// What in a manifest means nothing elsewhere.
const OF_HOME: [&str; 3] = ["workspace", "patch", "replace"];

/// The text to publish; `None` if it is the manifest's own.
///
/// # Errors
/// If the text is not TOML, which whoever parsed it has seen.
pub fn published(text: &str, manifest: &Manifest, needs: &[Line<'_>]) -> Result<Option<String>> {
    let mut document: DocumentMut = text.parse().map_err(|cause: toml_edit::TomlError| {
        Error::usage(format!("the manifest is not TOML: {}", cause.message()))
    })?;
    let mut changed = false;
    for key in OF_HOME {
        changed |= document.remove(key).is_some();
    }
    if document.get("dev-dependencies").is_some_and(|table| !table.as_table_like().is_none_or(is_published)) {
        document.remove("dev-dependencies");
        changed = true;
    }
    if document.get("dependencies").and_then(Item::as_table_like).is_some_and(|table| !is_published(table)) {
        document.insert("dependencies", Item::Table(dependencies(needs)));
        changed = true;
    }
    if let (Some(table), Some(package)) =
        (document.get_mut("package").and_then(Item::as_table_like_mut), &manifest.package)
    {
        changed |= write_out(table, package);
    }
    Ok(changed.then(|| document.to_string()))
}

/// Whether every entry is one that says the same everywhere.
fn is_published(table: &dyn TableLike) -> bool {
    table.iter().all(|(_, item)| match item.as_table_like() {
        Some(entry) => !["path", "git", "archive", "workspace"].iter().any(|key| entry.contains_key(key)),
        None => true,
    })
}

fn dependencies(needs: &[Line<'_>]) -> Table {
    let mut table = Table::new();
    for need in needs {
        let is_plain = need.package.rsplit('/').next() == Some(need.alias);
        let mut entry = InlineTable::new();
        if !is_plain {
            entry.insert("package", Value::from(need.package.as_str()));
        }
        entry.insert("version", Value::from(need.req.as_str()));
        entry.extend(need.registry.map(|registry| (Key::new("registry"), Value::from(registry))));
        let key = if is_plain { need.package.as_str() } else { need.alias };
        let item = if entry.len() == 1 { value(need.req.as_str()) } else { value(entry) };
        table.insert(key, item);
    }
    table
}

/// Writes inherited values out; says whether there were any.
fn write_out(table: &mut dyn TableLike, package: &Package) -> bool {
    let list = |texts: &[String]| value(texts.iter().collect::<Array>());
    let text = |text: &Option<String>| text.as_deref().map(value);
    let publish = match &package.publish {
        Publish::Anywhere => value(true),
        Publish::Nowhere => value(false),
        Publish::Only(registries) => list(registries),
    };
    let values = [
        ("version", package.version.as_ref().map(|version| value(version.to_string()))),
        ("description", text(&package.description)),
        ("license", text(&package.license)),
        ("authors", Some(list(&package.authors))),
        ("repository", text(&package.repository)),
        ("keywords", package.keywords.as_deref().map(list)),
        ("include", Some(list(&package.include))),
        ("exclude", Some(list(&package.exclude))),
        ("publish", Some(publish)),
    ];
    let mut changed = false;
    for (key, new) in values {
        let inherited = table.get(key).and_then(Item::as_table_like).is_some_and(|mark| mark.contains_key("workspace"));
        if let (true, Some(new)) = (inherited, new) {
            table.remove(key);
            table.insert(key, new);
            changed = true;
        }
    }
    changed
}

#[cfg(test)]
mod tests {
    use super::super::{FILE, Registries};
    use super::*;

    const ROOT: &str = "[workspace]\n[workspace.package]\nversion = \"1.2.3\"\nlicense = \"MIT\"\nkeywords = [\"k\"]\n\
                        publish = [\"acme\"]\n[workspace.dependencies]\nstyle = { path = \"skills/style\" }\n";

    fn publish(text: &str, needs: &[Line<'_>]) -> Option<String> {
        let registries: Registries<'_> = &|_| Ok("index".into());
        let shared = Manifest::parse(ROOT, FILE, registries).unwrap().workspace.unwrap().shared;
        let manifest = Manifest::parse_member(text, FILE, registries, Some(&shared)).unwrap();
        let published = published(text, &manifest, needs).unwrap();
        if let Some(text) = &published {
            Manifest::parse(text, FILE, registries).unwrap();
        }
        published
    }

    #[test]
    fn a_manifest_that_stands_for_itself_is_left_alone() {
        let text = "# ours\n[package]\nname = \"acme/pdf\"\nversion = \"1.0.0\"\n\n[dependencies]\n\
                    notes = { version = \"^1\", registry = \"acme\" }\n[dev-dependencies]\nx = \"1\"\n";
        assert_eq!(publish(text, &[]), None);
    }

    #[test]
    fn what_is_of_home_is_written_as_others_get_it() {
        let text = "# ours\n[package]\nname = \"acme/pdf\" # the name\nversion.workspace = true\n\
                    license = { workspace = true }\nkeywords.workspace = true\npublish.workspace = true\n\n\
                    [dependencies]\nstyle.workspace = true\nold = { path = \"../old\", version = \"^2\" }\n\n\
                    [dev-dependencies]\ntester = { path = \"../tester\" }\n";
        let needs = [
            Line { alias: "old", package: "acme/elder".into(), req: "^2".into(), registry: None },
            Line { alias: "style", package: "acme/style".into(), req: "^1.0.0".into(), registry: None },
        ];
        let expected = "# ours\n[package]\nname = \"acme/pdf\" # the name\nversion = \"1.2.3\"\nlicense = \"MIT\"\n\
                        keywords = [\"k\"]\npublish = [\"acme\"]\n\n[dependencies]\n\
                        old = { package = \"acme/elder\", version = \"^2\" }\n\"acme/style\" = \"^1.0.0\"\n";
        assert_eq!(publish(text, &needs).as_deref(), Some(expected));
    }

    #[test]
    fn a_root_that_is_a_package_is_published_without_its_workspace() {
        let text = "[workspace]\nmembers = [\"skills/*\"]\n[workspace.package]\nlicense = \"MIT\"\n[package]\nname = \"all\"\n\
                    license.workspace = true\n";
        assert_eq!(publish(text, &[]).as_deref(), Some("[package]\nname = \"all\"\nlicense = \"MIT\"\n"));
    }
}
