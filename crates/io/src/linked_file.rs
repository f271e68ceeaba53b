//! Files that a person has replaced with a link, such as a manifest in a directory of dotfiles: they are written where the
//! link leads.

use std::path::{Path, PathBuf};

use crate::disk;
use crate::git::GitCheckout;
use skillpm_core::error::{Error, Result};

/// Directories of repositories whose files are not known: a link next to one may be in it.
const OTHER_REPOSITORIES: [&str; 3] = [".hg", ".jj", ".svn"];

/// The file that is written in place of `path`: where the link there leads, if there is one.
///
/// # Errors
/// If the link leads to no regular file.
pub fn follow_link(path: &Path) -> Result<PathBuf> {
    if !is_link(path)? {
        return Ok(path.to_owned());
    }
    let real = disk::real_path(path);
    let meta = disk::lstat(&real)?;
    match meta {
        Some(meta) if meta.is_file() => Ok(real),
        found => {
            let to = disk::read_link(path)?;
            let why = match found {
                Some(meta) if !meta.is_symlink() => "is not a regular file",
                _ => "does not exist",
            };
            Err(Error::disk(format!(
                "failed to write `{}`: it is a link to `{}`, which {why}",
                path.display(),
                to.display()
            ))
            .help(format!(
                "rm '{}', or restore the file that it leads to",
                path.display()
            )))
        }
    }
}

/// As [`follow_link`], for a file of a project: a link that came with the repository leads to no file outside of it.
///
/// # Errors
/// As for [`follow_link`], and [`Integrity`](skillpm_core::error::FailureKind::Integrity) for such a link.
pub fn follow_own_link(path: &Path) -> Result<PathBuf> {
    let real = follow_link(path)?;
    if !is_link(path)? {
        return Ok(real);
    }
    let dir = disk::real_path(path.parent().unwrap_or(Path::new("/")));
    let is_outside = |root: &Path| !real.starts_with(root);
    let refused = |root: &Path| {
        Error::integrity(format!(
            "refusing to follow the symbolic link `{}` out of the repository `{}`",
            path.display(),
            root.display()
        ))
        .note(format!(
            "it leads to `{}`, and is part of the repository",
            real.display()
        ))
        .help(format!(
            "replace it with a file: cp --remove-destination '{}' '{}'",
            real.display(),
            path.display()
        ))
    };

    let other = dir.ancestors().find(|above| {
        let mut names = OTHER_REPOSITORIES.iter();
        names.any(|name| disk::lstat(&above.join(name)).is_ok_and(|found| found.is_some()))
    });
    if let Some(root) = other.filter(|root| is_outside(root)) {
        return Err(refused(root));
    }

    let checkout = GitCheckout::discover(&dir)?;
    let Some(checkout) = checkout.filter(|checkout| is_outside(checkout.root())) else {
        return Ok(real);
    };
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    // A link of one's own to a link in the repository is not followed either.
    let next = disk::normalize_path(&dir.join(disk::read_link(path)?));
    if checkout.tracked_files()?.contains(name.as_ref()) || next.starts_with(checkout.root()) {
        return Err(refused(checkout.root()));
    }
    Ok(real)
}

fn is_link(path: &Path) -> Result<bool> {
    Ok(disk::lstat(path)?.is_some_and(|meta| meta.is_symlink()))
}
