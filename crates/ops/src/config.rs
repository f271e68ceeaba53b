//! `config`: reads, lists and changes settings.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::CommandContext;
use skillpm_core::error::{Error, Result};
use skillpm_io::disk;
use skillpm_registry::config::{self, SettingValue};
use skillpm_registry::workspace::WorkspaceKind;

/// Reads the value of a setting, with its origin.
///
/// # Errors
/// If the setting is unknown or has no value.
pub fn get(context: &CommandContext<'_>, key: &str) -> Result<SettingValue> {
    context.config.get(key)?.ok_or_else(|| {
        Error::negative(format!("config value `{key}` is not set"))
            .help(format!("`skillpm config set {key} VALUE` sets it"))
    })
}

/// Lists all settings that have a value.
#[must_use]
pub fn list(context: &CommandContext<'_>) -> BTreeMap<String, SettingValue> {
    context.config.all_values()
}

/// Sets a value in the user's file, or in the project's; returns the file.
///
/// # Errors
/// If the setting is unknown, the value is of the wrong type, or on an I/O error.
pub fn set(
    context: &CommandContext<'_>,
    key: &str,
    value: &str,
    in_project: bool,
) -> Result<PathBuf> {
    let path = if in_project {
        let root = match context.reported_project()? {
            Some(workspace) => workspace.root,
            // The error of the search names the directories.
            None => {
                return Err(context
                    .find_workspace(WorkspaceKind::Project)
                    .err()
                    .unwrap_or_else(|| Error::internal("no project")));
            }
        };
        let path = root.join(".skillpm/config.toml");
        // A project's settings come with a clone and must not weaken the user's protection.
        config::check_project_key(&path, key)?;
        path
    } else {
        context.dirs.skillpm_home.join("config.toml")
    };

    // The text is edited, not rewritten: comments and the order of keys stay.
    let text = disk::read_text(&path)?.unwrap_or_default();
    let new = config::set_value(&text, key, value)
        .map_err(|error| error.note(format!("in `{}`", path.display())))?;
    disk::write_atomic(&path, new.as_bytes())?;
    Ok(path)
}
