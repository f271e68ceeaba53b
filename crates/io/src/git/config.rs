//! The user's git configuration: for a request to a host, and for a directory.

use std::path::Path;

use gix::bstr::ByteSlice;

use super::GitOptions;

/// Opens the cache's repository with the user's and the system's git configuration.
pub(super) fn user_config(folder: &Path, options: &GitOptions) -> gix::Result<gix::Repository> {
    use gix::open::{Permissions, permissions};
    use gix::sec::Permission;

    let ssh_askpass = if options.interactive {
        Permission::Allow
    } else {
        Permission::Deny
    };

    let permissions = Permissions {
        env: permissions::Environment {
            ssh_prefix: ssh_askpass,
            ..permissions::Environment::all()
        },
        config: permissions::Config {
            // Where git's own installation names the credential helper.
            git_binary: cfg!(any(target_os = "macos", windows)),
            ..permissions::Config::all()
        },
        ..Permissions::isolated()
    };

    let open = gix::open::Options::default()
        .permissions(permissions)
        .cli_overrides(options.config.iter().cloned());
    gix::open_opts(folder, open)
}

/// The directories that the user's or the system's configuration names as `safe.directory`, an empty entry
/// clears those before it; none if it cannot be read. A repository's own configuration is ignored.
#[must_use]
pub fn safe_directories() -> Vec<String> {
    let Ok(config) = gix::config::File::from_globals() else {
        return Vec::new();
    };
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

/// The user's and the system's configuration, overridden by that of the repository around the directory.
pub(super) fn load_config(dir: &Path) -> gix::Result<gix::config::File> {
    let mut config = gix::config::File::from_globals()?;
    if let Ok((found, _)) = gix::discover::upwards(dir) {
        let (git_dir, _) = found.into_repository_and_work_tree_directories();
        let repository = gix::open_opts(git_dir, gix::open::Options::isolated())?;
        config.append(repository.config_snapshot().plumbing().clone())?;
    }
    // `GIT_CONFIG_COUNT` and its variables override all files.
    config.append(gix::config::File::from_environment_overrides()?)?;

    Ok(config)
}
