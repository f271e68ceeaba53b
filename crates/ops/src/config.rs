//! `config`: settings, where they come from, and changing them.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::Context;
use crate::config::{self, Set};
use crate::error::{Error, Result};
use crate::io::disk;
use crate::workspace::Sort;

/// The value of a setting and where it was set.
///
/// # Errors
/// If there is no such setting, or it has no value.
pub fn get(context: &Context<'_>, key: &str) -> Result<Set> {
    context.config.get(key)?.ok_or_else(|| {
        Error::negative(format!("`{key}` is not set")).help(format!("`skillpm config set {key} VALUE` sets it"))
    })
}

/// All settings that have a value.
#[must_use]
pub fn list(context: &Context<'_>) -> BTreeMap<String, Set> {
    context.config.all()
}

/// Sets a value in the user's file, or in the project's; gives the file.
///
/// # Errors
/// If there is no such setting, the value is of the wrong type, or the disk refuses.
pub fn set(context: &Context<'_>, key: &str, value: &str, in_project: bool) -> Result<PathBuf> {
    let path = if in_project {
        let root = match context.project()? {
            Some(workspace) => workspace.root,
            None => {
                return Err(context
                    .find_workspace(Sort::Project)
                    .err()
                    .unwrap_or_else(|| Error::internal("no project")));
            }
        };
        let path = root.join(".skillpm/config.toml");
        config::check_project(&path, key)?;
        path
    } else {
        context.places.skillpm.join("config.toml")
    };
    let text = disk::read_text(&path)?.unwrap_or_default();
    let new =
        config::edit(&text, key, value).map_err(|error| error.note(format!("the file is `{}`", path.display())))?;
    disk::write_atomic(&path, new.as_bytes())?;
    Ok(path)
}
