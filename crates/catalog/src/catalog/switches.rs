//! Switches for single skills in an agent's own configuration.
//!
//! ```text
//! ~/.codex/config.toml       [[skills.config]] name = "pdf", enabled = false
//! .gemini/settings.json      {"skills": {"disabled": ["pdf"]}}
//! opencode.json              {"permission": {"skill": {"*": "deny", "pdf": "allow"}}}
//! .claude/settings.json      {"skillOverrides": {"pdf": "name-only"}}
//! ```

use std::path::PathBuf;

use super::glob::matches_glob;
use super::{SkillCandidate, SkillRoot};

/// One switch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SwitchRule {
    /// The skills that it is about.
    pub subject: SwitchSubject,
    /// What it does with them.
    pub outcome: SwitchOutcome,
    /// Where it is, for the reason: `` `~/.codex/config.toml` (`skills.config`) ``.
    pub set_by: String,
}

/// The skills that a switch is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SwitchSubject {
    /// Those whose name fits this pattern, in which `*` matches any characters.
    Pattern(String),
    /// Those with this name in any case.
    AnyCase(String),
    /// The one whose file this is.
    File(PathBuf),
}

/// What a switch does with a skill.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SwitchOutcome {
    /// It is listed.
    Listed,
    /// Its name is listed, and not its description.
    NameOnly,
    /// It is not listed.
    Hidden,
}

/// The rule that decides about a skill: the last that is about it.
pub(super) fn deciding_rule<'r>(
    rules: &'r [SwitchRule],
    candidate: &SkillCandidate,
    roots: &[SkillRoot],
) -> Option<&'r SwitchRule> {
    let is_about = |rule: &&SwitchRule| match &rule.subject {
        SwitchSubject::Pattern(pattern) => matches_glob(pattern, candidate.shown_name()),
        SwitchSubject::AnyCase(name) => {
            name.to_lowercase() == candidate.shown_name().to_lowercase()
        }
        SwitchSubject::File(path) => *path == candidate.location(roots),
    };
    rules.iter().rev().find(is_about)
}
