//! The copies of repositories below `$SKILLPM_HOME/git`, looked at from outside: what there is, whether it is sound, and
//! how it goes away. All of it can be fetched again, as long as its host has it.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::folder;
use crate::error::{Context, Result};
use crate::io::disk::{self, Extent, FileLock, Mode};
use crate::package::GitUrl;
use crate::report::Reporter;

/// One copy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Copy {
    /// Its name: that of the repository, and a digest of its URL.
    pub name: String,
    /// Where it is.
    pub path: PathBuf,
    /// How much it is.
    pub extent: Extent,
    /// When a command worked in it last; `None` if that cannot be told.
    pub used: Option<SystemTime>,
}

/// All copies below `root`, by name.
///
/// # Errors
/// If the disk refuses.
pub fn copies(root: &Path) -> Result<Vec<Copy>> {
    let mut copies = Vec::new();
    for name in disk::names(root)?.into_iter().filter(|name| !name.starts_with('.')) {
        let path = root.join(&name);
        if !disk::lstat(&path)?.is_some_and(|meta| meta.is_dir()) {
            continue;
        }
        let extent = disk::measure(&path)?;
        let marked = disk::lstat(&lock_of(&path))?.and_then(|meta| meta.modified().ok());
        copies.push(Copy { name, path, extent, used: marked.max(extent.newest) });
    }
    Ok(copies)
}

/// The name of a URL's copy.
#[must_use]
pub fn name_of(url: &GitUrl) -> String {
    folder::name(url)
}

/// What is wrong with a copy; `None` if each of its packs is what its checksum says.
///
/// # Errors
/// If the disk refuses.
pub fn fault(path: &Path) -> Result<Option<String>> {
    if !folder::is_sound(path) {
        return Ok(Some("a pack is not as long as its index says".into()));
    }
    let packs = path.join("objects/pack");
    for name in disk::names(&packs)? {
        let file = packs.join(&name);
        if file.extension().is_some_and(|end| end == "pack" || end == "idx") && !is_whole(&file)? {
            return Ok(Some(format!("`{name}` is not what its checksum says")));
        }
    }
    Ok(None)
}

/// Takes copies away while nobody works in them.
///
/// # Errors
/// [`Kind::Busy`](crate::error::Kind::Busy) if somebody does for longer than `patience`; or if the disk refuses.
pub fn take_away(root: &Path, copies: &[&Copy], patience: Duration, reporter: &dyn Reporter) -> Result<()> {
    for copy in copies {
        let _alone = FileLock::acquire(&lock_of(&copy.path), Mode::Exclusive, patience, reporter)?;
        disk::take_away(root, std::slice::from_ref(&copy.path))?;
    }
    Ok(())
}

/// Takes away what killed commands left, as long as nobody begins anything here.
///
/// # Errors
/// If the disk refuses.
pub fn clear_up(root: &Path) -> Result<()> {
    left_over(root)?.iter().try_for_each(|path| disk::remove(path))
}

/// What killed commands left on its way out. What is on its way in may be somebody's, who tidies it up.
///
/// # Errors
/// If the directory cannot be read.
pub fn left_over(root: &Path) -> Result<Vec<PathBuf>> {
    Ok(disk::left_over(root)?.into_iter().filter(|path| disk::is_leaving(path)).collect())
}

fn lock_of(copy: &Path) -> PathBuf {
    copy.with_added_extension("lock")
}

/// Whether a file ends with the digest of all that stands before it.
fn is_whole(path: &Path) -> Result<bool> {
    let length = folder::digest_length(path);
    let kind = if length == 32 { gix::hash::Kind::Sha256 } else { gix::hash::Kind::Sha1 };
    let read = || -> std::io::Result<Option<gix::ObjectId>> {
        let file = File::open(path)?;
        let Some(mut left) = file.metadata()?.len().checked_sub(length as u64) else { return Ok(None) };
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
    };
    let found = read().context(|| format!("could not read `{}`", path.display()))?;
    Ok(found.is_some_and(|found| folder::tail(path, length).is_some_and(|said| said == found.as_bytes())))
}
