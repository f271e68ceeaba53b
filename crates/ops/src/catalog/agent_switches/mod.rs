//! The switches that an agent's own configuration and variables have for skills: which are off, which further directories
//! are read, and how long its list may be.
//!
//! | agent | files | variables |
//! |---|---|---|
//! | Claude Code | `settings.json` of the user, the project's, `settings.local.json` | `SLASH_COMMAND_TOOL_CHAR_BUDGET` |
//! | Codex | `~/.codex/config.toml` | |
//! | Gemini CLI | `.gemini/settings.json` of the user and of the project | `GEMINI_CLI_TRUST_WORKSPACE` |
//! | OpenClaw | `~/.openclaw/openclaw.json` | `OPENCLAW_BUNDLED_SKILLS_DIR` |
//! | `OpenCode` | `opencode.json` of the user, and from the root of the repository down | `OPENCODE_DISABLE_…` |
//! | pi | `settings.json` in `~/.pi/agent` and `.pi` | |

mod claude_code;
mod codex;
mod gemini_cli;
mod openclaw;
mod opencode;
mod pi;

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::super::{CommandContext, agents};
use super::project_directories::ProjectDirectories;
use skillpm_catalog::catalog::{
    ConfigLayer, SkillFilter, SwitchOutcome, SwitchRule, SwitchSubject, Tier,
};
use skillpm_catalog::loaders::SearchRules;
use skillpm_core::error::Result;
use skillpm_io::disk;

/// The switches of one agent.
#[derive(Debug, Default)]
pub(super) struct AgentSwitches {
    /// For single skills; of those about a skill the last counts.
    pub(super) rules: Vec<SwitchRule>,
    /// Whether there are skills at all.
    pub(super) filter: Option<SkillFilter>,
    /// Further directories, those with precedence first.
    pub(super) roots: Vec<FurtherRoot>,
    /// Directories that are not read.
    pub(super) unread: Vec<UnreadRoots>,
    /// Real directories that links may lead into.
    pub(super) link_targets: Vec<PathBuf>,
    /// Files that are not read.
    pub(super) excluded: Vec<pi::FileOverrides>,
    /// The limits of its list that the configuration sets.
    pub(super) limits: SwitchedLimits,
}

/// A directory that only the configuration names.
#[derive(Debug)]
pub(super) struct FurtherRoot {
    pub(super) path: PathBuf,
    pub(super) tier: Tier,
    pub(super) label: &'static str,
    pub(super) rules: SearchRules,
    /// Where it is in the order of precedence.
    pub(super) place: RootPlace,
}

/// Where a further directory is in the order of precedence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RootPlace {
    /// Before all others.
    First,
    /// Between the project's and the user's.
    BetweenTiers,
    /// Behind all others.
    Last,
}

/// Directories that are not read, and why.
#[derive(Debug)]
pub(super) struct UnreadRoots {
    pub(super) which: UnreadKind,
    pub(super) because: String,
}

/// Which directories are not read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum UnreadKind {
    /// Those of the project.
    Project,
    /// Those whose paths have this in them.
    Containing(&'static str),
}

/// The limits of a list, where the configuration sets them.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct SwitchedLimits {
    pub(super) skills: Option<usize>,
    pub(super) characters: Option<usize>,
    pub(super) description: Option<usize>,
    /// Whether the agent's own skills are not in its list, and take no room.
    pub(super) lists_no_own_skills: bool,
}

/// Reads the switches of an agent; those of one whose files are not known are empty.
///
/// # Errors
/// If a file cannot be read, or is invalid.
pub(super) fn read_switches(
    context: &CommandContext<'_>,
    project: &ProjectDirectories,
    agent: &str,
) -> Result<AgentSwitches> {
    let files = SwitchFiles { context, project };
    match agent {
        "claude-code" => claude_code::read(&files),
        "codex" => codex::read(&files),
        "gemini-cli" => gemini_cli::read(&files),
        "openclaw" => openclaw::read(&files),
        "opencode" => opencode::read(&files),
        "pi" => pi::read(&files),
        _ => Ok(AgentSwitches::default()),
    }
}

/// Where the files of a configuration are.
struct SwitchFiles<'a> {
    context: &'a CommandContext<'a>,
    project: &'a ProjectDirectories,
}

/// A file of a configuration.
struct SwitchFile {
    /// Its name for reasons.
    shown: String,
    value: Value,
    /// The directory that it is in.
    dir: PathBuf,
}

impl SwitchFiles<'_> {
    /// The file of the user; `None` if there is none. `path` begins with `~` or a variable.
    fn of_user(&self, path: &str) -> Result<Option<SwitchFile>> {
        match agents::path_expansion(self.context).expand(path) {
            Some(file) => read_switch_file(&file, self.shown_path(&file)),
            None => Ok(None),
        }
    }

    /// The file of the nearest directory of the project; `None` if there is none.
    fn in_project(&self, path: &str) -> Result<Option<SwitchFile>> {
        read_switch_file(&self.project.nearest.join(path), path.to_owned())
    }

    /// The files of that name in the directories of the project, from the topmost to the nearest.
    fn down_the_project(&self, path: &str) -> Result<Vec<SwitchFile>> {
        let mut files = Vec::new();
        for dir in self.project.all.iter().rev() {
            let file = dir.join(path);
            files.extend(read_switch_file(&file, self.shown_path(&file))?);
        }
        Ok(files)
    }

    /// A text of the user, with its name for reasons.
    fn text_of_user(&self, path: &str) -> Result<Option<(String, String)>> {
        let Some(file) = agents::path_expansion(self.context).expand(path) else {
            return Ok(None);
        };
        let shown = self.shown_path(&file);
        Ok(disk::read_text(&file)?.map(|text| (text, shown)))
    }

    /// A path as people write it.
    fn shown_path(&self, file: &Path) -> String {
        match file.strip_prefix(&self.context.dirs.home) {
            Ok(below) => format!("~/{}", below.display()),
            Err(_) => file.display().to_string(),
        }
    }

    /// The value of a variable that is set and not empty.
    fn variable(&self, name: &str) -> Option<String> {
        (self.context.env_var)(name).filter(|value| !value.is_empty())
    }

    /// Whether a variable is set to something that means yes.
    fn is_on(&self, name: &str) -> bool {
        self.variable(name)
            .is_some_and(|value| matches!(value.to_lowercase().as_str(), "1" | "true"))
    }

    /// The directory that a configuration names: `~` is the home, and a relative one is below `base`.
    fn resolve(&self, path: &str, base: &Path) -> PathBuf {
        let expanded = agents::path_expansion(self.context).expand(path);
        disk::normalize_path(&expanded.unwrap_or_else(|| base.join(path)))
    }
}

impl SwitchFile {
    /// Where a key of it is, for reasons.
    fn place(&self, key: &str) -> String {
        format!("`{}` (`{key}`)", self.shown)
    }

    fn strings(&self, pointer: &str) -> Vec<String> {
        let items = self.value.pointer(pointer).and_then(Value::as_array);
        items
            .into_iter()
            .flatten()
            .filter_map(|item| item.as_str().map(str::to_owned))
            .collect()
    }

    fn number(&self, pointer: &str) -> Option<usize> {
        usize::try_from(self.value.pointer(pointer)?.as_u64()?).ok()
    }
}

fn read_switch_file(file: &Path, shown: String) -> Result<Option<SwitchFile>> {
    let Some(text) = disk::read_text(file)? else {
        return Ok(None);
    };
    let layer = ConfigLayer { file: shown, text };
    Ok(Some(SwitchFile {
        value: layer.parse()?,
        shown: layer.file,
        dir: file.parent().unwrap_or(file).to_owned(),
    }))
}

/// A rule that hides the skills whose names fit a pattern.
fn hiding_rule(pattern: &str, set_by: String) -> SwitchRule {
    SwitchRule {
        subject: SwitchSubject::Pattern(pattern.to_owned()),
        outcome: SwitchOutcome::Hidden,
        set_by,
    }
}
