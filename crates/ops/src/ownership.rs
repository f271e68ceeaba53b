//! Whose a project is. As git does, a command obeys no project that another user owns: who can write above a directory
//! would otherwise decide what a command does in it.
//!
//! A directory is obeyed all the same if `safe.directories` of the user's own settings, or `safe.directory` of the user's
//! or the system's git configuration, names it (or is `*`, or names a directory above it followed by `/*`).

use std::path::Path;

use crate::error::{Error, Result};
use crate::io::{disk, git};

/// Refuses a file of a project, its manifest or its settings, that another user owns, or whose directory another user owns.
/// A file that is not there is nobody's.
///
/// # Errors
/// [`Usage`](crate::error::Kind::Usage) if it is another user's and its directory is not among the safe ones.
pub fn check(file: &Path, safe: &[String], home: &Path, variable: &dyn Fn(&str) -> Option<String>) -> Result<()> {
    let Some(meta) = disk::lstat(file)? else { return Ok(()) };
    let dir = file.parent().unwrap_or(Path::new("/"));
    let sudo_user = variable("SUDO_UID").and_then(|id| id.parse().ok());
    let (of_file, of_dir) = (disk::ownership(&meta), disk::lstat(dir)?.map(|meta| disk::ownership(&meta)));
    if [Some(of_file), of_dir].iter().flatten().all(|owner| owner.is_ours || owner.is_of_sudo_user(sudo_user)) {
        return Ok(());
    }

    let real = disk::real_path(dir);
    let names_it = |entry: &String| is_named(&real, entry, home);
    if safe.iter().any(names_it) || git::safe_directories().iter().any(names_it) {
        return Ok(());
    }
    Err(Error::usage(format!("refusing to use `{}`: another user owns it or its directory", file.display()))
        .note("who owns it could change what commands do here")
        .help(format!("if you trust it: skillpm config set safe.directories '{}'", real.display()))
        .help(format!("or, for git as well: git config --global --add safe.directory '{}'", real.display())))
}

/// Whether an entry of a list of safe directories means `dir`.
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
    fn a_safe_directory_is_named_by_itself_by_one_above_or_by_a_star() {
        let is_named = |entry| is_named(Path::new("/srv/work/site"), entry, Path::new("/srv"));
        for entry in ["*", "/srv/work/site", "/srv/work/*", "/srv/*", "~/work/site", "~/work/*"] {
            assert!(is_named(entry), "{entry}");
        }
        for entry in ["", "/srv/work", "/srv/work/si*", "/srv/work/site/below", "/srv/wo/*", "site"] {
            assert!(!is_named(entry), "{entry}");
        }
    }
}
