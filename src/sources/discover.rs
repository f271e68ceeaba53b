//! Where the skills of a source are. Pure: works on the list of its files.
//!
//! A directory with a `SKILL.md` is a skill, and nothing below it is another. Looked for, in this order:
//!
//! 1. the root;
//! 2. what `.claude-plugin/marketplace.json` or `.claude-plugin/plugin.json` declare;
//! 3. anywhere below `skills/`, and in the skill directories of agents (`.agents/skills`, `.claude/skills`, …);
//! 4. only where none of these has any: everywhere, some levels deep.

use std::collections::BTreeSet;

use serde::Deserialize;

/// The marketplace's file.
pub const MARKETPLACE: &str = ".claude-plugin/marketplace.json";
/// A plugin's file, in the plugin's directory.
pub const PLUGIN: &str = ".claude-plugin/plugin.json";

/// How deep the search of last resort goes. The deepest of 2,958 published skills lies 6 levels down in its repository.
const DEPTH_MAX: usize = 8;

/// The directories of a source's skills, sorted; the root is the empty text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SkillDirs {
    /// Those that the source offers, being in a place where skills are looked for.
    pub offered: Vec<String>,
    /// All there are; one of these is taken if it is asked for by name.
    pub all: Vec<String>,
}

impl SkillDirs {
    /// The directories that end in `name`: the offered ones, or if there are none, any.
    #[must_use]
    pub fn called(&self, name: &str) -> Vec<&str> {
        let among = |dirs: &'_ [String]| -> Vec<usize> {
            dirs.iter().enumerate().filter(|(_, dir)| last_part(dir) == name).map(|(at, _)| at).collect()
        };
        let offered = among(&self.offered);
        if offered.is_empty() {
            return among(&self.all).into_iter().map(|at| self.all[at].as_str()).collect();
        }
        offered.into_iter().map(|at| self.offered[at].as_str()).collect()
    }
}

/// The last part of a directory's path.
#[must_use]
pub fn last_part(dir: &str) -> &str {
    dir.rsplit('/').next().unwrap_or(dir)
}

/// Finds the skills among `files`, the paths of all files of a source, sorted.
///
/// `read` gives the text of one of them; it is asked for the two files above only.
#[must_use]
pub fn discover(files: &[&str], read: &mut dyn FnMut(&str) -> Option<Vec<u8>>) -> SkillDirs {
    let all = outermost(files);
    let is_conventional = conventional(files, read);
    let mut offered: Vec<String> = all.iter().filter(|dir| is_conventional(dir)).cloned().collect();
    if offered.is_empty() {
        let near =
            |dir: &&String| dir.split('/').count() <= DEPTH_MAX && !dir.split('/').any(|part| part == "node_modules");
        offered = all.iter().filter(near).cloned().collect();
    }
    SkillDirs { offered, all }
}

/// Every directory with a `SKILL.md` that does not lie below another such directory.
fn outermost(files: &[&str]) -> Vec<String> {
    let dirs: BTreeSet<&str> = files
        .iter()
        .filter_map(|file| match *file {
            "SKILL.md" => Some(""),
            file => file.strip_suffix("/SKILL.md"),
        })
        .collect();
    let is_inside = |dir: &str| {
        let mut above = dir;
        while let Some((parent, _)) = above.rsplit_once('/') {
            if dirs.contains(parent) {
                return true;
            }
            above = parent;
        }
        !dir.is_empty() && dirs.contains("")
    };
    dirs.iter().filter(|dir| !is_inside(dir)).map(|dir| (*dir).to_owned()).collect()
}

/// Whether a directory is where skills are looked for.
fn conventional(files: &[&str], read: &mut dyn FnMut(&str) -> Option<Vec<u8>>) -> impl Fn(&str) -> bool {
    let mut has = |file: &str| if files.binary_search(&file).is_ok() { read(file) } else { None };
    let mut below = vec!["skills".to_owned()];
    let mut exactly = BTreeSet::from([String::new()]);
    for plugin in has(MARKETPLACE).and_then(|bytes| plugins(&bytes)).unwrap_or_default() {
        plugin.add_to(&mut below, &mut exactly);
    }
    if let Some(plugin) = has(PLUGIN).and_then(|bytes| serde_json::from_slice::<Plugin>(&bytes).ok()) {
        plugin.add_to(&mut below, &mut exactly);
    }
    move |dir| exactly.contains(dir) || is_agents(dir) || below.iter().any(|above| lies_below(dir, above))
}

/// `.<agent>/skills/<name>` at the root of a source.
fn is_agents(dir: &str) -> bool {
    let mut parts = dir.split('/');
    matches!((parts.next(), parts.next(), parts.next()), (Some(agent), Some("skills"), Some(_)) if agent.starts_with('.'))
}

fn lies_below(dir: &str, above: &str) -> bool {
    above.is_empty() || dir.strip_prefix(above).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

#[derive(Deserialize)]
struct Marketplace {
    #[serde(default)]
    plugins: Vec<serde_json::Value>,
}

/// A plugin as a marketplace lists it, or as its own file has it.
#[derive(Deserialize, Default)]
struct Plugin {
    /// Where it is, relative to the source's root; an object points to another source, which is not this one's.
    #[serde(default)]
    source: Option<serde_json::Value>,
    /// Further directories of skills, relative to it.
    #[serde(default)]
    skills: Option<serde_json::Value>,
}

/// The plugins of a marketplace; one that cannot be read does not hide the others.
fn plugins(bytes: &[u8]) -> Option<Vec<Plugin>> {
    let marketplace: Marketplace = serde_json::from_slice(bytes).ok()?;
    Some(marketplace.plugins.into_iter().filter_map(|plugin| serde_json::from_value(plugin).ok()).collect())
}

impl Plugin {
    fn add_to(&self, below: &mut Vec<String>, exactly: &mut BTreeSet<String>) {
        let root = match &self.source {
            None => String::new(),
            Some(serde_json::Value::String(path)) => match relative(path) {
                Some(path) => path,
                None => return,
            },
            Some(_) => return,
        };
        below.push(join(&root, "skills"));
        // A plugin may itself be one skill; the root alone says nothing, as everything lies below it.
        if !root.is_empty() {
            exactly.insert(root.clone());
        }
        let listed = match &self.skills {
            Some(serde_json::Value::String(path)) => vec![path.as_str()],
            Some(serde_json::Value::Array(paths)) => paths.iter().filter_map(|path| path.as_str()).collect(),
            _ => Vec::new(),
        };
        below.extend(
            listed.into_iter().filter_map(relative).map(|path| join(&root, &path)).filter(|path| !path.is_empty()),
        );
    }
}

/// A path as these files write it (`./plugins/a`), without the dot; `None` if it leaves the source.
fn relative(path: &str) -> Option<String> {
    let parts: Vec<&str> = path.split('/').filter(|part| !matches!(*part, "" | ".")).collect();
    (!path.starts_with('/') && !parts.contains(&"..")).then(|| parts.join("/"))
}

/// `root/path`, where either may be the empty text.
pub(super) fn join(root: &str, path: &str) -> String {
    match (root, path) {
        ("", path) => path.to_owned(),
        (root, "") => root.to_owned(),
        (root, path) => format!("{root}/{path}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(files: &[&str], marketplace: Option<&str>) -> SkillDirs {
        let mut files = files.to_vec();
        if marketplace.is_some() {
            files.push(MARKETPLACE);
        }
        files.sort_unstable();
        discover(&files, &mut |_| marketplace.map(|text| text.as_bytes().to_vec()))
    }

    #[test]
    fn nothing_below_a_skill_is_another() {
        let dirs =
            find(&["skills/a/SKILL.md", "skills/a/b/SKILL.md", "skills/ab/SKILL.md", "skills/c/d/SKILL.md"], None);
        assert_eq!(dirs.offered, ["skills/a", "skills/ab", "skills/c/d"]);
        assert_eq!(find(&["SKILL.md", "skills/a/SKILL.md"], None).offered, [""]);
    }

    #[test]
    fn agents_directories_count_and_others_do_not_while_there_are_some() {
        let dirs = find(&[".claude/skills/a/SKILL.md", "examples/b/SKILL.md", "skills/c/SKILL.md"], None);
        assert_eq!(dirs.offered, [".claude/skills/a", "skills/c"]);
        assert_eq!(dirs.called("b"), ["examples/b"]);
        assert_eq!(dirs.called("c"), ["skills/c"]);
    }

    #[test]
    fn the_last_resort_is_everywhere_but_not_without_end() {
        let deep = format!("{}/SKILL.md", ["d"; 9].join("/"));
        let dirs = find(&["x/y/SKILL.md", "node_modules/p/SKILL.md", &deep], None);
        assert_eq!(dirs.offered, ["x/y"]);
        assert_eq!(dirs.all.len(), 3);
    }

    #[test]
    fn a_marketplace_names_plugins_and_their_skills() {
        let text = r#"{"plugins":[{"name":"a","source":"./plugins/a"},{"name":"b","source":"./b","skills":["./extra/x"]},
            {"name":"far","source":{"source":"github","repo":"o/r"}},{"name":"up","source":"../../etc"},"garbage"]}"#;
        let files = [
            "plugins/a/skills/one/SKILL.md",
            "b/extra/x/SKILL.md",
            "b/other/SKILL.md",
            "plugins/z/skills/two/SKILL.md",
        ];
        assert_eq!(find(&files, Some(text)).offered, ["b/extra/x", "plugins/a/skills/one"]);
    }

    #[test]
    fn a_marketplace_of_the_root_offers_its_skills_folder_only() {
        let text = r#"{"plugins":[{"name":"a","source":"./"}]}"#;
        assert_eq!(find(&["skills/a/SKILL.md", "tests/b/SKILL.md"], Some(text)).offered, ["skills/a"]);
    }
}
