//! `config`: reads, lists and changes settings.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::CommandContext;
use skillpm_core::error::{Error, Result};
use skillpm_io::disk;
use skillpm_io::linked_file;
use skillpm_registry::config::{self, SettingValue};
use skillpm_registry::install::state_dir::StateDir;
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
    let file = SettingsFile::find(context, in_project)?;
    if in_project {
        // A project's settings come with a clone and must not weaken the user's protection.
        config::check_project_key(&file.path, key)?;
    }

    let text = file.read()?;
    let new = config::set_value(&text, key, value).map_err(|error| file.note(error))?;
    file.write(&new)?;
    Ok(file.path)
}

/// Removes a value from the user's file, or from the project's; returns the file.
///
/// # Errors
/// If the setting is unknown or not set in that file, or on an I/O error.
pub fn unset(context: &CommandContext<'_>, key: &str, in_project: bool) -> Result<PathBuf> {
    let file = SettingsFile::find(context, in_project)?;
    let text = file.read()?;
    if !config::sets_value(&text, key).map_err(|error| file.note(error))? {
        return Err(not_set_error(context, key, &file.path, in_project)?);
    }

    let new = config::unset_value(&text, key).map_err(|error| file.note(error))?;
    file.write(&new)?;
    Ok(file.path)
}

/// The error for a setting that the file does not set; the help is about where it is set.
fn not_set_error(
    context: &CommandContext<'_>,
    key: &str,
    path: &Path,
    in_project: bool,
) -> Result<Error> {
    let error = Error::negative(format!(
        "config value `{key}` is not set in `{}`",
        path.display()
    ));

    let other = SettingsFile::find(context, !in_project).ok();
    let is_in_other = match &other {
        Some(file) => config::sets_value(&file.read()?, key).unwrap_or(false),
        None => false,
    };
    Ok(match (is_in_other, in_project) {
        (true, false) => error.help(format!("run `skillpm config unset --project {key}`")),
        (true, true) => error.help(format!("run `skillpm config unset {key}`")),
        _ => error.help("`skillpm config list` shows where each setting is set"),
    })
}

/// A file of settings that a command may write.
struct SettingsFile {
    path: PathBuf,
    /// The state directory of a project's file.
    state_dir: Option<StateDir>,
}

impl SettingsFile {
    fn find(context: &CommandContext<'_>, in_project: bool) -> Result<Self> {
        if !in_project {
            return Ok(SettingsFile {
                path: context.dirs.skillpm_home.join(FILE),
                state_dir: None,
            });
        }

        let Some(workspace) = context.reported_project()? else {
            // The error of the search names the directories.
            return Err(context
                .find_workspace(WorkspaceKind::Project)
                .err()
                .unwrap_or_else(|| Error::internal("no project")));
        };
        let state_dir = context.state_dir(&workspace);
        Ok(SettingsFile {
            path: state_dir.path().join(FILE),
            state_dir: Some(state_dir),
        })
    }

    fn read(&self) -> Result<String> {
        Ok(disk::read_text(&self.path)?.unwrap_or_default())
    }

    /// Writes an edited text: comments and the order of keys stay.
    fn write(&self, text: &str) -> Result<()> {
        match &self.state_dir {
            Some(dir) => dir.write(FILE, text.as_bytes()),
            None => disk::write_atomic(&linked_file::follow_link(&self.path)?, text.as_bytes()),
        }
    }

    fn note(&self, error: Error) -> Error {
        error.note(format!("in `{}`", self.path.display()))
    }
}
