//! How published agents find skills: their directories, how they search them, and what they show of what they find.
//!
//! Each row of [`LOADERS`] is one agent, written from what the published program does with the trees of
//! `tests/fixtures/agents/trees.jsonl`; `docs/agents.md` says which version of it was asked, and how. How an agent reads
//! the text of a file is the business of `skillpm_lint::agents`, which is passed in as [`FileReader`].
//!
//! ```text
//! AgentLoader ──roots──▶ [SearchRoot] ──discover_as_agent(FileReader)──▶ DiscoveredSkills
//! ```

mod claude_code;
mod codex;
mod collation;
mod discover;
mod listing;
mod openclaw;
mod order;
mod readings;
mod search;
mod table;

pub use discover::{FileReader, FileVerdict, SearchRoot, discover_as_agent};
pub use listing::{CutRule, ListRoom};
pub use search::{LinkPolicy, SearchRules, ShownPath};
pub use table::LOADERS;

use crate::catalog::DuplicatePolicy;

/// How one agent finds skills, and what it shows of them.
#[derive(Debug)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a habit of its own, and agents differ in every one"
)]
pub struct AgentLoader {
    /// The agent's id.
    pub agent: &'static str,
    /// Its directories; of two skills of one name the one in the first of them is used.
    pub roots: &'static [LoaderRoot],
    /// How it searches a directory that only settings name.
    pub search: SearchRules,
    /// Where its directories of a project are looked for.
    pub project: ProjectScope,
    /// What it does with two skills of one name.
    pub duplicates: DuplicatePolicy,
    /// Which of two skills of one name in one directory it uses.
    pub same_root: SameRootRule,
    /// Whether a file that two paths lead to is one skill, that of the first path.
    pub once_per_file: bool,
    /// Whether copies in two directories are read side by side, so that it may use any of them.
    pub races: bool,
    /// The order of its own list; `None` where it is not the same on every machine.
    pub order: Option<ListingOrder>,
    /// How it shortens a list that is too long.
    pub cut: CutRule,
    /// Whether it knows OpenClaw's requirements: systems, programs, variables, settings.
    pub knows_gates: bool,
    /// Whether its list has the frontmatter's name behind that of the directory, where they differ.
    pub shows_both_names: bool,
    /// Whether its list leaves out what has no description.
    pub needs_description: bool,
    /// Whether it knows `paths`: the files of which one must be worked on.
    pub knows_paths: bool,
    /// Whether its list has the path of each skill.
    pub shows_paths: bool,
    /// What it does with `disable-model-invocation`.
    pub invocation: InvocationRule,
    /// Which `agents/openai.yaml` it takes for its own; `None` if it ignores that file.
    pub product: Option<&'static str>,
}

/// A directory of an agent.
#[derive(Debug, Clone, Copy)]
pub struct LoaderRoot {
    /// Below the project, or with `~` or a variable at its beginning.
    pub path: &'static str,
    /// Whether the directory of that name in each directory above is read as well, the nearest first.
    pub climbs: bool,
    /// How it is searched.
    pub search: SearchRules,
}

/// Which directory is the project for an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProjectScope {
    /// The current directory, and above it those up to the root of the git repository.
    Repository,
    /// The same; without a repository, all directories above.
    RepositoryOrAll,
    /// The same; without a repository, those above that are not the home.
    RepositoryOrBelowHome,
    /// The root of the project: it has a workspace of its own, whatever the current directory is.
    Workspace,
}

/// What an agent does with `disable-model-invocation`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InvocationRule {
    /// It does not know it.
    Ignored,
    /// It keeps the skill from the model.
    Known,
    /// The same, for the plain `true` alone; its verdict on the file says so.
    OnlyTrue,
}

/// Which of two skills of one name in one directory is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SameRootRule {
    /// The first.
    FirstWins,
    /// The last.
    LastWins,
}

/// The order of an agent's own list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ListingOrder {
    /// As they were found: by directory, then by path.
    Found,
    /// By directory, then by name as `localeCompare` of JavaScript sorts.
    FoundCollated,
    /// By name, as `localeCompare` of JavaScript sorts.
    Collated,
    /// By the bytes of the name.
    ByName,
    /// By scope, then by name, then by path: what comes with the agent, the machine's, the project's, the user's.
    ScopeAndName,
}

/// The loader of the agent with this id; `None` for an agent whose loader is not modeled.
#[must_use]
pub fn find_loader(agent: &str) -> Option<&'static AgentLoader> {
    LOADERS.iter().find(|loader| loader.agent == agent)
}
