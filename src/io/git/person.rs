//! Who works here, as git is told.

use std::path::Path;

use gix::bstr::ByteSlice;

use super::commit::Author;
use super::failure;
use crate::error::Result;

/// `user.name` and `user.email` as they hold in a directory; empty where git does not know.
///
/// # Errors
/// If the git configuration cannot be read.
pub fn author(dir: &Path) -> Result<Author> {
    let config = config_at(dir).map_err(|cause| failure::configuration(&cause))?;
    let text = |key: &str| config.string(key).and_then(|text| Some(text.to_str().ok()?.trim().to_owned()));
    let (name, email) = (text("user.name").unwrap_or_default(), text("user.email").unwrap_or_default());
    Ok(Author { name, email, signing: None })
}

/// The directories that the user's or the system's configuration names as `safe.directory`, an empty one taking back those
/// before it; none if it cannot be read. A repository's own configuration is not asked.
#[must_use]
pub fn safe_directories() -> Vec<String> {
    let Ok(config) = gix::config::File::from_globals() else { return Vec::new() };
    let entries = config.strings("safe.directory").unwrap_or_default();
    let mut safe = Vec::new();
    for entry in entries.iter().filter_map(|entry| entry.to_str().ok()) {
        if entry.is_empty() {
            safe.clear();
        } else {
            safe.push(entry.to_owned());
        }
    }
    safe
}

/// The user's and the system's configuration, and over it that of the repository around the directory.
pub(super) fn config_at(dir: &Path) -> gix::Result<gix::config::File> {
    let mut config = gix::config::File::from_globals()?;
    if let Ok((found, _)) = gix::discover::upwards(dir) {
        let (git_dir, _) = found.into_repository_and_work_tree_directories();
        let repository = gix::open_opts(git_dir, gix::open::Options::isolated())?;
        config.append(repository.config_snapshot().plumbing().clone())?;
    }
    config.append(gix::config::File::from_environment_overrides()?)?;
    Ok(config)
}
