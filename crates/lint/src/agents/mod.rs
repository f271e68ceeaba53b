//! What each agent makes of a `SKILL.md`: small models of their loaders.
//!
//! Agents differ in where they see a frontmatter, in their YAML parsers, in what they do when those fail, and in what
//! they want of `name` and `description`. Each model is written from what the published program was seen to do with
//! the files in `tests/fixtures/agents/cases.jsonl`, and is held against what it did (`verdicts.json` beside it;
//! `docs/agents.md` says how they were recorded, and where a model is known to be coarser than its agent).
//!
//! | agent | program | frontmatter ends at | when the YAML fails |
//! |---|---|---|---|
//! | Claude Code | `@anthropic-ai/claude-code` 2.1.330 | the next `---`, wherever that stands | quotes values and tries again; then lists it under its directory's name with the first line of its text |
//! | Codex | `@openai/codex` 0.169.0 | a line that is `---` but for blanks | quotes values that hold `: ` or begin with brackets, `@` or a backtick, and tries again; then drops it |
//! | Gemini CLI | `@google/gemini-cli-core` 0.61.0 | a line that begins with `---` | looks for lines `name:` and `description:` |
//! | `npx skills` | `skills` 1.7.4 | a line that begins with `---` | drops it |
//! | OpenClaw | `openclaw` 2026.9.6 | a line that is `---` | quotes the description and tries again; then drops it |
//! | OpenCode | `opencode-ai` 1.18.33 | a line that begins with `---` | makes blocks of values with a colon, and tries again; then drops it |

mod claude_code;
mod codex;
mod gemini_cli;
mod npx_skills;
mod openclaw;
mod opencode;
mod parse;

use std::fmt;
use std::str::FromStr;

use crate::error::{Error, Result};

/// An agent whose loader is modelled here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Agent {
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
}

impl Agent {
    /// All of them, by name.
    pub const ALL: [Agent; 6] =
        [Agent::ClaudeCode, Agent::Codex, Agent::GeminiCli, Agent::NpxSkills, Agent::OpenClaw, Agent::OpenCode];

    /// Its id, as in settings: `claude-code`.
    #[must_use]
    pub fn id(self) -> &'static str {
        match self {
            Agent::ClaudeCode => "claude-code",
            Agent::Codex => "codex",
            Agent::GeminiCli => "gemini-cli",
            Agent::NpxSkills => "npx-skills",
            Agent::OpenClaw => "openclaw",
            Agent::OpenCode => "opencode",
        }
    }

    /// What people call it.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            Agent::ClaudeCode => "Claude Code",
            Agent::Codex => "Codex",
            Agent::GeminiCli => "Gemini CLI",
            Agent::NpxSkills => "`npx skills`",
            Agent::OpenClaw => "OpenClaw",
            Agent::OpenCode => "OpenCode",
        }
    }
}

impl fmt::Display for Agent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.title())
    }
}

impl FromStr for Agent {
    type Err = Error;

    fn from_str(id: &str) -> Result<Self> {
        Agent::ALL.into_iter().find(|agent| agent.id() == id).ok_or_else(|| {
            let ids: Vec<&str> = Agent::ALL.iter().map(|agent| agent.id()).collect();
            Error::usage(format!("how the agent `{}` reads skills is not known", id.escape_debug()))
                .help(format!("one of {}", ids.join(", ")))
        })
    }
}

/// What an agent makes of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Loading {
    /// It lists the skill.
    Listed {
        /// The name it shows.
        name: String,
        /// The description it shows, on one line or as it is.
        description: String,
    },
    /// It lists the skill, but without anything of its frontmatter.
    Degraded {
        /// The name it shows: the directory's.
        name: String,
        /// The line of text that it shows in place of a description.
        description: String,
    },
    /// It passes it over, for this reason.
    Dropped(String),
}

/// What `agent` makes of the text of a `SKILL.md` that lies in a directory called `directory`.
#[must_use]
pub fn load(agent: Agent, source: &str, directory: &str) -> Loading {
    match agent {
        Agent::ClaudeCode => claude_code::load(source, directory),
        Agent::Codex => codex::load(source, directory),
        Agent::GeminiCli => gemini_cli::load(source),
        Agent::NpxSkills => npx_skills::load(source),
        Agent::OpenClaw => openclaw::load(source, directory),
        Agent::OpenCode => opencode::load(source),
    }
}

/// Which agents pass a skill over, or list it without its frontmatter; `None` if all of them list it as it is meant.
///
/// One sentence, as for a note: `Codex and `npx skills` drop this skill; the others list it`.
#[must_use]
pub fn who_breaks(source: &str, directory: &str) -> Option<String> {
    let (mut drop, mut degrade) = (Vec::new(), Vec::new());
    for agent in Agent::ALL {
        match load(agent, source, directory) {
            Loading::Listed { .. } => {}
            Loading::Degraded { .. } => degrade.push(agent),
            Loading::Dropped(_) => drop.push(agent),
        }
    }
    let verb = |agents: &[Agent], one: &str, many: &str| {
        format!("{} {}", named(agents), if agents.len() == 1 { one } else { many })
    };
    let mut parts = Vec::new();
    if !drop.is_empty() {
        parts.push(verb(&drop, "drops this skill", "drop this skill"));
    }
    if !degrade.is_empty() {
        parts.push(verb(&degrade, "lists it without its frontmatter", "list it without its frontmatter"));
    }
    if parts.is_empty() {
        return None;
    }
    if drop.len() + degrade.len() < Agent::ALL.len() {
        parts.push("the others read it".to_owned());
    }
    Some(parts.join("; "))
}

/// Names in a sentence: `a`, `a and b`, `a, b and c`.
#[must_use]
pub fn named(agents: &[Agent]) -> String {
    match agents {
        [] => String::new(),
        [one] => one.to_string(),
        [first @ .., last] => {
            let first: Vec<&str> = first.iter().map(|agent| agent.title()).collect();
            format!("{} and {last}", first.join(", "))
        }
    }
}

fn listed(name: impl Into<String>, description: impl Into<String>) -> Loading {
    Loading::Listed { name: name.into(), description: description.into() }
}

fn dropped(reason: impl Into<String>) -> Loading {
    Loading::Dropped(reason.into())
}

#[cfg(test)]
mod tests;
