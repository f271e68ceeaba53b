//! The agents of this machine: those of the table, with their settings, and those that only
//! settings define.
//!
//! | file | what |
//! |---|---|
//! | `usage.rs` | which agents are in use, and by what evidence |
//! | `status.rs` | which of them see the installed skills |
//! | `detection.rs` | which of them a new project gets as targets |
//! | `visibility.rs` | which of them see each skill, and why one does not |
//! | `change.rs` | `agents add` and `agents remove` |
//! | `moved_directory.rs` | a user's directory that an agent's own configuration moves |

mod change;
mod detection;
mod moved_directory;
mod status;
mod usage;
mod visibility;

use std::path::Path;

use super::CommandContext;
pub(crate) use change::refuse_member;
pub use change::{AgentChange, AgentChangeOptions, AgentChangeReport, change_targets};
pub use detection::{AgentChooser, DetectedTarget, TargetProposal, choose_all};
pub(crate) use detection::{DetectedManifest, detect_targets};
pub(super) use moved_directory::moved_directories;
use moved_directory::moved_directory;
use skillpm_catalog::catalog::budget::ListingLimit;
use skillpm_core::error::{Error, Result};
use skillpm_core::package::RelPath;
use skillpm_core::report::ProgressEvent;
use skillpm_registry::install::target::{self, AgentSpec, UserEnvironment};
pub use status::{
    AgentLabel, AgentStatus, ListedAgents, agent_statuses, all_statuses, list_agents,
};
pub(crate) use status::{directories_to, own_directory, read_directories, why_unwritable};
pub use usage::{AgentInUse, UsageEvidence, in_use};
pub use visibility::{AgentVisibility, SkillReach, SkillVisibility, UnseeingAgent, UnseenReason};

/// The agent with this id.
///
/// # Errors
/// If neither the table nor a setting has it (the nearest name is suggested), or a setting of it
/// is invalid.
pub fn required_agent(context: &CommandContext<'_>, id: &str) -> Result<AgentSpec> {
    let help =
        format!("set the directory it reads: `skillpm config set agents.{id}.project-dir DIR`");
    find_agent(context, id)?.ok_or_else(|| unknown_agent_error(context, id, &[], help))
}

/// All agents: those of the table, then those of the settings.
#[must_use]
pub fn known_agents(context: &CommandContext<'_>) -> Vec<AgentLabel> {
    let table = target::all_agents().iter().map(AgentLabel::from_agent);
    let configured = context.config.configured_agents().into_iter();
    let mut agents: Vec<AgentLabel> = table.collect();
    agents.extend(configured.map(|id| AgentLabel {
        name: id.clone(),
        id,
    }));
    agents
}

/// The error for an unknown agent: suggests the nearest of the table, the settings and `further`,
/// or else has `help`.
pub(super) fn unknown_agent_error(
    context: &CommandContext<'_>,
    id: &str,
    further: &[&str],
    help: String,
) -> Error {
    let configured = context.config.configured_agents();
    let table = target::all_agents().iter().map(|agent| agent.id.as_str());
    let names = table
        .chain(configured.iter().map(String::as_str))
        .chain(further.iter().copied());

    let error = Error::usage(format!("unknown agent `{}`", id.escape_debug()));
    error
        .help_nearest(id, names, help)
        .help("`skillpm agents list --all` lists all agents")
}

/// The agent with this id; `None` if neither the table nor a setting has it.
///
/// # Errors
/// If a setting of it is invalid, or its own configuration is, where that moves its directory.
pub fn find_agent(context: &CommandContext<'_>, id: &str) -> Result<Option<AgentSpec>> {
    let row = target::all_agents()
        .iter()
        .find(|agent| agent.id == id)
        .cloned()
        .map(|agent| move_by_variable(context, agent))
        .transpose()?
        .map(|agent| move_by_configuration(context, agent))
        .transpose()?;
    let is_configured = context
        .config
        .configured_agents()
        .iter()
        .any(|known| known == id);

    match row {
        Some(agent) if !is_configured => Ok(Some(agent)),
        None if !is_configured => Ok(None),
        // Settings override a known agent key by key, or define one that the table does not have.
        row => {
            let setting = |key: &str| context.config.string(&format!("agents.{id}.{key}"));
            let agent = row
                .unwrap_or_else(|| AgentSpec::new(id))
                .with_settings(&setting);
            agent
                .map(Some)
                .map_err(|error| note_setting_origin(context, id, error))
        }
    }
}

/// Moves the project directory of an agent to where its own variable says, as Devai's `SKILLS_DIR`.
///
/// # Errors
/// If the variable leads out of the project by `..`.
fn move_by_variable(context: &CommandContext<'_>, mut agent: AgentSpec) -> Result<AgentSpec> {
    // The variables of the others move their directory of the user, and are in its path.
    let Some((variable, dir)) = project_variable(context, &agent) else {
        return Ok(agent);
    };

    let path = dir.trim_start_matches("./").trim_end_matches('/');
    if !Path::new(path).is_absolute() && path.parse::<RelPath>().is_err() {
        return Err(Error::usage(format!(
            "invalid value `{}` for `{variable}`",
            dir.escape_debug()
        ))
        .note(format!("{} reads its skills there", agent.display_name))
        .help("set a directory inside the project, or an absolute path"));
    }
    agent.project_dir = Some(path.to_owned());
    Ok(agent)
}

/// Moves the user's directory of an agent to where its own configuration says, as Pickle-bot's `skills_path`.
///
/// # Errors
/// If the configuration cannot be read, or is invalid.
fn move_by_configuration(context: &CommandContext<'_>, agent: AgentSpec) -> Result<AgentSpec> {
    let key = format!("agents.{}.user-dir", agent.id);
    // The setting overrides it.
    if context.config.string(&key).is_some() {
        return Ok(agent);
    }

    match moved_directory(context, &agent.id)? {
        Some(path) => agent.with_settings(&|key| (key == "user-dir").then(|| path.clone())),
        None => Ok(agent),
    }
}

/// An agent that is found on this machine, and that no one chose. If its own configuration is invalid, a warning says so,
/// and its directories are those of the table.
///
/// # Errors
/// As for [`required_agent`], its own configuration excepted.
fn detected_agent(context: &CommandContext<'_>, id: &str) -> Result<AgentSpec> {
    let agent = required_agent(context, id);
    if agent.is_err()
        && let Some(row) = target::all_agents().iter().find(|row| row.id == id)
        && let Err(error) = moved_directory(context, id)
    {
        context.reporter.report(ProgressEvent::Warning {
            message: unknown_listing(row, &error),
            help: error.helps().first().cloned(),
        });
        return Ok(row.clone());
    }
    agent
}

/// Why it is not known what an agent sees.
pub(crate) fn unknown_listing(agent: &AgentSpec, error: &Error) -> String {
    format!(
        "cannot find out which skills {} sees: {}",
        agent.display_name,
        error.in_one_line()
    )
}

/// What to do about a file that the agent cannot read either.
pub(super) fn fix_help(shown: &str) -> String {
    format!("fix `{shown}`: the agent cannot read it either")
}

/// The variable that moves an agent's project directory, with its value; `None` if it is not set.
fn project_variable(context: &CommandContext<'_>, agent: &AgentSpec) -> Option<(String, String)> {
    if agent.global_dir.is_some() {
        return None;
    }
    agent.env_override.iter().find_map(|name| {
        let value = (context.env_var)(name).filter(|value| !value.is_empty())?;
        Some((name.clone(), value))
    })
}

/// Adds the files that set an agent's settings to an error about them.
fn note_setting_origin(context: &CommandContext<'_>, id: &str, error: Error) -> Error {
    let keys = context.config.all_values();
    let mut origins: Vec<_> = keys
        .iter()
        .filter(|(key, _)| key.starts_with(&format!("agents.{id}.")))
        .collect();
    // Only the setting that the error names, not every setting of the agent.
    origins.retain(|(key, _)| error.message().contains(key.as_str()));

    origins.into_iter().fold(error, |error, (_, set)| {
        error.note(format!("it is set in {}", set.origin))
    })
}

/// The limit of an agent's listing: from settings, else the agent's known limit.
#[must_use]
pub fn listing_limit(context: &CommandContext<'_>, id: &str) -> ListingLimit {
    limit_over(context, id, ListingLimit::for_agent(id))
}

/// A limit of an agent's listing, with what settings have in place of it.
pub(super) fn limit_over(
    context: &CommandContext<'_>,
    id: &str,
    known: ListingLimit,
) -> ListingLimit {
    let number = |key: &str| {
        let text = context.config.string(&format!("agents.{id}.{key}"))?;
        // A value that is not a number counts as unset.
        text.parse().ok()
    };
    ListingLimit {
        skills: number("max-skills").or(known.skills),
        characters: number("max-characters").or(known.characters),
        description: number("max-description").or(known.description),
        ..known
    }
}

/// The home directory and variables that `~` and `$NAME` in paths expand to.
pub(super) fn path_expansion<'c>(context: &'c CommandContext<'_>) -> UserEnvironment<'c> {
    UserEnvironment {
        home: Some(&context.dirs.home),
        env: context.env_var,
    }
}
