//! Targets: where each agent reads skills, and what it does with two of one name.
//!
//! The table is `agents.toml` beside this file, compiled in and read only when an agent is asked for by name: its
//! 32 kB take about a millisecond. Which directories are known at all is wanted by every command, so those stand
//! ready in [`directories`]; a test holds the two together.
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

/// The directory that many agents read directly, below a project or below the home directory.
pub const SHARED: &str = ".agents/skills";

/// One agent: where it reads skills, and who wins there.
///
/// Directories of a project are relative to its root. `~` is the home directory, and `${VAR:-default}` the variable
/// if it is set and not empty; [`Places`] expands both.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Agent {
    /// The name by which `--target` and `--agent` know it.
    pub id: String,
    /// The name by which people know it.
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
    /// Whether it is built around [`SHARED`].
    #[serde(default)]
    pub universal: bool,
    /// What else it reads in a project, some of it in words.
    #[serde(default)]
    also_reads_project: Vec<String>,
    /// What else it reads of a user, some of it in words.
    #[serde(default)]
    also_reads_global: Vec<String>,
    /// Whether it reads [`SHARED`]; `None` if nobody knows.
    pub reads_agents_dir: Option<bool>,
    /// Who wins, highest first, some of it in words; empty if nobody knows.
    #[serde(default)]
    pub precedence: Vec<String>,
    /// What it does with two skills of one name; `None` if nobody knows.
    pub same_name: Option<SameName>,
    /// Whether a user's skill wins against the project's; `None` if nobody knows.
    pub user_beats_project: Option<UserBeatsProject>,
    /// Whether it finds skills more than one level down; `None` if nobody knows.
    pub nested_dirs: Option<bool>,
    /// Whether it knows a skill by its directory or by its frontmatter; `None` if nobody knows.
    pub id_from: Option<IdFrom>,
    /// The format of its own listing; `agents-dir` if it needs none.
    pub emit: String,
    /// The format of skill it reads; `None` for `SKILL.md`.
    pub format: Option<String>,
    /// On what evidence the row stands.
    pub verified: String,
}

/// What an agent does with two skills of one name.
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

/// Whether an agent lets a user's skill win against the project's.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
pub enum UserBeatsProject {
    /// It does, or does not.
    Plainly(bool),
    /// It does for some directories, told in words.
    Partly(String),
}

/// What an agent knows a skill by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum IdFrom {
    /// Its directory.
    Dir,
    /// Its frontmatter's `name`.
    Frontmatter,
}

#[derive(Deserialize)]
struct Table {
    agent: Vec<Agent>,
}

/// All agents, in the order of the table.
pub fn agents() -> &'static [Agent] {
    static AGENTS: OnceLock<Vec<Agent>> = OnceLock::new();
    AGENTS.get_or_init(|| {
        toml::from_str::<Table>(include_str!("agents.toml")).expect("the agents table is valid; a test reads it").agent
    })
}

/// The agents that read `dir` of a project, such as `.claude/skills`, in the order of the table.
#[must_use]
pub fn agents_reading(dir: &str) -> Vec<&'static Agent> {
    let dir = dir.trim_start_matches("./").trim_end_matches('/');
    agents().iter().filter(|agent| agent.project_directories().any(|read| read == dir)).collect()
}

impl Agent {
    /// Every directory of a project that it reads, its own first.
    pub fn project_directories(&self) -> impl Iterator<Item = &str> {
        let shared = (self.reads_agents_dir == Some(true)).then_some(SHARED);
        let own = self.project_dir.as_deref();
        let others = self.also_reads_project.iter().filter_map(|entry| directory(entry));
        own.into_iter()
            .chain(shared.filter(move |_| own != Some(SHARED)))
            .chain(others.filter(|other| *other != SHARED))
    }

    /// Every directory of a user that it reads, its own first, not yet expanded.
    pub fn user_directories(&self) -> impl Iterator<Item = &str> {
        let others = self.also_reads_global.iter().filter_map(|entry| directory(entry));
        self.global_dir.as_deref().into_iter().chain(self.global_fallbacks.iter().map(String::as_str)).chain(others)
    }

    /// The directories in which it finds skills, the one that wins first, as far as anyone knows its order.
    ///
    /// What its row says of precedence comes first; what else it reads follows, the project's before the user's unless
    /// the user's wins.
    #[must_use]
    pub fn reading_order(&self, project: Option<&Path>, places: &Places<'_>) -> Vec<Reads> {
        let in_project = |below: &str| project.map(|project| Reads { path: project.join(below), in_project: true });
        let of_user = |text: &str| places.expand(text).map(|path| Reads { path, in_project: false });
        let ranked = self.precedence.iter().filter_map(|entry| {
            if let Some(below) = entry.strip_prefix("<workspace>/") {
                return in_project(below);
            }
            let path = directory(entry)?;
            if path.starts_with(['~', '$', '/']) { of_user(path) } else { in_project(path) }
        });
        let projects = self.project_directories().filter_map(in_project);
        let users = self.user_directories().filter_map(of_user);
        let mut order: Vec<Reads> = ranked.collect();
        if self.user_beats_project == Some(UserBeatsProject::Plainly(true)) {
            order.extend(users.chain(projects));
        } else {
            order.extend(projects.chain(users));
        }
        let mut seen = BTreeSet::new();
        order.retain(|read| seen.insert(read.path.clone()));
        order
    }

    /// Its own directory in the project at `project`.
    #[must_use]
    pub fn project_path(&self, project: &Path) -> Option<PathBuf> {
        Some(project.join(self.project_dir.as_ref()?))
    }

    /// Its own directory for the user; `None` if it has none, or if it cannot be told.
    #[must_use]
    pub fn user_path(&self, places: &Places<'_>) -> Option<PathBuf> {
        places.expand(self.global_dir.as_ref()?)
    }

    /// The paths of which one must exist if the agent is in use here.
    #[must_use]
    pub fn signs(&self, project: &Path, places: &Places<'_>) -> Vec<PathBuf> {
        let sign = |text: &String| match text.strip_prefix("./") {
            Some(below) => Some(project.join(below)),
            None => places.expand(text),
        };
        self.detect_any.iter().filter_map(sign).collect()
    }
}

/// A directory in which an agent finds skills.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reads {
    /// Where it is.
    pub path: PathBuf,
    /// Whether it is the project's; else it is the user's.
    pub in_project: bool,
}

/// The directory that an entry of the table names; `None` where it speaks of several, or of none, in words.
fn directory(entry: &str) -> Option<&str> {
    let path = entry.split_once(" (").map_or(entry, |(path, _)| path);
    let plain = !path.contains(['<', '*', ' ', '[']) && !path.contains("/{");
    (plain && path.contains(['/', '$'])).then_some(path)
}

/// Where this user's things are, as values: neither the environment nor the disk is read here.
#[derive(Clone, Copy)]
pub struct Places<'a> {
    /// The home directory; `None` if the user has none.
    pub home: Option<&'a Path>,
    /// The value of an environment variable.
    pub env: &'a dyn Fn(&str) -> Option<String>,
}

impl Places<'_> {
    /// The path that `text` means: `~`, `$VAR` and `${VAR:-default}` at its start are replaced. `None` if there is
    /// no home or the variable has no value, and for what is then not absolute.
    #[must_use]
    pub fn expand(&self, text: &str) -> Option<PathBuf> {
        let path = self.unfold(text)?;
        path.is_absolute().then_some(path)
    }

    fn unfold(&self, text: &str) -> Option<PathBuf> {
        if let Some(braced) = text.strip_prefix("${") {
            let (variable, rest) = braced.split_once('}')?;
            let (name, default) = variable.split_once(":-").map_or((variable, None), |(n, d)| (n, Some(d)));
            let base = match self.variable(name) {
                Some(value) => PathBuf::from(value),
                None => self.unfold(default?)?,
            };
            return Some(below(base, rest));
        }
        if let Some(bare) = text.strip_prefix('$') {
            let (name, rest) = bare.split_at(bare.find('/').unwrap_or(bare.len()));
            return Some(below(PathBuf::from(self.variable(name)?), rest));
        }
        match text.strip_prefix('~') {
            Some(rest) if rest.is_empty() || rest.starts_with('/') => Some(below(self.home?.to_owned(), rest)),
            _ => Some(PathBuf::from(text)),
        }
    }

    fn variable(&self, name: &str) -> Option<String> {
        (self.env)(name).filter(|value| !value.is_empty())
    }
}

fn below(base: PathBuf, rest: &str) -> PathBuf {
    match rest.trim_start_matches('/') {
        "" => base,
        rest => base.join(rest),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    pub(super) fn agent(id: &str) -> &'static Agent {
        agents().iter().find(|agent| agent.id == id).unwrap()
    }

    fn expand(text: &str, home: &str, variables: &[(&str, &str)]) -> Option<PathBuf> {
        let env = |name: &str| variables.iter().find(|(n, _)| *n == name).map(|(_, value)| (*value).to_owned());
        Places { home: Some(Path::new(home)), env: &env }.expand(text)
    }

    #[test]
    fn every_row_of_the_table_is_read_and_ids_are_unique() {
        let mut ids: Vec<_> = agents().iter().map(|agent| &agent.id).collect();
        assert_eq!(ids.len(), include_str!("agents.toml").matches("\n[[agent]]").count());
        ids.sort();
        ids.dedup();
        assert_eq!(ids.len(), agents().len());
    }

    #[test]
    fn variables_with_a_value_win_over_their_default() {
        let claude = "${CLAUDE_CONFIG_DIR:-~/.claude}/skills";
        assert_eq!(expand(claude, "/h", &[]).unwrap(), Path::new("/h/.claude/skills"));
        assert_eq!(expand(claude, "/h", &[("CLAUDE_CONFIG_DIR", "")]).unwrap(), Path::new("/h/.claude/skills"));
        assert_eq!(expand(claude, "/h", &[("CLAUDE_CONFIG_DIR", "/c")]).unwrap(), Path::new("/c/skills"));
        assert_eq!(expand("$CRUSH_SKILLS_DIR", "/h", &[("CRUSH_SKILLS_DIR", "/x/y")]).unwrap(), Path::new("/x/y"));
    }

    #[test]
    fn what_cannot_be_told_is_no_path() {
        assert_eq!(expand("${APPDATA}/Zed", "/h", &[]), None);
        assert_eq!(expand("${CLAUDE_CONFIG_DIR:-~/.claude}/skills", "/h", &[("CLAUDE_CONFIG_DIR", "relative")]), None);
        let places = Places { home: None, env: &|_| None };
        assert_eq!(places.expand("~/.claude/skills"), None);
    }

    #[test]
    fn words_in_the_table_are_not_taken_for_directories() {
        let claude = agent("claude-code");
        assert_eq!(claude.project_directories().collect::<Vec<_>>(), [".claude/skills"]);
        let windsurf = agent("windsurf");
        assert_eq!(
            windsurf.project_directories().collect::<Vec<_>>(),
            [".windsurf/skills", ".agents/skills", ".claude/skills"]
        );
        for agent in agents() {
            for dir in agent.project_directories().chain(agent.user_directories()) {
                assert!(!dir.contains([' ', '<', '*', '(']), "{}: {dir}", agent.id);
            }
        }
    }

    #[test]
    fn the_agents_of_a_directory_are_all_that_read_it() {
        let ids: Vec<_> = agents_reading(".claude/skills/").iter().map(|agent| agent.id.as_str()).collect();
        for id in ["claude-code", "cline", "cursor", "opencode"] {
            assert!(ids.contains(&id), "{id}");
        }
        assert!(agents_reading(SHARED).len() >= 28);
        assert!(agents_reading("no/such").is_empty());
    }

    #[test]
    fn the_order_in_which_agents_read_is_their_own() {
        let places = Places { home: Some(Path::new("/h")), env: &|_| None };
        let order = |id: &str| -> Vec<String> {
            let order = agent(id).reading_order(Some(Path::new("/p")), &places);
            order.iter().map(|read| read.path.display().to_string()).collect()
        };
        assert_eq!(order("claude-code"), ["/h/.claude/skills", "/p/.claude/skills"]);
        assert_eq!(order("openclaw")[..3], ["/p/skills", "/p/.agents/skills", "/h/.agents/skills"]);
        assert_eq!(order("zed"), ["/p/.agents/skills", "/h/.agents/skills"]);
        assert_eq!(order("pi")[..3], ["/h/.pi/agent/skills", "/p/.pi/skills", "/h/.agents/skills"]);
        assert_eq!(order("goose")[..2], ["/p/.goose/skills", "/p/.agents/skills"]);
    }

    #[test]
    fn signs_of_an_agent_lie_in_the_project_or_with_the_user() {
        let places = Places { home: Some(Path::new("/h")), env: &|_| None };
        let signs = agent("kodelet").signs(Path::new("/p"), &places);
        assert_eq!(signs, [Path::new("/h/.kodelet"), Path::new("/p/.kodelet")]);
    }
}
