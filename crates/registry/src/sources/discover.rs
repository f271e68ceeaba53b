//! Finds the skills of a source. Pure: works on the list of its files.
//!
//! A directory with a `SKILL.md`, or a descriptor of another format, is a skill, and no directory in it is another. They
//! are searched in this order:
//!
//! 1. the root;
//! 2. the directories that the files of a [`container`] declare: `.claude-plugin/marketplace.json`, `tile.json`, `package.json`, …;
//! 3. anywhere under `skills/`, and in the skill directories of agents (`.agents/skills`, `.claude/skills`, …);
//! 4. only where none of these has any: everywhere, some levels deep.
//!
//! A symbolic link at one of these places offers the skills in the directory that it leads to, at their own paths
//! (`links`). Copies of one skill, such as the one in a plugin, are one skill (`remove_copies`).

use std::collections::{BTreeMap, BTreeSet};

use super::links::{DirectoryLinks, LINKS_MAX, follow_path};
pub(super) use skillpm_core::skill::formats::container::join_paths;
use skillpm_core::skill::formats::container::{ContainerPaths, is_at_or_under};
use skillpm_core::skill::formats::{self, container};

/// How deep the search of last resort goes. The deepest of 2,958 published skills is 6 levels down in its repository.
const DEPTH_MAX: usize = 8;

/// The directories of a source's skills, sorted; the root is the empty string.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SkillDirs {
    /// Those in the directories where skills are searched.
    pub offered: Vec<String>,
    /// All of them; one that is not offered is selected only by its name.
    pub all: Vec<String>,
    /// The paths of skills by way of a link, each with the directory of the skill.
    pub linked: BTreeMap<String, String>,
    /// What looks like a skill and is not read.
    pub unread: Vec<UnreadSkill>,
}

/// Something in a source that a person may expect to be a skill of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnreadSkill {
    /// Where it is; empty for what is elsewhere.
    pub path: String,
    /// What it is, and why it is not read, with the way to it: one sentence.
    pub reason: String,
}

impl SkillDirs {
    /// The directories that end in `name`: the offered ones, or if there are none, any.
    #[must_use]
    pub fn named(&self, name: &str) -> Vec<&str> {
        let positions = |dirs: &'_ [String]| -> Vec<usize> {
            dirs.iter()
                .enumerate()
                .filter(|(_, dir)| dir_name(dir) == name)
                .map(|(at, _)| at)
                .collect()
        };

        let offered = positions(&self.offered);
        if offered.is_empty() {
            return positions(&self.all)
                .into_iter()
                .map(|at| self.all[at].as_str())
                .collect();
        }

        offered
            .into_iter()
            .map(|at| self.offered[at].as_str())
            .collect()
    }
}

/// The number of skills in the highest directory above each in which none is `taken`, which are sorted.
pub(super) fn count_by_directory<'d>(
    skills: impl Iterator<Item = &'d String>,
    taken: &[&String],
) -> BTreeMap<&'d str, usize> {
    let mut counts = BTreeMap::new();
    for dir in skills {
        let ends = dir.match_indices('/').map(|(at, _)| at);
        let mut above = ends.chain([dir.len()]).map(|end| &dir[..end]);
        let highest = above.find(|above| paths_below(taken, above).is_empty());
        *counts.entry(highest.unwrap_or(dir)).or_default() += 1;
    }
    counts
}

/// The last part of a directory's path.
#[must_use]
pub fn dir_name(dir: &str) -> &str {
    dir.rsplit('/').next().unwrap_or(dir)
}

/// The search for skills in the files of a source.
pub struct SkillSearch<'f> {
    files: &'f [&'f str],
    all: Vec<String>,
}

impl<'f> SkillSearch<'f> {
    /// Starts with `files`, the paths of all files of the source, sorted.
    #[must_use]
    pub fn new(files: &'f [&'f str]) -> SkillSearch<'f> {
        SkillSearch {
            files,
            all: outermost_skills(files),
        }
    }

    /// The files that `SkillSearch::find` reads in any case.
    pub fn declarations(&self) -> impl Iterator<Item = &'static str> {
        [container::MARKETPLACE, container::PLUGIN, container::TILE]
            .into_iter()
            .filter(|file| self.files.binary_search(file).is_ok())
    }

    /// The only directory that ends in `name`: [`SkillDirs::named`] returns it, whatever the declarations say.
    #[must_use]
    pub fn only_named(&self, name: &str) -> Option<&str> {
        let mut dirs = self.all.iter().filter(|dir| dir_name(dir) == name);
        let only = dirs.next()?;
        dirs.next().is_none().then_some(only)
    }

    /// The directories that are offered, whatever the declarations say.
    pub fn conventional(&self) -> impl Iterator<Item = &str> {
        self.all
            .iter()
            .map(String::as_str)
            .filter(|dir| is_conventional(dir))
    }

    /// Whether a path is below the directory of a skill.
    #[must_use]
    pub fn is_in_skill(&self, path: &str) -> bool {
        // Sorted, and none is in another.
        let mut dirs = path.match_indices('/').map(|(at, _)| &path[..at]);
        let is_skill = |dir: &str| {
            self.all
                .binary_search_by(|one| one.as_str().cmp(dir))
                .is_ok()
        };
        is_skill("") || dirs.any(is_skill)
    }

    /// Finds the skills.
    ///
    /// `links` has the links that are not in a skill. `read` returns the content of one of the files; it is called for the
    /// files of containers only.
    #[must_use]
    pub(super) fn find(
        self,
        links: &DirectoryLinks,
        read: &mut dyn FnMut(&str) -> Option<Vec<u8>>,
    ) -> SkillDirs {
        let SkillSearch { files, all } = self;

        // Only files in the list are read.
        let mut has = |file: &str| {
            if files.binary_search(&file).is_ok() {
                read(file)
            } else {
                None
            }
        };

        let mut places = container::read_container_paths(&mut has);
        let elsewhere = std::mem::take(&mut places.elsewhere);

        let mut unread = misnamed_skills(files);
        let linked = linked_skills(&all, links, &places, &mut unread);
        let behind_links: BTreeSet<&String> = linked.values().collect();

        let mut offered: Vec<String> = all
            .iter()
            .filter(|dir| {
                is_conventional(dir) || places.contains(dir) || behind_links.contains(dir)
            })
            .cloned()
            .collect();
        if offered.is_empty() && !all.is_empty() {
            // Most npm packages have no skills, so theirs are read last.
            let places = has(container::NPM)
                .map(|package| container::read_npm_paths(&package))
                .unwrap_or_default();
            offered = all
                .iter()
                .filter(|dir| places.contains(dir))
                .cloned()
                .collect();
        }

        // The last resort: everywhere, except in `node_modules`.
        if offered.is_empty() {
            let near = |dir: &&String| dir.split('/').count() <= DEPTH_MAX && !is_foreign(dir);
            offered = all.iter().filter(near).cloned().collect();
        }

        unread.extend(elsewhere.into_iter().map(|reason| UnreadSkill {
            path: String::new(),
            reason,
        }));
        SkillDirs {
            offered,
            all,
            linked,
            unread,
        }
    }
}

/// Whether a directory is in a package of npm, whose skills are not those of the source.
pub(super) fn is_foreign(dir: &str) -> bool {
    dir.split('/').any(|part| part == "node_modules")
}

/// The paths at which links offer skills, each with the directory of the skill.
fn linked_skills(
    all: &[String],
    links: &DirectoryLinks,
    places: &ContainerPaths,
    unread: &mut Vec<UnreadSkill>,
) -> BTreeMap<String, String> {
    let is_searched = |path: &str| is_conventional(path) || places.contains(path);

    // A link is at a place, or above one.
    let mut searched: BTreeSet<String> = links
        .keys()
        .filter(|link| is_searched(link))
        .cloned()
        .collect();
    let hidden = links.keys().filter(|link| link.starts_with('.'));
    searched.extend(hidden.filter_map(|link| match link.split_once('/') {
        None => Some(join_paths(link, "skills")),
        Some((_, "skills")) => Some(link.clone()),
        Some(_) => None,
    }));
    let declared = places.search_roots.iter().chain(&places.skill_dirs);
    searched.extend(
        declared
            .filter(|place| follow_path(links, place).is_some())
            .cloned(),
    );

    let all: Vec<&String> = all.iter().collect();
    let mut linked = BTreeMap::new();
    let mut targets = BTreeSet::new();
    let mut refuse = |path: &str, reason: &str| {
        unread.push(UnreadSkill {
            path: path.to_owned(),
            reason: format!(
                "the symbolic link `{}` is not followed: it {reason}",
                path.escape_debug()
            ),
        });
    };
    for path in &searched {
        let Some(target) = follow_path(links, path) else {
            if let Some(Err(reason)) = links.get(path) {
                refuse(path, reason);
            }
            continue;
        };
        let skills = paths_below(&all, &target);
        if linked.len() + skills.len() > LINKS_MAX {
            refuse(
                path,
                &format!("leads to more than {LINKS_MAX} skills with the others"),
            );
            continue;
        }
        linked.extend(skills.into_iter().map(|dir| {
            let rest = dir[target.len()..].trim_start_matches('/');
            (join_paths(path, rest), dir.clone())
        }));
        targets.insert(target);
    }

    // Each target once: many links may lead to one directory with many links.
    let followed = links.iter().filter(|(link, target)| {
        let target = target.as_ref().ok();
        !searched.contains(*link) && target.is_some_and(|to| !paths_below(&all, to).is_empty())
    });
    let followed: Vec<&String> = followed.map(|(link, _)| link).collect();
    let second = targets.iter();
    let second = second.flat_map(|target| paths_below(&followed, target));
    let second: BTreeSet<&String> = second.collect();
    for link in second {
        refuse(link, "is behind another link");
    }
    linked
}

/// The paths of a sorted list that are a directory, or below it.
fn paths_below<'l>(sorted: &[&'l String], dir: &str) -> Vec<&'l String> {
    // `0` is the byte after `/`, so what is below a directory is one run; it does not follow on the directory itself.
    let first = sorted.partition_point(|path| path.as_str() < format!("{dir}/").as_str());
    let last = sorted.partition_point(|path| path.as_str() < format!("{dir}0").as_str());
    let own = sorted.binary_search_by(|path| path.as_str().cmp(dir));
    let own = own.into_iter().map(|at| sorted[at]);
    own.chain(sorted[first..last].iter().copied()).collect()
}

/// Files that agents on some systems would take for a `SKILL.md`.
fn misnamed_skills(files: &[&str]) -> Vec<UnreadSkill> {
    let misnamed = files.iter().filter(|file| {
        let name = dir_name(file);
        name.eq_ignore_ascii_case("SKILL.md") && name != "SKILL.md"
    });
    let unread = misnamed.map(|file| UnreadSkill {
        path: (*file).to_owned(),
        reason: format!(
            "`{}` is not read: agents look for `SKILL.md`, in upper case",
            file.escape_debug()
        ),
    });
    unread.collect()
}

/// Removes directories with the name and the files of another one, and returns each with the one that is kept: that under
/// `skills/`, else the first that is not hidden. `content` identifies the files of a directory; it is called where a name
/// is not unique.
pub(super) fn remove_copies<T: PartialEq>(
    dirs: &mut Vec<String>,
    content: &mut dyn FnMut(&str) -> Option<T>,
) -> Vec<(String, String)> {
    let mut by_name: BTreeMap<&str, Vec<&String>> = BTreeMap::new();
    for dir in dirs.iter() {
        by_name.entry(dir_name(dir)).or_default().push(dir);
    }

    let mut copies = Vec::new();
    for mut group in by_name.into_values().filter(|group| group.len() > 1) {
        group.sort_by_key(|dir| (!is_at_or_under(dir, "skills"), dir.starts_with('.'), *dir));
        let mut kept: Vec<(T, &String)> = Vec::new();
        for dir in group {
            // What cannot be read is no copy of anything.
            let Some(content) = content(dir) else {
                continue;
            };
            match kept.iter().find(|(other, _)| *other == content) {
                Some((_, first)) => copies.push((dir.clone(), (*first).clone())),
                None => kept.push((content, dir)),
            }
        }
    }

    let left_out: BTreeSet<&String> = copies.iter().map(|(copy, _)| copy).collect();
    dirs.retain(|dir| !left_out.contains(dir));
    copies
}

/// Every directory that is a skill and not inside another one.
fn outermost_skills(files: &[&str]) -> Vec<String> {
    let has = |dir: &str, name: &str| files.binary_search(&join_paths(dir, name).as_str()).is_ok();
    let is_skill = |dir: &str, name: &str| {
        name == "SKILL.md" || formats::is_descriptor(name, &|beside| has(dir, beside))
    };

    let dirs: BTreeSet<&str> = files
        .iter()
        .map(|file| file.rsplit_once('/').unwrap_or(("", file)))
        .filter(|(dir, name)| is_skill(dir, name))
        .map(|(dir, _)| dir)
        .collect();

    dirs.iter()
        .filter(|dir| !is_inside_any(dir, &dirs))
        .map(|dir| (*dir).to_owned())
        .collect()
}

/// Whether a directory is strictly below one of `dirs`.
fn is_inside_any(dir: &str, dirs: &BTreeSet<&str>) -> bool {
    let mut above = dir;
    while let Some((parent, _)) = above.rsplit_once('/') {
        if dirs.contains(parent) {
            return true;
        }
        above = parent;
    }
    !dir.is_empty() && dirs.contains("")
}

/// Whether a directory is where skills are searched without any declaration.
fn is_conventional(dir: &str) -> bool {
    dir.is_empty() || is_at_or_under(dir, "skills") || is_agent_dir(dir)
}

/// Whether a directory is `.<agent>/skills/<name>` at the root of a source.
fn is_agent_dir(dir: &str) -> bool {
    let mut parts = dir.split('/');
    matches!((parts.next(), parts.next(), parts.next()), (Some(agent), Some("skills"), Some(_)) if agent.starts_with('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(files: &[&str], marketplace: Option<&str>) -> SkillDirs {
        let mut files = files.to_vec();
        if marketplace.is_some() {
            files.push(container::MARKETPLACE);
        }
        files.sort_unstable();
        let read = |file: &str| marketplace.filter(|_| file == container::MARKETPLACE);
        let links = DirectoryLinks::new();
        SkillSearch::new(&files).find(&links, &mut |file| {
            read(file).map(|text| text.as_bytes().to_vec())
        })
    }

    #[test]
    fn no_directory_in_a_skill_is_another() {
        let dirs = find(
            &[
                "skills/a/SKILL.md",
                "skills/a/b/SKILL.md",
                "skills/ab/SKILL.md",
                "skills/c/d/SKILL.md",
            ],
            None,
        );
        assert_eq!(dirs.offered, ["skills/a", "skills/ab", "skills/c/d"]);
        assert_eq!(find(&["SKILL.md", "skills/a/SKILL.md"], None).offered, [""]);
    }

    #[test]
    fn other_formats_are_skills_if_both_of_their_files_exist() {
        let files = [
            "skills/a/instructions.md",
            "skills/a/manifest.yaml",
            "skills/a/skill.json",
            "skills/b/execute.ts",
            "skills/b/skill.json",
            "skills/c/manifest.yaml",
            "skills/d/skill.json",
        ];
        assert_eq!(find(&files, None).offered, ["skills/a", "skills/b"]);
    }

    #[test]
    fn agents_directories_are_offered_before_others() {
        let dirs = find(
            &[
                ".claude/skills/a/SKILL.md",
                "examples/b/SKILL.md",
                "skills/c/SKILL.md",
            ],
            None,
        );
        assert_eq!(dirs.offered, [".claude/skills/a", "skills/c"]);
        assert_eq!(dirs.named("b"), ["examples/b"]);
        assert_eq!(dirs.named("c"), ["skills/c"]);
    }

    #[test]
    fn discovery_falls_back_to_all_directories_up_to_a_depth() {
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
        assert_eq!(
            find(&files, Some(text)).offered,
            ["b/extra/x", "plugins/a/skills/one"]
        );
    }

    #[test]
    fn copies_are_one_skill_and_other_skills_of_the_name_are_not() {
        let mut dirs = [
            ".claude/skills/a",
            "plugins/p/a",
            "plugins/q/a",
            "skills/a",
            "x/b",
        ]
        .map(str::to_owned)
        .to_vec();
        let copies = remove_copies(&mut dirs, &mut |dir| Some(dir == "plugins/q/a"));
        assert_eq!(dirs, ["plugins/q/a", "skills/a", "x/b"]);
        let of = |dir: &str| (dir.to_owned(), "skills/a".to_owned());
        assert_eq!(copies, [of("plugins/p/a"), of(".claude/skills/a")]);
    }

    #[test]
    fn what_is_not_read_is_named() {
        let text = r#"{"plugins":[{"name":"a","source":{"source":"github","repo":"o/r"}}]}"#;
        let dirs = find(&["skills/a/skill.md", "skills/b/SKILL.md"], Some(text));
        let reasons: Vec<&str> = dirs.unread.iter().map(|one| &*one.reason).collect();
        assert_eq!(
            reasons,
            [
                "`skills/a/skill.md` is not read: agents look for `SKILL.md`, in upper case",
                "plugin `a` is in another repository: `skillpm add gh:o/r --all`"
            ]
        );
    }

    #[test]
    fn a_marketplace_of_the_root_offers_its_skills_folder_only() {
        let text = r#"{"plugins":[{"name":"a","source":"./"}]}"#;
        assert_eq!(
            find(&["skills/a/SKILL.md", "tests/b/SKILL.md"], Some(text)).offered,
            ["skills/a"]
        );
    }
}
