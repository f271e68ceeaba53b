//! Rewrites a manifest for publication, so that it can be read on its own, without the workspace around it.
//!
//! Inherited values are written out, `[workspace]` and `[patch]` are removed, and dependencies on a directory or a
//! repository become dependencies on a registry. A manifest without any of these is published as it is, byte for byte.

use toml_edit::{Array, DocumentMut, InlineTable, Item, Key, Table, TableLike, Value, value};

use super::{Manifest, PackageTable, PublishTargets};
use crate::error::{Error, Result};

/// One dependency of the published package, as it is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublishedDependency<'a> {
    /// The name it is installed under.
    pub alias: &'a str,
    /// The package's full name.
    pub package: String,
    /// The version requirement.
    pub req: String,
    /// The registry's name; `None` for the default one.
    pub registry: Option<&'a str>,
}

/// Tables that have no meaning outside of the workspace.
const LOCAL_TABLES: [&str; 3] = ["workspace", "patch", "replace"];

/// The text to publish; `None` if the manifest needs no change.
///
/// # Errors
/// If the text is not TOML.
pub fn render_published(
    text: &str,
    manifest: &Manifest,
    needs: &[PublishedDependency<'_>],
) -> Result<Option<String>> {
    let mut document: DocumentMut = text.parse().map_err(|cause: toml_edit::TomlError| {
        Error::usage(format!("failed to parse manifest: {}", cause.message()))
    })?;

    let mut changed = false;
    for key in LOCAL_TABLES {
        changed |= document.remove(key).is_some();
    }

    // One local entry is enough to remove them all, since no install of the package reads them.
    if document
        .get("dev-dependencies")
        .is_some_and(|table| !table.as_table_like().is_none_or(has_registry_entries_only))
    {
        document.remove("dev-dependencies");
        changed = true;
    }

    // Rewritten only if it has to be, so that a table of plain versions keeps its form.
    if document
        .get("dependencies")
        .and_then(Item::as_table_like)
        .is_some_and(|table| !has_registry_entries_only(table))
    {
        document.insert("dependencies", Item::Table(registry_dependencies(needs)));
        changed = true;
    }

    if let (Some(table), Some(package)) = (
        document
            .get_mut("package")
            .and_then(Item::as_table_like_mut),
        &manifest.package,
    ) {
        changed |= write_inherited(table, package);
    }

    Ok(changed.then(|| document.to_string()))
}

/// Whether every entry has the same meaning everywhere.
fn has_registry_entries_only(table: &dyn TableLike) -> bool {
    table.iter().all(|(_, item)| match item.as_table_like() {
        Some(entry) => !["path", "git", "archive", "workspace"]
            .iter()
            .any(|key| entry.contains_key(key)),
        None => true,
    })
}

fn registry_dependencies(needs: &[PublishedDependency<'_>]) -> Table {
    let mut table = Table::new();
    for need in needs {
        // The key is sufficient where the alias is the last part of the package's name.
        let is_plain = need.package.rsplit('/').next() == Some(need.alias);
        let mut entry = InlineTable::new();
        if !is_plain {
            entry.insert("package", Value::from(need.package.as_str()));
        }
        entry.insert("version", Value::from(need.req.as_str()));
        entry.extend(
            need.registry
                .map(|registry| (Key::new("registry"), Value::from(registry))),
        );

        let key = if is_plain {
            need.package.as_str()
        } else {
            need.alias
        };

        let item = if entry.len() == 1 {
            value(need.req.as_str())
        } else {
            value(entry)
        };

        table.insert(key, item);
    }

    table
}

/// Writes inherited values out; returns whether there were any.
fn write_inherited(table: &mut dyn TableLike, package: &PackageTable) -> bool {
    let mut changed = false;
    for (key, new) in inheritable_values(package) {
        let inherited = table
            .get(key)
            .and_then(Item::as_table_like)
            .is_some_and(|mark| mark.contains_key("workspace"));
        if let (true, Some(new)) = (inherited, new) {
            table.remove(key);
            table.insert(key, new);
            changed = true;
        }
    }

    changed
}

/// The values of the keys that a member may inherit; `None` where the package has none.
fn inheritable_values(package: &PackageTable) -> [(&'static str, Option<Item>); 9] {
    let list = |texts: &[String]| value(texts.iter().collect::<Array>());
    let text = |text: &Option<String>| text.as_deref().map(value);

    let publish = match &package.publish {
        PublishTargets::Anywhere => value(true),
        PublishTargets::Nowhere => value(false),
        PublishTargets::Only(registries) => list(registries),
    };

    let version = package.version.as_ref();
    [
        ("version", version.map(|version| value(version.to_string()))),
        ("description", text(&package.description)),
        ("license", text(&package.license)),
        ("authors", Some(list(&package.authors))),
        ("repository", text(&package.repository)),
        ("keywords", package.keywords.as_deref().map(list)),
        ("include", Some(list(&package.include))),
        ("exclude", Some(list(&package.exclude))),
        ("publish", Some(publish)),
    ]
}

#[cfg(test)]
mod tests {
    use super::super::{FILE, RegistryLookup};
    use super::*;

    const ROOT: &str = "[workspace]\n[workspace.package]\nversion = \"1.2.3\"\nlicense = \"MIT\"\nkeywords = [\"k\"]\n\
                        publish = [\"acme\"]\n[workspace.dependencies]\nstyle = { path = \"skills/style\" }\n";

    fn publish(text: &str, needs: &[PublishedDependency<'_>]) -> Option<String> {
        let registries: RegistryLookup<'_> = &|_| Ok("index".into());
        let shared = Manifest::parse(ROOT, FILE, registries)
            .unwrap()
            .workspace
            .unwrap()
            .shared;
        let manifest = Manifest::parse_member(text, FILE, registries, Some(&shared)).unwrap();
        let published = render_published(text, &manifest, needs).unwrap();
        if let Some(text) = &published {
            Manifest::parse(text, FILE, registries).unwrap();
        }
        published
    }

    #[test]
    fn self_contained_manifest_is_left_alone() {
        let text = "# ours\n[package]\nname = \"acme/pdf\"\nversion = \"1.0.0\"\n\n[dependencies]\n\
                    notes = { version = \"^1\", registry = \"acme\" }\n[dev-dependencies]\nx = \"1\"\n";
        assert_eq!(publish(text, &[]), None);
    }

    #[test]
    fn published_manifest_has_inherited_values_written_out() {
        let text = "# ours\n[package]\nname = \"acme/pdf\" # the name\nversion.workspace = true\n\
                    license = { workspace = true }\nkeywords.workspace = true\npublish.workspace = true\n\n\
                    [dependencies]\nstyle.workspace = true\nold = { path = \"../old\", version = \"^2\" }\n\n\
                    [dev-dependencies]\ntester = { path = \"../tester\" }\n";
        let needs = [
            PublishedDependency {
                alias: "old",
                package: "acme/older".into(),
                req: "^2".into(),
                registry: None,
            },
            PublishedDependency {
                alias: "style",
                package: "acme/style".into(),
                req: "^1.0.0".into(),
                registry: None,
            },
        ];
        let expected = "# ours\n[package]\nname = \"acme/pdf\" # the name\nversion = \"1.2.3\"\nlicense = \"MIT\"\n\
                        keywords = [\"k\"]\npublish = [\"acme\"]\n\n[dependencies]\n\
                        old = { package = \"acme/older\", version = \"^2\" }\n\"acme/style\" = \"^1.0.0\"\n";
        assert_eq!(publish(text, &needs).as_deref(), Some(expected));
    }

    #[test]
    fn a_root_that_is_a_package_is_published_without_its_workspace() {
        let text = "[workspace]\nmembers = [\"skills/*\"]\n[workspace.package]\nlicense = \"MIT\"\n[package]\nname = \"all\"\n\
                    license.workspace = true\n";
        assert_eq!(
            publish(text, &[]).as_deref(),
            Some("[package]\nname = \"all\"\nlicense = \"MIT\"\n")
        );
    }
}
