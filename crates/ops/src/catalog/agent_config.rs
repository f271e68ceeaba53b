//! Where agents keep their own configuration of skills, and reading it.

use std::path::Path;

use super::super::CommandContext;
use skillpm_catalog::catalog::{AgentSettings, ConfigLayer};
use skillpm_core::error::Result;
use skillpm_io::disk;
use skillpm_registry::install::target::AgentSpec;

/// The files of an agent's configuration.
struct ConfigFiles {
    agent: &'static str,
    /// The user's.
    of_user: &'static str,
    /// The project's, which goes above the user's key by key.
    in_project: Option<&'static str>,
}

/// The configuration files that skillpm reads.
const CONFIG_FILES: [ConfigFiles; 2] = [
    ConfigFiles {
        agent: "openclaw",
        of_user: "~/.openclaw/openclaw.json",
        in_project: None,
    },
    // Kodelet's release notes: the repository's file "merges on top, overriding only specified settings".
    ConfigFiles {
        agent: "kodelet",
        of_user: "~/.kodelet/config.yaml",
        in_project: Some("kodelet-config.yaml"),
    },
];

/// Reads the agent's own configuration; `None` if its files are unknown or do not exist.
///
/// # Errors
/// If a file cannot be read, or is invalid.
pub(super) fn read_agent_settings(
    context: &CommandContext<'_>,
    root: &Path,
    agent: &AgentSpec,
) -> Result<Option<AgentSettings>> {
    let known = CONFIG_FILES.iter().find(|files| files.agent == agent.id);

    // A setting overrides the table, and is then the only file.
    let own = context
        .config
        .string(&format!("agents.{}.config-file", agent.id));
    let in_project = known
        .filter(|_| own.is_none())
        .and_then(|files| files.in_project);
    let of_user = own.or_else(|| known.map(|files| files.of_user.to_owned()));

    // Without the files the agent uses its defaults, which is normal.
    let mut layers = Vec::new();
    if let Some(file) = of_user {
        let text = disk::read_text(&context.expand_path(&file))?;
        layers.extend(text.map(|text| ConfigLayer { file, text }));
    }
    if let Some(file) = in_project {
        let text = disk::read_text(&root.join(file))?;
        let file = file.to_owned();
        layers.extend(text.map(|text| ConfigLayer { file, text }));
    }

    if layers.is_empty() {
        return Ok(None);
    }
    AgentSettings::parse_layers(&layers, &agent.id).map(Some)
}
