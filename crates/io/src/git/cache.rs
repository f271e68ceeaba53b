//! Maintenance of the cached repositories below `$SKILLPM_HOME/git`: listing, verification and removal. All of it
//! can be fetched again, as long as its host has it.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::cache_folder;
use crate::disk::{self, DiskUsage, FileLock, LockMode};
use skillpm_core::error::{ErrorContext, Result};
use skillpm_core::package::GitUrl;
use skillpm_core::report::EventReporter;

/// A cached repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CachedRepository {
    /// Its name: the repository's, and a digest of its URL.
    pub name: String,
    /// Its directory.
    pub path: PathBuf,
    /// Its disk usage.
    pub usage: DiskUsage,
    /// When a command last used it; `None` if unknown.
    pub used: Option<SystemTime>,
}

/// All cached repositories below `root`, sorted by name.
///
/// # Errors
/// If the disk refuses.
pub fn cached_repositories(root: &Path) -> Result<Vec<CachedRepository>> {
    let mut copies = Vec::new();
    for name in disk::list_names(root)?
        .into_iter()
        .filter(|name| !name.starts_with('.'))
    {
        let path = root.join(&name);
        if !disk::lstat(&path)?.is_some_and(|meta| meta.is_dir()) {
            continue;
        }

        let extent = disk::measure_usage(&path)?;
        // A command that opens a cached repository touches its lock.
        let marked = disk::lstat(&lock_path(&path))?.and_then(|meta| meta.modified().ok());
        copies.push(CachedRepository {
            name,
            path,
            usage: extent,
            used: marked.max(extent.newest),
        });
    }
    Ok(copies)
}

/// The name of the cached repository of a URL.
#[must_use]
pub fn cached_name(url: &GitUrl) -> String {
    cache_folder::folder_name(url)
}

/// Verifies a cached repository: the first fault found; `None` if each of its packs matches its checksum.
///
/// # Errors
/// If the disk refuses.
pub fn find_fault(path: &Path) -> Result<Option<String>> {
    // The ends of the files show at once whether a pack is truncated; the rest requires reading it.
    if !cache_folder::is_intact(path) {
        return Ok(Some("a pack does not match its index".into()));
    }

    let packs = path.join("objects/pack");
    for name in disk::list_names(&packs)? {
        let file = packs.join(&name);
        if file
            .extension()
            .is_some_and(|end| end == "pack" || end == "idx")
            && !has_valid_checksum(&file)?
        {
            return Ok(Some(format!("`{name}` does not match its checksum")));
        }
    }
    Ok(None)
}

/// Removes cached repositories, once no command uses them.
///
/// # Errors
/// [`FailureKind::Busy`](skillpm_core::error::FailureKind::Busy) if a command uses one for longer than `timeout`; or
/// if the disk refuses.
pub fn remove_cached(
    root: &Path,
    copies: &[&CachedRepository],
    timeout: Duration,
    reporter: &dyn EventReporter,
) -> Result<()> {
    for copy in copies {
        // Commands share this lock for as long as they use the repository.
        let _alone = FileLock::acquire(
            &lock_path(&copy.path),
            LockMode::Exclusive,
            timeout,
            reporter,
        )?;
        disk::remove_entries(root, std::slice::from_ref(&copy.path))?;
    }
    Ok(())
}

/// Removes leftovers of killed commands, while no command creates a repository here.
///
/// # Errors
/// If the disk refuses.
pub fn remove_leftovers(root: &Path) -> Result<()> {
    list_leftovers(root)?
        .iter()
        .try_for_each(|path| disk::remove(path))
}

/// Directories that killed commands left half-removed. Staged ones may be in use, and their owners clean them up.
///
/// # Errors
/// If the directory cannot be read.
pub fn list_leftovers(root: &Path) -> Result<Vec<PathBuf>> {
    Ok(disk::list_leftovers(root)?
        .into_iter()
        .filter(|path| disk::is_being_removed(path))
        .collect())
}

fn lock_path(copy: &Path) -> PathBuf {
    copy.with_added_extension("lock")
}

/// Whether a file ends with the digest of all bytes before it.
fn has_valid_checksum(path: &Path) -> Result<bool> {
    let length = cache_folder::digest_length(path);
    let kind = if length == 32 {
        gix::hash::Kind::Sha256
    } else {
        gix::hash::Kind::Sha1
    };

    let found = hash_without_checksum(path, length, kind)
        .context(|| format!("failed to read `{}`", path.display()))?;
    Ok(found.is_some_and(|found| {
        cache_folder::read_tail(path, length).is_some_and(|recorded| recorded == found.as_bytes())
    }))
}

/// The digest of a file without the digest at its end; `None` if it is too short.
fn hash_without_checksum(
    path: &Path,
    length: usize,
    kind: gix::hash::Kind,
) -> std::io::Result<Option<gix::ObjectId>> {
    let file = File::open(path)?;
    let Some(mut left) = file.metadata()?.len().checked_sub(length as u64) else {
        return Ok(None);
    };
    let mut file = file.take(left);

    let (mut hasher, mut buffer) = (gix::hash::hasher(kind), vec![0; 1 << 16]);
    while left > 0 {
        let count = file.read(&mut buffer)?;
        if count == 0 {
            return Ok(None);
        }
        hasher.update(&buffer[..count]);
        left -= count as u64;
    }
    Ok(hasher.try_finalize().ok())
}
