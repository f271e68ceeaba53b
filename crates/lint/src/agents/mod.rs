//! How each agent loads a `SKILL.md`: small models of their loaders.
//!
//! Agents differ in where they see a frontmatter, in their YAML parsers, in what they do when those fail, and in what
//! they require of `name` and `description`. Each model reproduces what the published program does with the files in
//! `tests/fixtures/agents/cases.jsonl`, and is tested against its recorded results (`verdicts.json` next to it;
//! `docs/agents.md` says how they were recorded, and where a model is known to be less precise than its agent).
//!
//! | agent | program | frontmatter ends at | when the YAML fails |
//! |---|---|---|---|
//! | Claude Code | `@anthropic-ai/claude-code` 2.1.330 | the next `---`, anywhere on its line | quotes values and tries again; then lists it under its directory's name with the first line of its text |
//! | Codex | `@openai/codex` 0.169.0 | a line that is `---` apart from whitespace | quotes values that contain `: ` or begin with brackets, `@` or a backtick, and tries again; then drops it |
//! | Gemini CLI | `@google/gemini-cli-core` 0.61.0 | a line that begins with `---` | looks for lines `name:` and `description:` |
//! | `npx skills` | `skills` 1.7.4 | a line that begins with `---` | drops it |
//! | OpenClaw | `openclaw` 2026.9.6 | a line that is `---` | quotes the description and tries again; then drops it |
//! | OpenCode | `opencode-ai` 1.18.33 | a line that begins with `---` | makes blocks of values with a colon, and tries again; then drops it |
//! | pi | `@mariozechner/pi-coding-agent` 0.73.1 | a line that begins with `---` | drops it |

mod claude_code;
mod codex;
mod gemini_cli;
mod npx_skills;
mod openclaw;
mod opencode;
mod parse;
mod pi;

use std::fmt;
use std::str::FromStr;

use skillpm_core::error::{Error, Result};

/// An agent whose loader is modeled here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AgentModel {
    /// Claude Code.
    ClaudeCode,
    /// Codex.
    Codex,
    /// Gemini CLI.
    GeminiCli,
    /// The installer `npx skills`, which puts skills where other agents look for them.
    NpxSkills,
    /// OpenClaw.
    OpenClaw,
    /// `OpenCode`.
    OpenCode,
    /// pi.
    Pi,
}

impl AgentModel {
    /// All of them, by name.
    pub const ALL: [AgentModel; 7] = [
        AgentModel::ClaudeCode,
        AgentModel::Codex,
        AgentModel::GeminiCli,
        AgentModel::NpxSkills,
        AgentModel::OpenClaw,
        AgentModel::OpenCode,
        AgentModel::Pi,
    ];

    /// Its id, as in settings: `claude-code`.
    #[must_use]
    pub fn id(self) -> &'static str {
        match self {
            AgentModel::ClaudeCode => "claude-code",
            AgentModel::Codex => "codex",
            AgentModel::GeminiCli => "gemini-cli",
            AgentModel::NpxSkills => "npx-skills",
            AgentModel::OpenClaw => "openclaw",
            AgentModel::OpenCode => "opencode",
            AgentModel::Pi => "pi",
        }
    }

    /// What people call it.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            AgentModel::ClaudeCode => "Claude Code",
            AgentModel::Codex => "Codex",
            AgentModel::GeminiCli => "Gemini CLI",
            AgentModel::NpxSkills => "`npx skills`",
            AgentModel::OpenClaw => "OpenClaw",
            AgentModel::OpenCode => "OpenCode",
            AgentModel::Pi => "pi",
        }
    }
}

impl fmt::Display for AgentModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.title())
    }
}

impl FromStr for AgentModel {
    type Err = Error;

    fn from_str(id: &str) -> Result<Self> {
        AgentModel::ALL
            .into_iter()
            .find(|agent| agent.id() == id)
            .ok_or_else(|| unknown_agent(id))
    }
}

fn unknown_agent(id: &str) -> Error {
    let ids: Vec<&str> = AgentModel::ALL.iter().map(|agent| agent.id()).collect();
    Error::usage(format!(
        "unknown agent `{}`: there is no model of how it loads skills",
        id.escape_debug()
    ))
    .help(format!("use one of {}", ids.join(", ")))
}

/// How an agent loads a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LoadOutcome {
    /// It lists the skill.
    Listed {
        /// The name it shows.
        name: String,
        /// The description it shows, on one line or as it is.
        description: String,
    },
    /// It lists the skill, but ignores its frontmatter.
    Degraded {
        /// The name it shows: the directory's.
        name: String,
        /// The line of text that it shows instead of a description.
        description: String,
    },
    /// It skips the skill, for this reason.
    Dropped(String),
}

/// Models how `agent` loads the text of a `SKILL.md` in a directory named `directory`.
#[must_use]
pub fn load(agent: AgentModel, source: &str, directory: &str) -> LoadOutcome {
    match agent {
        AgentModel::ClaudeCode => claude_code::load(source, directory),
        AgentModel::Codex => codex::load(source, directory),
        // Three of them never fall back to the directory's name.
        AgentModel::GeminiCli => gemini_cli::load(source),
        AgentModel::NpxSkills => npx_skills::load(source),
        AgentModel::OpenClaw => openclaw::load(source, directory),
        AgentModel::OpenCode => opencode::load(source),
        AgentModel::Pi => pi::load(source, directory),
    }
}

/// Models how Claude Code loads the text of a custom command, a page in `.claude/commands`, that it calls `name`.
#[must_use]
pub fn load_command(source: &str, name: &str) -> LoadOutcome {
    claude_code::load_command(source, name)
}

/// Lists the agents that skip a skill, or list it without its frontmatter; `None` if all of them list it as intended.
///
/// One sentence, as for a note: `Codex and `npx skills` drop this skill; the others read it`.
#[must_use]
pub fn broken_agents(source: &str, directory: &str) -> Option<String> {
    // In the order of `ALL`, so that the sentence is the same on each run.
    let (mut drop, mut degrade) = (Vec::new(), Vec::new());
    for agent in AgentModel::ALL {
        match load(agent, source, directory) {
            LoadOutcome::Listed { .. } => {}
            LoadOutcome::Degraded { .. } => degrade.push(agent),
            LoadOutcome::Dropped(_) => drop.push(agent),
        }
    }

    let mut parts = Vec::new();
    if !drop.is_empty() {
        let (one, many) = ("drops this skill", "drop this skill");
        parts.push(describe_agents(&drop, one, many));
    }
    if !degrade.is_empty() {
        parts.push(describe_agents(
            &degrade,
            "lists it without its frontmatter",
            "list it without its frontmatter",
        ));
    }

    if parts.is_empty() {
        return None;
    }

    // Without it a reader may think that no agent reads the file.
    if drop.len() + degrade.len() < AgentModel::ALL.len() {
        parts.push("the others read it".to_owned());
    }

    Some(parts.join("; "))
}

fn describe_agents(agents: &[AgentModel], one: &str, many: &str) -> String {
    let verb = if agents.len() == 1 { one } else { many };
    format!("{} {verb}", join_titles(agents))
}

/// The agents that list a skill, with its frontmatter or without it.
#[must_use]
pub fn listing_agents(source: &str, directory: &str) -> Vec<AgentModel> {
    let lists =
        |agent: &AgentModel| !matches!(load(*agent, source, directory), LoadOutcome::Dropped(_));
    AgentModel::ALL.into_iter().filter(lists).collect()
}

/// Joins names for a sentence: `a`, `a and b`, `a, b and c`.
#[must_use]
pub fn join_titles(agents: &[AgentModel]) -> String {
    match agents {
        [] => String::new(),
        [one] => one.to_string(),
        [first @ .., last] => {
            let first: Vec<&str> = first.iter().map(|agent| agent.title()).collect();
            format!("{} and {last}", first.join(", "))
        }
    }
}

fn loaded_as(name: impl Into<String>, description: impl Into<String>) -> LoadOutcome {
    LoadOutcome::Listed {
        name: name.into(),
        description: description.into(),
    }
}

fn dropped(reason: impl Into<String>) -> LoadOutcome {
    LoadOutcome::Dropped(reason.into())
}

#[cfg(test)]
mod tests;
