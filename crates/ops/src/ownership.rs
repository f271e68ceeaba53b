//! Refuses projects that another user owns, as git does: anyone who can write above a directory
//! could otherwise decide what a command does in it.
//!
//! A directory is accepted if `safe.directories` of the user's own settings, or `safe.directory` of
//! the user's or the system's git configuration, names it (or is `*`, or names a directory above it
//! followed by `/*`).

use std::path::Path;

use skillpm_core::error::{Error, RefusedChange, Result};
use skillpm_io::{disk, git};

/// The variables by which programs say who became root with them.
const FORMER_USER: [&str; 3] = ["SUDO_UID", "DOAS_USER", "PKEXEC_UID"];

/// Refuses a project's manifest or settings file if another user owns it or its directory. A
/// missing file is accepted.
///
/// # Errors
/// [`Usage`](skillpm_core::error::FailureKind::Usage) if another user owns it and its directory is
/// not a safe one.
pub fn check(
    file: &Path,
    safe: &[String],
    home: &Path,
    variable: &dyn Fn(&str) -> Option<String>,
) -> Result<()> {
    let Some(meta) = disk::lstat(file)? else {
        return Ok(());
    };

    let dir = file.parent().unwrap_or(Path::new("/"));
    // Under `sudo` the files of the calling user are accepted, as git does.
    let sudo_user = variable("SUDO_UID").and_then(|id| id.parse().ok());

    let (of_file, of_dir) = (
        disk::file_ownership(&meta),
        disk::lstat(dir)?.map(|meta| disk::file_ownership(&meta)),
    );
    // The directory is checked as well: its owner could replace the file.
    if [Some(of_file), of_dir]
        .iter()
        .flatten()
        .all(|owner| owner.is_ours || owner.is_of_sudo_user(sudo_user))
    {
        return Ok(());
    }

    let real = disk::real_path(dir);
    let names_it = |entry: &String| is_named(&real, entry, home);
    if safe.iter().any(names_it) || git::safe_directories().iter().any(names_it) {
        return Ok(());
    }

    Err(Error::usage(format!(
        "refusing to use `{}`: another user owns it or its directory",
        file.display()
    ))
    .note("its owner could change what commands do here")
    .help(format!(
        "if you trust it, run `skillpm config set safe.directories '{}'`",
        real.display()
    ))
    .help(format!(
        "or, for git as well, `git config --global --add safe.directory '{}'`",
        real.display()
    )))
}

/// Why root must not write into `$SKILLPM_HOME`; `None` if it may: another user owns it, and could not write there any more
/// what root has written. `safe` are directories that the command line and the environment name.
///
/// # Errors
/// If a directory on the way cannot be accessed.
pub fn refused_home(
    skillpm_home: &Path,
    safe: &[String],
    home: &Path,
    in_ci: bool,
    variable: &dyn Fn(&str) -> Option<String>,
) -> Result<Option<RefusedChange>> {
    if !disk::runs_as_root() {
        return Ok(None);
    }

    let real = disk::real_path(skillpm_home);
    let mut found = None;
    // The nearest directory that exists is the one that it would be created in.
    for dir in real.ancestors() {
        if let Some(meta) = disk::lstat(dir)? {
            found = Some((dir, disk::file_ownership(&meta)));
            break;
        }
    }
    let Some((dir, owner)) = found.filter(|(_, owner)| !owner.is_ours) else {
        return Ok(None);
    };

    // A job in a container is root in a home of the host's user (`/github/home`), where no one else works.
    let was_user = FORMER_USER.iter().any(|name| variable(name).is_some());
    let names_it = |entry: &String| is_named(&real, entry, home);
    if in_ci && !was_user || safe.iter().any(names_it) {
        return Ok(None);
    }

    Ok(Some(RefusedChange {
        reason: format!(
            "root would lock out user {}, who owns `{}`",
            owner.user,
            dir.display()
        ),
        helps: vec![
            "run it without `sudo`; or, for root's own skills, with `sudo -H skillpm`".to_owned(),
            "in a container, run `export SKILLPM_HOME=/root/.skillpm`".to_owned(),
        ],
    }))
}

/// Whether an entry of a list of safe directories matches `dir`.
fn is_named(dir: &Path, entry: &str, home: &Path) -> bool {
    let path = |text: &str| match text.strip_prefix("~/") {
        Some(below) => home.join(below),
        None => text.into(),
    };
    match entry.strip_suffix("/*") {
        _ if entry == "*" => true,
        Some(above) => dir.starts_with(disk::real_path(&path(above))),
        None => dir == disk::real_path(&path(entry)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg_attr(windows, ignore = "its paths are those of Unix")]
    fn safe_directory_matches_itself_a_parent_or_a_star() {
        let is_named = |entry| is_named(Path::new("/srv/work/site"), entry, Path::new("/srv"));
        for entry in [
            "*",
            "/srv/work/site",
            "/srv/work/*",
            "/srv/*",
            "~/work/site",
            "~/work/*",
        ] {
            assert!(is_named(entry), "{entry}");
        }
        for entry in [
            "",
            "/srv/work",
            "/srv/work/si*",
            "/srv/work/site/below",
            "/srv/wo/*",
            "site",
        ] {
            assert!(!is_named(entry), "{entry}");
        }
    }
}
