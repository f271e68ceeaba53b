//! `config`: reads, lists and changes settings.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::CommandContext;
use skillpm_core::error::{Error, Result};
use skillpm_io::disk;
use skillpm_io::linked_file;
use skillpm_registry::config::{self, SettingValue};
use skillpm_registry::workspace::WorkspaceKind;

/// The name of a file of settings.
const FILE: &str = "config.toml";

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
    let (path, state_dir) = if in_project {
        let Some(workspace) = context.reported_project()? else {
            // The error of the search names the directories.
            return Err(context
                .find_workspace(WorkspaceKind::Project)
                .err()
                .unwrap_or_else(|| Error::internal("no project")));
        };
        let state_dir = context.state_dir(&workspace);
        let path = state_dir.path().join(FILE);
        // A project's settings come with a clone and must not weaken the user's protection.
        config::check_project_key(&path, key)?;
        (path, Some(state_dir))
    } else {
        (context.dirs.skillpm_home.join(FILE), None)
    };

    // The text is edited, not rewritten: comments and the order of keys stay.
    let text = disk::read_text(&path)?.unwrap_or_default();
    let new = config::set_value(&text, key, value)
        .map_err(|error| error.note(format!("in `{}`", path.display())))?;
    match state_dir {
        Some(dir) => dir.write(FILE, new.as_bytes())?,
        None => disk::write_atomic(&linked_file::follow_link(&path)?, new.as_bytes())?,
    }
    Ok(path)
}
