//! A user's directory of skills that the agent's own configuration moves.
//!
//! ```yaml
//! # ~/.pickle-bot/config.user.yaml
//! skills_path: /custom/path/to/skills
//! ```

use std::path::{Path, PathBuf};

use super::super::CommandContext;
use super::fix_help;
use skillpm_core::error::{Error, Result};
use skillpm_core::manifest::location_at;
use skillpm_core::skill::yaml;
use skillpm_io::disk;

/// Where an agent's configuration has its directory of skills.
struct DirectoryKey {
    agent: &'static str,
    /// The directory of the files, to which a path is relative.
    config_dir: &'static str,
    /// The files, those that override others first.
    files: &'static [&'static str],
    key: &'static str,
}

/// The keys that skillpm reads.
const DIRECTORY_KEYS: &[DirectoryKey] = &[DirectoryKey {
    agent: "pickle-bot",
    config_dir: "~/.pickle-bot",
    files: &["config.user.yaml", "config.system.yaml"],
    key: "skills_path",
}];

/// The directory to which the configuration of an agent moves its skills, to be expanded as a path of the table; `None`
/// if it does not.
///
/// # Errors
/// If a file cannot be read, is no YAML, or has no path there.
pub(super) fn moved_directory(context: &CommandContext<'_>, id: &str) -> Result<Option<String>> {
    let Some(known) = DIRECTORY_KEYS.iter().find(|known| known.agent == id) else {
        return Ok(None);
    };

    for file in known.files {
        let shown = format!("{}/{file}", known.config_dir);
        let Some(text) = disk::read_text(&context.expand_path(&shown))? else {
            continue;
        };
        let invalid = |at: usize, reason: &str| {
            let place = location_at(&text, &shown, at);
            Error::usage(format!("failed to parse `{place}`: {reason}")).help(fix_help(&shown))
        };

        let document =
            yaml::parse_text(&text).map_err(|fault| invalid(fault.at, &fault.message))?;
        let value = document.root.as_ref().and_then(|root| root.get(known.key));
        let Some(value) = value.filter(|value| !value.is_null()) else {
            continue;
        };
        let path = value
            .text()
            .filter(|path| !path.is_empty())
            .ok_or_else(|| {
                invalid(
                    value.span.start,
                    &format!("`{}` requires a path", known.key),
                )
            })?;

        return Ok(Some(if Path::new(path).is_absolute() {
            path.to_owned()
        } else {
            format!("{}/{path}", known.config_dir)
        }));
    }
    Ok(None)
}

/// The agents whose own configuration moves their directory of skills, with the directory. One whose configuration is
/// invalid is left out: where the agent is asked for, that is an error or a warning.
pub(crate) fn moved_directories(context: &CommandContext<'_>) -> Vec<(&'static str, PathBuf)> {
    let moved = |known: &DirectoryKey| {
        let path = moved_directory(context, known.agent).ok()??;
        Some((known.agent, context.expand_path(&path)))
    };
    DIRECTORY_KEYS.iter().filter_map(moved).collect()
}
