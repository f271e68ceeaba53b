//! The user's git configuration: for a request to a host, and for a directory.

use std::path::{Path, PathBuf};

use gix::bstr::ByteSlice;
use url::Url;

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

/// The values of `http.KEY` and of `http.URL.KEY` for a URL, in the order of the configuration; an empty one clears those
/// before it, as in git.
pub(super) fn http_values(config: &gix::config::File, url: &str, key: &str) -> Vec<String> {
    let all = all_http_values(config, url, key);
    let last = all.rsplit(String::is_empty).next().unwrap_or_default();
    last.to_vec()
}

/// The last of those values, which is in force; an empty one says that there is to be none.
pub(super) fn last_http_value(config: &gix::config::File, url: &str, key: &str) -> Option<String> {
    all_http_values(config, url, key).pop()
}

/// The path of such a setting; an empty one is none.
pub(super) fn last_http_path(config: &gix::config::File, url: &str, key: &str) -> Option<PathBuf> {
    let value = last_http_value(config, url, key).filter(|value| !value.is_empty());
    value.map(|value| expand_home(&value))
}

/// The path with `~/` at its beginning as the home directory.
pub(super) fn expand_home(path: &str) -> PathBuf {
    match (path.strip_prefix("~/"), gix::path::env::home_dir()) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => path.into(),
    }
}

fn all_http_values(config: &gix::config::File, url: &str, key: &str) -> Vec<String> {
    let mut found = Vec::new();
    for section in config.sections_by_name("http").into_iter().flatten() {
        let scope = section.header().subsection_name();
        if scope.is_some_and(|scope| !scope.to_str().is_ok_and(|scope| covers(scope, url))) {
            continue;
        }
        let values = section.values(key).into_iter();
        found.extend(values.filter_map(|value| Some(value.to_str().ok()?.to_owned())));
    }
    found
}

/// Whether a URL is at or below the scope of a setting, which may have `*` for a part of the host's name.
fn covers(scope: &str, url: &str) -> bool {
    let (Ok(scope), Ok(url)) = (Url::parse(scope), Url::parse(url)) else {
        return false;
    };
    let hosts = (scope.host_str().unwrap_or(""), url.host_str().unwrap_or(""));
    let is_host = hosts.0.split('.').count() == hosts.1.split('.').count()
        && hosts
            .0
            .split('.')
            .zip(hosts.1.split('.'))
            .all(|(wanted, part)| matches!(wanted, "*" | "%2A") || wanted == part);
    let path = scope.path().trim_end_matches('/');
    let below = url.path().strip_prefix(path);

    scope.scheme() == url.scheme()
        && is_host
        && scope.port_or_known_default() == url.port_or_known_default()
        && (scope.username().is_empty() || scope.username() == url.username())
        && below.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn http_settings_count_for_the_urls_below_theirs() {
        let config: gix::config::File = "[http]\n k = all\n[http \"https://h/team\"]\n k = team\n[http \"https://*.h\"]\n k = any\n\
            [http \"https://h:8443/\"]\n k = port\n[http \"https://h/none\"]\n k =\n k = one\n"
            .parse()
            .unwrap();
        for (url, values) in [
            ("https://h/team/a.git", "all team"),
            ("https://h/teams/a.git", "all"),
            ("https://a.h/x", "all any"),
            ("https://a.b.h/x", "all"),
            ("https://h:8443/team", "all port"),
            ("http://h/team", "all"),
            ("https://h/none/x", "one"),
        ] {
            assert_eq!(http_values(&config, url, "k").join(" "), values, "{url}");
        }
        let none: gix::config::File = "[http]\n k = all\n[http \"https://h\"]\n k =\n"
            .parse()
            .unwrap();
        let last = |url: &str| last_http_value(&none, url, "k");
        assert_eq!(last("https://h/a").as_deref(), Some(""));
        assert_eq!(last("https://other/a").as_deref(), Some("all"));
    }
}
