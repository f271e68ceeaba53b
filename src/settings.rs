//! Reads the layers of settings: the user's file, those of projects, the environment, flags.

use std::path::{Path, PathBuf};

use crate::config::Config;
use crate::error::Result;
use crate::io::disk;
use crate::ops::{BaseDirs, ownership};

/// The settings in these directories, below the environment's and the flags', which are `KEY=VALUE`.
///
/// # Errors
/// If a layer is invalid or cannot be read, or another user owns a project's file.
pub(crate) fn read_settings(
    dirs: &BaseDirs,
    variable: &dyn Fn(&str) -> Option<String>,
    flags: &[String],
) -> Result<Config> {
    let mut config = Config::new();
    let user = dirs.skillpm_home.join("config.toml");
    if let Some(text) = disk::read_text(&user)? {
        config.add_file(&user, &text)?;
    }

    // Only the user's own settings decide which projects' settings are read.
    let mut user_config = config.clone();
    add_user_layers(&mut user_config, variable, flags)?;
    let safe = user_config.list("safe.directories");

    for path in project_config_files(dirs, &user) {
        // As git's `safe.directory`: a file of another user must not steer this user's commands.
        if disk::lstat(&path)?.is_some() {
            ownership::check(&path, &safe, &dirs.home, variable)?;
        }
        if let Some(text) = disk::read_text(&path)? {
            config.add_project_file(&path, &text)?;
        }
    }

    add_user_layers(&mut config, variable, flags)?;
    Ok(config)
}

/// Refuses changes of `$SKILLPM_HOME` from now on, if this is root and another user owns it.
///
/// # Errors
/// If a setting of the environment or a flag is invalid, or the directory cannot be accessed.
pub(crate) fn protect_home(
    dirs: &BaseDirs,
    in_ci: bool,
    variable: &dyn Fn(&str) -> Option<String>,
    flags: &[String],
) -> Result<()> {
    // Not from the settings file, which is the other user's.
    let mut own = Config::new();
    add_user_layers(&mut own, variable, flags)?;
    let safe = own.list("safe.directories");
    if let Some(why) =
        ownership::refused_home(&dirs.skillpm_home, &safe, &dirs.home, in_ci, variable)?
    {
        disk::protect_directory(&dirs.skillpm_home, why);
    }
    Ok(())
}

/// Adds the two layers that go before every file, the flags last.
fn add_user_layers(
    config: &mut Config,
    variable: &dyn Fn(&str) -> Option<String>,
    flags: &[String],
) -> Result<()> {
    config.add_environment(variable)?;
    flags
        .iter()
        .try_for_each(|assignment| config.add_flag(assignment))
}

/// Where a project's settings may be, for this directory and those above it, the outermost first.
fn project_config_files(dirs: &BaseDirs, user: &Path) -> Vec<PathBuf> {
    let mut projects: Vec<PathBuf> = dirs
        .cwd
        .ancestors()
        .map(|dir| dir.join(".skillpm/config.toml"))
        .collect();

    // `.skillpm` in the home directory is the user's, never a project's; even if `SKILLPM_HOME`
    // is another directory.
    let at_home = dirs.home.join(".skillpm/config.toml");
    projects.retain(|path| path != user && *path != at_home);
    // Ancestors come nearest first, and layers are added lowest first.
    projects.reverse();
    projects
}
