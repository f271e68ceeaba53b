//! Directories that contain skills and are not skills themselves: plugins, marketplaces, packages of other managers.
//!
//! | file | is | its skills |
//! |---|---|---|
//! | `.claude-plugin/marketplace.json` | a marketplace | those of its plugins |
//! | `.claude-plugin/plugin.json` | a plugin | below `skills/`, and at the paths in its `skills` |
//! | `apm.yml` | an APM package | below `skills/` and `.apm/skills/` |
//! | `tile.json` | a Tessl tile | at the paths in its `skills` |
//! | `package.json` | an npm package | below `skills/` and `dist/skills/`, and at the paths in its `skills` |
//!
//! Paths that lead out of the container are ignored.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

/// The marketplace's file.
pub const MARKETPLACE: &str = ".claude-plugin/marketplace.json";
/// A plugin's file, in the plugin's directory.
pub const PLUGIN: &str = ".claude-plugin/plugin.json";
/// The file of an APM package.
pub const APM: &str = "apm.yml";
/// The file of a tile.
pub const TILE: &str = "tile.json";
/// The file of an npm package.
pub const NPM: &str = "package.json";

/// The directories in which a container declares skills, relative to itself.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ContainerPaths {
    /// Directories with skills anywhere below them.
    pub search_roots: BTreeSet<String>,
    /// Directories that are skills themselves.
    pub skill_dirs: BTreeSet<String>,
    /// The plugins of a marketplace that are elsewhere, a sentence each with the command that adds their skills, if there is
    /// one.
    pub elsewhere: Vec<String>,
}

impl ContainerPaths {
    /// Whether a directory is one of them.
    #[must_use]
    pub fn contains(&self, dir: &str) -> bool {
        self.skill_dirs.contains(dir)
            || self
                .search_roots
                .iter()
                .any(|above| is_at_or_under(dir, above))
    }
}

/// Whether a directory is `above` or below it; everything is below the empty path.
#[must_use]
pub fn is_at_or_under(dir: &str, above: &str) -> bool {
    above.is_empty()
        || dir
            .strip_prefix(above)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// The kind of container that a directory is, by the files above in their order; `None` if it is not one.
///
/// An npm package does not count here, since most have no skills; see [`read_npm_paths`].
#[must_use]
pub fn container_kind(has: &dyn Fn(&str) -> bool) -> Option<&'static str> {
    let kinds = [
        (MARKETPLACE, "a marketplace of plugins"),
        (PLUGIN, "a plugin"),
        (APM, "a package of APM"),
        (TILE, "a tile of Tessl"),
    ];

    kinds
        .into_iter()
        .find(|(file, _)| has(file))
        .map(|(_, kind)| kind)
}

/// The paths of a container's skills, besides `skills/` and hidden directories. `read` returns the content of one of its
/// files; it is called for those of marketplaces, plugins and tiles. For npm packages see [`read_npm_paths`].
#[must_use]
pub fn read_container_paths(read: &mut dyn FnMut(&str) -> Option<Vec<u8>>) -> ContainerPaths {
    let mut paths = ContainerPaths::default();
    let mut json =
        |file: &str| read(file).and_then(|bytes| serde_json::from_slice::<Value>(&bytes).ok());

    // A repository can be all three: a marketplace that lists itself as a plugin, for one.
    if let Some(marketplace) = json(MARKETPLACE) {
        marketplace
            .get("plugins")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .for_each(|one| add_plugin_paths(one, &mut paths));
    }

    if let Some(own) = json(PLUGIN) {
        add_plugin_paths(&own, &mut paths);
    }

    if let Some(tile) = json(TILE) {
        let skills = tile
            .get("skills")
            .and_then(Value::as_object)
            .into_iter()
            .flatten();
        let listed = skills.filter_map(|(_, skill)| normalize_path(skill.get("path")?.as_str()?));
        paths
            .skill_dirs
            .extend(listed.map(|path| skill_directory(&path)));
    }

    paths
}

/// The paths of an npm package's skills, by the content of its `package.json`.
#[must_use]
pub fn read_npm_paths(package: &[u8]) -> ContainerPaths {
    let mut paths = ContainerPaths::default();
    if let Ok(package) = serde_json::from_slice::<Value>(package) {
        paths.search_roots.insert("dist/skills".to_owned());
        // An empty path would be the whole package, `node_modules` included.
        let listed = listed_paths(package.get("skills"))
            .map(|path| skill_directory(&path))
            .filter(|path| !path.is_empty());
        paths.search_roots.extend(listed);
    }

    paths
}

/// Adds the paths of a plugin, as a marketplace or its own file describes it. An invalid one does not hide the others.
fn add_plugin_paths(plugin: &Value, paths: &mut ContainerPaths) {
    let root = match plugin.get("source") {
        None if plugin.is_object() => Some(String::new()),
        Some(Value::String(path)) => normalize_path(path),
        Some(Value::Object(source)) => {
            let name = plugin.get("name").and_then(Value::as_str).unwrap_or("");
            paths.elsewhere.push(describe_far_plugin(name, source));
            None
        }
        _ => None,
    };

    let Some(root) = root else { return };

    paths.search_roots.insert(join_paths(&root, "skills"));

    // A plugin may itself be one skill; the root itself is left out, as everything is below it.
    if !root.is_empty() {
        paths.skill_dirs.insert(root.clone());
    }

    paths.search_roots.extend(
        listed_paths(plugin.get("skills"))
            .map(|path| join_paths(&root, &path))
            .filter(|path| !path.is_empty()),
    );
}

/// Where a plugin is that is not in its marketplace's repository.
fn describe_far_plugin(name: &str, source: &Map<String, Value>) -> String {
    let name = name.escape_debug();
    let text = |key: &str| source.get(key).and_then(Value::as_str);
    let address = match (text("url"), text("repo")) {
        (Some(url), _) => url.to_owned(),
        (None, Some(repo)) => format!("gh:{repo}"),
        (None, None) => {
            let kind = text("source").unwrap_or("unknown").escape_debug();
            let package = text("package").unwrap_or("").escape_debug();
            return format!("plugin `{name}` is elsewhere: {kind} `{package}`");
        }
    };

    let mut words = vec![address];
    for (option, key) in [("--path", "path"), ("--rev", "sha")] {
        words.extend(text(key).map(|value| format!("{option} {value}")));
    }
    let command = words.join(" ");
    // It is pasted into a shell, and comes from a third party.
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || " -._~:/@+".contains(letter);
    if command.chars().all(is_plain) {
        format!("plugin `{name}` is in another repository: `skillpm add {command} --all`")
    } else {
        format!("plugin `{name}` is in another repository")
    }
}

/// The paths that a field names: one text, a list of them, or an object of names and paths.
fn listed_paths(field: Option<&Value>) -> impl Iterator<Item = String> {
    let listed: Vec<&str> = match field {
        Some(Value::String(path)) => vec![path],
        Some(Value::Array(paths)) => paths.iter().filter_map(entry_path).collect(),
        Some(Value::Object(paths)) => paths.values().filter_map(entry_path).collect(),
        _ => Vec::new(),
    };
    listed.into_iter().filter_map(normalize_path)
}

fn entry_path(value: &Value) -> Option<&str> {
    value.as_str().or_else(|| value.get("path")?.as_str())
}

/// The directory that a path means, which may name the `SKILL.md` in it.
fn skill_directory(path: &str) -> String {
    match path {
        "SKILL.md" => String::new(),
        path => path.strip_suffix("/SKILL.md").unwrap_or(path).to_owned(),
    }
}

/// A path without `.` components (`./plugins/a` becomes `plugins/a`); `None` if it leaves the container.
fn normalize_path(path: &str) -> Option<String> {
    let parts: Vec<&str> = path
        .split('/')
        .filter(|part| !matches!(*part, "" | "."))
        .collect();

    // The file comes with the package: its paths must not lead out, on Windows neither.
    (!path.starts_with('/') && !path.contains('\\') && !parts.contains(&".."))
        .then(|| parts.join("/"))
}

/// `root/path`, where either may be the empty text.
#[must_use]
pub fn join_paths(root: &str, path: &str) -> String {
    match (root, path) {
        ("", path) => path.to_owned(),
        (root, "") => root.to_owned(),
        (root, path) => format!("{root}/{path}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn container_paths(files: &[(&str, &str)]) -> (Vec<String>, Vec<String>) {
        let places = read_container_paths(&mut |file| {
            files
                .iter()
                .find(|(name, _)| *name == file)
                .map(|(_, text)| text.as_bytes().to_vec())
        });
        (
            places.search_roots.into_iter().collect(),
            places.skill_dirs.into_iter().collect(),
        )
    }

    fn texts(list: &[&str]) -> Vec<String> {
        list.iter().map(|&text| text.to_owned()).collect()
    }

    #[test]
    fn plugins_elsewhere_have_a_command_that_no_shell_misreads() {
        let far = |source: &str| {
            let text = format!(r#"{{"plugins":[{{"name":"a","source":{source}}}]}}"#);
            let mut read = |file: &str| (file == MARKETPLACE).then(|| text.clone().into_bytes());
            read_container_paths(&mut read).elsewhere.join("; ")
        };
        assert_eq!(
            far(r#"{"source":"url","url":"https://git.example/a.git","sha":"12"}"#),
            "plugin `a` is in another repository: `skillpm add https://git.example/a.git --rev 12 --all`"
        );
        assert_eq!(
            far(r#"{"source":"github","repo":"o/r$(id)"}"#),
            "plugin `a` is in another repository"
        );
        assert_eq!(far(r#""./plugins/a""#), "");
    }

    #[test]
    fn each_container_lists_its_directories_of_skills() {
        let tile = r#"{"name":"acme/tile","skills":{"a":{"path":"skills/a/SKILL.md"},"b":{"path":"./b"},"up":{"path":"../x"}}}"#;
        assert_eq!(
            container_paths(&[(TILE, tile)]),
            (vec![], texts(&["b", "skills/a"]))
        );
        let package = r#"{"name":"x","skills":["./agent/a","agent/b/SKILL.md",{"name":"c","path":"agent/c"},7,"/etc"]}"#;
        let listed: Vec<_> = read_npm_paths(package.as_bytes())
            .search_roots
            .into_iter()
            .collect();
        assert_eq!(listed, ["agent/a", "agent/b", "agent/c", "dist/skills"]);
        let plugin = r#"{"name":"p","skills":"./extra"}"#;
        assert_eq!(
            container_paths(&[(PLUGIN, plugin)]),
            (texts(&["extra", "skills"]), vec![])
        );
        for broken in ["{", "[]", "7", r#"{"plugins":{}}"#] {
            assert_eq!(
                container_paths(&[(MARKETPLACE, broken), (TILE, broken)]),
                (vec![], vec![]),
                "{broken}"
            );
        }
    }

    #[test]
    fn a_container_is_known_by_its_file() {
        let kind_of = |file: &str| container_kind(&|name| name == file);
        assert_eq!(kind_of(PLUGIN), Some("a plugin"));
        assert_eq!(kind_of(NPM), None);
    }
}
