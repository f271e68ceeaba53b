//! The cache of a remote repository's objects: a bare repository in `$SKILLPM_HOME/git/`, one per URL, which any
//! number of processes fill concurrently.
//!
//! ```text
//! skills-3f2a90c14d5e6b78/          a bare repository, always partial: git itself should not fetch from it
//! ├── objects/pack/pack-….pack      one per fetch; renamed into place, whole or not at all
//! ├── skillpm.json                  the last references and capabilities of the host (see `host_record`)
//! └── born                          a random id, which changes when another process recreates the folder
//! skills-3f2a90c14d5e6b78.lock      locked, shared, while a process uses the folder
//! .lock                             locked while a folder is created
//! ```
//!
//! Everything in it can be fetched again, so an invalid folder is dropped, never repaired.

use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use super::objects::ObjectDatabase;
use crate::disk::{DiskOperation, TEMPORARY_PREFIX, failpoint, touch_open};
use skillpm_core::error::{Error, ErrorContext, Result};
use skillpm_core::package::{GitUrl, Sha256Digest};

/// With more packs than this, every lookup is slow; the folder is recreated.
const PACKS_MAX: usize = 128;

/// The cache folder of one URL.
pub(super) struct CacheFolder {
    path: PathBuf,
    /// The id of the folder (`born`) when it was opened.
    generation: Option<String>,
    /// Shared with all processes that use the folder; released when the file is closed.
    _lock: Option<File>,
}

impl CacheFolder {
    /// Opens the folder of `url` below `root`, and creates it if it is missing or damaged.
    pub(super) fn open(root: &Path, url: &GitUrl) -> Result<(CacheFolder, ObjectDatabase)> {
        if !root.is_dir() {
            failpoint(DiskOperation::Make, root)
                .context(|| format!("failed to create `{}`", root.display()))?;
        }
        fs::create_dir_all(root).context(|| format!("failed to create `{}`", root.display()))?;

        let path = root.join(folder_name(url));
        // Locked before it is opened, so that no other process removes it meanwhile.
        let lock = clean_and_lock(&path);
        let mut folder = CacheFolder {
            generation: read_generation(&path),
            path,
            _lock: lock,
        };

        let objects = match folder.open_intact() {
            Some(objects) => objects,
            None => folder.recreate(None)?,
        };

        Ok((folder, objects))
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// The directory that packs are written to.
    pub(super) fn packs(&self) -> PathBuf {
        self.path.join("objects/pack")
    }

    /// Replaces the folder by an empty one for `hash`, or SHA-1 if that is not known, unless another process has
    /// done so meanwhile.
    ///
    /// Other processes keep reading the packs that they have mapped, and find the new folder when they reopen it.
    pub(super) fn recreate(&mut self, hash: Option<gix::hash::Kind>) -> Result<ObjectDatabase> {
        let _lock = lock_creation(&self.path);
        let now = read_generation(&self.path);
        // Another process has replaced it since it was opened here; that one is used.
        if now.is_some()
            && now != self.generation
            && let Some(objects) = self.open_intact()
            && hash.is_none_or(|hash| hash == objects.object_hash())
        {
            self.generation = now;
            return Ok(objects);
        }

        self.replace(hash.unwrap_or(gix::hash::Kind::Sha1))
            .context(|| format!("failed to write `{}`", self.path.display()))?;

        self.generation = read_generation(&self.path);
        ObjectDatabase::open(&self.path).map_err(|cause| {
            Error::disk(format!("failed to open `{}`", self.path.display()))
                .cause(cause.to_string())
                .help("remove it; everything in it can be fetched again")
        })
    }

    fn replace(&self, hash: gix::hash::Kind) -> std::io::Result<()> {
        let fresh = self.create_staging_dir()?;
        write_bare_layout(fresh.path(), hash)?;

        // A directory with content cannot be renamed over, so the old one is moved away first. Other
        // processes may still read from it.
        if self.path.symlink_metadata().is_ok() {
            let old = self.create_staging_dir()?;
            failpoint(DiskOperation::Rename, &self.path)?;
            fs::rename(&self.path, old.path().join("dropped"))?;
        }

        failpoint(DiskOperation::Rename, &self.path)?;
        fs::rename(fresh.path(), &self.path)
    }

    fn open_intact(&self) -> Option<ObjectDatabase> {
        if is_intact(&self.path) {
            ObjectDatabase::open(&self.path).ok()
        } else {
            None
        }
    }

    /// Creates a temporary directory beside the folder, removed on drop.
    fn create_staging_dir(&self) -> std::io::Result<tempfile::TempDir> {
        failpoint(DiskOperation::Make, &self.path)?;
        tempfile::Builder::new()
            .prefix(&stage_prefix(&self.path))
            .tempdir_in(root_dir(&self.path))
    }
}

/// Whether every pack is as long as its index says. A shorter one must never be mapped, since reading past its end
/// ends the process.
pub(super) fn is_intact(path: &Path) -> bool {
    let Ok(packs) = fs::read_dir(path.join("objects/pack")) else {
        return false;
    };
    packs
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|ext| ext == "idx"))
        .all(|index| {
            let pack = index.with_extension("pack");
            let hash = digest_length(&index);
            // An index ends with the pack's checksum and then its own.
            let promised = read_tail(&index, 2 * hash).map(|bytes| bytes[..hash].to_vec());
            promised.is_some() && promised == read_tail(&pack, hash)
        })
}

/// The length of the digests in a pack or its index in bytes, by its file name.
pub(super) fn digest_length(file: &Path) -> usize {
    if file.file_stem().map_or(0, std::ffi::OsStr::len) > 60 {
        32
    } else {
        20
    }
}

/// `skills-3f2a90c14d5e6b78`: the repository's name, for readability, and a digest of its URL.
pub(super) fn folder_name(url: &GitUrl) -> String {
    let digest = Sha256Digest::hash_bytes(url.as_str().as_bytes()).to_string();
    let plain = |c: &char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    let name: String = url.repository().chars().filter(plain).take(64).collect();
    format!("{name}-{}", &digest[..16])
}

/// Acquires the folder's shared lock. If no other process uses the folder, first removes leftovers of killed ones.
///
/// On network file systems without locks, leftovers are not removed.
fn clean_and_lock(path: &Path) -> Option<File> {
    let lock = path.with_added_extension("lock");
    let lock = File::options()
        .create(true)
        .truncate(false)
        .write(true)
        .open(lock)
        .ok()?;

    // With no other process in it, no fetch is running.
    if lock.try_lock().is_ok() {
        remove_stale_files(path);
        let _ = lock.unlock();
    }

    let _ = lock.lock_shared();
    // `cache prune` uses its modification time.
    touch_open(&lock);
    Some(lock)
}

fn remove_stale_files(path: &Path) {
    let stages = fs::read_dir(root_dir(path)).into_iter().flatten().flatten();
    for stage in stages.filter(|entry| {
        entry
            .file_name()
            .to_string_lossy()
            .starts_with(&stage_prefix(path))
    }) {
        let _ = fs::remove_dir_all(stage.path());
    }

    let loose = fs::read_dir(path).into_iter().flatten().flatten();
    for file in loose.filter(|entry| {
        entry
            .file_name()
            .to_string_lossy()
            .starts_with(TEMPORARY_PREFIX)
    }) {
        let _ = fs::remove_file(file.path());
    }

    let Ok(packs) = fs::read_dir(path.join("objects/pack")) else {
        return;
    };

    let mut count = 0;
    for entry in packs.flatten().map(|entry| entry.path()) {
        match entry.extension().and_then(|ext| ext.to_str()) {
            Some("pack") => count += 1,
            Some("idx") => {}
            // A fetch that was killed leaves its temporary files beside the packs.
            _ => drop(fs::remove_file(&entry)),
        }
    }

    if count > PACKS_MAX {
        // The next process that opens the folder finds nothing, and creates an empty one.
        let _ = fs::remove_dir_all(path);
    }
}

fn root_dir(path: &Path) -> &Path {
    path.parent().expect("a folder is below the root")
}

fn read_generation(path: &Path) -> Option<String> {
    fs::read_to_string(path.join("born")).ok()
}

/// Acquires the lock for creating a folder. Without lock support, two concurrent creations may have to be retried.
fn lock_creation(path: &Path) -> Option<File> {
    lock_root(root_dir(path))
}

/// Acquires the lock for creating anything below the root.
pub(super) fn lock_root(root: &Path) -> Option<File> {
    let lock = File::options()
        .create(true)
        .truncate(false)
        .write(true)
        .open(root.join(".lock"))
        .ok()?;
    lock.lock().ok()?;
    Some(lock)
}

fn stage_prefix(path: &Path) -> String {
    format!(".stage-{}-", path.file_name().unwrap_or_default().display())
}

/// Writes the minimum that makes a directory a bare repository.
pub(super) fn write_bare_layout(path: &Path, hash: gix::hash::Kind) -> std::io::Result<()> {
    for directory in ["objects/pack", "objects/info", "refs/heads", "refs/tags"] {
        failpoint(DiskOperation::Make, &path.join(directory))?;
        fs::create_dir_all(path.join(directory))?;
    }

    failpoint(DiskOperation::Write, path)?;
    fs::write(path.join("HEAD"), "ref: refs/heads/main\n")?;
    // The staging directory has a random name, which serves as the id.
    fs::write(path.join("born"), path.as_os_str().as_encoded_bytes())?;

    failpoint(DiskOperation::Write, path)?;
    let format = match hash {
        gix::hash::Kind::Sha256 => {
            "repositoryformatversion = 1\n\tbare = true\n[extensions]\n\tobjectFormat = sha256\n"
        }
        _ => "repositoryformatversion = 0\n\tbare = true\n",
    };
    fs::write(path.join("config"), format!("[core]\n\t{format}"))
}

/// The last `length` bytes of a file.
pub(super) fn read_tail(path: &Path, length: usize) -> Option<Vec<u8>> {
    let mut file = File::open(path).ok()?;
    file.seek(SeekFrom::End(-i64::try_from(length).ok()?))
        .ok()?;

    let mut bytes = Vec::with_capacity(length);
    file.read_to_end(&mut bytes).ok()?;
    (bytes.len() == length).then_some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_url_has_a_folder_of_its_own_with_a_plain_name() {
        let name = |url: &str| folder_name(&url.parse().unwrap());
        assert!(name("gh:obra/superpowers").starts_with("superpowers-"));
        assert_ne!(name("gh:obra/superpowers"), name("gh:other/superpowers"));
        assert!(
            name("https://h/a/%7e%20x~y")
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b"-_".contains(&b))
        );
    }

    #[test]
    fn leftovers_are_removed_by_the_only_user_of_a_folder() {
        let root = tempfile::tempdir().unwrap();
        let url: GitUrl = "gh:obra/superpowers".parse().unwrap();
        let (first, _) = CacheFolder::open(root.path(), &url).unwrap();
        let leftover = first.packs().join(".tmpAbCdE");
        fs::write(&leftover, "half a pack").unwrap();
        fs::create_dir(root.path().join(stage_prefix(first.path()) + "x")).unwrap();
        let second = CacheFolder::open(root.path(), &url).unwrap();
        assert!(leftover.exists(), "another process may still be writing it");
        drop((first, second));
        CacheFolder::open(root.path(), &url).unwrap();
        assert!(!leftover.exists());
        let left: Vec<_> = fs::read_dir(root.path())
            .unwrap()
            .flatten()
            .map(|entry| entry.file_name())
            .collect();
        assert_eq!(
            left.len(),
            3,
            "the folder, its lock and the lock of all: {left:?}"
        );
    }
}
