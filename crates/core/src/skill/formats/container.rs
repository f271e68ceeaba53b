//! Directories that hold skills and are none themselves: plugins, marketplaces, packages of other managers.
//!
//! | file | is | its skills |
//! |---|---|---|
//! | `.claude-plugin/marketplace.json` | a marketplace | those of its plugins |
//! | `.claude-plugin/plugin.json` | a plugin | below `skills/`, and where its `skills` says |
//! | `apm.yml` | a package of APM | below `skills/` and `.apm/skills/` |
//! | `tile.json` | a tile of Tessl | where its `skills` say |
//! | `package.json` | a package of npm | below `skills/` and `dist/skills/`, and where its `skills` says |
//!
//! Paths are read as data and lead nowhere out of the container.

use std::collections::BTreeSet;

use serde_json::Value;

/// The marketplace's file.
pub const MARKETPLACE: &str = ".claude-plugin/marketplace.json";
/// A plugin's file, in the plugin's directory.
pub const PLUGIN: &str = ".claude-plugin/plugin.json";
/// The file of a package of APM.
pub const APM: &str = "apm.yml";
/// The file of a tile.
pub const TILE: &str = "tile.json";
/// The file of a package of npm.
pub const NPM: &str = "package.json";

/// Where a container says that skills are, relative to itself.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Places {
    /// Anywhere below these directories.
    pub below: BTreeSet<String>,
    /// In these directories themselves.
    pub exactly: BTreeSet<String>,
}

impl Places {
    /// Whether a directory is one of them.
    #[must_use]
    pub fn has(&self, dir: &str) -> bool {
        self.exactly.contains(dir) || self.below.iter().any(|above| lies_below(dir, above))
    }
}

/// Whether a directory is `above` or lies below it; all do below the empty text.
pub(crate) fn lies_below(dir: &str, above: &str) -> bool {
    above.is_empty() || dir.strip_prefix(above).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// The kind of container that a directory is: by the files above, in their order; `None` if it is none.
///
/// A package of npm is none here, since most say nothing of skills; [`npm`] asks it.
#[must_use]
pub fn kind(has: &dyn Fn(&str) -> bool) -> Option<&'static str> {
    let kinds = [
        (MARKETPLACE, "a marketplace of plugins"),
        (PLUGIN, "a plugin"),
        (APM, "a package of APM"),
        (TILE, "a tile of Tessl"),
    ];
    kinds.into_iter().find(|(file, _)| has(file)).map(|(_, kind)| kind)
}

/// Where a container has its skills, besides `skills/` and what lies below a directory with a dot. `read` gives the text of a file of it; it is asked for
/// the files of marketplaces, plugins and tiles. A package of npm is asked by [`npm`], since most have no skills.
#[must_use]
pub fn places(read: &mut dyn FnMut(&str) -> Option<Vec<u8>>) -> Places {
    let mut places = Places::default();
    let mut json = |file: &str| read(file).and_then(|bytes| serde_json::from_slice::<Value>(&bytes).ok());
    if let Some(marketplace) = json(MARKETPLACE) {
        marketplace
            .get("plugins")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .for_each(|one| plugin(one, &mut places));
    }
    if let Some(own) = json(PLUGIN) {
        plugin(&own, &mut places);
    }
    if let Some(tile) = json(TILE) {
        let skills = tile.get("skills").and_then(Value::as_object).into_iter().flatten();
        let paths = skills.filter_map(|(_, skill)| relative(skill.get("path")?.as_str()?));
        places.exactly.extend(paths.map(|path| directory(&path)));
    }
    places
}

/// Where a package of npm has its skills, by the text of its file.
#[must_use]
pub fn npm(package: &[u8]) -> Places {
    let mut places = Places::default();
    if let Ok(package) = serde_json::from_slice::<Value>(package) {
        places.below.insert("dist/skills".to_owned());
        let listed = paths(package.get("skills")).map(|path| directory(&path)).filter(|path| !path.is_empty());
        places.below.extend(listed);
    }
    places
}

/// A plugin as a marketplace lists it, or as its own file has it. One that cannot be read does not hide the others.
fn plugin(plugin: &Value, places: &mut Places) {
    // An object points to another source, which is not this one's.
    let root = match plugin.get("source") {
        None if plugin.is_object() => Some(String::new()),
        Some(Value::String(path)) => relative(path),
        _ => None,
    };
    let Some(root) = root else { return };
    places.below.insert(join(&root, "skills"));
    // A plugin may itself be one skill; the root alone says nothing, as everything lies below it.
    if !root.is_empty() {
        places.exactly.insert(root.clone());
    }
    places.below.extend(paths(plugin.get("skills")).map(|path| join(&root, &path)).filter(|path| !path.is_empty()));
}

/// The paths that a field names: one text, a list of them, or an object of names and paths.
fn paths(field: Option<&Value>) -> impl Iterator<Item = String> {
    let listed: Vec<&str> = match field {
        Some(Value::String(path)) => vec![path],
        Some(Value::Array(paths)) => paths.iter().filter_map(path_of).collect(),
        Some(Value::Object(paths)) => paths.values().filter_map(path_of).collect(),
        _ => Vec::new(),
    };
    listed.into_iter().filter_map(relative)
}

fn path_of(value: &Value) -> Option<&str> {
    value.as_str().or_else(|| value.get("path")?.as_str())
}

/// The directory that a path means, which may name the `SKILL.md` in it.
fn directory(path: &str) -> String {
    match path {
        "SKILL.md" => String::new(),
        path => path.strip_suffix("/SKILL.md").unwrap_or(path).to_owned(),
    }
}

/// A path as these files write it (`./plugins/a`), without the dot; `None` if it leaves the container.
fn relative(path: &str) -> Option<String> {
    let parts: Vec<&str> = path.split('/').filter(|part| !matches!(*part, "" | ".")).collect();
    (!path.starts_with('/') && !path.contains('\\') && !parts.contains(&"..")).then(|| parts.join("/"))
}

/// `root/path`, where either may be the empty text.
pub(crate) fn join(root: &str, path: &str) -> String {
    match (root, path) {
        ("", path) => path.to_owned(),
        (root, "") => root.to_owned(),
        (root, path) => format!("{root}/{path}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(files: &[(&str, &str)]) -> (Vec<String>, Vec<String>) {
        let places =
            places(&mut |file| files.iter().find(|(name, _)| *name == file).map(|(_, text)| text.as_bytes().to_vec()));
        (places.below.into_iter().collect(), places.exactly.into_iter().collect())
    }

    fn texts(list: &[&str]) -> Vec<String> {
        list.iter().map(|&text| text.to_owned()).collect()
    }

    #[test]
    fn each_container_says_where_its_skills_are() {
        let tile = r#"{"name":"acme/tile","skills":{"a":{"path":"skills/a/SKILL.md"},"b":{"path":"./b"},"up":{"path":"../x"}}}"#;
        assert_eq!(of(&[(TILE, tile)]), (vec![], texts(&["b", "skills/a"])));
        let package =
            r#"{"name":"x","skills":["./agent/a","agent/b/SKILL.md",{"name":"c","path":"agent/c"},7,"/etc"]}"#;
        let listed: Vec<_> = npm(package.as_bytes()).below.into_iter().collect();
        assert_eq!(listed, ["agent/a", "agent/b", "agent/c", "dist/skills"]);
        let plugin = r#"{"name":"p","skills":"./extra"}"#;
        assert_eq!(of(&[(PLUGIN, plugin)]), (texts(&["extra", "skills"]), vec![]));
        for broken in ["{", "[]", "7", r#"{"plugins":{}}"#] {
            assert_eq!(of(&[(MARKETPLACE, broken), (TILE, broken)]), (vec![], vec![]), "{broken}");
        }
    }

    #[test]
    fn a_container_is_known_by_its_file() {
        let kind_of = |file: &str| kind(&|name| name == file);
        assert_eq!(kind_of(PLUGIN), Some("a plugin"));
        assert_eq!(kind_of(NPM), None);
    }
}
