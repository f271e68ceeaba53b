//! Targets: where each agent reads skills, and what it does with two of the same name.
//!
//! The table is `agents.toml` beside this file, compiled in and parsed only when an agent is looked up by name: its 32 kB
//! take about a millisecond. Every command needs the list of known directories, so these are Rust constants in
//! [`directories`]; a test checks that they match the table.
//!
//! ```toml
//! [[agent]]
//! id = "claude-code"
//! display_name = "Claude Code"
//! project_dir = ".claude/skills"
//! global_dir = "${CLAUDE_CONFIG_DIR:-~/.claude}/skills"
//! user_beats_project = true
//! ```

pub mod directories;
mod overrides;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use serde::Deserialize;
use skillpm_core::package::join_slashed;

/// The directory that many agents read directly, in a project and in the home directory.
pub const SHARED_DIR: &str = ".agents/skills";

/// One agent: where it reads skills, and which of them take precedence.
///
/// Directories of a project are relative to its root. `~` is the home directory, and `${VAR:-default}` the variable
/// if it is set and not empty; [`UserEnvironment`] expands both.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct AgentSpec {
    /// Its id, for `--target` and `--agent`.
    pub id: String,
    /// Its name in messages.
    pub display_name: String,
    /// Its own directory in a project; `None` if it has none.
    pub project_dir: Option<String>,
    /// Its own directory for a user; `None` if it has none.
    pub global_dir: Option<String>,
    /// User directories under former names.
    #[serde(default)]
    pub global_fallbacks: Vec<String>,
    /// Variables that move its user directory.
    #[serde(default)]
    pub env_override: Vec<String>,
    /// It is installed if one of these exists; `./` is the project.
    #[serde(default)]
    pub detect_any: Vec<String>,
    /// It is used in a project that has one of these; a directory ends with `/`.
    #[serde(default)]
    pub project_markers: Vec<String>,
    /// Whether it is built around [`SHARED_DIR`].
    #[serde(default)]
    pub universal: bool,
    /// Other directories that it reads in a project, some of them described in words.
    #[serde(default)]
    also_reads_project: Vec<String>,
    /// Other directories that it reads of a user, some of them described in words.
    #[serde(default)]
    also_reads_global: Vec<String>,
    /// Whether it reads [`SHARED_DIR`]; `None` if unknown.
    pub reads_agents_dir: Option<bool>,
    /// The directories by precedence, highest first, some of them described in words; empty if unknown.
    #[serde(default)]
    pub precedence: Vec<String>,
    /// What it does with two skills of the same name; `None` if unknown.
    pub same_name: Option<SameName>,
    /// Whether a user's skill takes precedence over the project's; `None` if unknown.
    pub user_beats_project: Option<UserBeatsProject>,
    /// Whether it finds skills more than one level down; `None` if unknown.
    pub nested_dirs: Option<bool>,
    /// Whether the name of a skill is that of its directory or of its frontmatter; `None` if unknown.
    pub id_from: Option<IdFrom>,
    /// The format of its own listing; `agents-dir` if it needs none.
    pub emit: String,
    /// The format of skill it reads; `None` for `SKILL.md`.
    pub format: Option<String>,
    /// The evidence for the row.
    pub verified: String,
}

/// What an agent does with two skills of the same name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SameName {
    /// The first in its order is used.
    FirstWins,
    /// The last that it loads is used.
    LastLoadedWins,
    /// One is used.
    OneWins,
    /// Both are shown.
    ListsAll,
    /// It reads one directory, so there is no second.
    OneDirectory,
}

/// Whether a user's skill takes precedence over the project's in an agent.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
pub enum UserBeatsProject {
    /// It does, or it does not.
    Plainly(bool),
    /// It does for some directories, which are described in words.
    Partly(String),
}

/// Where an agent takes the name of a skill from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum IdFrom {
    /// Its directory.
    Dir,
    /// Its frontmatter's `name`.
    Frontmatter,
}

#[derive(Deserialize)]
struct AgentTable {
    agent: Vec<AgentSpec>,
}

/// All agents, in the order of the table.
pub fn all_agents() -> &'static [AgentSpec] {
    static AGENTS: OnceLock<Vec<AgentSpec>> = OnceLock::new();
    AGENTS.get_or_init(|| {
        toml::from_str::<AgentTable>(include_str!("agents.toml"))
            .expect("the agents table is valid; a test reads it")
            .agent
    })
}

/// The agents that read `dir` of a project, such as `.claude/skills`, in the order of the table.
#[must_use]
pub fn agents_reading(dir: &str) -> Vec<&'static AgentSpec> {
    // `./.claude/skills/` in a manifest means the same directory.
    let dir = dir.trim_start_matches("./").trim_end_matches('/');
    all_agents()
        .iter()
        .filter(|agent| agent.project_directories().any(|read| read == dir))
        .collect()
}

impl AgentSpec {
    /// Every directory of a project that it reads, its own first.
    pub fn project_directories(&self) -> impl Iterator<Item = &str> {
        let shared = (self.reads_agents_dir == Some(true)).then_some(SHARED_DIR);
        let own = self.project_dir.as_deref();
        let others = self
            .also_reads_project
            .iter()
            .filter_map(|entry| parse_directory(entry));

        own.into_iter()
            .chain(shared.filter(move |_| own != Some(SHARED_DIR)))
            .chain(others.filter(|other| *other != SHARED_DIR))
    }

    /// Every directory of a user that it reads, its own first, not yet expanded.
    pub fn user_directories(&self) -> impl Iterator<Item = &str> {
        let others = self
            .also_reads_global
            .iter()
            .filter_map(|entry| parse_directory(entry));
        self.global_dir
            .as_deref()
            .into_iter()
            .chain(self.global_fallbacks.iter().map(String::as_str))
            .chain(others)
    }

    /// The directories in which it finds skills, highest precedence first, as far as that is known.
    ///
    /// The `precedence` of its row comes first; its other directories follow, the project's before the user's unless the
    /// user's take precedence.
    #[must_use]
    pub fn reading_order(
        &self,
        project: Option<&Path>,
        environment: &UserEnvironment<'_>,
    ) -> Vec<AgentDirectory> {
        let ranked = self
            .precedence
            .iter()
            .filter_map(|entry| AgentDirectory::from_precedence(entry, project, environment));
        let projects = self
            .project_directories()
            .filter_map(|below| Some(AgentDirectory::in_project(project?, below)));
        let users = self
            .user_directories()
            .filter_map(|text| AgentDirectory::of_user(environment, text));

        let mut order: Vec<AgentDirectory> = ranked.collect();
        if self.user_beats_project == Some(UserBeatsProject::Plainly(true)) {
            order.extend(users.chain(projects));
        } else {
            order.extend(projects.chain(users));
        }

        // A ranked directory is not repeated with the rest.
        let mut seen = BTreeSet::new();
        order.retain(|read| seen.insert(read.path.clone()));
        order
    }

    /// Its own directory in the project at `project`.
    #[must_use]
    pub fn project_path(&self, project: &Path) -> Option<PathBuf> {
        Some(join_slashed(project, self.project_dir.as_ref()?))
    }

    /// Its own directory for the user; `None` if it has none, or a variable in its path is not set.
    #[must_use]
    pub fn user_path(&self, environment: &UserEnvironment<'_>) -> Option<PathBuf> {
        environment.expand(self.global_dir.as_ref()?)
    }

    /// The paths of which one exists if the agent is installed; those of a project only with one.
    #[must_use]
    pub fn detection_paths(
        &self,
        project: Option<&Path>,
        environment: &UserEnvironment<'_>,
    ) -> Vec<PathBuf> {
        let sign = |text: &String| match text.strip_prefix("./") {
            Some(below) => Some(join_slashed(project?, below)),
            None => environment.expand(text),
        };
        self.detect_any.iter().filter_map(sign).collect()
    }
}

/// A directory in which an agent finds skills.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentDirectory {
    /// Its path.
    pub path: PathBuf,
    /// Whether it is the project's; else it is the user's.
    pub in_project: bool,
}

impl AgentDirectory {
    fn in_project(project: &Path, below: &str) -> Self {
        AgentDirectory {
            path: join_slashed(project, below),
            in_project: true,
        }
    }

    /// `None` if the directory depends on a variable that is not set.
    fn of_user(environment: &UserEnvironment<'_>, text: &str) -> Option<Self> {
        Some(AgentDirectory {
            path: environment.expand(text)?,
            in_project: false,
        })
    }

    /// The directory of an entry of `precedence`; `None` if it names none, or there is no project.
    fn from_precedence(
        entry: &str,
        project: Option<&Path>,
        environment: &UserEnvironment<'_>,
    ) -> Option<Self> {
        // The prefix of a directory that would be taken for a word without it.
        if let Some(below) = entry.strip_prefix("<workspace>/") {
            return Some(AgentDirectory::in_project(project?, below));
        }

        let path = parse_directory(entry)?;
        // The directories of a user begin with the home, a variable or the root.
        if path.starts_with(['~', '$', '/']) {
            AgentDirectory::of_user(environment, path)
        } else {
            Some(AgentDirectory::in_project(project?, path))
        }
    }
}

/// Parses the directory in an entry of the table; `None` where the entry is a description in words.
fn parse_directory(entry: &str) -> Option<&str> {
    // Some rows add in words, and in parentheses, when a directory is read.
    let path = entry.split_once(" (").map_or(entry, |(path, _)| path);
    // Patterns and lists are for readers: they name no single directory.
    let plain = !path.contains(['<', '*', ' ', '[']) && !path.contains("/{");
    (plain && path.contains(['/', '$'])).then_some(path)
}

/// The user's home and environment as values: neither the environment nor the disk is read here.
#[derive(Clone, Copy)]
pub struct UserEnvironment<'a> {
    /// The home directory; `None` if the user has none.
    pub home: Option<&'a Path>,
    /// The value of an environment variable.
    pub env: &'a dyn Fn(&str) -> Option<String>,
}

impl UserEnvironment<'_> {
    /// Expands `~`, `$VAR` and `${VAR:-default}` at the start of a path. `None` if there is no home or the variable has no
    /// value, or if the result is not absolute.
    #[must_use]
    pub fn expand(&self, text: &str) -> Option<PathBuf> {
        let path = self.expand_prefix(text)?;
        // A relative path would depend on the directory that the command runs in.
        path.is_absolute().then_some(path)
    }

    fn expand_prefix(&self, text: &str) -> Option<PathBuf> {
        if let Some(braced) = text.strip_prefix("${") {
            let (variable, rest) = braced.split_once('}')?;
            let (name, default) = variable
                .split_once(":-")
                .map_or((variable, None), |(n, d)| (n, Some(d)));
            let base = match self.env_variable(name) {
                Some(value) => PathBuf::from(value),
                None => self.expand_prefix(default?)?,
            };
            return Some(join_below(base, rest));
        }

        if let Some(bare) = text.strip_prefix('$') {
            let (name, rest) = bare.split_at(bare.find('/').unwrap_or(bare.len()));
            return Some(join_below(PathBuf::from(self.env_variable(name)?), rest));
        }

        match text.strip_prefix('~') {
            Some(rest) if rest.is_empty() || rest.starts_with('/') => {
                Some(join_below(self.home?.to_owned(), rest))
            }
            // `~name` would be the home of another user.
            _ => Some(PathBuf::from(text)),
        }
    }

    fn env_variable(&self, name: &str) -> Option<String> {
        (self.env)(name).filter(|value| !value.is_empty())
    }
}

fn join_below(base: PathBuf, rest: &str) -> PathBuf {
    match rest.trim_start_matches('/') {
        "" => base,
        rest => join_slashed(&base, rest),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    pub(super) fn agent(id: &str) -> &'static AgentSpec {
        all_agents().iter().find(|agent| agent.id == id).unwrap()
    }

    fn expand(text: &str, home: &str, variables: &[(&str, &str)]) -> Option<PathBuf> {
        let env = |name: &str| {
            variables
                .iter()
                .find(|(n, _)| *n == name)
                .map(|(_, value)| (*value).to_owned())
        };
        UserEnvironment {
            home: Some(Path::new(home)),
            env: &env,
        }
        .expand(text)
    }

    #[test]
    fn every_row_of_the_table_is_read_and_ids_are_unique() {
        let mut ids: Vec<_> = all_agents().iter().map(|agent| &agent.id).collect();
        assert_eq!(
            ids.len(),
            include_str!("agents.toml").matches("\n[[agent]]").count()
        );
        ids.sort();
        ids.dedup();
        assert_eq!(ids.len(), all_agents().len());
    }

    #[test]
    #[cfg_attr(windows, ignore = "its paths are those of Unix")]
    fn variables_with_a_value_override_their_default() {
        let claude = "${CLAUDE_CONFIG_DIR:-~/.claude}/skills";
        assert_eq!(
            expand(claude, "/h", &[]).unwrap(),
            Path::new("/h/.claude/skills")
        );
        assert_eq!(
            expand(claude, "/h", &[("CLAUDE_CONFIG_DIR", "")]).unwrap(),
            Path::new("/h/.claude/skills")
        );
        assert_eq!(
            expand(claude, "/h", &[("CLAUDE_CONFIG_DIR", "/c")]).unwrap(),
            Path::new("/c/skills")
        );
        assert_eq!(
            expand("$CRUSH_SKILLS_DIR", "/h", &[("CRUSH_SKILLS_DIR", "/x/y")]).unwrap(),
            Path::new("/x/y")
        );
    }

    #[test]
    fn a_path_with_an_unset_variable_is_none() {
        assert_eq!(expand("${APPDATA}/Zed", "/h", &[]), None);
        assert_eq!(
            expand(
                "${CLAUDE_CONFIG_DIR:-~/.claude}/skills",
                "/h",
                &[("CLAUDE_CONFIG_DIR", "relative")]
            ),
            None
        );
        let environment = UserEnvironment {
            home: None,
            env: &|_| None,
        };
        assert_eq!(environment.expand("~/.claude/skills"), None);
    }

    #[test]
    fn words_in_the_agents_table_are_not_directories() {
        let claude = agent("claude-code");
        assert_eq!(
            claude.project_directories().collect::<Vec<_>>(),
            [".claude/skills"]
        );
        let windsurf = agent("windsurf");
        assert_eq!(
            windsurf.project_directories().collect::<Vec<_>>(),
            [".windsurf/skills", ".agents/skills", ".claude/skills"]
        );
        for agent in all_agents() {
            for dir in agent.project_directories().chain(agent.user_directories()) {
                assert!(!dir.contains([' ', '<', '*', '(']), "{}: {dir}", agent.id);
            }
        }
    }

    #[test]
    fn the_agents_of_a_directory_are_all_that_read_it() {
        let ids: Vec<_> = agents_reading(".claude/skills/")
            .iter()
            .map(|agent| agent.id.as_str())
            .collect();
        for id in ["claude-code", "cursor", "kilo", "opencode"] {
            assert!(ids.contains(&id), "{id}");
        }
        assert!(agents_reading(SHARED_DIR).len() >= 28);
        assert!(agents_reading("no/such").is_empty());
    }

    #[test]
    #[cfg_attr(windows, ignore = "its paths are those of Unix")]
    fn each_agent_has_its_own_order_of_directories() {
        let environment = UserEnvironment {
            home: Some(Path::new("/h")),
            env: &|_| None,
        };
        let order = |id: &str| -> Vec<String> {
            let order = agent(id).reading_order(Some(Path::new("/p")), &environment);
            order
                .iter()
                .map(|read| read.path.display().to_string())
                .collect()
        };
        assert_eq!(
            order("claude-code"),
            ["/h/.claude/skills", "/p/.claude/skills"]
        );
        assert_eq!(
            order("openclaw")[..3],
            ["/p/skills", "/p/.agents/skills", "/h/.agents/skills"]
        );
        assert_eq!(order("zed"), ["/p/.agents/skills", "/h/.agents/skills"]);
        assert_eq!(
            order("pi")[..3],
            ["/p/.pi/skills", "/p/.agents/skills", "/h/.pi/agent/skills"]
        );
        assert_eq!(
            order("goose")[..2],
            ["/p/.goose/skills", "/p/.agents/skills"]
        );
    }

    #[test]
    fn a_marker_is_of_one_agent_and_inside_the_project() {
        let mut seen = BTreeSet::new();
        for agent in all_agents() {
            for marker in &agent.project_markers {
                assert!(seen.insert(marker), "{}: {marker}", agent.id);
                let path = marker.trim_end_matches('/');
                assert!(
                    path.parse::<skillpm_core::package::RelPath>().is_ok(),
                    "{marker}"
                );
            }
        }
        // Every agent reads these, so that they say nothing about which is used.
        for common in ["AGENTS.md", ".agents/", "skills/", ".github/"] {
            assert!(!seen.contains(&common.to_owned()), "{common}");
        }
    }

    #[test]
    fn the_directory_above_an_agents_own_skills_is_a_marker() {
        let marked: BTreeSet<&str> = all_agents()
            .iter()
            .flat_map(|agent| agent.project_markers.iter().map(String::as_str))
            .collect();
        let hidden = all_agents()
            .iter()
            .filter_map(|agent| agent.project_dir.as_deref())
            .filter(|dir| dir.starts_with('.') && *dir != SHARED_DIR);
        for dir in hidden {
            let parent = dir.trim_end_matches("skills");
            let top = format!("{}/", dir.split('/').next().unwrap());
            assert!(marked.contains(parent) || marked.contains(&*top), "{dir}");
        }
    }

    #[test]
    #[cfg_attr(windows, ignore = "its paths are those of Unix")]
    fn detection_paths_are_in_the_project_or_the_home() {
        let environment = UserEnvironment {
            home: Some(Path::new("/h")),
            env: &|_| None,
        };
        let signs = agent("kodelet").detection_paths(Some(Path::new("/p")), &environment);
        assert_eq!(signs, [Path::new("/h/.kodelet"), Path::new("/p/.kodelet")]);
    }
}
